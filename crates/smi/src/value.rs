//! The values of management data: the base types of SMIv2 (RFC 2578 section 7.1).

use std::fmt;

use crate::{Oid, display_oid};

/// A borrowed value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueRef<'a> {
    /// INTEGER and Integer32, also enumerations and TruthValue: -2^31 to 2^31-1.
    Integer(i32),
    /// OCTET STRING, 0 to 65535 octets; also BITS.
    OctetString(&'a [u8]),
    /// OBJECT IDENTIFIER.
    ObjectIdentifier(&'a [u32]),
    /// IpAddress: an IPv4 address in network order.
    IpAddress([u8; 4]),
    /// Counter32: wraps at 2^32.
    Counter32(u32),
    /// Gauge32 and Unsigned32 (one type on every wire).
    Unsigned32(u32),
    /// TimeTicks: hundredths of a second, wraps after 497 days.
    TimeTicks(u32),
    /// Opaque: octets that hold another encoding (obsolete, but UCD-SNMP-MIB's floats use it).
    Opaque(&'a [u8]),
    /// Counter64: wraps at 2^64; not visible in SNMPv1 (RFC 3584 section 4.2.2.1).
    Counter64(u64),
}

/// An owned value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// See [`ValueRef::Integer`].
    Integer(i32),
    /// See [`ValueRef::OctetString`].
    OctetString(Vec<u8>),
    /// See [`ValueRef::ObjectIdentifier`].
    ObjectIdentifier(Oid),
    /// See [`ValueRef::IpAddress`].
    IpAddress([u8; 4]),
    /// See [`ValueRef::Counter32`].
    Counter32(u32),
    /// See [`ValueRef::Unsigned32`].
    Unsigned32(u32),
    /// See [`ValueRef::TimeTicks`].
    TimeTicks(u32),
    /// See [`ValueRef::Opaque`].
    Opaque(Vec<u8>),
    /// See [`ValueRef::Counter64`].
    Counter64(u64),
}

/// The type of a value without the value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueKind {
    /// See [`ValueRef::Integer`].
    Integer,
    /// See [`ValueRef::OctetString`].
    OctetString,
    /// See [`ValueRef::ObjectIdentifier`].
    ObjectIdentifier,
    /// See [`ValueRef::IpAddress`].
    IpAddress,
    /// See [`ValueRef::Counter32`].
    Counter32,
    /// See [`ValueRef::Unsigned32`].
    Unsigned32,
    /// See [`ValueRef::TimeTicks`].
    TimeTicks,
    /// See [`ValueRef::Opaque`].
    Opaque,
    /// See [`ValueRef::Counter64`].
    Counter64,
}

impl ValueRef<'_> {
    /// The type of this value.
    pub const fn kind(&self) -> ValueKind {
        match self {
            ValueRef::Integer(_) => ValueKind::Integer,
            ValueRef::OctetString(_) => ValueKind::OctetString,
            ValueRef::ObjectIdentifier(_) => ValueKind::ObjectIdentifier,
            ValueRef::IpAddress(_) => ValueKind::IpAddress,
            ValueRef::Counter32(_) => ValueKind::Counter32,
            ValueRef::Unsigned32(_) => ValueKind::Unsigned32,
            ValueRef::TimeTicks(_) => ValueKind::TimeTicks,
            ValueRef::Opaque(_) => ValueKind::Opaque,
            ValueRef::Counter64(_) => ValueKind::Counter64,
        }
    }

    /// An owned copy.
    pub fn to_value(&self) -> Value {
        match *self {
            ValueRef::Integer(v) => Value::Integer(v),
            ValueRef::OctetString(v) => Value::OctetString(v.to_vec()),
            ValueRef::ObjectIdentifier(v) => Value::ObjectIdentifier(Oid::EMPTY.child(v)),
            ValueRef::IpAddress(v) => Value::IpAddress(v),
            ValueRef::Counter32(v) => Value::Counter32(v),
            ValueRef::Unsigned32(v) => Value::Unsigned32(v),
            ValueRef::TimeTicks(v) => Value::TimeTicks(v),
            ValueRef::Opaque(v) => Value::Opaque(v.to_vec()),
            ValueRef::Counter64(v) => Value::Counter64(v),
        }
    }
}

impl Value {
    /// An OCTET STRING of a text.
    pub fn text(text: impl Into<String>) -> Self {
        Value::OctetString(text.into().into_bytes())
    }

    /// The same value, borrowed.
    pub fn as_value_ref(&self) -> ValueRef<'_> {
        match self {
            Value::Integer(v) => ValueRef::Integer(*v),
            Value::OctetString(v) => ValueRef::OctetString(v),
            Value::ObjectIdentifier(v) => ValueRef::ObjectIdentifier(v),
            Value::IpAddress(v) => ValueRef::IpAddress(*v),
            Value::Counter32(v) => ValueRef::Counter32(*v),
            Value::Unsigned32(v) => ValueRef::Unsigned32(*v),
            Value::TimeTicks(v) => ValueRef::TimeTicks(*v),
            Value::Opaque(v) => ValueRef::Opaque(v),
            Value::Counter64(v) => ValueRef::Counter64(*v),
        }
    }

    /// The type of this value.
    pub fn kind(&self) -> ValueKind {
        self.as_value_ref().kind()
    }
}

impl fmt::Display for ValueRef<'_> {
    /// The plain form, without names or display hints: numbers in decimal, octets in hexadecimal.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            ValueRef::Integer(v) => v.fmt(f),
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
                octets.iter().try_for_each(|octet| write!(f, "{octet:02x}"))
            }
            ValueRef::ObjectIdentifier(sub_ids) => fmt::Display::fmt(&display_oid(sub_ids), f),
            ValueRef::IpAddress([a, b, c, d]) => write!(f, "{a}.{b}.{c}.{d}"),
            ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v) => v.fmt(f),
            ValueRef::Counter64(v) => v.fmt(f),
        }
    }
}

impl ValueKind {
    /// The name of the type in SMIv2.
    pub const fn name(self) -> &'static str {
        match self {
            ValueKind::Integer => "INTEGER",
            ValueKind::OctetString => "OCTET STRING",
            ValueKind::ObjectIdentifier => "OBJECT IDENTIFIER",
            ValueKind::IpAddress => "IpAddress",
            ValueKind::Counter32 => "Counter32",
            ValueKind::Unsigned32 => "Gauge32",
            ValueKind::TimeTicks => "TimeTicks",
            ValueKind::Opaque => "Opaque",
            ValueKind::Counter64 => "Counter64",
        }
    }
}
