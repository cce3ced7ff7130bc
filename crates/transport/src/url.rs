//! The only parser of `HOST:PORT`, and of URLs down to their parts. Callers decide which schemes, users, paths and
//! ports are valid.

use std::fmt;
use std::net::Ipv6Addr;

/// The parts of `SCHEME://[USER@]HOST[:PORT][/PATH][?QUERY]` (RFC 3986 section 3), as written: nothing is decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Url<'t> {
    /// The part before `://`.
    pub scheme: &'t str,
    /// The part before the last `@` of the authority.
    pub user: Option<&'t str>,
    /// Host and port, for [`Authority::parse`].
    pub authority: &'t str,
    /// The path with its first `/`; empty if there is none.
    pub path: &'t str,
    /// The part after the first `?`.
    pub query: Option<&'t str>,
}

impl<'t> Url<'t> {
    /// Splits a text; `None` if it has no `://`.
    #[must_use]
    pub fn split(text: &'t str) -> Option<Self> {
        let (scheme, rest) = text.split_once("://")?;
        let (rest, query) = match rest.split_once('?') {
            Some((rest, query)) => (rest, Some(query)),
            None => (rest, None),
        };
        let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let (user, authority) = match authority.rsplit_once('@') {
            Some((user, authority)) => (Some(user), authority),
            None => (None, authority),
        };
        Some(Url { scheme, user, authority, path, query })
    }
}

/// `HOST` or `HOST:PORT`; an IPv6 address is in brackets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Authority<'t> {
    /// A name or an address; IPv6 without its brackets, with its zone if it has one.
    pub host: &'t str,
    /// The port, if given. 0 is for listeners.
    pub port: Option<u16>,
}

/// Why a text is not a host with or without a port.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AuthorityError {
    /// There is no host.
    #[error("the host is missing")]
    NoHost,
    /// A character that cannot occur in a name or an address.
    #[error("`{host}` is not a host: expected a name, an IPv4 address or [an IPv6 address]")]
    Host {
        /// The text in its place.
        host: String,
    },
    /// `[` without `]`, or something other than an IPv6 address between them.
    #[error("`{text}` is not an IPv6 address in brackets")]
    Brackets {
        /// The text that was found.
        text: String,
    },
    /// An IPv6 address without brackets, whose end may be a port.
    #[error("IPv6 address `{address}` must stand in brackets: [{address}]")]
    NoBrackets {
        /// The address found.
        address: String,
    },
    /// The port is not a 16-bit number.
    #[error("`{port}` is not a port: expected a number from 0 to 65535")]
    Port {
        /// The text in its place.
        port: String,
    },
}

impl<'t> Authority<'t> {
    /// Parses a host with an optional port.
    ///
    /// # Errors
    /// [`AuthorityError`].
    pub fn parse(text: &'t str) -> Result<Self, AuthorityError> {
        if let Some(inside) = text.strip_prefix('[') {
            let brackets = || AuthorityError::Brackets { text: text.into() };
            let (host, behind) = inside.split_once(']').ok_or_else(brackets)?;
            if !is_ipv6(host) {
                return Err(brackets());
            }
            return Ok(Authority { host, port: behind_host(behind)? });
        }
        let (host, behind) = text.split_at(text.find(':').unwrap_or(text.len()));
        let with_port = text.rsplit_once(':').map(|(address, _port)| address);
        if let Some(address) = with_port.into_iter().chain([text]).find(|address| is_ipv6(address)) {
            return Err(AuthorityError::NoBrackets { address: address.into() });
        }
        if host.is_empty() {
            return Err(AuthorityError::NoHost);
        }
        if !host.bytes().all(|octet| octet.is_ascii_alphanumeric() || b"-._".contains(&octet)) {
            return Err(AuthorityError::Host { host: host.into() });
        }
        Ok(Authority { host, port: behind_host(behind)? })
    }
}

/// Nothing, or a colon and a port.
pub(crate) fn behind_host(text: &str) -> Result<Option<u16>, AuthorityError> {
    if text.is_empty() {
        return Ok(None);
    }
    let port = text.strip_prefix(':').unwrap_or(text);
    let is_number = text.starts_with(':') && port.bytes().all(|octet| octet.is_ascii_digit());
    let number = is_number.then(|| port.parse().ok()).flatten();
    number.map(Some).ok_or_else(|| AuthorityError::Port { port: port.into() })
}

/// Whether it is an IPv6 address, with or without a zone (RFC 6874).
#[must_use]
pub fn is_ipv6(text: &str) -> bool {
    let (address, zone) = text.split_once('%').unwrap_or((text, "zone"));
    !zone.is_empty()
        && zone.bytes().all(|octet| octet.is_ascii_graphic() && !b"[]/@%".contains(&octet))
        && address.parse::<Ipv6Addr>().is_ok()
}

impl fmt::Display for Authority<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.host.contains(':') {
            true => write!(f, "[{}]", self.host)?,
            false => f.write_str(self.host)?,
        }
        self.port.iter().try_for_each(|port| write!(f, ":{port}"))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn urls_fall_into_their_parts() {
        let url = Url::split("snmp+tls://a:b@c@[::1]:161/x/y?z=1?2/3@4").unwrap();
        let parts = (url.scheme, url.user, url.authority, url.path, url.query);
        assert_eq!(parts, ("snmp+tls", Some("a:b@c"), "[::1]:161", "/x/y", Some("z=1?2/3@4")));
        let url = Url::split("http://host?x").unwrap();
        assert_eq!((url.user, url.authority, url.path, url.query), (None, "host", "", Some("x")));
        assert_eq!(Url::split("host:161/a"), None);
    }

    #[test]
    fn hosts_and_ports() {
        for (text, host, port) in [
            ("h", "h", None),
            ("my_host-1.example:0", "my_host-1.example", Some(0)),
            ("192.0.2.1:161", "192.0.2.1", Some(161)),
            ("[::1]", "::1", None),
            ("[fe80::1%eth0]:65535", "fe80::1%eth0", Some(65535)),
        ] {
            assert_eq!(Authority::parse(text), Ok(Authority { host, port }), "{text}");
        }
    }

    #[test]
    fn each_mistake_is_reported() {
        let error = |text: &str| Authority::parse(text).unwrap_err();
        for text in ["", ":161"] {
            assert_eq!(error(text), AuthorityError::NoHost, "{text}");
        }
        for text in ["a b", "a/b", "*", "a%b", "ä"] {
            assert_eq!(error(text), AuthorityError::Host { host: text.into() });
        }
        for text in ["[::1", "[1.2.3.4]:1", "[]", "[::1%]", "[h]"] {
            assert_eq!(error(text), AuthorityError::Brackets { text: text.into() });
        }
        for (text, address) in [("fe80::1:161", "fe80::1"), ("::1", "::1"), ("fe80::1%eth0", "fe80::1%eth0")]
        {
            assert_eq!(error(text), AuthorityError::NoBrackets { address: address.into() });
        }
        for (text, port) in [
            ("h:", ""),
            ("h:65536", "65536"),
            ("h:+1", "+1"),
            ("h:1:2", "1:2"),
            ("[::1]9", "9"),
            ("h:161x", "161x"),
        ] {
            assert_eq!(error(text), AuthorityError::Port { port: port.into() }, "{text}");
        }
    }

    proptest! {
        #[test]
        fn parsed_urls_are_printed_the_same(text in "(\\[[0-9a-f:]{2,9}\\]|[a-z0-9._-]{1,9})(:[1-9][0-9]{0,4})?") {
            if let Ok(authority) = Authority::parse(&text) {
                prop_assert_eq!(authority.to_string(), text);
            }
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC{0,20}") {
            let _ = Authority::parse(&text);
            let _ = Url::split(&text);
        }
    }
}
