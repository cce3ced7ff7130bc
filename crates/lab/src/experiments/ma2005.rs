//! The experiments of Ma and Bartos (2005): one `snmpget` of sysContact over UDP, TCP, HTTP and HTTPS, with SNMP
//! inside SOAP over the last two: packets, octets, latency, the client's instructions; the paper's riddle, why
//! latency over HTTPS varies so much; and the same get by a person at a browser.
//!
//! A transaction opens, sends one request and closes, as in the paper. Table 1 and figures 3 and 4 are one set of
//! sessions on the emulated link; table 2 and figure 5 are whole commands; `jitter` varies what the paper could
//! not explain; `size` is the program.

mod browser;
mod client;
mod jitter;
pub mod paper;
mod sheets;
mod size;

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use trunkline_smi::Oid;
use trunkline_smi::module::snmpv2_mib;

use trunkline_labkit::chapter::{Chapter, Measure, measure_chapters};
use trunkline_labkit::conversation::Script;
use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::opening::Opening;
use trunkline_labkit::options::TableOptions;
use trunkline_labkit::place::link::LinkSpec;
use trunkline_labkit::protocol::{Mode, Protocol, SnmpVersion};
use trunkline_labkit::report::Heading;
use trunkline_labkit::schedule::Job;
use trunkline_labkit::stage::Role;
use trunkline_labkit::subject::CONTACT;
use trunkline_labkit::transport::Transport;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "ma2005",
    about: "SNMP inside SOAP over HTTP and HTTPS: packets, octets, latency, instructions and jitter, compared with Ma and Bartos (2005)",
    examples: &["--quick", "table-1 jitter --json"],
    heading: Heading {
        title: "SNMP inside SOAP over HTTP and HTTPS, 2005 and today",
        after: "After Ma, Bartos, Performance Impact of Web Service Migration in Embedded Environments (2005).",
    },
    tables: &[
        "table-1", "table-2", "table-3", "figure-3", "figure-4", "figure-5", "figure-6", "figure-7",
        "jitter", "size",
    ],
    annexes: &[],
    needs_link: true,
    define: Options::augment_args,
    read: read::<Options>,
    findings: sheets::findings,
};

/// Its options.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    tables: TableOptions,
    /// Path to the trunkline whose commands and size are measured (table-2, figure-5, size) [default: next to this program]
    #[arg(long, value_name = "FILE")]
    trunkline: Option<PathBuf>,
}

/// The paper's four transport domains, in its order.
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
/// Where what a browser does is stored.
pub(super) const FRONT: &str = "ma2005/table-3";
/// Where variants are stored.
pub(super) const JITTER: &str = "ma2005/jitter";
/// Where sizes are stored.
pub(super) const SIZE: &str = "ma2005/size";
pub(super) const GET: &str = "get";
/// How long sysContact is, in the setting of a run.
pub(super) const SYS_CONTACT_OCTETS: &str = "sys_contact_octets";

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        choice.uses("trunkline", self.trunkline.is_some(), &["table-2", "figure-5", "size"])?;
        let mut stage = opening.stage_options();
        let of_browsers = OF_BROWSERS.iter().any(|table| choice.has(table));
        stage.capture = ["table-1", "figure-3", "figure-4"]
            .iter()
            .any(|table| choice.has(table) || of_browsers)
            .then(|| std::env::temp_dir().join(format!("trunkline-lab-{}.pcapng", std::process::id())));
        if choice.has("jitter") {
            stage.roles.push(Role::Rsa);
        }
        if of_browsers {
            stage.roles.push(Role::Browser);
        }
        // As long as the paper's, by its octets over UDP.
        let contact = format!("[system]\ncontact = \"{CONTACT}\"\n");
        stage.more = [Role::Shipped, Role::Rsa].map(|role| (role, contact.clone())).into();
        let setting = json!({ SYS_CONTACT_OCTETS: CONTACT.len() });
        let chapters: [(&[&str], Measure<Options>); 5] = [
            (&["table-1", "figure-3", "figure-4"], transactions),
            (&["table-2", "figure-5"], client::measure),
            (&OF_BROWSERS, browser::measure),
            (&["jitter"], jitter::measure),
            (&["size"], size::measure),
        ];
        opening.on_stage(&choice, &stage, setting, |stage, runtime, ledger| {
            measure_chapters("ma2005", &chapters, self, &choice, stage, runtime, ledger)
        })
    }
}

/// Section 4.1: this many transactions per domain, on the link.
fn transactions(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(paper::TRANSACTIONS, QUICK_TRANSACTIONS);
    if rounds < paper::TRANSACTIONS {
        chapter.shortened(format!("{rounds} transactions instead of {}", paper::TRANSACTIONS))?;
    }
    chapter.shortened("one run; the paper made ten, to see that they agree".into())?;
    let job = |protocol| {
        let job = Job::new(TRANSACTIONS, GET, protocol, get());
        if chapter.stage.link().is_some() { job.over(LinkSpec::default()) } else { job }
    };
    let jobs = DOMAINS.map(job);
    chapter.perform(&jobs, rounds, None)
}

/// `snmpget sysContact.0`.
pub(super) fn get() -> Script {
    Script::Get { name: sys_contact(), times: 1 }
}

pub(super) fn sys_contact() -> Oid {
    Oid::EMPTY.child(snmpv2_mib::SYS_CONTACT.oid).child(&[0])
}

/// What is measured with a browser.
const OF_BROWSERS: [&str; 3] = ["table-3", "figure-6", "figure-7"];
const QUICK_TRANSACTIONS: u32 = 60;
