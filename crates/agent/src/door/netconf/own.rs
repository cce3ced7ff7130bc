//! Data of the modules that the agent makes itself: what a `get` of a session reads, and what a `get-config` does.

use std::future::Future;
use std::pin::Pin;

use trunkline_datastore::{Config, Step};
use trunkline_yang::forest::NodeId;
use trunkline_yang::instances::Instances;
use trunkline_yang::selection::Wanted;

use super::interfaces::Interfaces;
use super::made::Made;
use super::monitoring::Monitoring;
use super::{Netconf, library, monitoring, system};
use crate::core::{DataQuery, OwnData};

/// Configuration and state.
pub(super) struct Own<'o> {
    pub door: &'o Netconf,
    /// The session that asks.
    pub session_id: u32,
    /// What of running it may read.
    pub config: Config,
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
            match models.forest[root].name.as_str() {
                "netconf-state" => {
                    let monitoring = Monitoring { door: self.door, session_id: self.session_id };
                    monitoring.make(&mut made, query.access);
                }
                "netconf" => monitoring::streams(self.door, &mut made),
                "yang-library" => library::make(models, &mut made),
                "modules-state" => library::make_state(models, &mut made),
                "system-state" => system::make_state(&mut made, query.access),
                "interfaces" => {
                    let interfaces = Interfaces {
                        query,
                        root,
                        wanted,
                        config: &self.config,
                        started: self.door.register.started,
                        places: &self.door.places,
                    };
                    interfaces.make(&mut made).await;
                }
                _ => return part(&self.config, root),
            }
            made.end()
        })
    }
}

/// A configuration.
pub(super) struct ConfigData(pub Config);

impl OwnData for ConfigData {
    fn instances<'a>(
        &'a self,
        _query: &'a DataQuery<'a>,
        root: NodeId,
        _wanted: &'a Wanted,
    ) -> Pin<Box<dyn Future<Output = Instances> + Send + 'a>> {
        Box::pin(async move { part(&self.0, root) })
    }
}

/// What a configuration has of a root.
fn part(config: &Config, root: NodeId) -> Instances {
    let mut part = Config::default();
    if let Some(item) = config.root().get(&Step::to(root)) {
        part.root_mut().insert(Step::to(root), item.clone());
    }
    part.instances()
}
