//! Compressed messages: round trips for all names; which requests an engine answers with compression; and how
//! many octets that saves.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test fails by panicking, and prints what it measured"
)]

use std::time::Instant;

use proptest::prelude::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{CommunityEntry, Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
use trunkline_snmp::wire::compression::{Expanded, compress, expand};
use trunkline_snmp::wire::{Compression, Message, Pdu, PduKind, ResponseWriter, VarBind, Version};

fn message(pdu: Pdu) -> Message {
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }
}

fn names() -> impl Strategy<Value = Vec<Oid>> {
    // near each other, as in tables, and now and then far away
    let sub_id = prop_oneof![0u32..4, 0u32..200, any::<u32>()];
    let tail = proptest::collection::vec(sub_id, 0..126);
    let name = (0usize..126, tail);
    proptest::collection::vec(name, 1..12).prop_map(|parts| {
        let mut previous = vec![1, 3];
        let names = parts.into_iter().map(|(kept, tail)| {
            previous.truncate((2 + kept).max(2));
            previous.extend(tail);
            previous.truncate(128);
            Oid::try_from(previous.clone()).unwrap()
        });
        names.collect()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn compression_round_trips(names in names(), octets in proptest::collection::vec(any::<u8>(), 0..200)) {
        let value = || Value::OctetString(octets.clone());
        let bindings = names.into_iter().map(|name| VarBind::new(name, value())).collect();
        let message = message(Pdu::new(PduKind::Response, -5, bindings));
        let plain = message.encode();
        for how in Compression::ALL {
            let (mut packed, mut back) = (Vec::new(), Vec::new());
            compress(&plain, how, &mut packed).unwrap();
            prop_assert_eq!(expand(&packed, &mut back).unwrap(), Some(Expanded { how, wants_answer: true }));
            prop_assert_eq!(&Message::decode(&back).unwrap(), &message);
        }
    }

    #[test]
    fn any_input_is_expanded_within_bounds(octets in proptest::collection::vec(any::<u8>(), 0..300)) {
        let mut out = Vec::new();
        let mut framed = vec![0x30, 0x82];
        framed.extend((octets.len() as u16 + 5).to_be_bytes());
        framed.extend([2, 1, 1, 4, 0]);
        framed.extend(&octets);
        if let Ok(Some(_)) = expand(&framed, &mut out) {
            prop_assert!(out.len() <= 65_535);
        }
    }
}

/// ifTable, the table of Pras' measurements, as a walk by columns reads it.
fn interfaces(rows: u32) -> Vec<VarBind> {
    let cell = |column: u32, row: u32| {
        let name = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column, row]);
        let value = match column {
            2 => Value::OctetString(format!("eth{row}").into_bytes()),
            6 => Value::OctetString(vec![0, 2, 0xb3, 0x11, 0x22, row as u8]),
            1 | 3 | 4 | 7 | 8 => Value::Integer(6),
            5 => Value::Unsigned32(100_000_000),
            9 => Value::TimeTicks(120 * row),
            _ => Value::Counter32(row.wrapping_mul(2_654_435_761) >> (column % 13)),
        };
        VarBind::new(name, value)
    };
    (1..=22).flat_map(|column| (1..=rows).map(move |row| cell(column, row))).collect()
}

/// Pras 2005 section IV.G has about 75 % of the octets with OPC, however many objects there are: requests, which
/// hardly get shorter, and longer values included. Of answers alone it is less.
#[test]
fn an_interface_table_takes_two_thirds() {
    for (rows, by_rows) in [(3, true), (12, true), (50, true), (3, false), (12, false), (50, false)] {
        let mut bindings = interfaces(rows);
        if by_rows {
            bindings.sort_by_key(|binding| (binding.name[10], binding.name[9]));
        }
        let plain = message(Pdu::new(PduKind::Response, 70_000, bindings)).encode();
        let share = |how| {
            let mut packed = Vec::new();
            compress(&plain, how, &mut packed).unwrap();
            packed.len() as f64 / plain.len() as f64
        };
        let [opc, odc, zlib] = Compression::ALL.map(share);
        let order = if by_rows { "rows" } else { "columns" };
        println!(
            "{} objects by {order}: OPC {opc:.3}, ODC {odc:.3}, zlib {zlib:.3} of {} octets",
            rows * 22,
            plain.len()
        );
        assert!((0.5..0.8).contains(&opc), "{opc}");
        assert!((opc - odc).abs() < 0.1, "{opc} {odc}");
        assert!(zlib < 0.7, "{zlib}");
    }
}

fn engine() -> (Engine, Instant) {
    let now = Instant::now();
    let options = EngineOptions {
        id: EngineId::generate(1, [1; 12]),
        clock: EngineClock::new(EngineBoots::default(), now),
        max_size: 65_535,
        handlers: Handlers::RESPONDER,
        remote_engines: 0,
        entropy: 0,
    };
    (Engine::new(options), now)
}

/// What an agent answers to these octets with an interface table: its octets.
fn answer(octets: &[u8], limit: usize) -> Option<Vec<u8>> {
    let (engine, now) = engine();
    let (mut scratch, mut out, counters) = (Vec::new(), Vec::new(), Counters::default());
    let entry = CommunityEntry { security_name: b"name", context_engine_id: None, context_name: b"" };
    let known = |community: &[u8]| (community == b"public").then_some(entry);
    let incoming = engine.receive(octets, &mut scratch, &mut out, now, None, known, &counters);
    let Incoming::Request(request) = incoming else { return None };
    assert_eq!(request.pdu.kind, PduKind::GetBulk);
    let mut buf = Vec::new();
    let mut writer = ResponseWriter::new(&mut buf, limit, request.reply());
    for binding in interfaces(4) {
        let trunkline_snmp::wire::Bound::Value(value) = &binding.value else { unreachable!() };
        if !writer.value_at(&binding.name, value.as_value_ref()) {
            break;
        }
    }
    let range = writer.finish()?;
    Some(buf[range].to_vec())
}

#[test]
fn an_engine_compresses_its_answer_like_the_request() {
    let plain = message(Pdu::bulk(7, 0, 10, [&Oid::from([1, 3, 6, 1, 2, 1, 2, 2])])).encode();
    let expected = answer(&plain, 1400).unwrap();
    assert!(Message::decode(&expected).is_ok(), "who did not ask gets what everybody reads");
    for how in Compression::ALL {
        let (mut asked, mut back) = (Vec::new(), Vec::new());
        compress(&plain, how, &mut asked).unwrap();
        let found = answer(&asked, 1400).unwrap();
        assert!(found.len() < expected.len(), "{how}: {} {}", found.len(), expected.len());
        assert_eq!(expand(&found, &mut back), Ok(Some(Expanded { how, wants_answer: true })));
        assert_eq!(Message::decode(&back), Message::decode(&expected), "{how}");

        // An answer that would be longer so is not compressed.
        let small = answer(&asked, 48).unwrap();
        assert!(Message::decode(&small).is_ok(), "{how}");
        // Nor does compression open a door.
        let mut stranger = asked.clone();
        stranger[7] = b'P';
        assert!(answer(&stranger, 1400).is_none());
    }
}
