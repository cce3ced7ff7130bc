//! What differs between two states of the same data, as the edits of a patch (RFC 8072) in an update of changes (RFC 8641 section 3.7).
//!
//! Both states are instances in memory. Children differ by their nodes, entries by their keys, values of leaf-lists by
//! themselves. A value that counts or is a clock changes all the time: it is not notified on change (RFC 8641 section 3.10).

use std::collections::HashMap;

use trunkline_smi::ValueKind;
use trunkline_xml::Writer;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};
use trunkline_yang::selection::{Selected, Selection, Wanted, Within};

use crate::PUSH;
use crate::data::DataWriter;

/// What happens to a node (RFC 8641, `change-type`).
#[allow(missing_docs, reason = "they are the RFC's words")]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Create,
    Delete,
    Insert,
    Move,
    Replace,
}

impl Operation {
    /// Their names.
    pub const WORDS: [(&'static str, Operation); 5] = [
        ("create", Self::Create),
        ("delete", Self::Delete),
        ("insert", Self::Insert),
        ("move", Self::Move),
        ("replace", Self::Replace),
    ];

    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// Kinds of changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Excluded(u8);

impl Excluded {
    /// Of these.
    #[must_use]
    pub fn of(operations: impl IntoIterator<Item = Operation>) -> Excluded {
        Excluded(operations.into_iter().fold(0, |all, operation| all | 1 << operation as u8))
    }

    /// Whether this is one of them.
    #[must_use]
    pub const fn has(self, operation: Operation) -> bool {
        self.0 & (1 << operation as u8) != 0
    }
}

/// An edit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edit {
    /// What happens.
    pub operation: Operation,
    /// To what: of the state before, of what is deleted; of the state after, of anything else.
    pub of: InstanceId,
}

/// The edits that make the state after of the one before, without the kinds that are excluded.
#[must_use]
pub fn edits(forest: &Forest, before: &Instances, after: &Instances, excluded: Excluded) -> Vec<Edit> {
    let mut comparison = Comparison { forest, before, after, excluded, edits: Vec::new() };
    comparison.children(Instances::ROOT, Instances::ROOT);
    comparison.edits
}

/// Whether a change of something that is selected can be noticed: of a leaf that is neither a key nor counts, or of entries of which
/// only keys are selected.
#[must_use]
pub fn is_noticed(forest: &Forest, selection: &Selection) -> bool {
    let is_key = |selected: &Selected| forest[selected.node].place.is_key();
    let are_keys = selection.nodes.iter().all(is_key);
    selection.nodes.iter().filter(|it| are_keys || !is_key(it)).any(|selected| {
        let within = |within: &Within| match within {
            Within::All => is_noticed_below(forest, selected.node),
            Within::Nodes(nodes) => nodes.nodes.is_empty() || is_noticed(forest, nodes),
        };
        match &selected.wanted {
            Wanted::All => is_noticed_below(forest, selected.node),
            Wanted::Some(alternatives) => alternatives.iter().any(|it| within(&it.within)),
        }
    })
}

fn is_noticed_below(forest: &Forest, node: NodeId) -> bool {
    let place = &forest[node].place;
    match place.syntax() {
        Some(_) => !counts(forest, node),
        None => place.is_list() || forest[node].children.iter().any(|child| is_noticed_below(forest, *child)),
    }
}

/// Whether the value of a leaf counts or is a clock.
fn counts(forest: &Forest, leaf: NodeId) -> bool {
    let Some(syntax) = forest[leaf].place.syntax() else { return false };
    let is_counter =
        matches!(syntax.kind, ValueKind::Counter32 | ValueKind::Counter64 | ValueKind::TimeTicks);
    // Time stamps are TimeTicks and change with what they are about.
    is_counter && syntax.convention != "TimeStamp" || {
        let parent = forest[leaf].parent.map(|parent| forest[parent].name.as_str());
        matches!(parent, Some("statistics")) || COUNTING.contains(&forest[leaf].name.as_str())
    }
}

/// Leaves of modules with data of their own that change with every request, or with traffic or time alone.
const COUNTING: [&str; 10] = [
    "in-octets",
    "out-octets",
    "current-datetime",
    "in-rpcs",
    "in-bad-rpcs",
    "out-rpc-errors",
    "out-notifications",
    "sent-event-records",
    "excluded-event-records",
    "replay-log-aged-time",
];

struct Comparison<'c> {
    forest: &'c Forest,
    before: &'c Instances,
    after: &'c Instances,
    excluded: Excluded,
    edits: Vec<Edit>,
}

/// What tells a child from the others: its node, and keys or a value.
type Name<'n> = (NodeId, Vec<&'n str>);

impl Comparison<'_> {
    fn children(&mut self, before: InstanceId, after: InstanceId) {
        let (old, new) = (self.before, self.after);
        let mut olds = old.children(before).peekable();
        let mut news = new.children(after).peekable();
        // Mostly nothing is added and nothing is taken away.
        while let (Some(&one), Some(&other)) = (olds.peek(), news.peek()) {
            if !self.is_same(one, other) {
                break;
            }
            self.both(one, other);
            olds.next();
            news.next();
        }
        let mut rest: HashMap<Name<'_>, InstanceId> =
            olds.filter_map(|id| Some((name(self.forest, old, id)?, id))).collect();
        let mut created = Vec::new();
        for id in news {
            match name(self.forest, new, id).and_then(|name| rest.remove(&name)) {
                Some(was) => self.both(was, id),
                None => created.push(id),
            }
        }
        let mut deleted: Vec<InstanceId> = rest.into_values().collect();
        deleted.sort_unstable();
        deleted.into_iter().for_each(|id| self.edit(Operation::Delete, id));
        created.into_iter().for_each(|id| self.edit(Operation::Create, id));
    }

    fn is_same(&self, before: InstanceId, after: InstanceId) -> bool {
        let (old, new) = (self.before, self.after);
        let Some(node) = old.node(before).filter(|node| new.node(after) == Some(*node)) else { return false };
        let place = &self.forest[node].place;
        if place.is_list() {
            return keys(self.forest, old, before).eq(keys(self.forest, new, after));
        }
        !place.is_many() || old.value(before) == new.value(after)
    }

    /// A child that is in both.
    fn both(&mut self, before: InstanceId, after: InstanceId) {
        let Some(node) = self.after.node(after) else { return };
        if self.forest[node].place.syntax().is_none() {
            self.children(before, after);
        } else if self.before.value(before) != self.after.value(after) && !counts(self.forest, node) {
            self.edit(Operation::Replace, after);
        }
    }

    fn edit(&mut self, operation: Operation, of: InstanceId) {
        if !self.excluded.has(operation) {
            self.edits.push(Edit { operation, of });
        }
    }
}

fn name<'i>(forest: &'i Forest, instances: &'i Instances, id: InstanceId) -> Option<Name<'i>> {
    let node = instances.node(id)?;
    let place = &forest[node].place;
    let told = if place.is_list() {
        keys(forest, instances, id).collect()
    } else if place.is_many() {
        vec![instances.value(id)]
    } else {
        Vec::new()
    };
    Some((node, told))
}

/// The values of an entry's keys, in their order.
fn keys<'i>(forest: &'i Forest, instances: &'i Instances, id: InstanceId) -> impl Iterator<Item = &'i str> {
    let is_key = |leaf: &InstanceId| instances.node(*leaf).is_some_and(|node| forest[node].place.is_key());
    instances.children(id).take_while(is_key).map(|leaf| instances.value(leaf))
}

/// An instance and what is in it, written piece by piece.
#[derive(Debug)]
pub struct Walk<'i> {
    instances: &'i Instances,
    next: InstanceId,
    end: InstanceId,
    open: Vec<(InstanceId, NodeId)>,
}

impl<'i> Walk<'i> {
    /// Of one; of the root, everything in it.
    #[must_use]
    pub fn of(instances: &'i Instances, id: InstanceId) -> Self {
        let first = if id == Instances::ROOT { InstanceId(1) } else { id };
        Walk { instances, next: first, end: instances.end(id), open: Vec::new() }
    }

    /// Writes until there are so many octets; whether there is more to write.
    pub fn fill(&mut self, writer: &mut DataWriter<'_>, most: usize) -> bool {
        while writer.octets.len() < most {
            let id = self.next;
            while let Some((_, node)) = self.open.pop_if(|(end, _)| *end <= id) {
                writer.close(node);
            }
            if id >= self.end {
                return false;
            }
            self.next = InstanceId(id.0 + 1);
            let Some(node) = self.instances.node(id) else { continue };
            if writer.forest()[node].place.syntax().is_some() {
                writer.leaf_text(node, self.instances.value(id));
            } else {
                writer.open(node);
                self.open.push((self.instances.end(id), node));
            }
        }
        true
    }
}

/// Writes `push-change-update` piece by piece; whoever calls it takes its octets in between.
#[derive(Debug)]
pub struct ChangeWriter<'c> {
    writer: DataWriter<'c>,
    before: &'c Instances,
    after: &'c Instances,
    edits: std::vec::IntoIter<Edit>,
    /// How many have begun.
    begun: u32,
    /// The value that is being written.
    value: Option<Walk<'c>>,
}

impl<'c> ChangeWriter<'c> {
    /// Begins, behind what the octets hold: the update of a subscription with this number.
    #[must_use]
    pub fn begin(
        forest: &'c Forest,
        mut octets: Vec<u8>,
        (subscription, patch): (u32, u32),
        (before, after): (&'c Instances, &'c Instances),
        edits: Vec<Edit>,
    ) -> Self {
        let mut writer = Writer::new(&mut octets);
        writer.start("push-change-update").attribute("xmlns", PUSH).leaf("id", &subscription.to_string());
        writer.start("datastore-changes").start("yang-patch").leaf("patch-id", &patch.to_string());
        let writer = DataWriter::new(forest, octets);
        ChangeWriter { writer, before, after, edits: edits.into_iter(), begun: 0, value: None }
    }

    /// Writes until there are so many octets; whether there is more to write.
    pub fn fill(&mut self, most: usize) -> bool {
        while self.writer.octets.len() < most {
            if let Some(value) = &mut self.value {
                if value.fill(&mut self.writer, most) {
                    return true;
                }
                self.value = None;
                Writer::new(&mut self.writer.octets).end("value").end("edit");
            } else if let Some(edit) = self.edits.next() {
                self.edit(edit);
            } else {
                let mut writer = Writer::new(&mut self.writer.octets);
                writer.end("yang-patch").end("datastore-changes").end("push-change-update");
                return false;
            }
        }
        true
    }

    fn edit(&mut self, edit: Edit) {
        self.begun += 1;
        let is_deleted = edit.operation == Operation::Delete;
        let of = if is_deleted { self.before } else { self.after };
        let mut path = String::new();
        target(self.writer.forest(), of, edit.of, &mut path);
        let mut writer = Writer::new(&mut self.writer.octets);
        writer.start("edit").leaf("edit-id", &format!("edit{}", self.begun));
        writer.leaf("operation", edit.operation.name()).leaf("target", &path);
        if is_deleted {
            writer.end("edit");
        } else {
            writer.start("value").raw(b"");
            self.writer.outermost();
            self.value = Some(Walk::of(of, edit.of));
        }
    }

    /// What is written.
    pub const fn octets(&mut self) -> &mut Vec<u8> {
        &mut self.writer.octets
    }
}

/// Where an instance is, as RFC 8040 section 3.5.3 has it.
fn target(forest: &Forest, instances: &Instances, id: InstanceId, path: &mut String) {
    let (Some(node), Some(parent)) = (instances.node(id), instances.parent(id)) else { return };
    target(forest, instances, parent, path);
    path.push('/');
    if forest.begins_namespace(node) {
        path.push_str(forest.module(node).name);
        path.push(':');
    }
    path.push_str(&forest[node].name);
    if let Some((_, told)) = name(forest, instances, id) {
        for (at, value) in told.into_iter().enumerate() {
            path.push(if at == 0 { '=' } else { ',' });
            encode(value, path);
        }
    }
}

/// Percent-encodes a value (RFC 3986 section 2.1).
fn encode(value: &str, path: &mut String) {
    for &octet in value.as_bytes() {
        if octet.is_ascii_alphanumeric() || b"-._~".contains(&octet) {
            path.push(char::from(octet));
        } else {
            path.push('%');
            for digit in [octet >> 4, octet & 15] {
                path.push(char::from(b"0123456789ABCDEF"[usize::from(digit)]));
            }
        }
    }
}

#[cfg(test)]
mod tests;
