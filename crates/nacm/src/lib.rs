//! The access policy (roles, views, the rows of VACM's tables) in the words of NETCONF's access control model (RFC 8341), without I/O:
//! `/nacm` and the paper's roles as views of it, which operation needs which rights, the groups that clients configure as rows of VACM's tables, and
//! which row decides about a node, what of a configuration may be read. There is one policy: nothing here decides otherwise than the tree's guard.

mod describe;
mod evaluate;
mod explain;
mod governing;
mod groups;
mod operation;
mod place;
mod rbac;
mod readable;
mod roles;
mod rules;
mod subtrees;

pub use describe::{Counts, make};
pub use explain::{Asked, brief, explain_node, explain_operation};
pub use governing::{Governing, governing};
pub use groups::{
    GROUPS, bindings, check, check_edit, cleared, configured, group_row, is_same_row, root, why_not_set,
    withdrawn,
};
pub use operation::{OPERATIONS, Right, right_of};
pub use place::{PathError, Place};
pub use rbac::{Rbac, RbacPermission, RbacRole, RbacUser, rbac_place, rbac_root};
pub use readable::readable;
pub use roles::make_roles;
pub use rules::{Action, KeptRules, Kind, Rule, RuleList, rule_lists};
pub use subtrees::{NoSubtrees, Permission, Subtrees, subtrees, subtrees_by_name};

/// What the test of a room needs: all that is served.
#[cfg(test)]
mod testing {
    use trunkline_yang::forest::Forest;
    use trunkline_yang::own::ALL;
    use trunkline_yang::smiv2;

    pub fn forest() -> Forest {
        ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
    }
}
