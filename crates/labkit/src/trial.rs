//! The raw samples of every experiment: a record per session, block of requests or reading, written as a line of
//! `samples.jsonl` as soon as it ends and before any statistics.
//!
//! The analysis of an experiment depends only on what [`read`] returns, so a stored run can be analysed again at
//! any time, here or with other tools.

use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use trunkline_smi::visible;

use crate::block::BlockRecord;
use crate::conversation::Round;
use crate::doubt::Doubt;
use crate::error::Error;
use crate::group::GroupRecord;
use crate::machine::Machine;
use crate::meter::load::{Load, LoadRecord};
use crate::packing::Packing;
use crate::place::link::LinkCounts;
use crate::protocol::Protocol;
use crate::reading::Reading;
use crate::store::open_regular;
use crate::subject::SubjectKind;

pub use crate::store::TrialWriter;

/// The file's name inside the report's directory.
pub const FILE_NAME: &str = "samples.jsonl";
/// The format of the records. Analysis refuses a file with another one.
pub const FORMAT: &str = "sessions/1";

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Entry {
    /// Always the first line, once.
    Trial(Trial),
    /// The algorithms that protect a protocol, measured without a session.
    Algorithms(AlgorithmsRecord),
    /// An agent, if there are several.
    Subject(SubjectRecord),
    /// One session from before opening to after closing.
    Session(SessionRecord),
    /// Requests of one kind, one after another.
    Block(BlockRecord),
    /// The memory of an agent with this many open sessions.
    Memory(OpenSessionsRecord),
    /// A figure that belongs to no session.
    Reading(Reading),
    /// A group of agents that were asked in rounds.
    Group(Box<GroupRecord>),
    /// What else the machine did for about a second.
    Load(LoadRecord),
    /// A doubt that arose while measuring.
    Doubt(DoubtRecord),
    /// The last line of a complete run.
    End(EndRecord),
}

/// How and where a run was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Trial {
    /// [`FORMAT`].
    pub format: String,
    /// The experiment's name.
    pub experiment: String,
    /// The requested tables, by their ids.
    pub tables: Vec<String>,
    /// Whether it was `--quick`.
    pub quick: bool,
    /// The version of this program.
    pub lab_version: String,
    /// The command that repeats the run.
    pub command: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The seed of everything random.
    pub seed: u64,
    /// Where the sessions ran, in a sentence.
    pub place: String,
    /// The agent's program and its description.
    pub agent: String,
    /// The options that the experiment's analysis needs.
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
    /// The kind of agent.
    pub kind: SubjectKind,
    /// Its program's version and its sysDescr.
    pub description: String,
    /// Its program, for a child process.
    pub program: Option<PathBuf>,
}

/// The algorithms that protect a protocol, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AlgorithmsRecord {
    /// The protocol.
    pub protocol: Protocol,
    /// The algorithms, as configured on both sides.
    pub algorithms: String,
}

/// The case that a session is a sample of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Case {
    /// The table or figure that it belongs to: `du2001/table-2`.
    pub table: String,
    /// What distinguishes it within the table besides protocol and messages: `get`, `walk`, `loss 0.5 %`, `slow`.
    pub what: String,
    /// The protocol.
    pub protocol: Protocol,
    /// The number of requests in the session.
    pub messages: u32,
}

/// One session, from before opening to after closing.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The case that it is a sample of.
    #[serde(flatten)]
    pub case: Case,
    /// The repetition, counted from 1; 0 is a warm-up, which no statistic uses.
    pub repetition: u32,
    /// Nanoseconds to make the target: resolve names, read certificates and keys. Before the session.
    pub prepare_ns: u64,
    /// Nanoseconds to open the session: resolve, connect, handshake. Over UDP only the socket.
    pub open_ns: u64,
    /// Nanoseconds from handing over the first request to having the last answer.
    pub exchange_ns: u64,
    /// Nanoseconds of the first exchange.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first_ns: Option<u64>,
    /// Nanoseconds of each exchange, in order; only if a table needs them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub each_ns: Vec<u64>,
    /// Nanoseconds to close: until the session's task is gone.
    pub close_ns: u64,
    /// Nanoseconds to drop the target.
    pub release_ns: u64,
    /// Requests that were sent more than once.
    pub resent: u32,
    /// Instances that a walk found before it first left its subtree, if it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instances: Option<u32>,
    /// Objects that were fetched; only if a table needs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub objects: Option<u32>,
    /// Octets of the messages of all requests and of all answers; only if a table needs them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message_octets: Option<[u64; 2]>,
    /// The rounds, if the link was quiet between them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<Round>,
    /// The traffic on the link, if there was one.
    pub link: Option<LinkCounts>,
    /// The Ethernet frames on the link without check sequence: each size with its number. Only if a table needs
    /// them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub frames: Vec<(u32, u32)>,
    /// Nanoseconds from the first packet on the link to the last; only if the link is captured.
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

    /// Packets of both directions that the link was given, if there was one.
    pub fn sent_packets(&self) -> Option<u64> {
        Some(self.link?.sent().packets)
    }

    /// Packets of both directions that the link lost, if there was one.
    pub fn lost_packets(&self) -> Option<u64> {
        Some(self.link?.lost())
    }
}

/// The memory of an agent with this many open sessions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct OpenSessionsRecord {
    /// The table or figure.
    pub table: String,
    /// The protocol.
    pub protocol: Protocol,
    /// How its messages are compressed.
    #[serde(default, skip_serializing_if = "Packing::is_none")]
    pub packing: Packing,
    /// The number of open sessions.
    pub sessions: u32,
    /// Resident memory, octets.
    pub resident: u64,
    /// Virtual memory, octets.
    pub virtual_size: u64,
    /// Resident memory of this program, octets.
    pub manager_resident: u64,
    /// What this program has in use of its heap, octets; `None` if its allocator does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub manager_in_use: Option<u64>,
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
    /// The duration of the measurement, seconds.
    pub seconds: f64,
}

/// A run and its records, read back.
#[derive(Debug, Clone, PartialEq)]
pub struct Trials {
    /// How and where.
    pub trial: Trial,
    /// The records after it, in order.
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

    /// The agents, if there are several, in the order in which they are measured.
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

    /// The memory records of a table.
    pub fn memory<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a OpenSessionsRecord> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Memory(memory) if memory.table == table => Some(memory),
            _ => None,
        })
    }

    /// The groups of a table, in order.
    pub fn groups<'a>(&'a self, table: &'a str) -> impl Iterator<Item = &'a GroupRecord> {
        self.entries.iter().filter_map(move |entry| match entry {
            Entry::Group(group) if group.table == table => Some(&**group),
            _ => None,
        })
    }

    /// The recorded algorithms.
    pub fn algorithms(&self) -> impl Iterator<Item = &AlgorithmsRecord> {
        self.entries.iter().filter_map(|entry| match entry {
            Entry::Algorithms(record) => Some(record),
            _ => None,
        })
    }

    /// The doubts that arose while measuring, including that the run was cut off.
    pub fn doubts(&self) -> Vec<Doubt> {
        let stored = self.entries.iter().filter_map(|entry| match entry {
            Entry::Doubt(record) => Some(record.doubt.clone()),
            _ => None,
        });
        let mut doubts: Vec<Doubt> = stored.collect();
        if self.seconds().is_none() {
            doubts.push(Doubt::CutOff { experiment: self.trial.experiment.clone() });
        }
        if let Some(load) = self.load().filter(Load::is_busy) {
            doubts.push(Doubt::BusyMachine { others: load.others.0, steal: load.steal.0 });
        }
        let busy = self.loads().into_iter().filter(|(_, load)| load.is_busy());
        doubts.extend(busy.map(|(table, load)| Doubt::BusyMeanwhile {
            table,
            others: load.others.0,
            steal: load.steal.0,
        }));
        doubts
    }

    /// What else the machine did while each table was measured, if there are several.
    fn loads(&self) -> Vec<(String, Load)> {
        let mut tables: Vec<(&str, Vec<(&LoadRecord, f64)>)> = Vec::new();
        let (mut table, mut before) = (None, 0.0);
        for entry in &self.entries {
            match entry {
                Entry::Session(it) => table = Some(&*it.case.table),
                Entry::Block(it) => table = Some(&*it.table),
                Entry::Memory(it) => table = Some(&*it.table),
                Entry::Reading(it) => table = Some(&*it.table),
                Entry::Group(it) => table = Some(&*it.table),
                Entry::Load(it) => {
                    let seconds = it.at - before;
                    before = it.at;
                    let Some(table) = table else { continue };
                    match tables.iter_mut().find(|(known, _)| *known == table) {
                        Some((_, records)) => records.push((it, seconds)),
                        None => tables.push((table, vec![(it, seconds)])),
                    }
                }
                _ => {}
            }
        }
        if tables.len() < 2 {
            return vec![];
        }
        let of = |(table, records): (&str, Vec<(&LoadRecord, f64)>)| {
            Some((table.to_owned(), Load::of_lasting(records.into_iter())?))
        };
        tables.into_iter().filter_map(of).collect()
    }

    /// What else the machine did during the run; `None` for a run of less than a second.
    pub fn load(&self) -> Option<Load> {
        Load::of(self.entries.iter().filter_map(|entry| match entry {
            Entry::Load(load) => Some(load),
            _ => None,
        }))
    }

    /// The options that the experiment recorded.
    pub fn setting<T: DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_value(self.trial.setting.clone()).ok()
    }

    /// The duration of the measurement; `None` if the run is incomplete.
    pub fn seconds(&self) -> Option<f64> {
        self.entries.iter().find_map(|entry| match entry {
            Entry::End(end) => Some(end.seconds),
            _ => None,
        })
    }
}

/// The record of a line. Agents and files are not to be trusted: control characters in its texts become escapes, so that
/// they reach neither a terminal nor a report.
fn record(line: &[u8]) -> Result<Entry, serde_json::Error> {
    let entry = serde_json::from_slice(line);
    // In JSON a control character is an escape, or (DEL, C1, marks without a width) not ASCII's printable ones.
    let is_plain = line.trim_ascii_end().iter().all(|octet| matches!(octet, b' '..=b'[' | b']'..=b'~'));
    match entry {
        Ok(_) if !is_plain => {
            let mut value: Value = serde_json::from_slice(line)?;
            make_visible(&mut value);
            serde_json::from_value(value)
        }
        entry => entry,
    }
}

fn make_visible(value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Cow::Owned(shown) = visible(text) {
                *text = shown;
            }
        }
        Value::Array(values) => values.iter_mut().for_each(make_visible),
        Value::Object(members) => members.values_mut().for_each(make_visible),
        _ => {}
    }
}

/// The format that a line names, if it is not ours.
fn other_format(line: &[u8]) -> Option<String> {
    let line: serde_json::Value = serde_json::from_slice(line).ok()?;
    line.get("format")?.as_str().filter(|found| *found != FORMAT).map(str::to_owned)
}

/// Reads the records of a directory back.
///
/// Fails with the line's number if a line is not a record, and if the first line is not a run of this [`FORMAT`].
/// An incomplete last line is left by a killed run; it is ignored.
pub fn read(directory: &Path) -> Result<Trials, Error> {
    let path = directory.join(FILE_NAME);
    let file = open_regular(&path).map_err(|source| Error::Read { path: path.clone(), source })?;
    read_records(&path, BufReader::new(file))
}

/// Reads the records of a file.
pub(crate) fn read_records(path: &Path, mut file: impl BufRead) -> Result<Trials, Error> {
    let failed = |source| Error::Read { path: path.to_owned(), source };
    let (mut trial, mut entries, mut text) = (None, Vec::new(), Vec::new());
    let mut measured = Measured::default();
    for line in 1.. {
        text.clear();
        file.read_until(b'\n', &mut text).map_err(failed)?;
        if !text.ends_with(b"\n") {
            break;
        }
        let wrong = |reason: String| Error::Sample { path: path.to_owned(), line, reason };
        if let Some(found) = other_format(&text).filter(|_| line == 1) {
            return Err(wrong(format!("samples in format {found}, this program reads {FORMAT}")));
        }
        let record = record(&text).map_err(|source| match line {
            1 => wrong(format!("expected the record of a run in format {FORMAT}: {source}")),
            _ => wrong(source.to_string()),
        });
        match record? {
            Entry::Trial(first) if trial.is_none() => trial = Some(first),
            Entry::Trial(_) => return Err(wrong("a second run begins here".into())),
            _ if trial.is_none() => return Err(wrong("expected the record of a run first".into())),
            entry => {
                check(&entry, &entries).and_then(|()| measured.add(&entry, &text, line)).map_err(wrong)?;
                entries.push(entry);
            }
        }
    }
    let empty = || Error::Sample {
        path: path.to_owned(),
        line: 1,
        reason: "expected the record of a run first".into(),
    };
    Ok(Trials { trial: trial.ok_or_else(empty)?, entries })
}

/// The measurements of a file by their hashes, with their lines: a run writes none twice, and a copy would count as another repetition.
#[derive(Default)]
struct Measured(HashMap<u64, usize>);

impl Measured {
    fn add(&mut self, entry: &Entry, text: &[u8], line: usize) -> Result<(), String> {
        let mut hasher = DefaultHasher::new();
        match entry {
            Entry::Reading(Reading { table, series, at, quantity, repetition, figure: _ }) => {
                (table, series, at, quantity, repetition).hash(&mut hasher);
            }
            Entry::Session(_) | Entry::Block(_) | Entry::Memory(_) | Entry::Group(_) => {
                text.trim_ascii_end().hash(&mut hasher)
            }
            _ => return Ok(()),
        }
        match self.0.insert(hasher.finish(), line) {
            None => Ok(()),
            Some(first) => Err(format!("the measurement of line {first} a second time")),
        }
    }
}

/// What no run writes: figures that are not counts or times, and agents with one name.
fn check(entry: &Entry, earlier: &[Entry]) -> Result<(), String> {
    let is_named = |subject: &SubjectRecord| {
        let is_it = |it: &Entry| matches!(it, Entry::Subject(other) if other.subject == subject.subject);
        earlier.iter().any(is_it)
    };
    match entry {
        Entry::Reading(Reading { quantity, figure, .. })
            if !(figure.is_normal() || *figure == 0.0) || *figure < 0.0 =>
        {
            Err(format!("expected a figure of {quantity:?} of 0 or more, found {figure}"))
        }
        Entry::Subject(subject) if is_named(subject) => {
            Err(format!("a second agent with the name {}", subject.subject))
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reading::Quantity;
    use crate::sample::{session, trial};
    use crate::transport::Transport;

    #[test]
    fn every_record_survives_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let mut one = session("du2001/table-2", "udp", Protocol::v1(Transport::Udp), 5, 1, [0.1, 2.0, 0.1]);
        one.each_ns = vec![5, 6];
        one.link = Some(LinkCounts::default());
        let memory = OpenSessionsRecord {
            table: "marinov2006/figure-6".into(),
            protocol: Protocol::v2c(Transport::Ssh),
            packing: Packing::Zlib,
            sessions: 10,
            resident: 5,
            virtual_size: 6,
            manager_resident: 7,
            manager_in_use: Some(8),
        };
        let doubt = Doubt::CutOff { experiment: "du2001".into() };
        let group = GroupRecord { table: "x/y".into(), agents: 70, ..GroupRecord::default() };
        let entries = vec![
            Entry::Group(Box::new(group.clone())),
            Entry::Session(one),
            Entry::Memory(memory),
            Entry::Load(LoadRecord { at: 1.0, others: 0.5, steal: 0.0, load: 1.5, mhz: (1800.0, 2500.0) }),
            Entry::Doubt(DoubtRecord { doubt: doubt.clone() }),
            Entry::End(EndRecord { seconds: 1.5 }),
        ];
        let mut writer = TrialWriter::create(directory.path()).unwrap();
        writer.write(&Entry::Trial(trial("du2001"))).unwrap();
        entries.iter().for_each(|entry| writer.write(entry).unwrap());
        writer.flush().unwrap();
        let read = read(directory.path()).unwrap();
        assert_eq!((&read.trial, &read.entries), (&trial("du2001"), &entries));
        assert_eq!(read.doubts(), [doubt, Doubt::BusyMachine { others: 0.5, steal: 0.0 }]);
        assert_eq!(read.sessions("du2001/table-2").count(), 1);
        assert_eq!((read.groups("x/y").collect::<Vec<_>>(), read.groups("x/z").count()), (vec![&group], 0));
        assert_eq!(read.seconds(), Some(1.5));
    }

    #[test]
    fn control_characters_become_escapes() {
        let mut hostile = trial("compare");
        hostile.agent = "a\u{1b}[2J\0b\u{9b}c \u{202e} ü".into();
        let line = serde_json::to_vec(&Entry::Trial(hostile)).unwrap();
        let Ok(Entry::Trial(read)) = record(&line) else { panic!() };
        assert_eq!(read.agent, "a\\x1B[2J\\x00b\\x9Bc \\u{202E} ü");
    }

    #[test]
    fn an_invalid_file_is_refused_with_its_line() {
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
        let reading = |figure: f64| Reading {
            table: "pras2005/table-1".into(),
            series: "trunklined".into(),
            at: 0,
            quantity: Quantity::Static,
            repetition: 1,
            figure,
        };
        for figure in [-1.0, 5e-324] {
            let line = serde_json::to_string(&Entry::Reading(reading(figure))).unwrap();
            check(&format!("{first}\n{line}\n"), 2);
        }
        let lines =
            [reading(2.0), reading(3.0)].map(|it| serde_json::to_string(&Entry::Reading(it)).unwrap());
        check(&format!("{first}\n{}\n{}\n", lines[0], lines[1]), 3);
        let one = session("du2001/table-2", "udp", Protocol::v1(Transport::Udp), 5, 1, [0.1, 2.0, 0.1]);
        let one = serde_json::to_string(&Entry::Session(one)).unwrap();
        check(&format!("{first}\n{one}\n{one}\n"), 3);
        let subject = Entry::Subject(SubjectRecord {
            subject: "trunklined".into(),
            kind: SubjectKind::Trunklined,
            description: String::new(),
            program: None,
        });
        let subject = serde_json::to_string(&subject).unwrap();
        check(&format!("{first}\n{subject}\n{subject}\n"), 3);
        // A killed run leaves half a line at the end.
        std::fs::write(directory.path().join(FILE_NAME), format!("{first}\n{{\"rec")).unwrap();
        let read = read(directory.path()).unwrap();
        assert!(read.entries.is_empty());
        assert!(matches!(read.doubts()[..], [Doubt::CutOff { .. }]));
    }
}
