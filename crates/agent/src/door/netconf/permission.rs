//! Who may read and write what of a configuration: each leaf is governed by the object of the tree whose value it is or sets.

use std::collections::BTreeSet;
use std::sync::Arc;

use trunkline_datastore::{Change, Config, Step, path};
use trunkline_netconf::BASE;
use trunkline_netconf::document::Element;
use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_netconf::operation::DefaultOperation;
use trunkline_smi::module::ALL;
use trunkline_tree::policy::{Principal, ViewType};
use trunkline_tree::{Access, Coverage};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::{DELEGATION, INTERFACES, SNMP, Setting};

use super::Netconf;
use super::nacm::DeniedChange;
use crate::paths::index_of;
use trunkline_core::{Admission, Caller};

/// What a principal may do, if it may do this at all.
pub(super) fn access(door: &Netconf, principal: Principal<'_>, view: ViewType) -> Option<Arc<Access>> {
    let settings = door.core.settings();
    match settings.admit(&Caller::of_default_context(principal), view) {
        Ok(Admission::Tree(access)) => Some(access.clone()),
        _ => None,
    }
}

/// What of a configuration may be read.
pub(super) fn readable(forest: &Forest, config: &Config, access: &Access) -> Config {
    trunkline_nacm::readable(forest, config, access, |steps| may_read(forest, steps, access))
}

/// Refuses changes that somebody may not make.
///
/// # Errors
/// The first of them.
pub(super) fn check_changes(
    forest: &Forest,
    changes: &[Change],
    access: &Access,
) -> Result<(), DeniedChange> {
    let is_denied = |change: &&Change| {
        let Some(step) = change.path.last() else { return false };
        // Containers and entries are governed by what is in them; keys come with their entry.
        let is_leaf = forest[step.node].place.setting().is_some() && !forest[step.node].place.is_key();
        (is_leaf && !may_write(forest, &change.path, access))
            || (forest[step.node].place.is_list() && !may_write_in(forest, step.node, access))
    };
    match changes.iter().find(is_denied) {
        Some(change) => {
            let error = denied(NO_RIGHT);
            let is_known = may_know(forest, &change.path, access);
            let error = if is_known { error.at(path(forest, &change.path)) } else { error };
            Err(DeniedChange { error, place: change.path.clone() })
        }
        None => Ok(()),
    }
}

/// Whether a leaf of a configuration may be written.
pub(super) fn may_write(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    let setting = steps.last().and_then(|step| forest[step.node].place.setting());
    setting.is_some_and(|setting| {
        covers(forest, access.may_write_below(setting.object), steps, setting, |name| access.may_write(name))
    })
}

/// Whether somebody may learn that something is there: all entries on the way to it by their keys, and itself if it is a leaf.
pub(super) fn may_know(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    (1..=steps.len()).all(|length| {
        let steps = &steps[..length];
        let Some(last) = steps.last() else { return true };
        if forest[last.node].place.setting().is_some() {
            return may_read(forest, steps, access);
        }
        let may = |key: NodeId| {
            let steps = [steps, &[Step::to(key)]].concat();
            may_read(forest, &steps, access)
        };
        last.keys.is_empty() || forest.keys(last.node).all(may)
    })
}

/// The same, but of a secret, which nobody may read: whether somebody may learn of what it is in.
fn may_know_of(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    let is_secret = steps.last().is_some_and(|step| forest[step.node].place.is_secret());
    let within = steps.len() - usize::from(is_secret);
    may_know(forest, &steps[..within], access)
}

/// Whether something is a secret, and somebody may learn of what it is in.
pub(super) fn may_know_of_secret(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    steps.last().is_some_and(|step| forest[step.node].place.is_secret()) && may_know_of(forest, steps, access)
}

/// Whether a leaf of a configuration may be read. A secret may be read by nobody.
pub(super) fn may_read(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    let leaf = steps.last().filter(|step| !forest[step.node].place.is_secret());
    let setting = leaf.and_then(|step| forest[step.node].place.setting());
    setting.is_some_and(|setting| {
        covers(forest, access.may_read_below(setting.object), steps, setting, |name| {
            access.may_read_name(name)
        })
    })
}

/// Whether the names of principals may be read.
pub(super) fn sees_names(access: &Access) -> bool {
    let names = ALL.iter().flat_map(|module| module.tables).find(|it| it.name == NAMES);
    names.is_some_and(|it| access.may_read_below(it.oid) == Coverage::All)
}

/// What is done where neither an element nor what it is in says anything, and nothing is done by default.
const NOTHING: &str = "none";

const NO_RIGHT: &str = "there is no right to change it";

/// The table of the names of principals.
const NAMES: &str = "vacmSecurityToGroupTable";

/// An answer that says nothing about what exists.
pub(super) fn denied(message: &str) -> RpcError {
    RpcError::new(Layer::Protocol, Tag::AccessDenied, message)
}

/// Refuses an edit whose outcome would tell what somebody may not read: whether an entry exists, or a leaf has a value. What may be written but not
/// read can be merged, replaced and removed, which says nothing of what was there; `create` and `delete` would, and so would doing nothing, which
/// fails if it is not there. What may be neither cannot be replaced or removed with what it is in.
/// Some roots may be left out.
///
/// # Errors
/// `access-denied` for the first.
pub(super) fn check_operations(
    forest: &Forest,
    content: Element<'_>,
    default: DefaultOperation,
    left_out: &[NodeId],
    access: &Access,
) -> Result<(), DeniedChange> {
    if default == DefaultOperation::Replace {
        check_replaced(forest, left_out, access)?;
    }
    let inherited = if default == DefaultOperation::None { NOTHING } else { "merge" };
    Operations { forest, left_out, access, within: Vec::new() }.check(content, inherited)
}

/// Refuses to replace everything if something may be neither read nor written: the outcome would tell whether it is there.
///
/// # Errors
/// `access-denied`.
pub(super) fn check_replaced(
    forest: &Forest,
    left_out: &[NodeId],
    access: &Access,
) -> Result<(), DeniedChange> {
    let is_hidden = |root: &&NodeId| {
        let is_checked = forest[**root].place.is_configuration() && !left_out.contains(root);
        is_checked && !knows_or_writes(forest, &[Step::to(**root)], access)
    };
    match forest.roots().iter().find(is_hidden) {
        Some(root) => Err(DeniedChange { error: denied(NO_RIGHT), place: vec![Step::to(*root)] }),
        None => Ok(()),
    }
}

struct Operations<'f> {
    forest: &'f Forest,
    left_out: &'f [NodeId],
    access: &'f Access,
    /// Where it is.
    within: Vec<Step>,
}

impl Operations<'_> {
    /// `inherited`: what is done where an element does not say it.
    fn check(&mut self, content: Element<'_>, inherited: &str) -> Result<(), DeniedChange> {
        let forest = self.forest;
        let parent = self.within.last().map(|step| step.node);
        for element in content.children() {
            // What cannot be configured is refused by the edit itself.
            let node = forest.child_in(parent, element.namespace(), element.name());
            let Some(node) = node.filter(|node| forest[*node].place.is_configuration()) else { continue };
            if self.left_out.contains(&node) {
                continue;
            }
            let operation = element.attribute(BASE, "operation").unwrap_or(inherited);
            self.within.push(Step { node, keys: keys_of(forest, node, element) });
            if self.is_denied(node, operation) {
                // The path is as its sender wrote it.
                let error = denied(NO_RIGHT).at(path(forest, &self.within));
                return Err(DeniedChange { error, place: self.within.clone() });
            }
            self.check(element, operation)?;
            self.within.pop();
        }
        Ok(())
    }

    fn is_denied(&self, node: NodeId, operation: &str) -> bool {
        let Operations { forest, access, within, .. } = self;
        let place = &forest[node].place;
        if place.is_key() {
            return false;
        }
        let may_write = may_write_at(forest, within, access);
        // A guess that is right would change nothing, and be no change to refuse.
        if place.is_secret() && !may_write {
            return true;
        }
        let takes = matches!(operation, "replace" | "delete" | "remove") && place.setting().is_none();
        if takes && !knows_or_writes(forest, within, access) {
            return true;
        }
        let is_hidden = || match place.is_plain_container() {
            // It is there because of what is in it.
            true if matches!(operation, "create" | "delete") => !may_read_all(forest, node, access),
            _ => !may_know_of(forest, within, access),
        };
        match operation {
            "create" | "delete" => !may_write || is_hidden(),
            NOTHING if !place.is_plain_container() => is_hidden(),
            _ => !may_write && is_hidden(),
        }
    }
}

/// The secrets that an edit gives, or a whole configuration.
pub(super) fn secrets_in(
    forest: &Forest,
    content: Element<'_>,
    within: &mut Vec<Step>,
    found: &mut BTreeSet<Vec<Step>>,
) {
    let parent = within.last().map(|step| step.node);
    for element in content.children() {
        let Some(node) = forest.child_in(parent, element.namespace(), element.name()) else { continue };
        within.push(Step { node, keys: keys_of(forest, node, element) });
        if forest[node].place.is_secret() {
            found.insert(within.clone());
        }
        secrets_in(forest, element, within, found);
        within.pop();
    }
}

/// Whether everything at a place, as far as it can be configured, may be read or written. Of a secret may be read that it is there.
fn knows_or_writes(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    let Some(last) = steps.last() else { return false };
    let children = &forest[last.node].children;
    let Some(setting) = forest[last.node].place.setting() else {
        // Keys come with their entry, unless it has nothing else.
        let has_more = children.iter().any(|child| !forest[*child].place.is_key());
        let counts = |child: &&NodeId| {
            let place = &forest[**child].place;
            place.is_configuration() && !(has_more && place.is_key())
        };
        let mut children = children.iter().filter(counts);
        return children.all(|child| knows_or_writes(forest, &[steps, &[Step::to(*child)]].concat(), access));
    };
    let of_all = [access.may_write_below(setting.object), access.may_read_below(setting.object)];
    // Of all entries of a list, those that nobody has named too.
    let is_of_any = steps.iter().any(|step| forest[step.node].place.is_list() && step.keys.is_empty());
    let is_in_named = steps.iter().any(|step| !step.keys.is_empty());
    match of_all.contains(&Coverage::All) {
        true => true,
        // What is in an entry is decided by rows that its name begins: which they are shows with the change.
        false if is_of_any => is_in_named && of_all.contains(&Coverage::Some),
        false => may_write(forest, steps, access) || may_read(forest, steps, access),
    }
}

/// Whether something at a place may be written.
fn may_write_at(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    let Some(last) = steps.last() else { return false };
    let node = &forest[last.node];
    match node.place.setting() {
        Some(_) => may_write(forest, steps, access),
        // Which entries there are is not looked at; one that has nothing but keys is as writable as those.
        None if node.place.is_list() && last.keys.is_empty()
            || node.children.iter().all(|child| forest[*child].place.is_key()) =>
        {
            may_write_in(forest, last.node, access)
        }
        None => {
            let mut children = node.children.iter().filter(|child| !forest[**child].place.is_key());
            children.any(|child| may_write_at(forest, &[steps, &[Step::to(*child)]].concat(), access))
        }
    }
}

/// The keys of an entry, or the value of a leaf-list, as a configuration keeps them.
fn keys_of(forest: &Forest, list: NodeId, entry: Element<'_>) -> Arc<[Box<str>]> {
    let value = |key: NodeId, it: Element<'_>| {
        let setting = forest[key].place.setting();
        let canonical =
            setting.and_then(|setting| setting.value.canonical(it.text(), |of| it.resolve(of)).ok());
        canonical.unwrap_or_else(|| it.value().to_owned())
    };
    if forest[list].place.is_leaf_list() {
        return [value(list, entry).into_boxed_str()].into();
    }
    if !forest[list].place.is_list() {
        return Arc::new([]);
    }
    let key = |key: NodeId| {
        let found = entry.child(&forest.module(key).namespace, &forest[key].name);
        found.map(|it| value(key, it)).unwrap_or_default().into_boxed_str()
    };
    forest.keys(list).map(key).collect()
}

/// Whether everything of a node that can be configured may be read.
pub(super) fn may_read_all(forest: &Forest, node: NodeId, access: &Access) -> bool {
    match forest[node].place.setting() {
        Some(setting) => access.may_read_below(setting.object) == Coverage::All,
        None => forest[node].children.iter().all(|child| may_read_all(forest, *child, access)),
    }
}

/// Whether everything that can be configured may be changed.
pub(super) fn may_write_all(forest: &Forest, access: &Access) -> bool {
    fn within(forest: &Forest, node: NodeId, access: &Access) -> bool {
        match forest[node].place.setting() {
            Some(setting) => access.may_write_below(setting.object) == Coverage::All,
            None => forest[node].children.iter().all(|child| within(forest, *child, access)),
        }
    }
    let roots = forest.roots().iter().filter(|root| forest[**root].place.is_configuration());
    roots.copied().all(|root| within(forest, root, access))
}

/// Whether something at a place, or in it, may be read.
pub(super) fn may_read_in(forest: &Forest, steps: &[Step], access: &Access) -> bool {
    fn within(forest: &Forest, node: NodeId, access: &Access) -> bool {
        match forest[node].place.setting() {
            Some(setting) => access.may_read_below(setting.object) != Coverage::None,
            None => forest[node].children.iter().any(|child| within(forest, *child, access)),
        }
    }
    match steps.last() {
        Some(step) if forest[step.node].place.setting().is_some() => may_read(forest, steps, access),
        Some(step) => within(forest, step.node, access),
        None => true,
    }
}

/// Whether something of a node may be written.
pub(super) fn may_write_in(forest: &Forest, node: NodeId, access: &Access) -> bool {
    match forest[node].place.setting() {
        Some(setting) => {
            !forest[node].place.is_key() && access.may_write_below(setting.object) != Coverage::None
        }
        // An entry that has nothing but keys is as writable as those.
        None if forest[node].place.is_list()
            && forest[node].children.iter().all(|it| forest[*it].place.is_key()) =>
        {
            let objects = forest.keys(node).filter_map(|key| forest[key].place.setting());
            objects.map(|setting| setting.object).any(|it| access.may_write_below(it) != Coverage::None)
        }
        None => forest[node].children.iter().any(|child| may_write_in(forest, *child, access)),
    }
}

/// Where a view is finer than the object, the row decides.
fn covers(
    forest: &Forest,
    coverage: Coverage,
    steps: &[Step],
    setting: &Setting,
    contains: impl Fn(&[u32]) -> bool,
) -> bool {
    match coverage {
        Coverage::All => true,
        Coverage::None => false,
        Coverage::Some => {
            let module = steps.first().map(|step| forest.module(step.node).name);
            let instance = match module {
                Some(name) if name == SNMP.name => trunkline_models::snmp::instance(forest, steps),
                Some(name) if name == DELEGATION.name => {
                    trunkline_models::delegation::instance(forest, steps)
                }
                _ => {
                    let entry = steps.iter().find(|step| !step.keys.is_empty());
                    // Entries of other lists have no index that a view could name.
                    let is_interface = |step: &&Step| {
                        forest[step.node].name == "interface"
                            && forest.module(step.node).name == INTERFACES.name
                    };
                    let name = |step: &Step| step.keys.first().and_then(|name| index_of(name));
                    let index =
                        entry.map_or(Some(0), |entry| Some(entry).filter(is_interface).and_then(name));
                    index.map(|index| vec![index])
                }
            };
            instance.is_some_and(|instance| contains(&[setting.object, &instance].concat()))
        }
    }
}

/// The objects whose values are at a place or in it.
pub(super) fn objects_in(forest: &Forest, place: &[Step]) -> Vec<&'static [u32]> {
    fn add(forest: &Forest, node: NodeId, objects: &mut Vec<&'static [u32]>) {
        objects.extend(forest[node].place.setting().map(|setting| setting.object));
        forest[node].children.iter().for_each(|child| add(forest, *child, objects));
    }
    let mut objects = Vec::new();
    match place.last() {
        Some(step) => add(forest, step.node, &mut objects),
        None => forest.roots().iter().for_each(|root| add(forest, *root, &mut objects)),
    }
    objects
}
