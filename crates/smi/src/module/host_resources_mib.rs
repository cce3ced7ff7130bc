//! HOST-RESOURCES-MIB.

use crate::schema::Module;

/// HOST-RESOURCES-MIB.
pub const MODULE: Module = Module { name: "HOST-RESOURCES-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
