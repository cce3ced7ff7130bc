//! Private keys of certificates.

use std::fmt;
use std::str::FromStr;

use rcgen::{KeyPair, RsaKeySize};
use zeroize::Zeroizing;

use crate::Error;

/// The kinds of keys that we make.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum KeyKind {
    /// ECDSA on the curve P-256: small, quick, and known to every peer.
    #[default]
    EcdsaP256,
    /// ECDSA on the curve P-384.
    EcdsaP384,
    /// Ed25519; peers of TLS 1.2 may not know it.
    Ed25519,
    /// RSA of 2048 bits, for old peers.
    Rsa2048,
    /// RSA of 3072 bits.
    Rsa3072,
}

impl KeyKind {
    /// Every kind.
    pub const ALL: [KeyKind; 5] =
        [KeyKind::EcdsaP256, KeyKind::EcdsaP384, KeyKind::Ed25519, KeyKind::Rsa2048, KeyKind::Rsa3072];
    /// The name of each in [`KeyKind::ALL`].
    pub const NAMES: [&str; 5] = ["ecdsa-p256", "ecdsa-p384", "ed25519", "rsa-2048", "rsa-3072"];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            KeyKind::EcdsaP256 => "ecdsa-p256",
            KeyKind::EcdsaP384 => "ecdsa-p384",
            KeyKind::Ed25519 => "ed25519",
            KeyKind::Rsa2048 => "rsa-2048",
            KeyKind::Rsa3072 => "rsa-3072",
        }
    }

    pub(crate) fn is_rsa(self) -> bool {
        matches!(self, KeyKind::Rsa2048 | KeyKind::Rsa3072)
    }

    /// A new key.
    pub(crate) fn generate(self) -> Result<KeyPair, Error> {
        let pair = match self {
            KeyKind::EcdsaP256 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256),
            KeyKind::EcdsaP384 => KeyPair::generate_for(&rcgen::PKCS_ECDSA_P384_SHA384),
            KeyKind::Ed25519 => return ed25519(),
            KeyKind::Rsa2048 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_2048),
            KeyKind::Rsa3072 => KeyPair::generate_rsa_for(&rcgen::PKCS_RSA_SHA256, RsaKeySize::_3072),
        };
        pair.map_err(Error::make("a private key"))
    }
}

impl fmt::Display for KeyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for KeyKind {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let kind = KeyKind::ALL.into_iter().find(|kind| kind.name() == text);
        kind.ok_or_else(|| Error::KeyKind { found: text.to_owned() })
    }
}

/// A new Ed25519 key. Of the library's own making it would carry the public key too (RFC 5958), which OpenSSL 3.0
/// does not read; this is the form of RFC 8410 section 7 without it.
fn ed25519() -> Result<KeyPair, Error> {
    /// PrivateKeyInfo, version 0, id-Ed25519, an OCTET STRING in an OCTET STRING of 32.
    const BEFORE_SEED: [u8; 16] = [0x30, 0x2e, 2, 1, 0, 0x30, 5, 6, 3, 0x2b, 0x65, 0x70, 4, 0x22, 4, 0x20];
    let seed = Zeroizing::new(random::<32>()?);
    let der = Zeroizing::new([&BEFORE_SEED[..], &seed[..]].concat());
    let pair = KeyPair::from_pkcs8_der_and_sign_algo(&der.as_slice().into(), &rcgen::PKCS_ED25519);
    pair.map_err(Error::make("a private key"))
}

/// Octets from the system's random source, without a file that a process may be unable to open.
///
/// # Errors
/// [`Error::Random`].
pub fn random<const OCTETS: usize>() -> Result<[u8; OCTETS], Error> {
    let mut octets = [0; OCTETS];
    let mut filled = 0;
    while let Some(rest) = octets.get_mut(filled..).filter(|rest| !rest.is_empty()) {
        match rustix::rand::getrandom(rest, rustix::rand::GetRandomFlags::empty()) {
            Ok(count) => filled += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(fault) => return Err(Error::Random(fault.into())),
        }
    }
    Ok(octets)
}
