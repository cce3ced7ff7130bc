//! One run of an experiment, from its options to its report.

use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use clap::error::ErrorKind as UsageKind;
use clap::parser::ValueSource;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use trunkline_client::Url;
use trunkline_login::SECRETS;

use crate::error::Error;
use crate::experiment::{Experiment, Plan};
use crate::findings::Findings;
use crate::interrupt::Watch;
use crate::leftovers;
use crate::machine::Machine;
use crate::opening::Opening;
use crate::options::CommonOptions;
use crate::report;
use crate::trial::{self, TrialWriter};

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
        let usual = || Path::new(USUAL).join(name);
        // Until the report is written.
        let watch = match self.common.analyse {
            Some(_) => None,
            None => {
                trunkline_client::ensure_descriptors(DESCRIPTORS)?;
                let path = std::env::temp_dir();
                leftovers::try_folder(&path).map_err(|source| Error::Temporary { path, source })?;
                Some(Watch::start()?)
            }
        };
        let (directory, samples, trials) = match (&watch, &self.common.analyse) {
            (None, analysed) => {
                let directory = analysed.clone().unwrap_or_else(usual);
                let trials = trial::read(&directory)?;
                (directory, None, trials)
            }
            (Some(watch), _) => {
                let directory = self.common.out.clone().unwrap_or_else(usual);
                let samples = self.measure(&directory, watch, words)?;
                let trials = samples.read()?;
                (directory, Some(samples), trials)
            }
        };
        if trials.trial.experiment != name {
            let found = trials.trial.experiment;
            return Err(Error::OtherExperiment { found, directory });
        }
        let findings = (self.experiment.findings)(&trials).with_noise();
        if is_empty(&findings) {
            let reasons: Vec<String> = findings.doubts.iter().map(ToString::to_string).collect();
            return Err(Error::NothingMeasured { reasons: reasons.join("; ") });
        }
        samples.as_ref().map_or(Ok(()), TrialWriter::keep)?;
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
        // One of several is not followed by the next.
        if watch.is_some_and(|watch| watch.is_interrupted()) {
            return Err(Error::Stopped);
        }
        Ok(Outcome { page, findings, overview })
    }

    /// Whether privileges for an emulated link are needed.
    pub fn needs_link(&self) -> bool {
        self.experiment.needs_link && self.common.analyse.is_none()
    }

    /// Measures: afterwards the samples are on disk. Runs on a separate thread, so that the caller's stays in its
    /// namespace.
    fn measure(
        &self,
        directory: &Path,
        watch: &Watch,
        words: &mut (dyn Write + Send),
    ) -> Result<TrialWriter, Error> {
        leftovers::remove_of_the_dead();
        let opening = Opening {
            experiment: self.experiment.name,
            tables: self.experiment.tables,
            annexes: self.experiment.annexes,
            common: &self.common,
            command: &self.command,
            directory,
            machine: Machine::here(),
            begun: Instant::now(),
            words,
            interrupted: Arc::clone(&watch.interrupted),
            samples: Arc::clone(&watch.samples),
        };
        match on_own_thread(|| self.plan.measure(opening)) {
            Err(Error::Interrupted { samples }) => Err(Error::Interrupted { samples }),
            // What was being started ended with the same signal.
            Err(_) if watch.is_interrupted() => Err(Error::Stopped),
            Err(error) => Err(error),
            Ok(()) => {
                let none = || Error::NothingMeasured { reasons: "no samples were taken".into() };
                watch.samples.get().cloned().ok_or_else(none)
            }
        }
    }
}

/// Whether no row of any table has a figure of this run.
fn is_empty(findings: &Findings) -> bool {
    let mut rows = findings.sheets.iter().flat_map(|sheet| &sheet.rows);
    !rows.any(|row| row.ours.iter().any(Option::is_some))
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
    let version = matches.try_get_raw("snmp_version").ok().flatten().and_then(|mut all| all.next());
    let has_user = matches.try_contains_id("user").is_ok_and(|found| found);
    let by_user = version.map_or(has_user, |version| version == "3");
    let shown = |it: &&Arg| is_given(it, matches) && !SECRETS.contains(&it.get_id().as_str());
    for argument in command.get_arguments().filter(shown) {
        let values = matches.get_raw(argument.get_id().as_str()).into_iter().flatten();
        let values: Vec<String> = values.map(|it| without_secret(&it.to_string_lossy(), by_user)).collect();
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

/// A URL whose community or password is hidden. The name of a user stays, without which nobody can repeat the run: over
/// SSH, and where the URL or the options say that it is one (`by_user`).
fn without_secret(text: &str, by_user: bool) -> String {
    let Some(Url { scheme, user, authority, path, query }) = Url::split(text) else { return text.to_owned() };
    let Some(who) = user else {
        // A community with a slash is a mistake, and a secret still.
        let behind = text.rsplit_once('@').map(|(_, place)| format!("{scheme}://{HIDDEN}@{place}"));
        return behind.unwrap_or_else(|| text.to_owned());
    };
    let place = format!("{authority}{path}{}", query.map_or_else(String::new, |query| format!("?{query}")));
    let query = query.unwrap_or_default();
    let has = |one: &str| query.split('&').any(|part| part == one);
    let is_web = scheme.starts_with("soap");
    let is_community = has("version=1") || has("version=2c");
    let is_user = scheme.ends_with("ssh") || (by_user || has("version=3")) && !is_community;
    match who.split_once(':') {
        Some((user, _)) if is_user || is_web => format!("{scheme}://{user}:{HIDDEN}@{place}"),
        None if is_user && !is_web => text.to_owned(),
        _ => format!("{scheme}://{HIDDEN}@{place}"),
    }
}

/// Does the work on a separate thread, which may enter namespaces.
fn on_own_thread(work: impl FnOnce() -> Result<(), Error> + Send) -> Result<(), Error> {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().name("lab-measuring".into()).spawn_scoped(scope, work);
        let failed = |source| Error::System { what: "cannot start the measuring thread", source };
        thread.map_err(failed)?.join().unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let text = text.or_else(|| panic.downcast_ref::<String>().cloned());
            Err(Error::Panicked { message: text.unwrap_or_else(|| "without words".into()) })
        })
    })
}

/// The columns of the terminal, at most 120; 80 if there is none.
pub fn terminal_width() -> u16 {
    let size = rustix::termios::tcgetwinsize(std::io::stdout());
    size.map_or(80, |size| if size.ws_col == 0 { 80 } else { size.ws_col.min(120) })
}

/// What stands in place of a secret.
const HIDDEN: &str = "***";
/// The directory of results, with a subdirectory per experiment.
pub const USUAL: &str = "lab-report";
/// The options that analysis of stored samples uses.
const OF_ANALYSIS: [&str; 3] = ["analyse", "json", "print_tables"];

/// What a run opens at least: agents with their outputs, sessions, samples.
const DESCRIPTORS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_community_is_not_shown() {
        for (text, by_user, shown) in [
            ("snmp://secret@router", false, "snmp://***@router"),
            ("snmp://se@cret@[::1]:161", false, "snmp://***@[::1]:161"),
            ("snmp://router", false, "snmp://router"),
            ("snmp://sec/ret@router", false, "snmp://***@router"),
            ("soap+http://ann:secret@h/x@y", false, "soap+http://ann:***@h/x@y"),
            ("64k,200ms", false, "64k,200ms"),
            ("snmp://ann@h?version=3", false, "snmp://ann@h?version=3"),
            ("snmp://ann@h", true, "snmp://ann@h"),
            ("snmp://secret@h?version=2c", true, "snmp://***@h?version=2c"),
            ("snmp+ssh://ann@h", false, "snmp+ssh://ann@h"),
            ("snmp+tls://secret@h?version=2c", false, "snmp+tls://***@h?version=2c"),
            ("snmp+ssh://ann:secret@h", false, "snmp+ssh://ann:***@h"),
            ("soap+https://ann:secret@h/soap", false, "soap+https://ann:***@h/soap"),
            ("soap+http://secret@h", true, "soap+http://***@h"),
        ] {
            assert_eq!(without_secret(text, by_user), shown);
        }
    }
}
