//! `trunklined import-snmpd`: the converted text to stdout or a file, and to stderr what could not be
//! carried over; with `--explain` what became of each line, with `--compare` both agents side by side.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use crate::{CompareArguments, compare_agents, output};
use trunkline_config::{Plan, ProgramPrivileges};
use trunkline_netsnmp::{Imported, Surroundings, explain, import, lines, resolve};

/// The command line of `import-snmpd`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// snmpd.conf and the other files that snmpd reads, in that order; included files are read too [default: the
    /// files that snmpd reads on this machine, with its engine ID and users].
    #[arg(value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the configuration to this new file, which only its owner may read, and the group trunkline if root makes
    /// it: the unit of the packages starts the agent as that user.
    #[arg(short, long, value_name = "FILE", conflicts_with = "compare")]
    pub output: Option<PathBuf>,
    /// Replace the file of --output. The earlier one is kept with .old at the end of its name; the new one has its
    /// owner and rights.
    #[arg(long, requires = "output")]
    pub replace: bool,
    /// Write nothing and exit with 3 if a line is not carried over, or only in part.
    #[arg(long, conflicts_with = "compare")]
    pub strict: bool,
    /// With --strict: a directive whose lines may be lost, such as smuxpeer. May be given several times.
    #[arg(long, value_name = "DIRECTIVE", value_delimiter = ',', requires = "strict")]
    pub accept: Vec<String>,
    /// Print what became of each line, in place of the configuration; communities, passwords and keys are
    /// shown as ***.
    #[arg(long, conflicts_with = "compare")]
    pub explain: bool,
    /// With --explain: the width of the text.
    #[arg(long, value_name = "COLUMNS", requires = "explain", default_value_t = 80)]
    pub width: usize,
    /// With --explain or --compare: print JSON.
    #[arg(long)]
    pub json: bool,
    /// What the command needs from two agents.
    #[command(flatten)]
    pub compare: CompareArguments,
}

/// Programs own the printing.
#[derive(Clone, Copy)]
pub struct Printer {
    /// Writes a line to stderr.
    pub say: fn(&str),
    /// Writes lines to stdout.
    pub print: fn(&str),
}

/// The exit status of `--strict` if a line was lost.
const LOST: u8 = 3;

/// Executes the command line. The exit status is 0 if the files were converted, 1 if they were not, and with
/// `--strict` 3 if a line was lost.
pub fn run(arguments: &ImportArguments, printer: Printer) -> ExitCode {
    if arguments.json && !arguments.explain && !arguments.compare.compare {
        (printer.say)("trunklined: --json requires --explain or --compare");
        return ExitCode::from(2);
    }
    let files = match arguments.files.is_empty() {
        true => trunkline_netsnmp::files::of_this_machine(),
        false => arguments.files.clone(),
    };
    // Agents that run already have read theirs.
    let both_run = arguments.compare.ours.is_some() && arguments.compare.theirs.is_some();
    if files.is_empty() && !both_run {
        return fail(
            printer,
            "name the files of snmpd: there are none where it looks for them, such as /etc/snmp/snmpd.conf",
        );
    }
    if arguments.compare.compare {
        return compare(&files, arguments, printer);
    }
    let names: Vec<String> = files.iter().map(|file| file.display().to_string()).collect();
    let title = format!(
        "Made by `trunklined import-snmpd` from {}.\n\
         Check it with `trunklined --check --config THIS-FILE`. It holds secrets: only its owner should read it.",
        names.join(", ")
    );
    let surroundings = Surroundings { resolve: &resolve, extra: Vec::new(), listen: Vec::new(), title };
    let imported = match import(&files, &surroundings) {
        Ok(imported) => imported,
        Err(error) => return fail(printer, &error.to_string()),
    };
    if !arguments.explain {
        for note in imported.all_notes() {
            (printer.say)(&note.to_string());
        }
    }
    // A text that our own check refuses would be a mistake of this program; it is shown all the same.
    let checked =
        trunkline_config::parse(arguments.output.as_deref().unwrap_or(Path::new("stdout")), &imported.toml);
    if let Some(error) = checked.as_ref().err() {
        (printer.say)(&format!("trunklined: the converted configuration needs a change by hand:\n{error}"));
    }
    if arguments.explain {
        let text = match arguments.json {
            true => explain::json(&imported.lines),
            false => explain::text(&imported.lines, arguments.width),
        };
        (printer.print)(text.trim_end());
    }
    finish(arguments, &imported, checked.as_ref().ok(), printer)
}

/// Compares, prints what differs, and exits with 0 if nothing does that is not documented, 1 if something does,
/// 2 if nothing was compared.
fn compare(files: &[PathBuf], arguments: &ImportArguments, printer: Printer) -> ExitCode {
    match compare_agents(files, &arguments.compare) {
        Ok(comparison) => {
            let text = match arguments.json {
                true => comparison.json(),
                false => comparison.text(arguments.compare.all),
            };
            (printer.print)(text.trim_end());
            if comparison.is_equal() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            (printer.say)(&format!("trunklined: {error}"));
            ExitCode::from(2)
        }
    }
}

fn finish(
    arguments: &ImportArguments,
    imported: &Imported,
    plan: Option<&Plan>,
    printer: Printer,
) -> ExitCode {
    if arguments.strict {
        let refused = imported.refused(&arguments.accept);
        if refused > 0 || plan.is_none() {
            let what = lines(refused);
            (printer.say)(&format!("trunklined: {what} not carried over, so nothing was written (--strict)"));
            return ExitCode::from(LOST);
        }
    }
    let Some(output) = &arguments.output else {
        if !arguments.explain {
            (printer.print)(imported.toml.trim_end());
        }
        return ExitCode::SUCCESS;
    };
    let written = match output::write(output, &imported.toml, arguments.replace) {
        Ok(written) => written,
        Err(error) => return fail(printer, &format!("cannot write {}: {error}", output.display())),
    };
    (printer.say)(&format!("wrote {}; {}", output.display(), imported.summary()));
    if let Some(earlier) = written.earlier {
        (printer.say)(&format!("the earlier file is {}", earlier.display()));
    }
    if let Some(group) = written.group {
        (printer.say)(&format!("its owner and the group {group} may read it"));
    }
    if plan.is_some_and(|plan| plan.program_privileges == ProgramPrivileges::Unrestricted) {
        (printer.say)(FOR_PROGRAMS);
    }
    ExitCode::SUCCESS
}

/// The drop-in of the packages.
const FOR_PROGRAMS: &str = "it has programs: as a service, the agent lets them do what snmpd's may with\n  \
    install -D -m 644 /usr/share/trunklined/programs.conf -t /etc/systemd/system/trunklined.service.d\n  \
    systemctl daemon-reload";

fn fail(printer: Printer, error: &str) -> ExitCode {
    (printer.say)(&format!("trunklined: {error}"));
    ExitCode::FAILURE
}
