//! A small tree with one of everything: scalars, absent and live ones, tables with every kind of
//! index, a sparse column, an empty table, writable objects, three groups whose objects interleave.

pub mod schema;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_tree::{Freshness, Live, Tree, TreeBuilder, View};

use crate::asker::Asker;
use crate::synthetic::{Log, Synthetic};
use schema::{
    FACT_ADDRESS, FACT_BIG, FACT_COUNTER, FACT_GAUGE, FACT_MIDDLE, FACT_NUMBER, FACT_OID, FACT_OPAQUE,
    FACT_SERIAL, FACT_TEXT, FACT_UPTIME, FACTS, HOST_TABLE, PATH_TABLE, PEER_TABLE, PEERS, PORT_COUNT,
    PORT_TABLE, PORTS, WORD_TABLE,
};

/// The tree, its providers, and a clock that only tests move.
pub struct Fixture {
    /// The tree over the three providers.
    pub tree: Tree,
    /// Scalars.
    pub facts: Arc<Synthetic>,
    /// A table with a single-integer index, and an empty one.
    pub ports: Arc<Synthetic>,
    /// Tables with other indexes.
    pub peers: Arc<Synthetic>,
    /// What the providers did in sets.
    pub log: Log,
    start: Instant,
    passed: AtomicU64,
}

/// What the fixture's providers hold at first.
pub struct Providers {
    /// Of [`schema::FACTS`].
    pub facts: Arc<Synthetic>,
    /// Of [`schema::PORTS`].
    pub ports: Arc<Synthetic>,
    /// Of [`schema::PEERS`].
    pub peers: Arc<Synthetic>,
    /// What they do in sets.
    pub log: Log,
}

impl Fixture {
    /// The tree with this policy for every group. Nothing is loaded yet.
    pub fn new(freshness: Freshness) -> Self {
        let Providers { facts, ports, peers, log } = providers();
        let start = Instant::now();
        let mut builder = TreeBuilder::default();
        builder.provider(facts.clone(), freshness);
        builder.provider(ports.clone(), freshness);
        builder.provider(peers.clone(), freshness);
        let tree = builder.build(start).unwrap();
        Fixture { tree, facts, ports, peers, log, start, passed: AtomicU64::new(0) }
    }

    /// The present: moves only by [`Fixture::pass`].
    pub fn now(&self) -> Instant {
        self.start + Duration::from_nanos(self.passed.load(Ordering::Acquire))
    }

    /// Lets time pass.
    pub fn pass(&self, time: Duration) {
        self.passed.fetch_add(time.as_nanos() as u64, Ordering::AcqRel);
    }

    /// A query now, with access to everything.
    pub fn asker(&self) -> Asker<'_> {
        self.asker_with(View::everything())
    }

    /// A query now, with this view.
    pub fn asker_with(&self, view: View) -> Asker<'_> {
        Asker::new(&self.tree, view, self.now(), || self.now())
    }
}

impl Default for Fixture {
    /// With the default policy of the tree.
    fn default() -> Self {
        Fixture::new(Freshness::default())
    }
}

/// The three providers, filled.
pub fn providers() -> Providers {
    let log = Log::default();
    let facts = Synthetic::new(&FACTS, log.clone());
    let ports = Synthetic::new(&PORTS, log.clone());
    let peers = Synthetic::new(&PEERS, log.clone());
    fill_facts(&facts);
    fill_ports(&ports);
    fill_peers(&peers);
    Providers { facts, ports, peers, log }
}

fn fill_facts(facts: &Synthetic) {
    for (scalar, value) in [
        (FACT_NUMBER, Value::Integer(-7)),
        (FACT_TEXT, Value::text("hello")),
        (FACT_BIG, Value::Counter64(u64::MAX)),
        (FACT_SERIAL, Value::Integer(41)),
        (FACT_OID, Value::ObjectIdentifier(Oid::from([0, 0]))),
        (FACT_ADDRESS, Value::IpAddress([192, 0, 2, 1])),
        (FACT_OPAQUE, Value::Opaque(vec![0x9f, 0x78, 4, 0, 0, 0, 0])),
        (FACT_COUNTER, Value::Counter32(u32::MAX)),
        (FACT_GAUGE, Value::Unsigned32(0)),
        (FACT_MIDDLE, Value::Integer(i32::MAX)),
    ] {
        facts.put(scalar.oid, &[0], value);
    }
    facts.put_live(FACT_UPTIME.oid, Arc::new(Ticks));
}

/// Rows 1, 2, 3, 10 and 2147483647; rows 2 and 10 have no `portSpeed`.
fn fill_ports(ports: &Synthetic) {
    let rows = [
        (1, "lo", Some(10)),
        (2, "eth0", None),
        (3, "", Some(1000)),
        (10, "wlan0", None),
        (i32::MAX, "tun", Some(u32::MAX)),
    ];
    ports.put(PORT_COUNT.oid, &[0], Value::Integer(rows.len() as i32));
    for (index, name, speed) in rows {
        let row = &[index as u32][..];
        ports.put_cell(&PORT_TABLE, row, 1, Value::Integer(index));
        ports.put_cell(&PORT_TABLE, row, 2, Value::text(name));
        ports.put_cell(&PORT_TABLE, row, 3, Value::Counter32((index as u32).wrapping_mul(100)));
        if let Some(speed) = speed {
            ports.put_cell(&PORT_TABLE, row, 4, Value::Unsigned32(speed));
        }
        ports.put_cell(&PORT_TABLE, row, 5, Value::Integer(1));
        ports.put_cell(&PORT_TABLE, row, 6, Value::Counter64(1 << 40));
    }
}

fn fill_peers(peers: &Synthetic) {
    let rows: [(&[u32], i32); 3] = [
        (&[1, 4, 127, 0, 0, 1, 80], 1),
        (&[1, 4, 192, 0, 2, 255, 65535], 2),
        (&[2, 16, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 161], 1),
    ];
    for (index, state) in rows {
        peers.put_cell(&PEER_TABLE, index, 4, Value::Integer(state));
    }
    for (word, count) in [("a", 3), ("ab", 2), ("b", 1)] {
        let index: Vec<u32> = word.bytes().map(u32::from).collect();
        peers.put_cell(&WORD_TABLE, &index, 2, Value::Unsigned32(count));
    }
    for path in [&[1, 3, 6][..], &[2, 999, u32::MAX, 1]] {
        let index: Vec<u32> = std::iter::once(path.len() as u32).chain(path.iter().copied()).collect();
        peers.put_cell(&PATH_TABLE, &index, 2, Value::ObjectIdentifier(Oid::EMPTY.child(path)));
    }
    for last in [1, 2] {
        let index = [192, 0, 2, last, 0, 255];
        peers.put_cell(&HOST_TABLE, &index, 1, Value::IpAddress([192, 0, 2, last as u8]));
        peers.put_cell(&HOST_TABLE, &index, 3, Value::Opaque(vec![]));
        peers.put_cell(&HOST_TABLE, &index, 4, Value::Counter64(u64::from(last)));
    }
}

/// Always 12345 hundredths of a second.
struct Ticks;

impl Live for Ticks {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::TimeTicks(12345)
    }
}
