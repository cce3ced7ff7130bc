//! The logs as rows to be read.

use trunkline_smi::module::notification_log_mib as mib;
use trunkline_smi::{Value, ValueKind, ValueRef};
use trunkline_tree::SnapshotBuilder;
use trunkline_tree::policy::AdminString;

use super::entries::{Entries, Entry};
use super::limits::Limits;

/// Fills in all but nlmConfigLogTable.
pub(super) fn fill<'l>(
    limits: &Limits,
    entries: &Entries,
    logs: impl Iterator<Item = &'l AdminString>,
    snapshot: &mut SnapshotBuilder,
) {
    let total = entries.total();
    snapshot
        .scalar(&mib::NLM_CONFIG_GLOBAL_ENTRY_LIMIT, Value::Unsigned32(limits.entries))
        .scalar(&mib::NLM_CONFIG_GLOBAL_AGE_OUT, Value::Unsigned32(limits.age_out_minutes))
        .scalar(&mib::NLM_STATS_GLOBAL_NOTIFICATIONS_LOGGED, Value::Counter32(total.logged))
        .scalar(&mib::NLM_STATS_GLOBAL_NOTIFICATIONS_BUMPED, Value::Counter32(total.bumped));
    let table = snapshot.table(&mib::NLM_STATS_LOG_TABLE);
    for log in logs {
        let counts = entries.counts(log);
        let mut row = table.row(&log_index(log));
        row.value(1, ValueRef::Counter32(counts.logged)).value(2, ValueRef::Counter32(counts.bumped));
    }
    for entry in entries.iter() {
        fill_entry(entry, snapshot);
    }
}

fn fill_entry(entry: &Entry, snapshot: &mut SnapshotBuilder) {
    let mut index = log_index(&entry.log);
    index.push(entry.index);
    let notification = &entry.notification;
    // The source transport address has no instance: all entries are our own.
    snapshot
        .table(&mib::NLM_LOG_TABLE)
        .row(&index)
        .time_ticks(2, entry.uptime)
        .octets(3, &entry.date)
        .octets(4, notification.engine_id.as_bytes())
        .octets(7, notification.context_engine_id.as_bytes())
        .octets(8, notification.context.octets())
        .oid(9, &notification.oid);
    let table = snapshot.table(&mib::NLM_LOG_VARIABLE_TABLE);
    for (position, (name, value)) in (1..).zip(&notification.variables) {
        index.push(position);
        let (kind, column) = kind_and_column(value.kind());
        table.row(&index).oid(2, name).integer(3, kind).value(column, value.as_value_ref());
        index.pop();
    }
}

fn log_index(log: &AdminString) -> Vec<u32> {
    let octets = log.octets().iter().map(|octet| u32::from(*octet));
    std::iter::once(log.octets().len() as u32).chain(octets).collect()
}

/// nlmLogVariableValueType and the column that has the value.
fn kind_and_column(kind: ValueKind) -> (i32, u32) {
    match kind {
        ValueKind::Counter32 => (1, 4),
        ValueKind::Unsigned32 => (2, 5),
        ValueKind::TimeTicks => (3, 6),
        ValueKind::Integer => (4, 7),
        ValueKind::IpAddress => (5, 9),
        ValueKind::OctetString => (6, 8),
        ValueKind::ObjectIdentifier => (7, 10),
        ValueKind::Counter64 => (8, 11),
        ValueKind::Opaque => (9, 12),
    }
}
