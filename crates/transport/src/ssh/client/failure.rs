//! Why there is no session with a server.

use std::io;
use std::path::PathBuf;

/// What is wrong between a client and a server. Holds no secret.
///
/// Which of the counters of RFC 5592 section 5 it belongs to: [`SshFailure::NotAuthenticated`] and what is wrong with
/// our own keys to `snmpSshtmSessionUserAuthFailures`, [`SshFailure::NoChannel`] to `snmpSshtmSessionNoChannels`,
/// [`SshFailure::NoSubsystem`] to `snmpSshtmSessionNoSubsystems`, the others to `snmpSshtmSessionOpenErrors`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SshFailure {
    /// Nobody has said yet that this key is the host's.
    #[error(
        "the host key of {name} is not known: {fingerprint}; if that is what its operator says, add this line to {}: {line}",
        file.display()
    )]
    UnknownHost {
        /// The host as the file would name it.
        name: String,
        /// The key's fingerprint as OpenSSH shows it.
        fingerprint: String,
        /// The line that would make it known.
        line: String,
        /// The file for it.
        file: PathBuf,
    },
    /// The host has shown another key than the one that is known: it has a new one, or somebody else is answering.
    #[error(
        "THE HOST KEY OF {name} HAS CHANGED to {fingerprint}: somebody else may be answering in its place; if its \
         operator has changed it, remove line {line} of {}",
        file.display()
    )]
    ChangedHost {
        /// The host as the file names it.
        name: String,
        /// The fingerprint of the key that it shows now.
        fingerprint: String,
        /// The file that knows another.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The key is marked as revoked.
    #[error("the host key {fingerprint} of {name} was revoked: line {line} of {}", file.display())]
    RevokedHost {
        /// The host as the file would name it.
        name: String,
        /// The key's fingerprint.
        fingerprint: String,
        /// The file that says so.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The host is known by an authority alone (`@cert-authority`), and certificates of hosts are not understood.
    #[error(
        "{name} is known by an authority of certificates only (line {line} of {}), which is not supported: add its \
         own key, {fingerprint}, as a line of its own",
        file.display()
    )]
    HostAuthority {
        /// The host as the file would name it.
        name: String,
        /// The fingerprint of the key that it shows.
        fingerprint: String,
        /// The file that says so.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The key's fingerprint is none of those that were given for the host.
    #[error("the host key of {name} is {fingerprint}, which is not the expected one")]
    OtherFingerprint {
        /// The host.
        name: String,
        /// The fingerprint of the key that it shows.
        fingerprint: String,
    },
    /// A file of known hosts cannot be read or written.
    #[error("cannot {doing} the known hosts {}: {source}", file.display())]
    KnownHosts {
        /// `read` or `write`.
        doing: &'static str,
        /// The file.
        file: PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// A private key cannot be read or used.
    #[error("cannot use the key {}: {reason}", file.display())]
    Key {
        /// The file.
        file: PathBuf,
        /// What is wrong with it.
        reason: russh::keys::Error,
    },
    /// A private key needs a passphrase, and none was given.
    #[error("the key {} needs its passphrase", file.display())]
    Passphrase {
        /// The file.
        file: PathBuf,
    },
    /// The passphrase of a private key is wrong.
    #[error("the passphrase of the key {} is wrong", file.display())]
    WrongPassphrase {
        /// The file.
        file: PathBuf,
    },
    /// The agent that holds keys cannot be asked.
    #[error("cannot ask the agent at {}: {reason}", socket.display())]
    Agent {
        /// Its socket.
        socket: PathBuf,
        /// What it said, or the kernel.
        reason: russh::keys::Error,
    },
    /// The server takes none of what we have to show.
    #[error(
        "the server does not let user `{user}` in; tried: {}; it takes: {}",
        listed(tried),
        listed(takes)
    )]
    NotAuthenticated {
        /// The user's name.
        user: String,
        /// What was tried: fingerprints of keys, or `password`.
        tried: Vec<String>,
        /// The methods that the server says it takes, by their names in SSH.
        takes: Vec<String>,
    },
    /// The server opens no channel.
    #[error("the server opens no channel: {0}")]
    NoChannel(String),
    /// The server has no such subsystem, or not for this user.
    #[error("the server has no subsystem `{subsystem}` for user `{user}`")]
    NoSubsystem {
        /// The subsystem's name.
        subsystem: String,
        /// The user's name.
        user: String,
    },
    /// It took too long.
    #[error("the server took too long to {0}")]
    TimedOut(&'static str),
    /// The server closed the connection.
    #[error("the server closed the connection while it was to {0}")]
    Closed(&'static str),
    /// The server broke the protocol, or shares no algorithm with us.
    #[error("the SSH protocol failed: {0}")]
    Protocol(russh::Error),
}

impl From<russh::Error> for SshFailure {
    fn from(error: russh::Error) -> Self {
        Self::Protocol(error)
    }
}

impl SshFailure {
    /// The same, with what the server was doing where it just left.
    pub(super) fn while_it_was_to(self, doing: &'static str) -> Self {
        use russh::Error::{Disconnect, HUP, IO, RecvError, SendError};
        match self {
            Self::Protocol(HUP | Disconnect | IO(_) | RecvError | SendError) => Self::Closed(doing),
            other => other,
        }
    }
}

fn listed(words: &[String]) -> String {
    if words.is_empty() { "nothing".into() } else { words.join(", ") }
}
