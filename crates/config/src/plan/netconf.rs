//! The door of NETCONF: `[netconf]`.

use std::ops::Range;
use std::path::PathBuf;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_transport::{ListenUrl, Protocol, Transport};

use super::files;
use super::snmp::listen_urls;
use super::value::{self, Checked};
use crate::{Place, raw};

/// NETCONF over SSH and TLS. Keys, certificates, principals and limits of connections are those of `[snmp]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetconfPlan {
    /// Where to listen, besides the socket for OpenSSH's subsystem.
    pub listen: Vec<ListenUrl>,
    /// A session without a request for this long is closed.
    pub idle_timeout: Duration,
    /// The longest request, in octets.
    pub max_request: usize,
    /// Where the texts of standard modules are; `None`: nowhere.
    pub modules: Option<PathBuf>,
}

impl Default for NetconfPlan {
    fn default() -> Self {
        let (listen, idle_timeout) = (Vec::new(), Duration::from_secs(3600));
        NetconfPlan { listen, idle_timeout, max_request: 4 << 20, modules: None }
    }
}

impl NetconfPlan {
    /// Whether it listens over this transport.
    pub fn listens(&self, transport: Transport) -> bool {
        self.listen.iter().any(|url| url.transport == transport)
    }
}

/// The position of the first listener that needs a certificate.
pub(super) fn needs_certificate(raw: Option<&raw::Netconf>) -> Option<Range<usize>> {
    let listen = raw?.listen.iter().flat_map(|list| list.get_ref());
    listen.into_iter().find(|text| text.get_ref().starts_with("tls://")).map(Spanned::span)
}

pub(super) fn check_netconf(raw: raw::Netconf, place: Place<'_>) -> Checked<NetconfPlan> {
    let default = NetconfPlan::default();
    let spans: Vec<_> = raw.listen.iter().flat_map(|list| list.get_ref().iter().map(Spanned::span)).collect();
    let listen = match raw.listen {
        None => Vec::new(),
        Some(list) if list.get_ref().is_empty() => Vec::new(),
        Some(list) => listen_urls(list, Protocol::Netconf, place)?,
    };
    for (url, span) in listen.iter().zip(spans) {
        if !matches!(url.transport, Transport::Ssh | Transport::Tls) {
            let message = format!("NETCONF runs over ssh:// and tls://, not over {}", url.transport);
            return Err(place.wrong(span, message));
        }
    }
    let max_request = match &raw.max_request_size {
        Some(value) => value::number(value, 65_536, 1 << 30, place)?,
        None => default.max_request,
    };
    let idle_timeout = value::time(raw.idle_timeout, default.idle_timeout, place)?;
    let modules = raw.modules_directory.map(|text| files::path(text.get_ref(), place.path));
    Ok(NetconfPlan { listen, idle_timeout, max_request, modules })
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
    fn netconf_is_served_where_a_section_says_so() {
        assert_eq!(check("").unwrap().netconf, None);
        let plan = check("[netconf]").unwrap();
        assert_eq!(plan.netconf, Some(NetconfPlan::default()));
        let plan = check(
            "[netconf]\nlisten = [\"ssh://*\"]\nidle-timeout = \"5m\"\nmax-request-size = 1000000\nmodules-directory = \"/yang\"",
        );
        let plan = plan.unwrap();
        assert!(plan.has_sessions());
        let netconf = plan.netconf.unwrap();
        assert_eq!(netconf.listen[0].to_string(), "ssh://*:830");
        assert_eq!((netconf.idle_timeout.as_secs(), netconf.max_request), (300, 1_000_000));
        assert_eq!(netconf.modules, Some("/yang".into()));
        assert!(netconf.listens(Transport::Ssh) && !netconf.listens(Transport::Tls));
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        for (text, line, words) in [
            ("[netconf]\nlisten = [\"tcp://127.0.0.1:830\"]", 2, "ssh://"),
            ("[netconf]\nlisten = [\"ssh://127.0.0.1\", \"ssh://127.0.0.1:830\"]", 2, "twice"),
            ("[netconf]\nport = 830", 2, "listen"),
            ("[netconf]\nmax-request-size = 10", 2, "65536"),
            ("[netconf]\nidle-timeout = \"0s\"", 2, "not a time"),
            (
                "[netconf]\nlisten = [\"tls://127.0.0.1\"]\n[snmp.tls]\ndirectory = \"/nowhere\"",
                2,
                "certificate",
            ),
            (
                "[snmp]\nlisten = [\"ssh://127.0.0.1:830\"]\n[netconf]\nlisten = [\"ssh://127.0.0.1\"]",
                4,
                "share the TCP port 830",
            ),
        ] {
            let (at, message) = check(text).unwrap_err();
            assert!(at == line && message.contains(words), "{text}: {at}: {message}");
        }
    }
}
