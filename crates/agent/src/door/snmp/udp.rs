//! SNMP over UDP (RFC 3417): one thread per socket answers whole batches; requests that must wait are handed to
//! the runtime and answered from there.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Instant;

use tokio::runtime::Handle;
use tokio::sync::Semaphore;
use trunkline_snmp::engine::OwnedRequest;
use trunkline_transport::TransportError;
use trunkline_transport::udp::{
    Datagram, DatagramHandler, ReplyHandle, ReplySlot, UdpBatch, UdpCounters, UdpOptions, UdpStop,
};

use super::dispatcher::{Outcome, Worker};
use super::later::Answer;
use super::probe::{Phase, Probe};
use super::{Door, Sender, Settings};

/// How many requests of one socket may wait for loads at the same time; more are dropped, as by a full socket
/// buffer, and the manager repeats them.
const MAX_LOADS: usize = 1024;

/// How many sets of one socket may wait at the same time: few enough that a flood of them does not affect reads.
const MAX_SETS: usize = 256;

/// A UDP socket that is being served.
pub struct UdpListener {
    /// The bound address with its real port.
    pub address: SocketAddr,
    /// What the socket saw.
    pub counters: Arc<UdpCounters>,
    /// Requests dropped because too many were waiting for loads and sets already.
    pub crowded_out: Arc<AtomicU64>,
    /// Places to wait in.
    loads: Arc<Semaphore>,
    sets: Arc<Semaphore>,
    stop: UdpStop,
    thread: Option<JoinHandle<()>>,
}

impl UdpListener {
    /// Accepts nothing more, and waits until outstanding requests are answered.
    pub async fn finish(&mut self) {
        self.end();
        // Every place is free when nothing waits any more; the semaphores are never closed.
        let _ = self.loads.acquire_many(MAX_LOADS as u32).await;
        let _ = self.sets.acquire_many(MAX_SETS as u32).await;
    }

    /// Ends the thread after the batch it is busy with.
    fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// Binds; what arrives waits in the kernel until it is served.
///
/// # Errors
/// The address.
pub fn bind_udp(address: SocketAddr) -> Result<UdpBatch, TransportError> {
    UdpBatch::bind(address, &UdpOptions::default())
}

/// Begins to serve.
///
/// # Errors
/// No thread can be started.
pub fn serve_udp<P: Probe>(
    door: Arc<Door>,
    mut socket: UdpBatch,
    runtime: Handle,
) -> Result<UdpListener, TransportError> {
    let (address, stop) = (socket.local_addr(), socket.stopper());
    let (counters, crowded_out) = (socket.counters(), Arc::new(AtomicU64::new(0)));
    let (loads, sets) = (Arc::new(Semaphore::new(MAX_LOADS)), Arc::new(Semaphore::new(MAX_SETS)));
    let mut handler = Handler::<P> {
        settings: None,
        door,
        address: address.ip(),
        worker: Worker::default(),
        arrived: Instant::now(),
        replies: socket.reply_handle(),
        loads: loads.clone(),
        sets: sets.clone(),
        crowded_out: crowded_out.clone(),
        runtime,
    };
    let serve = move || {
        if let Err(error) = socket.run(&mut handler) {
            tracing::error!(%address, %error, "a UDP listener has ended");
        }
    };
    let thread = std::thread::Builder::new()
        .name("udp".into())
        .stack_size(256 * 1024)
        .spawn(serve)
        .map_err(|source| TransportError::Socket { doing: "starting a thread for UDP", source })?;
    Ok(UdpListener { address, counters, crowded_out, loads, sets, stop, thread: Some(thread) })
}

impl Drop for UdpListener {
    fn drop(&mut self) {
        self.end();
    }
}

struct Handler<P: Probe> {
    door: Arc<Door>,
    /// Where the socket is bound.
    address: IpAddr,
    /// For the current batch. Between batches none is held: what a reload has removed must be able to end.
    settings: Option<Settings>,
    worker: Worker<P>,
    /// The clock is read once for a batch.
    arrived: Instant,
    replies: ReplyHandle,
    /// Places to wait in.
    loads: Arc<Semaphore>,
    sets: Arc<Semaphore>,
    crowded_out: Arc<AtomicU64>,
    runtime: Handle,
}

impl<P: Probe> DatagramHandler for Handler<P> {
    fn received(&mut self, _count: usize) {
        self.arrived = Instant::now();
        self.settings = Some(self.door.settings());
    }

    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot) {
        let Some(settings) = &self.settings else { return };
        // Without an address of its own it came to the one that is bound, or to a group of multicast.
        let asked = datagram.local.address.unwrap_or(self.address);
        let outcome = self.door.answer_now(
            settings,
            &mut self.worker,
            datagram.bytes,
            Sender::of_datagram(datagram.peer, asked),
            self.arrived,
            reply.buffer(),
        );
        match outcome {
            Outcome::Reply(message) => reply.send(message),
            Outcome::Silent => {}
            Outcome::Load(request) => self.later(&datagram, request, &self.loads),
            Outcome::Set(request) => self.later(&datagram, request, &self.sets),
        }
        self.worker.probe.finish();
    }

    fn handled(&mut self) {
        self.worker.probe.begin(Phase::Send);
    }

    fn sent(&mut self) {
        self.worker.rest();
        self.settings = None;
        self.worker.probe.begin(Phase::Receive);
    }
}

impl<P: Probe> Handler<P> {
    fn later(&self, datagram: &Datagram<'_>, request: Box<OwnedRequest>, places: &Arc<Semaphore>) {
        let Ok(place) = places.clone().try_acquire_owned() else {
            self.crowded_out.fetch_add(1, Ordering::Relaxed);
            tracing::debug!(peer = %datagram.peer, "dropped: too many requests are waiting already");
            return;
        };
        let (door, replies, arrived) = (self.door.clone(), self.replies.clone(), self.arrived);
        let to = datagram.reply_to();
        self.runtime.spawn(async move {
            if let Answer::Message(answer) = door.respond(&request, arrived).await
                && let Err(error) = replies.send(&to, &answer)
            {
                tracing::debug!(peer = %to.peer, %error, "an answer could not be sent");
            }
            drop(place);
        });
    }
}
