//! The modules that the agent serves, as constant data: one file per module.
//!
//! Names, numbers and enumerations are those of the RFC (or, for UCD-SNMP-MIB, of Net-SNMP's published module);
//! the wording is ours.

use crate::schema::Module;

pub mod agentx_mib;
pub mod bridge_mib;
pub mod disman_event_mib;
pub mod disman_expression_mib;
pub mod entity_mib;
pub mod etherlike_mib;
pub mod host_resources_mib;
pub mod if_mib;
pub mod ip_forward_mib;
pub mod ip_mib;
pub mod lm_sensors_mib;
pub mod net_snmp_mib;
pub mod notification_log_mib;
pub mod q_bridge_mib;
pub mod rfc1213_mib;
pub mod snmp_community_mib;
pub mod snmp_framework_mib;
pub mod snmp_mpd_mib;
pub mod snmp_notification_mib;
pub mod snmp_ssh_tm_mib;
pub mod snmp_target_mib;
pub mod snmp_tls_tm_mib;
pub mod snmp_tsm_mib;
pub mod snmp_user_based_sm_mib;
pub mod snmp_view_based_acm_mib;
pub mod snmpv2_mib;
pub mod tcp_estats_mib;
pub mod tcp_mib;
pub mod transport_mibs;
pub mod trunkline_mib;
pub mod ucd_diskio_mib;
pub mod ucd_snmp_mib;
pub mod udp_mib;

/// The table whose rows a table AUGMENTS (RFC 2578 section 7.8.1): each of its rows is one of the other's, with more columns.
pub fn augmented(table: &str) -> Option<&'static str> {
    AUGMENTS.iter().find(|(augmenting, _)| *augmenting == table).map(|(_, augmented)| *augmented)
}

const AUGMENTS: [(&str, &str); 6] = [
    ("ifXTable", "ifTable"),
    ("hrSWRunPerfTable", "hrSWRunTable"),
    ("snmpTargetAddrExtTable", "snmpTargetAddrTable"),
    ("nlmStatsLogTable", "nlmConfigLogTable"),
    ("nsExtendOutput1Table", "nsExtendConfigTable"),
    ("dot1qPortVlanTable", "dot1dBasePortTable"),
];

/// Every module of this folder. Static, as the modules are: of constants each crate that names them would have a copy, whose pointers
/// the loader writes, so that it is private memory of each process.
pub static ALL: &[&Module] = &[
    &snmpv2_mib::MODULE,
    &if_mib::MODULE,
    &ip_mib::MODULE,
    &ip_forward_mib::MODULE,
    &rfc1213_mib::MODULE,
    &etherlike_mib::MODULE,
    &bridge_mib::MODULE,
    &q_bridge_mib::MODULE,
    &tcp_mib::MODULE,
    &tcp_estats_mib::MODULE,
    &udp_mib::MODULE,
    &host_resources_mib::MODULE,
    &host_resources_mib::TYPES_MODULE,
    &ucd_snmp_mib::MODULE,
    &ucd_diskio_mib::MODULE,
    &lm_sensors_mib::MODULE,
    &snmp_framework_mib::MODULE,
    &snmp_mpd_mib::MODULE,
    &snmp_target_mib::MODULE,
    &snmp_notification_mib::MODULE,
    &snmp_user_based_sm_mib::MODULE,
    &snmp_user_based_sm_mib::AES_MODULE,
    &snmp_user_based_sm_mib::HMAC_SHA2_MODULE,
    &snmp_view_based_acm_mib::MODULE,
    &snmp_community_mib::MODULE,
    &snmp_tsm_mib::MODULE,
    &snmp_tls_tm_mib::MODULE,
    &snmp_ssh_tm_mib::MODULE,
    &notification_log_mib::MODULE,
    &disman_event_mib::MODULE,
    &disman_expression_mib::MODULE,
    &agentx_mib::MODULE,
    &transport_mibs::MODULE,
    &transport_mibs::ADDRESS_MODULE,
    &net_snmp_mib::MODULE,
    &net_snmp_mib::AGENT_MODULE,
    &net_snmp_mib::EXTEND_MODULE,
    &entity_mib::MODULE,
    &entity_mib::SENSOR_MODULE,
    &trunkline_mib::MODULE,
];
