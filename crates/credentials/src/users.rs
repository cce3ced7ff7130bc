//! From the configuration to the users of this engine: passwords become keys that are good here alone
//! (RFC 3414 section 2.6).

use trunkline_client::{Credentials as Identity, Secret as ClientSecret, TsmCredentials, UsmCredentials};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::usm::{CredentialsError, EngineId, LocalKey, StorageType, User, UserTable};
use trunkline_snmp::wire::Version;

use trunkline_config::{Credentials, Secret, UserPlan};

/// Why a user of the configuration cannot be one; the configuration's check finds most of it before.
#[derive(Debug, thiserror::Error)]
#[error("user {name:?}: {reason}")]
pub struct WrongUser {
    /// Its name.
    pub name: String,
    /// What is wrong.
    pub reason: CredentialsError,
}

/// The users of a configuration at an engine. Hashes a mebibyte for each password: not for the request path.
///
/// # Errors
/// The first user that cannot be one.
pub fn table(plans: &[UserPlan], engine_id: &EngineId) -> Result<UserTable, WrongUser> {
    let user = |plan: &UserPlan| match plan.user(engine_id) {
        Ok(user) => Ok(user.with_storage(StorageType::Permanent)),
        Err(reason) => Err(WrongUser { name: plan.name.clone(), reason }),
    };
    plans.iter().map(user).collect()
}

/// A user of the configuration as a user at other engines.
///
/// # Errors
/// A key of a wrong length, which the configuration's check finds before.
pub fn credentials(plan: &UserPlan) -> Result<UsmCredentials, CredentialsError> {
    let secret = |secret: &Secret| match secret {
        Secret::Password(password) => ClientSecret::password(password),
        Secret::MasterKey(key) => ClientSecret::master_key(key),
        Secret::LocalKey(key) => ClientSecret::LocalizedKey(LocalKey::from_bytes(key)),
    };
    let mut credentials = UsmCredentials::new(plan.name.as_bytes())?;
    if let Some((hash, key)) = &plan.auth {
        credentials = credentials.with_auth(*hash, secret(key))?;
    }
    if let Some((cipher, key)) = &plan.privacy {
        credentials = credentials.with_privacy(*cipher, secret(key))?;
    }
    Ok(credentials)
}

/// As whom another agent is asked in a context of it, and how requests to it are protected. Communities protect nothing, and an
/// operator who configures one wants just that, for example for an old device. `None`: there is no such user.
///
/// # Errors
/// A key of a wrong length, which the configuration's check finds before.
pub fn identity(
    who: &Credentials,
    context: &str,
    known: &[UserPlan],
) -> Result<Option<(Identity, SecurityLevel)>, CredentialsError> {
    let context = context.as_bytes().to_vec();
    let (name, level) = match who {
        Credentials::V1 { community } => {
            return Ok(Some((Identity::community(Version::V1, community), SecurityLevel::AuthPriv)));
        }
        Credentials::V2c { community } => {
            return Ok(Some((Identity::community(Version::V2c, community), SecurityLevel::AuthPriv)));
        }
        Credentials::Session { .. } => {
            let session = TsmCredentials { context, ..TsmCredentials::default() };
            return Ok(Some((session.into(), SecurityLevel::AuthPriv)));
        }
        Credentials::V3 { user, level } => (user, *level),
    };
    let Some(user) = known.iter().find(|user| user.name == *name) else { return Ok(None) };
    let Some(mut user) = credentials(user)?.with_level(level) else { return Ok(None) };
    user.context = context;
    Ok(Some((user.into(), level)))
}

/// A user of this engine as a sender of traps, for which the engine itself is authoritative.
///
/// # Errors
/// None for keys that the engine works with.
pub fn own_credentials(user: &User) -> Result<UsmCredentials, CredentialsError> {
    let secret = |key: &LocalKey| ClientSecret::LocalizedKey(LocalKey::from_bytes(key.as_bytes()));
    let mut credentials = UsmCredentials::new(user.name())?;
    if let Some(key) = user.auth() {
        credentials = credentials.with_auth(key.protocol(), secret(key.local_key()))?;
    }
    if let Some(key) = user.privacy() {
        credentials = credentials.with_privacy(key.protocol(), secret(key.local_key()))?;
    }
    Ok(credentials)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use trunkline_snmp::usm::{PrivProtocol, RowStatus};

    use super::*;

    #[test]
    fn passwords_and_keys_give_the_same_user() {
        // The vector of shared/usm-vectors.txt.
        let engine_id = EngineId::from_hex("000000000000000000000002").unwrap();
        let local = "0x8982e0e549e866db361a6b625d84cccc11162d453ee8ce3a6445c2d6776f0f8b";
        let master = "0xab51014d1e077f6017df2b12bee5f5aa72993177e9bb569c4dff5a4ca0b4afac";
        let text = format!(
            "[[snmp.user]]\nname = \"a\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup\"\n\
             [[snmp.user]]\nname = \"b\"\nauth = \"SHA-256\"\npriv = \"AES\"\nauth-key = \"{local}\"\npriv-key = \"{local}\"\n\
             [[snmp.user]]\nname = \"c\"\nauth = \"SHA-256\"\npriv = \"AES\"\n\
             auth-master-key = \"{master}\"\npriv-master-key = \"{master}\"\n\
             [[snmp.user]]\nname = \"d\"\n"
        );
        let plan = trunkline_config::parse(Path::new("t.toml"), &text).unwrap();
        let table = table(&plan.snmp.users, &engine_id).unwrap();
        for name in [b"a", b"b", b"c"] {
            let user = table.get(engine_id.as_bytes(), name).unwrap();
            assert_eq!(*user.auth().unwrap().local_key().to_hex(), local);
            assert_eq!(*user.privacy().unwrap().local_key().to_hex(), local[..34]);
            assert_eq!(user.privacy().unwrap().protocol(), PrivProtocol::Aes128);
            assert_eq!((user.storage, user.status), (StorageType::Permanent, RowStatus::Active));
        }
        assert!(table.get(engine_id.as_bytes(), b"d").unwrap().auth().is_none());
        let portable = credentials(&plan.snmp.users[0]).unwrap().user_at(&engine_id).unwrap();
        assert_eq!(*portable.auth().unwrap().local_key().to_hex(), local);
        assert!(plan.snmp.users[0].is_portable() && !plan.snmp.users[1].is_portable());
        assert!(!format!("{plan:?}{table:?}").contains("maplesyrup"));
    }
}
