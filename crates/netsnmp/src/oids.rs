//! Object names in Net-SNMP's files: numbers, `.iso.org.dod`, `SNMPv2-MIB::sysDescr.0`, `ifTable`,
//! `enterprises.2021`. Names are those of the modules that the agent serves, and of the nodes above them;
//! Net-SNMP itself would look into MIB files.

use std::collections::HashMap;
use std::sync::LazyLock;

use trunkline_smi::schema::Module;
use trunkline_smi::{Oid, module};

use trunkline_config::check_beginning;

/// Nodes above the modules, and roots that configurations name often.
pub const NODES: &[(&str, &[u32])] = &[
    ("ccitt", &[0]),
    ("iso", &[1]),
    ("joint-iso-ccitt", &[2]),
    ("org", &[1, 3]),
    ("dod", &[1, 3, 6]),
    ("internet", &[1, 3, 6, 1]),
    ("directory", &[1, 3, 6, 1, 1]),
    ("mgmt", &[1, 3, 6, 1, 2]),
    ("mib-2", &[1, 3, 6, 1, 2, 1]),
    ("system", &[1, 3, 6, 1, 2, 1, 1]),
    ("interfaces", &[1, 3, 6, 1, 2, 1, 2]),
    ("at", &[1, 3, 6, 1, 2, 1, 3]),
    ("ip", &[1, 3, 6, 1, 2, 1, 4]),
    ("icmp", &[1, 3, 6, 1, 2, 1, 5]),
    ("tcp", &[1, 3, 6, 1, 2, 1, 6]),
    ("udp", &[1, 3, 6, 1, 2, 1, 7]),
    ("egp", &[1, 3, 6, 1, 2, 1, 8]),
    ("transmission", &[1, 3, 6, 1, 2, 1, 10]),
    ("snmp", &[1, 3, 6, 1, 2, 1, 11]),
    ("ospf", &[1, 3, 6, 1, 2, 1, 14]),
    ("bgp", &[1, 3, 6, 1, 2, 1, 15]),
    ("dot1dBridge", &[1, 3, 6, 1, 2, 1, 17]),
    ("host", &[1, 3, 6, 1, 2, 1, 25]),
    ("hrSystem", &[1, 3, 6, 1, 2, 1, 25, 1]),
    ("hrStorage", &[1, 3, 6, 1, 2, 1, 25, 2]),
    ("hrDevice", &[1, 3, 6, 1, 2, 1, 25, 3]),
    ("hrSWRun", &[1, 3, 6, 1, 2, 1, 25, 4]),
    ("hrSWRunPerf", &[1, 3, 6, 1, 2, 1, 25, 5]),
    ("hrSWInstalled", &[1, 3, 6, 1, 2, 1, 25, 6]),
    ("ifMIB", &[1, 3, 6, 1, 2, 1, 31]),
    ("experimental", &[1, 3, 6, 1, 3]),
    ("private", &[1, 3, 6, 1, 4]),
    ("enterprises", &[1, 3, 6, 1, 4, 1]),
    ("ucdavis", &[1, 3, 6, 1, 4, 1, 2021]),
    ("prTable", &[1, 3, 6, 1, 4, 1, 2021, 2]),
    ("memory", &[1, 3, 6, 1, 4, 1, 2021, 4]),
    ("extTable", &[1, 3, 6, 1, 4, 1, 2021, 8]),
    ("dskTable", &[1, 3, 6, 1, 4, 1, 2021, 9]),
    ("laTable", &[1, 3, 6, 1, 4, 1, 2021, 10]),
    ("systemStats", &[1, 3, 6, 1, 4, 1, 2021, 11]),
    ("ucdDiskIOMIB", &[1, 3, 6, 1, 4, 1, 2021, 13, 15]),
    ("netSnmp", &[1, 3, 6, 1, 4, 1, 8072]),
    ("nsExtensions", &[1, 3, 6, 1, 4, 1, 8072, 1, 3]),
    ("nsExtendObjects", &[1, 3, 6, 1, 4, 1, 8072, 1, 3, 2]),
    ("netSnmpPlaypen", &[1, 3, 6, 1, 4, 1, 8072, 9999, 9999]),
    ("security", &[1, 3, 6, 1, 5]),
    ("snmpV2", &[1, 3, 6, 1, 6]),
    ("snmpModules", &[1, 3, 6, 1, 6, 3]),
];

/// What kind of object a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A scalar: its instance is `.0`.
    Scalar,
    /// A column of a table.
    Column,
    /// A notification.
    Notification,
    /// Anything else.
    Node,
}

/// A name as an object identifier; the message says which part is unknown.
pub fn parse(text: &str) -> Result<Oid, String> {
    let body = text.split_once("::").map_or(text, |(_, name)| name).trim_start_matches('.');
    if body.is_empty() {
        return Err(format!("{text:?} is not an object identifier"));
    }
    let mut sub_ids: Vec<u32> = Vec::new();
    for (at, part) in body.split('.').enumerate() {
        match part.parse::<u32>() {
            Ok(number) => sub_ids.push(number),
            Err(_) => {
                let (oid, _) = by_name(part).ok_or_else(|| {
                    format!("{part:?} is not a known name: write the object identifier in numbers")
                })?;
                // After other names it must be below them.
                if at > 0 && !oid.starts_with(&sub_ids) {
                    return Err(format!("{part:?} is not below the name before it in {text:?}"));
                }
                sub_ids = oid;
            }
        }
    }
    check_beginning(&sub_ids).map_err(|error| format!("{text:?}: {error}"))?;
    Oid::try_from(sub_ids).map_err(|error| format!("{text:?}: {error}"))
}

/// What kind of object an identifier is the object type of.
pub fn kind(oid: &[u32]) -> Kind {
    KINDS.get(oid).copied().unwrap_or(Kind::Node)
}

/// Those of all names. A comparison of two agents looks up every instance of both.
static KINDS: LazyLock<HashMap<Vec<u32>, Kind>> = LazyLock::new(|| {
    let mut kinds = HashMap::new();
    for (_, oid, kind) in module::ALL.iter().flat_map(|module| names(module)) {
        kinds.entry(oid).or_insert(kind);
    }
    kinds
});

fn by_name(name: &str) -> Option<(Vec<u32>, Kind)> {
    let node = NODES.iter().find(|(known, _)| *known == name).map(|(_, oid)| (oid.to_vec(), Kind::Node));
    node.or_else(|| {
        module::ALL.iter().find_map(|module| {
            names(module).find(|(known, _, _)| *known == name).map(|(_, oid, kind)| (oid, kind))
        })
    })
}

fn names(module: &'static Module) -> impl Iterator<Item = (&'static str, Vec<u32>, Kind)> {
    let nodes = module.nodes.iter().map(|node| (node.name, node.oid.to_vec(), Kind::Node));
    let scalars = module.scalars.iter().map(|scalar| (scalar.name, scalar.oid.to_vec(), Kind::Scalar));
    let notifications = module
        .notifications
        .iter()
        .map(|notification| (notification.name, notification.oid.to_vec(), Kind::Notification));
    let tables = module.tables.iter().flat_map(|table| {
        let entry = [table.oid, &[1]].concat();
        let columns = table.columns.iter().map({
            let entry = entry.clone();
            move |column| (column.name, [entry.as_slice(), &[column.id]].concat(), Kind::Column)
        });
        [(table.name, table.oid.to_vec(), Kind::Node), (table.entry, entry, Kind::Node)]
            .into_iter()
            .chain(columns)
    });
    nodes.chain(scalars).chain(notifications).chain(tables)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_all_forms_are_numbers() {
        for (text, expected) in [
            (".1.3.6.1", "1.3.6.1"),
            ("1.3.6.1.2.1.1.5.0", "1.3.6.1.2.1.1.5.0"),
            ("system", "1.3.6.1.2.1.1"),
            (".iso.org.dod.internet.mgmt.mib-2.system", "1.3.6.1.2.1.1"),
            ("iso.3.6.1", "1.3.6.1"),
            ("enterprises.2021.10", "1.3.6.1.4.1.2021.10"),
            ("SNMPv2-MIB::sysDescr.0", "1.3.6.1.2.1.1.1.0"),
            ("ifOperStatus", "1.3.6.1.2.1.2.2.1.8"),
            ("IF-MIB::ifTable", "1.3.6.1.2.1.2.2"),
            ("linkDown", "1.3.6.1.6.3.1.1.5.3"),
            ("laErrorFlag.1", "1.3.6.1.4.1.2021.10.1.100.1"),
            (".1", "1"),
        ] {
            assert_eq!(parse(text).map(|oid| oid.to_string()), Ok(expected.to_string()), "{text}");
        }
        for wrong in ["", ".", "noSuchName", "1.3.6.1.4.system", "1.3.6.4294967296"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
        assert_eq!(kind(&parse("sysUpTime").unwrap()), Kind::Scalar);
        assert_eq!(kind(&parse("ifOperStatus").unwrap()), Kind::Column);
        assert_eq!(kind(&parse("system").unwrap()), Kind::Node);
    }
}
