//! What a session is to those who answer messages: who is at the other end, what
//! the transport proved of that, and what becomes of each message. The same for
//! every transport that has sessions: TCP, TLS, DTLS, SSH.

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::sync::Arc;

use crate::handshake::HandshakeError;
use crate::{Closing, Transport};

/// Who is at the other end of a session, as the transport knows it. It does not change while the session lasts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionInfo {
    /// The transport.
    pub transport: Transport,
    /// The peer's address and port.
    pub peer: SocketAddr,
    /// Our address and port.
    pub local: SocketAddr,
    /// What the transport proved of the peer.
    pub proof: Proof,
    /// What the transport does to the octets on their way.
    pub protection: Protection,
}

impl SessionInfo {
    /// A session that proves nothing and protects nothing.
    #[must_use]
    pub const fn plain(transport: Transport, peer: SocketAddr, local: SocketAddr) -> Self {
        Self { transport, peer, local, proof: Proof::Nothing, protection: Protection::None }
    }

    /// Octets of the longest message that the transport carries: a datagram of DTLS is one record (RFC 6347 section
    /// 4.1); streams have no limit of their own.
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

/// The most octets of a message of DTLS: what one record holds (RFC 6347 section 4.1).
pub(crate) const MAX_DTLS_MESSAGE: usize = 1 << 14;

/// What a transport proved of a peer when the session began.
#[derive(Clone, Default, PartialEq, Eq)]
pub enum Proof {
    /// Nothing: the address may be anybody's.
    #[default]
    Nothing,
    /// It has the private key of a certificate (TLS, DTLS): the chain as it was verified, in DER, the peer's own
    /// first, then the authorities up to the one that is trusted. A certificate that is trusted by itself is alone.
    Certificates(Arc<[Vec<u8>]>),
    /// It is this user (SSH).
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

/// What a transport does to octets on their way.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Protection {
    /// Nothing.
    #[default]
    None,
    /// Nobody can change them, anybody can read them: cipher suites without encryption.
    Integrity,
    /// Nobody can change or read them.
    Encrypted,
}

/// Nobody here answers this peer: its session ends before its first message. Why is the handler's to count and to log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("this peer is not served")]
pub struct Refused;

/// What a handler makes of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// These octets go to the peer.
    Send(Vec<u8>),
    /// There is no answer.
    Nothing,
    /// The message shows nothing of whoever sent it: an engine discovery, an unknown community. These octets go back, if
    /// there are any; where connections are short this one gives way to a newer one.
    Refuse(Vec<u8>),
    /// It was not a message after all: what was answered so far goes out, then the session ends.
    Close,
}

impl From<Option<Vec<u8>>> for Reply {
    fn from(answer: Option<Vec<u8>>) -> Self {
        answer.map_or(Self::Nothing, Self::Send)
    }
}

/// What answers messages that come in sessions.
pub trait SessionHandler: Send + Sync + 'static {
    /// What the handler knows of a session. All of its messages share it; it is dropped with the session.
    type Session: Send + Sync + 'static;

    /// A session has begun: the peer has proved who it is, and nothing was received of it yet.
    ///
    /// # Errors
    /// [`Refused`] ends it.
    fn open(&self, info: &SessionInfo) -> Result<Arc<Self::Session>, Refused>;

    /// No session has come of a peer: it could not prove who it is, or did not even try. To be counted; it has been
    /// logged.
    fn failed(&self, transport: Transport, error: &HandshakeError) {
        let _ = (transport, error);
    }

    /// Says when its servers end; by default never.
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
