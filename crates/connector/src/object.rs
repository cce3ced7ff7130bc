//! Numbers of objects.

use trunkline_jmx::jrmp::{ObjId, Uid};

/// The number of a new object, which nobody guesses.
pub(crate) fn random() -> Option<ObjId> {
    let mut octets = [0; 22];
    let random = rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty());
    // So few octets are returned in one piece (getrandom(2)).
    random.ok().filter(|filled| *filled == octets.len())?;
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p, q, r, s, t, u, v] = octets;
    let space = Uid {
        unique: i32::from_be_bytes([i, j, k, l]),
        time: i64::from_be_bytes([m, n, o, p, q, r, s, t]),
        count: i16::from_be_bytes([u, v]),
    };
    Some(ObjId { number: i64::from_be_bytes([a, b, c, d, e, f, g, h]), space })
}
