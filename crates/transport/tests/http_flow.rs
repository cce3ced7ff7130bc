//! Bodies that are written while they are sent: they arrive whole, or the peer learns that they are not; a peer that does not read holds
//! its writer back and is left; one that waits for more is not.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::web;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use trunkline_transport::http::client::{HttpVersion, LinkOptions};
use trunkline_transport::http::{
    FlowWriter, HttpFlow, HttpLimits, HttpRequest, HttpResponse, StatusCode, header,
};
use web::{PATIENCE, Served};

const VERSIONS: [HttpVersion; 2] = [HttpVersion::One, HttpVersion::Two];

fn speaking(version: HttpVersion) -> LinkOptions {
    LinkOptions { version, ..LinkOptions::default() }
}

/// A server whose answers this writes.
fn served<F>(limits: HttpLimits, write: impl Fn(String, FlowWriter) -> F + Send + Sync + 'static) -> Served
where
    F: Future<Output = ()> + Send + 'static,
{
    let handler = move |request: HttpRequest| {
        let (writer, flow) = HttpFlow::new();
        tokio::spawn(write(request.path.clone(), writer));
        async { HttpResponse::flowing(StatusCode::OK, "text/plain", flow) }
    };
    Served::with(handler, limits, None)
}

#[tokio::test]
async fn a_body_arrives_whole_or_is_known_not_to_be() {
    const PARTS: usize = 200;
    let served = served(HttpLimits::default(), |path, writer| async move {
        for part in 0..PARTS {
            if writer.write(vec![part as u8; 30_000]).await.is_err() {
                return;
            }
        }
        if path == "/whole" {
            writer.end().await;
        }
    });
    let expected: Vec<u8> = (0..PARTS).flat_map(|part| vec![part as u8; 30_000]).collect();
    for version in VERSIONS {
        let mut link = served.link(speaking(version)).await;
        for _ in 0..2 {
            let answer = link.get("/whole").await.unwrap();
            assert!(answer.body == expected && !answer.headers.contains_key(header::CONTENT_LENGTH));
        }
        assert!(link.get("/cut").await.is_err());
    }
}

#[tokio::test]
async fn a_peer_that_does_not_read_holds_the_writer_back_and_is_left() {
    let written = Arc::new(AtomicUsize::new(0));
    let (told, mut ended) = mpsc::channel(1);
    let count = written.clone();
    let limits = HttpLimits { write_time: Duration::from_millis(300), ..HttpLimits::default() };
    let served = served(limits, move |_, writer| {
        let (count, told) = (count.clone(), told.clone());
        async move {
            while writer.write(vec![0; 32 << 10]).await.is_ok() {
                count.fetch_add(1, Relaxed);
            }
            told.send(()).await.unwrap();
        }
    });
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    timeout(PATIENCE, ended.recv()).await.unwrap().unwrap();
    // What the kernel holds of it, and little more.
    assert!(written.load(Relaxed) < 1_000, "{}", written.load(Relaxed));
}

#[tokio::test]
async fn a_peer_that_waits_for_more_is_not_left() {
    let (told, mut ended) = mpsc::channel(1);
    let (go, gone) = watch::channel(false);
    let limits = HttpLimits { write_time: Duration::from_millis(300), ..HttpLimits::default() };
    let served = served(limits, move |path, writer| {
        let (told, mut gone) = (told.clone(), gone.clone());
        async move {
            if path == "/stalled" {
                while writer.write(vec![0; 32 << 10]).await.is_ok() {}
                return told.send(()).await.unwrap();
            }
            writer.write("one ").await.unwrap();
            gone.wait_for(|gone| *gone).await.unwrap();
            writer.write("two").await.unwrap();
            writer.end().await;
        }
    });
    let mut waiting = Vec::new();
    for version in VERSIONS {
        let mut link = served.link(speaking(version)).await;
        waiting.push(tokio::spawn(async move { link.get("/silent").await.map(|answer| answer.body) }));
    }
    served.counted(2, |counts| counts.requests.requests).await;
    // One that does not read is left, so the time that is given to it is over for the others too.
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET /stalled HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    timeout(PATIENCE, ended.recv()).await.unwrap().unwrap();
    go.send(true).unwrap();
    for answer in waiting {
        assert_eq!(&answer.await.unwrap().unwrap()[..], b"one two");
    }
}

#[tokio::test]
async fn a_writer_learns_that_nobody_reads_any_more() {
    let (told, mut ended) = mpsc::channel(1);
    let served = served(HttpLimits::default(), move |_, writer| {
        let told = told.clone();
        async move {
            while writer.write("more ").await.is_ok() {
                tokio::task::yield_now().await;
            }
            told.send(()).await.unwrap();
        }
    });
    let mut stream = TcpStream::connect(served.address).await.unwrap();
    stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
    let mut some = [0; 100];
    stream.read_exact(&mut some).await.unwrap();
    drop(stream);
    timeout(PATIENCE, ended.recv()).await.unwrap().unwrap();
}

#[tokio::test]
async fn the_writer_of_a_stream_of_events_learns_at_once_that_the_peer_has_left() {
    let (told, mut ended) = mpsc::channel(1);
    let handler = move |_: HttpRequest| {
        let (writer, flow) = HttpFlow::new();
        let told = told.clone();
        tokio::spawn(async move {
            writer.write(": begins\n\n").await.unwrap();
            // It has nothing more to write.
            writer.closed().await;
            told.send(()).await.unwrap();
        });
        async { HttpResponse::events(flow) }
    };
    let served = Served::with(handler, HttpLimits::default(), None);
    for leaves_half in [false, true] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(b"GET / HTTP/1.1\r\nHost: a\r\n\r\n").await.unwrap();
        let mut some = [0; 100];
        stream.read_exact(&mut some).await.unwrap();
        assert!(timeout(Duration::from_millis(50), ended.recv()).await.is_err(), "it is still there");
        if leaves_half {
            stream.shutdown().await.unwrap();
        } else {
            drop(stream);
        }
        timeout(PATIENCE, ended.recv()).await.unwrap().unwrap();
    }
    assert_eq!(served.counts().connections.cut_short, 0);
}

#[tokio::test]
async fn a_peer_that_closes_its_side_still_gets_its_answers() {
    let (begun, mut has_begun) = mpsc::channel(1);
    let (go, gone) = watch::channel(false);
    let handler = move |request: HttpRequest| {
        let (begun, mut gone) = (begun.clone(), gone.clone());
        async move {
            begun.send(()).await.unwrap();
            gone.wait_for(|gone| *gone).await.unwrap();
            if request.path == "/flow" {
                let (writer, flow) = HttpFlow::new();
                tokio::spawn(async move {
                    writer.write("flowing").await.unwrap();
                    writer.end().await;
                });
                return HttpResponse::flowing(StatusCode::OK, "text/plain", flow);
            }
            HttpResponse::new(StatusCode::OK, "text/plain", request.body.to_vec())
        }
    };
    let served = Served::with(handler, HttpLimits::default(), None);
    // What is sent with a body has it in the same piece, in another one, or in many.
    let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 50000\r\n\r\n";
    let body = "echoing ".repeat(6250);
    let chunked = format!(
        "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nc350\r\n{body}\r\n0\r\n\r\n"
    );
    let pieces = |text: &str, length: usize| -> Vec<Vec<u8>> {
        text.as_bytes().chunks(length).map(<[u8]>::to_vec).collect()
    };
    let whole = format!("{head}{body}");
    for (request, end) in [
        (vec![b"GET /flow HTTP/1.1\r\nHost: a\r\n\r\n".to_vec()], "flowing"),
        (pieces(&whole, whole.len()), &*body),
        (vec![head.into(), body.clone().into()], &*body),
        (pieces(&whole, 1000), &*body),
        (pieces(&chunked, 1000), &*body),
    ] {
        go.send(false).unwrap();
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        for piece in request {
            stream.write_all(&piece).await.unwrap();
            tokio::task::yield_now().await;
        }
        stream.shutdown().await.unwrap();
        timeout(PATIENCE, has_begun.recv()).await.unwrap().unwrap();
        tokio::task::yield_now().await;
        go.send(true).unwrap();
        // The connection ends then, at once.
        let answer = timeout(PATIENCE, web::rest(&mut stream)).await.unwrap();
        assert!(answer.contains("200 OK") && answer.contains(end), "{answer}");
    }
    // A body that does not arrive whole is not waited for.
    for cut in [&whole[..40_000], &chunked[..40_000], head] {
        let mut stream = TcpStream::connect(served.address).await.unwrap();
        stream.write_all(cut.as_bytes()).await.unwrap();
        stream.shutdown().await.unwrap();
        let answer = timeout(PATIENCE, web::rest(&mut stream)).await.unwrap();
        assert!(answer.contains("400 Bad Request"), "{answer}");
    }
}
