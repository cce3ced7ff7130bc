//! Encoding of a whole table alone, octets to octets, for profilers: a request read and its answer written, as
//! the example `bench-soap` of xtask times it next to BER.
//!
//! ```text
//! valgrind --tool=callgrind target/release/deps/rows-* typed 15 1000
//! ```
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used, clippy::panic)]

mod if_table;

use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

use flate2::{Compress, Compression, FlushCompress};
use trunkline_smi::module::if_mib::IF_TABLE;
use trunkline_soap::catalog::{Catalog, TableVerb};
use trunkline_soap::encoding::{self, Encoding, Frame, Packer, Templates};
use trunkline_soap::envelope::Version;
use trunkline_soap::operation::{self, Operation, Request, RequestLimits, RowRange, TableRequest};
use trunkline_tree::{Snapshot, TableData};

/// As figure 10 of Pras 2005 has them.
const COLUMNS: [u32; 18] = [1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 13, 14, 16, 17, 19, 20, 21, 22];

/// Repetitions that are timed together.
const SLICE: u32 = 10;

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(way) = arguments.next() else {
        println!(
            "typed, lean, as-in-paper; the same with -zlib, -zlib2 to -zlib9, -packed or -read behind it; then rows and \
             repetitions"
        );
        return;
    };
    let mut number =
        |otherwise: usize| arguments.next().map_or(otherwise, |number| number.parse().expect("a number"));
    let (rows, times) = (number(15), number(1000));
    let level = way.chars().last().and_then(|last| last.to_digit(10));
    let word = way.trim_end_matches(|last: char| last.is_ascii_digit());
    let (name, kind) = ["-zlib", "-read", "-packed"]
        .into_iter()
        .find_map(|end| word.strip_suffix(end).map(|name| (name, end)))
        .unwrap_or((word, ""));
    let encoding = Encoding::ALL.into_iter().find(|known| known.name() == name).expect("an encoding");
    let mut coder = Coder::new(encoding, rows, level.unwrap_or(1));
    let mut best = f64::INFINITY;
    let mut octets = 0;
    for _ in 0..times.div_ceil(SLICE as usize) {
        let begin = Instant::now();
        for _ in 0..SLICE {
            octets = black_box(coder.once(kind));
        }
        best = best.min(begin.elapsed().as_nanos() as f64 / f64::from(SLICE));
    }
    println!("{way}, {rows} rows: {octets} octets, {best:.0} ns at best");
}

struct Coder {
    catalog: Catalog,
    templates: Templates,
    snapshot: Arc<Snapshot>,
    request: Vec<u8>,
    buffer: Vec<u8>,
    compress: Compress,
    compressed: Vec<u8>,
}

impl Coder {
    fn new(encoding: Encoding, rows: usize, level: u32) -> Self {
        let catalog = Catalog::complete();
        let table = catalog.tables().iter().position(|served| served.table.name == "ifTable");
        let table = table.expect("ifTable is served");
        let asked = TableRequest { verb: TableVerb::Whole, table, columns: None, range: RowRange::All };
        let mut request = Vec::new();
        let asked = Request::new(&catalog, Version::V1_1, encoding, Operation::Table(asked));
        operation::write(&catalog, &asked, &mut request);
        Coder {
            templates: Templates::new(&catalog),
            catalog,
            snapshot: if_table::snapshot(rows, &COLUMNS).expect("a table"),
            request,
            buffer: Vec::new(),
            compress: Compress::new(Compression::new(level), true),
            compressed: Vec::with_capacity(1 << 20),
        }
    }

    fn once(&mut self, kind: &str) -> usize {
        let request = operation::read(&self.catalog, &self.request, &RequestLimits::DEFAULT);
        let request = request.expect("a request");
        if kind == "-read" {
            return black_box(request).name.len();
        }
        if kind == "-packed" {
            return self.packed(&request);
        }
        let octets = self.answer(&request);
        if kind != "-zlib" {
            return octets;
        }
        self.compress.reset();
        self.compressed.clear();
        let done = self.compress.compress_vec(&self.buffer, &mut self.compressed, FlushCompress::Finish);
        done.expect("room");
        self.compressed.len()
    }

    fn packed(&mut self, request: &Request) -> usize {
        let Operation::Table(asked) = &request.operation else { panic!("a table is asked for") };
        let table = self.snapshot.table(&IF_TABLE).expect("a table");
        let record = &self.catalog.tables()[asked.table].record;
        let template = self.templates.table(&self.catalog, asked.table, request.encoding);
        let into = &mut self.buffer;
        into.clear();
        encoding::begin(into, request.version, request.encoding, &request.namespace, &request.name);
        template.begin(into);
        let mut packer = Packer::new(template, Frame::Zlib);
        let mut rows = template.packed_rows(into, &mut packer);
        for row in 0..table.len() {
            let cells = record.fields.iter().map(|field| cell(table, field.id, row));
            rows.row(&table.index()[row], cells);
        }
        drop(rows);
        encoding::end(into, request.encoding, &request.name);
        self.compressed = packer.finish(into).expect("it is shorter");
        self.compressed.len()
    }

    fn answer(&mut self, request: &Request) -> usize {
        let Operation::Table(asked) = &request.operation else { panic!("a table is asked for") };
        let table = self.snapshot.table(&IF_TABLE).expect("a table");
        let record = &self.catalog.tables()[asked.table].record;
        let template = self.templates.table(&self.catalog, asked.table, request.encoding);
        self.buffer.clear();
        encoding::begin(
            &mut self.buffer,
            request.version,
            request.encoding,
            &request.namespace,
            &request.name,
        );
        template.begin(&mut self.buffer);
        let mut rows = template.rows(&mut self.buffer);
        for row in 0..table.len() {
            let cells = record.fields.iter().map(|field| cell(table, field.id, row));
            rows.row(&table.index()[row], cells);
        }
        drop(rows);
        encoding::end(&mut self.buffer, request.encoding, &request.name);
        self.buffer.len()
    }
}

#[inline(always)]
fn cell(table: &TableData, column: u32, row: usize) -> Option<trunkline_smi::ValueRef<'_>> {
    table.column(column as usize - 1).get(row)
}
