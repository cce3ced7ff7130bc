//! A PDU that borrows from the received octets, whatever message surrounds it: numbers are parsed and checked at
//! once, the bindings on demand.

use trunkline_smi::OidList;

use super::reader::{Found, Reader};
use super::{Pdu, PduKind, RawOid, RawValue, VarBind, Version, oid, tag};
use crate::{DecodeError, Element};

/// A PDU (RFC 3416 section 3), borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PduRef<'a> {
    /// What the PDU is; may be one that the message's version does not have ([`PduKind::is_in`]).
    pub kind: PduKind,
    /// request-id, all of the signed range.
    pub request_id: i32,
    /// error-status, or non-repeaters.
    pub error_status: i32,
    /// error-index, or max-repetitions.
    pub error_index: i32,
    /// Which types the bindings may have.
    version: Version,
    bindings: Reader<'a>,
}

/// One binding, checked and borrowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BindingRef<'a> {
    /// The name.
    pub name: RawOid<'a>,
    /// Its value, or why there is none.
    pub value: RawValue<'a>,
}

impl<'a> PduRef<'a> {
    /// Parses the PDU of a message of this version; octets after its list of bindings are an error. The contents
    /// of the list are not parsed yet.
    #[inline(always)] // into both versions' readers
    pub(crate) fn read(found: &Found<'a>, version: Version) -> Result<Self, DecodeError> {
        let offset = found.offset;
        let kind = match PduKind::from_tag(found.tag) {
            Some(PduKind::TrapV1) => return Err(DecodeError::TrapV1 { offset }),
            Some(kind) => kind,
            None => return Err(DecodeError::UnknownPdu { offset, found: found.tag }),
        };
        let mut pdu = found.contents;
        let request_id = pdu.integer(Element::RequestId)?;
        let error_status = pdu.integer(Element::ErrorStatus)?;
        let error_index = pdu.integer(Element::ErrorIndex)?;
        let bindings = pdu.expect(tag::SEQUENCE, Element::Bindings)?.contents;
        pdu.finish(Element::Bindings)?;
        Ok(PduRef { kind, request_id, error_status, error_index, version, bindings })
    }

    /// The same PDU over a copy of its [`raw_bindings`](Self::raw_bindings).
    pub(crate) fn over<'c>(&self, raw_bindings: &'c [u8]) -> PduRef<'c> {
        let PduRef { kind, request_id, error_status, error_index, version, .. } = *self;
        PduRef { kind, request_id, error_status, error_index, version, bindings: Reader::new(raw_bindings) }
    }

    /// The same PDU without its bindings, which then live anywhere.
    pub(crate) fn without_bindings(&self) -> PduRef<'static> {
        self.over(&[])
    }

    /// The version of the message around it, which determines the types that the bindings may have.
    pub fn version(&self) -> Version {
        self.version
    }

    /// The names of all bindings, into a list that is cleared first. Each binding is checked in full, its
    /// value too. On error the list is empty.
    pub fn names(&self, into: &mut OidList) -> Result<(), DecodeError> {
        into.clear();
        let mut reader = self.bindings;
        while !reader.is_empty() {
            if let Err(error) = read_name(&mut reader, self.version, into) {
                into.clear();
                return Err(error);
            }
        }
        Ok(())
    }

    /// The bindings one after the other, each checked in full; ends after the first error.
    pub fn bindings(&self) -> Bindings<'a> {
        Bindings { reader: self.bindings, version: self.version }
    }

    /// The contents octets of the list of bindings, for the error responses that repeat them.
    pub fn raw_bindings(&self) -> &'a [u8] {
        self.bindings.rest()
    }

    /// An owned copy; every binding is checked.
    pub fn to_pdu(&self) -> Result<Pdu, DecodeError> {
        let bindings = self
            .bindings()
            .map(|binding| binding.map(|b| VarBind { name: b.name.to_oid(), value: b.value.to_bound() }))
            .collect::<Result<_, _>>()?;
        let PduRef { kind, request_id, error_status, error_index, .. } = *self;
        Ok(Pdu { kind, request_id, error_status, error_index, bindings })
    }

    /// GetBulk: how many of the first bindings do not repeat (RFC 3416 section 4.2.3: negative counts as 0).
    pub fn non_repeaters(&self) -> usize {
        usize::try_from(self.error_status).unwrap_or(0)
    }

    /// GetBulk: how often the other bindings repeat at most (negative counts as 0).
    pub fn max_repetitions(&self) -> usize {
        usize::try_from(self.error_index).unwrap_or(0)
    }
}

/// See [`PduRef::bindings`].
#[derive(Clone, Debug)]
pub struct Bindings<'a> {
    reader: Reader<'a>,
    version: Version,
}

impl<'a> Bindings<'a> {
    /// The bindings in these contents of a list, as a message of this version may have them.
    pub(crate) fn new(reader: Reader<'a>, version: Version) -> Self {
        Bindings { reader, version }
    }
}

impl<'a> Iterator for Bindings<'a> {
    type Item = Result<BindingRef<'a>, DecodeError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.reader.is_empty() {
            return None;
        }
        let binding = read_binding(&mut self.reader, self.version);
        if binding.is_err() {
            self.reader = Reader::new(&[]);
        }
        Some(binding)
    }
}

fn read_binding<'a>(reader: &mut Reader<'a>, version: Version) -> Result<BindingRef<'a>, DecodeError> {
    let mut binding = reader.expect(tag::SEQUENCE, Element::Binding)?.contents;
    let name = binding.expect(tag::OBJECT_IDENTIFIER, Element::Name)?;
    let raw_name = RawOid::new(name.contents.rest()).map_err(|problem| DecodeError::ObjectIdentifier {
        element: Element::Name,
        offset: name.offset,
        problem,
    })?;
    let value = RawValue::read(&binding.any(Element::Value)?, version)?;
    binding.finish(Element::Binding)?;
    Ok(BindingRef { name: raw_name, value })
}

/// As [`read_binding`], but the name goes into the list in the same pass that checks it.
#[inline]
fn read_name(reader: &mut Reader<'_>, version: Version, into: &mut OidList) -> Result<(), DecodeError> {
    let mut binding = reader.expect(tag::SEQUENCE, Element::Binding)?.contents;
    let name = binding.expect(tag::OBJECT_IDENTIFIER, Element::Name)?;
    oid::read_into(name.contents.rest(), into).map_err(|problem| DecodeError::ObjectIdentifier {
        element: Element::Name,
        offset: name.offset,
        problem,
    })?;
    if binding.rest() == NULL {
        return Ok(()); // as nearly all requests have it
    }
    RawValue::read(&binding.any(Element::Value)?, version)?;
    binding.finish(Element::Binding)
}

/// A whole NULL.
const NULL: [u8; 2] = [tag::NULL, 0];
