//! Defaults (RFC 6243): a configuration holds what somebody has set, which is the mode `explicit`; here are the others.

use std::sync::Arc;

use trunkline_yang::forest::{Forest, NodeId};

use crate::config::{Branch, Config, Item, Step};

/// With every default that is in force (`report-all`).
#[must_use]
pub fn with_all(forest: &Forest, config: &Config) -> Config {
    Config(each(forest, config.root(), &mut |branch, node| add(forest, branch, node)))
}

/// Adds the defaults in a container or an entry. A container that is there because of what is in it has those too, if nothing of it is
/// configured (RFC 7950 section 7.6.1); but not as a case of a choice.
fn add(forest: &Forest, branch: &mut Branch, node: NodeId) {
    for child in &forest[node].children {
        let (place, step) = (&forest[*child].place, Step::to(*child));
        let default = place.setting().and_then(|setting| setting.default);
        if let (Some(default), None) = (default, branch.leaf(*child)) {
            branch.insert(step, Item::Leaf(default.into()));
        } else if place.is_plain_container() && place.case() == 0 && branch.get(&step).is_none() {
            let mut within = Branch::default();
            add(forest, &mut within, *child);
            if !within.is_empty() {
                branch.insert(step, Item::Within(Arc::new(within)));
            }
        }
    }
}

/// Without values that are defaults (`trim`).
#[must_use]
pub fn trimmed(forest: &Forest, config: &Config) -> Config {
    Config(each(forest, config.root(), &mut |branch, node| {
        for child in &forest[node].children {
            let default = forest[*child].place.setting().and_then(|setting| setting.default);
            if default.is_some() && branch.leaf(*child) == default {
                branch.remove(&Step::to(*child));
            }
        }
    }))
}

/// Changes everything that is in a container or an entry. A container that is there because of what was in it goes with that.
fn each(forest: &Forest, branch: &Branch, change: &mut impl FnMut(&mut Branch, NodeId)) -> Branch {
    let mut changed = Branch::default();
    for (step, item) in branch.iter() {
        let item = match item {
            Item::Leaf(_) => item.clone(),
            Item::Within(within) => {
                let was_empty = within.is_empty();
                let mut within = each(forest, within, change);
                change(&mut within, step.node);
                if within.is_empty() && !was_empty && forest[step.node].place.is_plain_container() {
                    continue;
                }
                Item::Within(Arc::new(within))
            }
        };
        changed.insert(step.clone(), item);
    }
    changed.order_as(branch);
    changed
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::read;

    #[test]
    fn defaults_are_added_and_taken_away() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let config = |of_one: &str, of_two: &str| {
            let text = format!(
                "<config><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>one</name>{of_one}</interface>\
                 <interface><name>two</name>{of_two}</interface></interfaces></config>"
            );
            read(&forest, Document::read(text.as_bytes(), limits(10_000)).unwrap().root()).unwrap()
        };
        let (yes, no) = ("<enabled>true</enabled>", "<enabled>false</enabled>");
        assert_eq!(with_all(&forest, &config("", no)), config(yes, no));
        assert_eq!(trimmed(&forest, &config(yes, no)), config("", no));
        assert_eq!(trimmed(&forest, &with_all(&forest, &config("", no))), config("", no));
        // Those in a container of which nothing is configured.
        let bgp = |of_statement: &str| {
            let text = format!(
                "<config><bgp xmlns='urn:trunkline:yang:bgp'><policies><policy><name>p</name><statement><name>s</name>{of_statement}\
                 </statement></policy></policies></bgp></config>"
            );
            read(&forest, Document::read(text.as_bytes(), limits(10_000)).unwrap().root()).unwrap()
        };
        let reject = "<actions><policy-result>reject-route</policy-result></actions>";
        assert_eq!(with_all(&forest, &bgp("")), bgp(reject));
        assert_eq!(trimmed(&forest, &bgp(reject)), bgp(""));
    }
}
