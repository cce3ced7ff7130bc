//! A session as seen by the code that answers messages: the peer, what the transport authenticates about it, and
//! the outcome of each message. The same for every transport with sessions: TCP, TLS, DTLS, SSH.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::handshake::HandshakeError;
use crate::{Closing, Transport};

/// The peer of a session, as the transport knows it. It does not change during the session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The transport.
    pub transport: Transport,
    /// The peer's address and port.
    pub peer: SocketAddr,
    /// Our address and port.
    pub local: SocketAddr,
    /// What the transport has authenticated about the peer.
    pub proof: Proof,
    /// How the transport protects the octets.
    pub protection: Protection,
}

impl SessionInfo {
    /// A session without authentication and protection.
    #[must_use]
    pub const fn plain(transport: Transport, peer: SocketAddr, local: SocketAddr) -> Self {
        Self { transport, peer, local, proof: Proof::Nothing, protection: Protection::None }
    }

    /// Octets of the longest message that the transport carries: a datagram of DTLS is one record (RFC 6347
    /// section 4.1); streams have no such limit.
    #[must_use]
    pub const fn max_message(&self) -> usize {
        match self.transport {
            Transport::Dtls => MAX_DTLS_MESSAGE,
            Transport::Udp => 65_507,
            Transport::Tcp | Transport::Tls | Transport::Ssh | Transport::Http | Transport::Https => {
                usize::MAX
            }
        }
    }
}

/// Maximum octets of a DTLS message: one record (RFC 6347 section 4.1).
pub(crate) const MAX_DTLS_MESSAGE: usize = 1 << 14;

/// What a transport authenticated about a peer when the session began.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proof {
    /// Nothing: the address may be forged.
    #[default]
    Nothing,
    /// It has the private key of a certificate (TLS, DTLS): the verified chain in DER, the peer's own certificate
    /// first, then the authorities up to the trusted one. A directly trusted certificate is alone.
    Certificates(Arc<[Vec<u8>]>),
    /// The name of the user (SSH).
    User(Arc<str>),
}

impl fmt::Debug for Proof {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("Nothing"),
            Self::Certificates(chain) => write!(f, "Certificates({} in the chain)", chain.len()),
            Self::User(name) => f.debug_tuple("User").field(name).finish(),
        }
    }
}

/// How a transport protects octets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protection {
    /// Nothing.
    #[default]
    None,
    /// They cannot be changed, but can be read: cipher suites without encryption.
    Integrity,
    /// They can be neither changed nor read.
    Encrypted,
}

/// This peer is not served: its session ends before its first message. The handler counts and logs the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this peer is not served")]
pub struct Refused;

/// What a handler does with a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// Send these octets to the peer.
    Send(Vec<u8>),
    /// There is no answer.
    Nothing,
    /// The message shows nothing about its sender: an engine discovery, an unknown community. These octets, if
    /// any, are sent back; when connections are scarce this one gives way to a newer one.
    Refuse(Vec<u8>),
    /// It was not a message: earlier answers are sent, then the session ends.
    Close,
}

impl From<Option<Vec<u8>>> for Reply {
    fn from(answer: Option<Vec<u8>>) -> Self {
        answer.map_or(Self::Nothing, Self::Send)
    }
}

/// Answers messages that arrive in sessions.
pub trait SessionHandler: Send + Sync + 'static {
    /// The handler's state of a session. All of its messages share it; it is dropped with the session.
    type Session: Send + Sync + 'static;

    /// A session has begun: the peer is authenticated, and nothing was received from it yet.
    ///
    /// # Errors
    /// [`Refused`] ends it.
    fn open(&self, info: &SessionInfo) -> Result<Arc<Self::Session>, Refused>;

    /// A peer got no session: it failed to authenticate, or did not even try. For counting and reports; it has been logged.
    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        let _ = (peer, transport, error);
    }

    /// Signals its servers to shut down; by default never.
    fn closing(&self) -> Closing {
        Closing::default()
    }

    /// Answers one whole message.
    fn handle(&self, message: Vec<u8>, session: &Arc<Self::Session>) -> impl Future<Output = Reply> + Send;
}

impl<F, Fut> SessionHandler for F
where
    F: Fn(Vec<u8>, Arc<SessionInfo>) -> Fut + Send + Sync + 'static,
    Fut: Future<Output: Into<Reply>> + Send,
{
    type Session = SessionInfo;

    fn open(&self, info: &SessionInfo) -> Result<Arc<SessionInfo>, Refused> {
        Ok(Arc::new(info.clone()))
    }

    async fn handle(&self, message: Vec<u8>, session: &Arc<SessionInfo>) -> Reply {
        self(message, Arc::clone(session)).await.into()
    }
}
