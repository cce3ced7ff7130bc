//! Why a server refuses a peer.

use std::io;

use trunkline_password::Unproved;

/// What went wrong in an SSH handshake, which lasts until a subsystem is requested. Contains no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SshFault {
    /// No user of that name may log in. The peer chose the name.
    #[error("no user `{user}` may come in over SSH")]
    UnknownUser {
        /// As the peer gave it, shortened and with its control characters escaped.
        user: String,
    },
    /// The user is known, but the key is not one of theirs.
    #[error("the key {fingerprint} is not one of user `{user}`")]
    WrongKey {
        /// The user's name.
        user: String,
        /// The key's fingerprint as OpenSSH shows it.
        fingerprint: String,
    },
    /// The user is known, but the password is wrong, or the user has none.
    #[error("a wrong password for user `{user}`")]
    WrongPassword {
        /// The user's name.
        user: String,
    },
    /// The password was not checked: too many failures from the network, or too many checks in progress.
    #[error("a password for user `{user}` is not checked: {source}")]
    NotChecked {
        /// The user's name.
        user: String,
        /// The reason.
        source: Unproved,
    },
    /// More passwords than a connection may try.
    #[error("{passwords} passwords were refused, and another one for user `{user}` is not checked")]
    OutOfPasswords {
        /// The user's name.
        user: String,
        /// How many were refused.
        passwords: usize,
    },
    /// As many keys and passwords were refused as a connection may try.
    #[error("{last}; that was the last of the {attempts} attempts that a connection has")]
    OutOfAttempts {
        /// How many were refused.
        attempts: usize,
        /// What was wrong with the last one.
        last: Box<SshFault>,
    },
    /// The user's authorized keys cannot be read. This is a fault of our configuration.
    #[error("the keys of user `{user}` cannot be read from {path}: {source}")]
    KeysUnreadable {
        /// The user's name.
        user: String,
        /// The file.
        path: std::path::PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// The peer left without authenticating.
    #[error("the peer left before it was authenticated")]
    NotAuthenticated,
    /// The peer authenticated, but requested no subsystem.
    #[error("user `{user}` requested no subsystem")]
    NoSubsystem {
        /// The user's name.
        user: String,
    },
    /// The peer requested something other than a served subsystem: another one, a shell, a command, a terminal,
    /// ...
    #[error("user `{user}` requested {wanted}; subsystems served here: {served}")]
    NotOffered {
        /// The user's name.
        user: String,
        /// What it requested, shortened and with its control characters escaped.
        wanted: String,
        /// The names of the served subsystems.
        served: String,
    },
    /// The peer broke the protocol, or shares no algorithm with us.
    #[error("the SSH protocol failed: {0}")]
    Protocol(russh::Error),
}

impl From<russh::Error> for SshFault {
    fn from(error: russh::Error) -> Self {
        Self::Protocol(error)
    }
}

/// A peer's text, fit for a log: no control characters, at most one line.
pub(super) fn quoted(words: &str) -> String {
    let mut quoted: String = words.chars().take(LONGEST_WORDS).flat_map(char::escape_debug).collect();
    if words.chars().nth(LONGEST_WORDS).is_some() {
        quoted.push_str("...");
    }
    quoted
}

const LONGEST_WORDS: usize = 64;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_peers_text_stays_on_its_line() {
        assert_eq!(quoted("alice"), "alice");
        assert_eq!(quoted("a\nb\u{1b}[2J"), "a\\nb\\u{1b}[2J");
        assert_eq!(quoted(&"x".repeat(1000)).len(), LONGEST_WORDS + 3);
    }
}
