//! Roles to rows.
//!
//! In vacmAccessTable one row decides, but a principal should have the sum of its grants. So a role gets a row
//! for each combination of the models, contexts and levels in its grants, with the views of all grants that apply
//! there. The row that RFC 3415 chooses for a request then stands for exactly the grants that the request
//! satisfies: it has the request's model if any grant names it, the longest of the named contexts, the highest of
//! the named levels.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_smi::Oid;

use super::{Member, Role, RoleError, RoleGrant, Roles, ViewSource};
use crate::policy::{
    AccessKey, AccessRow, AdminString, ContextMatch, GroupKey, GroupRow, Policy, RowState, SecurityLevel,
    SecurityModel, ViewType,
};
use crate::{Family, View};

pub(super) fn compile(roles: &Roles) -> Result<Policy, RoleError> {
    let by_name = by_name(&roles.roles)?;
    let mut names = ViewNames { views: roles.views.clone() };
    let mut policy = Policy::default();
    policy.contexts.insert(AdminString::default());
    policy.contexts.extend(roles.contexts.iter().cloned());
    for role in &roles.roles {
        let inheritance = Inheritance::of(role, &by_name)?;
        let rows = if role.separate { separate_rows } else { rows };
        policy.access.extend(rows(role, &inheritance, &mut names)?);
        policy.juniors.insert(role.name.clone(), role.inherits.clone());
        // One that is not there may come as data.
        policy.administers.insert(role.name.clone(), role.administers.clone());
    }
    for member in &roles.members {
        add_member(&mut policy, member, &by_name)?;
    }
    for (name, view) in &names.views {
        policy.add_view(name, view, RowState::CONFIG);
    }
    Ok(policy)
}

fn by_name(roles: &[Role]) -> Result<BTreeMap<&AdminString, &Role>, RoleError> {
    let mut by_name = BTreeMap::new();
    for role in roles {
        if role.name.is_empty() {
            return Err(RoleError::NoName { role: role.name.clone() });
        }
        if by_name.insert(&role.name, role).is_some() {
            return Err(RoleError::TwoOfOneName { role: role.name.clone() });
        }
    }
    Ok(by_name)
}

fn add_member(
    policy: &mut Policy,
    member: &Member,
    roles: &BTreeMap<&AdminString, &Role>,
) -> Result<(), RoleError> {
    let Member { model, name, role } = member.clone();
    if name.is_empty() {
        return Err(RoleError::NoName { role });
    }
    if model == SecurityModel::ANY {
        return Err(RoleError::AnyModel { name, role });
    }
    if !roles.contains_key(&role) {
        return Err(RoleError::NoSuchRole { name, model, role });
    }
    let row = GroupRow { group: role.clone(), state: RowState::CONFIG };
    match policy.groups.insert(GroupKey { model, name: name.clone() }, row) {
        Some(first) if first.group != role => {
            Err(RoleError::TwoRoles { name, model, first: first.group, second: role })
        }
        _ => Ok(()),
    }
}

/// A grant with the level that the inheritance path requires, and whose it is.
type Inherited<'r> = (SecurityLevel, Granted<'r>);

/// A grant and the role that has it.
type Granted<'r> = (&'r Role, &'r RoleGrant);

/// All grants of a role, its own last.
struct Inheritance<'r> {
    by_name: &'r BTreeMap<&'r AdminString, &'r Role>,
    /// From the inheriting role to the current one.
    path: Vec<&'r AdminString>,
    /// Roles in the order in which their rules are put together.
    order: Vec<&'r AdminString>,
    /// A role may be inherited by several ways; each level is gone through once.
    seen: BTreeSet<(&'r AdminString, SecurityLevel)>,
    grants: Vec<Inherited<'r>>,
}

impl<'r> Inheritance<'r> {
    fn of(role: &'r Role, by_name: &'r BTreeMap<&'r AdminString, &'r Role>) -> Result<Self, RoleError> {
        let (path, order, seen) = (Vec::new(), Vec::new(), BTreeSet::new());
        let mut inheritance = Inheritance { by_name, path, order, seen, grants: Vec::new() };
        inheritance.visit(role, SecurityLevel::NoAuthNoPriv)?;
        let Inheritance { seen, order, .. } = &inheritance;
        let mut grants = Vec::new();
        for name in order {
            for (_, level) in
                seen.range((*name, SecurityLevel::NoAuthNoPriv)..=(*name, SecurityLevel::AuthPriv))
            {
                let own = by_name.get(name).into_iter();
                let own = own.flat_map(|of| of.grants.iter().map(move |grant| (*of, grant)));
                let counts = |(_, grant): &Granted<'_>| role.separate || grant.is_something();
                grants.extend(own.filter(counts).map(|it| (it.1.level.max(*level), it)));
            }
        }
        inheritance.grants = grants;
        Ok(inheritance)
    }

    fn visit(&mut self, role: &'r Role, level: SecurityLevel) -> Result<(), RoleError> {
        if let Some(at) = self.path.iter().position(|name| **name == role.name) {
            let names = self.path[at..].iter().copied().chain([&role.name]);
            return Err(RoleError::Cycle { path: names.cloned().collect() });
        }
        if !self.seen.insert((&role.name, level)) {
            return Ok(());
        }
        self.path.push(&role.name);
        for parent in &role.inherits {
            let no_such = || RoleError::NoSuchParent { role: role.name.clone(), parent: parent.clone() };
            let found = self.by_name.get(parent).copied().ok_or_else(no_such)?;
            self.visit(found, level.max(role.level))?;
        }
        self.path.pop();
        if !self.order.contains(&&role.name) {
            self.order.push(&role.name);
        }
        Ok(())
    }

    /// Whether a role inherits from another, over any number of roles between.
    fn inherits(&self, heir: &Role, junior: &AdminString) -> bool {
        let mut open = vec![heir];
        let mut seen = BTreeSet::new();
        while let Some(role) = open.pop() {
            if role.inherits.contains(junior) {
                return true;
            }
            let parents = role.inherits.iter().filter_map(|name| self.by_name.get(name));
            open.extend(parents.filter(|parent| seen.insert(&parent.name)));
        }
        false
    }

    /// The rules of several roles, and behind them those that decide where roles have one subtree: the rule of a role decides over those of roles that
    /// it inherits from; between roles of which neither inherits from the other, one that excludes decides. The order of roles decides nothing.
    fn decided(&self, rules: Vec<(&Role, &Family)>) -> Vec<Family> {
        let mut by_subtree: BTreeMap<&Oid, Vec<(&Role, &Family)>> = BTreeMap::new();
        for (role, rule) in &rules {
            let same = by_subtree.entry(&rule.subtree).or_default();
            // Of a role's own rules the later one counts.
            same.retain(|(known, _)| known.name != role.name);
            same.push((role, rule));
        }
        let contradict = by_subtree
            .values()
            .filter(|same| same.iter().any(|(_, rule)| rule.included != same[0].1.included));
        let deciding: Vec<Family> = contradict
            .filter_map(|same| {
                let is_inherited = |role: &Role| same.iter().any(|(heir, _)| self.inherits(heir, &role.name));
                let mut rules: Vec<&Family> =
                    same.iter().filter(|(role, _)| !is_inherited(role)).map(|(_, rule)| *rule).collect();
                rules.sort_by_key(|rule| rule.included);
                rules.first().copied().cloned()
            })
            .collect();
        rules.into_iter().map(|(_, rule)| rule.clone()).chain(deciding).collect()
    }
}

impl RoleGrant {
    fn source(&self, view_type: ViewType) -> Option<&ViewSource> {
        match view_type {
            ViewType::Read => self.read.as_ref(),
            ViewType::Write => self.write.as_ref(),
            ViewType::Notify => self.notify.as_ref(),
        }
    }

    fn is_something(&self) -> bool {
        self.read.is_some() || self.write.is_some() || self.notify.is_some()
    }

    /// Whether the grant, from this level on, counts wherever a row decides.
    fn covers(&self, level: SecurityLevel, key: &AccessKey) -> bool {
        (self.model == SecurityModel::ANY || self.model == key.model)
            && level <= key.level
            && self.context_match.matches(self.context.octets(), key.context.octets())
    }
}

/// The access rows of a role.
fn rows(
    role: &Role,
    inheritance: &Inheritance<'_>,
    names: &mut ViewNames,
) -> Result<Vec<(AccessKey, AccessRow)>, RoleError> {
    let mut rows = Vec::new();
    let grants = &inheritance.grants[..];
    let models: BTreeSet<_> = grants.iter().map(|(_, (_, grant))| grant.model).collect();
    let levels: BTreeSet<_> = grants.iter().map(|(level, _)| *level).collect();
    let contexts = contexts(role, grants)?;
    for (&context, &context_match) in &contexts {
        for &model in &models {
            let mut below = None;
            for &level in &levels {
                let key = AccessKey { group: role.name.clone(), context: context.clone(), model, level };
                let counting: Vec<Granted<'_>> = grants
                    .iter()
                    .filter(|(level, (_, grant))| grant.covers(*level, &key))
                    .map(|(_, granted)| *granted)
                    .collect();
                let mut view = |view_type| view(role, inheritance, &counting, view_type, names);
                if counting.is_empty() {
                    continue;
                }
                let row = AccessRow {
                    context_match,
                    read: view(ViewType::Read)?,
                    write: view(ViewType::Write)?,
                    notify: view(ViewType::Notify)?,
                    state: RowState::CONFIG,
                };
                // A row of a higher level with the same grants adds nothing.
                if below.as_ref() != Some(&row) {
                    below = Some(row.clone());
                    rows.push((key, row));
                }
            }
        }
    }
    Ok(rows)
}

/// Each grant as a row; of two for one row the heir's own, which comes last.
fn separate_rows(
    role: &Role,
    inheritance: &Inheritance<'_>,
    names: &mut ViewNames,
) -> Result<Vec<(AccessKey, AccessRow)>, RoleError> {
    let grants = &inheritance.grants[..];
    let contexts = contexts(role, grants)?;
    let mut rows = Vec::new();
    for &(level, granted) in grants {
        let (_, grant) = granted;
        let (context, model) = (grant.context.clone(), grant.model);
        let mut view = |view_type| view(role, inheritance, &[granted], view_type, names);
        let row = AccessRow {
            context_match: contexts.get(&context).copied().unwrap_or_default(),
            read: view(ViewType::Read)?,
            write: view(ViewType::Write)?,
            notify: view(ViewType::Notify)?,
            state: RowState::CONFIG,
        };
        rows.push((AccessKey { group: role.name.clone(), context, model, level }, row));
    }
    Ok(rows)
}

fn contexts<'r>(
    role: &Role,
    grants: &[Inherited<'r>],
) -> Result<BTreeMap<&'r AdminString, ContextMatch>, RoleError> {
    let mut contexts = BTreeMap::new();
    for (_, (_, grant)) in grants {
        let other = contexts.insert(&grant.context, grant.context_match);
        if other.is_some_and(|other| other != grant.context_match) {
            return Err(RoleError::ContextTwice { role: role.name.clone(), context: grant.context.clone() });
        }
    }
    Ok(contexts)
}

/// The name of the view of all these grants, the heir's own last.
fn view(
    role: &Role,
    inheritance: &Inheritance<'_>,
    grants: &[Granted<'_>],
    view_type: ViewType,
    names: &mut ViewNames,
) -> Result<AdminString, RoleError> {
    let sources: Vec<&ViewSource> = grants.iter().filter_map(|(_, grant)| grant.source(view_type)).collect();
    let mut rules: Vec<(&Role, &Family)> = Vec::new();
    for (of, grant) in grants {
        let Some(source) = grant.source(view_type) else { continue };
        rules.extend(names.families(role, source)?.iter().map(|rule| (*of, rule)));
    }
    match &sources[..] {
        [ViewSource::Named(name), more @ ..] if more.iter().all(|other| *other == sources[0]) => {
            Ok(name.clone())
        }
        _ if rules.is_empty() => Ok(names.name(b"none", "", &View::NOTHING.exclude(Oid::from([1])))),
        _ => {
            let ambiguous = |cause| RoleError::Ambiguous { role: role.name.clone(), cause: Box::new(cause) };
            let merged = View::of(inheritance.decided(rules)).map_err(ambiguous)?;
            Ok(names.name(role.name.octets(), &format!("/{view_type}"), &merged))
        }
    }
}

/// All views by name: those of the configuration, and those generated for roles.
struct ViewNames {
    views: BTreeMap<AdminString, View>,
}

impl ViewNames {
    fn families<'s>(&'s self, role: &Role, source: &'s ViewSource) -> Result<&'s [Family], RoleError> {
        match source {
            ViewSource::Rules(view) => Ok(view.families()),
            ViewSource::Named(name) => {
                let no_such = || RoleError::NoSuchView { role: role.name.clone(), view: name.clone() };
                Ok(self.views.get(name).ok_or_else(no_such)?.families())
            }
        }
    }

    /// The name of this view: stem and end, with a number appended if other views have that name. A stem that leaves too little room for
    /// the rest is cut.
    fn name(&mut self, stem: &[u8], end: &str, view: &View) -> AdminString {
        let mut number = 1;
        loop {
            let end = if number == 1 { end.to_owned() } else { format!("{end}.{number}") };
            let candidate = cut(stem, &end);
            if self.views.entry(candidate.clone()).or_insert_with(|| view.clone()) == view {
                return candidate;
            }
            number += 1;
        }
    }
}

/// A name with this end, which is short; a character is not cut in two.
fn cut(stem: &[u8], end: &str) -> AdminString {
    let mut most = stem.len().min(AdminString::MAX_OCTETS.saturating_sub(end.len()));
    while most < stem.len() && most > 0 && stem[most] & 0xc0 == 0x80 {
        most -= 1;
    }
    let name = [&stem[..most], end.as_bytes()].concat();
    AdminString::try_from(&name[..]).unwrap_or_default()
}
