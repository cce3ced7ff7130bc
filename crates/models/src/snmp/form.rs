//! The forms of values in SNMP's tables, and those of the model.

use std::net::{IpAddr, Ipv6Addr};

use trunkline_smi::module::snmp_ssh_tm_mib as ssh;
use trunkline_smi::module::snmp_tls_tm_mib as tls;
use trunkline_smi::module::transport_mibs as domain;

/// An address of a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    /// `udp`, `tls`, `dtls` or `ssh`.
    pub transport: &'static str,
    /// An address, perhaps with the number of its zone, or the name of a host.
    pub host: String,
    pub port: u16,
    /// Over SSH, the name for the login.
    pub user: Option<String>,
}

impl Place {
    /// Of TDomain and TAddress; `None` of what the model cannot say: other transports, and names of hosts for UDP.
    pub fn of(of: &[u32], octets: &[u8]) -> Option<Place> {
        let udp = |host: String, port| Place { transport: "udp", host, port, user: None };
        match of {
            domain::SNMP_UDP_DOMAIN | domain::UDP_IPV4 => {
                let (ip, port) = octets.split_first_chunk::<4>()?;
                Some(udp(IpAddr::from(*ip).to_string(), port_of(port)?))
            }
            domain::UDP_IPV6 => {
                let (ip, port) = octets.split_first_chunk::<16>()?;
                Some(udp(IpAddr::from(*ip).to_string(), port_of(port)?))
            }
            domain::UDP_IPV6Z => {
                let (ip, rest) = octets.split_first_chunk::<16>()?;
                let (zone, port) = rest.split_first_chunk::<4>()?;
                let zone = u32::from_be_bytes(*zone);
                Some(udp(format!("{}%{zone}", Ipv6Addr::from(*ip)), port_of(port)?))
            }
            tls::SNMP_TLS_TCP_DOMAIN => text(octets, "tls"),
            tls::SNMP_DTLS_UDP_DOMAIN => text(octets, "dtls"),
            ssh::SNMP_SSH_DOMAIN => {
                let all = std::str::from_utf8(octets).ok()?;
                let (user, place) = match all.rsplit_once('@') {
                    Some((user, place)) => (Some(user.to_owned()), place),
                    None => (None, all),
                };
                Some(Place { user, ..text(place.as_bytes(), "ssh")? })
            }
            _ => None,
        }
    }

    /// TDomain and TAddress.
    pub fn address(&self) -> Option<(&'static [u32], Vec<u8>)> {
        let Place { transport, host, port, user } = self;
        let bracketed = || match host.contains(':') {
            true => format!("[{host}]:{port}").into_bytes(),
            false => format!("{host}:{port}").into_bytes(),
        };
        match *transport {
            "tls" => return Some((tls::SNMP_TLS_TCP_DOMAIN, bracketed())),
            "dtls" => return Some((tls::SNMP_DTLS_UDP_DOMAIN, bracketed())),
            "ssh" => {
                let user = user.as_ref().map_or_else(String::new, |user| format!("{user}@"));
                return Some((ssh::SNMP_SSH_DOMAIN, [user.as_bytes(), &bracketed()].concat()));
            }
            _ => {}
        }
        let port = port.to_be_bytes();
        if let Some((address, zone)) = host.split_once('%') {
            let (address, zone) = (address.parse::<Ipv6Addr>().ok()?, zone.parse::<u32>().ok()?);
            return Some((domain::UDP_IPV6Z, [&address.octets()[..], &zone.to_be_bytes(), &port].concat()));
        }
        Some(match host.parse().ok()? {
            IpAddr::V4(ip) => (domain::SNMP_UDP_DOMAIN, [&ip.octets()[..], &port].concat()),
            IpAddr::V6(ip) => (domain::UDP_IPV6, [&ip.octets()[..], &port].concat()),
        })
    }
}

fn port_of(octets: &[u8]) -> Option<u16> {
    Some(u16::from_be_bytes(octets.try_into().ok()?))
}

/// SnmpTLSAddress (RFC 6353).
fn text(octets: &[u8], transport: &'static str) -> Option<Place> {
    let (host, port) = std::str::from_utf8(octets).ok()?.rsplit_once(':')?;
    let host = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).unwrap_or(host);
    Some(Place { transport, host: host.to_owned(), port: port.parse().ok()?, user: None })
}

/// snmpTargetAddrTMask of a prefix of this length: the port counts too.
pub(super) fn mask(prefix: usize, octets: usize) -> Vec<u8> {
    let bit = |octet: usize| {
        let ones = prefix.saturating_sub(octet * 8).min(8);
        u8::try_from(0xff00_u16 >> ones & 0xff).unwrap_or_default()
    };
    let ports = octets.saturating_sub(2);
    (0..octets).map(|octet| if octet < ports { bit(octet) } else { 0xff }).collect()
}

/// The length of a prefix whose mask this is.
pub(super) fn prefix_length(of: &[u8]) -> Option<usize> {
    let ports = of.len().checked_sub(2)?;
    let prefix = of[..ports].iter().map(|octet| octet.leading_ones() as usize);
    let length = prefix.sum();
    (mask(length, of.len()) == of).then_some(length)
}

/// A subtree and its mask as an object identifier with wildcards.
pub(super) fn wildcard_of(subtree: &[u32], mask: &[u8]) -> String {
    let is_wild = |at: usize| mask.get(at / 8).is_some_and(|octet| octet & (0x80 >> (at % 8)) == 0);
    let part = |(at, number): (usize, &u32)| if is_wild(at) { "*".to_owned() } else { number.to_string() };
    subtree.iter().enumerate().map(part).collect::<Vec<_>>().join(".")
}

/// The subtree, with 0 for each wildcard, and the mask.
pub(super) fn subtree_of(text: &str) -> Option<(Vec<u32>, Vec<u8>)> {
    let mut subtree = Vec::new();
    let mut mask = Vec::new();
    for (at, part) in text.split('.').enumerate() {
        if at % 8 == 0 {
            mask.push(0xff_u8);
        }
        if part == "*" {
            subtree.push(0);
            *mask.last_mut()? &= !(0x80 >> (at % 8));
        } else {
            subtree.push(part.parse().ok()?);
        }
    }
    // An empty mask is one of ones.
    if mask.iter().all(|octet| *octet == 0xff) {
        mask.clear();
    }
    (mask.len() <= MOST_MASK).then_some((subtree, mask))
}

/// Octets of a mask.
const MOST_MASK: usize = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_two_forms() {
        let place = |transport, host: &str, port, user: Option<&str>| Place {
            transport,
            host: host.into(),
            port,
            user: user.map(str::to_owned),
        };
        for (place, octets) in [
            (place("udp", "192.0.2.1", 162, None), b"\xc0\x00\x02\x01\x00\xa2".to_vec()),
            (place("udp", "::1", 1, None), [&[0; 15][..], &[1, 0, 1]].concat()),
            (
                place("udp", "fe80::1%2", 1, None),
                [&[0xfe, 0x80], &[0; 13][..], &[1, 0, 0, 0, 2, 0, 1]].concat(),
            ),
            (place("tls", "a.example", 10161, None), b"a.example:10161".to_vec()),
            (place("dtls", "::1", 10161, None), b"[::1]:10161".to_vec()),
            (place("ssh", "192.0.2.1", 22, Some("ann")), b"ann@192.0.2.1:22".to_vec()),
        ] {
            let (domain, address) = place.address().unwrap();
            assert_eq!(address, octets);
            assert_eq!(Place::of(domain, &address), Some(place));
        }
        assert_eq!(Place::of(domain::TCP_IPV4, &[0; 6]), None);
        assert_eq!(Place::of(domain::UDP_IPV4, &[0; 5]), None);
        assert_eq!(Place::of(tls::SNMP_TLS_TCP_DOMAIN, b"no port"), None);
    }

    #[test]
    fn masks_are_prefixes() {
        assert_eq!(mask(20, 6), [0xff, 0xff, 0xf0, 0, 0xff, 0xff]);
        for octets in [6, 18] {
            for length in 0..=(octets - 2) * 8 {
                assert_eq!(prefix_length(&mask(length, octets)), Some(length));
            }
        }
        for other in [&[0xff, 0, 0xff, 0, 0xff, 0xff][..], &[0xff; 1], &[0xff, 0xff, 0xff, 0, 0, 0]] {
            assert_eq!(prefix_length(other), None);
        }
    }

    #[test]
    fn wildcards_are_masks() {
        assert_eq!(subtree_of("1.3.6.1").unwrap(), (vec![1, 3, 6, 1], vec![]));
        let (subtree, mask) = subtree_of("1.3.6.1.2.1.2.2.1.*.5").unwrap();
        assert_eq!((&subtree[8..], &mask[..]), (&[1, 0, 5][..], &[0xff, 0b1011_1111][..]));
        assert_eq!(wildcard_of(&subtree, &mask), "1.3.6.1.2.1.2.2.1.*.5");
        assert_eq!(wildcard_of(&[1, 3], &[]), "1.3");
        assert_eq!(subtree_of("1.x"), None);
    }
}
