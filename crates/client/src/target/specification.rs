//! Net-SNMP's transport specifications: `udp:HOST:PORT`, `dtlsudp:HOST`.
//!
//! `netsnmp::addresses` reads those of snmpd's files and `cli::command::listen::place` those of snmptrapd. Here alone a name
//! stays a name, with the family to look it up in, and a user of SSH may stand before it.

use std::net::Ipv6Addr;

use trunkline_transport::Transport;
use trunkline_transport::dial::Family;

use super::url::{Asked, credentials};
use super::{Defaults, HttpWay, Role, Target, TargetError, address};

pub(super) fn parse(text: &str, defaults: &Defaults, role: Role) -> Result<Target, TargetError> {
    let (transport, family, rest) = split_transport(text)?;
    let (login, rest) = match rest.rsplit_once('@') {
        Some((user, rest)) if transport == Transport::Ssh && !user.is_empty() => {
            // Nothing is escaped here.
            if user.contains(':') {
                return Err(TargetError::SshPassword);
            }
            (Some(user.to_owned()), rest)
        }
        _ => (None, rest),
    };
    if let Some((_, host)) = text.rsplit_once('@').filter(|_| login.is_none()) {
        return Err(TargetError::NoScheme { host: host.into() });
    }
    let (host, port) = address::split(rest, defaults.port.or(role.port(transport)))?;
    let family = if family == Family::Any && host.contains(':') { Family::V6 } else { family };
    let credentials = credentials(Asked::nothing(transport), defaults)?;
    let secure = defaults.secure.clone().filter(|_| transport.is_secure());
    let http = HttpWay::of(defaults);
    Ok(Target { transport, family, credentials, secure, login, http, host, port, path: None })
}

/// Takes the name of a transport off the front. If it is not the name of a transport, it is a host:
/// `printer:1161`.
fn split_transport(text: &str) -> Result<(Transport, Family, &str), TargetError> {
    let plain = (Transport::Udp, Family::Any, text);
    let Some((name, address)) = text.split_once(':') else { return Ok(plain) };
    if text.parse::<Ipv6Addr>().is_ok() {
        return Ok(plain);
    }
    let (transport, family) = match name.to_ascii_lowercase().as_str() {
        "udp" => (Transport::Udp, Family::V4),
        "udp6" | "udpv6" | "udpipv6" => (Transport::Udp, Family::V6),
        "tcp" => (Transport::Tcp, Family::V4),
        "tcp6" | "tcpv6" | "tcpipv6" => (Transport::Tcp, Family::V6),
        // Net-SNMP's are IPv4 only, with separate names for IPv6; a host that has only IPv6 is reached over it.
        "tlstcp" | "tls" => (Transport::Tls, Family::Any),
        "tlstcp6" | "tls6" | "tlstcpv6" | "tlstcpipv6" => (Transport::Tls, Family::V6),
        "dtlsudp" | "dtls" => (Transport::Dtls, Family::Any),
        "dtlsudp6" | "dtls6" | "dtlsudpv6" | "dtlsudpipv6" => (Transport::Dtls, Family::V6),
        "ssh" => (Transport::Ssh, Family::Any),
        "unix" | "ipx" | "aal5pvc" | "pvc" | "std" | "alias" | "callback" => {
            return Err(TargetError::Transport { transport: name.into() });
        }
        _ => return Ok(plain),
    };
    Ok((transport, family, address))
}
