//! Permissions for paths, and the subtrees of objects that they stand for.

use trunkline_nacm::{Permission, Subtrees, subtrees, subtrees_by_name};
use trunkline_tree::View;
use trunkline_tree::policy::ViewType;
use trunkline_yang::forest::Forest;
use trunkline_yang::own::ALL;
use trunkline_yang::smiv2;

fn forest() -> Forest {
    ALL.into_iter().fold(Forest::of(&smiv2::modules()), Forest::with)
}

/// `eth0` is interface 2.
fn index_of(name: &str) -> Option<u32> {
    (name == "eth0").then_some(2)
}

fn of(path: &str, permits: bool, to: ViewType) -> Result<Subtrees, String> {
    subtrees(&forest(), Permission { path, permits, to }, &index_of).map_err(|error| error.to_string())
}

fn names(path: &str, permits: bool, to: ViewType) -> String {
    of(path, permits, to).unwrap_or_else(|error| panic!("{path}: {error}")).names.join(" ")
}

#[test]
fn a_path_becomes_what_decides_about_it() {
    use ViewType::{Read, Write};
    let description = "/ietf-interfaces:interfaces/interface[name='eth0']/description";
    for (path, to, expected) in [
        ("/ietf-system:system/contact", Read, "sysContact"),
        ("/ietf-system:system/contact", Write, "sysContact"),
        // An entry is there for those who may read its key.
        (description, Read, "ifAlias.2 ifName.2"),
        (description, Write, "ifAlias.2"),
        ("/netconf/network/interfaces/iface[name='eth0']/mtu", Read, "ifName.2 ifMtu.2"),
        ("/trunkline-netconf:netconf/network/interfaces/iface/status", Read, "ifName ifOperStatus"),
        ("/IF-MIB:IF-MIB/ifTable/ifEntry[ifIndex='7']/ifDescr", Read, "ifDescr.7"),
        ("/SNMPv2-MIB:SNMPv2-MIB/system/sysName", Write, "sysName"),
        ("/", Write, "everything"),
    ] {
        assert_eq!(names(path, true, to), expected, "{path}");
    }
    // The entry stays, and the user's own view of it.
    assert_eq!(names(description, false, Read), "ifAlias.2");
    let whole = of("/ietf-interfaces:interfaces/interface[name='eth0']", true, Read).unwrap();
    assert!(
        whole.names.iter().all(|name| name.starts_with("if") && name.ends_with(".2")),
        "{:?}",
        whole.names
    );
    assert!(whole.left_out.iter().any(|it| it.contains("ietf-ip:ipv4/address")), "{:?}", whole.left_out);
}

/// Ancestors are there, and their other children are not.
#[test]
fn a_subtree_has_no_siblings() {
    let found =
        of("/ietf-interfaces:interfaces/interface[name='eth0']/statistics", true, ViewType::Read).unwrap();
    let view = View::of(found.families).unwrap();
    let column = |id: u32, index: u32| [1, 3, 6, 1, 2, 1, 31, 1, 1, 1, id, index];
    assert!(view.contains(&column(6, 2)) && view.contains(&column(1, 2)));
    assert!(!view.contains(&column(6, 3)) && !view.contains(&column(18, 2)) && !view.contains(&column(1, 3)));
}

/// An entry of what is delegated is a row of its owner and name.
#[test]
fn one_entry_of_what_is_delegated_is_named_by_its_keys() {
    let root = "/trunkline-delegation:delegation";
    let may = |path: &str, name: &[u32]| {
        let found = of(&format!("{root}/{path}"), true, ViewType::Write).unwrap();
        (View::of(found.families).unwrap().contains(name), found.is_prefix)
    };
    let cell = |table: &[u32], column: u32, index: &[u32]| {
        [&[1, 3, 6, 1, 2, 1][..], table, &[1, column], index].concat()
    };
    let (expression, object) = ([90, 1, 2, 1], [90, 1, 2, 3]);
    let (big, bigger) = ([3, 97, 110, 110, 3, 98, 105, 103], [3, 97, 110, 110, 4, 98, 105, 103, 115]);
    let entry = "expression[owner='ann'][name='big']";
    assert_eq!(may(entry, &cell(&expression, 3, &big)), (true, false));
    assert_eq!(may(entry, &cell(&expression, 3, &bigger)), (false, false));
    // Its objects too, or one of them.
    let [first, second] = [1, 2].map(|number| cell(&object, 2, &[&big[..], &[number]].concat()));
    assert!(may(entry, &second).0);
    let one = format!("{entry}/object[index='1']");
    assert_eq!([&first, &second].map(|name| may(&one, name).0), [true, false]);
    assert!(!may(&format!("{entry}/text"), &cell(&expression, 4, &big)).0);
    // The name of a monitor is the last of the index and has no length: others may begin so.
    let (trigger, many) = ([88, 1, 2, 2], [3, 97, 110, 110, 109, 97, 110, 121]);
    let entry = "monitor[name='many'][owner='ann']";
    assert_eq!(may(entry, &cell(&trigger, 6, &many)), (true, true));
    assert_eq!(may(entry, &cell(&trigger, 6, &[3, 98, 111, 98, 109, 97, 110, 121])), (false, true));
    assert!(may(entry, &cell(&[88, 1, 2, 6], 2, &many)).0);
    assert_eq!(may("event[owner='ann'][name='many']", &cell(&[88, 1, 4, 3], 1, &many)), (true, true));
    let more = [&[3, 97, 110, 110, 4, 109, 97, 110, 121][..], &[7]].concat();
    let entry = "notification-object[owner='ann'][name='many'][index='7']";
    assert_eq!(may(entry, &cell(&[88, 1, 3, 1], 3, &more)), (true, false));
    assert!(
        of(&format!("{root}/monitor[owner='ann']"), true, ViewType::Write)
            .unwrap_err()
            .contains("[key='value'")
    );
}

#[test]
fn an_interface_that_is_not_there_has_no_rows() {
    let found =
        of("/ietf-interfaces:interfaces/interface[name='eth9']/description", true, ViewType::Read).unwrap();
    assert_eq!((found.families.len(), found.missing.as_deref()), (0, Some("eth9")));
}

#[test]
fn what_subtrees_cannot_say_is_refused_with_words_about_it() {
    use ViewType::{Read, Write};
    let interface = "/ietf-interfaces:interfaces/interface";
    for (path, permits, to, words) in [
        ("//interface", true, Read, "// is any depth"),
        ("/ietf-interfaces:interfaces/*", true, Read, "* is any name"),
        ("/ietf-interfaces:interfaces/interface[1]", true, Read, "no lasting position"),
        ("/ietf-interfaces:interfaces/interface[last()]", true, Read, "functions"),
        ("/ietf-interfaces:interfaces/interface[name='a' or name='b']", true, Read, "comparisons"),
        ("/ietf-interfaces:interfaces/interface[name='a'] | /x", true, Read, "union"),
        ("/ietf-interfaces:interfaces/child::interface", true, Read, "no axes"),
        (
            "/ietf-interfaces:interfaces/interface[enabled='true']",
            true,
            Read,
            "write [key='value'] for each key",
        ),
        ("/ietf-system:nothing", true, Read, "has no"),
        ("interfaces", true, Read, "a path is /MODULE:NODE"),
        ("/ietf-yang-library:yang-library", true, Read, "everybody who may read anything"),
        ("/ietf-system:system-state/clock", true, Write, "is not configured"),
        (
            "/ietf-interfaces:interfaces/interface[name='eth0']/ietf-ip:ipv4/address",
            true,
            Read,
            "leave out [...]",
        ),
        (
            "/ietf-interfaces:interfaces/interface[name='eth0']/ietf-ip:ipv4/address/ip",
            true,
            Read,
            "do not belong to",
        ),
        (interface, false, Write, ""),
        ("/ietf-interfaces:interfaces/interface[name='eth0']", false, Read, "leave out [...]"),
        ("/ietf-interfaces:interfaces/interface/if-index", false, Read, "as is the key of its entry"),
    ] {
        match of(path, permits, to) {
            Err(error) => assert!(error.contains(words) && !words.is_empty(), "{path}: {error}"),
            Ok(found) => assert!(words.is_empty() && !found.families.is_empty(), "{path}: {found:?}"),
        }
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_a_permission_or_refused(text in "[/a-z:\\[\\]='\"*|0-9-]{0,40}", permits: bool) {
        let forest = Forest::of(&[]).with(&trunkline_yang::own::SYSTEM);
        let permission = |path| Permission { path, permits, to: ViewType::Read };
        let _ = subtrees(&forest, permission(&text), &index_of);
        let _ = subtrees(&forest, permission(&format!("/ietf-system:system{text}")), &index_of);
    }
}

/// Rules for interfaces are compared whether or not these are there, and as rules for one name.
#[test]
fn by_name_a_path_has_rows_of_no_number() {
    let of = |name: &str| {
        let path = format!("/ietf-interfaces:interfaces/interface[name='{name}']/description");
        let found =
            subtrees_by_name(&forest(), Permission { path: &path, permits: true, to: ViewType::Write });
        found.unwrap().families.iter().map(ToString::to_string).collect::<Vec<_>>()
    };
    let alias = |index: &str| vec![format!("1.3.6.1.2.1.31.1.1.1.18.4294967295.{index}")];
    // As many octets as a number holds.
    assert_eq!(of("br9"), alias("6451769"));
    assert_eq!(of("eth0"), alias("1702127664"));
    assert_eq!(of("eth0.5"), alias("1702127664.11829"));
    let long = of(&"x".repeat(200));
    assert_eq!(long[0].split('.').count(), 11 + 1 + 16);
}
