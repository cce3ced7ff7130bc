//! `status`, `df` and `ping`.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};

use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::VarBind;

use crate::scripted_machine::{machine, old_machine};
use crate::support::{Agent, Trunklined, answer_next, run};

const DF: &str = concat!(
    "     size       used  available  in use  name\n",
    "  4.0 TiB  471.0 GiB    3.5 TiB    11 %  /\n",
    "136.8 TiB  119.2 TiB   17.6 TiB    87 %  /big\n",
);

#[test]
fn disks_are_listed_with_their_sizes() {
    let agent = Agent::serving(machine());
    let target = &agent.target();
    let (out, err) = run(&["df", target], 0);
    assert_eq!((out.as_str(), err.as_str()), (DF, ""));
    let (out, _) = run(&["df", "--all", target], 0);
    assert!(out.lines().any(|line| line.ends_with("  32 %  memory  Physical memory")), "{out}");
    let (out, _) = run(&["df", target, "--csv", "--all"], 0);
    let expected = "name,kind,size,used,available,percent\n\
        Physical memory,memory,1024000,335872,688128,32\nMemory buffers,other,1024000,1024,1022976,0\n\
        /,disk,4398046511104,505679007744,3892367503360,11\n/proc,disk,0,0,0,0\n\
        /big,disk,150402976710656,131071999934464,19330976776192,87\n";
    assert_eq!(out, expected);
    let (out, _) = run(&["df", target, "--ucd", "--json"], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document[0]["size"], ((1_u64 << 32) + 7) * 1024);
    assert_eq!(document[0]["used"], 5 * 1024);
    let (out, _) = run(&["df", "-v1", &old_machine().target(), "--bytes"], 0);
    assert!(out.contains("\n  4398046511104 "), "{out}");
    let none = Agent::serving(BTreeMap::new());
    let (out, err) = run(&["df", &none.target(), "--missing-is-error"], 1);
    assert!(out.is_empty() && err.contains("the agent lists no disks"), "{out}{err}");
    let (out, _) = run(&["df", &agent.target(), &none.target(), "-q"], 0);
    assert!(out.starts_with(&format!("{}:\n     size", agent.target())), "{out}");
}

/// What `df` on the machine calls available is less than what is not in use where there is a reserve.
#[test]
fn what_users_can_have_of_a_disk_is_in_dsktable() {
    let mut tree = machine();
    for (column, value) in [(2, Value::text("/")), (7, Value::Integer(1 << 20))] {
        tree.insert(Oid::from([1, 3, 6, 1, 4, 1, 2021, 9, 1, column, 1]), value);
    }
    let agent = Agent::serving(tree);
    let (out, _) = run(&["df", &agent.target()], 0);
    assert!(out.contains("  4.0 TiB  471.0 GiB    1.0 GiB    99 %  /\n"), "{out}");
    assert!(out.contains("136.8 TiB  119.2 TiB   17.6 TiB    87 %  /big\n"), "{out}");
}

#[test]
fn a_status_has_what_the_agent_knows() {
    let agent = Agent::serving(machine());
    let old = old_machine();
    for words in [&["status", &agent.target()][..], &["status", "-v1", &old.target()]] {
        let (out, err) = run(words, 0);
        assert_eq!(err, "");
        for line in [
            "name        r1\n",
            "system      Linux r1 6.1\\n\n",
            "agent up    1 day, 0:00:01.23\n",
            "interfaces  2, 1 up; 1 should be up and is not: eth0\n",
            "traffic     3.0 KiB in, 6.0 KiB out\n",
            "IP          1001 received, 1002 sent\n",
            "load        0.42\n",
            "memory      327.0 KiB of 1000.0 KiB in use (32 %)\n",
            "processes   33\n",
        ] {
            assert!(out.contains(line), "{line}{out}");
        }
        assert!(!out.contains("users") && !out.contains("contact"), "{out}");
    }
    let (out, _) = run(&["status", "--json", &agent.target()], 0);
    let document: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(document[0]["agent_uptime"], 8_640_123);
    assert_eq!(document[0]["interfaces_failed"], serde_json::json!(["eth0"]));
    let (out, _) = run(&["status", "--csv", &agent.target(), &Agent::serving(machine()).target()], 0);
    assert!(out.starts_with("target,name,description,location,contact,agent_uptime,"), "{out}");
    assert_eq!(out.lines().count(), 3, "{out}");
}

#[test]
fn the_agent_of_this_build_is_asked_too() {
    let Some(agent) = Trunklined::start(CONFIG, &["udp"]) else { return };
    let target = agent.address(0);
    let (out, _) = run(&["status", target], 0);
    assert!(out.contains("interfaces") && out.contains("memory"), "{out}");
    let (out, _) = run(&["df", "--all", target], 0);
    assert!(out.contains("memory"), "{out}");
    let (out, _) = run(&["ping", "--count", "2", "--interval", "10ms", target], 0);
    assert!(out.contains("2 sent, 2 answered, 0 % lost"), "{out}");
}

const CONFIG: &str = "[agent]\nstate = \"STATE\"\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n";

#[test]
fn a_ping_counts_answers_and_losses() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = Arc::clone(&asked);
    // Every second request is lost.
    let agent = Agent::new(move |request| {
        let number = count.fetch_add(1, SeqCst);
        let up = |name: &Oid| VarBind::new(name.clone(), Value::TimeTicks(100));
        number.is_multiple_of(2).then(|| answer_next(&request, up))
    });
    let target = &agent.target();
    let words = ["ping", "--count", "4", "--every", "10ms", "-t", "0.2", target];
    let (out, err) = run(&words, 0);
    assert_eq!(asked.load(SeqCst), 4, "nothing is sent again");
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines.len() == 5 && err.is_empty(), "{out}{err}");
    assert!(lines[0].starts_with("1: ") && lines[0].ends_with(" ms, up 0:00:01.00"), "{out}");
    assert!(lines[1].starts_with("2: no answer"), "{out}");
    assert!(lines[4].starts_with("4 sent, 2 answered, 50 % lost; min/avg/max/stddev "), "{out}");
    let (out, _) = run(&[&words[..], &["--json"]].concat(), 0);
    let records: Vec<serde_json::Value> =
        out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(
        records.len() == 5 && records[4]["answered"] == 2 && records[1]["milliseconds"].is_null(),
        "{out}"
    );
    let (out, _) = run(&[&words[..], &["--csv"]].concat(), 0);
    assert!(out.starts_with("sequence,milliseconds,uptime,error\n1,") && out.lines().count() == 5, "{out}");
    let dead = Agent::new(|_| None);
    let (out, _) = run(&["ping", "--count", "2", "--interval", "10ms", "-t", "0.05", &dead.target()], 1);
    assert!(out.ends_with("2 sent, 0 answered, 100 % lost\n"), "{out}");
}
