//! Subjects: the agents under measurement. Ours and Net-SNMP's run as child processes on a separate loopback port
//! and end with the [`Subject`]; others are already running and are named by URL.

mod child;
mod equipped;
mod gsoap;
mod java;
mod remote;
mod snmpd;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use child::ChildProcess;
pub use child::StartError;
pub(crate) use child::ending_with_us;
pub use equipped::{CONTACT, Counted, Equipment, Equipped, Files, Freshness, Phases};
pub use gsoap::GsoapServer;
pub use java::{Collection, JavaAgents, JavaOptions};
pub use remote::{Remote, RemoteOptions};

use serde::{Deserialize, Serialize};
use trunkline_client::{Defaults, Target};

use crate::conversation::Peer;
use crate::error::Error;
use crate::transport::Transport;

/// The community of child agents.
pub const COMMUNITY: &str = "public";

/// The kinds of subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SubjectKind {
    /// Our agent as a child process.
    Trunklined,
    /// Net-SNMP's agent as a child process.
    Snmpd,
    /// An agent that was already running, named by URL: its CPU time and memory cannot be read.
    Remote,
}

/// An agent ready for requests.
#[derive(Debug)]
pub struct Subject {
    /// The short name that samples and tables use.
    pub name: String,
    /// The kind of agent.
    pub kind: SubjectKind,
    /// Its program, for a child process.
    pub program: Option<PathBuf>,
    /// Its program's version, for a child process; may be empty.
    pub version: String,
    /// Where it listens.
    pub targets: Vec<(Transport, Peer)>,
    /// What to try if it does not answer; mostly empty.
    pub advice: &'static str,
    child: Option<ChildProcess>,
}

impl Subject {
    /// Starts our agent: `program` if given, else `trunklined` next to this program, else the one in `PATH`.
    pub fn trunklined(program: Option<&Path>) -> Result<Subject, StartError> {
        Equipment::plain(program).start().map(Equipped::into_subject)
    }

    /// Starts Net-SNMP's agent: `program` if given, else `snmpd` in `PATH` or in Debian's directory.
    pub fn snmpd(program: Option<&Path>) -> Result<Subject, StartError> {
        snmpd::start(program)
    }

    /// An agent that is already running.
    pub fn remote(remote: &Remote) -> Subject {
        Subject {
            name: remote.name.clone(),
            kind: SubjectKind::Remote,
            program: None,
            version: String::new(),
            targets: vec![(remote.transport, remote.peer.clone())],
            advice: remote.advice(),
            child: None,
        }
    }

    /// Whether its program was built without optimization, as far as its directory shows.
    pub fn is_debug(&self) -> bool {
        self.program.as_deref().is_some_and(is_debug)
    }

    /// Whether a child still runs, as it should until it is dropped.
    ///
    /// # Errors
    /// It has ended.
    pub fn still_runs(&self) -> Result<(), Error> {
        self.child.as_ref().map_or(Ok(()), |child| child.still_runs(&self.name))
    }

    /// The process, for a child.
    pub fn pid(&self) -> Option<u32> {
        self.child.as_ref().map(ChildProcess::id)
    }
}

/// A program of ours: next to this one, or in `PATH`.
///
/// # Errors
/// [`StartError::NotFound`].
pub fn program_of_ours(name: &'static str) -> Result<PathBuf, StartError> {
    find(name, None, &equipped::beside_us(), &[])
}

/// Somebody else's program in `PATH`.
///
/// # Errors
/// [`StartError::NotFound`].
pub(crate) fn program_in_path(name: &'static str) -> Result<PathBuf, StartError> {
    find(name, None, &[], &[])
}

/// The first line that a program prints about its version; empty if there is none.
fn version(program: &Path, option: &str) -> String {
    let said = Command::new(program).arg(option).stdin(Stdio::null()).output();
    let text = said.map(|output| [output.stdout, output.stderr].concat()).unwrap_or_default();
    let text = String::from_utf8_lossy(&text);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    line.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// The target of a child's listener.
fn target(transport: Transport, address: SocketAddr) -> Target {
    let scheme = if transport == Transport::Udp { "udp" } else { "tcp" };
    let defaults = Defaults::default().with_community(COMMUNITY.as_bytes().to_vec());
    let parsed = Target::parse(&format!("snmp+{scheme}://{address}"), &defaults);
    #[expect(clippy::expect_used, reason = "the text is a scheme that is known and an address that is one")]
    parsed.expect("a target")
}

/// Cargo's directory of unoptimized programs is called `debug`.
fn is_debug(program: &Path) -> bool {
    program.parent().and_then(Path::file_name).is_some_and(|name| name == "debug")
}

/// Finds a program: the given one, else the first that is a file in these directories and those of `PATH`.
fn find(
    name: &'static str,
    given: Option<&Path>,
    first: &[PathBuf],
    last: &[&str],
) -> Result<PathBuf, StartError> {
    if let Some(given) = given {
        let found = given.is_file().then(|| given.to_owned());
        return found.ok_or(StartError::NotFound { program: given.to_owned() });
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    let in_path = std::env::split_paths(&path);
    let directories = first.iter().cloned().chain(in_path).chain(last.iter().map(PathBuf::from));
    let mut candidates = directories.map(|directory| directory.join(name));
    candidates.find(|candidate| candidate.is_file()).ok_or(StartError::NotFound { program: name.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_where_they_are() {
        assert!(find("sh", None, &[], &[]).unwrap().ends_with("sh"));
        let missing = Path::new("/nowhere/trunklined");
        match find("trunklined", Some(missing), &[], &[]) {
            Err(StartError::NotFound { program }) => assert_eq!(program, missing),
            other => panic!("{other:?}"),
        }
        assert!(find("no-such-program-at-all", None, &["/".into()], &["/"]).is_err());
    }

    #[test]
    fn versions_are_one_line() {
        assert!(version(Path::new("/bin/cat"), "--version").starts_with("cat "));
        assert_eq!(version(Path::new("/nowhere/agent"), "--version"), "");
        assert_eq!(version(Path::new("/bin/true"), "-v"), "");
    }

    #[test]
    fn targets_of_listeners() {
        for (transport, url) in [
            (Transport::Udp, "snmp://public@127.0.0.1:1161"),
            (Transport::Tcp, "snmp+tcp://public@127.0.0.1:1161"),
        ] {
            let ours = target(transport, "127.0.0.1:1161".parse().unwrap());
            let theirs: Target = url.parse().unwrap();
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"));
        }
    }

    #[test]
    fn a_remote_agents_community_is_not_its_name() {
        let subject = Subject::remote(&Remote::of("snmp+tcp://secret@router:1161".parse().unwrap()));
        assert_eq!(subject.name, "snmp+tcp://router:1161");
        assert_eq!(subject.targets[0].0, Transport::Tcp);
        assert_eq!(subject.pid(), None);
    }
}
