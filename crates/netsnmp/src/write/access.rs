//! Access in our form: `[[snmp.community]]`, `[[role]]`, `[[view]]`; `users` has the users.
//!
//! A group of VACM becomes a role. If a security name has different groups as v1 and as v2c, or a `rouser` line,
//! a separate role is created.

use std::collections::{BTreeMap, BTreeSet};

use super::listing::Entry;
use super::{list, tls, users};
use crate::Origin;
use crate::collected::{Collected, Community, CommunityRights, Rule, Seen, User};
use crate::session::Level;

/// The written access settings.
pub(super) struct Access {
    /// The entries.
    pub text: Vec<String>,
    /// Whether any community has access.
    pub has_communities: bool,
    /// Every user with an entry.
    pub users: Vec<User>,
}

/// Roles with a name of ours.
pub(super) struct Roles {
    /// Names taken.
    names: BTreeSet<String>,
    /// The role of each group.
    groups: BTreeMap<String, String>,
    /// The entries, by the role's name.
    pub entries: Vec<(String, Entry)>,
    /// Users of a role that these files do not create.
    pub members: BTreeMap<String, Vec<String>>,
}

pub(super) fn write(collected: &mut Collected<'_>) -> Access {
    let mut roles = Roles {
        names: BTreeSet::new(),
        groups: BTreeMap::new(),
        entries: Vec::new(),
        members: BTreeMap::new(),
    };
    note_contexts(collected);
    let communities = communities(collected, &mut roles);
    let has_communities = !communities.is_empty();
    let (user_entries, users) = users::users(collected, &mut roles);
    let principals = tls::principals(collected, &mut roles);
    let entries = communities.iter().chain(&user_entries).chain(&principals);
    let mut text: Vec<String> = entries.map(Entry::to_text).collect();
    for (name, entry) in &mut roles.entries {
        if let Some(members) = roles.members.get(name) {
            entry.raw("members", list(members));
        }
        text.push(entry.to_text());
    }
    text.extend(views(collected));
    Access { text, has_communities, users }
}

fn views(collected: &mut Collected<'_>) -> Vec<String> {
    let views = std::mem::take(&mut collected.views);
    let mut entries = Vec::new();
    for view in views {
        let Some((_, first)) = view.rules.first() else { continue };
        let mut entry = Entry::new("view", first, "view");
        for (_, origin) in &view.rules[1..] {
            entry.comment(format!("{origin} view"));
        }
        entry.text("name", &view.name).raw("rules", list(view.rules.iter().map(|(rule, _)| rule)));
        entries.push(entry.to_text());
    }
    entries
}

/// A view in a rule: a name or a list; `None` if it shows nothing.
fn seen(collected: &mut Collected<'_>, seen: &Seen, origin: &Origin) -> Option<String> {
    match seen {
        Seen::All => Some(list(["0", "1", "2"])),
        Seen::Subtree(oid) => Some(list([oid])),
        Seen::View(name) if name.len() <= 32 && collected.views.iter().any(|view| view.name == *name) => {
            Some(super::text(name))
        }
        Seen::View(name) if name == "_all_" => Some(list(["0", "1", "2"])),
        Seen::View(name) if name.is_empty() || name.eq_ignore_ascii_case("none") || name == "_none_" => None,
        Seen::View(name) => {
            let why = format!("there is no view {name}: it shows nothing, as in snmpd");
            collected.remark(origin, "view", why);
            None
        }
    }
}

fn communities(collected: &mut Collected<'_>, roles: &mut Roles) -> Vec<Entry> {
    let list = merge_families(std::mem::take(&mut collected.communities));
    let mut denied: BTreeMap<String, Vec<(String, Origin)>> = BTreeMap::new();
    let mut known: Vec<(String, Vec<String>, Origin)> = Vec::new();
    let mut entries = Vec::new();
    for (community, merged) in list {
        let shut = denied.entry(community.name.clone()).or_default();
        if community.source.excluded {
            let origin = &community.origin;
            shut.extend(
                community.source.networks.iter().map(|network| (format!("!{network}"), origin.clone())),
            );
            continue;
        }
        collected.parts.extend(shut.iter().map(|(_, part)| (part.clone(), community.origin.clone())));
        let mut sources: Vec<String> = shut.iter().map(|(network, _)| network.clone()).collect();
        if merged.is_none() {
            sources.extend(community.source.networks.clone());
        }
        let same = |(name, networks, _): &&(String, Vec<String>, Origin)| {
            *name == community.name && (networks.is_empty() || *networks == sources)
        };
        if let Some((_, _, first)) = known.iter().find(same) {
            let why =
                format!("{first} already defines this community for these sources and takes precedence");
            collected.remark(&community.origin, &community.directive, why);
            continue;
        }
        let Some(mut entry) = community_entry(collected, &community, roles) else { continue };
        if let Some(other) = merged {
            entry.comment(other);
        }
        if !community.context.is_empty() {
            entry.text("context", &community.context);
        }
        if !sources.is_empty() {
            entry.raw("sources", super::list(&sources));
        }
        known.push((community.name.clone(), sources, community.origin.clone()));
        entries.push(entry);
    }
    entries
}

/// A community from all of IPv4 and the same one from all of IPv6 are one, from anywhere.
fn merge_families(list: Vec<Community>) -> Vec<(Community, Option<String>)> {
    let everywhere = |community: &Community, network: &str| {
        !community.source.excluded && community.source.networks == [network]
    };
    let mut merged: Vec<(Community, Option<String>)> = Vec::new();
    for community in list {
        let partner = merged.iter_mut().find(|(known, other)| {
            let families = everywhere(known, "0.0.0.0/0") && everywhere(&community, "::/0")
                || everywhere(known, "::/0") && everywhere(&community, "0.0.0.0/0");
            other.is_none()
                && families
                && known.name == community.name
                && known.context == community.context
                && known.rights == community.rights
        });
        match partner {
            Some((_, other)) => *other = Some(format!("{} {}", community.origin, community.directive)),
            None => merged.push((community, None)),
        }
    }
    merged
}

fn community_entry(collected: &mut Collected<'_>, community: &Community, roles: &mut Roles) -> Option<Entry> {
    let Community { origin, directive, name, .. } = community;
    if name.is_empty() || name.len() > 255 {
        collected.note(origin, directive, "the community is empty or has more than 255 octets");
        return None;
    }
    if community.context.len() > 32 {
        collected.note(origin, directive, "the context has more than 32 octets");
        return None;
    }
    let mut entry = Entry::new("snmp.community", origin, directive);
    entry.text("name", name);
    match &community.rights {
        CommunityRights::Simple { seen, write } => {
            let view = self::seen(collected, seen, origin);
            let view = view.or_else(|| {
                collected.remark(
                    origin,
                    directive,
                    "the community would have no access, as in snmpd; it is left out",
                );
                None
            })?;
            entry.text("access", if *write { "write" } else { "read" });
            if *seen != Seen::All && *seen != Seen::View("_all_".into()) {
                entry.raw("view", view);
            }
        }
        CommunityRights::SecurityName(security_name) => {
            let role = security_role(collected, security_name, community, roles)?;
            entry.text("role", &role);
        }
    }
    Some(entry)
}

/// The role of a security name of communities: its group's, or one of its own where v1 and v2c differ.
fn security_role(
    collected: &mut Collected<'_>,
    security_name: &str,
    community: &Community,
    roles: &mut Roles,
) -> Option<String> {
    let group = |model: &str| {
        let found = collected
            .groups
            .iter()
            .find(|group| group.model == model && group.security_name == security_name);
        found.map(|group| group.name.clone())
    };
    let groups = [("v1", group("v1")), ("v2c", group("v2c"))];
    let mut rules: Vec<Rule> = Vec::new();
    for (model, group) in &groups {
        let of_group = collected.access.iter().filter(|access| Some(&access.group) == group.as_ref());
        let of_group: Vec<Rule> = of_group.map(|access| access.rule.clone()).collect();
        let fitting =
            possible(&of_group).0.into_iter().filter(|rule| rule.model == "any" || rule.model == *model);
        rules.extend(fitting.map(|rule| Rule { model, ..rule }));
    }
    rules.retain(|rule| rule.level == Level::NoAuth && matches_context(&rule.context, &community.context));
    let Community { origin, directive, .. } = community;
    if rules.is_empty() {
        let why = match groups.iter().all(|(_, group)| group.is_none()) {
            true => format!(
                "{security_name} is in no group of v1 or v2c: the community would have no access and is left out"
            ),
            false => format!(
                "no access line gives the group of {security_name} access without authentication in this context; the community is left out"
            ),
        };
        collected.remark(origin, directive, why);
        return None;
    }
    match &groups {
        [(_, Some(first)), (_, Some(second))] if first == second => group_role(collected, first, roles),
        _ => {
            let key = format!("{security_name} as v1 and v2c");
            if let Some(name) = roles.groups.get(&key) {
                return Some(name.clone());
            }
            let name = roles.name(security_name);
            roles.groups.insert(key, name.clone());
            let mut entry = Entry::new(
                "role",
                origin,
                &format!("{directive}: what the groups of {security_name} may do"),
            );
            entry.text("name", &name);
            let of_name = collected.groups.iter().filter(|group| group.security_name == security_name);
            let parts: Vec<_> = of_name.map(|group| (group.origin.clone(), origin.clone())).collect();
            collected.parts.extend(parts);
            let added = add_rules(collected, &mut entry, &rules);
            roles.entries.push((name.clone(), entry));
            added.then_some(name)
        }
    }
}

fn matches_context(rule: &str, context: &str) -> bool {
    rule.strip_suffix('*').map_or(rule == context, |beginning| context.starts_with(beginning))
}

/// The role of a group, written when it is first needed.
pub(super) fn group_role(collected: &mut Collected<'_>, group: &str, roles: &mut Roles) -> Option<String> {
    if let Some(name) = roles.groups.get(group) {
        return Some(name.clone());
    }
    let rules: Vec<Rule> = collected
        .access
        .iter()
        .filter(|access| access.group == group)
        .map(|access| access.rule.clone())
        .collect();
    let origin = rules.first()?.origin.clone();
    let name = roles.name(group);
    let members = collected.groups.iter().filter(|known| known.name == group);
    let parts: Vec<_> = members.map(|member| (member.origin.clone(), origin.clone())).collect();
    collected.parts.extend(parts);
    let mut entry = Entry::new("role", &origin, "access");
    entry.text("name", &name);
    if name != group {
        entry.comment(format!("the group {group}"));
    }
    if !add_rules(collected, &mut entry, &rules) {
        return None;
    }
    roles.groups.insert(group.to_string(), name.clone());
    roles.entries.push((name.clone(), entry));
    Some(name)
}

/// The rules that a role can have, and those that it cannot: one context for itself and as a beginning.
pub(super) fn possible(rules: &[Rule]) -> (Vec<Rule>, Vec<Rule>) {
    let mut kept: Vec<Rule> = Vec::new();
    let mut lost = Vec::new();
    let beginning = |rule: &Rule| rule.context.trim_end_matches('*').to_string();
    for rule in rules {
        let key = |rule: &Rule| (rule.context.clone(), rule.model, rule.level);
        if kept.iter().any(|known| beginning(known) == beginning(rule) && known.context != rule.context) {
            lost.push(rule.clone());
        } else if !kept.iter().any(|known| key(known) == key(rule)) {
            kept.push(rule.clone());
        }
    }
    (kept, lost)
}

/// Each rule as a `[[role.access]]`; `false` if none of them shows anything.
pub(super) fn add_rules(collected: &mut Collected<'_>, entry: &mut Entry, rules: &[Rule]) -> bool {
    let (kept, lost) = possible(rules);
    for rule in lost {
        let context = rule.context.trim_end_matches('*');
        let why = format!(
            "the context {context:?} is used both as it is and as a prefix; the first line takes precedence"
        );
        collected.note(&rule.origin, "access", why);
    }
    let mut shows = false;
    if any_overlap(&kept) {
        entry.raw("separate", "true".into());
    }
    for rule in &kept {
        let mut inner = Entry::new("role.access", &rule.origin, "");
        if rule.level != Level::NoAuth {
            inner.text("level", rule.level.name());
        }
        if !rule.context.is_empty() {
            inner.text("context", &rule.context);
        }
        if rule.model != "any" {
            inner.text("model", rule.model);
        }
        for (key, view) in ["read", "write", "notify"].into_iter().zip(rule.views.clone()) {
            if let Some(view) = view.and_then(|view| seen(collected, &view, &rule.origin)) {
                inner.raw(key, view);
                shows = true;
            }
        }
        entry.inner(inner);
    }
    shows
}

impl Roles {
    /// A name that is not taken, of at most 20 octets: its views are named after it, as in `NAME/notify.12`.
    pub fn name(&mut self, wanted: &str) -> String {
        let mut short = wanted.to_string();
        while short.len() > 20 {
            short.pop();
        }
        let mut name = short.clone();
        let mut number = 2;
        while name.is_empty() || !self.names.insert(name.clone()) {
            let suffix = format!("-{number}");
            let mut front = short.clone();
            while front.len() + suffix.len() > 20 {
                front.pop();
            }
            name = front + &suffix;
            number += 1;
        }
        name
    }
}

/// In snmpd a context holds only what proxies (and modules) have registered there; ours holds the
/// agent's own objects too, unless all of it is another agent's.
fn note_contexts(collected: &mut Collected<'_>) {
    let whole = |context: &str| {
        collected.proxies.iter().any(|proxy| {
            proxy.session.local_context.as_deref() == Some(context)
                && ["1", "1.3"].contains(&proxy.subtree.as_str())
        })
    };
    let communities = collected.communities.iter();
    let communities =
        communities.map(|known| (known.context.clone(), known.origin.clone(), known.directive.clone()));
    let rules = collected.access.iter().map(|access| (&access.rule, "access"));
    let rules =
        rules.chain(collected.user_access.iter().map(|access| (&access.rule, access.directive.as_str())));
    let rules = rules.map(|(rule, name)| (rule.context.clone(), rule.origin.clone(), name.to_string()));
    let mut named = BTreeSet::new();
    let new = |context: &String| !context.is_empty() && !context.ends_with('*') && !whole(context);
    let found: Vec<_> = communities.chain(rules).filter(|(context, _, _)| new(context)).collect();
    for (context, origin, directive) in found {
        if named.insert(context.clone()) {
            let why = format!(
                "in the context {context} snmpd serves only what is registered there, such as proxies; here the \
                 agent's own objects are served too, within the view"
            );
            collected.note(&origin, &directive, why);
        }
    }
}

/// Whether one request may match two of these rules: then only VACM's choice between them preserves their
/// meaning, and the role's rules must stay separate rows.
fn any_overlap(rules: &[Rule]) -> bool {
    rules.iter().enumerate().any(|(at, rule)| rules[..at].iter().any(|other| overlap(rule, other)))
}

fn overlap(a: &Rule, b: &Rule) -> bool {
    let models = a.model == b.model || a.model == "any" || b.model == "any";
    let beginning = |context: &str| context.strip_suffix('*').map(str::to_string);
    let contexts = match (beginning(&a.context), beginning(&b.context)) {
        (None, None) => a.context == b.context,
        (Some(a), None) => b.context.starts_with(&a),
        (None, Some(b)) => a.context.starts_with(&b),
        (Some(a), Some(b)) => a.starts_with(&b) || b.starts_with(&a),
    };
    models && contexts
}
