//! Addresses as Net-SNMP writes them: where to listen, where to send notifications, and from where a community
//! may come (snmpd(8) "LISTENING ADDRESSES", snmpd.conf(5) com2sec).
//!
//! `client::target::specification` and `cli::command::listen::place` read such addresses too. Here alone a host name becomes
//! the addresses that it has now, of the family that the transport's name asks for.

use std::net::IpAddr;

use trunkline_transport::{Authority, ListenUrl, Protocol, Transport};

use trunkline_config::{PeerAddress, PeerRole};

/// The addresses of a host.
pub type Resolve<'a> = &'a dyn Fn(&str) -> Vec<IpAddr>;

/// A transport of Net-SNMP that is supported here too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spoken {
    scheme: &'static str,
    v6: bool,
}

impl Spoken {
    fn transport(self) -> Option<Transport> {
        Transport::from_name(self.scheme)
    }
}

/// The transport before the first colon, if there is one, and what follows it.
fn transport(text: &str) -> Result<(Option<Spoken>, &str), String> {
    if text.starts_with('/') {
        return Err("Unix sockets are not supported; use udp or tcp".into());
    }
    let Some((name, rest)) = text.split_once(':') else { return Ok((None, text)) };
    let spoken = |scheme, v6| Ok((Some(Spoken { scheme, v6 }), rest));
    match name.to_ascii_lowercase().as_str() {
        "udp" => spoken("udp", false),
        "tcp" => spoken("tcp", false),
        "udp6" | "udpv6" | "udpipv6" => spoken("udp", true),
        "tcp6" | "tcpv6" | "tcpipv6" => spoken("tcp", true),
        "dtlsudp" | "dtls" => spoken("dtls", false),
        "dtlsudp6" => spoken("dtls", true),
        "tlstcp" | "tls" => spoken("tls", false),
        "tlstcp6" => spoken("tls", true),
        "ssh" => {
            Err("keys of ssh are not converted: make them with `trunkline pki` and write ssh:// yourself"
                .into())
        }
        unspoken @ ("unix" | "ipx" | "aal5pvc" | "pvc" | "std" | "alias" | "callback" | "dtlssctp") => {
            Err(format!("the transport {unspoken} is not supported; use udp or tcp"))
        }
        _ => Ok((None, text)),
    }
}

/// A host and an optional port; IPv6 is in brackets, or without them if it has several colons.
fn host_and_port(text: &str) -> Result<(&str, Option<&str>), String> {
    if let Some(rest) = text.strip_prefix('[') {
        let (host, behind) = rest.split_once(']').ok_or_else(|| format!("{text:?} lacks a ]"))?;
        return match behind.strip_prefix(':') {
            Some(port) => Ok((host, Some(port))),
            None if behind.is_empty() => Ok((host, None)),
            None => Err(format!("only a port may follow ] in {text:?}")),
        };
    }
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') => Ok((host, Some(port))),
        // Several colons without brackets: the last part is a port only if the rest alone is an address.
        Some((host, port)) if host.parse::<IpAddr>().is_ok() && text.parse::<IpAddr>().is_err() => {
            Ok((host, Some(port)))
        }
        _ => Ok((text, None)),
    }
}

/// A listening address of an agent as our URLs; a host name yields one for each of its addresses.
///
/// # Errors
/// What is wrong with the text.
pub fn listen(text: &str, resolve: Resolve<'_>) -> Result<Vec<ListenUrl>, String> {
    listen_at(text, |transport| Protocol::Snmp.port(transport), resolve)
}

/// The same for a receiver of notifications.
///
/// # Errors
/// What is wrong with the text.
pub fn receive(text: &str, resolve: Resolve<'_>) -> Result<Vec<ListenUrl>, String> {
    listen_at(text, |transport| Protocol::Snmp.notification_port(transport), resolve)
}

fn listen_at(
    text: &str,
    standard_port: fn(Transport) -> Option<u16>,
    resolve: Resolve<'_>,
) -> Result<Vec<ListenUrl>, String> {
    let text = text.trim();
    let (spoken, rest) = transport(text)?;
    let standard_port = standard_port(spoken.and_then(Spoken::transport).unwrap_or(Transport::Udp));
    if rest.contains('@') {
        return Err(
            "listening on a network device or routing domain is not supported; use its address".into()
        );
    }
    let (host, port) = if !rest.is_empty() && rest.chars().all(|c| c.is_ascii_digit()) {
        ("", Some(rest))
    } else {
        host_and_port(rest)?
    };
    let port = match port {
        None => standard_port.ok_or_else(|| format!("{text:?} needs a port"))?,
        Some(port) => port.parse::<u16>().map_err(|_| format!("{port:?} is not a port"))?,
    };
    let in_brackets = rest.starts_with('[') || host.matches(':').count() > 1;
    let Spoken { scheme, v6 } = spoken.unwrap_or(Spoken { scheme: "udp", v6: in_brackets });
    let url = |address: String| format!("{scheme}://{address}:{port}");
    let checked = |url: String| url.parse::<ListenUrl>().map_err(|error| error.to_string());
    if host.is_empty() || host == "*" {
        return Ok(vec![checked(url(if v6 { "[::]".into() } else { "0.0.0.0".into() }))?]);
    }
    if host.contains('%') {
        return Ok(vec![checked(url(format!("[{host}]")))?]);
    }
    let addresses = addresses(host, v6, resolve)?;
    addresses.into_iter().map(|address| checked(url(bracketed(address)))).collect()
}

/// The addresses of a host, of one family.
fn addresses(host: &str, v6: bool, resolve: Resolve<'_>) -> Result<Vec<IpAddr>, String> {
    let found = match host.parse() {
        Ok(address) => vec![address],
        Err(_) => resolve(host),
    };
    let family = if v6 { "IPv6" } else { "IPv4" };
    let mut fitting: Vec<IpAddr> = found.into_iter().filter(|address| address.is_ipv6() == v6).collect();
    fitting.dedup();
    match fitting.is_empty() {
        true => Err(format!("no {family} address of {host:?} is known; write its address")),
        false => Ok(fitting),
    }
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

/// Whether a peer's URL is one of TLS or DTLS.
pub fn is_secure(url: &str) -> bool {
    let transport = url.split_once("://").and_then(|(scheme, _)| Transport::from_name(scheme));
    transport.is_some_and(Transport::is_secure)
}

/// The address of a peer as our URL, with its port; a name stays a name, since it is resolved at each start.
///
/// # Errors
/// What is wrong with the text.
pub fn peer(text: &str, default_port: Option<&str>, role: PeerRole) -> Result<String, String> {
    let (spoken, rest) = transport(text)?;
    let (host, port) = host_and_port(rest)?;
    let scheme = spoken.map_or("udp", |spoken| spoken.scheme);
    let number =
        |port: &str| port.parse().ok().filter(|port| *port != 0).ok_or(format!("{port:?} is not a port"));
    let port = port.or(default_port).map(number).transpose()?;
    if host.is_empty() {
        return Err(format!("{text:?} names no host"));
    }
    let url = format!("{scheme}://{}", Authority { host, port });
    PeerAddress::parse(&url, role).map(|address| address.to_string())
}

/// From where a community may come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// The networks, as our configuration has them.
    pub networks: Vec<String>,
    /// Whether they are shut out (`!` in front).
    pub excluded: bool,
}

/// `default`, a host, `IP/BITS` or `IP/MASK`, with `!` in front to shut out; of one family.
///
/// # Errors
/// What is wrong with the text.
pub fn source(text: &str, v6: bool, resolve: Resolve<'_>) -> Result<Source, String> {
    let (excluded, text) = text.strip_prefix('!').map_or((false, text), |text| (true, text));
    let text = text.trim_start_matches('[').replace(']', "");
    if text == "default" {
        let all = if v6 { "::/0" } else { "0.0.0.0/0" };
        return Ok(Source { networks: vec![all.into()], excluded });
    }
    let (host, mask) = text.split_once('/').map_or((text.as_str(), None), |(host, mask)| (host, Some(mask)));
    let found = addresses(host, v6, resolve)?;
    let networks = found.into_iter().map(|address| match mask {
        None => Ok(address.to_string()),
        Some(mask) => {
            let bits = prefix(mask, v6)?;
            // snmpd refuses the line.
            if has_host_bits(address, bits) {
                return Err(format!(
                    "{address} has bits that the mask {mask} leaves out: write the network's address"
                ));
            }
            Ok(format!("{address}/{bits}"))
        }
    });
    Ok(Source { networks: networks.collect::<Result<_, String>>()?, excluded })
}

/// Whether an address has bits behind its first ones.
fn has_host_bits(address: IpAddr, bits: u32) -> bool {
    match address {
        IpAddr::V4(v4) => u32::from(v4).checked_shl(bits).unwrap_or(0) != 0,
        IpAddr::V6(v6) => u128::from(v6).checked_shl(bits).unwrap_or(0) != 0,
    }
}

/// The length of a prefix, from its number or from a mask such as 255.255.255.0.
fn prefix(mask: &str, v6: bool) -> Result<u32, String> {
    let most = if v6 { 128 } else { 32 };
    if let Some(bits) = mask.parse::<u32>().ok().filter(|bits| *bits <= most) {
        return Ok(bits);
    }
    let bits = match mask.parse::<IpAddr>() {
        Ok(IpAddr::V4(v4)) => u128::from(u32::from(v4)) << 96,
        Ok(IpAddr::V6(v6)) => u128::from(v6),
        Err(_) => return Err(format!("{mask:?} is neither a mask nor a number of bits from 0 to {most}")),
    };
    match bits.leading_ones() + bits.trailing_zeros() >= 128 {
        true => Ok(bits.leading_ones()),
        false => Err(format!("the mask {mask} is not contiguous, which is not supported")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(name: &str) -> Vec<IpAddr> {
        match name {
            "localhost" => vec!["127.0.0.1".parse().unwrap(), "::1".parse().unwrap()],
            "two.example" => vec!["192.0.2.1".parse().unwrap(), "192.0.2.2".parse().unwrap()],
            _ => Vec::new(),
        }
    }

    #[test]
    fn listening_addresses_become_urls() {
        for (text, expected) in [
            ("161", "udp://0.0.0.0:161"),
            (":1161", "udp://0.0.0.0:1161"),
            ("127.0.0.1", "udp://127.0.0.1:161"),
            ("127.0.0.1:1161", "udp://127.0.0.1:1161"),
            ("udp:127.0.0.1:161", "udp://127.0.0.1:161"),
            ("udp:161", "udp://0.0.0.0:161"),
            ("TCP:1161", "tcp://0.0.0.0:1161"),
            ("tcp:0.0.0.0", "tcp://0.0.0.0:161"),
            ("udp6:161", "udp://[::]:161"),
            ("udp6:[::1]:1161", "udp://[::1]:1161"),
            ("udp6:::1", "udp://[::1]:161"),
            ("tcp6:[2001:db8::1]", "tcp://[2001:db8::1]:161"),
            ("[::1]", "udp://[::1]:161"),
            ("[fe80::1%2]:161", "udp://[fe80::1%2]:161"),
            ("localhost:1161", "udp://127.0.0.1:1161"),
            ("udp6:localhost", "udp://[::1]:161"),
            ("two.example", "udp://192.0.2.1:161 udp://192.0.2.2:161"),
            ("udp:", "udp://0.0.0.0:161"),
            ("dtlsudp:127.0.0.1:1161", "dtls://127.0.0.1:1161"),
            ("tlstcp:", "tls://0.0.0.0:10161"),
            ("tlstcp6:[::1]", "tls://[::1]:10161"),
        ] {
            let found = listen(text, &names).unwrap();
            let found: Vec<String> = found.iter().map(ListenUrl::to_string).collect();
            assert_eq!(found.join(" "), expected, "{text}");
        }
        for (text, word) in [
            ("unix:/run/snmp", "unix"),
            ("/run/snmp", "Unix"),
            ("ssh:127.0.0.1:22", "ssh"),
            ("no.example:161", "no IPv4 address"),
            ("udp6:127.0.0.1", "IPv6"),
            ("udp:127.0.0.1:99999", "port"),
            ("udp:161@eth0", "device"),
            ("[fe80::1%eth0]:161", "not an address"),
        ] {
            let error = listen(text, &names).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
    }

    #[test]
    fn peers_keep_their_names() {
        for (text, port, expected) in [
            ("nms.example.net", None, "udp://nms.example.net:162"),
            ("udp:192.0.2.1:1162", None, "udp://192.0.2.1:1162"),
            ("192.0.2.1", Some("999"), "udp://192.0.2.1:999"),
            ("tcp:192.0.2.1", None, "tcp://192.0.2.1:162"),
            ("udp6:[2001:db8::1]:162", None, "udp://[2001:db8::1]:162"),
            ("dtlsudp:192.0.2.1", None, "dtls://192.0.2.1:10162"),
            ("tlstcp:nms.example.net:999", None, "tls://nms.example.net:999"),
        ] {
            assert_eq!(peer(text, port, PeerRole::Receiver), Ok(expected.to_string()), "{text}");
        }
        assert_eq!(peer("tlstcp:h", None, PeerRole::Agent), Ok("tls://h:10161".to_string()));
        assert!(peer("ssh:192.0.2.1", None, PeerRole::Agent).is_err());
        assert!(peer("192.0.2.1", Some("x"), PeerRole::Receiver).is_err());
    }

    #[test]
    fn sources_are_networks_of_one_family() {
        let check =
            |text: &str, v6: bool| source(text, v6, &names).map(|s| (s.networks.join(" "), s.excluded));
        let good = |text: &str, excluded| Ok((text.to_string(), excluded));
        assert_eq!(check("default", false), good("0.0.0.0/0", false));
        assert_eq!(check("default", true), good("::/0", false));
        assert_eq!(check("10.10.10.0/255.255.255.0", false), good("10.10.10.0/24", false));
        assert_eq!(check("!10.10.10.0/24", false), good("10.10.10.0/24", true));
        assert_eq!(check("localhost", false), good("127.0.0.1", false));
        assert_eq!(check("localhost", true), good("::1", false));
        assert_eq!(check("2001:db8::/32", true), good("2001:db8::/32", false));
        assert_eq!(check("two.example", false), good("192.0.2.1 192.0.2.2", false));
        assert!(check("127.0.0.1/255.0.0.0", false).is_err_and(|why| why.contains("leaves out")));
        assert!(check("2001:db8::1/32", true).is_err());
        assert_eq!(check("192.0.2.10/32", false), good("192.0.2.10/32", false));
        assert!(check("10.0.0.0/255.0.255.0", false).is_err());
        assert!(check("10.0.0.0/33", false).is_err());
        assert!(check("no.example", false).is_err());
    }
}
