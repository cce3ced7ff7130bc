//! The agent by the name `snmpd`: Net-SNMP's command line and configuration files, read directly.
//!
//! `arguments` parses the command line, `files` finds the configuration, `import_snmpd` converts it, `logging`
//! sets the log destinations, and `background` goes there.

mod logging;

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trunkline_client::command_line;

use crate::assembly::Given;
use crate::daemon::{self, Hooks, Ready};
use crate::door::snmp::Probe;
use crate::signals::Signals;
use trunkline_config::{ConfigError, Plan, Source};
use trunkline_netsnmp::{Note, Surroundings};

pub use trunkline_netsnmp::arguments::USAGE;
use trunkline_netsnmp::arguments::{self, Asked, DETACHED, SnmpdArguments};
use trunkline_netsnmp::pid_file::PidFile;
use trunkline_netsnmp::{background, files};

/// The program name that selects this mode.
pub const NAME: &str = "snmpd";

/// Whether the first word of a command line is this name, with or without a path.
pub fn is_called_so(first: Option<&OsString>) -> bool {
    first.map(Path::new).and_then(Path::file_name).is_some_and(|name| name == NAME)
}

/// The program as `snmpd`; `words` are the arguments.
pub fn main<P: Probe>(words: &[OsString], hooks: Hooks) -> ExitCode {
    let arguments = match arguments::parse(words) {
        Ok(Asked::Serve(arguments)) => *arguments,
        Ok(Asked::Help) => return printed(hooks, USAGE),
        Ok(Asked::Version) => return printed(hooks, &version()),
        Ok(Asked::Directives) => return printed(hooks, &trunkline_netsnmp::known_directives()),
        Err(wrong) => {
            (hooks.say)(&format!("snmpd: {wrong}\n{}", USAGE));
            return ExitCode::FAILURE;
        }
    };
    // Directives may hold communities and passphrases. Where the system does not allow it, they stay as they were given.
    let all: Vec<String> = std::env::args_os().map(|word| word.to_string_lossy().into_owned()).collect();
    let secrets: Vec<&str> = arguments.directives.iter().map(|(_, value)| value.as_str()).collect();
    let _ = command_line::wipe(&all, &secrets);
    if !arguments.foreground && !arguments.detached {
        return background::start(NAME, DETACHED, words, hooks.say);
    }
    match serve::<P>(&arguments, hooks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // Both: the log may be a file that nobody looks at now, stderr may be gone.
            tracing::error!("{error}");
            (hooks.say)(&format!("snmpd: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn printed(hooks: Hooks, text: &str) -> ExitCode {
    (hooks.print)(text.trim_end());
    ExitCode::SUCCESS
}

fn version() -> String {
    format!("trunklined {}, called as snmpd", env!("CARGO_PKG_VERSION"))
}

fn serve<P: Probe>(arguments: &SnmpdArguments, hooks: Hooks) -> Result<(), Box<dyn std::error::Error>> {
    if arguments.detached {
        background::settle()?;
    }
    let signals = Signals::catch()?;
    let log = logging::start(&arguments.logs, arguments)?;
    for option in &arguments.unsupported {
        tracing::warn!("{option}");
    }
    let keeps_pid_file = Arc::new(AtomicBool::new(arguments.keep_pid_file));
    let source = source(arguments.clone(), log, keeps_pid_file.clone());
    let plan = source.load()?;
    let pid_file = arguments.pid_file.as_deref().map(PidFile::open).transpose()?;
    let written = pid_file.clone();
    let (detached, to_stderr) = (arguments.detached, arguments.logs_to_stderr());
    let listens = Box::new(move || {
        if let Some(Err(error)) = written.map(|file| file.write()) {
            tracing::warn!("cannot write the pid file: {error}");
        }
        if let Err(error) = sd_notify::notify(&[sd_notify::NotifyState::Ready]) {
            tracing::warn!("cannot notify the service manager: {error}");
        }
    });
    let told = Box::new(move || {
        if detached {
            background::ready(to_stderr);
        }
    });
    let log_line: fn(&str) = |line| tracing::info!("{line}");
    daemon::run::<P>(
        signals,
        source,
        plan,
        Given::default(),
        Hooks { say: log_line, ..hooks },
        Ready { listens, told },
    )?;
    if let Some(file) = pid_file.filter(|_| !keeps_pid_file.load(Ordering::Relaxed))
        && let Err(error) = file.remove()
    {
        tracing::warn!("the pid file cannot be removed: {error}");
    }
    Ok(())
}

/// Net-SNMP's files as a source of plans; each reload also reopens the log file, for log rotation with SIGHUP.
fn source(arguments: SnmpdArguments, log: logging::Log, keeps_pid_file: Arc<AtomicBool>) -> Source {
    let said_something = AtomicBool::new(false);
    Source::Made(Arc::new(move || {
        log.reopen();
        let files = files::find(&arguments);
        let surroundings = Surroundings {
            resolve: &trunkline_netsnmp::resolve,
            extra: arguments.directives.clone(),
            listen: arguments.addresses.clone(),
            title: "Converted from Net-SNMP's files.".into(),
        };
        let imported = trunkline_netsnmp::import(&files, &surroundings)
            .map_err(|error| ConfigError::Made(Box::new(error)))?;
        // Loopback alone would look like an agent that runs.
        if imported.listens_nowhere {
            let of_addresses =
                imported.notes.iter().filter(|note| note.directive.eq_ignore_ascii_case("agentaddress"));
            let reasons: Vec<String> = of_addresses.map(ToString::to_string).collect();
            let words = format!("none of the addresses to listen on can be used: {}", reasons.join("; "));
            return Err(ConfigError::Made(words.into()));
        }
        // snmpd starts without any directive; that all of them are gone at a reload is a mistake.
        if imported.is_empty && said_something.load(Ordering::Relaxed) {
            let files: Vec<String> = imported.files.iter().map(|file| file.display().to_string()).collect();
            return Err(ConfigError::Emptied { files: files.join(", ") });
        }
        said_something.fetch_or(!imported.is_empty, Ordering::Relaxed);
        for file in &imported.files {
            tracing::info!("read {}", file.display());
        }
        // Started as snmpd is, by root, the agent changes to the user that agentUser names: nothing is lost of that.
        let is_of_user = |note: &&&Note| note.directive.eq_ignore_ascii_case("agentuser");
        for note in imported.all_notes().iter().filter(|note| !is_of_user(note)) {
            tracing::warn!("{note}");
        }
        let keep = arguments.keep_pid_file || imported.leave_pid_file;
        keeps_pid_file.store(keep, Ordering::Relaxed);
        let path = Path::new("the converted configuration");
        Ok(finish(trunkline_config::parse(path, &imported.toml)?, &arguments))
    }))
}

/// The settings of the command line and the environment besides the files.
fn finish(mut plan: Plan, arguments: &SnmpdArguments) -> Plan {
    if let Some(user) = &arguments.user {
        plan.user = Some(files::user_name(user));
    }
    if arguments.without_triggers && (!plan.triggers.is_empty() || plan.snmp.link_notifications) {
        if !plan.triggers.is_empty() {
            let count = plan.triggers.len();
            tracing::warn!(
                "-I -mteTrigger: {count} monitors do nothing, as with snmpd and this option; start it without to have them"
            );
        }
        plan.triggers.clear();
        plan.snmp.link_notifications = false;
    }
    if plan.state.is_none() {
        plan.state = files::persistent_directory().map(|directory| directory.join("trunkline"));
    }
    plan
}
