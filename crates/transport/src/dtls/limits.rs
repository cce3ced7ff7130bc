//! What a peer may take of a DTLS server.

use std::time::Duration;

use crate::register::Bounds;

/// Limits of a DTLS server. Every one of them bounds memory or time that a slow, half-open or flooding peer could
/// take. Before a peer has shown that it gets what is sent to its address it takes nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DtlsLimits {
    /// Sessions at one time, those in their handshake included. Default 256.
    pub max_sessions: usize,
    /// Sessions at one time with one address of IPv4 or one /64 of IPv6. Default 32.
    pub max_per_peer: usize,
    /// Handshakes at one time, and a quarter of them with one address of IPv4 or one /64 of IPv6. At the limit the
    /// oldest one gives way to a new one. Default 256.
    pub max_handshakes: usize,
    /// From the first message of a handshake that shows a cookie to the last. Default 30 s.
    pub handshake_time: Duration,
    /// A session whose first message has not come is closed after so long. Default 10 s.
    pub first_message: Duration,
    /// A session without any message for so long is closed. Default 5 minutes.
    pub idle: Duration,
    /// Requests of one session that are being answered at one time; more are dropped. Default 16.
    pub max_in_flight: usize,
    /// Datagrams of one session that wait to be looked at; more are dropped. Default 64.
    pub max_waiting: usize,
    /// Octets of the longest datagram of a handshake, so that it passes where fragments do not. Default 1200.
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
