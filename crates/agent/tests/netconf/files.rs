//! Configurations in files (`:url`, RFC 6241 section 8.8).

use crate::client::{Client, configuration};
use crate::support::Agent;

const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const BASE: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

/// An agent whose clients may name files in this folder.
fn agent(folder: &std::path::Path) -> Agent {
    let text = configuration("");
    Agent::start(&text.replace("[netconf]\n", &format!("[netconf]\nfiles = {folder:?}\n")))
}

fn copy(client: &mut Client, target: &str, source: &str) -> String {
    client.ask(&format!("<copy-config><target>{target}</target><source>{source}</source></copy-config>"))
}

fn running(client: &mut Client) -> String {
    client.ask("<get-config><source><running/></source></get-config>")
}

fn system(content: &str) -> String {
    format!("<system xmlns=\"{SYSTEM}\">{content}</system>")
}

#[test]
fn configurations_are_kept_in_files_and_taken_from_them() {
    let folder = tempfile::tempdir().unwrap();
    let agent = agent(folder.path());
    let mut max = Client::open(&agent, "max");
    let url = "urn:ietf:params:netconf:capability:url:1.0?scheme=file";
    assert!(max.hello.capabilities.iter().any(|it| it == url));
    assert!(max.hello.capabilities.iter().any(|it| it.ends_with(
        "features=writable-running,candidate,confirmed-commit,rollback-on-error,validate,xpath,url"
    )));
    let file = |name: &str| format!("<url>file:///{name}</url>");
    let one = system("<contact>ann</contact><location>here &amp; there</location>");
    let edit = |content: &str| format!("<edit-config><target><running/></target>{content}</edit-config>");
    assert_eq!(max.ask(&edit(&format!("<config>{one}</config>"))), "<ok/>");
    assert_eq!(copy(&mut max, &file("one.xml"), "<running/>"), "<ok/>");
    let written = std::fs::read_to_string(folder.path().join("one.xml")).unwrap();
    assert_eq!(
        written,
        format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<config xmlns=\"{BASE}\">{one}</config>\n")
    );
    // Edited, validated, copied back, deleted.
    std::fs::write(
        folder.path().join("edit.xml"),
        format!("<config xmlns:nc='{BASE}'><system xmlns='{SYSTEM}'><contact nc:operation='delete'/><location>there</location></system></config>"),
    )
    .unwrap();
    assert_eq!(max.ask(&edit(&file("edit.xml"))), "<ok/>");
    assert_eq!(running(&mut max), format!("<data>{}</data>", system("<location>there</location>")));
    assert_eq!(max.ask(&format!("<validate><source>{}</source></validate>", file("one.xml"))), "<ok/>");
    assert_eq!(copy(&mut max, "<candidate/>", &file("one.xml")), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert_eq!(running(&mut max), format!("<data>{one}</data>"));
    assert_eq!(copy(&mut max, &file("two.xml"), &file("one.xml")), "<ok/>");
    assert_eq!(std::fs::read_to_string(folder.path().join("two.xml")).unwrap(), written);
    let nmda = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
    let data = format!(
        "<edit-data xmlns='{nmda}' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'><datastore>ds:running</datastore>\
         <default-operation>replace</default-operation><url>file:///two.xml</url></edit-data>"
    );
    assert_eq!(max.ask(&data), "<ok/>");
    let delete = |name: &str| format!("<delete-config><target>{}</target></delete-config>", file(name));
    assert_eq!(max.ask(&delete("two.xml")), "<ok/>");
    assert!(!folder.path().join("two.xml").exists());

    // What is not there, not XML, no configuration, or not in the folder.
    std::fs::write(folder.path().join("odd.xml"), "<odd/>").unwrap();
    std::fs::write(folder.path().join("broken.xml"), "<config>").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", folder.path().join("link")).unwrap();
    for (name, tag) in [
        ("two.xml", "data-missing"),
        ("odd.xml", "invalid-value"),
        ("broken.xml", "invalid-value"),
        ("link", "invalid-value"),
        ("../etc/passwd", "invalid-value"),
    ] {
        let reply = copy(&mut max, "<candidate/>", &file(name));
        assert!(reply.contains(&format!("<error-tag>{tag}</error-tag>")), "{name}: {reply}");
        assert!(!reply.contains("root:"), "{reply}");
    }
    // RFC 6241 section 7.3.
    let reply = copy(&mut max, &file("one.xml"), &file("one.xml"));
    assert!(reply.contains("<error-tag>invalid-value</error-tag>"), "{reply}");
    let reply = copy(&mut max, &file("link"), "<running/>");
    assert!(reply.contains("not a regular file"), "{reply}");
    assert!(max.ask(&delete("two.xml")).contains("<error-tag>data-missing</error-tag>"));
    assert!(
        max.ask("<delete-config><target><candidate/></target></delete-config>").contains("invalid-value")
    );
    // Defaults as the client wants them.
    let entry = "<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>a</name></interface></interfaces>";
    let marked = format!(
        "<copy-config><target>{}</target><source><config>{entry}</config></source><with-defaults \
         xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults'>report-all-tagged</with-defaults></copy-config>",
        file("marked.xml")
    );
    assert_eq!(max.ask(&marked), "<ok/>");
    let written = std::fs::read_to_string(folder.path().join("marked.xml")).unwrap();
    assert!(written.contains("<enabled wd:default=\"true\">true</enabled>"), "{written}");

    // Who may not change everything names no files: whoever restores one does so with his own rights.
    let (mut ann, mut tom) = (Client::open(&agent, "ann"), Client::open(&agent, "tom"));
    for reply in [
        copy(&mut ann, &file("x"), "<running/>"),
        ann.ask(&delete("one.xml")),
        copy(&mut tom, &file("tom.xml"), "<running/>"),
        copy(&mut tom, &file("tom.xml"), &file("one.xml")),
        tom.ask(&delete("one.xml")),
    ] {
        assert!(reply.contains("<error-tag>access-denied</error-tag>"), "{reply}");
    }
}

#[test]
fn without_a_folder_there_are_no_files() {
    let agent = Agent::start(&configuration(""));
    let mut max = Client::open(&agent, "max");
    assert!(!max.hello.capabilities.iter().any(|it| it.contains(":url:")));
    for reply in [
        copy(&mut max, "<url>file:///a</url>", "<running/>"),
        copy(&mut max, "<candidate/>", "<url>file:///a</url>"),
        max.ask("<delete-config><target><url>file:///a</url></target></delete-config>"),
    ] {
        assert!(reply.contains("<error-tag>invalid-value</error-tag>"), "{reply}");
    }
}
