//! Many devices, each read at its interval, whatever protocol it speaks.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use tokio::task::JoinHandle;
use trunkline_client::{Credentials, Session};
use trunkline_transport::TransportError;

use crate::device::{Counts, Device, Limits, Wanted};
use crate::pool::Account;
use crate::sessions;
use crate::shard::Shard;
use crate::snapshot::Snapshot;
use crate::tables::Longest;

/// A device, and how it is read.
#[derive(Clone)]
pub struct Setting {
    /// The caller's number for it, in reports.
    pub key: u64,
    /// What is read.
    pub wanted: Arc<Wanted>,
    /// What it may take.
    pub limits: Limits,
    /// From the beginning of a cycle to that of the next one.
    pub interval: Duration,
    /// When the first one begins, after the start: devices that begin together are all slow.
    pub phase: Duration,
    /// Its part in the memory of all devices, if that is bounded.
    pub account: Option<Arc<Account>>,
    /// How it is reached.
    pub way: Way,
}

/// How a device is reached.
#[derive(Clone)]
pub enum Way {
    /// SNMP over UDP: a socket is shared by many devices.
    Datagrams {
        /// Its address.
        address: SocketAddr,
        /// The community, or the user.
        credentials: Credentials,
    },
    /// A session of any protocol.
    Session(Arc<dyn Opener>),
}

/// Opens sessions with a device.
pub trait Opener: Send + Sync + 'static {
    /// Opens one that takes answers up to this length, if its protocol has long ones.
    fn open(&self, longest: Longest) -> Opening<'_>;
}

/// A session that is being opened.
pub type Opening<'a> = Pin<Box<dyn Future<Output = Result<Arc<dyn Session>, Unopened>> + Send + 'a>>;

/// Why there is no session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unopened {
    /// In words.
    pub reason: String,
    /// Whether an answer was longer than the session takes.
    pub is_too_long: bool,
}

impl From<String> for Unopened {
    fn from(reason: String) -> Self {
        Unopened { reason, is_too_long: false }
    }
}

/// What a cycle of a device has led to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The caller's number.
    pub key: u64,
    /// What was read; `None`: the device is left alone, and there was no cycle.
    pub snapshot: Option<Snapshot>,
    /// What is known of the device.
    pub health: Health,
}

/// What is known of a device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Health {
    /// What happened so far.
    pub counts: Counts,
    /// How long its answers take.
    pub round_trip: Option<Duration>,
    /// Cycles in a row without an answer.
    pub failures: u32,
}

impl Health {
    pub(crate) fn of(device: &Device) -> Self {
        let (round_trip, failures) = (device.round_trip(), device.failures());
        Health { counts: *device.counts(), round_trip, failures }
    }
}

/// Takes reports. It is called in the threads that read, and must be quick.
pub type Sink = Arc<dyn Fn(Report) + Send + Sync>;

/// Why devices cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no socket.
    #[error(transparent)]
    Socket(#[from] TransportError),
    /// There is no thread.
    #[error("cannot start a thread: {0}")]
    Thread(#[source] std::io::Error),
}

/// Devices that are being read, until this is dropped.
#[derive(Debug)]
pub struct Collector {
    tasks: Vec<JoinHandle<()>>,
    threads: Vec<thread::JoinHandle<()>>,
    stop: Arc<AtomicBool>,
}

impl Collector {
    /// Reads these devices. Moments in snapshots are since `start`. Devices over datagrams are divided among `shards` threads
    /// for each address family. Must be called on a tokio runtime.
    ///
    /// # Errors
    /// Sockets or threads.
    pub fn start(
        devices: Vec<Setting>,
        shards: usize,
        start: Instant,
        sink: &Sink,
    ) -> Result<Self, StartError> {
        let stop = Arc::new(AtomicBool::new(false));
        let mut collector = Collector { tasks: Vec::new(), threads: Vec::new(), stop: stop.clone() };
        let mut families = [Vec::new(), Vec::new()];
        for device in devices {
            match &device.way {
                Way::Datagrams { address, .. } => families[usize::from(address.is_ipv6())].push(device),
                Way::Session(opener) => {
                    let opener = opener.clone();
                    collector.tasks.push(tokio::spawn(sessions::run(device, opener, start, sink.clone())));
                }
            }
        }
        for (family, devices) in families.into_iter().enumerate() {
            let part = devices.len().div_ceil(shards.max(1)).max(1);
            for devices in devices.chunks(part) {
                let shard = Shard::open(family == 1, devices, start, sink.clone(), stop.clone())?;
                let thread = thread::Builder::new().name("polling".into()).stack_size(STACK);
                collector.threads.push(thread.spawn(move || shard.run()).map_err(StartError::Thread)?);
            }
        }
        Ok(collector)
    }
}

impl Drop for Collector {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.tasks.iter().for_each(JoinHandle::abort);
    }
}

/// After this time a cycle is tried again for which there was no memory.
pub(crate) const AGAIN: Duration = Duration::from_millis(100);

/// A shard computes keys and no more.
const STACK: usize = 512 * 1024;
