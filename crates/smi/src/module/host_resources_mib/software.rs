//! HOST-RESOURCES-MIB: running and installed software (RFC 2790, hrSWRun,
//! hrSWRunPerf and hrSWInstalled).

use super::{DATE, INDEX, KBYTES, NOT_NEGATIVE, PRODUCT_ID, SOFTWARE_TYPE, display};
use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Syntax, Table};

const HR_SW_RUN_INDEX: IndexPart = IndexPart::new("hrSWRunIndex", IndexEncoding::Integer, INDEX);

/// hrSWRunTable: one row for each process.
pub const HR_SW_RUN_TABLE: Table = Table {
    name: "hrSWRunTable",
    entry: "hrSWRunEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 4, 2],
    index: &[HR_SW_RUN_INDEX],
    columns: &[
        Column::new(1, "hrSWRunIndex", ReadOnly, INDEX),
        Column::new(2, "hrSWRunName", ReadOnly, display(64)),
        Column::new(3, "hrSWRunID", ReadOnly, PRODUCT_ID),
        Column::new(4, "hrSWRunPath", ReadOnly, display(128)),
        Column::new(5, "hrSWRunParameters", ReadOnly, display(128)),
        Column::new(6, "hrSWRunType", ReadOnly, SOFTWARE_TYPE),
        Column::new(
            7,
            "hrSWRunStatus",
            ReadWrite,
            Syntax::enumeration(&[(1, "running"), (2, "runnable"), (3, "notRunnable"), (4, "invalid")]),
        ),
    ],
};

/// hrSWRunPerfTable: what each process uses (AUGMENTS hrSWRunTable).
pub const HR_SW_RUN_PERF_TABLE: Table = Table {
    name: "hrSWRunPerfTable",
    entry: "hrSWRunPerfEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 5, 1],
    index: &[HR_SW_RUN_INDEX],
    columns: &[
        Column::new(1, "hrSWRunPerfCPU", ReadOnly, NOT_NEGATIVE),
        Column::new(2, "hrSWRunPerfMem", ReadOnly, KBYTES).units("KBytes"),
    ],
};

/// hrSWInstalledTable: one row for each installed package.
pub const HR_SW_INSTALLED_TABLE: Table = Table {
    name: "hrSWInstalledTable",
    entry: "hrSWInstalledEntry",
    oid: &[1, 3, 6, 1, 2, 1, 25, 6, 3],
    index: &[IndexPart::new("hrSWInstalledIndex", IndexEncoding::Integer, INDEX)],
    columns: &[
        Column::new(1, "hrSWInstalledIndex", ReadOnly, INDEX),
        Column::new(2, "hrSWInstalledName", ReadOnly, display(64)),
        Column::new(3, "hrSWInstalledID", ReadOnly, PRODUCT_ID),
        Column::new(4, "hrSWInstalledType", ReadOnly, SOFTWARE_TYPE),
        Column::new(5, "hrSWInstalledDate", ReadOnly, DATE),
    ],
};
