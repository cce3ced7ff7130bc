//! One run of an experiment whose unit is a session, from options to report.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::experiments::{Experiment, compare, du2001, ma2005, marinov2006, pras2005};
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::findings::Findings;
use crate::kit::machine::{Machine, now_utc};
use crate::kit::report;
use crate::kit::schedule::Ledger;
use crate::kit::stage::{Role, Stage, StageOptions};
use crate::kit::trial::{self, DoubtRecord, EndRecord, Entry, FORMAT, Trial, TrialWriter};
use crate::options::{Choice, ExperimentCommand};
use crate::run::{notice_interrupts, terminal_width};
use crate::samples::FILE_NAME;

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct TrialOutcome {
    /// The page of the report.
    pub page: PathBuf,
    /// What was found.
    pub findings: Findings,
}

/// Measures (or, with `--analyse`, only reads samples), writes the report, and prints its tables, or JSON, to `data`; words for
/// the user go to `words`.
///
/// Blocks until it is done, also inside an asynchronous runtime; what it starts lives on a thread of its own.
pub fn run_experiment(
    command: &ExperimentCommand,
    data: &mut dyn Write,
    words: &mut (dyn Write + Send),
) -> Result<TrialOutcome, Error> {
    let (experiment, choice) = match command {
        ExperimentCommand::Du2001(options) => {
            (du2001::EXPERIMENT, options.choose(du2001::EXPERIMENT.name, du2001::EXPERIMENT.tables)?)
        }
        ExperimentCommand::Marinov2006(options) => (
            marinov2006::EXPERIMENT,
            options.choose(marinov2006::EXPERIMENT.name, marinov2006::EXPERIMENT.tables)?,
        ),
        ExperimentCommand::Pras2005(options) => {
            (pras2005::EXPERIMENT, options.choose(pras2005::EXPERIMENT.name, pras2005::EXPERIMENT.tables)?)
        }
        ExperimentCommand::Ma2005(options) => {
            (ma2005::EXPERIMENT, options.choose(ma2005::EXPERIMENT.name, ma2005::EXPERIMENT.tables)?)
        }
        ExperimentCommand::Compare(options) => {
            (compare::EXPERIMENT, options.choose(compare::EXPERIMENT.tables)?)
        }
    };
    let directory = match &choice.common.analyse {
        Some(directory) => directory.clone(),
        None => {
            let usual = || PathBuf::from("lab-report").join(experiment.name);
            let directory = choice.common.out.clone().unwrap_or_else(usual);
            measure(experiment, &choice, &directory, words)?;
            directory
        }
    };
    let trials = trial::read(&directory)?;
    if trials.trial.experiment != experiment.name {
        let (path, found) = (directory.join(FILE_NAME), &trials.trial.experiment);
        let reason = format!("samples of {found}, where those of {} were expected", experiment.name);
        return Err(Error::Sample { path, line: 1, reason });
    }
    let findings = (experiment.findings)(&trials);
    let page = report::write_findings(experiment.heading, &findings, &trials, &directory)?;
    let text = if choice.common.json {
        findings.json()
    } else {
        report::sheet::terminal(&findings, terminal_width())
    };
    // Whoever closed our output has seen enough; the report is on disk.
    let _ = data.write_all(text.as_bytes()).and_then(|()| data.flush());
    let _ = writeln!(words, "report: {}", page.display());
    Ok(TrialOutcome { page, findings })
}

/// Measures: afterwards the samples are on disk.
fn measure(
    experiment: Experiment,
    choice: &Choice,
    directory: &PathBuf,
    words: &mut (dyn Write + Send),
) -> Result<(), Error> {
    fs::create_dir_all(directory).map_err(|source| Error::Write { path: directory.clone(), source })?;
    let machine = Machine::here();
    let progress = progress(experiment.name, choice, words);
    let usual = StageOptions {
        trunklined: choice.common.trunklined.clone(),
        trunklined_lab: choice.common.trunklined_lab.clone(),
        rows: 2,
        sessions: 256,
        seed: choice.common.seed,
        roles: vec![Role::Shipped],
        capture: None,
    };
    let options = (experiment.stage)(choice, usual);
    // A thread of its own, so that the caller's stays in its namespace.
    let work = || -> Result<(), Error> {
        let start = Instant::now();
        let mut doubts = Vec::new();
        let stage = Stage::make(&options, &mut doubts)?;
        let mut writer = TrialWriter::create(directory)?;
        writer.write(&Entry::Trial(described(experiment, choice, &stage, machine)))?;
        if cfg!(debug_assertions) {
            let program = "this lab (its client takes part in every time)".into();
            doubts.push(Doubt::DebugBuild { program });
        }
        for doubt in doubts {
            writer.write(&Entry::Doubt(DoubtRecord { doubt }))?;
        }
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime
            .map_err(|source| Error::System { what: "cannot make the runtime of the sessions", source })?;
        let interrupted: Arc<AtomicBool> = Arc::default();
        notice_interrupts(&runtime, &interrupted)?;
        let mut ledger = Ledger {
            writer,
            progress: progress.clone(),
            interrupted,
            seed: choice.common.seed,
            capture: options.capture.clone().filter(|_| stage.link().is_some()),
            known: vec![],
        };
        (experiment.measure)(choice, &stage, &runtime, &mut ledger)?;
        if ledger.is_interrupted() {
            ledger.writer.flush()?;
            return Err(Error::Interrupted { samples: directory.join(FILE_NAME) });
        }
        ledger.write(&Entry::End(EndRecord { seconds: start.elapsed().as_secs_f64() }))?;
        ledger.writer.flush()
    };
    let result = crate::run::on_own_thread(work);
    progress.finish_and_clear();
    if let Some(path) = &options.capture {
        // It was read; samples keep what was in it.
        let _ = fs::remove_file(path);
    }
    result
}

fn described(experiment: Experiment, choice: &Choice, stage: &Stage, machine: Machine) -> Trial {
    Trial {
        format: FORMAT.into(),
        experiment: experiment.name.into(),
        tables: choice.tables.clone(),
        quick: choice.common.quick,
        lab_version: env!("CARGO_PKG_VERSION").into(),
        command: choice.command.clone(),
        started: now_utc(),
        seed: choice.common.seed,
        place: stage.description(),
        agent: stage.agent(Role::Shipped).map_or_else(String::new, |agent| agent.description.clone()),
        fleet: choice.compare.as_ref().map(trial::Fleet::of),
        machine,
    }
}

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
