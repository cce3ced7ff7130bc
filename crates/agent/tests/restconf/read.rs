//! GET, HEAD and OPTIONS.

use crate::ask::{Client, agent};
use crate::client;

#[test]
fn clients_find_the_root_and_what_is_there() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let nobody = Client { agent: &agent, user: "" };
    // RFC 8040 appendix B.1.1.
    let meta = nobody.get("/.well-known/host-meta");
    assert_eq!((meta.status, meta.field("content-type")), (200, Some("application/xrd+xml")));
    assert!(meta.body.contains("<Link rel='restconf' href='/restconf'/>"), "{meta:?}");
    let root = ann.get("/restconf").json();
    assert_eq!(root["ietf-restconf:restconf"]["yang-library-version"], "2019-01-04");
    let version = ann.get_xml("/restconf/yang-library-version");
    assert!(version.body.contains(">2019-01-04</yang-library-version>"), "{version:?}");
    // RFC 8040 appendix B.1.2.
    let library = ann.get("/restconf/data/ietf-yang-library:modules-state").json();
    let modules = library["ietf-yang-library:modules-state"]["module"].as_array().unwrap();
    assert!(modules.iter().any(|it| it["name"] == "ietf-interfaces" && it["feature"][0] == "if-mib"));
    // RFC 8040 appendix B.1.3.
    let path = "/restconf/data/ietf-restconf-monitoring:restconf-state/capabilities";
    let capabilities = ann.get(path).json();
    let capabilities =
        capabilities["ietf-restconf-monitoring:capabilities"]["capability"].as_array().unwrap();
    for expected in ["defaults:1.0?basic-mode=explicit", "with-defaults:1.0", "depth:1.0", "fields:1.0"] {
        let expected = format!("urn:ietf:params:restconf:capability:{expected}");
        assert!(capabilities.contains(&expected.clone().into()), "{expected}: {capabilities:?}");
    }
    let index = nobody.get("/");
    assert!(index.body.contains("/restconf"), "{index:?}");
}

#[test]
fn data_is_that_of_netconf_in_both_encodings() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let path = "/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1";
    let row = ann.get(&format!("{path}?fields=ifIndex;ifDescr;ifType;ifName"));
    assert_eq!((row.status, row.field("content-type")), (200, Some("application/yang-data+json")));
    let expected =
        r#"{"IF-MIB:ifEntry":[{"ifIndex":1,"ifDescr":"lo","ifType":"softwareLoopback","ifName":"lo"}]}"#;
    assert_eq!(row.body, expected);
    let leaf = ann.get_xml(&format!("{path}/ifDescr"));
    assert_eq!(leaf.body, "<ifDescr xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\">lo</ifDescr>");
    let of_netconf = client::Client::open(&agent, "ann")
        .get("<IF-MIB><ifTable><ifEntry><ifIndex>1</ifIndex><ifDescr/></ifEntry></ifTable></IF-MIB>");
    assert!(of_netconf.contains("<ifDescr>lo</ifDescr>"), "{of_netconf}");
    let lo = ann.get("/restconf/data/ietf-interfaces:interfaces/interface=lo").json();
    let lo = &lo["ietf-interfaces:interface"][0];
    assert_eq!((&lo["name"], &lo["type"]), (&"lo".into(), &"iana-if-type:softwareLoopback".into()));
    assert!(
        lo["if-index"].is_number() && lo["statistics"]["in-octets"].is_string() && lo["enabled"].is_boolean(),
        "{lo}"
    );
    assert_eq!(lo["ietf-ip:ipv4"]["address"][0]["ip"], "127.0.0.1");
    let address = ann.get(
        "/restconf/data/ietf-interfaces:interfaces/interface=lo/ietf-ip:ipv4/address=127.0.0.1/prefix-length",
    );
    assert_eq!(address.body, r#"{"ietf-ip:prefix-length":8}"#);
    // Everything, in both encodings.
    let all = ann.get("/restconf/data");
    assert_eq!((all.field("transfer-encoding"), all.field("content-length")), (Some("chunked"), None));
    let all = all.json();
    let all = all["ietf-restconf:data"].as_object().unwrap();
    for name in ["IF-MIB:IF-MIB", "ietf-system:system-state", "ietf-netconf-monitoring:netconf-state"] {
        assert!(all.contains_key(name), "{name}");
    }
    let xml = ann.get_xml("/restconf/data").body;
    assert!(
        xml.starts_with("<data xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\"><IF-MIB ")
            || xml.contains("<IF-MIB "),
        "{}",
        &xml[..200]
    );
    assert!(xml.ends_with("</data>"));
}

#[test]
fn queries_select_and_wrong_ones_are_refused() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let data = "/restconf/data";
    assert_eq!(ann.get(&format!("{data}?depth=1")).body, r#"{"ietf-restconf:data":{}}"#);
    let table = ann.get(&format!("{data}/IF-MIB:IF-MIB/ifTable?depth=2")).json();
    assert_eq!(table["IF-MIB:ifTable"]["ifEntry"][0], serde_json::json!({"ifIndex": 1}));
    let interface = format!("{data}/ietf-interfaces:interfaces/interface=lo");
    let state = ann.get(&format!("{interface}?content=nonconfig")).json();
    let state = state["ietf-interfaces:interface"][0].as_object().unwrap().clone();
    assert!(
        state.contains_key("oper-status") && state.contains_key("name") && !state.contains_key("enabled")
    );
    // Nothing is configured.
    assert_eq!(ann.get(&format!("{interface}?content=config")).status, 404);
    assert_eq!(ann.get(&format!("{data}?content=config")).body, r#"{"ietf-restconf:data":{}}"#);
    let fields = ann.get(&format!("{data}?fields=ietf-system:system-state/platform(os-name)")).body;
    assert_eq!(
        fields,
        r#"{"ietf-restconf:data":{"ietf-system:system-state":{"platform":{"os-name":"Linux"}}}}"#
    );
    for (path, status, tag) in [
        ("/restconf/data/ietf-system:nothing", 404, "invalid-value"),
        ("/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=999999", 404, "invalid-value"),
        ("/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry/ifDescr", 400, "invalid-value"),
        ("/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1,2", 400, "invalid-value"),
        ("/restconf/data?depth=0", 400, "invalid-value"),
        ("/restconf/data?odd=1", 400, "invalid-value"),
        ("/restconf/data?filter=a", 400, "invalid-value"),
        ("/restconf/data/%zz", 400, "invalid-value"),
        ("/restconf/nothing", 404, "invalid-value"),
        ("/restconfx", 404, ""),
    ] {
        let answer = ann.get(path);
        assert_eq!(answer.status, status, "{path}: {answer:?}");
        if !tag.is_empty() {
            assert_eq!(answer.error_tag(), tag, "{path}");
        }
    }
    // RFC 8040 section 4.3: XML has one resource.
    let list = ann.get_xml(&format!("{data}/ietf-yang-library:modules-state/module"));
    assert!(list.status == 400 && list.body.contains("<error-tag>invalid-value</error-tag>"), "{list:?}");
    assert!(
        ann.get(&format!("{data}/ietf-yang-library:modules-state/module")).json()["ietf-yang-library:module"]
            .is_array()
    );
    assert_eq!(ann.curl(&["-H", "Accept: text/html"], data).status, 406);
    let error = ann.curl(&["-H", "Accept: application/yang-data+xml"], "/restconf/data/a:b");
    assert!(
        error.body.starts_with("<errors xmlns=\"urn:ietf:params:xml:ns:yang:ietf-restconf\"><error>"),
        "{error:?}"
    );
}

#[test]
fn methods_are_those_that_a_resource_has() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let options = |path: &str| ann.curl(&["-X", "OPTIONS"], path);
    let system = options("/restconf/data/ietf-system:system");
    assert_eq!(
        (system.status, system.field("allow")),
        (204, Some("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"))
    );
    assert!(system.field("accept-patch").unwrap().contains("application/yang-data+json"));
    let state = options("/restconf/data/ietf-system:system-state");
    assert_eq!((state.field("allow"), state.field("accept-patch")), (Some("GET, HEAD, OPTIONS"), None));
    let answer = ann.send("PUT", "/restconf/data/ietf-system:system-state", "{}");
    assert_eq!((answer.status, answer.field("allow")), (405, Some("GET, HEAD, OPTIONS")));
    let shown =
        ann.send("DELETE", "/restconf/data/trunkline-netconf:netconf/network/interfaces/iface=lo", "");
    assert!(
        shown.status == 405 && shown.body.contains("configured in /ietf-interfaces:interfaces"),
        "{shown:?}"
    );
    let head = ann.curl(&["-I"], "/restconf/data/ietf-system:system-state");
    assert!(head.status == 200 && head.body.is_empty() && head.field("content-length").is_some(), "{head:?}");
}

#[test]
fn who_may_not_read_sees_nothing_of_it() {
    let agent = agent("");
    let nobody = Client { agent: &agent, user: "" }.get("/restconf/data");
    assert_eq!((nobody.status, nobody.error_tag()), (401, "access-denied".into()));
    assert!(nobody.field("www-authenticate").unwrap().starts_with("Basic"));
    // bob may read the system group, eve nothing.
    let bob = Client { agent: &agent, user: "bob" };
    assert_eq!(bob.get("/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysName").status, 200);
    let (there, missing) = (
        bob.get("/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=1"),
        bob.get("/restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry=999999"),
    );
    assert_eq!((there.status, &there.body), (404, &missing.body));
    assert_eq!(Client { agent: &agent, user: "eve" }.get("/restconf/data").status, 403);
}

#[test]
fn get_schema_is_an_operation() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let operations = ann.get("/restconf/operations").json();
    assert!(operations["ietf-restconf:operations"]["ietf-netconf-monitoring:get-schema"].is_array());
    let path = "/restconf/operations/ietf-netconf-monitoring:get-schema";
    let schema =
        ann.send("POST", path, r#"{"ietf-netconf-monitoring:input":{"identifier":"IF-MIB"}}"#).json();
    let text = schema["ietf-netconf-monitoring:output"]["data"].as_str().unwrap();
    assert!(text.starts_with("module IF-MIB {"), "{text}");
    let wrong = ann.send("POST", path, r#"{"ietf-netconf-monitoring:input":{"identifier":"NO-MIB"}}"#);
    assert_eq!((wrong.status, wrong.error_tag()), (400, "invalid-value".into()));
    assert_eq!(ann.get(path).status, 405);
}
