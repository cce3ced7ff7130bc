//! A machine whose figures do not change.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, Message, Pdu, PduKind, VarBind, Version};

use crate::support::{Agent, answer_next};

/// A machine: two interfaces, one of which should be up and is not; memory, a disk of 4 TiB, a pseudo file system.
pub fn machine() -> BTreeMap<Oid, Value> {
    let oid = |text: &str| text.parse::<Oid>().unwrap();
    let mut tree = BTreeMap::from([
        (oid("1.3.6.1.2.1.1.1.0"), Value::text("Linux r1 6.1\n")),
        (oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(8_640_123)),
        (oid("1.3.6.1.2.1.1.5.0"), Value::text("r1")),
        (oid("1.3.6.1.2.1.4.3.0"), Value::Counter32(1001)),
        (oid("1.3.6.1.2.1.4.10.0"), Value::Counter32(1002)),
        (oid("1.3.6.1.2.1.25.1.6.0"), Value::Unsigned32(33)),
        (oid("1.3.6.1.4.1.2021.10.1.3.1"), Value::text("0.42")),
    ]);
    for (index, name, oper) in [(1, "lo", 1), (2, "eth0", 2)] {
        let mut put = |column: u32, value| {
            tree.insert(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column, index]), value);
        };
        put(2, Value::text(name));
        put(7, Value::Integer(1));
        put(8, Value::Integer(oper));
        for (column, count) in [(10, 1024), (11, 10), (12, 1), (16, 2048), (17, 20), (18, 2)] {
            put(column, Value::Counter32(count * index));
        }
    }
    let areas = [
        (1, 2, "Physical memory", 1024, 1000, 328),
        (6, 1, "Memory buffers", 1024, 1000, 1),
        (31, 4, "/", 4096, 1 << 30, 123_456_789),
        (32, 4, "/proc", 4096, 0, 0),
        (33, 4, "/big", 65_536, -2_000_000_000, 1_999_999_999),
    ];
    for (index, kind, name, units, size, used) in areas {
        let mut put = |column: u32, value| {
            tree.insert(Oid::from([1, 3, 6, 1, 2, 1, 25, 2, 3, 1, column, index]), value);
        };
        put(1, Value::Integer(i32::try_from(index).unwrap()));
        put(2, Value::ObjectIdentifier(Oid::from([1, 3, 6, 1, 2, 1, 25, 2, 1, kind])));
        put(3, Value::text(name));
        put(4, Value::Integer(units));
        put(5, Value::Integer(size));
        put(6, Value::Integer(used));
    }
    let disk = [
        (1, Value::Integer(1)),
        (2, Value::text("/data")),
        (6, Value::Integer(i32::MAX)),
        (8, Value::Integer(i32::MAX)),
    ];
    let wide =
        [(11, 7), (12, 1), (15, 5), (16, 0)].map(|(column, number)| (column, Value::Unsigned32(number)));
    for (column, value) in disk.into_iter().chain(wide) {
        tree.insert(Oid::from([1, 3, 6, 1, 4, 1, 2021, 9, 1, column, 1]), value);
    }
    tree
}

/// The same over SNMPv1: a Get of something that is missing is refused as a whole.
pub fn old_machine() -> Agent {
    let tree = machine();
    Agent::new(move |request| Some(answer_in_v1(&tree, &request)))
}

fn answer_in_v1(tree: &BTreeMap<Oid, Value>, request: &Message) -> Pdu {
    assert_eq!(request.version, Version::V1);
    let find = |name: &Oid| match request.pdu.kind {
        PduKind::Get => tree.get_key_value(name),
        _ => tree.iter().find(|(oid, _)| *oid > name),
    };
    let names = request.pdu.bindings.iter().map(|binding| &binding.name);
    match names.clone().position(|name| find(name).is_none()) {
        Some(missing) => Pdu {
            error_status: 2,
            error_index: i32::try_from(missing + 1).unwrap(),
            ..Pdu::new(PduKind::Response, 0, request.pdu.bindings.clone())
        },
        None => answer_next(request, |name| match find(name) {
            Some((oid, value)) => VarBind::new(oid.clone(), value.clone()),
            None => VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) },
        }),
    }
}
