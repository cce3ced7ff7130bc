//! RTM_NEWLINK of the IPv6 family: IPv6's settings on an interface.

use super::Message;
use super::attribute::{AF_INET6, find, u8_at, u32_at};
use super::link::RTM_NEWLINK;

/// The body of a dump request for this family.
pub const DUMP_BODY: [u8; 16] = [AF_INET6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];

/// IPv6 on an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Inet6Link {
    /// ifIndex.
    pub interface: u32,
    pub is_forwarding: bool,
    pub is_enabled: bool,
    /// The largest datagram that is reassembled, in octets.
    pub reassembly_octets: u32,
    pub reachable_milliseconds: u32,
    pub retransmit_milliseconds: u32,
}

impl Inet6Link {
    /// Reads one message of the dump.
    pub fn parse(message: Message<'_>) -> Option<Self> {
        let body = message.body;
        let is_ours = message.kind == RTM_NEWLINK && u8_at(body, 0)? == AF_INET6;
        let interface = u32_at(body, 4).filter(|_| is_ours)?;
        let protocol = find(body.get(16..)?, IFLA_PROTINFO)?;
        let settings = find(protocol, IFLA_INET6_CONF).unwrap_or_default();
        let times = find(protocol, IFLA_INET6_CACHEINFO).unwrap_or_default();
        Some(Inet6Link {
            interface,
            is_forwarding: u32_at(settings, 4 * DEVCONF_FORWARDING)? != 0,
            is_enabled: u32_at(settings, 4 * DEVCONF_DISABLE_IPV6)? == 0,
            reassembly_octets: u32_at(times, 0)?,
            reachable_milliseconds: u32_at(times, 8)?,
            retransmit_milliseconds: u32_at(times, 12)?,
        })
    }
}

const IFLA_PROTINFO: u16 = 12;
const IFLA_INET6_CONF: u16 = 2;
const IFLA_INET6_CACHEINFO: u16 = 5;
const DEVCONF_FORWARDING: usize = 0;
const DEVCONF_DISABLE_IPV6: usize = 26;

#[cfg(test)]
mod tests {
    use super::super::attribute::push;
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut protocol = Vec::new();
        let mut settings = vec![0; 4 * 30];
        settings[0] = 1;
        push(&mut protocol, IFLA_INET6_CONF, &settings);
        let times: Vec<u8> = [65535u32, 1, 30_000, 1000].iter().flat_map(|time| time.to_ne_bytes()).collect();
        push(&mut protocol, IFLA_INET6_CACHEINFO, &times);
        let mut body = DUMP_BODY.to_vec();
        body[4..8].copy_from_slice(&9u32.to_ne_bytes());
        push(&mut body, IFLA_PROTINFO, &protocol);
        body
    }

    #[test]
    fn reads_settings() {
        let body = sample();
        let link = Inet6Link::parse(Message { kind: RTM_NEWLINK, body: &body }).unwrap();
        assert_eq!((link.interface, link.is_forwarding, link.is_enabled), (9, true, true));
        assert_eq!(
            (link.reassembly_octets, link.reachable_milliseconds, link.retransmit_milliseconds),
            (65535, 30_000, 1000)
        );
    }

    proptest! {
        #[test]
        fn cut_and_damaged_messages_do_not_panic(cut in 0usize..260, at in 0usize..260, octet: u8) {
            let mut body = sample();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            let _ = Inet6Link::parse(Message { kind: RTM_NEWLINK, body: &body });
        }
    }
}
