//! An engineer's question: which protocol, transport and security level for a number of devices behind a given
//! link?
//!
//! Measured, for every protocol of the agent, plain and with each compression that it has, with one agent on the
//! emulated link: a round (the first n instances of ifTable, or columns of its rows), in a session opened and closed
//! for it (cold), and in a session that is kept. Recorded are its octets and packets in each direction, its time, the
//! CPU time of manager and agent; and the memory of an open session. Computed from these by arithmetic alone: what
//! all devices take on one link, and what changes with the link.

mod advice;
mod answer;
mod drawing;
mod duration;
mod fleet;
mod measure;
mod plan;
mod sheets;
mod subject;
#[cfg(test)]
mod together;
mod way;

use clap::Args;

use trunkline_labkit::error::Error;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::open_sessions;
use trunkline_labkit::opening::{Ground, Opening};
use trunkline_labkit::options::{Choice, numbers};
use trunkline_labkit::place::link::{LinkSpec, Share};
use trunkline_labkit::protocol::Level;
use trunkline_labkit::report::Heading;
use trunkline_labkit::stage::Role;
use trunkline_labkit::subject::RemoteOptions;

use fleet::{Fleet, columns, seconds, share};
use subject::Subject;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "compare",
    about: "Which protocol, transport and security level for a given number of devices behind a given link",
    examples: &[
        "--link 64k,200ms,0.5% --devices 500 --objects 66 --every 60s",
        "--link 64k,600ms,1% --columns ifInOctets,ifOutOctets,ifOperStatus --rows 24 --every 5m --timeout 3s",
        "--link 10M,20ms --security authPriv --max-share 20% --quick --json",
        "--subject snmp+tls://router --link 2M,40ms --devices 200 --every 30s",
    ],
    heading: Heading {
        title: "Which protocol for these devices on this link",
        after: "The protocols, transports, security levels and compressions that the measured agents support, and what they allow for these devices.",
    },
    tables: &["plan", "sensitivity", "measured", "computed"],
    annexes: &[],
    needs_link: true,
    define: Options::augment_args,
    read: read::<Options>,
    findings: sheets::findings,
};

/// Its options.
#[derive(Debug, Clone, Args)]
pub struct Options {
    /// The link: RATE,ROUND-TRIP,LOSS, then `key=value` settings (jitter, reorder, queue, seed)
    #[arg(long, value_name = "SPEC", default_value = "64k,200ms,0.5%")]
    link: LinkSpec,
    /// How many devices
    #[arg(long, value_name = "N", default_value_t = 500)]
    devices: u32,
    /// How many ifTable objects to fetch from each device in a round
    #[arg(long, value_name = "N", default_value_t = 66, conflicts_with = "columns")]
    objects: u32,
    /// Instead: which columns of ifTable to fetch, by name or number
    #[arg(long, value_name = "COLUMN,COLUMN", value_delimiter = ',', value_parser = columns)]
    columns: Vec<u32>,
    /// How many rows of these columns [default: 3]
    #[arg(long, value_name = "N", requires = "columns")]
    rows: Option<u32>,
    /// The interval between rounds: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = seconds)]
    every: f64,
    /// The least security of messages: noAuthNoPriv, authNoPriv or authPriv
    #[arg(long, value_name = "LEVEL", default_value = "noAuthNoPriv")]
    security: Level,
    /// How much of the link polling may use
    #[arg(long, value_name = "PERCENT", default_value = "50%", value_parser = share)]
    max_share: f64,
    /// Leave compressed messages out: no other agent speaks SNMP's compressions, and few compress over HTTP
    #[arg(long)]
    uncompressed: bool,
    /// How long the manager waits for an answer before it sends a request again: 1s, 500ms
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = seconds)]
    timeout: f64,
    /// How many times the manager sends a request again
    #[arg(long, value_name = "N", default_value_t = 5)]
    retries: u32,
    /// Measure this agent instead, over the real network: any URL and credentials that `trunkline get` takes, but DTLS (may
    /// be repeated); --link then describes the link for the arithmetic
    #[arg(long, value_name = "URL", conflicts_with = "trunklined")]
    subject: Vec<String>,
    /// As whom the agents of --subject are asked.
    #[command(flatten)]
    remote: RemoteOptions,
}

/// The table that the samples of sessions over the link belong to.
const MEASURED: &str = "compare/measured";

impl Options {
    /// What a round fetches.
    fn fetch(&self) -> Fetch {
        match &self.columns[..] {
            [] => Fetch::First(self.objects),
            columns => Fetch::Columns { columns: columns.to_vec(), rows: self.rows.unwrap_or(ROWS) },
        }
    }
}

impl Options {
    /// Agents that are already running.
    fn measure_subjects(
        &self,
        choice: &Choice,
        fleet: &Fleet,
        subjects: &[Subject],
        opening: Opening<'_>,
    ) -> Result<(), Error> {
        // Losses on the real network are not counted, and those of the link described are not known to the arithmetic.
        let link = LinkSpec { loss: Share::NONE, ..self.link };
        let fleet = Fleet { loss: 0.0, link: link.to_string(), ..fleet.clone() };
        let ground = Ground {
            place: "this host's network, and agents that were already running".into(),
            setting: serde_json::to_value(fleet).unwrap_or_default(),
            ..Ground::default()
        };
        let (fetch, rounds) = (self.fetch(), choice.rounds(SUBJECT_ROUNDS, QUICK_SUBJECT_ROUNDS));
        opening.measure(choice, ground, |runtime, ledger| {
            subject::measure(subjects, (&fetch, measure::patience(self)), rounds, runtime, ledger)
        })
    }
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.everything()?;
        numbers("devices", &[self.devices], 1, 10_000_000)?;
        numbers("objects", &[self.objects], 1, 2000)?;
        numbers("rows", &[self.rows.unwrap_or(ROWS)], 1, 200)?;
        numbers("retries", &[self.retries], 0, 20)?;
        let fleet = Fleet::of(self);
        if fleet.loss >= 1.0 {
            let (expected, found) = ("a link that loses less than 100%", self.link.to_string());
            return Err(Error::Option { option: "link", expected, found });
        }
        if fleet.patience() <= fleet.round_trip {
            let expected = "longer than the link's round trip: no answer would come in time";
            let found = format!("{} s, {} times, over {}", fleet.timeout, fleet.retries + 1, self.link);
            return Err(Error::Option { option: "timeout", expected, found });
        }
        let subjects = subject::subjects(self.remote.agents("subject", &self.subject)?, self.uncompressed)?;
        if !subjects.is_empty() {
            return self.measure_subjects(&choice, &fleet, &subjects, opening);
        }
        let mut stage = opening.stage_options();
        stage.rows = self.fetch().rows().max(LEAST_ROWS);
        stage.sessions = measure::SESSIONS.last().copied().unwrap_or(0) + 100;
        stage.roles.push(Role::Netconf(0));
        let on_link = stage.clone();
        stage.roles.extend(open_sessions::roles());
        stage.roles.extend(open_sessions::roles_of_netconf(measure::of_netconf(self.uncompressed)));
        let expected =
            duration::expected(&fleet, &measure::Effort::of(&choice, self.link, self.uncompressed));
        // If nobody reads it, the measurement goes on.
        let _ = writeln!(opening.words, "{expected}");
        // Plain numbers and text, which JSON can always represent.
        let setting = serde_json::to_value(&fleet).unwrap_or_default();
        opening.on_stage(&choice, &stage, setting, |stage, runtime, ledger| {
            measure::measure(self, &choice, (stage, &on_link), runtime, ledger)
        })
    }
}

/// Rounds with an agent of --subject.
const SUBJECT_ROUNDS: u32 = 50;
const QUICK_SUBJECT_ROUNDS: u32 = 10;
/// Rows of named columns, unless there is another number.
const ROWS: u32 = 3;
/// The loopback and the link: every agent has them.
const LEAST_ROWS: u32 = 2;
