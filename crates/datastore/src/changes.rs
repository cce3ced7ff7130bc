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
    compare(Some(&before.0), Some(&after.0), &mut Vec::new(), &mut found);
    found
}

fn compare(before: Option<&Branch>, after: Option<&Branch>, path: &mut Vec<Step>, found: &mut Vec<Change>) {
    if let (Some(before), Some(after)) = (before, after) {
        for node in before.ordered().filter(|node| differs(before.order(*node), after.order(*node))) {
            let [one, other] = [before, after].map(|branch| Some(words(branch.order(node))));
            let path = [path.as_slice(), &[Step::to(node)]].concat();
            found.push(Change { path, before: one, after: other });
        }
    }
    let mut old = before.into_iter().flat_map(Branch::sorted).peekable();
    let mut new = after.into_iter().flat_map(Branch::sorted).peekable();
    loop {
        let (step, one, other) = match (old.peek().copied(), new.peek().copied()) {
            (None, None) => return,
            (Some((step, one)), Some((second, other))) if step == second => {
                old.next();
                new.next();
                (step, Some(one), Some(other))
            }
            (Some((step, one)), second) if second.is_none_or(|(second, _)| step < second) => {
                old.next();
                (step, Some(one), None)
            }
            (_, Some((step, other))) => {
                new.next();
                (step, None, Some(other))
            }
            (Some(_), None) => return,
        };
        path.push(step.clone());
        differ(one, other, path, found);
        path.pop();
    }
}

fn differ(before: Option<&Item>, after: Option<&Item>, path: &mut Vec<Step>, found: &mut Vec<Change>) {
    if let (Some(Item::Within(one)), Some(Item::Within(other))) = (before, after)
        && Arc::ptr_eq(one, other)
    {
        return;
    }
    let value = |item: Option<&Item>| {
        item.map(|item| match item {
            Item::Leaf(value) => value.clone(),
            Item::Within(_) => Arc::from(""),
        })
    };
    let change = Change { path: path.clone(), before: value(before), after: value(after) };
    if change.before != change.after {
        found.push(change);
    }
    compare(before.and_then(Item::branch), after.and_then(Item::branch), path, found);
}
