//! Contents of an OBJECT IDENTIFIER, and an element of any type as a value.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_message, element, message_around};
use trunkline_snmp::wire::{RawOid, is_encodable};

fuzz_target!(|octets: &[u8]| {
    if let Ok(oid) = RawOid::new(octets) {
        assert!(is_encodable(&oid.to_oid()));
        assert_eq!(*oid.to_oid(), *oid.to_buf());
    }
    let name = element(6, octets);
    let as_name = element(0x30, &element(0x30, &[&name, &[5, 0][..]].concat()));
    let as_value = element(0x30, &element(0x30, &[&[6, 2, 0x2b, 6], octets].concat()));
    for list in [as_name, as_value] {
        let pdu = element(0xa2, &[&[2, 1, 7, 2, 1, 0, 2, 1, 0], &list[..]].concat());
        check_message(&message_around(1, &pdu));
    }
});
