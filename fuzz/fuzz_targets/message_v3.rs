//! Whole messages of SNMPv3, as a transport delivers them, to every decoder; and scoped PDUs as produced by a
//! decryption.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_annotation, check_v3_message};
use trunkline_snmp::wire::ScopedPduRef;

fuzz_target!(|octets: &[u8]| {
    check_v3_message(octets);
    check_annotation(octets);
    for padding in [0, 8] {
        if let Ok(scoped) = ScopedPduRef::decode(octets, padding) {
            if let Ok(owned) = scoped.to_owned_pdu() {
                let alone = owned.encode();
                let again = ScopedPduRef::decode(&alone, 0).and_then(|scoped| scoped.to_owned_pdu());
                assert_eq!(again, Ok(owned));
            }
        }
    }
});
