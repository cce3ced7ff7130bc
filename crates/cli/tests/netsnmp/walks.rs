//! `snmpwalk` and `snmpbulkwalk`.

use crate::pair::{Pair, snmpd};
use crate::support::{Agent, answer_next};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::VarBind;

const TOOLS: [&str; 6] = [
    "snmpwalk -v1 -c public",
    "snmpwalk -v2c -c public",
    "snmpbulkwalk -v2c -c public",
    "snmpbulkwalk -v2c -c public -Cr1",
    "snmpbulkwalk -v2c -c public -Cr3 -Cn0",
    "snmpbulkwalk -v2c -c public -Cn1",
];

#[test]
fn roots_of_all_kinds() {
    let Some(agent) = snmpd("") else { return };
    let roots = [
        "1.3.6.1.2.1.1.9",    // a table
        "1.3.6.1.2.1.1.6",    // a scalar
        "1.3.6.1.2.1.1.6.0",  // its instance
        "1.3.6.1.2.1.1.77.0", // nothing
        "1.3.6.1.6.3.16.1.5", // up to the end of the tree
        "1.9",                // after it
        "foo",
    ];
    for tool in TOOLS {
        for root in roots {
            Pair::numbers(&agent.address).equal(&[&format!("{tool} @ {root}")]);
        }
        Pair::numbers(&agent.address).equal(&[
            &format!("{tool} -On @ .1.3.6.1.2.1.1.9"),
            &format!("{tool} @ foo bar"),
            tool,
        ]);
    }
}

#[test]
fn letters_of_c() {
    let Some(agent) = snmpd("") else { return };
    let letters = [
        "-Cp",
        "-Ci",
        "-Cc",
        "-Cpc",
        "-Cpi",
        "-Cpp",
        "-Cp -CI",
        "-CI",
        "-Ci -Cp",
        "-CE 1.3.6.1.2.1.1.9.1.3",
        "-CpE 1.3.6.1.2.1.1.9.1.3",
        "-CE foo",
        "-CE 1.3.6.1.2.1.1.5",
        "-CiE 1.3.6.1.2.1.1.9.1.2.4",
    ];
    for tool in &TOOLS[..3] {
        for letters in letters {
            for root in ["1.3.6.1.2.1.1.9.1.2", "1.3.6.1.2.1.1.6.0", "1.3.6.1.2.1.1.77"] {
                Pair::numbers(&agent.address).equal(&[&format!("{tool} {letters} -Oq @ {root}")]);
            }
        }
    }
}

#[test]
fn names_and_their_forms() {
    let Some(agent) = snmpd("") else { return };
    for root in [
        "sysORTable",
        "ifDescr",
        "ifType",
        "ipAddressIfIndex",
        "hrStorageDescr",
        "vacmSecurityToGroupTable",
        "laNames",
    ] {
        for letters in ["-OS", "-Os", "-Of", "-Ou", "-OX", "-Ob", "-OQ", "-Oqv", "-OE", "-Ih"] {
            let tool = if letters == "-OS" { "snmpwalk" } else { "snmpbulkwalk" };
            Pair::names(&agent.address).equal(&[&format!("{tool} -v2c -c public {letters} @ {root}")]);
        }
    }
}

/// Where nothing is named MIB-II is walked, up to where `-CE` says.
#[test]
fn without_a_root() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    pair.equal(&[
        "snmpwalk -v2c -c public -CE 1.3.6.1.2.1.1.3 @",
        "snmpwalk -v1 -c public -Cp -CE 1.3.6.1.2.1.1.2 @",
    ]);
}

/// The duration of a walk is printed to standard error, that of an answer before its lines; the figures differ
/// between the tools.
#[test]
fn the_time_is_printed() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    let shape = |words: &str| words.replace(|c: char| c.is_ascii_digit(), "");
    for letters in ["-Ct", "-CT", "-CtT", "-CTp"] {
        let (theirs, ours) = pair.both(&format!("snmpwalk -v2c -c public {letters} @ 1.3.6.1.2.1.1.9.1.2"));
        assert_eq!(ours.status, theirs.status, "{letters}");
        assert_eq!(shape(&ours.words), shape(&theirs.words), "{letters}");
        assert_eq!(shape(&ours.out), shape(&theirs.out), "{letters}");
    }
}

#[test]
fn a_looping_agent_is_reported_and_cc_continues() {
    if !trunkline_testkit::has("snmpwalk", "snmp") {
        return;
    }
    // 1, 2, 3, 2, 3, 4 and then the end.
    let order = |last: u32, seen: &mut u32| match (last, *seen) {
        (3, 0) => {
            *seen = 1;
            2
        }
        (last, _) => last + 1,
    };
    for tool in ["snmpwalk -v2c -c public", "snmpwalk -v1 -c public", "snmpbulkwalk -v2c -c public -Cr1"] {
        for letters in ["", "-Cp", "-Cc", "-Ccp"] {
            let run = |ours: bool| {
                let mut seen = 0;
                let agent = Agent::new(move |request| {
                    Some(answer_next(&request, |name: &Oid| {
                        let last = name.get(7).copied().unwrap_or(0);
                        let next = order(last, &mut seen);
                        let root: Oid = "1.3.6.1.4.1.99999".parse().unwrap();
                        match next {
                            1..=4 => VarBind::new(root.child(&[next]), Value::Integer(next as i32)),
                            _ => VarBind::new("1.3.6.1.4.1.100000.1".parse().unwrap(), Value::Integer(0)),
                        }
                    }))
                });
                let target = agent.target();
                let line = format!("{tool} {letters} @ 1.3.6.1.4.1.99999");
                let (theirs, own) = match ours {
                    true => (None, Some(Pair::numbers(&target).ours(&line))),
                    false => (Some(Pair::numbers(&target).theirs(&line)), None),
                };
                theirs.or(own).unwrap()
            };
            assert_eq!(run(true), run(false), "{tool} {letters}");
        }
    }
}
