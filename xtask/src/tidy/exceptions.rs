//! The exceptions to the checks, by name and with a reason.

/// A file, or a function in a file, that may break one rule.
pub struct Exception {
    /// The file's path, for a function followed by `::` and its name.
    pub what: &'static str,
    /// Why it may.
    pub reason: &'static str,
}

/// Files that may hold `unsafe`.
pub const UNSAFE: &[Exception] = &[
    Exception {
        what: "crates/transport/src/udp/mmsg.rs",
        reason: "recvmmsg and sendmmsg with buffers of the caller (docs/decisions/0002)",
    },
    Exception {
        what: "crates/transport/src/dtls/ffi.rs",
        reason: "calls of OpenSSL for DTLS that its Rust crate does not wrap",
    },
    Exception {
        what: "crates/transport/src/password/pages.rs",
        reason: "pages of the system for checks of passwords (docs/decisions/0030)",
    },
    Exception {
        what: "crates/agent/src/privilege.rs",
        reason: "changing the user of all threads, which only the C library can",
    },
    Exception {
        what: "crates/agent/src/allocator.rs",
        reason: "malloc_trim, by which freed memory goes back to the system (docs/decisions/0032)",
    },
    Exception {
        what: "crates/lab/src/kit/place/link/sys.rs",
        reason: "making a TUN device and the scheduler's idle class, which no safe crate offers",
    },
    Exception {
        what: "crates/agent/src/bin/trunklined-lab.rs",
        reason: "an allocator that counts, for the laboratory",
    },
    Exception {
        what: "fuzz/fuzz_targets/control.rs",
        reason: "the C library's structures, with which ours are compared",
    },
    Exception { what: "crates/tree/tests/allocations.rs", reason: "an allocator that counts, for a test" },
    Exception { what: "crates/agent/tests/allocations.rs", reason: "an allocator that counts, for a test" },
];

/// Files with more than [`super::shape::FILE_LINES`] lines of product code.
pub const LONG_FILES: &[Exception] = &[];

/// Functions with more than [`super::shape::FUNCTION_LINES`] lines.
pub const LONG_FUNCTIONS: &[Exception] = &[];

/// Dependencies of tests, benches and examples besides those of the room table; every room's tests may use
/// `testkit`.
pub const TEST_ARROWS: &[(&str, &str, &str)] = &[
    ("xtask", "client", BENCH),
    ("xtask", "lab", BENCH),
    ("xtask", "smi", BENCH),
    ("xtask", "snmp", BENCH),
    ("xtask", "soap", BENCH),
    ("xtask", "transport", BENCH),
    ("xtask", "tree", BENCH),
    ("soap", "tree", ROWS),
    ("transport", "pki", KEYS),
    ("client", "pki", KEYS),
    ("agent", "pki", KEYS),
];

const KEYS: &str = "both ends of TLS, DTLS and SSH need certificates and keys";
const ROWS: &str = "the bench writes rows of a snapshot, as the agent does";
const BENCH: &str = "the examples that measure the agent; xtask itself needs no room";
