//! The authority of roles, as section 3 of the EMANICS deliverable has its key service: who has which role, the keys of each role in
//! each of its epochs, and which device has what of them. `trunkline rbac` is its program; docs/rbac.md describes it.
//!
//! ```text
//! Directory (files, a lock) -> Authority (roles, users, devices)
//!                                 -> RoleToken            what a member gets
//!                                 -> Content -> parts     what a device lacks -> deploy -> serve (client) -> Acknowledged
//! ```
//!
//! A change is on the disk before anything is sent, and what a device acknowledged is on the disk before the next is counted: whoever
//! is killed between them leaves devices that are behind, and the next deployment finds them.

mod authority;
mod check;
mod content;
mod deploy;
mod directory;
mod document;
mod error;
mod inventory;
mod name;
mod options;
mod serve;

pub use authority::{Authority, Epoch, Policy, Removed, Revocation, Role, RoleSecrets, User};
pub use check::{Checked, Difference, check};
pub use content::{Acknowledged, Content, Newer, Of, Part};
pub use deploy::{Deployment, Device, Ended, Outcome, Totals, deploy};
pub use directory::{Directory, Held};
pub use error::Error;
pub use name::Name;
pub use options::Options;
