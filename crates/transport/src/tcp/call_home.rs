//! Calls home (RFC 8071), the caller's end: it makes the connection, and is the server on it.

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use super::greeter::{Ends, Greeter};
use super::limits::TcpLimits;
use super::listener::{Ended, greeted};
use crate::service::{Guest, Visit};
use crate::{Resources, TransportError, dial};

/// Serves peers that it has connected to, as if they had connected here.
pub struct Caller<G> {
    greeter: Arc<G>,
    visit: Visit,
}

/// Why a call led to no session.
#[derive(Debug, thiserror::Error)]
pub enum CallError {
    /// There is no connection.
    #[error(transparent)]
    Connect(#[from] TransportError),
    /// The handshake failed. The log has said why.
    #[error("the peer has not completed the handshake")]
    Handshake,
}

impl<G: Greeter> Caller<G> {
    /// A caller whose peers this greeter authenticates.
    pub fn new(greeter: G, limits: TcpLimits, resources: Arc<Resources>) -> Self {
        Caller { greeter: Arc::new(greeter), visit: Visit { resources, ..Visit::new(limits) } }
    }

    /// Connects to the first address that accepts within `timeout`, and performs the handshake. The result serves the peer. A peer that
    /// vanishes without notice is noticed.
    ///
    /// # Errors
    /// [`CallError`]
    pub async fn call(&self, addresses: &[SocketAddr], timeout: Duration) -> Result<Guest, CallError> {
        let stream = dial::tcp(addresses, timeout).await?;
        let unusable = |source| TransportError::Socket { doing: "asking for its addresses", source };
        let ends = Ends {
            peer: stream.peer_addr().map_err(unusable)?,
            local: stream.local_addr().map_err(unusable)?,
        };
        match greeted(self.greeter.clone(), stream, ends, self.visit.another()).await {
            Ended::Greeted(guest) => Ok(guest),
            Ended::Left => Err(CallError::Handshake),
        }
    }
}
