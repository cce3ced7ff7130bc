//! What is encoded is read back equal, in both byte orders.
#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use trunkline_agentx::wire::{
    ByteOrder, Fault, HEADER_LENGTH, IndexRequest, Packet, Pdu, Registration, SearchRange, decode, encode,
    packet_length,
};
use trunkline_smi::{Bound, Exception, MAX_SUB_IDS, Oid, Value, VarBind};

fn sub_id() -> impl Strategy<Value = u32> {
    prop_oneof![0..300u32, any::<u32>()]
}

fn oid() -> impl Strategy<Value = Oid> {
    let root = prop_oneof![Just(vec![1, 3, 6, 1]), Just(vec![1, 3, 6]), Just(vec![])];
    let rest = prop_oneof![vec(sub_id(), 0..20), vec(sub_id(), MAX_SUB_IDS - 4)];
    (root, rest).prop_map(|(root, rest)| Oid::EMPTY.child(&root).child(&rest))
}

fn octets() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..40)
}

fn bound() -> impl Strategy<Value = Bound> {
    let value = prop_oneof![
        any::<i32>().prop_map(Value::Integer),
        octets().prop_map(Value::OctetString),
        octets().prop_map(Value::Opaque),
        oid().prop_filter("not a value", |oid| !oid.is_empty()).prop_map(Value::ObjectIdentifier),
        any::<[u8; 4]>().prop_map(Value::IpAddress),
        any::<u32>().prop_map(Value::Counter32),
        any::<u32>().prop_map(Value::Unsigned32),
        any::<u32>().prop_map(Value::TimeTicks),
        any::<u64>().prop_map(Value::Counter64),
    ];
    prop_oneof![
        8 => value.prop_map(Bound::Value),
        1 => Just(Bound::Unspecified),
        1 => prop::sample::select(&Exception::ALL[..]).prop_map(Bound::Exception),
    ]
}

fn bindings() -> impl Strategy<Value = Vec<VarBind>> {
    vec((oid(), bound()).prop_map(|(name, value)| VarBind { name, value }), 0..6)
}

fn ranges() -> impl Strategy<Value = Vec<SearchRange>> {
    let end = option::of(oid().prop_filter("the null identifier", |oid| !oid.is_empty()));
    let range = (oid(), any::<bool>(), end);
    vec(range.prop_map(|(start, include, end)| SearchRange { start, include, end }), 0..6)
}

fn registration() -> impl Strategy<Value = Registration> {
    let range = option::of((1..=255u8, any::<u32>()));
    (any::<u8>(), any::<u8>(), oid(), range, any::<bool>()).prop_map(
        |(timeout, priority, subtree, range, is_instance)| Registration {
            timeout,
            priority,
            subtree,
            range,
            is_instance,
        },
    )
}

fn index_request() -> impl Strategy<Value = IndexRequest> {
    (any::<bool>(), any::<bool>(), bindings()).prop_map(|(new_index, any_index, bindings)| IndexRequest {
        new_index,
        any_index,
        bindings,
    })
}

fn pdu() -> impl Strategy<Value = Pdu> {
    let unregistration =
        |registration| Pdu::Unregister(Registration { timeout: 0, is_instance: false, ..registration });
    prop_oneof![
        (any::<u8>(), oid(), octets()).prop_map(|(timeout, id, description)| Pdu::Open {
            timeout,
            id,
            description
        }),
        any::<u8>().prop_map(|reason| Pdu::Close { reason }),
        registration().prop_map(Pdu::Register),
        registration().prop_map(unregistration),
        ranges().prop_map(Pdu::Get),
        ranges().prop_map(Pdu::GetNext),
        (any::<u16>(), any::<u16>(), ranges()).prop_map(|(non_repeaters, max_repetitions, ranges)| {
            Pdu::GetBulk { non_repeaters, max_repetitions, ranges }
        }),
        bindings().prop_map(Pdu::TestSet),
        prop::sample::select(&[Pdu::CommitSet, Pdu::UndoSet, Pdu::CleanupSet, Pdu::Ping][..]),
        bindings().prop_map(Pdu::Notify),
        index_request().prop_map(Pdu::IndexAllocate),
        index_request().prop_map(Pdu::IndexDeallocate),
        (oid(), octets()).prop_map(|(id, description)| Pdu::AddAgentCaps { id, description }),
        oid().prop_map(|id| Pdu::RemoveAgentCaps { id }),
        (any::<u32>(), any::<u16>(), any::<u16>(), bindings()).prop_map(
            |(sys_up_time, error, index, bindings)| Pdu::Response { sys_up_time, error, index, bindings }
        ),
    ]
}

fn packet() -> impl Strategy<Value = Packet> {
    let order = prop::sample::select(&[ByteOrder::Big, ByteOrder::Little][..]);
    let context = option::of(vec(any::<u8>(), 1..20));
    (order, any::<[u32; 3]>(), context, pdu()).prop_map(|(order, numbers, context, pdu)| {
        let [session, transaction, packet] = numbers;
        Packet { order, session, transaction, packet, context: context.filter(|_| pdu.has_context()), pdu }
    })
}

proptest! {
    #[test]
    fn packets(packet in packet()) {
        let mut octets = b"before".to_vec();
        encode(&packet, &mut octets).unwrap();
        let octets = octets.strip_prefix(b"before").unwrap();
        prop_assert_eq!(decode(octets).unwrap(), packet);
        prop_assert_eq!(packet_length(octets), Ok(Some(octets.len())));
        prop_assert_eq!(packet_length(&octets[..HEADER_LENGTH - 1]), Ok(None));
    }

    /// A packet that is cut is never read as a whole one, and never panics, whatever its header announces.
    #[test]
    fn cut_packets(packet in packet(), cut in any::<prop::sample::Index>()) {
        let mut octets = Vec::new();
        encode(&packet, &mut octets).unwrap();
        let cut = cut.index(octets.len());
        let error = decode(&octets[..cut]).unwrap_err();
        prop_assert_eq!(error.header.is_some(), cut >= HEADER_LENGTH);
        let is_length = matches!(error.fault, Fault::Length { found, .. } if found == cut);
        prop_assert!(is_length, "{}", error);

        let payload = (cut.saturating_sub(HEADER_LENGTH) / 4 * 4) as u32;
        octets[16..20].copy_from_slice(&match packet.order {
            ByteOrder::Big => payload.to_be_bytes(),
            ByteOrder::Little => payload.to_le_bytes(),
        });
        let whole = &octets[..HEADER_LENGTH + payload as usize];
        if let Ok(shorter) = decode(whole) {
            let mut again = Vec::new();
            encode(&shorter, &mut again).unwrap();
            prop_assert_eq!(decode(&again).unwrap(), shorter);
        }
    }
}
