//! SNMPv2-MIB.

use crate::schema::Module;

/// SNMPv2-MIB.
pub const MODULE: Module = Module { name: "SNMPv2-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
