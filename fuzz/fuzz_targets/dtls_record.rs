//! What is seen of a datagram of DTLS without keys: nothing beyond its first record counts.
#![no_main]

use libfuzzer_sys::fuzz_target;

// Alone, since its room is large and this file of it needs nothing.
#[path = "../../crates/transport/src/dtls/hello.rs"]
mod hello;

use hello::{ContentKind, FirstRecord};

fuzz_target!(|octets: &[u8]| {
    let Some(first) = FirstRecord::of(octets) else { return };
    let whole = 13 + usize::from(u16::from_be_bytes([octets[11], octets[12]]));
    assert_eq!(FirstRecord::of(&octets[..whole]), Some(first.clone()));
    assert_eq!(FirstRecord::of(&octets[..whole - 1]), None);
    if let Some(random) = first.hello {
        assert_eq!((first.content, first.epoch), (ContentKind::Handshake, 0));
        assert_eq!(octets[27..59], random);
    }
});
