//! Where to listen, in Net-SNMP's notation and as URLs.
//!
//! `client::target::specification` reads the notation of targets, and `netsnmp::addresses` that of snmpd's files. Here alone
//! there are no names of hosts, and a text becomes a URL, so that `ListenUrl` finds whatever is wrong with it.

use trunkline_client::{ListenUrl, Protocol, Transport};

use crate::error::Error;

/// The addresses; by default udp:162.
pub fn parse_all(texts: &[String]) -> Result<Vec<ListenUrl>, Error> {
    if texts.is_empty() {
        return Ok(vec![parse("udp:162")?]);
    }
    texts.iter().map(|text| parse(text)).collect()
}

/// `udp:PORT`, `tcp:ADDRESS:PORT`, `udp6:[::1]:PORT`, `ADDRESS`, `PORT` or a URL.
fn parse(text: &str) -> Result<ListenUrl, Error> {
    let place = ListenUrl::parse(&url(text)?, |transport| Protocol::Snmp.notification_port(transport));
    place.map_err(|fault| Error::Usage(fault.to_string()))
}

/// The same as a URL.
fn url(text: &str) -> Result<String, Error> {
    if text.contains("://") {
        // As those are called who send there.
        return Ok(text.strip_prefix("snmp+").unwrap_or(text).to_owned());
    }
    let (transport, every, rest) = match text.split_once(':') {
        Some(("udp", rest)) => (Transport::Udp, "*", rest),
        Some(("tcp", rest)) => (Transport::Tcp, "*", rest),
        Some(("tlstcp" | "tls", rest)) => (Transport::Tls, "*", rest),
        Some(("dtlsudp" | "dtls", rest)) => (Transport::Dtls, "*", rest),
        Some(("ssh", rest)) => (Transport::Ssh, "*", rest),
        Some(("udp6", rest)) => (Transport::Udp, "[::]", rest),
        Some(("tcp6", rest)) => (Transport::Tcp, "[::]", rest),
        Some(("tlstcp6" | "tls6", rest)) => (Transport::Tls, "[::]", rest),
        Some(("dtlsudp6" | "dtls6", rest)) => (Transport::Dtls, "[::]", rest),
        Some((word, _)) if is_word(word) => {
            let words = format!(
                "`{word}` in {text} is not a transport: expected udp, tcp, tls, dtls or ssh, with 6 at its end for IPv6 (not \
                 ssh), or a URL, as in https://*:10162; an IPv6 address is written in brackets"
            );
            return Err(Error::Usage(words));
        }
        _ => (Transport::Udp, "*", text),
    };
    let scheme = transport.name();
    Ok(match !rest.is_empty() && rest.bytes().all(|octet| octet.is_ascii_digit()) {
        true => format!("{scheme}://{every}:{rest}"),
        false => format!("{scheme}://{rest}"),
    })
}

/// Whether it is written as a transport is, and not as an address.
fn is_word(text: &str) -> bool {
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        && text.bytes().all(|octet| octet.is_ascii_alphanumeric())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_every_form() {
        for (text, expected) in [
            ("1162", "udp://*:1162"),
            ("snmp+http://127.0.0.1:0", "http://127.0.0.1:0"),
            ("udp:1162", "udp://*:1162"),
            ("tcp6:1162", "tcp://[::]:1162"),
            ("127.0.0.1", "udp://127.0.0.1:162"),
            ("tcp:127.0.0.1:1162", "tcp://127.0.0.1:1162"),
            ("udp6:[::1]", "udp://[::1]:162"),
            ("[::1]:7", "udp://[::1]:7"),
            ("udp://*:1", "udp://*:1"),
            ("http://*:1", "http://*:1"),
            ("tls:10162", "tls://*:10162"),
            ("dtlsudp:127.0.0.1", "dtls://127.0.0.1:10162"),
            ("tlstcp6:[::1]", "tls://[::1]:10162"),
            ("ssh:127.0.0.1", "ssh://127.0.0.1:5162"),
        ] {
            assert_eq!(parse(text).unwrap().to_string(), expected, "{text}");
        }
        for wrong in ["", "udp:", "udp:name:1", "ftp://*:1", "udp:1:2:3", "70000"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        for wrong in ["foo:1.2.3.4", "foo:162", "http:1.2.3.4:80", "fe80::1"] {
            let fault = parse(wrong).unwrap_err().to_string();
            assert!(fault.contains("is not a transport: expected udp, tcp, tls, dtls or ssh"), "{fault}");
        }
        assert_eq!(parse_all(&[]).unwrap()[0].port, 162);
    }
}
