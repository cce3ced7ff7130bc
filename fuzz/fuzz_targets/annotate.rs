//! The annotator covers every octet of any input.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_annotation, element, message_around};

fuzz_target!(|octets: &[u8]| {
    check_annotation(octets);
    check_annotation(&message_around(0, &element(0xa4, octets)));
    check_annotation(&message_around(3, octets));
    check_annotation(&message_around(1, &element(0xb2, octets)));
    check_annotation(&message_around(1, &element(0x2a, octets)));
});
