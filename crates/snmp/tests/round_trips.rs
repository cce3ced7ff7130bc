//! What is encoded is read back equal, by both readers and from both writers.
#![allow(missing_docs, clippy::unwrap_used)]

use crate::common;

use common::{message, oid, sub_id, value};
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::{Oid, OidList, Value};
use trunkline_snmp::wire::{
    Bound, Envelope, ErrorStatus, Message, MessageRef, NameTemplate, Pdu, PduKind, RawOid, ResponseWriter,
    VarBind, Version, frame_length,
};

fn response(request_id: i32, community: &[u8], bindings: Vec<VarBind>) -> Message {
    let pdu = Pdu::new(PduKind::Response, request_id, bindings);
    Message { version: Version::V2c, community: community.to_vec(), pdu }
}

fn envelope(message: &Message) -> Envelope<'_> {
    Envelope::community(message.version, &message.community, message.pdu.kind, message.pdu.request_id)
}

/// Writes the bindings of a message with the agent's writer, each by the way that its kind takes.
fn write_bindings(writer: &mut ResponseWriter<'_>, message: &Message) -> usize {
    let fits = |binding: &&VarBind| match &binding.value {
        Bound::Unspecified => writer.unspecified(&binding.name),
        Bound::Exception(exception) => writer.exception(&binding.name, *exception),
        Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
    };
    message.pdu.bindings.iter().take_while(fits).count()
}

proptest! {
    #[test]
    fn messages(message in message()) {
        let octets = message.encode();
        prop_assert_eq!(&Message::decode(&octets).unwrap(), &message);
        prop_assert_eq!(frame_length(&octets), Ok(Some(octets.len())));

        let borrowed = MessageRef::decode(&octets).unwrap();
        let mut names = OidList::new();
        borrowed.pdu.names(&mut names).unwrap();
        prop_assert!(names.iter().eq(message.pdu.bindings.iter().map(|binding| &*binding.name)));
        prop_assert_eq!(borrowed.pdu.bindings().count(), message.pdu.bindings.len());
    }

    #[test]
    fn identifiers(name in oid()) {
        let message = response(1, b"", vec![VarBind::unspecified(name.clone())]);
        let octets = message.encode();
        let binding = MessageRef::decode(&octets).unwrap().pdu.bindings().next().unwrap().unwrap();
        prop_assert_eq!(binding.name.to_oid(), name);
        prop_assert_eq!(RawOid::new(binding.name.octets()).unwrap(), binding.name);
    }

    /// Any sub-identifiers can be encoded, and decode to something that can be.
    #[test]
    fn every_name_that_can_be_made_can_be_sent(sub_ids in vec(sub_id(), 0..=128)) {
        let message = response(1, b"", vec![VarBind::unspecified(Oid::new(&sub_ids).unwrap())]);
        let read = Message::decode(&message.encode()).unwrap();
        prop_assert_eq!(read.encode(), message.encode());
    }

    #[test]
    fn the_two_writers_agree(message in message()) {
        let message = Message { pdu: Pdu { error_status: 0, error_index: 0, ..message.pdu }, ..message };
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, 65_535, envelope(&message));
        prop_assert_eq!(write_bindings(&mut writer, &message), message.pdu.bindings.len());
        let range = writer.finish().unwrap();
        prop_assert_eq!(&buf[range], &message.encode());
    }

    /// A template with an index is the same as the whole name, whatever the widths.
    #[test]
    fn templates_agree_with_names(
        prefix in oid(),
        rows in vec((vec(sub_id(), 0..16), value()), 0..20),
        request_id in any::<i32>(),
    ) {
        let bindings: Vec<VarBind> =
            rows.iter().map(|(index, value)| VarBind::new(prefix.child(index), value.clone())).collect();
        let message = response(request_id, b"public", bindings);
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, 65_535, envelope(&message));
        let template = NameTemplate::new(&prefix);
        let taken = writer.column(&template, rows.iter().map(|(index, value)| (&index[..], value.as_value_ref())));
        prop_assert_eq!(taken, rows.len());
        let range = writer.finish().unwrap();
        prop_assert_eq!(&buf[range], &message.encode());
    }

    /// The limit is kept and the room used up: one more binding would pass it.
    #[test]
    fn the_size_limit_is_exact(message in message(), limit in 0..1500usize) {
        let message = Message { pdu: Pdu { error_status: 0, error_index: 0, ..message.pdu }, ..message };
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, limit, envelope(&message));
        let taken = write_bindings(&mut writer, &message);
        let range = writer.finish();

        let of = |count: usize| {
            let bindings = message.pdu.bindings[..count].to_vec();
            Message { pdu: Pdu { bindings, ..message.pdu.clone() }, ..message.clone() }.encode()
        };
        match range {
            Some(range) => prop_assert_eq!(&buf[range], &of(taken)),
            None => prop_assert!(taken == 0 && of(0).len() > limit),
        }
        prop_assert!(taken == 0 || of(taken).len() <= limit);
        prop_assert!(taken == message.pdu.bindings.len() || of(taken + 1).len() > limit);
    }
}

#[test]
fn a_long_column_fills_the_message_to_the_last_binding() {
    let template = NameTemplate::new(&[1, 3, 6, 1, 2, 1, 2, 2, 1, 10]);
    let envelope = Envelope::community(Version::V2c, b"public", PduKind::Response, 77);
    let mut buf = Vec::new();
    for limit in (0..3000).chain([8192, 65_507]) {
        let mut writer = ResponseWriter::new(&mut buf, limit, envelope);
        let rows: Vec<[u32; 1]> = (1..5000).map(|row| [row]).collect();
        let values = rows.iter().map(|row| (&row[..], Value::Counter32(row[0].wrapping_mul(2_654_435_761))));
        let values: Vec<(&[u32], Value)> = values.collect();
        let taken =
            writer.column(&template, values.iter().map(|(index, value)| (*index, value.as_value_ref())));
        let of = |count: usize| {
            let bindings = values[..count].iter().map(|(index, value)| {
                VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 10]).child(index), value.clone())
            });
            response(77, b"public", bindings.collect()).encode()
        };
        match writer.finish() {
            Some(range) => {
                assert!(range.len() <= limit);
                assert_eq!(&buf[range], &of(taken), "limit {limit}");
            }
            None => assert!(of(0).len() > limit),
        }
        assert!(of(taken + 1).len() > limit, "limit {limit}: {taken} taken, one more fits");
    }
}

#[test]
fn rollback_clear_and_errors() {
    let mut buf = Vec::new();
    let message = response(5, b"x", vec![VarBind::new(Oid::from([1, 3, 1]), Value::Integer(1))]);
    let request = message.encode();
    let request = MessageRef::decode(&request).unwrap();

    let mut writer = ResponseWriter::new(&mut buf, 484, request.reply());
    assert!(writer.value_at(&[1, 3, 1], Value::Integer(1).as_value_ref()));
    let position = writer.position();
    assert!(writer.value_at(&[1, 3, 2], Value::Integer(2).as_value_ref()));
    writer.rollback(position);
    let range = writer.finish().unwrap();
    assert_eq!(&buf[range], &message.encode());

    let mut writer = ResponseWriter::new(&mut buf, 484, request.reply());
    assert!(writer.value_at(&[1, 3, 9], Value::Integer(1).as_value_ref()));
    writer.clear_bindings();
    assert_eq!(writer.position(), 0);
    let range =
        writer.finish_with_raw_bindings(ErrorStatus::NoSuchName, 300, request.pdu.raw_bindings()).unwrap();
    let error = Message::decode(&buf[range]).unwrap();
    assert_eq!((error.pdu.status(), error.pdu.error_index), (Some(ErrorStatus::NoSuchName), 300));
    assert_eq!(error.pdu.bindings, message.pdu.bindings);

    let length = request.pdu.raw_bindings().len();
    let fits = |limit| {
        let mut buf = Vec::new();
        let writer = ResponseWriter::new(&mut buf, limit, request.reply());
        writer
            .finish_with_raw_bindings(ErrorStatus::TooBig, 0, request.pdu.raw_bindings())
            .map(|range| range.len())
    };
    let whole = fits(484).unwrap();
    assert!(whole > length);
    assert_eq!(fits(whole), Some(whole));
    assert_eq!(fits(whole - 1), None);
}

#[test]
fn a_used_buffer_is_not_allocated_again() {
    let message =
        response(5, b"public", vec![VarBind::new(Oid::from([1, 3, 1]), Value::text("x".repeat(40_000)))]);
    let mut buf = Vec::new();
    let mut write = || {
        let mut writer = ResponseWriter::new(&mut buf, 65_507, envelope(&message));
        assert_eq!(write_bindings(&mut writer, &message), 1);
        writer.finish().unwrap();
        (buf.as_ptr() as usize, buf.capacity())
    };
    let first = write();
    assert_eq!(write(), first);
}
