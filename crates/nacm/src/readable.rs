//! What of a configuration somebody may read. How much of each node that is, is found once for an access: what may be read as a whole is shared with the
//! configuration, and only leaves of which some instances may be read are decided one by one.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::AtomicU8;
use std::sync::atomic::Ordering::Relaxed;

use trunkline_datastore::{Branch, Config, Item, Step};
use trunkline_tree::{Access, Coverage};
use trunkline_yang::forest::{Forest, NodeId};

/// What of a configuration may be read. The rest is left out (RFC 8341 section 3.2.4). `may_read` decides about a leaf whose object may be read in part.
pub fn readable(
    forest: &Forest,
    config: &Config,
    access: &Access,
    may_read: impl Fn(&[Step]) -> bool,
) -> Config {
    let other;
    let reach = match access.worked_out(|| Reach::new(forest)).filter(|it| it.is_of(forest)) {
        Some(reach) => reach,
        None => {
            other = Reach::new(forest);
            &other
        }
    };
    let mut pruned = Config::default();
    let mut pruning = Pruning { forest, access, reach, may_read, steps: Vec::new() };
    match pruning.branch(config.root()) {
        Kept::Whole => pruned = config.clone(),
        Kept::Part(branch) => *pruned.root_mut() = branch,
        Kept::Nothing => {}
    }
    pruned
}

/// How much of what can be configured at each node, and in it, somebody may read, as far as it is known.
struct Reach {
    /// Of which forest.
    forest: usize,
    nodes: Box<[AtomicU8]>,
}

impl Reach {
    fn new(forest: &Forest) -> Reach {
        let nodes = (0..forest.size()).map(|_| AtomicU8::new(UNKNOWN)).collect();
        Reach { forest: ptr::from_ref(forest).addr(), nodes }
    }

    fn is_of(&self, forest: &Forest) -> bool {
        self.forest == ptr::from_ref(forest).addr() && self.nodes.len() == forest.size()
    }

    /// `None`: nothing in it can be configured.
    fn of(&self, forest: &Forest, node: NodeId, access: &Access) -> Option<Coverage> {
        let known = &self.nodes[node.position()];
        match known.load(Relaxed) {
            ALL => return Some(Coverage::All),
            NONE => return Some(Coverage::None),
            PARTLY => return Some(Coverage::Some),
            NOTHING => return None,
            _ => {}
        }
        let found = self.find(forest, node, access);
        let code = match found {
            Some(Coverage::All) => ALL,
            Some(Coverage::None) => NONE,
            Some(Coverage::Some) => PARTLY,
            None => NOTHING,
        };
        known.store(code, Relaxed);
        found
    }

    fn find(&self, forest: &Forest, node: NodeId, access: &Access) -> Option<Coverage> {
        let place = &forest[node].place;
        if let Some(setting) = place.setting() {
            return Some(match access.may_read_below(setting.object) {
                // A secret is never read, but of it may be seen that there is one.
                Coverage::All if setting.is_secret => Coverage::Some,
                coverage => coverage,
            });
        }
        if !place.is_configuration() {
            return None;
        }
        if place.syntax().is_some() {
            return Some(Coverage::None);
        }
        let children = forest[node].children.iter().filter_map(|child| self.of(forest, *child, access));
        children.reduce(|one, other| if one == other { one } else { Coverage::Some })
    }
}

const UNKNOWN: u8 = 0;
const NONE: u8 = 1;
const PARTLY: u8 = 2;
const ALL: u8 = 3;
const NOTHING: u8 = 4;

/// What of a branch, or of a child, is left.
enum Kept {
    Nothing,
    Part(Branch),
    Whole,
}

struct Pruning<'a, F> {
    forest: &'a Forest,
    access: &'a Access,
    reach: &'a Reach,
    may_read: F,
    /// The way to what is looked at.
    steps: Vec<Step>,
}

impl<F: Fn(&[Step]) -> bool> Pruning<'_, F> {
    fn branch(&mut self, branch: &Branch) -> Kept {
        let mut part: Option<Branch> = None;
        for (at, (step, item)) in branch.iter().enumerate() {
            let kept = match self.child(step, item) {
                Kept::Whole if part.is_none() => continue,
                Kept::Whole => Some(item.clone()),
                Kept::Part(within) => Some(Item::Within(Arc::new(within))),
                Kept::Nothing => None,
            };
            let part = part.get_or_insert_with(|| {
                let mut before = Branch::default();
                branch.iter().take(at).for_each(|(step, item)| before.insert(step.clone(), item.clone()));
                before
            });
            if let Some(item) = kept {
                part.insert(step.clone(), item);
            }
        }
        match part {
            None => Kept::Whole,
            Some(part) if part.is_empty() => Kept::Nothing,
            Some(mut part) => {
                part.order_as(branch);
                Kept::Part(part)
            }
        }
    }

    fn child(&mut self, step: &Step, item: &Item) -> Kept {
        let reach = self.reach.of(self.forest, step.node, self.access);
        if reach == Some(Coverage::All) {
            return Kept::Whole;
        }
        let branch = match item.branch() {
            // A container that means something without content is as readable as what it is in.
            Some(branch) if branch.is_empty() => return Kept::Whole,
            _ if reach == Some(Coverage::None) => return Kept::Nothing,
            branch => branch,
        };
        self.steps.push(step.clone());
        let kept = match branch {
            None if (self.may_read)(&self.steps) => Kept::Whole,
            None => Kept::Nothing,
            Some(branch) => match self.branch(branch) {
                // Of a secret it is seen that there is one.
                Kept::Nothing if self.has_secret(step.node) => Kept::Part(Branch::default()),
                kept => kept,
            },
        };
        self.steps.pop();
        kept
    }

    /// Whether a container has a secret whose object may be read.
    fn has_secret(&self, node: NodeId) -> bool {
        let settings = self.forest[node].children.iter().filter_map(|it| self.forest[*it].place.setting());
        settings
            .into_iter()
            .any(|setting| setting.is_secret && self.access.may_read_below(setting.object) != Coverage::None)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use proptest::prelude::*;
    use trunkline_tree::{Family, View};

    use super::*;
    use crate::testing::forest;

    static FOREST: LazyLock<Forest> = LazyLock::new(forest);

    fn view(rules: &[&str]) -> View {
        View::of(rules.iter().map(|rule| rule.parse().unwrap())).unwrap()
    }

    fn access(read: View) -> Access {
        let tree = trunkline_tree::TreeBuilder::default().build(std::time::Instant::now()).unwrap();
        tree.access(read, View::NOTHING)
    }

    /// Decides about each leaf as if there were no other way: rows are named by the first key on the way.
    fn may_read(forest: &Forest, steps: &[Step], access: &Access) -> bool {
        let Some(setting) = steps.last().and_then(|step| forest[step.node].place.setting()) else {
            return false;
        };
        let index = steps.iter().find_map(|step| step.keys.first()?.parse().ok()).unwrap_or(0);
        !setting.is_secret && access.may_read_name(&[setting.object, &[index]].concat())
    }

    fn pruned(forest: &Forest, config: &Config, access: &Access) -> Config {
        readable(forest, config, access, |steps| may_read(forest, steps, access))
    }

    /// Numbers as irregular as necessary.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, limit: u64) -> u64 {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (self.0 >> 33) % limit
        }
    }

    /// Some of what can be configured at a node.
    fn grow(forest: &Forest, node: NodeId, numbers: &mut Numbers, into: &mut Branch) {
        let place = &forest[node].place;
        if !place.is_configuration() || (!place.is_key() && numbers.below(4) == 0) {
            return;
        }
        if place.is_leaf_list() {
            let keys: Arc<[Box<str>]> = ["value".into()].into();
            into.insert(Step { node, keys }, Item::Leaf("value".into()));
        } else if place.setting().is_some() {
            into.insert(Step::to(node), Item::Leaf("value".into()));
        } else {
            let entries = if place.is_list() { numbers.below(4) } else { 1 };
            for entry in 0..entries {
                let mut within = Branch::default();
                forest[node].children.iter().for_each(|child| grow(forest, *child, numbers, &mut within));
                let keys = forest.keys(node).map(|_| entry.to_string().into_boxed_str()).collect();
                into.insert(Step { node, keys }, Item::Within(Arc::new(within)));
            }
        }
    }

    fn configuration(forest: &Forest, seed: u64) -> Config {
        let (mut config, mut numbers) = (Config::default(), Numbers(seed));
        forest.roots().iter().for_each(|root| grow(forest, *root, &mut numbers, config.root_mut()));
        config
    }

    /// The places of all leaves, in the order in which they are written.
    fn leaves(branch: &Branch, steps: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
        for (step, item) in branch.iter() {
            steps.push(step.clone());
            match item.branch() {
                None => found.push(steps.clone()),
                Some(within) => leaves(within, steps, found),
            }
            steps.pop();
        }
    }

    fn all_leaves(config: &Config) -> Vec<Vec<Step>> {
        let mut found = Vec::new();
        leaves(config.root(), &mut Vec::new(), &mut found);
        found
    }

    /// Containers and entries without content must have been so, or have a secret that may be known of.
    fn check_empty(forest: &Forest, before: &Branch, after: &Branch, access: &Access) {
        for (step, item) in after.iter() {
            let (Some(within), Some(was)) = (item.branch(), before.within(step)) else { continue };
            let secrets = forest[step.node].children.iter().filter_map(|it| forest[*it].place.setting());
            let tells = secrets
                .into_iter()
                .any(|it| it.is_secret && access.may_read_below(it.object) != Coverage::None);
            assert!(!within.is_empty() || was.is_empty() || tells, "{}", forest[step.node].name);
            check_empty(forest, was, within, access);
        }
    }

    fn family() -> impl Strategy<Value = Family> {
        let forest = &*FOREST;
        let mut subtrees = vec!["1".to_owned(), "1.3.6.1.2.1".into(), "1.3.6.1.2.1.31.1.1.1.*.2".into()];
        let mut open = forest.roots().to_vec();
        while let Some(node) = open.pop() {
            open.extend(&forest[node].children);
            let Some(object) = forest[node].place.setting().map(|setting| setting.object) else { continue };
            let text = object.iter().map(u32::to_string).collect::<Vec<_>>().join(".");
            subtrees.extend([format!("{text}.1"), format!("{text}.0"), text]);
        }
        subtrees.dedup();
        (prop::sample::select(subtrees), any::<bool>())
            .prop_map(|(text, included)| Family { included, ..text.parse().unwrap() })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        /// Exactly the leaves are left that may be read when each is decided on its own, in their order; and again by what is known by then.
        #[test]
        fn what_is_left_is_what_may_be_read(seed: u64, families in prop::collection::vec(family(), 0..40)) {
            let forest = &*FOREST;
            let mut view = View::NOTHING;
            families.into_iter().for_each(|family| view.insert(family));
            let access = access(view);
            for config in [configuration(forest, seed), configuration(forest, seed ^ 1)] {
                let left = pruned(forest, &config, &access);
                let mut expected = all_leaves(&config);
                expected.retain(|steps| may_read(forest, steps, &access));
                prop_assert_eq!(all_leaves(&left), expected);
                check_empty(forest, config.root(), left.root(), &access);
                prop_assert_eq!(pruned(forest, &config, &access), left);
            }
        }
    }

    fn node(forest: &Forest, path: &[&str]) -> NodeId {
        path.iter().fold(None, |at, name| Some(forest.child(at, name).unwrap())).unwrap()
    }

    /// What may be read as a whole is shared, not copied.
    #[test]
    fn what_may_be_read_as_a_whole_is_shared() {
        let forest = forest();
        // That of the first number that has both.
        let config = (0..).map(|seed| configuration(&forest, seed)).find(|config| {
            ["bgp", "system"].iter().all(|root| {
                config.root().within(&Step::to(node(&forest, &[root]))).is_some_and(|it| !it.is_empty())
            })
        });
        let config = config.unwrap();
        let access = access(view(&["1", "-1.3.6.1.2.1.1.6"]));
        let left = pruned(&forest, &config, &access);
        let of = |config: &Config, root: &str| {
            let step = Step::to(node(&forest, &[root]));
            match config.root().get(&step) {
                Some(Item::Within(branch)) => branch.clone(),
                _ => panic!("{root}"),
            }
        };
        assert!(Arc::ptr_eq(&of(&left, "bgp"), &of(&config, "bgp")));
        assert!(!Arc::ptr_eq(&of(&left, "system"), &of(&config, "system")));
    }

    /// A presence container without content says nothing of an entry that may not be read.
    #[test]
    fn what_is_denied_as_a_whole_is_not_seen_by_what_has_no_content() {
        let forest = forest();
        let interface = node(&forest, &["interfaces", "interface"]);
        let name = node(&forest, &["interfaces", "interface", "name"]);
        let ipv4 = node(&forest, &["interfaces", "interface", "ipv4"]);
        let mut entry = Branch::default();
        entry.insert(Step::to(name), Item::Leaf("a".into()));
        entry.insert(Step::to(ipv4), Item::Within(Arc::default()));
        let (mut interfaces, mut config) = (Branch::default(), Config::default());
        interfaces.insert(Step { node: interface, keys: ["1".into()].into() }, Item::Within(Arc::new(entry)));
        config
            .root_mut()
            .insert(Step::to(node(&forest, &["interfaces"])), Item::Within(Arc::new(interfaces)));
        assert_eq!(pruned(&forest, &config, &access(view(&["1.3.6.1.2.1.1"]))), Config::default());
        assert_eq!(pruned(&forest, &config, &access(view(&["1"]))), config);
    }

    /// What is known of one forest says nothing of another one.
    #[test]
    fn another_forest_is_looked_at_anew() {
        let access = access(view(&["1", "-1.3.6.1.2.1.1.6"]));
        let forests = [forest(), Forest::of(&[]).with(&trunkline_yang::own::SYSTEM)];
        for forest in &forests {
            let config = configuration(forest, 3);
            let mut expected = all_leaves(&config);
            expected.retain(|steps| may_read(forest, steps, &access));
            assert_eq!(all_leaves(&pruned(forest, &config, &access)), expected);
        }
    }
}
