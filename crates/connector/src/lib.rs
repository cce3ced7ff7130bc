//! The agent's door of JMX (JSR 160): connections of RMI over TCP and TLS, and the MBeans of `beans` over the `core`.
//!
//! ```text
//! stream -> session (JRMP) -> service: registry, leases, logins
//!                                |
//!                             connection -> ask: names, values, sets, rows; notifications
//! ```
//!
//! Registry, server and connections are objects of one port. A connection belongs to a client at an address and to what its
//! session has proved, not to a stream: clients of RMI use several streams for one.

mod arrays;
mod ask;
mod columns;
mod connection;
mod door;
mod log;
mod login;
mod notifications;
mod object;
mod observer;
mod query;
mod read;
mod refusal;
mod service;
mod session;
mod write;

pub use door::Connector;
