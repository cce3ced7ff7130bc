//! Messages of selective retrieval: written, and read the same; what is not one is refused with its fault.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test may fail by panic and say why")]

use std::collections::BTreeMap;

use proptest::prelude::*;
use trunkline_smi::{Value, ValueRef};
use trunkline_soap::Limits;
use trunkline_soap::encoding::Encoding;
use trunkline_soap::envelope::Version;
use trunkline_soap::expression::message::{
    AnswerWriter, Explained, ExplainedPart, PartRecord, SelectRequest, read_answer, read_request,
};
use trunkline_soap::expression::{Object, Question, Specification, View, object, parse_filter};

#[test]
fn answers_round_trip_in_both_encodings() {
    let graph = Specification::default().graph(&|_, _| vec![(2, Some("eth 0".to_owned()))]).unwrap();
    let question =
        Question::parse(View::Everything, "{Root}", Some("{ifDescr, tcpInSegs}"), None, BTreeMap::new());
    let plan = question.unwrap().compile(&graph, None).unwrap();
    for encoding in [Encoding::Typed, Encoding::Lean] {
        let mut octets = Vec::new();
        let mut answer = AnswerWriter::begin(&mut octets, &graph, Version::V1_2, View::Everything, encoding);
        let Some(Object::Scalar(scalar)) = object("tcpInSegs") else { panic!("a scalar") };
        answer.scalars(&mut octets, graph.find("TCP-Data").unwrap(), &[(scalar, ValueRef::Counter32(7))]);
        let part = plan.rows().next().unwrap();
        let record = PartRecord::new(part);
        let mut rows = answer.rows(part, &record);
        let cells = [Some(ValueRef::OctetString(b"eth <0>"))];
        rows.row(&mut answer, &mut octets, &[2], cells.into_iter());
        rows.end(&mut octets);
        let mut explained = Explained {
            start: "Root".to_owned(),
            searched: vec!["Root".to_owned(), "a b".to_owned()],
            gate: Some(true),
            parts: vec![ExplainedPart {
                service: "x".to_owned(),
                rows: 3,
                kept: 2,
                ..ExplainedPart::default()
            }],
            left_out: vec![("x".to_owned(), "y".to_owned())],
            unfiltered: 5,
            ..Explained::default()
        };
        answer.end(&mut octets, Some(&mut explained));
        let read = read_answer(&octets, Limits::MESSAGE, encoding).unwrap();
        assert_eq!(read.explained.as_ref(), Some(&explained));
        assert_eq!(read.services[0].scalars[0].1, Value::Counter32(7));
        let table = &read.services[1].tables[0];
        assert_eq!((read.services[1].name.as_str(), table.table.name), ("eth 0", "ifTable"));
        assert_eq!(*table.rows[0].index, [2]);
        assert_eq!(table.rows[0].cells, [Some(Value::OctetString(b"eth <0>".to_vec()))]);
        assert!(explained.octets > 200 && (explained.octets as usize) < octets.len());
    }
}

#[test]
fn messages_other_than_requests_are_refused() {
    let check = |body: &str, words: &str| {
        let text = format!(
            "<e:Envelope xmlns:e=\"http://schemas.xmlsoap.org/soap/envelope/\"><e:Body>{body}</e:Body></e:Envelope>"
        );
        let rejected = read_request(text.as_bytes(), Limits::MESSAGE).unwrap_err();
        assert!(rejected.fault.reason.contains(words), "{}", rejected.fault.reason);
    };
    check("", "expected SelectSingle, SelectTables or SelectAll");
    check("<SelectAll/>", "SelectAll is not an operation here");
    let select = |inner: &str| format!("<SelectAll xmlns=\"urn:trunkline:select\">{inner}</SelectAll>");
    check(&select("<filter/><path/>"), "path is not expected here: expected value, encoding");
    check(&select("<community>c</community><path/>"), "path is not expected here: the order is path, data");
    check(&select("<path/><path/>"), "expected data, filter");
    check(&select("<value name=\"a\">x</value>"), "a number of 64 bits");
    check(&select("<value>1</value>"), "name");
    check(&select("<encoding>paper</encoding>"), "typed or lean");
    check(&select("<explain>maybe</explain>"), "maybe");
    let many: String = (0..65).map(|word| format!("<value name=\"w{word}\">1</value>")).collect();
    check(&select(&many), "at most 64 words");
}

#[test]
fn faults_of_expressions_have_a_position() {
    let fault = parse_filter("ifIndex = ").unwrap_err().fault();
    assert_eq!(fault.kind.word(), "wrongExpression");
    assert_eq!((fault.subject.position, fault.subject.name.as_deref()), (Some(11), Some("filter")));
    assert!(fault.reason.ends_with("\n  ifIndex = \n            ^"), "{}", fault.reason);
}

proptest! {
    #[test]
    fn requests_round_trip(
        path in prop::option::of("[ -~ä]{0,20}"), filter in prop::option::of("[ -~]{0,20}"),
        values in prop::collection::btree_map("[a-z]{1,8}", -5i128..1_000_000, 0..4), explain: bool, lean: bool,
    ) {
        for (version, view) in [(Version::V1_1, View::Single), (Version::V1_2, View::Tables)] {
            let request = SelectRequest {
                path: path.clone(), filter: filter.clone(), values: values.clone(), explain,
                encoding: if lean { Encoding::Lean } else { Encoding::Typed },
                community: Some("c<>".to_owned()),
                ..SelectRequest::new(version, view)
            };
            let mut octets = Vec::new();
            request.write(&mut octets);
            prop_assert_eq!(read_request(&octets, Limits::MESSAGE), Ok(request));
        }
    }
}
