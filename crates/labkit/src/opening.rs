//! The opening of a run: from checked options to an open ledger, which is closed at the end. Each experiment
//! provides its ground (a [`Stage`], or another place) and does the rest itself.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::Value;
use tokio::runtime::Runtime;

use crate::doubt::Doubt;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::machine::{Machine, now_utc};
use crate::meter::load::LoadMeter;
use crate::options::{Choice, CommonOptions, TableOptions};
use crate::stage::{Role, Stage, StageOptions};
use crate::store::CAPTURE;
use crate::trial::{DoubtRecord, EndRecord, Entry, FILE_NAME, FORMAT, Trial, TrialWriter};

/// A run that is about to begin.
pub struct Opening<'a> {
    /// The experiment's name.
    pub experiment: &'static str,
    /// Its tables.
    pub tables: &'static [&'static str],
    /// Those that are measured only if they are named.
    pub annexes: &'static [&'static str],
    /// The options of every experiment.
    pub common: &'a CommonOptions,
    /// The command that repeats the run.
    pub command: &'a str,
    /// Where the samples are stored.
    pub directory: &'a Path,
    /// The machine, and its load before anything was started.
    pub machine: Machine,
    /// When it began.
    pub begun: Instant,
    /// Set once the user has interrupted the run.
    pub interrupted: Arc<AtomicBool>,
    /// Gets the file of the samples once it is open.
    pub samples: Arc<OnceLock<TrialWriter>>,
    /// Where messages for the user are written.
    pub words: &'a mut (dyn Write + Send),
}

/// The ground of a run.
#[derive(Debug, Default)]
pub struct Ground {
    /// The place in a sentence.
    pub place: String,
    /// The agent, if there is only one.
    pub agent: String,
    /// The options that the experiment's analysis needs.
    pub setting: Value,
    /// Doubts that have arisen so far.
    pub doubts: Vec<Doubt>,
}

impl Opening<'_> {
    /// The named tables, or all tables if none is named.
    ///
    /// # Errors
    /// As [`Choice::of`].
    pub fn choose(&self, named: &TableOptions) -> Result<Choice, Error> {
        let is_named = !named.tables.is_empty() || !named.only.is_empty();
        let annexes = if is_named { self.annexes } else { &[] };
        Choice::of(self.experiment, &[self.tables, annexes].concat(), named, self.common)
    }

    /// All tables.
    ///
    /// # Errors
    /// As [`Choice::of`].
    pub fn everything(&self) -> Result<Choice, Error> {
        self.choose(&TableOptions::default())
    }

    /// A stage with the agent as it ships; the experiment adds its needs.
    pub fn stage_options(&self) -> StageOptions {
        StageOptions {
            trunklined: self.common.trunklined.clone(),
            trunklined_lab: None,
            rows: 2,
            sessions: 256,
            seed: self.common.seed,
            roles: vec![Role::Shipped],
            capture: None,
            apart: true,
            more: vec![],
            schemas: vec![],
            brief: vec![],
            users: vec![],
        }
    }

    /// Makes a stage and measures on it.
    ///
    /// # Errors
    /// The stage cannot be created, or the error of `work`.
    pub fn on_stage(
        self,
        choice: &Choice,
        options: &StageOptions,
        setting: Value,
        work: impl FnOnce(&Stage, &Runtime, &mut Ledger) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut doubts = Vec::new();
        let stage = Stage::make(options, &mut doubts)?;
        let agent = stage.first().map_or_else(String::new, |agent| agent.description.clone());
        let ground = Ground { place: stage.description(), agent, setting, doubts };
        let capture = options.capture.clone().filter(|_| stage.link().is_some());
        let (kept, samples) = (self.directory.join(CAPTURE), Arc::clone(&self.samples));
        let result = self.measure(choice, ground, |runtime, ledger| {
            ledger.capture = capture;
            let result = work(&stage, runtime, ledger);
            // What ended unasked is the reason of whatever failed after it.
            if ledger.is_interrupted() { result } else { stage.still_runs().and(result) }
        });
        drop(stage);
        if let Some(path) = &options.capture {
            // Samples contain what was needed of it: it is for whoever wants to look for themselves.
            // Before there are samples, the results there are those of an earlier run.
            let are_there = samples.get().is_some_and(TrialWriter::is_kept);
            if fs::metadata(path).is_ok_and(|it| it.len() <= MOST_KEPT) && result.is_ok() && are_there {
                let _ = fs::copy(path, &kept);
            }
            let _ = fs::remove_file(path);
        }
        result
    }

    /// Measures: opens the ledger, lets `work` write into it, and closes it.
    ///
    /// # Errors
    /// The samples cannot be written, the user interrupted the run, or the error of `work`.
    pub fn measure(
        self,
        choice: &Choice,
        ground: Ground,
        work: impl FnOnce(&Runtime, &mut Ledger) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let failed = |source| Error::Write { path: self.directory.to_owned(), source };
        fs::create_dir_all(self.directory).map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|source| Error::System { what: "cannot make the runtime of the sessions", source })?;
        let writer = TrialWriter::create(self.directory)?;
        let _ = self.samples.set(writer.clone());
        let mut ledger = Ledger {
            writer,
            progress: progress(self.experiment, choice, self.words),
            interrupted: Arc::clone(&self.interrupted),
            seed: self.common.seed,
            capture: None,
            load: LoadMeter::start(),
            known: vec![],
        };
        ledger.write(&Entry::Trial(Trial {
            format: FORMAT.into(),
            experiment: self.experiment.into(),
            tables: choice.tables.clone(),
            quick: self.common.quick,
            lab_version: env!("CARGO_PKG_VERSION").into(),
            command: self.command.into(),
            started: now_utc(),
            seed: self.common.seed,
            place: ground.place,
            agent: ground.agent,
            setting: ground.setting,
            machine: self.machine.clone(),
        }))?;
        let debug = cfg!(debug_assertions).then(|| {
            let program = "this lab (its client takes part in every time)".into();
            Doubt::DebugBuild { program }
        });
        for doubt in ground.doubts.into_iter().chain(debug) {
            ledger.write(&Entry::Doubt(DoubtRecord { doubt }))?;
        }
        let bar = ledger.progress.clone();
        let (done, is_done) = sync_channel::<()>(1);
        let (name, words) = (self.experiment, self.words);
        let result = std::thread::scope(|scope| {
            if bar.is_hidden() {
                let telling = move || tell_now_and_then(name, &bar, words, &is_done, TELL_EVERY);
                // Without a thread for it there is no progress.
                let _ = std::thread::Builder::new().spawn_scoped(scope, telling);
            }
            let result = work(&runtime, &mut ledger);
            drop(done);
            result
        });
        let is_interrupted = ledger.is_interrupted();
        let result = result.and_then(|()| match is_interrupted {
            true => Ok(()),
            false => ledger.write(&Entry::End(EndRecord { seconds: self.begun.elapsed().as_secs_f64() })),
        });
        ledger.progress.finish_and_clear();
        let flushed = ledger.writer.flush();
        result.and(flushed)?;
        match (is_interrupted, ledger.writer.is_kept()) {
            (true, true) => Err(Error::Interrupted { samples: self.directory.join(FILE_NAME) }),
            (true, false) => Err(Error::Stopped),
            (false, _) => Ok(()),
        }
    }
}

/// Writes a line of progress at each interval, until the work is done.
fn tell_now_and_then(
    name: &str,
    bar: &ProgressBar,
    words: &mut (dyn Write + Send),
    is_done: &Receiver<()>,
    every: Duration,
) {
    while is_done.recv_timeout(every) == Err(RecvTimeoutError::Timeout) {
        let (seconds, count, part) = (bar.elapsed().as_secs(), bar.position(), bar.message());
        let part = if part.is_empty() { part } else { format!(", {part}") };
        let plural = if count == 1 { "" } else { "s" };
        // If nobody reads it, the work goes on.
        let _ = writeln!(words, "measuring {name}: {count} session{plural} in {seconds} s{part}");
    }
}

/// Octets of the longest capture that is kept.
const MOST_KEPT: u64 = 64 << 20;
/// How often progress is reported where no terminal shows it.
const TELL_EVERY: Duration = Duration::from_secs(10);

/// A spinner on a terminal, else one line.
fn progress(name: &str, choice: &Choice, words: &mut (dyn Write + Send)) -> ProgressBar {
    if !std::io::stderr().is_terminal() {
        let tables: Vec<&str> = choice.tables.iter().filter_map(|id| id.split('/').nth(1)).collect();
        let _ = writeln!(words, "measuring {name}: {}", tables.join(", "));
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{prefix} {spinner} {pos} sessions  {msg:<30} {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.with_prefix(format!("measuring {name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_is_reported_until_the_work_is_done() {
        let bar = ProgressBar::hidden();
        bar.inc(7);
        bar.set_message("rounds on the link");
        let (done, is_done) = sync_channel::<()>(1);
        let (read, mut write) = std::io::pipe().unwrap();
        let telling = std::thread::spawn(move || {
            tell_now_and_then("compare", &bar, &mut write, &is_done, Duration::from_millis(1));
        });
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(read), &mut line).unwrap();
        drop(done);
        telling.join().unwrap();
        assert!(line.starts_with("measuring compare: 7 sessions in 0 s, rounds on the link"), "{line}");
    }
}
