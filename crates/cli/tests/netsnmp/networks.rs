//! `snmpnetstat`, against snmpd and against a machine whose figures do not change.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use trunkline_smi::{Oid, Value};
use trunkline_testkit::has;

use crate::network::{Tables, network};
use crate::pair::{Pair, Ran, links, snmpd};
use crate::support::{Agent, Trunklined};

#[test]
fn the_network_is_listed_alike() {
    if !has("snmpnetstat", "snmp") {
        return;
    }
    let agent = Agent::serving(network(Tables::Present));
    Pair::names(&agent.target()).equal(&[
        "snmpnetstat -v2c -c public -Can @",
        "snmpnetstat -v2c -c public -Cn @",
        "snmpnetstat -v2c -c public -Ca @",
        "snmpnetstat -v2c -c public -Can -Cf inet @",
        "snmpnetstat -v2c -c public -Cn -Cp udp @",
        "snmpnetstat -v2c -c public -CaLn @",
        "snmpnetstat -v2c -c public -Ci @",
        "snmpnetstat -v2c -c public -Cid -CI lo @",
        "snmpnetstat -v2c -c public -Cf ipx @",
        "snmpnetstat -v2c -c public -Cp ipx @",
    ]);
    let old = Agent::serving(network(Tables::Old));
    Pair::names(&old.target())
        .equal(&["snmpnetstat -v2c -c public -CaLn @", "snmpnetstat -v2c -c public -CLn @"]);
}

#[test]
fn routes_are_those_of_net_snmp() {
    let Some(agent) = snmpd("") else { return };
    Pair::names(&agent.address).equal(&[
        "snmpnetstat -v2c -c public -Crn @",
        "snmpnetstat -v2c -c public -Crn -Cf inet @",
        "snmpnetstat -v2c -c public -CrLn @",
    ]);
}

#[test]
fn statistics_have_the_same_figures_in_other_words() {
    if !has("snmpnetstat", "snmp") {
        return;
    }
    let agent = Agent::serving(network(Tables::Present));
    let target = agent.target();
    for words in ["-Cs -Cp tcp", "-Cs -Cp udp", "-Cs -Cp ip6", "-Css -Cp ip"] {
        let (theirs, ours) = Pair::names(&target).both(&format!("snmpnetstat -v2c -c public {words} @"));
        assert_eq!(figures(&theirs), figures(&ours), "{words}");
        assert!(figures(&ours).len() > 3, "{ours:?}");
    }
    let (_, ours) = Pair::names(&target).both("snmpnetstat -v2c -c public -Cp icmp @");
    assert!(ours.out.contains("\n              7          8 destination unreachable\n"), "{}", ours.out);
}

fn figures(ran: &Ran) -> Vec<String> {
    let first = |line: &str| line.split_whitespace().next().unwrap_or_default().to_owned();
    ran.out.lines().map(first).collect()
}

#[test]
fn old_agents_nothing_and_silence() {
    let old = Agent::serving(network(Tables::Old));
    let pair = Pair::names("");
    let ran = |target: &str, words: &str| {
        let (tool, rest) = ("snmpnetstat", format!("-v2c -c public {words} {target}"));
        pair.ours(&format!("{tool} {rest}"))
    };
    let routes = ran(&old.target(), "-Crn");
    assert!(routes.out.starts_with("Routing tables (ipRouteTable)\n"), "{}", routes.out);
    assert!(
        routes.out.contains("\n192.0.2/24                 *                  <U>     eth0\n"),
        "{}",
        routes.out
    );
    let sockets = ran(&old.target(), "-Can");
    assert!(
        sockets.out.contains("\ntcp   127.0.0.1.5000              127.0.0.1.80                TIMEWAIT\n")
    );
    let up = BTreeMap::from([(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(1))]);
    let none = Agent::serving(up);
    for (words, status, what) in [
        ("-Cr", 1, "Failed to locate any routes.\n"),
        ("-Cs", 1, "Failed to locate any statistics.\n"),
        ("-Cw 1", 1, "Failed to locate any interfaces.\n"),
        ("-Cw 1 -CI eth9", 1, "eth9: unknown interface\n"),
        ("-Cn", 0, ""),
        ("-Ci", 0, ""),
    ] {
        let ran = ran(&none.target(), words);
        assert_eq!((ran.status, ran.words.as_str()), (Some(status), what), "{words}");
    }
    let silent = Agent::new(|_| None);
    let ran = ran(&silent.target(), "-t 0.05 -r 0 -Cs");
    assert!(ran.status == Some(1) && ran.words.starts_with("Timeout: No Response from "), "{ran:?}");
    for words in ["-Cz", "-Cw x", "-Cw 0", "-CR 0"] {
        let ran = pair.ours(&format!("snmpnetstat -v2c -c public {words} localhost"));
        assert!(ran.status == Some(1) && ran.usage, "{words} {ran:?}");
    }
}

#[test]
fn an_interval_has_a_line_for_each_look() {
    let agent = Agent::serving(network(Tables::Present));
    let words = ["-v2c", "-c", "public", "-Cw", "1", "-Cd", "-CI", "eth0", &agent.target()];
    let mut child =
        Command::new(links().join("snmpnetstat")).args(words).stdout(Stdio::piped()).spawn().unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    let lines: Vec<String> = lines.take(3).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(
        lines,
        [
            "            input           eth0           output",
            "   packets  errs      bytes    packets  errs      bytes colls drops",
            "         0     0          0          0     0          0     0     0",
        ]
    );
}

#[test]
fn our_agents_network_is_seen_the_same_by_both() {
    let config = "[agent]\nstate = \"STATE\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n";
    let Some(agent) = Trunklined::start(config, &["udp"]).filter(|_| has("snmpnetstat", "snmp")) else {
        return;
    };
    Pair::names(agent.address(0)).equal(&["snmpnetstat -v2c -c public -CrLn @"]);
}
