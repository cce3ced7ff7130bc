//! Counters of a TCP server.

use crate::counters::{add, count, counters};

counters! {
    /// Counters of one TCP server, which any thread can read at any time.
    TcpCounters,
    /// The values of [`TcpCounters`] at one moment.
    TcpCounts {
        /// Connections accepted and served.
        accepted,
        /// Connections refused: too many in total.
        refused_total,
        /// Connections refused: too many from that address.
        refused_per_peer,
        /// Connections refused: no descriptor is free for them.
        refused_descriptors,
        /// Connections closed before their first message, to make room for newer ones.
        gave_way,
        /// Handshakes that failed: missing or invalid credentials, or something other than a handshake.
        failed_handshakes,
        /// Handshakes that took too long.
        slow_handshakes,
        /// Sessions that the handler refused.
        refused_sessions,
        /// Failures to accept (no file descriptors, no memory, ...).
        accept_errors,
        /// Open connections.
        open,
        /// Complete messages received.
        received,
        /// Octets received.
        received_octets,
        /// Answers queued to be sent.
        sent,
        /// Octets sent.
        sent_octets,
        /// Connections closed because their octets were not a message.
        framing_errors,
        /// Connections closed because a message was longer than allowed.
        too_long,
        /// Connections closed because no message came for too long.
        idle_closed,
        /// Connections closed because a message took too long to arrive.
        slow_messages,
        /// Connections closed because the peer did not read its answers.
        slow_readers,
        /// Connections that the peer closed within a message.
        cut_short,
        /// Connections that failed (reset, ...).
        io_errors,
        /// Connections ended by a panic while handling a message.
        panics,
    }
}

impl TcpCounters {
    /// Counts a session that a panic ended.
    pub(crate) fn panicked(&self) {
        count(&self.panics);
    }

    /// Counts a whole HTTP request.
    pub(crate) fn asked(&self) {
        count(&self.received);
    }

    /// Counts octets received.
    pub(crate) fn took(&self, octets: usize) {
        add(&self.received_octets, octets);
    }

    /// Counts octets sent.
    pub(crate) fn gave(&self, octets: usize) {
        add(&self.sent_octets, octets);
    }

    /// Counts an answer to a request.
    pub(crate) fn answered(&self) {
        count(&self.sent);
    }
}
