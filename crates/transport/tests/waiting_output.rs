//! Answers waiting for peers that do not read: one limit over all listeners, while peers that read continue.
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "helpers of tests")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};
use tokio::net::{TcpSocket, TcpStream};
use tokio::task::JoinSet;
use trunkline_transport::http::{HttpLimits, HttpRequest, HttpResponse, HttpServer, StatusCode};
use trunkline_transport::tcp::{FrameError, Messages, Plain, TcpLimits, TcpServer};
use trunkline_transport::{
    Refused, Reply, Resources, SessionHandler, SessionInfo, StreamService, Transport, Visit,
};

const BUDGET: usize = 2 << 20;
const PATIENCE: Duration = Duration::from_secs(60);

/// Each octet is a message.
fn octet(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    Ok((!octets.is_empty()).then_some(1))
}

async fn much(_: Vec<u8>, _: Arc<SessionInfo>) -> Option<Vec<u8>> {
    Some(vec![7; ANSWER])
}

async fn much_more(_: HttpRequest) -> HttpResponse {
    HttpResponse::new(StatusCode::OK, "text/plain", vec![b'x'; 4 * ANSWER])
}

const ANSWER: usize = 50_000;

fn tcp(resources: &Arc<Resources>) -> SocketAddr {
    let server = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap().sharing(resources.clone());
    let address = server.local_addr();
    let limits = TcpLimits { max_per_peer: 256, ..TcpLimits::default() };
    tokio::spawn(server.serve(Plain::new(Messages::new(Arc::new(much), octet)), limits));
    address
}

fn http(resources: &Arc<Resources>) -> SocketAddr {
    let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap().sharing(resources.clone());
    let address = server.local_addr();
    let limits = HttpLimits { max_per_peer: 256, ..HttpLimits::default() };
    tokio::spawn(server.serve(Arc::new(much_more), limits, None));
    address
}

/// A connection that requests much and can receive little.
async fn glutton(address: SocketAddr, question: &[u8]) -> TcpStream {
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4_096).unwrap();
    let mut stream = socket.connect(address).await.unwrap();
    stream.write_all(question).await.unwrap();
    stream
}

async fn until(mut done: impl FnMut() -> bool) {
    let waiting = async {
        while !done() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it comes to that");
}

#[tokio::test]
async fn peers_that_do_not_read_give_way_and_others_are_served() {
    let resources = Arc::new(Resources::new(BUDGET));
    let (tcp, http) = (tcp(&resources), http(&resources));
    let mut reader = TcpStream::connect(tcp).await.unwrap();
    let mut taken = vec![0; ANSWER];
    let mut gluttons = Vec::new();
    for round in 0..30 {
        gluttons.push(glutton(tcp, &[1; 8]).await);
        gluttons.push(glutton(http, b"GET / HTTP/1.1\r\nHost: here\r\n\r\n").await);
        reader.write_all(&[1]).await.unwrap();
        let read = tokio::time::timeout(PATIENCE, reader.read_exact(&mut taken)).await;
        assert_eq!(read.expect("an answer comes").expect("the reader goes on"), ANSWER);
        assert!(resources.waiting().used() <= BUDGET, "round {round}");
    }
    // Each of them would hold a quarter of a megabyte, and more.
    until(|| resources.waiting().given_way() >= 30).await;
    drop(gluttons);
    until(|| resources.waiting().used() == 0).await;
}

#[tokio::test]
async fn an_answer_above_the_share_of_a_connection_is_refused() {
    let resources = Arc::new(Resources::new(4 * ANSWER));
    let address = http(&resources);
    let mut stream = glutton(address, b"GET / HTTP/1.1\r\nHost: here\r\n\r\n").await;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).await.unwrap();
    let text = String::from_utf8_lossy(&answer);
    assert!(text.starts_with("HTTP/1.1 503 ") && text.contains("retry-after: 1\r\n"), "{text}");
    assert_eq!(resources.waiting().used(), 0);
}

#[tokio::test]
async fn open_streams_of_http_2_count_before_anything_is_answered() {
    let resources = Arc::new(Resources::new(BUDGET));
    let address = http(&resources);
    // GET / of authority a, without the end of the stream: only HEADERS with END_HEADERS.
    let mut opening = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    opening.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    for stream in (1u32..100).step_by(2) {
        opening.extend([0, 0, 6, 1, 4]);
        opening.extend(stream.to_be_bytes());
        opening.extend([0x82, 0x86, 0x84, 0x41, 0x01, b'a']);
    }
    let mut open = Vec::new();
    for _ in 0..20 {
        open.push(glutton(address, &opening).await);
        assert!(resources.waiting().used() <= BUDGET);
    }
    // 1,000 streams take several times the limit.
    until(|| resources.waiting().given_way() > 0).await;
    drop(open);
    until(|| resources.waiting().used() == 0).await;
}

/// What all sessions hold of answers made for them, and its maximum so far.
#[derive(Default)]
struct Held {
    now: AtomicUsize,
    most: AtomicUsize,
}

#[derive(Default)]
struct Holding {
    held: Arc<Held>,
    own: AtomicUsize,
}

impl Drop for Holding {
    fn drop(&mut self) {
        self.held.now.fetch_sub(self.own.load(Relaxed), Relaxed);
    }
}

struct Answering(Arc<Held>);

impl SessionHandler for Answering {
    type Session = Holding;

    fn open(&self, _: &SessionInfo) -> Result<Arc<Holding>, Refused> {
        Ok(Arc::new(Holding { held: self.0.clone(), own: AtomicUsize::new(0) }))
    }

    async fn handle(&self, _: Vec<u8>, session: &Arc<Holding>) -> Reply {
        session.own.fetch_add(SMALL, Relaxed);
        let now = self.0.now.fetch_add(SMALL, Relaxed) + SMALL;
        self.0.most.fetch_max(now, Relaxed);
        Reply::Send(vec![7; SMALL])
    }
}

const SMALL: usize = 1_000;

#[tokio::test]
async fn answers_held_for_many_greedy_peers_stay_limited() {
    const MANY: usize = 100;
    let held = Arc::<Held>::default();
    let resources = Arc::new(Resources::new(BUDGET));
    let here = "127.0.0.1:1".parse().unwrap();
    let info = SessionInfo::plain(Transport::Tcp, here, here);
    let (mut peers, mut served) = (Vec::new(), JoinSet::new());
    for _ in 0..MANY {
        let (mut peer, stream) = duplex(200);
        peer.write_all(&[1; 200]).await.unwrap();
        let service = Messages::new(Arc::new(Answering(held.clone())), octet);
        let mut visit = Visit::new(TcpLimits::default());
        visit.resources = resources.clone();
        served.spawn(service.serve(Box::new(stream), info.clone(), visit));
        peers.push(peer);
    }
    // Each of them requests 200 KB, all of them 20 MB.
    until(|| resources.waiting().given_way() > 0).await;
    for _ in 0..100 * MANY {
        tokio::task::yield_now().await;
    }
    let (most, counted_late) = (held.most.load(Relaxed), MANY * 20_000);
    assert!(most <= BUDGET + counted_late, "{most}");
    drop(peers);
    while let Some(ended) = served.join_next().await {
        ended.unwrap();
    }
    assert_eq!((held.now.load(Relaxed), resources.waiting().used()), (0, 0));
}
