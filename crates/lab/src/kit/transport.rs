//! Over what requests go.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Over what a request went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Transport {
    /// RFC 3417.
    Udp,
    /// RFC 3430.
    Tcp,
    /// RFC 6353 over TCP.
    Tls,
    /// RFC 6353 over UDP.
    Dtls,
    /// RFC 5592.
    Ssh,
    /// Inside SOAP over HTTP, as Ma and Bartos had it.
    Http,
    /// The same over HTTPS.
    Https,
}

impl Transport {
    /// Those that protect nothing, in the order of the tables.
    pub const PLAIN: [Transport; 2] = [Transport::Udp, Transport::Tcp];
    /// Those whose sessions protect messages and prove who speaks.
    pub const SECURE: [Transport; 3] = [Transport::Tls, Transport::Dtls, Transport::Ssh];

    /// Those inside of HTTP.
    pub const HTTP: [Transport; 2] = [Transport::Http, Transport::Https];

    /// Whether it runs over TCP.
    pub const fn is_stream(self) -> bool {
        !matches!(self, Transport::Udp | Transport::Dtls)
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Transport::Udp => "UDP",
            Transport::Tcp => "TCP",
            Transport::Tls => "TLS",
            Transport::Dtls => "DTLS",
            Transport::Ssh => "SSH",
            Transport::Http => "HTTP",
            Transport::Https => "HTTPS",
        })
    }
}
