//! A thread's part of the agents: one socket, whose turns are: give up what is over, send what is due, take what has arrived.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use trunkline_transport::udp::{BATCH, UdpClient, UdpClientOptions};

use crate::error::PollError;
use crate::protocol::Protocol;
use crate::requests::{Counts, RoundsOptions};
use crate::rounds::Rounds;
use crate::sample::Sink;
use crate::schedule::Schedule;

/// How a shard uses its socket.
#[derive(Clone, Copy, Debug)]
pub struct ShardOptions {
    /// How many requests may be outstanding, and for how long.
    pub rounds: RoundsOptions,
    /// How long requests that are due may wait for others, to be sent in one system call: the price of fewer calls is that
    /// requests are late by half of it. Zero sends each at once.
    pub gather: Duration,
    /// Whether the kernel's time of arrival is when an answer was received, in place of the moment when this thread
    /// saw it: then the thread sleeps between two turns, and does not wake for each answer.
    pub kernel_stamps: bool,
}

/// How a run ended.
#[derive(Debug)]
pub struct Ended<P, S> {
    /// What happened.
    pub counts: Counts,
    /// Requests that the kernel refused; they are lost, too.
    pub refused: u64,
    /// Answers that the kernel dropped because the receive buffer was full; they are lost, too. `None` if it does not say.
    pub dropped: Option<u32>,
    /// The sink.
    pub sink: S,
    /// The protocol, with what it has learned of the agents, for another run.
    pub protocol: P,
}

/// Agents, a socket and a schedule.
#[derive(Debug)]
pub struct Shard<P, S> {
    socket: UdpClient,
    rounds: Rounds<P, S>,
    options: ShardOptions,
    buffers: Vec<Vec<u8>>,
    peers: Vec<SocketAddr>,
    refused: u64,
}

impl<P: Protocol, S: Sink> Shard<P, S> {
    /// Opens the socket.
    ///
    /// # Errors
    /// No agents, agents of both address families, too many places, or the system has no socket.
    pub fn open(
        schedule: Schedule,
        peers: Vec<SocketAddr>,
        options: ShardOptions,
        protocol: P,
        sink: S,
    ) -> Result<Self, PollError> {
        let v6 = peers.first().ok_or(PollError::NoAgents)?.is_ipv6();
        if peers.iter().any(|peer| peer.is_ipv6() != v6) {
            return Err(PollError::Families);
        }
        let stamps = options.kernel_stamps;
        let udp =
            UdpClientOptions { receive_buffer: 64 << 20, stamps, whole: true, ..UdpClientOptions::default() };
        let rounds = Rounds::new(schedule, peers, options.rounds, protocol, sink)?;
        let socket = UdpClient::open(v6, &udp)?;
        let buffers = (0..BATCH).map(|_| Vec::new()).collect();
        Ok(Self { socket, rounds, options, buffers, peers: Vec::with_capacity(BATCH), refused: 0 })
    }

    /// Asks until all rounds are over, or until `stop`: then what is outstanding has no sample. Moments are since `start`,
    /// which several shards share; it may lie a little ahead.
    ///
    /// # Errors
    /// The socket is unusable.
    pub fn run(mut self, start: Instant, stop: &AtomicBool) -> Result<Ended<P, S>, PollError> {
        std::thread::sleep(start.saturating_duration_since(Instant::now()));
        let mut not_before = Duration::ZERO;
        while !self.rounds.is_done() && !stop.load(Ordering::Relaxed) {
            let now = start.elapsed();
            self.rounds.expire(now);
            let mut was_busy = false;
            if now >= not_before {
                let sent = self.send(now);
                not_before = if sent == 0 { Duration::ZERO } else { now + self.options.gather };
                // A full batch: more may be due.
                if sent == BATCH {
                    not_before = Duration::ZERO;
                    was_busy = true;
                }
            }
            was_busy |= self.receive(start)? == BATCH;
            if !was_busy {
                self.rest(start, not_before)?;
            }
        }
        let (counts, refused) = (*self.rounds.counts(), self.refused);
        let dropped = self.socket.dropped().ok();
        let (sink, protocol) = self.rounds.into_parts();
        Ok(Ended { counts, refused, dropped, sink, protocol })
    }

    /// Sends what is due, up to a batch.
    fn send(&mut self, now: Duration) -> usize {
        self.peers.clear();
        for buffer in &mut self.buffers {
            buffer.clear();
            let Some(peer) = self.rounds.request(now, buffer) else { break };
            self.peers.push(peer);
        }
        if !self.peers.is_empty() {
            let messages = self.peers.iter().copied().zip(self.buffers.iter().map(Vec::as_slice));
            self.socket.send(messages, |_| self.refused += 1);
        }
        self.peers.len()
    }

    /// Takes what has arrived, up to a batch.
    fn receive(&mut self, start: Instant) -> Result<usize, PollError> {
        let count = match self.socket.receive() {
            Ok(count) => count,
            // A peer's port was closed for a moment: reading the error clears it.
            Err(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => 0,
            Err(error) => return Err(error.into()),
        };
        if count == 0 {
            return Ok(0);
        }
        let now = start.elapsed();
        let clock =
            if self.options.kernel_stamps { SystemTime::now().duration_since(UNIX_EPOCH).ok() } else { None };
        let mut again = Vec::new();
        for arrived in self.socket.arrived() {
            // How long ago, on the clock that has the stamp.
            let ago =
                clock.zip(arrived.stamp).map_or(Duration::ZERO, |(clock, stamp)| clock.saturating_sub(stamp));
            let mut octets = Vec::new();
            if self.rounds.received(arrived.bytes, arrived.peer, now.saturating_sub(ago))
                && let Some(peer) = self.rounds.request(now, &mut octets)
            {
                again.push((peer, octets));
            }
        }
        if !again.is_empty() {
            let messages = again.iter().map(|(peer, octets)| (*peer, octets.as_slice()));
            self.socket.send(messages, |_| self.refused += 1);
        }
        Ok(count)
    }

    /// Waits until something is to be done, or something arrives.
    fn rest(&self, start: Instant, not_before: Duration) -> Result<(), PollError> {
        let due = self.rounds.next_due().map(|due| due.max(not_before));
        let next = match (due, self.rounds.next()) {
            (Some(due), Some(next)) if next >= not_before => due.min(next),
            (Some(due), _) => due,
            (None, next) => next.unwrap_or_default(),
        };
        let left = next.saturating_sub(start.elapsed()).min(LONGEST_REST);
        if left.is_zero() {
            return Ok(());
        }
        // With stamps nothing is lost by sleeping a little, and then many answers are taken at once.
        if self.options.kernel_stamps && left <= SHORT_REST {
            std::thread::sleep(left);
            return Ok(());
        }
        Ok(self.socket.wait(left)?)
    }
}

/// After this time it is looked whether to stop.
const LONGEST_REST: Duration = Duration::from_millis(100);
/// So long an answer may lie in the receive buffer.
const SHORT_REST: Duration = Duration::from_millis(2);
