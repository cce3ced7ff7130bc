//! One run from options to report.

use std::fs;
use std::io::{IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use tokio::runtime::Runtime;
use tokio::signal::unix::{SignalKind, signal};

use crate::analysis::Analysis;
use crate::experiments::iftable;
use crate::kit::error::Error;
use crate::kit::machine::{Machine, now_utc};
use crate::kit::place::Place;
use crate::kit::report;
use crate::kit::subject::{StartError, Subject};
use crate::options::{LabOptions, Plan};
use crate::samples::{self, FORMAT, Record, Run, SampleWriter, WarningRecord};
use crate::warning::Warning;

/// What a run left behind.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The page of the report.
    pub page: PathBuf,
    /// What was found.
    pub analysis: Analysis,
}

/// Measures (or, with `--analyse`, only reads samples), writes the report, and prints its tables, or JSON, to `data`; words for
/// the user go to `words`.
///
/// Blocks until it is done, also inside an asynchronous runtime; sockets and children live on a thread of its own.
pub fn run(
    options: &LabOptions,
    data: &mut dyn Write,
    words: &mut (dyn Write + Send),
) -> Result<Outcome, Error> {
    let directory = match &options.analyse {
        Some(directory) => directory.clone(),
        None => {
            measure(options, words)?;
            options.out.clone()
        }
    };
    let records = samples::read(&directory)?;
    let path = directory.join(samples::FILE_NAME);
    let no_run = || Error::Sample { path, line: 1, reason: "expected the record of a run first".into() };
    let analysis = Analysis::of(&records).ok_or_else(no_run)?;
    if analysis.cells.is_empty() && analysis.octets.is_empty() {
        return Err(Error::NothingMeasured { reasons: listed(&analysis.warnings) });
    }
    let page = report::write(&analysis, &directory)?;
    let text =
        if options.json { report::json(&analysis) } else { report::terminal(&analysis, terminal_width()) };
    // Whoever closed our output has seen enough; the report is on disk.
    let _ = data.write_all(text.as_bytes()).and_then(|()| data.flush());
    let _ = writeln!(words, "report: {}", page.display());
    Ok(Outcome { page, analysis })
}

/// Measures: afterwards the samples are on disk.
fn measure(options: &LabOptions, words: &mut (dyn Write + Send)) -> Result<(), Error> {
    let plan = options.plan()?;
    fs::create_dir_all(&options.out).map_err(|source| Error::Write { path: options.out.clone(), source })?;
    let machine = Machine::here();
    let progress = progress(words, &plan);
    progress.set_message("making the place");
    let mut warnings = Vec::new();
    let most = plan.objects.last().copied().unwrap_or(1);
    let place = Place::make(most, plan.rows, !plan.remote.is_empty(), plan.seed, &mut warnings)?;
    if !plan.local {
        // How many interfaces this host has is no matter when only others are measured.
        warnings.retain(|warning| !matches!(warning, Warning::NoNamespace { .. }));
    }
    let mut samples = SampleWriter::create(&options.out)?;
    samples.write(&Record::Run(Run {
        format: FORMAT,
        lab_version: env!("CARGO_PKG_VERSION").into(),
        command: plan.command.clone(),
        started: now_utc(),
        seed: plan.seed,
        objects: plan.objects.clone(),
        rounds: plan.rounds,
        requests_per_block: plan.requests_per_block,
        place: place.record(),
        machine,
    }))?;
    if cfg!(debug_assertions) {
        warnings
            .push(Warning::DebugBuild { program: "this lab (its client takes part in every delay)".into() });
    }
    for warning in warnings {
        samples.write(&Record::Warning(WarningRecord { warning }))?;
    }
    let interrupted = Arc::default();
    let mut desk = Desk { samples, progress, interrupted };
    let result = in_place(&place, || measure_inside(options, &plan, &mut desk));
    desk.progress.finish_and_clear();
    result
}

/// Does the work on a thread of its own inside the place, so that the caller's thread stays where it is.
fn in_place(place: &Place, work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    on_own_thread(|| {
        place.enter()?;
        work()
    })
}

/// Does the work on a thread of its own, which may enter what it likes.
pub(crate) fn on_own_thread(work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    std::thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Error::Panicked { message: text.unwrap_or_else(|| "without words".into()) })
        })
    })
}

fn measure_inside(options: &LabOptions, plan: &Plan, desk: &mut Desk) -> Result<(), Error> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime
        .map_err(|source| Error::System { what: "cannot make the runtime of the sessions", source })?;
    let interrupted = Arc::clone(&desk.interrupted);
    notice_interrupts(&runtime, &interrupted)?;
    let subjects = start_subjects(options, plan, desk)?;
    runtime.block_on(iftable::measure(plan, &subjects, desk))?;
    if interrupted.load(Ordering::Relaxed) {
        return Err(Error::Interrupted { samples: options.out.join(samples::FILE_NAME) });
    }
    Ok(())
}

/// From here on Ctrl-C and SIGTERM end the run between two blocks, so that children end and samples are kept.
pub(crate) fn notice_interrupts(runtime: &Runtime, interrupted: &Arc<AtomicBool>) -> Result<(), Error> {
    let _inside = runtime.enter();
    for kind in [SignalKind::interrupt(), SignalKind::terminate()] {
        let mut arrived =
            signal(kind).map_err(|source| Error::System { what: "cannot listen for signals", source })?;
        let interrupted = Arc::clone(interrupted);
        runtime.spawn(async move {
            if arrived.recv().await.is_some() {
                interrupted.store(true, Ordering::Relaxed);
            }
        });
    }
    Ok(())
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

type Start = fn(Option<&Path>) -> Result<Subject, StartError>;

/// Starts and names the agents. One that was named by an option must start; another that cannot becomes a doubt. At least one
/// must be there.
fn start_subjects(options: &LabOptions, plan: &Plan, desk: &mut Desk) -> Result<Vec<Subject>, Error> {
    desk.progress.set_message("starting agents");
    let mut subjects = Vec::new();
    let mut left_out = Vec::new();
    let (ours, theirs) = (options.trunklined.as_deref(), options.snmpd.as_deref());
    let start: [(_, _, Start); 2] =
        [("trunklined", ours, Subject::trunklined), ("snmpd", theirs, Subject::snmpd)];
    for (name, program, start) in start.into_iter().filter(|_| plan.local) {
        match start(program) {
            Ok(subject) => {
                doubt_debug_build(&subject, desk)?;
                subjects.push(subject);
            }
            Err(source) if program.is_some() => return Err(Error::Start { option: name, source }),
            Err(error) => {
                let reason = in_words(&error);
                left_out.push(format!("{name}: {reason}"));
                desk.doubt(Warning::SubjectLeftOut { subject: name.into(), reason })?;
            }
        }
    }
    subjects.extend(plan.remote.iter().map(Subject::remote));
    if subjects.is_empty() {
        return Err(Error::NoSubject { reasons: left_out.join("; ") });
    }
    Ok(subjects)
}

fn in_words(error: &StartError) -> String {
    match error {
        StartError::NotFound { program } if program == Path::new("snmpd") => {
            format!("{error} (apt-get install snmpd)")
        }
        StartError::NotFound { program } if program == Path::new("trunklined") => {
            format!("{error} (cargo build --release -p trunklined)")
        }
        _ => error.to_string(),
    }
}

/// Cargo's directory of unoptimised programs is called `debug`.
fn doubt_debug_build(subject: &Subject, desk: &mut Desk) -> Result<(), Error> {
    let directory = subject.program.as_deref().and_then(Path::parent);
    match directory.and_then(Path::file_name) {
        Some(name) if name == "debug" => desk.doubt(Warning::DebugBuild { program: subject.name.clone() }),
        _ => Ok(()),
    }
}

/// A bar on a terminal, else one line.
fn progress(words: &mut (dyn Write + Send), plan: &Plan) -> ProgressBar {
    let objects: Vec<String> = plan.objects.iter().map(u32::to_string).collect();
    let limit = plan.budget.map_or(String::new(), |it| format!(", at most {} s", it.as_secs()));
    let line = format!("measuring ifTable, {} objects, {} rounds{limit}", objects.join(", "), plan.rounds);
    if !std::io::stderr().is_terminal() {
        let _ = writeln!(words, "{line}");
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr_with_hz(5));
    let style = ProgressStyle::with_template("{prefix} {wide_bar} {percent:>3}% {msg:<16} {elapsed}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    bar.with_prefix("measuring")
}

/// The columns of the terminal, at most 120; 80 where there is none.
pub(crate) fn terminal_width() -> u16 {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(80, |size| if size.ws_col == 0 { 80 } else { size.ws_col.min(120) })
}

/// What was left out, and why, in one line.
fn listed(warnings: &[Warning]) -> String {
    let about_subjects = warnings.iter().filter(|warning| warning.subject().is_some());
    let texts: Vec<String> = about_subjects.map(ToString::to_string).collect();
    if texts.is_empty() { "no cell was asked for".into() } else { texts.join("; ") }
}
