//! One value as each encoding has it, whatever its kind and length.

use trunkline_smi::ValueRef;

use super::Form;
use super::text::{write_text, write_token};
use crate::number::{hex, write_i32, write_oid, write_u32, write_u64};

#[inline]
pub(super) fn typed(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::Integer(number) => write_i32(into, number),
        ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number) => {
            write_u32(into, number)
        }
        ValueRef::Counter64(number) => write_u64(into, number),
        ValueRef::OctetString(octets) if form == Form::Text => write_text(into, octets),
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => crate::number::write_hex(into, octets),
        ValueRef::ObjectIdentifier(sub_ids) => write_oid(into, sub_ids, b'.'),
        ValueRef::IpAddress(octets) => write_oid(into, &octets.map(u32::from), b'.'),
    }
}

/// As figure 10 has them: addresses `0|40|63|C9|71|18`, object identifiers `0:0`.
#[inline]
pub(super) fn as_in_paper(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::OctetString(octets) | ValueRef::Opaque(octets) if form != Form::Text => {
            for (at, octet) in octets.iter().enumerate() {
                if at > 0 {
                    into.push(b'|');
                }
                let digits = hex(*octet);
                into.extend_from_slice(if *octet < 16 { &digits[1..] } else { &digits });
            }
        }
        ValueRef::ObjectIdentifier(sub_ids) => write_oid(into, sub_ids, b':'),
        other => typed(into, form, other),
    }
}

#[inline]
pub(super) fn lean(into: &mut Vec<u8>, form: Form, value: ValueRef<'_>) {
    match value {
        ValueRef::OctetString(octets) if form == Form::Text => write_token(into, octets),
        ValueRef::OctetString([]) | ValueRef::Opaque([]) | ValueRef::ObjectIdentifier([]) => into.push(b'%'),
        other => typed(into, form, other),
    }
}
