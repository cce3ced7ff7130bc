//! Whether a request is meant for this agent: the name in Host, and the web page that sent it.
//!
//! A web page whose owner points its name to our address (DNS rebinding) is of the same origin as we are for the
//! browser that shows it: it may send requests with a community such as `public` from inside a network. But it
//! cannot address us by a name other than its own, nor present a password, a token or a certificate that is not
//! its owner's. So an unauthenticated request over plain HTTP must use one of our addresses or names; over HTTPS
//! the client has checked the name against our certificate. Pages of other origins identify themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

use trunkline_transport::Transport;
use trunkline_transport::http::{HttpRequest, HttpResponse, StatusCode, header};

use trunkline_config::HttpPlan;

/// The names of this machine, in lower case.
pub(super) struct OwnNames(Vec<String>);

impl OwnNames {
    /// The host's name, that name in `.local` (RFC 6762), and its aliases in /etc/hosts.
    pub(super) fn of_this_machine() -> Self {
        let uname = rustix::system::uname();
        let name = uname.nodename().to_string_lossy().to_ascii_lowercase();
        Self::of(&name, &std::fs::read_to_string("/etc/hosts").unwrap_or_default())
    }

    fn of(name: &str, hosts: &str) -> Self {
        let mut names = vec![name.to_owned(), format!("{name}.local")];
        for line in hosts.lines() {
            let line = line.split('#').next().unwrap_or_default().to_ascii_lowercase();
            let called = || line.split_whitespace().skip(1);
            if called().any(|other| other == name) {
                names.extend(called().map(str::to_owned));
            }
        }
        Self(names)
    }

    /// Whether a request is for us.
    ///
    /// # Errors
    /// The answer with the setting that would accept it.
    pub(super) fn check(&self, plan: &HttpPlan, request: &HttpRequest) -> Result<(), Box<HttpResponse>> {
        let authority = request.authority.as_deref();
        for origin in request.headers.get_all(header::ORIGIN) {
            let origin = origin.to_str().unwrap_or_default().to_ascii_lowercase();
            if !is_own_origin(request, &origin) && !is_listed(&plan.origins, &origin) {
                let line = "requests from a web page of another origin are refused, unless `origins` in [http] lists it";
                return Err(HttpResponse::text(StatusCode::FORBIDDEN, line).into());
            }
        }
        let is_proved = request.headers.contains_key(header::AUTHORIZATION);
        let Some(authority) = authority else { return Ok(()) };
        // RFC 9112 section 3.2
        if !is_host_and_port(authority) {
            let line = "Host must be a name or an address, with or without a port";
            return Err(HttpResponse::text(StatusCode::BAD_REQUEST, line).into());
        }
        let may_be_anything = request.session.transport == Transport::Https || is_proved;
        if !authority.is_empty() && (may_be_anything || self.has(host_of(authority), plan)) {
            return Ok(());
        }
        // RFC 9110 section 15.5.20: this server does not answer for that host.
        let line = "the name in Host is not one of this agent: use its address or its host name, list the name \
                    as `hosts` in [http], or use HTTPS or a password or token";
        Err(HttpResponse::text(StatusCode::MISDIRECTED_REQUEST, line).into())
    }

    fn has(&self, host: &str, plan: &HttpPlan) -> bool {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        // Addresses that nobody has are left out: connecting to them reaches this machine, and browsers do not guard them
        // as they do loopback's.
        literal.is_some_and(|literal| literal.split('%').next().is_some_and(is_ipv6))
            || host.parse::<Ipv4Addr>().is_ok_and(|address| !address.is_unspecified())
            // RFC 6761 section 6.3: never looked up at a name server.
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.0.contains(&host)
            || plan.hosts.iter().any(|listed| listed == "*" || listed.trim_end_matches('.') == host)
    }
}

fn is_ipv6(text: &str) -> bool {
    text.parse::<Ipv6Addr>().is_ok_and(|address| !address.to_canonical().is_unspecified())
}

fn is_listed(origins: &[String], origin: &str) -> bool {
    origins.iter().any(|listed| listed == "*" || listed == origin)
}

/// Whether an origin is that of the request's own target.
pub(super) fn is_own_origin(request: &HttpRequest, origin: &str) -> bool {
    let authority = request.authority.as_deref();
    authority.is_some_and(|authority| is_of(&origin.to_ascii_lowercase(), request.scheme(), authority))
}

/// Whether an origin is that of this scheme and authority. Plain HTTP may be behind a proxy that terminates TLS.
fn is_of(origin: &str, scheme: &str, authority: &str) -> bool {
    let Some((of_page, page)) = origin.split_once("://") else { return false };
    let usual = |scheme: &str| if scheme == "https" { ":443" } else { ":80" };
    let bare = |authority: &str, scheme| {
        authority.strip_suffix(usual(scheme)).unwrap_or(authority).to_ascii_lowercase()
    };
    (of_page == scheme || of_page == "https") && bare(page, of_page) == bare(authority, scheme)
}

/// Whether it has only characters allowed in a host, and a number for a port (RFC 3986 section 3.2).
fn is_host_and_port(authority: &str) -> bool {
    let host = host_of(authority);
    let port = authority[host.len()..].strip_prefix(':').unwrap_or_default();
    let may_stand = |octet: u8| octet.is_ascii_alphanumeric() || b"-._~%!$&'()*+,;=:[]@".contains(&octet);
    port.bytes().all(|octet| octet.is_ascii_digit()) && host.bytes().all(may_stand)
}

/// Without the port. A part before an `@` is kept, so that such a name never matches: RFC 9110 section 4.2.4 has
/// no user in an authority.
fn host_of(authority: &str) -> &str {
    match authority.rfind(':') {
        Some(at) if !authority[at..].contains(']') => &authority[..at],
        _ => authority,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_names_of_ours_are_known() {
        let names =
            OwnNames::of("router1", "127.0.0.1 localhost\n127.0.1.1 Router1.example.net router1 # us\n");
        let plan = HttpPlan { hosts: vec!["agent.example.org".into()], ..HttpPlan::default() };
        let known = |authority: &str| names.has(host_of(authority), &plan);
        for authority in [
            "127.0.0.1",
            "192.0.2.7:8080",
            "[::1]:8080",
            "[fe80::1%25eth0]",
            "localhost:80",
            "LOCALHOST",
            "a.localhost",
            "router1:8080",
            "Router1.Example.net",
            "router1.example.net.",
            "router1.local",
            "agent.example.org:8080",
        ] {
            assert!(known(authority), "{authority}");
        }
        for authority in [
            "evil.example",
            "user@localhost",
            "router1.evil.example",
            "127.0.0.1.evil.example",
            "[evil]",
            "0x7f.1",
            "0.0.0.0",
            "0.0.0.0:8080",
            "[::]",
            "[::]:8080",
            "[::ffff:0.0.0.0]",
            "",
            ":80",
        ] {
            assert!(!known(authority), "{authority}");
        }
        let any = HttpPlan { hosts: vec!["*".into()], ..HttpPlan::default() };
        assert!(names.has("evil.example", &any));
    }

    #[test]
    fn a_host_is_a_name_or_an_address_and_a_port_a_number() {
        for authority in
            ["localhost", "localhost:80", "[::1]:80", "[fe80::1%25eth0]", "a_b.example:", "127.0.0.1"]
        {
            assert!(is_host_and_port(authority), "{authority}");
        }
        for authority in ["a b", "localhost:abc", "localhost:8 0", "a/b", "a\\b", "<a>", "\u{e9}", "[::1]:x"]
        {
            assert!(!is_host_and_port(authority), "{authority}");
        }
    }

    #[test]
    fn an_origin_is_ours_if_its_host_and_port_are() {
        for (origin, scheme, authority, ours) in [
            ("http://a.example:8080", "http", "A.example:8080", true),
            ("http://a.example", "http", "a.example:80", true),
            ("https://a.example", "https", "a.example", true),
            ("https://a.example", "http", "a.example", true),
            ("http://a.example", "https", "a.example", false),
            ("http://a.example:81", "http", "a.example", false),
            ("http://b.example", "http", "a.example", false),
            ("null", "http", "null", false),
            ("ftp://a.example", "http", "a.example", false),
        ] {
            assert_eq!(is_of(origin, scheme, authority), ours, "{origin} {authority}");
        }
    }
}
