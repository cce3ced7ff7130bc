//! What a server holds against a peer that it does not serve.

use std::io;

use crate::password::Unproved;

/// What is wrong in an SSH handshake, which lasts until the subsystem is asked for. Holds no secret.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SshFault {
    /// No user of that name may come in. The name is the peer's word.
    #[error("no user `{user}` may come in over SSH")]
    UnknownUser {
        /// As the peer gave it, shortened and with its control characters escaped.
        user: String,
    },
    /// The user is known, the key is none of theirs.
    #[error("the key {fingerprint} is not one of user `{user}`")]
    WrongKey {
        /// The user's name.
        user: String,
        /// The key's fingerprint as OpenSSH shows it.
        fingerprint: String,
    },
    /// The user is known, the password is wrong; or there is none for them.
    #[error("a wrong password for user `{user}`")]
    WrongPassword {
        /// The user's name.
        user: String,
    },
    /// The password was not checked: the network was wrong too often, or too many are being checked.
    #[error("a password for user `{user}` is not checked: {source}")]
    NotChecked {
        /// The user's name.
        user: String,
        /// Why not.
        source: Unproved,
    },
    /// The keys that a user may come in with cannot be read. That is our configuration's fault.
    #[error("the keys of user `{user}` cannot be read from {path}: {source}")]
    KeysUnreadable {
        /// The user's name.
        user: String,
        /// The file.
        path: std::path::PathBuf,
        /// What the kernel said.
        source: io::Error,
    },
    /// The peer left, or was refused too often, without having proved anything.
    #[error("the peer left before it was authenticated")]
    NotAuthenticated,
    /// The peer proved who it is, and then asked for no subsystem.
    #[error("user `{user}` requested no subsystem")]
    NoSubsystem {
        /// The user's name.
        user: String,
    },
    /// The peer asked for something else than a subsystem that is served: another one, a shell, a command, a terminal, ...
    #[error("user `{user}` requested {wanted}; subsystems served here: {served}")]
    NotOffered {
        /// The user's name.
        user: String,
        /// What was asked for, shortened and with its control characters escaped.
        wanted: String,
        /// The names of those that are served.
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

/// A peer's words, fit for a log: no control characters, no more than a line.
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
    fn words_of_a_peer_stay_on_their_line() {
        assert_eq!(quoted("alice"), "alice");
        assert_eq!(quoted("a\nb\u{1b}[2J"), "a\\nb\\u{1b}[2J");
        assert_eq!(quoted(&"x".repeat(1000)).len(), LONGEST_WORDS + 3);
    }
}
