//! Services over byte streams, whatever carries them: TCP, TLS, an SSH channel, a socket of OpenSSH's subsystem.
//!
//! ```text
//! listener -> Greeter (handshake, authentication) -> StreamService::serve(stream, info, visit)
//!                                                       |
//!                                                       Messages: one message in, at most one out (SNMP)
//!                                                       any other: its own order and framing, either end first
//! ```

use std::fmt;
use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;

use crate::handshake::HandshakeError;
use crate::register::Standing;
use crate::resources::Resources;
use crate::session::SessionInfo;
use crate::stream::Stream;
use crate::tcp::{TcpCounters, TcpLimits};
use crate::{Closing, Transport};

/// Serves a peer until its stream ends.
pub type Guest = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A protocol over byte streams.
pub trait StreamService: Send + Sync + 'static {
    /// Serves one stream, whose peer is authenticated as in `info`. The stream ends with the future.
    fn serve(self: Arc<Self>, stream: Box<dyn Stream>, info: SessionInfo, visit: Visit) -> Guest;

    /// A peer got no stream: it failed to authenticate, or did not even try. For counting and reports; it has been logged.
    fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        let _ = (peer, transport, error);
    }

    /// Signals the listeners to shut down; by default never. A service then accepts no more requests and answers
    /// those that it has.
    fn closing(&self) -> Closing {
        Closing::default()
    }
}

/// What a listener passes to a service beside the stream: the peer's limits, its counters, and what all
/// connections share.
#[derive(Clone, Debug, Default)]
pub struct Visit {
    /// The peer's limits.
    pub limits: Arc<TcpLimits>,
    /// Where it is counted.
    pub counters: Arc<TcpCounters>,
    /// What it shares with all other connections.
    pub resources: Arc<Resources>,
    /// The peer's standing.
    pub(crate) standing: Arc<Standing>,
}

impl Visit {
    /// With these limits, and separate counters and resources.
    #[must_use]
    pub fn new(limits: TcpLimits) -> Self {
        Self { limits: Arc::new(limits), ..Self::default() }
    }

    /// The same for another connection.
    pub(crate) fn another(&self) -> Self {
        Self { standing: Arc::default(), ..self.clone() }
    }

    /// The peer has sent a whole message. When connections are scarce, those that never did give way first.
    pub fn speaks(&self) {
        self.standing.speaks();
    }

    pub(crate) fn has_spoken(&self) -> bool {
        self.standing.has_spoken()
    }

    /// The peer is accepted. Its connection no longer gives way to newer ones.
    pub fn accept(&self) {
        self.standing.accept();
    }
}

/// The services behind named SSH subsystems (RFC 4254 section 6.5), on one port or one socket.
#[derive(Clone, Default)]
pub struct Subsystems(Vec<(&'static str, Arc<dyn StreamService>)>);

impl Subsystems {
    /// A single subsystem.
    #[must_use]
    pub fn of(name: &'static str, service: Arc<dyn StreamService>) -> Self {
        Self::default().and(name, service)
    }

    /// The same with another subsystem.
    #[must_use]
    pub fn and(mut self, name: &'static str, service: Arc<dyn StreamService>) -> Self {
        self.0.push((name, service));
        self
    }

    pub(crate) fn get(&self, name: &str) -> Option<&Arc<dyn StreamService>> {
        self.0.iter().find_map(|(known, service)| (*known == name).then_some(service))
    }

    /// Their names, for a peer that requested another one.
    pub(crate) fn names(&self) -> String {
        self.0.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// There is no stream: which subsystem was wanted is unknown.
    pub(crate) fn failed(&self, peer: SocketAddr, transport: Transport, error: &HandshakeError) {
        self.0.iter().for_each(|(_, service)| service.failed(peer, transport, error));
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
