//! The bytes of a connection to the HTTP server: heads, bodies, codings, HTTP/2 frames, whole or in pieces, from
//! peers that continue, stop, or never read. The connection ends, within its limits, and gets no more answers than
//! requests.
//!
//! The first octet sets the peer's behaviour, see [`Peer`]; the rest is what it sends. Time is simulated: it
//! passes when nothing else can happen.
#![no_main]

use std::net::Ipv4Addr;
use std::panic::{self, AssertUnwindSafe};
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use libfuzzer_sys::fuzz_target;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::runtime::{Builder, Handle, Runtime};
use trunkline_transport::http::{
    HttpCounters, HttpLimits, HttpRequest, HttpResponse, StatusCode, serve_stream,
};
use trunkline_transport::{SessionInfo, Transport};

static RUNTIME: LazyLock<Runtime> = LazyLock::new(|| {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
});

fuzz_target!(
    init: let_known_panics_pass(),
    |input: &[u8]| {
        let Some((&how, octets)) = input.split_first() else { return };
        let whole = || {
            RUNTIME.block_on(async {
                connection(Peer::of(how), octets).await;
                assert!(all_end(Duration::from_secs(60)).await, "tasks outlive their connection");
            });
        };
        // An unknown panic has ended the program already.
        let _ = panic::catch_unwind(AssertUnwindSafe(whole));
    }
);

/// With debug assertions, `h2` asserts that a connection is not dropped while it has streams. Ours are: that is
/// how a limit ends them (<https://github.com/hyperium/h2/issues/907>).
fn let_known_panics_pass() {
    let report = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        let words = panic.payload().downcast_ref::<&str>();
        if words != Some(&"assertion failed: !self.has_streams()") {
            report(panic);
        }
    }));
}

/// The behaviour of a peer.
struct Peer {
    /// It begins with the HTTP/2 preface and its settings.
    two: bool,
    /// It keeps the connection open, and waits.
    stays: bool,
    /// It never reads.
    deaf: bool,
    /// Bytes that it sends at a time.
    piece: usize,
}

impl Peer {
    const fn of(how: u8) -> Self {
        let piece = match how >> 3 {
            0 => usize::MAX,
            small => small as usize,
        };
        Self { two: how & 1 != 0, stays: how & 2 != 0, deaf: how & 4 != 0, piece }
    }
}

const LIMIT: usize = 4096;
const ANSWER: usize = 2000;

async fn connection(peer: Peer, octets: &[u8]) {
    let limits = HttpLimits {
        max_request: LIMIT,
        max_bodies: 4 * LIMIT,
        max_head: 8192,
        max_streams: 4,
        ..HttpLimits::default()
    };
    let asked = Arc::new(AtomicUsize::new(0));
    let counters = Arc::new(HttpCounters::default());
    let handler = {
        let asked = Arc::clone(&asked);
        Arc::new(move |request: HttpRequest| {
            asked.fetch_add(1, Relaxed);
            answer(request)
        })
    };
    let (ours, theirs) = tokio::io::duplex(8192);
    let local = (Ipv4Addr::LOCALHOST, 80).into();
    let info = SessionInfo::plain(Transport::Http, local, local);
    // Both halves live on until the server has dropped its own end.
    let (mut reader, mut writer) = tokio::io::split(theirs);
    let (mut sent, mut read) = (0, Vec::new());
    let serving = serve_stream(ours, info, handler, limits, Arc::clone(&counters));
    let hearing = async {
        if !peer.deaf {
            let _ = reader.read_to_end(&mut read).await;
        }
    };
    let talking = async { tokio::join!(serving, send(&peer, octets, &mut writer, &mut sent), hearing) };
    // Idle, slow and deaf peers are waited for, but no longer than this.
    let ended = tokio::time::timeout(Duration::from_secs(600), talking).await;
    assert!(ended.is_ok(), "the connection never ends");
    let counts = counters.read();
    let requests = usize::try_from(counts.requests.requests).expect("few");
    assert!(asked.load(Relaxed) <= requests);
    // HTTP/2 acknowledges settings and pings, and answers a wrong frame with a frame.
    let most = 2048 + requests * (ANSWER + 1024) + 4 * sent;
    assert!(
        read.len() <= most,
        "{} octets sent, {requests} requests, {} octets of answers",
        sent,
        read.len()
    );
    if !peer.two && !read.is_empty() && !octets.starts_with(b"PRI * HTTP/2") {
        assert!(read.starts_with(b"HTTP/1."), "{:?}", read.get(..9));
    }
}

/// Whether all tasks end within this time.
async fn all_end(time: Duration) -> bool {
    let rest = async {
        while Handle::current().metrics().num_alive_tasks() > 0 {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    tokio::time::timeout(time, rest).await.is_ok()
}

async fn answer(request: HttpRequest) -> HttpResponse {
    assert!(request.body.len() <= LIMIT && request.body_octets <= LIMIT);
    assert!(
        request.path.starts_with('/') || request.path == "*" || request.path.is_empty(),
        "{}",
        request.path
    );
    let status = if request.body.is_empty() { StatusCode::OK } else { StatusCode::ACCEPTED };
    let octets = usize::from(request.body.first().copied().unwrap_or(0)) * 7;
    HttpResponse::new(status, "text/plain", vec![b'a'; octets.min(ANSWER)])
}

async fn send(peer: &Peer, octets: &[u8], writer: &mut (impl AsyncWrite + Unpin), sent: &mut usize) {
    const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let start = if peer.two { PREFACE } else { b"" };
    for piece in [start].into_iter().chain(octets.chunks(peer.piece)) {
        if writer.write_all(piece).await.is_err() {
            return;
        }
        *sent += piece.len();
        tokio::task::yield_now().await;
    }
    if !peer.stays {
        let _ = writer.shutdown().await;
    }
}
