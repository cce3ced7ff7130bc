//! Where a subscriber is: URLs of HTTP and HTTPS.

use std::fmt;
use std::str::FromStr;

use trunkline_transport::Authority;

/// Where messages are posted to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Url {
    /// Whether it is `https://`.
    pub is_secure: bool,
    /// A name or an address, IPv6 without brackets.
    pub host: String,
    /// Its port, from 1.
    pub port: u16,
    /// Host and port as they were written.
    pub authority: String,
    /// Including the query after `?`.
    pub path: String,
}

/// Why a URL cannot be posted to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WrongUrl {
    /// Another scheme, or none.
    #[error("expected http:// or https://, as in http://host:port/path")]
    Scheme,
    /// No host, or a port that cannot be one.
    #[error("expected a host after the scheme, and a port from 1 to 65535 if there is one")]
    Host,
    /// A path with other characters.
    #[error("expected a path of visible ASCII characters")]
    Path,
}

impl FromStr for Url {
    type Err = WrongUrl;

    fn from_str(text: &str) -> Result<Self, WrongUrl> {
        let url = trunkline_transport::Url::split(text).ok_or(WrongUrl::Scheme)?;
        let (is_secure, usual_port) = match url.scheme {
            scheme if scheme.eq_ignore_ascii_case("http") => (false, 80),
            scheme if scheme.eq_ignore_ascii_case("https") => (true, 443),
            _ => return Err(WrongUrl::Scheme),
        };
        let Authority { host, port } = Authority::parse(url.authority).map_err(|_| WrongUrl::Host)?;
        let port = port.unwrap_or(usual_port);
        if url.user.is_some() || port == 0 || host.contains('%') {
            return Err(WrongUrl::Host);
        }
        let query = url.query.map(|query| format!("?{query}")).unwrap_or_default();
        let path = format!("{}{query}", if url.path.is_empty() { "/" } else { url.path });
        if !path.bytes().all(|octet| octet.is_ascii_graphic()) {
            return Err(WrongUrl::Path);
        }
        Ok(Url { is_secure, host: host.to_owned(), port, authority: url.authority.to_owned(), path })
    }
}

/// Without the part after the host: a path may be a secret.
impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", if self.is_secure { "https" } else { "http" }, self.authority)
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
            ("https://host/secret", "host", 443, "/secret"),
            ("HTTPS://[::1]", "::1", 443, "/"),
            ("Http://host:443", "host", 443, "/"),
        ] {
            let url: Url = text.parse().unwrap();
            assert_eq!((&*url.host, url.port, &*url.path), (host, port, path), "{text}");
            assert_eq!(url.is_secure, text.starts_with("https") || text.starts_with("HTTPS"), "{text}");
            assert!(!url.to_string().contains("secret"));
        }
        for (text, wrong) in [
            ("ftp://host/", WrongUrl::Scheme),
            ("//host/", WrongUrl::Scheme),
            ("", WrongUrl::Scheme),
            ("mailto:a@b", WrongUrl::Scheme),
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
