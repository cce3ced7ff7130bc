//! IF-MIB: ifRcvAddressTable, the link-layer addresses on which interfaces receive packets.

use std::time::Instant;

use trunkline_smi::module::if_mib::IF_RCV_ADDRESS_TABLE;
use trunkline_tree::{Group, Loaded, Provider, Snapshot, SourceError};

use crate::HostOptions;
use crate::links::Links;
use trunkline_source::SourceRoot;
use trunkline_source::procfs::{lines, number, words};

/// The group's name.
pub(crate) const NAME: &str = "interface-receive-addresses";

static GROUP: Group = Group { name: NAME, scalars: &[], tables: &[&IF_RCV_ADDRESS_TABLE] };

/// Serves the addresses: an interface's own, its broadcast address, and the multicast addresses it joined.
#[derive(Debug)]
pub(crate) struct ReceiveAddresses {
    root: SourceRoot,
    links: Links,
}

impl ReceiveAddresses {
    pub(crate) fn new(options: &HostOptions) -> Self {
        ReceiveAddresses { root: options.root.clone(), links: options.links.clone() }
    }
}

impl Provider for ReceiveAddresses {
    fn group(&self) -> &'static Group {
        &GROUP
    }

    fn load(&self, _previous: Option<&Snapshot>) -> Result<Loaded, SourceError> {
        let mut rows: Vec<Vec<u32>> = Vec::new();
        let mut links = self.links.lock();
        links.refresh(Instant::now())?;
        for entry in links.entries() {
            let link = entry.link();
            [link.address, link.broadcast]
                .into_iter()
                .for_each(|address| rows.extend(index(entry.index, address)));
        }
        drop(links);
        let joined = self.root.read_or_empty("proc/net/dev_mcast");
        rows.extend(lines(&joined).filter_map(multicast_index));
        rows.sort_unstable();
        let mut builder = Snapshot::builder(&GROUP);
        let table = builder.table(&IF_RCV_ADDRESS_TABLE);
        for row in rows {
            table.row(&row).integer(2, ACTIVE).integer(3, VOLATILE);
        }
        Ok(Loaded::Snapshot(builder.finish()))
    }
}

/// ifIndex and the address with its length; interfaces without addresses, such as TUN, have none.
fn index(interface: u32, address: &[u8]) -> Option<Vec<u32>> {
    let length = address.len() as u32;
    let octets = address.iter().map(|octet| u32::from(*octet));
    (length > 0).then(|| [interface, length].into_iter().chain(octets).collect())
}

/// A line of /proc/net/dev_mcast: interface, name, two counts of users, address.
pub(crate) fn multicast_index(line: &[u8]) -> Option<Vec<u32>> {
    let mut fields = words(line);
    let interface = u32::try_from(number(fields.next()?)?).ok()?;
    let address = fields.nth(3)?;
    let octet = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let address: Vec<u8> = address.chunks(2).map(octet).collect::<Option<_>>()?;
    index(interface, &address)
}

const ACTIVE: i32 = 1;
/// None of them outlives the interface.
const VOLATILE: i32 = 2;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_joined_address_is_a_row() {
        let line = b"2    eth0            1     0     01005e000001";
        assert_eq!(multicast_index(line), Some(vec![2, 6, 0x01, 0, 0x5e, 0, 0, 1]));
        for bad in [&b""[..], b"2 eth0 1 0", b"x eth0 1 0 0100", b"2 eth0 1 0 01zz"] {
            assert_eq!(multicast_index(bad), None);
        }
    }
}
