//! HOST-RESOURCES-MIB: storage areas and file systems (RFC 2790, hrStorage and hrFSTable).

use super::{ACCESS, DATE, INDEX, NOT_NEGATIVE, display};
use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Syntax, Table};

/// hrStorageTable: memory areas and mounted file systems.
pub const HR_STORAGE_TABLE: Table = Table {
    name: "hrStorageTable",
    entry: "hrStorageEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 2, 3],
    index: &[IndexPart::new("hrStorageIndex", IndexEncoding::Integer, INDEX)],
    columns: &[
        Column::new(1, "hrStorageIndex", ReadOnly, INDEX),
        Column::new(2, "hrStorageType", ReadOnly, Syntax::AUTONOMOUS_TYPE),
        Column::new(3, "hrStorageDescr", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(4, "hrStorageAllocationUnits", ReadOnly, INDEX).units("Bytes"),
        Column::new(5, "hrStorageSize", ReadWrite, NOT_NEGATIVE),
        Column::new(6, "hrStorageUsed", ReadOnly, NOT_NEGATIVE),
        Column::new(7, "hrStorageAllocationFailures", ReadOnly, Syntax::COUNTER32),
    ],
};

/// hrFSTable: mounted file systems.
pub const HR_FS_TABLE: Table = Table {
    name: "hrFSTable",
    entry: "hrFSEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 3, 8],
    index: &[IndexPart::new("hrFSIndex", IndexEncoding::Integer, INDEX)],
    columns: &[
        Column::new(1, "hrFSIndex", ReadOnly, INDEX),
        Column::new(2, "hrFSMountPoint", ReadOnly, display(128)),
        Column::new(3, "hrFSRemoteMountPoint", ReadOnly, display(128)),
        Column::new(4, "hrFSType", ReadOnly, Syntax::AUTONOMOUS_TYPE),
        Column::new(5, "hrFSAccess", ReadOnly, ACCESS),
        Column::new(6, "hrFSBootable", ReadOnly, Syntax::TRUTH_VALUE),
        Column::new(7, "hrFSStorageIndex", ReadOnly, NOT_NEGATIVE),
        Column::new(8, "hrFSLastFullBackupDate", ReadWrite, DATE),
        Column::new(9, "hrFSLastPartialBackupDate", ReadWrite, DATE),
    ],
};
