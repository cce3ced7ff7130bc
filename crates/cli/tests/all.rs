//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../../client/tests/agents/mod.rs"]
mod agents;
#[path = "support/network.rs"]
mod network;
#[path = "support/scripted.rs"]
mod script;
#[path = "support/machine.rs"]
mod scripted_machine;
mod support;

#[path = "commands.rs"]
mod commands;
mod jmx_agent;
mod lab;
mod liars;
mod listen;
mod listen_rules;
mod many;
mod net_snmp;
mod netconf;
mod netconf_agent;
#[path = "peers/main.rs"]
mod peers;
mod pki;
mod printed;
#[path = "rbac/main.rs"]
mod rbac;
mod restconf;
mod scripted;
mod secure;
mod select;
mod snmptrapd;
mod subscribe;
mod tables;
mod users;
mod usm;
