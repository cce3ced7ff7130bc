//! isAccessAllowed as data: each error indication of RFC 3415 section 3.2, and which row of several decides.

use std::sync::Arc;
use std::time::Instant;

use trunkline_tree::TreeBuilder;
use trunkline_tree::policy::{AdminString, Denied, Guard, Policy, Principal, ViewType};

use crate::policy::rows::{Question, policy, question};

/// The policy's answer, after the guard has given the same.
fn answer(policy: &Policy, text: &str) -> String {
    let Question { view_type, model, name, level, context, object } = question(text);
    let (name, context) = (name.as_bytes(), context.as_bytes());
    let verdict = policy.is_access_allowed(&Principal::new(model, name, level), context, view_type, &object);
    let tree = TreeBuilder::default().build(Instant::now()).unwrap();
    let guard = Guard::new(&tree, Arc::new(policy.clone()));
    let access = guard.access(&Principal::new(model, name, level), context, view_type);
    let by_guard = access.and_then(|access| {
        let may = match view_type {
            ViewType::Read => access.may_read_name(&object),
            ViewType::Write => access.may_write(&object),
            ViewType::Notify => access.may_notify(&object),
        };
        if may { Ok(()) } else { Err(Denied::NotInView) }
    });
    assert_eq!(by_guard, verdict, "{text}");
    let explained = policy.explain(&Principal::new(model, name, level), context, view_type, &object);
    assert_eq!(explained.verdict, verdict, "{text}");
    verdict.map_or_else(|denied| denied.to_string(), |()| "allowed".into())
}

fn check(rows: &str, cases: &[(&str, &str)]) {
    let policy = policy(rows);
    for (question, expected) in cases {
        assert_eq!(answer(&policy, question), *expected, "{question}");
    }
}

/// RFC 3415 appendix A: the initial configuration, semi-secure.
const INITIAL: &str = "
    group   usm initial initial
    access  initial - usm noAuthNoPriv read=restricted notify=restricted
    access  initial - usm authNoPriv   read=internet write=internet notify=internet
    view    internet 1.3.6.1
    view    restricted 1.3.6.1.2.1.1 1.3.6.1.2.1.11 1.3.6.1.6.3.10.2.1 1.3.6.1.6.3.11.2.1 1.3.6.1.6.3.15.1.1";

#[test]
fn the_initial_configuration() {
    check(
        INITIAL,
        &[
            ("read usm initial noAuthNoPriv - 1.3.6.1.2.1.1.1.0", "allowed"),
            ("notify usm initial noAuthNoPriv - 1.3.6.1.2.1.1.3.0", "allowed"),
            ("read usm initial noAuthNoPriv - 1.3.6.1.2.1.2.1.0", "notInView"),
            ("write usm initial noAuthNoPriv - 1.3.6.1.2.1.1.4.0", "noSuchView"),
            ("write usm initial authNoPriv - 1.3.6.1.2.1.1.4.0", "allowed"),
            ("write usm initial authPriv - 1.3.6.1.6.3.16.1.2.1.3.3.1.97", "allowed"),
            ("read usm initial authPriv - 1.3.6.2.1", "notInView"),
            ("read usm initial authPriv - 1.3.6", "notInView"),
            ("read usm initial authPriv other 1.3.6.1.2.1.1.1.0", "noSuchContext"),
            ("read v2c initial noAuthNoPriv - 1.3.6.1.2.1.1.1.0", "noGroupName"),
            ("read usm template noAuthNoPriv - 1.3.6.1.2.1.1.1.0", "noGroupName"),
            ("read usm initia noAuthNoPriv - 1.3.6.1.2.1.1.1.0", "noGroupName"),
        ],
    );
}

#[test]
fn each_error_indication() {
    check(
        "context lab
         group   usm ann operators
         group   usm bob nobody
         group   usm eve stopped !
         access  operators - usm authNoPriv read=all write=missing notify=idle
         access  stopped   - usm noAuthNoPriv read=all
         view    all 1.3
         view    idle 1.3 !",
        &[
            ("read usm ann authNoPriv - 1.3.6", "allowed"),
            // The context is looked at first, then the group, the access, the view, the object.
            ("read usm mallory authNoPriv nowhere 1.3.6", "noSuchContext"),
            ("read usm mallory authNoPriv - 1.3.6", "noGroupName"),
            ("read usm eve authNoPriv - 1.3.6", "noGroupName"),
            ("read usm bob authNoPriv - 1.3.6", "noAccessEntry"),
            ("read usm ann noAuthNoPriv - 1.3.6", "noAccessEntry"),
            ("read usm ann authPriv lab 1.3.6", "noAccessEntry"),
            ("write usm ann authPriv - 1.3.6", "noSuchView"),
            ("notify usm ann authPriv - 1.3.6", "noSuchView"),
            ("read usm ann authPriv - 1.4", "notInView"),
        ],
    );
}

/// vacmAccessTable: the model first, then the context, then the level.
#[test]
fn of_several_rows_one_decides() {
    check(
        "context lab
         context laboratory
         context lobby
         group   usm ann g
         group   v2c ann g
         access  g *    any noAuthNoPriv read=1
         access  g la*  any authPriv     read=2
         access  g lab  any noAuthNoPriv read=3
         access  g l*   usm noAuthNoPriv read=4
         access  g l*   usm authPriv     read=5
         access  g lab  usm authNoPriv   read=6
         access  g lab  v1  noAuthNoPriv read=7
         access  g lobby usm noAuthNoPriv read=8 !
         view 1 1.1
         view 2 1.2
         view 3 1.3
         view 4 1.4
         view 5 1.5
         view 6 1.6
         view 7 1.7
         view 8 1.8",
        &[
            ("read v2c ann noAuthNoPriv - 1.1", "allowed"),
            ("read usm ann authPriv - 1.1", "allowed"),
            // An exact context over a beginning, whatever the level.
            ("read v2c ann noAuthNoPriv lab 1.3", "allowed"),
            ("read v2c ann authPriv lab 1.3", "allowed"),
            // The longer beginning, but its level must be reached.
            ("read v2c ann authPriv laboratory 1.2", "allowed"),
            ("read v2c ann authNoPriv laboratory 1.1", "allowed"),
            // The very model over any, even with a shorter context.
            ("read usm ann noAuthNoPriv lab 1.4", "allowed"),
            ("read usm ann authPriv laboratory 1.5", "allowed"),
            ("read usm ann authNoPriv laboratory 1.4", "allowed"),
            // The exact context over a higher level.
            ("read usm ann authPriv lab 1.6", "allowed"),
            ("read usm ann authNoPriv lab 1.6", "allowed"),
            ("read usm ann authPriv lobby 1.5", "allowed"),
            ("read usm ann noAuthNoPriv lobby 1.8", "notInView"),
        ],
    );
}

#[test]
fn principals_without_a_row_but_with_a_transport_name_are_everybody() {
    check(
        "
        group   tsm * readers
        group   tsm joe nobody
        group   usm * readers
        access  readers - any authNoPriv read=all
        view    all 1.3.6",
        &[
            ("read tsm ann authPriv - 1.3.6.1", "allowed"),
            ("read tsm ann noAuthNoPriv - 1.3.6.1", "noAccessEntry"),
            ("write tsm ann authPriv - 1.3.6.1", "noSuchView"),
            ("read tsm joe authPriv - 1.3.6.1", "noAccessEntry"),
            ("read tsm * authPriv - 1.3.6.1", "allowed"),
            ("read usm ann authPriv - 1.3.6.1", "noGroupName"),
        ],
    );
}

#[test]
fn an_inactive_family_does_not_count() {
    check(
        "group   usm ann g
         access  g - any noAuthNoPriv read=v
         view    v 1.3 1.3.6.9.9
         view    v -1.3.6 !",
        &[("read usm ann noAuthNoPriv - 1.3.6.1", "allowed")],
    );
}

/// A view's families are found among others whose names begin alike.
#[test]
fn names_of_views_are_whole() {
    check(
        "group   usm ann g
         access  g - any noAuthNoPriv read=a write=aa notify=b
         view    a 1.1
         view    aa 1.2
         view    ab 1.3",
        &[
            ("read usm ann noAuthNoPriv - 1.1", "allowed"),
            ("read usm ann noAuthNoPriv - 1.2", "notInView"),
            ("write usm ann noAuthNoPriv - 1.2", "allowed"),
            ("notify usm ann noAuthNoPriv - 1.3", "noSuchView"),
        ],
    );
}

#[test]
fn accesses_of_equal_views_are_shared() {
    let policy = policy(
        "context lab
         group   usm ann g
         group   v2c public h
         access  g - any noAuthNoPriv read=all
         access  h * any noAuthNoPriv read=all
         access  h lab v2c noAuthNoPriv read=all write=all
         view    all 1.3",
    );
    let tree = TreeBuilder::default().build(Instant::now()).unwrap();
    let guard = Guard::new(&tree, Arc::new(policy));
    let access = |text: &str| {
        let Question { view_type, model, name, level, context, .. } = question(text);
        guard.access(&Principal::new(model, name.as_bytes(), level), context.as_bytes(), view_type).unwrap()
    };
    let ann = access("read usm ann noAuthNoPriv - 1");
    let public = access("read v2c public noAuthNoPriv - 1");
    let in_lab = access("read v2c public noAuthNoPriv lab 1");
    assert!(Arc::ptr_eq(ann, public));
    assert!(!Arc::ptr_eq(ann, in_lab));
}

#[test]
fn names_have_at_most_32_octets() {
    assert!(AdminString::try_from("x".repeat(32).as_str()).is_ok());
    let error = AdminString::try_from("x".repeat(33).as_str()).unwrap_err();
    assert_eq!(error.found, 33);
    // One that is longer belongs to nobody.
    let long = format!("read usm {} authPriv - 1.3", "x".repeat(33));
    assert_eq!(answer(&policy(INITIAL), &long), "noGroupName");
}

#[test]
fn rows_set_by_managers_stand_beside_the_configuration() {
    let ours = policy("group usm ann g\n access g - any noAuthNoPriv read=v\n view v 1.3");
    let mut set = policy("group usm bob g\n group usm ann other\n view v -1.3.6 -1.3");
    use trunkline_tree::policy::{Origin, RowState, StorageType};
    let state = |storage| RowState { origin: Origin::Set, storage, ..RowState::CONFIG };
    set.groups.values_mut().for_each(|row| row.state = state(StorageType::NonVolatile));
    set.families.values_mut().for_each(|row| row.state = state(StorageType::Volatile));
    let both = ours.clone().with_set_rows(&set);
    for (question, expected) in [
        ("read usm bob authPriv - 1.3.7", "allowed"),
        ("read usm ann authPriv - 1.3.7", "allowed"),
        ("read usm ann authPriv - 1.3.6", "notInView"),
    ] {
        assert_eq!(answer(&both, question), expected, "{question}");
    }
    let again = both.set_rows();
    assert_eq!((again.groups.len(), again.families.len(), again.access.len()), (1, 1, 0));
    assert!(again.groups.values().all(|row| row.state.is_kept()));
    assert!(!again.families.values().any(|row| row.state.is_kept()));
    assert_eq!(ours.clone().with_set_rows(&again), both);
    assert_eq!(ours.set_rows(), Policy::default());
}
