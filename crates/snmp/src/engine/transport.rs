//! What the transport subsystem knows about a message over an authenticated session (RFC 5590): tmStateReference.
//! The transport creates it once when a session opens; the Transport Security Model trusts it.
//!
//! | part | what it is | standing on |
//! | --- | --- | --- |
//! | `certificate` | from a certificate that was verified to tmSecurityName | RFC 6353 sections 5.3.2 and 7 |
//! | `fingerprint` | certificates named by their hash | RFC 6353 section 7, RFC 9456 |
//! | `identity` | whether a certificate is the server's that was wanted | RFC 6353 section 5.3.1 |

mod certificate;
mod fingerprint;
mod identity;

use std::fmt;

pub use certificate::{
    CertificateMap, CertificateNameError, CertificateRow, NameProblem, NamedPeer, NamelessRow, name_of_peer,
};
pub use fingerprint::{Fingerprint, FingerprintError, HashAlgorithm};
pub use identity::{IdentityError, check_server_identity};

use crate::SecurityLevel;

/// By which transport messages come and go (RFC 5590 section 7, SnmpTDomain's values).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TransportDomain {
    /// UDP (RFC 3417).
    Udp,
    /// TCP (RFC 3430).
    Tcp,
    /// TLS over TCP (RFC 6353).
    Tls,
    /// DTLS over UDP (RFC 6353).
    Dtls,
    /// SSH (RFC 5592).
    Ssh,
}

impl TransportDomain {
    /// All.
    pub const ALL: [TransportDomain; 5] = [
        TransportDomain::Udp,
        TransportDomain::Tcp,
        TransportDomain::Tls,
        TransportDomain::Dtls,
        TransportDomain::Ssh,
    ];

    /// Its name in lower case.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            TransportDomain::Udp => "udp",
            TransportDomain::Tcp => "tcp",
            TransportDomain::Tls => "tls",
            TransportDomain::Dtls => "dtls",
            TransportDomain::Ssh => "ssh",
        }
    }

    /// The part before the colon of a security name if [`Engine::set_use_prefix`](super::Engine::set_use_prefix)
    /// is on: IANA's registry of SNMP transport domains, which has none for TCP.
    #[must_use]
    pub const fn prefix(self) -> Option<&'static str> {
        match self {
            TransportDomain::Tcp => None,
            domain => Some(domain.name()),
        }
    }

    /// The value of TDomain: snmpUDPDomain, transportDomainTcpIpv4 (RFC 3419), snmpTLSTCPDomain,
    /// snmpDTLSUDPDomain, snmpSSHDomain.
    #[must_use]
    pub const fn oid(self) -> &'static [u32] {
        match self {
            TransportDomain::Udp => &[1, 3, 6, 1, 6, 1, 1],
            TransportDomain::Tcp => &[1, 3, 6, 1, 2, 1, 100, 1, 5],
            TransportDomain::Ssh => &[1, 3, 6, 1, 6, 1, 7],
            TransportDomain::Tls => &[1, 3, 6, 1, 6, 1, 8],
            TransportDomain::Dtls => &[1, 3, 6, 1, 6, 1, 9],
        }
    }

    /// Whether its sessions authenticate the peer. Over the others the Transport Security Model accepts nothing.
    #[must_use]
    pub const fn is_secure(self) -> bool {
        matches!(self, TransportDomain::Tls | TransportDomain::Dtls | TransportDomain::Ssh)
    }
}

impl fmt::Display for TransportDomain {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// tmSecurityName: a transport's name for an authenticated peer; 1 to 32 octets, as many as access control
/// supports (RFC 5590 section 5.2, RFC 6353 section 7). Copied, not shared: it is small.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SecurityName {
    octets: [u8; MAX_SECURITY_NAME],
    length: u8,
}

/// The most octets of a [`SecurityName`].
pub const MAX_SECURITY_NAME: usize = 32;

/// A security name does not have 1 to 32 octets.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a security name of 1 to {MAX_SECURITY_NAME} octets, found {found}")]
pub struct SecurityNameError {
    /// How many it has.
    pub found: usize,
}

impl SecurityName {
    /// A name of these octets.
    ///
    /// # Errors
    /// Not 1 to 32 octets.
    pub fn new(name: &[u8]) -> Result<Self, SecurityNameError> {
        if !(1..=MAX_SECURITY_NAME).contains(&name.len()) {
            return Err(SecurityNameError { found: name.len() });
        }
        let mut octets = [0; MAX_SECURITY_NAME];
        octets[..name.len()].copy_from_slice(name);
        Ok(SecurityName { octets, length: name.len() as u8 })
    }

    /// The octets.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.octets[..usize::from(self.length)]
    }
}

impl fmt::Display for SecurityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.as_bytes().escape_ascii())
    }
}

impl fmt::Debug for SecurityName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SecurityName({self})")
    }
}

/// tmStateReference (RFC 5590 section 5.2): the session that a message came over. Holds no secrets. Which
/// addresses the session has, and that answers go over the same one (tmSameSecurity), the transport knows itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TransportState {
    domain: TransportDomain,
    name: SecurityName,
    /// The name with the domain's prefix.
    prefixed: Box<[u8]>,
    level: SecurityLevel,
    session_id: u64,
}

impl TransportState {
    /// A session of this transport with this peer. `level` is tmTransportSecurityLevel, which applies to every
    /// message of the session: authPriv, or authNoPriv with a cipher suite that does not encrypt. `session_id` is
    /// tmSessionID, the transport's own number, which no other session of the process has.
    #[must_use]
    pub fn new(domain: TransportDomain, name: SecurityName, level: SecurityLevel, session_id: u64) -> Self {
        let prefix = domain.prefix().unwrap_or_default().as_bytes();
        let prefixed = [prefix, b":", name.as_bytes()].concat().into();
        TransportState { domain, name, prefixed, level, session_id }
    }

    /// tmTransportDomain.
    #[must_use]
    pub fn domain(&self) -> TransportDomain {
        self.domain
    }

    /// tmSecurityName.
    #[must_use]
    pub fn name(&self) -> &SecurityName {
        &self.name
    }

    /// tmTransportSecurityLevel.
    #[must_use]
    pub fn level(&self) -> SecurityLevel {
        self.level
    }

    /// tmSessionID.
    #[must_use]
    pub fn session_id(&self) -> u64 {
        self.session_id
    }

    /// securityName: what the access control knows the peer by, with the transport's prefix (`tls:joe`) or
    /// without (RFC 5591 section 5.2 step 3).
    #[must_use]
    pub fn security_name(&self, with_prefix: bool) -> &[u8] {
        if with_prefix { &self.prefixed } else { self.name.as_bytes() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_1_to_32_octets() {
        for length in [1, 32] {
            assert_eq!(SecurityName::new(&vec![b'n'; length]).unwrap().as_bytes(), vec![b'n'; length]);
        }
        for found in [0, 33] {
            assert_eq!(SecurityName::new(&vec![b'n'; found]), Err(SecurityNameError { found }));
        }
        assert_eq!(format!("{:?}", SecurityName::new(b"j\xf6e").unwrap()), r"SecurityName(j\xf6e)");
    }

    #[test]
    fn every_domain_has_its_own_identifier_and_secure_ones_a_prefix() {
        for (at, domain) in TransportDomain::ALL.into_iter().enumerate() {
            let others = &TransportDomain::ALL[..at];
            assert!(others.iter().all(|other| other.oid() != domain.oid() && other.name() != domain.name()));
            assert!(
                !domain.is_secure() || domain.prefix().is_some_and(|prefix| (1..=4).contains(&prefix.len()))
            );
        }
    }

    #[test]
    fn the_prefix_is_before_a_colon() {
        let name = SecurityName::new(b"joe").unwrap();
        let state = TransportState::new(TransportDomain::Dtls, name, SecurityLevel::AuthPriv, 7);
        assert_eq!((state.security_name(true), state.security_name(false)), (&b"dtls:joe"[..], &b"joe"[..]));
    }
}
