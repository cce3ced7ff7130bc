//! Which objects are registered: of each table that the tree serves its entry, of each scalar its instance. Both are longer
//! than what agents register by module or by table, so that the master asks us for exactly these (RFC 2741 section 7.1.4.1).

use std::collections::BTreeSet;

use trunkline_agentx::wire::Registration;
use trunkline_config::SubagentPlan;
use trunkline_smi::Oid;
use trunkline_tree::{LeafKind, Tree};

/// Those that the plan wants, ascending.
pub(crate) fn of(tree: &Tree, plan: &SubagentPlan) -> Vec<Registration> {
    let mut subtrees: BTreeSet<(Oid, bool)> = BTreeSet::new();
    for root in &plan.register {
        let found = subtrees.len();
        for leaf in tree.leaves().iter().filter(|leaf| leaf.oid().starts_with(root)) {
            let oid = leaf.oid();
            subtrees.insert(match leaf.kind() {
                LeafKind::Scalar { .. } => (Oid::EMPTY.child(oid).child(&[0]), true),
                // The column of an entry is the last number; a root that is a column stays one.
                LeafKind::Column { .. } if oid.len() > root.len() => {
                    (Oid::EMPTY.child(&oid[..oid.len() - 1]), false)
                }
                LeafKind::Column { .. } | LeafKind::Region { .. } => (Oid::EMPTY.child(oid), false),
            });
        }
        // A part of an object, such as one row.
        let holds = |leaf: &trunkline_tree::Leaf| root.starts_with(leaf.oid());
        if subtrees.len() == found && tree.leaf_of(root).is_some_and(holds) {
            subtrees.insert((root.clone(), false));
        }
        if subtrees.len() == found {
            tracing::warn!(%root, "[subagent]: this agent has no object below this subtree; it is not registered");
        }
    }
    let registration = |(subtree, is_instance)| Registration {
        timeout: 0,
        priority: plan.priority,
        subtree,
        range: None,
        is_instance,
    };
    subtrees.into_iter().map(registration).collect()
}

/// Whether a name is below one of them.
pub(crate) fn hold(registrations: &[Registration], name: &[u32]) -> bool {
    let behind = registrations.partition_point(|registration| *registration.subtree <= *name);
    // None is below another one, so that only the last one before the name can hold it.
    behind > 0 && name.starts_with(&registrations[behind - 1].subtree)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_held_by_the_registration_before_them() {
        let registration = |subtree: &str| Registration {
            timeout: 0,
            priority: 1,
            subtree: subtree.parse().unwrap(),
            range: None,
            is_instance: false,
        };
        let all = ["1.3.6.1.2.1.2.2.1", "1.3.6.1.2.1.4.1.0"].map(registration);
        let holds = |name: &str| hold(&all, &name.parse::<Oid>().unwrap());
        assert!(holds("1.3.6.1.2.1.2.2.1") && holds("1.3.6.1.2.1.2.2.1.10.1") && holds("1.3.6.1.2.1.4.1.0"));
        assert!(!holds("1.3.6.1.2.1.2.2") && !holds("1.3.6.1.2.1.2.2.2") && !holds("1.3.6.1.2.1.4.1"));
        assert!(!holds("1.3.6.1.2.1.5") && !hold(&[], &[1]));
    }
}
