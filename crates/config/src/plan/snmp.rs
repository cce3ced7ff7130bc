//! The SNMP door: `[snmp]` and `[snmp.tcp]`.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::ops::Range;
use std::time::Duration;

use serde_spanned::Spanned;
use trunkline_transport::{ListenUrl, Protocol, Transport};

use super::community::{CommunityPlan, check_communities};
use super::principal::{PrincipalPlan, check_principals};
use super::role::RolePlan;
use super::secure::{SshPlan, TlsPlan, check_ssh, check_tls};
use super::target::{TargetPlan, check_targets};
use super::user::{UserPlan, check_users};
use super::value::{self, Checked};
use super::view::ViewPlan;
use crate::{Place, raw};

/// The SNMP door.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SnmpPlan {
    /// Where to listen.
    pub listen: Vec<ListenUrl>,
    /// Communities, for SNMPv1 and SNMPv2c.
    pub communities: Vec<CommunityPlan>,
    /// Users of SNMPv3, here and at other engines.
    pub users: Vec<UserPlan>,
    /// Targets of notifications.
    pub targets: Vec<TargetPlan>,
    /// Whether authenticationFailure is sent; `None`: as a manager sets it.
    pub authentication_traps: Option<bool>,
    /// Whether linkUp and linkDown are sent.
    pub link_notifications: bool,
    /// Which notifications tell of the agent itself, and which enterprise they name.
    pub trap_style: TrapStyle,
    /// The longest message sent, in octets: 484 to 65507.
    pub max_message_size: usize,
    /// The longest answer to an unauthenticated datagram from another machine, in octets: 484 to 65507.
    pub max_unproved_answer: usize,
    /// The most variable bindings in an answer to GetBulk.
    pub max_bindings: usize,
    /// Limits of connections: TCP, and with it TLS, DTLS and SSH.
    pub tcp: TcpPlan,
    /// Principals over TLS, DTLS and SSH; none: every authenticated peer may read everything.
    pub principals: Vec<PrincipalPlan>,
    /// Certificates.
    pub tls: TlsPlan,
    /// SSH.
    pub ssh: SshPlan,
    /// Whether security names have the prefix of their transport (snmpTsmConfigurationUsePrefix); `None`: as a
    /// manager sets it.
    pub name_prefixes: Option<bool>,
    /// Whether SNMPv1 and SNMPv2c are accepted over TLS, DTLS and SSH: for the session's principal, whatever the
    /// community.
    pub communities_in_sessions: bool,
}

/// How the agent tells of its own start, reload and failed authentications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrapStyle {
    /// By RFC 3418 and RFC 3584.
    Standard,
    /// As Net-SNMP's agent: nsNotifyRestart after a reload, and snmpTrapEnterprise.0, which is the enterprise of a
    /// trap of SNMPv1.
    NetSnmp,
}

fn check_trap_style(value: Option<&Spanned<String>>, place: Place<'_>) -> Checked<TrapStyle> {
    match value.map(|value| value.get_ref().as_str()) {
        None | Some("standard") => Ok(TrapStyle::Standard),
        Some("net-snmp") => Ok(TrapStyle::NetSnmp),
        Some(other) => {
            let message = format!("{other:?} is neither \"standard\" nor \"net-snmp\"");
            Err(place.wrong(value.map(Spanned::span).unwrap_or_default(), message))
        }
    }
}

impl SnmpPlan {
    /// Whether peers can connect over a transport that authenticates them.
    pub fn has_sessions(&self) -> bool {
        self.listen.iter().any(|url| url.transport.is_secure()) || self.ssh.subsystem_socket.is_some()
    }
}

/// Limits of TCP connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TcpPlan {
    /// Simultaneous connections.
    pub max_connections: usize,
    /// Simultaneous connections from one IPv4 address or one IPv6 /64.
    pub max_connections_per_peer: usize,
    /// Outstanding requests on one connection.
    pub max_in_flight: usize,
    /// A connection whose first message has not arrived is closed after this time.
    pub first_message_timeout: Duration,
    /// A connection without a message for this long is closed.
    pub idle_timeout: Duration,
    /// A message must be complete this long after its first octet.
    pub message_timeout: Duration,
    /// A peer that reads nothing of a waiting answer for this long is closed.
    pub write_timeout: Duration,
    /// Simultaneous handshakes; at most a quarter of them with one IPv4 address or one IPv6 /64.
    pub max_handshakes: usize,
    /// The time limit of a handshake.
    pub handshake_timeout: Duration,
}

/// The longest SNMP message over UDP and IPv4 (RFC 3417 section 3.2 and the UDP limit).
const MAX_MESSAGE_SIZE: i64 = 65_507;

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
            link_notifications: true,
            trap_style: TrapStyle::Standard,
            max_message_size: MAX_MESSAGE_SIZE as usize,
            max_unproved_answer: 1472,
            max_bindings: 10_000,
            tcp: TcpPlan::default(),
            principals: Vec::new(),
            tls: TlsPlan::default(),
            ssh: SshPlan::default(),
            name_prefixes: None,
            communities_in_sessions: false,
        }
    }
}

impl Default for TcpPlan {
    fn default() -> Self {
        TcpPlan {
            max_connections: 1024,
            max_connections_per_peer: 256,
            max_in_flight: 32,
            first_message_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(300),
            message_timeout: Duration::from_secs(10),
            write_timeout: Duration::from_secs(10),
            max_handshakes: 256,
            handshake_timeout: Duration::from_secs(10),
        }
    }
}

/// What other sections need of `[snmp]`.
pub(super) struct Needed<'p> {
    /// Who needs the certificates of `[snmp.tls]`, by its position.
    pub by_https: Option<Range<usize>>,
    pub by_netconf: Option<Range<usize>>,
    pub by_jmx: Option<Range<usize>>,
    /// Their users have all rights of their roles without a message, and so without keys.
    pub internal: &'p BTreeSet<String>,
}

/// `is_alone`: nothing is served over any other protocol.
pub(super) fn check_snmp(
    raw: raw::Snmp,
    is_alone: bool,
    needed: Needed<'_>,
    views: &[ViewPlan],
    roles: &[RolePlan],
    place: Place<'_>,
) -> Checked<SnmpPlan> {
    let default = SnmpPlan::default();
    let spans: Vec<_> = raw.listen.iter().flat_map(|list| list.get_ref().iter().map(Spanned::span)).collect();
    let listen = match raw.listen {
        None => default.listen,
        Some(list) if list.get_ref().is_empty() && !is_alone => Vec::new(),
        Some(list) => check_listen(list, &spans, place)?,
    };
    let principals = check_principals(raw.principal, roles, place)?;
    let ssh = check_ssh(raw.ssh, place);
    let needed_here = needs_certificate(&listen, &spans).or(needed.by_netconf);
    // Over HTTPS and for JMX a certificate is the client's choice.
    let by_choice = needed.by_https.or(needed.by_jmx);
    let must_know = needed_here.is_some() || by_choice.is_none();
    let tls = check_tls(raw.tls, needed_here.or(by_choice), must_know, place)?;
    let users = check_users(raw.user, roles, needed.internal, place)?;
    let communities = match raw.community {
        // A configuration that names somebody does not enable the well-known community by default.
        None if !users.is_empty()
            || !principals.is_empty()
            || roles.iter().any(|role| !role.members.is_empty()) =>
        {
            Vec::new()
        }
        None => default.communities,
        Some(list) => check_communities(list, views, roles, place)?,
    };
    let size = |size: Option<Spanned<i64>>, default| {
        size.map_or(Ok(default), |size| value::number(&size, 484, MAX_MESSAGE_SIZE, place))
    };
    let bindings = raw.max_bindings.map(|most| value::number(&most, 1, 1_000_000, place)).transpose()?;
    Ok(SnmpPlan {
        listen,
        communities,
        targets: check_targets(raw.target, &users, place)?,
        users,
        authentication_traps: raw.authentication_traps,
        link_notifications: raw.link_notifications.unwrap_or(default.link_notifications),
        trap_style: check_trap_style(raw.trap_style.as_ref(), place)?,
        max_message_size: size(raw.max_message_size, default.max_message_size)?,
        max_unproved_answer: size(raw.max_unproved_answer, default.max_unproved_answer)?,
        max_bindings: bindings.unwrap_or(default.max_bindings),
        tcp: check_tcp(raw.tcp, place)?,
        principals,
        tls,
        ssh,
        name_prefixes: raw.name_prefixes,
        communities_in_sessions: raw.communities_in_sessions,
    })
}

/// The position of the first listener that needs a certificate.
fn needs_certificate(listen: &[ListenUrl], spans: &[Range<usize>]) -> Option<Range<usize>> {
    let is_tls = |url: &ListenUrl| matches!(url.transport, Transport::Tls | Transport::Dtls);
    listen.iter().zip(spans).find(|(url, _)| is_tls(url)).map(|(_, span)| span.clone())
}

fn check_listen(
    list: Spanned<Vec<Spanned<String>>>,
    spans: &[Range<usize>],
    place: Place<'_>,
) -> Checked<Vec<ListenUrl>> {
    let listen = listen_urls(list, Protocol::Snmp, place)?;
    match listen.iter().zip(spans).find(|(url, _)| url.transport.is_http()) {
        Some((url, span)) => Err(place.wrong(span.clone(), format!("{url} belongs to listen in [http]"))),
        None => Ok(listen),
    }
}

/// Addresses to listen on, each once. A port that is left out is that of the protocol over the transport.
pub(super) fn listen_urls(
    list: Spanned<Vec<Spanned<String>>>,
    protocol: Protocol,
    place: Place<'_>,
) -> Checked<Vec<ListenUrl>> {
    if list.get_ref().is_empty() {
        let message = "expected at least one address, such as \"udp://127.0.0.1:1161\"";
        return Err(place.wrong(list.span(), message.into()));
    }
    let mut listen: Vec<ListenUrl> = Vec::new();
    for text in list.into_inner() {
        let url = ListenUrl::parse(text.get_ref(), |transport| protocol.port(transport));
        let url = url.map_err(|error| place.wrong(text.span(), error.to_string()))?;
        if listen.contains(&url) {
            return Err(place.wrong(text.span(), format!("{url} is listed twice")));
        }
        listen.push(url);
    }
    Ok(listen)
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
        first_message_timeout: value::time(raw.first_message_timeout, default.first_message_timeout, place)?,
        idle_timeout: value::time(raw.idle_timeout, default.idle_timeout, place)?,
        message_timeout: value::time(raw.message_timeout, default.message_timeout, place)?,
        write_timeout: value::time(raw.write_timeout, default.write_timeout, place)?,
        max_handshakes: count(raw.max_handshakes, default.max_handshakes)?,
        handshake_timeout: value::time(raw.handshake_timeout, default.handshake_timeout, place)?,
    })
}
