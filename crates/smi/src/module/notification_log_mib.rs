//! NOTIFICATION-LOG-MIB (RFC 3014): notifications that were sent, kept for managers that missed them.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// NOTIFICATION-LOG-MIB.
pub static MODULE: Module = Module {
    name: "NOTIFICATION-LOG-MIB",
    reference: "RFC 3014",
    nodes: &[
        Node { name: "notificationLogMIB", oid: &[1, 3, 6, 1, 2, 1, 92] },
        Node { name: "notificationLogMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 92, 1] },
        Node { name: "nlmConfig", oid: &[1, 3, 6, 1, 2, 1, 92, 1, 1] },
        Node { name: "nlmStats", oid: &[1, 3, 6, 1, 2, 1, 92, 1, 2] },
        Node { name: "nlmLog", oid: &[1, 3, 6, 1, 2, 1, 92, 1, 3] },
        Node { name: "notificationLogMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 92, 3] },
        Node { name: "notificationLogMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 1] },
        Node { name: "notificationLogMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 1, 1] },
        Node { name: "notificationLogMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 2] },
        Node { name: "notificationLogConfigGroup", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 2, 1] },
        Node { name: "notificationLogStatsGroup", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 2, 2] },
        Node { name: "notificationLogLogGroup", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 2, 3] },
        Node { name: "notificationLogDateGroup", oid: &[1, 3, 6, 1, 2, 1, 92, 3, 2, 4] },
    ],
    scalars: &[
        NLM_CONFIG_GLOBAL_ENTRY_LIMIT,
        NLM_CONFIG_GLOBAL_AGE_OUT,
        NLM_STATS_GLOBAL_NOTIFICATIONS_LOGGED,
        NLM_STATS_GLOBAL_NOTIFICATIONS_BUMPED,
    ],
    tables: &[NLM_CONFIG_LOG_TABLE, NLM_STATS_LOG_TABLE, NLM_LOG_TABLE, NLM_LOG_VARIABLE_TABLE],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(0, 32);

const ONE_OR_MORE: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

const LOG_NAME: IndexPart = IndexPart::new("nlmLogName", IndexEncoding::Octets, NAME);

const LOG_INDEX: IndexPart = IndexPart::new("nlmLogIndex", IndexEncoding::Integer, ONE_OR_MORE);

/// The most entries of all logs together; 0 means no limit.
pub const NLM_CONFIG_GLOBAL_ENTRY_LIMIT: Scalar =
    Scalar::new("nlmConfigGlobalEntryLimit", &[1, 3, 6, 1, 2, 1, 92, 1, 1, 1], ReadWrite, Syntax::UNSIGNED32);

/// How old an entry may become; 0 means no limit.
pub const NLM_CONFIG_GLOBAL_AGE_OUT: Scalar =
    Scalar::new("nlmConfigGlobalAgeOut", &[1, 3, 6, 1, 2, 1, 92, 1, 1, 2], ReadWrite, Syntax::UNSIGNED32)
        .units("minutes");

/// Notifications put into all logs.
pub const NLM_STATS_GLOBAL_NOTIFICATIONS_LOGGED: Scalar = Scalar::new(
    "nlmStatsGlobalNotificationsLogged",
    &[1, 3, 6, 1, 2, 1, 92, 1, 2, 1],
    ReadOnly,
    Syntax::COUNTER32,
)
.units("notifications");

/// Entries discarded to make room, not for their age.
pub const NLM_STATS_GLOBAL_NOTIFICATIONS_BUMPED: Scalar = Scalar::new(
    "nlmStatsGlobalNotificationsBumped",
    &[1, 3, 6, 1, 2, 1, 92, 1, 2, 2],
    ReadOnly,
    Syntax::COUNTER32,
)
.units("notifications");

/// The logs.
pub const NLM_CONFIG_LOG_TABLE: Table = Table {
    name: "nlmConfigLogTable",
    entry: "nlmConfigLogEntry",
    oid: &[1, 3, 6, 1, 2, 1, 92, 1, 1, 3],
    index: &[LOG_NAME],
    columns: &[
        Column::new(1, "nlmLogName", NotAccessible, NAME),
        Column::new(2, "nlmConfigLogFilterName", ReadCreate, NAME),
        Column::new(3, "nlmConfigLogEntryLimit", ReadCreate, Syntax::UNSIGNED32),
        Column::new(
            4,
            "nlmConfigLogAdminStatus",
            ReadCreate,
            Syntax::enumeration(&[(1, "enabled"), (2, "disabled")]),
        ),
        Column::new(
            5,
            "nlmConfigLogOperStatus",
            ReadOnly,
            Syntax::enumeration(&[(1, "disabled"), (2, "operational"), (3, "noFilter")]),
        ),
        Column::new(6, "nlmConfigLogStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(7, "nlmConfigLogEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// What happened in each log.
pub const NLM_STATS_LOG_TABLE: Table = Table {
    name: "nlmStatsLogTable",
    entry: "nlmStatsLogEntry",
    oid: &[1, 3, 6, 1, 2, 1, 92, 1, 2, 3],
    index: &[LOG_NAME],
    columns: &[
        Column::new(1, "nlmStatsLogNotificationsLogged", ReadOnly, Syntax::COUNTER32).units("notifications"),
        Column::new(2, "nlmStatsLogNotificationsBumped", ReadOnly, Syntax::COUNTER32).units("notifications"),
    ],
};

/// The entries.
pub const NLM_LOG_TABLE: Table = Table {
    name: "nlmLogTable",
    entry: "nlmLogEntry",
    oid: &[1, 3, 6, 1, 2, 1, 92, 1, 3, 1],
    index: &[LOG_NAME, LOG_INDEX],
    columns: &[
        Column::new(1, "nlmLogIndex", NotAccessible, ONE_OR_MORE),
        Column::new(2, "nlmLogTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(3, "nlmLogDateAndTime", ReadOnly, Syntax::DATE_AND_TIME),
        Column::new(4, "nlmLogEngineID", ReadOnly, Syntax::SNMP_ENGINE_ID),
        Column::new(5, "nlmLogEngineTAddress", ReadOnly, Syntax::T_ADDRESS),
        Column::new(6, "nlmLogEngineTDomain", ReadOnly, Syntax::T_DOMAIN),
        Column::new(7, "nlmLogContextEngineID", ReadOnly, Syntax::SNMP_ENGINE_ID),
        Column::new(8, "nlmLogContextName", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(9, "nlmLogNotificationID", ReadOnly, Syntax::OBJECT_IDENTIFIER),
    ],
};

/// The variables of each entry.
pub const NLM_LOG_VARIABLE_TABLE: Table = Table {
    name: "nlmLogVariableTable",
    entry: "nlmLogVariableEntry",
    oid: &[1, 3, 6, 1, 2, 1, 92, 1, 3, 2],
    index: &[LOG_NAME, LOG_INDEX, IndexPart::new("nlmLogVariableIndex", IndexEncoding::Integer, ONE_OR_MORE)],
    columns: &[
        Column::new(1, "nlmLogVariableIndex", NotAccessible, ONE_OR_MORE),
        Column::new(2, "nlmLogVariableID", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(
            3,
            "nlmLogVariableValueType",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "counter32"),
                (2, "unsigned32"),
                (3, "timeTicks"),
                (4, "integer32"),
                (5, "ipAddress"),
                (6, "octetString"),
                (7, "objectId"),
                (8, "counter64"),
                (9, "opaque"),
            ]),
        ),
        Column::new(4, "nlmLogVariableCounter32Val", ReadOnly, Syntax::COUNTER32),
        Column::new(5, "nlmLogVariableUnsigned32Val", ReadOnly, Syntax::UNSIGNED32),
        Column::new(6, "nlmLogVariableTimeTicksVal", ReadOnly, Syntax::TIME_TICKS),
        Column::new(7, "nlmLogVariableInteger32Val", ReadOnly, Syntax::INTEGER32),
        Column::new(8, "nlmLogVariableOctetStringVal", ReadOnly, Syntax::OCTET_STRING),
        Column::new(9, "nlmLogVariableIpAddressVal", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(10, "nlmLogVariableOidVal", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(11, "nlmLogVariableCounter64Val", ReadOnly, Syntax::COUNTER64),
        Column::new(12, "nlmLogVariableOpaqueVal", ReadOnly, Syntax::OPAQUE),
    ],
};
