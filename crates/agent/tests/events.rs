//! DISMAN-EVENT-MIB from outside: the notifications of triggers beside Net-SNMP's, and triggers that a manager creates, whose
//! notifications it receives and which go on after a restart.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::agents;
use crate::support;

use std::path::{Path, PathBuf};
use std::process::Command;

use agents::{Snmpd, Snmptrapd};
use support::{Agent, net_snmp};

/// A table of a program, by columns: numbers, names, a counter, and a row that comes and goes.
const TABLE: &str = "1.3.6.1.4.1.8072.9999.9999.77";

/// Two numbers in column 1, their names in column 2, a counter in column 3, and 4.1 unless `row` is "no".
const PROGRAM: &str = r#"#!/bin/sh
base=.1.3.6.1.4.1.8072.9999.9999.77
read one two counter row < FOLDER/dial
name=${2#$base}
if [ "$1" = -n ]; then
    case $name in
        ""|.1) name=.1.1 ;;
        .1.1) name=.1.2 ;;
        .1.2|.2) name=.2.1 ;;
        .2.1) name=.2.2 ;;
        .2.2|.3) name=.3.1 ;;
        .3.1|.4) name=.4.1 ;;
        *) exit ;;
    esac
fi
case $name in
    .1.1) echo $base$name; echo integer; echo $one ;;
    .1.2) echo $base$name; echo integer; echo $two ;;
    .2.1) echo $base$name; echo string; echo first ;;
    .2.2) echo $base$name; echo string; echo second ;;
    .3.1) echo $base$name; echo counter; echo $counter ;;
    .4.1) [ "$row" = no ] || { echo $base$name; echo integer; echo 44; } ;;
esac
"#;

/// The program and its values.
struct Dial(tempfile::TempDir);

impl Dial {
    fn new() -> Dial {
        let dial = Dial(tempfile::tempdir().unwrap());
        let program = PROGRAM.replace("FOLDER", &dial.0.path().display().to_string());
        std::fs::write(dial.program(), program).unwrap();
        dial
    }

    fn program(&self) -> PathBuf {
        self.0.path().join("table.sh")
    }

    fn set(&self, values: &str) {
        let new = self.0.path().join("new");
        std::fs::write(&new, format!("{values}\n")).unwrap();
        std::fs::rename(new, self.0.path().join("dial")).unwrap();
    }
}

/// What both agents are configured with.
fn snmpd_conf(program: &Path, port: u16) -> String {
    format!(
        "createUser internal\n\
         rwuser internal\n\
         iquerySecName internal\n\
         trap2sink 127.0.0.1:{port} public\n\
         pass .{TABLE} /bin/sh {program}\n\
         monitor -r 1 -o .{TABLE}.2 \"compare\" .{TABLE}.1 > 5\n\
         monitor -r 1 -i .{TABLE}.2.2 \"limits\" .{TABLE}.1 3 8\n\
         notificationEvent own .1.3.6.1.4.1.8072.9999.0.1 -o .{TABLE}.2.1 -i .{TABLE}.3.1\n\
         monitor -r 1 -I -i .{TABLE}.1.2 -e own \"one\" .{TABLE}.1.1 == 4\n\
         monitor -r 1 -D \"grown\" .{TABLE}.3 > 100\n\
         monitor -r 1 \"gone\" ! .{TABLE}.4\n\
         monitor -r 1 \"come\" .{TABLE}.4\n",
        program = program.display()
    )
}

/// A configuration of Net-SNMP as ours.
fn imported(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, format!("agentAddress udp:127.0.0.1:0\n{text}")).unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_trunklined")).arg("import-snmpd").arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// The next notifications but coldStart, without sysUpTime, sorted.
pub fn next(receiver: &Snmptrapd, count: usize) -> Vec<String> {
    let mut told = Vec::new();
    while told.len() < count {
        let line = receiver.next();
        let (_, objects) = line.split_once(".1.3.6.1.6.3.1.1.4.1.0 = OID: ").expect("a notification");
        if !objects.starts_with(".1.3.6.1.6.3.1.1.5.1") {
            told.push(objects.to_owned());
        }
    }
    told.sort();
    told
}

#[test]
fn triggers_send_what_those_of_snmpd_send() {
    let dial = Dial::new();
    dial.set("1 1 0 yes");
    let (Some(of_theirs), Some(of_ours)) =
        (Snmptrapd::start("disableAuthorization yes\n"), Snmptrapd::start("disableAuthorization yes\n"))
    else {
        return;
    };
    let Some(_theirs) = Snmpd::start(&snmpd_conf(&dial.program(), of_theirs.port)) else { return };
    let _ours = Agent::start(&imported(&snmpd_conf(&dial.program(), of_ours.port)));
    let fired = ".1.3.6.1.2.1.88.2.0.1";
    let (rising, falling) = (".1.3.6.1.2.1.88.2.0.2", ".1.3.6.1.2.1.88.2.0.3");
    let own = ".1.3.6.1.4.1.8072.9999.0.1";
    for (values, names) in [
        ("1 1 0 yes", &[fired, falling, falling][..]),
        ("9 1 0 yes", &[fired, rising]),
        ("9 9 0 yes", &[fired, rising]),
        ("2 9 0 yes", &[falling]),
        ("4 9 0 yes", &[own]),
        ("4 9 500 yes", &[fired]),
        ("4 9 500 no", &[fired]),
        ("4 9 500 yes", &[fired]),
    ] {
        dial.set(values);
        let ours = next(&of_ours, names.len());
        // snmpd 5.9 cannot encode what it sends when the last row of a table is gone.
        if !values.ends_with("no") {
            assert_eq!(ours, next(&of_theirs, names.len()), "{values}");
        }
        for (line, name) in ours.iter().zip(names) {
            assert!(line.starts_with(&format!("{name}\t")), "{values}: {line}");
        }
    }
}

const MANAGED: &str = r#"
[snmp]
listen = ["udp://127.0.0.1:0"]
[[role]]
name = "admin"
read = ["1"]
write = ["1"]
level = "authPriv"
[[snmp.user]]
name = "root"
auth = "SHA-256"
priv = "AES"
password = "maplesyrup"
role = "admin"
[[role]]
name = "delegate"
read = ["1.3.6.1.2.1"]
write = ["1.3.6.1.2.1.88", "1.3.6.1.2.1.11.30"]
level = "authPriv"
"#;

const ANN: &str = "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup\"\nrole = \"delegate\"\n";

/// snmpEnableAuthenTraps: a number that a manager can change.
const NUMBER: &str = "1.3.6.1.2.1.11.30.0";

/// Runs a tool of Net-SNMP as a user; what it printed, or why it failed.
pub fn run(agent: &Agent, tool: &str, user: &str, more: &[&str]) -> Option<Result<String, String>> {
    let peer = agent.udp().to_string();
    let who = ["-v3", "-l", "authPriv", "-u", user, "-a", "SHA-256", "-x", "AES", "-A", "maplesyrup"];
    let arguments = [&who[..], &["-X", "maplesyrup", "-OnQ", &peer], more].concat();
    let output = net_snmp(tool, &arguments)?;
    let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    Some(if output.status.success() { Ok(stdout) } else { Err(format!("{stdout}{stderr}")) })
}

pub fn set(agent: &Agent, user: &str, bindings: &[(&str, &str, &str)]) -> Option<Result<String, String>> {
    let words: Vec<&str> = bindings.iter().flat_map(|(name, kind, value)| [*name, *kind, *value]).collect();
    run(agent, "snmpset", user, &words)
}

pub fn number(agent: &Agent, user: &str, name: &str) -> String {
    let printed = run(agent, "snmpget", user, &[name]).unwrap().unwrap();
    printed.trim().rsplit(' ').next().unwrap().to_owned()
}

/// A column of a row of the trigger or event tables with this owner and name.
fn cell(entry: &str, column: u32, owner: &str, name: &str) -> String {
    let octets = |text: &str| text.bytes().map(|octet| format!(".{octet}")).collect::<String>();
    format!("1.3.6.1.2.1.88.1.{entry}.1.{column}.{}{}{}", owner.len(), octets(owner), octets(name))
}

/// A trigger of ann's that fires when the number is 2, with an event of this owner and name.
fn create_trigger(agent: &Agent, user: &str, name: &str, event: (&str, &str)) -> Option<()> {
    let at = |entry: &str, column: u32| cell(entry, column, user, name);
    let (trigger, boolean) = (|column| at("2.2", column), |column| at("2.5", column));
    set(agent, user, &[(&trigger(15), "i", "5"), (&trigger(6), "o", NUMBER), (&trigger(11), "u", "1")])?
        .unwrap();
    let event = [(&*boolean(6), "s", event.0), (&*boolean(7), "s", event.1)];
    set(agent, user, &[&[(&*boolean(1), "i", "2"), (&*boolean(2), "i", "2")][..], &event].concat())?.unwrap();
    set(agent, user, &[(&trigger(14), "i", "1"), (&trigger(15), "i", "1")])?.unwrap();
    Some(())
}

#[test]
fn a_manager_s_trigger_fires_outlives_a_restart_and_ends_with_its_user() {
    let Some(receiver) = Snmptrapd::start("disableAuthorization yes\n") else { return };
    let target = receiver.as_target();
    let community = "[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n";
    let config = format!("{MANAGED}{ANN}{target}{community}");
    let agent = Agent::start(&config);
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "1")]) else { return };
    answer.unwrap();
    create_trigger(&agent, "ann", "two", ("_snmpd", "_mteTriggerFired")).unwrap();
    let hot = |number: u32| format!(".1.3.6.1.2.1.88.2.1.{number}.0");
    let expected = [
        ".1.3.6.1.2.1.88.2.0.1".to_owned(),
        format!("{} = STRING: \"two\"", hot(1)),
        format!("{} = \"\"", hot(2)),
        format!("{} = \"\"", hot(3)),
        format!("{} = OID: .{NUMBER}", hot(4)),
        format!("{} = INTEGER: 2", hot(5)),
    ];
    let expected = expected.join("\t");
    set(&agent, "root", &[(NUMBER, "i", "2")]).unwrap().unwrap();
    assert_eq!(next(&receiver, 1), std::slice::from_ref(&expected));

    // Once more after a restart: the row is kept, with whose rights count.
    set(&agent, "root", &[(NUMBER, "i", "1")]).unwrap().unwrap();
    let agent = Agent::start_in(agent.terminate(), &config);
    assert_eq!(next(&receiver, 1), [".1.3.6.1.4.1.8072.4.0.2"], "nsNotifyShutdown of the first agent");
    assert_eq!(number(&agent, "ann", &cell("2.2", 15, "ann", "two")), "1");
    set(&agent, "root", &[(NUMBER, "i", "2")]).unwrap().unwrap();
    assert_eq!(next(&receiver, 1), [expected]);

    // Without its user it is not sampled any more.
    agent.rewrite(&config.replace(ANN, ""));
    agent.signal("HUP");
    agent.wait_for("a trigger cannot be checked");
    assert_ne!(number(&agent, "root", "1.3.6.1.2.1.88.1.2.1.0"), "0");
    // The row is still there, and others may destroy it.
    set(&agent, "root", &[(&cell("2.2", 15, "ann", "two"), "i", "6")]).unwrap().unwrap();
}

#[test]
fn an_event_sets_by_the_rights_of_the_trigger_and_of_its_own() {
    let agent = Agent::start(&format!("{MANAGED}{ANN}[events]\nfailures = true\n"));
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "1")]) else { return };
    answer.unwrap();
    let event = |owner: &str, object: &str, value: &str| {
        let (event, of_set) =
            (|column| cell("4.2", column, owner, "back"), |column| cell("4.4", column, owner, "back"));
        set(&agent, owner, &[(&event(5), "i", "5"), (&event(3), "x", "40")]).unwrap().unwrap();
        set(&agent, owner, &[(&of_set(1), "o", object), (&of_set(3), "i", value)]).unwrap().unwrap();
        set(&agent, owner, &[(&event(4), "i", "1"), (&event(5), "i", "1")]).unwrap().unwrap();
    };
    // ann may set this number, and not sysContact, whoever has defined the event.
    event("ann", NUMBER, "1");
    event("root", "1.3.6.1.2.1.1.4.0", "1");
    create_trigger(&agent, "ann", "other", ("root", "back")).unwrap();
    set(&agent, "root", &[(NUMBER, "i", "2")]).unwrap().unwrap();
    agent.wait_for("an event cannot set its object");
    // The condition holds at its first sample.
    create_trigger(&agent, "ann", "one", ("ann", "back")).unwrap();
    while number(&agent, "root", NUMBER) != "1" {
        std::thread::yield_now();
    }
    assert_eq!(number(&agent, "root", "1.3.6.1.2.1.88.1.4.1.0"), "1");
}

#[test]
fn rows_are_refused_with_a_reason() {
    let agent = Agent::start(&format!(
        "{MANAGED}{ANN}[[trigger]]\nname = \"mine\"\nobject = \"{NUMBER}\"\nboolean = {{ comparison = \"==\", value = 7 }}\n"
    ));
    let trigger = |column, owner, name| cell("2.2", column, owner, name);
    let Some(answer) = set(&agent, "ann", &[(&trigger(15, "ann", "a"), "i", "5")]) else { return };
    answer.unwrap();
    let refused = |bindings: &[(&str, &str, &str)], expected: &str| {
        let answer = set(&agent, "ann", bindings).unwrap().unwrap_err();
        assert!(answer.contains(expected), "{bindings:?}: {answer}");
    };
    // Only this agent is sampled; contexts are named in full; not more often than once a second.
    refused(&[(&trigger(8, "ann", "a"), "s", "far")], "wrongValue");
    refused(&[(&trigger(10, "ann", "a"), "i", "1")], "wrongValue");
    refused(&[(&trigger(11, "ann", "a"), "u", "0")], "wrongValue");
    // The trigger compares: it has no row for existence.
    refused(&[(&cell("2.4", 5, "ann", "a"), "s", "x")], "inconsistentName");
    assert!(
        run(&agent, "snmpget", "ann", &[&cell("2.4", 5, "ann", "a")]).unwrap().unwrap().contains("No Such")
    );
    // An active row stays as it is, but for whether it is enabled.
    set(&agent, "ann", &[(&trigger(15, "ann", "a"), "i", "1")]).unwrap().unwrap();
    refused(&[(&trigger(11, "ann", "a"), "u", "5")], "inconsistentValue");
    set(&agent, "ann", &[(&trigger(14, "ann", "a"), "i", "1")]).unwrap().unwrap();
    // The configuration's rows, and what they refer to, are the configuration's.
    refused(&[(&trigger(14, "snmpd.conf", "mine"), "i", "2")], "notWritable");
    refused(&[(&trigger(15, "snmpd.conf", "theirs"), "i", "4")], "inconsistentValue");
    // mteResourceSampleMinimum counts for what is set from then on, also after a restart.
    set(&agent, "ann", &[("1.3.6.1.2.1.88.1.1.1.0", "i", "30")]).unwrap().unwrap();
    let agent = Agent::start_in(agent.terminate(), &format!("{MANAGED}{ANN}"));
    assert_eq!(number(&agent, "ann", "1.3.6.1.2.1.88.1.1.1.0"), "30");
    let answer =
        set(&agent, "ann", &[(&trigger(15, "ann", "b"), "i", "5"), (&trigger(11, "ann", "b"), "u", "29")]);
    assert!(answer.unwrap().unwrap_err().contains("inconsistentValue"));
}

#[test]
fn instances_are_limited_over_all_triggers() {
    // sysORTable has more than two rows.
    let trigger = |name: &str| {
        format!(
            "[[trigger]]\nname = {name:?}\nobject = \"1.3.6.1.2.1.1.9.1.2.*\"\nevery = \"1s\"\nexistence = {{ test = [\"absent\"] }}\n"
        )
    };
    let config = format!("{MANAGED}[events]\nmax-instances = 3\n{}", trigger("first"));
    let agent = Agent::start(&config);
    let Some(read) = run(&agent, "snmpget", "root", &["1.3.6.1.2.1.88.1.1.2.0"]) else { return };
    assert!(read.unwrap().trim_end().ends_with(" 0"));
    let until = |object: &str, expected: &str| {
        while number(&agent, "root", object) != expected {
            std::thread::yield_now();
        }
    };
    let (maximum, now, lacks) =
        ("1.3.6.1.2.1.88.1.1.2.0", "1.3.6.1.2.1.88.1.1.3.0", "1.3.6.1.2.1.88.1.1.5.0");
    until(now, "3");
    assert_ne!(number(&agent, "root", lacks), "0");
    // A second trigger gets what is left, which is nothing, and its first sample is none.
    agent.rewrite(&(config.clone() + &trigger("second")));
    agent.signal("HUP");
    agent.wait_for("trigger=second");
    until(now, "3");
    // What managers set can only be lower, and takes nothing away from what is sampled.
    set(&agent, "root", &[(maximum, "u", "2")]).unwrap().unwrap();
    assert_eq!(number(&agent, "root", "1.3.6.1.2.1.88.1.1.4.0"), "3");
}
