//! One request through the door, octets to octets, without a socket: for instruction
//! counts and profiles of the whole path (decode, access, retrieve, encode).
//!
//! ```text
//! valgrind --tool=callgrind target/release/deps/exchange-* bulk_66 1000
//! ```
//! It reads this machine's interfaces; to be like the laboratory run it in a network namespace
//! with 84 of them.
#![allow(missing_docs, clippy::print_stdout, clippy::expect_used, clippy::panic)]

use std::net::SocketAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_admin::Kept;
use trunkline_agent::assembly::Assembly;
use trunkline_agent::door::snmp::{Answer, Door, NoProbe, Outcome, Sender, Worker};
use trunkline_config::Plan;
use trunkline_smi::Oid;
use trunkline_snmp::wire::{Message, Pdu, PduKind, Version};
use trunkline_tree::Freshness;

const CASES: &[&str] = &["get_1", "get_66", "next_22", "bulk_66", "bulk_22x3"];

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let Some(case) = arguments.next() else {
        CASES.iter().for_each(|case| println!("{case}"));
        return;
    };
    let times: u32 = arguments.next().map_or(1000, |times| times.parse().expect("a number of repetitions"));
    let question = question(&case).encode();
    let door = door();
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let peer = SocketAddr::from(([127, 0, 0, 1], 9));
    let Answer::Message(answer) = runtime.block_on(door.answer(&question, Sender::unproved(peer))) else {
        panic!("no answer")
    };

    let settings = door.settings();
    let mut worker = Worker::<NoProbe>::default();
    let mut buffer = Vec::new();
    let begin = Instant::now();
    let mut octets = 0;
    for _ in 0..times {
        match door.answer_now(&settings, &mut worker, &question, Sender::unproved(peer), begin, &mut buffer) {
            Outcome::Reply(range) => octets = range.len(),
            other => panic!("{other:?}"),
        }
    }
    let nanos = begin.elapsed().as_nanos() / u128::from(times);
    assert_eq!(octets, answer.len());
    println!("{case} {times} {nanos} ns, {octets} octets");
}

fn door() -> Arc<Door> {
    let folder = std::env::temp_dir().join(format!("trunkline-exchange-{}", std::process::id()));
    let mut plan = Plan::default();
    plan.freshness.default = Freshness::MaxAge(Duration::from_secs(3600));
    let kept = Arc::new(Kept::open(&folder).expect("no state"));
    let Assembly { machine, door, .. } =
        Assembly::of(&plan, &folder, kept, Instant::now(), None).expect("an agent");
    std::mem::forget(machine); // its link watch lives as long as the program
    std::fs::remove_dir_all(&folder).expect("the state of this run");
    door
}

fn question(case: &str) -> Message {
    let cell = |column: u32| Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column]);
    let index = std::fs::read_to_string("/sys/class/net/lo/ifindex").expect("lo");
    let index: u32 = index.trim().parse().expect("an index");
    let columns: Vec<Oid> = (1..=22).map(cell).collect();
    let pdu = match case {
        "get_1" => Pdu::read(PduKind::Get, 1, &[cell(10).child(&[index])]),
        "get_66" => {
            let cells: Vec<Oid> = (0..66).map(|at| cell(at % 22 + 1).child(&[index])).collect();
            Pdu::read(PduKind::Get, 1, &cells)
        }
        "next_22" => Pdu::read(PduKind::GetNext, 1, &columns),
        "bulk_66" => Pdu::bulk(1, 0, 66, &[Oid::from([1, 3, 6, 1, 2, 1, 2, 2])]),
        "bulk_22x3" => Pdu::bulk(1, 0, 3, &columns),
        other => panic!("no case {other}: {CASES:?}"),
    };
    Message { version: Version::V2c, community: b"public".to_vec(), pdu }
}
