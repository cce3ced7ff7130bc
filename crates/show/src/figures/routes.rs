//! The routes of a machine: inetCidrRouteTable (RFC 4292), or where there is none, ipCidrRouteTable or ipRouteTable (RFC 1213), which
//! know only IPv4.

use std::net::IpAddr;

use trunkline_client::{Error as ClientError, Session, Table, TableLimit};
use trunkline_smi::module::ip_forward_mib::{INET_CIDR_ROUTE_TABLE, IP_CIDR_ROUTE_TABLE};
use trunkline_smi::module::rfc1213_mib::IP_ROUTE_TABLE;
use trunkline_smi::schema::Table as Schema;
use trunkline_smi::{IndexValue, Oid, Value, decode_index};

use super::inet::{Family, Inet, prefix_of};
use super::sockets::Tables;
use super::{cell, label, number};

/// A route.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// Where it leads to.
    pub destination: Inet,
    /// How many bits of the destination count; nothing if its mask is not a prefix.
    pub prefix: Option<u32>,
    /// What distinguishes routes to one destination, such as the routing table; empty: nothing.
    pub policy: Oid,
    /// The router; nothing if the destination is on the link, or nowhere.
    pub next_hop: Option<Inet>,
    /// The ifIndex of the interface; 0: none.
    pub interface: u64,
    /// What it does.
    pub kind: Kind,
    /// Who made it, as the table names it.
    pub protocol: &'static str,
    /// The first metric; nothing if it is unused.
    pub metric: Option<u64>,
}

/// What a route does with packets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// It delivers them on the link.
    Local,
    /// It sends them to a router.
    Remote,
    /// It refuses them.
    Reject,
    /// It drops them.
    Blackhole,
    /// Something else.
    Other,
}

impl Kind {
    /// Its name in output.
    pub const fn name(self) -> &'static str {
        match self {
            Kind::Local => "local",
            Kind::Remote => "remote",
            Kind::Reject => "reject",
            Kind::Blackhole => "blackhole",
            Kind::Other => "other",
        }
    }

    /// Of ipCidrRouteType and inetCidrRouteType.
    fn of(number: Option<u64>) -> Self {
        match number {
            Some(2) => Kind::Reject,
            Some(3) => Kind::Local,
            Some(4) => Kind::Remote,
            Some(5) => Kind::Blackhole,
            _ => Kind::Other,
        }
    }

    /// Of ipRouteType: 3 is direct, 4 indirect.
    fn of_old(number: Option<u64>) -> Self {
        match number {
            Some(3) => Kind::Local,
            Some(4) => Kind::Remote,
            _ => Kind::Other,
        }
    }
}

impl Route {
    /// The family.
    pub fn family(&self) -> Family {
        Family::of(&self.destination.address)
    }

    /// Whether it leads to everything.
    pub fn is_default(&self) -> bool {
        self.prefix == Some(0) && self.destination.address.is_unspecified()
    }

    /// Whether it leads to one address.
    pub fn is_to_host(&self) -> bool {
        self.prefix == Some(self.family().bits())
    }
}

/// The routes of a machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Routes {
    /// The routes, in the order of the table.
    pub all: Vec<Route>,
    /// The table that they are from.
    pub table: &'static str,
}

/// The routes.
pub async fn routes(session: &dyn Session, tables: Tables) -> Result<Routes, ClientError> {
    if tables == Tables::Present {
        let schema = &INET_CIDR_ROUTE_TABLE;
        let table = session.table(&INET_CIDR_ROUTE_TABLE, &[7, 8, 9, 12], TableLimit::default()).await?;
        let all = rows(&table, schema, inet_route);
        if !all.is_empty() {
            return Ok(Routes { all, table: schema.name });
        }
    }
    let table = session.table(&IP_CIDR_ROUTE_TABLE, &[5, 6, 7, 11], TableLimit::default()).await?;
    let all = rows(&table, &IP_CIDR_ROUTE_TABLE, cidr_route);
    if !all.is_empty() {
        return Ok(Routes { all, table: IP_CIDR_ROUTE_TABLE.name });
    }
    let table = session.table(&IP_ROUTE_TABLE, &[2, 8, 9, 3, 7, 11], TableLimit::default()).await?;
    Ok(Routes { all: rows(&table, &IP_ROUTE_TABLE, old_route), table: IP_ROUTE_TABLE.name })
}

type Read = fn(&[IndexValue], &dyn Fn(usize) -> Option<Value>) -> Option<Route>;

fn rows(table: &Table, schema: &Schema, read: Read) -> Vec<Route> {
    let row = |index: &Vec<u32>| {
        let parts = decode_index(schema.index, index).ok()?;
        read(&parts, &|column| cell(table, index, column).cloned())
    };
    table.rows.keys().filter_map(row).collect()
}

/// What all three tables have: interface, type, protocol and metric, in this order.
struct Common {
    interface: u64,
    kind: Option<u64>,
    protocol: &'static str,
    metric: Option<u64>,
}

fn common(cells: &dyn Fn(usize) -> Option<Value>, schema: &Schema, protocol: u32) -> Common {
    let count = |column: usize| cells(column).as_ref().and_then(number);
    let of = count(2).and_then(|number| i32::try_from(number).ok());
    // -1 is an unused metric.
    let metric = match cells(3) {
        Some(Value::Integer(metric)) => u64::try_from(metric).ok(),
        _ => None,
    };
    Common { interface: count(0).unwrap_or(0), kind: count(1), protocol: label(schema, protocol, of), metric }
}

fn inet_route(index: &[IndexValue], cells: &dyn Fn(usize) -> Option<Value>) -> Option<Route> {
    let Common { interface, kind, protocol, metric } = common(cells, &INET_CIDR_ROUTE_TABLE, 9);
    let policy = match &index[3] {
        IndexValue::ObjectIdentifier(policy) if policy.iter().any(|part| *part != 0) => policy.clone(),
        _ => Oid::EMPTY,
    };
    let next_hop = Inet::of(&index[4], &index[5]).filter(|hop| !hop.address.is_unspecified());
    Some(Route {
        destination: Inet::of(&index[0], &index[1])?,
        prefix: if let IndexValue::Integer(prefix) = index[2] { Some(prefix) } else { None },
        policy,
        next_hop,
        interface,
        kind: Kind::of(kind),
        protocol,
        metric,
    })
}

fn cidr_route(index: &[IndexValue], cells: &dyn Fn(usize) -> Option<Value>) -> Option<Route> {
    let Common { interface, kind, protocol, metric } = common(cells, &IP_CIDR_ROUTE_TABLE, 7);
    Some(Route {
        destination: Inet::v4(&index[0])?,
        prefix: Inet::v4(&index[1]).and_then(|mask| prefix(mask.address)),
        policy: Oid::EMPTY,
        next_hop: Inet::v4(&index[3]).filter(|hop| !hop.address.is_unspecified()),
        interface,
        kind: Kind::of(kind),
        protocol,
        metric,
    })
}

fn old_route(index: &[IndexValue], cells: &dyn Fn(usize) -> Option<Value>) -> Option<Route> {
    let Common { interface, kind, protocol, metric } = common(cells, &IP_ROUTE_TABLE, 9);
    let address = |column: usize| match cells(column) {
        Some(Value::IpAddress(octets)) => Some(Inet { address: octets.into(), zone: 0 }),
        _ => None,
    };
    let kind = Kind::of_old(kind);
    // The next hop of a direct route is this machine.
    let next_hop = address(4).filter(|hop| kind != Kind::Local && !hop.address.is_unspecified());
    let prefix = address(5).and_then(|mask| prefix(mask.address));
    let policy = Oid::EMPTY;
    Some(Route {
        destination: Inet::v4(&index[0])?,
        prefix,
        policy,
        next_hop,
        interface,
        kind,
        protocol,
        metric,
    })
}

fn prefix(mask: IpAddr) -> Option<u32> {
    if let IpAddr::V4(mask) = mask { prefix_of(mask.octets()) } else { None }
}
