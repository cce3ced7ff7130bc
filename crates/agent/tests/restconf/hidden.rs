//! What somebody may write and not read: no answer tells what it is, or whether it is there.

use crate::restconf::ask::{Client, agent};
use crate::restconf::client;

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
