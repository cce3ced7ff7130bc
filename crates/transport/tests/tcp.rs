//! TCP connections: framing, several requests in flight, and each limit. Time is
//! virtual, streams are in memory where no listener is needed.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::Instant;
use trunkline_transport::tcp::{FrameError, Messages, Plain, TcpCounters, TcpCounts, TcpLimits, TcpServer};
use trunkline_transport::{Reply, SessionHandler, SessionInfo, StreamService, Transport, Visit};

/// A message is its length in one octet (included), then its text.
fn frame(octets: &[u8]) -> Result<Option<usize>, FrameError> {
    match octets.first() {
        None => Ok(None),
        Some(0) => Err(FrameError),
        Some(255) if octets.len() < 2 => Ok(None),
        Some(255) => Ok(Some(usize::from(octets[1]) * 1000)),
        Some(&len) => Ok(Some(usize::from(len))),
    }
}

fn message(text: &str) -> Vec<u8> {
    let mut octets = vec![text.len() as u8 + 1];
    octets.extend_from_slice(text.as_bytes());
    octets
}

async fn echo(message: Vec<u8>, _: Arc<SessionInfo>) -> Option<Vec<u8>> {
    Some(message)
}

fn limits() -> TcpLimits {
    TcpLimits {
        max_connections: 4,
        max_per_peer: 2,
        max_message: 200,
        max_in_flight: 2,
        max_output: 500,
        idle: Duration::from_secs(60),
        message_time: Duration::from_secs(5),
        write_time: Duration::from_secs(7),
        ..TcpLimits::default()
    }
}

/// A connection served over an in-memory stream.
struct Served {
    stream: DuplexStream,
    counters: Arc<TcpCounters>,
    task: JoinHandle<()>,
}

impl Served {
    fn by<H: SessionHandler>(handler: H) -> Self {
        let (stream, theirs) = duplex(64);
        let counters = Arc::new(TcpCounters::default());
        let (peer, local) = ("192.0.2.1:5".parse().unwrap(), "192.0.2.2:161".parse().unwrap());
        let info = SessionInfo::plain(Transport::Tcp, peer, local);
        let mut visit = Visit::new(limits());
        visit.counters = Arc::clone(&counters);
        let serving = Messages::new(Arc::new(handler), frame).serve(Box::new(theirs), info, visit);
        Self { stream, counters, task: tokio::spawn(serving) }
    }

    async fn ask(&mut self, text: &str) -> String {
        self.stream.write_all(&message(text)).await.unwrap();
        read_message(&mut self.stream).await
    }

    /// Waits for the server to end; returns its counters and the time it took.
    async fn end(self) -> (TcpCounts, Duration) {
        let start = Instant::now();
        self.task.await.unwrap();
        (self.counters.read(), start.elapsed())
    }
}

async fn read_message(stream: &mut (impl AsyncReadExt + Unpin)) -> String {
    let len = stream.read_u8().await.unwrap();
    let mut text = vec![0; usize::from(len) - 1];
    stream.read_exact(&mut text).await.unwrap();
    String::from_utf8(text).unwrap()
}

#[tokio::test(start_paused = true)]
async fn messages_are_cut_wherever_the_octets_arrive() {
    let mut served = Served::by(echo);
    assert_eq!(served.ask("one").await, "one");
    for octet in message("slowly") {
        served.stream.write_all(&[octet]).await.unwrap();
        tokio::task::yield_now().await;
    }
    assert_eq!(read_message(&mut served.stream).await, "slowly");
    served.stream.write_all(&[message("a"), message("b"), message("c")].concat()).await.unwrap();
    for text in ["a", "b", "c"] {
        assert_eq!(read_message(&mut served.stream).await, text);
    }
    drop(std::mem::replace(&mut served.stream, duplex(1).0));
    let (counts, _) = served.end().await;
    assert_eq!((counts.received, counts.sent, counts.cut_short, counts.io_errors), (5, 5, 0, 0));
}

#[tokio::test(start_paused = true)]
async fn a_quick_answer_overtakes_a_slow_one() {
    let gate = Arc::new(Semaphore::new(0));
    let open = Arc::clone(&gate);
    let mut served = Served::by(move |message: Vec<u8>, _| {
        let gate = Arc::clone(&gate);
        async move {
            if message.ends_with(b"slow") {
                gate.acquire().await.unwrap().forget();
            }
            Some(message)
        }
    });
    served.stream.write_all(&message("slow")).await.unwrap();
    assert_eq!(served.ask("quick").await, "quick");
    open.add_permits(1);
    assert_eq!(read_message(&mut served.stream).await, "slow");
}

#[tokio::test(start_paused = true)]
async fn no_more_requests_are_in_flight_than_allowed() {
    let gate = Arc::new(Semaphore::new(0));
    let (handler_gate, counters_gate) = (Arc::clone(&gate), Arc::clone(&gate));
    let mut served = Served::by(move |message: Vec<u8>, _| {
        let gate = Arc::clone(&handler_gate);
        async move {
            gate.acquire().await.unwrap().forget();
            Some(message)
        }
    });
    for text in ["1", "2", "3", "4", "5"] {
        served.stream.write_all(&message(text)).await.unwrap();
    }
    settle().await;
    assert_eq!(served.counters.read().received, 2);
    counters_gate.add_permits(5);
    let mut answers = Vec::new();
    for _ in 0..5 {
        answers.push(read_message(&mut served.stream).await);
    }
    answers.sort();
    assert_eq!(answers, ["1", "2", "3", "4", "5"]);
}

/// Lets every task run until it waits for an external event.
async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}

async fn ended_by(octets: &[u8], check: impl Fn(TcpCounts) -> u64, after: Duration) {
    let mut served = Served::by(echo);
    served.stream.write_all(octets).await.unwrap();
    let (counts, took) = served.end().await;
    assert_eq!(check(counts), 1, "{counts:?}");
    assert!(took >= after && took < after + Duration::from_millis(50), "{took:?}");
}

#[tokio::test(start_paused = true)]
async fn an_invalid_message_ends_the_connection() {
    ended_by(&[0, 1, 2], |c| c.framing_errors, Duration::ZERO).await;
}

#[tokio::test(start_paused = true)]
async fn a_message_announced_too_long_ends_the_connection() {
    ended_by(&[255, 9], |c| c.too_long, Duration::ZERO).await;
    ended_by(&[201; 1], |c| c.too_long, Duration::ZERO).await;
}

#[tokio::test(start_paused = true)]
async fn a_half_received_message_ends_the_connection_however_it_drips() {
    ended_by(&[20, 1], |c| c.slow_messages, Duration::from_secs(5)).await;
    let mut served = Served::by(echo);
    served.stream.write_all(&[100]).await.unwrap();
    let start = Instant::now();
    while served.stream.write_all(b"x").await.is_ok() {
        tokio::time::sleep(Duration::from_secs(1)).await;
    }
    assert!(start.elapsed() <= Duration::from_secs(7));
    assert_eq!(served.end().await.0.slow_messages, 1);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_does_not_read_is_held_back_then_closed() {
    let mut served = Served::by(echo);
    let text = "x".repeat(99);
    let start = Instant::now();
    let mut written = 0;
    while served.stream.write_all(&message(&text)).await.is_ok() {
        written += 1;
    }
    // 500 octets of output, one message above, and what the stream holds.
    assert!(written < 12, "{written} requests were taken");
    assert!(start.elapsed() < Duration::from_secs(8));
    assert_eq!(served.end().await.0.slow_readers, 1);
}

#[tokio::test(start_paused = true)]
async fn a_peer_that_reads_late_gets_everything() {
    let served = Served::by(echo);
    let (mut read, mut write) = tokio::io::split(served.stream);
    let writer = tokio::spawn(async move {
        for i in 0..100 {
            write.write_all(&message(&format!("{i:0>90}"))).await.unwrap();
        }
        write
    });
    for i in 0..100 {
        if i % 10 == 0 {
            tokio::time::sleep(Duration::from_secs(6)).await;
        }
        assert_eq!(read_message(&mut read).await, format!("{i:0>90}"));
    }
    writer.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_message_cut_short_by_the_peer_is_counted() {
    let mut served = Served::by(echo);
    served.stream.write_all(&[9, 1, 1]).await.unwrap();
    served.stream.shutdown().await.unwrap();
    assert_eq!(served.end().await.0.cut_short, 1);
}

#[tokio::test(start_paused = true)]
async fn a_panic_in_a_slow_answer_ends_its_connection() {
    let mut served = Served::by(|message: Vec<u8>, _| async move {
        tokio::task::yield_now().await;
        assert!(message.is_empty(), "provoked by the test");
        None
    });
    served.stream.write_all(&message("x")).await.unwrap();
    assert_eq!(served.end().await.0.panics, 1);
}

/// Waits until the server has counted, by polling after other tasks ran.
async fn until(counters: &TcpCounters, reached: impl Fn(TcpCounts) -> bool) {
    while !reached(counters.read()) {
        tokio::task::yield_now().await;
    }
}

fn start(limits: TcpLimits) -> (std::net::SocketAddr, Arc<TcpCounters>, JoinHandle<impl Sized>) {
    start_at("127.0.0.1:0", limits)
}

fn start_at(
    address: &str,
    limits: TcpLimits,
) -> (std::net::SocketAddr, Arc<TcpCounters>, JoinHandle<impl Sized>) {
    start_by(address, limits, echo)
}

fn start_by<H: SessionHandler>(
    address: &str,
    limits: TcpLimits,
    handler: H,
) -> (std::net::SocketAddr, Arc<TcpCounters>, JoinHandle<impl Sized + use<H>>) {
    let server = TcpServer::bind(address.parse().unwrap()).unwrap();
    let (address, counters) = (server.local_addr(), server.counters());
    (
        address,
        counters,
        tokio::spawn(server.serve(Plain::new(Messages::new(Arc::new(handler), frame)), limits)),
    )
}

async fn ask(stream: &mut TcpStream, text: &str) -> String {
    stream.write_all(&message(text)).await.unwrap();
    read_message(stream).await
}

async fn closed_by_peer(mut stream: TcpStream) -> bool {
    matches!(stream.read(&mut [0; 1]).await, Ok(0) | Err(_))
}

async fn within<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(Duration::from_secs(30), future).await.unwrap()
}

#[tokio::test]
async fn real_connections_are_served_and_counted_out_over_both_families() {
    for bind in ["127.0.0.1:0", "[::1]:0"] {
        let (address, counters, server) = start_at(bind, limits());
        let mut stream = TcpStream::connect(address).await.unwrap();
        assert_eq!(within(ask(&mut stream, "hello")).await, "hello");
        assert_eq!(counters.read().open, 1);
        drop(stream);
        within(until(&counters, |c| c.open == 0)).await;
        server.abort();
    }
}

#[tokio::test]
async fn connections_are_limited_per_address_and_in_all() {
    let (address, counters, server) = start(limits());
    let from = |ip: [u8; 4]| async move {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((std::net::IpAddr::from(ip), 0).into()).unwrap();
        socket.connect(address).await.unwrap()
    };
    let mut held = Vec::new();
    for ip in [[127, 0, 0, 1], [127, 0, 0, 1], [127, 0, 0, 2], [127, 0, 0, 3]] {
        let mut stream = from(ip).await;
        assert_eq!(within(ask(&mut stream, "in")).await, "in");
        held.push(stream);
        if held.len() == 2 {
            assert!(within(closed_by_peer(from(ip).await)).await);
        }
    }
    assert!(within(closed_by_peer(from([127, 0, 0, 4]).await)).await);
    let counts = counters.read();
    assert_eq!((counts.refused_per_peer, counts.refused_total, counts.open), (1, 1, 4));
    held.truncate(1);
    within(until(&counters, |c| c.open == 1)).await;
    assert_eq!(within(ask(&mut from([127, 0, 0, 1]).await, "again")).await, "again");
    server.abort();
}

#[tokio::test]
async fn connections_without_a_message_give_way_and_others_stay() {
    let (address, counters, server) = start(limits());
    let from = |last: u8| async move {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((std::net::IpAddr::from([127, 0, 0, last]), 0).into()).unwrap();
        socket.connect(address).await.unwrap()
    };
    let mut known = from(1).await;
    assert_eq!(within(ask(&mut known, "in")).await, "in");
    let mut silent = Vec::new();
    for last in [2, 3, 4] {
        silent.push(from(last).await);
        within(until(&counters, |c| c.accepted == silent.len() as u64 + 1)).await;
    }
    let mut fifth = from(5).await;
    assert_eq!(within(ask(&mut fifth, "me too")).await, "me too");
    assert!(within(closed_by_peer(silent.remove(0))).await);
    assert_eq!(within(ask(&mut known, "still in")).await, "still in");
    let counts = counters.read();
    assert_eq!((counts.gave_way, counts.refused_total, counts.open), (1, 0, 4));
    server.abort();
}

#[tokio::test]
async fn connections_with_refused_messages_give_way_oldest_first() {
    let (address, counters, server) =
        start_by("127.0.0.1:0", limits(), |message: Vec<u8>, _: Arc<SessionInfo>| async move {
            if message.ends_with(b"?") { Reply::Refuse(message) } else { Reply::Send(message) }
        });
    let from = |last: u8| async move {
        let socket = tokio::net::TcpSocket::new_v4().unwrap();
        socket.bind((std::net::IpAddr::from([127, 0, 0, last]), 0).into()).unwrap();
        socket.connect(address).await.unwrap()
    };
    let mut strangers = Vec::new();
    for last in [2, 3, 4] {
        let mut stranger = from(last).await;
        assert_eq!(within(ask(&mut stranger, "who?")).await, "who?");
        strangers.push(stranger);
    }
    let mut known = from(1).await;
    assert_eq!(within(ask(&mut known, "in")).await, "in");
    // Sending more does not help.
    assert_eq!(within(ask(&mut strangers[0], "why?")).await, "why?");
    let mut newcomer = from(5).await;
    assert_eq!(within(ask(&mut newcomer, "me too")).await, "me too");
    assert!(within(closed_by_peer(strangers.remove(0))).await);
    let mut next = from(6).await;
    assert_eq!(within(ask(&mut next, "and me")).await, "and me");
    assert!(within(closed_by_peer(strangers.remove(0))).await);
    assert_eq!(within(ask(&mut strangers[0], "still?")).await, "still?");
    assert_eq!(within(ask(&mut known, "still in")).await, "still in");
    let counts = counters.read();
    assert_eq!((counts.gave_way, counts.refused_total, counts.open), (2, 0, 4));
    server.abort();
}

#[tokio::test]
async fn plain_connections_at_once_are_not_handshakes() {
    let limits = TcpLimits { max_connections: 200, max_per_peer: 200, max_handshakes: 1, ..limits() };
    let (address, counters, server) = start(limits);
    let mut streams = Vec::new();
    // In the kernel's queue, before the server has seen one.
    for _ in 0..100 {
        let stream = std::net::TcpStream::connect(address).unwrap();
        stream.set_nonblocking(true).unwrap();
        streams.push(TcpStream::from_std(stream).unwrap());
    }
    for stream in &mut streams {
        assert_eq!(within(ask(stream, "in")).await, "in");
    }
    assert_eq!((counters.read().accepted, counters.read().gave_way), (100, 0));
    server.abort();
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_says_nothing_ends_soon_and_one_that_spoke_stays() {
    let served = Served::by(echo);
    let (counts, time) = served.end().await;
    assert_eq!((counts.idle_closed, time), (1, Duration::from_secs(10)));
    let mut served = Served::by(echo);
    assert_eq!(served.ask("hello").await, "hello");
    let (counts, time) = served.end().await;
    assert_eq!((counts.idle_closed, time), (1, Duration::from_secs(60)));
}
