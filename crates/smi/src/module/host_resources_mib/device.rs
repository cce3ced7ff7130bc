//! HOST-RESOURCES-MIB: devices (RFC 2790, the hrDevice group).

use super::{ACCESS, INDEX, KBYTES, NOT_NEGATIVE, PRODUCT_ID, display};
use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Syntax, Table};

const HR_DEVICE_INDEX: IndexPart = IndexPart::new("hrDeviceIndex", IndexEncoding::Integer, INDEX);

/// hrDeviceTable: one row for each device of the machine.
pub const HR_DEVICE_TABLE: Table = Table {
    name: "hrDeviceTable",
    entry: "hrDeviceEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 2],
    index: &[HR_DEVICE_INDEX],
    columns: &[
        Column::new(1, "hrDeviceIndex", ReadOnly, INDEX),
        Column::new(2, "hrDeviceType", ReadOnly, Syntax::AUTONOMOUS_TYPE),
        Column::new(3, "hrDeviceDescr", ReadOnly, Syntax::octets(0, 64).named("DisplayString", "255a")),
        Column::new(4, "hrDeviceID", ReadOnly, PRODUCT_ID),
        Column::new(
            5,
            "hrDeviceStatus",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "unknown"),
                (2, "running"),
                (3, "warning"),
                (4, "testing"),
                (5, "down"),
            ]),
        ),
        Column::new(6, "hrDeviceErrors", ReadOnly, Syntax::COUNTER32),
    ],
};

/// hrProcessorTable: the processors among the devices.
pub const HR_PROCESSOR_TABLE: Table = Table {
    name: "hrProcessorTable",
    entry: "hrProcessorEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 3],
    index: &[HR_DEVICE_INDEX],
    columns: &[
        Column::new(1, "hrProcessorFrwID", ReadOnly, PRODUCT_ID),
        Column::new(2, "hrProcessorLoad", ReadOnly, Syntax::integer(0, 100)),
    ],
};

/// hrNetworkTable: the network interfaces among the devices.
pub const HR_NETWORK_TABLE: Table = Table {
    name: "hrNetworkTable",
    entry: "hrNetworkEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 4],
    index: &[HR_DEVICE_INDEX],
    columns: &[Column::new(1, "hrNetworkIfIndex", ReadOnly, Syntax::INTERFACE_INDEX_OR_ZERO)],
};

/// hrPrinterTable: the printers among the devices.
pub const HR_PRINTER_TABLE: Table = Table {
    name: "hrPrinterTable",
    entry: "hrPrinterEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 5],
    index: &[HR_DEVICE_INDEX],
    columns: &[
        Column::new(
            1,
            "hrPrinterStatus",
            ReadOnly,
            Syntax::enumeration(&[(1, "other"), (2, "unknown"), (3, "idle"), (4, "printing"), (5, "warmup")]),
        ),
        Column::new(2, "hrPrinterDetectedErrorState", ReadOnly, Syntax::OCTET_STRING),
    ],
};

/// hrDiskStorageTable: the disks among the devices (the misspelt descriptor is the RFC's).
pub const HR_DISK_STORAGE_TABLE: Table = Table {
    name: "hrDiskStorageTable",
    entry: "hrDiskStorageEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 6],
    index: &[HR_DEVICE_INDEX],
    columns: &[
        Column::new(1, "hrDiskStorageAccess", ReadOnly, ACCESS),
        Column::new(
            2,
            "hrDiskStorageMedia",
            ReadOnly,
            Syntax::enumeration(&[
                (1, "other"),
                (2, "unknown"),
                (3, "hardDisk"),
                (4, "floppyDisk"),
                (5, "opticalDiskROM"),
                (6, "opticalDiskWORM"),
                (7, "opticalDiskRW"),
                (8, "ramDisk"),
            ]),
        ),
        Column::new(3, "hrDiskStorageRemoveble", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(4, "hrDiskStorageCapacity", ReadOnly, KBYTES).units("KBytes"),
    ],
};

/// hrPartitionTable: the partitions of the disks.
pub const HR_PARTITION_TABLE: Table = Table {
    name: "hrPartitionTable",
    entry: "hrPartitionEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 7],
    index: &[HR_DEVICE_INDEX, IndexPart::new("hrPartitionIndex", IndexEncoding::Integer, INDEX)],
    columns: &[
        Column::new(1, "hrPartitionIndex", ReadOnly, INDEX),
        Column::new(2, "hrPartitionLabel", ReadOnly, display(128)),
        Column::new(3, "hrPartitionID", ReadOnly, Syntax::OCTET_STRING),
        Column::new(4, "hrPartitionSize", ReadOnly, KBYTES).units("KBytes"),
        Column::new(5, "hrPartitionFSIndex", ReadOnly, NOT_NEGATIVE),
    ],
};
