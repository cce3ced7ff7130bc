//! `trunklined import-snmpd --compare`: both agents on one machine, walked one after the other, and
//! every difference by object.
//!
//! `agents` starts snmpd with the old configuration and this program with the converted one, on loopback;
//! `walked` walks both twice, in turns, to detect values that change on their own; `difference` compares, without
//! either, by the names in `objects` and with the reasons in `documented`; and `show` prints.

mod agents;
mod difference;
mod documented;
mod error;
mod objects;
mod show;
mod walked;

use std::path::PathBuf;

use clap::Args;
use trunkline_client::{Defaults, Target};
use trunkline_smi::Oid;

pub use difference::{Comparison, Difference, Differences, Instance, Walks, compare};
pub use documented::{DOCUMENTED, Documented};
pub use error::CompareError;
pub use objects::Object;
pub use walked::Instances;

/// What is compared.
#[derive(Debug, Args)]
pub struct CompareArguments {
    /// Start snmpd with the old configuration and this agent with the converted one, on loopback and
    /// without their targets and listeners, walk both, and list what differs. Values that change with time
    /// and known differences are left out (--all shows them). The exit status is 0 if nothing else differs,
    /// 1 if something does, and 2 if the agents could not be compared.
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
    /// Also print the known differences with their reasons, and what changes with time.
    #[arg(long, requires = "compare")]
    pub all: bool,
    /// Accept differences of this subtree. May be given several times.
    #[arg(long, value_name = "OID", requires = "compare")]
    pub ignore: Vec<String>,
}

/// Compares both agents.
///
/// # Errors
/// Why nothing was compared.
pub fn compare_agents(files: &[PathBuf], arguments: &CompareArguments) -> Result<Comparison, CompareError> {
    let subtree = |option: &'static str, text: &str| {
        trunkline_netsnmp::oids::parse(text).map_err(|why| CompareError::Subtree { option, why })
    };
    let root = subtree("--root", &arguments.root)?;
    let ignored = arguments.ignore.iter().map(|text| subtree("--ignore", text));
    let ignored = ignored.collect::<Result<Vec<Oid>, CompareError>>()?;
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
        let their_first = walk("snmpd", &theirs.target).await?;
        let our_first = walk("trunklined", &ours.target).await?;
        let their_second = walk("snmpd", &theirs.target).await?;
        let our_second = walk("trunklined", &ours.target).await?;
        let ours = Walks { first: &our_first, second: &our_second };
        Ok(compare(&ours, &Walks { first: &their_first, second: &their_second }, &ignored))
    })
}
