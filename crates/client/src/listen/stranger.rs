//! Peers that get no session: one end refuses the other's certificate, key or name.

use std::net::SocketAddr;

use trunkline_transport::Transport;
use trunkline_transport::tcp::HandshakeError;

/// A peer that got no session, and why. There may be many, so not every one is reported.
#[derive(Clone, Debug)]
pub struct RefusedSession {
    /// The peer's address.
    pub peer: SocketAddr,
    /// The transport.
    pub transport: Transport,
    /// Whose fault it is.
    pub fault: SessionFault,
    /// The reason; it may contain text of the peer's.
    pub why: String,
}

/// Whom a session failed by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionFault {
    /// We refuse the peer's certificate.
    TheirCertificate,
    /// The peer shows no certificate.
    NoCertificate,
    /// The peer refuses our certificate.
    OurCertificate,
    /// We refuse the peer's user of SSH, or its key or password.
    Login,
    /// The peer is authenticated, but its certificate or user has no name here.
    NoName,
}

impl SessionFault {
    /// Whose fault a failed handshake is; `None` if nobody refused anybody: it broke off, or was none.
    #[cfg_attr(
        not(any(feature = "tls", feature = "ssh")),
        expect(clippy::missing_const_for_fn, reason = "as with them")
    )]
    pub(super) fn of(error: &HandshakeError) -> Option<Self> {
        #[cfg(feature = "ssh")]
        use trunkline_transport::ssh::SshFault;
        #[cfg(feature = "tls")]
        use trunkline_transport::tls::TlsFault;
        match error {
            #[cfg(feature = "tls")]
            HandshakeError::Tls(TlsFault::Certificate(_)) => Some(Self::TheirCertificate),
            #[cfg(feature = "tls")]
            HandshakeError::Tls(TlsFault::NoCertificate) => Some(Self::NoCertificate),
            #[cfg(feature = "tls")]
            HandshakeError::Tls(fault @ TlsFault::Refused(_)) if fault.is_refusal() => {
                Some(Self::OurCertificate)
            }
            #[cfg(feature = "ssh")]
            HandshakeError::Ssh(
                SshFault::UnknownUser { .. }
                | SshFault::WrongKey { .. }
                | SshFault::WrongPassword { .. }
                | SshFault::NotChecked { .. }
                | SshFault::KeysUnreadable { .. },
            ) => Some(Self::Login),
            _ => None,
        }
    }
}
