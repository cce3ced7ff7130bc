//! What the two programs share: the command line and what is written where.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::config::{self, Plan};
use crate::daemon::{self, Hooks};
use crate::door::snmp::Probe;

/// Serves this machine's management data over SNMP.
///
/// Without a configuration file it listens on 127.0.0.1 port 1161 (UDP and TCP) and lets
/// the community "public" read. SIGHUP re-reads the file, SIGTERM ends it.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = "Exit codes: 0 ended by a signal or configuration good, 1 cannot start, 2 wrong usage."
)]
pub struct Arguments {
    /// Configuration file (TOML).
    #[arg(short, long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Check the configuration and exit.
    #[arg(long)]
    pub check: bool,
    /// What to log to stderr: error, warn, info, debug, trace, or MODULE=LEVEL,...
    #[arg(long, value_name = "FILTER")]
    pub log: Option<String>,
}

/// The programs' `main`. `say` writes a line to stderr.
pub fn main<P: Probe>(arguments: Arguments, hooks: Hooks) -> ExitCode {
    let plan = match config::load(arguments.config.as_deref()) {
        Ok(plan) => plan,
        Err(error) => return fail(hooks, &error),
    };
    if arguments.check {
        (hooks.say)(&summary(&plan));
        return ExitCode::SUCCESS;
    }
    if let Err(error) = log_to_stderr(arguments.log.as_deref().unwrap_or(&plan.log)) {
        (hooks.say)(&format!("trunklined: --log: {error}"));
        return ExitCode::from(2);
    }
    match daemon::run::<P>(arguments.config.as_deref(), plan, hooks) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => fail(hooks, &error),
    }
}

fn fail(hooks: Hooks, error: &dyn std::error::Error) -> ExitCode {
    (hooks.say)(&format!("trunklined: {error}"));
    ExitCode::FAILURE
}

fn summary(plan: &Plan) -> String {
    let listeners: Vec<String> = plan.snmp.listen.iter().map(ToString::to_string).collect();
    let communities = plan.snmp.communities.len();
    format!("the configuration is good: {communities} communities, listening on {}", listeners.join(" "))
}

fn log_to_stderr(filter: &str) -> Result<(), tracing_subscriber::filter::ParseError> {
    let filter: tracing_subscriber::EnvFilter = filter.parse()?;
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    log.with_target(false).init();
    Ok(())
}
