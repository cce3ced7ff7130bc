//! Linux bridges: their settings and ports in RTM_NEWLINK, VLANs of ports in RTM_NEWLINK of AF_BRIDGE, and the addresses that they know in
//! RTM_NEWNEIGH of AF_BRIDGE.
//!
//! ```text
//! struct ndmsg            { u8 family, pad; u16 pad; i32 ifindex; u16 state; u8 flags, type; }  then attributes
//! struct bridge_vlan_info { u16 flags, vid; }
//! ```

use super::Message;
use super::attribute::{attributes, find, text, u8_at, u16_at, u32_at};
use super::link::{Link, RTM_NEWLINK};
use super::neighbour::{NUD_NOARP, NUD_PERMANENT, RTM_NEWNEIGH};

/// A bridge. Times are hundredths of a second.
#[derive(Clone, Copy, Debug)]
pub struct Bridge<'a> {
    pub link: Link<'a>,
    pub forward_delay: u32,
    pub hello_time: u32,
    pub max_age: u32,
    pub ageing_time: u32,
    /// 0: no spanning tree; 1: the kernel's; 2: that of a program.
    pub stp_state: u32,
    pub priority: u16,
    pub vlan_filtering: bool,
    pub root_id: [u8; 8],
    pub bridge_id: [u8; 8],
    /// The number of the port that leads to the root, 0 on the root.
    pub root_port: u16,
    pub root_path_cost: u32,
}

/// A port of a bridge.
#[derive(Clone, Copy, Debug)]
pub struct BridgePort<'a> {
    pub link: Link<'a>,
    /// ifIndex of the bridge.
    pub bridge: u32,
    /// From 1.
    pub number: u16,
    /// BR_STATE_
    pub state: u8,
    pub priority: u16,
    pub cost: u32,
    pub designated_root: [u8; 8],
    pub designated_bridge: [u8; 8],
    pub designated_port: u16,
    pub designated_cost: u16,
}

impl<'a> Bridge<'a> {
    /// Reads RTM_NEWLINK of an interface that is a bridge.
    pub fn parse(message: Message<'a>) -> Option<Self> {
        let link =
            Link::parse(message).filter(|link| message.kind == RTM_NEWLINK && link.kind == b"bridge")?;
        let info = find(message.body.get(16..)?, IFLA_LINKINFO)?;
        let data = find(info, IFLA_INFO_DATA).unwrap_or_default();
        let number = |kind| find(data, kind).and_then(|value| u32_at(value, 0)).unwrap_or(0);
        let short = |kind| find(data, kind).and_then(|value| u16_at(value, 0)).unwrap_or(0);
        Some(Bridge {
            link,
            forward_delay: number(IFLA_BR_FORWARD_DELAY),
            hello_time: number(IFLA_BR_HELLO_TIME),
            max_age: number(IFLA_BR_MAX_AGE),
            ageing_time: number(IFLA_BR_AGEING_TIME),
            stp_state: number(IFLA_BR_STP_STATE),
            priority: short(IFLA_BR_PRIORITY),
            vlan_filtering: find(data, IFLA_BR_VLAN_FILTERING).and_then(|value| u8_at(value, 0)) == Some(1),
            root_id: identifier(data, IFLA_BR_ROOT_ID),
            bridge_id: identifier(data, IFLA_BR_BRIDGE_ID),
            root_port: short(IFLA_BR_ROOT_PORT),
            root_path_cost: number(IFLA_BR_ROOT_PATH_COST),
        })
    }
}

impl<'a> BridgePort<'a> {
    /// Reads RTM_NEWLINK of an interface that is a port of a bridge.
    pub fn parse(message: Message<'a>) -> Option<Self> {
        let link = Link::parse(message).filter(|_| message.kind == RTM_NEWLINK)?;
        let bridge = link.master?;
        let info = find(message.body.get(16..)?, IFLA_LINKINFO)?;
        find(info, IFLA_INFO_SLAVE_KIND).filter(|kind| text(kind) == b"bridge")?;
        let data = find(info, IFLA_INFO_SLAVE_DATA)?;
        let short = |kind| find(data, kind).and_then(|value| u16_at(value, 0)).unwrap_or(0);
        Some(BridgePort {
            link,
            bridge,
            number: Some(short(IFLA_BRPORT_NO)).filter(|number| *number != 0)?,
            state: find(data, IFLA_BRPORT_STATE).and_then(|value| u8_at(value, 0)).unwrap_or(0),
            priority: short(IFLA_BRPORT_PRIORITY),
            cost: find(data, IFLA_BRPORT_COST).and_then(|value| u32_at(value, 0)).unwrap_or(0),
            designated_root: identifier(data, IFLA_BRPORT_ROOT_ID),
            designated_bridge: identifier(data, IFLA_BRPORT_BRIDGE_ID),
            designated_port: short(IFLA_BRPORT_DESIGNATED_PORT),
            designated_cost: short(IFLA_BRPORT_DESIGNATED_COST),
        })
    }
}

/// Priority and address of a bridge, as on the wire.
fn identifier(data: &[u8], kind: u16) -> [u8; 8] {
    find(data, kind).and_then(|value| value.try_into().ok()).unwrap_or_default()
}

/// A VLAN that a port or the bridge itself is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Vlan {
    pub id: u16,
    /// Frames without a tag are of this VLAN.
    pub is_pvid: bool,
    /// Frames leave without a tag.
    pub is_untagged: bool,
}

/// Reads RTM_NEWLINK of AF_BRIDGE: ifIndex, and the VLANs, which the kernel writes as ranges.
pub fn vlans(message: Message<'_>) -> Option<(u32, Vec<Vlan>)> {
    let body = message.body;
    u8_at(body, 0).filter(|family| *family == AF_BRIDGE && message.kind == RTM_NEWLINK)?;
    let index = u32_at(body, 4)?;
    let mut found: Vec<Vlan> = Vec::new();
    let mut first = None;
    for (kind, value) in attributes(find(body.get(16..)?, IFLA_AF_SPEC).unwrap_or_default()) {
        let (Some(flags), Some(id)) = (u16_at(value, 0), u16_at(value, 2)) else { continue };
        if kind != IFLA_BRIDGE_VLAN_INFO || !(1..=MOST_VLANS).contains(&id) {
            continue;
        }
        if flags & VLAN_RANGE_BEGIN != 0 {
            first = Some(id);
            continue;
        }
        let begin = first.take().filter(|begin| flags & VLAN_RANGE_END != 0 && *begin < id).unwrap_or(id);
        // However often a message repeats them there are no more.
        if found.len() + usize::from(id - begin) < usize::from(MOST_VLANS) {
            let (is_pvid, is_untagged) = (flags & VLAN_PVID != 0, flags & VLAN_UNTAGGED != 0);
            found.extend((begin..=id).map(|id| Vlan { id, is_pvid, is_untagged }));
        }
    }
    Some((index, found))
}

/// An address that a bridge knows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FdbEntry {
    /// ifIndex of the bridge.
    pub bridge: u32,
    /// ifIndex of the port, or of the bridge itself.
    pub interface: u32,
    pub address: [u8; 6],
    /// 0: in none.
    pub vlan: u16,
    pub kind: FdbKind,
}

/// Where an address is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FdbKind {
    /// From a frame.
    Learned,
    /// The machine's own.
    Own,
    /// From an administrator, or a program.
    Static,
}

impl FdbEntry {
    /// Reads RTM_NEWNEIGH of AF_BRIDGE. What a driver keeps for itself is none of a bridge.
    pub fn parse(message: Message<'_>) -> Option<Self> {
        let body = message.body;
        u8_at(body, 0).filter(|family| *family == AF_BRIDGE && message.kind == RTM_NEWNEIGH)?;
        let (state, flags) = (u16_at(body, 8)?, u8_at(body, 10)?);
        let values = body.get(12..)?;
        if flags & NTF_SELF != 0 {
            return None;
        }
        let kind = match state {
            state if state & NUD_PERMANENT != 0 => FdbKind::Own,
            state if state & NUD_NOARP != 0 => FdbKind::Static,
            _ => FdbKind::Learned,
        };
        Some(FdbEntry {
            bridge: find(values, NDA_MASTER).and_then(|value| u32_at(value, 0))?,
            interface: u32_at(body, 4)?,
            address: find(values, NDA_LLADDR)?.try_into().ok()?,
            vlan: find(values, NDA_VLAN).and_then(|value| u16_at(value, 0)).unwrap_or(0),
            kind,
        })
    }
}

/// The body of a dump request for VLANs: `struct ifinfomsg` of AF_BRIDGE and IFLA_EXT_MASK.
pub const VLANS_DUMP_BODY: [u8; 24] = {
    let (length, kind) = (8u16.to_ne_bytes(), IFLA_EXT_MASK.to_ne_bytes());
    let mask = RTEXT_FILTER_BRVLAN_COMPRESSED.to_ne_bytes();
    let mut body = [0; 24];
    body[0] = AF_BRIDGE;
    (body[16], body[17], body[18], body[19]) = (length[0], length[1], kind[0], kind[1]);
    (body[20], body[21], body[22], body[23]) = (mask[0], mask[1], mask[2], mask[3]);
    body
};

/// The body of a dump request for addresses: `struct ndmsg` of AF_BRIDGE.
pub const ADDRESSES_DUMP_BODY: [u8; 12] = [AF_BRIDGE, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// Port states.
pub const BR_STATE_LISTENING: u8 = 1;
pub const BR_STATE_LEARNING: u8 = 2;
pub const BR_STATE_FORWARDING: u8 = 3;
pub const BR_STATE_BLOCKING: u8 = 4;

const AF_BRIDGE: u8 = 7;
const MOST_VLANS: u16 = 4094;
const NTF_SELF: u8 = 2;
const NDA_LLADDR: u16 = 2;
const NDA_VLAN: u16 = 5;
const NDA_MASTER: u16 = 9;
const IFLA_LINKINFO: u16 = 18;
const IFLA_INFO_DATA: u16 = 2;
const IFLA_INFO_SLAVE_KIND: u16 = 4;
const IFLA_INFO_SLAVE_DATA: u16 = 5;
const IFLA_AF_SPEC: u16 = 26;
const IFLA_EXT_MASK: u16 = 29;
const RTEXT_FILTER_BRVLAN_COMPRESSED: u32 = 4;
const IFLA_BR_FORWARD_DELAY: u16 = 1;
const IFLA_BR_HELLO_TIME: u16 = 2;
const IFLA_BR_MAX_AGE: u16 = 3;
const IFLA_BR_AGEING_TIME: u16 = 4;
const IFLA_BR_STP_STATE: u16 = 5;
const IFLA_BR_PRIORITY: u16 = 6;
const IFLA_BR_VLAN_FILTERING: u16 = 7;
const IFLA_BR_ROOT_ID: u16 = 10;
const IFLA_BR_BRIDGE_ID: u16 = 11;
const IFLA_BR_ROOT_PORT: u16 = 12;
const IFLA_BR_ROOT_PATH_COST: u16 = 13;
const IFLA_BRPORT_STATE: u16 = 1;
const IFLA_BRPORT_PRIORITY: u16 = 2;
const IFLA_BRPORT_COST: u16 = 3;
const IFLA_BRPORT_ROOT_ID: u16 = 13;
const IFLA_BRPORT_BRIDGE_ID: u16 = 14;
const IFLA_BRPORT_DESIGNATED_PORT: u16 = 15;
const IFLA_BRPORT_DESIGNATED_COST: u16 = 16;
const IFLA_BRPORT_NO: u16 = 18;
const IFLA_BRIDGE_VLAN_INFO: u16 = 2;
const VLAN_PVID: u16 = 2;
const VLAN_UNTAGGED: u16 = 4;
const VLAN_RANGE_BEGIN: u16 = 8;
const VLAN_RANGE_END: u16 = 16;

#[cfg(test)]
mod tests {
    use super::super::attribute::push;
    use super::*;
    use proptest::prelude::*;

    /// An interface with this IFLA_LINKINFO, which is a member of the interface 9.
    fn link(info: &[u8]) -> Vec<u8> {
        let mut body = vec![0; 16];
        body[4] = 7;
        push(&mut body, 10, &9u32.to_ne_bytes()); // IFLA_MASTER
        push(&mut body, IFLA_LINKINFO, info);
        body
    }

    fn bridge() -> Vec<u8> {
        let mut data = Vec::new();
        for (kind, value) in [
            (IFLA_BR_FORWARD_DELAY, 1500u32),
            (IFLA_BR_HELLO_TIME, 200),
            (IFLA_BR_MAX_AGE, 2000),
            (IFLA_BR_AGEING_TIME, 30_000),
            (IFLA_BR_STP_STATE, 1),
            (IFLA_BR_ROOT_PATH_COST, 4),
        ] {
            push(&mut data, kind, &value.to_ne_bytes());
        }
        push(&mut data, IFLA_BR_PRIORITY, &0x8000u16.to_ne_bytes());
        push(&mut data, IFLA_BR_VLAN_FILTERING, &[1]);
        push(&mut data, IFLA_BR_ROOT_ID, &[0x10, 0, 2, 0, 0, 0, 0, 1]);
        push(&mut data, IFLA_BR_BRIDGE_ID, &[0x80, 0, 2, 0, 0, 0, 0, 2]);
        push(&mut data, IFLA_BR_ROOT_PORT, &3u16.to_ne_bytes());
        let mut info = Vec::new();
        push(&mut info, 1, b"bridge\0");
        push(&mut info, IFLA_INFO_DATA, &data);
        link(&info)
    }

    fn port() -> Vec<u8> {
        let mut data = Vec::new();
        push(&mut data, IFLA_BRPORT_STATE, &[BR_STATE_FORWARDING]);
        push(&mut data, IFLA_BRPORT_PRIORITY, &32u16.to_ne_bytes());
        push(&mut data, IFLA_BRPORT_COST, &2u32.to_ne_bytes());
        push(&mut data, IFLA_BRPORT_ROOT_ID, &[1; 8]);
        push(&mut data, IFLA_BRPORT_BRIDGE_ID, &[2; 8]);
        push(&mut data, IFLA_BRPORT_DESIGNATED_PORT, &0x8001u16.to_ne_bytes());
        push(&mut data, IFLA_BRPORT_DESIGNATED_COST, &5u16.to_ne_bytes());
        push(&mut data, IFLA_BRPORT_NO, &4u16.to_ne_bytes());
        let mut info = Vec::new();
        push(&mut info, IFLA_INFO_SLAVE_KIND, b"bridge\0");
        push(&mut info, IFLA_INFO_SLAVE_DATA, &data);
        link(&info)
    }

    fn vlan_message(list: &[(u16, u16)]) -> Vec<u8> {
        let mut spec = Vec::new();
        for (flags, id) in list {
            push(&mut spec, IFLA_BRIDGE_VLAN_INFO, &[flags.to_ne_bytes(), id.to_ne_bytes()].concat());
        }
        let mut body = vec![0; 16];
        (body[0], body[4]) = (AF_BRIDGE, 7);
        push(&mut body, IFLA_AF_SPEC, &spec);
        body
    }

    fn fdb(state: u16, flags: u8, vlan: Option<u16>) -> Vec<u8> {
        let mut body = vec![AF_BRIDGE, 0, 0, 0, 7, 0, 0, 0, 0, 0, flags, 0];
        body[8..10].copy_from_slice(&state.to_ne_bytes());
        push(&mut body, NDA_LLADDR, &[2, 0, 0, 0, 0, 1]);
        push(&mut body, NDA_MASTER, &9u32.to_ne_bytes());
        if let Some(vlan) = vlan {
            push(&mut body, NDA_VLAN, &vlan.to_ne_bytes());
        }
        body
    }

    #[test]
    fn reads_a_bridge_and_its_port() {
        let body = bridge();
        let message = Message { kind: RTM_NEWLINK, body: &body };
        let read = Bridge::parse(message).unwrap();
        assert_eq!(
            (read.forward_delay, read.hello_time, read.max_age, read.ageing_time),
            (1500, 200, 2000, 30_000)
        );
        assert_eq!((read.stp_state, read.priority, read.vlan_filtering), (1, 0x8000, true));
        assert_eq!(
            (read.root_id[0], read.bridge_id[7], read.root_port, read.root_path_cost),
            (0x10, 2, 3, 4)
        );
        assert!(BridgePort::parse(message).is_none());
        let body = port();
        let message = Message { kind: RTM_NEWLINK, body: &body };
        let read = BridgePort::parse(message).unwrap();
        assert_eq!((read.bridge, read.number, read.link.index), (9, 4, 7));
        assert_eq!((read.state, read.priority, read.cost), (BR_STATE_FORWARDING, 32, 2));
        assert_eq!((read.designated_root, read.designated_bridge), ([1; 8], [2; 8]));
        assert_eq!((read.designated_port, read.designated_cost), (0x8001, 5));
        assert!(Bridge::parse(message).is_none());
    }

    #[test]
    fn ranges_of_vlans_are_each_of_them() {
        let read = |list: &[(u16, u16)]| {
            let (index, vlans) = vlans(Message { kind: RTM_NEWLINK, body: &vlan_message(list) }).unwrap();
            assert_eq!(index, 7);
            vlans
        };
        let vlan = |id, is_pvid, is_untagged| Vlan { id, is_pvid, is_untagged };
        assert_eq!(
            read(&[(6, 1), (8, 10), (16, 12), (4, 99)]),
            [
                vlan(1, true, true),
                vlan(10, false, false),
                vlan(11, false, false),
                vlan(12, false, false),
                vlan(99, false, true)
            ]
        );
        // Ranges that have no beginning, no end or the wrong order, and numbers that are none.
        assert_eq!(read(&[(16, 5), (8, 9), (0, 20), (8, 30), (16, 30), (0, 0), (0, 4095)]).len(), 3);
        assert_eq!(read(&[(8, 1), (16, 4094), (8, 1), (16, 4094)]).len(), 4094);
    }

    #[test]
    fn addresses_are_learned_own_or_static() {
        let read = |state, flags, vlan| {
            FdbEntry::parse(Message { kind: RTM_NEWNEIGH, body: &fdb(state, flags, vlan) })
        };
        let learned = read(2, 0, Some(10)).unwrap();
        assert_eq!((learned.bridge, learned.interface, learned.vlan), (9, 7, 10));
        assert_eq!((learned.address, learned.kind), ([2, 0, 0, 0, 0, 1], FdbKind::Learned));
        assert_eq!(read(NUD_PERMANENT, 0, None).map(|it| (it.kind, it.vlan)), Some((FdbKind::Own, 0)));
        assert_eq!(read(NUD_NOARP, 0, None).map(|it| it.kind), Some(FdbKind::Static));
        assert_eq!(read(NUD_PERMANENT, NTF_SELF, None), None);
    }

    proptest! {
        #[test]
        fn cut_and_damaged_messages_do_not_panic(which in 0usize..4, cut in 0usize..300, at in 0usize..300, octet: u8) {
            let bodies = [bridge(), port(), vlan_message(&[(6, 1), (8, 2), (16, 4094)]), fdb(2, 0, Some(1))];
            let mut body = bodies[which].clone();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            let message = Message { kind: RTM_NEWLINK, body: &body };
            let _ = (Bridge::parse(message).is_some(), BridgePort::parse(message).is_some());
            prop_assert!(vlans(message).is_none_or(|(_, vlans)| vlans.len() <= 4094));
            let _ = FdbEntry::parse(Message { kind: RTM_NEWNEIGH, body: &body });
        }
    }
}
