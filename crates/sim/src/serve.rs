//! Sockets and threads. Each thread has a socket at the wildcard address; the kernel says which address was asked, and the
//! answer leaves from there, so that a few sockets are as many agents as there are addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use trunkline_transport::TransportError;
use trunkline_transport::udp::{
    Datagram, DatagramHandler, Local, ReplyHandle, ReplySlot, ReplyTo, UdpBatch, UdpCounters, UdpDrops,
    UdpOptions, UdpStop,
};

use crate::counts::{Count, Counts};
use crate::delayed::Delayed;
use crate::error::SimError;
use crate::fleet::{Fleet, Port};
use crate::ports::{PortOptions, Ports};
use crate::responder::{Responder, ResponderOptions, Verdict};

/// How a fleet is served.
#[derive(Clone, Debug)]
pub struct ServeOptions {
    /// The port of every agent; 0 lets the kernel choose.
    pub port: u16,
    /// Threads for each address family that the fleet has.
    pub threads: usize,
    /// How messages are answered.
    pub responder: ResponderOptions,
    /// Answers of slow agents that may wait. Default 100,000.
    pub most_delayed: usize,
    /// Octets of receive buffer to request for each socket. Default 64 MiB.
    pub receive_buffer: usize,
    /// Where agents answer beside SNMP.
    pub ports: PortOptions,
}

impl Default for ServeOptions {
    fn default() -> Self {
        Self {
            port: 161,
            threads: 1,
            responder: ResponderOptions::default(),
            most_delayed: 100_000,
            receive_buffer: 64 << 20,
            ports: PortOptions::default(),
        }
    }
}

/// A fleet that answers. Dropping it ends it.
pub struct Running {
    fleet: Arc<Fleet>,
    started: Instant,
    port: u16,
    threads: Vec<JoinHandle<Result<(), TransportError>>>,
    delayer: Option<JoinHandle<()>>,
    delayed: Delayed,
    stops: Vec<UdpStop>,
    drops: Vec<UdpDrops>,
    sockets: Vec<Arc<UdpCounters>>,
    counts: Vec<Arc<Counts>>,
    ports: Option<Ports>,
}

impl std::fmt::Debug for Running {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Running").field("port", &self.port).finish_non_exhaustive()
    }
}

impl Running {
    /// Opens the sockets and starts the threads.
    ///
    /// # Errors
    /// A socket cannot be opened: the port is taken or not allowed.
    pub fn start(fleet: Arc<Fleet>, options: &ServeOptions) -> Result<Self, SimError> {
        let started = Instant::now();
        let mut servers = Vec::new();
        let mut port = options.port;
        for v6 in [false, true] {
            if !fleet.groups().iter().any(|group| group.prefix.is_ipv6() == v6) {
                continue;
            }
            let any: IpAddr = if v6 { Ipv6Addr::UNSPECIFIED.into() } else { Ipv4Addr::UNSPECIFIED.into() };
            for _ in 0..options.threads.max(1) {
                let udp = UdpOptions {
                    receive_buffer: options.receive_buffer,
                    send_buffer: 4 << 20,
                    shared: options.threads > 1,
                    beyond_maximum: true,
                    // Longer ones may have to be fragments.
                    whole: options.responder.max_size <= ResponderOptions::default().max_size,
                };
                let server = UdpBatch::bind(SocketAddr::new(any, port), &udp)?;
                port = server.local_addr().port();
                servers.push(server);
            }
        }
        let of_ports = Arc::new(Counts::default());
        let ports = Ports::start(&fleet, started, &options.ports, &of_ports)?;
        let (delayed, delayer) = Delayed::start(options.most_delayed);
        let mut running = Self {
            fleet,
            started,
            port,
            threads: Vec::new(),
            delayer: Some(delayer),
            delayed,
            stops: Vec::new(),
            drops: Vec::new(),
            sockets: Vec::new(),
            counts: vec![of_ports],
            ports,
        };
        for (at, server) in servers.into_iter().enumerate() {
            running.add(server, at, options.responder);
        }
        Ok(running)
    }

    fn add(&mut self, mut server: UdpBatch, at: usize, responder: ResponderOptions) {
        let counts = Arc::new(Counts::default());
        let entropy = responder.entropy.wrapping_add((at as u64) << 56);
        let options = ResponderOptions { entropy, ..responder };
        let mut handler = Handler {
            responder: Responder::new(Arc::clone(&self.fleet), options, Arc::clone(&counts)),
            counts: Arc::clone(&counts),
            handle: Arc::new(server.reply_handle()),
            delayed: self.delayed.clone(),
            started: self.started,
            now: self.started,
        };
        self.stops.push(server.stopper());
        self.drops.push(server.drops());
        self.sockets.push(server.counters());
        self.counts.push(counts);
        self.threads.push(thread::spawn(move || server.run(&mut handler)));
    }

    /// Where agents answer this beside SNMP, if any do.
    #[must_use]
    pub fn port_of(&self, port: Port) -> Option<u16> {
        self.ports.as_ref()?.port(port)
    }

    /// The fingerprint of the host key that all agents with SSH have, as OpenSSH shows it; none if there are none.
    #[must_use]
    pub fn host_key(&self) -> Option<&str> {
        self.ports.as_ref()?.host_key()
    }

    /// The UDP port of every agent.
    #[must_use]
    pub const fn port(&self) -> u16 {
        self.port
    }

    /// The fleet.
    #[must_use]
    pub fn fleet(&self) -> &Fleet {
        &self.fleet
    }

    /// How long it has been running.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    /// What was counted so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        Counts::sum(self.counts.iter().map(AsRef::as_ref))
    }

    /// Datagrams that the kernel dropped because a socket's buffer was full.
    #[must_use]
    pub fn receive_drops(&self) -> u64 {
        self.drops.iter().filter_map(|socket| socket.read().ok()).map(u64::from).sum()
    }

    /// Answers that the kernel did not take.
    #[must_use]
    pub fn send_errors(&self) -> u64 {
        let errors = self.sockets.iter().map(|socket| {
            let counts = socket.read();
            counts.too_long
                + counts.refused
                + counts.not_permitted
                + counts.no_buffers
                + counts.other_send_errors
        });
        errors.sum()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stops.iter().for_each(UdpStop::stop);
        self.delayed.close();
        for thread in self.threads.drain(..) {
            // A thread ends with an error if its socket is unusable; then there is nothing left to stop.
            let _ = thread.join();
        }
        if let Some(delayer) = self.delayer.take() {
            let _ = delayer.join();
        }
    }
}

/// One thread's part.
struct Handler {
    responder: Responder,
    counts: Arc<Counts>,
    handle: Arc<ReplyHandle>,
    delayed: Delayed,
    started: Instant,
    now: Instant,
}

impl DatagramHandler for Handler {
    fn received(&mut self, _count: usize) {
        self.now = Instant::now();
    }

    fn datagram(&mut self, datagram: Datagram<'_>, reply: &mut ReplySlot) {
        let Some(asked) = datagram.local.address else { return };
        let elapsed = self.now.saturating_duration_since(self.started);
        let verdict = self.responder.respond(datagram.bytes, asked, self.now, elapsed, reply.buffer());
        match verdict {
            Verdict::Silence => {}
            Verdict::Answer(range) => reply.send(range),
            Verdict::Later(range, delay) => {
                let message = &reply.buffer()[range];
                if !self.delayed.push(self.now + delay, datagram.reply_to(), &self.handle, message) {
                    self.counts.add(Count::SlowDropped);
                }
            }
            Verdict::From(range, address) => {
                let local = Local { address: Some(address), ..datagram.local };
                let to = ReplyTo { local, ..datagram.reply_to() };
                // What the kernel refuses is in the socket's counters.
                let _ = self.handle.send(&to, &reply.buffer()[range]);
            }
        }
    }
}
