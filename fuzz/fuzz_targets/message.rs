//! Whole messages, as a transport delivers them: decoded, through the agent's engine, and as a manager
//! reads answers.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::check_message;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Incoming, receive};
use trunkline_snmp::role::{generator, responder};
use trunkline_snmp::wire::{ErrorStatus, Message, ResponseWriter, Version};

fuzz_target!(|octets: &[u8]| {
    check_message(octets);
    let _ = generator::response(octets, Version::V2c, b"public");
    let counters = Counters::default();
    let incoming = receive(octets, |community| (community.len() < 8).then_some(()), &counters);
    let dropped = counters.in_asn_parse_errs.get()
        + counters.in_bad_versions.get()
        + counters.in_bad_community_names.get()
        + counters.unknown_pdu_handlers.get();
    assert_eq!(dropped, u32::from(matches!(incoming, Incoming::Drop(_))));
    let Incoming::Request { message, .. } = incoming else { return };
    let mut buf = Vec::new();
    for limit in [24, octets.len(), 1472] {
        let writer = ResponseWriter::new(&mut buf, limit, message.reply());
        let status = ErrorStatus::NotWritable;
        let Some(range) = responder::finish_error(&message.pdu, writer, status, 1, &counters) else { continue };
        assert!(range.len() <= limit);
        // The bindings are repeated unread: the answer is well if the request is.
        assert_eq!(Message::decode(&buf[range]).is_ok() || message.pdu.bindings().any(|b| b.is_err()), true);
    }
});
