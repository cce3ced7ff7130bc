//! Requests that endure: each failure of the path ends one attempt, and the next one follows, over every
//! transport.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

mod common;
#[allow(dead_code, reason = "its agents are for other tests")]
mod secure_agent;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{COMMUNITY, credentials, oid, read_request, serve};
use secure_agent::Keys;
use tokio::io::{AsyncWriteExt, DuplexStream, copy_bidirectional, duplex};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use trunkline_client::{
    Connected, Connector, Credentials, Endurance, Error, ListenOptions, ListenSecure, ListenUrl, Listener,
    Notifier, Response, SessionOptions, SnmpSession, Target, Transport, TransportError, TsmCredentials,
    Watch,
};
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
use trunkline_snmp::wire::{Message, Pdu, PduKind};
use trunkline_testkit::ClosedPort;
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::memory::{Faults, MemoryEndpoint, pair};
use trunkline_transport::ssh::Identity as SshIdentity;
use trunkline_transport::trace::Observer;

fn options() -> SessionOptions {
    let timeout = Duration::from_secs(1);
    SessionOptions::default().with_timeout(timeout).with_retries(3).with_endurance(Endurance::Retries)
}

fn happened() -> Notification {
    Notification { uptime: 4, trap_oid: oid("1.3.6.1.6.3.1.1.5.3"), bindings: Vec::new() }
}

fn inform(session: &SnmpSession) -> JoinHandle<Result<Response, Error>> {
    let session = session.clone();
    tokio::spawn(async move { session.inform(&happened()).await })
}

/// The Response to an inform.
fn confirmed(octets: &[u8]) -> Vec<u8> {
    let inform = Message::decode(octets).unwrap();
    let pdu = Pdu::new(PduKind::Response, inform.pdu.request_id, inform.pdu.bindings.clone());
    Message { pdu, ..inform }.encode()
}

fn refused() -> Error {
    let source = std::io::ErrorKind::ConnectionRefused.into();
    TransportError::Connect { kind: "tcp", address: ([127, 0, 0, 1], 1).into(), source }.into()
}

fn not_found() -> Error {
    TransportError::Resolve { host: "nms".into(), source: std::io::ErrorKind::NotFound.into() }.into()
}

/// Fails this many times with this error, then returns what `make` makes. Also returns the number of calls.
fn failing(
    times: usize,
    error: fn() -> Error,
    make: impl Fn() -> Connected + Send + Sync + 'static,
) -> (Connector, Arc<AtomicUsize>) {
    let called = Arc::new(AtomicUsize::new(0));
    let count = called.clone();
    let connector: Connector = Box::new(move || {
        let made = if count.fetch_add(1, Ordering::SeqCst) < times { Err(error()) } else { Ok(make()) };
        Box::pin(async move { made })
    });
    (connector, called)
}

/// Streams whose far ends come from the channel.
fn streams(times: usize) -> (Connector, Arc<AtomicUsize>, UnboundedReceiver<DuplexStream>) {
    let (opened, far_ends) = unbounded_channel();
    let (connector, called) = failing(times, refused, move || {
        let (ours, theirs) = duplex(1024);
        let _ = opened.send(theirs);
        Connected::plain(ours)
    });
    (connector, called, far_ends)
}

/// The same for links.
fn links(times: usize) -> (Connector, Arc<AtomicUsize>, UnboundedReceiver<MemoryEndpoint>) {
    let (opened, far_ends) = unbounded_channel();
    let (connector, called) = failing(times, not_found, move || {
        let (ours, theirs) = pair(Faults::none(), Faults::none());
        let _ = opened.send(theirs);
        Connected::datagrams(DatagramLink::Memory(ours))
    });
    (connector, called, far_ends)
}

#[tokio::test(start_paused = true)]
async fn a_refused_connection_is_one_attempt() {
    let (connector, called, mut far_ends) = streams(2);
    let session = SnmpSession::over_streams(None, connector, credentials(), options());
    let begin = Instant::now();
    let informed = inform(&session);
    let mut stream = far_ends.recv().await.unwrap();
    let octets = read_request(&mut stream).await;
    assert_eq!(
        begin.elapsed().as_secs(),
        2,
        "an attempt follows when the time-out of the one before is over"
    );
    stream.write_all(&confirmed(&octets)).await.unwrap();
    assert_eq!(informed.await.unwrap().unwrap().attempts, 3);
    assert_eq!(called.load(Ordering::SeqCst), 3);
}

#[tokio::test(start_paused = true)]
async fn a_name_that_is_found_later_is_reached() {
    let (connector, called, mut far_ends) = links(3);
    let session = SnmpSession::over_links(connector, credentials(), options());
    let begin = Instant::now();
    let informed = inform(&session);
    let _serving = serve(far_ends.recv().await.unwrap(), |request| vec![confirmed(request)]);
    assert_eq!(informed.await.unwrap().unwrap().attempts, 4);
    assert_eq!((begin.elapsed().as_secs(), called.load(Ordering::SeqCst)), (3, 4));
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_is_reported_with_the_number_of_attempts() {
    for retries in [0, 2] {
        let (connector, called, _far_ends) = streams(usize::MAX);
        let session =
            SnmpSession::over_streams(None, connector, credentials(), options().with_retries(retries));
        let error = session.inform(&happened()).await.unwrap_err();
        let attempts = retries + 1;
        assert!(matches!(&error, Error::GivenUp { attempts: found, last } if *found == attempts
            && matches!(**last, Error::Transport(_))));
        let words = if retries == 0 { "(after 1 attempt)" } else { "(after 3 attempts)" };
        assert!(error.to_string().ends_with(words), "{error}");
        assert_eq!(called.load(Ordering::SeqCst), attempts as usize);
    }
}

#[tokio::test(start_paused = true)]
async fn a_broken_connection_is_one_attempt() {
    let (connector, called, mut far_ends) = streams(0);
    let session = SnmpSession::over_streams(None, connector, credentials(), options());
    let informed = inform(&session);
    for _ in 0..3 {
        read_request(&mut far_ends.recv().await.unwrap()).await;
    }
    let mut stream = far_ends.recv().await.unwrap();
    let octets = read_request(&mut stream).await;
    stream.write_all(&confirmed(&octets)).await.unwrap();
    assert_eq!(informed.await.unwrap().unwrap().attempts, 4);
    assert_eq!(called.load(Ordering::SeqCst), 4);
}

#[tokio::test(start_paused = true)]
async fn each_inform_has_its_own_attempts() {
    // At 0, 1, 2 and 3 s for the first, at 2.5 s for the second.
    let (connector, _, mut far_ends) = streams(5);
    let session = SnmpSession::over_streams(None, connector, credentials(), options());
    let first = inform(&session);
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let second = inform(&session);
    assert!(matches!(first.await.unwrap(), Err(Error::GivenUp { attempts: 4, .. })));
    let mut stream = far_ends.recv().await.unwrap();
    let octets = read_request(&mut stream).await;
    stream.write_all(&confirmed(&octets)).await.unwrap();
    assert_eq!(second.await.unwrap().unwrap().attempts, 2);
}

/// In SNMPv3 a failed discovery ends only the requests that waited for it from its beginning.
#[tokio::test(start_paused = true)]
async fn a_request_that_joined_a_discovery_later_continues() {
    let (connector, called, _far_ends) = links(usize::MAX);
    let ann = trunkline_client::UsmCredentials::new(b"ann").unwrap();
    let session = SnmpSession::over_links(connector, ann.into(), options());
    let begin = Instant::now();
    let first = inform(&session);
    tokio::time::sleep(Duration::from_millis(2500)).await;
    let second = inform(&session);
    assert!(matches!(first.await.unwrap(), Err(Error::GivenUp { attempts: 4, .. })));
    assert_eq!(begin.elapsed().as_secs(), 3);
    assert!(matches!(second.await.unwrap(), Err(Error::GivenUp { attempts: 4, .. })));
    assert_eq!((begin.elapsed().as_secs(), called.load(Ordering::SeqCst)), (6, 8));
}

/// Counts datagrams.
#[derive(Default)]
struct Sent(AtomicUsize);

impl Observer for Sent {
    fn sent(&self, _octets: &[u8], _at: std::time::Instant) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn received(&self, _octets: &[u8], _at: std::time::Instant) {}
}

/// A port at which nothing listens until the receiver does. It is held for TCP: otherwise a connection to it may get it as its own
/// port, and be its own peer.
fn held_port() -> (u16, TcpSocket) {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_reuseaddr(true).unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    (socket.local_addr().unwrap().port(), socket)
}

fn target(transport: Transport, port: u16) -> Target {
    Target::new(transport, "127.0.0.1", port, credentials())
}

#[tokio::test]
async fn a_closed_port_does_not_end_an_inform_and_attempts_are_counted_right() {
    let timeout = Duration::from_millis(50);
    let options = options().with_timeout(timeout).with_retries(2);
    let closed = ClosedPort::take();
    let session = SnmpSession::open(&target(Transport::Udp, closed.port()), options).await.unwrap();
    let sent = Arc::new(Sent::default());
    session.observe(sent.clone());
    let error = session.inform(&happened()).await.unwrap_err();
    assert!(matches!(error, Error::Unreachable { attempts: 3 }), "{error}");
    assert_eq!(sent.0.load(Ordering::SeqCst), 3);
    assert_eq!(error.to_string(), "the port is closed (after 3 attempts)");
}

#[tokio::test]
async fn a_request_that_is_sent_once_fails_on_a_closed_port() {
    let timeout = Duration::from_millis(50);
    for endurance in [Endurance::Quick, Endurance::PastRefusals] {
        let options = options().with_timeout(timeout).with_retries(0).with_endurance(endurance);
        let closed = ClosedPort::take();
        let session = SnmpSession::open(&target(Transport::Udp, closed.port()), options).await.unwrap();
        let error = session.get(&[oid("1.3.6.1.2.1.1.3.0")]).await.unwrap_err();
        assert_eq!(error.to_string(), "the port is closed (after 1 attempt)");
    }
}

#[tokio::test]
async fn with_net_snmps_patience_a_closed_port_is_tried_to_the_end() {
    let timeout = Duration::from_millis(50);
    for (endurance, times) in [(Endurance::Quick, 2), (Endurance::PastRefusals, 4)] {
        let options = options().with_timeout(timeout).with_endurance(endurance);
        let closed = ClosedPort::take();
        let session = SnmpSession::open(&target(Transport::Udp, closed.port()), options).await.unwrap();
        let sent = Arc::new(Sent::default());
        session.observe(sent.clone());
        assert!(session.get(&[oid("1.3.6.1.2.1.1.3.0")]).await.is_err());
        assert_eq!(sent.0.load(Ordering::SeqCst), times, "{endurance:?}");
    }
}

/// Reports failed attempts.
struct Failures(UnboundedSender<String>);

impl Watch for Failures {
    fn opens(&self) {}

    fn failed(&self, error: &Error) {
        let _ = self.0.send(error.to_string());
    }
}

fn receiver() -> Arc<Engine> {
    let engine = Engine::new(EngineOptions {
        id: EngineId::generate(8072, *b"the receiver"),
        clock: EngineClock::new(EngineBoots::default().next(), std::time::Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 4,
        entropy: 5,
    });
    engine.set_community_over_transport(true);
    Arc::new(engine)
}

fn listener(transport: Transport, port: u16, keys: &Keys) -> Listener {
    let place: ListenUrl = format!("{}://127.0.0.1:{port}", transport.name()).parse().unwrap();
    let secure = ListenSecure::default()
        .with_tls(Arc::new(keys.server(keys.agent())))
        .with_names(ListenSecure::usual_names(&keys.trust()))
        .with_ssh(Arc::new(keys.ssh_server()));
    let options =
        ListenOptions::default().with_communities(Some(vec![COMMUNITY.to_vec()])).with_secure(secure);
    Listener::bind(&[place], receiver(), options).unwrap()
}

/// The port that a listener of one place has.
fn port_of(listener: &Listener) -> u16 {
    listener.places().next().unwrap().port
}

#[tokio::test]
async fn a_receiver_that_starts_late_is_informed_over_every_transport() {
    let keys = Keys::new();
    for transport in [
        Transport::Udp,
        Transport::Tcp,
        Transport::Tls,
        Transport::Dtls,
        Transport::Ssh,
        Transport::Http,
        Transport::Https,
    ] {
        let (port, _held) = held_port();
        let mut to = target(transport, port).with_secure(Arc::new(keys.manager()));
        if transport.is_secure() {
            to.credentials = Credentials::from(TsmCredentials::default());
        }
        let options = options().with_timeout(Duration::from_millis(100)).with_retries(600);
        let notifier = Notifier::open(&to, Some(receiver()), options).await.unwrap();
        let (failed, mut failures) = unbounded_channel();
        notifier.session().watch(Arc::new(Failures(failed)));
        let informed = tokio::spawn(async move { notifier.inform(&happened()).await });
        let failure = failures.recv().await.unwrap();
        let mut listener = listener(transport, port, &keys);
        let received = listener.next().await.unwrap();
        assert_eq!((received.kind, received.transport), (PduKind::Inform, transport), "{failure}");
        let answer = informed.await.unwrap().unwrap();
        assert!(answer.is_ok(), "{transport:?}: {failure}");
    }
}

/// Counts the attempts that fail.
#[derive(Default)]
struct Failed(AtomicUsize);

impl Watch for Failed {
    fn opens(&self) {}

    fn failed(&self, _error: &Error) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

/// Further attempts would be refused as well. Over TLS 1.3 the server refuses after the session is established.
#[tokio::test]
async fn a_refused_identity_ends_an_inform_at_the_first_attempt() {
    let (keys, others) = (Keys::new(), Keys::of("Others"));
    for transport in [Transport::Tls, Transport::Dtls, Transport::Ssh, Transport::Https] {
        let listener = listener(transport, 0, &keys);
        let port = port_of(&listener);
        // The first does not know the receiver; the receiver does not know the second.
        let strangers = match transport {
            Transport::Ssh => {
                vec![keys.ssh_without_hosts(), keys.ssh_as(SshIdentity::Password("wrong".into()))]
            }
            // HTTP does not say why its server has closed the connection: that is tried again.
            Transport::Https => vec![others.manager()],
            _ => vec![others.manager(), others.manager_who_trusts(&keys)],
        };
        for (number, stranger) in strangers.into_iter().enumerate() {
            let mut to = target(transport, port).with_secure(Arc::new(stranger));
            to.credentials = Credentials::from(TsmCredentials::default());
            let options = options().with_timeout(Duration::from_millis(500));
            let notifier = Notifier::open(&to, Some(receiver()), options).await.unwrap();
            let failed = Arc::new(Failed::default());
            notifier.session().watch(failed.clone());
            for informs in 1..=2 {
                let error = notifier.inform(&happened()).await.unwrap_err();
                assert!(error.is_refusal(), "{transport:?} {number}: {error}");
                // The next inform tries again.
                assert_eq!(failed.0.load(Ordering::SeqCst), informs, "{transport:?} {number}: {error}");
            }
        }
    }
}

/// Keeps the first connection silent, and forwards each later one to `to`. Also returns the number of connections.
async fn silent_first(to: u16) -> (u16, Arc<AtomicUsize>) {
    let door = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let (port, count) = (door.local_addr().unwrap().port(), Arc::new(AtomicUsize::new(0)));
    let counted = count.clone();
    tokio::spawn(async move {
        let mut silent = Vec::new();
        while let Ok((mut near, _)) = door.accept().await {
            if counted.fetch_add(1, Ordering::SeqCst) == 0 {
                silent.push(near);
                continue;
            }
            tokio::spawn(async move {
                let mut far = TcpStream::connect(("127.0.0.1", to)).await.unwrap();
                let _ = copy_bidirectional(&mut near, &mut far).await;
            });
        }
    });
    (port, count)
}

#[tokio::test]
async fn a_handshake_that_stalls_is_one_attempt() {
    let keys = Keys::new();
    for transport in [Transport::Tls, Transport::Ssh, Transport::Https] {
        let mut listener = listener(transport, 0, &keys);
        let (port, connections) = silent_first(port_of(&listener)).await;
        let mut to = target(transport, port).with_secure(Arc::new(keys.manager()));
        to.credentials = Credentials::from(TsmCredentials::default());
        // Less in total than a single handshake may take.
        let options = options().with_timeout(Duration::from_secs(1)).with_retries(3);
        let notifier = Notifier::open(&to, Some(receiver()), options).await.unwrap();
        let mut informed = tokio::spawn(async move { notifier.inform(&happened()).await });
        let received = tokio::select! {
            received = listener.next() => received.unwrap(),
            ended = &mut informed => panic!("{transport:?}: {ended:?}"),
        };
        assert_eq!(received.transport, transport);
        let answer = informed.await.unwrap().unwrap_or_else(|error| panic!("{transport:?}: {error}"));
        assert!(answer.is_ok(), "{transport:?}");
        assert!(connections.load(Ordering::SeqCst) >= 2, "{transport:?}");
    }
}
