//! The program against agents that loop, lie, refuse and stay silent, and against a closed output.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use support::{Agent, answer_next, run, trunkline};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, Pdu, PduKind, VarBind};

fn pdu(bindings: Vec<VarBind>) -> Pdu {
    Pdu::new(PduKind::Response, 0, bindings)
}

/// An agent whose third interface is followed by the first.
fn looping() -> Agent {
    Agent::new(|request| {
        let column = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2]);
        Some(answer_next(&request, |asked| {
            let last = asked.strip_prefix(&*column).and_then(|index| index.first().copied()).unwrap_or(0);
            VarBind::new(column.child(&[last % 3 + 1]), Value::text(format!("eth{last}")))
        }))
    })
}

#[test]
fn a_looping_agent_is_reported_and_stopped() {
    let agent = looping();
    for version in ["-v1", "-v2c"] {
        let (out, err) = run(&["walk", version, &agent.target(), "ifDescr"], 1);
        assert_eq!(out.lines().count(), 3, "{out}");
        assert!(
            err.contains("the agent loops: after IF-MIB::ifDescr.3 it answered IF-MIB::ifDescr.1")
                && err.contains("-Cc"),
            "{err}"
        );
    }
    let (_, err) = run(&["table", &agent.target(), "ifTable", "--columns", "ifDescr"], 1);
    assert!(err.contains("the agent loops"), "{err}");
    let (_, err) = run(&["watch", "--count", "1", &agent.target(), "ifDescr"], 1);
    assert!(err.contains("the agent loops"), "{err}");
}

/// An agent with rows without end in one column of each of these tables; two of its large values fit into a message.
fn endless() -> Agent {
    let columns = [
        Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2]),        // ifDescr
        Oid::from([1, 3, 6, 1, 2, 1, 25, 2, 3, 1, 3]),    // hrStorageDescr
        Oid::from([1, 3, 6, 1, 6, 3, 15, 1, 2, 2, 1, 3]), // usmUserSecurityName
        Oid::from([1, 3, 6, 1, 6, 3, 16, 1, 2, 1, 3]),    // vacmGroupName
    ];
    Agent::new(move |request| {
        let mut answer = answer_next(&request, |asked| {
            let is_at = |column: &&Oid| asked.starts_with(column);
            let Some(column) = columns.iter().find(is_at) else {
                let end = Bound::Exception(Exception::EndOfMibView);
                return VarBind { name: asked.clone(), value: end };
            };
            let last = asked.strip_prefix(&**column).and_then(|index| index.first().copied()).unwrap_or(0);
            VarBind::new(column.child(&[last + 1]), Value::OctetString(vec![b'x'; 30_000]))
        });
        if request.pdu.kind == PduKind::GetBulk {
            answer.bindings.truncate(2);
        }
        Some(answer)
    })
}

/// Its answers are in order, so only a limit ends it.
#[test]
fn an_agent_that_never_ends_is_left() {
    let agent = endless();
    let target = agent.target();
    for words in
        [&["df"][..], &["status"], &["netstat", "--interfaces"], &["user", "list"], &["access", "members"]]
    {
        let (out, err) = run(&[words, &[&target]].concat(), 1);
        assert!(out.is_empty() && err.contains("256 MiB") && err.contains(" rows with "), "{words:?} {err}");
        assert!(err.contains("faulty") && err.contains("--max-rows"), "{words:?} {err}");
    }
}

#[test]
fn a_closed_output_ends_a_walk_silently() {
    let agent = looping();
    let mut child = trunkline(&["walk", "-Cc", &agent.target(), "ifDescr"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "IF-MIB::ifDescr.1 = STRING: eth0\n");
    drop(out);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8(ended.stderr).unwrap().as_str()), (Some(0), ""));
}

#[test]
fn ctrl_c_ends_a_watch() {
    let instance = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 1]);
    let agent = Agent::serving([(instance, Value::text("eth0"))].into());
    let mut child = trunkline(&["watch", "--every", "20ms", &agent.target(), "ifDescr.1"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    out.read_line(&mut line).unwrap();
    assert!(line.ends_with("IF-MIB::ifDescr.1 = eth0\n"), "{line}");
    let killed = std::process::Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(killed.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8(ended.stderr).unwrap().as_str()), (Some(130), ""));
}

#[test]
fn a_silent_agent_is_given_up_without_the_community() {
    let agent = Agent::new(|_| None);
    let target = format!("snmp://hush@{}/sysDescr.0", agent.address);
    let (out, err) = run(&["get", "-t", "0.05", "-r", "1", &target], 1);
    assert!(
        out.is_empty() && err.contains("no answer after 2 attempts") && err.contains(&agent.target()),
        "{err}"
    );
    assert!(!err.contains("hush"), "{err}");
}

#[test]
fn a_refusal_names_the_object_and_what_to_do() {
    let agent = Agent::new(|request| Some(Pdu { error_status: 5, error_index: 2, ..request.pdu }));
    let (_, err) = run(&["get", &agent.target(), "sysDescr.0", "sysName.0"], 1);
    assert!(err.contains("genErr at SNMPv2-MIB::sysName.0"), "{err}");
    let (_, err) = run(&["set", "-c", "hush", &agent.target(), "sysName.0=x", "sysContact.0=y"], 1);
    assert!(err.contains("genErr at SNMPv2-MIB::sysContact.0") && !err.contains("hush"), "{err}");
}

#[test]
fn an_answer_to_another_request_does_not_count() {
    let agent = Agent::new(|_| Some(pdu(vec![VarBind::new(Oid::from([1, 3, 6, 1]), Value::Integer(1))])));
    let (out, err) = run(&["get", &agent.target(), "sysDescr.0"], 1);
    assert!(out.is_empty() && !err.is_empty(), "{err}");
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let agent = Agent::new(|request| {
        let value = Value::OctetString(b"a\x1b[2Jb".to_vec());
        Some(pdu(request
            .pdu
            .bindings
            .iter()
            .map(|binding| VarBind::new(binding.name.clone(), value.clone()))
            .collect()))
    });
    for arguments in [&["get"][..], &["get", "--csv"], &["get", "-Oa"], &["get", "-OQ"], &["get", "-OT"]] {
        let (out, _) = run(&[arguments, &[&agent.target(), "ifDescr.1", "1.3.6.1.4.1.99999.1"]].concat(), 0);
        assert!(!out.contains('\x1b'), "{out:?}");
    }
}

#[test]
fn counters_that_are_reset_show_no_rate() {
    let mut looks = 0u32;
    let agent = Agent::new(move |request| {
        looks += 1;
        let discontinuity = Oid::from([1, 3, 6, 1, 2, 1, 31, 1, 1, 1, 19]);
        let answer = |binding: &VarBind| {
            let name = binding.name.clone();
            let value = if name.starts_with(&[1, 3, 6, 1, 2, 1, 1, 3]) {
                Value::TimeTicks(1000 + looks * 10)
            } else if name.starts_with(&discontinuity) {
                Value::TimeTicks(if looks < 3 { 0 } else { 1025 })
            } else {
                Value::Counter32(match looks {
                    1 => u32::MAX - 9,
                    2 => 90, // wrapped: 100 octets
                    _ => 5,  // began again
                })
            };
            VarBind::new(name, value)
        };
        Some(pdu(request.pdu.bindings.iter().map(answer).collect()))
    });
    let arguments = ["watch", "--json", "--every", "100ms", "--count", "2", &agent.target(), "ifInOctets.1"];
    let (out, _) = run(&arguments, 0);
    let lines: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines[0]["what"], "rate", "{out}");
    let rate = lines[0]["rate"].as_f64().unwrap();
    assert!((10.0..=1100.0).contains(&rate), "100 octets in about 100 ms: {out}");
    assert_eq!(lines[1]["what"], "reset", "{out}");
    assert!(
        lines[1]["text"].as_str().unwrap().contains("discontinuity") && lines[1]["rate"].is_null(),
        "{out}"
    );
}

#[test]
fn exceptions_are_values_and_hints_help() {
    let agent = Agent::new(|request| {
        let missing = Bound::Exception(Exception::NoSuchObject);
        let answer = |binding: &VarBind| VarBind { name: binding.name.clone(), value: missing.clone() };
        Some(pdu(request.pdu.bindings.iter().map(answer).collect()))
    });
    let (out, err) = run(&["get", &agent.target(), "sysDescr"], 0);
    assert_eq!(out, "SNMPv2-MIB::sysDescr = No Such Object available on this agent at this OID\n");
    assert!(err.contains("sysDescr.0"), "{err}");
}

#[test]
fn mistakes_on_the_command_line_exit_with_2_and_suggest_a_fix() {
    for (arguments, words) in [
        (&["get", "localhost", "ifDecsr.1"][..], "did you mean ifDescr"),
        (&["get", "localhost"], "no object is given"),
        (&["get", "http://localhost", "sysDescr.0"], "unknown scheme"),
        (&["get", "-Oz", "localhost", "sysDescr.0"], "-O has no letter 'z'"),
        (&["walk", "-Cz", "localhost", "sysDescr.0"], "-C has no letter 'z'"),
        (&["get", "-v4", "localhost", "sysDescr.0"], "invalid value '4'"),
        (&["get", "-m", "NO-SUCH-MIB", "localhost", "sysDescr.0"], "no MIB text defines NO-SUCH-MIB"),
        (&["set", "localhost", "ifAdminStatus.1=left"], "one of up(1) down(2) testing(3)"),
        (&["translate", "nothing"], "no known module defines nothing"),
    ] {
        let (out, err) = run(arguments, 2);
        assert!(out.is_empty() && err.contains(words), "{arguments:?}: {err}");
    }
}

#[test]
fn net_snmps_configuration_sets_where_mib_files_are() {
    let folder = tempfile::tempdir().unwrap();
    let text = "MY-MIB DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI; \
                myThing OBJECT IDENTIFIER ::= { enterprises 99999 7 } END";
    std::fs::write(folder.path().join("MY-MIB.txt"), text).unwrap();
    let config = format!("mibs :\nmibdirs +{}\n", folder.path().display());
    std::fs::write(folder.path().join("snmp.conf"), config).unwrap();
    let translate = |object: &str| {
        let output = trunkline(&["translate", object]).env("SNMPCONFPATH", folder.path()).output().unwrap();
        support::texts(&output)
    };
    assert_eq!(translate("MY-MIB::myThing"), (".1.3.6.1.4.1.99999.7\n".into(), String::new()));
    assert_eq!(translate(".1.3.6.1.4.1.99999.7.1"), ("MY-MIB::myThing.1\n".into(), String::new()));
    std::fs::write(folder.path().join("snmp.conf"), "mibs +NO-SUCH-MIB\n").unwrap();
    let (out, err) = translate("ifTable");
    assert!(out == ".1.3.6.1.2.1.2.2\n" && err.contains("NO-SUCH-MIB"), "{out}{err}");
}

#[test]
fn translate_goes_both_ways() {
    for (arguments, expected) in [
        (&["ifDescr.2"][..], ".1.3.6.1.2.1.2.2.1.2.2\n"),
        (&[".1.3.6.1.2.1.2.2.1.2.2"], "IF-MIB::ifDescr.2\n"),
        (&["-On", "IF-MIB::ifTable"], ".1.3.6.1.2.1.2.2\n"),
        (&["-Of", "ifNumber.0"], ".iso.org.dod.internet.mgmt.mib-2.interfaces.ifNumber.0\n"),
    ] {
        assert_eq!(run(&[&["translate"], arguments].concat(), 0).0, expected);
    }
    let (out, _) = run(&["translate", "--json", "ifOperStatus.2"], 0);
    let entry: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!((&entry[0]["kind"], &entry[0]["module"]), (&"column".into(), &"IF-MIB".into()), "{out}");
    let (out, _) = run(&["translate", "-Td", "ifOperStatus.2"], 0);
    assert!(out.contains("up(1) down(2)") && out.contains("ifIndex 2"), "{out}");
}
