//! `trunklined import-snmpd`: the converted text to stdout or a file, and to stderr what could not be
//! carried over.

use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;

use trunkline_comparison::{CompareArguments, compare_agents};

use crate::daemon::Hooks;
use trunkline_netsnmp::{Imported, Surroundings, import, resolve};

/// The command line of `import-snmpd`.
#[derive(Debug, Args)]
pub struct ImportArguments {
    /// snmpd.conf and the other files that snmpd reads, in that order; included files are read too.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Write the configuration to this new file, which only its owner may read.
    #[arg(short, long, value_name = "FILE", conflicts_with = "compare")]
    pub output: Option<PathBuf>,
    /// What the command needs from two agents.
    #[command(flatten)]
    pub compare: CompareArguments,
}

/// Executes the command line.
pub fn run(arguments: &ImportArguments, hooks: Hooks) -> ExitCode {
    if arguments.compare.compare {
        return compare(arguments, hooks);
    }
    let names: Vec<String> = arguments.files.iter().map(|file| file.display().to_string()).collect();
    let title = format!(
        "Made by `trunklined import-snmpd` from {}.\n\
         Check it with `trunklined --check --config THIS-FILE`. It holds secrets: only its owner should read it.",
        names.join(", ")
    );
    let surroundings = Surroundings { resolve: &resolve, extra: Vec::new(), listen: Vec::new(), title };
    let imported = match import(&arguments.files, &surroundings) {
        Ok(imported) => imported,
        Err(error) => return fail(hooks, &error.to_string()),
    };
    for note in &imported.notes {
        (hooks.say)(&note.to_string());
    }
    // A text that our own check refuses would be a mistake of this program; it is shown all the same.
    let checked =
        trunkline_config::parse(arguments.output.as_deref().unwrap_or(Path::new("stdout")), &imported.toml);
    if let Some(error) = checked.err() {
        (hooks.say)(&format!("trunklined: the converted configuration needs a change by hand:\n{error}"));
    }
    finish(arguments, &imported, hooks)
}

/// Compares, prints every difference, and exits with 0 if there is none, 1 if there is one, 2 if nothing was
/// compared.
fn compare(arguments: &ImportArguments, hooks: Hooks) -> ExitCode {
    match compare_agents(&arguments.files, &arguments.compare) {
        Ok(comparison) => {
            (hooks.print)(comparison.to_string().trim_end());
            if comparison.is_equal() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
        }
        Err(error) => {
            (hooks.say)(&format!("trunklined: {error}"));
            ExitCode::from(2)
        }
    }
}

fn finish(arguments: &ImportArguments, imported: &Imported, hooks: Hooks) -> ExitCode {
    let Some(output) = &arguments.output else {
        (hooks.print)(imported.toml.trim_end());
        return ExitCode::SUCCESS;
    };
    match write(output, &imported.toml) {
        Ok(()) => {
            let what = match imported.notes.len() {
                0 => "everything was carried over".to_string(),
                1 => "1 line was not carried over".to_string(),
                several => format!("{several} lines were not carried over"),
            };
            (hooks.say)(&format!("wrote {}; {what}", output.display()));
            ExitCode::SUCCESS
        }
        Err(error) => fail(hooks, &format!("cannot write {}: {error}", output.display())),
    }
}

fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

fn fail(hooks: Hooks, error: &str) -> ExitCode {
    (hooks.say)(&format!("trunklined: {error}"));
    ExitCode::FAILURE
}
