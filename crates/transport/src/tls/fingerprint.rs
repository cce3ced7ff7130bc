//! Fingerprints of certificates: how a peer is trusted without an authority.

use std::fmt;
use std::str::FromStr;

use sha1::Digest as _;

/// A hash function, with its number in TLS 1.2 and SNMP-TLS-TM-MIB (`SnmpTLSFingerprint`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum HashAlgorithm {
    /// SHA-1. Accepted for rows made by other programs; do not use it for new ones.
    Sha1 = 2,
    /// SHA-224.
    Sha224 = 3,
    /// SHA-256.
    Sha256 = 4,
    /// SHA-384.
    Sha384 = 5,
    /// SHA-512.
    Sha512 = 6,
}

impl HashAlgorithm {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Sha1, Self::Sha224, Self::Sha256, Self::Sha384, Self::Sha512];

    /// The name in text: `sha256`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
        }
    }

    /// The length of its digest in octets.
    #[must_use]
    pub const fn octets(self) -> usize {
        match self {
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    fn digest(self, octets: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha1 => sha1::Sha1::digest(octets).to_vec(),
            Self::Sha224 => sha2::Sha224::digest(octets).to_vec(),
            Self::Sha256 => sha2::Sha256::digest(octets).to_vec(),
            Self::Sha384 => sha2::Sha384::digest(octets).to_vec(),
            Self::Sha512 => sha2::Sha512::digest(octets).to_vec(),
        }
    }
}

/// A certificate's digest with the name of the hash function. In text `sha256:0F:1A:...`; the function may be
/// omitted, since the length determines it, and the colons too.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Fingerprint {
    algorithm: HashAlgorithm,
    octets: Vec<u8>,
}

/// A text or value that is not a fingerprint.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FingerprintError {
    /// The name before the colon is not a supported hash function.
    #[error(
        "a fingerprint begins with sha1, sha224, sha256, sha384 or sha512 and a colon, not with `{found}`"
    )]
    Algorithm {
        /// The text that was found.
        found: String,
    },
    /// Not hexadecimal digits.
    #[error("a fingerprint has pairs of hexadecimal digits, with or without colons between them")]
    Digits,
    /// The length does not fit the function, or any function.
    #[error("no hash function makes fingerprints of {octets} octets{}", .algorithm.map_or(String::new(), |a| format!(": {} makes {}", a.name(), a.octets())))]
    Length {
        /// The number of octets.
        octets: usize,
        /// The given function.
        algorithm: Option<HashAlgorithm>,
    },
}

impl Fingerprint {
    /// The fingerprint of a certificate in DER.
    #[must_use]
    pub fn of(algorithm: HashAlgorithm, certificate: &[u8]) -> Self {
        Self { algorithm, octets: algorithm.digest(certificate) }
    }

    /// From the form of SNMP-TLS-TM-MIB's `SnmpTLSFingerprint`: an octet for the function, then the digest.
    ///
    /// # Errors
    /// [`FingerprintError`] if the function is unknown or the length is wrong.
    pub fn from_octets(octets: &[u8]) -> Result<Self, FingerprintError> {
        let (&number, hash) =
            octets.split_first().ok_or(FingerprintError::Length { octets: 0, algorithm: None })?;
        let algorithm = HashAlgorithm::ALL.into_iter().find(|known| *known as u8 == number);
        let algorithm = algorithm.ok_or_else(|| FingerprintError::Algorithm { found: number.to_string() })?;
        Self::new(algorithm, hash.to_vec())
    }

    fn new(algorithm: HashAlgorithm, octets: Vec<u8>) -> Result<Self, FingerprintError> {
        if octets.len() == algorithm.octets() {
            Ok(Self { algorithm, octets })
        } else {
            Err(FingerprintError::Length { octets: octets.len(), algorithm: Some(algorithm) })
        }
    }

    /// The form of `SnmpTLSFingerprint`.
    #[must_use]
    pub fn to_octets(&self) -> Vec<u8> {
        let mut all = vec![self.algorithm as u8];
        all.extend_from_slice(&self.octets);
        all
    }

    /// The hash function.
    #[must_use]
    pub const fn algorithm(&self) -> HashAlgorithm {
        self.algorithm
    }

    /// Whether it is the fingerprint of this certificate in DER.
    #[must_use]
    pub fn matches(&self, certificate: &[u8]) -> bool {
        self.octets == self.algorithm.digest(certificate)
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.algorithm.name())?;
        self.octets.iter().try_for_each(|octet| write!(f, ":{octet:02X}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = FingerprintError;

    fn from_str(text: &str) -> Result<Self, FingerprintError> {
        let text = text.trim();
        let named = text.split_once(':').filter(|(name, _)| name.to_ascii_lowercase().starts_with('s'));
        let Some((name, digits)) = named else {
            let octets = hexadecimal(text)?;
            let algorithm = HashAlgorithm::ALL.into_iter().find(|known| known.octets() == octets.len());
            let octet_count = octets.len();
            let algorithm =
                algorithm.ok_or(FingerprintError::Length { octets: octet_count, algorithm: None })?;
            return Self::new(algorithm, octets);
        };
        let plain = name.to_ascii_lowercase().replace('-', "");
        let algorithm = HashAlgorithm::ALL.into_iter().find(|known| known.name() == plain);
        let algorithm = algorithm.ok_or_else(|| FingerprintError::Algorithm { found: name.into() })?;
        Self::new(algorithm, hexadecimal(digits)?)
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, FingerprintError> {
    let digits: Vec<u8> = text.bytes().filter(|octet| !matches!(octet, b':' | b' ')).collect();
    let digit = |octet: u8| (octet as char).to_digit(16).and_then(|value| u8::try_from(value).ok());
    let (pairs, []) = digits.as_chunks::<2>() else { return Err(FingerprintError::Digits) };
    pairs
        .iter()
        .map(|[high, low]| Some(digit(*high)? << 4 | digit(*low)?))
        .collect::<Option<_>>()
        .ok_or(FingerprintError::Digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fingerprint_is_the_same_in_text_and_octets() {
        for algorithm in HashAlgorithm::ALL {
            let fingerprint = Fingerprint::of(algorithm, b"certificate");
            assert_eq!(fingerprint.to_string().parse(), Ok(fingerprint.clone()));
            let bare = fingerprint.to_string().split_once(':').unwrap().1.replace(':', "").to_lowercase();
            assert_eq!(bare.parse(), Ok(fingerprint.clone()));
            assert_eq!(Fingerprint::from_octets(&fingerprint.to_octets()), Ok(fingerprint.clone()));
            assert!(fingerprint.matches(b"certificate") && !fingerprint.matches(b"another"));
        }
    }

    #[test]
    fn fingerprints_printed_by_openssl_are_accepted() {
        // printf abc | sha256sum
        let text = "SHA256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text.parse(), Ok(Fingerprint::of(HashAlgorithm::Sha256, b"abc")));
        assert_eq!(text.replace("SHA256", "SHA-256").parse::<Fingerprint>(), text.parse());
    }

    #[test]
    fn invalid_fingerprints_are_reported() {
        use FingerprintError::{Algorithm, Digits, Length};
        assert_eq!("sha3:00".parse::<Fingerprint>(), Err(Algorithm { found: "sha3".into() }));
        assert_eq!("zz".parse::<Fingerprint>(), Err(Digits));
        assert_eq!("abc".parse::<Fingerprint>(), Err(Digits));
        assert_eq!("".parse::<Fingerprint>(), Err(Length { octets: 0, algorithm: None }));
        let short = Length { octets: 1, algorithm: Some(HashAlgorithm::Sha1) };
        assert_eq!("sha1:00".parse::<Fingerprint>(), Err(short.clone()));
        assert_eq!(Fingerprint::from_octets(&[2, 0]), Err(short));
        assert_eq!(Fingerprint::from_octets(&[9, 0]), Err(Algorithm { found: "9".into() }));
    }
}
