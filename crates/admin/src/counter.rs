//! Counters as objects that are read at the moment of the request.

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::ValueRef;
use trunkline_snmp::Counters;
use trunkline_tree::Live;

/// Which of the counters: by default those of the engine.
pub(super) type ReadCounter<C = Counters> = fn(&C) -> u32;

struct LiveCounter<C> {
    counters: Arc<C>,
    read: ReadCounter<C>,
}

impl<C: Send + Sync> Live for LiveCounter<C> {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Counter32((self.read)(&self.counters))
    }
}

/// One counter as an instance to be read.
pub(super) fn live<C: Send + Sync + 'static>(counters: &Arc<C>, read: ReadCounter<C>) -> Arc<dyn Live> {
    Arc::new(LiveCounter { counters: counters.clone(), read })
}
