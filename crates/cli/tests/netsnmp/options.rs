//! The options that the tools share: how they are read, and what `-O` does to the output.

use crate::pair::{Pair, snmpd};

#[test]
fn options_may_be_attached_or_separate_and_before_or_after() {
    let Some(agent) = snmpd("") else { return };
    Pair::numbers(&agent.address).equal(&[
        "snmpget -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -v 2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -v2C -cpublic @ 1.3.6.1.2.1.1.5.0",
        "snmpget -v 1 -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget @ -v2c -c public 1.3.6.1.2.1.1.5.0 -On",
        "snmpget -v2c @ -c public -On 1.3.6.1.2.1.1.5.0",
        "snmpget -v2c -c public -- @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Onq -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -O nq -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpset @ -v2c -c private 1.3.6.1.2.1.1.4.0 s x",
        "snmpset -v2c -c private @ -On 1.3.6.1.2.1.1.4.0 s x",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 -On s x",
        "snmpget -t 1s -r 1x -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Le -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Lf /dev/null -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -LF 3 /dev/null -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -LE 3 -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Pu -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -s 1 -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Ir -Ih -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -Is .0 -v2c -c public @ 1.3.6.1.2.1.1.5",
        "snmpget -IS 1.3.6.1.2.1. -v2c -c public @ 1.5.0",
        "snmpget -Iu -v2c -c public @ 1.5.0 .1.3.6.1.2.1.1.6.0",
        "snmpget -v2c --defCommunity=public @ 1.3.6.1.2.1.1.5.0",
        "snmpget -v2c -Y defCommunity=public --quickPrinting=yes @ 1.3.6.1.2.1.1.5.0",
    ]);
}

/// Numbers with which no object identifier begins: no message can carry them, but they are translated.
#[test]
fn names_that_cannot_exist_are_not_sent() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    pair.equal(&[
        "snmpget -v2c -c public @ .3.1",
        "snmpget -v2c -c public @ .1.41",
        "snmpgetnext -v2c -c public @ .0.41.7",
        "snmpwalk -v2c -c public @ .3.1",
        "snmpbulkget -v2c -c public @ .3.1",
        "snmpbulkwalk -v2c -c public @ .3.1",
        "snmpset -v2c -c private @ .3.1 i 1",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 o .3.1",
        "snmpset -v2c -c private @ 1.3.6.1.2.1.1.4.0 o .1.41",
        "snmptrap -v2c -c public @ 1 .3.1",
        "snmptrap -v2c -c public @ 1 1.3.6.1.6.3.1.1.5.1 .3.1 i 1",
        "snmptranslate -On .3.1",
    ]);
    // Net-SNMP sends it as 2.0.
    let ours = pair.ours("snmpget -v2c -c public @ .1.40");
    assert!(ours.status == Some(1) && ours.words.contains("Can't build OID for variable"), "{}", ours.words);
}

#[test]
fn mistakes_print_the_usage_and_exit_with_1() {
    let Some(agent) = snmpd("") else { return };
    let lines = [
        "snmpget",
        "snmpget -z",
        "snmpget -c",
        "snmpget -h",
        "snmpget --help",
        "snmpwalk -h",
        "snmpset -h",
        "snmptable -h",
        "snmptranslate -h",
        "snmptranslate",
        "snmpbulkget -h",
        "snmpbulkwalk -h",
        "snmpgetnext -h",
        "snmpget -v2c -c public",
        "snmpget -v2c -c public @",
        "snmpget -v2c @ 1.3.6.1.2.1.1.5.0",
        "snmpget -v7 -c public @ 1.3",
        "snmpget -r x -v2c -c public @ 1.3",
        "snmpget -r -1 -v2c -c public @ 1.3",
        "snmpget -t x -v2c -c public @ 1.3",
        "snmpget -t 0 -v2c -c public @ 1.3",
        "snmpget -p 161 @ 1.3",
        "snmpget -Oz -v2c -c public @ 1.3",
        "snmpget -O -v2c -c public @ 1.3",
        "snmpget -Iz -v2c -c public @ 1.3",
        "snmpget -Pz -v2c -c public @ 1.3",
        "snmpget -Lz -v2c -c public @ 1.3",
        "snmpget -Cz -v2c -c public @ 1.3",
        "snmpget -S 1 -v2c -c public @ 1.3",
        "snmpget -q @ 1.3",
        "snmpwalk -Cz -v2c -c public @ 1.3",
        "snmpset -Cz -v2c -c public @ 1.3",
        "snmpset -v2c -c public @",
        "snmptable -Cz -v2c -c public @ 1.3",
        "snmptable -v2c -c public @",
        "snmptable -v2c -c public @ 1.3 1.4",
        "snmptable -Cw -v2c -c public @ 1.3",
        "snmptable -Cw",
        "snmptable -Cw 0 -v2c -c public @ 1.3",
        "snmpbulkget -Crx -v2c -c public @ 1.3",
        "snmpbulkget -Cn -v2c -c public @ 1.3",
        "snmpbulkget -Cn-1 -v2c -c public @ 1.3",
        "snmpbulkwalk -Cr-1 -v2c -c public @ 1.3",
        "snmpbulkwalk -CI -v2c -c public @ 1.3",
        "snmpbulkwalk -Crx -v2c -c public @ 1.3",
        "snmptranslate -Oz x",
        "snmptranslate -Iz x",
        "snmptranslate -Pz x",
        "snmptranslate -Lz x",
        "snmptranslate -w x",
    ];
    Pair::numbers(&agent.address).equal(&lines);
}

#[test]
fn the_version_is_that_of_the_replaced_tool() {
    let Some(agent) = snmpd("") else { return };
    Pair::numbers(&agent.address).with_any_stderr().equal(&[
        "snmpget -V",
        "snmpwalk --version",
        "snmptranslate -V",
    ]);
    let ran = Pair::numbers(&agent.address).ours("snmpget -V");
    assert!(ran.words.starts_with("NET-SNMP version: 5.9.3 (Trunkline "), "{ran:?}");
}

/// Values that are hard to print: text, quotes, tabs, octets that are not text, long ones, OIDs, numbers.
const VALUES: &str = r#"
override .1.3.6.1.2.1.2.2.1.2.77 octet_str "eth 77"
override .1.3.6.1.2.1.2.2.1.3.77 integer 24
override .1.3.6.1.2.1.2.2.1.5.77 uinteger 4294967295
override .1.3.6.1.2.1.2.2.1.6.77 octet_str "n x"
override .1.3.6.1.2.1.2.2.1.7.77 integer 2
override .1.3.6.1.2.1.2.2.1.8.77 octet_str "wrong"
override .1.3.6.1.2.1.2.2.1.10.77 counter 4294967295
override .1.3.6.1.2.1.2.2.1.22.77 object_id .1.3.6.1.2.1.2.2.1.2.77
override .1.3.6.1.2.1.25.2.2.0 integer 2048
override .1.3.6.1.4.1.99999.1.0 octet_str "plain"
override .1.3.6.1.4.1.99999.2.0 octet_str ""
override .1.3.6.1.4.1.99999.3.0 octet_str "say \"hi\" \\ there"
override .1.3.6.1.4.1.99999.4.0 octet_str "Größe, größer, am größten: so viel, dass es eine Zeile nicht fasst"
override .1.3.6.1.4.1.99999.5.0 integer -2147483648
"#;

const READ: &str = "@ .1.3.6.1.2.1.1.8.0 .1.3.6.1.2.1.2.2.1.2.77 .1.3.6.1.2.1.2.2.1.3.77 .1.3.6.1.2.1.2.2.1.5.77 \
                    .1.3.6.1.2.1.2.2.1.6.77 .1.3.6.1.2.1.2.2.1.7.77 .1.3.6.1.2.1.2.2.1.8.77 .1.3.6.1.2.1.2.2.1.10.77 \
                    .1.3.6.1.2.1.2.2.1.22.77 .1.3.6.1.2.1.25.2.2.0 .1.3.6.1.4.1.99999.1.0 .1.3.6.1.4.1.99999.2.0 \
                    .1.3.6.1.4.1.99999.3.0 .1.3.6.1.4.1.99999.4.0 .1.3.6.1.4.1.99999.5.0 .1.3.6.1.2.1.1.9.1.2.1 \
                    .1.3.6.1.2.1.4.20.1.1.127.0.0.1 .1.3.6.1.6.3.16.1.2.1.3.1.5.99.111.109.109.49 .1.3.6.1.2.1.1.99.0";

#[test]
fn each_letter_of_o_prints_the_same() {
    let Some(agent) = snmpd(VALUES) else { return };
    let letters = [
        "", "-On", "-Of", "-Os", "-OS", "-Ou", "-Oq", "-OQ", "-Ov", "-Oqv", "-OQv", "-Oe", "-OU", "-Ot",
        "-OT", "-Oa", "-Ox", "-OxT", "-OX", "-Ob", "-OE", "-O0", "-OXs", "-ObX", "-OEn", "-Onqte", "-Oqq",
        "-Ovv", "-Os -On", "-OnS", "-Ox -Oa", "-Oet", "-OUQ", "-OTa",
    ];
    for letters in letters {
        let line = format!("snmpget {letters} -v2c -c public {READ}");
        Pair::numbers(&agent.address).equal(&[&line]);
        // The column that does not exist has brackets around its index with -OX; ours has none.
        let line = line.replace(" .1.3.6.1.2.1.1.99.0", "");
        Pair::names(&agent.address).equal(&[&line]);
    }
}

#[test]
fn floating_point_numbers_have_the_requested_form() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address);
    for precision in [".2", "8.1", "+.3", "-10.2", "010.1", "", ".2f", "8.1f"] {
        // The load changes; the form does not.
        let line = format!("snmpget -Ovp '{precision}' -v2c -c public @ .1.3.6.1.4.1.2021.10.1.6.3");
        pair.equal(&[&line]);
    }
}
