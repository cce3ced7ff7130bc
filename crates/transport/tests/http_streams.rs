//! HTTP/2 by hand: a peer that opens many streams before it knows the limit.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::web;

use std::sync::Arc;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::Semaphore;
use tokio::time::timeout;
use trunkline_transport::http::{HttpLimits, HttpRequest, HttpResponse, StatusCode};
use web::{PATIENCE, Served};

const HEADERS: u8 = 1;
const RST_STREAM: u8 = 3;
const SETTINGS: u8 = 4;
const GOAWAY: u8 = 7;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;
const REFUSED_STREAM: u32 = 7;
const CANCEL: u32 = 8;

/// :method GET, :scheme http, :path /, :authority a (RFC 7541 appendix A).
const REQUEST: &[u8] = &[0x82, 0x86, 0x84, 0x41, 1, b'a'];

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

fn request(stream: u32) -> Vec<u8> {
    frame(HEADERS, END_STREAM | END_HEADERS, stream, REQUEST)
}

/// A connection with this many requests, sent together with its preface.
async fn connect(served: &Served, requests: u32) -> TcpStream {
    let mut octets = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec();
    octets.extend(frame(SETTINGS, 0, 0, &[]));
    (0..requests).for_each(|number| octets.extend(request(2 * number + 1)));
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(&octets).await.unwrap();
    stream
}

/// The next frame of these kinds, or a GOAWAY.
async fn next(stream: &mut TcpStream, kinds: &[u8]) -> (u8, u32, Vec<u8>) {
    loop {
        let mut head = [0; 9];
        timeout(PATIENCE, stream.read_exact(&mut head)).await.unwrap().unwrap();
        let [a, b, c, kind, _, d, e, f, g] = head;
        let mut payload = vec![0; u32::from_be_bytes([0, a, b, c]) as usize];
        timeout(PATIENCE, stream.read_exact(&mut payload)).await.unwrap().unwrap();
        if kind == GOAWAY || kinds.contains(&kind) {
            return (kind, u32::from_be_bytes([d, e, f, g]), payload);
        }
    }
}

/// A server that answers each request when the test allows it.
fn patient(limits: HttpLimits) -> (Served, Arc<Semaphore>) {
    let turns = Arc::new(Semaphore::new(0));
    let taken = Arc::clone(&turns);
    let handler = move |_: HttpRequest| {
        let taken = Arc::clone(&taken);
        async move {
            taken.acquire().await.unwrap().forget();
            HttpResponse::empty(StatusCode::NO_CONTENT)
        }
    };
    (Served::with(handler, limits, None), turns)
}

#[tokio::test]
async fn streams_above_the_limit_are_refused_and_the_others_are_answered() {
    let (served, turns) = patient(HttpLimits { max_streams: 100, ..HttpLimits::default() });
    let mut stream = connect(&served, 200).await;
    for _ in 0..100 {
        let (kind, _, why) = next(&mut stream, &[HEADERS, RST_STREAM]).await;
        assert_eq!((kind, why), (RST_STREAM, REFUSED_STREAM.to_be_bytes().to_vec()));
    }
    turns.add_permits(101);
    let mut answered = Vec::new();
    for _ in 0..100 {
        let (kind, id, _) = next(&mut stream, &[HEADERS, RST_STREAM]).await;
        assert_eq!(kind, HEADERS);
        answered.push(id);
    }
    answered.sort_unstable();
    assert_eq!(answered, (0..100).map(|number| 2 * number + 1).collect::<Vec<_>>());
    // The connection continues.
    stream.write_all(&request(401)).await.unwrap();
    let (kind, id, _) = next(&mut stream, &[HEADERS, RST_STREAM]).await;
    assert_eq!((kind, id), (HEADERS, 401));
    assert_eq!(served.counts().connections.accepted, 1);
}

#[tokio::test]
async fn requests_cancelled_at_once_end_the_connection() {
    let (served, _turns) = patient(HttpLimits::default());
    let mut stream = connect(&served, 0).await;
    let mut octets = Vec::new();
    for number in 0..2_000 {
        octets.extend(request(2 * number + 1));
        octets.extend(frame(RST_STREAM, 0, 2 * number + 1, &CANCEL.to_be_bytes()));
    }
    stream.write_all(&octets).await.unwrap();
    assert_eq!(next(&mut stream, &[]).await.0, GOAWAY);
}
