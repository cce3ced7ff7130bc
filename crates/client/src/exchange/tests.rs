//! The window, retries and matching, on a clock that the test controls.

use super::*;
use std::time::Duration;
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{ErrorStatus, Message, MessageRef, Pdu, PduKind};

const SECOND: Duration = Duration::from_secs(1);

struct Bench {
    exchanges: Exchanges<&'static str>,
    now: Instant,
}

impl Bench {
    fn new(window: usize, resends: bool) -> Self {
        Self {
            exchanges: Exchanges::new(
                &Credentials::community(Version::V2c, b"c"),
                limits(window, resends),
                Instant::now(),
            ),
            now: Instant::now(),
        }
    }

    fn patience(retries: u32, backoff: Backoff) -> Patience {
        Patience { timeout: SECOND, retries, backoff }
    }

    fn ask(&mut self, id: i32, token: &'static str) {
        self.ask_with(id, token, Self::patience(2, Backoff::Fixed), Expect::Names(vec![name()]));
    }

    fn ask_with(&mut self, id: i32, token: &'static str, patience: Patience, expect: Expect) {
        self.ask_a(PduKind::Get, id, token, patience, expect);
    }

    fn ask_a(&mut self, kind: PduKind, id: i32, token: &'static str, patience: Patience, expect: Expect) {
        let pdu = Pdu::read(kind, id, [&name()]);
        let octets = Message { version: Version::V2c, community: b"c".to_vec(), pdu }.encode();
        self.exchanges
            .submit(Request { id, kind, content: Content::Octets(octets), expect, patience }, token);
    }

    /// The request-ids of everything due to be sent now.
    fn sent(&mut self) -> Vec<i32> {
        let mut ids = Vec::new();
        while let Some((_, octets)) = self.exchanges.poll_send(self.now) {
            ids.push(MessageRef::decode(octets).unwrap().pdu.request_id);
        }
        ids
    }

    fn answer(&mut self, octets: &[u8]) -> Result<(&'static str, Result<Response, Error>), Stray> {
        match self.exchanges.handle_message(self.now, octets) {
            Handled::Answer(token, result) => Ok((token, result)),
            Handled::Noted => panic!("SNMPv2c has no Reports"),
            Handled::Ignored(stray) => Err(stray),
        }
    }

    fn wait(&mut self, time: Duration) -> Vec<(&'static str, Error)> {
        self.now += time;
        self.exchanges.handle_time(self.now)
    }
}

fn limits(window: usize, resends: bool) -> Limits {
    Limits {
        window,
        max_message: MAX_MESSAGE_SIZE,
        max_request: MAX_MESSAGE_SIZE,
        resends,
        endurance: Endurance::Quick,
    }
}

fn name() -> Oid {
    Oid::from([1, 3, 6, 1])
}

fn message(id: i32, bindings: Vec<VarBind>) -> Message {
    Message {
        version: Version::V2c,
        community: b"c".to_vec(),
        pdu: Pdu::new(PduKind::Response, id, bindings),
    }
}

fn good(id: i32) -> Vec<u8> {
    message(id, vec![VarBind::new(name(), Value::Integer(id))]).encode()
}

#[test]
fn an_answer_is_matched_to_its_request_and_measured() {
    let mut bench = Bench::new(4, true);
    bench.ask(7, "a");
    bench.ask(8, "b");
    assert_eq!(bench.sent(), [7, 8]);
    bench.now += Duration::from_millis(30);
    let (token, response) = bench.answer(&good(8)).unwrap();
    let response = response.unwrap();
    assert_eq!((token, response.delay, response.attempts), ("b", Duration::from_millis(30), 1));
    assert_eq!(response.response_octets, good(8).len());
    assert_eq!(bench.exchanges.len(), 1);
}

#[test]
fn the_window_holds_requests_back() {
    let mut bench = Bench::new(2, true);
    (1..=4).for_each(|id| bench.ask(id, "x"));
    assert_eq!(bench.sent(), [1, 2]);
    assert!(bench.answer(&good(1)).is_ok());
    assert_eq!(bench.sent(), [3]);
}

#[test]
fn a_silent_agent_is_retried_then_given_up() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    assert_eq!(bench.sent(), [1]);
    assert!(bench.wait(SECOND / 2).is_empty());
    assert!(bench.sent().is_empty());
    for _ in 0..2 {
        assert!(bench.wait(SECOND).is_empty());
        assert_eq!(bench.sent(), [1]);
    }
    assert!(bench.answer(b"garbage").is_err());
    let given_up = bench.wait(SECOND);
    assert!(matches!(given_up[..], [("a", Error::Timeout { attempts: 3, ignored: 1, .. })]), "{given_up:?}");
    assert_eq!((bench.exchanges.len(), bench.exchanges.next_deadline()), (0, None));
}

#[test]
fn the_wait_doubles_if_configured() {
    let mut bench = Bench::new(1, true);
    bench.ask_with(1, "a", Bench::patience(2, Backoff::Double), Expect::Count(1));
    bench.sent();
    let mut waits = Vec::new();
    while let Some(deadline) = bench.exchanges.next_deadline() {
        waits.push((deadline - bench.now).as_secs());
        bench.wait(deadline - bench.now);
        bench.sent();
    }
    assert_eq!(waits, [1, 2, 4]);
}

#[test]
fn a_late_answer_to_the_first_transmission_counts_and_its_duplicate_does_not() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    bench.sent();
    bench.wait(SECOND);
    bench.sent();
    assert_eq!(bench.answer(&good(1)).unwrap().1.unwrap().attempts, 2);
    assert_eq!(bench.answer(&good(1)).unwrap_err(), Stray::Unmatched);
}

#[test]
fn a_stream_sends_once_and_waits_as_long() {
    let mut bench = Bench::new(1, false);
    bench.ask(1, "a");
    assert_eq!(bench.sent(), [1]);
    assert!(bench.wait(SECOND * 2).is_empty());
    assert!(bench.sent().is_empty());
    assert!(matches!(bench.wait(SECOND)[..], [("a", Error::Timeout { attempts: 1, .. })]));
}

#[test]
fn strangers_are_ignored() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    bench.sent();
    assert_eq!(bench.answer(&[]).unwrap_err(), Stray::Malformed);
    assert_eq!(bench.answer(&good(2)).unwrap_err(), Stray::Unmatched);
    let bindings = || vec![VarBind::new(name(), Value::Integer(1))];
    let other_community = Message { community: b"d".to_vec(), ..message(1, bindings()) };
    assert_eq!(bench.answer(&other_community.encode()).unwrap_err(), Stray::Foreign);
    let other_version = Message { version: Version::V1, ..message(1, bindings()) };
    assert_eq!(bench.answer(&other_version.encode()).unwrap_err(), Stray::Foreign);
    let mut no_response = message(1, bindings());
    no_response.pdu.kind = PduKind::Get;
    assert_eq!(bench.answer(&no_response.encode()).unwrap_err(), Stray::Foreign);
    assert!(bench.answer(&good(1)).is_ok());
}

#[test]
fn wrong_answers_are_reported() {
    let lie = |expect: Expect, octets: Vec<u8>| {
        let mut bench = Bench::new(1, true);
        bench.ask_with(1, "a", Bench::patience(0, Backoff::Fixed), expect);
        bench.sent();
        bench.answer(&octets).unwrap().1.unwrap_err()
    };
    let names = || Expect::Names(vec![name()]);
    let other = Oid::from([1, 3, 6, 2]);
    let wrong = message(1, vec![VarBind::new(other, Value::Integer(1))]).encode();
    assert!(matches!(lie(names(), wrong), Error::WrongName { position: 1, .. }));
    let none = message(1, vec![]).encode();
    assert!(matches!(lie(names(), none.clone()), Error::BindingCount { expected: 1, found: 0 }));
    assert!(matches!(lie(Expect::Count(2), good(1)), Error::BindingCount { expected: 2, found: 1 }));
    assert!(matches!(lie(Expect::AtMost(0), good(1)), Error::BindingCount { expected: 0, found: 1 }));
    let mut broken = good(1);
    let last = broken.len() - 3;
    broken[last] = 0x1f; // the value's type
    assert!(matches!(lie(names(), broken), Error::Malformed(_)));
}

#[test]
fn an_answer_longer_than_accepted_is_an_error() {
    let mut bench = Bench::new(1, true);
    bench.exchanges = Exchanges::new(
        &Credentials::community(Version::V2c, b"c"),
        Limits { max_message: 20, ..limits(1, true) },
        bench.now,
    );
    bench.ask(1, "a");
    bench.sent();
    let (_, result) = bench.answer(&good(1)).unwrap();
    assert!(matches!(result, Err(Error::AnswerTooLong { limit: 20, .. })));
}

#[test]
fn an_agents_error_is_an_answer() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    bench.sent();
    let mut answer = message(1, vec![VarBind::unspecified(name())]);
    (answer.pdu.error_status, answer.pdu.error_index) = (2, 1);
    let response = bench.answer(&answer.encode()).unwrap().1.unwrap();
    assert_eq!(response.status(), Some(ErrorStatus::NoSuchName));
    let error = response.into_bindings().unwrap_err();
    assert_eq!(error.to_string(), "the agent answered noSuchName for 1.3.6.1");
}

#[test]
fn the_second_refusal_in_a_row_ends_waiting_requests() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    bench.ask(2, "b");
    bench.sent();
    assert!(bench.exchanges.handle_refusal().is_empty());
    assert!(bench.answer(b"life").is_err());
    assert!(bench.exchanges.handle_refusal().is_empty());
    let failed = bench.exchanges.handle_refusal();
    assert!(matches!(failed[..], [("a", Error::Unreachable { attempts: 1 })]));
    assert_eq!(bench.sent(), [2]);
}

const LOST: Error = Error::ConnectionLost { kind: None };

#[test]
fn after_a_lost_connection_reads_are_repeated_once() {
    let mut bench = Bench::new(2, false);
    bench.ask(1, "a");
    bench.ask(2, "b");
    bench.ask(3, "c");
    assert_eq!(bench.sent(), [1, 2]);
    assert!(bench.exchanges.lose(bench.now, &LOST).is_empty());
    assert_eq!(bench.sent(), [1, 2], "in the order in which they were asked");
    let (token, answer) = bench.answer(&good(2)).unwrap();
    assert_eq!((token, answer.unwrap().attempts), ("b", 2));
    assert_eq!(bench.sent(), [3]);
    // `a` was repeated before, `c` was not.
    let failed = bench.exchanges.lose(bench.now, &LOST);
    assert!(matches!(failed[..], [("a", Error::ConnectionLost { kind: None })]), "{failed:?}");
    assert_eq!((bench.sent(), bench.exchanges.repeated()), (vec![3], 3));
    assert_eq!(bench.exchanges.fail_all(&Error::SessionClosed).len(), 1);
}

#[test]
fn a_set_is_never_repeated_but_an_inform_is_with_the_same_id() {
    let mut bench = Bench::new(9, false);
    let kinds = [(PduKind::Set, "set"), (PduKind::Inform, "inform"), (PduKind::GetNext, "next")];
    for ((kind, token), id) in kinds.into_iter().zip(1..) {
        bench.ask_a(kind, id, token, Bench::patience(2, Backoff::Fixed), Expect::AtMost(9));
    }
    bench.ask_a(PduKind::Set, 7, "unsent", Bench::patience(0, Backoff::Fixed), Expect::AtMost(9));
    bench.exchanges.window = 3;
    assert_eq!(bench.sent(), [1, 2, 3]);
    let failed = bench.exchanges.lose(bench.now, &LOST);
    assert!(matches!(failed[..], [("set", Error::OutcomeUnknown { kind: None })]), "{failed:?}");
    assert_eq!(bench.sent(), [2, 3, 7], "a Set that was not sent is");
}

#[test]
fn a_repeated_request_keeps_its_remaining_patience_and_a_fault_repeats_nothing() {
    let mut bench = Bench::new(9, false);
    bench.ask(1, "a");
    bench.sent();
    assert!(bench.wait(SECOND * 2).is_empty());
    assert!(bench.exchanges.lose(bench.now, &LOST).is_empty());
    assert_eq!(bench.sent(), [1]);
    assert!(matches!(bench.wait(SECOND)[..], [("a", Error::Timeout { attempts: 2, .. })]));
    bench.ask(2, "b");
    bench.sent();
    let fault = Error::Framing(trunkline_snmp::wire::frame_length(b"HTTP").unwrap_err());
    assert!(matches!(bench.exchanges.lose(bench.now, &fault)[..], [("b", Error::Framing(_))]));
}

#[test]
fn abandoned_requests_are_forgotten() {
    let mut bench = Bench::new(1, true);
    bench.ask(1, "a");
    bench.ask(2, "b");
    bench.ask(3, "c");
    bench.sent();
    bench.exchanges.forget(|token| *token != "c");
    assert_eq!(bench.sent(), [3]);
    assert_eq!(bench.exchanges.len(), 1);
}

#[test]
fn any_damage_to_an_answer_is_an_error_or_ignored() {
    let mut random = fastrand::Rng::with_seed(1);
    for _ in 0..20_000 {
        let mut bench = Bench::new(1, true);
        bench.ask(1, "a");
        bench.sent();
        let mut octets = good(1);
        for _ in 0..random.usize(1..4) {
            let at = random.usize(0..octets.len());
            match random.u32(0..3) {
                0 => octets[at] = random.u8(..),
                1 => octets.truncate(at.max(1)),
                _ => octets.insert(at, random.u8(..)),
            }
        }
        if let Ok((_, Ok(response))) = bench.answer(&octets)
            && response.is_ok()
        {
            assert_eq!(response.bindings[0].name, name());
        }
    }
}
