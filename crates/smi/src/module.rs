//! The modules that the agent serves, as constant data: one file per module.
//!
//! Names, numbers and enumerations are those of the RFC (or, for UCD-SNMP-MIB,
//! of Net-SNMP's published module); the words are ours.

use crate::schema::Module;

pub mod host_resources_mib;
pub mod if_mib;
pub mod ip_forward_mib;
pub mod ip_mib;
pub mod snmpv2_mib;
pub mod tcp_mib;
pub mod ucd_snmp_mib;
pub mod udp_mib;

/// Every module of this folder.
pub const ALL: &[&Module] = &[
    &snmpv2_mib::MODULE,
    &if_mib::MODULE,
    &ip_mib::MODULE,
    &ip_forward_mib::MODULE,
    &tcp_mib::MODULE,
    &udp_mib::MODULE,
    &host_resources_mib::MODULE,
    &host_resources_mib::TYPES_MODULE,
    &ucd_snmp_mib::MODULE,
];
