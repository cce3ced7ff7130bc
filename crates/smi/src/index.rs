//! A row's index as values and as sub-identifiers (RFC 2578 section 7.7).

use crate::schema::{IndexEncoding, IndexPart};
use crate::{MAX_SUB_IDS, Oid, OidBuf, TooLongError, Value, ValueKind, ValueRef};

/// One index object's value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum IndexValue {
    /// An integer: 0 to 2^32-1 (SMIv2 forbids negative index values).
    Integer(u32),
    /// Octets: strings, addresses.
    Octets(Vec<u8>),
    /// An object identifier.
    ObjectIdentifier(Oid),
}

impl IndexValue {
    /// The value of an index object, from its own type; `None` of types that no index has, and of negative numbers.
    #[must_use]
    pub fn of(value: Value) -> Option<IndexValue> {
        Some(match value {
            Value::Integer(number) => IndexValue::Integer(number.try_into().ok()?),
            Value::Unsigned32(number) | Value::Counter32(number) | Value::TimeTicks(number) => {
                IndexValue::Integer(number)
            }
            Value::OctetString(octets) => IndexValue::Octets(octets),
            Value::IpAddress(octets) => IndexValue::Octets(octets.to_vec()),
            Value::ObjectIdentifier(oid) => IndexValue::ObjectIdentifier(oid),
            Value::Counter64(_) | Value::Opaque(_) => return None,
        })
    }
}

/// A borrowed index value: a view of the sub-identifiers of a row's index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexRef<'a> {
    /// See [`IndexValue::Integer`].
    Integer(u32),
    /// See [`IndexValue::Octets`]: one sub-identifier for each octet, none above 255.
    Octets(&'a [u32]),
    /// See [`IndexValue::ObjectIdentifier`].
    ObjectIdentifier(&'a [u32]),
}

impl<'a> IndexRef<'a> {
    /// The octets, of those index objects that have some.
    pub fn octets(self) -> Option<impl ExactSizeIterator<Item = u8> + 'a> {
        // A borrowed value has no sub-identifier above 255.
        if let IndexRef::Octets(octets) = self { Some(octets.iter().map(|octet| *octet as u8)) } else { None }
    }

    /// An owned copy.
    pub fn to_index_value(self) -> IndexValue {
        match self {
            IndexRef::Integer(number) => IndexValue::Integer(number),
            IndexRef::Octets(octets) => IndexValue::Octets(octets.iter().map(|octet| *octet as u8).collect()),
            IndexRef::ObjectIdentifier(sub_ids) => IndexValue::ObjectIdentifier(Oid::EMPTY.child(sub_ids)),
        }
    }

    /// The value in the type of the index object's syntax; octets are written to `octets`, which is cleared
    /// first. `None` if the syntax has no such value, such as a negative number.
    pub fn value<'b>(self, part: &IndexPart, octets: &'b mut Vec<u8>) -> Option<ValueRef<'b>>
    where
        'a: 'b,
    {
        Some(match (part.syntax.kind, self) {
            (ValueKind::Integer, IndexRef::Integer(number)) => ValueRef::Integer(i32::try_from(number).ok()?),
            (ValueKind::Unsigned32, IndexRef::Integer(number)) => ValueRef::Unsigned32(number),
            (ValueKind::Counter32, IndexRef::Integer(number)) => ValueRef::Counter32(number),
            (ValueKind::TimeTicks, IndexRef::Integer(number)) => ValueRef::TimeTicks(number),
            (ValueKind::ObjectIdentifier, IndexRef::ObjectIdentifier(sub_ids)) => {
                ValueRef::ObjectIdentifier(sub_ids)
            }
            (ValueKind::IpAddress, IndexRef::Octets(&[a, b, c, d])) => {
                ValueRef::IpAddress([a as u8, b as u8, c as u8, d as u8])
            }
            (ValueKind::OctetString, IndexRef::Octets(sub_ids)) => {
                octets.clear();
                octets.extend(sub_ids.iter().map(|octet| *octet as u8));
                ValueRef::OctetString(octets)
            }
            _ => return None,
        })
    }
}

/// Why sub-identifiers are not an index of a table, or values cannot form one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// Sub-identifiers end before the index object does.
    #[error("the index ends inside {part}")]
    Short {
        /// The index object's descriptor.
        part: &'static str,
    },
    /// Sub-identifiers after the last index object.
    #[error("{extra} sub-identifiers after the last part of the index")]
    Long {
        /// How many.
        extra: usize,
    },
    /// A sub-identifier above 255 where an octet is expected.
    #[error("{found} in {part} is not an octet (0 to 255)")]
    NotAnOctet {
        /// The index object's descriptor.
        part: &'static str,
        /// What was found.
        found: u32,
    },
    /// The value does not fit the index object.
    #[error("the value for {part} does not fit its syntax")]
    Mismatch {
        /// The index object's descriptor.
        part: &'static str,
    },
    /// Not one value for each index object.
    #[error("expected {expected} index values, found {found}")]
    Count {
        /// How many the table has.
        expected: usize,
        /// How many were given.
        found: usize,
    },
    /// The name would have more than 128 sub-identifiers.
    #[error(transparent)]
    TooLong(#[from] TooLongError),
}

/// Sub-identifiers for these values, appended to `into`.
pub fn encode_index(parts: &[IndexPart], values: &[IndexValue], into: &mut OidBuf) -> Result<(), IndexError> {
    if parts.len() != values.len() {
        return Err(IndexError::Count { expected: parts.len(), found: values.len() });
    }
    for (part, value) in parts.iter().zip(values) {
        encode_part(part, value, into)?;
    }
    Ok(())
}

fn encode_part(part: &IndexPart, value: &IndexValue, into: &mut OidBuf) -> Result<(), IndexError> {
    use IndexEncoding as E;
    let mismatch = IndexError::Mismatch { part: part.name };
    match (part.encoding, value) {
        (E::Integer, IndexValue::Integer(number)) => into.push(*number)?,
        (E::FixedOctets(len), IndexValue::Octets(octets)) if octets.len() == len => {
            push_octets(octets, into)?
        }
        (E::IpAddress, IndexValue::Octets(octets)) if octets.len() == 4 => push_octets(octets, into)?,
        (E::NetworkAddress, IndexValue::Octets(octets)) if octets.len() == 4 => {
            into.push(INTERNET)?;
            push_octets(octets, into)?;
        }
        (E::ImpliedOctets, IndexValue::Octets(octets)) => push_octets(octets, into)?,
        (E::Octets, IndexValue::Octets(octets)) => {
            into.push(octets.len() as u32)?;
            push_octets(octets, into)?;
        }
        (E::ImpliedObjectIdentifier, IndexValue::ObjectIdentifier(oid)) => into.extend(oid)?,
        (E::ObjectIdentifier, IndexValue::ObjectIdentifier(oid)) => {
            into.push(oid.len() as u32)?;
            into.extend(oid)?;
        }
        _ => return Err(mismatch),
    }
    Ok(())
}

/// The only family that NetworkAddress has (RFC 1155 section 3.2.3).
const INTERNET: u32 = 1;

fn push_octets(octets: &[u8], into: &mut OidBuf) -> Result<(), TooLongError> {
    octets.iter().try_for_each(|octet| into.push(u32::from(*octet)))
}

/// The values of the index objects in these sub-identifiers; all must be used up.
pub fn decode_index(parts: &[IndexPart], sub_ids: &[u32]) -> Result<Vec<IndexValue>, IndexError> {
    index_refs(parts, sub_ids).map(|value| value.map(IndexRef::to_index_value)).collect()
}

/// The same, borrowed: one value after the other, without an allocation. Iteration ends after an error.
pub fn index_refs<'p, 'a>(parts: &'p [IndexPart], sub_ids: &'a [u32]) -> IndexRefs<'p, 'a> {
    IndexRefs { parts, rest: sub_ids }
}

/// The values of the index objects of a row; made by [`index_refs`].
#[derive(Clone, Debug)]
pub struct IndexRefs<'p, 'a> {
    parts: &'p [IndexPart],
    rest: &'a [u32],
}

impl<'a> Iterator for IndexRefs<'_, 'a> {
    type Item = Result<IndexRef<'a>, IndexError>;

    fn next(&mut self) -> Option<Self::Item> {
        let Some((part, parts)) = self.parts.split_first() else {
            let extra = std::mem::take(&mut self.rest).len();
            return (extra > 0).then_some(Err(IndexError::Long { extra }));
        };
        match decode_part(part, self.rest) {
            Ok((value, rest)) => {
                (self.parts, self.rest) = (parts, rest);
                Some(Ok(value))
            }
            Err(error) => {
                (self.parts, self.rest) = (&[], &[]);
                Some(Err(error))
            }
        }
    }
}

fn decode_part<'a>(part: &IndexPart, sub_ids: &'a [u32]) -> Result<(IndexRef<'a>, &'a [u32]), IndexError> {
    use IndexEncoding as E;
    let short = IndexError::Short { part: part.name };
    let (len, body) = match part.encoding {
        E::Integer => (1, sub_ids),
        E::FixedOctets(len) => (len, sub_ids),
        E::IpAddress => (4, sub_ids),
        E::NetworkAddress => match sub_ids.split_first() {
            Some((&INTERNET, body)) => (4, body),
            Some(_) => return Err(IndexError::Mismatch { part: part.name }),
            None => return Err(short),
        },
        E::ImpliedOctets | E::ImpliedObjectIdentifier => (sub_ids.len(), sub_ids),
        E::Octets | E::ObjectIdentifier => {
            let Some((len, body)) = sub_ids.split_first() else { return Err(short) };
            (*len as usize, body)
        }
    };
    if body.len() < len {
        return Err(short);
    }
    let (taken, rest) = body.split_at(len);
    let value = match part.encoding {
        E::Integer => IndexRef::Integer(taken[0]),
        E::ObjectIdentifier | E::ImpliedObjectIdentifier if taken.len() > MAX_SUB_IDS => {
            return Err(TooLongError { found: taken.len() }.into());
        }
        E::ObjectIdentifier | E::ImpliedObjectIdentifier => IndexRef::ObjectIdentifier(taken),
        _ => match taken.iter().find(|octet| **octet > 255) {
            Some(found) => return Err(IndexError::NotAnOctet { part: part.name, found: *found }),
            None => IndexRef::Octets(taken),
        },
    };
    Ok((value, rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schema::Syntax;

    const PARTS: &[IndexPart] = &[
        IndexPart::new("type", IndexEncoding::Integer, Syntax::INET_ADDRESS_TYPE),
        IndexPart::new("address", IndexEncoding::Octets, Syntax::INET_ADDRESS),
        IndexPart::new("who", IndexEncoding::ImpliedObjectIdentifier, Syntax::OBJECT_IDENTIFIER),
    ];

    #[test]
    fn an_inet_address_carries_its_length() {
        let values = [
            IndexValue::Integer(1),
            IndexValue::Octets(vec![127, 0, 0, 1]),
            IndexValue::ObjectIdentifier(Oid::from([0, 0])),
        ];
        let mut oid = OidBuf::new();
        encode_index(PARTS, &values, &mut oid).unwrap();
        assert_eq!(&oid[..], [1, 4, 127, 0, 0, 1, 0, 0]);
        assert_eq!(decode_index(PARTS, &oid).unwrap(), values);
    }

    #[test]
    fn bad_indexes_name_the_part() {
        assert_eq!(decode_index(PARTS, &[1, 4, 127]), Err(IndexError::Short { part: "address" }));
        assert_eq!(
            decode_index(PARTS, &[1, 1, 256]),
            Err(IndexError::NotAnOctet { part: "address", found: 256 })
        );
        assert_eq!(decode_index(&PARTS[..1], &[1, 2]), Err(IndexError::Long { extra: 1 }));
        assert_eq!(
            encode_index(&PARTS[..1], &[IndexValue::Octets(vec![])], &mut OidBuf::new()),
            Err(IndexError::Mismatch { part: "type" })
        );
    }

    #[test]
    fn an_address_of_the_first_version_says_its_family() {
        let parts = [IndexPart::new("where", IndexEncoding::NetworkAddress, Syntax::IP_ADDRESS)];
        let values = [IndexValue::Octets(vec![192, 0, 2, 1])];
        let mut oid = OidBuf::new();
        encode_index(&parts, &values, &mut oid).unwrap();
        assert_eq!(&oid[..], [1, 192, 0, 2, 1]);
        assert_eq!(decode_index(&parts, &oid).unwrap(), values);
        assert_eq!(decode_index(&parts, &[2, 192, 0, 2, 1]), Err(IndexError::Mismatch { part: "where" }));
        assert_eq!(decode_index(&parts, &[1, 192, 0, 2]), Err(IndexError::Short { part: "where" }));
        assert_eq!(decode_index(&parts, &[]), Err(IndexError::Short { part: "where" }));
    }

    #[test]
    fn looked_at_values_are_in_the_type_of_their_syntax() {
        let mut octets = Vec::new();
        let mut at = |position: usize| {
            let index = [1, 4, 127, 0, 0, 1, 0, 0];
            let value = index_refs(PARTS, &index).nth(position).unwrap().unwrap();
            value.value(&PARTS[position], &mut octets).unwrap().to_value()
        };
        assert_eq!(at(0), crate::Value::Integer(1));
        assert_eq!(at(1), crate::Value::OctetString(vec![127, 0, 0, 1]));
        assert_eq!(at(2), crate::Value::ObjectIdentifier(Oid::from([0, 0])));
        assert_eq!(IndexRef::Integer(u32::MAX).value(&PARTS[0], &mut octets), None);
        let mut broken = index_refs(PARTS, &[1, 9]);
        assert_eq!(broken.next(), Some(Ok(IndexRef::Integer(1))));
        assert_eq!(broken.next(), Some(Err(IndexError::Short { part: "address" })));
        assert_eq!(broken.next(), None);
    }
}
