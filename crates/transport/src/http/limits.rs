//! What a peer may take of a server of HTTP.

use std::time::Duration;

use crate::tcp::TcpLimits;

/// Limits of an HTTP server. Every one of them bounds memory, work or time that a slow, half-open or flooding peer
/// could take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Connections at one time. Default 256.
    pub max_connections: usize,
    /// Connections at one time from one address of IPv4 or one /64 of IPv6. Default 32.
    pub max_per_peer: usize,
    /// Handshakes of TLS at one time, and a quarter of them with one address of IPv4 or one /64 of IPv6. At the limit
    /// the oldest one gives way to a new one. Default 128.
    pub max_handshakes: usize,
    /// From the connection to the end of the handshake. Default 10 s.
    pub handshake_time: Duration,
    /// A connection on which no request has come yet is closed after so long. Default 10 s.
    pub first_request: Duration,
    /// A connection on which nothing is asked for so long is closed. Default 1 minute.
    pub idle: Duration,
    /// From the first octet of a request to the end of its head. Default 10 s.
    pub head_time: Duration,
    /// From the head of a request to the last octet of its body. Default 20 s.
    pub body_time: Duration,
    /// A peer that takes nothing of a waiting answer for so long is closed. Default 10 s.
    pub write_time: Duration,
    /// Octets of the head of a request, 8192 at least. Default 16 KiB.
    pub max_head: usize,
    /// Octets of the body of a request, compressed and not. Default 1 MiB.
    pub max_request: usize,
    /// How many times its size a compressed body may grow, where it grows above 64 KiB. Default 100.
    pub max_growth: usize,
    /// Octets of the bodies of all requests that are held at one time. Default 32 MiB.
    pub max_bodies: usize,
    /// Requests at one time on one connection of HTTP/2; more are refused, and the connection goes on. Default 100, the
    /// least that RFC 9113 section 6.5.2 recommends.
    pub max_streams: u32,
    /// Answers shorter than this are not compressed. Default 512 octets.
    pub compress_above: usize,
    /// How hard to compress: 0 not at all, 1 fast to 9 small. Default 1.
    pub compression: u32,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self {
            max_connections: 256,
            max_per_peer: 32,
            max_handshakes: 128,
            handshake_time: Duration::from_secs(10),
            first_request: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            head_time: Duration::from_secs(10),
            body_time: Duration::from_secs(20),
            write_time: Duration::from_secs(10),
            max_head: 16 << 10,
            max_request: 1 << 20,
            max_growth: 100,
            max_bodies: 32 << 20,
            max_streams: 100,
            compress_above: 512,
            compression: 1,
        }
    }
}

impl HttpLimits {
    /// Those of the connections below.
    pub(super) fn of_connections(&self) -> TcpLimits {
        TcpLimits {
            max_connections: self.max_connections,
            max_per_peer: self.max_per_peer,
            max_handshakes: self.max_handshakes,
            handshake_time: self.handshake_time,
            ..TcpLimits::default()
        }
    }
}
