//! The counters of one version of IP, from the kernel's texts or its netlink
//! arrays, and their columns in ipSystemStatsTable and ipIfStatsTable.

use trunkline_smi::schema::Table;
use trunkline_tree::RowBuilder;

use crate::source::netlink::attribute::u64_at;
use crate::source::procfs::net_snmp::Section;
use crate::source::procfs::{lines, number, words};

/// Counters by their number in the kernel (`IPSTATS_MIB_`, linux/snmp.h); those the kernel does not keep are `None`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct IpCounters([Option<u64>; COUNT]);

impl Default for IpCounters {
    fn default() -> Self {
        IpCounters([None; COUNT])
    }
}

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

    /// IPv6's, from the array of IFLA_INET6_STATS; its first element is its length.
    pub(crate) fn of_netlink(array: &[u8]) -> Self {
        let mut counters = IpCounters::default();
        let length = u64_at(array, 0).map_or(0, |length| length.min(COUNT as u64) as usize);
        for at in 1..length {
            counters.0[at] = u64_at(array, at * 8);
        }
        counters
    }

    fn put(&mut self, name: &[u8], value: u64) {
        if let Some((number, _)) = NAMES.iter().find(|(_, known)| known.as_bytes() == name) {
            self.0[*number] = Some(value);
        }
    }

    /// Fills the columns of a row of ipSystemStatsTable or ipIfStatsTable, which have the same numbers.
    pub(crate) fn fill(&self, row: &mut RowBuilder<'_>, table: &Table, version: IpVersion) {
        for &(counter, narrow, wide) in COLUMNS {
            let is_broadcast = matches!(counter, IN_BCAST_PKTS | OUT_BCAST_PKTS);
            let there = table.column(narrow).is_some() && !(is_broadcast && version == IpVersion::V6);
            let Some(value) = self.0[counter].filter(|_| there) else { continue };
            row.counter32(narrow, value);
            if let Some(wide) = wide {
                row.counter64(wide, value);
            }
        }
        if let (Some(done), Some(failed)) = (self.0[FRAG_OKS], self.0[FRAG_FAILS]) {
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

const COUNT: usize = 38;
const FRAG_OKS: usize = 20;
const FRAG_FAILS: usize = 21;
const IN_BCAST_PKTS: usize = 25;
const OUT_BCAST_PKTS: usize = 26;
/// How often it makes sense to ask: the default age of a snapshot.
const REFRESH_MILLISECONDS: u32 = 1000;

/// `IPSTATS_MIB_` numbers and the names of /proc.
const NAMES: &[(usize, &str)] = &[
    (1, "InReceives"),
    (2, "InOctets"),
    (3, "InDelivers"),
    (4, "OutForwDatagrams"),
    (5, "OutRequests"),
    (6, "OutOctets"),
    (7, "InHdrErrors"),
    (9, "InNoRoutes"),
    (10, "InAddrErrors"),
    (11, "InUnknownProtos"),
    (12, "InTruncatedPkts"),
    (13, "InDiscards"),
    (14, "OutDiscards"),
    (15, "OutNoRoutes"),
    (17, "ReasmReqds"),
    (18, "ReasmOKs"),
    (19, "ReasmFails"),
    (FRAG_OKS, "FragOKs"),
    (FRAG_FAILS, "FragFails"),
    (22, "FragCreates"),
    (23, "InMcastPkts"),
    (24, "OutMcastPkts"),
    (IN_BCAST_PKTS, "InBcastPkts"),
    (OUT_BCAST_PKTS, "OutBcastPkts"),
    (27, "InMcastOctets"),
    (28, "OutMcastOctets"),
    (37, "OutTransmits"),
];

/// The kernel's number, the Counter32 column and the Counter64 column. The kernel counts forwarded
/// datagrams once, when they go out; the same number is InForwDatagrams, as RFC 1213's ipForwDatagrams is.
const COLUMNS: &[(usize, u32, Option<u32>)] = &[
    (1, 3, Some(4)),
    (2, 5, Some(6)),
    (7, 7, None),
    (9, 8, None),
    (10, 9, None),
    (11, 10, None),
    (12, 11, None),
    (4, 12, Some(13)),
    (17, 14, None),
    (18, 15, None),
    (19, 16, None),
    (13, 17, None),
    (3, 18, Some(19)),
    (5, 20, Some(21)),
    (15, 22, None),
    (4, 23, Some(24)),
    (14, 25, None),
    (FRAG_OKS, 27, None),
    (FRAG_FAILS, 28, None),
    (22, 29, None),
    (37, 30, Some(31)),
    (6, 32, Some(33)),
    (23, 34, Some(35)),
    (27, 36, Some(37)),
    (24, 38, Some(39)),
    (28, 40, Some(41)),
    (IN_BCAST_PKTS, 42, Some(43)),
    (OUT_BCAST_PKTS, 44, Some(45)),
];

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_sources_of_ipv6_agree_on_the_numbers() {
        let text = b"Ip6InReceives 7\nIp6OutTransmits 9\nIp6FragOKs 3\nIcmp6InMsgs 4\n";
        let mut array = [0u8; 8 * COUNT];
        let mut set = |at: usize, value: u64| array[at * 8..at * 8 + 8].copy_from_slice(&value.to_ne_bytes());
        set(0, COUNT as u64);
        set(1, 7);
        set(37, 9);
        set(20, 3);
        let (text, array) = (IpCounters::of_v6(text), IpCounters::of_netlink(&array));
        for (number, name) in NAMES {
            if let Some(value) = text.0[*number] {
                assert_eq!(array.0[*number], Some(value), "{name}");
            }
        }
        assert_eq!(text.0.iter().flatten().count(), 3);
    }

    #[test]
    fn columns_have_the_kinds_of_the_schema() {
        use trunkline_smi::ValueKind;
        use trunkline_smi::module::ip_mib::{IP_IF_STATS_TABLE, IP_SYSTEM_STATS_TABLE};
        for (_, narrow, wide) in COLUMNS {
            for table in [&IP_SYSTEM_STATS_TABLE, &IP_IF_STATS_TABLE] {
                if let Some(column) = table.column(*narrow) {
                    assert_eq!(column.syntax.kind, ValueKind::Counter32, "{}", column.name);
                }
                if let Some(column) = wide.and_then(|wide| table.column(wide)) {
                    assert_eq!(column.syntax.kind, ValueKind::Counter64, "{}", column.name);
                }
            }
        }
    }

    proptest! {
        #[test]
        fn any_text_or_array_is_read_without_panic(octets in proptest::collection::vec(any::<u8>(), 0..400)) {
            let _ = (IpCounters::of_netlink(&octets), IpCounters::of_v6(&octets), IpCounters::of_v4(&octets, &octets));
        }
    }
}
