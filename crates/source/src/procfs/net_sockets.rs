//! /proc/net/{tcp,tcp6,udp,udp6}: sockets as text, where sock_diag may not be used.
//!
//! ```text
//!   sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ...
//!    0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 12345 ...
//! ```
//! An address is written as 32-bit words in the machine's order.

use super::{hexadecimal, lines, number, words};
use crate::sock_diag::{Family, InetSocket};

/// Reads the lines of one of the files.
pub fn parse(text: &[u8], family: Family) -> impl Iterator<Item = InetSocket> {
    lines(text).skip(1).filter_map(move |line| socket(line, family))
}

fn socket(line: &[u8], family: Family) -> Option<InetSocket> {
    let mut words = words(line).skip(1);
    let (local, local_port) = endpoint(words.next()?, family)?;
    let (remote, remote_port) = endpoint(words.next()?, family)?;
    let state = u8::try_from(hexadecimal(words.next()?)?).ok()?;
    let inode = number(words.nth(5)?)?;
    Some(InetSocket {
        family,
        state,
        local,
        local_port,
        remote,
        remote_port,
        interface: 0,
        inode: inode as u32, // socket inodes have 32 bits
        only_v6: None,
    })
}

fn endpoint(word: &[u8], family: Family) -> Option<([u8; 16], u16)> {
    let colon = word.iter().position(|octet| *octet == b':')?;
    let (digits, port) = (&word[..colon], &word[colon + 1..]);
    if digits.len() != 2 * family.address_len() {
        return None;
    }
    let mut address = [0; 16];
    for (place, group) in address.chunks_exact_mut(4).zip(digits.chunks_exact(8)) {
        place.copy_from_slice(&(hexadecimal(group)? as u32).to_ne_bytes());
    }
    Some((address, u16::try_from(hexadecimal(port)?).ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const V4: &[u8] = b"  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode\n   0: 0100007F:1F90 0200007F:C001 01 00000000:00000000 00:00000000 00000000  1000        0 54321 1 0 20\n";
    const V6: &[u8] = b"head\n 12: 0000000000000000FFFF00000100007F:0016 00000000000000000000000001000000:FFFF 06 00000000:00000000 03:00001770 00000000     0        0 0 3 0\n";

    #[cfg(target_endian = "little")]
    #[test]
    fn addresses_come_in_network_order() {
        let socket = parse(V4, Family::V4).next().unwrap();
        assert_eq!((&socket.local[..4], socket.local_port), (&[127, 0, 0, 1][..], 8080));
        assert_eq!((&socket.remote[..4], socket.remote_port), (&[127, 0, 0, 2][..], 49153));
        assert_eq!((socket.state, socket.inode), (1, 54321));
        let socket = parse(V6, Family::V6).next().unwrap();
        assert_eq!(socket.local[10..], [0xff, 0xff, 127, 0, 0, 1]);
        assert_eq!(socket.remote, [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]);
        assert_eq!((socket.state, socket.inode), (6, 0));
        assert!(parse(V6, Family::V4).next().is_none());
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..V6.len(), at in 0..V6.len(), octet: u8) {
            let mut text = V6[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            prop_assert!(parse(&text, Family::V6).count() <= 2);
        }
    }
}
