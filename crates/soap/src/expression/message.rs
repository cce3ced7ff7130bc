//! The operations of selective retrieval as messages (D7.1 section 5.1: three methods with different views):
//! `SelectSingle`, `SelectTables` and `SelectAll` of the namespace [`NAMESPACE`].
//!
//! ```text
//! <SelectAll xmlns="urn:trunkline:select">
//!   <path>{TCP Monitor Srv,NULL,NULL,empty}</path> <data>{tcpConnEntry[]}</data>
//!   <filter>{tcpConnInSegs > thres_value}</filter> <value name="thres_value">1000</value>
//!   <encoding>lean</encoding> <explain>true</explain> <community>public</community>
//! </SelectAll>
//! ```
//! Each part may be left out, but not stand in another order.

mod answer;
mod describe;
mod read;

use std::collections::BTreeMap;

use trunkline_xml::{Limits, Reader, Writer};

use super::View;
use crate::encoding::Encoding;
use crate::envelope::{self, Version, shown};
use crate::fault::{Fault, FaultKind};
use crate::operation::Rejected;

pub use answer::{AnswerWriter, PartRecord, RowsWriter};
pub use describe::{description, schema};
pub use read::{SelectAnswer, ServiceData, TableData, read_answer};

/// The namespace of the operations.
pub const NAMESPACE: &str = "urn:trunkline:select";
/// How many words a request may give values to.
const MAX_VALUES: usize = 64;

/// A request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SelectRequest {
    /// The envelope.
    pub version: Version,
    /// Which operation.
    pub view: View,
    /// The path selection; `None`: the service that the URI names and all below it.
    pub path: Option<String>,
    /// The data selection.
    pub data: Option<String>,
    /// The filter.
    pub filter: Option<String>,
    /// The values of words in the filter.
    pub values: BTreeMap<String, i128>,
    /// How values are written: typed, or lean.
    pub encoding: Encoding,
    /// Whether what was selected at each step is wanted too.
    pub explain: bool,
    /// The identity, if HTTP does not provide it.
    pub community: Option<String>,
}

/// What was selected at each step, and what it saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Explained {
    /// The service that the search began at.
    pub start: String,
    /// The services that were searched.
    pub searched: Vec<String>,
    /// Those to which the pattern leads.
    pub reached: Vec<String>,
    /// Those of them at the requested levels.
    pub selected: Vec<String>,
    /// Whether the condition on scalars holds, where the filter is one.
    pub gate: Option<bool>,
    /// What was looked at.
    pub parts: Vec<ExplainedPart>,
    /// Tables of which the filter compares nothing: the service and the table.
    pub left_out: Vec<(String, String)>,
    /// How many octets the answer has, without this explanation. If the agent cannot select, how many octets were
    /// transferred.
    pub octets: u64,
    /// How many it would have without the filter.
    pub unfiltered: u64,
    /// How many it would have with all data of the selected services.
    pub whole: u64,
}

/// A table, or the scalars of a service.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExplainedPart {
    /// The service.
    pub service: String,
    /// The table; empty for scalars.
    pub table: String,
    /// How many rows there are that may be seen; of scalars how many are there.
    pub rows: u64,
    /// How many of them are in the answer.
    pub kept: u64,
    /// How many columns are in the answer.
    pub columns: u64,
    /// How many columns there are.
    pub of: u64,
}

impl View {
    /// Every one.
    pub const ALL: [View; 3] = [View::Single, View::Tables, View::Everything];

    /// The operation.
    pub const fn operation(self) -> &'static str {
        match self {
            View::Single => "SelectSingle",
            View::Tables => "SelectTables",
            View::Everything => "SelectAll",
        }
    }
}

impl SelectRequest {
    /// A request for everything.
    pub fn new(version: Version, view: View) -> Self {
        SelectRequest {
            version,
            view,
            path: None,
            data: None,
            filter: None,
            values: BTreeMap::new(),
            encoding: Encoding::Typed,
            explain: false,
            community: None,
        }
    }

    /// Appends the message.
    pub fn write(&self, into: &mut Vec<u8>) {
        envelope::begin(into, self.version, "");
        let mut writer = Writer::new(into);
        let operation = self.view.operation();
        writer.start(operation).attribute("xmlns", NAMESPACE);
        let texts = [("path", &self.path), ("data", &self.data), ("filter", &self.filter)];
        for (name, text) in texts {
            if let Some(text) = text {
                writer.leaf(name, text);
            }
        }
        for (name, value) in &self.values {
            writer.start("value").attribute("name", name).plain(value).end("value");
        }
        if self.encoding == Encoding::Lean {
            writer.leaf("encoding", "lean");
        }
        if self.explain {
            writer.leaf("explain", "true");
        }
        if let Some(community) = &self.community {
            writer.leaf("community", community);
        }
        writer.end(operation);
        envelope::end(into);
    }

    /// The SOAPAction.
    pub fn action(view: View) -> String {
        format!("{NAMESPACE}#{}", view.operation())
    }
}

/// Reads a request.
///
/// # Errors
/// The fault to answer with, and the version to write it in, if that is known.
pub fn read_request(octets: &[u8], limits: Limits) -> Result<SelectRequest, Rejected> {
    let mut reader = Reader::new(octets, limits);
    let (version, name) =
        envelope::open(&mut reader).map_err(|(version, fault)| Rejected { version, fault })?;
    let rejected = |fault| Rejected { version: Some(version), fault };
    let expected = "expected SelectSingle, SelectTables or SelectAll of the namespace urn:trunkline:select";
    let Some(name) = name else {
        let fault = Fault::new(FaultKind::UnknownOperation, format!("the Body is empty: {expected}"));
        return Err(rejected(fault));
    };
    let view = View::ALL.into_iter().find(|view| name.is(NAMESPACE, view.operation()));
    let Some(view) = view else {
        let reason = format!("{} is not an operation here: {expected}", shown(name));
        return Err(rejected(Fault::new(FaultKind::UnknownOperation, reason)));
    };
    let mut request = SelectRequest::new(version, view);
    parameters(&mut reader, &mut request).map_err(rejected)?;
    envelope::close(&mut reader).map_err(rejected)?;
    Ok(request)
}

fn parameters(reader: &mut Reader<'_>, request: &mut SelectRequest) -> Result<(), Fault> {
    const ORDER: [&str; 7] = ["path", "data", "filter", "value", "encoding", "explain", "community"];
    let mut least = 0;
    while let Some(name) = reader.child()? {
        let known = ORDER.iter().position(|known| name.is(NAMESPACE, known));
        let Some(at) = known.filter(|at| *at >= least) else {
            let instead = match ORDER[least..].join(", ") {
                nothing if nothing.is_empty() => format!("the order is {}", ORDER.join(", ")),
                what_follows => format!("expected {what_follows}"),
            };
            let (name, reason) = (name.local, format!("{} is not expected here: {instead}", shown(name)));
            return Err(Fault::new(FaultKind::Malformed, reason).about(name));
        };
        // One of each, except for values.
        least = if ORDER[at] == "value" { at } else { at + 1 };
        match ORDER[at] {
            "path" => request.path = Some(reader.leaf()?.into_owned()),
            "data" => request.data = Some(reader.leaf()?.into_owned()),
            "filter" => request.filter = Some(reader.leaf()?.into_owned()),
            "community" => request.community = Some(reader.leaf()?.into_owned()),
            "explain" => {
                let text = reader.leaf()?;
                request.explain = reader.boolean(&text)?;
            }
            "encoding" => {
                let text = reader.leaf()?;
                request.encoding = match text.trim() {
                    "typed" => Encoding::Typed,
                    "lean" => Encoding::Lean,
                    _ => return Err(reader.invalid("typed or lean", &text).into()),
                };
            }
            _ => value(reader, request)?,
        }
    }
    Ok(())
}

fn value(reader: &mut Reader<'_>, request: &mut SelectRequest) -> Result<(), Fault> {
    if request.values.len() >= MAX_VALUES {
        let reason = format!("a request gives values for at most {MAX_VALUES} words");
        return Err(Fault::new(FaultKind::TooMany, reason));
    }
    let word = reader.require("name")?.trim().to_owned();
    let text = reader.leaf()?;
    let number = text.trim().parse::<i128>().ok();
    let bounds = i128::from(i64::MIN)..=i128::from(u64::MAX);
    let number = number.filter(|number| bounds.contains(number));
    request.values.insert(word, number.ok_or_else(|| reader.invalid("a number of 64 bits", &text))?);
    Ok(())
}

impl super::ExpressionError {
    /// The fault for it, with the position.
    pub fn fault(&self) -> Fault {
        let reason = format!("{self}\n{}", self.pointed());
        let mut fault = Fault::new(FaultKind::WrongExpression, reason).about(self.kind.words());
        fault.subject.position = Some(self.character());
        fault
    }
}
