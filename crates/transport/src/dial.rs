//! The client's side: resolving a peer's address and connecting to it.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use tokio::net::{TcpStream, UdpSocket, lookup_host};

#[cfg(feature = "dtls")]
use crate::dtls::DtlsLink;
use crate::error::TransportError;
use crate::memory::MemoryEndpoint;
#[cfg(any(feature = "tls", feature = "ssh"))]
use crate::session::SessionInfo;
#[cfg(feature = "ssh")]
use crate::session::{Proof, Protection};
#[cfg(feature = "ssh")]
use crate::ssh::{SshClient, SshStream};
#[cfg(feature = "tls")]
use crate::tcp::HandshakeError;
#[cfg(feature = "tls")]
use crate::tls::{ClientStream, ServerIdentity, TlsClient};

pub use crate::stream::{PARTING, Stream, part};

/// Which addresses of a host to use.
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
#[non_exhaustive]
pub enum DatagramLink {
    /// A connected UDP socket: the kernel delivers only datagrams from this peer, and reports when the peer's port
    /// is closed (ICMP).
    Udp(UdpSocket),
    /// A DTLS session: messages are protected, and each is one datagram.
    #[cfg(feature = "dtls")]
    Dtls(DtlsLink),
    /// An in-memory link.
    Memory(MemoryEndpoint),
}

impl DatagramLink {
    /// Sends one datagram.
    ///
    /// # Errors
    /// The kernel's error; for UDP it can be about an earlier datagram (`ConnectionRefused` after an ICMP port
    /// unreachable). For DTLS also `InvalidInput` for more than 16,384 octets, and `BrokenPipe` if the session is
    /// over.
    pub async fn send(&self, octets: &[u8]) -> io::Result<()> {
        match self {
            Self::Udp(socket) => socket.send(octets).await.map(drop),
            #[cfg(feature = "dtls")]
            Self::Dtls(session) => session.send(octets).await,
            Self::Memory(end) => {
                end.send(octets);
                Ok(())
            }
        }
    }

    /// Ends a session in order, as [`part`] does a stream; without one there is nothing to end.
    pub async fn part(&self) {
        #[cfg(feature = "dtls")]
        if let Self::Dtls(session) = self {
            session.part().await;
        }
    }

    /// Our own address on the path; `None` for an in-memory link.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        match self {
            Self::Udp(socket) => socket.local_addr().ok(),
            #[cfg(feature = "dtls")]
            Self::Dtls(session) => session.local_addr(),
            Self::Memory(_) => None,
        }
    }

    /// Receives one datagram of at most 65,535 octets into `buffer`, replacing its contents. Cancel safe.
    ///
    /// # Errors
    /// As [`DatagramLink::send`]; `UnexpectedEof` if an in-memory link has lost its other end, or the server has
    /// ended a DTLS session.
    pub async fn recv(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        match self {
            Self::Udp(socket) => {
                buffer.clear();
                buffer.reserve(65_535);
                socket.recv_buf(buffer).await.map(drop)
            }
            #[cfg(feature = "dtls")]
            Self::Dtls(session) => session.recv(buffer).await,
            Self::Memory(end) => {
                *buffer = end.recv().await.ok_or(io::ErrorKind::UnexpectedEof)?;
                Ok(())
            }
        }
    }
}

/// The addresses of `host` in the order to try them. An address literal (IPv6 without brackets) needs no look-up.
///
/// # Errors
/// [`TransportError::Resolve`] if there are none of that family.
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
/// [`TransportError::Connect`] for the last address if there is no route to any.
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
    // Room for a window of large answers that arrive at once.
    let _ = socket2::SockRef::from(&socket).set_recv_buffer_size(1 << 20);
    socket.connect(address).await?;
    Ok(socket)
}

/// A TCP connection to the first address that accepts one within `timeout`.
///
/// # Errors
/// [`TransportError::Connect`] for the last address if none accepts.
pub async fn tcp(addresses: &[SocketAddr], timeout: Duration) -> Result<TcpStream, TransportError> {
    let mut failure = no_address("tcp");
    for &address in addresses {
        let connected = tokio::time::timeout(timeout, TcpStream::connect(address)).await;
        match connected.unwrap_or_else(|_| Err(io::ErrorKind::TimedOut.into())) {
            Ok(stream) => {
                // Each request is a message whose answer is awaited.
                let _ = stream.set_nodelay(true);
                notice_death(&stream);
                return Ok(stream);
            }
            Err(source) => failure = TransportError::Connect { kind: "tcp", address, source },
        }
    }
    Err(failure)
}

/// Lets the kernel end a connection whose peer vanished without notice: an idle one is probed, and sent data must
/// be acknowledged in time.
pub(crate) fn notice_death(socket: &impl std::os::fd::AsFd) {
    let socket = socket2::SockRef::from(socket);
    let probes = socket2::TcpKeepalive::new()
        .with_time(KEEPALIVE_TIME)
        .with_interval(KEEPALIVE_INTERVAL)
        .with_retries(KEEPALIVE_PROBES);
    // If the kernel does not support it, the time-outs of requests still apply.
    let _ = socket.set_tcp_keepalive(&probes);
    let _ = socket.set_tcp_user_timeout(Some(KEEPALIVE_TIME));
}

/// A TLS session with the first address that accepts a connection; the connection and the handshake each have
/// `timeout`. Returns the server's certificates with it.
///
/// # Errors
/// [`TransportError::Tls`] if one end does not trust the other, or the peer does not speak TLS;
/// [`TransportError::Connect`] for the last address if none accepts.
#[cfg(feature = "tls")]
pub async fn tls(
    addresses: &[SocketAddr],
    client: &TlsClient,
    server: &ServerIdentity,
    timeout: Duration,
) -> Result<(ClientStream, SessionInfo), TransportError> {
    let mut failure = no_address("tls");
    for &address in addresses {
        let stream = match tcp(&[address], timeout).await {
            Ok(stream) => stream,
            Err(TransportError::Connect { source, .. }) => {
                failure = TransportError::Connect { kind: "tls", address, source };
                continue;
            }
            Err(error) => return Err(error),
        };
        let shaken = tokio::time::timeout(timeout, client.handshake(stream, server)).await;
        failure = match shaken.unwrap_or(Err(HandshakeError::TimedOut)) {
            Ok(session) => return Ok(session),
            Err(error) => failed_handshake("tls", address, error),
        };
        if matches!(failure, TransportError::Tls { .. }) {
            // Another address is the same server, with the same certificate.
            break;
        }
    }
    Err(failure)
}

/// A DTLS session with the first address where one can be opened within `timeout`. Returns the server's
/// certificates with it.
///
/// # Errors
/// As [`tls`].
#[cfg(feature = "dtls")]
pub async fn dtls(
    addresses: &[SocketAddr],
    client: &TlsClient,
    server: &ServerIdentity,
    timeout: Duration,
) -> Result<(DatagramLink, SessionInfo), TransportError> {
    let mut failure = no_address("dtls");
    for &address in addresses {
        let opening = async { DtlsLink::open(connected_udp(address).await?, client, server).await };
        let opened = tokio::time::timeout(timeout, opening).await;
        failure = match opened.unwrap_or(Err(HandshakeError::TimedOut)) {
            Ok((session, info)) => return Ok((DatagramLink::Dtls(session), info)),
            Err(error) => failed_handshake("dtls", address, error),
        };
        if matches!(failure, TransportError::Tls { .. }) {
            // Another address is the same server, with the same certificate.
            break;
        }
    }
    Err(failure)
}

#[cfg(feature = "tls")]
pub(crate) fn failed_handshake(
    kind: &'static str,
    address: SocketAddr,
    error: HandshakeError,
) -> TransportError {
    let source = match error {
        HandshakeError::Tls(fault) => return TransportError::Tls { kind, address, fault },
        HandshakeError::Failed(source) => source,
        error => io::Error::new(io::ErrorKind::TimedOut, error),
    };
    TransportError::Connect { kind, address, source }
}

/// A channel of an SSH subsystem at the first address that accepts a connection within `timeout`; the steps after
/// the connection have the same time again. `host` is the name by which the server is known; the port is that of
/// the address.
///
/// The session's proof is the user's name: messages are sent and answered on behalf of that user (RFC 5592 section
/// 5.1).
///
/// # Errors
/// [`TransportError::Connect`] for the last address if none accepts, [`TransportError::Ssh`] if one does but the
/// session fails.
#[cfg(feature = "ssh")]
pub async fn ssh(
    addresses: &[SocketAddr],
    client: &SshClient,
    host: &str,
    subsystem: &str,
    timeout: Duration,
) -> Result<(SshStream, SessionInfo), TransportError> {
    let stream = tcp(addresses, timeout).await?;
    let unusable = |source| TransportError::Socket { doing: "asking for its addresses", source };
    let port = stream.peer_addr().map_err(unusable)?.port();
    ssh_over(Called(stream), client, (host, port), subsystem, timeout).await
}

/// The same over a connection that is there: `host` is the name and the port by which the server is known.
///
/// # Errors
/// [`TransportError::Ssh`] if the session fails.
#[cfg(feature = "ssh")]
pub async fn ssh_over(
    called: Called,
    client: &SshClient,
    host: (&str, u16),
    subsystem: &str,
    timeout: Duration,
) -> Result<(SshStream, SessionInfo), TransportError> {
    let Called(stream) = called;
    let unusable = |source| TransportError::Socket { doing: "asking for its addresses", source };
    let (peer, local) = (stream.peer_addr().map_err(unusable)?, stream.local_addr().map_err(unusable)?);
    stream.set_nodelay(client.options.nodelay).map_err(unusable)?;
    let opened = crate::ssh::connect(stream, client, host, subsystem, timeout).await;
    let stream =
        opened.map_err(|failure| TransportError::Ssh { address: peer, failure: Box::new(failure) })?;
    let (proof, protection) = (Proof::User(client.user.as_str().into()), Protection::Encrypted);
    Ok((stream, SessionInfo { transport: crate::Transport::Ssh, peer, local, proof, protection }))
}

/// A TLS session over a connection that is there, whose handshake has `timeout`.
///
/// # Errors
/// As [`tls`].
#[cfg(feature = "tls")]
pub async fn tls_over(
    called: Called,
    client: &TlsClient,
    server: &ServerIdentity,
    timeout: Duration,
) -> Result<(ClientStream, SessionInfo), TransportError> {
    let unusable = |source| TransportError::Socket { doing: "asking for its addresses", source };
    let Called(stream) = called;
    let address = stream.peer_addr().map_err(unusable)?;
    let shaken = tokio::time::timeout(timeout, client.handshake(stream, server)).await;
    shaken.unwrap_or(Err(HandshakeError::TimedOut)).map_err(|error| failed_handshake("tls", address, error))
}

/// A connection that its server has opened.
#[derive(Debug)]
pub struct Called(TcpStream);

impl Called {
    /// The connection without any protection.
    #[must_use]
    pub fn plain(self) -> TcpStream {
        self.0
    }
}

/// Where servers call that open the connection themselves (RFC 8071).
#[derive(Debug)]
pub struct CallListener(tokio::net::TcpListener);

impl CallListener {
    /// Binds an address.
    ///
    /// # Errors
    /// [`TransportError::Bind`]
    pub async fn bind(address: SocketAddr) -> Result<Self, TransportError> {
        let bound = tokio::net::TcpListener::bind(address).await;
        bound.map(CallListener).map_err(|source| TransportError::Bind { kind: "tcp", address, source })
    }

    /// The address with its real port.
    ///
    /// # Errors
    /// The system refuses to say.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.0.local_addr()
    }

    /// The next connection.
    ///
    /// # Errors
    /// [`TransportError::Socket`]
    pub async fn accept(&self) -> Result<Called, TransportError> {
        let accepted = self.0.accept().await;
        let (stream, _) =
            accepted.map_err(|source| TransportError::Socket { doing: "waiting for a call", source })?;
        let _ = stream.set_nodelay(true);
        notice_death(&stream);
        Ok(Called(stream))
    }
}

fn no_address(kind: &'static str) -> TransportError {
    let address = (Ipv4Addr::UNSPECIFIED, 0).into();
    TransportError::Connect { kind, address, source: io::ErrorKind::AddrNotAvailable.into() }
}

const KEEPALIVE_TIME: Duration = Duration::from_secs(60);
const KEEPALIVE_INTERVAL: Duration = Duration::from_secs(15);
const KEEPALIVE_PROBES: u32 = 4;
