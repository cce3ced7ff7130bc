//! What a listener for HTTP has counted, as names and numbers. Other listeners' counts name themselves.

use trunkline_transport::http::{HttpCounts, HttpRequestCounts};

/// Gives each named field of a struct of counts with its name: a counter that is added there and not here
/// does not compile.
macro_rules! named {
    ($counts:expr, $of:ident { $($field:ident),* $(,)? }) => {{
        let $of { $($field),* } = *$counts;
        vec![$((stringify!($field), $field)),*]
    }};
}

pub(super) fn http_counts(counts: &HttpCounts) -> Vec<(&'static str, u64)> {
    let mut all = counts.connections.named();
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
