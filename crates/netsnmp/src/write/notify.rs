//! Notification targets and proxies in our form: `[[snmp.target]]`, `[[proxy]]`, and the users that they need.

use std::path::PathBuf;

use super::listing::Entry;
use super::programs::seconds;
use super::{list, peers};
use crate::collected::{Collected, Proxy, Target, User};
use crate::session::{Level, SecretText, Session};
use crate::{Origin, addresses};
use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};

/// The version of a session.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Version {
    V1,
    V2c,
    V3,
}

fn version(session: &Session) -> Result<Version, String> {
    match session.version.as_deref() {
        Some("1") => Ok(Version::V1),
        Some("2c") => Ok(Version::V2c),
        Some("3") => Ok(Version::V3),
        None if session.user.is_none() && session.community.is_some() => Ok(Version::V2c),
        None => Ok(Version::V3),
        Some(other) => Err(format!("-v {other} is not a version of SNMP")),
    }
}

/// Users of sessions that `createUser` has not created.
pub(super) fn session_users(collected: &mut Collected<'_>, known: &[User]) -> Vec<User> {
    let mut made: Vec<User> = Vec::new();
    let targets =
        collected.targets.iter().map(|target| (&target.session, &target.origin, target.directive.as_str()));
    let proxies = collected.proxies.iter().map(|proxy| (&proxy.session, &proxy.origin, "proxy"));
    let sessions: Vec<(Session, Origin, String)> = targets
        .chain(proxies)
        .map(|(session, origin, directive)| (session.clone(), origin.clone(), directive.to_string()))
        .collect();
    for (session, origin, directive) in sessions {
        let is_v3 = version(&session).is_ok_and(|version| version == Version::V3);
        let Some(name) = session.user.clone().filter(|name| is_v3 && !name.is_empty() && name.len() <= 32)
        else {
            continue;
        };
        let user = session_user(&name, &session, &origin);
        match known.iter().chain(&made).find(|known| known.name == name) {
            None => match user.check() {
                Ok(()) => made.push(user),
                Err(why) => collected.note(&origin, &directive, why),
            },
            Some(other) => {
                let same = (user.auth.is_none() || user.auth == other.auth)
                    && (user.privacy.is_none() || user.privacy == other.privacy);
                if !same {
                    let why = format!(
                        "the user {name} has other keys at {}, which take precedence; rename one of the two",
                        other.origin
                    );
                    collected.note(&origin, &directive, why);
                }
            }
        }
    }
    made
}

/// Net-SNMP's default protocols are MD5 and DES (snmp.conf(5)).
fn session_user(name: &str, session: &Session, origin: &Origin) -> User {
    let level = session.level.unwrap_or(Level::NoAuth);
    let auth = session.auth_secret.clone().filter(|_| level >= Level::Auth);
    let auth = auth.map(|secret| (session.auth.unwrap_or(AuthProtocol::Md5), secret));
    let own = session.priv_secret.clone();
    let shared = session.auth_secret.clone().filter(|_| session.privacy.is_some());
    let privacy = own.or(shared).filter(|_| level >= Level::Priv && auth.is_some());
    let privacy = privacy.map(|secret| (session.privacy.unwrap_or(PrivProtocol::Des), secret));
    User { name: name.into(), auth, privacy, engine: None, at: None, origin: origin.clone() }
}

/// Version and who, as keys of an entry.
fn credentials(
    entry: &mut Entry,
    (address, folders): (&str, &[PathBuf]),
    session: &Session,
    users: &[User],
) -> Result<(), String> {
    let version = version(session)?;
    if addresses::is_secure(address) {
        peers::peer(entry, folders, &session.certificates)?;
        if version == Version::V3 && session.user.is_none() {
            // The certificates say who both are (RFC 6353).
            return Ok(());
        }
    }
    if version != Version::V3 {
        let community = session.community.as_deref().filter(|community| (1..=255).contains(&community.len()));
        let community = community.ok_or("names no community (-c)")?;
        entry.text("version", if version == Version::V1 { "v1" } else { "v2c" }).text("community", community);
        return Ok(());
    }
    let name = session.user.as_deref().ok_or("names no user (-u) for SNMPv3")?;
    let user = users.iter().find(|user| user.name == name);
    let user =
        user.ok_or_else(|| format!("the user {name} is not created in these files: write a [[snmp.user]]"))?;
    let level = session.level.unwrap_or(Level::NoAuth);
    let reached = match (&user.auth, &user.privacy) {
        (None, _) => Level::NoAuth,
        (_, None) => Level::Auth,
        _ => Level::Priv,
    };
    if level > reached {
        return Err(format!("-l {} is more than the keys of the user {name} allow", level.name()));
    }
    entry.text("version", "v3").text("user", name).text("level", level.name());
    Ok(())
}

/// Whether a user's keys are of use with other engines.
fn is_portable(session: &Session, users: &[User]) -> bool {
    let user = users.iter().find(|user| Some(&user.name) == session.user.as_ref());
    user.is_none_or(|user| {
        let secrets = [user.auth.as_ref().map(|(_, s)| s), user.privacy.as_ref().map(|(_, s)| s)];
        !secrets.into_iter().flatten().any(|secret| matches!(secret, SecretText::Local(_)))
    })
}

pub(super) fn write(collected: &mut Collected<'_>, users: &[User]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut names: Vec<String> = Vec::new();
    let targets = std::mem::take(&mut collected.targets);
    for target in &targets {
        match write_target(collected, target, users, &mut names) {
            Ok(entry) => parts.push(entry.to_text()),
            Err(why) => collected.note(&target.origin, &target.directive, why),
        }
    }
    parts.extend(proxies(collected, users));
    parts
}

fn write_target(
    collected: &mut Collected<'_>,
    target: &Target,
    users: &[User],
    names: &mut Vec<String>,
) -> Result<Entry, String> {
    let session = &target.session;
    let mut entry = Entry::new("snmp.target", &target.origin, &target.directive);
    let wanted = target
        .name
        .clone()
        .unwrap_or_else(|| format!("{}-{}", target.directive.to_ascii_lowercase(), names.len() + 1));
    let mut name = short(&wanted, 32);
    let mut number = 2;
    while name.is_empty() || names.contains(&name) {
        name = format!("{}-{number}", short(&wanted, 24));
        number += 1;
    }
    entry.text("name", &name).text("address", &target.address);
    credentials(&mut entry, (&target.address, &collected.certificate_folders), session, users)?;
    if session.inform {
        if version(session)? == Version::V1 {
            return Err("SNMPv1 has no informs".into());
        }
        if version(session)? == Version::V3 && !is_portable(session, users) {
            return Err("the user's keys are for this engine alone, and an inform needs the receiver's: give the user a password".into());
        }
        // Net-SNMP's own defaults: 1 s, 5 times more.
        entry.text("kind", "inform").raw("timeout", seconds(session.timeout.unwrap_or(1.0)));
        entry.raw("retries", session.retries.unwrap_or(5).min(255).to_string());
    }
    if let Some(context) = context(session.context.as_deref())? {
        entry.text("context", context);
    }
    if let Some(profile) = &session.profile {
        match collected.filters.get(profile) {
            Some(rules) => {
                entry.raw("filter", list(rules.iter().map(|(rule, _)| rule)));
                let parts: Vec<_> =
                    rules.iter().map(|(_, part)| (part.clone(), target.origin.clone())).collect();
                collected.parts.extend(parts);
            }
            None => {
                let why = format!("there is no notificationFilter {profile}: all notifications are sent");
                collected.remark(&target.origin, &target.directive, why);
            }
        }
    }
    ignored(&mut entry, session);
    for (option, why) in UNSENT {
        if session.ignored.iter().any(|ignored| ignored.split(' ').next() == Some(option)) {
            collected.note(&target.origin, &target.directive, format!("{option}: {why}"));
        }
    }
    names.push(name);
    Ok(entry)
}

/// Options of a sink that change what its receiver sees.
const UNSENT: [(&str, &str); 2] = [
    (
        "-e",
        "traps of SNMPv3 have this agent's own engine ID: receivers need the user with it, or set engine-id in [agent] to this one",
    ),
    ("-s", "notifications come from the address that the routing table chooses"),
];

/// The beginning of a text, of at most this many octets.
fn short(text: &str, most: usize) -> String {
    let mut text = text.to_string();
    while text.len() > most {
        text.pop();
    }
    text
}

/// A context that our configuration can have, if one is named.
fn context(context: Option<&str>) -> Result<Option<&str>, String> {
    match context {
        Some(context) if context.len() > 32 => Err("a context of more than 32 octets".into()),
        context => Ok(context.filter(|context| !context.is_empty())),
    }
}

fn ignored(entry: &mut Entry, session: &Session) {
    if !session.ignored.is_empty() {
        entry.comment(format!("without {}", session.ignored.join(", ")));
    }
}

fn proxies(collected: &mut Collected<'_>, users: &[User]) -> Vec<String> {
    let mut parts = Vec::new();
    let mut known: Vec<(String, Option<String>)> = Vec::new();
    for proxy in std::mem::take(&mut collected.proxies) {
        match write_proxy(&proxy, &collected.certificate_folders, users, &mut known) {
            Ok(entry) => {
                parts.push(entry.to_text());
                tell_of_own_objects(collected, &proxy);
            }
            Err(why) => collected.note(&proxy.origin, "proxy", why),
        }
    }
    parts
}

/// Where both have objects: mib-2, snmpModules, UCD-SNMP-MIB and Net-SNMP's.
const OWN: [&str; 4] = ["1.3.6.1.2.1", "1.3.6.1.6.3", "1.3.6.1.4.1.2021", "1.3.6.1.4.1.8072"];

/// Says so if a proxy of the default context covers objects that snmpd serves itself: there its own count, here the proxy.
fn tell_of_own_objects(collected: &mut Collected<'_>, proxy: &Proxy) {
    let has_context = proxy.session.local_context.as_ref().is_some_and(|context| !context.is_empty());
    let is_below = |subtree: &str, of: &str| {
        subtree.strip_prefix(of).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let covers = OWN.iter().any(|own| is_below(&proxy.subtree, own) || is_below(own, &proxy.subtree));
    if covers && !has_context {
        let why = "objects of this subtree that the agent serves itself come from the other agent: in snmpd its own take \
                   precedence";
        collected.remark(&proxy.origin, "proxy", why);
    }
}

fn write_proxy(
    proxy: &Proxy,
    folders: &[PathBuf],
    users: &[User],
    known: &mut Vec<(String, Option<String>)>,
) -> Result<Entry, String> {
    let session = &proxy.session;
    let mut entry = Entry::new("proxy", &proxy.origin, "proxy");
    entry.text("address", &proxy.address);
    credentials(&mut entry, (&proxy.address, folders), session, users)?;
    if !is_portable(session, users) {
        return Err("the user's keys are for this engine alone: give the user a password".into());
    }
    let own = context(session.local_context.as_deref())?;
    // All of a context is another agent's.
    let is_whole = ["1", "1.3"].contains(&proxy.subtree.as_str()) && own.is_some() && proxy.remote.is_none();
    let subtree = (!is_whole).then(|| proxy.subtree.clone());
    let key = (own.unwrap_or_default().to_string(), subtree.clone());
    if known.contains(&key) {
        return Err("an earlier proxy for this subtree takes precedence".into());
    }
    if let Some(subtree) = &subtree {
        entry.text("subtree", subtree);
    }
    if let Some(remote) = &proxy.remote {
        entry.text("remote-subtree", remote);
    }
    if let Some(context) = own {
        entry.text("context", context);
    }
    if let Some(context) = context(session.context.as_deref())? {
        entry.text("remote-context", context);
    }
    if let Some(timeout) = session.timeout {
        entry.raw("timeout", seconds(timeout));
    }
    if let Some(retries) = session.retries {
        entry.raw("retries", retries.min(255).to_string());
    }
    ignored(&mut entry, session);
    known.push(key);
    Ok(entry)
}
