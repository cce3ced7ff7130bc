//! DISMAN-EXPRESSION-MIB (RFC 2982): values that are computed from those of other objects.

use crate::schema::MaxAccess::{NotAccessible, ReadCreate, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// DISMAN-EXPRESSION-MIB.
pub static MODULE: Module = Module {
    name: "DISMAN-EXPRESSION-MIB",
    reference: "RFC 2982",
    nodes: &[
        Node { name: "dismanExpressionMIB", oid: &[1, 3, 6, 1, 2, 1, 90] },
        Node { name: "dismanExpressionMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 90, 1] },
        Node { name: "expResource", oid: &[1, 3, 6, 1, 2, 1, 90, 1, 1] },
        Node { name: "expDefine", oid: &[1, 3, 6, 1, 2, 1, 90, 1, 2] },
        Node { name: "expValue", oid: &[1, 3, 6, 1, 2, 1, 90, 1, 3] },
        Node { name: "dismanExpressionMIBConformance", oid: &[1, 3, 6, 1, 2, 1, 90, 3] },
        Node { name: "dismanExpressionMIBCompliances", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 1] },
        Node { name: "dismanExpressionMIBCompliance", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 1, 1] },
        Node { name: "dismanExpressionMIBGroups", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 2] },
        Node { name: "dismanExpressionResourceGroup", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 2, 1] },
        Node { name: "dismanExpressionDefinitionGroup", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 2, 2] },
        Node { name: "dismanExpressionValueGroup", oid: &[1, 3, 6, 1, 2, 1, 90, 3, 2, 3] },
    ],
    scalars: &[
        EXP_RESOURCE_DELTA_MINIMUM,
        EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_MAXIMUM,
        EXP_RESOURCE_DELTA_WILDCARD_INSTANCES,
        EXP_RESOURCE_DELTA_WILDCARD_INSTANCES_HIGH,
        EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_RESOURCE_LACKS,
    ],
    tables: &[EXP_EXPRESSION_TABLE, EXP_ERROR_TABLE, EXP_OBJECT_TABLE, EXP_VALUE_TABLE],
    notifications: &[],
};

const OWNER_NAME: Syntax = Syntax::admin_string(0, 32);

const INDEX_NAME: Syntax = Syntax::admin_string(1, 32);

const OWNER: IndexPart = IndexPart::new("expExpressionOwner", IndexEncoding::Octets, OWNER_NAME);

const NAME: IndexPart = IndexPart::new("expExpressionName", IndexEncoding::Octets, INDEX_NAME);

const OBJECT_INDEX: Syntax = Syntax::unsigned(1, u32::MAX as i64).named("Unsigned32", "");

/// The least expExpressionDeltaInterval that is accepted from now on; -1: no differences at all.
pub const EXP_RESOURCE_DELTA_MINIMUM: Scalar = Scalar::new(
    "expResourceDeltaMinimum",
    &[1, 3, 6, 1, 2, 1, 90, 1, 1, 1],
    ReadWrite,
    Syntax::integer(-1, 600),
)
.units("seconds");

/// How many instances of differences may be held; 0 means no limit of its own.
pub const EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_MAXIMUM: Scalar = Scalar::new(
    "expResourceDeltaWildcardInstanceMaximum",
    &[1, 3, 6, 1, 2, 1, 90, 1, 1, 2],
    ReadWrite,
    Syntax::UNSIGNED32,
)
.units("instances");

/// How many are held.
pub const EXP_RESOURCE_DELTA_WILDCARD_INSTANCES: Scalar = Scalar::new(
    "expResourceDeltaWildcardInstances",
    &[1, 3, 6, 1, 2, 1, 90, 1, 1, 3],
    ReadOnly,
    Syntax::GAUGE32,
)
.units("instances");

/// The most that have been held since the start.
pub const EXP_RESOURCE_DELTA_WILDCARD_INSTANCES_HIGH: Scalar = Scalar::new(
    "expResourceDeltaWildcardInstancesHigh",
    &[1, 3, 6, 1, 2, 1, 90, 1, 1, 4],
    ReadOnly,
    Syntax::GAUGE32,
)
.units("instances");

/// How often an expression was not evaluated because of the limit.
pub const EXP_RESOURCE_DELTA_WILDCARD_INSTANCE_RESOURCE_LACKS: Scalar = Scalar::new(
    "expResourceDeltaWildcardInstanceResourceLacks",
    &[1, 3, 6, 1, 2, 1, 90, 1, 1, 5],
    ReadOnly,
    Syntax::COUNTER32,
)
.units("instances");

/// The expressions.
pub const EXP_EXPRESSION_TABLE: Table = Table {
    name: "expExpressionTable",
    entry: "expExpressionEntry",
    oid: &[1, 3, 6, 1, 2, 1, 90, 1, 2, 1],
    index: &[OWNER, NAME],
    columns: &[
        Column::new(1, "expExpressionOwner", NotAccessible, OWNER_NAME),
        Column::new(2, "expExpressionName", NotAccessible, INDEX_NAME),
        Column::new(3, "expExpression", ReadCreate, Syntax::octets(1, 1024)),
        Column::new(
            4,
            "expExpressionValueType",
            ReadCreate,
            Syntax::enumeration(&[
                (1, "counter32"),
                (2, "unsigned32"),
                (3, "timeTicks"),
                (4, "integer32"),
                (5, "ipAddress"),
                (6, "octetString"),
                (7, "objectId"),
                (8, "counter64"),
            ]),
        ),
        Column::new(5, "expExpressionComment", ReadCreate, Syntax::SNMP_ADMIN_STRING),
        Column::new(6, "expExpressionDeltaInterval", ReadCreate, Syntax::integer(0, 86_400)).units("seconds"),
        Column::new(7, "expExpressionPrefix", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(8, "expExpressionErrors", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "expExpressionEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The last error of each expression that had one.
pub const EXP_ERROR_TABLE: Table = Table {
    name: "expErrorTable",
    entry: "expErrorEntry",
    oid: &[1, 3, 6, 1, 2, 1, 90, 1, 2, 2],
    index: &[OWNER, NAME],
    columns: &[
        Column::new(1, "expErrorTime", ReadOnly, Syntax::TIME_STAMP),
        Column::new(2, "expErrorIndex", ReadOnly, Syntax::INTEGER32),
        Column::new(
            3,
            "expErrorCode",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "invalidSyntax"),
                (2, "undefinedObjectIndex"),
                (3, "unrecognizedOperator"),
                (4, "unrecognizedFunction"),
                (5, "invalidOperandType"),
                (6, "unmatchedParenthesis"),
                (7, "tooManyWildcardValues"),
                (8, "recursion"),
                (9, "deltaTooShort"),
                (10, "resourceUnavailable"),
                (11, "divideByZero"),
            ]),
        ),
        Column::new(4, "expErrorInstance", ReadOnly, Syntax::OBJECT_IDENTIFIER),
    ],
};

/// The objects of the expressions.
pub const EXP_OBJECT_TABLE: Table = Table {
    name: "expObjectTable",
    entry: "expObjectEntry",
    oid: &[1, 3, 6, 1, 2, 1, 90, 1, 2, 3],
    index: &[OWNER, NAME, IndexPart::new("expObjectIndex", IndexEncoding::Integer, OBJECT_INDEX)],
    columns: &[
        Column::new(1, "expObjectIndex", NotAccessible, OBJECT_INDEX),
        Column::new(2, "expObjectID", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(3, "expObjectIDWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(
            4,
            "expObjectSampleType",
            ReadCreate,
            Syntax::enumeration(&[(1, "absoluteValue"), (2, "deltaValue"), (3, "changedValue")]),
        ),
        Column::new(5, "expObjectDeltaDiscontinuityID", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(6, "expObjectDiscontinuityIDWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(
            7,
            "expObjectDiscontinuityIDType",
            ReadCreate,
            Syntax::enumeration(&[(1, "timeTicks"), (2, "timeStamp"), (3, "dateAndTime")]),
        ),
        Column::new(8, "expObjectConditional", ReadCreate, Syntax::OBJECT_IDENTIFIER),
        Column::new(9, "expObjectConditionalWildcard", ReadCreate, Syntax::TRUTH_VALUE),
        Column::new(10, "expObjectEntryStatus", ReadCreate, Syntax::ROW_STATUS),
    ],
};

/// The values, each in the column of its type.
pub const EXP_VALUE_TABLE: Table = Table {
    name: "expValueTable",
    entry: "expValueEntry",
    oid: &[1, 3, 6, 1, 2, 1, 90, 1, 3, 1],
    index: &[
        OWNER,
        NAME,
        IndexPart::new("expValueInstance", IndexEncoding::ImpliedObjectIdentifier, Syntax::OBJECT_IDENTIFIER),
    ],
    columns: &[
        Column::new(1, "expValueInstance", NotAccessible, Syntax::OBJECT_IDENTIFIER),
        Column::new(2, "expValueCounter32Val", ReadOnly, Syntax::COUNTER32),
        Column::new(3, "expValueUnsigned32Val", ReadOnly, Syntax::UNSIGNED32),
        Column::new(4, "expValueTimeTicksVal", ReadOnly, Syntax::TIME_TICKS),
        Column::new(5, "expValueInteger32Val", ReadOnly, Syntax::INTEGER32),
        Column::new(6, "expValueIpAddressVal", ReadOnly, Syntax::IP_ADDRESS),
        Column::new(7, "expValueOctetStringVal", ReadOnly, Syntax::octets(0, 65_536)),
        Column::new(8, "expValueOidVal", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(9, "expValueCounter64Val", ReadOnly, Syntax::COUNTER64),
    ],
};
