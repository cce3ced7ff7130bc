//! `snmptranslate`.

use trunkline_testkit::has;

use crate::pair::{Pair, mibs};

fn pair() -> Option<Pair<'static>> {
    has("snmptranslate", "snmp").then(|| Pair::names(""))
}

#[test]
fn names_and_numbers() {
    let Some(pair) = pair() else { return };
    pair.equal(&[
        "snmptranslate 1.3.6.1.2.1.2.2.1.2.5",
        "snmptranslate -On IF-MIB::ifDescr.1 1.3",
        "snmptranslate -Of IF-MIB::ifDescr.1",
        "snmptranslate -Os IF-MIB::ifDescr.1",
        "snmptranslate -Ou IF-MIB::ifDescr.1",
        "snmptranslate -OX 1.3.6.1.6.3.16.1.2.1.3.1.5.99.111.109.109.49",
        "snmptranslate -IR ifDescr.1 sysDescr.0",
        "snmptranslate -IR -On ifDescr.1",
        "snmptranslate .iso.org.dod.internet.mgmt.mib-2.system iso.org",
        "snmptranslate -Iu 1.1",
        "snmptranslate -Iu .1.1",
        "snmptranslate 1.3.6.1 foo",
        "snmptranslate IF-MIB::foo",
        "snmptranslate IF-MIB::ifDescr.abc",
        "snmptranslate -On 'SNMP-VIEW-BASED-ACM-MIB::vacmGroupName.1.\"comm1\"'",
        "snmptranslate -TB 'ifOut.*Octets'",
        "snmptranslate -TB IFDESCR",
        "snmptranslate -TB nixx",
        "snmptranslate -Ib nixx",
        "snmptranslate -Ib -On IFDESCR",
        "snmptranslate -Ib vacmAccessR.*View",
    ]);
}

/// Every eleventh name, with all that its text says.
#[test]
fn definitions() {
    let Some(pair) = pair() else { return };
    let names = pair.theirs("snmptranslate -Ts").out;
    let last = |line: &str| line.rsplit('.').next().map(str::to_owned);
    for name in names.lines().filter_map(last).step_by(11) {
        pair.equal(&[&format!("snmptranslate -IR -Td {name}")]);
    }
    pair.equal(&[
        "snmptranslate -Td 1.3.6.1.2.1.2.2.1.3.7",
        "snmptranslate -Td 1.3.6.1.2.1.2.2.1.3.7.8",
        "snmptranslate -Td 1.3.6.1.9.9",
        "snmptranslate -IR -Td -Os ifType ifDescr",
        "snmptranslate -IR -Td -On linkDown",
    ]);
}

#[test]
fn trees_and_lists() {
    let Some(pair) = pair() else { return };
    pair.equal(&[
        "snmptranslate -Tp",
        "snmptranslate -Tl",
        "snmptranslate -To",
        "snmptranslate -Ts",
        "snmptranslate -Tz",
    ]);
    for root in ["interfaces", "ifDescr", "snmpTraps", "ifXTable", "-Td ifDescr", "-On ifDescr"] {
        pair.equal(&[&format!("snmptranslate -IR -Tp {root}")]);
    }
    pair.equal(&["snmptranslate -Tp 1.3.6.1.2.1.2.2.1.99", "snmptranslate -Tp 1.3.6.1.2.1.2.2.1.2.5"]);
}

#[test]
fn lines_break_at_the_same_place() {
    let Some(pair) = pair() else { return };
    for width in [10, 20, 40, 45, 46, 47, 60, 70, 77, 80, 120] {
        for object in [
            "-Td ifType",
            "-Tp ifType",
            "-Tp usmUserTable",
            "-Td vacmAccessEntry",
            "-Td ifOperStatus.3",
            "-Td linkUp",
        ] {
            pair.equal(&[&format!("snmptranslate -IR -w {width} {object}")]);
        }
    }
}

/// The texts that Debian ships, with real descriptions.
#[test]
fn debians_own_modules() {
    let Some(pair) = pair() else { return };
    let folders = format!("{}:/usr/share/snmp/mibs", mibs().display());
    // Net-SNMP complains of imports that Debian does not ship.
    let pair = pair.with("MIBDIRS", folders).with_any_stderr();
    for object in [
        "UCD-SNMP-MIB::laLoad",
        "UCD-SNMP-MIB::ucdavis",
        "UCD-SNMP-MIB::prErrFix",
        "UCD-DISKIO-MIB::diskIONRead",
        "NET-SNMP-EXTEND-MIB::nsExtendStatus",
        "NET-SNMP-EXTEND-MIB::nsExtendOutput1Entry",
        "NET-SNMP-TC::linux",
        "NET-SNMP-EXAMPLES-MIB::netSnmpExampleString",
        "NET-SNMP-EXAMPLES-MIB::netSnmpExampleHeartbeatRate",
        "NET-SNMP-AGENT-MIB::nsNotifyStart",
        "NET-SNMP-AGENT-MIB::nsModuleEntry",
        "NET-SNMP-AGENT-MIB::nsCacheTimeout",
        "NET-SNMP-PASS-MIB::netSnmpPassInteger",
        "NET-SNMP-MIB::netSnmp",
        "NET-SNMP-EXTEND-MIB::nsExtendConfigGroup",
    ] {
        pair.equal(&[&format!("snmptranslate -Td {object}")]);
        // An object whose type's module Debian does not ship is at another place in the tree of UCD-SNMP-MIB.
        if !object.contains("ucdavis") {
            pair.equal(&[&format!("snmptranslate -Tp {object}")]);
        }
    }
}

#[test]
fn without_texts_there_are_numbers() {
    if !has("snmptranslate", "snmp") {
        return;
    }
    Pair::numbers("").equal(&[
        "snmptranslate 1.3.6.1.2.1.1",
        "snmptranslate -On iso.3.6",
        "snmptranslate foo",
        "snmptranslate -Tp",
        "snmptranslate -Ta",
        "snmptranslate -Tl",
        "snmptranslate -Td 1.3.6",
        "snmptranslate -TB foo",
    ]);
}
