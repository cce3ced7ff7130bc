//! What can go wrong with a socket.

use std::io;
use std::net::SocketAddr;

#[cfg(feature = "tls")]
use crate::tls::TlsFault;

/// An error of the environment: the kernel refused something about a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
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
    /// A peer was reached, and one of us did not take the other's proof, or it does not speak TLS.
    #[cfg(feature = "tls")]
    #[error("no session with {kind}://{address}: {fault}")]
    Tls {
        /// `tls` or `dtls`.
        kind: &'static str,
        /// The peer.
        address: SocketAddr,
        /// What is wrong.
        #[source]
        fault: TlsFault,
    },
    /// A peer was reached, and there is no SSH session with it.
    #[cfg(feature = "ssh")]
    #[error("no session with ssh://{address}: {failure}")]
    Ssh {
        /// The peer.
        address: SocketAddr,
        /// What is wrong.
        failure: Box<crate::ssh::SshFailure>,
    },
    /// A host name has no address.
    #[error("no address for host `{host}`: {source}")]
    Resolve {
        /// The name that was looked up.
        host: String,
        /// What the resolver said.
        source: io::Error,
    },
    /// Nothing is known that proves who we are, or who the peer must be.
    #[error("{transport} needs certificates or keys, and none are given")]
    NoCredentials {
        /// The name of the transport.
        transport: &'static str,
    },
    /// This program was built without the transport.
    #[error("{transport}:// is not available: this program was built without the feature `{feature}`")]
    NotBuilt {
        /// The name of the transport.
        transport: &'static str,
        /// The feature of `trunkline-client` and of this crate that adds it.
        feature: &'static str,
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
