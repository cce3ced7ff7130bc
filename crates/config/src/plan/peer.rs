//! Other engines that the agent talks to: their addresses, and the agent's credentials there.

use std::fmt;

use serde_spanned::Spanned;
use trunkline_transport::{Authority, Protocol, Transport, Url};
use trunkline_tree::policy::SecurityLevel;

use super::community::check_name;
use super::security::{check_level, word};
use super::user::UserPlan;
use super::value::Checked;
use crate::{Place, raw};

/// Where another engine is.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PeerAddress {
    /// The transport.
    pub transport: Transport,
    /// A host name or an address; IPv6 without brackets.
    pub host: String,
    /// The port: 1 to 65535.
    pub port: u16,
    /// Over SSH: as which user to log in; `None`: by the name of the principal.
    pub login: Option<String>,
}

/// The protocol at the other end.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum PeerRole {
    /// An agent.
    Agent,
    /// A receiver of notifications.
    Receiver,
}

impl PeerRole {
    /// The default port.
    fn port(self, transport: Transport) -> Option<u16> {
        match self {
            PeerRole::Agent => Protocol::Snmp.port(transport),
            PeerRole::Receiver => Protocol::Snmp.notification_port(transport),
        }
    }
}

/// The agent's credentials at another engine.
#[derive(Clone, PartialEq, Eq)]
pub enum Credentials {
    /// A community of SNMPv1.
    V1 {
        /// The community: a secret.
        community: Vec<u8>,
    },
    /// A community of SNMPv2c.
    V2c {
        /// The community: a secret.
        community: Vec<u8>,
    },
    /// A user of the configuration.
    V3 {
        /// Its name; it is there.
        user: String,
        /// How its messages are protected, which its keys allow.
        level: SecurityLevel,
    },
    /// The agent itself, authenticated by its certificate or its SSH key (SNMPv3 with the Transport Security
    /// Model).
    Session {
        /// The security name for the access policy (snmpTargetParamsSecurityName).
        principal: String,
    },
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::V1 { .. } => f.write_str("V1(<secret>)"),
            Credentials::V2c { .. } => f.write_str("V2c(<secret>)"),
            Credentials::V3 { user, level } => write!(f, "V3({user:?}, {})", level.name()),
            Credentials::Session { principal } => write!(f, "Session({principal:?})"),
        }
    }
}

impl PeerAddress {
    /// Reads `udp://HOST[:PORT]`, the same with tcp, tls, dtls, snmp+http and snmp+https, and `ssh://[USER@]HOST[:PORT]`.
    pub fn parse(text: &str, role: PeerRole) -> Result<Self, String> {
        let expected = "expected udp, tcp, tls, dtls, ssh, snmp+http or snmp+https://HOST:PORT";
        let url = Url::split(text).ok_or_else(|| format!("{text:?} has no scheme, {expected}"))?;
        let scheme = url.scheme;
        // Several protocols run over HTTP, so the scheme must name one.
        let transport = match scheme.strip_prefix("snmp+") {
            Some(name) => Transport::from_name(name).filter(|transport| transport.is_http()),
            None => Transport::from_name(scheme).filter(|transport| !transport.is_http()),
        };
        let transport = transport.ok_or_else(|| format!("unknown scheme {scheme:?}, {expected}"))?;
        let login = match url.user {
            Some("") => return Err(format!("there is no user before the @ in {text:?}")),
            Some(_) if transport != Transport::Ssh => {
                return Err(format!("a user before the @ in {text:?}: only ssh:// has one, {expected}"));
            }
            login => login.map(str::to_owned),
        };
        if !matches!((url.path, url.query), ("" | "/", None)) {
            return Err(format!("only a port may follow the host in {text:?}"));
        }
        let Authority { host, port } =
            Authority::parse(url.authority).map_err(|error| format!("{error}, in {text:?}"))?;
        let port = port.or_else(|| role.port(transport)).filter(|port| *port != 0);
        let port = port.ok_or_else(|| format!("the port in {text:?} is not a number from 1 to 65535"))?;
        Ok(PeerAddress { transport, host: host.to_string(), port, login })
    }
}

impl fmt::Display for PeerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, host, port) = (self.transport.name(), &self.host, self.port);
        let scheme = if self.transport.is_http() { format!("snmp+{name}") } else { name.to_owned() };
        let login = self.login.iter().map(|login| format!("{login}@")).collect::<String>();
        write!(f, "{scheme}://{login}{}", Authority { host, port: Some(port) })
    }
}

pub(super) fn check_address(
    value: &Spanned<String>,
    role: PeerRole,
    place: Place<'_>,
) -> Checked<PeerAddress> {
    PeerAddress::parse(value.get_ref(), role).map_err(|message| place.wrong(value.span(), message))
}

/// The keys that select the credentials.
pub(super) struct RawCredentials {
    pub owner: std::ops::Range<usize>,
    pub version: Option<Spanned<String>>,
    pub community: Option<Spanned<raw::Secret>>,
    pub user: Option<Spanned<String>>,
    pub principal: Option<Spanned<String>>,
    pub level: Option<Spanned<String>>,
    pub transport: Transport,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V1,
    V2c,
    V3,
}

const VERSIONS: &[(&str, Version)] = &[("v1", Version::V1), ("v2c", Version::V2c), ("v3", Version::V3)];

/// A community for v1 and v2c, a user for v3; without a version it follows from which is given.
pub(super) fn check_credentials(
    raw: RawCredentials,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<Credentials> {
    if let Some(principal) = check_principal(&raw, place)? {
        return Ok(Credentials::Session { principal });
    }
    let version =
        raw.version.as_ref().map(|version| word("version", VERSIONS, version, place)).transpose()?;
    let version = version.unwrap_or(if raw.user.is_some() { Version::V3 } else { Version::V2c });
    let span = raw.version.map_or(raw.owner, |version| version.span());
    if version != Version::V3 {
        if let Some(extra) = raw.user.or(raw.level) {
            return Err(place.wrong(extra.span(), "only version \"v3\" has users and levels".into()));
        }
        let Some(community) = raw.community else {
            return Err(place.wrong(span, "expected a community, or a user for version \"v3\"".into()));
        };
        let community = check_name(&community, place)?;
        return Ok(match version {
            Version::V1 => Credentials::V1 { community },
            _ => Credentials::V2c { community },
        });
    }
    if let Some(extra) = raw.community {
        return Err(place.wrong(extra.span(), "version \"v3\" has a user, no community".into()));
    }
    let Some(user) = raw.user else {
        return Err(place.wrong(span, "version \"v3\" needs a user".into()));
    };
    let Some(known) = users.iter().find(|known| known.name == *user.get_ref()) else {
        let message = format!("there is no user {:?}, expected the name of a [[snmp.user]]", user.get_ref());
        return Err(place.wrong(user.span(), message));
    };
    let level = match &raw.level {
        None => known.level(),
        Some(level) => check_level(level, place)?,
    };
    if let Some(asked) = raw.level.filter(|_| level > known.level()) {
        let message = format!(
            "{} is more than the keys of the user {:?} allow, which is {}",
            level.name(),
            known.name,
            known.level().name()
        );
        return Err(place.wrong(asked.span(), message));
    }
    Ok(Credentials::V3 { user: user.into_inner(), level })
}

/// Over a transport that authenticates the agent nothing else is needed.
fn check_principal(raw: &RawCredentials, place: Place<'_>) -> Checked<Option<String>> {
    let has_other = raw.community.is_some() || raw.user.is_some();
    match &raw.principal {
        Some(principal) if !raw.transport.is_secure() => {
            let message =
                "only tls, dtls, ssh and snmp+https authenticate a principal: expected a user or a community";
            Err(place.wrong(principal.span(), message.into()))
        }
        Some(principal) if has_other => {
            let message = "a principal together with a user or a community, expected one of them";
            Err(place.wrong(principal.span(), message.into()))
        }
        Some(principal) => super::value::length(principal, 32, place).map(Some),
        None if raw.transport.is_secure() && !has_other => Ok(Some(super::EVERYBODY.to_string())),
        None => Ok(None),
    }
}

/// Whose keys other engines must know cannot have keys for this engine alone.
pub(super) fn check_portable(
    credentials: &Credentials,
    users: &[UserPlan],
    span: std::ops::Range<usize>,
    place: Place<'_>,
) -> Checked<()> {
    let Credentials::V3 { user, .. } = credentials else { return Ok(()) };
    match users.iter().find(|known| known.name == *user).is_none_or(UserPlan::is_portable) {
        true => Ok(()),
        false => Err(place.wrong(
            span,
            format!(
                "the user {user:?} has keys for this engine alone; the other engine's keys are derived from a \
                 password or a master key"
            ),
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_of_peers_are_read_and_written() {
        for (text, shown) in [
            ("udp://192.0.2.1", "udp://192.0.2.1:162"),
            ("tcp://nms.example.net:1162", "tcp://nms.example.net:1162"),
            ("udp://[2001:db8::1]", "udp://[2001:db8::1]:162"),
            ("udp://[fe80::1%eth0]:99/", "udp://[fe80::1%eth0]:99"),
            ("tls://nms.example.net", "tls://nms.example.net:10162"),
            ("dtls://[2001:db8::1]", "dtls://[2001:db8::1]:10162"),
            ("ssh://agents@nms.example.net", "ssh://agents@nms.example.net:5162"),
            ("snmp+http://nms.example.net", "snmp+http://nms.example.net:80"),
            ("snmp+https://[2001:db8::1]", "snmp+https://[2001:db8::1]:443"),
        ] {
            assert_eq!(PeerAddress::parse(text, PeerRole::Receiver).unwrap().to_string(), shown);
        }
        for (text, word) in [
            ("192.0.2.1", "scheme"),
            ("http://192.0.2.1", "snmp+http"),
            ("snmp+udp://192.0.2.1", "snmp+udp"),
            ("udp://::1", "brackets"),
            ("udp://[::1", "brackets"),
            ("udp://[::x]:1", "IPv6"),
            ("udp://[::1]x", "port"),
            ("udp://h:0", "65535"),
            ("udp://h:x", "65535"),
            ("udp://:162", "host"),
            ("udp://a b:162", "host"),
            ("tls://a@b", "only ssh"),
        ] {
            let error = PeerAddress::parse(text, PeerRole::Receiver).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }
}
