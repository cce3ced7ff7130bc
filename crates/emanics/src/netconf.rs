//! NETCONF in the figures of two papers that are older: beside SNMP and SOAP as in Pras et al. (2005), and session by session beside SNMP as in
//! Marinov and Schönwälder (2006).
//!
//! | part | after | file |
//! | --- | --- | --- |
//! | octets, and compressed octets | Pras, figures 11 and 12 | `octets` |
//! | coding and retrieval inside the agent | Pras, figures 13 and 14 | `phases` |
//! | one get, and many, in a session | Marinov, table 2 and figure 3 | here |
//! | memory of open sessions | Marinov, figure 6 | here |

mod octets;
mod phases;
mod sheets;

use clap::Args;
use serde_json::Value;
use trunkline_smi::Oid;
use trunkline_smi::module::snmpv2_mib;

use trunkline_labkit::chapter::{Chapter, Measure, measure_chapters};
use trunkline_labkit::conversation::Script;
use trunkline_labkit::error::Error;
use trunkline_labkit::estimate::LEAST_REPETITIONS;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::open_sessions;
use trunkline_labkit::opening::Opening;
use trunkline_labkit::options::{self, LabAgentOptions, TableOptions, numbers};
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::link::LinkSpec;
use trunkline_labkit::protocol::Protocol;
use trunkline_labkit::report::Heading;
use trunkline_labkit::schedule::Job;
use trunkline_labkit::stage::{Role, StageOptions};
use trunkline_labkit::transport::Transport;

use crate::marinov2006::PAPERS;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "netconf",
    about: "NETCONF beside SNMP and SOAP: octets, coding, retrieval and sessions, in the figures of Pras et al. and of Marinov and Schönwälder",
    examples: &["--quick", "figure-11 figure-12 --rows 1,3,12", "table-2", "figure-6 --sessions 0,100,200"],
    heading: Heading {
        title: "NETCONF beside SNMP and web services",
        after: "In the figures of Pras, Drevers, van de Meent, Quartel (2005) and of Marinov, Schönwälder (2006), which had no NETCONF.",
    },
    tables: &["figure-11", "figure-12", "figure-13", "figure-14", "table-2", "figure-3", "figure-6"],
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
    /// How many rows of ifTable are fetched (figure-11 to figure-14)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    rows: Vec<u32>,
    /// The lengths of sessions, in messages (figure-3)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    messages: Vec<u32>,
    /// How many sessions to open at a time (figure-6)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    sessions: Vec<u32>,
    #[command(flatten)]
    lab_agent: LabAgentOptions,
}

/// The agent with NETCONF, and the one with clocks.
const SHIPPED: Role = Role::Netconf(0);
const TIMED: Role = Role::NetconfTimed(0);
/// What of sessions is measured over the agent's loopback, and over the link.
const TIME: &str = "time";
const COUNTED: &str = "counted";

/// The paper's protocols, and NETCONF's.
fn protocols() -> impl Iterator<Item = Protocol> {
    PAPERS.into_iter().chain(sessions())
}

/// NETCONF's.
fn sessions() -> impl Iterator<Item = Protocol> {
    [Transport::Tcp, Transport::Ssh, Transport::Tls].map(Protocol::netconf).into_iter()
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        let of_rows = ["figure-11", "figure-12", "figure-13", "figure-14"];
        choice.uses("rows", !self.rows.is_empty(), &of_rows)?;
        choice.uses("messages", !self.messages.is_empty(), &["figure-3"])?;
        choice.uses("sessions", !self.sessions.is_empty(), &["figure-6"])?;
        choice.uses(
            "trunklined-lab",
            self.lab_agent.trunklined_lab.is_some(),
            &["figure-13", "figure-14"],
        )?;
        let options = Options {
            rows: choice.sizes(&numbers("rows", &self.rows, 1, 1000)?, &ROWS, &QUICK_ROWS),
            messages: numbers("messages", &self.messages, 1, 1_000_000)?,
            sessions: choice.sizes(&options::open_sessions(&self.sessions)?, &COUNTS, &QUICK_COUNTS),
            ..self.clone()
        };
        let mut roles = vec![Role::Shipped, SHIPPED];
        if choice.has("figure-13") || choice.has("figure-14") {
            roles.push(TIMED);
        }
        if choice.has("figure-6") {
            roles.extend(open_sessions::roles_of_netconf(sessions().map(|it| (it, Packing::None))));
        }
        let stage = StageOptions {
            sessions: options.sessions.last().copied().unwrap_or(0) + 100,
            rows: options.rows.last().copied().unwrap_or(2),
            roles,
            trunklined_lab: self.lab_agent.trunklined_lab.clone(),
            ..opening.stage_options()
        };
        let chapters: [(&[&str], Measure<Options>); 5] = [
            (&["figure-11", "figure-12"], octets::measure),
            (&["figure-13", "figure-14"], phases::measure),
            (&["table-2"], one_get),
            (&["figure-3"], many_gets),
            (&["figure-6"], memory),
        ];
        opening.on_stage(&choice, &stage, Value::Null, |stage, runtime, ledger| {
            measure_chapters("netconf", &chapters, &options, &choice, stage, runtime, ledger)
        })
    }
}

/// Marinov, table 2: one get of sysDescr.0, session included; time, octets, packets.
fn one_get(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    let timed: Vec<Job> = protocols().map(|it| chapter.job(TIME, it, gets(1))).collect();
    chapter.perform(&timed, rounds, None)?;
    let over_link = protocols().map(|it| chapter.job(COUNTED, it, gets(1)).over(LinkSpec::default()));
    let counted: Vec<Job> = over_link.collect();
    chapter.perform(&counted, LEAST_REPETITIONS as u32, None)
}

/// Marinov, figure 3: sessions by their length.
fn many_gets(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &MESSAGES, &QUICK_MESSAGES);
    let rounds = chapter.choice.rounds(ROUNDS / 5, LEAST_REPETITIONS as u32);
    let jobs = sizes.iter().flat_map(|&size| protocols().map(move |it| (it, size)));
    let jobs: Vec<Job> = jobs.map(|(it, size)| chapter.job(TIME, it, gets(size))).collect();
    chapter.perform(&jobs, rounds, None)
}

/// Marinov, figure 6: the agent's memory by sessions that are open and not used.
fn memory(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    for protocol in sessions() {
        let counts = &chapter.options.sessions;
        open_sessions::measure(
            &chapter.table,
            (protocol, Packing::None),
            counts,
            chapter.stage,
            chapter.runtime,
            chapter.ledger,
        )?;
    }
    Ok(())
}

fn gets(times: u32) -> Script {
    Script::Get { name: Oid::EMPTY.child(snmpv2_mib::SYS_DESCR.oid).child(&[0]), times }
}

const ROWS: [u32; 7] = [1, 2, 3, 4, 6, 9, 12];
const QUICK_ROWS: [u32; 3] = [1, 3, 12];
const ROUNDS: u32 = 100;
const QUICK_ROUNDS: u32 = 10;
const MESSAGES: [u32; 5] = [1, 22, 132, 528, 2354];
const QUICK_MESSAGES: [u32; 2] = [1, 22];
const COUNTS: [u32; 5] = [0, 100, 250, 500, 1000];
const QUICK_COUNTS: [u32; 4] = [0, 25, 50, 100];
