//! IP-MIB.

use crate::schema::Module;

/// IP-MIB.
pub const MODULE: Module = Module { name: "IP-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
