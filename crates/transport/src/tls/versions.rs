//! The allowed versions and cipher suites of TLS.

use std::sync::Arc;

use rustls::crypto::{CryptoProvider, aws_lc_rs};
use rustls::version::{TLS12, TLS13};
use rustls::{CipherSuite, SupportedCipherSuite, SupportedProtocolVersion};

use super::{CredentialError, integrity};

/// A version of TLS.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TlsVersion {
    /// TLS 1.2 (RFC 5246).
    V1_2,
    /// TLS 1.3 (RFC 8446).
    V1_3,
}

/// The allowed versions of TLS. DTLS is always 1.2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Versions {
    /// The lowest.
    pub lowest: TlsVersion,
    /// The highest.
    pub highest: TlsVersion,
}

impl Default for Versions {
    fn default() -> Self {
        Self { lowest: TlsVersion::V1_2, highest: TlsVersion::V1_3 }
    }
}

impl Versions {
    /// Only this version.
    #[must_use]
    pub const fn only(version: TlsVersion) -> Self {
        Self { lowest: version, highest: version }
    }

    pub(super) fn of_library(self) -> Result<Vec<&'static SupportedProtocolVersion>, CredentialError> {
        let all = [(TlsVersion::V1_3, &TLS13), (TlsVersion::V1_2, &TLS12)];
        let allowed = |version: &TlsVersion| (self.lowest..=self.highest).contains(version);
        let versions: Vec<_> =
            all.into_iter().filter(|(version, _)| allowed(version)).map(|(_, it)| it).collect();
        if versions.is_empty() { Err(CredentialError::NoVersion) } else { Ok(versions) }
    }
}

/// Which cipher suites are offered and accepted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Suites {
    /// The encrypting ones: AES-GCM and ChaCha20-Poly1305 with ephemeral keys.
    #[default]
    Encrypted,
    /// For the laboratory only: suites that protect octets against change but do not encrypt them; see
    /// [`integrity`](super::integrity). TLS 1.2 only.
    IntegrityOnly,
}

impl Suites {
    pub(super) fn provider(self) -> Arc<CryptoProvider> {
        match self {
            Self::Encrypted => Arc::new(usual()),
            Self::IntegrityOnly => Arc::new(integrity::provider()),
        }
    }
}

/// The library's provider with all of its suites, those with AES-128 and SHA-256 first: a resumed handshake mostly
/// computes hashes (decision 0053). The server uses the first suite of the client's list that it has.
fn usual() -> CryptoProvider {
    let provider = aws_lc_rs::default_provider();
    let (quick, others): (Vec<_>, Vec<_>) = provider.cipher_suites.into_iter().partition(is_quick);
    CryptoProvider { cipher_suites: [quick, others].concat(), ..provider }
}

fn is_quick(suite: &SupportedCipherSuite) -> bool {
    matches!(
        suite.suite(),
        CipherSuite::TLS13_AES_128_GCM_SHA256
            | CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
            | CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256
    )
}
