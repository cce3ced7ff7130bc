//! A password becomes a key, and the key becomes that of one engine (RFC 3414 sections 2.6 and A.2).

use std::fmt;

use zeroize::Zeroizing;

use super::hexadecimal::hexadecimal;
use super::{AuthProtocol, EngineId, KeyError, MIN_PASSWORD, PrivProtocol};

/// How much of the endlessly repeated password is hashed (RFC 3414 section A.2).
const EXPANSION: usize = 1_048_576;

/// How much is handed to the hash at once. Larger pieces are not faster, smaller ones are.
const PIECE: usize = 4096;

/// Ku: a user's master key, for every engine (RFC 3414 section 2.6). Deriving one hashes a mebibyte, about a
/// millisecond: never in the path of a request.
#[derive(Clone)]
pub struct MasterKey {
    protocol: AuthProtocol,
    octets: Zeroizing<Vec<u8>>,
}

impl MasterKey {
    /// The key of a password (RFC 3414 section A.2), by the hash of `protocol`.
    ///
    /// # Errors
    /// Fewer than [`MIN_PASSWORD`] octets.
    pub fn from_password(protocol: AuthProtocol, password: &[u8]) -> Result<MasterKey, KeyError> {
        if password.len() < MIN_PASSWORD {
            return Err(KeyError::PasswordTooShort { found: password.len() });
        }
        Ok(MasterKey::from_octets(protocol, password_to_key(protocol, password)))
    }

    /// A key that was derived from a password elsewhere.
    ///
    /// # Errors
    /// Not [`AuthProtocol::key_length`] octets.
    pub fn from_bytes(protocol: AuthProtocol, octets: &[u8]) -> Result<MasterKey, KeyError> {
        check_length(protocol.name(), protocol.key_length(), octets.len())?;
        Ok(MasterKey::from_octets(protocol, Zeroizing::new(octets.to_vec())))
    }

    pub(super) fn from_octets(protocol: AuthProtocol, octets: Zeroizing<Vec<u8>>) -> MasterKey {
        MasterKey { protocol, octets }
    }

    /// Whose hash made it.
    #[must_use]
    pub fn protocol(&self) -> AuthProtocol {
        self.protocol
    }

    /// The octets. Secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.octets
    }

    /// Kul: H(Ku, snmpEngineID, Ku) (RFC 3414 section 2.6).
    #[must_use]
    pub fn localize(&self, engine_id: &EngineId) -> LocalKey {
        LocalKey(self.protocol.hash(&[&self.octets, engine_id.as_bytes(), &self.octets]))
    }

    /// The key for `privacy` at this engine: [`MasterKey::localize`], then [`LocalKey::for_privacy`].
    #[must_use]
    pub fn localize_for_privacy(&self, privacy: PrivProtocol, engine_id: &EngineId) -> LocalKey {
        self.localize(engine_id).for_privacy(privacy, self.protocol, engine_id)
    }
}

/// Hashes the first mebibyte of the endlessly repeated password, which must not be empty.
pub(super) fn password_to_key(protocol: AuthProtocol, password: &[u8]) -> Zeroizing<Vec<u8>> {
    let pattern = Zeroizing::new(password.repeat(PIECE.div_ceil(password.len())));
    protocol.hash_repeated(&pattern, EXPANSION)
}

/// Kul: the key of a user at one engine. It opens that engine alone (RFC 3414 section 2.6).
#[derive(Clone)]
pub struct LocalKey(pub(super) Zeroizing<Vec<u8>>);

impl LocalKey {
    /// A key that was localised before. Its length is checked on use: [`super::AuthKey::new`],
    /// [`super::PrivKey::new`].
    #[must_use]
    pub fn from_bytes(octets: &[u8]) -> LocalKey {
        LocalKey(Zeroizing::new(octets.to_vec()))
    }

    /// Reads hexadecimal digits, with or without `0x` before them; spaces and colons between octets are allowed.
    ///
    /// # Errors
    /// Other characters, or an odd number of digits.
    pub fn from_hex(text: &str) -> Result<LocalKey, KeyError> {
        hexadecimal(text).map(LocalKey).ok_or(KeyError::NotHexadecimal)
    }

    /// The key as `0x` and digits, for a file that only its owner reads. Secret.
    #[must_use]
    pub fn to_hex(&self) -> Zeroizing<String> {
        let mut text = Zeroizing::new(String::with_capacity(2 + 2 * self.0.len()));
        text.push_str("0x");
        for octet in self.0.iter() {
            for digit in [octet >> 4, octet & 15] {
                text.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
            }
        }
        text
    }

    /// The octets. Secret.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }
}

macro_rules! debug_without_secret {
    ($($type:ty)*) => {$(
        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_struct(stringify!($type)).finish_non_exhaustive()
            }
        }
    )*};
}
debug_without_secret!(MasterKey LocalKey);

pub(super) fn check_length(protocol: &'static str, expected: usize, found: usize) -> Result<(), KeyError> {
    if expected == found { Ok(()) } else { Err(KeyError::Length { protocol, expected, found }) }
}
