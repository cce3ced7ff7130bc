//! IP-MIB: the scalars of the `ip` and `icmp` groups, ipSystemStatsTable,
//! icmpStatsTable and icmpMsgStatsTable, from /proc/net and the kernel's settings.
//!
//! The kernel names its counters as RFC 1213 does, so a scalar's name leads to its value.

use std::collections::BTreeMap;

use trunkline_smi::module::ip_mib::*;
use trunkline_smi::{Value, ValueKind};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::ip_counters::{IpCounters, IpVersion, snmp6_counters};
use trunkline_source::SourceRoot;
use trunkline_source::procfs::net_snmp::Section;
use trunkline_source::procfs::number;

static GROUP: Group = Group {
    name: "ip",
    scalars: &[
        &IP_FORWARDING,
        &IP_DEFAULT_TTL,
        &IP_IN_RECEIVES,
        &IP_IN_HDR_ERRORS,
        &IP_IN_ADDR_ERRORS,
        &IP_FORW_DATAGRAMS,
        &IP_IN_UNKNOWN_PROTOS,
        &IP_IN_DISCARDS,
        &IP_IN_DELIVERS,
        &IP_OUT_REQUESTS,
        &IP_OUT_DISCARDS,
        &IP_OUT_NO_ROUTES,
        &IP_REASM_TIMEOUT,
        &IP_REASM_REQDS,
        &IP_REASM_OKS,
        &IP_REASM_FAILS,
        &IP_FRAG_OKS,
        &IP_FRAG_FAILS,
        &IP_FRAG_CREATES,
        &IP_ROUTING_DISCARDS,
        &IPV6_IP_FORWARDING,
        &IPV6_IP_DEFAULT_HOP_LIMIT,
        &ICMP_IN_MSGS,
        &ICMP_IN_ERRORS,
        &ICMP_IN_DEST_UNREACHS,
        &ICMP_IN_TIME_EXCDS,
        &ICMP_IN_PARM_PROBS,
        &ICMP_IN_SRC_QUENCHS,
        &ICMP_IN_REDIRECTS,
        &ICMP_IN_ECHOS,
        &ICMP_IN_ECHO_REPS,
        &ICMP_IN_TIMESTAMPS,
        &ICMP_IN_TIMESTAMP_REPS,
        &ICMP_IN_ADDR_MASKS,
        &ICMP_IN_ADDR_MASK_REPS,
        &ICMP_OUT_MSGS,
        &ICMP_OUT_ERRORS,
        &ICMP_OUT_DEST_UNREACHS,
        &ICMP_OUT_TIME_EXCDS,
        &ICMP_OUT_PARM_PROBS,
        &ICMP_OUT_SRC_QUENCHS,
        &ICMP_OUT_REDIRECTS,
        &ICMP_OUT_ECHOS,
        &ICMP_OUT_ECHO_REPS,
        &ICMP_OUT_TIMESTAMPS,
        &ICMP_OUT_TIMESTAMP_REPS,
        &ICMP_OUT_ADDR_MASKS,
        &ICMP_OUT_ADDR_MASK_REPS,
    ],
    tables: &[&IP_SYSTEM_STATS_TABLE, &ICMP_STATS_TABLE, &ICMP_MSG_STATS_TABLE],
};

/// Serves IP and ICMP as a whole. Without IPv6 in the kernel its rows and scalars do not exist.
#[derive(Debug)]
pub(crate) struct Ip {
    root: SourceRoot,
}

impl Ip {
    pub(crate) fn new(options: &HostOptions) -> Self {
        Ip { root: options.root.clone() }
    }
}

impl Provider for Ip {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let snmp = self.root.read("proc/net/snmp")?;
        let netstat = self.root.read_or_empty("proc/net/netstat");
        let snmp6 = self.root.read_or_empty("proc/net/snmp6");
        let mut builder = Snapshot::builder(&GROUP);
        section_scalars(&mut builder, "ip", Section::find(&snmp, "Ip"));
        section_scalars(&mut builder, "icmp", Section::find(&snmp, "Icmp"));
        // The route cache that could discard went with Linux 3.6.
        builder.scalar(&IP_ROUTING_DISCARDS, Value::Counter32(0));
        self.settings(&mut builder);
        statistics(&mut builder, IpVersion::V4, &IpCounters::of_v4(&snmp, &netstat));
        let types = Section::find(&snmp, "IcmpMsg").into_iter().flat_map(Section::counters);
        let types = types.map(|(name, value)| (name, value as u64));
        icmp(&mut builder, IpVersion::V4, Section::find(&snmp, "Icmp").into_iter().flat_map(unsigned), types);
        if !snmp6.is_empty() {
            statistics(&mut builder, IpVersion::V6, &IpCounters::of_v6(&snmp6));
            let icmp6 = || {
                snmp6_counters(&snmp6).filter_map(|(name, value)| Some((name.strip_prefix(b"Icmp6")?, value)))
            };
            icmp(&mut builder, IpVersion::V6, icmp6(), icmp6());
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

impl Ip {
    /// Settings that are not in /proc/net/snmp: ReasmTimeout there counts timeouts.
    fn settings(&self, builder: &mut SnapshotBuilder) {
        let setting = |file: &str| self.root.read_number(file).and_then(|value| i32::try_from(value).ok());
        if let Some(seconds) = setting("proc/sys/net/ipv4/ipfrag_time") {
            builder.scalar(&IP_REASM_TIMEOUT, Value::Integer(seconds));
        }
        if let Some(forwarding) = setting("proc/sys/net/ipv6/conf/all/forwarding") {
            builder.scalar(&IPV6_IP_FORWARDING, Value::Integer(if forwarding != 0 { 1 } else { 2 }));
        }
        if let Some(limit) = setting("proc/sys/net/ipv6/conf/all/hop_limit") {
            builder.scalar(&IPV6_IP_DEFAULT_HOP_LIMIT, Value::Integer(limit));
        }
    }
}

/// Sets the scalars that are this prefix and the kernel's name of a counter: `ip` and `InReceives`.
fn section_scalars(builder: &mut SnapshotBuilder, prefix: &str, section: Option<Section<'_>>) {
    let counters: BTreeMap<&[u8], i64> = section.into_iter().flat_map(Section::counters).collect();
    for &scalar in GROUP.scalars.iter().filter(|scalar| scalar.name != IP_REASM_TIMEOUT.name) {
        let name = scalar.name.strip_prefix(prefix);
        let Some(&value) = name.and_then(|name| counters.get(name.as_bytes())) else { continue };
        builder.scalar(
            scalar,
            match scalar.syntax.kind {
                ValueKind::Counter32 => Value::Counter32(value as u32), // the low 32 bits
                _ => Value::Integer(value as i32),
            },
        );
    }
}

fn statistics(builder: &mut SnapshotBuilder, version: IpVersion, counters: &IpCounters) {
    let mut row = builder.table(&IP_SYSTEM_STATS_TABLE).row(&[version as u32]);
    counters.fill(&mut row, &IP_SYSTEM_STATS_TABLE);
}

fn unsigned<'a>(section: Section<'a>) -> impl Iterator<Item = (&'a [u8], u64)> {
    section.counters().map(|(name, value)| (name, value as u64))
}

/// The rows of icmpStatsTable and icmpMsgStatsTable; types are named `InType8`.
fn icmp<'a>(
    builder: &mut SnapshotBuilder,
    version: IpVersion,
    totals: impl Iterator<Item = (&'a [u8], u64)>,
    types: impl Iterator<Item = (&'a [u8], u64)>,
) {
    let mut row = builder.table(&ICMP_STATS_TABLE).row(&[version as u32]);
    for (name, value) in totals {
        match name {
            b"InMsgs" => row.counter32(2, value),
            b"InErrors" => row.counter32(3, value),
            b"OutMsgs" => row.counter32(4, value),
            b"OutErrors" => row.counter32(5, value),
            _ => continue,
        };
    }
    // The kernel lists a type in a direction once it has counted one.
    let mut by_type: BTreeMap<u32, [u64; 2]> = BTreeMap::new();
    for (name, value) in types {
        let direction = usize::from(name.starts_with(b"Out"));
        let kind = name.strip_prefix(b"InType").or_else(|| name.strip_prefix(b"OutType"));
        if let Some(kind) = kind.and_then(number).filter(|kind| *kind <= 255) {
            by_type.entry(kind as u32).or_default()[direction] = value;
        }
    }
    for (kind, [received, sent]) in by_type {
        let mut row = builder.table(&ICMP_MSG_STATS_TABLE).row(&[version as u32, kind]);
        row.counter32(3, received).counter32(4, sent);
    }
}
