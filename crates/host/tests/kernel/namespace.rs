//! A private network namespace for a test: the test runs again as a child process inside of it.

use std::io::Write;
use std::net::UdpSocket;
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Instant;

use serde_json::Value as Json;
use trunkline_host::HostOptions;
use trunkline_smi::schema::{Scalar, Table};
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Loaded, Provider, ScalarCell, Snapshot};

/// Runs `body` in a namespace of its own with a /sys of its own. `test` is the test's whole name.
/// Where no namespace can be made (no root, and none for users) this says so and leaves the test out.
pub fn isolated(test: &str, body: fn()) {
    const INSIDE: &str = "TRUNKLINE_TEST_NAMESPACE";
    if std::env::var_os(INSIDE).is_some() {
        return body();
    }
    if !unshare().arg("true").status().is_ok_and(|status| status.success()) {
        eprintln!("left out: {test}: no network namespace can be made here");
        return;
    }
    let program = std::env::current_exe().unwrap();
    let status = unshare()
        .args(["sh", "-c", "mount -t sysfs sysfs /sys 2>/dev/null; ip link set lo up && exec \"$0\" \"$@\""])
        .arg(program)
        .args(["--exact", test, "--nocapture"])
        .env(INSIDE, "1")
        .status()
        .unwrap();
    assert!(status.success(), "{test} failed in its namespace");
}

fn unshare() -> Command {
    let mut command = Command::new("unshare");
    command.args(["--net", "--mount", "--map-root-user"]);
    command
}

/// `ip ARGS`, which must succeed.
pub fn ip(arguments: &str) {
    assert!(try_ip(arguments), "ip {arguments}");
}

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

/// What `ip -j ARGS` prints.
pub fn ip_json(arguments: &str) -> Vec<Json> {
    let output = Command::new("ip").args(["-j", "-d"]).args(arguments.split_whitespace()).output().unwrap();
    assert!(output.status.success(), "ip -j {arguments}");
    let parsed: Json = serde_json::from_slice(&output.stdout).unwrap();
    parsed
        .as_array()
        .unwrap()
        .iter()
        .filter(|item| item.as_object().is_some_and(|o| !o.is_empty()))
        .cloned()
        .collect()
}

/// A veth pair `near` and `far`; what is sent to 192.0.2.0/24 goes out of `near` and comes in at `far`.
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
        other => panic!("{other:?} is no number"),
    }
}
