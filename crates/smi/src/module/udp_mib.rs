//! UDP-MIB.

use crate::schema::Module;

/// UDP-MIB.
pub const MODULE: Module = Module { name: "UDP-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
