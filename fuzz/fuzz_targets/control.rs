//! The kernel's control data of a datagram: control messages and addresses, truncated, of any length, in any
//! order. They are parsed as by the C library's macros, and nothing beyond them is touched.
#![no_main]

use std::mem;
use std::net::{IpAddr, SocketAddr};

use libfuzzer_sys::fuzz_target;
use trunkline_datagrams::Local;
use trunkline_datagrams::control::{MAX_CONTROL, address_in, local_in, stamp_in};

fuzz_target!(|octets: &[u8]| {
    check_local(octets);
    check_address(octets);
});

fn check_local(octets: &[u8]) {
    // The length in a header is a machine word: few inputs would have six zero octets in the right place.
    let mut short = octets.to_vec();
    if let Some(wide) = short.get_mut(2..mem::size_of::<usize>()) {
        wide.fill(0);
    }
    for control in [octets, &short[..]] {
        let whole = &control[..(control.len() & !(mem::align_of::<libc::cmsghdr>() - 1)).min(MAX_CONTROL)];
        let local = local_in(whole);
        assert_eq!(local, by_the_macros(whole));
        if let Some(address) = local.address {
            let holds = |part: &[u8]| whole.windows(part.len()).any(|window| window == part);
            assert!(match address {
                IpAddr::V4(ip) => holds(&ip.octets()),
                IpAddr::V6(ip) => holds(&ip.octets()) && !ip.is_multicast(),
            });
        }
        let _ = local_in(control);
        assert!(
            stamp_in(control).is_none_or(|stamp| control.len() >= 32 && stamp.subsec_nanos() < 1_000_000_000)
        );
    }
}

/// The same with the structures and macros of the C library.
fn by_the_macros(octets: &[u8]) -> Local {
    let mut buffer = [0_u64; MAX_CONTROL / 8];
    let start: *mut u8 = buffer.as_mut_ptr().cast();
    let mut at = 0;
    // SAFETY: the buffer has as many octets, and is aligned for a `cmsghdr` wherever a message begins; the macros
    // return pointers inside it, and the data is read unaligned, after its length was compared.
    unsafe {
        start.copy_from_nonoverlapping(octets.as_ptr(), octets.len());
        while at < octets.len() {
            let mut header: libc::msghdr = mem::zeroed();
            header.msg_control = start.add(at).cast();
            header.msg_controllen = (octets.len() - at) as _;
            let message = libc::CMSG_FIRSTHDR(&raw const header);
            if message.is_null() {
                break;
            }
            let length = (*message).cmsg_len as usize;
            if length < libc::CMSG_LEN(0) as usize || length > octets.len() - at {
                break;
            }
            let data = libc::CMSG_DATA(message);
            let has = |size: usize| length >= libc::CMSG_LEN(size as u32) as usize;
            match ((*message).cmsg_level, (*message).cmsg_type) {
                (libc::IPPROTO_IP, libc::IP_PKTINFO) if has(mem::size_of::<libc::in_pktinfo>()) => {
                    let info = data.cast::<libc::in_pktinfo>().read_unaligned();
                    let address = IpAddr::from(info.ipi_spec_dst.s_addr.to_ne_bytes());
                    return Local { address: Some(address), interface: info.ipi_ifindex as u32 };
                }
                (libc::IPPROTO_IPV6, libc::IPV6_PKTINFO) if has(mem::size_of::<libc::in6_pktinfo>()) => {
                    let info = data.cast::<libc::in6_pktinfo>().read_unaligned();
                    let address = IpAddr::from(info.ipi6_addr.s6_addr);
                    let address = (!address.is_multicast()).then_some(address);
                    return Local { address, interface: info.ipi6_ifindex as u32 };
                }
                _ => {}
            }
            at += length.next_multiple_of(mem::align_of::<libc::cmsghdr>());
        }
    }
    Local::default()
}

fn check_address(octets: &[u8]) {
    let Some(address) = address_in(octets) else { return };
    let needed = if address.is_ipv4() { 16 } else { 28 };
    assert_eq!(address_in(&octets[..needed]), Some(address));
    assert_eq!(address_in(&octets[..needed - 1]), None);
    assert_eq!(octets[2..4], address.port().to_be_bytes());
    match address {
        SocketAddr::V4(v4) => assert_eq!(octets[4..8], v4.ip().octets()),
        SocketAddr::V6(v6) => assert_eq!(octets[8..24], v6.ip().octets()),
    }
}
