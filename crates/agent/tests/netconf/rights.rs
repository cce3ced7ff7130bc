//! What is taken from somebody stays taken: no commit of theirs brings it back, holds it off, or gives what they administer more than they have.

use crate::client::Client;
use crate::rbac::{
    KEYS, SYSTEM, administered, edit, has_tag, keeper, location, permission, rbac, role, text,
};
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

#[test]
fn roles_and_keys_do_not_wait_to_be_confirmed_by_those_who_have_their_rights_from_them() {
    let agent = powerful();
    let mut joe = Client::open(&agent, "joe");
    for content in [
        keys("keeper", &epoch(" nc:operation='delete'", 5)),
        rbac("<user nc:operation='delete'><name>joe</name></user>"),
        rbac(&role("keeper", &permission("more", "read", "1"))),
    ] {
        assert_eq!(joe.ask(&edit("candidate", &content)), "<ok/>");
        let refused = joe.ask(TRIAL);
        assert!(has_tag(&refused, "access-denied") && refused.contains("commit without"), "{refused}");
        assert_eq!(joe.ask("<discard-changes/>"), "<ok/>");
    }
    // Nor as a part of such a commit of something else, by an edit of running that follows.
    let attic = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
    assert_eq!(joe.ask(&edit("candidate", &attic)), "<ok/>");
    assert_eq!(joe.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(joe.ask(&edit("running", &keys("keeper", &epoch(" nc:operation='delete'", 5)))), "<ok/>");
    assert_eq!(joe.ask("<cancel-commit/>"), "<ok/>");
    let mut max = Client::open(&agent, "max");
    let now = max.ask("<get-config><source><running/></source></get-config>");
    assert!(!now.contains("attic") && !now.contains("<number>5<"), "{now}");
    // Whoever has all rights by the file tries what they like.
    assert_eq!(max.ask(&edit("candidate", &keys("keeper", &epoch("", 9)))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
    assert!(!max.ask("<get-config><source><running/></source></get-config>").contains("<number>9<"));
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
    let attic = format!("<system xmlns='{SYSTEM}'><location>attic</location></system>");
    assert_eq!(other.ask(&edit("candidate", &attic)), "<ok/>");
    let taken = keys("keeper", &(epoch(" nc:operation='delete'", 5) + &epoch("", 6)))
        + &rbac("<user nc:operation='delete'><name>joe</name></user>");
    assert_eq!(max.ask(&edit("running", &taken)), "<ok/>");
    assert_eq!(other.ask("<commit/>"), "<ok/>");
    let now = max.ask("<get-config><source><running/></source></get-config>");
    assert!(now.contains("attic") && now.contains("<number>6<"), "{now}");
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

/// What is tried by somebody else counts as it will be when that is taken back.
#[test]
fn an_administrator_has_no_more_by_what_waits_to_be_confirmed() {
    let agent = administered("");
    let (mut max, mut zoe) = (Client::open(&agent, "max"), Client::open(&agent, "zoe"));
    let all = role("watcher", &permission("all", "write", "1"));
    assert_eq!(max.ask(&edit("running", &rbac(&all))), "<ok/>");
    assert!(has_tag(&zoe.ask(&edit("running", &keys("watcher", &epoch("", 1)))), "access-denied"));
    let emptied = role("watcher", "<permission nc:operation='delete'><name>all</name></permission>");
    assert_eq!(max.ask(&edit("candidate", &rbac(&emptied))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert!(has_tag(&zoe.ask(&edit("running", &keys("watcher", &epoch("", 1)))), "access-denied"));
    let member = rbac("<user><name>zoe</name><role>watcher</role></user>");
    assert!(has_tag(&zoe.ask(&edit("running", &member)), "access-denied"));
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert_eq!(zoe.ask(&edit("running", &keys("watcher", &epoch("", 1)))), "<ok/>");
    assert!(has_tag(&zoe.ask(&location("x")), "access-denied"));
}
