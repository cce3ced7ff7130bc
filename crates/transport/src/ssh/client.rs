//! The client: a subsystem channel at an authenticated host.

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

/// How a client logs in at a server, and how it authenticates the server.
#[derive(Clone, Debug)]
pub struct SshClient {
    /// The user's name at the server.
    pub user: String,
    /// The identities to try, in this order.
    pub identities: Vec<Identity>,
    /// How the server's host key is checked.
    pub hosts: HostTrust,
    /// How messages are carried.
    pub options: SshOptions,
}
