//! SNMP-TSM-MIB (RFC 5591): what the Transport Security Model had to refuse, and whether its security names begin with
//! the name of their transport.

use crate::schema::MaxAccess::{ReadOnly, ReadWrite};
use crate::schema::{Module, Node, Scalar, Syntax};

/// SNMP-TSM-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-TSM-MIB",
    reference: "RFC 5591",
    nodes: &[
        Node { name: "snmpTsmMIB", oid: &[1, 3, 6, 1, 2, 1, 190] },
        Node { name: "snmpTsmNotifications", oid: &[1, 3, 6, 1, 2, 1, 190, 0] },
        Node { name: "snmpTsmMIBObjects", oid: &[1, 3, 6, 1, 2, 1, 190, 1] },
        Node { name: "snmpTsmStats", oid: &[1, 3, 6, 1, 2, 1, 190, 1, 1] },
        Node { name: "snmpTsmConfiguration", oid: &[1, 3, 6, 1, 2, 1, 190, 1, 2] },
        Node { name: "snmpTsmConformance", oid: &[1, 3, 6, 1, 2, 1, 190, 2] },
        Node { name: "snmpTsmCompliances", oid: &[1, 3, 6, 1, 2, 1, 190, 2, 1] },
        Node { name: "snmpTsmCompliance", oid: &[1, 3, 6, 1, 2, 1, 190, 2, 1, 1] },
        Node { name: "snmpTsmGroups", oid: &[1, 3, 6, 1, 2, 1, 190, 2, 2] },
        Node { name: "snmpTsmGroup", oid: &[1, 3, 6, 1, 2, 1, 190, 2, 2, 2] },
    ],
    scalars: &[
        SNMP_TSM_INVALID_CACHES,
        SNMP_TSM_INADEQUATE_SECURITY_LEVELS,
        SNMP_TSM_UNKNOWN_PREFIXES,
        SNMP_TSM_INVALID_PREFIXES,
        SNMP_TSM_CONFIGURATION_USE_PREFIX,
    ],
    tables: &[],
    notifications: &[],
};

/// Messages outside a session that authenticates the peer.
pub const SNMP_TSM_INVALID_CACHES: Scalar =
    Scalar::new("snmpTsmInvalidCaches", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 1], ReadOnly, Syntax::COUNTER32);

/// Messages that request more security than their session has.
pub const SNMP_TSM_INADEQUATE_SECURITY_LEVELS: Scalar = Scalar::new(
    "snmpTsmInadequateSecurityLevels",
    &[1, 3, 6, 1, 2, 1, 190, 1, 1, 2],
    ReadOnly,
    Syntax::COUNTER32,
);

/// Messages over a transport without a known prefix, while prefixes are in use.
pub const SNMP_TSM_UNKNOWN_PREFIXES: Scalar =
    Scalar::new("snmpTsmUnknownPrefixes", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 3], ReadOnly, Syntax::COUNTER32);

/// Messages for a security name without the prefix of their transport, while prefixes are in use.
pub const SNMP_TSM_INVALID_PREFIXES: Scalar =
    Scalar::new("snmpTsmInvalidPrefixes", &[1, 3, 6, 1, 2, 1, 190, 1, 1, 4], ReadOnly, Syntax::COUNTER32);

/// Whether security names begin with the name of their transport: `tls:joe`.
pub const SNMP_TSM_CONFIGURATION_USE_PREFIX: Scalar = Scalar::new(
    "snmpTsmConfigurationUsePrefix",
    &[1, 3, 6, 1, 2, 1, 190, 1, 2, 1],
    ReadWrite,
    Syntax::TRUTH_VALUE,
);
