//! Patches in both encodings, made of a configuration.

use std::sync::LazyLock;

use proptest::prelude::*;
use trunkline_datastore::{Config as Configuration, edit};
use trunkline_netconf::document::limits;
use trunkline_netconf::operation::ErrorOption;
use trunkline_yang::own::ALL;

use super::*;

static FOREST: LazyLock<Forest> = LazyLock::new(|| ALL.into_iter().fold(Forest::of(&[]), Forest::with));

/// Makes a patch of a resource; or the edit that fails and its tag.
fn make(config: &mut Configuration, path: &str, octets: &[u8]) -> Result<(), (String, &'static str)> {
    let encoding = if octets[0] == b'<' { Encoding::Xml } else { Encoding::Json };
    let failed = |id: &str, refusal: Refusal| (id.to_owned(), refusal.errors[0].tag.name());
    let patch = Patch::read(octets, encoding).map_err(|it| failed("", it))?;
    let resource = Target::read(path, &FOREST).unwrap();
    let mut after = config.clone();
    for one in &patch.edits {
        let made = one.edit(&resource, &FOREST).map_err(|it| failed(&one.id, it))?;
        let document = Document::read(&made.xml, limits(1 << 20)).unwrap();
        let done = edit(&mut after, &FOREST, document.root(), made.default, ErrorOption::RollbackOnError);
        done.map_err(|errors| failed(&one.id, Refusal::from(errors)))?;
    }
    *config = after;
    Ok(())
}

fn shown(config: &Configuration) -> String {
    let mut octets = Vec::new();
    config.write(&FOREST, &mut octets);
    String::from_utf8(octets).unwrap()
}

const SYSTEM: &str = "/ietf-system:system";

#[test]
fn edits_are_made_in_their_order_in_both_encodings() {
    let json = r#"{"ietf-yang-patch:yang-patch":{"patch-id":"p","comment":"c","edit":[
        {"edit-id":"1","operation":"create","target":"/contact","value":{"ietf-system:contact":"a"}},
        {"edit-id":"2","operation":"replace","target":"/contact","value":{"ietf-system:contact":"b"}},
        {"edit-id":"3","operation":"merge","target":"/location","value":{"ietf-system:location":"x"}},
        {"edit-id":"4","operation":"delete","target":"/location"},
        {"edit-id":"5","operation":"remove","target":"/location"}]}}"#;
    let edit = |id: u8, operation: &str, target: &str, value: &str| {
        let value = match value {
            "" => String::new(),
            value => format!(
                "<value><s:{target} xmlns:s='urn:ietf:params:xml:ns:yang:ietf-system'>{value}</s:{target}></value>"
            ),
        };
        format!(
            "<edit><edit-id>{id}</edit-id><operation>{operation}</operation><target>/{target}</target>{value}</edit>"
        )
    };
    let xml = format!(
        "<yang-patch xmlns='{YANG_PATCH}'><patch-id>p</patch-id>{}{}{}{}{}</yang-patch>",
        edit(1, "create", "contact", "a"),
        edit(2, "replace", "contact", "b"),
        edit(3, "merge", "location", "x"),
        edit(4, "delete", "location", ""),
        edit(5, "remove", "location", "")
    );
    for octets in [json, &xml] {
        let mut config = Configuration::default();
        assert_eq!(make(&mut config, SYSTEM, octets.as_bytes()), Ok(()), "{octets}");
        assert!(shown(&config).ends_with("<contact>b</contact></system>"), "{}", shown(&config));
        let again = make(&mut config, SYSTEM, octets.as_bytes());
        assert_eq!(again, Err(("1".into(), "data-exists")));
    }
}

#[test]
fn entries_and_the_whole_datastore_are_targets() {
    let mut config = Configuration::default();
    let interface = r#"{"ietf-interfaces:interface":[{"name":"eth/0","type":"iana-if-type:ethernetCsmacd","enabled":false}]}"#;
    let patch = format!(
        r#"{{"ietf-yang-patch:yang-patch":{{"patch-id":"p","edit":[
        {{"edit-id":"a","operation":"merge","target":"/","value":{{"ietf-restconf:data":{{"ietf-system:system":{{"contact":"x"}}}}}}}},
        {{"edit-id":"b","operation":"create","target":"/ietf-interfaces:interfaces/interface=eth%2F0","value":{interface}}},
        {{"edit-id":"c","operation":"replace","target":"/ietf-interfaces:interfaces/interface=eth%2F0/enabled","value":{{"ietf-interfaces:enabled":true}}}}]}}}}"#
    );
    assert_eq!(make(&mut config, "", patch.as_bytes()), Ok(()));
    let shown = shown(&config);
    assert!(shown.contains("<contact>x</contact>") && shown.contains("<enabled>true</enabled>"), "{shown}");
}

#[test]
fn other_patch_requests_are_refused() {
    let patch =
        |edit: &str| format!(r#"{{"ietf-yang-patch:yang-patch":{{"patch-id":"p","edit":[{{{edit}}}]}}}}"#);
    let value = r#","value":{"ietf-system:contact":"a"}"#;
    for (octets, id, tag) in [
        ("{}".to_owned(), "", "invalid-value"),
        ("<a/>".to_owned(), "", "invalid-value"),
        (r#"{"ietf-yang-patch:yang-patch":{"edit":[]}}"#.to_owned(), "", "missing-element"),
        (r#"{"ietf-yang-patch:yang-patch":{"patch-id":"p","odd":1}}"#.to_owned(), "", "unknown-element"),
        (patch(r#""operation":"create","target":"/contact""#), "", "missing-element"),
        (patch(r#""edit-id":"1","operation":"create","target":"/contact""#), "", "missing-element"),
        (
            patch(&format!(r#""edit-id":"1","operation":"odd","target":"/contact"{value}"#)),
            "",
            "invalid-value",
        ),
        (
            patch(&format!(r#""edit-id":"1","operation":"delete","target":"/contact"{value}"#)),
            "",
            "invalid-value",
        ),
        (
            patch(&format!(
                r#""edit-id":"1","operation":"create","target":"/contact","where":"first"{value}"#
            )),
            "",
            "invalid-value",
        ),
        (
            patch(&format!(r#""edit-id":"1","operation":"create","target":"contact"{value}"#)),
            "1",
            "invalid-value",
        ),
        (
            patch(&format!(r#""edit-id":"1","operation":"create","target":"/nothing"{value}"#)),
            "1",
            "invalid-value",
        ),
        (
            patch(&format!(r#""edit-id":"1","operation":"create","target":"/location"{value}"#)),
            "1",
            "invalid-value",
        ),
        (patch(r#""edit-id":"1","operation":"delete","target":"/contact""#), "1", "data-missing"),
        (
            patch(
                r#""edit-id":"1","operation":"delete","target":"/contact"},{"edit-id":"1","operation":"delete","target":"/contact""#,
            ),
            "",
            "invalid-value",
        ),
        // There is no list here whose order users choose.
        (
            patch(&format!(
                r#""edit-id":"1","operation":"insert","target":"/contact","where":"first"{value}"#
            )),
            "1",
            "unknown-attribute",
        ),
    ] {
        let mut config = Configuration::default();
        assert_eq!(make(&mut config, SYSTEM, octets.as_bytes()), Err((id.to_owned(), tag)), "{octets}");
        assert_eq!(config, Configuration::default());
    }
}

#[test]
fn the_status_names_the_edit() {
    let refusal = Refusal::from(RpcError::new(Layer::Application, Tag::DataExists, "a \"b\""));
    let write =
        |status: &Status<'_>, encoding| String::from_utf8(status.write("p<", encoding, &FOREST)).unwrap();
    assert_eq!(
        write(&Status::Done, Encoding::Json),
        r#"{"ietf-yang-patch:yang-patch-status":{"patch-id":"p<","ok":[null]}}"#
    );
    let error =
        r#"{"error":[{"error-type":"application","error-tag":"data-exists","error-message":"a \"b\""}]}"#;
    assert_eq!(
        write(&Status::Edit("1", &refusal), Encoding::Json),
        format!(
            r#"{{"ietf-yang-patch:yang-patch-status":{{"patch-id":"p<","edit-status":{{"edit":[{{"edit-id":"1","errors":{error}}}]}}}}}}"#
        )
    );
    assert_eq!(
        write(&Status::All(&refusal), Encoding::Json),
        format!(r#"{{"ietf-yang-patch:yang-patch-status":{{"patch-id":"p<","errors":{error}}}}}"#)
    );
    for status in [Status::Done, Status::Edit("1", &refusal), Status::All(&refusal)] {
        let xml = write(&status, Encoding::Xml);
        let document = Document::read(xml.as_bytes(), limits(10_000)).unwrap();
        assert!(document.root().is(YANG_PATCH, "yang-patch-status"));
        let all_are_own = |element: Element<'_>| element.children().all(|it| it.namespace() == YANG_PATCH);
        assert!(all_are_own(document.root()), "{xml}");
    }
}

proptest! {
    /// A patch that is written in both encodings is the same edit.
    #[test]
    fn both_encodings_say_the_same(contact in "[^\\p{Cc}]{0,20}", name in "[a-z/,%']{1,8}") {
        let contact = trunkline_yang::lexical::as_string(&contact);
        let mut path = "/ietf-interfaces:interfaces/interface=".to_owned();
        crate::target::encode(&name, &mut path);
        let mut texts = [Vec::new(), Vec::new()];
        trunkline_yang::json::string(&contact, &mut texts[0]);
        trunkline_yang::json::string(&name, &mut texts[1]);
        let [contact_json, name_json] = texts.map(|it| String::from_utf8(it).unwrap());
        let json = format!(
            r#"{{"ietf-yang-patch:yang-patch":{{"patch-id":"p","edit":[
            {{"edit-id":"1","operation":"merge","target":"/ietf-system:system/contact","value":{{"ietf-system:contact":{contact_json}}}}},
            {{"edit-id":"2","operation":"create","target":"{path}","value":{{"ietf-interfaces:interface":[{{"name":{name_json},"type":"iana-if-type:other"}}]}}}}]}}}}"#
        );
        let mut xml = Vec::new();
        let mut writer = trunkline_xml::Writer::new(&mut xml);
        writer.start("yang-patch").attribute("xmlns", YANG_PATCH).leaf("patch-id", "p");
        writer.start("edit").leaf("edit-id", "1").leaf("operation", "merge").leaf("target", "/ietf-system:system/contact");
        writer.start("value").start("contact").attribute("xmlns", "urn:ietf:params:xml:ns:yang:ietf-system").text(&contact);
        writer.end("contact").end("value").end("edit");
        writer.start("edit").leaf("edit-id", "2").leaf("operation", "create").leaf("target", &path);
        writer.start("value").start("interface").attribute("xmlns", "urn:ietf:params:xml:ns:yang:ietf-interfaces");
        writer.leaf("name", &name).start("type").attribute("xmlns:i", "urn:ietf:params:xml:ns:yang:iana-if-type").text("i:other");
        writer.end("type").end("interface").end("value").end("edit").end("yang-patch");
        let (mut one, mut other) = (Configuration::default(), Configuration::default());
        prop_assert_eq!(make(&mut one, "", json.as_bytes()), Ok(()));
        prop_assert_eq!(make(&mut other, "", &xml), Ok(()));
        prop_assert_eq!(shown(&one), shown(&other));
    }

    #[test]
    fn any_octets_are_a_patch_or_refused(octets in "[ -~]{0,80}") {
        let _ = Patch::read(octets.as_bytes(), Encoding::Json);
        let _ = Patch::read(octets.as_bytes(), Encoding::Xml);
    }
}
