//! What is served: this machine's groups and the agent's own, in one tree.

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use trunkline_host::programs::Programs;
use trunkline_host::{HostOptions, LinkWatch, SourceRoot};
use trunkline_snmp::Counters;
use trunkline_tree::{Provider, Tree, TreeBuilder};

use crate::config::Plan;
use crate::daemon::StartError;
use crate::door::snmp::Served;
use crate::own::{self, Kept, SnmpGroup, SystemGroup, SystemOptions};
use crate::programs;
use crate::regions::{Proxies, RegionParts};

/// The tree and what keeps it true.
pub struct Machine {
    /// The tree.
    pub tree: Arc<Tree>,
    /// The tree, and what doors need beside it.
    pub served: Arc<Served>,
    /// Other agents that answer for contexts.
    pub proxies: Arc<Proxies>,
    system: Arc<SystemGroup>,
    programs: Programs,
    /// Tells the tree of changed links; empty where the kernel does not let us listen.
    _links: Arc<OnceLock<LinkWatch>>,
}

/// What the machine's parts share.
pub struct Parts {
    /// Counters of the SNMP engine.
    pub counters: Arc<Counters>,
    /// What managers have set before.
    pub kept: Arc<Kept>,
    /// The moment of sysUpTime 0.
    pub started: Instant,
    /// Where snmpSetSerialNo starts.
    pub serial: i32,
}

/// The names of all groups, for the configuration.
pub fn group_names() -> Vec<&'static str> {
    let host = HostOptions::new(SourceRoot::host(), Instant::now());
    let own = own::GROUPS.iter().map(|group| group.name);
    own.chain(trunkline_host::providers(&host).iter().map(|provider| provider.group().name)).collect()
}

impl Machine {
    /// Builds the tree and begins to listen for changed links.
    pub fn start(plan: &Plan, parts: &Parts) -> Result<Self, StartError> {
        let host = HostOptions::new(SourceRoot::host(), parts.started);
        host.programs.configure(programs::watch_options(plan));
        let regions = RegionParts::new(plan, host.programs.runner())?;
        let options = SystemOptions { configured: plan.system.clone(), started: parts.started };
        let system = Arc::new(SystemGroup::new(options, parts.kept.clone()));
        let snmp = Arc::new(SnmpGroup::new(parts.counters.clone(), parts.kept.clone(), parts.serial));

        let mut providers: Vec<Arc<dyn Provider>> = vec![system.clone(), snmp];
        providers.extend(trunkline_host::providers(&host));
        let mut builder = TreeBuilder::default();
        for provider in providers {
            let freshness = plan.freshness.of(provider.group().name);
            builder.provider(provider, freshness);
        }
        regions.register(&mut builder);
        let programs = host.programs.clone();
        let tree = Arc::new(builder.build(parts.started)?);
        let links = watch_links(host, &tree)
            .map_err(|source| StartError::System { doing: "start a thread for link changes", source })?;
        let served = Served::new(tree.clone(), regions.handlers());
        Ok(Machine { tree, served, proxies: Arc::new(regions.proxies), system, programs, _links: links })
    }

    /// Takes another configuration.
    pub fn configure(&self, plan: &Plan) {
        self.system.configure(plan.system.clone());
        self.programs.configure(programs::watch_options(plan));
        let names: Vec<_> = self.tree.group_names().collect();
        for name in names {
            if let Some(group) = self.tree.group(name) {
                self.tree.set_freshness(group, plan.freshness.of(name));
            }
        }
        let changed = self.tree.group_names().filter(|name| is_configured(name));
        for group in changed.filter_map(|name| self.tree.group(name)) {
            self.tree.invalidate(group, Instant::now());
        }
    }
}

/// Whether what a group serves depends on the configuration.
fn is_configured(group: &str) -> bool {
    let names = ["system", "ucd-process", "ucd-exec", "ucd-disk", "ucd-load"];
    names.contains(&group) || group.starts_with("ns-extend")
}

/// Snapshots of changed groups stop counting as soon as the kernel tells of the change.
///
/// Reading all links once, with which the watch begins, waits for the kernel's lock on its
/// network configuration. That may be held for long, so it is done beside the start.
fn watch_links(host: HostOptions, tree: &Arc<Tree>) -> std::io::Result<Arc<OnceLock<LinkWatch>>> {
    let watched = tree.clone();
    let changed = move |group: &'static str| {
        if let Some(group) = watched.group(group) {
            watched.invalidate(group, Instant::now());
        }
    };
    let links = Arc::new(OnceLock::new());
    let place = links.clone();
    let start =
        move || match LinkWatch::start(&host, changed, |event| tracing::debug!(?event, "a link changed")) {
            Ok(watch) => drop(place.set(watch)),
            Err(error) => tracing::warn!(%error, "link changes are seen only when data is read anew"),
        };
    std::thread::Builder::new().name("link-start".into()).stack_size(256 * 1024).spawn(start)?;
    Ok(links)
}
