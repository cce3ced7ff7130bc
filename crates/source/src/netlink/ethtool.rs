//! Speeds of interfaces from the kernel's ethtool family (generic netlink),
//! which sees the socket's network namespace, as a mounted /sys might not.
//!
//! ```text
//! struct genlmsghdr { u8 command, version; u16 reserved; }  then attributes
//! ```

use std::io;

use super::attribute::{NESTED, find, push, u16_at, u32_at};
use super::{Message, Protocol, Socket};

/// The ethtool family of the kernel, found by its name.
#[derive(Debug)]
pub struct Ethtool {
    socket: Socket,
    family: u16,
}

/// An interface's speed in Mb/s; `None` where the interface has none or does not know it now.
pub type Speed = Option<u32>;

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

    /// The speeds of all interfaces that have link settings.
    pub fn all(&mut self, mut each: impl FnMut(u32, Speed)) -> io::Result<()> {
        self.socket.dump(self.family, &request_body(None), &mut |message| {
            if let Some((index, speed)) = parse(message) {
                each(index, speed);
            }
        })?;
        Ok(())
    }

    /// The speed of one interface. One that has no link settings, or is gone, has no speed.
    pub fn one(&mut self, index: u32) -> Speed {
        let mut found = None;
        let asked = self.socket.request(self.family, &request_body(Some(index)), &mut |message| {
            found = parse(message).and_then(|(_, speed)| speed);
        });
        asked.ok().and(found)
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

/// Reads one answer: ifIndex and speed.
pub fn parse(message: Message<'_>) -> Option<(u32, Speed)> {
    let attributes = attributes_of(message)?;
    let header = find(attributes, ETHTOOL_A_LINKMODES_HEADER)?;
    let index = u32_at(find(header, ETHTOOL_A_HEADER_DEV_INDEX)?, 0)?;
    let speed = find(attributes, ETHTOOL_A_LINKMODES_SPEED).and_then(|value| u32_at(value, 0));
    Some((index, speed.filter(|speed| *speed != SPEED_UNKNOWN && *speed != 0)))
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
const SPEED_UNKNOWN: u32 = u32::MAX;

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_answer_is_read_without_panic(body in proptest::collection::vec(any::<u8>(), 0..64)) {
            let _ = parse(Message { kind: 20, body: &body });
        }
    }
}
