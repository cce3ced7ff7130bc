//! Members of a group: `[[group.member]]`, in the configuration or in a file.

use std::collections::BTreeSet;
use std::fmt;
use std::net::Ipv4Addr;
use std::path::PathBuf;

use serde_spanned::Spanned;
use trunkline_transport::{Authority, Transport, Url};

use super::range::Ranged;
use super::raw;
use crate::Place;
use crate::plan::files::{self, Readers};
use crate::plan::peer::{
    Credentials, PeerAddress, PeerRole, RawCredentials, check_credentials, check_portable,
};
use crate::plan::secret::{self, Form, Secret, Source};
use crate::plan::secure::{TlsServer, check_server};
use crate::plan::security::check_context;
use crate::plan::user::UserPlan;
use crate::plan::value::{self, Checked};

/// A member.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberPlan {
    /// Its name: 1 to 32 octets.
    pub name: String,
    /// How it is reached.
    pub way: MemberWay,
    /// The context that is read there; empty: the default one.
    pub context: String,
    /// Whether it is a mid-level manager whose groups are read.
    pub is_manager: bool,
    /// Whether the values of its members are read too.
    pub with_values: bool,
}

/// How a member is reached.
#[derive(Clone, PartialEq, Eq)]
pub enum MemberWay {
    /// SNMP.
    Snmp {
        /// Its address.
        address: PeerAddress,
        /// The identity that TLS and DTLS require of it.
        server: Option<TlsServer>,
        /// The credentials there.
        credentials: Credentials,
    },
    /// SOAP, NETCONF, RESTCONF or JMX.
    Url {
        /// Without a password.
        url: String,
        /// The identity that TLS requires of it.
        server: Option<TlsServer>,
        /// The user and the password over HTTP and JMX.
        login: Option<(String, Vec<u8>)>,
        /// The community of SOAP.
        community: Option<Vec<u8>>,
    },
}

impl fmt::Debug for MemberWay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MemberWay({})", self.address())
    }
}

impl MemberPlan {
    /// Whether the agent needs a key of SSH for it.
    #[must_use]
    pub fn is_over_ssh(&self) -> bool {
        match &self.way {
            MemberWay::Snmp { address, .. } => address.transport == Transport::Ssh,
            MemberWay::Url { url, .. } => url.starts_with("netconf://"),
        }
    }
}

impl MemberWay {
    /// Its address, without a secret.
    #[must_use]
    pub fn address(&self) -> String {
        match self {
            MemberWay::Snmp { address, .. } => address.to_string(),
            MemberWay::Url { url, .. } => url.clone(),
        }
    }

    /// The user of the configuration that is used there.
    #[must_use]
    pub fn user(&self) -> Option<&str> {
        match self {
            MemberWay::Snmp { credentials: Credentials::V3 { user, .. }, .. } => Some(user),
            _ => None,
        }
    }

    /// The host in it.
    #[must_use]
    pub fn host(&self) -> String {
        match self {
            MemberWay::Snmp { address, .. } => address.host.clone(),
            MemberWay::Url { url, .. } => {
                let authority = Url::split(url).map(|url| url.authority).unwrap_or_default();
                Authority::parse(authority).map(|authority| authority.host.to_string()).unwrap_or_default()
            }
        }
    }
}

/// The schemes of other protocols than SNMP.
const SCHEMES: [&str; 9] = [
    "soap+http",
    "soap+https",
    "netconf",
    "netconf+tls",
    "netconf+tcp",
    "restconf+http",
    "restconf+https",
    "jmx",
    "jmx+tls",
];

/// A file of members.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MembersFile {
    /// Where it is.
    pub path: PathBuf,
    /// It has none.
    pub is_empty: bool,
}

/// The members of a group while they are checked.
#[derive(Default)]
pub(super) struct Members {
    pub members: Vec<MemberPlan>,
    pub groups: Vec<String>,
    seen: BTreeSet<String>,
}

/// Octets of the longest file of members.
const LONGEST_FILE: u64 = 4 << 20;

impl Members {
    pub fn add(&mut self, list: Vec<raw::Member>, users: &[UserPlan], place: Place<'_>) -> Checked<()> {
        for raw in list {
            self.add_ranged(&raw, users, place)?;
        }
        Ok(())
    }

    pub fn add_file(
        &mut self,
        file: &Spanned<String>,
        users: &[UserPlan],
        place: Place<'_>,
    ) -> Checked<MembersFile> {
        let path = files::path(file.get_ref(), place.path);
        let wrong = |message: String| place.wrong(file.span(), message);
        let octets = files::read_within(&path, Readers::Anybody, LONGEST_FILE).map_err(wrong)?;
        let text = String::from_utf8(octets)
            .map_err(|_| place.wrong(file.span(), format!("{} is not UTF-8", path.display())))?;
        let inside = Place { path: &path, text: &text };
        let raw: raw::MembersFile = toml::from_str(&text)
            .map_err(|error| inside.wrong(error.span().unwrap_or(0..0), error.message().to_owned()))?;
        let is_empty = raw.member.is_empty();
        self.add(raw.member, users, inside)?;
        Ok(MembersFile { path, is_empty })
    }

    /// One member, or as many as the range has.
    fn add_ranged(&mut self, raw: &raw::Member, users: &[UserPlan], place: Place<'_>) -> Checked<()> {
        let address = raw.address.get_ref();
        if let Some(group) = address.strip_prefix('@') {
            if let Some(key) = beside_group(raw) {
                let message = format!("a group as a member has no `{key}`: expected `address` alone");
                return Err(place.wrong(raw.address.span(), message));
            }
            self.groups.push(group.to_owned());
            return Ok(());
        }
        let wrong = |text: &Spanned<String>| {
            place.wrong(text.span(), "expected one range such as {1-250} in the braces".into())
        };
        let addresses = Ranged::parse(address).ok_or_else(|| wrong(&raw.address))?;
        let name =
            raw.name.as_ref().ok_or_else(|| place.wrong(raw.address.span(), "expected a name".into()))?;
        let names = Ranged::parse(name.get_ref()).ok_or_else(|| wrong(name))?;
        if names.count() != addresses.count() {
            let of =
                |range: &Ranged<'_>| range.count().map_or("none".into(), |count| format!("one of {count}"));
            let message = format!(
                "expected a range of the same length in the name as in the address: found {} and {}",
                of(&names),
                of(&addresses)
            );
            return Err(place.wrong(name.span(), message));
        }
        let count = addresses.count().unwrap_or(1);
        if self.members.len() + count > super::MOST_MEMBERS {
            let most = super::MOST_MEMBERS;
            return Err(place.wrong(name.span(), format!("expected at most {most} members")));
        }
        for at in 0..count {
            let name = Spanned::new(name.span(), names.text(at));
            let name = value::name_in_urls(&name, 32, &mut self.seen, place)?;
            let address = Spanned::new(raw.address.span(), addresses.text(at));
            self.members.push(check_member(raw, name, &address, users, place)?);
        }
        Ok(())
    }
}

/// A key that means nothing beside the name of a group; `None`: it has none.
fn beside_group(raw: &raw::Member) -> Option<&'static str> {
    let texts = [
        ("name", &raw.name),
        ("context", &raw.context),
        ("version", &raw.version),
        ("user", &raw.user),
        ("principal", &raw.principal),
        ("fingerprint", &raw.fingerprint),
        ("server-name", &raw.server_name),
        ("level", &raw.level),
        ("login", &raw.login),
        ("password-file", &raw.password_file),
    ];
    let secrets = [("community", &raw.community), ("password", &raw.password)];
    let text = texts.into_iter().find(|(_, text)| text.is_some()).map(|(key, _)| key);
    let secret = secrets.into_iter().find(|(_, secret)| secret.is_some()).map(|(key, _)| key);
    let switches = [("manager", raw.manager), ("values", raw.values)];
    text.or(secret).or_else(|| switches.into_iter().find(|(_, is_on)| *is_on).map(|(key, _)| key))
}

/// One without a range; `None`: it names a group.
pub(super) fn check_one(
    raw: &raw::Member,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<Option<MemberPlan>> {
    if raw.address.get_ref().starts_with('@') {
        return Ok(None);
    }
    let name =
        raw.name.as_ref().map_or_else(|| Ok("peer".to_owned()), |name| value::length(name, 32, place))?;
    check_member(raw, name, &raw.address, users, place).map(Some)
}

fn check_member(
    raw: &raw::Member,
    name: String,
    address: &Spanned<String>,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<MemberPlan> {
    let scheme = Url::split(address.get_ref()).map(|url| url.scheme.to_ascii_lowercase());
    let is_other = scheme.is_some_and(|scheme| SCHEMES.contains(&scheme.as_str()));
    let way =
        if is_other { check_url(raw, address, place)? } else { check_snmp(raw, address, users, place)? };
    let host = way.host();
    let is_number = |c: char| c.is_ascii_digit() || c == '.';
    if host.chars().all(is_number) && host.contains('.') && host.parse::<Ipv4Addr>().is_err() {
        let message = format!("{host} is not an address of IPv4, whose numbers are at most 255");
        return Err(place.wrong(address.span(), message));
    }
    let context = check_context(raw.context.clone(), place)?;
    if let Some(given) = raw.context.as_ref().filter(|_| is_other) {
        return Err(place.wrong(given.span(), "only SNMP has contexts".into()));
    }
    Ok(MemberPlan { name, way, context, is_manager: raw.manager, with_values: raw.values })
}

fn secret_of(text: Option<&Spanned<crate::raw::Secret>>) -> Option<Spanned<crate::raw::Secret>> {
    text.map(|text| Spanned::new(text.span(), crate::raw::Secret(text.get_ref().0.clone())))
}

fn check_snmp(
    raw: &raw::Member,
    address: &Spanned<String>,
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<MemberWay> {
    if let Some(extra) = raw.login.as_ref().or(raw.password_file.as_ref()) {
        return Err(place.wrong(extra.span(), "only HTTP and JMX have a login and a password".into()));
    }
    let parsed = PeerAddress::parse(address.get_ref(), PeerRole::Agent).map_err(|message| {
        place.wrong(address.span(), format!("{message}; or {}, or @GROUP", SCHEMES.join(", ")))
    })?;
    let server = check_server(raw.fingerprint.clone(), raw.server_name.clone(), parsed.transport, place)?;
    let user_span = raw.user.as_ref().map_or(address.span(), Spanned::span);
    let credentials = RawCredentials {
        owner: address.span(),
        version: raw.version.clone(),
        community: secret_of(raw.community.as_ref()),
        user: raw.user.clone(),
        principal: raw.principal.clone(),
        level: raw.level.clone(),
        transport: parsed.transport,
    };
    let credentials = check_credentials(credentials, users, place)?;
    check_portable(&credentials, users, user_span, place)?;
    Ok(MemberWay::Snmp { address: parsed, server, credentials })
}

fn check_url(raw: &raw::Member, address: &Spanned<String>, place: Place<'_>) -> Checked<MemberWay> {
    let wrong = |message: &str| Err(place.wrong(address.span(), message.into()));
    let text = address.get_ref();
    let Some(url) = Url::split(text) else { return wrong("expected SCHEME://HOST:PORT") };
    if url.user.is_some_and(|user| user.contains(':')) {
        return wrong("a password does not belong into an address: expected `login` and `password-file`");
    }
    if Authority::parse(url.authority).is_err() {
        return wrong("expected SCHEME://HOST:PORT, IPv6 in brackets");
    }
    let names_more = url.user.is_some() || url.query.is_some() || !matches!(url.path, "" | "/");
    if url.scheme.to_ascii_lowercase().starts_with("jmx") && names_more {
        return wrong("expected jmx://HOST:PORT or jmx+tls://HOST:PORT; the user is in `login`");
    }
    if let Some(extra) = raw.version.as_ref().or(raw.user.as_ref()).or(raw.level.as_ref()) {
        return Err(place.wrong(extra.span(), "only SNMP has versions, users and levels".into()));
    }
    let is_tls = url.scheme.ends_with("https") || url.scheme.ends_with("tls");
    let transport = if is_tls { Transport::Https } else { Transport::Http };
    let server = check_server(raw.fingerprint.clone(), raw.server_name.clone(), transport, place)?;
    let source = Source {
        key: "password",
        form: Form::LoginPassword,
        inline: secret_of(raw.password.as_ref()),
        file: raw.password_file.clone(),
    };
    let login = match (&raw.login, secret::find(vec![source], place)?) {
        (Some(login), Some(found)) => match found.secret {
            Secret::Password(password) => Some((login.get_ref().clone(), password)),
            Secret::MasterKey(_) | Secret::LocalKey(_) => None,
        },
        (Some(login), None) => {
            return Err(place.wrong(login.span(), "expected a password for the login".into()));
        }
        (None, Some(found)) => {
            return Err(place.wrong(found.span, "expected a login for the password".into()));
        }
        (None, None) => None,
    };
    if let Some(given) = raw.community.as_ref().filter(|_| !url.scheme.starts_with("soap")) {
        return Err(place.wrong(given.span(), "only SNMP and SOAP have communities".into()));
    }
    let community = raw.community.as_ref().map(|it| it.get_ref().0.clone().into_bytes());
    Ok(MemberWay::Url { url: text.clone(), server, login, community })
}
