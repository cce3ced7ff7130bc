//! What happens between an accepted connection and its stream: nothing, or a handshake that authenticates the
//! peer.

use std::future::{Future, ready};
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::net::TcpStream;

use crate::handshake::HandshakeError;
use crate::service::{Guest, StreamService, Visit};
use crate::session::SessionInfo;
use crate::{Closing, Transport};

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The peer's address and port.
    pub peer: SocketAddr,
    /// Our address and port.
    pub local: SocketAddr,
}

/// A connection as it was accepted, before any handshake.
pub type Accepted = TcpStream;

/// Turns accepted connections into streams, and passes them to a service.
pub trait Greeter: Send + Sync + 'static {
    /// The transport of its sessions.
    fn transport(&self) -> Transport;

    /// Whether the peer must complete a handshake before it is served.
    fn has_handshake(&self) -> bool {
        true
    }

    /// Refuses a connection that there is no room for. It must not block.
    fn refuse(&self, stream: TcpStream) {
        drop(stream);
    }

    /// Performs the handshake, and returns the future that serves the peer. The handshake is limited by
    /// [`super::TcpLimits::handshake_time`]; the returned future limits itself.
    fn greet(
        &self,
        stream: TcpStream,
        ends: Ends,
        visit: Visit,
    ) -> impl Future<Output = Result<Guest, HandshakeError>> + Send;

    /// As [`StreamService::failed`].
    fn failed(&self, peer: SocketAddr, error: &HandshakeError);

    /// As [`StreamService::closing`].
    fn closing(&self) -> Closing;
}

/// TCP: no handshake.
pub struct Plain(Arc<dyn StreamService>);

impl Plain {
    /// Passes connections to this service.
    #[must_use]
    pub fn new(service: Arc<dyn StreamService>) -> Self {
        Self(service)
    }
}

impl Greeter for Plain {
    fn transport(&self) -> Transport {
        Transport::Tcp
    }

    fn has_handshake(&self) -> bool {
        false
    }

    fn greet(
        &self,
        stream: TcpStream,
        Ends { peer, local }: Ends,
        visit: Visit,
    ) -> impl Future<Output = Result<Guest, HandshakeError>> + Send {
        let info = SessionInfo::plain(Transport::Tcp, peer, local);
        ready(Ok(self.0.clone().serve(Box::new(stream), info, visit)))
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        self.0.failed(peer, Transport::Tcp, error);
    }

    fn closing(&self) -> Closing {
        self.0.closing()
    }
}
