//! The engine with the Transport Security Model: which principal a session yields, what is counted, and what is
//! sent back (RFC 5591 sections 4.2 and 5.2), and how the other models behave over such a session.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use crate::v3::*;
use proptest::prelude::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel::{self, AuthNoPriv, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::engine::{
    DropReason, Handlers, InadequateLevel, Incoming, NotificationSendError, ReportReason, Request,
    SecurityName, TRANSPORT, TransportDomain, TransportNameError, TransportState, TsmFailure, USER_BASED,
};
use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::{
    Envelope, Header, Message, MsgFlags, Pdu, PduKind, ResponseWriter, ScopedPdu, ScopedPduData, TSM, TrapV1,
    TrapV1Message, V3Header, V3Message, V3Security, VarBind, Version, annotate,
};

const LEVELS: [SecurityLevel; 3] = [NoAuthNoPriv, AuthNoPriv, AuthPriv];

fn state(domain: TransportDomain, level: SecurityLevel) -> TransportState {
    TransportState::new(domain, SecurityName::new(b"joe").unwrap(), level, 42)
}

fn bench(handlers: Handlers) -> Bench {
    Bench { over: Some(state(TransportDomain::Tls, AuthPriv)), ..Bench::new(handlers) }
}

/// A message of the Transport Security Model, to be spoilt.
fn ask(kind: PduKind, level: SecurityLevel) -> V3Message {
    let pdu = Pdu { request_id: -99, ..Pdu::read(kind, -99, [&Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])]) };
    V3Message {
        message_id: 4711,
        max_size: 1400,
        flags: MsgFlags::new(level, kind == PduKind::Get || kind == PduKind::Inform),
        security_model: TSM,
        security_parameters: vec![],
        data: ScopedPduData::Plain(ScopedPdu {
            context_engine_id: ENGINE.to_vec(),
            context_name: b"ctx".to_vec(),
            pdu,
        }),
    }
}

/// An answer: it is of model 4, with nothing in its parameters.
fn check_answer(octets: &[u8], level: SecurityLevel) -> ScopedPdu {
    let answer = V3Message::decode(octets).unwrap();
    assert_eq!(
        (answer.message_id, answer.security_model, &answer.security_parameters[..]),
        (4711, TSM, &[][..])
    );
    assert_eq!(answer.flags, MsgFlags::new(level, false));
    match answer.data {
        ScopedPduData::Plain(scoped) => scoped,
        ScopedPduData::Encrypted(_) => panic!("encrypted, although the session"),
    }
}

fn report_of(outcome: Outcome, level: SecurityLevel) -> (Oid, ScopedPdu) {
    let Outcome::Report(octets) = outcome else { panic!("{outcome:?}") };
    let scoped = check_answer(&octets, level);
    assert_eq!((scoped.pdu.kind, scoped.pdu.request_id), (PduKind::Report, -99));
    (scoped.pdu.bindings[0].name.clone(), scoped)
}

/// What a door sees of a message that comes through.
fn with_request<T>(bench: &Bench, octets: &[u8], see: impl FnOnce(&Request<'_>) -> T) -> T {
    let (mut scratch, mut out) = (vec![], vec![]);
    let over = bench.over.as_ref();
    match bench.engine.receive(octets, &mut scratch, &mut out, bench.now, over, |_| None, &bench.counters) {
        Incoming::Request(request) => see(&request),
        other => panic!("{other:?}"),
    }
}

/// Octet by octet as RFC 3412 section 6 and RFC 5591 section 3.3 have it.
#[test]
fn a_message_by_hand() {
    #[rustfmt::skip]
    let octets = [
        0x30, 0x3c,
            0x02, 0x01, 0x03,
            0x30, 0x0d, 0x02, 0x01, 0x01, 0x02, 0x02, 0x05, 0xc0, 0x04, 0x01, 0x07, 0x02, 0x01, 0x04,
            0x04, 0x00,
            0x30, 0x26,
                0x04, 0x05, 0x80, 0x00, 0x00, 0x00, 0x06,
                0x04, 0x00,
                0xa0, 0x1b, 0x02, 0x01, 0x02, 0x02, 0x01, 0x00, 0x02, 0x01, 0x00,
                    0x30, 0x10, 0x30, 0x0e, 0x06, 0x0a, 0x2b, 6, 1, 6, 3, 0x0a, 2, 1, 1, 0, 0x05, 0x00,
    ];
    let message = V3Message::decode(&octets).unwrap();
    assert_eq!((message.security_model, message.flags.octet()), (TSM, 7));
    assert_eq!(message.encode(), octets);
    let ScopedPduData::Plain(scoped) = &message.data else { panic!("encrypted") };
    let header = V3Header {
        message_id: 1,
        max_size: 1472,
        reportable: true,
        security: V3Security::Transport(AuthPriv),
        context_engine_id: EngineId::LOCAL.as_bytes(),
        context_name: b"",
    };
    let mut buf = Vec::new();
    let range = Header::V3(&header).encode(&scoped.pdu, octets.len(), &mut buf).unwrap();
    assert_eq!(&buf[range], octets);
    assert_eq!(Header::V3(&header).encode(&scoped.pdu, octets.len() - 1, &mut buf), None);

    let fields = annotate(&octets);
    assert!(fields.iter().any(|field| field.detail.contains("TSM(4)")));
    assert!(!fields.iter().any(|field| field.wrong));
    let spoilt = V3Message { security_parameters: vec![5, 0], ..message };
    let wrong: Vec<_> = annotate(&spoilt.encode()).into_iter().filter(|field| field.wrong).collect();
    assert!(wrong.len() == 1 && wrong[0].name == "msgSecurityParameters", "{wrong:?}");
}

#[test]
fn every_level_up_to_the_sessions_is_answered_at_that_level() {
    let mut asked = 0;
    for domain in [TransportDomain::Tls, TransportDomain::Dtls, TransportDomain::Ssh] {
        for given in LEVELS {
            for level in LEVELS.into_iter().filter(|level| *level <= given) {
                let mut bench = Bench { over: Some(state(domain, given)), ..Bench::new(Handlers::RESPONDER) };
                let octets = ask(PduKind::Get, level).encode();
                let Outcome::Response(answer) = bench.take(&octets) else { panic!("{domain} {level}") };
                let scoped = check_answer(&answer, level);
                assert_eq!((scoped.pdu.kind, scoped.pdu.request_id), (PduKind::Response, -99));
                assert_eq!((&scoped.context_engine_id[..], &scoped.context_name[..]), (ENGINE, &b"ctx"[..]));
                assert_eq!(bench.counted(), []);
                assert_eq!(bench.counters.in_get_requests.get(), 1);
                asked += 1;
            }
        }
    }
    assert_eq!(asked, 18);
}

#[test]
fn the_requests_properties_also_when_it_waits() {
    let bench = bench(Handlers::RESPONDER);
    let octets = ask(PduKind::Get, AuthNoPriv).encode();
    with_request(&bench, &octets, |request| {
        let waiting = request.to_owned_request();
        for request in [request, &waiting.request(&bench.engine)] {
            assert_eq!((request.version, request.security_model), (Version::V3, TRANSPORT));
            assert_eq!((request.level, request.security_name()), (AuthNoPriv, &b"joe"[..]));
            assert!(request.is_local() && request.user().is_none() && request.community().is_none());
            assert_eq!(request.authoritative_engine_id(), None);
            assert_eq!((request.context_name, request.max_size), (&b"ctx"[..], 1400));
            let mut buf = Vec::new();
            let range = ResponseWriter::new(&mut buf, 1400, request.reply()).finish().unwrap();
            assert_eq!(check_answer(&buf[range], AuthNoPriv).context_name, b"ctx");
        }
    });
    for context in [EngineId::LOCAL.as_bytes(), OTHER_ENGINE] {
        let mut message = ask(PduKind::Get, AuthPriv);
        let ScopedPduData::Plain(scoped) = &mut message.data else { unreachable!() };
        scoped.context_engine_id = context.to_vec();
        let is_local = with_request(&bench, &message.encode(), |request| request.is_local());
        assert_eq!(is_local, context != OTHER_ENGINE);
    }
}

#[test]
fn each_refusal_has_its_counter() {
    let check = |over: Option<TransportState>, message: &V3Message, counter: &'static str| {
        let mut bench = Bench { over, ..Bench::new(Handlers::RESPONDER) };
        let outcome = bench.take(&message.encode());
        assert_eq!(bench.counted(), [(counter, 1)]);
        assert_eq!(bench.counters.in_get_requests.get(), 0);
        match outcome {
            Outcome::Dropped(DropReason::Tsm(failure)) => failure,
            other => panic!("{other:?}"),
        }
    };
    let tls = || Some(state(TransportDomain::Tls, AuthPriv));
    let good = ask(PduKind::Get, AuthPriv);
    // A message outside an authenticated session has no principal, whatever level it requests.
    for level in LEVELS {
        assert_eq!(check(None, &ask(PduKind::Get, level), "tsmInvalidCaches"), TsmFailure::NoSession);
    }
    for domain in [TransportDomain::Udp, TransportDomain::Tcp] {
        let over = Some(state(domain, AuthPriv));
        assert_eq!(check(over, &good, "tsmInvalidCaches"), TsmFailure::NoSession);
    }
    let with_parameters = V3Message { security_parameters: vec![4, 0], ..good.clone() };
    let failure = check(tls(), &with_parameters, "asnParseErrs");
    assert_eq!(failure, TsmFailure::Parameters { found: 2 });
    let encrypted = V3Message { data: ScopedPduData::Encrypted(vec![0; 8]), ..good };
    assert_eq!(check(tls(), &encrypted, "asnParseErrs"), TsmFailure::Encrypted);
}

/// RFC 5591 section 5.2 step 4: the one refusal that is reported.
#[test]
fn a_level_above_the_sessions_is_reported() {
    for (given, level) in [(NoAuthNoPriv, AuthNoPriv), (NoAuthNoPriv, AuthPriv), (AuthNoPriv, AuthPriv)] {
        let over = Some(state(TransportDomain::Tls, given));
        let mut bench = Bench { over, ..Bench::new(Handlers::RECEIVER) };
        for count in 1..=2 {
            let (name, scoped) = report_of(bench.take(&ask(PduKind::Get, level).encode()), NoAuthNoPriv);
            assert_eq!(name, Oid::from([1, 3, 6, 1, 2, 1, 190, 1, 1, 2, 0]));
            assert_eq!(scoped.pdu.bindings, [VarBind::new(name, Value::Counter32(count))]);
            assert_eq!((&scoped.context_engine_id[..], &scoped.context_name[..]), (ENGINE, &b""[..]));
        }
        // Nothing answers a message that requests no answer.
        let expected = InadequateLevel { expected: level, found: given };
        match bench.take(&ask(PduKind::TrapV2, level).encode()) {
            Outcome::Dropped(DropReason::Tsm(TsmFailure::InadequateLevel(found))) => {
                assert_eq!(found, expected)
            }
            other => panic!("{other:?}"),
        }
        assert_eq!(bench.counted(), [("tsmInadequateSecurityLevels", 3)]);
    }
}

#[test]
fn reports_about_decoded_messages() {
    let mut agent = bench(Handlers::RESPONDER);
    let (name, _) = report_of(agent.take(&ask(PduKind::Inform, AuthPriv).encode()), AuthPriv);
    assert_eq!(name, Oid::from([1, 3, 6, 1, 6, 3, 11, 2, 1, 3, 0]));
    assert!(matches!(
        agent.take(&ask(PduKind::TrapV2, AuthPriv).encode()),
        Outcome::Dropped(DropReason::NotHandled { kind: PduKind::TrapV2 })
    ));
    let octets = ask(PduKind::Get, AuthNoPriv).encode();
    let mut report = Vec::new();
    let range = with_request(&agent, &octets, |request| {
        agent.engine.report(request, ReportReason::UnknownContexts, &agent.counters, &mut report).unwrap()
    });
    let (name, scoped) = report_of(Outcome::Report(report[range].to_vec()), AuthNoPriv);
    assert_eq!((name, &scoped.context_name[..]), (Oid::from([1, 3, 6, 1, 6, 3, 12, 1, 5, 0]), &b"ctx"[..]));
    assert_eq!(agent.counted(), [("unknownPDUHandlers", 2), ("unknownContexts", 1)]);
}

#[test]
fn names_have_their_transports_prefix_if_configured() {
    for domain in [TransportDomain::Tls, TransportDomain::Dtls, TransportDomain::Ssh] {
        let bench = Bench { over: Some(state(domain, AuthPriv)), ..Bench::new(Handlers::RESPONDER) };
        let octets = ask(PduKind::Get, AuthPriv).encode();
        let name = || with_request(&bench, &octets, |request| request.security_name().to_vec());
        assert_eq!(name(), b"joe");
        bench.engine.set_use_prefix(true);
        assert_eq!(name(), format!("{domain}:joe").into_bytes());
        bench.engine.set_use_prefix(false);
        assert_eq!(name(), b"joe");
    }
}

#[test]
fn destinations_must_have_the_prefix_too() {
    let bench = Bench::new(Handlers::RESPONDER);
    let name = |domain, name: &[u8]| {
        let found = bench.engine.transport_name(domain, name, &bench.counters);
        found.map(|name| name.as_bytes().to_vec())
    };
    assert_eq!(name(TransportDomain::Tls, b"ssh:joe"), Ok(b"ssh:joe".to_vec()));
    assert_eq!(name(TransportDomain::Tcp, b"joe"), Ok(b"joe".to_vec()));
    bench.engine.set_use_prefix(true);
    assert_eq!(name(TransportDomain::Tls, b"tls:joe"), Ok(b"joe".to_vec()));
    let domain = TransportDomain::Tcp;
    assert_eq!(name(domain, b"tcp:joe"), Err(TransportNameError::UnknownPrefix { domain }));
    for wrong in [&b"ssh:joe"[..], b"joe", b"tlsjoe", b"tls", b"TLS:joe", b""] {
        let expected = "tls";
        assert_eq!(name(TransportDomain::Tls, wrong), Err(TransportNameError::InvalidPrefix { expected }));
    }
    let long = [&b"tls:"[..], &[b'n'; 33]].concat();
    for none in [&b"tls:"[..], &long] {
        assert!(matches!(name(TransportDomain::Tls, none), Err(TransportNameError::Name(_))));
    }
    assert_eq!(bench.counted(), [("tsmUnknownPrefixes", 1), ("tsmInvalidPrefixes", 6)]);
}

#[test]
fn communities_over_a_session_are_dropped_unless_they_are_configured() {
    let message = |version, community: &str| {
        let pdu = Pdu::read(PduKind::Get, 5, [&Oid::from([1, 3])]);
        Message { version, community: community.into(), pdu }.encode()
    };
    let mut bench = bench(Handlers::RESPONDER);
    for version in [Version::V1, Version::V2c] {
        let outcome = bench.take(&message(version, "public"));
        let Outcome::Dropped(reason) = outcome else { panic!("{outcome:?}") };
        assert_eq!(reason, DropReason::CommunityOverTransport { version });
    }
    assert_eq!(bench.counted(), [("badVersions", 2)]);

    bench.engine.set_community_over_transport(true);
    for (version, community) in [(Version::V1, "public"), (Version::V2c, "anything"), (Version::V2c, "")] {
        for prefix in [false, true] {
            bench.engine.set_use_prefix(prefix);
            with_request(&bench, &message(version, community), |request| {
                let name = if prefix { &b"tls:joe"[..] } else { b"joe" };
                let waiting = request.to_owned_request();
                for request in [request, &waiting.request(&bench.engine)] {
                    assert_eq!((request.security_model, request.level), (TRANSPORT, AuthPriv));
                    assert_eq!((request.security_name(), request.context_name), (name, &b""[..]));
                    assert!(request.is_local());
                }
            });
        }
        let Outcome::Response(octets) = bench.take(&message(version, community)) else { panic!("no answer") };
        let answer = Message::decode(&octets).unwrap();
        assert_eq!((answer.version, &answer.community[..]), (version, community.as_bytes()));
    }
    assert_eq!(bench.counters.in_bad_community_names.get(), 0);
    // A transport without authentication discloses nothing.
    bench.over = Some(state(TransportDomain::Tcp, AuthPriv));
    let outcome = bench.take(&message(Version::V2c, "anything"));
    assert!(matches!(outcome, Outcome::Dropped(DropReason::UnknownCommunity)), "{outcome:?}");
    bench.over = None;
    assert!(matches!(bench.take(&message(Version::V2c, "public")), Outcome::Response(_)));
}

#[test]
fn users_stay_users_over_a_session() {
    let mut bench = bench(Handlers::RESPONDER);
    let asked = Ask::get("ann", AuthPriv);
    let Outcome::Response(octets) = bench.take(&asked.octets()) else { panic!("no answer") };
    assert_eq!((read(&octets, &asked.user).level, bench.counted()), (AuthPriv, vec![]));
    let octets = asked.octets();
    with_request(&bench, &octets, |request| {
        assert_eq!((request.security_model, request.security_name()), (USER_BASED, &b"ann"[..]));
    });
    let unsigned = Ask::get("eve", NoAuthNoPriv).octets();
    with_request(&bench, &unsigned, |request| {
        assert_eq!((request.level, request.security_name()), (NoAuthNoPriv, &b"eve"[..]));
    });
}

#[test]
fn notifications_over_a_session() {
    let sender = Bench::new(Handlers::RESPONDER);
    let mut listener = bench(Handlers::RECEIVER);
    let binding = VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(5));
    let pdu = Pdu::new(PduKind::TrapV2, 12, vec![binding]);
    let over = state(TransportDomain::Tls, AuthNoPriv);
    let encode = |level, max_size, buf: &mut Vec<u8>| {
        sender.engine.encode_notification_over(&over, level, b"ctx", &pdu, max_size, &sender.counters, buf)
    };
    for level in [NoAuthNoPriv, AuthNoPriv] {
        let mut buf = Vec::new();
        let range = encode(level, 1472, &mut buf).unwrap();
        let limit = range.len() - 1;
        assert_eq!(encode(level, limit, &mut vec![]), Err(NotificationSendError::TooBig { limit }));
        with_request(&listener, &buf[range.clone()], |request| {
            assert_eq!((request.level, request.security_name()), (level, &b"joe"[..]));
            assert_eq!((request.context_engine_id, request.context_name), (ENGINE, &b"ctx"[..]));
            assert_eq!(request.pdu.to_pdu().unwrap(), pdu);
        });
        assert!(!V3Message::decode(&buf[range]).unwrap().flags.is_reportable());
    }
    let expected = InadequateLevel { expected: AuthPriv, found: AuthNoPriv };
    assert_eq!(encode(AuthPriv, 1472, &mut vec![]), Err(NotificationSendError::InadequateLevel(expected)));
    assert_eq!(sender.counted(), [("tsmInadequateSecurityLevels", 1)]);

    let Outcome::Response(octets) = listener.take(&ask(PduKind::Inform, AuthPriv).encode()) else {
        panic!("not confirmed")
    };
    assert_eq!(check_answer(&octets, AuthPriv).pdu.request_id, -99);
    assert_eq!(listener.counted(), []);
}

#[test]
fn a_trap_of_version_1_over_a_session() {
    let trap = TrapV1 {
        enterprise: Oid::from([1, 3, 6, 1, 4, 1, 9]),
        agent_addr: [0; 4],
        generic: 0,
        specific: 0,
        time_stamp: 0,
        bindings: vec![],
    };
    let octets = TrapV1Message { community: b"whatever".to_vec(), trap }.encode();
    let bench = bench(Handlers::RECEIVER);
    let take = |bench: &Bench| {
        let (mut scratch, mut out) = (vec![], vec![]);
        let over = bench.over.as_ref();
        let counters = &bench.counters;
        match bench.engine.receive(&octets, &mut scratch, &mut out, bench.now, over, |_| None, counters) {
            Incoming::TrapV1(trap) => {
                Ok((trap.entry.security_name.to_vec(), trap.security_model, trap.level))
            }
            Incoming::Drop(reason) => Err(reason),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(take(&bench), Err(DropReason::CommunityOverTransport { version: Version::V1 }));
    bench.engine.set_community_over_transport(true);
    assert_eq!(take(&bench), Ok((b"joe".to_vec(), TRANSPORT, AuthPriv)));
}

proptest! {
    /// The announced size is the written size, and what is written can be read.
    #[test]
    fn headers(
        message_id in 0..=i32::MAX,
        max_size in 484_usize..=0x7fff_ffff,
        reportable: bool,
        level in prop::sample::select(&LEVELS[..]),
        context_engine_id in prop::collection::vec(any::<u8>(), 0..200),
        context_name in prop::collection::vec(any::<u8>(), 0..200),
        request_id: i32,
    ) {
        let header = V3Header {
            message_id,
            max_size,
            reportable,
            security: V3Security::Transport(level),
            context_engine_id: &context_engine_id,
            context_name: &context_name,
        };
        let pdu = Pdu::new(PduKind::Get, request_id, vec![]);
        let envelope = Envelope { header: Header::V3(&header), kind: PduKind::Get, request_id, compression: None };
        let size = envelope.size_without_bindings();
        let mut buf = Vec::new();
        let range = envelope.header.encode(&pdu, size, &mut buf).unwrap();
        prop_assert_eq!(range.len(), size);
        prop_assert_eq!(envelope.header.encode(&pdu, size - 1, &mut Vec::new()), None);
        let read = V3Message::decode(&buf[range]).unwrap();
        let data = ScopedPduData::Plain(ScopedPdu { context_engine_id, context_name, pdu });
        let flags = MsgFlags::new(level, reportable);
        let max_size = i32::try_from(max_size).unwrap();
        let security_parameters = vec![];
        prop_assert_eq!(
            read,
            V3Message { message_id, max_size, flags, security_model: TSM, security_parameters, data }
        );
    }

    /// The model trusts nothing that arrives outside a session.
    #[test]
    fn nothing_is_accepted_without_a_session(level in prop::sample::select(&LEVELS[..]), kind in 0_usize..8) {
        let kinds = [PduKind::Get, PduKind::GetNext, PduKind::Response, PduKind::Set, PduKind::GetBulk,
            PduKind::Inform, PduKind::TrapV2, PduKind::Report];
        let mut bench = Bench::new(Handlers::BOTH);
        let outcome = bench.take(&ask(kinds[kind], level).encode());
        prop_assert!(matches!(outcome, Outcome::Dropped(DropReason::Tsm(TsmFailure::NoSession))));
    }
}
