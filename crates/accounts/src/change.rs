//! From the keys that a user has to those that it gets: values of usmUserAuthKeyChange and its siblings.

use std::fmt;

use trunkline_snmp::usm::{AuthProtocol, EngineId, KeyChangeError, KeyError, LocalKey, MasterKey, User};

use crate::AccountError;

/// The values for new keys; of each key that changes. Who knows the old key reads the new one in it, so that it is
/// not shown.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct KeyChange {
    /// For authentication.
    pub auth: Option<Vec<u8>>,
    /// For privacy.
    pub privacy: Option<Vec<u8>>,
}

/// How many random octets a change needs: as many as the longest keys have.
const RANDOM: usize = 128;

impl KeyChange {
    /// From the keys of `old` to those of `new`, which has the same protocols. `random`: fresh octets.
    ///
    /// # Errors
    /// One of the two has no such key, or keys of other protocols.
    pub fn between(
        old: &User,
        new: &User,
        [auth, privacy]: [bool; 2],
        random: &[u8; RANDOM],
    ) -> Result<Self, AccountError> {
        let (for_auth, for_privacy) = random.split_at(RANDOM / 2);
        // The hash of both is that of authentication (RFC 3414 section 5, usmUserPrivKeyChange).
        let value = |purpose, keys: Option<(&LocalKey, &LocalKey)>, random: &[u8]| {
            let (old_key, new_key) = keys.ok_or(AccountError::NoKey { purpose })?;
            let hash = old.auth().ok_or(AccountError::NoKey { purpose })?.protocol();
            let random = &random[..old_key.as_bytes().len().min(random.len())];
            old_key.key_change(hash, new_key, random).map_err(|fault| AccountError::Key { purpose, fault })
        };
        let mut change = KeyChange::default();
        if auth {
            let keys = old.auth().zip(new.auth()).map(|(old, new)| (old.local_key(), new.local_key()));
            change.auth = Some(value("authentication", keys, for_auth)?);
        }
        if privacy {
            let keys = old.privacy().zip(new.privacy()).map(|(old, new)| (old.local_key(), new.local_key()));
            change.privacy = Some(value("privacy", keys, for_privacy)?);
        }
        Ok(change)
    }
}

impl fmt::Debug for KeyChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("KeyChange").finish_non_exhaustive()
    }
}

/// The value for a new key for authentication, from an old and a new password, for the user's own hash.
///
/// # Errors
/// A password is too short.
pub fn key_change_of_passwords(
    hash: AuthProtocol,
    passwords: [&[u8]; 2],
    engine: &EngineId,
    random: &[u8; RANDOM],
) -> Result<Vec<u8>, KeyChangeFault> {
    let [old, new] = passwords.map(|password| {
        MasterKey::from_password(hash, password)
            .map(|key| key.localize(engine))
            .map_err(KeyChangeFault::Password)
    });
    let random = &random[..hash.key_length()];
    old?.key_change(hash, &new?, random).map_err(KeyChangeFault::Change)
}

/// Why two passwords give no change of a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyChangeFault {
    /// A password gives no key.
    #[error("{0}")]
    Password(KeyError),
    /// The keys differ in their lengths.
    #[error("{0}")]
    Change(KeyChangeError),
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use trunkline_snmp::usm::{Credentials, PrivProtocol};

    use super::*;

    const ENGINE: &str = "000000000000000000000002";

    fn of_password(hash: AuthProtocol, password: &str) -> User {
        let made = Credentials::from_passwords(b"ann", Some((hash, password.as_bytes())), None);
        made.unwrap().localize(&ENGINE.parse::<EngineId>().unwrap()).unwrap()
    }

    /// RFC 3414 appendix A.5: from `maplesyrup` to `newsyrup`, with random octets of zeros.
    #[test]
    fn the_vectors_of_the_rfc() {
        for (hash, delta) in [
            (AuthProtocol::Md5, "8805615141676cc9196174e742a32551"),
            (AuthProtocol::Sha1, "9c1017f4fd483d2de8d5fadbf84392cb06457051"),
        ] {
            let (old, new) = (of_password(hash, "maplesyrup"), of_password(hash, "newsyrup"));
            let change = KeyChange::between(&old, &new, [true, false], &[0; RANDOM]).unwrap();
            let hex: String = change.auth.unwrap().iter().map(|octet| format!("{octet:02x}")).collect();
            assert_eq!(hex, format!("{}{delta}", "00".repeat(hash.key_length())));
            let engine = ENGINE.parse().unwrap();
            let made = key_change_of_passwords(hash, [b"maplesyrup", b"newsyrup"], &engine, &[0; RANDOM]);
            let made: String = made.unwrap().iter().map(|octet| format!("{octet:02x}")).collect();
            assert_eq!(made, hex);
            let short = key_change_of_passwords(hash, [b"short", b"newsyrup"], &engine, &[0; RANDOM]);
            assert!(matches!(short, Err(KeyChangeFault::Password(_))), "{short:?}");
        }
    }

    fn of_octets(hash: AuthProtocol, cipher: PrivProtocol, octet: u8) -> User {
        let key = || MasterKey::from_bytes(hash, &vec![octet; hash.key_length()]).unwrap();
        let made = Credentials::new(b"ann", Some(key()), Some((cipher, key()))).unwrap();
        made.localize(&ENGINE.parse::<EngineId>().unwrap()).unwrap()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(8))]

        /// What an agent with the old keys computes is the new keys, for every hash and cipher.
        #[test]
        fn the_agent_computes_the_new_keys(random: [u8; 32], first: u8, second: u8) {
            let random: Vec<u8> = random.iter().copied().cycle().take(RANDOM).collect();
            let random: [u8; RANDOM] = random.try_into().unwrap();
            for (hash, cipher) in AuthProtocol::ALL.into_iter().flat_map(|hash| PrivProtocol::ALL.map(|cipher| (hash, cipher))) {
                let (old, new) = (of_octets(hash, cipher, first), of_octets(hash, cipher, second));
                let change = KeyChange::between(&old, &new, [true; 2], &random).unwrap();
                let changed = old.auth().unwrap().local_key().changed(hash, &change.auth.unwrap()).unwrap();
                prop_assert_eq!(changed.as_bytes(), new.auth().unwrap().local_key().as_bytes());
                let changed = old.privacy().unwrap().local_key().changed(hash, &change.privacy.unwrap()).unwrap();
                prop_assert_eq!(changed.as_bytes(), new.privacy().unwrap().local_key().as_bytes());
            }
        }
    }

    #[test]
    fn what_has_no_key_is_not_changed() {
        let none = User::new(ENGINE.parse().unwrap(), b"ann").unwrap();
        let some = of_octets(AuthProtocol::Md5, PrivProtocol::Des, 1);
        let of = |old, new, which| KeyChange::between(old, new, which, &[0; RANDOM]);
        let error = of(&none, &some, [true, false]).unwrap_err();
        assert_eq!(error, AccountError::NoKey { purpose: "authentication" });
        assert_eq!(of(&some, &none, [false, true]).unwrap_err(), AccountError::NoKey { purpose: "privacy" });
        let other = of_octets(AuthProtocol::Sha256, PrivProtocol::Aes256, 1);
        let error = of(&some, &other, [true, false]).unwrap_err().to_string();
        assert!(error.contains("the key for authentication"), "{error}");
        assert_eq!(of(&some, &other, [false; 2]).unwrap(), KeyChange::default());
        let change = of(&some, &some, [true; 2]).unwrap();
        assert_eq!(format!("{change:?}"), "KeyChange { .. }");
    }
}
