//! A user and its keys: a row of usmUserTable (RFC 3414 sections 2.1 and 5).

use super::{AuthKey, EngineId, PrivKey, UserError};
use crate::SecurityLevel;

/// A user at one engine. A value: changing it means putting a changed one into the table.
#[derive(Clone, Debug)]
pub struct User {
    engine_id: EngineId,
    name: Box<[u8]>,
    security_name: Box<[u8]>,
    auth: Option<AuthKey>,
    privacy: Option<PrivKey>,
    /// usmUserPublic, 0 to 32 octets: a manager writes it to see whether its key change arrived. Not secret.
    pub public: Vec<u8>,
    /// usmUserStorageType.
    pub storage: StorageType,
    /// usmUserStatus. Messages are only matched with active users.
    pub status: RowStatus,
}

/// StorageType (RFC 2579): how long a row lives, and whether it may be changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum StorageType {
    /// Something else.
    Other = 1,
    /// Lost with the process.
    Volatile = 2,
    /// Kept.
    NonVolatile = 3,
    /// Kept; may be changed but not deleted.
    Permanent = 4,
    /// Kept; may be neither changed nor deleted.
    ReadOnly = 5,
}

impl StorageType {
    /// The type with this number.
    #[must_use]
    pub const fn from_number(number: i32) -> Option<StorageType> {
        match number {
            1 => Some(StorageType::Other),
            2 => Some(StorageType::Volatile),
            3 => Some(StorageType::NonVolatile),
            4 => Some(StorageType::Permanent),
            5 => Some(StorageType::ReadOnly),
            _ => None,
        }
    }
}

/// The states of a row (RowStatus, RFC 2579); values that only request a state are not here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum RowStatus {
    /// In use.
    Active = 1,
    /// Complete, and out of use.
    NotInService = 2,
    /// Something is still missing: a row that has not been cloned yet.
    NotReady = 3,
}

/// The most octets of usmUserName.
const MAX_NAME: usize = 32;

/// The most octets of an SnmpAdminString.
const MAX_SECURITY_NAME: usize = 255;

impl User {
    /// A user without authentication and privacy, active, kept, whose security name is the name.
    ///
    /// # Errors
    /// A name of no or more than 32 octets.
    pub fn new(engine_id: EngineId, name: &[u8]) -> Result<User, UserError> {
        if !(1..=MAX_NAME).contains(&name.len()) {
            return Err(UserError::NameLength { found: name.len() });
        }
        Ok(User {
            engine_id,
            name: name.into(),
            security_name: name.into(),
            auth: None,
            privacy: None,
            public: Vec::new(),
            storage: StorageType::NonVolatile,
            status: RowStatus::Active,
        })
    }

    /// The same user with these keys.
    ///
    /// # Errors
    /// Privacy without authentication.
    pub fn with_keys(self, auth: Option<AuthKey>, privacy: Option<PrivKey>) -> Result<User, UserError> {
        if privacy.is_some() && auth.is_none() {
            return Err(UserError::PrivacyWithoutAuthentication);
        }
        Ok(User { auth, privacy, ..self })
    }

    /// The same user with another security name.
    ///
    /// # Errors
    /// More than 255 octets.
    pub fn with_security_name(self, security_name: &[u8]) -> Result<User, UserError> {
        if security_name.len() > MAX_SECURITY_NAME {
            return Err(UserError::SecurityNameLength { found: security_name.len() });
        }
        Ok(User { security_name: security_name.into(), ..self })
    }

    /// The same user, stored otherwise.
    #[must_use]
    pub fn with_storage(self, storage: StorageType) -> User {
        User { storage, ..self }
    }

    /// The engine at which the keys are good: usmUserEngineID.
    #[must_use]
    pub fn engine_id(&self) -> &EngineId {
        &self.engine_id
    }

    /// usmUserName: what messages call the user, 1 to 32 octets.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// usmUserSecurityName: what the access policy calls the user.
    #[must_use]
    pub fn security_name(&self) -> &[u8] {
        &self.security_name
    }

    /// The key for authentication, if the user can be authenticated.
    #[must_use]
    pub fn auth(&self) -> Option<&AuthKey> {
        self.auth.as_ref()
    }

    /// The key for privacy, if the user's messages can be encrypted.
    #[must_use]
    pub fn privacy(&self) -> Option<&PrivKey> {
        self.privacy.as_ref()
    }

    /// The highest level of security the user's messages can have.
    #[must_use]
    pub fn level(&self) -> SecurityLevel {
        match (&self.auth, &self.privacy) {
            (None, _) => SecurityLevel::NoAuthNoPriv,
            (Some(_), None) => SecurityLevel::AuthNoPriv,
            (Some(_), Some(_)) => SecurityLevel::AuthPriv,
        }
    }

    /// Whether the row is in use.
    #[must_use]
    pub fn is_active(&self) -> bool {
        self.status == RowStatus::Active
    }
}
