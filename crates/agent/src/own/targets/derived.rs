//! The rows that count as plain data.

use std::net::{Ipv6Addr, SocketAddr, SocketAddrV6};
use std::time::Duration;

use trunkline_smi::module::snmp_community_mib as community;
use trunkline_smi::module::snmp_notification_mib as notification;
use trunkline_smi::module::snmp_target_mib as target;
use trunkline_smi::module::transport_mibs as domain;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, decode_index};
use trunkline_snmp::usm::EngineId;
use trunkline_transport::Transport;
use trunkline_tree::policy::{AdminString, SecurityLevel, SecurityModel};
use trunkline_tree::{Family, Mask};

use super::configured;
use crate::own::rows::{Row, Rows};
use crate::own::target_rows::{
    Community, Endpoint, MessageModel, Notify, NotifyType, Tag, TargetAddress, TargetParams, TargetTables,
    socket_address,
};

/// The active rows, without those that say what cannot be.
pub(super) fn tables(rows: &Rows, engine_id: &EngineId) -> TargetTables {
    let mut tables = TargetTables::default();
    for (name, row) in named(rows, &target::SNMP_TARGET_ADDR_TABLE) {
        tables.addresses.extend(address(row).map(|address| (name, address)));
    }
    for (name, row) in named(rows, &target::SNMP_TARGET_PARAMS_TABLE) {
        // The community of a target of the configuration is for what is sent there alone.
        if let Some(secret) = row.secret(configured::COMMUNITY) {
            let community = target_community(row, secret, engine_id);
            tables.communities.insert(name.clone(), community);
        }
        tables.params.extend(params(row).map(|params| (name, params)));
    }
    for (name, row) in named(rows, &notification::SNMP_NOTIFY_TABLE) {
        tables.notify.extend(notify(row).map(|notify| (name, notify)));
    }
    for (name, row) in named(rows, &notification::SNMP_NOTIFY_FILTER_PROFILE_TABLE) {
        tables.profiles.insert(name, admin_string(row.octets("snmpNotifyFilterProfileName")));
    }
    for (index, row) in rows.active(&notification::SNMP_NOTIFY_FILTER_TABLE) {
        let values = decode_index(notification::SNMP_NOTIFY_FILTER_TABLE.index, index);
        if let Ok([IndexValue::Octets(profile), IndexValue::ObjectIdentifier(subtree)]) = values.as_deref() {
            // Its syntax allows no more octets than a mask has.
            let mask = Mask::new(row.octets("snmpNotifyFilterMask")).unwrap_or_default();
            let included = row.integer("snmpNotifyFilterType") == 1;
            let view = tables.filters.entry(admin_string(profile)).or_default();
            view.insert(Family { subtree: subtree.clone(), mask, included });
        }
    }
    for (name, row) in named(rows, &community::SNMP_COMMUNITY_TABLE) {
        tables.communities.extend(set_community(row).map(|community| (name, community)));
    }
    tables
}

/// The active rows of a table whose index is one name.
fn named<'r>(rows: &'r Rows, table: &'static Table) -> impl Iterator<Item = (AdminString, &'r Row)> {
    rows.active(table).filter_map(|(index, row)| match decode_index(table.index, index).ok()?.as_slice() {
        [IndexValue::Octets(name)] => Some((admin_string(name), row)),
        _ => None,
    })
}

fn address(row: &Row) -> Option<TargetAddress> {
    let (transport, endpoint) = endpoint(row)?;
    let hundredths = u64::try_from(row.integer("snmpTargetAddrTimeout")).ok()?;
    Some(TargetAddress {
        transport,
        endpoint,
        timeout: Duration::from_millis(hundredths * 10),
        retries: u8::try_from(row.integer("snmpTargetAddrRetryCount")).ok()?,
        tags: Tag::list(row.octets("snmpTargetAddrTagList")).ok()?,
        params: admin_string(row.octets("snmpTargetAddrParams")),
        mask: row.octets("snmpTargetAddrTMask").to_vec(),
        max_message_size: usize::try_from(row.integer("snmpTargetAddrMMS")).ok()?,
        context: admin_string(row.secret(configured::CONTEXT).unwrap_or_default()),
        origin: row.state.origin,
    })
}

/// Where a row of snmpTargetAddrTable is; `None` where the address is none of the domain.
pub(super) fn endpoint(row: &Row) -> Option<(Transport, Endpoint)> {
    let octets = row.octets("snmpTargetAddrTAddress");
    let socket = |length| socket_address(octets).filter(|_| octets.len() == length).map(Endpoint::Socket);
    match row.oid("snmpTargetAddrTDomain") {
        domain::SNMP_UDP_DOMAIN | domain::UDP_IPV4 => Some((Transport::Udp, socket(6)?)),
        domain::UDP_IPV6 => Some((Transport::Udp, socket(18)?)),
        domain::UDP_IPV6Z => Some((Transport::Udp, with_zone(octets)?)),
        domain::UDP_DNS => Some((Transport::Udp, host(octets)?)),
        domain::TCP_IPV4 => Some((Transport::Tcp, socket(6)?)),
        domain::TCP_IPV6 => Some((Transport::Tcp, socket(18)?)),
        domain::TCP_IPV6Z => Some((Transport::Tcp, with_zone(octets)?)),
        domain::TCP_DNS => Some((Transport::Tcp, host(octets)?)),
        _ => None,
    }
}

/// TransportAddressIPv6z (RFC 3419): sixteen octets of address, four of zone, two of port.
fn with_zone(octets: &[u8]) -> Option<Endpoint> {
    let (address, rest) = octets.split_first_chunk::<16>()?;
    let (zone, port) = rest.split_first_chunk::<4>()?;
    let port = u16::from_be_bytes(<[u8; 2]>::try_from(port).ok()?);
    let address = SocketAddrV6::new(Ipv6Addr::from(*address), port, 0, u32::from_be_bytes(*zone));
    Some(Endpoint::Socket(SocketAddr::V6(address)))
}

/// TransportAddressDns (RFC 3419): a name, a colon, a port.
fn host(octets: &[u8]) -> Option<Endpoint> {
    let (name, port) = std::str::from_utf8(octets).ok()?.rsplit_once(':')?;
    let port = port.parse().ok()?;
    (!name.is_empty()).then(|| Endpoint::Host { name: name.to_string(), port })
}

/// The parameters in a row of snmpTargetParamsTable; `None` where they do not go together: communities have no
/// security, and each message processing model has its own security model.
pub(super) fn params(row: &Row) -> Option<TargetParams> {
    let version = MessageModel::from_number(row.integer("snmpTargetParamsMPModel"))?;
    let security_model = SecurityModel(u32::try_from(row.integer("snmpTargetParamsSecurityModel")).ok()?);
    let level = SecurityLevel::from_number(row.integer("snmpTargetParamsSecurityLevel"))?;
    let fits = match version {
        MessageModel::V1 => security_model == SecurityModel::V1 && level == SecurityLevel::NoAuthNoPriv,
        MessageModel::V2c => security_model == SecurityModel::V2C && level == SecurityLevel::NoAuthNoPriv,
        MessageModel::V3 => security_model == SecurityModel::USM,
    };
    let security_name = AdminString::try_from(row.octets("snmpTargetParamsSecurityName")).ok()?;
    fits.then_some(TargetParams { version, security_model, security_name, level })
}

fn notify(row: &Row) -> Option<Notify> {
    let kind = NotifyType::from_number(row.integer("snmpNotifyType"))?;
    Some(Notify { tag: Tag::new(row.octets("snmpNotifyTag")).ok()?, kind })
}

fn set_community(row: &Row) -> Option<Community> {
    Some(Community {
        name: row.octets("snmpCommunityName").to_vec(),
        security_name: admin_string(row.octets("snmpCommunitySecurityName")),
        context_engine_id: row.octets("snmpCommunityContextEngineID").to_vec(),
        context: admin_string(row.octets("snmpCommunityContextName")),
        transport_tag: Tag::new(row.octets("snmpCommunityTransportTag")).ok()?,
        origin: row.state.origin,
    })
}

fn target_community(row: &Row, secret: &[u8], engine_id: &EngineId) -> Community {
    Community {
        name: secret.to_vec(),
        security_name: admin_string(row.octets("snmpTargetParamsSecurityName")),
        context_engine_id: engine_id.as_bytes().to_vec(),
        context: admin_string(row.secret(configured::CONTEXT).unwrap_or_default()),
        transport_tag: Tag::default(),
        origin: row.state.origin,
    }
}

/// A name whose length the schema has checked.
fn admin_string(octets: &[u8]) -> AdminString {
    AdminString::try_from(octets).unwrap_or_default()
}
