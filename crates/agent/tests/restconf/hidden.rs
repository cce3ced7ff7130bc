//! What somebody may write and not read: no answer tells what it is, or whether it is there.

use trunkline_transport::ssh::PasswordHash;

use crate::restconf::ask::{Client, agent};
use crate::restconf::client::{self, PASSWORD};

const SNMP: &str = "/restconf/data/ietf-snmp:snmp";
const SECRET: &str = "ietf-snmp:snmp/community=a/text-name";

fn named(name: &str) -> String {
    format!("{{\"ietf-snmp:text-name\":{name:?}}}")
}

fn with_community(max: &Client<'_>) {
    let community = r#"{"ietf-snmp:community":[{"index":"a","text-name":"quiet","security-name":"quiet"}]}"#;
    assert_eq!(max.send("POST", SNMP, community).status, 201);
}

fn tag(client: &Client<'_>, path: &str) -> String {
    let answer = client.curl(&["-I"], path);
    assert_eq!(answer.status, 404);
    answer.field("etag").unwrap().to_owned()
}

/// Who may set a secret sets guesses in the candidate, where nobody notices: the tags are others whether they are right or wrong.
#[test]
fn the_tag_of_a_secret_does_not_tell_whether_a_guess_is_right() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    with_community(&max);
    let (running, candidate) =
        (format!("/restconf/data/{SECRET}"), format!("/restconf/ds/ietf-datastores:candidate/{SECRET}"));
    let (known, mut seen) = (tag(&max, &running), vec![tag(&max, &running), tag(&max, &candidate)]);
    for guess in ["loud", "quiet", "quiet", "loud"] {
        assert!(max.send("PUT", &candidate, &named(guess)).status < 300);
        let now = tag(&max, &candidate);
        assert!(!seen.contains(&now), "{guess}");
        assert_eq!(tag(&max, &candidate), now, "nothing was written");
        seen.push(now);
    }
    assert!(max.send("DELETE", &candidate.replace("/text-name", ""), "").status < 300);
    assert!(!seen.contains(&tag(&max, &candidate)));
    assert_eq!(client::Client::open(&agent, "max").ask("<discard-changes/>"), "<ok/>");
    assert!(!seen.contains(&tag(&max, &candidate)), "it is as running again");
    // Nothing of that has touched running. Whoever was faster there is noticed, even with the same value.
    assert_eq!(tag(&max, &running), known);
    let put = |fields: &[&str]| max.send_with(fields, "PUT", &running, &named("quiet"));
    let (is_it, is_not) = (format!("If-Match: {known}"), format!("If-None-Match: {known}"));
    assert_eq!(put(&["-H", &is_not]).status, 412);
    assert_eq!(put(&["-H", &is_it]).status, 201);
    let late = put(&["-H", &is_it]);
    assert!(late.status == 412 && late.body.contains("read it again"), "{late:?}");
    assert_eq!(put(&["-H", &is_not]).status, 201);
}

#[test]
fn a_guard_is_not_lost_in_a_list_or_in_two_lines() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let contact = "/restconf/data/ietf-system:system/contact";
    let put = |fields: &[&str]| {
        let fields: Vec<&str> = fields.iter().flat_map(|field| ["-H", field]).collect();
        max.send_with(&fields, "PUT", contact, r#"{"ietf-system:contact":"b"}"#)
    };
    assert_eq!(max.send("PUT", contact, r#"{"ietf-system:contact":"a"}"#).status, 201);
    for fields in [
        &["If-None-Match: *", "If-None-Match: *"][..],
        &["If-None-Match: *", "If-None-Match: \"b\""],
        &["If-None-Match: *, *"],
        &["If-None-Match: \"b\", *"],
        &["If-None-Match: \"b\",*,\"c\""],
    ] {
        assert_eq!(put(fields).status, 412, "{fields:?}");
    }
    for fields in [
        &[
            "If-Unmodified-Since: Mon, 01 Jan 2001 00:00:00 GMT",
            "If-Unmodified-Since: Mon, 01 Jan 2029 00:00:00 GMT",
        ][..],
        &[
            "If-Modified-Since: Mon, 01 Jan 2001 00:00:00 GMT",
            "If-Modified-Since: Mon, 01 Jan 2029 00:00:00 GMT",
        ],
        &["If-Match: \"\u{e9}\""],
    ] {
        let refused = put(fields);
        assert!(refused.status == 400 && refused.body.contains("given once"), "{fields:?} {refused:?}");
    }
    assert_eq!(max.get(contact).body, r#"{"ietf-system:contact":"a"}"#);
    assert_eq!(put(&["If-None-Match: \"b,*,c\""]).status, 204, "a tag with a star in it");
}

/// Who may write communities and targets and not read them gets one answer, whether the entry is there or not.
#[test]
fn an_edit_of_a_patch_does_not_tell_whether_an_entry_is_there() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = agent(&format!(
        "[[role]]\nname = \"blind\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"1.3.6.1.6.3\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    ));
    let [max, kim] = ["max", "kim"].map(|user| Client { agent: &agent, user });
    with_community(&max);
    let target = r#"{"ietf-snmp:snmp":{"target-params":[{"name":"p","v2c":{"security-name":"quiet"}}],
        "target":[{"name":"a","udp":{"ip":"192.0.2.1","port":162},"target-params":"p"}]}}"#;
    let made = max.send("PATCH", SNMP, target);
    assert_eq!(made.status, 204, "{made:?}");
    let patch = |client: &Client<'_>, operation: &str, target: &str, value: &str| {
        let value = if value.is_empty() { String::new() } else { format!(",\"value\":{value}") };
        let body = format!(
            "{{\"ietf-yang-patch:yang-patch\":{{\"patch-id\":\"p\",\"edit\":[{{\"edit-id\":\"e\",\"operation\":{operation:?},\"target\":{target:?}{value}}}]}}}}"
        );
        let fields =
            ["-X", "PATCH", "-H", "Content-Type: application/yang-patch+json", "--data-binary", &body];
        client.curl(&fields, SNMP)
    };
    let security = r#"{"ietf-snmp:security-name":"quiet"}"#;
    let name = named("quiet");
    for (operation, target, value) in [
        ("remove", "/community=a/text-name", ""),
        ("delete", "/community=a/text-name", ""),
        ("merge", "/community=a/text-name", &name),
        ("replace", "/community=a/text-name", &name),
        ("create", "/community=a/text-name", &name),
        ("merge", "/community=a/security-name", security),
        ("replace", "/community=a/security-name", security),
        ("remove", "/community=a/security-name", ""),
        ("remove", "/target=a/udp/ip", ""),
        ("remove", "/target=a/udp", ""),
        ("delete", "/target=a/udp/ip", ""),
    ] {
        let there = patch(&kim, operation, target, value);
        let missing = patch(&kim, operation, &target.replace("=a", "=zz"), value);
        assert!(there.status >= 400, "{operation} {target} {there:?}");
        assert_eq!(
            (there.status, there.body),
            (missing.status, missing.body.replace("=zz", "=a").replace("'zz'", "'a'"))
        );
    }
    // Who may read the entry learns that the secret stays, whether there is one or not.
    for operation in ["remove", "delete"] {
        for leaf in ["text-name", "binary-name"] {
            let kept = patch(&max, operation, &format!("/community=a/{leaf}"), "");
            assert!(kept.status == 501 && kept.body.contains("is secret"), "{operation} {leaf} {kept:?}");
        }
    }
    assert!(max.get(SNMP).body.contains("192.0.2.1"));
}

/// A right guess changes nothing: it is refused as a wrong one is.
#[test]
fn who_may_not_set_a_secret_does_not_learn_that_a_guess_is_right() {
    let agent = {
        let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        agent(&format!(
            "[[role]]\nname = \"half\"\nread = [\"1\"]\nwrite = [\"1.3.6.1.2.1.1\"]\n\
             [[snmp.principal]]\nname = \"lou\"\nrole = \"half\"\npassword-hash = {hash:?}\n"
        ))
    };
    let [max, lou] = ["max", "lou"].map(|user| Client { agent: &agent, user });
    with_community(&max);
    for store in ["data", "ds/ietf-datastores:candidate"] {
        let guess = |name: &str| lou.send("PUT", &format!("/restconf/{store}/{SECRET}"), &named(name));
        let (right, wrong) = (guess("quiet"), guess("loud"));
        assert_eq!((right.status, right.body), (403, wrong.body), "{store}");
    }
}

/// Who may write targets and not read them changes the case of one by giving all of it; a leaf of it alone would tell whether it is there.
#[test]
fn the_case_of_a_target_that_is_not_read_is_changed_with_all_of_it() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = agent(&format!(
        "[[role]]\nname = \"blind\"\nread = [\"1.3.6.1.2.1.1\"]\nwrite = [\"1.3.6.1.6.3\", \"1.3.6.1.2.1.198\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    ));
    let [max, kim] = ["max", "kim"].map(|user| Client { agent: &agent, user });
    let target =
        |case: &str| format!("{{\"ietf-snmp:target\":[{{\"name\":\"a\",{case},\"target-params\":\"p\"}}]}}");
    let udp = target("\"udp\":{\"ip\":\"192.0.2.1\",\"port\":162}");
    let params = r#"{"ietf-snmp:snmp":{"target-params":[{"name":"p","v2c":{"security-name":"quiet"}}]}}"#;
    assert_eq!(max.send("PATCH", SNMP, params).status, 204);
    let place = format!("{SNMP}/target=a");
    assert_eq!(max.send("PUT", &place, &udp).status, 201);
    let leaf = kim.send("PUT", &format!("{place}/ssh/ip"), r#"{"ietf-snmp:ip":"192.0.2.2"}"#);
    assert_eq!(leaf.status, 403, "{leaf:?}");
    let ssh = target("\"ssh\":{\"ip\":\"192.0.2.2\"}");
    let whole = ssh.replace("ietf-snmp:target", "target");
    let merged = kim.send("PATCH", SNMP, &format!("{{\"ietf-snmp:snmp\":{whole}}}"));
    assert_eq!(merged.status, 204, "{merged:?}");
    let seen = max.get(&place).body;
    assert!(seen.contains("192.0.2.2") && !seen.contains("udp"), "{seen}");
}
