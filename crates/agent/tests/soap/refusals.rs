//! Sets, access, and requests that are refused.

use trunkline_smi::SetStatus;
use trunkline_smi::Value;
use trunkline_soap::answer::AnswerError;
use trunkline_soap::catalog::TableVerb;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::fault::{Fault, FaultKind};
use trunkline_soap::operation::{Assignment, Operation, RowRange};

use super::ask::{Asker, envelope};
use super::doors::CONFIG;
use super::support::Agent;

fn assign(asker: &Asker, name: &str, value: Value) -> Assignment {
    Assignment { name: asker.catalog.object_name(name).unwrap(), value }
}

fn refused(asker: &mut Asker, encoding: Encoding, operation: Operation) -> Fault {
    match asker.objects(Version::V1_2, encoding, operation) {
        Err(AnswerError::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    }
}

#[test]
fn sets_are_all_or_nothing_and_report_what_was_wrong() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    for encoding in Encoding::ALL {
        let contact = Value::text(format!("me, {}", encoding.name()));
        let set = Operation::Set(vec![assign(&asker, "sysContact.0", contact.clone())]);
        let fault = refused(&mut asker, encoding, set.clone());
        assert_eq!((&fault.kind, fault.subject.position), (&FaultKind::NotSet(SetStatus::NoAccess), Some(1)));
        asker.community = Some("private");
        let half = vec![
            assign(&asker, "sysContact.0", Value::text("half")),
            assign(&asker, "ifMtu.1", Value::Integer(1500)),
        ];
        let fault = refused(&mut asker, encoding, Operation::Set(half));
        assert_eq!(
            (&fault.kind, fault.subject.position),
            (&FaultKind::NotSet(SetStatus::NotWritable), Some(2))
        );
        assert_eq!(fault.subject.oid.as_deref(), Some("1.3.6.1.2.1.2.2.1.4.1"));
        assert!(asker.objects(Version::V1_1, encoding, set).unwrap().is_empty());
        let names = vec![asker.catalog.object_name("sysContact.0").unwrap()];
        let read = asker.objects(Version::V1_1, encoding, Operation::Get { names, mark_missing: false });
        assert_eq!(read.unwrap()[0].value, Ok(contact));
        asker.community = Some("public");
    }
    let typed = envelope(
        "<SetSystem xmlns='urn:trunkline:mib:SNMPv2-MIB'><community>private</community>\
         <sysLocation>a &lt;b&gt;</sysLocation></SetSystem>",
    );
    assert_eq!(asker.post("text/xml", Some("\"\""), typed.as_bytes()).status.as_u16(), 200);
    let value = agent.get("1.3.6.1.2.1.1.6.0");
    assert_eq!(value, trunkline_snmp::wire::Bound::Value(Value::text("a <b>")));
}

#[test]
fn unreadable_objects_do_not_exist() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    asker.community = Some("little");
    let find = |asker: &Asker, name: &str| {
        asker.catalog.tables().iter().position(|table| table.table.name == name).unwrap()
    };
    let (interfaces, addresses) = (find(&asker, "ifTable"), find(&asker, "ipAddressTable"));
    let record = asker.catalog.tables()[interfaces].record.clone();
    let whole = asker.table(interfaces, TableVerb::Whole, None, RowRange::All);
    let rows = asker.rows(Version::V1_1, Encoding::Lean, whole, &record).unwrap();
    assert!(!rows.is_empty());
    for row in &rows {
        let seen: Vec<usize> = (0..row.cells.len()).filter(|at| row.cells[*at].is_some()).collect();
        assert_eq!(seen, [0], "only ifDescr may be seen");
    }
    let hidden = asker.table(addresses, TableVerb::Whole, None, RowRange::All);
    assert_eq!(refused(&mut asker, Encoding::Typed, hidden).kind, FaultKind::NoSuchObject);
    let mtu =
        asker.table(interfaces, TableVerb::Column, Some(vec![record.field("ifMtu").unwrap()]), RowRange::All);
    let fault = refused(&mut asker, Encoding::Typed, mtu);
    assert_eq!((fault.kind, fault.subject.name.as_deref()), (FaultKind::NoSuchObject, Some("ifMtu")));
    let names =
        vec![asker.catalog.object_name("ifDescr.1").unwrap(), asker.catalog.object_name("ifMtu.1").unwrap()];
    let fault = refused(&mut asker, Encoding::Typed, Operation::Get { names, mark_missing: false });
    assert_eq!((fault.kind, fault.subject.position), (FaultKind::NoSuchObject, Some(2)));
    let row = asker.table(interfaces, TableVerb::Row, None, RowRange::One([99_999].into()));
    let fault = refused(&mut asker, Encoding::AsInPaper, row);
    assert_eq!((fault.kind, fault.subject.row.as_deref()), (FaultKind::NoSuchRow, Some("99999")));
}

#[test]
fn refused_requests_are_answered_with_their_fault() {
    let agent = Agent::start(CONFIG);
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let table = envelope("<GetIfTable xmlns='urn:trunkline:lean'><community>public</community></GetIfTable>");
    for (content_type, status) in
        [("application/json", 415), ("text/xml; charset=iso-8859-1", 415), ("text/xml", 200)]
    {
        assert_eq!(asker.post(content_type, Some("\"\""), table.as_bytes()).status.as_u16(), status);
    }
    let (status, fault) = asker.fault("text/xml", None, &table);
    assert_eq!((status, fault.kind), (500, FaultKind::WrongAction));
    let (_, fault) = asker.fault("text/xml", Some("\"urn:trunkline:lean#GetIpAddressTable\""), &table);
    assert_eq!(fault.kind, FaultKind::WrongAction);
    let (_, fault) = asker.fault("application/soap+xml", None, &table);
    assert_eq!(fault.kind, FaultKind::WrongAction);
    let (status, fault) = asker.fault("text/xml", Some(""), &table.replace("public", "nobody"));
    assert_eq!((status, fault.kind), (401, FaultKind::Unauthorized));
    let (status, fault) =
        asker.fault("text/xml", Some(""), &table.replace("<community>public</community>", ""));
    assert_eq!((status, fault.kind), (401, FaultKind::Unauthorized));
    let (_, fault) = asker.fault("text/xml", Some(""), &table.replace("soap/envelope/", "soap/another/"));
    assert_eq!(fault.kind, FaultKind::VersionMismatch);
    let newer = table.replace(Version::V1_1.namespace(), Version::V1_2.namespace());
    let newer = newer.replace("GetIfTable", "GetIfTabel");
    let (status, fault) = asker.fault("application/soap+xml", None, &newer);
    assert_eq!((status, fault.kind), (400, FaultKind::UnknownOperation));
    assert_eq!(fault.subject.near, ["GetIfTable"]);
    let bomb = format!("<!DOCTYPE a [<!ENTITY b '{}'>]>{table}", "b".repeat(1000));
    assert_eq!(asker.fault("text/xml", Some(""), &bomb).1.kind, FaultKind::Malformed);
    let names = "<name>ifMtu.1</name>".repeat(10_001);
    let many = envelope(&format!("<Get xmlns='urn:trunkline:soap'>{names}</Get>"));
    assert_eq!(asker.fault("text/xml", Some(""), &many).1.kind, FaultKind::TooMany);
    let (_, fault) = asker.fault("text/xml", Some(""), &table[..table.len() - 10]);
    assert_eq!(fault.kind, FaultKind::Malformed);
    assert!(fault.reason.contains("line 1"), "{fault}");
}

#[test]
fn an_answer_respects_the_configured_limit() {
    let agent = Agent::start(&CONFIG.replace("[freshness]", "max-answer-size = 4096\n[freshness]"));
    let mut asker = Asker::new(agent.address("http"), Vec::new());
    let processes =
        asker.catalog.tables().iter().position(|table| table.table.name == "hrSWRunTable").unwrap();
    let record = asker.catalog.tables()[processes].record.clone();
    for encoding in Encoding::ALL {
        let whole = asker.table(processes, TableVerb::Whole, None, RowRange::All);
        assert_eq!(refused(&mut asker, encoding, whole).kind, FaultKind::TooBig);
        let some = RowRange::After { index: trunkline_smi::Oid::EMPTY, count: 100_000 };
        let some = asker.table(processes, TableVerb::NextRows, None, some);
        let rows = asker.rows(Version::V1_1, encoding, some, &record).unwrap();
        assert!(!rows.is_empty());
    }
}
