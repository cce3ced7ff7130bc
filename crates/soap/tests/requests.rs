//! Which requests are accepted, and the faults for the others.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test")]

use trunkline_smi::SetStatus;
use trunkline_smi::Value;
use trunkline_soap::catalog::{Catalog, TableVerb};
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{self, Operation, Rejected, Request, RequestLimits, RowRange};

const V1_1: &str = "http://schemas.xmlsoap.org/soap/envelope/";
const V1_2: &str = "http://www.w3.org/2003/05/soap-envelope";

fn envelope(namespace: &str, header: &str, body: &str) -> String {
    format!("<e:Envelope xmlns:e='{namespace}'>{header}<e:Body>{body}</e:Body></e:Envelope>")
}

fn read_all(document: &str) -> Result<Request, Rejected> {
    let limits = RequestLimits { names: 3, rows: 100, ..RequestLimits::DEFAULT };
    operation::read(&Catalog::complete(), document.as_bytes(), &limits)
}

fn read(body: &str) -> Result<Request, Fault> {
    read_all(&envelope(V1_1, "", body)).map_err(|rejected| rejected.fault)
}

fn fault(body: &str) -> Fault {
    read(body).unwrap_err()
}

#[test]
fn tables_rows_columns_and_next_rows() {
    let table = |body: &str| match read(body).unwrap().operation {
        Operation::Table(table) => table,
        other => panic!("{other:?}"),
    };
    let whole = table("<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'/>");
    assert_eq!((whole.verb, whole.columns, whole.range), (TableVerb::Whole, None, RowRange::All));
    let some = table(
        "<GetIfTable xmlns='urn:trunkline:lean'><column>ifMtu</column><column>ifDescr</column><column>ifIndex</column></GetIfTable>",
    );
    assert_eq!(some.columns, Some(vec![0, 2]));
    let row =
        table("<m:GetIfEntry xmlns:m='urn:trunkline:mib:IF-MIB'><m:ifIndex> 2 </m:ifIndex></m:GetIfEntry>");
    assert_eq!(row.range, RowRange::One([2].into()));
    let column = table(
        "<GetIfTableColumn xmlns='urn:trunkline:mib:IF-MIB'><column>ifDescr</column></GetIfTableColumn>",
    );
    assert_eq!((column.verb, column.columns), (TableVerb::Column, Some(vec![0])));
    let next = table(
        "<GetNextIfEntries xmlns='urn:trunkline:mib:IF-MIB'><after><ifIndex>2</ifIndex></after><count>7</count></GetNextIfEntries>",
    );
    assert_eq!(next.range, RowRange::After { index: [2].into(), count: 7 });
    let first =
        table("<GetNextIfEntries xmlns='urn:trunkline:mib:IF-MIB'><count>7</count></GetNextIfEntries>");
    assert_eq!(first.range, RowRange::After { index: trunkline_smi::Oid::EMPTY, count: 7 });
}

#[test]
fn objects_sets_and_communities() {
    let get = read("<Get xmlns='urn:trunkline:soap'><community>public</community><name>IF-MIB::ifDescr.2</name><name>1.3.6.1.2.1.1.1.0</name></Get>").unwrap();
    assert_eq!(get.community.as_deref(), Some("public"));
    assert_eq!(get.encoding, Encoding::Typed);
    let Operation::Get { names, mark_missing: false } = get.operation else { panic!() };
    assert_eq!(names[0].oid.to_string(), "1.3.6.1.2.1.2.2.1.2.2");
    let set = read("<Set xmlns='urn:trunkline:soap'><object><name>ifAdminStatus.2</name><value>down</value></object><object><name>1.3.9.1</name><counter32>5</counter32></object></Set>").unwrap();
    let Operation::Set(assignments) = set.operation else { panic!() };
    assert_eq!(assignments[0].value, Value::Integer(2));
    assert_eq!(assignments[1].value, Value::Counter32(5));
    let row = read("<SetIfEntry xmlns='urn:trunkline:mib:IF-MIB'><ifAdminStatus>1</ifAdminStatus><ifIndex>3</ifIndex></SetIfEntry>").unwrap();
    let Operation::Set(assignments) = row.operation else { panic!() };
    assert_eq!(assignments[0].name.oid.to_string(), "1.3.6.1.2.1.2.2.1.7.3");
    assert_eq!(assignments[0].name.text, "ifAdminStatus.3");
    let group =
        read("<SetSystem xmlns='urn:trunkline:mib:SNMPv2-MIB'><sysContact>me</sysContact></SetSystem>")
            .unwrap();
    let Operation::Set(assignments) = group.operation else { panic!() };
    assert_eq!(assignments[0].name.oid.to_string(), "1.3.6.1.2.1.1.4.0");
    assert_eq!(assignments[0].value, Value::text("me"));
}

#[test]
fn faults_report_the_mistake() {
    let unknown = fault("<GetIfTabel xmlns='urn:trunkline:mib:IF-MIB'/>");
    assert_eq!(unknown.kind, FaultKind::UnknownOperation);
    assert_eq!(unknown.subject.near, ["GetIfTable"]);
    let elsewhere = fault("<GetIfTable xmlns='urn:trunkline:mib:IP-MIB'/>");
    assert!(elsewhere.reason.contains("is in the namespace urn:trunkline:mib:IF-MIB"), "{elsewhere}");
    let nowhere = fault("<GetIfTable/>");
    assert!(
        nowhere.reason.contains("urn:trunkline:mib:IF-MIB, urn:trunkline:lean or urn:UTMON"),
        "{nowhere}"
    );
    let name = fault("<Get xmlns='urn:trunkline:soap'><name>ifMtu.1</name><name>ifDesc.2</name></Get>");
    assert_eq!((name.kind, name.subject.position), (FaultKind::UnknownName, Some(2)));
    assert_eq!(name.subject.near, ["ifDescr"]);
    let column = fault("<GetIfTable xmlns='urn:trunkline:lean'><column>ifColour</column></GetIfTable>");
    assert_eq!((column.kind, column.subject.name.as_deref()), (FaultKind::UnknownName, Some("ifColour")));
    let key = fault("<GetIfEntry xmlns='urn:trunkline:lean'/>");
    assert_eq!((key.kind, key.subject.name.as_deref()), (FaultKind::WrongKey, Some("ifIndex")));
    let key = fault("<GetIfEntry xmlns='urn:trunkline:lean'><ifIndex>x</ifIndex></GetIfEntry>");
    assert_eq!(key.kind, FaultKind::WrongKey);
    let value = fault(
        "<SetIfEntry xmlns='urn:trunkline:lean'><ifIndex>1</ifIndex><ifAdminStatus>sideways</ifAdminStatus></SetIfEntry>",
    );
    assert_eq!((value.kind, value.subject.position), (FaultKind::NotSet(SetStatus::WrongType), Some(1)));
    let many = fault(&format!("<Get xmlns='urn:trunkline:soap'>{}</Get>", "<name>ifMtu.1</name>".repeat(4)));
    assert_eq!(many.kind, FaultKind::TooMany);
    let many = fault(
        "<GetNext xmlns='urn:trunkline:soap'><name>ifMtu</name><name>ifMtu</name><count>51</count></GetNext>",
    );
    assert_eq!(many.kind, FaultKind::TooMany);
    for (count, kind) in [
        ("9".repeat(30), FaultKind::TooMany),
        ("0".into(), FaultKind::Malformed),
        ("+7".into(), FaultKind::Malformed),
        ("many".into(), FaultKind::Malformed),
    ] {
        let wrong =
            format!("<GetNext xmlns='urn:trunkline:soap'><name>ifMtu</name><count>{count}</count></GetNext>");
        assert_eq!(fault(&wrong).kind, kind, "{count}");
    }
    let parameter = fault(
        "<GetIfTable xmlns='urn:trunkline:mib:IF-MIB'><x:column xmlns:x='urn:x'>a</x:column></GetIfTable>",
    );
    assert_eq!(parameter.kind, FaultKind::Malformed);
    assert_eq!(fault("").kind, FaultKind::UnknownOperation);
    assert_eq!(
        fault("<GetIfTable xmlns='urn:trunkline:lean'/><GetIfTable xmlns='urn:trunkline:lean'/>").kind,
        FaultKind::Malformed
    );
}

#[test]
fn envelopes_of_other_versions_and_header_blocks() {
    let operation = "<GetIfTable xmlns='urn:trunkline:lean'/>";
    let other = read_all(&envelope("urn:soap-9", "", operation)).unwrap_err();
    assert_eq!((other.version, other.fault.kind), (None, FaultKind::VersionMismatch));
    let passed = "<e:Header><a:b xmlns:a='urn:a'/><a:c xmlns:a='urn:a' e:mustUnderstand='0'/></e:Header>";
    assert!(read_all(&envelope(V1_1, passed, operation)).is_ok());
    for version in [V1_1, V1_2] {
        let must = "<e:Header><a:b xmlns:a='urn:a' e:mustUnderstand='1'><deep/></a:b></e:Header>";
        let must = read_all(&envelope(version, must, operation)).unwrap_err();
        let kind = FaultKind::MustUnderstand { namespace: "urn:a".into(), local: "b".into() };
        assert_eq!(must.fault.kind, kind);
        let role = if version == V1_1 { "actor" } else { "role" };
        let elsewhere =
            format!("<e:Header><a:b xmlns:a='urn:a' e:mustUnderstand='1' e:{role}='urn:them'/></e:Header>");
        assert!(read_all(&envelope(version, &elsewhere, operation)).is_ok());
    }
    let mut out = Vec::new();
    Fault::new(FaultKind::MustUnderstand { namespace: "urn:a".into(), local: "b".into() }, "no")
        .write(Version::V1_2, &mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(text.contains("<SOAP-ENV:NotUnderstood qname=\"n:b\" xmlns:n=\"urn:a\"/>"), "{text}");
}

#[test]
fn bombs_are_refused() {
    let entity =
        format!("<!DOCTYPE a [<!ENTITY b 'bbbb'>]>{}", envelope(V1_1, "", "<GetIfTable>&b;</GetIfTable>"));
    assert_eq!(read_all(&entity).unwrap_err().fault.kind, FaultKind::Malformed);
    let deep = envelope(V1_1, "", &"<a>".repeat(100));
    assert!(matches!(
        read_all(&deep).unwrap_err().fault.kind,
        FaultKind::UnknownOperation | FaultKind::TooMany
    ));
    let header = format!("<e:Header>{}{}</e:Header>", "<a>".repeat(100), "</a>".repeat(100));
    let deep = envelope(V1_1, &header, "<GetIfTable xmlns='urn:trunkline:lean'/>");
    assert_eq!(read_all(&deep).unwrap_err().fault.kind, FaultKind::TooMany);
    let long = envelope(V1_1, "", &format!("<{} xmlns='urn:trunkline:lean'/>", "a".repeat(10_000)));
    assert_eq!(read_all(&long).unwrap_err().fault.kind, FaultKind::TooMany);
    let attributes: String = (0..1000).map(|n| format!(" a{n}=''")).collect();
    let wide = envelope(V1_1, "", &format!("<a{attributes}/>"));
    assert_eq!(read_all(&wide).unwrap_err().fault.kind, FaultKind::TooMany);
    for end in 0..200 {
        let whole = envelope(V1_1, "", "<Get xmlns='urn:trunkline:soap'><name>ifMtu.1</name></Get>");
        if let Some(cut) = whole.get(..end.min(whole.len() - 1)) {
            assert!(read_all(cut).is_err(), "{cut}");
        }
    }
}
