//! Attributes and the numbers in them. Whatever the kernel (or a truncated
//! recording) holds, nothing here panics: what cannot be read is not there.

use std::net::IpAddr;

use netlink_packet_core::NlasIterator;

/// The attributes in `octets`, type and value, up to the first malformed one.
pub fn attributes(octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    NlasIterator::new(octets).map_while(|attribute| {
        let attribute = attribute.ok()?;
        let (kind, length) = (attribute.kind(), usize::from(attribute.length()));
        Some((kind, attribute.into_inner().get(4..length)?))
    })
}

/// The value of the first attribute of this type.
pub fn find(octets: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(octets).find(|(found, _)| *found == kind).map(|(_, value)| value)
}

/// An octet at an offset.
pub fn u8_at(octets: &[u8], at: usize) -> Option<u8> {
    octets.get(at).copied()
}

/// 16 bits in the machine's order.
pub fn u16_at(octets: &[u8], at: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(octets.get(at..at + 2)?.try_into().ok()?))
}

/// 32 bits in the machine's order.
pub fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(octets.get(at..at + 4)?.try_into().ok()?))
}

/// 64 bits in the machine's order.
pub fn u64_at(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(octets.get(at..at + 8)?.try_into().ok()?))
}

/// The address that a value of this family is; nothing else may follow it.
pub fn ip_at(family: u8, value: &[u8]) -> Option<IpAddr> {
    match family {
        AF_INET => Some(IpAddr::from(<[u8; 4]>::try_from(value).ok()?)),
        AF_INET6 => Some(IpAddr::from(<[u8; 16]>::try_from(value).ok()?)),
        _ => None,
    }
}

pub const AF_INET: u8 = 2;
pub const AF_INET6: u8 = 10;

/// A text without the NUL that ends it.
pub fn text(value: &[u8]) -> &[u8] {
    let end = value.iter().position(|octet| *octet == 0).unwrap_or(value.len());
    &value[..end]
}

/// Appends an attribute, padded to 4 octets. Values longer than an attribute can be are cut.
pub fn push(into: &mut Vec<u8>, kind: u16, value: &[u8]) {
    let value = &value[..value.len().min(usize::from(u16::MAX) - 8)];
    into.extend_from_slice(&(value.len() as u16 + 4).to_ne_bytes());
    into.extend_from_slice(&kind.to_ne_bytes());
    into.extend_from_slice(value);
    into.resize(into.len().next_multiple_of(4), 0);
}

/// The bit in an attribute's type that marks nested attributes.
pub const NESTED: u16 = 0x8000;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn pushed_attributes_are_found() {
        let mut octets = Vec::new();
        push(&mut octets, 3, b"lo\0");
        push(&mut octets, 4 | NESTED, &65536u32.to_ne_bytes());
        assert_eq!(octets.len(), 16);
        assert_eq!(find(&octets, 3).map(text), Some(&b"lo"[..]));
        assert_eq!(find(&octets, 4).and_then(|value| u32_at(value, 0)), Some(65536));
        assert_eq!(find(&octets, 5), None);
        assert_eq!(attributes(&octets[..14]).count(), 1, "the cut attribute is not there");
    }

    proptest! {
        #[test]
        fn any_octets_are_read_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..64)) {
            let total: usize = attributes(&octets).map(|(_, value)| value.len() + 4).sum();
            prop_assert!(total <= octets.len());
            let _ = (u16_at(&octets, 3), u32_at(&octets, 61), u64_at(&octets, 57), text(&octets));
        }
    }
}
