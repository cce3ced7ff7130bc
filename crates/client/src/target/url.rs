//! URLs: RFC 4088, extended by transports, version and security model.

use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::Version;
use trunkline_transport::dial::Family;
use trunkline_transport::{Transport, Url};

use super::{Defaults, HttpWay, Inside, Role, Target, TargetError, address, ssh_login};
use crate::credentials::{Credentials, UsmCredentials};
use crate::scheme::{Language, Scheme};

pub(super) fn parse(url: Url<'_>, defaults: &Defaults, role: Role) -> Result<Target, TargetError> {
    let unknown = || TargetError::Scheme { scheme: url.scheme.into() };
    let scheme = Scheme::named(url.scheme);
    let transport = scheme.and_then(|scheme| scheme.transport_of(Language::Snmp)).ok_or_else(unknown)?;
    let Query { version, security, path: place } = parse_query(url.query.unwrap_or(""), transport)?;
    let (host, port) = address::split(url.authority, defaults.port.or(role.port(transport)))?;
    let path = parse_path(url.path.strip_prefix('/').unwrap_or(""))?;
    // Over SSH the name before the host is the login.
    let (login, who) = if transport == Transport::Ssh { (url.user, None) } else { (None, url.user) };
    let login = login.map(ssh_login).transpose()?;
    let asked = Asked { transport, version, security, who, context: path.context };
    let credentials = credentials(asked, defaults)?;
    let secure = defaults.secure.clone().filter(|_| transport.is_secure());
    let family = Family::Any;
    let http = HttpWay { path: place, ..HttpWay::of(defaults) };
    Ok(Target { transport, family, credentials, secure, login, http, host, port, path: path.object })
}

/// What a text says about credentials and protocol.
#[derive(Clone, Copy)]
pub(super) struct Asked<'t> {
    pub(super) transport: Transport,
    version: Option<Version>,
    security: Option<Security>,
    who: Option<&'t str>,
    context: Context<'t>,
}

impl Asked<'_> {
    /// Only this transport.
    pub(super) fn nothing(transport: Transport) -> Self {
        Asked { transport, version: None, security: None, who: None, context: Context::default() }
    }
}

/// The credentials: from the text, and from the defaults for what it omits.
pub(super) fn credentials(asked: Asked<'_>, defaults: &Defaults) -> Result<Credentials, TargetError> {
    match inside(&asked, defaults)? {
        Inside::Community(version) => community(version, &asked, defaults),
        Inside::User => user(&asked, defaults),
        Inside::Transport => session(&asked, defaults),
    }
}

/// The protocol. A parameter of the URL overrides the defaults; over a secure transport version 3 alone means that
/// the session authenticates.
fn inside(asked: &Asked<'_>, defaults: &Defaults) -> Result<Inside, TargetError> {
    let is_secure = asked.transport.is_secure();
    let by_default = match (is_secure, defaults.version) {
        (true, _) => defaults.inside,
        (false, Version::V3) => Inside::User,
        (false, version) => Inside::Community(version),
    };
    match (asked.version, asked.security) {
        (Some(Version::V1 | Version::V2c), Some(security)) => {
            Err(TargetError::Parameter { parameter: format!("security={}", security.name()) })
        }
        (Some(version @ (Version::V1 | Version::V2c)), None) => Ok(Inside::Community(version)),
        (_, Some(Security::User)) => Ok(Inside::User),
        (_, Some(Security::Transport)) if is_secure => Ok(Inside::Transport),
        (_, Some(Security::Transport)) => {
            Err(TargetError::NothingProved { transport: asked.transport.name() })
        }
        (Some(Version::V3), None) => match by_default {
            Inside::Community(_) if is_secure => Ok(Inside::Transport),
            Inside::Community(_) => Ok(Inside::User),
            inside => Ok(inside),
        },
        (None, None) => Ok(by_default),
    }
}

fn community(version: Version, asked: &Asked<'_>, defaults: &Defaults) -> Result<Credentials, TargetError> {
    let context = asked.context;
    if !context.name.is_empty() || context.engine.is_some() {
        return Err(TargetError::Context { context: context.name.into() });
    }
    let who = asked.who.map(|who| percent_decode(who, "community")).transpose()?;
    let community = who.unwrap_or_else(|| defaults.community.clone());
    Ok(Credentials::Community { version, community })
}

fn user(asked: &Asked<'_>, defaults: &Defaults) -> Result<Credentials, TargetError> {
    let who = asked.who.map(|who| percent_decode(who, "user")).transpose()?;
    let mut user = match (who, &defaults.usm) {
        (Some(name), Some(user)) => user.clone().with_name(&name)?,
        (Some(name), None) => UsmCredentials::new(&name)?,
        (None, Some(user)) => user.clone(),
        (None, None) => return Err(TargetError::NoUser),
    };
    asked.context.put(&mut user.context, &mut user.context_engine_id)?;
    Ok(user.into())
}

fn session(asked: &Asked<'_>, defaults: &Defaults) -> Result<Credentials, TargetError> {
    if asked.who.is_some() {
        return Err(TargetError::WhoIsProved { transport: asked.transport.name() });
    }
    let mut session = defaults.tsm.clone();
    asked.context.put(&mut session.context, &mut session.context_engine_id)?;
    Ok(session.into())
}

/// The part of a URL after the host.
#[derive(Default)]
struct Path<'t> {
    context: Context<'t>,
    object: Option<String>,
}

/// contextName and contextEngineID of a URL.
#[derive(Clone, Copy, Default)]
struct Context<'t> {
    name: &'t str,
    engine: Option<&'t str>,
}

impl Context<'_> {
    /// Replaces the defaults by the values of the URL.
    fn put(self, name: &mut Vec<u8>, engine: &mut Option<EngineId>) -> Result<(), TargetError> {
        if !self.name.is_empty() {
            *name = percent_decode(self.name, "context")?;
        }
        if let Some(text) = self.engine {
            let id =
                EngineId::from_hex(text).map_err(|_| TargetError::ContextEngine { text: text.into() })?;
            *engine = Some(id);
        }
        Ok(())
    }
}

/// The security model.
#[derive(Clone, Copy)]
enum Security {
    User,
    Transport,
}

impl Security {
    const fn name(self) -> &'static str {
        match self {
            Security::User => "usm",
            Security::Transport => "tsm",
        }
    }
}

/// The part after the `?`.
#[derive(Default)]
struct Query {
    version: Option<Version>,
    security: Option<Security>,
    /// The door's path over HTTP.
    path: Option<String>,
}

fn parse_query(text: &str, transport: Transport) -> Result<Query, TargetError> {
    let mut query = Query::default();
    for parameter in text.split('&').filter(|parameter| !parameter.is_empty()) {
        match parameter {
            "version=1" => query.version = Some(Version::V1),
            "version=2c" => query.version = Some(Version::V2c),
            "version=3" => query.version = Some(Version::V3),
            "security=usm" => query.security = Some(Security::User),
            "security=tsm" => query.security = Some(Security::Transport),
            _ => match parameter.strip_prefix("path=").filter(|_| transport.is_http()) {
                Some(path) if path.starts_with('/') => query.path = Some(path.into()),
                _ => {
                    let is_known =
                        ["version=", "security=", "path="].iter().any(|name| parameter.starts_with(name));
                    let shown = if is_known { parameter } else { name_of(parameter) };
                    return Err(TargetError::Parameter { parameter: shown.into() });
                }
            },
        }
    }
    Ok(query)
}

/// The part of a parameter before `=`.
fn name_of(parameter: &str) -> &str {
    parameter.split('=').next().unwrap_or_default()
}

/// `OBJECT`, or `CONTEXT/OBJECT` of RFC 4088.
fn parse_path(path: &str) -> Result<Path<'_>, TargetError> {
    let (context, object) = path.split_once('/').unwrap_or(("", path));
    let context = match context.split_once(';') {
        Some((name, engine)) => Context { name, engine: Some(engine) },
        None => Context { name: context, engine: None },
    };
    let object = decode_text(object, "object")?;
    Ok(Path { context, object: (!object.is_empty()).then_some(object) })
}

pub(super) fn decode_text(text: &str, part: &'static str) -> Result<String, TargetError> {
    String::from_utf8(percent_decode(text, part)?).map_err(|_| TargetError::PercentEncoding { part })
}

pub(super) fn percent_decode(text: &str, part: &'static str) -> Result<Vec<u8>, TargetError> {
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
