//! From the configuration to regions and forwarders.

use std::sync::Arc;

use trunkline_host::programs::Runner;
use trunkline_smi::Oid;
use trunkline_tree::{Region, TreeBuilder};

use super::context_tree::ContextTree;
use super::contexts::{ContextProxy, Forwarder, Proxies};
use super::handler::RegionHandler;
use super::pass::Pass;
use super::persist::PassPersist;
use super::proxy::Proxy;
use super::proxy_forwarder::WholeContext;
use super::remote::{Remote, RemoteError};
use trunkline_config::{PassPlan, Plan, ProxyPlan};
use trunkline_credentials::secure::OutgoingNow;

/// What answers in the tree's place.
#[derive(Default)]
pub struct RegionParts {
    regions: Vec<Part>,
    /// Other agents that answer for contexts.
    pub proxies: Proxies,
}

/// A region and its handler.
#[derive(Clone)]
pub(super) struct Part {
    root: Oid,
    priority: u8,
    /// Whether objects below its root stay where they are.
    is_beside: bool,
    region: Arc<dyn Region>,
    handler: Arc<dyn RegionHandler>,
}

/// A proxy of a context.
type Member<'p> = (&'p ProxyPlan, Arc<Remote>);

/// Why the programs and proxies of a configuration cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum PartsError {
    /// Another agent cannot be queried.
    #[error(transparent)]
    Remote(#[from] RemoteError),
    /// The operating system does not create a thread.
    #[error("cannot start a thread for {command:?}: {source}")]
    Thread {
        /// The program.
        command: String,
        /// Why not.
        source: std::io::Error,
    },
}

impl RegionParts {
    /// From a configuration. Programs are run within the limits of `runner`. Nothing is started or queried yet.
    ///
    /// # Errors
    /// Proxies that the configuration's check has let pass by mistake, and a lack of threads.
    pub fn new(plan: &Plan, runner: &Arc<Runner>, outgoing: &OutgoingNow) -> Result<Self, PartsError> {
        let mut regions = Vec::new();
        for pass in &plan.passes {
            regions.push(part_of_pass(pass, runner)?);
        }
        let mut contexts: Vec<(String, Vec<Member<'_>>)> = Vec::new();
        for proxy in &plan.proxies {
            let remote = Arc::new(Remote::new(proxy, &plan.snmp.users, outgoing.clone())?);
            match contexts.iter_mut().find(|(context, _)| *context == proxy.context) {
                _ if proxy.context.is_empty() => regions.extend(part_of_proxy(proxy, remote)),
                Some((_, members)) => members.push((proxy, remote)),
                None => contexts.push((proxy.context.clone(), vec![(proxy, remote)])),
            }
        }
        let proxies = contexts.into_iter().map(|(context, members)| context_proxy(context, members));
        Ok(RegionParts { regions, proxies: Proxies::new(proxies.collect()) })
    }

    /// Registers all regions, in the order of [`RegionParts::handlers`].
    pub fn register(&self, builder: &mut TreeBuilder) {
        register(&self.regions, builder);
    }

    /// The handlers of the regions.
    pub fn handlers(&self) -> Vec<Arc<dyn RegionHandler>> {
        self.regions.iter().map(|part| part.handler.clone()).collect()
    }
}

pub(super) fn register(parts: &[Part], builder: &mut TreeBuilder) {
    for part in parts {
        let (root, region) = (part.root.clone(), part.region.clone());
        match part.is_beside {
            true => builder.region_beside(root, part.priority, region),
            false => builder.region(root, part.priority, region),
        };
    }
}

impl Part {
    /// A region that leaves objects below its root where they are.
    pub(super) fn beside(
        root: Oid,
        priority: u8,
        region: Arc<dyn Region>,
        handler: Arc<dyn RegionHandler>,
    ) -> Self {
        Part { root, priority, is_beside: true, region, handler }
    }

    /// The same region instead of those objects.
    #[must_use]
    pub(super) fn shadowing(self) -> Self {
        Part { is_beside: false, ..self }
    }

    pub(super) fn root(&self) -> &Oid {
        &self.root
    }

    pub(super) fn priority(&self) -> u8 {
        self.priority
    }

    pub(super) fn shared_handler(&self) -> Arc<dyn RegionHandler> {
        self.handler.clone()
    }

    pub(super) fn handler(&self) -> &dyn RegionHandler {
        &*self.handler
    }
}

fn part_of_pass(plan: &PassPlan, runner: &Arc<Runner>) -> Result<Part, PartsError> {
    let (root, priority, command) = (plan.oid.clone(), plan.priority, plan.command.clone());
    if !plan.persistent {
        let pass = Arc::new(Pass::new(command, plan.timeout, runner.clone()));
        return Ok(Part { root, priority, is_beside: false, region: pass.clone(), handler: pass });
    }
    let pass = PassPersist::new(command, plan.timeout).map_err(|source| PartsError::Thread {
        command: plan.command.first().cloned().unwrap_or_default(),
        source,
    })?;
    let pass = Arc::new(pass);
    Ok(Part { root, priority, is_beside: false, region: pass.clone(), handler: pass })
}

/// `None` where the proxy is for no subtree.
fn part_of_proxy(plan: &ProxyPlan, remote: Arc<Remote>) -> Option<Part> {
    let root = plan.subtree.clone()?;
    let there = plan.remote_subtree.clone().unwrap_or_else(|| root.clone());
    let proxy = Arc::new(Proxy::new(remote, root.clone(), there));
    Some(Part { root, priority: PRIORITY, is_beside: false, region: proxy.clone(), handler: proxy })
}

/// A context is another agent's as a whole, or subtree by subtree.
fn context_proxy(context: String, members: Vec<Member<'_>>) -> ContextProxy {
    let level = members.iter().map(|(_, remote)| remote.level()).min();
    let whole = members.iter().find(|(plan, _)| plan.subtree.is_none()).map(|(_, remote)| remote.clone());
    let parts = || members.iter().filter_map(|(plan, remote)| part_of_proxy(plan, remote.clone()));
    let forwarder: Box<dyn Forwarder> = match whole {
        Some(remote) => Box::new(WholeContext::new(remote)),
        None => Box::new(ContextTree::new(parts().collect())),
    };
    ContextProxy {
        context: context.into_bytes(),
        context_engine_id: Vec::new(),
        level: level.unwrap_or(trunkline_snmp::SecurityLevel::NoAuthNoPriv),
        forwarder,
    }
}

/// The priority of Net-SNMP's registrations, and the default of AgentX.
pub(super) const PRIORITY: u8 = 127;
