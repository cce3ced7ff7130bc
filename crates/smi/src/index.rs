//! A row's index as values and as sub-identifiers (RFC 2578 section 7.7).

use crate::schema::{IndexEncoding, IndexPart};
use crate::{Oid, OidBuf, TooLongError};

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

/// Why sub-identifiers are no index of a table, or values cannot be one.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum IndexError {
    /// Sub-identifiers end before the index object does.
    #[error("the index ends inside of {part}")]
    Short {
        /// The index object's descriptor.
        part: &'static str,
    },
    /// Sub-identifiers behind the last index object.
    #[error("{extra} sub-identifiers behind the last part of the index")]
    Long {
        /// How many.
        extra: usize,
    },
    /// A sub-identifier above 255 where an octet is expected.
    #[error("{found} in {part} is no octet (0 to 255)")]
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
    #[error("{expected} index values expected, {found} given")]
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

fn push_octets(octets: &[u8], into: &mut OidBuf) -> Result<(), TooLongError> {
    octets.iter().try_for_each(|octet| into.push(u32::from(*octet)))
}

/// The values of the index objects in these sub-identifiers; all must be used up.
pub fn decode_index(parts: &[IndexPart], sub_ids: &[u32]) -> Result<Vec<IndexValue>, IndexError> {
    let mut rest = sub_ids;
    let mut values = Vec::with_capacity(parts.len());
    for part in parts {
        let (value, after) = decode_part(part, rest)?;
        values.push(value);
        rest = after;
    }
    if rest.is_empty() { Ok(values) } else { Err(IndexError::Long { extra: rest.len() }) }
}

fn decode_part<'a>(part: &IndexPart, sub_ids: &'a [u32]) -> Result<(IndexValue, &'a [u32]), IndexError> {
    use IndexEncoding as E;
    let short = IndexError::Short { part: part.name };
    let (len, body) = match part.encoding {
        E::Integer => (1, sub_ids),
        E::FixedOctets(len) => (len, sub_ids),
        E::IpAddress => (4, sub_ids),
        E::ImpliedOctets | E::ImpliedObjectIdentifier => (sub_ids.len(), sub_ids),
        E::Octets | E::ObjectIdentifier => {
            let (len, body) = sub_ids.split_first().ok_or_else(|| short.clone())?;
            (*len as usize, body)
        }
    };
    if body.len() < len {
        return Err(short);
    }
    let (taken, rest) = body.split_at(len);
    let value = match part.encoding {
        E::Integer => IndexValue::Integer(taken[0]),
        E::ObjectIdentifier | E::ImpliedObjectIdentifier => IndexValue::ObjectIdentifier(Oid::new(taken)?),
        _ => IndexValue::Octets(octets_of(part, taken)?),
    };
    Ok((value, rest))
}

fn octets_of(part: &IndexPart, sub_ids: &[u32]) -> Result<Vec<u8>, IndexError> {
    let octet = |found: &u32| {
        u8::try_from(*found).map_err(|_| IndexError::NotAnOctet { part: part.name, found: *found })
    };
    sub_ids.iter().map(octet).collect()
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
}
