//! The client's end of a session: a protected path for datagrams.

use std::io;
use std::net::SocketAddr;
use std::sync::Mutex;
use std::time::Duration;

use tokio::net::UdpSocket;

use super::limits::MAX_MESSAGE;
use super::machine::{Content, Machine, lock};
use crate::Transport;
use crate::session::{Proof, SessionInfo};
use crate::stream::PARTING;
use crate::tcp::HandshakeError;
use crate::tls::{ServerIdentity, TlsClient, TlsFault};

/// A session with one server; see [`crate::dial::DatagramLink`]. Dropping it sends a close_notify to the server, unless
/// [`DtlsLink::part`] has.
pub struct DtlsLink {
    socket: UdpSocket,
    machine: Mutex<Machine>,
}

impl DtlsLink {
    /// The handshake with the server that `socket` is connected to.
    pub(crate) async fn open(
        socket: UdpSocket,
        client: &TlsClient,
        server: &ServerIdentity,
    ) -> Result<(Self, SessionInfo), HandshakeError> {
        let (peer, local) = (socket.peer_addr()?, socket.local_addr()?);
        let mut machine = client.datagrams.session(server, MTU).map_err(TlsFault::Dtls)?;
        let mut buffer = Vec::with_capacity(MAX_DATAGRAM);
        loop {
            let shaken = machine.shake();
            for datagram in machine.leaving() {
                socket.send(&datagram).await?;
            }
            if shaken? {
                break;
            }
            let left = machine.time_left().unwrap_or(NO_TIMER);
            buffer.clear();
            match tokio::time::timeout(left, socket.recv_buf(&mut buffer)).await {
                Ok(received) => {
                    received?;
                    machine.feed(buffer.clone());
                }
                Err(_) => machine.on_timer()?,
            }
        }
        let info = SessionInfo {
            transport: Transport::Dtls,
            peer,
            local,
            proof: Proof::Certificates(machine.proof()?),
            protection: machine.protection(),
        };
        Ok((Self { socket, machine: Mutex::new(machine) }, info))
    }

    /// Sends one message of at most 16,384 octets, in one datagram.
    ///
    /// # Errors
    /// `InvalidInput` if it is longer; `BrokenPipe` if the session is over; the kernel's error.
    pub async fn send(&self, message: &[u8]) -> io::Result<()> {
        if message.len() > MAX_MESSAGE {
            let words = "a message over DTLS has at most 16384 octets";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, words));
        }
        let leaving = {
            let mut machine = lock(&self.machine);
            machine.write(message).map_err(|fault| io::Error::new(io::ErrorKind::BrokenPipe, fault))?;
            machine.leaving()
        };
        self.send_all(leaving).await
    }

    /// Ends the session: sends a close_notify, and keeps the socket until the server's own has come, which would otherwise
    /// meet a closed port. Ends after [`PARTING`] at the latest, since each of the two may be lost.
    pub async fn part(&self) {
        let leaving = {
            let mut machine = lock(&self.machine);
            machine.close();
            machine.leaving()
        };
        let parting = async {
            self.send_all(leaving).await?;
            let mut rest = Vec::new();
            loop {
                self.recv(&mut rest).await?;
            }
        };
        // It ends with an error: the session is over.
        let _: Result<io::Result<()>, _> = tokio::time::timeout(PARTING, parting).await;
    }

    async fn send_all(&self, leaving: Vec<Vec<u8>>) -> io::Result<()> {
        for datagram in leaving {
            self.socket.send(&datagram).await?;
        }
        Ok(())
    }

    /// Our own address.
    #[must_use]
    pub fn local_addr(&self) -> Option<SocketAddr> {
        self.socket.local_addr().ok()
    }

    /// Receives one message into `buffer`, replacing its contents. Cancel safe.
    ///
    /// # Errors
    /// `UnexpectedEof` if the server has ended the session; an error with a [`TlsFault`] if it broke the session;
    /// the kernel's error.
    pub async fn recv(&self, buffer: &mut Vec<u8>) -> io::Result<()> {
        loop {
            let (content, leaving) = {
                let mut machine = lock(&self.machine);
                let content = machine.read();
                (content, machine.leaving())
            };
            buffer.clear();
            match content {
                Ok(Content::Message(message)) => {
                    *buffer = message;
                    return Ok(());
                }
                Ok(Content::End) => return Err(io::ErrorKind::UnexpectedEof.into()),
                Ok(Content::Nothing) => {}
                Err(fault) => return Err(io::Error::new(io::ErrorKind::InvalidData, fault)),
            }
            self.send_all(leaving).await?;
            buffer.reserve(MAX_DATAGRAM);
            self.socket.recv_buf(buffer).await?;
            lock(&self.machine).feed(std::mem::take(buffer));
        }
    }
}

impl Drop for DtlsLink {
    fn drop(&mut self) {
        let mut machine = lock(&self.machine);
        machine.close();
        for datagram in machine.leaving() {
            // If it is lost, the server's idle time-out ends the session.
            let _ = self.socket.try_send(&datagram);
        }
    }
}

/// Octets of the longest handshake datagram.
const MTU: u32 = 1_200;

const MAX_DATAGRAM: usize = 65_535;

/// The timer while nothing of ours waits for an answer.
const NO_TIMER: Duration = Duration::from_secs(3_600);
