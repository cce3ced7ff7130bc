//! Subtrees that programs and other agents answer for, and programs whose output is served, through the agent
//! as it ships.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test that fails panics")]

mod failing;
mod pass;
mod persist;
mod programs;
mod proxy;
mod words;

use crate::support;

use std::path::{Path, PathBuf};

use support::{Agent, message, oid};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Exception, Message, Pdu, VarBind, Version};

/// A program in a separate folder.
fn executable(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    trunkline_testkit::write_program(&path, text);
    path
}

/// An agent with the two listeners of [`support::BOTH`], whatever other addresses its configuration has.
fn start(config: &str) -> Agent {
    let mut agent = Agent::spawn(tempfile::tempdir().unwrap(), config, &[]);
    agent.wait_for_listeners(2);
    agent
}

/// Sends requests with write access.
fn ask(agent: &Agent, pdu: Pdu) -> Pdu {
    agent.ask(&message(Version::V2c, "private", pdu)).pdu
}

fn ask_v1(agent: &Agent, pdu: Pdu) -> Pdu {
    agent.ask(&message(Version::V1, "private", pdu)).pdu
}

fn set(agent: &Agent, bindings: &[(&str, Value)]) -> (i32, i32) {
    let bindings = bindings.iter().map(|(name, value)| VarBind::new(oid(name), value.clone())).collect();
    let answer = ask(agent, support::set(bindings));
    (answer.error_status, answer.error_index)
}

/// Every instance below a name, by GetNext or by GetBulk.
fn walk(agent: &Agent, below: &str, repetitions: Option<i32>) -> Vec<(String, Value)> {
    let root = oid(below);
    let (mut name, mut found) = (root.clone(), Vec::new());
    loop {
        let names = [name.to_string()];
        let names = [names[0].as_str()];
        let pdu = match repetitions {
            None => support::next(&names),
            Some(repetitions) => support::bulk(0, repetitions, &names),
        };
        let answer = ask(agent, pdu);
        assert_eq!(answer.error_status, 0, "behind {name}");
        for binding in answer.bindings {
            let Bound::Value(value) = binding.value else { return found };
            if !binding.name.starts_with(&root) {
                return found;
            }
            name = binding.name.clone();
            found.push((binding.name.to_string(), value));
        }
    }
}

fn texts(all: &[(String, Value)]) -> Vec<String> {
    all.iter().map(|(name, value)| format!("{name}={}", shown(value))).collect()
}

fn shown(value: &Value) -> String {
    match value {
        Value::OctetString(octets) => String::from_utf8_lossy(octets).into_owned(),
        value => value.as_value_ref().to_string(),
    }
}
