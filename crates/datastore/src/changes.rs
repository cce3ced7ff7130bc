//! What differs between two configurations.

use std::fmt;
use std::sync::Arc;

use trunkline_yang::forest::NodeId;

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

/// A configuration with what makes one of two others the other one, in the roots that are `wanted`. What was changed within an entry that it does not
/// have is left out.
#[must_use]
pub fn carried_over(to: &Config, before: &Config, after: &Config, wanted: impl Fn(NodeId) -> bool) -> Config {
    let mut carried = to.clone();
    let differences = before.0.differences(&after.0).filter(|(step, ..)| wanted(step.node));
    carry(&mut carried.0, differences);
    carried
}

fn carry<'b>(
    to: &mut Branch,
    differences: impl Iterator<Item = (&'b Step, Option<&'b Item>, Option<&'b Item>)>,
) {
    for (step, before, after) in differences {
        let both = before.and_then(Item::branch).zip(after.and_then(Item::branch));
        match (both, after) {
            (Some((before, after)), _) => {
                let mut within = match to.within(step) {
                    Some(within) => within.clone(),
                    // A container is there as soon as something is in it.
                    None if step.keys.is_empty() => Branch::default(),
                    None => continue,
                };
                carry(&mut within, before.differences(after));
                match within.is_empty() && !after.is_empty() {
                    true => drop(to.remove(step)),
                    false => to.insert(step.clone(), Item::Within(Arc::new(within))),
                }
            }
            (None, Some(item)) => to.insert(step.clone(), item.clone()),
            (None, None) => drop(to.remove(step)),
        }
    }
}

/// The leaves that an edit has given again: they have the same value before and after it, and are no copies. Keys are among them if anything in
/// their entry is. Only what is in roots that are `wanted` is looked at; what both configurations share costs nothing.
#[must_use]
pub fn given_again(before: &Config, after: &Config, wanted: impl Fn(NodeId) -> bool) -> Vec<Vec<Step>> {
    let mut found = Vec::new();
    for (step, before, after) in before.0.given_again(&after.0).filter(|(step, ..)| wanted(step.node)) {
        again(before, after, &mut vec![step.clone()], &mut found);
    }
    found
}

fn again(before: &Item, after: &Item, path: &mut Vec<Step>, found: &mut Vec<Vec<Step>>) {
    let (Some(before), Some(after)) = (before.branch(), after.branch()) else {
        return found.push(path.clone());
    };
    for (step, before, after) in before.given_again(after) {
        path.push(step.clone());
        again(before, after, path, found);
        path.pop();
    }
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

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_netconf::operation::{DefaultOperation, ErrorOption};
    use trunkline_yang::forest::Forest;
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::{edit, path};

    fn edited(forest: &Forest, config: &Config, content: &str) -> Config {
        let text = format!(
            "<config><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'>{content}</interfaces></config>"
        );
        let document = Document::read(text.as_bytes(), limits(1 << 20)).unwrap();
        let mut edited = config.clone();
        let (merge, on) = (DefaultOperation::Merge, ErrorOption::RollbackOnError);
        edit(&mut edited, forest, document.root(), merge, on).unwrap();
        edited
    }

    #[test]
    fn what_one_edit_changes_is_carried_over_to_another_configuration() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let entry =
            |name: &str, content: &str| format!("<interface><name>{name}</name>{content}</interface>");
        let described = |name: &str, text: &str| entry(name, &format!("<description>{text}</description>"));
        let gone = |name: &str| {
            format!(
                "<interface xmlns:nc='{}' nc:operation='remove'><name>{name}</name></interface>",
                trunkline_netconf::BASE
            )
        };
        let base = edited(
            &forest,
            &Config::default(),
            &[described("a", "1"), described("b", "1"), described("c", "1")].concat(),
        );
        // One changes a, and makes d; another one changes b and d, removes c and makes e.
        let one = edited(&forest, &base, &[described("a", "2"), described("d", "2")].concat());
        let other = [described("b", "3"), described("d", "3"), gone("c"), described("e", "3")].concat();
        let both = edited(&forest, &one, &other);
        let without_one =
            edited(&forest, &base, &[described("b", "3"), gone("c"), described("e", "3")].concat());
        assert!(carried_over(&base, &one, &both, |_| true) == without_one);
        assert!(carried_over(&base, &one, &both, |_| false) == base);
    }

    #[test]
    fn what_an_edit_gives_again_is_what_it_names_and_does_not_change() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let address = |at: usize, length: u8| {
            format!("<address><ip>192.0.2.{at}</ip><prefix-length>{length}</prefix-length></address>")
        };
        let entry = |name: &str, content: &str, addresses: &str| {
            format!(
                "<interface><name>{name}</name>{content}<ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'>{addresses}</ipv4></interface>"
            )
        };
        let many: String = (1..=200).map(|at| address(at, 24)).collect();
        let content = entry("near", "<description>one</description><enabled>true</enabled>", &many);
        let before =
            edited(&forest, &Config::default(), &format!("{content}{}", entry("far", "", &address(1, 24))));
        let again = |after: &Config| -> Vec<String> {
            let found = given_again(&before, after, |_| true);
            let last =
                |leaf: &Vec<Step>| path(&forest, leaf).text.rsplit(['/', ':']).next().map(str::to_owned);
            let names = found.iter().filter(|it| !forest[it[it.len() - 1].node].place.is_key());
            names.filter_map(last).collect()
        };
        assert!(again(&before.clone()).is_empty());
        // What is changed is not given again, and neither is what stands beside it.
        let after =
            edited(&forest, &before, &entry("near", "<description>two</description>", &address(7, 25)));
        assert!(again(&after).is_empty());
        let after = edited(&forest, &before, &entry("near", "<enabled>true</enabled>", &address(7, 24)));
        assert_eq!(
            (changes(&before, &after), again(&after)),
            (vec![], vec!["enabled".into(), "prefix-length".into()])
        );
        let after = edited(&forest, &before, &content);
        assert_eq!(again(&after).len(), 202);
        assert!(given_again(&before, &after, |_| false).is_empty());
    }
}
