//! Decodes an answer: the client's side.

mod cells;

pub(crate) use cells::rows;

use trunkline_smi::Exception;
use trunkline_smi::{Oid, Value};
use trunkline_xml::{Limits, Name, Reader, XmlError};

use crate::catalog::Record;
use crate::encoding::Encoding;
use crate::envelope::{self, Version};
use crate::fault::{self, Fault};

/// A row of an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The row's index; empty for the scalars of a group.
    pub index: Oid,
    /// For each field of the record its value, if the answer has it.
    pub cells: Vec<Option<Value>>,
}

/// An object of an answer to `Get` or `GetNext`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Object {
    /// Which instance; empty in `as-in-paper`, which distinguishes them only by their order.
    pub oid: Option<Oid>,
    /// Its value, or why it has none.
    pub value: Result<Value, Exception>,
}

/// Why an answer has no data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// The peer's fault.
    #[error("{0}")]
    Fault(Fault),
    /// It cannot be read.
    #[error("the answer cannot be read: {0}")]
    Xml(#[from] XmlError),
    /// It is an envelope, but not with the answer that was expected.
    #[error("the answer cannot be read: {0}")]
    Unexpected(String),
}

/// Reads the rows of an answer. `record` is the request: the table's record, with only the requested columns.
pub fn read_rows(
    octets: &[u8],
    limits: Limits,
    encoding: Encoding,
    record: &Record,
) -> Result<Vec<Row>, AnswerError> {
    let mut reader = Reader::new(octets, limits);
    if open(&mut reader, encoding)?.is_none() {
        return Ok(Vec::new());
    }
    Ok(cells::rows(&mut reader, encoding, record)?)
}

/// Reads the objects of an answer to `Get` or `GetNext`.
pub fn read_objects(
    octets: &[u8],
    limits: Limits,
    encoding: Encoding,
    syntax_of: impl Fn(&str) -> Option<trunkline_smi::schema::Syntax>,
) -> Result<Vec<Object>, AnswerError> {
    let mut reader = Reader::new(octets, limits);
    let Some(first) = open(&mut reader, encoding)? else { return Ok(Vec::new()) };
    Ok(cells::objects(&mut reader, first, encoding, &syntax_of)?)
}

/// Reads an answer that only confirms the request.
pub fn read_done(octets: &[u8], limits: Limits, encoding: Encoding) -> Result<(), AnswerError> {
    let mut reader = Reader::new(octets, limits);
    open(&mut reader, encoding).map(|_| ())
}

/// Reads to within the response element, or in `as-in-paper` to the first element within the body, whose start tag is
/// then read. Nothing: the body is empty.
pub(crate) fn open<'i>(reader: &mut Reader<'i>, encoding: Encoding) -> Result<Option<Name<'i>>, AnswerError> {
    let (version, first) = envelope::open(reader).map_err(|(_, fault)| match fault.kind {
        fault::FaultKind::Malformed | fault::FaultKind::TooMany => AnswerError::Unexpected(fault.reason),
        _ => AnswerError::Fault(fault),
    })?;
    let Some(first) = first else { return Ok(None) };
    if first.is(version.namespace(), "Fault") {
        return Err(AnswerError::Fault(fault::read(reader, version)?));
    }
    if encoding != Encoding::AsInPaper && !first.local.ends_with("Response") {
        let found = envelope::shown(first);
        return Err(AnswerError::Unexpected(format!("the body contains {found} instead of a response")));
    }
    Ok(Some(first))
}

/// The version of a message, from its envelope, for callers that need only that.
pub fn version_of(octets: &[u8], limits: Limits) -> Option<Version> {
    let mut reader = Reader::new(octets, limits);
    match envelope::open(&mut reader) {
        Ok((version, _)) => Some(version),
        Err((version, _)) => version,
    }
}
