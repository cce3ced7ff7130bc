//! Calls with null for an argument: they end as with the JDK's own server.

use std::path::Path;
use std::process::Command;

use crate::java;
use crate::reading::OPEN;
use crate::support::Agent;

/// Where the two may differ: this agent neither makes MBeans nor has MBeans that listen, and names the argument that is wrong.
const OTHERWISE: [(&str, &str); 7] = [
    ("addNotificationListener filter", "! UnsupportedOperationException"),
    ("addNotificationListener handback", "! UnsupportedOperationException"),
    ("createMBean name", "! UnsupportedOperationException"),
    ("createMBean parameters", "! UnsupportedOperationException"),
    ("createMBean loader", "! UnsupportedOperationException"),
    ("removeNotificationListener4 filter", "! UnsupportedOperationException"),
    ("setAttributes element", OPERATION),
];
const OPERATION: &str = "! RuntimeOperationsException < IllegalArgumentException";

#[test]
fn a_call_with_null_ends_as_with_javas_own_server() {
    for home in java::homes() {
        let agent = Agent::start(&format!("[snmp]\nlisten = []\n{OPEN}"));
        let output = Command::new(home.join("bin/java"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("../../peers/jmx/Nulls.java"))
            .arg(agent.address("tcp").port().to_string())
            .output()
            .unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        let calls: Vec<(&str, &str)> = text.lines().map(|line| line.split_once(": ").unwrap()).collect();
        assert!(calls.len() > 50, "{text}{}", String::from_utf8_lossy(&output.stderr));
        for &(call, end) in &calls {
            if let Some((theirs, ours)) = end.split_once(" | ") {
                assert!(OTHERWISE.contains(&(call, ours)), "{home:?}: {call}: {theirs}, here {ours}");
            }
        }
        // They are the exceptions of javax.management.
        assert!(calls.contains(&("getAttribute name", OPERATION)), "{text}");
        assert!(calls.contains(&("addNotificationListeners names", "! IllegalArgumentException")), "{text}");
        assert!(calls.contains(&("isInstanceOf class", "false")), "{text}");
    }
}
