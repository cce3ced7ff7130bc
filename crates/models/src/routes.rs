//! The routes of the machine, from the rows of inetCidrRouteTable (RFC 4292).

use std::net::IpAddr;

use crate::rows::{Reads, Row, Rows};

/// A row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Hop {
    pub destination: IpAddr,
    pub prefix_length: u32,
    pub gateway: Option<IpAddr>,
    /// Its name; `None` of a route that leads nowhere, and where it may not be read.
    pub interface: Option<String>,
    /// inetCidrRouteType.
    pub kind: Option<i32>,
    /// IANAipRouteProtocol.
    pub protocol: Option<i32>,
    /// The lower, the better.
    pub metric: Option<u64>,
}

impl Hop {
    /// Whether both lead to the same destination.
    pub fn has_destination_of(&self, other: &Hop) -> bool {
        (self.destination, self.prefix_length) == (other.destination, other.prefix_length)
    }
}

/// What [`hops`] needs.
pub(crate) static READS: [&Reads; 2] = [&ROUTES, &NAMES];

/// Those of the main table, in the order of their destinations.
pub(crate) fn hops(rows: &Rows) -> impl Iterator<Item = Hop> {
    rows.of(&ROUTES).filter_map(|row| hop(rows, row))
}

fn hop(rows: &Rows, row: Row<'_>) -> Option<Hop> {
    let (destination, rest) = address(row.index)?;
    let (&prefix_length, rest) = rest.split_first()?;
    // The policy only tells routes apart; of six parts it begins with another table than the main one.
    let (&length, rest) = rest.split_first().filter(|(length, _)| **length != OTHER_TABLE)?;
    let (gateway, _) = next_hop(rest.get(usize::try_from(length).ok()?..)?)?;
    // Who may not read where a route leads to may not read that it is there.
    let interface = row.number(IF_INDEX)?;
    let name = u32::try_from(interface).ok().and_then(|index| rows.row(&NAMES, &[index])?.text(NAME));
    Some(Hop {
        destination: destination?,
        prefix_length,
        gateway,
        interface: name,
        kind: row.integer(TYPE),
        protocol: row.integer(PROTOCOL),
        metric: row.number(METRIC),
    })
}

/// A next hop: type unknown(0) without octets stands for none.
fn next_hop(index: &[u32]) -> Option<(Option<IpAddr>, &[u32])> {
    match index.split_first_chunk()? {
        (&[0, 0], rest) => Some((None, rest)),
        _ => address(index),
    }
}

/// An InetAddressType and an InetAddress at the beginning of an index; `None` within of a kind that routes here do not have.
fn address(index: &[u32]) -> Option<(Option<IpAddr>, &[u32])> {
    let (&[kind, length], rest) = index.split_first_chunk()?;
    let (octets, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
    let octets: Vec<u8> = octets.iter().filter_map(|octet| u8::try_from(*octet).ok()).collect();
    let v6 = |octets: &[u8]| <[u8; 16]>::try_from(octets).ok().map(IpAddr::from);
    let address = match kind {
        1 => <[u8; 4]>::try_from(octets).ok().map(IpAddr::from),
        2 => v6(&octets),
        // With its zone, the index of an interface.
        4 => octets.get(..16).and_then(v6),
        _ => None,
    };
    Some((address, rest))
}

static ROUTES: Reads = Reads { table: "inetCidrRouteTable", columns: &[IF_INDEX, TYPE, PROTOCOL, METRIC] };
static NAMES: Reads = Reads { table: "ifXTable", columns: &[NAME] };
/// Parts of the policy of a route of another table.
const OTHER_TABLE: u32 = 6;
const IF_INDEX: u32 = 7;
const TYPE: u32 = 8;
const PROTOCOL: u32 = 9;
const METRIC: u32 = 12;
const NAME: u32 = 1;

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use trunkline_smi::Value;

    use super::*;

    /// Rows of both tables: the index of a route, and its interface.
    fn rows(routes: &[(&[u32], i32)]) -> Rows {
        let mut rows = Rows::default();
        let cells = |interface: i32| {
            vec![Some(Value::Integer(interface)), Some(Value::Integer(4)), Some(Value::Integer(3)), None]
        };
        let routes = routes.iter().map(|(index, interface)| (index.to_vec(), cells(*interface)));
        rows.add(&ROUTES, routes.collect());
        let name = Some(Value::OctetString(b"eth1".to_vec()));
        rows.add(&NAMES, BTreeMap::from([(vec![2], vec![name])]));
        rows
    }

    #[test]
    fn the_index_of_a_row_is_its_route() {
        let default: &[u32] = &[1, 4, 0, 0, 0, 0, 0, 2, 0, 0, 1, 4, 192, 0, 2, 1];
        let on_link: &[u32] =
            &[2, 16, 32, 1, 13, 184, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 64, 5, 0, 0, 256, 2, 0, 0, 0];
        let own: &[u32] = &[1, 4, 192, 0, 2, 1, 32, 6, 0, 0, 255, 0, 2, 0, 0, 0];
        let rows =
            rows(&[(default, 2), (on_link, 7), (own, 2), (&[1, 4, 0, 0], 2), (&[16, 1, 0, 0, 0, 0, 0], 2)]);
        let found: Vec<Hop> = hops(&rows).collect();
        let [default, on_link] = &found[..] else { panic!("{found:?}") };
        assert_eq!(default.gateway, Some(IpAddr::from([192, 0, 2, 1])));
        assert_eq!((default.prefix_length, default.interface.as_deref()), (0, Some("eth1")));
        assert_eq!((on_link.destination, on_link.prefix_length), ("2001:db8::".parse().unwrap(), 64));
        assert_eq!((on_link.gateway, on_link.interface.as_deref()), (None, None));
    }
}
