//! Jobs: kinds of session to be measured repeatedly, and the rounds that measure them in turn.
//!
//! In each round every job is measured once, in a new random order, so that other load of the machine affects all
//! alike. Round 0 is the warm-up. A job that fails twice in a row is left out with a doubt.

use std::path::Path;
use std::time::{Duration, Instant};

use tokio::runtime::Runtime;

use crate::conversation::{Observed, Pause, converse, nanos};
use crate::doubt::Doubt;
use crate::duration;
use crate::error::Error;
use crate::ledger::Ledger;
use crate::place::link::{Link, LinkCounts, LinkSpec};
use crate::rota::{Bounds, Course, PATIENCE, Rota};
use crate::stage::{Stage, Stand};
use crate::trial::{Case, Entry, SessionRecord};

pub use crate::job::{Job, ManagerEnd, net_snmps_patience, our_patience};

/// Measures jobs in `rounds` rounds (after a warm-up), or in fewer when the budget is spent, which it records.
pub fn perform(
    stage: &Stage,
    runtime: &Runtime,
    jobs: &[Job],
    rounds: u32,
    budget: Option<Duration>,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    perform_until_lost(stage, runtime, jobs, rounds, budget, Duration::ZERO, ledger)
}

/// Measures jobs as [`perform`] does, and then those on a lossy link again, until each has met [`ENOUGH_LOST`] lost
/// packets or `longer` has passed.
pub fn perform_until_lost(
    stage: &Stage,
    runtime: &Runtime,
    jobs: &[Job],
    rounds: u32,
    budget: Option<Duration>,
    longer: Duration,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    let expected = duration::of_jobs(jobs, rounds);
    duration::announce(ledger, budget.map_or(expected, |budget| budget.min(expected)));
    let mut rota = Rota::new(jobs, Bounds { rounds, budget, longer }, ledger.seed);
    let mut round = 0;
    while let Some(turn) = rota.next_turn() {
        if ledger.is_interrupted() {
            break;
        }
        if turn.round > round {
            round = turn.round;
            ledger.writer.flush()?;
        }
        take_turn(stage, runtime, &jobs[turn.job], turn.round, rota.course(turn.job), ledger)?;
    }
    rota.shortened().map_or(Ok(()), |doubt| ledger.doubt(doubt))?;
    ledger.writer.flush()
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
        // A failure is reported at once, and once.
        let failures = if round > 1 { PATIENCE.saturating_sub(1) } else { 0 };
        take_turn(stage, runtime, job, round, &mut Course { failures, lost: 0 }, ledger)?;
    }
    ledger.writer.flush()
}

/// One session of a job, unless it has failed too often.
fn take_turn(
    stage: &Stage,
    runtime: &Runtime,
    job: &Job,
    round: u32,
    course: &mut Course,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    if course.failures >= PATIENCE || ledger.is_interrupted() {
        return Ok(());
    }
    ledger.progress.inc(1);
    let result = session(stage, runtime, job, round, ledger.seed, ledger.capture.as_deref());
    let course = *course.note(&result);
    write_down(job, result, course, ledger)
}

/// Writes a session, or that a job has failed too often.
pub(super) fn write_down(
    job: &Job,
    result: Result<SessionRecord, Failure>,
    course: Course,
    ledger: &mut Ledger,
) -> Result<(), Error> {
    match result {
        Ok(record) => {
            ledger.note_algorithms(job.case.protocol)?;
            ledger.write(&Entry::Session(record))
        }
        Err(_) if course.failures < PATIENCE => Ok(()),
        Err(failure) => doubt_failure(job, failure.words, ledger),
    }
}

impl Course {
    /// Takes a session's result into account.
    pub(super) fn note(&mut self, result: &Result<SessionRecord, Failure>) -> &Course {
        match result {
            Ok(record) => {
                self.failures = 0;
                self.lost += record.lost_packets().unwrap_or(0);
            }
            Err(failure) => self.failures = if failure.is_final { PATIENCE } else { self.failures + 1 },
        }
        self
    }
}

fn doubt_failure(job: &Job, reason: String, ledger: &mut Ledger) -> Result<(), Error> {
    let (table, protocol) = (job.case.table.clone(), job.case.protocol);
    let reason = format!("{} of {} messages: {reason}", job.case.what, job.case.messages);
    ledger.doubt(Doubt::ProtocolLeftOut { table, protocol, reason })
}

/// Why a session yielded no sample.
pub struct Failure {
    words: String,
    /// Whether retrying is useless.
    is_final: bool,
}

impl Failure {
    /// The reason.
    pub fn words(&self) -> &str {
        &self.words
    }

    fn last(words: String) -> Failure {
        Failure { words, is_final: true }
    }
}

/// One session.
pub fn session(
    stage: &Stage,
    runtime: &Runtime,
    job: &Job,
    round: u32,
    seed: u64,
    capture: Option<&Path>,
) -> Result<SessionRecord, Failure> {
    let standing = stage.stand(job.stand).map_err(|error| Failure::last(error.to_string()))?;
    if !standing {
        return Err(Failure::last("there is no emulated link here".into()));
    }
    let link = stage.link().filter(|_| job.stand == Stand::Link);
    if let Some(link) = link {
        link.set(LinkSpec { seed: draws(seed, &job.case, round), ..job.link });
    }
    let meter = stage.cpu(job.role);
    let cpu = || meter.as_ref().and_then(|meter| meter.read().ok());
    let before = Instant::now();
    let peer = stage
        .peer(job.case.protocol, job.role, job.stand, job.secrets, job.manager)
        .map_err(Failure::last)?;
    let prepare_ns = nanos(before.elapsed());
    let captured = capture.filter(|_| link.is_some()).map(length);
    let (counts, agent_before) = (link.map(Link::counts), cpu());
    let options = job.options.with_compression(job.manager.packing.of_snmp());
    let pause = link.filter(|_| job.apart).map(Pause);
    let result = runtime.block_on(converse(&peer, options, &job.script, job.wait, pause));
    let before = Instant::now();
    drop(peer);
    let release_ns = nanos(before.elapsed());
    let agent_after = cpu();
    let after = link.map(|link| settled(link, job.link.round_trip()));
    if link.is_some_and(|link| !link.is_closed().unwrap_or(true)) {
        let words = "its connection is still closing: not all of its packets can be counted".into();
        return Err(Failure { words, is_final: false });
    }
    let Observed {
        open_ns,
        exchange_ns,
        each_ns,
        close_ns,
        resent,
        cpu_ns,
        instances,
        objects,
        messages,
        rounds,
    } = result.map_err(|error| Failure { words: error.to_string(), is_final: false })?;
    let frames = match (link, captured, capture) {
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
        first_ns: each_ns.first().copied(),
        each_ns: if job.each { each_ns } else { vec![] },
        close_ns,
        release_ns,
        resent,
        instances,
        objects: job.each.then_some(objects).filter(|objects| *objects > 0),
        message_octets: messages.filter(|_| job.each),
        rounds,
        link: after.zip(counts).map(|(after, before)| after - before),
        frames: frames.sizes,
        wire_ns: frames.wire_ns,
        manager_cpu_ns: Some(cpu_ns),
        agent_cpu_ns: agent_after.zip(agent_before).map(|(after, before)| after.saturating_sub(before)),
    })
}

/// The seed of a session's losses: another for each session, and the same in every run with this seed. Sessions of
/// one round that shared it would all meet the same losses, or none.
fn draws(seed: u64, case: &Case, round: u32) -> u64 {
    let Case { table, what, protocol, messages } = case;
    let name = format!("{seed} {round} {table} {what} {protocol} {messages}");
    // FNV-1a.
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, octet| {
        (hash ^ u64::from(octet)).wrapping_mul(0x0000_0100_0000_01b3)
    })
}

/// The counts once nothing is under way, nothing more arrives, and both ends have closed their connections: a close
/// ends with its last acknowledgement, which a busy machine may send late.
pub fn settled(link: &Link, round_trip: Duration) -> LinkCounts {
    let quiet = SETTLE.max(round_trip + round_trip / 4);
    let deadline = Instant::now() + SETTLE_WITHIN.max(4 * quiet);
    let mut counts = link.counts();
    loop {
        std::thread::sleep(quiet);
        // Before the counts: what passes while the kernels' tables are read must be in them.
        let is_closed = link.is_closed().unwrap_or(true);
        let now = link.counts();
        let still = now == counts && now.to_agent.under_way() == 0 && now.to_manager.under_way() == 0;
        if still && is_closed || Instant::now() > deadline {
            return now;
        }
        counts = now;
    }
}

/// The octets of a capture so far, to read what follows.
pub fn length(path: &Path) -> u64 {
    std::fs::metadata(path).map_or(0, |metadata| metadata.len())
}

/// A session's traffic in a capture.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The sizes of its packets as Ethernet frames without check sequence: each size with its number, ascending.
    pub sizes: Vec<(u32, u32)>,
    /// From its first packet to its last, nanoseconds.
    pub wire_ns: Option<u64>,
    /// From its first packet to the last with data of TCP: an acknowledgement may be late by 40 ms.
    pub data_ns: Option<u64>,
}

/// The packets in a pcapng file after an offset.
///
/// # Errors
/// The system's error.
pub fn captured_since(path: &Path, from: u64) -> std::io::Result<Captured> {
    use std::io::{Read, Seek, SeekFrom};
    let mut file = std::fs::File::open(path)?;
    file.seek(SeekFrom::Start(from))?;
    let mut octets = Vec::new();
    file.read_to_end(&mut octets)?;
    let mut sizes = std::collections::BTreeMap::new();
    let (mut first, mut last, mut last_data) = (None, None, None);
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
            if octets.get(at + PACKET..).is_some_and(has_data) {
                last_data = last;
            }
        }
        at += length as usize;
    }
    let since_first = |last: Option<u64>| first.zip(last).map(|(first, last)| last.saturating_sub(first));
    let (wire_ns, data_ns) = (since_first(last), since_first(last_data));
    Ok(Captured { sizes: sizes.into_iter().collect(), wire_ns, data_ns })
}

/// Whether a packet of IPv4 carries data of TCP.
fn has_data(packet: &[u8]) -> bool {
    let data = || {
        let (version_and_length, protocol) = (*packet.first()?, *packet.get(9)?);
        let total = usize::from(u16::from_be_bytes([*packet.get(2)?, *packet.get(3)?]));
        let header = usize::from(version_and_length & 0x0f) * 4;
        let of_tcp = usize::from(packet.get(header + 12)? >> 4) * 4;
        (version_and_length >> 4 == 4 && protocol == TCP).then(|| total > header + of_tcp)
    };
    data().unwrap_or(false)
}

/// A mean over sessions with fewer lost packets says little about a link that loses.
pub const ENOUGH_LOST: u64 = 10;
/// How long a link must be silent to count as quiet.
const SETTLE: Duration = Duration::from_millis(3);
const SETTLE_WITHIN: Duration = Duration::from_secs(10);
/// The block type of a packet in pcapng.
const ENHANCED_PACKET: u32 = 6;
/// Where in such a block the packet begins.
const PACKET: usize = 28;
/// The protocol number of TCP.
const TCP: u8 = 6;
/// Octets of an Ethernet header.
const ETHERNET_HEADER: u32 = 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::place::link::Share;
    use crate::protocol::Protocol;
    use trunkline_client::{Backoff, SessionOptions};

    #[test]
    fn frames_are_counted_by_size() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.pcapng");
        let mut octets = vec![0; 40]; // precedes the offset
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
    fn late_acknowledgements_are_not_the_last_packet_with_data() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("c.pcapng");
        let mut octets = Vec::new();
        // SYN with options, a request, an answer; a late acknowledgement; a datagram of UDP.
        for (time, protocol, header, data) in
            [(5u32, 6u8, 40usize, 0usize), (7, 6, 20, 9), (11, 6, 32, 3), (50, 6, 32, 0), (60, 17, 8, 9)]
        {
            let total = 20 + header + data;
            let mut packet = vec![0; total];
            packet[0] = 0x45;
            packet[2..4].copy_from_slice(&(total as u16).to_be_bytes());
            packet[9] = protocol;
            packet[20 + 12.min(header - 1)] = ((header / 4) << 4) as u8;
            packet.resize(total.next_multiple_of(4), 1);
            octets.extend(ENHANCED_PACKET.to_le_bytes());
            octets.extend((32 + packet.len() as u32).to_le_bytes());
            octets.extend([0; 8]);
            octets.extend(time.to_le_bytes());
            octets.extend([total as u32, total as u32].map(u32::to_le_bytes).concat());
            octets.extend(&packet);
            octets.extend((32 + packet.len() as u32).to_le_bytes());
        }
        std::fs::write(&path, &octets).unwrap();
        let found = captured_since(&path, 0).unwrap();
        assert_eq!((found.wire_ns, found.data_ns), (Some(55), Some(6)));
        let cut = octets.len() - 40;
        std::fs::write(&path, &octets[..cut]).unwrap();
        assert_eq!(captured_since(&path, 0).unwrap().data_ns, Some(6));
    }

    #[test]
    fn sessions_of_one_round_do_not_share_their_losses() {
        use crate::place::link::shaper::{Fate, Shaper};
        // As many packets as a short session sends to the agent, in each of 48 sessions.
        let lost = |seed: u64| {
            let loss = Share::from_billionths(50_000_000).unwrap();
            let spec = LinkSpec { seed, loss, ..LinkSpec::default() };
            let mut shaper = Shaper::new(spec, 0);
            (0..10).filter(|_| shaper.arrive(0, 100, ()) == Fate::Lost).count()
        };
        let sessions = |run: u64| -> Vec<usize> {
            let case = |messages| Case {
                table: "compare/measured".into(),
                what: "cold".into(),
                protocol: Protocol::v2c(crate::transport::Transport::Udp),
                messages,
            };
            (0..48).map(|messages| lost(draws(run, &case(messages), 1))).collect()
        };
        let all = sessions(1);
        assert!((8..=45).contains(&all.iter().sum::<usize>()), "{all:?}");
        assert!(all.contains(&0) && all.iter().any(|lost| *lost > 0), "{all:?}");
        assert_eq!(all, sessions(1));
        assert_ne!(all, sessions(2));
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
