//! A configuration and the state of the same nodes, which a program has given, as one.

use trunkline_datastore::{Branch, Item, Step};
use trunkline_netconf::document::Element;
use trunkline_yang::forest::{Forest, NodeId};

use crate::made::Made;

/// Makes what is in a container or an entry: what can be configured from the configuration, the rest from the state. Entries that only
/// the state has come behind the configured ones, with their keys.
pub fn join(
    made: &mut Made<'_>,
    forest: &Forest,
    within: NodeId,
    config: Option<&Branch>,
    state: Option<Element<'_>>,
) {
    let items: Vec<(&Step, &Item)> = config.into_iter().flat_map(Branch::iter).collect();
    for &node in &forest[within].children {
        let place = &forest[node].place;
        let mut configured = items.iter().filter(|(step, _)| step.node == node).peekable();
        let found = state.into_iter().flat_map(Element::children);
        let mut found: Vec<Element<'_>> =
            found.filter(|it| it.is(&forest.module(node).namespace, &forest[node].name)).collect();
        if place.syntax().is_some() {
            let is_state = place.setting().is_none() || place.is_key() && configured.peek().is_none();
            if is_state {
                found.iter().for_each(|element| made.leaf_of(node, element.value()));
            } else {
                for (_, item) in configured {
                    if let Item::Leaf(value) = item {
                        made.leaf_of(node, value);
                    }
                }
            }
        } else if place.is_list() {
            let keys: Vec<NodeId> = forest.keys(node).collect();
            let value = |of: Element<'_>, key: NodeId| {
                of.child(&forest.module(key).namespace, &forest[key].name).map(|it| it.value().to_owned())
            };
            for (step, item) in configured {
                let is_it = |it: &Element<'_>| {
                    keys.iter()
                        .zip(step.keys.iter())
                        .all(|(key, known)| value(*it, *key).as_deref() == Some(known))
                };
                let state = found.iter().position(is_it).map(|at| found.remove(at));
                made.within_node(node, |made| join(made, forest, node, item.branch(), state));
            }
            found.retain(|it| keys.iter().all(|key| value(*it, *key).is_some()));
            for element in found {
                made.within_node(node, |made| join(made, forest, node, None, Some(element)));
            }
        } else {
            let branch = configured.next().and_then(|(_, item)| item.branch());
            let state = found.first().copied();
            if branch.is_some() || state.is_some() {
                made.within_node(node, |made| join(made, forest, node, branch, state));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use trunkline_datastore::read;
    use trunkline_netconf::data::{Shown, config_document};
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;
    use trunkline_yang::selection::Wanted;

    use super::*;

    #[test]
    fn state_is_with_what_is_configured() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let document = |neighbors: &str| {
            let text = format!(
                "<config><bgp xmlns='urn:trunkline:yang:bgp'><neighbors>{neighbors}</neighbors></bgp></config>"
            );
            Document::read(text.as_bytes(), limits(10_000)).unwrap()
        };
        let neighbor = |address: &str, more: &str| {
            format!("<neighbor><remote-address>{address}</remote-address>{more}</neighbor>")
        };
        let config = document(&neighbor("192.0.2.2", "<peer-as>7</peer-as>"));
        let config = read(&forest, config.root()).unwrap();
        let state = document(&format!(
            "{}{}<neighbor/>",
            neighbor("192.0.2.3", "<session-state>active</session-state>"),
            // What can be configured is not the program's to say.
            neighbor("192.0.2.2", "<peer-as>9</peer-as><session-state>established</session-state>"),
        ));
        let root = forest.child(None, "bgp").unwrap();
        let mut made = Made::begin(&forest, root, &Wanted::All);
        let branch = config.root().within(&Step::to(root));
        join(&mut made, &forest, root, branch, state.root().children().next());
        let text = String::from_utf8(config_document(&forest, &made.end(), Shown::default())).unwrap();
        let expected = format!(
            "<neighbors>{}{}</neighbors>",
            neighbor("192.0.2.2", "<peer-as>7</peer-as><session-state>established</session-state>"),
            neighbor("192.0.2.3", "<session-state>active</session-state>"),
        );
        assert!(text.contains(&expected), "{text}");
    }
}
