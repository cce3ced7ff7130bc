//! NET-SNMP-MIB, NET-SNMP-AGENT-MIB and NET-SNMP-EXTEND-MIB, as far as managers of Net-SNMP's agent
//! meet them here: its notifications, and the results of configured commands.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Scalar, Syntax, Table};

/// NET-SNMP-MIB.
pub static MODULE: Module = Module {
    name: "NET-SNMP-MIB",
    reference: "Net-SNMP 5.9",
    nodes: &[
        Node { name: "netSnmp", oid: &[1, 3, 6, 1, 4, 1, 8072] },
        Node { name: "netSnmpObjects", oid: &[1, 3, 6, 1, 4, 1, 8072, 1] },
        Node { name: "netSnmpEnumerations", oid: &[1, 3, 6, 1, 4, 1, 8072, 3] },
        Node { name: "netSnmpModuleIDs", oid: &[1, 3, 6, 1, 4, 1, 8072, 3, 1] },
        Node { name: "netSnmpAgentOIDs", oid: &[1, 3, 6, 1, 4, 1, 8072, 3, 2] },
        Node { name: "netSnmpDomains", oid: &[1, 3, 6, 1, 4, 1, 8072, 3, 3] },
        Node { name: "netSnmpExperimental", oid: &[1, 3, 6, 1, 4, 1, 8072, 9999] },
        Node { name: "netSnmpPlaypen", oid: &[1, 3, 6, 1, 4, 1, 8072, 9999, 9999] },
        Node { name: "netSnmpNotificationPrefix", oid: &[1, 3, 6, 1, 4, 1, 8072, 4] },
        Node { name: "netSnmpNotifications", oid: &[1, 3, 6, 1, 4, 1, 8072, 4, 0] },
        Node { name: "netSnmpNotificationObjects", oid: &[1, 3, 6, 1, 4, 1, 8072, 4, 1] },
        Node { name: "netSnmpConformance", oid: &[1, 3, 6, 1, 4, 1, 8072, 5] },
        Node { name: "netSnmpCompliances", oid: &[1, 3, 6, 1, 4, 1, 8072, 5, 1] },
        Node { name: "netSnmpGroups", oid: &[1, 3, 6, 1, 4, 1, 8072, 5, 2] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[],
};

/// NET-SNMP-AGENT-MIB.
pub static AGENT_MODULE: Module = Module {
    name: "NET-SNMP-AGENT-MIB",
    reference: "Net-SNMP 5.9",
    nodes: &[
        Node { name: "netSnmpAgentMIB", oid: &[1, 3, 6, 1, 4, 1, 8072, 3, 1, 2] },
        Node { name: "nsVersion", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 1] },
        Node { name: "nsMibRegistry", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 2] },
        Node { name: "nsExtensions", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3] },
        Node { name: "nsDLMod", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 4] },
        Node { name: "nsCache", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 5] },
        Node { name: "nsErrorHistory", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 6] },
        Node { name: "nsConfiguration", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 7] },
        Node { name: "nsTransactions", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 8] },
    ],
    scalars: &[],
    tables: &[],
    notifications: &[NS_NOTIFY_START, NS_NOTIFY_SHUTDOWN, NS_NOTIFY_RESTART],
};

/// NET-SNMP-EXTEND-MIB.
pub static EXTEND_MODULE: Module = Module {
    name: "NET-SNMP-EXTEND-MIB",
    reference: "Net-SNMP 5.9",
    nodes: &[
        Node { name: "netSnmpExtendMIB", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 1] },
        Node { name: "nsExtendObjects", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2] },
        Node { name: "nsExtendGroups", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3] },
        Node { name: "nsExtendConfigGroup", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3, 1] },
        Node { name: "nsExtendOutputGroup", oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 3, 2] },
    ],
    scalars: &[NS_EXTEND_NUM_ENTRIES],
    tables: &[NS_EXTEND_CONFIG_TABLE, NS_EXTEND_OUTPUT1_TABLE, NS_EXTEND_OUTPUT2_TABLE],
    notifications: &[],
};

const TOKEN: IndexPart = IndexPart::new("nsExtendToken", IndexEncoding::Octets, Syntax::DISPLAY_STRING);

/// The agent has started.
pub const NS_NOTIFY_START: Notification =
    Notification { name: "nsNotifyStart", oid: &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 1], objects: &[] };

/// The agent is about to end.
pub const NS_NOTIFY_SHUTDOWN: Notification =
    Notification { name: "nsNotifyShutdown", oid: &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 2], objects: &[] };

/// The agent has reloaded its configuration.
pub const NS_NOTIFY_RESTART: Notification =
    Notification { name: "nsNotifyRestart", oid: &[1, 3, 6, 1, 4, 1, 8072, 4, 0, 3], objects: &[] };

/// How many rows nsExtendConfigTable has.
pub const NS_EXTEND_NUM_ENTRIES: Scalar =
    Scalar::new("nsExtendNumEntries", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 1], ReadOnly, Syntax::INTEGER32);

/// The commands.
pub const NS_EXTEND_CONFIG_TABLE: Table = Table {
    name: "nsExtendConfigTable",
    entry: "nsExtendConfigEntry",
    oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 2],
    index: &[TOKEN],
    columns: &[
        Column::new(1, "nsExtendToken", NotAccessible, Syntax::DISPLAY_STRING),
        Column::new(2, "nsExtendCommand", ReadCreate, Syntax::DISPLAY_STRING),
        Column::new(3, "nsExtendArgs", ReadCreate, Syntax::DISPLAY_STRING),
        Column::new(4, "nsExtendInput", ReadCreate, Syntax::DISPLAY_STRING),
        Column::new(5, "nsExtendCacheTime", ReadCreate, Syntax::INTEGER32),
        Column::new(6, "nsExtendExecType", ReadCreate, Syntax::enumeration(&[(1, "exec"), (2, "shell")])),
        Column::new(
            7,
            "nsExtendRunType",
            ReadCreate,
            Syntax::enumeration(&[(1, "run-on-read"), (2, "run-on-set"), (3, "run-command")]),
        ),
        Column::new(20, "nsExtendStorage", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(21, "nsExtendStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// What each command printed, and how it ended.
pub const NS_EXTEND_OUTPUT1_TABLE: Table = Table {
    name: "nsExtendOutput1Table",
    entry: "nsExtendOutput1Entry",
    oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 3],
    index: &[TOKEN],
    columns: &[
        Column::new(1, "nsExtendOutput1Line", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(2, "nsExtendOutputFull", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "nsExtendOutNumLines", ReadOnly, Syntax::INTEGER32),
        Column::new(4, "nsExtendResult", ReadOnly, Syntax::INTEGER32),
    ],
};

/// What each command printed, line by line.
pub const NS_EXTEND_OUTPUT2_TABLE: Table = Table {
    name: "nsExtendOutput2Table",
    entry: "nsExtendOutput2Entry",
    oid: &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2, 4],
    index: &[TOKEN, IndexPart::new("nsExtendLineIndex", IndexEncoding::Integer, Syntax::integer(1, 1024))],
    columns: &[
        Column::new(1, "nsExtendLineIndex", NotAccessible, Syntax::integer(1, 1024)),
        Column::new(2, "nsExtendOutLine", ReadOnly, Syntax::DISPLAY_STRING),
    ],
};
