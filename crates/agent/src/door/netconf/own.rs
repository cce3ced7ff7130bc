//! Data of the modules that the agent makes itself: what a `get` of a session reads, and what a `get-config` does.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use trunkline_datastore::{Config, Item, Step, with_all};
use trunkline_models::joined::Configured;
use trunkline_models::library::{self, Library};
use trunkline_models::snmp::{SnmpConfig, SnmpState};
use trunkline_models::{Model, Rows, delegation, paper, snmp};
use trunkline_netconf::operation::WithDefaults;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::Table;
use trunkline_tree::{Coverage, RowRange};
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::{Forest, NodeId};
use trunkline_yang::instances::Instances;
use trunkline_yang::own::{BGP, PAPER};
use trunkline_yang::selection::Wanted;

use super::made::Made;
use super::monitoring::Monitoring;
use super::permission::{self, readable};
use super::{Netconf, hook_state, monitoring, nacm, restconf, system};
use trunkline_core::{DataQuery, Narrow, OwnData};
use trunkline_state::Interfaces;

/// Configuration and state.
pub(super) struct Own<'o> {
    pub door: &'o Netconf,
    /// The session that asks.
    pub session_id: u32,
    /// What of running it may read.
    pub config: Config,
    /// The same with defaults that nobody has set, which are marked; `None`: they are not reported so.
    pub with_all: Option<Config>,
    /// Whether it is the operational datastore (RFC 8342), which has only what is in force.
    pub is_operational: bool,
    /// What of it is written.
    pub narrow: Narrow,
    /// How defaults are reported.
    pub defaults: Option<WithDefaults>,
    /// Where RESTCONF is, as the client addresses it.
    pub base: &'o str,
}

impl OwnData for Own<'_> {
    fn instances<'a>(
        &'a self,
        query: &'a DataQuery<'a>,
        root: NodeId,
        wanted: &'a Wanted,
    ) -> Pin<Box<dyn Future<Output = Instances> + Send + 'a>> {
        Box::pin(async move {
            let models = self.door.models();
            let mut made = Made::begin(&models.forest, root, wanted);
            if let Some(model) = trunkline_models::of_root(&models.forest, root) {
                let rows = rows(query, model, root, wanted).await;
                if models.forest[root].place.is_configuration() {
                    made.note(Annotation::from(Origin::Intended));
                }
                (model.make)(&rows, self.config.root().within(&Step::to(root)), &mut made);
                if models.forest.module(root).name == PAPER.name {
                    self.paper(root, query, wanted, &mut made).await;
                }
                return made.end();
            }
            match models.forest[root].name.as_str() {
                "netconf-state" => {
                    let monitoring = Monitoring { door: self.door, session_id: self.session_id };
                    monitoring.make(&mut made, query.access);
                }
                "restconf-state" => restconf::state(self.door, self.base, &mut made),
                "netconf" => monitoring::streams(self.door, &mut made),
                "streams" => monitoring::streams_of_subscriptions(self.door, &mut made),
                "subscriptions" => {
                    let sees_all = permission::sees_names(query.access);
                    self.door.subscriptions.make(|session| sees_all || session == self.session_id, &mut made);
                }
                name @ ("yang-library" | "modules-state") => {
                    let has_files = self.door.has_files();
                    let content_id = models.content_id(has_files);
                    let library = Library { modules: &models.modules, has_own: true, has_files, content_id };
                    make_library(name, library, &mut made);
                }
                "nacm" => nacm::make(self.door, query, root, wanted, &mut made),
                "system-state" => system::make_state(&mut made, query.access),
                "interfaces" => {
                    let interfaces = Interfaces {
                        query,
                        root,
                        wanted,
                        config: &self.config,
                        started: self.door.register.started,
                        places: &self.door.places,
                        with_others: !self.is_operational,
                    };
                    interfaces.make(&mut made).await;
                }
                "system" => {
                    made.note(Annotation::from(Origin::Intended));
                    self.system(root, query, &mut made);
                }
                "snmp" => self.snmp(root, snmp::in_force, query, &mut made),
                "delegation" => self.snmp(root, delegation::in_force, query, &mut made),
                _ => {
                    let configured = match &self.with_all {
                        Some(all) => Configured::marked(part(all, root), part(&self.config, root)),
                        None => Configured::of(part(&self.config, root)),
                    };
                    if !hook_state::make(self.door, query, root, &configured, &mut made).await {
                        return Instances::new();
                    }
                }
            }
            made.end()
        })
    }

    fn narrow(&self) -> Narrow {
        self.narrow
    }

    fn trims(&self) -> bool {
        self.defaults == Some(WithDefaults::Trim)
    }
}

impl Own<'_> {
    fn system(&self, root: NodeId, query: &DataQuery<'_>, made: &mut Made<'_>) {
        let forest = &self.door.models().forest;
        let configured = self.config.root().within(&Step::to(root));
        for &leaf in &forest[root].children {
            let name = &forest[leaf].name;
            if let Some(value) = configured.and_then(|branch| branch.leaf(leaf)) {
                made.leaf_of(leaf, value);
                let is_fixed = self.door.datastores.is_fixed(name);
                made.note(Annotation::from(if is_fixed { Origin::File } else { Origin::Intended }));
            } else if self.is_operational && name == "hostname" {
                let object = forest[leaf].place.setting().map(|setting| setting.object);
                if object.is_some_and(|object| query.access.may_read_below(object) != Coverage::None) {
                    made.leaf_of(leaf, &rustix::system::uname().nodename().to_string_lossy());
                    made.note(Annotation::from(Origin::System));
                }
            }
        }
    }
}

impl Own<'_> {
    /// What is in force, with where it comes from.
    fn snmp(
        &self,
        root: NodeId,
        in_force: fn(&Forest, &SnmpState) -> SnmpConfig,
        query: &DataQuery<'_>,
        made: &mut Made<'_>,
    ) {
        let forest = &self.door.models().forest;
        let found = in_force(forest, &self.door.datastores.snmp());
        let mut config = Config::default();
        config.root_mut().insert(Step::to(root), Item::Within(Arc::new(found.branch)));
        let explicit = readable(forest, &config, query.access);
        let all = match self.defaults {
            Some(WithDefaults::ReportAll | WithDefaults::ReportAllTagged) => {
                readable(forest, &with_all(forest, &explicit), query.access)
            }
            _ => explicit.clone(),
        };
        let step = Step::to(root);
        if let Some(branch) = all.root().within(&step) {
            snmp::make(forest, root, (branch, explicit.root().within(&step)), found.fixed, made);
        }
    }
}

impl Own<'_> {
    /// What of the paper's document is not made of rows.
    async fn paper(&self, root: NodeId, query: &DataQuery<'_>, wanted: &Wanted, made: &mut Made<'_>) {
        let forest = &self.door.models().forest;
        // A program runs only for those who want what it knows.
        let bgp = forest.child_of(None, BGP.name, "bgp");
        if let Some(bgp) = bgp.filter(|_| wanted.reaches(forest, root, &["routing", "bgp"])) {
            let mut router = Made::begin(forest, bgp, &Wanted::All);
            let config = self.config_of_state(query, bgp).await;
            if hook_state::make(self.door, query, bgp, &Configured::of(config), &mut router).await {
                paper::bgp(forest, &router.end(), made);
            }
        }
        nacm::make_roles(self.door, query, root, wanted, made);
    }

    /// What of a root of running may be read, also by those who have asked for nothing but state.
    async fn config_of_state(&self, query: &DataQuery<'_>, root: NodeId) -> Config {
        let (door, forest) = (self.door, &self.door.models().forest);
        let running = door.datastores.read(&door.core, forest, false, |wanted| wanted == root).await;
        readable(forest, &running, query.access)
    }
}

/// The rows that what is wanted of a model is made of.
async fn rows(query: &DataQuery<'_>, model: &Model, root: NodeId, wanted: &Wanted) -> Rows {
    let mut rows = Rows::default();
    let parts = model.parts.iter().filter(|part| wanted.reaches(query.forest, root, part.path));
    for &reads in parts.flat_map(|part| part.reads) {
        let table = ALL.iter().flat_map(|module| module.tables).find(|table| table.name == reads.table);
        let Some(table) = table.filter(|_| !rows.has(reads)) else { continue };
        let columns: Vec<(&'static Table, u32)> = reads.columns.iter().map(|id| (table, *id)).collect();
        match query.cells_within(&columns, RowRange::All, MOST_ROWS).await {
            Some(found) => rows.add(reads, found),
            None => tracing::warn!(
                "{} of {} is left out: {} has more than {MOST_ROWS} rows; read that table itself",
                model.root,
                model.module.name,
                reads.table
            ),
        }
    }
    rows
}

/// Rows of a table of which a model is made: some tens of MB.
const MOST_ROWS: usize = 100_000;

/// A configuration.
pub(super) struct ConfigData {
    pub config: Config,
    /// The same without defaults that nobody has set, if those are to be marked.
    pub explicit: Option<Config>,
}

impl OwnData for ConfigData {
    fn instances<'a>(
        &'a self,
        _query: &'a DataQuery<'a>,
        root: NodeId,
        _wanted: &'a Wanted,
    ) -> Pin<Box<dyn Future<Output = Instances> + Send + 'a>> {
        Box::pin(async move {
            match &self.explicit {
                None => part(&self.config, root).instances(),
                Some(explicit) => part(&self.config, root).instances_marked(&part(explicit, root)),
            }
        })
    }
}

/// What the agent makes of a device: the library of its modules.
pub(super) struct DeviceData<'d>(pub &'d Netconf);

impl OwnData for DeviceData<'_> {
    fn instances<'a>(
        &'a self,
        _query: &'a DataQuery<'a>,
        root: NodeId,
        wanted: &'a Wanted,
    ) -> Pin<Box<dyn Future<Output = Instances> + Send + 'a>> {
        Box::pin(async move {
            let models = self.0.models();
            let name = models.forest[root].name.as_str();
            if !["yang-library", "modules-state"].contains(&name) {
                return Instances::new();
            }
            let mut made = Made::begin(&models.forest, root, wanted);
            let content_id = &format!("{}-objects", models.content_id(false));
            let library = Library { modules: &models.modules, has_own: false, has_files: false, content_id };
            make_library(name, library, &mut made);
            made.end()
        })
    }
}

fn make_library(name: &str, library: Library<'_>, made: &mut Made<'_>) {
    match name {
        "yang-library" => library::make(library, made),
        _ => library::make_state(library, made),
    }
}

/// What a configuration has of a root.
fn part(config: &Config, root: NodeId) -> Config {
    config.of_roots(|of| of == root)
}
