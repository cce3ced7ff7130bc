//! The ledger: where an experiment writes every sample as it is taken, shows its progress and sees an
//! interruption.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::doubt::Doubt;
use crate::error::Error;
use crate::meter::load::LoadMeter;
use crate::protocol::Protocol;
use crate::reading::{Quantity, Reading};
use crate::trial::{AlgorithmsRecord, DoubtRecord, Entry, TrialWriter};

/// Where a measurement writes, and what can interrupt it.
#[derive(Debug)]
pub struct Ledger {
    /// Where samples are written.
    pub writer: TrialWriter,
    /// Progress on the terminal; hidden if there is none.
    pub progress: ProgressBar,
    /// Set when the user interrupts the run.
    pub interrupted: Arc<AtomicBool>,
    /// The seed of the random orders.
    pub seed: u64,
    /// The capture of the link, if there is one.
    pub capture: Option<PathBuf>,
    /// What else the machine does.
    pub load: LoadMeter,
    /// The protocols whose algorithms have been recorded.
    pub known: Vec<Protocol>,
}

impl Ledger {
    /// Writes a record. Called between two samples, which is when the machine's load is read, and what was written reaches the disk:
    /// a run that is killed leaves it.
    pub fn write(&mut self, entry: &Entry) -> Result<(), Error> {
        self.writer.write(entry)?;
        match self.load.due() {
            Some(load) => self.writer.write(&Entry::Load(load)).and_then(|()| self.writer.flush()),
            None => Ok(()),
        }
    }

    /// Writes a reading.
    pub fn reading(
        &mut self,
        table: &str,
        series: &str,
        at: u32,
        quantity: Quantity,
        repetition: u32,
        figure: f64,
    ) -> Result<(), Error> {
        let (table, series) = (table.into(), series.into());
        self.write(&Entry::Reading(Reading { table, series, at, quantity, repetition, figure }))
    }

    /// Adds to the expected number of turns, so that progress has an end.
    pub fn expect(&self, turns: u64) {
        let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3}% {msg:<16} {elapsed}");
        self.progress.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
        self.progress.set_length(turns);
        self.progress.set_position(0);
    }

    /// Writes a doubt.
    pub fn doubt(&mut self, doubt: Doubt) -> Result<(), Error> {
        self.write(&Entry::Doubt(DoubtRecord { doubt }))
    }

    /// Whether the user has interrupted the run.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Records what protects a protocol, once.
    pub fn note_algorithms(&mut self, protocol: Protocol) -> Result<(), Error> {
        if self.known.contains(&protocol) {
            return Ok(());
        }
        self.known.push(protocol);
        let algorithms = protocol.algorithms().into();
        self.write(&Entry::Algorithms(AlgorithmsRecord { protocol, algorithms }))
    }
}
