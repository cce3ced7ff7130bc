//! What the kernel knows of each TCP connection: a sock_diag dump with `struct tcp_info` (INET_DIAG_INFO).

use std::io;
use std::sync::{Mutex, PoisonError};

use trunkline_tree::SourceError;

use super::netlink::attribute::{find, u8_at, u32_at, u64_at};
use super::netlink::{Message, Protocol as Netlink, Socket};
use super::sock_diag::{Family, InetSocket, parse};

/// One connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Connection {
    /// Its local and remote address.
    pub socket: InetSocket,
    /// The kernel's name of the socket: no other one has it until the machine starts again.
    pub cookie: u64,
    /// Octets received that have not been read yet.
    pub unread: u32,
    /// The rest.
    pub info: TcpInfo,
}

macro_rules! tcp_info {
    ($($(#[$doc:meta])* $name:ident: $kind:ident at $offset:literal via $read:ident,)*) => {
        /// `struct tcp_info` of linux/tcp.h, which only ever gained fields: those that an older kernel does not
        /// report are `None`.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct TcpInfo {
            $($(#[$doc])* pub $name: Option<$kind>,)*
        }

        impl TcpInfo {
            /// The fields that these octets have.
            pub fn read(octets: &[u8]) -> Self {
                TcpInfo { $($name: $read(octets, $offset),)* }
            }
        }
    };
}

tcp_info! {
    /// Congestion avoidance: 0 open, 1 disorder, 2 CWR, 3 recovery, 4 loss.
    ca_state: u8 at 1 via u8_at,
    /// Time-outs in a row.
    backoff: u8 at 4 via u8_at,
    /// Bits: 1 timestamps, 2 SACK, 4 window scale, 8 ECN.
    options: u8 at 5 via u8_at,
    /// Four bits each: the peer's window scale and ours.
    window_scales: u8 at 6 via u8_at,
    /// Microseconds.
    rto: u32 at 8 via u32_at,
    snd_mss: u32 at 16 via u32_at,
    /// Segments.
    unacked: u32 at 24 via u32_at,
    sacked: u32 at 28 via u32_at,
    lost: u32 at 32 via u32_at,
    retrans: u32 at 36 via u32_at,
    /// Microseconds.
    rtt: u32 at 68 via u32_at,
    rttvar: u32 at 72 via u32_at,
    /// Segments.
    snd_ssthresh: u32 at 76 via u32_at,
    snd_cwnd: u32 at 80 via u32_at,
    advmss: u32 at 84 via u32_at,
    reordering: u32 at 88 via u32_at,
    total_retrans: u32 at 100 via u32_at,
    bytes_acked: u64 at 120 via u64_at,
    bytes_received: u64 at 128 via u64_at,
    segs_out: u32 at 136 via u32_at,
    segs_in: u32 at 140 via u32_at,
    notsent_bytes: u32 at 144 via u32_at,
    min_rtt: u32 at 148 via u32_at,
    data_segs_in: u32 at 152 via u32_at,
    data_segs_out: u32 at 156 via u32_at,
    /// Microseconds.
    busy_time: u64 at 168 via u64_at,
    rwnd_limited: u64 at 176 via u64_at,
    sndbuf_limited: u64 at 184 via u64_at,
    bytes_sent: u64 at 200 via u64_at,
    bytes_retrans: u64 at 208 via u64_at,
    snd_wnd: u32 at 228 via u32_at,
}

impl TcpInfo {
    /// The window scales that the peer and this end have announced; `None` without window scaling.
    pub fn scales(&self) -> Option<(u8, u8)> {
        let octet = self.window_scales.filter(|_| self.has_option(4))?;
        let (low, high) = (octet & 15, octet >> 4);
        // bit fields: the first is in the low bits where the low octets come first
        Some(if cfg!(target_endian = "little") { (low, high) } else { (high, low) })
    }

    /// Whether both ends have agreed on it.
    pub fn has_option(&self, bit: u8) -> bool {
        self.options.is_some_and(|options| options & bit != 0)
    }
}

/// The connections of the machine. The netlink socket stays open between looks.
#[derive(Debug, Default)]
pub struct Connections(Mutex<Option<Socket>>);

impl Connections {
    /// All connections that the kernel reports: neither listeners nor those in TIME-WAIT.
    pub fn list(&self) -> Result<Vec<Connection>, SourceError> {
        let mut socket = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        self.dump(&mut socket).map_err(|cause| {
            *socket = None;
            SourceError::new("sock_diag".to_owned(), cause)
        })
    }

    fn dump(&self, socket: &mut Option<Socket>) -> io::Result<Vec<Connection>> {
        let socket = match socket {
            Some(socket) => socket,
            None => socket.insert(Socket::open(Netlink::SockDiag)?),
        };
        let mut found = Vec::new();
        for family in [Family::V4, Family::V6] {
            socket.dump(SOCK_DIAG_BY_FAMILY, &request(family), &mut |message| {
                found.extend(connection(message));
            })?;
        }
        Ok(found)
    }
}

/// `struct inet_diag_req_v2`: family, protocol, extensions, padding, states, an empty socket id.
fn request(family: Family) -> [u8; 56] {
    let mut body = [0; 56];
    body[0] = match family {
        Family::V4 => 2,
        Family::V6 => 10,
    };
    body[1] = IPPROTO_TCP;
    body[2] = 1 << (INET_DIAG_INFO - 1);
    body[4..8].copy_from_slice(&CONNECTED.to_ne_bytes());
    body
}

/// A message of the dump; `None` if it has no `tcp_info`.
pub fn connection(message: Message<'_>) -> Option<Connection> {
    let body = message.body;
    let socket = parse(message)?;
    let info = find(body.get(72..)?, INET_DIAG_INFO)?;
    let cookie = u64::from(u32_at(body, 44)?) | u64::from(u32_at(body, 48)?) << 32;
    Some(Connection { socket, cookie, unread: u32_at(body, 56)?, info: TcpInfo::read(info) })
}

const SOCK_DIAG_BY_FAMILY: u16 = 20;
const IPPROTO_TCP: u8 = 6;
const INET_DIAG_INFO: u16 = 2;
const LISTEN: u32 = 10;
const TIME_WAIT: u32 = 6;
const CONNECTED: u32 = !(1 << LISTEN | 1 << TIME_WAIT);

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn older_kernels_report_less() {
        let mut octets = [0; 232];
        octets[5] = 4 | 1;
        octets[6] = 0x87;
        octets[136..140].copy_from_slice(&9u32.to_ne_bytes());
        octets[228..].copy_from_slice(&77u32.to_ne_bytes());
        let info = TcpInfo::read(&octets);
        assert_eq!((info.segs_out, info.snd_wnd), (Some(9), Some(77)));
        assert_eq!(info.scales(), Some(if cfg!(target_endian = "little") { (7, 8) } else { (8, 7) }));
        let info = TcpInfo::read(&octets[..138]);
        assert_eq!((info.segs_out, info.snd_wnd, info.rtt), (None, None, Some(0)));
        assert_eq!(TcpInfo::read(&[]), TcpInfo::default());
        assert_eq!(TcpInfo::default().scales(), None);
    }

    proptest! {
        #[test]
        fn any_message_is_read_without_panic(mut body in proptest::collection::vec(any::<u8>(), 0..120)) {
            if let Some(family) = body.first_mut() {
                *family = 2 + (*family & 8);
            }
            let _ = connection(Message { kind: 20, body: &body });
        }
    }
}
