//! Requests for subscriptions: the examples of the RFCs with other data, and what is wrong.

use super::establish::{Establish, When, establish};
use super::*;
use crate::BASE;
use crate::document::{Document, limits};
use crate::operation::Operation as Any;
use crate::request::Select;

fn document(inner: &str) -> Document {
    let text = format!(
        "<rpc xmlns='{BASE}' xmlns:sn='{SUBSCRIBED}' xmlns:yp='{PUSH}' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
         {inner}</rpc>"
    );
    Document::read(text.as_bytes(), limits(10_000)).unwrap()
}

fn read(inner: &str) -> String {
    let document = document(inner);
    match Any::read(document.root().children().next().unwrap()) {
        Ok(Any::Subscription(request)) => {
            assert_eq!(Any::Subscription(request).name(), document.root().children().next().unwrap().name());
            match request {
                Request::Establish(terms) => words(terms),
                Request::Modify { id, terms } => format!("modify {id}: {}", words(terms)),
                Request::Delete { id } => format!("delete {id}"),
                Request::Kill { id } => format!("kill {id}"),
                Request::Resync { id } => format!("resync {id}"),
            }
        }
        Ok(other) => format!("{other:?}"),
        Err(error) => format!("{error}"),
    }
}

fn words(terms: Terms<'_>) -> String {
    let filter = match terms.filter {
        None => String::new(),
        Some(Filter::Subtree(element)) => element.children().map(Element::name).collect(),
        Some(Filter::XPath { select, .. }) => select.to_owned(),
    };
    let target = match terms.target {
        Target::Stream { name, replay } => format!("{name:?} {:?}", replay.map(Element::value)),
        Target::Datastore { store, trigger } => {
            let trigger = match trigger {
                None => "as before".to_owned(),
                Some(Trigger::Periodic { period, anchor }) => {
                    format!("{period} {:?}", anchor.map(Element::value))
                }
                Some(Trigger::OnChange(OnChange { dampening, syncs, excluded })) => {
                    let excluded = Operation::WORDS.iter().filter(|(_, it)| excluded.has(*it));
                    let excluded: Vec<&str> = excluded.map(|(name, _)| *name).collect();
                    format!("{dampening} {syncs} {excluded:?}")
                }
            };
            format!("{store:?} {trigger}")
        }
    };
    format!("{target} \"{filter}\" {:?}", terms.stop.map(Element::value))
}

#[test]
fn requests_are_read() {
    let establish = |inner: &str| {
        read(&format!("<sn:establish-subscription xmlns='{SUBSCRIBED}'>{inner}</sn:establish-subscription>"))
    };
    let store = "<yp:datastore>ds:operational</yp:datastore>";
    for (inner, meant) in [
        // The examples of RFC 8639 and 8640, with other data.
        ("<stream>NETCONF</stream>", "Some(\"NETCONF\") None \"\" None"),
        (
            "<stream>NETCONF</stream><stream-subtree-filter><a xmlns='u'/></stream-subtree-filter>\
             <replay-start-time>2026-11-25T00:00:00Z</replay-start-time><stop-time>2026-11-26T00:00:00Z</stop-time>",
            "Some(\"NETCONF\") Some(\"2026-11-25T00:00:00Z\") \"a\" Some(\"2026-11-26T00:00:00Z\")",
        ),
        (
            "<stream>NETCONF</stream><stream-xpath-filter>/a</stream-xpath-filter><encoding>sn:encode-xml</encoding>",
            "Some(\"NETCONF\") None \"/a\" None",
        ),
        // Of RFC 8641.
        (
            &format!(
                "{store}<yp:datastore-xpath-filter>/a</yp:datastore-xpath-filter><yp:periodic><yp:period>500</yp:period>\
                 </yp:periodic>"
            ),
            "Operational 500 None \"/a\" None",
        ),
        (
            "<yp:datastore>ds:running</yp:datastore><yp:datastore-subtree-filter><a xmlns='u'/></yp:datastore-subtree-filter>\
             <yp:periodic><yp:period>100</yp:period><yp:anchor-time>2026-11-25T00:00:00Z</yp:anchor-time></yp:periodic>\
             <encoding>encode-xml</encoding>",
            "Of(Running) 100 Some(\"2026-11-25T00:00:00Z\") \"a\" None",
        ),
        (&format!("{store}<yp:on-change/>"), "Operational 0 true [] \"\" None"),
        (
            &format!(
                "{store}<yp:on-change><yp:dampening-period>20</yp:dampening-period><yp:sync-on-start>false</yp:sync-on-start>\
                 <yp:excluded-change>replace</yp:excluded-change><yp:excluded-change>move</yp:excluded-change></yp:on-change>"
            ),
            "Operational 20 false [\"move\", \"replace\"] \"\" None",
        ),
        ("", "data-missing (missing-choice): establish-subscription must have stream or datastore"),
        (store, "missing-element: establish-subscription to a datastore has no periodic or on-change"),
        (
            &format!("{store}<yp:on-change/><yp:periodic><yp:period>1</yp:period></yp:periodic>"),
            "unknown-element: establish-subscription cannot contain on-change of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-yang-push\"",
        ),
        (&format!("{store}<yp:periodic/>"), "missing-element: periodic has no period"),
        (
            &format!("{store}<yp:periodic><yp:period>-1</yp:period></yp:periodic>"),
            "invalid-value: period must be a number from 0 to 4294967295, found \"-1\"",
        ),
        (
            &format!("{store}<yp:on-change><yp:excluded-change>merge</yp:excluded-change></yp:on-change>"),
            "invalid-value: excluded-change must be one of create, delete, insert, move, replace, found \"merge\"",
        ),
        (
            &format!("{store}<yp:selection-filter-ref>mine</yp:selection-filter-ref><yp:on-change/>"),
            "invalid-value (ietf-subscribed-notifications:filter-unsupported): there are no filters with names here \
             (selection-filter-ref is \"mine\"): give the filter itself",
        ),
        (
            "<stream>NETCONF</stream><stream-filter-name>mine</stream-filter-name>",
            "invalid-value (ietf-subscribed-notifications:filter-unsupported): there are no filters with names here \
             (stream-filter-name is \"mine\"): give the filter itself",
        ),
        (
            "<stream>NETCONF</stream><encoding>encode-json</encoding>",
            "invalid-value (ietf-subscribed-notifications:encoding-unsupported): over NETCONF notifications are encoded in XML \
             (encode-xml)",
        ),
        (
            "<yp:datastore>ds:factory</yp:datastore><yp:on-change/>",
            "invalid-value (ietf-yang-push:datastore-not-subscribable): there is no datastore factory of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-datastores\" here",
        ),
        (
            "<stream>NETCONF</stream><dscp>10</dscp>",
            "unknown-element: establish-subscription cannot contain dscp of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications\"",
        ),
        (
            "<stream>NETCONF</stream><yp:periodic><yp:period>1</yp:period></yp:periodic>",
            "unknown-element: establish-subscription cannot contain periodic of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-yang-push\"",
        ),
        (
            "<stream>A</stream><stream-subtree-filter/><stream-xpath-filter>/a</stream-xpath-filter>",
            "unknown-element: establish-subscription cannot contain stream-xpath-filter of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications\"",
        ),
    ] {
        assert_eq!(establish(inner), meant, "{inner}");
    }
    let modify = |inner: &str| {
        read(&format!("<sn:modify-subscription xmlns='{SUBSCRIBED}'>{inner}</sn:modify-subscription>"))
    };
    for (inner, meant) in [
        (
            &format!("<id>9</id>{store}<yp:periodic><yp:period>250</yp:period></yp:periodic>")[..],
            "modify 9: Operational 250 None \"\" None",
        ),
        (
            "<id>9</id><stream-xpath-filter>/a</stream-xpath-filter><stop-time>x</stop-time>",
            "modify 9: None None \"/a\" Some(\"x\")",
        ),
        (
            &format!("<id>9</id>{store}<yp:datastore-xpath-filter>/b</yp:datastore-xpath-filter>"),
            "modify 9: Operational as before \"/b\" None",
        ),
        (
            // It cannot be modified.
            &format!(
                "<id>9</id>{store}<yp:on-change><yp:sync-on-start>true</yp:sync-on-start></yp:on-change>"
            ),
            "unknown-element: on-change cannot contain sync-on-start of the namespace \"urn:ietf:params:xml:ns:yang:ietf-yang-push\"",
        ),
        ("<stop-time>x</stop-time>", "missing-element: modify-subscription has no id"),
        (
            "<id>9</id><stream>NETCONF</stream>",
            "unknown-element: modify-subscription cannot contain stream of the namespace \
             \"urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications\"",
        ),
    ] {
        assert_eq!(modify(inner), meant, "{inner}");
    }
    assert_eq!(read("<sn:delete-subscription><sn:id>3</sn:id></sn:delete-subscription>"), "delete 3");
    assert_eq!(read("<sn:kill-subscription><sn:id>3</sn:id></sn:kill-subscription>"), "kill 3");
    assert_eq!(read("<yp:resync-subscription><yp:id>3</yp:id></yp:resync-subscription>"), "resync 3");
    assert_eq!(read("<yp:resync-subscription/>"), "missing-element: resync-subscription has no id");
    assert!(read("<sn:something/>").starts_with("Other"));
}

#[test]
fn what_a_client_writes_is_read() {
    let prefixes = [("yp".to_owned(), "urn:other".to_owned()), ("if".to_owned(), "urn:if".to_owned())];
    for (request, meant) in [
        (
            Establish {
                store: "operational",
                select: Select::Subtree(b"<a xmlns='u'/><b/>"),
                when: When::Periodic { period: 1000 },
            },
            "Operational 1000 None \"ab\" None",
        ),
        (
            Establish {
                store: "running",
                select: Select::XPath("/if:a[b<'2']", &prefixes),
                when: When::OnChange { dampening: 50, syncs: false },
            },
            "Of(Running) 50 false [] \"/if:a[b<'2']\" None",
        ),
        (
            Establish {
                store: "intended",
                select: Select::Everything,
                when: When::OnChange { dampening: 0, syncs: true },
            },
            "Intended 0 true [] \"\" None",
        ),
    ] {
        let text = String::from_utf8(establish(request)).unwrap();
        assert_eq!(read(&text), meant, "{text}");
        let document = document(&text);
        let Ok(Any::Subscription(Request::Establish(terms))) =
            Any::read(document.root().children().next().unwrap())
        else {
            panic!("{text}")
        };
        if let Some(Filter::XPath { element, .. }) = terms.filter {
            assert_eq!((element.resolve("if"), element.resolve("yp")), (Some("urn:if"), Some("urn:other")));
        }
    }
}
