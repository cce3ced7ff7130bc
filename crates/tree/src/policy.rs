//! The one access policy: who may read, write and be notified of what, with which security, in which context.
//!
//! A [`Policy`] is the four tables of SNMP-VIEW-BASED-ACM-MIB (RFC 3415) as one value: doors of every protocol
//! consult it, VACM's provider shows and changes it. [`Roles`] of the configuration are compiled to its rows. For
//! requests a [`Guard`] compiles a policy for one tree; [`Policy::explain`] explains which row decides.

mod administration;
mod decision;
mod explanation;
mod guard;
mod notification;
mod principal;
mod role;
mod row;
mod within;

pub use administration::BY_NAME;
pub use decision::{Decision, Denied, EVERYBODY};
pub use explanation::{ActedIn, Explanation, PassedOver};
pub use guard::Guard;
pub use notification::Withheld;
pub use principal::{Acting, OwnedActing, OwnedPrincipal, Principal};
pub use role::{Member, Role, RoleError, RoleGrant, Roles, ViewSource};
pub use row::{
    AccessKey, AccessRow, AdminString, AdminStringTooLongError, ContextMatch, FamilyKey, FamilyRow, GroupKey,
    GroupRow, Origin, Policy, RowState, RowStatus, SecurityModel, StorageType, ViewType,
};
pub use trunkline_smi::SecurityLevel;
