//! The agent and the kernel's interfaces, in a network namespace that each test makes for itself: what is set
//! through SNMP is applied and taken back, what the kernel changes is seen at once.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

use crate::support;

use std::net::UdpSocket;
use std::time::Instant;

use serde_json::Value as Json;
use support::talk::{Talk, name_to_oid, show};
use support::{Agent, PATIENCE, steady};
use trunkline_smi::Value;
use trunkline_testkit::namespace::{ip, ip_json, isolated};

/// `near` and `far`, two ends of a cable, both down, without traffic.
fn cable() {
    ip("link add near type veth peer name far");
    for end in ["near", "far"] {
        let quiet = format!("/proc/sys/net/ipv6/conf/{end}/disable_ipv6");
        let _ = std::fs::write(quiet, "1"); // without IPv6 there is nothing to be quiet
    }
}

fn link(name: &str) -> Json {
    ip_json(&format!("-s link show dev {name}"))[0].clone()
}

fn index_of(name: &str) -> u64 {
    link(name)["ifindex"].as_u64().unwrap()
}

fn is_up(name: &str) -> bool {
    link(name)["flags"].as_array().unwrap().iter().any(|flag| flag == "UP")
}

/// Cases with the names of interfaces in braces in place of their indexes.
fn check(talk: &Talk, cases: &[(&str, &str)]) {
    for (request, answer) in cases {
        talk.check(&[(&indexed(request), &indexed(answer))]);
    }
}

fn indexed(text: &str) -> String {
    let mut parts = text.split(['{', '}']);
    let mut whole = parts.next().unwrap().to_string();
    while let (Some(name), Some(rest)) = (parts.next(), parts.next()) {
        whole += &index_of(name).to_string();
        whole += rest;
    }
    whole
}

/// The number of an instance, whatever its type.
fn number(talk: &Talk, instance: &str) -> u64 {
    let answer = talk.ask(&indexed(&format!("2c public get {instance}")));
    match answer.pdu.bindings[0].value.value() {
        Some(Value::Integer(v)) => *v as u64,
        Some(Value::Counter32(v) | Value::Unsigned32(v) | Value::TimeTicks(v)) => u64::from(*v),
        Some(Value::Counter64(v)) => *v,
        other => panic!("{instance}: {other:?}"),
    }
}

/// Asks until it is so. Data may be an hour old by configuration: only the kernel's notification makes it new.
fn until(talk: &Talk, request: &str, wanted: &str) {
    let (request, wanted, begin) = (indexed(request), indexed(wanted), Instant::now());
    loop {
        let found = show(&talk.ask(&request));
        if found == wanted {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "{request}\n wanted {wanted}\n  found {found}");
    }
}

#[test]
fn a_set_is_applied_to_the_kernel() {
    isolated("links::a_set_is_applied_to_the_kernel", || {
        cable();
        let agent = Agent::start(&steady(""));
        let talk = Talk::to(&agent);
        check(
            &talk,
            &[
                (
                    "2c public get ifAlias.{near} ifAdminStatus.{near}",
                    "noError 0 ifAlias.{near}=s: ifAdminStatus.{near}=i:2",
                ),
                ("2c private set ifAlias.{near}=s:uplink", "noError 0 ifAlias.{near}=s:uplink"),
            ],
        );
        assert_eq!(link("near")["ifalias"], "uplink");
        assert!(!is_up("near"));
        check(
            &talk,
            &[
                (
                    "2c public get ifAlias.{near} ifAdminStatus.{near}",
                    "noError 0 ifAlias.{near}=s:uplink ifAdminStatus.{near}=i:2",
                ),
                (
                    "2c private set ifAdminStatus.{near}=i:1 ifAlias.{far}=s:other ifAdminStatus.{far}=i:1",
                    "noError 0 ifAdminStatus.{near}=i:1 ifAlias.{far}=s:other ifAdminStatus.{far}=i:1",
                ),
            ],
        );
        assert!(is_up("near") && is_up("far"));
        assert_eq!(link("far")["ifalias"], "other");
        check(
            &talk,
            &[
                (
                    "2c public get ifAdminStatus.{near} ifAlias.{far}",
                    "noError 0 ifAdminStatus.{near}=i:1 ifAlias.{far}=s:other",
                ),
                (
                    "1 private set ifAdminStatus.{near}=i:2 ifAlias.{near}=s:",
                    "noError 0 ifAdminStatus.{near}=i:2 ifAlias.{near}=s:",
                ),
                (
                    "2c public get ifAdminStatus.{near} ifAlias.{near}",
                    "noError 0 ifAdminStatus.{near}=i:2 ifAlias.{near}=s:",
                ),
            ],
        );
        assert!(!is_up("near") && is_up("far"));
        assert_eq!(link("near").get("ifalias"), None);
    });
}

#[test]
fn a_set_that_fails_leaves_the_kernel_as_it_was() {
    isolated("links::a_set_that_fails_leaves_the_kernel_as_it_was", || {
        cable();
        ip("link set near alias before");
        // The kernel does not let "upper" be up: its address is in use on another interface.
        ip("link add base type bridge");
        ip("link set base up");
        for name in ["beside", "upper"] {
            ip(&format!("link add {name} link base address 02:00:00:00:00:09 type macvlan mode bridge"));
        }
        ip("link set beside up");
        let agent = Agent::start(&steady(""));
        let talk = Talk::to(&agent);
        let untouched = |what: &str| {
            assert_eq!(link("near")["ifalias"], "before", "{what}");
            assert!(!is_up("near") && !is_up("far") && !is_up("upper"), "{what}");
            check(
                &talk,
                &[(
                    "2c public get ifAlias.{near} ifAdminStatus.{near}",
                    "noError 0 ifAlias.{near}=s:before ifAdminStatus.{near}=i:2",
                )],
            );
        };
        for (request, answer) in [
            // Refused before anything is done, whatever the order.
            ("ifAlias.{near}=s:x ifAdminStatus.{near}=i:1 sysDescr.0=s:x", "notWritable 3"),
            ("sysDescr.0=s:x ifAlias.{near}=s:x", "notWritable 1"),
            ("ifAlias.{near}=s:x ifAdminStatus.999999=i:1", "noCreation 2"),
            ("ifAdminStatus.{near}=i:1 ifAlias.{near}=i:7", "wrongType 2"),
            ("ifAdminStatus.{near}=i:1 snmpSetSerialNo.0=i:2147483647", "inconsistentValue 2"),
            // Refused by the kernel when a part is done already.
            ("ifAlias.{near}=s:x ifAdminStatus.{upper}=i:1", "commitFailed 2"),
            ("ifAdminStatus.{far}=i:1 ifAlias.{near}=s:x ifAdminStatus.{upper}=i:1", "commitFailed 3"),
            ("sysContact.0=s:x ifAlias.{near}=s:x ifAdminStatus.{upper}=i:1", "commitFailed 3"),
        ] {
            check(&talk, &[(&format!("2c private set {request}"), &format!("{answer} {request}"))]);
            untouched(request);
        }
        check(
            &talk,
            &[(
                "1 private set ifAlias.{near}=s:x ifAdminStatus.{upper}=i:1",
                "genErr 2 ifAlias.{near}=s:x ifAdminStatus.{upper}=i:1",
            )],
        );
        untouched("version 1");
        check(&talk, &[("2c public get sysContact.0", "noError 0 sysContact.0=s:")]);

        // The other way round: another group fails after the interfaces are done.
        std::fs::remove_dir_all(agent.folder.path().join("state")).unwrap();
        std::fs::write(agent.folder.path().join("state"), "no directory").unwrap();
        let request = "ifAlias.{near}=s:x ifAdminStatus.{near}=i:1 sysContact.0=s:x";
        check(&talk, &[(&format!("2c private set {request}"), &format!("commitFailed 3 {request}"))]);
        untouched(request);
    });
}

#[test]
fn without_the_right_a_set_fails_clearly_and_reading_goes_on() {
    isolated("links::without_the_right_a_set_fails_clearly_and_reading_goes_on", || {
        cable();
        let folder = tempfile::tempdir().unwrap();
        let mut agent = Agent::spawn(folder, &steady(""), &["setpriv", "--bounding-set", "-net_admin"]);
        agent.wait_for_listeners(2);
        let talk = Talk::to(&agent);
        check(
            &talk,
            &[
                (
                    "2c private set sysContact.0=s:x ifAlias.{near}=s:x",
                    "resourceUnavailable 2 sysContact.0=s:x ifAlias.{near}=s:x",
                ),
                ("1 private set ifAdminStatus.{near}=i:1", "genErr 1 ifAdminStatus.{near}=i:1"),
                ("2c public get ifAlias.{near} sysContact.0", "noError 0 ifAlias.{near}=s: sysContact.0=s:"),
                ("2c private set sysContact.0=s:x", "noError 0 sysContact.0=s:x"),
            ],
        );
        let said = agent.wait_for("a set could not be made");
        assert!(said.contains("CAP_NET_ADMIN"), "{said}");
        assert!(!is_up("near"));
    });
}

#[test]
fn a_change_of_a_link_is_noticed_at_once() {
    isolated("links::a_change_of_a_link_is_noticed_at_once", || {
        cable();
        ip("link set near up");
        ip("link set far up");
        let agent = Agent::start(&steady(""));
        let talk = Talk::to(&agent);
        let status = "2c public get ifAdminStatus.{near} ifOperStatus.{near}";
        until(&talk, status, "noError 0 ifAdminStatus.{near}=i:1 ifOperStatus.{near}=i:1");
        assert_eq!(number(&talk, "ifLastChange.{near}"), 0, "it was so before the agent came");

        let before = number(&talk, "sysUpTime.0");
        ip("link set far down");
        until(&talk, status, "noError 0 ifAdminStatus.{near}=i:1 ifOperStatus.{near}=i:7");
        let after = number(&talk, "sysUpTime.0");
        let changed = number(&talk, "ifLastChange.{near}");
        assert!((before..=after).contains(&changed), "{changed} is not in {before}..={after}");
        assert_eq!(number(&talk, "ifLastChange.1"), 0, "another interface did not change");

        ip("link set near down");
        until(&talk, status, "noError 0 ifAdminStatus.{near}=i:2 ifOperStatus.{near}=i:2");
        assert!(number(&talk, "ifLastChange.{near}") >= changed);

        // Changes without a state are noticed as well. (The kernel does not report an alias of an interface that
        // is down.)
        ip("link set near up");
        ip("link set near mtu 1234 alias renamed");
        let wanted = "noError 0 ifMtu.{near}=i:1234 ifAlias.{near}=s:renamed";
        until(&talk, "2c public get ifMtu.{near} ifAlias.{near}", wanted);
        ip("link set near address 02:00:00:00:00:77");
        let wanted = "noError 0 ifPhysAddress.{near}=s:\u{2}\0\0\0\0w";
        until(&talk, "2c public get ifPhysAddress.{near}", wanted);
    });
}

#[test]
fn interfaces_come_and_go() {
    isolated("links::interfaces_come_and_go", || {
        cable();
        let agent = Agent::start(&steady(""));
        let talk = Talk::to(&agent);
        until(&talk, "2c public get ifNumber.0", "noError 0 ifNumber.0=i:3");
        assert_eq!(number(&talk, "ifTableLastChange.0"), 0);
        assert_eq!(number(&talk, "ifCounterDiscontinuityTime.{near}"), 0);

        let before = number(&talk, "sysUpTime.0");
        ip("link add later type bridge");
        until(
            &talk,
            "2c public get ifNumber.0 ifDescr.{later}",
            "noError 0 ifNumber.0=i:4 ifDescr.{later}=s:later",
        );
        let after = number(&talk, "sysUpTime.0");
        for object in ["ifTableLastChange.0", "ifCounterDiscontinuityTime.{later}"] {
            let at = number(&talk, object);
            assert!((before..=after).contains(&at), "{object}: {at} is not in {before}..={after}");
        }
        // Its counters are counted from its beginning; those of the others from theirs.
        assert_eq!(number(&talk, "ifCounterDiscontinuityTime.{near}"), 0);

        let stack = number(&talk, "ifStackLastChange.0");
        ip("link set near master later");
        until(
            &talk,
            "2c public get ifStackStatus.{later}.{near}",
            "noError 0 ifStackStatus.{later}.{near}=i:1",
        );
        assert!(number(&talk, "ifStackLastChange.0") >= stack.max(before));

        let (index, change) = (index_of("later"), number(&talk, "ifTableLastChange.0"));
        ip("link delete later");
        until(&talk, "2c public get ifNumber.0", "noError 0 ifNumber.0=i:3");
        check(
            &talk,
            &[(
                &format!("2c public get ifDescr.{index}"),
                &format!("noError 0 ifDescr.{index}=noSuchInstance"),
            )],
        );
        assert!(number(&talk, "ifTableLastChange.0") >= change);
        let indexes = |answer: &trunkline_snmp::wire::Message| {
            let prefix = name_to_oid("ifIndex");
            answer.pdu.bindings.iter().filter(|binding| binding.name.starts_with(&prefix)).count()
        };
        assert_eq!(indexes(&talk.ask("2c public bulk 0 20 ifIndex")), 3);
    });
}

#[test]
fn counters_are_those_of_the_kernel() {
    isolated("links::counters_are_those_of_the_kernel", || {
        cable();
        for command in ["link set near up", "link set far up", "address add 192.0.2.1/24 dev near"] {
            ip(command);
        }
        ip("neighbour add 192.0.2.2 lladdr 02:00:00:00:00:02 dev near");
        let config = steady("interfaces = \"per-request\"\n");
        let agent = Agent::start(&config);
        let talk = Talk::to(&agent);
        let socket = UdpSocket::bind("192.0.2.1:0").unwrap();
        for round in 1..=3 {
            for size in [10, 100, 1000] {
                for _ in 0..50 {
                    socket.send_to(&vec![7; size * round], "192.0.2.2:9").unwrap();
                }
            }
            for end in ["near", "far"] {
                compare(&talk, end);
            }
        }
        assert!(number(&talk, "ifHCOutUcastPkts.{near}") >= 450);
        assert_eq!(number(&talk, "ifHCOutOctets.{near}"), number(&talk, "ifHCInOctets.{far}"));
    });
}

/// Each counter lies between what `ip` says before and after.
fn compare(talk: &Talk, name: &str) {
    let kernel = || {
        let stats = link(name)["stats64"].clone();
        let count = |way: &str, what: &str| stats[way][what].as_u64().unwrap();
        [
            ("ifHCInOctets", count("rx", "bytes")),
            ("ifHCOutOctets", count("tx", "bytes")),
            ("ifHCInUcastPkts", count("rx", "packets") - count("rx", "multicast")),
            ("ifHCInMulticastPkts", count("rx", "multicast")),
            ("ifHCOutUcastPkts", count("tx", "packets")),
            ("ifInErrors", count("rx", "errors")),
            ("ifOutErrors", count("tx", "errors")),
            ("ifInDiscards", count("rx", "dropped")),
            ("ifOutDiscards", count("tx", "dropped")),
            ("ifInOctets", count("rx", "bytes")),
            ("ifOutUcastPkts", count("tx", "packets")),
        ]
    };
    let before = kernel();
    let ours = before.map(|(object, _)| number(talk, &format!("{object}.{{{name}}}")));
    for ((object, low), ((_, high), ours)) in before.iter().zip(kernel().iter().zip(ours)) {
        assert!((*low..=*high).contains(&ours), "{object}.{name}: {ours} is not in {low}..={high}");
    }
}

/// Notifications arrive in the order in which they were sent: what was off has left nothing between the others.
#[test]
fn link_notifications_can_be_turned_off() {
    isolated("links::link_notifications_can_be_turned_off", || {
        cable();
        ip("link set near up");
        ip("link set far up");
        let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
        receiver.set_read_timeout(Some(PATIENCE)).unwrap();
        let target = format!(
            "[[snmp.target]]\nname = \"nms\"\naddress = \"udp://{}\"\ncommunity = \"c\"\n",
            receiver.local_addr().unwrap()
        );
        let config = |value: bool| {
            let off = format!(
                "listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]\nlink-notifications = {value}"
            );
            let base = support::BOTH.replace("listen = [\"udp://127.0.0.1:0\", \"tcp://127.0.0.1:0\"]", &off);
            format!("{base}{target}")
        };
        let next = || {
            let mut octets = [0; 2048];
            let count = receiver.recv(&mut octets).unwrap();
            let pdu = trunkline_snmp::wire::Message::decode(&octets[..count]).unwrap().pdu;
            let Some(Value::ObjectIdentifier(name)) = pdu.bindings[1].value.value() else {
                panic!("{pdu:?}")
            };
            name.to_string()
        };
        let agent = Agent::start(&config(false));
        let talk = Talk::to(&agent);
        let status = |value: &str| format!("noError 0 ifOperStatus.{{near}}=i:{value}");
        assert_eq!(next(), "1.3.6.1.6.3.1.1.5.1", "coldStart");
        ip("link set far down");
        until(&talk, "2c public get ifOperStatus.{near}", &status("7"));
        ip("link set far up");
        until(&talk, "2c public get ifOperStatus.{near}", &status("1"));
        let enable = |value: &str| format!("noError 0 ifLinkUpDownTrapEnable.{{near}}=i:{value}");
        until(&talk, "2c public get ifLinkUpDownTrapEnable.{near}", &enable("2"));
        agent.rewrite(&config(true));
        agent.signal("HUP");
        agent.wait_for("configuration reloaded");
        assert_eq!(next(), "1.3.6.1.6.3.1.1.5.1", "coldStart after a changed configuration");
        until(&talk, "2c public get ifLinkUpDownTrapEnable.{near}", &enable("1"));
        ip("link set far down");
        assert_eq!(next(), "1.3.6.1.6.3.1.1.5.3", "linkDown");
    });
}
