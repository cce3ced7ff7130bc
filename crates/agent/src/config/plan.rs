//! The checked configuration: what the daemon is built from.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_smi::Oid;
use trunkline_transport::ListenUrl;
use trunkline_tree::{Freshness, View};

use super::{Place, WrongConfig, raw};

/// All that the daemon needs to know.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// The user to change to when started as root.
    pub user: Option<String>,
    /// Where what must outlive a restart is kept; `None`: a place by custom.
    pub state: Option<PathBuf>,
    /// What is logged, in the form of `tracing`: `info`, `trunkline_host=debug,info`.
    pub log: String,
    /// The system group.
    pub system: SystemPlan,
    /// The SNMP door.
    pub snmp: SnmpPlan,
    /// How fresh data must be.
    pub freshness: FreshnessPlan,
}

/// The system group as configured; a value here wins over one that was set and kept,
/// and makes the object read-only, as in Net-SNMP.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SystemPlan {
    /// sysContact.
    pub contact: Option<String>,
    /// sysName.
    pub name: Option<String>,
    /// sysLocation.
    pub location: Option<String>,
    /// sysDescr.
    pub description: Option<String>,
    /// sysServices.
    pub services: Option<u8>,
}

/// The SNMP door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnmpPlan {
    /// Where to listen.
    pub listen: Vec<ListenUrl>,
    /// Who may ask.
    pub communities: Vec<CommunityPlan>,
    /// The longest message sent, in octets: 484 to 65507.
    pub max_message_size: usize,
    /// The most variable bindings in an answer to GetBulk.
    pub max_bindings: usize,
    /// Limits of TCP connections.
    pub tcp: TcpPlan,
}

/// A community and what it may do.
#[derive(Clone, PartialEq, Eq)]
pub struct CommunityPlan {
    /// The community's name: a secret.
    pub name: Vec<u8>,
    /// What may be read.
    pub read: View,
    /// What may be written.
    pub write: View,
    /// From where; empty: from anywhere.
    pub sources: Vec<Network>,
}

/// A range of addresses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Network {
    address: IpAddr,
    prefix: u8,
}

/// Limits of TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpPlan {
    /// Connections at one time.
    pub max_connections: usize,
    /// Connections at one time from one address.
    pub max_connections_per_peer: usize,
    /// Requests under work on one connection.
    pub max_in_flight: usize,
    /// A connection without a message for so long is closed.
    pub idle_timeout: Duration,
    /// A message must be whole so long after its first octet.
    pub message_timeout: Duration,
    /// A peer that takes no octet of a waiting answer for so long is closed.
    pub write_timeout: Duration,
}

/// How fresh each group's data must be.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FreshnessPlan {
    /// For groups that are not named.
    pub default: Freshness,
    /// By group name.
    pub groups: BTreeMap<String, Freshness>,
}

/// The longest SNMP message over UDP and IPv4 (RFC 3417 section 3.2 and the UDP limit).
const MAX_MESSAGE_SIZE: i64 = 65_507;

/// The longest time that can be configured: a year.
const LONGEST_TIME: Duration = Duration::from_secs(8760 * 3600);

impl Default for Plan {
    /// Without a file: loopback only, port 1161, community `public`, read-only.
    fn default() -> Self {
        let loopback = |transport| ListenUrl {
            transport,
            address: Some(IpAddr::from([127, 0, 0, 1])),
            zone: 0,
            port: 1161,
        };
        Plan {
            user: None,
            state: None,
            log: "info".into(),
            system: SystemPlan::default(),
            snmp: SnmpPlan {
                listen: vec![
                    loopback(trunkline_transport::Transport::Udp),
                    loopback(trunkline_transport::Transport::Tcp),
                ],
                communities: vec![CommunityPlan {
                    name: b"public".to_vec(),
                    read: View::everything(),
                    write: View::NOTHING,
                    sources: Vec::new(),
                }],
                max_message_size: MAX_MESSAGE_SIZE as usize,
                max_bindings: 10_000,
                tcp: TcpPlan::default(),
            },
            freshness: FreshnessPlan::default(),
        }
    }
}

impl Default for TcpPlan {
    fn default() -> Self {
        TcpPlan {
            max_connections: 1024,
            max_connections_per_peer: 256,
            max_in_flight: 32,
            idle_timeout: Duration::from_secs(300),
            message_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
        }
    }
}

impl Plan {
    /// Whether anybody may write anything: then the agent keeps the right to change links.
    pub fn may_write(&self) -> bool {
        self.snmp.communities.iter().any(CommunityPlan::may_write)
    }
}

impl CommunityPlan {
    /// Whether the community may write anything.
    pub fn may_write(&self) -> bool {
        self.write != View::NOTHING
    }

    /// Whether the community may be used from this address.
    pub fn may_come_from(&self, peer: IpAddr) -> bool {
        self.sources.is_empty() || self.sources.iter().any(|network| network.contains(peer))
    }
}

impl std::fmt::Debug for CommunityPlan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CommunityPlan").field("name", &"<secret>").finish_non_exhaustive()
    }
}

impl FreshnessPlan {
    /// How fresh a group must be.
    pub fn of(&self, group: &str) -> Freshness {
        self.groups.get(group).copied().unwrap_or(self.default)
    }
}

impl Network {
    /// Whether an address is in the range; an IPv4 address mapped into IPv6 counts as IPv4.
    pub fn contains(&self, address: IpAddr) -> bool {
        let bits = |address: IpAddr| match address.to_canonical() {
            IpAddr::V4(v4) => (u128::from(u32::from(v4)) << 96, 4),
            IpAddr::V6(v6) => (u128::from(v6), 6),
        };
        let ((own, own_family), (other, other_family)) = (bits(self.address), bits(address));
        let shift = 128 - u32::from(self.prefix);
        own_family == other_family && (own ^ other).checked_shr(shift).unwrap_or(0) == 0
    }

    fn parse(text: &str) -> Result<Self, String> {
        let (address, prefix) = text.split_once('/').map_or((text, None), |(a, p)| (a, Some(p)));
        let address: IpAddr = address.parse().map_err(|_| {
            format!("{address:?} is no address; expected an address or a network such as \"192.0.2.0/24\"")
        })?;
        let most = if address.is_ipv4() { 32 } else { 128 };
        let prefix = match prefix {
            None => most,
            Some(text) => text
                .parse::<u8>()
                .ok()
                .filter(|prefix| *prefix <= most)
                .ok_or_else(|| format!("prefix length {text:?} is not in 0 to {most}"))?,
        };
        Ok(Network { address, prefix })
    }
}

/// The second stage.
pub(super) fn check(raw: raw::Config, place: Place<'_>) -> Result<Plan, WrongConfig> {
    let default = Plan::default();
    let log = raw.agent.log.map_or(Ok(default.log), |log| check_log(log, place))?;
    Ok(Plan {
        user: raw.agent.user.map(Spanned::into_inner),
        state: raw.agent.state.map(|state| PathBuf::from(state.into_inner())),
        log,
        system: check_system(raw.system, place)?,
        snmp: check_snmp(raw.snmp, place)?,
        freshness: check_freshness(raw.freshness, place)?,
    })
}

fn check_log(log: Spanned<String>, place: Place<'_>) -> Result<String, WrongConfig> {
    let span = log.span();
    let text = log.into_inner();
    match text.parse::<tracing_subscriber::filter::EnvFilter>() {
        Ok(_) => Ok(text),
        Err(error) => Err(place.wrong(
            span,
            format!("{error}; expected error, warn, info, debug or trace, or MODULE=LEVEL,..."),
        )),
    }
}

fn check_system(raw: raw::System, place: Place<'_>) -> Result<SystemPlan, WrongConfig> {
    let text = |key: &str, value: Option<Spanned<String>>| match value {
        Some(value) if value.get_ref().len() > 255 => Err(place.wrong(
            value.span(),
            format!("{key} has {} octets, expected at most 255", value.get_ref().len()),
        )),
        value => Ok(value.map(Spanned::into_inner)),
    };
    let services = raw.services.map(|services| number(&services, 0, 127, place)).transpose()?;
    Ok(SystemPlan {
        contact: text("contact", raw.contact)?,
        name: text("name", raw.name)?,
        location: text("location", raw.location)?,
        description: text("description", raw.description)?,
        services: services.map(|services| services as u8),
    })
}

fn check_snmp(raw: raw::Snmp, place: Place<'_>) -> Result<SnmpPlan, WrongConfig> {
    let default = Plan::default().snmp;
    let listen = match raw.listen {
        None => default.listen,
        Some(list) => check_listen(list, place)?,
    };
    let communities = match raw.community {
        None => default.communities,
        Some(list) => check_communities(list, place)?,
    };
    let size = raw.max_message_size.map(|size| number(&size, 484, MAX_MESSAGE_SIZE, place)).transpose()?;
    let bindings = raw.max_bindings.map(|most| number(&most, 1, 1_000_000, place)).transpose()?;
    Ok(SnmpPlan {
        listen,
        communities,
        max_message_size: size.unwrap_or(default.max_message_size),
        max_bindings: bindings.unwrap_or(default.max_bindings),
        tcp: check_tcp(raw.tcp, place)?,
    })
}

fn check_listen(
    list: Spanned<Vec<Spanned<String>>>,
    place: Place<'_>,
) -> Result<Vec<ListenUrl>, WrongConfig> {
    if list.get_ref().is_empty() {
        let message = "expected at least one address, such as \"udp://127.0.0.1:1161\"";
        return Err(place.wrong(list.span(), message.into()));
    }
    let mut listen: Vec<ListenUrl> = Vec::new();
    for text in list.into_inner() {
        let url = text.get_ref().parse().map_err(|error| place.wrong(text.span(), format!("{error}")))?;
        if listen.contains(&url) {
            return Err(place.wrong(text.span(), format!("{url} stands twice")));
        }
        listen.push(url);
    }
    Ok(listen)
}

fn check_communities(list: Vec<raw::Community>, place: Place<'_>) -> Result<Vec<CommunityPlan>, WrongConfig> {
    let mut communities: Vec<CommunityPlan> = Vec::new();
    for raw in list {
        let span = raw.name.span();
        let community = check_community(raw, place)?;
        // Without sources, or with the same ones, the second entry could never be reached.
        let reachable = |known: &CommunityPlan| known.name != community.name || !known.sources.is_empty();
        if !communities.iter().all(reachable) {
            let message = "this community stands twice; the first one would always be taken".into();
            return Err(place.wrong(span, message));
        }
        communities.push(community);
    }
    Ok(communities)
}

fn check_community(raw: raw::Community, place: Place<'_>) -> Result<CommunityPlan, WrongConfig> {
    let length = raw.name.get_ref().len();
    if length == 0 || length > 255 {
        let found = if length == 0 { "is empty".into() } else { format!("has {length} octets") };
        return Err(place.wrong(raw.name.span(), format!("the name {found}, expected 1 to 255 octets")));
    }
    let view = match raw.view {
        None => View::everything(),
        Some(subtrees) => check_view(subtrees, place)?,
    };
    let write = match raw.access.get_ref().as_str() {
        "read" => View::NOTHING,
        "write" => view.clone(),
        other => {
            let message = format!("unknown access {other:?}, expected \"read\" or \"write\"");
            return Err(place.wrong(raw.access.span(), message));
        }
    };
    let network = |text: Spanned<String>| {
        Network::parse(text.get_ref()).map_err(|message| place.wrong(text.span(), message))
    };
    let sources = raw.sources.unwrap_or_default().into_iter().map(network).collect::<Result<_, _>>()?;
    Ok(CommunityPlan { name: raw.name.into_inner().into_bytes(), read: view, write, sources })
}

/// Subtrees; with `-` in front they are taken away.
fn check_view(subtrees: Vec<Spanned<String>>, place: Place<'_>) -> Result<View, WrongConfig> {
    subtrees.into_iter().try_fold(View::NOTHING, |view, text| {
        let (exclude, oid) = match text.get_ref().strip_prefix('-') {
            Some(oid) => (true, oid),
            None => (false, text.get_ref().as_str()),
        };
        let oid: Oid = oid.parse().map_err(|error| {
            let message = format!("{:?} is no subtree: {error} (a leading '-' excludes)", text.get_ref());
            place.wrong(text.span(), message)
        })?;
        Ok(if exclude { view.exclude(oid) } else { view.include(oid) })
    })
}

fn check_tcp(raw: raw::Tcp, place: Place<'_>) -> Result<TcpPlan, WrongConfig> {
    let default = TcpPlan::default();
    let count = |value: Option<Spanned<i64>>, default: usize| match value {
        Some(value) => number(&value, 1, 1_000_000, place),
        None => Ok(default),
    };
    let time = |value: Option<Spanned<String>>, default: Duration| match value {
        Some(value) => duration(value.get_ref()).filter(|time| !time.is_zero()).ok_or_else(|| {
            let message =
                format!("{:?} is no time, expected such as \"30s\", from 1ms to 8760h", value.get_ref());
            place.wrong(value.span(), message)
        }),
        None => Ok(default),
    };
    Ok(TcpPlan {
        max_connections: count(raw.max_connections, default.max_connections)?,
        max_connections_per_peer: count(raw.max_connections_per_peer, default.max_connections_per_peer)?,
        max_in_flight: count(raw.max_in_flight, default.max_in_flight)?,
        idle_timeout: time(raw.idle_timeout, default.idle_timeout)?,
        message_timeout: time(raw.message_timeout, default.message_timeout)?,
        write_timeout: time(raw.write_timeout, default.write_timeout)?,
    })
}

fn check_freshness(
    raw: BTreeMap<Spanned<String>, Spanned<String>>,
    place: Place<'_>,
) -> Result<FreshnessPlan, WrongConfig> {
    let known = crate::machine::group_names();
    let mut plan = FreshnessPlan::default();
    for (key, value) in raw {
        let freshness = parse_freshness(value.get_ref()).ok_or_else(|| {
            let message = format!(
                "{:?} is no freshness, expected \"per-object\", \"per-request\" or the greatest age, \
                 such as \"500ms\" or \"10s\"",
                value.get_ref()
            );
            place.wrong(value.span(), message)
        })?;
        match key.get_ref().as_str() {
            "default" => plan.default = freshness,
            name if known.contains(&name) => {
                plan.groups.insert(key.into_inner(), freshness);
            }
            name => {
                let message = format!("unknown group {name:?}, expected default, {}", known.join(", "));
                return Err(place.wrong(key.span(), message));
            }
        }
    }
    Ok(plan)
}

fn parse_freshness(text: &str) -> Option<Freshness> {
    match text {
        "per-object" => Some(Freshness::PerObject),
        "per-request" => Some(Freshness::PerRequest),
        age => duration(age.strip_prefix("max-age ").unwrap_or(age)).map(Freshness::MaxAge),
    }
}

/// A number and a unit: ms, s, m or h; a year at most, so that it can be added to any moment.
fn duration(text: &str) -> Option<Duration> {
    let digits = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(digits);
    let unit = match unit.trim() {
        "ms" => 1,
        "s" => 1000,
        "m" => 60_000,
        "h" => 3_600_000,
        _ => return None,
    };
    let time = Duration::from_millis(number.parse::<u64>().ok()?.checked_mul(unit)?);
    (time <= LONGEST_TIME).then_some(time)
}

fn number(value: &Spanned<i64>, min: i64, max: i64, place: Place<'_>) -> Result<usize, WrongConfig> {
    let found = *value.get_ref();
    if (min..=max).contains(&found) {
        return Ok(found as usize);
    }
    let span: Range<usize> = value.span();
    Err(place.wrong(span, format!("{found} is out of range, expected {min} to {max}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_contain_their_addresses() {
        let inside = |network: &str, address: &str| {
            Network::parse(network).unwrap().contains(address.parse().unwrap())
        };
        assert!(inside("10.0.0.0/8", "10.255.0.1"));
        assert!(!inside("10.0.0.0/8", "11.0.0.1"));
        assert!(inside("0.0.0.0/0", "192.0.2.1"));
        assert!(!inside("0.0.0.0/0", "2001:db8::1"));
        assert!(inside("127.0.0.1", "127.0.0.1"));
        assert!(inside("10.0.0.0/8", "::ffff:10.1.2.3"));
        assert!(inside("2001:db8::/32", "2001:db8:5::1"));
        assert!(!inside("2001:db8::/32", "2001:db9::1"));
    }

    #[test]
    fn freshness_has_three_forms() {
        assert_eq!(parse_freshness("per-object"), Some(Freshness::PerObject));
        assert_eq!(parse_freshness("250ms"), Some(Freshness::MaxAge(Duration::from_millis(250))));
        assert_eq!(parse_freshness("max-age 1s"), Some(Freshness::MaxAge(Duration::from_secs(1))));
        assert_eq!(parse_freshness("1"), None);
        assert_eq!(parse_freshness("8760h"), Some(Freshness::MaxAge(LONGEST_TIME)));
        assert_eq!(parse_freshness("8761h"), None);
    }
}
