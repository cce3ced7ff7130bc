//! The provider of DISMAN-EVENT-MIB: its tables, which hold the configuration's rows and those of managers, and its
//! scalars.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use trunkline_admin::rows::{Assignment, Refusal, Row, RowStore, RowTable, Rules};
use trunkline_admin::{Readers, StateError, StateFile};
use trunkline_config::Plan;
use trunkline_core::Core;
use trunkline_notify::Outbox;
use trunkline_smi::module::disman_event_mib as mib;
use trunkline_smi::{IndexValue, Value, ValueRef, decode_index};
use trunkline_tree::policy::Principal;
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use crate::authority::{Authority, CELL};
use crate::columns::{TABLES, TRUE, exists};
use crate::configured::{self, BUILT_IN, CONFIGURATION};
use crate::definition::Definitions;
use crate::engine::Engine;
use crate::expiry::{HIDDEN, Lasting};
use crate::expressions::Inputs;
use crate::limits::{Limits, LimitsChange, TablesChange};
use crate::shared::Shared;

/// The group `events`.
pub static EVENTS: Group = Group {
    name: "events",
    scalars: &[
        &mib::MTE_RESOURCE_SAMPLE_MINIMUM,
        &mib::MTE_RESOURCE_SAMPLE_INSTANCE_MAXIMUM,
        &mib::MTE_RESOURCE_SAMPLE_INSTANCES,
        &mib::MTE_RESOURCE_SAMPLE_INSTANCES_HIGH,
        &mib::MTE_RESOURCE_SAMPLE_INSTANCE_LACKS,
        &mib::MTE_TRIGGER_FAILURES,
        &mib::MTE_EVENT_FAILURES,
    ],
    tables: &[
        &mib::MTE_TRIGGER_TABLE,
        &mib::MTE_TRIGGER_DELTA_TABLE,
        &mib::MTE_TRIGGER_EXISTENCE_TABLE,
        &mib::MTE_TRIGGER_BOOLEAN_TABLE,
        &mib::MTE_TRIGGER_THRESHOLD_TABLE,
        &mib::MTE_OBJECTS_TABLE,
        &mib::MTE_EVENT_TABLE,
        &mib::MTE_EVENT_NOTIFICATION_TABLE,
        &mib::MTE_EVENT_SET_TABLE,
    ],
};

/// The provider of the group `events`.
pub struct EventsGroup {
    shared: Arc<Shared>,
    store: Arc<RowStore>,
    limits: Arc<StateFile<Limits>>,
}

impl EventsGroup {
    /// The group with the rows that managers have created before, kept in `events.toml`, and their limits, kept in
    /// `event-limits.toml`.
    ///
    /// # Errors
    /// A file of the state directory.
    pub fn open(directory: &Path) -> Result<Self, StateError> {
        let limits = StateFile::<Limits>::open_named(directory, "event-limits.toml", Readers::Anybody)?;
        let shared = Arc::new(Shared::default());
        shared.limit(limits.state());
        let told = shared.clone();
        let rules = Box::new(EventRules { shared: shared.clone() });
        let store = RowStore::open(TABLES, &HIDDEN, rules, (directory, "events.toml"), move |rows| {
            told.definitions.store(Arc::new(Definitions::of(rows)));
            told.news.notify_one();
            told.changed.notify_one();
        })?;
        Ok(EventsGroup { shared, store, limits: Arc::new(limits) })
    }

    /// Applies the triggers, events and limits of a configuration.
    pub fn configure(&self, plan: &Plan) {
        self.shared.plan.store(Arc::new(plan.event_limits.clone()));
        self.shared.limit_instances();
        self.store.configure(&configured::rows(plan));
    }

    /// The rows of the tables.
    pub const fn store(&self) -> &Arc<RowStore> {
        &self.store
    }

    /// Its rows that last for a time.
    pub fn lasting(&self) -> Lasting {
        Lasting { store: self.store.clone(), changed: self.shared.changed.clone() }
    }

    /// Starts to sample what is active, and whatever becomes active. `inputs` has what sampled values are computed of. Must be called on a
    /// tokio runtime.
    pub fn start(&self, core: Arc<Core>, outbox: Outbox, inputs: Inputs) -> Engine {
        let _ = self.shared.inputs.set(inputs);
        Engine::start(self.shared.clone(), core, outbox)
    }
}

/// The constraints on the columns beyond their syntax.
struct EventRules {
    shared: Arc<Shared>,
}

impl Rules for EventRules {
    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        let Assignment { table, column, value, .. } = *assignment;
        let inside = table.tables.iter().find(|table| table.columns.iter().any(|known| known.name == column));
        if let Some(inside) = inside.filter(|inside| !exists(inside.name, row)) {
            let reason =
                format!("{} has no such row: mteTriggerTest or mteEventActions lacks its bit", inside.name);
            return Err(Refusal::new(SetCheck::InconsistentName, reason));
        }
        let wrong = |reason: &str| Err(Refusal::new(SetCheck::WrongValue, reason));
        match (column, value) {
            ("mteTriggerTargetTag" | "mteEventSetTargetTag", ValueRef::OctetString(octets))
                if !octets.is_empty() =>
            {
                return wrong("only this agent itself is sampled and set: the tag must be empty");
            }
            ("mteTriggerContextNameWildcard" | "mteEventSetContextNameWildcard", ValueRef::Integer(TRUE)) => {
                return wrong("contexts are named in full");
            }
            ("mteTriggerFrequency", ValueRef::Unsigned32(0)) => {
                return wrong("objects are sampled, at most once a second");
            }
            ("mteTriggerFrequency", ValueRef::Unsigned32(number)) => {
                let least = self.shared.limits.load().least_frequency;
                if i64::from(number) < i64::from(least) {
                    let reason = format!("mteResourceSampleMinimum is {least}");
                    return Err(Refusal::new(SetCheck::InconsistentValue, reason));
                }
            }
            _ => {}
        }
        row.set(column, value.to_value());
        Ok(())
    }

    fn check(&self, table: &RowTable, index: &[u32], _row: &Row) -> Result<(), Refusal> {
        let parts = decode_index(table.tables[0].index, index).unwrap_or_default();
        let is_ours = |owner: &[u8]| owner == CONFIGURATION.as_bytes() || owner == BUILT_IN.as_bytes();
        match parts.first() {
            Some(IndexValue::Octets(owner)) if is_ours(owner) => {
                let reason = "this owner's rows come from the configuration";
                Err(Refusal::new(SetCheck::InconsistentValue, reason))
            }
            _ => Ok(()),
        }
    }

    fn activated(&self, _table: &RowTable, row: &mut Row, principal: Option<&Principal<'_>>) {
        row.set_secret(CELL, Authority::of(principal).to_octets());
    }

    fn read(&self, column: &'static str, row: &Row) -> Option<Value> {
        let all = TABLES.iter().flat_map(|table| table.tables);
        let inside = all.copied().find(|table| table.columns.iter().any(|known| known.name == column))?;
        exists(inside.name, row).then(|| row.get(column).cloned()).flatten()
    }
}

impl Provider for EventsGroup {
    fn group(&self) -> &'static Group {
        &EVENTS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&EVENTS);
        self.store.fill(&mut snapshot);
        let resources = &self.shared.resources;
        let (limits, (now, high)) = (self.limits.state(), resources.counts());
        let counter =
            |counter: &std::sync::atomic::AtomicU32| Value::Counter32(counter.load(Ordering::Relaxed));
        snapshot
            .scalar(&mib::MTE_RESOURCE_SAMPLE_MINIMUM, Value::Integer(limits.least_frequency))
            .scalar(&mib::MTE_RESOURCE_SAMPLE_INSTANCE_MAXIMUM, Value::Unsigned32(limits.instances))
            .scalar(&mib::MTE_RESOURCE_SAMPLE_INSTANCES, Value::Unsigned32(now))
            .scalar(&mib::MTE_RESOURCE_SAMPLE_INSTANCES_HIGH, Value::Unsigned32(high))
            .scalar(&mib::MTE_RESOURCE_SAMPLE_INSTANCE_LACKS, counter(&resources.lacks))
            .scalar(&mib::MTE_TRIGGER_FAILURES, counter(&resources.trigger_failures))
            .scalar(&mib::MTE_EVENT_FAILURES, counter(&resources.event_failures));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        let mut limits = self.limits.state();
        let mut first_limit = None;
        let mut rows = Vec::new();
        for item in items {
            match (item.name, item.value) {
                ("mteResourceSampleMinimum", ValueRef::Integer(number)) => limits.least_frequency = number,
                ("mteResourceSampleInstanceMaximum", ValueRef::Unsigned32(number)) => {
                    limits.instances = number
                }
                _ => {
                    rows.push(*item);
                    continue;
                }
            }
            first_limit.get_or_insert(item.binding);
        }
        let shared = self.shared.clone();
        let limits = first_limit.map(|binding| LimitsChange {
            file: self.limits.clone(),
            apply: Box::new(move |limits| shared.limit(limits)),
            binding,
            new: limits,
            old: None,
        });
        let rows = (!rows.is_empty()).then(|| self.store.prepare(&rows, principal)).transpose()?;
        Ok(Box::new(TablesChange { limits, rows }))
    }
}
