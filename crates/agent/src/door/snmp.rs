//! The SNMP door: v1 and v2c over UDP and TCP.
//!
//! A request is answered on the thread that received it (`exchange`) as long as
//! nothing has to be waited for. If a snapshot must be loaded first, or the request
//! is a set, it goes to the runtime ([`Door::answer`]), which waits for it there
//! while everybody else is served on.

mod exchange;
mod loads;
mod probe;
mod sink;
mod udp;

use std::net::IpAddr;
use std::sync::Arc;
use std::time::Instant;

use arc_swap::ArcSwap;
use trunkline_snmp::Counters;
use trunkline_snmp::wire::NameTemplate;
use trunkline_tree::{Access, Tree};

use crate::config::{CommunityPlan, SnmpPlan};
pub use exchange::{Answer, Outcome, Worker};
use loads::Loads;
pub use probe::{NoProbe, Phase, Probe};
pub use udp::{UdpListener, serve_udp};

/// What all listeners of the SNMP door share.
pub struct Door {
    tree: Arc<Tree>,
    counters: Arc<Counters>,
    /// The name of each leaf, encoded once; by the leaf's position.
    templates: Vec<NameTemplate>,
    settings: ArcSwap<Settings>,
    loads: Loads,
}

/// What a reload of the configuration may change.
pub struct Settings {
    communities: Vec<Community>,
    max_message_size: usize,
    max_bindings: usize,
}

/// A community and what it may do on this tree.
struct Community {
    plan: CommunityPlan,
    access: Access,
}

impl Door {
    /// A door to a tree.
    pub fn new(tree: Arc<Tree>, counters: Arc<Counters>, plan: &SnmpPlan) -> Arc<Self> {
        let settings = ArcSwap::from_pointee(Settings::new(&tree, plan));
        let templates = tree.leaves().iter().map(|leaf| NameTemplate::new(leaf.oid())).collect();
        let loads = Loads::new(tree.group_names().count());
        Arc::new(Door { tree, counters, templates, settings, loads })
    }

    /// Takes another configuration; requests under work finish with the old one.
    pub fn configure(&self, plan: &SnmpPlan) {
        self.settings.store(Arc::new(Settings::new(&self.tree, plan)));
    }

    /// The settings as they are now.
    pub fn settings(&self) -> Arc<Settings> {
        self.settings.load_full()
    }

    /// The engine's counters.
    pub fn counters(&self) -> &Arc<Counters> {
        &self.counters
    }

    /// Answers a request, waiting for what it needs.
    pub async fn answer(&self, message: &[u8], peer: IpAddr) -> Answer {
        let settings = self.settings.load_full();
        exchange::answer(self, &settings, message, peer, Instant::now()).await
    }

    /// The same for a message that was let in and counted already.
    async fn answer_admitted(&self, message: &[u8], peer: IpAddr, arrived: Instant) -> Answer {
        let settings = self.settings.load_full();
        exchange::answer_admitted(self, &settings, message, peer, arrived).await
    }
}

impl Settings {
    fn new(tree: &Tree, plan: &SnmpPlan) -> Self {
        let community = |plan: &CommunityPlan| Community {
            access: tree.access(plan.read.clone(), plan.write.clone()),
            plan: plan.clone(),
        };
        Settings {
            communities: plan.communities.iter().map(community).collect(),
            max_message_size: plan.max_message_size,
            max_bindings: plan.max_bindings,
        }
    }

    fn community(&self, name: &[u8], peer: IpAddr) -> Option<&Community> {
        self.communities.iter().find(|known| known.plan.name == name && known.plan.may_come_from(peer))
    }
}
