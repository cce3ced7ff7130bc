//! Pages of lists (draft-ietf-netconf-list-pagination-rc): of a table, and of what the agent makes itself.

use serde_json::Value as Json;

use crate::restconf::ask::{Client, agent};

/// A table, and its entries' key.
const TABLE: &str = "/restconf/data/SNMPv2-MIB:SNMPv2-MIB/sysORTable/sysOREntry";
/// A list that the agent makes.
const SCHEMAS: &str = "/restconf/data/ietf-netconf-monitoring:netconf-state/schemas/schema";

/// The entries of a list, and what is known of them.
fn entries(answer: &Json) -> (Vec<Json>, Json) {
    let members = answer.as_object().unwrap();
    let mut all = members.values().next().unwrap().as_array().unwrap().clone();
    let meta = all.first_mut().and_then(|it| it.as_object_mut()?.remove("@"));
    (all, meta.unwrap_or(Json::Null))
}

#[test]
fn pages_together_are_the_list() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    for list in [TABLE, SCHEMAS] {
        let (all, none) = entries(&max.get(list).json());
        assert!(all.len() > 4 && none.is_null(), "{list}: {}", all.len());
        for direction in ["forwards", "backwards"] {
            let mut expected = all.clone();
            if direction == "backwards" {
                expected.reverse();
            }
            let (mut by_cursor, mut by_offset) = (Vec::new(), Vec::new());
            let mut cursor = String::new();
            loop {
                let of = |more: String| {
                    let answer = max.get(&format!("{list}?limit=3&direction={direction}{more}"));
                    assert_eq!(answer.status, 200, "{answer:?}");
                    entries(&answer.json())
                };
                let (page, meta) = of(cursor.clone());
                let (same, same_meta) = of(format!("&offset={}", by_offset.len()));
                assert_eq!((&page, &meta), (&same, &same_meta));
                by_cursor.extend(page);
                by_offset.extend(same);
                let remaining = meta["ietf-list-pagination:remaining"].as_u64().unwrap_or(0);
                assert_eq!(remaining as usize, all.len() - by_cursor.len());
                let has_previous = meta.get("ietf-list-pagination:previous").is_some();
                assert_eq!(has_previous, by_cursor.len() > 3, "{meta}");
                match meta.get("ietf-list-pagination:next").and_then(Json::as_str) {
                    Some(next) => cursor = format!("&cursor={}", next.replace('%', "%25")),
                    None => break,
                }
            }
            assert!(by_cursor == expected && by_offset == expected, "{list} {direction}");
        }
    }
}

#[test]
fn entries_are_chosen_and_sorted() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let (all, _) = entries(&max.get(SCHEMAS).json());
    let names = |answer: &Json| {
        let (all, meta) = entries(answer);
        let names: Vec<String> = all.iter().map(|it| it["identifier"].as_str().unwrap().to_owned()).collect();
        (names, meta)
    };
    let of = |text: &str| format!("{SCHEMAS}?{}", text.replace(' ', "%20").replace('\'', "%27"));
    let (found, meta) =
        names(&max.get(&of("where=starts-with(identifier,'ietf-')&sort-by=namespace&limit=2")).json());
    assert_eq!((found.len(), &meta["ietf-list-pagination:locale"]), (2, &"C".into()));
    let mut expected: Vec<(&str, &str)> = all
        .iter()
        .map(|it| (it["namespace"].as_str().unwrap(), it["identifier"].as_str().unwrap()))
        .filter(|(_, name)| name.starts_with("ietf-"))
        .collect();
    expected.sort_unstable();
    assert_eq!(meta["ietf-list-pagination:remaining"], expected.len() - 2);
    assert_eq!(found, [expected[0].1, expected[1].1]);
    let (found, _) = names(&max.get(&of("where=ietf-netconf-monitoring:identifier='IF-MIB'")).json());
    assert_eq!(found, ["IF-MIB"]);
    let none = max.get(&of("where=identifier='no'"));
    assert_eq!((none.status, none.body.as_str()), (200, "{\"ietf-netconf-monitoring:schema\":[]}"));
    let fields = max.get(&of("fields=identifier&limit=1&sort-by=identifier&direction=backwards")).json();
    let (entries, _) = entries(&fields);
    assert!(entries[0].get("namespace").is_none(), "{fields}");
    // A lists' lists, and a leaf-list.
    let whole = max.get(&of("limit=1&sublist-limit=1")).json();
    assert!(whole["ietf-netconf-monitoring:schema"][0]["location"].as_array().unwrap().len() == 1, "{whole}");
    let capabilities = "/restconf/data/ietf-netconf-monitoring:netconf-state/capabilities/capability";
    let page = max.get(&format!("{capabilities}?limit=2&offset=1")).json();
    assert_eq!(page["ietf-netconf-monitoring:capability"].as_array().unwrap().len(), 2);
    let meta = &page["@ietf-netconf-monitoring:capability"][0]["ietf-list-pagination:remaining"];
    assert!(meta.as_u64().unwrap() > 1, "{page}");
}

#[test]
fn lists_in_xml_are_in_one_element() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let list = "application/yang-data+xml-list";
    let of = |accept: &str, path: &str| max.curl(&["-H", &format!("Accept: {accept}")], path);
    let whole = of(list, TABLE);
    assert_eq!((whole.status, whole.field("content-type")), (200, Some(list)));
    assert!(
        whole.body.starts_with("<xml-list><sysOREntry xmlns=")
            && whole.body.ends_with("</sysOREntry></xml-list>")
    );
    let page = of(list, &format!("{TABLE}?limit=2"));
    assert_eq!(page.body.matches("</sysOREntry>").count(), 2);
    let attributes = "xmlns:lp=\"urn:ietf:params:xml:ns:yang:ietf-list-pagination\" lp:remaining=\"";
    assert!(page.body.contains(attributes), "{page:?}");
    let other = of("application/yang-data+xml", &format!("{TABLE}?limit=2"));
    assert_eq!((other.status, other.error_tag()), (406, "invalid-value".into()));
    // What is not a list does not have that type.
    let state = of(list, "/restconf/data/ietf-system:system-state");
    assert_eq!((state.status, state.error_tag()), (406, "invalid-value".into()));
}

#[test]
fn other_page_requests_are_refused() {
    let agent = agent("");
    let max = Client { agent: &agent, user: "max" };
    let system = "/restconf/data/ietf-system:system-state";
    for (path, status, tag, app_tag) in [
        (format!("{system}?limit=1"), 400, "operation-not-supported", ""),
        (format!("{TABLE}=1?limit=1"), 400, "operation-not-supported", ""),
        (format!("{TABLE}?limit=0"), 400, "invalid-value", ""),
        (format!("{TABLE}?offset=100000"), 416, "invalid-value", "offset-out-of-range"),
        (format!("{TABLE}?cursor=100000"), 404, "invalid-value", "cursor-not-found"),
        (format!("{SCHEMAS}?cursor=a%2Cb%2Cc"), 404, "invalid-value", "cursor-not-found"),
        (format!("{TABLE}?cursor=1%2F2"), 404, "invalid-value", "cursor-not-found"),
        (format!("{TABLE}?sort-by=nothing"), 400, "invalid-value", ""),
        (format!("{TABLE}?where=a%5B"), 400, "invalid-value", ""),
        (format!("{TABLE}?where=1)%5D%5B(1"), 400, "invalid-value", ""),
        (format!("{SCHEMAS}?where=//*%5B.//*=//*%5D"), 409, "resource-denied", ""),
        (format!("{TABLE}?sort-by=sysORID&locale=sv_SE"), 501, "invalid-value", "locale-unavailable"),
        (format!("{TABLE}?direction=down"), 400, "invalid-value", ""),
    ] {
        let answer = max.get(&path);
        assert_eq!((answer.status, answer.error_tag().as_str()), (status, tag), "{path}: {answer:?}");
        let json = answer.json();
        let found = json["ietf-restconf:errors"]["error"][0]["error-app-tag"].as_str().unwrap_or_default();
        assert_eq!(found, app_tag, "{path}");
    }
    let edit = max.send(
        "PUT",
        "/restconf/data/ietf-system:system/contact?limit=1",
        r#"{"ietf-system:contact":"a"}"#,
    );
    assert_eq!(edit.status, 400);
    assert_eq!(Client { agent: &agent, user: "eve" }.get(&format!("{TABLE}?limit=1")).status, 403);
}
