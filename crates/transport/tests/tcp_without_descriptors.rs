//! Accepting when the process has no file descriptor left. Alone in its program, because the limit applies to the
//! whole process.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use trunkline_transport::tcp::{Messages, Plain, TcpCounters, TcpLimits, TcpServer};

fn limit_descriptors(soft: usize) {
    let own = std::process::id().to_string();
    let limit = format!("--nofile={soft}:4096");
    assert!(Command::new("prlimit").args(["--pid", &own, &limit]).status().unwrap().success());
}

async fn until(counters: &TcpCounters, errors: u64) {
    while counters.read().accept_errors < errors {
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn accepting_waits_and_recovers() {
    let server = TcpServer::bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let (address, counters) = (server.local_addr(), server.counters());
    let echo = |message: Vec<u8>, _| async move { Some(message) };
    let greeter = Plain::new(Messages::new(Arc::new(echo), |_| Ok(Some(1))));
    let serving = tokio::spawn(server.serve(greeter, TcpLimits::default()));
    let used = std::fs::read_dir("/proc/self/fd").unwrap().count();

    limit_descriptors(used + 8);
    // Take every descriptor but one, then use that one to connect.
    let mut taken: Vec<_> = std::iter::from_fn(|| std::fs::File::open("/dev/null").ok()).collect();
    taken.pop();
    let mut client = TcpStream::connect(address).await.unwrap();
    let start = Instant::now();
    until(&counters, 3).await;
    assert!(start.elapsed() >= Duration::from_millis(100), "it spins: {:?}", start.elapsed());

    taken.clear();
    client.write_all(b"x").await.unwrap();
    let answer = tokio::time::timeout(Duration::from_secs(30), client.read_u8()).await.unwrap().unwrap();
    assert_eq!(answer, b'x');
    limit_descriptors(1024);
    serving.abort();
}
