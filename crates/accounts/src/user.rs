//! Rows of usmUserTable (RFC 3414 section 5).

use trunkline_smi::module::snmp_user_based_sm_mib::{USM_USER_SPIN_LOCK, USM_USER_TABLE};
use trunkline_smi::{IndexValue, Oid, Value, decode_index};
use trunkline_snmp::usm::{AuthProtocol, EngineId, PrivProtocol};
use trunkline_snmp::wire::VarBind;

use crate::row::{Action, Cells, Row, columns_of, name_index, named, number, object, octets};
use crate::{AccountError, KeyChange};

const STATUS: &str = "usmUserStatus";
const STORAGE: &str = "usmUserStorageType";
const CLONE_FROM: &str = "usmUserCloneFrom";
const PUBLIC: &str = "usmUserPublic";
const SECURITY_NAME: &str = "usmUserSecurityName";
const AUTH_PROTOCOL: &str = "usmUserAuthProtocol";
const PRIV_PROTOCOL: &str = "usmUserPrivProtocol";

/// A user's row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserRow(Row);

impl UserRow {
    /// The row of a user at an engine; managers other than agents' own have no row, so the engine is the agent's.
    ///
    /// # Errors
    /// The name is empty or has more than 32 octets.
    pub fn new(engine: &EngineId, name: &[u8]) -> Result<Self, AccountError> {
        UserRow::at(engine.as_bytes(), name)
    }

    /// The same where the engine may be unknown, as over SNMPv1 and v2c: agents refuse such a row.
    ///
    /// # Errors
    /// As [`UserRow::new`].
    pub fn at(engine: &[u8], name: &[u8]) -> Result<Self, AccountError> {
        let index = [IndexValue::Octets(engine.to_vec()), name_index("the user", name, 1)?];
        Row::new(&USM_USER_TABLE, &index).map(UserRow)
    }

    /// A new user, with the protocols and keys of another one.
    #[must_use]
    pub fn create(&self, action: Action, from: Option<&UserRow>) -> Vec<VarBind> {
        let status = self.0.act(STATUS, action);
        std::iter::once(status).chain(from.map(|from| self.clone_from(from))).collect()
    }

    /// The user takes the protocols and keys of another one; an agent does this once.
    #[must_use]
    pub fn clone_from(&self, from: &UserRow) -> VarBind {
        self.0.set(CLONE_FROM, Value::ObjectIdentifier(from.0.at(SECURITY_NAME)))
    }

    /// Activates, deactivates or deletes the user.
    #[must_use]
    pub fn act(&self, action: Action) -> VarBind {
        self.0.act(STATUS, action)
    }

    /// What may be said of the user in public.
    #[must_use]
    pub fn public(&self, text: &[u8]) -> VarBind {
        self.0.set(PUBLIC, Value::OctetString(text.to_vec()))
    }

    /// The instances of the protocols for authentication and privacy.
    #[must_use]
    pub fn protocols(&self) -> [Oid; 2] {
        [self.0.at(AUTH_PROTOCOL), self.0.at(PRIV_PROTOCOL)]
    }

    /// The instance of usmUserStorageType.
    #[must_use]
    pub fn storage(&self) -> Oid {
        self.0.at(STORAGE)
    }

    /// The name of a storage type whose rows no manager may delete (RFC 2579, StorageType): permanent or readOnly.
    #[must_use]
    pub fn lasting(storage: &Value) -> Option<&'static str> {
        let Value::Integer(number) = storage else { return None };
        let name = named(&USM_USER_TABLE, STORAGE, *number)?;
        matches!(name, "permanent" | "readOnly").then_some(name)
    }

    /// New keys, in one Set. `is_own`: by the columns that every user has for its own keys.
    #[must_use]
    pub fn change_keys(&self, change: &KeyChange, is_own: bool) -> Vec<VarBind> {
        let [auth, privacy] = match is_own {
            true => ["usmUserOwnAuthKeyChange", "usmUserOwnPrivKeyChange"],
            false => ["usmUserAuthKeyChange", "usmUserPrivKeyChange"],
        };
        let set = |column, value: &Option<Vec<u8>>| {
            value.as_ref().map(|value| self.0.set(column, Value::OctetString(value.clone())))
        };
        [set(auth, &change.auth), set(privacy, &change.privacy)].into_iter().flatten().collect()
    }
}

/// The instance of usmUserSpinLock.
#[must_use]
pub fn spin_lock() -> Oid {
    Oid::EMPTY.child(USM_USER_SPIN_LOCK.oid).child(&[0])
}

/// The binding in front of a change of keys by which an agent refuses a copy of it: applied twice it would give a key that nobody
/// knows (RFC 3414 section 5, usmUserSpinLock). `found`: the value that was read.
#[must_use]
pub fn locked(found: i32) -> VarBind {
    VarBind::new(spin_lock(), Value::Integer(found))
}

/// A user as the agent shows it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Account {
    /// usmUserEngineID.
    pub engine: Vec<u8>,
    /// usmUserName.
    pub name: Vec<u8>,
    /// usmUserSecurityName.
    pub security_name: Option<Vec<u8>>,
    /// The hash: its name, `none`, or the number of an unknown one.
    pub auth: Option<String>,
    /// The cipher.
    pub privacy: Option<String>,
    /// usmUserStorageType.
    pub storage: Option<&'static str>,
    /// usmUserStatus.
    pub status: Option<&'static str>,
    /// usmUserPublic.
    pub public: Option<Vec<u8>>,
}

/// The names of what [`Account::cells`] gives.
pub const ACCOUNT_HEADER: [&str; 8] =
    ["user", "auth", "priv", "status", "storage", "security_name", "engine_id", "public"];

impl Account {
    /// The user as a line of a list; what the agent does not show is missing, and so is an empty usmUserPublic.
    #[must_use]
    pub fn cells(self) -> Vec<Option<String>> {
        let text = |octets: Vec<u8>| String::from_utf8_lossy(&octets).into_owned();
        vec![
            Some(text(self.name)),
            self.auth,
            self.privacy,
            self.status.map(str::to_owned),
            self.storage.map(str::to_owned),
            self.security_name.map(text),
            Some(self.engine.iter().map(|octet| format!("{octet:02x}")).collect()),
            self.public.map(text).filter(|text| !text.is_empty()),
        ]
    }
}

/// The columns that [`account`] reads.
#[must_use]
pub fn account_columns() -> Vec<Oid> {
    columns_of(&USM_USER_TABLE, &[SECURITY_NAME, AUTH_PROTOCOL, PRIV_PROTOCOL, STORAGE, STATUS, PUBLIC])
}

/// A row of the table with [`account_columns`]; `None` where the index is not one of users.
#[must_use]
pub fn account(index: &[u32], cells: &Cells) -> Option<Account> {
    let index = decode_index(USM_USER_TABLE.index, index).ok()?;
    let [IndexValue::Octets(engine), IndexValue::Octets(name)] = &index[..] else { return None };
    Some(Account {
        engine: engine.clone(),
        name: name.clone(),
        security_name: octets(cells, 0),
        auth: object(cells, 1).map(|oid| auth_name(&oid)),
        privacy: object(cells, 2).map(|oid| privacy_name(&oid)),
        storage: number(cells, 3).and_then(|number| named(&USM_USER_TABLE, STORAGE, number)),
        status: number(cells, 4).and_then(|number| named(&USM_USER_TABLE, STATUS, number)),
        public: octets(cells, 5),
    })
}

fn auth_name(oid: &Oid) -> String {
    match AuthProtocol::from_oid(oid) {
        Some(protocol) => protocol.name().to_owned(),
        None if *oid == AuthProtocol::none_oid() => "none".to_owned(),
        None => oid.to_string(),
    }
}

fn privacy_name(oid: &Oid) -> String {
    match PrivProtocol::from_oid(oid) {
        Some(protocol) => protocol.name().to_owned(),
        None if *oid == PrivProtocol::none_oid() => "none".to_owned(),
        None => oid.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use trunkline_snmp::wire::Bound;

    use super::*;

    fn row(name: &str) -> UserRow {
        UserRow::at(&[128, 0, 1, 2], name.as_bytes()).unwrap()
    }

    /// The names and values that Net-SNMP's snmpusm sends.
    #[test]
    fn rows_have_the_index_of_engine_and_name() {
        let bindings = row("wes").create(Action::Create, Some(&row("ann")));
        let found: Vec<String> =
            bindings.iter().map(|binding| format!("{} {:?}", binding.name, binding.value)).collect();
        assert_eq!(found[0], "1.3.6.1.6.3.15.1.2.2.1.13.4.128.0.1.2.3.119.101.115 Value(Integer(4))");
        assert!(found[1].starts_with("1.3.6.1.6.3.15.1.2.2.1.4.4.128.0.1.2.3.119.101.115 "), "{found:?}");
        let from = Oid::from([1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 3, 4, 128, 0, 1, 2, 3, 97, 110, 110]);
        assert_eq!(bindings[1].value, Bound::Value(Value::ObjectIdentifier(from)));
    }

    #[test]
    fn rows_of_the_configuration_have_their_storage() {
        let storage = row("ann").storage();
        assert_eq!(storage.to_string(), "1.3.6.1.6.3.15.1.2.2.1.12.4.128.0.1.2.3.97.110.110");
        let of = |number| UserRow::lasting(&Value::Integer(number));
        assert_eq!([2, 3, 4, 5, 9].map(of), [None, None, Some("permanent"), Some("readOnly"), None]);
        assert_eq!(UserRow::lasting(&Value::text("permanent")), None);
    }

    #[test]
    fn names_have_a_length() {
        let engine: EngineId = "8000010203".parse().unwrap();
        for name in ["", &"x".repeat(33)] {
            let error = UserRow::new(&engine, name.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("1 to 32"), "{error}");
        }
        assert!(UserRow::new(&engine, "x".repeat(32).as_bytes()).is_ok());
        let long = UserRow::at(&[0; 120], b"x").unwrap_err();
        assert_eq!(long, AccountError::Index { table: "usmUserTable" });
    }

    #[test]
    fn an_account_is_what_the_agent_shows() {
        let cell = |value| Some(Bound::Value(value));
        let cells = [
            cell(Value::text("ann")),
            cell(Value::ObjectIdentifier(AuthProtocol::Sha256.oid())),
            cell(Value::ObjectIdentifier(Oid::from([1, 3, 9]))),
            cell(Value::Integer(3)),
            cell(Value::Integer(2)),
            None,
        ];
        let found = account(&[4, 128, 0, 1, 2, 3, 97, 110, 110], &cells).unwrap();
        assert_eq!((found.name.as_slice(), found.auth.as_deref()), (&b"ann"[..], Some("SHA-256")));
        assert_eq!((found.privacy.as_deref(), found.status), (Some("1.3.9"), Some("notInService")));
        assert_eq!((found.storage, found.public.clone()), (Some("nonVolatile"), None));
        assert_eq!(account(&[9, 1], &cells), None);
        let shown: Vec<String> =
            found.cells().into_iter().map(|cell| cell.unwrap_or_else(|| "-".to_owned())).collect();
        assert_eq!(shown, ["ann", "SHA-256", "1.3.9", "notInService", "nonVolatile", "ann", "80000102", "-"]);
        assert_eq!(shown.len(), ACCOUNT_HEADER.len());
    }
}
