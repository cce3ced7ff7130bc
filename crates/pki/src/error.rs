//! What can go wrong with certificates and keys.

use std::io;
use std::path::{Path, PathBuf};

/// Why no certificate, key or list could be made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// A name that cannot be a common name and a file's name.
    #[error("`{name}` is not a name for a certificate: {reason}")]
    Name {
        /// The name as given.
        name: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// An invalid alternative name for a certificate.
    #[error("`{name}` is not a valid {expected}")]
    AlternativeName {
        /// The name as given.
        name: String,
        /// What it should be.
        expected: &'static str,
    },
    /// A kind of key that we do not make.
    #[error("`{found}` is not a kind of key: {}", crate::KeyKind::NAMES.join(", "))]
    KeyKind {
        /// The kind as given.
        found: String,
    },
    /// A fingerprint that cannot be read.
    #[error("`{found}` is not a fingerprint: sha256: and 64 hexadecimal digits are expected")]
    Fingerprint {
        /// The fingerprint as given.
        found: String,
    },
    /// A period that ends before it begins, or after the year 9999, which a certificate cannot express.
    #[error("the certificate would never be valid: it would start on {not_before} and end on {not_after}")]
    Validity {
        /// The first second.
        not_before: time::OffsetDateTime,
        /// The last second.
        not_after: time::OffsetDateTime,
    },
    /// So many days lead beyond the year 9999.
    #[error("{days} days from now is after the year 9999")]
    Days {
        /// The requested number.
        days: u32,
    },
    /// Octets or text that are not a certificate.
    #[error("{what} is not a certificate: {reason}")]
    NoCertificate {
        /// Which file, or `this`.
        what: String,
        /// What is wrong.
        reason: String,
    },
    /// Text that is not a private key of a kind that we can use.
    #[error("{what} is not a usable private key (expected PKCS #8 in PEM)")]
    NoKey {
        /// Which file, or `this`.
        what: String,
    },
    /// A certificate of an authority was expected.
    #[error("`{subject}` is not a certificate authority")]
    NotAuthority {
        /// The certificate's subject.
        subject: String,
    },
    /// The authority's key does not belong to its certificate.
    #[error("the private key does not belong to the certificate of `{subject}`")]
    KeyMismatch {
        /// The certificate's subject.
        subject: String,
    },
    /// The library that makes certificates cannot make this one.
    #[error("cannot create {what}: {reason}")]
    Make {
        /// What was to be made.
        what: &'static str,
        /// The library's message.
        reason: String,
    },
    /// The system's random number generator fails.
    #[error("the system's random number generator failed: {0}")]
    Random(#[source] io::Error),
    /// There is no authority yet.
    #[error("there is no certificate authority in {}", .directory.display())]
    NoAuthority {
        /// Where we looked.
        directory: PathBuf,
    },
    /// A file that would be overwritten.
    #[error("{} already exists", .path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A folder is expected and something else, such as a symbolic link, is there.
    #[error("{} is not a folder, or is a symbolic link", .path.display())]
    NotFolder {
        /// The path.
        path: PathBuf,
    },
    /// The link to a default is expected and a file of its own is there.
    #[error("{} is a regular file, not a link to a default: move it away first", .path.display())]
    NotLink {
        /// The path.
        path: PathBuf,
    },
    /// The index of what was issued cannot be read.
    #[error("{}: {reason}", .path.display())]
    Index {
        /// The index.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// No certificate of this name was issued.
    #[error("no certificate was issued for `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
    },
    /// An agent and a manager have this name.
    #[error("`{name}` is both an agent and a manager: write agents/{name} or managers/{name}")]
    Ambiguous {
        /// The requested name.
        name: String,
    },
    /// A certificate that is already revoked.
    #[error("`{name}` is already revoked")]
    AlreadyRevoked {
        /// The requested name.
        name: String,
    },
    /// A self-signed certificate cannot be on a revocation list.
    #[error(
        "`{name}` is self-signed: no authority can revoke it; remove its fingerprint from the configuration"
    )]
    SelfSigned {
        /// The requested name.
        name: String,
    },
    /// A file or folder cannot be read or written.
    #[error("{}: {fault}", .path.display())]
    File {
        /// The file or folder.
        path: PathBuf,
        /// The system's error.
        #[source]
        fault: io::Error,
    },
    /// The user's directory is unknown.
    #[error("neither XDG_CONFIG_HOME nor HOME is set, so there is no default directory")]
    NoHome,
}

impl Error {
    pub(crate) fn make(what: &'static str) -> impl Fn(rcgen::Error) -> Error {
        move |fault| Error::Make { what, reason: fault.to_string() }
    }

    pub(crate) fn file(path: &Path) -> impl Fn(io::Error) -> Error + '_ {
        move |fault| Error::File { path: path.to_owned(), fault }
    }
}
