//! AGENTX-MIB (RFC 2742): who is connected to a master of AgentX, and what each subagent has registered.

use crate::schema::MaxAccess::{NotAccessible, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// AGENTX-MIB.
pub static MODULE: Module = Module {
    name: "AGENTX-MIB",
    reference: "RFC 2742",
    nodes: &[
        Node { name: "agentxMIB", oid: &[1, 3, 6, 1, 2, 1, 74] },
        Node { name: "agentxObjects", oid: &[1, 3, 6, 1, 2, 1, 74, 1] },
        Node { name: "agentxGeneral", oid: &[1, 3, 6, 1, 2, 1, 74, 1, 1] },
        Node { name: "agentxConnection", oid: &[1, 3, 6, 1, 2, 1, 74, 1, 2] },
        Node { name: "agentxSession", oid: &[1, 3, 6, 1, 2, 1, 74, 1, 3] },
        Node { name: "agentxRegistration", oid: &[1, 3, 6, 1, 2, 1, 74, 1, 4] },
        Node { name: "agentxConformance", oid: &[1, 3, 6, 1, 2, 1, 74, 2] },
        Node { name: "agentxMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 74, 2, 1] },
        Node { name: "agentxMIBGroup", oid: &[1, 3, 6, 1, 2, 1, 74, 2, 1, 1] },
        Node { name: "agentxMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 74, 2, 2] },
        Node { name: "agentxMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 74, 2, 2, 1] },
    ],
    scalars: &[
        AGENTX_DEFAULT_TIMEOUT,
        AGENTX_MASTER_AGENTX_VER,
        AGENTX_CONN_TABLE_LAST_CHANGE,
        AGENTX_SESSION_TABLE_LAST_CHANGE,
        AGENTX_REGISTRATION_TABLE_LAST_CHANGE,
    ],
    tables: &[AGENTX_CONNECTION_TABLE, AGENTX_SESSION_TABLE, AGENTX_REGISTRATION_TABLE],
    notifications: &[],
};

/// Seconds in an octet of AgentX.
const SECONDS: Syntax = Syntax::integer(0, 255);

/// TAddress that may be empty.
const T_ADDRESS: Syntax = Syntax::octets(0, 255).named("AgentxTAddress", "");

const VERSION: Syntax = Syntax::integer(1, 255);

const ONE_OR_MORE: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

const CONNECTION: IndexPart = IndexPart::new("agentxConnIndex", IndexEncoding::Integer, ONE_OR_MORE);

const SESSION: IndexPart = IndexPart::new("agentxSessionIndex", IndexEncoding::Integer, Syntax::UNSIGNED32);

const REGISTRATION: IndexPart = IndexPart::new("agentxRegIndex", IndexEncoding::Integer, ONE_OR_MORE);

/// How long the master waits for subagents that do not say.
pub const AGENTX_DEFAULT_TIMEOUT: Scalar =
    Scalar::new("agentxDefaultTimeout", &[1, 3, 6, 1, 2, 1, 74, 1, 1, 1], ReadOnly, SECONDS).units("seconds");

/// The version of AgentX that the master speaks.
pub const AGENTX_MASTER_AGENTX_VER: Scalar =
    Scalar::new("agentxMasterAgentXVer", &[1, 3, 6, 1, 2, 1, 74, 1, 1, 2], ReadOnly, VERSION);

/// sysUpTime when a connection came or went.
pub const AGENTX_CONN_TABLE_LAST_CHANGE: Scalar =
    Scalar::new("agentxConnTableLastChange", &[1, 3, 6, 1, 2, 1, 74, 1, 2, 1], ReadOnly, Syntax::TIME_STAMP);

/// Connections of subagents.
pub const AGENTX_CONNECTION_TABLE: Table = Table {
    name: "agentxConnectionTable",
    entry: "agentxConnectionEntry",
    oid: &[1, 3, 6, 1, 2, 1, 74, 1, 2, 2],
    index: &[CONNECTION],
    columns: &[
        Column::new(1, "agentxConnIndex", NotAccessible, ONE_OR_MORE),
        Column::new(2, "agentxConnOpenTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(3, "agentxConnTransportDomain", ReadOnly, Syntax::T_DOMAIN),
        Column::new(4, "agentxConnTransportAddress", ReadOnly, T_ADDRESS),
    ],
};

/// sysUpTime when a session came or went.
pub const AGENTX_SESSION_TABLE_LAST_CHANGE: Scalar = Scalar::new(
    "agentxSessionTableLastChange",
    &[1, 3, 6, 1, 2, 1, 74, 1, 3, 1],
    ReadOnly,
    Syntax::TIME_STAMP,
);

/// Sessions of subagents.
pub const AGENTX_SESSION_TABLE: Table = Table {
    name: "agentxSessionTable",
    entry: "agentxSessionEntry",
    oid: &[1, 3, 6, 1, 2, 1, 74, 1, 3, 2],
    index: &[CONNECTION, SESSION],
    columns: &[
        Column::new(1, "agentxSessionIndex", NotAccessible, Syntax::UNSIGNED32),
        Column::new(2, "agentxSessionObjectID", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(3, "agentxSessionDescr", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(4, "agentxSessionAdminStatus", ReadWrite, Syntax::enumeration(&[(1, "up"), (2, "down")])),
        Column::new(5, "agentxSessionOpenTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(6, "agentxSessionAgentXVer", ReadOnly, VERSION),
        Column::new(7, "agentxSessionTimeout", ReadOnly, SECONDS).units("seconds"),
    ],
};

/// sysUpTime when a registration came or went.
pub const AGENTX_REGISTRATION_TABLE_LAST_CHANGE: Scalar = Scalar::new(
    "agentxRegistrationTableLastChange",
    &[1, 3, 6, 1, 2, 1, 74, 1, 4, 1],
    ReadOnly,
    Syntax::TIME_STAMP,
);

/// What the sessions have registered.
pub const AGENTX_REGISTRATION_TABLE: Table = Table {
    name: "agentxRegistrationTable",
    entry: "agentxRegistrationEntry",
    oid: &[1, 3, 6, 1, 2, 1, 74, 1, 4, 2],
    index: &[CONNECTION, SESSION, REGISTRATION],
    columns: &[
        Column::new(1, "agentxRegIndex", NotAccessible, ONE_OR_MORE),
        Column::new(2, "agentxRegContext", ReadOnly, Syntax::OCTET_STRING),
        Column::new(3, "agentxRegStart", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(4, "agentxRegRangeSubId", ReadOnly, Syntax::UNSIGNED32),
        Column::new(5, "agentxRegUpperBound", ReadOnly, Syntax::UNSIGNED32),
        Column::new(6, "agentxRegPriority", ReadOnly, Syntax::UNSIGNED32),
        Column::new(7, "agentxRegTimeout", ReadOnly, SECONDS).units("seconds"),
        Column::new(8, "agentxRegInstance", ReadOnly, Syntax::TRUTH_VALUE),
    ],
};
