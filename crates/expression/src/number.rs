//! Integers of 32 and 64 bits, with and without sign, and which type an operation of two has.

use crate::error::ErrorCode;

/// The type of an integer. Constants alone are `Integer64` and `Unsigned64`, since SNMP has no such types.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// int, INTEGER, Integer32.
    Integer32,
    /// unsigned int, Gauge32, Unsigned32.
    Unsigned32,
    /// Counter32.
    Counter32,
    /// TimeTicks.
    TimeTicks,
    /// IpAddress: its four octets in network order.
    IpAddress,
    /// long.
    Integer64,
    /// unsigned long.
    Unsigned64,
    /// Counter64.
    Counter64,
}

/// An integer of a type, within its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Number {
    kind: Kind,
    value: i128,
}

impl Kind {
    /// The bits of its values.
    pub const fn bits(self) -> u32 {
        match self {
            Kind::Integer64 | Kind::Unsigned64 | Kind::Counter64 => 64,
            _ => 32,
        }
    }

    /// Whether its values have a sign.
    pub const fn is_signed(self) -> bool {
        matches!(self, Kind::Integer32 | Kind::Integer64)
    }

    /// The type of the result of `+ - * / % & | ^`, and the one in which operands are compared.
    pub(crate) fn promoted(self, other: Kind) -> Kind {
        if self == other {
            return self;
        }
        let order = [
            Kind::Counter64,
            Kind::Unsigned64,
            Kind::Integer64,
            Kind::IpAddress,
            Kind::TimeTicks,
            Kind::Counter32,
        ];
        order.into_iter().find(|kind| *kind == self || *kind == other).unwrap_or(Kind::Unsigned32)
    }
}

impl Number {
    /// A value, wrapped into the range of its type.
    pub fn new(kind: Kind, value: i128) -> Self {
        let bits = kind.bits();
        let low = value & ((1 << bits) - 1);
        let is_negative = kind.is_signed() && low >> (bits - 1) != 0;
        Number { kind, value: if is_negative { low - (1 << bits) } else { low } }
    }

    /// 0 or 1 as comparisons have them.
    pub fn truth(is_true: bool) -> Self {
        Number::new(Kind::Unsigned32, is_true.into())
    }

    /// The type.
    pub const fn kind(self) -> Kind {
        self.kind
    }

    /// The value.
    pub const fn value(self) -> i128 {
        self.value
    }

    /// The same bits as another type.
    pub fn as_kind(self, kind: Kind) -> Self {
        Number::new(kind, self.value)
    }

    /// Whether it counts as true.
    pub const fn is_true(self) -> bool {
        self.value != 0
    }

    /// As a length or position.
    pub(crate) fn index(self) -> Result<usize, ErrorCode> {
        usize::try_from(self.value).map_err(|_| ErrorCode::InvalidOperandType)
    }
}
