//! Compressed messages: a stranger's input is expanded within limits, and compressing the result again and
//! expanding it gives the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_message, element, message_around};
use trunkline_snmp::wire::compression::{compress, expand};
use trunkline_snmp::wire::{Compression, MAX_MESSAGE_SIZE, Message};

fuzz_target!(|octets: &[u8]| {
    check(octets);
    let Some((&kind, contents)) = octets.split_first() else { return };
    // a body for each kind of frame
    check(&message_around(1, &element(0xb0 | kind & 0x0f, contents)));
    check(&message_around(1, &element(0x2a, &element(0xa0 | kind & 0x0f, contents))));
    check(&message_around(1, &element(0x2a, contents)));
});

fn check(octets: &[u8]) {
    let (mut plain, mut packed, mut again) = (Vec::new(), Vec::new(), Vec::new());
    let Ok(expanded) = expand(octets, &mut plain) else { return };
    assert!(plain.len() <= MAX_MESSAGE_SIZE);
    if expanded.is_none() {
        return;
    }
    check_message(&plain);
    let Ok(message) = Message::decode(&plain) else { return };
    for how in Compression::ALL {
        compress(&message.encode(), how, &mut packed).unwrap();
        assert!(expand(&packed, &mut again).unwrap().is_some());
        assert_eq!(Message::decode(&again).unwrap(), message);
    }
}
