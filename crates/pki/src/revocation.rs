//! Revocation lists (RFC 5280 section 5).

use rcgen::{CertificateRevocationListParams, KeyIdMethod, RevokedCertParams, SerialNumber};
use time::OffsetDateTime;

use crate::{Authority, Error, Validity};

/// A certificate that is no longer to be trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Revoked {
    /// Its serial number, the octets of a positive integer ([`crate::Certificate::serial`]).
    pub serial: Vec<u8>,
    /// Since when.
    pub since: OffsetDateTime,
}

impl Authority {
    /// Signs a list of these certificates, in PEM. `number` must grow from list to list; `validity` is this
    /// update and next update: after the latter some peers refuse every certificate until they have a new
    /// list [default: as long as the authority itself].
    ///
    /// # Errors
    /// A time that ends before it begins; the authority may not sign lists.
    pub fn revocation_list(
        &self,
        revoked: &[Revoked],
        number: u64,
        validity: Option<Validity>,
    ) -> Result<String, Error> {
        let validity = validity.unwrap_or_else(|| Validity {
            not_before: OffsetDateTime::now_utc() - Validity::BACKDATED,
            not_after: self.certificate().validity().not_after,
        });
        let validity = validity.checked()?;
        let parameters = CertificateRevocationListParams {
            this_update: validity.not_before,
            next_update: validity.not_after,
            crl_number: SerialNumber::from(number),
            issuing_distribution_point: None,
            revoked_certs: revoked.iter().map(entry).collect(),
            key_identifier_method: match self.certificate().subject_key_identifier() {
                Some(identifier) => KeyIdMethod::PreSpecified(identifier.to_vec()),
                None => KeyIdMethod::Sha256,
            },
        };
        let list = parameters.signed_by(self.issuer()).map_err(Error::make("a revocation list"))?;
        list.pem().map_err(Error::make("a revocation list"))
    }
}

fn entry(revoked: &Revoked) -> RevokedCertParams {
    RevokedCertParams {
        serial_number: SerialNumber::from_slice(&revoked.serial),
        revocation_time: revoked.since,
        reason_code: None,
        invalidity_date: None,
    }
}
