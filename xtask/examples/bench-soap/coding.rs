//! Coding alone, in this process: a request decoded and its answer encoded, as BER and as XML, of the same objects in
//! the same snapshot.

use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use flate2::{Compress, Compression, FlushCompress, Status};
use serde_json::json;
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_smi::{Oid, OidList, ValueRef};
use trunkline_snmp::wire::{
    Envelope, Message, MessageRef, NameTemplate, Pdu, PduKind, ResponseWriter, Version,
};
use trunkline_soap::catalog::{Catalog, TableVerb};
use trunkline_soap::encoding::{self, Encoding, Frame, Packer, Template, Templates};
use trunkline_soap::envelope::Version as SoapVersion;
use trunkline_soap::operation::{self, Operation, Request, RequestLimits, RowRange, TableRequest};
use trunkline_tree::{Cells, Snapshot, TableData};

use crate::if_table::snapshot;
use crate::report::{Bar, Report, median, ratio, with_interval};
use crate::{Measured, Options};

/// Objects, and the rows and columns that they are: figure 10 of Pras 2005 has 18 objects in a row, table II of its
/// own counts 22.
const SIZES: [(usize, usize, &[u32]); 4] =
    [(1, 1, &[10]), (66, 3, &ALL), (216, 12, &OF_THE_PAPER), (270, 15, &OF_THE_PAPER)];

const ALL: [u32; 22] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22];
const OF_THE_PAPER: [u32; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 21, 22];

/// The level at which the agent compresses.
fn level() -> u32 {
    trunkline_transport::http::HttpLimits::default().compression
}

/// The bars: at the 270 objects.
const PLAIN: f64 = 2.0;
const COMPRESSED: f64 = 8.0;

/// What is timed, each compared with [`Way::BerColumns`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// GetBulk of one name: column after column, the fastest that our BER has.
    BerColumns,
    /// GetBulk of the columns' names: row after row, as managers fetch tables.
    BerRows,
    /// XML.
    Xml(Encoding),
    /// The same compressed by the library.
    Zlib(Encoding),
    /// The same compressed while it is written, as the agent does it.
    Packed(Encoding),
}

const WAYS: [Way; 11] = [
    Way::BerColumns,
    Way::BerRows,
    Way::Xml(Encoding::Typed),
    Way::Xml(Encoding::Lean),
    Way::Xml(Encoding::AsInPaper),
    Way::Zlib(Encoding::Typed),
    Way::Zlib(Encoding::Lean),
    Way::Zlib(Encoding::AsInPaper),
    Way::Packed(Encoding::Typed),
    Way::Packed(Encoding::Lean),
    Way::Packed(Encoding::AsInPaper),
];

impl Way {
    fn name(self) -> String {
        match self {
            Way::BerColumns => "BER by columns".to_owned(),
            Way::BerRows => "BER by rows".to_owned(),
            Way::Xml(encoding) => format!("XML {}", encoding.name()),
            Way::Zlib(encoding) => format!("XML {} with zlib", encoding.name()),
            Way::Packed(encoding) => format!("XML {} packed", encoding.name()),
        }
    }
}

/// Times all ways in turns.
pub fn measure(options: &Options, report: &mut Report) -> Measured {
    for (objects, rows, columns) in SIZES {
        let mut coder = Coder::new(rows, columns)?;
        let times = WAYS.map(|way| repetitions(&mut coder, way));
        let mut nanos: Vec<Vec<f64>> = vec![Vec::new(); WAYS.len()];
        let name = format!("coding of {objects} objects");
        for round in 0..=options.rounds {
            for turn in 0..WAYS.len() {
                let at = (turn + round as usize) % WAYS.len();
                let spent = time(&mut coder, WAYS[at], times[at]);
                if round > 0 {
                    nanos[at].push(spent);
                }
            }
            report.progress(&name, round, options.rounds);
        }
        let base = &nanos[0];
        for (way, spent) in WAYS.iter().zip(&nanos) {
            let times = ratio(spent, base);
            let octets = coder.octets(*way);
            report
                .keep(&format!("{name}: {}", way.name()), json!({ "nanoseconds": spent, "octets": octets }));
            let is_judged = objects == 270;
            match way {
                Way::Xml(Encoding::Typed | Encoding::Lean) if is_judged => {
                    report.add(format!("{name}: {}, times BER", way.name()), Bar::AtMost(PLAIN), &times);
                }
                Way::Packed(Encoding::Typed | Encoding::Lean) if is_judged => {
                    let name = format!("{name}: {}, times BER", way.name());
                    report.add(name, Bar::AtMost(COMPRESSED), &times);
                }
                _ => {}
            }
            report.note(format!(
                "{name}: {}: {octets} octets, {:.1} us, {} times BER by columns",
                way.name(),
                median(spent) / 1000.0,
                with_interval(&times)
            ));
        }
    }
    Ok(())
}

/// How often a way is repeated in a round of some milliseconds.
fn repetitions(coder: &mut Coder, way: Way) -> u32 {
    let mut times = 1;
    loop {
        let spent = time(coder, way, times) * f64::from(times);
        if spent > ROUND.as_nanos() as f64 || times > 1 << 24 {
            return times;
        }
        times *= 2;
    }
}

const ROUND: Duration = Duration::from_millis(10);

/// Nanoseconds of one repetition.
fn time(coder: &mut Coder, way: Way, times: u32) -> f64 {
    let begin = Instant::now();
    for _ in 0..times {
        black_box(coder.once(way));
    }
    begin.elapsed().as_nanos() as f64 / f64::from(times)
}

/// Repetitions that are timed together when one way is repeated.
const SLICE: u32 = 10;

/// Repeats one way, for profilers; says what it took when nothing else ran.
pub fn repeat(way: &str, objects: usize, times: u32) -> Measured {
    let way = WAYS
        .into_iter()
        .find(|known| known.name() == way)
        .ok_or_else(|| format!("no way {way:?}: {}", WAYS.map(Way::name).join(", ")))?;
    let (_, rows, columns) =
        SIZES.into_iter().find(|(known, ..)| *known == objects).ok_or("1, 66, 216 or 270 objects")?;
    let mut coder = Coder::new(rows, columns)?;
    let slices = (0..times.div_ceil(SLICE)).map(|_| time(&mut coder, way, SLICE));
    crate::print(&format!("{:.0} ns at best", slices.fold(f64::INFINITY, f64::min)));
    Ok(())
}

/// Everything that is there before a request comes.
struct Coder {
    snapshot: Arc<Snapshot>,
    columns: Vec<u32>,
    /// By column.
    names: Vec<NameTemplate>,
    by_columns: Vec<u8>,
    by_rows: Vec<u8>,
    catalog: Catalog,
    templates: Templates,
    /// By encoding.
    requests: [Vec<u8>; 3],
    asked: OidList,
    buffer: Vec<u8>,
    compress: Compress,
    compressed: Vec<u8>,
}

impl Coder {
    fn new(rows: usize, columns: &[u32]) -> Result<Self, Box<dyn Error>> {
        let oid = |column: u32| Oid::EMPTY.child(IF_TABLE.oid).child(&[1, column]);
        let names: Vec<Oid> = columns.iter().map(|column| oid(*column)).collect();
        let message = |pdu| Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode();
        let objects = (rows * columns.len()) as i32;
        let catalog = Catalog::complete();
        let table = catalog.tables().iter().position(|served| served.table.name == "ifTable");
        let table = table.ok_or("no ifTable")?;
        let one = columns.len() == 1;
        let requests = Encoding::ALL.map(|encoding| {
            // One object is one column of one row.
            let field = catalog.tables()[table].record.fields.iter().position(|field| field.id == columns[0]);
            let request = TableRequest {
                verb: if one { TableVerb::Row } else { TableVerb::Whole },
                table,
                columns: field.filter(|_| one).map(|field| vec![field]),
                range: if one { RowRange::One(Oid::from([1])) } else { RowRange::All },
            };
            let mut octets = Vec::new();
            let request = Request::new(&catalog, SoapVersion::V1_1, encoding, Operation::Table(request));
            operation::write(&catalog, &request, &mut octets);
            octets
        });
        Ok(Coder {
            snapshot: snapshot(rows, columns)?,
            columns: columns.to_vec(),
            names: names.iter().map(|name| NameTemplate::new(name)).collect(),
            by_columns: message(Pdu::bulk(1, 0, objects, &[oid(0)])),
            by_rows: message(Pdu::bulk(1, 0, rows as i32, &names)),
            templates: Templates::new(&catalog),
            catalog,
            requests,
            asked: OidList::new(),
            buffer: Vec::new(),
            compress: Compress::new(Compression::new(level()), true),
            compressed: Vec::with_capacity(1 << 16),
        })
    }

    /// One request and its answer; gives the octets of the answer.
    fn once(&mut self, way: Way) -> usize {
        match way {
            Way::BerColumns => self.ber(true),
            Way::BerRows => self.ber(false),
            Way::Xml(encoding) => self.xml(encoding, false),
            Way::Packed(encoding) => self.xml(encoding, true),
            Way::Zlib(encoding) => {
                self.xml(encoding, false);
                self.zlib()
            }
        }
    }

    fn octets(&mut self, way: Way) -> usize {
        self.once(way)
    }

    fn ber(&mut self, by_columns: bool) -> usize {
        let Coder { snapshot, columns, names, asked, buffer, .. } = self;
        let octets = if by_columns { &self.by_columns } else { &self.by_rows };
        let Ok(message) = MessageRef::decode(octets) else { return 0 };
        if message.pdu.names(asked).is_err() || asked.is_empty() {
            return 0;
        }
        let Some(table) = snapshot.table(&IF_TABLE) else { return 0 };
        let envelope =
            Envelope::community(Version::V2c, b"public", PduKind::Response, message.pdu.request_id);
        let mut writer = ResponseWriter::new(buffer, 65_507, envelope);
        if by_columns {
            for (column, name) in columns.iter().zip(names.iter()) {
                write_column(&mut writer, name, table, *column);
            }
        } else {
            for row in 0..table.len() {
                for (column, name) in columns.iter().zip(names.iter()) {
                    if let Some(value) = table.column(slot(*column)).get(row) {
                        writer.value(name, &table.index()[row], value);
                    }
                }
            }
        }
        writer.finish().map_or(0, |range| range.len())
    }

    /// Packed where the template is that of the whole table, as in the agent.
    fn xml(&mut self, encoding: Encoding, packed: bool) -> usize {
        let octets = &self.requests[encoding as usize];
        let Ok(request) = operation::read(&self.catalog, octets, &RequestLimits::DEFAULT) else { return 0 };
        let Operation::Table(asked) = &request.operation else { return 0 };
        let Some(table) = self.snapshot.table(&IF_TABLE) else { return 0 };
        let whole;
        let record = &self.catalog.tables()[asked.table].record;
        let partial = asked.columns.as_ref().map(|columns| record.only(columns));
        let template = match &partial {
            None => self.templates.table(&self.catalog, asked.table, encoding),
            Some(record) => {
                whole = Template::new(encoding, record);
                &whole
            }
        };
        let fields = &partial.as_ref().unwrap_or(record).fields;
        self.buffer.clear();
        encoding::begin(&mut self.buffer, request.version, encoding, &request.namespace, &request.name);
        template.begin(&mut self.buffer);
        let cells = |row| fields.iter().map(move |field| table.column(slot(field.id)).get(row));
        if packed && partial.is_none() {
            let mut packer = Packer::new(template, Frame::Zlib);
            let mut rows = template.packed_rows(&mut self.buffer, &mut packer);
            (0..table.len()).for_each(|row| rows.row(&table.index()[row], cells(row)));
            drop(rows);
            encoding::end(&mut self.buffer, encoding, &request.name);
            self.compressed = packer.finish(&self.buffer).unwrap_or_default();
            return self.compressed.len();
        }
        let mut rows = template.rows(&mut self.buffer);
        (0..table.len()).for_each(|row| rows.row(&table.index()[row], cells(row)));
        drop(rows);
        encoding::end(&mut self.buffer, encoding, &request.name);
        if packed { self.zlib() } else { self.buffer.len() }
    }

    fn zlib(&mut self) -> usize {
        self.compress.reset();
        self.compressed.clear();
        match self.compress.compress_vec(&self.buffer, &mut self.compressed, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => self.compressed.len(),
            _ => 0,
        }
    }
}

/// As the agent's sink writes a run: the type of the cells is looked at once.
fn write_column(writer: &mut ResponseWriter<'_>, name: &NameTemplate, table: &TableData, column: u32) {
    let column = table.column(slot(column));
    let Some(indexes) = table.single_sub_ids() else { return };
    match column.cells() {
        Cells::Integer(cells) => run(writer, name, indexes, cells, |cell| ValueRef::Integer(*cell)),
        Cells::Counter32(cells) => run(writer, name, indexes, cells, |cell| ValueRef::Counter32(*cell)),
        Cells::Unsigned32(cells) => run(writer, name, indexes, cells, |cell| ValueRef::Unsigned32(*cell)),
        Cells::TimeTicks(cells) => run(writer, name, indexes, cells, |cell| ValueRef::TimeTicks(*cell)),
        _ => {
            let cells = (0..table.len()).map_while(|row| Some((&table.index()[row], column.get(row)?)));
            writer.column(name, cells);
        }
    }
}

fn run<T>(
    writer: &mut ResponseWriter<'_>,
    name: &NameTemplate,
    indexes: &[u32],
    cells: &[T],
    value: impl Fn(&T) -> ValueRef<'static>,
) {
    let cells = indexes.iter().zip(cells).map(|(index, cell)| (std::slice::from_ref(index), value(cell)));
    writer.column(name, cells);
}

/// ifTable's columns are numbered from 1 without a gap.
fn slot(column: u32) -> usize {
    column as usize - 1
}
