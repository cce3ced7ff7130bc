//! A bridge that filters VLANs, from dumps in the form in which the kernel writes them (linux/if_bridge.h, if_link.h, neighbour.h): not
//! every kernel that tests run on has VLANs in bridges.

use std::path::Path;
use std::time::Instant;

use trunkline_host::decode::push_netlink_attribute as push;
use trunkline_host::{HostOptions, SourceRoot};
use trunkline_smi::module::{bridge_mib as mib, q_bridge_mib as q_mib};
use trunkline_smi::schema::Table;
use trunkline_tree::Snapshot;

use crate::flat::{load_group, table_lines};

/// A message with its header.
fn message(kind: u16, body: &[u8]) -> Vec<u8> {
    let mut octets = (16 + body.len() as u32).to_ne_bytes().to_vec();
    octets.extend_from_slice(&kind.to_ne_bytes());
    octets.extend_from_slice(&[0; 10]);
    octets.extend_from_slice(body);
    octets.resize(octets.len().next_multiple_of(4), 0);
    octets
}

fn nested(attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut into = Vec::new();
    attributes.iter().for_each(|(kind, value)| push(&mut into, *kind, value));
    into
}

/// RTM_NEWLINK.
fn link(family: u8, index: u32, attributes: &[(u16, &[u8])]) -> Vec<u8> {
    let mut body = vec![family, 0, 1, 0];
    body.extend_from_slice(&index.to_ne_bytes());
    body.extend_from_slice(&1u32.to_ne_bytes()); // IFF_UP
    body.extend_from_slice(&[0; 4]);
    body.extend_from_slice(&nested(attributes));
    message(16, &body)
}

fn bridge(index: u32, name: &[u8], filters: bool) -> Vec<u8> {
    let data = nested(&[
        (4, &30_000u32.to_ne_bytes()), // IFLA_BR_AGEING_TIME
        (7, &[u8::from(filters)]),     // IFLA_BR_VLAN_FILTERING
    ]);
    let info = nested(&[(1, b"bridge\0"), (2, &data)]);
    link(0, index, &[(3, name), (1, &[2, 0, 0, 0, 0, index as u8]), (18, &info)])
}

fn port(index: u32, bridge: u32, number: u16) -> Vec<u8> {
    // IFLA_BRPORT_STATE, PRIORITY, COST, NO.
    let data = nested(&[
        (1, &[3]),
        (2, &32u16.to_ne_bytes()),
        (3, &100_000u32.to_ne_bytes()),
        (18, &number.to_ne_bytes()),
    ]);
    let info = nested(&[(1, b"veth\0"), (4, b"bridge\0"), (5, &data)]);
    link(0, index, &[(3, b"port\0"), (10, &bridge.to_ne_bytes()), (18, &info)])
}

/// RTM_NEWLINK of AF_BRIDGE with flags and numbers of VLANs.
fn vlans(index: u32, list: &[(u16, u16)]) -> Vec<u8> {
    let values: Vec<Vec<u8>> =
        list.iter().map(|(flags, id)| [flags.to_ne_bytes(), id.to_ne_bytes()].concat()).collect();
    let spec: Vec<(u16, &[u8])> = values.iter().map(|value| (2, &value[..])).collect();
    link(7, index, &[(26, &nested(&spec))])
}

/// RTM_NEWNEIGH of AF_BRIDGE.
fn address(bridge: u32, interface: u32, state: u16, last: u8, vlan: u16) -> Vec<u8> {
    let mut body = vec![7, 0, 0, 0];
    body.extend_from_slice(&interface.to_ne_bytes());
    body.extend_from_slice(&state.to_ne_bytes());
    body.extend_from_slice(&[0, 0]);
    let mut attributes = nested(&[(2, &[2, 0, 0, 0, 0, last]), (9, &bridge.to_ne_bytes())]);
    if vlan != 0 {
        push(&mut attributes, 5, &vlan.to_ne_bytes());
    }
    body.extend_from_slice(&attributes);
    message(28, &body)
}

/// Two bridges: br0 with the ports 1, 2 and 10, and an older one, which filters nothing.
fn recording(folder: &Path) {
    let netlink = folder.join("netlink");
    std::fs::create_dir(&netlink).unwrap();
    let write =
        |file: &str, messages: &[Vec<u8>]| std::fs::write(netlink.join(file), messages.concat()).unwrap();
    let links = [
        bridge(8, b"br0\0", true),
        bridge(9, b"br1\0", false),
        port(3, 8, 1),
        port(4, 8, 10),
        port(5, 8, 2),
        port(6, 9, 1),
    ];
    write("links.bin", &links);
    let (pvid, untagged, begin, end) = (2, 4, 8, 16);
    write(
        "bridge_vlans.bin",
        &[
            vlans(8, &[(pvid | untagged, 1), (0, 99)]),
            vlans(3, &[(pvid | untagged, 1), (begin, 20), (end, 21)]),
            vlans(4, &[(untagged, 1), (pvid | untagged, 20)]),
            vlans(5, &[(0, 20)]),
            vlans(6, &[(pvid | untagged, 4000)]),
        ],
    );
    write(
        "bridge_addresses.bin",
        &[
            address(8, 3, 2, 1, 20),
            address(8, 5, 2, 1, 1),
            address(8, 4, 0x80, 4, 20),
            address(8, 4, 0x80, 4, 0),
            address(8, 8, 0x80, 8, 1),
            address(8, 5, 0x40, 5, 20),
            address(9, 6, 2, 6, 0),
        ],
    );
}

fn check(snapshot: &Snapshot, table: &Table, expected: &[&str]) {
    let lines = table_lines(snapshot, table);
    assert_eq!(lines, expected, "{}: {lines:#?}", table.name);
}

#[test]
fn a_recorded_bridge_has_vlans_and_addresses_in_each() {
    let folder = tempfile::tempdir().unwrap();
    recording(folder.path());
    let options = HostOptions::new(SourceRoot::recording(folder.path()), Instant::now());
    let base = load_group(&options, "bridge");
    check(&base, &mib::DOT1D_BASE_PORT_TABLE, &["1 1 3 0.0 0", "2 2 5 0.0 0", "10 10 4 0.0 0"]);
    // The cost has more than 16 bits.
    let costs: Vec<String> = table_lines(&base, &mib::DOT1D_STP_PORT_TABLE);
    assert!(costs.iter().all(|line| line.contains(" 5 1 65535 ") && line.ends_with(" 100000")), "{costs:#?}");
    let vlans = load_group(&options, "bridge-vlans");
    check(
        &vlans,
        &q_mib::DOT1Q_VLAN_CURRENT_TABLE,
        // Port 1 is the highest bit, port 10 the second highest of the second octet.
        &["0.1 1 8040 8040 2 0", "0.20 20 c040 0040 2 0", "0.21 21 8000 0000 2 0", "0.99 99 0000 0000 2 0"],
    );
    check(
        &vlans,
        &q_mib::DOT1Q_VLAN_STATIC_TABLE,
        &[
            "1 \"\" 8040 0000 8040 1",
            "20 \"\" c040 0000 0040 1",
            "21 \"\" 8000 0000 0000 1",
            "99 \"\" 0000 0000 0000 1",
        ],
    );
    // Port 2 has no VLAN for frames without a tag, and takes none.
    check(
        &vlans,
        &q_mib::DOT1Q_PORT_VLAN_TABLE,
        &["1 1 1 1 2 0 000000000000 2", "2 - 2 1 2 0 000000000000 2", "10 20 1 1 2 0 000000000000 2"],
    );
    let addresses = load_group(&options, "bridge-addresses");
    check(
        &addresses,
        &mib::DOT1D_TP_FDB_TABLE,
        &[
            "2.0.0.0.0.1 020000000001 2 3",
            "2.0.0.0.0.4 020000000004 10 4",
            "2.0.0.0.0.5 020000000005 2 5",
            "2.0.0.0.0.8 020000000008 0 4",
        ],
    );
    check(
        &addresses,
        &q_mib::DOT1Q_TP_FDB_TABLE,
        &[
            "1.2.0.0.0.0.1 2 3",
            "1.2.0.0.0.0.8 0 4",
            "20.2.0.0.0.0.1 1 3",
            "20.2.0.0.0.0.4 10 4",
            "20.2.0.0.0.0.5 2 5",
        ],
    );
    check(&addresses, &q_mib::DOT1Q_FDB_TABLE, &["1 1", "20 1", "21 0", "99 0"]);
}
