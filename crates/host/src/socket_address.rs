//! A socket's addresses as InetAddressType, InetAddress and InetPortNumber (RFC 4001), in
//! the index of tcpConnectionTable, tcpListenerTable and udpEndpointTable.

use trunkline_source::sock_diag::{Family, InetSocket};

/// An address as InetAddress has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum InetAddress {
    /// unknown(0), no octets: any address of either family (RFC 4022, tcpListenerLocalAddress).
    Unknown,
    /// ipv4(1).
    V4([u8; 4]),
    /// ipv6(2).
    V6([u8; 16]),
    /// ipv6z(4): with the interface as the zone.
    V6Zone([u8; 16], u32),
}

impl InetAddress {
    /// The local end of a connection. An IPv6 socket that carries IPv4 has mapped addresses; the packets are
    /// IPv4, and that is what is reported.
    pub(crate) fn local(socket: &InetSocket) -> Self {
        Self::new(socket.family, &socket.local, socket.interface)
    }

    /// Where a connection ends elsewhere.
    pub(crate) fn remote(socket: &InetSocket) -> Self {
        Self::new(socket.family, &socket.remote, socket.interface)
    }

    /// What a socket without a peer is bound to; an IPv6 wildcard that also accepts IPv4 is unknown(0).
    pub(crate) fn bound(socket: &InetSocket) -> Self {
        let dual = socket.family == Family::V6 && socket.only_v6 == Some(false);
        if dual && socket.local == [0; 16] { InetAddress::Unknown } else { Self::local(socket) }
    }

    fn new(family: Family, octets: &[u8; 16], interface: u32) -> Self {
        match (family, octets) {
            (Family::V4, [a, b, c, d, ..])
            | (Family::V6, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, a, b, c, d]) => {
                InetAddress::V4([*a, *b, *c, *d])
            }
            (Family::V6, [0xfe, second, ..]) if second & 0xc0 == 0x80 && interface != 0 => {
                InetAddress::V6Zone(*octets, interface)
            }
            (Family::V6, _) => InetAddress::V6(*octets),
        }
    }

    /// The IPv4 address, for the tables of RFC 1213. A socket for any address accepts IPv4 too.
    pub(crate) fn v4(&self) -> Option<[u8; 4]> {
        match self {
            InetAddress::Unknown => Some([0; 4]),
            InetAddress::V4(octets) => Some(*octets),
            InetAddress::V6(_) | InetAddress::V6Zone(..) => None,
        }
    }

    /// Appends type, length and octets to an index.
    pub(crate) fn push(&self, index: &mut Vec<u32>) {
        let widen = |octets: &[u8], index: &mut Vec<u32>| index.extend(octets.iter().map(|o| u32::from(*o)));
        match self {
            InetAddress::Unknown => index.extend([0, 0]),
            InetAddress::V4(octets) => {
                index.extend([1, 4]);
                widen(octets, index);
            }
            InetAddress::V6(octets) => {
                index.extend([2, 16]);
                widen(octets, index);
            }
            InetAddress::V6Zone(octets, zone) => {
                index.extend([4, 20]);
                widen(octets, index);
                widen(&zone.to_be_bytes(), index);
            }
        }
    }
}

/// If the kernel did not report it (text files instead of sock_diag): an IPv6 wildcard also accepts IPv4 unless
/// an IPv4 wildcard has the same port, since both could not be bound together.
pub(crate) fn infer_only_v6(sockets: &mut [InetSocket], is_unconnected: impl Fn(&InetSocket) -> bool) {
    let v4: std::collections::HashSet<u16> = sockets
        .iter()
        .filter(|socket| socket.family == Family::V4 && socket.local == [0; 16] && is_unconnected(socket))
        .map(|socket| socket.local_port)
        .collect();
    for socket in sockets.iter_mut() {
        if socket.family == Family::V6 && socket.only_v6.is_none() && is_unconnected(socket) {
            socket.only_v6 = Some(v4.contains(&socket.local_port));
        }
    }
}

/// Appends octets as an IpAddress index part.
pub(crate) fn push_v4(octets: [u8; 4], index: &mut Vec<u32>) {
    index.extend(octets.map(u32::from));
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANY: InetSocket = InetSocket {
        family: Family::V6,
        state: 10,
        local: [0; 16],
        local_port: 22,
        remote: [0; 16],
        remote_port: 0,
        interface: 0,
        inode: 1,
        only_v6: None,
    };

    fn index(address: InetAddress) -> Vec<u32> {
        let mut index = Vec::new();
        address.push(&mut index);
        index
    }

    #[test]
    fn wildcards_show_which_families_they_accept() {
        assert_eq!(index(InetAddress::bound(&InetSocket { only_v6: Some(false), ..ANY })), [0, 0]);
        let only = InetAddress::bound(&InetSocket { only_v6: Some(true), ..ANY });
        assert_eq!(index(only)[..3], [2, 16, 0]);
        assert_eq!(only.v4(), None);
        let v4 = InetSocket { family: Family::V4, ..ANY };
        assert_eq!(index(InetAddress::bound(&v4)), [1, 4, 0, 0, 0, 0]);
    }

    #[test]
    fn link_local_addresses_carry_their_zone_and_mapped_ones_are_ipv4() {
        let mut local = [0; 16];
        local[..2].copy_from_slice(&[0xfe, 0x80]);
        local[15] = 9;
        let zoned = index(InetAddress::local(&InetSocket { local, interface: 0x0102, ..ANY }));
        assert_eq!(
            (zoned.len(), &zoned[..4], &zoned[17..]),
            (22, &[4, 20, 0xfe, 0x80][..], &[9, 0, 0, 1, 2][..])
        );
        assert_eq!(index(InetAddress::local(&InetSocket { local, ..ANY }))[0], 2, "the zone is not known");
        let mut mapped = [0; 16];
        mapped[10..].copy_from_slice(&[0xff, 0xff, 192, 0, 2, 1]);
        let mapped = InetAddress::remote(&InetSocket { remote: mapped, ..ANY });
        assert_eq!(mapped, InetAddress::V4([192, 0, 2, 1]));
    }

    #[test]
    fn without_the_kernels_flag_a_v4_socket_on_the_port_decides() {
        let v4 = InetSocket { family: Family::V4, ..ANY };
        let mut sockets = [v4, ANY, InetSocket { local_port: 80, ..ANY }];
        infer_only_v6(&mut sockets, |socket| socket.state == 10);
        assert_eq!(sockets.map(|socket| socket.only_v6), [None, Some(true), Some(false)]);
    }
}
