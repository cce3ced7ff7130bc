//! Datastores (RFC 8527): what each has, what may be changed, and where it comes from.

use crate::restconf::ask::{Client, agent};
use crate::restconf::client;

const DS: &str = "/restconf/ds/ietf-datastores";
const SYSTEM: &str = "ietf-system:system";

#[test]
fn each_datastore_is_a_resource() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = |value: &str| format!("{{\"ietf-system:contact\":\"{value}\"}}");
    let of = |store: &str| max.get(&format!("{DS}:{store}/{SYSTEM}"));
    // The candidate is edited without a change of running.
    let created = max.send("POST", &format!("{DS}:candidate/{SYSTEM}"), &contact("a"));
    assert_eq!(created.status, 201, "{created:?}");
    assert!(
        created
            .field("location")
            .unwrap()
            .ends_with("/restconf/ds/ietf-datastores:candidate/ietf-system:system/contact")
    );
    assert!(created.field("etag").is_some() && created.field("last-modified").is_none(), "{created:?}");
    assert_eq!((of("candidate").status, of("running").status), (200, 404));
    let stale = ["-H", "If-Unmodified-Since: Wed, 21 Oct 2065 07:28:00 GMT"];
    assert_eq!(
        max.send_with(&stale, "PUT", &format!("{DS}:candidate/{SYSTEM}/contact"), &contact("b")).status,
        412
    );
    assert_eq!(client::Client::open(&agent, "max").ask("<commit/>"), "<ok/>");
    let body = r#"{"ietf-system:system":{"contact":"a"}}"#;
    for store in ["running", "intended", "candidate"] {
        let answer = of(store);
        assert_eq!((answer.status, answer.body.as_str()), (200, body), "{store}");
        assert_eq!(answer.field("last-modified").is_some(), store != "candidate");
        let tag = answer.field("etag").unwrap().to_owned();
        let again = max.curl(&["-H", &format!("If-None-Match: {tag}")], &format!("{DS}:{store}/{SYSTEM}"));
        assert_eq!(again.status, 304);
        // A configuration has no state.
        assert_eq!(max.get(&format!("{DS}:{store}/ietf-system:system-state")).status, 404);
        assert_eq!(max.get(&format!("{DS}:{store}?content=nonconfig")).body, r#"{"ietf-restconf:data":{}}"#);
    }
    let operational = of("operational").json();
    assert!(operational["ietf-system:system"]["hostname"].is_string(), "{operational}");
    assert!(max.get(&format!("{DS}:operational/ietf-system:system-state")).status == 200);
    let patch = r#"{"ietf-yang-patch:yang-patch":{"patch-id":"p","edit":[{"edit-id":"1","operation":"merge","target":"/location","value":{"ietf-system:location":"x"}}]}}"#;
    let patched = max.curl(
        &["-X", "PATCH", "-H", "Content-Type: application/yang-patch+json", "--data-binary", patch],
        &format!("{DS}:candidate/{SYSTEM}"),
    );
    assert_eq!(patched.status, 200, "{patched:?}");
    assert_eq!(of("candidate").body, r#"{"ietf-system:system":{"contact":"a","location":"x"}}"#);
    assert_eq!(of("running").body, body);
    for store in ["intended", "operational"] {
        let answer = max.send("PUT", &format!("{DS}:{store}/{SYSTEM}/contact"), &contact("x"));
        assert_eq!((answer.status, answer.error_tag()), (405, "operation-not-supported".into()), "{store}");
        assert_eq!(answer.field("allow"), Some("GET, HEAD, OPTIONS"));
    }
    for wrong in ["operational", "ietf-datastores:odd", "ietf-datastores:startup", ""] {
        assert_eq!(max.get(&format!("/restconf/ds/{wrong}")).status, 404, "{wrong}");
    }
}

#[test]
fn origins_are_shown_in_both_encodings() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = r#"{"ietf-system:contact":"a"}"#;
    assert_eq!(max.send("PUT", "/restconf/data/ietf-system:system/contact", contact).status, 201);
    let path = format!("{DS}:operational/{SYSTEM}");
    let shown = max.get(&format!("{path}?with-origin")).json();
    let system = &shown["ietf-system:system"];
    let origin = |name: &str| serde_json::json!({"ietf-origin:origin": format!("ietf-origin:{name}")});
    assert_eq!((&system["@"], &system["@hostname"]), (&origin("intended"), &origin("system")), "{shown}");
    assert_eq!((&system["contact"], system.get("@contact")), (&"a".into(), None));
    // Of a leaf it is known from what it is in.
    let leaf = max.get(&format!("{path}/contact?with-origin")).json();
    assert_eq!(leaf["@ietf-system:contact"], origin("intended"), "{leaf}");
    let xml = max.get_xml(&format!("{path}?with-origin")).body;
    let declared = "xmlns:or=\"urn:ietf:params:xml:ns:yang:ietf-origin\"";
    assert!(
        xml.contains(declared)
            && xml.contains("or:origin=\"or:intended\"")
            && xml.contains("<hostname or:origin=\"or:system\">"),
        "{xml}"
    );
    let interfaces =
        max.get_xml(&format!("{DS}:operational/ietf-interfaces:interfaces/interface=lo?with-origin&depth=1"));
    assert!(interfaces.body.contains("or:origin=\"or:system\""), "{interfaces:?}");
    let all = max.get_xml(&format!("{DS}:operational?with-origin&fields=ietf-system:system")).body;
    assert!(all.starts_with("<data ") && all.contains(declared), "{all}");
    let only =
        max.get(&format!("{DS}:operational/ietf-interfaces:interfaces/interface=lo?content=config")).json();
    let only = only["ietf-interfaces:interface"][0].as_object().unwrap();
    assert!(only.contains_key("enabled") && !only.contains_key("oper-status"), "{only:?}");
    let state = max
        .get(&format!("{DS}:operational/ietf-interfaces:interfaces/interface=lo?content=nonconfig"))
        .json();
    let state = state["ietf-interfaces:interface"][0].as_object().unwrap();
    assert!(state.contains_key("oper-status") && !state.contains_key("enabled"), "{state:?}");
    let page = max
        .get(&format!(
            "{DS}:operational/ietf-interfaces:interfaces/interface?limit=1&with-origin&fields=name"
        ))
        .json();
    let first = &page["ietf-interfaces:interface"][0]["@"];
    assert_eq!(first["ietf-origin:origin"], "ietf-origin:system", "{page}");
    let capabilities = max.get("/restconf/data/ietf-restconf-monitoring:restconf-state/capabilities").body;
    assert!(capabilities.contains("urn:ietf:params:restconf:capability:with-origin:1.0"));
    for path in [
        format!("/restconf/data/{SYSTEM}?with-origin"),
        format!("{DS}:running/{SYSTEM}?with-origin"),
        format!("{path}?with-origin=true"),
        format!("{path}?with-defaults=trim"),
    ] {
        let answer = max.get(&path);
        assert_eq!((answer.status, answer.error_tag()), (400, "invalid-value".into()), "{path}");
    }
}

/// RFC 6243 section 3.4, RFC 8040 section 4.8.9.
#[test]
fn defaults_are_marked_in_both_encodings() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let interfaces = format!("{DS}:candidate/ietf-interfaces:interfaces");
    for (name, more) in [("a", ""), ("b", ",\"enabled\":true")] {
        let body = format!(
            "{{\"ietf-interfaces:interface\":[{{\"name\":\"{name}\",\"type\":\"iana-if-type:other\"{more}}}]}}"
        );
        assert_eq!(max.send("PUT", &format!("{interfaces}/interface={name}"), &body).status, 201);
    }
    let tagged =
        |name: &str| max.get(&format!("{interfaces}/interface={name}?with-defaults=report-all-tagged")).body;
    assert_eq!(
        tagged("a"),
        r#"{"ietf-interfaces:interface":[{"name":"a","type":"iana-if-type:other","enabled":true,"@enabled":{"ietf-netconf-with-defaults:default":true}}]}"#
    );
    assert_eq!(
        tagged("b"),
        r#"{"ietf-interfaces:interface":[{"name":"b","type":"iana-if-type:other","enabled":true}]}"#
    );
    let xml = max.get_xml(&format!("{interfaces}/interface=a/enabled?with-defaults=report-all-tagged")).body;
    let declared = "xmlns:wd=\"urn:ietf:params:xml:ns:netconf:default:1.0\"";
    assert!(xml.contains(declared) && xml.contains(" wd:default=\"true\""), "{xml}");
    let explicit = max.get(&format!("{interfaces}/interface=a")).body;
    assert!(!explicit.contains("enabled"), "{explicit}");
}
