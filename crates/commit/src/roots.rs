//! What of the configuration is kept elsewhere, by those whose it is.

use trunkline_datastore::{Config, Step};
use trunkline_yang::forest::{Forest, NodeId};

/// The root of ietf-system.
pub(super) const SYSTEM: &str = "system";

/// The roots of what is kept elsewhere.
pub(super) fn tree_roots(forest: &Forest) -> [Option<NodeId>; 4] {
    [
        forest.child(None, SYSTEM),
        trunkline_models::snmp::root(forest),
        trunkline_nacm::root(forest),
        trunkline_models::delegation::root(forest),
    ]
}

/// Without what is kept elsewhere.
pub(super) fn without_tree(forest: &Forest, config: &Config) -> Config {
    let mut stored = config.clone();
    let [system, snmp, _, delegation] = tree_roots(forest);
    for root in [system, snmp, delegation].into_iter().flatten() {
        stored.root_mut().remove(&Step::to(root));
    }
    trunkline_nacm::withdrawn(forest, &mut stored);
    stored
}
