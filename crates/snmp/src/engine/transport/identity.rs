//! Whether a certificate belongs to the expected server, by name (RFC 6353 section 5.3.1,
//! snmpTlstmAddrServerIdentity).

use std::net::IpAddr;

use x509_parser::prelude::GeneralName;

use super::certificate::read;

/// Why a certificate is not the wanted server's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum IdentityError {
    /// It is not an X.509 certificate, or its names cannot be read.
    #[error("the server's certificate cannot be read")]
    Unreadable,
    /// The wanted name has other characters than ASCII: it must be given as it is in the DNS (RFC 5890).
    #[error("the server's name must be in ASCII, as xn--...")]
    NotAscii,
    /// It names others.
    #[error("expected a certificate for {expected}, found one for {}", listed(found))]
    Different {
        /// The expected server.
        expected: String,
        /// dNSNames and iPAddresses of the certificate.
        found: Vec<String>,
    },
}

fn listed(names: &[String]) -> String {
    if names.is_empty() { "no host".into() } else { names.join(", ") }
}

/// Whether a certificate that was verified is for this host: by one of its dNSNames, where `*` may stand for the
/// leftmost label, or, if `identity` is an IP address, one of its iPAddresses. The CommonName is not looked at, as
/// the RFC allows. `der` is the server's own certificate.
///
/// # Errors
/// [`IdentityError`].
pub fn check_server_identity(identity: &str, der: &[u8]) -> Result<(), IdentityError> {
    if !identity.is_ascii() {
        return Err(IdentityError::NotAscii);
    }
    let certificate = read(der).ok_or(IdentityError::Unreadable)?;
    let names = certificate.subject_alternative_name().map_err(|_| IdentityError::Unreadable)?;
    let names = names.map(|extension| &extension.value.general_names[..]).unwrap_or_default();
    let wanted: Option<IpAddr> = identity.parse().ok();
    let mut found = Vec::new();
    for name in names {
        let (is_wanted, text) = match name {
            GeneralName::DNSName(presented) => {
                (wanted.is_none() && is_same_host(presented, identity), (*presented).to_owned())
            }
            GeneralName::IPAddress(octets) => match address(octets) {
                Some(address) => (wanted == Some(address), address.to_string()),
                None => continue,
            },
            _ => continue,
        };
        if is_wanted {
            return Ok(());
        }
        found.push(text);
    }
    Err(IdentityError::Different { expected: identity.to_owned(), found })
}

fn address(octets: &[u8]) -> Option<IpAddr> {
    let v4 = <[u8; 4]>::try_from(octets).map(IpAddr::from);
    v4.or_else(|_| <[u8; 16]>::try_from(octets).map(IpAddr::from)).ok()
}

/// `*.example.com` is `a.example.com`, and neither `example.com` nor `a.b.example.com`.
fn is_same_host(presented: &str, wanted: &str) -> bool {
    let whole = |name: &str| name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase();
    let (presented, wanted) = (whole(presented), whole(wanted));
    match presented.strip_prefix("*.") {
        Some(parent) if !parent.is_empty() => {
            wanted.split_once('.').is_some_and(|(label, rest)| !label.is_empty() && rest == parent)
        }
        Some(_) => false,
        None => !presented.is_empty() && presented == wanted,
    }
}
