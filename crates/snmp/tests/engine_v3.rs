//! The engine at its boundary, octets in and octets out: which messages get an answer, which a Report and which
//! kind, which nothing, and what is counted (RFC 3412 section 7.2, RFC 3414 section 3.2). Attacks are in
//! `engine_attacks`.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use crate::v3::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel::{self, AuthNoPriv, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::engine::{DropReason, Handlers, Incoming, ReportReason, UsmFailure};
use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::{
    Bound, MsgFlags, Pdu, PduKind, ResponseWriter, ScopedPduData, UsmParameters, V3Message, VarBind, Version,
};

const USM_STATS: [u32; 9] = [1, 3, 6, 1, 6, 3, 15, 1, 1];

/// The Report that must have come: its one binding, and how it is protected.
fn check_report(outcome: Outcome, ask: &Ask, object: &[u32], count: u32, level: SecurityLevel) {
    let Outcome::Report(octets) = outcome else { panic!("{outcome:?}") };
    let report = read(&octets, &ask.user);
    assert_eq!((report.message_id, report.level, report.reportable), (ask.message_id, level, false));
    // Every answer has our engine ID and clock.
    assert_eq!((&report.engine_id[..], report.moment), (ENGINE, moment(BOOTS, UPTIME)));
    assert_eq!(report.user_name, ask.user_name);
    assert_eq!((&report.scoped.context_engine_id[..], &report.scoped.context_name[..]), (ENGINE, &b""[..]));
    let pdu = report.scoped.pdu;
    let request_id = if ask.level.is_encrypted() { 0 } else { ask.pdu.request_id };
    assert_eq!(
        (pdu.kind, pdu.request_id, pdu.error_status, pdu.error_index),
        (PduKind::Report, request_id, 0, 0)
    );
    let name = Oid::new(object).unwrap().child(&[0]);
    assert_eq!(pdu.bindings, [VarBind::new(name, Value::Counter32(count))]);
}

fn usm_stat(number: u32) -> Oid {
    Oid::from(USM_STATS).child(&[number])
}

#[test]
fn every_level_is_answered_at_that_level() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    for (name, level) in [
        ("ann", NoAuthNoPriv),
        ("ann", AuthNoPriv),
        ("ann", AuthPriv),
        ("bob", NoAuthNoPriv),
        ("bob", AuthNoPriv),
        ("eve", NoAuthNoPriv),
    ] {
        for kind in [PduKind::Get, PduKind::GetNext, PduKind::GetBulk, PduKind::Set] {
            let ask = Ask { context_name: b"ctx".to_vec(), ..Ask::get(name, level).kind(kind) };
            let Outcome::Response(octets) = bench.take(&ask.octets()) else {
                panic!("{name} {level} {kind}")
            };
            let answer = read(&octets, &ask.user);
            assert_eq!((answer.message_id, answer.level, answer.reportable), (4711, level, false));
            assert_eq!((&answer.engine_id[..], answer.moment), (ENGINE, moment(BOOTS, UPTIME)));
            assert_eq!(answer.user_name, name.as_bytes());
            assert_eq!(
                (&answer.scoped.context_engine_id[..], &answer.scoped.context_name[..]),
                (ENGINE, &b"ctx"[..])
            );
            assert_eq!((answer.scoped.pdu.kind, answer.scoped.pdu.request_id), (PduKind::Response, -99));
        }
    }
    assert_eq!(bench.counted(), []);
    assert_eq!(bench.counters.in_pkts.get(), 24);
    assert_eq!(bench.counters.in_get_requests.get(), 6);
    assert_eq!(bench.counters.in_set_requests.get(), 6);
}

#[test]
fn the_requests_properties() {
    let bench = Bench::new(Handlers::RESPONDER);
    let ask = Ask { max_size: 600, context_name: b"lab1".to_vec(), ..Ask::get("ann", AuthPriv) };
    let octets = ask.octets();
    let (mut scratch, mut out) = (vec![], vec![]);
    let Incoming::Request(request) =
        bench.engine.receive(&octets, &mut scratch, &mut out, bench.now, None, |_| None, &bench.counters)
    else {
        panic!("no request");
    };
    assert_eq!((request.version, request.security_model, request.level), (Version::V3, 3, AuthPriv));
    assert_eq!((request.security_name(), request.context_name), (&b"ann"[..], &b"lab1"[..]));
    assert_eq!((request.context_engine_id, request.is_local(), request.max_size), (ENGINE, true, 600));
    assert_eq!((request.community(), request.user().map(|user| user.name())), (None, Some(&b"ann"[..])));

    // and still when it outlives its octets
    let owned = request.to_owned_request();
    drop(octets);
    let again = owned.request(&bench.engine);
    assert_eq!((again.security_name(), again.context_name, again.max_size), (&b"ann"[..], &b"lab1"[..], 600));
    assert_eq!(again.pdu.to_pdu().unwrap(), ask.pdu);
    let mut buf = vec![];
    let mut writer = ResponseWriter::new(&mut buf, again.max_size, again.reply());
    assert!(writer.value_at(&[1, 3, 6, 1, 2, 1, 1, 3, 0], trunkline_smi::ValueRef::TimeTicks(7)));
    let range = writer.finish().unwrap();
    let answer = read(&buf[range], &ask.user);
    assert_eq!((answer.message_id, answer.level), (4711, AuthPriv));
    assert_eq!(answer.scoped.pdu.bindings[0].value, Bound::Value(Value::TimeTicks(7)));
}

/// RFC 3414 section 4: first the engine's ID, then its time.
#[test]
fn discovery_in_two_steps() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let nobody = Ask {
        engine_id: vec![],
        user_name: vec![],
        context_engine_id: vec![],
        moment: moment(0, 0),
        ..Ask::get("eve", NoAuthNoPriv)
    };
    let outcome = bench.take(&nobody.octets());
    check_report(outcome, &nobody, &usm_stat(4), 1, NoAuthNoPriv);

    let no_time = Ask { moment: moment(0, 0), ..Ask::get("ann", AuthPriv) };
    let outcome = bench.take(&no_time.octets());
    check_report(outcome, &no_time, &usm_stat(2), 1, AuthNoPriv);
    assert_eq!(bench.counted(), [("notInTimeWindows", 1), ("unknownEngineIDs", 1)]);
}

/// Steps 3 to 8 of RFC 3414 section 3.2, each with its counter and its Report.
#[test]
fn every_refusal_has_its_counter_and_its_report() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let stranger = Ask { user_name: b"mallory".to_vec(), ..Ask::get("eve", NoAuthNoPriv) };
    let elsewhere = Ask { engine_id: OTHER_ENGINE.to_vec(), ..Ask::get("ann", AuthNoPriv) };
    let level =
        Ask { user: impostor(b"eve", b"some password", b"some password"), ..Ask::get("eve", AuthPriv) };
    let half =
        Ask { user: impostor(b"bob", b"authenticate me", b"some password"), ..Ask::get("bob", AuthPriv) };
    let digest =
        Ask { user: impostor(b"ann", b"another password", b"and encrypt me"), ..Ask::get("ann", AuthNoPriv) };
    let noise =
        Ask { user: impostor(b"ann", b"authenticate me", b"another password"), ..Ask::get("ann", AuthPriv) };
    let late = Ask { moment: moment(BOOTS, UPTIME - 151), ..Ask::get("ann", AuthNoPriv) };
    for (count, (ask, number, level)) in [
        (stranger, 3, NoAuthNoPriv),
        (elsewhere, 4, NoAuthNoPriv),
        (level, 1, NoAuthNoPriv),
        (digest, 5, NoAuthNoPriv),
        (late, 2, AuthNoPriv),
        (noise, 6, NoAuthNoPriv),
    ]
    .into_iter()
    .enumerate()
    {
        let outcome = bench.take(&ask.octets());
        check_report(outcome, &ask, &usm_stat(number), 1, level);
        assert_eq!(bench.counted().len(), count + 1);
    }
    let outcome = bench.take(&half.octets());
    check_report(outcome, &half, &usm_stat(1), 2, NoAuthNoPriv);
}

/// RFC 3412 section 6.4 and 7.1 step 3: where the PDU can be read its class decides, else reportableFlag.
#[test]
fn reports_are_sent_only_for_confirmed_messages() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let wrong = |kind, reportable, level| Ask {
        user: impostor(b"ann", b"another password", b"another password"),
        reportable,
        ..Ask::get("ann", level).kind(kind)
    };
    for kind in [PduKind::Response, PduKind::TrapV2, PduKind::Report] {
        for reportable in [false, true] {
            let outcome = bench.take(&Ask { reportable, ..wrong(kind, reportable, AuthNoPriv) }.octets());
            assert!(
                matches!(outcome, Outcome::Dropped(DropReason::Usm(UsmFailure::WrongDigest(_)))),
                "{outcome:?}"
            );
        }
    }
    for (reportable, reported) in [(false, false), (true, true)] {
        let ask = Ask { reportable, ..wrong(PduKind::Get, reportable, AuthPriv) };
        assert_eq!(matches!(bench.take(&ask.octets()), Outcome::Report(_)), reported);
        let ask = Ask { reportable, ..wrong(PduKind::Get, reportable, AuthNoPriv) };
        assert!(matches!(bench.take(&ask.octets()), Outcome::Report(_)));
    }
    assert_eq!(bench.counted(), [("wrongDigests", 10)]);
}

/// RFC 3412 section 7.2 steps 1 to 5.
#[test]
fn messages_that_the_message_processing_model_drops() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let message = V3Message::decode(&Ask::get("ann", AuthNoPriv).octets()).unwrap();
    let other_model = V3Message { security_model: 5, ..message.clone() };
    let outcome = bench.take(&other_model.encode());
    assert!(
        matches!(outcome, Outcome::Dropped(DropReason::UnknownSecurityModel { found: 5 })),
        "{outcome:?}"
    );
    for flags in [0x02, 0x06, 0xfa] {
        let private = V3Message { flags: MsgFlags::from_octet(flags), ..message.clone() };
        let outcome = bench.take(&private.encode());
        assert!(matches!(outcome, Outcome::Dropped(DropReason::InvalidFlags { .. })), "{outcome:?}");
    }
    for wrong in [
        V3Message { max_size: 483, ..message.clone() },
        V3Message { message_id: -1, ..message.clone() },
        V3Message { security_parameters: vec![0x30, 0], ..message.clone() },
        V3Message { data: ScopedPduData::Encrypted(vec![0; 40]), ..message.clone() },
    ] {
        let outcome = bench.take(&resigned(wrong, &user("ann", &engine_id())));
        assert!(matches!(outcome, Outcome::Dropped(_)), "{outcome:?}");
    }
    assert_eq!(bench.counted(), [("asnParseErrs", 4), ("unknownSecurityModels", 1), ("invalidMsgs", 3)]);
}

/// The message with a right code, as far as its parameters can be read.
fn resigned(message: V3Message, user: &trunkline_snmp::usm::User) -> Vec<u8> {
    let mut octets = message.encode();
    let read = trunkline_snmp::wire::V3MessageRef::decode(&octets).and_then(|message| message.usm());
    if let Ok(field) = read.map(|parameters| parameters.authentication_range()) {
        user.auth().unwrap().sign(&mut octets, field).unwrap();
    }
    octets
}

#[test]
fn flagged_as_encrypted_but_not_encrypted() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let ask = Ask::get("ann", AuthNoPriv);
    let message = V3Message::decode(&ask.octets()).unwrap();
    let lie = V3Message { flags: MsgFlags::new(AuthPriv, true), ..message };
    let outcome = bench.take(&resigned(lie, &ask.user));
    check_report(outcome, &ask, &usm_stat(6), 1, NoAuthNoPriv);
}

/// RFC 5343: the context engine that stands for the receiver; and contexts of others, which the door decides on.
#[test]
fn our_contexts_and_others() {
    let bench = Bench::new(Handlers::RESPONDER);
    for (context, local) in [
        (ENGINE, true),
        (EngineId::LOCAL.as_bytes(), true),
        (OTHER_ENGINE, false),
        (b"", false),
        (&EngineId::LOCAL.as_bytes()[..4], false),
    ] {
        let ask = Ask { context_engine_id: context.to_vec(), ..Ask::get("ann", AuthPriv) };
        let octets = ask.octets();
        let (mut scratch, mut out) = (vec![], vec![]);
        let Incoming::Request(request) =
            bench.engine.receive(&octets, &mut scratch, &mut out, bench.now, None, |_| None, &bench.counters)
        else {
            panic!("no request");
        };
        assert_eq!((request.is_local(), request.context_engine_id), (local, context));
        let mut report = vec![];
        for (count, (reason, object)) in [
            (ReportReason::UnknownPduHandlers, &[1, 3, 6, 1, 6, 3, 11, 2, 1, 3, 0][..]),
            (ReportReason::UnavailableContexts, &[1, 3, 6, 1, 6, 3, 12, 1, 4, 0]),
            (ReportReason::UnknownContexts, &[1, 3, 6, 1, 6, 3, 12, 1, 5, 0]),
        ]
        .into_iter()
        .enumerate()
        {
            let range = bench.engine.report(&request, reason, &bench.counters, &mut report).unwrap();
            let answer = read(&report[range], &ask.user);
            // as well protected as the request was: the manager can believe it
            assert_eq!((answer.level, answer.message_id), (AuthPriv, 4711));
            assert_eq!((answer.scoped.pdu.kind, answer.scoped.pdu.request_id), (PduKind::Report, -99));
            assert_eq!(answer.scoped.context_engine_id, context);
            assert_eq!(*answer.scoped.pdu.bindings[0].name, *object, "{count}");
        }
    }
    assert_eq!(
        bench.counted(),
        [("unknownPDUHandlers", 5), ("unavailableContexts", 5), ("unknownContexts", 5)]
    );
    // nobody waits for a Report in SNMPv2c
    let octets = community_get();
    let (mut scratch, mut out) = (vec![], vec![]);
    let entry = trunkline_snmp::engine::CommunityEntry {
        security_name: b"all",
        context_engine_id: Some(OTHER_ENGINE),
        context_name: b"far",
    };
    let Incoming::Request(request) = bench.engine.receive(
        &octets,
        &mut scratch,
        &mut out,
        bench.now,
        None,
        |_| Some(entry),
        &bench.counters,
    ) else {
        panic!("no request");
    };
    assert_eq!((request.is_local(), request.context_name, request.security_model), (false, &b"far"[..], 2));
    let mut report = vec![];
    let reason = ReportReason::UnknownContexts;
    assert_eq!(bench.engine.report(&request, reason, &bench.counters, &mut report), None);
}

/// RFC 3412 section 4.2.2.1: PDUs that nobody here takes.
#[test]
fn pdus_without_a_handler() {
    let unknown = [1, 3, 6, 1, 6, 3, 11, 2, 1, 3];
    let mut agent = Bench::new(Handlers::RESPONDER);
    let inform = Ask::get("ann", AuthNoPriv).kind(PduKind::Inform);
    let Outcome::Report(octets) = agent.take(&inform.octets()) else { panic!("no Report") };
    let report = read(&octets, &inform.user);
    assert_eq!((report.level, report.scoped.pdu.request_id), (AuthNoPriv, -99));
    assert_eq!(report.scoped.pdu.bindings[0].name, Oid::from(unknown).child(&[0]));
    for kind in [PduKind::TrapV2, PduKind::Response, PduKind::Report] {
        let outcome = agent.take(&Ask::get("ann", AuthPriv).kind(kind).octets());
        assert!(matches!(outcome, Outcome::Dropped(DropReason::NotHandled { .. })), "{outcome:?}");
    }
    assert_eq!(agent.counted(), [("unknownPDUHandlers", 4)]);
    assert_eq!(agent.counters.in_traps.get(), 1);

    let mut listener = Bench::new(Handlers::RECEIVER);
    assert!(matches!(listener.take(&Ask::get("ann", AuthPriv).octets()), Outcome::Report(_)));
    assert!(matches!(
        listener.take(&Ask::get("ann", AuthPriv).kind(PduKind::Inform).octets()),
        Outcome::Response(_)
    ));
    let mut both = Bench::new(Handlers::BOTH);
    assert!(matches!(both.take(&Ask::get("ann", AuthPriv).octets()), Outcome::Response(_)));
}

/// A trap's sender is authoritative; what it signs for one engine it can say at any time of its own clock.
#[test]
fn traps_of_other_engines() {
    let mut listener = Bench::new(Handlers::RECEIVER);
    listener.engine.set_credentials(credentials().to_vec());
    let trap = |boots, time, level| Ask {
        moment: moment(boots, time),
        context_engine_id: OTHER_ENGINE.to_vec(),
        ..Ask::at(&other_engine_id(), "ann", level).kind(PduKind::TrapV2)
    };
    let take = |listener: &mut Bench, ask: &Ask| {
        let octets = ask.octets();
        let (mut scratch, mut out) = (vec![], vec![]);
        let now = listener.now;
        match listener.engine.receive(
            &octets,
            &mut scratch,
            &mut out,
            now,
            None,
            |_| None,
            &listener.counters,
        ) {
            Incoming::Request(request) => {
                assert_eq!(request.security_name(), b"ann");
                assert_eq!(request.authoritative_engine_id(), Some(OTHER_ENGINE));
                Ok(request.level)
            }
            Incoming::Drop(DropReason::Usm(failure)) => Err(failure),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(take(&mut listener, &trap(3, 500, AuthPriv)), Ok(AuthPriv));
    assert_eq!(listener.engine.remembered_engines(), 1);
    assert_eq!(take(&mut listener, &trap(3, 350, AuthPriv)), Ok(AuthPriv));
    let failure = take(&mut listener, &trap(3, 349, AuthNoPriv)).unwrap_err();
    assert!(matches!(failure, UsmFailure::NotInSendersTimeWindow(_)), "{failure}");
    assert!(take(&mut listener, &trap(2, 500, AuthNoPriv)).is_err());
    // an unsigned message never changes a clock, and is marked as unsigned
    assert_eq!(take(&mut listener, &trap(2, 0, NoAuthNoPriv)), Ok(NoAuthNoPriv));
    assert_eq!(take(&mut listener, &trap(4, 0, AuthNoPriv)), Ok(AuthNoPriv));
    assert!(take(&mut listener, &trap(3, 501, AuthPriv)).is_err());
    assert_eq!(listener.counted(), []);

    // an inform names its receiver as authoritative, not its sender
    let inform = Ask::at(&other_engine_id(), "ann", AuthPriv).kind(PduKind::Inform);
    let inform = Ask { moment: moment(4, 0), ..inform };
    let outcome = listener.take(&inform.octets());
    assert!(matches!(outcome, Outcome::Dropped(DropReason::NotAuthoritative { .. })), "{outcome:?}");
    let ours = Ask::get("ann", AuthPriv).kind(PduKind::Inform);
    assert!(matches!(listener.take(&ours.octets()), Outcome::Response(_)));
}

#[test]
fn one_engine_accepts_what_another_sends() {
    let sender = Bench::new(Handlers::RESPONDER);
    let mut listener = Bench::new(Handlers::RECEIVER);
    // The listener is another engine, which knows ann at the sender's.
    let remote = user("ann", &engine_id());
    let binding = VarBind::new(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(5));
    let pdu = Pdu::new(PduKind::TrapV2, 12, vec![binding]);
    for level in [NoAuthNoPriv, AuthNoPriv, AuthPriv] {
        let mut buf = vec![];
        let encode = |max_size, buf: &mut Vec<u8>| {
            sender.engine.encode_notification(b"ann", level, b"ctx", &pdu, max_size, sender.now, buf)
        };
        let range = encode(1472, &mut buf).unwrap();
        assert_eq!(encode(range.len(), &mut vec![]).map(|exact| exact.len()), Ok(range.len()));
        assert!(encode(range.len() - 1, &mut vec![]).is_err());
        let trap = read(&buf[range.clone()], &remote);
        assert_eq!((trap.level, trap.reportable, &trap.engine_id[..]), (level, false, ENGINE));
        assert_eq!((&trap.scoped.pdu, &trap.scoped.context_name[..]), (&pdu, &b"ctx"[..]));
        let octets = buf[range].to_vec();
        assert!(matches!(listener.take(&octets), Outcome::Response(_)), "taken");
    }
    let mut buf = vec![];
    let mut send = |name: &[u8], level| {
        sender.engine.encode_notification(name, level, b"", &pdu, 1472, sender.now, &mut buf).unwrap_err()
    };
    assert_eq!(send(b"nobody", AuthPriv).to_string(), "this engine has no such user");
    assert_eq!(send(b"bob", AuthPriv).to_string(), "the user has no keys for authPriv, only for authNoPriv");
}

#[test]
fn versions_1_and_2_take_the_same_path() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let Outcome::Response(octets) = bench.take(&community_get()) else { panic!("no answer") };
    let answer = trunkline_snmp::wire::Message::decode(&octets).unwrap();
    assert_eq!((answer.pdu.kind, answer.pdu.request_id), (PduKind::Response, 5));
    let mut stranger = community_get();
    stranger[7] = b'P';
    assert!(matches!(bench.take(&stranger), Outcome::Dropped(DropReason::UnknownCommunity)));
    let mut other_version = community_get();
    other_version[4] = 2;
    assert!(matches!(bench.take(&other_version), Outcome::Dropped(DropReason::BadVersion { found: 2 })));
    assert_eq!(bench.counters.in_bad_community_names.get(), 1);
    assert_eq!(bench.counted(), [("badVersions", 1)]);
}

/// Parameters that are whole but empty: nobody, somewhere.
#[test]
fn empty_parameters_are_discovery() {
    let mut bench = Bench::new(Handlers::RESPONDER);
    let empty = UsmParameters {
        engine_id: vec![],
        moment: moment(0, 0),
        user_name: vec![],
        authentication: vec![],
        privacy: vec![],
    };
    let message = V3Message::decode(&Ask::get("eve", NoAuthNoPriv).octets()).unwrap();
    let message = V3Message { security_parameters: empty.encode(), ..message };
    assert!(matches!(bench.take(&message.encode()), Outcome::Report(_)));
    assert_eq!(bench.counted(), [("unknownEngineIDs", 1)]);
}
