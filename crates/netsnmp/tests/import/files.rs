//! How files are read: they include each other, the command line follows them, and some settings control the
//! reading itself.

use std::path::{Path, PathBuf};

use trunkline_netsnmp::explain::Outcome;
use trunkline_netsnmp::{Surroundings, import};

use super::{imported_from, surroundings};

/// A line that is not UTF-8 is converted and reported; the others keep their octets.
#[test]
fn octets_that_are_not_utf_8_are_reported() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    let lines =
        [&b"# gr\xfcn"[..], b"rocommunity gr\xfcn", "syscontact caf\u{e9}".as_bytes(), b"rocommunity plain"];
    std::fs::write(&file, lines.join(&b'\n')).unwrap();
    let imported = trunkline_netsnmp::import(&[file], &crate::surroundings()).unwrap();
    let notes: Vec<String> = imported.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("snmpd.conf:2: rocommunity: octets that are not UTF-8"), "{notes:?}");
    assert!(imported.toml.contains("contact = \"caf\u{e9}\""), "{}", imported.toml);
}

#[test]
fn the_old_file_cannot_inject_configuration() {
    let (imported, _) = imported_from("[a\u{b}\u{1b}[2J] x\n\u{1b}[31mbad 1\n");
    assert!(!imported.toml.contains('\u{1b}') && !imported.toml.contains('\u{b}'));
    assert!(imported.notes.iter().all(|note| !note.to_string().contains('\u{1b}')));
}

#[test]
fn files_include_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| folder.path().join(name);
    std::fs::create_dir(path("d")).unwrap();
    let write = |name: &str, text: &str| std::fs::write(path(name), text).unwrap();
    write(
        "snmpd.conf",
        &format!("includeFile more.conf\nincludeDir {}\nincludeFile gone.conf\n# end\n", path("d").display()),
    );
    write("more.conf", "sysName more\nincludeFile snmpd.conf\n");
    write("d/b.conf", "sysContact b\n");
    write("d/a.conf", "sysContact a\n");
    write("d/c.txt", "sysContact c\n");
    let imported = import(&[path("snmpd.conf")], &surroundings()).unwrap();
    let plan = trunkline_config::parse(Path::new("t"), &imported.toml).unwrap();
    assert_eq!(plan.system.name.as_deref(), Some("more"));
    assert_eq!(plan.system.contact.as_deref(), Some("b"));
    assert!(imported.notes.iter().any(|note| note.why.contains("gone.conf")));
    assert!(imported.notes.iter().any(|note| note.why.contains("deep")), "a circle has an end");
    assert!(imported.toml.contains(&format!("{}:1", path("more.conf").display())));

    let error = import(&[PathBuf::from("/no/such/file")], &surroundings()).unwrap_err();
    assert!(error.to_string().contains("/no/such/file"), "{error}");
}

/// What `--explain` shows of a line: addresses and files, each address once, and why it has no effect.
#[test]
fn explanations_name_files_and_addresses() {
    let folder = tempfile::tempdir().unwrap();
    let (file, more) = (folder.path().join("snmpd.conf"), folder.path().join("more.conf"));
    std::fs::write(&more, "sysName more\n").unwrap();
    let conf = format!(
        "agentAddress udp:127.0.0.1:161,tcp:127.0.0.1:161\nagentAddress udp:127.0.0.1:161\n\
         [snmp] clientaddr 192.0.2.9\nincludeFile {}\nincludeDir {}\nincludeFile gone.conf\n",
        more.display(),
        folder.path().join("gone.d").display()
    );
    std::fs::write(&file, conf).unwrap();
    let imported = import(&[file], &surroundings()).unwrap();
    let shown = |line: usize| {
        let mut lines = imported.lines.iter().filter(|known| known.origin.file.ends_with("snmpd.conf"));
        lines.find(|known| known.origin.line == line).unwrap()
    };
    let listen = "listen = [\"udp://127.0.0.1:161\", \"tcp://127.0.0.1:161\"]";
    assert_eq!(shown(1).became, [["[snmp]", listen]]);
    assert!(shown(2).words[0].ends_with("snmpd.conf:1 names udp://127.0.0.1:161 already"), "{:?}", shown(2));
    assert_eq!(shown(3).arguments, "192.0.2.9");
    let (outcome, arguments) = (shown(4).outcome, shown(4).arguments.as_str());
    assert_eq!((outcome, arguments), (Outcome::CarriedOver, more.to_str().unwrap()));
    assert!(shown(5).arguments.ends_with("gone.d") && shown(6).arguments == "gone.conf");
    assert_eq!((shown(5).outcome, shown(6).outcome), (Outcome::NotSupported, Outcome::NotSupported));
}

#[test]
fn the_command_line_counts_after_the_files() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, "agentAddress 161\nsysName file\n").unwrap();
    let surroundings = Surroundings {
        extra: vec![("sysName".into(), "line".into())],
        listen: vec!["udp:127.0.0.1:1161".into()],
        ..surroundings()
    };
    let imported = import(&[file], &surroundings).unwrap();
    let plan = trunkline_config::parse(Path::new("t"), &imported.toml).unwrap();
    assert_eq!(plan.system.name.as_deref(), Some("line"));
    assert_eq!(
        plan.snmp.listen.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["udp://127.0.0.1:1161"]
    );
}
