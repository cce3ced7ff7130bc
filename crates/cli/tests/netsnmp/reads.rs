//! `snmpget`, `snmpgetnext`, `snmpbulkget`.

use crate::pair::{Pair, snmpd};

#[test]
fn existing_and_missing_instances() {
    let Some(agent) = snmpd("") else { return };
    Pair::numbers(&agent.address).equal(&[
        "snmpget -v2c -c public @ 1.3.6.1.2.1.1.33.0 1.3.6.1.2.1.1.1.5 1.3.6.1.2.1.1.5.0",
        "snmpget -v1 -c public @ 1.3.6.1.2.1.1.33.0 1.3.6.1.2.1.1.1.5 1.3.6.1.2.1.1.5.0",
        "snmpget -v1 -Cf -c public @ 1.3.6.1.2.1.1.33.0 1.3.6.1.2.1.1.5.0",
        "snmpget -v1 -Cff -c public @ 1.3.6.1.2.1.1.33.0 1.3.6.1.2.1.1.5.0",
        "snmpget -v1 -c public @ 1.3.6.1.2.1.1.33.0",
        "snmpget -v1 -On -c public @ 1.3.6.1.2.1.1.33.0 1.3.6.1.2.1.1.5.0",
        "snmpgetnext -v2c -c public @ 1.3.6.1.2.1.1.5 1.9.9",
        "snmpgetnext -v1 -c public @ 1.3.6.1.2.1.1.5 1.9.9",
        "snmpgetnext -v1 -Cf -c public @ 1.3.6.1.2.1.1.5 1.9.9",
        "snmpgetnext -v2c -Oqv -c public @ 1.9.9",
        "snmpget -v2c -c public @ foo bar 1.3.6.1.2.1.1.5.0",
        "snmpget -v2c -c public @ SNMPv2-MIB::sysDescr.0",
        "snmpget -v2c -c public @ ''",
    ]);
    Pair::names(&agent.address).equal(&[
        "snmpget -v2c -c public @ sysName.0 SNMPv2-MIB::sysName.0 .iso.org.dod.internet.mgmt.mib-2.system.sysName.0",
        "snmpget -v2c -c public @ system.sysName.0 mib-2.system.sysName.0 ifDescr.1 IF-MIB::ifDescr.1",
        "snmpget -v2c -IR -c public @ sysName.0",
        "snmpget -v2c -c public @ sysName sysNaam.0",
        "snmpget -v2c -c public @ IF-MIB::sysName.0",
        "snmpget -v2c -c public @ ifDescr.x",
        "snmpget -v1 -c public @ ifDescr.99 ifDescr.1",
        "snmpgetnext -v2c -c public @ sysName ifDescr",
        "snmpget -v2c -c public @ 'vacmGroupName.1.\"comm1\"'",
    ]);
}

#[test]
fn bulk_reads_once_and_again() {
    let Some(agent) = snmpd("") else { return };
    Pair::numbers(&agent.address).equal(&[
        "snmpbulkget -v2c -c public -Cn1 -Cr3 @ 1.3.6.1.2.1.1.5 1.3.6.1.2.1.1.9.1.2",
        "snmpbulkget -v2c -c public -Cn1r2 @ 1.3.6.1.2.1.1.5 1.3.6.1.2.1.1.9.1.2",
        "snmpbulkget -v2c -c public -Cr0 @ 1.3.6.1.2.1.1.5",
        "snmpbulkget -v2c -c public -Cn2 -Cr5 @ 1.3.6.1.2.1.1.5 1.3.6.1.2.1.1.4",
        "snmpbulkget -v2c -c public -Cn3 @ 1.3.6.1.2.1.1.5",
        "snmpbulkget -v2c -c public -Cr4 @ 1.3.6.1.2.1.1.9.1.2.7",
        "snmpbulkget -v2c -c public -Cr2 @ 1.3.6.1.6.3.16.1.5.2.1.6.6.95.110.111.110.101.95.1.2",
        "snmpbulkget -v1 -c public @ 1.3.6.1.2.1.1.5",
        "snmpbulkget -v2c -c public @",
        "snmpbulkget -v2c -c public @ foo",
    ]);
}

#[test]
fn a_silent_agent_is_named() {
    let Some(agent) = snmpd("") else { return };
    let closed = "127.0.0.1:1";
    let pair = Pair::numbers(closed);
    pair.equal(&[
        "snmpget -v2c -c public -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpgetnext -v1 -c public -t 0.1 -r 1 @ 1.3.6.1.2.1.1.5.0",
        "snmpbulkget -v2c -c public -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpwalk -v2c -c public -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpbulkwalk -v2c -Cp -c public -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpset -v2c -c public -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0 s x",
        "snmpget -v3 -u ann -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
        "snmpwalk -v3 -u ann -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0",
    ]);
    Pair::numbers(&agent.address).equal(&["snmpget -v2c -c nobody -t 0.1 -r 0 @ 1.3.6.1.2.1.1.5.0"]);
    // The resolver reports why a name is invalid.
    pair.with_any_stderr().equal(&[
        "snmpget -v2c -c public no.such.host.invalid 1.3",
        "snmpget -v2c -c public foo:127.0.0.1 1.3",
        "snmpget -v2c -c public 127.0.0.1:99999 1.3",
        "snmpget -v2c -c public tcp:127.0.0.1:1 1.3",
    ]);
}

#[test]
fn tcp_is_a_way_too() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let Some(_agent) = snmpd(&format!("agentAddress tcp:127.0.0.1:{port}")) else { return };
    let target = format!("tcp:127.0.0.1:{port}");
    Pair::numbers(&target).equal(&[
        "snmpget -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpwalk -v2c -c public @ 1.3.6.1.2.1.1.9.1.2",
        "snmpbulkwalk -v2c -c public @ 1.3.6.1.2.1.1.9.1.2",
    ]);
}
