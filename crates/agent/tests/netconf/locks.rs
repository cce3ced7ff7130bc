//! Locks on parts of running (RFC 5717).

use crate::client::{Client, agent};
use crate::support::talk::Talk;

const LOCK: &str = "urn:ietf:params:xml:ns:netconf:partial-lock:1.0";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";

fn lock(client: &mut Client, selects: &[&str]) -> String {
    let selects: String = selects.iter().map(|it| format!("<select>{it}</select>")).collect();
    client.ask(&format!("<partial-lock xmlns='{LOCK}' xmlns:s='{SYSTEM}'>{selects}</partial-lock>"))
}

fn unlock(client: &mut Client, id: &str) -> String {
    client.ask(&format!("<partial-unlock xmlns='{LOCK}'><lock-id>{id}</lock-id></partial-unlock>"))
}

/// The number of a lock that was granted.
fn id(reply: &str) -> String {
    let rest =
        reply.strip_prefix(&format!("<lock-id xmlns=\"{LOCK}\">")).unwrap_or_else(|| panic!("{reply}"));
    rest.split('<').next().unwrap().to_owned()
}

fn edit(client: &mut Client, target: &str, content: &str) -> String {
    client.ask(&format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>\
         <system xmlns='{SYSTEM}'>{content}</system></config></edit-config>"
    ))
}

fn has_tag(reply: &str, tag: &str) -> bool {
    reply.contains(&format!("<error-tag>{tag}</error-tag>"))
}

#[test]
fn parts_that_are_locked_are_changed_by_their_holder_alone() {
    let agent = agent("[[snmp.community]]\nname = \"writer\"\naccess = \"write\"\n");
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    assert!(max.hello.capabilities.iter().any(|it| it.ends_with(":partial-lock:1.0")));
    assert_eq!(edit(&mut max, "running", "<contact>one</contact><location>here</location>"), "<ok/>");
    let reply = lock(&mut max, &["/s:system/s:contact"]);
    let number = id(&reply);
    assert!(
        reply.ends_with(&format!(
            "<locked-node xmlns=\"{LOCK}\" xmlns:sys=\"{SYSTEM}\">/sys:system/sys:contact</locked-node>"
        )),
        "{reply}"
    );
    // Others change the rest, and not this, in no way.
    let holder = format!("<session-id>{}</session-id>", max.id());
    assert_eq!(edit(&mut other, "running", "<location>there</location>"), "<ok/>");
    for content in ["<contact>two</contact>", "<contact nc:operation='delete'/>"] {
        let reply = edit(&mut other, "running", content);
        assert!(has_tag(&reply, "in-use") && reply.contains(&holder), "{reply}");
        assert!(reply.contains("<error-app-tag>locked</error-app-tag>"), "{reply}");
        assert!(reply.contains("/sys:system/sys:contact</error-path>"), "{reply}");
    }
    let replaced = "<copy-config><target><running/></target><source><config/></source></copy-config>";
    assert!(has_tag(&other.ask(replaced), "in-use"));
    assert_eq!(edit(&mut other, "candidate", "<contact>two</contact>"), "<ok/>");
    assert!(has_tag(&other.ask("<commit/>"), "in-use"));
    assert_eq!(other.ask("<discard-changes/>"), "<ok/>");
    let talk = Talk::to(&agent);
    talk.check(&[
        ("2c writer set sysContact.0=s:x", "resourceUnavailable 1 sysContact.0=s:x"),
        ("2c writer set sysLocation.0=s:y", "noError 0 sysLocation.0=s:y"),
    ]);
    assert_eq!(edit(&mut max, "running", "<contact>mine</contact>"), "<ok/>");

    // What overlaps is not locked by others, nor the whole by anybody.
    for select in ["/s:system/s:contact", "/s:system", "/", "//s:*"] {
        let reply = lock(&mut other, &[select]);
        assert!(has_tag(&reply, "lock-denied") && reply.contains(&holder), "{select}: {reply}");
    }
    for client in [&mut max, &mut other] {
        let reply = client.ask("<lock><target><running/></target></lock>");
        assert!(has_tag(&reply, "lock-denied") && reply.contains(&holder), "{reply}");
    }
    let location = id(&lock(&mut other, &["/s:system/*[starts-with(., 'y')]"]));
    // Both are shown, with prefixes that are declared.
    let state = "<netconf-state xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><datastores/></netconf-state>";
    let shown = max.get(state);
    for part in [
        format!("<partial-lock><lock-id>{number}</lock-id><locked-by-session>{}<", max.id()),
        format!("<select xmlns:sys=\"{SYSTEM}\">/child::sys:system/child::sys:contact</select>"),
        format!("<locked-node xmlns:sys=\"{SYSTEM}\">/sys:system/sys:location</locked-node>"),
    ] {
        assert!(shown.contains(&part), "{part} in {shown}");
    }
    // Who may not read what is locked does not see that.
    let mut eve = Client::open(&agent, "tom");
    let shown = eve.get(state);
    assert!(
        shown.contains(">/sys:system/sys:contact</locked-node>") && !shown.contains("location"),
        "{shown}"
    );

    // A lock is its session's, and ends with that.
    assert!(has_tag(&unlock(&mut max, &location), "invalid-value"));
    assert_eq!(unlock(&mut other, &location), "<ok/>");
    assert!(has_tag(&unlock(&mut other, &location), "invalid-value"));
    drop(max);
    while edit(&mut other, "running", "<contact>two</contact>") != "<ok/>" {}
    assert_eq!(other.ask("<lock><target><running/></target></lock>"), "<ok/>");
    talk.check(&[("2c writer set sysLocation.0=s:y", "resourceUnavailable 1 sysLocation.0=s:y")]);
    let mut third = Client::open(&agent, "max");
    assert!(has_tag(&lock(&mut third, &["/s:system"]), "lock-denied"));
}

#[test]
fn locks_that_cannot_be_say_why() {
    let agent = agent("");
    let (mut max, mut tom, mut ann) =
        (Client::open(&agent, "max"), Client::open(&agent, "tom"), Client::open(&agent, "ann"));
    assert_eq!(edit(&mut max, "running", "<contact>one</contact><location>here</location>"), "<ok/>");
    for (select, tag, app_tag) in [
        ("/s:system/s:hostname", "operation-failed", "no-matches"),
        ("count(/s:system)", "invalid-value", "not-a-node-set"),
        ("/s:system[", "invalid-value", ""),
        ("/t:system", "invalid-value", ""),
    ] {
        let reply = lock(&mut max, &[select]);
        assert!(has_tag(&reply, tag) && reply.contains(app_tag), "{select}: {reply}");
    }
    assert!(has_tag(&lock(&mut max, &[]), "missing-element"));
    assert!(has_tag(&lock(&mut max, &["/s:system"; 21]), "resource-denied"));
    // One that fails in part locks nothing.
    assert!(has_tag(&lock(&mut max, &["/s:system/s:contact", "/s:system/s:hostname"]), "operation-failed"));
    let granted = id(&lock(&mut max, &["/s:system/s:contact"]));
    assert_eq!((&granted[..], unlock(&mut max, &granted)), ("1", "<ok/>".to_owned()));
    // Who may write nothing locks nothing; who may not read something does not learn of it.
    assert!(has_tag(&lock(&mut ann, &["/s:system"]), "access-denied"));
    let reply = lock(&mut tom, &["/s:system/s:location"]);
    assert!(has_tag(&reply, "operation-failed") && reply.contains("no-matches"), "{reply}");
    assert_eq!(id(&lock(&mut tom, &["/s:system/s:contact"])), "2");
    // While a commit waits to be confirmed, others lock nothing.
    assert_eq!(edit(&mut max, "candidate", "<location>there</location>"), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    let reply = lock(&mut tom, &["/s:system/s:contact"]);
    assert!(has_tag(&reply, "in-use") && reply.contains("outstanding-confirmed-commit"), "{reply}");
}

/// RFC 6241 section 7.5: lock-denied names the session that holds the lock.
#[test]
fn the_lock_on_the_candidate_names_its_holder_before_what_is_in_it() {
    let agent = agent("");
    let (mut max, mut tom) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let candidate = "<lock><target><candidate/></target></lock>";
    let denied = |session: &str| format!("<session-id>{session}</session-id>");
    assert_eq!(max.ask(candidate), "<ok/>");
    assert_eq!(edit(&mut max, "candidate", "<contact>one</contact>"), "<ok/>");
    let reply = tom.ask(candidate);
    assert!(has_tag(&reply, "lock-denied") && reply.contains(&denied(&max.id().to_string())), "{reply}");
    assert_eq!(max.ask("<unlock><target><candidate/></target></unlock>"), "<ok/>");
    // What is not as running is somebody's change, and what is as running again is nobody's.
    assert_eq!(edit(&mut max, "candidate", "<contact>one</contact>"), "<ok/>");
    let reply = tom.ask(candidate);
    assert!(has_tag(&reply, "lock-denied") && reply.contains(&denied("0")), "{reply}");
    assert_eq!(edit(&mut max, "candidate", "<contact nc:operation='delete'/>"), "<ok/>");
    assert_eq!(tom.ask(candidate), "<ok/>");
}
