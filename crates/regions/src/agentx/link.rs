//! One connection between a master and a subagent, for both ends: our requests that wait for their responses, and octets that wait for the kernel.

use std::collections::{HashMap, VecDeque};
use std::io;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use tokio::sync::{Notify, oneshot};
use trunkline_agentx::wire::{Packet, encode};
use trunkline_local::PlainStream;
use trunkline_smi::VarBind;

use crate::hold_off::Pause;

/// The connection. What it holds for a peer that does not read is bounded.
pub struct Link {
    stream: PlainStream,
    /// Octets that the kernel has not taken yet.
    waiting: Mutex<Vec<u8>>,
    more: Notify,
    requests: Mutex<Requests>,
    packets: AtomicU32,
    /// A peer that did not answer in time is left alone for a while, with all its sessions.
    pause: Mutex<Pause>,
}

#[derive(Default)]
struct Requests {
    open: HashMap<u32, oneshot::Sender<Outcome>>,
    /// Requests that nobody waits for any more: their responses may still come, and are not wrong.
    given_up: VecDeque<u32>,
    is_closed: bool,
}

/// A response, or why it cannot be read.
pub type Outcome = Result<Answer, String>;

/// What a Response says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// 0, or an error status.
    pub error: u16,
    /// The binding at fault, from 1.
    pub index: u16,
    /// What was found.
    pub bindings: Vec<VarBind>,
}

/// A request that waits for its response. Dropping it gives it up.
pub struct Waiting<'l> {
    link: &'l Link,
    packet: u32,
    response: oneshot::Receiver<Outcome>,
}

/// Why a packet was not sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unsent {
    /// Nothing is sent any more.
    #[error("the connection has ended")]
    Closed,
    /// Too much waits for the peer.
    #[error("it does not read what was sent to it before")]
    Full,
    /// It is larger than packets may be.
    #[error("the packet would be too long")]
    TooLong,
}

impl Link {
    /// On a stream that was just connected.
    pub fn new(stream: PlainStream) -> Self {
        let (waiting, more, requests, pause) = Default::default();
        Link { stream, waiting, more, requests, packets: AtomicU32::new(1), pause }
    }

    /// Appends what the peer sends; 0 at the end.
    pub async fn read(&self, into: &mut Vec<u8>) -> io::Result<usize> {
        self.stream.read(into).await
    }

    /// Sends a packet, or puts it behind those that wait.
    pub fn send(&self, packet: &Packet) -> Result<(), Unsent> {
        if self.requests().is_closed {
            return Err(Unsent::Closed);
        }
        let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
        let before = waiting.len();
        if before > MOST_WAITING {
            return Err(Unsent::Full);
        }
        if encode(packet, &mut waiting).is_err() {
            waiting.truncate(before);
            return Err(Unsent::TooLong);
        }
        if before == 0 {
            // An error is seen by whoever reads.
            let written = self.stream.write_now(&waiting).unwrap_or(0);
            waiting.drain(..written);
        }
        if !waiting.is_empty() {
            self.more.notify_one();
        }
        Ok(())
    }

    /// Sends a request; its number is set here.
    pub fn request(&self, mut packet: Packet) -> Result<Waiting<'_>, Unsent> {
        let number = self.packets.fetch_add(1, Ordering::Relaxed);
        packet.packet = number;
        let (answer, response) = oneshot::channel();
        self.requests().open.insert(number, answer);
        let waiting = Waiting { link: self, packet: number, response };
        self.send(&packet)?;
        Ok(waiting)
    }

    /// Accepts a response, or why it cannot be read. `false`: nobody has made that request.
    pub fn respond(&self, packet: u32, outcome: Outcome) -> bool {
        // Net-SNMP's library answers each CleanupSet so, which needs no answer.
        if packet == 0 {
            return true;
        }
        let mut requests = self.requests();
        if let Some(waits) = requests.open.remove(&packet) {
            // It lives: what it missed before does not count any more.
            *self.pause() = Pause::default();
            // Whoever drops the request in this moment does not want the response.
            let _ = waits.send(outcome);
            return true;
        }
        let given_up = requests.given_up.iter().position(|known| *known == packet);
        given_up.is_some_and(|at| requests.given_up.remove(at).is_some())
    }

    /// Writes what waits for the kernel, for as long as the connection lasts.
    pub async fn flush(&self) -> io::Result<()> {
        loop {
            self.more.notified().await;
            loop {
                self.stream.writable().await?;
                let mut waiting = self.waiting.lock().unwrap_or_else(PoisonError::into_inner);
                let written = self.stream.write_now(&waiting)?;
                waiting.drain(..written);
                if waiting.is_empty() {
                    waiting.shrink_to(KEPT);
                    break;
                }
            }
        }
    }

    /// Whether the peer is left alone now, since it was late.
    pub(super) fn is_paused(&self, now: Instant) -> bool {
        self.pause().is_on(now)
    }

    /// The peer did not answer in time.
    pub(super) fn was_late(&self, now: Instant) {
        let mut pause = self.pause();
        if !pause.is_on(now) {
            pause.prolong(now);
        }
    }

    fn pause(&self) -> MutexGuard<'_, Pause> {
        self.pause.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The connection has ended: so have all requests.
    pub fn close(&self) {
        let mut requests = self.requests();
        requests.is_closed = true;
        requests.open.clear();
    }

    fn requests(&self) -> MutexGuard<'_, Requests> {
        self.requests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Waiting<'_> {
    /// The response; `None` if the connection has ended.
    pub async fn response(&mut self) -> Option<Outcome> {
        (&mut self.response).await.ok()
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let mut requests = self.link.requests();
        if requests.open.remove(&self.packet).is_some() {
            if requests.given_up.len() >= MOST_GIVEN_UP {
                requests.given_up.pop_front();
            }
            requests.given_up.push_back(self.packet);
        }
    }
}

/// Octets that wait for the peer, at most: after them nothing is sent until it reads.
const MOST_WAITING: usize = 256 * 1024;

/// Octets that are kept for the next ones.
const KEPT: usize = 4096;

/// Responses that may come late.
const MOST_GIVEN_UP: usize = 256;
