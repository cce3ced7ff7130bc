//! Bad requests from strangers to an HTTP server: each is answered with its status, counted, and bounded; the
//! server continues.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::web;

use std::io::Write;
use std::time::Duration;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};
use http_body_util::Empty;
use hyper::client::conn::http2;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline_transport::http::client::LinkOptions;
use trunkline_transport::http::{
    Bytes, HttpCounts, HttpLimits, HttpRequest, HttpResponse, Method, StatusCode,
};
use web::{Served, rest};

fn limits() -> HttpLimits {
    HttpLimits { max_request: 256 << 10, ..HttpLimits::default() }
}

/// A time-out for tests: long enough to get there, short enough to wait for.
const SOON: Duration = Duration::from_millis(100);

fn gzip(octets: usize) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; octets]).unwrap();
    encoder.finish().unwrap()
}

fn zlib(octets: usize) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(&vec![b' '; octets]).unwrap();
    encoder.finish().unwrap()
}

fn post(fields: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: {}\r\n{fields}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

fn status(answer: &str) -> u16 {
    answer.get(9..12).and_then(|code| code.parse().ok()).unwrap_or(0)
}

async fn is_alive(served: &Served) {
    assert_eq!(served.link(LinkOptions::default()).await.get("/alive").await.unwrap().body, "/alive");
}

async fn check(limits: HttpLimits, octets: &[u8], expected: u16, which: impl Fn(&HttpCounts) -> u64) {
    let served = Served::echo(limits);
    let answer = served.raw(octets, false).await;
    assert_eq!(status(&answer), expected, "{answer}");
    served.counted(1, which).await;
    is_alive(&served).await;
}

#[tokio::test]
async fn invalid_heads() {
    let framing = |counts: &HttpCounts| counts.connections.framing_errors;
    check(limits(), b"\x30\x29\x02\x01\x01\x04\x06public\r\n\r\n", 400, framing).await;
    check(limits(), b"GET / HTTP/1.1\r\nhost : a\r\n\r\n", 400, framing).await;
    check(limits(), b"GET / HTTP/9.1\r\nhost: a\r\n\r\n", 400, framing).await;
    let errors = |counts: &HttpCounts| counts.requests.client_errors;
    check(limits(), b"GET / HTTP/1.1\r\nconnection: close\r\n\r\n", 400, errors).await;
    check(limits(), b"GET / HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n", 400, errors).await;
    for twice in [
        "chunked\r\ntransfer-encoding: chunked",
        "chunked, chunked",
        "chunked,\r\ntransfer-encoding: Chunked",
    ] {
        let head = format!("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: {twice}\r\n\r\n0\r\n\r\n");
        let served = Served::echo(limits());
        let answer = served.raw(head.as_bytes(), false).await;
        let expected = if twice.contains(",\r") { 501 } else { 400 };
        assert_eq!(status(&answer), expected, "{twice}: {answer}");
        is_alive(&served).await;
    }
    let both = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1\r\ncontent-length: 2\r\n\r\nab";
    check(limits(), both, 400, framing).await;
}

#[tokio::test]
async fn heads_that_are_too_long() {
    let many = format!("GET / HTTP/1.1\r\nhost: a\r\nx: {}\r\n\r\n", "x".repeat(40_000));
    check(limits(), many.as_bytes(), 431, |counts| counts.connections.too_long).await;
    let fields: String = (0..200).map(|number| format!("x{number}: y\r\n")).collect();
    let many = format!("GET / HTTP/1.1\r\nhost: a\r\n{fields}\r\n");
    check(limits(), many.as_bytes(), 431, |counts| counts.connections.too_long).await;
    let long = format!("GET /{} HTTP/1.1\r\nhost: a\r\n\r\n", "x".repeat(70_000));
    let served = Served::echo(limits());
    let answer = served.raw(long.as_bytes(), false).await;
    assert!([414, 431].contains(&status(&answer)), "{answer}");
}

#[tokio::test]
async fn bodies_that_are_too_long() {
    let large = |counts: &HttpCounts| counts.requests.too_large;
    // Announced: nothing of it is read before the answer.
    let announced = b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 99999999999\r\n\r\n";
    check(limits(), announced, 413, large).await;
    // All of it is sent before anything is read back: the answer is not lost.
    check(limits(), &post("", &vec![b'x'; 2 << 20]), 413, large).await;
    let chunk = [b"10000\r\n".as_slice(), &vec![b'x'; 0x10000], b"\r\n"].concat();
    let head = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    check(limits(), &[head, chunk.repeat(20)].concat(), 413, large).await;
}

#[tokio::test]
async fn bombs() {
    for (name, bomb) in [("gzip", gzip(64 << 20)), ("deflate", zlib(64 << 20))] {
        assert!(bomb.len() < 100_000);
        let fields = format!("content-encoding: {name}\r\nconnection: close\r\n");
        check(HttpLimits::default(), &post(&fields, &bomb), 413, |counts| counts.requests.too_large).await;
        let small = if name == "gzip" { gzip(200 << 10) } else { zlib(200 << 10) };
        check(limits(), &post(&fields, &small), 413, |counts| counts.requests.bombs).await;
    }
}

#[tokio::test]
async fn compressions_that_are_unknown_or_broken() {
    let unknown = |counts: &HttpCounts| counts.requests.unknown_codings;
    for coding in ["br", "gzip, gzip", "aes128gcm", "\u{e9}"] {
        let fields = format!("content-encoding: {coding}\r\n");
        check(limits(), &post(&fields, b"abc"), 415, unknown).await;
    }
    let served = Served::echo(limits());
    let answer = served.raw(&post("content-encoding: br\r\n", b"abc"), false).await;
    assert!(answer.contains("\r\naccept-encoding: gzip, deflate\r\n"), "{answer}");
    let bad = |counts: &HttpCounts| counts.requests.bad_bodies;
    let whole = gzip(10_000);
    let fields = "content-encoding: gzip\r\nconnection: close\r\n";
    check(limits(), &post(fields, &whole[..whole.len() - 3]), 400, bad).await;
    check(limits(), &post(fields, b"no gzip at all"), 400, bad).await;
    check(limits(), &post(fields, &[whole, vec![0]].concat()), 400, bad).await;
}

#[tokio::test]
async fn a_broken_compression_does_not_end_the_connection() {
    let served = Served::echo(limits());
    let broken = post("content-encoding: gzip\r\n", b"no gzip at all");
    let next = b"GET /next HTTP/1.1\r\nhost: a\r\n\r\n";
    let answer = served.raw(&[&broken[..], next].concat(), true).await;
    assert!(status(&answer) == 400 && answer.ends_with("\r\n\r\n/next"), "{answer}");
}

#[tokio::test]
async fn bodies_that_end_early() {
    let served = Served::echo(limits());
    let answer = served.raw(b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc", true).await;
    assert_eq!(status(&answer), 400, "{answer}");
    let chunked = b"POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n";
    assert_eq!(status(&served.raw(chunked, false).await), 400);
    served.counted(2, |counts| counts.requests.bad_bodies).await;
    is_alive(&served).await;
}

#[tokio::test]
async fn a_slow_peer_gets_a_408() {
    let slow = HttpLimits { head_time: SOON, body_time: SOON, idle: SOON, write_time: SOON, ..limits() };
    let head = |counts: &HttpCounts| counts.connections.slow_messages;
    check(slow, b"GET / HT", 408, head).await;
    check(slow, b"P", 408, head).await;
    let body = |counts: &HttpCounts| counts.requests.slow_bodies;
    check(slow, b"POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc", 408, body).await;
    let served = Served::echo(slow);
    assert_eq!(served.raw(b"", false).await, "");
    assert_eq!(
        served.raw(b"GET /a HTTP/1.1\r\nhost: a\r\n\r\n", false).await.split("\r\n\r\n").nth(1),
        Some("/a")
    );
    served.counted(2, |counts| counts.connections.idle_closed).await;
    is_alive(&served).await;
}

async fn much(_: HttpRequest) -> HttpResponse {
    HttpResponse::new(StatusCode::OK, "text/plain", vec![b'x'; 32 << 20])
}

#[tokio::test]
async fn a_peer_that_does_not_read_is_dropped() {
    let served = Served::with(much, HttpLimits { write_time: SOON, ..limits() }, None);
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nhost: a\r\n\r\n").await.unwrap();
    served.counted(1, |counts| counts.connections.slow_readers).await;
    assert!(rest(&mut stream).await.len() < 32 << 20);
    served.counted(0, |counts| counts.connections.open).await;
}

#[tokio::test]
async fn a_peer_that_does_not_read_over_http_2_is_dropped_despite_its_pings() {
    let served = Served::with(much, HttpLimits { write_time: SOON, ..limits() }, None);
    let stream = TokioIo::new(TcpStream::connect(served.address).await.unwrap());
    let (mut sender, connection) =
        http2::Builder::new(TokioExecutor::new()).handshake::<_, Empty<Bytes>>(stream).await.unwrap();
    let driver = tokio::spawn(connection);
    let request = http::Request::get("http://a/").body(Empty::new()).unwrap();
    let response = sender.send_request(request).await.unwrap();
    // Nothing of the body is read, so that the window stays closed.
    served.counted(1, |counts| counts.connections.slow_readers).await;
    drop(response);
    let _ = driver.await.unwrap();
}

#[tokio::test]
async fn requests_cancelled_at_once_end_the_connection() {
    let served = Served::echo(limits());
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    let mut octets = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    octets.extend([0, 0, 0, 4, 0, 0, 0, 0, 0]);
    // GET / of authority a, each cancelled right after: HEADERS with END_STREAM and END_HEADERS, RST_STREAM.
    let block = [0x82, 0x86, 0x84, 0x41, 0x01, b'a'];
    for stream in (1u32..4_000).step_by(2) {
        octets.extend([0, 0, 6, 1, 5]);
        octets.extend(stream.to_be_bytes());
        octets.extend(block);
        octets.extend([0, 0, 4, 3, 0]);
        octets.extend(stream.to_be_bytes());
        octets.extend(8u32.to_be_bytes());
    }
    let _ = stream.write_all(&octets).await;
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer).await;
    served.counted(1, |counts| counts.connections.io_errors).await;
    assert!(served.counts().requests.requests < 200, "{:?}", served.counts());
    is_alive(&served).await;
}

#[tokio::test]
async fn the_number_of_connections_is_limited() {
    let served = Served::echo(HttpLimits { max_per_peer: 2, ..limits() });
    let mut first = served.link(LinkOptions::default()).await;
    let mut second = served.link(LinkOptions::default()).await;
    first.get("/").await.unwrap();
    second.get("/").await.unwrap();
    let answer = served.raw(b"", false).await;
    assert_eq!(status(&answer), 503, "{answer}");
    assert!(answer.contains("\r\nretry-after: 10\r\n"), "{answer}");
    assert_eq!(served.counts().connections.refused_per_peer, 1);
    drop(first);
    served.counted(1, |counts| counts.connections.open).await;
    is_alive(&served).await;
}

#[tokio::test]
async fn held_bodies_are_bounded_in_total() {
    let served = Served::echo(HttpLimits { max_bodies: 1_000, ..limits() });
    let answer = served.raw(&post("", &[b'x'; 2_000]), false).await;
    assert_eq!(status(&answer), 503, "{answer}");
    assert!(answer.contains("\r\nretry-after: 1\r\n"), "{answer}");
    served.counted(1, |counts| counts.requests.crowded_out).await;
    // The memory was returned.
    let mut link = served.link(LinkOptions::default()).await;
    for _ in 0..5 {
        assert_eq!(link.post("/", Default::default(), vec![b'y'; 900]).await.unwrap().status, StatusCode::OK);
    }
}

#[tokio::test]
async fn only_the_chunked_transfer_coding_is_supported() {
    let served = Served::echo(limits());
    let post = |coding: &str| {
        format!("POST / HTTP/1.1\r\nhost: a\r\ntransfer-encoding: {coding}\r\n\r\n1\r\nx\r\n0\r\n\r\n")
    };
    let answer = served.raw(post("gzip, chunked").as_bytes(), false).await;
    assert_eq!(status(&answer), 501, "{answer}");
    assert!(answer.contains("the only transfer coding that is understood is chunked"), "{answer}");
    let answer = served.raw(post("Chunked").as_bytes(), true).await;
    assert_eq!(status(&answer), 200, "{answer}");
}

#[tokio::test]
async fn it_is_not_a_proxy() {
    let served = Served::echo(limits());
    let answer = served.raw(b"CONNECT a:1 HTTP/1.1\r\nhost: a:1\r\n\r\n", false).await;
    assert_eq!(status(&answer), 501, "{answer}");
    let mut link = served.link(LinkOptions::default()).await;
    assert!(link.request(Method::TRACE, "/", Default::default(), Bytes::new()).await.is_ok());
}
