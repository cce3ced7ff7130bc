//! Known answers: captured and hand-made messages, and malformed ones with the error each must give.
#![allow(missing_docs, clippy::expect_used)]

use trunkline_smi::OidList;
use trunkline_snmp::wire::{
    Bound, Envelope, MAX_MESSAGE_SIZE, Message, MessageRef, ResponseWriter, annotate, frame_length,
};
use trunkline_snmp::{DecodeError, OidProblem};

const NET_SNMP: &str = include_str!("vectors/net-snmp.txt");
const BY_HAND: &str = include_str!("vectors/by-hand.txt");
const MALFORMED: &str = include_str!("vectors/malformed.txt");

/// One vector of a file: its first line, its octets, its lines of bindings.
struct Vector<'f> {
    head: &'f str,
    octets: Vec<u8>,
    bindings: Vec<&'f str>,
}

fn vectors<'f>(file: &'f str, marks: &str) -> Vec<Vector<'f>> {
    let mut vectors = Vec::<Vector<'f>>::new();
    for line in file.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with(|first| marks.contains(first)) {
            vectors.push(Vector { head: line, octets: vec![], bindings: vec![] });
            continue;
        }
        let vector = vectors.last_mut().expect("a file starts with a head line");
        match line.strip_prefix("> ") {
            Some(binding) => vector.bindings.push(binding),
            None if line == "-" => {}
            None => vector
                .octets
                .extend(line.split(' ').map(|octet| u8::from_str_radix(octet, 16).expect("hexadecimal"))),
        }
    }
    assert!(vectors.len() > 5);
    vectors
}

fn head(message: &Message) -> String {
    let pdu = &message.pdu;
    let community = String::from_utf8_lossy(&message.community);
    let community = if community.is_empty() { "-" } else { &community };
    let numbers = format!("{} {} {}", pdu.request_id, pdu.error_status, pdu.error_index);
    format!("{} {} {community} {numbers}", pdu.kind, message.version)
}

fn bindings(message: &Message) -> Vec<String> {
    let say = |bound: &Bound| match bound {
        Bound::Unspecified => "NULL".into(),
        Bound::Exception(exception) => exception.to_string(),
        Bound::Value(value) => format!("{} {}", value.kind().name(), value.as_value_ref()),
    };
    message.pdu.bindings.iter().map(|binding| format!("{} {}", binding.name, say(&binding.value))).collect()
}

fn check(vector: &Vector<'_>) {
    let message = Message::decode(&vector.octets).unwrap_or_else(|error| panic!("{}: {error}", vector.head));
    assert_eq!(head(&message), vector.head[2..]);
    assert_eq!(bindings(&message), vector.bindings, "{}", vector.head);
    assert_eq!(frame_length(&vector.octets), Ok(Some(vector.octets.len())));
    assert!(annotate(&vector.octets).iter().all(|field| !field.wrong));
    if vector.head.starts_with('=') {
        assert_eq!(message.encode(), vector.octets, "{}", vector.head);
    }
}

#[test]
fn captured_from_net_snmp() {
    vectors(NET_SNMP, "=").iter().for_each(check);
}

#[test]
fn made_by_hand() {
    vectors(BY_HAND, "=~").iter().for_each(check);
}

/// A GetBulk's answer from snmpd, written with our own writer from its own bindings.
#[test]
fn our_writer_gives_snmpds_octets() {
    for vector in vectors(NET_SNMP, "=").iter().filter(|vector| vector.head.starts_with("= Response")) {
        let message = Message::decode(&vector.octets).unwrap();
        let (kind, request_id) = (message.pdu.kind, message.pdu.request_id);
        let envelope = Envelope::community(message.version, &message.community, kind, request_id);
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, vector.octets.len(), envelope);
        let range = if message.pdu.error_status == 0 {
            for binding in &message.pdu.bindings {
                let fits = match &binding.value {
                    Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
                    Bound::Exception(exception) => writer.exception(&binding.name, *exception),
                    Bound::Unspecified => writer.unspecified(&binding.name),
                };
                assert!(fits);
            }
            writer.finish().unwrap()
        } else {
            let bindings = MessageRef::decode(&vector.octets).unwrap();
            let (status, index) = (message.pdu.status().unwrap(), message.pdu.error_index as u32);
            writer.finish_with_raw_bindings(status, index, bindings.pdu.raw_bindings()).unwrap()
        };
        assert_eq!(&buf[range], vector.octets);
    }
}

/// Variant, element and problem of an error, without its numbers.
fn summary(error: &DecodeError) -> String {
    match error {
        DecodeError::Truncated { element, .. } => format!("Truncated {element}"),
        DecodeError::LengthBeyondEnd { element, .. } => format!("LengthBeyondEnd {element}"),
        DecodeError::IndefiniteLength { element, .. } => format!("IndefiniteLength {element}"),
        DecodeError::LengthForm { element, .. } => format!("LengthForm {element}"),
        DecodeError::UnexpectedTag { element, .. } => format!("UnexpectedTag {element}"),
        DecodeError::UnknownPdu { .. } => "UnknownPdu".into(),
        DecodeError::UnknownValueType { .. } => "UnknownValueType".into(),
        DecodeError::TrailingOctets { element, .. } => format!("TrailingOctets {element}"),
        DecodeError::NumberSize { element, .. } => format!("NumberSize {element}"),
        DecodeError::NumberRange { .. } => "NumberRange".into(),
        DecodeError::NotEmpty { .. } => "NotEmpty".into(),
        DecodeError::IpAddressSize { .. } => "IpAddressSize".into(),
        DecodeError::ObjectIdentifier { element, problem, .. } => {
            let problem = match problem {
                OidProblem::Empty => "Empty",
                OidProblem::Unterminated => "Unterminated",
                OidProblem::Padded { .. } => "Padded",
                OidProblem::SubIdRange { .. } => "SubIdRange",
                OidProblem::TooLong => "TooLong",
                OidProblem::DeltaOfNothing => "DeltaOfNothing",
                OidProblem::DeltaPosition { .. } => "DeltaPosition",
                OidProblem::Delta => "Delta",
                other => panic!("no vector for {other:?}"),
            };
            format!("ObjectIdentifier {element} {problem}")
        }
        DecodeError::IntegerRange { element, .. } => format!("IntegerRange {element}"),
        DecodeError::StringSize { element, .. } => format!("StringSize {element}"),
        DecodeError::UnknownMessageData { .. } => "UnknownMessageData".into(),
        DecodeError::UnsupportedVersion { .. } => "UnsupportedVersion".into(),
        DecodeError::TrapV1 { .. } => "TrapV1".into(),
        DecodeError::NotInVersion { .. } => "NotInVersion".into(),
        DecodeError::TooLarge { .. } => "TooLarge".into(),
        DecodeError::Deflate { .. } => "Deflate".into(),
        other => panic!("no vector for {other:?}"),
    }
}

/// The error of the agent's reader: header, then names.
fn names(octets: &[u8]) -> Result<usize, DecodeError> {
    let mut names = OidList::new();
    let result = MessageRef::decode(octets).and_then(|message| message.pdu.names(&mut names));
    assert!(result.is_ok() || names.is_empty());
    result.map(|()| names.len())
}

#[test]
fn malformed_messages_are_refused_by_both_decoders() {
    for vector in vectors(MALFORMED, "!") {
        let error = Message::decode(&vector.octets).expect_err(vector.head);
        assert_eq!(summary(&error), vector.head[2..], "{error}");
        assert_eq!(names(&vector.octets), Err(error));
    }
}

#[test]
fn a_message_too_long_for_any_datagram() {
    let octets = vec![0; MAX_MESSAGE_SIZE + 1];
    let error = DecodeError::TooLarge { found: MAX_MESSAGE_SIZE + 1, limit: MAX_MESSAGE_SIZE };
    assert_eq!(Message::decode(&octets), Err(error));
}

/// Truncated anywhere, a message is invalid; the readers agree, and the annotator shows every octet.
#[test]
fn cut_at_every_offset() {
    for vector in vectors(NET_SNMP, "=").iter().chain(&vectors(BY_HAND, "=~")) {
        for end in 0..vector.octets.len() {
            let cut = &vector.octets[..end];
            let error = Message::decode(cut).expect_err("cut");
            assert!(matches!(error, DecodeError::Truncated { .. } | DecodeError::LengthBeyondEnd { .. }));
            let shown: usize = annotate(cut).iter().map(|field| field.len).sum();
            assert_eq!(shown, end);
        }
    }
}

/// Each octet in turn with every other value: never a panic, the two readers agree, and what is read is
/// still read equal after it was encoded again.
#[test]
fn every_octet_replaced_by_every_other() {
    for vector in vectors(NET_SNMP, "=") {
        let mut octets = vector.octets.clone();
        for at in 0..octets.len() {
            for value in 0..=255 {
                octets[at] = value;
                match Message::decode(&octets) {
                    Ok(message) => {
                        assert_eq!(names(&octets), Ok(message.pdu.bindings.len()));
                        assert_eq!(Message::decode(&message.encode()), Ok(message));
                    }
                    Err(error) => assert_eq!(names(&octets), Err(error)),
                }
            }
            octets[at] = vector.octets[at];
        }
    }
}

/// A value that holds elements within elements, each length right: refused by its type, not followed.
#[test]
fn deep_nesting_is_not_followed() {
    let mut nested = vec![5, 0];
    for _ in 0..10_000 {
        nested = [&[0x30, 0x84], &(nested.len() as u32).to_be_bytes()[..], &nested].concat();
    }
    assert!(nested.len() < MAX_MESSAGE_SIZE);
    let error = Message::decode(&nested).unwrap_err();
    assert_eq!(summary(&error), "UnexpectedTag version");
}
