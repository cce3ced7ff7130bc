//! The targets and communities of the configuration as rows of the tables.

use trunkline_smi::module::snmp_community_mib as community;
use trunkline_smi::module::snmp_notification_mib as notification;
use trunkline_smi::module::snmp_ssh_tm_mib as ssh;
use trunkline_smi::module::snmp_target_mib as target;
use trunkline_smi::module::snmp_tls_tm_mib as tls;
use trunkline_smi::module::transport_mibs as domain;
use trunkline_smi::module::trunkline_mib as own;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, Oid, OidBuf, Value, encode_index};
use trunkline_snmp::usm::EngineId;
use trunkline_transport::{Authority, Transport};
use trunkline_tree::View;
use trunkline_tree::policy::{AdminString, SecurityLevel, SecurityModel, StorageType};

use crate::rows::{Row, Rows};
use crate::target_rows::{MessageModel, NotifyType, transport_address};
use trunkline_config::{Credentials, NotificationKind, PeerAddress, Plan, TargetPlan};
use trunkline_config::{TlsServer, access};

/// The secret of a row of snmpTargetParamsTable: the community of a configured target.
pub(super) const COMMUNITY: &str = "community";
/// What rows of targets of the configuration have without a column for it: the context of their messages.
pub(super) const CONTEXT: &str = "context";

/// The rows that a configuration is.
pub(super) fn rows(plan: &Plan, engine_id: &EngineId) -> Rows {
    let mut rows = Rows::new();
    for kind in [NotifyType::Trap, NotifyType::Inform] {
        let tag = tag(kind);
        let cells = vec![("snmpNotifyTag", text(tag)), ("snmpNotifyType", Value::Integer(kind as i32))];
        let has_targets = plan.snmp.targets.iter().any(|target| notify_type(target) == kind);
        if has_targets {
            insert(&mut rows, &notification::SNMP_NOTIFY_TABLE, &[name(tag)], cells);
        }
    }
    for target in &plan.snmp.targets {
        insert_target(&mut rows, plan, target);
    }
    for (position, community) in plan.snmp.communities.iter().enumerate() {
        let principal = access::security_name(position);
        let cells = vec![
            ("snmpCommunityName", octets(&community.name)),
            ("snmpCommunitySecurityName", octets(principal.octets())),
            ("snmpCommunityContextEngineID", octets(engine_id.as_bytes())),
            ("snmpCommunityContextName", text(&community.context)),
            ("snmpCommunityTransportTag", text("")),
        ];
        let index = [IndexValue::Octets(principal.octets().to_vec())];
        insert(&mut rows, &community::SNMP_COMMUNITY_TABLE, &index, cells);
    }
    rows
}

/// The security name for the access policy when a configured target is notified: its user or principal; with a
/// community the name of that community here, if it exists; otherwise `target-` and the target's name.
pub fn target_principal(plan: &Plan, target: &TargetPlan) -> (SecurityModel, AdminString) {
    let (model, secret) = match &target.credentials {
        Credentials::V1 { community } => (SecurityModel::V1, community),
        Credentials::V2c { community } => (SecurityModel::V2C, community),
        Credentials::V3 { user, .. } => {
            return (SecurityModel::USM, AdminString::try_from(user.as_str()).unwrap_or_default());
        }
        Credentials::Session { principal } => {
            return (SecurityModel::TSM, AdminString::try_from(principal.as_str()).unwrap_or_default());
        }
    };
    let position = plan.snmp.communities.iter().position(|known| known.name == *secret);
    let own = || {
        let mut name = format!("target-{}", target.name).into_bytes();
        name.truncate(AdminString::MAX_OCTETS);
        AdminString::try_from(name.as_slice()).unwrap_or_default()
    };
    (model, position.map_or_else(own, access::security_name))
}

fn insert_target(rows: &mut Rows, plan: &Plan, target: &TargetPlan) {
    let index = [name(&target.name)];
    let (domain, address) = transport(&target.address);
    let hundredths = i32::try_from(target.timeout.as_millis() / 10).unwrap_or(i32::MAX);
    let context = (!target.context.is_empty()).then(|| target.context.clone().into_bytes());
    let cells = [
        ("snmpTargetAddrTDomain", Value::ObjectIdentifier(Oid::EMPTY.child(domain))),
        ("snmpTargetAddrTAddress", Value::OctetString(address)),
        ("snmpTargetAddrTimeout", Value::Integer(hundredths)),
        ("snmpTargetAddrRetryCount", Value::Integer(i32::try_from(target.retries).unwrap_or(255))),
        ("snmpTargetAddrTagList", text(tag(notify_type(target)))),
        ("snmpTargetAddrParams", text(&target.name)),
        ("snmpTargetAddrTMask", text("")),
        ("snmpTargetAddrMMS", Value::Integer(0)),
    ];
    let mut row = Row::configured(StorageType::ReadOnly, cells);
    row.set_secret(CONTEXT, context.clone());
    insert_row(rows, &target::SNMP_TARGET_ADDR_TABLE, &index, row);

    let (version, level, secret) = match &target.credentials {
        Credentials::V1 { community } => (MessageModel::V1, SecurityLevel::NoAuthNoPriv, Some(community)),
        Credentials::V2c { community } => (MessageModel::V2c, SecurityLevel::NoAuthNoPriv, Some(community)),
        Credentials::V3 { level, .. } => (MessageModel::V3, *level, None),
        Credentials::Session { .. } => (MessageModel::V3, SecurityLevel::AuthPriv, None),
    };
    let (model, principal) = target_principal(plan, target);
    let model = i32::try_from(model.0).unwrap_or_default();
    let cells = [
        ("snmpTargetParamsMPModel", Value::Integer(version as i32)),
        ("snmpTargetParamsSecurityModel", Value::Integer(model)),
        ("snmpTargetParamsSecurityName", octets(principal.octets())),
        ("snmpTargetParamsSecurityLevel", Value::Integer(level.code())),
    ];
    let mut row = Row::configured(StorageType::ReadOnly, cells);
    row.set_secret(COMMUNITY, secret.cloned());
    row.set_secret(CONTEXT, context);
    insert_row(rows, &target::SNMP_TARGET_PARAMS_TABLE, &index, row);
    if let Some(server) = &target.server {
        let (fingerprint, identity) = match server {
            TlsServer::Fingerprint(fingerprint) => (fingerprint.to_octets(), ""),
            TlsServer::Identity(name) => (Vec::new(), name.as_str()),
        };
        let cells = vec![
            ("snmpTlstmAddrServerFingerprint", Value::OctetString(fingerprint)),
            ("snmpTlstmAddrServerIdentity", text(identity)),
        ];
        insert(rows, &tls::SNMP_TLSTM_ADDR_TABLE, &index, cells);
    }
    if target.filter != View::everything() {
        insert_filter(rows, target, &index);
    }
}

fn insert_filter(rows: &mut Rows, target: &TargetPlan, index: &[IndexValue]) {
    let cells = vec![("snmpNotifyFilterProfileName", text(&target.name))];
    insert(rows, &notification::SNMP_NOTIFY_FILTER_PROFILE_TABLE, index, cells);
    for family in target.filter.families() {
        let cells = vec![
            ("snmpNotifyFilterMask", octets(family.mask.octets())),
            ("snmpNotifyFilterType", Value::Integer(if family.included { 1 } else { 2 })),
        ];
        let index = [name(&target.name), IndexValue::ObjectIdentifier(family.subtree.clone())];
        insert(rows, &notification::SNMP_NOTIFY_FILTER_TABLE, &index, cells);
    }
}

/// TDomain and TAddress (RFC 3417, RFC 3419, RFC 5592, RFC 6353, TRUNKLINE-MIB). Names are resolved later.
fn transport(peer: &PeerAddress) -> (&'static [u32], Vec<u8>) {
    let PeerAddress { host, port, .. } = peer;
    let with_brackets = || Authority { host, port: Some(*port) }.to_string();
    let [v4, v6, dns] = match peer.transport {
        Transport::Udp => [domain::SNMP_UDP_DOMAIN, domain::UDP_IPV6, domain::UDP_DNS],
        Transport::Tcp => [domain::TCP_IPV4, domain::TCP_IPV6, domain::TCP_DNS],
        Transport::Http => return (own::SNMP_HTTP_DOMAIN, with_brackets().into_bytes()),
        Transport::Https => return (own::SNMP_HTTPS_DOMAIN, with_brackets().into_bytes()),
        Transport::Tls => return (tls::SNMP_TLS_TCP_DOMAIN, with_brackets().into_bytes()),
        Transport::Dtls => return (tls::SNMP_DTLS_UDP_DOMAIN, with_brackets().into_bytes()),
        Transport::Ssh => {
            let login = peer.login.as_ref().map_or_else(String::new, |login| format!("{login}@"));
            return (ssh::SNMP_SSH_DOMAIN, (login + &with_brackets()).into_bytes());
        }
    };
    match host.parse::<std::net::IpAddr>() {
        Ok(ip) => {
            let octets = transport_address((ip, *port).into());
            (if octets.len() == 6 { v4 } else { v6 }, octets)
        }
        Err(_) => (dns, format!("{host}:{port}").into_bytes()),
    }
}

fn notify_type(target: &TargetPlan) -> NotifyType {
    match target.kind {
        NotificationKind::Trap => NotifyType::Trap,
        NotificationKind::Inform => NotifyType::Inform,
    }
}

/// The row of snmpNotifyTable and the tag for targets of the configuration.
fn tag(kind: NotifyType) -> &'static str {
    match kind {
        NotifyType::Trap => "config-traps",
        NotifyType::Inform => "config-informs",
    }
}

fn insert(rows: &mut Rows, table: &'static Table, values: &[IndexValue], cells: Vec<(&'static str, Value)>) {
    insert_row(rows, table, values, Row::configured(StorageType::ReadOnly, cells));
}

fn insert_row(rows: &mut Rows, table: &'static Table, values: &[IndexValue], row: Row) {
    let mut index = OidBuf::new();
    if encode_index(table.index, values, &mut index).is_ok() {
        rows.insert(table, index.to_vec(), row);
    }
}

fn name(text: &str) -> IndexValue {
    IndexValue::Octets(text.as_bytes().to_vec())
}

fn text(text: &str) -> Value {
    octets(text.as_bytes())
}

fn octets(octets: &[u8]) -> Value {
    Value::OctetString(octets.to_vec())
}
