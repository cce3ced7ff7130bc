//! The User-based Security Model for incoming messages: engine, user, level, authenticity, timeliness,
//! decryption, in this order (RFC 3414 section 3.2). Outgoing messages are encrypted and signed while they are
//! written: `wire::v3::header`.

use std::sync::Arc;
use std::time::Instant;

use crate::engine::Engine;
use crate::usm::{AuthenticationError, NotInTimeWindow, PrivacyError, User};
use crate::wire::{MsgData, ScopedPduRef, UnsupportedLevel, UsmParametersRef, V3MessageRef};
use crate::{DecodeError, SecurityLevel};

/// Why the User-based Security Model refuses a message. It determines what is counted, and the contents of a
/// Report.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UsmFailure {
    /// snmpInASNParseErrs, step 1: msgSecurityParameters is invalid.
    #[error(transparent)]
    Malformed(DecodeError),
    /// usmStatsUnknownEngineIDs, step 3: how managers learn our engine ID.
    #[error("unknown authoritative engine")]
    UnknownEngineId,
    /// usmStatsUnknownUserNames, step 4.
    #[error("unknown user")]
    UnknownUserName,
    /// usmStatsUnsupportedSecLevels, step 5.
    #[error(transparent)]
    UnsupportedLevel(UnsupportedLevel),
    /// usmStatsWrongDigests, step 6.
    #[error(transparent)]
    WrongDigest(AuthenticationError),
    /// usmStatsNotInTimeWindows, step 7a: we are authoritative.
    #[error("outside the time window: {0}")]
    NotInTimeWindow(NotInTimeWindow),
    /// Step 7b: the sender is authoritative, and its message is old. Nothing is counted.
    #[error("outside the time window of the sender's clock: {0}")]
    NotInSendersTimeWindow(NotInTimeWindow),
    /// usmStatsDecryptionErrors, step 8: the octets or the salt cannot be of this cipher.
    #[error(transparent)]
    Undecryptable(PrivacyError),
    /// usmStatsDecryptionErrors: the decrypted octets are not a scoped PDU, so the key must be wrong. Strictly,
    /// this is a parse error of step 7 in RFC 3412 section 7.2, without an answer; but nothing else can produce
    /// garbage under a valid digest, and a user with a wrong privacy password should learn it.
    #[error("decryption failed, the privacy key may be wrong: {0}")]
    DecryptedToNoise(DecodeError),
    /// usmStatsDecryptionErrors: the message claims to be encrypted, and is not.
    #[error("not encrypted, although msgFlags has privFlag")]
    NotEncrypted,
    /// snmpInASNParseErrs: the message does not say that it is encrypted, and is.
    #[error("encrypted, although msgFlags lacks privFlag")]
    Encrypted,
}

/// A message that came through.
pub(in crate::engine) struct Accepted<'m> {
    pub user: Arc<User>,
    pub scoped: ScopedPduRef<'m>,
}

/// A message that did not.
pub(in crate::engine) struct Refused {
    pub failure: UsmFailure,
    /// Its sender, once authenticated.
    pub user: Option<Arc<User>>,
}

/// processIncomingMsg (RFC 3414 section 3.2) for a message of this level, whose parameters were found to be
/// well-formed: from step 3 on.
pub(in crate::engine) fn process_incoming_msg<'m>(
    engine: &Engine,
    octets: &[u8],
    message: &V3MessageRef<'m>,
    parameters: &UsmParametersRef<'m>,
    level: SecurityLevel,
    scratch: &'m mut Vec<u8>,
    now: Instant,
) -> Result<Accepted<'m>, Refused> {
    let refused = |failure| Refused { failure, user: None };
    // Steps 3 and 4.
    let user = engine.user_of(octets, parameters, level).map_err(refused)?;
    // Steps 5 and 6.
    authenticate(octets, parameters, &user, level).map_err(refused)?;
    let refused = |failure| Refused { failure, user: Some(Arc::clone(&user)) };
    // Step 7.
    if level.is_authenticated() {
        engine.check_timeliness(parameters, &user, now).map_err(refused)?;
    }
    // Step 8.
    let scoped = read_scoped_pdu(message, parameters, &user, level, scratch).map_err(refused)?;
    Ok(Accepted { user, scoped })
}

/// Whether the user has keys for the level and, if the level requires it, signed the message (RFC 3414 section
/// 3.2 steps 5 and 6).
pub(crate) fn authenticate(
    octets: &[u8],
    parameters: &UsmParametersRef<'_>,
    user: &User,
    level: SecurityLevel,
) -> Result<(), UsmFailure> {
    let found = match (user.auth(), user.privacy()) {
        (None, _) => SecurityLevel::NoAuthNoPriv,
        (Some(_), None) => SecurityLevel::AuthNoPriv,
        (Some(_), Some(_)) => SecurityLevel::AuthPriv,
    };
    if level > found {
        return Err(UsmFailure::UnsupportedLevel(UnsupportedLevel { expected: level, found }));
    }
    match user.auth() {
        Some(key) if level.is_authenticated() => {
            key.verify(octets, parameters.authentication_range()).map_err(UsmFailure::WrongDigest)
        }
        _ => Ok(()),
    }
}

/// The scoped PDU, decrypted into `scratch` if the level requires it (RFC 3414 section 3.2 step 8). The user has
/// the keys for the level.
pub(crate) fn read_scoped_pdu<'m>(
    message: &V3MessageRef<'m>,
    parameters: &UsmParametersRef<'_>,
    user: &User,
    level: SecurityLevel,
    scratch: &'m mut Vec<u8>,
) -> Result<ScopedPduRef<'m>, UsmFailure> {
    let (encrypted, key) = match (message.data, level.is_encrypted(), user.privacy()) {
        (MsgData::Plain(scoped), false, _) => return Ok(scoped),
        (MsgData::Encrypted(octets), true, Some(key)) => (octets, key),
        (MsgData::Encrypted(_), false, _) => return Err(UsmFailure::Encrypted),
        (_, true, _) => return Err(UsmFailure::NotEncrypted),
    };
    scratch.clear();
    scratch.extend_from_slice(encrypted);
    key.decrypt(parameters.moment, parameters.privacy, scratch).map_err(UsmFailure::Undecryptable)?;
    ScopedPduRef::decode(scratch, key.most_padding()).map_err(UsmFailure::DecryptedToNoise)
}
