//! The Trap-PDU of SNMPv1: Net-SNMP's octets, and what must hold for any trap.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used, dead_code)]

use crate::common;

use common::{number32, octets, oid, value_of_version_1};
use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{Bound, PduKind, TrapV1, TrapV1Message, VarBind, annotate, frame_length};

/// `snmptrap -v1 -c public 127.0.0.1 1.3.6.1.4.1.8072.9999 192.0.2.7 6 99 123456` with an INTEGER, a string
/// and a counter, as Net-SNMP 5.9.3 prints it with -d.
const SPECIFIC: &str = "
30 65 02 01 00 04 06 70 75 62 6c 69 63 a4 58 06 09 2b 06 01 04 01 bf 08 ce 0f 40 04 c0 00 02 07
02 01 06 02 01 63 43 03 01 e2 40 30 3a 30 0f 06 0a 2b 06 01 02 01 02 02 01 01 02 02 01 02 30 12
06 0a 2b 06 01 02 01 02 02 01 02 02 04 04 65 74 68 30 30 13 06 0a 2b 06 01 02 01 02 02 01 0a 02
41 05 00 ff ff ff ff";

/// `snmptrap -v1 -c public 127.0.0.1 1.3.6.1.4.1.8072.3.2.10 127.0.0.1 2 0 4294967295`.
const GENERIC: &str = "
30 2e 02 01 00 04 06 70 75 62 6c 69 63 a4 21 06 0a 2b 06 01 04 01 bf 08 03 02 0a 40 04 7f 00 00
01 02 01 02 02 01 00 43 05 00 ff ff ff ff 30 00";

fn hexadecimal(text: &str) -> Vec<u8> {
    text.split_whitespace().map(|octet| u8::from_str_radix(octet, 16).unwrap()).collect()
}

#[test]
fn captured_from_net_snmp() {
    let column = |column: u32| Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1]).child(&[column, 2]);
    let specific = TrapV1 {
        enterprise: Oid::from([1, 3, 6, 1, 4, 1, 8072, 9999]),
        agent_addr: [192, 0, 2, 7],
        generic: 6,
        specific: 99,
        time_stamp: 123_456,
        bindings: vec![
            VarBind::new(column(1), Value::Integer(2)),
            VarBind::new(column(2), Value::text("eth0")),
            VarBind::new(column(10), Value::Counter32(u32::MAX)),
        ],
    };
    let generic = TrapV1 {
        enterprise: Oid::from([1, 3, 6, 1, 4, 1, 8072, 3, 2, 10]),
        agent_addr: [127, 0, 0, 1],
        generic: 2,
        specific: 0,
        time_stamp: u32::MAX,
        bindings: vec![],
    };
    for (text, trap) in [(SPECIFIC, specific), (GENERIC, generic)] {
        let octets = hexadecimal(text);
        let message = TrapV1Message { community: b"public".to_vec(), trap };
        assert_eq!(TrapV1Message::decode(&octets).as_ref(), Ok(&message));
        assert_eq!(message.encode(), octets);
        assert!(annotate(&octets).iter().all(|field| !field.wrong));
    }
}

/// Each octet in turn with every other value: never a panic, and what is read is read equal again.
#[test]
fn every_octet_replaced_by_every_other() {
    for text in [SPECIFIC, GENERIC] {
        let good = hexadecimal(text);
        let mut octets = good.clone();
        for at in 0..octets.len() {
            for value in 0..=255 {
                octets[at] = value;
                if let Ok(message) = TrapV1Message::decode(&octets) {
                    assert_eq!(TrapV1Message::decode(&message.encode()), Ok(message));
                }
            }
            octets[at] = good[at];
        }
        for end in 0..good.len() {
            assert!(TrapV1Message::decode(&good[..end]).is_err());
        }
    }
}

fn trap() -> impl Strategy<Value = TrapV1> {
    let bound = prop_oneof![
        1 => Just(Bound::Unspecified),
        4 => value_of_version_1().prop_map(Bound::Value)
    ];
    let binding = (oid(), bound).prop_map(|(name, value)| VarBind { name, value });
    let generic = prop_oneof![4 => 0..=6i32, 1 => any::<i32>()];
    let specific = prop_oneof![4 => 0..=i32::MAX, 1 => any::<i32>()];
    (oid(), any::<[u8; 4]>(), (generic, specific, number32()), vec(binding, 0..8)).prop_map(
        |(enterprise, agent_addr, (generic, specific, time_stamp), bindings)| TrapV1 {
            enterprise,
            agent_addr,
            generic,
            specific,
            time_stamp,
            bindings,
        },
    )
}

proptest! {
    #[test]
    fn traps(trap in trap(), community in octets()) {
        let message = TrapV1Message { community, trap };
        let octets = message.encode();
        let read = TrapV1Message::decode(&octets);
        prop_assert_eq!(read.as_ref(), Ok(&message));
        prop_assert_eq!(frame_length(&octets), Ok(Some(octets.len())));
        let fields = annotate(&octets);
        prop_assert!(fields.iter().all(|field| !field.wrong), "{:?}", fields);
    }

    /// There and back again: an enterprise's trap keeps all it has, a standard one its enterprise only when
    /// that was handed on.
    #[test]
    fn translations(trap in trap(), community in octets()) {
        let Ok(forwarded) = Notification::forwarded_from_trap_v1(&trap, &community) else {
            prop_assert!(
                !(0..=6).contains(&trap.generic)
                    || trap.generic == 6 && trap.enterprise.len() > 126
            );
            return Ok(());
        };
        let read = Notification::from_bindings(forwarded.to_pdu(PduKind::TrapV2, 1).bindings);
        prop_assert_eq!(read.as_ref(), Ok(&forwarded));
        let back = forwarded.to_trap_v1([0; 4]).unwrap();
        prop_assert_eq!(back.generic, trap.generic);
        prop_assert_eq!(back.time_stamp, trap.time_stamp);
        prop_assert_eq!(back.specific, if trap.generic == 6 { trap.specific } else { 0 });
        prop_assert!(back.bindings.starts_with(&trap.bindings));
        let named = |name: &Oid| trap.bindings.iter().any(|binding| binding.name == *name);
        if !named(&Oid::from(trunkline_snmp::role::originator::SNMP_TRAP_ADDRESS)) {
            prop_assert_eq!(back.agent_addr, trap.agent_addr);
        }
        if trap.generic == 6 || !named(&Oid::from(trunkline_snmp::role::originator::SNMP_TRAP_ENTERPRISE)) {
            prop_assert_eq!(back.enterprise, trap.enterprise);
        }
    }
}
