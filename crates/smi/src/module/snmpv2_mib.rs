//! SNMPv2-MIB (RFC 3418): the system, what the agent implements, and the
//! counters of its SNMP engine, with the counters that RFC 1213 had and RFC 3418
//! calls obsolete (managers still read them).

use crate::schema::MaxAccess::{AccessibleForNotify, NotAccessible, ReadOnly, ReadWrite};
use crate::schema::{Column, IndexEncoding, IndexPart, Module, Node, Notification, Scalar, Syntax, Table};

/// SNMPv2-MIB.
pub static MODULE: Module = Module {
    name: "SNMPv2-MIB",
    reference: "RFC 3418",
    nodes: &[
        Node { name: "system", oid: &[1, 3, 6, 1, 2, 1, 1] },
        Node { name: "snmp", oid: &[1, 3, 6, 1, 2, 1, 11] },
        Node { name: "snmpMIB", oid: &[1, 3, 6, 1, 6, 3, 1] },
        Node { name: "snmpMIBObjects", oid: &[1, 3, 6, 1, 6, 3, 1, 1] },
        Node { name: "snmpTrap", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 4] },
        Node { name: "snmpTraps", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5] },
        Node { name: "snmpSet", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 6] },
        Node { name: "snmpMIBConformance", oid: &[1, 3, 6, 1, 6, 3, 1, 2] },
        Node { name: "snmpMIBGroups", oid: &[1, 3, 6, 1, 6, 3, 1, 2, 2] },
    ],
    scalars: &[
        SYS_DESCR,
        SYS_OBJECT_ID,
        SYS_UP_TIME,
        SYS_CONTACT,
        SYS_NAME,
        SYS_LOCATION,
        SYS_SERVICES,
        SYS_OR_LAST_CHANGE,
        SNMP_IN_PKTS,
        SNMP_OUT_PKTS,
        SNMP_IN_BAD_VERSIONS,
        SNMP_IN_BAD_COMMUNITY_NAMES,
        SNMP_IN_BAD_COMMUNITY_USES,
        SNMP_IN_ASN_PARSE_ERRS,
        SNMP_IN_TOO_BIGS,
        SNMP_IN_NO_SUCH_NAMES,
        SNMP_IN_BAD_VALUES,
        SNMP_IN_READ_ONLYS,
        SNMP_IN_GEN_ERRS,
        SNMP_IN_TOTAL_REQ_VARS,
        SNMP_IN_TOTAL_SET_VARS,
        SNMP_IN_GET_REQUESTS,
        SNMP_IN_GET_NEXTS,
        SNMP_IN_SET_REQUESTS,
        SNMP_IN_GET_RESPONSES,
        SNMP_IN_TRAPS,
        SNMP_OUT_TOO_BIGS,
        SNMP_OUT_NO_SUCH_NAMES,
        SNMP_OUT_BAD_VALUES,
        SNMP_OUT_GEN_ERRS,
        SNMP_OUT_GET_REQUESTS,
        SNMP_OUT_GET_NEXTS,
        SNMP_OUT_SET_REQUESTS,
        SNMP_OUT_GET_RESPONSES,
        SNMP_OUT_TRAPS,
        SNMP_ENABLE_AUTHEN_TRAPS,
        SNMP_SILENT_DROPS,
        SNMP_PROXY_DROPS,
        SNMP_TRAP_OID,
        SNMP_TRAP_ENTERPRISE,
        SNMP_SET_SERIAL_NO,
    ],
    tables: &[SYS_OR_TABLE],
    notifications: &[COLD_START, WARM_START, AUTHENTICATION_FAILURE],
};

/// What the system is: hardware, operating system, version.
pub const SYS_DESCR: Scalar =
    Scalar::new("sysDescr", &[1, 3, 6, 1, 2, 1, 1, 1], ReadOnly, Syntax::DISPLAY_STRING);

/// Whose agent this is.
pub const SYS_OBJECT_ID: Scalar =
    Scalar::new("sysObjectID", &[1, 3, 6, 1, 2, 1, 1, 2], ReadOnly, Syntax::OBJECT_IDENTIFIER);

/// Hundredths of a second since the management part of the system was started.
pub const SYS_UP_TIME: Scalar =
    Scalar::new("sysUpTime", &[1, 3, 6, 1, 2, 1, 1, 3], ReadOnly, Syntax::TIME_TICKS);

/// The contact person for this system.
pub const SYS_CONTACT: Scalar =
    Scalar::new("sysContact", &[1, 3, 6, 1, 2, 1, 1, 4], ReadWrite, Syntax::DISPLAY_STRING);

/// The name of the system, by convention its fully qualified domain name.
pub const SYS_NAME: Scalar =
    Scalar::new("sysName", &[1, 3, 6, 1, 2, 1, 1, 5], ReadWrite, Syntax::DISPLAY_STRING);

/// Where the system is located.
pub const SYS_LOCATION: Scalar =
    Scalar::new("sysLocation", &[1, 3, 6, 1, 2, 1, 1, 6], ReadWrite, Syntax::DISPLAY_STRING);

/// The layers at which the system offers service: the sum of 2^(layer-1).
pub const SYS_SERVICES: Scalar =
    Scalar::new("sysServices", &[1, 3, 6, 1, 2, 1, 1, 7], ReadOnly, Syntax::integer(0, 127));

/// sysUpTime when sysORTable last changed.
pub const SYS_OR_LAST_CHANGE: Scalar =
    Scalar::new("sysORLastChange", &[1, 3, 6, 1, 2, 1, 1, 8], ReadOnly, Syntax::TIME_STAMP);

/// The MIB modules that the agent implements.
pub const SYS_OR_TABLE: Table = Table {
    name: "sysORTable",
    entry: "sysOREntry",
    oid: &[1, 3, 6, 1, 2, 1, 1, 9],
    index: &[IndexPart::new("sysORIndex", IndexEncoding::Integer, Syntax::integer(1, i32::MAX as i64))],
    columns: &[
        Column::new(1, "sysORIndex", NotAccessible, Syntax::integer(1, i32::MAX as i64)),
        Column::new(2, "sysORID", ReadOnly, Syntax::OBJECT_IDENTIFIER),
        Column::new(3, "sysORDescr", ReadOnly, Syntax::DISPLAY_STRING),
        Column::new(4, "sysORUpTime", ReadOnly, Syntax::TIME_STAMP),
    ],
};

/// Whether authenticationFailure notifications are wanted.
pub const SNMP_ENABLE_AUTHEN_TRAPS: Scalar = Scalar::new(
    "snmpEnableAuthenTraps",
    &[1, 3, 6, 1, 2, 1, 11, 30],
    ReadWrite,
    Syntax::enumeration(&[(1, "enabled"), (2, "disabled")]),
);

/// Confirmed requests dropped because not even an empty answer would have fitted.
pub const SNMP_SILENT_DROPS: Scalar =
    Scalar::new("snmpSilentDrops", &[1, 3, 6, 1, 2, 1, 11, 31], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// Confirmed requests dropped because a proxy target could not be reached.
pub const SNMP_PROXY_DROPS: Scalar =
    Scalar::new("snmpProxyDrops", &[1, 3, 6, 1, 2, 1, 11, 32], ReadOnly, Syntax::COUNTER32).units("messages");

/// The lock with which managers coordinate their sets.
pub const SNMP_SET_SERIAL_NO: Scalar =
    Scalar::new("snmpSetSerialNo", &[1, 3, 6, 1, 6, 3, 1, 1, 6, 1], ReadWrite, Syntax::TEST_AND_INCR);

/// The notification that is sent: the second object of every notification.
pub const SNMP_TRAP_OID: Scalar = Scalar::new(
    "snmpTrapOID",
    &[1, 3, 6, 1, 6, 3, 1, 1, 4, 1],
    AccessibleForNotify,
    Syntax::OBJECT_IDENTIFIER,
);

/// The enterprise of a notification that came as, or will go as, a trap of SNMPv1.
pub const SNMP_TRAP_ENTERPRISE: Scalar = Scalar::new(
    "snmpTrapEnterprise",
    &[1, 3, 6, 1, 6, 3, 1, 1, 4, 3],
    AccessibleForNotify,
    Syntax::OBJECT_IDENTIFIER,
);

/// The agent has started, and its configuration may have changed.
pub const COLD_START: Notification =
    Notification { name: "coldStart", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5, 1], objects: &[] };

/// The agent has restarted with an unchanged configuration.
pub const WARM_START: Notification =
    Notification { name: "warmStart", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5, 2], objects: &[] };

/// A message came that could not be authenticated.
pub const AUTHENTICATION_FAILURE: Notification =
    Notification { name: "authenticationFailure", oid: &[1, 3, 6, 1, 6, 3, 1, 1, 5, 5], objects: &[] };

/// Messages received.
pub const SNMP_IN_PKTS: Scalar =
    Scalar::new("snmpInPkts", &[1, 3, 6, 1, 2, 1, 11, 1], ReadOnly, Syntax::COUNTER32).units("packets");

/// Messages sent.
pub const SNMP_OUT_PKTS: Scalar =
    Scalar::new("snmpOutPkts", &[1, 3, 6, 1, 2, 1, 11, 2], ReadOnly, Syntax::COUNTER32).units("packets");

/// RFC 3418 or RFC 1213 counter `snmpInBadVersions` of the snmp group.
pub const SNMP_IN_BAD_VERSIONS: Scalar =
    Scalar::new("snmpInBadVersions", &[1, 3, 6, 1, 2, 1, 11, 3], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInBadCommunityNames` of the snmp group.
pub const SNMP_IN_BAD_COMMUNITY_NAMES: Scalar =
    Scalar::new("snmpInBadCommunityNames", &[1, 3, 6, 1, 2, 1, 11, 4], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInBadCommunityUses` of the snmp group.
pub const SNMP_IN_BAD_COMMUNITY_USES: Scalar =
    Scalar::new("snmpInBadCommunityUses", &[1, 3, 6, 1, 2, 1, 11, 5], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInASNParseErrs` of the snmp group.
pub const SNMP_IN_ASN_PARSE_ERRS: Scalar =
    Scalar::new("snmpInASNParseErrs", &[1, 3, 6, 1, 2, 1, 11, 6], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInTooBigs` of the snmp group.
pub const SNMP_IN_TOO_BIGS: Scalar =
    Scalar::new("snmpInTooBigs", &[1, 3, 6, 1, 2, 1, 11, 8], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInNoSuchNames` of the snmp group.
pub const SNMP_IN_NO_SUCH_NAMES: Scalar =
    Scalar::new("snmpInNoSuchNames", &[1, 3, 6, 1, 2, 1, 11, 9], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInBadValues` of the snmp group.
pub const SNMP_IN_BAD_VALUES: Scalar =
    Scalar::new("snmpInBadValues", &[1, 3, 6, 1, 2, 1, 11, 10], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInReadOnlys` of the snmp group.
pub const SNMP_IN_READ_ONLYS: Scalar =
    Scalar::new("snmpInReadOnlys", &[1, 3, 6, 1, 2, 1, 11, 11], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInGenErrs` of the snmp group.
pub const SNMP_IN_GEN_ERRS: Scalar =
    Scalar::new("snmpInGenErrs", &[1, 3, 6, 1, 2, 1, 11, 12], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInTotalReqVars` of the snmp group.
pub const SNMP_IN_TOTAL_REQ_VARS: Scalar =
    Scalar::new("snmpInTotalReqVars", &[1, 3, 6, 1, 2, 1, 11, 13], ReadOnly, Syntax::COUNTER32)
        .units("variables");

/// RFC 3418 or RFC 1213 counter `snmpInTotalSetVars` of the snmp group.
pub const SNMP_IN_TOTAL_SET_VARS: Scalar =
    Scalar::new("snmpInTotalSetVars", &[1, 3, 6, 1, 2, 1, 11, 14], ReadOnly, Syntax::COUNTER32)
        .units("variables");

/// RFC 3418 or RFC 1213 counter `snmpInGetRequests` of the snmp group.
pub const SNMP_IN_GET_REQUESTS: Scalar =
    Scalar::new("snmpInGetRequests", &[1, 3, 6, 1, 2, 1, 11, 15], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInGetNexts` of the snmp group.
pub const SNMP_IN_GET_NEXTS: Scalar =
    Scalar::new("snmpInGetNexts", &[1, 3, 6, 1, 2, 1, 11, 16], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInSetRequests` of the snmp group.
pub const SNMP_IN_SET_REQUESTS: Scalar =
    Scalar::new("snmpInSetRequests", &[1, 3, 6, 1, 2, 1, 11, 17], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInGetResponses` of the snmp group.
pub const SNMP_IN_GET_RESPONSES: Scalar =
    Scalar::new("snmpInGetResponses", &[1, 3, 6, 1, 2, 1, 11, 18], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpInTraps` of the snmp group.
pub const SNMP_IN_TRAPS: Scalar =
    Scalar::new("snmpInTraps", &[1, 3, 6, 1, 2, 1, 11, 19], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutTooBigs` of the snmp group.
pub const SNMP_OUT_TOO_BIGS: Scalar =
    Scalar::new("snmpOutTooBigs", &[1, 3, 6, 1, 2, 1, 11, 20], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutNoSuchNames` of the snmp group.
pub const SNMP_OUT_NO_SUCH_NAMES: Scalar =
    Scalar::new("snmpOutNoSuchNames", &[1, 3, 6, 1, 2, 1, 11, 21], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutBadValues` of the snmp group.
pub const SNMP_OUT_BAD_VALUES: Scalar =
    Scalar::new("snmpOutBadValues", &[1, 3, 6, 1, 2, 1, 11, 22], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutGenErrs` of the snmp group.
pub const SNMP_OUT_GEN_ERRS: Scalar =
    Scalar::new("snmpOutGenErrs", &[1, 3, 6, 1, 2, 1, 11, 24], ReadOnly, Syntax::COUNTER32).units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutGetRequests` of the snmp group.
pub const SNMP_OUT_GET_REQUESTS: Scalar =
    Scalar::new("snmpOutGetRequests", &[1, 3, 6, 1, 2, 1, 11, 25], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutGetNexts` of the snmp group.
pub const SNMP_OUT_GET_NEXTS: Scalar =
    Scalar::new("snmpOutGetNexts", &[1, 3, 6, 1, 2, 1, 11, 26], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutSetRequests` of the snmp group.
pub const SNMP_OUT_SET_REQUESTS: Scalar =
    Scalar::new("snmpOutSetRequests", &[1, 3, 6, 1, 2, 1, 11, 27], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutGetResponses` of the snmp group.
pub const SNMP_OUT_GET_RESPONSES: Scalar =
    Scalar::new("snmpOutGetResponses", &[1, 3, 6, 1, 2, 1, 11, 28], ReadOnly, Syntax::COUNTER32)
        .units("messages");

/// RFC 3418 or RFC 1213 counter `snmpOutTraps` of the snmp group.
pub const SNMP_OUT_TRAPS: Scalar =
    Scalar::new("snmpOutTraps", &[1, 3, 6, 1, 2, 1, 11, 29], ReadOnly, Syntax::COUNTER32).units("messages");
