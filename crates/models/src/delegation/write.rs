//! The rows that a configuration is.

use trunkline_datastore::{Branch, Step};
use trunkline_smi::{IndexValue, Oid, Value};
use trunkline_yang::forest::Forest;
use trunkline_yang::own::{COMPARISONS, MONITOR_SAMPLES, SAMPLES, STARTUPS, VALUE_TYPES};

use super::{EVENTS, EXPRESSIONS, LIFETIME, MORE, OBJECTS, TRIGGERS, UNTIL, root};
use crate::snmp::{Look, SnmpEdit, SnmpFault, SnmpRow, SnmpState, Wanted, differences};

pub(super) fn edits(
    forest: &Forest,
    state: &SnmpState,
    before: Option<&Branch>,
    after: Option<&Branch>,
    is_new: bool,
) -> Result<Vec<SnmpEdit>, SnmpFault> {
    let Some(root) = root(forest) else { return Ok(Vec::new()) };
    let nothing = Branch::default();
    let at = |branch| Look { forest, path: vec![Step::to(root)], branch };
    let old = wanted(&at(before.unwrap_or(&nothing)))?;
    let new = wanted(&at(after.unwrap_or(&nothing)))?;
    differences(state, old, new, is_new)
}

fn wanted(root: &Look<'_>) -> Result<Wanted, SnmpFault> {
    let mut wanted = Wanted::default();
    root.entries("expression").try_for_each(|entry| expression(&entry, &mut wanted))?;
    root.entries("monitor").try_for_each(|entry| monitor(&entry, &mut wanted))?;
    root.entries("event").try_for_each(|entry| event(&entry, &mut wanted))?;
    root.entries("notification-object").try_for_each(|entry| more(&entry, &mut wanted))?;
    Ok(wanted)
}

fn text(text: &str) -> Value {
    Value::OctetString(text.as_bytes().to_vec())
}

fn id(entry: &Look<'_>) -> [IndexValue; 2] {
    ["owner", "name"].map(|leaf| IndexValue::Octets(entry.leaf(leaf).unwrap_or_default().as_bytes().to_vec()))
}

fn truth(is_true: bool) -> Value {
    Value::Integer(if is_true { 1 } else { 2 })
}

/// The number of a name, from 1.
fn number_of(names: &[&str], entry: &Look<'_>, leaf: &str) -> Value {
    let name = entry.leaf_or_default(leaf);
    let at = names.iter().position(|known| *known == name).unwrap_or(0);
    Value::Integer(i32::try_from(at + 1).unwrap_or(1))
}

/// A row that is being made.
struct Row(SnmpRow);

impl Row {
    fn new(entry: &Look<'_>) -> Self {
        let mut row = SnmpRow::default();
        for (leaf, cell) in [("lifetime", LIFETIME), ("until", UNTIL)] {
            if let Some(said) = entry.leaf(leaf) {
                row.secrets.insert(cell, said.as_bytes().to_vec());
            }
        }
        Row(row)
    }

    fn cell(&mut self, column: &'static str, value: Value) {
        self.0.cells.insert(column, value);
    }

    fn text(&mut self, column: &'static str, entry: &Look<'_>, leaf: &str) {
        self.cell(column, text(entry.leaf_or_default(leaf)));
    }

    fn integer(&mut self, column: &'static str, entry: &Look<'_>, leaf: &str) {
        self.cell(column, Value::Integer(entry.number(leaf)));
    }

    /// The group of objects that an entry or a test names, or none.
    fn objects(&mut self, columns: [&'static str; 2], of: &Look<'_>) {
        let objects = of.within("objects");
        for (column, leaf) in columns.into_iter().zip(["owner", "name"]) {
            self.cell(column, text(objects.as_ref().and_then(|it| it.leaf(leaf)).unwrap_or_default()));
        }
    }

    /// An object, with its wildcard; `default` without the leaf.
    fn object(
        &mut self,
        [oid, wildcard]: [&'static str; 2],
        entry: &Look<'_>,
        leaf: &str,
        default: &[u32],
    ) -> Result<(), SnmpFault> {
        let (object, is_wildcard) = match entry.leaf(leaf) {
            None => (Oid::EMPTY.child(default), false),
            Some(written) => {
                let (object, is_wildcard) = match written.strip_suffix(".*") {
                    Some(object) => (object, true),
                    None => (written, false),
                };
                let refuse = || {
                    let reason =
                        format!("{written} is not an object identifier, with .* at its end for a wildcard");
                    SnmpFault::invalid(entry.place(leaf), reason)
                };
                (object.parse().map_err(|_| refuse())?, is_wildcard)
            }
        };
        self.cell(oid, Value::ObjectIdentifier(object));
        self.cell(wildcard, truth(is_wildcard));
        Ok(())
    }
}

const SYS_UP_TIME: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 3, 0];

fn expression(entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let mut row = Row::new(entry);
    row.text("expExpressionComment", entry, "comment");
    row.text("expExpression", entry, "text");
    row.cell("expExpressionValueType", number_of(&VALUE_TYPES, entry, "type"));
    row.integer("expExpressionDeltaInterval", entry, "interval");
    wanted.add(EXPRESSIONS, &id(entry), row.0, entry.path.clone())?;
    for object in entry.entries("object") {
        let mut row = Row(SnmpRow::default());
        row.object(["expObjectID", "expObjectIDWildcard"], &object, "object", &[0, 0])?;
        let sample = number_of(&SAMPLES, &object, "sample");
        let has_differences = sample != Value::Integer(1);
        row.cell("expObjectSampleType", sample);
        if has_differences {
            let marker = ["expObjectDeltaDiscontinuityID", "expObjectDiscontinuityIDWildcard"];
            row.object(marker, &object, "discontinuity", &SYS_UP_TIME)?;
        } else if object.leaf("discontinuity").is_some() {
            let reason = "only differences have a discontinuity: say so in sample";
            return Err(SnmpFault::invalid(object.place("discontinuity"), reason));
        }
        let conditional = ["expObjectConditional", "expObjectConditionalWildcard"];
        row.object(conditional, &object, "conditional", &[0, 0])?;
        let number = object.leaf("index").and_then(|index| index.parse().ok()).unwrap_or(0);
        let index = [&id(entry)[..], &[IndexValue::Integer(number)]].concat();
        wanted.add(OBJECTS, &index, row.0, object.path.clone())?;
    }
    Ok(())
}

fn monitor(entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let mut row = Row::new(entry);
    row.text("mteTriggerComment", entry, "comment");
    row.object(["mteTriggerValueID", "mteTriggerValueIDWildcard"], entry, "object", &[0, 0])?;
    row.text("mteTriggerContextName", entry, "context");
    let every = entry.leaf_or_default("interval").parse().unwrap_or(600);
    row.cell("mteTriggerFrequency", Value::Unsigned32(every));
    let sample = number_of(&MONITOR_SAMPLES, entry, "sample");
    let has_differences = sample != Value::Integer(1);
    row.cell("mteTriggerSampleType", sample);
    if has_differences {
        let marker = ["mteTriggerDeltaDiscontinuityID", "mteTriggerDeltaDiscontinuityIDWildcard"];
        row.object(marker, entry, "discontinuity", &SYS_UP_TIME)?;
    } else if entry.leaf("discontinuity").is_some() {
        let reason = "only differences have a discontinuity: say so in sample";
        return Err(SnmpFault::invalid(entry.place("discontinuity"), reason));
    }
    row.cell("mteTriggerEnabled", truth(entry.leaf_or_default("enabled") == "true"));
    row.objects(["mteTriggerObjectsOwner", "mteTriggerObjects"], entry);
    let mut tests = 0_u8;
    if let Some(test) = entry.within("existence") {
        tests |= 0x80;
        let leaves = [("present", 0x80), ("absent", 0x40), ("changed", 0x20)];
        let is_true = |leaf: &str| test.leaf_or_default(leaf) == "true";
        let bits: u8 = leaves.iter().filter(|(leaf, _)| is_true(leaf)).map(|(_, bit)| bit).sum();
        row.cell("mteTriggerExistenceTest", Value::OctetString(vec![bits]));
        row.cell("mteTriggerExistenceStartup", Value::OctetString(vec![bits & 0xc0]));
        row.text("mteTriggerExistenceEventOwner", &test, "event-owner");
        row.text("mteTriggerExistenceEvent", &test, "event");
        row.objects(["mteTriggerExistenceObjectsOwner", "mteTriggerExistenceObjects"], &test);
    }
    if let Some(test) = entry.within("comparison") {
        tests |= 0x40;
        row.cell("mteTriggerBooleanComparison", number_of(&COMPARISONS, &test, "operator"));
        row.integer("mteTriggerBooleanValue", &test, "value");
        row.text("mteTriggerBooleanEventOwner", &test, "event-owner");
        row.text("mteTriggerBooleanEvent", &test, "event");
        row.objects(["mteTriggerBooleanObjectsOwner", "mteTriggerBooleanObjects"], &test);
    }
    if let Some(test) = entry.within("threshold") {
        tests |= 0x20;
        if test.number("falling") > test.number("rising") {
            let reason = "the lower limit is above the upper one";
            return Err(SnmpFault::invalid(test.place("falling"), reason));
        }
        row.integer("mteTriggerThresholdRising", &test, "rising");
        row.integer("mteTriggerThresholdFalling", &test, "falling");
        row.cell("mteTriggerThresholdStartup", number_of(&STARTUPS, &test, "startup"));
        row.text("mteTriggerThresholdRisingEventOwner", &test, "rising-event-owner");
        row.text("mteTriggerThresholdRisingEvent", &test, "rising-event");
        row.text("mteTriggerThresholdFallingEventOwner", &test, "falling-event-owner");
        row.text("mteTriggerThresholdFallingEvent", &test, "falling-event");
        row.objects(["mteTriggerThresholdObjectsOwner", "mteTriggerThresholdObjects"], &test);
    }
    row.cell("mteTriggerTest", Value::OctetString(vec![tests]));
    wanted.add(TRIGGERS, &id(entry), row.0, entry.path.clone())
}

fn event(entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let mut row = Row::new(entry);
    row.text("mteEventComment", entry, "comment");
    row.cell("mteEventEnabled", truth(entry.leaf_or_default("enabled") == "true"));
    let mut actions = 0_u8;
    if let Some(written) = entry.leaf("notification") {
        actions |= 0x80;
        let notification: Oid = written.parse().map_err(|_| {
            let reason = format!("{written} is not the object identifier of a notification");
            SnmpFault::invalid(entry.place("notification"), reason)
        })?;
        row.cell("mteEventNotification", Value::ObjectIdentifier(notification));
        row.objects(["mteEventNotificationObjectsOwner", "mteEventNotificationObjects"], entry);
    }
    if let Some(set) = entry.within("set") {
        actions |= 0x40;
        row.object(["mteEventSetObject", "mteEventSetObjectWildcard"], &set, "object", &[0, 0])?;
        row.integer("mteEventSetValue", &set, "value");
    }
    row.cell("mteEventActions", Value::OctetString(vec![actions]));
    wanted.add(EVENTS, &id(entry), row.0, entry.path.clone())
}

/// An object of notifications.
fn more(entry: &Look<'_>, wanted: &mut Wanted) -> Result<(), SnmpFault> {
    let mut row = Row::new(entry);
    row.object(["mteObjectsID", "mteObjectsIDWildcard"], entry, "object", &[0, 0])?;
    let number = entry.leaf("index").and_then(|index| index.parse().ok()).unwrap_or(0);
    let index = [&id(entry)[..], &[IndexValue::Integer(number)]].concat();
    wanted.add(MORE, &index, row.0, entry.path.clone())
}
