//! The active rows as what they mean.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use trunkline_admin::rows::{Row, Rows};
use trunkline_smi::module::disman_event_mib as mib;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, decode_index};
use trunkline_tree::policy::Origin;

use crate::authority::{Authority, CELL};
use crate::columns::{
    ABSENT, CHANGED, DELTA, NOTIFICATION, PRESENT, SET, SYS_UP_TIME, TRUE, exists, has_bits,
};

/// An owner and a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Named {
    pub owner: Vec<u8>,
    pub name: Vec<u8>,
}

/// All that is active.
#[derive(Clone, Debug, Default)]
pub(crate) struct Definitions {
    pub triggers: BTreeMap<Named, Arc<Trigger>>,
    pub events: BTreeMap<Named, Event>,
    objects: BTreeMap<Named, Vec<ExtraObject>>,
}

/// An object identifier, and whether an instance is put behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Object {
    pub oid: Oid,
    pub wildcard: bool,
}

/// An object of a notification, and by whose rights.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ExtraObject {
    pub object: Object,
    pub authority: Authority,
}

/// What is sampled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Trigger {
    pub id: Named,
    pub object: Object,
    pub context: Vec<u8>,
    pub every: Duration,
    pub delta: bool,
    /// What tells of a discontinuity; `None`: sysUpTime, which does not begin anew while the agent runs.
    pub discontinuity: Option<Object>,
    pub objects: Named,
    pub existence: Option<Existence>,
    pub boolean: Option<Boolean>,
    pub threshold: Option<Threshold>,
    pub authority: Authority,
}

/// mteTriggerExistenceTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Existence {
    pub present: bool,
    pub absent: bool,
    pub changed: bool,
    pub startup_present: bool,
    pub startup_absent: bool,
    pub objects: Named,
    pub event: Named,
}

/// mteTriggerBooleanTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Boolean {
    /// mteTriggerBooleanComparison.
    pub comparison: i32,
    pub value: i128,
    pub startup: bool,
    pub objects: Named,
    pub event: Named,
}

/// Two limits, and the events at them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Limits {
    pub rising: i128,
    pub falling: i128,
    pub rising_event: Named,
    pub falling_event: Named,
}

/// mteTriggerThresholdTable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Threshold {
    pub startup_rising: bool,
    pub startup_falling: bool,
    pub objects: Named,
    pub value: Limits,
    /// Of the difference between samples; `None` without events.
    pub delta: Option<Limits>,
}

/// What happens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    /// Its notification, and the objects that it has.
    pub notification: Option<(Oid, Named)>,
    pub set: Option<SetObject>,
    pub authority: Authority,
}

/// What is set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SetObject {
    pub object: Object,
    pub value: i32,
    pub context: Vec<u8>,
}

/// FailureReason, as far as this agent has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    LocalResourceLack = -1,
    BadDestination = -2,
    BadType = -5,
    NoSuchName = 2,
    GenErr = 5,
    NoAccess = 6,
    AuthorizationError = 16,
}

impl Definitions {
    /// What the active rows say.
    pub fn of(rows: &Rows) -> Self {
        let mut all = Definitions::default();
        for (index, row) in rows.active(&mib::MTE_OBJECTS_TABLE) {
            let Some(id) = named(&mib::MTE_OBJECTS_TABLE, index) else { continue };
            let object = object(row, ["mteObjectsID", "mteObjectsIDWildcard"]);
            all.objects.entry(id).or_default().push(ExtraObject { object, authority: authority(row) });
        }
        let is_enabled = |row: &Row, column: &str| row.integer(column) == TRUE;
        for (index, row) in rows.active(&mib::MTE_EVENT_TABLE) {
            if let Some(id) =
                named(&mib::MTE_EVENT_TABLE, index).filter(|_| is_enabled(row, "mteEventEnabled"))
            {
                all.events.insert(id, event(row));
            }
        }
        for (index, row) in rows.active(&mib::MTE_TRIGGER_TABLE) {
            let id = named(&mib::MTE_TRIGGER_TABLE, index);
            if let Some(id) = id.filter(|_| is_enabled(row, "mteTriggerEnabled")) {
                all.triggers.insert(id.clone(), Arc::new(trigger(id, row)));
            }
        }
        all
    }

    /// The objects of a group, in the order of their indexes.
    pub fn objects(&self, group: &Named) -> &[ExtraObject] {
        self.objects.get(group).map_or(&[], Vec::as_slice)
    }
}

impl Object {
    /// The name of an instance.
    pub fn instance(&self, suffix: &[u32]) -> Oid {
        if self.wildcard { self.oid.child(suffix) } else { self.oid.clone() }
    }
}

impl Named {
    /// Whether there is a name; without one nothing is meant.
    pub fn is_some(&self) -> bool {
        !self.name.is_empty()
    }
}

fn named(table: &Table, index: &[u32]) -> Option<Named> {
    match decode_index(table.index, index).ok()?.as_slice() {
        [IndexValue::Octets(owner), IndexValue::Octets(name), ..] => {
            Some(Named { owner: owner.clone(), name: name.clone() })
        }
        _ => None,
    }
}

/// By whose rights a row acts.
pub(crate) fn authority(row: &Row) -> Authority {
    match row.secret(CELL) {
        Some(octets) => Authority::from_octets(octets),
        None if row.state.origin == Origin::Config => Authority::Configuration,
        None => Authority::Nobody,
    }
}

fn object(row: &Row, [oid, wildcard]: [&str; 2]) -> Object {
    Object { oid: Oid::EMPTY.child(row.oid(oid)), wildcard: row.integer(wildcard) == TRUE }
}

fn reference(row: &Row, [owner, name]: [&str; 2]) -> Named {
    Named { owner: row.octets(owner).to_vec(), name: row.octets(name).to_vec() }
}

fn trigger(id: Named, row: &Row) -> Trigger {
    let marker = ["mteTriggerDeltaDiscontinuityID", "mteTriggerDeltaDiscontinuityIDWildcard"];
    let marker = object(row, marker);
    let delta = row.integer("mteTriggerSampleType") == DELTA;
    let of = |table: &str| exists(table, row);
    Trigger {
        id,
        object: object(row, ["mteTriggerValueID", "mteTriggerValueIDWildcard"]),
        context: row.octets("mteTriggerContextName").to_vec(),
        every: Duration::from_secs(u64::from(row.unsigned("mteTriggerFrequency").max(1))),
        delta,
        discontinuity: (delta && *marker.oid != SYS_UP_TIME).then_some(marker),
        objects: reference(row, ["mteTriggerObjectsOwner", "mteTriggerObjects"]),
        existence: of("mteTriggerExistenceTable").then(|| existence(row)),
        boolean: of("mteTriggerBooleanTable").then(|| boolean(row)),
        threshold: of("mteTriggerThresholdTable").then(|| threshold(row, delta)),
        authority: authority(row),
    }
}

fn existence(row: &Row) -> Existence {
    let test = |bit| has_bits(row, "mteTriggerExistenceTest", bit);
    let startup = |bit| has_bits(row, "mteTriggerExistenceStartup", bit);
    Existence {
        present: test(PRESENT),
        absent: test(ABSENT),
        changed: test(CHANGED),
        startup_present: startup(PRESENT),
        startup_absent: startup(ABSENT),
        objects: reference(row, ["mteTriggerExistenceObjectsOwner", "mteTriggerExistenceObjects"]),
        event: reference(row, ["mteTriggerExistenceEventOwner", "mteTriggerExistenceEvent"]),
    }
}

fn boolean(row: &Row) -> Boolean {
    Boolean {
        comparison: row.integer("mteTriggerBooleanComparison"),
        value: row.integer("mteTriggerBooleanValue").into(),
        startup: row.integer("mteTriggerBooleanStartup") == TRUE,
        objects: reference(row, ["mteTriggerBooleanObjectsOwner", "mteTriggerBooleanObjects"]),
        event: reference(row, ["mteTriggerBooleanEventOwner", "mteTriggerBooleanEvent"]),
    }
}

fn threshold(row: &Row, is_delta: bool) -> Threshold {
    let rising = ["mteTriggerThresholdRisingEventOwner", "mteTriggerThresholdRisingEvent"];
    let falling = ["mteTriggerThresholdFallingEventOwner", "mteTriggerThresholdFallingEvent"];
    let delta_rising = ["mteTriggerThresholdDeltaRisingEventOwner", "mteTriggerThresholdDeltaRisingEvent"];
    let delta_falling = ["mteTriggerThresholdDeltaFallingEventOwner", "mteTriggerThresholdDeltaFallingEvent"];
    let delta = Limits {
        rising: row.integer("mteTriggerThresholdDeltaRising").into(),
        falling: row.integer("mteTriggerThresholdDeltaFalling").into(),
        rising_event: reference(row, delta_rising),
        falling_event: reference(row, delta_falling),
    };
    // RFC 2981: rising(1), falling(2), risingOrFalling(3).
    let startup = row.integer("mteTriggerThresholdStartup");
    Threshold {
        startup_rising: startup & 1 != 0,
        startup_falling: startup & 2 != 0,
        objects: reference(row, ["mteTriggerThresholdObjectsOwner", "mteTriggerThresholdObjects"]),
        value: Limits {
            rising: row.integer("mteTriggerThresholdRising").into(),
            falling: row.integer("mteTriggerThresholdFalling").into(),
            rising_event: reference(row, rising),
            falling_event: reference(row, falling),
        },
        // Differences of differences are not defined.
        delta: Some(delta)
            .filter(|delta| !is_delta && (delta.rising_event.is_some() || delta.falling_event.is_some())),
    }
}

fn event(row: &Row) -> Event {
    let objects = ["mteEventNotificationObjectsOwner", "mteEventNotificationObjects"];
    let notification = || (Oid::EMPTY.child(row.oid("mteEventNotification")), reference(row, objects));
    let set = || SetObject {
        object: object(row, ["mteEventSetObject", "mteEventSetObjectWildcard"]),
        value: row.integer("mteEventSetValue"),
        context: row.octets("mteEventSetContextName").to_vec(),
    };
    Event {
        notification: has_bits(row, "mteEventActions", NOTIFICATION).then(notification),
        set: has_bits(row, "mteEventActions", SET).then(set),
        authority: authority(row),
    }
}
