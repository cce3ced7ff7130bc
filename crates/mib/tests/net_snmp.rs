//! The built-in modules as Net-SNMP's `snmptranslate` reads and prints them, compared with ours. Without the
//! program (Debian: `snmp`) the tests are left out.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use std::path::Path;
use std::process::Command;

use trunkline_mib::{Choice, Names, Sources, Style, render_all};
use trunkline_smi::schema::{IndexEncoding, IndexPart, Syntax};
use trunkline_smi::{Oid, ValueKind, module};
use trunkline_testkit::{has, leave_out};

/// The folder with all built-in modules as text, and those that every module imports from.
fn texts() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in render_all() {
        std::fs::write(folder.path().join(format!("{name}.txt")), text).unwrap();
    }
    let foundation = ["SNMPv2-SMI", "SNMPv2-TC", "SNMPv2-CONF"];
    let probe = "PROBE DEFINITIONS ::= BEGIN IMPORTS enterprises FROM SNMPv2-SMI DisplayString FROM SNMPv2-TC \
                 OBJECT-GROUP FROM SNMPv2-CONF; END";
    let mib = mib_rs::Loader::new().source(mib_rs::source::memory("PROBE", probe)).load().unwrap();
    for name in foundation {
        let source = mib.module(name).and_then(|module| module.source()).unwrap();
        std::fs::write(folder.path().join(format!("{name}.txt")), source.bytes()).unwrap();
    }
    folder
}

/// Each name with the line for it. It stops at the first that it refuses.
fn snmptranslate(folder: &Path, options: &[&str], names: &[String]) -> Option<Vec<(String, String)>> {
    if !has("snmptranslate", "snmp") {
        return None;
    }
    let mut command = Command::new("snmptranslate");
    command.env("MIBS", "").args(["-M"]).arg(folder).args(["-m", "ALL"]).args(options).args(names);
    let output = command.output().unwrap();
    let words = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(words.is_empty(), "snmptranslate complains: {words}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.is_empty()).collect();
    assert_eq!(names.len(), lines.len());
    Some(names.iter().cloned().zip(lines.into_iter().map(str::to_owned)).collect())
}

/// Every object, and instances of it: well-formed ones, and nonsense that must be shown somehow.
fn object_identifiers() -> Vec<Oid> {
    let mut all = well_formed();
    for table in module::ALL.iter().flat_map(|module| module.tables) {
        // Net-SNMP shows octets with a hint as dots, we show the address; and it refuses lengths above 2040.
        let is_other = |part: &IndexPart| {
            part.syntax.hint == "1x:" || part.syntax.convention == "InetAddressPrefixLength"
        };
        if table.index.iter().any(is_other) {
            continue;
        }
        for column in table.columns {
            let column = Oid::EMPTY.child(table.oid).child(&[1, column.id]);
            for index in [&[1][..], &[2, 6], &[1, 1, 4, 192, 0]] {
                all.push(column.child(index));
            }
        }
    }
    all
}

fn well_formed() -> Vec<Oid> {
    let mut all = Vec::new();
    for module in module::ALL {
        all.extend(module.nodes.iter().map(|node| Oid::EMPTY.child(node.oid)));
        all.extend(module.notifications.iter().map(|notification| Oid::EMPTY.child(notification.oid)));
        all.extend(module.scalars.iter().map(|scalar| Oid::EMPTY.child(scalar.oid).child(&[0])));
        for table in module.tables {
            let entry = Oid::EMPTY.child(table.oid).child(&[1]);
            let is_hinted = |part: &IndexPart| part.syntax.hint == "1x:";
            let index: Vec<u32> = table.index.iter().flat_map(sample_index).collect();
            for column in table.columns {
                all.push(entry.child(&[column.id]));
                if !table.index.iter().any(is_hinted) {
                    all.push(entry.child(&[column.id]).child(&index));
                }
            }
            all.push(entry);
        }
    }
    all
}

fn sample_index(part: &IndexPart) -> Vec<u32> {
    match part.encoding {
        IndexEncoding::Integer => vec![
            part.syntax
                .names
                .iter()
                .map(|(n, _)| *n as u32)
                .find(|n| *n > 0)
                .unwrap_or(part.syntax.min.max(1) as u32),
        ],
        IndexEncoding::FixedOctets(length) => vec![65; length],
        IndexEncoding::Octets if part.syntax.convention == "InetAddress" => vec![4, 192, 0, 2, 255],
        IndexEncoding::Octets => vec![3, 97, 46, 98],
        IndexEncoding::ImpliedOctets => vec![97, 46, 98],
        IndexEncoding::ObjectIdentifier => vec![2, 0, 0],
        IndexEncoding::ImpliedObjectIdentifier => vec![0, 0],
        IndexEncoding::IpAddress => vec![192, 0, 2, 255],
        IndexEncoding::NetworkAddress => vec![1, 192, 0, 2, 255],
    }
}

#[track_caller]
fn same(options: &str, letters: &str, all: &[Oid]) {
    let folder = texts();
    let given: Vec<String> = all.iter().map(|oid| format!(".{oid}")).collect();
    let mut theirs = Vec::new();
    for chunk in given.chunks(500) {
        let Some(lines) = snmptranslate(folder.path(), &[options], chunk) else { return };
        theirs.extend(lines);
    }
    let names = Names::built_in();
    let mut style = Style::default();
    style.apply(letters).unwrap();
    let differing: Vec<String> = theirs
        .iter()
        .map(|(number, theirs)| (names.format_oid(&number.parse::<Oid>().unwrap(), &style), theirs))
        .filter(|(ours, theirs)| ours != *theirs)
        .map(|(ours, theirs)| format!("{ours} is {theirs}"))
        .collect();
    assert!(differing.is_empty(), "{} differ: {:#?}", differing.len(), &differing[..differing.len().min(30)]);
}

#[test]
fn object_names_are_those_of_net_snmp() {
    same("-OS", "S", &object_identifiers());
}

#[test]
fn full_object_names_are_those_of_net_snmp() {
    same("-Of", "f", &object_identifiers());
}

#[test]
fn object_names_with_plain_indexes_are_those_of_net_snmp() {
    same("-Ob", "b", &object_identifiers());
}

#[test]
fn object_names_with_bracketed_indexes_are_those_of_net_snmp() {
    // Of malformed indexes Net-SNMP leaves brackets open. Where the text has a display hint, it writes
    // `[STRING: a.b]` into the name, which it cannot read back itself.
    let has_text = |oid: &Oid| {
        let mut tables = module::ALL.iter().flat_map(|module| module.tables);
        let table = tables.find(|table| oid.starts_with(table.oid) && oid.len() > table.oid.len() + 2);
        // It takes a NetworkAddress for one of four sub-identifiers, and leaves the last one over.
        let is_other = |part: &IndexPart| {
            part.syntax.hint.ends_with(['a', 't']) || part.encoding == IndexEncoding::NetworkAddress
        };
        table.is_some_and(|table| table.index.iter().any(is_other))
    };
    let plain: Vec<Oid> = well_formed().into_iter().filter(|oid| !has_text(oid)).collect();
    same("-OX", "X", &plain);
}

#[test]
fn printed_names_resolve_to_their_origin() {
    let names = Names::built_in();
    for letters in ["", "f", "X", "s"] {
        let mut style = Style::default();
        style.apply(letters).unwrap();
        for oid in well_formed() {
            let text = names.format_oid(&oid, &style);
            assert_eq!(names.resolve(&text).as_ref(), Ok(&oid), "{text}");
        }
    }
}

/// Debian ships these modules' texts (`libsnmp-base`), so that what is built in can be held against them.
#[test]
fn the_built_in_ucd_module_is_that_of_net_snmp() {
    same_as_text("UCD-SNMP-MIB");
}

#[test]
fn the_built_in_net_snmp_modules_are_those_of_net_snmp() {
    same_as_text("NET-SNMP-MIB");
    same_as_text("NET-SNMP-AGENT-MIB");
    same_as_text("NET-SNMP-EXTEND-MIB");
}

#[track_caller]
fn same_as_text(name: &str) {
    let folder = Path::new("/usr/share/snmp/mibs");
    if !folder.join(format!("{name}.txt")).exists() {
        return leave_out(format_args!("{name}.txt is not installed (Debian: libsnmp-base)"));
    }
    let choice = Choice::Only(vec![name.into()]);
    let text =
        Names::new(Sources::default().with_folders(vec![folder.to_owned()]).with_choice(choice)).unwrap();
    let built_in = Names::built_in();
    let module = module::ALL.iter().find(|module| module.name == name).unwrap();
    for node in module.nodes.iter().map(|node| (node.name, node.oid)) {
        assert_eq!(text.resolve(node.0).ok().as_deref(), Some(node.1), "{}", node.0);
    }
    for notification in module.notifications {
        let found = text.describe(notification.oid).notification.unwrap();
        assert_eq!((found.name, found.objects), (notification.name, notification.objects));
    }
    let mut oids: Vec<Oid> = module.scalars.iter().map(|scalar| Oid::EMPTY.child(scalar.oid)).collect();
    for table in module.tables {
        oids.extend(table.columns.iter().map(|column| Oid::EMPTY.child(table.oid).child(&[1, column.id])));
    }
    let show = |names: &Names, oid: &Oid| {
        let found = names.describe(oid);
        let object = found.object.unwrap();
        let Syntax { kind, convention, hint, min, max, names, bits } = object.syntax;
        let index = object
            .table
            .map(|table| table.index.iter().map(|part| (part.name, part.encoding)).collect::<Vec<_>>());
        let limits = matches!(kind, ValueKind::Integer | ValueKind::Unsigned32 | ValueKind::OctetString)
            .then_some((min, max));
        format!(
            "{} {:?} {:?} {convention} {hint:?} {limits:?} {names:?} {bits} {:?} {:?} {index:?}",
            found.name, object.kind, kind, object.access, object.units
        )
    };
    let differing: Vec<String> = oids
        .iter()
        .map(|oid| (show(&built_in, oid), show(&text, oid)))
        .filter(|(ours, theirs)| ours != theirs)
        .map(|(ours, theirs)| format!("{ours}\n is {theirs}"))
        .collect();
    assert!(differing.is_empty(), "{} of {} differ:\n{}", differing.len(), oids.len(), differing.join("\n"));
}
