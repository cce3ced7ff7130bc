//! Experiments: what is asked of the subjects, in what order, and what is written down.

pub mod compare;
pub mod du2001;
pub mod iftable;
pub mod ma2005;
pub mod marinov2006;
pub mod pras2005;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::ProgressBar;
use tokio::runtime::Runtime;

use crate::kit::error::Error;
use crate::kit::findings::Findings;
use crate::kit::report::Heading;
use crate::kit::schedule::Ledger;
use crate::kit::stage::{Stage, StageOptions};
use crate::kit::trial::Trials;
use crate::options::Choice;
use crate::samples::{Record, SampleWriter, WarningRecord};
use crate::warning::Warning;

/// An experiment: what it is about, what it needs, what it does, and what follows from its samples.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Its name.
    pub name: &'static str,
    /// The head of its page.
    pub heading: Heading,
    /// Its tables and figures, without its name, in their order.
    pub tables: &'static [&'static str],
    /// What it needs.
    pub stage: fn(&Choice, StageOptions) -> StageOptions,
    /// Measures.
    pub measure: fn(&Choice, &Stage, &Runtime, &mut Ledger) -> Result<(), Error>,
    /// What follows from samples, whenever they were taken.
    pub findings: fn(&Trials) -> Findings,
}

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
