//! Random policies and roles: the guard agrees with the policy evaluated step by step, and a role's rows grant
//! what its grants allow when each is evaluated separately.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use trunkline_smi::Oid;
use trunkline_tree::policy::{
    AccessKey, AccessRow, Acting, AdminString, ContextMatch, Denied, FamilyKey, FamilyRow, GroupKey,
    GroupRow, Guard, Member, Policy, Principal, Role, RoleGrant, Roles, RowState, RowStatus, SecurityLevel,
    SecurityModel, ViewSource, ViewType,
};
use trunkline_tree::{Family, Mask, TreeBuilder, View};

use crate::policy::rows::string;

const CONTEXTS: [&str; 4] = ["", "l", "la", "lab"];
const NAMES: [&str; 3] = ["a", "ab", "b"];
const MODELS: [SecurityModel; 4] =
    [SecurityModel::ANY, SecurityModel::V1, SecurityModel::V2C, SecurityModel::USM];

fn name() -> impl Strategy<Value = AdminString> {
    select(&NAMES).prop_map(string)
}

fn view_name() -> impl Strategy<Value = AdminString> {
    select(&["", "v", "vv", "w"]).prop_map(string)
}

fn context() -> impl Strategy<Value = AdminString> {
    select(&CONTEXTS).prop_map(string)
}

fn context_match() -> impl Strategy<Value = ContextMatch> {
    select(&[ContextMatch::Exact, ContextMatch::Prefix])
}

fn level() -> impl Strategy<Value = SecurityLevel> {
    select(&SecurityLevel::ALL)
}

fn state() -> impl Strategy<Value = RowState> {
    let status = select(&[RowStatus::Active, RowStatus::Active, RowStatus::Active, RowStatus::NotReady]);
    status.prop_map(|status| RowState { status, ..RowState::CONFIG })
}

fn oid(most: usize) -> impl Strategy<Value = Oid> {
    vec(1u32..4, 0..most).prop_map(|sub_ids| Oid::new(&sub_ids).unwrap())
}

fn mask() -> impl Strategy<Value = Mask> {
    vec(any::<u8>(), 0..2).prop_map(|octets| Mask::new(&octets).unwrap())
}

fn policy() -> impl Strategy<Value = Policy> {
    let group = (select(&MODELS), name(), name(), state())
        .prop_map(|(model, name, group, state)| (GroupKey { model, name }, GroupRow { group, state }));
    let key = (name(), context(), select(&MODELS), level())
        .prop_map(|(group, context, model, level)| AccessKey { group, context, model, level });
    let access = (key, context_match(), [view_name(), view_name(), view_name()], state()).prop_map(
        |(key, context_match, [read, write, notify], state)| {
            (key, AccessRow { context_match, read, write, notify, state })
        },
    );
    let family = (view_name(), oid(4), mask(), any::<bool>(), state()).prop_map(
        |(view, subtree, mask, included, state)| {
            (FamilyKey { view, subtree }, FamilyRow { mask, included, state })
        },
    );
    let juniors = (name(), vec(name(), 0..3));
    (vec(context(), 0..4), vec(group, 0..8), vec(access, 0..12), vec(family, 0..12), vec(juniors, 0..3))
        .prop_map(|(contexts, groups, access, families, juniors)| Policy {
            contexts: contexts.into_iter().collect(),
            groups: groups.into_iter().collect(),
            access: access.into_iter().collect(),
            families: families.into_iter().collect(),
            juniors: juniors.into_iter().collect(),
            administers: BTreeMap::new(),
        })
}

/// A request: its principal, context and object.
#[derive(Clone, Debug)]
struct Request {
    model: SecurityModel,
    name: AdminString,
    level: SecurityLevel,
    context: AdminString,
    view_type: ViewType,
    object: Oid,
}

fn request() -> impl Strategy<Value = Request> {
    let view_type = select(&[ViewType::Read, ViewType::Write, ViewType::Notify]);
    (select(&MODELS[1..]), name(), level(), context(), view_type, oid(6)).prop_map(
        |(model, name, level, context, view_type, object)| Request {
            model,
            name,
            level,
            context,
            view_type,
            object,
        },
    )
}

/// RFC 3415 section 3.2 and vacmAccessTable word by word: sets that are narrowed.
fn by_the_book(policy: &Policy, request: &Request) -> Result<(), Denied> {
    if !policy.contexts.contains(&request.context) {
        return Err(Denied::NoSuchContext);
    }
    let key = GroupKey { model: request.model, name: request.name.clone() };
    let group = policy.groups.get(&key).filter(|row| active(&row.state)).ok_or(Denied::NoGroupName)?;
    of_group(policy, &group.group, request)
}

fn active(state: &RowState) -> bool {
    state.status == RowStatus::Active
}

/// What the rows of a group say.
fn of_group(policy: &Policy, group: &AdminString, request: &Request) -> Result<(), Denied> {
    let mut set: Vec<(&AccessKey, &AccessRow)> = policy.access.iter().collect();
    set.retain(|(key, row)| active(&row.state) && key.group == *group);
    set.retain(|(key, row)| match row.context_match {
        ContextMatch::Exact => key.context == request.context,
        ContextMatch::Prefix => request.context.octets().starts_with(key.context.octets()),
    });
    set.retain(|(key, _)| key.model == request.model || key.model == SecurityModel::ANY);
    set.retain(|(key, _)| key.level <= request.level);
    discard_rest(&mut set, |(key, _)| key.model == request.model);
    discard_rest(&mut set, |(key, _)| key.context == request.context);
    let longest = set.iter().map(|(key, _)| key.context.octets().len()).max();
    set.retain(|(key, _)| Some(key.context.octets().len()) == longest);
    let highest = set.iter().map(|(key, _)| key.level).max();
    set.retain(|(key, _)| Some(key.level) == highest);
    assert!(set.len() <= 1);
    let (_, row) = set.first().ok_or(Denied::NoAccessEntry)?;
    let view = match request.view_type {
        ViewType::Read => &row.read,
        ViewType::Write => &row.write,
        ViewType::Notify => &row.notify,
    };
    let families: Vec<_> = policy
        .families
        .iter()
        .filter(|(key, row)| !view.is_empty() && key.view == *view && active(&row.state))
        .collect();
    if families.is_empty() {
        return Err(Denied::NoSuchView);
    }
    let object = &request.object;
    let matches = |(key, row): &&(&FamilyKey, &FamilyRow)| {
        let bit =
            |at: usize| row.mask.octets().get(at / 8).is_none_or(|octet| octet & (128 >> (at % 8)) != 0);
        object.len() >= key.subtree.len()
            && (0..key.subtree.len()).all(|at| !bit(at) || key.subtree[at] == object[at])
    };
    let deciding = families.iter().filter(matches).max_by_key(|(key, _)| (key.subtree.len(), &key.subtree));
    if deciding.is_some_and(|(_, row)| row.included) { Ok(()) } else { Err(Denied::NotInView) }
}

/// "If the subset of entries that ... is not empty, then discard the rest."
fn discard_rest<T>(set: &mut Vec<T>, is_in: impl Fn(&T) -> bool) {
    if set.iter().any(&is_in) {
        set.retain(is_in);
    }
}

fn grant() -> impl Strategy<Value = RoleGrant> {
    let rules = vec((oid(4), any::<bool>()), 0..4).prop_map(|rules| {
        let family = |(subtree, included)| Family { subtree, mask: Mask::default(), included };
        ViewSource::Rules(rules.into_iter().map(family).fold(View::NOTHING, View::with))
    });
    let named = select(&["v", "vv"]).prop_map(|name| ViewSource::Named(string(name)));
    let source = prop_oneof![rules, named];
    (proptest::option::of(source), level(), context(), select(&MODELS)).prop_map(
        |(read, level, context, model)| RoleGrant {
            read,
            level,
            // One form for each context: both for one cannot be expressed.
            context_match: if context.octets().len() < 2 {
                ContextMatch::Prefix
            } else {
                ContextMatch::Exact
            },
            context,
            model,
            ..RoleGrant::default()
        },
    )
}

/// Three roles, of which one may inherit from those before it.
fn roles() -> impl Strategy<Value = Roles> {
    let role = (vec(0usize..3, 0..3), level(), vec(grant(), 0..4));
    let views = vec(oid(4), 2).prop_map(|oids| {
        let views = oids.into_iter().map(|oid| View::NOTHING.include(oid));
        ["v", "vv"].map(string).into_iter().zip(views).collect::<BTreeMap<_, _>>()
    });
    (vec(role, 3), views, vec(select(&MODELS[1..]), 3)).prop_map(|(parts, views, models)| {
        let roles = parts.into_iter().enumerate().map(|(at, (parents, level, grants))| Role {
            name: string(NAMES[at]),
            inherits: parents.into_iter().filter(|parent| *parent < at).map(|at| string(NAMES[at])).collect(),
            level,
            grants,
            ..Role::default()
        });
        let member = |(at, model): (usize, SecurityModel)| Member {
            model,
            name: string(NAMES[at]),
            role: string(NAMES[at]),
        };
        Roles {
            contexts: CONTEXTS.map(string).to_vec(),
            views,
            roles: roles.collect(),
            members: models.into_iter().enumerate().map(member).collect(),
        }
    })
}

/// All that a role grants, the most remote first, each with the level that its inheritance path requires.
fn granted<'r>(
    roles: &'r Roles,
    role: &'r Role,
    least: SecurityLevel,
) -> Vec<(&'r Role, SecurityLevel, &'r RoleGrant)> {
    let parents = role.inherits.iter().flat_map(|name| roles.roles.iter().find(|role| role.name == *name));
    let mut all: Vec<_> = parents.flat_map(|parent| granted(roles, parent, least.max(role.level))).collect();
    all.extend(role.grants.iter().map(|grant| (role, grant.level.max(least), grant)));
    all
}

/// Whether the grants that a request satisfies, combined, include an object: the longest rule decides, of equal ones that of an heir, of one role the
/// last, and where that leaves several one that excludes.
fn may_read(roles: &Roles, role: &Role, request: &Request) -> bool {
    let all = granted(roles, role, SecurityLevel::NoAuthNoPriv);
    let counts = |(_, level, grant): &&(&Role, SecurityLevel, &RoleGrant)| {
        *level <= request.level
            && (grant.model == SecurityModel::ANY || grant.model == request.model)
            && grant.context_match.matches(grant.context.octets(), request.context.octets())
    };
    let mut rules: Vec<(&Role, usize, &Family)> = Vec::new();
    for (of, _, grant) in all.iter().filter(counts) {
        let within = of.grants.iter().position(|own| std::ptr::eq(own, *grant)).unwrap();
        let view = match &grant.read {
            Some(ViewSource::Named(name)) => &roles.views[name],
            Some(ViewSource::Rules(view)) => view,
            None => continue,
        };
        rules.extend(view.families().iter().map(|family| (*of, within, family)));
    }
    rules.retain(|(_, _, family)| request.object.starts_with(&family.subtree));
    let longest = rules.iter().map(|(_, _, family)| family.subtree.len()).max();
    rules.retain(|(_, _, family)| Some(family.subtree.len()) == longest);
    let is_overruled = |(of, within, _): &(&Role, usize, &Family)| {
        rules.iter().any(|(other, later, _)| match other.name == of.name {
            true => later > within,
            false => is_below(roles, other, of),
        })
    };
    let mut deciding = rules.iter().filter(|rule| !is_overruled(rule)).peekable();
    deciding.peek().is_some() && deciding.all(|(_, _, family)| family.included)
}

fn is_below(roles: &Roles, heir: &Role, junior: &Role) -> bool {
    heir.inherits.iter().any(|name| {
        *name == junior.name
            || is_below(roles, roles.roles.iter().find(|role| role.name == *name).unwrap(), junior)
    })
}

/// On behalf of a role: the rows of the role's group and those of the principal's, or of the role's alone if its key counts.
fn in_a_role(policy: &Policy, request: &Request, acting: Acting<'_>) -> Result<(), Denied> {
    let role = AdminString::try_from(acting.role).unwrap();
    if acting.is_proved {
        return match (policy.contexts.contains(&request.context), policy.juniors.contains_key(&role)) {
            (false, _) => Err(Denied::NoSuchContext),
            (true, false) => Err(Denied::NoSuchRole),
            (true, true) => of_group(policy, &role, request),
        };
    }
    let own = by_the_book(policy, request);
    own.or_else(|denied| if denied == Denied::NotInView { Ok(()) } else { Err(denied) })?;
    let key = GroupKey { model: request.model, name: request.name.clone() };
    let mut reached = vec![&policy.groups[&key].group];
    while let Some(more) = reached
        .iter()
        .flat_map(|name| policy.juniors.get(*name).into_iter().flatten())
        .find(|junior| !reached.contains(junior))
    {
        reached.push(more);
    }
    if !reached.contains(&&role) {
        return Err(Denied::NoSuchRole);
    }
    of_group(policy, &role, request).and(own)
}

fn verdict(guard: &Guard, principal: &Principal<'_>, request: &Request) -> Result<(), Denied> {
    let Request { context, view_type, object, .. } = request;
    let access = guard.access(principal, context.octets(), *view_type)?;
    let may = match view_type {
        ViewType::Read => access.may_read_name(object),
        ViewType::Write => access.may_write(object),
        ViewType::Notify => access.may_notify(object),
    };
    if may { Ok(()) } else { Err(Denied::NotInView) }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn policy_and_guard_agree_with_the_rfc(policy in policy(), requests in vec(request(), 1..30)) {
        let tree = TreeBuilder::default().build(Instant::now()).unwrap();
        let guard = Guard::new(&tree, Arc::new(policy.clone()));
        for request in &requests {
            let Request { model, name, level, context, view_type, object } = request;
            let (name, context) = (name.octets(), context.octets());
            let expected = by_the_book(&policy, request);
            let principal = Principal::new(*model, name, *level);
            let by_policy = policy.is_access_allowed(&principal, context, *view_type, object);
            prop_assert_eq!(by_policy, expected, "{:?}", request);
            prop_assert_eq!(verdict(&guard, &principal, request), expected, "{:?}", request);
            if let Ok(access) = guard.access(&principal, context, ViewType::Write) {
                let decision = policy.decide(&principal, context).unwrap();
                let view = policy.view(decision.access.1.write.octets()).unwrap();
                prop_assert_eq!(access.may_write_below(object), view.coverage(object), "{:?}", view);
            }
            let explanation = policy.explain(&principal, context, *view_type, object);
            prop_assert_eq!(explanation.verdict, expected);
            prop_assert_eq!(explanation.family.is_some_and(|(family, _)| family.included), expected.is_ok());
        }
    }

    /// With wildcards in the views of both, less may be left than both have, and never more.
    #[test]
    fn a_request_on_behalf_of_a_role_is_bounded_by_it(policy in policy(), requests in vec((request(), name(), any::<bool>()), 1..30)) {
        let tree = TreeBuilder::default().build(Instant::now()).unwrap();
        let guard = Guard::new(&tree, Arc::new(policy.clone()));
        let is_plain = policy.families.values().all(|row| row.mask.octets().iter().all(|octet| *octet == 0xff));
        for (request, role, is_proved) in &requests {
            let acting = Acting { role: role.octets(), is_proved: *is_proved };
            let principal = Principal::new(request.model, request.name.octets(), request.level).acting(Some(acting));
            let expected = in_a_role(&policy, request, acting);
            let found = policy.is_access_allowed(&principal, request.context.octets(), request.view_type, &request.object);
            prop_assert_eq!(found, expected, "{:?} {:?}", request, acting);
            let found = verdict(&guard, &principal, request);
            if is_plain || expected.is_err() || *is_proved {
                prop_assert_eq!(found, expected, "{:?} {:?}", request, acting);
            }
        }
    }

    #[test]
    fn a_member_acts_in_junior_roles(roles in roles(), requests in vec((request(), name()), 1..30)) {
        let policy = Arc::new(roles.compile().map_err(|error| TestCaseError::fail(error.to_string()))?);
        let tree = TreeBuilder::default().build(Instant::now()).unwrap();
        let guard = Guard::new(&tree, policy.clone());
        for (request, role) in &requests {
            let member = roles.members.iter().find(|member| member.name == request.name).unwrap();
            let request = Request { model: member.model, ..request.clone() };
            let acting = Acting { role: role.octets(), is_proved: false };
            let principal = Principal::new(request.model, request.name.octets(), request.level).acting(Some(acting));
            let expected = in_a_role(&policy, &request, acting);
            prop_assert_eq!(verdict(&guard, &principal, &request), expected, "{:?} {:?}", request, acting);
        }
    }

    #[test]
    fn a_role_grants_exactly_its_grants(roles in roles(), requests in vec(request(), 1..30)) {
        let policy = roles.compile().map_err(|error| TestCaseError::fail(error.to_string()))?;
        for request in &requests {
            let Request { name, level, context, object, .. } = request;
            let role = roles.roles.iter().find(|role| role.name == *name).unwrap();
            let member = roles.members.iter().find(|member| member.name == *name).unwrap();
            let request = Request { model: member.model, ..request.clone() };
            let found = policy.is_access_allowed(&Principal::new(request.model, name.octets(), *level), context.octets(), ViewType::Read, object,
            );
            prop_assert_eq!(found.is_ok(), may_read(&roles, role, &request), "{:?} {:?}", request, found);
        }
    }
}
