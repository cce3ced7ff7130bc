//! The battery passes what is right and finds what is wrong.

#![allow(clippy::unwrap_used, reason = "a test that fails panics")]

use std::sync::Arc;
use std::time::Instant;

use trunkline_smi::{Oid, Value, ValueRef};
use trunkline_testkit::battery;
use trunkline_testkit::fixture::schema::{
    FACT_TEXT, FACT_UPTIME, FACTS, HOST_TABLE, PEER_TABLE, PEERS, PORT_TABLE, PORTS, WORD_TABLE,
};
use trunkline_testkit::fixture::{Providers, providers};
use trunkline_testkit::synthetic::{Log, Synthetic};
use trunkline_tree::{Group, Live};

#[test]
fn the_fixture_passes() {
    let Providers { facts, ports, peers, .. } = providers();
    battery::check(facts);
    battery::check(ports.clone());
    battery::check(peers);
    assert_eq!(ports.loads(), 3, "twice by hand, once by a tree");
}

#[test]
fn an_empty_provider_passes() {
    for group in [&FACTS, &PORTS, &PEERS] {
        battery::check(Synthetic::new(group, Log::default()));
    }
}

#[test]
fn a_provider_that_says_unchanged_passes() {
    let Providers { ports, .. } = providers();
    ports.claim_unchanged(true);
    battery::check(ports);
}

#[test]
fn a_large_table_passes() {
    let ports = Synthetic::new(&PORTS, Log::default());
    for row in 1..=700 {
        ports.put_cell(&PORT_TABLE, &[row], 1, Value::Integer(row as i32));
        if row % 3 != 0 {
            ports.put_cell(&PORT_TABLE, &[row], 4, Value::Unsigned32(row));
        }
    }
    battery::check(ports);
}

/// The battery's report for a provider with one injected error.
fn finding(group: &'static Group, spoil: impl Fn(&Synthetic)) -> String {
    let provider = Synthetic::new(group, Log::default());
    spoil(&provider);
    let findings = battery::examine(provider);
    assert!(!findings.is_empty(), "the battery finds nothing");
    findings.join("\n")
}

#[test]
fn mistakes_are_found() {
    let port = |index: &'static [u32], id: u32, value: Value| {
        finding(&PORTS, move |provider| provider.put_cell(&PORT_TABLE, index, id, value.clone()))
    };
    let long = Value::text("longer than 8");
    for (found, expected) in [
        (port(&[1, 2], 3, Value::Counter32(0)), "portTable row 1.2: 1 sub-identifiers after the last part"),
        (port(&[], 3, Value::Counter32(0)), "portTable row : the index ends inside portIndex"),
        (port(&[1], 1, Value::Integer(2)), "column portIndex is Integer(2), the index Integer(1)"),
        (port(&[0], 3, Value::Counter32(0)), "index portIndex: Integer(0) does not fit: Err(WrongValue)"),
        (port(&[1 << 31], 3, Value::Counter32(0)), "portIndex cannot be Integer(2147483648)"),
        (port(&[1], 5, Value::Integer(9)), "portAdmin.1: Integer(9) does not fit: Err(WrongValue)"),
        (port(&[1], 2, long.clone()), "portName.1: OctetString("),
        (finding(&FACTS, |facts| facts.put(FACT_TEXT.oid, &[0], long.clone())), "factText: OctetString("),
        (finding(&FACTS, |facts| facts.put_live(FACT_UPTIME.oid, Arc::new(Liar))), "factUptime: Integer(1)"),
        (
            finding(&PEERS, |peers| peers.put_cell(&PEER_TABLE, &[1, 4, 1, 2], 4, Value::Integer(1))),
            "peerTable row 1.4.1.2: the index ends inside peerAddress",
        ),
        (
            finding(&PEERS, |peers| peers.put_cell(&WORD_TABLE, &[256], 2, Value::Unsigned32(1))),
            "wordTable row 256: 256 in word is not an octet",
        ),
        (
            finding(&PEERS, |peers| peers.put_cell(&HOST_TABLE, &[1, 2, 3, 4, 5, 6], 2, Value::text("ab"))),
            "hostTable row 1.2.3.4.5.6: no cell that may be read",
        ),
        (
            finding(&PORTS, |ports| ports.fail_loads(true)),
            "the first load fails: cannot read ports: told to fail",
        ),
    ] {
        assert!(found.contains(expected), "{expected}\nis not in\n{found}");
    }
}

struct Liar;

impl Live for Liar {
    fn read(&self, _now: Instant) -> ValueRef<'_> {
        ValueRef::Integer(1)
    }
}

/// A live scalar that gives another value each time is compared by its type.
#[test]
fn a_restless_live_value_passes() {
    struct Restless(std::sync::atomic::AtomicU32);
    impl Live for Restless {
        fn read(&self, _now: Instant) -> ValueRef<'_> {
            ValueRef::TimeTicks(self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed))
        }
    }
    let facts = Synthetic::new(&FACTS, Log::default());
    facts.put_live(FACT_UPTIME.oid, Arc::new(Restless(0.into())));
    facts.put(&Oid::from([1, 3, 6, 1, 4, 1, 32473, 1, 1]), &[0], Value::Integer(1));
    battery::check(facts);
}
