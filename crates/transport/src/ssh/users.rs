//! The users who may log in over SSH, and their credentials.

use std::collections::HashMap;
use std::path::PathBuf;

use trunkline_password::PasswordHash;

/// A user who may log in; with neither keys nor a password, nobody can.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshUser {
    /// The name, which is the proof of the user's sessions.
    pub name: String,
    /// A file of their public keys in OpenSSH's form, read again on each attempt ([`super::authorized_keys`]).
    pub authorized_keys: Option<PathBuf>,
    /// Their stored password hash.
    pub password: Option<PasswordHash>,
}

/// All users who may log in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshUsers(HashMap<String, SshUser>);

impl SshUsers {
    pub(super) fn get(&self, name: &str) -> Option<&SshUser> {
        self.0.get(name)
    }

    /// Whether any user has a password.
    pub(super) fn have_passwords(&self) -> bool {
        self.0.values().any(|user| user.password.is_some())
    }

    /// Some hash, so that checking an unknown name takes as long.
    pub(super) fn any_password(&self) -> Option<&PasswordHash> {
        self.0.values().find_map(|user| user.password.as_ref())
    }
}

impl FromIterator<SshUser> for SshUsers {
    /// The last entry for a name wins.
    fn from_iter<I: IntoIterator<Item = SshUser>>(users: I) -> Self {
        Self(users.into_iter().map(|user| (user.name.clone(), user)).collect())
    }
}
