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

/// Only SNMPv3 has contexts: if one is given elsewhere, its sender must learn that it is not read.
#[test]
fn a_context_that_is_not_used_is_named() {
    let agent = Agent::serving(machine());
    let target = &agent.target();
    let (out, err) = run(&["get", "-n", "lab", target, "sysName.0"], 0);
    assert!(!out.is_empty() && err.contains("-n is not used: SNMPv1 and SNMPv2c have no contexts"), "{err}");
    let (_, err) = run(&["walk", "-q", "-n", "lab", target, "system"], 0);
    assert!(!err.contains("-n"), "{err}");
    let (_, err) = run(&["get", target, "sysName.0"], 0);
    assert!(err.is_empty(), "{err}");
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
