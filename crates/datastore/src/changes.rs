//! What differs between two configurations.

use std::fmt;
use std::sync::Arc;

use crate::config::{Branch, Config, Item, Step};
use crate::order::{differs, words};

/// A leaf that is not the same, a container or an entry that is only in one of them, or another order.
#[derive(Clone, PartialEq)]
pub struct Change {
    /// Where it is. Of an order the list or leaf-list, without keys, and before and after are the entries in words.
    pub path: Vec<Step>,
    /// Its value before; empty of a container or an entry, `None` if it was not there.
    pub before: Option<Arc<str>>,
    /// The same afterwards.
    pub after: Option<Arc<str>>,
}

/// Values may be secret.
impl fmt::Debug for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (before, after) = (self.before.is_some(), self.after.is_some());
        f.debug_struct("Change")
            .field("path", &self.path)
            .field("before", &before)
            .field("after", &after)
            .finish()
    }
}

/// What differs, in document order; what is within a container or an entry after that itself.
#[must_use]
pub fn changes(before: &Config, after: &Config) -> Vec<Change> {
    let mut found = Vec::new();
    compare(&before.0, &after.0, &mut Vec::new(), &mut found);
    found
}

fn compare(before: &Branch, after: &Branch, path: &mut Vec<Step>, found: &mut Vec<Change>) {
    for node in before.ordered().filter(|node| differs(before.order(*node), after.order(*node))) {
        let [one, other] = [before, after].map(|branch| Some(words(branch.order(node))));
        let path = [path.as_slice(), &[Step::to(node)]].concat();
        found.push(Change { path, before: one, after: other });
    }
    let nothing = Branch::default();
    let value = |item: Option<&Item>| {
        item.map(|item| match item {
            Item::Leaf(value) => value.clone(),
            Item::Within(_) => Arc::from(""),
        })
    };
    for (step, before, after) in before.differences(after) {
        path.push(step.clone());
        let change = Change { path: path.clone(), before: value(before), after: value(after) };
        if change.before != change.after {
            found.push(change);
        }
        let [before, after] = [before, after].map(|item| item.and_then(Item::branch).unwrap_or(&nothing));
        compare(before, after, path, found);
        path.pop();
    }
}
