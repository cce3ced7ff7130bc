//! The answer, written as rows come.
//!
//! ```text
//! <SelectAllResponse xmlns="urn:trunkline:select">
//!   <service tag="TCP-Data" level="2"> <scalars names="tcpInSegs"><tcpInSegs>7</tcpInSegs></scalars> </service>
//!   <service tag="TCP-Connections" level="2">
//!     <rows table="tcpConnTable" columns="tcpConnState"> <tcpConnEntry> ... </tcpConnEntry> </rows>
//!   </service>
//!   <explanation start="TCP"> ... </explanation>
//! </SelectAllResponse>
//! ```
//! Rows and scalars are written as by the operations on whole tables, in either encoding. A service or a table of which
//! nothing is left is left out.

use trunkline_query::services::{Graph, ServiceId};
use trunkline_smi::ValueRef;
use trunkline_smi::schema::Scalar;
use trunkline_xml::Writer;

use super::{Explained, NAMESPACE};
use crate::catalog::{Field, Record};
use crate::encoding::{Encoding, Template};
use crate::envelope::{self, Version};
use crate::expression::{RowsPart, View};

/// Writes an answer.
#[derive(Debug)]
pub struct AnswerWriter<'g> {
    graph: &'g Graph,
    encoding: Encoding,
    view: View,
    service: Option<ServiceId>,
    /// Where the message begins in the buffer.
    begin: usize,
}

/// The fields of a part's rows, and their positions in the fetched data.
#[derive(Clone, Debug)]
pub struct PartRecord {
    /// The record.
    pub record: Record,
    /// For each field of the record that is a column of the table its position in [`RowsPart::fetched`].
    pub own: Vec<usize>,
    /// How many fields follow that are from elsewhere.
    pub foreign: usize,
}

impl PartRecord {
    /// Of a part.
    pub fn new(part: &RowsPart) -> Self {
        let mut own = Vec::new();
        let mut fields = Vec::new();
        for (at, id) in part.columns.iter().enumerate() {
            let Some(column) = part.table.column(*id) else { continue };
            // Index objects are written with the row.
            if part.table.index.iter().any(|key| key.name == column.name) {
                continue;
            }
            own.push(at);
            fields.push(field(column.name, column.syntax, *id, column.units));
        }
        let foreign = part.foreign.iter().take(part.shown);
        fields.extend(foreign.map(|foreign| field(foreign.name, foreign.syntax, 0, "")));
        let record = Record { element: part.table.entry, keys: part.table.index, fields };
        PartRecord { record, own, foreign: part.shown.min(part.foreign.len()) }
    }
}

pub(super) fn field(
    name: &'static str,
    syntax: trunkline_smi::schema::Syntax,
    id: u32,
    units: &'static str,
) -> Field {
    Field { name, syntax, id, is_writable: false, units }
}

/// Writes the rows of one part.
#[derive(Debug)]
pub struct RowsWriter {
    service: ServiceId,
    table: &'static str,
    template: Template,
    columns: String,
    is_open: bool,
}

impl<'g> AnswerWriter<'g> {
    /// Appends the beginning of an answer.
    pub fn begin(
        into: &mut Vec<u8>,
        graph: &'g Graph,
        version: Version,
        view: View,
        encoding: Encoding,
    ) -> Self {
        let begin = into.len();
        envelope::begin(into, version, "");
        into.extend_from_slice(format!("<{}Response xmlns=\"{NAMESPACE}\">", view.operation()).as_bytes());
        AnswerWriter { graph, encoding, view, service: None, begin }
    }

    /// Appends scalars of a service.
    pub fn scalars(
        &mut self,
        into: &mut Vec<u8>,
        service: ServiceId,
        scalars: &[(&'static Scalar, ValueRef<'_>)],
    ) {
        if scalars.is_empty() {
            return;
        }
        self.enter(into, service);
        let names: Vec<&str> = scalars.iter().map(|(scalar, _)| scalar.name).collect();
        Writer::new(into).start("scalars").attribute("names", &names.join(" ")).raw(b"");
        let fields =
            scalars.iter().map(|(scalar, _)| field(scalar.name, scalar.syntax, 0, scalar.units)).collect();
        let template = Template::new(self.encoding, &Record { element: "scalars", keys: &[], fields });
        template.begin(into);
        template.row(into, &[], scalars.iter().map(|(_, value)| Some(*value)));
        into.extend_from_slice(b"</scalars>");
    }

    /// The writer of a part's rows; the columns may be written again and again.
    pub fn rows(&self, part: &RowsPart, record: &PartRecord) -> RowsWriter {
        let names: Vec<&str> = record.record.fields.iter().map(|field| field.name).collect();
        RowsWriter {
            service: part.service,
            table: part.table.name,
            template: Template::new(self.encoding, &record.record),
            columns: names.join(" "),
            is_open: false,
        }
    }

    /// Within a service: after the end of the previous one.
    fn enter(&mut self, into: &mut Vec<u8>, service: ServiceId) {
        if self.service == Some(service) {
            return;
        }
        self.leave(into);
        let known = self.graph.service(service);
        let mut writer = Writer::new(into);
        writer.start("service").attribute("tag", &known.tag).attribute_plain("level", known.level);
        if let Some(name) = known.aliases.first() {
            writer.attribute("name", name);
        }
        writer.raw(b"");
        self.service = Some(service);
    }

    fn leave(&mut self, into: &mut Vec<u8>) {
        if self.service.take().is_some() {
            into.extend_from_slice(b"</service>");
        }
    }

    /// Appends the end of the answer, with an explanation if there is one, to which the octets of the answer are added.
    pub fn end(mut self, into: &mut Vec<u8>, explained: Option<&mut Explained>) {
        self.leave(into);
        if let Some(explained) = explained {
            let tail = self.view.operation().len() + "</Response>".len() + TAIL.len();
            explained.octets = (into.len() - self.begin + tail) as u64;
            explain(into, explained);
        }
        into.extend_from_slice(format!("</{}Response>", self.view.operation()).as_bytes());
        envelope::end(into);
    }
}

const TAIL: &str = "</SOAP-ENV:Body></SOAP-ENV:Envelope>";

impl RowsWriter {
    /// Appends a row.
    pub fn row<'v>(
        &mut self,
        answer: &mut AnswerWriter<'_>,
        into: &mut Vec<u8>,
        index: &[u32],
        cells: impl Iterator<Item = Option<ValueRef<'v>>>,
    ) {
        if !self.is_open {
            answer.enter(into, self.service);
            let mut writer = Writer::new(into);
            writer.start("rows").attribute("table", self.table).attribute("columns", &self.columns).raw(b"");
            self.template.begin(into);
            self.is_open = true;
        }
        self.template.row(into, index, cells);
    }

    /// Appends the end of the rows.
    pub fn end(self, into: &mut Vec<u8>) {
        if self.is_open {
            into.extend_from_slice(b"</rows>");
        }
    }
}

fn explain(into: &mut Vec<u8>, explained: &Explained) {
    let mut writer = Writer::new(into);
    writer.start("explanation").attribute("start", &explained.start);
    if let Some(gate) = explained.gate {
        writer.attribute_plain("conditionHolds", gate);
    }
    let steps = [
        ("searched", &explained.searched),
        ("reached", &explained.reached),
        ("selected", &explained.selected),
    ];
    for (name, services) in steps {
        writer.start(name);
        services.iter().for_each(|service| {
            writer.leaf("tag", service);
        });
        writer.end(name);
    }
    for part in &explained.parts {
        writer.start("part").attribute("service", &part.service);
        if !part.table.is_empty() {
            writer.attribute("table", &part.table);
        }
        writer.attribute_plain("rows", part.rows).attribute_plain("kept", part.kept);
        writer.attribute_plain("columns", part.columns).attribute_plain("of", part.of).end("part");
    }
    for (service, table) in &explained.left_out {
        writer.start("leftOut").attribute("service", service).attribute("table", table).end("leftOut");
    }
    writer.start("octets").attribute_plain("answer", explained.octets);
    writer.attribute_plain("unfiltered", explained.unfiltered).attribute_plain("whole", explained.whole);
    writer.end("octets").end("explanation");
}
