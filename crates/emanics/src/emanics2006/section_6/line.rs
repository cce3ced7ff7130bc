//! The lines of the figures: in which protocol agents are asked, and who they are.

use std::fmt;
use std::num::NonZeroU32;

use trunkline_labkit::protocol::{Level, Mode, Protocol, Security, SnmpVersion, Suite};
use trunkline_labkit::transport::Transport;

/// A line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Line {
    /// The simulated fleet over UDP, our agent in sessions.
    Ours(Protocol),
    /// JMX over RMI, of MBean servers in a JVM.
    Jvm(Collector),
    /// JMX over RMI, of our agent.
    Jmx,
}

/// How the JVM collects garbage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Collector {
    /// As it does by default.
    Usual,
    /// Everything stops, each time that RMI's distributed collector wants it, as in the deliverable.
    Serial,
    /// At the same times, beside the program.
    Z,
}

/// The lines of groups.
pub(super) const LINES: [Line; 9] = [
    Line::Ours(Protocol::v2c(Transport::Udp)),
    Line::Ours(Protocol::usm(Transport::Udp, Level::AuthPriv, Suite::Modern)),
    Line::Ours(Protocol::session(SnmpVersion::V3, Transport::Tls, Mode::Secure)),
    Line::Ours(Protocol::session(SnmpVersion::V3, Transport::Ssh, Mode::Secure)),
    Line::Ours(SOAP),
    Line::Ours(Protocol::netconf(Transport::Tcp)),
    Line::Ours(Protocol::netconf(Transport::Ssh)),
    Line::Jvm(Collector::Usual),
    Line::Jmx,
];

/// The lines of one agent, two of them with what figure 6.1 shows.
pub(super) const OF_ONE: [Line; 10] = [
    LINES[0],
    LINES[1],
    LINES[2],
    LINES[3],
    LINES[4],
    LINES[5],
    LINES[6],
    Line::Jmx,
    Line::Jvm(Collector::Serial),
    Line::Jvm(Collector::Z),
];

const SOAP: Protocol =
    Protocol { version: SnmpVersion::Soap, transport: Transport::Http, security: Security::Community };

impl Line {
    /// Whether it is asked over one socket, and its agents are the simulated fleet.
    pub(super) fn is_fleet(self) -> bool {
        matches!(self, Line::Ours(Protocol { transport: Transport::Udp, .. }))
    }

    /// Whether it is SNMPv3, whose agents have engines.
    pub(super) fn has_engines(self) -> bool {
        matches!(self, Line::Ours(Protocol { version: SnmpVersion::V3, .. }))
    }

    /// How many requests a session carries at a time: SNMP many, RMI one in a connection, HTTP and NETCONF of our client one.
    pub(super) fn under_way(self) -> NonZeroU32 {
        match self {
            Line::Ours(Protocol { version: SnmpVersion::Soap | SnmpVersion::Netconf, .. })
            | Line::Jvm(_)
            | Line::Jmx => NonZeroU32::MIN,
            Line::Ours(_) => NonZeroU32::MIN.saturating_add(63),
        }
    }

    /// The largest group. Over UDP each agent is an address; a session needs a port of the loopback and some memory.
    pub(super) fn most_agents(self) -> u32 {
        if self.is_fleet() { u32::MAX } else { MOST_SESSIONS }
    }

    /// The operation, as metrics are named.
    pub(super) const fn operation(self) -> &'static str {
        match self {
            Line::Ours(_) => "Get",
            Line::Jvm(_) | Line::Jmx => "GetAttribute",
        }
    }

    /// As in a URL.
    pub(super) fn scheme(self) -> String {
        let Line::Ours(protocol) = self else { return "jmx".into() };
        let (language, usual) = match protocol.version {
            SnmpVersion::Soap => ("soap", None),
            SnmpVersion::Netconf => ("netconf", Some(Transport::Ssh)),
            _ => ("snmp", Some(Transport::Udp)),
        };
        match protocol.transport {
            transport if Some(transport) == usual => language.to_owned(),
            transport => format!("{language}+{}", transport.to_string().to_lowercase()),
        }
    }
}

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Line::Ours(protocol) => protocol.fmt(f),
            Line::Jvm(Collector::Usual) => f.pad("jmx/RMI"),
            Line::Jvm(Collector::Serial) => f.pad("jmx/RMI, serial collector"),
            Line::Jvm(Collector::Z) => f.pad("jmx/RMI, Z collector"),
            Line::Jmx => f.pad("jmx/RMI, trunklined"),
        }
    }
}

impl Collector {
    /// Options of the JVM, and megabytes of objects that it has to look at.
    pub(super) fn options(self) -> (Vec<String>, u32) {
        let each = |name: &str| format!("-Dsun.rmi.dgc.{name}.gcInterval={EACH_MS}");
        let regular = |option: &str| vec![option.to_owned(), each("server"), each("client")];
        match self {
            Collector::Usual => (vec![], 0),
            Collector::Serial => (regular("-XX:+UseSerialGC"), BALLAST),
            Collector::Z => (regular("-XX:+UseZGC"), BALLAST),
        }
    }
}

/// The largest group whose agents need a session each.
pub(in super::super) const MOST_SESSIONS: u32 = 2_000;
/// Milliseconds between two collections, a minute in the deliverable: so that a short run has some.
pub(super) const EACH_MS: u32 = 2_000;
/// Megabytes.
const BALLAST: u32 = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_have_names_of_their_own() {
        let schemes =
            ["snmp", "snmp", "snmp+tls", "snmp+ssh", "soap+http", "netconf+tcp", "netconf", "jmx", "jmx"];
        assert_eq!(LINES.map(Line::scheme), schemes);
        let mut names: Vec<String> = LINES.iter().chain(&OF_ONE[8..]).map(ToString::to_string).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), 11);
        // All of them ask for one agent, but for the JVM with its usual collector.
        assert!(LINES.iter().all(|line| OF_ONE.contains(line) || *line == Line::Jvm(Collector::Usual)));
        assert!(LINES.iter().all(|line| line.is_fleet() || line.most_agents() <= MOST_SESSIONS));
        assert_eq!(LINES.iter().filter(|line| line.is_fleet()).count(), 2);
        assert!(LINES[1].has_engines() && LINES[2].has_engines() && !LINES[7].has_engines());
        let serial = Collector::Serial.options().0;
        assert!(serial[0].contains("Serial") && serial[1].ends_with("=2000"), "{serial:?}");
    }
}
