//! What is served: this machine's groups and the agent's own, in one tree.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Instant;

use arc_swap::ArcSwap;
use tokio::sync::watch;
use trunkline_host::programs::Programs;
use trunkline_host::{HostOptions, LinkEvent, LinkWatch, SourceRoot};
use trunkline_snmp::Counters;
use trunkline_tree::{Provider, Tree, TreeBuilder};

use crate::start_error::StartError;
use trunkline_admin::{AuthenticationTraps, Kept, SnmpGroup, SystemGroup, SystemOptions};
use trunkline_config::{PassPlan, Plan, ProxyPlan, UserPlan};
use trunkline_core::Served;
use trunkline_credentials::secure::OutgoingNow;
use trunkline_regions::{Proxies, RegionParts, Subagents};

/// The tree and what keeps it true.
pub struct Machine {
    current: Arc<ArcSwap<Current>>,
    /// What subagents answer for now.
    subagents: ArcSwap<Subagents>,
    providers: Vec<Arc<dyn Provider>>,
    system: Arc<SystemGroup>,
    programs: Programs,
    outgoing: OutgoingNow,
    host: HostOptions,
    started: Instant,
    /// Tells the tree of changed links; empty where the kernel does not let us listen.
    _links: Arc<OnceLock<LinkWatch>>,
    /// Its sender is gone when links are watched, or cannot be.
    watched: watch::Receiver<()>,
}

/// What is served now. Programs and proxies that answer for subtrees are a part of the tree: other ones make another.
pub struct Current {
    /// The tree, and what doors need besides.
    pub served: Arc<Served>,
    /// Other agents that answer for contexts.
    pub proxies: Arc<Proxies>,
    configured: Arc<Configured>,
}

/// What a configuration requires, without subagents.
struct Configured {
    tree: Arc<Tree>,
    regions: RegionParts,
    passes: Vec<PassPlan>,
    proxied: Vec<ProxyPlan>,
    users: Vec<UserPlan>,
}

/// What the machine's parts share.
pub struct Parts {
    /// Counters of the SNMP engine.
    pub counters: Arc<Counters>,
    /// What managers have set before.
    pub kept: Arc<Kept>,
    /// snmpEnableAuthenTraps.
    pub traps: Arc<AuthenticationTraps>,
    /// The moment of sysUpTime 0.
    pub started: Instant,
    /// Where snmpSetSerialNo starts.
    pub serial: i32,
    /// The agent's own objects besides SNMPv2-MIB.
    pub own: Vec<Arc<dyn Provider>>,
    /// The agent's identity in the sessions that it opens.
    pub outgoing: OutgoingNow,
    /// Whether linkUp and linkDown are sent.
    pub tells_of_links: Arc<AtomicBool>,
    /// Called for each interface that appeared, disappeared or changed a status; must be quick.
    pub on_link: OnLink,
}

/// The listener for interfaces.
pub type OnLink = Box<dyn Fn(&LinkEvent) + Send>;

impl Machine {
    /// Builds the tree and starts to listen for changed links.
    pub fn start(plan: &Plan, parts: Parts) -> Result<Self, StartError> {
        let tells_of_links = parts.tells_of_links.clone();
        let host = HostOptions { tells_of_links, ..HostOptions::new(SourceRoot::host(), parts.started) };
        host.programs.configure(trunkline_regions::watch_options(plan));
        let (system, providers) = providers(plan, &host, &parts);
        let programs = host.programs.clone();
        let current = Current::build(plan, &providers, &programs, &parts.outgoing, parts.started)?;
        let current = Arc::new(ArcSwap::from_pointee(current));
        let (begun, watched) = watch::channel(());
        let links = watch_links(host.clone(), &current, parts.on_link, begun)
            .map_err(|source| StartError::System { doing: "start a thread for link changes", source })?;
        let started = parts.started;
        let outgoing = parts.outgoing;
        let subagents = ArcSwap::default();
        Ok(Machine {
            current,
            subagents,
            providers,
            system,
            programs,
            outgoing,
            host,
            started,
            _links: links,
            watched,
        })
    }

    /// Whether what a configuration requires can be served; starts nothing.
    ///
    /// # Errors
    /// Programs or proxies that claim what something else serves.
    pub fn check(plan: &Plan, parts: Parts) -> Result<(), StartError> {
        let tells_of_links = parts.tells_of_links.clone();
        let host = HostOptions { tells_of_links, ..HostOptions::new(SourceRoot::host(), parts.started) };
        let (_, providers) = providers(plan, &host, &parts);
        Current::build(plan, &providers, &host.programs, &parts.outgoing, parts.started).map(drop)
    }

    /// Waits until an interface that appears is noticed, or cannot be.
    pub async fn watched(&self) {
        let mut watched = self.watched.clone();
        while watched.changed().await.is_ok() {}
    }

    /// The group `system`.
    pub fn system(&self) -> &Arc<SystemGroup> {
        &self.system
    }

    /// The machine that is served.
    pub fn host(&self) -> &HostOptions {
        &self.host
    }

    /// What is served now.
    pub fn current(&self) -> Arc<Current> {
        self.current.load_full()
    }

    /// What is served, from now on too.
    pub fn shared_current(&self) -> Arc<ArcSwap<Current>> {
        self.current.clone()
    }

    /// What another configuration would serve; nothing changes yet. `None`: what is served now.
    ///
    /// # Errors
    /// Programs or proxies that cannot be served.
    pub fn prepare(&self, plan: &Plan) -> Result<Option<Current>, StartError> {
        if self.current.load().is_for(plan) {
            return Ok(None);
        }
        Current::build(plan, &self.providers, &self.programs, &self.outgoing, self.started).map(Some)
    }

    /// Serves what these subagents answer for, and no others any more. The tree takes a moment to build.
    pub fn serve(&self, subagents: Subagents) {
        let current = self.current.load().with(&subagents);
        self.subagents.store(Arc::new(subagents));
        self.current.store(Arc::new(current));
    }

    /// Applies another configuration, with what was prepared for it.
    pub fn configure(&self, plan: &Plan, prepared: Option<Current>) {
        if let Some(current) = prepared {
            self.current.store(Arc::new(current.with(&self.subagents.load())));
        }
        self.system.configure(plan.system.clone());
        self.programs.configure(trunkline_regions::watch_options(plan));
        let current = self.current();
        let tree = &current.served.tree;
        for name in tree.group_names() {
            let Some(group) = tree.group(name) else { continue };
            tree.set_freshness(group, plan.freshness.of(name));
            if is_configured(name) {
                tree.invalidate(group, Instant::now());
            }
        }
    }
}

/// All groups, the system group among them.
fn providers(plan: &Plan, host: &HostOptions, parts: &Parts) -> (Arc<SystemGroup>, Vec<Arc<dyn Provider>>) {
    let options = SystemOptions { configured: plan.system.clone(), started: parts.started };
    let system = Arc::new(SystemGroup::new(options, parts.kept.clone()));
    let snmp = SnmpGroup::new(parts.counters.clone(), parts.kept.clone(), parts.traps.clone(), parts.serial);
    let mut providers: Vec<Arc<dyn Provider>> = vec![system.clone(), Arc::new(snmp)];
    providers.extend(parts.own.iter().cloned());
    providers.extend(trunkline_host::providers(host));
    (system, providers)
}

impl Current {
    fn build(
        plan: &Plan,
        providers: &[Arc<dyn Provider>],
        programs: &Programs,
        outgoing: &OutgoingNow,
        started: Instant,
    ) -> Result<Self, StartError> {
        let regions = RegionParts::new(plan, programs.runner(), outgoing)?;
        let mut builder = TreeBuilder::default();
        for provider in providers {
            builder.provider(provider.clone(), plan.freshness.of(provider.group().name));
        }
        regions.register(&mut builder);
        let tree = Arc::new(builder.build(started)?);
        Ok(Current {
            served: Served::new(tree.clone(), regions.handlers()),
            proxies: Arc::new(regions.proxies.clone()),
            configured: Arc::new(Configured {
                tree,
                regions,
                passes: plan.passes.clone(),
                proxied: plan.proxies.clone(),
                users: plan.snmp.users.clone(),
            }),
        })
    }

    /// The same configuration with other subagents. The groups keep their snapshots.
    fn with(&self, subagents: &Subagents) -> Current {
        let Configured { tree: own, regions, .. } = &*self.configured;
        let (mut tree, mut handlers) = (own.clone(), regions.handlers());
        if !subagents.is_empty() {
            let mut builder = own.without_regions();
            regions.register(&mut builder);
            let theirs = subagents.register(own, &mut builder);
            match builder.build(Instant::now()) {
                Ok(whole) => (tree, handlers) = (Arc::new(whole), [handlers, theirs].concat()),
                // What subagents register is checked before.
                Err(error) => tracing::error!(%error, "what subagents have registered cannot be served"),
            }
        }
        Current {
            served: Served::new(tree, handlers),
            proxies: Arc::new(regions.proxies.and(subagents.context_proxies())),
            configured: self.configured.clone(),
        }
    }

    /// The tree without subagents.
    pub fn own_tree(&self) -> &Arc<Tree> {
        &self.configured.tree
    }

    /// Whether the configuration has something else answer for a context.
    pub fn has_context(&self, context: &[u8]) -> bool {
        self.configured.regions.proxies.has(context)
    }

    /// Whether this configuration would make the same.
    fn is_for(&self, plan: &Plan) -> bool {
        let Configured { passes, proxied, users, .. } = &*self.configured;
        let has_same_users = || proxied.is_empty() || *users == plan.snmp.users;
        *passes == plan.passes && *proxied == plan.proxies && has_same_users()
    }
}

/// Whether a group's data depends on the configuration.
fn is_configured(group: &str) -> bool {
    let names = [
        "system",
        "ucd-process",
        "ucd-exec",
        "ucd-disk",
        "ucd-load",
        "usm-users",
        "vacm",
        "snmp-targets",
        "snmp-tlstm",
    ];
    names.contains(&group) || group.starts_with("ns-extend")
}

/// Snapshots of changed groups stop counting as soon as the kernel reports the change.
///
/// The watch starts by reading all links once, which waits for the kernel's lock on its network configuration.
/// That may be held for long, so it runs in parallel with the start.
fn watch_links(
    host: HostOptions,
    current: &Arc<ArcSwap<Current>>,
    on_link: OnLink,
    begun: watch::Sender<()>,
) -> std::io::Result<Arc<OnceLock<LinkWatch>>> {
    let watched = current.clone();
    let changed = move |group: &'static str| {
        let current = watched.load();
        let tree = &current.served.tree;
        if let Some(group) = tree.group(group) {
            tree.invalidate(group, Instant::now());
        }
    };
    let links = Arc::new(OnceLock::new());
    let place = links.clone();
    let start = move || {
        match LinkWatch::start(&host, changed, move |event| {
            tracing::debug!(?event, "a link changed");
            on_link(event);
        }) {
            Ok(watch) => drop(place.set(watch)),
            Err(error) => tracing::warn!(%error, "link changes are noticed only when data is read again"),
        }
        drop(begun);
    };
    std::thread::Builder::new().name("link-start".into()).stack_size(256 * 1024).spawn(start)?;
    Ok(links)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_configuration_knows_every_group() {
        let host = HostOptions::new(SourceRoot::host(), Instant::now());
        let engine = [
            &trunkline_admin::SNMP_ENGINE,
            &trunkline_admin::USM_USERS,
            &trunkline_admin::VACM,
            &trunkline_admin::SNMP_TARGETS,
            &trunkline_admin::NOTIFICATION_LOG,
            &trunkline_events::EVENTS,
            &trunkline_events::EXPRESSIONS,
            &trunkline_events::EXPRESSION_VALUES,
            &trunkline_admin::AGENTX,
            &trunkline_admin::SNMP_TSM,
            &trunkline_admin::SNMP_TLSTM,
            &trunkline_admin::SNMP_SSHTM,
            &trunkline_groups::GROUPS,
            &trunkline_groups::GROUP_VALUES,
        ];
        let own = trunkline_admin::GROUPS.iter().copied().chain(engine);
        let all: Vec<&str> = own
            .map(|group| group.name)
            .chain(trunkline_host::providers(&host).iter().map(|provider| provider.group().name))
            .collect();
        assert_eq!(all, trunkline_config::GROUPS);
    }
}
