//! Which notifications of MIB modules tell of the new value of an attribute.

use trunkline_smi::module::if_mib;

/// A notification that tells of the new value of a column.
pub(crate) struct Change {
    /// Which.
    pub notification: &'static [u32],
    /// The table of the column.
    pub table: &'static str,
    /// The column.
    pub column: &'static str,
}

/// Those that there are.
pub(crate) const CHANGES: [Change; 2] = [
    Change { notification: if_mib::LINK_DOWN.oid, table: "ifTable", column: "ifOperStatus" },
    Change { notification: if_mib::LINK_UP.oid, table: "ifTable", column: "ifOperStatus" },
];
