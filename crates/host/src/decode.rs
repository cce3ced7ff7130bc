//! The decoders of what the kernel and its files say, each on octets alone: for the fuzz
//! targets in `fuzz/` and for benches. Nothing else calls them here.
//!
//! Values come as Rust prints them, so that their types stay this crate's own.

use std::fmt::Debug;
use std::sync::Arc;

use crate::host_resources::devices::processor_names;
use crate::interfaces_receive::multicast_index;
use crate::ip_addresses::anycast;
use crate::ip_counters::snmp6_counters;
use crate::ucd::load::averages;
use trunkline_source::netlink::address::Address;
use trunkline_source::netlink::attribute::{attributes, push};
use trunkline_source::netlink::bridge::{self, Bridge, BridgePort, FdbEntry};
use trunkline_source::netlink::inet6::Inet6Link;
use trunkline_source::netlink::link::{Link, LinkCounters};
use trunkline_source::netlink::neighbour::{Neighbour, NeighbourTable};
use trunkline_source::netlink::route::Route;
use trunkline_source::netlink::{Message, ethtool, messages};
use trunkline_source::procfs::cpu::{KernelStat, Paging};
use trunkline_source::procfs::diskstats::DiskStats;
use trunkline_source::procfs::meminfo::MemInfo;
use trunkline_source::procfs::mounts::Mount;
use trunkline_source::procfs::net_snmp::Section;
use trunkline_source::procfs::process::{Stat, command_line};
use trunkline_source::procfs::sampler::{Change, Sample, uptime};
use trunkline_source::procfs::{cut, dpkg, lines, net_sockets, owners, utmp};
use trunkline_source::sock_diag::{self, Family};

/// Everything in a datagram of rtnetlink, sock_diag or ethtool's netlink, read by every decoder that accepts the
/// message: for each message the list of what was read.
pub fn netlink(octets: &[u8]) -> Vec<Vec<String>> {
    messages(octets).map(netlink_message).collect()
}

fn netlink_message(message: Message<'_>) -> Vec<String> {
    let mut read = Vec::new();
    read.extend(Link::parse(message).map(shown));
    read.extend(LinkCounters::of_message(message).map(shown));
    read.extend(Inet6Link::parse(message).map(shown));
    read.extend(Address::parse(message).map(shown));
    read.extend(Neighbour::parse(message).map(shown));
    read.extend(NeighbourTable::parse(message).map(shown));
    if let Some(route) = Route::parse(message) {
        read.push(shown(route));
        read.extend(route.next_hops().map(shown));
    }
    read.extend(sock_diag::parse(message).map(shown));
    read.extend(ethtool::parse(message).map(shown));
    read.extend(Bridge::parse(message).map(shown));
    read.extend(BridgePort::parse(message).map(shown));
    read.extend(bridge::vlans(message).map(shown));
    read.extend(FdbEntry::parse(message).map(shown));
    read
}

/// The attributes in `octets`, type and value, up to the first malformed one.
pub fn netlink_attributes(octets: &[u8]) -> Vec<(u16, &[u8])> {
    attributes(octets).collect()
}

/// Appends an attribute as it is written in requests.
pub fn push_netlink_attribute(into: &mut Vec<u8>, kind: u16, value: &[u8]) {
    push(into, kind, value);
}

/// Parses the contents of a file; returns one text for each entry.
pub type FileDecoder = fn(&[u8]) -> Vec<String>;

/// The decoders of files of /proc, /run and /var, with the name of the file.
pub const FILES: &[(&str, FileDecoder)] = &[
    ("proc/PID/stat", |text| Stat::parse(text).map(shown).into_iter().collect()),
    ("proc/PID/cmdline", |text| {
        let mut buffer = Vec::new();
        let (path, parameters) = command_line(text, &mut buffer);
        vec![shown(cut(path, 128)), shown(cut(parameters, 128))]
    }),
    ("proc/PID/fd", |target| owners::socket_inode(target).map(shown).into_iter().collect()),
    (KernelStat::FILE, kernel_stat),
    (MemInfo::FILE, |text| vec![shown(MemInfo::parse(text)), shown(MemInfo::parse(text).cache())]),
    (Mount::FILE, |text| {
        let mounts = Mount::parse(text);
        mounts.map(|mount| shown((mount.is_pseudo(), mount.may_hang(), mount))).collect()
    }),
    ("proc/net/snmp", |text| {
        let prefix = lines(text).next().and_then(|line| std::str::from_utf8(line).ok());
        let prefix = prefix.and_then(|line| line.split_once(':')).map_or("Tcp", |(prefix, _)| prefix);
        Section::find(text, prefix).into_iter().flat_map(Section::counters).map(shown).collect()
    }),
    ("proc/net/tcp", |text| net_sockets::parse(text, Family::V4).map(shown).collect()),
    ("proc/net/tcp6", |text| net_sockets::parse(text, Family::V6).map(shown).collect()),
    ("proc/uptime", |text| vec![shown(uptime(text))]),
    (Paging::FILE, |text| vec![shown(Paging::parse(text))]),
    ("run/utmp", |octets| utmp::sessions(octets).map(shown).collect()),
    (dpkg::STATUS, |text| dpkg::packages(text).into_iter().map(shown).collect()),
    ("proc/cpuinfo", |text| processor_names(text).into_iter().map(shown).collect()),
    ("proc/loadavg", |text| averages(text).map(shown).collect()),
    ("proc/net/anycast6", |text| anycast(text).map(shown).collect()),
    ("proc/net/dev_mcast", |text| lines(text).filter_map(multicast_index).map(shown).collect()),
    ("proc/net/snmp6", |text| snmp6_counters(text).map(shown).collect()),
    (DiskStats::FILE, |text| DiskStats::parse(text).map(shown).collect()),
];

/// The file, and the loads of processors between its two halves and since its start: whatever
/// the counters did meanwhile.
fn kernel_stat(text: &[u8]) -> Vec<String> {
    let sample = |text: &[u8]| {
        Arc::new(Sample { stat: KernelStat::parse(text), uptime: uptime(text), ..Sample::default() })
    };
    let (first, second) = text.split_at(text.len() / 2);
    let change = Change { now: sample(second), before: sample(first) };
    let mut read = vec![shown(KernelStat::parse(text))];
    read.push(shown((
        change.percent(|ticks| ticks.user),
        change.per_second(|sample| sample.stat.interrupts),
    )));
    read.extend(change.processor_loads().map(shown));
    read
}

fn shown(value: impl Debug) -> String {
    format!("{value:?}")
}
