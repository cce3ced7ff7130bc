//! trunkline-delegation: what managers have the agent do on its own, as configuration: rows of DISMAN-EXPRESSION-MIB and DISMAN-EVENT-MIB. Each leaf
//! has the object whose column it is; the name of an entry has the status of its row.

use super::{OwnModule, OwnNode, Rule, container, list, presence, setting};
use crate::value_type::ValueType;

/// The module.
pub static DELEGATION: OwnModule = OwnModule {
    name: "trunkline-delegation",
    namespace: "urn:trunkline:yang:delegation",
    prefix: "tld",
    revision: "2026-11-29",
    features: &[],
    notifications: &[],
    nodes: &[container(
        "delegation",
        &[
            list("expression", &["owner", "name"], &EXPRESSION),
            list("monitor", &["owner", "name"], &MONITOR),
            list("event", &["owner", "name"], &EVENT),
            list("notification-object", &["owner", "name", "index"], &NOTIFICATION_OBJECT),
        ],
    )],
};

const NAME: ValueType = ValueType::Sized(1, 32);
const COMMENT: ValueType = ValueType::Sized(0, 255);
const OBJECT: ValueType = ValueType::WildcardOid;
const LIFETIME: ValueType = ValueType::Number(1, 4_294_967_295);

const fn until(status: &'static [u32]) -> OwnNode {
    setting("until", ValueType::Time, status)
        .rules(&[Rule::Must("not(../lifetime)", "an entry has a lifetime or the time of its end, not both")])
}

/// expExpressionValueType by its numbers, from 1.
pub const VALUE_TYPES: [&str; 8] = [
    "counter32",
    "unsigned32",
    "timeTicks",
    "integer32",
    "ipAddress",
    "octetString",
    "objectId",
    "counter64",
];

/// expObjectSampleType by its numbers, from 1.
pub const SAMPLES: [&str; 3] = ["absolute", "delta", "changed"];

/// mteTriggerSampleType by its numbers, from 1.
pub const MONITOR_SAMPLES: [&str; 2] = ["absolute", "delta"];

/// mteTriggerBooleanComparison by its numbers, from 1.
pub const COMPARISONS: [&str; 6] =
    ["unequal", "equal", "less", "less-or-equal", "greater", "greater-or-equal"];

/// mteTriggerThresholdStartup by its numbers, from 1.
pub const STARTUPS: [&str; 3] = ["rising", "falling", "both"];

const fn of_expression(column: u32) -> [u32; 12] {
    [1, 3, 6, 1, 2, 1, 90, 1, 2, 1, 1, column]
}

static EXPRESSION_STATUS: [u32; 12] = of_expression(9);
static EXPRESSION_TEXT: [u32; 12] = of_expression(3);
static EXPRESSION_TYPE: [u32; 12] = of_expression(4);
static EXPRESSION_COMMENT: [u32; 12] = of_expression(5);
static EXPRESSION_INTERVAL: [u32; 12] = of_expression(6);

static EXPRESSION: [OwnNode; 9] = [
    setting("owner", NAME, &EXPRESSION_STATUS),
    setting("name", NAME, &EXPRESSION_STATUS),
    setting("comment", COMMENT, &EXPRESSION_COMMENT),
    setting("text", ValueType::Sized(1, 1024), &EXPRESSION_TEXT).mandatory(),
    setting("type", ValueType::Enumeration(&VALUE_TYPES), &EXPRESSION_TYPE).default("counter32"),
    setting("interval", ValueType::Number(0, 86_400), &EXPRESSION_INTERVAL).default("0"),
    setting("lifetime", LIFETIME, &EXPRESSION_STATUS),
    until(&EXPRESSION_STATUS),
    list("object", &["index"], &EXPRESSION_OBJECT),
];

const fn of_object(column: u32) -> [u32; 12] {
    [1, 3, 6, 1, 2, 1, 90, 1, 2, 3, 1, column]
}

static OBJECT_STATUS: [u32; 12] = of_object(10);
static OBJECT_ID: [u32; 12] = of_object(2);
static OBJECT_SAMPLE: [u32; 12] = of_object(4);
static OBJECT_DISCONTINUITY: [u32; 12] = of_object(5);
static OBJECT_CONDITIONAL: [u32; 12] = of_object(8);

static EXPRESSION_OBJECT: [OwnNode; 5] = [
    setting("index", ValueType::Number(1, 4_294_967_295), &OBJECT_STATUS),
    setting("object", OBJECT, &OBJECT_ID).mandatory(),
    setting("sample", ValueType::Enumeration(&SAMPLES), &OBJECT_SAMPLE).default("absolute"),
    setting("discontinuity", OBJECT, &OBJECT_DISCONTINUITY),
    setting("conditional", OBJECT, &OBJECT_CONDITIONAL),
];

const fn of_event_mib(group: u32, table: u32, column: u32) -> [u32; 12] {
    [1, 3, 6, 1, 2, 1, 88, 1, group, table, 1, column]
}

static TRIGGER_STATUS: [u32; 12] = of_event_mib(2, 2, 15);
static TRIGGER_COMMENT: [u32; 12] = of_event_mib(2, 2, 3);
static TRIGGER_OBJECT: [u32; 12] = of_event_mib(2, 2, 6);
static TRIGGER_CONTEXT: [u32; 12] = of_event_mib(2, 2, 9);
static TRIGGER_FREQUENCY: [u32; 12] = of_event_mib(2, 2, 11);
static TRIGGER_SAMPLE: [u32; 12] = of_event_mib(2, 2, 5);
static TRIGGER_ENABLED: [u32; 12] = of_event_mib(2, 2, 14);
static TRIGGER_DISCONTINUITY: [u32; 12] = of_event_mib(2, 3, 1);
static EXISTENCE_TEST: [u32; 12] = of_event_mib(2, 4, 1);
static EXISTENCE_EVENT: [u32; 12] = of_event_mib(2, 4, 6);
static BOOLEAN_COMPARISON: [u32; 12] = of_event_mib(2, 5, 1);
static BOOLEAN_VALUE: [u32; 12] = of_event_mib(2, 5, 2);
static BOOLEAN_EVENT: [u32; 12] = of_event_mib(2, 5, 7);
static THRESHOLD_STARTUP: [u32; 12] = of_event_mib(2, 6, 1);
static THRESHOLD_RISING: [u32; 12] = of_event_mib(2, 6, 2);
static THRESHOLD_FALLING: [u32; 12] = of_event_mib(2, 6, 3);
static THRESHOLD_EVENT: [u32; 12] = of_event_mib(2, 6, 9);

static MONITOR: [OwnNode; 15] = [
    setting("owner", NAME, &TRIGGER_STATUS),
    setting("name", NAME, &TRIGGER_STATUS),
    setting("comment", COMMENT, &TRIGGER_COMMENT),
    setting("object", OBJECT, &TRIGGER_OBJECT).mandatory(),
    setting("context", ValueType::Sized(0, 32), &TRIGGER_CONTEXT).default(""),
    setting("interval", ValueType::Number(1, 4_294_967_295), &TRIGGER_FREQUENCY).default("600"),
    setting("sample", ValueType::Enumeration(&MONITOR_SAMPLES), &TRIGGER_SAMPLE).default("absolute"),
    setting("discontinuity", OBJECT, &TRIGGER_DISCONTINUITY),
    setting("enabled", ValueType::Boolean, &TRIGGER_ENABLED).default("true"),
    setting("lifetime", LIFETIME, &TRIGGER_STATUS),
    until(&TRIGGER_STATUS),
    presence("objects", &TRIGGER_OBJECTS),
    presence("existence", &EXISTENCE),
    presence("comparison", &COMPARISON),
    presence("threshold", &THRESHOLD),
];

/// The group of objects that a column names.
const fn objects(column: &'static [u32]) -> [OwnNode; 2] {
    [setting("owner", NAME, column).mandatory(), setting("name", NAME, column).mandatory()]
}

static TRIGGER_OBJECTS_NAME: [u32; 12] = of_event_mib(2, 2, 13);
static EXISTENCE_OBJECTS_NAME: [u32; 12] = of_event_mib(2, 4, 4);
static BOOLEAN_OBJECTS_NAME: [u32; 12] = of_event_mib(2, 5, 5);
static THRESHOLD_OBJECTS_NAME: [u32; 12] = of_event_mib(2, 6, 7);
static TRIGGER_OBJECTS: [OwnNode; 2] = objects(&TRIGGER_OBJECTS_NAME);
static EXISTENCE_OBJECTS: [OwnNode; 2] = objects(&EXISTENCE_OBJECTS_NAME);
static BOOLEAN_OBJECTS: [OwnNode; 2] = objects(&BOOLEAN_OBJECTS_NAME);
static THRESHOLD_OBJECTS: [OwnNode; 2] = objects(&THRESHOLD_OBJECTS_NAME);

static EXISTENCE: [OwnNode; 6] = [
    setting("present", ValueType::Boolean, &EXISTENCE_TEST).default("false"),
    setting("absent", ValueType::Boolean, &EXISTENCE_TEST).default("false"),
    setting("changed", ValueType::Boolean, &EXISTENCE_TEST).default("false"),
    setting("event-owner", NAME, &EXISTENCE_EVENT).default("_snmpd"),
    setting("event", NAME, &EXISTENCE_EVENT).default("_mteTriggerFired"),
    presence("objects", &EXISTENCE_OBJECTS),
];

static COMPARISON: [OwnNode; 5] = [
    setting("operator", ValueType::Enumeration(&COMPARISONS), &BOOLEAN_COMPARISON).mandatory(),
    setting("value", ValueType::Integer32, &BOOLEAN_VALUE).mandatory(),
    setting("event-owner", NAME, &BOOLEAN_EVENT).default("_snmpd"),
    setting("event", NAME, &BOOLEAN_EVENT).default("_mteTriggerFired"),
    presence("objects", &BOOLEAN_OBJECTS),
];

static THRESHOLD: [OwnNode; 8] = [
    setting("rising", ValueType::Integer32, &THRESHOLD_RISING).mandatory(),
    setting("falling", ValueType::Integer32, &THRESHOLD_FALLING).mandatory(),
    setting("startup", ValueType::Enumeration(&STARTUPS), &THRESHOLD_STARTUP).default("both"),
    setting("rising-event-owner", NAME, &THRESHOLD_EVENT).default("_snmpd"),
    setting("rising-event", NAME, &THRESHOLD_EVENT).default("_mteTriggerRising"),
    setting("falling-event-owner", NAME, &THRESHOLD_EVENT).default("_snmpd"),
    setting("falling-event", NAME, &THRESHOLD_EVENT).default("_mteTriggerFalling"),
    presence("objects", &THRESHOLD_OBJECTS),
];

static EVENT_STATUS: [u32; 12] = of_event_mib(4, 2, 5);
static EVENT_COMMENT: [u32; 12] = of_event_mib(4, 2, 2);
static EVENT_ENABLED: [u32; 12] = of_event_mib(4, 2, 4);
static EVENT_NOTIFICATION: [u32; 12] = of_event_mib(4, 3, 1);
static EVENT_OBJECTS_NAME: [u32; 12] = of_event_mib(4, 3, 3);
static EVENT_OBJECTS: [OwnNode; 2] = objects(&EVENT_OBJECTS_NAME);
static SET_OBJECT: [u32; 12] = of_event_mib(4, 4, 1);
static SET_VALUE: [u32; 12] = of_event_mib(4, 4, 3);

static EVENT: [OwnNode; 9] = [
    setting("owner", NAME, &EVENT_STATUS),
    setting("name", NAME, &EVENT_STATUS),
    setting("comment", COMMENT, &EVENT_COMMENT),
    setting("enabled", ValueType::Boolean, &EVENT_ENABLED).default("true"),
    setting("lifetime", LIFETIME, &EVENT_STATUS),
    until(&EVENT_STATUS),
    setting("notification", OBJECT, &EVENT_NOTIFICATION),
    presence("objects", &EVENT_OBJECTS)
        .rules(&[Rule::Must("../notification", "only an event with a notification has objects")]),
    presence(
        "set",
        &[
            setting("object", OBJECT, &SET_OBJECT).mandatory(),
            setting("value", ValueType::Integer32, &SET_VALUE).mandatory(),
        ],
    ),
];

static MORE_STATUS: [u32; 12] = of_event_mib(3, 1, 5);
static MORE_ID: [u32; 12] = of_event_mib(3, 1, 3);

static NOTIFICATION_OBJECT: [OwnNode; 6] = [
    setting("owner", NAME, &MORE_STATUS),
    setting("name", NAME, &MORE_STATUS),
    setting("index", ValueType::Number(1, 4_294_967_295), &MORE_STATUS),
    setting("object", OBJECT, &MORE_ID).mandatory(),
    setting("lifetime", LIFETIME, &MORE_STATUS),
    until(&MORE_STATUS),
];
