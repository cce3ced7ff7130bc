//! DTLS over real sockets: which peers are accepted, how refusals are reported, what the network may do to
//! datagrams, and each limit.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::secure;

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use secure::{Echo, PATIENCE, World, client, faults, identity, localhost};
use tokio::net::UdpSocket;
use trunkline_pki::{KeyKind, LeafOptions};
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::dtls::{
    ContentKind, DtlsConfig, DtlsCounters, DtlsCounts, DtlsLimits, DtlsServer, FirstRecord,
};
use trunkline_transport::tls::{ServerIdentity, Suites, TlsClientConfig, TlsServerConfig};
use trunkline_transport::{Proof, Protection, SessionInfo, Transport, TransportError, dial};

struct Served {
    address: SocketAddr,
    config: Arc<DtlsConfig>,
    echo: Arc<Echo>,
    counters: Arc<DtlsCounters>,
}

impl Served {
    fn by(config: &TlsServerConfig) -> Self {
        Self::within(config, DtlsLimits::default())
    }

    fn within(config: &TlsServerConfig, limits: DtlsLimits) -> Self {
        let config = Arc::new(DtlsConfig::new(config).unwrap());
        let server = DtlsServer::bind("127.0.0.1:0".parse().unwrap(), Arc::clone(&config), limits).unwrap();
        let (address, counters) = (server.local_addr(), server.counters());
        let echo = Arc::new(Echo::default());
        tokio::spawn(server.serve(Arc::clone(&echo)));
        Self { address, config, echo, counters }
    }

    async fn dial(
        &self,
        config: &TlsClientConfig,
        asked: &ServerIdentity,
    ) -> Result<(DatagramLink, SessionInfo), TransportError> {
        dial::dtls(&[self.address], &client(config), asked, PATIENCE).await
    }

    /// Waits until the counts are as expected; nothing else shows that the server has noticed something.
    async fn until(&self, asked: impl Fn(&DtlsCounts) -> bool) {
        let seen = async {
            while !asked(&self.counters.read()) {
                tokio::task::yield_now().await;
            }
        };
        let seen = tokio::time::timeout(PATIENCE, seen).await;
        assert!(seen.is_ok(), "{:?}", self.counters.read());
    }
}

async fn ask(link: &DatagramLink, octets: &[u8]) -> std::io::Result<Vec<u8>> {
    link.send(octets).await?;
    let mut answer = Vec::new();
    tokio::time::timeout(PATIENCE, link.recv(&mut answer)).await??;
    Ok(answer)
}

fn chain(info: &SessionInfo) -> Vec<Vec<u8>> {
    match &info.proof {
        Proof::Certificates(chain) => chain.to_vec(),
        other => panic!("{other:?}"),
    }
}

/// A datagram in the relay: whether it comes from the client, its number in that direction, and its octets.
type Seen = (bool, usize, Vec<u8>);

/// Carries datagrams between one client and the server. `copies` returns how many copies of each are forwarded.
async fn relay(
    server: SocketAddr,
    copies: impl Fn(&Seen) -> usize + Send + 'static,
) -> (SocketAddr, Arc<Mutex<Vec<Seen>>>) {
    let (outside, inside) =
        (UdpSocket::bind("127.0.0.1:0").await.unwrap(), UdpSocket::bind("127.0.0.1:0").await.unwrap());
    inside.connect(server).await.unwrap();
    let address = outside.local_addr().unwrap();
    let all = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&all);
    tokio::spawn(async move {
        let (mut client, mut numbers) = (None, [0, 0]);
        let (mut out, mut back) = (vec![0; 65_535], vec![0; 65_535]);
        loop {
            let (from_client, octets) = tokio::select! {
                Ok((octets, peer)) = outside.recv_from(&mut out) => {
                    client = Some(peer);
                    (true, out[..octets].to_vec())
                }
                Ok(octets) = inside.recv(&mut back) => (false, back[..octets].to_vec()),
            };
            let number = &mut numbers[usize::from(from_client)];
            let datagram = (from_client, *number, octets);
            *number += 1;
            for _ in 0..copies(&datagram) {
                match client {
                    Some(client) if !from_client => drop(outside.send_to(&datagram.2, client).await),
                    _ => drop(inside.send(&datagram.2).await),
                }
            }
            seen.lock().unwrap().push(datagram);
        }
    });
    (address, all)
}

#[tokio::test]
async fn both_ends_authenticate_with_every_kind_of_key() {
    let authority = secure::authority("Test CA");
    for key in [KeyKind::EcdsaP256, KeyKind::EcdsaP384, KeyKind::Rsa2048] {
        let options = LeafOptions { key, ..LeafOptions::default() };
        let agent = authority.agent(&secure::name("localhost"), &options).unwrap();
        let manager = authority.manager(&secure::name("ann"), &options).unwrap();
        let trust = || Arc::new(secure::trusting(&authority).build());
        let served = Served::by(&TlsServerConfig::new(identity(&agent), trust()));
        let config = TlsClientConfig::new(Some(identity(&manager)), trust());
        let (link, info) = served.dial(&config, &localhost()).await.unwrap();
        for octets in [1, 484, 1_400, 16_384] {
            let message = vec![b'x'; octets];
            assert_eq!(ask(&link, &message).await.unwrap(), message);
        }
        assert_eq!((info.transport, info.protection), (Transport::Dtls, Protection::Encrypted));
        assert_eq!(info.max_message(), 16_384);
        let top = authority.certificate().der().to_vec();
        assert_eq!(chain(&info), [agent.certificate().der().to_vec(), top.clone()]);
        assert_eq!(served.echo.last_proof(), [manager.certificate().der().to_vec(), top]);
        let error = link.send(&[0; 16_385]).await.unwrap_err();
        assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_peers_connect_at_the_same_time() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (client, address) = (Arc::new(client(&world.client())), served.address);
    let all: Vec<_> = (0..24u8)
        .map(|number| {
            let client = Arc::clone(&client);
            tokio::spawn(async move {
                let (link, _) = dial::dtls(&[address], &client, &localhost(), PATIENCE).await.unwrap();
                assert_eq!(ask(&link, &[number]).await.unwrap(), [number]);
            })
        })
        .collect();
    for one in all {
        one.await.unwrap();
    }
}

#[tokio::test]
async fn each_fault_of_a_certificate_has_its_error() {
    for fault in faults(&World::new()) {
        let served = Served::by(&fault.server);
        let error = served.dial(&fault.client, &fault.asked).await.err().unwrap().to_string();
        assert!(error.contains(fault.client_says), "{}: {error}", fault.what);
        served.until(|counts| counts.failed_handshakes == 1 && counts.open == 0).await;
        assert!(served.echo.opened.lock().unwrap().is_empty(), "{}", fault.what);
    }
}

#[tokio::test]
async fn nothing_is_stored_about_a_peer_without_a_cookie() {
    let world = World::new();
    let served = Served::by(&world.server());
    // A ClientHello is taken from a real client, and sent from many addresses.
    let catcher = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let (address, client) = (catcher.local_addr().unwrap(), client(&world.client()));
    let dialling = tokio::spawn(async move {
        let _ = dial::dtls(&[address], &client, &localhost(), PATIENCE).await;
    });
    let mut hello = vec![0; 2_000];
    let octets = catcher.recv(&mut hello).await.unwrap();
    hello.truncate(octets);
    dialling.abort();
    for _ in 0..100 {
        let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
        socket.send_to(&hello, served.address).await.unwrap();
        let mut answer = [0; 2_000];
        let octets = socket.recv(&mut answer).await.unwrap();
        // Less than was sent, so that we cannot be used to amplify a flood; and a request for the cookie.
        assert!(octets < hello.len(), "{octets}");
        assert_eq!(answer[13], 3, "a HelloVerifyRequest");
    }
    let counts = served.counters.read();
    assert_eq!((counts.without_cookie, counts.handshakes, counts.open), (100, 0, 0), "{counts:?}");
}

#[tokio::test]
async fn a_cookie_is_valid_for_its_own_address_only() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (relayed, seen) = relay(served.address, |_| 1).await;
    dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    let with_cookie = seen.lock().unwrap().iter().find(|it| it.0 && it.1 == 1).unwrap().2.clone();
    assert!(FirstRecord::of(&with_cookie).unwrap().hello.is_some());
    let before = served.counters.read();
    let socket = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    socket.send_to(&with_cookie, served.address).await.unwrap();
    served.until(|counts| counts.without_cookie == before.without_cookie + 1).await;
    assert_eq!(served.counters.read().handshakes, 1);
}

#[tokio::test]
async fn repeated_changed_and_foreign_datagrams_are_dropped_and_counted() {
    let world = World::new();
    let served = Served::by(&world.server());
    // From the client's messages on each datagram arrives three times.
    let message = |datagram: &[u8]| FirstRecord::of(datagram).unwrap().content == ContentKind::Message;
    let (relayed, seen) = relay(served.address, move |it| if it.0 && message(&it.2) { 3 } else { 1 }).await;
    let (link, _) = dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    assert_eq!(ask(&link, b"once").await.unwrap(), b"once");
    served.until(|counts| counts.empty == 2).await;
    assert_eq!(served.counters.read().received, 1);
    // From an address without a session, or malformed.
    let strays = served.counters.read().strays;
    let stranger = UdpSocket::bind("127.0.0.1:0").await.unwrap();
    let recorded = seen.lock().unwrap().iter().find(|it| it.0 && message(&it.2)).unwrap().2.clone();
    for junk in [&recorded[..], &recorded[..10], b"0\x26\x02\x01\x01", b"", &[0xff; 1_500]] {
        stranger.send_to(junk, served.address).await.unwrap();
    }
    served.until(|counts| counts.strays == strays + 5).await;
    assert_eq!(ask(&link, b"still").await.unwrap(), b"still");
}

#[tokio::test]
async fn a_message_that_was_changed_is_dropped() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (relayed, seen) = relay(served.address, |_| 1).await;
    let (link, _) = dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    assert_eq!(ask(&link, b"hello").await.unwrap(), b"hello");
    // The next number under the right keys, from the right address: only the octets are wrong.
    let mut forged = seen.lock().unwrap().iter().rfind(|it| it.0).unwrap().2.clone();
    forged[10] += 1;
    UdpSocket::bind("127.0.0.1:0").await.unwrap().send_to(&forged, relayed).await.unwrap();
    served.until(|counts| counts.empty == 1).await;
    assert_eq!(served.counters.read().received, 1);
}

#[tokio::test]
async fn any_lost_datagram_of_a_handshake_is_sent_again() {
    let world = World::new();
    let served = Served::by(&world.server());
    let client = Arc::new(client(&world.client()));
    let mut sessions = tokio::task::JoinSet::new();
    for lost in 0..12 {
        let (from_client, number) = (lost % 2 == 0, lost / 2);
        let (relayed, seen) =
            relay(served.address, move |it| usize::from((it.0, it.1) != (from_client, number))).await;
        let client = Arc::clone(&client);
        sessions.spawn(async move {
            let (link, _) = dial::dtls(&[relayed], &client, &localhost(), PATIENCE).await.unwrap();
            // The lost datagram may be a message or its answer: only its sender repeats that.
            let soon = Duration::from_millis(500);
            let answer = match tokio::time::timeout(soon, ask(&link, b"hello")).await {
                Ok(answer) => answer.unwrap(),
                Err(_) => ask(&link, b"hello").await.unwrap(),
            };
            assert_eq!(answer, b"hello");
            let seen = seen.lock().unwrap();
            seen.iter().any(|it| (it.0, it.1) == (from_client, number))
        });
    }
    let reached = sessions.join_all().await.into_iter().filter(|reached| *reached).count();
    assert!(reached >= 8, "only {reached} handshakes had as many datagrams");
}

#[tokio::test]
async fn no_datagram_of_a_handshake_is_longer_than_allowed() {
    let world = World::new();
    let limits = DtlsLimits { mtu: 600, ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (relayed, seen) = relay(served.address, |it| usize::from(it.2.len() <= 1_200)).await;
    let (link, _) = dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    assert_eq!(ask(&link, b"hello").await.unwrap(), b"hello");
    let seen = seen.lock().unwrap();
    let longest =
        |from_client| seen.iter().filter(|it| it.0 == from_client).map(|it| it.2.len()).max().unwrap();
    assert!((301..=600).contains(&longest(false)), "{}", longest(false));
    assert!((301..=1_200).contains(&longest(true)), "{}", longest(true));
}

#[tokio::test]
async fn answers_come_from_the_requested_address() {
    let world = World::new();
    let config = Arc::new(DtlsConfig::new(&world.server()).unwrap());
    let server = DtlsServer::bind("0.0.0.0:0".parse().unwrap(), config, DtlsLimits::default()).unwrap();
    let port = server.local_addr().port();
    let echo = Arc::new(Echo::default());
    tokio::spawn(server.serve(Arc::clone(&echo)));
    for last in [2, 3] {
        let address = SocketAddr::from(([127, 0, 0, last], port));
        let (link, _) =
            dial::dtls(&[address], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
        assert_eq!(ask(&link, b"hello").await.unwrap(), b"hello");
        assert_eq!(echo.opened.lock().unwrap().last().unwrap().local, address);
    }
}

#[tokio::test]
async fn an_idle_session_ends_with_a_farewell() {
    let world = World::new();
    let limits = DtlsLimits { idle: Duration::from_millis(50), ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (link, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let ended = tokio::time::timeout(PATIENCE, link.recv(&mut Vec::new())).await.unwrap().unwrap_err();
    assert_eq!(ended.kind(), std::io::ErrorKind::UnexpectedEof);
    served.until(|counts| counts.idle_closed == 1 && counts.open == 0).await;
}

#[tokio::test]
async fn a_client_that_leaves_sends_close_notify() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (link, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    served.until(|counts| counts.open == 1).await;
    drop(link);
    served.until(|counts| counts.open == 0).await;
}

#[tokio::test]
async fn a_new_handshake_replaces_the_old_session_only_when_authenticated() {
    let world = World::new();
    let served = Served::by(&world.server());
    // Both clients reach the server from the relay's one address.
    let (relayed, seen) = relay(served.address, |_| 1).await;
    let (old, _) = dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    assert_eq!(ask(&old, b"old").await.unwrap(), b"old");
    // A peer without a certificate is refused.
    let nobody = TlsClientConfig { identity: None, ..world.client() };
    dial::dtls(&[relayed], &client(&nobody), &localhost(), PATIENCE).await.err().unwrap();
    served.until(|counts| counts.failed_handshakes == 1 && counts.open == 1).await;
    assert_eq!(ask(&old, b"old").await.unwrap(), b"old");
    let (new, _) = dial::dtls(&[relayed], &client(&world.client()), &localhost(), PATIENCE).await.unwrap();
    assert_eq!(ask(&new, b"new").await.unwrap(), b"new");
    served.until(|counts| counts.open == 1).await;
    assert!(!seen.lock().unwrap().is_empty());
}

/// Tries to get a session, until the counts are as expected.
async fn turned_away(served: &Served, world: &World, asked: impl Fn(&DtlsCounts) -> bool) {
    let (client, address) = (client(&world.client()), served.address);
    let dialling =
        tokio::spawn(async move { dial::dtls(&[address], &client, &localhost(), PATIENCE).await.is_ok() });
    served.until(asked).await;
    dialling.abort();
    assert!(dialling.await.is_err(), "it came in");
}

#[tokio::test]
async fn sessions_are_bounded() {
    let world = World::new();
    let limits = DtlsLimits { max_sessions: 2, ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (first, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(ask(&first, b"hello").await.unwrap(), b"hello");
    let (_silent, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    // A session that has sent nothing gives way.
    let (second, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(ask(&second, b"hello").await.unwrap(), b"hello");
    served.until(|counts| counts.gave_way == 1 && counts.open == 2).await;
    turned_away(&served, &world, |counts| counts.refused_total > 0).await;
    assert_eq!(ask(&first, b"hello").await.unwrap(), b"hello");
    let limits = DtlsLimits { max_per_peer: 1, ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (_first, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    turned_away(&served, &world, |counts| counts.refused_per_peer > 0).await;
}

#[tokio::test]
async fn a_half_open_handshake_gives_way_to_a_new_one() {
    let world = World::new();
    let limits = DtlsLimits { max_handshakes: 1, ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    // After its cookie nothing from the client gets through.
    let (relayed, _) = relay(served.address, |it| usize::from(!it.0 || it.1 < 2)).await;
    let half = client(&world.client());
    let dialling =
        tokio::spawn(async move { dial::dtls(&[relayed], &half, &localhost(), PATIENCE).await.is_ok() });
    served.until(|counts| counts.open == 1).await;
    let (link, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(ask(&link, b"hello").await.unwrap(), b"hello");
    served.until(|counts| counts.gave_way == 1 && counts.open == 1).await;
    dialling.abort();
}

#[tokio::test]
async fn half_open_handshakes_end() {
    let world = World::new();
    let limits = DtlsLimits { handshake_time: Duration::from_millis(200), ..DtlsLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (relayed, _) = relay(served.address, |it| usize::from(!it.0 || it.1 < 2)).await;
    let half = client(&world.client());
    let dialling =
        tokio::spawn(async move { dial::dtls(&[relayed], &half, &localhost(), PATIENCE).await.is_ok() });
    served.until(|counts| counts.slow_handshakes == 1 && counts.open == 0).await;
    dialling.abort();
}

#[tokio::test]
async fn a_new_configuration_is_for_new_sessions_and_those_that_it_still_accepts() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (old, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let trust = world.revoking(&world.manager);
    served.config.reconfigure(&TlsServerConfig { trust, ..world.server() }).unwrap();
    let error = served.dial(&world.client(), &localhost()).await.err().unwrap().to_string();
    assert!(error.contains("our certificate is revoked"), "{error}");
    // The open session has ended as well.
    assert!(ask(&old, b"still").await.is_err());
    served.config.reconfigure(&world.server()).unwrap();
    let (old, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let trust = world.revoking(&world.agent);
    served.config.reconfigure(&TlsServerConfig { trust, ..world.server() }).unwrap();
    assert_eq!(ask(&old, b"still").await.unwrap(), b"still");
}

#[tokio::test]
async fn suites_without_encryption_are_accepted_only_on_request() {
    let world = World::new();
    let suites = Suites::IntegrityOnly;
    let served = Served::by(&TlsServerConfig { suites, ..world.server() });
    let (link, info) =
        served.dial(&TlsClientConfig { suites, ..world.client() }, &localhost()).await.unwrap();
    assert_eq!(ask(&link, b"hello").await.unwrap(), b"hello");
    assert_eq!(info.protection, Protection::Integrity);
    let error = served.dial(&world.client(), &localhost()).await.err().unwrap().to_string();
    assert!(error.contains("accepts nothing of what we offer"), "{error}");
}

#[tokio::test]
async fn a_missing_server_is_reported() {
    let gone = UdpSocket::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let client = client(&World::new().client());
    let error = dial::dtls(&[gone], &client, &localhost(), PATIENCE).await.err().unwrap().to_string();
    assert!(error.contains(&format!("dtls://{gone}")), "{error}");
}
