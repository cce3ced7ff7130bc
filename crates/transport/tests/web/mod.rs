//! Shared by the tests of HTTP: a server on a separate port, and a socket that sends what it is given.
#![allow(dead_code, clippy::unwrap_used, reason = "helpers of tests; each test file uses some")]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use trunkline_transport::http::client::{HttpLink, LinkOptions, Place};
use trunkline_transport::http::{
    HttpCounters, HttpCounts, HttpHandler, HttpLimits, HttpRequest, HttpResponse, HttpServer, StatusCode,
};
use trunkline_transport::tls::TlsServer;

pub const PATIENCE: Duration = Duration::from_secs(30);

/// A server, stopped with the test.
pub struct Served {
    pub address: SocketAddr,
    pub counters: Arc<HttpCounters>,
    task: JoinHandle<()>,
}

impl Drop for Served {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Served {
    pub fn with(handler: impl HttpHandler, limits: HttpLimits, tls: Option<Arc<TlsServer>>) -> Self {
        let server = HttpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
        let (address, counters) = (server.local_addr(), server.counters());
        let handler = Arc::new(handler);
        let task = tokio::spawn(async move { server.serve(handler, limits, tls).await.unwrap() });
        Self { address, counters, task }
    }

    pub fn echo(limits: HttpLimits) -> Self {
        Self::with(echo, limits, None)
    }

    pub fn counts(&self) -> HttpCounts {
        self.counters.read()
    }

    pub async fn link(&self, options: LinkOptions) -> HttpLink {
        HttpLink::connect(
            Place { addresses: &[self.address], authority: "agent.example", tls: None },
            options,
        )
        .await
        .unwrap()
    }

    /// Sends bytes unchanged, optionally closing afterwards, and returns everything received until the end.
    pub async fn raw(&self, octets: &[u8], and_end: bool) -> String {
        let mut stream = TcpStream::connect(self.address).await.unwrap();
        // The server may have answered and closed before all of it was sent.
        let _ = stream.write_all(octets).await;
        if and_end {
            let _ = stream.shutdown().await;
        }
        rest(&mut stream).await
    }

    /// Waits until a counter has the expected value: it is incremented just after the visible effect.
    pub async fn counted(&self, expected: u64, which: impl Fn(&HttpCounts) -> u64) {
        let counted = async {
            while which(&self.counts()) != expected {
                tokio::task::yield_now().await;
            }
        };
        assert!(timeout(PATIENCE, counted).await.is_ok(), "{:?}", self.counts());
    }
}

/// Everything received until the end.
pub async fn rest(stream: &mut TcpStream) -> String {
    let mut octets = Vec::new();
    let _ = timeout(PATIENCE, stream.read_to_end(&mut octets)).await.unwrap();
    String::from_utf8_lossy(&octets).into_owned()
}

/// Answers with the body of the request, or a long one for `/long`.
pub async fn echo(request: HttpRequest) -> HttpResponse {
    let body = match request.path.as_str() {
        "/long" => long(),
        "/panic" => unreachable!("asked for"),
        _ if request.body.is_empty() => request.path.into_bytes(),
        _ => request.body.to_vec(),
    };
    HttpResponse::new(StatusCode::OK, "text/plain", body)
}

/// A text that compresses well.
pub fn long() -> Vec<u8> {
    (0..5_000).flat_map(|number| format!("line {number}\n").into_bytes()).collect()
}
