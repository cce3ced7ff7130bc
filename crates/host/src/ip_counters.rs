//! The counters of one version of IP, by their names in /proc, and their columns in ipSystemStatsTable and
//! ipIfStatsTable.
//!
//! Netlink has the same counters for an interface (IFLA_INET6_STATS), but in an order that differs
//! from kernel to kernel (6.18 has another one than linux/snmp.h of 6.12), so it is of no use.

use trunkline_smi::schema::Table;
use trunkline_tree::RowBuilder;

use trunkline_source::procfs::net_snmp::Section;
use trunkline_source::procfs::{lines, number, words};

/// Counters in the order of [`COLUMNS`]; those the kernel does not keep are `None`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct IpCounters([Option<u64>; COLUMNS.len()]);

/// A version of IP, as InetVersion numbers it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IpVersion {
    V4 = 1,
    V6 = 2,
}

impl IpCounters {
    /// IPv4's, from /proc/net/snmp and /proc/net/netstat.
    pub(crate) fn of_v4(snmp: &[u8], netstat: &[u8]) -> Self {
        let mut counters = IpCounters::default();
        let sections = [Section::find(snmp, "Ip"), Section::find(netstat, "IpExt")];
        for (name, value) in sections.into_iter().flatten().flat_map(Section::counters) {
            // RFC 1213's name for what IPv6 calls OutForwDatagrams.
            let name = if name == b"ForwDatagrams" { b"OutForwDatagrams" } else { name };
            counters.put(name, value as u64);
        }
        counters
    }

    /// IPv6's, from /proc/net/snmp6 or a file of /proc/net/dev_snmp6.
    pub(crate) fn of_v6(snmp6: &[u8]) -> Self {
        let mut counters = IpCounters::default();
        for (name, value) in snmp6_counters(snmp6) {
            if let Some(name) = name.strip_prefix(b"Ip6") {
                counters.put(name, value);
            }
        }
        counters
    }

    fn put(&mut self, name: &[u8], value: u64) {
        if let Some(at) = COLUMNS.iter().position(|(known, _)| known.as_bytes() == name) {
            self.0[at] = Some(value);
        }
    }

    fn get(&self, name: &str) -> Option<u64> {
        let at = COLUMNS.iter().position(|(known, _)| *known == name)?;
        self.0[at]
    }

    /// Fills the columns of a row of ipSystemStatsTable or ipIfStatsTable, which have the same numbers.
    pub(crate) fn fill(&self, row: &mut RowBuilder<'_>, table: &Table) {
        for ((_, columns), value) in COLUMNS.iter().zip(self.0) {
            let Some(value) = value else { continue };
            for &(narrow, wide) in columns.iter().filter(|(narrow, _)| table.column(*narrow).is_some()) {
                row.counter32(narrow, value);
                if let Some(wide) = wide {
                    row.counter64(wide, value);
                }
            }
        }
        if let (Some(done), Some(failed)) = (self.get("FragOKs"), self.get("FragFails")) {
            row.counter32(26, done.wrapping_add(failed)); // RFC 4293: each request either succeeds or fails
        }
        row.time_ticks(46, 0).unsigned32(47, REFRESH_MILLISECONDS);
    }
}

/// The names and values of a file in the form of /proc/net/snmp6.
pub(crate) fn snmp6_counters(text: &[u8]) -> impl Iterator<Item = (&[u8], u64)> {
    lines(text).filter_map(|line| {
        let mut words = words(line);
        Some((words.next()?, number(words.next()?)?))
    })
}

/// The sensible polling interval: the default age of a snapshot.
const REFRESH_MILLISECONDS: u32 = 1000;

/// A column of type Counter32, and the one of type Counter64 that counts the same.
type Columns = (u32, Option<u32>);

/// The kernel's name and the columns. The kernel counts forwarded datagrams once, when they go out;
/// the same number is InForwDatagrams, as RFC 1213's ipForwDatagrams is.
const COLUMNS: [(&str, &[Columns]); 27] = [
    ("InReceives", &[(3, Some(4))]),
    ("InOctets", &[(5, Some(6))]),
    ("InHdrErrors", &[(7, None)]),
    ("InNoRoutes", &[(8, None)]),
    ("InAddrErrors", &[(9, None)]),
    ("InUnknownProtos", &[(10, None)]),
    ("InTruncatedPkts", &[(11, None)]),
    ("OutForwDatagrams", &[(12, Some(13)), (23, Some(24))]),
    ("ReasmReqds", &[(14, None)]),
    ("ReasmOKs", &[(15, None)]),
    ("ReasmFails", &[(16, None)]),
    ("InDiscards", &[(17, None)]),
    ("InDelivers", &[(18, Some(19))]),
    ("OutRequests", &[(20, Some(21))]),
    ("OutNoRoutes", &[(22, None)]),
    ("OutDiscards", &[(25, None)]),
    ("FragOKs", &[(27, None)]),
    ("FragFails", &[(28, None)]),
    ("FragCreates", &[(29, None)]),
    ("OutTransmits", &[(30, Some(31))]),
    ("OutOctets", &[(32, Some(33))]),
    ("InMcastPkts", &[(34, Some(35))]),
    ("InMcastOctets", &[(36, Some(37))]),
    ("OutMcastPkts", &[(38, Some(39))]),
    ("OutMcastOctets", &[(40, Some(41))]),
    ("InBcastPkts", &[(42, Some(43))]),
    ("OutBcastPkts", &[(44, Some(45))]),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use trunkline_smi::ValueKind;
    use trunkline_smi::module::ip_mib::{IP_IF_STATS_TABLE, IP_SYSTEM_STATS_TABLE};

    #[test]
    fn every_counter_column_is_filled_once() {
        let mut filled: Vec<(u32, ValueKind)> = vec![(26, ValueKind::Counter32)];
        for (narrow, wide) in COLUMNS.iter().flat_map(|(_, columns)| *columns) {
            filled.push((*narrow, ValueKind::Counter32));
            filled.extend(wide.map(|wide| (wide, ValueKind::Counter64)));
        }
        filled.sort_unstable_by_key(|(column, _)| *column);
        let counters = |table: &Table| {
            let columns = table.columns.iter().map(|column| (column.id, column.syntax.kind));
            columns
                .filter(|(_, kind)| matches!(kind, ValueKind::Counter32 | ValueKind::Counter64))
                .collect::<Vec<_>>()
        };
        assert_eq!(filled, counters(&IP_SYSTEM_STATS_TABLE));
        filled.retain(|(column, _)| *column != 22);
        assert_eq!(filled, counters(&IP_IF_STATS_TABLE));
    }

    #[test]
    fn both_versions_are_read_by_name() {
        let v4 = IpCounters::of_v4(
            b"Ip: InReceives ForwDatagrams\nIp: 7 8\n",
            b"IpExt: InOctets\nIpExt: 18446744073709551615\n",
        );
        let v6 = IpCounters::of_v6(b"ifIndex 4\nIp6InReceives 7\nIp6OutForwDatagrams 8\nIcmp6InMsgs 9\nIp6InOctets 18446744073709551615\n");
        assert_eq!(v4, v6);
        assert_eq!(
            (v4.get("InReceives"), v4.get("OutForwDatagrams"), v4.get("InOctets")),
            (Some(7), Some(8), Some(u64::MAX))
        );
        assert_eq!(v4.0.iter().flatten().count(), 3);
    }

    proptest! {
        #[test]
        fn any_text_is_read_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = (IpCounters::of_v6(&octets), IpCounters::of_v4(&octets, &octets));
        }
    }
}
