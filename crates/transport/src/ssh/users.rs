//! Who may come in over SSH, and by what.

use std::collections::HashMap;
use std::path::PathBuf;

use crate::password::PasswordHash;

/// A user who may come in. With neither keys nor a password nobody does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SshUser {
    /// The name, which is what a session of theirs proves.
    pub name: String,
    /// A file of their public keys in OpenSSH's form, read anew at each attempt ([`super::authorized_keys`]).
    pub authorized_keys: Option<PathBuf>,
    /// What is kept of their password.
    pub password: Option<PasswordHash>,
}

/// All who may come in.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SshUsers(HashMap<String, SshUser>);

impl SshUsers {
    pub(super) fn get(&self, name: &str) -> Option<&SshUser> {
        self.0.get(name)
    }

    /// Whether anybody has a password.
    pub(super) fn have_passwords(&self) -> bool {
        self.0.values().any(|user| user.password.is_some())
    }

    /// Some hash, for the time that checking one takes.
    pub(super) fn any_password(&self) -> Option<&PasswordHash> {
        self.0.values().find_map(|user| user.password.as_ref())
    }
}

impl FromIterator<SshUser> for SshUsers {
    /// The last one of a name counts.
    fn from_iter<I: IntoIterator<Item = SshUser>>(users: I) -> Self {
        Self(users.into_iter().map(|user| (user.name.clone(), user)).collect())
    }
}
