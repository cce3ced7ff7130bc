//! Which hash and which cipher: names, object identifiers and lengths.

use std::fmt;
use std::str::FromStr;

use md5::Md5;
use sha1::Sha1;
use sha2::digest::Digest;
use sha2::{Sha224, Sha256, Sha384, Sha512};
use trunkline_smi::Oid;
use zeroize::Zeroizing;

use super::UnknownProtocol;

/// The fewest octets of a password (RFC 3414 section 11.2).
pub const MIN_PASSWORD: usize = 8;

/// How many octets msgPrivacyParameters has.
pub const SALT_LENGTH: usize = 8;

/// The longest hash of [`AuthProtocol`], in octets.
pub(super) const MAX_HASH: usize = 64;

/// How messages are authenticated (RFC 3414 sections 6 and 7, RFC 7860).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum AuthProtocol {
    /// usmHMACMD5AuthProtocol.
    Md5,
    /// usmHMACSHAAuthProtocol: SHA-1.
    Sha1,
    /// usmHMAC128SHA224AuthProtocol.
    Sha224,
    /// usmHMAC192SHA256AuthProtocol.
    Sha256,
    /// usmHMAC256SHA384AuthProtocol.
    Sha384,
    /// usmHMAC384SHA512AuthProtocol.
    Sha512,
}

impl AuthProtocol {
    /// All of them, from the weakest to the strongest.
    pub const ALL: [AuthProtocol; 6] = [
        AuthProtocol::Md5,
        AuthProtocol::Sha1,
        AuthProtocol::Sha224,
        AuthProtocol::Sha256,
        AuthProtocol::Sha384,
        AuthProtocol::Sha512,
    ];

    /// Its name for people and Net-SNMP: `MD5`, `SHA`, `SHA-224` to `SHA-512`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            AuthProtocol::Md5 => "MD5",
            AuthProtocol::Sha1 => "SHA",
            AuthProtocol::Sha224 => "SHA-224",
            AuthProtocol::Sha256 => "SHA-256",
            AuthProtocol::Sha384 => "SHA-384",
            AuthProtocol::Sha512 => "SHA-512",
        }
    }

    /// What stands for it in usmUserAuthProtocol: under snmpAuthProtocols, 1.3.6.1.6.3.10.1.1.
    #[must_use]
    pub fn oid(self) -> Oid {
        Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 1, self.arc()])
    }

    /// The protocol of a value of usmUserAuthProtocol; `None` for usmNoAuthProtocol and strangers.
    #[must_use]
    pub fn from_oid(oid: &Oid) -> Option<AuthProtocol> {
        AuthProtocol::ALL.into_iter().find(|protocol| protocol.oid() == *oid)
    }

    /// usmNoAuthProtocol, the usmUserAuthProtocol of a user without authentication.
    #[must_use]
    pub fn none_oid() -> Oid {
        Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 1, 1])
    }

    const fn arc(self) -> u32 {
        match self {
            AuthProtocol::Md5 => 2,
            AuthProtocol::Sha1 => 3,
            AuthProtocol::Sha224 => 4,
            AuthProtocol::Sha256 => 5,
            AuthProtocol::Sha384 => 6,
            AuthProtocol::Sha512 => 7,
        }
    }

    /// How many octets msgAuthenticationParameters has (RFC 3414 section 6.3.1, RFC 7860 section 4.1).
    #[must_use]
    pub const fn mac_length(self) -> usize {
        match self {
            AuthProtocol::Md5 | AuthProtocol::Sha1 => 12,
            AuthProtocol::Sha224 => 16,
            AuthProtocol::Sha256 => 24,
            AuthProtocol::Sha384 => 32,
            AuthProtocol::Sha512 => 48,
        }
    }

    /// How many octets a key has: those of the hash.
    #[must_use]
    pub const fn key_length(self) -> usize {
        match self {
            AuthProtocol::Md5 => 16,
            AuthProtocol::Sha1 => 20,
            AuthProtocol::Sha224 => 28,
            AuthProtocol::Sha256 => 32,
            AuthProtocol::Sha384 => 48,
            AuthProtocol::Sha512 => 64,
        }
    }

    /// The hash of the parts, one after the other.
    pub(super) fn hash(self, parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
        match self {
            AuthProtocol::Md5 => hash::<Md5>(parts),
            AuthProtocol::Sha1 => hash::<Sha1>(parts),
            AuthProtocol::Sha224 => hash::<Sha224>(parts),
            AuthProtocol::Sha256 => hash::<Sha256>(parts),
            AuthProtocol::Sha384 => hash::<Sha384>(parts),
            AuthProtocol::Sha512 => hash::<Sha512>(parts),
        }
    }

    /// The hash of `pattern` without end, cut off after `length` octets.
    pub(super) fn hash_repeated(self, pattern: &[u8], length: usize) -> Zeroizing<Vec<u8>> {
        match self {
            AuthProtocol::Md5 => hash_repeated::<Md5>(pattern, length),
            AuthProtocol::Sha1 => hash_repeated::<Sha1>(pattern, length),
            AuthProtocol::Sha224 => hash_repeated::<Sha224>(pattern, length),
            AuthProtocol::Sha256 => hash_repeated::<Sha256>(pattern, length),
            AuthProtocol::Sha384 => hash_repeated::<Sha384>(pattern, length),
            AuthProtocol::Sha512 => hash_repeated::<Sha512>(pattern, length),
        }
    }
}

fn hash<D: Digest>(parts: &[&[u8]]) -> Zeroizing<Vec<u8>> {
    let mut digest = D::new();
    parts.iter().for_each(|part| digest.update(part));
    Zeroizing::new(digest.finalize().to_vec())
}

fn hash_repeated<D: Digest>(pattern: &[u8], length: usize) -> Zeroizing<Vec<u8>> {
    let mut digest = D::new();
    let mut left = length;
    while left > 0 {
        let part = &pattern[..pattern.len().min(left)];
        digest.update(part);
        left -= part.len();
    }
    Zeroizing::new(digest.finalize().to_vec())
}

impl fmt::Display for AuthProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for AuthProtocol {
    type Err = UnknownProtocol;

    /// Case and punctuation do not matter: `SHA-256`, `sha256`, `Sha_256`; `SHA` and `SHA1` are the same.
    fn from_str(text: &str) -> Result<AuthProtocol, UnknownProtocol> {
        match plain(text).as_str() {
            "MD5" => Ok(AuthProtocol::Md5),
            "SHA" | "SHA1" => Ok(AuthProtocol::Sha1),
            "SHA224" => Ok(AuthProtocol::Sha224),
            "SHA256" => Ok(AuthProtocol::Sha256),
            "SHA384" => Ok(AuthProtocol::Sha384),
            "SHA512" => Ok(AuthProtocol::Sha512),
            _ => Err(UnknownProtocol {
                purpose: "authentication",
                expected: "MD5, SHA, SHA-224, SHA-256, SHA-384, SHA-512",
                found: text.to_owned(),
            }),
        }
    }
}

/// How scoped PDUs are encrypted (RFC 3414 section 8, RFC 3826, and the expired drafts that Net-SNMP and
/// Cisco follow for longer AES keys).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PrivProtocol {
    /// usmDESPrivProtocol: DES in CBC mode.
    Des,
    /// usmAesCfb128Protocol: AES with keys of 128 bits in CFB mode.
    Aes128,
    /// AES with keys of 192 bits, short keys extended as in draft-blumenthal-aes-usm.
    Aes192,
    /// AES with keys of 256 bits, short keys extended as in draft-blumenthal-aes-usm.
    Aes256,
    /// AES with keys of 192 bits, short keys extended as in draft-reeder-snmpv3-usm-3desede (Cisco).
    Aes192C,
    /// AES with keys of 256 bits, short keys extended as in draft-reeder-snmpv3-usm-3desede (Cisco).
    Aes256C,
}

impl PrivProtocol {
    /// All of them.
    pub const ALL: [PrivProtocol; 6] = [
        PrivProtocol::Des,
        PrivProtocol::Aes128,
        PrivProtocol::Aes192,
        PrivProtocol::Aes256,
        PrivProtocol::Aes192C,
        PrivProtocol::Aes256C,
    ];

    /// Its name for people and Net-SNMP: `DES`, `AES`, `AES-192`, `AES-256`, `AES-192-C`, `AES-256-C`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            PrivProtocol::Des => "DES",
            PrivProtocol::Aes128 => "AES",
            PrivProtocol::Aes192 => "AES-192",
            PrivProtocol::Aes256 => "AES-256",
            PrivProtocol::Aes192C => "AES-192-C",
            PrivProtocol::Aes256C => "AES-256-C",
        }
    }

    /// What stands for it in usmUserPrivProtocol: under snmpPrivProtocols (1.3.6.1.6.3.10.1.2), or, for the
    /// keys no RFC knows, where Net-SNMP and Cisco have put it.
    #[must_use]
    pub fn oid(self) -> Oid {
        match self {
            PrivProtocol::Des => Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 2, 2]),
            PrivProtocol::Aes128 => Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 2, 4]),
            PrivProtocol::Aes192 => Oid::from([1, 3, 6, 1, 4, 1, 14832, 1, 3]),
            PrivProtocol::Aes256 => Oid::from([1, 3, 6, 1, 4, 1, 14832, 1, 4]),
            PrivProtocol::Aes192C => Oid::from([1, 3, 6, 1, 4, 1, 9, 12, 6, 1, 1]),
            PrivProtocol::Aes256C => Oid::from([1, 3, 6, 1, 4, 1, 9, 12, 6, 1, 2]),
        }
    }

    /// The protocol of a value of usmUserPrivProtocol; `None` for usmNoPrivProtocol and strangers.
    #[must_use]
    pub fn from_oid(oid: &Oid) -> Option<PrivProtocol> {
        PrivProtocol::ALL.into_iter().find(|protocol| protocol.oid() == *oid)
    }

    /// usmNoPrivProtocol, the usmUserPrivProtocol of a user without privacy.
    #[must_use]
    pub fn none_oid() -> Oid {
        Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 2, 1])
    }

    /// How many octets a key has; for DES 8 of the key and 8 of the pre-IV (RFC 3414 section 8.2.1).
    #[must_use]
    pub const fn key_length(self) -> usize {
        match self {
            PrivProtocol::Des | PrivProtocol::Aes128 => 16,
            PrivProtocol::Aes192 | PrivProtocol::Aes192C => 24,
            PrivProtocol::Aes256 | PrivProtocol::Aes256C => 32,
        }
    }
}

impl fmt::Display for PrivProtocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for PrivProtocol {
    type Err = UnknownProtocol;

    /// Case and punctuation do not matter: `AES`, `aes128`, `AES-192`, `Aes256C`.
    fn from_str(text: &str) -> Result<PrivProtocol, UnknownProtocol> {
        match plain(text).as_str() {
            "DES" => Ok(PrivProtocol::Des),
            "AES" | "AES128" => Ok(PrivProtocol::Aes128),
            "AES192" => Ok(PrivProtocol::Aes192),
            "AES256" => Ok(PrivProtocol::Aes256),
            "AES192C" => Ok(PrivProtocol::Aes192C),
            "AES256C" => Ok(PrivProtocol::Aes256C),
            _ => Err(UnknownProtocol {
                purpose: "privacy",
                expected: "DES, AES, AES-192, AES-256, AES-192-C, AES-256-C",
                found: text.to_owned(),
            }),
        }
    }
}

/// `text` in capitals, without `-` and `_`.
fn plain(text: &str) -> String {
    text.chars().filter(|c| !matches!(c, '-' | '_')).map(|c| c.to_ascii_uppercase()).collect()
}
