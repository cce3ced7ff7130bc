//! One session of a server: a task for its handshake, then for its messages.

use std::future::{Future, poll_fn};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;

use tokio::net::UdpSocket;
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, sleep_until, timeout};

use super::counters::DtlsCounters;
use super::limits::DtlsLimits;
use super::limits::MAX_MESSAGE;
use super::machine::{Content, Machine};
use super::server::send;
use crate::Transport;
use crate::counters::{add, count};
use crate::register::Standing;
use crate::resources::Resources;
use crate::session::{Proof, Reply, SessionHandler, SessionInfo};
use crate::tcp::HandshakeError;
use crate::tls::{TlsFault, Trust};
use crate::udp::ReplyTo;

/// The context of a session.
pub(super) struct Seat<H> {
    pub(super) machine: Machine,
    pub(super) arrived: mpsc::Receiver<Vec<u8>>,
    pub(super) socket: Arc<UdpSocket>,
    pub(super) to: ReplyTo,
    pub(super) local: SocketAddr,
    pub(super) handler: Arc<H>,
    pub(super) limits: DtlsLimits,
    pub(super) counters: Arc<DtlsCounters>,
    pub(super) resources: Arc<Resources>,
    pub(super) standing: Arc<Standing>,
    /// What the configuration trusts now.
    pub(super) trusted: watch::Receiver<Arc<Trust>>,
}

/// Why the handshake failed.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error(transparent)]
    Tls(#[from] TlsFault),
    #[error("the handshake took too long")]
    TimedOut,
    /// Another handshake with this peer has replaced it.
    #[error("another handshake took its place")]
    Replaced,
}

impl<H: SessionHandler> Seat<H> {
    /// Runs the whole session. `established` is called once the peer is authenticated.
    pub(super) async fn run(mut self, established: impl FnOnce()) {
        let closed = self.handler.closing().closed();
        let shaken = tokio::select! {
            shaken = timeout(self.limits.handshake_time, self.shake()) => shaken,
            () = closed => return,
        };
        let proof = match shaken.unwrap_or(Err(Failed::TimedOut)) {
            Ok(proof) => proof,
            Err(error) => {
                self.flush().await;
                if let Some(left_out) = self.resources.logs.handshakes.admit() {
                    tracing::info!(peer = %self.to.peer, %error, left_out, "a handshake failed");
                }
                match error {
                    Failed::TimedOut => {
                        count(&self.counters.slow_handshakes);
                        self.handler.failed(self.to.peer, Transport::Dtls, &HandshakeError::TimedOut);
                    }
                    Failed::Tls(fault) => {
                        count(&self.counters.failed_handshakes);
                        self.handler.failed(self.to.peer, Transport::Dtls, &fault.into());
                    }
                    Failed::Replaced => {}
                }
                return;
            }
        };
        established();
        let info = SessionInfo {
            transport: Transport::Dtls,
            peer: self.to.peer,
            local: self.local,
            proof: Proof::Certificates(Arc::clone(&proof)),
            protection: self.machine.protection(),
        };
        match self.handler.open(&info) {
            Ok(session) => self.serve(session, &proof).await,
            Err(_) => count(&self.counters.refused_sessions),
        }
        self.machine.close();
        self.flush().await;
    }

    async fn shake(&mut self) -> Result<Arc<[Vec<u8>]>, Failed> {
        loop {
            let done = self.machine.shake()?;
            self.flush().await;
            if done {
                return Ok(self.machine.proof()?);
            }
            let left = self.machine.time_left();
            tokio::select! {
                datagram = self.arrived.recv() => {
                    self.machine.feed(datagram.ok_or(Failed::Replaced)?);
                }
                () = async { sleep(left.unwrap_or_default()).await }, if left.is_some() => {
                    self.machine.on_timer()?;
                }
            }
        }
    }

    async fn serve(&mut self, session: Arc<H::Session>, proof: &[Vec<u8>]) {
        let mut in_flight = JoinSet::new();
        let mut last_message = Instant::now();
        let mut closed = pin!(self.handler.closing().closed());
        let mut is_closing = false;
        loop {
            if is_closing && in_flight.is_empty() {
                return;
            }
            let DtlsLimits { idle, first_message, .. } = self.limits;
            let idle_at =
                last_message + if self.standing.has_spoken() { idle } else { idle.min(first_message) };
            tokio::select! {
                Some(answered) = in_flight.join_next() => {
                    last_message = Instant::now();
                    let Ok(reply) = answered else { return count(&self.counters.panics) };
                    if !self.reply(reply) {
                        return;
                    }
                }
                () = closed.as_mut(), if !is_closing => is_closing = true,
                datagram = self.arrived.recv(), if !is_closing => {
                    // The channel is closed: another session has replaced this one.
                    let Some(datagram) = datagram else { return };
                    self.machine.feed(datagram);
                    match self.take_messages(&session, &mut in_flight).await {
                        Took::Messages => last_message = Instant::now(),
                        Took::Nothing => count(&self.counters.empty),
                        Took::End => return,
                    }
                }
                Ok(()) = self.trusted.changed() => {
                    let trust = Arc::clone(&self.trusted.borrow_and_update());
                    if !trust.still_accepts(proof) {
                        return;
                    }
                }
                () = sleep_until(idle_at), if in_flight.is_empty() => {
                    return count(&self.counters.idle_closed);
                }
            }
            self.flush().await;
        }
    }

    /// Handles all messages of the received datagram, which may contain several records.
    async fn take_messages(&mut self, session: &Arc<H::Session>, in_flight: &mut JoinSet<Reply>) -> Took {
        let mut took = Took::Nothing;
        loop {
            let message = match self.machine.read() {
                Ok(Content::Message(message)) => message,
                Ok(Content::Nothing) => return took,
                Ok(Content::End) => return Took::End,
                Err(error) => {
                    tracing::debug!(peer = %self.to.peer, %error, "a session failed");
                    count(&self.counters.session_errors);
                    return Took::End;
                }
            };
            took = Took::Messages;
            self.standing.speaks();
            // The handshake has authenticated the peer.
            self.standing.accept();
            count(&self.counters.received);
            add(&self.counters.received_octets, message.len());
            if in_flight.len() >= self.limits.max_in_flight {
                count(&self.counters.refused_in_flight);
                continue;
            }
            let (handler, session) = (Arc::clone(&self.handler), Arc::clone(session));
            let mut answer = Box::pin(async move { handler.handle(message, &session).await });
            match poll_fn(|cx| Poll::Ready(answer.as_mut().poll(cx))).await {
                Poll::Ready(reply) => {
                    if !self.reply(reply) {
                        return Took::End;
                    }
                }
                Poll::Pending => drop(in_flight.spawn(answer)),
            }
        }
    }

    /// False ends the session.
    fn reply(&mut self, reply: Reply) -> bool {
        let octets = match reply {
            Reply::Send(octets) | Reply::Refuse(octets) if octets.is_empty() => return true,
            Reply::Send(octets) | Reply::Refuse(octets) => octets,
            Reply::Nothing => return true,
            Reply::Close => return false,
        };
        if octets.len() > MAX_MESSAGE {
            count(&self.counters.too_long);
            return true;
        }
        if let Err(error) = self.machine.write(&octets) {
            tracing::debug!(peer = %self.to.peer, %error, "an answer cannot be sent");
            count(&self.counters.session_errors);
            return false;
        }
        count(&self.counters.sent);
        add(&self.counters.sent_octets, octets.len());
        true
    }

    async fn flush(&mut self) {
        for datagram in self.machine.leaving() {
            if let Err(error) = send(&self.socket, &self.to, &datagram).await {
                tracing::debug!(peer = %self.to.peer, %error, "a datagram cannot be sent");
                count(&self.counters.io_errors);
            }
        }
    }
}

enum Took {
    Messages,
    Nothing,
    End,
}
