//! Speeds and duplex modes of interfaces from the kernel's ethtool family (generic netlink),
//! which sees the socket's network namespace, as a mounted /sys might not.
//!
//! ```text
//! struct genlmsghdr { u8 command, version; u16 reserved; }  then attributes
//! ```

use std::io;

use super::attribute::{NESTED, find, push, u8_at, u16_at, u32_at};
use super::{Message, Protocol, Socket};

/// The ethtool family of the kernel, found by its name.
#[derive(Debug)]
pub struct Ethtool {
    socket: Socket,
    family: u16,
}

/// The link settings of an interface. One that has none, or is gone, knows nothing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// In Mb/s; `None` where the interface has none or does not know it now.
    pub speed: Option<u32>,
    pub duplex: Duplex,
}

/// Whether both ends may send at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Duplex {
    /// Not known, or without meaning for this interface.
    #[default]
    Unknown,
    Half,
    Full,
}

impl Ethtool {
    /// Opens a socket and looks up the family. Fails with `NotFound` on a kernel before 5.6.
    pub fn open() -> io::Result<Self> {
        let mut socket = Socket::open(Protocol::Generic)?;
        let mut body = vec![CTRL_CMD_GETFAMILY, 1, 0, 0];
        push(&mut body, CTRL_ATTR_FAMILY_NAME, b"ethtool\0");
        let mut family = None;
        socket.request(GENL_ID_CTRL, &body, &mut |message| {
            family =
                attributes_of(message).and_then(|a| find(a, CTRL_ATTR_FAMILY_ID)).and_then(|v| u16_at(v, 0));
        })?;
        let family = family.ok_or(io::ErrorKind::NotFound)?;
        Ok(Ethtool { socket, family })
    }

    /// The settings of all interfaces that have some.
    pub fn all(&mut self, mut each: impl FnMut(u32, Settings)) -> io::Result<()> {
        self.socket.dump(self.family, &request_body(None), &mut |message| {
            if let Some((index, settings)) = parse(message) {
                each(index, settings);
            }
        })?;
        Ok(())
    }

    /// The settings of one interface.
    pub fn one(&mut self, index: u32) -> Settings {
        let mut found = Settings::default();
        let asked = self.socket.request(self.family, &request_body(Some(index)), &mut |message| {
            found = parse(message).map_or(found, |(_, settings)| settings);
        });
        asked.map_or_else(|_| Settings::default(), |()| found)
    }
}

fn request_body(index: Option<u32>) -> Vec<u8> {
    let mut header = Vec::new();
    if let Some(index) = index {
        push(&mut header, ETHTOOL_A_HEADER_DEV_INDEX, &index.to_ne_bytes());
    }
    push(&mut header, ETHTOOL_A_HEADER_FLAGS, &ETHTOOL_FLAG_COMPACT_BITSETS.to_ne_bytes());
    let mut body = vec![ETHTOOL_MSG_LINKMODES_GET, 1, 0, 0];
    push(&mut body, ETHTOOL_A_LINKMODES_HEADER | NESTED, &header);
    body
}

fn attributes_of(message: Message<'_>) -> Option<&[u8]> {
    message.body.get(4..)
}

/// Reads one answer: ifIndex and settings.
pub fn parse(message: Message<'_>) -> Option<(u32, Settings)> {
    let attributes = attributes_of(message)?;
    let header = find(attributes, ETHTOOL_A_LINKMODES_HEADER)?;
    let index = u32_at(find(header, ETHTOOL_A_HEADER_DEV_INDEX)?, 0)?;
    let speed = find(attributes, ETHTOOL_A_LINKMODES_SPEED).and_then(|value| u32_at(value, 0));
    let duplex = match find(attributes, ETHTOOL_A_LINKMODES_DUPLEX).and_then(|value| u8_at(value, 0)) {
        Some(0) => Duplex::Half,
        Some(1) => Duplex::Full,
        _ => Duplex::Unknown,
    };
    Some((index, Settings { speed: speed.filter(|speed| *speed != SPEED_UNKNOWN && *speed != 0), duplex }))
}

const GENL_ID_CTRL: u16 = 16;
const CTRL_CMD_GETFAMILY: u8 = 3;
const CTRL_ATTR_FAMILY_ID: u16 = 1;
const CTRL_ATTR_FAMILY_NAME: u16 = 2;

const ETHTOOL_MSG_LINKMODES_GET: u8 = 4;
const ETHTOOL_A_HEADER_DEV_INDEX: u16 = 1;
const ETHTOOL_A_HEADER_FLAGS: u16 = 3;
const ETHTOOL_FLAG_COMPACT_BITSETS: u32 = 1;
const ETHTOOL_A_LINKMODES_HEADER: u16 = 1;
const ETHTOOL_A_LINKMODES_SPEED: u16 = 5;
const ETHTOOL_A_LINKMODES_DUPLEX: u16 = 6;
const SPEED_UNKNOWN: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn an_answer_has_speed_and_duplex() {
        let answer = |speed: u32, duplex: u8| {
            let mut header = Vec::new();
            push(&mut header, ETHTOOL_A_HEADER_DEV_INDEX, &7u32.to_ne_bytes());
            let mut body = vec![ETHTOOL_MSG_LINKMODES_GET, 1, 0, 0];
            push(&mut body, ETHTOOL_A_LINKMODES_HEADER | NESTED, &header);
            push(&mut body, ETHTOOL_A_LINKMODES_SPEED, &speed.to_ne_bytes());
            push(&mut body, ETHTOOL_A_LINKMODES_DUPLEX, &[duplex]);
            parse(Message { kind: 20, body: &body })
        };
        let is = |speed, duplex| Some((7, Settings { speed, duplex }));
        assert_eq!(answer(1000, 1), is(Some(1000), Duplex::Full));
        assert_eq!(answer(10, 0), is(Some(10), Duplex::Half));
        assert_eq!(answer(SPEED_UNKNOWN, 255), is(None, Duplex::Unknown));
        assert_eq!(answer(0, 2), is(None, Duplex::Unknown));
        assert_eq!(parse(Message { kind: 20, body: &[ETHTOOL_MSG_LINKMODES_GET, 1, 0, 0] }), None);
    }

    proptest! {
        #[test]
        fn any_answer_is_read_without_panic(body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(Message { kind: 20, body: &body });
        }
    }
}
