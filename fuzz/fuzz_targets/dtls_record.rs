//! Inspecting a DTLS datagram without keys: nothing beyond its first record matters.
#![no_main]

use libfuzzer_sys::fuzz_target;

// Included as a single file, since its crate is large and this file needs nothing else of it.
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
