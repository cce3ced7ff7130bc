//! What a peer may consume, and how its octets are cut into messages.

use std::time::Duration;

use crate::register::Bounds;

/// The octets are not the start of any message: the stream cannot be parsed any further.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream holds no message here")]
pub struct FrameError;

/// Returns the length of the message at the start of the given octets, as soon as enough of them are there: `None`
/// requests more. A bounded number of octets must be enough.
pub type Framer = fn(&[u8]) -> Result<Option<usize>, FrameError>;

/// Limits of a TCP server. Each bounds memory or time that a slow, half-open or flooding peer could consume.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpLimits {
    /// Maximum number of connections. Default 256.
    pub max_connections: usize,
    /// Maximum number of connections from one IPv4 address or one IPv6 /64. Default 32.
    pub max_per_peer: usize,
    /// Octets of a message; a longer one closes the connection. Default 65,535 (RFC 3430 section 2.2 requires at
    /// least 8192).
    pub max_message: usize,
    /// Maximum number of a connection's requests in progress; reading pauses at the limit. Default 16.
    pub max_in_flight: usize,
    /// Octets of answers that wait for the peer to read them; reading pauses above. Default 256 KiB.
    pub max_output: usize,
    /// Maximum number of handshakes, and a quarter of them with one IPv4 address or one IPv6 /64. At the limit the
    /// oldest one gives way to a new one. Default 256.
    pub max_handshakes: usize,
    /// From the connection to the end of the handshake. Default 10 s.
    pub handshake_time: Duration,
    /// A connection without a first message is closed after this time. Default 10 s.
    pub first_message: Duration,
    /// A connection without a complete message is closed after this time. Default 5 minutes.
    pub idle: Duration,
    /// From the first octet of a message to its last. Default 10 s.
    pub message_time: Duration,
    /// A peer that accepts no octet of a waiting answer is disconnected after this time. Default 10 s.
    pub write_time: Duration,
}

impl Default for TcpLimits {
    fn default() -> Self {
        Self {
            max_connections: 256,
            max_per_peer: 32,
            max_message: 65_535,
            max_in_flight: 16,
            max_output: 256 << 10,
            max_handshakes: 256,
            handshake_time: Duration::from_secs(10),
            first_message: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            message_time: Duration::from_secs(10),
            write_time: Duration::from_secs(10),
        }
    }
}

impl TcpLimits {
    pub(super) const fn bounds(&self) -> Bounds {
        let Self { max_connections, max_per_peer, max_handshakes, .. } = *self;
        Bounds { max_connections, max_per_peer, max_handshakes }
    }
}
