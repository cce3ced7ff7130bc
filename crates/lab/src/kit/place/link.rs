//! A link of known rate, delay and loss between two network namespaces, one for the agent and one for the manager.
//!
//! ```text
//!   agent's namespace                    this program                    manager's namespace
//!   198.18.0.1, device "link0"  <-->   relay and Shaper, counts,   <-->  198.18.0.2, device "link0"
//!   (and interfaces to show)           capture file
//! ```
//!
//! Each namespace has a TUN device; `relay` carries IP packets from one to the other when the [`shaper`] says. So every
//! packet is counted once where it is sent and once where it arrives, and what happens to it depends on a seed.
//!
//! **The delay is what the link adds**: what packets take between two programs on the same link when its delay is zero
//! (some tens of microseconds, see [`Lateness`]) is this machine's and is not subtracted. Who wants to know it sets the
//! link to [`LinkSpec::without_delay`] and measures.
//!
//! Making a link takes root's rights over networks, or a user namespace where such rights are to be had by everybody:
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
use std::time::Duration;

pub use counts::{Direction, DirectionCounts, Lateness, LinkCounts, Traffic};
pub use rights::{Missing, acquire_rights};
pub use spec::{LinkSpec, Queue, Rate, Share, SpecError};

use super::namespace::{self, Namespace, NamespaceError};
use capture::Capture;
use counts::Histogram;
use relay::{Clock, Lane, Relay, Spinners, lock};

/// A running link. Dropping it takes its threads and namespaces away; what was started in them should have ended by then.
#[derive(Debug)]
pub struct Link {
    // In this order they go: first who relays, then the devices with the ends.
    relays: Vec<Relay>,
    _spinners: Option<Spinners>,
    to_agent: Arc<Lane>,
    to_manager: Arc<Lane>,
    capture: Option<Arc<Mutex<Capture>>>,
    capture_path: PathBuf,
    agent: End,
    manager: End,
}

/// How a link is made; [`Link::open`] is enough for most.
#[derive(Debug, Clone)]
pub struct LinkOptions {
    /// What it is like at first.
    pub spec: LinkSpec,
    /// Where to write a capture (pcapng) of what passes the manager's end; a file that is there is replaced.
    pub capture: Option<PathBuf>,
    /// Whether each direction has a relay thread of its own. It makes packets some tenths of a microsecond less late,
    /// and two processors may be busy with relaying where one would do: not worth it on a machine with two.
    pub two_threads: bool,
    /// Whether idle processors are kept awake: packets are then less late, and the machine is never idle.
    pub awake: bool,
}

/// Why there is no link.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LinkError {
    /// This process may not make one.
    #[error("{0}")]
    Rights(#[from] Missing),
    /// A namespace could not be made or set up.
    #[error(transparent)]
    Namespace(#[from] NamespaceError),
    /// The capture file could not be written.
    #[error("cannot write the capture {}: {source}", path.display())]
    Capture {
        /// The file.
        path: PathBuf,
        /// The system's answer.
        source: io::Error,
    },
    /// The system refused something else.
    #[error("{what}: {source}")]
    System {
        /// What was tried.
        what: &'static str,
        /// The system's answer.
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
    /// Makes a link. With `capture`, what passes the manager's end is written there (pcapng, raw IP, nanoseconds).
    pub fn open(spec: LinkSpec, capture: Option<&Path>) -> Result<Link, LinkError> {
        Link::open_with(LinkOptions { capture: capture.map(Path::to_owned), ..LinkOptions::new(spec) })
    }

    /// Makes a link.
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

    /// Gives the agent's namespace further interfaces until there are `rows`, the loopback and the link's device
    /// included, and sends seeded traffic through them, none of it over the link: what an agent's ifTable then shows is
    /// as in a [`Namespace`] of so many rows. Returns how many datagrams were sent. Once for a link.
    pub fn fill_agent(&mut self, rows: u32, seed: u64) -> Result<u64, NamespaceError> {
        self.agent.namespace.fill(rows, seed)?;
        Ok(self.agent.namespace.datagrams)
    }

    /// Changes what both directions are like for packets that are sent from now on, and draws losses, jitter and
    /// reordering anew from the beginning. What is under way keeps its times.
    pub fn set(&self, spec: LinkSpec) {
        for direction in [Direction::ToAgent, Direction::ToManager] {
            self.set_direction(direction, spec);
        }
    }

    /// As [`Link::set`] for one direction, for links that are not the same both ways.
    pub fn set_direction(&self, direction: Direction, spec: LinkSpec) {
        self.lane(direction).state().shaper.set(spec);
        self.relays.iter().for_each(Relay::wake);
    }

    /// What has gone through since the link was made. Two readings make a difference: `after - before`.
    pub fn counts(&self) -> LinkCounts {
        LinkCounts { to_agent: self.to_agent.state().counts, to_manager: self.to_manager.state().counts }
    }

    /// How late the relay was, over both directions.
    pub fn lateness(&self) -> Lateness {
        let mut all = self.to_agent.state().lateness.clone();
        all.merge(&self.to_manager.state().lateness);
        all.summary()
    }

    /// Begins the account of lateness anew. (Counts need none: take the difference of two readings.)
    pub fn reset_lateness(&self) {
        for lane in [&self.to_agent, &self.to_manager] {
            lane.state().lateness = Histogram::new();
        }
    }

    /// The processor time that the relay has taken so far. What keeps processors awake is not in it.
    pub fn cpu(&self) -> io::Result<Duration> {
        let mut sum = 0;
        for relay in &self.relays {
            let path = format!("/proc/self/task/{}/schedstat", relay.id);
            sum += crate::kit::meter::cpu::first_number(&std::fs::read_to_string(path)?)?;
        }
        Ok(Duration::from_nanos(sum))
    }

    /// Waits until the capture file holds every packet so far; says whether all could be written. Nothing to do, and no
    /// error, without a capture.
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

/// One end of a link: a network namespace with the link's device in it.
#[derive(Debug)]
pub struct End {
    // It ends before its namespace.
    resident: Resident,
    namespace: Namespace,
    address: Ipv4Addr,
}

/// What the kernel of an end has counted on the link's device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeviceCounts {
    /// Packets that it sent.
    pub sent_packets: u64,
    /// Their octets, from the IP header on.
    pub sent_octets: u64,
    /// Packets that it dropped because the relay did not fetch them.
    pub sent_dropped: u64,
    /// Packets that it received.
    pub received_packets: u64,
    /// Their octets.
    pub received_octets: u64,
}

impl End {
    fn make(address: Ipv4Addr, peer: Ipv4Addr) -> Result<(End, Arc<OwnedFd>), LinkError> {
        let namespace = Namespace::empty().map_err(rights::explain)?;
        // Opened and made inside: the device is then there.
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

    /// How many interfaces it has, the loopback and the link's device included.
    pub fn interfaces(&self) -> io::Result<u32> {
        self.run(super::interfaces_here)?
    }

    /// Moves the calling thread to this end for good; what it opens and starts afterwards is there.
    pub fn enter(&self) -> io::Result<()> {
        self.namespace.enter()
    }

    /// Does something here on a thread of its own and waits for it; a panic goes on in the caller. Sockets that are opened
    /// in it stay at this end wherever they are used afterwards. Not for starting agents: see [`End::start`].
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> io::Result<T> {
        let namespace = self.namespace.file()?;
        std::thread::scope(|scope| {
            let thread = scope.spawn(|| namespace::enter(&namespace).map(|()| work()));
            thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// Does something here on the thread that lives as long as the link, and waits for it: for starting child processes
    /// that end with the thread that started them, as the lab's agents do. They end with the link then. It is for short
    /// work: one thing after the other. A panic goes on in the caller.
    pub fn start<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> io::Result<T> {
        self.resident.run(work)
    }

    /// What the kernel has counted on the link's device.
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

/// A thread in a namespace that does what it is given until it is dropped.
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
            // Whoever asked waits.
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

/// The ends' addresses, of the net for measuring network devices (RFC 2544 appendix C.2.2).
const AGENT: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 1);
const MANAGER: Ipv4Addr = Ipv4Addr::new(198, 18, 0, 2);
/// The name of the device at each end.
const DEVICE: &str = "link0";
/// As an Ethernet's.
const MTU: u32 = 1500;
/// How many packets the kernel keeps for the relay: enough that only the relay's own queue ever overflows.
const KERNEL_QUEUE: u32 = 100_000;
