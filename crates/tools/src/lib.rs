//! The program under Net-SNMP's names: `snmpget`, `snmpwalk` and the others, with their options, their output and
//! their exit status, so that habits and scripts keep working. `docs/net-snmp-names.md` lists the differences,
//! and why.
//!
//! ```text
//! words -> settings (getopt, choices) + conf -> tool -> session -> printer
//! ```

mod choices;
mod delta;
mod df;
mod ended;
mod getopt;
mod keychange;
mod links;
mod messages;
mod names;
mod netstat;
mod prompt;
mod read;
mod secure;
mod session;
mod set;
mod settings;
mod status;
mod table;
mod tool;
mod translate;
mod trap;
mod usm;
mod v3;
mod vacm;
mod value;
mod walk;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;

pub use links::{LinkError, install};
pub use names::Dictionary;
pub use tool::{Tool, is_unprovided};

use trunkline_client::{command_line, ensure_descriptors};
use trunkline_login::Conf;

use ended::Ended;
use settings::Settings;
use trunkline_mib::Style;
use trunkline_show::print::{Form, Printer};

/// The tool that the program was called as: under its name, or as `as NAME`; and its arguments.
pub fn called_as(words: &[String]) -> Option<(Tool, &[String])> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match (Tool::named(name), rest) {
        (Some(tool), _) => Some((tool, rest)),
        (None, [word, name, rest @ ..]) if word == "as" => Tool::named(name).map(|tool| (tool, rest)),
        _ => None,
    }
}

/// Runs a tool to its end. `all` are the arguments of the process, `words` those of the tool.
pub fn run(tool: Tool, words: &[String], all: &[String]) -> ExitCode {
    match attempt(tool, words, all) {
        Ok(()) => ExitCode::SUCCESS,
        Err(ended) => ended.tell(tool),
    }
}

/// How another program of Net-SNMP's names prints objects: by `-O` (`output`), `-m` (`modules`), `-M` (`folders`), the
/// variables and snmp.conf.
///
/// # Errors
/// The message about a letter, or about modules that cannot be read.
pub fn printed(
    output: &[String],
    modules: Option<String>,
    folders: Option<String>,
) -> Result<(Dictionary, Style), String> {
    let variable = |name| std::env::var(name).ok();
    let conf = Conf::read(variable("SNMPCONFPATH").as_deref(), variable("HOME").as_deref());
    let settings = Settings::for_printing(output, modules, folders, &conf)?;
    let dictionary = Dictionary::open(&settings, &conf).map_err(Ended::into_words)?;
    Ok((dictionary, settings.style))
}

fn attempt(tool: Tool, words: &[String], all: &[String]) -> Result<(), Ended> {
    if tool == Tool::Keychange {
        return keychange::run(words, all);
    }
    let variable = |name| std::env::var(name).ok();
    let mut conf = Conf::read(variable("SNMPCONFPATH").as_deref(), variable("HOME").as_deref());
    let settings = Settings::read(tool, words, &mut conf)?;
    // Where the system does not allow it, they stay as they were given.
    let _ = command_line::wipe(all, &settings.secrets());
    let dictionary = Dictionary::open(&settings, &conf)?;
    let out = BufWriter::new(io::stdout());
    let mut printer = Printer::new(out, &dictionary.names, settings.style, Form::Text, false);
    let failed = |fault: &dyn std::fmt::Display| Ended::failed(format!("{}: {fault}", tool.name()));
    ensure_descriptors(DESCRIPTORS).map_err(|fault| failed(&fault))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|fault| failed(&fault))?;
    let ended = runtime.block_on(ask(&settings, &dictionary, &mut printer));
    trunkline_login::until_closed(&runtime);
    // What was found is still useful, and comes before the message about the end.
    let _ = printer.flush();
    ended
}

async fn ask(
    settings: &Settings,
    dictionary: &Dictionary,
    printer: &mut Printer<'_, impl Write>,
) -> Result<(), Ended> {
    match settings.tool {
        Tool::Get | Tool::GetNext => read::run(settings, dictionary, printer).await,
        Tool::BulkGet => read::bulk(settings, dictionary, printer).await,
        Tool::Walk | Tool::BulkWalk => walk::run(settings, dictionary, printer).await,
        Tool::Set => set::run(settings, dictionary, printer).await,
        Tool::Table => table::run(settings, dictionary, printer).await,
        Tool::Translate => translate::run(settings, dictionary, printer),
        Tool::Trap | Tool::Inform => trap::run(settings, dictionary).await,
        Tool::Usm => usm::run(settings, printer).await,
        Tool::Vacm => vacm::run(settings, dictionary, printer).await,
        Tool::Keychange => Ok(()), // it asks nobody
        Tool::Status => status::run(settings, dictionary, printer).await,
        Tool::Df => df::run(settings, printer).await,
        Tool::Netstat => netstat::run(settings, printer).await,
        Tool::Delta => delta::run(settings, dictionary, printer).await,
        Tool::Test => prompt::run(settings, dictionary, printer).await,
    }
}

/// What a tool opens at least: two runtimes, what they are woken by, and a session.
const DESCRIPTORS: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_from_the_program_or_after_as() {
        let of = |line: &str| {
            let words: Vec<String> = line.split(' ').map(str::to_owned).collect();
            called_as(&words).map(|(tool, rest)| (tool, rest.len()))
        };
        assert_eq!(of("/usr/bin/snmpget -v1 x"), Some((Tool::Get, 2)));
        assert_eq!(of("trunkline as snmpwalk x"), Some((Tool::Walk, 1)));
        assert_eq!(of("snmpget as snmpwalk"), Some((Tool::Get, 2)));
        assert_eq!(of("trunkline get x"), None);
        assert_eq!(of("trunkline as"), None);
    }
}
