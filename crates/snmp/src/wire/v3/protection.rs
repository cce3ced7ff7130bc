//! What protects a message that is about to be written: the sender's keys, and
//! salts that never come twice.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::SecurityLevel;
use crate::usm::{AuthKey, PrivKey, User};

/// The level of a message and the keys that it needs: there is no level without its keys.
#[derive(Clone, Debug)]
pub struct Protection(Keys);

#[derive(Clone, Debug)]
enum Keys {
    None,
    Auth(AuthKey),
    AuthPriv(AuthKey, PrivKey),
}

/// A user does not have the keys for a level: usmStatsUnsupportedSecLevels, or the error indication
/// unsupportedSecurityLevel (RFC 3414 sections 3.1 steps 2 and 3, 3.2 step 5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the user has no keys for {expected}, only for {found}")]
pub struct UnsupportedLevel {
    /// The requested level.
    pub expected: SecurityLevel,
    /// The best that the user's keys allow.
    pub found: SecurityLevel,
}

impl Protection {
    /// No protection: noAuthNoPriv.
    pub const NONE: Protection = Protection(Keys::None);

    /// A user's keys for this level. They must be localised to the engine that is authoritative for the message.
    ///
    /// # Errors
    /// The user does not have the keys for it.
    pub fn new(user: &User, level: SecurityLevel) -> Result<Self, UnsupportedLevel> {
        match (level, user.auth(), user.privacy()) {
            (SecurityLevel::NoAuthNoPriv, ..) => Ok(Protection(Keys::None)),
            (SecurityLevel::AuthNoPriv, Some(auth), _) => Ok(Protection(Keys::Auth(auth.clone()))),
            (SecurityLevel::AuthPriv, Some(auth), Some(privacy)) => {
                Ok(Protection(Keys::AuthPriv(auth.clone(), privacy.clone())))
            }
            (expected, auth, _) => {
                let found =
                    if auth.is_some() { SecurityLevel::AuthNoPriv } else { SecurityLevel::NoAuthNoPriv };
                Err(UnsupportedLevel { expected, found })
            }
        }
    }

    /// The level.
    pub fn level(&self) -> SecurityLevel {
        match self.0 {
            Keys::None => SecurityLevel::NoAuthNoPriv,
            Keys::Auth(_) => SecurityLevel::AuthNoPriv,
            Keys::AuthPriv(..) => SecurityLevel::AuthPriv,
        }
    }

    pub(super) fn auth(&self) -> Option<&AuthKey> {
        match &self.0 {
            Keys::None => None,
            Keys::Auth(auth) | Keys::AuthPriv(auth, ..) => Some(auth),
        }
    }

    /// The keys of a message that is encrypted, which is signed too.
    pub(super) fn both(&self) -> Option<(&AuthKey, &PrivKey)> {
        match &self.0 {
            Keys::None | Keys::Auth(_) => None,
            Keys::AuthPriv(auth, privacy) => Some((auth, privacy)),
        }
    }

    pub(super) fn privacy(&self) -> Option<&PrivKey> {
        match &self.0 {
            Keys::None | Keys::Auth(_) => None,
            Keys::AuthPriv(_, privacy) => Some(privacy),
        }
    }
}

/// The counter from which salts are made, for all users of an engine and all threads: no number repeats (RFC 3414
/// section 8.1.1.1, RFC 3826 section 3.1.4.1).
#[derive(Debug)]
pub struct Salts(AtomicU64);

impl Salts {
    /// A counter that starts at a random number, so that a restart repeats nothing.
    pub const fn new(random: u64) -> Self {
        Salts(AtomicU64::new(random))
    }

    /// The next number.
    pub fn next(&self) -> u64 {
        self.0.fetch_add(1, Ordering::Relaxed)
    }
}
