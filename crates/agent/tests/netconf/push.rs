//! Subscriptions (RFC 8639 and 8640), also to data (RFC 8641). Their order shows what comes when.

use trunkline_netconf::document::{Document, limits};

use crate::client::{Client, agent};
use crate::hooks::{self, with_hooks};
use crate::support::Agent;
use crate::support::yanglint::Yanglint;

const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
const SN: &str = "urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications";
const YP: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-push";
const DS: &str = "urn:ietf:params:xml:ns:yang:ietf-datastores";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";

fn operation(name: &str, inner: &str) -> String {
    format!("<{name}-subscription xmlns='{SN}' xmlns:yp='{YP}' xmlns:ds='{DS}'>{inner}</{name}-subscription>")
}

fn data(store: &str, filter: &str, when: &str) -> String {
    let filter = format!("<yp:datastore-subtree-filter>{filter}</yp:datastore-subtree-filter>");
    operation("establish", &format!("<yp:datastore>ds:{store}</yp:datastore>{filter}{when}"))
}

const PERIODIC: &str = "<yp:periodic><yp:period>100</yp:period></yp:periodic>";

fn system() -> String {
    format!("<system xmlns='{SYSTEM}'><contact/></system>")
}

/// Subscribes; the number of the subscription.
fn establish(client: &mut Client, request: &str) -> u32 {
    let reply = client.ask(request);
    let id = reply.strip_prefix(&format!("<id xmlns=\"{SN}\">")).and_then(|it| it.split('<').next());
    id.and_then(|id| id.parse().ok()).unwrap_or_else(|| panic!("{reply}"))
}

/// The content of the next notification, without the namespaces of subscriptions.
fn told(client: &mut Client) -> String {
    whole(client).1
}

/// The same, with the whole message.
fn whole(client: &mut Client) -> (String, String) {
    let text = String::from_utf8(client.read().expect("a notification")).unwrap();
    Document::read(text.as_bytes(), limits(1 << 22)).unwrap_or_else(|error| panic!("{error}: {text}"));
    let head = format!("<notification xmlns=\"{NOTIFICATION}\"><eventTime>");
    let rest = text.strip_prefix(&head).unwrap_or_else(|| panic!("{text}"));
    let content = rest.split_once("</eventTime>").unwrap().1.strip_suffix("</notification>").unwrap();
    let content = content.replace(&format!(" xmlns=\"{YP}\""), "").replace(&format!(" xmlns=\"{SN}\""), "");
    (text, content)
}

fn update(id: u32, contact: &str) -> String {
    let contents = match contact {
        "" => String::new(),
        contact => format!("<system xmlns=\"{SYSTEM}\"><contact>{contact}</contact></system>"),
    };
    format!("<push-update><id>{id}</id><datastore-contents>{contents}</datastore-contents></push-update>")
}

fn change(id: u32, patch: u32, operation: &str, contact: &str) -> String {
    let value = match contact {
        "" => String::new(),
        contact => format!("<value><contact xmlns=\"{SYSTEM}\">{contact}</contact></value>"),
    };
    format!(
        "<push-change-update><id>{id}</id><datastore-changes><yang-patch><patch-id>{patch}</patch-id><edit><edit-id>edit1</edit-id>\
         <operation>{operation}</operation><target>/ietf-system:system/contact</target>{value}</edit></yang-patch>\
         </datastore-changes></push-change-update>"
    )
}

fn edit(client: &mut Client, target: &str, content: &str) {
    let edit = format!(
        "<edit-config><target><{target}/></target><config><system xmlns='{SYSTEM}' \
         xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>{content}</system></config></edit-config>"
    );
    assert_eq!(client.ask(&edit), "<ok/>");
}

fn set_contact(client: &mut Client, contact: &str) {
    edit(client, "running", &format!("<contact>{contact}</contact>"));
}

fn refused(reply: &str, tag: &str, app_tag: &str) {
    let parts = [format!("<error-tag>{tag}<"), format!("<error-app-tag>{app_tag}<")];
    assert!(parts.iter().all(|part| reply.contains(part)), "{tag} {app_tag}: {reply}");
}

#[test]
fn data_is_sent_in_each_period() {
    let agent = agent("");
    let (mut ann, mut max) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    set_contact(&mut max, "one");
    let id = establish(&mut ann, &data("operational", &system(), PERIODIC));
    assert_eq!(told(&mut ann), update(id, "one"));
    assert_eq!(told(&mut ann), update(id, "one"));
    set_contact(&mut max, "two");
    // At the latest the one after the next begins after it.
    let next = [told(&mut ann), told(&mut ann)];
    assert_eq!(next[1], update(id, "two"));
    // Only the own session may delete it.
    let delete = operation("delete", &format!("<id>{id}</id>"));
    refused(&max.ask(&delete), "invalid-value", "ietf-subscribed-notifications:no-such-subscription");
    let mut reply = ann.ask_through(&delete);
    assert_eq!(reply.pop().unwrap(), "<ok/>");
    refused(&ann.ask(&delete), "invalid-value", "ietf-subscribed-notifications:no-such-subscription");
    // An expression, and one whose value is not a set of nodes.
    let select = |xpath: &str| {
        format!(
            "<yp:datastore>ds:running</yp:datastore><yp:datastore-xpath-filter xmlns:s='{SYSTEM}'>{xpath}</yp:datastore-xpath-filter>{PERIODIC}"
        )
    };
    let id = establish(&mut ann, &operation("establish", &select("/s:system/s:contact[contains(., 'w')]")));
    assert_eq!(told(&mut ann), update(id, "two"));
    set_contact(&mut max, "three");
    let last = std::iter::from_fn(|| Some(told(&mut ann))).find(|told| *told != update(id, "two"));
    assert_eq!(last.unwrap(), update(id, ""));
    let mut other = Client::open(&agent, "ann");
    let id = establish(&mut other, &operation("establish", &select("count(/s:system)")));
    assert_eq!(
        told(&mut other),
        format!(
            "<push-update><id>{id}</id><datastore-contents></datastore-contents><incomplete-update/></push-update>"
        )
    );
}

#[test]
fn changes_are_sent_as_patches() {
    let agent = agent("");
    let (mut ann, mut max) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    let id = establish(&mut ann, &data("running", &system(), "<yp:on-change/>"));
    assert_eq!(told(&mut ann), update(id, ""));
    set_contact(&mut max, "one");
    // The container comes with what is in it.
    let created = told(&mut ann);
    assert!(
        created.contains(&format!(
            "<operation>create</operation><target>/ietf-system:system</target><value><system xmlns=\"{SYSTEM}\">\
             <contact>one</contact></system></value>"
        )),
        "{created}"
    );
    set_contact(&mut max, "two");
    assert_eq!(told(&mut ann), change(id, 2, "replace", "two"));
    // The same again changes nothing.
    set_contact(&mut max, "two");
    set_contact(&mut max, "three");
    assert_eq!(told(&mut ann), change(id, 3, "replace", "three"));
    let resync = |id: u32| format!("<resync-subscription xmlns='{YP}'><id>{id}</id></resync-subscription>");
    assert_eq!(ann.ask(&resync(id)), "<ok/>");
    assert_eq!(told(&mut ann), update(id, "three"));
    refused(&ann.ask(&resync(id + 9)), "invalid-value", "ietf-yang-push:no-such-subscription-resync");
    // Another filter, with all that it selects.
    let filter = format!(
        "<id>{id}</id><yp:datastore>ds:running</yp:datastore><yp:datastore-xpath-filter xmlns:s='{SYSTEM}'>/s:system/s:location\
         </yp:datastore-xpath-filter>"
    );
    assert_eq!(ann.ask(&operation("modify", &filter)), "<ok/>");
    assert_eq!(told(&mut ann), update(id, ""));
    set_contact(&mut max, "four");
    edit(&mut max, "running", "<location>lab</location>");
    let created = told(&mut ann);
    assert!(created.contains("<location>lab</location>") && !created.contains("contact"), "{created}");
    edit(&mut max, "running", "<location nc:operation='delete'/>");
    let deleted = told(&mut ann);
    assert!(
        deleted.contains("<operation>delete</operation><target>/ietf-system:system</target></edit>"),
        "{deleted}"
    );
}

/// Changes that nothing announces are noticed too: of the candidate, and over SNMP.
#[test]
fn what_nobody_announces_is_noticed() {
    let agent = agent("");
    let (mut ann, mut max) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    set_contact(&mut max, "one");
    let when = "<yp:on-change><yp:sync-on-start>false</yp:sync-on-start><yp:excluded-change>create</yp:excluded-change></yp:on-change>";
    let candidate = establish(&mut ann, &data("candidate", &system(), when));
    let mut other = Client::open(&agent, "ann");
    let objects = establish(
        &mut other,
        &data(
            "operational",
            "<SNMPv2-MIB xmlns='urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB'><system><sysContact/></system></SNMPv2-MIB>",
            when,
        ),
    );
    edit(&mut max, "candidate", "<contact>two</contact>");
    assert_eq!(told(&mut ann), change(candidate, 1, "replace", "two"));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    let told = told(&mut other);
    assert!(
        told.contains(&format!("<id>{objects}</id>"))
            && told.contains("<target>/SNMPv2-MIB:SNMPv2-MIB/system/sysContact</target>")
            && told.contains(">two</sysContact>"),
        "{told}"
    );
    let resync = format!("<resync-subscription xmlns='{YP}'><id>{candidate}</id></resync-subscription>");
    refused(&ann.ask(&resync), "operation-not-supported", "ietf-yang-push:on-change-sync-unsupported");
}

#[test]
fn who_may_not_read_is_sent_nothing_of_it() {
    let agent = agent("");
    let (mut tom, mut max) = (Client::open(&agent, "tom"), Client::open(&agent, "max"));
    edit(&mut max, "running", "<contact>one</contact><location>lab</location>");
    let id = establish(&mut tom, &data("running", &format!("<system xmlns='{SYSTEM}'/>"), "<yp:on-change/>"));
    assert_eq!(told(&mut tom), update(id, "one"));
    edit(&mut max, "running", "<location>cellar</location>");
    set_contact(&mut max, "two");
    assert_eq!(told(&mut tom), change(id, 1, "replace", "two"));
    // Eve has no role.
    let mut eve = Client::open(&agent, "eve");
    let refused = eve.ask(&data("running", &system(), PERIODIC));
    assert!(refused.contains("access-denied"), "{refused}");
    // Others' subscriptions are not theirs to see, or to end.
    let state = format!("<subscriptions xmlns='{SN}'/>");
    let kill = operation("kill", "<id>1</id>");
    let mut bob = Client::open(&agent, "bob");
    assert_eq!(bob.get(&state), "");
    assert!(bob.ask(&kill).contains("access-denied"));
}

#[test]
fn events_are_sent_to_subscriptions_with_numbers() {
    let agent = agent("");
    let (mut ann, mut max) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    set_contact(&mut max, "one");
    let filter = "<stream-subtree-filter><netconf-config-change xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-notifications'/>\
                  </stream-subtree-filter>";
    let stream = |more: &str| operation("establish", &format!("<stream>NETCONF</stream>{filter}{more}"));
    let past = "<replay-start-time>2020-01-01T00:00:00Z</replay-start-time>";
    let reply = ann.ask(&stream(past));
    assert!(reply.contains("<replay-start-time-revision xmlns="), "{reply}");
    let id: u32 = reply.split(['>', '<']).nth(2).unwrap().parse().unwrap();
    assert!(told(&mut ann).contains("netconf-config-change"));
    assert_eq!(told(&mut ann), format!("<replay-completed><id>{id}</id></replay-completed>"));
    // Several in one session, of both kinds.
    let second = establish(&mut ann, &data("running", &system(), "<yp:on-change/>"));
    assert_eq!(told(&mut ann), update(second, "one"));
    set_contact(&mut max, "two");
    let mut both = [told(&mut ann), told(&mut ann)];
    both.sort();
    assert!(both[0].starts_with("<netconf-config-change"), "{both:?}");
    assert_eq!(both[1], change(second, 1, "replace", "two"));
    // Another filter: of events that there will not be.
    let none = format!(
        "<id>{id}</id><stream-xpath-filter xmlns:n='urn:ietf:params:xml:ns:yang:ietf-netconf-notifications'>\
         /n:netconf-confirmed-commit</stream-xpath-filter>"
    );
    assert_eq!(ann.ask(&operation("modify", &none)), "<ok/>");
    set_contact(&mut max, "three");
    assert_eq!(told(&mut ann), change(second, 2, "replace", "three"));
    let state = ann.get(&format!("<subscriptions xmlns='{SN}'/>"));
    for part in [
        format!("<id>{id}</id>"),
        "<stream>NETCONF</stream>".into(),
        "<sent-event-records>3</sent-event-records>".into(),
        format!("<datastore xmlns=\"{YP}\" xmlns:ds=\"{DS}\">ds:running</datastore>"),
        "<dampening-period>0</dampening-period><sync-on-start>true</sync-on-start>".into(),
    ] {
        assert!(state.contains(&part), "{part}: {state}");
    }
    // Somebody else ends it.
    assert_eq!(max.ask(&operation("kill", &format!("<id>{id}</id>"))), "<ok/>");
    assert_eq!(
        told(&mut ann),
        format!(
            "<subscription-terminated><id>{id}</id><reason xmlns:sn=\"{SN}\">sn:no-such-subscription</reason></subscription-terminated>"
        )
    );
    refused(
        &max.ask(&operation("kill", &format!("<id>{id}</id>"))),
        "invalid-value",
        "ietf-subscribed-notifications:no-such-subscription",
    );
    // What has no session any more is gone.
    assert_eq!(ann.ask("<close-session/>"), "<ok/>");
    assert_eq!(ann.read(), None);
    assert_eq!(max.get(&format!("<subscriptions xmlns='{SN}'/>")), "");
}

#[test]
fn what_cannot_be_is_refused_with_its_identity() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let counters = "<IF-MIB><ifTable><ifEntry><ifInOctets/></ifEntry></ifTable></IF-MIB>";
    for (request, tag, app_tag, more) in [
        (
            data("operational", &system(), "<yp:periodic><yp:period>99</yp:period></yp:periodic>"),
            "invalid-value",
            "ietf-yang-push:period-unsupported",
            "<period-hint>100</period-hint>",
        ),
        (
            data("startup", &system(), "<yp:on-change/>"),
            "invalid-value",
            "ietf-yang-push:datastore-not-subscribable",
            "<reason xmlns:yp=",
        ),
        (
            data("operational", "<nothing xmlns='urn:none'/>", PERIODIC),
            "operation-failed",
            "ietf-yang-push:unchanging-selection",
            "establish-subscription-datastore-error-info",
        ),
        (data("running", counters, PERIODIC), "operation-failed", "ietf-yang-push:unchanging-selection", ""),
        (
            data("operational", counters, "<yp:on-change/>"),
            "operation-not-supported",
            "ietf-yang-push:on-change-unsupported",
            "",
        ),
        (
            operation(
                "establish",
                "<stream>NETCONF</stream><stream-xpath-filter>/ietf-netconf-notifications:netconf-config-change[nosuch(.)]</stream-xpath-filter>",
            ),
            "invalid-value",
            "ietf-subscribed-notifications:filter-unsupported",
            "there is no function nosuch",
        ),
        (
            operation("establish", "<stream>NETCONF</stream><stream-xpath-filter>//[</stream-xpath-filter>"),
            "invalid-value",
            "ietf-subscribed-notifications:filter-unsupported",
            "<filter-failure-hint>",
        ),
        (
            operation("modify", &format!("<id>77</id><yp:datastore>ds:running</yp:datastore>{PERIODIC}")),
            "invalid-value",
            "ietf-subscribed-notifications:no-such-subscription",
            "modify-subscription-stream-error-info",
        ),
    ] {
        let reply = ann.ask(&request);
        refused(&reply, tag, app_tag);
        assert!(reply.contains(more), "{more}: {reply}");
    }
    for (inner, part) in [
        ("<stream>SYSLOG</stream>", "the only one is NETCONF"),
        (
            "<stream>NETCONF</stream><stop-time>2020-01-01T00:00:00Z</stop-time>",
            "stop-time: this time has passed",
        ),
        (
            "<stream>NETCONF</stream><replay-start-time>2999-01-01T00:00:00Z</replay-start-time>",
            "in the past",
        ),
    ] {
        let reply = ann.ask(&operation("establish", inner));
        assert!(reply.contains(part), "{part}: {reply}");
    }
    // A session has not both kinds (RFC 8640 section 4).
    let create = format!("<create-subscription xmlns='{NOTIFICATION}'/>");
    let events = operation("establish", "<stream>NETCONF</stream><stream-subtree-filter/>");
    let first = establish(&mut ann, &events);
    assert!(ann.ask(&create).contains("operation-not-supported"));
    assert_eq!(ann.ask(&operation("delete", &format!("<id>{first}</id>"))), "<ok/>");
    assert_eq!(ann.ask(&create), "<ok/>");
    assert!(ann.ask_through(&events).pop().unwrap().contains("operation-not-supported"));
    // At most so many.
    let mut bob = Client::open(&agent, "bob");
    let quiet =
        data("running", &system(), "<yp:on-change><yp:sync-on-start>false</yp:sync-on-start></yp:on-change>");
    for _ in 0..32 {
        establish(&mut bob, &quiet);
    }
    refused(&bob.ask(&quiet), "resource-denied", "ietf-subscribed-notifications:insufficient-resources");
}

/// The modules of the RFCs, as libyang reads them, take what is sent.
#[test]
fn updates_are_as_the_modules_have_them() {
    let Some(yanglint) = Yanglint::new() else { return };
    let agent = agent("");
    let (mut ann, mut max) = (Client::open(&agent, "ann"), Client::open(&agent, "max"));
    set_contact(&mut max, "one");
    let interfaces = format!("{}<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'/>", system());
    establish(&mut ann, &data("operational", &interfaces, "<yp:on-change/>"));
    yanglint.check_notification("update.xml", &whole(&mut ann).0);
    set_contact(&mut max, "two");
    yanglint.check_notification("change.xml", &whole(&mut ann).0);
    let stream = operation(
        "establish",
        "<stream>NETCONF</stream><replay-start-time>2020-01-01T00:00:00Z</replay-start-time>",
    );
    let id: u32 = ann.ask(&stream).split(['>', '<']).nth(2).unwrap().parse().unwrap();
    let completed = std::iter::from_fn(|| Some(whole(&mut ann).0)).find(|it| it.contains("replay-completed"));
    yanglint.check_notification("completed.xml", &completed.unwrap());
    assert_eq!(max.ask(&operation("kill", &format!("<id>{id}</id>"))), "<ok/>");
    let ended = std::iter::from_fn(|| Some(whole(&mut ann).0)).find(|it| it.contains("terminated"));
    yanglint.check_notification("terminated.xml", &ended.unwrap());
}

/// What a subscription on change compares with counts from its beginning, also if its session never comes to an update: a client that reads nothing could fill the
/// agent's memory.
#[test]
fn what_subscriptions_on_change_keep_is_bounded_from_their_beginning() {
    let bgp = "/trunkline-bgp:bgp";
    let hook = format!("[[netconf.hook]]\nsubtree = {bgp:?}\ncommand = [\"/bin/true\"]\n");
    let agent = Agent::start(&with_hooks(&hook));
    let mut clients = [(); 3].map(|()| Client::open(&agent, "max"));
    let neighbor = |number: u32| {
        let [high, low] = [number / 250, number % 250];
        format!(
            "<neighbor><remote-address>10.0.{high}.{low}</remote-address><peer-as>65002</peer-as><description>{}</description></neighbor>",
            "x".repeat(255)
        )
    };
    let neighbors: String = (0..5000).map(neighbor).collect();
    let content = hooks::bgp(&(hooks::global(65001) + &format!("<neighbors>{neighbors}</neighbors>")));
    assert_eq!(clients[0].ask(&hooks::edit("running", &content)), "<ok/>");
    let request = data(
        "running",
        &hooks::bgp(""),
        "<yp:on-change><yp:sync-on-start>false</yp:sync-on-start></yp:on-change>",
    );
    let mut established = Vec::new();
    // A session has at most 32.
    let refusal = (0..96).find_map(|at| {
        let reply = clients[at / 32].ask(&request);
        match reply.strip_prefix(&format!("<id xmlns=\"{SN}\">")).and_then(|it| it.split('<').next()) {
            Some(id) => {
                established.push((at / 32, id.to_owned()));
                None
            }
            None => Some(reply),
        }
    });
    let refusal = refusal.expect("there is a limit");
    refused(&refusal, "resource-denied", "ietf-subscribed-notifications:insufficient-resources");
    assert!(refusal.contains("keep too much data") && established.len() > 10, "{established:?}: {refusal}");
    // There is room again when one ends.
    let (client, id) = established.swap_remove(0);
    assert_eq!(clients[client].ask(&operation("delete", &format!("<id>{id}</id>"))), "<ok/>");
    establish(&mut clients[client], &request);
}
