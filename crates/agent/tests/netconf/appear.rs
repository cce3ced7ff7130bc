//! Interfaces that come and go, and what others have changed: the machine is as it is configured.

use std::time::Instant;

use serde_json::Value as Json;
use trunkline_testkit::namespace::{ip, ip_json, isolated};

use crate::client::{Client, agent, configuration};
use crate::support::{Agent, PATIENCE};

const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const IP: &str = "urn:ietf:params:xml:ns:yang:ietf-ip";
const ROUTING: &str = "urn:ietf:params:xml:ns:yang:ietf-routing";
const V4: &str = "urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing";
const NC: &str = "urn:ietf:params:xml:ns:netconf:base:1.0";
const ETHERNET: &str = "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:ethernetCsmacd</type>";

fn edit(target: &str, content: &str) -> String {
    format!(
        "<edit-config><target><{target}/></target><config xmlns:nc='{NC}'>{content}</config></edit-config>"
    )
}

fn interface(name: &str, content: &str) -> String {
    format!(
        "<interfaces xmlns='{INTERFACES}'><interface><name>{name}</name>{content}</interface></interfaces>"
    )
}

fn address(ip: &str) -> String {
    format!("<address><ip>{ip}</ip><prefix-length>24</prefix-length></address>")
}

/// All that an entry of `near` can say, and routes through it in both ways.
fn all_of_near() -> String {
    let route = |destination: &str, hop: &str| {
        format!(
            "<route><destination-prefix>{destination}</destination-prefix><next-hop>{hop}</next-hop></route>"
        )
    };
    let content = format!(
        "<description>to the lab</description>{ETHERNET}<enabled>true</enabled><ipv4 xmlns='{IP}'><mtu>1400</mtu>{}</ipv4>",
        address("192.0.2.1")
    );
    let routes = [
        route("198.51.100.0/24", "<next-hop-address>192.0.2.2</next-hop-address>"),
        route("203.0.113.0/24", "<outgoing-interface>near</outgoing-interface>"),
    ];
    format!(
        "{}<routing xmlns='{ROUTING}'><control-plane-protocols><control-plane-protocol><type xmlns:r='{ROUTING}'>r:static</type>\
         <name>main</name><static-routes><ipv4 xmlns='{V4}'>{}</ipv4></static-routes></control-plane-protocol>\
         </control-plane-protocols></routing>",
        interface("near", &content),
        routes.concat()
    )
}

/// Alias, MTU, whether it is up, addresses of IPv4; `None`: it is not there.
fn shown(name: &str) -> Option<(String, u64, bool, String)> {
    let all = ip_json("address show");
    let link: &Json = all.iter().find(|it| it["ifname"] == name)?;
    let addresses = link["addr_info"].as_array()?.iter().filter(|it| it["family"] == "inet");
    let addresses: Vec<String> =
        addresses.map(|it| format!("{}/{}", it["local"].as_str().unwrap(), it["prefixlen"])).collect();
    let up = link["flags"].as_array()?.contains(&"UP".into());
    Some((link["ifalias"].as_str().unwrap_or("-").into(), link["mtu"].as_u64()?, up, addresses.join(" ")))
}

fn routes() -> Vec<String> {
    let shown = ip_json("-4 route show proto static");
    let mut all: Vec<String> = shown.iter().map(|it| it["dst"].as_str().unwrap().to_owned()).collect();
    all.sort();
    all
}

fn until<T: PartialEq + std::fmt::Debug>(what: impl Fn() -> T, expected: &T) {
    let begin = Instant::now();
    loop {
        let found = what();
        if found == *expected {
            return;
        }
        assert!(begin.elapsed() < PATIENCE, "wanted {expected:?}, found {found:?}");
    }
}

/// RFC 8343 section 3.1: an interface may be configured before it is there.
#[test]
fn an_interface_that_appears_is_configured() {
    isolated("appear::an_interface_that_appears_is_configured", || {
        let text = configuration("");
        let first = Agent::start(&text);
        let mut max = Client::open(&first, "max");
        assert_eq!(max.ask(&edit("candidate", &all_of_near())), "<ok/>");
        assert_eq!(max.ask("<commit/>"), "<ok/>");
        let running = max.ask("<get-config><source><running/></source></get-config>");
        assert!(running.contains("<name>near</name>"), "{running}");
        assert_eq!((shown("near"), routes()), (None, vec![]));
        // In what is in force there is none.
        let get = format!(
            "<get-data xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-nmda' xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>\
             <datastore>ds:operational</datastore><subtree-filter><interfaces xmlns='{INTERFACES}'/></subtree-filter></get-data>"
        );
        assert!(!max.ask(&get).contains("<name>near</name>"));

        let wanted = (
            Some(("to the lab".to_owned(), 1400, true, "192.0.2.1/24".to_owned())),
            vec!["198.51.100.0/24".to_owned(), "203.0.113.0/24".to_owned()],
        );
        let is = || (shown("near"), routes());
        ip("link add near type veth peer name far");
        until(is, &wanted);
        first.wait_for("an interface has appeared, and is configured name=\"near\"");
        // It goes and comes; the first time under another name, as udev gives it.
        ip("link delete near");
        until(is, &(None, vec![]));
        ip("link add first type veth peer name far");
        ip("link set first name near");
        until(is, &wanted);
        // It goes and comes while no agent runs, and after one has started without it.
        drop(max);
        let folder = first.terminate();
        ip("link delete near");
        let second = Agent::start_in(folder, &text);
        assert_eq!(is(), (None, vec![]));
        ip("link add near type veth peer name far");
        until(is, &wanted);
        // What is not there can be taken from the configuration.
        ip("link delete near");
        let mut max = Client::open(&second, "max");
        let delete = format!(
            "<interfaces xmlns='{INTERFACES}' nc:operation='delete'/><routing xmlns='{ROUTING}' nc:operation='delete'/>"
        );
        assert_eq!(max.ask(&edit("running", &delete)), "<ok/>");
        ip("link add near type veth peer name far");
        ip("link add other type bridge");
        until(|| shown("other").is_some(), &true);
        assert_eq!(
            max.ask(&edit(
                "running",
                &interface(
                    "other",
                    "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:bridge</type>"
                )
            )),
            "<ok/>"
        );
        let (alias, mtu, up, addresses) = shown("near").unwrap();
        assert_eq!((&alias[..], mtu, up, &addresses[..]), ("-", 1500, false, ""));
    });
}

#[test]
fn an_interface_that_appears_with_another_type_is_left_alone() {
    isolated("appear::an_interface_that_appears_with_another_type_is_left_alone", || {
        let agent = agent("");
        let mut max = Client::open(&agent, "max");
        let loopback = "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:softwareLoopback</type>";
        assert_eq!(max.ask(&edit("running", &interface("near", loopback))), "<ok/>");
        ip("link add near type veth peer name far");
        let line = agent.wait_for("an interface has appeared, and cannot be configured");
        assert!(line.contains("near is of type 6, not 24"), "{line}");
        assert!(!shown("near").unwrap().2);
        // No interface can have these names (RFC 8343: invalid-value), and who has no entry is not waited for.
        for name in ["a/b", "sixteen-octets-1", ".."] {
            let reply = max.ask(&edit("running", &interface(name, ETHERNET)));
            assert!(
                reply.contains("<error-tag>invalid-value<") && reply.contains("can have the name"),
                "{reply}"
            );
        }
    });
}

/// A commit that is taken back takes back what it has waited for.
#[test]
fn an_interface_that_appears_during_a_trial_goes_back_with_it() {
    isolated("appear::an_interface_that_appears_during_a_trial_goes_back_with_it", || {
        let agent = agent("");
        let mut max = Client::open(&agent, "max");
        assert_eq!(max.ask(&edit("candidate", &all_of_near())), "<ok/>");
        assert_eq!(max.ask("<commit><confirmed/></commit>"), "<ok/>");
        ip("link add near type veth peer name far");
        until(|| shown("near").unwrap().3, &"192.0.2.1/24".to_owned());
        until(|| routes().len(), &2);
        assert_eq!(max.ask("<cancel-commit/>"), "<ok/>");
        let (alias, _, _, addresses) = shown("near").unwrap();
        assert_eq!((&alias[..], &addresses[..], routes()), ("-", "", vec![]));
    });
}

#[test]
fn what_an_edit_says_again_is_so_again() {
    isolated("appear::what_an_edit_says_again_is_so_again", || {
        ip("link add near type veth peer name far");
        ip("link set far up");
        // One who may read all of it, and write the contact alone.
        let text = configuration("").replace("read = [\"1.3.6.1.2.1.1.4\"]", "read = [\"1\"]");
        let agent = Agent::start(&text);
        let mut max = Client::open(&agent, "max");
        let all = all_of_near();
        assert_eq!(max.ask(&edit("running", &all)), "<ok/>");
        let is = || (shown("near").unwrap(), routes());
        let wanted = is();
        assert_eq!((wanted.0.2, wanted.1.len()), (true, 2));
        let break_it = || {
            ip("link set near down");
            ip("link set near mtu 1300 alias theirs");
            ip("address del 192.0.2.1/24 dev near");
        };
        // Whatever edits it: running, the candidate, a copy.
        let in_candidate = [edit("candidate", &all), "<commit/>".to_owned()];
        let copy = format!(
            "<copy-config><target><running/></target><source><config>{all}</config></source></copy-config>"
        );
        for operations in [&[edit("running", &all)][..], &in_candidate, &[copy]] {
            break_it();
            assert_ne!(is(), wanted);
            for operation in operations {
                assert_eq!(max.ask(operation), "<ok/>");
            }
            assert_eq!(is(), wanted, "{operations:?}");
        }
        // What it does not say stays as others have made it.
        break_it();
        assert_eq!(max.ask(&edit("running", &interface("near", "<enabled>true</enabled>"))), "<ok/>");
        assert_eq!((is().0.0, is().0.1, is().0.2), ("theirs".to_owned(), 1300, true));
        ip("address flush dev near");
        let one = format!("<ipv4 xmlns='{IP}'>{}</ipv4>", address("192.0.2.1"));
        assert_eq!(max.ask(&edit("running", &interface("near", &one))), "<ok/>");
        assert_eq!((is().0.0, is().0.3), ("theirs".to_owned(), "192.0.2.1/24".to_owned()));
        // An edit of something else repairs nothing.
        ip("link set near down");
        assert_eq!(
            max.ask(&edit("running", &interface("near", "<description>other</description>"))),
            "<ok/>"
        );
        assert_eq!((is().0.0, is().0.2), ("other".to_owned(), false));
        // It is for those who may write it: who may not changes nothing by saying what is so.
        let mut tom = Client::open(&agent, "tom");
        let both = format!(
            "{}<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>tom</contact></system>",
            interface("near", "<enabled>true</enabled>")
        );
        assert_eq!(tom.ask(&edit("running", &both)), "<ok/>");
        assert_eq!((is().0.0, is().0.2), ("other".to_owned(), false));
        // Who sends the whole configuration again while a part of it cannot be in force is not refused for that.
        let off = all.replace("<enabled>true", "<enabled>false");
        for _ in 0..2 {
            assert_eq!(max.ask(&edit("running", &off)), "<ok/>");
        }
        assert_eq!((is().0.2, is().1), (false, vec![]));
    });
}
