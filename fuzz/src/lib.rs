//! What must hold for any octets at all; the fuzz targets feed it.

use trunkline_smi::OidList;
use trunkline_snmp::wire::{Bound, Envelope, Message, MessageRef, ResponseWriter, annotate};

/// An element: a type, a length in its shortest form, contents.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut octets = vec![tag];
    match contents.len() {
        length @ 0..0x80 => octets.push(length as u8),
        length => octets.extend([&[0x84], &(length as u32).to_be_bytes()[..]].concat()),
    }
    octets.extend(contents);
    octets
}

/// A message of this version around a PDU.
pub fn message_around(version: u8, pdu: &[u8]) -> Vec<u8> {
    element(0x30, &[&[2, 1, version, 4, 1, b'c'], pdu].concat())
}

/// The readers agree; what is read can be written, by both writers alike, and is read back equal.
pub fn check_message(octets: &[u8]) {
    let mut names = OidList::new();
    let agent = MessageRef::decode(octets).and_then(|message| message.pdu.names(&mut names));
    let message = match Message::decode(octets) {
        Ok(message) => message,
        Err(error) => {
            assert_eq!(agent, Err(error));
            assert!(names.is_empty());
            return;
        }
    };
    assert_eq!(agent, Ok(()));
    assert!(names.iter().eq(message.pdu.bindings.iter().map(|binding| &*binding.name)));
    let encoded = message.encode();
    assert_eq!(Message::decode(&encoded).as_ref(), Ok(&message));
    if message.pdu.error_status == 0 && message.pdu.error_index == 0 {
        check_writer(&message, &encoded);
    }
}

/// The agent's writer gives the same octets, and keeps any limit.
fn check_writer(message: &Message, encoded: &[u8]) {
    let (kind, request_id) = (message.pdu.kind, message.pdu.request_id);
    let envelope = Envelope::community(message.version, &message.community, kind, request_id);
    for limit in [encoded.len(), encoded.len().saturating_sub(1), encoded.len() / 2] {
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, limit, envelope);
        let taken = message.pdu.bindings.iter().take_while(|binding| match &binding.value {
            Bound::Unspecified => writer.unspecified(&binding.name),
            Bound::Exception(exception) => writer.exception(&binding.name, *exception),
            Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
        });
        let taken = taken.count();
        let range = writer.finish();
        if limit == encoded.len() {
            assert_eq!(taken, message.pdu.bindings.len());
            assert_eq!(&buf[range.clone().unwrap_or(0..0)], encoded);
        }
        assert!(range.is_none_or(|range| range.len() <= limit));
    }
}

/// The fields are all of the octets, end to end.
pub fn check_annotation(octets: &[u8]) {
    let mut at = 0;
    for field in annotate(octets) {
        assert_eq!(field.offset, at);
        assert!(field.header <= field.len);
        at += field.len;
    }
    assert_eq!(at, octets.len());
}
