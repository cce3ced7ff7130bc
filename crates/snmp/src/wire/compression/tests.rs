//! The drafts' own examples octet by octet, and what is wrong.

use trunkline_smi::{Oid, Value};

use super::*;
use crate::wire::{Message, Pdu, PduKind, VarBind, Version};
use crate::{DecodeError, OidProblem};

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn response(bindings: Vec<VarBind>) -> Message {
    let pdu = Pdu::new(PduKind::Response, 7, bindings);
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }
}

/// The contents of the list of a compressed message.
fn list_of(octets: &[u8], how: Compression) -> Vec<u8> {
    let numbers = hex("020107 020100 020100");
    let at = octets.windows(numbers.len()).position(|window| window == numbers).unwrap() + numbers.len();
    let header = if octets[at + 1] < 0x80 { 2 } else { 2 + usize::from(octets[at + 1] & 0x7f) };
    assert_eq!(octets[at], tag::SEQUENCE, "{how}");
    octets[at + header..].to_vec()
}

fn check(bindings: Vec<VarBind>, how: Compression, list: &str) {
    let message = response(bindings);
    let mut octets = Vec::new();
    compress(&message.encode(), how, &mut octets).unwrap();
    let found = list_of(&octets, how);
    assert_eq!(found, hex(list), "{how}: {found:02x?}");
    let mut plain = Vec::new();
    let expanded = expand(&octets, &mut plain).unwrap();
    assert_eq!(expanded, Some(Expanded { how, wants_answer: true }));
    assert_eq!(Message::decode(&plain), Ok(message));
}

/// OPC draft section 10: 115 octets instead of 155.
#[test]
fn host_resources_with_prefix_compression() {
    let text = b"Sun sparc sun4m 150 MHz".to_vec();
    let bindings = vec![
        VarBind::new(oid("1.3.6.1.2.1.25.1.1.0"), Value::TimeTicks(41_687_412)),
        VarBind::new(oid("1.3.6.1.2.1.25.1.5.0"), Value::Unsigned32(20)),
        VarBind::new(oid("1.3.6.1.2.1.25.1.6.0"), Value::Unsigned32(126)),
        VarBind::new(oid("1.3.6.1.2.1.25.1.7.0"), Value::Integer(3562)),
        VarBind::new(oid("1.3.6.1.2.1.25.3.2.1.2.1"), Value::ObjectIdentifier(oid("1.3.6.1.2.1.25.3.1.3"))),
        VarBind::new(oid("1.3.6.1.2.1.25.3.2.1.3.1"), Value::OctetString(text)),
        VarBind::new(oid("1.3.6.1.2.1.25.3.2.1.5.1"), Value::Integer(2)),
    ];
    let list = "30 11 4e 09 2b 06 01 02 01 19 01 01 00 43 04 02 7c 19 74 \
                30 08 4f 03 09 05 00 42 01 14 \
                30 08 4f 03 09 06 00 42 01 7e \
                30 09 4f 03 09 07 00 02 02 0d ea \
                30 13 4f 06 08 03 02 01 02 01 06 09 2b 06 01 02 01 19 03 01 03 \
                30 1e 4f 03 0b 03 01 04 17 53 75 6e 20 73 70 61 72 63 20 73 75 6e 34 6d 20 31 35 30 20 4d 48 7a \
                30 08 4f 03 0b 05 01 02 01 02";
    assert_eq!(hex(list).len(), 113);
    check(bindings, Compression::Opc, list);
}

/// OPC draft section 5.1 example 2, names alone.
#[test]
fn several_groups_with_prefix_compression() {
    let names = [
        "1.3.6.1.2.1.1.1.0",
        "1.3.6.1.2.1.2.2.1.8.1",
        "1.3.6.1.2.1.2.2.1.8.2",
        "1.3.6.1.2.1.2.2.1.10.1",
        "1.3.6.1.2.1.2.2.1.10.2",
        "1.3.6.1.2.1.6.5.0",
        "1.3.6.1.2.1.6.7.0",
        "1.3.6.1.2.1.6.8.0",
    ];
    let deltas = ["07 02 02 01 08 01", "0b 02", "0a 0a 01", "0b 02", "07 06 05 00", "08 07 00", "08 08 00"];
    for (pair, delta) in names.windows(2).zip(deltas) {
        let (previous, name) = (oid(pair[0]), oid(pair[1]));
        let mut octets = Vec::new();
        assert!(prefix::write(&previous, &name, &mut octets));
        assert_eq!(octets, hex(delta), "{name}");
        let mut read = previous.to_vec();
        prefix::read(&mut read, &octets).unwrap();
        assert_eq!(read, *name);
    }
}

fn listening(port: &str) -> VarBind {
    VarBind::new(oid(&format!("1.3.6.1.2.1.6.13.1.1.0.0.0.0.{port}.0.0.0.0.0")), Value::Integer(2))
}

/// NMRG draft section 5.2.2.1. (Its second binding prints the value as `02 02 02`, which is not an INTEGER.)
#[test]
fn simple_substitutions() {
    let bindings = ["21", "22", "23", "98"].map(listening).to_vec();
    let list = "30 18 06 13 2b 06 01 02 01 06 0d 01 01 00 00 00 00 15 00 00 00 00 00 02 01 02 \
                30 07 2a 02 0e 16 02 01 02 \
                30 07 2a 02 0e 17 02 01 02 \
                30 07 2a 02 0e 62 02 01 02";
    assert_eq!(hex(list).len(), 53);
    check(bindings, Compression::Odc, list);
}

fn connection(index: &str, state: i32) -> VarBind {
    VarBind::new(oid(&format!("1.3.6.1.2.1.6.13.1.1.134.169.34.190.{index}")), Value::Integer(state))
}

/// NMRG draft section 5.2.2.2. (Its last binding repeats the port of the previous one: 53370, instead of 56398.)
#[test]
fn range_substitutions() {
    let bindings = vec![
        connection("50054.130.240.64.53.80", 8),
        connection("50366.212.185.76.85.80", 8),
        connection("53370.134.169.34.117.6000", 5),
        connection("56398.134.169.34.190.120", 8),
    ];
    let list = "30 1f 06 1a 2b 06 01 02 01 06 0d 01 01 81 06 81 29 22 81 3e 83 87 06 81 02 81 70 40 35 50 02 01 08 \
                30 10 2a 0b 8e 05 83 89 3e 81 54 81 39 4c 55 02 01 08 \
                30 12 2a 0d 8e 06 83 a0 7a 81 06 81 29 22 75 ae 70 02 01 05 \
                30 0e 2a 09 0e 83 b8 4e 92 02 81 3e 78 02 01 08";
    assert_eq!(hex(list).len(), 87);
    check(bindings, Compression::Odc, list);
}

/// NMRG draft section 5.2.2.3. (It substitutes 4 twice, instead of 3, and writes the sub-identifier 23 as 0x23.)
#[test]
fn substitutions_and_truncations() {
    let name = |text: &str| oid(&format!("1.3.6.1.2.1.4.{text}"));
    let bindings = vec![
        VarBind::new(name("22.1.2.2.224.8.8.0"), Value::OctetString(hex("01005e080800"))),
        VarBind::new(name("22.1.4.2.224.8.8.0"), Value::Integer(3)),
        VarBind::new(name("22.1.3.2.224.8.8.0"), Value::IpAddress([224, 8, 8, 0])),
        VarBind::new(name("23.0"), Value::Counter32(0)),
    ];
    let list = "30 19 06 0f 2b 06 01 02 01 04 16 01 02 02 81 60 08 08 00 04 06 01 00 5e 08 08 00 \
                30 07 2a 02 09 04 02 01 03 \
                30 0a 2a 02 09 03 40 04 e0 08 08 00 \
                30 0a 2a 05 87 02 17 00 08 41 01 00";
    check(bindings, Compression::Odc, list);
}

#[test]
fn an_identical_and_a_longer_name() {
    let previous = oid("1.3.6.1.4.1");
    for (name, prefix_octets, delta_octets) in [
        ("1.3.6.1.4.1", "07", ""),
        ("1.3.6", "04", "02"),
        ("1.3.6.1.4.1.0.0", "07 00 00", "07"),
        ("1.3.6.1.4.1.0.9", "07 00 09", "07 09"),
        ("1.3.9.9.1.9", "03 09 09 01 09", "82 04 09 09 01 09"),
    ] {
        let name = oid(name);
        let (mut octets, mut read) = (Vec::new(), previous.to_vec());
        assert!(prefix::write(&previous, &name, &mut octets));
        assert_eq!(octets, hex(prefix_octets), "{name}");
        prefix::read(&mut read, &octets).unwrap();
        assert_eq!(read, *name);
        let mut read = previous.to_vec();
        assert!(delta::write(&previous, &name, &mut octets));
        assert_eq!(octets, hex(delta_octets), "{name}");
        delta::read(&mut read, &octets).unwrap();
        assert_eq!(read, *name);
    }
}

#[test]
fn invalid_names_are_reported() {
    let read = |how: fn(&mut Vec<u32>, &[u8]) -> Result<(), OidProblem>, octets: &str| {
        how(&mut vec![1, 3, 6, 1], &hex(octets))
    };
    assert_eq!(read(prefix::read, ""), Err(OidProblem::Delta));
    assert_eq!(read(prefix::read, "00 01"), Err(OidProblem::DeltaPosition { found: 0, most: 5 }));
    assert_eq!(read(prefix::read, "06 01"), Err(OidProblem::DeltaPosition { found: 6, most: 5 }));
    assert_eq!(read(prefix::read, "05 81"), Err(OidProblem::Delta));
    assert_eq!(read(prefix::read, "05 80 01"), Err(OidProblem::Delta));
    assert_eq!(read(prefix::read, "05 90 80 80 80 00"), Err(OidProblem::Delta));
    assert_eq!(read(prefix::read, &format!("05{}", "01".repeat(125))), Err(OidProblem::TooLong));
    assert_eq!(read(delta::read, "00"), Err(OidProblem::Delta));
    assert_eq!(read(delta::read, "80"), Err(OidProblem::Delta));
    assert_eq!(read(delta::read, "80 00"), Err(OidProblem::Delta));
    assert_eq!(read(delta::read, "80 80 01"), Err(OidProblem::Delta));
    assert_eq!(read(delta::read, "82 02 01"), Err(OidProblem::Delta));
    assert_eq!(read(delta::read, "ff 02 01 01"), Err(OidProblem::DeltaPosition { found: 129, most: 128 }));
    assert_eq!(read(delta::read, "7f 01"), Ok(()));
}

fn get(names: &[&str]) -> Vec<u8> {
    let names: Vec<Oid> = names.iter().map(|name| oid(name)).collect();
    let pdu = Pdu::read(PduKind::Get, 7, &names);
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }.encode()
}

#[test]
fn one_name_is_enough_for_a_request() {
    let plain = get(&["1.3.6.1.2.1.1.3.0"]);
    for (how, longer) in [(Compression::Opc, 0), (Compression::Odc, 2)] {
        let (mut octets, mut back) = (Vec::new(), Vec::new());
        compress(&plain, how, &mut octets).unwrap();
        assert_eq!(octets.len(), plain.len() + longer);
        assert_eq!(expand(&octets, &mut back), Ok(Some(Expanded { how, wants_answer: true })));
        assert_eq!(back, plain);
        let found = if how == Compression::Opc { 0xb0 } else { 0x2a };
        let error = Message::decode(&octets).unwrap_err();
        assert!(matches!(error, DecodeError::UnknownPdu { found: tag, .. } if tag == found), "{error}");
        assert!(is_compressed(found));
    }
    // ordinary names in OPC's PDU: the sender requests no compression
    let mut octets = plain.clone();
    octets[13] |= PREFIX_PDU;
    let mut back = Vec::new();
    let wants_answer = false;
    assert_eq!(expand(&octets, &mut back), Ok(Some(Expanded { how: Compression::Opc, wants_answer })));
    assert_eq!(back, plain);
    assert_eq!(expand(&plain, &mut back), Ok(None));
    assert!([0xa0, 0xa8, 0xa4, 0xb4, 0xb9, 0x30].iter().all(|&tag| !is_compressed(tag)));
}

/// Each binding of seven octets stands for a name of 128 sub-identifiers of five octets.
#[test]
fn names_that_grow_are_stopped_at_the_size_of_a_message() {
    let mut list = hex("30 82 02 7f 06 82 02 77 2b");
    (0..126).for_each(|_| list.extend_from_slice(&hex("8f ff ff ff 7f")));
    list.extend_from_slice(&hex("05 00"));
    let size = list.len() - 4;
    list[2..4].copy_from_slice(&(size as u16).to_be_bytes());
    list[6..8].copy_from_slice(&(size as u16 - 6).to_be_bytes());
    (0..2000).for_each(|_| list.extend_from_slice(&hex("30 05 2a 01 7f 05 00")));
    let mut inside = Vec::new();
    Parts { tag: 0xa0, numbers: &hex("020107 020100 020100"), list: &list }.put(&mut inside);
    let octets = around(&inside);
    let error = expand(&octets, &mut Vec::new()).unwrap_err();
    assert!(matches!(error, DecodeError::TooLarge { found: ..70_000, .. }), "{error}");
}

/// A message of v2c around `[42]` with these contents.
fn around(contents: &[u8]) -> Vec<u8> {
    let mut data = hex("020101 0406 7075626c6963");
    put_header(&mut data, COMPRESSED, contents.len());
    data.extend_from_slice(contents);
    let mut message = Vec::new();
    put_header(&mut message, tag::SEQUENCE, data.len());
    message.extend_from_slice(&data);
    message
}

#[test]
fn a_deflate_bomb_is_stopped() {
    use std::io::Write as _;
    let deflate = |octets: &[u8]| {
        let mut encoder = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(octets).unwrap();
        encoder.finish().unwrap()
    };
    let bomb = around(&deflate(&vec![0; 40_000_000]));
    assert!(bomb.len() < 65_535);
    let error = expand(&bomb, &mut Vec::new()).unwrap_err();
    assert_eq!(error, DecodeError::TooLarge { found: 65_536, limit: 65_535 });

    let plain = deflate(&hex("a000"));
    assert!(expand(&around(&plain), &mut Vec::new()).is_ok());
    for wrong in [[&plain[..], &[0]].concat(), plain[..plain.len() - 1].to_vec(), hex("78 9c 00"), hex("78")]
    {
        assert!(matches!(expand(&around(&wrong), &mut Vec::new()), Err(DecodeError::Deflate { .. })));
    }
    let nested = around(&deflate(&hex("2a 02 78 9c")));
    assert!(matches!(expand(&nested, &mut Vec::new()), Err(DecodeError::UnknownPdu { found: 0x2a, .. })));
}

#[test]
fn a_delta_needs_a_name_before_it() {
    for (inside, is_opc) in [("30 07 4f 02 08 01 05 00 00", true), ("30 06 2a 02 0e 16 05 00", false)] {
        let mut pdu = Vec::new();
        let list = hex(inside);
        let list = &list[..usize::from(list[1]) + 2];
        let numbers = hex("020107 020100 020100");
        let octets = if is_opc {
            Parts { tag: 0xb0, numbers: &numbers, list }.put(&mut pdu);
            let mut octets = around(&pdu);
            // the PDU is bare, not in [42]
            octets.drain(13..15);
            octets[1] -= 2;
            octets
        } else {
            Parts { tag: 0xa0, numbers: &numbers, list }.put(&mut pdu);
            around(&pdu)
        };
        let error = expand(&octets, &mut Vec::new()).unwrap_err();
        let problem = OidProblem::DeltaOfNothing;
        assert!(
            matches!(error, DecodeError::ObjectIdentifier { problem: found, .. } if found == problem),
            "{error}"
        );
    }
}
