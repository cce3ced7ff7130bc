//! logMatch (.1.3.6.1.4.1.2021.16): how many lines of log files match the expressions of the configuration.

use trunkline_smi::Value;
use trunkline_smi::module::ucd_snmp_mib::{LOG_MATCH_MAX_ENTRIES, LOG_MATCH_TABLE};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::{flag, integer};
use crate::programs::{MAX_LOG_MATCHES, Programs};
use trunkline_source::procfs::cut;

static GROUP: Group =
    Group { name: "ucd-log-match", scalars: &[&LOG_MATCH_MAX_ENTRIES], tables: &[&LOG_MATCH_TABLE] };

/// Serves the group `ucd-log-match`.
#[derive(Debug)]
pub(super) struct LogMatch {
    programs: Programs,
}

impl LogMatch {
    pub(super) fn new(programs: Programs) -> Self {
        LogMatch { programs }
    }
}

impl Provider for LogMatch {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let mut snapshot = Snapshot::builder(&GROUP);
        snapshot.scalar(&LOG_MATCH_MAX_ENTRIES, Value::Integer(MAX_LOG_MATCHES as i32));
        let table = snapshot.table(&LOG_MATCH_TABLE);
        for (index, log) in (1i32..).zip(&current.logs) {
            let counts = log.report();
            let options = log.options();
            let mut row = table.row(&[index.cast_unsigned()]);
            row.integer(1, index)
                .octets(2, cut(options.name.as_bytes(), 255))
                .octets(3, cut(options.path.to_string_lossy().as_bytes(), 255))
                .octets(4, cut(options.pattern.as_bytes(), 255));
            for (column, count) in [(5, counts.total), (7, counts.in_file), (9, counts.since_read)] {
                row.counter32(column, count).integer(column + 1, integer(count));
            }
            row.integer(11, integer(options.every.as_secs()))
                .integer(100, flag(log.error().is_some()))
                .octets(101, cut(log.error().unwrap_or("Success").as_bytes(), 255));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}
