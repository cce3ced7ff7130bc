//! Why a handshake fails.

use std::io;

#[cfg(feature = "ssh")]
use crate::ssh::SshFault;
#[cfg(feature = "tls")]
use crate::tls::TlsFault;

/// Why a peer is not served.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HandshakeError {
    /// It took longer than the limit.
    #[error("the handshake took too long")]
    TimedOut,
    /// The connection failed.
    #[error("the connection failed in the handshake: {0}")]
    Failed(#[from] io::Error),
    /// The fault of TLS.
    #[cfg(feature = "tls")]
    #[error(transparent)]
    Tls(#[from] TlsFault),
    /// The fault of SSH.
    #[cfg(feature = "ssh")]
    #[error(transparent)]
    Ssh(#[from] SshFault),
}

impl HandshakeError {
    /// Whether it timed out.
    #[must_use]
    pub const fn is_slow(&self) -> bool {
        matches!(self, Self::TimedOut)
    }
}
