//! The program `trunklined`.

use std::process::ExitCode;

use clap::Parser;
use trunkline_agent::daemon::Hooks;
use trunkline_agent::door::snmp::NoProbe;
use trunkline_agent::program::{self, Arguments};

fn main() -> ExitCode {
    program::main::<NoProbe>(Arguments::parse(), Hooks { say, report: || {} })
}

#[allow(clippy::print_stderr)]
fn say(line: &str) {
    eprintln!("{line}");
}
