//! Certificates of agents and managers, and their contents (RFC 6353 section 4).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use rcgen::{
    CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair, KeyUsagePurpose,
    SanType, SerialNumber,
};
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize, Zeroizing};

use crate::name::is_host_name;
use crate::{Certificate, Error, KeyKind, Name, Validity, key};

/// The role that a certificate is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Role {
    /// An agent: identified by the names and addresses that managers use.
    Agent,
    /// A manager: known by its own name.
    Manager,
}

impl Role {
    /// `agent` or `manager`.
    pub fn name(self) -> &'static str {
        match self {
            Role::Agent => "agent",
            Role::Manager => "manager",
        }
    }

    /// The folder of its certificates: `agents` or `managers`.
    pub fn folder(self) -> &'static str {
        match self {
            Role::Agent => "agents",
            Role::Manager => "managers",
        }
    }
}

/// The contents of a certificate of an agent or a manager, besides its name.
#[derive(Debug, Clone, Default)]
pub struct LeafOptions {
    /// The kind of key.
    pub key: KeyKind,
    /// From when until when it is valid [default: [`LeafOptions::DAYS`] from now].
    pub validity: Option<Validity>,
    /// More host names; the first label may be `*`.
    pub hosts: Vec<String>,
    /// More addresses.
    pub addresses: Vec<IpAddr>,
    /// More e-mail addresses.
    pub emails: Vec<String>,
    /// Also the names of this machine to itself: localhost, 127.0.0.1 and ::1. An agent called `localhost` has
    /// them anyway.
    pub local: bool,
}

impl LeafOptions {
    /// How many days a certificate is valid by default.
    pub const DAYS: u32 = 825;
}

/// A certificate with its private key, not yet on any disk.
pub struct Issued {
    certificate: Certificate,
    issuer: Option<Certificate>,
    key: KeyPair,
}

impl Issued {
    /// Makes a certificate that its own key signs, for peers that know its fingerprint.
    ///
    /// # Errors
    /// Names or times that cannot be in a certificate, no random numbers.
    pub fn self_signed(role: Role, name: &Name, options: &LeafOptions) -> Result<Self, Error> {
        let key = options.key.generate()?;
        let signed = parameters(role, name, options)?.self_signed(&key);
        let signed = signed.map_err(Error::make("a certificate"))?;
        let certificate = Certificate::from_der(signed.der().to_vec())?;
        Ok(Issued { certificate, issuer: None, key })
    }

    pub(crate) fn signed(certificate: Certificate, issuer: Certificate, key: KeyPair) -> Self {
        Issued { certificate, issuer: Some(issuer), key }
    }

    /// The certificate itself.
    pub fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    /// The certificate and, unless it is self-signed, its authority's, each in DER.
    pub fn chain_der(&self) -> Vec<Vec<u8>> {
        let chain = std::iter::once(&self.certificate).chain(&self.issuer);
        chain.map(|certificate| certificate.der().to_vec()).collect()
    }

    /// The same in PEM.
    pub fn chain_pem(&self) -> String {
        std::iter::once(&self.certificate).chain(&self.issuer).map(Certificate::to_pem).collect()
    }

    /// The private key: PKCS #8 in DER.
    pub fn key_der(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new(self.key.serialized_der().to_vec())
    }

    /// The private key: PKCS #8 in PEM.
    pub fn key_pem(&self) -> Zeroizing<String> {
        Zeroizing::new(self.key.serialize_pem())
    }
}

impl std::fmt::Debug for Issued {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Issued").field("certificate", &self.certificate).finish_non_exhaustive()
    }
}

impl Drop for Issued {
    fn drop(&mut self) {
        self.key.zeroize();
    }
}

/// The contents of the certificate.
pub(crate) fn parameters(role: Role, name: &Name, options: &LeafOptions) -> Result<CertificateParams, Error> {
    let validity = match options.validity {
        Some(validity) => validity.checked()?,
        None => Validity::days(LeafOptions::DAYS)?,
    };
    let mut parameters = CertificateParams::default();
    parameters.not_before = validity.not_before;
    parameters.not_after = validity.not_after;
    parameters.serial_number = Some(serial()?);
    parameters.distinguished_name = common_name(name.as_str());
    parameters.is_ca = IsCa::ExplicitNoCa;
    parameters.use_authority_key_identifier_extension = true;
    parameters.subject_alt_names = alternative_names(role, name, options)?;
    parameters.key_usages = vec![KeyUsagePurpose::DigitalSignature];
    if options.key.is_rsa() {
        // For the RSA key exchange of TLS 1.2's old suites.
        parameters.key_usages.push(KeyUsagePurpose::KeyEncipherment);
    }
    // Both ends are at times client and at times server: an agent that notifies is the client.
    parameters.extended_key_usages =
        vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
    Ok(parameters)
}

/// A distinguished name that is a common name alone.
pub(crate) fn common_name(name: &str) -> DistinguishedName {
    let mut distinguished = DistinguishedName::new();
    distinguished.push(DnType::CommonName, name);
    distinguished
}

/// A random serial number of 127 bits: positive, and never zero (RFC 5280 section 4.1.2.2).
pub(crate) fn serial() -> Result<SerialNumber, Error> {
    let mut octets: [u8; 16] = key::random()?;
    if let Some(first) = octets.first_mut() {
        *first = (*first & 0x7f) | 0x40;
    }
    Ok(SerialNumber::from_slice(&octets))
}

/// The names that the peer compares, each once.
fn alternative_names(role: Role, name: &Name, options: &LeafOptions) -> Result<Vec<SanType>, Error> {
    let mut names = Vec::new();
    let mut add = |name: SanType| {
        if !names.contains(&name) {
            names.push(name);
        }
    };
    match (role, name.as_str().parse::<IpAddr>()) {
        (Role::Agent, Ok(address)) => add(SanType::IpAddress(address)),
        (Role::Agent, Err(_)) => add(host(name.as_str(), false)?),
        (Role::Manager, _) if name.as_str().contains('@') => add(email(name.as_str())?),
        (Role::Manager, _) => {}
    }
    if options.local || (role == Role::Agent && name.as_str().eq_ignore_ascii_case("localhost")) {
        add(host("localhost", false)?);
        add(SanType::IpAddress(Ipv4Addr::LOCALHOST.into()));
        add(SanType::IpAddress(Ipv6Addr::LOCALHOST.into()));
    }
    for name in &options.hosts {
        add(host(name, true)?);
    }
    for address in &options.addresses {
        add(SanType::IpAddress(*address));
    }
    for name in &options.emails {
        add(email(name)?);
    }
    Ok(names)
}

fn host(name: &str, wildcard: bool) -> Result<SanType, Error> {
    let wrong = || Error::AlternativeName { name: name.to_owned(), expected: "host name" };
    if !is_host_name(name, wildcard) {
        return Err(wrong());
    }
    Ok(SanType::DnsName(name.try_into().map_err(|_| wrong())?))
}

fn email(name: &str) -> Result<SanType, Error> {
    let wrong = || Error::AlternativeName { name: name.to_owned(), expected: "e-mail address" };
    let (who, at) = name.rsplit_once('@').ok_or_else(wrong)?;
    if who.is_empty() || who.contains(|c: char| c.is_whitespace() || c == '@') || !is_host_name(at, false) {
        return Err(wrong());
    }
    Ok(SanType::Rfc822Name(name.try_into().map_err(|_| wrong())?))
}
