//! Configurations as values, without I/O: a [`Config`] is what a datastore holds, [`edit()`] changes one as `edit-config` says
//! (RFC 6241 section 7.2), [`changes()`] is what differs between two, [`given_again()`] what an edit has given without changing it, [`delta()`] the same as an
//! edit, [`check()`] is what a configuration as a whole must fulfil.
//! Where they are kept, and what a change does to the machine, stands elsewhere.

mod changes;
mod check;
mod config;
mod defaults;
mod delta;
mod edit;
mod hook;
mod order;
mod path;
mod references;
mod rules;
mod secrets;
mod sorted;

pub use changes::{Change, carried_over, changes, given_again};
pub use check::{check, check_change};
pub use config::{Branch, Config, Item, Step};
pub use defaults::{trimmed, with_all};
pub use delta::{EDIT, delta};
pub use edit::{edit, read};
pub use hook::Subtree;
pub use order::{Keys, Position};
pub use path::{nameable, outermost, path, steps};
pub use secrets::with_secrets_of;
