//! A literal in the type of its column, and how values are ordered against it.

use std::cmp::Ordering;
use std::net::IpAddr;

use trunkline_smi::schema::Syntax;
use trunkline_smi::{IndexRef, Oid, ValueKind, ValueRef};

use crate::scope::{cut, nearest};
use crate::{Field, Literal, Mistake};

/// A literal that fits its column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    Number(i128),
    Octets(Box<[u8]>),
    Oid(Oid),
}

impl Bound {
    /// How a value is ordered against this; `None` if they cannot be compared.
    pub(crate) fn order(&self, value: ValueRef<'_>) -> Option<Ordering> {
        Some(match (self, value) {
            (Bound::Number(bound), ValueRef::Integer(number)) => i128::from(number).cmp(bound),
            (
                Bound::Number(bound),
                ValueRef::Counter32(number) | ValueRef::Unsigned32(number) | ValueRef::TimeTicks(number),
            ) => i128::from(number).cmp(bound),
            (Bound::Number(bound), ValueRef::Counter64(number)) => i128::from(number).cmp(bound),
            (Bound::Octets(bound), ValueRef::OctetString(octets) | ValueRef::Opaque(octets)) => {
                octets.cmp(bound)
            }
            (Bound::Octets(bound), ValueRef::IpAddress(octets)) => octets[..].cmp(bound),
            (Bound::Oid(bound), ValueRef::ObjectIdentifier(sub_ids)) => sub_ids.cmp(bound),
            _ => return None,
        })
    }

    /// The same of a part of an index.
    pub(crate) fn order_index(&self, value: IndexRef<'_>) -> Option<Ordering> {
        Some(match (self, value) {
            (Bound::Number(bound), IndexRef::Integer(number)) => i128::from(number).cmp(bound),
            (Bound::Octets(bound), IndexRef::Octets(octets)) => {
                octets.iter().copied().cmp(bound.iter().map(|octet| u32::from(*octet)))
            }
            (Bound::Oid(bound), IndexRef::ObjectIdentifier(sub_ids)) => sub_ids.cmp(bound),
            _ => return None,
        })
    }

    /// A literal for a column of this syntax.
    pub(crate) fn resolve(literal: &Literal, field: &Field) -> Result<Bound, Mistake> {
        match field.syntax.kind {
            ValueKind::Integer => integer(literal, field, i32::MIN.into(), i32::MAX.into()),
            ValueKind::Counter32 | ValueKind::Unsigned32 | ValueKind::TimeTicks => {
                integer(literal, field, 0, u32::MAX.into())
            }
            ValueKind::Counter64 => integer(literal, field, 0, u64::MAX.into()),
            ValueKind::OctetString => octets(literal, field),
            ValueKind::Opaque => match literal {
                Literal::Octets(octets) => Ok(Bound::Octets(octets.as_slice().into())),
                Literal::Bare(text) => hexadecimal(text).ok_or_else(|| wrong_type(literal, field)),
                _ => Err(wrong_type(literal, field)),
            },
            ValueKind::IpAddress => address(literal).ok_or_else(|| wrong_type(literal, field)),
            ValueKind::ObjectIdentifier => identifier(literal).ok_or_else(|| wrong_type(literal, field)),
        }
    }
}

fn integer(literal: &Literal, field: &Field, min: i128, max: i128) -> Result<Bound, Mistake> {
    let number = match literal {
        Literal::Integer(number) => *number,
        Literal::Bare(text) if !text.is_empty() && text.parse::<i128>().is_ok() => {
            text.parse().unwrap_or_default()
        }
        Literal::Text(text) | Literal::Bare(text) if !field.syntax.names.is_empty() => {
            return named(text, field);
        }
        _ => return Err(wrong_type(literal, field)),
    };
    if number < min || number > max {
        return Err(Mistake::OutOfRange { column: field.name, min, max, found: number });
    }
    Ok(Bound::Number(number))
}

/// A value of an enumeration by its name.
fn named(name: &str, field: &Field) -> Result<Bound, Mistake> {
    let names = field.syntax.names;
    match names.iter().find(|(_, known)| *known == name) {
        Some((number, _)) => Ok(Bound::Number((*number).into())),
        None => Err(Mistake::UnknownValueName {
            column: field.name,
            found: cut(name),
            nearest: nearest(name, names.iter().map(|(_, known)| *known)),
        }),
    }
}

/// Octets are text, except for those that people write in another form: addresses.
fn octets(literal: &Literal, field: &Field) -> Result<Bound, Mistake> {
    match literal {
        Literal::Octets(octets) => Ok(Bound::Octets(octets.as_slice().into())),
        Literal::Text(text) | Literal::Bare(text) => {
            let special = written_otherwise(text, &field.syntax);
            let hexadecimal = || hexadecimal(text).filter(|_| matches!(literal, Literal::Bare(_)));
            let plain = || Bound::Octets(text.as_bytes().into());
            Ok(special.or_else(hexadecimal).unwrap_or_else(plain))
        }
        Literal::Integer(_) | Literal::Oid(_) => Err(wrong_type(literal, field)),
    }
}

/// `00:11:22:33:44:55` if the display hint has this form, and the address of an InetAddress.
fn written_otherwise(text: &str, syntax: &Syntax) -> Option<Bound> {
    if syntax.hint == "1x:" {
        let octets: Option<Box<[u8]>> = text.split([':', '-']).map(hexadecimal_octet).collect();
        return octets.map(Bound::Octets);
    }
    if syntax.convention == "InetAddress" {
        return Some(Bound::Octets(match text.parse().ok()? {
            IpAddr::V4(address) => address.octets().into(),
            IpAddr::V6(address) => address.octets().into(),
        }));
    }
    None
}

/// `0x9f78`.
fn hexadecimal(text: &str) -> Option<Bound> {
    let digits = text.strip_prefix("0x").or_else(|| text.strip_prefix("0X"))?.as_bytes();
    let octets: Option<Box<[u8]>> = digits
        .chunks(2)
        .map(|pair| hexadecimal_octet(std::str::from_utf8(pair).ok()?).filter(|_| pair.len() == 2))
        .collect();
    octets.map(Bound::Octets)
}

fn hexadecimal_octet(digits: &str) -> Option<u8> {
    let only_digits = (1..=2).contains(&digits.len()) && digits.bytes().all(|b| b.is_ascii_hexdigit());
    u8::from_str_radix(digits, 16).ok().filter(|_| only_digits)
}

fn address(literal: &Literal) -> Option<Bound> {
    match literal {
        Literal::Text(text) | Literal::Bare(text) => match text.parse().ok()? {
            IpAddr::V4(address) => Some(Bound::Octets(address.octets().into())),
            IpAddr::V6(_) => None,
        },
        Literal::Octets(octets) if octets.len() == 4 => Some(Bound::Octets(octets.as_slice().into())),
        _ => None,
    }
}

fn identifier(literal: &Literal) -> Option<Bound> {
    match literal {
        Literal::Oid(oid) => Some(Bound::Oid(oid.clone())),
        Literal::Text(text) | Literal::Bare(text) => text.parse().ok().map(Bound::Oid),
        _ => None,
    }
}

fn wrong_type(literal: &Literal, field: &Field) -> Mistake {
    let found = match literal {
        Literal::Integer(number) => number.to_string(),
        Literal::Text(text) => format!("the text {:?}", cut(text)),
        Literal::Bare(text) => format!("{:?}", cut(text)),
        Literal::Octets(octets) => format!("a string of {} octets", octets.len()),
        Literal::Oid(oid) => format!("the identifier {oid}"),
    };
    Mistake::WrongType { column: field.name, kind: field.syntax.kind, found }
}
