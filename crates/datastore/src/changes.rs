//! What differs between two configurations.

use std::sync::Arc;

use crate::config::{Branch, Config, Item, Step};

/// A leaf that is not the same, or a container or an entry that is only in one of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// Where it is.
    pub path: Vec<Step>,
    /// Its value before; empty of a container or an entry, `None` if it was not there.
    pub before: Option<Arc<str>>,
    /// The same afterwards.
    pub after: Option<Arc<str>>,
}

/// What differs, in document order; what is within a container or an entry after that itself.
#[must_use]
pub fn changes(before: &Config, after: &Config) -> Vec<Change> {
    let mut found = Vec::new();
    compare(&before.0, &after.0, &mut Vec::new(), &mut found);
    found
}

fn compare(before: &Branch, after: &Branch, path: &mut Vec<Step>, found: &mut Vec<Change>) {
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
