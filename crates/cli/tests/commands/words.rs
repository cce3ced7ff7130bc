//! The messages of commands that have nothing to show, and the list of `--help`.

use crate::scripted_machine::machine;
use crate::support::{Agent, run};

#[test]
fn a_scalar_is_not_a_table_and_an_empty_subtree_is_named() {
    let agent = Agent::serving(machine());
    let target = &agent.target();
    let (out, err) = run(&["table", target, "sysDescr"], 2);
    assert!(
        out.is_empty() && err.contains("is a scalar, not a table: `trunkline get` reads sysDescr.0"),
        "{err}"
    );
    let (out, err) = run(&["walk", target, "snmp"], 0);
    assert!(out.is_empty() && err.contains("SNMPv2-MIB::snmp: the agent has nothing there"), "{err}");
}

#[test]
fn help_lists_every_command() {
    let (out, _) = run(&["--help"], 0);
    for command in ["status", "df", "netstat", "ping", "manual"] {
        assert!(
            out.lines().any(|line| line.trim_start().starts_with(&format!("{command} "))),
            "{command}\n{out}"
        );
    }
    let (out, _) = run(&["manual", "--help"], 0);
    assert!(out.contains("trunkline manual /usr/local/share"), "{out}");
}
