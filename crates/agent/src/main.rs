//! The program `trunklined`.

use std::io::Write;
use std::process::ExitCode;

use trunkline_agent::daemon::Hooks;
use trunkline_agent::door::snmp::NoProbe;
use trunkline_agent::program;
use trunkline_smi::visible_lines;

fn main() -> ExitCode {
    program::start::<NoProbe>(Hooks { say, print, report: || {}, is_laboratory: false })
}

/// What a file holds, or a library says of it, is not to steer the terminal. Nobody may be there any more to read it; that
/// is no reason to end.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(line));
}

fn print(lines: &str) {
    let _ = writeln!(std::io::stdout(), "{lines}");
}
