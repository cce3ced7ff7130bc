//! The experiments of sections 2, 3, 5 and 6 of the EMANICS deliverable D7.1 (2006): what NETCONF costs, with and without the protection of its
//! messages, and where selection is done best. Section 4 is [`crate::marinov2006`], shown under the deliverable's numbers.
//!
//! | part | D7.1 | file |
//! | --- | --- | --- |
//! | central, mid-level and delegated management | 2 | `section_2` |
//! | requests per second, response times, a series of requests | 3.2, table 3.2, 3.5 | `answers` |
//! | phases of requests inside the agent | figure 3.2, table 3.3, figure 3.3 | `inside` |
//! | compression and encryption | 3.3 | `packing` |
//! | a role is taken from a user | 3.1 | `revocation` |
//! | selection in five places | 5 | `whole` |
//! | sessions over SSH | tables and figures of section 4 | `section_4` |
//! | distributions of delays | 6 | `section_6` |
//!
//! Agents are children of this program, in a namespace of their own: as they ship for what the manager sees, `trunklined-lab` with its clocks for
//! what happens inside. Each has its access policy from its file, and gets its configuration over NETCONF before anything is measured.

mod answers;
mod content;
mod inside;
mod packing;
pub mod paper;
mod prepare;
mod requests;
mod revocation;
mod section_2;
mod section_4;
pub mod section_6;
mod sheets;
mod whole;

use clap::Args;
use serde_json::Value;

use trunkline_labkit::chapter::{Chapter, Measure, measure_chapters};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::opening::{Ground, Opening};
use trunkline_labkit::options::{Choice, LabAgentOptions, TableOptions, numbers};
use trunkline_labkit::report::Heading;
use trunkline_labkit::stage::{Role, StageOptions};
use trunkline_labkit::subject::Files;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "emanics2006",
    about: "What NETCONF costs, inside the agent and for its manager, and what delegation saves, after the EMANICS deliverable D7.1 (2006)",
    examples: &[
        "--quick",
        "table-3.2 table-3.3",
        "figure-3.3 --permissions 1,10,100,1000",
        "table-6.1 figure-6.5 --groups 70,700 --repeat 1200",
        "section-2 --period 60",
    ],
    heading: Heading {
        title: "NETCONF, 2006 and today",
        after: "After the EMANICS deliverable D7.1, Benchmarking (2006), sections 2 to 6.",
    },
    tables: &[
        "section-2",
        "section-3.2",
        "figure-3.2",
        "schema",
        "table-3.2",
        "section-3.3",
        "table-3.3",
        "section-3.5",
        "figure-3.3",
        "revocation",
        "section-5",
        section_4::BREAK_EVEN,
        "figure-6.1",
        "table-6.1",
        "figure-6.2",
        "figure-6.3",
        "figure-6.4",
        "figure-6.5",
        "figure-6.6",
        "figure-6.7",
        "table-6.2",
        "group-delay",
        "notification",
        "saturation",
    ],
    annexes: &section_4::TABLES,
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
    /// How many permissions a role has (figure-3.3)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    permissions: Vec<u32>,
    /// The sizes of groups of agents, up to 100,000 over UDP and 2,000 in sessions (table-6.1, table-6.2, figure-6.2 to figure-6.6, group-delay, notification, saturation)
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    groups: Vec<u32>,
    /// How often each agent is asked, which is also the tolerable delay (section 6) [default: 1000]
    #[arg(long, value_name = "MS", allow_negative_numbers = true)]
    interval: Option<u32>,
    /// How many devices the networks PIONIER, POZMAN and LAN have (section-2) [default: 40,68,27]
    #[arg(long, value_name = "N,N,N", allow_negative_numbers = true)]
    nodes: Option<section_2::Nodes>,
    /// How often each statistic is polled (section-2) [default: 8; figures are stated for 300, too]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    period: Option<u32>,
    /// How often mid-level managers read their members and delegated monitors sample (section-2) [default: a quarter of the period, at least 2]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    sampling: Option<u32>,
    #[command(flatten)]
    lab_agent: LabAgentOptions,
}

/// The agents as they ship: with a realistic configuration of BGP, and with a sample.
const REALISTIC: Role = Role::Netconf(0);
const SAMPLE: Role = Role::Netconf(1);
/// The agents with clocks: with a realistic configuration, and with the policies of figure 3.3.
const TIMED: Role = Role::NetconfTimed(0);
const GUARDED: Role = Role::NetconfTimed(1);
/// Agents with clocks that check requests: by their own schema, and by libxml2.
const VALIDATING: Role = Role::NetconfTimed(2);
const WITH_LIBXML: Role = Role::NetconfTimed(3);
/// The agent with clocks whose table of routes grows.
const GROWING: Role = Role::NetconfTimed(4);
/// The XML Schema of the base protocol, our own text after the RFCs.
const SCHEMA: Files = &[
    ("netconf.xsd", include_str!("../../netconf/tests/schema/netconf.xsd")),
    ("notification.xsd", include_str!("../../netconf/tests/schema/notification.xsd")),
    ("partial-lock.xsd", include_str!("../../netconf/tests/schema/partial-lock.xsd")),
    ("xml.xsd", include_str!("../../netconf/tests/schema/xml.xsd")),
];

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        choice.uses("permissions", !self.permissions.is_empty(), &["figure-3.3"])?;
        if choice.tables.iter().all(|table| section_6::PRINTED.iter().any(|it| table.ends_with(it))) {
            // From what is printed: there is nothing to measure.
            let place = "the deliverable: nothing was measured".into();
            return opening.measure(&choice, Ground { place, ..Ground::default() }, |_, _| Ok(()));
        }
        choice.uses("groups", !self.groups.is_empty(), &section_6::GROUPS)?;
        let of_section_6 = [&section_6::GROUPS[..], &["figure-6.1"]].concat();
        choice.uses("interval", self.interval.is_some(), &of_section_6)?;
        numbers("interval", self.interval.as_slice(), 1, 3_600_000)?;
        let of_section_2 = [self.nodes.is_some(), self.period.is_some(), self.sampling.is_some()];
        for (option, is_given) in ["nodes", "period", "sampling"].into_iter().zip(of_section_2) {
            choice.uses(option, is_given, &["section-2"])?;
        }
        numbers("period", self.period.as_slice(), 1, 3600)?;
        // A reading that is rarer than a round would say nothing of it.
        let most = self.period.unwrap_or(section_2::PERIOD).max(section_2::LEAST_SAMPLING);
        numbers("sampling", self.sampling.as_slice(), 1, most)?;
        choice.uses("trunklined-lab", self.lab_agent.trunklined_lab.is_some(), &INSIDE)?;
        let options = Options {
            permissions: numbers("permissions", &self.permissions, 1, 1000)?,
            groups: numbers("groups", &self.groups, 1, 100_000)?,
            ..self.clone()
        };
        let stage = options.stage(&choice, opening.stage_options());
        let chapters: [(&[&str], Measure<Options>); 16] = [
            (&["section-2"], section_2::measure),
            (&["section-3.2"], answers::rates),
            (&["figure-3.2"], inside::figure_3_2),
            (&["schema"], inside::schema),
            (&["table-3.2"], answers::response_times),
            (&["section-3.3"], packing::measure),
            (&["table-3.3"], inside::table_3_3),
            (&["section-3.5"], answers::series),
            (&["figure-3.3"], inside::figure_3_3),
            (&["revocation"], revocation::measure),
            (&["figure-6.1"], section_6::one_agent),
            (section_6::OF_GROUPS, section_6::groups),
            (&["group-delay"], section_6::bounded),
            (&["notification"], section_6::notifications),
            (&["saturation"], section_6::saturation),
            // It changes the routes.
            (&["section-5"], whole::measure),
        ];
        opening.on_stage(&choice, &stage, Value::Null, |stage, runtime, ledger| {
            prepare::configure(stage, runtime, ledger)?;
            measure_chapters("emanics2006", &chapters, &options, &choice, stage, runtime, ledger)?;
            section_4::measure(&choice, stage, runtime, ledger)
        })
    }
}

impl Options {
    fn stage(&self, choice: &Choice, usual: StageOptions) -> StageOptions {
        let asks = |tables: &[&str]| tables.iter().any(|table| choice.has(table));
        let (mut roles, mut users) = (Vec::new(), Vec::new());
        let mut more =
            vec![(REALISTIC, content::policy()), (SAMPLE, content::policy()), (TIMED, content::policy())];
        let of_section_6 = asks(&section_6::GROUPS) || asks(&["figure-6.1"]);
        if of_section_6 || asks(&["section-3.2", "table-3.2", "section-3.5"]) {
            roles.push(REALISTIC);
        }
        if of_section_6 {
            roles.push(Role::Shipped);
        }
        if asks(&["table-3.2"]) {
            roles.push(SAMPLE);
        }
        if asks(&["figure-3.2", "schema", "table-3.3"]) {
            roles.push(TIMED);
        }
        if asks(&["section-5"]) {
            roles.push(GROWING);
            more.push((GROWING, whole::SERVICE.to_owned()));
        }
        if asks(&["schema"]) {
            roles.extend([VALIDATING, WITH_LIBXML]);
            // The configuration ends in the table of NETCONF's programs: its own keys come before.
            more.push((VALIDATING, "validate-messages = true\n".to_owned() + &content::policy()));
            more.push((WITH_LIBXML, content::policy()));
        }
        if asks(&["figure-3.3"]) {
            roles.push(GUARDED);
            let counts = self.permissions(choice);
            more.push((GUARDED, content::hierarchies(&counts, &DEPTHS)));
            users = inside::subjects(&counts).map(|(count, depth)| content::subject(count, depth)).collect();
        }
        let trunklined_lab = self.lab_agent.trunklined_lab.clone();
        let largest = self.groups.iter().copied().max().unwrap_or(0).min(section_6::MOST_SESSIONS);
        let sessions = (largest + 100).max(SESSIONS);
        section_4::stage(
            choice,
            StageOptions {
                rows: ROWS,
                roles,
                more,
                schemas: vec![(WITH_LIBXML, SCHEMA)],
                brief: vec![GROWING],
                users,
                trunklined_lab,
                sessions: if of_section_6 { sessions } else { usual.sessions },
                ..usual
            },
        )
    }

    fn permissions(&self, choice: &Choice) -> Vec<u32> {
        choice.sizes(&self.permissions, &PERMISSIONS, &QUICK_PERMISSIONS)
    }
}

/// Records a condition of a chapter's figures.
fn condition(chapter: &mut Chapter<'_, Options>, text: impl Into<String>) -> Result<(), Error> {
    let (table, text) = (chapter.table.clone(), text.into());
    chapter.ledger.doubt(Doubt::Condition { table, text })
}

/// Records that something could not be measured.
fn missing(
    chapter: &mut Chapter<'_, Options>,
    what: &str,
    reason: impl std::fmt::Display,
) -> Result<(), Error> {
    // Who ends a run ends its agents: then nothing of theirs is the reason.
    if chapter.ledger.is_interrupted() {
        return Ok(());
    }
    let (table, what, reason) = (chapter.table.clone(), what.to_owned(), reason.to_string());
    chapter.ledger.doubt(Doubt::LeftOut { table, what, reason })
}

/// What is measured within the laboratory's agent.
const INSIDE: [&str; 5] = ["figure-3.2", "schema", "table-3.3", "figure-3.3", "section-5"];
/// Sessions that agents hold for groups of section 6, and some more.
const SESSIONS: u32 = 800;
/// Interfaces of the agents' place: a small router.
const ROWS: u32 = 12;
/// Static routes.
const ROUTES: u32 = 100;
/// Permissions of figure 3.3, and levels of the hierarchy.
const PERMISSIONS: [u32; 9] = [1, 2, 5, 10, 20, 50, 100, 200, 500];
const QUICK_PERMISSIONS: [u32; 4] = [1, 10, 100, 500];
const DEPTHS: [u32; 3] = [1, 3, 6];
