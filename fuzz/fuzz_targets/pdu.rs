//! A PDU inside an otherwise valid message, in both versions; and the contents of one.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_message, element, message_around};

fuzz_target!(|octets: &[u8]| {
    for version in [0, 1] {
        check_message(&message_around(version, octets));
        let Some((&kind, contents)) = octets.split_first() else { return };
        check_message(&message_around(version, &element(0xa0 | kind & 0x0f, contents)));
    }
});
