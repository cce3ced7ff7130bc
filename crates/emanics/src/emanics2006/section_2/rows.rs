//! Names of objects: the statistics of devices, the aggregates of managers, and the rows of DISMAN-EVENT-MIB (RFC 2981) by which monitors
//! are delegated to devices.

use trunkline_smi::{Oid, Value, VarBind};

/// ifHCInOctets and ifHCOutOctets (RFC 2863).
pub(super) const COLUMNS: [&[u32]; 2] =
    [&[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 6], &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 10]];
/// ifName.
pub(super) const IF_NAME: &[u32] = &[1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 1];
/// mteTriggerRising.
pub(super) const RISING: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 2, 0, 2];
/// mteHotTrigger.0.
pub(super) const HOT_TRIGGER: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 2, 1, 1, 0];

/// The instance of a statistic: octets received and sent, of one interface after another.
pub(super) fn statistic(number: u32, interfaces: &[u32]) -> Option<Oid> {
    let column = COLUMNS[number as usize % 2];
    interfaces.get(number as usize / 2).map(|&index| Oid::EMPTY.child(column).child(&[index]))
}

/// The columns of statistics.
pub(super) fn columns() -> [Oid; 2] {
    COLUMNS.map(|column| Oid::EMPTY.child(column))
}

/// What a manager computes of its network: octets a second, and the busiest interface.
pub(super) const AGGREGATES: [&str; 3] = ["in", "out", "busiest"];

/// Columns of an aggregate: its value, and how old it is, milliseconds.
const AGGREGATE: [u32; 2] = [4, 10];

/// The value of an aggregate.
pub(super) fn aggregate(group: &str, name: &str) -> Oid {
    of_aggregate(AGGREGATE[0], group, name)
}

/// Values and ages of all aggregates of a network, the ages last.
pub(super) fn aggregates(group: &str) -> Vec<Oid> {
    let of = |column| AGGREGATES.map(|name| of_aggregate(column, group, name));
    AGGREGATE.into_iter().flat_map(of).collect()
}

fn of_aggregate(column: u32, group: &str, name: &str) -> Oid {
    let table = Oid::EMPTY.child(&[1, 3, 6, 1, 3, 9161, 4, 3, 1, column]);
    table.child(&counted(group.as_bytes())).child(&counted(name.as_bytes()))
}

/// The trigger of a device for one of the columns.
pub(super) fn trigger(device: u32, column: usize) -> String {
    format!("d{device}-{}", ["in", "out"][column])
}

/// The device of a trigger.
pub(super) fn device_of(trigger: &[u8]) -> Option<u32> {
    let text = std::str::from_utf8(trigger).ok()?.strip_prefix('d')?;
    text.split_once('-')?.0.parse().ok()
}

/// The Sets that make a trigger for all instances of a column: its row, its limits, and both in force. It samples differences.
pub(super) fn delegation(name: &str, column: usize, every: u32, limit: i32) -> [Vec<VarBind>; 3] {
    let row = |number, value| VarBind::new(cell(TRIGGER, number, name), value);
    let limits = |number, value| VarBind::new(cell(THRESHOLD, number, name), value);
    let text = |text: &str| Value::OctetString(text.into());
    [
        vec![
            row(STATUS, Value::Integer(CREATE_AND_WAIT)),
            row(TEST, Value::OctetString(vec![THRESHOLDS])),
            row(SAMPLE_TYPE, Value::Integer(DELTA)),
            row(VALUE_ID, Value::ObjectIdentifier(Oid::EMPTY.child(COLUMNS[column]))),
            row(WILDCARD, Value::Integer(TRUE)),
            row(FREQUENCY, Value::Unsigned32(every)),
        ],
        vec![
            limits(STARTUP, Value::Integer(AT_RISING)),
            limits(AT, Value::Integer(limit)),
            limits(BELOW, Value::Integer(limit / 2)),
            limits(EVENT_OWNER, text("_snmpd")),
            limits(EVENT, text("_mteTriggerRising")),
        ],
        vec![row(ENABLED, Value::Integer(TRUE)), row(STATUS, Value::Integer(ACTIVE))],
    ]
}

/// The Set that takes it back.
pub(super) fn end(name: &str) -> Vec<VarBind> {
    vec![VarBind::new(cell(TRIGGER, STATUS, name), Value::Integer(DESTROY))]
}

fn cell(entry: &[u32], column: u32, name: &str) -> Oid {
    let name: Vec<u32> = name.bytes().map(u32::from).collect();
    Oid::EMPTY.child(entry).child(&[column]).child(&counted(OWNER)).child(&name)
}

/// Octets as an index, with their number.
fn counted(octets: &[u8]) -> Vec<u32> {
    std::iter::once(octets.len() as u32).chain(octets.iter().map(|&it| u32::from(it))).collect()
}

/// mteOwner of the NOC's rows.
const OWNER: &[u8] = b"noc";
/// mteTriggerEntry and its columns.
const TRIGGER: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 1, 2, 2, 1];
const TEST: u32 = 4;
const SAMPLE_TYPE: u32 = 5;
const VALUE_ID: u32 = 6;
const WILDCARD: u32 = 7;
const FREQUENCY: u32 = 11;
const ENABLED: u32 = 14;
const STATUS: u32 = 15;
/// mteTriggerThresholdEntry and its columns.
const THRESHOLD: &[u32] = &[1, 3, 6, 1, 2, 1, 88, 1, 2, 6, 1];
const STARTUP: u32 = 1;
const AT: u32 = 2;
const BELOW: u32 = 3;
const EVENT_OWNER: u32 = 8;
const EVENT: u32 = 9;
/// threshold(2) of the BITS of mteTriggerTest.
const THRESHOLDS: u8 = 0x20;
/// deltaValue(2), rising(1), and TruthValue's true(1).
const DELTA: i32 = 2;
const AT_RISING: i32 = 1;
const TRUE: i32 = 1;
/// RowStatus.
const ACTIVE: i32 = 1;
const CREATE_AND_WAIT: i32 = 5;
const DESTROY: i32 = 6;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_octets_of_one_interface_after_another() {
        let name = |number| statistic(number, &[1, 7]).map(|it| it.to_string());
        assert_eq!(name(0).as_deref(), Some("1.3.6.1.2.1.31.1.1.1.6.1"));
        assert_eq!(name(3).as_deref(), Some("1.3.6.1.2.1.31.1.1.1.10.7"));
        assert_eq!(name(4), None);
    }

    #[test]
    fn a_trigger_is_a_row_of_the_noc_s_and_names_its_device() {
        let name = trigger(17, 1);
        assert_eq!((name.as_str(), device_of(name.as_bytes())), ("d17-out", Some(17)));
        assert_eq!((device_of(b"PIONIER"), device_of(b"d-out"), device_of(b"\xff")), (None, None, None));
        let [row, limits, in_force] = delegation("d1-in", 0, 2, 100);
        assert_eq!(row[0].name.to_string(), "1.3.6.1.2.1.88.1.2.2.1.15.3.110.111.99.100.49.45.105.110");
        assert_eq!((row.len(), limits.len(), in_force.len(), end("d1-in").len()), (6, 5, 2, 1));
    }

    #[test]
    fn an_aggregate_is_named_by_its_network() {
        let names = aggregates("LAN");
        assert_eq!(names.len(), 6);
        assert_eq!(names[0], aggregate("LAN", "in"));
        assert_eq!(names[0].to_string(), "1.3.6.1.3.9161.4.3.1.4.3.76.65.78.2.105.110");
        assert_eq!(names[5].to_string(), "1.3.6.1.3.9161.4.3.1.10.3.76.65.78.7.98.117.115.105.101.115.116");
    }
}
