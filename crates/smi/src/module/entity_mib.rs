//! ENTITY-MIB (RFC 6933) and ENTITY-SENSOR-MIB (RFC 3433): what the machine is made of, and what its sensors measure.

use crate::schema::MaxAccess::{NotAccessible, ReadOnly};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Scalar, Syntax, Table};

/// ENTITY-MIB. Its logical entities are not served.
pub static MODULE: Module = Module {
    name: "ENTITY-MIB",
    reference: "RFC 6933",
    nodes: &[
        Node { name: "entityMIB", oid: &[1, 3, 6, 1, 2, 1, 47] },
        Node { name: "entityMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 47, 1] },
        Node { name: "entityPhysical", oid: &[1, 3, 6, 1, 2, 1, 47, 1, 1] },
        Node { name: "entityMapping", oid: &[1, 3, 6, 1, 2, 1, 47, 1, 3] },
        Node { name: "entityGeneral", oid: &[1, 3, 6, 1, 2, 1, 47, 1, 4] },
    ],
    scalars: &[ENT_LAST_CHANGE_TIME],
    tables: &[ENT_PHYSICAL_TABLE, ENT_PHYSICAL_CONTAINS_TABLE],
    notifications: &[],
};

/// ENTITY-SENSOR-MIB.
pub static SENSOR_MODULE: Module = Module {
    name: "ENTITY-SENSOR-MIB",
    reference: "RFC 3433",
    nodes: &[
        Node { name: "entitySensorMIB", oid: &[1, 3, 6, 1, 2, 1, 99] },
        Node { name: "entitySensorObjects", oid: &[1, 3, 6, 1, 2, 1, 99, 1] },
    ],
    scalars: &[],
    tables: &[ENT_PHY_SENSOR_TABLE],
    notifications: &[],
};

const INDEX: Syntax = Syntax::integer(1, i32::MAX as i64).named("PhysicalIndex", "d");
const INDEX_OR_ZERO: Syntax = Syntax::integer(0, i32::MAX as i64).named("PhysicalIndexOrZero", "d");
const PHYSICAL_INDEX: IndexPart = IndexPart::new("entPhysicalIndex", IndexEncoding::Integer, INDEX);

/// IANAPhysicalClass, as `iana-hardware` has it too.
pub const CLASSES: &[(i32, &str)] = &[
    (1, "other"),
    (2, "unknown"),
    (3, "chassis"),
    (4, "backplane"),
    (5, "container"),
    (6, "powerSupply"),
    (7, "fan"),
    (8, "sensor"),
    (9, "module"),
    (10, "port"),
    (11, "stack"),
    (12, "cpu"),
    (13, "energyObject"),
    (14, "battery"),
    (15, "storageDrive"),
];

/// EntitySensorDataType.
pub const SENSOR_TYPES: &[(i32, &str)] = &[
    (1, "other"),
    (2, "unknown"),
    (3, "voltsAC"),
    (4, "voltsDC"),
    (5, "amperes"),
    (6, "watts"),
    (7, "hertz"),
    (8, "celsius"),
    (9, "percentRH"),
    (10, "rpm"),
    (11, "cmm"),
    (12, "truthvalue"),
];

/// EntitySensorDataScale.
pub const SENSOR_SCALES: &[(i32, &str)] = &[
    (1, "yocto"),
    (2, "zepto"),
    (3, "atto"),
    (4, "femto"),
    (5, "pico"),
    (6, "nano"),
    (7, "micro"),
    (8, "milli"),
    (9, "units"),
    (10, "kilo"),
    (11, "mega"),
    (12, "giga"),
    (13, "tera"),
    (14, "exa"),
    (15, "peta"),
    (16, "zetta"),
    (17, "yotta"),
];

/// EntitySensorStatus.
pub const SENSOR_STATUS: &[(i32, &str)] = &[(1, "ok"), (2, "unavailable"), (3, "nonoperational")];

/// sysUpTime when an entity last came or went.
pub const ENT_LAST_CHANGE_TIME: Scalar =
    Scalar::new("entLastChangeTime", &[1, 3, 6, 1, 2, 1, 47, 1, 4, 1], ReadOnly, Syntax::TIME_STAMP);

/// The physical entities. What RFC 6933 lets managers write is read here.
pub const ENT_PHYSICAL_TABLE: Table = Table {
    name: "entPhysicalTable",
    entry: "entPhysicalEntry",
    oid: &[1, 3, 6, 1, 2, 1, 47, 1, 1, 1],
    index: &[PHYSICAL_INDEX],
    columns: &[
        Column::new(1, "entPhysicalIndex", NotAccessible, INDEX),
        Column::new(2, "entPhysicalDescr", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(3, "entPhysicalVendorType", ReadOnly, Syntax::AUTONOMOUS_TYPE),
        Column::new(4, "entPhysicalContainedIn", ReadOnly, INDEX_OR_ZERO),
        Column::new(
            5,
            "entPhysicalClass",
            ReadOnly,
            Syntax::enumeration(CLASSES).named("IANAPhysicalClass", ""),
        ),
        Column::new(6, "entPhysicalParentRelPos", ReadOnly, Syntax::integer(-1, i32::MAX as i64)),
        Column::new(7, "entPhysicalName", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(8, "entPhysicalHardwareRev", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(9, "entPhysicalFirmwareRev", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(10, "entPhysicalSoftwareRev", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(11, "entPhysicalSerialNum", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(12, "entPhysicalMfgName", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(13, "entPhysicalModelName", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(14, "entPhysicalAlias", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(15, "entPhysicalAssetID", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(16, "entPhysicalIsFRU", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(19, "entPhysicalUUID", ReadOnly, Syntax::octets(0, 16)),
    ],
};

/// Which entity contains which.
pub const ENT_PHYSICAL_CONTAINS_TABLE: Table = Table {
    name: "entPhysicalContainsTable",
    entry: "entPhysicalContainsEntry",
    oid: &[1, 3, 6, 1, 2, 1, 47, 1, 3, 3],
    index: &[PHYSICAL_INDEX, IndexPart::new("entPhysicalChildIndex", IndexEncoding::Integer, INDEX)],
    columns: &[Column::new(1, "entPhysicalChildIndex", ReadOnly, INDEX)],
};

/// What sensors measure.
pub const ENT_PHY_SENSOR_TABLE: Table = Table {
    name: "entPhySensorTable",
    entry: "entPhySensorEntry",
    oid: &[1, 3, 6, 1, 2, 1, 99, 1, 1],
    index: &[PHYSICAL_INDEX],
    columns: &[
        Column::new(1, "entPhySensorType", ReadOnly, Syntax::enumeration(SENSOR_TYPES)),
        Column::new(2, "entPhySensorScale", ReadOnly, Syntax::enumeration(SENSOR_SCALES)),
        Column::new(3, "entPhySensorPrecision", ReadOnly, Syntax::integer(-8, 9)),
        Column::new(4, "entPhySensorValue", ReadOnly, Syntax::integer(-1_000_000_000, 1_000_000_000)),
        Column::new(5, "entPhySensorOperStatus", ReadOnly, Syntax::enumeration(SENSOR_STATUS)),
        Column::new(6, "entPhySensorUnitsDisplay", ReadOnly, Syntax::SNMP_ADMIN_STRING),
        Column::new(7, "entPhySensorValueTimeStamp", ReadOnly, Syntax::TIME_STAMP),
        Column::new(8, "entPhySensorValueUpdateRate", ReadOnly, Syntax::UNSIGNED32),
    ],
};
