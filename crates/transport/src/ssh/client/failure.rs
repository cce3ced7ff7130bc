//! Why there is no session with a server.

use std::io;
use std::path::PathBuf;

/// What went wrong between a client and a server. Contains no secret.
///
/// The counters of RFC 5592 section 5: [`SshFailure::NotAuthenticated`] and errors of our own keys count in
/// `snmpSshtmSessionUserAuthFailures`, [`SshFailure::NoChannel`] in `snmpSshtmSessionNoChannels`,
/// [`SshFailure::NoSubsystem`] in `snmpSshtmSessionNoSubsystems`, the others in `snmpSshtmSessionOpenErrors`.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SshFailure {
    /// The host's key is not known yet.
    #[error(
        "the host key of {name} is not known: {fingerprint}; if that is what its operator says, add this line to {}: {line}",
        file.display()
    )]
    UnknownHost {
        /// The host's name in the file.
        name: String,
        /// The key's fingerprint as OpenSSH shows it.
        fingerprint: String,
        /// The line to add to the file.
        line: String,
        /// The file to add it to.
        file: PathBuf,
    },
    /// The host presents another key than the known one: it has a new key, or somebody else is answering.
    #[error(
        "THE HOST KEY OF {name} HAS CHANGED to {fingerprint}: somebody else may be answering in its place; if its \
         operator has changed it, remove line {line} of {}",
        file.display()
    )]
    ChangedHost {
        /// The host's name in the file.
        name: String,
        /// The fingerprint of the key that it presents.
        fingerprint: String,
        /// The file with the known key.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The key is marked as revoked.
    #[error("the host key {fingerprint} of {name} was revoked: line {line} of {}", file.display())]
    RevokedHost {
        /// The host's name in the file.
        name: String,
        /// The key's fingerprint.
        fingerprint: String,
        /// The file that revokes it.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The host is known only through an authority (`@cert-authority`), and host certificates are not supported.
    #[error(
        "{name} is known by an authority of certificates only (line {line} of {}), which is not supported: add its \
         own key, {fingerprint}, as a line of its own",
        file.display()
    )]
    HostAuthority {
        /// The host's name in the file.
        name: String,
        /// The fingerprint of the key that it presents.
        fingerprint: String,
        /// The file with the authority.
        file: PathBuf,
        /// The line, from 1.
        line: usize,
    },
    /// The key's fingerprint is not one of those given for the host.
    #[error("the host key of {name} is {fingerprint}, which is not the expected one")]
    OtherFingerprint {
        /// The host.
        name: String,
        /// The fingerprint of the key that it presents.
        fingerprint: String,
    },
    /// A file of known hosts cannot be read or written.
    #[error("cannot {doing} the known hosts {}: {source}", file.display())]
    KnownHosts {
        /// `read` or `write`.
        doing: &'static str,
        /// The file.
        file: PathBuf,
        /// The kernel's error.
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
    /// The SSH agent cannot be reached.
    #[error("cannot ask the agent at {}: {reason}", socket.display())]
    Agent {
        /// Its socket.
        socket: PathBuf,
        /// Its error, or the kernel's.
        reason: russh::keys::Error,
    },
    /// The server accepts none of our identities.
    #[error(
        "the server does not let user `{user}` in; tried: {}; it takes: {}",
        listed(tried),
        listed(takes)
    )]
    NotAuthenticated {
        /// The user's name.
        user: String,
        /// The identities tried: fingerprints of keys, or `password`.
        tried: Vec<String>,
        /// The methods that the server accepts, by their names in SSH.
        takes: Vec<String>,
    },
    /// The server refused to open a channel.
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
    /// Whether we refuse the host's key, or the server our user.
    #[must_use]
    pub fn is_refusal(&self) -> bool {
        matches!(
            self,
            Self::UnknownHost { .. }
                | Self::ChangedHost { .. }
                | Self::RevokedHost { .. }
                | Self::HostAuthority { .. }
                | Self::OtherFingerprint { .. }
                | Self::NotAuthenticated { .. }
        )
    }

    /// The same, with what the server was doing if it just disconnected.
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
