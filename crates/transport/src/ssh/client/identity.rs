//! How a client authenticates.

use std::fmt;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use russh::keys::{HashAlg, PrivateKey};

use super::SshFailure;
use crate::files::{LONGEST, open_regular};
use crate::ssh::Secret;

/// One means of authentication.
#[derive(Clone, Debug)]
pub enum Identity {
    /// A private key.
    Key(SshPrivateKey),
    /// A password.
    Password(Secret),
    /// All keys of the SSH agent at this socket (the environment's `SSH_AUTH_SOCK`).
    Agent(PathBuf),
}

/// A private key, read once: its passphrase is requested once, however many sessions are opened.
#[derive(Clone)]
pub struct SshPrivateKey {
    pub(super) key: Arc<PrivateKey>,
}

impl SshPrivateKey {
    /// Reads the key in `file`, in the form of `ssh-keygen` or in PEM. `passphrase` is called if it needs one.
    ///
    /// # Errors
    /// [`SshFailure::Key`], [`SshFailure::Passphrase`] if none is given, [`SshFailure::WrongPassphrase`].
    pub fn load(file: &Path, passphrase: impl FnOnce() -> Option<Secret>) -> Result<Self, SshFailure> {
        use russh::keys::Error;
        let unusable = |reason| SshFailure::Key { file: file.into(), reason };
        let mut text = zeroize::Zeroizing::new(String::new());
        let read = open_regular(file).and_then(|file| file.take(LONGEST).read_to_string(&mut text));
        read.map_err(|error| unusable(Error::IO(error)))?;
        let key = match russh::keys::decode_secret_key(&text, None) {
            Err(Error::KeyIsEncrypted) => {
                let words = passphrase().ok_or_else(|| SshFailure::Passphrase { file: file.into() })?;
                russh::keys::decode_secret_key(&text, Some(words.words()))
                    .map_err(|_| SshFailure::WrongPassphrase { file: file.into() })?
            }
            key => key.map_err(unusable)?,
        };
        Ok(Self { key: Arc::new(key) })
    }

    /// The key's fingerprint as OpenSSH shows it.
    #[must_use]
    pub fn fingerprint(&self) -> String {
        self.key.fingerprint(HashAlg::Sha256).to_string()
    }
}

impl fmt::Debug for SshPrivateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SshPrivateKey").field(&self.fingerprint()).finish()
    }
}
