//! An engine with users: raw messages, and messages with the fuzzer's contents but valid encryption and digest, so
//! that it gets past them; and the same over a secure session. The first octet chooses.
#![no_main]

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::{ENGINE, element, engine, engine_moment, refused, users};
use trunkline_snmp::engine::{
    CommunityEntry, Engine, Handlers, Incoming, Request, SecurityName, TransportDomain, TransportState,
};
use trunkline_snmp::role::responder;
use trunkline_snmp::usm::User;
use trunkline_snmp::wire::{
    ErrorStatus, MAX_MESSAGE_SIZE, MsgFlags, PduKind, ResponseWriter, ScopedPduData, UsmParameters,
    V3Message, V3MessageRef, Version,
};
use trunkline_snmp::{Counters, SecurityLevel};

fuzz_target!(|octets: &[u8]| {
    let Some((&choice, rest)) = octets.split_first() else { return };
    let handlers = [Handlers::RESPONDER, Handlers::RECEIVER, Handlers::BOTH][usize::from(choice >> 4) % 3];
    let [aes, des, _] = users();
    let message = match choice & 0x0f {
        0 => rest.to_vec(),
        1 => signed(rest, &aes),
        2 => around(rest, &aes, SecurityLevel::AuthPriv),
        3 => around(rest, &des, SecurityLevel::AuthPriv),
        4 => around(rest, &aes, SecurityLevel::AuthNoPriv),
        5 => around(rest, &aes, SecurityLevel::NoAuthNoPriv),
        6 => in_session(rest, SecurityLevel::AuthPriv),
        7 => in_session(rest, SecurityLevel::AuthNoPriv),
        _ => return,
    };
    // The session provides authNoPriv; half of the messages arrive without one.
    let over = SecurityName::new(b"joe")
        .ok()
        .filter(|_| choice & 0x80 == 0)
        .map(|name| TransportState::new(TransportDomain::Tls, name, SecurityLevel::AuthNoPriv, 1));
    let (engine, now) = engine(handlers);
    engine.set_community_over_transport(choice & 0x40 == 0);
    let counters = Counters::default();
    let entry = CommunityEntry { security_name: b"name", context_engine_id: None, context_name: b"" };
    let (mut scratch, mut out) = (Vec::new(), Vec::new());
    let incoming =
        engine.receive(&message, &mut scratch, &mut out, now, over.as_ref(), |_| Some(entry), &counters);
    let counted = refused(&counters);
    match incoming {
        Incoming::Request(request) => {
            assert_eq!(counted, 0);
            check_answers(&engine, &request, &counters);
        }
        Incoming::TrapV1(_) => assert_eq!(counted, 0),
        Incoming::Report { reply, reason } => {
            assert_eq!(counted, 1, "{reason}");
            let report = V3Message::decode(&out[reply]).expect("a Report can be read");
            if let ScopedPduData::Plain(scoped) = report.data {
                assert_eq!(scoped.pdu.kind, PduKind::Report);
            }
            assert!(!report.flags.is_reportable());
        }
        Incoming::Drop(reason) => {
            assert!(counted <= 1, "{reason}");
            assert!(counted == 1 || V3MessageRef::decode(&message).is_ok());
        }
    }
    assert!(engine.remembered_engines() <= 2);
});

/// The message with a valid digest, if it has room for one.
fn signed(octets: &[u8], user: &User) -> Vec<u8> {
    let mut octets = octets.to_vec();
    let parameters = V3MessageRef::decode(&octets).and_then(|message| message.usm());
    let field = parameters.map(|parameters| parameters.authentication_range());
    if let (Ok(field), Some(key)) = (field, user.auth()) {
        let _ = key.sign(&mut octets, field);
    }
    octets
}

/// A message of this user with a scoped PDU of these contents.
fn around(contents: &[u8], user: &User, level: SecurityLevel) -> Vec<u8> {
    let (Some(auth), Some(privacy)) = (user.auth(), user.privacy()) else { return Vec::new() };
    let mut scoped = element(0x30, contents);
    let mut parameters = UsmParameters {
        engine_id: ENGINE.to_vec(),
        moment: engine_moment(),
        user_name: user.name().to_vec(),
        authentication: if level.is_authenticated() { vec![0; auth.protocol().mac_length()] } else { vec![] },
        privacy: vec![],
    };
    let mut data = scoped.clone();
    if level.is_encrypted() {
        scoped.resize(scoped.len() + privacy.padding(scoped.len()), 0);
        let salt = privacy.salt(parameters.moment.boots, 1);
        privacy.encrypt(parameters.moment, salt, &mut scoped).expect("whole blocks");
        parameters.privacy = salt.to_vec();
        data = element(0x04, &scoped);
    }
    // By hand, because the scoped PDU may be malformed.
    let flags = MsgFlags::new(level, true).octet();
    let header = element(0x30, &[2, 1, 1, 2, 3, 0, 0xff, 0xe3, 4, 1, flags, 2, 1, 3]);
    let parameters = element(0x04, &parameters.encode());
    signed(&element(0x30, &[&[2, 1, 3], &header[..], &parameters, &data].concat()), user)
}

/// A message of the Transport Security Model with a scoped PDU of these contents.
fn in_session(contents: &[u8], level: SecurityLevel) -> Vec<u8> {
    let flags = MsgFlags::new(level, true).octet();
    let header = element(0x30, &[2, 1, 1, 2, 3, 0, 0xff, 0xe3, 4, 1, flags, 2, 1, 4]);
    element(0x30, &[&[2, 1, 3], &header[..], &[4, 0], &element(0x30, contents)].concat())
}

/// Any request can be answered within the limit, also if it waits.
fn check_answers(engine: &Engine, request: &Request<'_>, counters: &Counters) {
    assert!(request.max_size <= 1472 && request.max_size >= 484);
    let owned = request.to_owned_request();
    let mut buf = Vec::new();
    for request in [request, &owned.request(engine)] {
        for limit in [60, 200, request.max_size] {
            let writer = ResponseWriter::new(&mut buf, limit, request.reply());
            let answer = responder::finish_error(&request.pdu, writer, ErrorStatus::GenErr, 1, counters);
            let Some(range) = answer else { continue };
            assert!(range.len() <= limit && range.len() <= MAX_MESSAGE_SIZE);
            if request.version == Version::V3 {
                let answer = V3MessageRef::decode(&buf[range]).expect("an answer can be read");
                assert_eq!(answer.flags.level(), Some(request.level));
            }
        }
    }
}
