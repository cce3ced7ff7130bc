//! Counters of a DTLS server.

use crate::counters::counters;

counters! {
    /// Counters of one DTLS server, which any thread can read at any time.
    DtlsCounters,
    /// The values of [`DtlsCounters`] at one moment.
    DtlsCounts {
        /// Datagrams received.
        datagrams,
        /// Datagrams that are not DTLS, or of an unknown session.
        strays,
        /// Datagrams of a session with nothing new in them: repeated, damaged, or a late part of a handshake.
        empty,
        /// Datagrams dropped because their session had too many waiting.
        overrun,
        /// Handshakes begun without a valid cookie; each was answered with a cookie, or not at all.
        without_cookie,
        /// Handshakes begun by peers with a valid cookie.
        handshakes,
        /// Handshakes refused: too many sessions in total.
        refused_total,
        /// Handshakes refused: too many sessions with that address.
        refused_per_peer,
        /// Sessions closed before their first message, to make room for newer ones.
        gave_way,
        /// Handshakes that failed: a missing or invalid certificate, or a protocol error.
        failed_handshakes,
        /// Handshakes that took too long.
        slow_handshakes,
        /// Sessions that the handler refused.
        refused_sessions,
        /// Open sessions, including those in their handshake.
        open,
        /// Messages received.
        received,
        /// Octets of messages received.
        received_octets,
        /// Messages dropped because too many of the session's requests were in progress.
        refused_in_flight,
        /// Answers sent.
        sent,
        /// Octets of answers sent.
        sent_octets,
        /// Answers too long for a datagram; nothing was sent.
        too_long,
        /// Sessions closed because no message came for too long.
        idle_closed,
        /// Sessions that failed.
        session_errors,
        /// Sessions ended by a panic while handling a message.
        panics,
        /// Failures of the socket.
        io_errors,
    }
}
