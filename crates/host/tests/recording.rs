//! Interfaces, addresses, neighbours and routes of a recorded machine, which has one of each kind:
//! `tests/fixtures/router` holds netlink dumps and files of /proc and /sys as a kernel gave them,
//! and `rows.txt` what is to be served from them.
//!
//! To accept other rows after a look at them: `TRUNKLINE_RECORD=rows cargo test -p trunkline-host --test
//! recording`; to record the machine again, as root, the same with `TRUNKLINE_RECORD=machine` and ` -- --exact
//! the_recorded_machine_is_served_as_known`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::time::Instant;

use trunkline_host::{HostOptions, SourceRoot};
use trunkline_smi::display_oid;
use trunkline_smi::schema::Table;
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{Loaded, Provider, ScalarCell, Snapshot};

const GROUPS: &[&str] = &[
    "interfaces",
    "interface-receive-addresses",
    "ethernet",
    "ip",
    "ip-addresses",
    "ip-interfaces",
    "ip-interface-statistics",
    "ip-neighbours",
    "ip-routes",
    "ip-routes-legacy",
];

fn fixture() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/router")
}

fn rows_of(folder: &Path) -> String {
    let options = HostOptions::new(SourceRoot::recording(folder), Instant::now());
    let mut text = String::new();
    for provider in trunkline_host::providers(&options) {
        let group = provider.group();
        if !GROUPS.contains(&group.name) {
            continue;
        }
        let Loaded::Snapshot(snapshot) = provider.load(None).unwrap() else { continue };
        writeln!(text, "# {}", group.name).unwrap();
        write_scalars(&mut text, provider.as_ref(), &snapshot);
        group.tables.iter().for_each(|table| write_table(&mut text, table, &snapshot));
    }
    text
}

fn write_scalars(text: &mut String, provider: &dyn Provider, snapshot: &Snapshot) {
    for scalar in provider.group().scalars {
        if let Some(ScalarCell::Value(value)) = snapshot.scalar(scalar) {
            writeln!(text, "{} = {}", scalar.name, shown(value.as_value_ref())).unwrap();
        }
    }
}

fn write_table(text: &mut String, table: &Table, snapshot: &Snapshot) {
    let data = snapshot.table(table).unwrap();
    for row in 0..data.len() {
        write!(text, "{}.{}:", table.entry, display_oid(&data.index()[row])).unwrap();
        for column in table.columns {
            match data.get(row, column.id) {
                Some(value) => write!(text, " {}={}", column.id, shown(value)).unwrap(),
                None if column.access.is_readable() => write!(text, " {}=-", column.id).unwrap(),
                None => {}
            }
        }
        text.push('\n');
    }
}

fn shown(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::OctetString(octets) if !octets.is_empty() && octets.iter().all(u8::is_ascii_graphic) => {
            format!("{:?}", String::from_utf8_lossy(octets))
        }
        ValueRef::OctetString(_) => format!("0x{value}"),
        // Changes before the start have 0; how long reading takes does not matter.
        ValueRef::TimeTicks(hundredths) if hundredths < 6000 => "0".into(),
        _ => value.to_string(),
    }
}

#[test]
fn the_recorded_machine_is_served_as_known() {
    let expected = fixture().join("rows.txt");
    if std::env::var_os("TRUNKLINE_RECORD").is_some_and(|value| value != "rows") {
        record::run(&fixture());
    }
    if std::env::var_os("TRUNKLINE_RECORD").is_some() {
        std::fs::write(&expected, rows_of(&fixture())).unwrap();
    }
    let expected = std::fs::read_to_string(expected).unwrap();
    let found = rows_of(&fixture());
    for (expected, found) in expected.lines().zip(found.lines()) {
        assert_eq!(expected, found);
    }
    assert_eq!(expected.lines().count(), found.lines().count());
}

#[test]
fn a_truncated_recording_gives_fewer_rows_and_no_panic() {
    let whole = rows_of(&fixture()).lines().count();
    let folder = tempfile::tempdir().unwrap();
    let netlink = folder.path().join("netlink");
    std::fs::create_dir(&netlink).unwrap();
    for file in std::fs::read_dir(fixture().join("netlink")).unwrap() {
        let file = file.unwrap();
        let octets = std::fs::read(file.path()).unwrap();
        std::fs::write(netlink.join(file.file_name()), &octets[..octets.len() / 2 + 1]).unwrap();
    }
    copy(&fixture().join("proc"), &folder.path().join("proc"), 3);
    assert!(rows_of(folder.path()).lines().count() < whole);
}

/// Copies a folder with the first of this many parts of each file.
fn copy(from: &Path, to: &Path, parts: usize) {
    std::fs::create_dir_all(to).unwrap();
    for file in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        if file.path().is_dir() {
            copy(&file.path(), &to.join(file.file_name()), parts);
        } else {
            let octets = std::fs::read(file.path()).unwrap();
            std::fs::write(to.join(file.file_name()), &octets[..octets.len() / parts]).unwrap();
        }
    }
}

#[test]
fn a_recording_cannot_be_written() {
    let options = HostOptions::new(SourceRoot::recording(fixture()), Instant::now());
    let providers = trunkline_host::providers(&options);
    let interfaces = providers.iter().find(|provider| provider.group().name == "interfaces").unwrap();
    let item = trunkline_tree::SetItem {
        binding: 0,
        object: &[],
        name: "ifAlias",
        index: &[1],
        value: ValueRef::OctetString(b"x"),
    };
    let error = interfaces.prepare_set(&[item]).unwrap().commit().unwrap_err();
    assert_eq!(error.check, trunkline_tree::SetCheck::CommitFailed);
    let number = |snapshot: Snapshot| match snapshot.scalar(&trunkline_smi::module::if_mib::IF_NUMBER) {
        Some(ScalarCell::Value(Value::Integer(number))) => *number,
        other => panic!("{other:?}"),
    };
    match interfaces.load(None).unwrap() {
        Loaded::Snapshot(snapshot) => assert!(number(snapshot) > 5),
        Loaded::Unchanged => panic!("there was nothing before"),
    }
}

/// Makes a machine in a namespace and writes down what its kernel says.
mod record {
    use std::path::Path;
    use std::process::Command;

    use rustix::net::netlink::SocketAddrNetlink;
    use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType};

    const INSIDE: &str = "TRUNKLINE_RECORD_INSIDE";

    const MACHINE: &str = "\
link set lo up
link add eth0 address 02:00:00:00:00:01 type veth peer name eth0-peer address 02:00:00:00:00:02
link set eth0 up
link set eth0-peer up
link set eth0 alias uplink
link add br0 address 02:00:00:00:00:03 type bridge
link add port0 address 02:00:00:00:00:04 type veth peer name port0-peer address 02:00:00:00:00:05
link set port0 master br0
link set br0 up
link set port0 up
link set port0-peer up
link add mv0 link eth0 address 02:00:00:00:00:06 type macvlan mode bridge
link set mv0 up
link add vx0 address 02:00:00:00:00:07 type vxlan id 42 dstport 4789 dev eth0 remote 192.0.2.9
link set vx0 mtu 1400
tuntap add tun0 mode tun
tuntap add tap0 mode tap
address add 192.0.2.1/24 broadcast + dev eth0
address add 203.0.113.1 peer 203.0.113.2/32 dev tun0
address add 2001:db8::1/64 dev eth0 nodad
address add 2001:db8:1::1/64 dev br0 valid_lft 7200 preferred_lft 3600 nodad
neighbour add 192.0.2.2 lladdr 02:00:00:00:02:02 dev eth0
neighbour add 2001:db8::2 lladdr 02:00:00:00:02:03 dev eth0
route add default via 192.0.2.2 metric 100
route add 198.51.100.0/24 proto bgp nexthop via 192.0.2.2 weight 2 nexthop via 192.0.2.3
route add 198.51.100.0/24 proto static metric 30 via 192.0.2.2
route add blackhole 203.0.113.128/25
route add unreachable 2001:db8:dead::/48
route add 198.18.0.0/15 via inet6 fe80::2 dev eth0
-6 route add default via fe80::1 dev eth0 pref low
";

    const FILES: &[&str] = &[
        "proc/net/snmp",
        "proc/net/netstat",
        "proc/net/snmp6",
        "proc/net/dev_mcast",
        "proc/net/anycast6",
        "proc/net/rt6_stats",
        "proc/net/dev_snmp6/eth0",
        "proc/net/dev_snmp6/br0",
        "proc/sys/net/ipv4/ipfrag_time",
        "proc/sys/net/ipv6/conf/all/forwarding",
        "proc/sys/net/ipv6/conf/all/hop_limit",
        "sys/class/net/eth0/speed",
    ];

    /// Request, body and file of each dump, as `source/netlink.rs` has them.
    const DUMPS: &[(u16, &[u8], &str)] = &[
        (18, &[0; 16], "links"),
        (18, &[10, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], "inet6_links"),
        (22, &[0; 8], "addresses"),
        (30, &[0; 12], "neighbours"),
        (26, &[0; 12], "routes"),
        (66, &[0; 4], "neighbour_tables"),
    ];

    pub fn run(folder: &Path) {
        if std::env::var_os(INSIDE).is_some() {
            return write_down(folder);
        }
        let status = Command::new("unshare")
            .args(["--net", "--mount", "sh", "-c", "mount -t sysfs sysfs /sys; exec \"$0\" \"$@\""])
            .arg(std::env::current_exe().unwrap())
            .args(["--exact", "the_recorded_machine_is_served_as_known"])
            .env(INSIDE, "1")
            .status()
            .unwrap();
        assert!(status.success());
    }

    fn write_down(folder: &Path) {
        for line in MACHINE.lines() {
            let status = Command::new("ip").args(line.split_whitespace()).status().unwrap();
            assert!(status.success(), "ip {line}");
        }
        let socket = std::net::UdpSocket::bind("192.0.2.1:0").unwrap();
        (0..20).for_each(|_| assert_eq!(socket.send_to(&[1; 500], "192.0.2.2:9").unwrap(), 500));
        for (kind, body, name) in DUMPS {
            let file = folder.join(format!("netlink/{name}.bin"));
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, dump(*kind, body)).unwrap();
        }
        for file in FILES {
            let to = folder.join(file);
            std::fs::create_dir_all(to.parent().unwrap()).unwrap();
            std::fs::write(to, std::fs::read(Path::new("/").join(file)).unwrap()).unwrap();
        }
    }

    fn dump(kind: u16, body: &[u8]) -> Vec<u8> {
        let flags = SocketFlags::CLOEXEC;
        let socket = rustix::net::socket_with(AddressFamily::NETLINK, SocketType::RAW, flags, None).unwrap();
        rustix::net::bind(&socket, &SocketAddrNetlink::new(0, 0)).unwrap();
        let mut request = (16 + body.len() as u32).to_ne_bytes().to_vec();
        request.extend_from_slice(&kind.to_ne_bytes());
        request.extend_from_slice(&0x301u16.to_ne_bytes());
        request.extend_from_slice(&[1, 0, 0, 0, 0, 0, 0, 0]);
        request.extend_from_slice(body);
        rustix::net::send(&socket, &request, SendFlags::empty()).unwrap();
        let (mut octets, mut buffer) = (Vec::new(), vec![0; 64 * 1024]);
        loop {
            let (_, length) = rustix::net::recv(&socket, &mut buffer[..], RecvFlags::empty()).unwrap();
            octets.extend_from_slice(&buffer[..length]);
            let last_message = &buffer[length.saturating_sub(20)..length]; // 20 octets, if it is the end
            if last_message[4..6] == 3u16.to_ne_bytes() {
                return octets;
            }
        }
    }
}
