//! Rows that both agents have under different indexes, paired so that their values can be compared.
//!
//! snmpd deviates from RFC 4001 and RFC 4292 in a few indexes: link-local addresses without their zone, zeros for an
//! address that is unknown, and a policy that counts routes. Its rows get the names under which we serve them; a row
//! that we do not have keeps its name, and so is reported as missing.

use std::collections::{BTreeMap, BTreeSet};

use trunkline_smi::{Oid, Value};

use super::walked::Instances;

/// A part of an index.
#[derive(Clone, Copy)]
enum Part {
    /// A number.
    Number,
    /// InetAddressType and InetAddress: the zone does not count, and an address of zeros is an unknown one.
    Address,
    /// InetAddressType and InetAddress of a destination, for which zeros are a value.
    Destination,
    /// An object identifier that does not count.
    Policy,
}

/// A table with such indexes.
struct Keyed {
    entry: &'static [u32],
    parts: &'static [Part],
    /// The column with the interface, if it is not in the index: of rows that are equal without their zones,
    /// those of the same interface belong together.
    interface: Option<u32>,
}

const TABLES: &[Keyed] = &[
    // inetCidrRouteTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 4, 24, 7, 1],
        parts: &[Part::Destination, Part::Number, Part::Policy, Part::Address],
        interface: Some(7),
    },
    // ipAddressTable
    Keyed { entry: &[1, 3, 6, 1, 2, 1, 4, 34, 1], parts: &[Part::Destination], interface: Some(3) },
    // ipNetToPhysicalTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 4, 35, 1],
        parts: &[Part::Number, Part::Destination],
        interface: None,
    },
    // ipDefaultRouterTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 4, 37, 1],
        parts: &[Part::Destination, Part::Number],
        interface: None,
    },
    // tcpConnectionTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 6, 19, 1],
        parts: &[Part::Destination, Part::Number, Part::Destination, Part::Number],
        interface: None,
    },
    // tcpListenerTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 6, 20, 1],
        parts: &[Part::Destination, Part::Number],
        interface: None,
    },
    // udpEndpointTable
    Keyed {
        entry: &[1, 3, 6, 1, 2, 1, 7, 7, 1],
        parts: &[Part::Destination, Part::Number, Part::Address, Part::Number, Part::Number],
        interface: None,
    },
];

/// A row: its index, and the values of its columns.
type Rows<'a> = BTreeMap<&'a [u32], BTreeMap<u32, &'a Value>>;

/// Their instances by the names that ours have.
pub(super) fn paired(ours: &Instances, theirs: Instances) -> Instances {
    let mut names: BTreeMap<Oid, Oid> = BTreeMap::new();
    for table in TABLES {
        let (own, other) = (rows(table.entry, ours), rows(table.entry, &theirs));
        for (index, named) in pairs(table, &own, &other) {
            for column in other[index].keys() {
                let name = |index: &[u32]| Oid::from([]).child(&[table.entry, &[*column], index].concat());
                names.insert(name(index), name(named));
            }
        }
    }
    theirs.into_iter().map(|(name, value)| (names.remove(&name).unwrap_or(name), value)).collect()
}

fn rows<'a>(entry: &[u32], instances: &'a Instances) -> Rows<'a> {
    let mut rows = Rows::new();
    let from = Oid::from([]).child(entry);
    for (name, value) in instances.range(from..).take_while(|(name, _)| name.starts_with(entry)) {
        if let Some((column, index)) = name[entry.len()..].split_first() {
            rows.entry(index).or_default().insert(*column, value);
        }
    }
    rows
}

/// Their indexes, each with that of our row for the same thing, if the two differ.
fn pairs<'a>(table: &Keyed, ours: &Rows<'a>, theirs: &Rows<'a>) -> Vec<(&'a [u32], &'a [u32])> {
    let mut free: BTreeMap<Vec<u32>, BTreeSet<&'a [u32]>> = BTreeMap::new();
    for (index, row) in ours.iter().filter(|(index, _)| !theirs.contains_key(*index)) {
        if let Some(meaning) = meaning(table, index, row) {
            free.entry(meaning).or_default().insert(index);
        }
    }
    let mut found = Vec::new();
    for (index, row) in theirs.iter().filter(|(index, _)| !ours.contains_key(*index)) {
        let Some(candidates) = meaning(table, index, row).and_then(|meaning| free.get_mut(&meaning)) else {
            continue;
        };
        // Of several the one whose values agree most: a table of local routes beside the main one.
        let agreement = |candidate: &&&[u32]| {
            let own = &ours[**candidate];
            row.iter().filter(|(column, value)| own.get(*column) == Some(*value)).count()
        };
        let best = candidates.iter().rev().max_by_key(agreement).copied();
        if let Some(best) = best {
            candidates.remove(best);
            found.push((*index, best));
        }
    }
    found
}

/// The index without what does not count; none if it is malformed.
fn meaning(table: &Keyed, index: &[u32], row: &BTreeMap<u32, &Value>) -> Option<Vec<u32>> {
    let mut rest = index;
    let mut meaning = Vec::with_capacity(index.len());
    for part in table.parts {
        match part {
            Part::Number => meaning.push(take(&mut rest, 1)?[0]),
            Part::Policy => {
                let length = take(&mut rest, 1)?[0];
                take(&mut rest, length)?;
            }
            Part::Address | Part::Destination => {
                let head = take(&mut rest, 2)?;
                let octets = take(&mut rest, head[1])?;
                let (kind, octets) = match (head[0], octets) {
                    // ipv4z and ipv6z end with the zone.
                    (3, [octets @ .., _, _, _, _]) => (1, octets),
                    (4, [octets @ .., _, _, _, _]) => (2, octets),
                    (kind, octets) => (kind, octets),
                };
                let is_unknown = matches!(part, Part::Address) && octets.iter().all(|octet| *octet == 0);
                if is_unknown {
                    meaning.push(0);
                } else {
                    meaning.extend([kind, octets.len() as u32]);
                    meaning.extend_from_slice(octets);
                }
            }
        }
    }
    if let Some(column) = table.interface
        && let Some(Value::Integer(interface)) = row.get(&column)
    {
        meaning.push(interface.unsigned_abs());
    }
    rest.is_empty().then_some(meaning)
}

fn take<'a>(rest: &mut &'a [u32], count: u32) -> Option<&'a [u32]> {
    let (head, tail) = rest.split_at_checked(usize::try_from(count).ok()?)?;
    *rest = tail;
    Some(head)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn instances(list: &[(&str, i32)]) -> Instances {
        list.iter().map(|(name, value)| (name.parse().unwrap(), Value::Integer(*value))).collect()
    }

    fn names(instances: &Instances) -> Vec<String> {
        instances.keys().map(Oid::to_string).collect()
    }

    const LINK_LOCAL: &str = "254.128.0.0.0.0.0.0.0.0.0.0.0.0.0.1";

    #[test]
    fn a_link_local_address_belongs_to_its_interface() {
        let ours = |zone: u32| format!("1.3.6.1.2.1.4.34.1.3.4.20.{LINK_LOCAL}.0.0.0.{zone}");
        let theirs = format!("1.3.6.1.2.1.4.34.1.3.2.16.{LINK_LOCAL}");
        let own = instances(&[(&ours(2), 2), (&ours(3), 3)]);
        assert_eq!(names(&paired(&own, instances(&[(&theirs, 3)]))), [ours(3)]);
        // An interface that we do not have keeps its name.
        assert_eq!(names(&paired(&own, instances(&[(&theirs, 9)]))), [theirs]);
    }

    #[test]
    fn routes_are_paired_by_destination_next_hop_and_interface() {
        let route = |column: u32, policy: &str, hop: &str| {
            format!("1.3.6.1.2.1.4.24.7.1.{column}.1.4.192.0.2.0.24.{policy}.{hop}")
        };
        let zeros = "1.4.0.0.0.0";
        let own = instances(&[
            (&route(7, "2.0.0", "0.0"), 4),
            (&route(8, "2.0.0", "0.0"), 3),
            (&route(7, "6.0.0.255.0.4.0", "0.0"), 4),
            (&route(8, "6.0.0.255.0.4.0", "0.0"), 2),
        ]);
        // The same route in two tables: the values decide.
        let theirs = [(route(7, "3.0.0.4", zeros), 4), (route(8, "3.0.0.4", zeros), 3)];
        let other = instances(&theirs.each_ref().map(|(name, value)| (name.as_str(), *value)));
        assert_eq!(names(&paired(&own, other)), [route(7, "2.0.0", "0.0"), route(8, "2.0.0", "0.0")]);
        let elsewhere = route(7, "3.0.0.5", "1.4.192.0.2.9");
        assert_eq!(names(&paired(&own, instances(&[(&elsewhere, 4)]))), [elsewhere]);
        // The default route's destination is zeros, which is not an unknown address.
        let default = |policy: &str| format!("1.3.6.1.2.1.4.24.7.1.7.1.4.0.0.0.0.0.{policy}.1.4.192.0.2.1");
        let other = instances(&[(&default("3.0.0.1"), 4)]);
        assert_eq!(names(&paired(&instances(&[(&default("2.0.0"), 4)]), other)), [default("2.0.0")]);
    }

    #[test]
    fn an_unconnected_socket_has_an_unknown_remote_address() {
        let socket = |remote: &str| format!("1.3.6.1.2.1.7.7.1.8.1.4.127.0.0.1.161.{remote}.0.77");
        let own = instances(&[(&socket("0.0"), 1)]);
        assert_eq!(names(&paired(&own, instances(&[(&socket("1.4.0.0.0.0"), 1)]))), [socket("0.0")]);
        let connected = socket("1.4.127.0.0.2");
        assert_eq!(names(&paired(&own, instances(&[(&connected, 1)]))), [connected]);
    }

    #[test]
    fn malformed_indexes_keep_their_names() {
        for name in
            ["1.3.6.1.2.1.7.7.1.8", "1.3.6.1.2.1.7.7.1.8.1.4.127", "1.3.6.1.2.1.7.7.1.8.1.4294967295.1"]
        {
            let theirs = instances(&[(name, 1)]);
            assert_eq!(paired(&instances(&[("1.3.6.1.2.1.7.7.1.8.1", 1)]), theirs.clone()), theirs);
        }
    }
}
