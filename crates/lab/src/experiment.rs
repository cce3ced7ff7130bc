//! Experiments: what is asked of the subjects, in what order, and what is written down.

mod bench;
mod chapter;
pub mod compare;
pub mod du2001;
pub mod iftable;
mod link;
pub mod ma2005;
pub mod marinov2006;
mod octets;
mod open_sessions;
pub mod pras2005;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;

use crate::error::Error;
use crate::samples::{Record, SampleWriter, WarningRecord};
use crate::warning::Warning;

/// What an experiment writes to and shows its progress on.
#[derive(Debug)]
pub struct Desk {
    /// Where samples go.
    pub samples: SampleWriter,
    /// Progress on the terminal; hidden where there is none.
    pub progress: ProgressBar,
    /// Set when the user wants the run to end.
    pub interrupted: Arc<AtomicBool>,
}

impl Desk {
    /// Writes a record.
    pub fn write(&mut self, record: &Record) -> Result<(), Error> {
        self.samples.write(record)
    }

    /// Writes a doubt.
    pub fn doubt(&mut self, warning: Warning) -> Result<(), Error> {
        self.samples.write(&Record::Warning(WarningRecord { warning }))
    }

    /// Whether the user wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }
}
