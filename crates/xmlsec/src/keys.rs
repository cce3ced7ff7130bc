//! Shared keys: those of a role in one epoch, and what each of its members has of them.
//!
//! Nothing is encrypted or signed by the keys of a role themselves. From them the agent derives two secrets for each member, and
//! from these each algorithm gets a key of its own, so that no key is used by two of them:
//!
//! ```text
//! secret of USER     = HKDF-Expand(role's key, "trunkline protected 1.0 user USER", 32)
//! key of ALGORITHM   = HKDF-Expand(user's secret, "trunkline protected 1.0 key ALGORITHM", its length)
//! ```
//!
//! HKDF-Expand (RFC 5869) is over SHA-256. With an output of 32 octets or fewer it is the beginning of HMAC-SHA256 over the text
//! and the octet 1. `ALGORITHM` is its name in the configuration, as `hmac-sha256`.

use std::fmt;
use std::sync::{Arc, OnceLock};

use aws_lc_rs::hmac;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::algorithm::{Cipher, SignatureMethod};
use crate::crypt::CipherKey;
use crate::name::UserName;

/// A key that is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("a role's key has at least {SHORTEST} octets, this one has {found}")]
pub struct ShortKey {
    /// Its octets.
    pub found: usize,
}

/// The two keys of a role in one epoch: devices have them, members of the role do not.
#[derive(Clone)]
pub struct RoleKeys {
    authentication: Zeroizing<Vec<u8>>,
    encryption: Zeroizing<Vec<u8>>,
}

impl RoleKeys {
    /// Keys of at least 128 bits each, which must be random.
    ///
    /// # Errors
    ///
    /// One is shorter.
    pub fn new(authentication: &[u8], encryption: &[u8]) -> Result<Self, ShortKey> {
        for key in [authentication, encryption] {
            if key.len() < SHORTEST {
                return Err(ShortKey { found: key.len() });
            }
        }
        Ok(Self { authentication: authentication.to_vec().into(), encryption: encryption.to_vec().into() })
    }

    /// The keys of a member. They cost a few digests: who needs them often keeps them.
    pub fn of_user(&self, user: &UserName) -> UserKeys {
        let derive = |key: &[u8]| {
            let mut secret = Zeroizing::new([0; SECRET]);
            expand(key, "user", user.as_str(), secret.as_mut_slice());
            secret
        };
        UserKeys::of(derive(&self.authentication), derive(&self.encryption))
    }
}

impl fmt::Debug for RoleKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("RoleKeys").finish_non_exhaustive()
    }
}

/// The keys of one member of a role in one epoch. A copy refers to the same keys.
#[derive(Clone)]
pub struct UserKeys(Arc<Secrets>);

struct Secrets {
    authentication: Zeroizing<[u8; SECRET]>,
    encryption: Zeroizing<[u8; SECRET]>,
    /// Prepared when first used, by method and by cipher.
    signing: [OnceLock<hmac::Key>; 2],
    ciphers: [OnceLock<Option<CipherKey>>; 3],
}

impl UserKeys {
    /// The keys from a member's two secrets, as a key service hands them out.
    pub fn new(authentication: &[u8; 32], encryption: &[u8; 32]) -> Self {
        Self::of(Zeroizing::new(*authentication), Zeroizing::new(*encryption))
    }

    fn of(authentication: Zeroizing<[u8; SECRET]>, encryption: Zeroizing<[u8; SECRET]>) -> Self {
        Self(Arc::new(Secrets {
            authentication,
            encryption,
            signing: std::array::from_fn(|_| OnceLock::new()),
            ciphers: std::array::from_fn(|_| OnceLock::new()),
        }))
    }

    /// The member's two secrets, for authentication and for encryption: what [`Self::new`] takes.
    pub fn secrets(&self) -> (&[u8; 32], &[u8; 32]) {
        (&self.0.authentication, &self.0.encryption)
    }

    /// The octets of the key of an HMAC, for other implementations. A method of public keys has none.
    pub fn signing_key(&self, method: SignatureMethod) -> Option<Zeroizing<[u8; 32]>> {
        method.is_shared().then(|| {
            let mut key = Zeroizing::new([0; SECRET]);
            expand(self.0.authentication.as_slice(), "key", method.name(), key.as_mut_slice());
            key
        })
    }

    /// The octets of the key of a cipher, for other implementations.
    pub fn cipher_key(&self, cipher: Cipher) -> Zeroizing<Vec<u8>> {
        let mut key = Zeroizing::new(vec![0; cipher.key_length()]);
        expand(self.0.encryption.as_slice(), "key", cipher.name(), &mut key);
        key
    }

    pub(crate) fn hmac(&self, method: SignatureMethod) -> Option<&hmac::Key> {
        let (at, algorithm) = match method {
            SignatureMethod::HmacSha1 => (0, hmac::HMAC_SHA1_FOR_LEGACY_USE_ONLY),
            SignatureMethod::HmacSha256 => (1, hmac::HMAC_SHA256),
            SignatureMethod::RsaSha256 | SignatureMethod::EcdsaSha256 => return None,
        };
        let prepare = || {
            let key = self.signing_key(method).unwrap_or_default();
            hmac::Key::new(algorithm, key.as_slice())
        };
        Some(self.0.signing[at].get_or_init(prepare))
    }

    pub(crate) fn cipher(&self, cipher: Cipher) -> Option<&CipherKey> {
        let at = match cipher {
            Cipher::Aes128Cbc => 0,
            Cipher::Aes128Gcm => 1,
            Cipher::Aes256Gcm => 2,
        };
        self.0.ciphers[at].get_or_init(|| CipherKey::new(cipher, &self.cipher_key(cipher))).as_ref()
    }
}

impl fmt::Debug for UserKeys {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("UserKeys").finish_non_exhaustive()
    }
}

/// HKDF-Expand of RFC 5869 for at most one block.
fn expand(key: &[u8], what: &str, of: &str, output: &mut [u8]) {
    let mut context = hmac::Context::with_key(&hmac::Key::new(hmac::HMAC_SHA256, key));
    for piece in [LABEL, what, " ", of, "\u{1}"] {
        context.update(piece.as_bytes());
    }
    let block = context.sign();
    output.copy_from_slice(&block.as_ref()[..output.len()]);
}

/// The least octets of a role's key.
const SHORTEST: usize = 16;

/// Octets of a member's secret.
const SECRET: usize = 32;

/// What all derivations begin with.
const LABEL: &str = "trunkline protected 1.0 ";

#[cfg(test)]
mod tests {
    use super::{RoleKeys, ShortKey, UserKeys};
    use crate::algorithm::{Cipher, SignatureMethod};

    fn hexadecimal(octets: &[u8]) -> String {
        octets.iter().map(|octet| format!("{octet:02x}")).collect()
    }

    /// Checked against Python's `hmac`: see docs/wire/protected.md.
    #[test]
    fn known_derivations() {
        let keys = RoleKeys::new(&[1; 16], &[2; 16]).unwrap().of_user(&"alice".parse().unwrap());
        let (authentication, encryption) = keys.secrets();
        assert_eq!(hexadecimal(authentication), AUTHENTICATION);
        assert_eq!(hexadecimal(encryption), ENCRYPTION);
        let signing = keys.signing_key(SignatureMethod::HmacSha256).unwrap();
        assert_eq!(hexadecimal(signing.as_slice()), HMAC_SHA256);
        assert_eq!(hexadecimal(&keys.cipher_key(Cipher::Aes128Gcm)), AES_128_GCM);
        assert_eq!(keys.signing_key(SignatureMethod::RsaSha256), None);
    }

    #[test]
    fn each_algorithm_and_each_user_has_a_key_of_its_own() {
        let role = RoleKeys::new(&[1; 16], &[1; 16]).unwrap();
        let mut all = Vec::new();
        for user in ["alice", "bob"] {
            let keys = role.of_user(&user.parse().unwrap());
            for method in SignatureMethod::ALL {
                all.extend(keys.signing_key(method).map(|key| key[..16].to_vec()));
            }
            all.extend(Cipher::ALL.map(|cipher| keys.cipher_key(cipher)[..16].to_vec()));
        }
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!((count, all.len()), (10, 10));
    }

    #[test]
    fn members_secrets_are_enough() {
        let keys = RoleKeys::new(&[1; 16], &[2; 32]).unwrap().of_user(&"alice".parse().unwrap());
        let (authentication, encryption) = keys.secrets();
        let same = UserKeys::new(authentication, encryption);
        assert_eq!(same.cipher_key(Cipher::Aes256Gcm), keys.cipher_key(Cipher::Aes256Gcm));
    }

    #[test]
    fn short_keys_are_refused_and_none_is_printed() {
        assert_eq!(RoleKeys::new(&[1; 15], &[2; 16]).unwrap_err(), ShortKey { found: 15 });
        assert_eq!(RoleKeys::new(&[1; 16], &[]).unwrap_err(), ShortKey { found: 0 });
        let role = RoleKeys::new(&[0xa7; 16], &[0xa7; 16]).unwrap();
        let user = role.of_user(&"alice".parse().unwrap());
        let _ = user.hmac(SignatureMethod::HmacSha256);
        assert_eq!(format!("{role:?} {user:?}"), "RoleKeys { .. } UserKeys { .. }");
    }

    const AUTHENTICATION: &str = "7a73aa6532c2de516538eca6a01001ce30c2a9d9a639ee510c99fce90477f716";
    const ENCRYPTION: &str = "c6aeccfa964b5760753a2f447c76b5f3f0af13f050cb6ca58878db89c15f84b0";
    const HMAC_SHA256: &str = "135f0b23bbda83656f45d8e82635e406cd338353378381e88fc43c0014917c5b";
    const AES_128_GCM: &str = "ecca96137a9635990a0164b1e027768d";
}
