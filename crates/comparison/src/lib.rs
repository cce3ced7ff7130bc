//! `trunklined import-snmpd`: the command, and its `--compare`: both agents on one machine, walked one after the other, and
//! every difference by object.
//!
//! `agents` starts snmpd with the old configuration and this program with the converted one, on loopback;
//! `walked` walks both twice, in turns, to detect values that change on their own; `keys` pairs rows whose indexes
//! differ; `difference` compares, without either, by the names in `objects`, with the tolerances in `moving` and the
//! reasons in `documented`; and `show` prints.

mod agents;
mod difference;
mod documented;
mod error;
pub mod import_command;
mod keys;
mod moving;
mod objects;
mod output;
mod show;
mod walked;

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tokio::signal::unix::{SignalKind, signal};
use trunkline_client::{Defaults, SnmpSession, Target};
use trunkline_netsnmp::elsewhere;
use trunkline_smi::Oid;

pub use difference::{Comparison, Difference, Differences, Instance, Silent, Walks, compare};
pub use documented::{DOCUMENTED, Documented};
pub use error::CompareError;
pub use objects::Object;
use walked::Walked;
pub use walked::{Instances, Silence};

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
    /// Accept differences of this subtree, and step over it if nobody answers there. May be given several times.
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
    let lines = trunkline_netsnmp::source::read(files, "snmpd")?;
    let scope = Scope::new(root, ignored, lines.directives.iter().filter_map(elsewhere::subtree));
    let compared = async {
        let prepared = agents::Prepared::new(&lines, &scope.ignored)?;
        let our_agent = match ours {
            Some(target) => agents::Subject::running(target),
            None => prepared.start_ours().await?,
        };
        let ours = walked::open("trunklined", &our_agent.target).await?;
        // Whatever snmpd reads, it reads after this.
        let before = scope.walk("trunklined", &ours).await?.instances;
        let their_agent = match theirs {
            Some(target) => agents::Subject::running(target),
            None => prepared.start_theirs(&arguments.snmpd, our_agent.target.port).await?,
        };
        let theirs = walked::open("snmpd", &their_agent.target).await?;
        let sessions = Sessions { ours, before, theirs };
        let mut found = sessions.round(&scope).await?;
        // snmpd shows what it has read for up to a minute, and some counters only after some seconds.
        for pause in PAUSES {
            if found.is_equal() {
                break;
            }
            tokio::time::sleep(pause).await;
            found = sessions.round(&scope).await?.confirms(&found);
        }
        Ok(found)
    };
    // What was started and written ends with this, and so do signals: dropped, it leaves nothing behind.
    runtime.block_on(async {
        let interrupted = interrupted()?;
        tokio::select! {
            compared = compared => compared,
            () = interrupted => Err(CompareError::Interrupted),
        }
    })
}

/// Ends at the first signal that is to end the program.
fn interrupted() -> Result<impl Future<Output = ()>, CompareError> {
    let on =
        |kind| signal(kind).map_err(|source| CompareError::System { doing: "listen for signals", source });
    let mut interrupt = on(SignalKind::interrupt())?;
    let mut terminate = on(SignalKind::terminate())?;
    let mut hang_up = on(SignalKind::hangup())?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
            _ = hang_up.recv() => {}
        }
    })
}

/// The pauses before what differs is looked at again.
const PAUSES: [Duration; 4] =
    [Duration::from_secs(1), Duration::from_secs(3), Duration::from_secs(6), Duration::from_secs(10)];

/// How long our agent keeps what it has read, and a little more.
const KEPT: Duration = Duration::from_millis(1100);

/// What is compared.
struct Scope {
    root: Oid,
    ignored: Vec<Oid>,
    /// Subtrees for which another agent or a program answers.
    elsewhere: Vec<Oid>,
    /// Both, in order: they may be stepped over.
    steps: Vec<Oid>,
}

impl Scope {
    fn new(root: Oid, ignored: Vec<Oid>, elsewhere: impl Iterator<Item = Oid>) -> Self {
        let mut elsewhere: Vec<Oid> = elsewhere.filter(|subtree| subtree.starts_with(&root)).collect();
        elsewhere.sort();
        elsewhere.dedup();
        let mut steps = [&elsewhere[..], &ignored[..]].concat();
        steps.sort();
        Scope { root, ignored, elsewhere, steps }
    }

    /// All instances of an agent. Where somebody else should answer and there is nothing, nobody has answered.
    async fn walk(&self, agent: &'static str, session: &SnmpSession) -> Result<Walked, CompareError> {
        let mut found = walked::walk(agent, session, &self.root, &self.steps).await?;
        for subtree in &self.elsewhere {
            let mut behind = found.instances.range(subtree.clone()..);
            let is_empty = behind.next().is_none_or(|(name, _)| !name.starts_with(subtree));
            if is_empty && !found.silent.iter().any(|silence| silence.subtree == *subtree) {
                let before = found.instances.range(..subtree.clone()).next_back();
                let after = before.map_or_else(|| self.root.clone(), |(name, _)| name.clone());
                found.silent.push(Silence { after, subtree: subtree.clone() });
            }
        }
        Ok(found)
    }
}

struct Sessions {
    ours: SnmpSession,
    /// A walk of ours from before snmpd was started.
    before: Instances,
    theirs: SnmpSession,
}

impl Sessions {
    /// Walks both twice, in turns, and compares.
    async fn round(&self, scope: &Scope) -> Result<Comparison, CompareError> {
        let ours = || scope.walk("trunklined", &self.ours);
        let theirs = || scope.walk("snmpd", &self.theirs);
        let (their_first, our_first) = (theirs().await?, ours().await?);
        let their_second = theirs().await?;
        // Ours comes last, and anew: what snmpd has read by then is not from later.
        tokio::time::sleep(KEPT).await;
        let our_second = ours().await?;
        let their_first = keys::paired(&our_first.instances, their_first.instances);
        let silent = their_second.silent;
        let their_second = keys::paired(&our_second.instances, their_second.instances);
        let ours = Walks {
            before: Some(&self.before),
            first: &our_first.instances,
            second: &our_second.instances,
            silent: &our_second.silent,
        };
        let theirs = Walks { before: None, first: &their_first, second: &their_second, silent: &silent };
        Ok(compare(&ours, &theirs, &scope.ignored))
    }
}
