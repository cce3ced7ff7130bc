//! The work of coding and compressing web services' messages, for figure 13.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::rc::Rc;

use flate2::{Compress, Compression, FlushCompress};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::Bound;
use trunkline_soap::encoding::{self, Frame, Packer, Template};
use trunkline_soap::operation::{self, Operation, Request, RequestLimits};

use crate::experiments::pras2005::common::{Work, XML, value_of};
use crate::experiments::pras2005::fetch::deflated;
use crate::experiments::pras2005::{CODING, Lab};
use trunkline_labkit::error::Error;
use trunkline_labkit::exact;
use trunkline_labkit::octets::value_octets;
use trunkline_labkit::reading::Quantity;

use super::ask::{self, Form};

/// For each encoding: decoding a request and encoding its answer, the same with the answer compressed as the agent
/// does, and the library's compression of the finished answer.
pub(in super::super) fn coding<'a>(
    lab: &mut Lab<'_>,
    rows: &'a Rows,
    objects: u32,
) -> Result<Vec<Work<'a>>, Error> {
    let mut all = Vec::new();
    for form in Form::ALL {
        let series = format!("{XML} {form}");
        let prepared = match Prepared::of(form, objects, rows) {
            Ok(prepared) => Rc::new(prepared),
            Err(reason) => {
                lab.missing(CODING, &series, reason)?;
                continue;
            }
        };
        let mut into = Vec::with_capacity(1 << 16);
        prepared.code(&mut into);
        let finished = into.clone();
        let plain = Rc::clone(&prepared);
        let code: Box<dyn FnMut() + 'a> = Box::new(move || plain.code(&mut into));
        let (mut into, mut kept) = (Vec::with_capacity(1 << 16), Compress::new(AGENTS_LEVEL, true));
        let pack: Box<dyn FnMut() + 'a> =
            Box::new(move || drop(black_box(prepared.packed(&mut into, &mut kept))));
        let library: Box<dyn FnMut() + 'a> =
            Box::new(move || drop(black_box(deflated(black_box(&finished)))));
        let work = |quantity, run| Work { series: series.clone(), objects, quantity, run };
        all.push(work(Quantity::CodingNs, code));
        all.push(work(Quantity::PackedCodingNs, pack));
        all.push(work(Quantity::CompressionNs, library));
    }
    Ok(all)
}

/// The values of each row by column.
pub(in super::super) type Rows = BTreeMap<Oid, BTreeMap<u32, Value>>;

pub(in super::super) fn rows(walked: &[(Oid, Bound)]) -> Rows {
    let table = trunkline_smi::module::if_mib::IF_TABLE.oid;
    let mut rows = Rows::new();
    for (name, bound) in walked {
        let Some([_, column, index @ ..]) = name.get(table.len()..) else { continue };
        if let Some(value) = value_of(bound) {
            rows.entry(Oid::EMPTY.child(index)).or_default().insert(*column, value.clone());
        }
    }
    rows
}

/// Octets in BER, without tag and length, of the values that the answer to [`ask::first`] holds.
pub(super) fn octets_of_values(rows: &Rows, objects: u32) -> Result<u64, String> {
    let prepared = Prepared::of(Form::TYPED, objects, rows)?;
    let of_row = |(index, cells): &(&Oid, Vec<Option<&Value>>)| -> u64 {
        let values = cells.iter().flatten().map(|value| value_octets(&Bound::Value((*value).clone())));
        // The index is the value of ifIndex, which each row has.
        values.sum::<u64>() + index.first().map_or(0, |&index| exact::integer_contents(i64::from(index)))
    };
    Ok(prepared.rows.iter().map(of_row).sum())
}

/// A request, and the contents of its answer.
struct Prepared<'a> {
    form: Form,
    request: Vec<u8>,
    template: Template,
    /// Whether all columns were requested: such answers are compressed while they are written.
    is_whole: bool,
    rows: Vec<(&'a Oid, Vec<Option<&'a Value>>)>,
}

impl Prepared<'_> {
    fn of(form: Form, objects: u32, rows: &Rows) -> Result<Prepared<'_>, String> {
        let request = ask::first(form, objects, rows.len() as u32)?;
        let (count, columns) = ask::shape(objects);
        let (_, fields) = ask::fields(columns)?;
        let record = ask::record(&fields)?;
        let template = Template::new(form.0, &record);
        let rows = rows
            .iter()
            .take(count as usize)
            .map(|(index, row)| (index, record.fields.iter().map(|field| row.get(&field.id)).collect()));
        Ok(Prepared { form, request, is_whole: fields.is_none(), rows: rows.collect(), template })
    }

    fn read(&self) -> Option<Request> {
        let request = operation::read(ask::catalog(), black_box(&self.request), &RequestLimits::DEFAULT).ok();
        request.filter(|request| matches!(request.operation, Operation::Table(_)))
    }

    /// The agent's work on it.
    fn code(&self, into: &mut Vec<u8>) {
        let Some(request) = self.read() else { return };
        self.begin(&request, into);
        for (index, cells) in &self.rows {
            let values = cells.iter().map(|cell| cell.map(Value::as_value_ref));
            self.template.row(into, index, values);
        }
        encoding::end(into, self.form.0, &request.name);
        black_box(into);
    }

    /// The agent's work on it if the answer is compressed: whole rows by their own encoder, others by the library,
    /// whose compressor the agent keeps.
    fn packed(&self, into: &mut Vec<u8>, kept: &mut Compress) -> Option<Vec<u8>> {
        if !self.is_whole {
            self.code(into);
            kept.reset();
            let mut packed = Vec::with_capacity(into.len() + 64);
            kept.compress_vec(into, &mut packed, FlushCompress::Finish).ok()?;
            return Some(packed);
        }
        let request = self.read()?;
        self.begin(&request, into);
        let mut packer = Packer::new(&self.template, Frame::Zlib);
        let mut rows = self.template.packed_rows(into, &mut packer);
        for (index, cells) in &self.rows {
            rows.row(index, cells.iter().map(|cell| cell.map(Value::as_value_ref)));
        }
        drop(rows);
        encoding::end(into, self.form.0, &request.name);
        packer.finish(into)
    }

    fn begin(&self, request: &Request, into: &mut Vec<u8>) {
        into.clear();
        encoding::begin(into, request.version, self.form.0, &request.namespace, &request.name);
        self.template.begin(into);
    }
}

/// The level at which our agent compresses by default.
const AGENTS_LEVEL: Compression = Compression::fast();

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::read::ZlibDecoder;
    use std::io::Read;

    fn table(rows: u32) -> Rows {
        let row = |index: u32| {
            let columns = (1..=22).map(|column| (column, Value::Counter32(index * 1000 + column)));
            (Oid::from([index]), columns.collect())
        };
        (1..=rows).map(row).collect()
    }

    #[test]
    fn what_is_timed_with_compression_is_the_same_answer() {
        let rows = table(5);
        for form in Form::ALL {
            for (objects, is_whole) in [(66, true), (54, false)] {
                let prepared = Prepared::of(form, objects, &rows).unwrap();
                assert_eq!(prepared.is_whole, is_whole);
                let (mut plain, mut into) = (Vec::new(), Vec::new());
                prepared.code(&mut plain);
                let packed = prepared.packed(&mut into, &mut Compress::new(AGENTS_LEVEL, true)).unwrap();
                let mut again = Vec::new();
                ZlibDecoder::new(&packed[..]).read_to_end(&mut again).unwrap();
                assert!(again == plain && packed.len() < plain.len(), "{form} {objects}");
            }
        }
    }

    #[test]
    fn octets_of_values_are_those_of_the_requested_cells() {
        // Two rows of all columns: values above 1000 have two octets, an index has one.
        assert_eq!(octets_of_values(&table(5), 44).unwrap(), 2 * (1 + 21 * 2));
        assert_eq!(octets_of_values(&table(5), 1).unwrap(), 1);
        assert!(octets_of_values(&table(1), 44).is_err());
    }
}
