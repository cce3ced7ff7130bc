//! The program `trunklined-lab`: the agent with the laboratory's instruments, for
//! loopback and lab namespaces only; never installed.
//!
//! On SIGUSR1 and at its end it writes one line of JSON to stderr: how many requests the fast path of UDP has seen, the
//! nanoseconds spent in each of their phases, the same of requests in sessions (NETCONF, SOAP, SNMP over streams and what UDP had to wait
//! for), and the requests to the allocator; the peak is that since the last line. With `TRUNKLINED_LAB_XML_SCHEMA` libxml2 checks each
//! request of NETCONF by the schema in that file. A request of SOAP to `/soap?xpath=EXPRESSION` is answered with the nodes that
//! libxml2 selects from the text of the finished answer (`m:` is the namespace of the operation).
//!
//! All sessions share one clock, which is exact as long as one request at a time is under way. What it costs to read it, twice for each row
//! of an answer, is in the phases.

#![allow(unsafe_code)] // a global allocator cannot be written without

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_agent::daemon::Hooks;
use trunkline_agent::door::netconf::CheckRequest;
use trunkline_agent::door::snmp::{Phase, Probe};
use trunkline_agent::program;
use trunkline_libxml::{LoadError, Schema, Selection, XPath};
use trunkline_smi::visible_lines;

fn main() -> ExitCode {
    let check_request = match std::env::var_os(SCHEMA).map(|path| Schema::load(Path::new(&path))) {
        Some(Ok(schema)) => XML_SCHEMA.set(schema).is_ok().then_some(check as CheckRequest),
        Some(Err(error)) => {
            say(&format!("trunklined-lab: {SCHEMA}: {error}"));
            return ExitCode::FAILURE;
        }
        None => None,
    };
    program::start::<Timer>(Hooks {
        say,
        print,
        report,
        clock: Some(in_session),
        is_laboratory: true,
        check_request,
        select_finished: Some(select),
    })
}

/// The variable with the path of an XML Schema, by which libxml2 then checks each request of NETCONF.
const SCHEMA: &str = "TRUNKLINED_LAB_XML_SCHEMA";

static XML_SCHEMA: OnceLock<Schema> = OnceLock::new();

fn check(request: &[u8]) -> Result<(), String> {
    let schema = XML_SCHEMA.get().map_or(Ok(()), |schema| schema.check(request));
    schema.map_err(|refused| refused.to_string())
}

/// libxml2, when something was to be selected from a finished answer.
static EVALUATOR: OnceLock<Result<XPath, LoadError>> = OnceLock::new();

fn select(finished: &[u8], expression: &str, namespace: &str) -> Result<Vec<u8>, String> {
    let library = EVALUATOR.get_or_init(XPath::load).as_ref().map_err(ToString::to_string)?;
    let selection = Selection { expression, prefixes: &[("m", namespace)] };
    library.select(finished, &selection).map_err(|refused| refused.to_string())
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

/// The phase that sessions are in, and since when.
static NOW: Mutex<Option<(usize, Instant)>> = Mutex::new(None);
static IN_SESSIONS: [AtomicU64; Phase::ALL.len()] = [const { AtomicU64::new(0) }; Phase::ALL.len()];
/// Requests that were taken from sessions.
static OF_SESSIONS: AtomicU64 = AtomicU64::new(0);

fn in_session(phase: Phase) {
    let mut now = NOW.lock().unwrap_or_else(PoisonError::into_inner);
    let (place, time) = (phase as usize, Instant::now());
    if let Some((before, since)) = *now {
        IN_SESSIONS[before].fetch_add((time - since).as_nanos() as u64, Relaxed);
        // What is over when nothing is under way was a request.
        let is_over = phase == Phase::Wait && before > Phase::Access as usize;
        OF_SESSIONS.fetch_add(u64::from(is_over), Relaxed);
    }
    *now = Some((place, time));
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
    let _ = write!(line, "}},\"in_sessions\":{{\"requests\":{},\"phases_ns\":{{", read(&OF_SESSIONS));
    for (at, (phase, nanos)) in Phase::ALL.iter().zip(&IN_SESSIONS).enumerate() {
        let _ = write!(line, "{}\"{}\":{}", if at > 0 { "," } else { "" }, phase.name(), read(nanos));
    }
    let _ = writeln!(
        line,
        "}}}},\"allocations\":{allocations},\"allocated_octets\":{octets},\"live_octets\":{live},\"peak_octets\":{peak}}}"
    );
}

fn print(lines: &str) {
    let _ = writeln!(std::io::stdout(), "{lines}");
}
