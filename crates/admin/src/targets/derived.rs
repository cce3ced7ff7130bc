//! The rows that count as plain data.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, SocketAddrV6};
use std::time::Duration;
use trunkline_config::TlsServer;

use trunkline_smi::module::snmp_community_mib as community;
use trunkline_smi::module::snmp_notification_mib as notification;
use trunkline_smi::module::snmp_ssh_tm_mib as ssh;
use trunkline_smi::module::snmp_target_mib as target;
use trunkline_smi::module::snmp_tls_tm_mib as tls;
use trunkline_smi::module::transport_mibs as domain;
use trunkline_smi::module::trunkline_mib as own;
use trunkline_smi::schema::Table;
use trunkline_smi::{IndexValue, decode_index};
use trunkline_snmp::engine::transport::Fingerprint;
use trunkline_snmp::usm::EngineId;
use trunkline_transport::Transport;
use trunkline_tree::policy::{AdminString, SecurityLevel, SecurityModel};
use trunkline_tree::{Family, Mask};

use super::configured;
use crate::rows::{Row, Rows};
use crate::target_rows::{
    Community, Endpoint, MessageModel, Notify, NotifyType, Tag, TargetAddress, TargetParams, TargetTables,
    socket_address,
};

/// The active rows, without contradictory ones.
pub(super) fn tables(rows: &Rows, engine_id: &EngineId) -> TargetTables {
    let mut tables = TargetTables::default();
    for (name, row) in named(rows, &target::SNMP_TARGET_ADDR_TABLE) {
        tables.addresses.extend(address(row).map(|address| (name, address)));
    }
    for (name, row) in named(rows, &target::SNMP_TARGET_PARAMS_TABLE) {
        // The community of a configured target is only for messages sent there.
        if let Some(secret) = row.secret(configured::COMMUNITY) {
            let community = target_community(row, secret, engine_id);
            tables.communities.insert(name.clone(), community);
        }
        tables.params.extend(params(row).map(|params| (name, params)));
    }
    for (name, row) in named(rows, &tls::SNMP_TLSTM_ADDR_TABLE) {
        if let Some(address) = tables.addresses.get_mut(&name) {
            address.tls_server = tls_server(row);
        }
    }
    for (name, row) in named(rows, &tls::SNMP_TLSTM_PARAMS_TABLE) {
        if let Some(params) = tables.params.get_mut(&name) {
            params.client_certificate = client_certificate(row);
        }
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
    let (transport, endpoint, ssh_user) = place(row)?;
    let hundredths = u64::try_from(row.integer("snmpTargetAddrTimeout")).ok()?;
    Some(TargetAddress {
        transport,
        endpoint,
        ssh_user,
        tls_server: None,
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

/// The address of a row of snmpTargetAddrTable, and with SSH our user name there; `None` if the address does not
/// fit the domain.
pub(super) fn place(row: &Row) -> Option<(Transport, Endpoint, Option<String>)> {
    let octets = row.octets("snmpTargetAddrTAddress");
    if row.oid("snmpTargetAddrTDomain") == ssh::SNMP_SSH_DOMAIN {
        let (user, endpoint) = ssh_address(octets)?;
        return Some((Transport::Ssh, endpoint, user));
    }
    endpoint(row.oid("snmpTargetAddrTDomain"), octets)
        .map(|(transport, endpoint)| (transport, endpoint, None))
}

fn endpoint(domain: &[u32], octets: &[u8]) -> Option<(Transport, Endpoint)> {
    let socket = |length| socket_address(octets).filter(|_| octets.len() == length).map(Endpoint::Socket);
    match domain {
        domain::SNMP_UDP_DOMAIN | domain::UDP_IPV4 => Some((Transport::Udp, socket(6)?)),
        domain::UDP_IPV6 => Some((Transport::Udp, socket(18)?)),
        domain::UDP_IPV6Z => Some((Transport::Udp, with_zone(octets)?)),
        domain::UDP_DNS => Some((Transport::Udp, host(octets)?)),
        domain::TCP_IPV4 => Some((Transport::Tcp, socket(6)?)),
        domain::TCP_IPV6 => Some((Transport::Tcp, socket(18)?)),
        domain::TCP_IPV6Z => Some((Transport::Tcp, with_zone(octets)?)),
        domain::TCP_DNS => Some((Transport::Tcp, host(octets)?)),
        tls::SNMP_TLS_TCP_DOMAIN => Some((Transport::Tls, tls_address(octets)?)),
        tls::SNMP_DTLS_UDP_DOMAIN => Some((Transport::Dtls, tls_address(octets)?)),
        own::SNMP_HTTP_DOMAIN => Some((Transport::Http, tls_address(octets)?)),
        own::SNMP_HTTPS_DOMAIN => Some((Transport::Https, tls_address(octets)?)),
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

/// SnmpTLSAddress (RFC 6353): an IPv4 address, an IPv6 address in brackets or a host name in ASCII; a colon, a port.
fn tls_address(octets: &[u8]) -> Option<Endpoint> {
    let (place, port) = std::str::from_utf8(octets).ok()?.rsplit_once(':')?;
    // One zero more, or a sign, and it would be another spelling of the same port.
    let number: u16 = port.parse().ok().filter(|number: &u16| *number != 0 && number.to_string() == port)?;
    if let Some(inner) = place.strip_prefix('[') {
        let inner = inner.strip_suffix(']')?;
        return match inner.split_once('%') {
            // The name of an interface, which is looked up with it.
            Some((address, zone)) if !zone.is_empty() && address.parse::<Ipv6Addr>().is_ok() => {
                Some(Endpoint::Host { name: inner.to_string(), port: number })
            }
            _ => Some(Endpoint::Socket((inner.parse::<Ipv6Addr>().ok()?, number).into())),
        };
    }
    if let Ok(address) = place.parse::<Ipv4Addr>() {
        return Some(Endpoint::Socket((address, number).into()));
    }
    is_host_name(place).then(|| Endpoint::Host { name: place.to_string(), port: number })
}

/// A host name (RFC 1123); an underscore is let pass, as resolvers do.
fn is_host_name(text: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    let is_label = |label: &str| (1..=63).contains(&label.len()) && label.chars().all(is_letter);
    let text = text.strip_suffix('.').unwrap_or(text);
    text.len() <= 253 && text.split('.').all(is_label)
}

/// SnmpSSHAddress (RFC 5592): an optional user and at sign, followed by an SnmpTLSAddress.
fn ssh_address(octets: &[u8]) -> Option<(Option<String>, Endpoint)> {
    let text = std::str::from_utf8(octets).ok()?;
    let (user, place) = match text.rsplit_once('@') {
        Some(("", _)) => return None,
        Some((user, place)) => (Some(user.to_string()), place),
        None => (None, text),
    };
    Some((user, tls_address(place.as_bytes())?))
}

/// The server of a row of snmpTlstmAddrTable: the fingerprint takes precedence if there is one. `None` if the row
/// accepts any server, or none.
pub(super) fn tls_server(row: &Row) -> Option<TlsServer> {
    match Fingerprint::from_octets(row.octets("snmpTlstmAddrServerFingerprint")).ok()? {
        Some(fingerprint) => Some(TlsServer::Fingerprint(fingerprint)),
        None => match std::str::from_utf8(row.octets("snmpTlstmAddrServerIdentity")).ok()? {
            "" | ANYBODY => None,
            identity => Some(TlsServer::Identity(identity.to_string())),
        },
    }
}

/// Whether octets are a valid snmpTlstmAddrServerIdentity: empty, `*`, a host's name or its address.
pub(super) fn is_identity(octets: &[u8]) -> bool {
    let is_text =
        |text: &str| matches!(text, "" | ANYBODY) || is_host_name(text) || text.parse::<IpAddr>().is_ok();
    std::str::from_utf8(octets).is_ok_and(is_text)
}

/// snmpTlstmAddrServerIdentity that would let every server pass (RFC 6353 section 7).
const ANYBODY: &str = "*";

/// The certificate in a row of snmpTlstmParamsTable.
pub(super) fn client_certificate(row: &Row) -> Option<Fingerprint> {
    Fingerprint::from_octets(row.octets("snmpTlstmParamsClientFingerprint")).ok().flatten()
}

/// The parameters in a row of snmpTargetParamsTable; `None` if they do not match: communities have no security,
/// and each message processing model has its own security model.
pub(super) fn params(row: &Row) -> Option<TargetParams> {
    let version = MessageModel::from_number(row.integer("snmpTargetParamsMPModel"))?;
    let security_model = SecurityModel(u32::try_from(row.integer("snmpTargetParamsSecurityModel")).ok()?);
    let level = SecurityLevel::from_code(row.integer("snmpTargetParamsSecurityLevel"))?;
    let fits = match version {
        MessageModel::V1 => security_model == SecurityModel::V1 && level == SecurityLevel::NoAuthNoPriv,
        MessageModel::V2c => security_model == SecurityModel::V2C && level == SecurityLevel::NoAuthNoPriv,
        MessageModel::V3 => matches!(security_model, SecurityModel::USM | SecurityModel::TSM),
    };
    let security_name = AdminString::try_from(row.octets("snmpTargetParamsSecurityName")).ok()?;
    fits.then_some(TargetParams { version, security_model, security_name, level, client_certificate: None })
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
