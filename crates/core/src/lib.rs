//! What is between the doors and the tree, whatever the protocol: what is served and to whom ([`Settings`]), the
//! one admission of requests ([`Settings::admit`]), retrieval that waits for loads and regions, sets, and reports
//! about strangers.
//!
//! A door turns its protocol's request into a [`Caller`], names and values, and the outcome into an answer. It
//! uses the core for the rest, and knows no other door.

mod admission;
mod data;
mod derived;
mod keeper;
mod load;
mod observe;
mod phase;
mod read;
mod retrieve;
mod served;
mod set;
mod settings;
mod turns;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::{ArcSwap, Guard};
use tokio::sync::Notify;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, TransportState};
use trunkline_transport::Closing;
use trunkline_tree::policy::{Principal, SecurityModel};

pub use admission::{Admission, Caller, NotAdmitted, NotOnBehalf};
pub use data::{Cells, DataQuery, DataSink, ListPage, Narrow, OwnData, RowCount, wanted_within};
pub use derived::{Derived, Made};
pub use keeper::{IF_ADMIN_STATUS, IF_ALIAS, Keeper, Keeping, Setting};
pub use observe::{ObjectChange, Observer, Observing, Touched};
pub use phase::{Clock, Phase, Phases};
pub use read::Below;
pub use retrieve::Unanswered;
pub use served::Served;
pub use set::NotSet;
pub use set::configured;
pub use settings::{Held, Inputs, Settings};
pub use turns::{Turn, Turns};

/// What all doors share.
pub struct Core {
    engine: Arc<Engine>,
    counters: Arc<Counters>,
    settings: ArcSwap<Settings>,
    /// The source of the settings; serializes their changes.
    inputs: Mutex<Inputs>,
    on_failed_authentication: OnceLock<Box<dyn Fn(SocketAddr) + Send + Sync>>,
    closing: Closing,
    held: Held,
    keeping: Keeping,
    observing: Observing,
    phases: Phases,
    /// The settings have changed.
    news: Notify,
}

impl Core {
    /// The core of an agent: its engine, what that has counted, and what the settings are made from.
    pub fn new(engine: Arc<Engine>, counters: Arc<Counters>, inputs: Inputs) -> Arc<Self> {
        let (held, keeping, observing) = (Held::default(), Keeping::default(), Observing::default());
        let settings = Settings::new(&inputs, held.clone(), keeping.clone(), observing.clone());
        let settings = ArcSwap::from_pointee(settings);
        let inputs = Mutex::new(inputs);
        let (on_failed_authentication, closing) = (OnceLock::new(), Closing::default());
        Arc::new(Core {
            engine,
            counters,
            settings,
            inputs,
            on_failed_authentication,
            closing,
            held,
            keeping,
            observing,
            phases: Phases::default(),
            news: Notify::new(),
        })
    }

    /// Reports the agent's shutdown: then no listener accepts requests any more.
    pub fn closing(&self) -> &Closing {
        &self.closing
    }

    /// Changes the settings of the doors; requests in progress finish with the old ones.
    pub fn change(&self, change: impl FnOnce(&mut Inputs)) {
        let mut inputs = self.inputs.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut inputs);
        // The policy is compiled here, so that requests find what they may do.
        self.phases.begin(Phase::Access);
        let (held, keeping, observing) = (self.held.clone(), self.keeping.clone(), self.observing.clone());
        self.settings.store(Arc::new(Settings::new(&inputs, held, keeping, observing)));
        self.phases.begin(Phase::Wait);
        self.news.notify_one();
    }

    /// Waits until the settings have changed since this was last called. For one who waits.
    pub async fn changed(&self) {
        self.news.notified().await;
    }

    /// The listener for messages that were not properly authenticated (RFC 3418, authenticationFailure), with
    /// their source address. Called on the receiving thread: it must be quick. Only the first one is kept.
    pub fn on_failed_authentication(&self, tell: impl Fn(SocketAddr) + Send + Sync + 'static) {
        let _ = self.on_failed_authentication.set(Box::new(tell));
    }

    /// A peer at this address failed to authenticate, over any protocol.
    pub fn tell_failed_authentication(&self, peer: SocketAddr) {
        if let Some(tell) = self.on_failed_authentication.get() {
            tell(peer);
        }
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    /// The same, for a short while: cheaper, and not to be kept.
    pub fn settings_now(&self) -> Guard<Arc<Settings>> {
        self.settings.load()
    }

    /// The engine.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.engine
    }

    /// Whoever a session belongs to, as the access policy knows them.
    pub fn principal_of<'s>(&self, state: &'s TransportState) -> Principal<'s> {
        let has_prefix = self.engine.uses_prefix() && state.domain().prefix().is_some();
        Principal::new(SecurityModel::TSM, state.security_name(has_prefix), state.level())
    }

    /// What is locked.
    pub fn held(&self) -> &Held {
        &self.held
    }

    /// Who keeps the configuration.
    pub fn keeping(&self) -> &Keeping {
        &self.keeping
    }

    /// Who observes changes of the configuration.
    pub fn observing(&self) -> &Observing {
        &self.observing
    }

    /// The clock of requests in sessions, for the laboratory.
    pub fn phases(&self) -> &Phases {
        &self.phases
    }

    /// The engine's counters.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }
}
