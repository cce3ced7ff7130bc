//! Which agents a command asks: one, or many at the same time.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{MANY, OutputArgs};

/// The agent of a command that asks one.
#[derive(Args, Clone, Debug)]
pub struct TargetArg {
    /// The agent: a URL, Net-SNMP's form (see `trunkline --help`), or the name of a target of --config.
    #[arg(help_heading = "Arguments", display_order = 1)]
    pub target: String,
}

/// The agents of a command that asks one or many.
#[derive(Args, Clone, Debug, Default)]
pub struct TargetsArgs {
    /// The agents, each a URL, Net-SNMP's form (see `trunkline --help`), the name of a target of --config, or @GROUP.
    #[arg(value_name = "TARGET", help_heading = "Arguments", display_order = 1)]
    pub target: Option<String>,
    /// Ask the agents of this file (`-`: standard input) as well: a line has a target and, if wanted, a name for it;
    /// `#` begins a comment.
    #[arg(long, value_name = "FILE", help_heading = MANY)]
    pub hosts: Option<PathBuf>,
    /// How many agents are asked at the same time [default: 50]. An agent that stays silent for 0.2 s makes room for
    /// another one.
    #[arg(long, value_name = "NUMBER", value_parser = parse_parallel, help_heading = MANY)]
    pub parallel: Option<usize>,
    /// When the exit status is 1: if any agent fails, if all fail, or never [default: any].
    #[arg(long, value_name = "WHEN", value_enum, hide_possible_values = true, help_heading = MANY)]
    pub fail_if: Option<FailIf>,
}

/// `targets`.
#[derive(Args, Debug)]
pub struct TargetsListArgs {
    /// Only these: names of targets, or @GROUP [default: all].
    #[arg(value_name = "NAME", help_heading = "Arguments")]
    pub names: Vec<String>,
    /// The file; also the variable TRUNKLINE_CONFIG [default: ~/.config/trunkline/config.toml].
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Draw lines of this many characters [default: the terminal's width].
    #[arg(long, value_name = "CHARACTERS")]
    pub width: Option<u16>,
    /// How they are written.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// When a command with many agents fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailIf {
    /// If an agent fails.
    #[default]
    Any,
    /// If all fail.
    All,
    /// Never.
    Never,
}

pub(super) fn parse_parallel(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=10_000).contains(&number) => Ok(number),
        _ => Err("expected a number from 1 to 10000".to_owned()),
    }
}
