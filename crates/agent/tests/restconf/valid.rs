//! All data in JSON, as libyang reads it by the modules: names, forms of values, arrays.

use std::path::Path;
use std::process::Command;

use serde_json::Value as Json;
use trunkline_testkit::{has, leave_out};

use crate::ask::{Client, agent};

/// The modules of the IETF that are served.
const IETF: [&str; 16] = [
    "ietf-netconf",
    "ietf-netconf-with-defaults",
    "ietf-datastores",
    "ietf-origin",
    "ietf-netconf-nmda",
    "ietf-netconf-monitoring",
    "ietf-restconf-monitoring",
    "ietf-yang-library",
    "ietf-system",
    "ietf-interfaces",
    "ietf-ip",
    "ietf-routing",
    "ietf-ipv4-unicast-routing",
    "ietf-ipv6-unicast-routing",
    "ietf-netconf-notifications",
    "../iana/iana-if-type",
];

#[test]
fn everything_is_valid_by_its_modules() {
    let ietf =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python/share/yang/modules/ietf");
    let yuma = Path::new("/usr/share/yuma/modules/ietf-derived");
    if !has("yanglint", "libyang-tools") || !has("netconfd", "netconfd") {
        return;
    }
    if !ietf.is_dir() {
        return leave_out(
            "pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)",
        );
    }
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact =
        max.send("PUT", "/restconf/data/ietf-system:system/contact", r#"{"ietf-system:contact":"a"}"#);
    assert_eq!(contact.status, 201);
    let mut all = max.get("/restconf/data").json();
    let all = all["ietf-restconf:data"].as_object_mut().unwrap();
    // Its keys may be object identifiers of one part, which `yang:object-identifier-128` does not have.
    assert!(all.remove("SNMP-VIEW-BASED-ACM-MIB:SNMP-VIEW-BASED-ACM-MIB").is_some());
    assert!(all.contains_key("ietf-restconf-monitoring:restconf-state"));
    let folder = tempfile::tempdir().unwrap();
    let mut names = Vec::new();
    for module in trunkline_yang::smiv2::modules() {
        names.push(format!("{}.yang", module.name));
        std::fs::write(folder.path().join(names.last().unwrap()), trunkline_yang::print(&module)).unwrap();
    }
    for (module, text) in &trunkline_yang::own::TEXTS {
        names.push(format!("{}.yang", module.name));
        std::fs::write(folder.path().join(names.last().unwrap()), text).unwrap();
    }
    std::fs::write(folder.path().join("data.json"), Json::Object(all.clone()).to_string()).unwrap();
    let checked = Command::new("yanglint")
        .args(["-t", "get", "-p", ".", "-p"])
        .arg(ietf.join("../iana"))
        .arg("-p")
        .arg(&ietf)
        .args(&names)
        .arg("-p")
        .arg(yuma)
        .arg("-p")
        .arg(yuma.join("../netconfcentral"))
        .args(IETF.map(|name| ietf.join(format!("{name}.yang"))))
        .arg(yuma.join("nc-notifications.yang"))
        .arg("data.json")
        .current_dir(folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&checked.stderr).into_owned();
    assert!(checked.status.success() && said.is_empty(), "{said}");
}
