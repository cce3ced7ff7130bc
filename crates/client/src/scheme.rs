//! The schemes of URLs: which protocol each means over which transport, at which port. Help texts, error texts and the
//! table of the README come from this list; [`open`](crate::open) opens a session by it.

use trunkline_transport::{Protocol, Transport, Url};

/// A scheme of agents' URLs.
#[derive(Clone, Copy, Debug)]
pub struct Scheme {
    /// What stands before `://`.
    pub name: &'static str,
    /// Whose messages pass.
    pub language: Language,
    /// What carries them.
    pub transport: Transport,
    /// The port where a URL has none (RFC 3417, RFC 6353, RFC 5592, RFC 9110).
    pub port: u16,
    /// What stands before the `@` of a URL, or authenticates without it.
    pub who: &'static str,
}

/// Whose messages pass in a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// SNMP, over HTTP inside SOAP.
    Snmp,
    /// The operations of the SOAP service.
    Soap,
}

const fn snmp(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Snmp, Protocol::Snmp.port(transport), transport, who)
}

const fn soap(name: &'static str, transport: Transport, who: &'static str) -> Scheme {
    scheme(name, Language::Soap, Protocol::Http.port(transport), transport, who)
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
];

impl Scheme {
    /// The scheme of a URL. `None` for another scheme, and for a text without one.
    #[must_use]
    pub fn of(text: &str) -> Option<&'static Scheme> {
        Self::named(Url::split(text)?.scheme)
    }

    /// The scheme with this name; capitals do not matter.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Scheme> {
        SCHEMES.iter().find(|scheme| scheme.name.eq_ignore_ascii_case(name))
    }

    /// What carries it, where this is its language.
    pub(crate) fn transport_of(&self, language: Language) -> Option<Transport> {
        (self.language == language).then_some(self.transport)
    }

    /// The names of those in a language, or of all: `snmp, snmp+udp or snmp+tcp`.
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
