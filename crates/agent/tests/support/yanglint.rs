//! Data checked by the modules that are served, with their features and deviations, as libyang reads them.

use std::path::{Path, PathBuf};
use std::process::Command;

use trunkline_testkit::{has, leave_out};
use trunkline_yang::own::{ALL, DEVIATIONS, texts};

/// The modules of the IETF that are served, below the folder of its own; RESTCONF has these and more.
pub const IETF: [&str; 20] = [
    "ietf-netconf-acm",
    "ietf-datastores",
    "ietf-origin",
    "ietf-netconf-nmda",
    "ietf-netconf-monitoring",
    "ietf-yang-library",
    "ietf-system",
    "ietf-interfaces",
    "ietf-ip",
    "ietf-routing",
    "ietf-ipv4-unicast-routing",
    "ietf-ipv6-unicast-routing",
    "ietf-netconf-notifications",
    "ietf-x509-cert-to-name",
    "ietf-snmp",
    "ietf-hardware",
    "../iana/iana-hardware",
    "ietf-subscribed-notifications",
    "ietf-yang-push",
    "../iana/iana-if-type",
];

/// yanglint, with the texts of our own modules in a folder.
pub struct Yanglint {
    ietf: PathBuf,
    folder: tempfile::TempDir,
    names: Vec<String>,
}

impl Yanglint {
    /// `None`: something of it is not installed.
    pub fn new() -> Option<Yanglint> {
        if !has("yanglint", "libyang-tools") || !has("netconfd", "netconfd") {
            return None;
        }
        let peers = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers");
        let ietf = peers.join("python/share/yang/modules/ietf");
        if !ietf.is_dir() {
            leave_out("pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)");
            return None;
        }
        let folder = tempfile::tempdir().expect("a temporary folder");
        let translated = trunkline_yang::smiv2::modules();
        let translated = translated.iter().map(|module| (module.name, trunkline_yang::print(module)));
        let own = texts().map(|(module, text)| (module.name, text.to_owned()));
        let write = |(name, text): (&str, String)| {
            let name = format!("{name}.yang");
            std::fs::write(folder.path().join(&name), text).expect("write a module");
            name
        };
        let mut names: Vec<String> = translated.chain(own).map(write).collect();
        // They are behind what they are about.
        names.retain(|name| DEVIATIONS.iter().all(|(module, _)| format!("{}.yang", module.name) != *name));
        Some(Yanglint { ietf, folder, names })
    }

    /// Checks what `get` returns, in a file of this name, which says how it is encoded. `more`: modules beside [`IETF`].
    #[track_caller]
    pub fn check(&self, file: &str, data: &str, more: &[&str]) {
        self.run("get", file, data, more);
    }

    /// The same of a whole configuration, which references must not leave.
    #[track_caller]
    #[allow(dead_code, reason = "not every protocol's tests have configurations")]
    pub fn check_configuration(&self, file: &str, data: &str, more: &[&str]) {
        self.run("config", file, data, more);
    }

    /// The same of a whole `notification` of NETCONF, in XML.
    #[track_caller]
    #[allow(dead_code, reason = "not every protocol's tests have notifications")]
    pub fn check_notification(&self, file: &str, message: &str) {
        self.run("nc-notif", file, message, &[]);
    }

    #[track_caller]
    fn run(&self, kind: &str, file: &str, data: &str, more: &[&str]) {
        std::fs::write(self.folder.path().join(file), data).expect("write the data");
        // The schema of RFC 5277 is not YANG: yuma123 has it as a module.
        let yuma = Path::new("/usr/share/yuma/modules/ietf-derived");
        let standard = || more.iter().chain(&IETF).copied();
        let is_standard = |name: &str| standard().any(|it| it.trim_start_matches("../iana/") == name);
        let features = ALL
            .iter()
            .filter(|module| is_standard(module.name))
            .flat_map(|module| ["-F".to_owned(), format!("{}:{}", module.name, module.features.join(","))]);
        let checked = Command::new("yanglint")
            .args(["-t", kind])
            .args(features)
            .args(["-p", ".", "-p"])
            .arg(self.ietf.join("../iana"))
            .arg("-p")
            .arg(&self.ietf)
            .args(&self.names)
            .arg("-p")
            .arg(yuma)
            .arg("-p")
            .arg(yuma.join("../netconfcentral"))
            .args(standard().map(|name| self.ietf.join(format!("{name}.yang"))))
            .args(DEVIATIONS.map(|(module, _)| format!("{}.yang", module.name)))
            .arg(yuma.join("nc-notifications.yang"))
            .arg(file)
            .current_dir(self.folder.path())
            .output()
            .expect("run yanglint");
        let said = String::from_utf8_lossy(&checked.stderr);
        assert!(checked.status.success() && said.is_empty(), "{file}: {said}");
    }
}
