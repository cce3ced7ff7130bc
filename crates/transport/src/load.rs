//! A raw load generator: keeps a number of requests outstanding over one UDP socket, in batches, so that it never
//! limits a benchmark.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::time::{Duration, Instant};

use socket2::SockRef;
use trunkline_datagrams::mmsg::{Inbox, Outbox};

use crate::error::TransportError;
use crate::udp::MAX_DATAGRAM;

/// When a load ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Until {
    /// After at least this many answered requests (the last batch counts whole).
    Answered(u64),
    /// After this time.
    Elapsed(Duration),
}

/// A load for one UDP server.
#[derive(Clone, Copy, Debug)]
pub struct UdpLoad {
    /// The server.
    pub target: SocketAddr,
    /// Requests kept outstanding, 1 to 1024.
    pub window: u32,
    /// When to stop.
    pub until: Until,
    /// The time-out of an answer: its request then counts as lost, and its place in the window is used for a new
    /// one.
    pub timeout: Duration,
}

/// The outcome of a load.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LoadReport {
    /// Answers that were accepted.
    pub completed: u64,
    /// Requests without an answer in time.
    pub lost: u64,
    /// Datagrams that failed the check, or answer no outstanding request.
    pub rejected: u64,
    /// UDP payload octets sent.
    pub sent_octets: u64,
    /// UDP payload octets of accepted answers.
    pub received_octets: u64,
    /// From before the first request to after the last answer.
    pub elapsed: Duration,
}

impl LoadReport {
    /// Accepted answers per second.
    #[must_use]
    pub fn rate(&self) -> f64 {
        self.completed as f64 / self.elapsed.as_secs_f64().max(f64::MIN_POSITIVE)
    }
}

impl UdpLoad {
    /// Puts the load on the server; blocks the calling thread until it ends.
    ///
    /// `request` writes the request of the given number into the (empty) buffer; `answered` returns the number of
    /// the request that a datagram answers, or `None` if it is not a valid answer. Numbers are below 2^31 and are
    /// not reused within one run of less than 2^31 requests.
    ///
    /// # Errors
    /// [`TransportError::Connect`] and [`TransportError::Socket`].
    pub fn run(
        &self,
        mut request: impl FnMut(u32, &mut Vec<u8>),
        mut answered: impl FnMut(&[u8]) -> Option<u32>,
    ) -> Result<LoadReport, TransportError> {
        let window = self.window.clamp(1, 1024);
        let socket = connected(self.target, self.timeout).map_err(|source| TransportError::Connect {
            kind: "udp",
            address: self.target,
            source,
        })?;
        let mut state = Window::new(window, self.timeout);
        let no_memory = |source| TransportError::Socket { doing: "preparing to receive", source };
        let mut inbox = Inbox::new(window.min(64) as usize, MAX_DATAGRAM, false).map_err(no_memory)?;
        let mut outbox = Outbox::new(window as usize);
        let start = Instant::now();
        let mut now = start;
        while !self.done(&state.report, now - start) {
            state.send_free(&socket, &mut outbox, &mut request, now);
            let received = inbox.receive(socket.as_fd());
            now = Instant::now();
            match received {
                Ok(count) => (0..count).for_each(|i| state.accept(inbox.bytes(i), &mut answered)),
                Err(error) if transient(&error) => {}
                Err(source) => return Err(TransportError::Socket { doing: "receiving answers", source }),
            }
            state.expire(now);
        }
        state.report.elapsed = start.elapsed();
        Ok(state.report)
    }

    fn done(&self, report: &LoadReport, elapsed: Duration) -> bool {
        match self.until {
            Until::Answered(count) => report.completed >= count,
            Until::Elapsed(time) => elapsed >= time,
        }
    }
}

/// The places of the window. Request number `n` uses place `n % window`, so a place is found without a search and
/// a late answer no longer matches it.
struct Window {
    places: Vec<Place>,
    free: Vec<u32>,
    timeout: Duration,
    next_scan: Option<Instant>,
    report: LoadReport,
}

struct Place {
    number: u32,
    sent: Option<Instant>,
    message: Vec<u8>,
}

impl Window {
    fn new(window: u32, timeout: Duration) -> Self {
        Self {
            places: (0..window).map(|number| Place { number, sent: None, message: Vec::new() }).collect(),
            free: (0..window).collect(),
            timeout,
            next_scan: None,
            report: LoadReport::default(),
        }
    }

    fn send_free(
        &mut self,
        socket: &UdpSocket,
        outbox: &mut Outbox,
        request: &mut impl FnMut(u32, &mut Vec<u8>),
        now: Instant,
    ) {
        for &place in &self.free {
            let place = &mut self.places[place as usize];
            place.message.clear();
            request(place.number, &mut place.message);
            place.sent = Some(now);
        }
        let messages = self.free.iter().map(|&p| (0, self.places[p as usize].message.as_slice()));
        // A refused request is counted as lost when its time is over.
        let (_, octets) = outbox.send(socket.as_fd(), None, messages, |_refused| {});
        self.report.sent_octets += octets;
        self.free.clear();
    }

    fn accept(&mut self, bytes: &[u8], answered: &mut impl FnMut(&[u8]) -> Option<u32>) {
        let window = self.places.len() as u32;
        let found = answered(bytes).and_then(|number| {
            let at = number % window;
            let place = &mut self.places[at as usize];
            (place.number == number && place.sent.is_some()).then_some((at, place))
        });
        let Some((at, place)) = found else {
            self.report.rejected += 1;
            return;
        };
        place.vacate(window);
        self.free.push(at);
        self.report.completed += 1;
        self.report.received_octets += bytes.len() as u64;
    }

    /// Frees the places whose time is over; checks at most twice per time-out.
    fn expire(&mut self, now: Instant) {
        let due = *self.next_scan.get_or_insert(now + self.timeout / 2);
        if now < due {
            return;
        }
        self.next_scan = Some(now + self.timeout / 2);
        let window = self.places.len() as u32;
        for (at, place) in self.places.iter_mut().enumerate() {
            if place.sent.is_some_and(|sent| now.duration_since(sent) >= self.timeout) {
                place.vacate(window);
                self.free.push(at as u32);
                self.report.lost += 1;
            }
        }
    }
}

impl Place {
    const fn vacate(&mut self, window: u32) {
        self.sent = None;
        let next = self.number + window;
        self.number = if next <= i32::MAX as u32 { next } else { self.number % window };
    }
}

fn connected(target: SocketAddr, timeout: Duration) -> io::Result<UdpSocket> {
    let any: SocketAddr = match target {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any)?;
    socket.connect(target)?;
    // Half a time-out, so that a silent server is noticed in time.
    socket.set_read_timeout(Some((timeout / 2).max(Duration::from_millis(1))))?;
    let _ = SockRef::from(&socket).set_recv_buffer_size(4 << 20);
    Ok(socket)
}

/// Nothing arrived in time, or the server's port was closed for a moment.
fn transient(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionRefused, Interrupted, TimedOut, WouldBlock};
    matches!(error.kind(), Interrupted | WouldBlock | TimedOut | ConnectionRefused)
}
