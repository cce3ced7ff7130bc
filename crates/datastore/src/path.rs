//! Where in a configuration something is, for errors: an instance identifier (RFC 7950 section 9.13).

use trunkline_netconf::error::Path;
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::{InstanceId, Instances};

use crate::config::Step;

/// The path to an instance, with the prefixes of the modules.
#[must_use]
pub fn path(forest: &Forest, steps: &[Step]) -> Path {
    let mut path = Path::default();
    let mut name = |node: NodeId| {
        let module = forest.module(node);
        if path.namespaces.iter().all(|(prefix, _)| *prefix != module.prefix) {
            path.namespaces.push((module.prefix.clone(), module.namespace.clone()));
        }
        format!("{}:{}", module.prefix, forest[node].name)
    };
    let mut text = String::new();
    for step in steps {
        text.push('/');
        text.push_str(&name(step.node));
        for (key, value) in forest[step.node].children.iter().zip(step.keys.iter()) {
            let quote = if value.contains('\'') { '"' } else { '\'' };
            text.push_str(&format!("[{}={quote}{value}{quote}]", name(*key)));
        }
        if let Some(value) = step.keys.first().filter(|_| forest[step.node].place.is_leaf_list()) {
            let quote = if value.contains('\'') { '"' } else { '\'' };
            text.push_str(&format!("[.={quote}{value}{quote}]"));
        }
    }
    Path { text, ..path }
}

/// Where an instance is; of the root nothing.
#[must_use]
pub fn steps(forest: &Forest, instances: &Instances, id: InstanceId) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut at = id;
    while let (Some(node), Some(parent)) = (instances.node(at), instances.parent(at)) {
        let is_key =
            |leaf: &InstanceId| instances.node(*leaf).is_some_and(|node| forest[node].place.is_key());
        let keys = instances.children(at).take_while(is_key).map(|leaf| instances.value(leaf).into());
        let keys = match forest[node].place.is_leaf_list() {
            true => [instances.value(at).into()].into(),
            false => keys.collect(),
        };
        steps.push(Step { node, keys });
        at = parent;
    }
    steps.reverse();
    steps
}

/// Of these places, those that are not in another one, in order.
#[must_use]
pub fn outermost(mut places: Vec<Vec<Step>>) -> Vec<Vec<Step>> {
    places.sort();
    let mut kept: Vec<Vec<Step>> = Vec::new();
    for place in places {
        if kept.last().is_none_or(|last| !place.starts_with(last)) {
            kept.push(place);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use trunkline_netconf::document::{Document, limits};
    use trunkline_yang::own::ALL;

    use super::*;
    use crate::read;

    #[test]
    fn instances_have_their_places() {
        let forest = ALL.into_iter().fold(Forest::of(&[]), Forest::with);
        let text = "<config><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>a</name>\
                    <description>x</description></interface><interface><name>b</name></interface></interfaces></config>";
        let config = read(&forest, Document::read(text.as_bytes(), limits(10_000)).unwrap().root()).unwrap();
        let instances = config.instances();
        let places: Vec<Vec<Step>> =
            instances.below(Instances::ROOT).map(|id| steps(&forest, &instances, id)).collect();
        let written: Vec<String> = places.iter().map(|place| path(&forest, place).text).collect();
        let entry = |name: &str| format!("/if:interfaces/if:interface[if:name='{name}']");
        assert_eq!(
            written,
            [
                "/if:interfaces".to_owned(),
                entry("a"),
                format!("{}/if:name", entry("a")),
                format!("{}/if:description", entry("a")),
                entry("b"),
                format!("{}/if:name", entry("b"))
            ]
        );
        assert_eq!(outermost(places.clone()), places[..1]);
        let (inner, other) = (places[3].clone(), places[4].clone());
        assert_eq!(outermost(vec![other.clone(), inner.clone(), other.clone()]), [inner, other]);
        assert_eq!(steps(&forest, &instances, Instances::ROOT), []);
    }
}
