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

/// Rows with holes: some cells only in one column, some only in the other.
#[test]
fn holes_are_shown() {
    let rows = "
override .1.3.6.1.2.1.25.3.5.1.1.5 integer 3
override .1.3.6.1.2.1.25.3.5.1.2.7 octet_str x
override .1.3.6.1.2.1.25.3.5.1.1.9 integer 4
override .1.3.6.1.2.1.25.3.5.1.2.9 octet_str y
override .1.3.6.1.2.1.25.3.5.1.2.2 octet_str z
";
    let Some(agent) = snmpd(rows) else { return };
    for letters in ["", "-Ci", "-Ci -Cr 1", "-Ci -Cr 3", "-Cf , -Ci"] {
        let line = format!("snmptable {letters} -v2c -c public @ hrPrinterTable");
        Pair::names(&agent.address).equal(&[&line]);
    }
    // Net-SNMP loses what the first column lacks when it asks with GetNext; ours does not.
    let ours = Pair::names(&agent.address).ours("snmptable -CB -Ci -Cf , -v2c -c public @ hrPrinterTable");
    let rows: Vec<&str> = ours.out.lines().skip(3).collect();
    assert_eq!(rows, ["2,?,\"z\"", "5,idle,?", "7,?,\"x\"", "9,printing,\"y\""]);
}

#[test]
fn not_a_table() {
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
