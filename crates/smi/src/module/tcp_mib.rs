//! TCP-MIB.

use crate::schema::Module;

/// TCP-MIB.
pub const MODULE: Module = Module { name: "TCP-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
