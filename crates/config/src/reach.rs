//! Where subscribers may have messages sent: to the address that they subscribed from, and to the networks of
//! `event-targets`. Checked for each address at each connection, since a name may resolve to another one by then.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use crate::plan::{Network, Plan};
use crate::url::Url;

/// The configured networks.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    networks: Vec<Network>,
    /// The agent's own listeners; `None` is every address.
    own: Vec<(Option<IpAddr>, u16)>,
}

/// The subscriber's address.
#[derive(Clone, Copy, Debug)]
pub struct Origin {
    /// The subscriber.
    pub peer: IpAddr,
    /// The agent's address that received the request.
    pub local: SocketAddr,
}

impl Reach {
    /// Those of a configuration.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let streams = plan.listeners().filter(|(_, url)| !url.transport.has_datagrams());
        let own = streams
            .map(|(_, url)| url)
            .map(|url| (url.address.filter(|address| !address.is_unspecified()), url.port));
        Reach { networks: plan.http.event_targets.clone(), own: own.collect() }
    }

    /// Whether a subscriber may have messages sent to this address.
    #[must_use]
    pub fn has(&self, address: SocketAddr, from: Origin) -> bool {
        let ip = address.ip().to_canonical();
        let (out, within): (Vec<&Network>, Vec<&Network>) = self
            .networks
            .iter()
            .filter(|network| network.contains(ip))
            .partition(|network| network.excluded());
        if !out.is_empty() {
            return false;
        }
        let is_own = self.is_own(address, from.local);
        let least = if is_own { whole(ip) } else { special(ip) };
        within.iter().any(|network| network.prefix() >= least) || ip == from.peer.to_canonical() && !is_own
    }

    /// Those of a host's addresses that a subscriber may have messages sent to.
    #[must_use]
    pub fn of_host(&self, addresses: Vec<SocketAddr>, from: Origin) -> Vec<SocketAddr> {
        addresses.into_iter().filter(|address| self.has(*address, from)).collect()
    }

    /// Whether a URL may be used, as far as can be decided without resolving a name.
    #[must_use]
    pub fn may_have(&self, url: &Url, from: Origin) -> bool {
        let ip = url.host.parse::<IpAddr>();
        ip.map_or(true, |ip| self.has((ip, url.port).into(), from))
    }

    fn is_own(&self, address: SocketAddr, local: SocketAddr) -> bool {
        let (ip, port) = (address.ip().to_canonical(), address.port());
        let is_here = ip.is_loopback() || ip == local.ip().to_canonical();
        let is_asked = is_here && port == local.port();
        is_asked
            || self
                .own
                .iter()
                .any(|(own, of)| *of == port && own.map_or(is_here, |own| own.to_canonical() == ip))
    }
}

/// The minimum prefix that a configured network must have to include an address: addresses that lead to this
/// machine or this link, or that are special, are only included by a network within their range. 0 for all
/// others.
fn special(ip: IpAddr) -> u8 {
    match ip {
        IpAddr::V4(ip) => {
            let is_in = |(network, prefix): &(Ipv4Addr, u8)| {
                (u32::from(ip) ^ u32::from(*network)).checked_shr(32 - u32::from(*prefix)).unwrap_or(0) == 0
            };
            SPECIAL_V4.iter().find(|special| is_in(special)).map_or(0, |(_, prefix)| *prefix)
        }
        IpAddr::V6(ip) => {
            let is_in = |(network, prefix): &(Ipv6Addr, u8)| {
                (u128::from(ip) ^ u128::from(*network)).checked_shr(128 - u32::from(*prefix)).unwrap_or(0)
                    == 0
            };
            SPECIAL_V6.iter().find(|special| is_in(special)).map_or(0, |(_, prefix)| *prefix)
        }
    }
}

const fn whole(ip: IpAddr) -> u8 {
    if ip.is_ipv4() { 32 } else { 128 }
}

/// "This network", loopback, link-local with the metadata of clouds, multicast, reserved with broadcast (RFC 6890).
const SPECIAL_V4: [(Ipv4Addr, u8); 5] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// Unspecified, loopback, the metadata of clouds, IPv4 inside IPv6 (RFC 6052, RFC 3056), link-local, multicast.
const SPECIAL_V6: [(Ipv6Addr, u8); 7] = [
    (Ipv6Addr::UNSPECIFIED, 128),
    (Ipv6Addr::LOCALHOST, 128),
    (Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254), 128),
    (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8),
];

/// What counts as one network of subscribers: an IPv4 address, or 64 bits of IPv6.
#[must_use]
pub fn network(peer: IpAddr) -> IpAddr {
    match peer.to_canonical() {
        IpAddr::V4(ip) => ip.into(),
        IpAddr::V6(ip) => Ipv6Addr::from(u128::from(ip) & !u128::from(u64::MAX)).into(),
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn check(targets: &[&str], peer: &str, address: &str) -> bool {
        let text = format!(
            "[snmp]\nlisten = [\"tcp://0.0.0.0:161\", \"tcp://192.0.2.1:1610\"]\n\
             [http]\nlisten = [\"http://192.0.2.1:8080\"]\nevent-targets = {targets:?}\n"
        );
        let plan = crate::parse(Path::new("t.toml"), &text).unwrap();
        let from = Origin { peer: peer.parse().unwrap(), local: "192.0.2.1:8080".parse().unwrap() };
        Reach::of(&plan).has(address.parse().unwrap(), from)
    }

    #[test]
    fn a_subscriber_reaches_itself_and_configured_addresses() {
        for (targets, peer, address, is_reached) in [
            (&[][..], "198.51.100.7", "198.51.100.7:80", true),
            (&[], "::ffff:198.51.100.7", "198.51.100.7:80", true),
            (&[], "198.51.100.7", "[::ffff:198.51.100.7]:80", true),
            (&[], "127.0.0.1", "127.0.0.1:9", true),
            (&[], "fe80::7", "[fe80::7]:9", true),
            (&[], "198.51.100.7", "198.51.100.8:80", false),
            (&[], "198.51.100.7", "127.0.0.1:80", false),
            (&[], "198.51.100.7", "169.254.169.254:80", false),
            (&["198.51.100.0/24"], "203.0.113.1", "198.51.100.8:80", true),
            (&["198.51.100.0/24", "!198.51.100.8"], "203.0.113.1", "198.51.100.8:80", false),
            (&["0.0.0.0/0", "!198.51.100.7"], "198.51.100.7", "198.51.100.7:80", false),
            (&["0.0.0.0/0"], "203.0.113.1", "8.8.8.8:80", true),
            (&["2001:db8::/32"], "203.0.113.1", "[2001:db8::5]:80", true),
        ] {
            assert_eq!(check(targets, peer, address), is_reached, "{targets:?} {peer} {address}");
        }
    }

    #[test]
    fn special_addresses_must_be_named() {
        for (address, named) in [
            ("127.0.0.1:80", "127.0.0.0/8"),
            ("169.254.169.254:80", "169.254.169.254"),
            ("169.254.1.1:80", "169.254.0.0/16"),
            ("224.0.0.1:80", "224.0.0.0/4"),
            ("255.255.255.255:80", "255.255.255.255"),
            ("0.0.0.0:80", "0.0.0.0/8"),
            ("[::1]:80", "::1"),
            ("[::]:80", "::"),
            ("[fe80::1]:80", "fe80::/10"),
            ("[ff02::1]:80", "ff00::/8"),
            ("[fd00:ec2::254]:80", "fd00:ec2::254"),
            ("[64:ff9b::7f00:1]:80", "64:ff9b::/96"),
        ] {
            assert!(!check(&["0.0.0.0/0", "::/0"], "203.0.113.1", address), "{address}");
            assert!(check(&["0.0.0.0/0", "::/0", named], "203.0.113.1", address), "{address}");
        }
    }

    #[test]
    fn the_agents_own_listeners_must_be_named() {
        for address in ["192.0.2.1:8080", "192.0.2.1:1610", "192.0.2.1:161"] {
            // Neither for a subscriber on the same machine, nor with its network.
            assert!(!check(&[], "192.0.2.1", address), "{address}");
            assert!(!check(&["192.0.2.0/24"], "203.0.113.1", address), "{address}");
            assert!(check(&["192.0.2.1"], "203.0.113.1", address), "{address}");
        }
        assert!(!check(&[], "127.0.0.1", "127.0.0.1:161"));
        assert!(check(&[], "192.0.2.1", "192.0.2.1:9"));
    }

    #[test]
    fn addresses_of_one_network() {
        let of = |text: &str| network(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(of("192.0.2.1"), of("::ffff:192.0.2.1"));
    }
}
