//! UCD-DISKIO-MIB of Net-SNMP: what block devices have read and written.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Syntax, Table};

/// UCD-DISKIO-MIB.
pub static MODULE: Module = Module {
    name: "UCD-DISKIO-MIB",
    reference: "Net-SNMP",
    nodes: &[Node { name: "ucdDiskIOMIB", oid: &[1, 3, 6, 1, 4, 1, 2021, 13, 15] }],
    scalars: &[],
    tables: &[DISK_IO_TABLE],
    notifications: &[],
};

const DISK_IO_INDEX: Syntax = Syntax::integer(0, 65535);
const SHARE: Syntax = Syntax::integer(0, 100);

/// diskIOTable: a row for each block device.
pub const DISK_IO_TABLE: Table = Table {
    name: "diskIOTable",
    entry: "diskIOEntry",
    oid: &[1, 3, 6, 1, 4, 1, 2021, 13, 15, 1],
    index: &[IndexPart::new("diskIOIndex", IndexEncoding::Integer, DISK_IO_INDEX)],
    columns: &[
        Column::new(1, "diskIOIndex", ReadOnly, DISK_IO_INDEX),
        Column::new(2, "diskIODevice", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(3, "diskIONRead", ReadOnly, Syntax::COUNTER32),
        Column::new(4, "diskIONWritten", ReadOnly, Syntax::COUNTER32),
        Column::new(5, "diskIOReads", ReadOnly, Syntax::COUNTER32),
        Column::new(6, "diskIOWrites", ReadOnly, Syntax::COUNTER32),
        Column::new(9, "diskIOLA1", ReadOnly, SHARE),
        Column::new(10, "diskIOLA5", ReadOnly, SHARE),
        Column::new(11, "diskIOLA15", ReadOnly, SHARE),
        Column::new(12, "diskIONReadX", ReadOnly, Syntax::COUNTER64),
        Column::new(13, "diskIONWrittenX", ReadOnly, Syntax::COUNTER64),
        Column::new(14, "diskIOBusyTime", ReadOnly, Syntax::COUNTER64),
    ],
};
