//! ifType: the IANA number for a kernel's link type.

use trunkline_source::netlink::link::{ARPHRD_LOOPBACK, Link};

/// IANAifType of an interface, from the driver's kind if that is more specific than the hardware type.
///
/// Software Ethernet (veth, dummy, ifb, tap, macvlan, wireless in its Ethernet guise) is ethernetCsmacd(6), as
/// RFC 2665 requires of anything Ethernet-like whatever its medium, and as in Net-SNMP; devices that only switch
/// between such interfaces have the type that IANA assigned for them.
pub(crate) fn if_type(link: &Link<'_>) -> i32 {
    match link.kind {
        b"bridge" | b"openvswitch" => BRIDGE,
        b"bond" | b"team" => IEEE8023AD_LAG,
        b"vlan" => L2_VLAN,
        b"vrf" => PROP_VIRTUAL,
        b"vxlan" | b"geneve" | b"gretap" | b"ip6gretap" | b"erspan" | b"ip6erspan" | b"wireguard"
        | b"xfrm" | b"vti" | b"vti6" | b"gre" | b"ip6gre" | b"ipip" | b"ip6tnl" | b"sit" | b"gtp" => TUNNEL,
        b"ipvlan" => L3_IP_VLAN,
        _ => of_hardware(link.hardware),
    }
}

/// Whether the interface ends at a connector: the kernel's software devices carry a kind, hardware none.
pub(crate) fn has_connector(link: &Link<'_>) -> bool {
    link.kind.is_empty() && link.hardware != ARPHRD_LOOPBACK
}

/// The speed, in Mb/s, of an interface that the kernel is not asked about: Net-SNMP's 10 for loopback.
pub(crate) fn fixed_speed(link: &Link<'_>) -> Option<u32> {
    (if_type(link) == SOFTWARE_LOOPBACK).then_some(10)
}

fn of_hardware(hardware: u16) -> i32 {
    HARDWARE_TYPES.iter().find(|(number, _)| *number == hardware).map_or(OTHER, |(_, if_type)| *if_type)
}

const SOFTWARE_LOOPBACK: i32 = 24;
const OTHER: i32 = 1;
const PROP_VIRTUAL: i32 = 53;
const TUNNEL: i32 = 131;
const L2_VLAN: i32 = 135;
const L3_IP_VLAN: i32 = 136;
const IEEE8023AD_LAG: i32 = 161;
const BRIDGE: i32 = 209;

/// ARPHRD_ (linux/if_arp.h) and the IANAifType for it.
const HARDWARE_TYPES: &[(u16, i32)] = &[
    (1, 6),                   // ETHER: ethernetCsmacd
    (6, 9),                   // IEEE802: iso88025TokenRing
    (7, 35),                  // ARCNET: arcnet
    (15, 32),                 // DLCI: frameRelay
    (19, 37),                 // ATM: atm
    (24, 144),                // IEEE1394: ieee1394
    (32, 199),                // INFINIBAND: infiniband
    (256, 28),                // SLIP: slip
    (257, 28),                // CSLIP
    (258, 28),                // SLIP6
    (259, 28),                // CSLIP6
    (271, 5),                 // X25: rfc877x25
    (512, 23),                // PPP: ppp
    (513, 118),               // HDLC (CISCO): hdlc
    (516, 16),                // LAPB: lapb
    (519, 243),               // RAWIP, of cellular modems: wwanPP
    (768, TUNNEL),            // TUNNEL (ipip)
    (769, TUNNEL),            // TUNNEL6
    (770, 32),                // FRAD: frameRelay
    (772, SOFTWARE_LOOPBACK), // LOOPBACK
    (774, 15),                // FDDI: fddi
    (776, TUNNEL),            // SIT
    (777, TUNNEL),            // IPDDP
    (778, TUNNEL),            // IPGRE
    (780, 47),                // HIPPI: hippi
    (784, 56),                // FCPP: fibreChannel
    (785, 56),                // FCAL
    (786, 56),                // FCPL
    (787, 56),                // FCFABRIC
    (800, 9),                 // IEEE802_TR
    (801, 71),                // IEEE80211: ieee80211
    (802, 71),                // IEEE80211_PRISM
    (803, 71),                // IEEE80211_RADIOTAP
    (804, 259),               // IEEE802154: ieee802154
    (823, TUNNEL),            // IP6GRE
    (65534, TUNNEL),          // NONE: tun, an encapsulation without a link layer
];

#[cfg(test)]
mod tests {
    use super::*;
    use trunkline_smi::module::if_mib::IANA_IF_TYPE;

    fn check(kind: &str, hardware: u16, expected: &str) {
        let link = Link { kind: kind.as_bytes(), hardware, ..Link::default() };
        assert_eq!(IANA_IF_TYPE.name_of(if_type(&link)), Some(expected), "{kind} {hardware}");
    }

    #[test]
    fn link_types_have_their_iana_names() {
        check("", 1, "ethernetCsmacd");
        check("", 772, "softwareLoopback");
        check("veth", 1, "ethernetCsmacd");
        check("bridge", 1, "bridge");
        check("bond", 1, "ieee8023adLag");
        check("vlan", 1, "l2vlan");
        check("vxlan", 1, "tunnel");
        check("tun", 65534, "tunnel");
        check("tun", 1, "ethernetCsmacd");
        check("sit", 776, "tunnel");
        check("vrf", 1, "propVirtual");
        check("", 512, "ppp");
        check("", 32, "infiniband");
        check("", 12345, "other");
        assert!(HARDWARE_TYPES.iter().all(|(_, number)| IANA_IF_TYPE.name_of(*number).is_some()));
    }
}
