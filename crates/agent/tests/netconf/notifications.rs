//! Subscriptions (RFC 5277), what NETCONF itself tells (RFC 6470), and notifications of MIB modules.

use trunkline_netconf::document::{Document, limits};
use trunkline_testkit::namespace::{ip, isolated};
use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, agent};
use crate::support::Agent;

const NOTIFICATION: &str = "urn:ietf:params:xml:ns:netconf:notification:1.0";
const NCN: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-notifications";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";

fn subscribe(parameters: &str) -> String {
    format!("<create-subscription xmlns='{NOTIFICATION}'>{parameters}</create-subscription>")
}

/// The next event of a subscriber: its time and its content.
fn event(client: &mut Client) -> (String, String) {
    let text = String::from_utf8(client.read().expect("an event")).unwrap();
    Document::read(text.as_bytes(), limits(1 << 20)).unwrap_or_else(|error| panic!("{error}: {text}"));
    let head = format!("<notification xmlns=\"{NOTIFICATION}\"><eventTime>");
    let rest = text.strip_prefix(&head).unwrap_or_else(|| panic!("{text}"));
    let (time, content) = rest.split_once("</eventTime>").unwrap();
    (time.to_owned(), content.strip_suffix("</notification>").unwrap().to_owned())
}

/// Of events of NETCONF itself: without the namespace.
fn told(client: &mut Client) -> String {
    event(client).1.replace(&format!(" xmlns=\"{NCN}\""), "")
}

fn who(client: &Client, name: &str) -> String {
    let id = client.id();
    format!("<username>{name}</username><session-id>{id}</session-id><source-host>127.0.0.1</source-host>")
}

/// A session whose hello has arrived: it sends only while it waits.
fn begun(agent: &Agent, name: &str) -> Client {
    let mut client = Client::open(agent, name);
    assert!(client.ask("<get-config><source><running/></source></get-config>").starts_with("<data>"));
    client
}

fn set_contact(client: &mut Client, target: &str, contact: &str) {
    let edit = format!(
        "<edit-config><target><{target}/></target><config><system xmlns='{SYSTEM}'><contact>{contact}</contact></system></config>\
         </edit-config>"
    );
    assert_eq!(client.ask(&edit), "<ok/>");
}

#[test]
fn sessions_changes_and_commits_are_events() {
    let agent = agent("");
    let mut watcher = Client::open(&agent, "ann");
    assert_eq!(watcher.ask(&subscribe("")), "<ok/>");
    assert!(watcher.ask(&subscribe("")).contains("operation-failed"));
    let mut max = begun(&agent, "max");
    let by = who(&max, "max");
    assert_eq!(told(&mut watcher), format!("<netconf-session-start>{by}</netconf-session-start>"));
    let change = |by: &str, operation: &str| {
        format!(
            "<netconf-config-change><changed-by>{by}</changed-by><datastore>running</datastore><edit>\
             <target xmlns:sys=\"{SYSTEM}\">/sys:system/sys:contact</target><operation>{operation}</operation></edit>\
             </netconf-config-change>"
        )
    };
    set_contact(&mut max, "running", "one");
    assert_eq!(told(&mut watcher), change(&by, "create"));
    // The same again changes nothing, and neither does the candidate.
    set_contact(&mut max, "running", "one");
    set_contact(&mut max, "candidate", "two");
    let trial = "<commit><confirmed/><confirm-timeout>600</confirm-timeout></commit>";
    assert_eq!(max.ask(trial), "<ok/>");
    let confirm = |by: &str, what: &str| {
        format!("<netconf-confirmed-commit>{by}<confirm-event>{what}</netconf-confirmed-commit>")
    };
    assert_eq!(told(&mut watcher), change(&by, "replace"));
    assert_eq!(told(&mut watcher), confirm(&by, "start</confirm-event><timeout>600</timeout>"));
    assert_eq!(max.ask(trial), "<ok/>");
    assert_eq!(told(&mut watcher), confirm(&by, "extend</confirm-event><timeout>600</timeout>"));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert_eq!(told(&mut watcher), confirm(&by, "complete</confirm-event>"));
    // What is not confirmed in time is taken back by the agent.
    set_contact(&mut max, "candidate", "three");
    assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>1</confirm-timeout></commit>"), "<ok/>");
    assert_eq!(told(&mut watcher), change(&by, "replace"));
    assert_eq!(told(&mut watcher), confirm(&by, "start</confirm-event><timeout>1</timeout>"));
    assert_eq!(told(&mut watcher), confirm("", "timeout</confirm-event>"));
    assert_eq!(told(&mut watcher), change("<server/>", "replace"));
    // Requests are answered in between.
    assert!(watcher.get("<SNMPv2-MIB><system><sysContact/></system></SNMPv2-MIB>").contains(">two<"));
    let mut other = begun(&agent, "max");
    let killed = who(&other, "max");
    assert_eq!(told(&mut watcher), format!("<netconf-session-start>{killed}</netconf-session-start>"));
    assert_eq!(
        max.ask(&format!("<kill-session><session-id>{}</session-id></kill-session>", other.id())),
        "<ok/>"
    );
    assert_eq!(other.read(), None);
    let end = |who: &str, reason: &str| {
        format!("<netconf-session-end>{who}{reason}</termination-reason></netconf-session-end>")
    };
    let by_max = format!("<killed-by>{}</killed-by><termination-reason>killed", max.id());
    assert_eq!(told(&mut watcher), end(&killed, &by_max));
    assert_eq!(max.ask("<close-session/>"), "<ok/>");
    assert_eq!(told(&mut watcher), end(&by, "<termination-reason>closed"));
    let streams = watcher.get("<netconf xmlns='urn:ietf:params:xml:ns:netmod:notification'/>");
    assert!(
        streams.contains("<name>NETCONF</name>") && streams.contains("<replaySupport>true<"),
        "{streams}"
    );
    let state = "<netconf-state xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><statistics><out-notifications/>\
                 </statistics></netconf-state>";
    assert!(
        watcher.get(state).contains("<out-notifications>13</out-notifications>"),
        "{}",
        watcher.get(state)
    );
}

#[test]
fn what_was_is_replayed_and_a_subscription_ends_at_its_time() {
    let agent = agent("");
    let mut first = Client::open(&agent, "max");
    assert_eq!(first.ask(&subscribe("")), "<ok/>");
    let mut max = begun(&agent, "max");
    let (start, _) = event(&mut first);
    set_contact(&mut max, "running", "one");
    let (change, content) = event(&mut first);
    assert!(content.contains("config-change"), "{content}");
    let mut late = begun(&agent, "max");
    event(&mut first);
    let complete = |name: &str| format!("<{name} xmlns=\"urn:ietf:params:xml:ns:netmod:notification\"/>");
    assert_eq!(late.ask(&subscribe(&format!("<startTime>{start}</startTime>"))), "<ok/>");
    assert_eq!(event(&mut late).0, start);
    assert_eq!(event(&mut late), (change.clone(), content));
    assert!(event(&mut late).1.contains("session-start"));
    assert_eq!(event(&mut late).1, complete("replayComplete"));
    // Live from then on.
    set_contact(&mut max, "running", "two");
    assert!(event(&mut late).1.contains("config-change"));
    // Up to a time that has passed.
    let mut until = Client::open(&agent, "max");
    let times = format!("<startTime>{start}</startTime><stopTime>{change}</stopTime>");
    assert_eq!(until.ask(&subscribe(&times)), "<ok/>");
    assert_eq!((event(&mut until).0, event(&mut until).0), (start.clone(), change));
    assert_eq!(event(&mut until).1, complete("replayComplete"));
    assert_eq!(event(&mut until).1, complete("notificationComplete"));
    // It may subscribe again.
    assert_eq!(until.ask(&subscribe("")), "<ok/>");
    let mut wrong = Client::open(&agent, "max");
    for (parameters, part) in [
        ("<startTime>yesterday</startTime>", "startTime must be a time"),
        ("<startTime>2999-01-01T00:00:00Z</startTime>", "<bad-element>startTime</bad-element>"),
        ("<stopTime>2999-01-01T00:00:00Z</stopTime>", "missing-element"),
        (
            "<startTime>2020-01-01T00:00:00Z</startTime><stopTime>2019-01-01T00:00:00Z</stopTime>",
            "<bad-element>stopTime</bad-element>",
        ),
        ("<stream>SYSLOG</stream>", "the only one is NETCONF"),
        ("<filter type='xpath' select='//['/>", "invalid-value"),
    ] {
        let reply = wrong.ask(&subscribe(parameters));
        assert!(reply.contains(part), "{parameters}: {reply}");
    }
}

#[test]
fn filters_select_events() {
    let agent = agent("");
    let mut max = begun(&agent, "max");
    let filters = [
        format!("<filter type='subtree'><netconf-config-change xmlns='{NCN}'/></filter>"),
        format!(
            "<filter type='subtree'><netconf-config-change xmlns='{NCN}'><edit><operation>replace</operation></edit>\
             </netconf-config-change></filter>"
        ),
        format!(
            "<filter xmlns:n='{NCN}' type='xpath' select=\"/n:netconf-config-change/n:edit[n:operation = 'replace']\"/>"
        ),
    ];
    let mut watchers: Vec<Client> = filters
        .iter()
        .map(|filter| {
            let mut client = Client::open(&agent, "ann");
            assert_eq!(client.ask(&subscribe(filter)), "<ok/>");
            client
        })
        .collect();
    set_contact(&mut max, "running", "one");
    set_contact(&mut max, "running", "two");
    assert!(event(&mut watchers[0]).1.contains("<operation>create<"));
    for watcher in &mut watchers {
        assert!(event(watcher).1.contains("<operation>replace<"));
    }
}

/// Who may not read the names of principals sees its own session alone.
#[test]
fn events_are_for_those_who_may_see_them() {
    let agent = agent("");
    let mut bob = Client::open(&agent, "bob");
    assert_eq!(bob.ask(&subscribe("")), "<ok/>");
    let mut max = begun(&agent, "max");
    set_contact(&mut max, "running", "one");
    let mut again = Client::open(&agent, "bob");
    let past = "<startTime>2020-01-01T00:00:00Z</startTime>";
    assert_eq!(again.ask(&subscribe(past)), "<ok/>");
    let own = who(&again, "bob");
    assert_eq!(told(&mut again), format!("<netconf-session-start>{own}</netconf-session-start>"));
    assert!(event(&mut again).1.contains("replayComplete"));
    // Tom may read and change the contact, and gets the event of his own change.
    let mut tom = Client::open(&agent, "tom");
    assert_eq!(tom.ask(&subscribe("")), "<ok/>");
    set_contact(&mut max, "running", "two");
    set_contact(&mut tom, "running", "three");
    let content = event(&mut tom).1;
    assert!(content.contains("<username>tom</username>") && content.contains("<edit>"), "{content}");
}

#[test]
fn links_are_events_as_notifications_of_their_module() {
    isolated("notifications::links_are_events_as_notifications_of_their_module", || {
        ip("link add near type veth peer name far");
        let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
        let agent = agent(&format!(
            "[[role]]\nname = \"watcher\"\nnotify = [\"1.3.6.1.6.3.1.1.5\", \"1.3.6.1.2.1.2\"]\n\
             [[snmp.principal]]\nname = \"wat\"\nrole = \"watcher\"\npassword-hash = {hash:?}\n"
        ));
        let mut watcher = Client::open(&agent, "wat");
        let filter = "<filter><linkUp xmlns='urn:ietf:params:xml:ns:yang:smiv2:IF-MIB'/></filter>";
        assert_eq!(watcher.ask(&subscribe(filter)), "<ok/>");
        let mut max = begun(&agent, "max");
        assert_eq!(max.ask(&subscribe("")), "<ok/>");
        ip("link set near up");
        ip("link set far up");
        let content = event(&mut watcher).1;
        let index = content.split("<ifIndex>").nth(1).and_then(|it| it.split('<').next()).unwrap().to_owned();
        assert_eq!(
            content,
            format!(
                "<linkUp xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:IF-MIB\"><object-1><ifIndex>{index}</ifIndex></object-1>\
                 <object-2><ifIndex>{index}</ifIndex><ifAdminStatus>up</ifAdminStatus></object-2>\
                 <object-3><ifIndex>{index}</ifIndex><ifOperStatus>up</ifOperStatus></object-3></linkUp>"
            )
        );
        // Max has no view of notifications.
        set_contact(&mut max, "running", "one");
        let seen = event(&mut max).1;
        assert!(seen.contains("config-change"), "{seen}");
    });
}
