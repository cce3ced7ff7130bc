//! Where a server listens, as written in a configuration: `udp://127.0.0.1:1161`,
//! `tcp://[::1]:1161`, `udp://*:161`.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// A transport that a server can listen on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Transport {
    /// Datagrams (RFC 3417 section 3).
    Udp,
    /// A stream of messages (RFC 3430).
    Tcp,
    /// A stream inside of TLS (RFC 6353).
    Tls,
    /// Datagrams inside of DTLS (RFC 6353).
    Dtls,
    /// A stream inside of the SSH subsystem `snmp` (RFC 5592).
    Ssh,
    /// Requests and answers of HTTP (RFC 9110): SOAP, and SNMP inside SOAP.
    Http,
    /// The same inside of TLS.
    Https,
}

impl Transport {
    /// All of them.
    pub const ALL: [Transport; 7] =
        [Self::Udp, Self::Tcp, Self::Tls, Self::Dtls, Self::Ssh, Self::Http, Self::Https];

    /// Whether it proves who the peer is, or can: over HTTPS a certificate is the client's choice.
    #[must_use]
    pub const fn is_secure(self) -> bool {
        matches!(self, Self::Tls | Self::Dtls | Self::Ssh | Self::Https)
    }

    /// Whether it is HTTP, whose messages have an outside of their own.
    #[must_use]
    pub const fn is_http(self) -> bool {
        matches!(self, Self::Http | Self::Https)
    }

    /// Whether it carries datagrams, which may be lost, and not a stream.
    #[must_use]
    pub const fn has_datagrams(self) -> bool {
        matches!(self, Self::Udp | Self::Dtls)
    }

    /// The port of agents (RFC 3417 section 3.1, RFC 3430 section 2.4, RFC 6353 section 10, RFC 5592 section 8). HTTP
    /// has those of its URLs, 80 and 443 (RFC 9110 section 4.2).
    #[must_use]
    pub const fn agent_port(self) -> u16 {
        match self {
            Self::Udp | Self::Tcp => 161,
            Self::Tls | Self::Dtls => 10161,
            Self::Ssh => 5161,
            Self::Http => 80,
            Self::Https => 443,
        }
    }

    /// The port of those who receive notifications; HTTP has no other one for them.
    #[must_use]
    pub const fn notification_port(self) -> u16 {
        if self.is_http() { self.agent_port() } else { self.agent_port() + 1 }
    }

    /// The transport of a scheme of URLs.
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

/// Why a text is no place to listen.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
        /// What stands before `://`.
        scheme: String,
    },
    /// The port is missing.
    #[error("`{text}` has no port: expected ADDRESS:PORT, as in 127.0.0.1:1161 or [::1]:1161")]
    NoPort {
        /// What follows `://`.
        text: String,
    },
    /// The port is not a number from 0 to 65535.
    #[error("`{port}` is not a port: expected a number from 0 to 65535")]
    Port {
        /// What stands after the last colon.
        port: String,
    },
    /// An IPv6 address without its brackets.
    #[error("IPv6 address `{address}` must stand in brackets: [{address}]")]
    Brackets {
        /// The address found.
        address: String,
    },
    /// Something else than an address. Names are not looked up for listening.
    #[error("`{address}` is not an address: expected IPv4, [IPv6] or *")]
    Address {
        /// What stands in its place.
        address: String,
    },
    /// Something follows the port.
    #[error("`{rest}` after the port is not understood")]
    Trailing {
        /// What follows.
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

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (scheme, rest) =
            text.split_once("://").ok_or_else(|| ListenUrlError::NoScheme { text: text.into() })?;
        let transport =
            Transport::from_name(scheme).ok_or_else(|| ListenUrlError::Scheme { scheme: scheme.into() })?;
        let rest = match rest.find('/') {
            Some(at) if &rest[at..] != "/" => {
                return Err(ListenUrlError::Trailing { rest: rest[at..].into() });
            }
            Some(at) => &rest[..at],
            None => rest,
        };
        let (host, port) = split_port(rest)?;
        let (address, zone) = parse_address(host)?;
        let port = port.parse().map_err(|_| ListenUrlError::Port { port: port.into() })?;
        Ok(Self { transport, address, zone, port })
    }
}

/// Splits `host:port`; the colons of a bracketed address do not count.
fn split_port(text: &str) -> Result<(&str, &str), ListenUrlError> {
    let no_port = || ListenUrlError::NoPort { text: text.into() };
    if let Some(close) = text.rfind(']') {
        let port = text[close + 1..].strip_prefix(':').ok_or_else(no_port)?;
        return Ok((&text[..=close], port));
    }
    let (host, port) = text.rsplit_once(':').ok_or_else(no_port)?;
    if text.parse::<Ipv6Addr>().is_ok() || host.contains(':') {
        let address = if host.parse::<Ipv6Addr>().is_ok() { host } else { text };
        return Err(ListenUrlError::Brackets { address: address.into() });
    }
    Ok((host, port))
}

fn parse_address(host: &str) -> Result<(Option<IpAddr>, u32), ListenUrlError> {
    let wrong = || ListenUrlError::Address { address: host.into() };
    if host == "*" {
        return Ok((None, 0));
    }
    let Some(inside) = host.strip_prefix('[').and_then(|h| h.strip_suffix(']')) else {
        return host.parse::<Ipv4Addr>().map(|ip| (Some(ip.into()), 0)).map_err(|_| wrong());
    };
    let (ip, zone) = match inside.split_once('%') {
        Some((ip, zone)) => (ip, zone.parse().map_err(|_| wrong())?),
        None => (inside, 0),
    };
    ip.parse::<Ipv6Addr>().map(|ip| (Some(ip.into()), zone)).map_err(|_| wrong())
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
    fn what_is_understood_is_printed_the_same() {
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
    fn a_star_is_both_wildcards() {
        let addresses = "udp://*:161".parse::<ListenUrl>().unwrap().socket_addrs();
        assert_eq!(addresses, ["0.0.0.0:161".parse().unwrap(), "[::]:161".parse().unwrap()]);
    }

    #[test]
    fn each_mistake_is_named() {
        let error = |text: &str| text.parse::<ListenUrl>().unwrap_err();
        assert_eq!(error("127.0.0.1:161"), ListenUrlError::NoScheme { text: "127.0.0.1:161".into() });
        assert_eq!(error("ftp://1.2.3.4:1"), ListenUrlError::Scheme { scheme: "ftp".into() });
        assert_eq!(error("udp://127.0.0.1"), ListenUrlError::NoPort { text: "127.0.0.1".into() });
        assert_eq!(error("udp://[::1]"), ListenUrlError::NoPort { text: "[::1]".into() });
        assert_eq!(error("udp://1.2.3.4:65536"), ListenUrlError::Port { port: "65536".into() });
        assert_eq!(error("udp://1.2.3.4:"), ListenUrlError::Port { port: String::new() });
        assert_eq!(error("udp://fe80::1:161"), ListenUrlError::Brackets { address: "fe80::1".into() });
        assert_eq!(error("udp://localhost:161"), ListenUrlError::Address { address: "localhost".into() });
        assert_eq!(error("udp://[1.2.3.4]:1"), ListenUrlError::Address { address: "[1.2.3.4]".into() });
        assert_eq!(error("udp://1.2.3.4:161/x"), ListenUrlError::Trailing { rest: "/x".into() });
    }
}
