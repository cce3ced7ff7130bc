//! GET, HEAD and OPTIONS.

use crate::restconf::ask::{Client, agent};
use crate::restconf::client;
use crate::support::net_snmp;

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

/// RFC 8040 section 5.5: a cache may keep 404 and 405 too, if nothing says that it may not (RFC 9110 section 15.1).
#[test]
fn every_answer_says_that_it_is_not_kept() {
    let agent = agent("");
    let [ann, nobody] = ["ann", ""].map(|user| Client { agent: &agent, user });
    for (client, method, path, status) in [
        (&ann, "GET", "/restconf/data?depth=1", 200),
        (&ann, "GET", "/restconf/data/nope:nope", 404),
        (&ann, "GET", "/restconf/data/ietf-system:nope", 404),
        (&ann, "GET", "/restconf/nope", 404),
        (&ann, "GET", "/restconf/data/ietf-system:system%zz", 400),
        (&ann, "GET", "/restconf/data?odd=1", 400),
        (&ann, "PUT", "/restconf", 405),
        (&ann, "OPTIONS", "/restconf/data", 204),
        (&ann, "POST", "/restconf/operations/ietf-netconf-monitoring:nope", 404),
        (&ann, "DELETE", "/restconf/data/ietf-system:system", 403),
        (&ann, "GET", "/.well-known/host-meta", 200),
        (&ann, "PUT", "/.well-known/host-meta", 405),
        (&ann, "GET", "/devices/nobody/restconf/data", 403),
        (&nobody, "GET", "/restconf/data", 401),
        (&nobody, "GET", "/.well-known/host-meta", 200),
    ] {
        let answer = client.curl(&["-X", method], path);
        assert_eq!(answer.status, status, "{method} {path}: {answer:?}");
        assert_eq!(answer.field("cache-control"), Some("no-cache"), "{method} {path}: {answer:?}");
    }
    let wrong = nobody.curl(&["-H", "Authorization: Basic eDp5"], "/restconf/data");
    assert_eq!((wrong.status, wrong.field("cache-control")), (401, Some("no-cache")));
}

/// RFC 9110 section 8.8.3.3: a tag is of octets.
#[test]
fn a_compressed_body_has_a_tag_of_its_own() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = "/restconf/data/ietf-system:system/contact";
    let put = |condition: &str, letter: &str| {
        let body = format!(r#"{{"ietf-system:contact":"{}"}}"#, letter.repeat(250));
        max.send_with(&["-H", condition], "PUT", contact, &body)
    };
    assert_eq!(put("If-None-Match: *", "a").status, 201);
    let location = format!(r#"{{"ietf-system:location":"{}"}}"#, "b".repeat(250));
    assert_eq!(max.send("PUT", "/restconf/data/ietf-system:system/location", &location).status, 201);
    let system = "/restconf/data/ietf-system:system?content=config";
    let tags = ["identity", "gzip", "deflate"].map(|coding| {
        let accepted = format!("Accept-Encoding: {coding}");
        let answer = max.curl(&["-I", "-H", &accepted], system);
        assert_eq!(answer.field("content-encoding").unwrap_or("identity"), coding);
        let tag = answer.field("etag").unwrap().to_owned();
        let known = max.curl(&["-H", &accepted, "-H", &format!("If-None-Match: {tag}")], system);
        assert_eq!((known.status, known.field("etag")), (304, Some(&tag[..])), "{known:?}");
        let has_vary = known.fields.iter().any(|(name, value)| name == "vary" && value == "accept-encoding");
        assert!(has_vary, "{known:?}");
        tag
    });
    let different: std::collections::BTreeSet<&String> = tags.iter().collect();
    assert_eq!(different.len(), 3, "{tags:?}");
    // Any of them is that of the state that an edit is about.
    for (tag, letter) in tags.iter().zip(["c", "d", "e"]) {
        let body = format!(r#"{{"ietf-system:system":{{"contact":"{letter}"}}}}"#);
        let changed = max.send_with(
            &["-H", &format!("If-Match: {tag}")],
            "PATCH",
            "/restconf/data/ietf-system:system",
            &body,
        );
        assert_eq!(changed.status, 204, "{tag}: {changed:?}");
        let back = format!(r#"{{"ietf-system:contact":"{}"}}"#, "a".repeat(250));
        assert_eq!(max.send("PUT", contact, &back).status, 204);
    }
}

/// Characters that no string of YANG has (RFC 7950 section 14) are U+FFFD in both encodings.
#[test]
fn both_encodings_write_the_same_characters() {
    let agent = agent("[[snmp.community]]\nname = \"rw\"\naccess = \"write\"\n");
    let ann = Client { agent: &agent, user: "ann" };
    let address = agent.udp().to_string();
    // "a", U+0000, U+0001, tab, U+FFFF, "b".
    let set = ["-v2c", "-c", "rw", &address, "1.3.6.1.2.1.1.6.0", "x", "61000109efbfbf62"];
    let Some(output) = net_snmp("snmpset", &set) else { return };
    assert!(output.status.success(), "{output:?}");
    let path = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysLocation";
    assert_eq!(ann.get(path).body, "{\"SNMPv2-MIB:sysLocation\":\"a\u{fffd}\u{fffd}\\t\u{fffd}b\"}");
    let xml = ann.get_xml(path).body;
    assert!(xml.contains(">a\u{fffd}\u{fffd}\t\u{fffd}b<"), "{xml}");
}

/// Keys are unique and have the characters of strings (RFC 7950 sections 7.8.2 and 14): what would look like another entry is left out.
#[test]
fn entries_whose_keys_no_string_has_are_left_out() {
    let agent = agent("[[snmp.community]]\nname = \"rw\"\naccess = \"write\"\n");
    let max = Client { agent: &agent, user: "max" };
    let address = agent.udp().to_string();
    // Two names that differ in what no string has, one that ends in U+FFFD, and one that is not a text.
    for name in ["2.97.1", "2.97.2", "4.97.239.191.189", "2.97.255"] {
        let [text, status] =
            [3, 9].map(|column| format!("1.3.6.1.2.1.90.1.2.1.1.{column}.3.109.97.120.{name}"));
        let set = ["-v2c", "-c", "rw", &address, &text, "s", "1", &status, "i", "4"];
        let Some(output) = net_snmp("snmpset", &set) else { return };
        assert!(output.status.success(), "{output:?}");
    }
    let names = |body: &str| body.matches("\"a\u{fffd}\"").count();
    let table = "/restconf/data/DISMAN-EXPRESSION-MIB:DISMAN-EXPRESSION-MIB/expExpressionTable";
    let delegation = "/restconf/data/trunkline-delegation:delegation";
    for path in [
        table.to_owned(),
        format!("{table}/expExpressionEntry?limit=10&sort-by=expExpression"),
        delegation.to_owned(),
        format!("{delegation}?content=config"),
        format!("{}?content=config", delegation.replace("/data/", "/ds/ietf-datastores:running/")),
        format!("{delegation}/expression?limit=10&sort-by=text"),
    ] {
        let read = max.get(&path);
        assert_eq!((read.status, names(&read.body)), (200, 1), "{path}: {read:?}");
    }
    let one = max.get(&format!("{delegation}/expression=max,a%EF%BF%BD"));
    assert_eq!((one.status, names(&one.body)), (200, 1), "{one:?}");
}

/// RFC 9110 section 13.1.1: also what is only read is not answered if the client wants another state.
#[test]
fn conditions_hold_for_reading_too() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = "/restconf/data/ietf-system:system/contact";
    let created = max.send("PUT", contact, r#"{"ietf-system:contact":"a"}"#);
    let tag = created.field("etag").unwrap().to_owned();
    let state = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysUpTime";
    for (condition, path, status) in [
        (format!("If-Match: {tag}"), contact, 200),
        (format!("If-Match: \"x\", {tag}"), contact, 200),
        ("If-Match: *".to_owned(), contact, 200),
        ("If-Match: \"x\"".to_owned(), contact, 412),
        (format!("If-Match: W/{tag}"), contact, 412),
        // What has no tag has another one.
        ("If-Match: \"x\"".to_owned(), state, 412),
        ("If-Match: *".to_owned(), state, 200),
        ("If-Match: \"x\"".to_owned(), "/restconf/data/ietf-system:system/location", 404),
        ("If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT".to_owned(), contact, 412),
        // It has no time of its last change.
        ("If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT".to_owned(), state, 200),
    ] {
        for method in [&[][..], &["-I"]] {
            let answer = max.curl(&[method, &["-H", &condition]].concat(), path);
            assert_eq!(answer.status, status, "{condition} {path}: {answer:?}");
        }
    }
}

/// What a list as a whole can be asked is what OPTIONS says, and a target has an end (RFC 9110 section 15.5.15).
#[test]
fn a_list_as_a_whole_is_only_read() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let list = "/restconf/data/ietf-interfaces:interfaces/interface";
    assert_eq!(max.curl(&["-X", "OPTIONS"], list).field("allow"), Some("GET, HEAD, OPTIONS"));
    for method in ["POST", "PUT", "PATCH", "DELETE"] {
        let body = if method == "DELETE" { "" } else { r#"{"ietf-interfaces:interface":[]}"# };
        let answer = max.send(method, list, body);
        assert_eq!((answer.status, answer.field("allow")), (405, Some("GET, HEAD, OPTIONS")), "{answer:?}");
        assert!(answer.body.contains("name one entry"), "{answer:?}");
    }
    let entry = max.curl(&["-X", "OPTIONS"], &format!("{list}=lo"));
    assert_eq!(entry.field("allow"), Some("DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT"));
    let long = max.get(&format!("{list}={}", "a".repeat(9000)));
    assert_eq!(long.status, 414, "{long:?}");
}

/// RFC 8040 section 4.8.2: what fields name has the level 1.
#[test]
fn depth_counts_from_what_fields_name() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let data = "/restconf/data";
    for (query, expected) in [
        (
            "ietf-system:system-state?fields=platform/os-name&depth=1",
            r#"{"ietf-system:system-state":{"platform":{"os-name":"Linux"}}}"#,
        ),
        (
            "ietf-system:system-state?fields=platform&depth=1",
            r#"{"ietf-system:system-state":{"platform":{}}}"#,
        ),
        (
            "IF-MIB:IF-MIB?fields=ifTable/ifEntry&depth=1",
            r#"{"IF-MIB:IF-MIB":{"ifTable":{"ifEntry":[{"ifIndex":1}"#,
        ),
        (
            "ietf-interfaces:interfaces/interface=lo?fields=if-index;ietf-ip:ipv4/address&depth=1",
            r#"{"ietf-interfaces:interface":[{"name":"lo","if-index":1,"ietf-ip:ipv4":{"address":[{"ip":"127.0.0.1"}"#,
        ),
        (
            "ietf-interfaces:interfaces/interface=lo?fields=ietf-ip:ipv4/address&depth=2",
            r#"{"ietf-interfaces:interface":[{"name":"lo","ietf-ip:ipv4":{"address":[{"ip":"127.0.0.1","prefix-length":8"#,
        ),
    ] {
        let answer = ann.get(&format!("{data}/{query}"));
        assert!(answer.status == 200 && answer.body.starts_with(expected), "{query}: {answer:?}");
    }
    // The same of pages, where only what is wanted is there.
    let page = ann.get(&format!(
        "{data}/ietf-interfaces:interfaces/interface?fields=statistics&depth=1&where=name=%27lo%27&limit=1"
    ));
    assert!(page.body.ends_with(r#""name":"lo","statistics":{}}]}"#), "{page:?}");
}

/// RFC 8040 section 4.8.3, RFC 6241 sections 6.2.4 and 6.2.5: an entry is there with its keys, whichever of its nodes are selected.
#[test]
fn an_entry_without_what_is_selected_is_there_with_its_keys() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let expressions = "/restconf/data/trunkline-delegation:delegation";
    let of =
        |name: &str, kind: &str| format!(r#"{{"owner":"max","name":"{name}","text":"5","type":"{kind}"}}"#);
    let both = format!(
        r#"{{"trunkline-delegation:delegation":{{"expression":[{},{}]}}}}"#,
        of("a", "integer32"),
        of("b", "counter32")
    );
    assert_eq!(max.send("PUT", expressions, &both).status, 201);
    // Each row has one value, in the column of its type.
    let values = "/restconf/data/DISMAN-EXPRESSION-MIB:DISMAN-EXPRESSION-MIB/expValueTable";
    let key = |name: &str| {
        format!(r#""expExpressionOwner":"max","expExpressionName":"{name}","expValueInstance":"0.0.0""#)
    };
    let counter = r#""expValueCounter32Val":5"#;
    let integer = r#""expValueInteger32Val":5"#;
    for (fields, [a, b]) in [
        ("expExpressionName", ["", ""]),
        ("expValueInteger32Val", [integer, ""]),
        ("expExpressionName;expValueInteger32Val", [integer, ""]),
        ("expValueCounter32Val", ["", counter]),
        ("expValueOidVal", ["", ""]),
    ] {
        let entry = |name: &str, value: &str| match value {
            "" => format!("{{{}}}", key(name)),
            value => format!("{{{},{value}}}", key(name)),
        };
        let found = max.get(&format!("{values}?fields=expValueEntry({fields})")).body;
        let all = format!("[{},{}]", entry("a", a), entry("b", b));
        assert_eq!(
            found,
            format!(r#"{{"DISMAN-EXPRESSION-MIB:expValueTable":{{"expValueEntry":{all}}}}}"#),
            "{fields}"
        );
        let found = max.get(&format!("{values}/expValueEntry=max,b,0.0.0?fields={fields}"));
        assert_eq!(
            found.body,
            format!(r#"{{"DISMAN-EXPRESSION-MIB:expValueEntry":[{}]}}"#, entry("b", b)),
            "{fields}"
        );
        let page = max.get(&format!("{values}/expValueEntry?fields={fields}&offset=1"));
        assert!(page.body.contains(&key("b")) && !page.body.contains(&key("a")), "{page:?}");
    }
    let mut netconf = client::Client::open(&agent, "max");
    let subtree = |within: &str| {
        format!(
            "<DISMAN-EXPRESSION-MIB><expValueTable><expValueEntry>{within}</expValueEntry></expValueTable></DISMAN-EXPRESSION-MIB>"
        )
    };
    for (filter, names) in [
        ("<expValueInteger32Val/>", vec!["a", "b"]),
        ("<expExpressionName/><expValueInteger32Val/>", vec!["a", "b"]),
        ("<expExpressionName>b</expExpressionName><expValueInteger32Val/>", vec!["b"]),
        ("<expValueCounter32Val>5</expValueCounter32Val><expValueInteger32Val/>", vec!["b"]),
        ("<expValueCounter32Val>6</expValueCounter32Val><expValueInteger32Val/>", vec![]),
    ] {
        let found = netconf.get(&subtree(filter));
        let has = |name: &str| found.contains(&format!("<expExpressionName>{name}</expExpressionName>"));
        assert_eq!(
            ["a", "b"].into_iter().filter(|name| has(name)).collect::<Vec<_>>(),
            names,
            "{filter}: {found}"
        );
    }
    // An expression selects nodes: keys of what it does not select are not there (section 8.9).
    for (select, names) in [
        ("//expValueInteger32Val", vec!["a"]),
        ("//expValueEntry/expExpressionName | //expValueEntry/expValueInteger32Val", vec!["a", "b"]),
        ("//expValueEntry[2]/expExpressionName", vec!["b"]),
        ("//expValueEntry[position() = 2]/expValueCounter32Val | //expValueOidVal", vec!["b"]),
    ] {
        let found = netconf.ask(&format!("<get><filter type='xpath' select='{select}'/></get>"));
        let has = |name: &str| found.contains(&format!("<expExpressionName>{name}</expExpressionName>"));
        assert_eq!(
            ["a", "b"].into_iter().filter(|name| has(name)).collect::<Vec<_>>(),
            names,
            "{select}: {found}"
        );
    }
    // The same of lists that the agent makes.
    let interfaces = "/restconf/data/ietf-interfaces:interfaces";
    let found = max.get(&format!("{interfaces}/interface=lo?fields=description")).body;
    assert_eq!(found, r#"{"ietf-interfaces:interface":[{"name":"lo"}]}"#);
}

/// A path that leads nowhere is refused with the step at which it ends, and whether the model ends there.
#[test]
fn what_is_not_there_is_named() {
    let agent = agent("");
    let ann = Client { agent: &agent, user: "ann" };
    let of = |client: &Client<'_>, path: &str| {
        let answer = client.get(&format!("/restconf/data{path}"));
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
        let error = answer.json()["ietf-restconf:errors"]["error"][0].clone();
        assert_eq!(error["error-tag"], "invalid-value");
        (error["error-path"].as_str().map(str::to_owned), error["error-message"].as_str().unwrap().to_owned())
    };
    let interfaces = "/ietf-interfaces:interfaces";
    for (path, at, message) in [
        ("/system", None, "the datastore has no system: with its module it is ietf-system:system"),
        ("/odd:system", None, "no module here has the name odd"),
        ("/ietf-system:odd", None, "the datastore has no ietf-system:odd: the model has no such node"),
        (
            "/ietf-interfaces:interfaces/interface=lo/ipv4",
            Some("/ietf-interfaces:interfaces/interface[name='lo']"),
            "/ietf-interfaces:interfaces/interface=lo has no ipv4: with its module it is ietf-ip:ipv4",
        ),
        (
            "/ietf-interfaces:interfaces/interface=lo/odd/more",
            Some("/ietf-interfaces:interfaces/interface[name='lo']"),
            "/ietf-interfaces:interfaces/interface=lo has no odd: the model has no such node",
        ),
        (
            "/ietf-interfaces:interfaces/interface=no%2F7/statistics/in-octets",
            Some("/ietf-interfaces:interfaces/interface[name='no/7']"),
            "there is no /ietf-interfaces:interfaces/interface=no%2F7 here",
        ),
        (
            "/ietf-interfaces:interfaces/interface=lo/ietf-ip:ipv4/address=192.0.2.1/prefix-length",
            Some("/ietf-interfaces:interfaces/interface[name='lo']/ietf-ip:ipv4/address[ip='192.0.2.1']"),
            "there is no /ietf-interfaces:interfaces/interface=lo/ietf-ip:ipv4/address=192.0.2.1 here",
        ),
        (
            "/IF-MIB:IF-MIB/ifTable/ifEntry=999999/ifDescr",
            Some("/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='999999']"),
            "there is no /IF-MIB:IF-MIB/ifTable/ifEntry=999999 here",
        ),
        ("/IF-MIB:IF-MIB/ifTable/ifEntry=x", None, "there is no such ifEntry: ifIndex cannot be x"),
        (
            "/ietf-system:system/contact?content=config",
            Some("/ietf-system:system"),
            "there is no /ietf-system:system in the configuration",
        ),
    ] {
        assert_eq!(of(&ann, path), (at.map(str::to_owned), message.to_owned()), "{path}");
    }
    // bob may read the system group: of the rest he learns no more than that it is not for him.
    let bob = Client { agent: &agent, user: "bob" };
    for paths in [
        [format!("{interfaces}/interface=lo/statistics"), format!("{interfaces}/interface=no7/statistics")],
        [
            "/IF-MIB:IF-MIB/ifTable/ifEntry=1/ifDescr".into(),
            "/IF-MIB:IF-MIB/ifTable/ifEntry=9999/ifDescr".into(),
        ],
    ] {
        let [one, other] = paths.map(|path| of(&bob, &path));
        assert_eq!(one, other);
    }
    for (path, words) in [
        ("/restconf/operations/odd:odd", "GET /restconf/operations lists"),
        ("/restconf/streams/odd", "/restconf/streams/NETCONF/json"),
        ("/restconf/odd", "below /restconf are data"),
        ("/restconf/ds/ietf-datastores:startup", "there is no datastore ietf-datastores:startup here"),
    ] {
        let answer = ann.get(path);
        assert!(answer.status == 404 && answer.body.contains(words), "{path}: {answer:?}");
    }
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
    // RFC 9110 section 9.3.2: the length of the GET's body, or none.
    for (path, has_length) in [
        ("/restconf", true),
        ("/restconf/data/ietf-yang-library:yang-library/content-id", true),
        ("/restconf/data", false),
        ("/restconf/streams/NETCONF/json", false),
    ] {
        let head = ann.curl(&["-I"], path);
        assert!(head.status == 200 && head.body.is_empty(), "{head:?}");
        let expected = has_length.then(|| ann.get(path).body.len().to_string());
        assert_eq!(head.field("content-length"), expected.as_deref(), "{path}");
    }
    let shown =
        ann.send("DELETE", "/restconf/data/trunkline-netconf:netconf/network/interfaces/iface=lo", "");
    assert!(
        shown.status == 405 && shown.body.contains("configured in /ietf-interfaces:interfaces"),
        "{shown:?}"
    );
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

/// The header that names a role bounds a request as the attribute of `rpc` does.
#[test]
fn a_request_is_on_behalf_of_a_role() {
    let hash = trunkline_transport::ssh::PasswordHash::make(&crate::restconf::client::PASSWORD.into())
        .unwrap()
        .to_phc();
    let mut text = crate::restconf::ask::restconf("[system]\ncontact = \"desk\"\nlocation = \"cellar\"\n");
    text.push_str(&format!(
        "[[role]]\nname = \"senior\"\ninherits = [\"contact\"]\nread = [\"1.3.6.1.2.1.1\"]\n\
         [[snmp.principal]]\nname = \"pat\"\nrole = \"senior\"\npassword-hash = {hash:?}\n"
    ));
    let agent = crate::support::Agent::start(&text);
    let pat = crate::restconf::ask::Client { agent: &agent, user: "pat" };
    let path = "/restconf/data/ietf-system:system";
    let of = |arguments: &[&str]| pat.curl(arguments, path);
    assert!(of(&[]).body.contains("cellar"));
    let bounded = of(&["-H", "Trunkline-Role: contact"]);
    assert!(bounded.body.contains("desk") && !bounded.body.contains("cellar"), "{bounded:?}");
    for (role, status) in [("writer", 403), ("", 403), ("senior", 200)] {
        let answer = of(&["-H", &format!("Trunkline-Role: {role}")]);
        // curl sends a header without a value only with a semicolon.
        let answer = if role.is_empty() { of(&["-H", "Trunkline-Role;"]) } else { answer };
        assert_eq!(answer.status, status, "{role}: {answer:?}");
    }
    // Two of them are not none.
    assert_eq!(of(&["-H", "Trunkline-Role: senior", "-H", "Trunkline-Role: contact"]).status, 400);
    let change =
        ["-X", "PATCH", "-H", "Content-Type: application/yang-data+json", "-H", "Trunkline-Role: senior"];
    let body = "{\"ietf-system:system\":{\"location\":\"roof\"}}";
    assert_eq!(of(&[&change[..], &["-d", body]].concat()).status, 403);
}
