//! The engine's counters as objects that are read at the moment of the request.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::ValueRef;
use trunkline_snmp::Counters;
use trunkline_tree::Live;

/// Which of the counters.
pub(super) type ReadCounter = fn(&Counters) -> u32;

struct EngineCounter {
    counters: Arc<Counters>,
    read: ReadCounter,
}

impl Live for EngineCounter {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Counter32((self.read)(&self.counters))
    }
}

/// One counter as an instance to be read.
pub(super) fn live(counters: &Arc<Counters>, read: ReadCounter) -> Arc<dyn Live> {
    Arc::new(EngineCounter { counters: counters.clone(), read })
}
