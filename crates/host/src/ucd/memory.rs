//! memory (.1.3.6.1.4.1.2021.4), from /proc/meminfo.

use trunkline_smi::Value;
use trunkline_smi::module::ucd_snmp_mib as mib;
use trunkline_smi::schema::Scalar;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::{flag, integer};
use crate::programs::Programs;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::meminfo::MemInfo;

static GROUP: Group = Group {
    name: "ucd-memory",
    scalars: &[
        &mib::MEM_INDEX,
        &mib::MEM_ERROR_NAME,
        &mib::MEM_TOTAL_SWAP,
        &mib::MEM_AVAIL_SWAP,
        &mib::MEM_TOTAL_REAL,
        &mib::MEM_AVAIL_REAL,
        &mib::MEM_TOTAL_FREE,
        &mib::MEM_MINIMUM_SWAP,
        &mib::MEM_SHARED,
        &mib::MEM_BUFFER,
        &mib::MEM_CACHED,
        &mib::MEM_TOTAL_SWAP_X,
        &mib::MEM_AVAIL_SWAP_X,
        &mib::MEM_TOTAL_REAL_X,
        &mib::MEM_AVAIL_REAL_X,
        &mib::MEM_TOTAL_FREE_X,
        &mib::MEM_MINIMUM_SWAP_X,
        &mib::MEM_SHARED_X,
        &mib::MEM_BUFFER_X,
        &mib::MEM_CACHED_X,
        &mib::MEM_SYS_AVAIL,
        &mib::MEM_SWAP_ERROR,
        &mib::MEM_SWAP_ERROR_MSG,
    ],
    tables: &[],
};

/// Serves the group `ucd-memory`.
#[derive(Debug)]
pub(super) struct Memory {
    root: SourceRoot,
    programs: Programs,
}

impl Memory {
    pub(super) fn new(root: SourceRoot, programs: Programs) -> Self {
        Memory { root, programs }
    }
}

impl Provider for Memory {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let memory = MemInfo::read(&self.root)?;
        let minimum = self.programs.current().options.minimum_swap;
        let mut snapshot = Snapshot::builder(&GROUP);
        snapshot.scalar(&mib::MEM_INDEX, Value::Integer(0)).scalar(&mib::MEM_ERROR_NAME, Value::text("swap"));
        for (narrow, wide, size) in sizes(&memory, minimum) {
            snapshot.scalar(narrow, Value::Integer(integer(size))).scalar(wide, Value::Counter64(size));
        }
        if let Some(available) = memory.available {
            snapshot.scalar(&mib::MEM_SYS_AVAIL, Value::Counter64(available));
        }
        let is_short = memory.swap_free < minimum;
        // In Net-SNMP's words, which managers look for.
        let message = match is_short {
            true => format!("Running out of swap space ({})", memory.swap_free),
            false => String::new(),
        };
        snapshot
            .scalar(&mib::MEM_SWAP_ERROR, Value::Integer(flag(is_short)))
            .scalar(&mib::MEM_SWAP_ERROR_MSG, Value::text(message));
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// Each size with its 32-bit and its 64-bit object.
fn sizes(memory: &MemInfo, minimum: u64) -> [(&'static Scalar, &'static Scalar, u64); 9] {
    [
        (&mib::MEM_TOTAL_SWAP, &mib::MEM_TOTAL_SWAP_X, memory.swap_total),
        (&mib::MEM_AVAIL_SWAP, &mib::MEM_AVAIL_SWAP_X, memory.swap_free),
        (&mib::MEM_TOTAL_REAL, &mib::MEM_TOTAL_REAL_X, memory.total),
        (&mib::MEM_AVAIL_REAL, &mib::MEM_AVAIL_REAL_X, memory.free),
        (&mib::MEM_TOTAL_FREE, &mib::MEM_TOTAL_FREE_X, memory.free.saturating_add(memory.swap_free)),
        (&mib::MEM_MINIMUM_SWAP, &mib::MEM_MINIMUM_SWAP_X, minimum),
        (&mib::MEM_SHARED, &mib::MEM_SHARED_X, memory.shared),
        (&mib::MEM_BUFFER, &mib::MEM_BUFFER_X, memory.buffers),
        (&mib::MEM_CACHED, &mib::MEM_CACHED_X, memory.cache()),
    ]
}
