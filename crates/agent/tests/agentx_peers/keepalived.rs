//! VRRP-MIB, VRRPV3-MIB and KEEPALIVED-MIB of keepalived.

use std::fs;
use std::process::Command;

use trunkline_smi::Value;
use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated_with_users;

use crate::daemon::{Daemon, wait_for};
use crate::same::{self, Module};
use crate::support::oid;
use crate::world::World;

const MODULES: &[Module] = &[
    Module {
        name: "VRRP-MIB",
        root: "1.3.6.1.2.1.68",
        least: 30,
        // vrrpOperVirtualRouterUpTime and vrrpStatistics.
        moving: &["1.3.1.13", "2"],
        time_marks: &[],
    },
    Module {
        name: "VRRPV3-MIB",
        root: "1.3.6.1.2.1.207",
        least: 50,
        // vrrpv3OperationsUpTime; discontinuity times.
        moving: &["1.1.1.1.12", "1.2.4", "1.2.5.1.12"],
        time_marks: &[],
    },
    Module {
        name: "KEEPALIVED-MIB",
        root: "1.3.6.1.4.1.9586.100.5",
        least: 80,
        moving: &[],
        time_marks: &[],
    },
];

/// Two virtual routers, of both versions of the protocol; there is no other one on the link, so both become masters.
const CONFIGURATION: &str = "\
global_defs {
  router_id one
  enable_snmp_vrrp
  enable_snmp_rfcv2
  enable_snmp_rfcv3
}
vrrp_instance A {
  state MASTER
  interface near
  virtual_router_id 7
  priority 150
  advert_int 1
  virtual_ipaddress {
    192.0.2.100/24
    192.0.2.101/24
  }
}
vrrp_instance B {
  state BACKUP
  version 3
  interface near
  virtual_router_id 8
  priority 50
  virtual_ipaddress {
    192.0.2.110/24
  }
}
";

#[test]
fn vrrp_is_the_same_through_both_masters() {
    if !has("keepalived", "keepalived") || !has("snmpd", "snmpd") {
        return;
    }
    isolated_with_users("keepalived::vrrp_is_the_same_through_both_masters", || {
        let world = World::make();
        fs::write(world.path("keepalived.conf"), CONFIGURATION).unwrap();
        // vrrpInstanceState of both, and the addresses that they have set: vrrpAddressStatus.
        let (states, addresses) =
            (oid("1.3.6.1.4.1.9586.100.5.2.3.1.4"), oid("1.3.6.1.4.1.9586.100.5.2.6.1.7"));
        same::check(
            &world,
            MODULES,
            || vec![start(&world)],
            |found| {
                let of = |column: &trunkline_smi::Oid| -> Vec<Value> {
                    found
                        .iter()
                        .filter(|(name, _)| name.starts_with(column))
                        .map(|(_, it)| it.clone())
                        .collect()
                };
                let gratuitous_is_over = of(&addresses).len() == 3;
                of(&states) == [Value::Integer(2), Value::Integer(2)] && gratuitous_is_over
            },
        );
    });
}

/// Until it is the master of both: its process for VRRP (2.2.7) crashes when it is asked before it has read its configuration, which is after it has
/// connected, and is started again ever later.
fn start(world: &World) -> Daemon {
    let mut command = Command::new("keepalived");
    command.args(["--dont-fork", "--log-console", "--no-syslog", "--vrrp", "--snmp", "--snmp-agent-socket"]);
    command.arg(format!("unix:{}", world.socket().display()));
    command.arg("--use-file").arg(world.path("keepalived.conf"));
    command.arg("--pid").arg(world.path("keepalived.pid"));
    command.arg("--vrrp_pid").arg(world.path("vrrp.pid"));
    command.env("SNMPCONFPATH", world.net_snmp_configuration("keepalived"));
    let log = world.path("keepalived.log");
    let mut daemons = [Daemon::start(command, &log)];
    wait_for(&mut daemons, "both masters of keepalived", || {
        let text = fs::read_to_string(&log).unwrap();
        ["(A)", "(B)"].iter().all(|instance| text.contains(&format!("{instance} Entering MASTER STATE")))
    });
    let [daemon] = daemons;
    daemon
}
