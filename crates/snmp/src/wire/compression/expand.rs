//! From a compressed message to one that every decoder here reads. Whatever a stranger sends, the result is no
//! longer than a message may be, and nothing is produced before it is known to fit.

use std::io::Read;

use flate2::read::ZlibDecoder;

use super::{
    COMPRESSED, Compression, PREFIX_NAME, PREFIX_PDU, Parts, WHOLE_NAME, delta, is_plain_pdu, prefix,
    put_header,
};
use crate::wire::reader::{Found, Reader};
use crate::wire::writer::element_size;
use crate::wire::{MAX_MESSAGE_SIZE, is_encodable, oid, tag};
use crate::{DecodeError, Element, OidProblem};

/// The compression of a message before it was expanded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Expanded {
    /// How it was compressed.
    pub how: Compression,
    /// Whether its sender requests compressed answers. A request with OPC whose names are all ordinary does not
    /// (OPC draft section 8).
    pub wants_answer: bool,
}

/// Whether a PDU of this type is a compressed one: of a message, what [`DecodeError::UnknownPdu`] found.
pub const fn is_compressed(found: u8) -> bool {
    found == COMPRESSED || (found & PREFIX_PDU != 0 && is_plain_pdu(found & !PREFIX_PDU))
}

/// Writes the message without compression into `out`, which is cleared first. `None`: it is not compressed, and `out`
/// is empty.
///
/// # Errors
/// [`DecodeError`]: its frame, its names or its DEFLATE stream are wrong, or it would be longer than
/// [`MAX_MESSAGE_SIZE`].
pub fn expand(octets: &[u8], out: &mut Vec<u8>) -> Result<Option<Expanded>, DecodeError> {
    out.clear();
    if octets.len() > MAX_MESSAGE_SIZE {
        return Err(DecodeError::TooLarge { found: octets.len(), limit: MAX_MESSAGE_SIZE });
    }
    let mut outer = Reader::new(octets);
    let mut message = outer.expect(tag::SEQUENCE, Element::Message)?.contents;
    outer.finish(Element::Message)?;
    let start = message.offset();
    message.any(Element::Version)?;
    message.any(Element::Community)?;
    let front = &octets[start..message.offset()];
    let found = message.any(Element::Pdu)?;
    message.finish(Element::Pdu)?;
    if !is_compressed(found.tag) {
        return Ok(None);
    }
    let mut pdu = Vec::new();
    let expanded = expand_pdu(&found, &mut pdu)?;
    let size = front.len() + pdu.len();
    check_size(element_size(size))?;
    put_header(out, tag::SEQUENCE, size);
    out.extend_from_slice(front);
    out.extend_from_slice(&pdu);
    Ok(Some(expanded))
}

fn expand_pdu(found: &Found<'_>, pdu: &mut Vec<u8>) -> Result<Expanded, DecodeError> {
    if found.tag != COMPRESSED {
        let has_delta = expand_names(found, found.tag & !PREFIX_PDU, Compression::Opc, pdu)?;
        return Ok(Expanded { how: Compression::Opc, wants_answer: has_delta });
    }
    let contents = found.contents.rest();
    if contents.first() == Some(&ZLIB) {
        inflate(contents, found.contents.offset(), pdu)?;
        return Ok(Expanded { how: Compression::Zlib, wants_answer: true });
    }
    let mut inside = found.contents;
    let inner = inside.any(Element::Pdu)?;
    inside.finish(Element::Pdu)?;
    if !is_plain_pdu(inner.tag) {
        return Err(DecodeError::UnknownPdu { offset: inner.offset, found: inner.tag });
    }
    expand_names(&inner, inner.tag, Compression::Odc, pdu)?;
    Ok(Expanded { how: Compression::Odc, wants_answer: true })
}

/// Appends the PDU with whole names. Returns whether the type of one of them allows compression.
fn expand_names(
    found: &Found<'_>,
    kind: u8,
    how: Compression,
    pdu: &mut Vec<u8>,
) -> Result<bool, DecodeError> {
    let mut contents = found.contents;
    let numbers = contents.rest();
    contents.integer(Element::RequestId)?;
    contents.integer(Element::ErrorStatus)?;
    contents.integer(Element::ErrorIndex)?;
    let numbers = &numbers[..numbers.len() - contents.rest().len()];
    let mut bindings = contents.expect(tag::SEQUENCE, Element::Bindings)?.contents;
    contents.finish(Element::Bindings)?;

    let (mut names, mut has_delta) = (NameReader::new(how), false);
    let mut list = Vec::with_capacity(bindings.rest().len() * 2);
    while !bindings.is_empty() {
        let mut binding = bindings.expect(tag::SEQUENCE, Element::Binding)?.contents;
        let found = binding.any(Element::Name)?;
        has_delta |= found.tag != tag::OBJECT_IDENTIFIER;
        let name = names.read(&found)?;
        let value = binding.rest();
        binding.any(Element::Value)?;
        binding.finish(Element::Binding)?;

        let contents = oid::size(name);
        let inside = element_size(contents) + value.len();
        check_size(list.len() + element_size(inside))?;
        put_header(&mut list, tag::SEQUENCE, inside);
        put_header(&mut list, tag::OBJECT_IDENTIFIER, contents);
        list.extend_from_slice(&oid::contents(name));
        list.extend_from_slice(value);
    }
    Parts { tag: kind, numbers, list: &list }.put(pdu);
    Ok(has_delta)
}

/// The names of a list of bindings, each decoded relative to the previous one.
pub(in crate::wire) struct NameReader {
    how: Compression,
    name: Vec<u32>,
    is_first: bool,
}

impl NameReader {
    /// Before the first name of a list.
    pub(in crate::wire) const fn new(how: Compression) -> Self {
        NameReader { how, name: Vec::new(), is_first: true }
    }

    /// The name at this position.
    ///
    /// # Errors
    /// [`DecodeError`]: it is invalid.
    pub(in crate::wire) fn read(&mut self, found: &Found<'_>) -> Result<&[u32], DecodeError> {
        let (element, offset, contents) = (Element::Name, found.offset, found.contents.rest());
        let problem = |problem| DecodeError::ObjectIdentifier { element, offset, problem };
        let (is_first, name) = (std::mem::replace(&mut self.is_first, false), &mut self.name);
        let delta = match (self.how, found.tag) {
            (_, tag::OBJECT_IDENTIFIER) | (Compression::Opc, WHOLE_NAME) => {
                name.clear();
                oid::read(contents, |sub_id| name.push(sub_id)).map_err(problem)?;
                return Ok(name);
            }
            (Compression::Opc, PREFIX_NAME) => prefix::read,
            (Compression::Odc, COMPRESSED) => delta::read,
            _ => {
                let expected = tag::OBJECT_IDENTIFIER;
                return Err(DecodeError::UnexpectedTag { element, offset, expected, found: found.tag });
            }
        };
        if is_first {
            return Err(problem(OidProblem::DeltaOfNothing));
        }
        delta(name, contents).map_err(problem)?;
        if is_encodable(name) { Ok(name) } else { Err(problem(OidProblem::Delta)) }
    }
}

/// How a PDU that [`is_compressed`] is compressed.
pub(in crate::wire) fn how(found: &Found<'_>) -> Compression {
    match (found.tag, found.contents.rest().first()) {
        (COMPRESSED, Some(&ZLIB)) => Compression::Zlib,
        (COMPRESSED, _) => Compression::Odc,
        _ => Compression::Opc,
    }
}

/// The type of the standard PDU of a PDU with OPC names.
pub(in crate::wire) const fn kind_of_prefixed(found: u8) -> u8 {
    found & !PREFIX_PDU
}

/// Appends the one PDU that a stream of zlib holds.
fn inflate(stream: &[u8], offset: usize, pdu: &mut Vec<u8>) -> Result<(), DecodeError> {
    let mut decoder = ZlibDecoder::new(stream);
    let most = MAX_MESSAGE_SIZE as u64 + 1;
    let read = decoder.by_ref().take(most).read_to_end(pdu);
    read.map_err(|_| DecodeError::Deflate { offset })?;
    check_size(pdu.len())?;
    if decoder.total_in() != stream.len() as u64 {
        return Err(DecodeError::Deflate { offset });
    }
    // Whether it is a PDU is checked when it is decoded; here only that nothing follows.
    let mut inside = Reader::new(pdu);
    let inner = inside.any(Element::Pdu)?;
    inside.finish(Element::Pdu)?;
    if is_plain_pdu(inner.tag) { Ok(()) } else { Err(DecodeError::UnknownPdu { offset, found: inner.tag }) }
}

fn check_size(found: usize) -> Result<(), DecodeError> {
    if found > MAX_MESSAGE_SIZE {
        return Err(DecodeError::TooLarge { found, limit: MAX_MESSAGE_SIZE });
    }
    Ok(())
}

/// The first octet of a stream of zlib with the window that everybody uses (RFC 1950 section 2.2).
const ZLIB: u8 = 0x78;
