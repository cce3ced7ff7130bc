//! `snmptable`.

use crate::pair::{Pair, snmpd};

const LETTERS: &[&str] = &[
    "",
    "-Cb",
    "-CB",
    "-Ch",
    "-CH",
    "-Ci",
    "-Cl",
    "-Cib",
    "-CbH",
    "-Ch -CH",
    "-Ch -Cb",
    "-Ch -Ci",
    "-Cl -Ci",
    "-Cf ,",
    "-Ci -Cf :",
    "-Ch -Cf ,",
    "-Cf , -CH",
    "-Cfb ,",
    "-Cr 2",
    "-Cr 1",
    "-Cc 8",
    "-Cc 12 -Ci",
    "-Cc 12 -Cl",
    "-Cc 10 -Cw 30",
    "-Cc 10 -Cw 30 -CH -Ci",
    "-Cw 10",
    "-Cw 40",
    "-Cw 41",
    "-Ci -Cw 39",
    "-Ci -Cw 60",
    "-Cl -Cw 36",
    "-Ch -Cw 40",
    "-CH -Cw 40",
    "-Ci -OX",
    "-Ci -Ob",
    "-Ci -OE",
    "-Os",
    "-Of",
    "-Ou",
    "-Oq",
    "-OQ",
    "-Oe",
    "-CB -Ci",
];

#[test]
fn tables_are_drawn_the_same() {
    let Some(agent) = snmpd("") else { return };
    for table in ["ipAddrTable", "sysORTable", "vacmSecurityToGroupTable"] {
        for letters in LETTERS {
            Pair::names(&agent.address).equal(&[&format!("snmptable {letters} -v2c -c public @ {table}")]);
        }
    }
    Pair::names(&agent.address).equal(&[
        "snmptable -v1 -Ci -c public @ sysORTable",
        "snmptable -v2c -Ci -Cw 80 -c public @ vacmAccessTable",
        "snmptable -v2c -Ci -Cf : -Cb -c public @ ipAddressTable",
        "snmptable -v2c -c public @ hrPrinterTable",
        "snmptable -v2c -c public @ IF-MIB::ifStackTable",
    ]);
}

#[test]
fn what_is_no_table() {
    let Some(agent) = snmpd("") else { return };
    Pair::names(&agent.address).equal(&[
        "snmptable -v2c -c public @ ifEntry",
        "snmptable -v2c -c public @ ifDescr",
        "snmptable -v2c -c public @ ifDescr.1",
        "snmptable -v2c -c public @ system",
        "snmptable -v2c -c public @ nix",
        "snmptable -v2c -c nobody -t 0.1 -r 0 @ ipAddrTable",
    ]);
    Pair::numbers(&agent.address).equal(&["snmptable -v2c -c public @ 1.3.6.1.2.1.2.2"]);
}
