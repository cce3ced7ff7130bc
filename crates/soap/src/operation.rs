//! A request, typed.

mod read;
mod write;

use trunkline_smi::{Oid, Value};

use crate::catalog::{ObjectName, TableVerb};
use crate::encoding::Encoding;
use crate::envelope::Version;
use crate::fault::Fault;

pub use read::read;
pub use write::{action, write};

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// The version of SOAP of the request and its answer.
    pub version: Version,
    /// The encoding of the answer, from the operation's namespace.
    pub encoding: Encoding,
    /// The operation's local name: the answer's has `Response` appended.
    pub name: String,
    /// Its namespace.
    pub namespace: String,
    /// The community, if there is one in the request.
    pub community: Option<String>,
    /// The operation.
    pub operation: Operation,
}

/// The operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Exactly these instances.
    Get {
        /// Which.
        names: Vec<ObjectName>,
        /// Whether one that is missing is marked in the answer, instead of a fault.
        mark_missing: bool,
    },
    /// The instances after each of these names.
    GetNext {
        /// Behind which.
        names: Vec<ObjectName>,
        /// How many for each.
        count: usize,
    },
    /// New values, all of them or none.
    Set(Vec<Assignment>),
    /// Rows.
    Table(TableRequest),
    /// All scalars of a group, by its position in [`Catalog::groups`](crate::catalog::Catalog::groups).
    Group(usize),
}

/// One new value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// Of which instance.
    pub name: ObjectName,
    /// The value.
    pub value: Value,
}

/// Rows of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRequest {
    /// How they are selected.
    pub verb: TableVerb,
    /// The table's position in [`Catalog::tables`](crate::catalog::Catalog::tables).
    pub table: usize,
    /// Positions of the wanted fields in the table's record, ascending; `None`: all.
    pub columns: Option<Vec<usize>>,
    /// Which rows.
    pub range: RowRange,
}

/// Which rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowRange {
    /// All.
    All,
    /// The one of this index.
    One(Oid),
    /// Those after this index; an empty one is before the first row.
    After {
        /// The index.
        index: Oid,
        /// The maximum number.
        count: usize,
    },
}

/// Limits on one request.
#[derive(Clone, Copy, Debug)]
pub struct RequestLimits {
    /// Of the document.
    pub xml: trunkline_xml::Limits,
    /// Names in a Get or GetNext, values in a Set.
    pub names: usize,
    /// Rows of a GetNext, and of a `GetNextIfEntries`.
    pub rows: usize,
}

impl RequestLimits {
    /// What the agent accepts.
    pub const DEFAULT: RequestLimits =
        RequestLimits { xml: trunkline_xml::Limits::MESSAGE, names: 10_000, rows: 1_000_000 };
}

/// A request that is not carried out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{fault}")]
pub struct Rejected {
    /// The version of the answer, if the request had one.
    pub version: Option<Version>,
    /// Why.
    pub fault: Fault,
}
