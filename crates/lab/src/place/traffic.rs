//! Varied traffic through the pairs of a namespace, so that no counter that traffic can move is zero or equal in all
//! rows. The amounts are drawn from the run's seed: the same seed gives the same counters.

use std::io;
use std::net::{Ipv4Addr, SocketAddrV4, UdpSocket};

/// Which end of the pairs sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    /// The namespace that is measured.
    Inside,
    /// The namespace with the other ends.
    Peers,
}

/// The addresses of a pair: inside, and the other end; each pair is a /30 of 10.64.0.0/10.
pub(super) fn addresses(pair: u32) -> (Ipv4Addr, Ipv4Addr) {
    let net = u32::from(Ipv4Addr::new(10, 64, 0, 0)) + 4 * pair;
    (Ipv4Addr::from(net + 1), Ipv4Addr::from(net + 2))
}

/// Sends from one side to the discard port of each pair's other end: tens to hundreds of datagrams of 1 to 1400
/// octets. Returns how many were sent.
pub(super) fn send(pairs: u32, from: Side, seed: u64) -> io::Result<u64> {
    let socket = UdpSocket::bind(SocketAddrV4::new(Ipv4Addr::UNSPECIFIED, 0))?;
    let mut random = fastrand::Rng::with_seed(seed ^ if from == Side::Inside { 0 } else { u64::MAX });
    let payload = vec![0x55; LARGEST];
    let mut sent = 0;
    for pair in 0..pairs {
        let (inside, peer) = addresses(pair);
        let to = if from == Side::Inside { peer } else { inside };
        // Spread over magnitudes, as the counters of real interfaces are.
        let most = if pairs <= FEW { 400.0f64 } else { 60.0 };
        let count = (10.0 * (most / 10.0).powf(random.f64())) as u32;
        for _ in 0..count {
            let octets = random.usize(1..=LARGEST);
            match socket.send_to(&payload[..octets], SocketAddrV4::new(to, DISCARD)) {
                Ok(_) => sent += 1,
                // Full queues while the peer's hardware address is being resolved, and the peer's answer that nobody
                // listens on its port: what left before has been counted.
                Err(error) if matches!(error.kind(), io::ErrorKind::ConnectionRefused) => {}
                Err(error) if error.raw_os_error() == Some(ENOBUFS) => {}
                Err(error) => return Err(error),
            }
        }
    }
    Ok(sent)
}

/// RFC 863. Nobody listens there in a fresh namespace.
const DISCARD: u16 = 9;
/// The largest payload: with headers it fits an Ethernet frame.
const LARGEST: usize = 1400;
/// Up to so many pairs get hundreds of datagrams, more get tens.
const FEW: u32 = 200;
const ENOBUFS: i32 = 105;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_do_not_overlap() {
        assert_eq!(addresses(0), (Ipv4Addr::new(10, 64, 0, 1), Ipv4Addr::new(10, 64, 0, 2)));
        assert_eq!(addresses(64), (Ipv4Addr::new(10, 64, 1, 1), Ipv4Addr::new(10, 64, 1, 2)));
        let (last, _) = addresses(super::super::namespace::MAX_ROWS - 1);
        assert_eq!(last.octets()[0], 10);
        assert!(last.octets()[1] < 128);
    }
}
