//! IF-MIB against `ip link` and /sys/class/net.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use trunkline_host::{HostOptions, InterfaceSettings, LinkEvent, LinkWatch};
use trunkline_smi::module::etherlike_mib::{DOT3_HC_STATS_TABLE, DOT3_STATS_TABLE};
use trunkline_smi::module::if_mib::{
    IF_NUMBER, IF_RCV_ADDRESS_TABLE, IF_STACK_LAST_CHANGE, IF_STACK_TABLE, IF_TABLE, IF_TABLE_LAST_CHANGE,
    IF_X_TABLE,
};
use trunkline_smi::{Value, ValueRef};
use trunkline_tree::{SetCheck, SetItem, Snapshot};

use crate::namespace::{
    cell, index_of, ip, ip_batch, ip_json, isolated, load, load_with, number, pair, provider, scalar, traffic,
};

fn text(value: Option<ValueRef<'_>>) -> String {
    match value {
        Some(ValueRef::OctetString(octets)) => String::from_utf8(octets.to_vec()).unwrap(),
        other => panic!("{other:?} is no text"),
    }
}

/// A counter that may grow between the kernel's first answer, ours, and the kernel's second.
fn between(before: &Json, ours: u64, after: &Json, what: &str) {
    let (before, after) = (before.as_u64().unwrap(), after.as_u64().unwrap());
    assert!((before..=after).contains(&ours), "{what}: {ours} is not in {before}..={after}");
}

#[test]
fn every_interface_agrees_with_the_kernel() {
    isolated("interfaces::every_interface_agrees_with_the_kernel", || {
        pair();
        ip("link add br0 type bridge");
        ip("link add mv0 link near type macvlan mode bridge");
        ip("link set far master br0");
        ip("link set br0 up");
        ip("link set mv0 up");
        ip("link set near alias uplink");
        ip("link set near mtu 1400");
        traffic(200);
        compare_with_kernel(|| load("interfaces"));
        // Now with counters read alone, and changes learned from notifications.
        let options = HostOptions::host(Instant::now());
        load_with(&options, "interfaces");
        traffic(50);
        ip("link set mv0 address 02:00:00:00:00:77");
        ip("link set near mtu 1450");
        ip("link add later type veth peer name later2");
        ip("link delete br0");
        // More new interfaces than are queried for their speed one by one.
        (0..12).for_each(|n| ip(&format!("link add new{n} up type veth peer name peer{n}")));
        compare_with_kernel(|| load_with(&options, "interfaces"));
    });
}

/// The Drops of all netlink sockets of this namespace.
fn dropped_notifications() -> u64 {
    let text = std::fs::read_to_string("/proc/net/netlink").unwrap();
    text.lines().skip(1).filter_map(|line| line.split_whitespace().nth(8)?.parse::<u64>().ok()).sum()
}

/// Loads between two equal looks at the kernel: operational states come about by themselves, later.
fn compare_with_kernel_attributes(load: impl Fn() -> Snapshot) -> Snapshot {
    let (ours, kernel) = loop {
        let before = ip_json("link show");
        let ours = load();
        if ip_json("link show") == before {
            break (ours, before);
        }
    };
    assert_eq!(ours.table(&IF_TABLE).unwrap().len(), kernel.len());
    assert_eq!(scalar(&ours, &IF_NUMBER), Some(Value::Integer(kernel.len() as i32)));
    for link in &kernel {
        compare_attributes(&ours, link);
    }
    ours
}

fn compare_with_kernel(load_them: impl Fn() -> Snapshot) {
    let ours = compare_with_kernel_attributes(load_them);
    // What leaves through `near` arrives at `far`.
    let checks = [
        ("far", "rx_bytes", "ifInOctets", "ifHCInOctets"),
        ("far", "rx_packets", "ifInUcastPkts", "ifHCInUcastPkts"),
        ("near", "tx_bytes", "ifOutOctets", "ifHCOutOctets"),
        ("near", "tx_packets", "ifOutUcastPkts", "ifHCOutUcastPkts"),
    ];
    let file = |(link, name, ..): (&str, &str, &str, &str)| -> Json {
        let path = format!("/sys/class/net/{link}/statistics/{name}");
        std::fs::read_to_string(path).unwrap().trim().parse::<u64>().unwrap().into()
    };
    let before = checks.map(file);
    let now = load("interfaces");
    for (check, before) in checks.into_iter().zip(before) {
        let (link, name, narrow, wide) = check;
        let of = |snapshot, table, column| number(cell(snapshot, table, &[index_of(link)], column));
        let (narrow, wide_now) = (of(&now, &IF_TABLE, narrow), of(&now, &IF_X_TABLE, wide));
        assert_eq!(narrow, wide_now & 0xffff_ffff, "{name}");
        between(&before, wide_now, &file(check), name);
        let earlier = of(&ours, &IF_X_TABLE, wide);
        assert!(earlier > 0, "{link} {name} has counted");
        between(&earlier.into(), wide_now, &file(check), name);
    }
}

fn compare_attributes(ours: &Snapshot, link: &Json) {
    let name = link["ifname"].as_str().unwrap();
    let index = [link["ifindex"].as_u64().unwrap() as u32];
    let row = |column| cell(ours, &IF_TABLE, &index, column);
    let x_row = |column| cell(ours, &IF_X_TABLE, &index, column);
    assert_eq!(text(row("ifDescr")), name);
    assert_eq!(text(x_row("ifName")), name);
    assert_eq!(number(row("ifMtu")), link["mtu"].as_u64().unwrap(), "{name}");
    assert_eq!(text(x_row("ifAlias")), link["ifalias"].as_str().unwrap_or(""), "{name}");
    let address = match row("ifPhysAddress") {
        Some(ValueRef::OctetString(octets)) => {
            octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(":")
        }
        other => panic!("{other:?}"),
    };
    // The kernel gives loopback an address of zeros.
    let expected = if link["link_type"] == "loopback" { "" } else { link["address"].as_str().unwrap_or("") };
    assert_eq!(address, expected, "{name}");
    let flags: BTreeSet<&str> = link["flags"].as_array().unwrap().iter().filter_map(Json::as_str).collect();
    assert_eq!(number(row("ifAdminStatus")), if flags.contains("UP") { 1 } else { 2 }, "{name}");
    let expected_status = match link["operstate"].as_str().unwrap() {
        "UP" => 1,
        "UNKNOWN" if flags.contains("LOWER_UP") => 1,
        "LOWERLAYERDOWN" => 7,
        _ => 2,
    };
    assert_eq!(number(row("ifOperStatus")), expected_status, "{name}");
    let expected_type = match (link["link_type"].as_str().unwrap(), link["linkinfo"]["info_kind"].as_str()) {
        ("loopback", _) => 24,
        (_, Some("bridge")) => 209,
        ("ether", _) => 6,
        other => panic!("the test made no {other:?}"),
    };
    assert_eq!(number(row("ifType")), expected_type, "{name}");
    if !flags.contains("UP") {
        return; // /sys tells no speed of an interface that is down; ethtool does
    }
    let speed = std::fs::read_to_string(format!("/sys/class/net/{name}/speed")).unwrap_or_default();
    let speed = if name == "lo" { 10 } else { speed.trim().parse::<i64>().map_or(0, |s| s.max(0) as u64) };
    assert_eq!(number(x_row("ifHighSpeed")), speed, "{name}");
    assert_eq!(number(row("ifSpeed")), (speed * 1_000_000).min(u32::MAX.into()), "{name}");
}

#[test]
fn lost_notifications_are_made_good() {
    isolated("interfaces::lost_notifications_are_made_good", || {
        pair();
        let options = HostOptions::host(Instant::now());
        load_with(&options, "interfaces");
        // Nobody reads: the socket holds some hundred notifications, the kernel drops the others.
        let aliases: String = (0..4000).map(|n| format!("link set near alias n{n}\n")).collect();
        ip_batch(&format!("{aliases}link add last type bridge\nlink set near mtu 1300\nlink delete far\n"));
        assert!(dropped_notifications() > 0, "the test made too few changes");
        ip_batch(
            "link add near type veth peer name far\nlink set near mtu 1280\nlink set near alias again\n",
        );
        compare_with_kernel_attributes(|| load_with(&options, "interfaces"));
    });
}

#[test]
fn the_stack_is_that_of_bridges_and_macvlans() {
    isolated("interfaces::the_stack_is_that_of_bridges_and_macvlans", || {
        pair();
        ip("link add br0 type bridge");
        ip("link set far master br0");
        ip("link add mv0 link near type macvlan");
        let snapshot = load("interfaces");
        let [lo, near, far, bridge, macvlan] = ["lo", "near", "far", "br0", "mv0"].map(index_of);
        let rows: BTreeSet<Vec<u32>> =
            snapshot.table(&IF_STACK_TABLE).unwrap().index().iter().map(<[u32]>::to_vec).collect();
        let expected = [
            [0, lo],
            [lo, 0],
            [0, bridge],
            [bridge, far],
            [far, 0],
            [0, macvlan],
            [macvlan, near],
            [near, 0],
        ];
        assert_eq!(rows, expected.iter().map(|row| row.to_vec()).collect());
        let enabled = |index| cell(&snapshot, &IF_X_TABLE, &[index], "ifLinkUpDownTrapEnable");
        assert_eq!(enabled(near), Some(ValueRef::Integer(1)));
        // linkUp and linkDown are sent for those above others, too.
        assert_eq!(enabled(macvlan), Some(ValueRef::Integer(1)));
        assert_eq!(enabled(bridge), Some(ValueRef::Integer(1)));
        let own = snapshot.table(&IF_TABLE).unwrap();
        let Some(ValueRef::OctetString(address)) = own.get(own.index().find(&[near]).unwrap(), 6) else {
            panic!()
        };
        let index: Vec<u32> = [near, 6].into_iter().chain(address.iter().map(|o| u32::from(*o))).collect();
        let received = load("interface-receive-addresses");
        let all_hosts = [near, 6, 0x01, 0x00, 0x5e, 0, 0, 1];
        for row in [&index[..], &all_hosts, &[near, 6, 255, 255, 255, 255, 255, 255]] {
            assert!(received.table(&IF_RCV_ADDRESS_TABLE).unwrap().index().find(row).is_some(), "{row:?}");
        }
    });
}

#[test]
fn changes_have_their_time() {
    isolated("interfaces::changes_have_their_time", || {
        pair();
        // The agent has been up for a minute.
        let started = Instant::now().checked_sub(Duration::from_secs(60)).unwrap();
        let options = HostOptions::host(started);
        let first = load_with(&options, "interfaces");
        let near = [index_of("near")];
        assert_eq!(scalar(&first, &IF_TABLE_LAST_CHANGE), Some(Value::TimeTicks(0)));
        assert_eq!(number(cell(&first, &IF_TABLE, &near, "ifLastChange")), 0);
        ip("link set near down");
        ip("link add new0 type bridge");
        let second = load_with(&options, "interfaces");
        let new = [index_of("new0")];
        let is_recent = |ticks: u64| assert!((6000..6000 + 3000).contains(&ticks), "{ticks}");
        is_recent(number(cell(&second, &IF_TABLE, &near, "ifLastChange")));
        is_recent(number(cell(&second, &IF_X_TABLE, &new, "ifCounterDiscontinuityTime")));
        assert_eq!(number(cell(&second, &IF_X_TABLE, &near, "ifCounterDiscontinuityTime")), 0);
        assert_ne!(scalar(&second, &IF_TABLE_LAST_CHANGE), Some(Value::TimeTicks(0)));
        assert_ne!(scalar(&second, &IF_STACK_LAST_CHANGE), Some(Value::TimeTicks(0)));
        // The same index again is another interface: its counters are others.
        let far = index_of("far");
        ip("link delete near");
        ip(&format!("link add other index {far} type bridge"));
        let third = load_with(&options, "interfaces");
        assert_eq!(text(cell(&third, &IF_TABLE, &[far], "ifDescr")), "other");
        is_recent(number(cell(&third, &IF_X_TABLE, &[far], "ifCounterDiscontinuityTime")));
    });
}

#[test]
fn the_watch_reports_changes_and_ends() {
    isolated("interfaces::the_watch_reports_changes_and_ends", || {
        pair();
        let options = HostOptions::host(Instant::now());
        let (stale_to, stale) = mpsc::channel();
        let (event_to, events) = mpsc::channel();
        let watch = LinkWatch::start(
            &options,
            move |group| stale_to.send(group).unwrap(),
            move |event: &LinkEvent| event_to.send(event.clone()).unwrap(),
        )
        .unwrap();
        let patience = Duration::from_secs(20);
        let near = index_of("near");
        ip("link set near down");
        let event = loop {
            let event = events.recv_timeout(patience).unwrap();
            if event.index == near {
                break event;
            }
        };
        assert_eq!((event.name.as_str(), event.before.unwrap().oper), ("near", 1));
        assert_eq!((event.after.unwrap().admin, event.after.unwrap().oper), (2, 2));
        assert_eq!(stale.recv_timeout(patience), Ok("interfaces"));
        ip("link add new0 type bridge");
        let came =
            std::iter::from_fn(|| events.recv_timeout(patience).ok()).find(|event| event.name == "new0");
        let came = came.unwrap();
        assert!(came.before.is_none() && came.appeared);
        // Another name is what another interface would be.
        ip("link set new0 name other0");
        let came =
            std::iter::from_fn(|| events.recv_timeout(patience).ok()).find(|event| event.name == "other0");
        assert!(came.unwrap().appeared);
        drop(watch);
        assert!(stale.iter().count() > 0, "the callbacks are gone with the thread");
    });
}

/// The kernel takes addresses and routes from an interface that goes down: those of other programs, too.
#[test]
fn an_interface_that_was_down_for_a_moment_has_what_it_had() {
    isolated("interfaces::an_interface_that_was_down_for_a_moment_has_what_it_had", || {
        pair();
        for command in [
            "link set near up",
            "link set far up",
            "address add 10.1.0.1/24 dev near",
            "address add 2001:db8::1/64 dev near nodad",
            "route add 198.51.100.0/24 dev near proto 42 metric 7",
            "route add default via 10.1.0.9 proto dhcp metric 100",
            "route add 203.0.113.0/24 via 198.51.100.9 dev near onlink table 77",
            "-6 route add 2001:db8:7::/48 via 2001:db8::9 proto static",
        ] {
            ip(command);
        }
        // Without what changes with time.
        let shown = || {
            let mut all: Vec<String> =
                ["route show table all", "-6 route show table all", "address show dev near"]
                    .iter()
                    .flat_map(|command| ip_json(command))
                    .flat_map(|it| match it["addr_info"].as_array() {
                        Some(addresses) => addresses.clone(),
                        None => vec![it],
                    })
                    .filter(|it| it["scope"] != "link" && it["protocol"] != "kernel")
                    .map(|mut it| {
                        it.as_object_mut()
                            .unwrap()
                            .retain(|name, _| !["flags", "tentative", "nodad"].contains(&name.as_str()));
                        it.to_string()
                    })
                    .collect();
            all.sort();
            all
        };
        let before = shown();
        assert!(before.iter().filter(|it| it.contains("\"dst\"")).count() >= 4, "{before:#?}");
        let wanted =
            InterfaceSettings { name: "near".into(), up: Some(false), ..InterfaceSettings::default() };
        let options = HostOptions::host(Instant::now());
        let mut transaction = options.prepare_interfaces(std::slice::from_ref(&wanted)).unwrap().unwrap();
        transaction.commit().unwrap();
        assert_ne!(shown(), before);
        transaction.undo().unwrap();
        assert_eq!(shown(), before);
    });
}

#[test]
fn settings_of_a_configuration_are_all_applied_or_none() {
    isolated("interfaces::settings_of_a_configuration_are_all_applied_or_none", || {
        pair();
        let options = HostOptions::host(Instant::now());
        let shown = || {
            let link = ip_json("address show dev near")[0].clone();
            let addresses: Vec<String> = link["addr_info"]
                .as_array()
                .unwrap()
                .iter()
                .filter(|it| it["scope"] == "global")
                .map(|it| format!("{}/{}", it["local"].as_str().unwrap(), it["prefixlen"]))
                .collect();
            let up = link["flags"].as_array().unwrap().contains(&"UP".into());
            (
                link["mtu"].as_u64().unwrap(),
                link["ifalias"].as_str().map(str::to_owned),
                addresses.join(" "),
                up,
            )
        };
        let before = shown();
        let v4 = ("192.0.2.1".parse().unwrap(), 24);
        let v6 = ("2001:db8::1".parse().unwrap(), 64);
        let wanted = InterfaceSettings {
            name: "near".into(),
            kind: Some(6),
            up: Some(false),
            alias: Some("to the lab".into()),
            mtu: Some(1400),
            new: vec![v4, v6],
            ..InterfaceSettings::default()
        };
        let mut transaction = options.prepare_interfaces(std::slice::from_ref(&wanted)).unwrap().unwrap();
        assert_eq!(shown(), before, "nothing before the commit");
        transaction.commit().unwrap();
        let (mtu, alias, addresses, up) = shown();
        assert_eq!((mtu, alias.as_deref(), up), (1400, Some("to the lab"), false));
        // The kernel takes addresses of IPv6 from an interface that goes down.
        assert!(addresses.starts_with("192.0.2.1/24"), "{addresses}");
        transaction.undo().unwrap();
        assert_eq!(shown(), before);

        // What is there already stays, also after an undo.
        let more = InterfaceSettings { up: Some(true), ..wanted.clone() };
        options.prepare_interfaces(std::slice::from_ref(&more)).unwrap().unwrap().commit().unwrap();
        let after = shown();
        assert_eq!(after.2, "192.0.2.1/24 2001:db8::1/64");
        let mut again = options.prepare_interfaces(std::slice::from_ref(&more)).unwrap().unwrap();
        again.commit().unwrap();
        again.undo().unwrap();
        assert_eq!(shown(), after);
        // What it should have already costs nothing if it has it, however much that is, and otherwise comes again.
        let address = |at: u8| (std::net::IpAddr::from([198, 51, 100, at]), 24_u8);
        let many = |last: u8| (1..=last).map(address).collect::<Vec<_>>();
        let named = || InterfaceSettings { name: "near".into(), ..InterfaceSettings::default() };
        let prepare = |wanted: InterfaceSettings| options.prepare_interfaces(&[wanted]).unwrap();
        prepare(InterfaceSettings { new: many(40), ..named() }).unwrap().commit().unwrap();
        assert!(prepare(InterfaceSettings { kept: many(40), ..more_of_link(&more) }).is_none());
        ip("address del 198.51.100.7/24 dev near");
        ip("link set near down");
        let kept = InterfaceSettings { kept: [many(40), vec![v6]].concat(), ..more_of_link(&more) };
        prepare(kept).unwrap().commit().unwrap();
        let (_, _, addresses, up) = shown();
        assert!(
            up && addresses.contains("198.51.100.7/24") && addresses.contains("2001:db8::1/64"),
            "{addresses}"
        );
        prepare(InterfaceSettings { gone: many(40), ..named() }).unwrap().commit().unwrap();
        let gone =
            InterfaceSettings { name: "near".into(), gone: vec![v4, v6], ..InterfaceSettings::default() };
        options.prepare_interfaces(&[gone]).unwrap().unwrap().commit().unwrap();
        assert_eq!(shown().2, "");

        // One that cannot be applied takes the others back.
        let half = InterfaceSettings { mtu: Some(67), alias: Some("half".into()), new: vec![v4], ..more };
        let wrong = InterfaceSettings {
            name: "near".into(),
            new: vec![("0.0.0.0".parse().unwrap(), 99)],
            ..InterfaceSettings::default()
        };
        let mut transaction = options.prepare_interfaces(&[half, wrong]).unwrap().unwrap();
        let before = shown();
        assert_eq!(transaction.commit().unwrap_err().check, SetCheck::CommitFailed);
        transaction.undo().unwrap();
        assert_eq!(shown(), before);

        let refused =
            |wanted: InterfaceSettings| options.prepare_interfaces(&[wanted]).err().map(|it| it.check);
        let named = |name: &str| InterfaceSettings {
            name: name.into(),
            kind: Some(6),
            up: Some(true),
            ..InterfaceSettings::default()
        };
        // One that is not there may come, unless none can have its name.
        assert!(options.prepare_interfaces(&[named("nowhere")]).unwrap().is_none());
        for name in ["", ".", "..", "a/b", "a:b", "a b", "sixteen-octets-1"] {
            assert_eq!(refused(named(name)), Some(SetCheck::WrongValue), "{name}");
        }
        assert_eq!(
            refused(InterfaceSettings { kind: Some(24), ..named("near") }),
            Some(SetCheck::WrongValue)
        );
    });
}

/// The same state, alias and MTU.
fn more_of_link(of: &InterfaceSettings) -> InterfaceSettings {
    InterfaceSettings { new: Vec::new(), ..of.clone() }
}

#[test]
fn alias_and_status_can_be_set_and_taken_back() {
    isolated("interfaces::alias_and_status_can_be_set_and_taken_back", || {
        pair();
        let options = HostOptions::host(Instant::now());
        let interfaces = provider(&options, "interfaces");
        let near = [index_of("near")];
        let alias = |text: &'static str| ("ifAlias", ValueRef::OctetString(text.as_bytes()));
        let set = |values: &[(&'static str, ValueRef<'static>)], index: &[u32]| {
            let items: Vec<SetItem<'_>> = values
                .iter()
                .enumerate()
                .map(|(binding, (name, value))| SetItem { binding, object: &[], name, index, value: *value })
                .collect();
            interfaces.prepare_set(&items)
        };
        let shown = || ip_json("link show dev near")[0].clone();
        let mut transaction =
            set(&[alias("to the lab"), ("ifAdminStatus", ValueRef::Integer(2))], &near).unwrap();
        assert_eq!(shown()["ifalias"].as_str(), None, "nothing before the commit");
        transaction.commit().unwrap();
        assert_eq!(
            (shown()["ifalias"].as_str(), shown()["operstate"].as_str()),
            (Some("to the lab"), Some("DOWN"))
        );
        transaction.undo().unwrap();
        assert_eq!(shown()["ifalias"].as_str(), None);
        assert!(shown()["flags"].as_array().unwrap().contains(&"UP".into()));
        set(&[alias("x")], &near).unwrap().commit().unwrap();
        set(&[alias("")], &near).unwrap().commit().unwrap();
        assert_eq!(shown()["ifalias"].as_str(), None, "an empty alias is none");
        let refused = |values, index: &[u32]| set(values, index).err().map(|error| error.check);
        assert_eq!(refused(&[("ifAdminStatus", ValueRef::Integer(3))], &near), Some(SetCheck::WrongValue));
        assert_eq!(
            refused(&[("ifPromiscuousMode", ValueRef::Integer(1))], &near),
            Some(SetCheck::NotWritable)
        );
        assert_eq!(refused(&[alias("x")], &[4711]), Some(SetCheck::NoCreation));
        rustix::thread::set_capabilities(
            None,
            rustix::thread::CapabilitySets {
                effective: rustix::thread::CapabilitySet::empty(),
                permitted: rustix::thread::CapabilitySet::empty(),
                inheritable: rustix::thread::CapabilitySet::empty(),
            },
        )
        .unwrap();
        let error = set(&[alias("x")], &near).err().unwrap();
        assert_eq!(error.check, SetCheck::ResourceUnavailable);
        assert!(error.reason.contains("CAP_NET_ADMIN"), "{error}");
    });
}

#[test]
fn ethernet_interfaces_have_counters_and_a_duplex_mode() {
    isolated("interfaces::ethernet_interfaces_have_counters_and_a_duplex_mode", || {
        pair();
        ip("link add br0 type bridge");
        ip("tuntap add tap0 mode tap");
        let options = HostOptions::host(Instant::now());
        let snapshot = load_with(&options, "ethernet");
        let (near, tap) = (index_of("near"), index_of("tap0"));
        let indexes: Vec<u32> =
            snapshot.table(&DOT3_STATS_TABLE).unwrap().index().iter().map(|index| index[0]).collect();
        assert!(indexes.contains(&near) && indexes.contains(&tap), "{indexes:?}");
        assert!(indexes.contains(&index_of("br0")) && !indexes.contains(&index_of("lo")), "{indexes:?}");
        let of = |index: u32, column: &str| cell(&snapshot, &DOT3_STATS_TABLE, &[index], column);
        // So a veth and a TAP say.
        assert_eq!(of(near, "dot3StatsDuplexStatus"), Some(ValueRef::Integer(3)));
        assert_eq!(of(tap, "dot3StatsDuplexStatus"), Some(ValueRef::Integer(3)));
        let wide = |index: u32| cell(&snapshot, &DOT3_HC_STATS_TABLE, &[index], "dot3HCStatsFCSErrors");
        // A bridge without ports has no speed.
        assert_eq!((wide(near), wide(index_of("br0"))), (Some(ValueRef::Counter64(0)), None));
        // Each counter is the kernel's of that name.
        let statistics = [
            ("dot3StatsAlignmentErrors", "rx_frame_errors"),
            ("dot3StatsFCSErrors", "rx_crc_errors"),
            ("dot3StatsSQETestErrors", "tx_heartbeat_errors"),
            ("dot3StatsLateCollisions", "tx_window_errors"),
            ("dot3StatsExcessiveCollisions", "tx_aborted_errors"),
            ("dot3StatsInternalMacTransmitErrors", "tx_fifo_errors"),
            ("dot3StatsCarrierSenseErrors", "tx_carrier_errors"),
            ("dot3StatsFrameTooLongs", "rx_length_errors"),
            ("dot3StatsInternalMacReceiveErrors", "rx_fifo_errors"),
        ];
        for (column, file) in statistics {
            let counted = std::fs::read_to_string(format!("/sys/class/net/near/statistics/{file}")).unwrap();
            assert_eq!(number(of(near, column)), counted.trim().parse::<u64>().unwrap(), "{column}");
        }
    });
}
