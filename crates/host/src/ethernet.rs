//! EtherLike-MIB, from the kernel's counters of each interface with Ethernet's frames and its link settings: bridges, bonds and VLANs are
//! among them, as with Net-SNMP.
//!
//! The counters are those that the kernel's documentation (`struct rtnl_link_stats64`) assigns to the attributes of IEEE 802.3 which RFC 3635
//! counts. Net-SNMP assigns two of them otherwise: what it shows as deferred transmissions are dropped packets, and its too long frames are
//! those with alignment errors.

use std::time::Instant;

use trunkline_smi::module::etherlike_mib::{DOT3_HC_STATS_TABLE, DOT3_STATS_TABLE};
use trunkline_source::netlink::ethtool::Duplex;
use trunkline_source::netlink::link::{ARPHRD_ETHER, LinkCounters};
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SourceError};

use crate::HostOptions;
use crate::links::Links;

/// The group's name.
pub(crate) const NAME: &str = "ethernet";

static GROUP: Group = Group { name: NAME, scalars: &[], tables: &[&DOT3_STATS_TABLE, &DOT3_HC_STATS_TABLE] };

/// Serves the group `ethernet`.
#[derive(Debug)]
pub(crate) struct Ethernet {
    links: Links,
}

impl Ethernet {
    pub(crate) fn new(options: &HostOptions) -> Self {
        Ethernet { links: options.links.clone() }
    }
}

impl Provider for Ethernet {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut links = self.links.lock();
        links.refresh(Instant::now())?;
        let mut builder = Snapshot::builder(&GROUP);
        for entry in links.entries() {
            let link = entry.link();
            if link.hardware != ARPHRD_ETHER {
                continue;
            }
            let settings = entry.settings.unwrap_or_default();
            fill(
                builder.table(&DOT3_STATS_TABLE).row(&[entry.index]),
                entry.index,
                settings.duplex,
                &link.counters,
            );
            if settings.speed.is_some_and(|megabits| megabits >= FAST) {
                fill_wide(builder.table(&DOT3_HC_STATS_TABLE).row(&[entry.index]), &link.counters);
            }
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

fn fill(mut row: RowBuilder<'_>, index: u32, duplex: Duplex, counters: &LinkCounters) {
    row.integer(1, index.cast_signed())
        .counter32(2, counters.rx_frame_errors)
        .counter32(3, counters.rx_crc_errors)
        .counter32(6, counters.tx_heartbeat_errors)
        .counter32(8, counters.tx_window_errors)
        .counter32(9, counters.tx_aborted_errors)
        .counter32(10, counters.tx_fifo_errors)
        .counter32(11, counters.tx_carrier_errors)
        .counter32(13, counters.rx_length_errors)
        .counter32(16, counters.rx_fifo_errors)
        .integer(19, duplex_status(duplex))
        .truth(20, false)
        .integer(21, RATE_CONTROL_OFF);
    // Only half duplex defers and collides (RFC 3635), and the kernel counts neither apart.
    if duplex != Duplex::Half {
        row.counter32(4, 0).counter32(5, 0).counter32(7, 0);
    }
}

fn fill_wide(mut row: RowBuilder<'_>, counters: &LinkCounters) {
    row.counter64(1, counters.rx_frame_errors)
        .counter64(2, counters.rx_crc_errors)
        .counter64(3, counters.tx_fifo_errors)
        .counter64(4, counters.rx_length_errors)
        .counter64(5, counters.rx_fifo_errors);
}

fn duplex_status(duplex: Duplex) -> i32 {
    match duplex {
        Duplex::Unknown => 1,
        Duplex::Half => 2,
        Duplex::Full => 3,
    }
}

/// Megabits per second of the interfaces that dot3HCStatsTable is for.
const FAST: u32 = 10_000;
const RATE_CONTROL_OFF: i32 = 1;
