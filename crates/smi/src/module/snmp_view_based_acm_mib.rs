//! SNMP-VIEW-BASED-ACM-MIB (RFC 3415): who may see and change what.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// SNMP-VIEW-BASED-ACM-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-VIEW-BASED-ACM-MIB",
    reference: "RFC 3415",
    nodes: &[
        Node { name: "snmpVacmMIB", oid: &[1, 3, 6, 1, 6, 3, 16] },
        Node { name: "vacmMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 16, 1] },
        Node { name: "vacmMIBViews", oid: &[1, 3, 6, 1, 6, 3, 16, 1, 5] },
        Node { name: "vacmMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 16, 2] },
        Node { name: "vacmMIBCompliances", oid: &[1, 3, 6, 1, 6, 3, 16, 2, 1] },
        Node { name: "vacmMIBCompliance", oid: &[1, 3, 6, 1, 6, 3, 16, 2, 1, 1] },
        Node { name: "vacmMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 16, 2, 2] },
        Node { name: "vacmBasicGroup", oid: &[1, 3, 6, 1, 6, 3, 16, 2, 2, 1] },
    ],
    scalars: &[VACM_VIEW_SPIN_LOCK],
    tables: &[
        VACM_CONTEXT_TABLE,
        VACM_SECURITY_TO_GROUP_TABLE,
        VACM_ACCESS_TABLE,
        VACM_VIEW_TREE_FAMILY_TABLE,
    ],
    notifications: &[],
};

const NAME: Syntax = Syntax::admin_string(1, 32);

const NAME_OR_NOTHING: Syntax = Syntax::admin_string(0, 32);

const MODEL: Syntax = Syntax { min: 1, ..Syntax::SNMP_SECURITY_MODEL };

/// The lock with which managers coordinate changes to views.
pub const VACM_VIEW_SPIN_LOCK: Scalar =
    Scalar::new("vacmViewSpinLock", &[1, 3, 6, 1, 6, 3, 16, 1, 5, 1], ReadWrite, Syntax::TEST_AND_INCR);

/// The existing contexts.
pub const VACM_CONTEXT_TABLE: Table = Table {
    name: "vacmContextTable",
    entry: "vacmContextEntry",
    oid: &[1, 3, 6, 1, 6, 3, 16, 1, 1],
    index: &[IndexPart::new("vacmContextName", IndexEncoding::Octets, NAME_OR_NOTHING)],
    columns: &[Column::new(1, "vacmContextName", ReadOnly, NAME_OR_NOTHING)],
};

/// The group of each principal.
pub const VACM_SECURITY_TO_GROUP_TABLE: Table = Table {
    name: "vacmSecurityToGroupTable",
    entry: "vacmSecurityToGroupEntry",
    oid: &[1, 3, 6, 1, 6, 3, 16, 1, 2],
    index: &[
        IndexPart::new("vacmSecurityModel", IndexEncoding::Integer, MODEL),
        IndexPart::new("vacmSecurityName", IndexEncoding::Octets, NAME),
    ],
    columns: &[
        Column::new(1, "vacmSecurityModel", NotAccessible, MODEL),
        Column::new(2, "vacmSecurityName", NotAccessible, NAME),
        Column::new(3, "vacmGroupName", ReadCreate, NAME),
        Column::new(4, "vacmSecurityToGroupStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(5, "vacmSecurityToGroupStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The access of a group, by context, security model and security level.
pub const VACM_ACCESS_TABLE: Table = Table {
    name: "vacmAccessTable",
    entry: "vacmAccessEntry",
    oid: &[1, 3, 6, 1, 6, 3, 16, 1, 4],
    index: &[
        IndexPart::new("vacmGroupName", IndexEncoding::Octets, NAME),
        IndexPart::new("vacmAccessContextPrefix", IndexEncoding::Octets, NAME_OR_NOTHING),
        IndexPart::new("vacmAccessSecurityModel", IndexEncoding::Integer, Syntax::SNMP_SECURITY_MODEL),
        IndexPart::new("vacmAccessSecurityLevel", IndexEncoding::Integer, Syntax::SNMP_SECURITY_LEVEL),
    ],
    columns: &[
        Column::new(1, "vacmAccessContextPrefix", NotAccessible, NAME_OR_NOTHING),
        Column::new(2, "vacmAccessSecurityModel", NotAccessible, Syntax::SNMP_SECURITY_MODEL),
        Column::new(3, "vacmAccessSecurityLevel", NotAccessible, Syntax::SNMP_SECURITY_LEVEL),
        Column::new(
            4,
            "vacmAccessContextMatch",
            ReadCreate,
            Syntax::enumeration(&[(1, "exact"), (2, "prefix")]),
        ),
        Column::new(5, "vacmAccessReadViewName", ReadCreate, NAME_OR_NOTHING),
        Column::new(6, "vacmAccessWriteViewName", ReadCreate, NAME_OR_NOTHING),
        Column::new(7, "vacmAccessNotifyViewName", ReadCreate, NAME_OR_NOTHING),
        Column::new(8, "vacmAccessStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(9, "vacmAccessStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The families of subtrees that make up views.
pub const VACM_VIEW_TREE_FAMILY_TABLE: Table = Table {
    name: "vacmViewTreeFamilyTable",
    entry: "vacmViewTreeFamilyEntry",
    oid: &[1, 3, 6, 1, 6, 3, 16, 1, 5, 2],
    index: &[
        IndexPart::new("vacmViewTreeFamilyViewName", IndexEncoding::Octets, NAME),
        IndexPart::new(
            "vacmViewTreeFamilySubtree",
            IndexEncoding::ObjectIdentifier,
            Syntax::OBJECT_IDENTIFIER,
        ),
    ],
    columns: &[
        Column::new(1, "vacmViewTreeFamilyViewName", NotAccessible, NAME),
        Column::new(2, "vacmViewTreeFamilySubtree", NotAccessible, Syntax::OBJECT_IDENTIFIER),
        Column::new(3, "vacmViewTreeFamilyMask", ReadCreate, Syntax::octets(0, 16)),
        Column::new(
            4,
            "vacmViewTreeFamilyType",
            ReadCreate,
            Syntax::enumeration(&[(1, "included"), (2, "excluded")]),
        ),
        Column::new(5, "vacmViewTreeFamilyStorageType", ReadCreate, Syntax::STORAGE_TYPE),
        Column::new(6, "vacmViewTreeFamilyStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};
