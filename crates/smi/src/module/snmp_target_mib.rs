//! SNMP-TARGET-MIB (RFC 3413): where messages are sent to and how.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// SNMP-TARGET-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-TARGET-MIB",
    reference: "RFC 3413",
    nodes: &[
        Node { name: "snmpTargetMIB", oid: &[1, 3, 6, 1, 6, 3, 12] },
        Node { name: "snmpTargetObjects", oid: &[1, 3, 6, 1, 6, 3, 12, 1] },
        Node { name: "snmpTargetConformance", oid: &[1, 3, 6, 1, 6, 3, 12, 3] },
        Node { name: "snmpTargetCompliances", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 1] },
        Node { name: "snmpTargetCommandResponderCompliance", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 1, 1] },
        Node { name: "snmpTargetGroups", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 2] },
        Node { name: "snmpTargetBasicGroup", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 2, 1] },
        Node { name: "snmpTargetResponseGroup", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 2, 2] },
        Node { name: "snmpTargetCommandResponderGroup", oid: &[1, 3, 6, 1, 6, 3, 12, 3, 2, 3] },
    ],
    scalars: &[SNMP_TARGET_SPIN_LOCK, SNMP_UNAVAILABLE_CONTEXTS, SNMP_UNKNOWN_CONTEXTS],
    tables: &[SNMP_TARGET_ADDR_TABLE, SNMP_TARGET_PARAMS_TABLE],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(1, 32);

pub(super) const SNMP_TARGET_ADDR_NAME: IndexPart =
    IndexPart::new("snmpTargetAddrName", IndexEncoding::ImpliedOctets, NAME);

pub(super) const SNMP_TARGET_PARAMS_NAME: IndexPart =
    IndexPart::new("snmpTargetParamsName", IndexEncoding::ImpliedOctets, NAME);

/// The lock with which managers coordinate changes to the tables of this module.
pub const SNMP_TARGET_SPIN_LOCK: Scalar =
    Scalar::new("snmpTargetSpinLock", &[1, 3, 6, 1, 6, 3, 12, 1, 1], ReadWrite, Syntax::TEST_AND_INCR);

/// Requests for a context that exists but was not available.
pub const SNMP_UNAVAILABLE_CONTEXTS: Scalar =
    Scalar::new("snmpUnavailableContexts", &[1, 3, 6, 1, 6, 3, 12, 1, 4], ReadOnly, Syntax::COUNTER32);

/// Requests for a context that does not exist.
pub const SNMP_UNKNOWN_CONTEXTS: Scalar =
    Scalar::new("snmpUnknownContexts", &[1, 3, 6, 1, 6, 3, 12, 1, 5], ReadOnly, Syntax::COUNTER32);

/// Transport addresses for the generation of messages.
pub const SNMP_TARGET_ADDR_TABLE: Table = Table {
    name: "snmpTargetAddrTable",
    entry: "snmpTargetAddrEntry",
    oid: &[1, 3, 6, 1, 6, 3, 12, 1, 2],
    index: &[SNMP_TARGET_ADDR_NAME],
    columns: &[
        Column::new(1, "snmpTargetAddrName", NotAccessible, NAME),
        Column::new(2, "snmpTargetAddrTDomain", ReadCreate, Syntax::T_DOMAIN),
        Column::new(3, "snmpTargetAddrTAddress", ReadCreate, Syntax::T_ADDRESS),
        Column::new(4, "snmpTargetAddrTimeout", ReadCreate, Syntax::TIME_INTERVAL),
        Column::new(5, "snmpTargetAddrRetryCount", ReadCreate, Syntax::integer(0, 255)),
        Column::new(6, "snmpTargetAddrTagList", ReadCreate, Syntax::SNMP_TAG_LIST),
        Column::new(7, "snmpTargetAddrParams", ReadCreate, NAME),
        Column::new(8, "snmpTargetAddrStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(9, "snmpTargetAddrRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// Whose messages these are, and with what security.
pub const SNMP_TARGET_PARAMS_TABLE: Table = Table {
    name: "snmpTargetParamsTable",
    entry: "snmpTargetParamsEntry",
    oid: &[1, 3, 6, 1, 6, 3, 12, 1, 3],
    index: &[SNMP_TARGET_PARAMS_NAME],
    columns: &[
        Column::new(1, "snmpTargetParamsName", NotAccessible, NAME),
        Column::new(2, "snmpTargetParamsMPModel", ReadCreate, Syntax::SNMP_MESSAGE_PROCESSING_MODEL),
        Column::new(
            3,
            "snmpTargetParamsSecurityModel",
            ReadCreate,
            Syntax { min: 1, ..Syntax::SNMP_SECURITY_MODEL },
        ),
        Column::new(4, "snmpTargetParamsSecurityName", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(5, "snmpTargetParamsSecurityLevel", ReadCreate, Syntax::SNMP_SECURITY_LEVEL),
        Column::new(6, "snmpTargetParamsStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(7, "snmpTargetParamsRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
