//! The exceptions to the checks, by name and with a reason.

use super::effects::Effect;

/// A file, or a function in a file, that may break one rule.
pub struct Exception {
    /// The file's path, for a function followed by `::` and its name.
    pub what: &'static str,
    /// Why it may.
    pub reason: &'static str,
}

/// What a room may do beyond computing.
pub struct Effects {
    /// The room.
    pub room: &'static str,
    /// What it may do.
    pub effects: &'static [Effect],
    /// Why.
    pub reason: &'static str,
}

/// Rooms that do more than compute. Those of protocols and the tree are not here: a room that is not here may do no I/O
/// and reads neither clock nor random source.
pub const EFFECTS: &[Effects] = &[
    Effects { room: "mib", effects: &[Effect::System], reason: "folders with MIB texts" },
    Effects {
        room: "source",
        effects: &[Effect::System, Effect::Clock],
        reason: "the machine: /proc, /sys, netlink, and how old what it read is",
    },
    Effects {
        room: "host",
        effects: &[Effect::System, Effect::Clock],
        reason: "programs, and how old what was read of the machine is",
    },
    Effects {
        room: "local",
        effects: &[Effect::System, Effect::Waiting, Effect::Sockets],
        reason: "plain streams between processes, and the rights of their sockets",
    },
    Effects {
        room: "datagrams",
        effects: &[Effect::System, Effect::Sockets],
        reason: "the system calls for batches of datagrams, and addresses as they read them",
    },
    Effects {
        room: "password",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "checks are done aside, some at a time, and attempts are counted over time",
    },
    Effects {
        room: "transport",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock, Effect::Sockets],
        reason: "it is where sockets are",
    },
    Effects {
        room: "pki",
        effects: &[Effect::System, Effect::Clock],
        reason: "files of keys, random keys, and from when a certificate is valid",
    },
    Effects {
        room: "client",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "it waits for answers, and reads the credentials that its caller names",
    },
    Effects {
        room: "jmxclient",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "it waits for answers, renews leases, and has an identifier among all clients",
    },
    Effects {
        room: "login",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "variables, files of secrets and of the manager's engine, `snmp.conf`, passwords that are typed, and sessions that end",
    },
    Effects {
        room: "rbac",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "files of keys, how long devices take to acknowledge them, and how long it waits for their locks",
    },
    Effects {
        room: "receiver",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "programs, files and logs that take notifications, and how long they may take",
    },
    Effects {
        room: "libxml",
        effects: &[Effect::System],
        reason: "a library of the system, and schemas in files",
    },
    Effects {
        room: "analysis",
        effects: &[Effect::System, Effect::Clock],
        reason: "files of delays and of reports, and delays that are drawn of too many",
    },
    Effects {
        room: "distributions",
        effects: &[Effect::Clock],
        reason: "samples that are drawn with a seed of the caller",
    },
    Effects { room: "show", effects: &[Effect::Clock], reason: "how long an exchange took that it prints" },
    Effects { room: "manual", effects: &[Effect::System], reason: "it writes the pages into a folder" },
    Effects { room: "config", effects: &[Effect::System], reason: "files of configuration and of secrets" },
    Effects {
        room: "admin",
        effects: &[Effect::System, Effect::Clock],
        reason: "the state directory, and when an entry of a log was made",
    },
    Effects {
        room: "push",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "when an event happened, and a log that wakes those who read it",
    },
    Effects {
        room: "credentials",
        effects: &[Effect::System],
        reason: "files of users' keys, and groups of the machine",
    },
    Effects {
        room: "process",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "users and capabilities of the system, and memory that is returned at its time",
    },
    Effects {
        room: "regions",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "it waits for programs and other agents, and gives up those that are late",
    },
    Effects {
        room: "devices",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "a group of a device waits for its session's answer, within its time",
    },
    Effects {
        room: "serve",
        effects: &[Effect::System, Effect::Clock],
        reason: "a random password for the login",
    },
    Effects {
        room: "groups",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "each group has a task that asks its peer at its times, and one receives the members' notifications",
    },
    Effects {
        room: "core",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "requests wait for sources, one load at a time, and for whoever answers for a region",
    },
    Effects {
        room: "subagent",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "a session with a master, which is kept alive and made again",
    },
    Effects {
        room: "connector",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "random numbers of objects, when a connection was used, and notifications that are waited for",
    },
    Effects {
        room: "commit",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "what is kept is on the disk, and a confirmed commit has its time",
    },
    Effects {
        room: "notify",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "each target has a task, and monitors have their times",
    },
    Effects {
        room: "events",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "each trigger and each expression with differences has a task, which samples at its times; errors have theirs",
    },
    Effects {
        room: "netsnmp",
        effects: &[Effect::System],
        reason: "Net-SNMP's files, the names of hosts in them, and programs of its names in the background",
    },
    Effects {
        room: "comparison",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "it starts both agents and walks them",
    },
    Effects {
        room: "wrapping",
        effects: &[Effect::System, Effect::Clock],
        reason: "messages have a time, and random octets of the kernel",
    },
    Effects {
        room: "web",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "the names of this machine, subscriptions that expire, and events that are sent again",
    },
    Effects {
        room: "agent",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "the program: it gives clock and entropy to the protocols, and starts what waits",
    },
    Effects {
        room: "labkit",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock, Effect::Sockets],
        reason: "it measures, sends filler traffic through its places, and measures HTTP by a raw pipe",
    },
    Effects {
        room: "emanics",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock, Effect::Sockets],
        reason: "its experiments measure, as those of `lab` do, and ask JMX without a client",
    },
    Effects {
        room: "lab",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock, Effect::Sockets],
        reason: "the program: experiments measure, and ask HTTP by a raw pipe",
    },
    Effects {
        room: "sim",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "files of fleets and recordings, signals, agents that live by the clock, and answers that wait",
    },
    Effects {
        room: "poll",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "requests are sent at their time, answers have one, and sessions wait for theirs",
    },
    Effects {
        room: "polling",
        effects: &[Effect::Waiting, Effect::Clock],
        reason: "shards and tasks that read devices at their times; the machine of a device has no clock",
    },
    Effects {
        room: "trapd",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "the program by another name: files, logs, users, signals, times of day",
    },
    Effects {
        room: "tools",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "the program by other names: files, the terminal, signals, times of day",
    },
    Effects {
        room: "cli",
        effects: &[Effect::System, Effect::Waiting, Effect::Clock],
        reason: "the program: files, the terminal, signals, times of day",
    },
];

/// Files that may hold `unsafe`.
pub const UNSAFE: &[Exception] = &[
    Exception {
        what: "crates/datagrams/src/mmsg.rs",
        reason: "recvmmsg and sendmmsg with buffers of the caller (docs/decisions/0002)",
    },
    Exception {
        what: "crates/transport/src/dtls/ffi.rs",
        reason: "calls of OpenSSL for DTLS that its Rust crate does not wrap",
    },
    Exception {
        what: "crates/password/src/pages.rs",
        reason: "pages of the system for checks of passwords (docs/decisions/0030)",
    },
    Exception {
        what: "crates/process/src/privilege.rs",
        reason: "changing the user of all threads, which only the C library can",
    },
    Exception {
        what: "crates/process/src/memory.rs",
        reason: "malloc_trim and madvise, which return unused memory to the system (docs/decisions/0032, 0049)",
    },
    Exception {
        what: "crates/labkit/src/meter/heap.rs",
        reason: "mallinfo, by which the C library counts what is in use of its heap",
    },
    Exception {
        what: "crates/labkit/src/place/link/sys.rs",
        reason: "making a TUN device and the scheduler's idle class, which no safe crate offers",
    },
    Exception {
        what: "crates/libxml/src/lib.rs",
        reason: "calls of a library of C that is found at run time, for tests and the laboratory (docs/decisions/0112)",
    },
    Exception {
        what: "crates/libxml/src/library.rs",
        reason: "finding a library of C at run time, and its memory, for tests and the laboratory (docs/decisions/0112)",
    },
    Exception {
        what: "crates/libxml/src/xpath.rs",
        reason: "calls of the same library, for tests and the laboratory (docs/decisions/0112)",
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
    ("xtask", "datagrams", BENCH),
    ("xtask", "jmxclient", BENCH),
    ("xtask", "lab", BENCH),
    ("xtask", "password", BENCH),
    ("xtask", "poll", BENCH),
    ("xtask", "sim", BENCH),
    ("xtask", "smi", BENCH),
    ("xtask", "snmp", BENCH),
    ("xtask", "soap", BENCH),
    ("xtask", "transport", BENCH),
    ("xtask", "tree", BENCH),
    ("sim", "client", MANAGERS),
    ("sim", "pki", KEYS),
    ("lab", "poll", FORESEEN),
    ("lab", "delays", FORESEEN),
    ("soap", "tree", ROWS),
    ("transport", "pki", KEYS),
    ("client", "pki", KEYS),
    ("agent", "pki", KEYS),
    ("agent", "agentx", SUBAGENTS),
    ("agent", "jmxclient", MBEANS),
    ("models", "netconf", EDITS),
    ("netconf", "libxml", SCHEMA),
];

const FORESEEN: &str = "what is foretold is measured then";
const MBEANS: &str = "the tests read the agent's objects over JMX as a manager does";
const MANAGERS: &str = "the tests read simulated agents as managers do";
const KEYS: &str = "both ends of TLS, DTLS and SSH need certificates and keys";
const SUBAGENTS: &str = "the tests are subagents";
const SCHEMA: &str = "messages are checked beside libxml2, and its price is measured";
const EDITS: &str = "the tests write configurations as clients do";
const ROWS: &str = "the bench writes rows of a snapshot, as the agent does";
const BENCH: &str = "the examples that measure the agent; xtask itself needs no room";
