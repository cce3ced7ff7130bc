//! The schema of objects and tables, as constant data.
//!
//! A [`Module`] lists scalars and tables; a table lists its index and its
//! columns; each object has a [`Syntax`]: base type, limits, enumeration,
//! textual convention and display hint (RFC 2578, RFC 2579).

use crate::{ValueKind, ValueRef};

/// One MIB module as served by the agent and named by the manager.
#[derive(Debug)]
pub struct Module {
    /// The module's name, as in `IF-MIB`.
    pub name: &'static str,
    /// Where the module comes from, as in `RFC 2863`.
    pub reference: &'static str,
    /// Named nodes that are neither scalar, table, entry nor column: the module
    /// identity, groups, object identities such as `dot3StatsEtherChipSets`.
    pub nodes: &'static [Node],
    /// Scalars in ascending order.
    pub scalars: &'static [Scalar],
    /// Tables in ascending order.
    pub tables: &'static [Table],
    /// Notifications in ascending order.
    pub notifications: &'static [Notification],
}

/// A name for an object identifier without a value.
#[derive(Clone, Debug)]
pub struct Node {
    /// The descriptor, as in `interfaces`.
    pub name: &'static str,
    /// Its object identifier.
    pub oid: &'static [u32],
}

/// A notification (NOTIFICATION-TYPE, RFC 2578 section 8).
#[derive(Clone, Debug)]
pub struct Notification {
    /// The descriptor, as in `linkDown`.
    pub name: &'static str,
    /// The value of snmpTrapOID.0 when it is sent.
    pub oid: &'static [u32],
    /// The descriptors of its OBJECTS, in the order in which their instances follow sysUpTime.0 and
    /// snmpTrapOID.0.
    pub objects: &'static [&'static str],
}

/// A scalar object; its only instance is `oid.0`.
#[derive(Clone, Debug)]
pub struct Scalar {
    /// The descriptor, as in `sysDescr`.
    pub name: &'static str,
    /// The object type, without the final `.0`.
    pub oid: &'static [u32],
    /// What values it may have.
    pub syntax: Syntax,
    /// The maximum access for a manager.
    pub access: MaxAccess,
    /// UNITS, or empty.
    pub units: &'static str,
}

/// A conceptual table (RFC 2578 section 7.1.12).
#[derive(Clone, Debug)]
pub struct Table {
    /// The descriptor, as in `ifTable`; its entry is named `ifEntry`.
    pub name: &'static str,
    /// The descriptor of the conceptual row, as in `ifEntry`.
    pub entry: &'static str,
    /// The table's object identifier; its entry is `oid.1`, a column `oid.1.id`.
    pub oid: &'static [u32],
    /// The parts of a row's index. A table that AUGMENTS another has the other's index.
    pub index: &'static [IndexPart],
    /// Columns in ascending order of `id`, those not accessible included.
    pub columns: &'static [Column],
}

/// A column of a table.
#[derive(Clone, Debug)]
pub struct Column {
    /// The last sub-identifier of the column: 10 for `ifInOctets`.
    pub id: u32,
    /// The descriptor.
    pub name: &'static str,
    /// What its values may be.
    pub syntax: Syntax,
    /// The maximum access for a manager.
    pub access: MaxAccess,
    /// UNITS, or empty.
    pub units: &'static str,
}

/// The maximum access to an object (RFC 2578 section 7.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MaxAccess {
    /// Only part of an index; never retrieved.
    NotAccessible,
    /// Only in notifications.
    AccessibleForNotify,
    /// May be read.
    ReadOnly,
    /// May be read and written.
    ReadWrite,
    /// As `ReadWrite`, and rows may be created.
    ReadCreate,
}

/// What values an object may have.
#[derive(Clone, Copy, Debug)]
pub struct Syntax {
    /// The base type.
    pub kind: ValueKind,
    /// The textual convention's name, or empty: `DisplayString`.
    pub convention: &'static str,
    /// The DISPLAY-HINT (RFC 2579 section 3.1), or empty: `255a`.
    pub hint: &'static str,
    /// The least number (Integer, Unsigned32) or the fewest octets (OctetString).
    pub min: i64,
    /// The greatest number or the most octets.
    pub max: i64,
    /// The named numbers of an enumeration, or the named bits of BITS; else empty.
    pub names: &'static [(i32, &'static str)],
    /// Whether the octets are BITS (RFC 2578 section 7.1.4).
    pub bits: bool,
}

/// One part of a row's index and how it becomes sub-identifiers (RFC 2578 section 7.7).
#[derive(Clone, Copy, Debug)]
pub struct IndexPart {
    /// The index object's descriptor.
    pub name: &'static str,
    /// How it is encoded.
    pub encoding: IndexEncoding,
    /// The syntax of the index object, for printing.
    pub syntax: Syntax,
}

/// How an index object becomes sub-identifiers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexEncoding {
    /// One sub-identifier.
    Integer,
    /// A fixed number of octets, one sub-identifier each, without a length.
    FixedOctets(usize),
    /// A length, then one sub-identifier per octet.
    Octets,
    /// The last part, IMPLIED: octets without a length.
    ImpliedOctets,
    /// A length, then the sub-identifiers.
    ObjectIdentifier,
    /// The last part, IMPLIED: sub-identifiers without a length.
    ImpliedObjectIdentifier,
    /// Four sub-identifiers.
    IpAddress,
    /// A 1 for the internet's family, then four sub-identifiers (RFC 1212 section 4.1.6).
    NetworkAddress,
}

/// Why a value may not be written to an object, whatever the provider thinks of it
/// (the first checks of RFC 3416 section 4.2.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SyntaxError {
    /// Another base type.
    WrongType,
    /// Too few or too many octets.
    WrongLength,
    /// A number outside the range or not in the enumeration.
    WrongValue,
}

impl Scalar {
    /// A scalar without units.
    pub const fn new(name: &'static str, oid: &'static [u32], access: MaxAccess, syntax: Syntax) -> Self {
        Scalar { name, oid, syntax, access, units: "" }
    }

    /// The same with UNITS.
    #[must_use]
    pub const fn units(mut self, units: &'static str) -> Self {
        self.units = units;
        self
    }
}

impl Column {
    /// A column without units.
    pub const fn new(id: u32, name: &'static str, access: MaxAccess, syntax: Syntax) -> Self {
        Column { id, name, syntax, access, units: "" }
    }

    /// The same with UNITS.
    #[must_use]
    pub const fn units(mut self, units: &'static str) -> Self {
        self.units = units;
        self
    }
}

impl Table {
    /// The column of this last sub-identifier.
    pub fn column(&self, id: u32) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.id == id)
    }
}

impl IndexPart {
    /// A part of an index.
    pub const fn new(name: &'static str, encoding: IndexEncoding, syntax: Syntax) -> Self {
        IndexPart { name, encoding, syntax }
    }
}

impl MaxAccess {
    /// Whether a manager may read the object.
    pub const fn is_readable(self) -> bool {
        matches!(self, MaxAccess::ReadOnly | MaxAccess::ReadWrite | MaxAccess::ReadCreate)
    }

    /// Whether a manager may write the object.
    pub const fn is_writable(self) -> bool {
        matches!(self, MaxAccess::ReadWrite | MaxAccess::ReadCreate)
    }
}

impl Syntax {
    const fn base(kind: ValueKind, min: i64, max: i64) -> Self {
        Syntax { kind, convention: "", hint: "", min, max, names: &[], bits: false }
    }

    /// Integer32 of the whole range.
    pub const INTEGER32: Syntax = Syntax::base(ValueKind::Integer, i32::MIN as i64, i32::MAX as i64);
    /// OCTET STRING of any length.
    pub const OCTET_STRING: Syntax = Syntax::base(ValueKind::OctetString, 0, 65535);
    /// OBJECT IDENTIFIER.
    pub const OBJECT_IDENTIFIER: Syntax = Syntax::base(ValueKind::ObjectIdentifier, 0, 0);
    /// AutonomousType, RowPointer: an OBJECT IDENTIFIER that names something.
    pub const AUTONOMOUS_TYPE: Syntax = Syntax::OBJECT_IDENTIFIER.named("AutonomousType", "");
    /// RowPointer: the first accessible column of a row (RFC 2579).
    pub const ROW_POINTER: Syntax = Syntax::OBJECT_IDENTIFIER.named("RowPointer", "");
    /// TDomain: a kind of transport (RFC 2579).
    pub const T_DOMAIN: Syntax = Syntax::OBJECT_IDENTIFIER.named("TDomain", "");
    /// TAddress: an address, to be read with its TDomain (RFC 2579).
    pub const T_ADDRESS: Syntax = Syntax::octets(1, 255).named("TAddress", "");
    /// TimeInterval: hundredths of a second (RFC 2579).
    pub const TIME_INTERVAL: Syntax = Syntax::integer(0, i32::MAX as i64).named("TimeInterval", "");
    /// SnmpEngineID: 5 to 32 octets (RFC 3411).
    pub const SNMP_ENGINE_ID: Syntax = Syntax::octets(5, 32).named("SnmpEngineID", "");
    /// SnmpSecurityModel: 0 any, 1 SNMPv1, 2 SNMPv2c, 3 USM (RFC 3411), 4 TSM (RFC 5591).
    pub const SNMP_SECURITY_MODEL: Syntax =
        Syntax::integer(0, i32::MAX as i64).named("SnmpSecurityModel", "");
    /// SnmpMessageProcessingModel: 0 SNMPv1, 1 SNMPv2c, 3 SNMPv3 (RFC 3411).
    pub const SNMP_MESSAGE_PROCESSING_MODEL: Syntax =
        Syntax::integer(0, i32::MAX as i64).named("SnmpMessageProcessingModel", "");
    /// SnmpSecurityLevel (RFC 3411).
    pub const SNMP_SECURITY_LEVEL: Syntax =
        Syntax::enumeration(&[(1, "noAuthNoPriv"), (2, "authNoPriv"), (3, "authPriv")])
            .named("SnmpSecurityLevel", "");
    /// SnmpTagValue: one tag, without delimiters (RFC 3413).
    pub const SNMP_TAG_VALUE: Syntax = Syntax::octets(0, 255).named("SnmpTagValue", "255t");
    /// SnmpTagList: tags, each separated from the next by one delimiter (RFC 3413).
    pub const SNMP_TAG_LIST: Syntax = Syntax::octets(0, 255).named("SnmpTagList", "255t");
    /// IpAddress.
    pub const IP_ADDRESS: Syntax = Syntax::base(ValueKind::IpAddress, 0, 0);
    /// Counter32.
    pub const COUNTER32: Syntax = Syntax::base(ValueKind::Counter32, 0, u32::MAX as i64);
    /// Counter64.
    pub const COUNTER64: Syntax = Syntax::base(ValueKind::Counter64, 0, i64::MAX);
    /// Gauge32.
    pub const GAUGE32: Syntax = Syntax::base(ValueKind::Unsigned32, 0, u32::MAX as i64);
    /// Unsigned32.
    pub const UNSIGNED32: Syntax = Syntax::GAUGE32.named("Unsigned32", "");
    /// TimeTicks.
    pub const TIME_TICKS: Syntax = Syntax::base(ValueKind::TimeTicks, 0, u32::MAX as i64);
    /// TimeStamp: the value of sysUpTime when something happened (RFC 2579).
    pub const TIME_STAMP: Syntax = Syntax::TIME_TICKS.named("TimeStamp", "");
    /// Opaque.
    pub const OPAQUE: Syntax = Syntax::base(ValueKind::Opaque, 0, 65535);
    /// DisplayString: at most 255 characters of NVT ASCII (RFC 2579).
    pub const DISPLAY_STRING: Syntax = Syntax::octets(0, 255).named("DisplayString", "255a");
    /// SnmpAdminString: at most 255 octets of UTF-8 (RFC 3411).
    pub const SNMP_ADMIN_STRING: Syntax = Syntax::octets(0, 255).named("SnmpAdminString", "255t");
    /// PhysAddress: octets shown in hexadecimal with colons (RFC 2579).
    pub const PHYS_ADDRESS: Syntax = Syntax::OCTET_STRING.named("PhysAddress", "1x:");
    /// DateAndTime: 8 or 11 octets (RFC 2579).
    pub const DATE_AND_TIME: Syntax =
        Syntax::octets(8, 11).named("DateAndTime", "2d-1d-1d,1d:1d:1d.1d,1a1d:1d");
    /// TruthValue: true(1), false(2) (RFC 2579).
    pub const TRUTH_VALUE: Syntax = Syntax::enumeration(&[(1, "true"), (2, "false")]).named("TruthValue", "");
    /// TestAndIncr: 0 to 2^31-1; a write succeeds only with the present value (RFC 2579).
    pub const TEST_AND_INCR: Syntax = Syntax::integer(0, i32::MAX as i64).named("TestAndIncr", "");
    /// RowStatus (RFC 2579).
    pub const ROW_STATUS: Syntax = Syntax::enumeration(&[
        (1, "active"),
        (2, "notInService"),
        (3, "notReady"),
        (4, "createAndGo"),
        (5, "createAndWait"),
        (6, "destroy"),
    ])
    .named("RowStatus", "");
    /// StorageType (RFC 2579).
    pub const STORAGE_TYPE: Syntax = Syntax::enumeration(&[
        (1, "other"),
        (2, "volatile"),
        (3, "nonVolatile"),
        (4, "permanent"),
        (5, "readOnly"),
    ])
    .named("StorageType", "");
    /// InterfaceIndex: 1 to 2^31-1 (RFC 2863).
    pub const INTERFACE_INDEX: Syntax = Syntax::integer(1, i32::MAX as i64).named("InterfaceIndex", "d");
    /// InterfaceIndexOrZero (RFC 2863).
    pub const INTERFACE_INDEX_OR_ZERO: Syntax =
        Syntax::integer(0, i32::MAX as i64).named("InterfaceIndexOrZero", "d");
    /// InetAddressType (RFC 4001).
    pub const INET_ADDRESS_TYPE: Syntax = Syntax::enumeration(&[
        (0, "unknown"),
        (1, "ipv4"),
        (2, "ipv6"),
        (3, "ipv4z"),
        (4, "ipv6z"),
        (16, "dns"),
    ])
    .named("InetAddressType", "");
    /// InetAddress: read with the InetAddressType before it (RFC 4001).
    pub const INET_ADDRESS: Syntax = Syntax::octets(0, 255).named("InetAddress", "");
    /// InetVersion: ipv4(1), ipv6(2) (RFC 4001).
    pub const INET_VERSION: Syntax =
        Syntax::enumeration(&[(0, "unknown"), (1, "ipv4"), (2, "ipv6")]).named("InetVersion", "");
    /// InetPortNumber: 0 to 65535 (RFC 4001).
    pub const INET_PORT_NUMBER: Syntax = Syntax::unsigned(0, 65535).named("InetPortNumber", "d");
    /// InetAddressPrefixLength: 0 to 2040 (RFC 4001).
    pub const INET_ADDRESS_PREFIX_LENGTH: Syntax =
        Syntax::unsigned(0, 2040).named("InetAddressPrefixLength", "d");

    /// Integer32 of a range.
    pub const fn integer(min: i64, max: i64) -> Self {
        Syntax::base(ValueKind::Integer, min, max)
    }

    /// Unsigned32 or Gauge32 of a range.
    pub const fn unsigned(min: i64, max: i64) -> Self {
        Syntax::base(ValueKind::Unsigned32, min, max)
    }

    /// OCTET STRING of a range of lengths.
    pub const fn octets(min: i64, max: i64) -> Self {
        Syntax::base(ValueKind::OctetString, min, max)
    }

    /// SnmpAdminString of a range of lengths (RFC 3411).
    pub const fn admin_string(min: i64, max: i64) -> Self {
        Syntax::octets(min, max).named("SnmpAdminString", "255t")
    }

    /// INTEGER with named numbers, the only ones allowed.
    pub const fn enumeration(names: &'static [(i32, &'static str)]) -> Self {
        let mut syntax = Syntax::INTEGER32;
        syntax.names = names;
        syntax
    }

    /// BITS with named bits.
    pub const fn bits(names: &'static [(i32, &'static str)]) -> Self {
        let mut syntax = Syntax::OCTET_STRING;
        syntax.names = names;
        syntax.bits = true;
        syntax
    }

    /// The same with a textual convention and a display hint.
    #[must_use]
    pub const fn named(mut self, convention: &'static str, hint: &'static str) -> Self {
        self.convention = convention;
        self.hint = hint;
        self
    }

    /// Whether a value is allowed here, by type, length and range.
    pub fn check(&self, value: ValueRef<'_>) -> Result<(), SyntaxError> {
        if value.kind() != self.kind {
            return Err(SyntaxError::WrongType);
        }
        let in_range = |number: i64| number >= self.min && number <= self.max;
        match value {
            ValueRef::OctetString(octets) | ValueRef::Opaque(octets) => {
                in_range(octets.len() as i64).then_some(()).ok_or(SyntaxError::WrongLength)
            }
            ValueRef::Integer(number) => {
                let named = self.names.is_empty() || self.names.iter().any(|(n, _)| *n == number);
                (named && in_range(number.into())).then_some(()).ok_or(SyntaxError::WrongValue)
            }
            ValueRef::Unsigned32(number) => {
                in_range(number.into()).then_some(()).ok_or(SyntaxError::WrongValue)
            }
            _ => Ok(()),
        }
    }

    /// Whether values are numbers without names.
    pub const fn is_number(&self) -> bool {
        use ValueKind::{Counter32, Counter64, Integer, TimeTicks, Unsigned32};
        self.names.is_empty() && matches!(self.kind, Integer | Unsigned32 | Counter32 | Counter64 | TimeTicks)
    }

    /// The name of a number of this enumeration.
    pub fn name_of(&self, number: i32) -> Option<&'static str> {
        self.names.iter().find(|(n, _)| *n == number).map(|(_, name)| *name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn syntax_checks_type_length_and_range() {
        let check = |syntax: Syntax, value| syntax.check(value);
        use ValueRef::*;
        assert_eq!(check(Syntax::TRUTH_VALUE, Integer(1)), Ok(()));
        assert_eq!(check(Syntax::TRUTH_VALUE, Integer(3)), Err(SyntaxError::WrongValue));
        assert_eq!(check(Syntax::TRUTH_VALUE, Unsigned32(1)), Err(SyntaxError::WrongType));
        assert_eq!(check(Syntax::DISPLAY_STRING, OctetString(&[b'x'; 255])), Ok(()));
        assert_eq!(check(Syntax::DISPLAY_STRING, OctetString(&[b'x'; 256])), Err(SyntaxError::WrongLength));
        assert_eq!(check(Syntax::INET_PORT_NUMBER, Unsigned32(65536)), Err(SyntaxError::WrongValue));
        assert_eq!(check(Syntax::COUNTER64, Counter64(u64::MAX)), Ok(()));
    }
}
