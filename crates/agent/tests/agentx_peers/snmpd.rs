//! An snmpd as a subagent: programs below a name of their own, values from its file, and the table of its modules.

use std::fs;
use std::process::Command;

use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated_with_users;

use crate::daemon::Daemon;
use crate::same::{self, Module};
use crate::support::oid;
use crate::world::World;

const MODULES: &[Module] = &[
    Module {
        name: "NET-SNMP-AGENT-MIB, nsModuleTable",
        root: "1.3.6.1.4.1.8072.1.2",
        least: 50,
        moving: &[],
        time_marks: &[],
    },
    Module {
        name: "extend and override",
        root: "1.3.6.1.4.1.8072.9999.9999",
        least: 30,
        moving: &[],
        time_marks: &[],
    },
];

const CONFIGURATION: &str = "\
agentXPingInterval 1
extend .1.3.6.1.4.1.8072.9999.9999.21 hello /bin/echo hello world
extend .1.3.6.1.4.1.8072.9999.9999.21 two /bin/sh -c \"echo a; echo b; exit 3\"
override .1.3.6.1.4.1.8072.9999.9999.22.1.0 octet_str \"overridden\"
override .1.3.6.1.4.1.8072.9999.9999.22.2.0 integer 7
";

#[test]
fn modules_of_snmpd_are_the_same_through_both_masters() {
    if !has("snmpd", "snmpd") {
        return;
    }
    isolated_with_users("snmpd::modules_of_snmpd_are_the_same_through_both_masters", || {
        let world = World::make();
        fs::write(world.path("subagent.conf"), CONFIGURATION).unwrap();
        let last = oid("1.3.6.1.4.1.8072.9999.9999.22.2.0");
        same::check(&world, MODULES, || vec![start(&world)], |found| found.contains_key(&last));
    });
}

fn start(world: &World) -> Daemon {
    let mut command = Command::new("snmpd");
    command.args(["-f", "-C", "-Lo", "-X", "-I", "extend,override,nsModuleTable", "-x"]);
    command.arg(format!("unix:{}", world.socket().display()));
    command.arg("-c").arg(world.path("subagent.conf"));
    command.arg(format!("--persistentDir={}", world.path("subagent").display())).env("MIBS", "");
    Daemon::start(command, &world.path("subagent.log"))
}
