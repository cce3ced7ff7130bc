//! The TCP and UDP sockets of the machine: one sock_diag dump for each address family,
//! or /proc/net where sock_diag is not built into the kernel or not permitted.

use std::io;
use std::sync::Mutex;

use trunkline_tree::SourceError;

use super::SourceRoot;
use super::netlink::attribute::{attributes, u8_at, u32_at};
use super::netlink::{Message, Protocol as Netlink, Socket};
use super::procfs::net_sockets;

/// A transport over IP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Transport {
    Tcp,
    Udp,
}

/// AF_INET or AF_INET6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    V4,
    V6,
}

/// One socket, as reported by the kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InetSocket {
    pub family: Family,
    /// The kernel's number of the TCP state: 1 established, 7 close, 10 listen; unconnected UDP is in 7.
    pub state: u8,
    /// In network order; of IPv4 the first four octets.
    pub local: [u8; 16],
    pub local_port: u16,
    /// As `local`.
    pub remote: [u8; 16],
    pub remote_port: u16,
    /// The interface that it is bound to, 0 for none: the zone of link-local addresses.
    pub interface: u32,
    /// 0 if no process owns it any more (TIME-WAIT).
    pub inode: u32,
    /// Whether an IPv6 socket refuses IPv4; only known of sockets without a peer, and not from /proc.
    pub only_v6: Option<bool>,
}

impl Family {
    /// Octets of an address.
    pub const fn address_len(self) -> usize {
        match self {
            Family::V4 => 4,
            Family::V6 => 16,
        }
    }

    const fn number(self) -> u8 {
        match self {
            Family::V4 => 2,
            Family::V6 => 10,
        }
    }
}

/// Where a provider gets sockets from. The netlink socket stays open between loads.
#[derive(Debug)]
pub struct Sockets {
    root: SourceRoot,
    transport: Transport,
    way: Mutex<Way>,
}

#[derive(Debug)]
enum Way {
    Unopened,
    Netlink(Socket),
    /// sock_diag was refused: /proc/net from now on.
    Files,
}

impl Sockets {
    /// The sockets of a transport; a recording has files only.
    pub fn new(root: SourceRoot, transport: Transport) -> Self {
        let way = if root.is_recording() { Way::Files } else { Way::Unopened };
        Sockets { root, transport, way: Mutex::new(way) }
    }

    /// All sockets, IPv4 first. A socket that comes or goes during the dump may be missing or double.
    pub fn list(&self) -> Result<Vec<InetSocket>, SourceError> {
        let mut way = self.way.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if matches!(*way, Way::Unopened) {
            *way = Socket::open(Netlink::SockDiag).map_or(Way::Files, Way::Netlink);
        }
        if let Way::Netlink(socket) = &mut *way {
            match dump(socket, self.transport) {
                Ok(sockets) => return Ok(sockets),
                Err(cause) => {
                    tracing::info!(transport = ?self.transport, %cause, "sock_diag does not answer, reading /proc/net");
                    *way = Way::Files;
                }
            }
        }
        self.read_files()
    }

    fn read_files(&self) -> Result<Vec<InetSocket>, SourceError> {
        let [v4, v6] = match self.transport {
            Transport::Tcp => ["proc/net/tcp", "proc/net/tcp6"],
            Transport::Udp => ["proc/net/udp", "proc/net/udp6"],
        };
        let mut sockets: Vec<InetSocket> = net_sockets::parse(&self.read(v4)?, Family::V4).collect();
        // Without IPv6 in the kernel there is no such file.
        if self.root.path(v6).exists() {
            sockets.extend(net_sockets::parse(&self.read(v6)?, Family::V6));
        }
        Ok(sockets)
    }

    /// 150 octets a socket: up to four million of them.
    fn read(&self, below: &str) -> Result<Vec<u8>, SourceError> {
        let path = self.root.path(below);
        let mut text = Vec::new();
        super::procfs::read_bounded(&path, 1 << 29, &mut text)
            .map_err(|cause| SourceError::new(path.display().to_string(), cause))?;
        Ok(text)
    }
}

fn dump(socket: &mut Socket, transport: Transport) -> io::Result<Vec<InetSocket>> {
    let mut sockets = Vec::new();
    for family in [Family::V4, Family::V6] {
        socket.dump(SOCK_DIAG_BY_FAMILY, &request(family, transport), &mut |message| {
            sockets.extend(parse(message));
        })?;
    }
    Ok(sockets)
}

/// `struct inet_diag_req_v2`: family, protocol, extensions, padding, states, an empty socket id.
fn request(family: Family, transport: Transport) -> [u8; 56] {
    let mut body = [0; 56];
    body[0] = family.number();
    body[1] = match transport {
        Transport::Tcp => 6,
        Transport::Udp => 17,
    };
    body[4..8].copy_from_slice(&ALL_STATES.to_ne_bytes());
    body
}

/// `struct inet_diag_msg` and its attributes.
///
/// ```text
///  0 family, state, timer, retransmissions      44 cookie
///  4 local port, remote port (network order)    52 expires, receive queue, send queue
///  8 local address   24 remote address          64 user, inode
/// 40 interface                                  72 attributes
/// ```
pub fn parse(message: Message<'_>) -> Option<InetSocket> {
    let body = message.body;
    let family = match u8_at(body, 0)? {
        2 => Family::V4,
        10 => Family::V6,
        _ => return None,
    };
    let port = |at: usize| Some(u16::from_be_bytes(body.get(at..at + 2)?.try_into().ok()?));
    let address = |at: usize| body.get(at..at + 16)?.try_into().ok();
    let inode = u32_at(body, 68)?;
    let only_v6 = attributes(body.get(72..)?).find(|(kind, _)| *kind == INET_DIAG_SKV6ONLY);
    Some(InetSocket {
        family,
        state: u8_at(body, 1)?,
        local: address(8)?,
        local_port: port(4)?,
        remote: address(24)?,
        remote_port: port(6)?,
        interface: u32_at(body, 40)?,
        inode,
        only_v6: only_v6.and_then(|(_, value)| value.first().map(|flag| *flag != 0)),
    })
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const INET_DIAG_SKV6ONLY: u16 = 11;
const ALL_STATES: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_listener_of_this_process_is_found_with_its_port() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let sockets = Sockets::new(SourceRoot::host(), Transport::Tcp);
        let dumped = sockets.list().unwrap();
        let filed = sockets.read_files().unwrap();
        for list in [dumped, filed] {
            let found = list.iter().find(|socket| socket.local_port == port && socket.state == 10).unwrap();
            assert_eq!((found.family, &found.local[..4]), (Family::V4, &[127, 0, 0, 1][..]));
            assert!(found.inode > 0);
        }
    }

    #[test]
    fn only_v6_is_known_of_udp_sockets_without_a_peer() {
        let Ok(socket) = std::net::UdpSocket::bind("[::]:0") else { return }; // no IPv6 in this kernel
        let port = socket.local_addr().unwrap().port();
        let sockets = Sockets::new(SourceRoot::host(), Transport::Udp);
        let list = sockets.list().unwrap();
        let found = list.iter().find(|found| found.local_port == port).unwrap();
        assert_eq!(found.family, Family::V6);
        if matches!(*sockets.way.lock().unwrap(), Way::Netlink(_)) {
            assert!(found.only_v6.is_some());
        }
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_panic(mut body in proptest::collection::vec(any::<u8>(), 0..96)) {
            if let Some(family) = body.first_mut() {
                *family = 2 + (*family & 8);
            }
            let long = body.len() >= 72;
            prop_assert_eq!(parse(Message { kind: 20, body: &body }).is_some(), long);
        }
    }
}
