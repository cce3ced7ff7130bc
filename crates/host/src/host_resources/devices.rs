//! hrDeviceTable with hrNetworkTable, hrDiskStorageTable, hrPartitionTable and the empty
//! hrPrinterTable: processors, network interfaces and disks.
//!
//! hrDeviceIndex is, as with Net-SNMP, the number of the hrDeviceType times 65,536 and a number
//! within the type: the processor's, the ifIndex, the rank of a disk in the order in which
//! disks were first seen.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use trunkline_smi::module::host_resources_mib::{
    HR_DEVICE_TABLE, HR_DISK_STORAGE_TABLE, HR_NETWORK_TABLE, HR_PARTITION_TABLE, HR_PRINTER_TABLE, types,
};
use trunkline_tree::{Group, Loaded, Provider, RowBuilder, Snapshot, SnapshotBuilder, SourceError};

use super::{UNKNOWN_PRODUCT, kbytes};
use trunkline_source::SourceRoot;
use trunkline_source::netlink::link::{IFF_UP, Link};
use trunkline_source::netlink::{Dump, Netlink};
use trunkline_source::procfs::block::{self, Disk};
use trunkline_source::procfs::cpu::KernelStat;
use trunkline_source::procfs::volumes::Volumes;
use trunkline_source::procfs::{cut, lines, number};

static GROUP: Group = Group {
    name: "hr-devices",
    scalars: &[],
    tables: &[
        &HR_DEVICE_TABLE,
        &HR_NETWORK_TABLE,
        &HR_PRINTER_TABLE,
        &HR_DISK_STORAGE_TABLE,
        &HR_PARTITION_TABLE,
    ],
};

/// Serves the group `hr-devices`.
#[derive(Debug)]
pub(super) struct Devices {
    root: SourceRoot,
    numbers: Arc<DeviceNumbers>,
    volumes: Arc<Volumes>,
    netlink: Mutex<Netlink>,
}

/// The numbers of disks, which stay while the agent runs.
#[derive(Debug, Default)]
pub(super) struct DeviceNumbers {
    disks: Mutex<HashMap<String, u32>>,
}

impl DeviceNumbers {
    /// The hrDeviceIndex of a disk.
    pub(super) fn disk(&self, name: &str) -> u32 {
        let mut disks = self.disks.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let next = disks.len() as u32;
        DISK | *disks.entry(name.to_owned()).or_insert(next)
    }
}

/// The hrDeviceIndex of a processor.
pub(super) fn processor_number(processor: u32) -> u32 {
    PROCESSOR | processor
}

/// The hrDeviceIndex of a network interface. An ifIndex above 65,535, which machines with many containers reach,
/// would collide with the numbers of other types and is moved to a free range.
fn network_number(if_index: u32) -> u32 {
    if if_index <= 0xffff { NETWORK | if_index } else { HIGH_NETWORK | if_index }
}

const PROCESSOR: u32 = 3 << 16;
const NETWORK: u32 = 4 << 16;
const DISK: u32 = 6 << 16;
const HIGH_NETWORK: u32 = 1 << 30;

const STATUS_RUNNING: i32 = 2;
const STATUS_DOWN: i32 = 5;

impl Devices {
    pub(super) fn new(root: SourceRoot, numbers: Arc<DeviceNumbers>, volumes: Arc<Volumes>) -> Self {
        let netlink = Mutex::new(root.netlink());
        Devices { root, numbers, volumes, netlink }
    }

    fn processors(&self, snapshot: &mut SnapshotBuilder) -> Result<(), SourceError> {
        let mut text = Vec::new();
        self.root.read_into(KernelStat::FILE, &mut text)?;
        let stat = KernelStat::parse(&text);
        let names = processor_names(&self.root.read_or_empty("proc/cpuinfo"));
        for (processor, _) in stat.processors {
            let name = names.get(&processor).map_or(&b"Processor"[..], Vec::as_slice);
            device(
                snapshot,
                processor_number(processor),
                types::HR_DEVICE_PROCESSOR,
                name,
                STATUS_RUNNING,
                0,
            );
        }
        Ok(())
    }

    fn interfaces(&self, snapshot: &mut SnapshotBuilder) -> Result<(), SourceError> {
        let mut netlink = self.netlink.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        let links: Vec<(u32, u32, Vec<u8>, u64)> =
            netlink.collect(Dump::Links, Vec::new, |links, message| {
                if let Some(link) = Link::parse(message) {
                    let errors = link.counters.rx_errors.wrapping_add(link.counters.tx_errors);
                    links.push((link.index, link.flags, link.name.to_vec(), errors));
                }
            })?;
        for (index, flags, name, errors) in links {
            let status = if flags & IFF_UP != 0 { STATUS_RUNNING } else { STATUS_DOWN };
            let description = [b"network interface ", name.as_slice()].concat();
            let row = network_number(index);
            device(snapshot, row, types::HR_DEVICE_NETWORK, &description, status, errors);
            snapshot.table(&HR_NETWORK_TABLE).row(&[row]).integer(1, index as i32);
        }
        Ok(())
    }

    fn disks(&self, snapshot: &mut SnapshotBuilder) -> Result<(), SourceError> {
        let file_systems = self.volumes.mounted()?;
        for disk in block::disks(&self.root) {
            let index = self.numbers.disk(&disk.name);
            let name = if disk.description.is_empty() { &disk.name } else { &disk.description };
            let description = format!("{name} (/dev/{})", disk.name);
            device(snapshot, index, types::HR_DEVICE_DISK_STORAGE, description.as_bytes(), STATUS_RUNNING, 0);
            let mut row = snapshot.table(&HR_DISK_STORAGE_TABLE).row(&[index]);
            row.integer(1, if disk.read_only { 2 } else { 1 })
                .integer(2, media(&disk))
                .truth(3, disk.removable)
                .integer(4, kbytes(u128::from(disk.sectors) * 512));
            for part in &disk.partitions {
                let path = format!("/dev/{}", part.name);
                let mounted = file_systems.iter().find(|(_, mount)| mount.device == path.as_bytes());
                let mut row = snapshot.table(&HR_PARTITION_TABLE).row(&[index, part.number]);
                row.integer(1, part.number as i32)
                    .text(2, &path)
                    .text(3, &part.device)
                    .integer(4, kbytes(u128::from(part.sectors) * 512))
                    .integer(5, mounted.map_or(0, |(index, _)| *index as i32));
            }
        }
        Ok(())
    }
}

impl Provider for Devices {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut snapshot = Snapshot::builder(&GROUP);
        self.processors(&mut snapshot)?;
        self.interfaces(&mut snapshot)?;
        self.disks(&mut snapshot)?;
        Ok(Loaded::Snapshot(snapshot.finish()))
    }
}

/// A row of hrDeviceTable. The kernel counts errors of network interfaces only.
fn device(snapshot: &mut SnapshotBuilder, index: u32, kind: &[u32], name: &[u8], status: i32, errors: u64) {
    let mut row: RowBuilder<'_> = snapshot.table(&HR_DEVICE_TABLE).row(&[index]);
    row.integer(1, index as i32)
        .oid(2, kind)
        .octets(3, cut(name, 64))
        .oid(4, UNKNOWN_PRODUCT)
        .integer(5, status)
        .counter32(6, errors);
}

/// hrDiskStorageMedia; what spins and what does not is a hard disk alike.
fn media(disk: &Disk) -> i32 {
    match disk.name.trim_end_matches(|c: char| c.is_ascii_digit()) {
        "sr" => 5,
        "fd" => 4,
        _ if disk.removable => 1,
        _ => 3,
    }
}

/// /proc/cpuinfo: vendor and model of each processor, if the architecture reports them.
pub(crate) fn processor_names(text: &[u8]) -> HashMap<u32, Vec<u8>> {
    let mut names = HashMap::new();
    let (mut processor, mut vendor) = (None, &b""[..]);
    for line in lines(text) {
        let Some(colon) = line.iter().position(|octet| *octet == b':') else { continue };
        let (field, value) = (line[..colon].trim_ascii(), line[colon + 1..].trim_ascii());
        match field {
            b"processor" => processor = number(value).and_then(|number| u32::try_from(number).ok()),
            b"vendor_id" => vendor = value,
            b"model name" => {
                let name = if vendor.is_empty() { value.to_vec() } else { [vendor, b": ", value].concat() };
                names.extend(processor.map(|processor| (processor, name)));
            }
            _ => {}
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn numbers_of_types_do_not_overlap() {
        assert_eq!((processor_number(1), network_number(1)), (196_609, 262_145));
        assert_eq!(network_number(65_535), 327_679);
        assert_eq!(network_number(65_536), 1_073_807_360);
        let numbers = DeviceNumbers::default();
        assert_eq!(["sda", "sdb", "sda"].map(|name| numbers.disk(name)), [393_216, 393_217, 393_216]);
    }

    const CPUINFO: &[u8] = b"processor\t: 0\nvendor_id\t: GenuineThing\nmodel name\t: Thing 1\n\nprocessor\t: 3\nvendor_id\t: GenuineThing\nmodel name\t: Thing 2\n";

    #[test]
    fn processors_have_maker_and_model() {
        let names = processor_names(CPUINFO);
        assert_eq!(names.get(&3).unwrap(), b"GenuineThing: Thing 2");
        assert_eq!(names.len(), 2);
    }

    proptest! {
        #[test]
        fn truncated_and_mutated_texts_never_panic(cut in 0..CPUINFO.len(), at in 0..CPUINFO.len(), octet: u8) {
            let mut text = CPUINFO[..cut].to_vec();
            if let Some(place) = text.get_mut(at) {
                *place = octet;
            }
            prop_assert!(processor_names(&text).len() <= 2);
        }
    }
}
