//! `snmpstatus` and `snmpdf`, against snmpd and against a machine whose figures do not change.

use std::collections::BTreeMap;

use trunkline_smi::{Oid, Value};
use trunkline_testkit::has;

use crate::pair::{Pair, Ran, snmpd};
use crate::scripted_machine::{machine, old_machine};
use crate::support::Agent;

#[test]
fn disks_are_those_of_net_snmp() {
    let Some(agent) = snmpd("disk /\nincludeAllDisks 1%") else { return };
    Pair::names(&agent.address).equal(&[
        "snmpdf -v2c -c public -Cu @",
        "snmpdf -v2c -c public -Cuh @",
        "snmpdf -v2c -c public -CuH @",
        "snmpdf -v2c -c public @ more",
        "snmpdf -v2c -c public -Cz @",
    ]);
    Pair::names("127.0.0.1:1").equal(&["snmpdf -v2c -c public -t 0.1 -r 0 @"]);
}

#[test]
fn figures_that_do_not_change_are_printed_alike() {
    if !has("snmpdf", "snmp") {
        return;
    }
    let mut tree = machine();
    // Net-SNMP's takes a size that ran over its end for a negative one.
    tree.retain(|oid, _| oid.last() != Some(&33));
    let agent = Agent::serving(tree);
    Pair::names(&agent.target()).equal(&[
        "snmpdf -v2c -c public @",
        "snmpdf -v2c -c public -Ch @",
        "snmpdf -v2c -c public -CH @",
    ]);
    let (_, ours) = Pair::names(&agent.target()).both("snmpdf -v2c -c public -Cu @");
    assert!(ours.out.contains("4294967303               5      4294967298    0%"), "{}", ours.out);
    let nothing =
        Agent::serving(BTreeMap::from([(Oid::from([1, 3, 6, 1, 2, 1, 1, 3, 0]), Value::TimeTicks(1))]));
    Pair::names(&nothing.target()).equal(&["snmpdf -v2c -c public @", "snmpdf -v2c -c public -Cu @"]);
}

#[test]
fn a_status_is_that_of_net_snmp() {
    if !has("snmpstatus", "snmp") {
        return;
    }
    let mut tree = machine();
    tree.insert(Oid::from([1, 3, 6, 1, 2, 1, 1, 1, 0]), Value::text("Linux r1"));
    // Net-SNMP's counts packets to many of the first interface twice: there are none here.
    for (column, index) in [(12, 1), (12, 2), (18, 1), (18, 2)] {
        tree.insert(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, column, index]), Value::Counter32(0));
    }
    let agent = Agent::serving(tree.clone());
    let old = old_machine();
    let other = |number| {
        let mut tree = tree.clone();
        for index in 1..=2 {
            tree.insert(Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 8, index]), Value::Integer(number));
        }
        Agent::serving(tree)
    };
    let (up, down, unknown) = (other(1), other(2), other(4));
    for (agent, options) in
        [(&agent, "-v2c"), (&up, "-v2c"), (&down, "-v2c -Cf"), (&unknown, "-v2c"), (&old, "-v1")]
    {
        let target = agent.target();
        let (theirs, ours) = Pair::names(&target).both(&format!("snmpstatus {options} -c public @"));
        if options == "-v1" {
            assert_eq!(figures_of(&ours), "Interfaces: 2, Recv/Trans packets: 33/66 | IP: 1001/1002");
            assert_eq!(theirs.status, ours.status);
            continue;
        }
        assert_eq!(masked(&theirs), masked(&ours));
    }
    Pair::names("127.0.0.1:1").equal(&["snmpstatus -v2c -c public -t 0.1 -r 0 @"]);
    Pair::names(&agent.target()).equal(&[
        "snmpstatus -v2c @",
        "snmpstatus",
        "snmpstatus -v2c -c public -Cz @",
    ]);
}

/// What Net-SNMP's misses when it sends has another status than a host that is unknown or silent.
#[test]
fn the_status_of_a_session_that_fails_is_that_of_net_snmp() {
    let Some(agent) = snmpd("") else { return };
    Pair::names(&agent.address).equal(&[
        "snmpstatus -v3 @",
        "snmpget -v3 @ 1.3.6.1.2.1.1.5.0",
        "snmpstatus -v3 -u nobody -l authPriv @",
        "snmpget -v3 -u nobody -l authPriv @ 1.3.6.1.2.1.1.5.0",
        "snmpstatus -v3 -u nobody -t 1 -r 0 @",
        "snmpget -v3 -u nobody -t 1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpstatus -v3 -u nobody -l authPriv -A short -X short @",
    ]);
    Pair::names("127.0.0.1:1").equal(&["snmpstatus -v3 -u nobody -t 0.1 -r 0 @"]);
}

fn figures_of(ran: &Ran) -> String {
    ran.out.lines().find(|line| line.starts_with("Interfaces")).unwrap_or_default().to_owned()
}

/// Without our end's port, which is another one each time.
fn masked(ran: &Ran) -> (String, String, Option<i32>) {
    let out = match (ran.out.split_once("[0.0.0.0]:"), ran.out.split_once("]=>")) {
        (Some((front, _)), Some((_, back))) => format!("{front}{back}"),
        _ => ran.out.clone(),
    };
    (out, ran.words.clone(), ran.status)
}
