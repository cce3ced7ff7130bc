//! The manager over a secure session, against the engine: discovery of the engine (RFC 5343), requests, and what is
//! not believed.
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use crate::v3::*;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel::{AuthNoPriv, AuthPriv, NoAuthNoPriv};
use trunkline_snmp::engine::{Handlers, SecurityName, TransportDomain, TransportState};
use trunkline_snmp::role::manager::{
    EncodeError, Need, ReportKind, Stray, TransportAnswer, TransportAsker, TransportManager,
};
use trunkline_snmp::usm::EngineId;
use trunkline_snmp::wire::{
    Bound, Exception, MsgFlags, Pdu, PduKind, ScopedPdu, ScopedPduData, TSM, V3Message, VarBind,
};

const NAME: [u32; 11] = [1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0];

fn asker(context_engine_id: Option<EngineId>) -> TransportAsker {
    TransportAsker { level: AuthPriv, context_name: b"ctx".to_vec(), context_engine_id }
}

fn manager(context_engine_id: Option<EngineId>) -> TransportManager {
    TransportManager::new(asker(context_engine_id), 1472)
}

/// An answer to a message, which `change` may spoil.
fn answer(asked: &[u8], binding: Option<VarBind>, change: impl FnOnce(&mut V3Message)) -> Vec<u8> {
    let mut message = V3Message::decode(asked).unwrap();
    message.flags = MsgFlags::new(message.flags.level().unwrap(), false);
    let ScopedPduData::Plain(scoped) = &mut message.data else { panic!("encrypted") };
    scoped.pdu = Pdu::new(PduKind::Response, scoped.pdu.request_id, binding.into_iter().collect());
    change(&mut message);
    message.encode()
}

fn scoped(message: &mut V3Message) -> &mut ScopedPdu {
    match &mut message.data {
        ScopedPduData::Plain(scoped) => scoped,
        ScopedPduData::Encrypted(_) => panic!("encrypted"),
    }
}

fn told(value: Bound) -> Option<VarBind> {
    Some(VarBind { name: Oid::from(NAME), value })
}

fn engine_told(manager: &TransportManager, octets: &[u8]) -> (i32, Option<EngineId>) {
    match manager.receive(octets).unwrap().what {
        TransportAnswer::Engine { request_id, engine_id } => (request_id, engine_id),
        other => panic!("{other:?}"),
    }
}

#[test]
fn discovery_requests_the_id_of_any_engine() {
    let mut manager = manager(None);
    assert_eq!(manager.need(), Need::Engine);
    let pdu = Pdu::read(PduKind::Get, 9, [&Oid::from([1, 3])]);
    assert_eq!(manager.encode(&pdu, 1), Err(EncodeError::NotReady));

    let asked = manager.encode_discovery(70_000, 8).unwrap();
    let mut message = V3Message::decode(&asked).unwrap();
    assert_eq!((message.message_id, message.security_model, message.max_size), (70_000, TSM, 1472));
    assert_eq!((message.flags, &message.security_parameters[..]), (MsgFlags::new(AuthPriv, true), &[][..]));
    let inside = scoped(&mut message);
    assert_eq!(
        (&inside.context_engine_id[..], &inside.context_name[..]),
        (EngineId::LOCAL.as_bytes(), &b""[..])
    );
    assert_eq!(inside.pdu, Pdu::read(PduKind::Get, 8, [&Oid::from(NAME)]));

    let octets = answer(&asked, told(Bound::Value(Value::OctetString(ENGINE.into()))), |_| ());
    let received = manager.receive(&octets).unwrap();
    assert_eq!(received.message_id, 70_000);
    assert_eq!(engine_told(&manager, &octets), (8, Some(engine_id())));
    assert!(manager.learn(Some(engine_id())));
    assert!(!manager.learn(Some(other_engine_id())), "once in a session");
    assert_eq!((manager.need(), manager.context_engine_id()), (Need::Nothing, Some(&engine_id())));
    let asked = manager.encode(&pdu, 2).unwrap();
    let mut message = V3Message::decode(&asked).unwrap();
    assert_eq!(
        scoped(&mut message),
        &ScopedPdu { context_engine_id: ENGINE.to_vec(), context_name: b"ctx".to_vec(), pdu }
    );
    manager.forget_engine();
    assert_eq!(manager.need(), Need::Engine);
}

/// An engine that does not return its ID is addressed as the receiver.
#[test]
fn an_engine_that_hides_its_id_is_queried_without_it() {
    let short = Bound::Value(Value::OctetString(vec![1, 2]));
    for value in [None, told(Bound::Exception(Exception::NoSuchObject)), told(short)] {
        let mut manager = manager(None);
        let asked = manager.encode_discovery(1, 8).unwrap();
        assert_eq!(engine_told(&manager, &answer(&asked, value, |_| ())), (8, None));
        assert!(manager.learn(None));
        assert_eq!(manager.context_engine_id(), Some(&EngineId::LOCAL));
    }
    let manager = manager(None);
    let asked = manager.encode_discovery(1, 8).unwrap();
    let refused = answer(&asked, told(Bound::Value(Value::OctetString(ENGINE.into()))), |message| {
        scoped(message).pdu.error_status = 16;
    });
    assert_eq!(engine_told(&manager, &refused), (8, None));
}

#[test]
fn a_given_context_needs_no_discovery() {
    let mut manager = manager(Some(other_engine_id()));
    assert_eq!(manager.need(), Need::Nothing);
    assert!(!manager.learn(Some(engine_id())));
    manager.forget_engine();
    assert_eq!(manager.context_engine_id(), Some(&other_engine_id()));
}

#[test]
fn only_matching_answers_are_accepted() {
    let pdu = Pdu::read(PduKind::Get, 9, [&Oid::from([1, 3])]);
    let manager = manager(Some(engine_id()));
    let asked = manager.encode(&pdu, 77).unwrap();
    let received = |change: &dyn Fn(&mut V3Message)| {
        let octets = answer(&asked, None, change);
        manager.receive(&octets).map(|received| match received.what {
            TransportAnswer::Response(pdu) => (received.message_id, pdu.request_id),
            other => panic!("{other:?}"),
        })
    };
    assert_eq!(received(&|_| ()), Ok((77, 9)));
    let model = Stray::SecurityModel { expected: TSM, found: 3 };
    assert_eq!(received(&|message| message.security_model = 3), Err(model));
    let (expected, found) = (AuthPriv, AuthNoPriv);
    let lower = |message: &mut V3Message| message.flags = MsgFlags::new(AuthNoPriv, false);
    assert_eq!(received(&lower), Err(Stray::Level { expected, found }));
    assert_eq!(received(&|message| message.flags = MsgFlags::from_octet(2)), Err(Stray::Flags));
    let parameters = |message: &mut V3Message| message.security_parameters = vec![0x30, 0];
    assert_eq!(received(&parameters), Err(Stray::Parameters { found: 2 }));
    let encrypted = |message: &mut V3Message| message.data = ScopedPduData::Encrypted(vec![0; 8]);
    assert_eq!(received(&encrypted), Err(Stray::Data));
    assert_eq!(received(&|message| scoped(message).context_name.clear()), Err(Stray::Context));
    let other = |message: &mut V3Message| scoped(message).context_engine_id = OTHER_ENGINE.to_vec();
    assert_eq!(received(&other), Err(Stray::Context));
    let found = PduKind::Get;
    assert_eq!(received(&|message| scoped(message).pdu.kind = found), Err(Stray::NotAnAnswer { found }));
    assert!(matches!(manager.receive(&asked[1..]), Err(Stray::Malformed(_))));

    // The receiver may return its ID.
    let anybody = TransportManager::new(asker(Some(EngineId::LOCAL)), 1472);
    let asked = anybody.encode(&pdu, 77).unwrap();
    for change in [
        |_: &mut V3Message| (),
        |message: &mut V3Message| {
            scoped(message).context_engine_id = ENGINE.to_vec();
        },
    ] {
        let octets = answer(&asked, None, change);
        assert!(matches!(anybody.receive(&octets).unwrap().what, TransportAnswer::Response(_)));
    }
}

#[test]
fn the_engine_answers_the_manager() {
    let name = SecurityName::new(b"joe").unwrap();
    let state = |level| Some(TransportState::new(TransportDomain::Ssh, name, level, 1));
    let mut bench = Bench { over: state(AuthPriv), ..Bench::new(Handlers::RESPONDER) };
    let mut manager = manager(None);
    let discovery = manager.encode_discovery(1, 8).unwrap();
    let Outcome::Response(octets) = bench.take(&discovery) else { panic!("no answer") };
    assert_eq!(engine_told(&manager, &octets), (8, None), "the bench tells nothing");
    assert!(manager.learn(Some(engine_id())));
    for kind in [PduKind::Get, PduKind::GetNext, PduKind::GetBulk, PduKind::Set] {
        let asked = manager.encode(&Pdu::new(kind, 9, vec![]), 2).unwrap();
        let Outcome::Response(octets) = bench.take(&asked) else { panic!("{kind}") };
        let received = manager.receive(&octets).unwrap();
        assert!(matches!(received.what, TransportAnswer::Response(pdu) if pdu.request_id == 9));
    }
    // A Report is believed at any level: it came over the session.
    bench.over = state(NoAuthNoPriv);
    let asked = manager.encode(&Pdu::new(PduKind::Get, 9, vec![]), 3).unwrap();
    let Outcome::Report(octets) = bench.take(&asked) else { panic!("no Report") };
    let received = manager.receive(&octets).unwrap();
    let TransportAnswer::Report(report) = received.what else { panic!("no Report") };
    assert_eq!((received.message_id, report.kind), (3, ReportKind::InadequateSecurityLevels));
}
