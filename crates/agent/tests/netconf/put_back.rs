//! What is taken back leaves the machine as it was before, also where the configuration said nothing.

use serde_json::Value as Json;
use trunkline_testkit::namespace::{ip, ip_json, isolated};

use crate::client::{Client, configuration};
use crate::support::Agent;

/// `near` has had all that an entry can say from somebody else.
fn somebody_elses() {
    ip("link add near type veth peer name far");
    ip("link set near mtu 1450 alias theirs up");
    ip("link set far up");
    ip("address add 192.0.2.1/24 dev near");
}

fn shown() -> (String, u64, bool, Vec<String>) {
    let link: Json = ip_json("address show dev near")[0].clone();
    let addresses = link["addr_info"].as_array().unwrap().iter().filter(|it| it["scope"] == "global");
    let addresses = addresses.map(|it| format!("{}/{}", it["local"].as_str().unwrap(), it["prefixlen"]));
    let up = link["flags"].as_array().unwrap().contains(&"UP".into());
    (
        link["ifalias"].as_str().unwrap_or_default().into(),
        link["mtu"].as_u64().unwrap(),
        up,
        addresses.collect(),
    )
}

/// An entry that changes all of it, and names the address that is there already.
fn trial() -> String {
    "<edit-config><target><candidate/></target><config>\
     <interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>near</name>\
     <description>ours</description>\
     <type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:ethernetCsmacd</type><enabled>false</enabled>\
     <ipv4 xmlns='urn:ietf:params:xml:ns:yang:ietf-ip'><mtu>1300</mtu>\
     <address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address>\
     <address><ip>192.0.2.2</ip><prefix-length>24</prefix-length></address></ipv4></interface></interfaces>\
     </config></edit-config>"
        .to_owned()
}

#[test]
fn a_commit_that_is_not_confirmed_leaves_the_machine_as_it_was() {
    isolated("put_back::a_commit_that_is_not_confirmed_leaves_the_machine_as_it_was", || {
        somebody_elses();
        let before = shown();
        let text = configuration("");
        let first = Agent::start(&text);
        let mut max = Client::open(&first, "max");
        assert_eq!(max.ask(&trial()), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
        let tried = shown();
        assert_eq!((tried.0.as_str(), tried.1, tried.2, tried.3.len()), ("ours", 1300, false, 2));
        assert_eq!(max.ask("<cancel-commit><persist-id>p</persist-id></cancel-commit>"), "<ok/>");
        assert_eq!(shown(), before);
        // So does a trial that goes on with another one, and that an agent takes back at its next start.
        assert_eq!(max.ask(&trial()), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
        assert_eq!(max.ask(&trial().replace("1300", "1310").replace("ours", "more")), "<ok/>");
        let more = "<commit><confirmed/><persist>q</persist><persist-id>p</persist-id></commit>";
        assert_eq!(max.ask(more), "<ok/>");
        assert_eq!((shown().0.as_str(), shown().1), ("more", 1310));
        drop(max);
        let second = Agent::start_in(first.terminate(), &text);
        let mut max = Client::open(&second, "max");
        assert_eq!(
            max.get("<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><none/></interfaces>"),
            ""
        );
        assert_eq!(shown(), before);
        // What was committed for good is not remembered: without its entry, state and MTU stay.
        assert_eq!(max.ask(&trial()), "<ok/>");
        assert_eq!(max.ask("<commit/>"), "<ok/>");
        let delete = "<edit-config><target><running/></target><config xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>\
                      <interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces' nc:operation='delete'/></config></edit-config>";
        assert_eq!(max.ask(delete), "<ok/>");
        assert_eq!(shown(), (String::new(), 1300, false, vec![]));
    });
}

/// Neither what was committed since the first start, when nothing was kept yet, nor what waits to be confirmed.
#[test]
fn a_reload_takes_nothing_back() {
    isolated("put_back::a_reload_takes_nothing_back", || {
        somebody_elses();
        let agent = Agent::start(&configuration(""));
        let mut max = Client::open(&agent, "max");
        let reload = |max: &mut Client| {
            agent.signal("HUP");
            agent.wait_for("configuration reloaded");
            let kept = max.ask("<get-config><source><running/></source></get-config>");
            assert!(kept.contains("<description>ours</description>"), "{kept}");
            assert_eq!(shown().0, "ours");
        };
        assert_eq!(max.ask(&trial()), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/><persist>p</persist></commit>"), "<ok/>");
        reload(&mut max);
        assert_eq!(max.ask("<commit><persist-id>p</persist-id></commit>"), "<ok/>");
        reload(&mut max);
    });
}
