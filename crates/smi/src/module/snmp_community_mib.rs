//! SNMP-COMMUNITY-MIB (RFC 3584): communities as security names, and what traps of SNMPv1 carry
//! that notifications of SNMPv2 do not.

use super::snmp_target_mib::SNMP_TARGET_ADDR_NAME;
use crate::schema::MaxAccess::{AccessibleForNotify, NotAccessible, ReadCreate};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// SNMP-COMMUNITY-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-COMMUNITY-MIB",
    reference: "RFC 3584",
    nodes: &[
        Node { name: "snmpCommunityMIB", oid: &[1, 3, 6, 1, 6, 3, 18] },
        Node { name: "snmpCommunityMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 18, 1] },
        Node { name: "snmpCommunityMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 18, 2] },
        Node { name: "snmpCommunityMIBCompliances", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 1] },
        Node { name: "snmpCommunityMIBCompliance", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 1, 1] },
        Node { name: "snmpProxyTrapForwardCompliance", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 1, 2] },
        Node { name: "snmpCommunityMIBFullCompliance", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 1, 3] },
        Node { name: "snmpCommunityMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 2] },
        Node { name: "snmpCommunityTableGroup", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 2, 1] },
        Node { name: "snmpProxyTrapForwardGroup", oid: &[1, 3, 6, 1, 6, 3, 18, 2, 2, 3] },
    ],
    scalars: &[SNMP_TRAP_ADDRESS, SNMP_TRAP_COMMUNITY],
    tables: &[SNMP_COMMUNITY_TABLE, SNMP_TARGET_ADDR_EXT_TABLE],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(1, 32);

/// The agent-addr of a forwarded trap of SNMPv1.
pub const SNMP_TRAP_ADDRESS: Scalar =
    Scalar::new("snmpTrapAddress", &[1, 3, 6, 1, 6, 3, 18, 1, 3], AccessibleForNotify, Syntax::IP_ADDRESS);

/// The community of a forwarded trap of SNMPv1.
pub const SNMP_TRAP_COMMUNITY: Scalar = Scalar::new(
    "snmpTrapCommunity",
    &[1, 3, 6, 1, 6, 3, 18, 1, 4],
    AccessibleForNotify,
    Syntax::OCTET_STRING,
);

/// The communities.
pub const SNMP_COMMUNITY_TABLE: Table = Table {
    name: "snmpCommunityTable",
    entry: "snmpCommunityEntry",
    oid: &[1, 3, 6, 1, 6, 3, 18, 1, 1],
    index: &[IndexPart::new("snmpCommunityIndex", IndexEncoding::ImpliedOctets, NAME)],
    columns: &[
        Column::new(1, "snmpCommunityIndex", NotAccessible, NAME),
        Column::new(2, "snmpCommunityName", ReadCreate, Syntax::OCTET_STRING),
        Column::new(3, "snmpCommunitySecurityName", ReadCreate, NAME),
        Column::new(4, "snmpCommunityContextEngineID", ReadCreate, Syntax::SNMP_ENGINE_ID),
        Column::new(5, "snmpCommunityContextName", ReadCreate, Syntax::admin_string(0, 32)),
        Column::new(6, "snmpCommunityTransportTag", ReadCreate, Syntax::SNMP_TAG_VALUE),
        Column::new(7, "snmpCommunityStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(8, "snmpCommunityStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// What snmpTargetAddrTable lacks for communities.
pub const SNMP_TARGET_ADDR_EXT_TABLE: Table = Table {
    name: "snmpTargetAddrExtTable",
    entry: "snmpTargetAddrExtEntry",
    oid: &[1, 3, 6, 1, 6, 3, 18, 1, 2],
    index: &[SNMP_TARGET_ADDR_NAME],
    columns: &[
        Column::new(1, "snmpTargetAddrTMask", ReadCreate, Syntax::octets(0, 255)),
        Column::new(2, "snmpTargetAddrMMS", ReadCreate, Syntax::integer(0, i32::MAX as i64)),
    ],
};
