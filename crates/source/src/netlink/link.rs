//! RTM_NEWLINK: one interface, as reported by the kernel.
//!
//! ```text
//! struct ifinfomsg { u8 family, pad; u16 type; i32 index; u32 flags; u32 change; }  then attributes
//! ```

use super::Message;
use super::attribute::{attributes, find, push, text, u8_at, u16_at, u32_at, u64_at};

pub const RTM_NEWLINK: u16 = 16;
pub const RTM_DELLINK: u16 = 17;
pub const RTM_GETLINK: u16 = 18;
pub const RTM_NEWSTATS: u16 = 92;
pub const RTM_GETSTATS: u16 = 94;

/// An interface. Anything that the kernel did not report is empty, zero or `None`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Link<'a> {
    /// The kernel's index, which is ifIndex.
    pub index: u32,
    /// ARPHRD_, the hardware type.
    pub hardware: u16,
    /// IFF_ flags.
    pub flags: u32,
    pub name: &'a [u8],
    pub alias: &'a [u8],
    pub address: &'a [u8],
    pub broadcast: &'a [u8],
    pub mtu: u32,
    /// IF_OPER_, RFC 2863 states in the kernel's numbers.
    pub oper_state: u8,
    /// The driver's kind, such as `bridge`, `veth`; empty for hardware and loopback.
    pub kind: &'a [u8],
    /// The interface below (or, for veth, the other end), if it is in this namespace.
    pub link: Option<u32>,
    /// The bridge, bond or the like that this interface is a member of.
    pub master: Option<u32>,
    /// How often the carrier came or went.
    pub carrier_changes: u32,
    /// How many users have requested promiscuous mode.
    pub promiscuity: u32,
    pub counters: LinkCounters,
}

/// The part of `struct rtnl_link_stats64` that the MIB shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LinkCounters {
    pub rx_packets: u64,
    pub tx_packets: u64,
    pub rx_bytes: u64,
    pub tx_bytes: u64,
    pub rx_errors: u64,
    pub tx_errors: u64,
    pub rx_dropped: u64,
    pub tx_dropped: u64,
    pub multicast: u64,
    pub rx_length_errors: u64,
    pub rx_crc_errors: u64,
    pub rx_frame_errors: u64,
    pub rx_fifo_errors: u64,
    pub rx_missed_errors: u64,
    pub tx_aborted_errors: u64,
    pub tx_carrier_errors: u64,
    pub tx_fifo_errors: u64,
    pub tx_heartbeat_errors: u64,
    pub tx_window_errors: u64,
    pub rx_nohandler: u64,
}

/// Administratively up.
pub const IFF_UP: u32 = 0x1;
/// There is a carrier.
pub const IFF_LOWER_UP: u32 = 0x1_0000;
/// Receives every packet on the wire.
pub const IFF_PROMISC: u32 = 0x100;

/// The body of a dump request: every family, without the slow IPv6 counters of IFLA_AF_SPEC
/// (RTEXT_FILTER_SKIP_STATS leaves IFLA_STATS64 in).
pub const DUMP_BODY: [u8; 24] = {
    let (length, kind) = (8u16.to_ne_bytes(), IFLA_EXT_MASK.to_ne_bytes());
    let mask = RTEXT_FILTER_SKIP_STATS.to_ne_bytes();
    let mut body = [0; 24];
    (body[16], body[17], body[18], body[19]) = (length[0], length[1], kind[0], kind[1]);
    (body[20], body[21], body[22], body[23]) = (mask[0], mask[1], mask[2], mask[3]);
    body
};

/// The body of a dump request for counters: `struct if_stats_msg { u8 family; u8, u16 pad; u32 index, filter; }`.
pub const COUNTERS_DUMP_BODY: [u8; 12] = {
    let filter = (1u32 << (IFLA_STATS_LINK_64 - 1)).to_ne_bytes();
    [0, 0, 0, 0, 0, 0, 0, 0, filter[0], filter[1], filter[2], filter[3]]
};

impl<'a> Link<'a> {
    /// Parses RTM_NEWLINK and RTM_DELLINK. `None` for other messages, and for those about a bridge's port or a
    /// wireless event, which do not concern the interface itself.
    pub fn parse(message: Message<'a>) -> Option<Self> {
        let body = message.body;
        let of_interface = matches!(message.kind, RTM_NEWLINK | RTM_DELLINK) && u8_at(body, 0)? == AF_UNSPEC;
        let mut link = Link {
            index: u32_at(body, 4).filter(|index| of_interface && (1..=MAX_INDEX).contains(index))?,
            hardware: u16_at(body, 2)?,
            flags: u32_at(body, 8)?,
            ..Link::default()
        };
        let mut elsewhere = false;
        for (kind, value) in attributes(body.get(16..)?) {
            match kind {
                IFLA_WIRELESS => return None,
                IFLA_LINK_NETNSID => elsewhere = true,
                _ => link.take(kind, value),
            }
        }
        if link.hardware == ARPHRD_LOOPBACK {
            // The kernel says zeros. RFC 2863, ifPhysAddress: an interface without an address has an empty one.
            (link.address, link.broadcast) = (&[], &[]);
        }
        link.link = link.link.filter(|below| !elsewhere && *below != 0 && *below != link.index);
        link.master = link.master.filter(|master| *master != 0);
        Some(link)
    }

    fn take(&mut self, kind: u16, value: &'a [u8]) {
        match kind {
            IFLA_ADDRESS => self.address = value,
            IFLA_BROADCAST => self.broadcast = value,
            IFLA_IFNAME => self.name = text(value),
            IFLA_MTU => self.mtu = u32_at(value, 0).unwrap_or(0),
            IFLA_LINK => self.link = self.link.or(u32_at(value, 0)),
            IFLA_MASTER => self.master = u32_at(value, 0),
            IFLA_OPERSTATE => self.oper_state = u8_at(value, 0).unwrap_or(0),
            IFLA_LINKINFO => {
                self.kind = find(value, IFLA_INFO_KIND).map_or(&[], text);
                // A VXLAN lists its underlying interface only among its own settings.
                let carrier = find(value, IFLA_INFO_DATA).filter(|_| self.kind == b"vxlan");
                let carrier = carrier.and_then(|data| find(data, IFLA_VXLAN_LINK)).and_then(|v| u32_at(v, 0));
                self.link = carrier.or(self.link);
            }
            IFLA_IFALIAS => self.alias = text(value),
            IFLA_STATS64 => self.counters = LinkCounters::parse(value),
            IFLA_PROMISCUITY => self.promiscuity = u32_at(value, 0).unwrap_or(0),
            IFLA_CARRIER_CHANGES => self.carrier_changes = u32_at(value, 0).unwrap_or(0),
            _ => {}
        }
    }
}

impl LinkCounters {
    /// Reads RTM_NEWSTATS: the interface and its counters.
    pub fn of_message(message: Message<'_>) -> Option<(u32, Self)> {
        let index = u32_at(message.body, 4).filter(|_| message.kind == RTM_NEWSTATS)?;
        let counters = find(message.body.get(12..)?, IFLA_STATS_LINK_64)?;
        Some((index, LinkCounters::parse(counters)))
    }

    /// Counters that an older kernel does not have are zero.
    fn parse(value: &[u8]) -> Self {
        let field = |position: usize| u64_at(value, position * 8).unwrap_or(0);
        LinkCounters {
            rx_packets: field(0),
            tx_packets: field(1),
            rx_bytes: field(2),
            tx_bytes: field(3),
            rx_errors: field(4),
            tx_errors: field(5),
            rx_dropped: field(6),
            tx_dropped: field(7),
            multicast: field(8),
            rx_length_errors: field(10),
            rx_crc_errors: field(12),
            rx_frame_errors: field(13),
            rx_fifo_errors: field(14),
            rx_missed_errors: field(15),
            tx_aborted_errors: field(16),
            tx_carrier_errors: field(17),
            tx_fifo_errors: field(18),
            tx_heartbeat_errors: field(19),
            tx_window_errors: field(20),
            rx_nohandler: field(23),
        }
    }
}

/// The body of RTM_NEWLINK that sets an existing interface up or down.
pub fn set_up_body(index: u32, up: bool) -> Vec<u8> {
    header(index, if up { IFF_UP } else { 0 }, IFF_UP)
}

/// The body of RTM_NEWLINK that gives an existing interface an alias; an empty one removes it.
pub fn set_alias_body(index: u32, alias: &[u8]) -> Vec<u8> {
    let mut body = header(index, 0, 0);
    push(&mut body, IFLA_IFALIAS, alias);
    body
}

/// The body of RTM_NEWLINK that changes the longest packet of an existing interface.
pub fn set_mtu_body(index: u32, mtu: u32) -> Vec<u8> {
    let mut body = header(index, 0, 0);
    push(&mut body, IFLA_MTU, &mtu.to_ne_bytes());
    body
}

/// The body of RTM_GETLINK for one interface, by its index or, if that is 0, by its name.
pub fn get_body(index: u32, name: &[u8]) -> Vec<u8> {
    let mut body = header(index, 0, 0);
    if index == 0 {
        push(&mut body, IFLA_IFNAME, &[name, &[0]].concat());
    }
    push(&mut body, IFLA_EXT_MASK, &RTEXT_FILTER_SKIP_STATS.to_ne_bytes());
    body
}

/// Octets of the longest name of an interface.
pub const MOST_NAME: usize = 15;

fn header(index: u32, flags: u32, change: u32) -> Vec<u8> {
    let mut body = vec![AF_UNSPEC, 0, 0, 0];
    [index, flags, change].iter().for_each(|field| body.extend_from_slice(&field.to_ne_bytes()));
    body
}

const AF_UNSPEC: u8 = 0;
/// InterfaceIndex ends here, as does the kernel's int.
pub const MAX_INDEX: u32 = i32::MAX as u32;
const RTEXT_FILTER_SKIP_STATS: u32 = 1 << 3;

const IFLA_ADDRESS: u16 = 1;
const IFLA_BROADCAST: u16 = 2;
const IFLA_IFNAME: u16 = 3;
const IFLA_MTU: u16 = 4;
const IFLA_LINK: u16 = 5;
const IFLA_MASTER: u16 = 10;
const IFLA_WIRELESS: u16 = 11;
const IFLA_OPERSTATE: u16 = 16;
const IFLA_LINKINFO: u16 = 18;
const IFLA_IFALIAS: u16 = 20;
const IFLA_STATS64: u16 = 23;
const IFLA_EXT_MASK: u16 = 29;
const IFLA_PROMISCUITY: u16 = 30;
const IFLA_CARRIER_CHANGES: u16 = 35;
const IFLA_LINK_NETNSID: u16 = 37;
const IFLA_INFO_KIND: u16 = 1;
const IFLA_INFO_DATA: u16 = 2;
const IFLA_VXLAN_LINK: u16 = 3;
const IFLA_STATS_LINK_64: u16 = 1;

/// Hardware types (linux/if_arp.h): Ethernet's frames.
pub const ARPHRD_ETHER: u16 = 1;
/// Loopback.
pub const ARPHRD_LOOPBACK: u16 = 772;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut body = header(7, IFF_UP | IFF_LOWER_UP, 0);
        body[2..4].copy_from_slice(&1u16.to_ne_bytes());
        push(&mut body, IFLA_IFNAME, b"br0\0");
        push(&mut body, IFLA_MTU, &1500u32.to_ne_bytes());
        push(&mut body, IFLA_OPERSTATE, &[6]);
        let mut info = Vec::new();
        push(&mut info, IFLA_INFO_KIND, b"bridge\0");
        push(&mut body, IFLA_LINKINFO, &info);
        let counters: Vec<u8> = (1u64..=24).flat_map(u64::to_ne_bytes).collect();
        push(&mut body, IFLA_STATS64, &counters);
        body
    }

    #[test]
    fn reads_an_interface() {
        let body = sample();
        let link = Link::parse(Message { kind: RTM_NEWLINK, body: &body }).unwrap();
        assert_eq!((link.index, link.hardware, link.mtu, link.oper_state), (7, 1, 1500, 6));
        assert_eq!((link.name, link.kind), (&b"br0"[..], &b"bridge"[..]));
        assert_eq!((link.counters.rx_packets, link.counters.rx_nohandler), (1, 24));
        let counters = link.counters;
        let errors = [
            counters.rx_length_errors,
            counters.rx_crc_errors,
            counters.rx_frame_errors,
            counters.rx_fifo_errors,
        ];
        assert_eq!(errors, [11, 13, 14, 15]);
        let errors = [counters.tx_aborted_errors, counters.tx_carrier_errors, counters.tx_fifo_errors];
        assert_eq!(errors, [17, 18, 19]);
        assert_eq!((counters.tx_heartbeat_errors, counters.tx_window_errors), (20, 21));
        assert_eq!((link.link, link.master), (None, None));
    }

    #[test]
    fn loopback_has_no_address() {
        let address = |hardware: u16| {
            let mut body = sample();
            body[2..4].copy_from_slice(&hardware.to_ne_bytes());
            push(&mut body, IFLA_ADDRESS, &[0; 6]);
            push(&mut body, IFLA_BROADCAST, &[0; 6]);
            let link = Link::parse(Message { kind: RTM_NEWLINK, body: &body }).unwrap();
            (link.address.len(), link.broadcast.len())
        };
        assert_eq!([1, ARPHRD_LOOPBACK].map(address), [(6, 6), (0, 0)]);
    }

    #[test]
    fn a_bridge_port_message_is_not_the_interface() {
        let mut body = sample();
        body[0] = 7; // AF_BRIDGE: RTM_DELLINK then means that the port left the bridge
        assert!(Link::parse(Message { kind: RTM_DELLINK, body: &body }).is_none());
    }

    proptest! {
        #[test]
        fn cut_and_damaged_messages_do_not_panic(cut in 0usize..300, at in 0usize..300, octet: u8) {
            let mut body = sample();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            let _ = Link::parse(Message { kind: RTM_NEWLINK, body: &body });
            let _ = LinkCounters::of_message(Message { kind: RTM_NEWSTATS, body: &body });
        }
    }
}
