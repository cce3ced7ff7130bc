//! Addresses in the indexes of tables (RFC 4001), and of which family they are.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use trunkline_smi::IndexValue;

/// IPv4 or IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// IPv4.
    V4,
    /// IPv6.
    V6,
}

impl Family {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Family::V4 => "ipv4",
            Family::V6 => "ipv6",
        }
    }

    /// The family of an address.
    pub const fn of(address: &IpAddr) -> Self {
        if address.is_ipv4() { Family::V4 } else { Family::V6 }
    }

    /// How many bits an address has.
    pub const fn bits(self) -> u32 {
        match self {
            Family::V4 => 32,
            Family::V6 => 128,
        }
    }

    /// The address that stands for any.
    pub const fn any(self) -> IpAddr {
        match self {
            Family::V4 => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            Family::V6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
        }
    }
}

/// An address, with its zone if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Inet {
    /// The address.
    pub address: IpAddr,
    /// The zone, of addresses that are unique only there: an ifIndex; 0: none.
    pub zone: u32,
}

impl Inet {
    /// An address of a type and its octets (InetAddressType and InetAddress); nothing if there is none, or if it is a name.
    pub fn of(kind: &IndexValue, octets: &IndexValue) -> Option<Self> {
        let (IndexValue::Integer(kind), IndexValue::Octets(octets)) = (kind, octets) else { return None };
        let zone = |octets: &[u8]| octets.try_into().ok().map(u32::from_be_bytes);
        let v4 = |octets: &[u8]| <[u8; 4]>::try_from(octets).ok().map(IpAddr::from);
        let v6 = |octets: &[u8]| <[u8; 16]>::try_from(octets).ok().map(IpAddr::from);
        let (address, zone) = match kind {
            1 => (v4(octets)?, 0),
            2 => (v6(octets)?, 0),
            3 => (v4(octets.get(..4)?)?, zone(octets.get(4..)?)?),
            4 => (v6(octets.get(..16)?)?, zone(octets.get(16..)?)?),
            _ => return None,
        };
        Some(Inet { address, zone })
    }

    /// An address of IPv4 (IpAddress).
    pub fn v4(octets: &IndexValue) -> Option<Self> {
        let IndexValue::Octets(octets) = octets else { return None };
        let octets: [u8; 4] = octets[..].try_into().ok()?;
        Some(Inet { address: octets.into(), zone: 0 })
    }
}

impl fmt::Display for Inet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.zone {
            0 => write!(f, "{}", self.address),
            zone => write!(f, "{}%{zone}", self.address),
        }
    }
}

/// How many bits of a mask are set, if they are the first ones.
pub fn prefix_of(mask: [u8; 4]) -> Option<u32> {
    let mask = u32::from_be_bytes(mask);
    (mask.count_ones() == mask.leading_ones()).then(|| mask.leading_ones())
}

/// Whether something of this family passes; what has none passes always.
pub fn passes(wanted: Option<Family>, family: Option<Family>) -> bool {
    wanted.is_none() || family.is_none() || wanted == family
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read_by_their_type() {
        let of = |kind, octets: &[u8]| {
            let found = Inet::of(&IndexValue::Integer(kind), &IndexValue::Octets(octets.to_vec()));
            found.map(|inet| inet.to_string())
        };
        assert_eq!(of(1, &[192, 0, 2, 1]).as_deref(), Some("192.0.2.1"));
        let mut v6 = vec![0; 15];
        v6.push(1);
        assert_eq!(of(2, &v6).as_deref(), Some("::1"));
        v6.extend([0, 0, 0, 4]);
        assert_eq!(of(4, &v6).as_deref(), Some("::1%4"));
        assert_eq!(of(3, &[10, 0, 0, 1, 0, 0, 0, 9]).as_deref(), Some("10.0.0.1%9"));
        for (kind, octets) in [(0, &[][..]), (1, &[1, 2, 3]), (2, &[1; 4]), (3, &[1; 4]), (16, b"host")] {
            assert_eq!(of(kind, octets), None);
        }
    }

    #[test]
    fn masks_with_gaps_have_no_length() {
        assert_eq!(prefix_of([255, 255, 252, 0]), Some(22));
        assert_eq!((prefix_of([0; 4]), prefix_of([255; 4])), (Some(0), Some(32)));
        assert_eq!(prefix_of([255, 0, 255, 0]), None);
    }
}
