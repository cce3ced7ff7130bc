//! A place in the data: nodes from the root on, with the keys of some entries, as rules and questions have them.

use trunkline_yang::forest::{Forest, NodeId};

/// Nodes from the root to the one that is meant; none: everything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    /// Each with the values of its keys, if they are given.
    pub steps: Vec<(NodeId, Vec<String>)>,
}

/// Why a path names no node.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PathError {
    /// It does not begin with a slash, or a step has no name.
    #[error(
        "a path is /MODULE:NODE/NODE..., such as /ietf-interfaces:interfaces/interface/enabled, found {0:?}"
    )]
    Form(String),
    /// No such node.
    #[error("{within} has no {name:?}{}", hint(known))]
    Unknown {
        /// Where it was sought.
        within: String,
        /// The name.
        name: String,
        /// What is there.
        known: Vec<String>,
    },
    /// A predicate is not of this form, or does not name a key.
    #[error("{0:?} does not name an entry: write [key='value'] for each key of {1}")]
    Predicate(String, String),
}

fn hint(known: &[String]) -> String {
    if known.is_empty() { String::new() } else { format!("; it has {}", known.join(", ")) }
}

impl Place {
    /// A root.
    #[must_use]
    pub fn of(root: NodeId) -> Place {
        Place { steps: vec![(root, Vec::new())] }
    }

    /// A child of it.
    #[must_use]
    pub fn child(&self, node: NodeId) -> Place {
        let mut steps = self.steps.clone();
        steps.push((node, Vec::new()));
        Place { steps }
    }

    /// The same with the keys of its entry.
    #[must_use]
    pub fn with_keys(mut self, keys: &[String]) -> Place {
        if let Some((_, of)) = self.steps.last_mut() {
            *of = keys.to_vec();
        }
        self
    }

    /// The node that is meant.
    #[must_use]
    pub fn node(&self) -> Option<NodeId> {
        self.steps.last().map(|(node, _)| *node)
    }

    /// Whether another place is this one or in it. Keys that are not given are any.
    #[must_use]
    pub fn holds(&self, other: &Place) -> bool {
        let pairs = self.steps.iter().zip(&other.steps);
        self.steps.len() <= other.steps.len()
            && pairs
                .into_iter()
                .all(|((one, keys), (node, of))| one == node && (keys.is_empty() || keys == of))
    }

    /// As an instance identifier, with the prefixes of the modules (RFC 7950 section 9.13).
    #[must_use]
    pub fn text(&self, forest: &Forest) -> String {
        if self.steps.is_empty() {
            return "/".into();
        }
        let name = |node: NodeId| format!("{}:{}", forest.module(node).prefix, forest[node].name);
        self.written(forest, &name)
    }

    /// With the names of modules where they begin (RFC 7951 section 6.11).
    #[must_use]
    pub fn name(&self, forest: &Forest) -> String {
        let name = |node: NodeId| match forest.begins_namespace(node) {
            true => format!("{}:{}", forest.module(node).name, forest[node].name),
            false => forest[node].name.clone(),
        };
        self.written(forest, &name)
    }

    fn written(&self, forest: &Forest, name: &dyn Fn(NodeId) -> String) -> String {
        let mut text = String::new();
        for (node, keys) in &self.steps {
            text.push('/');
            text.push_str(&name(*node));
            for (key, value) in forest.keys(*node).zip(keys) {
                let quote = if value.contains('\'') { '"' } else { '\'' };
                text.push_str(&format!("[{}={quote}{value}{quote}]", name(key)));
            }
        }
        text
    }

    /// Reads a path with the names of modules: a step without one is of the module of the step before, or of any that adds to it.
    ///
    /// # Errors
    /// [`PathError`]
    pub fn read(text: &str, forest: &Forest) -> Result<Place, PathError> {
        let form = || PathError::Form(text.chars().take(200).collect());
        let rest = text.strip_prefix('/').ok_or_else(form)?;
        let mut place = Place::default();
        for step in steps(rest) {
            let (name, predicates) = step.split_at(step.find('[').unwrap_or(step.len()));
            if name.is_empty() {
                return Err(form());
            }
            let node = place.find(name, forest)?;
            place = place.child(node);
            if !predicates.is_empty() {
                let keys = keys(predicates, node, forest)
                    .ok_or_else(|| PathError::Predicate(predicates.to_owned(), forest[node].name.clone()))?;
                place = place.with_keys(&keys);
            }
        }
        Ok(place)
    }

    fn find(&self, name: &str, forest: &Forest) -> Result<NodeId, PathError> {
        let parent = self.node();
        let found = match name.split_once(':') {
            Some((module, name)) => forest.child_of(parent, module, name).or_else(|| {
                let is_it = |id: &&NodeId| forest[**id].name == name && forest.module(**id).prefix == module;
                forest.children(parent).iter().find(is_it).copied()
            }),
            None => parent
                .and_then(|of| forest.child_of(parent, forest.module(of).name, name))
                .or_else(|| forest.child(parent, name)),
        };
        found.ok_or_else(|| {
            let within = if self.steps.is_empty() { "the data".to_owned() } else { self.name(forest) };
            // There are too many roots.
            let children = parent.map_or(&[][..], |_| forest.children(parent));
            let known = children.iter().map(|it| forest[*it].name.clone()).collect();
            PathError::Unknown { within, name: name.chars().take(80).collect(), known }
        })
    }
}

/// The steps of a path, which slashes in predicates do not separate.
fn steps(path: &str) -> Vec<&str> {
    let mut found = Vec::new();
    let (mut start, mut depth, mut quote) = (0, 0u32, None);
    for (at, c) in path.char_indices() {
        match (quote, c) {
            (Some(open), c) if c == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"') if depth > 0 => quote = Some(c),
            (None, '[') => depth += 1,
            (None, ']') => depth = depth.saturating_sub(1),
            (None, '/') if depth == 0 => {
                found.push(&path[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&path[start..]);
    found
}

/// The values of all keys of a list, in their order.
fn keys(predicates: &str, list: NodeId, forest: &Forest) -> Option<Vec<String>> {
    let mut given: Vec<(&str, &str)> = Vec::new();
    let mut rest = predicates;
    while !rest.is_empty() {
        let (name, behind) = rest.strip_prefix('[')?.split_once('=')?;
        let behind = behind.trim_start();
        let quote = behind.chars().next().filter(|it| matches!(it, '\'' | '"'))?;
        let (value, behind) = behind[1..].split_once(quote)?;
        rest = behind.trim_start().strip_prefix(']')?;
        let name = name.trim();
        given.push((name.split_once(':').map_or(name, |(_, name)| name), value));
    }
    let names: Vec<&str> = forest.keys(list).map(|key| forest[key].name.as_str()).collect();
    if names.is_empty() || given.len() != names.len() {
        return None;
    }
    names
        .iter()
        .map(|name| given.iter().find(|(known, _)| known == name).map(|(_, value)| (*value).to_owned()))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::forest;

    #[test]
    fn a_path_is_read_and_written() {
        let forest = forest();
        let read = |text: &str| Place::read(text, &forest);
        let interface = "/ietf-interfaces:interfaces/interface[name='a/b']/ietf-ip:ipv4/mtu";
        assert_eq!(read(interface).unwrap().name(&forest), interface);
        let by_prefix = read("/if:interfaces/interface/ipv4/mtu").unwrap();
        assert_eq!(by_prefix.text(&forest), "/if:interfaces/if:interface/ip:ipv4/ip:mtu");
        assert!(by_prefix.holds(&read(interface).unwrap()) && !read(interface).unwrap().holds(&by_prefix));
        assert!(Place::default().holds(&by_prefix));
        assert_eq!(Place::default().text(&forest), "/");
        let row = "/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex=\"2\"]/ifDescr";
        assert_eq!(
            read(row).unwrap().text(&forest),
            "/if-mib:IF-MIB/if-mib:ifTable/if-mib:ifEntry[if-mib:ifIndex='2']/if-mib:ifDescr"
        );
    }

    #[test]
    fn what_is_not_a_path_is_refused_with_a_reason() {
        let forest = forest();
        for (text, words) in [
            ("ietf-system:system", "/MODULE:NODE"),
            ("/", "/MODULE:NODE"),
            ("/ietf-system:system//contact", "/MODULE:NODE"),
            ("/ietf-system:nothing", "the data has no \"ietf-system:nothing\""),
            ("/ietf-system:system/nothing", "it has contact, hostname, location"),
            ("/ietf-interfaces:interfaces/interface[nam='x']", "[key='value']"),
            ("/ietf-interfaces:interfaces/interface[name=x]", "[key='value']"),
            ("/ietf-interfaces:interfaces/interface[name='x'", "[key='value']"),
            ("/ietf-interfaces:interfaces[name='x']", "[key='value']"),
        ] {
            let error = Place::read(text, &forest).unwrap_err().to_string();
            assert!(error.contains(words), "{text}: {error}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[/a-z:\\[\\]='\"-]{0,40}") {
            let forest = Forest::of(&[]).with(&trunkline_yang::own::SYSTEM);
            let _ = Place::read(&format!("/ietf-system:system{text}"), &forest);
            let _ = Place::read(&text, &forest);
        }
    }
}
