//! The first n instances of ifTable by Get, GetNext and GetBulk, over UDP and TCP, from our agent and others
//! beside it: tables I and II and figures 6 and 7 of Pras et al. (2005) for current agents.
//!
//! It needs no emulated link. Agents answer over the loopback of this host, or of a private network namespace if
//! the host has too few interfaces.

mod bench;
mod cells;
mod drawings;
mod measure;
mod sheets;

use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::error::ErrorKind;
use clap::{ArgMatches, Args, FromArgMatches};
use serde::{Deserialize, Serialize};

use crate::experiments::pras2005::paper::TABLE_2_REPETITIONS;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::opening::{Ground, Opening};
use trunkline_labkit::options::{CommonOptions, MOST_OBJECTS, bounded, numbers};
use trunkline_labkit::place::{MAX_ROWS, Place};
use trunkline_labkit::processors::Apart;
use trunkline_labkit::report::Heading;
use trunkline_labkit::subject::{Remote, RemoteOptions, StartError, Subject};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "iftable",
    about: "How SNMP fetches ifTable with Get, GetNext and GetBulk over UDP and TCP, from the agents on this machine, compared with Pras et \
            al. (2005)",
    examples: &["--quick", "--subject snmp://public@192.0.2.1 --no-local"],
    heading: Heading {
        title: "How SNMP fetches ifTable",
        after: "After Pras, Drevers, van de Meent, Quartel, Comparing the Performance of SNMP and Web Services-Based Management \
                (2005): Get, GetNext and GetBulk over UDP and TCP.",
    },
    tables: &["delay", "first", "cpu", "octets", "table-2", "ip-level", "memory", "cells"],
    annexes: &[],
    needs_link: false,
    define: Options::augment_args,
    read: read_options,
    findings: sheets::findings,
};

/// Where blocks of requests are stored.
pub(super) const DELAY: &str = "iftable/delay";
/// Where single interactions and the columns of ifTables are stored.
pub(super) const OCTETS: &str = "iftable/octets";
/// Where memory is stored.
pub(super) const MEMORY: &str = "iftable/memory";

/// Its options.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// How many ifTable objects one interaction retrieves: the columns of the tables
    #[arg(long, value_name = "N,N", value_delimiter = ',', default_values_t = [1, 22, 66, 270])]
    objects: Vec<u32>,
    /// Measure in a private network namespace with this many interfaces (needs root); by default one is created only when
    /// this host has too few
    #[arg(long, value_name = "N")]
    rows: Option<u32>,
    /// Measure this agent too, such as snmp://public@router or snmp+tls://router; any URL and credentials that `trunkline get`
    /// takes (may be repeated)
    #[arg(long, value_name = "URL")]
    subject: Vec<String>,
    /// Start no agents here: measure those of --subject only
    #[arg(long, requires = "subject", conflicts_with_all = ["trunklined", "snmpd"])]
    no_local: bool,
    /// Path to snmpd [default: from PATH, then /usr/sbin]
    #[arg(long, value_name = "FILE")]
    snmpd: Option<PathBuf>,
    /// As whom the agents of --subject are asked.
    #[command(flatten)]
    remote: RemoteOptions,
}

/// What to measure: the checked options.
#[derive(Debug, Clone)]
struct Wanted {
    /// The columns, ascending, each once.
    objects: Vec<u32>,
    /// The object counts at which octets are measured for figure 7, ascending.
    sweep: Vec<u32>,
    rounds: u32,
    /// How long rounds may continue; the first few are always measured.
    budget: Option<Duration>,
    /// Agents that are already running.
    remote: Vec<Remote>,
    seed: u64,
}

/// The options that the analysis needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Setting {
    /// The columns.
    pub objects: Vec<u32>,
    /// Planned rounds.
    pub rounds: u32,
}

/// Both set how many rounds are measured. For other experiments, where `--quick` has a wider meaning, they may be
/// combined.
fn read_options(matches: &ArgMatches) -> Result<Box<dyn Plan>, clap::Error> {
    let common = CommonOptions::from_arg_matches(matches)?;
    if common.quick && common.repeat.is_some() {
        let text = "--quick and --repeat exclude each other: each says how many rounds are measured\n";
        return Err(clap::Error::raw(ErrorKind::ArgumentConflict, text));
    }
    read::<Options>(matches)
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.everything()?;
        let wanted = self.check(opening.common)?;
        let most = wanted.objects.last().copied().unwrap_or(1);
        let mut doubts = Vec::new();
        let place = Place::make(most, self.rows, !wanted.remote.is_empty(), wanted.seed, &mut doubts)?;
        if self.no_local {
            // The number of interfaces of this host does not matter if only others are measured.
            doubts.retain(|doubt| !matches!(doubt, Doubt::FewInterfaces { .. }));
        }
        place.enter()?;
        // Agents that run already stay where they are.
        let apart = Apart::of_this_process().filter(|_| !self.no_local);
        let setting = Setting { objects: wanted.objects.clone(), rounds: wanted.rounds };
        // Plain numbers, which JSON can always represent.
        let setting = serde_json::to_value(setting).unwrap_or_default();
        let where_they_run = if self.no_local { "" } else { Apart::describe(apart) };
        let place = place.description() + where_they_run;
        let ground = Ground { place, setting, doubts, ..Ground::default() };
        let trunklined = opening.common.trunklined.clone();
        opening.measure(&choice, ground, |runtime, ledger| {
            let start = || self.start_subjects(trunklined.as_deref(), &wanted.remote, ledger);
            let subjects = Apart::as_agents(apart, start)?;
            Apart::stay_as_manager(apart);
            let result = runtime.block_on(measure::measure(&wanted, &subjects, ledger));
            if ledger.is_interrupted() {
                return result;
            }
            // What ended unasked is the reason of whatever failed after it.
            subjects.iter().try_for_each(Subject::still_runs).and(result)
        })
    }
}

impl Options {
    fn check(&self, common: &CommonOptions) -> Result<Wanted, Error> {
        let objects = numbers("objects", &self.objects, 1, MOST_OBJECTS)?;
        if let Some(rows) = self.rows {
            bounded("rows", &[rows], (1, MAX_ROWS), TOO_MANY_ROWS)?;
        }
        if self.rows.is_some() && !self.subject.is_empty() {
            let reason = "an agent elsewhere is out of reach from a private network namespace";
            return Err(Error::Conflict { option: "rows", other: "subject", reason });
        }
        let (rounds, budget) = if common.quick { (QUICK_ROUNDS, QUICK_BUDGET) } else { (ROUNDS, BUDGET) };
        Ok(Wanted {
            sweep: sweep(&objects),
            rounds: common.repeat.unwrap_or(rounds),
            budget: Some(budget).filter(|_| common.repeat.is_none()),
            remote: self.remote.agents("subject", &self.subject)?,
            seed: common.seed,
            objects,
        })
    }

    /// Starts and names the agents. One that an option names must start; another one that cannot start becomes a
    /// doubt. There must be at least one.
    fn start_subjects(
        &self,
        trunklined: Option<&Path>,
        remote: &[Remote],
        ledger: &mut Ledger,
    ) -> Result<Vec<Subject>, Error> {
        type Start = fn(Option<&Path>) -> Result<Subject, StartError>;
        ledger.progress.set_message("starting agents");
        let mut subjects = Vec::new();
        let mut left_out = Vec::new();
        let start: [(_, _, Start); 2] = [
            ("trunklined", trunklined, Subject::trunklined),
            ("snmpd", self.snmpd.as_deref(), Subject::snmpd),
        ];
        for (name, program, start) in start.into_iter().filter(|_| !self.no_local) {
            match start(program) {
                Ok(subject) => {
                    if subject.is_debug() {
                        ledger.doubt(Doubt::DebugBuild { program: subject.name.clone() })?;
                    }
                    subjects.push(subject);
                }
                Err(source) if program.is_some() => return Err(Error::Start { option: name, source }),
                Err(error) => {
                    let reason = in_words(&error);
                    left_out.push(format!("{name}: {reason}"));
                    ledger.doubt(Doubt::AgentLeftOut { what: format!("the figures of {name}"), reason })?;
                }
            }
        }
        subjects.extend(remote.iter().map(Subject::remote));
        if subjects.is_empty() {
            return Err(Error::NoSubject { reasons: left_out.join("; ") });
        }
        Ok(subjects)
    }
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

/// The counts of figure 7: all small ones, then about a dozen per order of magnitude, and the columns themselves.
fn sweep(objects: &[u32]) -> Vec<u32> {
    let most = objects.last().copied().unwrap_or(1);
    let mut counts: Vec<u32> = objects.to_vec();
    let mut count = 1.0f64;
    while count <= f64::from(most) {
        counts.push(count as u32);
        count = (count * 1.2).max(count + 1.0);
    }
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// Why `--rows` has an end.
const TOO_MANY_ROWS: &str = "the kernel needs about 0.1 MB and 2 ms for each interface, and 910 have as many objects as fit into a message";
/// Requests per block: as many as the paper used for each figure.
const REQUESTS_PER_BLOCK: u32 = TABLE_2_REPETITIONS as u32;
/// Rounds that are measured however long they take.
const LEAST_ROUNDS: u32 = 3;
const ROUNDS: u32 = 200;
const QUICK_ROUNDS: u32 = 25;
const BUDGET: Duration = Duration::from_secs(70);
const QUICK_BUDGET: Duration = Duration::from_secs(11);

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        own: Options,
        #[command(flatten)]
        common: CommonOptions,
    }

    fn wanted(words: &str) -> Result<Wanted, Error> {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        let program = Program::try_parse_from(words).unwrap();
        program.own.check(&program.common)
    }

    #[test]
    fn the_default_is_the_papers() {
        let wanted = wanted("").unwrap();
        assert_eq!(wanted.objects, [1, 22, 66, 270]);
        assert_eq!((wanted.rounds, REQUESTS_PER_BLOCK, wanted.budget), (ROUNDS, 10, Some(BUDGET)));
        assert!(wanted.remote.is_empty());
        assert!(wanted.objects.iter().all(|count| wanted.sweep.contains(count)));
        assert!((20..60).contains(&wanted.sweep.len()), "{:?}", wanted.sweep);
    }

    #[test]
    fn options_are_read() {
        let wanted =
            wanted("--objects 66,1,66 --repeat 5 --subject snmp://secret@127.0.0.1:1161 --no-local --seed 7")
                .unwrap();
        assert_eq!(wanted.objects, [1, 66]);
        assert_eq!((wanted.rounds, wanted.budget, wanted.seed), (5, None, 7));
        assert_eq!(wanted.remote[0].way, "v2c/UDP");
    }

    #[test]
    fn invalid_options_are_refused_by_name() {
        for (words, name) in [
            ("--objects 0,1", "objects"),
            ("--objects 20001", "objects"),
            ("--rows 0", "rows"),
            ("--subject ftp://x", "subject"),
        ] {
            match wanted(words) {
                Err(Error::Remote { option, .. } | Error::Range { option, .. }) => {
                    assert_eq!(option, name, "{words}")
                }
                other => panic!("{words}: {other:?}"),
            }
        }
        let both = wanted("--rows 5 --subject snmp://127.0.0.1");
        assert!(matches!(both, Err(Error::Conflict { option: "rows", other: "subject", .. })));
        // Paths are unused if no agent is started.
        for words in [
            "--no-local",
            "--no-local --subject snmp://x --snmpd y",
            "--no-local --subject snmp://x --trunklined y",
        ] {
            let words = std::iter::once("lab").chain(words.split_whitespace());
            assert!(Program::try_parse_from(words).is_err());
        }
    }
}
