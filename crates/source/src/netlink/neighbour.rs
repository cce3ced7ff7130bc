//! RTM_NEWNEIGH: a neighbour's link-layer address, from ARP or neighbour
//! discovery; RTM_NEWNEIGHTBL: how these two work on an interface.
//!
//! ```text
//! struct ndmsg  { u8 family, pad; u16 pad; i32 ifindex; u16 state; u8 flags, type; }  then attributes
//! struct ndtmsg { u8 family, pad; u16 pad; }  then attributes
//! ```

use std::net::IpAddr;

use super::Message;
use super::attribute::{attributes, find, ip_at, u8_at, u16_at, u32_at, u64_at};

pub const RTM_NEWNEIGH: u16 = 28;
pub const RTM_GETNEIGH: u16 = 30;
pub const RTM_NEWNEIGHTBL: u16 = 64;
pub const RTM_GETNEIGHTBL: u16 = 66;

/// A neighbour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Neighbour<'a> {
    /// ifIndex.
    pub interface: u32,
    pub address: IpAddr,
    /// Empty while it is not known.
    pub link_address: &'a [u8],
    /// NUD_ state.
    pub state: u16,
    /// How long ago it was last changed, in hundredths of a second.
    pub age: u32,
}

pub const NUD_INCOMPLETE: u16 = 0x01;
pub const NUD_REACHABLE: u16 = 0x02;
pub const NUD_STALE: u16 = 0x04;
pub const NUD_DELAY: u16 = 0x08;
pub const NUD_PROBE: u16 = 0x10;
pub const NUD_FAILED: u16 = 0x20;
pub const NUD_NOARP: u16 = 0x40;
pub const NUD_PERMANENT: u16 = 0x80;

impl<'a> Neighbour<'a> {
    /// Reads RTM_NEWNEIGH of IPv4 and IPv6.
    pub fn parse(message: Message<'a>) -> Option<Self> {
        let body = message.body;
        let family = u8_at(body, 0).filter(|_| message.kind == RTM_NEWNEIGH)?;
        let (mut address, mut link_address, mut age) = (None, &[][..], 0);
        for (kind, value) in attributes(body.get(12..)?) {
            match kind {
                NDA_DST => address = ip_at(family, value),
                NDA_LLADDR => link_address = value,
                NDA_CACHEINFO => age = u32_at(value, 8).unwrap_or(0), // confirmed, used, updated
                _ => {}
            }
        }
        Some(Neighbour {
            interface: u32_at(body, 4)?,
            address: address?,
            link_address,
            state: u16_at(body, 8)?,
            age,
        })
    }
}

/// ARP (of IPv4) on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NeighbourTable {
    /// AF_INET or AF_INET6.
    pub family: u8,
    /// ifIndex.
    pub interface: u32,
    pub retransmit_milliseconds: u64,
}

impl NeighbourTable {
    /// Reads RTM_NEWNEIGHTBL; the table's defaults, which belong to no interface, are left out.
    pub fn parse(message: Message<'_>) -> Option<Self> {
        let body = message.body;
        let family = u8_at(body, 0).filter(|_| message.kind == RTM_NEWNEIGHTBL)?;
        let settings = find(body.get(4..)?, NDTA_PARMS)?;
        Some(NeighbourTable {
            family,
            interface: u32_at(find(settings, NDTPA_IFINDEX)?, 0)?,
            retransmit_milliseconds: u64_at(find(settings, NDTPA_RETRANS_TIME)?, 0)?,
        })
    }
}

const NDA_DST: u16 = 1;
const NDA_LLADDR: u16 = 2;
const NDA_CACHEINFO: u16 = 3;
const NDTA_PARMS: u16 = 6;
const NDTPA_IFINDEX: u16 = 1;
const NDTPA_RETRANS_TIME: u16 = 5;

#[cfg(test)]
mod tests {
    use super::super::attribute::push;
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut body = vec![2, 0, 0, 0];
        body.extend_from_slice(&4u32.to_ne_bytes());
        body.extend_from_slice(&NUD_STALE.to_ne_bytes());
        body.extend_from_slice(&[0, 1]);
        push(&mut body, NDA_DST, &[192, 0, 2, 2]);
        push(&mut body, NDA_LLADDR, &[2, 0, 0, 0, 0, 2]);
        let times: Vec<u8> = [1u32, 2, 300, 0].iter().flat_map(|time| time.to_ne_bytes()).collect();
        push(&mut body, NDA_CACHEINFO, &times);
        body
    }

    #[test]
    fn reads_a_neighbour() {
        let body = sample();
        let neighbour = Neighbour::parse(Message { kind: RTM_NEWNEIGH, body: &body }).unwrap();
        assert_eq!((neighbour.interface, neighbour.address), (4, IpAddr::from([192, 0, 2, 2])));
        assert_eq!((neighbour.link_address, neighbour.state), (&[2, 0, 0, 0, 0, 2][..], NUD_STALE));
        assert_eq!(neighbour.age, 300);
    }

    proptest! {
        #[test]
        fn cut_and_damaged_messages_do_not_panic(cut in 0usize..60, at in 0usize..60, octet: u8) {
            let mut body = sample();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            let _ = Neighbour::parse(Message { kind: RTM_NEWNEIGH, body: &body });
            let _ = NeighbourTable::parse(Message { kind: RTM_NEWNEIGHTBL, body: &body });
        }
    }
}
