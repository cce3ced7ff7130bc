//! A configuration and the state of the same nodes, which a program has given, as one.

use trunkline_datastore::{Branch, Config, Item, Step};
use trunkline_netconf::document::Element;
use trunkline_yang::annotation::Annotation;
use trunkline_yang::forest::{Forest, NodeId};

use crate::made::Made;

/// A configuration.
#[derive(Clone, Debug)]
pub struct Configured {
    config: Config,
    /// The same without defaults that nobody has set, if those are to be marked.
    explicit: Option<Config>,
}

/// What a configuration has in a container or an entry.
#[derive(Clone, Copy, Debug, Default)]
pub struct Within<'c> {
    branch: Option<&'c Branch>,
    /// `Some`: what is not in it is marked as a default.
    explicit: Option<Option<&'c Branch>>,
}

impl Configured {
    /// One whose defaults are not marked.
    #[must_use]
    pub const fn of(config: Config) -> Self {
        Configured { config, explicit: None }
    }

    /// One in which what another one does not have is marked as a default.
    #[must_use]
    pub const fn marked(config: Config, explicit: Config) -> Self {
        Configured { config, explicit: Some(explicit) }
    }

    /// What it has in a root.
    #[must_use]
    pub fn within(&self, root: NodeId) -> Within<'_> {
        let step = Step::to(root);
        let explicit = self.explicit.as_ref().map(|explicit| explicit.root().within(&step));
        Within { branch: self.config.root().within(&step), explicit }
    }
}

impl<'c> Within<'c> {
    /// Whether it has anything.
    #[must_use]
    pub const fn is_there(self) -> bool {
        self.branch.is_some()
    }

    /// What is at a step of it.
    fn at(self, step: &Step, item: &'c Item) -> Self {
        let explicit = self.explicit.map(|explicit| explicit.and_then(|branch| branch.within(step)));
        Within { branch: item.branch(), explicit }
    }

    /// Whether a leaf of it is marked.
    fn marks(self, step: &Step) -> bool {
        self.explicit.is_some_and(|explicit| explicit.is_none_or(|branch| branch.get(step).is_none()))
    }
}

/// Makes what is in a container or an entry: what can be configured from the configuration, the rest from the state. Entries that only
/// the state has come behind the configured ones, with their keys.
pub fn join(
    made: &mut Made<'_>,
    forest: &Forest,
    within: NodeId,
    config: Within<'_>,
    state: Option<Element<'_>>,
) {
    let items: Vec<(&Step, &Item)> = config.branch.into_iter().flat_map(Branch::iter).collect();
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
                for (step, item) in configured {
                    if let Item::Leaf(value) = item {
                        made.leaf_of(node, value);
                        if config.marks(step) {
                            made.note(Annotation { origin: None, is_default: true });
                        }
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
                made.within_node(node, |made| join(made, forest, node, config.at(step, item), state));
            }
            found.retain(|it| keys.iter().all(|key| value(*it, *key).is_some()));
            for element in found {
                made.within_node(node, |made| join(made, forest, node, Within::default(), Some(element)));
            }
        } else {
            let within = configured.next().map(|(step, item)| config.at(step, item));
            let state = found.first().copied();
            if within.is_some() || state.is_some() {
                made.within_node(node, |made| join(made, forest, node, within.unwrap_or_default(), state));
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
        let config = Configured::of(config);
        join(&mut made, &forest, root, config.within(root), state.root().children().next());
        let text = String::from_utf8(config_document(&forest, &made.end(), Shown::default())).unwrap();
        let expected = format!(
            "<neighbors>{}{}</neighbors>",
            neighbor("192.0.2.2", "<peer-as>7</peer-as><session-state>established</session-state>"),
            neighbor("192.0.2.3", "<session-state>active</session-state>"),
        );
        assert!(text.contains(&expected), "{text}");
    }
}
