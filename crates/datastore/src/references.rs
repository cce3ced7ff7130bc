//! References to leaves of another root (RFC 7950 section 9.9), with the error of section 15.5. They cost what has changed, and all of a
//! root only if something has gone that it may refer to.

use std::collections::{HashMap, HashSet};

use trunkline_netconf::error::{Layer, RpcError, Tag};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::own::Rule;

use crate::config::{Branch, Config, Item, Step};
use crate::edit::MOST_ERRORS;
use crate::path::path;

/// The names of the nodes that lead to a leaf, from the root on.
type Names = &'static [&'static str];

/// References that lead to nothing, of a configuration that has come from one without any.
pub(crate) fn dangling(forest: &Forest, before: &Config, after: &Config) -> Vec<RpcError> {
    let mut check = Check { forest, after: after.root(), targets: HashMap::new(), dangling: Vec::new() };
    let nothing = Branch::default();
    for (step, item) in after.root().iter() {
        let (names, Item::Within(new)) = (references(forest, step.node), item) else { continue };
        if names.is_empty() {
            continue;
        }
        let has_lost = names.iter().any(|names| loses(forest, before.root(), after.root(), names));
        let old = before.root().within(step).filter(|_| !has_lost).unwrap_or(&nothing);
        check.within(old, new, &mut vec![step.clone()]);
    }
    check.dangling
}

/// Where the leaves of a root refer to in others.
fn references(forest: &Forest, node: NodeId) -> Vec<Names> {
    fn add(forest: &Forest, node: NodeId, found: &mut Vec<Names>) {
        for names in forest[node].place.rules().iter().filter_map(elsewhere) {
            if !found.contains(&names) {
                found.push(names);
            }
        }
        forest[node].children.iter().for_each(|child| add(forest, *child, found));
    }
    let mut found = Vec::new();
    add(forest, node, &mut found);
    found
}

fn elsewhere(rule: &Rule) -> Option<Names> {
    match rule {
        Rule::Elsewhere(names) => Some(*names),
        _ => None,
    }
}

/// Whether a value of a leaf, or something that it is in, is no longer there.
fn loses(forest: &Forest, before: &Branch, after: &Branch, names: &[&str]) -> bool {
    let Some((first, rest)) = names.split_first() else { return false };
    let is_named = |step: &Step| forest[step.node].name == *first;
    before.differences(after).filter(|(step, ..)| is_named(step)).any(|(_, old, new)| match (old, new) {
        (Some(Item::Within(old)), Some(Item::Within(new))) => loses(forest, old, new, rest),
        (old, _) => old.is_some(),
    })
}

struct Check<'c> {
    forest: &'c Forest,
    after: &'c Branch,
    /// The values that references lead to, read once.
    targets: HashMap<Names, HashSet<&'c str>>,
    dangling: Vec<RpcError>,
}

impl<'c> Check<'c> {
    fn within(&mut self, before: &Branch, after: &Branch, steps: &mut Vec<Step>) {
        let nothing = Branch::default();
        for (step, old, new) in before.differences(after) {
            // The rest is found when these are mended.
            if self.dangling.len() >= MOST_ERRORS {
                return;
            }
            steps.push(step.clone());
            match new {
                Some(Item::Within(branch)) => {
                    self.within(old.and_then(Item::branch).unwrap_or(&nothing), branch, steps);
                }
                Some(Item::Leaf(value)) => {
                    let rules = self.forest[step.node].place.rules();
                    rules.iter().filter_map(elsewhere).for_each(|names| self.leaf(names, value, steps));
                }
                None => {}
            }
            steps.pop();
        }
    }

    fn leaf(&mut self, names: Names, value: &str, steps: &[Step]) {
        let (forest, after) = (self.forest, self.after);
        let targets = self.targets.entry(names).or_insert_with(|| {
            let mut found = HashSet::new();
            gather(forest, after, names, &mut found);
            found
        });
        if !targets.contains(value) {
            let message = format!(
                "there is no /{} that is {value} in the configuration, and this refers to it",
                names.join("/")
            );
            let error = RpcError::new(Layer::Application, Tag::DataMissing, message);
            self.dangling.push(error.called("instance-required").at(path(forest, steps)));
        }
    }
}

fn gather<'c>(forest: &Forest, branch: &'c Branch, names: &[&str], found: &mut HashSet<&'c str>) {
    let Some((first, rest)) = names.split_first() else { return };
    for (_, item) in branch.iter().filter(|(step, _)| forest[step.node].name == *first) {
        match item {
            Item::Leaf(value) => {
                found.insert(value);
            }
            Item::Within(branch) => gather(forest, branch, rest, found),
        }
    }
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;

    #[test]
    fn references_lead_to_what_is_configured() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let route = |interface: &str| {
            format!(
                "<routing xmlns='urn:ietf:params:xml:ns:yang:ietf-routing'><control-plane-protocols><control-plane-protocol>\
                 <type xmlns:r='urn:ietf:params:xml:ns:yang:ietf-routing'>r:static</type><name>a</name><static-routes>\
                 <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing'><route>\
                 <destination-prefix>192.0.2.0/24</destination-prefix><next-hop><outgoing-interface>{interface}</outgoing-interface>\
                 </next-hop></route></ipv4></static-routes></control-plane-protocol></control-plane-protocols></routing>"
            )
        };
        let interfaces = |names: &[&str]| {
            let entry = |name: &&str| {
                format!(
                    "<interface><name>{name}</name><type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:other</type></interface>"
                )
            };
            let entries: String = names.iter().map(entry).collect();
            format!("<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'>{entries}</interfaces>")
        };
        let config = |content: &[String]| {
            let text = format!("<config>{}</config>", content.concat());
            let document = Document::read(text.as_bytes(), limits(100_000)).unwrap();
            crate::read(&forest, document.root()).unwrap()
        };
        let before = config(&[route("eth0"), interfaces(&["eth0", "eth1"])]);
        for (after, is_kept) in [
            (config(&[route("eth0"), interfaces(&["eth0"])]), true),
            (config(&[route("eth1"), interfaces(&["eth1"])]), true),
            (config(&[route("eth2"), interfaces(&["eth0", "eth1"])]), false),
            // What is referred to goes, and nothing else changes.
            (config(&[route("eth0"), interfaces(&["eth1"])]), false),
            (config(&[route("eth0")]), false),
            (config(&[interfaces(&["eth1"])]), true),
            (config(&[]), true),
        ] {
            for before in [&before, &Config::default()] {
                let found = dangling(&forest, before, &after);
                assert_eq!(found.is_empty(), is_kept, "{found:?}");
                for error in found {
                    assert_eq!(
                        (error.tag, error.app_tag.as_deref()),
                        (Tag::DataMissing, Some("instance-required"))
                    );
                    let path = error.path.unwrap();
                    assert!(path.text.ends_with(":outgoing-interface"), "{path:?}");
                }
            }
        }
    }
}
