//! Figures 8 to 10 of Pras 2005, and that what is written is read again, in every encoding.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use proptest::prelude::*;
use trunkline_smi::Exception;
use trunkline_smi::schema::IndexEncoding;
use trunkline_smi::{Oid, Value, ValueKind, ValueRef};
use trunkline_soap::answer::{self, AnswerError, Row};
use trunkline_soap::catalog::{Catalog, Record, TableVerb};
use trunkline_soap::encoding::{self, Encoding, ObjectWriter, Template};
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::namespace;
use trunkline_soap::operation::{self, Operation, Request, RequestLimits, RowRange, TableRequest};
use trunkline_xml::Limits;

const FIGURE_8: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<SOAP-ENV:Envelope
  xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"
  xmlns:SOAP-ENC="http://schemas.xmlsoap.org/soap/encoding/"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns:utMon="urn:UTMON">
<SOAP-ENV:Body SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" id="_0">
  <utMon:GetIfTable>
    <community xsi:type="xsd:string">
      public
    </community>
  </utMon:GetIfTable>
</SOAP-ENV:Body>
</SOAP-ENV:Envelope>"#;

const FIGURE_9_WITH_10: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<SOAP-ENV:Envelope
  xmlns:SOAP-ENV="http://schemas.xmlsoap.org/soap/envelope/"
  xmlns:SOAP-ENC="http://schemas.xmlsoap.org/soap/encoding/"
  xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
  xmlns:xsd="http://www.w3.org/2001/XMLSchema"
  xmlns:utMon="urn:UTMON">
<SOAP-ENV:Body SOAP-ENV:encodingStyle="http://schemas.xmlsoap.org/soap/encoding/" id="_0">
<ifEntry>
  <ifIndex xsi:type="xsd:unsignedInt">
    2</ifIndex>
  <ifDescr xsi:type="xsd:string">
    eth0</ifDescr>
  <ifType xsi:type="xsd:unsignedInt">
    6</ifType>
  <ifMtu xsi:type="xsd:unsignedInt">
    1500</ifMtu>
  <ifSpeed xsi:type="xsd:unsignedInt">
    10000000</ifSpeed>
  <ifPhysAddress xsi:type="xsd:string">
    0|40|63|C9|71|18</ifPhysAddress>
  <ifAdminStatus xsi:type="xsd:unsignedInt">
    1</ifAdminStatus>
  <ifOperStatus xsi:type="xsd:unsignedInt">
    1</ifOperStatus>
  <ifInOctets xsi:type="xsd:unsignedInt">
    354210076</ifInOctets>
  <ifInUcastPkts xsi:type="xsd:unsignedInt">
    1399059</ifInUcastPkts>
  <ifInDiscards xsi:type="xsd:unsignedInt">
    0</ifInDiscards>
  <ifInErrors xsi:type="xsd:unsignedInt">
    0</ifInErrors>
  <ifOutOctets xsi:type="xsd:unsignedInt">
    434349174</ifOutOctets>
  <ifOutUcastPkts xsi:type="xsd:unsignedInt">
    1508987</ifOutUcastPkts>
  <ifOutDiscards xsi:type="xsd:unsignedInt">
    0</ifOutDiscards>
  <ifOutErrors xsi:type="xsd:unsignedInt">
    1</ifOutErrors>
  <ifOutQLen xsi:type="xsd:unsignedInt">
    0</ifOutQLen>
  <ifSpecific xsi:type="xsd:string">
    0:0</ifSpecific>
</ifEntry>
</SOAP-ENV:Body>
</SOAP-ENV:Envelope>"#;

/// Without the white space that the paper's columns needed.
fn bare(text: &str) -> String {
    let joined: String = text.lines().map(str::trim).collect::<Vec<_>>().join(" ");
    joined.replace("> ", ">").replace(" <", "<")
}

/// The row of figure 10; what the paper's interface did not have is left out.
fn figure_10(record: &Record) -> Vec<Option<Value>> {
    let value = |name: &str| {
        Some(match name {
            "ifDescr" => Value::text("eth0"),
            "ifType" => Value::Integer(6),
            "ifMtu" => Value::Integer(1500),
            "ifSpeed" => Value::Unsigned32(10_000_000),
            "ifPhysAddress" => Value::OctetString(vec![0, 0x40, 0x63, 0xc9, 0x71, 0x18]),
            "ifAdminStatus" | "ifOperStatus" => Value::Integer(1),
            "ifInOctets" => Value::Counter32(354_210_076),
            "ifInUcastPkts" => Value::Counter32(1_399_059),
            "ifInDiscards" | "ifInErrors" | "ifOutDiscards" => Value::Counter32(0),
            "ifOutOctets" => Value::Counter32(434_349_174),
            "ifOutUcastPkts" => Value::Counter32(1_508_987),
            "ifOutErrors" => Value::Counter32(1),
            "ifOutQLen" => Value::Unsigned32(0),
            "ifSpecific" => Value::ObjectIdentifier(Oid::from([0, 0])),
            _ => return None,
        })
    };
    record.fields.iter().map(|field| value(field.name)).collect()
}

fn write_rows(encoding: Encoding, version: Version, record: &Record, rows: &[Row]) -> Vec<u8> {
    let template = Template::new(encoding, record);
    let mut out = Vec::new();
    encoding::begin(&mut out, version, encoding, "urn:trunkline:mib:IF-MIB", "GetIfTable");
    template.begin(&mut out);
    for row in rows {
        template.row(
            &mut out,
            &row.index,
            row.cells.iter().map(|cell| cell.as_ref().map(Value::as_value_ref)),
        );
    }
    encoding::end(&mut out, encoding, "GetIfTable");
    out
}

/// The second answer of a table has room from the start: nothing is copied while it grows.
#[test]
fn an_answer_has_the_room_that_the_last_one_took() {
    let catalog = Catalog::complete();
    let table = catalog.tables().iter().find(|served| served.table.name == "ifTable").unwrap();
    let row = figure_10(&table.record);
    let cells = || row.iter().map(|cell| cell.as_ref().map(Value::as_value_ref));
    for encoding in Encoding::ALL {
        let template = Template::new(encoding, &table.record);
        let answer = |rows: u32| {
            let mut out = Vec::new();
            template.expect(&mut out);
            let room = out.capacity();
            let mut writer = template.rows(&mut out);
            (0..rows).for_each(|index| writer.row(&[index], cells()));
            drop(writer);
            template.learn(&out);
            (room, out)
        };
        let (before, first) = answer(20);
        let (room, second) = answer(20);
        assert_eq!((before, &first), (0, &second));
        assert!(room >= second.len() && second.capacity() == room, "{encoding:?}: {room}");
        // A long one does not make every later one start large.
        answer(20_000);
        assert_eq!(answer(1).0, 64 << 10);
        assert!(answer(1).0 < 4096);
    }
}

#[test]
fn figure_8_is_written_and_read() {
    let catalog = Catalog::complete();
    let table = catalog.tables().iter().position(|table| table.table.name == "ifTable").unwrap();
    let operation =
        Operation::Table(TableRequest { verb: TableVerb::Whole, table, columns: None, range: RowRange::All });
    let mut request = Request::new(&catalog, Version::V1_1, Encoding::AsInPaper, operation);
    request.community = Some("public".into());
    let mut written = Vec::new();
    operation::write(&catalog, &request, &mut written);
    assert_eq!(bare(std::str::from_utf8(&written).unwrap()), bare(FIGURE_8));
    let read = operation::read(&catalog, FIGURE_8.as_bytes(), &RequestLimits::DEFAULT).unwrap();
    assert_eq!(read, request);
    // "The length of the request is approximately 500 octets."
    assert!((450..550).contains(&written.len()), "{}", written.len());
}

#[test]
fn figures_9_and_10_are_written_and_read() {
    let catalog = Catalog::complete();
    let record = &catalog.table("ifTable").unwrap().record;
    let rows = [Row { index: Oid::from([2]), cells: figure_10(record) }];
    let written = write_rows(Encoding::AsInPaper, Version::V1_1, record, &rows);
    assert_eq!(bare(std::str::from_utf8(&written).unwrap()), bare(FIGURE_9_WITH_10));
    let read = answer::read_rows(&written, Limits::MESSAGE, Encoding::AsInPaper, record).unwrap();
    assert_eq!(read, rows);
}

#[test]
fn typed_and_lean_have_their_form() {
    let catalog = Catalog::complete();
    let record = catalog.table("ifTable").unwrap().record.only(&[0, 1, 4, 20]);
    let cells = vec![
        Some(Value::text("eth 0<")),
        Some(Value::Integer(-6)),
        Some(Value::OctetString(vec![0, 0x40])),
        None,
    ];
    let rows = [Row { index: Oid::from([2]), cells }];
    let body = |encoding| {
        let text = String::from_utf8(write_rows(encoding, Version::V1_1, &record, &rows)).unwrap();
        let from = text.find("<SOAP-ENV:Body>").unwrap() + 15;
        text[from..text.find("</SOAP-ENV:Body>").unwrap()].to_owned()
    };
    assert_eq!(
        body(Encoding::Typed),
        "<GetIfTableResponse xmlns=\"urn:trunkline:mib:IF-MIB\"><ifEntry><ifIndex>2</ifIndex>\
         <ifDescr>eth 0&lt;</ifDescr><ifType>-6</ifType><ifPhysAddress>0040</ifPhysAddress></ifEntry>\
         </GetIfTableResponse>"
    );
    assert_eq!(
        body(Encoding::Lean),
        "<GetIfTableResponse xmlns=\"urn:trunkline:mib:IF-MIB\"><h>ifIndex ifDescr ifType ifPhysAddress \
         ifSpecific</h><r>2 eth%200%3C -6 0040 -</r></GetIfTableResponse>"
    );
}

#[test]
fn objects_have_their_form_and_are_decoded() {
    let catalog = Catalog::complete();
    for encoding in Encoding::ALL {
        let writer = ObjectWriter::new(&catalog, encoding);
        let mut out = Vec::new();
        encoding::begin(&mut out, Version::V1_2, encoding, namespace::GENERIC, "Get");
        writer.value(&mut out, &[1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 7], ValueRef::OctetString(b"a b"));
        writer.value(&mut out, &[1, 3, 6, 1, 2, 1, 2, 2, 1, 6, 7], ValueRef::OctetString(&[0xff]));
        writer.value(&mut out, &[1, 3, 6, 1, 4, 1, 99999, 1], ValueRef::Counter64(u64::MAX));
        writer.missing(&mut out, &[1, 3, 9], Exception::NoSuchInstance);
        encoding::end(&mut out, encoding, "Get");
        let text = String::from_utf8(out.clone()).unwrap();
        let expected = match encoding {
            Encoding::Typed => {
                "<object><name>IF-MIB::ifDescr.7</name><oid>1.3.6.1.2.1.2.2.1.2.7</oid><text>a b</text></object>"
            }
            Encoding::AsInPaper => "<ifDescr xsi:type=\"xsd:string\">a b</ifDescr>",
            Encoding::Lean => "<o>1.3.6.1.2.1.2.2.1.2.7 s a%20b</o>",
        };
        assert!(text.contains(expected), "{text}");
        let syntax_of = |name: &str| {
            catalog.object_name(name).ok().and_then(|name| catalog.object_of(&name.oid)).map(|found| found.2)
        };
        let read = answer::read_objects(&out, Limits::MESSAGE, encoding, syntax_of).unwrap();
        let values: Vec<_> = read.iter().map(|object| object.value.clone()).collect();
        assert_eq!(
            values,
            [
                Ok(Value::text("a b")),
                Ok(Value::OctetString(vec![0xff])),
                Ok(Value::Counter64(u64::MAX)),
                Err(Exception::NoSuchInstance),
            ]
        );
        assert_eq!(read[0].oid.is_some(), encoding != Encoding::AsInPaper);
    }
}

#[test]
fn faults_are_written_and_read() {
    for version in [Version::V1_1, Version::V1_2] {
        let fault = Fault::new(FaultKind::NoSuchInstance, "there is no <ifDescr.9>")
            .about("ifDescr.9")
            .oid(Oid::from([1, 3]))
            .row("9")
            .at(2)
            .near(vec!["ifDescr.8".into(), "ifDescr.7".into()]);
        let mut out = Vec::new();
        fault.write(version, &mut out);
        let read = answer::read_done(&out, Limits::MESSAGE, Encoding::Typed);
        assert_eq!(read, Err(AnswerError::Fault(fault)));
    }
}

/// Any value that a column may hold.
fn value_of(kind: ValueKind) -> BoxedStrategy<Value> {
    let octets = proptest::collection::vec(any::<u8>(), 0..12);
    match kind {
        ValueKind::Integer => any::<i32>().prop_map(Value::Integer).boxed(),
        ValueKind::Counter32 => any::<u32>().prop_map(Value::Counter32).boxed(),
        ValueKind::Unsigned32 => any::<u32>().prop_map(Value::Unsigned32).boxed(),
        ValueKind::TimeTicks => any::<u32>().prop_map(Value::TimeTicks).boxed(),
        ValueKind::Counter64 => any::<u64>().prop_map(Value::Counter64).boxed(),
        ValueKind::OctetString => octets.prop_map(Value::OctetString).boxed(),
        ValueKind::Opaque => octets.prop_map(Value::Opaque).boxed(),
        ValueKind::IpAddress => any::<[u8; 4]>().prop_map(Value::IpAddress).boxed(),
        ValueKind::ObjectIdentifier => proptest::collection::vec(any::<u32>(), 0..6)
            .prop_map(|sub_ids| Value::ObjectIdentifier(Oid::EMPTY.child(&sub_ids)))
            .boxed(),
    }
}

/// An index of a table: of each part something that its encoding can hold.
fn index_of(record: &Record) -> BoxedStrategy<Oid> {
    let octets = |len: usize| proptest::collection::vec(0u32..256, len).boxed();
    let with_length = |most: u32| {
        proptest::collection::vec(0u32..most, 0..4).prop_map(|mut all| {
            all.insert(0, all.len() as u32);
            all
        })
    };
    let parts: Vec<BoxedStrategy<Vec<u32>>> = record
        .keys
        .iter()
        .map(|part| match part.encoding {
            IndexEncoding::Integer => (0u32..=i32::MAX as u32).prop_map(|number| vec![number]).boxed(),
            IndexEncoding::FixedOctets(len) => octets(len),
            IndexEncoding::IpAddress => octets(4),
            IndexEncoding::NetworkAddress => {
                octets(4).prop_map(|octets| [&[1], &octets[..]].concat()).boxed()
            }
            IndexEncoding::Octets => with_length(256).boxed(),
            IndexEncoding::ImpliedOctets => proptest::collection::vec(0u32..256, 0..5).boxed(),
            IndexEncoding::ObjectIdentifier => with_length(u32::MAX).boxed(),
            IndexEncoding::ImpliedObjectIdentifier => proptest::collection::vec(any::<u32>(), 0..5).boxed(),
        })
        .collect();
    parts.prop_map(|parts| Oid::EMPTY.child(&parts.concat())).boxed()
}

fn answers() -> impl Strategy<Value = (usize, Vec<Row>)> {
    let tables = Catalog::complete().tables().len();
    (0..tables).prop_flat_map(|table| {
        let catalog = Catalog::complete();
        let record = catalog.tables()[table].record.clone();
        let cells: Vec<_> =
            record.fields.iter().map(|field| proptest::option::of(value_of(field.syntax.kind))).collect();
        let row = (index_of(&record), cells).prop_map(|(index, cells)| Row { index, cells });
        (Just(table), proptest::collection::vec(row, 1..4))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn rows_are_read_as_they_were_written((table, rows) in answers(), paper in any::<bool>()) {
        let catalog = Catalog::complete();
        let record = &catalog.tables()[table].record;
        for encoding in Encoding::ALL {
            let version = if paper { Version::V1_1 } else { Version::V1_2 };
            let written = write_rows(encoding, version, record, &rows);
            let read = answer::read_rows(&written, Limits::MESSAGE, encoding, record);
            prop_assert_eq!(read.as_ref(), Ok(&rows), "{}", String::from_utf8_lossy(&written));
        }
    }

    #[test]
    fn requests_are_read_as_they_were_written(
        (table, rows) in answers(), community in proptest::option::of("[ -~]{0,8}"), count in 1usize..99, row in any::<bool>(),
    ) {
        let catalog = Catalog::complete();
        let index = rows[0].index.clone();
        let (verb, range) = match row {
            true => (TableVerb::Row, RowRange::One(index)),
            false => (TableVerb::NextRows, RowRange::After { index, count }),
        };
        let operation = Operation::Table(TableRequest { verb, table, columns: None, range });
        for encoding in Encoding::ALL {
            let mut request = Request::new(&catalog, Version::V1_2, encoding, operation.clone());
            request.community = community.as_ref().map(|community| community.trim().to_owned());
            let mut written = Vec::new();
            operation::write(&catalog, &request, &mut written);
            let read = operation::read(&catalog, &written, &RequestLimits::DEFAULT);
            prop_assert_eq!(read, Ok(request), "{}", String::from_utf8_lossy(&written));
        }
    }
}
