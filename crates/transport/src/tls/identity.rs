//! Our identity: a chain of certificates and the private key of the first.

use std::fmt;
use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::crypto::CryptoProvider;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::sign::CertifiedKey;

use crate::files::open_regular;

use super::fingerprint::{Fingerprint, HashAlgorithm};

/// Credentials or trust anchors that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// A file cannot be read.
    #[error("cannot read {what} from {}: {source}", file.display())]
    Read {
        /// What it should contain.
        what: &'static str,
        /// The file.
        file: PathBuf,
        /// The kernel's error.
        source: io::Error,
    },
    /// Other users can read our private key.
    #[error("the private key {} may be read by others (mode {mode:04o}): run `chmod 600` on it", file.display())]
    ExposedKey {
        /// The file.
        file: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A text is not PEM.
    #[error("{place} should hold {what} in PEM: {source}")]
    Pem {
        /// What it should contain.
        what: &'static str,
        /// Where it comes from.
        place: Place,
        /// What is wrong with it.
        source: pem::Error,
    },
    /// A text has no PEM section of the required kind.
    #[error("{place} holds no {what} in PEM: expected `-----BEGIN {label}-----`")]
    Missing {
        /// What it should contain.
        what: &'static str,
        /// Where it comes from.
        place: Place,
        /// The label of such a section.
        label: &'static str,
    },
    /// The private key is of an unsupported kind.
    #[error(
        "{place} has a private key we cannot use: give an RSA, ECDSA (P-256, P-384, P-521) or Ed25519 key without a password"
    )]
    UnusableKey {
        /// Where it comes from.
        place: Place,
    },
    /// The private key does not belong to the certificate.
    #[error(
        "the private key in {key} does not belong to the first certificate in {certificates}: put the files of one \
         pair there; `trunkline pki agent NAME --force` makes a new one"
    )]
    OtherKey {
        /// Where the key comes from.
        key: Place,
        /// Where the certificates come from.
        certificates: Place,
    },
    /// A certificate of an authority cannot be used.
    #[error(
        "certificate {number} in {place} cannot be an authority: it is not an X.509 version 3 certificate"
    )]
    UnusableAuthority {
        /// Where it comes from.
        place: Place,
        /// Its position in the text, counted from 1.
        number: usize,
    },
    /// A revocation list cannot be used.
    #[error("revocation list {number} in {place} cannot be used: {source}")]
    UnusableRevocationList {
        /// Where it comes from.
        place: Place,
        /// Its position in the text, counted from 1.
        number: usize,
        /// What is wrong with it.
        source: webpki::Error,
    },
    /// The TLS library rejects the configuration.
    #[error("TLS cannot be set up: {0}")]
    Library(#[from] rustls::Error),
    /// OpenSSL, which implements DTLS, rejects the configuration.
    #[cfg(feature = "dtls")]
    #[error("DTLS cannot be set up: {0}")]
    Openssl(#[from] openssl::error::ErrorStack),
    /// The range of allowed versions is empty.
    #[error("the lowest TLS version is above the highest")]
    NoVersion,
}

/// The origin of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A file.
    File(PathBuf),
    /// It was passed as text.
    Given,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File(file) => file.display().fmt(f),
            Self::Given => f.write_str("the text given"),
        }
    }
}

/// A chain of certificates and the private key of the first.
pub struct Identity {
    certificates: Vec<CertificateDer<'static>>,
    key: PrivateKeyDer<'static>,
}

impl Identity {
    /// From PEM files: our certificate followed by those of its authorities, and its private key (PKCS#8, SEC1 or
    /// PKCS#1, without a password). Only the owner may be able to read the key's file.
    ///
    /// # Errors
    /// [`CredentialError`] with the file and what is wrong.
    pub fn from_files(certificates: &Path, key: &Path) -> Result<Self, CredentialError> {
        let chain = read_file(certificates, "a certificate", |_| Ok(()))?;
        let exposed = |metadata: &Metadata| match metadata.permissions().mode() & 0o7777 {
            mode if metadata.is_file() && mode & 0o077 != 0 => {
                Err(CredentialError::ExposedKey { file: key.into(), mode })
            }
            _ => Ok(()),
        };
        let secret = read_file(key, "a private key", exposed)?;
        Self::new((&chain, Place::File(certificates.into())), (&secret, Place::File(key.into())))
    }

    /// From PEM texts; both may be the same text.
    ///
    /// # Errors
    /// As [`Identity::from_files`].
    pub fn from_pem(certificates: &[u8], key: &[u8]) -> Result<Self, CredentialError> {
        Self::new((certificates, Place::Given), (key, Place::Given))
    }

    fn new(chain: (&[u8], Place), key: (&[u8], Place)) -> Result<Self, CredentialError> {
        let certificates = sections(chain.0, &chain.1, "a certificate", "CERTIFICATE")?;
        let secret = PrivateKeyDer::from_pem_slice(key.0).map_err(|source| match source {
            pem::Error::NoItemsFound => {
                CredentialError::Missing { what: "private key", place: key.1.clone(), label: "PRIVATE KEY" }
            }
            source => CredentialError::Pem { what: "a private key", place: key.1.clone(), source },
        })?;
        let identity = Self { certificates, key: secret };
        match identity.certified(&rustls::crypto::aws_lc_rs::default_provider()) {
            Ok(_) => Ok(identity),
            Err(rustls::Error::InconsistentKeys(_)) => {
                Err(CredentialError::OtherKey { key: key.1, certificates: chain.1 })
            }
            Err(rustls::Error::InvalidCertificate(_)) => {
                Err(CredentialError::UnusableAuthority { place: chain.1, number: 1 })
            }
            Err(_) => Err(CredentialError::UnusableKey { place: key.1 }),
        }
    }

    pub(super) fn certified(&self, provider: &CryptoProvider) -> Result<Arc<CertifiedKey>, rustls::Error> {
        CertifiedKey::from_der(self.certificates.clone(), self.key.clone_key(), provider).map(Arc::new)
    }

    /// Our certificates in DER, our own first.
    pub fn certificates(&self) -> impl Iterator<Item = &[u8]> {
        self.certificates.iter().map(AsRef::as_ref)
    }

    /// The private key in DER.
    pub(crate) fn key(&self) -> &[u8] {
        self.key.secret_der()
    }

    /// The fingerprint of our own certificate.
    #[must_use]
    pub fn fingerprint(&self, algorithm: HashAlgorithm) -> Fingerprint {
        Fingerprint::of(algorithm, self.certificates.first().map_or(&[], AsRef::as_ref))
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Identity").field(&self.fingerprint(HashAlgorithm::Sha256)).finish()
    }
}

/// The contents of a file, if `allowed` accepts the metadata of the open file.
pub(super) fn read_file(
    file: &Path,
    what: &'static str,
    allowed: impl Fn(&Metadata) -> Result<(), CredentialError>,
) -> Result<Vec<u8>, CredentialError> {
    let unread = |source| CredentialError::Read { what, file: file.into(), source };
    let mut open = open_regular(file).map_err(unread)?;
    allowed(&open.metadata().map_err(unread)?)?;
    let mut octets = Vec::new();
    open.read_to_end(&mut octets).map_err(unread)?;
    Ok(octets)
}

/// The sections of one kind in a text: at least one.
pub(super) fn sections<T: PemObject>(
    text: &[u8],
    place: &Place,
    what: &'static str,
    label: &'static str,
) -> Result<Vec<T>, CredentialError> {
    let all: Result<Vec<T>, _> = T::pem_slice_iter(text).collect();
    let all = all.map_err(|source| CredentialError::Pem { what, place: place.clone(), source })?;
    if all.is_empty() {
        let what = what.trim_start_matches("a ");
        return Err(CredentialError::Missing { what, place: place.clone(), label });
    }
    Ok(all)
}
