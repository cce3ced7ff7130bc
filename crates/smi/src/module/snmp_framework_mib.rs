//! SNMP-FRAMEWORK-MIB (RFC 3411): the engine, the arcs under which protocols are named, and the
//! conventions of the whole framework.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Module, Node, Scalar, Syntax};

/// SNMP-FRAMEWORK-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-FRAMEWORK-MIB",
    reference: "RFC 3411",
    nodes: &[
        Node { name: "snmpFrameworkMIB", oid: &[1, 3, 6, 1, 6, 3, 10] },
        Node { name: "snmpFrameworkAdmin", oid: &[1, 3, 6, 1, 6, 3, 10, 1] },
        Node { name: "snmpAuthProtocols", oid: &[1, 3, 6, 1, 6, 3, 10, 1, 1] },
        Node { name: "snmpPrivProtocols", oid: &[1, 3, 6, 1, 6, 3, 10, 1, 2] },
        Node { name: "snmpFrameworkMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 10, 2] },
        Node { name: "snmpEngine", oid: &[1, 3, 6, 1, 6, 3, 10, 2, 1] },
        Node { name: "snmpFrameworkMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 10, 3] },
        Node { name: "snmpFrameworkMIBCompliances", oid: &[1, 3, 6, 1, 6, 3, 10, 3, 1] },
        Node { name: "snmpFrameworkMIBCompliance", oid: &[1, 3, 6, 1, 6, 3, 10, 3, 1, 1] },
        Node { name: "snmpFrameworkMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 10, 3, 2] },
        Node { name: "snmpEngineGroup", oid: &[1, 3, 6, 1, 6, 3, 10, 3, 2, 1] },
    ],
    scalars: &[SNMP_ENGINE_ID, SNMP_ENGINE_BOOTS, SNMP_ENGINE_TIME, SNMP_ENGINE_MAX_MESSAGE_SIZE],
    tables: &[],
    notifications: &[],
};

/// The engine's own identifier.
pub const SNMP_ENGINE_ID: Scalar =
    Scalar::new("snmpEngineID", &[1, 3, 6, 1, 6, 3, 10, 2, 1, 1], ReadOnly, Syntax::SNMP_ENGINE_ID);

/// How often the engine has started since its identifier was last set.
pub const SNMP_ENGINE_BOOTS: Scalar = Scalar::new(
    "snmpEngineBoots",
    &[1, 3, 6, 1, 6, 3, 10, 2, 1, 2],
    ReadOnly,
    Syntax::integer(1, i32::MAX as i64),
);

/// Seconds since snmpEngineBoots last grew.
pub const SNMP_ENGINE_TIME: Scalar = Scalar::new(
    "snmpEngineTime",
    &[1, 3, 6, 1, 6, 3, 10, 2, 1, 3],
    ReadOnly,
    Syntax::integer(0, i32::MAX as i64),
)
.units("seconds");

/// The longest message that the engine can send or receive, in octets.
pub const SNMP_ENGINE_MAX_MESSAGE_SIZE: Scalar = Scalar::new(
    "snmpEngineMaxMessageSize",
    &[1, 3, 6, 1, 6, 3, 10, 2, 1, 4],
    ReadOnly,
    Syntax::integer(484, i32::MAX as i64),
);
