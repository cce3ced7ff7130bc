//! Addresses of IP in indexes: InetAddressType, length and octets (RFC 4001).

use std::net::IpAddr;

/// Appends an address as InetAddressType and InetAddress: ipv4(1) or ipv6(2).
pub(crate) fn push_inet(index: &mut Vec<u32>, address: IpAddr) {
    index.push(inet_type(address));
    match address {
        IpAddr::V4(address) => push_octets(index, &address.octets()),
        IpAddr::V6(address) => push_octets(index, &address.octets()),
    }
}

/// The same for an address that must be distinguished from an equal one on another interface: a link-local IPv6
/// address is ipv6z(4), 16 octets and the interface as its zone.
pub(crate) fn push_inet_of_zone(index: &mut Vec<u32>, address: IpAddr, interface: u32) {
    match address {
        IpAddr::V6(v6) if v6.is_unicast_link_local() => {
            index.push(4);
            let mut octets = v6.octets().to_vec();
            octets.extend_from_slice(&interface.to_be_bytes());
            push_octets(index, &octets);
        }
        other => push_inet(index, other),
    }
}

/// InetAddressType and InetVersion: 1 for IPv4, 2 for IPv6.
pub(crate) fn inet_type(address: IpAddr) -> u32 {
    if address.is_ipv4() { 1 } else { 2 }
}

/// The network that an address of a prefix is in.
pub(crate) fn network(address: IpAddr, prefix_length: u8) -> IpAddr {
    match address {
        IpAddr::V4(address) => {
            let host_bits = 32u32.saturating_sub(prefix_length.into());
            let mask = u32::MAX.checked_shl(host_bits).unwrap_or(0);
            IpAddr::V4((address.to_bits() & mask).into())
        }
        IpAddr::V6(address) => {
            let host_bits = 128u32.saturating_sub(prefix_length.into());
            let mask = u128::MAX.checked_shl(host_bits).unwrap_or(0);
            IpAddr::V6((address.to_bits() & mask).into())
        }
    }
}

fn push_octets(index: &mut Vec<u32>, octets: &[u8]) {
    index.push(octets.len() as u32);
    index.extend(octets.iter().map(|octet| u32::from(*octet)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_link_local_addresses_have_a_zone() {
        let check = |address: &str, expected: &[u32]| {
            let mut index = Vec::new();
            push_inet_of_zone(&mut index, address.parse().unwrap(), 258);
            assert_eq!(index, expected, "{address}");
        };
        check("192.0.2.1", &[1, 4, 192, 0, 2, 1]);
        check("::1", &[2, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        let zoned = [4, 20, 254, 128, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 2];
        check("fe80::1", &zoned);
    }

    #[test]
    fn a_network_has_no_host_bits() {
        let check = |address: &str, length, expected: &str| {
            assert_eq!(network(address.parse().unwrap(), length), expected.parse::<IpAddr>().unwrap());
        };
        check("192.0.2.77", 24, "192.0.2.0");
        check("192.0.2.77", 32, "192.0.2.77");
        check("192.0.2.77", 0, "0.0.0.0");
        check("192.0.2.77", 255, "192.0.2.77");
        check("2001:db8::1", 64, "2001:db8::");
        check("2001:db8::1", 0, "::");
        check("2001:db8::1", 128, "2001:db8::1");
    }
}
