//! DISMAN-EVENT-MIB (RFC 2981): objects that are sampled, and what happens when they change or cross limits.

use crate::schema::MaxAccess::{AccessibleForNotify, NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Scalar, Syntax, Table};

/// DISMAN-EVENT-MIB.
pub static MODULE: Module = Module {
    name: "DISMAN-EVENT-MIB",
    reference: "RFC 2981",
    nodes: &[
        Node { name: "dismanEventMIB", oid: &[1, 3, 6, 1, 2, 1, 88] },
        Node { name: "dismanEventMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 88, 1] },
        Node { name: "mteResource", oid: &[1, 3, 6, 1, 2, 1, 88, 1, 1] },
        Node { name: "mteTrigger", oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2] },
        Node { name: "mteObjects", oid: &[1, 3, 6, 1, 2, 1, 88, 1, 3] },
        Node { name: "mteEvent", oid: &[1, 3, 6, 1, 2, 1, 88, 1, 4] },
        Node { name: "dismanEventMIBNotificationPrefix", oid: &[1, 3, 6, 1, 2, 1, 88, 2] },
        Node { name: "dismanEventMIBNotifications", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0] },
        Node { name: "dismanEventMIBNotificationObjects", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 1] },
        Node { name: "dismanEventMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 88, 3] },
        Node { name: "dismanEventMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 1] },
        Node { name: "dismanEventMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 1, 1] },
        Node { name: "dismanEventMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2] },
        Node { name: "dismanEventResourceGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 1] },
        Node { name: "dismanEventTriggerGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 2] },
        Node { name: "dismanEventObjectsGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 3] },
        Node { name: "dismanEventEventGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 4] },
        Node { name: "dismanEventNotificationObjectGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 5] },
        Node { name: "dismanEventNotificationGroup", oid: &[1, 3, 6, 1, 2, 1, 88, 3, 2, 6] },
    ],
    scalars: &[
        MTE_RESOURCE_SAMPLE_MINIMUM,
        MTE_RESOURCE_SAMPLE_INSTANCE_MAXIMUM,
        MTE_RESOURCE_SAMPLE_INSTANCES,
        MTE_RESOURCE_SAMPLE_INSTANCES_HIGH,
        MTE_RESOURCE_SAMPLE_INSTANCE_LACKS,
        MTE_TRIGGER_FAILURES,
        MTE_EVENT_FAILURES,
        MTE_HOT_TRIGGER,
        MTE_HOT_TARGET_NAME,
        MTE_HOT_CONTEXT_NAME,
        MTE_HOT_OID,
        MTE_HOT_VALUE,
        MTE_FAILED_REASON,
    ],
    tables: &[
        MTE_TRIGGER_TABLE,
        MTE_TRIGGER_DELTA_TABLE,
        MTE_TRIGGER_EXISTENCE_TABLE,
        MTE_TRIGGER_BOOLEAN_TABLE,
        MTE_TRIGGER_THRESHOLD_TABLE,
        MTE_OBJECTS_TABLE,
        MTE_EVENT_TABLE,
        MTE_EVENT_NOTIFICATION_TABLE,
        MTE_EVENT_SET_TABLE,
    ],
    notifications: &[
        MTE_TRIGGER_FIRED,
        MTE_TRIGGER_RISING,
        MTE_TRIGGER_FALLING,
        MTE_TRIGGER_FAILURE,
        MTE_EVENT_SET_FAILURE,
    ],
};

/// The name of an owner, a group of objects or an event, or none.
const NAME: Syntax = Syntax::admin_string(0, 32);

const INDEX_NAME: Syntax = Syntax::admin_string(1, 32);

const OWNER: IndexPart = IndexPart::new("mteOwner", IndexEncoding::Octets, NAME);

const TRIGGER_NAME: IndexPart = IndexPart::new("mteTriggerName", IndexEncoding::ImpliedOctets, INDEX_NAME);

const EVENT_NAME: IndexPart = IndexPart::new("mteEventName", IndexEncoding::ImpliedOctets, INDEX_NAME);

const OBJECTS_INDEX: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

/// FailureReason: below 0 what hinders a request from being made, above 0 the error status of its response.
pub const FAILURE_REASON: Syntax = Syntax::enumeration(&[
    (-6, "sampleOverrun"),
    (-5, "badType"),
    (-4, "noResponse"),
    (-3, "destinationUnreachable"),
    (-2, "badDestination"),
    (-1, "localResourceLack"),
    (0, "noError"),
    (1, "tooBig"),
    (2, "noSuchName"),
    (3, "badValue"),
    (4, "readOnly"),
    (5, "genErr"),
    (6, "noAccess"),
    (7, "wrongType"),
    (8, "wrongLength"),
    (9, "wrongEncoding"),
    (10, "wrongValue"),
    (11, "noCreation"),
    (12, "inconsistentValue"),
    (13, "resourceUnavailable"),
    (14, "commitFailed"),
    (15, "undoFailed"),
    (16, "authorizationError"),
    (17, "notWritable"),
    (18, "inconsistentName"),
])
.named("FailureReason", "");

/// The least mteTriggerFrequency that is accepted from now on.
pub const MTE_RESOURCE_SAMPLE_MINIMUM: Scalar = Scalar::new(
    "mteResourceSampleMinimum",
    &[1, 3, 6, 1, 2, 1, 88, 1, 1, 1],
    ReadWrite,
    Syntax::integer(1, i32::MAX as i64),
)
.units("seconds");

/// How many instances may be sampled; 0 means no limit of its own.
pub const MTE_RESOURCE_SAMPLE_INSTANCE_MAXIMUM: Scalar = Scalar::new(
    "mteResourceSampleInstanceMaximum",
    &[1, 3, 6, 1, 2, 1, 88, 1, 1, 2],
    ReadWrite,
    Syntax::UNSIGNED32,
)
.units("instances");

/// How many instances are sampled.
pub const MTE_RESOURCE_SAMPLE_INSTANCES: Scalar =
    Scalar::new("mteResourceSampleInstances", &[1, 3, 6, 1, 2, 1, 88, 1, 1, 3], ReadOnly, Syntax::GAUGE32)
        .units("instances");

/// The most instances that have been sampled since the start.
pub const MTE_RESOURCE_SAMPLE_INSTANCES_HIGH: Scalar = Scalar::new(
    "mteResourceSampleInstancesHigh",
    &[1, 3, 6, 1, 2, 1, 88, 1, 1, 4],
    ReadOnly,
    Syntax::GAUGE32,
)
.units("instances");

/// How often an instance was not sampled because of the limit.
pub const MTE_RESOURCE_SAMPLE_INSTANCE_LACKS: Scalar = Scalar::new(
    "mteResourceSampleInstanceLacks",
    &[1, 3, 6, 1, 2, 1, 88, 1, 1, 5],
    ReadOnly,
    Syntax::COUNTER32,
)
.units("instances");

/// How often a condition could not be checked.
pub const MTE_TRIGGER_FAILURES: Scalar =
    Scalar::new("mteTriggerFailures", &[1, 3, 6, 1, 2, 1, 88, 1, 2, 1], ReadOnly, Syntax::COUNTER32)
        .units("failures");

/// How often an event could not do what it should.
pub const MTE_EVENT_FAILURES: Scalar =
    Scalar::new("mteEventFailures", &[1, 3, 6, 1, 2, 1, 88, 1, 4, 1], ReadOnly, Syntax::COUNTER32);

/// The trigger that causes a notification.
pub const MTE_HOT_TRIGGER: Scalar = Scalar::new(
    "mteHotTrigger",
    &[1, 3, 6, 1, 2, 1, 88, 2, 1, 1],
    AccessibleForNotify,
    Syntax::SNMP_ADMIN_STRING,
);

/// The target that a notification is about; empty: this system.
pub const MTE_HOT_TARGET_NAME: Scalar = Scalar::new(
    "mteHotTargetName",
    &[1, 3, 6, 1, 2, 1, 88, 2, 1, 2],
    AccessibleForNotify,
    Syntax::SNMP_ADMIN_STRING,
);

/// The context that a notification is about.
pub const MTE_HOT_CONTEXT_NAME: Scalar = Scalar::new(
    "mteHotContextName",
    &[1, 3, 6, 1, 2, 1, 88, 2, 1, 3],
    AccessibleForNotify,
    Syntax::SNMP_ADMIN_STRING,
);

/// The instance that a notification is about.
pub const MTE_HOT_OID: Scalar = Scalar::new(
    "mteHotOID",
    &[1, 3, 6, 1, 2, 1, 88, 2, 1, 4],
    AccessibleForNotify,
    Syntax::OBJECT_IDENTIFIER,
);

/// Its value when the trigger fired.
pub const MTE_HOT_VALUE: Scalar =
    Scalar::new("mteHotValue", &[1, 3, 6, 1, 2, 1, 88, 2, 1, 5], AccessibleForNotify, Syntax::INTEGER32);

/// Why a check or a set failed.
pub const MTE_FAILED_REASON: Scalar =
    Scalar::new("mteFailedReason", &[1, 3, 6, 1, 2, 1, 88, 2, 1, 6], AccessibleForNotify, FAILURE_REASON);

/// The triggers.
pub const MTE_TRIGGER_TABLE: Table = Table {
    name: "mteTriggerTable",
    entry: "mteTriggerEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2, 2],
    index: &[OWNER, TRIGGER_NAME],
    columns: &[
        Column::new(1, "mteOwner", NotAccessible, NAME),
        Column::new(2, "mteTriggerName", NotAccessible, INDEX_NAME),
        Column::new(3, "mteTriggerComment", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(
            4,
            "mteTriggerTest",
            ReadCreate,
            Syntax::bits(&[(0, "existence"), (1, "boolean"), (2, "threshold")]),
        ),
        Column::new(
            5,
            "mteTriggerSampleType",
            ReadCreate,
            Syntax::enumeration(&[(1, "absoluteValue"), (2, "deltaValue")]),
        ),
        Column::new(6, "mteTriggerValueID", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(7, "mteTriggerValueIDWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(8, "mteTriggerTargetTag", ReadCreate, Syntax::SNMP_TAG_VALUE),
        Column::new(9, "mteTriggerContextName", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(10, "mteTriggerContextNameWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(11, "mteTriggerFrequency", ReadCreate, Syntax::UNSIGNED32).units("seconds"),
        Column::new(12, "mteTriggerObjectsOwner", ReadCreate, NAME),
        Column::new(13, "mteTriggerObjects", ReadCreate, NAME),
        Column::new(14, "mteTriggerEnabled", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(15, "mteTriggerEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// Of triggers that compare differences: what tells that a counter has begun anew.
pub const MTE_TRIGGER_DELTA_TABLE: Table = Table {
    name: "mteTriggerDeltaTable",
    entry: "mteTriggerDeltaEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2, 3],
    index: &[OWNER, TRIGGER_NAME],
    columns: &[
        Column::new(1, "mteTriggerDeltaDiscontinuityID", ReadWrite, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "mteTriggerDeltaDiscontinuityIDWildcard", ReadWrite, Syntax::TRUTH_VALUE),
        Column::new(
            3,
            "mteTriggerDeltaDiscontinuityIDType",
            ReadWrite,
            Syntax::enumeration(&[(1, "timeTicks"), (2, "timeStamp"), (3, "dateAndTime")]),
        ),
    ],
};

/// Of triggers that watch for instances that come, go or change.
pub const MTE_TRIGGER_EXISTENCE_TABLE: Table = Table {
    name: "mteTriggerExistenceTable",
    entry: "mteTriggerExistenceEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2, 4],
    index: &[OWNER, TRIGGER_NAME],
    columns: &[
        Column::new(
            1,
            "mteTriggerExistenceTest",
            ReadWrite,
            Syntax::bits(&[(0, "present"), (1, "absent"), (2, "changed")]),
        ),
        Column::new(
            2,
            "mteTriggerExistenceStartup",
            ReadWrite,
            Syntax::bits(&[(0, "present"), (1, "absent")]),
        ),
        Column::new(3, "mteTriggerExistenceObjectsOwner", ReadWrite, NAME),
        Column::new(4, "mteTriggerExistenceObjects", ReadWrite, NAME),
        Column::new(5, "mteTriggerExistenceEventOwner", ReadWrite, NAME),
        Column::new(6, "mteTriggerExistenceEvent", ReadWrite, NAME),
    ],
};

/// Of triggers that compare values with one value.
pub const MTE_TRIGGER_BOOLEAN_TABLE: Table = Table {
    name: "mteTriggerBooleanTable",
    entry: "mteTriggerBooleanEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2, 5],
    index: &[OWNER, TRIGGER_NAME],
    columns: &[
        Column::new(
            1,
            "mteTriggerBooleanComparison",
            ReadWrite,
            Syntax::enumeration(&[
                (1, "unequal"),
                (2, "equal"),
                (3, "less"),
                (4, "lessOrEqual"),
                (5, "greater"),
                (6, "greaterOrEqual"),
            ]),
        ),
        Column::new(2, "mteTriggerBooleanValue", ReadWrite, Syntax::INTEGER32),
        Column::new(3, "mteTriggerBooleanStartup", ReadWrite, Syntax::TRUTH_VALUE),
        Column::new(4, "mteTriggerBooleanObjectsOwner", ReadWrite, NAME),
        Column::new(5, "mteTriggerBooleanObjects", ReadWrite, NAME),
        Column::new(6, "mteTriggerBooleanEventOwner", ReadWrite, NAME),
        Column::new(7, "mteTriggerBooleanEvent", ReadWrite, NAME),
    ],
};

/// Of triggers that compare values with two limits.
pub const MTE_TRIGGER_THRESHOLD_TABLE: Table = Table {
    name: "mteTriggerThresholdTable",
    entry: "mteTriggerThresholdEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 2, 6],
    index: &[OWNER, TRIGGER_NAME],
    columns: &[
        Column::new(
            1,
            "mteTriggerThresholdStartup",
            ReadWrite,
            Syntax::enumeration(&[(1, "rising"), (2, "falling"), (3, "risingOrFalling")]),
        ),
        Column::new(2, "mteTriggerThresholdRising", ReadWrite, Syntax::INTEGER32),
        Column::new(3, "mteTriggerThresholdFalling", ReadWrite, Syntax::INTEGER32),
        Column::new(4, "mteTriggerThresholdDeltaRising", ReadWrite, Syntax::INTEGER32),
        Column::new(5, "mteTriggerThresholdDeltaFalling", ReadWrite, Syntax::INTEGER32),
        Column::new(6, "mteTriggerThresholdObjectsOwner", ReadWrite, NAME),
        Column::new(7, "mteTriggerThresholdObjects", ReadWrite, NAME),
        Column::new(8, "mteTriggerThresholdRisingEventOwner", ReadWrite, NAME),
        Column::new(9, "mteTriggerThresholdRisingEvent", ReadWrite, NAME),
        Column::new(10, "mteTriggerThresholdFallingEventOwner", ReadWrite, NAME),
        Column::new(11, "mteTriggerThresholdFallingEvent", ReadWrite, NAME),
        Column::new(12, "mteTriggerThresholdDeltaRisingEventOwner", ReadWrite, NAME),
        Column::new(13, "mteTriggerThresholdDeltaRisingEvent", ReadWrite, NAME),
        Column::new(14, "mteTriggerThresholdDeltaFallingEventOwner", ReadWrite, NAME),
        Column::new(15, "mteTriggerThresholdDeltaFallingEvent", ReadWrite, NAME),
    ],
};

/// Objects that notifications have besides their own.
pub const MTE_OBJECTS_TABLE: Table = Table {
    name: "mteObjectsTable",
    entry: "mteObjectsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 3, 1],
    index: &[
        OWNER,
        IndexPart::new("mteObjectsName", IndexEncoding::Octets, INDEX_NAME),
        IndexPart::new("mteObjectsIndex", IndexEncoding::Integer, OBJECTS_INDEX),
    ],
    columns: &[
        Column::new(1, "mteObjectsName", NotAccessible, INDEX_NAME),
        Column::new(2, "mteObjectsIndex", NotAccessible, OBJECTS_INDEX),
        Column::new(3, "mteObjectsID", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(4, "mteObjectsIDWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(5, "mteObjectsEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// What triggers cause.
pub const MTE_EVENT_TABLE: Table = Table {
    name: "mteEventTable",
    entry: "mteEventEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 4, 2],
    index: &[OWNER, EVENT_NAME],
    columns: &[
        Column::new(1, "mteEventName", NotAccessible, INDEX_NAME),
        Column::new(2, "mteEventComment", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(3, "mteEventActions", ReadCreate, Syntax::bits(&[(0, "notification"), (1, "set")])),
        Column::new(4, "mteEventEnabled", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(5, "mteEventEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// Of events that send something.
pub const MTE_EVENT_NOTIFICATION_TABLE: Table = Table {
    name: "mteEventNotificationTable",
    entry: "mteEventNotificationEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 4, 3],
    index: &[OWNER, EVENT_NAME],
    columns: &[
        Column::new(1, "mteEventNotification", ReadWrite, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "mteEventNotificationObjectsOwner", ReadWrite, NAME),
        Column::new(3, "mteEventNotificationObjects", ReadWrite, NAME),
    ],
};

/// Of events that set something.
pub const MTE_EVENT_SET_TABLE: Table = Table {
    name: "mteEventSetTable",
    entry: "mteEventSetEntry",
    oid: &[1, 3, 6, 1, 2, 1, 88, 1, 4, 4],
    index: &[OWNER, EVENT_NAME],
    columns: &[
        Column::new(1, "mteEventSetObject", ReadWrite, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "mteEventSetObjectWildcard", ReadWrite, Syntax::TRUTH_VALUE),
        Column::new(3, "mteEventSetValue", ReadWrite, Syntax::INTEGER32),
        Column::new(4, "mteEventSetTargetTag", ReadWrite, Syntax::SNMP_TAG_VALUE),
        Column::new(5, "mteEventSetContextName", ReadWrite, Syntax::SNMP_ADMIN_STRING),
        Column::new(6, "mteEventSetContextNameWildcard", ReadWrite, Syntax::TRUTH_VALUE),
    ],
};

const HOT: &[&str] = &["mteHotTrigger", "mteHotTargetName", "mteHotContextName", "mteHotOID", "mteHotValue"];

const FAILED: &[&str] =
    &["mteHotTrigger", "mteHotTargetName", "mteHotContextName", "mteHotOID", "mteFailedReason"];

/// A test of existence or of a comparison holds.
pub const MTE_TRIGGER_FIRED: Notification =
    Notification { name: "mteTriggerFired", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 1], objects: HOT };

/// A value has reached its upper limit.
pub const MTE_TRIGGER_RISING: Notification =
    Notification { name: "mteTriggerRising", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 2], objects: HOT };

/// A value has reached its lower limit.
pub const MTE_TRIGGER_FALLING: Notification =
    Notification { name: "mteTriggerFalling", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 3], objects: HOT };

/// A condition could not be checked.
pub const MTE_TRIGGER_FAILURE: Notification =
    Notification { name: "mteTriggerFailure", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 4], objects: FAILED };

/// An event could not set its object.
pub const MTE_EVENT_SET_FAILURE: Notification =
    Notification { name: "mteEventSetFailure", oid: &[1, 3, 6, 1, 2, 1, 88, 2, 0, 5], objects: FAILED };
