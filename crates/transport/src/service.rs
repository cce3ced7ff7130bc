//! What serves byte streams, whatever carries them: TCP, TLS, a channel of SSH, a socket of OpenSSH's subsystem.
//!
//! ```text
//! listener -> Greeter (handshake, who is it) -> StreamService::serve(stream, info, visit)
//!                                                  |
//!                                                  Messages: one message in, at most one out (SNMP)
//!                                                  any other: who speaks first, in which order, framed how is its own
//! ```

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use crate::handshake::HandshakeError;
use crate::register::Standing;
use crate::resources::Resources;
use crate::session::SessionInfo;
use crate::stream::Stream;
use crate::tcp::{TcpCounters, TcpLimits};
use crate::{Closing, Transport};

/// What serves a peer until its stream ends.
pub type Guest = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A protocol that is spoken over byte streams.
pub trait StreamService: Send + Sync + 'static {
    /// Serves one stream, whose peer has proved what `info` says. The stream ends with the future.
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest;

    /// A peer came and no stream did: it could not prove who it is, or did not even try. To be counted; it has been
    /// logged.
    fn failed(&self, transport: Transport, error: &HandshakeError) {
        let _ = (transport, error);
    }

    /// Says when the listeners end; by default never. A service then takes no more requests and answers those that it
    /// has.
    fn closing(&self) -> Closing {
        Closing::default()
    }
}

/// What a listener gives a service beside the stream: what the peer may take, where it is counted, and what all
/// connections share.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// What the peer may take.
    pub limits: Arc<TcpLimits>,
    /// Where it is counted.
    pub counters: Arc<TcpCounters>,
    /// What it shares with all other connections.
    pub resources: Arc<Resources>,
    /// What the peer has shown of itself.
    pub(crate) standing: Arc<Standing>,
}

impl Visit {
    /// Under these limits, with counters and resources of its own.
    #[must_use]
    pub fn new(limits: TcpLimits) -> Self {
        Self { limits: Arc::new(limits), ..Self::default() }
    }

    /// The same for another connection.
    pub(crate) fn another(&self) -> Self {
        Self { standing: Arc::default(), ..self.clone() }
    }

    /// The peer has sent a whole message. Where connections are short, those that never did give way first.
    pub fn speaks(&self) {
        self.standing.speaks();
    }

    /// The peer has shown that it may ask. Its connection does not give way to newer ones any more.
    pub fn accept(&self) {
        self.standing.accept();
    }
}

/// The services behind the named subsystems of SSH (RFC 4254 section 6.5), on one port or one socket.
#[derive(Clone, Default)]
pub struct Subsystems(Vec<(&'static str, Arc<dyn StreamService>)>);

impl Subsystems {
    /// One by this name.
    #[must_use]
    pub fn of(name: &'static str, service: Arc<dyn StreamService>) -> Self {
        Self::default().and(name, service)
    }

    /// The same with another one.
    #[must_use]
    pub fn and(mut self, name: &'static str, service: Arc<dyn StreamService>) -> Self {
        self.0.push((name, service));
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn StreamService>> {
        self.0.iter().find_map(|(known, service)| (*known == name).then_some(service))
    }

    /// Their names, for those who asked for another one.
    pub(crate) fn names(&self) -> String {
        self.0.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// No stream has come: nobody knows which of them was wanted.
    pub(crate) fn failed(&self, transport: Transport, error: &HandshakeError) {
        self.0.iter().for_each(|(_, service)| service.failed(transport, error));
    }

    /// All of one listener end together.
    pub(crate) fn closing(&self) -> Closing {
        self.0.first().map(|(_, service)| service.closing()).unwrap_or_default()
    }
}

impl fmt::Debug for Subsystems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Subsystems({})", self.names())
    }
}
