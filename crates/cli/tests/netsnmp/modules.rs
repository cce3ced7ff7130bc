//! Which modules are loaded, which of two definitions counts, and what a word may name.

use std::path::Path;

use crate::pair::{Pair, mibs, snmpd};

/// Two modules that define the same, and one that imports from the second.
const TEXTS: [(&str, &str); 3] = [
    (
        "A-MIB",
        "A-MIB DEFINITIONS ::= BEGIN
IMPORTS OBJECT-TYPE, enterprises, Integer32 FROM SNMPv2-SMI;
alpha OBJECT IDENTIFIER ::= { enterprises 99999 }
thing OBJECT-TYPE SYNTAX Integer32 UNITS \"a-cups\" MAX-ACCESS read-only STATUS current
  DESCRIPTION \"A.\" ::= { alpha 1 }
aName OBJECT-TYPE SYNTAX INTEGER { a(7) } MAX-ACCESS read-only STATUS current DESCRIPTION \"A.\" ::= { alpha 2 }
twice OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"A.\" ::= { alpha 3 }
aNode OBJECT IDENTIFIER ::= { alpha 5 }
zzTwo OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"A.\" ::= { alpha 12 }
zzOne OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"A.\" ::= { alpha 11 }
zzThree OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"A.\" ::= { alpha 13 }
END
",
    ),
    (
        "B-MIB",
        "B-MIB DEFINITIONS ::= BEGIN
IMPORTS OBJECT-TYPE, enterprises, Integer32 FROM SNMPv2-SMI;
alpha OBJECT IDENTIFIER ::= { enterprises 99999 }
thing OBJECT-TYPE SYNTAX Integer32 UNITS \"b-cups\" MAX-ACCESS read-only STATUS current
  DESCRIPTION \"B.\" ::= { alpha 1 }
bName OBJECT-TYPE SYNTAX INTEGER { b(7) } MAX-ACCESS read-only STATUS current DESCRIPTION \"B.\" ::= { alpha 2 }
twice OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"B.\" ::= { alpha 4 }
bNode OBJECT IDENTIFIER ::= { alpha 5 }
bDeep OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"B.\" ::= { bNode 7 }
END
",
    ),
    (
        "C-MIB",
        "C-MIB DEFINITIONS ::= BEGIN
IMPORTS OBJECT-TYPE, Integer32 FROM SNMPv2-SMI alpha FROM B-MIB;
cOnly OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"C.\" ::= { alpha 6 }
aName OBJECT-TYPE SYNTAX Integer32 MAX-ACCESS read-only STATUS current DESCRIPTION \"C.\" ::= { alpha 2 }
END
",
    ),
];

const AGENT: &str = "override .1.3.6.1.4.1.99999.1.0 integer 7\noverride .1.3.6.1.4.1.99999.2.0 integer 7\n\
                     override .1.3.6.1.4.1.99999.13.0 integer 13\n";

/// The built-in modules as texts, and these.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(mibs()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    for (name, text) in TEXTS {
        std::fs::write(folder.path().join(format!("{name}.txt")), text).unwrap();
    }
    folder
}

fn pair<'a>(agent: &'a str, folder: &Path) -> Pair<'a> {
    Pair { agent, variables: vec![("MIBDIRS", folder.to_str().unwrap().to_owned())], compares_words: true }
}

/// Debian's `mibs :` loads nothing; a module that a word names is loaded all the same, with those that it imports from.
#[test]
fn a_module_that_is_named_is_loaded() {
    let Some(agent) = snmpd(AGENT) else { return };
    let texts = folder();
    let conf = tempfile::tempdir().unwrap();
    std::fs::write(conf.path().join("snmp.conf"), "mibs :\n").unwrap();
    let configured = pair(&agent.address, texts.path()).with("SNMPCONFPATH", conf.path().to_str().unwrap());
    let variable = pair(&agent.address, texts.path()).with("MIBS", "");
    for pair in [&configured, &variable] {
        pair.equal(&[
            "snmpget -v2c -c public @ IF-MIB::ifDescr.1 1.3.6.1.2.1.2.2.1.3.1 1.3.6.1.2.1.1.8.0",
            "snmpget -v2c -c public @ 1.3.6.1.2.1.1.8.0 SNMPv2-MIB::sysName.0",
            "snmpget -v2c -c public @ SNMPv2-MIB:sysName.0 IF-MIB::ifType.1",
            "snmpgetnext -v2c -c public @ A-MIB::alpha 1.3.6.1.4.1.99999.2",
            "snmpgetnext -v2c -c public @ C-MIB::cOnly 1.3.6.1.4.1.99999.1 1.3.6.1.4.1.99999.2",
            "snmpbulkget -Cr1 -v2c -c public @ IF-MIB::ifType",
            "snmpwalk -v2c -c public @ SNMPv2-MIB::sysORTable",
            "snmpwalk -v2c -c public -CE SNMPv2-MIB::sysServices @ 1.3.6.1.2.1.1.4",
            "snmptable -v2c -c public -Ci @ SNMPv2-MIB::sysORTable",
            "snmpset -v2c -c public @ SNMPv2-MIB::sysName.0 s x",
            "snmpget -v2c -c public @ IF-MIB::nothing.1",
            "snmpget -v2c -c public @ IF-MIB::ifdescr.1",
            "snmpget -v2c -c public @ NO-MIB::ifDescr.1 NO-MIB::ifDescr.1 OR-MIB::x",
            "snmpget -v2c -c public @ ::ifDescr.1",
            "snmpget -v2c -c public -IR @ IF-MIB::ifDescr.1",
            "snmptranslate 1.3.6.1.2.1.2.2.1.2 IF-MIB::ifDescr 1.3.6.1.2.1.2.2.1.3.5",
            "snmptranslate -On IF-MIB::ifDescr.3",
            "snmptranslate -Td IF-MIB::ifType",
            "snmptranslate -Td SNMP-VIEW-BASED-ACM-MIB::vacmAccessEntry",
            "snmptranslate -Tp IF-MIB::ifMIB",
            "snmptranslate -Td 1.3.6.1.2.1.2.2.1.3",
            "snmptranslate NO-MIB::x",
        ]);
    }
    // Behind the default list.
    pair(&agent.address, texts.path()).with_any_stderr().equal(&[
        "snmpget -v2c -c public @ A-MIB::thing.0 1.3.6.1.4.1.99999.2.0",
        "snmpget -v2c -c public @ 1.3.6.1.4.1.99999.2.0",
    ]);
}

/// Of two definitions of an object the first that is read counts, and of two objects with one name the last.
#[test]
fn the_first_definition_counts_and_the_last_name() {
    let Some(agent) = snmpd(AGENT) else { return };
    let texts = folder();
    let pair = pair(&agent.address, texts.path());
    let lists = ["A-MIB:B-MIB", "A-MIB:C-MIB", "C-MIB:A-MIB:B-MIB", "ALL"];
    for list in lists {
        let at = "1.3.6.1.4.1.99999";
        pair.equal(&[
            &format!("snmptranslate -m {list} {at}.1 {at}.2 {at}.3 {at}.4 {at}.5 {at}.5.7 {at}.6"),
            &format!("snmptranslate -m {list} -Td {at}.1"),
            &format!("snmptranslate -m {list} -Td {at}.2"),
            &format!("snmptranslate -m {list} -w 40 -Td {at}.5"),
            &format!("snmpget -m {list} -v2c -c public @ {at}.1.0 {at}.2.0"),
        ]);
        for word in ["thing", "aName", "bName", "twice", "bNode"] {
            pair.equal(&[&format!("snmptranslate -m {list} -IR -On {word}")]);
        }
        for module in ["A-MIB", "B-MIB", "C-MIB"] {
            for word in ["thing", "aName", "bName", "twice", "bNode", "cOnly"] {
                pair.equal(&[&format!("snmptranslate -m {list} -On {module}::{word}")]);
            }
        }
    }
    // The default modules are read before one that is added.
    pair.with_any_stderr().equal(&["snmptranslate -m +A-MIB:B-MIB 1.3.6.1.4.1.99999.1 1.3.6.1.2.1.1"]);
}

/// A word that is not a name is an expression: the label that fits nearest to its beginning is meant, and of several
/// the one that was read first.
#[test]
fn words_that_are_not_names_fit_the_best_one() {
    let Some(agent) = snmpd(AGENT) else { return };
    let texts = folder();
    let pair = pair(&agent.address, texts.path());
    let words = "zz three zzthr THING THING.0 thing.0 alpha.THING al.ha A-MIB::THING A-MIB:thing nix .THING .thing THING.1.2 \
                 ^t x|thin ( 1.x .1.x nosuch.0 mgmt.THING THIN ALPHA enterp pri e ame";
    for word in words.split_whitespace() {
        pair.equal(&[&format!("snmpgetnext -m A-MIB -v2c -c public @ {word}")]);
        // Numbers are taken with -IR too.
        if !word.contains("1.x") {
            pair.equal(&[&format!("snmpgetnext -m A-MIB:B-MIB -v2c -c public -IR @ {word}")]);
        }
    }
    // In these texts some names have several numbers behind their parents (`{ mib-2 4 10 }`), whose order is another.
    let words =
        "iftable ifHCIn sys ip host vacm snmp e x ifname descr status index if .*Octets ^ifH.*s$ link";
    for word in words.split_whitespace() {
        for list in ["ALL", "IP-MIB:IF-MIB", "IF-MIB:HOST-RESOURCES-MIB:TCP-MIB"] {
            let line = format!("snmptranslate -m {list} -Ib -On {word}");
            // What no module of the list has is found in the others.
            if pair.theirs(&line).status == Some(0) {
                pair.equal(&[&line]);
            }
        }
    }
    for word in "ifdescr iftable sysname sys IFNAME ^ifp.*t$ ifHighs".split_whitespace() {
        pair.equal(&[&format!("snmpgetnext -m ALL -v2c -c public @ {word}")]);
    }
    pair.equal(&["snmptranslate -m ALL ifdescr", "snmptranslate -m ALL -IR ifdescr"]);
    pair.equal(&[
        "snmpget -m ALL -v2c -c public -Is .1 @ ifDescr",
        "snmpget -m ALL -v2c -c public -Is 1 @ ifDescr",
    ]);
    // Names that are built in, though they are not printed.
    let ours = pair.ours("snmpgetnext -m TCP-MIB -v2c -c public @ sysdescr");
    assert!(ours.out.starts_with("SNMPv2-SMI::mib-2.1.1.0 = STRING: "), "{ours:?}");
}
