//! An engineer's question: which protocol, transport and security level for a number of devices behind a given
//! link?
//!
//! Measured, for every protocol of the agent, with one agent on the emulated link: a round (the first n instances
//! of ifTable in one request), in a session opened and closed for it (cold), and in a session that is kept.
//! Recorded are its octets and packets in each direction, its time, the CPU time of manager and agent; and the
//! memory of an open session. Computed from these by arithmetic alone: the traffic of all devices per day, sharing
//! one link.

mod answer;
mod sheets;

use std::time::Duration;

use clap::Args;
use serde::{Deserialize, Serialize};
use tokio::runtime::Runtime;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use crate::kit::conversation::Script;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::experiment::{Experiment, Plan, read};
use crate::kit::ledger::Ledger;
use crate::kit::open_sessions;
use crate::kit::opening::Opening;
use crate::kit::options::{Choice, numbers};
use crate::kit::place::link::{LinkSpec, Rate};
use crate::kit::protocol::{Level, Protocol, SnmpVersion};
use crate::kit::report::Heading;
use crate::kit::schedule::{Job, perform, perform_until_lost};
use crate::kit::stage::{Stage, Stand};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "compare",
    about: "Which protocol, transport and security level for so many devices behind such a link",
    examples: &[
        "--link 64k,200ms,0.5% --devices 500 --objects 66 --every 60s",
        "--link 10M,20ms --security authPriv --max-share 20% --quick --json",
    ],
    heading: Heading {
        title: "Which protocol for these devices on this link",
        after: "Every protocol, transport and security level that the agent speaks, measured on the emulated link.",
    },
    tables: &["plan", "measured", "computed"],
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
    #[arg(long, value_name = "N", default_value_t = 66)]
    objects: u32,
    /// The interval between rounds: 30s, 5m, 1h
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = seconds)]
    every: f64,
    /// The least security of messages: noAuthNoPriv, authNoPriv or authPriv
    #[arg(long, value_name = "LEVEL", default_value = "noAuthNoPriv")]
    security: Level,
    /// How much of the link polling may use
    #[arg(long, value_name = "PERCENT", default_value = "50%", value_parser = share)]
    max_share: f64,
}

/// The link and the devices of a comparison, as the analysis needs them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Fleet {
    /// The link as given.
    pub link: String,
    /// Its rate in one direction, bits per second; `None` for unlimited.
    pub rate: Option<f64>,
    /// The share of packets that it loses.
    #[serde(default)]
    pub loss: f64,
    /// How many devices.
    pub devices: u32,
    /// Objects per round and device.
    pub objects: u32,
    /// Seconds between rounds.
    pub every: f64,
    /// The least security of messages.
    #[serde(default)]
    pub security: Level,
    /// How much of the link polling may use.
    #[serde(default = "half")]
    pub max_share: f64,
}

/// The table that the samples of sessions over the link belong to.
pub(super) const MEASURED: &str = "compare/measured";
/// A session with one round.
pub(super) const COLD: &str = "cold";
/// A session with several rounds: the excess over a cold one is the cost of rounds in a kept session.
pub(super) const KEPT: &str = "kept";
/// The same over the agent's loopback, for CPU time.
pub(super) const COLD_BESIDE: &str = "cold, loopback";
/// See [`COLD_BESIDE`].
pub(super) const KEPT_BESIDE: &str = "kept, loopback";

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.everything()?;
        numbers("devices", &[self.devices], 1, 10_000_000)?;
        numbers("objects", &[self.objects], 1, 2000)?;
        let mut stage = opening.stage_options();
        stage.rows = crate::kit::place::rows_for(self.objects).max(2);
        stage.roles.extend(open_sessions::roles());
        stage.sessions = SESSIONS.last().copied().unwrap_or(0) + 100;
        // Plain numbers and text, which JSON can always represent.
        let setting = serde_json::to_value(Fleet::of(self)).unwrap_or_default();
        opening.on_stage(&choice, &stage, setting, |stage, runtime, ledger| {
            measure(self, &choice, stage, runtime, ledger)
        })
    }
}

impl Fleet {
    /// From the options.
    fn of(options: &Options) -> Fleet {
        let rate = match options.link.rate {
            Rate::Unlimited => None,
            Rate::Bits(rate) => Some(rate.get() as f64),
        };
        let Options { link, devices, objects, every, security, max_share } = options;
        let loss = link.loss.as_f64();
        Fleet {
            link: link.to_string(),
            rate,
            loss,
            devices: *devices,
            objects: *objects,
            every: *every,
            security: *security,
            max_share: *max_share,
        }
    }
}

fn measure(
    compare: &Options,
    choice: &Choice,
    stage: &Stage,
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    if stage.link().is_none() {
        let how = "there is no emulated link: nothing can be compared on it".into();
        return ledger.doubt(Doubt::Shortened { table: MEASURED.into(), how });
    }
    let rounds = choice.rounds(ROUNDS, QUICK_ROUNDS);
    let kept = if choice.common.quick { QUICK_KEPT_ROUNDS } else { KEPT_ROUNDS };
    let mut jobs = Vec::new();
    for protocol in Protocol::all() {
        jobs.push(job(COLD, protocol, compare.objects, 1, compare.link));
        jobs.push(job(KEPT, protocol, compare.objects, 1 + kept, compare.link));
    }
    ledger.progress.set_message("rounds on the link");
    let longer = if choice.common.quick { QUICK_LOSSES_WITHIN } else { LOSSES_WITHIN };
    perform_until_lost(stage, runtime, &jobs, rounds, None, longer, ledger)?;
    // CPU time does not depend on the link: it is measured where sessions are fast.
    let mut jobs = Vec::new();
    for protocol in Protocol::all() {
        for (what, rounds) in [(COLD_BESIDE, 1), (KEPT_BESIDE, 1 + BESIDE_ROUNDS)] {
            let on_link = job(what, protocol, compare.objects, rounds, LinkSpec::default());
            jobs.push(Job { stand: Stand::Beside, ..on_link });
        }
    }
    ledger.progress.set_message("CPU time");
    perform(stage, runtime, &jobs, choice.rounds(CPU_SESSIONS, QUICK_CPU_SESSIONS), None, ledger)?;
    ledger.progress.set_message("open sessions");
    for transport in open_sessions::WITH_SESSIONS {
        for protocol in Protocol::all() {
            let is_first = protocol.transport == transport
                && (protocol.version == SnmpVersion::V3 && protocol.is_in_session()
                    || !protocol.is_in_session() && protocol == Protocol::v2c(transport));
            if is_first && !ledger.is_interrupted() {
                open_sessions::measure(MEASURED, protocol, &SESSIONS, stage, runtime, ledger)?;
            }
        }
    }
    Ok(())
}

/// Sessions of this many rounds, over the link.
fn job(what: &str, protocol: Protocol, objects: u32, rounds: u32, link: LinkSpec) -> Job {
    let root = Oid::EMPTY.child(IF_TABLE.oid);
    let script = match protocol.version {
        // SNMPv1 has no GetBulk: a GetNext for every column, row by row.
        SnmpVersion::V1 => Script::Columns { root, objects, rounds },
        _ => Script::Bulk { root, objects, rounds },
    };
    let mut job = Job::new(MEASURED, what, protocol, script).over(link);
    job.case.messages = rounds;
    // Each exchange is recorded: the later ones are those of a kept session.
    Job { each: true, ..job }
}

/// `30s`, `5m`, `1h`, `500ms` or a number of seconds.
fn seconds(text: &str) -> Result<f64, String> {
    let wrong = || format!("expected a time such as 30s, 5m or 1h, found {text}");
    let split = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let (number, unit) = text.split_at(split);
    let factor = match unit {
        "ms" => 0.001,
        "s" | "" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    let seconds = number * factor;
    if (0.001..=31_536_000.0).contains(&seconds) { Ok(seconds) } else { Err(wrong()) }
}

/// `50%` or `50`, as a share of 1.
fn share(text: &str) -> Result<f64, String> {
    let percent: Option<f64> = text.strip_suffix('%').unwrap_or(text).trim().parse().ok();
    percent
        .filter(|it| (0.1..=100.0).contains(it))
        .map(|it| it / 100.0)
        .ok_or_else(|| format!("expected a share of 0.1% to 100%, such as 50%, found {text}"))
}

/// What runs before the option had.
fn half() -> f64 {
    0.5
}

/// Rounds in a kept session, after its first.
const KEPT_ROUNDS: u32 = 4;
const QUICK_KEPT_ROUNDS: u32 = 2;
const ROUNDS: u32 = 5;
const QUICK_ROUNDS: u32 = 1;
const BESIDE_ROUNDS: u32 = 20;
const CPU_SESSIONS: u32 = 50;
const QUICK_CPU_SESSIONS: u32 = 5;
/// Numbers of open sessions at which memory is read.
const SESSIONS: [u32; 4] = [0, 25, 50, 100];
/// How much longer sessions are repeated on a lossy link, until enough packets were lost.
const LOSSES_WITHIN: Duration = Duration::from_secs(300);
const QUICK_LOSSES_WITHIN: Duration = Duration::from_secs(20);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_and_levels() {
        assert_eq!((share("50%"), share("7.5"), share("100 %")), (Ok(0.5), Ok(0.075), Ok(1.0)));
        for text in ["", "half", "0%", "101%", "-5%", "NaN"] {
            assert!(share(text).is_err(), "{text}");
        }
        assert_eq!("authpriv".parse(), Ok(Level::AuthPriv));
        let error = "secure".parse::<Level>().unwrap_err();
        assert_eq!(error, "expected noAuthNoPriv, authNoPriv or authPriv, found secure");
    }

    #[test]
    fn intervals() {
        assert_eq!((seconds("5m"), seconds("500ms"), seconds("7")), (Ok(300.0), Ok(0.5), Ok(7.0)));
        for text in ["soon", "0s", "1d", ""] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
