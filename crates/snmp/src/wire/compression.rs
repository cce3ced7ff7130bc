//! Compressed variable bindings: OID prefix compression ("OPC", draft-ietf-eos-oidcompression-00), OID delta
//! compression ("ODC", draft-irtf-nmrg-snmp-compression-01 section 5.2) and DEFLATE (the same, section 5.1).
//! `docs/wire/oid-compression.md` says which octets are from the drafts and which are ours.
//!
//! | part | what it does |
//! | --- | --- |
//! | `prefix` | names as position and tail |
//! | `delta` | names as substitutions in the name before |
//! | `expand` | a message as any agent reads it, from a compressed one |
//! | `pack` | the way back |
//!
//! Compression works on whole messages of SNMPv1 and SNMPv2c: an expanded message is decoded like any other, and
//! an answer is encoded like any other before it is compressed. Only a compressed request gets a compressed
//! answer.

mod delta;
mod expand;
mod pack;
mod prefix;

use std::fmt;
use std::str::FromStr;

pub use expand::{Expanded, expand, is_compressed};
pub(in crate::wire) use expand::{NameReader, how, kind_of_prefixed};
pub use pack::compress;
pub(crate) use pack::response_pdu;

use super::tag;

/// How the names of variable bindings, or whole PDUs, are made shorter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compression {
    /// OID prefix compression: of each name only what differs from the name before, to its end.
    Opc,
    /// OID delta compression: of each name only the sub-identifiers that differ from the name before.
    Odc,
    /// DEFLATE of the whole PDU, in the format of zlib (RFC 1950).
    Zlib,
}

impl Compression {
    /// All of them.
    pub const ALL: [Self; 3] = [Compression::Opc, Compression::Odc, Compression::Zlib];

    /// The name on the command line and in URLs.
    pub const fn name(self) -> &'static str {
        match self {
            Compression::Opc => "opc",
            Compression::Odc => "odc",
            Compression::Zlib => "zlib",
        }
    }
}

impl fmt::Display for Compression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A word that is not a compression method.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a compression: expected opc, odc or zlib")]
pub struct UnknownCompression(String);

impl FromStr for Compression {
    type Err = UnknownCompression;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::ALL.into_iter().find(|how| how.name() == text).ok_or_else(|| UnknownCompression(text.into()))
    }
}

/// `uncompressedDeltaIdentifier`: `[APPLICATION 14]` (OPC draft section 8).
const WHOLE_NAME: u8 = 0x4e;
/// `compressedDeltaIdentifier`: `[APPLICATION 15]`.
const PREFIX_NAME: u8 = 0x4f;
/// `CompOID` and `CompressedPDU`: both `[42]` in the text of the NMRG draft, and this octet in its examples.
const COMPRESSED: u8 = 0x2a;
/// The number that turns a PDU's type into the type of its kind with OPC names: ours, since the draft requires
/// new PDUs and defines none.
const PREFIX_PDU: u8 = 0x10;

/// The type of a PDU whose bindings have names as the tag of a standard PDU: Get to Report, without the Trap of v1.
const fn is_plain_pdu(found: u8) -> bool {
    found >= 0xa0 && found <= 0xa8 && found != 0xa4
}

/// The largest sub-identifier that a group of octets can hold: one number in base 128, shortest form, 32 bits.
/// Returns it and its length in octets.
fn read_group(octets: &[u8]) -> Option<(u32, usize)> {
    let mut number = 0u64;
    for (at, &octet) in octets.iter().enumerate().take(5) {
        if at == 0 && octet == 0x80 {
            return None;
        }
        number = number << 7 | u64::from(octet & 0x7f);
        if octet < 0x80 {
            return u32::try_from(number).ok().map(|number| (number, at + 1));
        }
    }
    None
}

/// Appends one number in base 128.
fn put_group(octets: &mut Vec<u8>, number: u32) {
    let at = octets.len();
    octets.resize(at + super::oid::group_size(u64::from(number)), 0);
    super::oid::put_group(octets, at, u64::from(number));
}

/// Appends type and length.
fn put_header(octets: &mut Vec<u8>, tag: u8, length: usize) {
    octets.push(tag);
    match super::writer::length_size(length) {
        1 => octets.push(length as u8),
        size => {
            octets.push(0x80 | (size - 1) as u8);
            octets.extend_from_slice(&(length as u32).to_be_bytes()[5 - size..]);
        }
    }
}

/// The parts of a PDU that stay the same, except for its names.
#[derive(Clone, Copy)]
struct Parts<'a> {
    /// The type.
    tag: u8,
    /// request-id, error-status and error-index, three whole elements.
    numbers: &'a [u8],
    /// The contents of the list of bindings.
    list: &'a [u8],
}

impl Parts<'_> {
    /// The whole PDU.
    fn put(&self, octets: &mut Vec<u8>) {
        let list = super::writer::element_size(self.list.len());
        put_header(octets, self.tag, self.numbers.len() + list);
        octets.extend_from_slice(self.numbers);
        put_header(octets, tag::SEQUENCE, self.list.len());
        octets.extend_from_slice(self.list);
    }
}

#[cfg(test)]
mod tests;
