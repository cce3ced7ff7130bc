//! The provider of the definitions, the errors and the limits.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use trunkline_admin::rows::{Assignment, Refusal, Row, RowStore, RowTable, Rows, Rules};
use trunkline_admin::{Readers, StateError, StateFile};
use trunkline_config::Plan;
use trunkline_core::Core;
use trunkline_smi::module::disman_expression_mib as mib;
use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::policy::Principal;
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SnapshotBuilder,
    SourceError,
};

use super::columns::{self, TABLES};
use super::configured;
use super::definition::{Definitions, named, parse};
use super::groups::EXPRESSIONS;
use super::inputs::Inputs;
use super::limits::Limits;
use super::links;
use super::shared::Shared;
use super::task::ExpressionEngine;
use super::values::ExpressionValues;
use crate::authority::{Authority, CELL};
use crate::configured::CONFIGURATION;
use crate::expiry::{HIDDEN, Lasting};
use crate::limits::{LimitsChange, TablesChange};

/// RowStatus: destroy.
const DESTROY: i32 = 6;

/// The provider of the group `expressions`.
pub struct ExpressionsGroup {
    shared: Arc<Shared>,
    store: Arc<RowStore>,
    limits: Arc<StateFile<Limits>>,
}

impl ExpressionsGroup {
    /// The group with the rows that managers have created before, kept in `expressions.toml`, and their limits, kept in
    /// `expression-limits.toml`. sysUpTime was 0 when the agent was `started`.
    ///
    /// # Errors
    /// A file of the state directory.
    pub fn open(directory: &Path, started: Instant) -> Result<Self, StateError> {
        let limits = StateFile::<Limits>::open_named(directory, "expression-limits.toml", Readers::Anybody)?;
        let shared = Arc::new(Shared::new(started));
        shared.limits.store(Arc::new(limits.state()));
        shared.limit_instances();
        let told = shared.clone();
        let rules = Box::new(ExpressionRules { shared: shared.clone() });
        let store = RowStore::open(TABLES, &HIDDEN, rules, (directory, "expressions.toml"), move |rows| {
            told.define(Definitions::of(rows));
            told.outdate_values();
        })?;
        Ok(ExpressionsGroup { shared, store, limits: Arc::new(limits) })
    }

    /// The provider of the values.
    pub fn values(&self) -> ExpressionValues {
        ExpressionValues(self.shared.clone())
    }

    /// What its values are computed of.
    pub fn inputs(&self) -> Inputs {
        Inputs(self.shared.clone())
    }

    /// Applies the expressions and limits of a configuration.
    pub fn configure(&self, plan: &Plan) {
        self.shared.plan.store(Arc::new(plan.expression_limits.clone()));
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

    /// Starts to compute what is active, and whatever becomes active. Must be called on a tokio runtime.
    pub fn start(&self, core: Arc<Core>) -> ExpressionEngine {
        let at_work = (tokio::runtime::Handle::current(), Arc::downgrade(&core));
        let _ = self.shared.at_work.set(at_work);
        self.shared.outdate_values();
        ExpressionEngine::start(self.shared.clone(), core)
    }

    /// Whether an owner may have as many expressions more as a request creates.
    fn check_shares(&self, rows: &Rows, items: &[SetItem<'_>]) -> Result<(), SetError> {
        let most = self.shared.plan.load().max_per_owner;
        let owner = |index: &[u32]| named(&mib::EXP_EXPRESSION_TABLE, index).map(|(id, _)| id.owner);
        let mut created: Vec<Vec<u8>> = Vec::new();
        for item in items.iter().filter(|item| item.name == "expExpressionEntryStatus") {
            let is_new = rows.get(&mib::EXP_EXPRESSION_TABLE, item.index).is_none();
            let Some(owner) =
                owner(item.index).filter(|_| is_new && item.value != ValueRef::Integer(DESTROY))
            else {
                continue;
            };
            let there =
                rows.of(&mib::EXP_EXPRESSION_TABLE).filter(|(index, _)| owner_is(index, &owner)).count();
            created.push(owner.clone());
            if there + created.iter().filter(|other| **other == owner).count() > most {
                let reason = format!("max-per-owner is {most}");
                return Err(Refusal::new(SetCheck::ResourceUnavailable, reason).of(item));
            }
        }
        Ok(())
    }
}

fn owner_is(index: &[u32], owner: &[u8]) -> bool {
    named(&mib::EXP_EXPRESSION_TABLE, index).is_some_and(|(id, _)| id.owner == owner)
}

/// The constraints on the columns beyond their syntax.
struct ExpressionRules {
    shared: Arc<Shared>,
}

impl Rules for ExpressionRules {
    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        let Assignment { column, value, index, .. } = *assignment;
        let least = self.shared.limits.load().least_interval;
        let refuse = |check, reason: String| Err(Refusal::new(check, reason));
        match (column, value) {
            ("expExpression", ValueRef::OctetString(octets)) => {
                if let Err(fault) = parse(octets) {
                    let reason = fault.to_string();
                    if !assignment.is_trial {
                        self.shared.errors.refused(index, fault, Instant::now());
                    }
                    return refuse(SetCheck::WrongValue, reason);
                }
            }
            ("expExpressionDeltaInterval", ValueRef::Integer(number)) if number > 0 && number < least => {
                return refuse(SetCheck::InconsistentValue, format!("expResourceDeltaMinimum is {least}"));
            }
            ("expObjectSampleType", ValueRef::Integer(number))
                if number != columns::ABSOLUTE && least < 0 =>
            {
                let reason = "expResourceDeltaMinimum is -1: there are no differences".into();
                return refuse(SetCheck::InconsistentValue, reason);
            }
            (column, _) if columns::is_of_differences(column) && !columns::has_differences(row) => {
                let reason = "there is no such instance: expObjectSampleType is absoluteValue".into();
                return refuse(SetCheck::InconsistentName, reason);
            }
            _ => {}
        }
        row.set(column, value.to_value());
        if let Some(principal) = assignment.principal {
            // An active row may be changed: it acts by the rights of whoever did that last.
            row.set_secret(CELL, Authority::of(Some(principal)).to_octets());
        }
        Ok(())
    }

    fn check(&self, table: &RowTable, index: &[u32], _row: &Row) -> Result<(), Refusal> {
        let Some((id, _)) = named(table.tables[0], index) else { return Ok(()) };
        if id.owner == CONFIGURATION.as_bytes() {
            let reason = "this owner's rows come from the configuration";
            return Err(Refusal::new(SetCheck::InconsistentValue, reason));
        }
        if !links::has_room(&id) {
            let reason = "the owner and the name are so long that no value could have a name";
            return Err(Refusal::new(SetCheck::InconsistentValue, reason));
        }
        Ok(())
    }

    fn activated(&self, _table: &RowTable, row: &mut Row, principal: Option<&Principal<'_>>) {
        row.set_secret(CELL, Authority::of(principal).to_octets());
    }
}

impl ExpressionsGroup {
    fn fill(&self, snapshot: &mut SnapshotBuilder) {
        let (rows, definitions) = (self.store.rows(), self.shared.definitions.load_full());
        let builder = snapshot.table(&mib::EXP_EXPRESSION_TABLE);
        for (index, row) in rows.of(&mib::EXP_EXPRESSION_TABLE) {
            let errors = self.shared.errors.of(index).map_or(0, |error| error.count);
            let active = definitions.at(index);
            let prefix = active.and_then(|active| active.prefix()).cloned().unwrap_or(Oid::EMPTY);
            let mut cells = builder.row(index);
            for column in
                mib::EXP_EXPRESSION_TABLE.columns.iter().filter(|column| column.access.is_readable())
            {
                let value = match column.name {
                    "expExpressionPrefix" => Some(Value::ObjectIdentifier(prefix.clone())),
                    "expExpressionErrors" => Some(Value::Counter32(errors)),
                    "expExpressionEntryStatus" => Some(Value::Integer(row.state.status as i32)),
                    name => row.get(name).cloned(),
                };
                if let Some(value) = value {
                    cells.value(column.id, value.as_value_ref());
                }
            }
        }
        let builder = snapshot.table(&mib::EXP_ERROR_TABLE);
        for (index, _) in rows.of(&mib::EXP_EXPRESSION_TABLE) {
            let Some(error) = self.shared.errors.of(index) else { continue };
            let elapsed = error.at.saturating_duration_since(self.shared.started).as_millis() / 10;
            let at = i32::try_from(error.fault.at).unwrap_or(0);
            let instance = match error.instance.as_slice() {
                [] => Vec::new(),
                instance => [&[0, 0], instance].concat(),
            };
            let mut cells = builder.row(index);
            cells.value(1, ValueRef::TimeTicks(elapsed as u32));
            cells.value(2, ValueRef::Integer(at));
            cells.value(3, ValueRef::Integer(error.fault.code as i32));
            cells.value(4, ValueRef::ObjectIdentifier(&instance));
        }
        let builder = snapshot.table(&mib::EXP_OBJECT_TABLE);
        for (index, row) in rows.of(&mib::EXP_OBJECT_TABLE) {
            let mut cells = builder.row(index);
            for column in mib::EXP_OBJECT_TABLE.columns.iter().filter(|column| column.access.is_readable()) {
                let value = match column.name {
                    "expObjectEntryStatus" => Some(Value::Integer(row.state.status as i32)),
                    name if columns::is_of_differences(name) && !columns::has_differences(row) => None,
                    name => row.get(name).cloned(),
                };
                if let Some(value) = value {
                    cells.value(column.id, value.as_value_ref());
                }
            }
        }
    }
}

impl Provider for ExpressionsGroup {
    fn group(&self) -> &'static Group {
        &EXPRESSIONS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&EXPRESSIONS);
        self.fill(&mut snapshot);
        let resources = &self.shared.resources;
        let (limits, (now, high)) = (self.limits.state(), resources.counts());
        let lacks = resources.lacks.load(Ordering::Relaxed);
        snapshot
            .scalar(&mib::EXP_RESOURCE_DELTA_MINIMUM, Value::Integer(limits.least_interval))
            .scalar(&mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_MAXIMUM, Value::Unsigned32(limits.instances))
            .scalar(&mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCES, Value::Unsigned32(now))
            .scalar(&mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCES_HIGH, Value::Unsigned32(high))
            .scalar(&mib::EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_RESOURCE_LACKS, Value::Counter32(lacks));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        let mut limits = self.limits.state();
        let mut first_limit = None;
        let mut of_rows = Vec::new();
        for item in items {
            match (item.name, item.value) {
                ("expResourceDeltaMinimum", ValueRef::Integer(0)) => {
                    let reason = "expected -1, or 1 to 600 seconds";
                    return Err(Refusal::new(SetCheck::WrongValue, reason).of(item));
                }
                ("expResourceDeltaMinimum", ValueRef::Integer(number)) => limits.least_interval = number,
                ("expResourceDeltaWildcardInstanceMaximum", ValueRef::Unsigned32(number)) => {
                    limits.instances = number;
                }
                _ => {
                    of_rows.push(*item);
                    continue;
                }
            }
            first_limit.get_or_insert(item.binding);
        }
        let shared = self.shared.clone();
        let limits = first_limit.map(|binding| LimitsChange {
            file: self.limits.clone(),
            apply: Box::new(move |limits| {
                shared.limits.store(Arc::new(limits));
                shared.limit_instances();
            }),
            binding,
            new: limits,
            old: None,
        });
        let rows = self.store.rows();
        self.check_shares(&rows, &of_rows)?;
        let objects = objects_of_destroyed(&rows, &of_rows);
        let destroyed = objects.iter().map(|(item, index)| SetItem {
            name: "expObjectEntryStatus",
            index,
            object: OBJECT_STATUS,
            ..**item
        });
        let all: Vec<SetItem<'_>> = of_rows.iter().copied().chain(destroyed).collect();
        let rows = (!all.is_empty()).then(|| self.store.prepare(&all, principal)).transpose()?;
        Ok(Box::new(TablesChange { limits, rows }))
    }
}

const OBJECT_STATUS: &[u32] = &[1, 3, 6, 1, 2, 1, 90, 1, 2, 3, 1, 10];

/// The objects of the expressions that a request destroys, which go with them (RFC 2982, expExpressionEntry).
fn objects_of_destroyed<'i>(rows: &Rows, items: &'i [SetItem<'i>]) -> Vec<(&'i SetItem<'i>, Vec<u32>)> {
    let is_destroyed = |item: &&SetItem<'_>| {
        item.name == "expExpressionEntryStatus" && item.value == ValueRef::Integer(DESTROY)
    };
    let mut found = Vec::new();
    for item in items.iter().filter(is_destroyed) {
        let of_this = rows.of(&mib::EXP_OBJECT_TABLE).filter(|(index, _)| {
            let named_now =
                items.iter().any(|other| other.name.starts_with("expObject") && other.index == *index);
            index.strip_prefix(item.index).is_some_and(|rest| rest.len() == 1) && !named_now
        });
        found.extend(of_this.map(|(index, _)| (item, index.to_vec())));
    }
    found
}
