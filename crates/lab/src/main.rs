//! The program `trunkline-lab`, which `trunkline lab` starts. It is separate so that a manager does not carry the
//! laboratory with it. Exit status: 0 success, 1 failure, 2 a mistake on the command line, 130 stopped by Ctrl-C.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser};
use trunkline_lab::LabArguments;
use trunkline_login::{in_plain_words, spelled_out};
use trunkline_manual::ManualArguments;
use trunkline_sim::command::SimArguments;
use trunkline_smi::visible_lines;

/// The laboratory: measure how SNMP fetches ifTable, our agent beside others, and write a report; or run a named
/// experiment.
#[derive(Debug, Parser)]
#[command(
    name = "trunkline-lab",
    bin_name = "trunkline lab",
    disable_version_flag = true,
    about,
    max_term_width = 110
)]
struct Program {
    #[command(flatten)]
    lab: LabArguments,
}

fn main() -> ExitCode {
    let manual = ManualArguments::augment_args(Command::new(MANUAL).hide(true));
    let words: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let command = program().subcommand(manual);
    let matches = command.try_get_matches_from(spelled_out(words.iter().cloned()));
    let matches = matches.unwrap_or_else(|fault| in_plain_words(fault).exit());
    let ended = match matches.subcommand() {
        Some((MANUAL, matches)) => write_manual(matches),
        Some((SIMULATOR, matches)) => simulate(matches),
        _ => Program::from_arg_matches(&matches).map_err(Ended::Usage).and_then(|program| {
            acquire_rights(&program.lab);
            // Only now: a program that starts again reads them once more.
            trunkline_login::wipe(&words, &matches);
            run(&program.lab)
        }),
    };
    match ended {
        Ok(()) => ExitCode::SUCCESS,
        Err(Ended::Usage(fault)) => in_plain_words(fault).exit(),
        Err(Ended::Failed { reason, status }) => {
            let _ = writeln!(io::stderr(), "trunkline lab: {}", visible_lines(&reason));
            ExitCode::from(status)
        }
    }
}

/// Why the program did not do its work.
enum Ended {
    Usage(clap::Error),
    Failed { reason: String, status: u8 },
}

fn acquire_rights(lab: &LabArguments) {
    if lab.needs_link() {
        // A user who is not root starts again in a separate namespace, if the kernel allows it. If not, the experiment
        // says what is missing and continues without a link.
        let _ = trunkline_lab::place::link::acquire_rights();
    }
}

fn run(lab: &LabArguments) -> Result<(), Ended> {
    let ran = lab.run(&mut io::stdout().lock(), &mut io::stderr());
    ran.map(drop).map_err(|fault| Ended::Failed { reason: fault.to_string(), status: fault.exit_status() })
}

/// The experiments, and the simulated fleet.
fn program() -> Command {
    // A subcommand has the name of its parent in front; this one is called by the manager's.
    let simulator =
        SimArguments::augment_args(Command::new(SIMULATOR)).override_usage("trunkline sim [OPTIONS]");
    Program::command().subcommand(simulator)
}

fn simulate(matches: &clap::ArgMatches) -> Result<(), Ended> {
    let arguments = SimArguments::from_arg_matches(matches).map_err(Ended::Usage)?;
    let ran = arguments.run(&mut io::stdout().lock());
    ran.map_err(|fault| Ended::Failed { reason: fault.to_string(), status: 1 })
}

fn write_manual(matches: &clap::ArgMatches) -> Result<(), Ended> {
    let arguments = ManualArguments::from_arg_matches(matches).map_err(Ended::Usage)?;
    // Completions are of the program, not of the command that starts it.
    let program = program().bin_name("trunkline-lab");
    let written = trunkline_manual::write(program, 1, &arguments.share);
    written.map(drop).map_err(|fault| Ended::Failed { reason: fault.to_string(), status: 1 })
}

/// The hidden command that writes man pages and shell completions, for packages.
const MANUAL: &str = "manual";
/// The command that `trunkline sim` calls.
const SIMULATOR: &str = "sim";
