//! What a DTLS server saw.

use crate::counters::counters;

counters! {
    /// Counters of one DTLS server, to be read at any time by any thread.
    DtlsCounters,
    /// The values of [`DtlsCounters`] at one time.
    DtlsCounts {
        /// Datagrams received.
        datagrams,
        /// Datagrams that are no DTLS, or of a session that is not there.
        strays,
        /// Datagrams of a session that held nothing new: repeated by somebody, damaged, or a late part of a handshake.
        empty,
        /// Datagrams dropped because their session had too many waiting.
        overrun,
        /// Beginnings of a handshake without a good cookie; each was answered with a cookie, or not at all.
        without_cookie,
        /// Handshakes begun, by peers with a good cookie.
        handshakes,
        /// Handshakes not begun: too many sessions in all.
        refused_total,
        /// Handshakes not begun: too many sessions with that address.
        refused_per_peer,
        /// Sessions closed before their first message, to make room for newer ones.
        gave_way,
        /// Handshakes that failed: no or a wrong proof, or a break of the protocol.
        failed_handshakes,
        /// Handshakes that took too long.
        slow_handshakes,
        /// Sessions that the handler did not want: nobody we answer.
        refused_sessions,
        /// Sessions open now, those in their handshake included.
        open,
        /// Messages received.
        received,
        /// Octets of messages received.
        received_octets,
        /// Messages dropped because too many of the session were being answered.
        refused_in_flight,
        /// Answers sent.
        sent,
        /// Octets of answers sent.
        sent_octets,
        /// Answers longer than a datagram can hold; nothing was sent.
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
