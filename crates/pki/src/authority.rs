//! The certificate authority: one key that signs the certificates of agents and managers.

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, KeyUsagePurpose};
use zeroize::Zeroizing;

use crate::leaf::{common_name, parameters, serial};
use crate::{Certificate, Error, Issued, KeyKind, LeafOptions, Name, Role, Validity};

/// The contents of the authority's own certificate.
#[derive(Debug, Clone)]
pub struct AuthorityOptions {
    /// Its common name.
    pub name: Name,
    /// The kind of key.
    pub key: KeyKind,
    /// From when until when it is valid [default: [`AuthorityOptions::DAYS`] from now].
    pub validity: Option<Validity>,
}

impl AuthorityOptions {
    /// How many days an authority is valid by default.
    pub const DAYS: u32 = 3650;

    /// An authority of this name; all else as usual.
    pub fn named(name: Name) -> Self {
        AuthorityOptions { name, key: KeyKind::default(), validity: None }
    }
}

impl Default for AuthorityOptions {
    #[expect(clippy::expect_used, reason = "the constant is a name")]
    fn default() -> Self {
        AuthorityOptions::named(Name::new("Trunkline CA").expect("a name"))
    }
}

/// A certificate authority, with its key.
pub struct Authority {
    certificate: Certificate,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    /// Makes a new authority.
    ///
    /// # Errors
    /// A time that cannot be; no random numbers.
    pub fn create(options: &AuthorityOptions) -> Result<Self, Error> {
        let validity = match options.validity {
            Some(validity) => validity.checked()?,
            None => Validity::days(AuthorityOptions::DAYS)?,
        };
        let mut parameters = CertificateParams::default();
        parameters.not_before = validity.not_before;
        parameters.not_after = validity.not_after;
        parameters.serial_number = Some(serial()?);
        parameters.distinguished_name = common_name(options.name.as_str());
        // It signs agents and managers only, no further authority.
        parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
        let key = options.key.generate()?;
        let signed = parameters.self_signed(&key).map_err(Error::make("the authority"))?;
        let certificate = Certificate::from_der(signed.der().to_vec())?;
        Ok(Authority { certificate, issuer: Issuer::new(parameters, key) })
    }

    /// An authority that was made before, by us or by others: its certificate and its key (PKCS #8), in PEM.
    ///
    /// # Errors
    /// Not a certificate, not an authority, not a key, or a key that does not belong to the certificate.
    pub fn from_pem(certificate: &str, key: &str) -> Result<Self, Error> {
        let certificate = Certificate::from_pem(certificate)?;
        if !certificate.is_authority() {
            return Err(Error::NotAuthority { subject: certificate.subject().to_owned() });
        }
        let key = KeyPair::from_pem(key).map_err(|_| Error::NoKey { what: "this".to_owned() })?;
        if key.public_key_raw() != certificate.public_key() {
            return Err(Error::KeyMismatch { subject: certificate.subject().to_owned() });
        }
        let issuer = Issuer::from_ca_cert_der(&certificate.der().into(), key);
        let issuer = issuer.map_err(Error::make("the authority"))?;
        Ok(Authority { certificate, issuer })
    }

    /// Its certificate, which peers trust.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// Its private key: PKCS #8 in PEM.
    pub fn key_pem(&self) -> Zeroizing<String> {
        Zeroizing::new(self.issuer.key().serialize_pem())
    }

    /// A certificate for an agent: the name is its host name or its address.
    ///
    /// # Errors
    /// Names or times that cannot be in a certificate; no random numbers.
    pub fn agent(&self, name: &Name, options: &LeafOptions) -> Result<Issued, Error> {
        self.issue(Role::Agent, name, options)
    }

    /// A certificate for a manager: the name is the principal that its requests are made for, by the usual
    /// map of an agent (snmpTlstmCertCommonName).
    ///
    /// # Errors
    /// As [`Authority::agent`].
    pub fn manager(&self, name: &Name, options: &LeafOptions) -> Result<Issued, Error> {
        self.issue(Role::Manager, name, options)
    }

    /// A certificate for an agent or a manager.
    ///
    /// # Errors
    /// As [`Authority::agent`].
    pub fn issue(&self, role: Role, name: &Name, options: &LeafOptions) -> Result<Issued, Error> {
        let parameters = parameters(role, name, options)?;
        let key = options.key.generate()?;
        let signed = parameters.signed_by(&key, &self.issuer).map_err(Error::make("a certificate"))?;
        let certificate = Certificate::from_der(signed.der().to_vec())?;
        Ok(Issued::signed(certificate, self.certificate.clone(), key))
    }

    pub(crate) fn issuer(&self) -> &Issuer<'static, KeyPair> {
        &self.issuer
    }
}

impl std::fmt::Debug for Authority {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authority").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}
