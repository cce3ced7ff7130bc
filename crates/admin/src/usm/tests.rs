//! Users, their cloning and key changes, through the tree.

use std::time::Instant;

use trunkline_snmp::engine::{EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock, MasterKey};
use trunkline_testkit::battery;
use trunkline_tree::SetStatus;
use trunkline_tree::policy::{Principal, SecurityLevel, SecurityModel};

use super::*;
use crate::testing::{Bench, int, text};

const CREATE_AND_GO: i32 = 4;
const CREATE_AND_WAIT: i32 = 5;
const DESTROY: i32 = 6;
const HASH: AuthProtocol = AuthProtocol::Sha256;

struct Place {
    directory: tempfile::TempDir,
    engine: Arc<Engine>,
    usm: Arc<UsmGroup>,
    bench: Bench,
}

fn engine_id() -> EngineId {
    EngineId::generate(8072, *b"twelveoctets")
}

fn local_key(password: &str) -> LocalKey {
    MasterKey::from_password(HASH, password.as_bytes()).unwrap().localize(&engine_id())
}

fn user(name: &str, password: &str) -> User {
    let local = local_key(password);
    let auth = AuthKey::new(HASH, local.clone()).unwrap();
    let privacy = PrivKey::new(PrivProtocol::Aes128, HASH, &local, &engine_id()).unwrap();
    User::new(engine_id(), name.as_bytes()).unwrap().with_keys(Some(auth), Some(privacy)).unwrap()
}

fn place() -> Place {
    of(tempfile::tempdir().unwrap(), [user("ann", "maplesyrup")].into_iter().collect())
}

fn of(directory: tempfile::TempDir, configured: UserTable) -> Place {
    let options = EngineOptions {
        id: engine_id(),
        clock: EngineClock::new(EngineBoots::new(1).unwrap(), Instant::now()),
        max_size: 1472,
        handlers: Handlers::RESPONDER,
        remote_engines: 4,
        entropy: 1,
    };
    let engine = Arc::new(Engine::new(options));
    let usm = Arc::new(UsmGroup::open(directory.path(), engine.clone(), 7).unwrap());
    usm.configure(&configured);
    Place { directory, engine, bench: Bench::new(usm.clone()), usm }
}

fn row(name: &str) -> Vec<u32> {
    index_of(&User::new(engine_id(), name.as_bytes()).unwrap()).unwrap()
}

/// The RowPointer to a user's row, as `snmpusm` makes it: by usmUserSecurityName.
fn pointer(bench: &Bench, name: &str) -> Value {
    Value::ObjectIdentifier(bench.name(SECURITY_NAME, &row(name)))
}

fn principal(name: &str) -> Principal<'_> {
    Principal::new(SecurityModel::USM, name.as_bytes(), SecurityLevel::AuthPriv)
}

/// The value that changes a key from one password's to another's (RFC 3414 appendix A.5).
fn auth_change(old: &str, new: &str) -> Value {
    let change = local_key(old).key_change(HASH, &local_key(new), &[7; 32]).unwrap();
    Value::OctetString(change)
}

fn priv_key(password: &str) -> LocalKey {
    local_key(password).for_privacy(PrivProtocol::Aes128, HASH, &engine_id())
}

fn priv_change(old: &str, new: &str) -> Value {
    Value::OctetString(priv_key(old).key_change(HASH, &priv_key(new), &[9; 16]).unwrap())
}

/// Whether the engine lets the user in with keys of this password.
fn has_password(engine: &Engine, name: &str, password: &str) -> bool {
    let users = engine.users();
    let Some(user) = users.get(engine_id().as_bytes(), name.as_bytes()) else { return false };
    let key = |octets: Option<&LocalKey>| octets.map(|key| key.as_bytes().to_vec());
    key(user.auth().map(AuthKey::local_key)) == key(Some(&local_key(password)))
        && key(user.privacy().map(PrivKey::local_key)) == key(Some(&priv_key(password)))
}

#[test]
fn it_passes_the_battery() {
    battery::check(place().usm);
}

#[test]
fn users_of_the_configuration_show_without_keys() {
    let Place { engine, bench, usm, .. } = place();
    assert!(has_password(&engine, "ann", "maplesyrup"));
    let get = |column| bench.get(column, &row("ann"));
    assert_eq!(get("usmUserSecurityName"), Some(text("ann")));
    assert_eq!(get("usmUserCloneFrom"), Some(Value::ObjectIdentifier(Oid::from([0, 0]))));
    assert_eq!(get("usmUserAuthProtocol"), Some(Value::ObjectIdentifier(HASH.oid())));
    for column in [AUTH_KEY_CHANGE, OWN_AUTH_KEY_CHANGE, PRIV_KEY_CHANGE, OWN_PRIV_KEY_CHANGE, PUBLIC] {
        assert_eq!(get(column), Some(text("")), "{column}");
    }
    assert_eq!(get("usmUserStorageType"), Some(int(4)));
    let Ok(Loaded::Snapshot(snapshot)) = usm.load(None) else { panic!("no snapshot") };
    let key: String = local_key("maplesyrup").as_bytes().iter().map(|octet| format!("{octet}, ")).collect();
    assert!(!format!("{snapshot:?}").contains(key.trim_end()));
    let destroy = [("usmUserStatus", &row("ann")[..], int(DESTROY))];
    assert_eq!(bench.set(&destroy), Err((SetStatus::InconsistentValue, 0)), "permanent");
}

/// `snmpusm create bob ann`, then `snmpusm -u bob passwd`.
#[test]
fn a_clone_changes_its_own_keys() {
    let Place { directory, engine, bench, .. } = place();
    let bob = row("bob");
    let create =
        [("usmUserStatus", &bob[..], int(CREATE_AND_GO)), ("usmUserCloneFrom", &bob, pointer(&bench, "ann"))];
    assert_eq!(bench.set(&create), Ok(()));
    assert!(has_password(&engine, "bob", "maplesyrup"));
    let keys = [
        ("usmUserOwnAuthKeyChange", &bob[..], auth_change("maplesyrup", "cornflakes")),
        ("usmUserOwnPrivKeyChange", &bob, priv_change("maplesyrup", "cornflakes")),
    ];
    let by = |name| bench.set_by(Some(&principal(name)), &keys);
    assert_eq!(bench.set(&keys), Err((SetStatus::NoAccess, 0)), "nobody knows who asks");
    assert_eq!(by("ann"), Err((SetStatus::NoAccess, 0)));
    let of_community = Principal { model: SecurityModel::V2C, ..principal("bob") };
    assert_eq!(bench.set_by(Some(&of_community), &keys), Err((SetStatus::NoAccess, 0)));
    assert!(has_password(&engine, "bob", "maplesyrup"));
    assert_eq!(by("bob"), Ok(()));
    assert!(has_password(&engine, "bob", "cornflakes"));
    assert!(has_password(&engine, "ann", "maplesyrup"));
    // A second cloning does nothing.
    assert_eq!(bench.set(&[("usmUserCloneFrom", &bob, pointer(&bench, "ann"))]), Ok(()));
    assert!(has_password(&engine, "bob", "cornflakes"));

    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(directory.path().join("usm.toml")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600);
    let after = of(directory, [user("ann", "maplesyrup")].into_iter().collect());
    assert!(has_password(&after.engine, "bob", "cornflakes"));
    assert_eq!(after.bench.set(&[("usmUserStatus", &bob, int(DESTROY))]), Ok(()));
    assert!(!has_password(&after.engine, "bob", "cornflakes"));
}

#[test]
fn creation_step_by_step() {
    let Place { engine, bench, .. } = place();
    let bob = row("bob");
    let status = |number| bench.set(&[("usmUserStatus", &bob[..], int(number))]);
    let protocol = |column, oid| bench.set(&[(column, &bob[..], Value::ObjectIdentifier(oid))]);
    assert_eq!(status(CREATE_AND_WAIT), Ok(()));
    let nobody = bench.set(&[("usmUserCloneFrom", &bob, pointer(&bench, "eve"))]);
    assert_eq!(nobody, Err((SetStatus::InconsistentName, 0)));
    let elsewhere = Value::ObjectIdentifier(Oid::from([1, 3, 6]));
    assert_eq!(bench.set(&[("usmUserCloneFrom", &bob, elsewhere)]), Err((SetStatus::InconsistentName, 0)));
    let own = bench.set_by(
        Some(&principal("bob")),
        &[("usmUserOwnAuthKeyChange", &bob, auth_change("maplesyrup", "cornflakes"))],
    );
    assert_eq!(own, Err((SetStatus::InconsistentValue, 0)), "the row is not active");
    assert_eq!(bench.set(&[("usmUserCloneFrom", &bob, pointer(&bench, "ann"))]), Ok(()));
    assert_eq!(bench.set(&[("usmUserAuthKeyChange", &bob, text("short"))]), Err((SetStatus::WrongLength, 0)));
    let keys = [
        ("usmUserAuthKeyChange", &bob[..], auth_change("maplesyrup", "cornflakes")),
        ("usmUserPrivKeyChange", &bob, priv_change("maplesyrup", "cornflakes")),
        ("usmUserPublic", &bob, text("seen")),
    ];
    assert_eq!(bench.set(&keys), Ok(()));
    assert!(!has_password(&engine, "bob", "cornflakes"), "not active yet");
    assert_eq!(status(1), Ok(()));
    assert!(has_password(&engine, "bob", "cornflakes"));
    assert_eq!(bench.get("usmUserPublic", &bob), Some(text("seen")));

    assert_eq!(protocol(AUTH_PROTOCOL, AuthProtocol::Md5.oid()), Err((SetStatus::InconsistentValue, 0)));
    assert_eq!(protocol(AUTH_PROTOCOL, AuthProtocol::none_oid()), Err((SetStatus::InconsistentValue, 0)));
    assert_eq!(protocol(PRIV_PROTOCOL, PrivProtocol::Des.oid()), Err((SetStatus::InconsistentValue, 0)));
    assert_eq!(protocol(PRIV_PROTOCOL, PrivProtocol::none_oid()), Ok(()));
    assert_eq!(protocol(AUTH_PROTOCOL, AuthProtocol::none_oid()), Ok(()));
    let users = engine.users();
    let found = users.get(engine_id().as_bytes(), b"bob").unwrap();
    assert!(found.auth().is_none() && found.privacy().is_none());
    assert_eq!(bench.set(&keys), Ok(()), "without protocols a change of keys does nothing");
}

#[test]
fn protocols_without_keys_make_no_active_user() {
    let Place { engine, bench, .. } = place();
    let bob = row("bob");
    let create = |status, auth: Oid, privacy: Oid| {
        bench.set(&[
            ("usmUserStatus", &bob[..], int(status)),
            (AUTH_PROTOCOL, &bob, Value::ObjectIdentifier(auth)),
            (PRIV_PROTOCOL, &bob, Value::ObjectIdentifier(privacy)),
        ])
    };
    let unknown = Oid::from([1, 3, 6, 1, 6, 3, 10, 1, 1, 99]);
    assert_eq!(create(CREATE_AND_WAIT, unknown, PrivProtocol::none_oid()), Err((SetStatus::WrongValue, 1)));
    let refused = create(CREATE_AND_GO, HASH.oid(), PrivProtocol::none_oid());
    assert_eq!(refused, Err((SetStatus::InconsistentValue, 0)));
    assert_eq!(create(CREATE_AND_WAIT, HASH.oid(), PrivProtocol::Aes128.oid()), Ok(()));
    assert_eq!(bench.get("usmUserStatus", &bob), Some(int(3)));
    let change = bench.set(&[("usmUserAuthKeyChange", &bob, auth_change("maplesyrup", "cornflakes"))]);
    assert_eq!(change, Err((SetStatus::InconsistentValue, 0)), "there is no key to begin with");
    assert!(engine.users().get(engine_id().as_bytes(), b"bob").is_none());
}

#[test]
fn a_changed_key_of_the_configuration_stays_until_the_configuration_changes() {
    let Place { directory, engine, bench, usm } = place();
    let keys = [
        ("usmUserOwnAuthKeyChange", &row("ann")[..], auth_change("maplesyrup", "cornflakes")),
        ("usmUserOwnPrivKeyChange", &row("ann"), priv_change("maplesyrup", "cornflakes")),
    ];
    assert_eq!(bench.set_by(Some(&principal("ann")), &keys), Ok(()));
    assert!(has_password(&engine, "ann", "cornflakes"));
    let cloned = bench.set(&[("usmUserCloneFrom", &row("ann"), pointer(&bench, "ann"))]);
    assert_eq!(cloned, Ok(()), "it succeeds and does nothing");
    usm.configure(&[user("ann", "maplesyrup")].into_iter().collect());
    assert!(has_password(&engine, "ann", "cornflakes"), "the same configuration again");

    let after = of(directory, [user("ann", "maplesyrup")].into_iter().collect());
    assert!(has_password(&after.engine, "ann", "cornflakes"), "after a restart");
    let changed = of(after.directory, [user("ann", "pancakes!")].into_iter().collect());
    assert!(has_password(&changed.engine, "ann", "pancakes!"), "the operator's new password counts");
    let gone = of(changed.directory, UserTable::new());
    assert!(gone.engine.users().is_empty(), "nobody who is in no configuration any more");
}

#[test]
fn secrets_are_in_no_debug_output() {
    let row = row_of(&user("ann", "maplesyrup"));
    let key = row.secret(AUTH_KEY).unwrap().to_vec();
    let shown = format!("{row:?} {:?}", crate::rows::Secret::new(key.clone()));
    assert!(shown.contains("<secret>") && !shown.contains(&format!("{key:?}")), "{shown}");
}
