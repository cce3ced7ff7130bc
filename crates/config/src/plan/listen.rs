//! Listeners of all sections together: no two of them may use the same port of an address, which the kernel would
//! refuse.

use std::net::SocketAddr;
use std::ops::Range;

use serde_spanned::Spanned;
use trunkline_transport::ListenUrl;

use super::Plan;
use super::value::{self, Checked};
use crate::Place;

/// The positions of a list's addresses.
pub(super) fn spans(list: &Option<Spanned<Vec<Spanned<String>>>>) -> Vec<Range<usize>> {
    list.iter().flat_map(|list| list.get_ref().iter().map(Spanned::span)).collect()
}

/// Checks that all listeners can be opened together. The positions are those of `[snmp]`, `[http]`,
/// `[netconf]` and `[jmx]`; none if they are defaults.
pub(super) fn check_overlaps(
    plan: &Plan,
    [snmp, http, netconf, jmx]: [Vec<Range<usize>>; 4],
    place: Place<'_>,
) -> Checked<()> {
    let at = |listen: &[ListenUrl], spans: Vec<Range<usize>>| {
        let spans = spans.into_iter().map(Some).chain(std::iter::repeat(None));
        listen.iter().copied().zip(spans).collect::<Vec<_>>()
    };
    let of_netconf = plan.netconf.as_ref().map_or(&[][..], |netconf| &netconf.listen);
    let of_jmx = plan.jmx.as_ref().map_or(&[][..], |jmx| &jmx.listen);
    let listeners =
        [at(&plan.snmp.listen, snmp), at(&plan.http.listen, http), at(of_netconf, netconf), at(of_jmx, jmx)];
    let listeners = listeners.concat();
    let one = |(at, (url, span)): (usize, &(ListenUrl, Option<Range<usize>>))| {
        let Some((other, other_span)) = listeners[..at].iter().find(|(other, _)| overlap(url, other)) else {
            return Ok(());
        };
        let message = format!(
            "{url} and {other} cannot both be opened: they share the {} port {}; remove one of them, or give one another port",
            if url.transport.has_datagrams() { "UDP" } else { "TCP" },
            url.port
        );
        let span = span.clone().or_else(|| other_span.clone()).unwrap_or(0..0);
        Err(place.wrong(span, message))
    };
    value::all(listeners.iter().enumerate().map(one)).map(drop)
}

/// Whether the kernel would refuse the second of two listeners.
pub fn overlap(a: &ListenUrl, b: &ListenUrl) -> bool {
    let is_same_kind = a.transport.has_datagrams() == b.transport.has_datagrams();
    let meet = |a: &SocketAddr, b: &SocketAddr| {
        let is_any = a.ip().is_unspecified() || b.ip().is_unspecified();
        a.is_ipv4() == b.is_ipv4() && (is_any || a == b)
    };
    is_same_kind
        && a.port == b.port
        && a.port != 0
        && a.socket_addrs().iter().any(|a| b.socket_addrs().iter().any(|b| meet(a, b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_meet_as_the_kernel_says() {
        for (a, b, meet) in [
            ("udp://0.0.0.0:161", "udp://127.0.0.1:161", true),
            ("udp://127.0.0.1:161", "udp://127.0.0.1:161", true),
            ("udp://*:161", "udp://127.0.0.1:161", true),
            ("udp://*:161", "udp://[::1]:161", true),
            ("udp://127.0.0.1:161", "dtls://127.0.0.1:161", true),
            ("tcp://[::]:443", "https://[::1]:443", true),
            ("udp://0.0.0.0:161", "udp://[::]:161", false),
            ("udp://127.0.0.1:161", "tcp://127.0.0.1:161", false),
            ("udp://127.0.0.1:161", "udp://127.0.0.2:161", false),
            ("udp://0.0.0.0:161", "udp://127.0.0.1:162", false),
            ("udp://0.0.0.0:0", "udp://127.0.0.1:0", false),
            ("udp://[fe80::1%1]:161", "udp://[fe80::1%2]:161", false),
        ] {
            let (one, other): (ListenUrl, ListenUrl) = (a.parse().unwrap(), b.parse().unwrap());
            assert_eq!((overlap(&one, &other), overlap(&other, &one)), (meet, meet), "{a} {b}");
        }
    }
}
