//! Certificates named by their hash: SnmpTLSFingerprint (RFC 6353 section 7),
//! one octet for the algorithm and the hash of the certificate's DER.

use std::fmt;
use std::str::FromStr;

use sha1::Sha1;
use sha2::{Digest, Sha224, Sha256, Sha384, Sha512};

/// The algorithm of a fingerprint: IANA's registry of hash algorithms for SNMP over TLS, which RFC 9456 section 7
/// begins with the numbers of TLS 1.2. MD5, 1, is not taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HashAlgorithm {
    /// SHA-1, 2: no longer collision-resistant (RFC 9155), for fingerprints that others have written.
    Sha1 = 2,
    /// SHA-224, 3.
    Sha224 = 3,
    /// SHA-256, 4.
    Sha256 = 4,
    /// SHA-384, 5.
    Sha384 = 5,
    /// SHA-512, 6.
    Sha512 = 6,
}

impl HashAlgorithm {
    /// All.
    pub const ALL: [HashAlgorithm; 5] = [
        HashAlgorithm::Sha1,
        HashAlgorithm::Sha224,
        HashAlgorithm::Sha256,
        HashAlgorithm::Sha384,
        HashAlgorithm::Sha512,
    ];

    /// The number before the hash.
    #[must_use]
    pub const fn code(self) -> u8 {
        self as u8
    }

    /// The algorithm of this number.
    #[must_use]
    pub fn from_code(code: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|algorithm| algorithm.code() == code)
    }

    /// Its name, such as `sha256`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            HashAlgorithm::Sha1 => "sha1",
            HashAlgorithm::Sha224 => "sha224",
            HashAlgorithm::Sha256 => "sha256",
            HashAlgorithm::Sha384 => "sha384",
            HashAlgorithm::Sha512 => "sha512",
        }
    }

    /// How many octets its hashes have.
    #[must_use]
    pub const fn length(self) -> usize {
        match self {
            HashAlgorithm::Sha1 => 20,
            HashAlgorithm::Sha224 => 28,
            HashAlgorithm::Sha256 => 32,
            HashAlgorithm::Sha384 => 48,
            HashAlgorithm::Sha512 => 64,
        }
    }

    fn hash(self, octets: &[u8]) -> Vec<u8> {
        match self {
            HashAlgorithm::Sha1 => Sha1::digest(octets).to_vec(),
            HashAlgorithm::Sha224 => Sha224::digest(octets).to_vec(),
            HashAlgorithm::Sha256 => Sha256::digest(octets).to_vec(),
            HashAlgorithm::Sha384 => Sha384::digest(octets).to_vec(),
            HashAlgorithm::Sha512 => Sha512::digest(octets).to_vec(),
        }
    }
}

impl fmt::Display for HashAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A certificate's fingerprint. Public data: it is shown and compared openly.
///
/// As text it is `sha256:25:7D:48...`; accepted are also the octets of SnmpTLSFingerprint (`04:25:7D:48...`), the
/// hash alone, whose length determines the algorithm, and the output of `openssl x509 -fingerprint`; colons and
/// case do not matter.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    algorithm: HashAlgorithm,
    hash: Box<[u8]>,
}

/// It is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FingerprintError {
    /// Not pairs of hexadecimal digits after the name of the algorithm.
    #[error("expected a fingerprint such as sha256:25:7D:48..., with hexadecimal digits in pairs")]
    NotHexadecimal,
    /// An algorithm that is unknown, or not taken any more.
    #[error("expected a hash algorithm (sha1, sha224, sha256, sha384, sha512), found \"{found}\"")]
    UnknownAlgorithm {
        /// Its name or number.
        found: String,
    },
    /// A hash that is not as long as its algorithm makes it.
    #[error("expected a hash of {expected} octets for {algorithm}, found {found}")]
    Length {
        /// The algorithm.
        algorithm: HashAlgorithm,
        /// In octets.
        expected: usize,
        /// In octets.
        found: usize,
    },
    /// Octets without algorithm whose number is not a known algorithm's.
    #[error("{found} octets are not a hash of a known algorithm")]
    UnknownLength {
        /// In octets.
        found: usize,
    },
}

impl Fingerprint {
    /// The fingerprint of a certificate's DER.
    #[must_use]
    pub fn of(algorithm: HashAlgorithm, der: &[u8]) -> Self {
        Fingerprint { algorithm, hash: algorithm.hash(der).into() }
    }

    /// Reads SnmpTLSFingerprint as managers set it; nothing is not a fingerprint.
    ///
    /// # Errors
    /// [`FingerprintError::UnknownAlgorithm`], [`FingerprintError::Length`].
    pub fn from_octets(octets: &[u8]) -> Result<Option<Self>, FingerprintError> {
        let Some((&code, hash)) = octets.split_first() else { return Ok(None) };
        let algorithm = HashAlgorithm::from_code(code)
            .ok_or_else(|| FingerprintError::UnknownAlgorithm { found: code.to_string() })?;
        Fingerprint::new(algorithm, hash).map(Some)
    }

    /// SnmpTLSFingerprint.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        [&[self.algorithm.code()], &*self.hash].concat()
    }

    /// The algorithm.
    #[must_use]
    pub fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// Whether it is the fingerprint of this certificate's DER.
    #[must_use]
    pub fn matches(&self, der: &[u8]) -> bool {
        *self.algorithm.hash(der) == *self.hash
    }

    fn new(algorithm: HashAlgorithm, hash: &[u8]) -> Result<Self, FingerprintError> {
        let (expected, found) = (algorithm.length(), hash.len());
        if expected != found {
            return Err(FingerprintError::Length { algorithm, expected, found });
        }
        Ok(Fingerprint { algorithm, hash: hash.into() })
    }

    /// Octets without an algorithm name: a hash, or a number and a hash. No two of these have the same length.
    fn from_bare_octets(octets: &[u8]) -> Result<Self, FingerprintError> {
        let of_length = |length| HashAlgorithm::ALL.into_iter().find(|known| known.length() == length);
        if let Some(algorithm) = of_length(octets.len()) {
            return Fingerprint::new(algorithm, octets);
        }
        let found = octets.len();
        match octets.split_first() {
            Some((_, hash)) if of_length(hash.len()).is_some() || hash.len() == MD5_LENGTH => {
                Fingerprint::from_octets(octets)?.ok_or(FingerprintError::UnknownLength { found })
            }
            _ => Err(FingerprintError::UnknownLength { found }),
        }
    }
}

/// So that MD5 gets its own error, not one about lengths.
const MD5_LENGTH: usize = 16;

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let text = text.trim();
        // "SHA256 Fingerprint=25:7D..." is openssl's way, "sha256:25:7D..." ours.
        let (name, digits) = match text.split_once('=') {
            Some((title, digits)) => (title.split_whitespace().next(), digits),
            None => match text.split_once(':') {
                Some((name, digits)) if name.len() > 2 => (Some(name), digits),
                _ => (None, text),
            },
        };
        let octets = crate::usm::hexadecimal(digits).ok_or(FingerprintError::NotHexadecimal)?;
        let Some(name) = name else { return Fingerprint::from_bare_octets(&octets) };
        let is_named = |known: &HashAlgorithm| name.replace('-', "").eq_ignore_ascii_case(known.name());
        let algorithm = HashAlgorithm::ALL.into_iter().find(is_named);
        let unknown = || FingerprintError::UnknownAlgorithm { found: name.chars().take(40).collect() };
        Fingerprint::new(algorithm.ok_or_else(unknown)?, &octets)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.algorithm)?;
        self.hash.iter().try_for_each(|octet| write!(f, ":{octet:02X}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}
