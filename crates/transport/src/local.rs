//! The alternative for SSH: OpenSSH's own server starts a small program per subsystem, which passes the stream and
//! the user's name to the agent over a Unix socket. The system is then responsible for keys, passwords and PAM.
//!
//! ```text
//! client === sshd --- trunklined subsystem snmp (runs as the user) --- Unix socket --- agent
//!                            trunkline-subsystem 2 snmp alice 192.0.2.7 50022 192.0.2.1 5161
//! ```
//!
//! The agent trusts the name because the kernel identifies the connecting user: root may name anybody, any other
//! user only themselves.
//!
//! Beside it, [`private`] has sockets between processes of one user.

mod preamble;
pub mod private;
mod relay;
mod server;

pub use preamble::{Preamble, PreambleFault, SshConnection};
pub use relay::{RelayError, relay};
pub use server::{LocalOptions, LocalServer};

pub use trunkline_local::LocalError;
