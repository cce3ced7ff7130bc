//! What a server of HTTP saw, beside its connections.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use http::StatusCode;

use crate::tcp::{TcpCounters, TcpCounts};

/// Counters of one HTTP server, to be read at any time by any thread.
#[derive(Debug, Default)]
pub struct HttpCounters {
    pub(super) connections: Arc<TcpCounters>,
    pub(super) http2: AtomicU64,
    pub(super) requests: AtomicU64,
    pub(super) successes: AtomicU64,
    pub(super) redirections: AtomicU64,
    pub(super) client_errors: AtomicU64,
    pub(super) server_errors: AtomicU64,
    pub(super) too_large: AtomicU64,
    pub(super) bombs: AtomicU64,
    pub(super) slow_bodies: AtomicU64,
    pub(super) bad_bodies: AtomicU64,
    pub(super) unknown_codings: AtomicU64,
    pub(super) crowded_out: AtomicU64,
    pub(super) compressed: AtomicU64,
    pub(super) octets_compressed: AtomicU64,
    pub(super) octets_before: AtomicU64,
}

/// The values of [`HttpCounters`] at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpCounts {
    /// The connections: a message there is a request or an answer here.
    pub connections: TcpCounts,
    /// What came over them.
    pub requests: HttpRequestCounts,
}

/// What an HTTP server saw of requests.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpRequestCounts {
    /// Connections that speak HTTP/2.
    pub http2: u64,
    /// Requests whose head was read.
    pub requests: u64,
    /// Answers with a status below 300.
    pub successes: u64,
    /// Answers with a status of 300 to 399.
    pub redirections: u64,
    /// Answers with a status of 400 to 499.
    pub client_errors: u64,
    /// Answers with a status of 500 and above.
    pub server_errors: u64,
    /// Bodies that were too large (413), among them bombs.
    pub too_large: u64,
    /// Compressed bodies that grew too much (413).
    pub bombs: u64,
    /// Bodies that took too long (408).
    pub slow_bodies: u64,
    /// Bodies that ended early or were no good compression (400).
    pub bad_bodies: u64,
    /// Bodies in a compression that is not known here (415).
    pub unknown_codings: u64,
    /// Requests refused because those under work held too many octets (503).
    pub crowded_out: u64,
    /// Answers that were compressed.
    pub compressed: u64,
    /// Octets of these after compression.
    pub octets_compressed: u64,
    /// Octets of these before.
    pub octets_before: u64,
}

impl HttpCounters {
    pub(super) fn of(connections: Arc<TcpCounters>) -> Self {
        Self { connections, ..Self::default() }
    }

    pub(super) fn answered(&self, status: StatusCode) {
        self.connections.answered();
        let class = match status.as_u16() {
            0..300 => &self.successes,
            300..400 => &self.redirections,
            400..500 => &self.client_errors,
            _ => &self.server_errors,
        };
        class.fetch_add(1, Relaxed);
    }

    /// The values now.
    #[must_use]
    pub fn read(&self) -> HttpCounts {
        let requests = HttpRequestCounts {
            http2: self.http2.load(Relaxed),
            requests: self.requests.load(Relaxed),
            successes: self.successes.load(Relaxed),
            redirections: self.redirections.load(Relaxed),
            client_errors: self.client_errors.load(Relaxed),
            server_errors: self.server_errors.load(Relaxed),
            too_large: self.too_large.load(Relaxed),
            bombs: self.bombs.load(Relaxed),
            slow_bodies: self.slow_bodies.load(Relaxed),
            bad_bodies: self.bad_bodies.load(Relaxed),
            unknown_codings: self.unknown_codings.load(Relaxed),
            crowded_out: self.crowded_out.load(Relaxed),
            compressed: self.compressed.load(Relaxed),
            octets_compressed: self.octets_compressed.load(Relaxed),
            octets_before: self.octets_before.load(Relaxed),
        };
        HttpCounts { connections: self.connections.read(), requests }
    }
}
