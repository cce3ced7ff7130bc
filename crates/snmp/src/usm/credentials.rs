//! A user whose engine is not known yet: the initial state of a manager, or of a target of informs.

use super::{AuthKey, AuthProtocol, EngineId, KeyError, MasterKey, PrivKey, PrivProtocol, User, UserError};
use crate::SecurityLevel;

/// A name and keys that are valid for every engine. Deriving each key from a password hashes a mebibyte;
/// [`Credentials::localize`] is fast, except with Reeder's extension.
#[derive(Clone, Debug)]
pub struct Credentials {
    name: Vec<u8>,
    auth: Option<MasterKey>,
    privacy: Option<(PrivProtocol, MasterKey)>,
}

/// Why credentials do not yield a user.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialsError {
    /// The name, or privacy without authentication.
    #[error(transparent)]
    User(#[from] UserError),
    /// A password, or a key.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl Credentials {
    /// A user with passwords.
    ///
    /// # Errors
    /// A name of no or more than 32 octets, a password of fewer than 8, privacy without authentication.
    pub fn from_passwords(
        name: &[u8],
        auth: Option<(AuthProtocol, &[u8])>,
        privacy: Option<(PrivProtocol, &[u8])>,
    ) -> Result<Credentials, CredentialsError> {
        let auth =
            auth.map(|(protocol, password)| MasterKey::from_password(protocol, password)).transpose()?;
        let privacy = match (privacy, &auth) {
            (None, _) => None,
            (Some(_), None) => return Err(UserError::PrivacyWithoutAuthentication.into()),
            (Some((protocol, password)), Some(auth)) => {
                Some((protocol, MasterKey::from_password(auth.protocol(), password)?))
            }
        };
        Credentials::new(name, auth, privacy)
    }

    /// A user with keys that have been made before. The privacy key must have been made by the hash of the
    /// authentication key's protocol.
    ///
    /// # Errors
    /// A name of no or more than 32 octets, privacy without authentication or made by another hash.
    pub fn new(
        name: &[u8],
        auth: Option<MasterKey>,
        privacy: Option<(PrivProtocol, MasterKey)>,
    ) -> Result<Credentials, CredentialsError> {
        User::new(EngineId::LOCAL, name)?;
        if let Some((_, key)) = &privacy {
            let auth = auth.as_ref().ok_or(UserError::PrivacyWithoutAuthentication)?;
            let (expected, found) = (auth.protocol().key_length(), key.as_bytes().len());
            super::key::check_length(auth.protocol().name(), expected, found)?;
        }
        Ok(Credentials { name: name.to_vec(), auth, privacy })
    }

    /// What messages call the user.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// How the user is authenticated, if at all.
    #[must_use]
    pub fn auth_protocol(&self) -> Option<AuthProtocol> {
        self.auth.as_ref().map(MasterKey::protocol)
    }

    /// How the user's messages are encrypted, if at all.
    #[must_use]
    pub fn priv_protocol(&self) -> Option<PrivProtocol> {
        self.privacy.as_ref().map(|(protocol, _)| *protocol)
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

    /// The user at this engine without the privacy key: quick with every protocol, and enough to find out
    /// whether a message is authentic.
    ///
    /// # Errors
    /// Only what [`Credentials::new`] has already rejected.
    pub fn localize_auth(&self, engine_id: &EngineId) -> Result<User, CredentialsError> {
        let auth = self.auth.as_ref().map(|key| AuthKey::new(key.protocol(), key.localize(engine_id)));
        Ok(User::new(*engine_id, &self.name)?.with_keys(auth.transpose()?, None)?)
    }

    /// The user at this engine.
    ///
    /// # Errors
    /// Only what [`Credentials::new`] has already rejected.
    pub fn localize(&self, engine_id: &EngineId) -> Result<User, CredentialsError> {
        let auth = self.auth.as_ref().map(|key| AuthKey::new(key.protocol(), key.localize(engine_id)));
        let privacy = self.privacy.as_ref().map(|(protocol, key)| {
            PrivKey::new(*protocol, key.protocol(), &key.localize(engine_id), engine_id)
        });
        Ok(User::new(*engine_id, &self.name)?.with_keys(auth.transpose()?, privacy.transpose()?)?)
    }
}
