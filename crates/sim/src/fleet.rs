//! The fleet: groups of agents on prefixes. Which agent has an address follows from arithmetic, not from a table.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use trunkline_snmp::usm::Credentials;

use crate::error::SimError;
use crate::faults::{Fault, Faults};
use crate::objects::Objects;
use crate::recorded::{Playback, Recording};
use crate::seed::Seed;
use crate::synthetic::{Device, Interfaces};

/// A prefix of addresses, such as `127.1.0.0/16`. Agents have its addresses from the first on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Prefix {
    first: IpAddr,
    length: u8,
}

/// A prefix that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a prefix such as 127.1.0.0/16, with zeros behind its length")]
pub struct PrefixError {
    found: String,
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(text: &str) -> Result<Self, PrefixError> {
        let read = || {
            let (address, length) = text.split_once('/')?;
            let (first, length): (IpAddr, u8) = (address.parse().ok()?, length.parse().ok()?);
            let prefix = Prefix { first, length };
            let bits = prefix.bits().checked_sub(length)?;
            let beyond = number(first) & low_bits(bits);
            (beyond == 0).then_some(prefix)
        };
        read().ok_or_else(|| PrefixError { found: text.to_owned() })
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.first, self.length)
    }
}

impl Prefix {
    const fn bits(&self) -> u8 {
        if self.first.is_ipv4() { 32 } else { 128 }
    }

    /// Whether its addresses are of IPv6.
    #[must_use]
    pub const fn is_ipv6(&self) -> bool {
        self.first.is_ipv6()
    }

    /// How many addresses it has; 2^32 - 1 if it has more.
    #[must_use]
    pub fn size(&self) -> u32 {
        u32::try_from(low_bits(self.bits() - self.length).saturating_add(1)).unwrap_or(u32::MAX)
    }

    /// The first address.
    #[must_use]
    pub const fn first(&self) -> IpAddr {
        self.first
    }

    fn address(&self, index: u32) -> IpAddr {
        let number = number(self.first) + u128::from(index);
        match self.first {
            IpAddr::V4(_) => IpAddr::V4(Ipv4Addr::from_bits(number as u32)),
            IpAddr::V6(_) => IpAddr::V6(Ipv6Addr::from_bits(number)),
        }
    }

    fn index(&self, address: IpAddr) -> Option<u32> {
        if address.is_ipv4() != self.first.is_ipv4() {
            return None;
        }
        let index = number(address).checked_sub(number(self.first))?;
        u32::try_from(index).ok()
    }
}

const fn number(address: IpAddr) -> u128 {
    match address {
        IpAddr::V4(address) => address.to_bits() as u128,
        IpAddr::V6(address) => address.to_bits(),
    }
}

const fn low_bits(bits: u8) -> u128 {
    match 1_u128.checked_shl(bits as u32) {
        Some(above) => above - 1,
        None => u128::MAX,
    }
}

/// Where the values of a group's agents come from.
#[derive(Clone, Debug)]
pub enum Kind {
    /// From the seed.
    Synthetic(Interfaces),
    /// From a recording that all of them share.
    Recorded {
        /// It.
        recording: Arc<Recording>,
        /// Whether each agent has a sysName of its own.
        vary_name: bool,
    },
}

/// Agents that have something in common.
#[derive(Clone, Debug)]
pub struct Group {
    /// Its name, for listings.
    pub name: String,
    /// Where its agents are.
    pub prefix: Prefix,
    /// How many there are.
    pub agents: u32,
    /// What they answer.
    pub kind: Kind,
    /// Communities that they answer; others get nothing.
    pub communities: Vec<Vec<u8>>,
    /// Users of SNMPv3.
    pub users: Vec<Credentials>,
    /// What is the matter with some of them.
    pub faults: Faults,
    /// How many of them answer JMX too, from the first on.
    pub jmx: u32,
    /// How many of them answer NETCONF over plain TCP too, from the first on.
    pub netconf: u32,
    /// How many of them answer it over SSH.
    pub netconf_ssh: u32,
    /// How many of them answer it over TLS.
    pub netconf_tls: u32,
}

/// What agents may answer beside SNMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Port {
    /// JMX Remote over RMI.
    Jmx,
    /// NETCONF over plain TCP.
    Netconf,
    /// NETCONF over SSH (RFC 6242).
    NetconfSsh,
    /// NETCONF over TLS (RFC 7589).
    NetconfTls,
}

impl Port {
    /// All of them.
    pub const ALL: [Port; 4] = [Port::Jmx, Port::Netconf, Port::NetconfSsh, Port::NetconfTls];

    /// Its name, as in options and files.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Port::Jmx => "jmx",
            Port::Netconf => "netconf",
            Port::NetconfSsh => "netconf-ssh",
            Port::NetconfTls => "netconf-tls",
        }
    }
}

impl Group {
    /// How many of the agents have this port, from the first on.
    #[must_use]
    pub const fn with(&self, port: Port) -> u32 {
        match port {
            Port::Jmx => self.jmx,
            Port::Netconf => self.netconf,
            Port::NetconfSsh => self.netconf_ssh,
            Port::NetconfTls => self.netconf_tls,
        }
    }
}

/// All agents of a simulator.
#[derive(Debug)]
pub struct Fleet {
    seed: Seed,
    groups: Vec<Group>,
}

/// One agent.
#[derive(Clone, Copy, Debug)]
pub struct Agent<'f> {
    /// What it has in common with others.
    pub group: &'f Group,
    /// Its number in the fleet, from 0.
    pub number: u32,
    /// Its number in its group, from 0.
    pub index: u32,
    /// What its values are drawn from.
    pub seed: Seed,
}

/// How long an agent has been up, and how often it has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Life {
    /// snmpEngineBoots.
    pub boots: u32,
    /// Since it started.
    pub uptime: Duration,
    /// Whether it is restarting, and silent.
    pub is_down: bool,
}

impl Fleet {
    /// A fleet of groups.
    ///
    /// # Errors
    /// No agents, more than a prefix has addresses, or two groups with the same address.
    pub fn new(seed: Seed, groups: Vec<Group>) -> Result<Self, SimError> {
        for (at, group) in groups.iter().enumerate() {
            let name = || group.name.clone();
            if group.agents == 0 {
                return Err(SimError::NoAgents { group: name() });
            }
            let (prefix, most) = (group.prefix, group.prefix.size());
            if group.agents > most {
                return Err(SimError::TooManyAgents { group: name(), prefix, most, found: group.agents });
            }
            if let Some(port) = Port::ALL.into_iter().find(|port| group.with(*port) > group.agents) {
                let (found, agents) = (group.with(port), group.agents);
                return Err(SimError::TooManyPorts { group: name(), port: port.name(), found, agents });
            }
            let ends = [group.prefix.address(0), group.prefix.address(group.agents - 1)];
            let other = groups[..at].iter().find(|other| {
                let theirs = [other.prefix.address(0), other.prefix.address(other.agents - 1)];
                let holds = |address: IpAddr, ends: [IpAddr; 2]| (ends[0]..=ends[1]).contains(&address);
                holds(ends[0], theirs) || holds(theirs[0], ends)
            });
            if let Some(other) = other {
                return Err(SimError::SameAddresses { groups: [other.name.clone(), name()] });
            }
        }
        match groups.iter().try_fold(0_u32, |sum, group| sum.checked_add(group.agents)) {
            None | Some(0) => Err(SimError::NoAgents { group: "all".into() }),
            Some(_) => Ok(Self { seed, groups }),
        }
    }

    /// What its values are drawn from.
    #[must_use]
    pub const fn seed(&self) -> Seed {
        self.seed
    }

    /// The groups, in the order of their agents' numbers.
    #[must_use]
    pub fn groups(&self) -> &[Group] {
        &self.groups
    }

    /// How many agents there are.
    #[must_use]
    pub fn len(&self) -> u32 {
        self.groups.iter().map(|group| group.agents).sum()
    }

    /// Whether there is no agent, which [`Fleet::new`] refuses.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The agent at an address.
    #[must_use]
    pub fn at(&self, address: IpAddr) -> Option<Agent<'_>> {
        let mut first = 0;
        for group in &self.groups {
            if let Some(index) = group.prefix.index(address).filter(|index| *index < group.agents) {
                return Some(self.agent(group, first, index));
            }
            first += group.agents;
        }
        None
    }

    /// All agents with their addresses.
    pub fn agents(&self) -> impl Iterator<Item = (IpAddr, Agent<'_>)> {
        let firsts = self.groups.iter().scan(0, |first, group| {
            *first += group.agents;
            Some(*first - group.agents)
        });
        self.groups.iter().zip(firsts).flat_map(move |(group, first)| {
            (0..group.agents).map(move |index| (group.prefix.address(index), self.agent(group, first, index)))
        })
    }

    const fn agent<'f>(&'f self, group: &'f Group, first: u32, index: u32) -> Agent<'f> {
        let number = first + index;
        Agent { group, number, index, seed: self.seed.of(number as u64) }
    }
}

impl Agent<'_> {
    /// What is the matter with it.
    #[must_use]
    pub fn fault(&self) -> Option<Fault> {
        self.group.faults.of(self.index)
    }

    /// How long it has been up when the fleet has been for `elapsed`. Those that do not restart have been up for weeks
    /// when the fleet starts.
    #[must_use]
    pub fn life(&self, fault: Option<Fault>, elapsed: Duration) -> Life {
        let before = self.seed.between(BOOTS, 1, 50) as u32;
        let Some(Fault::Rebooting { every, down }) = fault else {
            let age = Duration::from_millis(self.seed.between(AGE, 60_000, 400 * 86_400_000));
            return Life { boots: before, uptime: age + elapsed, is_down: false };
        };
        let every_ns = (every.as_nanos() as u64).max(1);
        let now = elapsed.as_nanos() as u64 + self.seed.between(AGE, 0, every_ns - 1);
        let uptime = Duration::from_nanos(now % every_ns);
        let boots = before.saturating_add(u32::try_from(now / every_ns).unwrap_or(u32::MAX)) & 0x7fff_ffff;
        Life { boots, uptime, is_down: uptime >= every - down }
    }

    /// Reads what it has in this life.
    pub fn with_objects<R>(&self, life: Life, read: impl FnOnce(&dyn Objects) -> R) -> R {
        match &self.group.kind {
            Kind::Synthetic(interfaces) => {
                read(&Device::new(self.seed, self.number, *interfaces, life.uptime))
            }
            Kind::Recorded { recording, vary_name } => {
                let number = vary_name.then_some(self.number);
                read(&Playback { recording, number, uptime: life.uptime })
            }
        }
    }

    /// Another address of its group, from which it answers if it is wrong in that way.
    #[must_use]
    pub fn other_address(&self) -> IpAddr {
        self.group.prefix.address((self.index + 1) % self.group.prefix.size())
    }
}

// What is drawn of an agent.
const BOOTS: u64 = 30;
const AGE: u64 = 31;

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::faults::FaultShare;

    pub(crate) fn group(name: &str, prefix: &str, agents: u32, shares: &[FaultShare]) -> Group {
        Group {
            name: name.into(),
            prefix: prefix.parse().unwrap(),
            agents,
            kind: Kind::Synthetic(Interfaces::default()),
            communities: vec![b"public".to_vec()],
            users: Vec::new(),
            faults: Faults::new(Seed::new(1), agents, shares).unwrap(),
            jmx: 0,
            netconf: 0,
            netconf_ssh: 0,
            netconf_tls: 0,
        }
    }

    #[test]
    fn addresses_are_numbers_and_back() {
        let groups = vec![
            group("a", "127.1.0.0/16", 300, &[]),
            group("b", "127.3.0.0/24", 256, &[]),
            group("c", "fd00::/64", 9, &[]),
        ];
        let fleet = Fleet::new(Seed::new(1), groups).unwrap();
        assert_eq!((fleet.len(), fleet.is_empty(), fleet.agents().count()), (565, false, 565));
        for (at, (address, agent)) in fleet.agents().enumerate() {
            let found = fleet.at(address).unwrap();
            assert_eq!((found.number as usize, &found.group.name), (at, &agent.group.name));
            assert_eq!(found.seed, agent.seed);
        }
        assert_eq!(fleet.at("127.1.1.43".parse().unwrap()).unwrap().index, 299);
        for stranger in ["127.1.1.44", "127.0.255.255", "127.3.1.0", "fd00::9", "::ffff:127.1.0.1"] {
            assert!(fleet.at(stranger.parse().unwrap()).is_none(), "{stranger}");
        }
    }

    #[test]
    fn impossible_fleets_say_why() {
        let fleet = |groups| Fleet::new(Seed::new(1), groups).unwrap_err().to_string();
        assert!(fleet(vec![]).contains("no agents"));
        assert!(fleet(vec![group("a", "127.1.0.0/24", 0, &[])]).contains("\"a\" has no agents"));
        let many = fleet(vec![group("a", "127.1.0.0/24", 257, &[])]);
        assert!(many.contains("257") && many.contains("127.1.0.0/24") && many.contains("256"), "{many}");
        let ports = fleet(vec![Group { jmx: 10, ..group("a", "127.1.0.0/24", 9, &[]) }]);
        assert!(ports.contains("10") && ports.contains("9") && ports.contains("jmx"), "{ports}");
        let twice = fleet(vec![group("a", "127.1.0.0/16", 300, &[]), group("b", "127.1.1.0/24", 9, &[])]);
        assert!(twice.contains("\"a\"") && twice.contains("\"b\""), "{twice}");
        for wrong in ["127.1.0.0", "127.1.0.1/16", "127.1.0.0/33", "x/3", "fd00::1/64"] {
            let error = wrong.parse::<Prefix>().unwrap_err().to_string();
            assert!(error.contains("is not a prefix"), "{error}");
        }
        assert_eq!("0.0.0.0/0".parse::<Prefix>().unwrap().size(), u32::MAX);
        assert_eq!("127.1.0.0/16".parse::<Prefix>().unwrap().to_string(), "127.1.0.0/16");
    }

    #[test]
    fn an_agent_that_restarts_begins_anew() {
        let shares = [FaultShare::rebooting("100%:60s:5s").unwrap()];
        let fleet = Fleet::new(Seed::new(1), vec![group("a", "127.1.0.0/24", 10, &shares)]).unwrap();
        for (_, agent) in fleet.agents() {
            let lives: Vec<Life> =
                (0..120).map(|second| agent.life(agent.fault(), Duration::from_secs(second))).collect();
            assert_eq!(
                lives.last().unwrap().boots,
                lives[0].boots + 2 - u32::from(lives[119].uptime > lives[0].uptime)
            );
            let down = lives.iter().filter(|life| life.is_down).count();
            assert!((9..=11).contains(&down), "{down}");
            for pair in lives.windows(2) {
                assert_eq!(pair[1].uptime < pair[0].uptime, pair[1].boots == pair[0].boots + 1);
            }
            let steady = agent.life(None, Duration::from_secs(7));
            assert_eq!(steady.uptime, agent.life(None, Duration::ZERO).uptime + Duration::from_secs(7));
        }
    }
}
