//! The ledger: where an experiment writes every sample as it is taken, and what it is watched by meanwhile.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressStyle};

use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::protocol::Protocol;
use crate::kit::reading::{Quantity, Reading};
use crate::kit::trial::{AlgorithmsRecord, DoubtRecord, Entry, TrialWriter};

/// What measuring writes to and is watched by.
#[derive(Debug)]
pub struct Ledger {
    /// Where samples go.
    pub writer: TrialWriter,
    /// Progress on the terminal; hidden where there is none.
    pub progress: ProgressBar,
    /// Set when the user wants the run to end.
    pub interrupted: Arc<AtomicBool>,
    /// The seed of the orders.
    pub seed: u64,
    /// The capture of the link, where there is one.
    pub capture: Option<PathBuf>,
    /// The protocols whose algorithms have been written.
    pub known: Vec<Protocol>,
}

impl Ledger {
    /// Writes a record.
    pub fn write(&mut self, entry: &Entry) -> Result<(), Error> {
        self.writer.write(entry)
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

    /// Says how many turns there are in all, so that progress has an end.
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

    /// Whether the user wants the run to end.
    pub fn is_interrupted(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed)
    }

    /// Writes down what protects a protocol, once.
    pub fn note_algorithms(&mut self, protocol: Protocol) -> Result<(), Error> {
        if self.known.contains(&protocol) {
            return Ok(());
        }
        self.known.push(protocol);
        let algorithms = protocol.algorithms().into();
        self.write(&Entry::Algorithms(AlgorithmsRecord { protocol, algorithms }))
    }
}
