//! The upper bound that the kernel allows: a UDP server that only sends back messages of the sizes that a real
//! agent would send; no agent on the same kernel and load can be faster. `cargo xtask bench agent` and the lab
//! report an agent's speed as a share of this one.

use std::net::SocketAddr;
use std::os::fd::AsFd;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use trunkline_datagrams::mmsg::{Inbox, Outbox};

use crate::error::TransportError;

use crate::udp::{BATCH, MAX_DATAGRAM, UdpBatch, UdpOptions, UdpStop};

/// An echo server, bound but not yet running.
pub struct Echo {
    server: UdpBatch,
}

impl Echo {
    /// Binds to a specific `address` (a wildcard would make system calls slower, and this is meant to be the
    /// limit).
    ///
    /// # Errors
    /// [`TransportError::Bind`].
    pub fn bind(address: SocketAddr, options: &UdpOptions) -> Result<Self, TransportError> {
        Ok(Self { server: UdpBatch::bind(address, options)? })
    }

    /// The bound address with its real port.
    #[must_use]
    pub const fn local_addr(&self) -> SocketAddr {
        self.server.local_addr()
    }

    /// Stops [`Echo::run`].
    #[must_use]
    pub fn stopper(&self) -> UdpStop {
        self.server.stopper()
    }

    /// Answers each datagram with `reply_len` octets: the request's octets as far as they fit, then zeros. Does
    /// nothing else, until stopped.
    ///
    /// # Errors
    /// [`TransportError::Socket`] if the socket itself is unusable.
    pub fn run(self, reply_len: usize) -> Result<(), TransportError> {
        let (socket, stopped) = self.server.into_socket();
        echo(&socket, reply_len, &stopped)
    }
}

fn echo(
    socket: &Arc<std::net::UdpSocket>,
    reply_len: usize,
    stopped: &AtomicBool,
) -> Result<(), TransportError> {
    let no_memory = |source| TransportError::Socket { doing: "preparing to receive", source };
    let mut inbox = Inbox::new(BATCH, MAX_DATAGRAM, false).map_err(no_memory)?;
    let mut outbox = Outbox::new(BATCH);
    let mut replies = vec![vec![0u8; reply_len]; BATCH];
    while !stopped.load(Ordering::Acquire) {
        let count = match inbox.receive(socket.as_fd()) {
            Ok(count) => count,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(source) => return Err(TransportError::Socket { doing: "receiving datagrams", source }),
        };
        let mut filled = 0;
        for (i, reply) in replies.iter_mut().enumerate().take(count) {
            if inbox.peer(i).is_none() {
                break; // the empty result of the socket being shut down
            }
            let request = inbox.bytes(i);
            let shared = request.len().min(reply_len);
            reply[..shared].copy_from_slice(&request[..shared]);
            filled += 1;
        }
        let messages = replies[..filled].iter().map(Vec::as_slice).enumerate();
        outbox.send(socket.as_fd(), Some(&mut inbox), messages, |_refused| {});
    }
    Ok(())
}
