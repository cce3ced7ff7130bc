//! The door of NETCONF: `[netconf]`.

use std::fmt;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_transport::{ListenUrl, Protocol, Transport};
use trunkline_xmlsec::{DeviceName, NameError};

use super::community::CommunityName;
use super::files;
use super::hook::{self, HookPlan};
use super::snmp::listen_urls;
use super::value::{self, Checked};
use crate::{Place, raw};

/// NETCONF over SSH, TLS and plain TCP. Keys, certificates, principals and limits of connections are those of `[snmp]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NetconfPlan {
    /// Where to listen, besides the socket for OpenSSH's subsystem.
    pub listen: Vec<ListenUrl>,
    /// Whose rights unprotected sessions over plain TCP have; `None`: none are accepted.
    pub community: Option<CommunityName>,
    /// A session without a request for this long is closed.
    pub idle_timeout: Duration,
    /// A request must be complete this long after its first octet.
    pub message_timeout: Duration,
    /// The longest request, in octets.
    pub max_request: usize,
    /// The folder of configurations that clients name; `None`: they name none.
    pub files: Option<PathBuf>,
    /// The managers that the agent calls (RFC 8071).
    pub call_home: Vec<CallHome>,
    /// Where the texts of standard modules are; `None`: nowhere.
    pub modules: Option<PathBuf>,
    /// Whether messages must be valid against the schema of the protocol.
    pub validate_messages: bool,
    /// As which device messages without a session of their own are accepted; `None`: none are.
    pub device: Option<DeviceName>,
    /// Programs that apply parts of the configuration.
    pub hooks: Vec<HookPlan>,
}

/// A manager that waits for the agent's call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallHome {
    /// SSH or TLS, on which the agent is the server.
    pub transport: Transport,
    /// Its name or address.
    pub host: String,
    /// Its port.
    pub port: u16,
}

impl fmt::Display for CallHome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.transport == Transport::Tls { "tls" } else { "ssh" };
        match self.host.contains(':') {
            true => write!(f, "{scheme}://[{}]:{}", self.host, self.port),
            false => write!(f, "{scheme}://{}:{}", self.host, self.port),
        }
    }
}

impl FromStr for CallHome {
    type Err = String;

    /// Reads `ssh://HOST` or `tls://HOST`, with a port or without.
    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            format!(
                "expected ssh://HOST or tls://HOST, perhaps with :PORT (default {SSH_PORT} and {TLS_PORT}), found {text:?}"
            )
        };
        let (scheme, rest) = text.split_once("://").ok_or_else(wrong)?;
        let (transport, default) = match scheme {
            "ssh" => (Transport::Ssh, SSH_PORT),
            "tls" => (Transport::Tls, TLS_PORT),
            _ => return Err(wrong()),
        };
        let (host, port) = match rest.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            Some((host, behind)) => match behind.strip_prefix(':') {
                Some(port) => (host, Some(port)),
                None if behind.is_empty() => (host, None),
                None => return Err(wrong()),
            },
            None => rest.split_once(':').map_or((rest, None), |(host, port)| (host, Some(port))),
        };
        let port = match port {
            Some(port) => port.parse().ok().filter(|port| *port > 0).ok_or_else(wrong)?,
            None => default,
        };
        let is_part = |it: char| it.is_ascii_alphanumeric() || ".-_:%".contains(it);
        if host.is_empty() || host.len() > 255 || !host.chars().all(is_part) {
            return Err(wrong());
        }
        Ok(CallHome { transport, host: host.to_owned(), port })
    }
}

/// The ports of RFC 8071 section 6.
const SSH_PORT: u16 = 4334;
const TLS_PORT: u16 = 4335;
/// Managers that one agent calls.
const MOST_CALLS: usize = 16;

impl Default for NetconfPlan {
    fn default() -> Self {
        NetconfPlan {
            listen: Vec::new(),
            community: None,
            idle_timeout: Duration::from_secs(3600),
            // For a request of the greatest length over a slow link.
            message_timeout: Duration::from_secs(60),
            max_request: 4 << 20,
            files: None,
            call_home: Vec::new(),
            modules: None,
            validate_messages: false,
            device: None,
            hooks: Vec::new(),
        }
    }
}

impl NetconfPlan {
    /// Whether it serves over this transport.
    pub fn listens(&self, transport: Transport) -> bool {
        self.listen.iter().any(|url| url.transport == transport)
            || self.call_home.iter().any(|it| it.transport == transport)
    }
}

/// The position of the first listener or call that needs a certificate.
pub(super) fn needs_certificate(raw: Option<&raw::Netconf>) -> Option<Range<usize>> {
    let raw = raw?;
    let listen = raw.listen.iter().flat_map(|list| list.get_ref()).chain(&raw.call_home);
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
        if !matches!(url.transport, Transport::Ssh | Transport::Tls | Transport::Tcp) {
            let message = format!("NETCONF runs over ssh://, tls:// and tcp://, not over {}", url.transport);
            return Err(place.wrong(span, message));
        }
    }
    let max_request = match &raw.max_request_size {
        Some(value) => value::number(value, 65_536, 1 << 30, place)?,
        None => default.max_request,
    };
    let idle_timeout = value::time(raw.idle_timeout, default.idle_timeout, place)?;
    let message_timeout = value::time(raw.message_timeout, default.message_timeout, place)?;
    let folder = match raw.files {
        Some(folder) if !Path::new(folder.get_ref()).is_absolute() => {
            let message = "expected the whole path of a folder, from / on".into();
            return Err(place.wrong(folder.span(), message));
        }
        folder => folder.map(|folder| PathBuf::from(folder.into_inner())),
    };
    let mut call_home: Vec<CallHome> = Vec::new();
    for text in raw.call_home {
        let call = text.get_ref().parse().map_err(|message| place.wrong(text.span(), message))?;
        if call_home.contains(&call) {
            return Err(place.wrong(text.span(), format!("{call} is listed twice")));
        }
        if call_home.len() == MOST_CALLS {
            return Err(place.wrong(text.span(), format!("an agent calls at most {MOST_CALLS} managers")));
        }
        call_home.push(call);
    }
    let modules = raw.modules_directory.map(|text| files::path(text.get_ref(), place.path));
    let hooks = hook::check_hooks(raw.hook, place)?;
    let device = raw.device.map(|name| {
        let parsed = name.get_ref().parse();
        parsed.map_err(|error: NameError| place.wrong(name.span(), error.to_string()))
    });
    let device = device.transpose()?;
    let files = folder;
    let community = raw.community.map(|name| CommunityName::of(&name));
    Ok(NetconfPlan {
        listen,
        community,
        idle_timeout,
        message_timeout,
        max_request,
        files,
        call_home,
        modules,
        validate_messages: raw.validate_messages,
        device,
        hooks,
    })
}

#[cfg(test)]
mod tests {
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
            "[netconf]\nlisten = [\"ssh://*\"]\nidle-timeout = \"5m\"\nmessage-timeout = \"7s\"\nmax-request-size = 1000000\n\
             files = \"/srv/x\"\nmodules-directory = \"/yang\"\nvalidate-messages = true\ndevice = \"router-1\"",
        );
        let plan = plan.unwrap();
        assert!(plan.has_sessions());
        let netconf = plan.netconf.unwrap();
        assert_eq!(netconf.listen[0].to_string(), "ssh://*:830");
        assert_eq!((netconf.idle_timeout.as_secs(), netconf.max_request), (300, 1_000_000));
        assert!(netconf.validate_messages);
        assert_eq!(netconf.device, Some("router-1".parse().unwrap()));
        assert_eq!(netconf.files.as_deref(), Some(Path::new("/srv/x")));
        assert_eq!(netconf.message_timeout, Duration::from_secs(7));
        assert_eq!(netconf.modules, Some("/yang".into()));
        assert!(netconf.listens(Transport::Ssh) && !netconf.listens(Transport::Tls));
    }

    #[test]
    fn plain_sessions_have_the_rights_of_a_community() {
        let plan = check("[netconf]\nlisten = [\"tcp://127.0.0.1\"]\ncommunity = \"public\"").unwrap();
        // Nobody authenticates there.
        assert!(!plan.has_sessions());
        // Without a community there are protected messages alone.
        assert!(check("[netconf]\nlisten = [\"tcp://127.0.0.1\"]").is_ok());
        let netconf = plan.netconf.unwrap();
        assert_eq!(netconf.listen[0].port, 8830);
        assert!(!format!("{netconf:?}").contains("112, 117") && !format!("{netconf:?}").contains("public"));
    }

    #[test]
    fn managers_are_called_at_the_ports_of_the_standard() {
        let text = "[netconf]\ncall-home = [\"ssh://noc.example.net\", \"ssh://192.0.2.1:99\", \"ssh://[2001:db8::1]\"]";
        let plan = check(text).unwrap();
        assert!(plan.has_sessions() && plan.accepts(Transport::Ssh) && !plan.accepts(Transport::Tls));
        let calls: Vec<String> = plan.netconf.unwrap().call_home.iter().map(CallHome::to_string).collect();
        assert_eq!(calls, ["ssh://noc.example.net:4334", "ssh://192.0.2.1:99", "ssh://[2001:db8::1]:4334"]);
        assert_eq!("tls://[::1]".parse::<CallHome>().unwrap().to_string(), "tls://[::1]:4335");
    }

    #[test]
    fn mistakes_are_reported_with_their_location() {
        for (text, line, words) in [
            ("[netconf]\nlisten = [\"udp://127.0.0.1:830\"]", 2, "not over UDP"),
            ("[netconf]\nlisten = [\"tcp://127.0.0.1\"]\ncommunity = \"other\"", 3, "[[snmp.community]]"),
            (
                "[netconf]\ncommunity = \"a\"\n[[snmp.community]]\nname = \"a\"\naccess = \"read\"\ncontext = \"b\"",
                2,
                "default context",
            ),
            ("[netconf]\nlisten = [\"ssh://127.0.0.1\", \"ssh://127.0.0.1:830\"]", 2, "twice"),
            ("[netconf]\nport = 830", 2, "listen"),
            ("[netconf]\nfiles = \"here\"", 2, "whole path"),
            ("[netconf]\ncall-home = [\"udp://a\"]", 2, "expected ssh://HOST"),
            ("[netconf]\ncall-home = [\"ssh://a:0\"]", 2, "expected ssh://HOST"),
            ("[netconf]\ncall-home = [\"ssh://\"]", 2, "expected ssh://HOST"),
            ("[netconf]\ncall-home = [\"ssh://a b\"]", 2, "expected ssh://HOST"),
            ("[netconf]\ncall-home = [\"ssh://[::1]4334\"]", 2, "expected ssh://HOST"),
            ("[netconf]\ncall-home = [\"ssh://a\", \"ssh://a:4334\"]", 2, "listed twice"),
            ("[netconf]\nmax-request-size = 10", 2, "65536"),
            ("[netconf]\ndevice = \"router 1\"", 2, "' ' cannot be part of a name"),
            ("[netconf]\nidle-timeout = \"0s\"", 2, "not a time"),
            ("[netconf]\nmessage-timeout = \"soon\"", 2, "not a time"),
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
