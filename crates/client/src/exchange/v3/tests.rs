//! A session as a user of SNMPv3, with an engine that the test plays: discovery, clocks, and everything that
//! others may inject.

use std::time::Duration;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineMoment;
use trunkline_snmp::usm::{AuthProtocol, PrivProtocol};
use trunkline_snmp::wire::{
    Header, MAX_MESSAGE_SIZE, MsgData, MsgFlags, PduKind, Protection, Salts, ScopedPduRef, UsmParameters,
    UsmSecurity, V3Header, V3Message, V3MessageRef, V3Security, VarBind,
};

use super::*;
use crate::credentials::Secret;
use crate::error::Error;
use crate::exchange::{
    Backoff, Content, Endurance, Exchanges, Expect, Handled, Limits, Patience, Request, Response,
};

const SECOND: Duration = Duration::from_secs(1);
const ENGINE: [u8; 9] = [0x80, 0, 0x1f, 0x88, 4, b't', b'e', b's', b't'];
const OTHER_ENGINE: [u8; 9] = [0x80, 0, 0x1f, 0x88, 4, b'l', b'i', b'a', b'r'];

const NOT_IN_TIME_WINDOWS: u32 = 2;
const UNKNOWN_USER_NAMES: u32 = 3;
const UNKNOWN_ENGINE_IDS: u32 = 4;
const WRONG_DIGESTS: u32 = 5;

/// Both ends: ours, and the engine with its clock.
struct Bench {
    exchanges: Exchanges<&'static str>,
    now: Instant,
    moment: EngineMoment,
    credentials: UsmCredentials,
    salts: Salts,
}

/// A message of ours, as the engine decodes it.
#[derive(Debug)]
struct Sent {
    message_id: i32,
    request_id: i32,
    engine_id: Vec<u8>,
    moment: EngineMoment,
    level: SecurityLevel,
    kind: PduKind,
}

fn ann(level: SecurityLevel) -> UsmCredentials {
    let ann = UsmCredentials::new(b"ann").unwrap();
    let ann = ann.with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup")).unwrap();
    let ann = ann.with_privacy(PrivProtocol::Aes128, Secret::password(b"maplesyrup")).unwrap();
    ann.with_level(level).unwrap()
}

fn moment(boots: u32, time: u32) -> EngineMoment {
    EngineMoment::new(boots, time).unwrap()
}

fn name() -> Oid {
    Oid::from([1, 3, 6, 1])
}

impl Bench {
    fn new(credentials: UsmCredentials) -> Self {
        let limits = Limits {
            window: 4,
            max_message: MAX_MESSAGE_SIZE,
            max_request: MAX_MESSAGE_SIZE,
            resends: true,
            endurance: Endurance::Quick,
        };
        let now = Instant::now();
        Bench {
            exchanges: Exchanges::new(&credentials.clone().into(), limits, now),
            now,

            moment: moment(7, 1000),
            credentials,
            salts: Salts::new(1),
        }
    }

    /// The same, with the engine known and its clock authenticated.
    fn synchronized() -> Self {
        let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
        bench.ask(1, "first", PduKind::Get);
        bench.discover();
        let sent = bench.sent_one();
        assert!(bench.answer(&bench.response(&sent)).is_some_and(|(_, answer)| answer.is_ok()));
        bench
    }

    fn ask(&mut self, id: i32, token: &'static str, kind: PduKind) {
        let content = Content::Pdu(Pdu::read(kind, id, [&name()]));
        let patience = Patience { timeout: SECOND, retries: 2, backoff: Backoff::Fixed };
        self.exchanges
            .submit(Request { id, kind, content, expect: Expect::Names(vec![name()]), patience }, token);
    }

    /// Everything due to be sent now.
    fn sent(&mut self) -> Vec<Sent> {
        if let Some(work) = self.exchanges.key_work() {
            self.exchanges.handle_user(work.make().unwrap());
        }
        let mut sent = Vec::new();
        while let Some((_, octets)) = self.exchanges.poll_send(self.now) {
            let octets = octets.to_vec();
            sent.push(self.read(&octets));
        }
        sent
    }

    fn sent_one(&mut self) -> Sent {
        let mut sent = self.sent();
        assert_eq!(sent.len(), 1, "{sent:?}");
        sent.remove(0)
    }

    fn read(&self, octets: &[u8]) -> Sent {
        let message = V3MessageRef::decode(octets).unwrap();
        let usm = message.usm().unwrap();
        let level = message.flags.level().unwrap();
        let user = EngineId::new(usm.engine_id).ok().map(|engine| self.credentials.user_at(&engine).unwrap());
        if level.is_authenticated() {
            let key = user.as_ref().unwrap().auth().unwrap();
            key.verify(octets, usm.authentication_range()).unwrap();
        }
        let mut plain = Vec::new();
        let pdu = match message.data {
            MsgData::Plain(scoped) => scoped.pdu,
            MsgData::Encrypted(data) => {
                plain.extend_from_slice(data);
                let key = user.as_ref().unwrap().privacy().unwrap();
                key.decrypt(usm.moment, usm.privacy, &mut plain).unwrap();
                ScopedPduRef::decode(&plain, 7).unwrap().pdu
            }
        };
        Sent {
            message_id: message.message_id,
            request_id: pdu.request_id,
            engine_id: usm.engine_id.to_vec(),
            moment: usm.moment,
            level,
            kind: pdu.kind,
        }
    }

    /// A message of an engine, possibly at another level than ours.
    fn message(&self, engine: &[u8], level: SecurityLevel, message_id: i32, pdu: &Pdu) -> Vec<u8> {
        let engine = EngineId::new(engine).unwrap();
        let user = ann(SecurityLevel::AuthPriv).user_at(&engine).unwrap();
        let header = V3Header {
            message_id,
            max_size: 65_507,
            reportable: false,
            security: V3Security::Usm(UsmSecurity {
                engine_id: engine.as_bytes(),
                moment: self.moment,
                user_name: b"ann",
                protection: Protection::new(&user, level).unwrap(),
                salts: &self.salts,
            }),
            context_engine_id: engine.as_bytes(),
            context_name: b"",
        };
        let mut octets = Vec::new();
        let message = Header::V3(&header).encode(pdu, MAX_MESSAGE_SIZE, &mut octets).unwrap();
        octets[message].to_vec()
    }

    fn response_at(&self, level: SecurityLevel, sent: &Sent) -> Vec<u8> {
        let binding = VarBind::new(name(), Value::Integer(sent.request_id));
        let pdu = Pdu::new(PduKind::Response, sent.request_id, vec![binding]);
        self.message(&ENGINE, level, sent.message_id, &pdu)
    }

    fn response(&self, sent: &Sent) -> Vec<u8> {
        self.response_at(sent.level, sent)
    }

    /// A Report of the usmStats counter with this number.
    fn report_of(&self, engine: &[u8], level: SecurityLevel, counter: u32, sent: &Sent) -> Vec<u8> {
        let counter = Oid::from([1, 3, 6, 1, 6, 3, 15, 1, 1, counter, 0]);
        let pdu =
            Pdu::new(PduKind::Report, sent.request_id, vec![VarBind::new(counter, Value::Counter32(1))]);
        self.message(engine, level, sent.message_id, &pdu)
    }

    fn forged(&self, counter: u32, sent: &Sent) -> Vec<u8> {
        self.report_of(&ENGINE, SecurityLevel::NoAuthNoPriv, counter, sent)
    }

    fn handle(&mut self, octets: &[u8]) -> Handled<&'static str> {
        self.exchanges.handle_message(self.now, octets)
    }

    fn answer(&mut self, octets: &[u8]) -> Option<(&'static str, Result<Response, Error>)> {
        match self.handle(octets) {
            Handled::Answer(token, answer) => Some((token, answer)),
            Handled::Noted | Handled::Ignored(_) => None,
        }
    }

    fn is_ignored(&mut self, octets: &[u8]) -> bool {
        matches!(self.handle(octets), Handled::Ignored(_))
    }

    fn discover(&mut self) {
        let hello = self.sent_one();
        assert_eq!((hello.engine_id.len(), hello.level), (0, SecurityLevel::NoAuthNoPriv));
        assert!(matches!(self.handle(&self.forged(UNKNOWN_ENGINE_IDS, &hello)), Handled::Noted));
    }

    fn wait(&mut self, time: Duration) -> Vec<(&'static str, Error)> {
        self.now += time;
        let seconds = self.moment.time.get() + time.as_secs() as u32;
        self.moment = moment(self.moment.boots.get(), seconds);
        self.exchanges.handle_time(self.now)
    }
}

#[test]
fn one_discovery_serves_all_waiting_requests() {
    let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
    (1..=3).for_each(|id| bench.ask(id, "x", PduKind::Get));
    bench.discover();
    let sent = bench.sent();
    assert_eq!(sent.iter().map(|sent| sent.request_id).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(sent.iter().all(|sent| sent.engine_id == ENGINE && sent.level == SecurityLevel::AuthPriv));
    // The discovery's clock is good enough for reads.
    assert!(sent.iter().all(|sent| sent.moment == moment(7, 1000)));
    for sent in &sent {
        assert!(bench.answer(&bench.response(sent)).unwrap().1.is_ok());
    }
    assert_eq!(bench.exchanges.len(), 0);
}

#[test]
fn a_discovery_is_sent_again_and_given_up_for_all() {
    let mut bench = Bench::new(ann(SecurityLevel::AuthNoPriv));
    bench.ask(1, "a", PduKind::Get);
    bench.ask(2, "b", PduKind::Set);
    let mut ids = vec![bench.sent_one().message_id];
    for _ in 0..2 {
        assert!(bench.wait(SECOND).is_empty());
        ids.push(bench.sent_one().message_id);
    }
    ids.dedup();
    assert_eq!(ids.len(), 3, "each sending has its own msgID");
    let given_up = bench.wait(SECOND);
    assert_eq!(given_up.iter().map(|(token, _)| *token).collect::<Vec<_>>(), ["a", "b"]);
    assert!(given_up.iter().all(|(_, error)| matches!(error, Error::Timeout { attempts: 3, .. })));
    assert_eq!(bench.exchanges.len(), 0);
}

#[test]
fn each_transmission_has_its_msgid_and_an_answer_to_any_counts() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    let first = bench.sent_one();
    bench.wait(SECOND);
    let second = bench.sent_one();
    assert_ne!(first.message_id, second.message_id);
    assert_eq!(second.request_id, 2);
    assert!(bench.answer(&bench.response(&first)).unwrap().1.is_ok());
    assert!(bench.is_ignored(&bench.response(&second)), "it has been answered");
}

#[test]
fn a_set_before_the_clock_is_authenticated_is_out_of_time_on_purpose() {
    let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
    bench.ask(1, "x", PduKind::Set);
    bench.discover();
    let early = bench.sent_one();
    assert_eq!((early.kind, early.moment), (PduKind::Set, moment(0, 0)));
    let report = bench.report_of(&ENGINE, SecurityLevel::AuthNoPriv, NOT_IN_TIME_WINDOWS, &early);
    assert!(matches!(bench.handle(&report), Handled::Noted));
    let again = bench.sent_one();
    assert_eq!(again.moment, bench.moment);
    let (_, answer) = bench.answer(&bench.response(&again)).unwrap();
    assert_eq!(answer.unwrap().attempts, 1, "a Report is not a time-out");
}

#[test]
fn a_restarted_engine_is_followed_and_an_old_one_is_not() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Set);
    let sent = bench.sent_one();
    let old = bench.response(&sent);
    bench.moment = moment(8, 3);
    let report = bench.report_of(&ENGINE, SecurityLevel::AuthNoPriv, NOT_IN_TIME_WINDOWS, &sent);
    assert!(matches!(bench.handle(&report), Handled::Noted));
    assert_eq!(bench.sent_one().moment, moment(8, 3));
    // From before the restart: authentic, but too late.
    assert!(bench.is_ignored(&old));
    bench.moment = moment(7, 5000);
    assert!(bench.is_ignored(&bench.response(&sent)));
    bench.moment = moment(8, 4);
    assert!(bench.answer(&bench.response(&sent)).unwrap().1.is_ok());
}

#[test]
fn no_unauthenticated_report_changes_the_clock_or_the_engine() {
    let mut bench = Bench::synchronized();
    let right = bench.moment;
    for counter in [NOT_IN_TIME_WINDOWS, UNKNOWN_ENGINE_IDS] {
        bench.ask(2, "x", PduKind::Get);
        let sent = bench.sent_one();
        bench.moment = moment(i32::MAX as u32, 9);
        let forged = bench.forged(counter, &sent);
        assert!(matches!(bench.handle(&forged), Handled::Noted));
        let liar = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, counter, &sent);
        assert!(matches!(bench.handle(&liar), Handled::Noted));
        bench.moment = right;
        assert!(bench.sent().is_empty(), "nothing is asked again for a forger");
        assert!(bench.answer(&bench.response(&sent)).unwrap().1.is_ok(), "the true answer still counts");
    }
    bench.ask(3, "x", PduKind::Set);
    let sent = bench.sent_one();
    assert_eq!((&sent.engine_id[..], sent.moment), (&ENGINE[..], right));
}

/// A wrong password: the Report cannot be authenticated, so it counts only when the time is over.
#[test]
fn an_unauthenticated_report_counts_if_nothing_better_arrives() {
    for counter in [UNKNOWN_USER_NAMES, WRONG_DIGESTS] {
        let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
        bench.ask(1, "x", PduKind::Get);
        bench.discover();
        let sent = bench.sent_one();
        let report = bench.forged(counter, &sent);
        assert!(matches!(bench.handle(&report), Handled::Noted));
        assert!(bench.wait(SECOND / 2).is_empty());
        let given_up = bench.wait(SECOND / 2);
        let kind =
            if counter == WRONG_DIGESTS { ReportKind::WrongDigests } else { ReportKind::UnknownUserNames };
        assert!(
            matches!(&given_up[..], [("x", Error::Report { report })] if *report == kind),
            "{given_up:?}: it is not asked twice more"
        );
    }
}

#[test]
fn a_user_without_keys_accepts_any_answer() {
    let mut bench = Bench::new(UsmCredentials::new(b"ann").unwrap());
    bench.ask(1, "x", PduKind::Get);
    bench.discover();
    let sent = bench.sent_one();
    assert_eq!((sent.level, sent.moment), (SecurityLevel::NoAuthNoPriv, moment(0, 0)));
    let report = bench.forged(UNKNOWN_USER_NAMES, &sent);
    let (_, answer) = bench.answer(&report).unwrap();
    assert!(matches!(answer, Err(Error::Report { report: ReportKind::UnknownUserNames })));
    bench.ask(2, "y", PduKind::Get);
    let sent = bench.sent_one();
    assert!(bench.answer(&bench.response(&sent)).unwrap().1.is_ok());
}

#[test]
fn an_answer_must_have_the_requests_level_engine_user_and_id() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    let sent = bench.sent_one();
    for level in [SecurityLevel::NoAuthNoPriv, SecurityLevel::AuthNoPriv] {
        let lower = bench.response_at(level, &sent);
        assert!(bench.is_ignored(&lower), "{level}");
    }
    let pdu = Pdu::new(PduKind::Response, 2, vec![VarBind::new(name(), Value::Integer(1))]);
    let other = bench.message(&OTHER_ENGINE, SecurityLevel::AuthPriv, sent.message_id, &pdu);
    assert!(bench.is_ignored(&other), "another engine");
    let other = bench.message(&ENGINE, SecurityLevel::AuthPriv, sent.message_id ^ 1, &pdu);
    assert!(bench.is_ignored(&other), "another msgID");
    let pdu = Pdu { request_id: 3, ..pdu };
    let other = bench.message(&ENGINE, SecurityLevel::AuthPriv, sent.message_id, &pdu);
    assert!(bench.is_ignored(&other), "another request-id");
    let pdu = Pdu { kind: PduKind::Get, request_id: 2, ..pdu };
    let other = bench.message(&ENGINE, SecurityLevel::AuthPriv, sent.message_id, &pdu);
    assert!(bench.is_ignored(&other), "no Response");
    let good = bench.response(&sent);
    for at in 0..good.len() {
        let mut bad = good.clone();
        bad[at] ^= 1;
        assert!(bench.is_ignored(&bad), "octet {at} changed");
    }
    assert!(bench.answer(&good).unwrap().1.is_ok());
}

/// A forged answer to the discovery arrives first: the real engine corrects it, and no request is lost.
#[test]
fn a_forged_discovery_costs_a_round_trip() {
    let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
    bench.ask(1, "x", PduKind::Get);
    let hello = bench.sent_one();
    let forged = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, UNKNOWN_ENGINE_IDS, &hello);
    assert!(matches!(bench.handle(&forged), Handled::Noted));
    let sent = bench.sent_one();
    assert_eq!(sent.engine_id, OTHER_ENGINE);
    let report = bench.forged(UNKNOWN_ENGINE_IDS, &sent);
    assert!(matches!(bench.handle(&report), Handled::Noted));
    let again = bench.sent_one();
    assert_eq!(again.engine_id, ENGINE);
    assert!(bench.answer(&bench.response(&again)).unwrap().1.is_ok());
}

/// An engine whose ID changed after we learned the old one, as of a receiver that was set up anew: the next attempts
/// of all requests go to it, after one discovery.
#[test]
fn an_engine_with_a_new_id_is_discovered_again() {
    let mut bench = Bench::synchronized();
    for (id, token) in [(2, "x"), (3, "y")] {
        bench.ask(id, token, PduKind::Get);
        let sent = bench.sent_one();
        let report = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, UNKNOWN_ENGINE_IDS, &sent);
        bench.handle(&report);
    }
    assert!(bench.wait(SECOND).is_empty());
    let hello = bench.sent_one();
    assert!(hello.engine_id.is_empty(), "a discovery");
    let report = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, UNKNOWN_ENGINE_IDS, &hello);
    bench.handle(&report);
    let sent: Vec<_> = bench.sent().into_iter().map(|sent| sent.engine_id).collect();
    assert_eq!(sent, [OTHER_ENGINE.to_vec(), OTHER_ENGINE.to_vec()]);
}

/// The last attempt ends with the Report, and the next request discovers the engine.
#[test]
fn a_new_engine_in_the_last_attempt_is_for_the_next_request() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    for _ in 0..2 {
        bench.sent_one();
        assert!(bench.wait(SECOND).is_empty());
    }
    let sent = bench.sent_one();
    let report = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, UNKNOWN_ENGINE_IDS, &sent);
    bench.handle(&report);
    let given_up = bench.wait(SECOND);
    assert!(
        matches!(&given_up[..], [("x", Error::Report { report: ReportKind::UnknownEngineIds })]),
        "{given_up:?}"
    );
    bench.ask(3, "y", PduKind::Get);
    assert!(bench.sent_one().engine_id.is_empty(), "a discovery");
}

#[test]
fn reports_cannot_keep_a_request_going_for_ever() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    for round in 0.. {
        let sent = bench.sent_one();
        let report = bench.report_of(&ENGINE, SecurityLevel::AuthNoPriv, NOT_IN_TIME_WINDOWS, &sent);
        if let Some((_, answer)) = bench.answer(&report) {
            assert!(matches!(answer, Err(Error::Report { report: ReportKind::NotInTimeWindows })));
            break;
        }
        assert!(round < 10, "asked {round} times");
    }
}

#[test]
fn a_given_engine_is_neither_discovered_nor_replaced() {
    let mut user = ann(SecurityLevel::AuthNoPriv);
    user.security_engine_id = EngineId::new(&ENGINE).ok();
    user.engine_moment = EngineMoment::new(7, 1000);
    let mut bench = Bench::new(user);
    bench.ask(1, "x", PduKind::Set);
    let sent = bench.sent_one();
    assert_eq!((&sent.engine_id[..], sent.moment), (&ENGINE[..], moment(7, 1000)));
    let report = bench.report_of(&OTHER_ENGINE, SecurityLevel::NoAuthNoPriv, UNKNOWN_ENGINE_IDS, &sent);
    bench.handle(&report);
    assert_eq!(bench.wait(SECOND).len(), 1);
    bench.ask(2, "y", PduKind::Get);
    assert_eq!(bench.sent_one().engine_id, ENGINE);
}

#[test]
fn no_discovery_without_waiting_requests() {
    let mut bench = Bench::new(ann(SecurityLevel::AuthPriv));
    bench.ask(1, "gone", PduKind::Get);
    bench.sent_one();
    bench.exchanges.forget(|token| *token == "gone");
    assert_eq!(bench.exchanges.len(), 0);
    assert!(bench.wait(SECOND).is_empty() && bench.sent().is_empty());
}

/// A message of the engine with different msgAuthenticationParameters, flags or boots than it should have.
#[test]
fn digests_and_flags_must_be_complete() {
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    let sent = bench.sent_one();
    let good = bench.response(&sent);
    let mac_length = AuthProtocol::Sha256.mac_length();
    let changed = |change: &dyn Fn(&mut V3Message, &mut UsmParameters)| {
        let mut message = V3Message::decode(&good).unwrap();
        let mut parameters = V3MessageRef::decode(&good).unwrap().usm().unwrap().to_parameters();
        change(&mut message, &mut parameters);
        message.security_parameters = parameters.encode();
        message.encode()
    };
    // A prefix of the right digest must not be accepted (CVE-2008-0960), and neither must a longer one.
    for length in (0..mac_length).chain([mac_length + 1, 64]) {
        let bad = changed(&|_, parameters| parameters.authentication.resize(length, 0));
        assert!(bench.is_ignored(&bad), "a code of {length} octets");
    }
    for salt in [0, 7, 9] {
        let bad = changed(&|_, parameters| parameters.privacy.resize(salt, 0));
        assert!(bench.is_ignored(&bad), "a salt of {salt} octets");
    }
    for flags in 0..8 {
        if flags != 3 {
            let bad = changed(&|message, _| message.flags = MsgFlags::from_octet(flags));
            assert!(bench.is_ignored(&bad), "flags {flags}");
        }
    }
    for engine in [&[][..], &ENGINE[..8], &OTHER_ENGINE] {
        let bad = changed(&|_, parameters| parameters.engine_id = engine.to_vec());
        assert!(bench.is_ignored(&bad), "engine {engine:?}");
    }
    for user in [&b""[..], b"an", b"anna", b"Ann"] {
        let bad = changed(&|_, parameters| parameters.user_name = user.to_vec());
        assert!(bench.is_ignored(&bad), "user {user:?}");
    }
    let bad = changed(&|message, _| message.security_model = 1);
    assert!(bench.is_ignored(&bad), "another security model");
    assert_eq!(changed(&|_, _| ()), good);
    assert!(bench.answer(&good).unwrap().1.is_ok());
}

/// RFC 3414 section 3.2 step 7b: 150 seconds late is in time, 151 is not; an engine at the maximum of its boots is
/// no longer trusted.
#[test]
fn the_window_of_time_has_its_edges() {
    for (late, is_in_time) in [(0, true), (150, true), (151, false), (900, false)] {
        let mut bench = Bench::synchronized();
        bench.ask(2, "x", PduKind::Get);
        let sent = bench.sent_one();
        let now = bench.moment.time.get();
        bench.moment = moment(7, now - late);
        assert_eq!(bench.answer(&bench.response(&sent)).is_some(), is_in_time, "{late} seconds late");
    }
    let mut bench = Bench::synchronized();
    bench.ask(2, "x", PduKind::Get);
    let sent = bench.sent_one();
    bench.moment = moment(i32::MAX as u32, 5);
    assert!(bench.is_ignored(&bench.response(&sent)));
}
