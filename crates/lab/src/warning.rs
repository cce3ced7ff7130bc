//! Every doubt about a figure is a typed warning that stands in the report beside the figures: what was left out, what
//! could not be metered, what does not agree with what it should agree with.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::samples::{Cell, Transport};

/// A doubt about a run or one of its figures. Its text says what follows from it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
#[non_exhaustive]
pub enum Warning {
    /// An agent that should have been measured was not.
    SubjectLeftOut {
        /// Which.
        subject: String,
        /// Why.
        reason: String,
    },
    /// The private network namespace for more rows could not be made, so the host's own interfaces were used.
    NoNamespace {
        /// Rows that the largest column needs.
        rows: u32,
        /// Interfaces that the host has.
        interfaces: u32,
        /// Why not.
        reason: String,
    },
    /// A subject's ifTable has fewer instances than a column needs; the column is empty for it.
    TooFewInstances {
        /// Whose.
        subject: String,
        /// The column.
        objects: u32,
        /// What the table has.
        instances: u32,
    },
    /// Subjects name different first instances, so they do not answer quite the same question.
    InstancesDiffer {
        /// The subjects.
        subjects: (String, String),
        /// The first place (from 1) where the lists differ.
        at: u32,
        /// The instance of each.
        found: (String, String),
    },
    /// Counter columns that are zero in every row: they take the least octets a value can take.
    ZeroColumns {
        /// Whose.
        subject: String,
        /// The columns' names.
        columns: Vec<String>,
    },
    /// Counter columns that are zero in every row because Linux has no such count of an interface: no traffic moves them.
    UncountedColumns {
        /// Whose.
        subject: String,
        /// The columns' names.
        columns: Vec<String>,
    },
    /// A request failed, or its answer did not bring what was asked; the cell is left out from then on.
    RequestFailed {
        /// Which cell.
        cell: Cell,
        /// Why.
        reason: String,
    },
    /// Requests had to be sent again; their delays hold the time-out.
    Retried {
        /// Which cell.
        cell: Cell,
        /// How many requests.
        requests: u32,
    },
    /// A measured interaction lies outside figure 6's bounds.
    OutsideBounds {
        /// Which cell.
        cell: Cell,
        /// Octets of both messages.
        octets: u64,
        /// The lower bound.
        low: u64,
        /// The upper bound.
        high: u64,
        /// The longest value, octets: long ifDescr values explain it, as in the paper.
        longest_value: u64,
    },
    /// A message is not as long as the exact account says it must be.
    NotAsExact {
        /// Which cell.
        cell: Cell,
        /// Octets measured, request and response.
        measured: (u64, u64),
        /// Octets expected, request and response.
        exact: (u64, u64),
    },
    /// The subject's CPU time could not be read.
    NoCpuTime {
        /// Whose.
        subject: String,
        /// Why.
        reason: String,
    },
    /// The subject's memory could not be read.
    NoMemory {
        /// Whose.
        subject: String,
        /// Why.
        reason: String,
    },
    /// The kernel's count of TCP segments could not be read; the IP level over TCP is missing.
    NoTcpCount {
        /// Whose.
        subject: String,
        /// Why.
        reason: String,
    },
    /// The path's MTU is unknown, so fragments were counted for an assumed one.
    AssumedMtu {
        /// Whose path.
        subject: String,
        /// The MTU that was assumed, octets.
        mtu: u32,
    },
    /// The budget of time was spent before all rounds were measured.
    StoppedEarly {
        /// Rounds measured.
        rounds: u32,
        /// Rounds planned.
        planned: u32,
        /// Seconds of the budget.
        budget: f64,
    },
    /// The run was ended before its end: there is no closing record.
    Incomplete {
        /// Rounds with samples.
        rounds: u32,
    },
    /// The medians of a cell waver: its confidence interval is wide.
    Noisy {
        /// Which cell.
        cell: Cell,
        /// Half the interval's width as a share of the median.
        share: f64,
    },
    /// The machine had other work when the run began.
    BusyMachine {
        /// The load average of the last minute.
        load: f64,
        /// Processors.
        processors: u32,
    },
    /// Our agent, or this program, was built without optimisation.
    DebugBuild {
        /// Which program.
        program: String,
    },
    /// A transport of a subject could not be used.
    TransportLeftOut {
        /// Whose.
        subject: String,
        /// Which.
        transport: Transport,
        /// Why.
        reason: String,
    },
}

impl Warning {
    /// The subject that it is about, if it is about one.
    pub fn subject(&self) -> Option<&str> {
        match self {
            Warning::SubjectLeftOut { subject, .. }
            | Warning::TooFewInstances { subject, .. }
            | Warning::ZeroColumns { subject, .. }
            | Warning::UncountedColumns { subject, .. }
            | Warning::NoCpuTime { subject, .. }
            | Warning::NoMemory { subject, .. }
            | Warning::NoTcpCount { subject, .. }
            | Warning::AssumedMtu { subject, .. }
            | Warning::TransportLeftOut { subject, .. } => Some(subject),
            Warning::RequestFailed { cell, .. }
            | Warning::Retried { cell, .. }
            | Warning::OutsideBounds { cell, .. }
            | Warning::NotAsExact { cell, .. }
            | Warning::Noisy { cell, .. } => Some(&cell.subject),
            Warning::NoNamespace { .. }
            | Warning::InstancesDiffer { .. }
            | Warning::StoppedEarly { .. }
            | Warning::Incomplete { .. }
            | Warning::BusyMachine { .. }
            | Warning::DebugBuild { .. } => None,
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::SubjectLeftOut { subject, reason } => write!(f, "{subject} was left out: {reason}"),
            Warning::TooFewInstances { subject, objects, instances } => write!(
                f,
                "the column of {objects} objects is left out for {subject}: its ifTable has {instances} instances"
            ),
            Warning::InstancesDiffer { subjects: (one, two), at, found: (first, second) } => write!(
                f,
                "{one} and {two} serve different instances, first at place {at}: {first} and {second}; \
                 they answer nearly the same question, not the same"
            ),
            Warning::ZeroColumns { subject, columns } => write!(
                f,
                "zero in every row of {subject}'s ifTable, so shortest on the wire: {}",
                columns.join(", ")
            ),
            Warning::UncountedColumns { subject, columns } => write!(
                f,
                "zero in every row of {subject}'s ifTable whatever the traffic, so shortest on the wire: {}; Linux counts \
                 no multicast that an interface sends, and frames of unknown protocols among the discards",
                columns.join(", ")
            ),
            Warning::RequestFailed { cell, reason } => write!(f, "{cell} is left out: {reason}"),
            Warning::Retried { cell, requests } => {
                write!(f, "{cell}: {requests} requests were sent again; their delays hold the time-out")
            }
            Warning::OutsideBounds { cell, octets, low, high, longest_value } => write!(
                f,
                "{cell} takes {octets} octets, outside figure 6's bounds of {low} to {high}; \
                 its longest value has {longest_value} octets (long ifDescr values do this, as the paper says)"
            ),
            Warning::NotAsExact { cell, measured, exact } => write!(
                f,
                "{cell}: messages of {} and {} octets, where formulas (1) to (6) carried through exactly give {} and {}",
                measured.0, measured.1, exact.0, exact.1
            ),
            Warning::NoCpuTime { subject, reason } => {
                write!(f, "the CPU time of {subject} could not be read: {reason}")
            }
            Warning::NoMemory { subject, reason } => {
                write!(f, "the memory of {subject} could not be read: {reason}")
            }
            Warning::NoTcpCount { subject, reason } => {
                write!(f, "the segments of the TCP connection to {subject} could not be counted: {reason}")
            }
            Warning::AssumedMtu { subject, mtu } => {
                write!(
                    f,
                    "the MTU of the path to {subject} is unknown; fragments are counted for {mtu} octets"
                )
            }
            Warning::Noisy { cell, share } => write!(
                f,
                "{cell}: the median delay is known to {:.0} % only; other work on this machine?",
                share * 100.0
            ),
            Warning::TransportLeftOut { subject, transport, reason } => {
                write!(f, "{transport} was left out for {subject}: {reason}")
            }
            _ => self.fmt_about_run(f),
        }
    }
}

impl Warning {
    /// What concerns the whole run, not a subject or a cell of a table.
    fn fmt_about_run(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::NoNamespace { rows, interfaces, reason } => write!(
                f,
                "the largest column needs {rows} interfaces, this host has {interfaces}, and a private network \
                 namespace with more could not be made ({reason}): columns that need more rows are left out"
            ),
            Warning::StoppedEarly { rounds, planned, budget } => write!(
                f,
                "{rounds} of {planned} rounds were measured: the budget of {budget:.0} s was spent (--repeat N has no budget)"
            ),
            Warning::Incomplete { rounds } => {
                write!(f, "the run was ended before its end; {rounds} rounds have samples")
            }
            Warning::BusyMachine { load, processors } => write!(
                f,
                "the machine had other work when the run began: load {load:.1} on {processors} processors"
            ),
            Warning::DebugBuild { program } => {
                write!(
                    f,
                    "{program} was built without optimisation: its times say nothing about the protocol"
                )
            }
            // Every other one has its words above; a new one without words is shown as it is.
            other => write!(f, "{other:?}"),
        }
    }
}
