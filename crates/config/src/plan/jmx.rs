//! The door of JMX: `[jmx]`.

use std::ops::Range;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_transport::{ListenUrl, Protocol, Transport};

use super::community::CommunityName;
use super::snmp::listen_urls;
use super::value::{self, Checked};
use crate::{Place, raw};

/// JMX over RMI, over TCP and TLS. Certificates, principals and limits of connections are those of `[snmp]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JmxPlan {
    /// Where to listen.
    pub listen: Vec<ListenUrl>,
    /// The name or address in references, to which clients connect; `None`: the address to which they have connected.
    pub host: Option<String>,
    /// Whose rights clients without a certificate and without a password have; `None`: they are refused.
    pub community: Option<CommunityName>,
    /// A connection that is not used and not renewed for this long is over.
    pub lease: Duration,
    /// The longest request of a client that is known, in octets.
    pub max_request: usize,
}

impl Default for JmxPlan {
    fn default() -> Self {
        JmxPlan {
            listen: Vec::new(),
            host: None,
            community: None,
            lease: Duration::from_secs(600),
            max_request: 4 << 20,
        }
    }
}

impl JmxPlan {
    /// Whether it serves over TLS.
    pub fn has_tls(&self) -> bool {
        self.listen.iter().any(|url| url.transport == Transport::Tls)
    }
}

/// The position of the first listener that needs a certificate.
pub(super) fn needs_certificate(raw: Option<&raw::Jmx>) -> Option<Range<usize>> {
    let mut listen = raw?.listen.iter().flat_map(|list| list.get_ref());
    listen.find(|text| text.get_ref().starts_with("tls://")).map(Spanned::span)
}

pub(super) fn check_jmx(raw: raw::Jmx, place: Place<'_>) -> Checked<JmxPlan> {
    let default = JmxPlan::default();
    let spans: Vec<_> = raw.listen.iter().flat_map(|list| list.get_ref().iter().map(Spanned::span)).collect();
    let listen = match raw.listen {
        None => Vec::new(),
        Some(list) if list.get_ref().is_empty() => Vec::new(),
        Some(list) => listen_urls(list, Protocol::Jmx, place)?,
    };
    for (url, span) in listen.iter().zip(spans) {
        if !matches!(url.transport, Transport::Tls | Transport::Tcp) {
            let message = format!("JMX runs over tcp:// and tls://, not over {}", url.transport);
            return Err(place.wrong(span, message));
        }
    }
    let is_part = |it: char| it.is_ascii_alphanumeric() || ".-_:%".contains(it);
    let host = match raw.host {
        Some(host) if host.get_ref().is_empty() || !host.get_ref().chars().all(is_part) => {
            let message = format!("{:?} is not the name or the address of a host", host.get_ref());
            return Err(place.wrong(host.span(), message));
        }
        Some(host) => Some(value::length(&host, 255, place)?),
        None => None,
    };
    let max_request = match &raw.max_request_size {
        Some(value) => value::number(value, 65_536, 1 << 28, place)?,
        None => default.max_request,
    };
    Ok(JmxPlan {
        listen,
        host,
        community: raw.community.map(|name| CommunityName::of(&name)),
        lease: value::time(raw.lease, default.lease, place)?,
        max_request,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::Plan;

    fn check(text: &str) -> Result<Plan, (usize, String)> {
        crate::parse(Path::new("t.toml"), text).map_err(|error| (error.line, error.message))
    }

    #[test]
    fn jmx_is_served_where_a_section_says_so() {
        assert_eq!(check("").unwrap().jmx, None);
        assert_eq!(check("[jmx]").unwrap().jmx, Some(JmxPlan::default()));
        let plan = check(
            "[jmx]\nlisten = [\"tcp://127.0.0.1\"]\nhost = \"agent.example.net\"\nlease = \"5m\"\n\
             max-request-size = 100000\ncommunity = \"public\"",
        );
        let plan = plan.unwrap();
        // Nobody proves anything with a certificate there.
        assert!(!plan.has_sessions());
        assert_eq!(
            plan.listeners().last().map(|(protocol, url)| (protocol, url.port)),
            Some((Protocol::Jmx, 1099))
        );
        let jmx = plan.jmx.unwrap();
        assert_eq!(jmx.host.as_deref(), Some("agent.example.net"));
        assert_eq!((jmx.lease.as_secs(), jmx.max_request), (300, 100_000));
        assert!(!format!("{jmx:?}").contains("public"));
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        for (text, line, words) in [
            ("[jmx]\nlisten = [\"ssh://127.0.0.1:1\"]", 2, "not over SSH"),
            ("[jmx]\nlisten = [\"tcp://127.0.0.1\", \"tcp://127.0.0.1:1099\"]", 2, "twice"),
            (
                "[jmx]\nlisten = [\"tcp://127.0.0.1\", \"tls://127.0.0.1\"]\n[snmp.tls]\ndirectory = \"/nowhere\"",
                2,
                "",
            ),
            ("[jmx]\nhost = \"a b\"", 2, "not the name"),
            ("[jmx]\nhost = \"\"", 2, "not the name"),
            ("[jmx]\nlease = \"0s\"", 2, "not a time"),
            ("[jmx]\nmax-request-size = 1", 2, "65536"),
            ("[jmx]\nport = 1", 2, "listen"),
            ("[jmx]\ncommunity = \"other\"", 2, "[[snmp.community]]"),
            (
                "[jmx]\ncommunity = \"a\"\n[[snmp.community]]\nname = \"a\"\naccess = \"read\"\ncontext = \"b\"",
                2,
                "JMX serves the default context",
            ),
            ("[jmx]\nlisten = [\"tls://127.0.0.1\"]\n[snmp.tls]\ndirectory = \"/nowhere\"", 2, "certificate"),
            (
                "[http]\nlisten = [\"http://127.0.0.1:1099\"]\n[jmx]\nlisten = [\"tcp://127.0.0.1\"]",
                4,
                "share the TCP port 1099",
            ),
        ] {
            let (at, message) = check(text).unwrap_err();
            assert!(at == line && message.contains(words), "{text}: {at}: {message}");
        }
    }
}
