//! An experiment as the laboratory sees it: a name, its own options, a measurement, and the tables computed from
//! its samples. The list of experiments is in `experiments`; commands, help and reports are generated from it.

use std::fmt;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::error::Error;
use crate::findings::Findings;
use crate::opening::Opening;
use crate::options::CommonOptions;
use crate::report::Heading;
use crate::trial::Trials;

/// An experiment.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Its name, and its command's.
    pub name: &'static str,
    /// What it measures, in one line of the help.
    pub about: &'static str,
    /// Example arguments after its name on a command line.
    pub examples: &'static [&'static str],
    /// The heading of its page.
    pub heading: Heading,
    /// Its tables and figures, without its name, in order.
    pub tables: &'static [&'static str],
    /// Those that are measured only if they are named.
    pub annexes: &'static [&'static str],
    /// Whether it measures on an emulated link, which needs privileges.
    pub needs_link: bool,
    /// Adds its own options to its command.
    pub define: fn(Command) -> Command,
    /// Reads its options.
    pub read: fn(&ArgMatches) -> Result<Box<dyn Plan>, clap::Error>,
    /// The analysis of samples, whenever they were taken.
    pub findings: fn(&Trials) -> Findings,
}

/// The options of an experiment as given.
pub trait Plan: fmt::Debug + Send + Sync {
    /// Checks them, sets up what is needed, and measures.
    ///
    /// # Errors
    /// An invalid value, or whatever keeps a run from continuing.
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error>;
}

/// Reads the options of an experiment.
///
/// # Errors
/// The error of clap.
pub fn read<P: Plan + FromArgMatches + 'static>(matches: &ArgMatches) -> Result<Box<dyn Plan>, clap::Error> {
    Ok(Box::new(P::from_arg_matches(matches)?))
}

impl Experiment {
    /// Its command: its own options, then the common ones.
    pub fn command(&self) -> Command {
        let mut help = format!("Tables: {}.", self.tables.join(", "));
        if !self.annexes.is_empty() {
            help += &format!("\nOnly if named: {}.", self.annexes.join(", "));
        }
        help += "\n\nExamples:";
        for example in self.examples {
            help += format!("\n  trunkline lab {} {example}", self.name).trim_end();
        }
        self.arguments(Command::new(self.name)).about(self.about).after_help(help)
    }

    /// Adds its options and the common ones to a command.
    pub fn arguments(&self, command: Command) -> Command {
        CommonOptions::augment_args((self.define)(command))
    }
}
