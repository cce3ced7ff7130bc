//! Where a subscriber is: URLs of HTTP.

use std::str::FromStr;

/// Where messages are posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Url {
    /// A name or an address, IPv6 without brackets.
    pub host: String,
    pub port: u16,
    /// Host and port as they were written.
    pub authority: String,
    /// With what stands behind a `?`.
    pub path: String,
}

/// Why a URL is none to post to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum WrongUrl {
    #[error("subscribers are told over http://, as in http://host:port/path")]
    Scheme,
    #[error("a host, and a port from 1 to 65535 where one is given, expected behind http://")]
    Host,
    #[error("a path of visible characters of ASCII expected")]
    Path,
}

impl FromStr for Url {
    type Err = WrongUrl;

    fn from_str(text: &str) -> Result<Self, WrongUrl> {
        let rest = text.strip_prefix("http://").ok_or(WrongUrl::Scheme)?;
        let (authority, path) = rest.find(['/', '?']).map_or((rest, "/"), |at| rest.split_at(at));
        let (host, port) = match authority.strip_prefix('[') {
            Some(inside) => {
                let (host, behind) = inside.split_once(']').ok_or(WrongUrl::Host)?;
                host.parse::<std::net::Ipv6Addr>().map_err(|_| WrongUrl::Host)?;
                (host, behind.strip_prefix(':').or((behind.is_empty()).then_some("80")))
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, Some("80")),
            },
        };
        let port = port.and_then(|port| port.parse().ok()).filter(|port| *port != 0).ok_or(WrongUrl::Host)?;
        let is_name = |octet: u8| octet.is_ascii_alphanumeric() || b".-_:".contains(&octet);
        if host.is_empty() || !host.bytes().all(is_name) {
            return Err(WrongUrl::Host);
        }
        if !path.bytes().all(|octet| octet.is_ascii_graphic()) {
            return Err(WrongUrl::Path);
        }
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Url { host: host.to_owned(), port, authority: authority.to_owned(), path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls() {
        for (text, host, port, path) in [
            ("http://host", "host", 80, "/"),
            ("http://127.0.0.1:8080/a?b=c", "127.0.0.1", 8080, "/a?b=c"),
            ("http://[::1]:9/x", "::1", 9, "/x"),
            ("http://[fe80::1]", "fe80::1", 80, "/"),
            ("http://host?x", "host", 80, "/?x"),
        ] {
            let url: Url = text.parse().unwrap();
            assert_eq!((&*url.host, url.port, &*url.path), (host, port, path), "{text}");
        }
        for (text, wrong) in [
            ("https://host/", WrongUrl::Scheme),
            ("file:///etc/passwd", WrongUrl::Scheme),
            ("http://", WrongUrl::Host),
            ("http://user@host/", WrongUrl::Host),
            ("http://host:0/", WrongUrl::Host),
            ("http://host:70000/", WrongUrl::Host),
            ("http://[host]/", WrongUrl::Host),
            ("http://[::1]9/", WrongUrl::Host),
            ("http://host/a b", WrongUrl::Path),
            ("http://host/\r\nX: y", WrongUrl::Path),
        ] {
            assert_eq!(text.parse::<Url>(), Err(wrong), "{text}");
        }
    }
}
