//! The keys that a server authenticates with.

use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use russh::keys::ssh_key::LineEnding;
use russh::keys::ssh_key::private::{Ed25519Keypair, KeypairData};
use russh::keys::{Algorithm, HashAlg, PrivateKey};

use crate::files::{LONGEST, open_regular};

/// A server's private keys, at most one of each kind.
#[derive(Clone)]
pub struct HostKeys(Vec<PrivateKey>);

/// Why there is no host key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HostKeyError {
    /// A symbolic link instead of a key that we make.
    #[error(
        "the host key {} is a symbolic link: remove it, or name the file that it leads to where host keys are configured",
        path.display()
    )]
    Link {
        /// The link.
        path: PathBuf,
    },
    /// Another user's file.
    #[error(
        "the host key {} belongs to the user with the number {owner} and cannot be read: `chown` it to the user that \
         runs this program",
        path.display()
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its owner.
        owner: u32,
    },
    /// The file exists but cannot be read.
    #[error("cannot read the host key {}: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// Users other than its owner can read it.
    #[error("the host key {} has mode {mode:o}: others can read it; `chmod 600` it, or make another", path.display())]
    Open {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// The file contains no private key that can be used without a passphrase.
    #[error(
        "{} has no host key that can be used: {reason}; expected a private key without a passphrase, as \
         `ssh-keygen -t ed25519 -N ''` makes it",
        path.display()
    )]
    Unusable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: russh::keys::Error,
    },
    /// A new key cannot be written.
    #[error("cannot write the new host key {}: {source}", path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// A key cannot be generated.
    #[error("cannot make a host key: {0}")]
    Make(russh::keys::ssh_key::Error),
    /// Two keys of one kind: a client would never see the second.
    #[error("{} is the second host key of the kind {kind}", path.display())]
    Twice {
        /// The file.
        path: PathBuf,
        /// The kind, by its name in SSH.
        kind: String,
    },
}

impl HostKeys {
    /// Reads the key in `path`, in the form of `ssh-keygen`; if there is no such file, generates an Ed25519 key
    /// and writes it there with mode 600, atomically.
    ///
    /// # Errors
    /// [`HostKeyError`].
    pub fn load_or_create(path: &Path) -> Result<Self, HostKeyError> {
        match Self::load(path) {
            Err(HostKeyError::Read { source, .. }) if source.kind() == io::ErrorKind::NotFound => {
                let key = made()?;
                match written(path, &key) {
                    // Another process was faster: its key is used.
                    Err(source) if source.kind() == io::ErrorKind::AlreadyExists => Self::load(path),
                    Err(source) => Err(HostKeyError::Write { path: path.into(), source }),
                    Ok(()) => Ok(Self(vec![key])),
                }
            }
            loaded => loaded,
        }
    }

    /// As [`load_or_create`](Self::load_or_create), of a file that is only ever made here: it is not a symbolic link.
    ///
    /// # Errors
    /// [`HostKeyError`].
    pub fn own(path: &Path) -> Result<Self, HostKeyError> {
        if std::fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink()) {
            return Err(HostKeyError::Link { path: path.into() });
        }
        Self::load_or_create(path)
    }

    /// Reads the key in `path`.
    ///
    /// # Errors
    /// [`HostKeyError`].
    pub fn load(path: &Path) -> Result<Self, HostKeyError> {
        let unread = |source| unread(path, source);
        let file = open_regular(path).map_err(unread)?;
        let mode = file.metadata().map_err(unread)?.permissions().mode() & 0o777;
        if mode & 0o077 != 0 {
            return Err(HostKeyError::Open { path: path.into(), mode });
        }
        let mut text = zeroize::Zeroizing::new(String::new());
        file.take(LONGEST).read_to_string(&mut text).map_err(unread)?;
        let key = russh::keys::decode_secret_key(&text, None)
            .map_err(|reason| HostKeyError::Unusable { path: path.into(), reason })?;
        Ok(Self(vec![key]))
    }

    /// Adds another key, of another kind (RSA, ECDSA).
    ///
    /// # Errors
    /// [`HostKeyError`].
    pub fn with(mut self, path: &Path) -> Result<Self, HostKeyError> {
        for key in Self::load(path)?.0 {
            if self.0.iter().any(|other| other.algorithm() == key.algorithm()) {
                return Err(HostKeyError::Twice { path: path.into(), kind: key.algorithm().to_string() });
            }
            self.0.push(key);
        }
        Ok(self)
    }

    /// An Ed25519 key that is never written to disk, for tests and measurements.
    ///
    /// # Errors
    /// [`HostKeyError::Make`].
    pub fn in_memory() -> Result<Self, HostKeyError> {
        Ok(Self(vec![made()?]))
    }

    /// The Ed25519 key that follows from these octets, which are as secret as the key: for tests and simulated agents, which have
    /// the same one each time without a file.
    ///
    /// # Errors
    /// [`HostKeyError::Make`].
    pub fn of_octets(octets: &[u8; 32]) -> Result<Self, HostKeyError> {
        let pair = KeypairData::from(Ed25519Keypair::from_seed(octets));
        Ok(Self(vec![PrivateKey::new(pair, "").map_err(HostKeyError::Make)?]))
    }

    /// The keys' fingerprints as OpenSSH shows them, to compare with what a client shows on its first connection.
    #[must_use]
    pub fn fingerprints(&self) -> Vec<String> {
        self.0.iter().map(|key| key.fingerprint(HashAlg::Sha256).to_string()).collect()
    }

    /// The public keys as in a `known_hosts` file after the host's name: `ssh-ed25519 AAAA...`.
    #[must_use]
    pub fn public_lines(&self) -> Vec<String> {
        self.0.iter().filter_map(|key| super::known_hosts::public_line(key.public_key())).collect()
    }

    pub(super) fn into_keys(self) -> Vec<PrivateKey> {
        self.0
    }
}

impl std::fmt::Debug for HostKeys {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("HostKeys").field(&self.fingerprints()).finish()
    }
}

fn made() -> Result<PrivateKey, HostKeyError> {
    PrivateKey::random(&mut russh::keys::key::safe_rng(), Algorithm::Ed25519).map_err(HostKeyError::Make)
}

fn unread(path: &Path, source: io::Error) -> HostKeyError {
    let owner = std::fs::metadata(path).map(|found| found.uid());
    let own = rustix::process::geteuid().as_raw();
    match owner {
        Ok(owner) if source.kind() == io::ErrorKind::PermissionDenied && owner != own => {
            HostKeyError::Foreign { path: path.into(), owner }
        }
        _ => HostKeyError::Read { path: path.into(), source },
    }
}

/// Writes a temporary file and links it to the path: readers see nothing or all of it, and nothing is replaced.
fn written(path: &Path, key: &PrivateKey) -> io::Result<()> {
    let text = key.to_openssh(LineEnding::LF).map_err(io::Error::other)?;
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}", std::process::id()));
    let beside = PathBuf::from(beside);
    let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&beside)?;
    let done = file.write_all(text.as_bytes()).and_then(|()| file.sync_all());
    let done = done.and_then(|()| std::fs::hard_link(&beside, path));
    std::fs::remove_file(&beside)?;
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_made_once_with_mode_600() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host_key");
        let first = HostKeys::load_or_create(&path).unwrap();
        let second = HostKeys::load_or_create(&path).unwrap();
        assert_eq!(first.fingerprints(), second.fingerprints());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 1, "nothing beside it is left");
        assert!(first.public_lines()[0].starts_with("ssh-ed25519 AAAA"));
        assert!(!format!("{first:?}").contains("PRIVATE"));
    }

    #[test]
    fn a_key_follows_from_its_octets() {
        let [one, again, other] =
            [1, 1, 2].map(|octet| HostKeys::of_octets(&[octet; 32]).unwrap().fingerprints());
        assert_eq!(one, again);
        assert_ne!(one, other);
    }

    #[test]
    fn a_file_that_is_not_a_key_is_not_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("host_key");
        std::fs::write(&path, "none").unwrap();
        assert!(matches!(HostKeys::load_or_create(&path), Err(HostKeyError::Open { mode: _, .. })));
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
        assert!(matches!(HostKeys::load_or_create(&path), Err(HostKeyError::Unusable { .. })));
        assert_eq!(std::fs::read(&path).unwrap(), b"none");
        let nowhere = dir.path().join("no").join("host_key");
        assert!(matches!(HostKeys::load_or_create(&nowhere), Err(HostKeyError::Write { .. })));
    }

    #[test]
    fn a_key_of_ours_is_not_a_link() {
        let dir = tempfile::tempdir().unwrap();
        let (key, link) = (dir.path().join("key"), dir.path().join("link"));
        HostKeys::own(&key).unwrap();
        std::os::unix::fs::symlink(&key, &link).unwrap();
        assert!(matches!(HostKeys::own(&link), Err(HostKeyError::Link { .. })));
        assert!(HostKeys::load_or_create(&link).is_ok(), "one that is configured may be");
        std::fs::remove_file(&key).unwrap();
        assert!(matches!(HostKeys::own(&link), Err(HostKeyError::Link { .. })), "nor a dangling one");
    }

    #[test]
    fn the_owner_of_an_unreadable_key_is_named() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("key");
        std::fs::write(&path, "").unwrap();
        let denied = || io::Error::from(io::ErrorKind::PermissionDenied);
        assert!(matches!(unread(&path, denied()), HostKeyError::Read { .. }));
        if rustix::process::geteuid().is_root() {
            std::os::unix::fs::chown(&path, Some(1), None).unwrap();
            assert!(matches!(unread(&path, denied()), HostKeyError::Foreign { owner: 1, .. }));
        }
    }

    #[test]
    fn a_second_key_is_of_another_kind() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (dir.path().join("one"), dir.path().join("two"));
        let keys = HostKeys::load_or_create(&one).unwrap();
        HostKeys::load_or_create(&two).unwrap();
        assert!(matches!(keys.with(&two), Err(HostKeyError::Twice { .. })));
    }
}
