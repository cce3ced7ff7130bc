//! NOTIFICATION-LOG-MIB (RFC 3014): notifications that were sent, kept for managers that could not listen.
//!
//! There is the log `default`, which logs everything, and those that managers create: each logs what its filter
//! of snmpNotifyFilterTable passes. Logs survive a restart, their entries do not. Entries are limited by each
//! log's limit, by the global limit, by their age, and in any case to 5000 in all.
//!
//! The sender of notifications calls [`NotificationLog::record`]; the provider is [`NotificationLogGroup`].

mod entries;
mod limits;
mod snapshot;

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use trunkline_smi::module::notification_log_mib as mib;
use trunkline_smi::{IndexValue, Oid, Value, ValueRef, decode_index};
use trunkline_snmp::usm::EngineId;
use trunkline_tree::policy::{AdminString, Principal, StorageType};
use trunkline_tree::{
    Group, Loaded, Provider, SetError, SetItem, SetTransaction, Snapshot, SourceError, View,
};

use super::rows::{Row, RowChange, RowStore, RowTable, Rows, Rules};
use super::state_file::{Readers, StateError, StateFile};
use super::target_rows::TargetTables;
use entries::{Entries, LogLimit};
use limits::{Limits, LimitsChange};

/// The group `notification-log`.
pub static NOTIFICATION_LOG: Group = Group {
    name: "notification-log",
    scalars: &[
        &mib::NLM_CONFIG_GLOBAL_ENTRY_LIMIT,
        &mib::NLM_CONFIG_GLOBAL_AGE_OUT,
        &mib::NLM_STATS_GLOBAL_NOTIFICATIONS_LOGGED,
        &mib::NLM_STATS_GLOBAL_NOTIFICATIONS_BUMPED,
    ],
    tables: &[
        &mib::NLM_CONFIG_LOG_TABLE,
        &mib::NLM_STATS_LOG_TABLE,
        &mib::NLM_LOG_TABLE,
        &mib::NLM_LOG_VARIABLE_TABLE,
    ],
};

static TABLES: &[RowTable] = &[RowTable {
    tables: &[&mib::NLM_CONFIG_LOG_TABLE],
    status: "nlmConfigLogEntryStatus",
    storage: "nlmConfigLogStorageType",
    required: &[],
    defaults: |_| log_cells(b""),
    fixed_while_active: &[],
    first: &[],
}];

const FILTER_NAME: &str = "nlmConfigLogFilterName";
const ENTRY_LIMIT: &str = "nlmConfigLogEntryLimit";
const ADMIN_STATUS: &str = "nlmConfigLogAdminStatus";
const OPER_STATUS: &str = "nlmConfigLogOperStatus";

/// nlmConfigLogAdminStatus.
const ENABLED: i32 = 1;

/// The log that is there from the beginning.
const DEFAULT_LOG: &str = "default";

fn log_cells(filter: &[u8]) -> Vec<(&'static str, Value)> {
    vec![
        (FILTER_NAME, Value::OctetString(filter.to_vec())),
        (ENTRY_LIMIT, Value::Unsigned32(0)),
        (ADMIN_STATUS, Value::Integer(ENABLED)),
    ]
}

/// A notification to log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoggedNotification {
    /// The value of snmpTrapOID.0.
    pub oid: Oid,
    /// What follows sysUpTime.0 and snmpTrapOID.0.
    pub variables: Vec<(Oid, Value)>,
    /// The engine that it comes from.
    pub engine_id: EngineId,
    /// The engine that its context is of.
    pub context_engine_id: EngineId,
    /// Its context.
    pub context: AdminString,
}

impl LoggedNotification {
    /// The octets that its names and values take, about.
    fn octets(&self) -> usize {
        self.variables.iter().map(|(name, value)| 64 + 4 * name.len() + value_octets(value)).sum::<usize>()
            + 256
    }
}

fn value_octets(value: &Value) -> usize {
    match value {
        Value::OctetString(octets) | Value::Opaque(octets) => octets.len(),
        Value::ObjectIdentifier(oid) => 4 * oid.len(),
        _ => 0,
    }
}

/// The logs. Cheap to clone.
#[derive(Clone)]
pub struct NotificationLog(Arc<Shared>);

struct Shared {
    /// The moment of sysUpTime 0.
    started: Instant,
    inner: Mutex<Inner>,
}

struct Inner {
    logs: Vec<Log>,
    limits: Limits,
    entries: Entries,
}

/// A row of nlmConfigLogTable that counts.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Log {
    name: AdminString,
    /// The profile in snmpNotifyFilterTable; `None`: everything.
    filter: Option<AdminString>,
    /// 0: no separate limit.
    limit: u32,
    is_enabled: bool,
}

impl NotificationLog {
    /// Adds a notification to each log that accepts it.
    pub fn record(
        &self,
        now: Instant,
        date: SystemTime,
        tables: &TargetTables,
        notification: &LoggedNotification,
    ) {
        let mut inner = self.lock();
        let uptime = self.uptime(now);
        let logs = inner.logs.clone();
        let takes = |log: &&Log| log.is_enabled && log.takes(tables, notification);
        for log in logs.iter().filter(takes) {
            inner.entries.push(
                log.name.clone(),
                now,
                uptime,
                trunkline_host::date_and_time(date),
                notification,
            );
        }
        inner.trim(now);
    }

    fn uptime(&self, now: Instant) -> u32 {
        let hundredths = now.saturating_duration_since(self.0.started).as_millis() / 10;
        hundredths as u32 // wraps after 497 days, as TimeTicks do
    }

    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.0.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set_limits(&self, limits: Limits, now: Instant) {
        let mut inner = self.lock();
        inner.limits = limits;
        inner.trim(now);
    }

    fn set_logs(&self, logs: Vec<Log>, now: Instant) {
        let mut inner = self.lock();
        inner.entries.retain_logs(|name| logs.iter().any(|log| log.name == *name));
        inner.logs = logs;
        inner.trim(now);
    }
}

impl Log {
    /// A filter that does not exist, or has no name, passes nothing (RFC 3014, nlmConfigLogFilterName).
    fn takes(&self, tables: &TargetTables, notification: &LoggedNotification) -> bool {
        match &self.filter {
            None => true,
            Some(name) => tables.filters.get(name).is_some_and(|filter| passes(filter, notification)),
        }
    }
}

/// Whether a filter lets a notification through (RFC 3413 section 6).
fn passes(filter: &View, notification: &LoggedNotification) -> bool {
    let excluded = |name: &[u32]| filter.deciding(name).is_some_and(|family| !family.included);
    filter.contains(&notification.oid) && !notification.variables.iter().any(|(name, _)| excluded(name))
}

impl Inner {
    fn trim(&mut self, now: Instant) {
        let limits = self.logs.iter().map(|log| LogLimit { name: &log.name, entries: log.limit });
        let age = Duration::from_secs(u64::from(self.limits.age_out_minutes) * 60);
        self.entries.trim(now, limits, self.limits.entries, (!age.is_zero()).then_some(age));
    }
}

/// nlmConfigLogTable requires nothing of its columns beyond their syntax; the default log may be switched off and
/// limited, but logs everything.
struct LogRules {
    filters: Arc<dyn Fn(&AdminString) -> bool + Send + Sync>,
}

impl Rules for LogRules {
    fn read(&self, column: &'static str, row: &Row) -> Option<Value> {
        if column != OPER_STATUS {
            return row.get(column).cloned();
        }
        const DISABLED: i32 = 1;
        const OPERATIONAL: i32 = 2;
        const NO_FILTER: i32 = 3;
        let has_filter = || match filter_of(row) {
            None => true,
            Some(name) => (self.filters)(&name),
        };
        let is_enabled = row.integer(ADMIN_STATUS) == ENABLED && row.state.is_active();
        Some(Value::Integer(match is_enabled {
            false => DISABLED,
            true if has_filter() => OPERATIONAL,
            true => NO_FILTER,
        }))
    }

    /// What managers have set for the default log is kept.
    fn merge(&self, _configured: &Row, changed: &Row) -> Row {
        changed.clone()
    }
}

/// The profile of a log; `None` for the default log as long as no manager has given it one.
fn filter_of(row: &Row) -> Option<AdminString> {
    let name = AdminString::try_from(row.octets(FILTER_NAME)).unwrap_or_default();
    (row.is_set() || !name.is_empty()).then_some(name)
}

fn logs_of(rows: &Rows) -> Vec<Log> {
    let log = |(index, row): (&[u32], &Row)| {
        let name = match decode_index(mib::NLM_CONFIG_LOG_TABLE.index, index).ok()?.as_slice() {
            [IndexValue::Octets(name)] => AdminString::try_from(name.as_slice()).ok()?,
            _ => return None,
        };
        Some(Log {
            name,
            filter: filter_of(row),
            limit: row.unsigned(ENTRY_LIMIT),
            is_enabled: row.integer(ADMIN_STATUS) == ENABLED,
        })
    };
    rows.active(&mib::NLM_CONFIG_LOG_TABLE).filter_map(log).collect()
}

/// The provider of the group `notification-log`.
pub struct NotificationLogGroup {
    log: NotificationLog,
    store: Arc<RowStore>,
    limits: Arc<StateFile<Limits>>,
}

impl NotificationLogGroup {
    /// The group with the logs that managers have created before, kept in `notification-log.toml`, and their
    /// limits, kept in `notification-log-limits.toml`. `started` is the moment of sysUpTime 0; `has_filter`
    /// returns whether snmpNotifyFilterTable has a profile.
    pub fn open(
        directory: &Path,
        started: Instant,
        has_filter: impl Fn(&AdminString) -> bool + Send + Sync + 'static,
    ) -> Result<Self, StateError> {
        let limits =
            StateFile::<Limits>::open_named(directory, "notification-log-limits.toml", Readers::Anybody)?;
        let inner = Inner { logs: Vec::new(), limits: limits.state(), entries: Entries::default() };
        let log = NotificationLog(Arc::new(Shared { started, inner: Mutex::new(inner) }));
        let told = log.clone();
        let rules = Box::new(LogRules { filters: Arc::new(has_filter) });
        let file = (directory, "notification-log.toml");
        let store = RowStore::open(TABLES, &[], rules, file, move |rows| {
            told.set_logs(logs_of(rows), Instant::now());
        })?;
        let mut configured = Rows::new();
        let name = DEFAULT_LOG.bytes().map(u32::from);
        let index = std::iter::once(DEFAULT_LOG.len() as u32).chain(name).collect();
        let default = Row::configured(StorageType::Permanent, log_cells(b""));
        configured.insert(&mib::NLM_CONFIG_LOG_TABLE, index, default);
        store.configure(&configured);
        Ok(NotificationLogGroup { log, store, limits: Arc::new(limits) })
    }

    /// The logs, for the sender of notifications.
    pub fn log(&self) -> &NotificationLog {
        &self.log
    }
}

impl Provider for NotificationLogGroup {
    fn group(&self) -> &'static Group {
        &NOTIFICATION_LOG
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&NOTIFICATION_LOG);
        self.store.fill(&mut snapshot);
        let mut inner = self.log.lock();
        inner.trim(Instant::now());
        snapshot::fill(&inner.limits, &inner.entries, inner.logs.iter().map(|log| &log.name), &mut snapshot);
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
                ("nlmConfigGlobalEntryLimit", ValueRef::Unsigned32(number)) => limits.entries = number,
                ("nlmConfigGlobalAgeOut", ValueRef::Unsigned32(number)) => limits.age_out_minutes = number,
                _ => {
                    rows.push(*item);
                    continue;
                }
            }
            first_limit.get_or_insert(item.binding);
        }
        let limits = first_limit.map(|binding| LimitsChange {
            file: self.limits.clone(),
            log: self.log.clone(),
            binding,
            new: limits,
            old: None,
        });
        let rows = (!rows.is_empty()).then(|| self.store.prepare(&rows, principal)).transpose()?;
        Ok(Box::new(LogChange { limits, rows }))
    }
}

/// A set of limits and logs that has passed the first phase.
struct LogChange {
    limits: Option<LimitsChange>,
    rows: Option<RowChange>,
}

impl SetTransaction for LogChange {
    fn commit(&mut self) -> Result<(), SetError> {
        self.limits.as_mut().map_or(Ok(()), SetTransaction::commit)?;
        self.rows.as_mut().map_or(Ok(()), SetTransaction::commit)
    }

    fn undo(&mut self) -> Result<(), SetError> {
        self.rows.as_mut().map_or(Ok(()), SetTransaction::undo)?;
        self.limits.as_mut().map_or(Ok(()), SetTransaction::undo)
    }
}

#[cfg(test)]
mod tests;
