//! Data that the agent has made: what of it is wanted, and may be written.

use trunkline_smi::Value;
use trunkline_yang::annotation::OriginFilter;
use trunkline_yang::forest::Forest;
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::lexical;
use trunkline_yang::selection::{Selection, Test, Wanted, Within};

use super::{DataSink, Output, keys};

/// What is wanted of an instance, by the values of its leaves; `None`: nothing of it.
pub fn wanted_within(
    forest: &Forest,
    instances: &Instances,
    id: InstanceId,
    wanted: &Wanted,
) -> Option<Within> {
    let Wanted::Some(alternatives) = wanted else { return Some(Within::All) };
    let holds = |test: &Test| {
        let mut leaves = instances.children(id).filter(|leaf| instances.node(*leaf) == Some(test.leaf));
        let syntax = forest[test.leaf].place.syntax();
        leaves.any(|leaf| {
            let value = syntax.and_then(|syntax| lexical::read(instances.value(leaf), syntax));
            test.holds(value.as_ref().map(Value::as_value_ref))
        })
    };
    let mut passed = alternatives.iter().filter(|it| it.tests.iter().all(holds)).peekable();
    passed.peek()?;
    let mut within = Selection::default();
    for alternative in passed {
        match &alternative.within {
            Within::All => return Some(Within::All),
            Within::Nodes(nodes) => within.merge(nodes.clone()),
        }
    }
    Some(Within::Nodes(within))
}

/// Marks an instance and what is wanted in it, with the keys of entries.
pub(super) fn mark_wanted(
    forest: &Forest,
    instances: &Instances,
    id: InstanceId,
    wanted: &Wanted,
    marked: &mut [bool],
) {
    let Some(within) = wanted_within(forest, instances, id, wanted) else { return };
    marked[id.0 as usize] = true;
    // Whether it is there at all depends on all that is in it.
    if within == Within::All || within.is_existence() {
        marked[id.0 as usize..instances.end(id).0 as usize].fill(true);
        return;
    }
    for child in instances.children(id) {
        let Some(node) = instances.node(child) else { continue };
        if let Some(wanted) = within.of(node) {
            mark_wanted(forest, instances, child, wanted, marked);
        } else if forest[node].place.is_key() {
            marked[child.0 as usize] = true;
        }
    }
}

/// What of the data may be written, besides what a filter selects.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Narrow {
    /// Only configuration, or only state.
    pub config: Option<bool>,
    /// From where configuration must come. State has no origin, and passes (RFC 8526 section 3.1.1).
    pub origins: Option<OriginFilter>,
}

impl Narrow {
    /// Whether an instance may be written for itself.
    pub fn passes(self, forest: &Forest, instances: &Instances, id: InstanceId) -> bool {
        let Some(node) = instances.node(id) else { return false };
        let place = &forest[node].place;
        let is_configuration = place.is_configuration();
        self.config.is_none_or(|it| it == is_configuration)
            && self.origins.is_none_or(|origins| {
                !place.is_plain_container() && (!is_configuration || origins.passes(instances.origin(id)))
            })
    }
}

/// Instances that the agent has made.
pub(super) struct OwnInstances<'i> {
    pub forest: &'i Forest,
    pub instances: &'i Instances,
    /// Which may be written.
    pub kept: Option<&'i [bool]>,
    /// Whether values that are defaults are left out.
    pub trims: bool,
    /// Entries whose keys cannot be written.
    pub left_out: usize,
}

impl OwnInstances<'_> {
    /// Writes what is wanted of one.
    pub fn node<S: DataSink>(&mut self, id: InstanceId, wanted: &Wanted, output: &mut Output<'_, S>) {
        let OwnInstances { forest, instances, kept, trims, .. } = *self;
        let Some(node) = instances.node(id) else { return };
        if kept.is_some_and(|kept| !kept[id.0 as usize]) {
            return;
        }
        let note = instances.annotation(id);
        if forest[node].place.syntax().is_some() {
            let default = || forest[node].place.setting().and_then(|setting| setting.default);
            if !trims || default() != Some(instances.value(id)) {
                output.leaf_text(node, note, instances.value(id));
            }
            return;
        }
        let Some(within) = wanted_within(forest, instances, id, wanted) else { return };
        if !self.is_there(id, &within) {
            return;
        }
        if !keys::are_written(forest, instances, id) {
            self.left_out += 1;
            return;
        }
        output.unopened.push((node, note));
        if within.is_existence() || within == Within::All && !forest[node].place.is_plain_container() {
            output.open_all();
        }
        for child in instances.children(id) {
            let Some(of) = instances.node(child) else { continue };
            // Keys are always there.
            let always = forest[of].place.is_key().then_some(&Wanted::All);
            if let Some(wanted) = within.of(of).or(always) {
                self.node(child, wanted, output);
            }
        }
        output.end(node);
    }

    /// Whether anything that is wanted is in an instance: an entry without it is left out, unless its keys are wanted for themselves.
    fn is_there(&self, id: InstanceId, within: &Within) -> bool {
        let Within::Nodes(selection) = within else { return true };
        if within.is_existence() {
            return self.has_something(id);
        }
        self.instances.children(id).any(|child| {
            let is_kept = self.kept.is_none_or(|kept| kept[child.0 as usize]);
            let Some(node) = self.instances.node(child).filter(|_| is_kept) else { return false };
            let Some(wanted) = selection.of(node) else { return false };
            self.forest[node].place.syntax().is_some()
                || wanted_within(self.forest, self.instances, child, wanted)
                    .is_some_and(|within| self.is_there(child, &within))
        })
    }

    /// Whether an instance is there for itself, or for a leaf in it.
    fn has_something(&self, id: InstanceId) -> bool {
        let is_something = |id: InstanceId| {
            let is_kept = self.kept.is_none_or(|kept| kept[id.0 as usize]);
            let place = self.instances.node(id).map(|node| &self.forest[node].place);
            is_kept && place.is_some_and(|place| !place.is_plain_container())
        };
        is_something(id) || self.instances.below(id).any(is_something)
    }
}
