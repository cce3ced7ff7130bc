//! BGP4-MIB and OSPF-MIB of FRR, whose router has a neighbor in the other namespace.

use std::fs;
use std::process::Command;

use trunkline_smi::Value;
use trunkline_testkit::has;
use trunkline_testkit::namespace::isolated_with_users;

use crate::daemon::{Daemon, wait_until};
use crate::same::{self, Instances, Module};
use crate::support::oid;
use crate::world::{World, replace};

const MODULES: &[Module] = &[
    Module {
        name: "BGP4-MIB",
        root: "1.3.6.1.2.1.15",
        least: 37,
        // bgpPeerInUpdates to bgpPeerOutTotalMessages, FsmEstablishedTime, InUpdateElapsedTime.
        moving: &["3.1.10", "3.1.11", "3.1.12", "3.1.13", "3.1.16", "3.1.24"],
        time_marks: &[],
    },
    Module {
        name: "OSPF-MIB",
        root: "1.3.6.1.2.1.14",
        least: 80,
        // Counters of the router, its areas, interfaces and neighbors; what changes when an advertisement is sent again.
        moving: &[
            "1.9", "1.10", "2.1.4", "4.1.5", "4.1.6", "4.1.7", "4.1.8", "7.1.15", "10.1.7", "10.1.8",
            "12.1.4", "12.1.5", "12.1.6",
        ],
        time_marks: &[],
    },
];

#[test]
fn bgp_and_ospf_are_the_same_through_both_masters() {
    let programs = ["zebra", "bgpd", "ospfd"].map(|name| format!("/usr/lib/frr/{name}"));
    if programs.iter().any(|program| !has(program, "frr"))
        || !has("/var/lib/dpkg/info/frr-snmp.list", "frr-snmp")
        || !has("snmpd", "snmpd")
    {
        return;
    }
    isolated_with_users("frr::bgp_and_ospf_are_the_same_through_both_masters", || {
        let world = World::make();
        // FRR wants its user in this group; here it runs as root.
        let group = fs::read_to_string("/etc/group").unwrap();
        let group: Vec<&str> = group
            .lines()
            .map(|line| if line.starts_with("frrvty:") { "frrvty:x:0:root" } else { line })
            .collect();
        fs::write(world.path("group"), group.join("\n") + "\n").unwrap();
        replace("/etc/group", &world.path("group"));
        let start = || {
            let mut daemons = router(&world, "near", ["192.0.2.1", "192.0.2.2"], [65001, 65002], 113);
            daemons.extend(router(&world, "far", ["192.0.2.2", "192.0.2.1"], [65002, 65001], 114));
            daemons
        };
        same::check(&world, MODULES, start, is_ready);
    });
}

/// The neighbor is established and full, its route has arrived, and both routers' and their network's advertisements; who
/// is designated on the link (ospfIfDesignatedRouter, ospfIfBackupDesignatedRouter) is decided.
fn is_ready(found: &Instances) -> bool {
    let has = |name: &str, value: i32| found.get(&oid(name)) == Some(&Value::Integer(value));
    let rows = |column: &str| found.keys().filter(|name| name.starts_with(&oid(column))).count();
    has("1.3.6.1.2.1.15.3.1.2.192.0.2.2", 6)
        && rows("1.3.6.1.2.1.15.6.1.1") == 1
        && has("1.3.6.1.2.1.14.10.1.6.192.0.2.2.0", 8)
        && rows("1.3.6.1.2.1.14.4.1.1") == 3
        && is_decided(
            &[13, 14]
                .map(|column| found.get(&oid(&format!("1.3.6.1.2.1.14.7.1.{column}.192.0.2.1.0"))).cloned()),
        )
}

/// The two routers in either order.
fn is_decided(designated: &[Option<Value>; 2]) -> bool {
    let addresses = [[192, 0, 2, 1], [192, 0, 2, 2]].map(|address| Some(Value::IpAddress(address)));
    addresses.iter().all(|address| designated.contains(address))
}

/// zebra, bgpd and ospfd on one side.
fn router(world: &World, side: &str, addresses: [&str; 2], systems: [u32; 2], network: u8) -> Vec<Daemon> {
    let ([own, other], [own_as, other_as]) = (addresses, systems);
    let folder = world.path(side);
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("vtysh.conf"), "\n").unwrap();
    let agentx = if side == "near" { "agentx\n" } else { "" };
    let bgp = format!(
        "{agentx}router bgp {own_as}\n bgp router-id {own}\n no bgp ebgp-requires-policy\n no bgp network import-check\n \
         timers bgp 1 20\n neighbor {other} remote-as {other_as}\n neighbor {other} timers connect 1\n \
         address-family ipv4 unicast\n  network 203.0.{network}.0/24\n exit-address-family\nexit\n"
    );
    let ospf = format!(
        "{agentx}interface {side}\n ip ospf hello-interval 1\n ip ospf dead-interval 20\nexit\n\
         router ospf\n ospf router-id {own}\n network 192.0.2.0/24 area 0\nexit\n"
    );
    let daemons = [("zebra", String::new()), ("bgpd", bgp), ("ospfd", ospf)];
    let start = |(name, text): (&str, String)| {
        let file = folder.join(format!("{name}.conf"));
        fs::write(&file, text).unwrap();
        let program = format!("/usr/lib/frr/{name}");
        let mut command = if side == "far" { world.beyond(program) } else { Command::new(program) };
        command.args(["-u", "root", "-g", "root", "-A", "127.0.0.1", "-P", "0", "--vty_socket"]).arg(&folder);
        command.arg("-z").arg(folder.join("zserv")).arg("-i").arg(folder.join(format!("{name}.pid")));
        command.arg("-f").arg(file);
        if side == "near" && name != "zebra" {
            command.args(["-M", "snmp"]).env("SNMPCONFPATH", world.net_snmp_configuration("frr"));
        }
        let daemon = Daemon::start(command, &folder.join(format!("{name}.log")));
        let socket = folder.join(format!("{name}.vty"));
        wait_until(&format!("{name} to listen"), || socket.exists());
        daemon
    };
    daemons.map(start).into()
}
