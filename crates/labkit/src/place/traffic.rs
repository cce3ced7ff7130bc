//! Varied traffic through the interfaces of a namespace, so that no counter that traffic can move is zero in all
//! rows. The amounts are drawn from the run's seed: the same seed sends the same traffic.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};
use std::time::Instant;

use fastrand::Rng;

use super::row::{Kind, NARROW, Row, VXLAN_PORT, WIDE, rows};

/// The end of the interfaces that sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The measured namespace.
    Inside,
    /// The namespace with the other ends.
    Peers,
}

/// A receiving socket in a namespace, so that nothing is answered with port unreachable. It is bound in the
/// calling thread's namespace and never read: what exceeds its buffer is dropped silently.
pub(super) fn sink() -> io::Result<UdpSocket> {
    UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, DISCARD))
}

/// Sends from the calling thread's namespace, which is `from`, through each of `count` interfaces (and, inside,
/// through the loopback), in amounts that span orders of magnitude. Returns how many datagrams were sent.
pub(super) fn send(count: u32, from: Side, seed: u64) -> io::Result<u64> {
    let socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0))?;
    socket.set_broadcast(true)?;
    let random = Rng::with_seed(seed ^ if from == Side::Inside { 0 } else { u64::MAX });
    let most = (DATAGRAMS / f64::from(count.max(1))).clamp(MOST_OF_MANY, MOST_OF_FEW);
    let mut sender = Sender { socket, random, payload: vec![0x55; WIDE as usize], most, sent: 0 };
    if from == Side::Inside {
        sender.fill(Ipv4Addr::LOCALHOST, WIDE)?;
    }
    for row in rows(count) {
        match from {
            Side::Inside => sender.outward(row)?,
            Side::Peers => sender.inward(row)?,
        }
    }
    Ok(sender.sent)
}

/// Sends at least so many octets, with their headers, out of the first interface of the calling thread's namespace. Returns when it began.
pub(super) fn surge(octets: u32) -> io::Result<Instant> {
    let socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0))?;
    let largest = payload(NARROW);
    let (random, payload, most) = (Rng::with_seed(0), vec![0x55; largest], 0.0);
    let mut sender = Sender { socket, random, payload, most, sent: 0 };
    let begun = Instant::now();
    for row in rows(1) {
        for _ in 0..octets.div_ceil(NARROW) {
            sender.datagram(row.peer(), DISCARD, largest)?;
        }
    }
    Ok(begun)
}

/// The name of the interface that a [`surge`] goes through.
pub(super) fn surging() -> String {
    rows(1).map(|row| row.to_string()).collect()
}

struct Sender {
    socket: UdpSocket,
    random: Rng,
    payload: Vec<u8>,
    /// Maximum number of datagrams for one interface.
    most: f64,
    sent: u64,
}

impl Sender {
    /// Sends from a row's interface.
    fn outward(&mut self, row: Row) -> io::Result<()> {
        match row.kind() {
            Kind::Veth { inside, peer } => {
                self.fill(row.peer(), inside.min(peer))?;
                self.exceed(row.peer(), inside, peer)
            }
            Kind::Macvlan { .. } => self.fill(row.peer(), NARROW),
            // There is no neighbour to resolve; a broadcast needs none.
            Kind::Vxlan { .. } => self.fill(row.broadcast(), NARROW / 2),
        }
    }

    /// Sends from a row's other end to it.
    fn inward(&mut self, row: Row) -> io::Result<()> {
        match row.kind() {
            Kind::Veth { inside, peer } => {
                self.fill(row.inside(), inside.min(peer))?;
                self.exceed(row.inside(), peer, inside)
            }
            Kind::Macvlan { .. } => {
                self.fill(row.inside(), NARROW)?;
                for _ in 0..self.amount(BROADCASTS.min(self.most)) {
                    self.datagram(row.broadcast(), DISCARD, 1)?;
                }
                Ok(())
            }
            Kind::Vxlan { below } => self.tunnel(row, below.inside()),
        }
    }

    /// Datagrams that fit an MTU.
    fn fill(&mut self, to: Ipv4Addr, mtu: u32) -> io::Result<()> {
        let largest = payload(mtu);
        for _ in 0..self.amount(self.most) {
            let octets = self.random.usize(1..=largest);
            self.datagram(to, DISCARD, octets)?;
        }
        Ok(())
    }

    /// If the receiving end has the smaller MTU: datagrams that the sending end sends but the receiving end
    /// rejects. Linux counts them as discards at both.
    fn exceed(&mut self, to: Ipv4Addr, sending: u32, receiving: u32) -> io::Result<()> {
        // The kernel accepts frames that are longer by a VLAN tag.
        let (longest, shortest) = (payload(sending), payload(receiving) + 5);
        if longest > shortest {
            for _ in 0..self.amount(self.most / 4.0) {
                let octets = self.random.usize(shortest..=longest);
                self.datagram(to, DISCARD, octets)?;
            }
        }
        Ok(())
    }

    /// Frames for a tunnel: complete ones of an unknown protocol, which count as received and discarded, and
    /// truncated ones marked as IPv4, which count as errors.
    fn tunnel(&mut self, row: Row, to: Ipv4Addr) -> io::Result<()> {
        let head = self.payload[..FRAME_AT + FRAME].to_vec();
        self.payload[..VNI_AT].copy_from_slice(&VXLAN_FLAGS.to_be_bytes());
        self.payload[VNI_AT..FRAME_AT].copy_from_slice(&(row.vni() << 8).to_be_bytes());
        // Broadcast, from a locally administered address.
        self.payload[FRAME_AT..FRAME_AT + 12].copy_from_slice(b"\xff\xff\xff\xff\xff\xff\x02\0\0\0\0\x01");
        for (ether_type, most) in [(EXPERIMENTAL, self.most), (IPV4, self.most / 4.0)] {
            self.payload[FRAME_AT + 12..FRAME_AT + FRAME].copy_from_slice(&ether_type.to_be_bytes());
            for _ in 0..self.amount(most) {
                let more =
                    if ether_type == IPV4 { self.random.usize(1..20) } else { self.random.usize(46..1000) };
                self.datagram(to, VXLAN_PORT, FRAME_AT + FRAME + more)?;
            }
        }
        self.payload[..head.len()].copy_from_slice(&head);
        Ok(())
    }

    /// An amount from 10 up, spread over orders of magnitude like the counters of real interfaces.
    fn amount(&mut self, most: f64) -> u32 {
        (10.0 * (most / 10.0).max(1.0).powf(self.random.f64())) as u32
    }

    fn datagram(&mut self, to: Ipv4Addr, port: u16, octets: usize) -> io::Result<()> {
        match self.socket.send_to(&self.payload[..octets], SocketAddrV4::new(to, port)) {
            Ok(_) => self.sent += 1,
            // Full queues: what was sent before has been counted.
            Err(error) if error.raw_os_error() == Some(ENOBUFS) => {}
            Err(error) => return Err(error),
        }
        Ok(())
    }
}

/// The largest payload of a datagram that fits an MTU, octets.
const fn payload(mtu: u32) -> usize {
    mtu as usize - 28 // headers of IPv4 and UDP
}

/// RFC 863.
const DISCARD: u16 = 9;
/// RFC 7348 section 5: the identifier is valid, the rest is reserved.
const VXLAN_FLAGS: u32 = 0x0800_0000;
/// Offsets of the identifier and the inner frame, and the length of that frame's header, octets.
const VNI_AT: usize = 4;
const FRAME_AT: usize = 8;
const FRAME: usize = 14;
const IPV4: u16 = 0x0800;
/// Local experimental EtherType 1 (IEEE 802).
const EXPERIMENTAL: u16 = 0x88b5;
/// A sixth of the approximate total of datagrams, if that leaves enough for each interface.
const DATAGRAMS: f64 = 500_000.0;
/// Maximum number of datagrams for one interface among few: counters of one to four octets.
const MOST_OF_FEW: f64 = 40_000.0;
/// And among many.
const MOST_OF_MANY: f64 = 60.0;
/// Maximum number of broadcasts: the kernel queues this many per interface.
const BROADCASTS: f64 = 900.0;
const ENOBUFS: i32 = 105;
