//! The SNMP door: v1, v2c and v3 over UDP and TCP.
//!
//! The `dispatcher` answers a request on the thread that received it unless something must be waited for. If a
//! snapshot must be loaded first, a region asked, the request forwarded, or if it is a set, it is handed to the
//! runtime (`later`), which waits while all other requests are served. The applications are RFC 3413's: the
//! `command_responder` for the tree, the `proxy_forwarder` for other agents.

mod command_responder;
mod dispatcher;
mod in_soap;
mod later;
mod probe;
mod proxy_forwarder;
mod sessions;
mod settings;
mod sink;
mod udp;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, TransportState};
use trunkline_transport::LogLimit;

use self::settings::{Limits, Templates};
use trunkline_config::SnmpPlan;
use trunkline_core::Core;

pub use dispatcher::{Outcome, Worker};
pub use in_soap::InSoap;
pub use later::Answer;
pub use probe::{NoProbe, Phase, Probe};
pub use sessions::Sessions;
pub use settings::Settings;
pub use udp::{UdpListener, bind_udp, serve_udp};

/// Where a message comes from.
#[derive(Clone, Copy, Debug)]
pub struct Sender<'s> {
    /// The address.
    pub peer: SocketAddr,
    /// Its transport identity (tmStateReference); `None`: there is none.
    pub over: Option<&'s TransportState>,
    /// The longest answer that can go back, in octets.
    pub max_message: usize,
    /// Whether the address may be forged: it is that of a datagram from another machine, and nothing has shown
    /// that answers reach its sender. The answer to an unauthenticated request is then limited.
    pub may_be_forged: bool,
}

impl Sender<'_> {
    /// An address, which proves only that answers reach it.
    #[must_use]
    pub const fn unproved(peer: SocketAddr) -> Self {
        Self { peer, over: None, max_message: usize::MAX, may_be_forged: false }
    }

    /// The sender of a datagram to this address of ours.
    #[must_use]
    pub fn of_datagram(peer: SocketAddr, asked: IpAddr) -> Self {
        Self { may_be_forged: !asked.is_loopback(), ..Self::unproved(peer) }
    }
}

/// What all listeners of the SNMP door share.
pub struct Door {
    core: Arc<Core>,
    limits: ArcSwap<Limits>,
    templates: Templates,
    /// Of values that are too long for unauthenticated requests.
    too_long: LogLimit,
}

impl Door {
    /// A door to what the core serves.
    pub fn new(core: Arc<Core>, plan: &SnmpPlan) -> Arc<Self> {
        let limits = ArcSwap::from_pointee(Limits::of(plan));
        let (templates, too_long) = (Templates::default(), LogLimit::for_strangers());
        Arc::new(Door { core, limits, templates, too_long })
    }

    /// Takes the limits of another configuration.
    pub fn configure(&self, plan: &SnmpPlan) {
        self.limits.store(Arc::new(Limits::of(plan)));
    }

    /// What the door needs.
    pub fn core(&self) -> &Arc<Core> {
        &self.core
    }

    /// What requests are answered with now.
    pub fn settings(&self) -> Settings {
        Settings::now(&self.core, &self.templates, **self.limits.load())
    }

    fn engine(&self) -> &Engine {
        self.core.engine()
    }

    fn counters(&self) -> &Counters {
        self.core.counters()
    }

    /// Answers a message, waiting for what it needs.
    pub async fn answer(&self, message: &[u8], sender: Sender<'_>) -> Answer {
        let settings = self.settings();
        later::answer(self, &settings, message, sender, Instant::now()).await
    }
}
