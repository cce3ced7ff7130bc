//! Configuration: edits of the candidate and of running, commits, and what they do to the machine.

use std::time::Duration;

use serde_json::Value as Json;
use trunkline_testkit::namespace::{ip, ip_json, isolated};
use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, agent, configuration};
use crate::support::Agent;
use crate::support::talk::{Talk, show};

const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const IP: &str = "urn:ietf:params:xml:ns:yang:ietf-ip";
const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";

/// An edit of a datastore.
fn edit(target: &str, more: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target>{more}<config xmlns:nc='{NC}'>{content}</config></edit-config>"
    )
}

fn system(content: &str) -> String {
    format!("<system xmlns=\"{SYSTEM}\">{content}</system>")
}

/// `near` as an interface of the configuration.
fn near(attributes: &str, content: &str) -> String {
    format!(
        "<interfaces xmlns='{INTERFACES}'><interface{attributes}><name>near</name>{content}</interface></interfaces>"
    )
}

const ETHERNET: &str = "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:ethernetCsmacd</type>";

fn config(client: &mut Client, source: &str) -> String {
    let reply = client.ask(&format!("<get-config><source><{source}/></source></get-config>"));
    reply
        .strip_prefix("<data>")
        .and_then(|it| it.strip_suffix("</data>"))
        .unwrap_or_else(|| panic!("{reply}"))
        .to_owned()
}

/// `near` and `far`, two ends of a cable, both down.
fn cable() {
    ip("link add near type veth peer name far");
}

fn shown() -> (String, u64, bool, String) {
    let link: Json = ip_json("address show dev near")[0].clone();
    let addresses = link["addr_info"].as_array().unwrap().iter().filter(|it| it["scope"] == "global");
    let addresses: Vec<String> =
        addresses.map(|it| format!("{}/{}", it["local"].as_str().unwrap(), it["prefixlen"])).collect();
    let up = link["flags"].as_array().unwrap().contains(&"UP".into());
    (link["ifalias"].as_str().unwrap_or("-").into(), link["mtu"].as_u64().unwrap(), up, addresses.join(" "))
}

#[test]
fn the_candidate_is_edited_validated_and_committed() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    assert_eq!(config(&mut max, "running"), "");
    let ann = system("<contact>ann</contact><location>here &amp; there</location>");
    assert_eq!(max.ask(&edit("candidate", "", &ann)), "<ok/>");
    assert_eq!((config(&mut max, "candidate"), config(&mut max, "running")), (ann.clone(), String::new()));
    assert_eq!(max.ask("<validate><source><candidate/></source></validate>"), "<ok/>");
    assert_eq!(max.ask("<commit/>"), "<ok/>");
    assert_eq!(config(&mut max, "running"), ann);
    // The same values over the tree's own names.
    let read = max.get("<SNMPv2-MIB><system><sysContact/><sysLocation/></system></SNMPv2-MIB>");
    assert!(
        read.contains("<sysContact>ann</sysContact><sysLocation>here &amp; there</sysLocation>"),
        "{read}"
    );

    assert_eq!(max.ask(&edit("candidate", "", &system("<contact>bob</contact>"))), "<ok/>");
    assert_eq!(max.ask("<discard-changes/>"), "<ok/>");
    assert_eq!(config(&mut max, "candidate"), ann);
    let wrong = max.ask(&edit("candidate", "", &system("<contact nc:operation='create'>bob</contact>")));
    assert!(wrong.contains("<error-tag>data-exists</error-tag>"), "{wrong}");
    assert!(
        wrong.contains(&format!("<error-path xmlns:sys=\"{SYSTEM}\">/sys:system/sys:contact</error-path>")),
        "{wrong}"
    );
    // Running can be edited too, and copied onto.
    assert_eq!(max.ask(&edit("running", "", &system("<location nc:operation='delete'/>"))), "<ok/>");
    assert_eq!(config(&mut max, "running"), system("<contact>ann</contact>"));
    let copied = format!(
        "<copy-config><target><running/></target><source><config>{}</config></source></copy-config>",
        system("<hostname>edge7</hostname>")
    );
    assert_eq!(max.ask(&copied), "<ok/>");
    assert_eq!(config(&mut max, "running"), system("<hostname>edge7</hostname>"));
    let tested = edit("running", "<test-option>test-only</test-option>", &system("<contact>x</contact>"));
    assert_eq!(max.ask(&tested), "<ok/>");
    assert_eq!(config(&mut max, "running"), system("<hostname>edge7</hostname>"));
    let deleted = max.ask("<delete-config><target><running/></target></delete-config>");
    assert!(deleted.contains("<error-tag>invalid-value</error-tag>"), "{deleted}");
    for at in ["startup", "url"] {
        let target = if at == "url" { "<url>file:///x</url>".into() } else { format!("<{at}/>") };
        let reply = max
            .ask(&format!("<copy-config><target>{target}</target><source><running/></source></copy-config>"));
        assert!(reply.contains("<error-tag>invalid-value</error-tag>"), "{reply}");
    }
}

#[test]
fn who_may_not_change_something_changes_nothing() {
    let agent = agent("");
    let (mut ann, mut tom) = (Client::open(&agent, "ann"), Client::open(&agent, "tom"));
    for operation in [
        edit("candidate", "", &system("<contact>x</contact>")),
        "<lock><target><running/></target></lock>".into(),
        "<commit/>".into(),
        "<discard-changes/>".into(),
        "<kill-session><session-id>1</session-id></kill-session>".into(),
    ] {
        let reply = ann.ask(&operation);
        assert!(reply.contains("<error-tag>access-denied</error-tag>"), "{reply}");
    }
    // Who may write the contact alone.
    assert_eq!(tom.ask(&edit("candidate", "", &system("<contact>tom</contact>"))), "<ok/>");
    let reply = tom.ask(&edit("candidate", "", &system("<location>x</location>")));
    assert!(
        reply.contains("<error-tag>access-denied</error-tag>") && reply.contains("/sys:location<"),
        "{reply}"
    );
    // It reads what it may read.
    assert_eq!(tom.ask("<commit/>"), "<ok/>");
    assert_eq!(config(&mut tom, "running"), system("<contact>tom</contact>"));
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&edit("running", "", &system("<location>here</location>"))), "<ok/>");
    assert_eq!(config(&mut tom, "running"), system("<contact>tom</contact>"));
    assert_eq!(config(&mut ann, "running"), system("<contact>tom</contact><location>here</location>"));
}

#[test]
fn what_the_configuration_file_sets_stays() {
    let agent = agent("[system]\ncontact = \"operator\"\n");
    let mut max = Client::open(&agent, "max");
    assert_eq!(config(&mut max, "running"), system("<contact>operator</contact>"));
    let both = system("<contact>other</contact><location>there</location>");
    assert_eq!(max.ask(&edit("candidate", "", &both)), "<ok/>");
    let refused = max.ask("<commit/>");
    assert!(
        refused.contains("access-denied") && refused.contains("the agent's configuration file sets it"),
        "{refused}"
    );
    assert!(refused.contains("/sys:contact<"), "{refused}");
    // Nothing of it is done, and the candidate is kept.
    assert_eq!(config(&mut max, "running"), system("<contact>operator</contact>"));
    assert_eq!(config(&mut max, "candidate"), both);
}

#[test]
fn locks_protect_the_candidate_and_running() {
    let agent = agent("");
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let lock = "<lock><target><candidate/></target></lock>";
    let unlock = "<unlock><target><candidate/></target></unlock>";
    let change = edit("candidate", "", &system("<contact>x</contact>"));
    assert_eq!(max.ask(&change), "<ok/>");
    // Not while there are changes (RFC 6241 section 7.5).
    assert!(other.ask(lock).contains("<session-id>0</session-id>"));
    assert_eq!(max.ask("<discard-changes/>"), "<ok/>");
    assert_eq!(max.ask(lock), "<ok/>");
    for operation in [&change[..], "<commit/>", "<discard-changes/>"] {
        let reply = other.ask(operation);
        assert!(reply.contains("<error-tag>in-use</error-tag>"), "{operation}: {reply}");
    }
    assert!(other.ask(lock).contains("lock-denied"));
    // Changes end with the lock, released or left.
    assert_eq!(max.ask(&change), "<ok/>");
    assert_eq!(max.ask(unlock), "<ok/>");
    assert_eq!(config(&mut other, "candidate"), "");
    assert_eq!(max.ask(lock), "<ok/>");
    assert_eq!(max.ask(&change), "<ok/>");
    drop(max);
    while other.ask(lock) != "<ok/>" {}
    assert_eq!(config(&mut other, "candidate"), "");
    let mut third = Client::open(&agent, "max");
    assert_eq!(other.ask("<lock><target><running/></target></lock>"), "<ok/>");
    let reply = third.ask(&edit("running", "", &system("<contact>x</contact>")));
    assert!(reply.contains("<error-tag>in-use</error-tag>"), "{reply}");
}

#[test]
fn a_confirmed_commit_is_taken_back_unless_it_is_confirmed() {
    let agent = agent("");
    let (mut max, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let change = |contact: &str| edit("candidate", "", &system(&format!("<contact>{contact}</contact>")));
    let running = |client: &mut Client, expected: &str| {
        while config(client, "running") != expected {}
    };
    // In time.
    assert_eq!(max.ask(&change("one")), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><confirm-timeout>1</confirm-timeout></commit>"), "<ok/>");
    assert_eq!(config(&mut max, "running"), system("<contact>one</contact>"));
    running(&mut max, "");
    // With its session.
    assert_eq!(max.ask(&change("two")), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    let reply = other.ask("<commit/>");
    assert!(reply.contains("<error-tag>in-use</error-tag>"), "{reply}");
    drop(max);
    running(&mut other, "");
    // By its name, from another session.
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask(&change("three")), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/><persist>mine</persist></commit>"), "<ok/>");
    let ended = max.id();
    drop(max);
    // The lock is denied for the commit, and its session is named while there is one.
    let (lock, mut reply) = ("<lock><target><running/></target></lock>", String::new());
    while !reply.contains("<session-id>0</session-id>") {
        reply = other.ask(lock);
        assert!(reply.contains("lock-denied") && reply.contains("<session-id>"), "{reply}");
        let is_open = |client: &mut Client| client.get(SESSIONS).contains(&format!("<session-id>{ended}<"));
        assert!(is_open(&mut other) || other.ask(lock).contains("<session-id>0</session-id>"));
    }
    let reply = other.ask("<commit><persist-id>yours</persist-id></commit>");
    assert!(reply.contains("invalid-value"), "{reply}");
    assert_eq!(other.ask("<commit><persist-id>mine</persist-id></commit>"), "<ok/>");
    assert_eq!(config(&mut other, "running"), system("<contact>three</contact>"));
    // Cancelled; a second one goes back to before the first.
    assert_eq!(other.ask(&change("four")), "<ok/>");
    assert_eq!(other.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(other.ask(&change("five")), "<ok/>");
    assert_eq!(other.ask("<commit><confirmed/></commit>"), "<ok/>");
    assert_eq!(other.ask("<cancel-commit/>"), "<ok/>");
    assert_eq!(config(&mut other, "running"), system("<contact>three</contact>"));
    assert!(other.ask("<cancel-commit/>").contains("invalid-value"));
}

/// Who may write the contact alone makes no entries of interfaces, and does not learn which there are.
#[test]
fn entries_are_for_those_who_may_write_something_in_them() {
    let agent = agent("");
    let mut tom = Client::open(&agent, "tom");
    let entry = |attributes: &str| near(attributes, ETHERNET);
    for content in [
        entry(""),
        entry(" nc:operation='create'"),
        entry(" nc:operation='delete'"),
        entry("").replace("near", "lo"),
    ] {
        for target in ["candidate", "running"] {
            let reply = tom.ask(&edit(target, "", &content));
            assert!(reply.contains("<error-tag>access-denied<"), "{content}: {reply}");
        }
    }
    assert_eq!(tom.ask(&edit("candidate", "", &system("<contact>tom</contact>"))), "<ok/>");
}

/// RFC 8341 section 3.2.4: who may write an entry and not read it does not learn whether it is there.
#[test]
fn what_may_be_written_and_not_read_is_not_told() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = agent(&format!(
        "[[role]]\nname = \"blind\"\nwrite = [\"1.3.6.1.2.1.31.1.1.1.18\", \"1.3.6.1.2.1.1.4\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"blind\"\npassword-hash = {hash:?}\n"
    ));
    let (mut max, mut kim) = (Client::open(&agent, "max"), Client::open(&agent, "kim"));
    let whole = format!("{ETHERNET}<description>one</description>");
    assert_eq!(
        max.ask(&edit("running", "", &(near("", &whole) + &system("<contact>one</contact>")))),
        "<ok/>"
    );
    let description = |operation: &str| format!("<description nc:operation='{operation}'>x</description>");
    for operation in ["create", "delete"] {
        let content = [
            near(&format!(" nc:operation='{operation}'"), ""),
            near("", &description(operation)),
            system(&format!("<contact nc:operation='{operation}'>x</contact>")),
        ];
        for content in content {
            for target in ["candidate", "running"] {
                let [there, missing] = [content.clone(), content.replace("near", "none")]
                    .map(|content| kim.ask(&edit(target, "", &content)).replace("none", "near"));
                assert!(there.contains("<error-tag>access-denied<"), "{content}: {there}");
                assert_eq!(there, missing);
            }
        }
    }
    assert!(!kim.ask("<get-config><source><running/></source></get-config>").contains("one"));
    // The others say nothing of what was there.
    assert_eq!(kim.ask(&edit("running", "", &near("", &description("merge")))), "<ok/>");
    assert_eq!(kim.ask(&edit("running", "", &near("", &description("remove")))), "<ok/>");
    assert_eq!(kim.ask(&edit("running", "", &system("<contact nc:operation='remove'/>"))), "<ok/>");
    let left = config(&mut max, "running");
    assert!(
        left.contains("<name>near<") && !left.contains("description") && !left.contains("contact"),
        "{left}"
    );
}

#[test]
fn what_cannot_be_in_a_configuration_is_refused() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let address = |ip: &str| {
        near(
            "",
            &format!(
                "{ETHERNET}<ipv4 xmlns='{IP}'><address><ip>{ip}</ip><prefix-length>24</prefix-length></address></ipv4>"
            ),
        )
    };
    for (content, tag) in [
        (system("<hostname>a\nb</hostname>"), "invalid-value"),
        (system("<hostname>-a b..</hostname>"), "invalid-value"),
        (address("0.0.0.0"), "invalid-value"),
        (address("224.0.0.1"), "invalid-value"),
        ("root:x:0:0".to_owned(), "bad-element"),
    ] {
        let reply = max.ask(&edit("candidate", "", &content));
        assert!(reply.contains(&format!("<error-tag>{tag}<")), "{content}: {reply}");
    }
    let many: String = (0..60_000).map(|at| format!("<interface><name>i{at}</name></interface>")).collect();
    let many = format!("<interfaces xmlns='{INTERFACES}'>{many}</interfaces>");
    let reply = max.ask(&edit("candidate", "", &many));
    assert!(reply.contains("<error-tag>resource-denied<"), "{}", &reply[..reply.len().min(500)]);
    let some: String = (0..1000).map(|at| format!("<interface><name>i{at}</name></interface>")).collect();
    let some = format!("<interfaces xmlns='{INTERFACES}'>{some}</interfaces>");
    assert_eq!(max.ask(&edit("candidate", "", &some)), "<ok/>");
    let reply = max.ask("<validate><source><candidate/></source></validate>");
    assert_eq!(reply.matches("<rpc-error>").count(), 100);
}

const SESSIONS: &str =
    "<netconf-state xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><sessions/></netconf-state>";

#[test]
fn a_commit_that_is_cancelled_later_is_an_event_then() {
    let agent = agent("");
    let (mut max, mut watcher) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let subscribe = "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'/>";
    assert_eq!(watcher.ask(subscribe), "<ok/>");
    let change = edit("candidate", "", &system("<contact>trial</contact>"));
    assert_eq!(max.ask(&change), "<ok/>");
    assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
    let (state, away) = (agent.folder.path().join("state"), agent.folder.path().join("away"));
    std::fs::rename(&state, &away).unwrap();
    std::fs::write(&state, "in the way").unwrap();
    let reply = max.ask("<cancel-commit/>");
    assert!(reply.contains("operation-failed"), "{reply}");
    std::fs::remove_file(&state).unwrap();
    std::fs::rename(&away, &state).unwrap();
    let mut events = Vec::new();
    while !events.last().is_some_and(|event: &String| event.contains("<confirm-event>cancel<")) {
        events.push(String::from_utf8(watcher.read().unwrap()).unwrap());
    }
    assert!(config(&mut max, "running").is_empty(), "{events:?}");
}

#[test]
fn what_cannot_be_taken_back_in_time_is_taken_back_later() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let change = |contact: &str| edit("candidate", "", &system(&format!("<contact>{contact}</contact>")));
    assert_eq!(max.ask(&change("trial")), "<ok/>");
    assert_eq!(
        max.ask("<commit><confirmed/><confirm-timeout>1</confirm-timeout><persist>p</persist></commit>"),
        "<ok/>"
    );
    // Nothing can be written until the folder is back.
    let (state, away) = (agent.folder.path().join("state"), agent.folder.path().join("away"));
    std::fs::rename(&state, &away).unwrap();
    std::fs::write(&state, "in the way").unwrap();
    // The time is over once it can no longer be confirmed; before, without a disk, confirming fails too.
    let over = |reply: &str| reply.contains("could not be taken back yet");
    loop {
        let reply = max.ask("<commit><persist-id>p</persist-id></commit>");
        assert_ne!(reply, "<ok/>");
        if over(&reply) {
            break;
        }
    }
    assert_eq!(config(&mut max, "running"), system("<contact>trial</contact>"));
    for operation in [&edit("running", "", &system("<contact>x</contact>")), "<cancel-commit/>"] {
        let reply = max.ask(operation);
        assert!(over(&reply), "{reply}");
    }
    std::fs::remove_file(&state).unwrap();
    std::fs::rename(&away, &state).unwrap();
    while !config(&mut max, "running").is_empty() {}
    while max.ask(&edit("running", "", &system("<contact>later</contact>"))) != "<ok/>" {}
    assert_eq!(config(&mut max, "running"), system("<contact>later</contact>"));
}

#[test]
fn interfaces_are_configured_in_the_kernel_and_seen() {
    isolated("configure::interfaces_are_configured_in_the_kernel_and_seen", || {
        cable();
        let agent = agent("");
        let mut max = Client::open(&agent, "max");
        let before = shown();
        let addresses = format!(
            "<ipv4 xmlns='{IP}'><mtu>1400</mtu><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>\
             <ipv6 xmlns='{IP}'><address><ip>2001:DB8::1</ip><prefix-length>64</prefix-length></address></ipv6>"
        );
        let wanted = near("", &format!("<description>to the lab</description>{ETHERNET}{addresses}"));
        assert_eq!(max.ask(&edit("candidate", "", &wanted)), "<ok/>");
        assert_eq!(shown(), before);
        assert_eq!(max.ask("<commit/>"), "<ok/>");
        assert_eq!(shown(), ("to the lab".into(), 1400, true, "192.0.2.1/24 2001:db8::1/64".into()));
        let running = config(&mut max, "running");
        for part in [
            "<description>to the lab</description>",
            "<type xmlns:ianaift=\"urn:ietf:params:xml:ns:yang:iana-if-type\">ianaift:ethernetCsmacd</type>",
            "<ipv6 xmlns=\"urn:ietf:params:xml:ns:yang:ietf-ip\"><address><ip>2001:db8::1</ip>",
        ] {
            assert!(running.contains(part), "{running}");
        }
        // All of it with its state, by either kind of filter.
        let filter =
            format!("<interfaces xmlns='{INTERFACES}'><interface><name>near</name></interface></interfaces>");
        let seen = max.get(&filter);
        for part in [
            "<name>near</name><description>to the lab</description>",
            "<enabled>true</enabled><admin-status>up</admin-status><oper-status>lower-layer-down</oper-status>",
            "<statistics><discontinuity-time>20",
            "<mtu>1400</mtu><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length><origin>",
        ] {
            assert!(seen.contains(part), "{seen}");
        }
        assert!(!seen.contains("<name>lo</name>"), "{seen}");
        let select = "/if:interfaces/if:interface[if:admin-status = 'up']/if:name";
        let names = max
            .ask(&format!("<get><filter xmlns:if='{INTERFACES}' type='xpath' select=\"{select}\"/></get>"));
        assert!(
            names.contains("<name>lo</name>")
                && names.contains("<name>near</name>")
                && !names.contains(">far<"),
            "{names}"
        );

        // A prefix changes, an address goes, the interface goes down.
        let change = near(
            "",
            &format!(
                "<enabled>false</enabled><ipv4 xmlns='{IP}'><address><ip>192.0.2.1</ip><prefix-length>25</prefix-length></address>\
                 </ipv4><ipv6 xmlns='{IP}' nc:operation='delete'/>"
            ),
        );
        assert_eq!(max.ask(&edit("running", "", &change)), "<ok/>");
        assert_eq!(shown(), ("to the lab".into(), 1400, false, "192.0.2.1/25".into()));
        let all = max.ask(
            "<get-config><source><running/></source><with-defaults \
             xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults'>trim</with-defaults></get-config>",
        );
        assert!(all.contains("<enabled>false</enabled>"), "{all}");

        // What the kernel or the model refuses leaves everything as it was.
        let now = shown();
        let refused = [
            (
                near(
                    "",
                    &format!(
                        "<ipv4 xmlns='{IP}'><mtu>65535</mtu><address><ip>192.0.2.9</ip><prefix-length>24</prefix-length></address></ipv4><description>half</description>"
                    ),
                ),
                "",
            ),
            (
                near(
                    "",
                    "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:softwareLoopback</type>",
                ),
                "invalid-value",
            ),
            (
                near("", "")
                    .replace("near", "no/where")
                    .replace("</interface>", &format!("{ETHERNET}</interface>")),
                "invalid-value",
            ),
            (near("", "").replace("near", "far"), "data-missing"),
        ];
        for (content, tag) in refused {
            let reply = max.ask(&edit("running", "", &content));
            // veth takes an MTU of 65535: then the rest is applied too.
            if tag.is_empty() {
                assert_eq!(reply, "<ok/>");
                assert_eq!(shown().1, 65535);
                let back = near(
                    "",
                    &format!(
                        "<ipv4 xmlns='{IP}'><mtu>1400</mtu><address nc:operation='delete'><ip>192.0.2.9</ip></address></ipv4><description>to the lab</description>"
                    ),
                );
                assert_eq!(max.ask(&edit("running", "", &back)), "<ok/>");
            } else {
                assert!(reply.contains(&format!("<error-tag>{tag}</error-tag>")), "{reply}");
            }
            assert_eq!(shown(), now, "{content}");
        }
    });
}

#[test]
fn a_configuration_outlives_the_agent() {
    isolated("configure::a_configuration_outlives_the_agent", || {
        cable();
        let text = configuration("");
        let first = Agent::start(&text);
        let mut max = Client::open(&first, "max");
        let address = format!(
            "<ipv4 xmlns='{IP}'><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>"
        );
        let wanted = near("", &format!("<description>kept</description>{ETHERNET}{address}"));
        assert_eq!(max.ask(&edit("running", "", &wanted)), "<ok/>");
        let kept = config(&mut max, "running");
        // This one is not confirmed when the agent ends.
        let trial =
            [near("", "<description>trial</description>"), system("<contact>trial</contact>")].concat();
        assert_eq!(max.ask(&edit("candidate", "", &trial)), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
        assert_eq!(shown().0, "trial");
        drop(max);
        let folder = first.terminate();
        ip("address flush dev near");
        let second = Agent::start_in(folder, &text);
        assert_eq!((shown().0, shown().3), ("kept".into(), "192.0.2.1/24".into()));
        let mut max = Client::open(&second, "max");
        assert_eq!(config(&mut max, "running"), kept);
        // What of the file cannot be read takes nothing else with it.
        assert_eq!(max.ask(&edit("running", "", &system("<contact>fine</contact>"))), "<ok/>");
        drop(max);
        // The next start writes the file anew, with what its journal has.
        let folder = Agent::start_in(second.terminate(), &text).terminate();
        ip("address flush dev near");
        let file = folder.path().join("state/configuration.toml");
        let text_kept = std::fs::read_to_string(&file).unwrap();
        assert!(text_kept.contains(">fine</contact>"), "{text_kept}");
        let edited = text_kept.replace(">fine</contact>", "><a/></contact>");
        std::fs::write(&file, &edited).unwrap();
        let config_file = folder.path().join("trunklined.toml");
        let refused = std::process::Command::new(env!("CARGO_BIN_EXE_trunklined"))
            .args(["--config", config_file.to_str().unwrap()])
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&refused.stderr).into_owned();
        assert!(!refused.status.success() && words.contains("its checksum is wrong"), "{words}");
        // As the error says, for whoever means it.
        let lines: Vec<&str> = edited.lines().filter(|line| !line.starts_with("# crc32 ")).collect();
        std::fs::write(&file, lines.join("\n") + "\n").unwrap();
        let third = Agent::start_in(folder, &text);
        assert_eq!((shown().0, shown().3), ("kept".into(), "192.0.2.1/24".into()));
        drop(third);
    });
}

/// Whenever the agent is killed, it comes back with the old configuration or with the new one, and the machine has the same.
#[test]
fn a_kill_leaves_the_old_configuration_or_the_new_one() {
    isolated("configure::a_kill_leaves_the_old_configuration_or_the_new_one", || {
        cable();
        let text = configuration("");
        let mut folder = tempfile::tempdir().unwrap();
        let mut ends = [0; 2];
        for round in 0..100_u64 {
            let agent = Agent::start_in(folder, &text);
            let mut max = Client::open(&agent, "max");
            let old = config(&mut max, "running");
            let address = format!(
                "<ipv4 xmlns='{IP}' nc:operation='replace'><address><ip>192.0.2.{}</ip><prefix-length>24</prefix-length></address></ipv4>",
                1 + round
            );
            let new = [
                near("", &format!("<description>r{round}</description>{ETHERNET}{address}")),
                system(&format!("<contact>c{round}</contact>")),
                format!(
                    "<snmp xmlns='urn:ietf:params:xml:ns:yang:ietf-snmp'><notify><name>n</name><tag>t{round}</tag></notify>\
                     <community><index>1</index><text-name>s{round}</text-name><security-name>x{round}</security-name></community>\
                     <vacm><view><name>v</name><include>1.{round}</include></view></vacm></snmp>"
                ),
            ];
            // From before the request is read to after it is answered, however busy the machine is.
            let time = match round % 4 {
                3 => Duration::from_secs(60),
                _ => Duration::from_micros(round * 300),
            };
            max.tell(&edit("running", "", &new.concat()), time);
            agent.signal("KILL");
            drop(max);
            folder = agent.into_folder();
            let again = Agent::start_in(folder, &text);
            let mut max = Client::open(&again, "max");
            let found = config(&mut max, "running");
            let is_new = found != old;
            ends[usize::from(is_new)] += 1;
            if is_new {
                assert!(found.contains(&format!("<description>r{round}<")), "{found}");
                assert!(found.contains(&format!("<contact>c{round}<")), "{found}");
            }
            // Rows of three files are as old as the rest.
            for (before, after) in [("<tag>t", "<"), ("<security-name>x", "<"), ("<include>1.", "<")] {
                let number = format!("{before}{round}{after}");
                assert_eq!(found.contains(&number), is_new, "{number}: {found}");
            }
            let (alias, _, _, addresses) = shown();
            let in_configuration = |part: &str| found.contains(part);
            assert!(
                alias == "-" && found.is_empty() || in_configuration(&format!("<description>{alias}<")),
                "{alias}: {found}"
            );
            let expected: Vec<&str> =
                found.split("<ip>").skip(1).map(|it| it.split('<').next().unwrap()).collect();
            let kernel: Vec<&str> =
                addresses.split_whitespace().map(|it| it.split('/').next().unwrap()).collect();
            assert_eq!(kernel, expected, "{found}");
            drop(max);
            folder = again.terminate();
        }
        assert!(ends.iter().all(|count| *count > 0), "all ended the same way: {ends:?}");
    });
}

/// RFC 6241 section 7.5: nobody else changes what is locked, over any protocol.
#[test]
fn a_lock_of_running_holds_off_snmp() {
    let agent = agent("[[snmp.community]]\nname = \"writer\"\naccess = \"write\"\n");
    let talk = Talk::to(&agent);
    let set = "2c writer set sysContact.0=s:x";
    let (done, refused) = ("noError 0 sysContact.0=s:x", "resourceUnavailable 1 sysContact.0=s:x");
    talk.check(&[(set, done)]);
    let mut max = Client::open(&agent, "max");
    assert_eq!(max.ask("<lock><target><candidate/></target></lock>"), "<ok/>");
    talk.check(&[(set, done)]);
    let lock = "<lock><target><running/></target></lock>";
    assert_eq!(max.ask(lock), "<ok/>");
    talk.check(&[(set, refused)]);
    // Any column of a row that is an entry, also one that nothing shows.
    let row = "2c writer set snmpNotifyTag.97=s:x snmpNotifyRowStatus.97=i:4";
    let answer = show(&talk.ask(row));
    assert!(answer.starts_with("resourceUnavailable 1"), "{answer}");
    assert_eq!(max.ask(&edit("running", "", &system("<contact>y</contact>"))), "<ok/>");
    assert_eq!(max.ask("<unlock><target><running/></target></unlock>"), "<ok/>");
    talk.check(&[(set, done)]);
    assert_eq!(max.ask(lock), "<ok/>");
    talk.check(&[(set, refused)]);
    drop(max);
    while show(&talk.ask(set)) != done {}
}
