//! Why something of the authority cannot be done.

use std::io;
use std::path::PathBuf;

use trunkline_login::Mistake;
use trunkline_login::own_engine::OwnEngineError;

use crate::Name;

/// A fault of the command, of the authority's files, or of the machine. None contains a secret.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A text that is not a name.
    #[error(
        "{found:?} is not a name: expected 1 to 32 letters, digits, `.`, `_` and `-`, not beginning with `.` or `-`"
    )]
    Name {
        /// The text.
        found: String,
    },
    /// A role that cannot have this name.
    #[error("`user` cannot be a role: the names of public keys begin with it")]
    Reserved,
    /// It has no authority yet.
    #[error("{} has no authority", directory.display())]
    NoAuthority {
        /// The directory.
        directory: PathBuf,
    },
    /// It has one already.
    #[error("{} has an authority already", directory.display())]
    Exists {
        /// The directory.
        directory: PathBuf,
    },
    /// There is neither such a role, user nor device.
    #[error("there is no {what} called {name}")]
    Unknown {
        /// `role`, `user` or `device`.
        what: &'static str,
        /// The name.
        name: String,
    },
    /// There is another one of this name.
    #[error("there is already a {what} called {name}")]
    Taken {
        /// `role` or `device`.
        what: &'static str,
        /// The name.
        name: Name,
    },
    /// The user does not have the role.
    #[error("{user} does not have the role {role}")]
    NotMember {
        /// The user.
        user: Name,
        /// The role.
        role: Name,
    },
    /// The role has had all epochs.
    #[error("the role {role} has had its last epoch")]
    LastEpoch {
        /// The role.
        role: Name,
    },
    /// Not a public key in PEM.
    #[error("not a public key: {reason}")]
    PublicKey {
        /// What was expected.
        reason: trunkline_xmlsec::KeyError,
    },
    /// Not a policy.
    #[error("not a policy: {reason}")]
    Policy {
        /// What was expected.
        reason: String,
    },
    /// A file of the authority is not as it was written.
    #[error("{}: line {line}: not what `trunkline rbac` has written: expected {expected}", path.display())]
    Document {
        /// The file.
        path: PathBuf,
        /// Where, from 1.
        line: usize,
        /// What should be there.
        expected: &'static str,
    },
    /// A file of the authority is not whole.
    #[error("{}: {reason}; restore it from a copy made after the last change, since an older one takes revocations back", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file cannot be read or written.
    #[error("{}: {fault}", path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        fault: io::Error,
    },
    /// A private file cannot be read or written, or others can read it.
    #[error(transparent)]
    Private(#[from] Mistake),
    /// There is no directory for this user.
    #[error("there is no home directory: neither XDG_CONFIG_HOME nor HOME is set")]
    NoHome,
    /// The kernel gives no random octets.
    #[error(transparent)]
    NoEntropy(#[from] OwnEngineError),
}

impl Error {
    pub(crate) fn file(path: &std::path::Path) -> impl FnOnce(io::Error) -> Error + '_ {
        move |fault| Error::File { path: path.to_owned(), fault }
    }
}
