//! What a server of HTTP saw, beside its connections.

use std::sync::Arc;

use http::StatusCode;

use crate::counters::{count, counters};
use crate::tcp::{TcpCounters, TcpCounts};

/// Counters of one HTTP server, to be read at any time by any thread.
#[derive(Debug, Default)]
pub struct HttpCounters {
    pub(super) connections: Arc<TcpCounters>,
    pub(super) requests: HttpRequestCounters,
}

/// The values of [`HttpCounters`] at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HttpCounts {
    /// The connections: a message there is a request or an answer here.
    pub connections: TcpCounts,
    /// What came over them.
    pub requests: HttpRequestCounts,
}

counters! {
    /// Counters of what came over the connections.
    HttpRequestCounters,
    /// What an HTTP server saw of requests.
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
        /// Bodies that were too large (413), among them bombs.
        too_large,
        /// Compressed bodies that grew too much (413).
        bombs,
        /// Bodies that took too long (408).
        slow_bodies,
        /// Bodies that ended early or were no good compression (400).
        bad_bodies,
        /// Bodies in a compression that is not known here (415).
        unknown_codings,
        /// Requests refused because those under work held too many octets (503).
        crowded_out,
        /// Answers that were compressed.
        compressed,
        /// Octets of these after compression.
        octets_compressed,
        /// Octets of these before.
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
    /// Each with its name: those of the connections, then those of the requests.
    #[must_use]
    pub fn named(&self) -> Vec<(&'static str, u64)> {
        [self.connections.named(), self.requests.named()].concat()
    }
}
