//! The client's side: finding a peer's address and reaching it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpStream, UdpSocket, lookup_host};

use crate::error::TransportError;
use crate::memory::MemoryEndpoint;

/// Which addresses of a host to take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Family {
    /// Any, IPv4 first: that is what management agents listen on.
    #[default]
    Any,
    /// IPv4 only.
    V4,
    /// IPv6 only.
    V6,
}

/// A path for datagrams to one peer.
pub enum DatagramLink {
    /// A connected UDP socket: the kernel gives us datagrams of this peer only,
    /// and tells us when the peer's port is closed (ICMP).
    Udp(UdpSocket),
    /// A wire in memory.
    Memory(MemoryEndpoint),
}

impl DatagramLink {
    /// Sends one datagram.
    ///
    /// # Errors
    /// What the kernel says; for UDP that can be about an earlier datagram
    /// (`ConnectionRefused` after an ICMP port unreachable).
    pub async fn send(&self, octets: &[u8]) -> io::Result<()> {
        match self {
            Self::Udp(socket) => socket.send(octets).await.map(drop),
            Self::Memory(end) => {
                end.send(octets);
                Ok(())
            }
        }
    }

    /// Our own address on the path; `None` for a wire in memory.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Udp(socket) => socket.local_addr().ok(),
            Self::Memory(_) => None,
        }
    }

    /// Receives one datagram into `buffer`, replacing what it holds. At most
    /// 65,535 octets. Cancel safe.
    ///
    /// # Errors
    /// As [`DatagramLink::send`]; `UnexpectedEof` when a wire in memory has lost
    /// its other end.
    pub async fn recv(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Udp(socket) => {
                buffer.clear();
                buffer.reserve(65_535);
                socket.recv_buf(buffer).await.map(drop)
            }
            Self::Memory(end) => {
                *buffer = end.recv().await.ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(())
            }
        }
    }
}

/// A stream to a peer, of whatever kind.
pub trait Stream: AsyncRead + AsyncWrite + Send + Unpin {}
impl<T: AsyncRead + AsyncWrite + Send + Unpin> Stream for T {}

/// The addresses of `host` in the order to try them. An address literal (an IPv6
/// one without brackets) needs no look-up.
///
/// # Errors
/// [`TransportError::Resolve`] when there are none of that family.
pub async fn resolve(host: &str, port: u16, family: Family) -> Result<Vec<SocketAddr>, TransportError> {
    let failed = |source| TransportError::Resolve { host: host.into(), source };
    let mut addresses: Vec<_> = lookup_host((host, port))
        .await
        .map_err(failed)?
        .filter(|address| match family {
            Family::Any => true,
            Family::V4 => address.is_ipv4(),
            Family::V6 => address.is_ipv6(),
        })
        .collect();
    addresses.sort_by_key(SocketAddr::is_ipv6);
    if addresses.is_empty() {
        return Err(failed(io::Error::new(io::ErrorKind::NotFound, "no address of that family")));
    }
    Ok(addresses)
}

/// A connected UDP socket to the first address that the machine has a route to.
///
/// # Errors
/// [`TransportError::Connect`] for the last address when there is none.
pub async fn udp(addresses: &[SocketAddr]) -> Result<DatagramLink, TransportError> {
    let mut failure = no_address("udp");
    for &address in addresses {
        match connected_udp(address).await {
            Ok(socket) => return Ok(DatagramLink::Udp(socket)),
            Err(source) => failure = TransportError::Connect { kind: "udp", address, source },
        }
    }
    Err(failure)
}

async fn connected_udp(address: SocketAddr) -> io::Result<UdpSocket> {
    let any: SocketAddr = match address {
        SocketAddr::V4(_) => (Ipv4Addr::UNSPECIFIED, 0).into(),
        SocketAddr::V6(_) => (Ipv6Addr::UNSPECIFIED, 0).into(),
    };
    let socket = UdpSocket::bind(any).await?;
    // Room for a window of large answers that come at once.
    let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(1 << 20);
    socket.connect(address).await?;
    Ok(socket)
}

/// A TCP connection to the first address that accepts one within `timeout`.
///
/// # Errors
/// [`TransportError::Connect`] for the last address when none does.
pub async fn tcp(addresses: &[SocketAddr], timeout: Duration) -> Result<TcpStream, TransportError> {
    let mut failure = no_address("tcp");
    for &address in addresses {
        let connected = tokio::time::timeout(timeout, TcpStream::connect(address)).await;
        match connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(stream) => {
                // Each request is a message that waits for its answer.
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Err(source) => failure = TransportError::Connect { kind: "tcp", address, source },
        }
    }
    Err(failure)
}

fn no_address(kind: &'static str) -> TransportError {
    let address = (Ipv4Addr::UNSPECIFIED, 0).into();
    TransportError::Connect { kind, address, source: io::ErrorKind::AddrNotAvailable.into() }
}
