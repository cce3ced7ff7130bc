//! The plugins that Icinga, Nagios and their like run: check_snmp of the Monitoring Plugins with the objects of
//! Debian's commands, and the plugins of the Manubulon project for load, memory, storage, interfaces and processes.

use std::process::Command;

use trunkline_snmp::wire::Version;
use trunkline_testkit::has;

use crate::monitoring::world;
use crate::support::{Agent, message, next};

const FOLDER: &str = "/usr/lib/nagios/plugins";

/// Runs a plugin, which must find everything well; returns its line.
fn check(plugin: &str, agent: &Agent, arguments: &[&str]) -> String {
    let address = agent.udp();
    let (host, port) = (address.ip().to_string(), address.port().to_string());
    let mut command = Command::new(format!("{FOLDER}/{plugin}"));
    let output = command.args(["-H", &host, "-p", &port, "-t", "60"]).args(arguments).output().unwrap();
    let line = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{plugin} {arguments:?}: {line}{errors}");
    line
}

fn is_installed(plugin: &str, package: &str) -> bool {
    has(&format!("{FOLDER}/{plugin}"), package)
}

#[test]
fn check_snmp_reads_what_debians_commands_name() {
    if !is_installed("check_snmp", "monitoring-plugins-standard") {
        return;
    }
    let agent = world::agent();
    let user = ["-P", "3", "-L", "authPriv", "-U", "nms", "-a", "SHA", "-x", "AES"];
    let user = [&user[..], &["-A", world::PASSWORD, "-X", world::PASSWORD]].concat();
    // Which number it has depends on the mounts of the machine.
    let first = agent.ask(&message(Version::V2c, "public", next(&["1.3.6.1.4.1.2021.9.1.1"])));
    let number = first.pdu.bindings[0].name.last().copied().unwrap();
    let disk = format!(".1.3.6.1.4.1.2021.9.1.7.{number},.1.3.6.1.4.1.2021.9.1.9.{number}");
    for credentials in [vec!["-C", "public"], user] {
        for (oids, count) in [
            (".1.3.6.1.4.1.2021.10.1.5.1,.1.3.6.1.4.1.2021.10.1.5.2,.1.3.6.1.4.1.2021.10.1.5.3", 3),
            (".1.3.6.1.4.1.2021.11.9.0,.1.3.6.1.4.1.2021.11.10.0,.1.3.6.1.4.1.2021.11.11.0", 3),
            (&*disk, 2),
            (".1.3.6.1.4.1.2021.4.6.0,.1.3.6.1.4.1.2021.4.5.0", 2),
            (".1.3.6.1.4.1.2021.4.4.0,.1.3.6.1.4.1.2021.4.3.0", 2),
            (".1.3.6.1.2.1.25.1.6.0,.1.3.6.1.2.1.25.1.5.0", 2),
            (".1.3.6.1.2.1.6.9.0", 1),
            (".1.3.6.1.2.1.6.5.0,.1.3.6.1.2.1.6.6.0,.1.3.6.1.2.1.6.10.0,.1.3.6.1.2.1.6.12.0", 4),
        ] {
            let line = check("check_snmp", &agent, &[&credentials[..], &["-o", oids]].concat());
            let (_, data) = line.split_once('|').unwrap_or_else(|| panic!("{oids}: {line}"));
            assert_eq!(data.split_whitespace().count(), count, "{oids}: {line}");
        }
        // Text has no performance data; the plugin compares it.
        let text = ["-o", ".1.3.6.1.2.1.1.6.0", "-r", "rack 12"];
        let line = check("check_snmp", &agent, &[&credentials[..], &text].concat());
        assert!(line.starts_with("SNMP OK"), "{line}");
    }
}

#[test]
fn the_perl_plugins_find_load_memory_storage_interfaces_and_processes() {
    if !is_installed("check_snmp_load.pl", "nagios-snmp-plugins") {
        return;
    }
    let agent = world::agent();
    let mut all = vec![vec!["-2", "-C", "public"]];
    // Net::SNMP loads what it needs for SNMPv3 at run time.
    if has("/usr/share/perl5/Digest/HMAC_SHA1.pm", "libdigest-hmac-perl")
        && has("/usr/share/doc/libcrypt-des-perl/copyright", "libcrypt-des-perl")
        && has("/usr/share/doc/libcrypt-rijndael-perl/copyright", "libcrypt-rijndael-perl")
    {
        all.push(vec!["-l", "nms", "-x", world::PASSWORD, "-X", world::PASSWORD, "-L", "sha,aes"]);
    }
    for credentials in all {
        let run = |plugin: &str, more: &[&str]| check(plugin, &agent, &[more, &credentials[..]].concat());
        let load = run("check_snmp_load.pl", &["-T", "netsl", "-w", "900,900,900", "-c", "999,999,999"]);
        assert!(load.starts_with("Load (CPUs: ") && load.contains("OK"), "{load}");
        let processors = run("check_snmp_load.pl", &["-T", "stand", "-w", "101", "-c", "102"]);
        assert!(processors.contains(" CPU, "), "{processors}");
        let memory = run("check_snmp_mem.pl", &["-N", "-w", "100,0", "-c", "100,0"]);
        assert!(memory.starts_with("Ram : "), "{memory}");
        // Well with 2 MB left, whatever the size of the disk.
        let storage = run("check_snmp_storage.pl", &["-m", "^/$", "-T", "bl", "-w", "2", "-c", "1"]);
        assert!(storage.starts_with("/: "), "{storage}");
        let interface = run("check_snmp_int.pl", &["-n", "^lo$"]);
        assert!(interface.starts_with("lo:UP"), "{interface}");
        let process = run("check_snmp_process.pl", &["-n", "trunklined"]);
        assert!(process.contains("matching trunklined"), "{process}");
    }
}
