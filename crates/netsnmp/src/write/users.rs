//! Users in our form, `[[snmp.user]]`, each with the role of its group or a separate one.

use std::collections::BTreeSet;

use super::access::{Roles, add_rules, group_role, possible};
use super::listing::Entry;
use super::notify;
use crate::Origin;
use crate::collected::{Collected, Group, Rule, User, UserAccess};
use crate::session::{Level, SecretText};

/// The entries of all users, and the users.
pub(super) fn users(collected: &mut Collected<'_>, roles: &mut Roles) -> (Vec<Entry>, Vec<User>) {
    let mut users = std::mem::take(&mut collected.users);
    for user in notify::session_users(collected, &users) {
        users.push(user);
    }
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
        if let Some(role) = user_role(collected, &user.name, level_of(user), roles) {
            entry.text("role", &role);
        } else {
            entry.comment("has no role, and so no access");
            without_rights(collected, user);
        }
        entries.push(entry);
    }
    await_users(collected, &users, roles);
    (entries, users)
}

/// A user that no line gives rights. One of another engine, and one that is notified or asked as, needs none.
fn without_rights(collected: &mut Collected<'_>, user: &User) {
    let targets = collected.targets.iter().map(|target| &target.session);
    let mut sessions = targets.chain(collected.proxies.iter().map(|proxy| &proxy.session));
    let is_used = sessions.any(|session| session.user.as_deref() == Some(user.name.as_str()));
    if is_used || user.at.is_some() || names_user(collected, &user.name) {
        return;
    }
    let why = format!(
        "{} has no access, as in snmpd: no line with rouser, rwuser, authuser or group names it",
        user.name
    );
    let directive = if user.engine.is_some() { "usmUser" } else { "createUser" };
    collected.remark(&user.origin, directive, why);
}

/// The highest level that a user's keys allow.
fn level_of(user: &User) -> Level {
    match (&user.auth, &user.privacy) {
        (None, _) => Level::NoAuth,
        (_, None) => Level::Auth,
        _ => Level::Priv,
    }
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

/// What `group`, `rouser` and the like grant a user: it is in one group, and `rouser` creates one too, so the
/// last line applies.
fn user_role(collected: &mut Collected<'_>, user: &str, level: Level, roles: &mut Roles) -> Option<String> {
    // What the agent asks itself is not a message: a user without keys has its rights there too.
    let is_internal = collected.asking_users.contains(user);
    let level = if is_internal { Level::Priv } else { level };
    role_of(collected, "usm", (user, level), roles)
}

/// The same for a security name of any model.
pub(super) fn role_of(
    collected: &mut Collected<'_>,
    model: &'static str,
    (user, level): (&str, Level),
    roles: &mut Roles,
) -> Option<String> {
    let group = collected.groups.iter().find(|group| group.model == model && group.security_name == user);
    let group = group.cloned();
    let own =
        collected.user_access.iter().filter(|access| access.user == user && is_for(access.rule.model, model));
    let own: Vec<_> = own.cloned().collect();
    let own_counts = match (own.iter().map(|access| access.order).max(), &group) {
        (Some(last), Some(group)) => {
            let lost = if last > group.order { &group.origin } else { &own[0].rule.origin };
            let why = format!(
                "{user} has the group {} and a {} line too; the later one takes precedence",
                group.name, own[0].directive
            );
            let lost = lost.clone();
            collected.remark(
                &lost,
                if last > group.order { "group" } else { own[0].directive.as_str() },
                why,
            );
            last > group.order
        }
        (last, _) => last.is_some(),
    };
    match group {
        Some(group) if !own_counts => grouped(collected, (model, user, level), &group, roles),
        _ if own_counts => own_role(collected, model, (user, level), own, roles),
        _ => None,
    }
}

/// Whether a user whose keys allow this level can meet a rule.
fn reaches(model: &str, level: Level, rule: &Rule) -> bool {
    rule.level <= level && is_for(rule.model, model)
}

fn is_for(rule: &str, model: &str) -> bool {
    rule == "any" || rule == model
}

fn grouped(
    collected: &mut Collected<'_>,
    (model, user, level): (&str, &str, Level),
    group: &Group,
    roles: &mut Roles,
) -> Option<String> {
    let rules = collected.access.iter().filter(|access| access.group == group.name);
    let rules: Vec<Rule> = rules.map(|access| access.rule.clone()).collect();
    if !possible(&rules).0.iter().any(|rule| reaches(model, level, rule)) {
        let name = &group.name;
        let why = format!(
            "no access line gives the group {name} access at the level that {user} reaches, as in snmpd"
        );
        collected.remark(&group.origin, "group", why);
        return None;
    }
    group_role(collected, &group.name, roles)
}

fn own_role(
    collected: &mut Collected<'_>,
    model: &str,
    (user, level): (&str, Level),
    own: Vec<UserAccess>,
    roles: &mut Roles,
) -> Option<String> {
    let directive = own.first()?.directive.clone();
    let rules: Vec<Rule> = own.into_iter().map(|access| access.rule).collect();
    let first = rules.first()?;
    if !possible(&rules).0.iter().any(|rule| reaches(model, level, rule)) {
        let least = first.level.name();
        let why = format!(
            "requires at least {least}, and the keys of {user} allow less: it has no access, as in snmpd"
        );
        collected.remark(&first.origin, &directive, why);
        return None;
    }
    let mut entry = Entry::new("role", &first.origin, &directive);
    let name = roles.name(user);
    entry.text("name", &name);
    if !add_rules(collected, &mut entry, &rules) {
        return None;
    }
    roles.entries.push((name.clone(), entry));
    Some(name)
}

/// Who has rights by `rouser` and the like, if its rule's model is wanted, and who is in a group of this model, with the
/// line and the directive.
pub(super) fn named(
    collected: &Collected<'_>,
    model: &str,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<(String, Origin, String)> {
    let by_access = collected.user_access.iter().filter(|access| is_wanted(access.rule.model));
    let by_access =
        by_access.map(|access| (access.user.clone(), access.rule.origin.clone(), access.directive.clone()));
    let by_group = collected.groups.iter().filter(|group| group.model == model);
    let by_group =
        by_group.map(|group| (group.security_name.clone(), group.origin.clone(), "group".to_string()));
    by_access.chain(by_group).collect()
}

/// Whether a line gives this user of USM rights, or a group.
pub(super) fn names_user(collected: &Collected<'_>, user: &str) -> bool {
    named(collected, "usm", |model| is_for(model, "usm")).iter().any(|(name, _, _)| name == user)
}

/// Rights of users that these files do not create: a manager may create them at any time, and has them then.
fn await_users(collected: &mut Collected<'_>, users: &[User], roles: &mut Roles) {
    let awaited = named(collected, "usm", |model| is_for(model, "usm"));
    let mut seen: BTreeSet<String> = users.iter().map(|user| user.name.clone()).collect();
    for (name, origin, directive) in awaited {
        if !seen.insert(name.clone()) {
            continue;
        }
        if name.is_empty() || name.len() > 32 {
            collected.note(&origin, &directive, "a user's name has 1 to 32 octets");
            continue;
        }
        // Which level its keys will allow is not known yet.
        let Some(role) = user_role(collected, &name, Level::Priv, roles) else { continue };
        roles.members.entry(role).or_default().push(name.clone());
        let why = format!(
            "the user {name} is not created in these files, so that nobody has this access until it exists. If its keys \
             are in the persistent file (/var/lib/snmp/snmpd.conf), import that too"
        );
        collected.remark(&origin, &directive, why);
    }
}
