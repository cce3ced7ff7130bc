//! The access policy as managers see and change it, through the tree, and what RowStatus does everywhere.

use trunkline_testkit::battery;
use trunkline_tree::policy::{Denied, Member, Principal, Role, RoleGrant, Roles, ViewSource, ViewType};
use trunkline_tree::{SetStatus, View};

use super::*;
use crate::testing::{Bench, int, octets as counted, text};

const CREATE_AND_GO: i32 = 4;
const CREATE_AND_WAIT: i32 = 5;
const DESTROY: i32 = 6;

/// The policy of a configuration with one role: `ann` may read the system group.
fn configured() -> Policy {
    let name = |text: &str| AdminString::try_from(text).unwrap();
    let view = View::NOTHING.include([1, 3, 6, 1, 2, 1, 1].into());
    let grant = RoleGrant { read: Some(ViewSource::Rules(view)), ..RoleGrant::default() };
    let roles = Roles {
        contexts: vec![name("lab")],
        roles: vec![Role { name: name("operator"), grants: vec![grant], ..Role::default() }],
        members: vec![Member { model: SecurityModel::USM, name: name("ann"), role: name("operator") }],
        ..Roles::default()
    };
    roles.compile().unwrap()
}

struct Place {
    directory: tempfile::TempDir,
    vacm: Arc<VacmGroup>,
    bench: Bench,
}

fn place() -> Place {
    of(tempfile::tempdir().unwrap())
}

fn of(directory: tempfile::TempDir) -> Place {
    let vacm = Arc::new(VacmGroup::open(directory.path(), 7).unwrap());
    vacm.configure(&configured());
    Place { directory, bench: Bench::new(vacm.clone()), vacm }
}

fn usm(name: &str) -> Vec<u32> {
    [vec![3], counted(name)].concat()
}

fn may_read(vacm: &VacmGroup, name: &str, object: &[u32]) -> Result<(), Denied> {
    let level = SecurityLevel::NoAuthNoPriv;
    vacm.policy().is_access_allowed(
        &Principal::new(SecurityModel::USM, name.as_bytes(), level),
        b"",
        ViewType::Read,
        object,
    )
}

const SYSTEM: &[u32] = &[1, 3, 6, 1, 2, 1, 1, 1, 0];

#[test]
fn it_passes_the_battery() {
    battery::check(place().vacm);
}

#[test]
fn the_configuration_shows_and_cannot_be_changed() {
    let Place { vacm, bench, .. } = place();
    let ann = usm("ann");
    assert_eq!(bench.get("vacmGroupName", &ann), Some(text("operator")));
    assert_eq!(bench.get("vacmSecurityToGroupStorageType", &ann), Some(int(5)));
    assert_eq!(bench.get("vacmContextName", &counted("lab")), Some(text("lab")));
    assert_eq!(bench.get("vacmContextName", &counted("")), Some(text("")));
    assert_eq!(bench.set(&[("vacmGroupName", &ann, text("x"))]), Err((SetStatus::NotWritable, 0)));
    let destroy = [("vacmSecurityToGroupStatus", &ann[..], int(DESTROY))];
    assert_eq!(bench.set(&destroy), Err((SetStatus::NotWritable, 0)));
    assert_eq!(may_read(&vacm, "ann", SYSTEM), Ok(()));
}

/// As `snmpvacm createSec2Group`, `createAccess` and `createView` do it.
fn grant_bob(bench: &Bench) {
    let bob = usm("bob");
    bench
        .set(&[
            ("vacmSecurityToGroupStatus", &bob, int(CREATE_AND_GO)),
            ("vacmGroupName", &bob, text("bobs")),
        ])
        .unwrap();
    let access = [counted("bobs"), counted(""), vec![3, 1]].concat();
    bench
        .set(&[
            ("vacmAccessStatus", &access, int(CREATE_AND_GO)),
            ("vacmAccessContextMatch", &access, int(1)),
            ("vacmAccessReadViewName", &access, text("all")),
        ])
        .unwrap();
    let view = [counted("all"), vec![2, 1, 3]].concat();
    bench
        .set(&[
            ("vacmViewTreeFamilyStatus", &view, int(CREATE_AND_GO)),
            ("vacmViewTreeFamilyType", &view, int(1)),
            ("vacmViewTreeFamilyMask", &view, Value::OctetString(vec![0xff])),
        ])
        .unwrap();
}

#[test]
fn rows_of_managers_take_effect_at_once_and_after_a_restart() {
    let Place { directory, vacm, bench } = place();
    let told = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    let count = told.clone();
    vacm.on_change(move |policy| {
        assert!(policy.groups.len() >= 2);
        count.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
    });
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Err(Denied::NoGroupName));
    grant_bob(&bench);
    assert_eq!(told.load(std::sync::atomic::Ordering::SeqCst), 3);
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Ok(()));
    vacm.configure(&configured());
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Ok(()), "a change of the configuration leaves them");

    let after = of(directory);
    assert_eq!(may_read(&after.vacm, "bob", SYSTEM), Ok(()));
    assert_eq!(
        after.bench.get("vacmAccessWriteViewName", &[counted("bobs"), counted(""), vec![3, 1]].concat()),
        Some(text(""))
    );
    let view = [counted("all"), vec![2, 1, 3]].concat();
    after.bench.set(&[("vacmViewTreeFamilyStatus", &view, int(DESTROY))]).unwrap();
    assert_eq!(may_read(&after.vacm, "bob", SYSTEM), Err(Denied::NoSuchView));
}

#[test]
fn volatile_rows_end_with_the_agent() {
    let Place { directory, bench, .. } = place();
    let bob = usm("bob");
    bench
        .set(&[
            ("vacmGroupName", &bob, text("bobs")),
            ("vacmSecurityToGroupStorageType", &bob, int(2)),
            ("vacmSecurityToGroupStatus", &bob, int(CREATE_AND_GO)),
        ])
        .unwrap();
    assert_eq!(bench.get("vacmGroupName", &bob), Some(text("bobs")));
    assert_eq!(of(directory).bench.get("vacmGroupName", &bob), None);
}

/// RFC 2579, the table of RowStatus, cell by cell.
#[test]
fn row_status_goes_the_ways_of_rfc_2579() {
    let Place { bench, vacm, .. } = place();
    let bob = usm("bob");
    let status = |number| bench.set(&[("vacmSecurityToGroupStatus", &bob, int(number))]);
    let group = |name| bench.set(&[("vacmGroupName", &bob, text(name))]);
    let is = |expected| assert_eq!(bench.get("vacmSecurityToGroupStatus", &bob), expected);
    use SetStatus::*;

    // The row does not exist.
    assert_eq!(group("bobs"), Err((InconsistentName, 0)));
    assert_eq!(status(1), Err((InconsistentValue, 0)));
    assert_eq!(status(2), Err((InconsistentValue, 0)));
    assert_eq!(status(3), Err((WrongValue, 0)));
    assert_eq!(status(CREATE_AND_GO), Err((InconsistentValue, 0)), "the group's name is missing");
    assert_eq!(status(DESTROY), Ok(()));
    is(None);

    // notReady.
    assert_eq!(status(CREATE_AND_WAIT), Ok(()));
    is(Some(int(3)));
    assert_eq!(bench.get("vacmGroupName", &bob), None);
    assert_eq!(status(CREATE_AND_GO), Err((InconsistentValue, 0)));
    assert_eq!(status(CREATE_AND_WAIT), Err((InconsistentValue, 0)));
    assert_eq!(status(1), Err((InconsistentValue, 0)));
    assert_eq!(status(2), Err((InconsistentValue, 0)));
    assert_eq!(status(3), Err((WrongValue, 0)));
    is(Some(int(3)));
    assert_eq!(group("bobs"), Ok(()));

    // notInService.
    is(Some(int(2)));
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Err(Denied::NoGroupName));
    assert_eq!(status(CREATE_AND_WAIT), Err((InconsistentValue, 0)));
    assert_eq!(status(1), Ok(()));

    // active.
    is(Some(int(1)));
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Err(Denied::NoAccessEntry));
    assert_eq!(group("others"), Ok(()));
    assert_eq!(status(3), Err((WrongValue, 0)));
    assert_eq!(status(2), Ok(()));
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Err(Denied::NoGroupName));
    assert_eq!(status(DESTROY), Ok(()));
    is(None);
    // createAndWait of a complete row.
    let wait =
        [("vacmSecurityToGroupStatus", &bob[..], int(CREATE_AND_WAIT)), ("vacmGroupName", &bob, text("b"))];
    assert_eq!(bench.set(&wait), Ok(()));
    is(Some(int(2)));
}

#[test]
fn storage_types_of_managers_are_volatile_and_non_volatile() {
    let Place { bench, .. } = place();
    let bob = usm("bob");
    let create = |storage| {
        bench.set(&[
            ("vacmSecurityToGroupStatus", &bob, int(CREATE_AND_GO)),
            ("vacmGroupName", &bob, text("bobs")),
            ("vacmSecurityToGroupStorageType", &bob, int(storage)),
        ])
    };
    for refused in [1, 4, 5] {
        assert_eq!(create(refused), Err((SetStatus::WrongValue, 2)), "{refused}");
    }
    assert_eq!(create(3), Ok(()));
    assert_eq!(bench.set(&[("vacmSecurityToGroupStorageType", &bob, int(2))]), Ok(()));
    assert_eq!(
        bench.set(&[("vacmSecurityToGroupStorageType", &bob, int(4))]),
        Err((SetStatus::WrongValue, 0))
    );
}

#[test]
fn all_rows_of_a_request_or_none() {
    let Place { bench, .. } = place();
    let (bob, eve) = (usm("bob"), usm("eve"));
    let lock = bench.get("vacmViewSpinLock", &[0]).unwrap();
    let both = [
        ("vacmViewSpinLock", &[0][..], lock.clone()),
        ("vacmSecurityToGroupStatus", &bob, int(CREATE_AND_GO)),
        ("vacmGroupName", &bob, text("bobs")),
        ("vacmSecurityToGroupStatus", &eve, int(CREATE_AND_GO)),
    ];
    assert_eq!(bench.set(&both), Err((SetStatus::InconsistentValue, 3)));
    assert_eq!(bench.get("vacmGroupName", &bob), None);
    assert_eq!(bench.get("vacmViewSpinLock", &[0]), Some(lock));
    assert_eq!(bench.set(&both[..3]), Ok(()));
    assert_eq!(bench.set(&both[..1]), Err((SetStatus::InconsistentValue, 0)), "the lock has moved on");
    assert_eq!(bench.get("vacmViewSpinLock", &[0]), Some(int(8)));
}

#[test]
fn no_row_has_an_index_outside_of_its_syntax() {
    let Place { bench, .. } = place();
    let create = |index: &[u32]| bench.set(&[("vacmAccessStatus", index, int(CREATE_AND_GO))]);
    let access = |model, level| [counted("g"), counted(""), vec![model, level]].concat();
    assert_eq!(create(&access(3, 4)), Err((SetStatus::NoCreation, 0)), "there are three levels");
    assert_eq!(create(&access(3, 0)), Err((SetStatus::NoCreation, 0)));
    assert_eq!(create(&access(0x8000_0000, 1)), Err((SetStatus::NoCreation, 0)));
    let long = [counted(&"x".repeat(33)), counted(""), vec![3, 1]].concat();
    assert_eq!(create(&long), Err((SetStatus::NoCreation, 0)));
    let nobody = [vec![3], counted("")].concat();
    let group = [("vacmSecurityToGroupStatus", &nobody[..], int(CREATE_AND_WAIT))];
    assert_eq!(bench.set(&group), Err((SetStatus::NoCreation, 0)));
    assert_eq!(create(&access(3, 3)), Ok(()));
}

#[test]
fn a_full_table_takes_no_more() {
    let Place { bench, .. } = place();
    let rows: Vec<Vec<u32>> = (0..2001).map(|n| usm(&format!("u{n}"))).collect();
    for (n, row) in rows.iter().enumerate() {
        let made = bench.set(&[
            ("vacmSecurityToGroupStatus", row, int(CREATE_AND_WAIT)),
            ("vacmSecurityToGroupStorageType", row, int(2)),
        ]);
        assert_eq!(made.is_ok(), n < 2000, "{n}: {made:?}");
    }
    assert_eq!(bench.set(&[("vacmSecurityToGroupStatus", &rows[5], int(DESTROY))]), Ok(()));
    assert_eq!(bench.set(&[("vacmSecurityToGroupStatus", &rows[2000], int(CREATE_AND_WAIT))]), Ok(()));
}

#[test]
fn values_that_cannot_be_saved_are_not_set() {
    let Place { directory, vacm, bench } = place();
    // A directory in place of the file that would be moved there.
    std::fs::create_dir_all(directory.path().join("vacm.toml/x")).unwrap();
    let bob = usm("bob");
    let create =
        [("vacmSecurityToGroupStatus", &bob[..], int(CREATE_AND_GO)), ("vacmGroupName", &bob, text("b"))];
    assert_eq!(bench.set(&create), Err((SetStatus::CommitFailed, 0)));
    assert_eq!(bench.get("vacmGroupName", &bob), None);
    assert_eq!(may_read(&vacm, "bob", SYSTEM), Err(Denied::NoGroupName));
}

#[test]
fn a_damaged_file_is_named() {
    for text in [
        "[[vacmNothing]]\nindex = \"1\"\n",
        "[[vacmAccessEntry]]\nindex = \"1\"\nstatus = 1\nstorage = 3\n",
        "[[vacmSecurityToGroupEntry]]\nindex = \"3.1.97\"\nstatus = 1\nstorage = 3\n",
        "[[vacmSecurityToGroupEntry]]\nindex = \"3.1.97\"\nstatus = 1\nstorage = 3\nvacmGroupName = 7\n",
        "[[vacmSecurityToGroupEntry]]\nindex = \"3.1.97\"\nstatus = 9\nstorage = 3\nvacmGroupName = \"g\"\n",
    ] {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("vacm.toml"), text).unwrap();
        let error = VacmGroup::open(directory.path(), 0).err().map(|error| error.to_string());
        assert!(error.as_ref().is_some_and(|error| error.contains("vacm.toml")), "{text}: {error:?}");
    }
}

/// Also after a restart, and where something else has been kept in the meantime.
#[test]
fn a_group_that_a_manager_has_given_comes_back_when_the_configurations_goes() {
    let Place { directory, vacm, bench } = place();
    let with = |group: &str| {
        let mut policy = configured();
        let key = GroupKey { model: SecurityModel::USM, name: AdminString::try_from("bob").unwrap() };
        let group = AdminString::try_from(group).unwrap();
        policy.groups.insert(key, GroupRow { group, state: RowState::CONFIG });
        policy
    };
    let give = |bench: &Bench, name: &str| {
        let row = usm(name);
        let status = ("vacmSecurityToGroupStatus", &row[..], int(CREATE_AND_GO));
        bench.set(&[status, ("vacmGroupName", &row, text("boss"))])
    };
    assert_eq!(give(&bench, "bob"), Ok(()));
    assert!(vacm.is_set(SecurityModel::USM, b"bob") && !vacm.is_set(SecurityModel::USM, b"ann"));
    let group = |bench: &Bench| bench.get("vacmGroupName", &usm("bob"));
    for other in ["operator", "helper"] {
        vacm.configure(&with(other));
        assert_eq!(group(&bench), Some(text(other)));
        assert!(vacm.is_set(SecurityModel::USM, b"bob"));
    }
    assert_eq!(give(&bench, "carl"), Ok(()));
    drop((vacm, bench));
    let Place { directory, vacm, bench } = of(directory);
    assert_eq!(group(&bench), Some(text("boss")));
    vacm.configure(&with("helper"));
    vacm.configure(&configured());
    assert_eq!(group(&bench), Some(text("boss")));
    // Gone for good once the manager has taken it away.
    assert_eq!(bench.set(&[("vacmSecurityToGroupStatus", &usm("bob"), int(DESTROY))]), Ok(()));
    vacm.configure(&with("helper"));
    vacm.configure(&configured());
    assert!(group(&bench).is_none() && !vacm.is_set(SecurityModel::USM, b"bob"));
    drop(directory);
}
