//! Edits, their errors, differences and checks.

use super::*;
use crate::{changes, check};
use proptest::prelude::*;
use trunkline_netconf::document::{Document, limits};
use trunkline_netconf::operation::ErrorOption::{ContinueOnError, RollbackOnError};
use trunkline_yang::own::ALL;

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&[]), Forest::with)
}

/// A `config` element: `if`, `ip` and `sys` are prefixes, `nc` that of operations.
fn document(content: &str) -> Document {
    let text = format!(
        "<config xmlns='{BASE}' xmlns:nc='{BASE}' xmlns:yang='{YANG}' xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type' \
         xmlns:if='urn:ietf:params:xml:ns:yang:ietf-interfaces' xmlns:ip='urn:ietf:params:xml:ns:yang:ietf-ip' \
         xmlns:sys='urn:ietf:params:xml:ns:yang:ietf-system'>{content}</config>"
    );
    Document::read(text.as_bytes(), limits(1 << 20)).unwrap()
}

fn config(content: &str) -> Config {
    read(&forest(), document(content).root()).unwrap()
}

fn interface(name: &str, more: &str) -> String {
    format!("<if:interface><if:name>{name}</if:name>{more}</if:interface>")
}

fn interfaces(within: &str) -> String {
    format!("<if:interfaces>{within}</if:interfaces>")
}

fn system(attributes: &str, within: &str) -> String {
    format!("<sys:system{attributes}>{within}</sys:system>")
}

#[test]
fn edits_do_what_the_standard_says() {
    use DefaultOperation::{Merge, None as Nothing, Replace};
    let contact = |attributes: &str, value: &str| format!("<sys:contact{attributes}>{value}</sys:contact>");
    let both = system("", &format!("{}<sys:location>here</sys:location>", contact("", "ann")));
    let eth0 = interfaces(&interface("eth0", "<if:description>one</if:description>"));
    let two = interfaces(
        &[interface("eth0", "<if:description>one</if:description>"), interface("eth1", "")].concat(),
    );
    let operation = |name: &str| format!(" nc:operation='{name}'");
    let attributed = |attributes: &str, name: &str, more: &str| {
        interfaces(&interface(name, more).replacen(
            "<if:interface>",
            &format!("<if:interface{attributes}>"),
            1,
        ))
    };
    // Before, the edit, its default operation, and afterwards or the error.
    let cases: [(&str, String, DefaultOperation, Result<String, Tag>); 25] = [
        ("", both.clone(), Merge, Ok(both.clone())),
        (&both, system("", &contact("", "bob")), Merge, Ok(both.replace("ann", "bob"))),
        (&both, system("", &contact("", "bob")), Replace, Ok(system("", &contact("", "bob")))),
        (
            &both,
            system(&operation("replace"), &contact("", "bob")),
            Merge,
            Ok(system("", &contact("", "bob"))),
        ),
        (&both, system("", &contact("", "bob")), Nothing, Ok(both.clone())),
        (&both, system("", &contact(&operation("merge"), "bob")), Nothing, Ok(both.replace("ann", "bob"))),
        ("", system("", &contact("", "bob")), Nothing, Err(Tag::DataMissing)),
        (
            &both,
            system("", &contact(&operation("delete"), "")),
            Merge,
            Ok(system("", "<sys:location>here</sys:location>")),
        ),
        (&both, system(&operation("delete"), ""), Merge, Ok(String::new())),
        ("", system(&operation("delete"), ""), Merge, Err(Tag::DataMissing)),
        ("", system(&operation("remove"), ""), Merge, Ok(String::new())),
        (&both, system(&operation("create"), ""), Merge, Err(Tag::DataExists)),
        (&both, system("", &contact(&operation("create"), "bob")), Merge, Err(Tag::DataExists)),
        ("", system(&operation("create"), &contact("", "bob")), Merge, Ok(system("", &contact("", "bob")))),
        (&eth0, interfaces(&interface("eth1", "")), Merge, Ok(two.clone())),
        (&eth0, attributed(&operation("create"), "eth0", ""), Merge, Err(Tag::DataExists)),
        (&two, attributed(&operation("delete"), "eth1", ""), Merge, Ok(eth0.clone())),
        (&two, attributed(&operation("delete"), "eth2", ""), Merge, Err(Tag::DataMissing)),
        (&two, attributed(&operation("remove"), "eth2", ""), Merge, Ok(two.clone())),
        (
            &two,
            attributed(&operation("replace"), "eth0", ""),
            Nothing,
            Ok(two.replace("<if:description>one</if:description>", "")),
        ),
        (&eth0, attributed("", "eth9", ""), Nothing, Err(Tag::DataMissing)),
        (
            &eth0,
            interfaces("<if:interface><if:description>x</if:description></if:interface>"),
            Merge,
            Err(Tag::MissingElement),
        ),
        (
            &eth0,
            interfaces(&interface("eth0", "<if:admin-status>up</if:admin-status>")),
            Merge,
            Err(Tag::BadElement),
        ),
        (&eth0, interfaces(&interface("eth0", "<if:nothing/>")), Merge, Err(Tag::UnknownElement)),
        (&eth0, "<x xmlns='urn:example:x'/>".into(), Merge, Err(Tag::UnknownNamespace)),
    ];
    let forest = forest();
    for (before, edited, default, expected) in cases {
        let mut found = config(before);
        let done = edit(&mut found, &forest, document(&edited).root(), default, RollbackOnError);
        match expected {
            Ok(after) => assert_eq!((done, found), (Ok(()), config(&after)), "{before} {edited}"),
            Err(tag) => {
                let tags: Vec<Tag> = done.unwrap_err().iter().map(|error| error.tag).collect();
                assert_eq!((tags, found), (vec![tag], config(before)), "{before} {edited}");
            }
        }
    }
}

#[test]
fn the_element_around_an_edit_has_no_operation() {
    for name in ["operation=\"remove\"", "nc:operation=\"replace\"", "yang:key=\"\""] {
        let edited = format!("<config xmlns:nc='{BASE}' xmlns:yang='{YANG}' {name}><contact/></config>");
        let edited = Document::read(edited.as_bytes(), limits(1 << 20)).unwrap();
        let mut found = Config::default();
        let done = edit(&mut found, &forest(), edited.root(), DefaultOperation::Merge, RollbackOnError);
        assert_eq!(done.unwrap_err()[0].tag, Tag::UnknownAttribute, "{name}");
    }
}

#[test]
fn errors_say_where_and_what() {
    let forest = forest();
    let said = |content: &str| {
        let errors = edit(
            &mut Config::default(),
            &forest,
            document(content).root(),
            DefaultOperation::Merge,
            ContinueOnError,
        );
        errors.unwrap_err().iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    let wrong = interface(
        "eth0",
        "<if:enabled>yes</if:enabled><if:type>ethernetCsmacd</if:type><ip:ipv4><ip:address><ip:ip>192.0.2.1</ip:ip>\
         <ip:prefix-length>33</ip:prefix-length></ip:address></ip:ipv4><if:description>a</if:description>\
         <if:description>b</if:description>",
    );
    assert_eq!(
        said(&interfaces(&wrong)),
        "invalid-value at /if:interfaces/if:interface[if:name='eth0']/if:enabled: enabled must be true or false\n\
         invalid-value at /if:interfaces/if:interface[if:name='eth0']/if:type: type must be an identity of \
         urn:ietf:params:xml:ns:yang:iana-if-type, such as ianaift:ethernetCsmacd: in XML with a prefix of that namespace, in JSON with the name of the module\n\
         invalid-value at /if:interfaces/if:interface[if:name='eth0']/ip:ipv4/ip:address[ip:ip='192.0.2.1']/ip:prefix-length: \
         prefix-length must be a number from 0 to 32\n\
         bad-element at /if:interfaces/if:interface[if:name='eth0']/if:description: description is given twice"
    );
    assert!(
        said(&system(" nc:operation='destroy'", "")).starts_with("bad-attribute: operation must be merge")
    );
    assert!(
        said(&system(" operation='delete'", ""))
            .starts_with("unknown-attribute: the attribute operation must be")
    );
    assert!(said(&system(" yang:insert='first'", "")).starts_with("unknown-attribute"));
    assert!(said(&system("", "text")).contains("system has elements and no value, found \"text\""));
    for beside in ["x<sys:contact>a</sys:contact>", "<sys:contact>a</sys:contact>\n x\n"] {
        let words = "bad-element at /sys:system: system has elements and no text, found \"x\"";
        assert_eq!(said(&system("", beside)), words, "{beside}");
    }
    let between = "bad-element: config has elements and no text, found \"x\"";
    assert_eq!(said(&format!("{} x {}", system("", ""), interfaces(""))), between);
    let within = interface("eth0", "<if:enabled>true</if:enabled>text");
    assert!(said(&interfaces(&within)).contains("interface has elements and no text, found \"text\""));
    // The paper's document shows what is configured elsewhere.
    let paper =
        |within: &str| said(&format!("<netconf xmlns='urn:trunkline:yang:netconf'>{within}</netconf>"));
    let state = "bad-element: netconf is state, which cannot be configured";
    for (within, place) in [
        (
            "<network><interfaces><iface><name>eth0</name></iface></interfaces></network>",
            "/ietf-interfaces:interfaces",
        ),
        ("<network><routes/></network>", "/ietf-routing:routing"),
        ("<network/>", "/ietf-interfaces:interfaces and /ietf-routing:routing"),
        ("<routing><bgp><filters/></bgp></routing>", "/trunkline-bgp:bgp"),
        ("<security><rbac/></security>", "/ietf-netconf-acm:nacm/groups"),
    ] {
        assert_eq!(paper(within), format!("{state}; the same is configured in {place}"));
    }
    assert_eq!((paper("<system><rpm-list/></system>").as_str(), paper("").as_str()), (state, state));
    let key = interfaces("<if:interface><if:name nc:operation='delete'>a</if:name></if:interface>");
    assert!(said(&key).starts_with("bad-attribute: name is a key"));
}

#[test]
fn with_continue_on_error_the_rest_is_done() {
    let content = system(
        "",
        "<sys:contact>ann</sys:contact><sys:hostname><x/></sys:hostname><sys:location>here</sys:location>",
    );
    let mut found = Config::default();
    let document = document(&content);
    let done = edit(&mut found, &forest(), document.root(), DefaultOperation::Merge, ContinueOnError);
    assert_eq!(done.unwrap_err().len(), 1);
    assert_eq!(found, config(&system("", "<sys:contact>ann</sys:contact><sys:location>here</sys:location>")));
}

#[test]
fn what_must_be_there_is_missed() {
    let forest = forest();
    let errors = check(
        &forest,
        &config(&interfaces(&interface(
            "eth0",
            "<ip:ipv4><ip:address><ip:ip>192.0.2.1</ip:ip></ip:address></ip:ipv4>",
        ))),
    );
    let said: Vec<String> = errors.unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        said,
        [
            "data-missing at /if:interfaces/if:interface[if:name='eth0']/if:type: interface must have type",
            "data-missing (missing-choice) at /if:interfaces/if:interface[if:name='eth0']/ip:ipv4/ip:address[ip:ip='192.0.2.1']: \
             address must have prefix-length",
        ]
    );
    assert_eq!(check(&forest, &Config::default()), Ok(()));
}

#[test]
fn changes_are_leaves_and_what_begins_and_ends() {
    let forest = forest();
    let before = config(
        &[system("", "<sys:contact>ann</sys:contact>"), interfaces(&interface("eth0", "<ip:ipv4/>"))]
            .concat(),
    );
    let after =
        config(&[system("", "<sys:contact>bob</sys:contact>"), interfaces(&interface("eth1", ""))].concat());
    let said = |before: &Config, after: &Config| {
        let one = |change: crate::Change| {
            let value = |it: Option<Arc<str>>| it.unwrap_or_else(|| "-".into());
            format!("{} {}>{}", path(&forest, &change.path).text, value(change.before), value(change.after))
        };
        changes(before, after).into_iter().map(one).collect::<Vec<_>>()
    };
    assert_eq!(
        said(&before, &after),
        [
            "/sys:system/sys:contact ann>bob",
            "/if:interfaces/if:interface[if:name='eth0'] >-",
            "/if:interfaces/if:interface[if:name='eth0']/if:name eth0>-",
            "/if:interfaces/if:interface[if:name='eth0']/ip:ipv4 >-",
            "/if:interfaces/if:interface[if:name='eth1'] ->",
            "/if:interfaces/if:interface[if:name='eth1']/if:name ->eth1",
        ]
    );
    assert_eq!(said(&before, &before), [""; 0]);
}

/// An edit of some interfaces.
fn any_edit() -> impl Strategy<Value = String> {
    let operation = prop::sample::select(vec!["", "merge", "replace", "create", "delete", "remove"]);
    let one = (0..4_u8, operation, prop::option::of("[a-z<&']{0,4}"), prop::bool::ANY);
    let entry = one.prop_map(|(name, operation, description, has_address)| {
        let description = description.map(|it| {
            let text = it.replace('&', "&amp;").replace('<', "&lt;");
            format!("<if:description>{text}</if:description>")
        });
        let address = "<ip:ipv4><ip:address><ip:ip>192.0.2.1</ip:ip><ip:prefix-length>24</ip:prefix-length></ip:address></ip:ipv4>";
        let attribute = if operation.is_empty() { String::new() } else { format!(" nc:operation='{operation}'") };
        let kind = if has_address { "<if:type>t:ethernetCsmacd</if:type>" } else { "" };
        let within = [kind.into(), description.unwrap_or_default(), if has_address { address.into() } else { String::new() }].concat();
        interface(&format!("e{name}"), &within).replacen("<if:interface>", &format!("<if:interface{attribute}>"), 1)
    });
    prop::collection::vec(entry, 0..4).prop_map(|entries| interfaces(&entries.concat()))
}

proptest! {
    #[test]
    fn what_is_written_is_read_and_what_changed_is_known(edits in prop::collection::vec(any_edit(), 0..5)) {
        let forest = forest();
        let mut found = Config::default();
        for content in edits {
            let before = found.clone();
            let document = document(&content);
            let done = edit(&mut found, &forest, document.root(), DefaultOperation::Merge, RollbackOnError);
            if done.is_err() {
                prop_assert_eq!(&found, &before);
            }
            let mut octets = b"<config>".to_vec();
            found.write(&forest, &mut octets);
            octets.extend_from_slice(b"</config>");
            let written = Document::read(&octets, limits(1 << 20)).unwrap();
            prop_assert_eq!(&read(&forest, written.root()).unwrap(), &found);
            let changed = changes(&before, &found);
            prop_assert_eq!(changed.is_empty(), before == found);
            prop_assert_eq!(changed.len(), changes(&found, &before).len());
        }
    }
}

/// Configurations that an edit may make.
fn configurations() -> impl Strategy<Value = Config> {
    let address = (0_u8..3, 1_u8..4).prop_map(|(ip, length)| {
        format!(
            "<ip:address><ip:ip>192.0.2.{}</ip:ip><ip:prefix-length>{length}</ip:prefix-length></ip:address>",
            ip + 1
        )
    });
    let family = proptest::option::of(proptest::collection::btree_set(address, 0..3)).prop_map(|found| {
        found.map_or_else(String::new, |all| {
            let mut seen = std::collections::HashSet::new();
            let all =
                all.into_iter().filter(|it| seen.insert(it.split("</ip:ip>").next().unwrap().to_owned()));
            format!("<ip:ipv4>{}</ip:ipv4>", all.collect::<String>())
        })
    });
    let enabled = proptest::option::of(any::<bool>())
        .prop_map(|it| it.map_or_else(String::new, |it| format!("<if:enabled>{it}</if:enabled>")));
    let entry = (enabled, family).prop_map(|(enabled, family)| format!("{enabled}{family}"));
    let entries = proptest::collection::btree_map("[a-c&'<]{1,2}", entry, 0..4);
    (entries, proptest::option::of("[x-z]{1,3}")).prop_map(|(entries, contact)| {
        let escaped = |name: &str| name.replace('&', "&amp;").replace('<', "&lt;");
        let entries = entries.iter().map(|(name, more)| interface(&escaped(name), more));
        let contact =
            contact.map_or_else(String::new, |it| system("", &format!("<sys:contact>{it}</sys:contact>")));
        config(&format!("{}{contact}", interfaces(&entries.collect::<String>())))
    })
}

proptest! {
    #[test]
    fn a_delta_makes_one_configuration_of_another(before in configurations(), after in configurations()) {
        let forest = forest();
        let mut octets = format!("<config {}>", crate::EDIT).into_bytes();
        crate::delta(&forest, &before, &after, &mut octets);
        octets.extend_from_slice(b"</config>");
        let edits = Document::read(&octets, limits(1 << 20)).unwrap();
        if before == after {
            prop_assert!(!edits.root().has_children());
        }
        let mut edited = before;
        prop_assert!(edit(&mut edited, &forest, edits.root(), DefaultOperation::Merge, RollbackOnError).is_ok());
        prop_assert_eq!(edited, after);
    }
}

/// RFC 7950 section 8.3.1, RFC 6241 appendix A.
#[test]
fn two_cases_of_a_choice_and_unknown_attributes_are_refused() {
    let route = |hop: &str| {
        format!(
            "<r:routing xmlns:r='urn:ietf:params:xml:ns:yang:ietf-routing'><r:control-plane-protocols><r:control-plane-protocol>\
             <r:type>r:static</r:type><r:name>s</r:name><r:static-routes>\
             <v:ipv4 xmlns:v='urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing'><v:route>\
             <v:destination-prefix>192.0.2.0/24</v:destination-prefix><v:next-hop>{hop}</v:next-hop></v:route></v:ipv4>\
             </r:static-routes></r:control-plane-protocol></r:control-plane-protocols></r:routing>"
        )
    };
    let tag = |content: &str| {
        let mut config = Config::default();
        let document = document(content);
        let (merge, rollback) = (DefaultOperation::Merge, RollbackOnError);
        edit(&mut config, &forest(), document.root(), merge, rollback).map_err(|errors| errors[0].tag)
    };
    let (address, special) = (
        "<v:next-hop-address>192.0.2.1</v:next-hop-address>",
        "<v:special-next-hop>blackhole</v:special-next-hop>",
    );
    assert_eq!(tag(&route(address)), Ok(()));
    assert_eq!(tag(&route(&[address, special].concat())), Err(Tag::BadElement));
    assert_eq!(tag(&route(&[special, address].concat())), Err(Tag::BadElement));
    // What is taken away is not given.
    let removed = special.replacen("hop>", "hop nc:operation='remove'>", 1).replace("blackhole", "");
    assert_eq!(tag(&route(&[&removed, address].concat())), Ok(()));
    assert_eq!(tag(&system(" nc:operatoin='delete'", "")), Err(Tag::UnknownAttribute));
}
