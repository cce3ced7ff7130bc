//! SNMP in sessions: TCP, TLS, DTLS, SSH. When a session opens, the peer's authenticated identity becomes the
//! name that the access policy knows (tmStateReference, RFC 5590 section 5.2); every message of the session is
//! answered with that.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use trunkline_binding::session;
use trunkline_snmp::engine::TransportState;
use trunkline_transport::tcp::HandshakeError;
use trunkline_transport::tls::TlsFault;
use trunkline_transport::{Closing, Refused, Reply, SessionHandler, SessionInfo, Transport};

use super::later::Answer;
use super::probe::Phase;
use super::{Door, Sender};
use trunkline_admin::SessionCounters;

/// Answers the messages of all sessions.
pub struct Sessions {
    door: Arc<Door>,
    counters: Arc<SessionCounters>,
}

/// What the door knows of a session.
pub struct Session {
    peer: std::net::SocketAddr,
    state: Option<TransportState>,
    /// The longest answer that the transport can carry.
    max_message: usize,
    /// Where it is counted, if it is of TLS or DTLS.
    counters: Option<Arc<SessionCounters>>,
    has_sent: AtomicBool,
}

impl Session {
    /// RFC 6353, snmpTlstmSessionAccepts: an accepted connection counts once an SNMP message has arrived.
    fn count_first_message(&self) {
        if let Some(counters) = &self.counters
            && !self.has_sent.swap(true, Relaxed)
        {
            counters.tls.accepts.add(1);
        }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        if let Some(counters) = &self.counters {
            counters.tls.server_closes.add(1);
        }
    }
}

impl Sessions {
    /// The handler of a door.
    pub fn new(door: Arc<Door>, counters: Arc<SessionCounters>) -> Self {
        Sessions { door, counters }
    }

    fn state(&self, info: &SessionInfo) -> Result<Option<TransportState>, Refused> {
        let state = session::peer_of(info, |chain| {
            let named = self.door.core().settings_now().name_of(chain);
            named.inspect_err(|_| self.counters.tls.invalid_client_certificates.add(1))
        })?;
        if let Some(state) = &state {
            let name = state.name();
            tracing::debug!(peer = %info.peer, transport = info.transport.name(), %name, "a session has begun");
        }
        Ok(state)
    }
}

impl SessionHandler for Sessions {
    type Session = Session;

    fn open(&self, info: &SessionInfo) -> Result<Arc<Session>, Refused> {
        let state = self.state(info)?;
        let is_tls = matches!(info.transport, Transport::Tls | Transport::Dtls);
        let counters = is_tls.then(|| self.counters.clone());
        let (peer, max_message, has_sent) = (info.peer, info.max_message(), AtomicBool::new(false));
        Ok(Arc::new(Session { peer, state, max_message, counters, has_sent }))
    }

    fn failed(&self, _peer: SocketAddr, _transport: Transport, error: &HandshakeError) {
        // RFC 6353, snmpTlstmSessionInvalidClientCertificates: "the presented client certificate was invalid". A client
        // that presents none is not counted.
        if matches!(error, HandshakeError::Tls(TlsFault::Certificate(_))) {
            self.counters.tls.invalid_client_certificates.add(1);
        }
    }

    fn closing(&self) -> Closing {
        self.door.core().closing().clone()
    }

    async fn handle(&self, message: Vec<u8>, session: &Arc<Session>) -> Reply {
        session.count_first_message();
        let Session { peer, state, max_message, .. } = &**session;
        let sender = Sender { over: state.as_ref(), max_message: *max_message, ..Sender::unproved(*peer) };
        let phases = self.door.core().phases();
        phases.begin(Phase::Decode);
        let answer = self.door.answer(&message, sender).await;
        phases.begin(Phase::Wait);
        match answer {
            Answer::Message(octets) => Reply::Send(octets),
            Answer::Report(octets) => Reply::Refuse(octets),
            Answer::Silence => Reply::Refuse(Vec::new()),
            Answer::Unreadable => Reply::Close,
        }
    }
}
