//! The door: what all its streams and connections share.

use std::sync::{Arc, OnceLock};
use std::time::{Instant, SystemTime};

use arc_swap::{ArcSwap, ArcSwapOption};
use trunkline_beans::{Catalog, Delegate};
use trunkline_config::{CommunityPlan, JmxPlan, Plan};
use trunkline_core::{Core, Derived, Made, Settings};
use trunkline_jmx::jrmp::ObjId;
use trunkline_transport::LogLimit;
use trunkline_transport::http::Gatekeeper;
use trunkline_tree::LeafKind;
use trunkline_tree::policy::{OwnedPrincipal, SecurityModel};

use crate::connection::Connections;
use crate::log::Log;
use crate::object;
use crate::observer::Listeners;

/// Serves JMX.
pub struct Connector {
    pub(crate) core: Arc<Core>,
    /// Checks passwords.
    pub(crate) gate: Arc<Gatekeeper>,
    /// `None`: it is closed.
    pub(crate) plan: ArcSwapOption<JmxPlan>,
    communities: ArcSwap<Vec<CommunityPlan>>,
    catalog: Derived<Catalog>,
    pub(crate) delegate: Delegate,
    /// The object of the server, which logs clients in; `None`: the system has no random numbers.
    server: OnceLock<Option<ObjId>>,
    pub(crate) connections: Connections,
    pub(crate) log: Log,
    pub(crate) refusals: LogLimit,
    pub(crate) strangers: LogLimit,
    pub(crate) too_much: LogLimit,
}

impl Connector {
    /// The door of a core, which checks passwords at this gate; closed unless the configuration opens it.
    #[must_use]
    pub fn new(core: Arc<Core>, gate: Arc<Gatekeeper>, plan: &Plan) -> Arc<Self> {
        let id = format!("trunklined_{}", std::process::id());
        let connector = Arc::new(Connector {
            core,
            gate,
            plan: ArcSwapOption::new(plan.jmx.clone().map(Arc::new)),
            communities: ArcSwap::from_pointee(plan.snmp.communities.clone()),
            catalog: Derived::new(),
            delegate: Delegate { id, version: env!("CARGO_PKG_VERSION").to_owned() },
            server: OnceLock::new(),
            connections: Connections::default(),
            log: Log::default(),
            refusals: LogLimit::for_strangers(),
            strangers: LogLimit::for_strangers(),
            too_much: LogLimit::for_strangers(),
        });
        connector.core.observing().begin(Arc::new(Listeners(Arc::downgrade(&connector))));
        connector
    }

    /// Applies another configuration. Open connections stay, unless the door is closed, or they are those of a community and there are
    /// other communities now, or another one is that of JMX.
    pub fn configure(&self, plan: &Plan) {
        let community = |plan: &JmxPlan| plan.community.clone();
        let before = self.plan.swap(plan.jmx.clone().map(Arc::new));
        let is_another = before.as_deref().and_then(community) != plan.jmx.as_ref().and_then(community);
        let communities = Arc::new(plan.snmp.communities.clone());
        let are_others = *self.communities.swap(communities.clone()) != *communities || is_another;
        // Principals of communities are known by their places in the list.
        let of_community = |principal: &OwnedPrincipal| are_others && principal.model != SecurityModel::TSM;
        self.connections.close_those(|principal| plan.jmx.is_none() || of_community(principal));
    }

    /// Keeps a notification for those who listen; does not wait.
    pub fn tell(&self, happened: &trunkline_tree::Event, at: Instant) {
        if self.plan.load().is_some() {
            let catalog = self.catalog(&self.core.settings());
            self.log.add(&catalog, happened, SystemTime::now() - at.elapsed());
        }
    }

    /// The MBeans of what is served.
    pub(crate) fn catalog(&self, settings: &Settings) -> Arc<Made<Catalog>> {
        self.catalog.of(settings.served(), |served| {
            let is_region = |kind| matches!(kind, LeafKind::Region { .. });
            Catalog::new(|oid| served.tree.leaf_of(oid).is_some_and(|leaf| !is_region(leaf.kind())))
        })
    }

    /// The object that logs clients in.
    pub(crate) fn server(&self) -> Option<ObjId> {
        *self.server.get_or_init(object::random)
    }
}
