//! Where `trunklined-lab` puts its instruments: marks at the borders of the phases
//! of a request. `trunklined` is built with [`NoProbe`], which is nothing.

use std::sync::Arc;

use trunkline_core::Core;
pub use trunkline_core::Phase;

/// Called when a phase begins; the previous phase ends then.
pub trait Probe: Default + Send + 'static {
    /// A phase begins.
    fn begin(&mut self, phase: Phase);

    /// A request has been answered, or dropped.
    fn finish(&mut self);
}

/// The clock of sessions, if there is one.
#[derive(Default)]
pub(super) struct InSession(Option<Arc<Core>>);

impl InSession {
    pub(super) fn of(core: &Arc<Core>) -> Self {
        InSession(Some(core.clone()))
    }
}

impl Probe for InSession {
    fn begin(&mut self, phase: Phase) {
        if let Some(core) = &self.0 {
            core.phases().begin(phase);
        }
    }

    fn finish(&mut self) {}
}

/// No instrument.
#[derive(Debug, Default)]
pub struct NoProbe;

impl Probe for NoProbe {
    #[inline(always)]
    fn begin(&mut self, _phase: Phase) {}

    #[inline(always)]
    fn finish(&mut self) {}
}
