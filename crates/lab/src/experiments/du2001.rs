//! The experiments of Du, Shayman and Rozenblit (2001): the cost of TLS for an SNMP session, at set-up and per
//! message.
//!
//! Each session is timed from before opening to after closing. Sessions of one message get sysName, long ones walk
//! the system group in 34 messages, as in the paper; the sessions of table 2 get sysName up to 2000 times.
//! `tables` sets the measured figures beside the paper's.
//!
//! The paper's (a), TLS without MAC, and (c), encryption without MAC, exist in no current cipher suite; nor does
//! compression. (b) is `TLS_ECDHE_ECDSA_WITH_NULL_SHA`, (d) AES-GCM, both with TLS 1.2 and served by
//! `trunklined-lab`, so that d - b is the cost of privacy and not of another handshake or program. What the agent
//! ships, TLS 1.3, has rows of its own.

mod claims;
pub mod paper;
mod sheets;

use std::time::{Duration, Instant};

use clap::Args;
use serde_json::Value;
use trunkline_smi::Oid;
use trunkline_smi::module::snmpv2_mib;

use paper::{TABLE_2_MESSAGES, WALK_MESSAGES};
use trunkline_labkit::chapter::{Chapter, Measure, measure_chapters};
use trunkline_labkit::conversation::Script;
use trunkline_labkit::duration;
use trunkline_labkit::error::Error;
use trunkline_labkit::estimate::LEAST_REPETITIONS;
use trunkline_labkit::experiment::{Experiment, Plan, read};
use trunkline_labkit::ledger::Ledger;
use trunkline_labkit::opening::Opening;
use trunkline_labkit::options::{LabAgentOptions, TableOptions, numbers};
use trunkline_labkit::protocol::{Level, Mode, Protocol, SnmpVersion, Suite};
use trunkline_labkit::report::Heading;
use trunkline_labkit::schedule::{Job, perform_round};
use trunkline_labkit::stage::{Role, Secrets, StageOptions};
use trunkline_labkit::transport::{self, Transport};

/// The experiment.
pub const EXPERIMENT: Experiment = Experiment {
    name: "du2001",
    about: "What a session over TLS costs, compared with the tables of Du, Shayman and Rozenblit (2001)",
    examples: &["--quick", "table-2 table-6 --json"],
    heading: Heading {
        title: "SNMP over TLS, 2001 and today",
        after: "After Du, Shayman, Rozenblit, Implementation and Performance Analysis of SNMP on a TLS/TCP Base (2001).",
    },
    tables: &["table-1", "table-2", "table-3", "table-4", "table-5", "table-6"],
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
    /// The sizes of sessions of table-2, in messages
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    messages: Vec<u32>,
    /// Seconds from one session to the next in light traffic (table-3) [default: 300, with --quick 1]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    idle: Option<f64>,
    #[command(flatten)]
    lab_agent: LabAgentOptions,
}

const fn tls(version: SnmpVersion, mode: Mode) -> Protocol {
    Protocol::session(version, Transport::Tls, mode)
}

/// TLS with all protection: the paper's (d), SNMPv1 as there.
pub(super) const TLS_D: Protocol = tls(SnmpVersion::V1, Mode::Tls12);
/// TLS with integrity only: the paper's (b), and the nearest to its (a).
pub(super) const TLS_B: Protocol = tls(SnmpVersion::V1, Mode::IntegrityOnly);
/// TLS 1.3, as the agent ships.
pub(super) const TODAY: Protocol = tls(SnmpVersion::V1, Mode::Secure);
/// SNMPv3 in such sessions.
pub(super) const TLS_V3_D: Protocol = tls(SnmpVersion::V3, Mode::Tls12);
/// See [`TLS_V3_D`].
pub(super) const TLS_V3_B: Protocol = tls(SnmpVersion::V3, Mode::IntegrityOnly);
/// See [`TLS_V3_D`].
pub(super) const TODAY_V3: Protocol = tls(SnmpVersion::V3, Mode::Secure);
/// SNMPv1 over UDP, the baseline of all comparisons.
pub(super) const UDP: Protocol = Protocol::v1(Transport::Udp);

pub(super) const GET: &str = "get";
pub(super) const WALK: &str = "walk";
/// What a doubt says that was shortened, if table 3 was.
pub(super) const SILENCE: &str = "of silence between two sessions";
pub(super) const LIGHT_TRAFFIC: &str = "light";
pub(super) const HEAVY_TRAFFIC: &str = "heavy";
/// Keys derived from the password in each session.
pub(super) const fn hashed(what: &str) -> &'static str {
    if what.len() == GET.len() { "get, password hashed" } else { "walk, password hashed" }
}

impl Plan for Options {
    fn measure(&self, opening: Opening<'_>) -> Result<(), Error> {
        let choice = opening.choose(&self.tables)?;
        choice.uses("messages", !self.messages.is_empty(), &["table-2"])?;
        choice.uses("idle", self.idle.is_some(), &["table-3"])?;
        if let Some(idle) = self.idle.filter(|idle| !(0.0..=86_400.0).contains(idle)) {
            let (expected, found) = ("seconds from 0 to 86400", idle.to_string());
            return Err(Error::Option { option: "idle", expected, found });
        }
        let options =
            Options { messages: numbers("messages", &self.messages, 1, 1_000_000)?, ..self.clone() };
        let stage = StageOptions {
            roles: vec![Role::Shipped, Role::IntegrityOnly, Role::Tls12],
            trunklined_lab: self.lab_agent.trunklined_lab.clone(),
            ..opening.stage_options()
        };
        let chapters: [(&[&str], Measure<Options>); 5] = [
            (&["table-1"], overhead_of_security),
            (&["table-2"], short_and_long_sessions),
            (&["table-3"], light_and_heavy_traffic),
            // Each message of table 5 is a part of table 4's walk.
            (&["table-4", "table-5"], phases),
            (&["table-6"], beside_usm),
        ];
        opening.on_stage(&choice, &stage, Value::Null, |stage, runtime, ledger| {
            measure_chapters("du2001", &chapters, &options, &choice, stage, runtime, ledger)
        })
    }
}

/// Section 4.1: one message and a walk, at each protection that exists.
fn overhead_of_security(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let mut jobs = Vec::new();
    for protocol in [TLS_B, TLS_D, TODAY] {
        jobs.push(chapter.job(GET, protocol, get(1)));
        jobs.push(chapter.job(WALK, protocol, walk()));
    }
    chapter.perform(&jobs, chapter.choice.rounds(ROUNDS, QUICK_ROUNDS), None)
}

/// Section 4.2.1: sessions from 5 messages to 2000.
fn short_and_long_sessions(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let sizes = chapter.choice.sizes(&chapter.options.messages, &TABLE_2_MESSAGES, &TABLE_2_MESSAGES);
    let rounds = chapter.choice.rounds(ROUNDS, QUICK_ROUNDS);
    // A long session is a mean in itself.
    let fewer = rounds.div_ceil(FEWER).max(rounds.min(LEAST_REPETITIONS as u32));
    let mut jobs = Vec::new();
    for &messages in &sizes {
        for protocol in [TLS_D, TODAY, TLS_B, UDP] {
            let job = chapter.job(GET, protocol, get(messages));
            jobs.push(job.in_rounds(if messages >= LONG { fewer } else { rounds }));
        }
    }
    if fewer < PAPERS && sizes.last().is_some_and(|longest| *longest >= LONG) {
        let how =
            format!("{fewer} repetitions of sessions with {LONG} messages and more; the paper has {PAPERS}");
        chapter.shortened(how)?;
    }
    if sizes != TABLE_2_MESSAGES {
        let how = format!("sessions of {sizes:?} messages instead of {TABLE_2_MESSAGES:?}");
        chapter.shortened(how)?;
    }
    let budget = chapter.choice.common.quick.then_some(QUICK_BUDGET);
    chapter.perform(&jobs, rounds, budget)
}

/// Section 4.2.2: one message, then a pause: five minutes in light traffic, a second in heavy.
fn light_and_heavy_traffic(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let quick = chapter.choice.common.quick;
    let usual = if quick { QUICK_LIGHT } else { LIGHT };
    let light = chapter.options.idle.map_or(usual, Duration::from_secs_f64);
    let heavy = if quick { QUICK_HEAVY.min(light) } else { HEAVY.min(light) };
    let counts = (
        chapter.choice.rounds(LIGHT_SESSIONS, QUICK_LIGHT_SESSIONS),
        chapter.choice.rounds(HEAVY_SESSIONS, QUICK_SESSIONS),
    );
    if (light, heavy) != (LIGHT, HEAVY) {
        let how = format!(
            "{} s {SILENCE} instead of 5 minutes, {} s instead of 1 s: the cost of idling is understated",
            light.as_secs_f64(),
            heavy.as_secs_f64()
        );
        chapter.shortened(how)?;
    }
    if counts.0 < PAPERS_LIGHT {
        let how = format!(
            "{} sessions of each protocol in light traffic, where the paper has {PAPERS_LIGHT} in about an hour",
            counts.0
        );
        chapter.shortened(how)?;
    }
    // In heavy traffic each protocol on its own, as in the paper. In light traffic both in turn: each has its whole silence,
    // and the second begins half of it later.
    for protocol in [TLS_B, UDP] {
        in_turn(chapter, HEAVY_TRAFFIC, &[protocol], heavy, counts.1)?;
    }
    in_turn(chapter, LIGHT_TRAFFIC, &[TLS_B, UDP], light, counts.0)
}

/// Sessions of one message, of each protocol so many, each after a silence of its protocol. The silences of the protocols
/// overlap, each begins an equal part of it after the one before.
fn in_turn(
    chapter: &mut Chapter<'_, Options>,
    what: &str,
    protocols: &[Protocol],
    silence: Duration,
    sessions: u32,
) -> Result<(), Error> {
    let (begun, part) = (Instant::now(), silence / protocols.len() as u32);
    duration::announce(chapter.ledger, silence.saturating_mul(sessions) + (silence - part));
    let mut due: Vec<Instant> = (0..).zip(protocols).map(|(at, _)| begun + silence + part * at).collect();
    for round in 1..=sessions {
        for (&protocol, due) in protocols.iter().zip(&mut due) {
            if wait_until(*due, chapter.ledger) {
                return Ok(());
            }
            let job = [chapter.job(what, protocol, get(1))];
            // Without a warm-up: the pause is the point.
            perform_round(chapter.stage, chapter.runtime, &job, round, chapter.ledger)?;
            *due = Instant::now() + silence;
        }
    }
    Ok(())
}

/// Section 4.3: each phase of a session with a walk, and each message of it.
fn phases(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let jobs = [TLS_D, TODAY, UDP].map(|protocol| Job { each: true, ..chapter.job(WALK, protocol, walk()) });
    chapter.perform(&jobs, chapter.choice.rounds(ROUNDS, QUICK_ROUNDS), None)
}

/// Section 4.4: SNMPv1 and SNMPv3 over UDP, TCP and TLS at three levels. Beside current algorithms the paper's MD5
/// and DES; and with the password hashed in each session, as in a command that starts each time.
fn beside_usm(chapter: &mut Chapter<'_, Options>) -> Result<(), Error> {
    let tcp = Protocol::v1(Transport::Tcp);
    let mut protocols = vec![UDP, tcp, TLS_B, TLS_D, TODAY, TLS_V3_B, TLS_V3_D, TODAY_V3];
    for transport in transport::PLAIN {
        for suite in [Suite::Modern, Suite::Md5Des] {
            // Without security the algorithms make no difference.
            let levels = Level::ALL
                .into_iter()
                .filter(|level| suite == Suite::Modern || *level != Level::NoAuthNoPriv);
            protocols.extend(levels.map(|level| Protocol::usm(transport, level, suite)));
        }
    }
    let mut jobs = Vec::new();
    for protocol in protocols {
        jobs.push(chapter.job(GET, protocol, get(1)));
        jobs.push(chapter.job(WALK, protocol, walk()));
    }
    for transport in transport::PLAIN {
        for level in [Level::AuthNoPriv, Level::AuthPriv] {
            let protocol = Protocol::usm(transport, level, Suite::Md5Des);
            for (what, script) in [(GET, get(1)), (WALK, walk())] {
                let job = chapter.job(hashed(what), protocol, script);
                let rounds = chapter.choice.rounds(PAPERS, QUICK_ROUNDS);
                jobs.push(Job { secrets: Secrets::Hashed, ..job.in_rounds(rounds) });
            }
        }
    }
    chapter.perform(&jobs, chapter.choice.rounds(ROUNDS, QUICK_ROUNDS), None)
}

/// Waits; returns whether the user has interrupted the run.
fn wait_until(end: Instant, ledger: &Ledger) -> bool {
    while !ledger.is_interrupted() {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        std::thread::sleep(left.min(LOOK_EVERY));
    }
    true
}

/// `snmpget system.sysName`, this many times.
fn get(times: u32) -> Script {
    Script::Get { name: Oid::EMPTY.child(snmpv2_mib::SYS_NAME.oid).child(&[0]), times }
}

/// `snmpwalk system` in as many messages as the paper's had.
fn walk() -> Script {
    Script::Walk { root: Oid::from(SYSTEM), times: WALK_MESSAGES }
}

/// `system` (RFC 3418).
const SYSTEM: [u32; 7] = [1, 3, 6, 1, 2, 1, 1];
/// Repetitions of a full run: ten times the paper's.
const ROUNDS: u32 = 10 * PAPERS;
/// Repetitions as in the paper.
const PAPERS: u32 = crate::experiments::du2001::paper::REPETITIONS;
const QUICK_ROUNDS: u32 = PAPERS;
/// Sessions with at least this many messages are repeated less often, by this factor.
const LONG: u32 = 500;
const FEWER: u32 = 5;
const QUICK_BUDGET: Duration = Duration::from_secs(25);
const LIGHT: Duration = Duration::from_secs(300);
const HEAVY: Duration = Duration::from_secs(1);
/// Sessions in the paper's hour of light traffic.
const PAPERS_LIGHT: u32 = 12;
/// Six of each, in turn: half an hour for both.
const LIGHT_SESSIONS: u32 = 6;
const HEAVY_SESSIONS: u32 = 30;
const QUICK_LIGHT: Duration = Duration::from_secs(1);
const QUICK_HEAVY: Duration = Duration::from_millis(200);
const QUICK_LIGHT_SESSIONS: u32 = LEAST_REPETITIONS as u32;
const QUICK_SESSIONS: u32 = 10;
const LOOK_EVERY: Duration = Duration::from_millis(200);
