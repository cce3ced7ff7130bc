//! Arbitrary messages for the property tests.
#![allow(dead_code, reason = "each test takes what it needs")]

use proptest::collection::vec;
use proptest::prelude::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::usm::EngineMoment;
use trunkline_snmp::wire::{
    Bound, Exception, Message, MsgFlags, Pdu, PduKind, ScopedPdu, ScopedPduData, USM, UsmParameters,
    V3Message, VarBind, Version,
};

/// Identifiers that BER can say, with sub-identifiers of every width.
pub fn oid() -> impl Strategy<Value = Oid> {
    let root = prop_oneof![(0..2u32, 0..40u32), (Just(2u32), sub_id())];
    (root, vec(sub_id(), 0..40)).prop_map(|((first, second), rest)| Oid::from([first, second]).child(&rest))
}

pub fn sub_id() -> impl Strategy<Value = u32> {
    prop_oneof![0..128u32, 128..16_384u32, (0..32u32).prop_map(|bit| 1 << bit), any::<u32>(), Just(u32::MAX)]
}

pub fn octets() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![vec(any::<u8>(), 0..20), vec(any::<u8>(), 100..140), vec(any::<u8>(), 250..300)]
}

pub fn number32() -> impl Strategy<Value = u32> {
    prop_oneof![(0..32u32).prop_map(|bit| 1 << bit), (0..32u32).prop_map(|bit| (1 << bit) - 1), any::<u32>()]
}

pub fn number64() -> impl Strategy<Value = u64> {
    prop_oneof![(0..64u32).prop_map(|bit| 1 << bit), (0..64u32).prop_map(|bit| (1 << bit) - 1), any::<u64>()]
}

/// Values that every version has.
pub fn value_of_version_1() -> impl Strategy<Value = Value> {
    prop_oneof![
        number32().prop_map(|n| Value::Integer(n as i32)),
        octets().prop_map(Value::OctetString),
        octets().prop_map(Value::Opaque),
        oid().prop_map(Value::ObjectIdentifier),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        number32().prop_map(Value::Counter32),
        number32().prop_map(Value::Unsigned32),
        number32().prop_map(Value::TimeTicks),
    ]
}

pub fn value() -> impl Strategy<Value = Value> {
    prop_oneof![4 => value_of_version_1(), 1 => number64().prop_map(Value::Counter64)]
}

pub fn exception() -> impl Strategy<Value = Exception> {
    prop_oneof![Just(Exception::NoSuchObject), Just(Exception::NoSuchInstance), Just(Exception::EndOfMibView)]
}

fn bound(version: Version) -> BoxedStrategy<Bound> {
    match version {
        Version::V1 => {
            prop_oneof![1 => Just(Bound::Unspecified), 4 => value_of_version_1().prop_map(Bound::Value)]
                .boxed()
        }
        Version::V2c | Version::V3 => prop_oneof![
            1 => Just(Bound::Unspecified),
            1 => exception().prop_map(Bound::Exception),
            4 => value().prop_map(Bound::Value)
        ]
        .boxed(),
    }
}

pub fn message() -> impl Strategy<Value = Message> {
    prop_oneof![Just(Version::V1), Just(Version::V2c)].prop_flat_map(|version| {
        let binding = (oid(), bound(version)).prop_map(|(name, value)| VarBind { name, value });
        let kinds: Vec<PduKind> = PduKind::ALL.into_iter().filter(|&kind| kind != PduKind::TrapV1).collect();
        let numbers = [number32(), number32(), number32()].prop_map(|numbers| numbers.map(|n| n as i32));
        (octets(), proptest::sample::select(kinds), numbers, vec(binding, 0..12)).prop_map(
            move |(community, kind, [request_id, error_status, error_index], bindings)| Message {
                version,
                community,
                pdu: Pdu { kind, request_id, error_status, error_index, bindings },
            },
        )
    })
}

fn short() -> impl Strategy<Value = Vec<u8>> {
    prop_oneof![3 => vec(any::<u8>(), 0..33), 1 => vec(any::<u8>(), 120..140)]
}

pub fn number31() -> impl Strategy<Value = u32> {
    number32().prop_map(|number| number & 0x7fff_ffff)
}

/// PDUs as SNMPv3 may have them.
pub fn pdu_of_version_3() -> impl Strategy<Value = Pdu> {
    let binding = (oid(), bound(Version::V3)).prop_map(|(name, value)| VarBind { name, value });
    let kinds: Vec<PduKind> = PduKind::ALL.into_iter().filter(|&kind| kind.is_in(Version::V3)).collect();
    let numbers = [number32(), number32(), number32()].prop_map(|numbers| numbers.map(|n| n as i32));
    (proptest::sample::select(kinds), numbers, vec(binding, 0..12)).prop_map(
        |(kind, [request_id, error_status, error_index], bindings)| Pdu {
            kind,
            request_id,
            error_status,
            error_index,
            bindings,
        },
    )
}

pub fn usm_parameters() -> impl Strategy<Value = UsmParameters> {
    (short(), number31(), number31(), vec(any::<u8>(), 0..33), short(), short()).prop_map(
        |(engine_id, boots, time, user_name, authentication, privacy)| UsmParameters {
            engine_id,
            moment: EngineMoment::new(boots, time).unwrap(),
            user_name,
            authentication,
            privacy,
        },
    )
}

/// Messages of SNMPv3 that say anything at all: neither codes nor octets said to be encrypted are real.
pub fn v3_message() -> impl Strategy<Value = V3Message> {
    let scoped = (short(), short(), pdu_of_version_3()).prop_map(|(context_engine_id, context_name, pdu)| {
        ScopedPduData::Plain(ScopedPdu { context_engine_id, context_name, pdu })
    });
    let data = prop_oneof![3 => scoped, 1 => octets().prop_map(ScopedPduData::Encrypted)];
    let model = prop_oneof![4 => Just(USM), 1 => number31().prop_map(|number| number.max(1) as i32)];
    (number31(), number31(), any::<u8>(), model, usm_parameters(), data).prop_map(
        |(message_id, max_size, flags, security_model, parameters, data)| V3Message {
            message_id: message_id as i32,
            max_size: max_size.max(484) as i32,
            flags: MsgFlags::from_octet(flags),
            security_model,
            security_parameters: parameters.encode(),
            data,
        },
    )
}
