//! Roles: what their members may read, write and be notified of; `[[role]]`.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use serde_spanned::Spanned;
use trunkline_tree::policy::{
    AdminString, ContextMatch, Role, RoleError, RoleGrant, Roles, SecurityLevel, SecurityModel, ViewSource,
    ViewType,
};

use super::security::{check_contexts, check_level, check_model};
use super::several;
use super::user::UserPlan;
use super::value::{self, Checked};
use super::view::{PathRule, ViewPlan, ViewRef, check_ref};
use crate::{Place, raw};

/// A role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RolePlan {
    /// The name: 1 to 32 octets; vacmGroupName.
    pub name: String,
    /// Roles whose rules hold too; they are there, and lead to no circle.
    pub inherits: Vec<String>,
    /// Roles whose members, permissions and keys its members may change over NETCONF.
    pub administers: Vec<String>,
    /// The least level for what is inherited.
    pub level: SecurityLevel,
    /// Whether only the most specific matching rule decides a request (RFC 3415), not the sum of all matching
    /// rules.
    pub separate: bool,
    /// Its rules: no two for the same context, model and level.
    pub access: Vec<AccessPlan>,
    /// Users of SNMPv3 who have it, whether they are there or will be made by a manager.
    pub members: Vec<String>,
}

/// A rule of a role (RFC 3415 section 4, vacmAccessTable).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AccessPlan {
    /// For requests in this context.
    pub context: String,
    /// Or in all contexts that begin so.
    pub context_match: ContextMatch,
    /// For requests of this security model; [`SecurityModel::ANY`] for all.
    pub model: SecurityModel,
    /// For requests at least so well protected.
    pub level: SecurityLevel,
    /// What may be read; `None`: nothing.
    pub read: Option<ViewRef>,
    /// What may be written; `None`: nothing.
    pub write: Option<ViewRef>,
    /// The objects that notifications may contain; `None`: none.
    pub notify: Option<ViewRef>,
}

impl RolePlan {
    /// The role as the tree has it.
    pub fn role(&self) -> Role {
        Role {
            name: admin_string(&self.name),
            inherits: self.inherits.iter().map(|name| admin_string(name)).collect(),
            administers: self.administers.iter().map(|name| admin_string(name)).collect(),
            level: self.level,
            separate: self.separate,
            grants: self.access.iter().map(AccessPlan::grant).collect(),
        }
    }
}

impl AccessPlan {
    /// What it permits, and where.
    pub(crate) fn views(&self) -> [(ViewType, &Option<ViewRef>); 3] {
        [(ViewType::Read, &self.read), (ViewType::Write, &self.write), (ViewType::Notify, &self.notify)]
    }

    pub(crate) fn paths_mut(&mut self) -> impl Iterator<Item = (ViewType, &mut PathRule)> {
        let AccessPlan { read, write, notify, .. } = self;
        let views = [(ViewType::Read, read), (ViewType::Write, write), (ViewType::Notify, notify)];
        views.into_iter().flat_map(|(of, rules)| {
            let paths = match rules {
                Some(ViewRef::Rules(rules)) => &mut rules.paths[..],
                _ => &mut [],
            };
            paths.iter_mut().map(move |path| (of, path))
        })
    }

    fn grant(&self) -> RoleGrant {
        let source = |view: &Option<ViewRef>| {
            view.as_ref().map(|view| match view {
                ViewRef::Named(name) => ViewSource::Named(admin_string(name)),
                ViewRef::Rules(rules) => ViewSource::Rules(rules.view()),
            })
        };
        RoleGrant {
            read: source(&self.read),
            write: source(&self.write),
            notify: source(&self.notify),
            level: self.level,
            context: admin_string(&self.context),
            context_match: self.context_match,
            model: self.model,
        }
    }
}

/// A name whose length was checked: at most 32 octets.
#[must_use]
pub fn admin_string(text: &str) -> AdminString {
    AdminString::try_from(text).unwrap_or_default()
}

/// All roles; that they make a policy is tried out.
pub(super) fn check_roles(
    list: Vec<raw::Role>,
    views: &[ViewPlan],
    place: Place<'_>,
) -> Checked<Vec<RolePlan>> {
    let mut seen = BTreeSet::new();
    let mut spans = BTreeMap::new();
    let one = |raw: raw::Role| {
        let name = value::name(&raw.name, AdminString::MAX_OCTETS, &mut seen, place)?;
        let parents: Vec<Range<usize>> = raw.inherits.iter().map(Spanned::span).collect();
        spans.insert(name, (raw.name.span(), parents));
        check_role(raw, views, place)
    };
    let roles = value::all(list.into_iter().map(one))?;
    check_parents(&roles, &spans, place)?;
    let views = views.iter().map(|view| (admin_string(&view.name), view.rules.view())).collect();
    let all = Roles { views, roles: roles.iter().map(RolePlan::role).collect(), ..Roles::default() };
    match all.compile() {
        Ok(_) => Ok(roles),
        Err(error) => {
            let guilty = guilty_role(&error).map(|name| String::from_utf8_lossy(name.octets()).into_owned());
            let span = guilty.and_then(|name| spans.get(&name)).map_or(0..0, |(span, _)| span.clone());
            Err(place.wrong(span, error.to_string()))
        }
    }
}

type Spans = BTreeMap<String, (Range<usize>, Vec<Range<usize>>)>;

fn check_parents(roles: &[RolePlan], spans: &Spans, place: Place<'_>) -> Checked<()> {
    for role in roles {
        let parents = spans.get(&role.name).map_or(&[][..], |(_, parents)| parents);
        for (parent, span) in role.inherits.iter().zip(parents) {
            if !spans.contains_key(parent) {
                return Err(place.wrong(span.clone(), unknown_role(parent, roles)));
            }
        }
    }
    Ok(())
}

fn guilty_role(error: &RoleError) -> Option<&AdminString> {
    match error {
        RoleError::NoName { role }
        | RoleError::TwoOfOneName { role }
        | RoleError::NoSuchParent { role, .. }
        | RoleError::NoSuchView { role, .. }
        | RoleError::NoSuchRole { role, .. }
        | RoleError::AnyModel { role, .. }
        | RoleError::ContextTwice { role, .. }
        | RoleError::Ambiguous { role, .. } => Some(role),
        RoleError::Cycle { path } => path.first(),
        RoleError::TwoRoles { first, .. } => Some(first),
    }
}

fn check_role(raw: raw::Role, views: &[ViewPlan], place: Place<'_>) -> Checked<RolePlan> {
    let span = raw.name.span();
    let level = raw.level.as_ref().map(|level| check_level(level, place)).transpose()?.unwrap_or_default();
    let has_own = raw.read.is_some() || raw.write.is_some() || raw.notify.is_some();
    let mut list = raw.access;
    if has_own {
        let own = raw::Access {
            read: raw.read,
            write: raw.write,
            notify: raw.notify,
            level: raw.level,
            context: raw.context,
            model: raw.model,
        };
        list.insert(0, own);
    } else if let Some(lost) = raw.context.or(raw.model) {
        let message = "has no effect without read, write or notify".into();
        return Err(place.wrong(lost.span(), message));
    }
    let mut access: Vec<AccessPlan> = Vec::new();
    for raw in list {
        let rule = check_access(raw, views, place)?;
        let key = |rule: &AccessPlan| (rule.context.clone(), rule.context_match, rule.model, rule.level);
        if access.iter().any(|known| key(known) == key(&rule)) {
            let message = format!(
                "two rules for context {:?}, model {} and level {}; expected one",
                rule.context, rule.model, rule.level
            );
            return Err(place.wrong(span, message));
        }
        access.push(rule);
    }
    let members = value::all(raw.members.iter().map(|member| value::length(member, 32, place)))?;
    if let (Some(member), true) = (raw.members.first(), access.is_empty() && raw.inherits.is_empty()) {
        let message =
            "the role has no rule: its members could do nothing; expected read, write, notify or inherits";
        return Err(place.wrong(member.span(), message.into()));
    }
    let inherits = raw.inherits.into_iter().map(Spanned::into_inner).collect();
    Ok(RolePlan {
        name: raw.name.into_inner(),
        inherits,
        administers: raw.administers.into_iter().map(Spanned::into_inner).collect(),
        level,
        separate: raw.separate,
        access,
        members,
    })
}

fn check_access(raw: raw::Access, views: &[ViewPlan], place: Place<'_>) -> Checked<AccessPlan> {
    let view = |raw: Option<Spanned<raw::Rules>>| raw.map(|raw| check_ref(raw, views, place)).transpose();
    let (context, context_match) = check_contexts(raw.context, place)?;
    Ok(AccessPlan {
        context,
        context_match,
        model: raw.model.map(|model| check_model(&model, place)).transpose()?.unwrap_or_default(),
        level: raw.level.map(|level| check_level(&level, place)).transpose()?.unwrap_or_default(),
        read: view(raw.read)?,
        write: view(raw.write)?,
        notify: view(raw.notify)?,
    })
}

/// The positions of the members of all roles, with their names and roles.
pub(super) type MemberSpans = Vec<(String, String, Range<usize>)>;

/// The places of all members, before the text's form is given up.
pub(super) fn member_spans(list: &[raw::Role]) -> MemberSpans {
    let of_role = |role: &raw::Role| {
        let name = role.name.get_ref().clone();
        let members = role.members.iter();
        members.map(move |member| (member.get_ref().clone(), name.clone(), member.span())).collect::<Vec<_>>()
    };
    list.iter().flat_map(of_role).collect()
}

/// Everybody has one role; a configured user reaches the level that it requires.
pub(super) fn check_members(
    members: &MemberSpans,
    roles: &[RolePlan],
    users: &[UserPlan],
    place: Place<'_>,
) -> Checked<()> {
    let one = |(at, (member, role, span)): (usize, &(String, String, Range<usize>))| {
        if let Some((_, other, _)) = members[..at].iter().find(|(name, ..)| name == member) {
            let message = format!(
                "{member:?} is a member of the role {other:?} too; for several roles write role = [{other:?}, {role:?}] in its [[snmp.user]]"
            );
            return Err(place.wrong(span.clone(), message));
        }
        let Some(user) = users.iter().find(|user| user.name == *member) else { return Ok(()) };
        if let Some(own) = user.role.as_ref().filter(|own| *own != role) {
            let message = format!(
                "the user {member:?} has role = {own:?} in [[snmp.user]]; for several roles write role = [{own:?}, {role:?}] there"
            );
            return Err(place.wrong(span.clone(), message));
        }
        let role = Some(Spanned::new(span.clone(), raw::RoleNames::One(role.clone())));
        let who = format!("the user {member:?}");
        check_given(role, roles, &who, user.level(), &[SecurityModel::USM], place).map(drop)
    };
    value::all(members.iter().enumerate().map(one)).map(drop)
}

fn unknown_role(name: &str, roles: &[RolePlan]) -> String {
    let known: Vec<&str> = roles.iter().map(|role| role.name.as_str()).collect();
    let known = if known.is_empty() { "a [[role]] of that name".into() } else { known.join(", ") };
    format!("there is no role {name:?}, expected {known}")
}

/// A member's role: it exists, and one of its rules can apply at `level` with `model`.
pub(super) fn check_given(
    role: Option<Spanned<raw::RoleNames>>,
    roles: &[RolePlan],
    who: &str,
    level: SecurityLevel,
    models: &[SecurityModel],
    place: Place<'_>,
) -> Checked<Option<String>> {
    let Some(role) = role else { return Ok(None) };
    let name = several::name_of(role.get_ref());
    if !roles.iter().any(|known| known.name == name) {
        return Err(place.wrong(role.span(), unknown_role(&name, roles)));
    }
    let rules = all_rules(&name, roles);
    let of_model =
        |(rule, _): &&(&AccessPlan, _)| rule.model == SecurityModel::ANY || models.contains(&rule.model);
    let Some(least) = rules.iter().filter(of_model).map(|(_, level)| *level).min() else {
        let why = if rules.is_empty() { "has no rule at all" } else { "has no rule for this security model" };
        return Err(place.wrong(role.span(), format!("the role {name:?} {why}: {who} could do nothing")));
    };
    if least > level {
        let message =
            format!("the role {name:?} requires at least {}, {who} reaches {}", least.name(), level.name());
        return Err(place.wrong(role.span(), message));
    }
    Ok(Some(name))
}

/// A role's own rules and all inherited ones, with the minimum level for each.
pub(super) fn all_rules<'a>(name: &str, roles: &'a [RolePlan]) -> Vec<(&'a AccessPlan, SecurityLevel)> {
    let mut open = vec![(name, SecurityLevel::NoAuthNoPriv)];
    let mut seen = BTreeSet::new();
    let mut rules = Vec::new();
    while let Some((name, least)) = open.pop() {
        let Some(role) = roles.iter().find(|role| role.name == name) else { continue };
        if seen.insert((name.to_string(), least)) {
            rules.extend(role.access.iter().map(|rule| (rule, rule.level.max(least))));
            open.extend(role.inherits.iter().map(|parent| (parent.as_str(), least.max(role.level))));
        }
    }
    rules
}
