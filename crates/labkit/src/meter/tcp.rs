//! The segments of the manager's TCP connection, as counted by the kernel.
//!
//! The kernel keeps `TCP_INFO` for each socket and exposes it over netlink (`sock_diag(7)`), so the connection can
//! be read without touching the client's socket. Segments times header octets plus payload is the IP level,
//! including bare acknowledgements and retransmissions; a test compares it with a capture.
//!
//! ```text
//! inet_diag_req_v2: family 1, protocol 1, extensions 1, pad 1, states 4, id 48
//! inet_diag_msg:    family 1, state 1, timer 1, retrans 1, id 48, expires 4, rqueue 4, wqueue 4, uid 4, inode 4
//! id:               source port 2, destination port 2 (network order), source 16, destination 16, interface 4, cookie 8
//! ```

use std::io;
use std::net::{IpAddr, SocketAddr};

use netlink_sys::{Socket, protocols::NETLINK_SOCK_DIAG};

use super::ip::{IpVersion, TCP_HEADER, TCP_TIMESTAMPS};
use crate::block::TcpDelta;

/// Reads the counts of the single connection from here to a peer.
#[derive(Debug)]
pub struct TcpMeter {
    socket: Socket,
    version: IpVersion,
    id: [u8; ID],
}

/// What the kernel has counted on a connection since it began.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TcpCount {
    /// Segments sent.
    pub segments_out: u64,
    /// Segments received.
    pub segments_in: u64,
    /// Octets of payload sent, retransmissions included.
    pub payload_out: u64,
    /// Octets of payload received in order.
    pub payload_in: u64,
    /// Segments sent and not yet acknowledged.
    pub unacknowledged: u32,
    /// Octets of the IP and TCP header of a segment on this connection.
    pub headers_per_segment: u64,
}

impl TcpCount {
    /// The difference to an earlier reading.
    pub fn since(&self, earlier: &TcpCount) -> TcpDelta {
        // Segment counts are 32 bits wide in the kernel and wrap.
        let wrapped = |now: u64, then: u64| u64::from((now as u32).wrapping_sub(then as u32));
        TcpDelta {
            segments_out: wrapped(self.segments_out, earlier.segments_out),
            segments_in: wrapped(self.segments_in, earlier.segments_in),
            payload_out: self.payload_out.saturating_sub(earlier.payload_out),
            payload_in: self.payload_in.saturating_sub(earlier.payload_in),
            headers_per_segment: self.headers_per_segment,
        }
    }
}

impl TcpMeter {
    /// A meter for the established connection from this network namespace to `peer`.
    ///
    /// Fails if there is none, or more than one (another program's would be counted too).
    pub fn new(peer: SocketAddr) -> io::Result<Self> {
        let mut found = connections(peer)?;
        match (found.pop(), found.len()) {
            (Some(id), 0) => {
                let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
                socket.bind_auto()?;
                Ok(TcpMeter { socket, version: IpVersion::of(peer.ip()), id })
            }
            (None, _) => Err(io::Error::new(io::ErrorKind::NotFound, format!("no connection to {peer}"))),
            (Some(_), more) => Err(io::Error::other(format!("{} connections to {peer}", more + 1))),
        }
    }

    /// Reads the counts; fails if the connection is gone.
    pub fn read(&self) -> io::Result<TcpCount> {
        let family = if self.source_is_v6() { AF_INET6 } else { AF_INET };
        let request = request(family, &self.id, NLM_F_REQUEST);
        self.socket.send(&request, 0)?;
        let (answer, _) = self.socket.recv_from_full()?;
        let mut messages = Messages(&answer);
        let body = messages.next().transpose()?.ok_or_else(|| io::Error::other("an empty netlink answer"))?;
        let info = attribute(body.get(MESSAGE..).unwrap_or_default(), INET_DIAG_INFO)
            .ok_or_else(|| io::Error::other("the kernel's answer has no TCP_INFO"))?;
        parse_info(info, self.version).ok_or_else(|| {
            io::Error::other(format!("TCP_INFO of {} octets, too short for this program", info.len()))
        })
    }

    /// Whether the socket's family is IPv6 (it may still talk to a mapped IPv4 address).
    fn source_is_v6(&self) -> bool {
        self.id[8..20].iter().any(|&octet| octet != 0) || self.id[24..36].iter().any(|&octet| octet != 0)
    }
}

/// The identities of the established connections to a peer.
fn connections(peer: SocketAddr) -> io::Result<Vec<[u8; ID]>> {
    let mut socket = Socket::new(NETLINK_SOCK_DIAG)?;
    socket.bind_auto()?;
    let mut found = Vec::new();
    for family in [AF_INET, AF_INET6] {
        socket.send(&request(family, &[0; ID], NLM_F_REQUEST | NLM_F_DUMP), 0)?;
        'answers: loop {
            let (answer, _) = socket.recv_from_full()?;
            for body in Messages(&answer) {
                let body = body?;
                let Some(id) = body.get(4..4 + ID).and_then(|id| <[u8; ID]>::try_from(id).ok()) else {
                    break 'answers; // a body shorter than a socket: the end of the dump
                };
                if destination(&id, family) == (peer.ip().to_canonical(), peer.port()) {
                    found.push(id);
                }
            }
        }
    }
    Ok(found)
}

fn destination(id: &[u8; ID], family: u8) -> (IpAddr, u16) {
    let port = u16::from_be_bytes([id[2], id[3]]);
    let mut address = [0; 16];
    address.copy_from_slice(&id[20..36]);
    if family == AF_INET {
        let [a, b, c, d, ..] = address;
        return (IpAddr::from([a, b, c, d]), port);
    }
    (IpAddr::from(address).to_canonical(), port)
}

fn request(family: u8, id: &[u8; ID], flags: u16) -> Vec<u8> {
    let mut octets = Vec::with_capacity(HEADER + REQUEST);
    octets.extend(((HEADER + REQUEST) as u32).to_ne_bytes());
    octets.extend(SOCK_DIAG_BY_FAMILY.to_ne_bytes());
    octets.extend(flags.to_ne_bytes());
    octets.extend([0; 8]); // sequence number and port
    octets.extend([family, IPPROTO_TCP, 1 << (INET_DIAG_INFO - 1), 0]);
    octets.extend((1u32 << TCP_ESTABLISHED).to_ne_bytes());
    octets.extend(id);
    octets
}

/// The bodies of the netlink messages in one read; at the end of a dump there is a body shorter than a socket's;
/// an error from the kernel is an error.
struct Messages<'a>(&'a [u8]);

impl<'a> Iterator for Messages<'a> {
    type Item = io::Result<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let length = u32_at(self.0, 0)? as usize;
        let kind = u16::from_ne_bytes([*self.0.get(4)?, *self.0.get(5)?]);
        let body = self.0.get(HEADER..length)?;
        self.0 = self.0.get(length.next_multiple_of(4)..).unwrap_or_default();
        if kind == NLMSG_ERROR {
            let code = u32_at(body, 0)? as i32;
            return Some(Err(io::Error::from_raw_os_error(code.wrapping_neg())));
        }
        Some(Ok(if kind == NLMSG_DONE { &[] } else { body }))
    }
}

fn attribute(mut octets: &[u8], wanted: u16) -> Option<&[u8]> {
    loop {
        let length = usize::from(u16::from_ne_bytes([*octets.first()?, *octets.get(1)?]));
        let kind = u16::from_ne_bytes([*octets.get(2)?, *octets.get(3)?]);
        let value = octets.get(4..length)?;
        if kind == wanted {
            return Some(value);
        }
        octets = octets.get(length.next_multiple_of(4)..)?;
    }
}

/// `struct tcp_info` of linux/tcp.h as far as needed; it has only ever grown at its end.
fn parse_info(info: &[u8], version: IpVersion) -> Option<TcpCount> {
    let timestamps = info.get(OPTIONS_AT)? & TCPI_OPT_TIMESTAMPS != 0;
    let options = if timestamps { TCP_TIMESTAMPS } else { 0 };
    Some(TcpCount {
        segments_out: u64::from(u32_at(info, SEGMENTS_OUT_AT)?),
        segments_in: u64::from(u32_at(info, SEGMENTS_IN_AT)?),
        payload_out: u64_at(info, BYTES_SENT_AT)?,
        payload_in: u64_at(info, BYTES_RECEIVED_AT)?,
        unacknowledged: u32_at(info, UNACKED_AT)?,
        headers_per_segment: version.header() + TCP_HEADER + options,
    })
}

fn u32_at(octets: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(octets.get(at..at + 4)?.try_into().ok()?))
}

fn u64_at(octets: &[u8], at: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(octets.get(at..at + 8)?.try_into().ok()?))
}

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const IPPROTO_TCP: u8 = 6;
const SOCK_DIAG_BY_FAMILY: u16 = 20;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_DUMP: u16 = 0x300;
const NLMSG_ERROR: u16 = 2;
const NLMSG_DONE: u16 = 3;
const INET_DIAG_INFO: u16 = 2;
const TCP_ESTABLISHED: u32 = 1;
const TCPI_OPT_TIMESTAMPS: u8 = 1;
/// Octets of a netlink header.
const HEADER: usize = 16;
/// Octets of `inet_diag_req_v2`.
const REQUEST: usize = 56;
/// Octets of `inet_diag_msg`.
const MESSAGE: usize = 72;
/// Octets of `inet_diag_sockid`.
const ID: usize = 48;
// Offsets of the members of `struct tcp_info`.
const OPTIONS_AT: usize = 5;
const UNACKED_AT: usize = 24;
const BYTES_RECEIVED_AT: usize = 128;
const SEGMENTS_OUT_AT: usize = 136;
const SEGMENTS_IN_AT: usize = 140;
const BYTES_SENT_AT: usize = 200;

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    /// Sends `sizes.0` octets there and `sizes.1` back, `times` over.
    fn converse(client: &mut TcpStream, server: &mut TcpStream, sizes: (usize, usize), times: usize) {
        let (request, response) = (vec![1; sizes.0], vec![2; sizes.1]);
        let (mut at_server, mut at_client) = (vec![0; sizes.0], vec![0; sizes.1]);
        for _ in 0..times {
            client.write_all(&request).unwrap();
            server.read_exact(&mut at_server).unwrap();
            server.write_all(&response).unwrap();
            client.read_exact(&mut at_client).unwrap();
        }
    }

    fn pair(address: &str) -> (TcpStream, TcpStream, SocketAddr) {
        let listener = TcpListener::bind(address).unwrap();
        let peer = listener.local_addr().unwrap();
        let client = TcpStream::connect(peer).unwrap();
        let (server, _) = listener.accept().unwrap();
        client.set_nodelay(true).unwrap();
        server.set_nodelay(true).unwrap();
        (client, server, peer)
    }

    #[test]
    fn a_conversation_is_counted() {
        for address in ["127.0.0.1:0", "[::1]:0"] {
            let (mut client, mut server, peer) = pair(address);
            let meter = TcpMeter::new(peer).unwrap();
            let before = meter.read().unwrap();
            converse(&mut client, &mut server, (43, 1400), 20);
            let delta = meter.read().unwrap().since(&before);
            assert_eq!((delta.payload_out, delta.payload_in), (20 * 43, 20 * 1400), "{address}");
            // At least one segment each way per exchange; acknowledgements may add to it.
            assert!(delta.segments_out >= 20 && delta.segments_in >= 20, "{delta:?}");
            assert!(delta.segments_out <= 60 && delta.segments_in <= 60, "{delta:?}");
            let ip = if peer.is_ipv4() { 20 } else { 40 };
            assert!([ip + 20, ip + 32].contains(&delta.headers_per_segment), "{delta:?}");
        }
    }

    #[test]
    fn no_connection_and_too_many_are_errors() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let peer = listener.local_addr().unwrap();
        assert_eq!(TcpMeter::new(peer).unwrap_err().kind(), io::ErrorKind::NotFound);
        let _one = TcpStream::connect(peer).unwrap();
        let _two = TcpStream::connect(peer).unwrap();
        assert!(TcpMeter::new(peer).unwrap_err().to_string().starts_with("2 connections"));
    }

    #[test]
    fn segment_counts_wrap() {
        let count = |segments| TcpCount {
            segments_out: segments,
            segments_in: segments,
            payload_out: 0,
            payload_in: 0,
            unacknowledged: 0,
            headers_per_segment: 52,
        };
        assert_eq!(count(3).since(&count(u64::from(u32::MAX))).segments_out, 4);
    }

    #[test]
    fn short_answers_are_none() {
        assert_eq!(parse_info(&[0; 207], IpVersion::V4), None);
        assert!(parse_info(&[0; 208], IpVersion::V4).is_some());
        assert_eq!(attribute(&[8, 0, 9, 0, 1, 2, 3, 4], INET_DIAG_INFO), None);
        assert_eq!(attribute(&[], INET_DIAG_INFO), None);
        assert!(Messages(&[1, 2, 3]).next().is_none());
    }
}
