//! The question that an engineer has: which protocol, transport and security level for so many devices behind such a link?
//!
//! Measured, for every protocol that the agent speaks, with one agent on the emulated link: a round (the first n instances
//! of ifTable in one request), in a session opened for it and closed behind it (cold), and in a session that is kept. Its
//! octets and packets in each direction, its time, the CPU time of manager and agent; and the memory of a session that
//! is open. Computed from these by arithmetic alone: what so many devices make of it in a day, on one link together.

mod sheets;

use tokio::runtime::Runtime;
use trunkline_smi::Oid;
use trunkline_smi::module::if_mib::IF_TABLE;

use crate::experiments::Experiment;
use crate::kit::conversation::Script;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::open_sessions;
use crate::kit::place::link::LinkSpec;
use crate::kit::protocol::{Protocol, SnmpVersion};
use crate::kit::report::Heading;
use crate::kit::schedule::{Job, Ledger, perform};
use crate::kit::stage::{Stage, StageOptions, Stand};
use crate::options::Choice;

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "compare",
    heading: Heading {
        title: "Which protocol for these devices on this link",
        after: "Every protocol, transport and security level that the agent speaks, measured on the emulated link.",
    },
    tables: &["ranks", "measured", "computed"],
    stage,
    measure,
    findings: sheets::findings,
};

/// The table that sessions over the link are samples of.
pub(super) const MEASURED: &str = "compare/measured";
/// A session with one round in it.
pub(super) const COLD: &str = "cold";
/// A session with several rounds: what it takes more is the rounds of a session that is kept.
pub(super) const KEPT: &str = "kept";
/// The same over the agent's loopback, for CPU time.
pub(super) const COLD_BESIDE: &str = "cold, loopback";
/// See [`COLD_BESIDE`].
pub(super) const KEPT_BESIDE: &str = "kept, loopback";

fn stage(choice: &Choice, options: StageOptions) -> StageOptions {
    let objects = choice.compare.as_ref().map_or(1, |compare| compare.objects);
    let rows = crate::kit::place::rows_for(objects).max(2);
    let roles = options.roles.iter().copied().chain(open_sessions::roles()).collect();
    StageOptions { rows, roles, sessions: SESSIONS.last().copied().unwrap_or(0) + 100, ..options }
}

fn measure(choice: &Choice, stage: &Stage, runtime: &Runtime, ledger: &mut Ledger) -> Result<(), Error> {
    let Some(compare) = &choice.compare else { return Ok(()) };
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
    perform(stage, runtime, &jobs, rounds, None, ledger)?;
    // CPU time does not ask how long the link is: it is taken where sessions are many.
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

/// Sessions of so many rounds, over the link.
fn job(what: &str, protocol: Protocol, objects: u32, rounds: u32, link: LinkSpec) -> Job {
    let root = Oid::EMPTY.child(IF_TABLE.oid);
    let script = match protocol.version {
        // SNMPv1 has no GetBulk: a GetNext for every column, row after row.
        SnmpVersion::V1 => Script::Columns { root, objects, rounds },
        _ => Script::Bulk { root, objects, rounds },
    };
    let mut job = Job::new(MEASURED, what, protocol, script).over(link);
    job.case.messages = rounds;
    // Each exchange is kept: the later ones are those of a session that is there.
    Job { each: true, ..job }
}

/// Rounds in a session that is kept, beside its first.
const KEPT_ROUNDS: u32 = 4;
const QUICK_KEPT_ROUNDS: u32 = 2;
const ROUNDS: u32 = 5;
const QUICK_ROUNDS: u32 = 1;
const BESIDE_ROUNDS: u32 = 20;
const CPU_SESSIONS: u32 = 50;
const QUICK_CPU_SESSIONS: u32 = 5;
/// Sessions that are open while memory is read.
const SESSIONS: [u32; 3] = [0, 50, 100];
