//! Annotating shows every octet of anything, and calls wrong what the decoder refuses.
#![allow(missing_docs)]

mod common;

use common::message;
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_snmp::DecodeError;
use trunkline_snmp::wire::{Message, annotate};

fn check(octets: &[u8]) {
    let fields = annotate(octets);
    let mut at = 0;
    for field in &fields {
        assert_eq!(field.offset, at);
        assert!(field.header <= field.len);
        at += field.len;
    }
    assert_eq!(at, octets.len());
    let wrong = fields.iter().any(|field| field.wrong);
    match Message::decode(octets) {
        Ok(_) => assert!(!wrong, "{fields:#?}"),
        // read by annotate, not by the decoder
        Err(DecodeError::UnsupportedVersion { .. } | DecodeError::TrapV1 { .. }) => {}
        Err(error) => assert!(wrong, "{error}: {fields:#?}"),
    }
}

proptest! {
    #[test]
    fn messages_and_their_mutations(message in message(), at in any::<prop::sample::Index>(), octet in any::<u8>()) {
        let mut octets = message.encode();
        check(&octets);
        let at = at.index(octets.len());
        octets[at] = octet;
        check(&octets);
        check(&octets[..at]);
    }

    #[test]
    fn noise(octets in vec(any::<u8>(), 0..200)) {
        check(&octets);
        check(&[&[0x30, octets.len() as u8 & 0x7f], &octets[..]].concat());
    }
}

#[test]
fn deep_nesting_ends() {
    let mut octets = vec![];
    for _ in 0..5000 {
        octets.extend([0x30, 0x80]);
    }
    check(&octets);
    let mut nested = vec![5, 0];
    for _ in 0..2000 {
        nested = [&[0x30, 0x84], &(nested.len() as u32).to_be_bytes()[..], &nested].concat();
    }
    check(&nested);
    let version = [&[2, 1, 3], &nested[..]].concat();
    check(&[&[0x30, 0x84], &(version.len() as u32).to_be_bytes()[..], &version].concat());
}
