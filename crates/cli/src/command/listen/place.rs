//! Where to listen, in Net-SNMP's words and as URLs.

use trunkline_client::{ListenUrl, NOTIFICATION_PORT};

use crate::error::Error;

/// The places; udp:162 where none is named.
pub fn parse_all(texts: &[String]) -> Result<Vec<ListenUrl>, Error> {
    if texts.is_empty() {
        return Ok(vec![parse("udp:162")?]);
    }
    texts.iter().map(|text| parse(text)).collect()
}

/// `udp:PORT`, `tcp:ADDRESS:PORT`, `udp6:[::1]:PORT`, `ADDRESS`, `PORT` or a URL.
fn parse(text: &str) -> Result<ListenUrl, Error> {
    url(text).parse().map_err(|fault: trunkline_client::ListenUrlError| Error::Usage(fault.to_string()))
}

/// The same as a URL.
fn url(text: &str) -> String {
    if text.contains("://") {
        return text.to_owned();
    }
    let (scheme, every, rest) = match text.split_once(':') {
        Some(("udp", rest)) => ("udp", "*", rest),
        Some(("tcp", rest)) => ("tcp", "*", rest),
        Some(("udp6", rest)) => ("udp", "[::]", rest),
        Some(("tcp6", rest)) => ("tcp", "[::]", rest),
        _ => ("udp", "*", text),
    };
    let is_port = !rest.is_empty() && rest.bytes().all(|octet| octet.is_ascii_digit());
    let has_port = match rest.strip_prefix('[') {
        Some(bracketed) => bracketed.contains("]:"),
        None => rest.contains(':'),
    };
    match (is_port, has_port) {
        (true, _) => format!("{scheme}://{every}:{rest}"),
        (false, true) => format!("{scheme}://{rest}"),
        (false, false) => format!("{scheme}://{rest}:{NOTIFICATION_PORT}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_in_every_form() {
        for (text, expected) in [
            ("1162", "udp://*:1162"),
            ("udp:1162", "udp://*:1162"),
            ("tcp6:1162", "tcp://[::]:1162"),
            ("127.0.0.1", "udp://127.0.0.1:162"),
            ("tcp:127.0.0.1:1162", "tcp://127.0.0.1:1162"),
            ("udp6:[::1]", "udp://[::1]:162"),
            ("[::1]:7", "udp://[::1]:7"),
            ("udp://*:1", "udp://*:1"),
        ] {
            assert_eq!(url(text), expected, "{text}");
            assert!(parse(text).is_ok(), "{text}");
        }
        for wrong in ["", "udp:", "udp:name:1", "ssh://*:1", "udp:1:2:3", "70000"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(parse_all(&[]).unwrap()[0].port, 162);
    }
}
