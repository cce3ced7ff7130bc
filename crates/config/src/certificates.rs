//! From the configuration to identity and trust anchors: TLS and DTLS for listeners, and for sessions that the agent
//! opens.

use std::path::PathBuf;
use std::sync::Arc;

use trunkline_snmp::engine::transport::CertificateRow;
use trunkline_transport::tls::{
    CredentialError, Fingerprint, FingerprintError, Identity, Suites, TlsServerConfig, TlsVersion, Trust,
    Versions,
};

use crate::{FilePlan, NAME_ROW_STEP, TlsPlan};

/// Why the certificates of a configuration cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// The certificate and its key.
    #[error("the certificate {} and its key {}: {source}", certificate.display(), key.display())]
    Identity {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What is wrong.
        source: Box<CredentialError>,
    },
    /// Certificates of authorities, or lists of what they have revoked.
    #[error("{}: {source}", path.display())]
    Trust {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: Box<CredentialError>,
    },
    /// The configuration has no certificate.
    #[error("TLS and DTLS need a certificate and its key in [snmp.tls]")]
    NoCertificate,
    /// A fingerprint that no certificate can have.
    #[error(transparent)]
    Fingerprint(#[from] FingerprintError),
}

/// Certificates of a configuration, ready for use.
#[derive(Clone)]
pub struct Certificates {
    /// Our identity.
    pub identity: Arc<Identity>,
    /// Trust anchors.
    pub trust: Arc<Trust>,
}

impl Certificates {
    /// Those of a configuration.
    ///
    /// # Errors
    /// What is wrong, and in which file.
    pub fn of(plan: &TlsPlan) -> Result<Self, CertificateError> {
        let (Some(certificate), Some(key)) = (&plan.certificate, &plan.key) else {
            return Err(CertificateError::NoCertificate);
        };
        let identity = Identity::from_pem(&certificate.octets, &key.octets);
        let (certificate, key) = (certificate.path.clone(), key.path.clone());
        let identity = identity.map_err(|source| CertificateError::Identity {
            certificate,
            key,
            source: source.into(),
        })?;
        Ok(Self { identity: Arc::new(identity), trust: Arc::new(trust(plan)?) })
    }

    /// The holder of a certificate of one of the authorities is identified by its common name: the default if the
    /// configuration has no names.
    #[must_use]
    pub fn usual_names(&self) -> Vec<CertificateRow> {
        let rows = CertificateRow::common_names(self.trust.authorities()).into_iter();
        rows.map(|row| CertificateRow { id: row.id * NAME_ROW_STEP, ..row }).collect()
    }

    /// The parts of a TLS or DTLS server.
    #[must_use]
    pub fn server(&self, plan: &TlsPlan) -> TlsServerConfig {
        let lowest = match plan.least_version {
            crate::TlsVersion::V1_2 => TlsVersion::V1_2,
            crate::TlsVersion::V1_3 => TlsVersion::V1_3,
        };
        let config = TlsServerConfig::new(self.identity.clone(), self.trust.clone());
        let suites = if plan.integrity_only { Suites::IntegrityOnly } else { Suites::Encrypted };
        TlsServerConfig { versions: Versions { lowest, ..Versions::default() }, suites, ..config }
    }
}

/// Authorities with their revocation lists, and certificates that are trusted individually.
fn trust(plan: &TlsPlan) -> Result<Trust, CertificateError> {
    let in_file = |file: &FilePlan, source| CertificateError::Trust {
        path: file.path.clone(),
        source: Box::new(source),
    };
    let mut trust = Trust::builder();
    for file in &plan.authorities {
        trust = trust.authorities_pem(&file.octets).map_err(|source| in_file(file, source))?;
    }
    for file in &plan.revocation_lists {
        trust = trust.revocation_lists_pem(&file.octets).map_err(|source| in_file(file, source))?;
    }
    for name in &plan.names {
        trust = trust.pin(Fingerprint::from_octets(&name.fingerprint.to_octets())?);
    }
    Ok(trust.build())
}
