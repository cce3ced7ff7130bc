//! What requests are answered with: the tree, who may do what, and limits. Made anew when any of it changes, and
//! swapped as a whole.

use std::net::SocketAddr;
use std::sync::{Arc, OnceLock};

use trunkline_snmp::engine::transport::{CertificateNameError, CertificateRow, name_of_peer};
use trunkline_snmp::engine::{CommunityEntry, Engine, Request, SecurityName};
use trunkline_snmp::wire::NameTemplate;
use trunkline_tree::policy::{Denied, Guard, Policy, SecurityLevel, SecurityModel, ViewType};
use trunkline_tree::{Access, Tree, View};

use super::loads::Loads;
use crate::access;
use crate::config::{CommunityPlan, SnmpPlan};
use crate::own::target_rows::TargetTables;
use crate::regions::{Proxies, RegionHandler};

/// What settings are made from.
#[derive(Clone)]
pub struct Inputs {
    /// The SNMP section of the configuration.
    pub plan: SnmpPlan,
    /// What is served.
    pub served: Arc<Served>,
    /// Who may do what.
    pub policy: Arc<Policy>,
    /// Communities that managers have set, among others.
    pub targets: Arc<TargetTables>,
    /// Other agents that answer for contexts.
    pub proxies: Arc<Proxies>,
    /// Which certificate is who (snmpTlstmCertToTSNTable), by id.
    pub names: Arc<Vec<CertificateRow>>,
}

/// A tree and what goes with it.
pub struct Served {
    /// The tree.
    pub tree: Arc<Tree>,
    /// Who answers for its regions; by the region's position.
    pub(super) regions: Vec<Arc<dyn RegionHandler>>,
    /// The name of each leaf, encoded once; by the leaf's position.
    pub(super) templates: Vec<NameTemplate>,
    pub(super) loads: Loads,
    /// What the agent itself may read: everything.
    pub(super) own_access: Access,
    /// What the SOAP door makes of the tree, when it is first asked.
    soap: OnceLock<crate::door::soap::Service>,
}

/// What a request is answered with.
pub struct Settings {
    pub(super) served: Arc<Served>,
    guard: Guard,
    communities: Vec<Community>,
    targets: Arc<TargetTables>,
    pub(super) proxies: Arc<Proxies>,
    names: Arc<Vec<CertificateRow>>,
    pub(super) max_message_size: usize,
    pub(super) max_bindings: usize,
}

/// A community of the configuration.
struct Community {
    plan: CommunityPlan,
    security_name: Vec<u8>,
}

impl Served {
    /// A tree, and who answers for its regions, in the order of their registration.
    pub fn new(tree: Arc<Tree>, regions: Vec<Arc<dyn RegionHandler>>) -> Arc<Self> {
        let templates = tree.leaves().iter().map(|leaf| NameTemplate::new(leaf.oid())).collect();
        let loads = Loads::new(tree.group_names().count());
        let own_access = tree.access(View::everything(), View::NOTHING);
        Arc::new(Served { tree, regions, templates, loads, own_access, soap: OnceLock::new() })
    }
}

impl Served {
    /// What the SOAP door makes of the tree.
    pub(in crate::door) fn soap_service(&self) -> &crate::door::soap::Service {
        self.soap.get_or_init(|| crate::door::soap::Service::new(&self.tree))
    }
}

impl Settings {
    pub(super) fn new(inputs: &Inputs) -> Self {
        let Inputs { plan, served, policy, targets, proxies, names } = inputs.clone();
        let community = |(position, plan): (usize, &CommunityPlan)| Community {
            plan: plan.clone(),
            security_name: access::security_name(position).octets().to_vec(),
        };
        Settings {
            guard: Guard::new(&served.tree, policy),
            communities: plan.communities.iter().enumerate().map(community).collect(),
            served,
            targets,
            proxies,
            names,
            max_message_size: plan.max_message_size,
            max_bindings: plan.max_bindings,
        }
    }

    /// Who has proved to have a certificate (RFC 6353 section 5.3.1).
    pub(in crate::door) fn name_of(&self, chain: &[Vec<u8>]) -> Result<SecurityName, CertificateNameError> {
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

    /// Who is told of notifications, and communities that were set.
    pub fn targets(&self) -> &Arc<TargetTables> {
        &self.targets
    }

    /// What a community from an address stands for (RFC 3584 section 5.2.1). One of the configuration is looked for
    /// there alone: it has limits that snmpCommunityTable does not show.
    pub(in crate::door) fn community(&self, name: &[u8], peer: SocketAddr) -> Option<CommunityEntry<'_>> {
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

    /// Whether another agent answers for what a community reads.
    pub(in crate::door) fn is_community_forwarded(
        &self,
        engine: &Engine,
        entry: &CommunityEntry<'_>,
    ) -> bool {
        let is_local = entry.context_engine_id.is_none_or(|id| engine.is_local_context(id));
        self.proxies.of(entry.context_engine_id.unwrap_or_default(), is_local, entry.context_name).is_some()
    }

    /// What the asker may do (RFC 3415).
    pub(super) fn access(&self, request: &Request<'_>, view_type: ViewType) -> Result<&Arc<Access>, Denied> {
        let model = SecurityModel(request.security_model);
        self.guard.access(model, request.security_name(), level(request), request.context_name, view_type)
    }
}

/// The level in the tree's words.
pub(super) fn level(request: &Request<'_>) -> SecurityLevel {
    match request.level {
        trunkline_snmp::SecurityLevel::NoAuthNoPriv => SecurityLevel::NoAuthNoPriv,
        trunkline_snmp::SecurityLevel::AuthNoPriv => SecurityLevel::AuthNoPriv,
        trunkline_snmp::SecurityLevel::AuthPriv => SecurityLevel::AuthPriv,
    }
}
