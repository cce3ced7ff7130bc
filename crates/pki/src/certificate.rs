//! The contents of a certificate, whoever made it.

use std::fmt;
use std::net::IpAddr;

use time::OffsetDateTime;
use x509_parser::certificate::X509Certificate;
use x509_parser::extensions::{GeneralName, ParsedExtension};
use x509_parser::pem::Pem;
use x509_parser::prelude::FromDer;
use x509_parser::public_key::PublicKey;

use crate::{Error, Fingerprint, Validity};

/// A certificate that was read: its octets and what matters of it.
#[derive(Clone)]
pub struct Certificate {
    der: Vec<u8>,
    subject: String,
    issuer: String,
    common_name: Option<String>,
    alternative_names: Vec<AlternativeName>,
    serial: Vec<u8>,
    validity: Validity,
    key: String,
    public_key: Vec<u8>,
    subject_key_identifier: Option<Vec<u8>>,
    is_authority: bool,
}

/// A name in subjectAltName (RFC 5280 section 4.2.1.6).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlternativeName {
    /// dNSName.
    Host(String),
    /// iPAddress.
    Address(IpAddr),
    /// rfc822Name.
    Email(String),
    /// Any other kind, as text.
    Other(String),
}

impl fmt::Display for AlternativeName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AlternativeName::Host(name) | AlternativeName::Email(name) | AlternativeName::Other(name) => {
                f.write_str(name)
            }
            AlternativeName::Address(address) => address.fmt(f),
        }
    }
}

impl Certificate {
    /// Reads one certificate.
    ///
    /// # Errors
    /// [`Error::NoCertificate`].
    pub fn from_der(der: Vec<u8>) -> Result<Self, Error> {
        let wrong =
            |reason: &str| Error::NoCertificate { what: "this".to_owned(), reason: reason.to_owned() };
        let (rest, read) = X509Certificate::from_der(&der).map_err(|fault| wrong(&fault.to_string()))?;
        if !rest.is_empty() {
            return Err(wrong("extra octets follow it"));
        }
        let names = read.subject_alternative_name().map_err(|fault| wrong(&fault.to_string()))?;
        let names =
            names.map(|extension| extension.value.general_names.iter().map(alternative_name).collect());
        let common_name = read.subject().iter_common_name().next().and_then(|name| name.as_str().ok());
        let certificate = Certificate {
            subject: read.subject().to_string(),
            issuer: read.issuer().to_string(),
            common_name: common_name.map(str::to_owned),
            alternative_names: names.unwrap_or_default(),
            serial: read.raw_serial().to_vec(),
            validity: Validity {
                not_before: read.validity().not_before.to_datetime(),
                not_after: read.validity().not_after.to_datetime(),
            },
            key: key_words(&read),
            public_key: read.public_key().subject_public_key.data.to_vec(),
            subject_key_identifier: read.iter_extensions().find_map(|extension| {
                match extension.parsed_extension() {
                    ParsedExtension::SubjectKeyIdentifier(identifier) => Some(identifier.0.to_vec()),
                    _ => None,
                }
            }),
            is_authority: read.is_ca(),
            der: Vec::new(),
        };
        Ok(Certificate { der, ..certificate })
    }

    /// Reads the first certificate of a PEM file.
    ///
    /// # Errors
    /// [`Error::NoCertificate`].
    pub fn from_pem(text: &str) -> Result<Self, Error> {
        let wrong = |reason: String| Error::NoCertificate { what: "this".to_owned(), reason };
        for block in Pem::iter_from_buffer(text.as_bytes()) {
            let block = block.map_err(|fault| wrong(fault.to_string()))?;
            if block.label == "CERTIFICATE" {
                return Certificate::from_der(block.contents);
            }
        }
        Err(wrong("there is no `BEGIN CERTIFICATE`".to_owned()))
    }

    /// The octets.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// As PEM.
    pub fn to_pem(&self) -> String {
        let mut text = "-----BEGIN CERTIFICATE-----\n".to_owned();
        let encoded = base64(&self.der);
        for line in encoded.as_bytes().chunks(64) {
            text.push_str(&String::from_utf8_lossy(line));
            text.push('\n');
        }
        text + "-----END CERTIFICATE-----\n"
    }

    /// Its subject: the distinguished name.
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The issuer's distinguished name.
    pub fn issuer(&self) -> &str {
        &self.issuer
    }

    /// The subject's common name.
    pub fn common_name(&self) -> Option<&str> {
        self.common_name.as_deref()
    }

    /// The names and addresses that peers compare.
    pub fn alternative_names(&self) -> &[AlternativeName] {
        &self.alternative_names
    }

    /// The serial number: the octets of an integer.
    pub fn serial(&self) -> &[u8] {
        &self.serial
    }

    /// From when until when it is valid.
    pub fn validity(&self) -> Validity {
        self.validity
    }

    /// The kind of key, as text: `ECDSA P-256`, `RSA 2048`.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Its fingerprint.
    pub fn fingerprint(&self) -> Fingerprint {
        Fingerprint::of(&self.der)
    }

    /// Whether it may sign certificates.
    pub fn is_authority(&self) -> bool {
        self.is_authority
    }

    /// Whether it claims to be self-signed. The signature is not checked.
    pub fn is_self_issued(&self) -> bool {
        self.subject == self.issuer
    }

    /// Whether it is valid at a time; this does not check revocation.
    pub fn is_valid_at(&self, time: OffsetDateTime) -> bool {
        self.validity.not_before <= time && time <= self.validity.not_after
    }

    pub(crate) fn public_key(&self) -> &[u8] {
        &self.public_key
    }

    pub(crate) fn subject_key_identifier(&self) -> Option<&[u8]> {
        self.subject_key_identifier.as_deref()
    }
}

impl fmt::Debug for Certificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut debug = f.debug_struct("Certificate");
        debug.field("subject", &self.subject).field("fingerprint", &self.fingerprint());
        debug.finish_non_exhaustive()
    }
}

fn alternative_name(name: &GeneralName<'_>) -> AlternativeName {
    match name {
        GeneralName::DNSName(name) => AlternativeName::Host((*name).to_owned()),
        GeneralName::RFC822Name(name) => AlternativeName::Email((*name).to_owned()),
        GeneralName::IPAddress(octets) => {
            address(octets).map_or_else(|| AlternativeName::Other(name.to_string()), AlternativeName::Address)
        }
        other => AlternativeName::Other(other.to_string()),
    }
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    if let Ok(octets) = <[u8; 4]>::try_from(octets) {
        return Some(octets.into());
    }
    <[u8; 16]>::try_from(octets).ok().map(IpAddr::from)
}

/// The kind of key, as text.
fn key_words(read: &X509Certificate<'_>) -> String {
    let info = read.public_key();
    let curve =
        info.algorithm.parameters.as_ref().and_then(|any| any.as_oid().ok()).map(|oid| oid.to_id_string());
    match (info.algorithm.algorithm.to_id_string().as_str(), info.parsed(), curve.as_deref()) {
        ("1.3.101.112", ..) => "Ed25519".to_owned(),
        ("1.3.101.113", ..) => "Ed448".to_owned(),
        (_, Ok(PublicKey::RSA(key)), _) => format!("RSA {}", key.key_size()),
        (_, Ok(PublicKey::EC(_)), Some("1.2.840.10045.3.1.7")) => "ECDSA P-256".to_owned(),
        (_, Ok(PublicKey::EC(_)), Some("1.3.132.0.34")) => "ECDSA P-384".to_owned(),
        (_, Ok(PublicKey::EC(_)), Some("1.3.132.0.35")) => "ECDSA P-521".to_owned(),
        (algorithm, ..) => algorithm.to_owned(),
    }
}

/// Base 64 of RFC 4648 section 4.
fn base64(octets: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::with_capacity(octets.len().div_ceil(3) * 4);
    for group in octets.chunks(3) {
        let bits =
            group.iter().fold(0_u32, |bits, octet| bits << 8 | u32::from(*octet)) << (8 * (3 - group.len()));
        for place in 0..4 {
            let digit = ALPHABET[(bits >> (18 - 6 * place) & 63) as usize];
            text.push(if place <= group.len() { char::from(digit) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_vectors_of_rfc_4648_section_10() {
        for (octets, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
        ] {
            assert_eq!(base64(octets.as_bytes()), text);
        }
    }

    #[test]
    fn invalid_certificates() {
        for text in ["", "hello", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
            assert!(matches!(Certificate::from_pem(text), Err(Error::NoCertificate { .. })), "{text}");
        }
    }
}
