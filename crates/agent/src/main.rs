//! The program `trunklined`.

use std::io::Write;
use std::process::ExitCode;

use trunkline_agent::daemon::Hooks;
use trunkline_agent::door::snmp::NoProbe;
use trunkline_agent::program;
use trunkline_smi::visible_lines;

fn main() -> ExitCode {
    let (clock, check_request, select_finished) = (None, None, None);
    program::start::<NoProbe>(Hooks {
        say,
        print,
        report: || {},
        clock,
        is_laboratory: false,
        check_request,
        select_finished,
    })
}

/// Text from a file or a library must not control the terminal. If nobody reads it any more, that is not a reason
/// to end.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(line));
}

fn print(lines: &str) {
    let _ = writeln!(std::io::stdout(), "{lines}");
}
