//! UCD-SNMP-MIB.

use crate::schema::Module;

/// UCD-SNMP-MIB.
pub const MODULE: Module = Module { name: "UCD-SNMP-MIB", reference: "", nodes: &[], scalars: &[], tables: &[] };
