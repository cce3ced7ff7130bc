//! What listeners have counted, as names and numbers.

use trunkline_transport::dtls::DtlsCounts;
use trunkline_transport::http::{HttpCounts, HttpRequestCounts};
use trunkline_transport::tcp::TcpCounts;
use trunkline_transport::udp::UdpCounts;

/// Gives each named field of a struct of counts with its name: a counter that is added there and not here
/// does not compile.
macro_rules! named {
    ($counts:expr, $of:ident { $($field:ident),* $(,)? }) => {{
        let $of { $($field),* } = *$counts;
        vec![$((stringify!($field), $field)),*]
    }};
}

pub(super) fn udp_counts(counts: &UdpCounts) -> Vec<(&'static str, u64)> {
    named!(
        counts,
        UdpCounts {
            received,
            received_octets,
            sent,
            sent_octets,
            truncated,
            receive_errors,
            too_long,
            refused,
            not_permitted,
            no_buffers,
            other_send_errors,
            panics,
        }
    )
}

pub(super) fn tcp_counts(counts: &TcpCounts) -> Vec<(&'static str, u64)> {
    named!(
        counts,
        TcpCounts {
            accepted,
            refused_total,
            refused_per_peer,
            refused_handshakes,
            failed_handshakes,
            slow_handshakes,
            refused_sessions,
            accept_errors,
            open,
            received,
            received_octets,
            sent,
            sent_octets,
            framing_errors,
            too_long,
            idle_closed,
            slow_messages,
            slow_readers,
            cut_short,
            io_errors,
            panics,
        }
    )
}

pub(super) fn http_counts(counts: &HttpCounts) -> Vec<(&'static str, u64)> {
    let mut all = tcp_counts(&counts.connections);
    all.extend(named!(
        &counts.requests,
        HttpRequestCounts {
            http2,
            requests,
            successes,
            redirections,
            client_errors,
            server_errors,
            too_large,
            bombs,
            slow_bodies,
            bad_bodies,
            unknown_codings,
            crowded_out,
            compressed,
            octets_compressed,
            octets_before,
        }
    ));
    all
}

pub(super) fn dtls_counts(counts: &DtlsCounts) -> Vec<(&'static str, u64)> {
    named!(
        counts,
        DtlsCounts {
            datagrams,
            strays,
            empty,
            overrun,
            without_cookie,
            handshakes,
            refused_total,
            refused_per_peer,
            refused_handshakes,
            failed_handshakes,
            slow_handshakes,
            refused_sessions,
            open,
            received,
            received_octets,
            refused_in_flight,
            sent,
            sent_octets,
            too_long,
            idle_closed,
            session_errors,
            panics,
            io_errors,
        }
    )
}
