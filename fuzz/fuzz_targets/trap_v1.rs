//! Traps of SNMPv1: whole messages, and the contents of the PDU; a valid one is encoded and decoded back equal,
//! and its translation to SNMPv2 and back loses nothing that both can express.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{element, message_around};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::TrapV1Message;

fuzz_target!(|octets: &[u8]| {
    check(octets);
    check(&message_around(0, &element(0xa4, octets)));
});

fn check(octets: &[u8]) {
    let Ok(message) = TrapV1Message::decode(octets) else { return };
    let trap = &message.trap;
    assert_eq!(TrapV1Message::decode(&message.encode()).as_ref(), Ok(&message));
    let Ok(notification) = Notification::forwarded_from_trap_v1(trap, &message.community) else { return };
    assert_eq!(Notification::from_bindings(notification.to_bindings()).as_ref(), Ok(&notification));
    let Ok(back) = notification.to_trap_v1([0; 4]) else { panic!("it was a trap of SNMPv1") };
    assert_eq!((back.generic, back.time_stamp), (trap.generic, trap.time_stamp));
    assert!(back.bindings.starts_with(&trap.bindings));
}
