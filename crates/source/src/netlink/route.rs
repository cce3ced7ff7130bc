//! RTM_NEWROUTE: a route, with all its next hops.
//!
//! ```text
//! struct rtmsg     { u8 family, dst_len, src_len, tos, table, protocol, scope, type; u32 flags; }  then attributes
//! struct rtnexthop { u16 len; u8 flags, hops; i32 ifindex; }  then attributes
//! ```

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::Message;
use super::attribute::{AF_INET, AF_INET6, attributes, ip_at, push, u8_at, u16_at, u32_at};

pub const RTM_NEWROUTE: u16 = 24;
pub const RTM_DELROUTE: u16 = 25;
pub const RTM_GETROUTE: u16 = 26;

/// A route of IPv4 or IPv6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Route<'a> {
    /// The destination prefix.
    pub destination: IpAddr,
    pub prefix_length: u8,
    pub tos: u8,
    /// RT_TABLE_
    pub table: u32,
    /// RTPROT_, its creator.
    pub protocol: u8,
    /// RTN_, its type.
    pub kind: u8,
    /// The lower, the better.
    pub priority: u32,
    /// The router preference of RFC 4191 in its own coding: 0 medium, 1 high, 3 low.
    pub preference: u8,
    /// How long it stays, in hundredths of a second; 0 is for ever.
    pub expires: u32,
    first: NextHop,
    /// `struct rtnexthop` one after the other, if there are several.
    several: &'a [u8],
}

/// Where a datagram goes next.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NextHop {
    /// ifIndex; 0 where the route leads nowhere.
    pub interface: u32,
    /// `None`: the destination is on the link.
    pub gateway: Option<IpAddr>,
}

impl<'a> Route<'a> {
    /// Reads RTM_NEWROUTE of IPv4 and IPv6.
    pub fn parse(message: Message<'a>) -> Option<Self> {
        let body = message.body;
        let family = u8_at(body, 0).filter(|_| message.kind == RTM_NEWROUTE)?;
        let mut route = Route {
            destination: match family {
                AF_INET => IpAddr::V4(Ipv4Addr::UNSPECIFIED),
                AF_INET6 => IpAddr::V6(Ipv6Addr::UNSPECIFIED),
                _ => return None,
            },
            prefix_length: u8_at(body, 1)?,
            tos: u8_at(body, 3)?,
            table: u8_at(body, 4)?.into(),
            protocol: u8_at(body, 5)?,
            kind: u8_at(body, 7)?,
            priority: 0,
            preference: 0,
            expires: 0,
            first: NextHop::default(),
            several: &[],
        };
        for (kind, value) in attributes(body.get(12..)?) {
            match kind {
                RTA_DST => route.destination = ip_at(family, value)?,
                RTA_PRIORITY => route.priority = u32_at(value, 0)?,
                RTA_TABLE => route.table = u32_at(value, 0)?,
                RTA_OIF => route.first.interface = u32_at(value, 0)?,
                RTA_PREF => route.preference = u8_at(value, 0)?,
                RTA_CACHEINFO => route.expires = u32_at(value, 8).unwrap_or(0),
                RTA_MULTIPATH => route.several = value,
                RTA_GATEWAY | RTA_VIA => route.first.gateway = gateway(family, kind, value),
                _ => {}
            }
        }
        Some(route)
    }

    /// Its next hops, at least one.
    pub fn next_hops(&self) -> impl Iterator<Item = NextHop> + use<'a> {
        let single = self.several.is_empty().then_some(self.first);
        let family = if self.destination.is_ipv4() { AF_INET } else { AF_INET6 };
        let mut rest = self.several;
        let several = std::iter::from_fn(move || {
            let length = usize::from(u16_at(rest, 0)?);
            let mut hop = NextHop { interface: u32_at(rest, 4)?, gateway: None };
            for (kind, value) in attributes(rest.get(8..length)?) {
                if matches!(kind, RTA_GATEWAY | RTA_VIA) {
                    hop.gateway = gateway(family, kind, value);
                }
            }
            rest = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
            Some(hop)
        });
        single.into_iter().chain(several)
    }
}

/// The body of RTM_NEWROUTE and RTM_DELROUTE for a static route of the main table with one next hop, of this kind.
pub fn body(destination: IpAddr, prefix_length: u8, kind: u8, hop: NextHop) -> Vec<u8> {
    let octets = |address: IpAddr| match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    };
    let family = if destination.is_ipv4() { AF_INET } else { AF_INET6 };
    let is_on_link = destination.is_ipv4() && kind == RTN_UNICAST && hop.gateway.is_none();
    let scope = if is_on_link { RT_SCOPE_LINK } else { RT_SCOPE_UNIVERSE };
    let mut body =
        vec![family, prefix_length, 0, 0, RT_TABLE_MAIN as u8, RTPROT_STATIC, scope, kind, 0, 0, 0, 0];
    push(&mut body, RTA_DST, &octets(destination));
    if let Some(gateway) = hop.gateway {
        push(&mut body, RTA_GATEWAY, &octets(gateway));
    }
    if hop.interface != 0 {
        push(&mut body, RTA_OIF, &hop.interface.to_ne_bytes());
    }
    body
}

/// The body of RTM_NEWROUTE that makes a route again which the kernel has reported: without what only it reports.
pub fn again(reported: &[u8]) -> Vec<u8> {
    let mut body = reported.get(..12).unwrap_or_default().to_vec();
    if let Some(flags) = body.get_mut(8..12) {
        let kept = u32_at(flags, 0).unwrap_or(0) & RTNH_F_ONLINK;
        flags.copy_from_slice(&kept.to_ne_bytes());
    }
    for (kind, value) in attributes(reported.get(12..).unwrap_or_default()) {
        if kind != RTA_CACHEINFO {
            push(&mut body, kind, value);
        }
    }
    body
}

/// RTA_VIA begins with its own family: IPv4 by way of an IPv6 router.
fn gateway(family: u8, kind: u16, value: &[u8]) -> Option<IpAddr> {
    match kind {
        RTA_VIA => ip_at(u8::try_from(u16_at(value, 0)?).ok()?, value.get(2..)?),
        _ => ip_at(family, value),
    }
}

/// The table that routes are in by default.
pub const RT_TABLE_MAIN: u32 = 254;
/// This machine's own addresses.
pub const RT_TABLE_LOCAL: u32 = 255;
/// Made by the kernel.
pub const RTPROT_KERNEL: u8 = 2;
/// The gateway is on the link, whatever addresses that has.
const RTNH_F_ONLINK: u32 = 4;

pub const RTN_UNICAST: u8 = 1;
pub const RTN_LOCAL: u8 = 2;
pub const RTN_BROADCAST: u8 = 3;
pub const RTN_ANYCAST: u8 = 4;
pub const RTN_MULTICAST: u8 = 5;
pub const RTN_BLACKHOLE: u8 = 6;
pub const RTN_UNREACHABLE: u8 = 7;
pub const RTN_PROHIBIT: u8 = 8;

/// Who made it: an administrator.
pub const RTPROT_STATIC: u8 = 4;

const RT_SCOPE_UNIVERSE: u8 = 0;
const RT_SCOPE_LINK: u8 = 253;

const RTA_DST: u16 = 1;
const RTA_OIF: u16 = 4;
const RTA_GATEWAY: u16 = 5;
const RTA_PRIORITY: u16 = 6;
const RTA_MULTIPATH: u16 = 9;
const RTA_CACHEINFO: u16 = 12;
const RTA_TABLE: u16 = 15;
const RTA_VIA: u16 = 18;
const RTA_PREF: u16 = 20;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut body = vec![AF_INET, 24, 0, 0, 254, 4, 0, RTN_UNICAST, 0, 0, 0, 0];
        push(&mut body, RTA_DST, &[198, 51, 100, 0]);
        push(&mut body, RTA_PRIORITY, &20u32.to_ne_bytes());
        let mut hops = Vec::new();
        for (interface, last) in [(3u32, 1u8), (4, 2)] {
            let mut attributes = Vec::new();
            push(&mut attributes, RTA_GATEWAY, &[192, 0, 2, last]);
            hops.extend_from_slice(&(attributes.len() as u16 + 8).to_ne_bytes());
            hops.extend_from_slice(&[0, 0]);
            hops.extend_from_slice(&interface.to_ne_bytes());
            hops.extend_from_slice(&attributes);
        }
        push(&mut body, RTA_MULTIPATH, &hops);
        body
    }

    #[test]
    fn reads_every_next_hop() {
        let body = sample();
        let route = Route::parse(Message { kind: RTM_NEWROUTE, body: &body }).unwrap();
        assert_eq!((route.destination, route.prefix_length), (IpAddr::from([198, 51, 100, 0]), 24));
        assert_eq!((route.table, route.priority, route.protocol), (RT_TABLE_MAIN, 20, 4));
        let hop = |interface, last| NextHop { interface, gateway: Some(IpAddr::from([192, 0, 2, last])) };
        assert_eq!(route.next_hops().collect::<Vec<_>>(), [hop(3, 1), hop(4, 2)]);
    }

    #[test]
    fn ipv4_may_go_by_way_of_ipv6() {
        let mut body = vec![AF_INET, 0, 0, 0, 254, 4, 0, RTN_UNICAST, 0, 0, 0, 0];
        let router: Ipv6Addr = "fe80::1".parse().unwrap();
        let mut via = u16::from(AF_INET6).to_ne_bytes().to_vec();
        via.extend_from_slice(&router.octets());
        push(&mut body, RTA_VIA, &via);
        let route = Route::parse(Message { kind: RTM_NEWROUTE, body: &body }).unwrap();
        assert_eq!(route.next_hops().next().unwrap().gateway, Some(IpAddr::V6(router)));
    }

    proptest! {
        #[test]
        fn what_is_requested_is_what_is_read(v4: [u8; 4], v6: [u8; 16], length in 0u8..=32, interface: u32, near: bool) {
            for destination in [IpAddr::from(v4), IpAddr::from(v6)] {
                let hop = NextHop { interface, gateway: near.then_some(destination) };
                let body = body(destination, length, RTN_UNICAST, hop);
                let route = Route::parse(Message { kind: RTM_NEWROUTE, body: &body }).unwrap();
                prop_assert_eq!((route.destination, route.prefix_length), (destination, length));
                prop_assert_eq!((route.table, route.protocol, route.kind), (RT_TABLE_MAIN, 4, RTN_UNICAST));
                prop_assert_eq!(route.next_hops().collect::<Vec<_>>(), [hop]);
            }
        }

        #[test]
        fn cut_and_damaged_messages_do_not_panic(cut in 0usize..80, at in 0usize..80, octet: u8) {
            let mut body = sample();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            if let Some(route) = Route::parse(Message { kind: RTM_NEWROUTE, body: &body }) {
                prop_assert!(route.next_hops().count() <= 3);
            }
        }
    }
}
