//! The experiments of Marinov and Schönwälder (2006): the cost of SSH for an SNMP session, compared with USM over
//! UDP and TCP.
//!
//! Each session is timed from before opening to after closing. Single requests get sysDescr.0, walks go through
//! ifTable with GetNext and start over at its end. Beside the paper's five protocols there are ours over TLS and
//! DTLS, and SNMPv3 with the Transport Security Model. `sheets` sets the measured figures beside the paper's.
//!
//! Times without loss are measured over the agent's loopback; packets and octets, and everything with loss, on the
//! emulated link. The slow agent has a CPU quota ([`trunkline_labkit::slow`]) with the ratio of `turtle` to `meat`.

pub(crate) mod claims;
mod crossing;
mod drawings;
pub mod paper;
pub(crate) mod sheets;

use std::time::Duration;

use clap::Args;
use serde_json::Value;
use tokio::runtime::Runtime;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::module::snmpv2_mib;

use paper::{LOSS_PERCENT, REPETITIONS, TABLE_3_OPERATIONS};
use trunkline_labkit::chapter::{Chapter, Measure, measure_chapters};
use trunkline_labkit::conversation::Script;
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::duration;
use trunkline_labkit::error::Error;
use trunkline_labkit::estimate::LEAST_REPETITIONS;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::open_sessions;
use trunkline_labkit::opening::Opening;
use trunkline_labkit::options::{self, Choice, TableOptions, numbers};
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::link::{LinkSpec, Share};
use trunkline_labkit::protocol::{Level, Mode, Protocol, SnmpVersion, Suite};
use trunkline_labkit::report::Heading;
use trunkline_labkit::schedule::{Job, ManagerEnd, our_patience};
use trunkline_labkit::slow::Slowed;
use trunkline_labkit::stage::{Role, Stage, StageOptions};
use trunkline_labkit::transport::Transport;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "marinov2006",
    about: "What a session over SSH costs, compared with the tables and figures of Marinov and Schönwälder (2006)",
    examples: &["--quick", "figure-3 --messages 22,220,2354"],
    heading: Heading {
        title: "SNMP over SSH, 2006 and today",
        after: "After Marinov, Schönwälder, Performance Analysis of SNMP over SSH (2006).",
    },
    tables: &["table-2", "section-4", "figure-3", "figure-4", "table-3", "figure-5", "figure-6"],
    annexes: &[],
    needs_link: true,
    define: Options::augment_args,
    read: read::<Options>,
    findings: claims::findings,
};

/// Its options.
#[derive(Debug, Clone, Args)]
pub struct Options {
    #[command(flatten)]
    tables: TableOptions,
    /// The lengths of walks, in messages (figure-3, figure-4, figure-5; table-3 takes the longest)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    messages: Vec<u32>,
    /// How many sessions to open at a time (figure-6)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    sessions: Vec<u32>,
}

pub(super) const FAST: &str = "fast";
pub(super) const SLOW: &str = "slow";
/// Over the link, for packets and octets.
pub(super) const COUNTED: &str = "counted";

/// USM at authPriv.
pub(super) const fn usm(transport: Transport, suite: Suite) -> Protocol {
    Protocol::usm(transport, Level::AuthPriv, suite)
}

const fn in_session(version: SnmpVersion, transport: Transport) -> Protocol {
    Protocol::session(version, transport, Mode::Secure)
}

/// The paper's five, with its algorithms.
pub(super) const PAPERS: [Protocol; 5] = [
    Protocol::v2c(Transport::Udp),
    Protocol::v2c(Transport::Tcp),
    usm(Transport::Udp, Suite::Md5Aes),
    usm(Transport::Tcp, Suite::Md5Aes),
    in_session(SnmpVersion::V2c, Transport::Ssh),
];

/// Our additional protocols: USM with current algorithms, TLS, DTLS, and SNMPv3 in sessions.
pub(super) const OURS: [Protocol; 7] = [
    usm(Transport::Udp, Suite::Modern),
    usm(Transport::Tcp, Suite::Modern),
    in_session(SnmpVersion::V3, Transport::Ssh),
    in_session(SnmpVersion::V2c, Transport::Tls),
    in_session(SnmpVersion::V3, Transport::Tls),
    in_session(SnmpVersion::V2c, Transport::Dtls),
    in_session(SnmpVersion::V3, Transport::Dtls),
];

fn everything() -> impl Iterator<Item = Protocol> {
    PAPERS.into_iter().chain(OURS)
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        let of_messages = ["figure-3", "figure-4", "table-3", "figure-5"];
        choice.uses("messages", !self.messages.is_empty(), &of_messages)?;
        choice.uses("sessions", !self.sessions.is_empty(), &["figure-6"])?;
        let options = Options {
            tables: self.tables.clone(),
            messages: numbers("messages", &self.messages, 1, 1_000_000)?,
            sessions: options::open_sessions(&self.sessions)?,
        };
        let stage = options.stage(&choice, opening.stage_options());
        opening.on_stage(&choice, &stage, Value::Null, |stage, runtime, ledger| {
            options.measure_on(&choice, stage, runtime, ledger)
        })
    }
}

impl Options {
    /// Those of a run that names no sizes.
    pub(crate) fn usual() -> Options {
        Options { tables: TableOptions::default(), messages: vec![], sessions: vec![] }
    }

    /// Measures the requested tables on a stage that has what they need.
    pub(crate) fn measure_on(
        &self,
        choice: &Choice,
        stage: &Stage,
        runtime: &Runtime,
        ledger: &mut Ledger,
    ) -> Result<(), Error> {
        let chapters: [(&[&str], Measure<Options>); 7] = [
            (&["table-2"], session_establishment),
            (&["section-4"], ablations),
            (&["figure-3"], latency_without_loss),
            (&["figure-4"], latency_with_loss),
            (&["table-3"], packet_sizes),
            (&["figure-5"], bandwidth),
            (&["figure-6"], memory_usage),
        ];
        measure_chapters("marinov2006", &chapters, self, choice, stage, runtime, ledger)
    }

    /// Measures, for figure 3, as much as the break-even of SSH and USM needs.
    pub(crate) fn measure_break_even(
        &self,
        choice: &Choice,
        stage: &Stage,
        runtime: &Runtime,
        ledger: &mut Ledger,
    ) -> Result<(), Error> {
        let chapters: [(&[&str], Measure<Options>); 1] = [(&["figure-3"], break_even)];
        measure_chapters("marinov2006", &chapters, self, choice, stage, runtime, ledger)
    }

    /// What the requested tables need.
    pub(crate) fn stage(&self, choice: &Choice, usual: StageOptions) -> StageOptions {
        let sessions = figure_6_counts(self, choice).last().copied().unwrap_or(0) + 100;
        // The link's capture is read for packet sizes; only one table needs them.
        let capture = choice
            .has("table-3")
            .then(|| std::env::temp_dir().join(format!("trunkline-lab-{}.pcapng", std::process::id())));
        // 107 rows of 22 columns are the paper's 2354 instances.
        let rows = if choice.common.quick || !self.messages.is_empty() { QUICK_ROWS } else { ROWS };
        let mut roles = usual.roles.clone();
        roles.extend(open_sessions::roles().filter(|_| choice.has("figure-6")));
        StageOptions { rows, sessions, capture, roles, ..usual }
    }
}

/// Section 5.2: one get of sysDescr.0: time with a fast and a slow agent, octets, packets.
fn session_establishment(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(REPETITIONS, QUICK_ROUNDS);
    fewer(chapter, rounds, "get")?;
    let [fast, slow, counted] = [FAST, SLOW, COUNTED]
        .map(|what| -> Vec<Job> { everything().map(|it| chapter.job(what, it, get())).collect() });
    chapter.perform(&fast, rounds, None)?;
    slowly(chapter, |chapter| chapter.perform(&slow, rounds, None))?;
    let counted: Vec<Job> = counted.into_iter().map(|job| job.over(LinkSpec::default())).collect();
    chapter.perform(&counted, counting(chapter), None)
}

/// Section 4: Nagle's algorithm on and off, window updates each time or when needed.
fn ablations(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    for switch in ["Nagle's algorithm at the agent's end", "window updates each time at the agent's end"] {
        chapter.ledger.doubt(Doubt::NoSwitch { table: chapter.table.clone(), switch: switch.into() })?;
    }
    let ssh = PAPERS[4];
    let rounds = chapter.choice.rounds(REPETITIONS, QUICK_ROUNDS);
    fewer(chapter, rounds, "get")?;
    let length = if chapter.choice.common.quick { QUICK_ABLATION_WALK } else { ABLATION_WALK };
    let ends = [
        ("as shipped", ManagerEnd::default()),
        ("Nagle on", ManagerEnd { nodelay: false, ..ManagerEnd::default() }),
        ("window updates each time", ManagerEnd { eager_window: true, ..ManagerEnd::default() }),
        ("both", ManagerEnd { nodelay: false, eager_window: true, ..ManagerEnd::default() }),
    ];
    let mut jobs = Vec::new();
    for (what, manager) in ends {
        jobs.push(Job { manager, ..chapter.job(what, ssh, get()) });
        // With both, each exchange waits for a delayed acknowledgement.
        let least = rounds.min(LEAST_REPETITIONS as u32);
        let few = if manager.nodelay || !manager.eager_window { rounds.div_ceil(5).max(least) } else { 1 };
        jobs.push(Job { manager, ..chapter.job(what, ssh, walk(length)).in_rounds(few) });
    }
    // The same over the link for the packets.
    let counted = jobs.iter().map(|job| {
        let what = format!("{}, {COUNTED}", job.case.what);
        let case = trunkline_labkit::trial::Case { what, ..job.case.clone() };
        Job { case, ..job.clone().over(LinkSpec::default()) }.in_rounds(1)
    });
    let counted: Vec<Job> = counted.collect();
    chapter.perform(&jobs, rounds, None)?;
    chapter.perform(&counted, 1, None)
}

/// Section 5.3: walks of ifTable by length, with a fast and a slow agent.
fn latency_without_loss(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &SIZES, &QUICK_SIZES);
    walks(chapter, &everything().collect::<Vec<_>>(), &sizes)
}

/// Of them what the break-even of SSH and USM needs, which takes two minutes.
fn break_even(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &BREAK_EVEN_SIZES, &QUICK_SIZES);
    walks(chapter, &BREAK_EVEN, &sizes)
}

fn walks(chapter: &mut Chapter<'_, Options>, protocols: &[Protocol], sizes: &[u32]) -> Result<(), Error> {
    let rounds = chapter.choice.rounds(REPETITIONS.div_ceil(5), QUICK_WALKS);
    fewer(chapter, rounds, "walk")?;
    let [fast, slow] = [FAST, SLOW].map(|what| -> Vec<Job> {
        let walks = sizes.iter().flat_map(|&size| protocols.iter().map(move |&it| (it, size)));
        walks.map(|(it, size)| chapter.job(what, it, walk(size))).collect()
    });
    let budget = chapter.choice.common.quick.then_some(QUICK_BUDGET);
    chapter.perform(&fast, rounds, budget)?;
    slowly(chapter, |chapter| chapter.perform(&slow, rounds, budget))
}

/// Section 5.4: the same walks on a lossy link. USM's retransmission is varied: as in Net-SNMP, and ours.
fn latency_with_loss(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &LOSS_SIZES, &QUICK_LOSS_SIZES);
    let rounds = chapter.choice.rounds(REPETITIONS.div_ceil(10), QUICK_WALKS);
    fewer(chapter, rounds, "walk")?;
    let mut jobs = Vec::new();
    for percent in LOSS_PERCENT {
        let loss = Share::from_billionths((percent * 1e7) as u32).unwrap_or(Share::NONE);
        let link = LinkSpec { loss, ..LinkSpec::default() };
        for protocol in with_loss() {
            for &size in &sizes {
                let job = |what: String| chapter.job(&what, protocol, walk(size)).over(link);
                jobs.push(job(sheets::loss(percent, false)));
                // Over TCP the kernel retransmits.
                if protocol.transport.has_datagrams() {
                    jobs.push(Job { options: our_patience(), ..job(sheets::loss(percent, true)) });
                }
            }
        }
    }
    let budget = chapter.choice.common.quick.then_some(QUICK_LOSS_BUDGET);
    let longer = if chapter.choice.common.quick { QUICK_LOSSES_WITHIN } else { LOSSES_WITHIN };
    slowly(chapter, |chapter| chapter.perform_until_lost(&jobs, rounds, budget, longer))
}

/// Records that something is repeated less often than in the paper.
fn fewer(chapter: &mut Chapter<'_, Options>, rounds: u32, what: &str) -> Result<(), Error> {
    if rounds >= REPETITIONS {
        return Ok(());
    }
    chapter.shortened(format!("{rounds} repetitions of each {what}; the paper has {REPETITIONS}"))
}

/// The protocols of figure 4, and TLS and DTLS.
pub(super) fn with_loss() -> Vec<Protocol> {
    let more = [in_session(SnmpVersion::V2c, Transport::Tls), in_session(SnmpVersion::V2c, Transport::Dtls)];
    PAPERS.into_iter().chain(more).collect()
}

/// Section 5.5, table 3: the packets of a walk by size.
fn packet_sizes(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    // The interaction that leaves the table is one more.
    let operations = chapter.options.messages.last().copied().unwrap_or(TABLE_3_OPERATIONS + 1);
    if operations != TABLE_3_OPERATIONS + 1 {
        let how = format!("walks of {operations} interactions instead of {}", TABLE_3_OPERATIONS + 1);
        chapter.shortened(how)?;
    }
    let jobs: Vec<Job> =
        everything().map(|it| chapter.job(COUNTED, it, walk(operations)).over(LinkSpec::default())).collect();
    chapter.perform(&jobs, 1, None)
}

/// Section 5.5, figure 5: octets by walk length.
fn bandwidth(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &SIZES, &QUICK_OCTETS);
    let walks = sizes.iter().flat_map(|&size| everything().map(move |it| (it, size)));
    let jobs: Vec<Job> =
        walks.map(|(it, size)| chapter.job(COUNTED, it, walk(size)).over(LinkSpec::default())).collect();
    // Without a budget: octets are the same on any machine, and fewer rounds would decide nothing.
    chapter.perform(&jobs, counting(chapter), None)
}

/// How often octets and packets are counted: they hardly vary.
fn counting(chapter: &Chapter<'_, Options>) -> u32 {
    chapter.choice.rounds(LEAST_REPETITIONS as u32, LEAST_REPETITIONS as u32)
}

/// Section 5.6: the agent's memory by the number of open, unused sessions.
fn memory_usage(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let counts = figure_6_counts(chapter.options, chapter.choice);
    duration::announce(chapter.ledger, open_sessions::expected(&counts));
    for transport in open_sessions::WITH_SESSIONS {
        let protocol = match transport {
            Transport::Tcp => Protocol::v2c(transport),
            _ => in_session(SnmpVersion::V2c, transport),
        };
        open_sessions::measure(
            &chapter.table,
            (protocol, Packing::None),
            &counts,
            chapter.stage,
            chapter.runtime,
            chapter.ledger,
        )?;
    }
    Ok(())
}

fn figure_6_counts(options: &Options, choice: &Choice) -> Vec<u32> {
    match options.sessions[..] {
        _ if !choice.has("figure-6") => vec![],
        [] if choice.common.quick => QUICK_COUNTS.to_vec(),
        [] => COUNTS.to_vec(),
        _ => options.sessions.clone(),
    }
}

/// Runs something while the agent is slow, and records how it was slowed; or records that it cannot be.
fn slowly(
    chapter: &mut Chapter<'_, Options>,
    work: impl FnOnce(&mut Chapter<'_, Options>) -> Result<(), Error>,
) -> Result<(), Error> {
    let Some(agent) = chapter.stage.agent(Role::Shipped) else { return Ok(()) };
    let table = chapter.table.clone();
    match Slowed::to(agent.pid(), TURTLE) {
        Ok(slowed) => {
            let how = format!(
                "{}; its share is the paper's ratio for SSH in table 2, 16.17 to 91.62 ms",
                Slowed::words(TURTLE)
            );
            chapter.ledger.doubt(Doubt::Slowed { table, how })?;
            let result = work(chapter);
            drop(slowed);
            result
        }
        Err(error) => chapter.ledger.doubt(Doubt::NotSlowed { table, reason: error.to_string() }),
    }
}

fn get() -> Script {
    Script::Get { name: Oid::EMPTY.child(snmpv2_mib::SYS_DESCR.oid).child(&[0]), times: 1 }
}

fn walk(times: u32) -> Script {
    Script::Walk { root: Oid::EMPTY.child(IF_TABLE.oid), times }
}

/// A slow agent's share of a processor: table 2 has 16.17 ms on `meat` and 91.62 ms on `turtle` for SSH, whose
/// set-up was CPU-bound then. Ours fits into the quota of one period or two, and is slowed less.
const TURTLE: f64 = 16.17 / 91.62;
const QUICK_ROUNDS: u32 = 10;
const QUICK_WALKS: u32 = LEAST_REPETITIONS as u32;
const ROWS: u32 = TABLE_3_OPERATIONS / 22;
const QUICK_ROWS: u32 = 12;
/// Interactions of figures 3 and 5.
const SIZES: [u32; 9] = [22, 66, 132, 264, 528, 1056, 1540, 1980, 2354];
const QUICK_SIZES: [u32; 3] = [22, 110, 264];
/// The protocols and interactions of a run for the break-even alone.
const BREAK_EVEN: [Protocol; 2] = [PAPERS[2], PAPERS[4]];
const BREAK_EVEN_SIZES: [u32; 4] = [22, 264, 1056, 2354];
/// Octets lie on a line.
const QUICK_OCTETS: [u32; 2] = [22, 110];
const LOSS_SIZES: [u32; 5] = [22, 264, 792, 1540, 2354];
const QUICK_LOSS_SIZES: [u32; 1] = [66];
const ABLATION_WALK: u32 = 500;
/// Short: with Nagle's algorithm and eager windows each exchange takes 40 ms.
const QUICK_ABLATION_WALK: u32 = 25;
const COUNTS: [u32; 8] = [0, 100, 500, 1000, 2500, 5000, 7500, 10_000];
const QUICK_COUNTS: [u32; 4] = [0, 25, 50, 100];
/// How much longer the walks of figure 4 are repeated, until enough packets were lost.
const LOSSES_WITHIN: Duration = Duration::from_secs(300);
const QUICK_BUDGET: Duration = Duration::from_secs(6);
const QUICK_LOSS_BUDGET: Duration = Duration::from_secs(5);
const QUICK_LOSSES_WITHIN: Duration = Duration::from_secs(4);
