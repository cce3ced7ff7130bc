//! `snmp.conf` and the variables: what is read, and what takes precedence.

use std::path::Path;

use crate::pair::{Pair, snmpd};

const READ: &str = "1.3.6.1.2.1.1.5.0 1.3.6.1.2.1.1.8.0";

#[test]
fn lines_have_net_snmps_meaning_and_precedence() {
    let Some(agent) = snmpd("") else { return };
    let texts = [
        "defVersion 2c\ndefCommunity public",
        "defVersion 1\ndefCommunity public\nprintNumericOids yes\nquickPrinting yes",
        "defVersion 2c\ndefCommunity public\nsuffixPrinting 1",
        "defVersion 2c\ndefCommunity public\noidOutputFormat 3",
        "defVersion 2c\ndefCommunity public\noidOutputFormat 4\nnumericTimeticks yes",
        "defVersion 2c\ndefCommunity public\nprintValueOnly 1\nnumericTimeticks 0",
        "defVersion 2c\ndefCommunity \"public\"\nquickPrinting no\n# a comment\n\nbogus x",
        "defVersion 2c\ndefCommunity public\nnoTokenWarnings 1\nbogus x",
        "defVersion 2c\ndefCommunity nobody\nretries 0\ntimeout 1",
        "defVersion 3\ndefSecurityName nobody",
        "defVersion 2c\ndefCommunity public\nsuffixPrinting 0\noidOutputFormat x",
        "defVersion 2c\ndefCommunity public\nquickPrinting maybe",
        "defVersion 2c\ndefCommunity public\nretries x\ndefaultPort y",
    ];
    for text in texts {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "snmp.conf", text);
        let pair = Pair::numbers(&agent.address).with("SNMPCONFPATH", folder.path().to_str().unwrap());
        for letters in ["", "-On", "-Os", "-OQ", "-Ov", "-c public", "-v1 -c public -t 0.1"] {
            pair.equal(&[&format!("snmpget {letters} @ {READ}")]);
        }
        pair.equal(&[
            &format!("snmpget --defCommunity=public -v2c @ {READ}"),
            &format!("snmpwalk -Oq @ {READ}"),
        ]);
    }
}

/// Where an agent's name has no port. The command line may have any line of the file.
#[test]
fn the_port_may_be_another_by_default() {
    let Some(agent) = snmpd("") else { return };
    let (host, port) = agent.address.rsplit_once(':').unwrap();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "snmp.conf", &format!("defVersion 2c\ndefCommunity public\ndefaultPort {port}"));
    let pair = Pair::numbers(host).with("SNMPCONFPATH", folder.path().to_str().unwrap());
    pair.equal(&[
        &format!("snmpget @ {READ}"),
        &format!("snmpget udp:{host} {READ}"),
        &format!("snmpget -r0 -t0.1 {host}:1 {READ}"),
        &format!("snmpget -v1 @ {READ}"),
    ]);
    let pair = Pair::numbers(host);
    let options = [
        format!("--defaultPort={port} --quickPrinting"),
        format!("--defaultPort={port} --quickPrinting=yes --oidOutputFormat=4"),
        format!("-Y defaultPort={port} -Y numericTimeticks=1"),
    ];
    for options in options {
        pair.equal(&[&format!("snmpget -v2c -c public {options} @ {READ} 1.3.6.1.2.1.1.9.1.4.1")]);
    }
    let ours = pair.ours(&format!("snmpget -v2c -c public --defaultPort={port} --clientaddr=::1 @ {READ}"));
    assert!(ours.words.contains("clientaddr has no effect here") && ours.status == Some(0), "{ours:?}");
}

/// Of all settings the precision alone is the command line's first.
#[test]
fn the_precision_of_the_command_line_counts() {
    let Some(agent) = snmpd("") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "snmp.conf", "outputPrecision .1");
    let pair = Pair::numbers(&agent.address).with("SNMPCONFPATH", folder.path().to_str().unwrap());
    for precision in ["", "-Op.3", "-Op.2f"] {
        pair.equal(&[&format!("snmpget {precision} -v2c -c public @ .1.3.6.1.4.1.2021.10.1.6.3")]);
    }
    let ours = pair.ours("snmpget -Op%x -v2c -c public @ .1.3.6.1.4.1.2021.10.1.6.3");
    assert!(ours.words.contains("Precision \"%x\" has no effect"), "{ours:?}");
}

/// Net-SNMP's tools complain about lines for other programs; ours skip them.
#[test]
fn lines_for_other_programs_are_skipped() {
    let Some(agent) = snmpd("") else { return };
    let folder = tempfile::tempdir().unwrap();
    let text =
        "[snmpd]\nrocommunity x\n[snmp]\ndefVersion 2c\n[snmp] defCommunity public\n[snmpd] rocommunity no";
    write(folder.path(), "snmp.conf", text);
    let pair = Pair::numbers(&agent.address).with("SNMPCONFPATH", folder.path().to_str().unwrap());
    pair.with_any_stderr().equal(&[&format!("snmpget @ {READ}")]);
}

#[test]
fn later_folders_and_local_files_override_others() {
    let Some(agent) = snmpd("") else { return };
    let folders = [tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap()];
    write(folders[0].path(), "snmp.conf", "defVersion 2c\ndefCommunity nobody\nprintNumericOids yes");
    write(folders[1].path(), "snmp.conf", "defCommunity nobody\nquickPrinting yes");
    write(folders[1].path(), "snmp.local.conf", "defCommunity public");
    let [first, second] = folders.each_ref().map(|folder| folder.path().to_str().unwrap());
    for path in [format!("{first}:{second}"), format!("{second}:{first}"), second.to_owned()] {
        let pair = Pair::numbers(&agent.address).with("SNMPCONFPATH", path);
        pair.equal(&[&format!("snmpget -t 0.1 -r 0 @ {READ}")]);
    }
}

/// Debian's `mibs :` means numbers in the output. Names that Net-SNMP refuses then are understood.
#[test]
fn without_modules_numbers_are_printed_and_names_understood() {
    let Some(agent) = snmpd("") else { return };
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "snmp.conf", "mibs :\n");
    let pair = Pair {
        agent: &agent.address,
        variables: vec![("SNMPCONFPATH", folder.path().to_str().unwrap().to_owned())],
        compares_words: true,
    };
    pair.equal(&[
        "snmpget -v2c -c public @ 1.3.6.1.2.1.1.5.0",
        "snmpwalk -v2c -c public @ 1.3.6.1.2.1.1.9",
        "snmptranslate 1.3.6.1.2.1.1.5.0",
        "snmpget -m '' -v2c -c public @ sysName.0",
    ]);
    let ours = pair.ours("snmpget -v2c -c public @ sysName.0");
    let numbers = pair.ours("snmpget -v2c -c public @ 1.3.6.1.2.1.1.5.0");
    assert!(ours == numbers && ours.out.starts_with("iso.3.6.1.2.1.1.5.0 = STRING: "), "{ours:?}");
    let table = pair.ours("snmptable -v2c -c public @ ipAddrTable");
    assert!(table.status == Some(0) && table.out.contains("ipAdEntAddr"), "{table:?}");
    let refused = pair.theirs("snmpget -v2c -c public @ sysName.0");
    assert_eq!(refused.status, Some(1));
}

/// Modules that no folder has are reported, and the tool continues with the built-in ones.
#[test]
fn a_missing_module_is_reported() {
    let Some(agent) = snmpd("") else { return };
    let pair = Pair::numbers(&agent.address).with("MIBDIRS", "/nonexistent");
    let line = "snmpget -m NO-SUCH-MIB -v2c -c public @ .1.3.6.1.4.1.8072.1.1.0";
    let (theirs, ours) = pair.both(line);
    assert_eq!(theirs.status, ours.status);
    assert!(ours.words.contains("Cannot find module (NO-SUCH-MIB)"), "{ours:?}");
}

const VENDOR: &str = "VENDOR-MIB DEFINITIONS ::= BEGIN
IMPORTS OBJECT-TYPE, enterprises, Integer32 FROM SNMPv2-SMI;
vendor OBJECT IDENTIFIER ::= { enterprises 99999 }
vendorThing OBJECT-TYPE SYNTAX Integer32 (0..9) UNITS \"cups\" MAX-ACCESS read-only STATUS current
  DESCRIPTION \"A vendor's own.\" ::= { vendor 1 }
END
";

/// A user's own module is known only if it is requested; modules that it does not import are not known then.
#[test]
fn requested_modules_are_loaded() {
    let Some(agent) = snmpd("override .1.3.6.1.4.1.99999.1.0 integer 7") else { return };
    let folder = tempfile::tempdir().unwrap();
    for file in std::fs::read_dir(crate::pair::mibs()).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), folder.path().join(file.file_name())).unwrap();
    }
    std::fs::write(folder.path().join("VENDOR-MIB.txt"), VENDOR).unwrap();
    // Net-SNMP complains of the modules of its list that are not there.
    let pair = Pair { agent: &agent.address, variables: Vec::new(), compares_words: false };
    let pair = pair.with("MIBDIRS", folder.path().to_str().unwrap());
    for modules in ["", "-m +VENDOR-MIB", "-m VENDOR-MIB", "-m ALL", "-m IF-MIB", "-m IF-MIB:VENDOR-MIB"] {
        pair.equal(&[
            &format!("snmpget {modules} -v2c -c public @ .1.3.6.1.4.1.99999.1.0 .1.3.6.1.2.1.2.2.1.3.1"),
            &format!("snmpwalk {modules} -v2c -c public -OX @ .1.3.6.1.2.1.2.2.1.8"),
            &format!("snmptranslate {modules} -Of .1.3.6.1.4.1.99999.1.0"),
        ]);
        // Where the vendor is not known the tree of all enterprises is shown, with names that Net-SNMP makes up.
        if modules.contains("VENDOR") || modules.contains("ALL") {
            pair.equal(&[&format!("snmptranslate {modules} -Tp .1.3.6.1.4.1.99999")]);
        }
    }
}

fn write(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join(name), format!("{text}\n")).unwrap();
}
