//! SNMP-NOTIFICATION-MIB (RFC 3413): which targets get notifications, and which ones.

use super::snmp_target_mib::SNMP_TARGET_PARAMS_NAME;
use crate::schema::MaxAccess::{NotAccessible, ReadCreate};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// SNMP-NOTIFICATION-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-NOTIFICATION-MIB",
    reference: "RFC 3413",
    nodes: &[
        Node { name: "snmpNotificationMIB", oid: &[1, 3, 6, 1, 6, 3, 13] },
        Node { name: "snmpNotifyObjects", oid: &[1, 3, 6, 1, 6, 3, 13, 1] },
        Node { name: "snmpNotifyConformance", oid: &[1, 3, 6, 1, 6, 3, 13, 3] },
        Node { name: "snmpNotifyCompliances", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 1] },
        Node { name: "snmpNotifyBasicCompliance", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 1, 1] },
        Node { name: "snmpNotifyBasicFiltersCompliance", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 1, 2] },
        Node { name: "snmpNotifyFullCompliance", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 1, 3] },
        Node { name: "snmpNotifyGroups", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 2] },
        Node { name: "snmpNotifyGroup", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 2, 1] },
        Node { name: "snmpNotifyFilterGroup", oid: &[1, 3, 6, 1, 6, 3, 13, 3, 2, 2] },
    ],
    scalars: &[],
    tables: &[SNMP_NOTIFY_TABLE, SNMP_NOTIFY_FILTER_PROFILE_TABLE, SNMP_NOTIFY_FILTER_TABLE],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(1, 32);

/// Targets, by tag, and whether they get traps or informs.
pub const SNMP_NOTIFY_TABLE: Table = Table {
    name: "snmpNotifyTable",
    entry: "snmpNotifyEntry",
    oid: &[1, 3, 6, 1, 6, 3, 13, 1, 1],
    index: &[IndexPart::new("snmpNotifyName", IndexEncoding::ImpliedOctets, NAME)],
    columns: &[
        Column::new(1, "snmpNotifyName", NotAccessible, NAME),
        Column::new(2, "snmpNotifyTag", ReadCreate, Syntax::SNMP_TAG_VALUE),
        Column::new(3, "snmpNotifyType", ReadCreate, Syntax::enumeration(&[(1, "trap"), (2, "inform")])),
        Column::new(4, "snmpNotifyStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(5, "snmpNotifyRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The filter profile of each row of snmpTargetParamsTable that has one.
pub const SNMP_NOTIFY_FILTER_PROFILE_TABLE: Table = Table {
    name: "snmpNotifyFilterProfileTable",
    entry: "snmpNotifyFilterProfileEntry",
    oid: &[1, 3, 6, 1, 6, 3, 13, 1, 2],
    index: &[SNMP_TARGET_PARAMS_NAME],
    columns: &[
        Column::new(1, "snmpNotifyFilterProfileName", ReadCreate, NAME),
        Column::new(2, "snmpNotifyFilterProfileStorType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(3, "snmpNotifyFilterProfileRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The subtrees of each filter profile.
pub const SNMP_NOTIFY_FILTER_TABLE: Table = Table {
    name: "snmpNotifyFilterTable",
    entry: "snmpNotifyFilterEntry",
    oid: &[1, 3, 6, 1, 6, 3, 13, 1, 3],
    index: &[
        IndexPart::new("snmpNotifyFilterProfileName", IndexEncoding::Octets, NAME),
        IndexPart::new(
            "snmpNotifyFilterSubtree",
            IndexEncoding::ImpliedObjectIdentifier,
            Syntax::OBJECT_IDENTIFIER,
        ),
    ],
    columns: &[
        Column::new(1, "snmpNotifyFilterSubtree", NotAccessible, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "snmpNotifyFilterMask", ReadCreate, Syntax::octets(0, 16)),
        Column::new(
            3,
            "snmpNotifyFilterType",
            ReadCreate,
            Syntax::enumeration(&[(1, "included"), (2, "excluded")]),
        ),
        Column::new(4, "snmpNotifyFilterStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(5, "snmpNotifyFilterRowStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
