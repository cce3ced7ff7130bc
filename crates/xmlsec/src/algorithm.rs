//! How a message is protected: algorithms by their names in the configuration and by their URIs in a message.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

/// A cipher of XML Encryption.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Cipher {
    /// AES with keys of 128 bits in CBC mode: the paper's.
    Aes128Cbc,
    /// AES with keys of 128 bits in GCM: the default.
    Aes128Gcm,
    /// AES with keys of 256 bits in GCM.
    Aes256Gcm,
}

/// A signature of XML Signature, with the digest that belongs to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SignatureMethod {
    /// HMAC over SHA-1, and SHA-1 as the digest: the paper's.
    HmacSha1,
    /// HMAC over SHA-256: the default.
    HmacSha256,
    /// RSA, PKCS#1 version 1.5, over SHA-256.
    RsaSha256,
    /// ECDSA on P-256 over SHA-256.
    EcdsaSha256,
}

/// How a message is protected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Protection {
    /// By what its content is encrypted; a message may be signed only.
    pub cipher: Option<Cipher>,
    /// By what it is signed.
    pub signature: SignatureMethod,
}

impl Default for Protection {
    fn default() -> Self {
        Self { cipher: Some(Cipher::Aes128Gcm), signature: SignatureMethod::HmacSha256 }
    }
}

/// Not the name of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("unknown {kind} \"{found}\", expected {expected}")]
pub struct UnknownAlgorithm {
    /// What it should have been.
    pub kind: &'static str,
    /// All names.
    pub expected: &'static str,
    /// What was found.
    pub found: String,
}

impl Cipher {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Aes128Cbc, Self::Aes128Gcm, Self::Aes256Gcm];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::Aes128Cbc => "aes-128-cbc",
            Self::Aes128Gcm => "aes-128-gcm",
            Self::Aes256Gcm => "aes-256-gcm",
        }
    }

    /// Its name in a message.
    pub fn uri(self) -> &'static str {
        match self {
            Self::Aes128Cbc => "http://www.w3.org/2001/04/xmlenc#aes128-cbc",
            Self::Aes128Gcm => "http://www.w3.org/2009/xmlenc11#aes128-gcm",
            Self::Aes256Gcm => "http://www.w3.org/2009/xmlenc11#aes256-gcm",
        }
    }

    /// Octets of a key.
    pub fn key_length(self) -> usize {
        match self {
            Self::Aes128Cbc | Self::Aes128Gcm => 16,
            Self::Aes256Gcm => 32,
        }
    }

    pub(crate) fn of_uri(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|cipher| cipher.uri() == uri)
    }
}

impl SignatureMethod {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::HmacSha1, Self::HmacSha256, Self::RsaSha256, Self::EcdsaSha256];

    /// Its name in the configuration.
    pub fn name(self) -> &'static str {
        match self {
            Self::HmacSha1 => "hmac-sha1",
            Self::HmacSha256 => "hmac-sha256",
            Self::RsaSha256 => "rsa-sha256",
            Self::EcdsaSha256 => "ecdsa-sha256",
        }
    }

    /// Its name in a message.
    pub fn uri(self) -> &'static str {
        match self {
            Self::HmacSha1 => "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
            Self::HmacSha256 => "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256",
            Self::RsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            Self::EcdsaSha256 => "http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256",
        }
    }

    /// The name in a message of the digest that belongs to it.
    pub fn digest_uri(self) -> &'static str {
        match self {
            Self::HmacSha1 => "http://www.w3.org/2000/09/xmldsig#sha1",
            Self::HmacSha256 | Self::RsaSha256 | Self::EcdsaSha256 => {
                "http://www.w3.org/2001/04/xmlenc#sha256"
            }
        }
    }

    /// Whether the key that verifies is the key that signs.
    pub fn is_shared(self) -> bool {
        matches!(self, Self::HmacSha1 | Self::HmacSha256)
    }

    pub(crate) fn of_uri(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|method| method.uri() == uri)
    }

    pub(crate) fn digest(self, pieces: &[&[u8]]) -> aws_lc_rs::digest::Digest {
        let algorithm = match self {
            Self::HmacSha1 => &aws_lc_rs::digest::SHA1_FOR_LEGACY_USE_ONLY,
            Self::HmacSha256 | Self::RsaSha256 | Self::EcdsaSha256 => &aws_lc_rs::digest::SHA256,
        };
        let mut context = aws_lc_rs::digest::Context::new(algorithm);
        pieces.iter().for_each(|piece| context.update(piece));
        context.finish()
    }
}

macro_rules! by_name {
    ($type:ident, $kind:literal, $expected:literal) => {
        impl FromStr for $type {
            type Err = UnknownAlgorithm;

            fn from_str(text: &str) -> Result<Self, UnknownAlgorithm> {
                let unknown =
                    || UnknownAlgorithm { kind: $kind, expected: $expected, found: text.to_owned() };
                Self::ALL.into_iter().find(|one| one.name() == text).ok_or_else(unknown)
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str(self.name())
            }
        }
    };
}

by_name!(Cipher, "cipher", "aes-128-gcm, aes-256-gcm or aes-128-cbc");
by_name!(SignatureMethod, "signature method", "hmac-sha256, hmac-sha1, rsa-sha256 or ecdsa-sha256");

impl fmt::Display for Protection {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.cipher {
            Some(cipher) => write!(formatter, "{cipher}, {}", self.signature),
            None => write!(formatter, "not encrypted, {}", self.signature),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Cipher, Protection, SignatureMethod};

    #[test]
    fn names_in_the_configuration() {
        for cipher in Cipher::ALL {
            assert_eq!(cipher.name().parse(), Ok(cipher));
            assert_eq!(Cipher::of_uri(cipher.uri()), Some(cipher));
        }
        for method in SignatureMethod::ALL {
            assert_eq!(method.name().parse(), Ok(method));
            assert_eq!(SignatureMethod::of_uri(method.uri()), Some(method));
        }
        let error = "AES".parse::<Cipher>().unwrap_err().to_string();
        assert_eq!(error, "unknown cipher \"AES\", expected aes-128-gcm, aes-256-gcm or aes-128-cbc");
        let error = "rsa-sha1".parse::<SignatureMethod>().unwrap_err().to_string();
        assert!(error.starts_with("unknown signature method \"rsa-sha1\", expected hmac-sha256"), "{error}");
        assert_eq!(Protection::default().to_string(), "aes-128-gcm, hmac-sha256");
        let signed = Protection { cipher: None, ..Protection::default() };
        assert_eq!(signed.to_string(), "not encrypted, hmac-sha256");
    }
}
