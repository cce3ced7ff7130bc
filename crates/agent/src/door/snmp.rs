//! The SNMP door: v1, v2c and v3 over UDP and TCP.
//!
//! A request is answered on the thread that received it (`exchange`) as long as
//! nothing has to be waited for. If a snapshot must be loaded first, a region asked,
//! the request forwarded, or it is a set, it goes to the runtime (`later`), which waits for it there
//! while everybody else is served on.

mod exchange;
mod later;
mod loads;
mod local;
mod probe;
mod sessions;
mod settings;
mod sink;
mod udp;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Instant;

use arc_swap::ArcSwap;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, TransportState};

pub use exchange::{Outcome, Worker};
pub use later::Answer;
pub(in crate::door) use later::Unanswered;
pub use probe::{NoProbe, Phase, Probe};
pub use sessions::Sessions;
pub use settings::{Inputs, Served, Settings};
pub use udp::{UdpListener, serve_udp};

/// Where a message comes from.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'s> {
    /// The address.
    pub peer: SocketAddr,
    /// What the transport proved of it (tmStateReference); `None`: nothing.
    pub over: Option<&'s TransportState>,
    /// The longest answer that can go back, in octets.
    pub max_message: usize,
}

impl Sender<'_> {
    /// An address, of which nothing is proved.
    #[must_use]
    pub const fn unproved(peer: SocketAddr) -> Self {
        Self { peer, over: None, max_message: usize::MAX }
    }
}

/// What all listeners of the SNMP door share.
pub struct Door {
    engine: Arc<Engine>,
    counters: Arc<Counters>,
    settings: ArcSwap<Settings>,
    /// What the settings were made from; the turn of who changes them.
    inputs: Mutex<Inputs>,
    on_failed_authentication: OnceLock<Box<dyn Fn(SocketAddr) + Send + Sync>>,
}

impl Door {
    /// A door to a tree.
    pub fn new(engine: Arc<Engine>, counters: Arc<Counters>, inputs: Inputs) -> Arc<Self> {
        let settings = ArcSwap::from_pointee(Settings::new(&inputs));
        let inputs = Mutex::new(inputs);
        Arc::new(Door { engine, counters, settings, inputs, on_failed_authentication: OnceLock::new() })
    }

    /// Changes what the door works with; requests under work finish with what was before.
    pub fn change(&self, change: impl FnOnce(&mut Inputs)) {
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut inputs);
        self.settings.store(Arc::new(Settings::new(&inputs)));
    }

    /// Whom to tell of messages that were not properly authenticated (RFC 3418, authenticationFailure): the address
    /// that they came from. Called on the receiving thread: it must be quick. Only the first one is taken.
    pub fn on_failed_authentication(&self, tell: impl Fn(SocketAddr) + Send + Sync + 'static) {
        let _ = self.on_failed_authentication.set(Box::new(tell));
    }

    /// Somebody at this address could not prove who they are, over whatever protocol.
    pub(in crate::door) fn tell_failed_authentication(&self, peer: SocketAddr) {
        if let Some(tell) = self.on_failed_authentication.get() {
            tell(peer);
        }
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// The engine's counters.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Answers a message, waiting for what it needs.
    pub async fn answer(&self, message: &[u8], sender: Sender<'_>) -> Answer {
        let settings = self.settings.load_full();
        later::answer(self, &settings, message, sender, Instant::now()).await
    }
}
