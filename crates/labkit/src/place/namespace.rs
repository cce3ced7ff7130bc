//! Private network namespaces that leave nothing behind.
//!
//! A holder process (`unshare --net cat`) keeps each namespace alive and waits on a pipe from us. When this
//! program ends, however it ends, the pipe closes, the holder ends, and the kernel removes the namespace and its
//! interfaces: even a crash leaves nothing to clean up.

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::AsFd;
use std::process::{Child, ChildStdin, Command, Stdio};

use rustix::thread::{LinkNameSpaceType, move_into_link_name_space};

use super::row::{self, Row};
use super::{interfaces_here, traffic};

/// The maximum number of rows of a namespace: their addresses come from 10.64.0.0/10, four each.
pub const MAX_ROWS: u32 = 5000;

/// A namespace with a loopback and further interfaces, mostly virtual Ethernet, whose other ends are in a second namespace.
#[derive(Debug)]
pub struct Namespace {
    inside: Holder,
    /// The namespace of the interfaces' other ends, once there are any.
    peers: Option<Holder>,
    /// Interfaces inside, including the loopback.
    pub interfaces: u32,
    /// Datagrams that were sent through the interfaces.
    pub datagrams: u64,
}

/// Why a namespace could not be made.
#[derive(Debug, thiserror::Error)]
pub enum NamespaceError {
    /// Too many interfaces requested.
    #[error("at most {MAX_ROWS} interfaces can be made, {found} were requested")]
    TooMany {
        /// The requested number.
        found: u32,
    },
    /// The namespace has been filled before.
    #[error("the namespace has been filled with interfaces before")]
    Filled,
    /// A program is missing or could not be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: &'static str,
        /// Why.
        source: io::Error,
    },
    /// A program failed.
    #[error("{program} says: {says}")]
    Refused {
        /// The program.
        program: &'static str,
        /// Its error output.
        says: String,
    },
    /// The system refused to enter or to fill the namespace.
    #[error("cannot set up the network namespace: {0}")]
    System(#[from] io::Error),
}

impl Namespace {
    /// Creates a namespace with `rows` interfaces and sends seeded, varied traffic through all of them. Needs the
    /// right to create namespaces (root), `unshare` of util-linux and `ip` of iproute2.
    pub fn make(rows: u32, seed: u64) -> Result<Namespace, NamespaceError> {
        check_rows(rows)?;
        let mut namespace = Namespace::empty()?;
        namespace.fill(rows, seed)?;
        Ok(namespace)
    }

    /// Creates a namespace that only has its loopback.
    pub fn empty() -> Result<Namespace, NamespaceError> {
        let inside = Holder::start()?;
        in_namespace(&inside, quieten)?;
        in_namespace(&inside, || configure(LOOPBACK_UP))?;
        let interfaces = in_namespace(&inside, interfaces_here)?;
        Ok(Namespace { inside, peers: None, interfaces, datagrams: 0 })
    }

    /// Adds interfaces until there are `rows`, including existing ones, and sends seeded, varied traffic through
    /// all new ones and the loopback. It does so once in a namespace's life.
    pub fn fill(&mut self, rows: u32, seed: u64) -> Result<(), NamespaceError> {
        check_rows(rows)?;
        if self.peers.is_some() {
            return Err(NamespaceError::Filled);
        }
        let inside = &self.inside;
        let peers = self.peers.insert(Holder::start()?);
        in_namespace(peers, quieten)?;
        let more = rows.saturating_sub(in_namespace(inside, interfaces_here)?);
        let commands = row::rows(more).map(|row| row.inside_commands(peers.pid())).collect::<String>();
        in_namespace(inside, || configure(&commands))?;
        let commands = row::rows(more).map(Row::peer_commands).collect::<String>();
        in_namespace(peers, || configure(&(LOOPBACK_UP.to_owned() + &commands)))?;
        self.datagrams = exchange(inside, peers, more, seed)?;
        self.interfaces = in_namespace(inside, interfaces_here)?;
        Ok(())
    }

    /// Runs `work` inside, on a separate thread, and waits for it. What the thread opens stays inside; a child
    /// process that ends with the thread that started it ends at once.
    pub(super) fn run<T: Send, E: Into<NamespaceError> + Send>(
        &self,
        work: impl FnOnce() -> Result<T, E> + Send,
    ) -> Result<T, NamespaceError> {
        in_namespace(&self.inside, work)
    }

    /// Runs commands of `ip` inside.
    pub(super) fn configure(&self, commands: &str) -> Result<(), NamespaceError> {
        self.run(|| configure(commands))
    }

    /// The namespace itself, for threads to enter.
    pub(super) fn file(&self) -> io::Result<File> {
        self.inside.file()
    }

    /// Moves the calling thread inside.
    pub fn enter(&self) -> io::Result<()> {
        self.inside.enter()
    }
}

/// A process that keeps a network namespace alive during this program's life.
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
        // The line that cat sends back shows that unshare is done: the namespace exists.
        let mut line = String::new();
        if let (Some(to), Some(from)) = (pipe.as_mut(), child.stdout.take()) {
            // A holder that has ended breaks the pipe; its own output below says why.
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

    fn file(&self) -> io::Result<File> {
        File::open(format!("/proc/{}/ns/net", self.pid()))
    }

    fn enter(&self) -> io::Result<()> {
        enter(&self.file()?)
    }
}

impl Drop for Holder {
    fn drop(&mut self) {
        drop(self.pipe.take());
        // The end of its input ends it; waiting leaves no zombie.
        let _ = self.child.wait();
    }
}

/// Moves the calling thread into a network namespace.
pub(super) fn enter(namespace: &File) -> io::Result<()> {
    Ok(move_into_link_name_space(namespace.as_fd(), Some(LinkNameSpaceType::Network))?)
}

fn check_rows(rows: u32) -> Result<(), NamespaceError> {
    if rows > MAX_ROWS { Err(NamespaceError::TooMany { found: rows }) } else { Ok(()) }
}

/// Runs `work` on a separate thread inside a namespace, so that the caller stays where it is.
fn in_namespace<T: Send, E: Into<NamespaceError> + Send>(
    holder: &Holder,
    work: impl FnOnce() -> Result<T, E> + Send,
) -> Result<T, NamespaceError> {
    std::thread::scope(|scope| {
        let inside = || {
            holder.enter()?;
            work().map_err(Into::into)
        };
        let thread = std::thread::Builder::new().spawn_scoped(scope, inside);
        let failed = |source| NamespaceError::Start { program: "a thread in the namespace", source };
        let thread = thread.map_err(failed)?;
        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

/// Runs commands of `ip` in the calling thread's namespace.
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
        // If this fails, ip has ended, and its own output says more.
        let _ = to.write_all(commands.as_bytes());
    }
    let output = child.wait_with_output().map_err(start)?;
    if output.status.success() {
        return Ok(());
    }
    let says = String::from_utf8_lossy(&output.stderr).lines().next().unwrap_or("nothing").to_owned();
    Err(NamespaceError::Refused { program: "ip", says })
}

/// Turns off what would move counters on its own, in the calling thread's namespace: IPv6, which nothing here
/// uses, with its solicitations.
fn quieten() -> io::Result<()> {
    for scope in ["all", "default"] {
        match fs::write(format!("/proc/sys/net/ipv6/conf/{scope}/disable_ipv6"), "1") {
            // A kernel without IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            result => result?,
        }
    }
    Ok(())
}

/// Sends in both directions; returns the number of datagrams.
fn exchange(inside: &Holder, peers: &Holder, rows: u32, seed: u64) -> Result<u64, NamespaceError> {
    let _sinks = [in_namespace(inside, traffic::sink)?, in_namespace(peers, traffic::sink)?];
    let out = in_namespace(inside, || traffic::send(rows, traffic::Side::Inside, seed))?;
    let back = in_namespace(peers, || traffic::send(rows, traffic::Side::Peers, seed))?;
    Ok(out + back)
}

const LOOPBACK_UP: &str = "link set lo up\n";

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;
    use std::time::{Duration, Instant};
    use trunkline_testkit::leave_out;

    /// Creating namespaces takes rights that not every developer has; CI has them and must use them.
    fn allowed(result: Result<Namespace, NamespaceError>) -> Option<Namespace> {
        match result {
            Ok(namespace) => Some(namespace),
            Err(error) => {
                leave_out(format_args!("no network namespace here ({error})"));
                None
            }
        }
    }

    /// The interfaces of a namespace with the kernel's 16 counters for each.
    fn counters(namespace: &Namespace) -> Vec<(String, Vec<u64>)> {
        let table =
            in_namespace(&namespace.inside, || fs::read_to_string("/proc/thread-self/net/dev")).unwrap();
        let rows = table.lines().filter_map(|line| line.split_once(':'));
        rows.map(|(name, numbers)| {
            let numbers = numbers.split_whitespace().map(|number| number.parse().unwrap());
            (name.trim().to_owned(), numbers.collect())
        })
        .collect()
    }

    /// The positions of counters in `/proc/net/dev`.
    const COLUMNS: [(&str, usize); 9] = [
        ("received octets", 0),
        ("received packets", 1),
        ("received errors", 2),
        ("received drops", 3),
        ("received multicast", 7),
        ("sent octets", 8),
        ("sent packets", 9),
        ("sent errors", 10),
        ("sent drops", 11),
    ];
    const MULTICAST: usize = 7;

    /// The counters once the kernel has delivered the broadcasts, which it does asynchronously.
    fn settled(namespace: &Namespace) -> Vec<(String, Vec<u64>)> {
        let end = Instant::now() + Duration::from_secs(10);
        loop {
            let rows = counters(namespace);
            let macvlans = rows.iter().filter(|(name, _)| name.starts_with("mac"));
            if macvlans.clone().all(|(_, numbers)| numbers[MULTICAST] > 0) || Instant::now() > end {
                return rows;
            }
            std::thread::yield_now();
        }
    }

    #[test]
    fn no_counter_of_the_kernel_is_zero_in_every_row() {
        let Some(namespace) = allowed(Namespace::make(13, 1)) else { return };
        assert_eq!(namespace.interfaces, 13);
        assert!(namespace.datagrams > 0);
        let before = interfaces_here().unwrap();
        let rows = settled(&namespace);
        assert_eq!(rows.len(), 13);
        let mut lengths = HashSet::new();
        for (what, column) in COLUMNS {
            let moved: Vec<u64> =
                rows.iter().map(|(_, numbers)| numbers[column]).filter(|&number| number > 0).collect();
            let different: HashSet<u64> = moved.iter().copied().collect();
            assert!(different.len() >= 2, "{what}: {rows:?}");
            // Signed, as in BER.
            lengths.extend(moved.iter().map(|number| (65 - number.leading_zeros()).div_ceil(8)));
        }
        assert!((1..=4).all(|length| lengths.contains(&length)), "{lengths:?}: {rows:?}");
        for (name, numbers) in &rows {
            // octets and packets; a tunnel to nowhere sends nothing
            let needed: &[usize] = if name.starts_with("tun") { &[0, 1] } else { &[0, 1, 8, 9] };
            assert!(needed.iter().all(|&column| numbers[column] > 0), "{name}: {rows:?}");
        }
        assert_eq!(interfaces_here().unwrap(), before, "the caller's own namespace changed");
    }

    #[test]
    fn four_rows_are_enough_for_every_counter() {
        for seed in 1..=3 {
            let Some(namespace) = allowed(Namespace::make(4, seed)) else { return };
            let rows = settled(&namespace);
            for (what, column) in COLUMNS {
                assert!(rows.iter().any(|(_, numbers)| numbers[column] > 0), "{what}: {rows:?}");
            }
        }
    }

    #[test]
    fn more_rows_than_the_kernel_keeps_neighbours_all_carry_traffic() {
        let Some(namespace) = allowed(Namespace::make(700, 7)) else { return };
        let rows = settled(&namespace);
        assert_eq!(rows.len(), 700);
        let silent = |(name, numbers): &&(String, Vec<u64>)| {
            numbers[1] == 0 || (numbers[9] == 0 && !name.starts_with("tun"))
        };
        assert_eq!(rows.iter().find(silent), None);
    }

    #[test]
    fn any_number_of_rows_is_exact() {
        for rows in [1, 2, 3, 5, 31] {
            let Some(namespace) = allowed(Namespace::make(rows, 7)) else { return };
            assert_eq!(namespace.interfaces, rows);
        }
    }

    #[test]
    fn nothing_speaks_ipv6_there() {
        let Some(namespace) = allowed(Namespace::make(3, 7)) else { return };
        let addresses =
            in_namespace(&namespace.inside, || match fs::read_to_string("/proc/thread-self/net/if_inet6") {
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(String::new()),
                result => result,
            });
        assert_eq!(addresses.unwrap(), "");
    }

    #[test]
    fn nothing_is_left_when_it_is_dropped() {
        let Some(namespace) = allowed(Namespace::make(3, 7)) else { return };
        let holder = namespace.inside.pid();
        drop(namespace);
        assert!(!std::path::Path::new(&format!("/proc/{holder}")).exists());
    }

    #[test]
    fn the_output_of_programs_becomes_an_error() {
        let wrong = configure("link set there-is-no-such-device up\n");
        assert!(
            matches!(&wrong, Err(NamespaceError::Refused { program: "ip", says }) if says.contains("such"))
        );
        assert!(matches!(Namespace::make(MAX_ROWS + 1, 1), Err(NamespaceError::TooMany { .. })));
    }
}
