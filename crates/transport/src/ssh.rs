//! SSH (RFC 4254): named subsystems, each with its own protocol; server and client, in process.
//!
//! A channel carries a stream of octets; the boundaries of SSH packets mean nothing (RFC 5592 section 3.1.2, RFC
//! 6242 section 3). The server authenticates with a host key, the client with a user's key or password; the user's
//! name is the session's proof. The alternative, through OpenSSH's own server, is [`crate::local`].

pub mod authorized_keys;
mod client;
mod fault;
mod host_keys;
pub mod known_hosts;
mod options;
mod server;
mod users;

pub use client::{HostTrust, Identity, SshClient, SshFailure, SshPrivateKey, SshStream, UnknownHost};
pub use fault::SshFault;
pub use host_keys::{HostKeyError, HostKeys};
pub use options::{SshAlgorithms, SshOptions, UnknownAlgorithm, WindowUpdates};
pub use server::{SshGreeter, SshServer, SshServerOptions};
pub use trunkline_password::{PasswordHash, PasswordHashError, Secret};
pub use users::{SshUser, SshUsers};

pub(crate) use client::connect;
