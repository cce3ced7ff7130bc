//! A private network namespace for a test: the test runs again as a child process inside it.

use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use trunkline_host::HostOptions;
use trunkline_smi::schema::{Scalar, Table};
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Loaded, Provider, ScalarCell, Snapshot};

pub use trunkline_testkit::namespace::{ip, ip_json, isolated};

/// Whether `ip ARGS` succeeded.
pub fn try_ip(arguments: &str) -> bool {
    Command::new("ip").args(arguments.split_whitespace()).status().unwrap().success()
}

/// Commands of `ip`, one a line, all of which must succeed.
pub fn ip_batch(commands: &str) {
    let mut child = Command::new("ip").args(["-batch", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(commands.as_bytes()).unwrap();
    assert!(child.wait().unwrap().success(), "ip -batch");
}

/// A veth pair `near` and `far`; traffic to 192.0.2.0/24 leaves through `near` and arrives at `far`.
pub fn pair() {
    ip("link add near type veth peer name far");
    ip("link set near up");
    ip("link set far up");
    ip("address add 192.0.2.1/24 dev near");
    ip("neighbour add 192.0.2.2 lladdr 02:00:00:00:00:02 dev near");
}

/// Sends datagrams through the pair.
pub fn traffic(datagrams: usize) {
    let socket = UdpSocket::bind("192.0.2.1:0").unwrap();
    for _ in 0..datagrams {
        socket.send_to(&[7; 100], "192.0.2.2:9").unwrap();
    }
}

/// The provider of a group.
pub fn provider(options: &HostOptions, group: &str) -> Arc<dyn Provider> {
    trunkline_host::providers(options).into_iter().find(|provider| provider.group().name == group).unwrap()
}

/// What a provider of this machine, started now, loads.
pub fn load(group: &str) -> Snapshot {
    load_with(&HostOptions::host(Instant::now()), group)
}

/// What a provider with these options loads.
pub fn load_with(options: &HostOptions, group: &str) -> Snapshot {
    match provider(options, group).load(None).unwrap() {
        Loaded::Snapshot(snapshot) => snapshot,
        Loaded::Unchanged => panic!("{group}: unchanged without a previous snapshot"),
    }
}

/// A cell of a row, by the name of the column.
pub fn cell<'s>(snapshot: &'s Snapshot, table: &Table, index: &[u32], column: &str) -> Option<ValueRef<'s>> {
    let id = table.columns.iter().find(|found| found.name == column).unwrap().id;
    let data = snapshot.table(table).unwrap();
    data.get(data.index().find(index)?, id)
}

/// A scalar's value.
pub fn scalar(snapshot: &Snapshot, scalar: &Scalar) -> Option<Value> {
    match snapshot.scalar(scalar)? {
        ScalarCell::Value(value) => Some(value.clone()),
        ScalarCell::Live(_) => None,
    }
}

/// The index of an interface.
pub fn index_of(name: &str) -> u32 {
    let shown = ip_json(&format!("link show dev {name}"));
    shown[0]["ifindex"].as_u64().unwrap() as u32
}

/// The number in a cell.
#[track_caller]
pub fn number(value: Option<ValueRef<'_>>) -> u64 {
    match value {
        Some(ValueRef::Integer(v)) => v as u64,
        Some(ValueRef::Counter32(v) | ValueRef::Unsigned32(v) | ValueRef::TimeTicks(v)) => v.into(),
        Some(ValueRef::Counter64(v)) => v,
        other => panic!("{other:?} is not a number"),
    }
}
