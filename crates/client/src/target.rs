//! Whom to talk to, and how: one text for every kind of agent. Two forms are
//! understood, URLs (RFC 4088, widened) and Net-SNMP's transport specifications.

use std::fmt;
use std::net::Ipv6Addr;
use std::str::FromStr;

use trunkline_snmp::usm::{CredentialsError, EngineId};
use trunkline_snmp::wire::Version;
pub use trunkline_transport::Transport;
use trunkline_transport::dial::Family;

use crate::credentials::{Credentials, UsmCredentials};

/// The port of SNMP agents (RFC 3417 section 3.1, RFC 3430 section 2.4).
pub const DEFAULT_PORT: u16 = 161;

/// The port of those who receive notifications (RFC 3417 section 3.1, RFC 3430 section 2.4).
pub const NOTIFICATION_PORT: u16 = 162;

/// An agent, how to reach it, and as who.
#[derive(Clone)]
pub struct Target {
    /// The transport.
    pub transport: Transport,
    /// Which addresses of the host to use.
    pub family: Family,
    /// As who, and with it in which version of SNMP. [`fmt::Debug`] and [`fmt::Display`] show no secret.
    pub credentials: Credentials,
    /// A host name or an address; IPv6 without brackets, with its zone if it has one.
    pub host: String,
    /// The port.
    pub port: u16,
    /// What to ask for: what the URL says after the host, decoded. An object
    /// identifier or a name, for the caller to resolve.
    pub path: Option<String>,
}

/// What a text that does not say it means.
#[derive(Clone)]
pub struct Defaults {
    /// The version; v2c if not set otherwise.
    pub version: Version,
    /// The community; `public` if not set otherwise.
    pub community: Vec<u8>,
    /// The user for SNMPv3, with keys and context; a URL may have another name and context. If not set, a
    /// URL's user is asked for without protection.
    pub usm: Option<UsmCredentials>,
}

impl Default for Defaults {
    fn default() -> Self {
        Self { version: Version::V2c, community: b"public".to_vec(), usm: None }
    }
}

/// Why a text names no target.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TargetError {
    /// The text is empty, or its host is.
    #[error("`{text}` names no host")]
    NoHost {
        /// The whole text, without what may be a community.
        text: String,
    },
    /// A scheme that is not spoken here.
    #[error("unknown scheme `{scheme}`: expected snmp, snmp+udp or snmp+tcp")]
    Scheme {
        /// What stands before `://`.
        scheme: String,
    },
    /// A transport of Net-SNMP that is not spoken here.
    #[error("transport `{transport}` is not spoken: expected udp, udp6, tcp or tcp6")]
    Transport {
        /// Its name.
        transport: String,
    },
    /// The port is no number from 1 to 65535.
    #[error("`{port}` is no port: expected a number from 1 to 65535")]
    Port {
        /// What stands in its place.
        port: String,
    },
    /// `[` without `]`, or no IPv6 address inside.
    #[error("`{address}` is no IPv6 address in brackets")]
    Brackets {
        /// What was found.
        address: String,
    },
    /// `%` without two hexadecimal digits, or decoded text that is not UTF-8.
    #[error("`%` must be followed by two hexadecimal digits, and the text be UTF-8, in the {part}")]
    PercentEncoding {
        /// Which part of the URL.
        part: &'static str,
    },
    /// A context, which SNMPv1 and SNMPv2c do not have.
    #[error("context `{context}`: SNMPv1 and SNMPv2c have no contexts; write snmp://HOST/OBJECT")]
    Context {
        /// Its name.
        context: String,
    },
    /// SNMPv3 without a user.
    #[error("SNMPv3 needs a user: snmp://USER@HOST, or -u USER")]
    NoUser,
    /// A user that cannot be one.
    #[error(transparent)]
    User(#[from] CredentialsError),
    /// A contextEngineID that is none.
    #[error("`{text}` is no contextEngineID: expected 5 to 32 octets in hexadecimal digits")]
    ContextEngine {
        /// What stands behind the `;`.
        text: String,
    },
    /// A parameter after `?` that is not known.
    #[error("unknown parameter `{parameter}`: expected version=1, version=2c or version=3")]
    Parameter {
        /// The parameter.
        parameter: String,
    },
}

impl Target {
    /// Reads a target.
    ///
    /// - `snmp://[WHO@]HOST[:PORT][/[[CONTEXT[;ENGINE]]/]OBJECT][?version=1|2c|3]`, and
    ///   the same with `snmp+udp` and `snmp+tcp`. WHO is a community, or in
    ///   SNMPv3 a user; WHO, context and object may be percent-encoded, ENGINE is
    ///   a contextEngineID in hexadecimal digits. RFC 4088 puts the context before
    ///   the object; it may be empty (`//OBJECT`) or left out (`/OBJECT`), and in
    ///   SNMPv1 and SNMPv2c it must. RFC 4088 has no version.
    /// - `[udp:|udp6:|tcp:|tcp6:]HOST[:PORT]` as Net-SNMP has it.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        Self::parse_with_port(text, defaults, DEFAULT_PORT)
    }

    /// As [`Target::parse`], for one who is notified: its port is [`NOTIFICATION_PORT`] where none is said.
    ///
    /// # Errors
    /// [`TargetError`], with what was expected.
    pub fn parse_receiver(text: &str, defaults: &Defaults) -> Result<Self, TargetError> {
        Self::parse_with_port(text, defaults, NOTIFICATION_PORT)
    }

    fn parse_with_port(text: &str, defaults: &Defaults, port: u16) -> Result<Self, TargetError> {
        match text.split_once("://") {
            Some((scheme, rest)) => parse_url(scheme, rest, defaults, port),
            None => parse_specification(text, defaults, port),
        }
    }

    /// The version of SNMP to speak.
    #[must_use]
    pub fn version(&self) -> Version {
        self.credentials.version()
    }

    /// The host and port as one text, IPv6 in brackets.
    #[must_use]
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl FromStr for Target {
    type Err = TargetError;

    /// [`Target::parse`] with the usual defaults: v2c, `public`.
    fn from_str(text: &str) -> Result<Self, TargetError> {
        Self::parse(text, &Defaults::default())
    }
}

impl fmt::Display for Target {
    /// The URL without the community or the user.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = match self.transport {
            Transport::Udp => "snmp",
            Transport::Tcp => "snmp+tcp",
        };
        write!(f, "{scheme}://{}", self.authority())?;
        self.path.iter().try_for_each(|path| write!(f, "/{path}"))
    }
}

impl fmt::Debug for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Target({self}, {:?})", self.credentials)
    }
}

impl fmt::Debug for Defaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Defaults({:?}, community hidden, {:?})", self.version, self.usm)
    }
}

fn parse_url(scheme: &str, rest: &str, defaults: &Defaults, port: u16) -> Result<Target, TargetError> {
    let transport = match scheme.to_ascii_lowercase().as_str() {
        "snmp" | "snmp+udp" => Transport::Udp,
        "snmp+tcp" => Transport::Tcp,
        _ => return Err(TargetError::Scheme { scheme: scheme.into() }),
    };
    let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (authority, path) = match rest.find('/') {
        Some(slash) => (&rest[..slash], Some(&rest[slash + 1..])),
        None => (rest, None),
    };
    let version = parse_query(query, defaults.version)?;
    let (who, address) = match authority.rsplit_once('@') {
        Some((who, address)) if version == Version::V3 => (Some(percent_decode(who, "user")?), address),
        Some((who, address)) => (Some(percent_decode(who, "community")?), address),
        None => (None, authority),
    };
    let (host, port) = split_address(address, port)?;
    let path = path.map(parse_path).transpose()?.unwrap_or_default();
    let credentials = credentials(version, who, path.context, defaults)?;
    Ok(Target { transport, family: Family::Any, credentials, host, port, path: path.object })
}

/// As who to ask: what the URL says, and what it leaves to the defaults.
fn credentials(
    version: Version,
    who: Option<Vec<u8>>,
    context: Context<'_>,
    defaults: &Defaults,
) -> Result<Credentials, TargetError> {
    if version != Version::V3 {
        if !context.name.is_empty() || context.engine.is_some() {
            return Err(TargetError::Context { context: context.name.into() });
        }
        let community = who.unwrap_or_else(|| defaults.community.clone());
        return Ok(Credentials::Community { version, community });
    }
    let mut user = match (who, &defaults.usm) {
        (Some(name), Some(user)) => user.clone().with_name(&name)?,
        (Some(name), None) => UsmCredentials::new(&name)?,
        (None, Some(user)) => user.clone(),
        (None, None) => return Err(TargetError::NoUser),
    };
    if !context.name.is_empty() {
        user.context = percent_decode(context.name, "context")?;
    }
    if let Some(text) = context.engine {
        let engine =
            EngineId::from_hex(text).map_err(|_| TargetError::ContextEngine { text: text.into() })?;
        user.context_engine_id = Some(engine);
    }
    Ok(user.into())
}

/// What a URL says behind the host.
#[derive(Default)]
struct Path<'t> {
    context: Context<'t>,
    object: Option<String>,
}

/// contextName and contextEngineID as a URL has them.
#[derive(Default)]
struct Context<'t> {
    name: &'t str,
    engine: Option<&'t str>,
}

fn parse_query(query: &str, default: Version) -> Result<Version, TargetError> {
    let mut version = default;
    for parameter in query.split('&').filter(|parameter| !parameter.is_empty()) {
        version = match parameter {
            "version=1" => Version::V1,
            "version=2c" => Version::V2c,
            "version=3" => Version::V3,
            _ => return Err(TargetError::Parameter { parameter: parameter.into() }),
        };
    }
    Ok(version)
}

/// `OBJECT`, or `CONTEXT/OBJECT` of RFC 4088.
fn parse_path(path: &str) -> Result<Path<'_>, TargetError> {
    let (context, object) = path.split_once('/').unwrap_or(("", path));
    let context = match context.split_once(';') {
        Some((name, engine)) => Context { name, engine: Some(engine) },
        None => Context { name: context, engine: None },
    };
    let object = String::from_utf8(percent_decode(object, "object")?)
        .map_err(|_| TargetError::PercentEncoding { part: "object" })?;
    Ok(Path { context, object: (!object.is_empty()).then_some(object) })
}

fn parse_specification(text: &str, defaults: &Defaults, port: u16) -> Result<Target, TargetError> {
    let (transport, family, address) = split_transport(text)?;
    let (host, port) = split_address(address, port)?;
    let family = if family == Family::Any && host.contains(':') { Family::V6 } else { family };
    Ok(Target {
        transport,
        family,
        credentials: credentials(defaults.version, None, Context::default(), defaults)?,
        host,
        port,
        path: None,
    })
}

/// Takes the name of a transport off the front. What is no transport's name is a
/// host: `printer:1161`.
fn split_transport(text: &str) -> Result<(Transport, Family, &str), TargetError> {
    let plain = (Transport::Udp, Family::Any, text);
    let Some((name, address)) = text.split_once(':') else { return Ok(plain) };
    if text.parse::<Ipv6Addr>().is_ok() {
        return Ok(plain);
    }
    let (transport, family) = match name.to_ascii_lowercase().as_str() {
        "udp" => (Transport::Udp, Family::V4),
        "udp6" | "udpv6" | "udpipv6" => (Transport::Udp, Family::V6),
        "tcp" => (Transport::Tcp, Family::V4),
        "tcp6" | "tcpv6" | "tcpipv6" => (Transport::Tcp, Family::V6),
        "unix" | "ipx" | "aal5pvc" | "pvc" | "dtlsudp" | "dtls" | "tlstcp" | "tls" | "ssh" | "std"
        | "alias" | "callback" => return Err(TargetError::Transport { transport: name.into() }),
        _ => return Ok(plain),
    };
    Ok((transport, family, address))
}

/// `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address.
fn split_address(text: &str, default: u16) -> Result<(String, u16), TargetError> {
    let brackets = || TargetError::Brackets { address: text.into() };
    if let Some(inside) = text.strip_prefix('[') {
        let (address, rest) = inside.split_once(']').ok_or_else(brackets)?;
        let bare = address.split_once('%').map_or(address, |(bare, _zone)| bare);
        bare.parse::<Ipv6Addr>().map_err(|_| brackets())?;
        let port = match rest.strip_prefix(':') {
            Some(port) => parse_port(port)?,
            None if rest.is_empty() => default,
            None => return Err(TargetError::Port { port: rest.into() }),
        };
        return Ok((address.into(), port));
    }
    let bare = text.split_once('%').map_or(text, |(bare, _zone)| bare);
    if bare.parse::<Ipv6Addr>().is_ok() {
        return Ok((text.into(), default));
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, parse_port(port)?),
        None => (text, default),
    };
    if host.is_empty() { Err(TargetError::NoHost { text: text.into() }) } else { Ok((host.into(), port)) }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    let port = text.parse().ok().filter(|&port| port != 0);
    port.ok_or_else(|| TargetError::Port { port: text.into() })
}

fn percent_decode(text: &str, part: &'static str) -> Result<Vec<u8>, TargetError> {
    let mut octets = text.bytes();
    let mut decoded = Vec::with_capacity(text.len());
    while let Some(octet) = octets.next() {
        if octet != b'%' {
            decoded.push(octet);
            continue;
        }
        let mut digit = || octets.next().and_then(|digit| char::from(digit).to_digit(16));
        match (digit(), digit()) {
            (Some(high), Some(low)) => decoded.push((high * 16 + low) as u8),
            _ => return Err(TargetError::PercentEncoding { part }),
        }
    }
    Ok(decoded)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn target(text: &str) -> Target {
        text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    #[track_caller]
    fn check(text: &str, transport: Transport, host: &str, port: u16) {
        let target = target(text);
        assert_eq!((target.transport, target.host.as_str(), target.port), (transport, host, port), "{text}");
    }

    #[test]
    fn urls() {
        check("snmp://router", Transport::Udp, "router", 161);
        check("snmp://public@router:1161/IF-MIB::ifTable", Transport::Udp, "router", 1161);
        check("snmp+tcp://[2001:db8::1]:1161", Transport::Tcp, "2001:db8::1", 1161);
        check("snmp+udp://[fe80::1%eth0]", Transport::Udp, "fe80::1%eth0", 161);
        check("SNMP://192.0.2.1/", Transport::Udp, "192.0.2.1", 161);
    }

    #[test]
    fn the_object_of_a_url_with_and_without_the_empty_context() {
        for text in ["snmp://h/1.3.6", "snmp://h//1.3.6", "snmp://h:1/%31.3.6?version=1"] {
            assert_eq!(target(text).path.as_deref(), Some("1.3.6"), "{text}");
        }
        for text in ["snmp://h", "snmp://h/", "snmp://h//"] {
            assert_eq!(target(text).path, None, "{text}");
        }
    }

    fn community(target: &Target) -> (&[u8], Version) {
        match &target.credentials {
            Credentials::Community { version, community } => (community, *version),
            Credentials::Usm(user) => panic!("{user:?}"),
        }
    }

    #[test]
    fn communities_and_versions() {
        let t = target("snmp://my%40name%00:x@host?version=1");
        assert_eq!(community(&t), (&b"my@name\0:x"[..], Version::V1));
        assert_eq!(community(&target("snmp://@host")), (&b""[..], Version::V2c));
        let defaults = Defaults { version: Version::V1, community: b"c".to_vec(), usm: None };
        assert_eq!(community(&Target::parse("host", &defaults).unwrap()), (&b"c"[..], Version::V1));
    }

    #[test]
    fn users_and_contexts() {
        let user = |text: &str, defaults: &Defaults| match Target::parse(text, defaults)?.credentials {
            Credentials::Usm(user) => Ok(user),
            Credentials::Community { .. } => panic!("{text} has a community"),
        };
        let none = Defaults { version: Version::V3, ..Defaults::default() };
        let found = user("snmp://an%6e@host/lab%31;8000000001020304/1.3.6", &none).unwrap();
        assert_eq!((found.name(), found.context.as_slice()), (&b"ann"[..], &b"lab1"[..]));
        assert_eq!(found.context_engine_id, EngineId::from_hex("8000000001020304").ok());
        assert_eq!(user("snmp://host", &none).unwrap_err(), TargetError::NoUser);
        assert_eq!(user("udp:host", &none).unwrap_err(), TargetError::NoUser);
        assert!(matches!(user("snmp://@host", &none), Err(TargetError::User(_))));
        let text = "80zz".to_owned();
        assert_eq!(user("snmp://a@host/;80zz/", &none).unwrap_err(), TargetError::ContextEngine { text });

        let mut bob = UsmCredentials::new(b"bob").unwrap();
        bob.context = b"deep".to_vec();
        let defaults = Defaults { usm: Some(bob), ..Defaults::default() };
        let found = user("snmp://host?version=3", &defaults).unwrap();
        assert_eq!((found.name(), found.context.as_slice()), (&b"bob"[..], &b"deep"[..]));
        let found = user("snmp://ann@host/other/?version=3", &defaults).unwrap();
        assert_eq!((found.name(), found.context.as_slice()), (&b"ann"[..], &b"other"[..]));
        assert_eq!(community(&target("snmp://ann@host")).0, b"ann");
    }

    #[test]
    fn net_snmp_specifications() {
        check("router", Transport::Udp, "router", 161);
        check("router:1161", Transport::Udp, "router", 1161);
        check("udp:router:1161", Transport::Udp, "router", 1161);
        check("tcp:192.0.2.1", Transport::Tcp, "192.0.2.1", 161);
        check("udp6:[::1]:1161", Transport::Udp, "::1", 1161);
        check("udp6:::1", Transport::Udp, "::1", 161);
        check("tcp6:[::1]", Transport::Tcp, "::1", 161);
        check("[::1]:161", Transport::Udp, "::1", 161);
        check("2001:db8::161", Transport::Udp, "2001:db8::161", 161);
        let receiver = Target::parse_receiver("udp:router", &Defaults::default()).unwrap();
        assert_eq!(receiver.port, NOTIFICATION_PORT);
        assert_eq!(Target::parse_receiver("snmp://h:9", &Defaults::default()).unwrap().port, 9);
        assert_eq!(target("udp:router").family, Family::V4);
        assert_eq!(target("udp6:router").family, Family::V6);
    }

    #[test]
    fn each_mistake_is_named() {
        let error = |text: &str| text.parse::<Target>().unwrap_err();
        assert_eq!(error(""), TargetError::NoHost { text: String::new() });
        assert_eq!(error("snmp://public@"), TargetError::NoHost { text: String::new() });
        assert_eq!(error("http://h"), TargetError::Scheme { scheme: "http".into() });
        assert_eq!(error("dtlsudp:h"), TargetError::Transport { transport: "dtlsudp".into() });
        assert_eq!(error("h:0"), TargetError::Port { port: "0".into() });
        assert_eq!(error("h:161x"), TargetError::Port { port: "161x".into() });
        assert_eq!(error("snmp://[::1"), TargetError::Brackets { address: "[::1".into() });
        assert_eq!(error("[1.2.3.4]:1"), TargetError::Brackets { address: "[1.2.3.4]:1".into() });
        assert_eq!(error("snmp://a%4@h"), TargetError::PercentEncoding { part: "community" });
        assert_eq!(error("snmp://h/%ff"), TargetError::PercentEncoding { part: "object" });
        assert_eq!(error("snmp://h/ctx/1.3"), TargetError::Context { context: "ctx".into() });
        assert_eq!(error("snmp://h?version=4"), TargetError::Parameter { parameter: "version=4".into() });
    }

    #[test]
    fn the_community_is_never_shown() {
        let t = target("snmp://secret@host/1.3");
        assert_eq!(t.to_string(), "snmp://host:161/1.3");
        assert!(!format!("{t:?}").contains("secret"));
        assert_eq!(target("snmp+tcp://[::1]").to_string(), "snmp+tcp://[::1]:161");
    }
}
