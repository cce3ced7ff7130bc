//! Sessions with in-memory agents, on virtual time: faults of the path, wrong answers of the agent, streams that
//! break.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::common;

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use common::{answer, oid, read_request, serve, streams, table, wire};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use trunkline_client::{
    Error, Observer, SessionOptions, SnmpSession, Target, Transport, WalkOptions, table as fetch_table, walk,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Message, VarBind};
use trunkline_transport::memory::Faults;

fn options() -> SessionOptions {
    SessionOptions::default()
}

fn chance(seed: u64) -> impl FnMut() -> f64 + Send + 'static {
    let mut random = fastrand::Rng::with_seed(seed);
    move || random.f64()
}

fn name() -> Oid {
    oid("1.3.6.1.2.1.2.2.1.1.7")
}

#[tokio::test(start_paused = true)]
async fn each_operation_gets_its_answer() {
    let tree = table(3, 10);
    let (session, end) = wire(Faults::none(), Faults::none(), options());
    serve(end, move |request| vec![answer(&tree, request).encode()]);
    let got = session.get(&[name()]).await.unwrap();
    assert_eq!(got.bindings, [VarBind::new(name(), Value::Integer(7))]);
    let next = session.next(&[name(), oid("1.3.6.1.2.1.2.2.1.1.10")]).await.unwrap();
    assert_eq!(next.bindings[1].name, oid("1.3.6.1.2.1.2.2.1.2.1"));
    let bulk = session.bulk(0, 12, &[name()]).await.unwrap();
    assert_eq!(bulk.bindings.len(), 12);
    let wanted = [VarBind::new(name(), Value::Integer(1))];
    assert_eq!(session.set(&wanted).await.unwrap().bindings, wanted);
    let counts = session.counts();
    assert_eq!((counts.sent, counts.received, counts.lies), (4, 4, 0));
}

#[tokio::test(start_paused = true)]
async fn a_bad_path_costs_time_and_nothing_else() {
    for seed in 0..10 {
        let tree = table(10, 60);
        let faults = |seed| Faults {
            drop: 0.15,
            duplicate: 0.1,
            reorder: 0.2,
            delay: Duration::from_millis(20),
            jitter: Duration::from_millis(10),
            ..Faults::seeded(chance(seed))
        };
        let (session, end) = wire(faults(seed), faults(seed + 100), options());
        let wanted: Vec<Oid> = tree.keys().cloned().collect();
        serve(end, move |request| vec![answer(&tree, request).encode()]);
        let found = walk(&session, oid("1.3.6.1.2.1.2.2"), WalkOptions::default()).collect().await.unwrap();
        assert!(found.into_iter().map(|binding| binding.name).eq(wanted), "seed {seed}");
        let one = session.get(&[name()]).await.unwrap();
        assert_eq!(one.bindings[0].value, Bound::Value(Value::Integer(7)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_path_that_loses_fragments_is_walked_in_single_packets() {
    let tree = table(22, 300);
    let from_agent = Faults { max_datagram: 1472, ..Faults::none() };
    let (session, end) = wire(Faults::none(), from_agent, options());
    serve(end, move |request| vec![answer(&tree, request).encode()]);
    let start = tokio::time::Instant::now();
    let found = walk(&session, oid("1.3.6.1.2.1.2.2"), WalkOptions::default()).collect().await.unwrap();
    assert_eq!(found.len(), 6600);
    assert!(start.elapsed() < Duration::from_secs(4), "{:?}", start.elapsed());
}

#[tokio::test(start_paused = true)]
async fn many_requests_share_the_window() {
    let tree = table(1, 100);
    let (session, end) = wire(Faults::none(), Faults::none(), options().with_window(4));
    let under_way = Arc::new(AtomicU32::new(0));
    let most = Arc::clone(&under_way);
    // Answers only once four have arrived: fewer would wait for ever, more are counted.
    let mut held: Vec<Vec<u8>> = Vec::new();
    serve(end, move |request| {
        held.push(answer(&tree, request).encode());
        most.fetch_max(held.len() as u32, Ordering::Relaxed);
        if held.len() == 4 { std::mem::take(&mut held) } else { Vec::new() }
    });
    let requests: Vec<_> = (0..20)
        .map(|_| {
            let session = session.clone();
            tokio::spawn(async move { session.get(&[name()]).await.unwrap().attempts })
        })
        .collect();
    for request in requests {
        assert_eq!(request.await.unwrap(), 1);
    }
    assert_eq!(under_way.load(Ordering::Relaxed), 4);
}

/// How an agent falsifies its right answer.
type Lie = fn(Message) -> Vec<Vec<u8>>;

async fn lied_to(lie: Lie) -> (Result<trunkline_client::Response, Error>, SnmpSession) {
    let tree = table(3, 10);
    let (session, end) = wire(Faults::none(), Faults::none(), options().with_retries(1));
    serve(end, move |request| lie(answer(&tree, request)));
    (session.get(&[name()]).await, session)
}

#[tokio::test(start_paused = true)]
async fn stray_messages_are_ignored_and_counted() {
    let strangers: Lie = |right| {
        let mut other_id = right.clone();
        other_id.pdu.request_id = right.pdu.request_id.wrapping_add(1);
        let other_community = Message { community: b"other".to_vec(), ..right.clone() };
        let right = right.encode();
        vec![
            Vec::new(),
            vec![0x30, 0x84, 0xff, 0xff, 0xff, 0xff],
            vec![0xff; 60_000],
            right[..right.len() - 1].to_vec(),
            other_id.encode(),
            other_community.encode(),
            right.clone(),
            right,
        ]
    };
    let (answer, session) = lied_to(strangers).await;
    assert_eq!(answer.unwrap().attempts, 1);
    // By the third answer everything before it was processed.
    session.get(&[name()]).await.unwrap();
    session.get(&[name()]).await.unwrap();
    let counts = session.counts();
    assert_eq!((counts.malformed, counts.foreign), (12, 3), "{counts:?}");
    assert!(counts.unmatched >= 5, "{counts:?}");
}

#[tokio::test(start_paused = true)]
async fn wrong_answers_are_specific_errors() {
    let (answer, session) = lied_to(|mut right| {
        right.pdu.bindings.clear();
        vec![right.encode()]
    })
    .await;
    assert!(matches!(answer, Err(Error::BindingCount { expected: 1, found: 0 })), "{answer:?}");
    assert_eq!(session.counts().lies, 1);
    let (answer, _) = lied_to(|mut right| {
        right.pdu.bindings[0].name = oid("1.3.6.1.9");
        vec![right.encode()]
    })
    .await;
    assert!(matches!(answer, Err(Error::WrongName { position: 1, .. })), "{answer:?}");
    let (answer, _) = lied_to(|_| vec![vec![0x30; 2000]; 50]).await;
    assert!(matches!(answer, Err(Error::Timeout { attempts: 2, ignored: 100, .. })), "{answer:?}");
}

#[tokio::test(start_paused = true)]
async fn silence_is_reported_with_attempts_and_time() {
    let (session, _end) = wire(Faults::none(), Faults::none(), options().with_retries(3));
    let start = tokio::time::Instant::now();
    let error = session.get(&[name()]).await.unwrap_err();
    assert_eq!(error.to_string(), "no answer after 4 attempts in 4.0s");
    assert_eq!(start.elapsed().as_secs(), 4);
    assert_eq!((session.counts().timeouts, session.counts().sent), (1, 4));
}

#[tokio::test(start_paused = true)]
async fn a_looping_agent_is_stopped() {
    let (session, end) = wire(Faults::none(), Faults::none(), options());
    let tree = table(1, 5);
    serve(end, move |request| {
        let mut right = answer(&tree, request);
        right.pdu.bindings.iter_mut().for_each(|binding| binding.name = name());
        vec![right.encode()]
    });
    let error = walk(&session, oid("1.3.6.1.2.1"), WalkOptions::default()).collect().await.unwrap_err();
    assert!(matches!(error, Error::NotIncreasing { .. }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn the_observer_sees_every_octet() {
    #[derive(Default)]
    struct Seen(Mutex<Vec<(bool, usize)>>);
    impl Observer for Seen {
        fn sent(&self, octets: &[u8], _: Instant) {
            self.0.lock().unwrap().push((true, octets.len()));
        }
        fn received(&self, octets: &[u8], _: Instant) {
            self.0.lock().unwrap().push((false, octets.len()));
        }
    }
    let (session, end) = wire(Faults::none(), Faults::none(), options());
    let tree = table(1, 10);
    serve(end, move |request| vec![answer(&tree, request).encode()]);
    let seen = Arc::new(Seen::default());
    session.observe(Arc::clone(&seen) as Arc<dyn Observer>);
    let got = session.get(&[name()]).await.unwrap();
    assert_eq!(*seen.0.lock().unwrap(), [(true, got.request_octets), (false, got.response_octets)]);
}

#[tokio::test(start_paused = true)]
async fn a_table_has_rows_and_holes() {
    let mut tree = table(4, 6);
    tree.remove(&oid("1.3.6.1.2.1.2.2.1.3.4"));
    let (session, end) = wire(Faults::none(), Faults::none(), options());
    serve(end, move |request| vec![answer(&tree, request).encode()]);
    let columns = [2, 3].map(|column| oid("1.3.6.1.2.1.2.2.1").child(&[column]));
    let found = fetch_table(&session, &columns, WalkOptions::default()).await.unwrap();
    assert_eq!(found.rows.len(), 6);
    assert_eq!(found.cell(&[4], 0), Some(&Bound::Value(Value::Integer(4))));
    assert_eq!((found.cell(&[4], 1), found.cell(&[5], 1).is_some()), (None, true));
}

#[tokio::test(start_paused = true)]
async fn answers_on_a_stream_come_in_any_order_and_in_pieces() {
    let tree = table(1, 10);
    let (session, mut far_ends) = streams(options());
    let requests: Vec<_> = (1..=3)
        .map(|row| {
            let (session, name) = (session.clone(), oid("1.3.6.1.2.1.2.2.1.1").child(&[row]));
            tokio::spawn(async move { session.get(&[name]).await.unwrap().bindings[0].value.clone() })
        })
        .collect();
    let mut stream = far_ends.recv().await.unwrap();
    let mut answers = Vec::new();
    for _ in 0..3 {
        answers.push(answer(&tree, &read_request(&mut stream).await).encode());
    }
    for octet in answers.into_iter().rev().flatten() {
        stream.write_all(&[octet]).await.unwrap();
    }
    for (request, row) in requests.into_iter().zip(1..) {
        assert_eq!(request.await.unwrap(), Bound::Value(Value::Integer(row)));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_over_a_stream_is_sent_once_and_awaited() {
    let (session, mut far_ends) = streams(options().with_retries(2));
    let asked = tokio::spawn(async move { session.get(&[name()]).await });
    let mut stream = far_ends.recv().await.unwrap();
    read_request(&mut stream).await;
    let start = tokio::time::Instant::now();
    assert!(matches!(asked.await.unwrap(), Err(Error::Timeout { attempts: 1, .. })));
    assert_eq!(start.elapsed().as_secs(), 3);
    let mut rest = Vec::new();
    stream.read_to_end(&mut rest).await.unwrap();
    assert!(rest.is_empty(), "sent again");
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_garbage_ends_the_connection() {
    for (garbage, named) in [(&b"HTTP/1.1 400 Bad"[..], "0x48"), (&[0x30, 0x84, 0, 1, 0, 0], "65542")] {
        let (session, mut far_ends) = streams(options());
        let asked = tokio::spawn(async move { session.get(&[name()]).await });
        let mut stream = far_ends.recv().await.unwrap();
        read_request(&mut stream).await;
        stream.write_all(garbage).await.unwrap();
        let error = asked.await.unwrap().unwrap_err();
        assert!(matches!(error, Error::Framing(_)) && error.to_string().contains(named), "{error}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_stream_of_strange_messages_alone_ends_the_connection() {
    let (session, mut far_ends) = streams(options());
    let asked = tokio::spawn(async move { session.get(&[name()]).await });
    let mut stream = far_ends.recv().await.unwrap();
    let mut stranger = answer(&table(1, 10), &read_request(&mut stream).await);
    stranger.pdu.request_id = stranger.pdu.request_id.wrapping_add(1);
    let stranger = stranger.encode();
    while stream.write_all(&stranger).await.is_ok() {}
    let error = asked.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::OnlyStrays { count: 10_000 }), "{error}");
}

#[tokio::test(start_paused = true)]
async fn an_endless_stream_of_strange_messages_does_not_keep_a_request_alive() {
    let (session, mut far_ends) = streams(options().with_retries(0));
    let asked = tokio::spawn(async move { session.get(&[name()]).await });
    let mut stream = far_ends.recv().await.unwrap();
    let stranger = answer(&table(1, 10), &read_request(&mut stream).await);
    let mut id = stranger.pdu.request_id;
    let flood = tokio::spawn(async move {
        loop {
            id = id.wrapping_add(1);
            let mut stranger = stranger.clone();
            stranger.pdu.request_id = id;
            if stream.write_all(&stranger.encode()).await.is_err() {
                return;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    });
    let error = asked.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Timeout { ignored, .. } if ignored > 100), "{error}");
    flood.await.unwrap();
}

#[tokio::test]
async fn a_closed_port_is_distinguished_from_silence() {
    // A port that was free a moment ago.
    let free = std::net::UdpSocket::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let target: Target = free.to_string().parse().unwrap();
    let options = options().with_timeout(Duration::from_millis(50));
    let session = SnmpSession::open(&target, options).await.unwrap();
    let error = session.get(&[name()]).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { .. }), "{error}");
    let tcp: Target = format!("tcp:{free}").parse().unwrap();
    let Err(error) = SnmpSession::open(&tcp, options).await else { panic!("connected") };
    assert!(error.to_string().starts_with("cannot reach tcp://127.0.0.1:"), "{error}");
}

#[tokio::test]
async fn a_missing_transport_is_reported_with_its_feature() {
    for transport in Transport::ALL.into_iter().filter(|transport| !transport.is_built()) {
        let target = Target::new(transport, "127.0.0.1", 1, common::credentials());
        let Err(error) = SnmpSession::open(&target, options()).await else { panic!("opened") };
        let words = format!(
            "{}:// is not available: this program was built without the feature `{}`",
            transport.name(),
            transport.feature().unwrap()
        );
        assert_eq!(error.to_string(), words);
    }
}

#[tokio::test]
async fn a_host_without_address_is_reported() {
    let target: Target = "udp6:127.0.0.1".parse().unwrap();
    let Err(error) = SnmpSession::open(&target, options()).await else { panic!("opened") };
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
}
