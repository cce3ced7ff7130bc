//! The server socket: receive a batch, let the handler answer, send the batch.
//!
//! Under load that is two system calls for up to [`BATCH`] requests, and nothing more: the thread sleeps inside
//! `recvmmsg` itself, without `poll` or a time-out, so an idle server uses no CPU. It is woken to stop by shutting
//! the socket down for reading, which makes `recvmmsg` return.

use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::ops::Range;
use std::os::fd::AsFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use socket2::{Domain, Protocol, SockRef, Socket, Type};
use trunkline_datagrams::mmsg::{self, Inbox, Outbox};

use super::counters::UdpCounters;
use super::reply::{Datagram, ReplyHandle, ReplySlot};
use crate::error::TransportError;

/// After this many octets of answers they are sent before the next ones are made, so that their receivers can
/// continue. Short answers are collected, since a system call costs more than they do.
const PART: usize = 4096;

/// Maximum number of datagrams received by one system call.
pub const BATCH: usize = 64;

/// Octets of a receive slot; no UDP payload is longer (65,507 over IPv4, 65,527
/// over IPv6 without jumbograms).
pub const MAX_DATAGRAM: usize = 65_535;

/// Options of a UDP server socket.
#[derive(Clone, Copy, Debug)]
pub struct UdpOptions {
    /// Octets of receive buffer to request from the kernel; it uses its own maximum (`net.core.rmem_max`) if that
    /// is smaller. Default 4 MiB.
    pub receive_buffer: usize,
    /// Octets of send buffer to request. Default 1 MiB.
    pub send_buffer: usize,
    /// Whether several sockets share the address, each with a thread (`SO_REUSEPORT`): the kernel divides the
    /// peers among them. Default false.
    pub shared: bool,
    /// Whether buffers may be larger than the kernel's maximum, where we have CAP_NET_ADMIN. Default false.
    pub beyond_maximum: bool,
    /// As [`super::UdpClientOptions::whole`]. Default false.
    pub whole: bool,
}

impl Default for UdpOptions {
    fn default() -> Self {
        Self {
            receive_buffer: 4 << 20,
            send_buffer: 1 << 20,
            shared: false,
            beyond_maximum: false,
            whole: false,
        }
    }
}

/// Answers datagrams. A closure `FnMut(Datagram<'_>, &mut ReplySlot)` is one; the other methods mark the phases of
/// a batch, for handlers that read the clock once per batch or time the phases, and do nothing by default.
pub trait DatagramHandler {
    /// A batch of `count` datagrams has been received.
    fn received(&mut self, count: usize) {
        let _ = count;
    }
    /// Answers one datagram by writing to `reply`, or stays silent.
    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot);
    /// All datagrams of the batch are handled; the answers are sent now.
    fn handled(&mut self) {}
    /// The answers of the batch were passed to the kernel.
    fn sent(&mut self) {}
}

impl<F: FnMut(Datagram<'_>, &mut ReplySlot)> DatagramHandler for F {
    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot) {
        self(datagram, reply);
    }
}

/// Ends [`UdpBatch::run`] from another thread.
#[derive(Clone, Debug)]
pub struct UdpStop {
    socket: Arc<UdpSocket>,
    stopped: Arc<AtomicBool>,
}

impl UdpStop {
    /// Makes the receiving thread return, after its current batch. The socket receives nothing from then on. May
    /// be called more than once.
    pub fn stop(&self) {
        self.stopped.store(true, Ordering::Release);
        // Linux returns ENOTCONN for an unconnected socket, but wakes the receiver.
        let _ = SockRef::from(&*self.socket).shutdown(std::net::Shutdown::Read);
    }
}

/// Reads how many datagrams a socket has lost, from any thread.
#[derive(Clone, Debug)]
pub struct UdpDrops {
    socket: Arc<UdpSocket>,
}

impl UdpDrops {
    /// How many datagrams the kernel has dropped because the receive buffer was full.
    ///
    /// # Errors
    /// The kernel does not say (before Linux 4.12).
    pub fn read(&self) -> io::Result<u32> {
        mmsg::dropped(self.socket.as_fd())
    }
}

/// A UDP server socket that receives and answers in batches, for one thread.
pub struct UdpBatch {
    socket: Arc<UdpSocket>,
    address: SocketAddr,
    stopped: Arc<AtomicBool>,
    counters: Arc<UdpCounters>,
    inbox: Inbox,
    outbox: Outbox,
    replies: Vec<ReplySlot>,
    whole: bool,
}

impl UdpBatch {
    /// Binds to `address`; port 0 lets the kernel choose. For a wildcard address the kernel reports the local
    /// address of each datagram, so that the answer has that source address (RFC 3417 section 3); for a specific
    /// one that is not needed. An IPv6 socket accepts IPv6 only: both wildcards can be bound to one port.
    ///
    /// # Errors
    /// [`TransportError::Bind`] if the address is in use, not ours or forbidden.
    pub fn bind(address: SocketAddr, options: &UdpOptions) -> Result<Self, TransportError> {
        let failed = |source| TransportError::Bind { kind: "udp", address, source };
        let socket = bound(address, options).map_err(failed)?;
        let local = socket.local_addr().map_err(failed)?;
        let wildcard = address.ip().is_unspecified();
        // Where it cannot be had, nothing else is different.
        let whole = options.whole && address.is_ipv4() && mmsg::send_whole(socket.as_fd(), true).is_ok();
        Ok(Self {
            socket: Arc::new(socket),
            address: local,
            stopped: Arc::default(),
            counters: Arc::default(),
            inbox: Inbox::new(BATCH, MAX_DATAGRAM, wildcard).map_err(failed)?,
            outbox: Outbox::new(BATCH),
            replies: (0..BATCH).map(|_| ReplySlot::default()).collect(),
            whole,
        })
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.address
    }

    /// The socket's counters, shared with it.
    #[must_use]
    pub fn counters(&self) -> Arc<UdpCounters> {
        Arc::clone(&self.counters)
    }

    /// The bare socket and its stop flag, for the echo server.
    pub(crate) fn into_socket(self) -> (Arc<UdpSocket>, Arc<AtomicBool>) {
        (self.socket, self.stopped)
    }

    /// Stops [`UdpBatch::run`].
    #[must_use]
    pub fn stopper(&self) -> UdpStop {
        UdpStop { socket: Arc::clone(&self.socket), stopped: Arc::clone(&self.stopped) }
    }

    /// Reads what the socket has lost.
    #[must_use]
    pub fn drops(&self) -> UdpDrops {
        UdpDrops { socket: Arc::clone(&self.socket) }
    }

    /// Sends later answers from other threads.
    #[must_use]
    pub fn reply_handle(&self) -> ReplyHandle {
        ReplyHandle { socket: Arc::clone(&self.socket), counters: Arc::clone(&self.counters) }
    }

    /// Receives and answers until stopped. Errors of single datagrams are counted and the rest continues; if the
    /// handler panics, its datagram gets no answer and the panic is counted.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if the socket itself is unusable.
    pub fn run(&mut self, handler: &mut impl DatagramHandler) -> Result<(), TransportError> {
        let mut failures = 0;
        while !self.stopped.load(Ordering::Acquire) {
            match self.inbox.receive(self.socket.as_fd()) {
                Ok(count) => {
                    failures = 0;
                    self.answer(count, handler);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => {
                    self.counters.receive_failed();
                    failures += 1;
                    self.after_failure(error, failures)?;
                }
            }
        }
        Ok(())
    }

    /// Reading an error queued on the socket (a network went down, memory is short) clears it; one that stays must
    /// neither spin nor end the server.
    fn after_failure(&self, error: io::Error, in_a_row: u32) -> Result<(), TransportError> {
        if matches!(error.raw_os_error(), Some(libc::EBADF | libc::ENOTSOCK | libc::EINVAL | libc::EFAULT)) {
            return Err(TransportError::Socket { doing: "receiving datagrams", source: error });
        }
        if in_a_row > 8 {
            std::thread::sleep(Duration::from_millis(10));
        }
        Ok(())
    }

    fn answer(&mut self, count: usize, handler: &mut impl DatagramHandler) {
        handler.received(count);
        let (mut taken, mut octets, mut unsent, mut waiting) = (0, 0, 0, 0);
        for i in 0..count {
            let reply = &mut self.replies[i];
            reply.cancel();
            let Some(peer) = self.inbox.peer(i) else { continue };
            let datagram = Datagram { bytes: self.inbox.bytes(i), peer, local: self.inbox.local(i) };
            taken += 1;
            octets += datagram.bytes.len() as u64;
            if self.inbox.truncated(i) {
                self.counters.truncated();
                continue;
            }
            if catch_unwind(AssertUnwindSafe(|| handler.datagram(datagram, reply))).is_err() {
                self.counters.panicked();
                reply.cancel();
            }
            waiting += reply.message().map_or(0, <[u8]>::len);
            if waiting >= PART {
                handler.handled();
                self.send(unsent..i + 1);
                (unsent, waiting) = (i + 1, 0);
            }
        }
        self.counters.received(taken, octets);
        handler.handled();
        self.send(unsent..count);
        handler.sent();
    }

    fn send(&mut self, part: Range<usize>) {
        let replies = self.replies[part.clone()].iter().zip(part);
        let messages = replies.filter_map(|(reply, i)| Some((i, reply.message()?)));
        let mut too_long = false;
        let refused = |error| {
            too_long |= mmsg::is_too_long(&error);
            self.counters.refused(&error);
        };
        let (sent, octets) = self.outbox.send(self.socket.as_fd(), Some(&mut self.inbox), messages, refused);
        if too_long && self.whole {
            self.whole = mmsg::send_whole(self.socket.as_fd(), false).is_err();
        }
        self.counters.sent(sent as u64, octets);
    }
}

fn bound(address: SocketAddr, options: &UdpOptions) -> io::Result<UdpSocket> {
    let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
    if address.is_ipv6() {
        socket.set_only_v6(true)?;
    }
    if address.ip().is_unspecified() {
        mmsg::ask_local(socket.as_fd(), address.is_ipv6())?;
    }
    if options.shared {
        socket.set_reuse_port(true)?;
    }
    make_room(&socket, [options.receive_buffer, options.send_buffer], options.beyond_maximum);
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// Requests buffers to receive and to send. The kernel caps both at its maximum without an error, unless we may go
/// beyond it; smaller buffers only drop earlier.
pub(super) fn make_room(socket: &Socket, [receive, send]: [usize; 2], beyond_maximum: bool) {
    if !beyond_maximum || mmsg::force_receive_buffer(socket.as_fd(), receive).is_err() {
        let _ = socket.set_recv_buffer_size(receive);
    }
    if !beyond_maximum || mmsg::force_send_buffer(socket.as_fd(), send).is_err() {
        let _ = socket.set_send_buffer_size(send);
    }
}
