//! Keys of users without a shared key: RSA of 2048 to 8192 bits and ECDSA on P-256.

use std::fmt;
use std::sync::Arc;

use aws_lc_rs::encoding::{AsDer, PublicKeyX509Der};
use aws_lc_rs::rand::SystemRandom;
use aws_lc_rs::rsa;
use aws_lc_rs::signature::{
    ECDSA_P256_SHA256_FIXED, ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair, ParsedPublicKey,
    RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256,
};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thiserror::Error;
use zeroize::Zeroizing;

use crate::algorithm::SignatureMethod;

/// A key that cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum KeyError {
    /// There is no PEM block with the right label, or what it holds is not base64.
    #[error("expected a PEM block of \"{label}\" and nothing else")]
    Pem {
        /// The label.
        label: &'static str,
    },
    /// The key is of another kind, or too short.
    #[error("expected an RSA key of 2048 to 8192 bits or an ECDSA key on P-256")]
    Unsupported,
}

/// A private key that signs. A copy refers to the same key.
#[derive(Clone)]
pub struct Signer(Arc<Private>);

enum Private {
    Rsa(rsa::KeyPair),
    Ecdsa(EcdsaKeyPair),
}

/// A public key that verifies. A copy refers to the same key.
#[derive(Clone)]
pub struct Verifier(Arc<Public>);

struct Public {
    method: SignatureMethod,
    key: ParsedPublicKey,
}

impl Signer {
    /// A key as PKCS#8 in PEM (`BEGIN PRIVATE KEY`), as `openssl genpkey` writes it.
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_pkcs8(&der_of(text, "PRIVATE KEY")?)
    }

    /// A key as PKCS#8.
    ///
    /// # Errors
    ///
    /// It is something else, or too short.
    pub fn from_pkcs8(der: &[u8]) -> Result<Self, KeyError> {
        if let Ok(key) = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, der) {
            return Ok(Self(Arc::new(Private::Ecdsa(key))));
        }
        match rsa::KeyPair::from_pkcs8(der) {
            Ok(key) if key.public_modulus_len() >= SHORTEST_RSA => Ok(Self(Arc::new(Private::Rsa(key)))),
            _ => Err(KeyError::Unsupported),
        }
    }

    /// By what it signs.
    pub fn method(&self) -> SignatureMethod {
        match *self.0 {
            Private::Rsa(_) => SignatureMethod::RsaSha256,
            Private::Ecdsa(_) => SignatureMethod::EcdsaSha256,
        }
    }

    /// The public half.
    ///
    /// # Errors
    ///
    /// Never, for a key that was accepted.
    pub fn verifier(&self) -> Result<Verifier, KeyError> {
        let spki: Result<PublicKeyX509Der<'_>, _> = match &*self.0 {
            Private::Rsa(key) => key.public_key().as_der(),
            Private::Ecdsa(key) => key.public_key().as_der(),
        };
        Verifier::from_spki(spki.map_err(|_| KeyError::Unsupported)?.as_ref())
    }

    /// The signature; ECDSA draws its secret number within the library, as RSA what blinds it.
    pub(crate) fn sign(&self, octets: &[u8]) -> Option<Vec<u8>> {
        let unused = SystemRandom::new();
        match &*self.0 {
            Private::Rsa(key) => {
                let mut signature = vec![0; key.public_modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &unused, octets, &mut signature).ok()?;
                Some(signature)
            }
            Private::Ecdsa(key) => Some(key.sign(&unused, octets).ok()?.as_ref().to_vec()),
        }
    }
}

impl fmt::Debug for Signer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Signer").field("method", &self.method()).finish_non_exhaustive()
    }
}

impl Verifier {
    /// A key as SubjectPublicKeyInfo in PEM (`BEGIN PUBLIC KEY`).
    ///
    /// # Errors
    ///
    /// It is something else.
    pub fn from_pem(text: &str) -> Result<Self, KeyError> {
        Self::from_spki(&der_of(text, "PUBLIC KEY")?)
    }

    /// A key as SubjectPublicKeyInfo.
    ///
    /// # Errors
    ///
    /// It is something else, or too short.
    pub fn from_spki(der: &[u8]) -> Result<Self, KeyError> {
        let of = |method, key| Self(Arc::new(Public { method, key }));
        // One encoding of each key: whoever deletes it has deleted the key.
        if der.len() == P256.len() + 64
            && der.starts_with(&P256)
            && let Ok(key) = ParsedPublicKey::new(&ECDSA_P256_SHA256_FIXED, der)
        {
            return Ok(of(SignatureMethod::EcdsaSha256, key));
        }
        let is_usual = rsa::PublicEncryptingKey::from_der(der)
            .is_ok_and(|key| key.as_der().is_ok_and(|again: PublicKeyX509Der<'_>| again.as_ref() == der));
        let is_rsa = is_usual && der.get(4..).is_some_and(|rest| rest.starts_with(&RSA));
        let long_enough =
            is_rsa && rsa::PublicKey::from_der(der).is_ok_and(|key| key.modulus_len() >= SHORTEST_RSA);
        match ParsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, der) {
            Ok(key) if long_enough => Ok(of(SignatureMethod::RsaSha256, key)),
            _ => Err(KeyError::Unsupported),
        }
    }

    /// What it verifies.
    pub fn method(&self) -> SignatureMethod {
        self.0.method
    }

    pub(crate) fn verify(&self, octets: &[u8], signature: &[u8]) -> bool {
        self.0.key.verify_sig(octets, signature).is_ok()
    }
}

impl fmt::Debug for Verifier {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Verifier").field("method", &self.method()).finish_non_exhaustive()
    }
}

/// What the one PEM block of a text holds (RFC 7468).
fn der_of(text: &str, label: &'static str) -> Result<Zeroizing<Vec<u8>>, KeyError> {
    let wrong = KeyError::Pem { label };
    let inner = text.trim().strip_prefix("-----BEGIN ").and_then(|rest| rest.strip_prefix(label));
    let inner = inner.and_then(|rest| rest.strip_prefix("-----")).ok_or(wrong)?;
    let inner = inner.strip_suffix("-----").and_then(|rest| rest.strip_suffix(label)).ok_or(wrong)?;
    let inner = inner.strip_suffix("-----END ").ok_or(wrong)?;
    let mut packed = Zeroizing::new(Vec::with_capacity(inner.len()));
    packed.extend(inner.bytes().filter(|octet| !octet.is_ascii_whitespace()));
    STANDARD.decode(&*packed).map(Zeroizing::new).map_err(|_| wrong)
}

/// What a SubjectPublicKeyInfo of a key on P-256 begins with (RFC 5480): the algorithm, and that both coordinates follow.
const P256: [u8; 27] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
];
/// The algorithm rsaEncryption in it (RFC 3279): RSASSA-PSS signs otherwise.
const RSA: [u8; 15] =
    [0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00];
/// Octets of the shortest modulus of RSA.
const SHORTEST_RSA: usize = 256;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::ring;

    fn spki(name: &str) -> Vec<u8> {
        let spki: PublicKeyX509Der<'_> = match &*ring().signer(name).0 {
            Private::Rsa(key) => key.public_key().as_der().unwrap(),
            Private::Ecdsa(key) => key.public_key().as_der().unwrap(),
        };
        spki.as_ref().to_vec()
    }

    /// Whoever deletes an entry of a key has deleted the key: there is no other spelling of it.
    #[test]
    fn a_key_has_one_encoding() {
        for name in ["user/rsa", "user/ecdsa"] {
            let usual = spki(name);
            assert!(Verifier::from_spki(&usual).is_ok());
            let longer = [&usual[..], &[0]].concat();
            assert_eq!(Verifier::from_spki(&longer).unwrap_err(), KeyError::Unsupported, "{name}");
        }
        let usual = spki("user/ecdsa");
        let compressed =
            [&[0x30, 0x39][..], &usual[2..24], &[0x22, 0x00, 2 + (usual[90] & 1)], &usual[27..59]];
        assert_eq!(Verifier::from_spki(&compressed.concat()).unwrap_err(), KeyError::Unsupported);
        // RSASSA-PSS, without parameters
        let usual = spki("user/rsa");
        let mut pss = [&usual[..4], &[0x30, 0x0b], &usual[6..16], &[0x0a], &usual[19..]].concat();
        let length = u16::try_from(pss.len() - 4).unwrap().to_be_bytes();
        pss[2..4].copy_from_slice(&length);
        assert_eq!(Verifier::from_spki(&pss).unwrap_err(), KeyError::Unsupported);
    }
}
