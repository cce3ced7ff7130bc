//! Records for tests.

use serde_json::Value;

use crate::machine::Machine;
use crate::protocol::Protocol;
use crate::trial::{Case, FORMAT, SessionRecord, Trial};

/// A run of two processors.
pub fn trial(experiment: &str) -> Trial {
    Trial {
        format: FORMAT.into(),
        experiment: experiment.into(),
        tables: vec![],
        quick: true,
        lab_version: "0".into(),
        command: format!("trunkline lab {experiment}"),
        started: "2026-11-22T05:00:00Z".into(),
        seed: 1,
        place: "here".into(),
        agent: "trunklined 0".into(),
        setting: Value::Null,
        machine: Machine { processors: 2, ..Machine::default() },
    }
}

/// A session with these phases, milliseconds.
pub fn session(
    table: &str,
    what: &str,
    protocol: Protocol,
    messages: u32,
    repetition: u32,
    [open, exchange, close]: [f64; 3],
) -> SessionRecord {
    let ns = |ms: f64| (ms * 1e6) as u64;
    SessionRecord {
        case: Case { table: table.into(), what: what.into(), protocol, messages },
        repetition,
        prepare_ns: 1000,
        open_ns: ns(open),
        exchange_ns: ns(exchange),
        first_ns: None,
        each_ns: vec![],
        close_ns: ns(close),
        release_ns: 500,
        resent: 0,
        instances: None,
        objects: None,
        message_octets: None,
        rounds: vec![],
        link: None,
        frames: vec![],
        wire_ns: None,
        manager_cpu_ns: None,
        agent_cpu_ns: None,
    }
}
