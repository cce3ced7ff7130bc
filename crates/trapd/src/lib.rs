//! `trunkline` under the name `snmptrapd`: Net-SNMP's receiver of notifications, with its command line, its file, what it
//! logs, and the input of its programs. `trunkline listen` is our own, with rules; what both do, `client` and `receiver` do.
//!
//! ```text
//! words -> arguments --> conf: access, users, handlers, formats
//! socket -> Listener: access admits -> serve: logs (format), Dispatcher: programs, other receivers
//! ```

mod access;
mod arguments;
mod conf;
mod format;
mod handlers;
mod hosts;
mod logs;
mod serve;
mod users;

use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;

use trunkline_client::command_line;
use trunkline_netsnmp::background;

use arguments::{Arguments, Asked};

/// The name that selects this mode.
pub const NAME: &str = "snmptrapd";

/// The arguments, if the program was called by this name or as `as snmptrapd`.
pub fn called_as(words: &[String]) -> Option<&[String]> {
    let (program, rest) = words.split_first()?;
    let name = Path::new(program).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    match rest {
        _ if name == NAME => Some(rest),
        [word, name, rest @ ..] if word == "as" && name == NAME => Some(rest),
        _ => None,
    }
}

/// Receives until it is ended. `all` are the arguments of the process, `words` those after the name.
pub fn run(words: &[String], all: &[String]) -> ExitCode {
    let version = format!("Trunkline {}, called as {NAME}", env!("CARGO_PKG_VERSION"));
    let arguments = match arguments::parse(words) {
        Ok(Asked::Receive(arguments)) => *arguments,
        Ok(Asked::Help) => return printed(arguments::USAGE),
        Ok(Asked::Version) => return printed(&version),
        Ok(Asked::Directives) => return printed(conf::DIRECTIVES),
        Err(wrong) => return failed(&format!("{wrong}\n{}", arguments::USAGE)),
    };
    // Directives may hold communities and passphrases. Where the system does not allow it, they stay as they were given.
    let secrets: Vec<&str> = arguments.directives.iter().map(|(_, value)| value.as_str()).collect();
    let _ = command_line::wipe(all, &secrets);
    match receive(&arguments, words) {
        Ok(code) => code,
        Err(fault) => failed(&fault),
    }
}

fn receive(arguments: &Arguments, words: &[String]) -> Result<ExitCode, String> {
    let (names, style) =
        trunkline_tools::printed(&arguments.output, arguments.modules.clone(), arguments.folders.clone())?;
    let conf = conf::read(arguments, &|name| names.find(name))?;
    if !arguments.foreground && !conf.foreground && !arguments.detached {
        let words = arguments::for_background(words);
        return Ok(background::start(NAME, arguments::DETACHED, &words, say));
    }
    if arguments.detached {
        background::settle().map_err(|fault| format!("cannot enter /: {fault}"))?;
    }
    trunkline_client::ensure_descriptors(DESCRIPTORS).map_err(|fault| fault.to_string())?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|fault| fault.to_string())?;
    let ended = runtime.block_on(serve::serve(arguments, conf, &names, style));
    // A look-up of a name may still wait for a server.
    runtime.shutdown_background();
    ended.map(|()| ExitCode::SUCCESS)
}

/// What a receiver opens at least.
const DESCRIPTORS: usize = 64;

fn printed(text: &str) -> ExitCode {
    match writeln!(io::stdout().lock(), "{}", text.trim_end()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn say(words: &str) {
    // If standard error is closed nobody reads it.
    let _ = writeln!(io::stderr().lock(), "{}", trunkline_smi::visible_lines(words));
}

fn failed(words: &str) -> ExitCode {
    say(&format!("{NAME}: {words}"));
    ExitCode::FAILURE
}
