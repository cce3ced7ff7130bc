//! What an operator relies on: the log says who did what, sets over SNMP are a part of the configuration, and whoever loses its rights
//! holds nothing.

use trunkline_testkit::namespace::{ip, ip_json, isolated};

use crate::client::{Client, agent, configuration};
use crate::support::Agent;
use crate::support::talk::{Talk, show};

const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const ETHERNET: &str = "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:ethernetCsmacd</type>";
const LOCK: &str = "<lock><target><running/></target></lock>";

fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='{NC}'>{content}</config></edit-config>"
    )
}

fn contact(text: &str) -> String {
    format!("<system xmlns='{SYSTEM}'><contact>{text}</contact></system>")
}

fn near(content: &str) -> String {
    format!("<interfaces xmlns='{INTERFACES}'><interface><name>near</name>{content}</interface></interfaces>")
}

fn running(client: &mut Client) -> String {
    client.ask("<get-config><source><running/></source></get-config>")
}

fn is_there(line: &str, words: &[&str]) {
    assert!(words.iter().all(|word| line.contains(word)), "{words:?} in {line}");
}

#[test]
fn the_log_says_who_did_what_and_never_what() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let session = format!("session={}", max.id());
    is_there(
        &agent.wait_for("a NETCONF session has begun"),
        &[&session, "user=max", "transport=SSH", "peer=127.0.0.1:"],
    );
    assert_eq!(max.ask(&edit("running", &contact("secret"))), "<ok/>");
    let line = agent.wait_for("running is edited");
    is_there(&line, &[&session, "user=max", "over=\"NETCONF\"", "changes=1", "took="]);
    assert!(!line.contains("secret"), "{line}");
    assert_eq!(max.ask(&edit("candidate", &contact("other"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>60</confirm-timeout></commit>"), "<ok/>");
    is_there(
        &agent.wait_for("a commit, to be confirmed"),
        &[&session, "user=max", "changes=1", "seconds=60"],
    );
    assert_eq!(max.ask(&edit("running", &contact("third"))), "<ok/>");
    is_there(&agent.wait_for("as a part of the commit that is to be confirmed"), &["user=max", "changes=1"]);
    assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
    is_there(&agent.wait_for("a confirmed commit is taken back: it is cancelled"), &[&session, "user=max"]);
    assert_eq!(max.ask(&edit("candidate", &contact("fourth"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    is_there(&agent.wait_for("a commit is confirmed"), &[&session, "changes=0"]);
    let route = "<routing xmlns='urn:ietf:params:xml:ns:yang:ietf-routing'><control-plane-protocols><control-plane-protocol>\
                 <type xmlns:r='urn:ietf:params:xml:ns:yang:ietf-routing'>r:static</type><name>m</name><static-routes>\
                 <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing'><route><destination-prefix>192.0.2.0/24</destination-prefix>\
                 <next-hop><next-hop-address>203.0.113.9</next-hop-address></next-hop></route></ipv4></static-routes>\
                 </control-plane-protocol></control-plane-protocols></routing>";
    assert!(max.ask(&edit("running", route)).contains("operation-failed"));
    let line = agent.wait_for("a change of running has failed");
    is_there(&line, &[&session, "user=max", "tag=\"operation-failed\""]);
    assert!(!line.contains("203.0.113") && !line.contains("192.0.2"), "{line}");
    // Another session ends this one, and its lock is free.
    assert_eq!(max.ask(LOCK), "<ok/>");
    let mut other = Client::open(&agent, "max");
    let kill = format!("<kill-session><session-id>{}</session-id></kill-session>", max.id());
    assert_eq!(other.ask(&kill), "<ok/>");
    let line = agent.wait_for("a session has ended another one");
    is_there(
        &line,
        &[&format!("session={}", other.id()), &format!("ended={}", max.id()), "released=\"running\""],
    );
    let line = agent.wait_for("a NETCONF session has ended");
    is_there(&line, &[&session, &format!("why=ended by session {}", other.id()), "lasted="]);
    drop(other);
    agent.wait_for("a NETCONF session has ended");
}

#[test]
fn sessions_in_a_loop_do_not_fill_the_log() {
    let agent = agent("");
    for _ in 0..70 {
        let mut ann = Client::open(&agent, "ann");
        assert_eq!(ann.ask("<close-session/>"), "<ok/>");
    }
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", &contact("x"))), "<ok/>");
    let lines = agent.lines_until("running is edited");
    let begun = lines.iter().filter(|line| line.contains("a NETCONF session has begun")).count();
    assert_eq!(begun, 60);
    assert!(lines.iter().filter(|line| line.contains("a NETCONF session has ended")).count() <= 60);
}

/// RFC 6241 section 8.4: also a commit that changes nothing waits, and goes on with one that does.
#[test]
fn a_confirmed_commit_without_changes_is_one() {
    let agent = agent("");
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    assert_eq!(max.ask(&edit("running", &contact("one"))), "<ok/>");
    let before = running(&mut max);
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert!(other.ask("<commit/>").contains("<error-tag>in-use<"));
    assert!(other.ask(LOCK).contains("lock-denied"));
    // What follows is a part of it, and all of that goes back to before the first.
    assert_eq!(max.ask(&edit("candidate", &contact("two"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert!(running(&mut max).contains("two"));
    assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
    assert_eq!(running(&mut max), before);
    assert_eq!(other.ask(LOCK), "<ok/>");
    assert_eq!(other.ask("<unlock><target><running/></target></unlock>"), "<ok/>");
    // Nothing is taken back of one after which nothing was changed.
    assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>1</confirm-timeout></commit>"), "<ok/>");
    agent.wait_for("a confirmed commit is taken back: it was not confirmed in time");
    assert_eq!(running(&mut max), before);
    assert!(max.ask("<cancel-commit/>").contains("invalid-value"));
}

/// RFC 8343 section 4: ifAlias is `description`, and ifAdminStatus what `enabled` makes of it.
#[test]
fn sets_over_snmp_change_the_configuration_of_an_interface_that_has_one() {
    isolated("operator::sets_over_snmp_change_the_configuration_of_an_interface_that_has_one", || {
        ip("link add near type veth peer name far");
        let text = configuration("[[snmp.community]]\nname = \"writer\"\naccess = \"write\"\n");
        let agent = Agent::start(&text);
        let mut max = Client::open(&agent, "max");
        let index = |name: &str| ip_json(&format!("link show dev {name}"))[0]["ifindex"].as_u64().unwrap();
        let (near_index, far_index) = (index("near"), index("far"));
        let set = |agent: &Agent, what: &str| {
            let answer = show(&Talk::to(agent).ask(&format!("2c writer set {what}")));
            answer.split(' ').next().unwrap().to_owned()
        };
        assert_eq!(
            max.ask(&edit("running", &near(&format!("{ETHERNET}<description>one</description>")))),
            "<ok/>"
        );
        // One without an entry has none afterwards either.
        assert_eq!(set(&agent, &format!("ifAlias.{far_index}=s:far")), "noError");
        assert_eq!(
            set(&agent, &format!("ifAlias.{near_index}=s:two ifAdminStatus.{near_index}=i:2")),
            "noError"
        );
        is_there(&agent.wait_for("running is edited"), &["user=max", "changes=2"]);
        is_there(&agent.wait_for("running is edited"), &["changes=2"]);
        let found = running(&mut max);
        is_there(&found, &["<description>two</description>", "<enabled>false</enabled>"]);
        assert!(!found.contains("far"), "{found}");
        // What running cannot have is not set, on the machine neither.
        assert_eq!(set(&agent, &format!("ifAlias.{near_index}=s:a\u{7f}b")), "wrongValue");
        assert_eq!(running(&mut max), found);
        // It is there after a restart, and the machine has it.
        drop(max);
        let folder = agent.terminate();
        ip("link set near up alias -");
        let agent = Agent::start_in(folder, &text);
        let mut max = Client::open(&agent, "max");
        assert_eq!(running(&mut max), found);
        let link = ip_json("link show dev near")[0].clone();
        assert!(
            link["ifalias"] == "two" && !link["flags"].as_array().unwrap().contains(&"UP".into()),
            "{link}"
        );
        // What is not set to a value of the leaf's type is not there, and up is what it is anyway.
        assert_eq!(
            set(&agent, &format!("ifAdminStatus.{near_index}=i:1 ifAlias.{near_index}=s:")),
            "noError"
        );
        let found = running(&mut max);
        assert!(found.contains("<enabled>true</enabled>") && !found.contains("<description>"), "{found}");
        // A refused set changes nothing.
        assert_ne!(
            set(&agent, &format!("ifAlias.{near_index}=s:x ifAdminStatus.{near_index}=i:3")),
            "noError"
        );
        assert_eq!(running(&mut max), found);
        // During a commit that waits it is a part of that.
        assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
        assert_eq!(set(&agent, &format!("ifAlias.{near_index}=s:trial")), "noError");
        assert!(running(&mut max).contains("<description>trial<"));
        assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
        assert_eq!(running(&mut max), found);
        assert!(ip_json("link show dev near")[0].get("ifalias").is_none());
        // A lock holds it off.
        assert_eq!(max.ask(LOCK), "<ok/>");
        assert_eq!(set(&agent, &format!("ifAlias.{near_index}=s:x")), "resourceUnavailable");
        // Without a disk nothing is set.
        assert_eq!(max.ask("<unlock><target><running/></target></unlock>"), "<ok/>");
        let (state, away) = (agent.folder.path().join("state"), agent.folder.path().join("away"));
        std::fs::rename(&state, &away).unwrap();
        std::fs::write(&state, "in the way").unwrap();
        let answer = set(&agent, &format!("ifAlias.{near_index}=s:x"));
        std::fs::remove_file(&state).unwrap();
        std::fs::rename(&away, &state).unwrap();
        let alias = ip_json("link show dev near")[0]["ifalias"].clone();
        assert_eq!(alias == "x", answer == "noError");
        assert_eq!(running(&mut max).contains("<description>x<"), answer == "noError");
    });
}

#[test]
fn a_session_whose_user_loses_its_rights_holds_nothing() {
    let text = configuration("");
    let agent = Agent::start(&text);
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let mut tom = Client::open(&agent, "tom");
    assert_eq!(max.ask("<lock><target><candidate/></target></lock>"), "<ok/>");
    assert_eq!(max.ask(&edit("candidate", &contact("trial"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(max.ask(&edit("candidate", &contact("prepared"))), "<ok/>");
    assert_eq!(max.ask(LOCK), "<ok/>");
    // It may still read; its changes, its commit and its locks are gone.
    let reader = text.replacen("name = \"max\"\nrole = \"writer\"", "name = \"max\"\nrole = \"reader\"", 1);
    assert_ne!(reader, text);
    let reader =
        reader.replacen("name = \"tom\"\nrole = \"contact\"", "name = \"tom\"\nrole = \"writer\"", 1);
    agent.rewrite(&reader);
    agent.signal("HUP");
    let line = agent.wait_for("a session has lost its locks");
    is_there(&line, &[&format!("session={}", max.id()), "user=max", "released=\"running, candidate\""]);
    assert_eq!(tom.ask(LOCK), "<ok/>");
    assert_eq!(tom.ask("<lock><target><candidate/></target></lock>"), "<ok/>");
    assert_eq!(running(&mut max), "<data></data>");
    assert!(max.ask(LOCK).contains("access-denied"));
    assert_eq!(running(&mut other), "<data></data>");
    // Who may do nothing at all any more is not there any more.
    let gone = reader.replacen("name = \"max\"\nrole = \"reader\"", "name = \"mix\"\nrole = \"reader\"", 1);
    agent.rewrite(&gone);
    agent.signal("HUP");
    assert_eq!((max.read(), other.read()), (None, None));
    is_there(&agent.wait_for("a session is ended: its user has no rights any more"), &["user=max"]);
    assert_eq!(tom.ask("<unlock><target><candidate/></target></unlock>"), "<ok/>");
}

/// A commit that is taken back does not take back what others have set over SNMP since, such as the rights of its user.
#[test]
fn what_others_set_stays_when_a_commit_is_taken_back() {
    let writer = "[[snmp.community]]\nname = \"root\"\naccess = \"write\"\n";
    let agent = Agent::start(&configuration(writer));
    let mut max = Client::open(&agent, "max");
    let talk = Talk::to(&agent);
    let asked = |what: &str| show(&talk.ask(&format!("2c root {what}")));
    let group = "vacmSecurityToGroupStatus.3.3.101.118.101";
    assert_eq!(
        asked(&format!("set vacmGroupName.3.3.101.118.101=s:staff {group}=i:4")).split(' ').next(),
        Some("noError")
    );
    assert_eq!(max.ask(&edit("candidate", &contact("trial"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
    assert_eq!(asked("set sysLocation.0=s:rack").split(' ').next(), Some("noError"));
    assert_eq!(asked(&format!("set {group}=i:6")).split(' ').next(), Some("noError"));
    assert_eq!(asked("get sysContact.0"), "noError 0 sysContact.0=s:trial");
    assert_eq!(max.ask("<cancel-commit><persist-id>p</persist-id></cancel-commit>"), "<ok/>");
    let check = |agent: &Agent| {
        Talk::to(agent).check(&[
            ("2c root get sysLocation.0", "noError 0 sysLocation.0=s:rack"),
            ("2c root get sysContact.0", "noError 0 sysContact.0=s:"),
            (&format!("2c root get {group}"), &format!("noError 0 {group}=noSuchInstance")),
        ]);
    };
    check(&agent);
    // So it is when the agent finds the commit at its start.
    assert_eq!(max.ask(&edit("candidate", &contact("trial"))), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
    assert_eq!(asked("set sysLocation.0=s:hall").split(' ').next(), Some("noError"));
    assert_eq!(asked("set sysLocation.0=s:rack").split(' ').next(), Some("noError"));
    agent.signal("KILL");
    let agent = Agent::start_in(agent.into_folder(), &configuration(writer));
    check(&agent);
}

/// A name that is the machine's own is configured too, and without one sysName is the machine's.
#[test]
fn a_hostname_is_what_somebody_has_given() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let own =
        String::from_utf8(std::process::Command::new("uname").arg("-n").output().unwrap().stdout).unwrap();
    let hostname = |content: &str| format!("<system xmlns='{SYSTEM}'>{content}</system>");
    let sys_name = || show(&Talk::to(&agent).ask("2c public get sysName.0"));
    let named = format!("<hostname>{}</hostname>", own.trim());
    assert_eq!(max.ask(&edit("running", &hostname(&named))), "<ok/>");
    assert!(running(&mut max).contains(&named));
    assert_eq!(max.ask(&edit("running", &hostname("<hostname>other</hostname>"))), "<ok/>");
    assert_eq!(sys_name(), "noError 0 sysName.0=s:other");
    assert_eq!(max.ask(&edit("running", &hostname("<hostname nc:operation='delete'/>"))), "<ok/>");
    assert_eq!(running(&mut max), "<data></data>");
    assert_eq!(sys_name(), format!("noError 0 sysName.0=s:{}", own.trim()));
}

#[test]
fn enabled_that_is_written_is_so_on_the_machine() {
    isolated("operator::enabled_that_is_written_is_so_on_the_machine", || {
        ip("link add near type veth peer name far");
        let agent = agent("");
        let mut max = Client::open(&agent, "max");
        let is_up = || {
            let link = ip_json("link show dev near");
            link[0]["flags"].as_array().unwrap().iter().any(|flag| flag == "UP")
        };
        assert_eq!(max.ask(&edit("running", &near(ETHERNET))), "<ok/>");
        assert!(is_up());
        // The default, written for the first time and again, brings up what somebody has taken down.
        for _ in 0..2 {
            ip("link set near down");
            assert_eq!(max.ask(&edit("running", &near("<description>a</description>"))), "<ok/>");
            assert!(!is_up());
            assert_eq!(max.ask(&edit("running", &near("<enabled>true</enabled>"))), "<ok/>");
            assert!(is_up());
        }
    });
}

/// A name that nobody knows any more does not keep everybody else from changing anything.
#[test]
fn a_commit_whose_session_has_ended_is_cancelled_by_who_may_change_everything() {
    let agent = agent("");
    let (mut max, mut tom) = (Client::open(&agent, "max"), Client::open(&agent, "tom"));
    assert_eq!(max.ask(&edit("running", &contact("one"))), "<ok/>");
    assert_eq!(tom.ask(&edit("candidate", &contact("trial"))), "<ok/>");
    let commit =
        "<commit><confirmed/><confirm-timeout>4294967295</confirm-timeout><persist>mine</persist></commit>";
    assert_eq!(tom.ask(commit), "<ok/>");
    // While its session is there, that one is asked.
    assert!(max.ask("<cancel-commit/>").contains("invalid-value"));
    let (session, mut other) = (tom.id(), Client::open(&agent, "tom"));
    assert_eq!(max.ask(&format!("<kill-session><session-id>{session}</session-id></kill-session>")), "<ok/>");
    assert!(other.ask("<cancel-commit/>").contains("invalid-value"));
    assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
    assert!(running(&mut max).contains("<contact>one</contact>"));
}

/// RFC 6241 section 8.6.4.1: what a commit would find is found before, and tells nobody what there is.
#[test]
fn what_is_valid_is_so_for_everybody() {
    let agent = agent("");
    let (mut max, mut tom) = (Client::open(&agent, "max"), Client::open(&agent, "tom"));
    let validate = "<validate><source><candidate/></source></validate>";
    assert_eq!(tom.ask(validate), "<ok/>");
    assert_eq!(max.ask(&edit("candidate", &near("<description>of no type</description>"))), "<ok/>");
    assert!(max.ask(validate).contains("data-missing"));
    let reply = tom.ask(validate);
    assert!(
        reply.contains("operation-failed") && !reply.contains("near") && !reply.contains("interface"),
        "{reply}"
    );
}
