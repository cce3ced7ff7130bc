//! Addresses and control data of datagrams in the kernel's layout, read and written as octets: whatever the kernel
//! leaves in a buffer, nothing beyond it is touched.
//!
//! ```text
//! control data:  one or more of  length(8) level(4) type(4) data ... padding to a multiple of 8
//! IP_PKTINFO:    interface(4) local address(4) destination in the header(4)
//! IPV6_PKTINFO:  destination(16) interface(4)
//! TIMESTAMPNS:   seconds(8) nanoseconds(8), on machines of 64 bits
//! sockaddr_in:   family(2) port(2, big-endian) address(4) zeroes(8)
//! sockaddr_in6:  family(2) port(2, big-endian) flow(4, big-endian) address(16) scope(4)
//! ```
//! Numbers are in native byte order unless noted otherwise, and `length` has the machine's word size.

use std::mem::{offset_of, size_of};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV4, SocketAddrV6};

use std::time::Duration;

use libc::{c_int, cmsghdr};

use crate::Local;

/// Octets of the longest control data that is read or written here: one `IPV6_PKTINFO`, with room to spare.
pub const MAX_CONTROL: usize = 64;

/// The local end of a datagram, from its control data: the first `IP_PKTINFO` or `IPV6_PKTINFO` in it. Other
/// control messages are skipped; truncation ends the search.
#[must_use]
pub fn local_in(mut control: &[u8]) -> Local {
    while let Some((level, kind, data, rest)) = split_message(control) {
        let local = match (level, kind) {
            (libc::IPPROTO_IP, libc::IP_PKTINFO) => v4_info(data),
            (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) => v6_info(data),
            _ => None,
        };
        if let Some(local) = local {
            return local;
        }
        control = rest;
    }
    Local::default()
}

/// When a datagram arrived by the system's clock, since 1970, from its control data: the first `SCM_TIMESTAMPNS`.
#[must_use]
pub fn stamp_in(mut control: &[u8]) -> Option<Duration> {
    while let Some((level, kind, data, rest)) = split_message(control) {
        if (level, kind) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
            let (seconds, rest) = data.split_first_chunk::<8>()?;
            let seconds = u64::try_from(i64::from_ne_bytes(*seconds)).ok()?;
            let nanoseconds = u32::try_from(i64::from_ne_bytes(*rest.first_chunk()?)).ok()?;
            return (nanoseconds < 1_000_000_000).then(|| Duration::new(seconds, nanoseconds));
        }
        control = rest;
    }
    None
}

/// The first control message: its level, its type, its data, and what follows it.
fn split_message(control: &[u8]) -> Option<(c_int, c_int, &[u8], &[u8])> {
    let length = usize::from_ne_bytes(*control.first_chunk()?);
    let number = |at: usize| Some(c_int::from_ne_bytes(*control.get(at..)?.first_chunk()?));
    let (level, kind) = (number(LEVEL)?, number(KIND)?);
    let data = control.get(HEADER..length)?;
    let rest = control.get(length.next_multiple_of(ALIGN)..).unwrap_or_default();
    Some((level, kind, data, rest))
}

fn v4_info(data: &[u8]) -> Option<Local> {
    let [a, b, c, d, address @ .., _, _, _, _] = *data.first_chunk::<12>()?;
    Some(Local { address: Some(Ipv4Addr::from(address).into()), interface: u32::from_ne_bytes([a, b, c, d]) })
}

fn v6_info(data: &[u8]) -> Option<Local> {
    let (address, rest) = data.split_first_chunk::<16>()?;
    let interface = u32::from_ne_bytes(*rest.first_chunk()?);
    let address = Ipv6Addr::from(*address);
    // A multicast group cannot be a source address.
    Some(Local { address: (!address.is_multicast()).then_some(address.into()), interface })
}

/// Writes the source address of an answer as control data, and returns its length: 0 if routing chooses it. An
/// IPv4 answer sets the address and leaves the interface to routing, so that asymmetric routes work; an IPv6 one
/// needs the interface if the address is only meaningful on one link.
pub fn write_local(local: &Local, control: &mut [u8; MAX_CONTROL]) -> usize {
    match local.address {
        None => 0,
        Some(IpAddr::V4(ip)) => {
            let mut info = [0; 12];
            info[4..8].copy_from_slice(&ip.octets());
            write_message(control, libc::IPPROTO_IP, libc::IP_PKTINFO, &info)
        }
        Some(IpAddr::V6(ip)) => {
            let interface = if ip.is_unicast_link_local() { local.interface } else { 0 };
            let mut info = [0; 20];
            info[..16].copy_from_slice(&ip.octets());
            info[16..].copy_from_slice(&interface.to_ne_bytes());
            write_message(control, libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &info)
        }
    }
}

fn write_message<const N: usize>(
    control: &mut [u8; MAX_CONTROL],
    level: c_int,
    kind: c_int,
    data: &[u8; N],
) -> usize {
    const { assert!((HEADER + N).next_multiple_of(ALIGN) <= MAX_CONTROL) };
    control[..size_of::<usize>()].copy_from_slice(&(HEADER + N).to_ne_bytes());
    control[LEVEL..LEVEL + 4].copy_from_slice(&level.to_ne_bytes());
    control[KIND..KIND + 4].copy_from_slice(&kind.to_ne_bytes());
    control[HEADER..HEADER + N].copy_from_slice(data);
    (HEADER + N).next_multiple_of(ALIGN)
}

/// The address in a `sockaddr_in` or `sockaddr_in6`; `None` if it is truncated, or of another family.
#[must_use]
pub fn address_in(name: &[u8]) -> Option<SocketAddr> {
    let (family, rest) = name.split_first_chunk()?;
    let (port, rest) = rest.split_first_chunk()?;
    let port = u16::from_be_bytes(*port);
    match c_int::from(libc::sa_family_t::from_ne_bytes(*family)) {
        libc::AF_INET if name.len() >= size_of::<libc::sockaddr_in>() => {
            Some(SocketAddrV4::new(Ipv4Addr::from(*rest.first_chunk::<4>()?), port).into())
        }
        libc::AF_INET6 => {
            let (flow, rest) = rest.split_first_chunk()?;
            let (ip, rest) = rest.split_first_chunk::<16>()?;
            let scope = u32::from_ne_bytes(*rest.first_chunk()?);
            let ip = Ipv6Addr::from(*ip);
            Some(SocketAddrV6::new(ip, port, u32::from_be_bytes(*flow), scope).into())
        }
        _ => None,
    }
}

/// Offsets of the parts of a control message.
const LEVEL: usize = offset_of!(cmsghdr, cmsg_level);
const KIND: usize = offset_of!(cmsghdr, cmsg_type);
/// `CMSG_ALIGN`: the multiple to which the kernel rounds up.
const ALIGN: usize = size_of::<usize>();
const HEADER: usize = size_of::<cmsghdr>().next_multiple_of(ALIGN);

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A control message according to `cmsg(3)`.
    fn message(level: c_int, kind: c_int, data: &[u8]) -> Vec<u8> {
        let mut octets =
            [&(HEADER + data.len()).to_ne_bytes()[..], &level.to_ne_bytes(), &kind.to_ne_bytes()].concat();
        octets.extend_from_slice(data);
        octets.resize(octets.len().next_multiple_of(ALIGN), 0);
        octets
    }

    fn v4() -> Vec<u8> {
        message(libc::IPPROTO_IP, libc::IP_PKTINFO, &[7, 0, 0, 0, 127, 0, 0, 9, 127, 255, 255, 255])
    }

    fn v4_local() -> Local {
        let interface = u32::from_ne_bytes([7, 0, 0, 0]);
        Local { address: Some(Ipv4Addr::new(127, 0, 0, 9).into()), interface }
    }

    #[test]
    fn the_layout_is_the_c_librarys() {
        assert_eq!(size_of::<libc::in_pktinfo>(), 12);
        assert_eq!(size_of::<libc::in6_pktinfo>(), 20);
        assert_eq!(offset_of!(libc::in_pktinfo, ipi_spec_dst), 4);
        assert_eq!(offset_of!(libc::in6_pktinfo, ipi6_ifindex), 16);
        assert_eq!(offset_of!(libc::sockaddr_in6, sin6_addr), 8);
        assert_eq!(offset_of!(libc::sockaddr_in6, sin6_scope_id), 24);
        assert_eq!(local_in(&v4()), v4_local());
    }

    #[test]
    fn a_stamp_is_read_behind_other_messages() {
        let stamp = |seconds: i64, nanoseconds: i64| {
            let data = [seconds.to_ne_bytes(), nanoseconds.to_ne_bytes()].concat();
            message(libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS, &data)
        };
        assert_eq!(stamp_in(&[v4(), stamp(7, 999_999_999)].concat()), Some(Duration::new(7, 999_999_999)));
        for wrong in [stamp(-1, 0), stamp(0, -1), stamp(0, 1_000_000_000), stamp(1, 1)[..24].to_vec(), v4()] {
            assert_eq!(stamp_in(&wrong), None, "{wrong:?}");
        }
    }

    #[test]
    fn other_messages_are_skipped_and_groups_are_not_a_source() {
        let stamp = message(libc::SOL_SOCKET, libc::SCM_TIMESTAMP, &[1; 16]);
        assert_eq!(local_in(&[stamp, v4()].concat()), v4_local());
        let group: Ipv6Addr = "ff02::1".parse().unwrap();
        let info = [&group.octets()[..], &3u32.to_ne_bytes()].concat();
        let found = local_in(&message(libc::IPPROTO_IPV6, libc::IPV6_PKTINFO, &info));
        assert_eq!(found, Local { address: None, interface: 3 });
    }

    #[test]
    fn truncated_messages_and_wrong_lengths_are_ignored() {
        let whole = v4();
        for end in 0..HEADER + 12 {
            assert_eq!(local_in(&whole[..end]), Local::default(), "{end}");
        }
        for length in [0, 1, HEADER - 1, HEADER, HEADER + 11, whole.len() + 1, usize::MAX] {
            let mut lying = whole.clone();
            lying[..ALIGN].copy_from_slice(&length.to_ne_bytes());
            assert_eq!(local_in(&lying), Local::default(), "{length}");
        }
    }

    #[test]
    fn addresses_are_read_whole_or_not_at_all() {
        let family = libc::AF_INET as libc::sa_family_t;
        let mut v4 = [&family.to_ne_bytes()[..], &[0, 161, 192, 0, 2, 1]].concat();
        assert_eq!(address_in(&v4), None);
        v4.resize(16, 0);
        assert_eq!(address_in(&v4), Some("192.0.2.1:161".parse().unwrap()));
        let family = libc::AF_INET6 as libc::sa_family_t;
        let ip: Ipv6Addr = "fe80::1".parse().unwrap();
        let v6 =
            [&family.to_ne_bytes()[..], &[0, 161, 0, 0, 0, 5], &ip.octets(), &2u32.to_ne_bytes()].concat();
        assert_eq!(address_in(&v6), Some(SocketAddrV6::new(ip, 161, 5, 2).into()));
        assert_eq!(address_in(&v6[..27]), None);
        assert_eq!(address_in(&[]), None);
        v4[..2].copy_from_slice(&(libc::AF_UNIX as libc::sa_family_t).to_ne_bytes());
        assert_eq!(address_in(&v4), None);
    }

    proptest! {
        #[test]
        fn written_values_are_parsed_back(ip in any::<IpAddr>(), interface in any::<u32>(), before in any::<u8>()) {
            let mut control = [before; MAX_CONTROL];
            let local = Local { address: Some(ip), interface };
            let length = write_local(&local, &mut control);
            let read = local_in(&control[..length]);
            let is_group = matches!(ip, IpAddr::V6(ip) if ip.is_multicast());
            prop_assert_eq!(read.address, (!is_group).then_some(ip));
            let scoped = matches!(ip, IpAddr::V6(ip) if ip.is_unicast_link_local());
            prop_assert_eq!(read.interface, if scoped { interface } else { 0 });
        }

        #[test]
        fn no_octets_make_it_panic(octets in proptest::collection::vec(any::<u8>(), 0..96)) {
            let _ = (local_in(&octets), address_in(&octets));
        }
    }
}
