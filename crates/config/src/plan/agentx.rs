//! The master of AgentX: `[agentx]`.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_local::Endpoint;

use super::value::{self, Checked};
use crate::{Place, raw};

/// Subagents answer for subtrees of their own (RFC 2741).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentxPlan {
    /// Where subagents connect, at least one place.
    pub listen: Vec<Endpoint>,
    /// The mode of a Unix socket: who may write to it may connect.
    pub socket_mode: u32,
    /// The user that owns a Unix socket; `None`: the agent's own.
    pub socket_user: Option<String>,
    /// The group that owns a Unix socket; `None`: the agent's own.
    pub socket_group: Option<String>,
    /// The mode of a Unix socket's folder, if the agent creates it.
    pub directory_mode: u32,
    /// How long a subagent may take for an answer, unless it says another time itself.
    pub timeout: Duration,
}

impl Default for AgentxPlan {
    fn default() -> Self {
        AgentxPlan {
            listen: Vec::new(),
            socket_mode: 0o660,
            socket_user: None,
            socket_group: None,
            directory_mode: 0o755,
            timeout: Duration::from_secs(1),
        }
    }
}

impl AgentxPlan {
    /// Where anybody on the network may connect: TCP beyond this machine.
    pub fn open_places(&self) -> impl Iterator<Item = SocketAddr> {
        self.listen.iter().filter_map(|endpoint| match endpoint {
            Endpoint::Tcp(address) if !address.ip().is_loopback() => Some(*address),
            _ => None,
        })
    }
}

/// The port of AgentX (RFC 2741 section 8.1.1).
const PORT: u16 = 705;
/// The longest path that fits into the kernel's address of a Unix socket, with the suffix it is created under.
const LONGEST_PATH: usize = 96;
/// Places where one agent listens.
const MOST_PLACES: usize = 16;
/// The longest time that AgentX can say (an octet of seconds).
pub(super) const LONGEST_TIMEOUT: Duration = Duration::from_secs(255);

pub(super) fn check_agentx(raw: raw::Agentx, place: Place<'_>) -> Checked<AgentxPlan> {
    let default = AgentxPlan::default();
    let listen = check_listen(raw.listen, place)?;
    let mode =
        |value: Option<Spanned<String>>, default| value.map_or(Ok(default), |value| mode(&value, place));
    let name =
        |value: Option<Spanned<String>>| value.map(|value| value::length(&value, 255, place)).transpose();
    let span = raw.timeout.as_ref().map(Spanned::span).unwrap_or_default();
    let timeout = value::time(raw.timeout, default.timeout, place)?;
    if timeout > LONGEST_TIMEOUT {
        let most = LONGEST_TIMEOUT.as_secs();
        return Err(place.wrong(span, format!("a subagent may take at most {most}s for an answer")));
    }
    Ok(AgentxPlan {
        listen,
        socket_mode: mode(raw.socket_mode, default.socket_mode)?,
        socket_user: name(raw.socket_user)?,
        socket_group: name(raw.socket_group)?,
        directory_mode: mode(raw.directory_mode, default.directory_mode)?,
        timeout,
    })
}

fn check_listen(list: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<Endpoint>> {
    let span = list.span();
    let mut endpoints = Vec::new();
    for text in list.into_inner() {
        let endpoint = endpoint(text.get_ref()).map_err(|message| place.wrong(text.span(), message))?;
        if endpoints.contains(&endpoint) {
            return Err(place.wrong(text.span(), format!("{endpoint} is listed twice")));
        }
        endpoints.push(endpoint);
    }
    if endpoints.is_empty() || endpoints.len() > MOST_PLACES {
        let message = format!("expected 1 to {MOST_PLACES} places, such as [\"unix:/var/agentx/master\"]");
        return Err(place.wrong(span, message));
    }
    Ok(endpoints)
}

/// `unix:/PATH` or `tcp:ADDRESS:PORT`, with two slashes after the colon or without.
///
/// # Errors
/// What was expected.
pub(super) fn endpoint(text: &str) -> Result<Endpoint, String> {
    let wrong = || {
        format!("expected unix:/PATH or tcp:ADDRESS:PORT, such as unix:/var/agentx/master, found {text:?}")
    };
    let (scheme, rest) = text.split_once(':').ok_or_else(wrong)?;
    let rest = rest.strip_prefix("//").unwrap_or(rest);
    match scheme {
        "unix" if !Path::new(rest).is_absolute() || rest.ends_with('/') || rest.contains('\0') => {
            Err(wrong())
        }
        "unix" if rest.len() > LONGEST_PATH => Err(format!(
            "the path of a socket has at most {LONGEST_PATH} octets, this one has {}",
            rest.len()
        )),
        "unix" => Ok(Endpoint::Unix(PathBuf::from(rest))),
        "tcp" => {
            let with_port = rest.parse::<SocketAddr>();
            let without = rest.trim_start_matches('[').trim_end_matches(']').parse();
            let address = with_port.or_else(|_| without.map(|ip| SocketAddr::new(ip, PORT)));
            address.map(Endpoint::Tcp).map_err(|_| wrong())
        }
        _ => Err(wrong()),
    }
}

/// Rights as octal digits.
fn mode(value: &Spanned<String>, place: Place<'_>) -> Checked<u32> {
    let text = value.get_ref();
    let digits_only = !text.is_empty() && text.bytes().all(|digit| (b'0'..=b'7').contains(&digit));
    let mode = u32::from_str_radix(text, 8).ok().filter(|mode| digits_only && *mode <= 0o777);
    mode.ok_or_else(|| {
        let message =
            format!("{text:?} is not a mode; expected octal digits such as \"0660\", at most \"0777\"");
        place.wrong(value.span(), message)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(section: &str) -> Result<AgentxPlan, (usize, String)> {
        let text = format!("[agentx]\n{section}");
        let raw: raw::Config = toml::from_str(&text).unwrap();
        let place = Place { path: Path::new("t.toml"), text: &text };
        check_agentx(raw.agentx.unwrap(), place).map_err(|error| (error.line, error.message))
    }

    #[test]
    fn a_section_with_defaults_and_with_everything() {
        let plan = check("listen = [\"unix:/var/agentx/master\"]").unwrap();
        let listen = vec![Endpoint::Unix("/var/agentx/master".into())];
        assert_eq!(plan, AgentxPlan { listen, ..AgentxPlan::default() });
        assert_eq!(plan.open_places().count(), 0);

        let plan = check(
            "listen = [\"unix:///a\", \"tcp:127.0.0.1\", \"tcp:0.0.0.0:1705\", \"tcp://[::1]:706\", \"tcp:[::]\"]\n\
             socket-mode = \"0600\"\nsocket-user = \"snmp\"\nsocket-group = \"frr\"\ndirectory-mode = \"750\"\n\
             timeout = \"5s\"",
        )
        .unwrap();
        let shown: Vec<String> = plan.listen.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            ["unix:/a", "tcp:127.0.0.1:705", "tcp:0.0.0.0:1705", "tcp:[::1]:706", "tcp:[::]:705"]
        );
        let open: Vec<String> = plan.open_places().map(|address| address.to_string()).collect();
        assert_eq!(open, ["0.0.0.0:1705", "[::]:705"]);
        assert_eq!((plan.socket_mode, plan.directory_mode, plan.timeout.as_secs()), (0o600, 0o750, 5));
        assert_eq!((plan.socket_user.as_deref(), plan.socket_group.as_deref()), (Some("snmp"), Some("frr")));
    }

    #[test]
    fn mistakes_are_found_where_they_are() {
        let long = format!("listen = [\"unix:/{}\"]", "x".repeat(96));
        for (section, line, word) in [
            ("listen = []", 2, "1 to 16"),
            ("listen = [\"/var/agentx/master\"]", 2, "unix:/PATH"),
            ("listen = [\"unix:master\"]", 2, "unix:/PATH"),
            ("listen = [\"unix:/var/agentx/\"]", 2, "unix:/PATH"),
            ("listen = [\"udp:127.0.0.1:705\"]", 2, "tcp:ADDRESS:PORT"),
            ("listen = [\"tcp:localhost:705\"]", 2, "tcp:ADDRESS:PORT"),
            ("listen = [\n\"tcp:127.0.0.1\",\n\"tcp:127.0.0.1:705\"]", 4, "twice"),
            (&long, 2, "at most 96"),
            ("listen = [\"unix:/a\"]\nsocket-mode = \"0999\"", 3, "octal"),
            ("listen = [\"unix:/a\"]\nsocket-mode = \"+66\"", 3, "octal"),
            ("listen = [\"unix:/a\"]\ndirectory-mode = \"01777\"", 3, "0777"),
            ("listen = [\"unix:/a\"]\nsocket-group = \"\"", 3, "1 to 255"),
            ("listen = [\"unix:/a\"]\ntimeout = \"0s\"", 3, "not a time"),
            ("listen = [\"unix:/a\"]\ntimeout = \"256s\"", 3, "at most 255s"),
        ] {
            let (found, message) = check(section).unwrap_err();
            assert!(found == line && message.contains(word), "{section}: {found}: {message}");
        }
    }
}
