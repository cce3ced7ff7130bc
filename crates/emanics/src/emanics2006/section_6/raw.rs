//! Every delay on the disk, before anything is computed from it; and what the tables need, computed from the file.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use trunkline_delays::{Ending, Header, Outcome, Reader, Record, Writer};
use trunkline_distributions::quality::{Answer, Delay, Gathering, OfAgent, Round, Share};
use trunkline_labkit::group::GroupRecord;
use trunkline_poll::{Outcome as Became, Sample, Sink};

/// A file that is being written. A request that was given up is written when its answer is late, or else at the end.
pub(super) struct Raw {
    file: File,
    writer: Writer,
    octets: Vec<u8>,
    failed: Option<io::Error>,
    lost: BTreeMap<(u32, u32), Record>,
    /// Rounds that are not written.
    warm_up: u32,
    /// How long a request was waited for, ns.
    timeout: u64,
}

impl Raw {
    /// Begins the file.
    pub(super) fn create(path: &Path, header: &Header, warm_up: u32) -> Result<Raw, String> {
        let mut octets = Vec::new();
        let writer = Writer::begin(header, &mut octets).map_err(|error| error.to_string())?;
        let file = File::create(path).map_err(|error| format!("{}: {error}", path.display()))?;
        let (lost, timeout) = (BTreeMap::new(), header.timeout);
        Ok(Raw { file, writer, octets, failed: None, lost, warm_up, timeout })
    }

    fn push(&mut self, record: &Record) {
        if let Err(error) = self.writer.push(record, &mut self.octets) {
            self.failed.get_or_insert(io::Error::other(error));
        }
        if !self.octets.is_empty() {
            if let Err(error) = self.file.write_all(&self.octets) {
                self.failed.get_or_insert(error);
            }
            self.octets.clear();
        }
    }

    /// Ends the file.
    pub(super) fn finish(mut self) -> Result<(), String> {
        let lost = std::mem::take(&mut self.lost);
        lost.values().for_each(|record| self.push(record));
        let Raw { mut file, writer, mut octets, failed, .. } = self;
        writer.end(&mut octets);
        let written = match failed {
            Some(error) => Err(error),
            None => file.write_all(&octets),
        };
        written.map_err(|error| format!("the delays cannot be written: {error}"))
    }
}

impl Sink for Raw {
    fn take(&mut self, sample: &Sample) {
        let round = u32::try_from(sample.round).unwrap_or(u32::MAX);
        let Some(round) = round.checked_sub(self.warm_up) else { return };
        let ns = trunkline_labkit::conversation::nanos;
        let (due, sent) = (ns(sample.due), ns(sample.sent));
        let record = |ended: u64, outcome| Record {
            agent: sample.agent,
            round,
            due,
            sent,
            // The kernel's time of arrival may be a little before ours of sending.
            ended: ended.max(sent),
            outcome,
        };
        let place = (round, sample.agent);
        match sample.outcome {
            Became::Answered(at) => self.push(&record(ns(at), Outcome::Answered)),
            Became::Failed { at, .. } => self.push(&record(ns(at), Outcome::Failed)),
            Became::Unsent => self.push(&record(sent, Outcome::Unsent)),
            Became::Late(at) => {
                self.lost.remove(&place);
                self.push(&record(ns(at), Outcome::Late));
            }
            Became::Lost => {
                self.lost.insert(place, record(sent.saturating_add(self.timeout), Outcome::Lost));
                if self.lost.len() > MOST_LOST
                    && let Some((_, oldest)) = self.lost.pop_first()
                {
                    self.push(&oldest);
                }
            }
        }
    }
}

/// Reads a file back, and fills in what the tables need.
pub(super) fn digest(path: &Path, group: &mut GroupRecord) -> Result<(), String> {
    let words = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
    let mut file = File::open(path).map_err(|error| words(&error))?;
    let mut reader = Reader::default();
    let mut digest = Digest::new(group);
    let mut piece = vec![0; PIECE];
    loop {
        while let Some(records) = reader.next_block().map_err(|error| words(&error))? {
            records.iter().for_each(|record| digest.take(record, group));
        }
        match file.read(&mut piece).map_err(|error| words(&error))? {
            0 => break,
            count => reader.feed(&piece[..count]),
        }
    }
    match reader.finish().map_err(|error| words(&error))? {
        Ending::Complete { .. } => {}
        Ending::CutOff { .. } => return Err(words(&"it was cut off")),
    }
    digest.finish(group);
    Ok(())
}

/// What is gathered of a file.
struct Digest {
    gathering: Gathering,
    delays: Vec<u64>,
    waited: Vec<u64>,
    sums: BTreeMap<u32, u64>,
    /// Whose delays are kept one by one.
    one: u32,
    others: Vec<u32>,
}

impl Digest {
    fn new(group: &mut GroupRecord) -> Digest {
        let agents = group.agents;
        let others: Vec<u32> =
            if agents < OTHERS { vec![] } else { (0..OTHERS).map(|at| at * agents / OTHERS).collect() };
        group.others = vec![vec![]; others.len()];
        Digest {
            gathering: Gathering::new(group.period_ns as f64),
            delays: vec![],
            waited: vec![],
            sums: BTreeMap::new(),
            // An arbitrary one, in the middle.
            one: agents / 2,
            others,
        }
    }

    fn take(&mut self, record: &Record, group: &mut GroupRecord) {
        let ended = &mut group.ended;
        *match record.outcome {
            Outcome::Answered => &mut ended.answered,
            Outcome::Late => &mut ended.late,
            Outcome::Lost => &mut ended.lost,
            Outcome::Failed => &mut ended.failed,
            Outcome::Unsent => &mut ended.unsent,
        } += 1;
        let has_answer = record.outcome.has_answer();
        let ns = record.from_due();
        let all = if has_answer { &mut self.delays } else { &mut self.waited };
        all.push(ns);
        let delay = if has_answer { Delay::Answered(ns as f64) } else { Delay::Lost(ns as f64) };
        self.gathering.add(&Answer { agent: Some(record.agent), round: Some(record.round), delay });
        let Some(took) = record.from_sent().filter(|_| has_answer) else { return };
        *self.sums.entry(record.round).or_default() += took;
        let triple = [record.due, record.sent.saturating_sub(record.due), took];
        if record.agent == self.one {
            group.one.push(triple);
        }
        if let Some(at) = self.others.iter().position(|&other| other == record.agent) {
            group.others[at].push(triple);
        }
    }

    fn finish(mut self, group: &mut GroupRecord) {
        let all = &self.gathering;
        let share = |share: Option<Share>| share.map_or([0, 0], |it| [it.some, it.of]);
        group.late =
            [all.error_of_answers(), all.error_of_agents(), all.error_of_parallel_rounds()].map(share);
        let mean = |it: &OfAgent| it.mean() as u64;
        if group.agents <= MOST_MEANS {
            let means = |is_whole: bool| {
                all.agents().values().filter(|it| (it.lost == 0) == is_whole).map(mean).collect()
            };
            group.means = [means(true), means(false)];
        }
        let rounds = |is_whole: bool| {
            let some = all.rounds().filter(|round: &&Round| (round.lost == 0) == is_whole);
            some.map(|round| round.parallel as u64).collect()
        };
        group.rounds = [rounds(true), rounds(false)];
        group.sums = self.sums.into_values().collect();
        self.delays.sort_unstable();
        let at = |part: f64| {
            let last = self.delays.len().saturating_sub(1);
            self.delays.get((last as f64 * part).round() as usize).copied().unwrap_or(0)
        };
        group.quantiles = [at(0.5), at(0.99), at(1.0)];
        group.some = [thinned(&self.delays), thinned(&self.waited)];
    }
}

/// Evenly drawn from sorted delays: their distribution stays.
fn thinned(sorted: &[u64]) -> Vec<u64> {
    let count = sorted.len().min(MOST_SOME);
    (0..count).map(|at| sorted[at * sorted.len() / count]).collect()
}

/// Requests without an answer that may still be answered late; of more, the oldest are lost.
const MOST_LOST: usize = 1_000_000;
const PIECE: usize = 1 << 16;
/// Agents whose delays are kept one by one, besides the one.
const OTHERS: u32 = 3;
/// The largest group whose agents' means are kept.
const MOST_MEANS: u32 = 10_000;
/// Delays of all agents that are kept.
const MOST_SOME: usize = 5_000;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn sample(agent: u32, round: u64, outcome: Became) -> Sample {
        let due = Duration::from_secs(round);
        Sample { agent, round, due, sent: due + Duration::from_millis(1), outcome }
    }

    fn header() -> Header {
        let metric = "FreeMemory-AttributeDelay-Get-Manager-Agent-1".parse().unwrap();
        Header { group: 2, period: 1_000_000_000, timeout: 2_000_000_000, ..Header::new(metric) }
    }

    #[test]
    fn a_late_answer_is_one_record_and_warm_up_is_none() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.delays");
        let mut raw = Raw::create(&path, &header(), 1).unwrap();
        let at = |ms: u64| Duration::from_millis(ms);
        for one in [
            sample(0, 0, Became::Lost),
            sample(1, 0, Became::Answered(at(3))),
            sample(0, 1, Became::Lost),
            sample(1, 1, Became::Answered(at(1003))),
            sample(0, 1, Became::Late(at(3500))),
            sample(0, 2, Became::Lost),
            sample(1, 2, Became::Unsent),
        ] {
            raw.take(&one);
        }
        raw.finish().unwrap();
        let mut group = GroupRecord { agents: 2, period_ns: 1_000_000_000, ..GroupRecord::default() };
        digest(&path, &mut group).unwrap();
        let ended = group.ended;
        assert_eq!((ended.answered, ended.late, ended.lost, ended.unsent, ended.all()), (1, 1, 1, 1, 4));
        // Answers: the late one, the lost one, the one that was not sent. Agents: of the mean of 3 ms and a second.
        assert_eq!(group.late, [[3, 4], [1, 2], [2, 2]]);
        assert_eq!(group.one, [[1_000_000_000, 1_000_000, 2_000_000]]);
        assert_eq!(group.quantiles, [2_500_000_000, 2_500_000_000, 2_500_000_000]);
        assert_eq!(group.some[0], [3_000_000, 2_500_000_000]);
        assert_eq!((group.means[0].len(), group.means[1].len()), (0, 2));
        assert_eq!((group.rounds[0].len(), group.rounds[1].len()), (1, 1));
    }

    #[test]
    fn what_was_cut_off_or_is_not_there_is_an_error() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("x.delays");
        let mut group = GroupRecord::default();
        assert!(digest(&path, &mut group).unwrap_err().contains("x.delays"));
        drop(Raw::create(&path, &header(), 0).unwrap());
        assert!(digest(&path, &mut group).is_err());
        assert!(Raw::create(&directory.path().join("no/where"), &header(), 0).is_err());
    }

    #[test]
    fn few_of_many_have_their_distribution() {
        let many: Vec<u64> = (0..50_000).collect();
        let few = thinned(&many);
        assert_eq!((few.len(), few[0], few[MOST_SOME / 2]), (MOST_SOME, 0, 25_000));
        assert_eq!((thinned(&[7]), thinned(&[])), (vec![7], vec![]));
    }
}
