//! What is measured: sessions over the link, several links at a time; the same without delay with twice the objects;
//! CPU time over the loopback; memory of open sessions.

use std::time::Duration;

use tokio::runtime::Runtime;
use trunkline_client::SessionOptions;

use trunkline_labkit::conversation::{Script, Wait};
use trunkline_labkit::doubt::Doubt;
use trunkline_labkit::error::Error;
use trunkline_labkit::estimate::LEAST_REPETITIONS;
use trunkline_labkit::fetch::Fetch;
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::open_sessions;
use trunkline_labkit::options::Choice;
use trunkline_labkit::packing::Packing;
use trunkline_labkit::place::link::{LinkSpec, Share};
use trunkline_labkit::protocol::{Protocol, SnmpVersion};
use trunkline_labkit::rota::Bounds;
use trunkline_labkit::schedule::{Job, ManagerEnd, perform};
use trunkline_labkit::side_by_side::perform_side_by_side;
use trunkline_labkit::stage::{Stage, StageOptions, Stand};
use trunkline_labkit::transport::Transport;

use super::{MEASURED, Options};

/// A session with one round.
pub(super) const COLD: &str = "cold";
/// A session with several rounds, with a quiet link between them: each after the first is a round of a kept session.
pub(super) const KEPT: &str = "kept";
/// The same over the agent's loopback, for CPU time.
pub(super) const COLD_BESIDE: &str = "cold, loopback";
/// See [`COLD_BESIDE`].
pub(super) const KEPT_BESIDE: &str = "kept, loopback";
/// The same with twice the objects, over a link without delay, rate and loss, for its octets.
pub(super) const COLD_TWICE: &str = "cold, twice the objects";
/// See [`COLD_TWICE`].
pub(super) const KEPT_TWICE: &str = "kept, twice the objects";

/// The same over a link that loses nothing, if the one asked for does: the octets without what losses add.
pub(super) const COLD_WITHOUT: &str = "cold, without loss";
/// See [`COLD_WITHOUT`].
pub(super) const KEPT_WITHOUT: &str = "kept, without loss";

/// Every protocol with each of its compressions.
pub(super) fn kinds() -> impl Iterator<Item = (Protocol, Packing)> {
    let with = |protocol| Packing::of(protocol).into_iter().map(move |packing| (protocol, packing));
    let netconf = [Transport::Tcp, Transport::Ssh, Transport::Tls].map(Protocol::netconf);
    Protocol::all().into_iter().chain(netconf).chain([Protocol::PROTECTED_NETCONF]).flat_map(with)
}

/// What a run measures of them.
pub(super) fn measured(uncompressed: bool) -> impl Iterator<Item = (Protocol, Packing)> {
    kinds().filter(move |(_, packing)| !uncompressed || *packing == Packing::None)
}

/// The kinds of sessions of NETCONF, whose memory is each its own.
pub(super) fn of_netconf(uncompressed: bool) -> impl Iterator<Item = (Protocol, Packing)> {
    measured(uncompressed).filter(|(protocol, _)| protocol.version == SnmpVersion::Netconf)
}

/// The name of a case in the samples: `cold zlib`.
pub(super) fn case(what: &str, packing: Packing) -> String {
    format!("{what}{packing}")
}

/// How much is measured.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effort {
    /// Links at a time.
    pub stages: usize,
    /// Rounds over the link, and the time for them.
    pub bounds: Bounds,
    /// Rounds of a kept session after its first.
    pub kept: u32,
    /// Sessions of each kind over the loopback.
    pub beside: u32,
    /// Whether compressions are left out.
    pub uncompressed: bool,
}

impl Effort {
    pub(super) fn of(choice: &Choice, link: LinkSpec, uncompressed: bool) -> Effort {
        let is_quick = choice.common.quick;
        let (budget, longer) =
            if is_quick { (QUICK_BUDGET, QUICK_LOSSES_WITHIN) } else { (BUDGET, LOSSES_WITHIN) };
        // Over a link without delay sessions need the processors all the time.
        let stages = link.round_trip().as_micros() / STAGE_FOR.as_micros();
        Effort {
            stages: usize::try_from(stages).unwrap_or(MOST_STAGES).clamp(1, MOST_STAGES),
            bounds: Bounds { rounds: choice.rounds(ROUNDS, QUICK_ROUNDS), budget: Some(budget), longer },
            kept: if is_quick { QUICK_KEPT_ROUNDS } else { KEPT_ROUNDS },
            beside: choice.rounds(CPU_SESSIONS, QUICK_CPU_SESSIONS),
            uncompressed,
        }
    }
}

pub(super) fn measure(
    options: &Options,
    choice: &Choice,
    (stage, on_link): (&Stage, &StageOptions),
    runtime: &Runtime,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    if stage.link().is_none() {
        let how = "there is no emulated link: nothing can be compared on it".into();
        return ledger.doubt(Doubt::Shortened { table: MEASURED.into(), how });
    }
    let effort = Effort::of(choice, options.link, options.uncompressed);
    ledger.progress.set_message("rounds on the link");
    let mut jobs = jobs(options, [(COLD, 1), (KEPT, 1 + effort.kept)], &options.fetch(), options.link);
    if options.link.loss != Share::NONE {
        let kinds = [(COLD_WITHOUT, 1), (KEPT_WITHOUT, 1 + effort.kept)];
        let lossless = LinkSpec { loss: Share::NONE, ..options.link };
        let once = |job: Job| job.in_rounds(1);
        jobs.extend(self::jobs(options, kinds, &options.fetch(), lossless).into_iter().map(once));
    }
    let place = |rows| StageOptions { rows, ..on_link.clone() };
    let ground = (stage.keyring(), &place(on_link.rows));
    perform_side_by_side(effort.stages, ground, runtime, &jobs, effort.bounds, ledger)?;
    ledger.progress.set_message("twice the objects");
    let twice = options.fetch().doubled();
    let jobs = self::jobs(options, [(COLD_TWICE, 1), (KEPT_TWICE, 2)], &twice, LinkSpec::default());
    let ground = (stage.keyring(), &place(twice.rows().max(on_link.rows)));
    let once = Bounds { rounds: 1, budget: None, longer: Duration::ZERO };
    perform_side_by_side(1, ground, runtime, &jobs, once, ledger)?;
    // CPU time does not depend on the link: it is measured where sessions are fast.
    ledger.progress.set_message("CPU time");
    let kinds = [(COLD_BESIDE, 1), (KEPT_BESIDE, 1 + BESIDE_ROUNDS)];
    let jobs = self::jobs(options, kinds, &options.fetch(), LinkSpec::default());
    let beside = |job| Job { stand: Stand::Beside, wait: Wait::Asleep, ..job };
    let jobs: Vec<Job> = jobs.into_iter().map(beside).collect();
    perform(stage, runtime, &jobs, effort.beside, Some(CPU_BUDGET), ledger)?;
    ledger.progress.set_message("open sessions");
    memory(options, stage, runtime, ledger)
}

/// A job for each way and each of these kinds of session with its number of rounds.
fn jobs(options: &Options, kinds: [(&str, u32); 2], fetch: &Fetch, link: LinkSpec) -> Vec<Job> {
    let session = patience(options);
    let mut jobs = Vec::new();
    for (protocol, packing) in measured(options.uncompressed) {
        // Without a session every round is like the later ones of a kept session, which are more.
        let has_kind = |what| protocol.has_session() || ![COLD, COLD_WITHOUT, COLD_TWICE].contains(&what);
        for (what, rounds) in kinds.into_iter().filter(|(what, _)| has_kind(*what)) {
            let script = Script::Fetch { fetch: fetch.clone(), rounds };
            let job = Job::new(MEASURED, &case(what, packing), protocol, script).over(link);
            let manager = ManagerEnd { packing, ..ManagerEnd::default() };
            // Each exchange is recorded, and in a session of several rounds what each puts on the link.
            jobs.push(Job { each: true, apart: rounds > 1, manager, options: session, ..job });
        }
    }
    jobs
}

/// The manager's timers.
pub(super) fn patience(options: &Options) -> SessionOptions {
    SessionOptions::default()
        .with_timeout(Duration::from_secs_f64(options.timeout))
        .with_retries(options.retries)
}

/// The memory of open sessions: of SNMP and SOAP for each transport once, whose sessions are its connections; of NETCONF for each kind.
fn memory(options: &Options, stage: &Stage, runtime: &Runtime, ledger: &mut Ledger) -> Result<(), Error> {
    for transport in open_sessions::WITH_SESSIONS {
        let serves = |it: &Protocol| {
            let is_first = match it.is_in_session() {
                true => it.version == SnmpVersion::V3,
                false => *it == Protocol::v2c(transport),
            };
            it.transport == transport && is_first
        };
        if let Some(protocol) = Protocol::all().into_iter().find(serves)
            && !ledger.is_interrupted()
        {
            open_sessions::measure(MEASURED, (protocol, Packing::None), &SESSIONS, stage, runtime, ledger)?;
        }
    }
    for kind in of_netconf(options.uncompressed) {
        if !ledger.is_interrupted() {
            open_sessions::measure(MEASURED, kind, &SESSIONS, stage, runtime, ledger)?;
        }
    }
    Ok(())
}

/// Numbers of open sessions at which memory is read.
pub(super) const SESSIONS: [u32; 4] = [0, 25, 50, 100];
/// Rounds in a kept session, after its first.
const KEPT_ROUNDS: u32 = LEAST_REPETITIONS as u32;
const QUICK_KEPT_ROUNDS: u32 = LEAST_REPETITIONS as u32;
const BESIDE_ROUNDS: u32 = 20;
/// As many as an interval needs; a slow link has time for fewer in a quick run.
const ROUNDS: u32 = 10;
const QUICK_ROUNDS: u32 = 6;
const BUDGET: Duration = Duration::from_secs(240);
const QUICK_BUDGET: Duration = Duration::from_secs(24);
const CPU_SESSIONS: u32 = 50;
const QUICK_CPU_SESSIONS: u32 = 6;
const CPU_BUDGET: Duration = Duration::from_secs(60);
/// A link and an agent for so much of the delay, and how many at most.
const STAGE_FOR: Duration = Duration::from_millis(6);
const MOST_STAGES: usize = 32;
/// How much longer sessions are repeated on a lossy link, until enough packets were lost.
const LOSSES_WITHIN: Duration = Duration::from_secs(300);
const QUICK_LOSSES_WITHIN: Duration = Duration::from_secs(8);
