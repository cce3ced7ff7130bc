//! extTable (.1.3.6.1.4.1.2021.8): the first line of what configured programs print, and how they end.

use std::sync::Arc;

use trunkline_smi::module::ucd_snmp_mib::EXT_TABLE;
use trunkline_tree::{Group, Loaded, Provider, SetError, SetItem, SetTransaction, Snapshot, SourceError};

use super::fix;
use crate::programs::{Entry, Fix, Programs, fresh, words_of};
use trunkline_source::procfs::cut;

static GROUP: Group = Group { name: "ucd-exec", scalars: &[], tables: &[&EXT_TABLE] };

/// Serves the group `ucd-exec`.
#[derive(Debug)]
pub(super) struct Exec {
    programs: Programs,
}

impl Exec {
    pub(super) fn new(programs: Programs) -> Self {
        Exec { programs }
    }
}

impl Provider for Exec {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let ours: Vec<&Arc<Entry>> =
            current.entries.iter().filter(|entry| entry.options().in_ext_table).collect();
        let runs = fresh(&ours, self.programs.runner());
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&EXT_TABLE);
        for ((index, entry), run) in (1u32..).zip(ours).zip(runs) {
            let options = entry.options();
            let fix = options.fix.as_deref().map(words_of).unwrap_or_default();
            let mut row = table.row(&[index]);
            row.integer(1, index as i32)
                .octets(2, cut(options.name.as_bytes(), 255))
                .octets(3, cut(options.command_line().as_bytes(), 255))
                .integer(102, 0)
                .octets(103, cut(fix.as_bytes(), 255));
            if let Some(run) = run {
                row.integer(100, run.result).octets(101, cut(run.first_line(), 255));
            }
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        let execs = &self.programs.current().options.execs;
        fix::prepare(&self.programs, items, "extErrFix", |row| {
            let exec = execs.get(row)?;
            Some(exec.fix.clone().map(|command| Fix { name: exec.name.clone(), command }))
        })
    }
}
