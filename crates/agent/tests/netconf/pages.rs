//! Pages of lists (draft-ietf-netconf-list-pagination-nc): the same as over RESTCONF, by filters of both types.

use trunkline_netconf::document::{Document, Element, limits};

use crate::client::{Client, agent};

const LP: &str = "urn:ietf:params:xml:ns:yang:ietf-list-pagination";
const MIB: &str = "urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB";
const NCM: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring";

/// A table, by its filter, and the element of an entry.
const TABLE: &str = "<SNMPv2-MIB><sysORTable><sysOREntry/></sysORTable></SNMPv2-MIB>";

fn get(filter: &str, paging: &str) -> String {
    format!(
        "<get>{filter}<list-pagination xmlns=\"{LP}-nc\" xmlns:m=\"{NCM}\">{paging}</list-pagination></get>"
    )
}

fn subtree(filter: &str) -> String {
    format!("<filter>{filter}</filter>")
}

fn schemas() -> String {
    subtree(&format!("<netconf-state xmlns=\"{NCM}\"><schemas><schema/></schemas></netconf-state>"))
}

/// The values of a leaf in each entry, and an annotation of the first entry.
fn entries(reply: &str, entry: (&str, &str), leaf: &str, annotation: &str) -> (Vec<String>, Option<String>) {
    let document =
        Document::read(reply.as_bytes(), limits(1 << 24)).unwrap_or_else(|it| panic!("{it}: {reply}"));
    let mut found = Vec::new();
    collect(document.root(), entry, &mut found);
    let values = found.iter().filter_map(|it| it.child(entry.0, leaf)).map(|it| it.value().to_owned());
    let note = found.first().and_then(|it| it.attribute(LP, annotation)).map(str::to_owned);
    (values.collect(), note)
}

fn collect<'d>(element: Element<'d>, entry: (&str, &str), found: &mut Vec<Element<'d>>) {
    match element.is(entry.0, entry.1) {
        true => found.push(element),
        false => element.children().for_each(|child| collect(child, entry, found)),
    }
}

#[test]
fn pages_together_are_the_list() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let expression = format!(
        "<filter type=\"xpath\" xmlns:s=\"{MIB}\" select=\"/s:SNMPv2-MIB/s:sysORTable/s:sysOREntry\"/>"
    );
    let table =
        (subtree(&TABLE.replacen('>', &format!(" xmlns=\"{MIB}\">"), 1)), (MIB, "sysOREntry"), "sysORIndex");
    let of_schemas = (schemas(), (NCM, "schema"), "identifier");
    for (filter, entry, leaf) in [table.clone(), (expression, table.1, table.2), of_schemas] {
        let (all, none) = entries(&max.ask(&format!("<get>{filter}</get>")), entry, leaf, "remaining");
        assert!(all.len() > 4 && none.is_none(), "{filter}");
        for direction in ["forwards", "backwards"] {
            let mut expected = all.clone();
            if direction == "backwards" {
                expected.reverse();
            }
            let (mut found, mut cursor) = (Vec::new(), String::new());
            loop {
                let paging = format!("<limit>3</limit><direction>{direction}</direction>");
                let by_offset = max.ask(&get(&filter, &format!("{paging}<offset>{}</offset>", found.len())));
                let reply = max.ask(&get(&filter, &format!("{paging}{cursor}")));
                assert_eq!(reply, by_offset);
                let remaining =
                    entries(&reply, entry, leaf, "remaining").1.map_or(0, |it| it.parse().unwrap());
                let (page, next) = entries(&reply, entry, leaf, "next");
                found.extend(page);
                assert_eq!(all.len() - found.len(), remaining, "{reply}");
                match next {
                    Some(next) => cursor = format!("<cursor>{next}</cursor>"),
                    None => break,
                }
            }
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn entries_are_chosen_sorted_and_shortened() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let mut of = |paging: &str, annotation: &str| {
        let reply = max.ask(&get(&schemas(), paging));
        entries(&reply, (NCM, "schema"), "identifier", annotation)
    };
    let (all, _) = of("", "remaining");
    // A prefix is the one in scope, and names need none.
    for expression in ["starts-with(m:identifier, 'ietf-')", "starts-with(identifier, 'ietf-')"] {
        let (mut found, locale) = of(
            &format!(
                "<where>{expression}</where><sort-by>m:identifier</sort-by><direction>backwards</direction>"
            ),
            "locale",
        );
        assert_eq!(locale.as_deref(), Some("C"), "{expression}");
        found.reverse();
        let mut expected: Vec<String> = all.iter().filter(|it| it.starts_with("ietf-")).cloned().collect();
        expected.sort_unstable();
        assert_eq!(found, expected);
    }
    let unfiltered =
        of("<where>unfiltered</where><sort-by>none</sort-by><limit>unbounded</limit>", "remaining");
    assert_eq!(unfiltered.0, all);
    // What only where looks at is not there.
    let fields = subtree(&format!(
        "<netconf-state xmlns=\"{NCM}\"><schemas><schema><namespace/></schema></schemas></netconf-state>"
    ));
    let reply = max.ask(&get(&fields, "<where>location='NETCONF'</where><limit>1</limit>"));
    assert!(reply.contains("<namespace>") && !reply.contains("<location>"), "{reply}");
    // A list in an entry, with the keys of the entry; a page without entries is empty.
    let addresses = subtree(
        "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface><name>lo</name>\
         <ipv4 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ip\"><address/></ipv4></interface></interfaces>",
    );
    let reply = max.ask(&get(&addresses, "<limit>1</limit>"));
    assert!(
        reply.contains("<interface><name>lo</name><ipv4 ") && reply.contains("<ip>127.0.0.1</ip>"),
        "{reply}"
    );
    assert_eq!(max.ask(&get(&schemas(), "<where>identifier='no'</where>")), "<data></data>");
    // A configuration, and a datastore.
    let contact = "<edit-config><target><running/></target><config><interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'/>\
                   </config></edit-config>";
    assert_eq!(max.ask(contact), "<ok/>");
    let interfaces = subtree(
        "<interfaces xmlns=\"urn:ietf:params:xml:ns:yang:ietf-interfaces\"><interface/></interfaces>",
    );
    let paging = format!("<list-pagination xmlns=\"{LP}-nc\"><limit>1</limit></list-pagination>");
    let running =
        max.ask(&format!("<get-config><source><running/></source>{interfaces}{paging}</get-config>"));
    assert_eq!(running, "<data></data>");
    let nmda = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
    let inner = interfaces.replace("filter>", "subtree-filter>");
    let operational = max.ask(&format!(
        "<get-data xmlns='{nmda}' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'><datastore>ds:operational</datastore>{inner}\
         <max-depth>1</max-depth><with-origin/>{paging}</get-data>"
    ));
    assert!(
        operational.contains("or:origin=\"or:system\"") && operational.matches("</interface>").count() == 1,
        "{operational}"
    );
    assert!(!operational.contains("<statistics>"), "{operational}");
}

#[test]
fn other_pages_are_refused_and_the_modules_are_announced() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let state = subtree(&format!("<netconf-state xmlns=\"{NCM}\"><schemas/></netconf-state>"));
    let expression = format!("<filter type=\"xpath\" xmlns:m=\"{NCM}\" select=\"//m:schema[last()]\"/>");
    for (filter, paging, tag, words) in [
        (&schemas(), "<limit>0</limit>", "invalid-value", "limit must be"),
        (&schemas(), "<offset>100000</offset>", "invalid-value", "offset-out-of-range"),
        (&schemas(), "<cursor>a,b,c</cursor>", "invalid-value", "cursor-not-found"),
        (
            &schemas(),
            "<locale>sv_SE</locale><sort-by>version</sort-by>",
            "invalid-value",
            "locale-unavailable",
        ),
        (&schemas(), "<sort-by>nothing</sort-by>", "invalid-value", "sort-by: schema has no nothing"),
        (&schemas(), "<where>a[</where>", "invalid-value", "where: "),
        (&schemas(), "<where>//*[.//* = //*]</where>", "resource-denied", "where: "),
        (&schemas(), "<odd/>", "unknown-element", "odd"),
        (&state, "<limit>1</limit>", "invalid-value", "one list or leaf-list"),
        (&String::new(), "<limit>1</limit>", "invalid-value", "one list or leaf-list"),
        (&expression, "<limit>1</limit>", "invalid-value", "one list or leaf-list"),
    ] {
        let reply = max.ask(&get(filter, paging));
        assert!(
            reply.contains(&format!("<error-tag>{tag}</error-tag>")) && reply.contains(words),
            "{paging}: {reply}"
        );
    }
    // Who may read nothing has empty pages of nothing.
    let eve = Client::open(&agent, "eve").ask(&get(&schemas(), "<limit>1</limit>"));
    assert!(!eve.contains("<schema>"), "{eve}");
    let library = max.get("<yang-library xmlns='urn:ietf:params:xml:ns:yang:ietf-yang-library'><module-set><module/></module-set></yang-library>");
    for module in ["ietf-list-pagination", "ietf-list-pagination-nc", "ietf-yang-patch"] {
        assert!(library.contains(&format!("<module><name>{module}</name>")), "{module}");
    }
    assert!(library.contains("<feature>sort</feature>"), "{library}");
}
