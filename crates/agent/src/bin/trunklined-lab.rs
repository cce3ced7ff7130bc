//! The program `trunklined-lab`: the agent with the laboratory's instruments, for
//! loopback and lab namespaces only; never installed.
//!
//! On SIGUSR1 and at its end it writes one line of JSON to stderr: how many requests the fast path has seen, the
//! nanoseconds spent in each of their phases, and the requests to the allocator; the peak is that since the last
//! line.

#![allow(unsafe_code)] // a global allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::process::ExitCode;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

use trunkline_agent::daemon::Hooks;
use trunkline_agent::door::snmp::{Phase, Probe};
use trunkline_agent::program;
use trunkline_smi::visible_lines;

fn main() -> ExitCode {
    program::start::<Timer>(Hooks { say, print, report, is_laboratory: true })
}

/// Text from a file or a library must not control the terminal. If nobody reads it any more, that is not a reason
/// to end.
fn say(line: &str) {
    let _ = writeln!(std::io::stderr(), "{}", visible_lines(line));
}

const PHASES: [(Phase, &str); 6] = [
    (Phase::Receive, "receive"),
    (Phase::Decode, "decode"),
    (Phase::Access, "access"),
    (Phase::Retrieve, "retrieve"),
    (Phase::Encode, "encode"),
    (Phase::Send, "send"),
];

static NANOS: [AtomicU64; PHASES.len()] = [const { AtomicU64::new(0) }; PHASES.len()];
static REQUESTS: AtomicU64 = AtomicU64::new(0);

/// Adds the time of each phase to a total.
struct Timer {
    phase: usize,
    since: Instant,
}

impl Default for Timer {
    fn default() -> Self {
        Timer { phase: 0, since: Instant::now() }
    }
}

impl Probe for Timer {
    fn begin(&mut self, phase: Phase) {
        let now = Instant::now();
        NANOS[self.phase].fetch_add((now - self.since).as_nanos() as u64, Relaxed);
        self.phase = PHASES.iter().position(|(known, _)| *known == phase).unwrap_or(0);
        self.since = now;
    }

    fn finish(&mut self) {
        REQUESTS.fetch_add(1, Relaxed);
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting {
    allocations: AtomicU64::new(0),
    octets: AtomicU64::new(0),
    live: AtomicU64::new(0),
    peak: AtomicU64::new(0),
};

/// The system's allocator, counted.
struct Counting {
    allocations: AtomicU64,
    octets: AtomicU64,
    live: AtomicU64,
    peak: AtomicU64,
}

impl Counting {
    fn taken(&self, size: usize) {
        self.allocations.fetch_add(1, Relaxed);
        self.octets.fetch_add(size as u64, Relaxed);
        let live = self.live.fetch_add(size as u64, Relaxed) + size as u64;
        self.peak.fetch_max(live, Relaxed);
    }

    fn given_back(&self, size: usize) {
        self.live.fetch_sub(size as u64, Relaxed);
    }
}

// SAFETY: every call goes to the system's allocator unchanged; counting touches only atomics.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.taken(layout.size());
        // SAFETY: the caller keeps GlobalAlloc's contract, which is System's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.taken(layout.size());
        // SAFETY: as above; the system zeroes lazily, which keeps untouched pages untouched.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, octets: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.given_back(layout.size());
        self.taken(size);
        // SAFETY: as above.
        unsafe { System.realloc(octets, layout, size) }
    }

    unsafe fn dealloc(&self, octets: *mut u8, layout: Layout) {
        self.given_back(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(octets, layout) }
    }
}

/// Allocates nothing itself, which would count.
fn report() {
    let read = |counter: &AtomicU64| counter.load(Relaxed);
    let allocator = [&ALLOCATOR.allocations, &ALLOCATOR.octets, &ALLOCATOR.live, &ALLOCATOR.peak].map(read);
    let [allocations, octets, live, peak] = allocator;
    ALLOCATOR.peak.store(live, Relaxed);
    let mut line = std::io::stderr().lock();
    let _ = write!(line, "{{\"requests\":{},\"phases_ns\":{{", read(&REQUESTS));
    for (at, ((_, name), nanos)) in PHASES.iter().zip(&NANOS).enumerate() {
        let _ = write!(line, "{}\"{name}\":{}", if at > 0 { "," } else { "" }, read(nanos));
    }
    let _ = writeln!(
        line,
        "}},\"allocations\":{allocations},\"allocated_octets\":{octets},\"live_octets\":{live},\"peak_octets\":{peak}}}"
    );
}

fn print(lines: &str) {
    let _ = writeln!(std::io::stdout(), "{lines}");
}
