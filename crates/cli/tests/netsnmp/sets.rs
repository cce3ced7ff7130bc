//! `snmpset`: types, values, mistakes and refusals.

use crate::pair::{Pair, snmpd};

#[test]
fn every_type_of_value() {
    let Some(agent) = snmpd("") else { return };
    let values = [
        "i 5",
        "i -5",
        "i abc",
        "i 0x10",
        "i 010",
        "u 5",
        "u -1",
        "u 5x",
        "3 1",
        "t 5",
        "t abc",
        "a 1.2.3.4",
        "a 1.2.3",
        "a 1.2.3.4.5",
        "a x",
        "a 1.2.3.256",
        "o 1.3.6.1",
        "o .1.3",
        "o x.3",
        "s good",
        "s -d",
        "s ''",
        "s 'a b'",
        "ss good",
        "x 4142",
        "x 0x4142",
        "x '41 42'",
        "x 414",
        "x 0g",
        "x 41:42",
        "x 41,42",
        "x '4 1'",
        "x -",
        "x ''",
        "d 65",
        "d '65 66.67'",
        "d 256",
        "d 65,66",
        "d x",
        "d ''",
        "b 1",
        "b '1 3'",
        "b 1,3",
        "b x",
        "b 99",
        "n x",
        "F 1.5",
        "F 1.5x",
        "F x",
        "D 1.5",
        "I 1",
        "I -5",
        "I x",
        "U 1",
        "U x",
        "c 1",
        "C 1",
        "S 1",
        "q x",
        "s",
        "=",
        "",
    ];
    let pair = Pair::numbers(&agent.address);
    for value in values {
        pair.equal(&[&format!("snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 {value}")]);
    }
    // C truncates the number, and reports it.
    Pair::numbers(&agent.address)
        .with_any_stderr()
        .equal(&["snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 i 99999999999"]);
}

#[test]
fn objects_know_their_types() {
    let Some(agent) = snmpd("") else { return };
    let assignments = [
        "sysContact.0 s hello",
        "sysContact.0 = hello",
        "sysContact.0 i 5",
        "sysContact.0 x 4142",
        "sysContact.0 b 1",
        "sysContact.0 d 65",
        "ifAdminStatus.1 i bla",
        "ifAdminStatus.1 s up",
        "ifAdminStatus.1 u 1",
        "ifPhysAddress.1 s 1:2:3",
        "ifPhysAddress.1 s zz",
        "ifPhysAddress.1 x 010203",
        "sysUpTime.0 t 5",
        "sysUpTime.0 u 5",
        "sysUpTime.0 = 5",
        "sysServices.0 i 500",
        "sysServices.0 i 5",
        "sysServices.0 = x",
        "sysObjectID.0 o sysDescr",
        "sysObjectID.0 = ifDescr.5",
        "ipAdEntAddr.1.2.3.4 a 1.2.3.4",
        "ipAdEntAddr.1.2.3.4 = 1.2.3",
        "ifSpeed.1 u 5",
        "ifSpeed.1 i 5",
        "ifInOctets.1 c 5",
        "ifInOctets.1 u 5",
        "ifInOctets.1 = 5",
        "ifHCInOctets.1 C 5",
        "ifHCInOctets.1 = 5",
        "hrSystemDate.0 s 2020-1-2,3:4:5.6",
        "hrSystemDate.0 = 2020-1-2,3:4:5.6",
        "snmpEnableAuthenTraps.0 i enabled",
        "snmpSetSerialNo.0 i -5",
        "sysORID.1 o bla",
        "SNMPv2-MIB::sysContact.0 s x",
        "BLA-MIB::foo.0 s x",
        "IF-MIB::foo.0 s x",
        "hrPrinterDetectedErrorState.1 b 1",
        "laLoadFloat.1 F 1",
        "laLoadInt.1 i 5",
    ];
    // What is not in snmpd's power it does not do: nothing here changes the machine.
    for assignment in assignments {
        for letters in ["", "-Ir", "-Ih"] {
            let line = format!("snmpset {letters} -v2c -c private @ {assignment}");
            let pair = Pair::names(&agent.address);
            // The limits of a text's length are worded differently.
            let pair = if assignment.contains("BLA-MIB") { pair.with_any_stderr() } else { pair };
            pair.equal(&[&line]);
        }
    }
}

#[test]
fn several_at_once_and_refusals() {
    let Some(agent) = snmpd("") else { return };
    Pair::numbers(&agent.address).equal(&[
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 s one 1.3.6.1.2.1.1.6.0 s two",
        "snmpset -v2c -c private -Cq @ 1.3.6.1.2.1.1.4.0 s quiet",
        "snmpset -v2c -c private -On @ 1.3.6.1.2.1.1.4.0 s x",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 s xx 1.3.6.1.2.1.1.6.0",
        "snmpset -v2c -c private @ foo.0 s xx 1.3.6.1.2.1.1.6.0 i uu",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 s good 1.3.6.1.2.1.1.5.0 i 5",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.3.0 t 5",
        "snmpset -v1 -c private @ 1.3.6.1.2.1.1.4.0 i 5",
        "snmpset -v1 -c private @ 1.3.6.1.2.1.1.4.0 s good 1.3.6.1.2.1.1.5.0 i 5",
        "snmpset -v1 -c private @ 1.3.6.1.2.1.1.3.0 t 5",
        "snmpset -v2c -c public @ 1.3.6.1.2.1.1.4.0 s x",
        "snmpset -v1 -c public @ 1.3.6.1.2.1.1.4.0 s x",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.77.0 s x",
    ]);
}
