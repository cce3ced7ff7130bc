//! What a cycle has read.

use std::fmt;
use std::time::Duration;

use trunkline_smi::Value;

/// What a cycle has read of a device. Moments are those of the clock that the device is driven by.
#[derive(Clone, Debug, PartialEq)]
pub struct Snapshot {
    /// When the cycle began.
    pub began: Duration,
    /// When it ended.
    pub ended: Duration,
    /// Whether the device answered at all.
    pub is_heard: bool,
    /// Whether the deadline ended it though the device answered.
    pub is_overrun: bool,
    /// How often the device has been seen to restart: values of counters can be compared only within one number.
    pub boots: u64,
    /// The device's sysUpTime in hundredths of a second, and when it said so.
    pub up_time: Option<(u32, Duration)>,
    /// Why the last request that failed did, in words.
    pub failure: Option<String>,
    /// The scalars, in the order of what was wanted.
    pub scalars: Vec<Scalar>,
    /// The tables, in the order of what was wanted.
    pub tables: Vec<Table>,
}

/// A scalar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scalar {
    /// Its value, or why there is none.
    pub value: Result<Value, Missing>,
    /// When it was read.
    pub at: Duration,
}

/// A table, by its columns.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Table {
    /// The indexes of the rows, in order.
    pub indexes: Vec<Box<[u32]>>,
    /// When each row was read: the last answer with a cell of it.
    pub at: Vec<Duration>,
    /// The columns, in the order of what was wanted.
    pub columns: Vec<Column>,
}

/// A column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Column {
    /// A cell for each row. `None`: the row has none, as one that came or went during the walk.
    pub cells: Vec<Option<Value>>,
    /// Why the column is not whole. What it has is not all that there is.
    pub missing: Option<Missing>,
}

/// Why something was not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Missing {
    /// No answer, however often it was requested.
    NoAnswer,
    /// The cycle's time was over.
    Deadline,
    /// The device does not have it.
    NotThere,
    /// The device refuses it with this error-status.
    Refused(i32),
    /// The device goes back in a walk: it would never end.
    NotIncreasing,
    /// More rows or octets than are kept of a device.
    TooLong,
    /// An answer that does not fit the request.
    Unfit,
    /// The device restarted once more while it was read again.
    Restarted,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Missing::NoAnswer => "no answer",
            Missing::Deadline => "the time for the cycle is over",
            Missing::NotThere => "the device does not have it",
            Missing::Refused(status) => return write!(f, "the device answers with error-status {status}"),
            Missing::NotIncreasing => "the device goes back in a walk",
            Missing::TooLong => "more than is kept of a device",
            Missing::Unfit => "the answer does not fit the request",
            Missing::Restarted => "the device restarts again and again",
        })
    }
}
