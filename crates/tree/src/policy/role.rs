//! Roles: access as people write it. They are compiled to the rows of VACM's tables, a group for each role.
//!
//! A role grants its own rules and those of the roles that it inherits from. All rules that apply to a security
//! model, level and context are combined into one view: RFC 3415 decides between them (the longest subtree wins),
//! and of two rules for one subtree the inheriting role's own wins, or, if neither role inherits from the other, the
//! one that excludes.

mod compile;

use std::collections::BTreeMap;

use super::{AdminString, ContextMatch, Policy, SecurityLevel, SecurityModel};
use crate::{AmbiguousRulesError, View};

/// Everything in a configuration that concerns access.
#[derive(Clone, Debug, Default)]
pub struct Roles {
    /// The contexts besides the default context.
    pub contexts: Vec<AdminString>,
    /// Named views.
    pub views: BTreeMap<AdminString, View>,
    /// The roles.
    pub roles: Vec<Role>,
    /// The members of roles.
    pub members: Vec<Member>,
}

/// A role: its name, the roles it inherits from, and its grants.
#[derive(Clone, Debug, Default)]
pub struct Role {
    /// Its name, which is also its group's; 1 to 32 octets. Its views are named after it, shortened where that is too long.
    pub name: AdminString,
    /// The roles whose grants it has too, in any order.
    pub inherits: Vec<AdminString>,
    /// The roles whose members, permissions and keys its members may change.
    pub administers: Vec<AdminString>,
    /// The minimum level for what it inherits; a grant that requires more keeps its own.
    pub level: SecurityLevel,
    /// Its own grants.
    pub grants: Vec<RoleGrant>,
    /// Whether each grant is a separate row, so that RFC 3415 chooses one of them for a request. Otherwise all
    /// grants that a request satisfies are combined.
    pub separate: bool,
}

/// The access that a role grants with some security in some contexts.
#[derive(Clone, Debug, Default)]
pub struct RoleGrant {
    /// For Get, GetNext and GetBulk; `None`: nothing.
    pub read: Option<ViewSource>,
    /// For Set.
    pub write: Option<ViewSource>,
    /// For notifications.
    pub notify: Option<ViewSource>,
    /// The least security level.
    pub level: SecurityLevel,
    /// The context, or the beginning of contexts.
    pub context: AdminString,
    /// Which of the two.
    pub context_match: ContextMatch,
    /// The security model; [`SecurityModel::ANY`] for each.
    pub model: SecurityModel,
}

/// Where a grant's view comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ViewSource {
    /// One of [`Roles::views`].
    Named(AdminString),
    /// Its own rules.
    Rules(View),
}

/// A principal's role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// The security model that authenticates the name; never [`SecurityModel::ANY`].
    pub model: SecurityModel,
    /// The security name, 1 to 32 octets.
    pub name: AdminString,
    /// The role's name.
    pub role: AdminString,
}

/// Why roles make no policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RoleError {
    /// A role without a name, or a principal of a role.
    #[error("role {role:?} or one of its members has no name, expected 1 to 32 octets")]
    NoName {
        /// The role.
        role: AdminString,
    },
    /// Two roles of one name.
    #[error("there are two roles {role:?}")]
    TwoOfOneName {
        /// The name.
        role: AdminString,
    },
    /// A role inherits from one that is not there.
    #[error("role {role:?} inherits from {parent:?}, which is not a role")]
    NoSuchParent {
        /// The heir.
        role: AdminString,
        /// The missing role.
        parent: AdminString,
    },
    /// A role inherits from itself.
    #[error("a role inherits from itself: {}", in_order(path))]
    Cycle {
        /// From the role by its parents back to it.
        path: Vec<AdminString>,
    },
    /// A grant names a view that is not there.
    #[error("role {role:?} names the view {view:?}, which does not exist")]
    NoSuchView {
        /// The role.
        role: AdminString,
        /// The missing view.
        view: AdminString,
    },
    /// A member's role is not there.
    #[error("{name:?} ({model}) has the role {role:?}, which does not exist")]
    NoSuchRole {
        /// The principal.
        name: AdminString,
        /// Its security model.
        model: SecurityModel,
        /// The missing role.
        role: AdminString,
    },
    /// A member of each security model: vacmSecurityToGroupTable knows none such.
    #[error("{name:?} of role {role:?} needs one security model, found \"any\"")]
    AnyModel {
        /// The principal.
        name: AdminString,
        /// Its role.
        role: AdminString,
    },
    /// A principal with two roles.
    #[error(
        "{name:?} ({model}) has the roles {first:?} and {second:?}, expected one; a role may inherit from both"
    )]
    TwoRoles {
        /// The principal.
        name: AdminString,
        /// Its security model.
        model: SecurityModel,
        /// One role.
        first: AdminString,
        /// The other role.
        second: AdminString,
    },
    /// One context both alone and as the beginning of others: vacmAccessTable has one row for both.
    #[error(
        "role {role:?}, with what it inherits, has the context \"{context}\" and also all that begin with it \
         (\"{context}*\"), expected one of the two"
    )]
    ContextTwice {
        /// The role.
        role: AdminString,
        /// The context.
        context: AdminString,
    },
    /// The rules that a role has and inherits cannot be in one view.
    #[error("role {role:?}: {cause}")]
    Ambiguous {
        /// The role.
        role: AdminString,
        /// The two rules.
        cause: Box<AmbiguousRulesError>,
    },
}

fn in_order(path: &[AdminString]) -> String {
    path.iter().map(ToString::to_string).collect::<Vec<_>>().join(" > ")
}

impl Roles {
    /// The rows of VACM's tables for these roles, all of [`RowState::CONFIG`](super::RowState::CONFIG).
    ///
    /// A view that nothing is granted in is the view `none`, which excludes everything: a request is then answered
    /// notInView, not noSuchView.
    ///
    /// # Errors
    /// Each of [`RoleError`].
    pub fn compile(&self) -> Result<Policy, RoleError> {
        compile::compile(self)
    }
}
