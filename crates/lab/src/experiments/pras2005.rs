//! The experiments of Pras, Drevers, van de Meent and Quartel (2005): the cost of fetching ifTable by SNMP and by
//! web services, in octets, CPU time, memory and delay, and from how many objects on which one is better.
//!
//! Each part is a file: the measurement here, the analysis in `sheets`. Octets are those of single interactions,
//! so one reading of each is enough; times are repeated. SNMP and web services fetch the same tree of the same
//! agent: the interfaces of the stage, which carried traffic first.
//!
//! | part | paper | file |
//! | --- | --- | --- |
//! | lengths of names, sizes of values | IV.B, figures 4, 5 | `walked` |
//! | octets of SNMP beside the formulas | IV.C, IV.D, figures 6, 7 | `messages` |
//! | the header of SNMPv3, and its messages for time | IV.E | `header` |
//! | octets of web services, compression, IP level | IV.F to IV.H, figures 11, 12 | `services` |
//! | CPU time for coding, compression, retrieval | V.A, figures 13, 14 | `codecs`, `coding` |
//! | memory | V.B, table I | `memory` |
//! | delay | VI, table II | `delay` |

mod agents;
mod codecs;
mod coding;
mod common;
mod delay;
mod fetch;
mod header;
mod memory;
mod messages;
pub mod paper;
mod services;
mod sheets;
mod walked;

use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use tokio::runtime::Runtime;

use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::opening::Opening;
use trunkline_labkit::options::{Choice, LabAgentOptions, MOST_OBJECTS, TableOptions, numbers};
use trunkline_labkit::report::Heading;
use trunkline_labkit::stage::{Role, Stage};
use trunkline_labkit::subject::{Freshness, Remote, RemoteOptions};

use agents::Agents;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "pras2005",
    about: "SNMP compared with web services: octets, CPU time, memory and delay, after Pras, Drevers, van de Meent and Quartel (2005)",
    examples: &[
        "--quick",
        "--only figure-11,figure-12 --objects 1,18,270,540",
        "figure-4 figure-5 --agent snmp://public@router",
    ],
    heading: Heading {
        title: "SNMP and web services, 2005 and today",
        after: "After Pras, Drevers, van de Meent, Quartel, Comparing the Performance of SNMP and Web Services-Based Management \
                (2005).",
    },
    tables: &[
        "figure-4",
        "figure-5",
        "figure-6",
        "figure-7",
        "figure-11",
        "figure-12",
        "figure-13",
        "figure-14",
        "table-1",
        "table-2",
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
    /// How many objects an interaction retrieves: the columns of figure-7 and figure-11 to figure-14
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    objects: Vec<u32>,
    /// Measure this agent too, such as snmp://public@router or snmp+tls://router; any URL and credentials that `trunkline get`
    /// takes: the sizes of its names, values and messages, and its delays (figure-4, figure-5, figure-7, table-2; may be
    /// repeated)
    #[arg(long, value_name = "URL")]
    agent: Vec<String>,
    /// Path to snmpd (figure-4, figure-5, figure-7, figure-14, table-1, table-2) [default: from PATH, then /usr/sbin]
    #[arg(long, value_name = "FILE")]
    snmpd: Option<PathBuf>,
    /// Path to a gSOAP server of ifTable, called with the port to listen on (figure-11, figure-12, figure-14, table-1, table-2)
    /// [default: the one of peers/gsoap]
    #[arg(long, value_name = "FILE")]
    gsoap: Option<PathBuf>,
    #[command(flatten)]
    lab_agent: LabAgentOptions,
    /// As whom the agents of --agent are asked.
    #[command(flatten)]
    remote: RemoteOptions,
}

/// The checked options.
struct Wanted {
    /// Ascending, each once; may be empty.
    objects: Vec<u32>,
    /// Agents that are already running.
    agents: Vec<Remote>,
    snmpd: Option<PathBuf>,
    gsoap: Option<PathBuf>,
}

/// Our agent among the series.
pub(super) const OURS: &str = "trunklined";
/// Where lengths and sizes are stored.
pub(super) const WALKED: &str = "pras2005/figure-4";
/// Where octets of SNMP are stored.
pub(super) const MESSAGES: &str = "pras2005/figure-7";
/// Where octets of web services, and of SNMP compressed, are stored.
pub(super) const SERVICES: &str = "pras2005/figure-11";
/// Where times within agents are stored.
pub(super) const CODING: &str = "pras2005/figure-13";
/// See [`CODING`].
pub(super) const RETRIEVAL: &str = "pras2005/figure-14";
/// Where memory is stored.
pub(super) const MEMORY: &str = "pras2005/table-1";
/// Where delays are stored.
pub(super) const DELAY: &str = "pras2005/table-2";

/// The numbers of objects of figures 6, 7 and 11 to 14: whole rows of ifTable, near to the paper's 50, 54, 70, 125, 150, 180, 216, 250 and
/// 270.
pub(super) const OBJECTS: [u32; 11] = [1, 22, 44, 66, 88, 132, 154, 176, 220, 242, 264];
/// Those of a quick run.
const QUICK_OBJECTS: [u32; 7] = [1, 22, 44, 66, 132, 220, 264];
/// The columns of table II.
pub(super) const DELAY_OBJECTS: [u32; 4] = [1, 22, 66, 270];

/// The numbers of objects of a run.
fn objects(given: &[u32], quick: bool) -> Vec<u32> {
    match (given, quick) {
        ([], true) => QUICK_OBJECTS.to_vec(),
        ([], false) => OBJECTS.to_vec(),
        (given, _) => given.to_vec(),
    }
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        self.check(&choice)?;
        let wanted = Wanted {
            objects: numbers("objects", &self.objects, 1, MOST_OBJECTS)?,
            agents: self.remote.agents("agent", &self.agent)?,
            snmpd: self.snmpd.clone(),
            gsoap: self.gsoap.clone(),
        };
        let most = objects(&wanted.objects, choice.common.quick).into_iter().chain(DELAY_OBJECTS).max();
        let mut stage = opening.stage_options();
        stage.rows = most.unwrap_or(1).div_ceil(fetch::PAPERS_COLUMNS.len() as u32).max(2);
        stage.trunklined_lab = self.lab_agent.trunklined_lab.clone();
        if TIMED.iter().any(|table| choice.has(table)) {
            stage.roles.extend(Freshness::ALL.map(Role::Timed));
        }
        opening.on_stage(&choice, &stage, Value::Null, |stage, runtime, ledger| {
            measure(&wanted, &choice, stage, runtime, ledger)
        })
    }
}

impl Options {
    /// Checks that every option is used by a requested table.
    fn check(&self, choice: &Choice) -> Result<(), Error> {
        let of_objects = ["figure-7", "figure-11", "figure-12", "figure-13", "figure-14"];
        choice.uses("objects", !self.objects.is_empty(), &of_objects)?;
        let of_agents = ["figure-4", "figure-5", "figure-7", "table-2"];
        choice.uses("agent", !self.agent.is_empty(), &of_agents)?;
        let of_snmpd = ["figure-4", "figure-5", "figure-7", "figure-14", "table-1", "table-2"];
        choice.uses("snmpd", self.snmpd.is_some(), &of_snmpd)?;
        let of_gsoap = ["figure-11", "figure-12", "figure-14", "table-1", "table-2"];
        choice.uses("gsoap", self.gsoap.is_some(), &of_gsoap)?;
        choice.uses("trunklined-lab", self.lab_agent.trunklined_lab.is_some(), &TIMED)
    }
}

/// What is measured within the laboratory's agent.
const TIMED: [&str; 3] = ["figure-13", "figure-14", "table-1"];

fn measure(
    wanted: &Wanted,
    choice: &Choice,
    stage: &Stage,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let mut agents = Agents::gather(wanted, stage, ledger)?;
    let chapters: [(&[&str], Chapter); 6] = [
        (&["figure-4", "figure-5"], walked::measure),
        (&["figure-6", "figure-7"], messages::measure),
        (&["figure-11", "figure-12"], services::measure),
        (&["figure-13", "figure-14"], coding::measure),
        (&["table-1"], memory::measure),
        (&["table-2"], delay::measure),
    ];
    // Remote agents cannot be reached from the stage: they are measured first.
    for elsewhere in [true, false] {
        if elsewhere && !agents.any_elsewhere() {
            continue;
        }
        agents.turn_to(elsewhere, stage)?;
        for (names, chapter) in chapters {
            if names.iter().any(|name| choice.has(name)) && !ledger.is_interrupted() {
                ledger.progress.set_message(names[0]);
                let mut lab = Lab { wanted, choice, stage, runtime, ledger, agents: &agents };
                chapter(&mut lab)?;
                lab.ledger.writer.flush()?;
            }
        }
    }
    Ok(())
}

/// The context of a chapter.
struct Lab<'a> {
    wanted: &'a Wanted,
    choice: &'a Choice,
    stage: &'a Stage,
    runtime: &'a Runtime,
    ledger: &'a mut Ledger,
    agents: &'a Agents,
}

type Chapter = fn(&mut Lab<'_>) -> Result<(), Error>;

impl Lab<'_> {
    fn objects(&self) -> Vec<u32> {
        objects(&self.wanted.objects, self.choice.common.quick)
    }

    /// Records a reading.
    fn note(
        &mut self,
        table: &str,
        series: &str,
        at: u32,
        quantity: trunkline_labkit::reading::Quantity,
        repetition: u32,
        figure: f64,
    ) -> Result<(), Error> {
        self.ledger.reading(table, series, at, quantity, repetition, figure)
    }

    /// Records that something could not be measured.
    fn missing(&mut self, table: &str, what: &str, reason: impl std::fmt::Display) -> Result<(), Error> {
        let (table, what, reason) = (table.into(), what.into(), reason.to_string());
        self.ledger.doubt(trunkline_labkit::doubt::Doubt::LeftOut { table, what, reason })
    }
}
