//! Raw samples on disk: every record is a line of JSON in `samples.jsonl`, written before any statistic is made.
//!
//! Analysis ([`crate::analysis`]) is a function of what [`read`] gives back and of nothing else, so a stored run can be
//! analysed again at any time, here or with other tools.

use std::fmt;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::kit::error::Error;
use crate::kit::machine::Machine;
pub use crate::kit::transport::Transport;
pub use crate::kit::trial::FILE_NAME;
use crate::warning::Warning;

/// The form of the records; analysis refuses a file with another number.
pub const FORMAT: u32 = 1;

/// One line of the file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub enum Record {
    /// Always the first line, once.
    Run(Run),
    /// Before the first sample of a subject.
    Subject(SubjectRecord),
    /// What a walk of a subject's ifTable found.
    Table(TableRecord),
    /// The octets of one interaction, for figure 7.
    Octets(OctetsRecord),
    /// One request and its response.
    Request(RequestRecord),
    /// A block of requests that were sent one after the other.
    Block(BlockRecord),
    /// A subject's memory.
    Memory(MemoryRecord),
    /// A doubt that arose while measuring.
    Warning(WarningRecord),
    /// The last line of a run that came to its end.
    End(EndRecord),
}

/// How and where a run was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`FORMAT`].
    pub format: u32,
    /// The version of this program.
    pub lab_version: String,
    /// The command that repeats the run.
    pub command: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The seed of everything that is drawn by lot.
    pub seed: u64,
    /// The columns: how many ifTable objects one interaction retrieves.
    pub objects: Vec<u32>,
    /// Rounds that were planned.
    pub rounds: u32,
    /// Requests in a block: one block for each cell in each round.
    pub requests_per_block: u32,
    /// Where the traffic ran.
    pub place: PlaceRecord,
    /// The machine.
    pub machine: Machine,
}

/// Where the traffic of a run ran.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum PlaceRecord {
    /// The host's own loopback (and, for agents named by URL, its network) as it is.
    Host {
        /// Interfaces of the host.
        interfaces: u32,
    },
    /// The loopback of a private network namespace with further interfaces, mostly virtual Ethernet.
    Namespace {
        /// Interfaces in the namespace, the loopback included.
        interfaces: u32,
        /// Datagrams that were sent through them before measuring, so that counters differ from zero.
        datagrams: u64,
    },
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

/// The kinds of subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// Our agent as a child process.
    Trunklined,
    /// Net-SNMP's agent as a child process.
    Snmpd,
    /// An agent that was there already, named by URL: its CPU time and memory cannot be read.
    Remote,
}

/// How the objects were asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Operation {
    /// One Get of n instances.
    Get,
    /// One GetNext with n names, each the one before an instance.
    GetNext,
    /// One GetBulk: the name `ifTable` with max-repetitions n.
    GetBulk,
}

impl Operation {
    /// All of them, in the order of the tables.
    pub const ALL: [Operation; 3] = [Operation::Get, Operation::GetNext, Operation::GetBulk];
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Operation::Get => "Get",
            Operation::GetNext => "GetNext",
            Operation::GetBulk => "GetBulk",
        })
    }
}

/// What is measured: a subject asked in one way for one number of objects.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Who answers.
    pub subject: String,
    /// Over what.
    pub transport: Transport,
    /// How.
    pub operation: Operation,
    /// How many ifTable objects.
    pub objects: u32,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Cell { subject, transport, operation, objects } = self;
        write!(f, "{operation} of {objects} over {transport} from {subject}")
    }
}

/// A subject's ifTable as a walk found it before measuring.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableRecord {
    /// Whose.
    pub subject: String,
    /// How many rows.
    pub rows: u32,
    /// The column numbers that have instances.
    pub columns: Vec<u32>,
    /// How many instances in all.
    pub instances: u32,
    /// The counter columns (RFC 2863: 10 to 20) that are zero in every row.
    pub zero_columns: Vec<u32>,
}

/// The octets of one interaction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OctetsRecord {
    /// What was asked; always over UDP, the octets of the messages are the same over TCP.
    #[serde(flatten)]
    pub cell: Cell,
    /// Octets of the request message.
    pub sent: u64,
    /// Octets of the response message.
    pub received: u64,
    /// The same two by formulas (1) to (6) carried through exactly (`pras2005::exact`).
    pub exact: (u64, u64),
    /// Octets of all values of the response, without tag and length: the sum of the formulas' `S_ObjectValue`.
    pub value_octets: u64,
    /// Octets of the longest value.
    pub longest_value: u64,
}

/// One request and its response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RequestRecord {
    /// What was asked.
    #[serde(flatten)]
    pub cell: Cell,
    /// Which round, counted from 1; 0 is the warm-up, which no statistic uses.
    pub round: u32,
    /// Which request of its block, counted from 1.
    pub request: u32,
    /// Octets of the request message.
    pub sent: u64,
    /// Octets of the response message.
    pub received: u64,
    /// IP packets of both messages, fragments included; absent over TCP, where the block counts them.
    pub ip_packets: Option<u64>,
    /// Octets of these packets from the IP header on; absent over TCP.
    pub ip_octets: Option<u64>,
    /// Nanoseconds from handing the request to the socket to having the response's last octet, monotonic clock.
    pub delay_ns: u64,
    /// Bindings in the response.
    pub bindings: u32,
    /// How often the request was sent: 1 unless it was lost.
    pub attempts: u32,
}

/// A block of requests that were sent one after the other, each after the response to the one before.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct BlockRecord {
    /// What was asked.
    #[serde(flatten)]
    pub cell: Cell,
    /// Which round, counted from 1.
    pub round: u32,
    /// Requests in the block.
    pub requests: u32,
    /// CPU time (user and system) that the subject used during the block, nanoseconds; absent for a remote subject.
    pub cpu_ns: Option<u64>,
    /// What the manager's kernel counted on the connection during the block; absent over UDP.
    pub tcp: Option<TcpDelta>,
}

/// What the manager's kernel counted on one TCP connection between two readings (Linux `TCP_INFO`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TcpDelta {
    /// Segments sent, bare acknowledgements and retransmissions included.
    pub segments_out: u64,
    /// Segments received.
    pub segments_in: u64,
    /// Octets of payload sent, retransmissions included.
    pub payload_out: u64,
    /// Octets of payload received.
    pub payload_in: u64,
    /// Octets of IP and TCP header of each segment, options included.
    pub headers_per_segment: u64,
}

impl TcpDelta {
    /// Octets at IP level, both directions.
    pub const fn ip_octets(&self) -> u64 {
        let segments = self.segments_out + self.segments_in;
        self.payload_out + self.payload_in + segments * self.headers_per_segment
    }
}

/// A subject's memory, from `/proc/PID/smaps_rollup` and `/proc/PID/smaps`, octets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MemoryRecord {
    /// Whose.
    pub subject: String,
    /// When in the run.
    pub when: MemoryMoment,
    /// Resident, shared pages counted whole.
    pub rss: u64,
    /// Resident, shared pages counted by share.
    pub pss: u64,
    /// Resident pages that may be executed: instructions.
    pub instructions: u64,
    /// Resident pages that may be written: data, heap and stacks.
    pub data: u64,
    /// Other resident pages: constants.
    pub constants: u64,
}

/// When memory was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MemoryMoment {
    /// Ready, before the first request.
    Idle,
    /// After the last request.
    AfterLoad,
}

/// A doubt that arose while measuring.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct WarningRecord {
    /// The doubt.
    pub warning: Warning,
}

/// The end of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EndRecord {
    /// Rounds that were measured.
    pub rounds: u32,
    /// How long measuring took, seconds.
    pub seconds: f64,
}

/// Writes records to the file as they come.
#[derive(Debug)]
pub struct SampleWriter {
    path: PathBuf,
    file: BufWriter<File>,
}

impl SampleWriter {
    /// Makes (or empties) `samples.jsonl` in this directory, which must exist.
    pub fn create(directory: &Path) -> Result<Self, Error> {
        let path = directory.join(FILE_NAME);
        let file = File::create(&path).map_err(|source| Error::Write { path: path.clone(), source })?;
        Ok(SampleWriter { path, file: BufWriter::with_capacity(1 << 18, file) })
    }

    /// Appends a record; it may stay in memory until [`flush`](Self::flush), so that writing disturbs no measurement.
    pub fn write(&mut self, record: &Record) -> Result<(), Error> {
        let result = serde_json::to_writer(&mut self.file, record)
            .map_err(std::io::Error::from)
            .and_then(|()| self.file.write_all(b"\n"));
        result.map_err(|source| Error::Write { path: self.path.clone(), source })
    }

    /// Brings everything written so far to disk.
    pub fn flush(&mut self) -> Result<(), Error> {
        self.file.flush().map_err(|source| Error::Write { path: self.path.clone(), source })
    }
}

/// Reads the records of a directory back.
///
/// Fails with the line's number where a line is not a record, and where the first line is not a run of this [`FORMAT`]. A last line
/// without its end is what a killed run left half written; it is not read.
pub fn read(directory: &Path) -> Result<Vec<Record>, Error> {
    let path = directory.join(FILE_NAME);
    let failed = |source| Error::Read { path: path.clone(), source };
    let mut file = BufReader::new(File::open(&path).map_err(failed)?);
    let (mut records, mut text) = (Vec::new(), Vec::new());
    for line in 1.. {
        text.clear();
        file.read_until(b'\n', &mut text).map_err(failed)?;
        if !text.ends_with(b"\n") {
            break;
        }
        let record = serde_json::from_slice(&text).map_err(|source| {
            let reason = source.to_string();
            Error::Sample { path: path.clone(), line, reason }
        })?;
        records.push(record);
    }
    match records.first() {
        Some(Record::Run(run)) if run.format == FORMAT => Ok(records),
        Some(Record::Run(run)) => {
            let reason = format!("format {} found, this program reads format {FORMAT}", run.format);
            Err(Error::Sample { path, line: 1, reason })
        }
        _ => Err(Error::Sample { path, line: 1, reason: "expected the record of a run first".into() }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell() -> Cell {
        Cell {
            subject: "snmpd".into(),
            transport: Transport::Udp,
            operation: Operation::GetBulk,
            objects: 66,
        }
    }

    pub(crate) fn run() -> Run {
        Run {
            format: FORMAT,
            lab_version: "0".into(),
            command: "trunkline lab".into(),
            started: "2026-11-21T21:00:00Z".into(),
            seed: 1,
            objects: vec![1, 66],
            rounds: 2,
            requests_per_block: 10,
            place: PlaceRecord::Host { interfaces: 2 },
            machine: Machine::default(),
        }
    }

    #[test]
    fn every_record_survives_the_disk() {
        let directory = tempfile::tempdir().unwrap();
        let tcp = TcpDelta {
            segments_out: 10,
            segments_in: 11,
            payload_out: 430,
            payload_in: 9000,
            headers_per_segment: 52,
        };
        assert_eq!(tcp.ip_octets(), 430 + 9000 + 21 * 52);
        let written = vec![
            Record::Run(run()),
            Record::Subject(SubjectRecord {
                subject: "snmpd".into(),
                kind: SubjectKind::Snmpd,
                description: "NET-SNMP \"5.9\"\n".into(),
                program: Some("/usr/sbin/snmpd".into()),
            }),
            Record::Table(TableRecord {
                subject: "snmpd".into(),
                rows: 3,
                columns: (1..=22).collect(),
                instances: 66,
                zero_columns: vec![13, 14],
            }),
            Record::Octets(OctetsRecord {
                cell: cell(),
                sent: 40,
                received: 1400,
                exact: (40, 1400),
                value_octets: 200,
                longest_value: 6,
            }),
            Record::Request(RequestRecord {
                cell: cell(),
                round: 1,
                request: 3,
                sent: 40,
                received: 1400,
                ip_packets: Some(2),
                ip_octets: Some(1496),
                delay_ns: 123_456,
                bindings: 66,
                attempts: 1,
            }),
            Record::Block(BlockRecord { cell: cell(), round: 1, requests: 10, cpu_ns: None, tcp: Some(tcp) }),
            Record::Memory(MemoryRecord {
                subject: "snmpd".into(),
                when: MemoryMoment::AfterLoad,
                rss: 1,
                pss: 2,
                instructions: 3,
                data: 4,
                constants: 5,
            }),
            Record::Warning(WarningRecord {
                warning: Warning::SubjectLeftOut { subject: "x".into(), reason: "y".into() },
            }),
            Record::End(EndRecord { rounds: 2, seconds: 1.5 }),
        ];
        let mut writer = SampleWriter::create(directory.path()).unwrap();
        for record in &written {
            writer.write(record).unwrap();
        }
        writer.flush().unwrap();
        assert_eq!(read(directory.path()).unwrap(), written);
    }

    #[test]
    fn a_bad_line_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join(FILE_NAME);
        let first = serde_json::to_string(&Record::Run(run())).unwrap();
        std::fs::write(&path, format!("{first}\n{{\"record\":\"request\"}}\n")).unwrap();
        match read(directory.path()) {
            Err(Error::Sample { line: 2, .. }) => {}
            other => panic!("{other:?}"),
        }
        std::fs::write(&path, "{\"record\":\"end\",\"rounds\":1,\"seconds\":0.0}\n").unwrap();
        assert!(matches!(read(directory.path()), Err(Error::Sample { line: 1, .. })));
        std::fs::write(&path, format!("{first}\n{{\"record\":\"end\",\"rou")).unwrap();
        assert_eq!(read(directory.path()).unwrap(), [Record::Run(run())], "a half line is not read");
        std::fs::write(&path, first.replace("\"format\":1", "\"format\":9") + "\n").unwrap();
        assert!(matches!(read(directory.path()), Err(Error::Sample { line: 1, .. })));
        assert!(matches!(read(&directory.path().join("nowhere")), Err(Error::Read { .. })));
    }
}
