//! `/netconf` of our module `trunkline-netconf`: the data that section 3 of the EMANICS deliverable D7.1 asks for, by the names that
//! its expressions have. What is in `routing` and `security` is not made of rows.

mod bgp;

use std::collections::BTreeMap;
use std::net::IpAddr;

use trunkline_datastore::Branch;
use trunkline_yang::own::{INTERFACE_STATUS, PAPER};

pub use self::bgp::bgp;
use crate::made::Made;
use crate::model::{Model, Part};
use crate::routes::{self, hops};
use crate::rows::{Reads, Row, Rows};

pub(crate) static MODEL: Model = Model {
    module: &PAPER,
    root: "netconf",
    parts: &[
        Part { path: &["network", "interfaces"], reads: &[&NAMES, &INTERFACES, &ADDRESSES] },
        Part { path: &["network", "routes"], reads: &routes::READS },
        Part { path: &["system", "rpm-list"], reads: &[&PACKAGES] },
    ],
    make,
};

fn make(rows: &Rows, _config: Option<&Branch>, made: &mut Made<'_>) {
    made.within("network", |made| {
        made.within("interfaces", |made| interfaces(rows, made));
        made.within("routes", |made| {
            for hop in hops(rows) {
                made.within("route", |made| route(&hop, made));
            }
        });
    });
    made.within("system", |made| {
        made.within("rpm-list", |made| {
            let packages = rows.of(&PACKAGES).filter_map(|row| row.text(PACKAGE));
            packages.for_each(|package| made.leaf("rpm", &package));
        });
    });
}

fn interfaces(rows: &Rows, made: &mut Made<'_>) {
    let mut addresses: BTreeMap<u64, Vec<String>> = BTreeMap::new();
    for row in rows.of(&ADDRESSES) {
        if let (Some(interface), Some(address)) = (row.number(ADDRESS_IF_INDEX), address(row)) {
            addresses.entry(interface).or_default().push(address);
        }
    }
    for more in rows.of(&NAMES) {
        // Who may not read the key may not read the entry.
        let (Some(name), &[index]) = (more.text(IF_NAME), more.index) else { continue };
        made.within("iface", |made| {
            made.leaf("name", &name);
            made.leaf("index", &index.to_string());
            if let Some(alias) = more.text(IF_ALIAS).filter(|alias| !alias.is_empty()) {
                made.leaf("description", &alias);
            }
            if let Some(row) = rows.row(&INTERFACES, more.index) {
                interface(row, made);
            }
            for (leaf, column) in [("in-octets", HC_IN_OCTETS), ("out-octets", HC_OUT_OCTETS)] {
                if let Some(count) = more.number(column) {
                    made.leaf(leaf, &count.to_string());
                }
            }
            addresses.get(&index.into()).into_iter().flatten().for_each(|it| made.leaf("address", it));
        });
    }
}

fn interface(row: Row<'_>, made: &mut Made<'_>) {
    if let Some(octets) = row.octets(PHYS_ADDRESS).filter(|octets| !octets.is_empty()) {
        let digits: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        made.leaf("mac-address", &digits.join(":"));
    }
    if let Some(mtu) = row.number(MTU) {
        made.leaf("mtu", &mtu.to_string());
    }
    if let Some(status) = row.number(ADMIN_STATUS) {
        made.leaf("enabled", if status == 1 { "true" } else { "false" });
    }
    let status = row.number(OPER_STATUS).and_then(|it| usize::try_from(it).ok()?.checked_sub(1));
    if let Some(status) = status.and_then(|at| INTERFACE_STATUS.get(at)) {
        made.leaf("status", status);
    }
}

/// `192.0.2.1/24`, of a row of ipAddressTable.
fn address(row: Row<'_>) -> Option<String> {
    let (&[_, length], octets) = row.index.split_first_chunk()?;
    let octets: Vec<u8> = octets.iter().filter_map(|octet| u8::try_from(*octet).ok()).collect();
    let address = match length {
        4 => IpAddr::from(<[u8; 4]>::try_from(octets).ok()?),
        // The last four of 20 octets are the zone.
        16 | 20 => IpAddr::from(<[u8; 16]>::try_from(octets.get(..16)?).ok()?),
        _ => return None,
    };
    let prefix = match row.cell(ADDRESS_PREFIX) {
        Some(trunkline_smi::Value::ObjectIdentifier(prefix)) => prefix.last(),
        _ => None,
    };
    Some(prefix.map_or_else(|| address.to_string(), |length| format!("{address}/{length}")))
}

fn route(hop: &routes::Hop, made: &mut Made<'_>) {
    made.leaf("destination", &format!("{}/{}", hop.destination, hop.prefix_length));
    if let Some(gateway) = hop.gateway {
        made.leaf("gateway", &gateway.to_string());
    }
    if let Some(interface) = &hop.interface {
        made.leaf("iface", interface);
    }
    if let Some(metric) = hop.metric {
        made.leaf("metric", &metric.to_string());
    }
}

static NAMES: Reads = Reads { table: "ifXTable", columns: &[IF_NAME, HC_IN_OCTETS, HC_OUT_OCTETS, IF_ALIAS] };
const IF_NAME: u32 = 1;
const HC_IN_OCTETS: u32 = 6;
const HC_OUT_OCTETS: u32 = 10;
const IF_ALIAS: u32 = 18;
static INTERFACES: Reads =
    Reads { table: "ifTable", columns: &[MTU, PHYS_ADDRESS, ADMIN_STATUS, OPER_STATUS] };
const MTU: u32 = 4;
const PHYS_ADDRESS: u32 = 6;
const ADMIN_STATUS: u32 = 7;
const OPER_STATUS: u32 = 8;
static ADDRESSES: Reads = Reads { table: "ipAddressTable", columns: &[ADDRESS_IF_INDEX, ADDRESS_PREFIX] };
const ADDRESS_IF_INDEX: u32 = 3;
const ADDRESS_PREFIX: u32 = 5;
/// Debian's packages, where the paper's machine has those of rpm.
static PACKAGES: Reads = Reads { table: "hrSWInstalledTable", columns: &[PACKAGE] };
const PACKAGE: u32 = 2;
