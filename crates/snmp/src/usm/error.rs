//! What can be wrong with names, keys and users, and with a protected message. No text here ever holds a
//! secret: lengths and names only.

use super::AuthProtocol;

/// The name of an unsupported protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{found:?} is not a protocol for {purpose}: expected one of {expected}")]
pub struct UnknownProtocol {
    /// `authentication` or `privacy`.
    pub purpose: &'static str,
    /// The names there are.
    pub expected: &'static str,
    /// What was given.
    pub found: String,
}

/// Why octets are not an engine ID.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EngineIdError {
    /// RFC 3411 section 5: 5 to 32 octets.
    #[error("expected an engine ID of 5 to 32 octets, found {found}")]
    Length {
        /// How many octets there are.
        found: usize,
    },
    /// RFC 3411 section 5: neither all zeros nor all ones.
    #[error("an engine ID must not consist of octets {found:02x} only")]
    Void {
        /// The octet that all of them are.
        found: u8,
    },
    /// Text that is not hexadecimal.
    #[error("expected an engine ID as pairs of hexadecimal digits, with or without a leading 0x")]
    NotHexadecimal,
}

/// Why a password or octets do not yield a key.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// RFC 3414 section 11.2: at least 8 octets.
    #[error("expected a password of at least {minimum} octets, found {found}", minimum = super::MIN_PASSWORD)]
    PasswordTooShort {
        /// How many octets it has.
        found: usize,
    },
    /// A key whose length is not the protocol's.
    #[error("expected a key of {expected} octets for {protocol}, found {found}")]
    Length {
        /// The protocol's name.
        protocol: &'static str,
        /// The required number of octets.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// Text that is not hexadecimal.
    #[error("expected a key as pairs of hexadecimal digits, with or without a leading 0x")]
    NotHexadecimal,
}

/// Why a key change is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyChangeError {
    /// RFC 3414 section 5, KeyChange: random and delta are as long as the key each.
    #[error("expected a key change of {expected} octets, found {found}")]
    Length {
        /// Twice the key's length.
        expected: usize,
        /// How many there are.
        found: usize,
    },
    /// A key can only be changed to one of the same length.
    #[error("expected a new key of {expected} octets, the length of the old one, found {found}")]
    NewKey {
        /// The old key's length.
        expected: usize,
        /// The new key's length.
        found: usize,
    },
    /// The random component must be as long as the key.
    #[error("expected a random component of {expected} octets, found {found}")]
    Random {
        /// The key's length.
        expected: usize,
        /// How many there are.
        found: usize,
    },
}

/// Why a message is not authentic, or cannot be made so. All count as usmStatsWrongDigests (RFC 3414
/// section 3.2 step 6).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AuthenticationError {
    /// RFC 3414 section 6.3.2 step 1: the field's width must be the protocol's before anything is compared.
    #[error("expected msgAuthenticationParameters of {expected} octets for {protocol}, found {found}")]
    Width {
        /// The protocol.
        protocol: AuthProtocol,
        /// [`AuthProtocol::mac_length`].
        expected: usize,
        /// The field's width.
        found: usize,
    },
    /// The field is not inside the message.
    #[error("msgAuthenticationParameters ends at octet {end} of a message of {length}")]
    Outside {
        /// The claimed end of the field.
        end: usize,
        /// The message's length.
        length: usize,
    },
    /// RFC 3414 section 6.3.2 step 5: the digest does not match.
    #[error("wrong digest: msgAuthenticationParameters does not match the message and the key")]
    Digest,
}

/// Why octets cannot be decrypted or encrypted. All count as usmStatsDecryptionErrors (RFC 3414 section 3.2
/// step 8a).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PrivacyError {
    /// RFC 3414 section 8.3.2 step 1, RFC 3826 section 3.3.2 step 1.
    #[error("expected msgPrivacyParameters of {expected} octets, found {found}", expected = super::SALT_LENGTH)]
    Salt {
        /// The field's width.
        found: usize,
    },
    /// RFC 3414 section 8.1.1.3: a multiple of 8 octets.
    #[error("expected a multiple of 8 octets encrypted with DES, found {found}")]
    Blocks {
        /// How many octets there are.
        found: usize,
    },
}

/// Why a message cannot be encrypted and signed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SealError {
    /// It cannot be signed.
    #[error(transparent)]
    Authentication(#[from] AuthenticationError),
    /// It cannot be encrypted.
    #[error(transparent)]
    Privacy(#[from] PrivacyError),
}

/// Why a user is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UserError {
    /// RFC 3414 section 5, usmUserName.
    #[error("expected a user name of 1 to 32 octets, found {found}")]
    NameLength {
        /// How many octets it has.
        found: usize,
    },
    /// RFC 3411 section 5, SnmpAdminString.
    #[error("expected a security name of at most 255 octets, found {found}")]
    SecurityNameLength {
        /// How many octets it has.
        found: usize,
    },
    /// RFC 3414 section 1.4.3: there is no privacy without authentication.
    #[error("a user with a privacy protocol needs an authentication protocol too")]
    PrivacyWithoutAuthentication,
}
