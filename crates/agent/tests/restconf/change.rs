//! POST, PUT, PATCH and DELETE.

use trunkline_transport::ssh::PasswordHash;

use crate::restconf::ask::{Client, agent, restconf};
use crate::restconf::client::{self, PASSWORD};
use crate::support::Agent;

const SYSTEM: &str = "/restconf/data/ietf-system:system";

#[test]
fn resources_are_created_replaced_merged_and_deleted() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = "/restconf/data/ietf-system:system/contact";
    // RFC 8040 appendices B.2.1 and B.2.5.
    let created = max.send("POST", SYSTEM, r#"{"ietf-system:contact":"ann"}"#);
    assert_eq!(created.status, 201, "{created:?}");
    let expected = format!("http://{}{contact}", agent.address("http"));
    assert_eq!(created.field("location"), Some(expected.as_str()));
    let again = max.send("POST", SYSTEM, r#"{"ietf-system:contact":"ann"}"#);
    assert_eq!((again.status, again.error_tag()), (409, "data-exists".into()));
    assert_eq!(max.send("PUT", contact, r#"{"ietf-system:contact":"bob"}"#).status, 204);
    let location = "<location xmlns='urn:ietf:params:xml:ns:yang:ietf-system'>here</location>";
    let put = max.send("PUT", "/restconf/data/ietf-system:system/location", location);
    assert_eq!((put.status, put.field("location")), (201, None), "{put:?}");
    let config = max.get(&format!("{SYSTEM}?content=config"));
    assert_eq!(config.body, r#"{"ietf-system:system":{"contact":"bob","location":"here"}}"#);
    assert_eq!(config.field("etag"), max.curl(&["-I"], SYSTEM).field("etag"));
    // It is the running of NETCONF, and the tree's.
    let mut ann = client::Client::open(&agent, "ann");
    let running = ann.ask("<get-config><source><running/></source></get-config>");
    assert!(running.contains("<contact>bob</contact><location>here</location>"), "{running}");
    let object = max.get("/restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysContact").body;
    assert_eq!(object, r#"{"SNMPv2-MIB:sysContact":"bob"}"#);
    let patched = max.send("PATCH", SYSTEM, r#"{"ietf-system:system":{"contact":"eve"}}"#);
    assert_eq!(patched.status, 204);
    let config = max.get(&format!("{SYSTEM}?content=config")).body;
    assert_eq!(config, r#"{"ietf-system:system":{"contact":"eve","location":"here"}}"#);
    assert_eq!(max.curl(&["-X", "DELETE"], contact).status, 204);
    assert_eq!(max.curl(&["-X", "DELETE"], contact).status, 404);
    assert_eq!(max.send("PATCH", contact, r#"{"ietf-system:contact":"x"}"#).status, 404);
    // The whole datastore.
    let whole = r#"{"ietf-restconf:data":{"ietf-system:system":{"contact":"x"}}}"#;
    assert_eq!(max.send("PUT", "/restconf/data", whole).status, 204);
    assert_eq!(max.get("/restconf/data?content=config").body, whole);
}

#[test]
fn what_is_wrong_is_refused_and_changes_nothing() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let interfaces = "/restconf/data/ietf-interfaces:interfaces";
    for (method, path, body, status, tag) in [
        ("PUT", SYSTEM, "{\"ietf-system:system\":{\"contact\":1}}", 400, "invalid-value"),
        ("PUT", SYSTEM, "{\"ietf-system:system\":{\"nothing\":1}}", 400, "unknown-element"),
        ("PUT", SYSTEM, "{", 400, "invalid-value"),
        ("PUT", SYSTEM, "<system", 400, "malformed-message"),
        ("PUT", &format!("{SYSTEM}/hostname"), "{\"ietf-system:hostname\":\"a b\"}", 400, "invalid-value"),
        // No interface can have this name.
        (
            "POST",
            interfaces,
            "{\"ietf-interfaces:interface\":[{\"name\":\"no:7\",\"type\":\"iana-if-type:other\"}]}",
            400,
            "invalid-value",
        ),
        ("POST", interfaces, "{\"ietf-interfaces:interface\":[{\"name\":\"lo\"}]}", 409, "data-missing"),
        (
            "POST",
            &format!("{interfaces}/interface=no7"),
            "{\"ietf-interfaces:enabled\":true}",
            404,
            "invalid-value",
        ),
        ("PUT", &format!("{SYSTEM}?insert=first"), "{}", 400, "invalid-value"),
        ("DELETE", "/restconf/data", "", 405, "operation-not-supported"),
        ("DELETE", SYSTEM, "", 404, "invalid-value"),
        (
            "PUT",
            &format!("{SYSTEM}/contact?insert=first"),
            "{\"ietf-system:contact\":\"a\"}",
            400,
            "invalid-value",
        ),
        ("PATCH", &format!("{SYSTEM}?insert=first"), "{}", 400, "invalid-value"),
        ("DELETE", &format!("{SYSTEM}?point=/a"), "", 400, "invalid-value"),
    ] {
        let answer = max.send(method, path, body);
        assert_eq!(
            (answer.status, answer.error_tag().as_str()),
            (status, tag),
            "{method} {path} {body}: {answer:?}"
        );
    }
    let answer = max.curl(&["-X", "PUT", "-H", "Content-Type: application/json", "-d", "{}"], SYSTEM);
    assert_eq!(answer.status, 415);
    let answer = max.curl(&["-X", "PATCH", "-H", "Content-Type: text/plain", "-d", "{}"], SYSTEM);
    assert!(answer.status == 415 && answer.field("accept-patch").is_some(), "{answer:?}");
    assert_eq!(max.get("/restconf/data?content=config").body, r#"{"ietf-restconf:data":{}}"#);
}

const BGP: &str = "/restconf/data/trunkline-bgp:bgp";

/// An agent whose BGP is applied by a program that does nothing, with one policy and one neighbor.
fn with_bgp() -> Agent {
    let hook = "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/bin/sh\", \"-c\", \"cat > /dev/null\"]\n";
    let agent = Agent::start(&(restconf("") + hook));
    let body = r#"{"trunkline-bgp:bgp":{"global":{"as":65001},"policies":{"policy":[{"name":"b","statement":[{"name":"b"}]},{"name":"c","statement":[{"name":"x"}]}]},"neighbors":{"neighbor":[{"remote-address":"192.0.2.2","peer-as":65002,"apply-policy":{"import-policy":["b"]}}]}}}"#;
    let created = Client { agent: &agent, user: "max" }.send("POST", "/restconf/data", body);
    assert_eq!(created.status, 201, "{created:?}");
    agent
}

/// RFC 8040 appendices B.3.4 and B.3.5.
#[test]
fn entries_go_where_insert_and_point_say() {
    let agent = with_bgp();
    let max = Client { agent: &agent, user: "max" };
    let policy = format!("{BGP}/policies/policy=b");
    let statement = |name: &str| format!("{{\"trunkline-bgp:statement\":[{{\"name\":\"{name}\"}}]}}");
    let point = "point=%2Ftrunkline-bgp%3Abgp%2Fpolicies%2Fpolicy%3Db%2Fstatement%3Db";
    let first = max.send("POST", &format!("{policy}?insert=first"), &statement("a"));
    assert_eq!(first.status, 201, "{first:?}");
    assert!(first.field("location").unwrap().ends_with("/policy=b/statement=a"), "{first:?}");
    assert_eq!(max.send("POST", &format!("{policy}?insert=after&{point}"), &statement("d")).status, 201);
    assert_eq!(max.send("POST", &format!("{policy}?insert=before&{point}"), &statement("c")).status, 201);
    let moved = max.send("PUT", &format!("{policy}/statement=a?insert=after&{point}"), &statement("a"));
    assert_eq!(moved.status, 204, "{moved:?}");
    let shown = max.get(&format!("{policy}?fields=statement/name")).json();
    let names = shown["trunkline-bgp:policy"][0]["statement"].as_array().unwrap();
    let names: Vec<&str> = names.iter().map(|it| it["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["c", "b", "a", "d"]);
    let none = max.send("POST", &format!("{policy}?insert=after&{point}x"), &statement("e"));
    assert_eq!((none.status, none.error_tag()), (400, "bad-attribute".into()), "{none:?}");
    assert_eq!(none.json()["ietf-restconf:errors"]["error"][0]["error-app-tag"], "missing-instance");
    let other = max.send(
        "POST",
        &format!("{policy}?insert=after&{}", point.replace("policy%3Db", "policy%3Dc")),
        &statement("e"),
    );
    assert_eq!((other.status, other.error_tag()), (400, "invalid-value".into()), "{other:?}");
}

#[test]
fn a_value_of_a_leaf_list_is_a_resource() {
    let agent = with_bgp();
    let max = Client { agent: &agent, user: "max" };
    let policies = format!("{BGP}/neighbors/neighbor=192.0.2.2/apply-policy");
    let value = |name: &str| format!("{{\"trunkline-bgp:import-policy\":[\"{name}\"]}}");
    let created = max.send("POST", &format!("{policies}?insert=first"), &value("c"));
    assert_eq!(created.status, 201, "{created:?}");
    assert!(
        created.field("location").unwrap().ends_with("/import-policy=c") && created.field("etag").is_some()
    );
    assert_eq!(max.get(&policies).body, r#"{"trunkline-bgp:apply-policy":{"import-policy":["c","b"]}}"#);
    assert_eq!(max.send("PUT", &format!("{policies}/import-policy=b"), &value("b")).status, 204);
    assert_eq!(max.send("PUT", &format!("{policies}/import-policy=b"), &value("c")).status, 400);
    assert_eq!(max.curl(&["-X", "DELETE"], &format!("{policies}/import-policy")).status, 405);
    assert_eq!(max.curl(&["-X", "DELETE"], &format!("{policies}/import-policy=c")).status, 204);
    assert_eq!(max.curl(&["-X", "DELETE"], &format!("{policies}/import-policy=c")).status, 404);
    assert_eq!(max.get(&policies).body, r#"{"trunkline-bgp:apply-policy":{"import-policy":["b"]}}"#);
}

/// What an edit would make of the configuration is refused with the error that says so, and what is not there with 404.
#[test]
fn what_must_be_there_is_not_deleted() {
    let agent = with_bgp();
    let max = Client { agent: &agent, user: "max" };
    let peer = format!("{BGP}/neighbors/neighbor=192.0.2.2");
    for (path, status, tag, at) in [
        (
            format!("{peer}/peer-as"),
            409,
            "data-missing",
            "/trunkline-bgp:bgp/neighbors/neighbor[remote-address='192.0.2.2']/peer-as",
        ),
        (format!("{BGP}/global/as"), 409, "data-missing", "/trunkline-bgp:bgp/global/as"),
        (
            format!("{peer}/description"),
            404,
            "invalid-value",
            "/trunkline-bgp:bgp/neighbors/neighbor[remote-address='192.0.2.2']/description",
        ),
        (
            format!("{BGP}/neighbors/neighbor=192.0.2.9/timers/keepalive"),
            404,
            "invalid-value",
            "/trunkline-bgp:bgp/neighbors/neighbor[remote-address='192.0.2.9']",
        ),
        (
            format!("{peer}/timers"),
            404,
            "invalid-value",
            "/trunkline-bgp:bgp/neighbors/neighbor[remote-address='192.0.2.2']/timers",
        ),
    ] {
        let answer = max.curl(&["-X", "DELETE"], &path);
        assert_eq!((answer.status, answer.error_tag().as_str()), (status, tag), "{path}: {answer:?}");
        assert_eq!(answer.json()["ietf-restconf:errors"]["error"][0]["error-path"], at, "{answer:?}");
    }
}

#[test]
fn rights_are_those_of_netconf() {
    let agent = agent("");
    let body = r#"{"ietf-system:location":"x"}"#;
    let location = format!("{SYSTEM}/location");
    for (user, status) in [("", 401), ("eve", 403), ("ann", 403), ("tom", 403), ("max", 201)] {
        let client = Client { agent: &agent, user };
        let answer = client.send("PUT", &location, body);
        assert_eq!(answer.status, status, "{user}: {answer:?}");
        if status != 201 {
            assert_eq!(answer.error_tag(), "access-denied");
        }
    }
    let tom = Client { agent: &agent, user: "tom" };
    assert_eq!(tom.send("PUT", &format!("{SYSTEM}/contact"), r#"{"ietf-system:contact":"tom"}"#).status, 201);
    // He does not see what he may not read, and its tag says nothing of it.
    assert_eq!(
        tom.get(&format!("{SYSTEM}?content=config")).body,
        r#"{"ietf-system:system":{"contact":"tom"}}"#
    );
    let tag = tom.curl(&["-I"], SYSTEM).field("etag").unwrap().to_owned();
    let max = Client { agent: &agent, user: "max" };
    assert_eq!(max.send("PUT", &location, r#"{"ietf-system:location":"y"}"#).status, 204);
    assert_eq!(tom.curl(&["-I"], SYSTEM).field("etag"), Some(tag.as_str()));
    // A refusal is the same whether it is there or not.
    let there = tom.curl(&["-X", "DELETE"], &location);
    let missing = tom.curl(&["-X", "DELETE"], &format!("{SYSTEM}/hostname"));
    assert_eq!((there.status, there.body), (403, missing.body.replace("hostname", "location")));
}

/// RFC 8341 section 3.2.4: what is there is not created again, and who may write it and not read it does not learn of it, as over NETCONF.
#[test]
fn what_is_hidden_is_not_created_again() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = agent(&format!(
        "[[role]]\nname = \"blind\"\nwrite = [\"1.3.6.1.2.1.90\", \"1.3.6.1.2.1.1.4\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    ));
    let [max, kim] = ["max", "kim"].map(|user| Client { agent: &agent, user });
    let list = "/restconf/data/trunkline-delegation:delegation";
    let entry = |name: &str, text: &str| {
        format!(
            r#"{{"trunkline-delegation:expression":[{{"owner":"max","name":"{name}","text":"{text}"}}]}}"#
        )
    };
    let path = |name: &str| format!("{list}/expression=max,{name}");
    let contact = format!("{SYSTEM}/contact");
    assert_eq!(max.send("POST", list, &entry("keep", "40+2")).status, 201);
    assert_eq!(max.send("PUT", &contact, r#"{"ietf-system:contact":"one"}"#).status, 201);
    let new: &[&str] = &["-H", "If-None-Match: *"];
    let patch = |name: &str| {
        let value = entry(name, "1");
        format!(
            r#"{{"ietf-yang-patch:yang-patch":{{"patch-id":"p","edit":[{{"edit-id":"e","operation":"create","target":"/expression=max,{name}","value":{value}}}]}}}}"#
        )
    };
    let attempts = |name: &str| {
        let of_patch: &[&str] = &["-X", "PATCH", "-H", "Content-Type: application/yang-patch+json"];
        let patched = kim.curl(&[of_patch, &["--data-binary", &patch(name)]].concat(), list);
        [
            kim.send("POST", list, &entry(name, "1")),
            kim.send_with(new, "PUT", &path(name), &entry(name, "1")),
            patched,
        ]
    };
    for (there, missing) in attempts("keep").into_iter().zip(attempts("none")) {
        assert!(there.status == 403 && there.body.contains("access-denied"), "{there:?}");
        assert_eq!((there.status, there.body), (missing.status, missing.body.replace("none", "keep")));
    }
    let leaf = kim.send_with(new, "PUT", &contact, r#"{"ietf-system:contact":"two"}"#);
    assert_eq!((leaf.status, leaf.error_tag().as_str()), (403, "access-denied"), "{leaf:?}");
    assert_eq!(max.get(&contact).body, r#"{"ietf-system:contact":"one"}"#);
    let kept = max.get(&format!("{}?content=config", path("keep")));
    assert!(kept.body.contains("40+2"), "{kept:?}");
    // A secret is there, and nobody reads it.
    let snmp = "/restconf/data/ietf-snmp:snmp";
    let community = r#"{"ietf-snmp:community":[{"index":"a","text-name":"quiet","security-name":"quiet"}]}"#;
    assert_eq!(max.send("POST", snmp, community).status, 201);
    let name = format!("{snmp}/community=a/text-name");
    let again = max.send_with(new, "PUT", &name, r#"{"ietf-snmp:text-name":"loud"}"#);
    assert_eq!((again.status, again.error_tag().as_str()), (409, "data-exists"), "{again:?}");
    // A replacement says nothing of what was there.
    assert!(kim.send("PUT", &contact, r#"{"ietf-system:contact":"two"}"#).status < 300);
}

#[test]
fn a_lock_of_netconf_holds_off_edits() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let mut session = client::Client::open(&agent, "max");
    assert_eq!(session.ask("<lock><target><running/></target></lock>"), "<ok/>");
    // RFC 8040 section 1.4.
    let held = max.send("PUT", &format!("{SYSTEM}/contact"), r#"{"ietf-system:contact":"a"}"#);
    assert_eq!((held.status, held.error_tag()), (409, "in-use".into()));
    assert_eq!(session.ask("<unlock><target><running/></target></unlock>"), "<ok/>");
    assert_eq!(max.send("PUT", &format!("{SYSTEM}/contact"), r#"{"ietf-system:contact":"a"}"#).status, 201);
}

#[test]
fn conditions_decide_whether_an_edit_is_made() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = format!("{SYSTEM}/contact");
    let put = |condition: &str, value: &str| {
        let body = format!("{{\"ietf-system:contact\":\"{value}\"}}");
        max.send_with(&["-H", condition], "PUT", &contact, &body)
    };
    assert_eq!(put("If-Match: *", "a").status, 412);
    let created = put("If-None-Match: *", "a");
    assert_eq!(created.status, 201, "{created:?}");
    assert_eq!(put("If-None-Match: *", "b").status, 412);
    let tag = created.field("etag").unwrap().to_owned();
    let shown = max.get(&format!("{contact}?content=config"));
    assert_eq!((shown.field("etag"), shown.field("last-modified").is_some()), (Some(tag.as_str()), true));
    let unchanged = max.curl(&["-H", &format!("If-None-Match: {tag}")], &format!("{contact}?content=config"));
    assert_eq!((unchanged.status, unchanged.body.as_str()), (304, ""));
    // RFC 8040 appendix B.2.4.
    let changed = put(&format!("If-Match: {tag}"), "b");
    assert_eq!(changed.status, 204);
    assert_ne!(changed.field("etag"), Some(tag.as_str()));
    let late = put(&format!("If-Match: {tag}"), "c");
    assert_eq!((late.status, late.error_tag()), (412, "operation-failed".into()));
    assert_eq!(put("If-Unmodified-Since: Wed, 21 Oct 2015 07:28:00 GMT", "c").status, 412);
    assert_eq!(max.get(&contact).body, r#"{"ietf-system:contact":"b"}"#);
}

#[test]
fn an_edit_confirms_a_commit_unless_that_needs_its_name() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = format!("{SYSTEM}/contact");
    let put = |value: &str| max.send("PUT", &contact, &format!("{{\"ietf-system:contact\":\"{value}\"}}"));
    let edit = "<edit-config><target><candidate/></target><config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'>\
                <location>x</location></system></config></edit-config>";
    let mut session = client::Client::open(&agent, "max");
    assert_eq!(session.ask(edit), "<ok/>");
    // RFC 8040 section 1.4.
    assert_eq!(session.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(put("a").status, 201);
    assert!(session.ask("<cancel-commit/>").contains("<error-tag>invalid-value</error-tag>"));
    assert_eq!(session.ask("<commit><confirmed/><persist>n</persist></commit>"), "<ok/>");
    let held = put("b");
    assert_eq!((held.status, held.error_tag()), (409, "in-use".into()));
    assert_eq!(session.ask("<commit><persist-id>n</persist-id></commit>"), "<ok/>");
    assert_eq!(put("c").status, 204);
    // What a session holds is free once it has its answer.
    assert_eq!(session.ask("<lock><target><running/></target></lock>"), "<ok/>");
    assert_eq!(session.ask("<close-session/>"), "<ok/>");
    assert_eq!(put("d").status, 204);
}

#[test]
fn an_edit_does_not_tell_the_value_of_what_may_not_be_read() {
    let agent = agent("");
    let (max, tom) = (Client { agent: &agent, user: "max" }, Client { agent: &agent, user: "tom" });
    let location = |value: &str| format!("{{\"ietf-system:system\":{{\"location\":\"{value}\"}}}}");
    assert_eq!(max.send("PATCH", SYSTEM, &location("here")).status, 204);
    let guesses = ["here", "there"].map(|value| tom.send("PATCH", SYSTEM, &location(value)));
    assert_eq!((guesses[0].status, &guesses[0].body), (403, &guesses[1].body));
    let replaced = tom.send("PUT", SYSTEM, r#"{"ietf-system:system":{}}"#);
    assert!(replaced.status == 403 && !replaced.body.contains("location"), "{replaced:?}");
}

#[test]
fn identities_are_keys_and_strings_have_characters_of_yang() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let protocols = "/restconf/data/ietf-routing:routing/control-plane-protocols";
    let entry = r#"{"ietf-routing:control-plane-protocol":[{"type":"ietf-routing:static","name":"n"}]}"#;
    let created = max.send("POST", protocols, entry);
    assert_eq!(created.status, 201, "{created:?}");
    for key in ["static", "ietf-routing:static"] {
        let replaced = max.send("PUT", &format!("{protocols}/control-plane-protocol={key},n"), entry);
        assert_eq!(replaced.status, 204, "{key}: {replaced:?}");
    }
    let odd = max.send("PUT", &format!("{SYSTEM}/contact"), r#"{"ietf-system:contact":"a\u0007b"}"#);
    assert_eq!((odd.status, odd.error_tag()), (400, "invalid-value".into()));
}

#[test]
fn a_weak_tag_is_not_a_match_and_each_encoding_has_its_own() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = format!("{SYSTEM}/contact");
    let put = |condition: &str, value: &str| {
        let body = format!("{{\"ietf-system:contact\":\"{value}\"}}");
        max.send_with(&["-H", condition], "PUT", &contact, &body)
    };
    let json = put("If-None-Match: *", "a").field("etag").unwrap().to_owned();
    let config = format!("{contact}?content=config");
    let xml = max.get_xml(&config).field("etag").unwrap().to_owned();
    assert_ne!(json, xml);
    // RFC 9110 section 13.1.1.
    assert_eq!(put(&format!("If-Match: W/{json}"), "b").status, 412);
    assert_eq!(put(&format!("If-None-Match: W/{json}"), "b").status, 412);
    let unless = |tag: &str| max.curl(&["-H", &format!("If-None-Match: {tag}")], &config).status;
    assert_eq!((unless(&json), unless(&format!("W/{json}")), unless(&xml)), (304, 304, 200));
    // An edit is of the resource, whatever it was read as.
    assert_eq!(put(&format!("If-Match: {xml}"), "b").status, 204);
}

#[test]
fn a_child_is_created_in_a_container_that_is_empty() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let protocols = "/restconf/data/ietf-routing:routing/control-plane-protocols";
    let entry = r#"{"ietf-routing:control-plane-protocol":[{"type":"ietf-routing:static","name":"n"}]}"#;
    assert_eq!(max.send("POST", protocols, entry).status, 201);
    let route = r#"{"ietf-ipv4-unicast-routing:route":[{"destination-prefix":"198.51.100.0/24","description":"x","next-hop":{"special-next-hop":"blackhole"}}]}"#;
    let static_routes = format!("{protocols}/control-plane-protocol=ietf-routing:static,n/static-routes");
    let created = max.send("POST", &format!("{static_routes}/ietf-ipv4-unicast-routing:ipv4"), route);
    // Without the right to change routes the kernel refuses.
    assert_ne!(created.status, 404, "{created:?}");
    // With it the route is there, and is not to stay on this machine.
    let entry = format!("{protocols}/control-plane-protocol=ietf-routing:static,n");
    let removed = max.send("DELETE", &entry, "");
    assert_eq!(removed.status, 204, "{removed:?}");
    let missing =
        max.send("POST", &static_routes.replace(",n/", ",m/"), "{\"ietf-ipv4-unicast-routing:ipv4\":{}}");
    assert_eq!(missing.status, 404);
}

#[test]
fn refusals_say_what_to_do() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let interfaces = "/restconf/data/ietf-interfaces:interfaces";
    let two = r#"{"ietf-interfaces:interface":[{"name":"a"},{"name":"b"}]}"#;
    let module = r#"{"ietf-interfaces:interface":[{"name":"lo","type":"odd:other"}]}"#;
    let no_module = r#"{"ietf-interfaces:interface":[{"name":"lo","type":"softwareLoopback"}]}"#;
    let name = r#"{"ietf-interfaces:name":"lo"}"#;
    for (method, path, body, words) in [
        ("POST", interfaces, two, "must have one element, found 2"),
        ("POST", interfaces, module, "there is no module odd here"),
        ("POST", interfaces, no_module, "in JSON with the name of the module"),
        ("PUT", &format!("{interfaces}/interface=lo/name"), name, "is a key of its entry"),
        ("DELETE", &format!("{interfaces}/interface=lo/name"), "", "is a key of its entry"),
        (
            "DELETE",
            &format!("{interfaces}/interface=lo,x"),
            "",
            "an entry of interface has 1 key (name), found 2",
        ),
        ("PUT", SYSTEM, " ", "a body is missing"),
    ] {
        let answer = max.send(method, path, body);
        assert!(answer.status == 400 && answer.body.contains(words), "{method} {path}: {answer:?}");
    }
    let events = "/restconf/streams/NETCONF/json";
    for (query, words) in [
        ("stop-time=2026-01-01T00:00:00Z", "stop-time needs start-time"),
        ("start-time=2126-01-01T00:00:00Z", "a replay begins in the past"),
        ("start-time=now", "start-time must be a time such as"),
    ] {
        let answer = max.get(&format!("{events}?{query}"));
        assert!(answer.status == 400 && answer.body.contains(words), "{query}: {answer:?}");
    }
}

#[test]
fn refusals_before_the_door_are_errors_in_the_accepted_encoding() {
    let agent = agent("");
    let nobody = Client { agent: &agent, user: "" };
    for (arguments, status, tag) in [
        (&["-u", "max:wrong"][..], 401, "access-denied"),
        (&["-H", "Authorization: Odd x"], 401, "access-denied"),
        (&["-H", "Authorization: Basic YTpi", "-H", "Authorization: Basic YTpi"], 400, "invalid-value"),
        (&["-H", "Host: evil.example"], 421, "invalid-value"),
    ] {
        for encoding in ["json", "xml"] {
            let media_type = format!("application/yang-data+{encoding}");
            let accept = format!("Accept: {media_type}");
            let answer = nobody.curl(&[arguments, &["-H", &accept]].concat(), SYSTEM);
            assert_eq!((answer.status, answer.error_tag().as_str()), (status, tag), "{answer:?}");
            assert_eq!(answer.field("content-type"), Some(media_type.as_str()));
            assert_eq!(answer.field("www-authenticate").is_some(), status == 401, "{answer:?}");
        }
    }
}

#[test]
fn a_key_of_a_body_that_cannot_be_is_not_a_missing_resource() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let entry = r#"{"ietf-interfaces:interface":[{"name":"lo","type":"iana-if-type:softwareLoopback"}]}"#;
    assert_eq!(max.send("PUT", "/restconf/data/ietf-interfaces:interfaces/interface=lo", entry).status, 201);
    let addresses = "/restconf/data/ietf-interfaces:interfaces/interface=lo/ietf-ip:ipv4";
    let address = r#"{"ietf-ip:address":[{"ip":"300.1.1.1","prefix-length":24}]}"#;
    let answer = max.send("POST", addresses, address);
    assert_eq!((answer.status, answer.error_tag().as_str()), (400, "invalid-value"), "{answer:?}");
}
