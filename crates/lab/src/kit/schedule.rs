//! Jobs: kinds of session to be measured again and again, and the round that takes them in turn.
//!
//! In each round every job comes up once, in an order drawn anew, so that whatever else the machine does hits all alike.
//! Round 0 warms up. A job that fails twice in a row is left out with a doubt.

use std::path::Path;
use std::time::{Duration, Instant};

use fastrand::Rng;
use tokio::runtime::Runtime;
use trunkline_client::{Backoff, SessionOptions};

use crate::kit::conversation::{Observed, Script, converse, nanos};
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::ledger::Ledger;
use crate::kit::place::link::{Link, LinkCounts, LinkSpec};
use crate::kit::protocol::Protocol;
use crate::kit::stage::{Role, Secrets, Stage, Stand};
use crate::kit::trial::{Case, Entry, SessionRecord};

/// A kind of session.
#[derive(Debug, Clone)]
pub struct Job {
    /// What its sessions are samples of.
    pub case: Case,
    /// What is asked in them.
    pub script: Script,
    /// Where the manager stands.
    pub stand: Stand,
    /// What the link is like, where it stands there.
    pub link: LinkSpec,
    /// Who answers.
    pub role: Role,
    /// From what keys are made.
    pub secrets: Secrets,
    /// How patient the session is.
    pub options: SessionOptions,
    /// Whether each exchange's time is kept.
    pub each: bool,
    /// How many rounds it is measured in; none: in all.
    pub rounds: Option<u32>,
    /// How the manager's end of SSH is set.
    pub manager: ManagerEnd,
}

/// Switches of the manager's end of a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ManagerEnd {
    /// Nagle's algorithm off (SSH).
    pub nodelay: bool,
    /// A window update for each message (SSH).
    pub eager_window: bool,
    /// Whether sessions are resumed (TLS, HTTPS): by who has the same target, from its second session on.
    pub resume: bool,
}

impl Default for ManagerEnd {
    fn default() -> Self {
        ManagerEnd { nodelay: true, eager_window: false, resume: false }
    }
}

impl Job {
    /// Sessions of a table with a protocol, over the agent's loopback, as patient as Net-SNMP.
    pub fn new(table: &str, what: &str, protocol: Protocol, script: Script) -> Job {
        let case = Case { table: table.into(), what: what.into(), protocol, messages: script.messages() };
        Job {
            case,
            script,
            stand: Stand::Beside,
            link: LinkSpec::default(),
            role: protocol.role(),
            secrets: Secrets::Ready,
            options: net_snmps_patience(),
            each: false,
            rounds: None,
            manager: ManagerEnd::default(),
        }
    }

    /// The same over the link.
    #[must_use]
    pub fn over(self, link: LinkSpec) -> Job {
        Job { stand: Stand::Link, link, ..self }
    }

    /// The same in so many rounds only.
    #[must_use]
    pub fn in_rounds(self, rounds: u32) -> Job {
        Job { rounds: Some(rounds.max(1)), ..self }
    }
}

/// Net-SNMP's: after 1 s again, five times (Marinov 2006 section 5.4).
pub fn net_snmps_patience() -> SessionOptions {
    SessionOptions::default()
        .with_timeout(Duration::from_secs(1))
        .with_retries(5)
        .with_backoff(Backoff::Fixed)
}

/// Ours for a near network: after 50 ms again, then after twice as long each time, in all as patient as Net-SNMP.
pub fn our_patience() -> SessionOptions {
    SessionOptions::default()
        .with_timeout(Duration::from_millis(50))
        .with_retries(6)
        .with_backoff(Backoff::Double)
}

/// Measures jobs in `rounds` rounds (after one to warm up), or in fewer when the budget is spent; says so then.
pub fn perform(
    stage: &Stage,
    runtime: &Runtime,
    jobs: &[Job],
    rounds: u32,
    budget: Option<Duration>,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let mut random = Rng::with_seed(ledger.seed);
    let mut order: Vec<usize> = (0..jobs.len()).collect();
    let mut failures = vec![0u32; jobs.len()];
    let start = Instant::now();
    for round in 0..=rounds {
        random.shuffle(&mut order);
        for &at in &order {
            let job = &jobs[at];
            let enough = job.rounds.is_some_and(|most| round > most);
            // Long sessions warm themselves up, and a link's delay hides what is cold.
            let warm = round == 0 && (job.case.messages > WARM_UP || !job.link.delay.is_zero());
            if !enough && !warm {
                take_turn(stage, runtime, job, round, &mut failures[at], ledger)?;
            }
        }
        ledger.writer.flush()?;
        if let Some(budget) = budget.filter(|budget| round > 0 && round < rounds && start.elapsed() > *budget)
        {
            let table = jobs.first().map_or_else(String::new, |job| job.case.table.clone());
            let seconds = budget.as_secs();
            let how =
                format!("{round} of {rounds} rounds were measured: the {seconds} s for them were spent");
            return ledger.doubt(Doubt::Shortened { table, how });
        }
    }
    Ok(())
}

/// Measures each job once, as its repetition `round`, without a warm-up.
pub fn perform_round(
    stage: &Stage,
    runtime: &Runtime,
    jobs: &[Job],
    round: u32,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    for job in jobs {
        // What fails is said at once, and once.
        let mut failures = if round > 1 { PATIENCE.saturating_sub(1) } else { 0 };
        take_turn(stage, runtime, job, round, &mut failures, ledger)?;
    }
    ledger.writer.flush()
}

/// One session of a job, unless it has failed too often.
fn take_turn(
    stage: &Stage,
    runtime: &Runtime,
    job: &Job,
    round: u32,
    failures: &mut u32,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    if *failures >= PATIENCE || ledger.is_interrupted() {
        return Ok(());
    }
    ledger.progress.inc(1);
    match session(stage, runtime, job, round, ledger) {
        Ok(record) => {
            *failures = 0;
            ledger.note_algorithms(job.case.protocol)?;
            ledger.write(&Entry::Session(record))
        }
        Err(failure) => {
            *failures = if failure.is_final { PATIENCE } else { *failures + 1 };
            if *failures < PATIENCE { Ok(()) } else { doubt_failure(job, failure.words, ledger) }
        }
    }
}

fn doubt_failure(job: &Job, reason: String, ledger: &mut Ledger) -> Result<(), Error> {
    let (table, protocol) = (job.case.table.clone(), job.case.protocol);
    let reason = format!("{} of {} messages: {reason}", job.case.what, job.case.messages);
    ledger.doubt(Doubt::ProtocolLeftOut { table, protocol, reason })
}

/// Why a session gave no sample.
struct Failure {
    words: String,
    /// Whether trying again is of no use.
    is_final: bool,
}

impl Failure {
    fn last(words: String) -> Failure {
        Failure { words, is_final: true }
    }
}

/// One session.
fn session(
    stage: &Stage,
    runtime: &Runtime,
    job: &Job,
    round: u32,
    ledger: &Ledger,
) -> Result<SessionRecord, Failure> {
    let standing = stage.stand(job.stand).map_err(|error| Failure::last(error.to_string()))?;
    if !standing {
        return Err(Failure::last("there is no emulated link here".into()));
    }
    let link = stage.link().filter(|_| job.stand == Stand::Link);
    if let Some(link) = link {
        // Each session meets losses of its own, the same in every run with this seed.
        let seed = ledger.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(round));
        link.set(LinkSpec { seed, ..job.link });
    }
    let meter = stage.cpu(job.role);
    let cpu = || meter.as_ref().and_then(|meter| meter.read().ok());
    let before = Instant::now();
    let peer = stage
        .peer(job.case.protocol, job.role, job.stand, job.secrets, job.manager)
        .map_err(Failure::last)?;
    let prepare_ns = nanos(before.elapsed());
    let captured = ledger.capture.as_deref().filter(|_| link.is_some()).map(length);
    let (counts, agent_before) = (link.map(Link::counts), cpu());
    let result = runtime.block_on(converse(&peer, job.options, &job.script));
    let before = Instant::now();
    drop(peer);
    let release_ns = nanos(before.elapsed());
    let agent_after = cpu();
    let after = link.map(|link| settled(link, job.link.round_trip()));
    let Observed { open_ns, exchange_ns, each_ns, close_ns, resent, cpu_ns, instances } =
        result.map_err(|error| Failure { words: error.to_string(), is_final: false })?;
    let frames = match (link, captured, &ledger.capture) {
        (Some(link), Some(from), Some(path)) => {
            link.flush().map_err(|error| Failure::last(error.to_string()))?;
            captured_since(path, from).unwrap_or_default()
        }
        _ => Captured::default(),
    };
    Ok(SessionRecord {
        case: job.case.clone(),
        repetition: round,
        prepare_ns,
        open_ns,
        exchange_ns,
        each_ns: if job.each { each_ns } else { vec![] },
        close_ns,
        release_ns,
        resent,
        instances,
        link: after.zip(counts).map(|(after, before)| after - before),
        frames: frames.sizes,
        wire_ns: frames.wire_ns,
        manager_cpu_ns: Some(cpu_ns),
        agent_cpu_ns: agent_after.zip(agent_before).map(|(after, before)| after.saturating_sub(before)),
    })
}

/// The counts when nothing is under way and nothing more comes: a close has its last acknowledgement.
pub(crate) fn settled(link: &Link, round_trip: Duration) -> LinkCounts {
    let quiet = SETTLE.max(round_trip + round_trip / 4);
    let deadline = Instant::now() + SETTLE_WITHIN.max(4 * quiet);
    let mut counts = link.counts();
    loop {
        std::thread::sleep(quiet);
        let now = link.counts();
        let still = now == counts && now.to_agent.under_way() == 0 && now.to_manager.under_way() == 0;
        if still || Instant::now() > deadline {
            return now;
        }
        counts = now;
    }
}

fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// What a capture has of a session.
#[derive(Debug, Default, PartialEq, Eq)]
struct Captured {
    /// The sizes of its packets as Ethernet frames without check sequence: each size and how many, ascending.
    sizes: Vec<(u32, u32)>,
    /// From its first packet to its last, nanoseconds.
    wire_ns: Option<u64>,
}

/// The packets in a pcapng file behind an offset.
fn captured_since(path: &Path, from: u64) -> std::io::Result<Captured> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut octets = Vec::new();
    file.read_to_end(&mut octets)?;
    let mut sizes = std::collections::BTreeMap::new();
    let (mut first, mut last) = (None, None);
    let word = |at: usize| {
        let octets: [u8; 4] = octets.get(at..at + 4)?.try_into().ok()?;
        Some(u32::from_le_bytes(octets))
    };
    let mut at = 0;
    while let (Some(kind), Some(length)) = (word(at), word(at + 4)) {
        if length < 12 {
            break;
        }
        if kind == ENHANCED_PACKET
            && let (Some(high), Some(low), Some(original)) = (word(at + 12), word(at + 16), word(at + 24))
        {
            *sizes.entry(original + ETHERNET_HEADER).or_insert(0) += 1;
            let time = u64::from(high) << 32 | u64::from(low);
            first = first.or(Some(time));
            last = Some(time);
        }
        at += length as usize;
    }
    let wire_ns = first.zip(last).map(|(first, last)| last.saturating_sub(first));
    Ok(Captured { sizes: sizes.into_iter().collect(), wire_ns })
}

/// Sessions of more messages are not warmed up.
const WARM_UP: u32 = 60;
/// Failures in a row after which a job is left out.
const PATIENCE: u32 = 2;
/// How long nothing may come before a link counts as quiet.
const SETTLE: Duration = Duration::from_millis(3);
const SETTLE_WITHIN: Duration = Duration::from_secs(2);
/// The block type of a packet in pcapng.
const ENHANCED_PACKET: u32 = 6;
/// Octets of an Ethernet header.
const ETHERNET_HEADER: u32 = 14;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_counted_by_size() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.pcapng");
        let mut octets = vec![0; 40]; // what is before the offset
        for size in [60u32, 100, 60] {
            let padded = size.div_ceil(4) * 4;
            let total = 32 + padded;
            octets.extend(ENHANCED_PACKET.to_le_bytes());
            octets.extend(total.to_le_bytes());
            octets.extend([0; 8]);
            octets.extend((7 * size).to_le_bytes());
            octets.extend(size.to_le_bytes());
            octets.extend(size.to_le_bytes());
            octets.extend(vec![7; padded as usize]);
            octets.extend(total.to_le_bytes());
        }
        std::fs::write(&path, &octets).unwrap();
        let found = captured_since(&path, 40).unwrap();
        assert_eq!((found.sizes, found.wire_ns), (vec![(74, 2), (114, 1)], Some(0)));
        // half a block is not read
        std::fs::write(&path, &octets[..60]).unwrap();
        assert_eq!(captured_since(&path, 40).unwrap(), Captured::default());
    }

    #[test]
    fn both_patiences_wait_about_as_long() {
        let whole = |options: SessionOptions| -> Duration {
            let wait = |attempt: u32| match options.backoff {
                Backoff::Fixed => options.timeout,
                Backoff::Double => options.timeout * (1 << attempt),
            };
            (0..=options.retries).map(wait).sum()
        };
        let (theirs, ours) = (whole(net_snmps_patience()), whole(our_patience()));
        assert_eq!(theirs, Duration::from_secs(6));
        assert!(ours > theirs && ours < theirs + Duration::from_secs(1), "{ours:?}");
    }
}
