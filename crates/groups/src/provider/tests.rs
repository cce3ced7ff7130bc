//! What the tables say of groups.

use std::cell::Cell;

use trunkline_polling::{Account, Answer, Begun, Device, Limits, Pool};
use trunkline_snmp::wire::VarBind;
use trunkline_tree::{ScalarCell, TableData};

use super::*;
use crate::store::tests::{aggregate_plan, group_plan, report, silence};

fn loaded(store: Store, now: Duration, group: &'static TreeGroup) -> Snapshot {
    loaded_of(store, now, group, MOST_VALUES)
}

fn loaded_of(store: Store, now: Duration, group: &'static TreeGroup, most_values: usize) -> Snapshot {
    let started = Instant::now().checked_sub(now).unwrap();
    let store = Arc::new(Mutex::new(store));
    let full = LogLimit::for_failures();
    let provider = GroupsProvider { group, store, started, most_values, full };
    match provider.load(None).unwrap() {
        Loaded::Snapshot(snapshot) => snapshot,
        Loaded::Unchanged => panic!("there is a first one"),
    }
}

fn cell(table: &TableData, names: [&str; 2], rest: &[u32], id: u32) -> Option<Value> {
    let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
    let row = table.find(&index(&names, rest).unwrap())?;
    Some(table.get(row, id)?.to_value())
}

fn store() -> Store {
    let mut plan = group_plan("edge", &["a", "b"]);
    plan.aggregates =
        vec![aggregate_plan("sum", FunctionPlan::Sum), aggregate_plan("mean", FunctionPlan::Mean)];
    let mut store = Store::new(&[plan]);
    store.turn("edge", true);
    store.take("edge", "a", report(Duration::from_secs(100), &[(1, 6, 7), (2, 6, 8)]));
    store.take("edge", "b", silence(Duration::from_secs(101), 1));
    store
}

#[test]
fn groups_members_and_aggregates_have_rows() {
    let snapshot = loaded(store(), Duration::from_secs(102), &GROUPS);
    let groups = snapshot.table(&mib::GROUP_TABLE).unwrap();
    let of_group = |id| cell(groups, ["edge", ""], &[], id);
    assert_eq!((of_group(4), of_group(5)), (Some(Value::Unsigned32(2)), Some(Value::Unsigned32(1))));
    assert_eq!((of_group(6), of_group(7)), (Some(Value::Integer(1)), Some(Value::Counter32(2))));
    assert_eq!((of_group(9), of_group(12)), (Some(Value::TimeTicks(10_100)), Some(Value::Integer(1))));
    let members = snapshot.table(&mib::GROUP_MEMBER_TABLE).unwrap();
    assert_eq!(cell(members, ["edge", "a"], &[], 4), Some(Value::Integer(2)));
    assert_eq!(cell(members, ["edge", "a"], &[], 5), Some(Value::TimeTicks(10_000)));
    assert_eq!(cell(members, ["edge", "b"], &[], 4), Some(Value::Integer(4)));
    assert_eq!(cell(members, ["edge", "b"], &[], 5), None, "it has never answered");
    assert_eq!(cell(members, ["edge", "b"], &[], 9), Some(Value::text("no answer")));
    let aggregates = snapshot.table(&mib::GROUP_AGGREGATE_TABLE).unwrap();
    assert_eq!(cell(aggregates, ["edge", "sum"], &[], 4), Some(Value::Counter64(15)));
    assert_eq!(cell(aggregates, ["edge", "sum"], &[], 5), Some(Value::Integer(15)));
    assert_eq!(cell(aggregates, ["edge", "mean"], &[], 6), Some(Value::text("7.5")));
    assert_eq!(cell(aggregates, ["edge", "mean"], &[], 9), Some(Value::Unsigned32(1)));
}

#[test]
fn values_have_the_names_that_they_have_at_the_members() {
    let name = [1, 3, 6, 1, 2, 1, 2, 2, 1, 10, 2];
    let snapshot = loaded(store(), Duration::from_secs(102), &GROUP_VALUES);
    let values = snapshot.table(&mib::GROUP_VALUE_TABLE).unwrap();
    assert_eq!(cell(values, ["edge", "a"], &name, 3), Some(Value::Counter32(8)));
    assert_eq!(cell(values, ["edge", "a"], &name, 2), Some(Value::TimeTicks(10_000)));
    assert_eq!(cell(values, ["edge", "a"], &[1, 3, 6, 1, 2, 1, 1, 5, 0], 7), Some(Value::text("name")));
    // After the greatest age there are none, and the member does not count as reachable.
    let old = loaded(store(), Duration::from_secs(140), &GROUP_VALUES);
    assert!(old.table(&mib::GROUP_VALUE_TABLE).is_none_or(TableData::is_empty));
    let old = loaded(store(), Duration::from_secs(140), &GROUPS);
    assert_eq!(
        cell(old.table(&mib::GROUP_MEMBER_TABLE).unwrap(), ["edge", "a"], &[], 4),
        Some(Value::Integer(4))
    );
}

/// A table of those that there is room for would look whole.
#[test]
fn of_more_values_than_there_is_room_for_there_are_none_and_their_number() {
    let loaded = |most| loaded_of(store(), Duration::from_secs(102), &GROUP_VALUES, most);
    let rows = |snapshot: &Snapshot| snapshot.table(&mib::GROUP_VALUE_TABLE).map_or(0, TableData::len);
    let left_out = |snapshot: &Snapshot| match snapshot.scalar(&mib::GROUP_VALUES_LEFT_OUT) {
        Some(ScalarCell::Value(value)) => value.clone(),
        _ => panic!("it has a value"),
    };
    let whole = loaded(MOST_VALUES);
    let count = rows(&whole);
    assert!(count > 1);
    for (most, expected_rows, expected) in [(count, count, 0), (count - 1, 0, count as u32)] {
        let snapshot = loaded(most);
        assert_eq!(rows(&snapshot), expected_rows);
        assert_eq!(left_out(&snapshot), Value::Unsigned32(expected));
    }
}

#[test]
fn names_that_no_object_identifier_has_room_for_have_no_rows() {
    assert!(index(&[&"g".repeat(32), &"m".repeat(84)], &[]).is_some());
    assert!(index(&[&"g".repeat(32), &"m".repeat(85)], &[]).is_none());
    assert_eq!(cut(&"ä".repeat(200)).len(), 254);
}

/// A device with a row of 500 octets, each time it is read.
fn large(account: &Arc<Account>) -> Device {
    let column = Oid::from([1, 3, 6, 1, 4, 1, 1, 1]);
    let wanted = Wanted { tables: vec![vec![column.clone()]], ..Wanted::default() };
    let mut device = Device::new(Arc::new(wanted), Limits::default()).with_account(Some(account.clone()));
    assert_eq!(device.begin(Duration::ZERO), Begun::Cycle);
    assert!(device.request(Duration::ZERO, || 1).is_some());
    let bindings = [
        (Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(1)),
        (column.child(&[1]), Value::OctetString(vec![b'x'; 500])),
        (Oid::from([1, 3, 6, 1, 4, 1, 1, 2]), Value::Integer(1)),
    ];
    let bindings = bindings.into_iter().map(|(name, value)| VarBind::new(name, value)).collect();
    device.answered(1, Answer::Bindings(bindings), Duration::ZERO);
    assert_eq!(device.take(Duration::ZERO).unwrap().tables[0].len(), 1);
    device
}

#[test]
fn a_member_that_waits_for_memory_says_so_when_what_is_known_of_it_is_old() {
    let pool = Arc::new(Pool::new(4000));
    let (first, second) = (Account::of(&pool), Account::of(&pool));
    let (mut at_work, mut waiting) = (large(&first), large(&second));
    let reason = |seconds| {
        let mut store = store();
        store.lend(0, "edge", "a", &second);
        let snapshot = loaded(store, Duration::from_secs(seconds), &GROUPS);
        cell(snapshot.table(&mib::GROUP_MEMBER_TABLE).unwrap(), ["edge", "a"], &[], 9)
    };
    assert_eq!(reason(140), Some(Value::text("")), "it waits for nothing");
    assert_eq!(at_work.begin(Duration::ZERO), Begun::Cycle);
    assert_eq!(waiting.begin(Duration::ZERO), Begun::Full);
    assert_eq!(reason(102), Some(Value::text("")), "it was read not long ago");
    assert_eq!(reason(140), Some(Value::text(WAITS)));
}

/// Of millions of values it took seconds, for each request that passes the end of groupMemberTable.
#[test]
fn values_are_counted_without_their_indices() {
    let rows: Vec<(u32, i32, u32)> = (0..50).map(|row| (row, 6, row)).collect();
    let mut store = store();
    store.take("edge", "a", report(Duration::from_secs(101), &rows));
    let members = read(&store);
    for (most, expected) in [(100, 0), (101, 101)] {
        let (made, mut found) = (Cell::new(0), 0);
        let index_of = |name: &Name<'_>| {
            made.set(made.get() + 1);
            name.index()
        };
        let count = each_indexed(&members, Duration::from_secs(102), most, index_of, |_, _| found += 1);
        assert_eq!((count, made.get(), found), (101, expected, expected), "of at most {most}");
    }
}
