//! Programs that fail: what they cost, and which requests.

use std::time::Instant;

use crate::regions::persist::Talk;
use crate::regions::{Bound, Value, ask, ask_v1, executable, set, texts, walk};
use crate::support::{self, Agent, BOTH, get, net_snmp, next};

const ROOT: &str = "1.3.6.1.4.1.9999";

/// Programs: whether it keeps running, its time limit, its text. The last two answer.
const PROGRAMS: &[(&str, bool, &str, &str)] = &[
    ("ends", false, "20s", "#!/bin/sh\nexit 1\n"),
    ("ends, asked line by line", true, "20s", "#!/bin/sh\nexit 1\n"),
    ("says nothing it understands", false, "20s", "#!/bin/sh\necho what?; echo more; echo and more\n"),
    ("talks nonsense", true, "20s", "#!/bin/sh\nread a; echo PONG; read a; read b; echo what?; exec cat\n"),
    ("hangs", false, "200ms", "#!/bin/sh\nexec sleep 1000\n"),
    ("hangs at once", true, "200ms", "#!/bin/sh\nexec sleep 1000\n"),
    ("hangs when it is asked", true, "500ms", "#!/bin/sh\nread a; echo PONG; exec sleep 1000\n"),
    ("kills itself", false, "20s", "#!/bin/sh\nkill -9 $$\n"),
    (
        "ends in the middle",
        true,
        "20s",
        "#!/bin/sh\nread a; echo PONG; read a; read b\n\
         if [ $b = .1.3.6.1.4.1.9999.9 ]; then echo $b.1; echo integer; echo 9; exec cat > /dev/null; fi\n",
    ),
    (
        "is well",
        false,
        "20s",
        "#!/bin/sh\nif [ $2 = .1.3.6.1.4.1.9999.10 ]; then echo $2.1; echo string; echo end; fi\n",
    ),
];

/// All of them, each for a subtree: the first one for `1.3.6.1.4.1.9999.1`. `.11` and `.12` are not there at all.
fn with_all() -> (Agent, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let mut config = BOTH.to_owned();
    let mut add = |n: usize, command: &str, persistent: bool, timeout: &str| {
        config += &format!(
            "[[pass]]\noid = \"{ROOT}.{n}\"\ncommand = [\"{command}\"]\npersistent = {persistent}\ntimeout = \"{timeout}\"\n"
        );
    };
    for (at, (_, persistent, timeout, text)) in PROGRAMS.iter().enumerate() {
        let program = executable(folder.path(), &format!("program-{}", at + 1), text);
        add(at + 1, program.to_str().unwrap(), *persistent, timeout);
    }
    // Before all others, and after the first.
    add(0, "/nonexistent/pass", false, "20s");
    add(11, "/nonexistent/persist", true, "20s");
    add(12, "/nonexistent/pass", false, "20s");
    (crate::regions::start(&config), folder)
}

const EXPECTED: [&str; 2] = ["1.3.6.1.4.1.9999.9.1=9", "1.3.6.1.4.1.9999.10.1=end"];

#[test]
fn no_program_ends_a_walk() {
    let (agent, _folder) = with_all();
    assert_eq!(texts(&walk(&agent, ROOT, None)), EXPECTED);
    assert_eq!(texts(&walk(&agent, ROOT, Some(1))), EXPECTED);
    assert_eq!(texts(&walk(&agent, ROOT, Some(50))), EXPECTED);
    let address = agent.udp().to_string();
    for (tool, version) in [("snmpbulkwalk", "-v2c"), ("snmpwalk", "-v2c"), ("snmpwalk", "-v1")] {
        let Some(output) = net_snmp(tool, &[version, "-c", "public", "-Onq", &address, ROOT]) else { return };
        let text = String::from_utf8(output.stdout).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let expected = [".1.3.6.1.4.1.9999.9.1 9", ".1.3.6.1.4.1.9999.10.1 \"end\""];
        assert_eq!(lines, expected, "{tool} {version}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{tool} {version}");
    }
    // The whole tree, to what follows the programs.
    let Some(output) = net_snmp("snmpbulkwalk", &["-v2c", "-c", "public", "-Onq", &address, ".1.3.6.1"])
    else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}");
    assert!(text.lines().any(|line| line.starts_with(".1.3.6.1.6.3.")), "{text}");
}

#[test]
fn a_search_continues_after_each_of_them_and_logs_it() {
    let (agent, _folder) = with_all();
    for n in (0..9).chain([11, 12]) {
        let name = format!("{ROOT}.{n}");
        // From within the subtree and from before it.
        for name in [format!("{name}.5"), name] {
            for (version, answer) in
                [("v2c", ask(&agent, next(&[&name]))), ("v1", ask_v1(&agent, next(&[&name])))]
            {
                assert_eq!(answer.error_status, 0, "{version}: behind {name}");
                let found = &answer.bindings[0].name;
                assert!(*found > support::oid(&name) && !found.starts_with(&support::oid(&name)), "{found}");
            }
        }
    }
    for (program, object) in [("program-5", ".5"), ("program-7", ".7"), ("/nonexistent/persist", ".11")] {
        let line = agent.wait_for(program);
        assert!(line.contains(&format!(".{ROOT}{object}")), "{line}");
    }
}

#[test]
fn an_instance_that_is_named_is_an_error_of_its_own() {
    let (agent, _folder) = with_all();
    let uptime = "1.3.6.1.2.1.1.3.0";
    // A program that ends without output has said that there is none (snmpd.conf(5)).
    for (n, status) in
        [(0, 5), (1, 0), (2, 5), (3, 0), (4, 5), (5, 5), (6, 5), (7, 5), (8, 0), (9, 5), (11, 5)]
    {
        let name = format!("{ROOT}.{n}.5");
        let answer = ask(&agent, get(&[uptime, &name]));
        assert_eq!((answer.error_status, answer.error_index), (status, 2 * i32::from(status > 0)), "{name}");
    }
    let commit_failed = (14, 1);
    for n in [0, 2, 5, 6, 7, 11] {
        assert_eq!(set(&agent, &[(&format!("{ROOT}.{n}.5"), Value::Integer(1))]), commit_failed, "{n}");
    }
}

#[test]
fn a_bad_instance_costs_itself_alone() {
    let talk = Talk::start("20s");
    assert_eq!(talk.get(2), Bound::Value(Value::Integer(2)));
    let begun = Instant::now();
    for round in 0..50 {
        assert_eq!(talk.failure(66), (5, 2), "it dies of it, round {round}");
        assert_eq!(talk.get(2), Bound::Value(Value::Integer(2)), "round {round}");
        assert_eq!(talk.failure(99), (5, 2), "it talks nonsense, round {round}");
        assert!(is_value(&talk.get(round % 3 + 1)), "round {round}");
    }
    // Each of the two was put to the program at most five times and once every 15 seconds, for two starts each time.
    let most = 1 + 2 * 2 * (5 + begun.elapsed().as_secs() as usize / 15);
    let starts = talk.starts().len();
    assert!(starts <= most, "{starts} starts");
}

#[test]
fn one_bad_name_after_another_starts_no_program_for_each_and_leaves_the_others_alone() {
    let talk = Talk::start("20s");
    // Those that a reader has had before.
    (1..=3).for_each(|n| assert!(is_value(&talk.get(n))));
    let before = walk(&talk.agent, crate::regions::persist::ROOT, None);
    let begun = Instant::now();
    for n in 1000..1200 {
        assert_eq!(talk.failure(n), (5, 2));
        assert!(is_value(&talk.get(n % 3 + 1)), "after {n}");
    }
    assert_eq!(walk(&talk.agent, crate::regions::persist::ROOT, None), before);
    // A burst of 16, one more a second, for two starts each.
    let most = 2 + 2 * (17 + begun.elapsed().as_secs() as usize);
    let starts = talk.starts().len();
    assert!(starts <= most, "{starts} starts");
}

fn is_value(bound: &Bound) -> bool {
    matches!(bound, Bound::Value(_))
}
