//! IP-FORWARD-MIB.

use crate::schema::Module;

/// IP-FORWARD-MIB.
pub const MODULE: Module = Module { name: "IP-FORWARD-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
