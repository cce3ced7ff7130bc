//! UCD-SNMP-MIB: sizes of files, and lines of log files that match expressions.

use super::ERROR_FLAG;
use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Scalar, Syntax, Table};

const FILE_INDEX: Syntax = Syntax::integer(0, i32::MAX as i64);
const LOG_INDEX: Syntax = Syntax::integer(1, i32::MAX as i64);

/// fileTable: files that may grow, and how large they may become.
pub const FILE_TABLE: Table = Table {
    name: "fileTable",
    entry: "fileEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 15],
    index: &[IndexPart::new("fileIndex", IndexEncoding::Integer, FILE_INDEX)],
    columns: &[
        Column::new(1, "fileIndex", ReadOnly, FILE_INDEX),
        Column::new(2, "fileName", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "fileSize", ReadOnly, Syntax::INTEGER32).units("kB"),
        Column::new(4, "fileMax", ReadOnly, Syntax::INTEGER32).units("kB"),
        Column::new(100, "fileErrorFlag", ReadOnly, ERROR_FLAG),
        Column::new(101, "fileErrorMsg", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};

/// How many rows logMatchTable may have.
pub const LOG_MATCH_MAX_ENTRIES: Scalar =
    Scalar::new("logMatchMaxEntries", &[1, 3, 6, 1, 4, 1, 2021, 16, 1], ReadOnly, Syntax::INTEGER32);

/// logMatchTable: log files, and how many of their lines match an expression.
pub const LOG_MATCH_TABLE: Table = Table {
    name: "logMatchTable",
    entry: "logMatchEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 16, 2],
    index: &[IndexPart::new("logMatchIndex", IndexEncoding::Integer, LOG_INDEX)],
    columns: &[
        Column::new(1, "logMatchIndex", ReadOnly, LOG_INDEX),
        Column::new(2, "logMatchName", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "logMatchFilename", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(4, "logMatchRegEx", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(5, "logMatchGlobalCounter", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "logMatchGlobalCount", ReadOnly, Syntax::INTEGER32),
        Column::new(7, "logMatchCurrentCounter", ReadOnly, Syntax::COUNTER32),
        Column::new(8, "logMatchCurrentCount", ReadOnly, Syntax::INTEGER32),
        Column::new(9, "logMatchCounter", ReadOnly, Syntax::COUNTER32),
        Column::new(10, "logMatchCount", ReadOnly, Syntax::INTEGER32),
        Column::new(11, "logMatchCycle", ReadOnly, Syntax::INTEGER32),
        Column::new(100, "logMatchErrorFlag", ReadOnly, ERROR_FLAG),
        Column::new(101, "logMatchRegExCompilation", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};
