//! Notifications: what happens on this machine becomes an [`Event`](trunkline_tree::Event), which is sent to each
//! target that wants it and may see it (RFC 3413 section 3.3).

pub mod filter;
pub mod monitor;
mod originator;
mod sessions;
pub mod sources;
mod watcher;
mod worker;

pub use originator::{Inbox, Originator, Outbox, Record, Running, Users};
pub use watcher::Watcher;
