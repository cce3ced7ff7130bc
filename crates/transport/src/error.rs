//! What can go wrong with a socket.

use std::io;
use std::net::SocketAddr;

/// An error of the environment: the kernel refused something about a socket.
#[derive(Debug, thiserror::Error)]
pub enum TransportError {
    /// A server socket could not be bound.
    #[error("cannot listen on {kind}://{address}: {source}")]
    Bind {
        /// `udp` or `tcp`.
        kind: &'static str,
        /// The address that was to be bound.
        address: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
    /// A socket could not be connected to a peer.
    #[error("cannot reach {kind}://{address}: {source}")]
    Connect {
        /// `udp` or `tcp`.
        kind: &'static str,
        /// The peer.
        address: SocketAddr,
        /// What the kernel said.
        source: io::Error,
    },
    /// A host name has no address.
    #[error("no address for host `{host}`: {source}")]
    Resolve {
        /// The name that was looked up.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// A working socket became unusable.
    #[error("socket failed while {doing}: {source}")]
    Socket {
        /// What was being done.
        doing: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
}
