//! Groups of other agents that this one reads: `trunklineGroups` of TRUNKLINE-MIB.

use crate::schema::MaxAccess::{AccessibleForNotify, NotAccessible, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Notification, Scalar, Syntax, Table};

const NAME: Syntax = Syntax::admin_string(1, 32);

/// Of a member of a member too: `MANAGER/GROUP/MEMBER`.
const MEMBER_NAME: Syntax = Syntax::admin_string(1, 98);

const GROUP: IndexPart = IndexPart::new("groupName", IndexEncoding::Octets, NAME);

const MEMBER: IndexPart = IndexPart::new("groupMemberName", IndexEncoding::Octets, MEMBER_NAME);

const AGGREGATE: IndexPart = IndexPart::new("groupAggregateName", IndexEncoding::Octets, MEMBER_NAME);

const OBJECT: IndexPart =
    IndexPart::new("groupValueObject", IndexEncoding::ImpliedObjectIdentifier, Syntax::OBJECT_IDENTIFIER);

/// A number that rises and falls (RFC 2856).
const GAUGE64: Syntax = Syntax::COUNTER64.named("CounterBasedGauge64", "");

/// The groups.
pub const GROUP_TABLE: Table = Table {
    name: "groupTable",
    entry: "groupEntry",
    oid: &[1, 3, 6, 1, 3, 9161, 4, 1],
    index: &[GROUP],
    columns: &[
        Column::new(1, "groupName", NotAccessible, NAME),
        Column::new(2, "groupImportance", ReadOnly, Syntax::UNSIGNED32),
        Column::new(3, "groupInterval", ReadOnly, Syntax::UNSIGNED32).units("milliseconds"),
        Column::new(4, "groupMembers", ReadOnly, Syntax::GAUGE32),
        Column::new(5, "groupReachable", ReadOnly, Syntax::GAUGE32),
        Column::new(6, "groupRole", ReadOnly, Syntax::enumeration(&[(1, "active"), (2, "standby")])),
        Column::new(7, "groupCycles", ReadOnly, Syntax::COUNTER32),
        Column::new(8, "groupOverruns", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "groupLastCycle", ReadOnly, Syntax::TIME_STAMP),
        Column::new(10, "groupLastCycleTime", ReadOnly, Syntax::GAUGE32).units("milliseconds"),
        Column::new(11, "groupPeer", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(
            12,
            "groupPeerState",
            ReadOnly,
            Syntax::enumeration(&[(1, "none"), (2, "unknown"), (3, "active"), (4, "standby"), (5, "lost")]),
        ),
    ],
};

/// The members of the groups.
pub const GROUP_MEMBER_TABLE: Table = Table {
    name: "groupMemberTable",
    entry: "groupMemberEntry",
    oid: &[1, 3, 6, 1, 3, 9161, 4, 2],
    index: &[GROUP, MEMBER],
    columns: &[
        Column::new(1, "groupMemberName", NotAccessible, MEMBER_NAME),
        Column::new(2, "groupMemberAddress", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(3, "groupMemberProtocol", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(4, "groupMemberState", ReadOnly, MEMBER_STATE),
        Column::new(5, "groupMemberLastSuccess", ReadOnly, Syntax::TIME_STAMP),
        Column::new(6, "groupMemberFailures", ReadOnly, Syntax::GAUGE32),
        Column::new(7, "groupMemberRoundTrip", ReadOnly, Syntax::GAUGE32).units("microseconds"),
        Column::new(8, "groupMemberRestarts", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "groupMemberReason", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(10, "groupMemberRequests", ReadOnly, Syntax::COUNTER64),
        Column::new(11, "groupMemberTimeouts", ReadOnly, Syntax::COUNTER64),
        Column::new(12, "groupMemberStrange", ReadOnly, Syntax::COUNTER64),
    ],
};

/// The worst first, as pages of lists sort them.
const MEMBER_STATE: Syntax = Syntax::enumeration(&[
    (4, "down"),
    (5, "paused"),
    (3, "partial"),
    (1, "unknown"),
    (6, "notRead"),
    (2, "up"),
]);

/// What is computed of the members' values.
pub const GROUP_AGGREGATE_TABLE: Table = Table {
    name: "groupAggregateTable",
    entry: "groupAggregateEntry",
    oid: &[1, 3, 6, 1, 3, 9161, 4, 3],
    index: &[GROUP, AGGREGATE],
    columns: &[
        Column::new(1, "groupAggregateName", NotAccessible, MEMBER_NAME),
        Column::new(
            2,
            "groupAggregateFunction",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "sum"),
                (2, "mean"),
                (3, "minimum"),
                (4, "maximum"),
                (5, "count"),
                (6, "quantile"),
            ]),
        ),
        Column::new(3, "groupAggregateObject", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(4, "groupAggregateValue", ReadOnly, GAUGE64),
        Column::new(5, "groupAggregateInteger", ReadOnly, Syntax::INTEGER32),
        Column::new(6, "groupAggregateText", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(7, "groupAggregateUnits", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(8, "groupAggregateCounted", ReadOnly, Syntax::GAUGE32),
        Column::new(9, "groupAggregateMissing", ReadOnly, Syntax::GAUGE32),
        Column::new(10, "groupAggregateAge", ReadOnly, Syntax::GAUGE32).units("milliseconds"),
    ],
};

/// The members' values, by the names that the objects have there.
pub const GROUP_VALUE_TABLE: Table = Table {
    name: "groupValueTable",
    entry: "groupValueEntry",
    oid: &[1, 3, 6, 1, 3, 9161, 4, 4],
    index: &[GROUP, MEMBER, OBJECT],
    columns: &[
        Column::new(1, "groupValueObject", NotAccessible, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "groupValueTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(3, "groupValueCounter32", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "groupValueUnsigned32", ReadOnly, Syntax::UNSIGNED32),
        Column::new(5, "groupValueTimeTicks", ReadOnly, Syntax::TIME_TICKS),
        Column::new(6, "groupValueInteger32", ReadOnly, Syntax::INTEGER32),
        Column::new(7, "groupValueOctets", ReadOnly, Syntax::OCTET_STRING),
        Column::new(8, "groupValueIpAddress", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(9, "groupValueOid", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(10, "groupValueCounter64", ReadOnly, Syntax::COUNTER64),
        Column::new(11, "groupValueOpaque", ReadOnly, Syntax::OPAQUE),
    ],
};

/// Notifications that were received and are of no member, or were not accepted.
pub const GROUP_STRANGERS: Scalar =
    Scalar::new("groupStrangers", &[1, 3, 6, 1, 3, 9161, 4, 8], ReadOnly, Syntax::COUNTER32);

/// Notifications of members that were passed on.
pub const GROUP_PASSED_ON: Scalar =
    Scalar::new("groupPassedOn", &[1, 3, 6, 1, 3, 9161, 4, 9], ReadOnly, Syntax::COUNTER32);

/// How many values there are, if groupValueTable has none of them because they are too many; 0 otherwise.
pub const GROUP_VALUES_LEFT_OUT: Scalar =
    Scalar::new("groupValuesLeftOut", &[1, 3, 6, 1, 3, 9161, 4, 10], ReadOnly, Syntax::GAUGE32);

/// The group of a notification.
pub const GROUP_NOTIFY_GROUP: Scalar =
    Scalar::new("groupNotifyGroup", &[1, 3, 6, 1, 3, 9161, 4, 5], AccessibleForNotify, NAME);

/// The member of a notification.
pub const GROUP_NOTIFY_MEMBER: Scalar =
    Scalar::new("groupNotifyMember", &[1, 3, 6, 1, 3, 9161, 4, 6], AccessibleForNotify, MEMBER_NAME);

/// Why a member is down, or what the peer does.
pub const GROUP_NOTIFY_REASON: Scalar = Scalar::new(
    "groupNotifyReason",
    &[1, 3, 6, 1, 3, 9161, 4, 7],
    AccessibleForNotify,
    Syntax::SNMP_ADMIN_STRING,
);

/// A member does not answer any more.
pub const GROUP_MEMBER_DOWN: Notification = Notification {
    name: "groupMemberDown",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 11],
    objects: &["groupNotifyGroup", "groupNotifyMember", "groupNotifyReason"],
};

/// A member answers again.
pub const GROUP_MEMBER_UP: Notification = Notification {
    name: "groupMemberUp",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 12],
    objects: &["groupNotifyGroup", "groupNotifyMember", "groupNotifyReason"],
};

/// This agent reads the group from now on: its peer does not answer.
pub const GROUP_TAKEN_OVER: Notification = Notification {
    name: "groupTakenOver",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 13],
    objects: &["groupNotifyGroup", "groupNotifyReason"],
};

/// This agent leaves the group to its peer, which answers again.
pub const GROUP_GIVEN_BACK: Notification = Notification {
    name: "groupGivenBack",
    oid: &[1, 3, 6, 1, 3, 9161, 0, 14],
    objects: &["groupNotifyGroup", "groupNotifyReason"],
};
