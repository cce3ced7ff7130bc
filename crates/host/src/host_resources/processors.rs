//! hrProcessorTable: how busy each processor was over the last minute, as near as the loads
//! of this group allow ([`sampler`](trunkline_source::procfs::sampler)).

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::module::host_resources_mib::HR_PROCESSOR_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::UNKNOWN_PRODUCT;
use super::devices::processor_number;
use trunkline_source::procfs::sampler::Sampler;

static GROUP: Group = Group { name: "hr-processors", scalars: &[], tables: &[&HR_PROCESSOR_TABLE] };

/// Serves the group `hr-processors`.
#[derive(Debug)]
pub(super) struct Processors {
    sampler: Arc<Sampler>,
}

impl Processors {
    pub(super) fn new(sampler: Arc<Sampler>) -> Self {
        Processors { sampler }
    }
}

impl Provider for Processors {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let change = self.sampler.sample(Instant::now())?;
        let mut snapshot = Snapshot::builder(&GROUP);
        let table = snapshot.table(&HR_PROCESSOR_TABLE);
        for (processor, load) in change.processor_loads() {
            table.row(&[processor_number(processor)]).oid(1, UNKNOWN_PRODUCT).integer(2, load);
        }
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}
