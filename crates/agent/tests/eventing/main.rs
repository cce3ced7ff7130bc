//! Notifications as SOAP messages (WS-Eventing) at a real agent: subscriptions and their faults, who receives
//! what, subscribers that are slow, gone or untrusted, and how subscriptions end.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

mod access;
mod delivery;
mod ending;
mod requests;
mod secure;
mod services;
mod sink;
mod subscriptions;
mod talk;

use crate::support;

/// The configuration of most tests: a community that may read everything and be notified of everything, and
/// another one.
const OPEN: &str = "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n\
     [[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
     [[snmp.community]]\nname = \"private\"\naccess = \"write\"\n\
     [http]\nlisten = [\"http://127.0.0.1:0\"]\n";

/// A monitor that fires at once; `send` are the instances that it sends besides its own objects.
fn monitor(name: &str, send: &str) -> String {
    format!(
        "[[monitor]]\nname = \"{name}\"\nexpression = \"1.3.6.1.2.1.1.7.0\"\nevery = \"1h\"\nabove = 0\nsend = [{send}]\n"
    )
}
