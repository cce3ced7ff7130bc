//! SNMP-SSH-TM-MIB (RFC 5592): the SSH transport domain, and how its sessions fared.

use crate::schema::MaxAccess::ReadOnly;
use crate::schema::{Module, Node, Scalar, Syntax};

/// SNMP-SSH-TM-MIB.
pub static MODULE: Module = Module {
    name: "SNMP-SSH-TM-MIB",
    reference: "RFC 5592",
    nodes: &[
        Node { name: "snmpSSHDomain", oid: SNMP_SSH_DOMAIN },
        Node { name: "snmpSshtmMIB", oid: &[1, 3, 6, 1, 2, 1, 189] },
        Node { name: "snmpSshtmNotifications", oid: &[1, 3, 6, 1, 2, 1, 189, 0] },
        Node { name: "snmpSshtmObjects", oid: &[1, 3, 6, 1, 2, 1, 189, 1] },
        Node { name: "snmpSshtmSession", oid: &[1, 3, 6, 1, 2, 1, 189, 1, 1] },
        Node { name: "snmpSshtmConformance", oid: &[1, 3, 6, 1, 2, 1, 189, 2] },
        Node { name: "snmpSshtmCompliances", oid: &[1, 3, 6, 1, 2, 1, 189, 2, 1] },
        Node { name: "snmpSshtmCompliance", oid: &[1, 3, 6, 1, 2, 1, 189, 2, 1, 1] },
        Node { name: "snmpSshtmGroups", oid: &[1, 3, 6, 1, 2, 1, 189, 2, 2] },
        Node { name: "snmpSshtmGroup", oid: &[1, 3, 6, 1, 2, 1, 189, 2, 2, 2] },
    ],
    scalars: &[
        SNMP_SSHTM_SESSION_OPENS,
        SNMP_SSHTM_SESSION_CLOSES,
        SNMP_SSHTM_SESSION_OPEN_ERRORS,
        SNMP_SSHTM_SESSION_USER_AUTH_FAILURES,
        SNMP_SSHTM_SESSION_NO_CHANNELS,
        SNMP_SSHTM_SESSION_NO_SUBSYSTEMS,
        SNMP_SSHTM_SESSION_NO_SESSIONS,
        SNMP_SSHTM_SESSION_INVALID_CACHES,
    ],
    tables: &[],
    notifications: &[],
};

/// SNMP over SSH: SnmpSSHAddress, an optional user and at sign, the host, a colon and the port in decimal.
pub const SNMP_SSH_DOMAIN: &[u32] = &[1, 3, 6, 1, 6, 1, 7];

/// The TAddress of [`SNMP_SSH_DOMAIN`].
pub const SNMP_SSH_ADDRESS: Syntax = Syntax::octets(1, 255).named("SnmpSSHAddress", "1a");

/// openSession that was carried out as an SSH client, whatever became of it.
pub const SNMP_SSHTM_SESSION_OPENS: Scalar =
    Scalar::new("snmpSshtmSessionOpens", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 1], ReadOnly, Syntax::COUNTER32);

/// closeSession that was carried out as an SSH client, whatever became of it.
pub const SNMP_SSHTM_SESSION_CLOSES: Scalar =
    Scalar::new("snmpSshtmSessionCloses", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 2], ReadOnly, Syntax::COUNTER32);

/// Sessions that could not be opened, whether the host or the user was at fault.
pub const SNMP_SSHTM_SESSION_OPEN_ERRORS: Scalar =
    Scalar::new("snmpSshtmSessionOpenErrors", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 3], ReadOnly, Syntax::COUNTER32);

/// Sessions that could not be opened because the user was refused.
pub const SNMP_SSHTM_SESSION_USER_AUTH_FAILURES: Scalar = Scalar::new(
    "snmpSshtmSessionUserAuthFailures",
    &[1, 3, 6, 1, 2, 1, 189, 1, 1, 4],
    ReadOnly,
    Syntax::COUNTER32,
);

/// Sessions that could not be opened because no channel was available.
pub const SNMP_SSHTM_SESSION_NO_CHANNELS: Scalar =
    Scalar::new("snmpSshtmSessionNoChannels", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 5], ReadOnly, Syntax::COUNTER32);

/// Sessions that could not be opened because the subsystem `snmp` was missing.
pub const SNMP_SSHTM_SESSION_NO_SUBSYSTEMS: Scalar = Scalar::new(
    "snmpSshtmSessionNoSubsystems",
    &[1, 3, 6, 1, 2, 1, 189, 1, 1, 6],
    ReadOnly,
    Syntax::COUNTER32,
);

/// Outgoing messages that were dropped because their session was gone.
pub const SNMP_SSHTM_SESSION_NO_SESSIONS: Scalar =
    Scalar::new("snmpSshtmSessionNoSessions", &[1, 3, 6, 1, 2, 1, 189, 1, 1, 7], ReadOnly, Syntax::COUNTER32);

/// Outgoing messages that were dropped because their tmStateReference was not that of an SSH session.
pub const SNMP_SSHTM_SESSION_INVALID_CACHES: Scalar = Scalar::new(
    "snmpSshtmSessionInvalidCaches",
    &[1, 3, 6, 1, 2, 1, 189, 1, 1, 8],
    ReadOnly,
    Syntax::COUNTER32,
);
