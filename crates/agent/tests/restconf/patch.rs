//! YANG Patch (RFC 8072).

use crate::restconf::ask::{Answer, Client, agent};

const SYSTEM: &str = "/restconf/data/ietf-system:system";

fn patch(client: &Client<'_>, path: &str, arguments: &[&str], body: &str) -> Answer {
    let encoding = if body.starts_with('<') { "xml" } else { "json" };
    let content_type = format!("Content-Type: application/yang-patch+{encoding}");
    let all = [&["-X", "PATCH", "-H", &content_type, "--data-binary", body], arguments].concat();
    client.curl(&all, path)
}

fn of(edits: &str) -> String {
    format!("{{\"ietf-yang-patch:yang-patch\":{{\"patch-id\":\"p\",\"edit\":[{edits}]}}}}")
}

const CONTACT: &str =
    r#"{"edit-id":"1","operation":"create","target":"/contact","value":{"ietf-system:contact":"a"}}"#;

#[test]
fn a_patch_is_made_wholly_or_not_at_all() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let state = max.get("/restconf/data/ietf-restconf-monitoring:restconf-state/capabilities").body;
    assert!(state.contains("urn:ietf:params:restconf:capability:yang-patch:1.0"), "{state}");
    let options = max.curl(&["-X", "OPTIONS"], SYSTEM);
    assert!(options.field("accept-patch").unwrap().contains("application/yang-patch+json"), "{options:?}");
    let two = format!(
        "{CONTACT},{{\"edit-id\":\"2\",\"operation\":\"merge\",\"target\":\"/location\",\"value\":{{\"ietf-system:location\":\"x\"}}}}"
    );
    let done = patch(&max, SYSTEM, &[], &of(&two));
    assert_eq!(done.status, 200, "{done:?}");
    assert_eq!(done.body, r#"{"ietf-yang-patch:yang-patch-status":{"patch-id":"p","ok":[null]}}"#);
    assert_eq!(done.field("content-type"), Some("application/yang-data+json"));
    let config = format!("{SYSTEM}?content=config");
    let shown = max.get(&config);
    assert_eq!(shown.body, r#"{"ietf-system:system":{"contact":"a","location":"x"}}"#);
    assert_eq!(shown.field("etag"), done.field("etag"));
    // The second edit fails, and the first is not made.
    let failing =
        of(&format!("{{\"edit-id\":\"0\",\"operation\":\"delete\",\"target\":\"/location\"}},{CONTACT}"));
    let failed = patch(&max, SYSTEM, &[], &failing);
    assert_eq!(failed.status, 409, "{failed:?}");
    let edit = &failed.json()["ietf-yang-patch:yang-patch-status"]["edit-status"]["edit"][0];
    assert_eq!(
        (&edit["edit-id"], &edit["errors"]["error"][0]["error-tag"]),
        (&"1".into(), &"data-exists".into())
    );
    assert_eq!(max.get(&config).body, shown.body);
    // What all edits make is refused.
    let value = r#"{"ietf-interfaces:interface":[{"name":"lo"}]}"#;
    let entry = format!(
        "{{\"edit-id\":\"e\",\"operation\":\"merge\",\"target\":\"/ietf-interfaces:interfaces/interface=lo\",\"value\":{value}}}"
    );
    let failed = patch(&max, "/restconf/data", &[], &of(&entry));
    assert_eq!(failed.status, 409, "{failed:?}");
    let status = &failed.json()["ietf-yang-patch:yang-patch-status"];
    assert_eq!(status["errors"]["error"][0]["error-tag"], "data-missing");
    let xml = "<yang-patch xmlns='urn:ietf:params:xml:ns:yang:ietf-yang-patch'><patch-id>q</patch-id><edit><edit-id>1</edit-id>\
               <operation>remove</operation><target>/contact</target></edit></yang-patch>";
    let done = patch(&max, SYSTEM, &[], xml);
    assert_eq!(
        (done.status, done.body.as_str()),
        (
            200,
            "<yang-patch-status xmlns=\"urn:ietf:params:xml:ns:yang:ietf-yang-patch\"><patch-id>q</patch-id><ok/></yang-patch-status>"
        )
    );
    let as_json = patch(&max, SYSTEM, &["-H", "Accept: application/yang-data+json"], xml);
    assert!(as_json.body.contains("\"ok\":[null]"), "{as_json:?}");
    assert_eq!(max.get(&config).body, r#"{"ietf-system:system":{"location":"x"}}"#);
}

#[test]
fn a_patch_needs_its_resource_its_state_and_the_right_to_it() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    // Nobody has configured the interface.
    let missing = patch(&max, "/restconf/data/ietf-interfaces:interfaces/interface=lo", &[], &of(""));
    assert_eq!((missing.status, missing.error_tag()), (404, "invalid-value".into()));
    assert_eq!(patch(&max, SYSTEM, &["-H", "If-Match: \"x\""], &of(CONTACT)).status, 412);
    let state = patch(&max, "/restconf/data/ietf-system:system-state", &[], &of(""));
    assert_eq!(state.status, 405);
    for (user, status) in [("", 401), ("eve", 403), ("ann", 403), ("tom", 200)] {
        let answer = patch(&Client { agent: &agent, user }, SYSTEM, &[], &of(CONTACT));
        assert_eq!(answer.status, status, "{user}: {answer:?}");
    }
    let location =
        r#"{"edit-id":"l","operation":"merge","target":"/location","value":{"ietf-system:location":"x"}}"#;
    let denied = patch(&Client { agent: &agent, user: "tom" }, SYSTEM, &[], &of(location));
    assert_eq!(denied.status, 403, "{denied:?}");
    for (body, tag) in [
        (of("{}"), "missing-element"),
        ("{".to_owned(), "invalid-value"),
        ("<yang-patch/>".to_owned(), "invalid-value"),
    ] {
        let answer = patch(&max, SYSTEM, &[], &body);
        assert_eq!((answer.status, answer.error_tag().as_str()), (400, tag), "{answer:?}");
    }
}

/// RFC 8072: what is moved is there.
#[test]
fn what_is_not_there_is_not_moved() {
    let agent = agent("[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/bin/true\"]\n");
    let max = Client { agent: &agent, user: "max" };
    let policy = "/restconf/data/trunkline-bgp:bgp/policies/policy=p";
    let statements = r#"{"trunkline-bgp:policy":[{"name":"p","statement":[{"name":"a"},{"name":"b"}]}]}"#;
    assert_eq!(max.send("PUT", policy, statements).status, 201);
    let before = max.get(policy).body;
    let moved = |name: &str| {
        of(&format!(
            "{{\"edit-id\":\"1\",\"operation\":\"move\",\"target\":\"/statement={name}\",\"where\":\"first\"}}"
        ))
    };
    let refused = patch(&max, policy, &[], &moved("ghost"));
    assert!(refused.status == 409 && refused.body.contains("data-missing"), "{refused:?}");
    assert_eq!(max.get(policy).body, before);
    assert_eq!(patch(&max, policy, &[], &moved("b")).status, 200);
    assert_ne!(max.get(policy).body, before);
}
