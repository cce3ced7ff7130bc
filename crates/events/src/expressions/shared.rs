//! What the providers of the tables and the tasks share.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::time::Instant;

use arc_swap::ArcSwap;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use trunkline_config::ExpressionsPlan;
use trunkline_core::Core;

use super::computation::State;
use super::definition::{Definition, Definitions};
use super::errors::Errors;
use super::groups::EXPRESSION_VALUES;
use super::limits::Limits;
use crate::definition::Named;
use crate::resources::Resources;

/// What the providers and the engine share.
pub(super) struct Shared {
    /// What is active.
    pub definitions: ArcSwap<Definitions>,
    /// They have changed.
    pub news: Notify,
    /// Rows have changed, so that another may end first.
    pub changed: Arc<Notify>,
    /// What is held for differences.
    pub resources: Arc<Resources>,
    /// The configuration's limits.
    pub plan: ArcSwap<ExpressionsPlan>,
    /// The limits of managers.
    pub limits: ArcSwap<Limits>,
    /// What went wrong.
    pub errors: Errors,
    /// The moment of sysUpTime 0.
    pub started: Instant,
    /// Where values are computed; none before the agent has started.
    pub at_work: OnceLock<(Handle, Weak<Core>)>,
    states: Mutex<BTreeMap<Named, Kept>>,
}

/// What is kept of an expression from one evaluation to the next, as long as its rows are the same.
struct Kept {
    definition: Arc<Definition>,
    state: Arc<Mutex<State>>,
}

impl Shared {
    /// Nothing yet.
    pub fn new(started: Instant) -> Self {
        Shared {
            definitions: ArcSwap::default(),
            news: Notify::new(),
            changed: Arc::default(),
            resources: Arc::default(),
            plan: ArcSwap::default(),
            limits: ArcSwap::default(),
            errors: Errors::default(),
            started,
            at_work: OnceLock::new(),
            states: Mutex::default(),
        }
    }

    /// Takes other definitions; those that are the same keep their state.
    pub fn define(&self, definitions: Definitions) {
        self.states_now()
            .retain(|id, kept| definitions.all.get(id).is_some_and(|new| *new == kept.definition));
        self.errors.retain(|index| definitions.has_row(index));
        self.definitions.store(Arc::new(definitions));
        self.news.notify_one();
        self.changed.notify_one();
    }

    /// The state of an expression.
    pub fn state(&self, definition: &Arc<Definition>) -> Arc<Mutex<State>> {
        let mut states = self.states_now();
        let kept = states.get(&definition.id).filter(|kept| kept.definition == *definition);
        if let Some(kept) = kept {
            return kept.state.clone();
        }
        let state = Arc::new(Mutex::new(State::new(self.resources.clone())));
        // One that has been replaced meanwhile is not kept.
        if self.definitions.load().all.get(&definition.id).is_some_and(|known| known == definition) {
            let kept = Kept { definition: definition.clone(), state: state.clone() };
            states.insert(definition.id.clone(), kept);
        }
        state
    }

    /// Values that were computed before do not count any more.
    pub fn outdate_values(&self) {
        if let Some(core) = self.at_work.get().and_then(|(_, core)| core.upgrade()) {
            let settings = core.settings();
            let tree = &settings.served().tree;
            if let Some(group) = tree.group(EXPRESSION_VALUES.name) {
                tree.invalidate(group, Instant::now());
            }
        }
    }

    /// Applies the limits, the least of the configuration's and those of managers.
    pub fn limit_instances(&self) {
        let most = self.plan.load().max_instances;
        let set = self.limits.load().instances as usize;
        self.resources.set_limit(if set == 0 { most } else { most.min(set) });
    }

    fn states_now(&self) -> MutexGuard<'_, BTreeMap<Named, Kept>> {
        self.states.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
