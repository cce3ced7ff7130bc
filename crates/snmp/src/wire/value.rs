//! Values in bindings: borrowed from a message ([`RawValue`]), and owned ([`Bound`]).

use super::codes::exception_of_tag;
use trunkline_smi::{Bound, Value, ValueRef};

use super::reader::{Found, integer, unsigned32, unsigned64};
use super::{Exception, RawOid, Version, tag};
use crate::{DecodeError, Element};

/// What a binding holds, checked and borrowed from the message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawValue<'a> {
    /// `unSpecified`: NULL.
    Unspecified,
    /// INTEGER.
    Integer(i32),
    /// OCTET STRING.
    OctetString(&'a [u8]),
    /// OBJECT IDENTIFIER.
    ObjectIdentifier(RawOid<'a>),
    /// IpAddress.
    IpAddress([u8; 4]),
    /// Counter32.
    Counter32(u32),
    /// Gauge32 and Unsigned32.
    Unsigned32(u32),
    /// TimeTicks, hundredths of a second.
    TimeTicks(u32),
    /// Opaque.
    Opaque(&'a [u8]),
    /// Counter64.
    Counter64(u64),
    /// An exception.
    Exception(Exception),
}

impl<'a> RawValue<'a> {
    /// Parses the value element of a binding in a message of this version.
    #[inline]
    pub(crate) fn read(found: &Found<'a>, version: Version) -> Result<Self, DecodeError> {
        let (contents, offset) = (found.contents.rest(), found.offset);
        Ok(match found.tag {
            tag::NULL => {
                not_empty(contents, offset)?;
                RawValue::Unspecified
            }
            tag::INTEGER => RawValue::Integer(integer(contents, Element::Value, offset)?),
            tag::OCTET_STRING => RawValue::OctetString(contents),
            tag::COUNTER32 => RawValue::Counter32(unsigned32(contents, offset)?),
            tag::UNSIGNED32 => RawValue::Unsigned32(unsigned32(contents, offset)?),
            tag::TIME_TICKS => RawValue::TimeTicks(unsigned32(contents, offset)?),
            tag::OBJECT_IDENTIFIER => {
                RawValue::ObjectIdentifier(RawOid::new(contents).map_err(|problem| {
                    DecodeError::ObjectIdentifier { element: Element::Value, offset, problem }
                })?)
            }
            tag::IP_ADDRESS => RawValue::IpAddress(
                contents
                    .try_into()
                    .map_err(|_| DecodeError::IpAddressSize { offset, found: contents.len() })?,
            ),
            tag::OPAQUE => RawValue::Opaque(contents),
            other => return Self::read_version_2(other, contents, offset, version),
        })
    }

    /// The types that came with SNMPv2.
    fn read_version_2(
        tag: u8,
        contents: &'a [u8],
        offset: usize,
        version: Version,
    ) -> Result<Self, DecodeError> {
        let exception = exception_of_tag(tag);
        if version == Version::V1 && (tag == tag::COUNTER64 || exception.is_some()) {
            return Err(DecodeError::NotInVersion { offset, version, found: tag });
        }
        match exception {
            Some(exception) => {
                not_empty(contents, offset)?;
                Ok(RawValue::Exception(exception))
            }
            None if tag == tag::COUNTER64 => Ok(RawValue::Counter64(unsigned64(contents, offset)?)),
            None => Err(DecodeError::UnknownValueType { offset, found: tag }),
        }
    }

    /// An owned copy.
    pub fn to_bound(&self) -> Bound {
        match *self {
            RawValue::Unspecified => Bound::Unspecified,
            RawValue::Exception(exception) => Bound::Exception(exception),
            RawValue::Integer(v) => Bound::Value(Value::Integer(v)),
            RawValue::OctetString(v) => Bound::Value(Value::OctetString(v.to_vec())),
            RawValue::ObjectIdentifier(v) => Bound::Value(Value::ObjectIdentifier(v.to_oid())),
            RawValue::IpAddress(v) => Bound::Value(Value::IpAddress(v)),
            RawValue::Counter32(v) => Bound::Value(Value::Counter32(v)),
            RawValue::Unsigned32(v) => Bound::Value(Value::Unsigned32(v)),
            RawValue::TimeTicks(v) => Bound::Value(Value::TimeTicks(v)),
            RawValue::Opaque(v) => Bound::Value(Value::Opaque(v.to_vec())),
            RawValue::Counter64(v) => Bound::Value(Value::Counter64(v)),
        }
    }

    /// The value alone, owned; `None` for NULL and exceptions, which no object can be set to.
    pub fn to_value(&self) -> Option<Value> {
        match self.to_bound() {
            Bound::Value(value) => Some(value),
            Bound::Unspecified | Bound::Exception(_) => None,
        }
    }
}

/// The identifier octet of a value.
#[inline]
pub(crate) const fn tag_of(value: &ValueRef<'_>) -> u8 {
    match value {
        ValueRef::Integer(_) => tag::INTEGER,
        ValueRef::OctetString(_) => tag::OCTET_STRING,
        ValueRef::ObjectIdentifier(_) => tag::OBJECT_IDENTIFIER,
        ValueRef::IpAddress(_) => tag::IP_ADDRESS,
        ValueRef::Counter32(_) => tag::COUNTER32,
        ValueRef::Unsigned32(_) => tag::UNSIGNED32,
        ValueRef::TimeTicks(_) => tag::TIME_TICKS,
        ValueRef::Opaque(_) => tag::OPAQUE,
        ValueRef::Counter64(_) => tag::COUNTER64,
    }
}

fn not_empty(contents: &[u8], offset: usize) -> Result<(), DecodeError> {
    if contents.is_empty() {
        return Ok(());
    }
    Err(DecodeError::NotEmpty { offset, found: contents.len() })
}
