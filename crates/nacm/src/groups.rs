//! Groups and their users: rows of vacmSecurityToGroupTable whose security model is that of sessions. Those that managers have set can be
//! configured; those of the agent's configuration file are shown.

use std::collections::BTreeMap;
use std::sync::Arc;

use trunkline_datastore::{Branch, Change, Config, Item, Step, path};
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_smi::module::snmp_view_based_acm_mib::VACM_SECURITY_TO_GROUP_TABLE as TABLE;
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, encode_index};
use trunkline_tree::SetBinding;
use trunkline_tree::policy::{EVERYBODY, Origin, Policy, SecurityModel};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::NACM;

/// Group, user and where the row comes from, of every user whose names NETCONF can write.
pub(crate) fn users(policy: &Policy) -> impl Iterator<Item = (&str, &str, Origin)> {
    let sessions =
        policy.groups.iter().filter(|(key, row)| key.model == SecurityModel::TSM && row.state.is_active());
    sessions.filter_map(|(key, row)| {
        let group = std::str::from_utf8(row.group.octets()).ok().filter(|name| is_name(name))?;
        let user = std::str::from_utf8(key.name.octets()).ok().filter(|name| is_text(name))?;
        (user != EVERYBODY).then_some((group, user, row.state.origin))
    })
}

/// Whether it can be the name of a group (RFC 8341, group-name-type), and a row can have it.
pub(crate) fn is_name(text: &str) -> bool {
    is_text(text) && !text.starts_with('*')
}

fn is_text(text: &str) -> bool {
    (1..=MOST_OCTETS).contains(&text.len()) && !text.contains(char::is_control)
}

/// The nodes of `/nacm` that can be configured.
struct Nodes {
    nacm: NodeId,
    groups: NodeId,
    group: NodeId,
    name: NodeId,
    user: NodeId,
}

impl Nodes {
    fn of(forest: &Forest) -> Option<Nodes> {
        let nacm = root(forest)?;
        let groups = forest.child(Some(nacm), "groups")?;
        let group = forest.child(Some(groups), "group")?;
        let (name, user) = (forest.child(Some(group), "name")?, forest.child(Some(group), "user-name")?);
        Some(Nodes { nacm, groups, group, name, user })
    }
}

/// The root of it.
#[must_use]
pub fn root(forest: &Forest) -> Option<NodeId> {
    forest.child_of(None, NACM.name, "nacm")
}

/// A configuration without what is kept in VACM's tables.
pub fn withdrawn(forest: &Forest, config: &mut Config) {
    if let Some(nodes) = Nodes::of(forest) {
        config.root_mut().remove(&Step::to(nodes.nacm));
    }
}

/// Adds the groups that managers have set to a configuration.
pub fn configured(forest: &Forest, policy: &Policy, config: &mut Config) {
    let Some(nodes) = Nodes::of(forest) else { return };
    let mut entries: BTreeMap<&str, Branch> = BTreeMap::new();
    for (group, user, _) in users(policy).filter(|(.., origin)| *origin == Origin::Set) {
        let entry = entries.entry(group).or_default();
        entry.insert(Step::to(nodes.name), Item::Leaf(group.into()));
        let keys = Arc::new([user.into()]);
        entry.insert(Step { node: nodes.user, keys }, Item::Leaf(user.into()));
    }
    if entries.is_empty() {
        return;
    }
    let mut groups = Branch::default();
    for (name, entry) in entries {
        let keys = Arc::new([name.into()]);
        groups.insert(Step { node: nodes.group, keys }, Item::Within(Arc::new(entry)));
    }
    let mut nacm = Branch::default();
    nacm.insert(Step::to(nodes.groups), Item::Within(Arc::new(groups)));
    config.root_mut().insert(Step::to(nodes.nacm), Item::Within(Arc::new(nacm)));
}

/// Checks what the types of the leaves do not say: rows must be able to have the names, and a user is in one group.
///
/// # Errors
/// All that is wrong.
pub fn check(forest: &Forest, config: &Config) -> Result<(), Vec<RpcError>> {
    let Some(nodes) = Nodes::of(forest) else { return Ok(()) };
    let groups =
        config.root().within(&Step::to(nodes.nacm)).and_then(|it| it.within(&Step::to(nodes.groups)));
    let mut wrong = Vec::new();
    let mut seen: BTreeMap<&str, &str> = BTreeMap::new();
    for (group, item) in groups.into_iter().flat_map(Branch::iter) {
        let steps = vec![Step::to(nodes.nacm), Step::to(nodes.groups), group.clone()];
        let mut refuse = |steps: &[Step], tag: Tag, message: String| {
            wrong.push(RpcError::new(Layer::Application, tag, message).at(path(forest, steps)));
        };
        let name = group.keys.first().map_or("", |name| name);
        if !is_name(name) {
            let message = format!(
                "the name of a group has 1 to {MOST_OCTETS} octets, no control characters, and does not begin with *"
            );
            refuse(&steps, Tag::InvalidValue, message);
        }
        let users =
            item.branch().into_iter().flat_map(Branch::iter).filter(|(step, _)| step.node == nodes.user);
        let mut is_empty = true;
        for (step, item) in users {
            let Item::Leaf(user) = item else { continue };
            is_empty = false;
            let steps = [&steps[..], std::slice::from_ref(step)].concat();
            if !is_text(user) || &**user == EVERYBODY {
                let message = format!(
                    "a user has a name of 1 to {MOST_OCTETS} octets without control characters; * is not a user: \
                     for everybody with a certificate set a row of vacmSecurityToGroupTable"
                );
                refuse(&steps, Tag::InvalidValue, message);
            }
            if let Some(other) = seen.insert(user, name) {
                let message = format!("{user} is in group {other} already: a user has one group here");
                refuse(&steps, Tag::InvalidValue, message);
            }
        }
        if is_empty {
            let message = format!("group {name} needs a user-name: groups without users are not kept");
            refuse(&steps, Tag::DataMissing, message);
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong) }
}

/// Refuses an edit of what is a view of the policy and cannot be said in its rows.
///
/// # Errors
/// `operation-not-supported`, with what to do.
pub fn check_edit(forest: &Forest, content: Element<'_>) -> Result<(), RpcError> {
    let Some(nodes) = Nodes::of(forest) else { return Ok(()) };
    let within = content.children().filter(|it| it.is(NACM.namespace, "nacm")).flat_map(Element::children);
    for element in within.filter(|it| it.namespace() == NACM.namespace) {
        let reason = match element.name() {
            "rule-list" => {
                "rules are what the views of the access policy say, and a view has no rules that could be set one by one: change the roles \
                 of the agent's configuration file, or rows of vacmAccessTable and vacmViewTreeFamilyTable"
            }
            "enable-nacm" | "read-default" | "write-default" | "exec-default" | "enable-external-groups" => {
                "access is decided by the roles of the agent's configuration file and cannot be changed or switched off here"
            }
            _ => continue,
        };
        let steps = [Some(nodes.nacm), forest.child(Some(nodes.nacm), element.name())];
        let steps: Vec<Step> = steps.into_iter().flatten().map(Step::to).collect();
        let error = RpcError::new(Layer::Application, Tag::OperationNotSupported, reason);
        return Err(error.at(path(forest, &steps)));
    }
    Ok(())
}

/// The rows of VACM's tables that a change of the configuration sets, each binding with where it comes from. The bindings of a row
/// stand together.
#[must_use]
pub fn bindings(forest: &Forest, changes: &[Change]) -> Vec<(SetBinding, Vec<Step>)> {
    let Some(nodes) = Nodes::of(forest) else { return Vec::new() };
    type Groups<'c> = (Option<&'c str>, Option<&'c str>, &'c [Step]);
    let mut users: BTreeMap<&str, Groups<'_>> = BTreeMap::new();
    for change in changes {
        let [_, _, group, last] = &change.path[..] else { continue };
        if last.node != nodes.user || group.node != nodes.group {
            continue;
        }
        let group = group.keys.first().map(|name| &**name);
        if let Some(user) = &change.before {
            users.entry(user).or_insert((None, None, &change.path)).0 = group;
        }
        if let Some(user) = &change.after {
            let of = users.entry(user).or_insert((None, None, &change.path));
            (of.1, of.2) = (group, &change.path);
        }
    }
    let mut found = Vec::new();
    for (user, (before, after, steps)) in users {
        let set = |column: u32, value: Value| {
            (SetBinding { name: instance(column, user), value: Some(value) }, steps.to_vec())
        };
        match (before, after) {
            (_, None) => found.push(set(STATUS, Value::Integer(DESTROY))),
            (Some(before), Some(after)) if before == after => {}
            (Some(_), Some(after)) => found.push(set(GROUP_NAME, Value::text(after))),
            (None, Some(after)) => {
                found.push(set(STATUS, Value::Integer(CREATE_AND_GO)));
                found.push(set(GROUP_NAME, Value::text(after)));
            }
        }
    }
    found
}

/// Whether two bindings are of one row of vacmSecurityToGroupTable.
#[must_use]
pub fn is_same_row(one: &SetBinding, other: &SetBinding) -> bool {
    let index = |it| group_row(it).map(|(index, _)| index);
    index(one).is_some() && index(one) == index(other)
}

/// The index of the row of [`GROUPS`] that a binding is of, and the group if it sets that.
#[must_use]
pub fn group_row(binding: &SetBinding) -> Option<(&[u32], Option<&Value>)> {
    let [_, column, index @ ..] = binding.name.strip_prefix(TABLE.oid)? else { return None };
    let group = binding.value.as_ref().filter(|_| *column == GROUP_NAME);
    (!index.is_empty()).then_some((index, group))
}

/// The table of the groups that users have.
pub const GROUPS: &str = TABLE.name;

/// For a row that is created: what takes an earlier one away first. `None`: it is not created.
#[must_use]
pub fn cleared<'b>(mut bindings: impl Iterator<Item = &'b SetBinding>) -> Option<SetBinding> {
    let create = bindings.find(|it| {
        let is_status = it.name.starts_with(TABLE.oid) && it.name.get(TABLE.oid.len() + 1) == Some(&STATUS);
        is_status && it.value == Some(Value::Integer(CREATE_AND_GO))
    })?;
    Some(SetBinding { name: create.name.clone(), value: Some(Value::Integer(DESTROY)) })
}

/// Why a row cannot be set, if it is one of these.
#[must_use]
pub fn why_not_set(binding: &SetBinding) -> Option<&'static str> {
    binding.name.starts_with(TABLE.oid).then_some(
        "the agent's configuration file gives this user a role, or somebody else has set the row: change it there",
    )
}

fn instance(column: u32, user: &str) -> Oid {
    let values = [IndexValue::Integer(SecurityModel::TSM.0), IndexValue::Octets(user.as_bytes().to_vec())];
    let mut index = OidBuf::new();
    // The names have been checked; one that is too long has no row.
    let _ = encode_index(TABLE.index, &values, &mut index);
    Oid::EMPTY.child(TABLE.oid).child(&[1, column]).child(&index)
}

/// Octets of a name in a row.
const MOST_OCTETS: usize = 32;
/// vacmGroupName.
const GROUP_NAME: u32 = 3;
/// vacmSecurityToGroupStatus.
const STATUS: u32 = 5;
const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;

#[cfg(test)]
mod tests {
    use trunkline_datastore::{changes, read};
    use trunkline_netconf::document::{Document, limits};
    use trunkline_tree::policy::{AdminString, GroupKey, GroupRow, RowState};

    use super::*;
    use crate::testing::forest;

    fn config(forest: &Forest, groups: &[(&str, &[&str])]) -> Config {
        let users = |users: &[&str]| {
            users.iter().map(|it| format!("<user-name>{it}</user-name>")).collect::<String>()
        };
        let group = |(name, of): &(&str, &[&str])| format!("<group><name>{name}</name>{}</group>", users(of));
        let all: String = groups.iter().map(group).collect();
        let text = format!("<config><nacm xmlns='{}'><groups>{all}</groups></nacm></config>", NACM.namespace);
        read(forest, Document::read(text.as_bytes(), limits(100_000)).unwrap().root()).unwrap()
    }

    fn text(found: &[(SetBinding, Vec<Step>)]) -> Vec<String> {
        found.iter().map(|(it, _)| format!("{} {:?}", it.name, it.value.as_ref().unwrap())).collect()
    }

    #[test]
    fn a_change_of_groups_is_one_of_rows() {
        let forest = forest();
        let before = config(&forest, &[("a", &["x", "y"]), ("b", &["z"])]);
        let after = config(&forest, &[("a", &["x", "z"]), ("c", &["w"])]);
        let found = bindings(&forest, &changes(&before, &after));
        let row = "1.3.6.1.6.3.16.1.2.1";
        assert_eq!(
            text(&found),
            [
                format!("{row}.5.4.1.119 Integer(4)"),
                format!("{row}.3.4.1.119 {:?}", Value::text("c")),
                format!("{row}.5.4.1.121 Integer(6)"),
                format!("{row}.3.4.1.122 {:?}", Value::text("a")),
            ]
        );
        assert!(is_same_row(&found[0].0, &found[1].0) && !is_same_row(&found[1].0, &found[2].0));
        let cleared = cleared(found[..2].iter().map(|it| &it.0)).unwrap();
        assert_eq!((cleared.name, cleared.value), (found[0].0.name.clone(), Some(Value::Integer(DESTROY))));
        assert_eq!(super::cleared(found[2..].iter().map(|it| &it.0)), None);
        assert_eq!(bindings(&forest, &changes(&after, &after)), []);
    }

    #[test]
    fn what_a_row_cannot_have_is_refused() {
        let forest = forest();
        let errors = |groups: &[(&str, &[&str])]| match check(&forest, &config(&forest, groups)) {
            Ok(()) => Vec::new(),
            Err(errors) => errors.iter().map(ToString::to_string).collect::<Vec<_>>(),
        };
        assert_eq!(errors(&[("a", &["x"]), ("b", &["y"])]), [""; 0]);
        let long = "x".repeat(32);
        assert_eq!(errors(&[(&long, &[&long])]), [""; 0]);
        for (groups, words) in [
            (&[("a", &["x"][..]), ("b", &["x"])][..], "x is in group a already"),
            (&[("a", &[])], "group a needs a user-name"),
            (&[("*", &["x"])], "does not begin with *"),
            (&[("a", &["*"])], "* is not a user"),
            (&[("a", &[""])], "1 to 32 octets"),
        ] {
            let found = errors(groups);
            assert!(found.len() == 1 && found[0].contains(words), "{groups:?}: {found:?}");
        }
    }

    #[test]
    fn rows_that_managers_have_set_are_configuration() {
        let forest = forest();
        let name = |text: &str| AdminString::try_from(text).unwrap();
        let mut policy = Policy::default();
        let set = RowState { origin: Origin::Set, ..RowState::CONFIG };
        for (model, user, group, state) in [
            (SecurityModel::TSM, "x", "a", set),
            (SecurityModel::TSM, "y", "a", RowState::CONFIG),
            (SecurityModel::TSM, "*", "a", set),
            (SecurityModel::USM, "z", "a", set),
            (SecurityModel::TSM, "w\u{1}", "a", set),
        ] {
            let key = GroupKey { model, name: name(user) };
            policy.groups.insert(key, GroupRow { group: name(group), state });
        }
        let mut found = Config::default();
        configured(&forest, &policy, &mut found);
        assert_eq!(found, config(&forest, &[("a", &["x"])]));
        withdrawn(&forest, &mut found);
        assert_eq!(found, Config::default());
    }
}
