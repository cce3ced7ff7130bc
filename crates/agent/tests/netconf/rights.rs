//! What is taken from somebody stays taken: no commit of theirs brings it back, holds it off, or gives what they administer more than they have.

use crate::client::Client;
use crate::rbac::{KEYS, SYSTEM, administered, edit, has_tag, keeper, permission, rbac, role, text};
use crate::support::Agent;

fn keys(role: &str, epoch: &str) -> String {
    format!("<keys xmlns='urn:trunkline:yang:keys'><role><name>{role}</name>{epoch}</role></keys>")
}

fn epoch(attributes: &str, number: u32) -> String {
    format!("<epoch{attributes}><number>{number}</number>{KEYS}</epoch>")
}

/// An agent where `joe` may change everything by a role that is data, and `keeper` has an epoch of keys.
fn powerful() -> Agent {
    let agent = Agent::start(&text());
    let mut max = Client::open(&agent, "max");
    let all = permission("r", "read", "1") + &permission("w", "write", "1");
    let joe = "<user><name>joe</name><role>all</role></user>";
    let content = keys("keeper", &epoch("", 5)) + &rbac(&(keeper() + &role("all", &all) + joe));
    assert_eq!(max.ask(&edit("running", &content)), "<ok/>");
    agent
}

const TRIAL: &str =
    "<commit><confirmed/><confirm-timeout>4294967295</confirm-timeout><persist>p</persist></commit>";

fn group(operation: &str) -> String {
    format!(
        "<nacm xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-acm'><groups><group><name>all</name><user-name>tim</user-name>\
         <user-name{operation}>eve</user-name></group></groups></nacm>"
    )
}

fn member(operation: &str) -> String {
    format!(
        "<snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'><vacm><group><name>all</name><member{operation}>\
         <security-name>eve</security-name><security-model>tsm</security-model></member></group></vacm></snmp>"
    )
}

const GONE: &str = " nc:operation='remove'";

/// Neither by those who have their rights from them, nor by others: a no-op beside such a commit would not last.
#[test]
fn what_gives_rights_does_not_wait_to_be_confirmed() {
    let agent = powerful();
    let (mut joe, mut max) = (Client::open(&agent, "joe"), Client::open(&agent, "max"));
    assert_eq!(max.ask(&edit("running", &group(""))), "<ok/>");
    for content in [
        keys("keeper", &epoch(" nc:operation='delete'", 5)),
        rbac("<user nc:operation='delete'><name>joe</name></user>"),
        rbac(&role("keeper", &permission("more", "read", "1"))),
        group(GONE),
        member(GONE),
        "<snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'><community><index>1</index><text-name>s</text-name>\
         <security-name>x</security-name></community></snmp>"
            .to_owned(),
    ] {
        for client in [&mut joe, &mut max] {
            assert_eq!(client.ask(&edit("candidate", &content)), "<ok/>");
            let refused = client.ask(TRIAL);
            let is_so = has_tag(&refused, "operation-not-supported") && refused.contains("Commit without");
            assert!(is_so, "{content}: {refused}");
            assert_eq!(client.ask("<discard-changes/>"), "<ok/>");
        }
    }
    // Nor as a part of such a commit of something else, by an edit of running that follows.
    for client in [&mut joe, &mut max] {
        let attic = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
        assert_eq!(client.ask(&edit("candidate", &attic)), "<ok/>");
        assert_eq!(client.ask("<commit><confirmed/></commit>"), "<ok/>");
        let taken = keys("keeper", &epoch(" nc:operation='remove'", 5)) + &group(GONE);
        assert_eq!(client.ask(&edit("running", &taken)), "<ok/>");
        assert_eq!(client.ask("<cancel-commit/>"), "<ok/>");
        let now = client.ask("<get-config><source><running/></source></get-config>");
        assert!(!now.contains("attic") && !now.contains("<number>5<") && !now.contains(">eve<"), "{now}");
        let again = keys("keeper", &epoch("", 5)) + &group("");
        assert_eq!(client.ask(&edit("running", &again)), "<ok/>");
    }
}

/// `/nacm` and `/snmp` show the same row.
#[test]
fn a_row_of_groups_that_both_views_set_is_set_once() {
    let agent = powerful();
    let mut max = Client::open(&agent, "max");
    for operation in ["", GONE, ""] {
        assert_eq!(max.ask(&edit("running", &(group(operation) + &member(operation)))), "<ok/>");
        let now = max.ask("<get-config><source><running/></source></get-config>");
        assert_eq!(now.matches(">eve<").count(), if operation == GONE { 0 } else { 2 }, "{now}");
    }
    // They contradict each other.
    assert_eq!(max.ask(&edit("running", &group(GONE))), "<ok/>");
    let other = member("").replace("<name>all</name>", "<name>admin</name>");
    let refused = max.ask(&edit("running", &(group("") + &other)));
    assert!(has_tag(&refused, "access-denied"), "{refused}");
}

#[test]
fn a_commit_with_a_name_goes_with_the_rights_of_its_user() {
    let agent = powerful();
    let mut joe = Client::open(&agent, "joe");
    let attic = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
    assert_eq!(joe.ask(&edit("candidate", &attic)), "<ok/>");
    assert_eq!(joe.ask(TRIAL), "<ok/>");
    drop(joe);
    agent.wait_for("a NETCONF session has ended");
    let mut max = Client::open(&agent, "max");
    let lock = "<lock><target><running/></target></lock>";
    assert!(has_tag(&max.ask(lock), "lock-denied"));
    let gone = rbac("<user nc:operation='delete'><name>joe</name></user>");
    assert_eq!(max.ask(&edit("running", &gone)), "<ok/>");
    agent.wait_for("a confirmed commit is taken back: its user may change nothing any more");
    assert_eq!(max.ask(lock), "<ok/>");
    let now = max.ask("<get-config><source><running/></source></get-config>");
    assert!(!now.contains("attic") && !now.contains("<name>joe</name>"), "{now}");
}

#[test]
fn what_was_taken_comes_back_by_no_older_candidate() {
    let agent = powerful();
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    assert_eq!(max.ask(&edit("running", &group(""))), "<ok/>");
    let attic = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
    assert_eq!(other.ask(&edit("candidate", &attic)), "<ok/>");
    let taken = keys("keeper", &(epoch(" nc:operation='delete'", 5) + &epoch("", 6)))
        + &rbac("<user nc:operation='delete'><name>joe</name></user>");
    assert_eq!(max.ask(&edit("running", &taken)), "<ok/>");
    assert_eq!(max.ask(&edit("running", &group(GONE))), "<ok/>");
    assert_eq!(other.ask("<commit/>"), "<ok/>");
    let now = max.ask("<get-config><source><running/></source></get-config>");
    assert!(now.contains("attic") && now.contains("<number>6<") && !now.contains(">eve<"), "{now}");
    assert!(!now.contains("<number>5<") && !now.contains("<name>joe</name>"), "{now}");
}

#[test]
fn administration_is_not_handed_on() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let second =
        role("second", "<administers>great</administers>") + &role("great", &permission("all", "write", "1"));
    assert_eq!(max.ask(&edit("running", &rbac(&second))), "<ok/>");
    for junior in ["lead", "second"] {
        let content = role("watcher", &format!("<junior-role>{junior}</junior-role>"));
        let refused = zoe.ask(&edit("running", &rbac(&content)));
        assert!(has_tag(&refused, "access-denied"), "{junior}: {refused}");
    }
    // Somebody else has done so: then the role is beyond this administrator, as are its keys and members.
    assert_eq!(
        max.ask(&edit("running", &rbac(&role("watcher", "<junior-role>second</junior-role>")))),
        "<ok/>"
    );
    for content in [
        keys("watcher", &epoch("", 3)),
        rbac("<user><name>zoe</name><role>watcher</role></user>"),
        rbac(&role("watcher", &permission("where", "read", "1.3.6.1.2.1.1.6"))),
    ] {
        let refused = zoe.ask(&edit("running", &content));
        assert!(
            has_tag(&refused, "access-denied") && refused.contains("would administer great"),
            "{refused}"
        );
    }
}

/// Managers may have given the group of a role more than the role says.
#[test]
fn an_administrator_gives_no_rights_that_managers_have_set_for_the_group_of_a_role() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let joe = rbac("<user><name>joe</name><role>watcher</role></user>");
    assert_eq!(zoe.ask(&edit("running", &joe)), "<ok/>");
    assert_eq!(
        zoe.ask(&edit("running", &rbac("<user nc:operation='delete'><name>joe</name></user>"))),
        "<ok/>"
    );
    let set = "<snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'><vacm><group><name>watcher</name><access><context/>\
               <context-match>exact</context-match><security-model>tsm</security-model><security-level>auth-priv</security-level>\
               <write-view>everything</write-view></access></group><view><name>everything</name><include>1</include></view></vacm></snmp>";
    assert_eq!(max.ask(&edit("running", set)), "<ok/>");
    let refused = zoe.ask(&edit("running", &joe));
    assert!(has_tag(&refused, "access-denied") && refused.contains("would have rights"), "{refused}");
}
