//! Host and port.

use std::net::Ipv6Addr;

use super::TargetError;

/// `HOST`, `HOST:PORT`, `[IPv6]`, `[IPv6]:PORT` or a bare IPv6 address.
pub(super) fn split(text: &str, default: u16) -> Result<(String, u16), TargetError> {
    let brackets = || TargetError::Brackets { address: text.into() };
    if let Some(inside) = text.strip_prefix('[') {
        let (address, rest) = inside.split_once(']').ok_or_else(brackets)?;
        let bare = address.split_once('%').map_or(address, |(bare, _zone)| bare);
        bare.parse::<Ipv6Addr>().map_err(|_| brackets())?;
        let port = match rest.strip_prefix(':') {
            Some(port) => parse_port(port)?,
            None if rest.is_empty() => default,
            None => return Err(TargetError::Port { port: rest.into() }),
        };
        return Ok((address.into(), port));
    }
    let bare = text.split_once('%').map_or(text, |(bare, _zone)| bare);
    if bare.parse::<Ipv6Addr>().is_ok() {
        return Ok((text.into(), default));
    }
    let (host, port) = match text.split_once(':') {
        Some((host, port)) => (host, parse_port(port)?),
        None => (text, default),
    };
    if host.is_empty() { Err(TargetError::NoHost { text: text.into() }) } else { Ok((host.into(), port)) }
}

fn parse_port(text: &str) -> Result<u16, TargetError> {
    let port = text.parse().ok().filter(|&port| port != 0);
    port.ok_or_else(|| TargetError::Port { port: text.into() })
}
