//! The notification log as managers see it, and what is put into it.

use trunkline_smi::Oid;
use trunkline_testkit::battery;
use trunkline_tree::SetStatus;

use super::entries::{MAX_ENTRIES, MAX_OCTETS};
use super::*;
use crate::testing::{Bench, int, octets, text};

const CREATE_AND_GO: i32 = 4;
const DESTROY: i32 = 6;
const COLD_START: [u32; 10] = [1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
const LINK_DOWN: [u32; 10] = [1, 3, 6, 1, 6, 3, 1, 1, 5, 3];

struct Place {
    directory: tempfile::TempDir,
    started: Instant,
    tables: TargetTables,
    group: Arc<NotificationLogGroup>,
    bench: Bench,
}

fn place() -> Place {
    of(tempfile::tempdir().unwrap())
}

/// A place where snmpNotifyFilterTable has the profile `links`.
fn of(directory: tempfile::TempDir) -> Place {
    let started = Instant::now();
    let has_filter = |name: &AdminString| name.octets() == b"links";
    let group = Arc::new(NotificationLogGroup::open(directory.path(), started, has_filter).unwrap());
    let mut tables = TargetTables::default();
    let links = View::NOTHING.include(LINK_DOWN.into()).exclude([1, 3, 6, 1, 2, 1, 2, 2, 1, 2].into());
    tables.filters.insert(AdminString::try_from("links").unwrap(), links);
    Place { directory, started, tables, bench: Bench::new(group.clone()), group }
}

fn notification(oid: [u32; 10], variables: Vec<(Oid, Value)>) -> LoggedNotification {
    let engine_id = EngineId::generate(8072, *b"twelveoctets");
    LoggedNotification {
        oid: oid.into(),
        variables,
        engine_id,
        context_engine_id: engine_id,
        context: AdminString::default(),
    }
}

impl Place {
    fn record(&self, oid: [u32; 10]) {
        self.record_at(Instant::now(), &notification(oid, Vec::new()));
    }

    fn record_at(&self, now: Instant, notification: &LoggedNotification) {
        self.group.log().record(now, SystemTime::now(), &self.tables, notification);
    }

    /// The nlmLogNotificationID of an entry.
    fn entry(&self, log: &str, index: u32) -> Option<Value> {
        self.bench.get("nlmLogNotificationID", &[octets(log), vec![index]].concat())
    }

    fn scalar(&self, name: &str) -> Option<Value> {
        self.bench.get(name, &[0])
    }
}

fn oid(sub_ids: [u32; 10]) -> Option<Value> {
    Some(Value::ObjectIdentifier(sub_ids.into()))
}

/// A variable of each type.
fn variables() -> Vec<(Oid, Value)> {
    let values = [
        Value::Counter32(1),
        Value::Unsigned32(2),
        Value::TimeTicks(3),
        Value::Integer(-4),
        Value::IpAddress([192, 0, 2, 5]),
        text("six"),
        Value::ObjectIdentifier(Oid::from([1, 7])),
        Value::Counter64(8),
        Value::Opaque(vec![9]),
    ];
    values.into_iter().enumerate().map(|(at, value)| (Oid::from([1, 3, 9, at as u32]), value)).collect()
}

#[test]
fn it_passes_the_battery() {
    let place = place();
    place.record_at(Instant::now(), &notification(COLD_START, variables()));
    battery::check(place.group);
}

#[test]
fn an_entry_has_its_notification_and_a_variable_of_each_type() {
    let place = place();
    let late = place.started + Duration::from_secs(20);
    place.record_at(late, &notification(LINK_DOWN, variables()));
    let index = [octets("default"), vec![1]].concat();
    assert_eq!(place.entry("default", 1), oid(LINK_DOWN));
    assert_eq!(place.bench.get("nlmLogTime", &index), Some(Value::TimeTicks(2000)));
    let columns = [
        "nlmLogVariableCounter32Val",
        "nlmLogVariableUnsigned32Val",
        "nlmLogVariableTimeTicksVal",
        "nlmLogVariableInteger32Val",
        "nlmLogVariableIpAddressVal",
        "nlmLogVariableOctetStringVal",
        "nlmLogVariableOidVal",
        "nlmLogVariableCounter64Val",
        "nlmLogVariableOpaqueVal",
    ];
    for (at, ((name, value), column)) in (1..).zip(variables().into_iter().zip(columns)) {
        let row = [index.clone(), vec![at]].concat();
        assert_eq!(place.bench.get("nlmLogVariableID", &row), Some(Value::ObjectIdentifier(name)));
        assert_eq!(place.bench.get("nlmLogVariableValueType", &row), Some(int(at as i32)));
        assert_eq!(place.bench.get(column, &row), Some(value));
        let others = columns.iter().filter(|other| **other != column);
        assert!(others.into_iter().all(|other| place.bench.get(other, &row).is_none()), "{column}");
    }
}

#[test]
fn a_managers_log_records_what_its_filter_accepts() {
    let place = place();
    let row = octets("mine");
    let create = [
        ("nlmConfigLogEntryStatus", &row[..], int(CREATE_AND_GO)),
        ("nlmConfigLogFilterName", &row, text("nothing")),
    ];
    place.bench.set(&create).unwrap();
    assert_eq!(place.bench.get("nlmConfigLogOperStatus", &row), Some(int(3)), "noFilter");
    place.record(LINK_DOWN);
    place.bench.set(&[("nlmConfigLogFilterName", &row, text("links"))]).unwrap();
    assert_eq!(place.bench.get("nlmConfigLogOperStatus", &row), Some(int(2)));
    place.record(COLD_START);
    place.record(LINK_DOWN);
    let excluded = (Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 7]), text("eth0"));
    place.record_at(Instant::now(), &notification(LINK_DOWN, vec![excluded]));
    let counted = |log: &str| place.bench.get("nlmStatsLogNotificationsLogged", &octets(log));
    assert_eq!((counted("default"), counted("mine")), (Some(Value::Counter32(4)), Some(Value::Counter32(1))));
    assert_eq!(place.scalar("nlmStatsGlobalNotificationsLogged"), Some(Value::Counter32(5)));

    place.bench.set(&[("nlmConfigLogAdminStatus", &row, int(2))]).unwrap();
    assert_eq!(place.bench.get("nlmConfigLogOperStatus", &row), Some(int(1)));
    place.record(LINK_DOWN);
    assert_eq!(counted("mine"), Some(Value::Counter32(1)));
    place.bench.set(&[("nlmConfigLogEntryStatus", &row, int(DESTROY))]).unwrap();
    assert_eq!(counted("mine"), None);
    assert!((1..9).all(|index| place.entry("mine", index).is_none()));
}

#[test]
fn the_oldest_give_way() {
    let place = place();
    let default = octets("default");
    let limit = |number| place.bench.set(&[("nlmConfigLogEntryLimit", &default, Value::Unsigned32(number))]);
    let global = |number| place.bench.set(&[("nlmConfigGlobalEntryLimit", &[0], Value::Unsigned32(number))]);
    (0..5).for_each(|_| place.record(COLD_START));
    assert_eq!(limit(3), Ok(()));
    assert_eq!((place.entry("default", 2), place.entry("default", 3)), (None, oid(COLD_START)));
    assert_eq!(place.bench.get("nlmStatsLogNotificationsBumped", &default), Some(Value::Counter32(2)));
    assert_eq!(global(2), Ok(()));
    assert_eq!((place.entry("default", 3), place.entry("default", 4)), (None, oid(COLD_START)));
    place.record(LINK_DOWN);
    assert_eq!((place.entry("default", 4), place.entry("default", 6)), (None, oid(LINK_DOWN)));
    assert_eq!(place.scalar("nlmStatsGlobalNotificationsBumped"), Some(Value::Counter32(4)));

    assert_eq!((limit(0), global(0)), (Ok(()), Ok(())));
    (0..=MAX_ENTRIES).for_each(|_| place.record(LINK_DOWN));
    assert_eq!(place.group.log().lock().entries.iter().count(), MAX_ENTRIES, "memory is bounded");
    let large = |number: u32| (Oid::from([1, 3, number]), Value::OctetString(vec![0; 60_000]));
    (0..200)
        .for_each(|number| place.record_at(Instant::now(), &notification(LINK_DOWN, vec![large(number)])));
    let count = place.group.log().lock().entries.iter().count();
    assert!((100..=MAX_OCTETS / 60_000).contains(&count), "{count} large ones");
}

#[test]
fn entries_age() {
    let place = place();
    assert_eq!(place.scalar("nlmConfigGlobalAgeOut"), Some(Value::Unsigned32(1440)));
    place.bench.set(&[("nlmConfigGlobalAgeOut", &[0], Value::Unsigned32(1))]).unwrap();
    place.record(COLD_START);
    place.record_at(Instant::now() + Duration::from_secs(59), &notification(LINK_DOWN, Vec::new()));
    assert!(place.entry("default", 1).is_some());
    place.record_at(Instant::now() + Duration::from_secs(61), &notification(LINK_DOWN, Vec::new()));
    assert_eq!((place.entry("default", 1), place.entry("default", 2)), (None, oid(LINK_DOWN)));
    assert_eq!(
        place.scalar("nlmStatsGlobalNotificationsBumped"),
        Some(Value::Counter32(0)),
        "age is not counted"
    );
}

#[test]
fn logs_and_limits_survive_a_restart() {
    let place = place();
    let (row, default) = (octets("mine"), octets("default"));
    place
        .bench
        .set(&[
            ("nlmConfigGlobalEntryLimit", &[0], Value::Unsigned32(10)),
            ("nlmConfigLogEntryStatus", &row, int(CREATE_AND_GO)),
            ("nlmConfigLogEntryLimit", &row, Value::Unsigned32(7)),
            ("nlmConfigLogAdminStatus", &default, int(2)),
        ])
        .unwrap();
    let destroy = place.bench.set(&[("nlmConfigLogEntryStatus", &default, int(DESTROY))]);
    assert_eq!(destroy, Err((SetStatus::InconsistentValue, 0)));
    let after = of(place.directory);
    assert_eq!(after.scalar("nlmConfigGlobalEntryLimit"), Some(Value::Unsigned32(10)));
    assert_eq!(after.bench.get("nlmConfigLogEntryLimit", &row), Some(Value::Unsigned32(7)));
    assert_eq!(after.bench.get("nlmConfigLogAdminStatus", &default), Some(int(2)));
    after.record(COLD_START);
    assert_eq!(after.entry("default", 1), None);
}
