//! Sessions as a user of SNMPv3 with an in-memory engine of ours, on virtual time: a bad path, restarts in the
//! middle, and an attacker on the path.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::common;

use std::collections::BTreeMap;
use std::time::Duration;

use common::{answer, serve, table};
use tokio::time::Instant;
use trunkline_client::{
    Credentials, Error, Repetitions, Secret, SessionOptions, SnmpSession, UsmCredentials, WalkOptions, walk,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers, Incoming};
use trunkline_snmp::usm::{AuthProtocol, EngineBoots, EngineClock, EngineId, PrivProtocol, UserTable};
use trunkline_snmp::wire::{MAX_MESSAGE_SIZE, Message, Pdu, PduKind, VarBind, Version};
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::memory::{Faults, MemoryEndpoint, pair};

fn ann() -> UsmCredentials {
    let ann = UsmCredentials::new(b"ann").unwrap();
    let ann = ann.with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup")).unwrap();
    ann.with_privacy(PrivProtocol::Aes128, Secret::password(b"maplesyrup")).unwrap()
}

/// An agent of a few instances behind an engine.
struct Agent {
    tree: BTreeMap<Oid, Value>,
    engine: Engine,
    user: UsmCredentials,
    boots: EngineBoots,
    counters: Counters,
}

impl Agent {
    fn new(tree: BTreeMap<Oid, Value>) -> Self {
        let (user, boots) = (ann(), EngineBoots::default().next());
        Agent { tree, engine: engine(boots, &user), user, boots, counters: Counters::default() }
    }

    fn restart(&mut self) {
        self.boots = self.boots.next();
        self.engine = engine(self.boots, &self.user);
    }

    fn answer(&self, octets: &[u8]) -> Vec<Vec<u8>> {
        let (mut plain, mut out) = (Vec::new(), Vec::new());
        let now = Instant::now().into_std();
        match self.engine.receive(octets, &mut plain, &mut out, now, None, |_| None, &self.counters) {
            Incoming::Request(request) => {
                let pdu = request.pdu.to_pdu().unwrap();
                let community = b"public".to_vec();
                let asked = Message { version: Version::V2c, community, pdu }.encode();
                let pdu = Pdu { kind: PduKind::Response, ..answer(&self.tree, &asked).pdu };
                let mut buf = Vec::new();
                let message = request.reply().header.encode(&pdu, MAX_MESSAGE_SIZE, &mut buf).unwrap();
                vec![buf[message].to_vec()]
            }
            Incoming::Report { reply, .. } => vec![out[reply].to_vec()],
            Incoming::TrapV1(_) | Incoming::Drop(_) => Vec::new(),
        }
    }
}

fn engine(boots: EngineBoots, user: &UsmCredentials) -> Engine {
    let id = EngineId::generate(8072, *b"twelveoctets");
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(boots, Instant::now().into_std()),
        max_size: 65_507,
        handlers: Handlers::RESPONDER,
        remote_engines: 1,
        entropy: 3,
    });
    let mut users = UserTable::new();
    users.insert(user.user_at(&id).unwrap());
    engine.set_users(users);
    engine
}

fn wire(to_agent: Faults, from_agent: Faults, options: SessionOptions) -> (SnmpSession, MemoryEndpoint) {
    let (ours, theirs) = pair(to_agent, from_agent);
    (SnmpSession::over_datagrams(DatagramLink::Memory(ours), Credentials::from(ann()), options), theirs)
}

fn expected(tree: &BTreeMap<Oid, Value>) -> Vec<VarBind> {
    tree.iter().map(|(name, value)| VarBind::new(name.clone(), value.clone())).collect()
}

fn root() -> Oid {
    Oid::from([1, 3, 6, 1, 2, 1])
}

#[tokio::test(start_paused = true)]
async fn a_bad_path_costs_time_and_nothing_else() {
    for seed in 0..5 {
        let tree = table(10, 60);
        let faults = |seed| {
            let mut random = fastrand::Rng::with_seed(seed);
            Faults {
                drop: 0.15,
                duplicate: 0.1,
                reorder: 0.2,
                delay: Duration::from_millis(20),
                jitter: Duration::from_millis(5),
                ..Faults::seeded(move || random.f64())
            }
        };
        let options = SessionOptions::default().with_retries(20);
        let (session, end) = wire(faults(seed), faults(seed + 100), options);
        let agent = Agent::new(tree.clone());
        serve(end, move |request| agent.answer(request));
        let options = WalkOptions::default().with_repetitions(Repetitions::Fixed(7));
        let found = walk(&session, root(), options).collect().await.unwrap();
        assert_eq!(found, expected(&tree), "seed {seed}");
        let counts = session.counts();
        assert_eq!((counts.malformed, counts.lies), (0, 0), "seed {seed}");
    }
}

/// The agent restarts again and again: nothing is lost, and messages from before a restart are not accepted after
/// it.
#[tokio::test(start_paused = true)]
async fn restarts_in_the_middle_of_a_walk() {
    let tree = table(6, 50);
    let (session, end) = wire(Faults::none(), Faults::none(), SessionOptions::default());
    let mut agent = Agent::new(tree.clone());
    let mut asked = 0;
    serve(end, move |request| {
        asked += 1;
        if asked % 10 == 0 {
            agent.restart();
        }
        agent.answer(request)
    });
    let options = WalkOptions::default().with_repetitions(Repetitions::Fixed(5));
    let found = walk(&session, root(), options).collect().await.unwrap();
    assert_eq!(found, expected(&tree));
    let counts = session.counts();
    assert!(counts.reports > 3, "{counts:?}");
    assert_eq!(counts.timeouts, 0, "{counts:?}");
}

/// An attacker on the path sends a changed copy before each answer and an old answer after it.
#[tokio::test(start_paused = true)]
async fn a_stranger_on_the_path_changes_nothing() {
    let tree = table(3, 40);
    let (session, end) = wire(Faults::none(), Faults::none(), SessionOptions::default());
    let agent = Agent::new(tree.clone());
    let mut old: Vec<u8> = Vec::new();
    let mut count = 0;
    serve(end, move |request| {
        let mut messages = Vec::new();
        for answer in agent.answer(request) {
            // Not of the discovery: a change to it cannot be detected.
            count += 1;
            if count > 1 {
                let mut changed = answer.clone();
                let at = changed.len() - 1 - count % 40;
                changed[at] ^= 0x10;
                messages.extend([changed, old.clone()]);
            }
            old.clone_from(&answer);
            messages.push(answer.clone());
            messages.push(answer);
        }
        messages
    });
    let options = WalkOptions::default().with_repetitions(Repetitions::Fixed(5));
    let found = walk(&session, root(), options).collect().await.unwrap();
    assert_eq!(found, expected(&tree));
    let counts = session.counts();
    assert_eq!((counts.timeouts, counts.lies), (0, 0), "{counts:?}");
    assert!(counts.foreign > 10 && counts.unmatched > 10, "{counts:?}");
}

/// RFC 5343: any agent answers for the local engine, whatever its ID.
#[tokio::test(start_paused = true)]
async fn an_unknown_engine_id_is_discovered() {
    let name = Oid::from([1, 3, 6, 1, 6, 3, 10, 2, 1, 1, 0]);
    let id = EngineId::generate(8072, *b"twelveoctets");
    for context in [None, Some(EngineId::LOCAL), Some(id)] {
        let agent = Agent::new([(name.clone(), Value::OctetString(id.as_bytes().to_vec()))].into());
        let (ours, theirs) = pair(Faults::none(), Faults::none());
        let mut credentials = ann();
        credentials.context_engine_id = context;
        let link = DatagramLink::Memory(ours);
        let session = SnmpSession::over_datagrams(link, credentials.into(), SessionOptions::default());
        serve(theirs, move |request| agent.answer(request));
        assert_eq!(session.engine_id().await.unwrap(), id, "{context:?}");
    }
    let (session, end) = wire(Faults::none(), Faults::none(), SessionOptions::default());
    let agent = Agent::new(table(1, 1));
    serve(end, move |request| agent.answer(request));
    assert!(matches!(session.engine_id().await, Err(Error::NoEngineId)));
}

#[tokio::test(start_paused = true)]
async fn silence_ends_the_discovery_for_all_waiting_requests() {
    let (session, end) = wire(Faults::none(), Faults::none(), SessionOptions::default());
    serve(end, |_| Vec::new());
    let names = [root()];
    let (first, second) = tokio::join!(session.get(&names), session.next(&names));
    for answer in [first, second] {
        assert!(matches!(answer, Err(Error::Timeout { attempts: 6, .. })), "{answer:?}");
    }
    assert_eq!(session.counts().sent, 6, "discoveries alone");
}
