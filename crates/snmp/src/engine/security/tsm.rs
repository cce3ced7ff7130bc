//! The Transport Security Model (RFC 5591): the session has authenticated the peer and protects its contents; the
//! message itself carries no security parameters.

use crate::engine::{Engine, SecurityName, SecurityNameError, TransportDomain, TransportState};
use crate::wire::{MsgData, ScopedPduRef, V3MessageRef};
use crate::{Counters, SecurityLevel};

/// Why the Transport Security Model refuses a message.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TsmFailure {
    /// snmpInASNParseErrs: msgSecurityParameters must be empty (RFC 5591 section 3.3.1).
    #[error("expected empty security parameters, found {found} octets")]
    Parameters {
        /// How many octets they have.
        found: usize,
    },
    /// snmpInASNParseErrs: msgData is never encrypted, the session is (RFC 5591 section 3.3.2).
    #[error("encrypted, although the session already encrypts")]
    Encrypted,
    /// snmpTsmInvalidCaches, step 2: it arrived over a transport that does not authenticate the peer.
    #[error("security model 4 (Transport) outside a secure session")]
    NoSession,
    /// snmpTsmInadequateSecurityLevels, step 4.
    #[error(transparent)]
    InadequateLevel(#[from] InadequateLevel),
}

/// A message requests a higher level than its session has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the session provides {found}, but {expected} is requested")]
pub struct InadequateLevel {
    /// The message's level.
    pub expected: SecurityLevel,
    /// The session's.
    pub found: SecurityLevel,
}

impl InadequateLevel {
    /// Whether a session of the level `found` is good enough.
    pub(crate) fn check(expected: SecurityLevel, found: SecurityLevel) -> Result<(), Self> {
        if expected > found { Err(InadequateLevel { expected, found }) } else { Ok(()) }
    }
}

/// processIncomingMsg (RFC 5591 section 5.2): the principal for access control, and the scoped PDU.
pub(in crate::engine) fn process_incoming_msg<'m>(
    engine: &Engine,
    message: &V3MessageRef<'m>,
    level: SecurityLevel,
    over: Option<&'m TransportState>,
) -> Result<(&'m [u8], ScopedPduRef<'m>), TsmFailure> {
    let found = message.security_parameters().len();
    if found != 0 {
        return Err(TsmFailure::Parameters { found });
    }
    let MsgData::Plain(scoped) = message.data else { return Err(TsmFailure::Encrypted) };
    // Step 2.
    let state = over.filter(|state| state.domain().is_secure()).ok_or(TsmFailure::NoSession)?;
    // Step 3: every domain that is secure has a prefix of 1 to 4 octets, so that neither counter goes up.
    let security_name = state.security_name(engine.uses_prefix());
    // Step 4.
    InadequateLevel::check(level, state.level())?;
    Ok((security_name, scoped))
}

/// A security name does not belong to this transport.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TransportNameError {
    /// snmpTsmUnknownPrefixes.
    #[error("no prefix of security names is registered for {domain}")]
    UnknownPrefix {
        /// The transport.
        domain: TransportDomain,
    },
    /// snmpTsmInvalidPrefixes.
    #[error("expected a security name that begins with \"{expected}:\"")]
    InvalidPrefix {
        /// The transport's prefix.
        expected: &'static str,
    },
    /// It is too long, or nothing.
    #[error(transparent)]
    Name(#[from] SecurityNameError),
}

impl Engine {
    /// The tmSecurityName of a peer over this transport (RFC 5591 section 4.2 step 2): the security name, without
    /// the prefix that it must have if the engine uses prefixes. For choosing or opening a session.
    ///
    /// # Errors
    /// [`TransportNameError`], counted.
    pub fn transport_name(
        &self,
        domain: TransportDomain,
        security_name: &[u8],
        counters: &Counters,
    ) -> Result<SecurityName, TransportNameError> {
        if !self.uses_prefix() {
            return Ok(SecurityName::new(security_name)?);
        }
        let Some(expected) = domain.prefix() else {
            counters.tsm_unknown_prefixes.add(1);
            return Err(TransportNameError::UnknownPrefix { domain });
        };
        let rest = security_name.strip_prefix(expected.as_bytes()).and_then(|rest| rest.strip_prefix(b":"));
        let Some(name) = rest else {
            counters.tsm_invalid_prefixes.add(1);
            return Err(TransportNameError::InvalidPrefix { expected });
        };
        Ok(SecurityName::new(name)?)
    }
}
