//! TLS over real sockets: which peers are accepted, how refusals are reported, and each limit.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::secure;

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use secure::{Echo, PATIENCE, World, client, faults, identity, localhost, name, trusting};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;
use trunkline_pki::{Issued, LeafOptions, Role};
use trunkline_transport::tcp::{
    Ends, FrameError, Greeter, HandshakeError, Messages, TcpCounters, TcpCounts, TcpLimits, TcpServer,
};
use trunkline_transport::tls::{
    ClientStream, HashAlgorithm, ServerIdentity, Suites, TlsClientConfig, TlsGreeter, TlsServer,
    TlsServerConfig, TlsVersion, Trust, Versions,
};
use trunkline_transport::{
    Closing, Guest, Proof, Protection, SessionInfo, Transport, TransportError, Visit, dial,
};

const BOTH: [TlsVersion; 2] = [TlsVersion::V1_2, TlsVersion::V1_3];

/// A message is its length in four octets, then its octets.
fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok(octets.first_chunk().map(|length| u32::from_be_bytes(*length) as usize + 4))
}

fn message(octets: &[u8]) -> Vec<u8> {
    let mut message = u32::try_from(octets.len()).unwrap().to_be_bytes().to_vec();
    message.extend_from_slice(octets);
    message
}

async fn receive(stream: &mut ClientStream) -> std::io::Result<Vec<u8>> {
    let length = stream.read_u32().await?;
    let mut octets = vec![0; length as usize];
    stream.read_exact(&mut octets).await?;
    Ok(octets)
}

async fn ask(stream: &mut ClientStream, octets: &[u8]) -> std::io::Result<Vec<u8>> {
    stream.write_all(&message(octets)).await?;
    receive(stream).await
}

/// Performs TLS handshakes, and reports why each failed.
struct Telling(TlsGreeter, mpsc::UnboundedSender<String>);

impl Greeter for Telling {
    fn transport(&self) -> Transport {
        Transport::Tls
    }

    async fn greet(&self, stream: TcpStream, ends: Ends, visit: Visit) -> Result<Guest, HandshakeError> {
        let greeted = self.0.greet(stream, ends, visit).await;
        if let Err(error) = &greeted {
            self.1.send(error.to_string()).unwrap();
        }
        greeted
    }

    fn failed(&self, peer: SocketAddr, error: &HandshakeError) {
        self.0.failed(peer, error);
    }

    fn closing(&self) -> Closing {
        self.0.closing()
    }
}

struct Served {
    address: SocketAddr,
    tls: Arc<TlsServer>,
    echo: Arc<Echo>,
    failures: mpsc::UnboundedReceiver<String>,
    counters: Arc<TcpCounters>,
}

impl Served {
    fn by(config: &TlsServerConfig) -> Self {
        Self::within(config, TcpLimits::default())
    }

    fn within(config: &TlsServerConfig, limits: TcpLimits) -> Self {
        let tls = Arc::new(TlsServer::new(config).unwrap());
        let server = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, counters) = (server.local_addr(), server.counters());
        let (tell, failures) = mpsc::unbounded_channel();
        let echo = Arc::new(Echo::default());
        let greeter = TlsGreeter::new(Arc::clone(&tls), Messages::new(Arc::clone(&echo), frame));
        tokio::spawn(server.serve(Telling(greeter, tell), limits));
        Self { address, tls, echo, failures, counters }
    }

    async fn dial(
        &self,
        config: &TlsClientConfig,
        asked: &ServerIdentity,
    ) -> Result<(ClientStream, SessionInfo), TransportError> {
        dial::tls(&[self.address], &client(config), asked, PATIENCE).await
    }

    /// Waits until the counts are as expected; nothing else shows that the server has noticed something.
    async fn until(&self, asked: impl Fn(&TcpCounts) -> bool) {
        let seen = async {
            while !asked(&self.counters.read()) {
                tokio::task::yield_now().await;
            }
        };
        let seen = tokio::time::timeout(PATIENCE, seen).await;
        assert!(seen.is_ok(), "{:?}", self.counters.read());
    }
}

fn chain(info: &SessionInfo) -> Vec<Vec<u8>> {
    match &info.proof {
        Proof::Certificates(chain) => chain.to_vec(),
        other => panic!("{other:?}"),
    }
}

#[tokio::test]
async fn both_ends_authenticate_in_both_versions() {
    let world = World::new();
    let served = Served::by(&world.server());
    let authority = world.authority.certificate().der().to_vec();
    for version in BOTH {
        let config = TlsClientConfig { versions: Versions::only(version), ..world.client() };
        let (mut stream, info) = served.dial(&config, &localhost()).await.unwrap();
        assert_eq!(ask(&mut stream, b"hello").await.unwrap(), b"hello");
        assert_eq!(stream.version(), Some(version));
        assert_eq!((info.transport, info.protection), (Transport::Tls, Protection::Encrypted));
        assert_eq!(chain(&info), [world.agent.certificate().der().to_vec(), authority.clone()]);
        let manager = world.manager.certificate().der().to_vec();
        assert_eq!(served.echo.last_proof(), [manager, authority.clone()]);
    }
}

#[tokio::test]
async fn each_fault_of_a_certificate_has_its_error_at_both_ends() {
    let world = World::new();
    for version in BOTH {
        for fault in faults(&world) {
            let mut served = Served::by(&fault.server);
            let config = TlsClientConfig { versions: Versions::only(version), ..fault.client };
            let words = match served.dial(&config, &fault.asked).await {
                Err(error) => error.to_string(),
                // TLS 1.3 reports it only then.
                Ok((mut stream, _)) => ask(&mut stream, b"hello").await.unwrap_err().to_string(),
            };
            assert!(words.contains(fault.client_says), "{} in {version:?}: {words}", fault.what);
            let words = served.failures.recv().await.unwrap();
            assert!(words.contains(fault.server_says), "{} in {version:?}: {words}", fault.what);
            assert!(served.echo.opened.lock().unwrap().is_empty(), "{}", fault.what);
        }
    }
}

#[tokio::test]
async fn ends_without_an_authority_authenticate_by_fingerprints() {
    let own = |role, who| Issued::self_signed(role, &name(who), &LeafOptions::default()).unwrap();
    let (agent, manager) = (own(Role::Agent, "localhost"), own(Role::Manager, "ann"));
    for algorithm in HashAlgorithm::ALL {
        let (agent, manager) = (identity(&agent), identity(&manager));
        let trust = Trust::builder().pin(manager.fingerprint(algorithm)).build();
        let served = Served::by(&TlsServerConfig::new(Arc::clone(&agent), trust.into()));
        let asked = ServerIdentity::Fingerprint(agent.fingerprint(algorithm));
        let nobody = Trust::builder().build().into();
        let config = TlsClientConfig::new(Some(Arc::clone(&manager)), nobody);
        let (mut stream, info) = served.dial(&config, &asked).await.unwrap();
        assert_eq!(ask(&mut stream, b"hello").await.unwrap(), b"hello");
        assert_eq!(chain(&info), [agent.certificates().next().unwrap()]);
        assert_eq!(served.echo.last_proof(), [manager.certificates().next().unwrap()]);
    }
}

#[tokio::test]
async fn sessions_are_resumed_until_the_server_changes() {
    let world = World::new();
    for version in BOTH {
        let mut served = Served::by(&world.server());
        let config = TlsClientConfig { versions: Versions::only(version), ..world.client() };
        let client = client(&config);
        let dial = || dial::tls(std::slice::from_ref(&served.address), &client, &HERE, PATIENCE);
        for resumed in [false, true, true] {
            let (mut stream, info) = dial().await.unwrap();
            assert_eq!(stream.is_resumed(), resumed, "{version:?}");
            assert_eq!(ask(&mut stream, b"hello").await.unwrap(), b"hello");
            assert_eq!(chain(&info).len(), 2);
            assert_eq!(served.echo.last_proof()[0], world.manager.certificate().der());
        }
        // The same again, but all sessions are forgotten.
        served.tls.reconfigure(&world.server()).unwrap();
        let (mut stream, _) = dial().await.unwrap();
        assert!(!stream.is_resumed());
        ask(&mut stream, b"hello").await.unwrap();
        // A revoked client cannot resume an earlier session.
        let trust = world.revoking(&world.manager);
        served.tls.reconfigure(&TlsServerConfig { trust, ..world.server() }).unwrap();
        if let Ok((mut stream, _)) = dial().await {
            ask(&mut stream, b"hello").await.unwrap_err();
        }
        assert!(served.failures.recv().await.unwrap().contains("it is revoked"));
        // Its open session has ended.
        ask(&mut stream, b"still").await.unwrap_err();
        // Those of others stay.
        let trust = world.revoking(&world.agent);
        served.tls.reconfigure(&world.server()).unwrap();
        let (mut stream, _) = dial().await.unwrap();
        served.tls.reconfigure(&TlsServerConfig { trust, ..world.server() }).unwrap();
        assert_eq!(ask(&mut stream, b"still").await.unwrap(), b"still");
    }
}

#[tokio::test]
async fn the_suite_that_is_quickest_to_resume_comes_first() {
    let world = World::new();
    let served = Served::by(&world.server());
    for (version, suite) in
        BOTH.into_iter().zip(["TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "TLS13_AES_128_GCM_SHA256"])
    {
        let config = TlsClientConfig { versions: Versions::only(version), ..world.client() };
        let (stream, _) = served.dial(&config, &localhost()).await.unwrap();
        assert_eq!(stream.suite().as_deref(), Some(suite));
    }
}

static HERE: std::sync::LazyLock<ServerIdentity> = std::sync::LazyLock::new(localhost);

#[tokio::test]
async fn a_session_with_another_client_or_server_is_not_resumed() {
    let world = World::new();
    let served = Served::by(&world.server());
    let client = client(&world.client());
    let addresses = [served.address];
    let (mut stream, _) = dial::tls(&addresses, &client, &localhost(), PATIENCE).await.unwrap();
    ask(&mut stream, b"hello").await.unwrap();
    let by_fingerprint =
        ServerIdentity::Fingerprint(identity(&world.agent).fingerprint(HashAlgorithm::Sha256));
    let (stream, _) = dial::tls(&addresses, &client, &by_fingerprint, PATIENCE).await.unwrap();
    assert!(!stream.is_resumed(), "it was checked in another way");
    let other = ServerIdentity::Fingerprint(identity(&world.manager).fingerprint(HashAlgorithm::Sha256));
    let error = dial::tls(&addresses, &client, &other, PATIENCE).await.err().unwrap().to_string();
    assert!(error.contains("is expected"), "{error}");
}

#[tokio::test]
async fn nothing_is_accepted_before_the_handshake_is_over() {
    let world = World::new();
    let served = Served::by(&world.server());
    // A client that would send early data, if the server allowed it.
    let mut roots = rustls::RootCertStore::empty();
    roots.add(world.authority.certificate().der().to_vec().into()).unwrap();
    let chain = world.manager.chain_der().into_iter().map(Into::into).collect();
    let key = rustls::pki_types::PrivateKeyDer::try_from(world.manager.key_der().to_vec()).unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(chain, key)
        .unwrap();
    config.enable_early_data = true;
    let config = Arc::new(config);
    let host = || rustls::pki_types::ServerName::try_from("localhost").unwrap();
    let connector = tokio_rustls::TlsConnector::from(Arc::clone(&config));
    let stream = TcpStream::connect(served.address).await.unwrap();
    let mut stream = connector.connect(host(), stream).await.unwrap();
    stream.write_all(&message(b"hello")).await.unwrap();
    let mut answer = [0; 9];
    stream.read_exact(&mut answer).await.unwrap();
    let mut next = rustls::ClientConnection::new(config, host()).unwrap();
    assert!(next.early_data().is_none(), "the server's ticket allows early data");
    // The ticket itself is valid.
    let mut hello = Vec::new();
    next.write_tls(&mut hello).unwrap();
    assert!(hello.len() > 300, "no ticket in a hello of {} octets", hello.len());
}

#[tokio::test]
async fn half_open_handshakes_give_way_to_new_ones() {
    let world = World::new();
    // A quarter of them may come from one address.
    let limits = TcpLimits { max_handshakes: 8, ..TcpLimits::default() };
    let served = Served::within(&world.server(), limits);
    let mut silent = Vec::new();
    for _ in 0..3 {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(&[22, 3, 1]).await.unwrap();
        silent.push(stream);
    }
    assert_eq!(silent[0].read(&mut [0; 10]).await.unwrap_or(0), 0);
    served.until(|counts| counts.gave_way == 1 && counts.open == 2).await;
    let (mut stream, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(ask(&mut stream, b"hello").await.unwrap(), b"hello");
    served.until(|counts| counts.gave_way == 2 && counts.open == 2).await;
    drop((silent, stream));
    served.until(|counts| counts.open == 0 && counts.failed_handshakes == 1).await;
}

#[tokio::test]
async fn a_session_that_says_nothing_ends_soon() {
    let world = World::new();
    let limits = TcpLimits { first_message: Duration::from_millis(50), ..TcpLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (mut silent, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(silent.read(&mut [0; 10]).await.unwrap(), 0);
    served.until(|counts| counts.idle_closed == 1).await;
}

#[tokio::test]
async fn a_slow_handshake_ends() {
    let limits = TcpLimits { handshake_time: Duration::from_millis(50), ..TcpLimits::default() };
    let served = Served::within(&World::new().server(), limits);
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    // The beginning of a ClientHello, and no more.
    stream.write_all(&[22, 3, 1, 2, 0, 1, 0]).await.unwrap();
    assert_eq!(stream.read(&mut [0; 10]).await.unwrap_or(0), 0);
    served.until(|counts| counts.slow_handshakes == 1 && counts.open == 0).await;
}

#[tokio::test]
async fn a_giant_frame_ends_its_session_with_a_farewell() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (mut stream, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let (mut other, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    stream.write_all(&100_000_000u32.to_be_bytes()).await.unwrap();
    assert_eq!(stream.read(&mut [0; 10]).await.unwrap(), 0);
    served.until(|counts| counts.too_long == 1).await;
    assert_eq!(ask(&mut other, b"hello").await.unwrap(), b"hello");
}

#[tokio::test]
async fn a_connection_cut_in_a_message_loses_no_other_request() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (mut cut, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let (mut other, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    other.write_all(&message(b"before")).await.unwrap();
    cut.write_all(&message(b"half a message")[..9]).await.unwrap();
    served.until(|counts| counts.received_octets == 10 + 9).await;
    drop(cut);
    // The kernel resets the connection if something was left unread (a ticket).
    served.until(|counts| counts.cut_short + counts.io_errors == 1).await;
    assert_eq!(receive(&mut other).await.unwrap(), b"before");
    assert_eq!(ask(&mut other, b"after").await.unwrap(), b"after");
}

#[tokio::test]
async fn an_idle_session_ends_with_a_farewell() {
    let world = World::new();
    let limits = TcpLimits { idle: Duration::from_millis(50), ..TcpLimits::default() };
    let served = Served::within(&world.server(), limits);
    let (mut stream, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    assert_eq!(stream.read(&mut [0; 10]).await.unwrap(), 0);
    served.until(|counts| counts.idle_closed == 1).await;
}

#[tokio::test]
async fn long_answers_come_whole_however_late_they_are_read() {
    let world = World::new();
    let served = Served::by(&world.server());
    let (stream, _) = served.dial(&world.client(), &localhost()).await.unwrap();
    let (mut from, mut to) = tokio::io::split(stream);
    let long: Vec<u8> = (0..60_000u32).map(|at| at.to_le_bytes()[0]).collect();
    let sent = message(&long);
    let writing = tokio::spawn(async move {
        for _ in 0..200 {
            to.write_all(&sent).await.unwrap();
        }
        to.flush().await.unwrap();
        to
    });
    // Neither end can continue once all buffers between them are full.
    served.until(|counts| counts.sent > 3).await;
    for _ in 0..200 {
        let mut answer = vec![0; 60_004];
        from.read_exact(&mut answer).await.unwrap();
        assert!(answer[4..] == long);
    }
    writing.await.unwrap();
}

#[tokio::test]
async fn peers_without_tls_are_reported() {
    let world = World::new();
    let mut served = Served::by(&world.server());
    let mut plain = TcpStream::connect(served.address).await.unwrap();
    plain.write_all(b"0\x26\x02\x01\x01\x04\x06public").await.unwrap();
    assert_eq!(served.failures.recv().await.unwrap(), "what the peer sends is not TLS");
    // The other way round: a server of SNMP over TCP closes, another one answers.
    for (answer, words) in [("", "without a word"), ("0123456789", "is not TLS")] {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut hello = [0; 2_000];
            let _ = stream.read(&mut hello).await.unwrap();
            stream.write_all(answer.as_bytes()).await.unwrap();
            stream.shutdown().await.unwrap();
        });
        let error = dial::tls(&[address], &client(&world.client()), &localhost(), PATIENCE).await;
        let error = error.err().unwrap().to_string();
        assert!(error.contains(words), "{error}");
        assert!(error.contains(&format!("tls://{address}")), "{error}");
    }
}

#[tokio::test]
async fn a_silent_server_times_out() {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let client = client(&World::new().client());
    let error = dial::tls(&[address], &client, &localhost(), Duration::from_millis(50)).await;
    let error = error.err().unwrap().to_string();
    assert!(error.contains("the handshake took too long"), "{error}");
}

#[tokio::test]
async fn without_a_common_version_both_ends_report_it() {
    let world = World::new();
    for [server, theirs] in [[TlsVersion::V1_2, TlsVersion::V1_3], [TlsVersion::V1_3, TlsVersion::V1_2]] {
        let config = TlsServerConfig { versions: Versions::only(server), ..world.server() };
        let mut served = Served::by(&config);
        let config = TlsClientConfig { versions: Versions::only(theirs), ..world.client() };
        let error = served.dial(&config, &localhost()).await.err().unwrap().to_string();
        let words = "offers no version of TLS that is allowed here: 1.2 or newer";
        assert!(error.contains(words), "{error}");
        let error = served.failures.recv().await.unwrap();
        assert!(error.contains(words), "{error}");
    }
}

#[tokio::test]
async fn suites_without_encryption_are_accepted_only_on_request() {
    let world = World::new();
    let versions = Versions::only(TlsVersion::V1_2);
    let suites = Suites::IntegrityOnly;
    let mut served = Served::by(&TlsServerConfig { versions, suites, ..world.server() });
    let config = TlsClientConfig { versions, suites, ..world.client() };
    let (mut stream, info) = served.dial(&config, &localhost()).await.unwrap();
    let long = vec![7; 40_000];
    assert_eq!(ask(&mut stream, &long).await.unwrap(), long);
    assert_eq!(stream.suite().as_deref(), Some("TLS_ECDHE_ECDSA_WITH_NULL_SHA"));
    assert_eq!(info.protection, Protection::Integrity);
    assert_eq!(served.echo.opened.lock().unwrap()[0].protection, Protection::Integrity);
    let error = served.dial(&world.client(), &localhost()).await.err().unwrap().to_string();
    assert!(error.contains("accepts nothing of what we offer"), "{error}");
    assert!(served.failures.recv().await.unwrap().contains("no cipher suite"));
}

#[tokio::test]
async fn an_authority_in_the_middle_is_in_the_chain() {
    let world = World::new();
    // The agent presents itself and its authority; the manager trusts only the authority: nothing appears twice.
    let served = Served::by(&world.server());
    let trust = trusting(&world.authority).build().into();
    let config = TlsClientConfig { trust, ..world.client() };
    let (_, info) = served.dial(&config, &localhost()).await.unwrap();
    assert_eq!(chain(&info).len(), 2);
}
