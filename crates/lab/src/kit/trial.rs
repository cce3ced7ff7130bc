//! The raw samples of every experiment: a record for each session, block of requests or reading, a line of `samples.jsonl` as it ends and
//! before any statistic.
//!
//! The analysis of an experiment is a function of what [`read`] gives back and of nothing else, so a stored run can be analysed again at
//! any time, here or with other tools.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::kit::block::BlockRecord;
use crate::kit::doubt::Doubt;
use crate::kit::error::Error;
use crate::kit::machine::Machine;
use crate::kit::place::link::LinkCounts;
use crate::kit::protocol::Protocol;
use crate::kit::reading::Reading;
use crate::kit::subject::SubjectKind;

/// The file's name inside the report's directory.
pub const FILE_NAME: &str = "samples.jsonl";
/// The form of the records. Analysis refuses a file with another.
pub const FORMAT: &str = "sessions/1";

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Entry {
    /// Always the first line, once.
    Trial(Trial),
    /// What was measured of a protocol without a session of its own: which algorithms protect it.
    Algorithms(AlgorithmsRecord),
    /// An agent, where there are several.
    Subject(SubjectRecord),
    /// One session from before opening to after closing.
    Session(SessionRecord),
    /// Requests of one kind, one after the other.
    Block(BlockRecord),
    /// The memory of an agent with so many open sessions.
    Memory(OpenSessionsRecord),
    /// A figure that is of no session.
    Reading(Reading),
    /// A doubt that arose while measuring.
    Doubt(DoubtRecord),
    /// The last line of a run that came to its end.
    End(EndRecord),
}

/// How and where a run was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// [`FORMAT`].
    pub format: String,
    /// The experiment's name.
    pub experiment: String,
    /// The tables that were asked for, by their ids.
    pub tables: Vec<String>,
    /// Whether it was `--quick`.
    pub quick: bool,
    /// The version of this program.
    pub lab_version: String,
    /// The command that repeats the run.
    pub command: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The seed of everything that is drawn by lot.
    pub seed: u64,
    /// Where the sessions ran, in a sentence.
    pub place: String,
    /// The agent's program and what it calls itself.
    pub agent: String,
    /// What the experiment's analysis has to know of its options.
    #[serde(default, alias = "fleet", skip_serializing_if = "Value::is_null")]
    pub setting: Value,
    /// The machine.
    pub machine: Machine,
}

/// An agent under measurement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SubjectRecord {
    /// The short name that samples use.
    pub subject: String,
    /// What kind of agent.
    pub kind: SubjectKind,
    /// What it calls itself: its program's version and its sysDescr.
    pub description: String,
    /// Its program, for a child process.
    pub program: Option<PathBuf>,
}

/// What protects a protocol, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlgorithmsRecord {
    /// Which.
    pub protocol: Protocol,
    /// By what, as configured on both sides.
    pub algorithms: String,
}

/// What a session is a sample of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Case {
    /// The table or figure that it is measured for: `du2001/table-2`.
    pub table: String,
    /// What distinguishes it within the table beside protocol and messages: `get`, `walk`, `loss 0.5 %`, `slow`.
    pub what: String,
    /// What was spoken.
    pub protocol: Protocol,
    /// How many requests the session had.
    pub messages: u32,
}

/// One session, from before opening to after closing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// What it is a sample of.
    #[serde(flatten)]
    pub case: Case,
    /// Which repetition, counted from 1; 0 is a warm-up, which no statistic uses.
    pub repetition: u32,
    /// Nanoseconds to make the target: names, certificates and keys are read. Before the session.
    pub prepare_ns: u64,
    /// Nanoseconds to open the session: resolve, connect, handshake. Over UDP a socket.
    pub open_ns: u64,
    /// Nanoseconds from the first request handed over to the last answer had.
    pub exchange_ns: u64,
    /// Nanoseconds of each exchange, in their order; only where a table needs them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each_ns: Vec<u64>,
    /// Nanoseconds to close: until the session's task is gone.
    pub close_ns: u64,
    /// Nanoseconds to let go of the target.
    pub release_ns: u64,
    /// Requests that were sent more than once.
    pub resent: u32,
    /// Instances that a walk found before it left its subtree for the first time, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u32>,
    /// What went over the link, where it was a link.
    pub link: Option<LinkCounts>,
    /// The Ethernet frames on the link without check sequence: each size and how many. Only where a table needs them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<(u32, u32)>,
    /// Nanoseconds from the first packet on the link to the last; only where the link is captured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wire_ns: Option<u64>,
    /// CPU time of this program in the session, nanoseconds.
    pub manager_cpu_ns: Option<u64>,
    /// CPU time of the agent in the session, nanoseconds.
    pub agent_cpu_ns: Option<u64>,
}

impl SessionRecord {
    /// From before opening to after closing, nanoseconds.
    pub const fn total_ns(&self) -> u64 {
        self.open_ns + self.exchange_ns + self.close_ns
    }
}

/// The memory of an agent with so many open sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenSessionsRecord {
    /// The table or figure.
    pub table: String,
    /// What was spoken.
    pub protocol: Protocol,
    /// How many sessions were open.
    pub sessions: u32,
    /// Resident memory, octets.
    pub resident: u64,
    /// Virtual memory, octets.
    pub virtual_size: u64,
    /// Resident memory of this program, octets.
    pub manager_resident: u64,
}

/// A doubt.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DoubtRecord {
    /// The doubt.
    pub doubt: Doubt,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// How long measuring took, seconds.
    pub seconds: f64,
}

/// Writes records as they come.
#[derive(Debug)]
pub struct TrialWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl TrialWriter {
    /// Makes (or empties) the file of samples in this directory, which must exist.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(FILE_NAME);
        let file = File::create(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(TrialWriter { path, file: BufWriter::with_capacity(1 << 16, file) })
    }

    /// Appends a record; it may stay in memory until [`flush`](Self::flush), so that writing disturbs no measurement.
    pub fn write(&mut self, entry: &Entry) -> Result<(), Error> {
        let result = serde_json::to_writer(&mut self.file, entry)
            .map_err(std::io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"));
        result.map_err(|source| Error::Write { path: self.path.clone(), source })
    }

    /// Brings everything written so far to disk.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(|source| Error::Write { path: self.path.clone(), source })
    }
}

/// What was read back: a run and its records.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// How and where.
    pub trial: Trial,
    /// The records after it, in their order.
    pub entries: Vec<Entry>,
}

impl Trials {
    /// The sessions of a table, without warm-ups.
    pub fn sessions<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a SessionRecord> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Session(session) if session.case.table == table && session.repetition > 0 => Some(session),
            _ => None,
        })
    }

    /// The agents, where there are several, in the order in which they are measured.
    pub fn subjects(&self) -> impl Iterator<Item = &SubjectRecord> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Subject(subject) => Some(subject),
            _ => None,
        })
    }

    /// The blocks of a table, without warm-ups.
    pub fn blocks<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a BlockRecord> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Block(block) if block.table == table && block.round > 0 => Some(block),
            _ => None,
        })
    }

    /// The memory that was read for a table.
    pub fn memory<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a OpenSessionsRecord> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Memory(memory) if memory.table == table => Some(memory),
            _ => None,
        })
    }

    /// The algorithms that were written down.
    pub fn algorithms(&self) -> impl Iterator<Item = &AlgorithmsRecord> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Algorithms(record) => Some(record),
            _ => None,
        })
    }

    /// The doubts that arose while measuring, and that the run was cut off if it was.
    pub fn doubts(&self) -> Vec<Doubt> {
        let stored = self.entries.iter().filter_map(|entry| match entry {
            Entry::Doubt(record) => Some(record.doubt.clone()),
            _ => None,
        });
        let mut doubts: Vec<Doubt> = stored.collect();
        if self.seconds().is_none() {
            doubts.push(Doubt::CutOff { experiment: self.trial.experiment.clone() });
        }
        let processors = self.trial.machine.processors;
        if self.trial.machine.load > f64::from(processors.max(1)) / 2.0 {
            doubts.push(Doubt::BusyMachine { load: self.trial.machine.load, processors });
        }
        doubts
    }

    /// What the experiment wrote down of its options.
    pub fn setting<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.trial.setting.clone()).ok()
    }

    /// How long measuring took; `None` where it did not come to its end.
    pub fn seconds(&self) -> Option<f64> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::End(end) => Some(end.seconds),
            _ => None,
        })
    }
}

/// Reads the records of a directory back.
///
/// Fails with the line's number where a line is not a record, and where the first line is not a run of this [`FORMAT`]. A last
/// line without its end is what a killed run left half written; it is not read.
pub fn read(directory: &Path) -> Result<Trials, Error> {
    let path = directory.join(FILE_NAME);
    let failed = |source| Error::Read { path: path.clone(), source };
    let mut file = BufReader::new(File::open(&path).map_err(failed)?);
    let (mut trial, mut entries, mut text) = (None, Vec::new(), Vec::new());
    for line in 1.. {
        text.clear();
        file.read_until(b'\n', &mut text).map_err(failed)?;
        if !text.ends_with(b"\n") {
            break;
        }
        let wrong = |reason: String| Error::Sample { path: path.clone(), line, reason };
        let record = serde_json::from_slice(&text).map_err(|source| match line {
            1 => wrong(format!("expected the record of a run in format {FORMAT}: {source}")),
            _ => wrong(source.to_string()),
        });
        match record? {
            Entry::Trial(first) if trial.is_none() && first.format == FORMAT => trial = Some(first),
            Entry::Trial(found) => {
                let reason = format!("format {} found, this program reads {FORMAT}", found.format);
                return Err(wrong(reason));
            }
            _ if trial.is_none() => return Err(wrong("expected the record of a run first".into())),
            entry => entries.push(entry),
        }
    }
    let empty = || Error::Sample { path, line: 1, reason: "expected the record of a run first".into() };
    Ok(Trials { trial: trial.ok_or_else(empty)?, entries })
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;
    use crate::kit::transport::Transport;

    pub(crate) fn trial(experiment: &str) -> Trial {
        Trial {
            format: FORMAT.into(),
            experiment: experiment.into(),
            tables: vec![],
            quick: true,
            lab_version: "0".into(),
            command: format!("trunkline lab {experiment}"),
            started: "2026-11-22T05:00:00Z".into(),
            seed: 1,
            place: "here".into(),
            agent: "trunklined 0".into(),
            setting: Value::Null,
            machine: Machine { processors: 2, ..Machine::default() },
        }
    }

    /// A session whose phases are these, milliseconds.
    pub(crate) fn session(
        table: &str,
        what: &str,
        protocol: Protocol,
        messages: u32,
        repetition: u32,
        [open, exchange, close]: [f64; 3],
    ) -> SessionRecord {
        let ns = |ms: f64| (ms * 1e6) as u64;
        SessionRecord {
            case: Case { table: table.into(), what: what.into(), protocol, messages },
            repetition,
            prepare_ns: 1000,
            open_ns: ns(open),
            exchange_ns: ns(exchange),
            each_ns: vec![],
            close_ns: ns(close),
            release_ns: 500,
            resent: 0,
            instances: None,
            link: None,
            frames: vec![],
            wire_ns: None,
            manager_cpu_ns: None,
            agent_cpu_ns: None,
        }
    }

    #[test]
    fn every_record_survives_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let mut one = session("du2001/table-2", "udp", Protocol::v1(Transport::Udp), 5, 1, [0.1, 2.0, 0.1]);
        one.each_ns = vec![5, 6];
        one.link = Some(LinkCounts::default());
        let memory = OpenSessionsRecord {
            table: "marinov2006/figure-6".into(),
            protocol: Protocol::v2c(Transport::Ssh),
            sessions: 10,
            resident: 5,
            virtual_size: 6,
            manager_resident: 7,
        };
        let doubt = Doubt::CutOff { experiment: "du2001".into() };
        let entries = vec![
            Entry::Session(one),
            Entry::Memory(memory),
            Entry::Doubt(DoubtRecord { doubt: doubt.clone() }),
            Entry::End(EndRecord { seconds: 1.5 }),
        ];
        let mut writer = TrialWriter::create(directory.path()).unwrap();
        writer.write(&Entry::Trial(trial("du2001"))).unwrap();
        entries.iter().for_each(|entry| writer.write(entry).unwrap());
        writer.flush().unwrap();
        let read = read(directory.path()).unwrap();
        assert_eq!((&read.trial, &read.entries), (&trial("du2001"), &entries));
        assert_eq!(read.doubts(), [doubt]);
        assert_eq!(read.sessions("du2001/table-2").count(), 1);
        assert_eq!(read.seconds(), Some(1.5));
    }

    #[test]
    fn what_is_no_run_is_refused_with_its_line() {
        let directory = tempfile::tempdir().unwrap();
        let check = |text: &str, at: usize| {
            std::fs::write(directory.path().join(FILE_NAME), text).unwrap();
            match read(directory.path()) {
                Err(Error::Sample { line, .. }) => assert_eq!(line, at, "{text}"),
                other => panic!("{text}: {other:?}"),
            }
        };
        let first = serde_json::to_string(&Entry::Trial(trial("compare"))).unwrap();
        check("", 1);
        check("{\"record\":\"end\",\"seconds\":1.0}\n", 1);
        check(&format!("{}\n", first.replace(FORMAT, "sessions/0")), 1);
        check(&format!("{first}\nnonsense\n"), 2);
        // Half a line at the end is left by a run that was killed.
        std::fs::write(directory.path().join(FILE_NAME), format!("{first}\n{{\"rec")).unwrap();
        let read = read(directory.path()).unwrap();
        assert!(read.entries.is_empty());
        assert!(matches!(read.doubts()[..], [Doubt::CutOff { .. }]));
    }
}
