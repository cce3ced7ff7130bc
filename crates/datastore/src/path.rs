//! Where in a configuration something is, for errors: an instance identifier (RFC 7950 section 9.13).

use trunkline_netconf::error::Path;
use trunkline_yang::forest::{Forest, NodeId};

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
    }
    Path { text, ..path }
}
