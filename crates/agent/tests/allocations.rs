//! A request is answered without a heap allocation, from octets to octets, once its worker has seen a similar
//! one, as checked by a counting allocator.
//!
//! One test alone in its binary: the count is for this thread, and the allocator for the process.

#![allow(unsafe_code, reason = "a global allocator cannot be written without")]
#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use support::talk::parse;
use trunkline_admin::Kept;
use trunkline_agent::assembly::Assembly;
use trunkline_agent::door::snmp::{Door, NoProbe, Outcome, Sender, Worker};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::EngineTime;
use trunkline_snmp::wire::{Header, Protection, Salts, UsmSecurity, V3Header, V3Security};
use trunkline_tree::Freshness;

struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    // While a thread ends its locals are gone; nothing is measured then.
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every method hands its arguments to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps `alloc`'s contract, which is the system allocator's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: `memory` came from the system's allocator through `alloc` or `realloc`.
        unsafe { System.dealloc(memory, layout) }
    }

    unsafe fn realloc(&self, memory: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller keeps the contract on `size`.
        unsafe { System.realloc(memory, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const PEER: SocketAddr = SocketAddr::new(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST), 9);

#[test]
fn requests_allocate_nothing_in_the_steady_state() {
    // The counter counts at all.
    let before = ALLOCATIONS.get();
    drop(std::hint::black_box(Box::new(7)));
    assert_eq!(ALLOCATIONS.get(), before + 1);

    let folder = tempfile::tempdir().unwrap();
    let mut plan = trunkline_config::parse(Path::new("allocations.toml"), CONFIGURATION).unwrap();
    plan.freshness.default = Freshness::MaxAge(Duration::from_secs(3600));
    let kept = Arc::new(Kept::open(folder.path()).unwrap());
    let Assembly { machine: _machine, door, .. } =
        Assembly::of(&plan, folder.path(), kept, Instant::now(), None).unwrap();

    let many = " ifInOctets.1".repeat(66);
    for request in [
        "2c public get ifInOctets.1",
        "1 public get ifInOctets.1",
        "2c public get sysUpTime.0 ifDescr.1 ifHCInOctets.1 sysObjectID.0",
        &format!("2c public get{many}"),
        "2c public next ifInOctets",
        "1 public next ifHCInOctets",
        "2c public next ifIndex ifDescr ifType ifMtu ifSpeed ipForwarding sysORTable",
        "2c public bulk 0 66 ifTable",
        "2c public bulk 0 66 1.3",
        "2c public bulk 1 22 sysUpTime ifIndex ifDescr ifType",
        "2c public bulk 0 10000 1.3",
        // Exceptions and errors.
        "2c public get sysDescr.9 2.999 ifDescr.4294967295",
        "2c public next 2.999",
        "2c public bulk 0 5 2.999 sysDescr",
        "1 public get sysDescr.0 2.999",
        "1 public next 2.999",
        &format!("2c public get{}", " sysDescr.0".repeat(3000)),
        // What is dropped.
        "2c secret get sysDescr.0",
        "1 public bulk 0 5 sysDescr",
        "2c public trap sysDescr.0",
    ] {
        assert_eq!(allocations(&door, &parse(request).encode(), request), 0, "{request}");
    }
    for request in [
        "get ifInOctets.1",
        &format!("get{many}"),
        "next ifIndex ifDescr ifType ifMtu ifSpeed ipForwarding sysORTable",
        "bulk 0 66 ifTable",
        "bulk 0 10000 1.3",
        &format!("get{}", " sysDescr.0".repeat(3000)),
        "trap sysDescr.0",
    ] {
        for user in ["ann", "bob"] {
            for level in [SecurityLevel::AuthNoPriv, SecurityLevel::AuthPriv] {
                let octets = protected(&door, user, level, request, 0);
                assert_eq!(allocations(&door, &octets, request), 0, "{user} {level} {request}");
            }
        }
    }
    // Reports: another time, a wrong digest, an unknown user.
    let untimely = protected(&door, "ann", SecurityLevel::AuthPriv, "get sysDescr.0", 1000);
    let mut forged = protected(&door, "ann", SecurityLevel::AuthNoPriv, "get sysDescr.0", 0);
    let last = forged.len() - 1;
    forged[last - 2] ^= 1;
    let unknown = protected(&door, "nobody", SecurityLevel::NoAuthNoPriv, "get sysDescr.0", 0);
    for octets in [untimely, forged, unknown] {
        assert_eq!(allocations(&door, &octets, "refused"), 0);
    }
    let counters = door.core().counters();
    let refused = [&counters.not_in_time_windows, &counters.wrong_digests, &counters.unknown_user_names];
    assert!(refused.iter().all(|counter| counter.get() == 1010), "each is refused for its own reason");
}

/// A message of a user's, to the door's engine; `ahead` is how many seconds its clock is ahead of the engine's.
fn protected(door: &Door, user: &str, level: SecurityLevel, request: &str, ahead: u32) -> Vec<u8> {
    let engine = door.core().engine();
    let users = engine.users();
    let user_row = users.get(engine.id().as_bytes(), user.as_bytes());
    let mut moment = engine.moment(Instant::now());
    moment.time = EngineTime::new(moment.time.get() + ahead).unwrap();
    let salts = Salts::new(1);
    let header = V3Header {
        message_id: 1,
        max_size: 65_507,
        reportable: true,
        security: V3Security::Usm(UsmSecurity {
            engine_id: engine.id().as_bytes(),
            moment,
            user_name: user.as_bytes(),
            protection: user_row.map_or(Protection::NONE, |user| Protection::new(user, level).unwrap()),
            salts: &salts,
        }),
        context_engine_id: engine.id().as_bytes(),
        context_name: b"",
    };
    let pdu = parse(&format!("2c {user} {request}")).pdu;
    let mut buffer = Vec::new();
    let range = Header::V3(&header).encode(&pdu, 65_507, &mut buffer).unwrap();
    buffer[range].to_vec()
}

/// The protocols of the two users: the usual ones, and those with padding.
const CONFIGURATION: &str = r#"
[[snmp.community]]
name = "public"
access = "read"

[[role]]
name = "operator"
read = ["1.3"]

[[snmp.user]]
name = "ann"
auth = "SHA-256"
priv = "AES"
password = "a long password"
role = "operator"

[[snmp.user]]
name = "bob"
auth = "MD5"
priv = "DES"
password = "a long password"
role = "operator"
"#;

/// The allocations of 1,000 equal requests after ten that warm everything up.
fn allocations(door: &Door, octets: &[u8], request: &str) -> usize {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let settings = door.settings();
    let mut worker = Worker::<NoProbe>::default();
    let mut buffer = Vec::new();
    let (mut done, mut allocated) = (0, 0);
    while done < 1010 {
        let now = Instant::now();
        let before = ALLOCATIONS.get();
        let outcome =
            door.answer_now(&settings, &mut worker, octets, Sender::unproved(PEER), now, &mut buffer);
        let grown = ALLOCATIONS.get() - before;
        match outcome {
            // Groups are loaded at first, and again when a link of this machine changes.
            Outcome::Load(_) => drop(runtime.block_on(door.answer(octets, Sender::unproved(PEER)))),
            Outcome::Set(_) => panic!("{request} does not only read"),
            Outcome::Reply(_) | Outcome::Silent => {
                done += 1;
                allocated += if done > 10 { grown } else { 0 };
            }
        }
    }
    allocated
}
