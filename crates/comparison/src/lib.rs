//! `trunklined import-snmpd --compare`: both agents on one machine, walked one after the other, and
//! every difference by object.
//!
//! `agents` starts snmpd with the old configuration and this program with the converted one, on loopback;
//! `walked` walks theirs, ours, and theirs again, to detect values that change on their own; and `difference`
//! compares, without either.

mod agents;
mod difference;
mod error;
mod walked;

use std::path::PathBuf;

use clap::Args;
use trunkline_client::{Defaults, Target};

pub use difference::{Comparison, Difference, compare};
pub use error::CompareError;
pub use walked::Instances;

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

/// Compares both agents.
///
/// # Errors
/// Why nothing was compared.
pub fn compare_agents(files: &[PathBuf], arguments: &CompareArguments) -> Result<Comparison, CompareError> {
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
