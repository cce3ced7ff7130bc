//! Private network namespaces, made without leaving anything behind.
//!
//! A holder process (`unshare --net cat`) keeps each namespace alive and waits on a pipe from us. When this program
//! ends, however it ends, the pipe closes, the holder ends, and the kernel takes the namespace and its interfaces
//! away: there is nothing to clean up that a crash could leave.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::{interfaces_here, traffic};

/// The most rows that a namespace is made for: the addresses of its pairs come from 10.64.0.0/10, four each.
pub const MAX_ROWS: u32 = 100_000;

/// A namespace with a loopback and virtual Ethernet interfaces, whose other ends are in a second namespace.
#[derive(Debug)]
pub struct Namespace {
    inside: Holder,
    _peers: Holder,
    /// Interfaces inside, the loopback included.
    pub interfaces: u32,
    /// Datagrams that were sent through the interfaces.
    pub datagrams: u64,
}

/// Why a namespace could not be made.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    /// Too many interfaces asked for.
    #[error("at most {MAX_ROWS} interfaces can be made, {found} were asked for")]
    TooMany {
        /// How many.
        found: u32,
    },
    /// A program is missing or could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// Which.
        program: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A program refused.
    #[error("{program} says: {says}")]
    Refused {
        /// Which.
        program: &'static str,
        /// Its words.
        says: String,
    },
    /// The system refused to enter or to fill the namespace.
    #[error("cannot set up the network namespace: {0}")]
    System(#[from] io::Error),
}

impl Namespace {
    /// Makes a namespace with `rows` interfaces and sends seeded, varied traffic through all but the loopback. Needs the
    /// right to make namespaces (root), `unshare` of util-linux and `ip` of iproute2.
    pub fn make(rows: u32, seed: u64) -> Result<Namespace, NamespaceError> {
        if rows > MAX_ROWS {
            return Err(NamespaceError::TooMany { found: rows });
        }
        let (inside, peers) = (Holder::start()?, Holder::start()?);
        let there = in_namespace(&inside, interfaces_here)?;
        let pairs = rows.saturating_sub(there);
        in_namespace(&inside, || configure(&inside_commands(pairs, peers.pid())))?;
        in_namespace(&peers, || configure(&peer_commands(pairs)))?;
        let out = in_namespace(&inside, || traffic::send(pairs, traffic::Side::Inside, seed))?;
        let back = in_namespace(&peers, || traffic::send(pairs, traffic::Side::Peers, seed))?;
        let interfaces = in_namespace(&inside, interfaces_here)?;
        Ok(Namespace { inside, _peers: peers, interfaces, datagrams: out + back })
    }

    /// Moves the calling thread inside.
    pub fn enter(&self) -> io::Result<()> {
        self.inside.enter()
    }
}

/// A process that keeps a network namespace alive as long as this program lives.
#[derive(Debug)]
struct Holder {
    child: Child,
    pipe: Option<ChildStdin>,
}

impl Holder {
    fn start() -> Result<Holder, NamespaceError> {
        let start = |source| NamespaceError::Start { program: "unshare", source };
        let mut child = Command::new("unshare")
            .args(["--net", "cat"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(start)?;
        let mut pipe = child.stdin.take();
        // What cat sends back says that unshare is done: the namespace exists.
        let mut line = String::new();
        if let (Some(to), Some(from)) = (pipe.as_mut(), child.stdout.take()) {
            // A holder that has ended breaks the pipe; its own words below say why.
            let _ = to.write_all(b"here\n");
            BufReader::new(from).read_line(&mut line).map_err(start)?;
        }
        if line == "here\n" {
            return Ok(Holder { child, pipe });
        }
        drop(pipe);
        let output = child.wait_with_output().map_err(start)?;
        let says = String::from_utf8_lossy(&output.stderr).trim().replace("unshare: ", "");
        Err(NamespaceError::Refused { program: "unshare", says })
    }

    fn pid(&self) -> u32 {
        self.child.id()
    }

    fn enter(&self) -> io::Result<()> {
        let namespace = File::open(format!("/proc/{}/ns/net", self.pid()))?;
        Ok(move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // The end of its input ends it; waiting leaves no zombie.
        let _ = self.child.wait();
    }
}

/// Does something on a thread of its own inside a namespace, so that the caller stays where it is.
fn in_namespace<T: Send, E: Into<NamespaceError> + Send>(
    holder: &Holder,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, NamespaceError> {
    std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            holder.enter()?;
            work().map_err(Into::into)
        });
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Has `ip` carry out commands in the calling thread's namespace.
fn configure(commands: &str) -> Result<(), NamespaceError> {
    let start = |source| NamespaceError::Start { program: "ip", source };
    let mut child = Command::new("ip")
        .args(["-batch", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(start)?;
    if let Some(mut to) = child.stdin.take() {
        // A failure here is ip's end, whose own words say more.
        let _ = to.write_all(commands.as_bytes());
    }
    let output = child.wait_with_output().map_err(start)?;
    if output.status.success() {
        return Ok(());
    }
    let says = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("nothing").to_owned();
    Err(NamespaceError::Refused { program: "ip", says })
}

fn inside_commands(pairs: u32, peers: u32) -> String {
    let mut commands = "link set lo up\n".to_owned();
    for pair in 0..pairs {
        let (inside, _) = traffic::addresses(pair);
        commands += &format!(
            "link add lab{pair} type veth peer name peer{pair} netns {peers}\n\
             addr add {inside}/30 dev lab{pair}\n\
             link set lab{pair} up\n"
        );
    }
    commands
}

fn peer_commands(pairs: u32) -> String {
    let mut commands = "link set lo up\n".to_owned();
    for pair in 0..pairs {
        let (_, peer) = traffic::addresses(pair);
        commands += &format!("addr add {peer}/30 dev peer{pair}\nlink set peer{pair} up\n");
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Making namespaces takes rights that not every developer has; CI has them and must show it.
    fn allowed(result: Result<Namespace, NamespaceError>) -> Option<Namespace> {
        match result {
            Ok(namespace) => Some(namespace),
            Err(error) if std::env::var_os("CI").is_none() => {
                eprintln!("left out: no network namespace here ({error})");
                None
            }
            Err(error) => panic!("{error}"),
        }
    }

    #[test]
    fn a_namespace_has_the_rows_and_its_counters_differ_from_zero() {
        let Some(namespace) = allowed(Namespace::make(6, 7)) else { return };
        assert_eq!(namespace.interfaces, 6);
        assert!(namespace.datagrams > 0);
        let before = interfaces_here().unwrap();
        let table = in_namespace(&namespace.inside, || std::fs::read_to_string("/proc/thread-self/net/dev"));
        let table = table.unwrap();
        let mut octets = HashSet::new();
        for line in table.lines().filter(|line| line.trim_start().starts_with("lab")) {
            let numbers: Vec<u64> =
                line.split_once(':').unwrap().1.split_whitespace().map(|n| n.parse().unwrap()).collect();
            // octets and packets in and out
            assert!([0, 1, 8, 9].iter().all(|&column| numbers[column] > 0), "{line}");
            octets.insert(numbers[0]);
        }
        assert_eq!(octets.len(), 5, "the traffic is not varied: {table}");
        assert_eq!(interfaces_here().unwrap(), before, "the caller's own namespace changed");
    }

    #[test]
    fn nothing_is_left_when_it_is_dropped() {
        let Some(namespace) = allowed(Namespace::make(3, 7)) else { return };
        let holder = namespace.inside.pid();
        drop(namespace);
        assert!(!std::path::Path::new(&format!("/proc/{holder}")).exists());
    }

    #[test]
    fn words_of_programs_become_errors() {
        let wrong = configure("link set there-is-no-such-device up\n");
        assert!(
            matches!(&wrong, Err(NamespaceError::Refused { program: "ip", says }) if says.contains("such"))
        );
        assert!(matches!(Namespace::make(MAX_ROWS + 1, 1), Err(NamespaceError::TooMany { .. })));
    }
}
