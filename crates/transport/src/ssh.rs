//! SSH (RFC 4254): named subsystems, each a protocol of its own; server and client, in process.
//!
//! What a channel carries is a stream of octets; where SSH's packets begin and end means nothing (RFC 5592 section
//! 3.1.2, RFC 6242 section 3). The server proves itself by a host key, the client by a user's key or password; the
//! user's name is what a session proves. The other way in, through OpenSSH's own server, is [`crate::local`].

pub mod authorized_keys;
mod client;
mod fault;
mod host_keys;
pub mod known_hosts;
mod options;
mod server;
mod users;

pub use crate::password::{PasswordHash, PasswordHashError, Secret};
pub use client::{HostTrust, Identity, SshClient, SshFailure, SshPrivateKey, SshStream, UnknownHost};
pub use fault::SshFault;
pub use host_keys::{HostKeyError, HostKeys};
pub use options::{SshAlgorithms, SshOptions, UnknownAlgorithm, WindowUpdates};
pub use server::{SshGreeter, SshServer, SshServerOptions};
pub use users::{SshUser, SshUsers};

pub(crate) use client::connect;
