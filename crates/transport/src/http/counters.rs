//! Counters of an HTTP server beside those of its connections.

use std::sync::Arc;

use http::StatusCode;

use crate::counters::{count, counters};
use crate::tcp::{TcpCounters, TcpCounts};

/// Counters of one HTTP server, which any thread can read at any time.
#[derive(Debug, Default)]
pub struct HttpCounters {
    pub(super) connections: Arc<TcpCounters>,
    pub(super) requests: HttpRequestCounters,
}

/// The values of [`HttpCounters`] at one moment.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpCounts {
    /// The connections: here a message is a request or an answer.
    pub connections: TcpCounts,
    /// The requests on them.
    pub requests: HttpRequestCounts,
}

counters! {
    /// Counters of requests.
    HttpRequestCounters,
    /// The values of an HTTP server's request counters.
    HttpRequestCounts {
        /// Connections that speak HTTP/2.
        http2,
        /// Requests whose head was read.
        requests,
        /// Answers with a status below 300.
        successes,
        /// Answers with a status of 300 to 399.
        redirections,
        /// Answers with a status of 400 to 499.
        client_errors,
        /// Answers with a status of 500 and above.
        server_errors,
        /// Bodies that were too large (413), including bombs.
        too_large,
        /// Compressed bodies that grew too much (413).
        bombs,
        /// Bodies that took too long (408).
        slow_bodies,
        /// Bodies that ended early or were badly compressed (400).
        bad_bodies,
        /// Bodies with an unsupported compression (415).
        unknown_codings,
        /// Requests refused because those in progress held too many bytes (503).
        crowded_out,
        /// Answers that were compressed.
        compressed,
        /// Bytes of those answers after compression.
        octets_compressed,
        /// Bytes of those answers before compression.
        octets_before,
    }
}

impl HttpCounters {
    pub(super) fn of(connections: Arc<TcpCounters>) -> Self {
        Self { connections, ..Self::default() }
    }

    pub(super) fn answered(&self, status: StatusCode) {
        self.connections.answered();
        count(match status.as_u16() {
            0..300 => &self.requests.successes,
            300..400 => &self.requests.redirections,
            400..500 => &self.requests.client_errors,
            _ => &self.requests.server_errors,
        });
    }

    /// The values now.
    #[must_use]
    pub fn read(&self) -> HttpCounts {
        HttpCounts { connections: self.connections.read(), requests: self.requests.read() }
    }
}

impl HttpCounts {
    /// All values with their names: those of the connections, then those of the requests.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        [self.connections.named(), self.requests.named()].concat()
    }
}
