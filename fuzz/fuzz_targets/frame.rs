//! The length of a message in a stream: the same however the octets arrive, and never above the limit.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_snmp::wire::{MAX_MESSAGE_SIZE, frame_length};

fuzz_target!(|octets: &[u8]| {
    let whole = frame_length(octets);
    for end in 0..octets.len().min(8) {
        match frame_length(&octets[..end]) {
            Ok(None) => assert!(end < 6, "six octets are enough to tell"),
            known => assert_eq!(known, whole),
        }
    }
    if let Ok(Some(length)) = whole {
        assert!((2..=MAX_MESSAGE_SIZE).contains(&length));
    }
});
