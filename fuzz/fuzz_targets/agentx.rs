//! Packets of AgentX: what is read is written and reads the same, and a stream is cut where a packet ends.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_agentx::wire::{HEADER_LENGTH, MAX_PAYLOAD, decode, encode, packet_length};

fuzz_target!(|octets: &[u8]| {
    let whole = packet_length(octets);
    for end in 0..octets.len().min(HEADER_LENGTH) {
        match packet_length(&octets[..end]) {
            Ok(None) => {}
            known => assert_eq!(known, whole),
        }
    }
    if let Ok(Some(length)) = whole {
        assert!((HEADER_LENGTH..=HEADER_LENGTH + MAX_PAYLOAD).contains(&length));
    }
    check(octets);
    // Most inputs announce another length than they have.
    let mut fitting = octets[..octets.len() & !3].to_vec();
    if let Some(payload) = fitting.len().checked_sub(HEADER_LENGTH) {
        let big = fitting[2] & 0x10 != 0;
        let length = payload as u32;
        fitting[16..20].copy_from_slice(&if big { length.to_be_bytes() } else { length.to_le_bytes() });
        check(&fitting);
    }
});

fn check(octets: &[u8]) {
    match decode(octets) {
        Ok(packet) => {
            let mut again = Vec::new();
            // The prefix of an identifier that Net-SNMP leaves out may take four octets more here.
            if encode(&packet, &mut again).is_ok() {
                assert_eq!(decode(&again).as_ref(), Ok(&packet));
                let mut third = Vec::new();
                assert!(encode(&packet, &mut third).is_ok() && third == again);
            }
        }
        Err(error) => {
            assert!(error.offset <= octets.len());
            assert!(!error.to_string().is_empty());
        }
    }
}
