//! The interfaces of a machine with what they carried: ifTable, with ifXTable where there is one (RFC 2863), and their addresses.

use std::collections::BTreeMap;
use std::net::IpAddr;

use trunkline_client::{Error as ClientError, Session, Table, TableLimit};
use trunkline_smi::module::if_mib::{IF_TABLE, IF_X_TABLE};
use trunkline_smi::module::ip_mib::{IP_ADDR_TABLE, IP_ADDRESS_TABLE};
use trunkline_smi::module::snmpv2_mib::SYS_UP_TIME;
use trunkline_smi::{Value, decode_index};

use super::inet::{Inet, prefix_of};
use super::sockets::Tables;
use super::{cell, label, number, scalars, text};

/// An interface.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Interface {
    /// ifIndex.
    pub index: u32,
    /// ifName, or where there is none ifDescr.
    pub name: String,
    /// ifMtu.
    pub mtu: Option<u64>,
    /// ifAdminStatus and ifOperStatus, as numbers.
    pub status: [Option<u64>; 2],
    /// What came.
    pub received: Traffic,
    /// What went.
    pub sent: Traffic,
    /// ifOutQLen.
    pub queue: u64,
    /// When its counters last began anew.
    pub discontinuity: Option<u64>,
}

/// What an interface carried in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Octets.
    pub octets: Count,
    /// Packets of all kinds.
    pub packets: Count,
    /// Packets with errors.
    pub errors: Count,
    /// Packets that were dropped though nothing was wrong with them.
    pub discards: Count,
}

impl Traffic {
    /// The sum.
    #[must_use]
    pub fn plus(self, other: Traffic) -> Traffic {
        let sum = |one: Count, other: Count| Count {
            total: one.total.saturating_add(other.total),
            is_wide: one.is_wide && other.is_wide,
        };
        Traffic {
            octets: sum(self.octets, other.octets),
            packets: sum(self.packets, other.packets),
            errors: sum(self.errors, other.errors),
            discards: sum(self.discards, other.discards),
        }
    }
}

/// A counter, or the sum of some.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// How much it has counted.
    pub total: u64,
    /// Whether it goes on from 0 after 2^32 only.
    is_wide: bool,
}

impl Count {
    /// A counter of 32 bits.
    pub const fn narrow(total: u64) -> Self {
        Count { total, is_wide: false }
    }

    /// How much it has counted since `before`: a counter of 32 bits may have gone round once. Nothing if it went back further than that
    /// explains.
    pub fn since(self, before: Count) -> Option<u64> {
        let counted = self.total.wrapping_sub(before.total);
        if self.is_wide && before.is_wide {
            return Some(counted).filter(|counted| *counted < 1 << 63);
        }
        let counted = counted & u64::from(u32::MAX);
        Some(counted).filter(|counted| self.total >= before.total || *counted <= u64::from(u32::MAX / 2))
    }
}

impl Interface {
    /// ifOperStatus by name, `unknown` if the agent does not say it.
    pub fn state(&self) -> &'static str {
        let number = self.status[1].and_then(|number| i32::try_from(number).ok());
        label(&IF_TABLE, 8, Some(number.unwrap_or(4)))
    }

    /// ifAdminStatus by name.
    pub fn wanted(&self) -> &'static str {
        label(&IF_TABLE, 7, self.status[0].and_then(|number| i32::try_from(number).ok()))
    }
}

/// The interfaces at one moment.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interfaces {
    /// In the order of ifIndex.
    pub all: Vec<Interface>,
    /// sysUpTime.
    pub uptime: Option<u64>,
}

/// The interfaces.
pub async fn interfaces(session: &dyn Session) -> Result<Interfaces, ClientError> {
    let uptime = scalars(session, &[SYS_UP_TIME.oid]).await?[0].as_ref().and_then(number);
    let old = session.table(&IF_TABLE, &IF_COLUMNS, TableLimit::default()).await?;
    let new = session.table(&IF_X_TABLE, &IF_X_COLUMNS, TableLimit::default()).await?;
    let one = |index: &Vec<u32>| Some(interface(*index.first()?, &old, &new, index));
    Ok(Interfaces { all: old.rows.keys().filter_map(one).collect(), uptime })
}

/// ifDescr, ifMtu, both states; of each direction octets, unicast and other packets, discards and errors; ifOutQLen.
const IF_COLUMNS: [u32; 15] = [2, 4, 7, 8, 10, 11, 12, 13, 14, 16, 17, 18, 19, 20, 21];
/// ifName, the discontinuity time; of each direction the packets to many, and 64-bit octets and packets of each kind.
const IF_X_COLUMNS: [u32; 14] = [1, 19, 2, 3, 6, 7, 8, 9, 4, 5, 10, 11, 12, 13];

fn interface(index: u32, old: &Table, new: &Table, row: &[u32]) -> Interface {
    let of = |column: usize| cell(old, row, column).and_then(number);
    let more = |column: usize| cell(new, row, column).and_then(number);
    // `at` is the first column of the direction in the one table, `at_more` in the other.
    let traffic = |at: usize, at_more: usize| Traffic {
        octets: wide(&[more(at_more + 2)]).unwrap_or_else(|| narrow(&[of(at)])),
        packets: wide(&[more(at_more + 3), more(at_more + 4), more(at_more + 5)]).unwrap_or_else(|| {
            let to_many = [of(at + 2)];
            let by_kind = [more(at_more), more(at_more + 1)];
            // ifInNUcastPkts is deprecated: agents may have only what replaced it.
            let to_many = if to_many[0].is_some() { narrow(&to_many) } else { narrow(&by_kind) };
            Count::narrow(narrow(&[of(at + 1)]).total.saturating_add(to_many.total))
        }),
        discards: narrow(&[of(at + 3)]),
        errors: narrow(&[of(at + 4)]),
    };
    let name = |value: Option<&Value>| value.and_then(text).filter(|name| !name.is_empty());
    Interface {
        index,
        name: name(cell(new, row, 0))
            .or_else(|| name(cell(old, row, 0)))
            .unwrap_or_else(|| index.to_string()),
        mtu: of(1),
        status: [of(2), of(3)],
        received: traffic(4, 2),
        sent: traffic(9, 8),
        queue: of(14).unwrap_or(0),
        discontinuity: more(1),
    }
}

/// The sum, if the agent has all of them.
fn wide(parts: &[Option<u64>]) -> Option<Count> {
    let total = parts.iter().try_fold(0u64, |sum, part| Some(sum.wrapping_add((*part)?)))?;
    Some(Count { total, is_wide: true })
}

/// The sum of those that the agent has.
fn narrow(parts: &[Option<u64>]) -> Count {
    Count::narrow(parts.iter().flatten().fold(0, |sum, part| sum.saturating_add(*part)))
}

/// An address of an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// The address.
    pub inet: Inet,
    /// The length of its prefix, if the agent says it.
    pub prefix: Option<u32>,
}

/// The addresses by ifIndex: ipAddressTable, or where there is none, or where it is not wanted, ipAddrTable.
pub async fn addresses(
    session: &dyn Session,
    tables: Tables,
) -> Result<BTreeMap<u64, Vec<Address>>, ClientError> {
    let mut found: BTreeMap<u64, Vec<Address>> = BTreeMap::new();
    if tables == Tables::Present {
        let table = session.table(&IP_ADDRESS_TABLE, &[3, 4, 5], TableLimit::default()).await?;
        for (interface, address) in table.rows.keys().filter_map(|index| address(&table, index)) {
            found.entry(interface).or_default().push(address);
        }
    }
    if found.is_empty() {
        let table = session.table(&IP_ADDR_TABLE, &[2, 3], TableLimit::default()).await?;
        for (interface, address) in table.rows.keys().filter_map(|index| old_address(&table, index)) {
            found.entry(interface).or_default().push(address);
        }
    }
    Ok(found)
}

/// ipAddressType: an address that others have too.
const BROADCAST: u64 = 3;

fn address(table: &Table, index: &[u32]) -> Option<(u64, Address)> {
    let parts = decode_index(IP_ADDRESS_TABLE.index, index).ok()?;
    let inet = Inet::of(&parts[0], &parts[1])?;
    let of = |column| cell(table, index, column);
    if of(1).and_then(number) == Some(BROADCAST) {
        return None;
    }
    // A row of ipAddressPrefixTable, whose index ends with the length; zeroDotZero if there is none.
    let prefix = match of(2) {
        Some(Value::ObjectIdentifier(row)) if row.len() > 2 => row.last().copied(),
        _ => None,
    };
    Some((number(of(0)?)?, Address { inet, prefix }))
}

fn old_address(table: &Table, index: &[u32]) -> Option<(u64, Address)> {
    let parts = decode_index(IP_ADDR_TABLE.index, index).ok()?;
    let prefix = match cell(table, index, 1) {
        Some(Value::IpAddress(mask)) => prefix_of(*mask),
        _ => None,
    };
    Some((number(cell(table, index, 0)?)?, Address { inet: Inet::v4(&parts[0])?, prefix }))
}

impl Address {
    /// The network of an IPv4 address, as BSD writes it: only the octets that the prefix reaches into, `10.1.2/22`.
    pub fn network(&self) -> Option<String> {
        let IpAddr::V4(address) = self.inet.address else { return None };
        let prefix = self.prefix?.min(32);
        let mask = u32::MAX.checked_shl(32 - prefix).unwrap_or(0);
        let octets = (u32::from(address) & mask).to_be_bytes();
        let shown = usize::try_from(prefix.div_ceil(8)).unwrap_or(4).max(1);
        let shown: Vec<String> = octets[..shown].iter().map(u8::to_string).collect();
        Some(format!("{}/{prefix}", shown.join(".")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_of_32_bits_go_round_and_wide_ones_do_not() {
        let count = |total, is_wide| Count { total, is_wide };
        assert_eq!(count(5, false).since(count(u64::from(u32::MAX), false)), Some(6));
        assert_eq!(count(1 << 40, true).since(count(1, true)), Some((1 << 40) - 1));
        // The sum of two counters, one of which went round.
        assert_eq!(count(10, false).since(count((1 << 32) + 4, false)), Some(6));
        // They began anew.
        assert_eq!(count(10, false).since(count(5000, false)), None);
        assert_eq!(count(10, true).since(count(5000, true)), None);
    }

    #[test]
    fn networks_have_the_octets_that_the_prefix_reaches() {
        let network = |address: [u8; 4], prefix| {
            let inet = Inet { address: address.into(), zone: 0 };
            Address { inet, prefix }.network()
        };
        assert_eq!(network([127, 0, 0, 1], Some(8)).as_deref(), Some("127/8"));
        assert_eq!(network([10, 1, 2, 3], Some(22)).as_deref(), Some("10.1.0/22"));
        assert_eq!(network([172, 16, 5, 5], Some(32)).as_deref(), Some("172.16.5.5/32"));
        assert_eq!(network([10, 1, 2, 3], Some(0)).as_deref(), Some("0/0"));
        assert_eq!(network([10, 1, 2, 3], None), None);
    }
}
