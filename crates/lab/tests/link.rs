//! How accurate the link laboratory is, measured from outside with sockets, tcpdump and the kernel's counters.
//!
//! The machine has other work, which makes some packets late whatever the relay does. So times are medians of
//! many, each measurement is repeated up to [`ROUNDS`] times, and the best one counts: a wrong link is wrong every
//! time, a busy machine is not.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test's helpers fail and speak as tests do")]

#[path = "link/measure.rs"]
mod measure;
mod tcpdump;
#[path = "link/user.rs"]
mod user;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use measure::{HEADERS, Pair};
use trunkline_lab::place::link::{Direction, Link, LinkCounts, LinkError, LinkOptions, LinkSpec};
use trunkline_testkit::leave_out;

/// How many times a measurement is tried before it has failed.
const ROUNDS: usize = 8;

/// The names of a link's threads.
const THREADS: [&str; 4] = ["link-relay", "link-spinner", "link-end", "link-capture"];

/// One link at a time: two would share the processors.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn spec(text: &str) -> LinkSpec {
    text.parse().unwrap()
}

/// A link; `None` if none can be created: the test is left out.
fn open(text: &str, capture: Option<&Path>) -> Option<Link> {
    match Link::open(spec(text), capture) {
        Ok(link) => Some(link),
        Err(error @ (LinkError::Rights(_) | LinkError::Namespace(_))) => {
            leave_out(format_args!("no link here ({error})"));
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Repeats a measurement until it is within `share` of `expected`.
fn check_within(what: &str, share: f64, expected: f64, mut measurement: impl FnMut() -> f64) {
    let mut found = Vec::new();
    for _ in 0..ROUNDS {
        let measured = measurement();
        if (measured / expected - 1.0).abs() <= share {
            return;
        }
        found.push(measured);
    }
    panic!("{what}: expected {expected:e} within {} %, found {found:?}", share * 100.0);
}

#[test]
fn the_rate_is_within_one_per_cent() {
    let _alone = alone();
    let Some(link) = open("64k", None) else { return };
    let pair = Pair::open(&link).unwrap();
    for (rate, bits, packets, octets) in
        [("64k", 64e3, 200, 100), ("10M", 10e6, 800, 1500), ("100M", 100e6, 5000, 1500)]
    {
        link.set(spec(&format!("{rate},0,queue=5000")));
        check_within(rate, 0.01, bits, || {
            // If a receiver is kept from its processor for long, its kernel drops packets: another round.
            pair.rate(packets, octets).unwrap_or(f64::NAN)
        });
        assert_eq!(link.counts().to_manager.overflowed, 0);
    }
}

#[test]
fn the_median_delay_is_within_two_per_cent_above_the_same_link_without() {
    let _alone = alone();
    let Some(link) = open("unlimited", None) else { return };
    let pair = Pair::open(&link).unwrap();
    for (text, seconds, count) in [
        ("unlimited,1ms", 1e-3, 300),
        ("unlimited,20ms", 20e-3, 40),
        ("unlimited,1ms,jitter=100us", 1e-3, 300),
        ("10M,2ms", 2e-3, 200),
    ] {
        let spec = spec(text);
        check_within(text, 0.02, seconds, || {
            // At the same pace: after a millisecond of rest everything takes longer to begin.
            link.set(spec.without_delay());
            let without = pair.round_trips(count, 100, spec.round_trip()).unwrap();
            link.set(spec);
            link.reset_lateness();
            let with = pair.round_trips(count, 100, Duration::ZERO).unwrap();
            let added = with.median() - without.median();
            let [median, p99, added_us] = [with.median(), with.p99(), added].map(|seconds| seconds * 1e6);
            eprintln!(
                "{spec}: median {median:.1} us, 99th percentile {p99:.1} us, median added {added_us:.1} us; relay {:?}",
                link.lateness()
            );
            assert_eq!(link.lateness().packets, 2 * u64::from(count));
            added
        });
    }
}

#[test]
fn a_slow_link_delays_each_packet_by_its_length_too() {
    let _alone = alone();
    let Some(link) = open("64k,20ms", None) else { return };
    let pair = Pair::open(&link).unwrap();
    // 100 octets at 64 kbit/s take 12.5 ms each way.
    let median = || pair.round_trips(10, 100, Duration::ZERO).unwrap().median();
    check_within("both ways", 0.02, 45e-3, median);
    link.set_direction(Direction::ToAgent, spec("unlimited"));
    check_within("one way", 0.02, 22.5e-3, median);
}

/// Sends numbered packets from one end and returns the numbers of those that arrive, in that order. The receiving
/// socket has room for all of them.
fn send_numbers(link: &Link, pair: &Pair, direction: Direction, count: u32) -> Vec<u32> {
    let (from, to) = match direction {
        Direction::ToAgent => (&pair.manager, &pair.agent),
        Direction::ToManager => (&pair.agent, &pair.manager),
    };
    let before = link.counts();
    for number in 0..count {
        from.send(&number.to_be_bytes()).unwrap();
    }
    wait_until("all packets have met their fate", || {
        let now = *link.counts().get(direction);
        now.sent.packets - before.get(direction).sent.packets == u64::from(count) && now.under_way() == 0
    });
    let receive = |_| {
        let mut number = [0; 4];
        assert_eq!(to.recv(&mut number).unwrap(), 4);
        u32::from_be_bytes(number)
    };
    (0..(link.counts() - before).get(direction).delivered.packets).map(receive).collect()
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(10);
    while !condition() {
        assert!(Instant::now() < deadline, "not after 10 s: {what}");
        std::thread::yield_now();
    }
}

#[test]
fn losses_are_as_requested_and_the_same_for_the_same_seed() {
    let _alone = alone();
    let (count, share) = (5000, 0.05);
    let arrived = |text: &str, direction| {
        let link = open(text, None)?;
        let pair = Pair::open(&link).unwrap();
        let arrived = send_numbers(&link, &pair, direction, count);
        let counts = *link.counts().get(direction);
        assert_eq!((counts.lost + arrived.len() as u64, counts.overflowed), (u64::from(count), 0));
        assert!(arrived.is_sorted(), "reordered without being asked");
        // After a restart the draws are the same.
        link.set(spec(text));
        assert_eq!(
            send_numbers(&link, &pair, direction, 2000)[..],
            arrived[..arrived.partition_point(|it| *it < 2000)]
        );
        Some(arrived)
    };
    let Some(first) = arrived("unlimited,0,5%,seed=3", Direction::ToManager) else { return };
    let other = arrived("unlimited,0,5%,seed=3", Direction::ToAgent).unwrap();
    let again = arrived("unlimited,1ms,5%,seed=3", Direction::ToManager).unwrap();
    assert_eq!(first, again);
    assert_ne!(first, other);
    assert_ne!(first, arrived("unlimited,0,5%,seed=4", Direction::ToManager).unwrap());
    for arrived in [first, other] {
        let lost = f64::from(count) - arrived.len() as f64;
        // 3.89 standard deviations of the binomial distribution: 99.99 %.
        let margin = 3.89 * (f64::from(count) * share * (1.0 - share)).sqrt();
        assert!((lost - f64::from(count) * share).abs() <= margin, "{lost} lost of {count}");
    }
}

#[test]
fn packets_are_reordered_as_requested_and_not_otherwise() {
    let _alone = alone();
    let Some(link) = open("unlimited,2ms,0,reorder=10%", None) else { return };
    let pair = Pair::open(&link).unwrap();
    let arrived = send_numbers(&link, &pair, Direction::ToAgent, 2000);
    assert_eq!(arrived.len(), 2000);
    let overtaken = |(place, number): (usize, &u32)| arrived[..place].iter().any(|before| before > number);
    let overtaken = arrived.iter().enumerate().filter(|it| overtaken(*it)).count();
    assert_eq!(overtaken as u64, link.counts().to_agent.overtaken);
    // About 200: 3.89 standard deviations.
    assert!((148..=252).contains(&overtaken), "{overtaken}");
    for text in ["unlimited,2ms", "unlimited,2ms,0,jitter=1ms", "10M,0,queue=500"] {
        link.set(spec(text));
        assert!(send_numbers(&link, &pair, Direction::ToAgent, 500).is_sorted(), "{text}");
    }
    assert_eq!(link.counts().to_agent.overtaken, overtaken as u64);
}

#[test]
fn the_queue_overflows_where_it_ends() {
    let _alone = alone();
    let Some(link) = open("1k,0,queue=7", None) else { return };
    let pair = Pair::open(&link).unwrap();
    // All are sent within the 8 s that the first one takes.
    for _ in 0..30 {
        pair.agent.send(&[0; 1000 - HEADERS]).unwrap();
    }
    wait_until("30 packets are sent", || link.counts().to_manager.sent.packets == 30);
    let counts = link.counts().to_manager;
    assert_eq!((counts.under_way(), counts.overflowed, counts.delivered.packets), (7, 23, 0));
}

#[test]
fn counts_are_those_of_captures_and_of_both_kernels() {
    let _alone = alone();
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("link.pcapng");
    let Some(link) = open("20M,2ms,1%", Some(&file)) else { return };
    let Some(witness) = link.manager().run(|| tcpdump::Capture::start("link0", "ip")).unwrap() else {
        return;
    };
    let pair = Pair::open(&link).unwrap();
    for octets in [1, 100, 1472, 1473, 6000] {
        // Whole ones and fragments, some of which are lost: nobody reads them.
        pair.agent.send(&vec![1; octets]).unwrap();
        pair.manager.send(&vec![1; octets]).unwrap();
    }
    converse_over_tcp(&link);
    let quiet =
        || link.agent().device().unwrap().sent_packets + link.manager().device().unwrap().sent_packets;
    wait_until("the link is quiet, and the kernels agree", || {
        let counts = link.counts();
        counts.sent().packets == quiet() && counts.to_agent.under_way() + counts.to_manager.under_way() == 0
    });
    let counts = link.counts();
    assert!(counts.to_manager.lost > 0 && counts.to_agent.lost > 0, "{counts:?}");
    check_kernels(&link, &counts);
    link.flush().unwrap();
    let at_manager = (counts.at_manager().packets, counts.at_manager().ip_octets);
    let sum = |packets: &[tcpdump::Packet]| {
        (packets.len() as u64, packets.iter().map(|packet| packet.ip_octets).sum::<u64>())
    };
    let ours = tcpdump::read(&as_classic(&file));
    assert_eq!(sum(&ours), at_manager);
    let theirs = witness.until(|packets| packets.len() as u64 >= at_manager.0);
    assert_eq!(sum(&theirs), at_manager);
    // Packet by packet: each of the witness's packets is in our file as often as in the witness's.
    let sorted = |mut packets: Vec<tcpdump::Packet>| {
        // tcpdump and the link saw each at slightly different times.
        packets.iter_mut().for_each(|packet| packet.time = 0);
        packets.sort_unstable();
        packets
    };
    assert_eq!(sorted(ours), sorted(theirs));
}

/// Both ends' kernels counted the same as the link, and dropped nothing themselves.
fn check_kernels(link: &Link, counts: &LinkCounts) {
    let (agent, manager) = (link.agent().device().unwrap(), link.manager().device().unwrap());
    assert_eq!((agent.sent_dropped, manager.sent_dropped), (0, 0));
    for (found, traffic) in [
        ((agent.sent_packets, agent.sent_octets), counts.to_manager.sent),
        ((manager.received_packets, manager.received_octets), counts.to_manager.delivered),
        ((manager.sent_packets, manager.sent_octets), counts.to_agent.sent),
        ((agent.received_packets, agent.received_octets), counts.to_agent.delivered),
    ] {
        assert_eq!(found, (traffic.packets, traffic.ip_octets));
    }
}

/// 300,000 octets in each direction; both ends have closed when it returns.
fn converse_over_tcp(link: &Link) {
    let agent = link.agent();
    let listener = agent.run(|| TcpListener::bind((agent.address(), 0))).unwrap().unwrap();
    let to = listener.local_addr().unwrap();
    let converse = |mut stream: TcpStream| {
        let mut from = stream.try_clone().unwrap();
        std::thread::scope(|scope| {
            scope.spawn(move || {
                stream.write_all(&vec![5; 300_000]).unwrap();
                stream.shutdown(std::net::Shutdown::Write).unwrap();
            });
            let mut received = Vec::new();
            from.read_to_end(&mut received).unwrap();
            assert_eq!(received.len(), 300_000);
        });
    };
    std::thread::scope(|scope| {
        scope.spawn(|| converse(listener.accept().unwrap().0));
        converse(link.manager().run(|| TcpStream::connect(to)).unwrap().unwrap());
    });
}

#[test]
fn a_connection_is_open_until_both_ends_have_closed() {
    let _alone = alone();
    let Some(link) = open("100M,1ms", None) else { return };
    assert!(link.is_closed().unwrap());
    let agent = link.agent();
    let listener = agent.run(|| TcpListener::bind((agent.address(), 0))).unwrap().unwrap();
    assert!(link.is_closed().unwrap(), "who listens has no connection");
    let to = listener.local_addr().unwrap();
    let manager = link.manager().run(|| TcpStream::connect(to)).unwrap().unwrap();
    let accepted = listener.accept().unwrap().0;
    assert!(!link.is_closed().unwrap());
    drop(manager);
    assert!(!link.is_closed().unwrap(), "the agent's end has not closed");
    drop(accepted);
    wait_until("both ends are closed", || link.is_closed().unwrap());
}

/// tcpdump's conversion of our capture: the same packets in the classic format.
fn as_classic(file: &Path) -> Vec<u8> {
    let output = Command::new("tcpdump").args(["-Z", "root", "-w", "-", "-r"]).arg(file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

#[test]
fn agents_are_started_at_their_end_with_interfaces_to_show() {
    let _alone = alone();
    let Some(mut link) = open("unlimited", None) else { return };
    assert_eq!(link.agent().interfaces().unwrap(), 2);
    assert!(link.fill_agent(13, 1).unwrap() > 0);
    assert_eq!(link.agent().interfaces().unwrap(), 13);
    assert!(link.fill_agent(13, 1).is_err());
    assert_eq!(link.counts(), LinkCounts::default(), "the filling went over the link");
    assert_eq!(link.manager().interfaces().unwrap(), 2);
    let pair = Pair::open(&link).unwrap();
    assert!(pair.round_trips(3, 100, Duration::ZERO).is_ok());
    // A child that ends with the thread that started it lives as long as the link.
    let start = || {
        let mut command = Command::new("setpriv");
        command.args(["--pdeathsig", "KILL", "--", "cat", "/proc/net/dev", "-"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()
    };
    let mut child = link.agent().start(start).unwrap().unwrap();
    let mut table = String::new();
    child.stdin.take().unwrap().write_all(b"still here\n").unwrap();
    child.stdout.take().unwrap().read_to_string(&mut table).unwrap();
    assert!(table.ends_with("still here\n"), "{table}");
    assert_eq!(table.lines().filter(|line| line.contains(':')).count(), 13);
    child.wait().unwrap();
}

#[test]
fn links_come_and_go_without_a_trace() {
    let _alone = alone();
    for round in 0..5 {
        let spec = spec("10M,1ms");
        let options = LinkOptions { two_threads: round % 2 == 1, awake: round > 2, ..LinkOptions::new(spec) };
        let link = match Link::open_with(options) {
            Ok(link) => link,
            Err(error) => return leave_out(format_args!("no link here ({error})")),
        };
        let pair = Pair::open(&link).unwrap();
        assert!(pair.round_trips(3, 100, Duration::ZERO).unwrap().median() > 1e-3);
        assert_eq!(link.counts().sent().packets, 6);
        assert!(link.cpu().unwrap() > Duration::ZERO);
        drop(link);
        assert!(pair.manager.send(b"anybody?").is_err(), "the device is still there");
    }
    let nowhere = Path::new("/nowhere/link.pcapng");
    let error = Link::open(spec("10M"), Some(nowhere)).unwrap_err();
    assert!(matches!(&error, LinkError::Capture { path, .. } if path == nowhere), "{error}");
    // A thread may still be listed for a moment after it was joined.
    wait_until("no thread of a link is left, nor what held a namespace", || {
        !threads_and_children().iter().any(|name| THREADS.contains(&name.as_str()) || name == "cat")
    });
}

/// The names of this process's threads and of its children.
fn threads_and_children() -> Vec<String> {
    let read = |path: &Path| std::fs::read_to_string(path).unwrap_or_default();
    let mut names = Vec::new();
    for task in std::fs::read_dir("/proc/self/task").unwrap().flatten() {
        names.push(read(&task.path().join("comm")).trim().to_owned());
        for child in read(&task.path().join("children")).split_whitespace() {
            names.push(read(&Path::new("/proc").join(child).join("comm")).trim().to_owned());
        }
    }
    names
}
