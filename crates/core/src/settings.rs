//! What requests are answered with: the tree, the access policy, and the agents that answer for contexts. Rebuilt
//! when any of it changes, and swapped as a whole.

use std::net::SocketAddr;
use std::sync::Arc;

use arc_swap::ArcSwap;
use trunkline_snmp::engine::transport::{CertificateNameError, CertificateRow, name_of_peer};
use trunkline_snmp::engine::{CommunityEntry, SecurityName};
use trunkline_tree::policy::{Guard, Policy};

use super::Served;
use super::keeper::Keeping;
use super::observe::{Observing, Touched};
use trunkline_admin::target_rows::TargetTables;
use trunkline_config::CommunityPlan;
use trunkline_config::access;
use trunkline_regions::Proxies;

/// What settings are made from.
#[derive(Clone)]
pub struct Inputs {
    /// The communities of the configuration.
    pub communities: Vec<CommunityPlan>,
    /// What is served.
    pub served: Arc<Served>,
    /// The access policy.
    pub policy: Arc<Policy>,
    /// Communities that managers have set, among others.
    pub targets: Arc<TargetTables>,
    /// Other agents that answer for contexts.
    pub proxies: Arc<Proxies>,
    /// Which certificate is who (snmpTlstmCertToTSNTable), by id.
    pub names: Arc<Vec<CertificateRow>>,
}

/// The objects that sessions of NETCONF have locked in running: nobody else sets them (RFC 6241 section 7.5).
pub type Held = Arc<ArcSwap<Vec<&'static [u32]>>>;

/// The settings that a request is answered with.
pub struct Settings {
    served: Arc<Served>,
    guard: Guard,
    communities: Vec<Community>,
    targets: Arc<TargetTables>,
    proxies: Arc<Proxies>,
    names: Arc<Vec<CertificateRow>>,
    pub(super) held: Held,
    pub(super) keeping: Keeping,
    pub(super) observing: Observing,
}

/// A community of the configuration.
struct Community {
    plan: CommunityPlan,
    security_name: Vec<u8>,
}

impl Settings {
    pub(super) fn new(inputs: &Inputs, held: Held, keeping: Keeping, observing: Observing) -> Self {
        let Inputs { communities, served, policy, targets, proxies, names } = inputs.clone();
        let community = |(position, plan): (usize, &CommunityPlan)| Community {
            plan: plan.clone(),
            security_name: access::security_name(position).octets().to_vec(),
        };
        Settings {
            guard: Guard::new(&served.tree, policy),
            communities: communities.iter().enumerate().map(community).collect(),
            served,
            targets,
            proxies,
            names,
            held,
            keeping,
            observing,
        }
    }

    /// The names of authenticated certificates (RFC 6353 section 5.3.1).
    pub fn name_of(&self, chain: &[Vec<u8>]) -> Result<SecurityName, CertificateNameError> {
        name_of_peer(&self.names, chain).map(|peer| peer.name)
    }

    /// The access policy, compiled.
    pub fn guard(&self) -> &Guard {
        &self.guard
    }

    /// What is served.
    pub fn served(&self) -> &Arc<Served> {
        &self.served
    }

    /// Makes a change, and reports what has other values after it, whether it has failed or not. Changes of one object that are made at the same time may be
    /// reported as one, and twice.
    pub async fn observed<T>(&self, touched: Touched<'_>, change: impl Future<Output = T>) -> T {
        self.observing.of(&self.served, touched, change).await
    }

    /// The targets of notifications, and communities that managers have set.
    pub fn targets(&self) -> &Arc<TargetTables> {
        &self.targets
    }

    /// What a community from an address maps to (RFC 3584 section 5.2.1). A configured one is only looked up in
    /// the configuration: it has limits that snmpCommunityTable does not show.
    pub fn community(&self, name: &[u8], peer: SocketAddr) -> Option<CommunityEntry<'_>> {
        let configured = self.communities.iter().filter(|known| known.plan.name == name);
        let mut is_configured = false;
        for known in configured {
            is_configured = true;
            if known.plan.may_come_from(peer.ip()) {
                return Some(CommunityEntry {
                    security_name: &known.security_name,
                    context_engine_id: None,
                    context_name: known.plan.context.as_bytes(),
                });
            }
        }
        let row = self.targets.community_of(name, peer).filter(|_| !is_configured)?;
        Some(CommunityEntry {
            security_name: row.security_name.octets(),
            context_engine_id: Some(&row.context_engine_id),
            context_name: row.context.octets(),
        })
    }

    /// Other agents that answer for contexts.
    pub fn proxies(&self) -> &Proxies {
        &self.proxies
    }
}
