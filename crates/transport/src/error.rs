//! Errors of sockets.

use std::io;
use std::net::SocketAddr;

#[cfg(feature = "tls")]
use crate::tls::TlsFault;

/// An error of the environment: the kernel refused an operation on a socket.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TransportError {
    /// A server socket could not be bound.
    #[error("cannot listen on {kind}://{address}: {source}")]
    Bind {
        /// `udp` or `tcp`.
        kind: &'static str,
        /// The address to bind.
        address: SocketAddr,
        /// The kernel's error.
        source: io::Error,
    },
    /// A socket could not be connected to a peer.
    #[error("cannot reach {kind}://{address}: {source}")]
    Connect {
        /// `udp` or `tcp`.
        kind: &'static str,
        /// The peer.
        address: SocketAddr,
        /// The kernel's error.
        source: io::Error,
    },
    /// A peer was reached, but one end does not trust the other, or it does not speak TLS.
    #[cfg(feature = "tls")]
    #[error("no session with {kind}://{address}: {fault}")]
    Tls {
        /// `tls` or `dtls`.
        kind: &'static str,
        /// The peer.
        address: SocketAddr,
        /// The fault.
        #[source]
        fault: TlsFault,
    },
    /// A peer was reached, but no SSH session was established.
    #[cfg(feature = "ssh")]
    #[error("no session with ssh://{address}: {failure}")]
    Ssh {
        /// The peer.
        address: SocketAddr,
        /// The failure.
        failure: Box<crate::ssh::SshFailure>,
    },
    /// A host name has no address.
    #[error("no address for host `{host}`: {source}")]
    Resolve {
        /// The name that was looked up.
        host: String,
        /// The resolver's error.
        source: io::Error,
    },
    /// There are no credentials of ours, or none to authenticate the peer.
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
        /// The kernel's error.
        source: io::Error,
    },
}

impl TransportError {
    /// Whether one end refuses the other's identity: a certificate, a host key, a user. It stays so until somebody mends
    /// it; all else may be another at the next attempt.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        match self {
            #[cfg(feature = "tls")]
            Self::Tls { fault, .. } => fault.is_refusal(),
            #[cfg(feature = "ssh")]
            Self::Ssh { failure, .. } => failure.is_refusal(),
            _ => false,
        }
    }
}
