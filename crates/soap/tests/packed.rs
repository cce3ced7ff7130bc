//! Packed answers: what a stranger's inflater makes of them is the plain answer, octet by octet.

use std::io::Read;

use flate2::read::{GzDecoder, ZlibDecoder};
use flate2::write::ZlibEncoder;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use trunkline_smi::Value;
use trunkline_soap::catalog::Catalog;
use trunkline_soap::encoding::{self, Encoding, Frame, Packer, Template};
use trunkline_soap::envelope::Version;

type Row = (Vec<u32>, Vec<Option<Value>>);

/// The plain answer, which is also written without a packer, and its packed form; every row that `is_back`
/// selects is withdrawn once before it stays.
fn pack(
    template: &Template,
    encoding: Encoding,
    rows: &[Row],
    frame: Frame,
    is_back: impl Fn(usize) -> bool,
) -> (Vec<u8>, Option<Vec<u8>>) {
    let mut plain = Vec::new();
    encoding::begin(&mut plain, Version::V1_1, encoding, "urn:n", "GetIfTable");
    template.begin(&mut plain);
    let mut expected = plain.clone();
    let mut packer = Packer::new(template, frame);
    let mut packed = template.packed_rows(&mut plain, &mut packer);
    for (at, (index, cells)) in rows.iter().enumerate() {
        let cells = || cells.iter().map(|cell| cell.as_ref().map(Value::as_value_ref));
        if is_back(at) {
            let end = packed.end();
            packed.row(&[7, 7, 7], cells().rev());
            packed.back_to(end);
        }
        packed.row(index, cells());
        template.row(&mut expected, index, cells());
    }
    drop(packed);
    encoding::end(&mut plain, encoding, "GetIfTable");
    encoding::end(&mut expected, encoding, "GetIfTable");
    assert_eq!(String::from_utf8_lossy(&plain), String::from_utf8_lossy(&expected));
    let packed = packer.finish(&plain);
    (plain, packed)
}

fn inflated(packed: &[u8], frame: Frame) -> Vec<u8> {
    let mut inflated = Vec::new();
    let read = match frame {
        Frame::Zlib => ZlibDecoder::new(packed).read_to_end(&mut inflated),
        Frame::Gzip => GzDecoder::new(packed).read_to_end(&mut inflated),
    };
    assert!(read.is_ok(), "{read:?}");
    inflated
}

fn template(table: &str, encoding: Encoding) -> Template {
    let catalog = Catalog::complete();
    let Some(served) = catalog.table(table) else { panic!("{table} is not served") };
    Template::new(encoding, &served.record)
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        6 => (0u32..3).prop_map(Value::Unsigned32),
        2 => any::<i32>().prop_map(Value::Integer),
        2 => any::<u32>().prop_map(Value::Counter32),
        2 => any::<u64>().prop_map(Value::Counter64),
        1 => any::<[u8; 4]>().prop_map(Value::IpAddress),
        2 => "[ -~]{0,40}".prop_map(|text| Value::OctetString(text.into_bytes())),
        1 => vec(any::<u8>(), 0..20).prop_map(Value::OctetString),
        // Longer than a repetition, or than all that may be repeated.
        1 => ("[a-c]", 200usize..700).prop_map(|(text, times)| Value::OctetString(text.repeat(times).into_bytes())),
    ]
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    vec((vec(0u32..9, 0..3), vec(option::weighted(0.8, value()), 0..24)), 0..12)
}

proptest! {
    #[test]
    fn inflating_gives_the_plain_answer(
        rows in rows(),
        encoding in 0usize..3,
        table in proptest::sample::select(vec!["ifTable", "tcpConnectionTable", "ipAddressTable"]),
        is_gzip: bool,
        back in vec(any::<bool>(), 12),
    ) {
        let encoding = Encoding::ALL[encoding];
        let frame = if is_gzip { Frame::Gzip } else { Frame::Zlib };
        let template = template(table, encoding);
        let (plain, packed) = pack(&template, encoding, &rows, frame, |at| back[at]);
        if let Some(packed) = packed {
            prop_assert_eq!(inflated(&packed, frame), plain);
        }
    }
}

/// Rows as the paper has them.
fn of_interfaces(rows: u32) -> Vec<Row> {
    let cell = |row: u32, column: u32| {
        let seed = row * 22 + column;
        let number = seed.wrapping_mul(2_654_435_761) >> (seed % 25);
        Some(match column {
            0 => Value::OctetString(format!("eth{row}").into_bytes()),
            1 => Value::Integer(6),
            2 => Value::Integer(1500),
            3 => Value::Unsigned32(1_000_000_000),
            4 => Value::OctetString(vec![0, 0x40, 0x63, 0xc9, 0x71, row as u8]),
            5 | 6 => Value::Integer(1),
            7 | 12 | 15 => return None,
            _ => Value::Counter32(number),
        })
    };
    (1..=rows).map(|row| (vec![row], (0..21).map(|column| cell(row, column)).collect())).collect()
}

#[test]
fn a_packed_table_is_shorter_than_the_library_makes_it() {
    for encoding in [Encoding::Typed, Encoding::Lean] {
        let template = template("ifTable", encoding);
        for count in [3, 15, 500] {
            let (plain, packed) = pack(&template, encoding, &of_interfaces(count), Frame::Zlib, |_| false);
            let packed = packed.unwrap();
            assert_eq!(inflated(&packed, Frame::Zlib), plain);
            let mut library = ZlibEncoder::new(Vec::new(), flate2::Compression::new(1));
            std::io::Write::write_all(&mut library, &plain).unwrap();
            let library = library.finish().unwrap().len();
            assert!(packed.len() <= library, "{encoding:?}, {count} rows: {} > {library}", packed.len());
        }
    }
}

#[test]
fn rows_beyond_the_window_repeat_nothing() {
    let template = template("ifTable", Encoding::Typed);
    let long = |letter: &str| Some(Value::OctetString(letter.repeat(40_000).into_bytes()));
    let rows: Vec<Row> =
        (0..4).map(|row| (vec![row], vec![long("a"), Some(Value::Integer(1)), long("b")])).collect();
    for frame in [Frame::Zlib, Frame::Gzip] {
        let (plain, packed) = pack(&template, Encoding::Typed, &rows, frame, |_| false);
        assert_eq!(packed.map(|packed| inflated(&packed, frame)), Some(plain));
    }
}

#[test]
fn nothing_is_packed_that_becomes_longer() {
    let template = template("ifTable", Encoding::Lean);
    let (plain, packed) = pack(&template, Encoding::Lean, &[], Frame::Zlib, |_| false);
    assert!(packed.is_none_or(|packed| packed.len() < plain.len()));
    let noise = |row: u32| {
        let octets = (0..3_000u32).map(|at| ((at * 7 + row).wrapping_mul(2_654_435_761) >> 11) as u8);
        (vec![row], vec![Some(Value::OctetString(octets.filter(|octet| *octet > b'~').collect()))])
    };
    let rows: Vec<Row> = (0..3).map(noise).collect();
    let (plain, packed) = pack(&template, Encoding::Lean, &rows, Frame::Zlib, |_| false);
    assert!(
        packed.is_none_or(|packed| packed.len() < plain.len() && inflated(&packed, Frame::Zlib) == plain)
    );
}

/// The head that is the same for all: a frame, and one last block with its own codes.
#[test]
fn heads_are_those_of_the_formats() {
    let template = template("ifTable", Encoding::Typed);
    let rows = of_interfaces(2);
    let packed = |frame| pack(&template, Encoding::Typed, &rows, frame, |_| false).1.unwrap();
    let (zlib, gzip) = (packed(Frame::Zlib), packed(Frame::Gzip));
    assert_eq!(zlib[..2], [0x78, 0x01]);
    assert_eq!(gzip[..10], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
    assert_eq!(zlib[2] & 7, 0b101);
    assert_eq!(zlib[2..zlib.len() - 4], gzip[10..gzip.len() - 8]);
}
