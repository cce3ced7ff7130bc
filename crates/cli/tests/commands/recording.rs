//! `walk --record`, and progress on a terminal.

use std::collections::BTreeMap;
use std::process::Command;

use trunkline_smi::{Oid, Value};
use trunkline_testkit::has;

use crate::support::{Agent, answer_next, run, texts};

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn instances() -> BTreeMap<Oid, Value> {
    [
        (oid("1.3.6.1.2.1.1.1.0"), Value::text("a router|with a bar")),
        (oid("1.3.6.1.2.1.1.3.0"), Value::TimeTicks(4711)),
        (oid("1.3.6.1.2.1.1.5.0"), Value::text("r1\n")),
        (oid("1.3.6.1.2.1.2.2.1.2.1"), Value::text("lo")),
        (oid("1.3.6.1.2.1.4.20.1.1.10.0.0.1"), Value::IpAddress([10, 0, 0, 1])),
    ]
    .into()
}

const SYSTEM: &str =
    "1.3.6.1.2.1.1.1.0|4|a router|with a bar\n1.3.6.1.2.1.1.3.0|67|4711\n1.3.6.1.2.1.1.5.0|4x|72310a\n";

#[test]
fn a_walk_is_recorded_beside_its_lines_or_in_place_of_them() {
    let agent = Agent::serving(instances());
    let target = &agent.target();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("r1.snmprec");
    let name = file.to_str().unwrap();
    let (out, _) = run(&["walk", target, "system", "--record", name], 0);
    assert_eq!(out.lines().count(), 3, "{out}");
    assert_eq!(std::fs::read_to_string(&file).unwrap(), SYSTEM);
    // Roots in another order, and one within another: the file is in order and has each instance once.
    let (out, _) = run(&["walk", target, "ifTable", "system", "sysUpTime", "--json", "--record", name], 0);
    assert_eq!(out.lines().count(), 4, "{out}");
    let recorded = std::fs::read_to_string(&file).unwrap();
    assert_eq!(recorded, format!("{SYSTEM}1.3.6.1.2.1.2.2.1.2.1|4|lo\n"));
    let (out, err) = run(&["walk", target, "1.3.6.1.2.1.4", "--record", "-"], 0);
    assert_eq!((out.as_str(), err.as_str()), ("1.3.6.1.2.1.4.20.1.1.10.0.0.1|64x|0a000001\n", ""));
    let (out, err) = run(&["walk", target, "1.3.6.1.2.1.99", "--record", "-", "--missing-is-error"], 1);
    assert!(out.is_empty() && err.contains("the agent has nothing there"), "{out}{err}");
}

#[test]
fn what_cannot_be_recorded_is_refused() {
    let (one, two) = (Agent::serving(instances()), Agent::serving(instances()));
    let (first, second) = (&one.target(), &two.target());
    let (_, err) = run(&["walk", first, "system", "--record", "/nonexistent/x"], 1);
    assert!(err.contains("/nonexistent/x: No such file"), "{err}");
    let folder = tempfile::tempdir().unwrap();
    let kept = folder.path().join("kept");
    std::fs::write(&kept, "kept").unwrap();
    for place in ["-", kept.to_str().unwrap()] {
        let (_, err) = run(&["walk", first, second, "system", "--record", place], 2);
        assert!(err.contains("give one agent") && !err.contains("agents failed"), "{err}");
    }
    assert_eq!(std::fs::read_to_string(&kept).unwrap(), "kept");
    let (_, err) = run(&["walk", "-Cc", first, "system", "--record", "-"], 2);
    assert!(err.contains("leave out -Cc"), "{err}");
    let (_, err) = run(&["walk", "--json", first, "system", "--record", "-"], 2);
    assert!(err.contains("leave out --json"), "{err}");
}

/// An agent that falls silent after its first answer: what is known by then is on the terminal while it is waited for.
#[test]
fn a_terminal_shows_how_far_a_walk_is() {
    if !has("script", "bsdutils") {
        return;
    }
    let first = BTreeMap::from([(oid("1.3.6.1.2.1.2.2.1.2.7"), Value::text("lo"))]);
    let shown = |options: &str| {
        let tree = first.clone();
        let agent = Agent::new(move |request| {
            let is_first = request.pdu.bindings.iter().all(|binding| binding.name.len() < 10);
            is_first.then(|| {
                answer_next(&request, |name| match tree.iter().find(|(oid, _)| *oid > name) {
                    Some((oid, value)) => trunkline_snmp::wire::VarBind::new(oid.clone(), value.clone()),
                    None => {
                        trunkline_snmp::wire::VarBind::new(oid("1.3.6.1.2.1.2.2.1.2.8"), Value::text("x"))
                    }
                })
            })
        });
        let line = format!(
            "{} walk -Cr1 -t 2 -r 0 {options} {} ifTable > /dev/null",
            env!("CARGO_BIN_EXE_trunkline"),
            agent.target()
        );
        let mut command = Command::new("script");
        command.args(["-qec", &line, "/dev/null"]).env("HOME", "/nonexistent").env("TERM", "xterm");
        texts(&command.output().unwrap()).0
    };
    let seen = shown("");
    assert!(seen.contains("1 found in") && seen.contains("IF-MIB::ifDescr.7"), "{seen:?}");
    let quiet = shown("--quiet");
    assert!(!quiet.contains("found in") && quiet.contains("no answer"), "{quiet:?}");
}
