//! What the provider of the tables and the tasks of the triggers share.

use std::sync::{Arc, OnceLock};

use arc_swap::ArcSwap;
use tokio::sync::Notify;
use trunkline_config::EventsPlan;
use trunkline_smi::Oid;

use crate::definition::Definitions;
use crate::expressions::Inputs;
use crate::limits::Limits;
use crate::resources::Resources;

/// What the provider and the engine share.
#[derive(Default)]
pub(crate) struct Shared {
    /// What is active.
    pub definitions: ArcSwap<Definitions>,
    /// They have changed.
    pub news: Notify,
    /// Rows have changed, so that another may end first.
    pub changed: Arc<Notify>,
    /// What is counted.
    pub resources: Arc<Resources>,
    /// The configuration's limits.
    pub plan: ArcSwap<EventsPlan>,
    /// The limits of managers.
    pub limits: ArcSwap<Limits>,
    /// What sampled values are computed of; none before the agent has started.
    pub inputs: OnceLock<Inputs>,
}

impl Shared {
    /// What a notification about a sampled instance is about: the instance, and what its value is computed of.
    pub fn about(&self, instance: &Oid) -> Vec<Oid> {
        let inputs = self.inputs.get().map(|inputs| inputs.of(instance));
        std::iter::once(instance.clone()).chain(inputs.into_iter().flatten()).collect()
    }

    /// Takes the limits of managers.
    pub fn limit(&self, limits: Limits) {
        self.limits.store(Arc::new(limits));
        self.limit_instances();
    }

    /// Takes the configuration's limits.
    pub fn limit_instances(&self) {
        let most = self.plan.load().max_instances;
        let set = self.limits.load().instances as usize;
        self.resources.set_limit(if set == 0 { most } else { most.min(set) });
    }
}
