//! Passwords: how they are stored, and how they are hidden.

use std::fmt;
use std::io;
use std::str::FromStr;

use argon2::password_hash::phc;
use argon2::{Algorithm, Argon2, Params, Version};
use zeroize::Zeroizing;

use crate::pages::Pages;

/// A password or passphrase, wiped on drop and never shown.
#[derive(Clone)]
pub struct Secret(Zeroizing<String>);

impl Secret {
    /// Takes ownership of the text.
    #[must_use]
    pub const fn new(words: Zeroizing<String>) -> Self {
        Self(words)
    }

    /// The text itself.
    #[must_use]
    pub fn words(&self) -> &str {
        &self.0
    }
}

impl From<&str> for Secret {
    fn from(words: &str) -> Self {
        Self(Zeroizing::new(words.to_owned()))
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// The stored form of a password: `$argon2id$v=19$m=...,t=...,p=...$salt$hash` (the PHC string format).
#[derive(Clone, PartialEq, Eq)]
pub struct PasswordHash(phc::PasswordHash);

/// Why a text is not a usable hash.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PasswordHashError {
    /// Malformed.
    #[error("no hash of the form $argon2id$v=19$m=...,t=...,p=...$salt$hash")]
    Form,
    /// Another algorithm.
    #[error("a hash that is not argon2id")]
    Algorithm,
    /// Checking a password would consume more memory or time than an unauthenticated peer may.
    #[error("a hash with more than {MOST_MEMORY} KiB of memory, {MOST_PASSES} passes or {MOST_LANES} lanes")]
    TooDear,
}

impl PasswordHash {
    /// The cost is the library's default (OWASP's: 19 MiB, two passes); the salt is random.
    ///
    /// # Errors
    /// [`PasswordHashError::Form`] if there is no randomness.
    pub fn make(password: &Secret) -> Result<Self, PasswordHashError> {
        use argon2::password_hash::PasswordHasher;
        let made = Argon2::default().hash_password(password.words().as_bytes());
        made.map(Self).map_err(|_| PasswordHashError::Form)
    }

    /// The string for the configuration.
    #[must_use]
    pub fn to_phc(&self) -> String {
        self.0.to_string()
    }

    /// Checks a password. Takes tens of milliseconds and megabytes, by design.
    ///
    /// # Errors
    /// The system has no memory for it.
    pub(super) fn is_of(&self, password: &str) -> io::Result<bool> {
        // `FromStr` and `make` have checked salt, hash and cost.
        let (Some(salt), Some(expected), Ok(cost)) = (&self.0.salt, &self.0.hash, Params::try_from(&self.0))
        else {
            return Ok(false);
        };
        let version = self.0.version.map_or(Ok(Version::default()), Version::try_from);
        let Ok(version) = version else { return Ok(false) };
        let mut pages = Pages::map(cost.block_count())?;
        let argon2 = Argon2::new(Algorithm::Argon2id, version, cost);
        let mut found = Zeroizing::new(vec![0; expected.len()]);
        let made = argon2.hash_password_into_with_memory(password.as_bytes(), salt, &mut found, &mut pages);
        let Ok(found) = made.map_err(drop).and_then(|()| phc::Output::new(&found).map_err(drop)) else {
            return Ok(false);
        };
        // In constant time.
        Ok(found == *expected)
    }
}

impl FromStr for PasswordHash {
    type Err = PasswordHashError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let hash = phc::PasswordHash::new(text).map_err(|_| PasswordHashError::Form)?;
        if hash.algorithm != argon2::ARGON2ID_IDENT {
            return Err(PasswordHashError::Algorithm);
        }
        if hash.salt.is_none() || hash.hash.is_none() {
            return Err(PasswordHashError::Form);
        }
        let cost = Params::try_from(&hash).map_err(|_| PasswordHashError::Form)?;
        if cost.m_cost() > MOST_MEMORY || cost.t_cost() > MOST_PASSES || cost.p_cost() > MOST_LANES {
            return Err(PasswordHashError::TooDear);
        }
        Ok(Self(hash))
    }
}

impl fmt::Debug for PasswordHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("PasswordHash")
    }
}

const MOST_MEMORY: u32 = 256 << 10;
const MOST_PASSES: u32 = 16;
const MOST_LANES: u32 = 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_read_as_it_was_written_and_knows_its_password() {
        let hash = PasswordHash::make(&"maplesyrup".into()).unwrap();
        let again: PasswordHash = hash.to_phc().parse().unwrap();
        assert!(again.is_of("maplesyrup").unwrap() && !again.is_of("maplesyru").unwrap());
        assert!(hash.to_phc().starts_with("$argon2id$v=19$"));
        assert_eq!(format!("{hash:?} {:?}", Secret::from("maplesyrup")), "PasswordHash Secret");
    }

    #[test]
    fn a_hash_of_any_cost_is_checked_as_the_library_does() {
        use argon2::password_hash::{PasswordHasher, PasswordVerifier};
        for (memory, passes, lanes) in [(8, 1, 1), (64, 3, 1), (100, 1, 4), (32, 2, 4)] {
            let cost = Params::new(memory, passes, lanes, None).unwrap();
            for version in [Version::V0x10, Version::V0x13] {
                let library = Argon2::new(Algorithm::Argon2id, version, cost.clone());
                let made = library.hash_password(b"maplesyrup").unwrap().to_string();
                let hash: PasswordHash = made.parse().unwrap();
                assert!(hash.is_of("maplesyrup").unwrap() && !hash.is_of("").unwrap(), "{made}");
                let by_library = Argon2::default().verify_password(b"maplesyrup", made.as_str());
                assert!(by_library.is_ok(), "{made}");
            }
        }
    }

    #[test]
    fn other_hashes_are_refused() {
        let wrong = |text: &str| text.parse::<PasswordHash>().unwrap_err();
        assert_eq!(wrong("maplesyrup"), PasswordHashError::Form);
        assert_eq!(wrong("$argon2id$v=19$m=19456,t=2,p=1"), PasswordHashError::Form);
        let salted = "c29tZXNhbHQ$MEJIcXJ1Y2tlYnJ1Y2tlYnJ1Y2tlYnJ1Y2s";
        assert_eq!(wrong(&format!("$argon2i$v=19$m=64,t=2,p=1${salted}")), PasswordHashError::Algorithm);
        assert_eq!(wrong(&format!("$argon2id$v=19$m=4000000,t=2,p=1${salted}")), PasswordHashError::TooDear);
    }
}
