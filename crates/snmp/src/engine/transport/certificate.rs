//! From certificates to names: from a verified chain to tmSecurityName, by the rows of snmpTlstmCertToTSNTable
//! (RFC 6353 section 7).
//!
//! The verification is not done here: a fingerprint of a CA is worth what the
//! path from it to the leaf is.

use std::net::Ipv4Addr;

use x509_parser::asn1_rs::Tag;
use x509_parser::prelude::{FromDer, GeneralName, X509Certificate};

use super::{Fingerprint, HashAlgorithm, SecurityName};

/// A row of snmpTlstmCertToTSNTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CertificateRow {
    /// snmpTlstmCertToTSNID, 1 to 2^32-1: rows are looked through in this order.
    pub id: u32,
    /// snmpTlstmCertToTSNFingerprint: of the peer's certificate, or of a CA above it.
    pub fingerprint: Fingerprint,
    /// snmpTlstmCertToTSNMapType, with snmpTlstmCertToTSNData where the type needs it.
    pub map: CertificateMap,
}

impl CertificateRow {
    /// One row for each of these authorities, given in DER: a peer with a certificate of one of them has the common name
    /// in it.
    #[must_use]
    pub fn common_names<'a>(authorities: impl IntoIterator<Item = &'a [u8]>) -> Vec<Self> {
        let row = |(id, der): (u32, &[u8])| Self {
            id,
            fingerprint: Fingerprint::of(HashAlgorithm::Sha256, der),
            map: CertificateMap::CommonName,
        };
        (1..).zip(authorities).map(row).collect()
    }
}

/// How a certificate becomes a name (RFC 6353 section 7, snmpTlstmCertToTSNMIdentities).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CertificateMap {
    /// snmpTlstmCertSpecified: the row has the name.
    Specified(SecurityName),
    /// snmpTlstmCertSANRFC822Name: the first rfc822Name, its host in lower case.
    SanRfc822Name,
    /// snmpTlstmCertSANDNSName: the first dNSName, in lower case.
    SanDnsName,
    /// snmpTlstmCertSANIpAddress: the first iPAddress, `192.0.2.7` or 32 hexadecimal digits without colons.
    SanIpAddress,
    /// snmpTlstmCertSANAny: the first of these three kinds, whichever it is, in the certificate's order.
    SanAny,
    /// snmpTlstmCertCommonName: the subject's CommonName in UTF-8. Deprecated by the RFC: names of people and of
    /// computers look alike there.
    CommonName,
}

impl CertificateMap {
    /// The value of snmpTlstmCertToTSNMapType.
    #[must_use]
    pub const fn oid(&self) -> [u32; 10] {
        let number = match self {
            CertificateMap::Specified(_) => 1,
            CertificateMap::SanRfc822Name => 2,
            CertificateMap::SanDnsName => 3,
            CertificateMap::SanIpAddress => 4,
            CertificateMap::SanAny => 5,
            CertificateMap::CommonName => 6,
        };
        [1, 3, 6, 1, 2, 1, 198, 1, 1, number]
    }

    /// The map of this snmpTlstmCertToTSNMapType; `specified` is snmpTlstmCertToTSNData, for the one that uses
    /// it. `None` for an unknown type, and if that is not a name.
    #[must_use]
    pub fn from_oid(oid: &[u32], specified: &[u8]) -> Option<Self> {
        let &[1, 3, 6, 1, 2, 1, 198, 1, 1, number] = oid else { return None };
        Some(match number {
            1 => CertificateMap::Specified(SecurityName::new(specified).ok()?),
            2 => CertificateMap::SanRfc822Name,
            3 => CertificateMap::SanDnsName,
            4 => CertificateMap::SanIpAddress,
            5 => CertificateMap::SanAny,
            6 => CertificateMap::CommonName,
            _ => return None,
        })
    }
}

/// The name of a certificate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamedPeer {
    /// The row that decided.
    pub row: u32,
    /// tmSecurityName.
    pub name: SecurityName,
}

/// Why a certificate yields no name. The session must be closed then (RFC 6353 section 5.3.2).
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CertificateNameError {
    /// The peer has presented none.
    #[error("no certificate was presented")]
    NoCertificate,
    /// It is not an X.509 certificate.
    #[error("the certificate cannot be read")]
    Unreadable,
    /// No row is about it.
    #[error("no row matches the fingerprint of the certificate or of one of its issuers")]
    NoRow,
    /// Rows match, and none yields a name.
    #[error("{}", nameless(rows))]
    NoName {
        /// These, in the order in which they were tried.
        rows: Vec<NamelessRow>,
    },
}

/// A row that matches a certificate and yields no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NamelessRow {
    /// snmpTlstmCertToTSNID.
    pub id: u32,
    /// Why.
    pub problem: NameProblem,
}

/// Why a row yields no name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NameProblem {
    /// The certificate has nothing of the kind.
    #[error("the certificate has no such name")]
    Missing,
    /// It is there and cannot be read.
    #[error("the certificate's name cannot be read")]
    Unreadable,
    /// There are several CommonNames, which is ambiguous.
    #[error("the certificate has several CommonNames")]
    Several,
    /// Not 1 to 32 octets.
    #[error("the certificate's name has {found} octets, expected 1 to 32")]
    Length {
        /// How many it has.
        found: usize,
    },
}

fn nameless(rows: &[NamelessRow]) -> String {
    let rows: Vec<String> = rows.iter().map(|row| format!("row {}: {}", row.id, row.problem)).collect();
    rows.join("; ")
}

/// tmSecurityName of a peer: of the rows whose fingerprint matches one of these certificates, the one with the
/// lowest ID that yields a name of 1 to 32 octets (RFC 6353 section 7, snmpTlstmCertToTSNTable). `chain` is the
/// verified path, the peer's own certificate first, each as DER; nothing that the peer has merely sent along.
///
/// # Errors
/// [`CertificateNameError`].
pub fn name_of_peer(
    rows: &[CertificateRow],
    chain: &[impl AsRef<[u8]>],
) -> Result<NamedPeer, CertificateNameError> {
    let leaf = chain.first().ok_or(CertificateNameError::NoCertificate)?;
    let certificate = read(leaf.as_ref()).ok_or(CertificateNameError::Unreadable)?;
    let is_about =
        |row: &&CertificateRow| chain.iter().any(|certificate| row.fingerprint.matches(certificate.as_ref()));
    let mut about: Vec<&CertificateRow> = rows.iter().filter(is_about).collect();
    about.sort_by_key(|row| row.id);
    let mut nameless = Vec::new();
    for row in about {
        match mapped(&row.map, &certificate) {
            Ok(name) => return Ok(NamedPeer { row: row.id, name }),
            Err(problem) => nameless.push(NamelessRow { id: row.id, problem }),
        }
    }
    if nameless.is_empty() {
        return Err(CertificateNameError::NoRow);
    }
    Err(CertificateNameError::NoName { rows: nameless })
}

/// A certificate with nothing after it.
pub(super) fn read(der: &[u8]) -> Option<X509Certificate<'_>> {
    match X509Certificate::from_der(der) {
        Ok(([], certificate)) => Some(certificate),
        _ => None,
    }
}

fn mapped(map: &CertificateMap, certificate: &X509Certificate<'_>) -> Result<SecurityName, NameProblem> {
    let name = match map {
        CertificateMap::Specified(name) => return Ok(*name),
        CertificateMap::CommonName => common_name(certificate)?,
        CertificateMap::SanRfc822Name => alternative_name(certificate, &[Kind::Rfc822])?,
        CertificateMap::SanDnsName => alternative_name(certificate, &[Kind::Dns])?,
        CertificateMap::SanIpAddress => alternative_name(certificate, &[Kind::Ip])?,
        CertificateMap::SanAny => alternative_name(certificate, &[Kind::Rfc822, Kind::Dns, Kind::Ip])?,
    };
    SecurityName::new(name.as_bytes()).map_err(|error| NameProblem::Length { found: error.found })
}

/// The kinds of GeneralName that name a principal, by their tag (RFC 5280 section 4.2.1.6).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Rfc822 = 1,
    Dns = 2,
    Ip = 7,
}

impl Kind {
    fn of(name: &GeneralName<'_>) -> Option<Self> {
        match name {
            GeneralName::RFC822Name(_) => Some(Kind::Rfc822),
            GeneralName::DNSName(_) => Some(Kind::Dns),
            GeneralName::IPAddress(_) => Some(Kind::Ip),
            GeneralName::Invalid(tag, _) => {
                [Kind::Rfc822, Kind::Dns, Kind::Ip].into_iter().find(|kind| Tag(*kind as u32) == *tag)
            }
            _ => None,
        }
    }
}

/// The first subjectAltName of these kinds.
fn alternative_name(certificate: &X509Certificate<'_>, kinds: &[Kind]) -> Result<String, NameProblem> {
    let names = certificate.subject_alternative_name().map_err(|_| NameProblem::Unreadable)?;
    let names = names.map(|extension| &extension.value.general_names[..]).unwrap_or_default();
    let first = names.iter().find(|name| Kind::of(name).is_some_and(|kind| kinds.contains(&kind)));
    match first.ok_or(NameProblem::Missing)? {
        // IA5String has ASCII alone.
        GeneralName::RFC822Name(name) | GeneralName::DNSName(name) if !name.is_ascii() => {
            Err(NameProblem::Unreadable)
        }
        GeneralName::RFC822Name(name) => Ok(match name.rsplit_once('@') {
            Some((local, host)) => format!("{local}@{}", host.to_ascii_lowercase()),
            None => (*name).to_owned(),
        }),
        GeneralName::DNSName(name) => Ok(name.to_ascii_lowercase()),
        GeneralName::IPAddress(octets) => match (<[u8; 4]>::try_from(*octets), octets.len()) {
            (Ok(octets), _) => Ok(Ipv4Addr::from(octets).to_string()),
            (_, 16) => Ok(octets.iter().map(|octet| format!("{octet:02x}")).collect()),
            _ => Err(NameProblem::Unreadable),
        },
        _ => Err(NameProblem::Unreadable),
    }
}

/// The subject's CommonName in UTF-8, from any kind of DirectoryString except TeletexString, whose character set
/// is undefined in practice.
fn common_name(certificate: &X509Certificate<'_>) -> Result<String, NameProblem> {
    let mut names = certificate.subject().iter_common_name();
    let name = names.next().ok_or(NameProblem::Missing)?;
    if names.next().is_some() {
        return Err(NameProblem::Several);
    }
    let value = name.attr_value();
    let text = match value.tag() {
        Tag::BmpString => {
            let units = value.data.chunks(2).map(|unit| <[u8; 2]>::try_from(unit).map(u16::from_be_bytes));
            let units = units.collect::<Result<Vec<u16>, _>>().map_err(|_| NameProblem::Unreadable)?;
            String::from_utf16(&units).ok()
        }
        Tag::UniversalString => {
            let units = value.data.chunks(4).map(|unit| {
                let code = <[u8; 4]>::try_from(unit).ok().map(u32::from_be_bytes)?;
                char::from_u32(code)
            });
            units.collect()
        }
        _ => name.as_str().ok().map(str::to_owned),
    };
    text.ok_or(NameProblem::Unreadable)
}
