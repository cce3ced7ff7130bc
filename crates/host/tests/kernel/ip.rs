//! IP-MIB and IP-FORWARD-MIB against /proc and `ip address`, `ip neighbour`, `ip route`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::process::Command;
use std::time::{Duration, Instant};

use serde_json::Value as Json;
use trunkline_host::HostOptions;
use trunkline_smi::module::ip_forward_mib::{
    INET_CIDR_ROUTE_NUMBER, INET_CIDR_ROUTE_TABLE, IP_CIDR_ROUTE_NUMBER, IP_CIDR_ROUTE_TABLE,
};
use trunkline_smi::module::ip_mib::*;
use trunkline_smi::{IndexValue, Value, ValueRef, decode_index};
use trunkline_tree::{Loaded, Snapshot};

use crate::namespace::{
    cell, index_of, ip, ip_json, isolated, load, load_with, number, pair, provider, scalar, traffic, try_ip,
};

/// The octets of an address with their number, and the zone if there is one.
fn inet(address: &str, zone: Option<u32>) -> Vec<u32> {
    let mut octets = match address.parse::<IpAddr>().unwrap() {
        IpAddr::V4(v4) => v4.octets().to_vec(),
        IpAddr::V6(v6) => v6.octets().to_vec(),
    };
    let family = match (octets.len(), zone) {
        (4, _) => 1,
        (_, None) => 2,
        (_, Some(_)) => 4,
    };
    octets.extend(zone.into_iter().flat_map(u32::to_be_bytes));
    [family, octets.len() as u32].into_iter().chain(octets.into_iter().map(u32::from)).collect()
}

fn is_link_local(address: &str) -> bool {
    matches!(address.parse(), Ok(IpAddr::V6(v6)) if v6.is_unicast_link_local())
}

#[test]
fn counters_are_those_of_proc() {
    isolated("ip::counters_are_those_of_proc", || {
        pair();
        traffic(40);
        let refused = std::net::UdpSocket::bind("127.0.0.1:0").unwrap();
        refused.send_to(b"x", "127.0.0.1:9").unwrap(); // port unreachable: ICMP type 3, ICMPv6 type 1
        let refused = std::net::UdpSocket::bind("[::1]:0").unwrap();
        refused.send_to(b"x", "[::1]:9").unwrap();
        let before = kernel_counters();
        let ours = load("ip");
        let after = kernel_counters();
        let check = |name: &str, value: u64| {
            let range = before.get(name).copied().unwrap_or(0)..=after.get(name).copied().unwrap_or(0);
            assert!(range.contains(&value), "{name}: {value} is not in {range:?}");
        };
        let of = |found: Option<Value>| number(found.as_ref().map(Value::as_value_ref));
        check("Ip.OutRequests", of(scalar(&ours, &IP_OUT_REQUESTS)));
        check("Ip.InDelivers", of(scalar(&ours, &IP_IN_DELIVERS)));
        check("Ip.Forwarding", of(scalar(&ours, &IP_FORWARDING)));
        check("Ip.DefaultTTL", of(scalar(&ours, &IP_DEFAULT_TTL)));
        check("Icmp.OutDestUnreachs", of(scalar(&ours, &ICMP_OUT_DEST_UNREACHS)));
        let system = |version: u32, column| number(cell(&ours, &IP_SYSTEM_STATS_TABLE, &[version], column));
        check("Ip.OutRequests", system(1, "ipSystemStatsHCOutRequests"));
        check("IpExt.OutOctets", system(1, "ipSystemStatsHCOutOctets"));
        check("Ip6.OutRequests", system(2, "ipSystemStatsHCOutRequests"));
        check("Ip6.InMcastPkts", system(2, "ipSystemStatsInMcastPkts"));
        assert!(system(1, "ipSystemStatsHCOutOctets") > 40 * 128, "there was traffic");
        check("Icmp.OutMsgs", number(cell(&ours, &ICMP_STATS_TABLE, &[1], "icmpStatsOutMsgs")));
        check("Icmp6.OutMsgs", number(cell(&ours, &ICMP_STATS_TABLE, &[2], "icmpStatsOutMsgs")));
        check("IcmpMsg.OutType3", number(cell(&ours, &ICMP_MSG_STATS_TABLE, &[1, 3], "icmpMsgStatsOutPkts")));
        assert!(number(cell(&ours, &ICMP_MSG_STATS_TABLE, &[1, 3], "icmpMsgStatsInPkts")) > 0);
        check("Icmp6.OutType1", number(cell(&ours, &ICMP_MSG_STATS_TABLE, &[2, 1], "icmpMsgStatsOutPkts")));
        let seconds = std::fs::read_to_string("/proc/sys/net/ipv4/ipfrag_time").unwrap();
        assert_eq!(of(scalar(&ours, &IP_REASM_TIMEOUT)), seconds.trim().parse::<u64>().unwrap());
        for column in IP_SYSTEM_STATS_TABLE.columns.iter().skip(1) {
            assert!(cell(&ours, &IP_SYSTEM_STATS_TABLE, &[1], column.name).is_some(), "{}", column.name);
        }
    });
}

fn kernel_counters() -> BTreeMap<String, u64> {
    let mut all = BTreeMap::new();
    for file in ["/proc/net/snmp", "/proc/net/netstat"] {
        let text = std::fs::read_to_string(file).unwrap();
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        for two in lines.chunks(2) {
            for (name, value) in two[0].iter().zip(&two[1]).skip(1) {
                let section = two[0][0].trim_end_matches(':');
                all.insert(format!("{section}.{name}"), value.parse().unwrap_or(0));
            }
        }
    }
    for line in std::fs::read_to_string("/proc/net/snmp6").unwrap().lines() {
        let (name, value) = line.split_once(char::is_whitespace).unwrap();
        let (section, name) = name.split_once('6').unwrap();
        all.insert(format!("{section}6.{name}"), value.trim().parse().unwrap());
    }
    all
}

#[test]
fn interface_statistics_are_those_of_proc() {
    isolated("ip::interface_statistics_are_those_of_proc", || {
        pair();
        let file = || {
            let text = std::fs::read_to_string("/proc/net/dev_snmp6/near").unwrap();
            let values: BTreeMap<String, u64> = text
                .lines()
                .filter_map(|line| {
                    let mut words = line.split_whitespace();
                    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
                })
                .collect();
            values
        };
        ip("address add 2001:db8::5/64 dev near nodad");
        ip("neighbour add 2001:db8::6 lladdr 02:00:00:00:00:06 dev near");
        let socket = std::net::UdpSocket::bind("[2001:db8::5]:0").unwrap();
        (0..10).for_each(|_| assert_eq!(socket.send_to(&[1; 100], "[2001:db8::6]:9").unwrap(), 100));
        let before = file();
        let ours = load("ip-interface-statistics");
        let after = file();
        let index = [2, index_of("near")];
        for (name, column) in [
            ("Ip6OutRequests", "ipIfStatsHCOutRequests"),
            ("Ip6InReceives", "ipIfStatsHCInReceives"),
            ("Ip6OutOctets", "ipIfStatsHCOutOctets"),
            ("Ip6OutMcastPkts", "ipIfStatsOutMcastPkts"),
            ("Ip6InMcastOctets", "ipIfStatsHCInMcastOctets"),
            ("Ip6OutTransmits", "ipIfStatsHCOutTransmits"),
        ] {
            let value = number(cell(&ours, &IP_IF_STATS_TABLE, &index, column));
            assert!((before[name]..=after[name]).contains(&value), "{name}: {value}");
        }
        assert!(number(cell(&ours, &IP_IF_STATS_TABLE, &index, "ipIfStatsHCOutOctets")) >= 10 * 148);
        assert_eq!(ours.table(&IP_IF_STATS_TABLE).unwrap().len(), 3, "lo, near, far");
        let settings = load("ip-interfaces");
        for table in [&IPV4_INTERFACE_TABLE, &IPV6_INTERFACE_TABLE] {
            assert_eq!(settings.table(table).unwrap().len(), 3, "lo, near, far; and no interface 0");
        }
        let near = &index[1..];
        let setting = |file: &str| -> u64 {
            let path = format!("/proc/sys/net/ipv6/{file}");
            std::fs::read_to_string(path).unwrap().trim().parse().unwrap()
        };
        let of = |table, column| number(cell(&settings, table, near, column));
        assert_eq!(
            of(&IPV6_INTERFACE_TABLE, "ipv6InterfaceRetransmitTime"),
            setting("neigh/near/retrans_time_ms")
        );
        assert_eq!(of(&IPV4_INTERFACE_TABLE, "ipv4InterfaceRetransmitTime"), 1000);
        assert_eq!(of(&IPV6_INTERFACE_TABLE, "ipv6InterfaceEnableStatus"), 1);
        assert_eq!(of(&IPV6_INTERFACE_TABLE, "ipv6InterfaceForwarding"), 2);
        assert_eq!(of(&IPV6_SCOPE_ZONE_INDEX_TABLE, "ipv6ScopeZoneIndexLinkLocal"), u64::from(near[0]));
    });
}

#[test]
fn addresses_are_those_of_ip_address() {
    isolated("ip::addresses_are_those_of_ip_address", || {
        pair();
        ip("address add 198.51.100.7/25 broadcast + dev near");
        ip("address add 2001:db8::5/64 dev near nodad");
        ip("address add 203.0.113.1 peer 203.0.113.2/32 dev far");
        ip("address add 2001:db8:1::9/64 dev far valid_lft 4000 preferred_lft 3000 nodad");
        // Agent started a minute ago: everything here is younger.
        let options = HostOptions::host(Instant::now().checked_sub(Duration::from_secs(60)).unwrap());
        let ours = load_with(&options, "ip-addresses");
        let mut expected = BTreeSet::new();
        let kernel = ip_json("address show");
        for link in &kernel {
            let interface = link["ifindex"].as_u64().unwrap() as u32;
            for address in link["addr_info"].as_array().unwrap() {
                let text = address["local"].as_str().unwrap();
                let index = inet(text, is_link_local(text).then_some(interface));
                check_address(&ours, &index, interface, address);
                expected.insert(index);
                if let Some(broadcast) = address["broadcast"].as_str() {
                    let index = inet(broadcast, None);
                    assert_eq!(number(cell(&ours, &IP_ADDRESS_TABLE, &index, "ipAddressType")), 3);
                    expected.insert(index);
                }
            }
        }
        let rows = ours.table(&IP_ADDRESS_TABLE).unwrap().index();
        assert_eq!(rows.iter().map(<[u32]>::to_vec).collect::<BTreeSet<_>>(), expected);
        assert!(expected.len() >= 9, "{expected:?}");
        let near = index_of("near");
        let ours = |column| cell(&ours, &IP_ADDR_TABLE, &[198, 51, 100, 7], column);
        assert_eq!(ours("ipAdEntNetMask"), Some(ValueRef::IpAddress([255, 255, 255, 128])));
        assert_eq!(ours("ipAdEntIfIndex"), Some(ValueRef::Integer(near as i32)));
        assert_eq!(ours("ipAdEntBcastAddr"), Some(ValueRef::Integer(1)));
    });
}

fn check_address(ours: &Snapshot, index: &[u32], interface: u32, kernel: &Json) {
    let of = |column| cell(ours, &IP_ADDRESS_TABLE, index, column);
    assert_eq!(number(of("ipAddressIfIndex")), u64::from(interface), "{kernel}");
    assert_eq!(number(of("ipAddressType")), 1, "{kernel}");
    let flag = |name: &str| kernel[name].as_bool().unwrap_or(false);
    let status = if flag("tentative") {
        6
    } else if flag("deprecated") {
        2
    } else {
        1
    };
    assert_eq!(number(of("ipAddressStatus")), status, "{kernel}");
    assert!((5500..9000).contains(&number(of("ipAddressCreated"))), "{:?}", of("ipAddressCreated"));
    let Some(ValueRef::ObjectIdentifier(pointer)) = of("ipAddressPrefix") else { panic!("{kernel}") };
    let row = pointer.strip_prefix(&[1, 3, 6, 1, 2, 1, 4, 32, 1, 5]).unwrap();
    let parts = decode_index(IP_ADDRESS_PREFIX_TABLE.index, row).unwrap();
    let length = kernel["prefixlen"].as_u64().unwrap() as u32;
    assert_eq!((&parts[0], &parts[3]), (&IndexValue::Integer(interface), &IndexValue::Integer(length)));
    let prefix = |column| cell(ours, &IP_ADDRESS_PREFIX_TABLE, row, column);
    let valid = number(prefix("ipAddressPrefixAdvValidLifetime"));
    let expected = kernel["valid_life_time"].as_u64().unwrap();
    assert!(valid == expected || valid.abs_diff(expected) <= 30 && expected < 4001, "{valid} {kernel}");
    let lasting = expected == u64::from(u32::MAX);
    let scope_link = is_link_local(kernel["local"].as_str().unwrap());
    let is_loopback = kernel["scope"] == "host";
    let origin = match (lasting, scope_link, is_loopback) {
        (_, true, _) => 5,
        (_, _, true) => 1,
        (true, ..) => 2,
        (false, ..) => 5,
    };
    assert_eq!(number(of("ipAddressOrigin")), origin, "{kernel}");
}

#[test]
fn neighbours_are_those_of_ip_neighbour() {
    isolated("ip::neighbours_are_those_of_ip_neighbour", || {
        pair();
        ip("address add 2001:db8::5/64 dev near nodad");
        ip("neighbour add 2001:db8::7 lladdr 02:00:00:00:00:07 dev near");
        // The kernel bounds what is not permanent over all namespaces: another one may have used it up.
        let dynamic = [
            "neighbour add 2001:db8::6 lladdr 02:00:00:00:00:06 nud stale dev near",
            "neighbour add 192.0.2.3 lladdr 02:00:00:00:00:03 nud reachable dev near",
            "neighbour add 192.0.2.4 nud failed dev near",
        ];
        let added = dynamic.iter().filter(|command| try_ip(command)).count();
        let ours = load("ip-neighbours");
        let kernel = ip_json("neighbour show");
        let table = ours.table(&IP_NET_TO_PHYSICAL_TABLE).unwrap();
        assert!(kernel.len() >= 2 + added, "{kernel:?}");
        assert_eq!(table.len(), kernel.len());
        for neighbour in &kernel {
            let interface = index_of(neighbour["dev"].as_str().unwrap());
            let index = [vec![interface], inet(neighbour["dst"].as_str().unwrap(), None)].concat();
            let of = |column| cell(&ours, &IP_NET_TO_PHYSICAL_TABLE, &index, column);
            let state = neighbour["state"][0].as_str().unwrap();
            let expected = match state {
                "REACHABLE" => (1, 3),
                "STALE" => (2, 3),
                "FAILED" => (5, 2),
                "PERMANENT" => (1, 4),
                other => panic!("the test made no {other}"),
            };
            let state = (number(of("ipNetToPhysicalState")), number(of("ipNetToPhysicalType")));
            assert_eq!(state, expected, "{neighbour}");
            let Some(ValueRef::OctetString(octets)) = of("ipNetToPhysicalPhysAddress") else { panic!() };
            let address = octets.iter().map(|octet| format!("{octet:02x}")).collect::<Vec<_>>().join(":");
            assert_eq!(address, neighbour["lladdr"].as_str().unwrap_or(""));
        }
        let index = [index_of("near"), 192, 0, 2, 2];
        assert_eq!(number(cell(&ours, &IP_NET_TO_MEDIA_TABLE, &index, "ipNetToMediaType")), 4);
    });
}

#[test]
fn routes_are_those_of_ip_route() {
    isolated("ip::routes_are_those_of_ip_route", || {
        pair();
        ip("address add 2001:db8::5/64 dev near nodad");
        ip("route add default via 192.0.2.2");
        ip("route add 198.51.100.0/24 proto bgp metric 20 nexthop via 192.0.2.2 nexthop via 192.0.2.3");
        ip("route add 198.51.100.0/24 proto static metric 30 via 192.0.2.2");
        ip("route add blackhole 203.0.113.0/24");
        ip("route add unreachable 2001:db8:dead::/48");
        ip("-6 route add default via fe80::1 dev near expires 500 pref high");
        ip("route add 198.18.0.0/15 via inet6 fe80::2 dev near");
        ip("route add 192.88.99.0/24 dev near table 77");
        let options = HostOptions::host(Instant::now());
        let ours = load_with(&options, "ip-routes");
        let hops = kernel_hops("all");
        let table = ours.table(&INET_CIDR_ROUTE_TABLE).unwrap();
        let rows: BTreeSet<Vec<u32>> = table.index().iter().map(<[u32]>::to_vec).collect();
        assert_eq!(rows.len(), hops.len(), "{hops:?}");
        assert_eq!(scalar(&ours, &INET_CIDR_ROUTE_NUMBER), Some(Value::Unsigned32(rows.len() as u32)));
        let near = index_of("near");
        let row = |destination: Vec<u32>, length, policy: &[u32], hop: Vec<u32>| {
            [destination, vec![length, policy.len() as u32], policy.to_vec(), hop].concat()
        };
        let on_link = || vec![0, 0];
        let check = |index: Vec<u32>, kind, protocol, interface: u32, metric: i32| {
            let of = |column| cell(&ours, &INET_CIDR_ROUTE_TABLE, &index, column);
            assert!(rows.contains(&index), "{index:?} is not in {rows:#?}");
            assert_eq!(number(of("inetCidrRouteType")), kind, "{index:?}");
            assert_eq!(number(of("inetCidrRouteProto")), protocol, "{index:?}");
            assert_eq!(of("inetCidrRouteIfIndex"), Some(ValueRef::Integer(interface as i32)), "{index:?}");
            assert_eq!(of("inetCidrRouteMetric1"), Some(ValueRef::Integer(metric)), "{index:?}");
        };
        let (none, router) = ([0, 0], |last: u32| vec![1, 4, 192, 0, 2, last]);
        let test_net = || inet("198.51.100.0", None);
        check(row(inet("0.0.0.0", None), 0, &none, router(2)), 4, 3, near, 0);
        check(row(inet("192.0.2.0", None), 24, &none, on_link()), 3, 2, near, 0);
        check(row(test_net(), 24, &none, router(2)), 4, 14, near, 20);
        check(row(test_net(), 24, &none, router(3)), 4, 14, near, 20);
        check(row(test_net(), 24, &[0, 0, 30, near, 0], router(2)), 4, 3, near, 30);
        check(row(inet("203.0.113.0", None), 24, &none, on_link()), 5, 3, 0, 0);
        check(row(inet("198.18.0.0", None), 15, &none, inet("fe80::2", Some(near))), 4, 3, near, 0);
        check(row(inet("fe80::", Some(near)), 64, &none, on_link()), 3, 2, near, 256);
        check(row(inet("::", None), 0, &none, inet("fe80::1", Some(near))), 4, 3, near, 1024);
        // Other tables: the local one, and one of policy routing.
        let lo = index_of("lo");
        check(row(inet("192.0.2.1", None), 32, &[0, 0, 255, 0, near, 0], on_link()), 3, 2, near, 0);
        check(row(inet("192.0.2.255", None), 32, &[0, 0, 255, 0, near, 0], on_link()), 3, 2, near, 0);
        check(row(inet("::1", None), 128, &[0, 0, 255, 0, lo, 0], on_link()), 3, 2, lo, 0);
        check(row(inet("ff00::", None), 8, &[0, 0, 255, 256, near, 0], on_link()), 3, 2, near, 256);
        check(row(inet("192.88.99.0", None), 24, &[0, 0, 77, 0, near, 0], on_link()), 3, 3, near, 0);
        let v6_reject = rows.iter().find(|row| row.starts_with(&inet("2001:db8:dead::", None))).unwrap();
        assert_eq!(number(cell(&ours, &INET_CIDR_ROUTE_TABLE, v6_reject, "inetCidrRouteType")), 2);
        let router = [inet("fe80::1", Some(near)), vec![near]].concat();
        let lifetime = number(cell(&ours, &IP_DEFAULT_ROUTER_TABLE, &router, "ipDefaultRouterLifetime"));
        assert!((400..=500).contains(&lifetime), "{lifetime}");
        let preference = cell(&ours, &IP_DEFAULT_ROUTER_TABLE, &router, "ipDefaultRouterPreference");
        assert_eq!(preference, Some(ValueRef::Integer(1)));
        assert_eq!(ours.table(&IP_DEFAULT_ROUTER_TABLE).unwrap().len(), 2);
        let legacy = load("ip-routes-legacy");
        // The tables of old have the main table alone.
        let hops = kernel_hops("main");
        let v4 = hops.iter().filter(|(destination, _)| !destination.contains(':')).count();
        let distinct = v4 - 1; // of the two routes by 192.0.2.2 only one has room in the old index
        assert_eq!(legacy.table(&IP_CIDR_ROUTE_TABLE).unwrap().len(), distinct);
        assert_eq!(scalar(&legacy, &IP_CIDR_ROUTE_NUMBER), Some(Value::Unsigned32(distinct as u32)));
        let old = [198, 51, 100, 0, 255, 255, 255, 0, 0, 192, 0, 2, 2];
        let metric = cell(&legacy, &IP_CIDR_ROUTE_TABLE, &old, "ipCidrRouteMetric1");
        assert_eq!(metric, Some(ValueRef::Integer(20)));
    });
}

/// Destination and next hop of each route of a table that `ip route` shows.
fn kernel_hops(table: &str) -> Vec<(String, String)> {
    let mut hops = Vec::new();
    for family in ["-4", "-6"] {
        let output =
            Command::new("ip").args(["-j", family, "route", "show", "table", table]).output().unwrap();
        let routes: Json = serde_json::from_slice(&output.stdout).unwrap();
        for route in routes.as_array().unwrap() {
            let destination = route["dst"].as_str().unwrap().to_owned();
            let destination = if family == "-6" { format!("{destination}:") } else { destination };
            let several = route["nexthops"].as_array().map_or(1, Vec::len);
            hops.extend(std::iter::repeat_n((destination, route["gateway"].to_string()), several));
        }
    }
    hops
}

#[test]
fn routes_that_did_not_change_are_not_read_again() {
    isolated("ip::routes_that_did_not_change_are_not_read_again", || {
        pair();
        ip("route add 198.51.100.0/24 via 192.0.2.2");
        let options = HostOptions::host(Instant::now());
        let routes = provider(&options, "ip-routes");
        let Loaded::Snapshot(mut known) = routes.load(None).unwrap() else { panic!() };
        // Duplicate address detection and the like continue for a moment.
        let settle = |known: &mut Snapshot| {
            while let Loaded::Snapshot(next) = routes.load(Some(known)).unwrap() {
                *known = next;
            }
            known.table(&INET_CIDR_ROUTE_TABLE).unwrap().len()
        };
        let mut after = |change: &str| {
            settle(&mut known);
            ip(change);
            assert!(
                matches!(routes.load(Some(&known)).unwrap(), Loaded::Snapshot(_)),
                "{change} was not seen"
            );
            ip("link set lo alias looked-at"); // of the same groups, so that the next load reads again
            settle(&mut known)
        };
        let rows = after("route add 203.0.113.0/24 via 192.0.2.2");
        assert_eq!(after("route delete 203.0.113.0/24"), rows - 1);
        // The kernel says nothing about the IPv4 routes that go with the interface.
        assert!(after("link set near down") < rows - 2);
    });
}
