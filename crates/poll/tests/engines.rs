//! SNMPv3: engines that are discovered, start again and are replaced, and keys that are wrong.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use trunkline_poll::{
    Outcome, Parallel, Phase, PollError, Protocol, Rounds, RoundsOptions, Sample, Schedule, Sink, UserRead,
    Verdict,
};
use trunkline_smi::{Oid, ValueRef};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, PrivProtocol};
use trunkline_snmp::wire::{Pdu, PduKind, ResponseWriter};

fn user(password: &[u8]) -> Credentials {
    let (auth, privacy) = ((AuthProtocol::Sha256, password), (PrivProtocol::Aes128, password));
    Credentials::from_passwords(b"ann", Some(auth), Some(privacy)).unwrap()
}

/// An agent that was started so many seconds before, and knows ann by this password.
fn engine(id: u8, boots: u32, password: &[u8], base: Instant) -> Engine {
    let id = EngineId::generate(8072, [id; 12]);
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(EngineBoots::new(boots).unwrap(), base),
        max_size: 1472,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy: 1,
    });
    engine.set_users([user(password).localize(&id).unwrap()].into_iter().collect());
    engine
}

/// What it answers: every object is 7.
fn answer(engine: &Engine, octets: &[u8], now: Instant) -> Option<Vec<u8>> {
    let (mut scratch, mut out, counters) = (Vec::new(), Vec::new(), Counters::default());
    match engine.receive(octets, &mut scratch, &mut out, now, None, |_| None, &counters) {
        Incoming::Request(request) => {
            let mut writer = ResponseWriter::new(&mut out, 1472, request.reply());
            for binding in request.pdu.bindings() {
                let name = binding.unwrap().name.to_buf();
                assert!(writer.value_at(&name, ValueRef::TimeTicks(7)));
            }
            let range = writer.finish()?;
            Some(out[range].to_vec())
        }
        Incoming::Report { reply, .. } => Some(out[reply].to_vec()),
        Incoming::TrapV1(_) | Incoming::Drop(_) => None,
    }
}

#[derive(Default)]
struct Samples(Vec<Sample>);

impl Sink for Samples {
    fn take(&mut self, sample: &Sample) {
        self.0.push(*sample);
    }
}

fn peer() -> SocketAddr {
    SocketAddr::from(([127, 1, 0, 1], 161))
}

/// One agent, asked once a second, a request given up after half of one.
fn rounds(password: &[u8], base: Instant) -> Rounds<UserRead, Samples> {
    let names = [Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0])];
    let pdu = Pdu::read(PduKind::Get, 0, &names);
    let protocol = UserRead::new(user(password), pdu, 1, 5, base).unwrap();
    let schedule = Schedule::new(1, Duration::from_secs(1), Phase::EVEN, Some(9)).unwrap();
    let deadline = Duration::from_millis(500);
    let options = RoundsOptions { parallel: Parallel::Unbounded, deadline, places: None };
    Rounds::new(schedule, vec![peer()], options, protocol, Samples::default()).unwrap()
}

/// Asks in the `at`-th second, and lets the engine answer until nothing more is to be sent. How many messages went out.
fn second(rounds: &mut Rounds<UserRead, Samples>, engine: &Engine, base: Instant, at: u64) -> usize {
    let now = Duration::from_secs(at);
    rounds.expire(now);
    let (mut sent, mut out) = (0, Vec::new());
    while rounds.request(now, &mut out).is_some() {
        sent += 1;
        assert!(sent < 20, "it never ends");
        if let Some(octets) = answer(engine, &out, base + now) {
            rounds.received(&octets, peer(), now + Duration::from_millis(1));
        }
        out.clear();
    }
    rounds.expire(now + Duration::from_millis(600));
    sent
}

#[test]
fn an_engine_is_discovered_once_and_again_after_a_restart() {
    let base = Instant::now();
    let agent = engine(1, 7, b"maplesyrup", base);
    let mut rounds = rounds(b"maplesyrup", base);
    assert_eq!(second(&mut rounds, &agent, base, 0), 2);
    assert_eq!(second(&mut rounds, &agent, base, 1), 1);
    // The same engine with another clock: its authentic Report sets ours.
    let restarted = engine(1, 8, b"maplesyrup", base);
    assert_eq!(second(&mut rounds, &restarted, base, 2), 2);
    assert_eq!(second(&mut rounds, &restarted, base, 3), 1);
    assert_eq!((rounds.counts().answered, rounds.counts().again, rounds.counts().strays), (4, 2, 0));
    let (Samples(samples), protocol) = rounds.into_parts();
    assert!(samples.iter().all(|it| matches!(it.outcome, Outcome::Answered(_))), "{samples:?}");
    assert_eq!(samples[0].from_due(), Some(Duration::from_millis(1)));
    assert_eq!(protocol.discovered(), 1);
}

#[test]
fn another_engine_is_believed_only_where_no_answer_comes() {
    let base = Instant::now();
    let mut rounds = rounds(b"maplesyrup", base);
    let agent = engine(1, 7, b"maplesyrup", base);
    second(&mut rounds, &agent, base, 0);
    // The agent was replaced: its Report could be anybody's, so that this request is lost, and the next one discovers.
    let other = engine(2, 1, b"maplesyrup", base);
    assert_eq!(second(&mut rounds, &other, base, 1), 1);
    assert_eq!((rounds.counts().lost, rounds.counts().strays), (1, 1));
    assert_eq!(second(&mut rounds, &other, base, 2), 2);
    assert_eq!(rounds.counts().answered, 2);
}

#[test]
fn a_wrong_key_ends_in_no_answer_and_no_circle() {
    let base = Instant::now();
    let mut rounds = rounds(b"maplesyrup", base);
    let agent = engine(1, 7, b"another word", base);
    for at in 0..9 {
        assert!(second(&mut rounds, &agent, base, at) <= 2);
    }
    assert_eq!((rounds.counts().answered, rounds.counts().failed, rounds.counts().lost), (0, 0, 9));
    // Nonsense is nobody's.
    assert!(!rounds.received(b"0", peer(), Duration::from_secs(20)));
    let (_, mut protocol) = rounds.into_parts();
    assert_eq!((protocol.discovered(), protocol.identify(b"")), (0, None));
    assert_eq!(protocol.read(0, b"x", Duration::ZERO), Verdict::Stranger);
    assert_eq!(protocol.read(99, b"x", Duration::ZERO), Verdict::Stranger);
}

#[test]
fn a_request_that_fits_into_no_datagram_is_refused() {
    let names = vec![Oid::from([1, 3, 6, 1, 4, 1, 8072, 1, 2, 3]); 5000];
    let pdu = Pdu::read(PduKind::Get, 0, &names);
    let made = UserRead::new(user(b"maplesyrup"), pdu, 1, 0, Instant::now());
    assert!(matches!(made, Err(PollError::TooLong { .. })));
}
