//! URL schemes: the protocol, transport and port of each. Help texts, error texts and the README's table are
//! generated from this list; [`open`](crate::open) opens a session by it.

use trunkline_transport::{Protocol, Transport, Url};

/// A URL scheme for agents.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// The part before `://`.
    pub name: &'static str,
    /// The protocol.
    pub language: Language,
    /// The transport.
    pub transport: Transport,
    /// The default port (RFC 3417, RFC 6353, RFC 5592, RFC 9110, RFC 6242, RFC 7589).
    pub port: u16,
    /// The part before the `@` of a URL, or what authenticates without it.
    pub who: &'static str,
}

/// The protocol spoken in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// SNMP; over HTTP inside SOAP.
    Snmp,
    /// The operations of the SOAP service.
    Soap,
    /// NETCONF, and RESTCONF, which carries what reads and edits.
    Netconf,
}

const fn snmp(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Snmp, Protocol::Snmp.port(transport), transport, who)
}

const fn soap(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Soap, Protocol::Http.port(transport), transport, who)
}

const fn netconf(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Netconf, Protocol::Netconf.port(transport), transport, who)
}

const fn restconf(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Netconf, Protocol::Http.port(transport), transport, who)
}

const fn scheme(
    name: &'static str,
    language: Language,
    port: Option<u16>,
    transport: Transport,
    who: &'static str,
) -> Scheme {
    let port = match port {
        Some(port) => port,
        None => 0,
    };
    Scheme { name, language, transport, port, who }
}

/// Every scheme.
pub const SCHEMES: &[Scheme] = &[
    snmp("snmp", Transport::Udp, "community, or user (SNMPv3)"),
    snmp("snmp+udp", Transport::Udp, "community, or user (SNMPv3)"),
    snmp("snmp+tcp", Transport::Tcp, "community, or user (SNMPv3)"),
    snmp("snmp+tls", Transport::Tls, "the certificate"),
    snmp("snmp+dtls", Transport::Dtls, "the certificate"),
    snmp("snmp+ssh", Transport::Ssh, "SSH user"),
    snmp("snmp+http", Transport::Http, "community, or user (SNMPv3)"),
    snmp("snmp+https", Transport::Https, "the certificate, or the HTTP user"),
    soap("soap+http", Transport::Http, "community, or HTTP user with password"),
    soap("soap+https", Transport::Https, "the certificate, community, or HTTP user with password"),
    netconf("netconf", Transport::Ssh, "SSH user"),
    netconf("netconf+tls", Transport::Tls, "the certificate"),
    netconf("netconf+tcp", Transport::Tcp, "nothing"),
    restconf("restconf+http", Transport::Http, "HTTP user with password"),
    restconf("restconf+https", Transport::Https, "the certificate, or HTTP user with password"),
];

impl Scheme {
    /// The scheme of a URL. `None` for an unknown scheme, and for a text without one.
    #[must_use]
    pub fn of(text: &str) -> Option<&'static Scheme> {
        Self::named(Url::split(text)?.scheme)
    }

    /// The scheme with this name, in upper or lower case.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Scheme> {
        SCHEMES.iter().find(|scheme| scheme.name.eq_ignore_ascii_case(name))
    }

    /// The transport, if the scheme speaks this language.
    pub(crate) fn transport_of(&self, language: Language) -> Option<Transport> {
        (self.language == language).then_some(self.transport)
    }

    /// The names of the schemes of a language, or of all: `snmp, snmp+udp or snmp+tcp`.
    #[must_use]
    pub fn names(language: Option<Language>) -> String {
        let is_it = |scheme: &&Scheme| language.is_none_or(|language| scheme.language == language);
        let names: Vec<&str> = SCHEMES.iter().filter(is_it).map(|scheme| scheme.name).collect();
        match names.split_last() {
            Some((last, [])) => (*last).to_owned(),
            Some((last, before)) => format!("{} or {last}", before.join(", ")),
            None => String::new(),
        }
    }
}
