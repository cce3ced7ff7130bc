//! The commands of docs/restconf.md as they stand, apart from the port.

use std::path::Path;
use std::process::Command;

use crate::support::Agent;

/// The contents of the blocks of a page in this language.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let mark = format!("```{language}\n");
    page.split(&mark).skip(1).map(|rest| rest.split("```").next().unwrap().to_owned()).collect()
}

#[test]
fn the_commands_of_the_page_work_as_they_stand() {
    const ADDRESS: &str = "127.0.0.1:8080";
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/restconf.md")).unwrap();
    let config = &blocks(&page, "toml")[0];
    assert!(config.lines().count() <= 10 && config.contains(ADDRESS), "{config}");
    // The port of SNMP is the default one.
    let more = "[agent]\n[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n";
    let folder = tempfile::tempdir().unwrap();
    let config = config.replace(ADDRESS, "127.0.0.1:0") + more;
    let mut agent = Agent::spawn(folder, &config, &[]);
    agent.wait_for_listeners(2);
    let address = agent.address("http").to_string();
    let expected = [
        "{\"ietf-interfaces:interface\":[{\"name\":\"lo\",",
        "{\"IF-MIB:ifTable\":{\"ifEntry\":[{\"ifIndex\":1,\"ifDescr\":\"lo\",\"ifName\":\"lo\"}",
        "<system-state xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\"><platform>",
        "",
        "{\"ietf-restconf:data\":{\"ietf-system:system\":{\"contact\":\"ann\"}}}",
        "",
    ];
    let of_datastores =
        ["{\"ietf-interfaces:interface\":[{\"@\":{\"ietf-origin:origin\":", "{\"ietf-restconf:data\":{}}"];
    let of_pages = [
        "{\"SNMPv2-MIB:sysOREntry\":[{\"@\":{\"ietf-list-pagination:remaining\":",
        "{\"ietf-netconf-monitoring:schema\":[{\"@\":{\"ietf-list-pagination:remaining\":",
        "{\"ietf-yang-patch:yang-patch-status\":{\"patch-id\":\"1\",\"ok\":[null]}}",
    ];
    // The fourth block never ends.
    let all = blocks(&page, "sh");
    assert_eq!(all.len(), 4);
    let commands = all[..3].concat();
    let expected: Vec<&str> = expected.into_iter().chain(of_datastores).chain(of_pages).collect();
    assert_eq!(commands.lines().count(), expected.len());
    for (command, expected) in commands.lines().zip(expected) {
        let command = command.replace(ADDRESS, &address).replace("curl ", "curl -sS --fail-with-body ");
        let output = Command::new("sh").args(["-c", &command]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(output.status.success() && text.starts_with(expected), "{command}: {output:?}");
        assert_eq!(text.is_empty(), expected.is_empty(), "{command}: {text}");
    }
}
