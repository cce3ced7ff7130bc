//! The experiments of Ma and Bartos (2005): one `snmpget` of sysContact over UDP, TCP, HTTP and HTTPS, SNMP inside SOAP over the
//! last two: packets, octets, latency, what the client executes; and the paper's riddle, why HTTPS wavers so.
//!
//! A transaction opens, asks once and closes, as in the paper. Table 1 and figures 3 and 4 are one set of sessions on the emulated
//! link; table 2 and figure 5 are whole commands; `jitter` varies what the paper could not explain; `size` is the program.

mod client;
mod jitter;
pub mod paper;
mod sheets;
mod size;

use tokio::runtime::Runtime;
use trunkline_smi::Oid;
use trunkline_smi::module::snmpv2_mib;

use crate::experiments::Experiment;
use crate::kit::conversation::Script;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::place::link::LinkSpec;
use crate::kit::protocol::{Mode, Protocol, SnmpVersion};
use crate::kit::report::Heading;
use crate::kit::schedule::{Job, Ledger, perform};
use crate::kit::stage::{Role, Stage, StageOptions};
use crate::options::Choice;
use crate::samples::Transport;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ma2005",
    heading: Heading {
        title: "SNMP inside SOAP over HTTP and HTTPS, beside Ma 2005",
        after: "After Ma, Bartos, Performance Impact of Web Service Migration in Embedded Environments (2005).",
    },
    tables: &["table-1", "table-2", "figure-3", "figure-4", "figure-5", "jitter", "size"],
    stage,
    measure,
    findings: sheets::findings,
};

/// The paper's four domains, in its order.
pub(super) const DOMAINS: [Protocol; 4] = [
    Protocol::v2c(Transport::Udp),
    Protocol::v2c(Transport::Tcp),
    Protocol::v2c(Transport::Http),
    Protocol::session(SnmpVersion::V2c, Transport::Https, Mode::Secure),
];

/// Where transactions are stored.
pub(super) const TRANSACTIONS: &str = "ma2005/table-1";
/// Where commands are stored.
pub(super) const COMMANDS: &str = "ma2005/table-2";
/// Where variants are stored.
pub(super) const JITTER: &str = "ma2005/jitter";
/// Where sizes are stored.
pub(super) const SIZE: &str = "ma2005/size";
pub(super) const GET: &str = "get";

fn stage(choice: &Choice, options: StageOptions) -> StageOptions {
    let capture = of_transactions(choice)
        .then(|| std::env::temp_dir().join(format!("trunkline-lab-{}.pcapng", std::process::id())));
    let mut roles = options.roles.clone();
    if choice.has("jitter") {
        roles.push(Role::Rsa);
    }
    StageOptions { roles, capture, ..options }
}

fn of_transactions(choice: &Choice) -> bool {
    ["table-1", "figure-3", "figure-4"].iter().any(|table| choice.has(table))
}

fn measure(choice: &Choice, stage: &Stage, runtime: &Runtime, ledger: &mut Ledger) -> Result<(), Error> {
    let chapters: [(bool, &str, Chapter); 4] = [
        (of_transactions(choice), "table-1", transactions),
        (choice.has("table-2") || choice.has("figure-5"), "table-2", client::measure),
        (choice.has("jitter"), "jitter", jitter::measure),
        (choice.has("size"), "size", size::measure),
    ];
    for (asked, name, chapter) in chapters {
        if asked && !ledger.is_interrupted() {
            ledger.progress.set_message(name);
            chapter(choice, stage, runtime, ledger)?;
            ledger.writer.flush()?;
        }
    }
    Ok(())
}

type Chapter = fn(&Choice, &Stage, &Runtime, &mut Ledger) -> Result<(), Error>;

/// Section 4.1: so many transactions in each domain, on the link.
fn transactions(choice: &Choice, stage: &Stage, runtime: &Runtime, ledger: &mut Ledger) -> Result<(), Error> {
    let rounds = choice.rounds(paper::TRANSACTIONS, QUICK_TRANSACTIONS);
    if rounds < paper::TRANSACTIONS {
        let how = format!("{rounds} transactions instead of {}", paper::TRANSACTIONS);
        ledger.doubt(Doubt::Shortened { table: TRANSACTIONS.into(), how })?;
    }
    let job = |protocol| {
        let job = Job::new(TRANSACTIONS, GET, protocol, get());
        if stage.link().is_some() { job.over(LinkSpec::default()) } else { job }
    };
    perform(stage, runtime, &DOMAINS.map(job), rounds, None, ledger)
}

/// `snmpget sysContact.0`.
pub(super) fn get() -> Script {
    Script::Get { name: sys_contact(), times: 1 }
}

pub(super) fn sys_contact() -> Oid {
    Oid::EMPTY.child(snmpv2_mib::SYS_CONTACT.oid).child(&[0])
}

const QUICK_TRANSACTIONS: u32 = 60;
