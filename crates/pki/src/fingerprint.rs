//! Fingerprints of certificates: SnmpTLSFingerprint (RFC 6353 section 7) with SHA-256.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest, Sha256};

use crate::Error;

/// The SHA-256 of a certificate's DER. As text `sha256:` and the octets in hexadecimal with colons.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// The identifier of SHA-256 among TLS's hash algorithms (RFC 5246 section 7.4.1.4.1): the first octet of an
    /// SnmpTLSFingerprint.
    pub const HASH: u8 = 4;

    /// Of a certificate.
    pub fn of(der: &[u8]) -> Self {
        Fingerprint(Sha256::digest(der).into())
    }

    /// The hash.
    pub fn sha256(&self) -> &[u8; 32] {
        &self.0
    }

    /// The octets of an SnmpTLSFingerprint: the hash's identifier and the hash.
    pub fn octets(&self) -> Vec<u8> {
        std::iter::once(Self::HASH).chain(self.0).collect()
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("sha256")?;
        self.0.iter().try_for_each(|octet| write!(f, ":{octet:02X}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Fingerprint {
    type Err = Error;

    /// Reads `sha256:` and hexadecimal digits in either case, with or without colons.
    fn from_str(text: &str) -> Result<Self, Error> {
        let wrong = || Error::Fingerprint { found: text.to_owned() };
        let (hash, digits) = text.split_once(':').ok_or_else(wrong)?;
        let digits: Vec<u8> = digits.bytes().filter(|octet| *octet != b':').collect();
        if !hash.eq_ignore_ascii_case("sha256") || digits.len() != 64 {
            return Err(wrong());
        }
        let mut octets = [0; 32];
        for (octet, pair) in octets.iter_mut().zip(digits.chunks_exact(2)) {
            let pair = std::str::from_utf8(pair).map_err(|_| wrong())?;
            if !pair.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(wrong());
            }
            *octet = u8::from_str_radix(pair, 16).map_err(|_| wrong())?;
        }
        Ok(Fingerprint(octets))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_text_and_back() {
        let fingerprint = Fingerprint::of(b"abc"); // the vector of FIPS 180-4
        let text = fingerprint.to_string();
        assert!(text.starts_with("sha256:BA:78:16:BF:") && text.ends_with(":F2:00:15:AD"), "{text}");
        assert_eq!(text.parse::<Fingerprint>().unwrap(), fingerprint);
        assert_eq!(text.to_lowercase().parse::<Fingerprint>().unwrap(), fingerprint);
        assert_eq!(fingerprint.octets().len(), 33);
        assert_eq!(fingerprint.octets().first(), Some(&4));
    }

    #[test]
    fn invalid_fingerprints() {
        let signs = format!("sha256:{}", "+1".repeat(32));
        for wrong in ["", "sha256", "sha256:", "sha256:00", "sha1:00", "sha256:zz", &signs] {
            assert!(wrong.parse::<Fingerprint>().is_err(), "{wrong}");
        }
    }
}
