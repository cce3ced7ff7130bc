//! How many rows tables have, and when they were last modified: objects that some modules have next to a table
//! that managers write (Gauge32, and TimeStamp of RFC 2579).

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use trunkline_smi::ValueRef;
use trunkline_smi::schema::Table;
use trunkline_tree::Live;

use super::rows::Rows;

/// The row counts and modification times of some tables.
pub(super) struct Watch {
    tables: &'static [&'static Table],
    seen: Mutex<Seen>,
}

struct Seen {
    rows: Rows,
    /// Whether the agent has its configuration: reading it at the start is not a modification.
    has_begun: bool,
    /// By the position of the table.
    changed: Vec<Option<Instant>>,
}

impl Watch {
    /// Watches these tables.
    pub fn new(tables: &'static [&'static Table]) -> Self {
        let seen = Seen { rows: Rows::new(), has_begun: false, changed: vec![None; tables.len()] };
        Watch { tables, seen: Mutex::new(seen) }
    }

    /// The rows are these now, as they may have been before.
    pub fn take(&self, rows: &Rows, now: Instant) {
        let mut seen = self.lock();
        for (at, table) in self.tables.iter().enumerate() {
            if seen.has_begun && !seen.rows.of(table).eq(rows.of(table)) {
                seen.changed[at] = Some(now);
            }
        }
        seen.rows = rows.clone();
    }

    /// From now on what changes is a modification.
    pub fn begin(&self) {
        self.lock().has_begun = true;
    }

    /// How many rows a table has.
    pub fn count(self: &Arc<Self>, table: &'static Table) -> Arc<dyn Live> {
        Arc::new(Count { watch: self.clone(), table })
    }

    /// sysUpTime when a table was last modified; 0: not since the start, which is when sysUpTime was 0.
    pub fn last_changed(self: &Arc<Self>, table: &'static Table, started: Instant) -> Arc<dyn Live> {
        Arc::new(LastChanged { watch: self.clone(), table, started })
    }

    fn lock(&self) -> MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

struct Count {
    watch: Arc<Watch>,
    table: &'static Table,
}

impl Live for Count {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Unsigned32(self.watch.lock().rows.of(self.table).count() as u32)
    }
}

struct LastChanged {
    watch: Arc<Watch>,
    table: &'static Table,
    started: Instant,
}

impl Live for LastChanged {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        let seen = self.watch.lock();
        let at = self.watch.tables.iter().position(|table| table.name == self.table.name);
        let changed = at.and_then(|at| seen.changed[at]);
        let hundredths = |at: Instant| {
            let hundredths = at.saturating_duration_since(self.started).as_millis() / 10;
            // It wraps after 497 days, as TimeTicks do; and 0 would say that nothing has changed.
            (hundredths as u32).max(1)
        };
        ValueRef::TimeTicks(changed.map_or(0, hundredths))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use trunkline_smi::Value;
    use trunkline_smi::module::snmp_tls_tm_mib as mib;

    use super::*;
    use crate::rows::Row;

    static TABLES: &[&Table] = &[&mib::SNMP_TLSTM_PARAMS_TABLE, &mib::SNMP_TLSTM_ADDR_TABLE];

    #[test]
    fn each_table_has_its_own_count_and_time() {
        let started = Instant::now();
        let watch = Arc::new(Watch::new(TABLES));
        let at = |seconds| started + Duration::from_secs(seconds);
        let values = |watch: &Arc<Watch>| {
            TABLES
                .iter()
                .map(|table| {
                    let (count, changed) = (watch.count(table), watch.last_changed(table, started));
                    let value = |live: &Arc<dyn Live>| live.read(started).to_value();
                    (value(&count), value(&changed))
                })
                .collect::<Vec<_>>()
        };
        let expected = |count, ticks| (Value::Unsigned32(count), Value::TimeTicks(ticks));
        let mut rows = Rows::new();
        rows.insert(TABLES[0], vec![1], Row::created([]));
        watch.take(&rows, at(1));
        watch.begin();
        watch.take(&rows, at(2));
        assert_eq!(values(&watch), [expected(1, 0), expected(0, 0)]);
        rows.insert(TABLES[1], vec![1], Row::created([]));
        watch.take(&rows, at(3));
        watch.take(&rows, at(4));
        assert_eq!(values(&watch), [expected(1, 0), expected(1, 300)]);
        rows.insert(
            TABLES[0],
            vec![1],
            Row::created([("snmpTlstmParamsClientFingerprint", Value::OctetString(vec![4]))]),
        );
        watch.take(&rows, started);
        assert_eq!(values(&watch), [expected(1, 1), expected(1, 300)]);
    }
}
