//! The IP level of UDP, header by header: what a capture on the same link would count for a datagram, including
//! fragments.

use std::net::IpAddr;

/// An IPv4 header without options (RFC 791).
pub const IPV4_HEADER: u64 = 20;
/// An IPv6 header (RFC 8200).
pub const IPV6_HEADER: u64 = 40;
/// The fragment extension header of IPv6 (RFC 8200 section 4.5).
pub const IPV6_FRAGMENT_HEADER: u64 = 8;
/// A UDP header (RFC 768).
pub const UDP_HEADER: u64 = 8;
/// A TCP header without options (RFC 9293).
pub const TCP_HEADER: u64 = 20;
/// The timestamp option of TCP with its padding (RFC 7323 appendix A).
pub const TCP_TIMESTAMPS: u64 = 12;

/// The version of the Internet protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IpVersion {
    /// RFC 791.
    V4,
    /// RFC 8200.
    V6,
}

impl IpVersion {
    /// The version of an address; an IPv4 address mapped into IPv6 travels as IPv4.
    pub fn of(address: IpAddr) -> IpVersion {
        if address.to_canonical().is_ipv4() { IpVersion::V4 } else { IpVersion::V6 }
    }

    /// The header's octets, without options.
    pub const fn header(self) -> u64 {
        match self {
            IpVersion::V4 => IPV4_HEADER,
            IpVersion::V6 => IPV6_HEADER,
        }
    }
}

/// Packets and octets at IP level.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct IpCount {
    /// IP packets, each fragment counted.
    pub packets: u64,
    /// Octets from the IP header on.
    pub octets: u64,
}

impl std::ops::Add for IpCount {
    type Output = IpCount;
    fn add(self, other: IpCount) -> IpCount {
        IpCount { packets: self.packets + other.packets, octets: self.octets + other.octets }
    }
}

/// The packets of a datagram with `payload` octets on a path with this MTU.
///
/// A datagram that fits is one packet. A larger one is cut so that each fragment except the last carries a
/// multiple of 8 octets (RFC 791 section 3.2, RFC 8200 section 4.5); each repeats the IP header.
pub fn datagram(version: IpVersion, payload: u64, mtu: u64) -> IpCount {
    let whole = UDP_HEADER + payload;
    if version.header() + whole <= mtu {
        return IpCount { packets: 1, octets: version.header() + whole };
    }
    let header = match version {
        IpVersion::V4 => IPV4_HEADER,
        IpVersion::V6 => IPV6_HEADER + IPV6_FRAGMENT_HEADER,
    };
    // Both protocols require links that carry far more than a header and 8 octets; 8 keeps a wrong MTU harmless.
    let room = (mtu.saturating_sub(header) / 8 * 8).max(8);
    let last_room = mtu.saturating_sub(header).max(8);
    // The last fragment need not be a multiple of 8.
    let packets = 1 + whole.saturating_sub(last_room).div_ceil(room);
    IpCount { packets, octets: whole + packets * header }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_interaction_is_56_octets_above_its_messages() {
        // Section IV.H of Pras 2005.
        let both = datagram(IpVersion::V4, 43, 65_536) + datagram(IpVersion::V4, 45, 65_536);
        assert_eq!(both, IpCount { packets: 2, octets: 88 + 56 });
    }

    #[test]
    fn fragments_on_ethernet() {
        // 1472 octets of payload just fit 1500; one more makes a second fragment of 1 octet.
        assert_eq!(datagram(IpVersion::V4, 1472, 1500), IpCount { packets: 1, octets: 1500 });
        assert_eq!(datagram(IpVersion::V4, 1473, 1500), IpCount { packets: 2, octets: 1481 + 40 });
        // 8 + 6000 in fragments of 1480: 4 full and one of 88
        assert_eq!(datagram(IpVersion::V4, 6000, 1500), IpCount { packets: 5, octets: 6008 + 100 });
        // IPv6: 1452 fit; fragments carry 1448
        assert_eq!(datagram(IpVersion::V6, 1452, 1500), IpCount { packets: 1, octets: 1500 });
        assert_eq!(datagram(IpVersion::V6, 1453, 1500), IpCount { packets: 2, octets: 1461 + 96 });
        // if the MTU leaves no multiple of 8, only the last fragment may use the rest
        assert_eq!(datagram(IpVersion::V4, 100, 95).packets, 2);
    }

    proptest! {
        #[test]
        fn as_cutting_it_up_would_count(payload in 0u64..70_000, mtu in 68u64..70_000) {
            let count = datagram(IpVersion::V4, payload, mtu);
            let (mut rest, mut packets, mut octets) = (UDP_HEADER + payload, 0, 0);
            while rest > 0 {
                let piece = if rest + IPV4_HEADER <= mtu { rest } else { (mtu - IPV4_HEADER) / 8 * 8 };
                (rest, packets, octets) = (rest - piece, packets + 1, octets + piece + IPV4_HEADER);
            }
            prop_assert_eq!(count, IpCount { packets, octets });
        }
    }
}
