//! The client: a channel of a subsystem at a host that has proved to be the one we know.

mod connect;
mod failure;
mod hosts;
mod identity;
mod stream;

pub(crate) use self::connect::connect;
pub use self::failure::SshFailure;
pub use self::hosts::{HostTrust, UnknownHost};
pub use self::identity::{Identity, SshPrivateKey};
pub use self::stream::SshStream;
use super::SshOptions;

/// How a client comes in at a server, and by what it knows the server.
#[derive(Clone, Debug)]
pub struct SshClient {
    /// The user's name at the server.
    pub user: String,
    /// What is tried, in this order, until one is taken.
    pub identities: Vec<Identity>,
    /// By what the server's host key is known.
    pub hosts: HostTrust,
    /// How messages are carried.
    pub options: SshOptions,
}
