//! Requests and answers over one DTLS session, or one UDP socket. Datagrams may be lost, so requests are sent
//! again. The peer may have lost its session without a sign: after a long silence another session is made. A host
//! may report that it, or its port, is unreachable: over UDP that is noticed as well.

use std::io;
use std::time::{Duration, Instant};

use trunkline_transport::dial::DatagramLink;

use super::datagrams::{give_up, send_all, take, take_refusal};
use super::keys::take_keys;
use super::talk::{End, Talk, at};
use super::{now, socket_error};
use crate::error::Error;

impl Talk {
    /// Uses one session until it ends.
    pub(super) async fn converse_in_datagrams(&mut self, link: DatagramLink) -> End {
        let mut buffer = Vec::new();
        let is_udp = self.options.is_udp;
        let mut silence = Silence::new(self.options.timeout);
        let mut used = now();
        loop {
            give_up(&mut self.exchanges, &self.shared);
            if self.exchanges.len() > 0 {
                used = now();
                if silence.is_long(used) {
                    return self.is_dead();
                }
            }
            let sent = self.shared.counters.read().sent;
            if let Err(error) = send_all(&link, &mut self.exchanges, &self.shared).await {
                return End::Broken(broken(is_udp, "sending a request", error));
            }
            if !is_udp && self.shared.counters.read().sent > sent {
                silence.begin(now());
            }
            self.keys.begin(&mut self.exchanges);
            let is_busy = self.exchanges.len() > 0;
            let idle_end = self.options.idle.filter(|_| !is_busy).map(|idle| used + idle);
            let doubt = silence.end().filter(|_| is_busy);
            let deadline = self.exchanges.next_deadline().into_iter().chain(idle_end).chain(doubt).min();
            tokio::select! {
                received = link.recv(&mut buffer) => match received {
                    Ok(()) => {
                        silence.ends();
                        let _ = take(&buffer, &mut self.exchanges, &self.shared);
                    }
                    Err(error) if is_udp && error.kind() == io::ErrorKind::ConnectionRefused => {
                        take_refusal(&mut self.exchanges, &self.shared);
                    }
                    // An orderly close is not the peer's fault.
                    Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                        return End::Broken(Error::ConnectionLost { kind: None });
                    }
                    Err(error) => return End::Broken(broken(is_udp, "receiving answers", error)),
                },
                made = self.keys.made() => take_keys(made, &mut self.exchanges, &self.shared),
                more = self.commands.recv() => {
                    if more.and_then(|more| more.give_to(&mut self.exchanges)).is_none() {
                        link.part().await;
                        return End::Nobody;
                    }
                },
                () = at(deadline), if deadline.is_some() => {
                    if idle_end.is_some_and(|end| end <= now()) {
                        tokio::spawn(async move { link.part().await });
                        return End::Idle;
                    }
                }
            }
        }
    }
}

/// What an error means for a session or a socket: only messages over it are lost.
fn broken(is_udp: bool, doing: &'static str, error: io::Error) -> Error {
    if is_udp { socket_error(doing, error) } else { Error::of_stream(error) }
}

/// Since when nothing has come back.
struct Silence {
    limit: Duration,
    since: Option<Instant>,
}

impl Silence {
    fn new(timeout: Duration) -> Self {
        Silence { limit: timeout.saturating_mul(WAITS), since: None }
    }

    /// Something was sent.
    fn begin(&mut self, now: Instant) {
        self.since.get_or_insert(now);
    }

    /// Something came.
    fn ends(&mut self) {
        self.since = None;
    }

    fn end(&self) -> Option<Instant> {
        self.since.map(|since| since + self.limit)
    }

    fn is_long(&self, now: Instant) -> bool {
        self.end().is_some_and(|end| end <= now)
    }
}

/// The number of consecutive time-outs without any message.
const WAITS: u32 = 3;
