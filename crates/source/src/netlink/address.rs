//! RTM_NEWADDR: an IPv4 or IPv6 address of an interface.
//!
//! ```text
//! struct ifaddrmsg { u8 family, prefixlen, flags, scope; u32 index; }  then attributes
//! ```

use std::net::IpAddr;

use super::Message;
use super::attribute::{attributes, ip_at, push, u8_at, u32_at};

pub const RTM_NEWADDR: u16 = 20;
pub const RTM_DELADDR: u16 = 21;
pub const RTM_GETADDR: u16 = 22;

/// An address of this machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// ifIndex.
    pub interface: u32,
    /// This machine's end.
    pub local: IpAddr,
    /// What the prefix is of: the same, or the other end of a point-to-point link.
    pub prefix_of: IpAddr,
    pub prefix_length: u8,
    pub broadcast: Option<IpAddr>,
    /// IFA_F_ flags.
    pub flags: u32,
    /// Its creator, IFAPROT_; 0 is unknown (kernels before 5.18 do not report it).
    pub protocol: u8,
    /// How long it stays preferred and valid, in seconds; 2^32-1 is for ever.
    pub preferred_seconds: u32,
    pub valid_seconds: u32,
    /// When it was made and last changed, in hundredths of a second since the machine started.
    pub created: u32,
    pub changed: u32,
}

impl Address {
    /// Reads RTM_NEWADDR of either family.
    pub fn parse(message: Message<'_>) -> Option<Self> {
        let body = message.body;
        let family = u8_at(body, 0).filter(|_| message.kind == RTM_NEWADDR)?;
        let mut flags = u32::from(u8_at(body, 2)?);
        let (mut local, mut address, mut broadcast) = (None, None, None);
        let (mut protocol, mut cache) = (0, &[][..]);
        for (kind, value) in attributes(body.get(8..)?) {
            match kind {
                IFA_LOCAL => local = ip_at(family, value),
                IFA_ADDRESS => address = ip_at(family, value),
                IFA_BROADCAST => broadcast = ip_at(family, value),
                IFA_FLAGS => flags = u32_at(value, 0).unwrap_or(flags),
                IFA_PROTO => protocol = u8_at(value, 0).unwrap_or(0),
                IFA_CACHEINFO => cache = value,
                _ => {}
            }
        }
        Some(Address {
            interface: u32_at(body, 4)?,
            local: local.or(address)?,
            prefix_of: address.or(local)?,
            prefix_length: u8_at(body, 1)?,
            broadcast,
            flags,
            protocol,
            preferred_seconds: u32_at(cache, 0).unwrap_or(u32::MAX),
            valid_seconds: u32_at(cache, 4).unwrap_or(u32::MAX),
            created: u32_at(cache, 8).unwrap_or(0),
            changed: u32_at(cache, 12).unwrap_or(0),
        })
    }

    /// Whether this flag is set.
    pub fn has(&self, flag: u32) -> bool {
        self.flags & flag != 0
    }
}

/// The body of RTM_NEWADDR and RTM_DELADDR for an address with its prefix.
pub fn body(interface: u32, address: IpAddr, prefix_length: u8) -> Vec<u8> {
    let (family, octets) = match address {
        IpAddr::V4(address) => (AF_INET, address.octets().to_vec()),
        IpAddr::V6(address) => (AF_INET6, address.octets().to_vec()),
    };
    let mut body = vec![family, prefix_length, 0, RT_SCOPE_UNIVERSE];
    body.extend_from_slice(&interface.to_ne_bytes());
    push(&mut body, IFA_LOCAL, &octets);
    push(&mut body, IFA_ADDRESS, &octets);
    body
}

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
const RT_SCOPE_UNIVERSE: u8 = 0;

pub const IFA_F_TEMPORARY: u32 = 0x01;
pub const IFA_F_OPTIMISTIC: u32 = 0x04;
pub const IFA_F_DADFAILED: u32 = 0x08;
pub const IFA_F_DEPRECATED: u32 = 0x20;
pub const IFA_F_TENTATIVE: u32 = 0x40;
pub const IFA_F_PERMANENT: u32 = 0x80;
pub const IFA_F_NOPREFIXROUTE: u32 = 0x200;
pub const IFA_F_STABLE_PRIVACY: u32 = 0x800;

pub const IFAPROT_KERNEL_LO: u8 = 1;
pub const IFAPROT_KERNEL_RA: u8 = 2;
pub const IFAPROT_KERNEL_LL: u8 = 3;

const IFA_ADDRESS: u16 = 1;
const IFA_LOCAL: u16 = 2;
const IFA_BROADCAST: u16 = 4;
const IFA_CACHEINFO: u16 = 6;
const IFA_FLAGS: u16 = 8;
const IFA_PROTO: u16 = 11;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn sample() -> Vec<u8> {
        let mut body = vec![2, 24, 0x80, 0, 3, 0, 0, 0];
        push(&mut body, IFA_ADDRESS, &[192, 0, 2, 9]);
        push(&mut body, IFA_LOCAL, &[192, 0, 2, 1]);
        push(&mut body, IFA_FLAGS, &IFA_F_PERMANENT.to_ne_bytes());
        let times: Vec<u8> = [5u32, 6, 7, 8].iter().flat_map(|time| time.to_ne_bytes()).collect();
        push(&mut body, IFA_CACHEINFO, &times);
        body
    }

    #[test]
    fn the_near_end_is_the_address() {
        let body = sample();
        let address = Address::parse(Message { kind: RTM_NEWADDR, body: &body }).unwrap();
        assert_eq!(address.local, IpAddr::from([192, 0, 2, 1]));
        assert_eq!(address.prefix_of, IpAddr::from([192, 0, 2, 9]));
        assert_eq!(
            (address.interface, address.prefix_length, address.broadcast),
            (u32::from_ne_bytes([3, 0, 0, 0]), 24, None)
        );
        assert_eq!(
            (address.preferred_seconds, address.valid_seconds, address.created, address.changed),
            (5, 6, 7, 8)
        );
    }

    proptest! {
        #[test]
        fn cut_and_damaged_messages_do_not_panic(cut in 0usize..80, at in 0usize..80, octet: u8) {
            let mut body = sample();
            let at = at % body.len();
            body[at] = octet;
            body.truncate(cut);
            let _ = Address::parse(Message { kind: RTM_NEWADDR, body: &body });
        }
    }
}
