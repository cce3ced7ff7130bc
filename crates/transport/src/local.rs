//! The other way in over SSH: OpenSSH's own server starts a small program for each of its subsystems, which hands the
//! octets and the user's name to the agent over a Unix socket. Keys, passwords and PAM are then the system's.
//!
//! ```text
//! client === sshd --- trunklined subsystem snmp (runs as the user) --- Unix socket --- agent
//!                            trunkline-subsystem 2 snmp alice 192.0.2.7 50022 192.0.2.1 5161
//! ```
//!
//! The agent believes the name because the kernel says who connects: whoever is root may name anybody, and any other
//! user only themselves.

mod preamble;
mod relay;
mod server;

pub use preamble::{Preamble, PreambleFault, SshConnection};
pub use relay::{RelayError, relay};
pub use server::{LocalError, LocalOptions, LocalServer};
