//! usmUserTable (RFC 3414 section 5): the users of the User-based Security Model, their cloning and their key changes.
//!
//! Users of the configuration are permanent rows: managers may change their keys, which then survive a restart as
//! long as the configuration has the same keys, and cannot destroy them. Users that managers have cloned are kept
//! in `usm.toml`, including their keys, which only its owner may read. After each change the engine receives the
//! new users.
//!
//! In one point the table follows Net-SNMP's agent and its `snmpusm create` instead of RFC 3414: a row with
//! `createAndGo` and usmUserCloneFrom becomes active at once, before its keys are changed. Until then it has the
//! keys of the cloned user, and somebody with those keys could have cloned it.

mod assign;

use std::path::Path;
use std::sync::Arc;

use trunkline_smi::module::snmp_user_based_sm_mib as mib;
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, ValueRef, decode_index, encode_index};
use trunkline_snmp::engine::Engine;
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineId, LocalKey, PrivKey, PrivProtocol, User, UserTable,
};
use trunkline_tree::policy::{Principal, StorageType};
use trunkline_tree::{
    Group, Loaded, Provider, SetCheck, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use super::rows::{Assignment, LockedChange, Refusal, Row, RowStore, RowTable, Rows, Rules, kept_rows};
use super::spin_lock::SpinLock;
use super::state_file::StateError;

/// The group `usm-users`.
pub static USM_USERS: Group =
    Group { name: "usm-users", scalars: &[&mib::USM_USER_SPIN_LOCK], tables: &[&mib::USM_USER_TABLE] };

static TABLES: &[RowTable] = &[RowTable {
    tables: &[&mib::USM_USER_TABLE],
    status: "usmUserStatus",
    storage: "usmUserStorageType",
    required: &[],
    defaults: |index| {
        let name = user_index(index).map(|(_, name)| name).unwrap_or_default();
        vec![
            (SECURITY_NAME, Value::OctetString(name)),
            (AUTH_PROTOCOL, Value::ObjectIdentifier(AuthProtocol::none_oid())),
            (PRIV_PROTOCOL, Value::ObjectIdentifier(PrivProtocol::none_oid())),
            (PUBLIC, Value::OctetString(Vec::new())),
        ]
    },
    fixed_while_active: &[],
    // Cloning comes first; then, so that both can be removed at once, privacy before authentication; then keys.
    first: &[CLONE_FROM, PRIV_PROTOCOL, AUTH_PROTOCOL],
}];

const SECURITY_NAME: &str = "usmUserSecurityName";
const CLONE_FROM: &str = "usmUserCloneFrom";
const AUTH_PROTOCOL: &str = "usmUserAuthProtocol";
const AUTH_KEY_CHANGE: &str = "usmUserAuthKeyChange";
const OWN_AUTH_KEY_CHANGE: &str = "usmUserOwnAuthKeyChange";
const PRIV_PROTOCOL: &str = "usmUserPrivProtocol";
const PRIV_KEY_CHANGE: &str = "usmUserPrivKeyChange";
const OWN_PRIV_KEY_CHANGE: &str = "usmUserOwnPrivKeyChange";
const PUBLIC: &str = "usmUserPublic";

/// The localised keys of a row.
const AUTH_KEY: &str = "auth-key";
const PRIV_KEY: &str = "priv-key";
/// The localised keys that the configuration gave a row that managers have changed.
const CONFIGURED_AUTH_KEY: &str = "configured-auth-key";
const CONFIGURED_PRIV_KEY: &str = "configured-priv-key";
/// Whether a row has been cloned: that happens once.
const CLONED: &str = "cloned";

const SECRETS: &[&str] = &[AUTH_KEY, PRIV_KEY, CONFIGURED_AUTH_KEY, CONFIGURED_PRIV_KEY, CLONED];

/// Where users that managers have set are kept.
const FILE: &str = "usm.toml";

/// The provider of the group `usm-users`.
pub struct UsmGroup {
    store: Arc<RowStore>,
    lock: SpinLock,
}

impl UsmGroup {
    /// The users of an engine, with those that managers have set before, kept in `usm.toml`. `serial` is where
    /// usmUserSpinLock starts. The engine gets its users at once and after each change; nothing else may set
    /// them.
    pub fn open(directory: &Path, engine: Arc<Engine>, serial: i32) -> Result<Self, StateError> {
        let rules = Box::new(UserRules { engine_id: *engine.id() });
        let file = (directory, FILE);
        let store =
            RowStore::open(TABLES, SECRETS, rules, file, move |rows| engine.set_users(users_of(rows)))?;
        Ok(UsmGroup { store, lock: SpinLock::new(serial) })
    }

    /// Applies the users of a configuration.
    pub fn configure(&self, users: &UserTable) {
        let mut rows = Rows::new();
        for user in users.iter() {
            if let Some(index) = index_of(user) {
                rows.insert(&mib::USM_USER_TABLE, index, row_of(user));
            }
        }
        self.store.configure(&rows);
    }

    /// The rows.
    pub fn store(&self) -> &Arc<RowStore> {
        &self.store
    }
}

/// The names of the secrets of a row: the localised keys.
pub const USM_KEYS: [&str; 2] = [AUTH_KEY, PRIV_KEY];

/// Users that exist without an engine: their keys fit a lost ID. `engine` is where it would be.
///
/// # Errors
/// [`StateError::EngineLost`], and a file of users that cannot be read.
pub fn refuse_orphaned_users(directory: &Path, engine: &Path) -> Result<(), StateError> {
    let rows = kept_rows(TABLES, SECRETS, (directory, FILE))?;
    let mut engines =
        rows.of(&mib::USM_USER_TABLE).map(|(index, _)| user_index(index).map(|(engine, _)| engine));
    let Some(first) = engines.next() else { return Ok(()) };
    let old = first.filter(|first| engines.all(|other| other.as_ref() == Some(first)));
    let old = old.and_then(|octets| EngineId::new(&octets).ok()).map(|id| id.to_string());
    Err(StateError::EngineLost { path: engine.to_path_buf(), users: directory.join(FILE), old })
}

impl Provider for UsmGroup {
    fn group(&self) -> &'static Group {
        &USM_USERS
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&USM_USERS);
        snapshot.live(&mib::USM_USER_SPIN_LOCK, self.lock.live());
        self.store.fill(&mut snapshot);
        Ok(Loaded::Snapshot(snapshot.finish()))
    }

    fn prepare_set_by(
        &self,
        principal: Option<&Principal<'_>>,
        items: &[SetItem<'_>],
    ) -> Result<Box<dyn SetTransaction>, SetError> {
        let lock = ("usmUserSpinLock", &self.lock);
        Ok(Box::new(LockedChange::prepare(&self.store, lock, items, principal)?))
    }
}

/// The constraints on the columns of usmUserTable.
struct UserRules {
    engine_id: EngineId,
}

impl Rules for UserRules {
    fn assign(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        assign::assign(&self.engine_id, assignment, row)
    }

    /// Protocols and keys come together here, and no row is cloned.
    fn place(&self, assignment: &Assignment<'_>, row: &mut Row) -> Result<(), Refusal> {
        if let (AUTH_PROTOCOL | PRIV_PROTOCOL, ValueRef::ObjectIdentifier(protocol)) =
            (assignment.column, assignment.value)
        {
            let wanted = Oid::EMPTY.child(protocol);
            let none = [AuthProtocol::none_oid(), PrivProtocol::none_oid()];
            let is_known = match assignment.column {
                AUTH_PROTOCOL => AuthProtocol::from_oid(&wanted).is_some(),
                _ => PrivProtocol::from_oid(&wanted).is_some(),
            };
            if !is_known && !none.contains(&wanted) {
                return Err(Refusal::new(SetCheck::InconsistentValue, "unsupported protocol"));
            }
        }
        row.set(assignment.column, assignment.value.to_value());
        // It has keys of its own: a manager cannot give it another user's.
        row.set_secret(CLONED, Some(Vec::new()));
        Ok(())
    }

    fn is_complete(&self, row: &Row) -> bool {
        let has_auth = protocols(row).0.is_none() || row.secret(AUTH_KEY).is_some();
        let has_priv = protocols(row).1.is_none() || row.secret(PRIV_KEY).is_some();
        has_auth && has_priv
    }

    fn check(&self, _table: &RowTable, index: &[u32], row: &Row) -> Result<(), Refusal> {
        match user_of(index, row) {
            Some(_) => Ok(()),
            None => {
                let reason = "privacy without authentication, or a key of another protocol";
                Err(Refusal::new(SetCheck::InconsistentValue, reason))
            }
        }
    }

    fn read(&self, column: &'static str, row: &Row) -> Option<Value> {
        match column {
            CLONE_FROM => Some(Value::ObjectIdentifier(Oid::from([0, 0]))),
            AUTH_KEY_CHANGE | OWN_AUTH_KEY_CHANGE | PRIV_KEY_CHANGE | OWN_PRIV_KEY_CHANGE => {
                Some(Value::OctetString(Vec::new()))
            }
            _ => row.get(column).cloned(),
        }
    }

    /// What managers have changed is kept as long as the configuration has the same keys as then.
    fn merge(&self, configured: &Row, changed: &Row) -> Row {
        let same = |ours, base| configured.secret(ours) == changed.secret(base);
        match same(AUTH_KEY, CONFIGURED_AUTH_KEY) && same(PRIV_KEY, CONFIGURED_PRIV_KEY) {
            true => changed.clone(),
            false => configured.clone(),
        }
    }
}

/// The protocols of a row; unsupported ones count as none.
fn protocols(row: &Row) -> (Option<AuthProtocol>, Option<PrivProtocol>) {
    let oid = |column| Oid::EMPTY.child(row.oid(column));
    (AuthProtocol::from_oid(&oid(AUTH_PROTOCOL)), PrivProtocol::from_oid(&oid(PRIV_PROTOCOL)))
}

fn row_of(user: &User) -> Row {
    let auth = user.auth().map_or_else(AuthProtocol::none_oid, |key| key.protocol().oid());
    let privacy = user.privacy().map_or_else(PrivProtocol::none_oid, |key| key.protocol().oid());
    let cells = [
        (SECURITY_NAME, Value::OctetString(user.security_name().to_vec())),
        (AUTH_PROTOCOL, Value::ObjectIdentifier(auth)),
        (PRIV_PROTOCOL, Value::ObjectIdentifier(privacy)),
        (PUBLIC, Value::OctetString(user.public.clone())),
    ];
    let mut row = Row::configured(StorageType::Permanent, cells);
    let auth_key = user.auth().map(|key| key.local_key().as_bytes().to_vec());
    let priv_key = user.privacy().map(|key| key.local_key().as_bytes().to_vec());
    row.set_secret(CONFIGURED_AUTH_KEY, auth_key.clone());
    row.set_secret(CONFIGURED_PRIV_KEY, priv_key.clone());
    row.set_secret(AUTH_KEY, auth_key);
    row.set_secret(PRIV_KEY, priv_key);
    // It has keys, so it counts as cloned: a manager cannot give it another user's.
    row.set_secret(CLONED, Some(Vec::new()));
    row
}

/// The active rows as users.
fn users_of(rows: &Rows) -> UserTable {
    rows.active(&mib::USM_USER_TABLE).filter_map(|(index, row)| user_of(index, row)).collect()
}

/// The user that a row is; `None` where its protocols and keys do not go together.
fn user_of(index: &[u32], row: &Row) -> Option<User> {
    let (engine_id, name) = user_index(index)?;
    let engine_id = EngineId::new(&engine_id).ok()?;
    let (auth, privacy) = protocols(row);
    let auth_key = match auth {
        Some(hash) => Some(AuthKey::new(hash, LocalKey::from_bytes(row.secret(AUTH_KEY)?)).ok()?),
        None => None,
    };
    let priv_key = match (privacy, auth) {
        (Some(cipher), Some(hash)) => {
            let local = LocalKey::from_bytes(row.secret(PRIV_KEY)?);
            Some(PrivKey::new(cipher, hash, &local, &engine_id).ok()?)
        }
        (Some(_), None) => return None,
        (None, _) => None,
    };
    let user = User::new(engine_id, &name).ok()?;
    let user = user.with_security_name(row.octets(SECURITY_NAME)).ok()?;
    let mut user = user.with_keys(auth_key, priv_key).ok()?;
    user.public = row.octets(PUBLIC).to_vec();
    Some(user)
}

/// usmUserEngineID and usmUserName.
fn user_index(index: &[u32]) -> Option<(Vec<u8>, Vec<u8>)> {
    match decode_index(mib::USM_USER_TABLE.index, index).ok()?.as_slice() {
        [IndexValue::Octets(engine_id), IndexValue::Octets(name)] => Some((engine_id.clone(), name.clone())),
        _ => None,
    }
}

fn index_of(user: &User) -> Option<Vec<u32>> {
    let values = [user.engine_id().as_bytes(), user.name()].map(|octets| IndexValue::Octets(octets.to_vec()));
    let mut index = OidBuf::new();
    encode_index(mib::USM_USER_TABLE.index, &values, &mut index).ok()?;
    Some(index.to_vec())
}

#[cfg(test)]
mod tests;
