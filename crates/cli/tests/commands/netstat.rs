//! `netstat`.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU32, Ordering::SeqCst};

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, VarBind};

use crate::network::{Tables, network};
use crate::support::{Agent, Trunklined, answer_next, run};

#[test]
fn sockets_are_listed_with_their_states_and_processes() {
    let agent = Agent::serving(network(Tables::Present));
    let target = &agent.target();
    let (out, err) = run(&["netstat", target], 0);
    let expected = "\
protocol  state        process  local address      remote address
--------- ------------ -------- ------------------ --------------------
tcp       established       77  127.0.0.1:5000     127.0.0.1:80
tcp       closeWait          -  192.0.2.1:22       192.0.2.1:40000
tcp       timeWait          78  [2001:db8::1]:443  [2001:db8::2]:50000
tcp       listen             1  0.0.0.0:22         -
tcp       listen            79  [::]:80            -
udp       -                 80  0.0.0.0:161        -
udp       -                  -  [2001:db8::1]:53   [2001:db8::2]:5353
";
    assert_eq!((out.as_str(), err.as_str()), (expected, ""));
    let count =
        |words: &[&str]| run(&[&["netstat", target, "--csv"], words].concat(), 0).0.lines().count() - 1;
    assert_eq!(count(&["--listening"]), 3);
    assert_eq!(count(&["--listening", "--protocol", "tcp", "--ipv6"]), 1);
    assert_eq!((count(&["--protocol", "udp"]), count(&["--ipv4"]), count(&["--old-tables"])), (2, 4, 3));
    let (out, _) = run(&["netstat", target, "--json"], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    let expected = serde_json::json!({
        "protocol": "tcp", "family": "ipv6", "local_address": "2001:db8::1", "local_port": 443,
        "remote_address": "2001:db8::2", "remote_port": 50_000, "state": "timeWait", "process": 78,
    });
    assert_eq!(document[2], expected);
    assert_eq!(document[3]["remote_port"], serde_json::Value::Null);
    let old = Agent::serving(network(Tables::Old));
    let (out, _) = run(&["netstat", &old.target(), "--csv"], 0);
    assert!(out.contains("\ntcp,ipv4,127.0.0.1,5000,127.0.0.1,80,timeWait,\n"), "{out}");
    assert!(out.contains("\nudp,ipv4,0.0.0.0,161,,,,\n") && out.lines().count() == 4, "{out}");
}

#[test]
fn routes_are_those_of_the_best_table() {
    let agent = Agent::serving(network(Tables::Present));
    let (out, err) = run(&["netstat", "--routes", &agent.target()], 0);
    let expected = "\
destination      gateway      interface  metric  type       protocol
---------------- ------------ ---------- ------- ---------- ---------
10.0.0.0/8       -            -              20  blackhole  netmgmt
0.0.0.0/0        192.0.2.9    eth0            0  remote     netmgmt
192.0.2.0/24     -            eth0            0  local      local
127.0.0.1/32     -            lo              0  local      local
::/0             2001:db8::2  eth0         1024  remote     netmgmt
2001:db8::1/128  -            eth0            -  local      local
";
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert_eq!((sorted(&out), err.as_str()), (sorted(expected), ""));
    let old = Agent::serving(network(Tables::Old));
    let (out, _) = run(&["netstat", "--routes", &old.target(), "--csv"], 0);
    let expected = "destination,family,gateway,interface,type,protocol,metric,policy\n\
        0.0.0.0/0,ipv4,192.0.2.9,eth0,remote,local,,\n192.0.2.0/24,ipv4,,eth0,local,local,,\n";
    assert_eq!(out, expected);
}

#[test]
fn interfaces_have_addresses_and_what_they_carried() {
    let agent = Agent::serving(network(Tables::Present));
    let (out, _) = run(&["netstat", "--interfaces", &agent.target()], 0);
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 4, "{out}");
    assert!(lines[2].starts_with("lo    up     1500  1.0 KiB       11       3      4"), "{out}");
    // The octets of 64 bits, the packets of 32.
    assert!(lines[3].starts_with("eth0  down   1500  1.0 TiB       22       6      8"), "{out}");
    assert!(lines[3].ends_with("  192.0.2.1/24 2001:db8::1/64"), "{out}");
    let (out, _) = run(&["netstat", "--interface", "lo", "--old-tables", "--json", &agent.target()], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document.as_array().unwrap().len(), 1);
    assert_eq!(document[0]["addresses"], serde_json::json!(["127.0.0.1/8"]));
    assert_eq!((&document[0]["packets_out"], &document[0]["discards_out"]), (&22.into(), &6.into()));
}

#[test]
fn statistics_are_those_of_both_versions_of_ip() {
    let agent = Agent::serving(network(Tables::Present));
    let (out, _) = run(&["netstat", "--statistics", &agent.target()], 0);
    for line in ["tcp\n             605  connections opened\n", "\nip6\n            2002  packets received\n"]
    {
        assert!(out.contains(line), "{line}{out}");
    }
    assert!(out.contains("               7               8  destination unreachable\n"), "{out}");
    let (out, _) = run(&["netstat", "--statistics", "--protocol", "icmp,ip6", "--csv", &agent.target()], 0);
    assert!(out.contains("\nip6,ipSystemStatsHCInReceives,packets received,2002\n"), "{out}");
    assert!(out.contains("\nicmp,icmpMsgStatsOutPkts.1.3,\"destination unreachable, sent\",8\n"), "{out}");
    assert!(!out.contains("\nudp") && !out.contains("\nip,"), "{out}");
    let old = Agent::serving(network(Tables::Old));
    let (out, _) = run(&["netstat", "--statistics", &old.target()], 0);
    assert!(out.contains("\nip\n             403  packets received\n") && !out.contains("ip6"), "{out}");
    assert!(out.contains("             508             521  echo\n"), "{out}");
}

#[test]
fn interfaces_are_looked_at_again_and_again() {
    let asked = AtomicU32::new(0);
    let tree = network(Tables::Old);
    let agent = Agent::new(move |request| {
        // A counter near its end that goes on with each request.
        let count = u32::MAX.wrapping_add(asked.fetch_add(1000, SeqCst));
        let counted = |name: &Oid, value: &Value| match (&name[..], value) {
            ([.., 10, 1], Value::Counter32(_)) => Value::Counter32(count),
            _ => value.clone(),
        };
        let find = |name: &Oid| match request.pdu.kind {
            trunkline_snmp::wire::PduKind::Get => tree.get_key_value(name),
            _ => tree.iter().find(|(oid, _)| *oid > name),
        };
        Some(answer_next(&request, |name| match find(name) {
            Some((oid, value)) => VarBind::new(oid.clone(), counted(oid, value)),
            None => VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) },
        }))
    });
    let words = ["netstat", "--every", "20ms", "--count", "2", "--json", &agent.target()];
    let (out, err) = run(&words, 0);
    let records: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((records.len(), err.as_str()), (4, ""), "{out}");
    for record in &records {
        let octets = record["octets_in"].as_f64().unwrap() * record["seconds"].as_f64().unwrap();
        let expected = record["name"] == "lo";
        assert_eq!((999.0..100_000.0).contains(&octets), expected, "{record}");
        assert_eq!(record["packets_out"], 0.0);
    }
}

#[test]
fn what_is_not_there_is_reported() {
    let none = Agent::serving(BTreeMap::new());
    for (words, what) in [
        (&[][..], "sockets"),
        (&["--routes"], "routes"),
        (&["--interfaces"], "interfaces"),
        (&["--statistics"], "statistics"),
    ] {
        let target = none.target();
        let all = [&["netstat", &target], words].concat();
        let (out, err) = run(&all, 0);
        assert!(out.is_empty() && err.contains(&format!("the agent lists no such {what}")), "{out}{err}");
        run(&[&all[..], &["--missing-is-error"]].concat(), 1);
    }
    let (out, err) = run(&["netstat", "--every", "1s", &none.target()], 0);
    assert!(out.is_empty() && err.contains("no such interfaces"), "{out}{err}");
    let silent = Agent::new(|_| None);
    let (_, err) = run(&["netstat", "-t", "0.05", "-r", "0", &silent.target()], 1);
    assert!(err.contains("no answer"), "{err}");
    for words in
        [&["--routes", "--interfaces"][..], &["--protocol", "sctp"], &["--count", "3"], &["--ipv4", "--ipv6"]]
    {
        run(&[&["netstat", "localhost"], words].concat(), 2);
    }
}

#[test]
fn the_agent_of_this_build_lists_its_network() {
    let config = "[agent]\nstate = \"STATE\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n";
    let Some(agent) = Trunklined::start(config, &["udp"]) else { return };
    let target = agent.address(0);
    let (out, _) = run(&["netstat", "--protocol", "udp", target], 0);
    assert!(out.contains(target), "{out}");
    let (out, _) = run(&["netstat", "--interfaces", "--csv", target], 0);
    assert!(out.contains(",lo,up,up,"), "{out}");
    let (out, _) = run(&["netstat", "--routes", target], 0);
    assert!(out.contains("127.0.0.0/8"), "{out}");
    let (out, _) = run(&["netstat", "--statistics", target], 0);
    assert!(out.contains("\nudp\n") && out.contains("\nip6\n"), "{out}");
}
