//! How fresh answers are: the three policies of the configuration, as a manager sees them.
//!
//! What is observed is udpInDatagrams of a machine on which datagrams are received all the time: a value that
//! was read at another moment is another value.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::collections::BTreeSet;
use std::net::UdpSocket;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use support::talk::{Talk, show};
use support::{Agent, BOTH, PATIENCE};
use trunkline_smi::Value;

fn config(freshness: &str) -> String {
    format!("{BOTH}[freshness]\n{freshness}\n")
}

/// Datagrams that are received, from now until it is dropped.
struct Traffic {
    stop: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Traffic {
    fn start() -> Traffic {
        let stop = Arc::new(AtomicBool::new(false));
        let ended = stop.clone();
        let thread = std::thread::spawn(move || {
            let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
            let own = socket.local_addr().unwrap();
            while !ended.load(Ordering::Relaxed) {
                socket.send_to(b"x", own).unwrap();
                socket.recv(&mut [0; 8]).unwrap();
            }
        });
        Traffic { stop, thread: Some(thread) }
    }
}

impl Drop for Traffic {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.take().unwrap().join().unwrap();
    }
}

/// The values of all bindings of an answer.
fn values(talk: &Talk, request: &str) -> Vec<u64> {
    let answer = talk.ask(request);
    let value = |binding: &trunkline_snmp::wire::VarBind| match binding.value.value() {
        Some(Value::Counter32(v) | Value::TimeTicks(v)) => u64::from(*v),
        other => panic!("{other:?} in {}", show(&answer)),
    };
    answer.pdu.bindings.iter().map(value).collect()
}

fn received(talk: &Talk) -> u64 {
    values(talk, "2c public get udpInDatagrams.0")[0]
}

fn distinct(values: &[u64]) -> usize {
    values.iter().collect::<BTreeSet<_>>().len()
}

/// The same object many times in one request.
fn many(operation: &str, object: &str) -> String {
    format!("2c public {operation}{}", format!(" {object}").repeat(40))
}

#[test]
fn per_request_every_request_sees_what_was_before_it_and_one_moment() {
    let agent = Agent::start(&config("udp = \"per-request\"\ndefault = \"1h\""));
    let talk = Talk::to(&agent);
    // The request itself is a datagram that the machine has received.
    let mut last = received(&talk);
    for _ in 0..20 {
        let now = received(&talk);
        assert!(now > last, "{now} is not more than {last}");
        last = now;
    }
    let _traffic = Traffic::start();
    for request in
        [many("get", "udpInDatagrams.0"), many("next", "udpInDatagrams"), many("bulk 0 1", "udpInDatagrams")]
    {
        for _ in 0..20 {
            assert_eq!(distinct(&values(&talk, &request)), 1, "one request, one moment");
        }
    }
}

#[test]
fn per_object_each_object_of_a_request_is_read_for_itself() {
    let agent = Agent::start(&config("udp = \"per-object\"\ndefault = \"1h\""));
    let talk = Talk::to(&agent);
    let _traffic = Traffic::start();
    for request in
        [many("get", "udpInDatagrams.0"), many("next", "udpInDatagrams"), many("bulk 0 1", "udpInDatagrams")]
    {
        // There is traffic while the objects are read; that all forty stay the same is unlikely, but may happen
        // once.
        let begin = Instant::now();
        loop {
            let values = values(&talk, &request);
            assert!(values.is_sorted(), "{values:?}");
            if distinct(&values) > 1 {
                break;
            }
            assert!(begin.elapsed() < PATIENCE, "all objects were read at one moment: {values:?}");
        }
    }
    // Another group is read by its own policy.
    assert_eq!(distinct(&values(&talk, &many("get", "ifInOctets.1"))), 1);
}

#[test]
fn max_age_bounds_how_often_the_machine_is_read() {
    let agent = Agent::start(&config("udp = \"200ms\"\ndefault = \"1h\""));
    let talk = Talk::to(&agent);
    let _traffic = Traffic::start();
    let begin = Instant::now();
    let mut seen = vec![received(&talk)];
    while begin.elapsed() < Duration::from_millis(1200) || distinct(&seen) < 3 {
        seen.push(received(&talk));
        assert!(begin.elapsed() < PATIENCE, "the values never change: {seen:?}");
    }
    // Two loads lie at least 200 ms apart.
    let most = begin.elapsed().as_millis() / 200 + 2;
    assert!((distinct(&seen) as u128) <= most, "{} values in {:?}", distinct(&seen), begin.elapsed());
    assert!(seen.is_sorted());
    assert!(seen.len() > 2 * distinct(&seen), "most requests are answered from what was read before");
    assert_eq!(distinct(&values(&talk, &many("get", "udpInDatagrams.0"))), 1);
}

#[test]
fn an_old_age_holds_until_the_policy_changes() {
    let agent = Agent::start(&config("default = \"1h\""));
    let talk = Talk::to(&agent);
    let first = received(&talk);
    let traffic = Traffic::start();
    for _ in 0..50 {
        assert_eq!(received(&talk), first);
    }
    // SIGHUP brings another policy to a running agent.
    let listen = format!("listen = [\"udp://{}\", \"tcp://{}\"]", agent.udp(), agent.tcp());
    let asked = "listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]";
    agent.rewrite(&config("udp = \"per-request\"\ndefault = \"1h\"").replace(asked, &listen));
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    let second = received(&talk);
    assert!(second > first);
    assert!(received(&talk) > second);
    drop(traffic);
}

/// The default: a second, and link changes at once (tests/links.rs).
#[test]
fn the_default_is_a_second() {
    let agent = Agent::start(BOTH);
    let talk = Talk::to(&agent);
    let begin = Instant::now();
    let mut seen = vec![received(&talk)];
    while distinct(&seen) < 3 {
        seen.push(received(&talk));
        assert!(begin.elapsed() < PATIENCE, "{seen:?}");
    }
    // The third value is read a second after the second one at the earliest.
    assert!(begin.elapsed() >= Duration::from_secs(1), "{:?}", begin.elapsed());
}
