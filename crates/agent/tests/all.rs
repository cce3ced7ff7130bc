//! All tests of this room in one program, which is linked once. Those that want a process of their own are programs of their own
//! in the manifest.

#![allow(
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "helpers of tests fail by panicking, as tests do"
)]

#[path = "../../client/tests/agents/mod.rs"]
mod agents;
mod support;

mod agentx;
#[path = "browser/main.rs"]
mod browser;
mod documented_configuration;
#[path = "eventing/main.rs"]
mod eventing;
mod events;
mod expressions;
mod freshness;
mod grace;
mod groups;
mod http;
mod links;
mod managed;
#[path = "monitoring/main.rs"]
mod monitoring;
mod net_snmp;
mod passwords;
mod paths;
#[path = "pitfalls/main.rs"]
mod pitfalls;
mod program;
#[path = "regions/main.rs"]
mod regions;
#[path = "restconf/main.rs"]
mod restconf;
mod select;
mod snmp_soap;
mod snmpd_name;
#[path = "soap/main.rs"]
mod soap;
mod subagent;
