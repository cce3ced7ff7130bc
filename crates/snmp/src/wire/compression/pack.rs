//! From a message as it was encoded to a compressed one.

use std::io::Write;

use flate2::write::ZlibEncoder;

use super::{COMPRESSED, Compression, PREFIX_NAME, PREFIX_PDU, Parts, WHOLE_NAME, delta, prefix, put_header};
use crate::wire::reader::Reader;
use crate::wire::writer::element_size;
use crate::wire::{oid, tag};
use crate::{DecodeError, Element};

/// Writes a whole message of SNMPv1 or SNMPv2c compressed into `out`, which is cleared first: a request for
/// compressed answers. It may be longer than uncompressed: that is the cost of the request.
///
/// # Errors
/// [`DecodeError`]: the octets are not a message with variable bindings.
pub fn compress(message: &[u8], how: Compression, out: &mut Vec<u8>) -> Result<(), DecodeError> {
    out.clear();
    let mut contents = Reader::new(message).expect(tag::SEQUENCE, Element::Message)?.contents;
    let start = contents.offset();
    contents.any(Element::Version)?;
    contents.any(Element::Community)?;
    let front = &message[start..contents.offset()];
    let found = contents.any(Element::Pdu)?;
    let mut pdu = found.contents;
    let numbers = pdu.rest();
    pdu.integer(Element::RequestId)?;
    pdu.integer(Element::ErrorStatus)?;
    pdu.integer(Element::ErrorIndex)?;
    let numbers = &numbers[..numbers.len() - pdu.rest().len()];
    let list = pdu.expect(tag::SEQUENCE, Element::Bindings)?.contents.rest();

    let pdu = packed(&Parts { tag: found.tag, numbers, list }, how)?;
    put_header(out, tag::SEQUENCE, front.len() + pdu.len());
    out.extend_from_slice(front);
    out.extend_from_slice(&pdu);
    Ok(())
}

/// A Response's PDU, compressed; `None` if that makes it no shorter (NMRG draft section 2 requirement 4).
/// `numbers` are its first three elements.
#[cold]
pub(crate) fn response_pdu(tag: u8, numbers: &[u8], list: &[u8], how: Compression) -> Option<Vec<u8>> {
    let plain = element_size(numbers.len() + element_size(list.len()));
    packed(&Parts { tag, numbers, list }, how).ok().filter(|pdu| pdu.len() < plain)
}

fn packed(parts: &Parts<'_>, how: Compression) -> Result<Vec<u8>, DecodeError> {
    let mut pdu = Vec::new();
    match how {
        Compression::Opc => {
            let list = pack_names(parts.list, how)?;
            Parts { tag: parts.tag | PREFIX_PDU, list: &list, ..*parts }.put(&mut pdu);
        }
        Compression::Odc => {
            let list = pack_names(parts.list, how)?;
            let mut inside = Vec::new();
            Parts { list: &list, ..*parts }.put(&mut inside);
            put_header(&mut pdu, COMPRESSED, inside.len());
            pdu.extend_from_slice(&inside);
        }
        Compression::Zlib => {
            let mut inside = Vec::new();
            parts.put(&mut inside);
            let deflated = deflate(&inside);
            put_header(&mut pdu, COMPRESSED, deflated.len());
            pdu.extend_from_slice(&deflated);
        }
    }
    Ok(pdu)
}

/// Writes a name as its difference from the previous name; `false` if it cannot be expressed that way.
type WriteDelta = fn(&[u32], &[u32], &mut Vec<u8>) -> bool;

/// The list of bindings with its names compressed, if that makes them no longer.
fn pack_names(list: &[u8], how: Compression) -> Result<Vec<u8>, DecodeError> {
    let (write, delta_tag, whole_tag): (WriteDelta, _, _) = match how {
        Compression::Opc => (prefix::write, PREFIX_NAME, WHOLE_NAME),
        _ => (delta::write, COMPRESSED, tag::OBJECT_IDENTIFIER),
    };
    let (mut bindings, mut out) = (Reader::new(list), Vec::with_capacity(list.len()));
    let (mut previous, mut name, mut delta) = (Vec::new(), Vec::new(), Vec::new());
    while !bindings.is_empty() {
        let mut binding = bindings.expect(tag::SEQUENCE, Element::Binding)?.contents;
        let found = binding.expect(tag::OBJECT_IDENTIFIER, Element::Name)?;
        let (offset, whole, value) = (found.offset, found.contents.rest(), binding.rest());
        name.clear();
        let read = oid::read(whole, |sub_id| name.push(sub_id));
        read.map_err(|problem| DecodeError::ObjectIdentifier { element: Element::Name, offset, problem })?;

        let is_delta = !out.is_empty() && write(&previous, &name, &mut delta) && delta.len() <= whole.len();
        let (tag, contents) = if is_delta { (delta_tag, &delta[..]) } else { (whole_tag, whole) };
        put_header(&mut out, tag::SEQUENCE, element_size(contents.len()) + value.len());
        put_header(&mut out, tag, contents.len());
        out.extend_from_slice(contents);
        out.extend_from_slice(value);
        std::mem::swap(&mut previous, &mut name);
    }
    Ok(out)
}

fn deflate(octets: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    // Writing into memory does not fail; if it did, the result would not be an answer, and longer than nothing.
    let _ = encoder.write_all(octets);
    encoder.finish().unwrap_or_default()
}
