//! What a room does beyond computing: system calls, waiting, clocks and random numbers, sockets. No room may, unless
//! [`EFFECTS`] says that it may and why, so that a new crate is without I/O until somebody decides otherwise.

use std::collections::BTreeSet;

use super::exceptions::{EFFECTS, Effects};
use super::{Finding, RustFile};

/// A kind of effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Effect {
    /// Files, the environment, processes, names of hosts, and other calls of the system.
    System,
    /// Waiting, on tokio.
    Waiting,
    /// Clocks and random numbers.
    Clock,
    /// Sockets of the network and of the machine.
    Sockets,
}

impl Effect {
    const ALL: [Self; 4] = [Self::System, Self::Waiting, Self::Clock, Self::Sockets];

    /// What code with this effect has in it.
    const fn words(self) -> &'static [&'static str] {
        match self {
            // `std::{` could import any of them.
            Self::System => &[
                "std::fs",
                "std::env",
                "std::{",
                "File::open",
                "process::Command",
                "ToSocketAddrs",
                "rustix",
                "libc",
                "nix",
            ],
            Self::Waiting => &["tokio"],
            Self::Clock => &[
                "Instant::now",
                "SystemTime::now",
                "OffsetDateTime::now_utc",
                "Local::now",
                "Utc::now",
                "fastrand",
                "RandomState",
                "getrandom",
                "sleep(",
            ],
            Self::Sockets => &[
                "UdpSocket",
                "TcpStream",
                "TcpListener",
                "UnixStream",
                "UnixListener",
                "socket2",
                "netlink_sys",
            ],
        }
    }

    const fn because(self) -> &'static str {
        match self {
            Self::System => "this room does no I/O: bytes are arguments",
            Self::Waiting => "this room does no I/O and never waits",
            Self::Clock => "this room reads neither clock nor random source: time and entropy are arguments",
            Self::Sockets => "network sockets are opened in `transport` alone",
        }
    }
}

/// Checks the rooms' product code; each permission must still be needed.
pub fn check(files: &[RustFile]) -> Vec<Finding> {
    check_against(EFFECTS, files)
}

fn check_against(permissions: &[Effects], files: &[RustFile]) -> Vec<Finding> {
    let mut needed = BTreeSet::new();
    let mut findings = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with("crates/") && !file.is_test()) {
        for effect in Effect::ALL {
            let permitted =
                permissions.iter().any(|its| its.room == file.room() && its.effects.contains(&effect));
            for word in effect.words() {
                for (line, _) in file.source.occurrences(word).filter(|(_, in_test)| !in_test) {
                    if permitted {
                        needed.insert((file.room(), effect));
                    } else {
                        findings.push(Finding::at(file, line, format!("`{word}`: {}", effect.because())));
                    }
                }
            }
        }
    }
    for Effects { room, effects, reason } in permissions {
        for effect in effects.iter().filter(|effect| !needed.contains(&(*room, **effect))) {
            let words =
                format!("{effect:?} is not needed ({reason}): remove it from xtask/src/tidy/exceptions.rs");
            findings.push(Finding::new(format!("crates/{room}"), words));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAY_READ: &[Effects] = &[Effects { room: "mib", effects: &[Effect::System], reason: "texts" }];

    fn words(files: &[(&str, &str)]) -> Vec<String> {
        let texts = "use std::fs;\n";
        let known = RustFile::new("crates/mib/src/lib.rs", texts.to_owned());
        let files = files.iter().map(|(path, text)| RustFile::new(path, (*text).to_owned()));
        let files: Vec<RustFile> = files.chain([known]).collect();
        check_against(MAY_READ, &files).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn a_room_that_nobody_has_listed_may_do_nothing() {
        for (code, finding) in [
            ("use std::fs;", "`std::fs`: this room does no I/O: bytes are arguments"),
            ("use std::{env, io};", "`std::{`: this room does no I/O: bytes are arguments"),
            ("fn f() { tokio::spawn(g()); }", "`tokio`: this room does no I/O and never waits"),
            (
                "fn f() { Instant::now(); }",
                "`Instant::now`: this room reads neither clock nor random source: time and entropy are arguments",
            ),
            ("use std::net::UdpSocket;", "`UdpSocket`: network sockets are opened in `transport` alone"),
        ] {
            let found = words(&[("crates/new/src/deep/file.rs", code)]);
            assert_eq!(found, [format!("crates/new/src/deep/file.rs:1: {finding}")]);
        }
    }

    #[test]
    fn a_room_may_do_what_is_permitted_and_no_more() {
        assert_eq!(words(&[]), [""; 0]);
        assert_eq!(words(&[("crates/mib/src/a.rs", "use std::{env, fs};\n")]), [""; 0]);
        assert_eq!(words(&[("crates/mib/src/a.rs", "fn f() { Instant::now(); }\n")]).len(), 1);
    }

    #[test]
    fn tests_words_and_what_is_beside_the_rooms_are_free() {
        let text = "//! Knows std::net::Ipv4Addr, no UdpSocket.\nuse std::net::Ipv4Addr;\nfn f() { let _ = \"tokio\"; }\n\
                    #[cfg(test)]\nmod tests {\n use std::fs;\n}\n";
        assert_eq!(words(&[("crates/new/src/lib.rs", text)]), [""; 0]);
        for path in ["crates/new/tests/a.rs", "xtask/src/a.rs", "fuzz/fuzz_targets/a.rs"] {
            assert_eq!(words(&[(path, "use std::fs;\n")]), [""; 0], "{path}");
        }
    }

    #[test]
    fn a_permission_that_nobody_needs_is_found() {
        let found: Vec<String> = check_against(MAY_READ, &[]).iter().map(ToString::to_string).collect();
        assert_eq!(
            found,
            ["crates/mib: System is not needed (texts): remove it from xtask/src/tidy/exceptions.rs"]
        );
    }
}
