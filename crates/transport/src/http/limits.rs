//! What a peer may consume at an HTTP server.

use std::time::Duration;

use crate::tcp::TcpLimits;

/// Limits of an HTTP server. Each bounds memory, work or time that a slow, half-open or flooding peer could
/// consume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// Maximum number of connections. Default 256.
    pub max_connections: usize,
    /// Maximum number of connections from one IPv4 address or one IPv6 /64. Default 32.
    pub max_per_peer: usize,
    /// Maximum number of TLS handshakes, and a quarter of them with one IPv4 address or one IPv6 /64. At the limit
    /// the oldest one gives way to a new one. Default 128.
    pub max_handshakes: usize,
    /// From the connection to the end of the handshake. Default 10 s.
    pub handshake_time: Duration,
    /// A connection without a first request is closed after this time. Default 10 s.
    pub first_request: Duration,
    /// A connection without requests is closed after this time. Default 1 minute.
    pub idle: Duration,
    /// From the first byte of a request to the end of its head. Default 10 s.
    pub head_time: Duration,
    /// From the head of a request to the last byte of its body. Default 20 s.
    pub body_time: Duration,
    /// A peer that accepts nothing of a waiting answer is disconnected after this time. Default 10 s.
    pub write_time: Duration,
    /// Bytes of a request's head, at least 8192. Default 16 KiB.
    pub max_head: usize,
    /// Bytes of a request's body, compressed and decompressed. Default 1 MiB.
    pub max_request: usize,
    /// How many times its size a compressed body may grow, above 64 KiB. Default 100.
    pub max_growth: usize,
    /// Bytes of all request bodies held at one time. Default 32 MiB.
    pub max_bodies: usize,
    /// Maximum number of concurrent requests on one HTTP/2 connection; more are refused, and the connection
    /// continues. Default 16: a peer that reads nothing makes each of them hold what it is answered with. RFC 9113 section 6.5.2 recommends 100.
    pub max_streams: u32,
    /// Answers shorter than this are not compressed. Default 512 bytes.
    pub compress_above: usize,
    /// The compression level: 0 none, 1 fast to 9 small. Default 1.
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
            max_streams: 16,
            compress_above: 512,
            compression: 1,
        }
    }
}

impl HttpLimits {
    /// The limits of the underlying connections.
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
