//! A link of known rate, delay and loss between two network namespaces, one for the agent and one for the manager.
//!
//! ```text
//!   agent's namespace                    this program                    manager's namespace
//!   198.18.0.1, device "link0"  <-->   relay and Shaper, counts,   <-->  198.18.0.2, device "link0"
//!   (and interfaces to show)           capture file
//! ```
//!
//! Each namespace has a TUN device; `relay` carries IP packets from one to the other at the times that the
//! [`shaper`] sets. So every packet is counted once where it is sent and once where it arrives, and its fate
//! depends on a seed.
//!
//! **The delay is what the link adds**: the time that packets take between two programs over the same link at zero
//! delay (some tens of microseconds, see [`Lateness`]) belongs to this machine and is not subtracted. To measure
//! it, set the link to [`LinkSpec::without_delay`].
//!
//! Creating a link takes root's rights over networks, or a user namespace if every user can get such rights there:
//! [`acquire_rights`].

mod capture;
mod counts;
mod relay;
mod rights;
pub mod shaper;
mod spec;
mod sys;

use std::io;
use std::net::Ipv4Addr;
use std::os::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Sender, channel, sync_channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

pub use counts::{Direction, DirectionCounts, Lateness, LinkCounts, Traffic};
pub use rights::{Missing, acquire_rights};
pub use spec::{LinkSpec, Queue, Rate, Share, SpecError};

use super::namespace::{self, Namespace, NamespaceError};
use super::traffic;
use capture::Capture;
use counts::Histogram;
use relay::{Clock, Lane, Relay, Spinners, lock};

/// A running link. Dropping it stops its threads and removes its namespaces; programs started in them should have
/// ended by then.
#[derive(Debug)]
pub struct Link {
    // The order of dropping: first the relays, then the devices with the ends.
    relays: Vec<Relay>,
    _spinners: Option<Spinners>,
    to_agent: Arc<Lane>,
    to_manager: Arc<Lane>,
    capture: Option<Arc<Mutex<Capture>>>,
    capture_path: PathBuf,
    agent: End,
    manager: End,
}

/// Options of a link; [`Link::open`] is enough for most.
#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// Its initial specification.
    pub spec: LinkSpec,
    /// Where to write a capture (pcapng) of the traffic at the manager's end; an existing file is replaced.
    pub capture: Option<PathBuf>,
    /// Whether each direction has a separate relay thread. It makes packets some tenths of a microsecond less
    /// late, and two processors may be busy relaying where one would do: not worth it on a machine with two.
    pub two_threads: bool,
    /// Whether idle processors are kept awake: packets are then less late, and the machine is never idle.
    pub awake: bool,
}

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// This process has no right to create one.
    #[error("{0}")]
    Rights(#[from] Missing),
    /// A namespace could not be created or set up.
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    /// The capture file could not be written.
    #[error("cannot write the capture {}: {source}", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The system's error.
        source: io::Error,
    },
}

impl LinkOptions {
    /// No capture, idle processors kept awake, one relay thread.
    pub fn new(spec: LinkSpec) -> LinkOptions {
        LinkOptions { spec, capture: None, two_threads: false, awake: true }
    }
}

impl Link {
    /// Creates a link. With `capture`, the traffic at the manager's end is written there (pcapng, raw IP,
    /// nanoseconds).
    pub fn open(spec: LinkSpec, capture: Option<&Path>) -> Result<Link, LinkError> {
        Link::open_with(LinkOptions { capture: capture.map(Path::to_owned), ..LinkOptions::new(spec) })
    }

    /// Creates a link.
    pub fn open_with(options: LinkOptions) -> Result<Link, LinkError> {
        let (agent, agents) = End::make(AGENT, MANAGER)?;
        let (manager, managers) = End::make(MANAGER, AGENT)?;
        let capture_path = options.capture.unwrap_or_default();
        let capture = match capture_path.as_os_str().is_empty() {
            true => None,
            false => {
                let created = Capture::create(&capture_path);
                let told = |source| LinkError::Capture { path: capture_path.clone(), source };
                Some(Arc::new(Mutex::new(created.map_err(told)?)))
            }
        };
        let clock = Clock::start();
        let lane =
            |direction, files| Arc::new(Lane::new(direction, files, options.spec, capture.clone(), clock));
        let to_agent = lane(Direction::ToAgent, (&managers, &agents));
        let to_manager = lane(Direction::ToManager, (&agents, &managers));
        let lanes = [Arc::clone(&to_agent), Arc::clone(&to_manager)];
        let threads = match options.two_threads {
            true => lanes.into_iter().map(|lane| Relay::start(vec![lane])).collect(),
            false => Relay::start(lanes.into()).map(|relay| vec![relay]),
        };
        let relays =
            threads.map_err(|source| LinkError::System { what: "cannot start the link's relay", source })?;
        let spinners = options.awake.then(Spinners::start).transpose().map_err(|source| {
            LinkError::System { what: "cannot start what keeps processors awake", source }
        })?;
        Ok(Link { relays, _spinners: spinners, to_agent, to_manager, capture, capture_path, agent, manager })
    }

    /// The agent's end.
    pub fn agent(&self) -> &End {
        &self.agent
    }

    /// The manager's end.
    pub fn manager(&self) -> &End {
        &self.manager
    }

    /// Adds interfaces to the agent's namespace until there are `rows`, including the loopback and the link's
    /// device, and sends seeded traffic through them, none of it over the link: the agent's ifTable then looks as
    /// in a [`Namespace`] with that many rows. Returns how many datagrams were sent. Call it once per link.
    pub fn fill_agent(&mut self, rows: u32, seed: u64) -> Result<u64, NamespaceError> {
        self.agent.namespace.fill(rows, seed)?;
        Ok(self.agent.namespace.datagrams)
    }

    /// Sends at least so many octets at once out of an interface of the agent's namespace that was filled, none of them over the link: a
    /// rate that its agents see. Returns when it began.
    pub fn surge(&self, octets: u32) -> io::Result<Instant> {
        self.agent.run(|| traffic::surge(octets))?
    }

    /// The name of the interface that a [`Link::surge`] leaves by.
    pub fn surging(&self) -> String {
        traffic::surging()
    }

    /// Changes both directions for packets sent from now on, and restarts the draws of losses, jitter and
    /// reordering. Packets under way keep their times.
    pub fn set(&self, spec: LinkSpec) {
        for direction in [Direction::ToAgent, Direction::ToManager] {
            self.set_direction(direction, spec);
        }
    }

    /// As [`Link::set`] for one direction, for asymmetric links.
    pub fn set_direction(&self, direction: Direction, spec: LinkSpec) {
        self.lane(direction).state().shaper.set(spec);
        self.relays.iter().for_each(Relay::wake);
    }

    /// The counts since the link was created. For an interval subtract two readings: `after - before`.
    pub fn counts(&self) -> LinkCounts {
        LinkCounts { to_agent: self.to_agent.state().counts, to_manager: self.to_manager.state().counts }
    }

    /// Whether every TCP connection is over at both ends: closed, or in TIME-WAIT. Then nothing of it follows on the
    /// link.
    pub fn is_closed(&self) -> io::Result<bool> {
        for end in [&self.agent, &self.manager] {
            let tables =
                || ["tcp", "tcp6"].map(|it| std::fs::read_to_string(format!("/proc/thread-self/net/{it}")));
            for table in end.run(tables)? {
                // Without IPv6 there is no second table.
                if table.unwrap_or_default().lines().skip(1).any(is_open) {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// How late the relay was, over both directions.
    pub fn lateness(&self) -> Lateness {
        let mut all = self.to_agent.state().lateness.clone();
        all.merge(&self.to_manager.state().lateness);
        all.summary()
    }

    /// Resets the lateness statistics. (Counts need no reset: subtract two readings.)
    pub fn reset_lateness(&self) {
        for lane in [&self.to_agent, &self.to_manager] {
            lane.state().lateness = Histogram::new();
        }
    }

    /// The processor time of the relay so far, without that of the threads that keep processors awake.
    pub fn cpu(&self) -> io::Result<Duration> {
        let mut sum = 0;
        for relay in &self.relays {
            let path = format!("/proc/self/task/{}/schedstat", relay.id);
            sum += crate::meter::cpu::first_number(&std::fs::read_to_string(path)?)?;
        }
        Ok(Duration::from_nanos(sum))
    }

    /// Waits until the capture file contains every packet so far; fails if some could not be written. Without a
    /// capture it does nothing.
    pub fn flush(&self) -> Result<(), LinkError> {
        let Some(capture) = &self.capture else { return Ok(()) };
        let written = lock(capture).flush();
        let result = written.recv().unwrap_or_else(|_| Err(io::Error::other("its writer has ended")));
        result.map_err(|source| LinkError::Capture { path: self.capture_path.clone(), source })
    }

    fn lane(&self, direction: Direction) -> &Lane {
        match direction {
            Direction::ToAgent => &self.to_agent,
            Direction::ToManager => &self.to_manager,
        }
    }
}

/// Whether a line of the kernel's table is a connection that still sends.
fn is_open(line: &str) -> bool {
    const TIME_WAIT: &str = "06";
    const CLOSE: &str = "07";
    const LISTEN: &str = "0A";
    line.split_whitespace().nth(3).is_some_and(|state| ![TIME_WAIT, CLOSE, LISTEN].contains(&state))
}

/// One end of a link: a network namespace with the link's device in it.
#[derive(Debug)]
pub struct End {
    // Dropped before its namespace.
    resident: Resident,
    namespace: Namespace,
    address: Ipv4Addr,
}

/// The kernel's counts of the link's device at one end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Packets that it sent.
    pub sent_packets: u64,
    /// Their octets, from the IP header on.
    pub sent_octets: u64,
    /// Packets that it dropped because the relay did not read them.
    pub sent_dropped: u64,
    /// Packets that it received.
    pub received_packets: u64,
    /// Their octets.
    pub received_octets: u64,
}

impl End {
    fn make(address: Ipv4Addr, peer: Ipv4Addr) -> Result<(End, Arc<OwnedFd>), LinkError> {
        let namespace = Namespace::empty().map_err(rights::explain)?;
        // Opened and created inside, so that the device is there.
        let made = namespace.run(|| -> io::Result<Result<OwnedFd, LinkError>> {
            let file = match sys::open_tun() {
                Ok(file) => file,
                Err(source) => return Ok(Err(Missing::Tun { source }.into())),
            };
            let made = sys::make_tun(&file, DEVICE).map(|()| file);
            Ok(made.map_err(|source| LinkError::System { what: "cannot make a TUN device", source }))
        });
        let file = made??;
        namespace.configure(&format!(
            "addr add {address} peer {peer} dev {DEVICE}\n\
             link set dev {DEVICE} mtu {MTU} txqueuelen {KERNEL_QUEUE} up\n"
        ))?;
        let resident = Resident::start(&namespace)
            .map_err(|source| LinkError::System { what: "cannot enter the network namespace", source })?;
        Ok((End { resident, namespace, address }, Arc::new(file)))
    }

    /// Its IPv4 address on the link.
    pub fn address(&self) -> Ipv4Addr {
        self.address
    }

    /// The number of its interfaces, including the loopback and the link's device.
    pub fn interfaces(&self) -> io::Result<u32> {
        self.run(super::interfaces_here)?
    }

    /// Moves the calling thread to this end for good; whatever it opens and starts afterwards is there.
    pub fn enter(&self) -> io::Result<()> {
        self.namespace.enter()
    }

    /// Runs `work` here on a separate thread and waits for it; a panic continues in the caller. Sockets opened in
    /// it stay at this end wherever they are used afterwards. Not for starting agents: see [`End::start`].
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let namespace = self.namespace.file()?;
        std::thread::scope(|scope| {
            let inside = || namespace::enter(&namespace).map(|()| work());
            let thread = std::thread::Builder::new().spawn_scoped(scope, inside)?;
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Runs `work` here on the thread that lives as long as the link, and waits for it: for starting child
    /// processes that end with the thread that started them, such as the lab's agents. They end with the link. It
    /// is for short work, done one at a time. A panic continues in the caller.
    pub fn start<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        self.resident.run(work)
    }

    /// The kernel's counts of the link's device.
    pub fn device(&self) -> io::Result<DeviceCounts> {
        let table = self.run(|| std::fs::read_to_string(super::NET_DEV))??;
        let rows = table.lines().filter_map(|line| line.split_once(':'));
        let numbers =
            rows.filter(|(name, _)| name.trim() == DEVICE).flat_map(|(_, row)| row.split_whitespace());
        let numbers: Vec<u64> = numbers.filter_map(|number| number.parse().ok()).collect();
        let [
            received_octets,
            received_packets,
            _,
            _,
            _,
            _,
            _,
            _,
            sent_octets,
            sent_packets,
            _,
            sent_dropped,
            ..,
        ] = numbers[..]
        else {
            return Err(io::Error::other("the kernel shows no counters of the link's device"));
        };
        Ok(DeviceCounts { sent_packets, sent_octets, sent_dropped, received_packets, received_octets })
    }
}

/// A thread in a namespace that runs work until it is dropped.
#[derive(Debug)]
struct Resident {
    work: Option<Sender<Box<dyn FnOnce() + Send>>>,
    thread: Option<JoinHandle<()>>,
}

impl Resident {
    fn start(namespace: &Namespace) -> io::Result<Resident> {
        let namespace = namespace.file()?;
        let (work, todo) = channel::<Box<dyn FnOnce() + Send>>();
        let (tell, told) = sync_channel(1);
        let thread = std::thread::Builder::new().name("link-end".into()).spawn(move || {
            let entered = namespace::enter(&namespace);
            let inside = entered.is_ok();
            let _ = tell.send(entered);
            if inside {
                todo.into_iter().for_each(|work| work());
            }
        })?;
        told.recv().map_err(|_| io::Error::other("the thread ended at once"))??;
        Ok(Resident { work: Some(work), thread: Some(thread) })
    }

    fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        let gone = || io::Error::other("the thread of this end has ended");
        let (tell, told) = sync_channel(1);
        let task = Box::new(move || {
            let result = std::panic::catch_unwind(std::panic::AssertUnwindSafe(work));
            // The caller is waiting.
            let _ = tell.send(result);
        });
        self.work.as_ref().and_then(|to| to.send(task).ok()).ok_or_else(gone)?;
        let result = told.recv().map_err(|_| gone())?;
        Ok(result.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
    }
}

impl Drop for Resident {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The ends' addresses, from the network for benchmarking (RFC 2544 appendix C.2.2).
const AGENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const MANAGER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
/// The name of the device at each end.
const DEVICE: &str = "link0";
/// The MTU of Ethernet.
const MTU: u32 = 1500;
/// How many packets the kernel queues for the relay: enough that only the relay's own queue ever overflows.
const KERNEL_QUEUE: u32 = 100_000;
