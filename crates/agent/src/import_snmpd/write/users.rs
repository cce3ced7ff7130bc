//! Users in our form, `[[snmp.user]]`, each with the role of its group or with one of its own.

use super::access::{Roles, add_rules, group_role, possible};
use super::listing::Entry;
use super::notify;
use crate::import_snmpd::collected::{Collected, Group, Rule, User};
use crate::import_snmpd::session::{Level, SecretText};

/// The entries of all users, and the users.
pub(super) fn users(collected: &mut Collected<'_>, roles: &mut Roles) -> (Vec<Entry>, Vec<User>) {
    let mut users = std::mem::take(&mut collected.users);
    for user in notify::session_users(collected, &users) {
        users.push(user);
    }
    note_missing(collected, &users);
    let mut entries = Vec::new();
    for user in &users {
        let mut entry = Entry::new("snmp.user", &user.origin, "");
        entry.text("name", &user.name);
        let shared = match (&user.auth, &user.privacy) {
            (Some((_, SecretText::Password(auth))), Some((_, SecretText::Password(privacy)))) => {
                auth == privacy
            }
            _ => false,
        };
        if let Some((protocol, secret)) = &user.auth {
            entry.text("auth", protocol.name());
            add_secret(&mut entry, secret, if shared { Part::Both } else { Part::Auth });
        }
        if let Some((protocol, secret)) = &user.privacy {
            entry.text("priv", protocol.name());
            if !shared {
                add_secret(&mut entry, secret, Part::Priv);
            }
        }
        if let Some(role) = user_role(collected, user, roles) {
            entry.text("role", &role);
        } else {
            entry.comment("has no role: it may not ask for anything");
        }
        entries.push(entry);
    }
    (entries, users)
}

#[derive(Clone, Copy)]
enum Part {
    Auth,
    Priv,
    Both,
}

fn add_secret(entry: &mut Entry, secret: &SecretText, part: Part) {
    let (key, text) = match (secret, part) {
        (SecretText::Password(text), Part::Both) => ("password", text),
        (SecretText::Password(text), Part::Auth) => ("auth-password", text),
        (SecretText::Password(text), Part::Priv) => ("priv-password", text),
        (SecretText::Master(text), Part::Priv) => ("priv-master-key", text),
        (SecretText::Master(text), _) => ("auth-master-key", text),
        (SecretText::Local(text), Part::Priv) => ("priv-key", text),
        (SecretText::Local(text), _) => ("auth-key", text),
    };
    entry.text(key, text);
}

/// What `group`, `rouser` and the like give a user: it is in one group, and `rouser` makes one too, so
/// that what is said last counts.
fn user_role(collected: &mut Collected<'_>, user: &User, roles: &mut Roles) -> Option<String> {
    let group =
        collected.groups.iter().find(|group| group.model == "usm" && group.security_name == user.name);
    let group = group.cloned();
    let own: Vec<_> =
        collected.user_access.iter().filter(|access| access.user == user.name).cloned().collect();
    let own_counts = match (own.iter().map(|access| access.order).max(), &group) {
        (Some(last), Some(group)) => {
            let lost = if last > group.order { &group.origin } else { &own[0].rule.origin };
            let why =
                format!("{} has the group {} and a rouser line too; the last counts", user.name, group.name);
            let lost = lost.clone();
            collected.note(&lost, if last > group.order { "group" } else { "rouser" }, why);
            last > group.order
        }
        (last, _) => last.is_some(),
    };
    match group {
        Some(group) if !own_counts => grouped(collected, user, &group, roles),
        _ if own_counts => {
            own_role(collected, user, own.into_iter().map(|access| access.rule).collect(), roles)
        }
        _ => None,
    }
}

/// Whether a user with these keys can meet a rule.
fn reaches(user: &User, rule: &Rule) -> bool {
    let level = match (&user.auth, &user.privacy) {
        (None, _) => Level::NoAuth,
        (_, None) => Level::Auth,
        _ => Level::Priv,
    };
    rule.level <= level && matches!(rule.model, "any" | "usm")
}

fn grouped(collected: &mut Collected<'_>, user: &User, group: &Group, roles: &mut Roles) -> Option<String> {
    let rules = collected.access.iter().filter(|access| access.group == group.name);
    let rules: Vec<Rule> = rules.map(|access| access.rule.clone()).collect();
    if !possible(&rules).0.iter().any(|rule| reaches(user, rule)) {
        let (name, user) = (&group.name, &user.name);
        let why =
            format!("no access line lets the group {name} do anything at the level that {user} reaches");
        collected.note(&group.origin, "group", why);
        return None;
    }
    group_role(collected, &group.name, roles)
}

fn own_role(
    collected: &mut Collected<'_>,
    user: &User,
    rules: Vec<Rule>,
    roles: &mut Roles,
) -> Option<String> {
    let first = rules.first()?;
    if !possible(&rules).0.iter().any(|rule| reaches(user, rule)) {
        let (level, user) = (first.level.name(), &user.name);
        let why = format!(
            "asks for {level} at least, and the keys of {user} allow less: it has no access, as in snmpd"
        );
        collected.note(&first.origin, "rouser", why);
        return None;
    }
    let mut entry = Entry::new("role", &first.origin, "rouser or rwuser");
    let name = roles.name(&user.name);
    entry.text("name", &name);
    if !add_rules(collected, &mut entry, &rules) {
        return None;
    }
    roles.entries.push(entry);
    Some(name)
}

/// Rules for users that these files do not make.
fn note_missing(collected: &mut Collected<'_>, users: &[User]) {
    let is_known = |name: &str| users.iter().any(|user| user.name == name);
    let by_access = collected
        .user_access
        .iter()
        .map(|access| (access.user.clone(), access.rule.origin.clone(), "rouser"));
    let by_group = collected.groups.iter().filter(|group| group.model == "usm");
    let by_group = by_group.map(|group| (group.security_name.clone(), group.origin.clone(), "group"));
    let missing: Vec<_> = by_access.chain(by_group).filter(|(name, _, _)| !is_known(name)).collect();
    for (name, origin, directive) in missing {
        let why = format!(
            "the user {name} is made nowhere in these files; its keys are in the persistent file \
             (/var/lib/snmp/snmpd.conf): import that too, or write a [[snmp.user]]"
        );
        collected.note(&origin, directive, why);
    }
}
