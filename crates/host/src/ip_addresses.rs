//! IP-MIB: ipAddressTable, ipAddressPrefixTable and the legacy ipAddrTable,
//! from the kernel's addresses.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::ip_mib::{
    IP_ADDR_TABLE, IP_ADDRESS_PREFIX_TABLE, IP_ADDRESS_SPIN_LOCK, IP_ADDRESS_TABLE,
};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use crate::HostOptions;
use crate::inet_index::{network, push_inet, push_inet_of_zone};
use crate::interfaces_status::oper_status;
use crate::links::Links;
use trunkline_source::SourceRoot;
use trunkline_source::netlink::address::{
    Address, IFA_F_DADFAILED, IFA_F_DEPRECATED, IFA_F_NOPREFIXROUTE, IFA_F_OPTIMISTIC, IFA_F_PERMANENT,
    IFA_F_STABLE_PRIVACY, IFA_F_TEMPORARY, IFA_F_TENTATIVE, IFAPROT_KERNEL_LL, IFAPROT_KERNEL_LO,
    IFAPROT_KERNEL_RA,
};
use trunkline_source::netlink::{Dump, Netlink};
use trunkline_source::procfs::{lines, number, words};

/// The group's name, with which a link watch marks it as stale.
pub(crate) const NAME: &str = "ip-addresses";

static GROUP: Group = Group {
    name: NAME,
    scalars: &[&IP_ADDRESS_SPIN_LOCK],
    tables: &[&IP_ADDR_TABLE, &IP_ADDRESS_PREFIX_TABLE, &IP_ADDRESS_TABLE],
};

/// Serves the addresses of this machine.
#[derive(Debug)]
pub(crate) struct IpAddresses {
    root: SourceRoot,
    links: Links,
    netlink: Mutex<Netlink>,
}

/// What turns the kernel's times into sysUpTime.
#[derive(Clone, Copy, Debug)]
struct Clock {
    up_time: u32,
    since_boot: u32,
}

impl IpAddresses {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let netlink = Mutex::new(options.root.netlink());
        IpAddresses { root: options.root.clone(), links: options.links.clone(), netlink }
    }
}

impl Provider for IpAddresses {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let addresses = {
            let mut netlink = self.netlink.lock().unwrap_or_else(PoisonError::into_inner);
            netlink.collect(Dump::Addresses, Vec::new, |all, message| all.extend(Address::parse(message)))?
        };
        let now = Instant::now();
        let (clock, down) = {
            let mut links = self.links.lock();
            links.refresh_attributes(now)?;
            let down: BTreeSet<u32> = links
                .entries()
                .iter()
                .filter(|entry| oper_status(&entry.link()) != 1)
                .map(|entry| entry.index)
                .collect();
            (Clock::at(links.up_time(now)), down)
        };
        let mut builder = Snapshot::builder(&GROUP);
        // The table cannot be written, so the lock never changes.
        builder.scalar(&IP_ADDRESS_SPIN_LOCK, Value::Integer(0));
        prefixes(&mut builder, &addresses);
        for address in &addresses {
            unicast(&mut builder, address, clock, down.contains(&address.interface));
        }
        for address in &addresses {
            broadcast(&mut builder, address, clock);
        }
        for (interface, address) in anycast(&self.root.read_or_empty("proc/net/anycast6")) {
            row(&mut builder, interface, address, Row { kind: ANYCAST, ..Row::default() }, &[0, 0]);
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

impl Clock {
    fn at(up_time: u32) -> Self {
        let time = rustix::time::clock_gettime(rustix::time::ClockId::Monotonic);
        // The kernel's stamps wrap as this does, after 497 days.
        let since_boot = (time.tv_sec.wrapping_mul(100)).wrapping_add(time.tv_nsec / 10_000_000) as u32;
        Clock { up_time, since_boot }
    }

    /// sysUpTime at a time since boot; 0 for times before the agent started.
    fn up_time_at(self, stamp: u32) -> u32 {
        let age = self.since_boot.wrapping_sub(stamp);
        // A stamp may be some hundredths in the future: jiffies and the clock are not read together.
        let age = if age > u32::MAX / 2 { 0 } else { age };
        self.up_time.saturating_sub(age)
    }
}

#[derive(Clone, Copy, Default)]
struct Row {
    kind: i32,
    origin: Option<i32>,
    status: Option<i32>,
    created: u32,
    changed: u32,
}

/// A row of ipAddressTable. Of two with one index (the same address on two interfaces) the first stays.
fn row(builder: &mut SnapshotBuilder, interface: u32, address: IpAddr, row: Row, prefix: &[u32]) {
    let mut index = Vec::with_capacity(22);
    push_inet_of_zone(&mut index, address, interface);
    builder
        .table(&IP_ADDRESS_TABLE)
        .row(&index)
        .integer(3, interface as i32)
        .integer(4, row.kind)
        .oid(5, prefix)
        .integer(6, row.origin.unwrap_or(OTHER))
        .integer(7, row.status.unwrap_or(PREFERRED))
        .time_ticks(8, row.created)
        .time_ticks(9, row.changed)
        .integer(10, ACTIVE)
        .integer(11, VOLATILE);
}

fn unicast(builder: &mut SnapshotBuilder, address: &Address, clock: Clock, is_down: bool) {
    let cells = Row {
        kind: UNICAST,
        origin: Some(origin(address)),
        status: Some(status(address, is_down)),
        created: clock.up_time_at(address.created),
        changed: clock.up_time_at(address.changed),
    };
    row(builder, address.interface, address.local, cells, &prefix_pointer(address));
    if let IpAddr::V4(v4) = address.local {
        let mask = network(IpAddr::from([255; 4]), address.prefix_length);
        let IpAddr::V4(mask) = mask else { return };
        let ends_in_one = match address.broadcast {
            Some(IpAddr::V4(broadcast)) => broadcast.to_bits() & 1,
            _ => 0,
        };
        builder
            .table(&IP_ADDR_TABLE)
            .row(&v4.octets().map(u32::from))
            .ip_address(1, v4.octets())
            .integer(2, address.interface as i32)
            .ip_address(3, mask.octets())
            .integer(4, ends_in_one as i32)
            .integer(5, LARGEST_DATAGRAM);
    }
}

fn broadcast(builder: &mut SnapshotBuilder, address: &Address, clock: Clock) {
    let Some(broadcast) = address.broadcast.filter(|broadcast| *broadcast != address.local) else { return };
    let cells = Row {
        kind: BROADCAST,
        origin: Some(origin(address)),
        status: Some(PREFERRED),
        created: clock.up_time_at(address.created),
        changed: clock.up_time_at(address.changed),
    };
    row(builder, address.interface, broadcast, cells, &prefix_pointer(address));
}

/// ipAddressOrigin, from the creator of the address; kernels before 5.18 do not report it, then from its kind.
fn origin(address: &Address) -> i32 {
    let is_link_local = matches!(address.local, IpAddr::V6(v6) if v6.is_unicast_link_local());
    let is_dynamic = !address.has(IFA_F_PERMANENT);
    match address.protocol {
        // Of IPv4 the same bit says that an address of the same network was there before (IFA_F_SECONDARY).
        _ if (address.local.is_ipv6() && address.has(IFA_F_TEMPORARY))
            || address.has(IFA_F_STABLE_PRIVACY) =>
        {
            RANDOM
        }
        IFAPROT_KERNEL_LO => OTHER,
        _ if address.local.is_loopback() => OTHER,
        IFAPROT_KERNEL_LL | IFAPROT_KERNEL_RA => LINK_LAYER,
        _ if is_link_local => LINK_LAYER,
        _ if is_dynamic && address.local.is_ipv6() && address.prefix_length == 64 => LINK_LAYER,
        _ if is_dynamic => DHCP,
        _ => MANUAL,
    }
}

/// ipAddressStatus: what duplicate address detection and lifetimes say, and whether the interface is operational.
fn status(address: &Address, is_down: bool) -> i32 {
    match () {
        () if address.has(IFA_F_DADFAILED) => DUPLICATE,
        () if address.has(IFA_F_TENTATIVE) && address.has(IFA_F_OPTIMISTIC) => OPTIMISTIC,
        () if address.has(IFA_F_TENTATIVE) => TENTATIVE,
        () if is_down => INACCESSIBLE,
        () if address.has(IFA_F_DEPRECATED) => DEPRECATED,
        () => PREFERRED,
    }
}

fn prefix_index(address: &Address) -> Vec<u32> {
    let mut index = vec![address.interface];
    push_inet(&mut index, network(address.prefix_of, address.prefix_length));
    index.push(address.prefix_length.into());
    index
}

/// The first column of the prefix's row, as RowPointer requires.
fn prefix_pointer(address: &Address) -> Vec<u32> {
    let column = [1, PREFIX_ORIGIN];
    IP_ADDRESS_PREFIX_TABLE.oid.iter().copied().chain(column).chain(prefix_index(address)).collect()
}

/// ipAddressPrefixTable: one row for all addresses of a prefix on an interface, with the longest of their lifetimes.
fn prefixes(builder: &mut SnapshotBuilder, addresses: &[Address]) {
    let mut prefixes: BTreeMap<Vec<u32>, Vec<&Address>> = BTreeMap::new();
    for address in addresses {
        prefixes.entry(prefix_index(address)).or_default().push(address);
    }
    let table = builder.table(&IP_ADDRESS_PREFIX_TABLE);
    for (index, members) in prefixes {
        let advertised = members.iter().any(|member| origin(member) == LINK_LAYER && !is_well_known(member));
        let on_link = members.iter().any(|member| !member.has(IFA_F_NOPREFIXROUTE));
        let longest =
            |time: fn(&Address) -> u32| members.iter().map(|member| time(member)).max().unwrap_or(0);
        let origin = match members.first() {
            Some(member) if is_well_known(member) => PREFIX_WELL_KNOWN,
            _ if advertised => PREFIX_ROUTER_ADVERTISEMENT,
            Some(member) if origin(member) == DHCP => PREFIX_DHCP,
            _ => PREFIX_MANUAL,
        };
        table
            .row(&index)
            .integer(PREFIX_ORIGIN, origin)
            .truth(6, on_link)
            .truth(7, advertised)
            .unsigned32(8, longest(|member| member.preferred_seconds))
            .unsigned32(9, longest(|member| member.valid_seconds));
    }
}

/// Loopback and link-local prefixes are the same on every machine.
fn is_well_known(address: &Address) -> bool {
    match address.prefix_of {
        IpAddr::V4(v4) => v4.is_loopback() || v4.is_link_local(),
        IpAddr::V6(v6) => v6.is_loopback() || v6.is_unicast_link_local(),
    }
}

/// The lines of /proc/net/anycast6: interface, name, address, users.
pub(crate) fn anycast(text: &[u8]) -> impl Iterator<Item = (u32, IpAddr)> {
    lines(text).filter_map(|line| {
        let mut fields = words(line);
        let interface = u32::try_from(number(fields.next()?)?).ok()?;
        let digits = std::str::from_utf8(fields.nth(1)?).ok().filter(|digits| digits.len() == 32)?;
        let address = u128::from_str_radix(digits, 16).ok()?;
        Some((interface, IpAddr::from(address.to_be_bytes())))
    })
}

const UNICAST: i32 = 1;
const ANYCAST: i32 = 2;
const BROADCAST: i32 = 3;

const OTHER: i32 = 1;
const MANUAL: i32 = 2;
const DHCP: i32 = 4;
const LINK_LAYER: i32 = 5;
const RANDOM: i32 = 6;

const PREFERRED: i32 = 1;
const DEPRECATED: i32 = 2;
const INACCESSIBLE: i32 = 4;
const TENTATIVE: i32 = 6;
const DUPLICATE: i32 = 7;
const OPTIMISTIC: i32 = 8;

const PREFIX_ORIGIN: u32 = 5;
const PREFIX_MANUAL: i32 = 2;
const PREFIX_WELL_KNOWN: i32 = 3;
const PREFIX_DHCP: i32 = 4;
const PREFIX_ROUTER_ADVERTISEMENT: i32 = 5;

const ACTIVE: i32 = 1;
/// The kernel forgets its addresses when the machine stops.
const VOLATILE: i32 = 2;
/// Linux reassembles IPv4 datagrams of any size.
const LARGEST_DATAGRAM: i32 = 65535;

#[cfg(test)]
mod tests {
    use super::*;

    fn address(text: &str, flags: u32, protocol: u8) -> Address {
        let local: IpAddr = text.parse().unwrap();
        Address {
            interface: 2,
            local,
            prefix_of: local,
            prefix_length: 64,
            broadcast: None,
            flags,
            protocol,
            preferred_seconds: 0,
            valid_seconds: 0,
            created: 0,
            changed: 0,
        }
    }

    #[test]
    fn origins_and_states_follow_the_flags() {
        let check = |text, flags, protocol, expected: (i32, i32)| {
            let address = address(text, flags, protocol);
            assert_eq!((origin(&address), status(&address, false)), expected, "{text} {flags:#x}");
        };
        check("192.0.2.1", IFA_F_PERMANENT, 0, (MANUAL, PREFERRED));
        check("192.0.2.1", 0, 0, (DHCP, PREFERRED));
        check("192.0.2.9", IFA_F_PERMANENT | IFA_F_TEMPORARY, 0, (MANUAL, PREFERRED));
        check("127.0.0.1", IFA_F_PERMANENT, IFAPROT_KERNEL_LO, (OTHER, PREFERRED));
        check("fe80::1", IFA_F_PERMANENT | IFA_F_TENTATIVE, 0, (LINK_LAYER, TENTATIVE));
        check("2001:db8::1", IFA_F_TEMPORARY, 0, (RANDOM, PREFERRED));
        check("2001:db8::1", IFA_F_DEPRECATED, IFAPROT_KERNEL_RA, (LINK_LAYER, DEPRECATED));
        check("2001:db8::1", IFA_F_DADFAILED | IFA_F_TENTATIVE, 0, (LINK_LAYER, DUPLICATE));
        assert_eq!(status(&address("192.0.2.1", 0, 0), true), INACCESSIBLE);
    }

    #[test]
    fn stamps_before_the_start_are_zero() {
        let clock = Clock { up_time: 500, since_boot: 100_000 };
        assert_eq!(clock.up_time_at(99_800), 300);
        assert_eq!(clock.up_time_at(10), 0);
        assert_eq!(clock.up_time_at(100_001), 500);
    }

    #[test]
    fn anycast_lines_are_read() {
        let text = b"2    eth0            20010db8000000000000000000000000     1\nbad line\n3 x 2001 1\n";
        let rows: Vec<_> = anycast(text).collect();
        assert_eq!(rows, [(2, "2001:db8::".parse().unwrap())]);
    }
}
