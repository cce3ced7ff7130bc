//! The task of a session whose connections come and go: TCP, TLS, DTLS, SSH, and UDP with
//! [`Endurance::Retries`](crate::Endurance). A connection is made when there is something to send, and closed when
//! idle for long; when it breaks, requests that may be repeated are sent over the next one, once.
//!
//! ```text
//! nothing to do --command--> connecting --> conversing --idle--> nothing to do
//!                                ^               |
//!                                +--- broken ----+   requests that only read stay, within their patience
//! ```

use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use tokio::sync::mpsc;
use tokio::time::sleep_until;
use trunkline_snmp::SecurityLevel;

use super::connect::{Carrier, Connected, Connector};
use super::datagrams::give_up;
use super::keys::Keys;
use super::{Command, Reply, Shared, now, reply};
use crate::error::Error;
use crate::exchange::Exchanges;

/// The settings of such a session.
#[derive(Clone, Copy)]
pub(super) struct TalkOptions {
    /// Octets of the longest answer.
    pub(super) max_message: usize,
    /// The wait for an answer.
    pub(super) timeout: Duration,
    /// A connection without requests is closed after this time.
    pub(super) idle: Option<Duration>,
    /// The minimum security level of a connection.
    pub(super) least: SecurityLevel,
    /// Whether the end of its connections is awaited from the peer: those that answer the message of their end.
    pub(super) parts: bool,
    /// Whether a new connection may still be refused: over TLS 1.3 our handshake ends before the peer has looked at our
    /// certificate (RFC 8446 section 4.4.2.4).
    pub(super) refuses_late: bool,
    /// Whether its datagrams are plain UDP, not those of a session over UDP.
    pub(super) is_udp: bool,
}

/// How a connection ended.
pub(super) enum End {
    /// No handle is left.
    Nobody,
    /// It was idle for long.
    Idle,
    Broken(Error),
}

/// The state that outlives connections.
pub(super) struct Talk {
    pub(super) commands: mpsc::UnboundedReceiver<Command>,
    pub(super) exchanges: Exchanges<Reply>,
    pub(super) keys: Keys,
    pub(super) shared: Arc<Shared>,
    pub(super) options: TalkOptions,
}

impl Talk {
    /// Carries requests and answers until the last handle is gone.
    pub(super) async fn drive(mut self, mut first: Option<Connected>, connector: Connector) {
        let shared = Arc::clone(&self.shared);
        let counters = &shared.counters;
        loop {
            let made = match first.take() {
                Some(connected) => Some(Ok(connected)),
                None if !self.exchanges.is_due(now()) => {
                    if !self.wait().await {
                        return;
                    }
                    continue;
                }
                None => {
                    shared.watch(|watch| watch.opens());
                    self.connect(&connector).await
                }
            };
            let Some(made) = made else { return };
            let carrier = match made.and_then(|connected| connected.adequate(self.options.least)) {
                Ok(carrier) => carrier,
                Err(error) => {
                    self.take_commands();
                    shared.watch(|watch| watch.failed(&error));
                    reply(self.exchanges.handle_unreached(now(), &error));
                    continue;
                }
            };
            counters.connections.fetch_add(1, Relaxed);
            let end = match carrier {
                Carrier::Stream(stream) => self.converse(stream).await,
                Carrier::Datagrams(link) => self.converse_in_datagrams(link).await,
            };
            match end {
                End::Nobody => return,
                End::Idle => drop(counters.idle_closed.fetch_add(1, Relaxed)),
                End::Broken(error) => {
                    counters.connections_lost.fetch_add(1, Relaxed);
                    if self.exchanges.len() > 0 {
                        shared.watch(|watch| watch.failed(&error));
                    }
                    reply(self.exchanges.lose(now(), &error));
                    counters.repeated.store(self.exchanges.repeated(), Relaxed);
                }
            }
        }
    }

    /// The peer has gone silent.
    pub(super) fn is_dead(&self) -> End {
        self.shared.counters.dead_peers.fetch_add(1, Relaxed);
        End::Broken(Error::ConnectionLost { kind: Some(std::io::ErrorKind::TimedOut) })
    }

    /// Waits for the next request, or the next attempt of one; false if no handle is left.
    async fn wait(&mut self) -> bool {
        give_up(&mut self.exchanges, &self.shared);
        // The attempt's time may have run out while its connection failed: the next one has then begun already.
        if self.exchanges.is_due(now()) {
            return true;
        }
        let deadline = self.exchanges.next_deadline();
        tokio::select! {
            command = self.commands.recv() => {
                command.and_then(|command| command.give_to(&mut self.exchanges)).is_some()
            }
            () = at(deadline), if deadline.is_some() => {
                give_up(&mut self.exchanges, &self.shared);
                true
            }
        }
    }

    /// Accepts the requests that arrived meanwhile.
    fn take_commands(&mut self) {
        while let Ok(command) = self.commands.try_recv() {
            if command.give_to(&mut self.exchanges).is_none() {
                self.commands.close();
            }
        }
    }

    /// Makes a connection, while requests arrive and the time of those to be repeated runs; `None` if no handle is
    /// left.
    async fn connect(&mut self, connector: &Connector) -> Option<Result<Connected, Error>> {
        let mut connecting = connector();
        loop {
            give_up(&mut self.exchanges, &self.shared);
            let deadline = self.exchanges.next_deadline();
            tokio::select! {
                made = &mut connecting => return Some(made),
                more = self.commands.recv() => more?.give_to(&mut self.exchanges)?,
                () = at(deadline), if deadline.is_some() => {}
            }
        }
    }
}

pub(super) async fn at(deadline: Option<Instant>) {
    sleep_until(deadline.unwrap_or_else(now).into()).await;
}
