//! `trunklined import-snmpd --compare`: both agents on one machine, walked one after the other, and
//! every difference by object.
//!
//! `agents` starts snmpd with the old configuration and this program with the converted one, on loopback;
//! `walked` walks theirs, ours, and theirs again, to detect values that change on their own; and `difference`
//! compares, without either.

mod agents;
mod difference;
mod walked;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use trunkline_client::{Defaults, Target};

pub use difference::{Comparison, Difference, compare};
pub use walked::Instances;

use crate::daemon::Hooks;
use trunkline_netsnmp::ImportError;

/// What is compared.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Start snmpd with the old configuration and this agent with the converted one, on loopback and
    /// without their targets and listeners, walk both, and list every difference. Exit code 1 if there is any.
    #[arg(long)]
    pub compare: bool,
    /// Query this running agent instead of starting ours, as in snmp://public@127.0.0.1:1161.
    #[arg(long, value_name = "URL", requires = "compare")]
    pub ours: Option<String>,
    /// Query this running agent instead of starting snmpd.
    #[arg(long, value_name = "URL", requires = "compare")]
    pub theirs: Option<String>,
    /// Path of Net-SNMP's agent.
    #[arg(long, value_name = "PROGRAM", requires = "compare", default_value = "snmpd")]
    pub snmpd: PathBuf,
    /// Compare this subtree only.
    #[arg(long, value_name = "OID", requires = "compare", default_value = "1.3")]
    pub root: String,
}

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub enum CompareError {
    /// The old configuration cannot be read.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// A URL of the command line.
    #[error("{url}: {source}")]
    Url {
        /// The URL, without what may be a community.
        url: &'static str,
        /// What is wrong with it.
        source: trunkline_client::TargetError,
    },
    /// An object identifier of the command line.
    #[error("--root: {0}")]
    Root(String),
    /// An agent does not start.
    #[error("{agent} does not start: {why}")]
    Start {
        /// Which one.
        agent: String,
        /// Its own error message.
        why: String,
    },
    /// An agent does not answer.
    #[error("{agent} cannot be walked: {source}")]
    Walk {
        /// Which one.
        agent: &'static str,
        /// Why.
        source: trunkline_client::Error,
    },
    /// The operating system refuses something.
    #[error("cannot {doing}: {source}")]
    System {
        /// What was tried.
        doing: &'static str,
        /// Why it failed.
        source: std::io::Error,
    },
}

/// Compares, prints every difference, and exits with 0 if there is none, 1 if there is one, 2 if nothing was
/// compared.
pub fn run(files: &[PathBuf], arguments: &CompareArguments, hooks: Hooks) -> ExitCode {
    match compare_agents(files, arguments) {
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

fn compare_agents(files: &[PathBuf], arguments: &CompareArguments) -> Result<Comparison, CompareError> {
    let root = trunkline_netsnmp::oids::parse(&arguments.root).map_err(CompareError::Root)?;
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|source| CompareError::System { doing: "start the runtime", source })?;
    let url = |name, text: &Option<String>| match text {
        None => Ok(None),
        Some(text) => Target::parse(text, &Defaults::default())
            .map(Some)
            .map_err(|source| CompareError::Url { url: name, source }),
    };
    let (ours, theirs) = (url("--ours", &arguments.ours)?, url("--theirs", &arguments.theirs)?);
    runtime.block_on(async {
        let prepared = agents::Prepared::new(files)?;
        let theirs = match theirs {
            Some(target) => agents::Subject::running(target),
            None => prepared.start_theirs(&arguments.snmpd).await?,
        };
        let ours = match ours {
            Some(target) => agents::Subject::running(target),
            None => prepared.start_ours().await?,
        };
        let walk = |agent, target| walked::walk(agent, target, root.clone());
        let before = walk("snmpd", &theirs.target).await?;
        let own = walk("trunklined", &ours.target).await?;
        let after = walk("snmpd", &theirs.target).await?;
        Ok(compare(&own, &before, &after))
    })
}
