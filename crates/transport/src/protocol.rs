//! Which port a protocol uses over which transport. Nothing else is known about protocols here.

use crate::Transport;

/// The protocol spoken over a transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// SNMP; over HTTP inside SOAP.
    Snmp,
    /// HTTP and the protocols inside it (SOAP, selections), at HTTP's own ports.
    Http,
    /// NETCONF (RFC 6241), over SSH, TLS or plain TCP.
    Netconf,
    /// JMX over RMI, over TCP or TLS: registry and connections at one port.
    Jmx,
}

impl Protocol {
    /// The default port of agents; `None` if the protocol does not run over the transport. RFC 3417 section 3.1,
    /// RFC 3430 section 2.4, RFC 6353 section 10, RFC 5592 section 8, RFC 9110 section 4.2, RFC 6242 section 7, RFC 7589
    /// section 7. No port is registered for NETCONF over plain TCP: 8830 is ours. JMX has the port of
    /// RMI's registry, with TLS or without.
    #[must_use]
    pub const fn port(self, transport: Transport) -> Option<u16> {
        match (self, transport) {
            (Self::Snmp, Transport::Udp | Transport::Tcp) => Some(161),
            (Self::Snmp, Transport::Tls | Transport::Dtls) => Some(10161),
            (Self::Snmp, Transport::Ssh) => Some(5161),
            (Self::Netconf, Transport::Ssh) => Some(830),
            (Self::Netconf, Transport::Tls) => Some(6513),
            (Self::Netconf, Transport::Tcp) => Some(8830),
            (Self::Jmx, Transport::Tcp | Transport::Tls) => Some(1099),
            (Self::Netconf | Self::Jmx, _) => None,
            (_, Transport::Http) => Some(80),
            (_, Transport::Https) => Some(443),
            (Self::Http, _) => None,
        }
    }

    /// The default port of notification receivers: for SNMP the one after that of agents; the others have no other one.
    #[must_use]
    pub const fn notification_port(self, transport: Transport) -> Option<u16> {
        match (self.port(transport), transport) {
            (port, _) if matches!(self, Self::Netconf | Self::Jmx) => port,
            (Some(port), Transport::Http | Transport::Https) => Some(port),
            (Some(port), _) => Some(port + 1),
            (None, _) => None,
        }
    }
}

/// The name of SNMP's SSH subsystem (RFC 5592 section 3.1.1).
pub const SNMP_SUBSYSTEM: &str = "snmp";
/// The name of NETCONF's SSH subsystem (RFC 6242 section 3).
pub const NETCONF_SUBSYSTEM: &str = "netconf";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ports_are_those_of_the_registry() {
        let snmp = Transport::ALL.map(|transport| Protocol::Snmp.port(transport).unwrap());
        assert_eq!(snmp, [161, 161, 10161, 10161, 5161, 80, 443]);
        let receivers = Transport::ALL.map(|transport| Protocol::Snmp.notification_port(transport).unwrap());
        assert_eq!(receivers, [162, 162, 10162, 10162, 5162, 80, 443]);
        let web: Vec<_> =
            Transport::ALL.into_iter().filter_map(|transport| Protocol::Http.port(transport)).collect();
        assert_eq!(web, [80, 443]);
        let netconf: Vec<_> =
            Transport::ALL.into_iter().filter_map(|transport| Protocol::Netconf.port(transport)).collect();
        assert_eq!(netconf, [8830, 6513, 830]);
        let jmx: Vec<_> =
            Transport::ALL.into_iter().filter_map(|transport| Protocol::Jmx.port(transport)).collect();
        assert_eq!(jmx, [1099, 1099]);
    }
}
