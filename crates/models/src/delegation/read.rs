//! The configuration that rows are.

use trunkline_smi::{IndexValue, Value, display_oid};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{COMPARISONS, MONITOR_SAMPLES, SAMPLES, STARTUPS, VALUE_TYPES};

use super::{EVENTS, EXPRESSIONS, LIFETIME, MORE, OBJECTS, TRIGGERS, UNTIL, root};
use crate::snmp::{Build, SnmpConfig, SnmpRow, SnmpRows, of, text_of};

/// sysUpTime.0, which no leaf says.
const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

const TRUE: i32 = 1;

pub(super) fn read(forest: &Forest, rows: &SnmpRows, with_fixed: bool) -> SnmpConfig {
    let Some(root) = root(forest) else { return SnmpConfig::default() };
    let mut build = Build::new(forest, root);
    for (id, row) in named(rows, EXPRESSIONS, with_fixed) {
        let objects: Vec<_> = objects_of(rows, &id).collect();
        let [owner, name] = &id;
        entry(&mut build, ("expression", &[owner, name]), row, |build| expression(build, row, &objects));
    }
    for (id, row) in named(rows, TRIGGERS, with_fixed) {
        entry(&mut build, ("monitor", &[&id[0], &id[1]]), row, |build| monitor(build, row));
    }
    for (id, row) in named(rows, EVENTS, with_fixed) {
        entry(&mut build, ("event", &[&id[0], &id[1]]), row, |build| event(build, row));
    }
    for (values, row) in of(rows, MORE).filter(|(_, row)| with_fixed || !row.is_fixed) {
        let (Some([owner, name]), Some(IndexValue::Integer(number))) = (id_of(&values), values.get(2)) else {
            continue;
        };
        entry(&mut build, ("notification-object", &[&owner, &name, &number.to_string()]), row, |build| {
            build.leaf("object", &object(row, ["mteObjectsID", "mteObjectsIDWildcard"]));
        });
    }
    SnmpConfig { branch: build.branch, fixed: build.fixed }
}

/// An owner and a name.
type Id = [String; 2];

/// The rows that the model can show.
fn named<'r>(
    rows: &'r SnmpRows,
    table: &'static str,
    with_fixed: bool,
) -> impl Iterator<Item = (Id, &'r SnmpRow)> {
    of(rows, table).filter(move |(_, row)| with_fixed || !row.is_fixed).filter_map(move |(values, row)| {
        let is_shown = match table {
            EXPRESSIONS => text_of(row.octets("expExpression")).is_some_and(|text| !text.is_empty()),
            TRIGGERS => {
                row.octets("mteTriggerTargetTag").is_empty()
                    && text_of(row.octets("mteTriggerContextName")).is_some()
            }
            _ => row.octets("mteEventSetTargetTag").is_empty(),
        };
        is_shown.then(|| id_of(&values)).flatten().map(|id| (id, row))
    })
}

fn id_of(values: &[IndexValue]) -> Option<Id> {
    let text = |value: &IndexValue| match value {
        IndexValue::Octets(octets) => text_of(octets).filter(|text| !text.is_empty()),
        _ => None,
    };
    Some([text(values.first()?)?, text(values.get(1)?)?])
}

fn objects_of<'r>(rows: &'r SnmpRows, id: &Id) -> impl Iterator<Item = (u32, &'r SnmpRow)> {
    of(rows, OBJECTS).filter_map(move |(values, row)| match values.get(2) {
        Some(IndexValue::Integer(number)) if id_of(&values).as_ref() == Some(id) => Some((*number, row)),
        _ => None,
    })
}

fn entry(
    build: &mut Build<'_>,
    (list, keys): (&str, &[&str]),
    row: &SnmpRow,
    fill: impl FnOnce(&mut Build<'_>),
) {
    build.entry(list, keys, |build| {
        if row.is_fixed {
            build.fix();
        }
        for (leaf, cell) in [("lifetime", LIFETIME), ("until", UNTIL)] {
            let said = row.secrets.get(cell).and_then(|octets| std::str::from_utf8(octets).ok());
            if let Some(said) = said {
                build.leaf(leaf, said);
            }
        }
        fill(build);
    });
}

/// The group of objects that columns name; one without an owner or a name is not said.
fn objects_in(build: &mut Build<'_>, row: &SnmpRow, columns: [&str; 2]) {
    let [owner, name] = columns.map(|column| row.text(column).filter(|text| !text.is_empty()));
    if let (Some(owner), Some(name)) = (owner, name) {
        build.within("objects", |build| {
            build.leaf("owner", &owner);
            build.leaf("name", &name);
        });
    }
}

fn comment(build: &mut Build<'_>, row: &SnmpRow, column: &str) {
    if let Some(comment) = row.text(column).filter(|comment| !comment.is_empty()) {
        build.leaf("comment", &comment);
    }
}

/// An object as text, with `.*` for a wildcard.
fn object(row: &SnmpRow, [oid, wildcard]: [&str; 2]) -> String {
    let rest = if row.integer(wildcard) == TRUE { ".*" } else { "" };
    format!("{}{rest}", display_oid(row.oid(oid)))
}

fn one_of(names: &[&'static str], number: i32) -> Option<&'static str> {
    usize::try_from(number).ok()?.checked_sub(1).and_then(|at| names.get(at)).copied()
}

fn expression(build: &mut Build<'_>, row: &SnmpRow, objects: &[(u32, &SnmpRow)]) {
    comment(build, row, "expExpressionComment");
    build.leaf("text", &row.text("expExpression").unwrap_or_default());
    if let Some(name) = one_of(&VALUE_TYPES, row.integer("expExpressionValueType")) {
        build.unless_default("type", name);
    }
    build.unless_default("interval", &row.integer("expExpressionDeltaInterval").to_string());
    for (number, row) in objects {
        build.entry("object", &[&number.to_string()], |build| {
            build.leaf("object", &object(row, ["expObjectID", "expObjectIDWildcard"]));
            let sample = row.integer("expObjectSampleType");
            build.unless_default("sample", one_of(&SAMPLES, sample).unwrap_or_default());
            if sample != 1 && row.oid("expObjectDeltaDiscontinuityID") != SYS_UP_TIME {
                let marker = ["expObjectDeltaDiscontinuityID", "expObjectDiscontinuityIDWildcard"];
                build.leaf("discontinuity", &object(row, marker));
            }
            if row.oid("expObjectConditional") != [0, 0] {
                let conditional = ["expObjectConditional", "expObjectConditionalWildcard"];
                build.leaf("conditional", &object(row, conditional));
            }
        });
    }
}

/// Whether BITS have this one, counted from the first.
fn has_bit(row: &SnmpRow, column: &str, bit: u8) -> bool {
    row.octets(column).first().is_some_and(|octet| octet & (0x80 >> bit) != 0)
}

fn event_of(build: &mut Build<'_>, row: &SnmpRow, leaves: [&str; 2], columns: [&str; 2]) {
    // One without a name causes nothing, which no leaf can say.
    for (leaf, column) in leaves.into_iter().zip(columns) {
        if let Some(name) = row.text(column).filter(|name| !name.is_empty()) {
            build.unless_default(leaf, &name);
        }
    }
}

fn unsigned(row: &SnmpRow, column: &str) -> u32 {
    match row.cells.get(column) {
        Some(Value::Unsigned32(number)) => *number,
        _ => 0,
    }
}

fn monitor(build: &mut Build<'_>, row: &SnmpRow) {
    comment(build, row, "mteTriggerComment");
    build.leaf("object", &object(row, ["mteTriggerValueID", "mteTriggerValueIDWildcard"]));
    build.unless_default("context", &row.text("mteTriggerContextName").unwrap_or_default());
    build.unless_default("interval", &unsigned(row, "mteTriggerFrequency").to_string());
    let sample = row.integer("mteTriggerSampleType");
    build.unless_default("sample", one_of(&MONITOR_SAMPLES, sample).unwrap_or_default());
    if sample != 1 && row.oid("mteTriggerDeltaDiscontinuityID") != SYS_UP_TIME {
        let marker = ["mteTriggerDeltaDiscontinuityID", "mteTriggerDeltaDiscontinuityIDWildcard"];
        build.leaf("discontinuity", &object(row, marker));
    }
    build.unless_default("enabled", if row.integer("mteTriggerEnabled") == TRUE { "true" } else { "false" });
    objects_in(build, row, ["mteTriggerObjectsOwner", "mteTriggerObjects"]);
    if has_bit(row, "mteTriggerTest", 0) {
        build.within("existence", |build| {
            for (bit, leaf) in (0..).zip(["present", "absent", "changed"]) {
                let is_tested = has_bit(row, "mteTriggerExistenceTest", bit);
                build.unless_default(leaf, if is_tested { "true" } else { "false" });
            }
            let event = ["mteTriggerExistenceEventOwner", "mteTriggerExistenceEvent"];
            event_of(build, row, ["event-owner", "event"], event);
            objects_in(build, row, ["mteTriggerExistenceObjectsOwner", "mteTriggerExistenceObjects"]);
        });
    }
    if has_bit(row, "mteTriggerTest", 1) {
        build.within("comparison", |build| {
            let operator = one_of(&COMPARISONS, row.integer("mteTriggerBooleanComparison"));
            build.leaf("operator", operator.unwrap_or_default());
            build.leaf("value", &row.integer("mteTriggerBooleanValue").to_string());
            let event = ["mteTriggerBooleanEventOwner", "mteTriggerBooleanEvent"];
            event_of(build, row, ["event-owner", "event"], event);
            objects_in(build, row, ["mteTriggerBooleanObjectsOwner", "mteTriggerBooleanObjects"]);
        });
    }
    if has_bit(row, "mteTriggerTest", 2) {
        build.within("threshold", |build| {
            build.leaf("rising", &row.integer("mteTriggerThresholdRising").to_string());
            build.leaf("falling", &row.integer("mteTriggerThresholdFalling").to_string());
            if let Some(startup) = one_of(&STARTUPS, row.integer("mteTriggerThresholdStartup")) {
                build.unless_default("startup", startup);
            }
            let rising = ["mteTriggerThresholdRisingEventOwner", "mteTriggerThresholdRisingEvent"];
            event_of(build, row, ["rising-event-owner", "rising-event"], rising);
            let falling = ["mteTriggerThresholdFallingEventOwner", "mteTriggerThresholdFallingEvent"];
            event_of(build, row, ["falling-event-owner", "falling-event"], falling);
            objects_in(build, row, ["mteTriggerThresholdObjectsOwner", "mteTriggerThresholdObjects"]);
        });
    }
}

fn event(build: &mut Build<'_>, row: &SnmpRow) {
    comment(build, row, "mteEventComment");
    build.unless_default("enabled", if row.integer("mteEventEnabled") == TRUE { "true" } else { "false" });
    if has_bit(row, "mteEventActions", 0) {
        build.leaf("notification", &display_oid(row.oid("mteEventNotification")).to_string());
        objects_in(build, row, ["mteEventNotificationObjectsOwner", "mteEventNotificationObjects"]);
    }
    if has_bit(row, "mteEventActions", 1) {
        build.within("set", |build| {
            build.leaf("object", &object(row, ["mteEventSetObject", "mteEventSetObjectWildcard"]));
            build.leaf("value", &row.integer("mteEventSetValue").to_string());
        });
    }
}
