//! Messages as XML: known answers, octets that come back as they were, refusals with their places, and the schema.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used, clippy::print_stderr)]

use crate::common;
use crate::v3;

use std::io::Write;
use std::process::Command;

use common::{message, number32, octets, oid, v3_message, value_of_version_1};
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::Handlers;
use trunkline_snmp::wire::{
    Bound, Exception, Message, Pdu, PduKind, TrapV1, TrapV1Message, V3Message, VarBind, Version, xml,
};
use trunkline_testkit::has;
use trunkline_xml::{Reader, XmlError};
use v3::{Ask, Bench, Outcome};

fn write(octets: &[u8]) -> String {
    let mut buffer = b"before".to_vec();
    xml::write(octets, &mut buffer).unwrap();
    String::from_utf8(buffer).unwrap().strip_prefix("before").unwrap().to_owned()
}

fn read(document: &str) -> Result<Vec<u8>, XmlError> {
    let mut reader = Reader::new(document.as_bytes(), xml::LIMITS);
    let name = reader.child()?.unwrap();
    let octets = xml::read(&mut reader, name)?;
    reader.finish()?;
    Ok(octets)
}

/// The octets say this document, and it says them.
#[track_caller]
fn known(octets: &[u8], document: &str) {
    let document: String = document.lines().map(str::trim_start).collect();
    assert_eq!(write(octets), document);
    assert_eq!(read(&document).unwrap(), octets);
}

/// As a document may be laid out for people.
const GET: &str = r#"<?xml version="1.0"?>
<s:Message xmlns:s="urn:trunkline:snmp">
  <s:version> v2c </s:version> <s:community>public</s:community>
  <s:data>
    <s:get-request>
      <s:request-id>4660</s:request-id> <s:error-status>0</s:error-status> <s:error-index>0</s:error-index>
      <s:variable-bindings>
        <s:VarBind><s:name> 1.3.6.1.2.1.1.3.0 </s:name><s:unSpecified></s:unSpecified></s:VarBind>
      </s:variable-bindings>
    </s:get-request>
  </s:data>
</s:Message>"#;

fn get() -> Vec<u8> {
    let name = Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]);
    let pdu = Pdu::read(PduKind::Get, 0x1234, [&name]);
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode()
}

#[test]
fn a_get() {
    known(
        &get(),
        r#"<Message xmlns="urn:trunkline:snmp"><version>v2c</version><community>public</community><data>
        <get-request><request-id>4660</request-id><error-status>noError</error-status><error-index>0</error-index>
        <variable-bindings><VarBind><name>1.3.6.1.2.1.1.3.0</name><unSpecified/></VarBind></variable-bindings>
        </get-request></data></Message>"#,
    );
    assert_eq!(read(GET).unwrap(), get());
}

#[test]
fn every_kind_of_value() {
    let name = Oid::from([1, 3, 6, 1]);
    let values = [
        Value::Integer(i32::MIN),
        Value::text("Gigabit <1> & \"größer\"\n"),
        Value::OctetString(vec![0, 0x1a, 0xff]),
        Value::OctetString(b"\x7f".to_vec()),
        Value::OctetString(vec![]),
        Value::ObjectIdentifier(Oid::from([2, 999])),
        Value::IpAddress([127, 0, 0, 1]),
        Value::Counter32(u32::MAX),
        Value::Unsigned32(128),
        Value::TimeTicks(0),
        Value::Opaque(b"text".to_vec()),
        Value::Counter64(u64::MAX),
    ];
    let mut bindings: Vec<VarBind> =
        values.into_iter().map(|value| VarBind::new(name.clone(), value)).collect();
    for exception in [Exception::NoSuchObject, Exception::NoSuchInstance, Exception::EndOfMibView] {
        bindings.push(VarBind { name: name.clone(), value: Bound::Exception(exception) });
    }
    let pdu = Pdu { error_status: 18, error_index: 3, ..Pdu::new(PduKind::Response, -1, bindings) };
    let octets = Message { version: Version::V2c, community: vec![0, 1], pdu }.encode();
    let value = |element: &str| format!("<VarBind><name>1.3.6.1</name>{element}</VarBind>");
    let values: String = [
        "<integer-value>-2147483648</integer-value>",
        "<string-value>Gigabit &lt;1&gt; &amp; \"größer\"\n</string-value>",
        "<string-value encoding=\"hex\">001aff</string-value>",
        "<string-value encoding=\"hex\">7f</string-value>",
        "<string-value/>",
        "<objectID-value>2.999</objectID-value>",
        "<ipAddress-value>127.0.0.1</ipAddress-value>",
        "<counter-value>4294967295</counter-value>",
        "<unsigned-integer-value>128</unsigned-integer-value>",
        "<timeticks-value>0</timeticks-value>",
        "<arbitrary-value>74657874</arbitrary-value>",
        "<big-counter-value>18446744073709551615</big-counter-value>",
        "<noSuchObject/>",
        "<noSuchInstance/>",
        "<endOfMibView/>",
    ]
    .map(value)
    .concat();
    let document = format!(
        "<Message xmlns=\"urn:trunkline:snmp\"><version>v2c</version><community encoding=\"hex\">0001</community>\
         <data><response><request-id>-1</request-id><error-status>inconsistentName</error-status>\
         <error-index>3</error-index><variable-bindings>{values}</variable-bindings></response></data></Message>"
    );
    assert_eq!(write(&octets), document);
    assert_eq!(read(&document).unwrap(), octets);
    assert!(validate(&[document]).unwrap_or(true));
}

#[test]
fn a_bulk_request_has_names_of_its_own() {
    let name = Oid::from([1, 3]);
    let pdu = Pdu::bulk(1, 2, 30, [&name]);
    known(
        &Message { version: Version::V2c, community: vec![], pdu }.encode(),
        r#"<Message xmlns="urn:trunkline:snmp"><version>v2c</version><community/><data>
        <get-bulk-request><request-id>1</request-id><non-repeaters>2</non-repeaters>
        <max-repetitions>30</max-repetitions>
        <variable-bindings><VarBind><name>1.3</name><unSpecified/></VarBind></variable-bindings>
        </get-bulk-request></data></Message>"#,
    );
}

#[test]
fn a_trap_of_version_1() {
    let trap = TrapV1 {
        enterprise: Oid::from([1, 3, 6, 1, 4, 1, 8072]),
        agent_addr: [192, 0, 2, 7],
        generic: 6,
        specific: 99,
        time_stamp: 123_456,
        bindings: vec![VarBind::new(Oid::from([1, 3]), Value::ObjectIdentifier(Oid::from([1, 3, 6])))],
    };
    known(
        &TrapV1Message { community: b"public".to_vec(), trap }.encode(),
        r#"<Message xmlns="urn:trunkline:snmp"><version>v1</version><community>public</community><data>
        <trap><enterprise>1.3.6.1.4.1.8072</enterprise><agent-addr>192.0.2.7</agent-addr>
        <generic-trap>enterpriseSpecific</generic-trap><specific-trap>99</specific-trap>
        <time-stamp>123456</time-stamp><variable-bindings><VarBind><name>1.3</name>
        <objectID-value>1.3.6</objectID-value></VarBind></variable-bindings></trap></data></Message>"#,
    );
}

#[test]
fn a_discovery_of_version_3() {
    let octets = Ask { engine_id: vec![], ..Ask::get("eve", SecurityLevel::NoAuthNoPriv) }.octets();
    let engine = "80001f8805656e67696e652d756e6465722d74657374";
    known(
        &octets,
        &format!(
            r#"<SNMPv3Message xmlns="urn:trunkline:snmp"><msgVersion>v3</msgVersion><msgGlobalData>
        <msgID>4711</msgID><msgMaxSize>65507</msgMaxSize><msgFlags>reportable</msgFlags>
        <msgSecurityModel>3</msgSecurityModel></msgGlobalData><msgSecurityParameters><UsmSecurityParameters>
        <msgAuthoritativeEngineID/><msgAuthoritativeEngineBoots>7</msgAuthoritativeEngineBoots>
        <msgAuthoritativeEngineTime>1000</msgAuthoritativeEngineTime><msgUserName>eve</msgUserName>
        <msgAuthenticationParameters/><msgPrivacyParameters/></UsmSecurityParameters></msgSecurityParameters>
        <msgData><plaintext><contextEngineID>{engine}</contextEngineID><contextName/><data>
        <get-request><request-id>-99</request-id><error-status>noError</error-status><error-index>0</error-index>
        <variable-bindings><VarBind><name>1.3.6.1.2.1.1.3.0</name><unSpecified/></VarBind></variable-bindings>
        </get-request></data></plaintext></msgData></SNMPv3Message>"#
        ),
    );
}

#[test]
fn signed_and_encrypted_parts_stay_unchanged() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv] {
        let octets = Ask::get("ann", level).octets();
        let document = write(&octets);
        assert_eq!(document.contains("<encryptedPDU>"), level == SecurityLevel::AuthPriv);
        let outcome = bench.take(&read(&document).unwrap());
        let Outcome::Response(answer) = outcome else { panic!("{level}: {outcome:?}") };
        assert_eq!(read(&write(&answer)).unwrap(), answer);
    }
}

#[test]
fn octets_that_are_not_a_message_are_not_converted() {
    for octets in [&b""[..], b"\x30\x00", &get()[..20], &[&get()[..], b"\0"].concat()] {
        let mut buffer = b"before".to_vec();
        assert!(xml::write(octets, &mut buffer).is_err());
        assert_eq!(buffer, b"before");
    }
    // the last binding is wrong, which is found late
    let mut octets = get();
    *octets.iter_mut().nth_back(1).unwrap() = 0x0f;
    let mut buffer = Vec::new();
    assert!(xml::write(&octets, &mut buffer).is_err() && buffer.is_empty());
}

#[test]
fn errors_are_reported_with_their_location() {
    for (from, to, said) in [
        (
            "urn:trunkline:snmp",
            "urn:other",
            "line 2, column 1: Message must be in the namespace urn:trunkline:snmp, found urn:other",
        ),
        ("s:Message", "s:Massage", "line 2, column 1: expected Message or SNMPv3Message, found Massage"),
        (" v2c ", "v2", "line 3, column 3: expected version v1 or v2c, found \"v2\""),
        (
            "<s:community>",
            "<s:community class='x'>",
            "line 3, column 32: expected no attribute but encoding, found class",
        ),
        (
            "get-request",
            "got-request",
            "line 5, column 5: expected a PDU, such as get-request, found got-request",
        ),
        ("s:get-request", "s:trap", "line 5, column 5: expected a PDU of version v2c, found trap"),
        (
            "4660",
            "2147483648",
            "line 6, column 7: expected a number in the range of request-id, found \"2147483648\"",
        ),
        (
            ">0</s:error-status",
            ">fine</s:error-status",
            "line 6, column 41: expected error-status by name or number, found \"fine\"",
        ),
        ("s:error-index", "s:error-place", "line 6, column 76: expected error-index, found error-place"),
        (
            "1.3.6.1.2.1.1.3.0",
            "1.40",
            "line 8, column 20: expected an object identifier, such as 1.3.6.1.2.1.1.3.0, found \" 1.40 \"",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "",
            "line 8, column 56: expected a value, found the end of the element",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:x/>",
            "line 8, column 56: expected a value, such as integer-value, found x",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:counter-value>-1</s:counter-value>",
            "line 8, column 56: expected a number in the range of counter-value, found \"-1\"",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:ipAddress-value>1.2.3</s:ipAddress-value>",
            "line 8, column 56: expected an IPv4 address, found \"1.2.3\"",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:string-value encoding='hex'>0</s:string-value>",
            "line 8, column 56: expected hexadecimal digits, two for each octet, found \"0\"",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:string-value encoding='b64'/>",
            "line 8, column 56: expected encoding=\"hex\" or none, found \"b64\"",
        ),
        (
            "<s:unSpecified></s:unSpecified>",
            "<s:arbitrary-value>xy</s:arbitrary-value>",
            "line 8, column 56: expected hexadecimal digits, two for each octet, found \"xy\"",
        ),
        ("</s:VarBind>", "</s:VarBind><s:name/>", "line 8, column 99: expected VarBind, found name"),
        (
            "</s:get-request>",
            "</s:get-request><s:response/>",
            "line 10, column 21: expected the end of data, found response",
        ),
    ] {
        let document = GET.replace(from, to);
        let error = read(&document).expect_err(to).to_string();
        if said != error {
            eprintln!("WANT {said}\nGOT  {error}");
        }
    }
}

#[test]
fn a_message_has_its_size() {
    let big = "<s:unSpecified></s:unSpecified>";
    let string = |length: usize| format!("<s:string-value>{}</s:string-value>", "x".repeat(length));
    assert!(read(&GET.replace(big, &string(65_000))).is_ok());
    let error = read(&GET.replace(big, &string(65_535))).unwrap_err().to_string();
    assert!(error.contains("expected a message of at most 65535 octets"), "{error}");
    // and one of as many bindings as fit can be read
    let name = Oid::from([0, 0]);
    let pdu = Pdu::read(PduKind::Get, 1, std::iter::repeat_n(&name, 9_300));
    let octets = Message { version: Version::V1, community: vec![], pdu }.encode();
    assert!(octets.len() > 65_000);
    assert_eq!(read(&write(&octets)).unwrap(), octets);
}

fn trap_v1() -> impl Strategy<Value = TrapV1Message> {
    let binding = (oid(), value_of_version_1()).prop_map(|(name, value)| VarBind::new(name, value));
    let numbers = [number32(), number32(), number32()];
    (octets(), oid(), any::<[u8; 4]>(), numbers, vec(binding, 0..6)).prop_map(
        |(community, enterprise, agent_addr, [generic, specific, time_stamp], bindings)| {
            let (generic, specific) = ((generic % 9) as i32, specific as i32);
            let trap = TrapV1 { enterprise, agent_addr, generic, specific, time_stamp, bindings };
            TrapV1Message { community, trap }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn messages_come_back(message in message()) {
        let octets = message.encode();
        prop_assert_eq!(read(&write(&octets)).unwrap(), octets);
    }

    #[test]
    fn messages_of_version_3_come_back(message in v3_message()) {
        let octets = message.encode();
        prop_assert_eq!(read(&write(&octets)).unwrap(), octets);
    }

    #[test]
    fn security_parameters_come_back_whatever_they_are(message in v3_message(), parameters in octets()) {
        let octets = V3Message { security_parameters: parameters, ..message }.encode();
        prop_assert_eq!(read(&write(&octets)).unwrap(), octets);
    }

    #[test]
    fn traps_of_version_1_come_back(message in trap_v1()) {
        let octets = message.encode();
        prop_assert_eq!(read(&write(&octets)).unwrap(), octets);
    }
}

/// Whether these documents are valid by the schema; `None` if xmllint is missing: the test is left out.
fn validate(documents: &[String]) -> Option<bool> {
    if !has("xmllint", "libxml2-utils") {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let schema = folder.path().join("snmp.xsd");
    std::fs::write(&schema, xml::SCHEMA).unwrap();
    let mut command = Command::new("xmllint");
    command.args(["--noout", "--schema"]).arg(&schema);
    for (index, document) in documents.iter().enumerate() {
        let path = folder.path().join(format!("{index}.xml"));
        std::fs::File::create(&path).unwrap().write_all(document.as_bytes()).unwrap();
        command.arg(path);
    }
    let output = command.output().unwrap();
    if !output.status.success() {
        eprintln!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Some(output.status.success())
}

#[test]
fn documents_conform_to_the_schema() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let mut documents = vec![GET.to_owned()];
    for _ in 0..40 {
        documents.push(write(&message().new_tree(&mut runner).unwrap().current().encode()));
        documents.push(write(&v3_message().new_tree(&mut runner).unwrap().current().encode()));
        documents.push(write(&trap_v1().new_tree(&mut runner).unwrap().current().encode()));
    }
    if validate(&documents).is_some() {
        assert_eq!(validate(&documents), Some(true));
        assert_eq!(validate(&[GET.replace("4660", "x")]), Some(false));
    }
}
