//! What happens to requests when their connection breaks, idles or falls silent, on virtual time.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::common;

use std::time::Duration;

use common::{answer, oid, read_request, streams, table};
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::sync::mpsc::unbounded_channel;
use tokio::task::JoinHandle;
use tokio::time::{Instant, sleep, timeout};
use trunkline_client::{
    Connected, Connector, Credentials, Error, Response, SessionOptions, SnmpSession, TsmCredentials,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::wire::{Message, PduKind, VarBind};

async fn serve_one(stream: &mut DuplexStream) -> Message {
    let request = read_request(stream).await;
    stream.write_all(&answer(&table(1, 10), &request).encode()).await.unwrap();
    Message::decode(&request).unwrap()
}

fn name() -> Oid {
    oid("1.3.6.1.2.1.2.2.1.1.7")
}

fn ask(session: &SnmpSession) -> JoinHandle<Result<Response, Error>> {
    let session = session.clone();
    tokio::spawn(async move { session.get(&[name()]).await })
}

#[tokio::test(start_paused = true)]
async fn reads_are_repeated_on_a_new_connection() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let asked = ask(&session);
    let mut first = far_ends.recv().await.unwrap();
    let before = Message::decode(&read_request(&mut first).await).unwrap();
    drop(first);
    let mut second = far_ends.recv().await.unwrap();
    let again = serve_one(&mut second).await;
    assert_eq!(again.pdu.request_id, before.pdu.request_id);
    assert_eq!(asked.await.unwrap().unwrap().attempts, 2);
    let counts = session.counts();
    assert_eq!((counts.connections, counts.connections_lost, counts.repeated), (2, 1, 1));
}

#[tokio::test(start_paused = true)]
async fn a_connection_cut_in_the_middle_of_an_answer_loses_no_request() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let asked: Vec<_> = (0..5).map(|_| ask(&session)).collect();
    let mut first = far_ends.recv().await.unwrap();
    let mut requests = Vec::new();
    for _ in 0..5 {
        requests.push(read_request(&mut first).await);
    }
    let whole = answer(&table(1, 10), &requests[0]).encode();
    let part = answer(&table(1, 10), &requests[1]).encode();
    first.write_all(&[&whole, &part[..part.len() - 1]].concat()).await.unwrap();
    drop(first);
    let mut second = far_ends.recv().await.unwrap();
    for _ in 0..4 {
        serve_one(&mut second).await;
    }
    for asked in asked {
        assert!(asked.await.unwrap().is_ok());
    }
    assert_eq!(session.counts().repeated, 4);
}

#[tokio::test(start_paused = true)]
async fn an_agent_that_breaks_every_connection_is_given_up() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let asked = ask(&session);
    for _ in 0..2 {
        read_request(&mut far_ends.recv().await.unwrap()).await;
    }
    assert!(matches!(asked.await.unwrap(), Err(Error::ConnectionLost { kind: None })));
    assert!(far_ends.try_recv().is_err(), "nobody asks any more");
}

#[tokio::test(start_paused = true)]
async fn the_reason_names_an_answer_that_is_cut_each_time() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let asked = ask(&session);
    for _ in 0..2 {
        let mut stream = far_ends.recv().await.unwrap();
        let request = read_request(&mut stream).await;
        let whole = answer(&table(1, 10), &request).encode();
        stream.write_all(&whole[..whole.len() - 1]).await.unwrap();
    }
    let error = asked.await.unwrap().unwrap_err();
    assert!(error.to_string().contains("(its answer was cut)"), "{error}");
}

#[tokio::test(start_paused = true)]
async fn a_set_is_not_repeated_and_its_outcome_is_unknown() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let (setter, getter) = (session.clone(), ask(&session));
    let set = tokio::spawn(async move { setter.set(&[VarBind::new(name(), Value::Integer(1))]).await });
    let mut first = far_ends.recv().await.unwrap();
    read_request(&mut first).await;
    read_request(&mut first).await;
    drop(first);
    let error = set.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::OutcomeUnknown { .. }), "{error}");
    assert!(error.to_string().contains("is not known"), "{error}");
    let mut second = far_ends.recv().await.unwrap();
    assert_eq!(serve_one(&mut second).await.pdu.kind, PduKind::Get);
    assert!(getter.await.unwrap().is_ok());
    drop(session);
    assert_eq!(second.read_to_end(&mut Vec::new()).await.unwrap(), 0, "the Set came again");
}

#[tokio::test(start_paused = true)]
async fn an_inform_is_repeated_with_its_own_id() {
    let (session, mut far_ends) = streams(SessionOptions::default());
    let notification = Notification { uptime: 1, trap_oid: name(), bindings: Vec::new() };
    let informed = tokio::spawn(async move { session.inform(&notification).await });
    let before = read_request(&mut far_ends.recv().await.unwrap()).await;
    let again = read_request(&mut far_ends.recv().await.unwrap()).await;
    assert_eq!(before, again);
    assert!(informed.await.unwrap().is_err());
}

#[tokio::test(start_paused = true)]
async fn a_dead_peer_is_dropped_after_two_time_outs_in_a_row() {
    let (session, mut far_ends) = streams(SessionOptions::default().with_retries(1));
    let mut first = {
        let asked = ask(&session);
        let mut stream = far_ends.recv().await.unwrap();
        serve_one(&mut stream).await;
        asked.await.unwrap().unwrap();
        stream
    };
    // One time-out, then an answer: it is slow, not dead.
    assert!(matches!(session.get(&[name()]).await, Err(Error::Timeout { attempts: 1, .. })));
    read_request(&mut first).await;
    let asked = ask(&session);
    serve_one(&mut first).await;
    asked.await.unwrap().unwrap();
    assert!(matches!(session.get(&[name()]).await, Err(Error::Timeout { .. })));
    assert_eq!(session.counts().dead_peers, 0);
    // The second in a row: the other requests under way move to the next connection.
    let second = ask(&session);
    sleep(Duration::from_millis(1500)).await;
    let third = ask(&session);
    assert!(matches!(second.await.unwrap(), Err(Error::Timeout { .. })));
    serve_one(&mut far_ends.recv().await.unwrap()).await;
    assert_eq!(third.await.unwrap().unwrap().attempts, 2);
    let counts = session.counts();
    assert_eq!((counts.dead_peers, counts.connections), (1, 2));
}

#[tokio::test(start_paused = true)]
async fn an_idle_connection_is_closed_and_the_next_request_makes_another() {
    let idle = Duration::from_secs(60);
    let (session, mut far_ends) = streams(SessionOptions::default().with_idle(Some(idle)));
    for round in 1..=2 {
        let asked = ask(&session);
        let mut stream = far_ends.recv().await.unwrap();
        serve_one(&mut stream).await;
        asked.await.unwrap().unwrap();
        let begin = Instant::now();
        assert_eq!(stream.read_to_end(&mut Vec::new()).await.unwrap(), 0);
        assert_eq!(begin.elapsed().as_secs(), 60);
        let counts = session.counts();
        assert_eq!((counts.idle_closed, counts.connections, counts.connections_lost), (round, round, 0));
    }
}

#[tokio::test(start_paused = true)]
async fn a_request_under_way_does_not_idle() {
    let options = SessionOptions::default().with_idle(Some(Duration::from_secs(1)));
    let (session, mut far_ends) = streams(options);
    let asked = ask(&session);
    let mut stream = far_ends.recv().await.unwrap();
    let request = read_request(&mut stream).await;
    sleep(Duration::from_secs(4)).await;
    stream.write_all(&answer(&table(1, 10), &request).encode()).await.unwrap();
    assert!(asked.await.unwrap().is_ok());
}

#[tokio::test(start_paused = true)]
async fn the_time_of_repeated_requests_runs_while_a_connection_is_made() {
    let (opened, mut far_ends) = unbounded_channel();
    let connector: Connector = Box::new(move || {
        let (ours, theirs) = duplex(1024);
        let is_first = opened.send(theirs).is_ok();
        let time = if is_first { Duration::ZERO } else { Duration::from_secs(1000) };
        Box::pin(async move {
            sleep(time).await;
            Ok(Connected::plain(ours))
        })
    });
    let session =
        SnmpSession::over_streams(None, connector, common::credentials(), SessionOptions::default());
    let asked = ask(&session);
    let mut first: DuplexStream = far_ends.recv().await.unwrap();
    read_request(&mut first).await;
    drop(far_ends);
    drop(first);
    let ended = timeout(Duration::from_secs(7), asked).await.unwrap().unwrap();
    assert!(matches!(ended, Err(Error::Timeout { .. })), "{ended:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_protects_too_little_carries_nothing() {
    let (opened, mut far_ends) = unbounded_channel();
    let connector: Connector = Box::new(move || {
        let (ours, theirs) = duplex(1024);
        let _ = opened.send(theirs);
        let connected = Connected { level: SecurityLevel::AuthNoPriv, ..Connected::plain(ours) };
        Box::pin(async move { Ok(connected) })
    });
    let credentials = Credentials::from(TsmCredentials::default());
    let session = SnmpSession::over_streams(None, connector, credentials, SessionOptions::default());
    let error = session.get(&[name()]).await.unwrap_err();
    assert_eq!(error.to_string(), "the connection provides authNoPriv, but authPriv is requested");
    let mut stream: DuplexStream = far_ends.recv().await.unwrap();
    assert_eq!(stream.read_to_end(&mut Vec::new()).await.unwrap(), 0);
}
