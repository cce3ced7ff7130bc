//! IF-MIB: ifTable, ifXTable and ifStackTable from the table of interfaces
//! that [`Links`] keeps true.
//!
//! Linux counts received multicast apart and everything else, sent multicast and broadcast
//! included, together: those others appear as unicast, and the columns for sent multicast and for
//! broadcast are 0, so that the parts of a direction always add up to the kernel's packets.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::if_mib::{
    IF_NUMBER, IF_STACK_LAST_CHANGE, IF_STACK_TABLE, IF_TABLE, IF_TABLE_LAST_CHANGE, IF_X_TABLE,
};
use trunkline_tree::{
    Group, Loaded, Provider, RowBuilder, SetError, SetItem, SetTransaction, Snapshot, SourceError,
};

use crate::HostOptions;
use crate::interfaces_set;
use crate::interfaces_status::{admin_status, oper_status};
use crate::interfaces_type::{has_connector, if_type};
use crate::links::Links;
use crate::links_entry::Entry;
use trunkline_source::SourceRoot;
use trunkline_source::netlink::link::{IFF_PROMISC, Link};
use trunkline_source::procfs::cut;

/// The group's name, with which a link watch marks it as stale.
pub(crate) const NAME: &str = "interfaces";

static GROUP: Group = Group {
    name: NAME,
    scalars: &[&IF_NUMBER, &IF_TABLE_LAST_CHANGE, &IF_STACK_LAST_CHANGE],
    tables: &[&IF_TABLE, &IF_X_TABLE, &IF_STACK_TABLE],
};

/// Serves the interfaces of the machine.
#[derive(Debug)]
pub(crate) struct Interfaces {
    root: SourceRoot,
    links: Links,
    tells_of_links: Arc<AtomicBool>,
}

impl Interfaces {
    pub(crate) fn new(options: &HostOptions) -> Self {
        let tells_of_links = options.tells_of_links.clone();
        Interfaces { root: options.root.clone(), links: options.links.clone(), tells_of_links }
    }
}

impl Provider for Interfaces {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let now = Instant::now();
        let mut links = self.links.lock();
        links.refresh(now)?;
        let stack = Stack::of(links.entries());
        let is_told = self.tells_of_links.load(Relaxed);
        let stack_last_change = links.stack_last_change(&stack.rows, now);
        let mut builder = Snapshot::builder(&GROUP);
        builder
            .scalar(&IF_NUMBER, Value::Integer(links.entries().len() as i32))
            .scalar(&IF_TABLE_LAST_CHANGE, Value::TimeTicks(links.table_last_change()))
            .scalar(&IF_STACK_LAST_CHANGE, Value::TimeTicks(stack_last_change));
        for entry in links.entries() {
            let link = entry.link();
            if_row(builder.table(&IF_TABLE).row(&[entry.index]), &link, entry);
            if_x_row(builder.table(&IF_X_TABLE).row(&[entry.index]), &link, entry, is_told);
        }
        for (higher, lower) in stack.rows {
            builder.table(&IF_STACK_TABLE).row(&[higher, lower]).integer(3, ACTIVE);
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }

    fn prepare_set(&self, items: &[SetItem<'_>]) -> Result<Box<dyn SetTransaction>, SetError> {
        interfaces_set::prepare(&self.root, &self.links, items)
    }
}

fn if_row(mut row: RowBuilder<'_>, link: &Link<'_>, entry: &Entry) {
    let counters = &link.counters;
    row.integer(1, link.index as i32)
        .octets(2, link.name)
        .integer(3, if_type(link))
        .integer(4, link.mtu.min(i32::MAX as u32) as i32)
        .gauge32(5, u64::from(megabits(entry)) * 1_000_000)
        .octets(6, link.address)
        .integer(7, admin_status(link))
        .integer(8, oper_status(link))
        .time_ticks(9, entry.last_change)
        .counter32(10, counters.rx_bytes)
        .counter32(11, in_unicast(link))
        .counter32(12, counters.multicast)
        // The kernel counts what its own queues dropped and what the hardware had no buffer for apart.
        .counter32(13, counters.rx_dropped.wrapping_add(counters.rx_missed_errors))
        .counter32(14, counters.rx_errors)
        .counter32(15, counters.rx_nohandler)
        .counter32(16, counters.tx_bytes)
        .counter32(17, counters.tx_packets)
        .counter32(18, 0)
        .counter32(19, counters.tx_dropped)
        .counter32(20, counters.tx_errors)
        .unsigned32(21, 0) // deprecated; Linux has no such queue of its own below the queueing disciplines
        .oid(22, &[0, 0]);
}

fn if_x_row(mut row: RowBuilder<'_>, link: &Link<'_>, entry: &Entry, is_told: bool) {
    let counters = &link.counters;
    row.octets(1, link.name)
        .counter32(2, counters.multicast)
        .counter32(3, 0)
        .counter32(4, 0)
        .counter32(5, 0)
        .counter64(6, counters.rx_bytes)
        .counter64(7, in_unicast(link))
        .counter64(8, counters.multicast)
        .counter64(9, 0)
        .counter64(10, counters.tx_bytes)
        .counter64(11, counters.tx_packets)
        .counter64(12, 0)
        .counter64(13, 0)
        // RFC 2863 proposes disabled(2) where the interface runs on top of another one; they are sent for each.
        .integer(14, if is_told { 1 } else { 2 })
        .unsigned32(15, megabits(entry))
        .truth(16, link.flags & IFF_PROMISC != 0 || link.promiscuity > 0)
        .truth(17, has_connector(link))
        .octets(18, cut(link.alias, 64)) // the kernel's alias may have 255
        .time_ticks(19, entry.discontinuity);
}

/// ifStackTable.
struct Stack {
    /// Every row in order: which interface runs on top of which, and (0, i) for an interface with
    /// nothing above it, (i, 0) for one with nothing below it (RFC 2863 section 3.1.1).
    rows: Vec<(u32, u32)>,
}

impl Stack {
    fn of(entries: &[Entry]) -> Self {
        let exists = |index: u32| entries.binary_search_by_key(&index, |entry| entry.index).is_ok();
        let relations = entries.iter().flat_map(|entry| relations(&entry.link()));
        let relations: BTreeSet<_> =
            relations.filter(|(higher, lower)| exists(*higher) && exists(*lower)).collect();
        let on_top: BTreeSet<u32> = relations.iter().map(|(higher, _)| *higher).collect();
        let below: BTreeSet<u32> = relations.iter().map(|(_, lower)| *lower).collect();
        let indexes = || entries.iter().map(|entry| entry.index);
        let top = indexes().filter(|index| !below.contains(index)).map(|index| (0, index));
        let bottom = indexes().filter(|index| !on_top.contains(index)).map(|index| (index, 0));
        let mut rows: Vec<(u32, u32)> = top.chain(bottom).chain(relations).collect();
        rows.sort_unstable();
        Stack { rows }
    }
}

/// Which interface runs on top of which: pairs of higher and lower (RFC 2863 section 3.1.1).
/// A member runs below its bridge or bond, a VLAN, macvlan or tunnel above what carries it.
fn relations(link: &Link<'_>) -> impl Iterator<Item = (u32, u32)> + use<> {
    let above = link.master.map(|master| (master, link.index));
    let below = link.link.filter(|_| !is_pair(link)).map(|below| (link.index, below));
    above.into_iter().chain(below)
}

/// For these kinds IFLA_LINK is the other end of a pair, not a layer below.
fn is_pair(link: &Link<'_>) -> bool {
    matches!(link.kind, b"veth" | b"netkit" | b"vxcan")
}

/// Megabits per second; 0 is unknown or without meaning for this interface (RFC 2863 section 3.1.8).
fn megabits(entry: &Entry) -> u32 {
    entry.settings.and_then(|settings| settings.speed).unwrap_or(0)
}

fn in_unicast(link: &Link<'_>) -> u64 {
    link.counters.rx_packets.saturating_sub(link.counters.multicast)
}

const ACTIVE: i32 = 1;
