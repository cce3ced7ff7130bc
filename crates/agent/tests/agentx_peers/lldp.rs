//! LLDP-MIB of lldpd, which has a neighbor.

use std::fs;
use std::process::Command;

use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated_with_users;

use crate::daemon::Daemon;
use crate::same::{self, Module};
use crate::support::oid;
use crate::world::World;

const LLDP: Module = Module {
    name: "LLDP-MIB",
    root: "1.0.8802.1.1.2",
    least: 50,
    // lldpStatistics.
    moving: &["1.2"],
    // lldpRemTable, lldpRemManAddrTable, and the tables of neighbors of the extensions of IEEE 802.3 and 802.1.
    time_marks: &["1.4.1.1", "1.4.2.1", "1.5.4623.1.3.1.1", "1.5.4623.1.3.3.1", "1.5.32962.1.3.1.1"],
};

/// lldpRemSysDesc; the instance below it is of the neighbor.
const REMOTE_DESCRIPTION: &str = "1.0.8802.1.1.2.1.4.1.1.10";

#[test]
fn lldp_mib_is_the_same_through_both_masters() {
    if !has("lldpd", "lldpd") || !has("snmpd", "snmpd") {
        return;
    }
    isolated_with_users("lldp::lldp_mib_is_the_same_through_both_masters", || {
        let world = World::make();
        // Its other process is confined to a folder there, and files of a running lldpd of the machine are there too.
        let mounted = Command::new("mount").args(["-t", "tmpfs", "tmpfs", "/run"]).status().unwrap();
        assert!(mounted.success());
        fs::create_dir("/run/lldpd").unwrap();
        fs::write(world.path("lldpd.conf"), "configure lldp tx-interval 1\n").unwrap();
        let remote = oid(REMOTE_DESCRIPTION);
        same::check(
            &world,
            &[LLDP],
            || vec![start(&world, "near", "the near one"), start(&world, "far", "the far one")],
            |found| found.keys().any(|name| name.starts_with(&remote)),
        );
    });
}

fn start(world: &World, interface: &str, description: &str) -> Daemon {
    let mut command = if interface == "far" { world.beyond("lldpd") } else { Command::new("lldpd") };
    command.args(["-d", "-I", interface, "-S", description, "-P", "a platform"]);
    command.arg("-u").arg(world.path(&format!("lldpd-{interface}")));
    command.arg("-O").arg(world.path("lldpd.conf"));
    if interface == "near" {
        command.arg("-X").arg(world.socket());
        command.env("SNMPCONFPATH", world.net_snmp_configuration("lldpAgent"));
    }
    Daemon::start(command, &world.path(&format!("lldpd-{interface}.log")))
}
