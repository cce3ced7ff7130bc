//! Notifications: what happens on this machine becomes an [`Event`](trunkline_tree::Event), and each target that wants it and may know it is
//! told (RFC 3413 section 3.3).

pub mod filter;
pub mod monitor;
mod originator;
mod sessions;
pub mod sources;
mod watcher;
mod worker;

pub use originator::{Inbox, Originator, Outbox, Record, Users};
pub use watcher::Watcher;
