//! What the two programs share: the command line and the destinations of output.

use std::ffi::OsString;
use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use trunkline_manual::ManualArguments;
use trunkline_smi::check_root;
use trunkline_tree::policy::{SecurityLevel, ViewType};

use crate::assembly::Given;
use crate::daemon::{self, Hooks, Ready};
use crate::door::snmp::Probe;
use crate::explain::{self, Question, What};
use crate::signals::Signals;
use crate::subsystem::{self, SubsystemArguments};
use crate::{check, log, paths, snmpd_name};
use trunkline_comparison::import_command::{self, ImportArguments, Printer};
use trunkline_config::{Plan, Source, log_filter};
use trunkline_netsnmp::oids;
use trunkline_process::privilege;
use trunkline_serve::ServeArguments;

/// Serve this machine's management data over SNMP.
///
/// Without a configuration file it listens on 127.0.0.1 port 1161 (UDP and TCP), and the
/// community "public" may read. When it is ready it logs "listening udp://127.0.0.1:1161"
/// and the like to stderr.
#[derive(Debug, Parser)]
#[command(version, about, after_long_help = MORE_HELP, args_conflicts_with_subcommands = true)]
pub struct Arguments {
    /// A task other than serving.
    #[command(subcommand)]
    pub command: Option<Task>,
    /// Configuration file (TOML); see below for a small one.
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Check the configuration and exit. Mistakes are reported with line and column.
    #[arg(long)]
    pub check: bool,
    /// Show what a user or community may do with an object, and which rule decides, and exit. An object of SNMP is an OID or a name, one of
    /// NETCONF a path such as /ietf-interfaces:interfaces/interface/enabled. Before it, read, write or notify asks about that alone;
    /// exec, about an operation of NETCONF.
    #[arg(long, num_args = 2..=3, value_names = ["USER", "OBJECT"], conflicts_with = "check")]
    pub explain_access: Option<Vec<String>>,
    /// With --explain-access: the security level [default: the highest the user has].
    #[arg(long, value_name = "LEVEL", requires = "explain_access", value_parser = parse_level)]
    pub level: Option<SecurityLevel>,
    /// With --explain-access: the context.
    #[arg(long, value_name = "NAME", requires = "explain_access", default_value = "")]
    pub context: String,
    /// With --explain-access: of a request on behalf of this role, over NETCONF or RESTCONF.
    #[arg(long, value_name = "NAME", requires = "explain_access")]
    pub as_role: Option<String>,
    /// What to log to stderr: error, warn, info, debug, trace, or MODULE=LEVEL,...
    #[arg(long, value_name = "FILTER")]
    pub log: Option<String>,
}

/// A task other than serving.
#[derive(Debug, Subcommand)]
pub enum Task {
    /// Convert Net-SNMP's configuration to trunklined's.
    ///
    /// The converted configuration goes to stdout, with the original line above each entry. What
    /// cannot be converted goes to stderr with file, line, reason, and what to do instead. Include the
    /// persistent file (/var/lib/snmp/snmpd.conf): it has the users' keys and the engine ID.
    ImportSnmpd(ImportArguments),
    /// Act as `snmpd`, with its command line and configuration files; see `trunklined snmpd -h`.
    ///
    /// A program or link named snmpd does the same.
    #[command(disable_help_flag = true, after_long_help = snmpd_name::USAGE)]
    Snmpd {
        /// snmpd's command line.
        #[arg(value_name = "OPTIONS", trailing_var_arg = true, allow_hyphen_values = true)]
        words: Vec<OsString>,
    },
    /// Serve one session of OpenSSH's server, as a subsystem in sshd_config.
    ///
    ///   Subsystem snmp /usr/sbin/trunklined subsystem snmp
    ///
    /// It passes the user's name and the messages to the agent through `subsystem-socket` in [snmp.ssh]. OpenSSH checks
    /// keys, passwords and PAM.
    Subsystem(SubsystemArguments),
    /// Serve many devices, whatever they speak, to a browser: `trunkline serve` starts this.
    Serve(Box<ServeArguments>),
    /// Write man pages and shell completions below a directory, such as /usr/share.
    Manual(ManualArguments),
}

const MORE_HELP: &str = r#"A small configuration:
  [snmp]
  listen = ["udp://0.0.0.0:161", "tcp://0.0.0.0:161"]
  [[snmp.community]]
  name = "public"
  access = "read"              # or "write"
  sources = ["192.0.2.0/24"]

Signals:
  HUP        reloads the configuration; if any of it is invalid or cannot be opened, nothing changes
  USR1       logs the counters of each listener
  TERM, INT  end the program once outstanding requests are answered, after 1 s at the latest (grace); twice: at once

Exit codes: 0 ended by a signal or valid configuration, 1 cannot start, 2 wrong usage."#;

/// The programs' `main`, with the name and arguments of the process.
pub fn start<P: Probe>(hooks: Hooks) -> ExitCode {
    let words: Vec<OsString> = std::env::args_os().collect();
    let is_snmpd = snmpd_name::is_called_so(words.first());
    // A process whose memory is hidden cannot overwrite its arguments.
    let arguments = (!is_snmpd).then(|| read(&words));
    // Before the first secret is read from a file.
    if let Err(error) = privilege::hide_memory() {
        return fail(hooks, &error);
    }
    match arguments {
        Some(arguments) => main::<P>(arguments, hooks),
        None => snmpd_name::main::<P>(&words[1..], hooks),
    }
}

/// The command line. Secrets in it, which `serve` may have, are overwritten before it returns.
fn read(words: &[OsString]) -> Arguments {
    let matches = Arguments::command().get_matches_from(words);
    let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    trunkline_login::wipe(&texts, &matches);
    Arguments::from_arg_matches(&matches).unwrap_or_else(|fault| fault.exit())
}

/// The programs' `main` with arguments of ours.
pub fn main<P: Probe>(arguments: Arguments, hooks: Hooks) -> ExitCode {
    match &arguments.command {
        Some(Task::ImportSnmpd(arguments)) => {
            return import_command::run(arguments, Printer { say: hooks.say, print: hooks.print });
        }
        Some(Task::Snmpd { words }) => return snmpd_name::main::<P>(words, hooks),
        Some(Task::Subsystem(arguments)) => return subsystem::run(arguments, hooks),
        Some(Task::Manual(arguments)) => return write_manual(arguments, hooks),
        Some(Task::Serve(serve)) => return serve_devices::<P>(serve, arguments.log.as_deref(), hooks),
        None => {}
    }
    let log = arguments.log.as_deref().map(log_filter).transpose();
    let log = match log {
        Ok(log) => log,
        Err(error) => {
            (hooks.say)(&format!("trunklined: --log: {error}"));
            return ExitCode::from(2);
        }
    };
    // Before files are read and passwords become keys, which takes its time.
    let signals = match Signals::catch() {
        Ok(signals) => signals,
        Err(error) => return fail(hooks, &error),
    };
    let source = Source::of(arguments.config.clone());
    let plan = match paths::load(&source) {
        Ok(plan) => plan,
        Err(error) => return fail(hooks, &error),
    };
    if arguments.check {
        return match check::check(&source, &plan, hooks.is_laboratory) {
            Ok(notes) => {
                let exposure = arguments.config.as_deref().and_then(trunkline_config::exposure);
                exposure.iter().chain(&notes).for_each(|words| (hooks.say)(&format!("warning: {words}")));
                paths::lines(&plan).iter().for_each(|words| (hooks.say)(words));
                (hooks.say)(&summary(&plan));
                ExitCode::SUCCESS
            }
            Err(error) => fail(hooks, &error),
        };
    }
    if let Some(question) = &arguments.explain_access {
        return explain(&arguments, question, &plan, hooks);
    }
    // The plan's filter has been checked with the rest of the file.
    let Ok(log) = log.map_or_else(|| log_filter(&plan.log), Ok) else { return ExitCode::from(2) };
    log_to_stderr(log);
    if let Some(words) = arguments.config.as_deref().and_then(trunkline_config::exposure) {
        tracing::warn!("{words}");
    }
    let ready = Ready { listens: Box::new(|| {}), told: Box::new(|| {}) };
    match daemon::run::<P>(signals, source, plan, Given::default(), hooks, ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(hooks, &error),
    }
}

/// Serves devices to a browser, until a signal ends it.
fn serve_devices<P: Probe>(arguments: &ServeArguments, log: Option<&str>, hooks: Hooks) -> ExitCode {
    let Ok(log) = log_filter(log.unwrap_or("info")) else {
        (hooks.say)("trunklined: --log: expected error, warn, info, debug, trace, or MODULE=LEVEL,...");
        return ExitCode::from(2);
    };
    let signals = match Signals::catch() {
        Ok(signals) => signals,
        Err(error) => return fail(hooks, &error),
    };
    let prepared = match trunkline_serve::prepare(arguments) {
        Ok(prepared) => prepared,
        Err(mistake) => {
            (hooks.say)(&format!("trunkline serve: {mistake}"));
            return ExitCode::from(2);
        }
    };
    let source = Source::of(Some(prepared.file.clone()));
    let plan = match paths::load(&source) {
        Ok(plan) => plan,
        Err(error) => return fail(hooks, &error),
    };
    log_to_stderr(log);
    if let Some(words) = &prepared.warning {
        tracing::warn!("{words}");
    }
    let devices = match prepared.devices.len() {
        1 => "1 device is".to_owned(),
        count => format!("{count} devices are"),
    };
    let mut words = format!("{devices} below /browser/; log in as {}", prepared.user);
    if let Some(password) = &prepared.password {
        words += &format!(" with the password {}", password.as_str());
    }
    let told = Box::new(move || (hooks.say)(&words));
    let ready = Ready { listens: Box::new(|| {}), told };
    let context = prepared.context;
    let devices = prepared.devices.into_iter().map(|(name, opener)| (name, context.to_owned(), opener));
    let given = Given { devices: devices.collect(), traps: prepared.traps };
    match daemon::run::<P>(signals, source, plan, given, hooks, ready) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(hooks, &error),
    }
}

fn write_manual(arguments: &ManualArguments, hooks: Hooks) -> ExitCode {
    match trunkline_manual::write(Arguments::command(), 8, &arguments.share) {
        Ok(_) => ExitCode::SUCCESS,
        Err(error) => fail(hooks, &error),
    }
}

fn fail(hooks: Hooks, error: &dyn std::error::Error) -> ExitCode {
    (hooks.say)(&format!("trunklined: {error}"));
    ExitCode::FAILURE
}

fn explain(arguments: &Arguments, question: &[String], plan: &Plan, hooks: Hooks) -> ExitCode {
    let wrong = |error: &dyn std::fmt::Display| {
        (hooks.say)(&format!("trunklined: --explain-access: {error}"));
        ExitCode::from(2)
    };
    let (who, access, object) = match question {
        [who, object] => (who, None, object),
        [who, access, object] => (who, Some(access.as_str()), object),
        _ => return ExitCode::from(2),
    };
    let (access, what) = match asked(access, object) {
        Ok(asked) => asked,
        Err(error) => return wrong(&error),
    };
    let is_of_sessions = arguments.as_role.is_some() || !matches!(what, What::Object(_));
    if !arguments.context.is_empty() && is_of_sessions {
        return wrong(&"NETCONF and RESTCONF have the default context: leave out --context");
    }
    let (level, context, role) = (arguments.level, arguments.context.clone(), arguments.as_role.clone());
    let question = Question { who: who.clone(), what, access, level, context, role };
    let state = trunkline_admin::state_folder::of(plan.state.as_deref());
    let state = match state {
        Ok(state) => state,
        Err(error) => return fail(hooks, &error),
    };
    match explain::explain(plan, &state, &question) {
        Ok(answer) => {
            (hooks.print)(&answer);
            ExitCode::SUCCESS
        }
        Err(error) => fail(hooks, &error),
    }
}

/// What is asked about, and for which access alone.
fn asked(access: Option<&str>, object: &str) -> Result<(Option<ViewType>, What), String> {
    let access = match access {
        None => None,
        Some("read") => Some(ViewType::Read),
        Some("write") => Some(ViewType::Write),
        Some("notify") => Some(ViewType::Notify),
        Some("exec") => return Ok((None, What::Operation(object.to_owned()))),
        Some(other) => {
            return Err(format!("expected read, write, notify or exec before the object, found {other:?}"));
        }
    };
    if object.starts_with('/') {
        return match access {
            Some(ViewType::Notify) => {
                Err("a path is read or written: ask about a notification by its OID".into())
            }
            _ => Ok((access, What::Path(object.to_owned()))),
        };
    }
    let object = oids::parse(object)?;
    check_root(&object).map_err(|error| error.to_string())?;
    Ok((access, What::Object(object)))
}

/// A level by its name in the RFCs, in any case.
fn parse_level(text: &str) -> Result<SecurityLevel, String> {
    let levels = [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv];
    let found = levels.into_iter().find(|level| level.name().eq_ignore_ascii_case(text));
    found.ok_or_else(|| "expected noAuthNoPriv, authNoPriv or authPriv".into())
}

fn summary(plan: &Plan) -> String {
    let listeners: Vec<String> = plan.listeners().map(|(_, url)| url.to_string()).collect();
    let communities = match plan.snmp.communities.len() {
        1 => "1 community".into(),
        several => format!("{several} communities"),
    };
    let users = match plan.snmp.users.len() {
        1 => "1 user".into(),
        several => format!("{several} users"),
    };
    let listening = match listeners.is_empty() {
        true => "listening nowhere".to_owned(),
        false => format!("listening on {}", listeners.join(" ")),
    };
    format!("the configuration is valid: {communities}, {users}, {listening}")
}

fn log_to_stderr(filter: Targets) {
    let log = tracing_subscriber::fmt().with_max_level(tracing::Level::TRACE).fmt_fields(log::fields());
    let log = log.with_writer(std::io::stderr);
    // What cannot be written is lost: complaining of it on the same stderr would end the program.
    let log = log.log_internal_errors(false);
    log.with_ansi(std::io::stderr().is_terminal()).with_target(false).finish().with(filter).init();
}
