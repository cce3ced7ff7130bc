//! Instances of data in memory: what an expression is evaluated on. In document order, each with the end of what is in it.

use crate::annotation::{Annotation, Origin};
use crate::forest::{Forest, NodeId};

/// A document of instances. The first is the root, which stands for no node.
#[derive(Debug, Clone)]
pub struct Instances {
    all: Vec<Instance>,
    /// The values of leaves, end to end.
    text: String,
    open: Vec<u32>,
    /// What is known of some of them, in their order.
    notes: Vec<(u32, Annotation)>,
}

/// An instance.
#[derive(Debug, Clone, Copy)]
struct Instance {
    node: NodeId,
    parent: u32,
    /// The first behind it and all that is in it.
    end: u32,
    value: (u32, u32),
}

/// Which instance; 0 is the root.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct InstanceId(pub u32);

impl Default for Instances {
    fn default() -> Self {
        let root = Instance { node: NodeId::NONE, parent: 0, end: 1, value: (0, 0) };
        Instances { all: vec![root], text: String::new(), open: vec![0], notes: Vec::new() }
    }
}

impl Instances {
    /// Only the root.
    pub fn new() -> Self {
        Instances::default()
    }

    /// Begins a container, or an entry of a list.
    pub fn open(&mut self, node: NodeId) {
        let at = self.add(node, (0, 0));
        self.open.push(at);
    }

    /// Its end.
    pub fn close(&mut self) {
        if self.open.len() > 1
            && let Some(at) = self.open.pop()
        {
            self.all[at as usize].end = self.all.len() as u32;
            self.all[0].end = self.all.len() as u32;
        }
    }

    /// A leaf.
    pub fn leaf(&mut self, node: NodeId, value: &str) {
        let from = self.text.len() as u32;
        self.text.push_str(value);
        self.add(node, (from, self.text.len() as u32));
        self.all[0].end = self.all.len() as u32;
    }

    /// Something is known of the instance that was added last.
    pub fn note(&mut self, annotation: Annotation) {
        if annotation != Annotation::default() && self.all.len() > 1 {
            self.notes.push((self.all.len() as u32 - 1, annotation));
        }
    }

    fn add(&mut self, node: NodeId, value: (u32, u32)) -> u32 {
        let at = self.all.len() as u32;
        let parent = self.open.last().copied().unwrap_or(0);
        self.all.push(Instance { node, parent, end: at + 1, value });
        at
    }

    /// How many there are, the root included.
    pub fn len(&self) -> usize {
        self.all.len()
    }

    /// Whether there is only the root.
    pub fn is_empty(&self) -> bool {
        self.all.len() == 1
    }

    /// Octets that they take.
    pub fn memory(&self) -> usize {
        self.all.capacity() * size_of::<Instance>()
            + self.notes.capacity() * size_of::<(u32, Annotation)>()
            + self.text.capacity()
    }

    /// The root.
    pub const ROOT: InstanceId = InstanceId(0);

    /// Its node; `None` of the root.
    pub fn node(&self, id: InstanceId) -> Option<NodeId> {
        (id != Self::ROOT).then(|| self.all[id.0 as usize].node)
    }

    /// What it is in; `None` of the root.
    pub fn parent(&self, id: InstanceId) -> Option<InstanceId> {
        (id != Self::ROOT).then(|| InstanceId(self.all[id.0 as usize].parent))
    }

    /// The first behind it and all that is in it.
    pub fn end(&self, id: InstanceId) -> InstanceId {
        InstanceId(self.all[id.0 as usize].end)
    }

    /// The value of a leaf; empty of any other instance.
    pub fn value(&self, id: InstanceId) -> &str {
        let (from, to) = self.all[id.0 as usize].value;
        &self.text[from as usize..to as usize]
    }

    /// What is known of it.
    pub fn annotation(&self, id: InstanceId) -> Annotation {
        let at = self.notes.binary_search_by_key(&id.0, |(of, _)| *of);
        at.map_or_else(|_| Annotation::default(), |at| self.notes[at].1)
    }

    /// Where it comes from, or else what it is in.
    pub fn origin(&self, id: InstanceId) -> Origin {
        let mut at = Some(id);
        while let Some(of) = at {
            if let Some(origin) = self.annotation(of).origin {
                return origin;
            }
            at = self.parent(of);
        }
        Origin::Unknown
    }

    /// The instances directly within it.
    pub fn children(&self, id: InstanceId) -> impl Iterator<Item = InstanceId> {
        let end = self.end(id);
        let mut next = InstanceId(id.0 + 1);
        std::iter::from_fn(move || {
            let child = (next < end).then_some(next)?;
            next = self.end(child);
            Some(child)
        })
    }

    /// Everything within it, in document order.
    pub fn below(&self, id: InstanceId) -> impl DoubleEndedIterator<Item = InstanceId> + use<> {
        (id.0 + 1..self.end(id).0).map(InstanceId)
    }

    /// The same without those that are not kept. What is kept is in what is kept.
    #[must_use]
    pub fn only(&self, forest: &Forest, kept: &[bool]) -> Instances {
        let mut only = Instances::new();
        let mut open: Vec<InstanceId> = Vec::new();
        for id in self.below(Self::ROOT).filter(|id| kept[id.0 as usize]) {
            while open.pop_if(|within| self.end(*within) <= id).is_some() {
                only.close();
            }
            let Some(node) = self.node(id) else { continue };
            if forest[node].place.syntax().is_some() {
                only.leaf(node, self.value(id));
            } else {
                only.open(node);
                open.push(id);
            }
        }
        open.into_iter().for_each(|_| only.close());
        only
    }

    /// Which instances an answer has if these are requested: they and all in them, what they are in, and the keys of the entries that
    /// those are. Of what is in them, only so many levels, they themselves being the first.
    pub fn keep(
        &self,
        forest: &Forest,
        wanted: impl IntoIterator<Item = InstanceId>,
        levels: Option<u16>,
    ) -> Vec<bool> {
        let mut kept = vec![false; self.len()];
        // Behind this one nothing is kept as part of a whole.
        let mut whole_until = InstanceId(0);
        for id in wanted {
            if levels.is_none() && id < whole_until {
                continue;
            }
            whole_until = self.end(id);
            match levels {
                None => kept[id.0 as usize..whole_until.0 as usize].fill(true),
                Some(levels) => self.keep_levels(forest, id, levels, &mut kept),
            }
            let mut above = self.parent(id);
            while let Some(at) = above.filter(|at| !kept[at.0 as usize] || *at == Self::ROOT) {
                kept[at.0 as usize] = true;
                for child in self.children(at) {
                    if self.node(child).is_some_and(|node| forest[node].place.is_key()) {
                        kept[child.0 as usize] = true;
                    } else {
                        // Keys are first.
                        break;
                    }
                }
                above = self.parent(at);
            }
        }
        kept
    }

    /// Keeps an instance, so many levels of it, and the keys of entries.
    fn keep_levels(&self, forest: &Forest, id: InstanceId, levels: u16, kept: &mut [bool]) {
        kept[id.0 as usize] = true;
        for child in self.children(id) {
            if levels > 1 {
                self.keep_levels(forest, child, levels - 1, kept);
            } else if self.node(child).is_some_and(|node| forest[node].place.is_key()) {
                kept[child.0 as usize] = true;
            }
        }
    }

    /// Keeps of those only the ones that pass, what they are in, and the keys of the entries that those are. `passes` is asked of
    /// everything but the root.
    pub fn prune(&self, forest: &Forest, kept: &mut [bool], passes: impl Fn(InstanceId) -> bool) {
        let was_kept = kept.to_vec();
        let mut has_some = vec![false; self.len()];
        // What is in an instance is behind it.
        for at in (1..self.len() as u32).rev() {
            let (id, place) = (InstanceId(at), at as usize);
            let is_key = self.node(id).is_some_and(|node| forest[node].place.is_key());
            kept[place] = was_kept[place] && (has_some[place] || !is_key && passes(id));
            if let Some(parent) = self.parent(id).filter(|_| kept[place]) {
                has_some[parent.0 as usize] = true;
            }
        }
        for at in (1..self.len() as u32).filter(|at| was_kept[*at as usize]) {
            let id = InstanceId(at);
            let is_of_kept = self.parent(id).is_some_and(|parent| kept[parent.0 as usize]);
            if is_of_kept && self.node(id).is_some_and(|node| forest[node].place.is_key()) {
                kept[at as usize] = true;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::smiv2::modules;

    #[test]
    fn an_answer_has_the_keys_of_what_its_nodes_are_in() {
        let forest = Forest::of(&modules());
        let find = |of: Option<NodeId>, name: &str| {
            *forest.children(of).iter().find(|it| forest[**it].name == name).unwrap()
        };
        let module = find(None, "IF-MIB");
        let table = find(Some(module), "ifTable");
        let entry = find(Some(table), "ifEntry");
        let mut all = Instances::new();
        all.open(module);
        all.open(table);
        for row in ["1", "2"] {
            all.open(entry);
            all.leaf(find(Some(entry), "ifIndex"), row);
            all.leaf(find(Some(entry), "ifDescr"), "lo");
            all.leaf(find(Some(entry), "ifType"), "other");
            all.close();
        }
        all.close();
        all.close();
        assert_eq!((all.len(), all.end(Instances::ROOT)), (11, InstanceId(11)));
        let rows: Vec<InstanceId> = all.children(InstanceId(2)).collect();
        assert_eq!(rows, [InstanceId(3), InstanceId(7)]);
        let places = |kept: &[bool]| (0..all.len()).filter(|at| kept[*at]).collect::<Vec<usize>>();
        let kept_of =
            |wanted: &[u32], levels| all.keep(&forest, wanted.iter().map(|id| InstanceId(*id)), levels);
        let kept = |wanted: &[u32]| places(&kept_of(wanted, None));
        assert_eq!(kept(&[]), []);
        assert_eq!(kept(&[10]), [0, 1, 2, 7, 8, 10]);
        assert_eq!(kept(&[3, 4, 9]), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
        assert_eq!(all.value(InstanceId(9)), "lo");
        // Levels count from what is requested, and entries have their keys.
        assert_eq!(places(&kept_of(&[1], Some(1))), [0, 1]);
        assert_eq!(places(&kept_of(&[1], Some(3))), [0, 1, 2, 3, 4, 7, 8]);
        assert_eq!(places(&kept_of(&[2, 3, 9], Some(1))), [0, 1, 2, 3, 4, 7, 8, 9]);
        assert_eq!(places(&kept_of(&[3], Some(2))), [0, 1, 2, 3, 4, 5, 6]);
        // An entry of which nothing is left has no keys either.
        let mut pruned = kept_of(&[2], None);
        all.prune(&forest, &mut pruned, |id| id.0 == 6);
        assert_eq!(places(&pruned), [0, 1, 2, 3, 4, 6]);
        let mut pruned = kept_of(&[2], None);
        all.prune(&forest, &mut pruned, |id| id.0 == 7);
        assert_eq!(places(&pruned), [0, 1, 2, 7, 8]);
        let only = all.only(&forest, &pruned);
        let values: Vec<&str> = only.below(Instances::ROOT).map(|id| only.value(id)).collect();
        assert_eq!(values, ["", "", "", "2"]);
        assert_eq!(only.children(InstanceId(2)).count(), 1);
        assert_eq!(only.end(InstanceId(1)), InstanceId(5));
        let mut pruned = kept_of(&[2], None);
        all.prune(&forest, &mut pruned, |_| false);
        assert_eq!(places(&pruned), [0]);
    }
}
