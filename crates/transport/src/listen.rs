//! Where a server listens, as written in a configuration: `udp://127.0.0.1:1161`, `tcp://[::1]:1161`,
//! `udp://*:161`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

use crate::TransportError;
use crate::url::{Authority, AuthorityError, Url, behind_host};

/// A transport that a server can listen on. It is displayed by its usual name, such as `UDP`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "snake_case"))]
pub enum Transport {
    /// Datagrams (RFC 3417 section 3).
    Udp,
    /// A stream of messages (RFC 3430).
    Tcp,
    /// A stream over TLS (RFC 6353).
    Tls,
    /// Datagrams over DTLS (RFC 6353).
    Dtls,
    /// A stream over the SSH subsystem `snmp` (RFC 5592).
    Ssh,
    /// Requests and answers of HTTP (RFC 9110): SOAP, and SNMP inside SOAP.
    Http,
    /// The same over TLS.
    Https,
}

impl Transport {
    /// All of them.
    pub const ALL: [Transport; 7] =
        [Self::Udp, Self::Tcp, Self::Tls, Self::Dtls, Self::Ssh, Self::Http, Self::Https];

    /// Whether it authenticates the peer, or can: over HTTPS a client certificate is optional.
    #[must_use]
    pub const fn is_secure(self) -> bool {
        matches!(self, Self::Tls | Self::Dtls | Self::Ssh | Self::Https)
    }

    /// Whether it is HTTP, whose messages have an envelope of their own.
    #[must_use]
    pub const fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// Whether it carries datagrams, which may be lost, instead of a stream.
    #[must_use]
    pub const fn has_datagrams(self) -> bool {
        matches!(self, Self::Udp | Self::Dtls)
    }

    /// The Cargo feature for it, of this crate and of `trunkline-client`; `None` for UDP and TCP.
    #[must_use]
    pub const fn feature(self) -> Option<&'static str> {
        match self {
            Self::Udp | Self::Tcp => None,
            Self::Tls => Some("tls"),
            Self::Dtls => Some("dtls"),
            Self::Ssh => Some("ssh"),
            Self::Http | Self::Https => Some("http"),
        }
    }

    /// Whether this program was built with it.
    #[must_use]
    pub const fn is_built(self) -> bool {
        match self {
            Self::Udp | Self::Tcp => true,
            Self::Tls => cfg!(feature = "tls"),
            Self::Dtls => cfg!(feature = "dtls"),
            Self::Ssh => cfg!(feature = "ssh"),
            Self::Http | Self::Https => cfg!(feature = "http"),
        }
    }

    /// Fails if this program was built without it.
    ///
    /// # Errors
    /// [`TransportError::NotBuilt`], which names the feature.
    pub const fn require_built(self) -> Result<(), TransportError> {
        match self.feature() {
            Some(feature) if !self.is_built() => {
                Err(TransportError::NotBuilt { transport: self.name(), feature })
            }
            _ => Ok(()),
        }
    }

    /// The transport of a URL scheme.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|transport| transport.name() == name)
    }

    /// The scheme of its URLs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Udp => "udp",
            Self::Tcp => "tcp",
            Self::Tls => "tls",
            Self::Dtls => "dtls",
            Self::Ssh => "ssh",
            Self::Http => "http",
            Self::Https => "https",
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Udp => "UDP",
            Self::Tcp => "TCP",
            Self::Tls => "TLS",
            Self::Dtls => "DTLS",
            Self::Ssh => "SSH",
            Self::Http => "HTTP",
            Self::Https => "HTTPS",
        })
    }
}

/// A place to listen: transport, address (or all addresses) and port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ListenUrl {
    /// The transport.
    pub transport: Transport,
    /// The address; `None` is `*`, every IPv4 and every IPv6 address.
    pub address: Option<IpAddr>,
    /// The zone of an IPv6 link-local address (an interface index), else 0.
    pub zone: u32,
    /// The port; 0 lets the kernel choose.
    pub port: u16,
}

/// Why a text is not a place to listen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListenUrlError {
    /// There is no `://`.
    #[error("`{text}` has no scheme: expected udp://ADDRESS:PORT or tcp://ADDRESS:PORT")]
    NoScheme {
        /// The whole text.
        text: String,
    },
    /// The scheme is not one we listen on.
    #[error("unknown scheme `{scheme}`: expected udp, tcp, tls, dtls, ssh, http or https")]
    Scheme {
        /// The part before `://`.
        scheme: String,
    },
    /// The port is missing.
    #[error("`{text}` has no port: expected ADDRESS:PORT, as in 127.0.0.1:1161 or [::1]:1161")]
    NoPort {
        /// The part after `://`.
        text: String,
    },
    /// Address or port are malformed.
    #[error(transparent)]
    Authority(#[from] AuthorityError),
    /// Not an address. Names are not resolved for listening.
    #[error("`{address}` is not an address: expected IPv4, [IPv6] or *")]
    Address {
        /// The text in its place.
        address: String,
    },
    /// Something follows the port.
    #[error("`{rest}` after the port is not understood")]
    Trailing {
        /// The text after the port.
        rest: String,
    },
}

impl ListenUrl {
    /// The URL of a bound socket.
    #[must_use]
    pub const fn bound(transport: Transport, address: SocketAddr) -> Self {
        let zone = match address {
            SocketAddr::V4(_) => 0,
            SocketAddr::V6(v6) => v6.scope_id(),
        };
        Self { transport, address: Some(address.ip()), zone, port: address.port() }
    }

    /// The socket addresses to bind: one, or both wildcards for `*`.
    #[must_use]
    pub fn socket_addrs(&self) -> Vec<SocketAddr> {
        match self.address {
            None => {
                vec![(Ipv4Addr::UNSPECIFIED, self.port).into(), (Ipv6Addr::UNSPECIFIED, self.port).into()]
            }
            Some(IpAddr::V4(ip)) => vec![(ip, self.port).into()],
            Some(IpAddr::V6(ip)) => {
                vec![std::net::SocketAddrV6::new(ip, self.port, 0, self.zone).into()]
            }
        }
    }

    /// Whether it listens on loopback only.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        self.address.is_some_and(|ip| ip.is_loopback())
    }
}

impl FromStr for ListenUrl {
    type Err = ListenUrlError;

    /// As [`ListenUrl::parse`], without default ports.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        Self::parse(text, |_| None)
    }
}

impl ListenUrl {
    /// Parses `TRANSPORT://ADDRESS[:PORT]`, where `*` is every address; `port_of` gives the default port of a
    /// transport.
    ///
    /// # Errors
    /// [`ListenUrlError`].
    pub fn parse(text: &str, port_of: impl Fn(Transport) -> Option<u16>) -> Result<Self, ListenUrlError> {
        let no_scheme = || ListenUrlError::NoScheme { text: text.into() };
        let url = Url::split(text).ok_or_else(no_scheme)?;
        let unknown = || ListenUrlError::Scheme { scheme: url.scheme.into() };
        let transport = Transport::from_name(url.scheme).ok_or_else(unknown)?;
        if !matches!((url.path, url.query), ("" | "/", None)) {
            let behind = text.len() - url.path.len() - url.query.map_or(0, |query| query.len() + 1);
            return Err(ListenUrlError::Trailing { rest: text[behind..].into() });
        }
        let wrong = |address: &str| ListenUrlError::Address { address: address.into() };
        if url.user.is_some() {
            return Err(wrong(&text[url.scheme.len() + "://".len()..]));
        }
        let (address, zone, port) = match url.authority.strip_prefix('*') {
            Some(behind) => (None, 0, behind_host(behind)?),
            None => {
                let Authority { host, port } = Authority::parse(url.authority)?;
                let (address, zone) = parse_address(host).ok_or_else(|| wrong(host))?;
                (Some(address), zone, port)
            }
        };
        let port = port.or_else(|| port_of(transport));
        let port = port.ok_or_else(|| ListenUrlError::NoPort { text: url.authority.into() })?;
        Ok(Self { transport, address, zone, port })
    }
}

/// An address, and for IPv6 the interface index of its zone.
fn parse_address(host: &str) -> Option<(IpAddr, u32)> {
    match host.split_once('%') {
        Some((address, zone)) => Some((address.parse().ok()?, zone.parse().ok()?)),
        None => Some((host.parse().ok()?, 0)),
    }
}

impl fmt::Display for ListenUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://", self.transport.name())?;
        match self.address {
            None => f.write_str("*")?,
            Some(IpAddr::V4(ip)) => write!(f, "{ip}")?,
            Some(IpAddr::V6(ip)) if self.zone != 0 => write!(f, "[{ip}%{}]", self.zone)?,
            Some(IpAddr::V6(ip)) => write!(f, "[{ip}]")?,
        }
        write!(f, ":{}", self.port)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parsed_urls_are_printed_the_same() {
        for text in [
            "udp://127.0.0.1:1161",
            "tcp://[::1]:1161",
            "udp://0.0.0.0:161",
            "tcp://*:0",
            "udp://[fe80::1%3]:161",
            "udp://[::]:161",
            "tls://127.0.0.1:10161",
            "dtls://[::1]:10161",
            "ssh://*:5161",
            "http://127.0.0.1:8080",
            "https://[::1]:8443",
        ] {
            assert_eq!(text.parse::<ListenUrl>().unwrap().to_string(), text);
        }
        assert_eq!("udp://1.2.3.4:5/".parse::<ListenUrl>().unwrap().to_string(), "udp://1.2.3.4:5");
    }

    #[test]
    fn a_missing_transport_names_its_feature() {
        for transport in Transport::ALL {
            match transport.require_built() {
                Ok(()) => assert!(transport.is_built()),
                Err(error) => {
                    let (name, feature) = (transport.name(), transport.feature().unwrap());
                    let words = format!(
                        "{name}:// is not available: this program was built without the feature `{feature}`"
                    );
                    assert_eq!(error.to_string(), words);
                    assert!(!transport.is_built());
                }
            }
        }
        assert!(Transport::Udp.is_built() && Transport::Tcp.is_built());
    }

    #[test]
    fn a_star_is_both_wildcards() {
        let addresses = "udp://*:161".parse::<ListenUrl>().unwrap().socket_addrs();
        assert_eq!(addresses, ["0.0.0.0:161".parse().unwrap(), "[::]:161".parse().unwrap()]);
    }

    #[test]
    fn each_mistake_is_reported() {
        let error = |text: &str| text.parse::<ListenUrl>().unwrap_err();
        assert_eq!(error("127.0.0.1:161"), ListenUrlError::NoScheme { text: "127.0.0.1:161".into() });
        assert_eq!(error("ftp://1.2.3.4:1"), ListenUrlError::Scheme { scheme: "ftp".into() });
        assert_eq!(error("udp://127.0.0.1"), ListenUrlError::NoPort { text: "127.0.0.1".into() });
        assert_eq!(error("udp://[::1]"), ListenUrlError::NoPort { text: "[::1]".into() });
        for (text, wrong) in [
            ("udp://1.2.3.4:65536", AuthorityError::Port { port: "65536".into() }),
            ("udp://*:x", AuthorityError::Port { port: "x".into() }),
            ("udp://1.2.3.4:", AuthorityError::Port { port: String::new() }),
            ("udp://fe80::1:161", AuthorityError::NoBrackets { address: "fe80::1".into() }),
            ("udp://[1.2.3.4]:1", AuthorityError::Brackets { text: "[1.2.3.4]:1".into() }),
        ] {
            assert_eq!(error(text), ListenUrlError::Authority(wrong), "{text}");
        }
        assert_eq!(error("udp://localhost:161"), ListenUrlError::Address { address: "localhost".into() });
        assert_eq!(
            error("udp://[fe80::1%eth0]:1"),
            ListenUrlError::Address { address: "fe80::1%eth0".into() }
        );
        assert_eq!(error("ssh://ann@1.2.3.4:1"), ListenUrlError::Address { address: "ann@1.2.3.4:1".into() });
        assert_eq!(error("udp://1.2.3.4:161/x"), ListenUrlError::Trailing { rest: "/x".into() });
        assert_eq!(error("udp://1.2.3.4:161/?x"), ListenUrlError::Trailing { rest: "/?x".into() });
    }
}
