//! The rows of the configuration, which managers cannot change, and the built-in events. Their owners have
//! Net-SNMP's names, so that what managers have referred to at its agent goes on working.

use trunkline_admin::rows::{Row, Rows};
use trunkline_config::{
    BUILT_IN_EVENTS, BooleanPlan, EventPlan, ExistencePlan, ObjectPlan, Plan, ThresholdPlan,
    ThresholdStartup, TriggerPlan,
};
use trunkline_smi::module::disman_event_mib as mib;
use trunkline_smi::module::if_mib;
use trunkline_smi::{Oid, Value};
use trunkline_tree::policy::StorageType;

use crate::authority::{Authority, CELL};
use crate::columns::{
    self, ABSENT, BOOLEAN, CHANGED, DELTA, EXISTENCE, NOTIFICATION, PRESENT, SET, THRESHOLD, bits, truth,
};

/// The owner of what the configuration defines.
pub(crate) const CONFIGURATION: &str = "snmpd.conf";

/// The owner of the built-in events.
pub(crate) const BUILT_IN: &str = "_snmpd";

/// The objects that say which trigger fired.
pub(crate) const HOT_OBJECTS: &str = "_triggerFire";

/// The objects that say which check failed.
const FAILURE_OBJECTS: &str = "_triggerFail";

/// The objects of the built-in events for interfaces.
const LINK_OBJECTS: &str = "_linkUpDown";

/// The rows of a configuration.
pub(crate) fn rows(plan: &Plan) -> Rows {
    let mut rows = Rows::new();
    built_in(&mut rows);
    for event in &plan.events {
        add_event(&mut rows, event);
    }
    for trigger in &plan.triggers {
        add_trigger(&mut rows, trigger);
    }
    rows
}

fn built_in(rows: &mut Rows) {
    for (name, notification) in BUILT_IN_EVENTS {
        let objects = match *name {
            "_linkDown" | "_linkUp" => LINK_OBJECTS,
            "_mteTriggerFailure" => FAILURE_OBJECTS,
            _ => HOT_OBJECTS,
        };
        let mut row = configured(columns::event(&[]));
        row.set("mteEventActions", bits(NOTIFICATION));
        row.set("mteEventEnabled", truth(true));
        row.set("mteEventNotification", Value::ObjectIdentifier(Oid::EMPTY.child(notification.oid)));
        row.set("mteEventNotificationObjectsOwner", Value::text(BUILT_IN));
        row.set("mteEventNotificationObjects", Value::text(objects));
        rows.insert(&mib::MTE_EVENT_TABLE, index(BUILT_IN, name), row);
    }
    let status = [1, 7, 8].map(|column| ObjectPlan {
        oid: Oid::EMPTY.child(if_mib::IF_TABLE.oid).child(&[1, column]),
        wildcard: true,
    });
    add_objects(rows, BUILT_IN, LINK_OBJECTS, &status);
    // Their values are in no table: `fire` knows them.
    let hot =
        [&mib::MTE_HOT_TRIGGER, &mib::MTE_HOT_TARGET_NAME, &mib::MTE_HOT_CONTEXT_NAME, &mib::MTE_HOT_OID];
    for (group, last) in [(HOT_OBJECTS, &mib::MTE_HOT_VALUE), (FAILURE_OBJECTS, &mib::MTE_FAILED_REASON)] {
        let objects = hot.iter().copied().chain([last]);
        let objects = objects.map(|scalar| ObjectPlan { oid: Oid::EMPTY.child(scalar.oid), wildcard: false });
        add_objects(rows, BUILT_IN, group, &objects.collect::<Vec<_>>());
    }
}

fn add_event(rows: &mut Rows, event: &EventPlan) {
    let mut row = configured(columns::event(&[]));
    let mut actions = 0;
    row.set("mteEventComment", Value::text(&event.comment));
    row.set("mteEventEnabled", truth(true));
    if let Some(notification) = &event.notification {
        actions |= NOTIFICATION;
        row.set("mteEventNotification", Value::ObjectIdentifier(notification.clone()));
        if !event.objects.is_empty() {
            let group = format!("_E{}", event.name);
            add_objects(rows, CONFIGURATION, &group, &event.objects);
            row.set("mteEventNotificationObjectsOwner", Value::text(CONFIGURATION));
            row.set("mteEventNotificationObjects", Value::text(&group));
        }
    }
    if let Some((object, value)) = &event.set {
        actions |= SET;
        row.set("mteEventSetObject", Value::ObjectIdentifier(object.oid.clone()));
        row.set("mteEventSetObjectWildcard", truth(object.wildcard));
        row.set("mteEventSetValue", Value::Integer(*value));
    }
    row.set("mteEventActions", bits(actions));
    rows.insert(&mib::MTE_EVENT_TABLE, index(CONFIGURATION, &event.name), row);
}

fn add_trigger(rows: &mut Rows, trigger: &TriggerPlan) {
    let mut row = configured(columns::trigger(&[]));
    let tests = [
        (EXISTENCE, trigger.existence.is_some()),
        (BOOLEAN, trigger.boolean.is_some()),
        (THRESHOLD, trigger.threshold.is_some()),
    ];
    let tests = tests.iter().filter(|(_, is_wanted)| *is_wanted).fold(0, |all, (test, _)| all | test);
    row.set("mteTriggerComment", Value::text(&trigger.comment));
    row.set("mteTriggerTest", bits(tests));
    row.set("mteTriggerValueID", Value::ObjectIdentifier(trigger.object.oid.clone()));
    row.set("mteTriggerValueIDWildcard", truth(trigger.object.wildcard));
    row.set("mteTriggerContextName", Value::text(&trigger.context));
    row.set("mteTriggerFrequency", Value::Unsigned32(trigger.every));
    row.set("mteTriggerEnabled", truth(true));
    if trigger.delta {
        row.set("mteTriggerSampleType", Value::Integer(DELTA));
    }
    if let Some(marker) = &trigger.discontinuity {
        row.set("mteTriggerDeltaDiscontinuityID", Value::ObjectIdentifier(marker.oid.clone()));
        row.set("mteTriggerDeltaDiscontinuityIDWildcard", truth(marker.wildcard));
    }
    if !trigger.objects.is_empty() {
        let group = format!("_T{}", trigger.name);
        add_objects(rows, CONFIGURATION, &group, &trigger.objects);
        row.set("mteTriggerObjectsOwner", Value::text(CONFIGURATION));
        row.set("mteTriggerObjects", Value::text(&group));
    }
    if let Some(existence) = &trigger.existence {
        add_existence(&mut row, existence);
    }
    if let Some(boolean) = &trigger.boolean {
        add_boolean(&mut row, boolean);
    }
    if let Some(threshold) = &trigger.threshold {
        add_threshold(&mut row, threshold);
    }
    let authority = trigger.user.as_deref().map(Authority::of_user);
    row.set_secret(CELL, authority.and_then(|authority| authority.to_octets()));
    rows.insert(&mib::MTE_TRIGGER_TABLE, index(CONFIGURATION, &trigger.name), row);
}

fn add_existence(row: &mut Row, plan: &ExistencePlan) {
    let of = |flags: &[(u8, bool)]| flags.iter().filter(|(_, on)| *on).fold(0, |all, (bit, _)| all | bit);
    let test = of(&[(PRESENT, plan.present), (ABSENT, plan.absent), (CHANGED, plan.changed)]);
    let startup = of(&[(PRESENT, plan.startup_present), (ABSENT, plan.startup_absent)]);
    row.set("mteTriggerExistenceTest", bits(test));
    row.set("mteTriggerExistenceStartup", bits(startup));
    set_event(row, ["mteTriggerExistenceEventOwner", "mteTriggerExistenceEvent"], &plan.event);
}

fn add_boolean(row: &mut Row, plan: &BooleanPlan) {
    row.set("mteTriggerBooleanComparison", Value::Integer(plan.comparison as i32));
    row.set("mteTriggerBooleanValue", Value::Integer(plan.value));
    row.set("mteTriggerBooleanStartup", truth(plan.startup));
    set_event(row, ["mteTriggerBooleanEventOwner", "mteTriggerBooleanEvent"], &plan.event);
}

fn add_threshold(row: &mut Row, plan: &ThresholdPlan) {
    row.set("mteTriggerThresholdRising", Value::Integer(plan.rising));
    row.set("mteTriggerThresholdFalling", Value::Integer(plan.falling));
    match plan.startup {
        // The enumeration has no number for it: the column has no instance.
        ThresholdStartup::None => row.unset("mteTriggerThresholdStartup"),
        startup => row.set("mteTriggerThresholdStartup", Value::Integer(startup as i32)),
    }
    let (rising, falling) = (&plan.rising_event, &plan.falling_event);
    set_event(row, ["mteTriggerThresholdRisingEventOwner", "mteTriggerThresholdRisingEvent"], rising);
    set_event(row, ["mteTriggerThresholdFallingEventOwner", "mteTriggerThresholdFallingEvent"], falling);
    if let Some((high, low)) = plan.delta {
        row.set("mteTriggerThresholdDeltaRising", Value::Integer(high));
        row.set("mteTriggerThresholdDeltaFalling", Value::Integer(low));
        let columns = ["mteTriggerThresholdDeltaRisingEventOwner", "mteTriggerThresholdDeltaRisingEvent"];
        set_event(row, columns, rising);
        let columns = ["mteTriggerThresholdDeltaFallingEventOwner", "mteTriggerThresholdDeltaFallingEvent"];
        set_event(row, columns, falling);
    }
}

fn set_event(row: &mut Row, [owner, name]: [&'static str; 2], event: &str) {
    let whose = if event.starts_with('_') { BUILT_IN } else { CONFIGURATION };
    row.set(owner, Value::text(whose));
    row.set(name, Value::text(event));
}

fn add_objects(rows: &mut Rows, owner: &str, group: &str, objects: &[ObjectPlan]) {
    for (number, object) in (1..).zip(objects) {
        let mut row = configured(columns::object(&[]));
        row.set("mteObjectsID", Value::ObjectIdentifier(object.oid.clone()));
        row.set("mteObjectsIDWildcard", truth(object.wildcard));
        let mut index = octets(owner);
        index.extend(octets(group));
        index.push(number);
        rows.insert(&mib::MTE_OBJECTS_TABLE, index, row);
    }
}

fn configured(cells: Vec<(&'static str, Value)>) -> Row {
    Row::configured(StorageType::ReadOnly, cells)
}

/// The index of an owner and an IMPLIED name.
pub(crate) fn index(owner: &str, name: &str) -> Vec<u32> {
    let mut index = octets(owner);
    index.extend(name.bytes().map(u32::from));
    index
}

fn octets(text: &str) -> Vec<u32> {
    std::iter::once(text.len() as u32).chain(text.bytes().map(u32::from)).collect()
}
