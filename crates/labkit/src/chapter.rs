//! Chapters of an experiment: each fills one or more tables of a paper, and is measured if one of them is
//! requested.

use std::time::Duration;

use tokio::runtime::Runtime;

use crate::conversation::Script;
use crate::doubt::Doubt;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::options::Choice;
use crate::protocol::Protocol;
use crate::schedule::{Job, perform, perform_until_lost};
use crate::stage::Stage;

/// A chapter being measured.
pub struct Chapter<'a, O> {
    /// The table of its records: `EXPERIMENT/TABLE`.
    pub table: String,
    /// The experiment's own options, checked.
    pub options: &'a O,
    /// What to measure.
    pub choice: &'a Choice,
    /// Where to measure.
    pub stage: &'a Stage,
    /// The runtime of the sessions.
    pub runtime: &'a Runtime,
    /// Where samples are written.
    pub ledger: &'a mut Ledger,
}

/// Measures a chapter.
pub type Measure<O> = fn(&mut Chapter<'_, O>) -> Result<(), Error>;

/// Measures those chapters, in order, of which a table is requested, until the user interrupts. Records belong to
/// the first of its tables.
pub fn measure_chapters<O>(
    experiment: &str,
    chapters: &[(&[&'static str], Measure<O>)],
    options: &O,
    choice: &Choice,
    stage: &Stage,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    for (tables, measure) in chapters {
        let asked = tables.iter().any(|table| choice.has(table));
        if let Some(&first) = tables.first().filter(|_| asked && !ledger.is_interrupted()) {
            ledger.progress.set_message(first);
            let table = format!("{experiment}/{first}");
            measure(&mut Chapter { table, options, choice, stage, runtime, ledger })?;
            ledger.writer.flush()?;
        }
    }
    Ok(())
}

impl<O> Chapter<'_, O> {
    /// A job of this chapter.
    pub fn job(&self, what: &str, protocol: Protocol, script: Script) -> Job {
        Job::new(&self.table, what, protocol, script)
    }

    /// See [`perform`].
    pub fn perform(&mut self, jobs: &[Job], rounds: u32, budget: Option<Duration>) -> Result<(), Error> {
        perform(self.stage, self.runtime, jobs, rounds, budget, self.ledger)
    }

    /// See [`perform_until_lost`].
    pub fn perform_until_lost(
        &mut self,
        jobs: &[Job],
        rounds: u32,
        budget: Option<Duration>,
        longer: Duration,
    ) -> Result<(), Error> {
        perform_until_lost(self.stage, self.runtime, jobs, rounds, budget, longer, self.ledger)
    }

    /// Records how this run is shorter than the paper's.
    pub fn shortened(&mut self, how: String) -> Result<(), Error> {
        self.ledger.doubt(Doubt::Shortened { table: self.table.clone(), how })
    }
}
