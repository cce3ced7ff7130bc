//! What a peer may consume at a DTLS server.

use std::time::Duration;

use crate::register::Bounds;

/// Limits of a DTLS server. Each bounds memory or time that a slow, half-open or flooding peer could consume. A
/// peer consumes nothing until it has shown that it receives what is sent to its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DtlsLimits {
    /// Maximum number of sessions, including those in their handshake. Default 256.
    pub max_sessions: usize,
    /// Maximum number of sessions with one IPv4 address or one IPv6 /64. Default 32.
    pub max_per_peer: usize,
    /// Maximum number of handshakes, and a quarter of them with one IPv4 address or one IPv6 /64. At the limit the
    /// oldest one gives way to a new one. Default 256.
    pub max_handshakes: usize,
    /// From the first handshake message with a cookie to the last. Default 30 s.
    pub handshake_time: Duration,
    /// A session without a first message is closed after this time. Default 10 s.
    pub first_message: Duration,
    /// A session without messages is closed after this time. Default 5 minutes.
    pub idle: Duration,
    /// Maximum number of a session's requests in progress; more are dropped. Default 16.
    pub max_in_flight: usize,
    /// Maximum number of a session's datagrams in its queue; more are dropped. Default 64.
    pub max_waiting: usize,
    /// Octets of the longest handshake datagram, so that it passes where fragments do not. Default 1200.
    pub mtu: u32,
}

impl Default for DtlsLimits {
    fn default() -> Self {
        Self {
            max_sessions: 256,
            max_per_peer: 32,
            max_handshakes: 256,
            handshake_time: Duration::from_secs(30),
            first_message: Duration::from_secs(10),
            idle: Duration::from_secs(300),
            max_in_flight: 16,
            max_waiting: 64,
            mtu: 1_200,
        }
    }
}

impl DtlsLimits {
    pub(super) const fn bounds(&self) -> Bounds {
        let Self { max_sessions: max_connections, max_per_peer, max_handshakes, .. } = *self;
        Bounds { max_connections, max_per_peer, max_handshakes }
    }
}

pub(super) use crate::session::MAX_DTLS_MESSAGE as MAX_MESSAGE;
