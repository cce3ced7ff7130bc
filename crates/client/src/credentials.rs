//! Credentials: a community, a user of the User-based Security Model with the sources of its keys, or the
//! principal that the session authenticates. Secrets are never shown.

mod tsm;

use std::fmt;
use std::sync::{Arc, OnceLock};

use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm;
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, CredentialsError, EngineId, EngineMoment, KeyError, LocalKey, MIN_PASSWORD,
    MasterKey, PrivKey, PrivProtocol, User, UserError,
};
use trunkline_snmp::wire::Version;
use zeroize::Zeroizing;

pub use tsm::TsmCredentials;

/// Credentials, which also determine the version of SNMP.
#[derive(Clone)]
pub enum Credentials {
    /// SNMPv1 or SNMPv2c.
    Community {
        /// v1 or v2c.
        version: Version,
        /// The community: arbitrary octets, kept secret.
        community: Vec<u8>,
    },
    /// SNMPv3 with a user.
    Usm(Arc<UsmCredentials>),
    /// SNMPv3 as the principal that the session authenticates: over TLS, DTLS and SSH.
    Transport(Arc<TsmCredentials>),
}

impl Credentials {
    /// A community of SNMPv1 or SNMPv2c.
    #[must_use]
    pub fn community(version: Version, community: &[u8]) -> Self {
        Credentials::Community { version, community: community.to_vec() }
    }

    /// The version of SNMP.
    #[must_use]
    pub fn version(&self) -> Version {
        match self {
            Credentials::Community { version, .. } => *version,
            Credentials::Usm(_) | Credentials::Transport(_) => Version::V3,
        }
    }

    /// Whether both are the same principal with the same secrets. False if that cannot be determined.
    pub(crate) fn are_same(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Credentials::Community { version, community },
                Credentials::Community { version: other_version, community: other },
            ) => version == other_version && community == other,
            (Credentials::Usm(one), Credentials::Usm(other)) => Arc::ptr_eq(one, other) || one.is_same(other),
            (Credentials::Transport(one), Credentials::Transport(other)) => one == other,
            _ => false,
        }
    }
}

impl From<TsmCredentials> for Credentials {
    fn from(credentials: TsmCredentials) -> Self {
        Credentials::Transport(Arc::new(credentials))
    }
}

impl From<UsmCredentials> for Credentials {
    fn from(user: UsmCredentials) -> Self {
        Credentials::Usm(Arc::new(user))
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Credentials::Community { version, .. } => write!(f, "Community({version}, hidden)"),
            Credentials::Usm(user) => user.fmt(f),
            Credentials::Transport(credentials) => credentials.fmt(f),
        }
    }
}

/// A user of the User-based Security Model, and the security level to request.
#[derive(Clone, Debug)]
pub struct UsmCredentials {
    name: Vec<u8>,
    level: SecurityLevel,
    auth: Option<(AuthProtocol, Secret)>,
    privacy: Option<(PrivProtocol, Secret)>,
    /// Keys made elsewhere, instead of the two above.
    made: Option<usm::Credentials>,
    /// contextName. Default: the empty one.
    pub context: Vec<u8>,
    /// contextEngineID. Default: the agent's own engine.
    pub context_engine_id: Option<EngineId>,
    /// The agent's engine ID, if discovery is not needed.
    pub security_engine_id: Option<EngineId>,
    /// The agent's engineBoots and engineTime, if discovery is not needed (`-Z`).
    pub engine_moment: Option<EngineMoment>,
}

/// The source of a key.
#[derive(Clone)]
pub enum Secret {
    /// A password of at least 8 octets: hashed once, off the request path.
    Password(Password),
    /// Ku: the key derived from the password, valid for every engine.
    MasterKey(Zeroizing<Vec<u8>>),
    /// Kul: the key for one engine, which must be the agent's.
    LocalizedKey(LocalKey),
}

/// A password, and the key derived from it once one was needed.
#[derive(Clone)]
pub struct Password {
    octets: Zeroizing<Vec<u8>>,
    master: Arc<OnceLock<MasterKey>>,
}

impl Secret {
    /// A password.
    #[must_use]
    pub fn password(octets: &[u8]) -> Self {
        Secret::Password(Password { octets: Zeroizing::new(octets.to_vec()), master: Arc::default() })
    }

    /// The octets of a master key.
    #[must_use]
    pub fn master_key(octets: &[u8]) -> Self {
        Secret::MasterKey(Zeroizing::new(octets.to_vec()))
    }

    /// Whether a key for `hash` can be derived from it, as far as that is known without deriving one.
    fn check(&self, hash: AuthProtocol) -> Result<(), KeyError> {
        match self {
            Secret::Password(password) if password.octets.len() < MIN_PASSWORD => {
                Err(KeyError::PasswordTooShort { found: password.octets.len() })
            }
            Secret::Password(_) | Secret::LocalizedKey(_) => Ok(()),
            Secret::MasterKey(octets) => MasterKey::from_bytes(hash, octets).map(drop),
        }
    }

    fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Secret::Password(one), Secret::Password(other)) => one.octets == other.octets,
            (Secret::MasterKey(one), Secret::MasterKey(other)) => one == other,
            (Secret::LocalizedKey(one), Secret::LocalizedKey(other)) => one.as_bytes() == other.as_bytes(),
            _ => false,
        }
    }

    /// The key localized to one engine. Slow the first time for a password: it hashes a mebibyte.
    fn localize(&self, hash: AuthProtocol, engine_id: &EngineId) -> Result<LocalKey, KeyError> {
        match self {
            Secret::LocalizedKey(key) => Ok(key.clone()),
            Secret::MasterKey(octets) => Ok(MasterKey::from_bytes(hash, octets)?.localize(engine_id)),
            Secret::Password(password) => Ok(password.master(hash)?.localize(engine_id)),
        }
    }

    /// The master key; `None` for a localized key.
    fn master(&self, hash: AuthProtocol) -> Result<Option<MasterKey>, KeyError> {
        match self {
            Secret::LocalizedKey(_) => Ok(None),
            Secret::MasterKey(octets) => MasterKey::from_bytes(hash, octets).map(Some),
            Secret::Password(password) => password.master(hash).map(Some),
        }
    }
}

impl Password {
    fn master(&self, hash: AuthProtocol) -> Result<MasterKey, KeyError> {
        if let Some(key) = self.master.get().filter(|key| key.protocol() == hash) {
            return Ok(key.clone());
        }
        let key = MasterKey::from_password(hash, &self.octets)?;
        // A password is almost always used with a single hash; the key for another one is derived again each time.
        let _ = self.master.set(key.clone());
        Ok(key)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("hidden")
    }
}

impl UsmCredentials {
    /// A user without authentication or encryption (noAuthNoPriv).
    ///
    /// # Errors
    /// The name is empty or longer than 32 octets.
    pub fn new(name: &[u8]) -> Result<Self, CredentialsError> {
        User::new(EngineId::LOCAL, name)?;
        Ok(UsmCredentials {
            name: name.to_vec(),
            level: SecurityLevel::NoAuthNoPriv,
            auth: None,
            privacy: None,
            made: None,
            context: Vec::new(),
            context_engine_id: None,
            security_engine_id: None,
            engine_moment: None,
        })
    }

    /// A user with keys made before, at the highest level that they allow.
    #[must_use]
    pub fn from_made(made: &usm::Credentials) -> Self {
        let level = match (made.auth_protocol(), made.priv_protocol()) {
            (None, _) => SecurityLevel::NoAuthNoPriv,
            (Some(_), None) => SecurityLevel::AuthNoPriv,
            (Some(_), Some(_)) => SecurityLevel::AuthPriv,
        };
        UsmCredentials {
            name: made.name().to_vec(),
            level,
            auth: None,
            privacy: None,
            made: Some(made.clone()),
            context: Vec::new(),
            context_engine_id: None,
            security_engine_id: None,
            engine_moment: None,
        }
    }

    /// A user of our own engine, which holds the keys: for traps, which that engine authenticates itself.
    ///
    /// # Errors
    /// The name is empty or longer than 32 octets.
    pub fn of_engine(name: &[u8], level: SecurityLevel) -> Result<Self, CredentialsError> {
        Ok(UsmCredentials { level, ..Self::new(name)? })
    }

    /// The same user with authentication: authNoPriv.
    ///
    /// # Errors
    /// A password that is too short, or a key of the wrong length.
    pub fn with_auth(self, protocol: AuthProtocol, secret: Secret) -> Result<Self, CredentialsError> {
        secret.check(protocol)?;
        let level = self.level.max(SecurityLevel::AuthNoPriv);
        Ok(UsmCredentials { auth: Some((protocol, secret)), level, ..self })
    }

    /// The same user with encryption: authPriv.
    ///
    /// # Errors
    /// No authentication before it, a password that is too short, or a key of the wrong length.
    pub fn with_privacy(self, protocol: PrivProtocol, secret: Secret) -> Result<Self, CredentialsError> {
        let (hash, _) = self.auth.as_ref().ok_or(UserError::PrivacyWithoutAuthentication)?;
        secret.check(*hash)?;
        Ok(UsmCredentials { privacy: Some((protocol, secret)), level: SecurityLevel::AuthPriv, ..self })
    }

    /// The same user at no more than this level; `None` if it has no key for that.
    #[must_use]
    pub fn with_level(self, level: SecurityLevel) -> Option<Self> {
        let made = self.made.as_ref();
        let has_auth = self.auth.is_some() || made.is_some_and(|made| made.auth_protocol().is_some());
        let has_privacy = self.privacy.is_some() || made.is_some_and(|made| made.priv_protocol().is_some());
        let missing_auth = level.is_authenticated() && !has_auth;
        let missing_privacy = level.is_encrypted() && !has_privacy;
        (!missing_auth && !missing_privacy).then_some(UsmCredentials { level, ..self })
    }

    /// The user's name in messages.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        &self.name
    }

    /// The security level of messages.
    #[must_use]
    pub fn level(&self) -> SecurityLevel {
        self.level
    }

    /// The same user under another name, such as a URL may give.
    ///
    /// # Errors
    /// The name is empty or longer than 32 octets.
    pub fn with_name(self, name: &[u8]) -> Result<Self, CredentialsError> {
        User::new(EngineId::LOCAL, name)?;
        Ok(UsmCredentials { name: name.to_vec(), ..self })
    }

    /// The name and the master keys, as an engine of ours takes them; `None` if a key is localized. Slow the first
    /// time, as [`user_at`](Self::user_at).
    ///
    /// # Errors
    /// A key of the wrong length.
    pub fn made(&self) -> Result<Option<usm::Credentials>, CredentialsError> {
        if let Some(made) = &self.made {
            return Ok(Some(made.clone()));
        }
        let Some((hash, secret)) = &self.auth else {
            return usm::Credentials::new(&self.name, None, None).map(Some);
        };
        let Some(auth) = secret.master(*hash)? else { return Ok(None) };
        let privacy = match &self.privacy {
            None => None,
            Some((protocol, secret)) => match secret.master(*hash)? {
                None => return Ok(None),
                Some(key) => Some((*protocol, key)),
            },
        };
        usm::Credentials::new(&self.name, Some(auth), privacy).map(Some)
    }

    /// Whether both are the same user with the same secrets, level and context. Keys made elsewhere are not
    /// compared.
    fn is_same(&self, other: &Self) -> bool {
        let are_made = self.made.is_some() || other.made.is_some();
        let asked =
            |user: &Self| (user.level, user.context_engine_id, user.security_engine_id, user.engine_moment);
        !are_made
            && (&self.name, &self.context) == (&other.name, &other.context)
            && asked(self) == asked(other)
            && are_same_secrets(&self.auth, &other.auth)
            && are_same_secrets(&self.privacy, &other.privacy)
    }

    /// The user at one engine, with localized keys. Slow the first time: never call it on the request path.
    ///
    /// # Errors
    /// A localized key of the wrong length.
    pub fn user_at(&self, engine_id: &EngineId) -> Result<User, CredentialsError> {
        if let Some(made) = &self.made {
            return made.localize(engine_id);
        }
        let user = User::new(*engine_id, &self.name)?;
        let Some((hash, secret)) = self.auth.as_ref().filter(|_| self.level.is_authenticated()) else {
            return Ok(user);
        };
        let auth = AuthKey::new(*hash, secret.localize(*hash, engine_id)?)?;
        let privacy = match self.privacy.as_ref().filter(|_| self.level.is_encrypted()) {
            None => None,
            Some((protocol, secret)) => {
                Some(PrivKey::new(*protocol, *hash, &secret.localize(*hash, engine_id)?, engine_id)?)
            }
        };
        Ok(user.with_keys(Some(auth), privacy)?)
    }
}

fn are_same_secrets<P: PartialEq>(one: &Option<(P, Secret)>, other: &Option<(P, Secret)>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some((protocol, one)), Some((other_protocol, other))) => {
            protocol == other_protocol && one.is_same(other)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests;
