//! The SNMP door: `[snmp]` and `[snmp.tcp]`.

use std::net::IpAddr;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_transport::{ListenUrl, ListenUrlError, Transport};

use super::community::{CommunityPlan, check_communities};
use super::role::RolePlan;
use super::target::{TargetPlan, check_targets};
use super::user::{UserPlan, check_users};
use super::value::{self, Checked};
use super::view::ViewPlan;
use crate::config::{Place, raw};

/// The SNMP door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnmpPlan {
    /// Where to listen.
    pub listen: Vec<ListenUrl>,
    /// Who may ask with SNMPv1 and SNMPv2c.
    pub communities: Vec<CommunityPlan>,
    /// Who may ask with SNMPv3, and as whom the agent speaks to others.
    pub users: Vec<UserPlan>,
    /// Who is told when something happens.
    pub targets: Vec<TargetPlan>,
    /// Whether authenticationFailure is told; `None`: as a manager sets it.
    pub authentication_traps: Option<bool>,
    /// The longest message sent, in octets: 484 to 65507.
    pub max_message_size: usize,
    /// The most variable bindings in an answer to GetBulk.
    pub max_bindings: usize,
    /// Limits of TCP connections.
    pub tcp: TcpPlan,
}

/// Limits of TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpPlan {
    /// Connections at one time.
    pub max_connections: usize,
    /// Connections at one time from one address.
    pub max_connections_per_peer: usize,
    /// Requests under work on one connection.
    pub max_in_flight: usize,
    /// A connection without a message for so long is closed.
    pub idle_timeout: Duration,
    /// A message must be whole so long after its first octet.
    pub message_timeout: Duration,
    /// A peer that takes no octet of a waiting answer for so long is closed.
    pub write_timeout: Duration,
}

/// The longest SNMP message over UDP and IPv4 (RFC 3417 section 3.2 and the UDP limit).
const MAX_MESSAGE_SIZE: i64 = 65_507;

/// The port of agents (RFC 3417 section 3.1).
const AGENT_PORT: u16 = 161;

impl Default for SnmpPlan {
    /// Loopback only, port 1161, community `public`, read-only.
    fn default() -> Self {
        let loopback = |transport| ListenUrl {
            transport,
            address: Some(IpAddr::from([127, 0, 0, 1])),
            zone: 0,
            port: 1161,
        };
        SnmpPlan {
            listen: vec![loopback(Transport::Udp), loopback(Transport::Tcp)],
            communities: vec![CommunityPlan::reader("public")],
            users: Vec::new(),
            targets: Vec::new(),
            authentication_traps: None,
            max_message_size: MAX_MESSAGE_SIZE as usize,
            max_bindings: 10_000,
            tcp: TcpPlan::default(),
        }
    }
}

impl Default for TcpPlan {
    fn default() -> Self {
        TcpPlan {
            max_connections: 1024,
            max_connections_per_peer: 256,
            max_in_flight: 32,
            idle_timeout: Duration::from_secs(300),
            message_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
        }
    }
}

pub(super) fn check_snmp(
    raw: raw::Snmp,
    views: &[ViewPlan],
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<SnmpPlan> {
    let default = SnmpPlan::default();
    let listen = match raw.listen {
        None => default.listen,
        Some(list) => check_listen(list, place)?,
    };
    let users = check_users(raw.user, roles, place)?;
    let communities = match raw.community {
        // Who has named users has not asked for a community that everybody knows.
        None if !users.is_empty() => Vec::new(),
        None => default.communities,
        Some(list) => check_communities(list, views, roles, place)?,
    };
    let size = raw.max_message_size;
    let size = size.map(|size| value::number(&size, 484, MAX_MESSAGE_SIZE, place)).transpose()?;
    let bindings = raw.max_bindings.map(|most| value::number(&most, 1, 1_000_000, place)).transpose()?;
    Ok(SnmpPlan {
        listen,
        communities,
        targets: check_targets(raw.target, &users, place)?,
        users,
        authentication_traps: raw.authentication_traps,
        max_message_size: size.unwrap_or(default.max_message_size),
        max_bindings: bindings.unwrap_or(default.max_bindings),
        tcp: check_tcp(raw.tcp, place)?,
    })
}

fn check_listen(list: Spanned<Vec<Spanned<String>>>, place: Place<'_>) -> Checked<Vec<ListenUrl>> {
    if list.get_ref().is_empty() {
        let message = "expected at least one address, such as \"udp://127.0.0.1:1161\"";
        return Err(place.wrong(list.span(), message.into()));
    }
    let mut listen: Vec<ListenUrl> = Vec::new();
    for text in list.into_inner() {
        let url = listen_url(text.get_ref()).map_err(|error| place.wrong(text.span(), error.to_string()))?;
        if listen.contains(&url) {
            return Err(place.wrong(text.span(), format!("{url} stands twice")));
        }
        listen.push(url);
    }
    Ok(listen)
}

/// Without a port it is the one of agents.
fn listen_url(text: &str) -> Result<ListenUrl, ListenUrlError> {
    match text.parse() {
        Err(ListenUrlError::NoPort { .. }) => format!("{text}:{AGENT_PORT}").parse(),
        parsed => parsed,
    }
}

fn check_tcp(raw: raw::Tcp, place: Place<'_>) -> Checked<TcpPlan> {
    let default = TcpPlan::default();
    let count = |value: Option<Spanned<i64>>, default: usize| match value {
        Some(value) => value::number(&value, 1, 1_000_000, place),
        None => Ok(default),
    };
    Ok(TcpPlan {
        max_connections: count(raw.max_connections, default.max_connections)?,
        max_connections_per_peer: count(raw.max_connections_per_peer, default.max_connections_per_peer)?,
        max_in_flight: count(raw.max_in_flight, default.max_in_flight)?,
        idle_timeout: value::time(raw.idle_timeout, default.idle_timeout, place)?,
        message_timeout: value::time(raw.message_timeout, default.message_timeout, place)?,
        write_timeout: value::time(raw.write_timeout, default.write_timeout, place)?,
    })
}
