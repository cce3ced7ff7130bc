//! One run of an experiment, from its options to its report.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use clap::error::ErrorKind as UsageKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tokio::signal::unix::{SignalKind, signal};
use trunkline_login::SECRETS;

use crate::error::Error;
use crate::experiment::{Experiment, Plan};
use crate::findings::Findings;
use crate::machine::Machine;
use crate::opening::Opening;
use crate::options::CommonOptions;
use crate::report;
use crate::trial;

/// An experiment with the given options.
#[derive(Debug)]
pub struct Request {
    /// The experiment.
    pub experiment: &'static Experiment,
    common: CommonOptions,
    plan: Box<dyn Plan>,
    command: String,
}

/// The results of a run.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The page of the report.
    pub page: PathBuf,
    /// The findings.
    pub findings: Findings,
    /// The experiment's section of an overview.
    pub overview: String,
}

impl Request {
    /// Reads the options of an experiment.
    ///
    /// # Errors
    /// The error of clap; or `--analyse` beside an option that only measuring uses.
    pub fn of(experiment: &'static Experiment, matches: &ArgMatches) -> Result<Request, clap::Error> {
        let command = experiment.arguments(Command::new(experiment.name));
        let common = common(&command, matches)?;
        let command = again(experiment.name, &command, matches);
        Ok(Request { experiment, common, plan: (experiment.read)(matches)?, command })
    }

    /// One of several experiments that run with the same common options, and otherwise with their defaults.
    ///
    /// # Errors
    /// The error of clap.
    pub fn one_of_many(
        experiment: &'static Experiment,
        matches: &ArgMatches,
    ) -> Result<Request, clap::Error> {
        let own = experiment.command().no_binary_name(true).try_get_matches_from([""; 0])?;
        let command = CommonOptions::augment_args(Command::new(experiment.name));
        let mut common = common(&command, matches)?;
        for directory in [&mut common.out, &mut common.analyse].into_iter().flatten() {
            directory.push(experiment.name);
        }
        let command = again(experiment.name, &command, matches);
        Ok(Request { experiment, common, plan: (experiment.read)(&own)?, command })
    }

    /// The command that repeats the run.
    pub fn command(&self) -> &str {
        &self.command
    }

    /// Measures (or, with `--analyse`, only reads samples), writes the report, and prints its findings, its tables or JSON
    /// to `data`; messages for the user are written to `words`.
    ///
    /// Blocks until it is done, also inside an asynchronous runtime; it runs on a separate thread.
    ///
    /// # Errors
    /// Whatever prevents a report.
    pub fn run(&self, data: &mut dyn Write, words: &mut (dyn Write + Send)) -> Result<Outcome, Error> {
        let name = self.experiment.name;
        let directory = match &self.common.analyse {
            Some(directory) => directory.clone(),
            None => {
                let usual = || Path::new(USUAL).join(name);
                let directory = self.common.out.clone().unwrap_or_else(usual);
                self.measure(&directory, words)?;
                directory
            }
        };
        let trials = trial::read(&directory)?;
        if trials.trial.experiment != name {
            let found = trials.trial.experiment;
            return Err(Error::OtherExperiment { found, directory });
        }
        let findings = (self.experiment.findings)(&trials).with_noise();
        if findings.sheets.is_empty() {
            let reasons: Vec<String> = findings.doubts.iter().map(ToString::to_string).collect();
            return Err(Error::NothingMeasured { reasons: reasons.join("; ") });
        }
        let page = report::write(self.experiment.heading, &findings, &trials, &directory)?;
        let text = match (self.common.json, self.common.print_tables) {
            (true, _) => findings.json(),
            (_, true) => report::terminal::tables(&findings, terminal_width()),
            (_, false) => report::terminal::findings(&findings, terminal_width(), &page),
        };
        let overview = report::overview::section(self.experiment.heading, &findings, &trials);
        let _ = writeln!(words, "report: {}", page.display());
        match data.write_all(text.as_bytes()).and_then(|()| data.flush()) {
            // Nobody is reading; the report is on disk.
            Err(error) if error.kind() == ErrorKind::BrokenPipe => {}
            written => written.map_err(|source| Error::Output { source })?,
        }
        Ok(Outcome { page, findings, overview })
    }

    /// Whether privileges for an emulated link are needed.
    pub fn needs_link(&self) -> bool {
        self.experiment.needs_link && self.common.analyse.is_none()
    }

    /// Measures: afterwards the samples are on disk. Runs on a separate thread, so that the caller's stays in its
    /// namespace.
    fn measure(&self, directory: &Path, words: &mut (dyn Write + Send)) -> Result<(), Error> {
        let interrupted = notice_interrupts()?;
        let opening = Opening {
            experiment: self.experiment.name,
            tables: self.experiment.tables,
            common: &self.common,
            command: &self.command,
            directory,
            machine: Machine::here(),
            begun: Instant::now(),
            words,
            interrupted: Arc::clone(&interrupted),
        };
        match on_own_thread(|| self.plan.measure(opening)) {
            Err(Error::Interrupted { samples }) => Err(Error::Interrupted { samples }),
            // What was being started ended with the same signal.
            Err(_) if interrupted.load(Ordering::Relaxed) => Err(Error::Stopped),
            ended => ended,
        }
    }
}

/// From here on Ctrl-C, SIGTERM and SIGHUP end the run at its next step, so that children are stopped, folders with keys removed
/// and samples kept.
fn notice_interrupts() -> Result<Arc<AtomicBool>, Error> {
    let failed = |source| Error::System { what: "cannot listen for signals", source };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().map_err(failed)?;
    let interrupted = Arc::<AtomicBool>::default();
    let said = Arc::clone(&interrupted);
    let [interrupt, terminate, hangup] = {
        let _inside = runtime.enter();
        [SignalKind::interrupt(), SignalKind::terminate(), SignalKind::hangup()].map(signal)
    };
    let (mut interrupt, mut terminate, mut hangup) =
        (interrupt.map_err(failed)?, terminate.map_err(failed)?, hangup.map_err(failed)?);
    std::thread::spawn(move || {
        runtime.block_on(async {
            tokio::select! {
                _ = interrupt.recv() => {}
                _ = terminate.recv() => {}
                _ = hangup.recv() => {}
            }
        });
        said.store(true, Ordering::Relaxed);
    });
    Ok(interrupted)
}

/// The common options. Analysis of stored samples uses none but `--json` and `--tables`.
fn common(command: &Command, matches: &ArgMatches) -> Result<CommonOptions, clap::Error> {
    let common = CommonOptions::from_arg_matches(matches)?;
    match measuring(command, matches).filter(|_| common.analyse.is_some()) {
        Some(option) => {
            let text =
                format!("--analyse reads stored samples and measures nothing: it does not use {option}\n");
            Err(clap::Error::raw(UsageKind::ArgumentConflict, text))
        }
        None => Ok(common),
    }
}

/// The first given argument that analysis of stored samples does not use.
fn measuring(command: &Command, matches: &ArgMatches) -> Option<String> {
    let mut given = command.get_arguments().filter(|it| is_given(it, matches));
    let other = given.find(|it| !OF_ANALYSIS.contains(&it.get_id().as_str()))?;
    Some(other.get_long().map_or_else(|| "names of tables".into(), |long| format!("--{long}")))
}

fn is_given(argument: &Arg, matches: &ArgMatches) -> bool {
    let id = argument.get_id().as_str();
    matches.try_contains_id(id).is_ok() && matches.value_source(id) == Some(ValueSource::CommandLine)
}

/// The command that repeats a run: without the options about its output, and without communities, passwords and keys.
fn again(name: &str, command: &Command, matches: &ArgMatches) -> String {
    let mut words = vec![format!("trunkline lab {name}")];
    let shown = |it: &&Arg| is_given(it, matches) && !SECRETS.contains(&it.get_id().as_str());
    for argument in command.get_arguments().filter(shown) {
        let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
        let values: Vec<String> = values.map(|it| without_secret(&it.to_string_lossy())).collect();
        match argument.get_long() {
            Some("out" | "json" | "tables" | "analyse") => {}
            Some(long) if !argument.get_action().takes_values() => words.push(format!("--{long}")),
            Some(long) if argument.get_value_delimiter().is_some() => {
                words.push(format!("--{long} {}", values.join(",")));
            }
            Some(long) => words.extend(values.iter().map(|value| format!("--{long} {value}"))),
            None => words.extend(values),
        }
    }
    words.join(" ")
}

/// A URL without what precedes its host.
fn without_secret(text: &str) -> String {
    match text.split_once("://").map(|(scheme, rest)| (scheme, rest.rsplit_once('@'))) {
        Some((scheme, Some((_, place)))) => format!("{scheme}://{place}"),
        _ => text.to_owned(),
    }
}

/// Does the work on a separate thread, which may enter namespaces.
fn on_own_thread(work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    std::thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Error::Panicked { message: text.unwrap_or_else(|| "without words".into()) })
        })
    })
}

/// The columns of the terminal, at most 120; 80 if there is none.
fn terminal_width() -> u16 {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(80, |size| if size.ws_col == 0 { 80 } else { size.ws_col.min(120) })
}

/// The directory of results, with a subdirectory per experiment.
pub const USUAL: &str = "lab-report";
/// The options that analysis of stored samples uses.
const OF_ANALYSIS: [&str; 3] = ["analyse", "json", "print_tables"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_community_is_not_shown() {
        for (text, shown) in [
            ("snmp://secret@router", "snmp://router"),
            ("snmp://se@cret@[::1]:161", "snmp://[::1]:161"),
            ("snmp://router", "snmp://router"),
            ("64k,200ms", "64k,200ms"),
        ] {
            assert_eq!(without_secret(text), shown);
        }
    }
}
