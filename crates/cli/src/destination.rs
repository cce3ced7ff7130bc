//! From a word of the command line, or a line of a file, to an agent with the options that hold for it.

use std::net::{IpAddr, Ipv4Addr};
use std::path::Path;

use trunkline_client::{Defaults, NetconfTarget, SoapTarget, Target, TargetError};
use trunkline_jmxclient::JmxTarget;
use trunkline_login::targets::{Chosen, Keeper, Targets, read_hosts};

use crate::arguments::targets::FailIf;
use crate::arguments::{SessionArgs, TargetArg, TargetsArgs};
use crate::error::Error;

/// An agent to ask.
#[derive(Clone, Debug)]
pub struct Destination {
    /// What output calls it.
    pub label: String,
    /// A URL or Net-SNMP's form.
    pub address: String,
    /// The options that hold for it.
    pub session: SessionArgs,
}

impl Destination {
    /// Whether both are the same question to the same agent.
    pub fn is_same(&self, other: &Destination) -> bool {
        (&self.label, &self.address) == (&other.label, &other.address)
    }
}

/// The named targets, and the options of the command line.
pub struct Directory<'s> {
    targets: Targets,
    session: &'s SessionArgs,
    keeper: Keeper,
}

impl<'s> Directory<'s> {
    /// Reads the file of targets.
    pub fn open(session: &'s SessionArgs) -> Result<Self, Error> {
        let targets = Targets::read(session.config.as_deref())?;
        Ok(Directory { targets, session, keeper: Keeper::default() })
    }

    /// How many agents the file asks at the same time.
    pub fn parallel(&self) -> Option<usize> {
        self.targets.defaults.parallel
    }

    /// Whether a word that may be an object is written as an agent is.
    pub fn is_target(&self, word: &str) -> bool {
        // Object identifiers begin with 0, 1 or 2.
        let is_oid = word.parse::<Ipv4Addr>().is_ok_and(|address| address.octets()[0] <= 2);
        self.targets.knows(word)
            || JmxTarget::is_meant(word)
            || (is_target(word) && !is_oid && !word.contains('='))
    }

    /// The agents that a word names. `name` is what output calls a single one.
    pub fn choose(&self, word: &str, name: Option<&str>) -> Result<Vec<Destination>, Error> {
        let chosen = self.targets.choose(word)?;
        chosen.into_iter().map(|chosen| self.destination(chosen, name)).collect()
    }

    /// The agents of a file.
    pub fn hosts(&self, path: &Path) -> Result<Vec<Destination>, Error> {
        let lines = read_hosts(path)?;
        let all = lines.iter().map(|host| {
            let chosen = self.choose(&host.target, host.name.as_deref())?;
            let is_written_here = |one: &&Destination| one.address == host.target;
            match chosen.iter().find(is_written_here).and_then(|one| malformed(&one.address)) {
                Some(fault) => Err(Error::Usage(format!("{}:{}: {fault}", path.display(), host.line))),
                None => Ok(chosen),
            }
        });
        Ok(all.collect::<Result<Vec<_>, _>>()?.concat())
    }

    fn destination(&self, chosen: Chosen, name: Option<&str>) -> Result<Destination, Error> {
        let Chosen { label, address, settings } = chosen;
        let mut session = self.session.clone();
        session.login = self.targets.login(&settings, &session.login, &self.keeper)?;
        let defaults = &self.targets.defaults;
        session.timeout = session.timeout.or(settings.timeout).or(defaults.timeout);
        session.retries = session.retries.or(settings.retries).or(defaults.retries);
        let label = name.map_or(label, str::to_owned);
        Ok(Destination { label, address, session })
    }
}

impl TargetArg {
    /// The agent with the options that hold for it.
    pub fn destination(&self, session: &SessionArgs) -> Result<Destination, Error> {
        let directory = Directory::open(session)?;
        let mut chosen = directory.choose(&self.target, None)?;
        match (chosen.pop(), chosen.len()) {
            (Some(one), 0) => Ok(one),
            (None, _) => Err(Error::Usage(format!("{} is a group without members", self.target))),
            (Some(_), others) => {
                let words =
                    format!("{} is a group of {} agents: this command asks one", self.target, others + 1);
                Err(Error::Usage(words))
            }
        }
    }
}

/// The agents of a command, and the words that follow them.
#[derive(Debug)]
pub struct Asked {
    /// The agents.
    pub destinations: Vec<Destination>,
    /// The words behind them.
    pub words: Vec<String>,
    /// Whether output names the agent: there may be more than one.
    pub are_many: bool,
    /// How many are asked at the same time.
    pub parallel: usize,
    /// When the command fails.
    pub fail_if: FailIf,
}

impl Asked {
    /// Whether there is a single agent, and never more.
    pub fn is_one(&self) -> bool {
        self.destinations.len() == 1 && !self.are_many
    }
}

/// How many agents are asked at the same time, if nothing says otherwise.
const PARALLEL: usize = 50;

impl TargetsArgs {
    /// Separates agents from what follows them: the first word is an agent, unless --hosts names agents; further ones are
    /// agents as long as they are written so.
    pub fn read(&self, session: &SessionArgs, rest: &[String]) -> Result<Asked, Error> {
        self.read_while(session, rest, |directory, word| directory.is_target(word))
    }

    /// The same for a command that has agents only: every word is one.
    pub fn read_all(&self, session: &SessionArgs, rest: &[String]) -> Result<Asked, Error> {
        self.read_while(session, rest, |_, _| true)
    }

    fn read_while(
        &self,
        session: &SessionArgs,
        rest: &[String],
        is_target: fn(&Directory<'_>, &str) -> bool,
    ) -> Result<Asked, Error> {
        let directory = Directory::open(session)?;
        let mut words = self.target.iter().chain(rest).peekable();
        let mut destinations: Vec<Destination> = Vec::new();
        let mut add = |more: Vec<Destination>| {
            for one in more {
                if !destinations.iter().any(|other| other.is_same(&one)) {
                    destinations.push(one);
                }
            }
        };
        let mut are_many = false;
        if let Some(file) = &self.hosts {
            add(directory.hosts(file)?);
            are_many = true;
        } else {
            let first = words.next();
            let missing =
                "no agent is given: name one, as in `trunkline get 192.0.2.1 sysUpTime.0`, or --hosts FILE";
            let first = first.ok_or_else(|| Error::Usage(missing.to_owned()))?;
            are_many |= first.starts_with('@');
            add(directory.choose(first, None)?);
        }
        while let Some(word) = words.next_if(|word| is_target(&directory, word)) {
            are_many = true;
            add(directory.choose(word, None)?);
        }
        if destinations.is_empty() {
            return Err(Error::Usage("no agent is left to ask: the file or the group is empty".to_owned()));
        }
        let parallel = self.parallel.or(directory.parallel()).unwrap_or(PARALLEL);
        let fail_if = self.fail_if.unwrap_or_default();
        Ok(Asked { destinations, words: words.cloned().collect(), are_many, parallel, fail_if })
    }
}

/// What is wrong with the host or the port of an agent of SNMP, whatever the credentials are.
fn malformed(address: &str) -> Option<TargetError> {
    use TargetError::{Authority, Brackets, NoHost, NoScheme, Port, Scheme, Transport};
    let is_of_others = [SoapTarget::is_meant, NetconfTarget::is_meant, JmxTarget::is_meant];
    if is_of_others.iter().any(|is_meant| is_meant(address)) {
        return None;
    }
    let fault = Target::parse(address, &Defaults::default()).err()?;
    let is_form = matches!(
        fault,
        Authority(_)
            | Brackets { .. }
            | NoHost { .. }
            | NoScheme { .. }
            | Port { .. }
            | Scheme { .. }
            | Transport { .. }
    );
    is_form.then_some(fault)
}

/// Whether a text that is not an object is written as an agent is: a URL, an address, or a host with a port.
pub fn is_target(text: &str) -> bool {
    let is_port = |port: &str| !port.is_empty() && port.bytes().all(|octet| octet.is_ascii_digit());
    let has_port = text.rsplit_once(':').is_some_and(|(host, port)| !host.ends_with(':') && is_port(port));
    text.contains("://") || text.parse::<IpAddr>().is_ok() || has_port
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn agents_are_distinguished_from_objects() {
        for agent in ["snmp://x/sysName.0", "::1", "2001:db8::1", "router:161", "127.0.0.1:161"] {
            assert!(is_target(agent), "{agent}");
        }
        for object in ["IF-MIB::ifDescr.2", "1.3.6.1.2", "sysName.0", "nonsense", "IF-MIB::2"] {
            assert!(!is_target(object), "{object}");
        }
    }
}
