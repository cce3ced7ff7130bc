//! `trunkline install-names`, and `trunkline as NAME`.

use crate::pair::{Pair, links, snmpd};
use crate::support::{run, texts, trunkline};

#[test]
fn every_name_has_its_link() {
    for name in [
        "snmpget",
        "snmpgetnext",
        "snmpbulkget",
        "snmpwalk",
        "snmpbulkwalk",
        "snmpset",
        "snmptable",
        "snmptranslate",
        "snmptrap",
        "snmpinform",
        "snmpusm",
        "snmpvacm",
        "encode_keychange",
    ] {
        let target = std::fs::read_link(links().join(name)).unwrap();
        assert_eq!(target.file_name().unwrap(), "trunkline");
        let help = std::process::Command::new(links().join(name)).arg("-h").output().unwrap();
        let (out, err) = texts(&help);
        assert!(out.is_empty() && err.starts_with(&format!("USAGE: {name} ")), "{err}");
    }
}

#[test]
fn existing_files_are_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("snmpget"), "another's").unwrap();
    let (_, err) = run(&["install-names", folder.path().to_str().unwrap()], 2);
    assert!(err.contains("snmpget exists and is not a link to trunkline"), "{err}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn as_is_the_same_without_a_link() {
    let Some(agent) = snmpd("") else { return };
    let words = ["-v2c", "-c", "public", "-On", &agent.address, "1.3.6.1.2.1.1.5.0"];
    let by_link = Pair::numbers(&agent.address).ours(&format!("snmpget {}", words.join(" ")));
    let output = trunkline(&["as", "snmpget"]).args(words).env("MIBS", "").output().unwrap();
    assert_eq!((texts(&output).0, output.status.code()), (by_link.out, by_link.status));
    let (_, err) = run(&["as", "snmpfoo"], 2);
    assert!(err.contains("snmpfoo is not one of Net-SNMP's tools"), "{err}");
}
