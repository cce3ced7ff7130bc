//! A machine with a network whose figures do not change.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};

/// What the machine is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tables {
    /// The tables of both families, and the old ones.
    Present,
    /// The old ones only, as RFC 1213 has them.
    Old,
}

const V4: [u32; 6] = [1, 4, 192, 0, 2, 1];
const LOOPBACK: [u32; 6] = [1, 4, 127, 0, 0, 1];
const V6: [u32; 18] = [2, 16, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1];
const V6_OTHER: [u32; 18] = [2, 16, 0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2];
const ANY_V4: [u32; 6] = [1, 4, 0, 0, 0, 0];
const ANY_V6: [u32; 18] = [2, 16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
const NONE: [u32; 2] = [0, 0];

/// Two interfaces, connections, listeners, routes and counters.
pub fn network(tables: Tables) -> BTreeMap<Oid, Value> {
    let mut tree = BTreeMap::from([(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(8_640_123))]);
    let mut put = |column: &[u32], index: &[&[u32]], value: Value| {
        let index = index.concat();
        tree.insert(Oid::from([1, 3, 6, 1, 2, 1]).child(column).child(&index), value);
    };
    interfaces(&mut put);
    old_tables(&mut put);
    if tables == Tables::Present {
        sockets(&mut put);
        routes(&mut put);
        put(&[31, 1, 1, 1, 1], &[&[1]], Value::text("lo"));
        put(&[31, 1, 1, 1, 1], &[&[2]], Value::text("eth0"));
        put(&[31, 1, 1, 1, 6], &[&[2]], Value::Counter64(1 << 40));
        put(&[4, 34, 1, 3], &[&V4], Value::Integer(2));
        put(&[4, 34, 1, 3], &[&V6], Value::Integer(2));
        for (address, prefix) in [(&V4[..], 24), (&V6, 64)] {
            let row = Oid::from([1, 3, 6, 1, 2, 1, 4, 32, 1, 5, 2]).child(address).child(&[prefix]);
            put(&[4, 34, 1, 5], &[address], Value::ObjectIdentifier(row));
        }
        for (column, count) in (3..=33).zip(1000_u32..) {
            for version in [1, 2] {
                put(&[4, 31, 1, 1, column], &[&[version]], Value::Counter32(count * version));
            }
        }
        for column in 2..=5 {
            put(&[5, 29, 1, column], &[&[1]], Value::Counter32(column));
        }
        put(&[5, 30, 1, 3], &[&[1, 3]], Value::Counter32(7));
        put(&[5, 30, 1, 4], &[&[1, 3]], Value::Counter32(8));
    }
    tree
}

type Put<'p> = &'p mut dyn FnMut(&[u32], &[&[u32]], Value);

fn interfaces(put: Put<'_>) {
    put(&[2, 1], &[&[0]], Value::Integer(2));
    for (index, name, oper) in [(1, "lo", 1), (2, "eth0", 2)] {
        let row = [&[index][..]];
        put(&[2, 2, 1, 1], &row, Value::Integer(index.cast_signed()));
        put(&[2, 2, 1, 2], &row, Value::text(name));
        put(&[2, 2, 1, 3], &row, Value::Integer(6));
        put(&[2, 2, 1, 4], &row, Value::Integer(1500));
        put(&[2, 2, 1, 7], &row, Value::Integer(1));
        put(&[2, 2, 1, 8], &row, Value::Integer(oper));
        for (column, count) in
            [(10, 1024), (11, 10), (12, 1), (13, 4), (14, 3), (16, 2048), (17, 20), (18, 2), (19, 6), (20, 5)]
        {
            put(&[2, 2, 1, column], &row, Value::Counter32(count * index));
        }
        put(&[2, 2, 1, 21], &row, Value::Unsigned32(0));
    }
    for (address, index, mask) in
        [([127, 0, 0, 1], 1, [255, 0, 0, 0]), ([192, 0, 2, 1], 2, [255, 255, 255, 0])]
    {
        let row = address.map(u32::from);
        put(&[4, 20, 1, 1], &[&row], Value::IpAddress(address));
        put(&[4, 20, 1, 2], &[&row], Value::Integer(index));
        put(&[4, 20, 1, 3], &[&row], Value::IpAddress(mask));
    }
}

fn old_tables(put: Put<'_>) {
    let connection = [127, 0, 0, 1, 5000, 127, 0, 0, 1, 80];
    put(&[6, 13, 1, 1], &[&[0, 0, 0, 0, 22, 0, 0, 0, 0, 0]], Value::Integer(2));
    put(&[6, 13, 1, 1], &[&connection], Value::Integer(11));
    put(&[7, 5, 1, 1], &[&[0, 0, 0, 0, 161]], Value::IpAddress([0; 4]));
    put(&[7, 5, 1, 2], &[&[0, 0, 0, 0, 161]], Value::Integer(161));
    let routes =
        [([0; 4], [192, 0, 2, 9], 4, [0; 4]), ([192, 0, 2, 0], [192, 0, 2, 1], 3, [255, 255, 255, 0])];
    for (destination, hop, kind, mask) in routes {
        let row = destination.map(u32::from);
        put(&[4, 21, 1, 1], &[&row], Value::IpAddress(destination));
        put(&[4, 21, 1, 2], &[&row], Value::Integer(2));
        put(&[4, 21, 1, 3], &[&row], Value::Integer(-1));
        put(&[4, 21, 1, 7], &[&row], Value::IpAddress(hop));
        put(&[4, 21, 1, 8], &[&row], Value::Integer(kind));
        put(&[4, 21, 1, 9], &[&row], Value::Integer(2));
        put(&[4, 21, 1, 11], &[&row], Value::IpAddress(mask));
    }
    for (group, last) in [(4, 19), (5, 26), (6, 15), (7, 4)] {
        for column in (1..=last).filter(|column| *column != 13 || group == 5) {
            put(&[group, column], &[&[0]], Value::Counter32(group * 100 + column));
        }
    }
}

fn sockets(put: Put<'_>) {
    let connections = [
        (&LOOPBACK[..], 5000, &LOOPBACK[..], 80, 5, 77),
        (&V4, 22, &V4, 40_000, 8, 0),
        (&V6, 443, &V6_OTHER, 50_000, 11, 78),
    ];
    for (local, port, remote, other, state, process) in connections {
        let row = [local, &[port], remote, &[other]];
        put(&[6, 19, 1, 7], &row, Value::Integer(state));
        put(&[6, 19, 1, 8], &row, Value::Unsigned32(process));
    }
    for (local, port, process) in [(&ANY_V4[..], 22, 1), (&ANY_V6, 80, 79)] {
        put(&[6, 20, 1, 4], &[local, &[port]], Value::Unsigned32(process));
    }
    put(&[7, 7, 1, 8], &[&ANY_V4, &[161], &ANY_V4, &[0, 1]], Value::Unsigned32(80));
    put(&[7, 7, 1, 8], &[&V6, &[53], &V6_OTHER, &[5353, 1]], Value::Unsigned32(0));
}

fn routes(put: Put<'_>) {
    let hop = [1, 4, 192, 0, 2, 9];
    let policy = [2, 0, 0];
    let net = [1, 4, 192, 0, 2, 0];
    let hole = [1, 4, 10, 0, 0, 0];
    let routes = [
        (&ANY_V4[..], 0, &hop[..], 2, 4, 3, 0),
        (&net, 24, &ANY_V4, 2, 3, 2, 0),
        (&LOOPBACK, 32, &NONE, 1, 3, 2, 0),
        (&hole, 8, &NONE, 0, 5, 3, 20),
        (&ANY_V6, 0, &V6_OTHER, 2, 4, 3, 1024),
        (&V6, 128, &ANY_V6, 2, 3, 2, -1),
    ];
    for (destination, prefix, hop, interface, kind, protocol, metric) in routes {
        let row = [destination, &[prefix], &policy, hop];
        for (column, value) in [(7, interface), (8, kind), (9, protocol), (12, metric), (17, 1)] {
            put(&[4, 24, 7, 1, column], &row, Value::Integer(value));
        }
    }
}
