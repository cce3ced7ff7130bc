//! Keys of SSH users, in the form of OpenSSH.

use russh::keys::PrivateKey;
use russh::keys::ssh_key::private::{Ed25519Keypair, KeypairData};
use russh::keys::ssh_key::{HashAlg, LineEnding};
use zeroize::Zeroizing;

use crate::{Error, Name, key};

/// A user's Ed25519 key, not yet on any disk.
pub struct SshKey {
    private: PrivateKey,
}

impl SshKey {
    /// Makes a key; the comment is the user's name.
    ///
    /// # Errors
    /// No random numbers.
    pub fn create(user: &Name) -> Result<Self, Error> {
        let seed = Zeroizing::new(key::random::<32>()?);
        let pair = KeypairData::from(Ed25519Keypair::from_seed(&seed));
        let private = PrivateKey::new(pair, user.as_str()).map_err(unmade)?;
        Ok(SshKey { private })
    }

    /// The private key, as `ssh-keygen` writes it.
    ///
    /// # Errors
    /// [`Error::Make`].
    pub fn private(&self) -> Result<Zeroizing<String>, Error> {
        let text = self.private.to_openssh(LineEnding::LF).map_err(unmade)?;
        Ok(Zeroizing::new(text.as_str().to_owned()))
    }

    /// The line of an `authorized_keys` file, without its end.
    ///
    /// # Errors
    /// [`Error::Make`].
    pub fn public(&self) -> Result<String, Error> {
        self.private.public_key().to_openssh().map_err(unmade)
    }

    /// The fingerprint as OpenSSH shows it: `SHA256:...`.
    pub fn fingerprint(&self) -> String {
        self.private.fingerprint(HashAlg::Sha256).to_string()
    }
}

impl std::fmt::Debug for SshKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SshKey").field("fingerprint", &self.fingerprint()).finish_non_exhaustive()
    }
}

fn unmade(fault: russh::keys::ssh_key::Error) -> Error {
    Error::Make { what: "an SSH key", reason: fault.to_string() }
}
