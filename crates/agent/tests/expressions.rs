//! DISMAN-EXPRESSION-MIB from outside: expressions that a manager creates with Net-SNMP's tools and with ours, by whose rights they
//! are computed, what a trigger makes of their values, and what is wrong with others.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::agents::Snmptrapd;
use crate::events::{next, number, run, set};
use crate::support::Agent;

const USERS: &str = r#"
[snmp]
listen = ["udp://127.0.0.1:0"]
[freshness]
expression-values = "per-request"
expressions = "per-request"
[[role]]
name = "admin"
read = ["1"]
write = ["1"]
level = "authPriv"
[[role]]
name = "delegate"
read = ["1.3.6.1.2.1.11", "1.3.6.1.2.1.88", "1.3.6.1.2.1.90", "1.3.6.1.2.1.1.9"]
write = ["1.3.6.1.2.1.88", "1.3.6.1.2.1.90"]
level = "authPriv"
[[snmp.user]]
name = "root"
auth = "SHA-256"
priv = "AES"
password = "maplesyrup"
role = "admin"
"#;

const ANN: &str = "[[snmp.user]]\nname = \"ann\"\nauth = \"SHA-256\"\npriv = \"AES\"\npassword = \"maplesyrup\"\nrole = \"delegate\"\n";

/// snmpEnableAuthenTraps: a number that a manager can change.
const NUMBER: &str = "1.3.6.1.2.1.11.30.0";

/// The descriptions of sysORTable, of which there are several, from 1.
const DESCRIPTIONS: &str = "1.3.6.1.2.1.1.9.1.3";

/// The time of each of them.
const TIMES: &str = "1.3.6.1.2.1.1.9.1.4";

fn text(text: &str) -> String {
    let octets: String = text.bytes().map(|octet| format!(".{octet}")).collect();
    format!("{}{octets}", text.len())
}

/// A column of expExpressionTable (1) or expErrorTable (2).
fn cell(table: u32, column: u32, owner: &str, name: &str) -> String {
    format!("1.3.6.1.2.1.90.1.2.{table}.1.{column}.{}.{}", text(owner), text(name))
}

fn object(column: u32, owner: &str, name: &str, number: u32) -> String {
    format!("{}.{number}", cell(3, column, owner, name))
}

/// A value of this type.
fn value(value_type: u32, owner: &str, name: &str, instance: &str) -> String {
    let column = value_type + 1;
    format!("1.3.6.1.2.1.90.1.3.1.1.{column}.{}.{}.0.0{instance}", text(owner), text(name))
}

/// Creates an expression with its objects, each an object identifier, with `.*` behind it for a wildcard.
fn create(
    agent: &Agent,
    user: &str,
    name: &str,
    (expression, value_type): (&str, u32),
    objects: &[&str],
) -> Option<()> {
    for (number, oid) in (1..).zip(objects) {
        let (oid, wildcard) = oid.strip_suffix(".*").map_or((*oid, "2"), |oid| (oid, "1"));
        let of = |column| object(column, user, name, number);
        set(agent, user, &[(&of(10), "i", "4"), (&of(2), "o", oid), (&of(3), "i", wildcard)])?.unwrap();
    }
    let of = |column| cell(1, column, user, name);
    let value_type = value_type.to_string();
    set(agent, user, &[(&of(9), "i", "4"), (&of(3), "s", expression), (&of(4), "i", &value_type)])?.unwrap();
    Some(())
}

fn read(agent: &Agent, user: &str, name: &str) -> String {
    run(agent, "snmpget", user, &[name]).unwrap().unwrap().trim().to_owned()
}

fn walk(agent: &Agent, user: &str, name: &str) -> Vec<String> {
    let walked = run(agent, "snmpwalk", user, &[name]).unwrap().unwrap();
    // At the end of a view the tool says so.
    walked.lines().filter(|line| !line.contains("No more variables")).map(str::to_owned).collect()
}

/// The code of the last error of an expression.
fn code(agent: &Agent, user: &str, name: &str) -> String {
    number(agent, "root", &cell(2, 3, user, name))
}

#[test]
fn a_manager_s_expressions_are_computed_by_its_rights_and_outlive_a_restart() {
    let config = format!("{USERS}{ANN}");
    let agent = Agent::start(&config);
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "2")]) else { return };
    answer.unwrap();
    create(&agent, "ann", "twice", ("$1 * 2 + 1", 4), &[NUMBER]).unwrap();
    assert_eq!(number(&agent, "ann", &value(4, "ann", "twice", ".0")), "5");
    set(&agent, "root", &[(NUMBER, "i", "1")]).unwrap().unwrap();
    assert_eq!(number(&agent, "ann", &value(4, "ann", "twice", ".0")), "3");

    // One value for each instance of a wildcard, and one of all together.
    let rows = walk(&agent, "root", TIMES).len();
    let wildcard = format!("{DESCRIPTIONS}.*");
    create(&agent, "ann", "begins", ("arraySection($1, 0, 9) + \"!\"", 6), &[&wildcard]).unwrap();
    assert_eq!(walk(&agent, "ann", &value(6, "ann", "begins", "")).len(), rows);
    let quoted = |name: &str| read(&agent, "root", name).split('"').nth(1).unwrap().to_owned();
    let expected = format!("{}!", &quoted(&format!("{DESCRIPTIONS}.1"))[..9]);
    assert_eq!(quoted(&value(6, "ann", "begins", ".1")), expected);
    create(&agent, "ann", "rows", ("count($1)", 2), &[&format!("{TIMES}.*")]).unwrap();
    assert_eq!(number(&agent, "ann", &value(2, "ann", "rows", ".0")), rows.to_string());

    // ann may not read sysUpTime.0: the value is not there, which is not an error. root may.
    create(&agent, "ann", "time", ("$1 / 100", 3), &["1.3.6.1.2.1.1.3.0"]).unwrap();
    assert!(read(&agent, "ann", &value(3, "ann", "time", ".0")).contains("No Such"));
    assert_eq!(number(&agent, "ann", &cell(1, 8, "ann", "time")), "0");
    create(&agent, "root", "time", ("$1 > 0", 2), &["1.3.6.1.2.1.1.3.0"]).unwrap();
    assert_eq!(number(&agent, "ann", &value(2, "root", "time", ".0")), "1");

    let agent = Agent::start_in(agent.terminate(), &config);
    assert_eq!(number(&agent, "ann", &value(4, "ann", "twice", ".0")), "3");
    assert!(read(&agent, "root", &value(3, "ann", "time", ".0")).contains("No Such"));

    // With the expression go its objects.
    assert_eq!(walk(&agent, "ann", "1.3.6.1.2.1.90.1.2.3.1.2").len(), 5);
    set(&agent, "ann", &[(&cell(1, 9, "ann", "twice"), "i", "6")]).unwrap().unwrap();
    assert_eq!(walk(&agent, "ann", "1.3.6.1.2.1.90.1.2.3.1.2").len(), 4);
    assert!(read(&agent, "ann", &value(4, "ann", "twice", ".0")).contains("No Such"));
}

#[test]
fn differences_are_sampled_and_a_trigger_watches_them() {
    let Some(receiver) = Snmptrapd::start("disableAuthorization yes\n") else { return };
    let target = receiver.as_target();
    let community = "[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n";
    let changed = value(2, "snmpd.conf", "changed", ".0");
    let configured = format!(
        "[[expression]]\nname = \"changed\"\nexpression = \"$1 * 7\"\ntype = \"unsigned32\"\nevery = \"1s\"\nuser = \"root\"\n\
         objects = [{{ object = \"{NUMBER}\", sample = \"changed\" }}]\n\
         [[trigger]]\nname = \"told\"\nobject = \"{changed}\"\nevery = \"1s\"\nboolean = {{ comparison = \"==\", value = 7, startup = false }}\n"
    );
    let agent = Agent::start(&format!("{USERS}{target}{community}{configured}"));
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "1")]) else { return };
    answer.unwrap();
    // A change is seen for one second, which the trigger may miss: until it does not, there is another.
    let told = std::thread::scope(|scope| {
        let told = scope.spawn(move || next(&receiver, 1));
        for other in ["2", "1"].iter().cycle() {
            if told.is_finished() {
                break;
            }
            set(&agent, "root", &[(NUMBER, "i", other)]).unwrap().unwrap();
        }
        told.join().unwrap()
    });
    assert!(told[0].contains("INTEGER: 7") || told[0].contains("Gauge32: 7"), "{told:?}");
    assert!(told[0].contains(&changed), "{told:?}");
    assert_eq!(number(&agent, "root", "1.3.6.1.2.1.90.1.1.3.0"), "1");
    let refused = set(&agent, "root", &[(&cell(1, 5, "snmpd.conf", "changed"), "s", "mine")]).unwrap();
    assert!(refused.unwrap_err().contains("notWritable"));
}

#[test]
fn what_is_wrong_is_refused_or_told_with_a_code_and_a_place() {
    let agent = Agent::start(&format!("{USERS}{ANN}[expressions]\nmax-per-owner = 3\n"));
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "1")]) else { return };
    answer.unwrap();
    create(&agent, "root", "e", ("1 / ($1 - 1)", 4), &[NUMBER]).unwrap();
    let expression = cell(1, 3, "root", "e");
    assert!(read(&agent, "root", &value(4, "root", "e", ".0")).contains("No Such"));
    assert_eq!(
        (code(&agent, "root", "e"), number(&agent, "root", &cell(2, 2, "root", "e"))),
        ("11".into(), "3".into())
    );
    assert!(read(&agent, "root", &cell(2, 4, "root", "e")).ends_with("0.0.0"));
    assert_ne!(number(&agent, "root", &cell(1, 8, "root", "e")), "0");
    let nested = "(".repeat(500) + "1" + &")".repeat(500);
    for (text, expected) in [
        ("1 +", "1"),
        ("1 @ 2", "3"),
        ("median($1)", "4"),
        ("sum(1)", "5"),
        ("(1", "6"),
        (nested.as_str(), "10"),
    ] {
        let refused = set(&agent, "root", &[(&expression, "s", text)]).unwrap().unwrap_err();
        assert!(refused.contains("wrongValue"), "{text}: {refused}");
        assert_eq!(code(&agent, "root", "e"), expected, "{text}");
    }
    // What was there still counts.
    set(&agent, "root", &[(NUMBER, "i", "2")]).unwrap().unwrap();
    assert_eq!(number(&agent, "root", &value(4, "root", "e", ".0")), "1");
    for (text, expected) in [("$9", "2"), ("\"a\"", "5"), ("\"a\" + 1", "5")] {
        set(&agent, "root", &[(&expression, "s", text)]).unwrap().unwrap();
        assert!(read(&agent, "root", &value(4, "root", "e", ".0")).contains("No Such"), "{text}");
        assert_eq!(code(&agent, "root", "e"), expected, "{text}");
    }

    // Two that use each other, and one that uses all: neither has a value, and the agent answers.
    let other = value(4, "root", "g", ".0");
    create(&agent, "root", "f", ("$1 + 1", 4), &[&other]).unwrap();
    create(&agent, "root", "g", ("$1 + 1", 4), &[&value(4, "root", "f", ".0")]).unwrap();
    assert!(read(&agent, "root", &other).contains("No Such"));
    assert_eq!((code(&agent, "root", "f"), code(&agent, "root", "g")), ("8".into(), "8".into()));
    set(&agent, "root", &[(&object(2, "root", "g", 1), "o", NUMBER)]).unwrap().unwrap();
    assert_eq!(number(&agent, "root", &other), "3");
    assert_eq!(number(&agent, "root", &value(4, "root", "f", ".0")), "4");
    let all =
        [(&*object(2, "root", "g", 1), "o", "1.3.6.1.2.1.90.1.3"), (&object(3, "root", "g", 1), "i", "1")];
    set(&agent, "root", &all).unwrap().unwrap();
    assert!(read(&agent, "root", &other).contains("No Such"));
    // A walk that reads as far as the values.
    let before = [(&*object(2, "root", "g", 1), "o", "1.3.6.1.2.1.90.1.2.3.1.10")];
    set(&agent, "root", &before).unwrap().unwrap();
    set(&agent, "root", &[(&cell(1, 3, "root", "g"), "s", "count($1)")]).unwrap().unwrap();
    assert_eq!(number(&agent, "root", &other), "3");

    // No more than three for each owner, none of the configuration's, and none below the least interval.
    let refused = |bindings: &[(&str, &str, &str)], expected: &str| {
        let answer = set(&agent, "root", bindings).unwrap().unwrap_err();
        assert!(answer.contains(expected), "{bindings:?}: {answer}");
    };
    refused(&[(&cell(1, 9, "root", "h"), "i", "5")], "resourceUnavailable");
    refused(
        &[(&cell(1, 9, "snmpd.conf", "h"), "i", "4"), (&cell(1, 3, "snmpd.conf", "h"), "s", "1")],
        "inconsistentValue",
    );
    refused(&[("1.3.6.1.2.1.90.1.1.1.0", "i", "0")], "wrongValue");
    set(&agent, "root", &[("1.3.6.1.2.1.90.1.1.1.0", "i", "30")]).unwrap().unwrap();
    refused(&[(&cell(1, 6, "root", "f"), "i", "29")], "inconsistentValue");
    refused(&[(&object(5, "root", "f", 1), "o", NUMBER)], "inconsistentName");
    set(&agent, "root", &[("1.3.6.1.2.1.90.1.1.1.0", "i", "-1")]).unwrap().unwrap();
    refused(&[(&object(4, "root", "f", 1), "i", "2")], "inconsistentValue");
}

#[test]
fn more_instances_than_are_admitted_have_no_values() {
    let expression = |name: &str, text: &str| {
        format!(
            "[[expression]]\nname = {name:?}\nexpression = {text:?}\ntype = \"octetString\"\nobjects = [{{ object = \"{DESCRIPTIONS}.*\" }}]\n"
        )
    };
    let few = expression("few", "$1 + \"!\"");
    let agent = Agent::start(&format!("{USERS}[expressions]\nmax-instances = 2\n{few}"));
    let values = "1.3.6.1.2.1.90.1.3";
    let Some(walked) = run(&agent, "snmpwalk", "root", &[values]) else { return };
    assert!(walked.unwrap().contains("No Such"));
    assert_eq!(code(&agent, "snmpd.conf", "few"), "7");
    agent.rewrite(&format!("{USERS}{few}"));
    agent.signal("HUP");
    agent.wait_for("configuration");
    while walk(&agent, "root", values).len() < 3 {
        std::thread::yield_now();
    }
}

#[test]
fn odd_names_are_rows_like_others_and_long_ones_have_room() {
    let agent = Agent::start(USERS);
    let Some(answer) = set(&agent, "root", &[(NUMBER, "i", "2")]) else { return };
    answer.unwrap();
    let long = "o".repeat(32);
    let names = [("", "x"), ("a\n\u{1b}[2J", "</data>"), ("é", "."), (long.as_str(), long.as_str())];
    for (owner, name) in names {
        let of = |column| object(column, owner, name, 4_294_967_295);
        set(&agent, "root", &[(&of(10), "i", "4"), (&of(2), "o", NUMBER)]).unwrap().unwrap();
        let of = |column| cell(1, column, owner, name);
        let expression = [(&*of(9), "i", "4"), (&*of(3), "s", "$4294967295 * 4"), (&*of(4), "i", "4")];
        set(&agent, "root", &expression).unwrap().unwrap();
        assert_eq!(number(&agent, "root", &value(4, owner, name, ".0")), "8", "{owner:?} {name:?}");
    }
    assert_eq!(walk(&agent, "root", "1.3.6.1.2.1.90.1.3").len(), names.len());
    // A name of 33 octets is the name of no row.
    let refused = set(&agent, "root", &[(&cell(1, 9, "o", &"n".repeat(33)), "i", "5")]).unwrap();
    assert!(refused.unwrap_err().contains("noCreation"));
    // They outlive a restart as they are.
    let agent = Agent::start_in(agent.terminate(), USERS);
    assert_eq!(walk(&agent, "root", "1.3.6.1.2.1.90.1.3").len(), names.len());
}

/// More instances than are admitted, and an object above all values: no values, and the codes say so.
#[test]
fn a_walk_of_everything_is_bounded() {
    let agent = Agent::start(&format!(
        "{USERS}[expressions]\nmax-instances = 5\n\
         [[expression]]\nname = \"own\"\nexpression = \"count($1)\"\nobjects = [{{ object = \"1.3.6.1.2.1.*\" }}]\n\
         [[expression]]\nname = \"many\"\nexpression = \"count($1)\"\nobjects = [{{ object = \"1.3.6.1.2.1.11.*\" }}]\n"
    ));
    let Some(walked) = run(&agent, "snmpwalk", "root", &["1.3.6.1.2.1.90.1.3"]) else { return };
    assert!(walked.unwrap().contains("No Such"));
    assert_eq!(code(&agent, "snmpd.conf", "own"), "8");
    assert_eq!(code(&agent, "snmpd.conf", "many"), "7");
}
