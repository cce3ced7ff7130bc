//! What a peer may take of us, and how its octets are cut into messages.

use std::time::Duration;

use crate::register::Bounds;

/// The octets are not the start of any message: the stream cannot be read on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the stream holds no message here")]
pub struct FrameError;

/// Says how long the message at the start of the given octets is, as soon as
/// enough of them are there: `None` asks for more. It must know after a bounded
/// number of octets.
pub type Framer = fn(&[u8]) -> Result<Option<usize>, FrameError>;

/// Limits of a TCP server. Every one of them bounds memory or time that a slow,
/// half-open or flooding peer could take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpLimits {
    /// Connections at one time. Default 256.
    pub max_connections: usize,
    /// Connections at one time from one address of IPv4 or one /64 of IPv6. Default 32.
    pub max_per_peer: usize,
    /// Octets of a message; a longer one closes the connection. Default 65,535
    /// (RFC 3430 section 2.2 asks for 8192 at least).
    pub max_message: usize,
    /// Requests of one connection that are being answered at one time; reading
    /// pauses at the limit. Default 16.
    pub max_in_flight: usize,
    /// Octets of answers that wait for the peer to read them; reading pauses
    /// above. Default 256 KiB.
    pub max_output: usize,
    /// Handshakes at one time, and a quarter of them with one address of IPv4 or one /64 of IPv6. At the limit the
    /// oldest one gives way to a new one. Default 256.
    pub max_handshakes: usize,
    /// From the connection to the end of the handshake. Default 10 s.
    pub handshake_time: Duration,
    /// A connection whose first message has not come is closed after so long. Default 10 s.
    pub first_message: Duration,
    /// A connection without any complete message for so long is closed. Default
    /// 5 minutes.
    pub idle: Duration,
    /// From the first octet of a message to its last. Default 10 s.
    pub message_time: Duration,
    /// A peer that takes no octet of a waiting answer for so long is closed.
    /// Default 10 s.
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
