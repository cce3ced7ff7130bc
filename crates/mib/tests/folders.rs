//! MIB texts from folders: when they are read, and what they add.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::path::Path;
use std::sync::Mutex;

use trunkline_mib::{Choice, LoadError, Names, Sources, Style};
use trunkline_smi::{Oid, Value, ValueRef};

/// Imports from modules that Debian does not ship and that are built in.
const TEXT: &str = r#"TRUNK-TEST-MIB DEFINITIONS ::= BEGIN
IMPORTS
    MODULE-IDENTITY, OBJECT-TYPE, Integer32, Counter32, enterprises FROM SNMPv2-SMI
    TEXTUAL-CONVENTION FROM SNMPv2-TC
    SnmpAdminString FROM SNMP-FRAMEWORK-MIB
    InetAddressType, InetAddress FROM INET-ADDRESS-MIB
    ifIndex, ifEntry, InterfaceIndex FROM IF-MIB;

trunkTest MODULE-IDENTITY
    LAST-UPDATED "202601010000Z"
    ORGANIZATION "Trunkline"
    CONTACT-INFO "none"
    DESCRIPTION "For a test."
    ::= { enterprises 99999 }

Tenths ::= TEXTUAL-CONVENTION
    DISPLAY-HINT "d-1"
    STATUS current
    DESCRIPTION "Tenths."
    SYNTAX Integer32

trunkLabel OBJECT-TYPE
    SYNTAX SnmpAdminString (SIZE (1..8))
    MAX-ACCESS read-write
    STATUS current
    DESCRIPTION "A label."
    ::= { trunkTest 1 }

trunkHeat OBJECT-TYPE
    SYNTAX Tenths
    UNITS "degrees"
    MAX-ACCESS read-only
    STATUS current
    DESCRIPTION "How hot it is."
    ::= { trunkTest 2 }

trunkMode OBJECT-TYPE
    SYNTAX BITS { fast(0), slow(1), wide(9) }
    MAX-ACCESS read-write
    STATUS current
    DESCRIPTION "Modes."
    ::= { trunkTest 3 }

trunkPeerTable OBJECT-TYPE
    SYNTAX SEQUENCE OF TrunkPeerEntry
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "Peers."
    ::= { trunkTest 4 }

trunkPeerEntry OBJECT-TYPE
    SYNTAX TrunkPeerEntry
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "A peer."
    INDEX { ifIndex, trunkPeerType, trunkPeerAddress, IMPLIED trunkPeerName }
    ::= { trunkPeerTable 1 }

TrunkPeerEntry ::= SEQUENCE {
    trunkPeerType InetAddressType,
    trunkPeerAddress InetAddress,
    trunkPeerName SnmpAdminString,
    trunkPeerHits Counter32
}

trunkPeerType OBJECT-TYPE
    SYNTAX InetAddressType
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "Type."
    ::= { trunkPeerEntry 1 }

trunkPeerAddress OBJECT-TYPE
    SYNTAX InetAddress (SIZE (4|16))
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "Address."
    ::= { trunkPeerEntry 2 }

trunkPeerName OBJECT-TYPE
    SYNTAX SnmpAdminString
    MAX-ACCESS not-accessible
    STATUS current
    DESCRIPTION "Name."
    ::= { trunkPeerEntry 3 }

trunkPeerHits OBJECT-TYPE
    SYNTAX Counter32
    UNITS "hits"
    MAX-ACCESS read-only
    STATUS current
    DESCRIPTION "Hits."
    ::= { trunkPeerEntry 4 }
END
"#;

fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("TRUNK-TEST-MIB.txt"), TEXT).unwrap();
    folder
}

fn names(folder: &Path, choice: Choice) -> Result<Names, LoadError> {
    Names::new(
        Sources::default().with_folders(vec![folder.to_owned(), folder.join("missing")]).with_choice(choice),
    )
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

const PEER: &str = "1.3.6.1.4.1.99999.4.1.4.2.1.4.192.0.2.1.97.98";
const PEER_NAME: &str = "TRUNK-TEST-MIB::trunkPeerHits.2.ipv4.\"192.0.2.1\".'ab'";

#[test]
fn folders_are_read_when_a_name_is_unknown() {
    let folder = folder();
    let names = names(folder.path(), Choice::AsNeeded).unwrap();
    assert_eq!(names.resolve("ifDescr.1").unwrap(), oid("1.3.6.1.2.1.2.2.1.2.1"));
    assert!(!names.modules().contains(&"TRUNK-TEST-MIB"), "read though nothing asked for it");
    assert_eq!(names.resolve("TRUNK-TEST-MIB::trunkLabel.0").unwrap(), oid("1.3.6.1.4.1.99999.1.0"));
    assert_eq!(names.resolve(PEER_NAME).unwrap(), oid(PEER));
    assert_eq!(names.description(&oid("1.3.6.1.4.1.99999.2.0")), Some("How hot it is."));
}

#[test]
fn folders_are_read_when_a_number_is_unknown() {
    let folder = folder();
    let names = names(folder.path(), Choice::AsNeeded).unwrap();
    assert_eq!(names.format_oid(&oid("1.3.6.1.2.1.2.2.1.2.1"), &Style::default()), "IF-MIB::ifDescr.1");
    assert!(!names.modules().contains(&"TRUNK-TEST-MIB"), "read though nothing asked for it");
    assert_eq!(names.format_oid(&oid(PEER), &Style::default()), PEER_NAME);
}

#[test]
fn loaded_objects_have_hints_units_bits_and_limits() {
    let folder = folder();
    let names = names(folder.path(), Choice::Only(vec!["TRUNK-TEST-MIB".into()])).unwrap();
    let show =
        |name: &str, value| names.format_value(&names.resolve(name).unwrap(), value, &Style::default());
    assert_eq!(show("trunkHeat.0", ValueRef::Integer(215)), "INTEGER: 21.5 degrees");
    assert_eq!(show("trunkLabel.0", ValueRef::OctetString("Größe".as_bytes())), "STRING: Größe");
    assert_eq!(show("trunkMode.0", ValueRef::OctetString(&[0x80, 0x40])), "BITS: 80 40 fast(0) wide(9) ");
    let parse = |name: &str, text: &str| names.parse_value(&names.resolve(name).unwrap(), text);
    assert_eq!(parse("trunkMode.0", "fast wide"), Ok(Value::OctetString(vec![0x80, 0x40])));
    assert!(parse("trunkLabel.0", "").is_err());
    assert_eq!(names.units(&oid(PEER)), "hits");
}

#[test]
fn all_and_more_read_at_once() {
    let folder = folder();
    let all = names(folder.path(), Choice::All).unwrap();
    assert!(all.modules().contains(&"TRUNK-TEST-MIB") && all.modules().contains(&"IF-MIB"));
    let and = names(folder.path(), Choice::And(vec!["TRUNK-TEST-MIB".into()])).unwrap();
    assert!(and.modules().contains(&"TRUNK-TEST-MIB"));
}

#[test]
fn a_missing_module_is_reported_with_the_folders() {
    let folder = folder();
    let fault = names(folder.path(), Choice::Only(vec!["NO-SUCH-MIB".into()])).unwrap_err().to_string();
    assert!(fault.contains("NO-SUCH-MIB") && fault.contains(&*folder.path().to_string_lossy()), "{fault}");
}

#[test]
fn a_broken_module_does_no_harm() {
    let folder = folder();
    std::fs::write(folder.path().join("BROKEN-MIB.txt"), "BROKEN-MIB DEFINITIONS ::= BEGIN x OBJECT")
        .unwrap();
    let names = names(folder.path(), Choice::AsNeeded).unwrap();
    assert!(names.resolve("trunkLabel").is_ok());
}

#[test]
fn only_regular_files_are_read() {
    static SKIPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let folder = folder();
    let fifo = folder.path().join("FIFO-MIB");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("ZERO-MIB")).unwrap();
    let large = std::fs::File::create(folder.path().join("LARGE-MIB")).unwrap();
    large.set_len(1 << 40).unwrap();
    let sources = Sources::default().with_folders(vec![folder.path().to_owned()]);
    let sources = sources.with_skipped(|skipped| SKIPPED.lock().unwrap().push(skipped.to_string()));
    let names = Names::new(sources).unwrap();
    assert!(names.resolve("trunkLabel").is_ok());
    let skipped = SKIPPED.lock().unwrap();
    assert_eq!(skipped.len(), 3, "{skipped:?}");
    for (line, of) in skipped.iter().zip([
        "FIFO-MIB is not a regular file",
        "LARGE-MIB has more than",
        "ZERO-MIB is not a regular file",
    ]) {
        assert!(line.contains(of), "{line}");
    }
}

/// Each of these names is below the one before it, as far as `deepest` of them.
fn chain(module: &str, first: &str, imported: &str, deepest: usize) -> String {
    let mut text = format!("{module} DEFINITIONS ::= BEGIN\nIMPORTS {imported};\n");
    for at in 0..deepest {
        let parent =
            if at == 0 { first.to_owned() } else { format!("{}{}", module[..1].to_lowercase(), at - 1) };
        text.push_str(&format!(
            "{}{at} OBJECT IDENTIFIER ::= {{ {parent} 1 }}\n",
            module[..1].to_lowercase()
        ));
    }
    text + "END\n"
}

#[test]
fn names_beyond_128_sub_identifiers_are_refused_with_file_and_line() {
    static SKIPPED: Mutex<Vec<String>> = Mutex::new(Vec::new());
    let folder = folder();
    let put = |name: &str, text: String| std::fs::write(folder.path().join(name), text).unwrap();
    // `enterprises` has six sub-identifiers: 122 more are allowed.
    put("A-MIB", chain("A-MIB", "enterprises", "enterprises FROM SNMPv2-SMI", 122));
    put("B-MIB", chain("B-MIB", "a121", "a121 FROM A-MIB", 1));
    // 4 bytes for each of n (n + 1) / 2 sub-identifiers: 80 GB, were it built.
    put("C-MIB", chain("C-MIB", "iso", "TimeTicks FROM SNMPv2-SMI", 200_000));
    put(
        "D-MIB",
        format!(
            "D-MIB DEFINITIONS ::= BEGIN\n\nd OBJECT IDENTIFIER ::= {{ iso {}}}\nEND\n",
            "1 ".repeat(128)
        ),
    );
    put("E-MIB", "E-MIB DEFINITIONS ::= BEGIN\ne OBJECT IDENTIFIER ::= { f 1 }\nf OBJECT IDENTIFIER ::= { e 1 }\nEND\n".into());
    let only = |module: &str| names(folder.path(), Choice::Only(vec![module.into()])).map(drop);
    only("A-MIB").unwrap();
    only("E-MIB").unwrap();
    for (module, said) in [
        ("B-MIB", "B-MIB:3: b0 has 129 sub-identifiers, and an object identifier at most 128"),
        ("C-MIB", "C-MIB:130: c127 has 129 sub-identifiers"),
        ("D-MIB", "D-MIB:3: d has 129 sub-identifiers"),
    ] {
        let fault = only(module).unwrap_err().to_string();
        assert!(fault.contains(said), "{fault}");
    }
    let sources = Sources::default().with_folders(vec![folder.path().to_owned()]).with_choice(Choice::All);
    let all = sources.with_skipped(|skipped| SKIPPED.lock().unwrap().push(skipped.to_string()));
    let all = Names::new(all).unwrap();
    assert!(all.resolve("a121").is_ok() && all.resolve("trunkLabel").is_ok() && all.resolve("c0").is_err());
    assert_eq!(SKIPPED.lock().unwrap().len(), 3);
}

#[test]
fn net_snmps_options_select_the_modules() {
    let folders = |given| Sources::net_snmp(None, given, Some("/home/x")).folders;
    assert_eq!(folders(Some("/a:/b")), [Path::new("/a"), Path::new("/b")]);
    assert_eq!(folders(None)[0], Path::new("/home/x/.snmp/mibs"));
    assert_eq!(folders(Some("+/a")).last().unwrap(), Path::new("/a"));
    assert_eq!(folders(Some("-/a"))[0], Path::new("/a"));
    for (text, choice) in [
        ("", Choice::None),
        (":", Choice::None),
        ("ALL", Choice::All),
        ("+ALL", Choice::All),
        ("A:B", Choice::Only(vec!["A".into(), "B".into()])),
        ("+A", Choice::And(vec!["A".into()])),
    ] {
        assert_eq!(Choice::parse(text), choice, "{text:?}");
    }
}

#[test]
fn lists_limit_the_loaded_modules() {
    let folder = folder();
    let style = Style::default();
    let shown = |names: &Names| names.format_oid(&oid(PEER), &style);
    let listed = |later: &[&str]| {
        let later = later.iter().map(|name| (*name).to_owned()).collect();
        names(folder.path(), Choice::Listed { at_once: Vec::new(), later }).unwrap()
    };
    assert!(shown(&listed(&["NO-SUCH-MIB", "TRUNK-TEST-MIB"])).starts_with("TRUNK-TEST-MIB::"));
    let other = listed(&["NO-SUCH-MIB"]);
    assert!(shown(&other).starts_with("SNMPv2-SMI::enterprises.99999") && other.resolve("sysUpTime").is_ok());
    // The requested module and those that it imports from, built in or not, and no others.
    let exactly = names(folder.path(), Choice::Exactly(vec!["TRUNK-TEST-MIB".into()])).unwrap();
    assert!(shown(&exactly).starts_with("TRUNK-TEST-MIB::"));
    assert!(exactly.resolve("ifDescr").is_ok() && exactly.resolve("sysUpTime").is_err());
    let built_in = names(folder.path(), Choice::Exactly(vec!["TCP-MIB".into()])).unwrap();
    assert!(built_in.resolve("tcpRtoMin").is_ok() && built_in.resolve("udpInDatagrams").is_err());
    let fault = names(folder.path(), Choice::Exactly(vec!["NO-SUCH-MIB".into()])).unwrap_err();
    assert!(matches!(fault, LoadError::Missing { .. }), "{fault}");
}

#[test]
fn definitions_are_those_of_the_texts() {
    let folder = folder();
    let names = names(folder.path(), Choice::All).unwrap();
    let of = |name: &str| names.definition(&names.resolve(name).unwrap()).unwrap();
    let heat = of("trunkHeat");
    let syntax = heat.syntax.unwrap();
    assert_eq!(
        (syntax.base.as_str(), syntax.convention.as_str(), syntax.hint.as_str()),
        ("Integer32", "Tenths", "d-1")
    );
    assert_eq!(
        (heat.macro_name, heat.access.as_str(), heat.status.as_str()),
        ("OBJECT-TYPE", "read-only", "current")
    );
    assert_eq!((heat.units.as_str(), heat.description.as_str()), ("degrees", "How hot it is."));
    assert_eq!(of("trunkLabel").syntax.unwrap().ranges, [(1, 8)]);
    assert_eq!(
        of("trunkMode").syntax.unwrap().names,
        [(0, "fast".to_owned()), (1, "slow".to_owned()), (9, "wide".to_owned())]
    );
    assert_eq!(
        of("trunkPeerEntry").index,
        ["ifIndex", "trunkPeerType", "trunkPeerAddress", "IMPLIED trunkPeerName"]
    );
    assert_eq!(
        (of("trunkTest").macro_name, of("trunkTest").description.as_str()),
        ("MODULE-IDENTITY", "For a test.")
    );
    let at_once = Choice::Listed { at_once: vec!["TRUNK-TEST-MIB".into()], later: Vec::new() };
    let listed = self::names(folder.path(), at_once).unwrap();
    assert_eq!(listed.definition(&listed.resolve("trunkHeat").unwrap()), Some(of("trunkHeat")));
    // Built-in modules say it too, and where to read on; instances and numbers without a name say nothing.
    let down = of("linkDown");
    assert_eq!((down.macro_name, down.objects.len()), ("NOTIFICATION-TYPE", 3));
    assert_eq!(of("ifDescr").syntax.unwrap().ranges, [(0, 255)]);
    assert_eq!(names.definition(&names.resolve("ifDescr.1").unwrap()), None);
}

const OLD: &str = r#"OLD-MIB DEFINITIONS ::= BEGIN
IMPORTS OBJECT-TYPE, mib-2, Integer32 FROM SNMPv2-SMI;
interfaces OBJECT IDENTIFIER ::= { mib-2 2 }
ifNumber OBJECT-TYPE SYNTAX Integer32 UNITS "ports" MAX-ACCESS read-only STATUS current
    DESCRIPTION "How many." ::= { interfaces 1 }
ifCount OBJECT IDENTIFIER ::= { interfaces 99 }
END
"#;

/// Where two modules define an object, each keeps its definition; the first that was requested counts.
#[test]
fn the_first_definition_counts() {
    let folder = folder();
    std::fs::write(folder.path().join("OLD-MIB"), OLD).unwrap();
    let number = oid("1.3.6.1.2.1.2.1.0");
    let shown = |names: &Names| names.format_oid(&number, &Style::default());
    let as_needed = names(folder.path(), Choice::AsNeeded).unwrap();
    assert!(as_needed.resolve("OLD-MIB::ifCount").is_ok());
    assert_eq!((shown(&as_needed).as_str(), as_needed.units(&number)), ("IF-MIB::ifNumber.0", ""));
    let list = |list: &[&str]| {
        let list = list.iter().map(|name| (*name).to_owned()).collect();
        names(folder.path(), Choice::Exactly(list)).unwrap()
    };
    let old = list(&["OLD-MIB", "IF-MIB"]);
    assert_eq!((shown(&old).as_str(), old.units(&number)), ("OLD-MIB::ifNumber.0", "ports"));
    assert_eq!(old.definition(&number[..8]).unwrap().units, "ports");
    assert_eq!(old.definers(&number), ["OLD-MIB", "IF-MIB"]);
    let new = list(&["IF-MIB", "OLD-MIB"]);
    assert_eq!((shown(&new).as_str(), new.units(&number)), ("IF-MIB::ifNumber.0", ""));
    assert_eq!(new.definition(&number[..8]).unwrap().units, "");
}

/// A module that is required later is read with those that it imports from.
#[test]
fn required_modules_are_read() {
    let folder = folder();
    let names = names(folder.path(), Choice::None).unwrap();
    assert!(names.require_text("IF-MIB").is_err() && names.require("NO-MIB").is_err());
    let before = names.format_oid(&oid(PEER), &Style::default());
    assert!(before.starts_with("iso.3.6.1.4.1.99999."), "{before}");
    names.require_text("TRUNK-TEST-MIB").unwrap();
    assert_eq!(names.format_oid(&oid(PEER), &Style::default()), PEER_NAME);
    assert!(names.resolve("ifDescr").is_ok() && names.resolve("tcpRtoMin").is_err());
    names.require("TCP-MIB").unwrap();
    assert!(names.resolve("tcpRtoMin").is_ok());
    assert_eq!(names.description(&oid("1.3.6.1.4.1.99999.2.0")), Some("How hot it is."));
}
