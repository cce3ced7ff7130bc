//! `trunkline lab`: a command for each experiment in the list, with its own options, and one for all of them.
//! Without a name, the first experiment in the list is run.

use std::io::Write;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::experiments::ALL;
use trunkline_analysis::{AnalyzeArguments, PlanArguments};
use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::Experiment;
use trunkline_labkit::options::CommonOptions;
use trunkline_labkit::report::overview;
use trunkline_labkit::run::{Outcome, Request};

/// The experiments that `trunkline lab` is to run, or what it is to do with stored delays.
#[derive(Debug)]
pub struct LabArguments {
    requests: Vec<Request>,
    stored: Option<Stored>,
}

/// What is done with stored delays.
#[derive(Debug)]
enum Stored {
    Analyze(AnalyzeArguments),
    Plan(PlanArguments),
}

impl LabArguments {
    /// Runs the requested experiments, one after another, and returns the outcome of each. Results are written to
    /// `data`, messages for the user to `words`. Several have an overview beside their directories.
    ///
    /// # Errors
    /// The first experiment that cannot continue ends the run.
    pub fn run(&self, data: &mut dyn Write, words: &mut (dyn Write + Send)) -> Result<Vec<Outcome>, Error> {
        match &self.stored {
            Some(Stored::Analyze(analysis)) => return analysis.run(data, words).map(|()| vec![]),
            Some(Stored::Plan(plan)) => return plan.run(data).map(|()| vec![]),
            None => {}
        }
        let outcomes: Vec<Outcome> =
            self.requests.iter().map(|request| request.run(data, words)).collect::<Result<_, _>>()?;
        let sections: Vec<String> = outcomes.iter().map(|it| it.overview.clone()).collect();
        if let Some(directory) = outcomes.first().and_then(|it| it.page.ancestors().nth(2))
            && sections.len() > 1
        {
            let path = overview::write(&sections, directory)?;
            let _ = writeln!(words, "overview: {}", path.display());
        }
        Ok(outcomes)
    }

    /// Whether privileges for an emulated link are needed.
    pub fn needs_link(&self) -> bool {
        self.requests.iter().any(Request::needs_link)
    }
}

impl Args for LabArguments {
    fn augment_args(command: Command) -> Command {
        let first = |experiment: &Experiment| {
            let example = experiment.examples.first().unwrap_or(&"");
            format!("\n  trunkline lab {} {example}", experiment.name)
        };
        let help: String = ALL.iter().map(first).collect();
        let all = CommonOptions::augment_args(Command::new(EVERY))
            .about("Every experiment, one after the other, with its default options")
            .after_help("With --out DIR or --analyse DIR, each experiment has its own directory in DIR.");
        FIRST
            .arguments(command)
            .args_conflicts_with_subcommands(true)
            .subcommand_value_name("EXPERIMENT")
            .subcommand_help_heading("Experiments")
            .subcommands(ALL.iter().map(Experiment::command))
            .subcommand(all)
            .subcommand(analyze())
            .subcommand(plan())
            .after_help(format!("Examples:{help}"))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for LabArguments {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let stored = match matches.subcommand() {
            Some((ANALYZE, matches)) => Some(Stored::Analyze(AnalyzeArguments::from_arg_matches(matches)?)),
            Some((PLAN, matches)) => Some(Stored::Plan(PlanArguments::from_arg_matches(matches)?)),
            _ => None,
        };
        if stored.is_some() {
            return Ok(LabArguments { requests: vec![], stored });
        }
        let requests = match matches.subcommand() {
            None => vec![Request::of(FIRST, matches)?],
            Some((EVERY, matches)) => {
                ALL.iter().map(|it| Request::one_of_many(it, matches)).collect::<Result<_, _>>()?
            }
            Some((name, matches)) => {
                let named = ALL.iter().filter(|experiment| experiment.name == name);
                named.map(|experiment| Request::of(experiment, matches)).collect::<Result<_, _>>()?
            }
        };
        Ok(LabArguments { requests, stored: None })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

/// The command for delays that are stored, whoever measured them.
fn analyze() -> Command {
    let example = |words: &str| format!("\n  trunkline lab {ANALYZE} {words}");
    let examples: String = [
        "delays.bin --tolerable 1s",
        "70.bin 140.bin 210.bin 280.bin",
        "rtt.csv --column rtt --unit us",
        "- < delays-in-ms.txt",
    ]
    .map(example)
    .concat();
    AnalyzeArguments::augment_args(Command::new(ANALYZE))
        .about("Stored delays: summary, distributions and monitoring error, of files that runs have written or of any list of delays")
        .after_help(format!(
            "Texts have one delay a line, columns (CSV) or JSON; `lost` is a request without an answer; columns named\n\
             agent and round make the monitoring error of agents and rounds.\n\nExamples:{examples}"
        ))
}

/// The command for groups that are not there yet.
fn plan() -> Command {
    let example = |words: &str| format!("\n  trunkline lab {PLAN} {words}");
    let examples: String = [
        "70.bin 140.bin 280.bin --agents 700",
        "lab-report/emanics2006 --protocol v2c --agents 50000",
        "*.bin --protocol snmp --agents 5000 --every 30s --tolerable 1s --rtt 40ms --loss 0.1%",
    ]
    .map(example)
    .concat();
    PlanArguments::augment_args(Command::new(PLAN))
        .about("The share of late answers in a group that is not there yet, foretold from stored delays of others")
        .after_help(format!("Examples:{examples}"))
}

/// The experiment that is run if none is named.
const FIRST: &Experiment = &ALL[0];
/// The command for all of them.
const EVERY: &str = "all";
/// The command for stored delays.
const ANALYZE: &str = "analyze";
/// The command for groups that are not there yet.
const PLAN: &str = "plan";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use clap::error::ErrorKind;

    #[derive(Debug, Parser)]
    struct Program {
        #[command(flatten)]
        lab: LabArguments,
    }

    fn read(words: &str) -> Result<Vec<Request>, clap::Error> {
        let words = std::iter::once("lab").chain(words.split_whitespace());
        Program::try_parse_from(words).map(|program| program.lab.requests)
    }

    #[test]
    fn an_option_that_an_experiment_does_not_use_is_an_error() {
        for words in [
            "du2001 --gsoap x",
            "du2001 --agent snmp://router",
            "du2001 --objects 5",
            "du2001 --sessions 5",
            "marinov2006 --idle 1",
            "marinov2006 --trunklined-lab x",
            "pras2005 --messages 5",
            "pras2005 --trunkline x",
            "ma2005 --snmpd x",
            "ma2005 --objects 5",
            "iftable --messages 5",
            "--gsoap x",
            "compare table-1",
            "compare --messages 5",
            "all table-1",
        ] {
            let error = read(words).unwrap_err();
            assert_eq!(error.kind(), ErrorKind::UnknownArgument, "{words}: {error}");
        }
        let text = read("du2001 --gsoap x").unwrap_err().to_string();
        assert!(
            text.contains("unexpected argument '--gsoap'") && text.contains("du2001 [OPTIONS]"),
            "{text}"
        );
    }

    #[test]
    fn analysis_of_stored_samples_measures_nothing() {
        for output in ["--json", "--tables"] {
            assert!(read(&format!("du2001 --analyse x {output}")).is_ok());
        }
        for words in [
            "du2001 --analyse x --repeat 2",
            "du2001 table-1 --analyse x",
            "compare --analyse x --devices 3",
            "du2001 --tables --json",
        ] {
            assert_eq!(read(words).unwrap_err().kind(), ErrorKind::ArgumentConflict, "{words}");
        }
    }

    #[test]
    fn the_list_makes_the_commands() {
        let mut command = LabArguments::augment_args(Command::new("lab"));
        command.build();
        let help = command.render_long_help().to_string();
        for experiment in ALL {
            assert!(help.contains(&format!("trunkline lab {}", experiment.name)), "{help}");
            let read = read(experiment.name).unwrap();
            assert_eq!(read[0].experiment.name, experiment.name);
            assert!(!experiment.tables.is_empty() && !experiment.examples.is_empty());
            for example in experiment.examples {
                assert!(self::read(&format!("{} {example}", experiment.name)).is_ok(), "{example}");
            }
        }
        let names: Vec<&str> = read("all --quick").unwrap().iter().map(|it| it.experiment.name).collect();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn the_command_that_repeats_a_run_has_the_given_options() {
        for (words, again) in [
            ("du2001", "trunkline lab du2001"),
            (
                "du2001 table-2 --quick --tables --messages 20,5 --out x",
                "trunkline lab du2001 table-2 --messages 20,5 --quick",
            ),
            (
                "pras2005 --only figure-4,figure-5 --agent snmp://secret@router --agent snmp://b",
                "trunkline lab pras2005 --only figure-4,figure-5 --agent snmp://***@router --agent snmp://b",
            ),
            ("compare --every 5m --seed 7", "trunkline lab compare --every 5m --seed 7"),
            (
                "iftable --subject snmp://a -u ann -A geheimgeheim --priv-master-key 00 -c geheim",
                "trunkline lab iftable --subject snmp://a --user ann",
            ),
        ] {
            assert_eq!(read(words).unwrap()[0].command(), again);
        }
        for words in ["--quick --subject snmp://secret@a", "iftable --quick --subject snmp://secret@a"] {
            assert_eq!(
                read(words).unwrap()[0].command(),
                "trunkline lab iftable --subject snmp://***@a --quick"
            );
        }
        assert!(read("--rows 3 du2001").is_err());
        assert_eq!(read("--quick --repeat 3").unwrap_err().kind(), ErrorKind::ArgumentConflict);
        let all = read("all --quick --repeat 3 --out x").unwrap();
        assert_eq!(all[0].command(), format!("trunkline lab {} --quick --repeat 3", ALL[0].name));
    }
}
