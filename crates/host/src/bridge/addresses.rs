//! dot1dTpFdbTable, dot1qFdbTable and dot1qTpFdbTable: the addresses that a bridge knows.

use std::collections::BTreeMap;

use trunkline_smi::module::bridge_mib::DOT1D_TP_FDB_TABLE;
use trunkline_smi::module::q_bridge_mib::{DOT1Q_FDB_TABLE, DOT1Q_TP_FDB_TABLE};
use trunkline_source::netlink::Dump;
use trunkline_source::netlink::bridge::{FdbEntry, FdbKind};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use super::{Source, vlans};

static GROUP: Group = Group {
    name: "bridge-addresses",
    scalars: &[],
    tables: &[&DOT1D_TP_FDB_TABLE, &DOT1Q_FDB_TABLE, &DOT1Q_TP_FDB_TABLE],
};

/// Serves the group `bridge-addresses`.
#[derive(Debug)]
pub(super) struct Addresses(pub Source);

impl Provider for Addresses {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        self.0.with(|found, netlink| {
            let mut snapshot = Snapshot::builder(&GROUP);
            let Some(found) = found else { return Ok(Loaded::Snapshot(snapshot.finish())) };
            let bridge = &found.bridge;
            // By address and VLAN, so that of an address in several the first counts where there are no VLANs.
            let known = netlink.collect(Dump::BridgeAddresses, BTreeMap::new, |known, message| {
                if let Some(entry) = FdbEntry::parse(message).filter(|it| it.bridge == bridge.link.index) {
                    let place = (i32::from(found.port(entry.interface)), entry.kind);
                    known.insert((entry.address, entry.vlan), place);
                }
            })?;
            let mut before = None;
            let mut counts: BTreeMap<u16, u32> = BTreeMap::new();
            if bridge.vlan_filtering {
                counts.extend(vlans::members(&found, netlink)?.into_keys().map(|id| (id, 0)));
            }
            for ((address, vlan), (port, kind)) in &known {
                let octets = address.map(u32::from);
                if before.replace(*address) != Some(*address) {
                    let mut row = snapshot.table(&DOT1D_TP_FDB_TABLE).row(&octets);
                    row.octets(1, address).integer(2, *port).integer(3, status(*kind));
                }
                if bridge.vlan_filtering && *vlan != 0 {
                    let index = [&[u32::from(*vlan)], &octets[..]].concat();
                    let mut row = snapshot.table(&DOT1Q_TP_FDB_TABLE).row(&index);
                    row.integer(2, *port).integer(3, status(*kind));
                    *counts.entry(*vlan).or_default() += u32::from(*kind == FdbKind::Learned);
                }
            }
            for (vlan, learned) in counts {
                snapshot.table(&DOT1Q_FDB_TABLE).row(&[vlan.into()]).counter32(2, learned.into());
            }
            Ok(Loaded::Snapshot(snapshot.finish()))
        })
    }
}

fn status(kind: FdbKind) -> i32 {
    match kind {
        FdbKind::Learned => 3,
        FdbKind::Own => 4,
        FdbKind::Static => 5,
    }
}
