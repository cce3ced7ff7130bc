//! The modules of SMIv2 as two foreign compilers of YANG read them: pyang, which has the IETF's modules with it, and libyang.

#![allow(clippy::unwrap_used, reason = "a test's helpers fail and speak as tests do")]

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use trunkline_testkit::{has, leave_out};
use trunkline_yang::own::texts;
use trunkline_yang::{print, smiv2};

/// A folder with all modules; removed when dropped.
struct Folder(PathBuf);

impl Folder {
    fn make(name: &str) -> Folder {
        let folder = std::env::temp_dir().join(format!("trunkline-yang-{name}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for module in smiv2::modules() {
            std::fs::write(folder.join(format!("{}.yang", module.name)), print(&module)).unwrap();
        }
        for (module, text) in texts() {
            std::fs::write(folder.join(format!("{}.yang", module.name)), text).unwrap();
        }
        Folder(folder)
    }

    fn files(&self) -> Vec<PathBuf> {
        let own = texts().map(|(module, _)| module.name);
        let names = smiv2::modules().into_iter().map(|module| module.name).chain(own);
        names.map(|name| self.0.join(format!("{name}.yang"))).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Where `cargo xtask setup --peers` has put pyang, and the IETF's modules with it.
fn python() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python");
    if !folder.join("bin/pyang").is_file() {
        leave_out("pyang is not installed (cargo xtask setup --peers)");
        return None;
    }
    Some(folder)
}

/// Runs a compiler, which must have nothing to say.
fn quietly(command: &mut Command) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    assert!(output.status.success() && said.trim().is_empty(), "{command:?}: {said}");
}

#[test]
fn pyang_accepts_every_module() {
    let Some(python) = python() else { return };
    let folder = Folder::make("pyang");
    // Where a node says nothing of `config`, pyang wants it replaced and libyang added (decision 0069).
    let taste = ["--ignore-error", "BAD_DEVIATE_ADD"];
    quietly(Command::new(python.join("bin/pyang")).args(taste).arg("-p").arg(&folder.0).args(folder.files()));
}

#[test]
fn libyang_accepts_every_module() {
    let Some(python) = python().filter(|_| has("yanglint", "libyang-tools")) else { return };
    let folder = Folder::make("libyang");
    let ietf = python.join("share/yang/modules/ietf");
    for file in folder.files() {
        let mut yanglint = Command::new("yanglint");
        for places in [&folder.0, &ietf, &ietf.join("../iana")] {
            yanglint.arg("-p").arg(places);
        }
        quietly(yanglint.arg(file));
    }
}

#[test]
fn data_lie_where_rfc_6643_has_them() {
    let text = |name: &str| {
        let module = smiv2::modules().into_iter().find(|it| it.name == name).unwrap();
        print(&module).lines().map(|line| format!("{}\n", line.trim_start())).collect::<String>()
    };
    let interfaces = text("IF-MIB");
    for part in [
        "namespace \"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\";",
        "container IF-MIB {\nconfig false;\ncontainer interfaces {\nsmiv2:oid \"1.3.6.1.2.1.2\";\nleaf ifNumber {",
        "container ifTable {\nsmiv2:oid \"1.3.6.1.2.1.2.2\";\nlist ifEntry {\nkey \"ifIndex\";",
        "leaf ifType {\ntype ianaiftype-mib:IANAifType;",
        "leaf ifPhysAddress {\ntype yang:phys-address;",
        "leaf ifPromiscuousMode {\ntype boolean;",
        "augment \"/if-mib:IF-MIB/if-mib:ifTable/if-mib:ifEntry\" {\nsmiv2:oid \"1.3.6.1.2.1.31.1.1.1\";\nleaf ifName {",
        "path \"/if-mib:IF-MIB/if-mib:ifTable/if-mib:ifEntry/if-mib:ifOperStatus\";",
        // A column by another table's rows.
        "list ifRcvAddressEntry {\nkey \"ifIndex ifRcvAddressAddress\";",
    ] {
        assert!(interfaces.contains(part), "{part:?} in {interfaces}");
    }
    let targets = text("SNMP-TARGET-MIB");
    assert!(
        targets.contains("key \"snmpTargetAddrName\";\nsmiv2:implied \"snmpTargetAddrName\";"),
        "{targets}"
    );
    assert!(targets.contains("type snmp-framework-mib:SnmpAdminString {\nlength \"1..32\";"), "{targets}");
}

#[test]
fn every_convention_has_a_home() {
    use trunkline_smi::module::ALL;
    use trunkline_yang::convention::{home, widest};
    let tables = ALL.iter().flat_map(|module| module.tables);
    let columns = tables.flat_map(|table| table.columns).map(|column| column.syntax);
    for syntax in columns.chain(ALL.iter().flat_map(|module| module.scalars).map(|scalar| scalar.syntax)) {
        let convention = syntax.convention;
        let needs_none = ["", "Unsigned32", "TruthValue"].contains(&convention);
        assert!(needs_none || home(convention).is_some(), "{convention}");
        assert!(needs_none || widest(convention).is_some(), "{convention}");
    }
}
