//! Q-BRIDGE-MIB but for its addresses: the VLANs of a bridge and those of its ports.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use trunkline_smi::Value;
use trunkline_smi::module::q_bridge_mib as mib;
use trunkline_source::netlink::bridge::vlans;
use trunkline_source::netlink::{Dump, Netlink};
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SnapshotBuilder, SourceError};

use super::{Found, Source};
use crate::HostOptions;
use crate::links::up_time;

static GROUP: Group = Group {
    name: "bridge-vlans",
    scalars: &[
        &mib::DOT1Q_VLAN_VERSION_NUMBER,
        &mib::DOT1Q_MAX_VLAN_ID,
        &mib::DOT1Q_MAX_SUPPORTED_VLANS,
        &mib::DOT1Q_NUM_VLANS,
        &mib::DOT1Q_GVRP_STATUS,
    ],
    tables: &[&mib::DOT1Q_VLAN_CURRENT_TABLE, &mib::DOT1Q_VLAN_STATIC_TABLE, &mib::DOT1Q_PORT_VLAN_TABLE],
};

/// Serves the group `bridge-vlans`.
#[derive(Debug)]
pub(super) struct Vlans {
    source: Source,
    started: Instant,
    seen: Mutex<Option<Seen>>,
}

/// The VLANs as last read.
#[derive(Debug)]
struct Seen {
    /// ifIndex.
    bridge: u32,
    /// sysUpTime when each was first seen; 0 for those of the first reading.
    since: BTreeMap<u16, u32>,
}

impl Vlans {
    pub(super) fn new(options: &HostOptions) -> Self {
        Vlans { source: Source::new(options), started: options.started, seen: Mutex::default() }
    }

    /// When each of these was made.
    fn since(&self, bridge: u32, members: &BTreeMap<u16, Members>) -> BTreeMap<u16, u32> {
        let mut seen = self.seen.lock().unwrap_or_else(PoisonError::into_inner);
        let now = up_time(self.started, Instant::now());
        let known = seen.take().filter(|seen| seen.bridge == bridge);
        let when = |id: &u16| known.as_ref().map_or(0, |known| known.since.get(id).copied().unwrap_or(now));
        let since: BTreeMap<u16, u32> = members.keys().map(|id| (*id, when(id))).collect();
        *seen = Some(Seen { bridge, since: since.clone() });
        since
    }
}

/// Which ports a VLAN has.
#[derive(Debug, Default)]
pub(super) struct Members {
    tagged_or_not: Vec<u16>,
    untagged: Vec<u16>,
    /// Frames without a tag are of it there.
    pvid_of: Vec<u16>,
}

/// The VLANs of a bridge by their numbers, those included that only the bridge itself is in.
pub(super) fn members(found: &Found, netlink: &mut Netlink) -> Result<BTreeMap<u16, Members>, SourceError> {
    netlink.collect(Dump::BridgeVlans, BTreeMap::<u16, Members>::new, |all, message| {
        let Some((interface, vlans)) = vlans(message) else { return };
        let port = found.port(interface);
        if port == 0 && interface != found.bridge.link.index {
            return;
        }
        for vlan in vlans {
            let members = all.entry(vlan.id).or_default();
            if port == 0 {
                continue;
            }
            members.tagged_or_not.push(port);
            if vlan.is_untagged {
                members.untagged.push(port);
            }
            if vlan.is_pvid {
                members.pvid_of.push(port);
            }
        }
    })
}

impl Provider for Vlans {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        self.source.with(|found, netlink| {
            let mut snapshot = Snapshot::builder(&GROUP);
            if let Some(found) = found.filter(|found| found.bridge.vlan_filtering) {
                let members = members(&found, netlink)?;
                let since = self.since(found.bridge.link.index, &members);
                fill(&mut snapshot, &found, &members, &since);
            }
            Ok(Loaded::Snapshot(snapshot.finish()))
        })
    }
}

fn fill(
    snapshot: &mut SnapshotBuilder,
    found: &Found,
    members: &BTreeMap<u16, Members>,
    since: &BTreeMap<u16, u32>,
) {
    snapshot
        .scalar(&mib::DOT1Q_VLAN_VERSION_NUMBER, Value::Integer(1))
        .scalar(&mib::DOT1Q_MAX_VLAN_ID, Value::Integer(MOST_VLANS))
        .scalar(&mib::DOT1Q_MAX_SUPPORTED_VLANS, Value::Unsigned32(MOST_VLANS.cast_unsigned()))
        .scalar(&mib::DOT1Q_NUM_VLANS, Value::Unsigned32(members.len() as u32))
        .scalar(&mib::DOT1Q_GVRP_STATUS, Value::Integer(DISABLED));
    let last = found.ports.last().map_or(0, |port| port.number);
    for (id, members) in members {
        let (all, untagged) = (port_list(&members.tagged_or_not, last), port_list(&members.untagged, last));
        snapshot
            .table(&mib::DOT1Q_VLAN_CURRENT_TABLE)
            .row(&[0, (*id).into()])
            .unsigned32(3, (*id).into())
            .octets(4, &all)
            .octets(5, &untagged)
            .integer(6, PERMANENT)
            .time_ticks(7, since.get(id).copied().unwrap_or(0));
        snapshot
            .table(&mib::DOT1Q_VLAN_STATIC_TABLE)
            .row(&[(*id).into()])
            // VLANs have no names in Linux.
            .text(1, "")
            .octets(2, &all)
            .octets(3, &port_list(&[], last))
            .octets(4, &untagged)
            .integer(5, ACTIVE);
    }
    for port in &found.ports {
        let pvid = members.iter().find(|(_, members)| members.pvid_of.contains(&port.number));
        let mut row = snapshot.table(&mib::DOT1Q_PORT_VLAN_TABLE).row(&[port.number.into()]);
        if let Some((id, _)) = pvid {
            row.unsigned32(1, (*id).into());
        }
        row.integer(2, if pvid.is_some() { ADMIT_ALL } else { ADMIT_ONLY_TAGGED })
            // A bridge that filters VLANs does so on both ways.
            .truth(3, true)
            .integer(4, DISABLED)
            .counter32(5, 0)
            .octets(6, &[0; 6])
            .truth(7, false);
    }
}

/// A PortList: a bit for each port, the first is the highest of the first octet.
fn port_list(ports: &[u16], last: u16) -> Vec<u8> {
    let mut octets = vec![0; usize::from(last).div_ceil(8)];
    for port in ports {
        let bit = usize::from(*port).saturating_sub(1);
        if let Some(octet) = octets.get_mut(bit / 8) {
            *octet |= 0x80 >> (bit % 8);
        }
    }
    octets
}

const MOST_VLANS: i32 = 4094;
const DISABLED: i32 = 2;
const PERMANENT: i32 = 2;
const ACTIVE: i32 = 1;
const ADMIT_ALL: i32 = 1;
const ADMIT_ONLY_TAGGED: i32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_ports_has_a_bit_for_each() {
        assert_eq!(port_list(&[1, 8, 9], 9), [0x81, 0x80]);
        assert_eq!(port_list(&[], 16), [0, 0]);
        assert_eq!(port_list(&[], 0), [0; 0]);
        assert_eq!(port_list(&[20], 9), [0, 0]);
    }
}
