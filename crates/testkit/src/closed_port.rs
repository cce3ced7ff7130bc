//! A port at which nothing answers.

use std::net::{Ipv4Addr, SocketAddr, UdpSocket};

use socket2::{Domain, Socket, Type};

/// A port of 127.0.0.1 that is closed for UDP and TCP for as long as this lives: a port that was merely free a moment ago may be
/// given to the next socket of another test, and a connection to it may get it as its own port and be its own peer.
#[derive(Debug)]
pub struct ClosedPort {
    port: u16,
    _tcp: Socket,
    _udp: UdpSocket,
}

impl ClosedPort {
    /// Takes one.
    #[must_use]
    pub fn take() -> Self {
        loop {
            // A socket that does not listen refuses connections; one that is connected refuses the datagrams of others.
            let tcp = Socket::new(Domain::IPV4, Type::STREAM, None).unwrap();
            // A test may listen there later.
            tcp.set_reuse_address(true).unwrap();
            tcp.bind(&SocketAddr::from((Ipv4Addr::LOCALHOST, 0)).into()).unwrap();
            let port = tcp.local_addr().unwrap().as_socket().unwrap().port();
            if let Ok(udp) = UdpSocket::bind((Ipv4Addr::LOCALHOST, port)) {
                udp.connect((Ipv4Addr::LOCALHOST, DISCARD)).unwrap();
                return ClosedPort { port, _tcp: tcp, _udp: udp };
            }
        }
    }

    /// Its number.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.port
    }
}

/// Nothing is sent there.
const DISCARD: u16 = 9;
