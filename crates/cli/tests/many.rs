//! One command for many agents: who is asked, that a dead one delays nobody, what output and exit status say, and that
//! 500 agents fit.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use support::{Agent, answer_next, run, texts, trunkline};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, Exception, Message, Pdu, PduKind, VarBind};

/// An agent that has this sysName, a table of two interfaces, and takes every Set.
fn agent(name: &str) -> Agent {
    let name = name.to_owned();
    Agent::new(move |request| Some(answer(&name, &request)))
}

/// An agent that takes requests and never answers.
fn dead() -> Agent {
    Agent::new(|_| None)
}

fn answer(name: &str, request: &Message) -> Pdu {
    let oid = |text: &str| text.parse::<Oid>().unwrap();
    let tree = [
        (oid("1.3.6.1.2.1.1.5.0"), Value::text(name)),
        (oid("1.3.6.1.2.1.2.2.1.2.1"), Value::text("lo")),
        (oid("1.3.6.1.2.1.2.2.1.2.2"), Value::text("eth0")),
    ];
    let get = |name: &Oid| {
        let value = tree.iter().find(|(oid, _)| oid == name).map(|(_, value)| Bound::Value(value.clone()));
        VarBind { name: name.clone(), value: value.unwrap_or(Bound::Exception(Exception::NoSuchInstance)) }
    };
    let next = |name: &Oid| match tree.iter().find(|(oid, _)| oid > name) {
        Some((oid, value)) => VarBind::new(oid.clone(), value.clone()),
        None => VarBind { name: name.clone(), value: Bound::Exception(Exception::EndOfMibView) },
    };
    match request.pdu.kind {
        PduKind::Get => answer_next(request, get),
        PduKind::Set => Pdu::new(PduKind::Response, 0, request.pdu.bindings.clone()),
        _ => answer_next(request, next),
    }
}

/// A file with this text, which only its owner may read.
fn file(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).unwrap();
    path
}

#[test]
fn several_agents_stand_before_the_objects() {
    let (one, two) = (agent("one"), agent("two"));
    let (first, second) = (one.address.to_string(), two.address.to_string());
    let (out, err) = run(&["get", "-Oqv", &first, &second, "sysName.0"], 0);
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    let mut expected = [format!("{first}: one"), format!("{second}: two")];
    expected.sort();
    assert_eq!((lines, err.as_str()), (expected.iter().map(String::as_str).collect(), ""));
    let (out, _) = run(&["set", &first, &second, "sysName.0=x"], 0);
    assert_eq!(out.matches("sysName.0 = STRING: x").count(), 2, "{out}");
    let (out, _) = run(&["walk", "--json", &first, &second, "system"], 0);
    let targets: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(targets.len(), 2);
    assert!(targets.iter().any(|record| record["target"] == first.as_str() && record["text"] == "one"));
    let (out, _) = run(&["table", &first, &second, "ifTable"], 0);
    assert_eq!(out.matches("eth0").count(), 2, "{out}");
    assert!(out.contains(&format!("{first}:\nifIndex")), "{out}");
    let (out, _) = run(&["table", "--csv", &first, &second, "ifTable"], 0);
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() == 5 && lines[0].starts_with("target,ifIndex,ifDescr,ifType,"), "{out}");
    // An object in front of an agent is a mistake that is named, and nobody is asked.
    let (_, err) = run(&["get", &first, "sysName.0", &second], 2);
    assert!(err.contains("agents come before the objects"), "{err}");
    let (_, err) = run(&["get", &first, "sysNane.0"], 2);
    assert!(err.contains("sysName"), "{err}");
}

#[test]
fn a_file_of_hosts_a_group_and_a_name() {
    let (one, two) = (agent("one"), agent("two"));
    let folder = tempfile::tempdir().unwrap();
    let config = format!(
        "[defaults]\nparallel = 2\nretries = 0\n[targets.core]\naddress = \"{}\"\ncommunity = \"blue\"\n[targets.edge]\naddress = \"{}\"\n\
         [groups]\nall = [\"@core\", \"edge\"]\n",
        one.address, two.address
    );
    let config = file(folder.path(), "config.toml", &config);
    let config = config.to_str().unwrap();
    for words in [&["@all"][..], &["core", "edge"], &["core", "@edge"]] {
        let line = [&["get", "-Oqv", "--config", config], words, &["sysName.0"]].concat();
        let (out, _) = run(&line, 0);
        let mut lines: Vec<&str> = out.lines().collect();
        lines.sort_unstable();
        assert_eq!(lines, ["core: one", "edge: two"], "{words:?}");
    }
    // One name is one agent: the output is the usual one.
    assert_eq!(run(&["get", "-Oqv", "--config", config, "core", "sysName.0"], 0).0, "one\n");
    let hosts = format!("# ours\n{} first # the first one\ncore\n\n{} second\n", one.address, two.address);
    let hosts = file(folder.path(), "hosts", &hosts);
    let line = ["get", "-Oqv", "--config", config, "--hosts", hosts.to_str().unwrap(), "sysName.0"];
    let (out, _) = run(&line, 0);
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["core: one", "first: one", "second: two"]);
    let wrong = file(folder.path(), "wrong", "127.0.0.1 a b\n");
    let (_, err) = run(&["get", "--hosts", wrong.to_str().unwrap(), "sysName.0"], 2);
    assert!(err.contains("wrong:1:13: ") && err.contains("^"), "{err}");
    // Two names of one agent are two agents, each with its name; a mistake further down is seen before any is asked.
    let twice = file(folder.path(), "twice", &format!("{0} a\n{0} b\n{0} c\n{0}\n{0}\n", one.address));
    let (out, _) = run(&["get", "-Oqv", "--hosts", twice.to_str().unwrap(), "sysName.0"], 0);
    let mut lines: Vec<&str> = out.lines().collect();
    lines.sort_unstable();
    let unnamed = format!("{}: one", one.address);
    assert_eq!(lines, [unnamed.as_str(), "a: one", "b: one", "c: one"]);
    for (target, place) in [("\"core\"", "wrong:2:1: "), ("core:x", "wrong:2: "), ("[::1", "wrong:2: ")] {
        let wrong = file(folder.path(), "wrong", &format!("{}\n{target}\n", one.address));
        let (out, err) = run(&["get", "--hosts", wrong.to_str().unwrap(), "sysName.0"], 2);
        assert!(out.is_empty() && err.contains(place), "{out}{err}");
    }
    let (_, err) = run(&["get", "--config", config, "@none", "sysName.0"], 2);
    assert!(err.contains("no group or target is called none") && err.contains("all"), "{err}");
    let (_, err) = run(&["watch", "--config", config, "@all", "sysUpTime.0"], 2);
    assert!(err.contains("a group of 2 agents"), "{err}");
}

#[test]
fn a_dead_agent_delays_nobody() {
    let dead: Vec<Agent> = (0..20).map(|_| dead()).collect();
    let alive: Vec<Agent> = (0..5).map(|number| agent(&format!("live{number}"))).collect();
    let all: String = dead.iter().chain(&alive).map(|agent| format!("{}\n", agent.address)).collect();
    // The dead would be waited for for ten minutes, four at a time.
    let mut child =
        trunkline(&["get", "-Oqv", "-t", "600", "-r", "0", "--parallel", "4", "--hosts", "-", "sysName.0"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
    child.stdin.take().unwrap().write_all(all.as_bytes()).unwrap();
    let lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let found: Vec<String> = lines.take(5).map(Result::unwrap).collect();
    child.kill().unwrap();
    child.wait().unwrap();
    let mut names: Vec<&str> =
        found.iter().filter_map(|line| line.split_once(": ")).map(|(_, name)| name).collect();
    names.sort_unstable();
    assert_eq!(names, ["live0", "live1", "live2", "live3", "live4"]);
}

#[test]
fn the_exit_status_and_the_output_name_what_failed() {
    let (alive, dead) = (agent("one"), dead());
    let (first, second) = (alive.address.to_string(), dead.address.to_string());
    let ask = |more: &[&str], status| {
        let line = [&["get", "-t", "0.1", "-r", "0"], more, &[&first, &second, "sysName.0"]].concat();
        run(&line, status)
    };
    let (out, err) = ask(&[], 1);
    assert!(out.lines().count() == 1 && err.contains(&format!("trunkline: {second}: ")), "{out}{err}");
    assert!(err.contains("1 of 2 agents failed"), "{err}");
    assert_eq!(err.lines().count(), 2, "{err}");
    ask(&["--fail-if", "all"], 0);
    ask(&["--fail-if", "never"], 0);
    let (out, _) = ask(&["--json"], 1);
    let records: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    let of = |target: &str| records.iter().find(|record| record["target"] == target).unwrap();
    assert_eq!(of(&first)["text"], "one");
    assert!(of(&second)["error"].as_str().unwrap().contains("no answer"));
    // The whole command ends in time, and what it has found is printed.
    let line = ["get", "--json", "-t", "600", "--deadline", "1", &first, &second, "sysName.0"];
    let (out, err) = run(&line, 1);
    assert!(out.contains("one") && err.contains("the deadline passed"), "{out}{err}");
    let records: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(records.len(), 2);
    let (_, err) = run(&["get", "-t", "600", "--deadline", "0.2", &second, "sysName.0"], 1);
    assert!(err.contains("the deadline passed"), "{err}");
}

#[test]
fn what_is_missing_is_an_error_where_scripts_want_that() {
    let one = agent("one");
    let target = one.address.to_string();
    for (line, words) in [
        (&["get", "sysContact.0", "sysName.0"][..], "1 of the objects"),
        (&["walk", "ifXTable"], "1 of the objects"),
        (&["table", "ifXTable"], "1 of the objects"),
        (&["next", "enterprises"], "1 of the objects"),
    ] {
        let (command, objects) = line.split_first().unwrap();
        run(&[&[*command, &target], objects].concat(), 0);
        let (_, err) = run(&[&[*command, "--missing-is-error", &target], objects].concat(), 1);
        assert!(err.contains(words), "{line:?}: {err}");
    }
    run(&["get", "--missing-is-error", &target, "sysName.0"], 0);
    // Hints are for people.
    let (_, err) = run(&["get", &target, "sysName"], 0);
    assert!(err.contains("sysName.0"), "{err}");
    let (_, err) = run(&["get", "-q", &target, "sysName"], 0);
    assert_eq!(err, "");
    let (_, err) = run(&["walk", "--quiet", &target, "ifXTable"], 0);
    assert_eq!(err, "");
}

#[test]
fn five_hundred_agents_fit_into_few_descriptors_and_little_memory() {
    const AGENTS: usize = 500;
    let agents: Vec<Agent> = (0..AGENTS).map(|number| agent(&format!("agent{number}"))).collect();
    let folder = tempfile::tempdir().unwrap();
    let lines: String =
        agents.iter().enumerate().map(|(at, agent)| format!("{} a{at}\n", agent.address)).collect();
    let hosts = file(folder.path(), "hosts", &lines);
    // Fewer descriptors than agents, and less address space than one megabyte for each.
    let output = Command::new("sh")
        .args(["-c", "ulimit -n 128; ulimit -v 700000; exec \"$@\"", "sh", env!("CARGO_BIN_EXE_trunkline")])
        .args(["get", "-Oqv", "-t", "20", "--parallel", "200", "--hosts"])
        .arg(hosts)
        .arg("sysName.0")
        .env_remove("MIBS")
        .env("HOME", "/nonexistent")
        .env("SNMPCONFPATH", "/nonexistent")
        .output()
        .unwrap();
    let (out, err) = texts(&output);
    assert_eq!((output.status.code(), err.as_str()), (Some(0), ""), "{out}");
    let mut found: Vec<&str> = out.lines().collect();
    found.sort_unstable();
    let mut expected: Vec<String> = (0..AGENTS).map(|number| format!("a{number}: agent{number}")).collect();
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn targets_are_listed_without_secrets() {
    let folder = tempfile::tempdir().unwrap();
    let config = "[defaults]\nuser = \"ann\"\nauth-password = \"maplesyrup\"\n[targets.r1]\naddress = \"192.0.2.1\"\n\
        [targets.r2]\naddress = \"snmp://maplesyrup@192.0.2.2\"\ncommunity-file = \"c\"\n[groups]\ncore = [\"r1\"]\nall = [\"@core\", \"r2\"]\n";
    let config = file(folder.path(), "config.toml", config);
    let config = config.to_str().unwrap();
    let (out, _) = run(&["targets", "--config", config], 0);
    assert!(
        out.contains("auth: config") && out.contains("all, core") && !out.contains("maplesyrup"),
        "{out}"
    );
    assert!(out.lines().all(|line| line.chars().count() <= 120), "{out}");
    let (out, _) = run(&["targets", "--config", config, "--json", "@core"], 0);
    let records: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert_eq!(records.len(), 1);
    assert_eq!((&records[0]["name"], &records[0]["version"]), (&"r1".into(), &"3".into()));
    let (out, _) = run(&["targets", "--config", config, "--csv", "r2"], 0);
    assert!(out.contains("r2,snmp://...@192.0.2.2,2c,"), "{out}");
    let jvms = "[targets.shop]\naddress = \"jmx://h:9010\"\njmx-user = \"joe\"\njmx-password-file = \"p\"\n\
        [defaults]\nuser = \"ann\"\nauth-password = \"maplesyrup\"\n";
    let jvms = file(folder.path(), "jvms.toml", jvms);
    let (out, _) = run(&["targets", "--config", jvms.to_str().unwrap(), "--json"], 0);
    let records: Vec<serde_json::Value> = serde_json::from_str(&out).unwrap();
    assert_eq!((&records[0]["user"], &records[0]["version"]), (&"joe".into(), &serde_json::Value::Null));
    let secret = records[0]["secrets"][0].as_str().unwrap();
    assert!(secret.starts_with("password: file ") && secret.ends_with('p'), "{out}");
    let (_, err) = run(&["targets", "--config", config, "r3"], 2);
    assert!(err.contains("r3 is not a target"), "{err}");
    let (out, err) = run(&["targets"], 0);
    assert!(out.is_empty() && err.contains("there is no file with targets"), "{out}{err}");
    // The variable names the file as well, and others may not read it.
    std::fs::set_permissions(config, std::fs::Permissions::from_mode(0o644)).unwrap();
    let output = trunkline(&["targets"]).env("TRUNKLINE_CONFIG", config).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(texts(&output).1.contains("chmod 600"), "{:?}", texts(&output));
}
