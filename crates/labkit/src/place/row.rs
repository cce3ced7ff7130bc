//! The interfaces that fill a namespace: kind, name and addresses of each.
//!
//! Most are virtual Ethernet pairs. No traffic moves the error counters of such a pair, nor does it count
//! multicast separately, so every six interfaces include one of each of two other kinds. This group repeats:
//!
//! ```text
//!   0  veth      peer with a smaller MTU         too long for the peer: counted as ifOutDiscards here
//!   1  macvlan   on top of 0                     counts broadcast and multicast: ifInNUcastPkts
//!   2  vxlan     from 0's address to nowhere     no route: ifOutErrors; malformed inside: ifInErrors
//!   3  veth      smaller MTU than its peer's     too long for us: counted as ifInDiscards
//!   4  veth      large MTU on both ends
//!   5  veth      peer with a smaller MTU
//! ```

use std::fmt;
use std::net::Ipv4Addr;

/// An interface other than the loopback, numbered from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row(u32);

/// The kind of an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One end of a virtual Ethernet pair; the other is in the namespace of the peers.
    Veth {
        /// The MTU inside, octets.
        inside: u32,
        /// The MTU of the other end, octets.
        peer: u32,
    },
    /// A second Ethernet address on top of the group's first pair.
    Macvlan {
        /// The row below.
        below: Row,
    },
    /// A VXLAN tunnel from the address of the group's first pair.
    Vxlan {
        /// The row whose address it has.
        below: Row,
    },
}

/// The rows of a namespace with this many interfaces besides the loopback.
pub(super) fn rows(count: u32) -> impl Iterator<Item = Row> {
    (0..count).map(Row)
}

impl Row {
    pub(super) fn kind(self) -> Kind {
        let below = Row(self.0 - self.0 % GROUP);
        match self.0 % GROUP {
            1 => Kind::Macvlan { below },
            2 => Kind::Vxlan { below },
            3 => Kind::Veth { inside: NARROW, peer: WIDE },
            4 => Kind::Veth { inside: WIDE, peer: WIDE },
            _ => Kind::Veth { inside: WIDE, peer: NARROW },
        }
    }

    /// Our address, the first of the row's own /30 of 10.64.0.0/10.
    pub(super) fn inside(self) -> Ipv4Addr {
        self.address(1)
    }

    /// The address of the other end; for a tunnel nobody has it.
    pub(super) fn peer(self) -> Ipv4Addr {
        self.address(2)
    }

    /// The broadcast address of this row's network.
    pub(super) fn broadcast(self) -> Ipv4Addr {
        self.address(3)
    }

    /// The VXLAN network identifier of a tunnel.
    pub(super) fn vni(self) -> u32 {
        self.0 + 1
    }

    fn address(self, host: u32) -> Ipv4Addr {
        Ipv4Addr::from(u32::from(Ipv4Addr::new(10, 64, 0, 0)) + 4 * self.0 + host)
    }

    /// The name of the other end of a pair.
    fn peer_name(self) -> String {
        format!("peer{}", self.0)
    }

    /// The hardware address of our end, or of the other end: chosen by us (the locally administered bit is set).
    fn hardware(self, side: u8) -> String {
        let [a, b, c, d] = self.0.to_be_bytes();
        format!("02:{side:02x}:{a:02x}:{b:02x}:{c:02x}:{d:02x}")
    }

    /// The commands for `ip` inside; `peers` is the process of the peers' namespace.
    pub(super) fn inside_commands(self, peers: u32) -> String {
        let (address, ours) = (self.inside(), self.hardware(INSIDE));
        let add = match self.kind() {
            Kind::Veth { inside, peer } => {
                let (name, theirs) = (self.peer_name(), self.hardware(PEER));
                format!(
                    "link add {self} address {ours} mtu {inside} type veth peer name {name} address {theirs} mtu {peer} netns {peers}"
                )
            }
            Kind::Macvlan { below } => {
                format!("link add {self} link {below} address {ours} type macvlan mode bridge")
            }
            Kind::Vxlan { below } => format!(
                "link add {self} type vxlan id {} local {} remote {NOWHERE} dstport {VXLAN_PORT}",
                self.vni(),
                below.inside()
            ),
        };
        let neighbour = match self.kind() {
            Kind::Veth { .. } => neighbour(&self.to_string(), self.peer(), &self.hardware(PEER)),
            Kind::Macvlan { below } => neighbour(&self.to_string(), self.peer(), &below.hardware(PEER)),
            Kind::Vxlan { .. } => String::new(),
        };
        format!("{add}\naddr add {address}/30 dev {self}\nlink set {self} up\n{neighbour}")
    }

    /// The commands for `ip` in the namespace of the peers.
    pub(super) fn peer_commands(self) -> String {
        let address = self.peer();
        match self.kind() {
            Kind::Veth { .. } => {
                let name = self.peer_name();
                let neighbour = neighbour(&name, self.inside(), &self.hardware(INSIDE));
                format!("addr add {address}/30 dev {name}\nlink set {name} up\n{neighbour}")
            }
            Kind::Macvlan { below } => {
                let name = below.peer_name();
                let neighbour = neighbour(&name, self.inside(), &self.hardware(INSIDE));
                format!("addr add {address}/30 dev {name}\n{neighbour}")
            }
            Kind::Vxlan { .. } => String::new(),
        }
    }
}

/// Adds a permanent neighbour entry: the kernel keeps at most 1024 resolved entries for all namespaces together,
/// but permanent ones do not count.
fn neighbour(device: &str, address: Ipv4Addr, hardware: &str) -> String {
    format!("neigh add {address} lladdr {hardware} dev {device} nud permanent\n")
}

/// The interface's name.
impl fmt::Display for Row {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind() {
            Kind::Veth { .. } => "lab",
            Kind::Macvlan { .. } => "mac",
            Kind::Vxlan { .. } => "tun",
        };
        write!(f, "{kind}{}", self.0)
    }
}

/// The end that a hardware address belongs to.
const INSIDE: u8 = 0;
const PEER: u8 = 1;
/// The MTU of an Ethernet, octets.
pub(super) const NARROW: u32 = 1500;
/// The MTU of an Ethernet with jumbo frames, octets.
pub(super) const WIDE: u32 = 9000;
/// The tunnels' destination: an address for documentation (RFC 5737), to which the namespace has no route.
const NOWHERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
/// RFC 7348 section 5.
pub(super) const VXLAN_PORT: u16 = 4789;
/// The period of the sequence of kinds.
const GROUP: u32 = 6;

#[cfg(test)]
mod tests {
    use super::super::namespace::MAX_ROWS;
    use super::*;

    #[test]
    fn addresses_do_not_overlap() {
        assert_eq!((Row(0).inside(), Row(0).peer()), ([10, 64, 0, 1].into(), [10, 64, 0, 2].into()));
        assert_eq!((Row(64).inside(), Row(64).broadcast()), ([10, 64, 1, 1].into(), [10, 64, 1, 3].into()));
        let last = Row(MAX_ROWS - 1).broadcast().octets();
        assert_eq!(last[0], 10);
        assert!(last[1] < 128);
        assert!(Row(MAX_ROWS - 1).vni() < 1 << 24);
    }

    #[test]
    fn most_rows_are_pairs_and_the_others_stand_on_one() {
        let pairs = rows(600).filter(|row| matches!(row.kind(), Kind::Veth { .. })).count();
        assert_eq!(pairs, 400);
        for row in rows(600) {
            if let Kind::Macvlan { below } | Kind::Vxlan { below } = row.kind() {
                assert!(below.0 < row.0 && matches!(below.kind(), Kind::Veth { .. }), "{row} on {below}");
            }
        }
    }
}
