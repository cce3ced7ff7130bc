//! What comes between an accepted connection and its messages: nothing, or a
//! handshake in which the peer proves who it is.

use std::future::{Future, ready};
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use tokio::net::TcpStream;

use super::connection::serve_stream;
use super::counters::TcpCounters;
use super::limits::{Framer, TcpLimits};
use crate::Transport;
use crate::handshake::HandshakeError;
use crate::register::Standing;
use crate::resources::Resources;
use crate::session::{SessionHandler, SessionInfo};

/// The two ends of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ends {
    /// The peer's address and port.
    pub peer: SocketAddr,
    /// Our address and port.
    pub local: SocketAddr,
}

/// What a session is served with.
pub struct Serving<H> {
    /// Who answers.
    pub handler: Arc<H>,
    /// What cuts the stream into messages.
    pub framer: Framer,
    /// What the peer may take.
    pub limits: Arc<TcpLimits>,
    /// Where it is counted.
    pub counters: Arc<TcpCounters>,
    /// What it shares with all other connections.
    pub resources: Arc<Resources>,
    /// What the peer has shown of itself.
    pub(crate) standing: Arc<Standing>,
}

impl<H> Serving<H> {
    /// By these, with resources of its own.
    #[must_use]
    pub fn new(handler: Arc<H>, framer: Framer, limits: TcpLimits) -> Self {
        let (counters, resources, standing) = Default::default();
        Self { handler, framer, limits: Arc::new(limits), counters, resources, standing }
    }

    /// The same for another connection.
    pub(crate) fn another(&self) -> Self {
        Self { standing: Arc::default(), ..self.clone() }
    }
}

impl<H> Clone for Serving<H> {
    fn clone(&self) -> Self {
        let Self { handler, framer, limits, counters, resources, standing } = self;
        Self {
            handler: handler.clone(),
            framer: *framer,
            limits: limits.clone(),
            counters: counters.clone(),
            resources: resources.clone(),
            standing: standing.clone(),
        }
    }
}

/// What serves a peer that has been greeted, until its connection ends.
pub type Guest = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Makes sessions of accepted connections.
pub trait Greeter: Send + Sync + 'static {
    /// The transport of its sessions.
    fn transport(&self) -> Transport;

    /// Whether the peer has to do something before it is served.
    fn has_handshake(&self) -> bool {
        true
    }

    /// Turns a connection away for which there is no room. It must not wait.
    fn refuse(&self, stream: TcpStream) {
        drop(stream);
    }

    /// Carries out the handshake, and gives what serves the session, with [`serve_stream`] in the end. It has
    /// [`TcpLimits::handshake_time`]; what it gives has no limit but its own.
    fn greet<H: SessionHandler>(
        &self,
        stream: TcpStream,
        ends: Ends,
        serving: Serving<H>,
    ) -> impl Future<Output = Result<Guest, HandshakeError>> + Send;
}

/// TCP: there is nothing in between.
pub(super) struct Plain;

impl Greeter for Plain {
    fn transport(&self) -> Transport {
        Transport::Tcp
    }

    fn has_handshake(&self) -> bool {
        false
    }

    fn greet<H: SessionHandler>(
        &self,
        stream: TcpStream,
        Ends { peer, local }: Ends,
        serving: Serving<H>,
    ) -> impl Future<Output = Result<Guest, HandshakeError>> + Send {
        let info = SessionInfo::plain(Transport::Tcp, peer, local);
        ready(Ok(Box::pin(serve_stream(stream, &info, serving)) as Guest))
    }
}
