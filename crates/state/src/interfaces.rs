//! `/interfaces` (RFC 8343, RFC 8344) from the rows of IF-MIB and IP-MIB; RFC 8343 section 3 says which objects are the same.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, LazyLock};
use std::time::{Duration, SystemTime};

use arc_swap::ArcSwap;
use trunkline_datastore::{Branch, Config, Item, Step};
use trunkline_models::origin::Configured;
use trunkline_smi::Value;
use trunkline_smi::module::ALL;
use trunkline_smi::schema::Table;
use trunkline_tree::RowRange;
use trunkline_yang::annotation::{Annotation, Origin};
use trunkline_yang::forest::NodeId;
use trunkline_yang::own::INTERFACE_STATUS;
use trunkline_yang::selection::{Alternative, Wanted, Within};
use trunkline_yang::value_type::{IF_TYPE, interface_types};

use trunkline_core::{Cells, DataQuery};
use trunkline_models::made::{self, Made};

use crate::date;

/// What is read for `/interfaces`, and for whom.
pub struct Interfaces<'i> {
    /// What is asked, and for whom.
    pub query: &'i DataQuery<'i>,
    /// `/interfaces`.
    pub root: NodeId,
    /// What of it is wanted.
    pub wanted: &'i Wanted,
    /// What of running may be read.
    pub config: &'i Config,
    /// When sysUpTime was 0.
    pub started: SystemTime,
    /// Whether those are wanted that are only configured.
    pub with_others: bool,
    /// Where interfaces were by their names.
    pub places: &'i Places,
}

/// ifIndex by ifName, as it was when it was last needed.
pub type Places = ArcSwap<HashMap<String, u32>>;

impl Interfaces<'_> {
    /// As far as it is wanted and may be read.
    pub async fn make(&self, made: &mut Made<'_>) {
        let running = self.config.root().within(&Step::to(self.root));
        let configured = Configured::of(self.query.forest, self.root, running);
        made.note(Annotation::from(Origin::Intended));
        let Some(columns) = &*OF_INTERFACE else { return };
        let named = self.named();
        let rows = match &named {
            Some(names) => self.found(columns, names).await,
            None => self.query.cells(columns).await,
        };
        let addresses = if self.wants_addresses() { addresses(self.query).await } else { BTreeMap::new() };
        let mut names = BTreeSet::new();
        for (index, cells) in &rows {
            let row = Row { cells, started: self.started };
            // Who may not read the key may not read the entry.
            let Some(name) = row.text(NAME) else { continue };
            let addresses =
                index.first().and_then(|index| addresses.get(index)).map(Vec::as_slice).unwrap_or_default();
            let configured = configured.within("interface", Some(&name));
            made.within("interface", |made| interface(&name, index, &row, addresses, configured, made));
            names.insert(name);
        }
        for (step, item) in running.filter(|_| self.with_others).into_iter().flat_map(Branch::iter) {
            let is_there = step.keys.first().is_some_and(|name| names.contains(&**name));
            if !is_there && let Item::Within(branch) = item {
                made.within("interface", |made| made.copy(branch));
            }
        }
    }

    /// The names of the only interfaces that are wanted; `None`: any may be.
    fn named(&self) -> Option<BTreeSet<String>> {
        let forest = self.query.forest;
        let entry = forest.child(Some(self.root), "interface")?;
        let Wanted::Some(alternatives) = made::nodes(self.wanted)?.of(entry)? else { return None };
        let name = |alternative: &Alternative| {
            let test = alternative.tests.iter().find(|test| forest[test.leaf].place.is_key())?;
            match &test.value {
                Value::OctetString(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
                _ => None,
            }
        };
        alternatives.iter().map(name).collect()
    }

    /// Whether anything is wanted that only ipAddressTable has.
    fn wants_addresses(&self) -> bool {
        let forest = self.query.forest;
        let Some(entry) = forest.child(Some(self.root), "interface") else { return true };
        let Some(Wanted::Some(alternatives)) = made::nodes(self.wanted).and_then(|nodes| nodes.of(entry))
        else {
            return true;
        };
        let families = ["ipv4", "ipv6"].map(|name| forest.child(Some(entry), name));
        alternatives.iter().any(|alternative| match &alternative.within {
            Within::All => true,
            Within::Nodes(nodes) => families.iter().flatten().any(|family| nodes.of(*family).is_some()),
        })
    }

    /// The rows of interfaces by their names, each read where it was last: names change seldom.
    async fn found(&self, columns: &[(&'static Table, u32)], names: &BTreeSet<String>) -> Cells {
        let mut found = Cells::new();
        let mut missing = Vec::new();
        for name in names {
            match self.at(columns, name).await {
                Some((index, cells)) => drop(found.insert(index, cells)),
                None => missing.push(name),
            }
        }
        if missing.is_empty() {
            return found;
        }
        let place = |(index, cells): (&Vec<u32>, &Vec<Option<Value>>)| {
            let row = Row { cells, started: self.started };
            Some((row.text(0)?, *index.first()?))
        };
        let all = self.query.cells(&columns[NAME..=NAME]).await;
        self.places.store(Arc::new(all.iter().filter_map(place).collect()));
        for name in missing {
            found.extend(self.at(columns, name).await);
        }
        found
    }

    /// The row of an interface, if it is where it was last.
    async fn at(
        &self,
        columns: &[(&'static Table, u32)],
        name: &str,
    ) -> Option<(Vec<u32>, Vec<Option<Value>>)> {
        let index = [*self.places.load().get(name)?];
        let (index, cells) = self.query.cells_of(columns, RowRange::One(&index)).await.pop_first()?;
        let is_it = Row { cells: &cells, started: self.started }.text(NAME).as_deref() == Some(name);
        is_it.then_some((index, cells))
    }
}

/// [`COLUMNS`] with their tables.
static OF_INTERFACE: LazyLock<Option<Vec<(&'static Table, u32)>>> =
    LazyLock::new(|| COLUMNS.iter().map(|(name, id)| Some((table(name)?, *id))).collect());

fn interface(
    name: &str,
    index: &[u32],
    row: &Row<'_>,
    addresses: &[Address],
    configured: Configured<'_>,
    made: &mut Made<'_>,
) {
    made.note(configured.origin(Origin::System));
    made.leaf("name", name);
    if let Some(alias) = row.text(ALIAS).filter(|alias| !alias.is_empty()) {
        made.leaf("description", &alias);
        made.note(configured.leaf("description", &alias, Origin::Unknown));
    }
    if let Some(number) = row.integer(TYPE) {
        let kind = format!("{}:{}", IF_TYPE.0, type_name(number));
        made.leaf("type", &kind);
        made.note(configured.leaf("type", &kind, Origin::System));
    }
    let status = |at: usize| {
        row.integer(at).and_then(|it| INTERFACE_STATUS.get(usize::try_from(it).ok()?.checked_sub(1)?))
    };
    if let Some(status) = status(ADMIN) {
        let enabled = if *status == "up" { "true" } else { "false" };
        made.leaf("enabled", enabled);
        made.note(configured.leaf("enabled", enabled, Origin::System));
        made.leaf("admin-status", status);
    }
    if let Some(status) = status(OPER) {
        made.leaf("oper-status", status);
    }
    if let Some(changed) = row.moment(LAST_CHANGE) {
        made.leaf("last-change", &date(changed));
    }
    if let Some(index) = index.first() {
        made.leaf("if-index", &index.to_string());
    }
    if let Some(Value::OctetString(octets)) =
        row.cell(PHYS).filter(|it| !matches!(it, Value::OctetString(it) if it.is_empty()))
    {
        let digits: Vec<String> = octets.iter().map(|octet| format!("{octet:02x}")).collect();
        made.leaf("phys-address", &digits.join(":"));
    }
    if let Some(megabits) = row.number(HIGH_SPEED).filter(|it| *it > 0) {
        made.leaf("speed", &(megabits * 1_000_000).to_string());
    }
    if COUNTERS.iter().any(|(_, at)| row.cell(*at).is_some()) {
        made.within("statistics", |made| {
            made.leaf("discontinuity-time", &date(row.moment(DISCONTINUITY).unwrap_or(row.started)));
            for (name, at) in COUNTERS {
                if let Some(count) = row.number(at) {
                    made.leaf(name, &count.to_string());
                }
            }
        });
    }
    for (container, is_it) in [("ipv4", IpAddr::is_ipv4 as fn(&IpAddr) -> bool), ("ipv6", IpAddr::is_ipv6)] {
        let of_family: Vec<&Address> = addresses.iter().filter(|it| is_it(&it.address)).collect();
        if of_family.is_empty() {
            continue;
        }
        let family = configured.within(container, None);
        made.within(container, |made| {
            made.note(family.origin(Origin::System));
            if let Some(mtu) = row.integer(MTU).filter(|mtu| (68..=65535).contains(mtu)) {
                made.leaf("mtu", &mtu.to_string());
                made.note(family.leaf("mtu", &mtu.to_string(), Origin::System));
            }
            for address in of_family {
                made.within("address", |made| address.make(&family, made));
            }
        });
    }
}

/// A row of ifTable and ifXTable.
struct Row<'r> {
    cells: &'r [Option<Value>],
    /// When sysUpTime was 0.
    started: SystemTime,
}

impl Row<'_> {
    fn cell(&self, at: usize) -> Option<&Value> {
        self.cells.get(at)?.as_ref()
    }

    fn text(&self, at: usize) -> Option<String> {
        match self.cell(at)? {
            Value::OctetString(octets) => Some(String::from_utf8_lossy(octets).into_owned()),
            _ => None,
        }
    }

    fn integer(&self, at: usize) -> Option<i32> {
        match self.cell(at)? {
            Value::Integer(number) => Some(*number),
            _ => None,
        }
    }

    fn number(&self, at: usize) -> Option<u64> {
        match *self.cell(at)? {
            Value::Counter32(number) | Value::Unsigned32(number) => Some(number.into()),
            Value::Counter64(number) => Some(number),
            _ => None,
        }
    }

    /// A TimeStamp; `None` of what was before the agent started.
    fn moment(&self, at: usize) -> Option<SystemTime> {
        match *self.cell(at)? {
            Value::TimeTicks(ticks) if ticks > 0 => {
                Some(self.started + Duration::from_millis(u64::from(ticks) * 10))
            }
            _ => None,
        }
    }
}

struct Address {
    address: IpAddr,
    prefix_length: Option<u32>,
    origin: &'static str,
}

impl Address {
    fn make(&self, family: &Configured<'_>, made: &mut Made<'_>) {
        let ip = self.address.to_string();
        let configured = family.within("address", Some(&ip));
        let is_local = match self.address {
            IpAddr::V4(ip) => ip.is_loopback() || ip.is_link_local(),
            IpAddr::V6(ip) => ip.is_loopback() || ip.is_unicast_link_local(),
        };
        let elsewhere = match self.origin {
            _ if is_local => Origin::System,
            // What stands before these identifiers was advertised by a router.
            "dhcp" | "link-layer" | "random" => Origin::Learned,
            _ => Origin::Unknown,
        };
        made.note(configured.origin(elsewhere));
        made.leaf("ip", &ip);
        if let Some(length) = self.prefix_length {
            made.leaf("prefix-length", &length.to_string());
            made.note(configured.leaf("prefix-length", &length.to_string(), elsewhere));
        }
        made.leaf("origin", self.origin);
    }
}

/// The addresses of each interface, by its ifIndex.
async fn addresses(query: &DataQuery<'_>) -> BTreeMap<u32, Vec<Address>> {
    let mut found: BTreeMap<u32, Vec<Address>> = BTreeMap::new();
    let Some(of_table) = table("ipAddressTable") else { return found };
    let rows = query.cells(&[(of_table, IF_INDEX), (of_table, PREFIX), (of_table, ORIGIN)]).await;
    for (index, cells) in rows {
        let [Some(Value::Integer(interface)), prefix, origin] = &cells[..] else { continue };
        let (Some(address), Ok(interface)) = (address(&index), u32::try_from(*interface)) else { continue };
        let prefix_length = match prefix {
            Some(Value::ObjectIdentifier(row)) => row.last().copied(),
            _ => None,
        };
        let origin = match origin {
            Some(Value::Integer(2)) => "static",
            Some(Value::Integer(4)) => "dhcp",
            Some(Value::Integer(5)) => "link-layer",
            Some(Value::Integer(6)) => "random",
            _ => "other",
        };
        found.entry(interface).or_default().push(Address { address, prefix_length, origin });
    }
    found
}

/// The address in an index of ipAddressTable: its type, its length, its octets. Addresses with a zone are of no use here.
fn address(index: &[u32]) -> Option<IpAddr> {
    let (&[kind, length], octets) = index.split_first_chunk()?;
    let octets: Vec<u8> = octets.iter().filter_map(|octet| u8::try_from(*octet).ok()).collect();
    match (kind, length) {
        (1, 4) => Some(IpAddr::from(<[u8; 4]>::try_from(octets).ok()?)),
        (2, 16) => Some(IpAddr::from(<[u8; 16]>::try_from(octets).ok()?)),
        // With its zone, the index of an interface.
        (4, 20) => Some(IpAddr::from(<[u8; 16]>::try_from(octets.get(..16)?).ok()?)),
        _ => None,
    }
}

fn table(name: &str) -> Option<&'static Table> {
    ALL.iter().flat_map(|module| module.tables).find(|table| table.name == name)
}

/// The identity of a type; a number that IANA has given since then is `other`.
fn type_name(number: i32) -> &'static str {
    interface_types().find(|(known, _)| *known == number).map_or("other", |(_, name)| name)
}

/// What is read of each interface.
const COLUMNS: [(&str, u32); 23] = [
    ("ifTable", 3),
    ("ifTable", 4),
    ("ifTable", 6),
    ("ifTable", 7),
    ("ifTable", 8),
    ("ifTable", 9),
    ("ifTable", 13),
    ("ifTable", 14),
    ("ifTable", 15),
    ("ifTable", 19),
    ("ifTable", 20),
    ("ifXTable", 1),
    ("ifXTable", 6),
    ("ifXTable", 7),
    ("ifXTable", 8),
    ("ifXTable", 9),
    ("ifXTable", 10),
    ("ifXTable", 11),
    ("ifXTable", 12),
    ("ifXTable", 13),
    ("ifXTable", 15),
    ("ifXTable", 18),
    ("ifXTable", 19),
];
const TYPE: usize = 0;
const MTU: usize = 1;
const PHYS: usize = 2;
const ADMIN: usize = 3;
const OPER: usize = 4;
const LAST_CHANGE: usize = 5;
const NAME: usize = 11;
const HIGH_SPEED: usize = 20;
const ALIAS: usize = 21;
const DISCONTINUITY: usize = 22;
/// Leaves of `statistics`, in their order.
const COUNTERS: [(&str, usize); 13] = [
    ("in-octets", 12),
    ("in-unicast-pkts", 13),
    ("in-broadcast-pkts", 15),
    ("in-multicast-pkts", 14),
    ("in-discards", 6),
    ("in-errors", 7),
    ("in-unknown-protos", 8),
    ("out-octets", 16),
    ("out-unicast-pkts", 17),
    ("out-broadcast-pkts", 19),
    ("out-multicast-pkts", 18),
    ("out-discards", 9),
    ("out-errors", 10),
];
const IF_INDEX: u32 = 3;
const PREFIX: u32 = 5;
const ORIGIN: u32 = 6;
