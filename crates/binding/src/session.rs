//! What a transport proved of a peer when their session began, in the words of SNMP's engine (RFC 5590 section 5.2):
//! for agents, and for managers that listen for notifications.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::transport::CertificateNameError;
use trunkline_snmp::engine::{SecurityName, TransportDomain, TransportState};
use trunkline_transport::{Proof, Protection, Refused, SessionInfo, Transport};

/// tmStateReference of a session: none where nothing was proved. `name_of` knows which chain of certificates is who.
///
/// # Errors
/// The peer has proved to be nobody we know; the log says so.
pub fn peer_of(
    info: &SessionInfo,
    name_of: impl FnOnce(&[Vec<u8>]) -> Result<SecurityName, CertificateNameError>,
) -> Result<Option<TransportState>, Refused> {
    let name = match &info.proof {
        Proof::Nothing => return Ok(None),
        Proof::User(name) => SecurityName::new(name.as_bytes()).map_err(|error| {
            tracing::info!(peer = %info.peer, %error, "no session with the SSH user {name:?}");
            Refused
        })?,
        Proof::Certificates(chain) => name_of(chain).map_err(|error| {
            tracing::info!(peer = %info.peer, %error, "session refused: no principal for this certificate");
            Refused
        })?,
    };
    Ok(Some(named(info, name)))
}

/// tmStateReference of a session whose peer has this name.
#[must_use]
pub fn named(info: &SessionInfo, name: SecurityName) -> TransportState {
    let id = NEXT_SESSION.fetch_add(1, Relaxed);
    TransportState::new(domain(info.transport), name, level(info.protection), id)
}

/// tmTransportDomain: the transport in the engine's words.
#[must_use]
pub const fn domain(transport: Transport) -> TransportDomain {
    match transport {
        Transport::Udp => TransportDomain::Udp,
        Transport::Tcp | Transport::Http => TransportDomain::Tcp,
        Transport::Tls | Transport::Https => TransportDomain::Tls,
        Transport::Dtls => TransportDomain::Dtls,
        Transport::Ssh => TransportDomain::Ssh,
    }
}

/// tmTransportSecurityLevel: what a session gives to every message.
#[must_use]
pub const fn level(protection: Protection) -> SecurityLevel {
    match protection {
        Protection::None => SecurityLevel::NoAuthNoPriv,
        Protection::Integrity => SecurityLevel::AuthNoPriv,
        Protection::Encrypted => SecurityLevel::AuthPriv,
    }
}

/// tmSessionID: no two sessions of the process have the same.
static NEXT_SESSION: AtomicU64 = AtomicU64::new(1);

#[cfg(test)]
mod tests {
    use super::*;

    fn session(transport: Transport, proof: Proof, protection: Protection) -> SessionInfo {
        let here = ([127, 0, 0, 1], 0).into();
        SessionInfo { proof, protection, ..SessionInfo::plain(transport, here, here) }
    }

    fn joe() -> Result<SecurityName, CertificateNameError> {
        Ok(SecurityName::new(b"joe").unwrap())
    }

    #[test]
    fn what_was_proved_is_a_name_at_a_level_in_a_domain() {
        let user = session(Transport::Ssh, Proof::User("ann".into()), Protection::Encrypted);
        let chain = Proof::Certificates([b"joe's".to_vec()].into());
        let certificate = session(Transport::Dtls, chain, Protection::Integrity);
        let state = |info| peer_of(&info, |_| joe()).unwrap().unwrap();
        let (ann, joe) = (state(user), state(certificate));
        let read = |state: &TransportState| (state.domain(), state.level(), state.name().to_string());
        assert_eq!(read(&ann), (TransportDomain::Ssh, SecurityLevel::AuthPriv, "ann".into()));
        assert_eq!(read(&joe), (TransportDomain::Dtls, SecurityLevel::AuthNoPriv, "joe".into()));
        assert_ne!(ann.session_id(), joe.session_id());
    }

    #[test]
    fn who_proved_nothing_is_nobody_and_who_has_no_name_is_refused() {
        let plain = session(Transport::Tcp, Proof::Nothing, Protection::None);
        assert_eq!(peer_of(&plain, |_| joe()), Ok(None));
        let long = session(Transport::Ssh, Proof::User("a".repeat(33).into()), Protection::Encrypted);
        assert_eq!(peer_of(&long, |_| joe()), Err(Refused));
        let chain = Proof::Certificates([b"nobody's".to_vec()].into());
        let stranger = session(Transport::Tls, chain, Protection::Encrypted);
        assert_eq!(peer_of(&stranger, |_| Err(CertificateNameError::NoCertificate)), Err(Refused));
    }
}
