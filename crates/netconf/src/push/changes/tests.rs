//! Changes between two states, as edits.

use std::collections::BTreeMap;

use proptest::prelude::*;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

use super::*;
use crate::document::{Document, limits};
use crate::subtree;

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
}

/// An interface: name, description, octets that it has received, addresses.
type Row = (String, Option<String>, u32, Vec<String>);

/// Instances of `interfaces`.
fn instances(forest: &Forest, rows: &[Row]) -> Instances {
    let mut all = Instances::new();
    let interfaces = forest.child_of(None, "ietf-interfaces", "interfaces").unwrap();
    let interface = forest.child(Some(interfaces), "interface").unwrap();
    let child = |of: NodeId, name: &str| forest.child(Some(of), name).unwrap();
    if rows.is_empty() {
        return all;
    }
    all.open(interfaces);
    for (name, description, octets, addresses) in rows {
        all.open(interface);
        all.leaf(child(interface, "name"), name);
        if let Some(description) = description {
            all.leaf(child(interface, "description"), description);
        }
        let statistics = child(interface, "statistics");
        all.open(statistics);
        all.leaf(child(statistics, "in-octets"), &octets.to_string());
        all.close();
        if !addresses.is_empty() {
            let ipv4 = child(interface, "ipv4");
            let address = child(ipv4, "address");
            all.open(ipv4);
            for ip in addresses {
                all.open(address);
                all.leaf(child(address, "ip"), ip);
                all.leaf(child(address, "prefix-length"), "24");
                all.close();
            }
            all.close();
        }
        all.close();
    }
    all.close();
    all
}

fn row(name: &str, description: &str, octets: u32, addresses: &[&str]) -> Row {
    let description = (!description.is_empty()).then(|| description.to_owned());
    (name.to_owned(), description, octets, addresses.iter().map(|it| (*it).to_owned()).collect())
}

fn told(forest: &Forest, before: &Instances, after: &Instances, excluded: Excluded) -> Vec<String> {
    edits(forest, before, after, excluded)
        .into_iter()
        .map(|edit| {
            let of = if edit.operation == Operation::Delete { before } else { after };
            let mut path = String::new();
            target(forest, of, edit.of, &mut path);
            format!("{} {path}", edit.operation.name())
        })
        .collect()
}

#[test]
fn changes_are_edits_of_the_outermost_nodes() {
    let forest = forest();
    let of = |rows: &[Row]| instances(&forest, rows);
    let entry = |rest: &str| format!("/ietf-interfaces:interfaces/interface={rest}");
    let before = of(&[row("lo", "", 1, &[]), row("eth0", "one", 5, &["192.0.2.1", "192.0.2.2"])]);
    for (after, expected) in [
        (vec![row("lo", "", 1, &[]), row("eth0", "one", 5, &["192.0.2.1", "192.0.2.2"])], vec![]),
        // Counters are not notified.
        (vec![row("lo", "", 2, &[]), row("eth0", "one", 6, &["192.0.2.1", "192.0.2.2"])], vec![]),
        // Nor is the order of entries that have none.
        (vec![row("eth0", "one", 5, &["192.0.2.2", "192.0.2.1"]), row("lo", "", 1, &[])], vec![]),
        (
            vec![row("lo", "new", 1, &[]), row("eth0", "two", 5, &["192.0.2.1", "192.0.2.2"])],
            vec![
                format!("create {}", entry("lo/description")),
                format!("replace {}", entry("eth0/description")),
            ],
        ),
        (
            vec![row("eth0", "", 5, &["192.0.2.2", "192.0.2.3"]), row("a/b,c", "", 1, &[])],
            vec![
                // What is in both comes before what came and went.
                format!("delete {}", entry("eth0/ietf-ip:ipv4/address=192.0.2.1")),
                format!("create {}", entry("eth0/ietf-ip:ipv4/address=192.0.2.3")),
                format!("delete {}", entry("eth0/description")),
                format!("delete {}", entry("lo")),
                format!("create {}", entry("a%2Fb%2Cc")),
            ],
        ),
        (vec![], vec!["delete /ietf-interfaces:interfaces".to_owned()]),
    ] {
        assert_eq!(told(&forest, &before, &of(&after), Excluded::default()), expected, "{after:?}");
    }
    let all = told(&forest, &Instances::new(), &before, Excluded::default());
    assert_eq!(all, ["create /ietf-interfaces:interfaces"]);
    let after = of(&[row("eth0", "two", 5, &["192.0.2.1"])]);
    for (excluded, count) in [
        (vec![], 3),
        (vec![Operation::Delete], 1),
        (vec![Operation::Replace], 2),
        (vec![Operation::Create, Operation::Move], 3),
        (vec![Operation::Delete, Operation::Replace], 0),
    ] {
        assert_eq!(
            told(&forest, &before, &after, Excluded::of(excluded.clone())).len(),
            count,
            "{excluded:?}"
        );
    }
}

#[test]
fn an_update_of_changes_is_written() {
    let forest = forest();
    let before = instances(&forest, &[row("lo", "", 1, &[])]);
    let after = instances(&forest, &[row("eth0", "<a>", 1, &[])]);
    let all = edits(&forest, &before, &after, Excluded::default());
    let write = |most: usize| {
        let mut written = Vec::new();
        let mut writer = ChangeWriter::begin(&forest, Vec::new(), (7, 3), (&before, &after), all.clone());
        while writer.fill(most) {
            written.append(writer.octets());
        }
        written.append(writer.octets());
        String::from_utf8(written).unwrap()
    };
    // In pieces of any length.
    let whole = write(usize::MAX);
    assert!((1..400).all(|most| write(most) == whole));
    assert_eq!(
        whole,
        "<push-change-update xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-push\"><id>7</id><datastore-changes><yang-patch>\
         <patch-id>3</patch-id><edit><edit-id>edit1</edit-id><operation>delete</operation>\
         <target>/ietf-interfaces:interfaces/interface=lo</target></edit>\
         <edit><edit-id>edit2</edit-id><operation>create</operation>\
         <target>/ietf-interfaces:interfaces/interface=eth0</target><value>\
         <interface xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><name>eth0</name><description>&lt;a&gt;</description>\
         <statistics><in-octets>1</in-octets></statistics></interface></value></edit></yang-patch></datastore-changes>\
         </push-change-update>"
    );
}

#[test]
fn what_counts_is_not_notified() {
    let forest = forest();
    for (filter, expected) in [
        ("<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'/>", true),
        (
            "<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><oper-status/></interface></interfaces>",
            true,
        ),
        (
            "<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><statistics/></interface></interfaces>",
            false,
        ),
        (
            "<netconf xmlns='urn:trunkline:yang:netconf'><network><interfaces><iface><in-octets/></iface></interfaces></network></netconf>",
            false,
        ),
        ("<IF-MIB><ifTable><ifEntry><ifInOctets/></ifEntry></ifTable></IF-MIB>", false),
        ("<IF-MIB><ifTable><ifEntry><ifInOctets/><ifMtu/></ifEntry></ifTable></IF-MIB>", true),
        // Entries come and go.
        ("<IF-MIB><ifTable><ifEntry/></ifTable></IF-MIB>", true),
        ("<SNMPv2-MIB><system><sysUpTime/></system></SNMPv2-MIB>", false),
        ("<IF-MIB><interfaces><ifNumber/></interfaces></IF-MIB>", true),
    ] {
        let text = format!("<filter>{filter}</filter>");
        let document = Document::read(text.as_bytes(), limits(10_000)).unwrap();
        let selection = subtree::compile(document.root(), &forest).unwrap();
        assert_eq!(is_noticed(&forest, &selection), expected, "{filter}");
    }
}

/// What a subscriber knows: leaves by their paths. Applies edits as a subscriber does.
fn known(forest: &Forest, instances: &Instances, id: InstanceId, leaves: &mut BTreeMap<String, String>) {
    for id in instances.below(id).chain([id]) {
        let Some(node) = instances.node(id) else { continue };
        if forest[node].place.syntax().is_some() && !counts(forest, node) {
            let mut path = String::new();
            target(forest, instances, id, &mut path);
            leaves.insert(path, instances.value(id).to_owned());
        }
    }
}

proptest! {
    /// Whoever applies all edits to the state before has the state after.
    #[test]
    fn edits_make_the_state_after_of_the_one_before(before in rows(), after in rows()) {
        let forest = forest();
        let (before, after) = (instances(&forest, &before), instances(&forest, &after));
        let (mut mine, mut theirs) = (BTreeMap::new(), BTreeMap::new());
        known(&forest, &before, Instances::ROOT, &mut mine);
        known(&forest, &after, Instances::ROOT, &mut theirs);
        for edit in edits(&forest, &before, &after, Excluded::default()) {
            let mut path = String::new();
            if edit.operation == Operation::Delete {
                target(&forest, &before, edit.of, &mut path);
                let within = format!("{path}/");
                mine.retain(|leaf, _| *leaf != path && !leaf.starts_with(&within));
            } else {
                known(&forest, &after, edit.of, &mut mine);
            }
        }
        prop_assert_eq!(mine, theirs);
    }
}

fn rows() -> impl Strategy<Value = Vec<Row>> {
    let address = (0_u8..4).prop_map(|last| format!("192.0.2.{last}"));
    let addresses = proptest::collection::btree_set(address, 0..3).prop_map(|all| all.into_iter().collect());
    let row = (proptest::option::of("[a-b]{0,2}"), 0_u32..3, addresses);
    proptest::collection::hash_map("[a-c/,]{1,2}", row, 0..5).prop_map(
        |rows: std::collections::HashMap<_, _>| {
            rows.into_iter()
                .map(|(name, (description, octets, addresses))| (name, description, octets, addresses))
                .collect()
        },
    )
}
