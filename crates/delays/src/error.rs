//! Whose fault it is, where, and what to do.

/// A record that cannot be written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RecordError {
    /// It ended before it was sent.
    #[error("a request that was sent at {sent} ns cannot have ended at {ended} ns")]
    Backwards {
        /// When it was sent.
        sent: u64,
        /// When it ended.
        ended: u64,
    },
    /// A time that has no place in the file.
    #[error("{found} ns since the start is beyond the 2^62 that a file of delays holds")]
    TooLate {
        /// The time.
        found: u64,
    },
    /// A header that is too long.
    #[error("the header has {found} octets of JSON, at most {most} are written: shorten its settings")]
    Header {
        /// Its length.
        found: usize,
        /// The most.
        most: usize,
    },
}

/// Why a file of delays cannot be read on. Offsets count the octets of the file from 0; the records before are good.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// It is another kind of file.
    #[error("this is not a file of delays: it begins with {found:02x?}, expected \"TRKDELAY\" and version 1")]
    Magic {
        /// Its first octets.
        found: Vec<u8>,
    },
    /// It is a file of another version.
    #[error("this is a file of delays of version {found}; this program reads version 1")]
    Version {
        /// Its version.
        found: u8,
    },
    /// A block of no known kind.
    #[error(
        "at octet {offset}: no block begins with {found:#04x}; the file was changed there, or parts of it are missing before"
    )]
    Kind {
        /// Where.
        offset: u64,
        /// What stands there.
        found: u8,
    },
    /// A block that is longer than any is written.
    #[error(
        "at octet {offset}: a block of {found} octets, at most {most} are read; the file was changed there"
    )]
    Length {
        /// Where.
        offset: u64,
        /// Its announced length.
        found: u32,
        /// The most.
        most: u32,
    },
    /// The checksum is another one.
    #[error(
        "at octet {offset}: the block's checksum is {found:08x}, its octets have {expected:08x}; the file was changed there"
    )]
    Checksum {
        /// Where.
        offset: u64,
        /// In the file.
        found: u32,
        /// Of its octets.
        expected: u32,
    },
    /// The checksum is right, but what the block says is not possible: a defect of the writer.
    #[error("at octet {offset}: {what}; the program that wrote the file has a defect")]
    Content {
        /// Where the block begins.
        offset: u64,
        /// What is wrong.
        what: &'static str,
    },
    /// The header cannot be understood.
    #[error("at octet {offset}: the header is not understood: {reason}")]
    Header {
        /// Where its block begins.
        offset: u64,
        /// Why not.
        reason: String,
    },
    /// There is no header yet.
    #[error("the file ends before its header: the run was ended before it had measured anything")]
    NoHeader,
}

/// Why a text is not a list of delays. Lines count from 1.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ImportError {
    /// It is not text.
    #[error("octet {offset} is not UTF-8: expected a list of numbers, CSV or JSON")]
    NotText {
        /// Where.
        offset: usize,
    },
    /// It has no delays.
    #[error("there is no delay in it: expected one a line, CSV or JSON")]
    Empty,
    /// A value that is not a delay.
    #[error(
        "{place}: `{found}` is not a delay: expected a number from 0 to 31 years, with ns, us, ms or s behind it if need be, or `lost`"
    )]
    Value {
        /// The line or the element.
        place: Place,
        /// What stands there.
        found: String,
    },
    /// There is no such column.
    #[error("there is no column `{wanted}`: --column takes one of {found}")]
    NoColumn {
        /// The wanted column.
        wanted: String,
        /// Those that there are.
        found: String,
    },
    /// There are several columns, and none is named.
    #[error("which column has the delays? --column takes one of {found}")]
    WhichColumn {
        /// Those that there are.
        found: String,
    },
    /// Not CSV, or not JSON.
    #[error("{place}: {reason}")]
    Form {
        /// The line.
        place: Place,
        /// What is wrong.
        reason: String,
    },
}

/// A place in a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(u64),
    /// An element of a list in JSON, from 1.
    Element(usize),
}

impl std::fmt::Display for Place {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Place::Line(line) => write!(out, "line {line}"),
            Place::Element(element) => write!(out, "element {element}"),
        }
    }
}
