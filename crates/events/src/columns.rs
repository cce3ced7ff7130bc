//! The tables that managers write: their columns' default values, and which column has which meaning for the rows.

use trunkline_admin::rows::{Row, RowTable};
use trunkline_smi::module::disman_event_mib as mib;
use trunkline_smi::{Oid, Value};

/// sysUpTime.0: what tells of a discontinuity unless something else is named.
pub(crate) const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

pub(crate) const TRUE: i32 = 1;
pub(crate) const FALSE: i32 = 2;

/// deltaValue of mteTriggerSampleType.
pub(crate) const DELTA: i32 = 2;

/// A bit of BITS, counted from the first.
pub(crate) const fn bit(number: u8) -> u8 {
    0x80 >> number
}

/// Bits of mteTriggerTest.
pub(crate) const EXISTENCE: u8 = bit(0);
pub(crate) const BOOLEAN: u8 = bit(1);
pub(crate) const THRESHOLD: u8 = bit(2);

/// Bits of mteTriggerExistenceTest.
pub(crate) const PRESENT: u8 = bit(0);
pub(crate) const ABSENT: u8 = bit(1);
pub(crate) const CHANGED: u8 = bit(2);

/// Bits of mteEventActions.
pub(crate) const NOTIFICATION: u8 = bit(0);
pub(crate) const SET: u8 = bit(1);

/// The tables. They have no StorageType: what managers set is kept.
pub(crate) static TABLES: &[RowTable] = &[
    RowTable {
        tables: &[
            &mib::MTE_TRIGGER_TABLE,
            &mib::MTE_TRIGGER_DELTA_TABLE,
            &mib::MTE_TRIGGER_EXISTENCE_TABLE,
            &mib::MTE_TRIGGER_BOOLEAN_TABLE,
            &mib::MTE_TRIGGER_THRESHOLD_TABLE,
        ],
        status: "mteTriggerEntryStatus",
        storage: "",
        required: &[],
        defaults: trigger,
        fixed_while_active: TRIGGER_COLUMNS,
        first: &["mteTriggerTest", "mteTriggerSampleType"],
    },
    RowTable {
        tables: &[&mib::MTE_OBJECTS_TABLE],
        status: "mteObjectsEntryStatus",
        storage: "",
        required: &[],
        defaults: object,
        fixed_while_active: &["mteObjectsID", "mteObjectsIDWildcard"],
        first: &[],
    },
    RowTable {
        tables: &[&mib::MTE_EVENT_TABLE, &mib::MTE_EVENT_NOTIFICATION_TABLE, &mib::MTE_EVENT_SET_TABLE],
        status: "mteEventEntryStatus",
        storage: "",
        required: &[],
        defaults: event,
        fixed_while_active: EVENT_COLUMNS,
        first: &["mteEventActions"],
    },
];

/// All but mteTriggerEnabled: a trigger can be stopped and started as it is.
const TRIGGER_COLUMNS: &[&str] = &[
    "mteTriggerComment",
    "mteTriggerTest",
    "mteTriggerSampleType",
    "mteTriggerValueID",
    "mteTriggerValueIDWildcard",
    "mteTriggerTargetTag",
    "mteTriggerContextName",
    "mteTriggerContextNameWildcard",
    "mteTriggerFrequency",
    "mteTriggerObjectsOwner",
    "mteTriggerObjects",
    "mteTriggerDeltaDiscontinuityID",
    "mteTriggerDeltaDiscontinuityIDWildcard",
    "mteTriggerDeltaDiscontinuityIDType",
    "mteTriggerExistenceTest",
    "mteTriggerExistenceStartup",
    "mteTriggerExistenceObjectsOwner",
    "mteTriggerExistenceObjects",
    "mteTriggerExistenceEventOwner",
    "mteTriggerExistenceEvent",
    "mteTriggerBooleanComparison",
    "mteTriggerBooleanValue",
    "mteTriggerBooleanStartup",
    "mteTriggerBooleanObjectsOwner",
    "mteTriggerBooleanObjects",
    "mteTriggerBooleanEventOwner",
    "mteTriggerBooleanEvent",
    "mteTriggerThresholdStartup",
    "mteTriggerThresholdRising",
    "mteTriggerThresholdFalling",
    "mteTriggerThresholdDeltaRising",
    "mteTriggerThresholdDeltaFalling",
    "mteTriggerThresholdObjectsOwner",
    "mteTriggerThresholdObjects",
    "mteTriggerThresholdRisingEventOwner",
    "mteTriggerThresholdRisingEvent",
    "mteTriggerThresholdFallingEventOwner",
    "mteTriggerThresholdFallingEvent",
    "mteTriggerThresholdDeltaRisingEventOwner",
    "mteTriggerThresholdDeltaRisingEvent",
    "mteTriggerThresholdDeltaFallingEventOwner",
    "mteTriggerThresholdDeltaFallingEvent",
];

/// All but mteEventEnabled.
const EVENT_COLUMNS: &[&str] = &[
    "mteEventComment",
    "mteEventActions",
    "mteEventNotification",
    "mteEventNotificationObjectsOwner",
    "mteEventNotificationObjects",
    "mteEventSetObject",
    "mteEventSetObjectWildcard",
    "mteEventSetValue",
    "mteEventSetTargetTag",
    "mteEventSetContextName",
    "mteEventSetContextNameWildcard",
];

type Cells = Vec<(&'static str, Value)>;

/// The default values of RFC 2981.
pub(crate) fn trigger(_: &[u32]) -> Cells {
    let mut cells = vec![
        ("mteTriggerTest", bits(BOOLEAN)),
        ("mteTriggerSampleType", Value::Integer(1)),
        ("mteTriggerValueID", zero_dot_zero()),
        ("mteTriggerFrequency", Value::Unsigned32(600)),
        ("mteTriggerDeltaDiscontinuityID", Value::ObjectIdentifier(Oid::from(SYS_UP_TIME))),
        ("mteTriggerDeltaDiscontinuityIDType", Value::Integer(1)),
        ("mteTriggerExistenceTest", bits(PRESENT | ABSENT)),
        ("mteTriggerExistenceStartup", bits(PRESENT | ABSENT)),
        ("mteTriggerBooleanComparison", Value::Integer(1)),
        ("mteTriggerBooleanValue", Value::Integer(0)),
        ("mteTriggerBooleanStartup", Value::Integer(TRUE)),
        ("mteTriggerThresholdStartup", Value::Integer(3)),
    ];
    let no = ["ValueIDWildcard", "ContextNameWildcard", "Enabled", "DeltaDiscontinuityIDWildcard"];
    let zero = ["Rising", "Falling", "DeltaRising", "DeltaFalling"];
    for name in TRIGGER_COLUMNS.iter().copied().chain(["mteTriggerEnabled"]) {
        if cells.iter().any(|(known, _)| *known == name) {
            continue;
        }
        let rest = name.trim_start_matches("mteTrigger");
        let value = match rest.strip_prefix("Threshold") {
            Some(limit) if zero.contains(&limit) => Value::Integer(0),
            _ if no.contains(&rest) => Value::Integer(FALSE),
            _ => empty(),
        };
        cells.push((name, value));
    }
    cells
}

/// The same of mteObjectsTable.
pub(crate) fn object(_: &[u32]) -> Cells {
    vec![("mteObjectsID", zero_dot_zero()), ("mteObjectsIDWildcard", Value::Integer(FALSE))]
}

/// The same of mteEventTable and the two tables beside it.
pub(crate) fn event(_: &[u32]) -> Cells {
    vec![
        ("mteEventComment", empty()),
        ("mteEventActions", bits(0)),
        ("mteEventEnabled", Value::Integer(FALSE)),
        ("mteEventNotification", zero_dot_zero()),
        ("mteEventNotificationObjectsOwner", empty()),
        ("mteEventNotificationObjects", empty()),
        ("mteEventSetObject", zero_dot_zero()),
        ("mteEventSetObjectWildcard", Value::Integer(FALSE)),
        ("mteEventSetValue", Value::Integer(0)),
        ("mteEventSetTargetTag", empty()),
        ("mteEventSetContextName", empty()),
        ("mteEventSetContextNameWildcard", Value::Integer(FALSE)),
    ]
}

/// Whether the row of a table beside the main one exists: those of mteTriggerBooleanTable for triggers that
/// compare, and so on.
pub(crate) fn exists(table: &str, row: &Row) -> bool {
    match table {
        "mteTriggerDeltaTable" => row.integer("mteTriggerSampleType") == DELTA,
        "mteTriggerExistenceTable" => has_bits(row, "mteTriggerTest", EXISTENCE),
        "mteTriggerBooleanTable" => has_bits(row, "mteTriggerTest", BOOLEAN),
        "mteTriggerThresholdTable" => has_bits(row, "mteTriggerTest", THRESHOLD),
        "mteEventNotificationTable" => has_bits(row, "mteEventActions", NOTIFICATION),
        "mteEventSetTable" => has_bits(row, "mteEventActions", SET),
        _ => true,
    }
}

/// Whether BITS have one of these.
pub(crate) fn has_bits(row: &Row, column: &str, bits: u8) -> bool {
    row.octets(column).first().is_some_and(|octet| octet & bits != 0)
}

pub(crate) fn bits(octet: u8) -> Value {
    Value::OctetString(vec![octet])
}

pub(crate) fn truth(is_true: bool) -> Value {
    Value::Integer(if is_true { TRUE } else { FALSE })
}

fn zero_dot_zero() -> Value {
    Value::ObjectIdentifier(Oid::from([0, 0]))
}

fn empty() -> Value {
    Value::OctetString(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_column_has_a_default_of_its_syntax() {
        for table in TABLES {
            let defaults = (table.defaults)(&[]);
            for column in table.tables.iter().flat_map(|table| table.columns) {
                if !column.access.is_writable() || column.name == table.status {
                    continue;
                }
                let found: Vec<_> = defaults.iter().filter(|(name, _)| *name == column.name).collect();
                assert_eq!(found.len(), 1, "{}", column.name);
                column.syntax.check(found[0].1.as_value_ref()).unwrap_or_else(|_| panic!("{}", column.name));
            }
        }
    }
}
