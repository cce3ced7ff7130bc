//! SNMP-MPD-MIB (RFC 3412): what the dispatcher had to drop.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Module, Node, Scalar, Syntax};

/// SNMP-MPD-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-MPD-MIB",
    reference: "RFC 3412",
    nodes: &[
        Node { name: "snmpMPDMIB", oid: &[1, 3, 6, 1, 6, 3, 11] },
        Node { name: "snmpMPDAdmin", oid: &[1, 3, 6, 1, 6, 3, 11, 1] },
        Node { name: "snmpMPDMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 11, 2] },
        Node { name: "snmpMPDStats", oid: &[1, 3, 6, 1, 6, 3, 11, 2, 1] },
        Node { name: "snmpMPDMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 11, 3] },
        Node { name: "snmpMPDMIBCompliances", oid: &[1, 3, 6, 1, 6, 3, 11, 3, 1] },
        Node { name: "snmpMPDCompliance", oid: &[1, 3, 6, 1, 6, 3, 11, 3, 1, 1] },
        Node { name: "snmpMPDMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 11, 3, 2] },
        Node { name: "snmpMPDGroup", oid: &[1, 3, 6, 1, 6, 3, 11, 3, 2, 1] },
    ],
    scalars: &[SNMP_UNKNOWN_SECURITY_MODELS, SNMP_INVALID_MSGS, SNMP_UNKNOWN_PDU_HANDLERS],
    tables: &[],
    notifications: &[],
};

/// Messages of a security model that the engine does not have.
pub const SNMP_UNKNOWN_SECURITY_MODELS: Scalar =
    Scalar::new("snmpUnknownSecurityModels", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 1], ReadOnly, Syntax::COUNTER32);

/// Messages with invalid or inconsistent components.
pub const SNMP_INVALID_MSGS: Scalar =
    Scalar::new("snmpInvalidMsgs", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 2], ReadOnly, Syntax::COUNTER32);

/// Messages whose PDU no application took.
pub const SNMP_UNKNOWN_PDU_HANDLERS: Scalar =
    Scalar::new("snmpUnknownPDUHandlers", &[1, 3, 6, 1, 6, 3, 11, 2, 1, 3], ReadOnly, Syntax::COUNTER32);
