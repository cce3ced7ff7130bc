//! One client socket for many peers: requests go out in batches, each to its peer, and answers come in in batches.
//!
//! Whoever polls a hundred thousand agents uses a few of these, not a socket for each agent.

use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsFd;
use std::time::Duration;

use socket2::{Domain, Protocol, Socket, Type};
use trunkline_datagrams::mmsg::{self, Inbox, Outbox};

use super::batch::{BATCH, MAX_DATAGRAM, make_room};
use crate::error::TransportError;

/// Options of a client socket.
#[derive(Clone, Copy, Debug)]
pub struct UdpClientOptions {
    /// Octets of receive buffer to request from the kernel; without CAP_NET_ADMIN it uses its own maximum
    /// (`net.core.rmem_max`) if that is smaller. Default 16 MiB.
    pub receive_buffer: usize,
    /// Octets of send buffer to request. Default 4 MiB.
    pub send_buffer: usize,
    /// Whether the kernel notes when each datagram arrives ([`Arrived::stamp`]). Default false.
    pub stamps: bool,
    /// Whether IPv4 datagrams are sent whole (with DF), which costs less where there are many peers. The first that is too long for
    /// its path is refused; after that they are sent in fragments where they must. Default false.
    pub whole: bool,
}

impl Default for UdpClientOptions {
    fn default() -> Self {
        Self { receive_buffer: 16 << 20, send_buffer: 4 << 20, stamps: false, whole: false }
    }
}

/// A received datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived<'a> {
    /// Its octets.
    pub bytes: &'a [u8],
    /// The sender.
    pub peer: SocketAddr,
    /// When it arrived by the system's clock, since 1970, if the socket has [`UdpClientOptions::stamps`].
    pub stamp: Option<Duration>,
}

/// A socket that is not connected, for one thread.
pub struct UdpClient {
    socket: UdpSocket,
    inbox: Inbox,
    outbox: Outbox,
    received: usize,
    whole: bool,
}

impl std::fmt::Debug for UdpClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("UdpClient").field("socket", &self.socket).finish_non_exhaustive()
    }
}

impl UdpClient {
    /// A socket for peers of one family, at any local address.
    ///
    /// # Errors
    /// [`TransportError::Bind`] if the system has no socket or no memory.
    pub fn open(v6: bool, options: &UdpClientOptions) -> Result<Self, TransportError> {
        let address = if v6 { (Ipv6Addr::UNSPECIFIED, 0).into() } else { (Ipv4Addr::UNSPECIFIED, 0).into() };
        Self::bind(address, options).map_err(|source| TransportError::Bind { kind: "udp", address, source })
    }

    fn bind(address: SocketAddr, options: &UdpClientOptions) -> io::Result<Self> {
        let socket = Socket::new(Domain::for_address(address), Type::DGRAM, Some(Protocol::UDP))?;
        if options.stamps {
            mmsg::ask_stamp(socket.as_fd())?;
        }
        make_room(&socket, [options.receive_buffer, options.send_buffer], true);
        // Where it cannot be had, nothing else is different.
        let whole = options.whole && address.is_ipv4() && mmsg::send_whole(socket.as_fd(), true).is_ok();
        socket.bind(&address.into())?;
        Ok(Self {
            socket: socket.into(),
            inbox: Inbox::new(BATCH, MAX_DATAGRAM, options.stamps)?,
            outbox: Outbox::new(BATCH),
            received: 0,
            whole,
        })
    }

    /// The local address, with the port that the kernel chose.
    ///
    /// # Errors
    /// The socket is unusable.
    pub fn local_addr(&self) -> io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    /// Sends up to [`BATCH`] messages in one system call, each to its peer, and waits only while the send buffer is
    /// full. One that the kernel refuses is passed to `refused` and skipped. Returns how many were sent.
    pub fn send<'a>(
        &mut self,
        messages: impl Iterator<Item = (SocketAddr, &'a [u8])>,
        mut refused: impl FnMut(io::Error),
    ) -> usize {
        let mut too_long = false;
        let refused = |error: io::Error| {
            too_long |= mmsg::is_too_long(&error);
            refused(error);
        };
        let (sent, _) = self.outbox.send_to(self.socket.as_fd(), messages, refused);
        if too_long && self.whole {
            self.whole = mmsg::send_whole(self.socket.as_fd(), false).is_err();
        }
        sent
    }

    /// Waits until something arrives, at most this long.
    ///
    /// # Errors
    /// The socket is unusable.
    pub fn wait(&self, most: Duration) -> io::Result<()> {
        mmsg::wait(self.socket.as_fd(), most)
    }

    /// Takes up to [`BATCH`] datagrams that have arrived, without waiting; returns how many. They replace those of the
    /// last call.
    ///
    /// # Errors
    /// The socket is unusable.
    pub fn receive(&mut self) -> io::Result<usize> {
        self.received = 0;
        self.received = self.inbox.receive_now(self.socket.as_fd())?;
        Ok(self.received)
    }

    /// The datagrams that the last [`receive`](Self::receive) took. One that was longer than any UDP payload, or has no
    /// sender, is left out.
    pub fn arrived(&self) -> impl Iterator<Item = Arrived<'_>> {
        (0..self.received).filter(|at| !self.inbox.truncated(*at)).filter_map(|at| {
            let peer = self.inbox.peer(at)?;
            Some(Arrived { bytes: self.inbox.bytes(at), peer, stamp: self.inbox.stamp(at) })
        })
    }

    /// How many datagrams the kernel has dropped because the receive buffer was full.
    ///
    /// # Errors
    /// The kernel does not say (before Linux 4.12).
    pub fn dropped(&self) -> io::Result<u32> {
        mmsg::dropped(self.socket.as_fd())
    }
}
