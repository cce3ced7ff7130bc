//! Sharing sessions, waiting for them and closing them, on virtual time.

use std::sync::atomic::AtomicUsize;
use std::task::Poll;

use trunkline_snmp::wire::Version;
use trunkline_transport::dial::DatagramLink;
use trunkline_transport::memory::{Faults, pair};

use super::*;
use crate::credentials::{Credentials, Secret, UsmCredentials};

/// A pool over in-memory links, and the number of its live sessions.
struct Bench {
    pool: Pool,
    live: Arc<AtomicUsize>,
}

fn bench(max_sessions: usize, max_per_peer: usize) -> Bench {
    let options = PoolOptions { max_sessions, max_per_peer, ..PoolOptions::default() };
    let live = Arc::<AtomicUsize>::default();
    let counter = Arc::clone(&live);
    let opener: Opener = Box::new(move |target, options| {
        let counter = Arc::clone(&counter);
        Box::pin(async move {
            if target.host == "nowhere" {
                return Err(Error::NoEngine);
            }
            let (ours, theirs) = pair(Faults::none(), Faults::none());
            counter.fetch_add(1, Relaxed);
            tokio::spawn(async move {
                while theirs.recv().await.is_some() {}
                counter.fetch_sub(1, Relaxed);
            });
            Ok(SnmpSession::over_datagrams(DatagramLink::Memory(ours), target.credentials, options))
        })
    });
    Bench { pool: Pool::with_opener(options, opener), live }
}

impl Bench {
    async fn lease(&self, url: &str) -> Lease {
        self.pool.session(&target(url)).await.unwrap()
    }

    /// Lets the tasks of closed sessions finish.
    async fn live(&self) -> usize {
        for _ in 0..20 {
            tokio::task::yield_now().await;
        }
        self.live.load(Relaxed)
    }
}

fn target(url: &str) -> Target {
    url.parse().unwrap()
}

async fn is_pending<T>(future: Pin<&mut impl Future<Output = T>>) -> bool {
    let mut future = future;
    std::future::poll_fn(|context| Poll::Ready(future.as_mut().poll(context).is_pending())).await
}

#[tokio::test(start_paused = true)]
async fn callers_with_the_same_device_and_credentials_share_a_session() {
    let bench = bench(10, 10);
    let one = bench.lease("snmp://h").await;
    let same = bench.lease("snmp://h/1.3.6").await;
    assert_eq!(bench.pool.counts().opened, 1);
    let others = ["snmp://h:1161", "snmp+tcp://h", "snmp://i", "snmp://private@h", "snmp://h?version=1"];
    for (url, number) in others.into_iter().zip(2..) {
        drop(bench.lease(url).await);
        assert_eq!(bench.pool.counts().opened, number, "{url}");
    }
    drop((one, same));
    drop(bench.lease("snmp://h").await);
    assert_eq!((bench.pool.counts().opened, bench.live().await), (6, 6));
}

#[tokio::test(start_paused = true)]
async fn users_are_the_same_by_name_and_secrets() {
    let bench = bench(10, 10);
    let user = |password: &[u8]| {
        let ann = UsmCredentials::new(b"ann").unwrap();
        let hash = trunkline_snmp::usm::AuthProtocol::Sha256;
        let ann = ann.with_auth(hash, Secret::password(password)).unwrap();
        Target { credentials: Credentials::from(ann), ..target("snmp://h") }
    };
    for (password, opened) in [(b"maplesyrup", 1), (b"maplesyrup", 1), (b"other word", 2)] {
        drop(bench.pool.session(&user(password)).await.unwrap());
        assert_eq!(bench.pool.counts().opened, opened);
    }
    let community = Credentials::community(Version::V2c, b"ann");
    drop(bench.pool.session(&Target { credentials: community, ..target("snmp://h") }).await.unwrap());
    assert_eq!(bench.pool.counts().opened, 3);
}

#[tokio::test(start_paused = true)]
async fn the_longest_idle_session_makes_room() {
    let bench = bench(3, 2);
    let busy = bench.lease("snmp://busy").await;
    for host in ["a", "b"] {
        drop(bench.lease(&format!("snmp://{host}")).await);
        tokio::time::advance(Duration::from_secs(1)).await;
    }
    drop(bench.lease("snmp://c").await);
    assert_eq!((bench.pool.counts().made_room, bench.live().await), (1, 3));
    // `a` is gone, the others are there.
    for (host, opened) in [("b", 4), ("busy", 4), ("c", 4), ("a", 5)] {
        drop(bench.lease(&format!("snmp://{host}")).await);
        assert_eq!(bench.pool.counts().opened, opened, "{host}");
    }
    drop(busy);
}

#[tokio::test(start_paused = true)]
async fn a_caller_waits_if_all_sessions_are_in_use() {
    let bench = bench(10, 2);
    let (one, _two) = (bench.lease("snmp://1@h").await, bench.lease("snmp://2@h").await);
    let other = bench.lease("snmp://other").await;
    let third = target("snmp://3@h");
    let mut waiting = pin!(bench.pool.session(&third));
    assert!(is_pending(waiting.as_mut()).await);
    // Room for other devices is not room for this one.
    drop(other);
    assert!(is_pending(waiting.as_mut()).await);
    drop(one);
    let third = waiting.await.unwrap();
    assert_eq!(bench.live().await, 3);
    let counts = bench.pool.counts();
    assert_eq!((counts.open, counts.opened, counts.made_room), (3, 4, 1));
    assert!(counts.waits >= 1);
    drop(third);
}

#[tokio::test(start_paused = true)]
async fn idle_sessions_are_closed_and_the_pool_takes_all_with_it() {
    let bench = bench(10, 10);
    let kept = bench.lease("snmp://kept").await;
    drop(bench.lease("snmp://a").await);
    tokio::time::sleep(Duration::from_secs(200)).await;
    drop(bench.lease("snmp://b").await);
    tokio::time::sleep(Duration::from_secs(101)).await;
    assert_eq!((bench.pool.counts().idled, bench.live().await), (1, 2), "a is gone");
    tokio::time::sleep(Duration::from_secs(1000)).await;
    assert_eq!(
        (bench.pool.counts().idled, bench.pool.counts().open),
        (2, 1),
        "b is, too; what is leased is not"
    );
    drop(kept);
    tokio::time::sleep(Duration::from_secs(301)).await;
    assert_eq!((bench.pool.counts().open, bench.live().await), (0, 0));
    drop(bench.lease("snmp://a").await);
    assert_eq!(bench.live().await, 1);
    let Bench { pool, live } = bench;
    drop(pool);
    tokio::time::sleep(Duration::from_secs(1)).await;
    assert_eq!(live.load(Relaxed), 0);
}

#[tokio::test(start_paused = true)]
async fn a_failed_opening_leaves_no_trace_and_concurrent_callers_open_one_session() {
    let bench = bench(1, 1);
    assert!(bench.pool.session(&target("snmp://nowhere")).await.is_err());
    assert_eq!(bench.pool.counts().open, 0);
    let target = target("snmp://h");
    let (one, two) = tokio::join!(bench.pool.session(&target), bench.pool.session(&target));
    assert_eq!((one.is_ok(), two.is_ok(), bench.live().await), (true, true, 1));
}
