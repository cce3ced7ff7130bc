//! What a TCP server saw.

use crate::counters::{add, count, counters};

counters! {
    /// Counters of one TCP server, to be read at any time by any thread.
    TcpCounters,
    /// The values of [`TcpCounters`] at one time.
    TcpCounts {
        /// Connections accepted and served.
        accepted,
        /// Connections closed at once: too many in all.
        refused_total,
        /// Connections closed at once: too many from that address.
        refused_per_peer,
        /// Connections closed at once: no descriptor is free for them.
        refused_descriptors,
        /// Connections closed before their first message, to make room for newer ones.
        gave_way,
        /// Handshakes that failed: no or a wrong proof, or something else than a handshake.
        failed_handshakes,
        /// Handshakes that took too long.
        slow_handshakes,
        /// Sessions that the handler did not want: nobody we answer.
        refused_sessions,
        /// Failures to accept (no file descriptors, no memory, ...).
        accept_errors,
        /// Connections open now.
        open,
        /// Complete messages received.
        received,
        /// Octets received.
        received_octets,
        /// Answers queued to be sent.
        sent,
        /// Octets sent.
        sent_octets,
        /// Connections closed because their octets were no message.
        framing_errors,
        /// Connections closed because a message was announced longer than allowed.
        too_long,
        /// Connections closed because no message came for too long.
        idle_closed,
        /// Connections closed because a message took too long to arrive.
        slow_messages,
        /// Connections closed because the peer did not take its answers.
        slow_readers,
        /// Connections the peer ended inside a message.
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

    /// Counts a whole request of HTTP.
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

    /// Counts an answer to one.
    pub(crate) fn answered(&self) {
        count(&self.sent);
    }
}
