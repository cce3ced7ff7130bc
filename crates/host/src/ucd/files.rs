//! fileTable (.1.3.6.1.4.1.2021.15): the sizes of the files that the configuration names. A file that is not there has none.

use std::fs::metadata;

use trunkline_smi::module::ucd_snmp_mib::FILE_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::{flag, integer};
use crate::programs::Programs;
use trunkline_source::procfs::cut;

static GROUP: Group = Group { name: "ucd-file", scalars: &[], tables: &[&FILE_TABLE] };

/// Serves the group `ucd-file`.
#[derive(Debug)]
pub(super) struct Files {
    programs: Programs,
}

impl Files {
    pub(super) fn new(programs: Programs) -> Self {
        Files { programs }
    }
}

impl Provider for Files {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let current = self.programs.current();
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&FILE_TABLE);
        for (index, file) in (1i32..).zip(&current.options.files) {
            let size = metadata(&file.path).map_or(0, |found| found.len() / 1024);
            let name = file.path.to_string_lossy();
            let most = file.max.filter(|most| size > u64::from(*most));
            // In Net-SNMP's words.
            let message = most.map(|most| format!("{name}: size exceeds {most}kb (= {size}kb)"));
            table
                .row(&[index.cast_unsigned()])
                .integer(1, index)
                .octets(2, cut(name.as_bytes(), 255))
                .integer(3, integer(size))
                .integer(4, file.max.map_or(NO_MAXIMUM, |most| integer(most.into())))
                .integer(100, flag(message.is_some()))
                .octets(101, cut(message.unwrap_or_default().as_bytes(), 255));
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

const NO_MAXIMUM: i32 = -1;
