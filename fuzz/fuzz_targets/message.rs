//! Whole messages, as a transport delivers them: decoded, through the agent's engine, and as answers at a manager.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{check_message, engine, refused};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{CommunityEntry, Handlers, Incoming};
use trunkline_snmp::role::{generator, responder};
use trunkline_snmp::wire::{ErrorStatus, Message, ResponseWriter, V3MessageRef, Version};

fuzz_target!(|octets: &[u8]| {
    check_message(octets);
    let _ = generator::response(octets, Version::V2c, b"public");
    let (engine, now) = engine(Handlers::RESPONDER);
    let counters = Counters::default();
    let entry = CommunityEntry { security_name: b"name", context_engine_id: None, context_name: b"" };
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    let communities = |community: &[u8]| (community.len() < 8).then_some(entry);
    let incoming = engine.receive(octets, &mut scratch, &mut out, now, None, communities, &counters);
    let refused = refused(&counters);
    let request = match incoming {
        Incoming::Request(request) => request,
        Incoming::TrapV1(_) => unreachable!("a responder takes no traps"),
        Incoming::Report { .. } => return assert_eq!(refused, 1),
        // SNMPv3 has one reason that is not counted: NotAuthoritative
        Incoming::Drop(_) => return assert!(refused == 1 || V3MessageRef::decode(octets).is_ok()),
    };
    assert_eq!(refused, 0);
    if request.version == Version::V3 {
        return; // covered by engine_v3
    }
    let mut buf = Vec::new();
    for limit in [24, octets.len(), 1472] {
        let writer = ResponseWriter::new(&mut buf, limit, request.reply());
        let status = ErrorStatus::NotWritable;
        let Some(range) = responder::finish_error(&request.pdu, writer, status, 1, &counters) else {
            continue;
        };
        assert!(range.len() <= limit);
        // The bindings are repeated undecoded: the answer is valid if the request is.
        assert_eq!(Message::decode(&buf[range]).is_ok() || request.pdu.bindings().any(|b| b.is_err()), true);
    }
});
