//! Models that lie over tables of the tree: the paper's `/netconf`, and `/routing`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::Value as Json;
use trunkline_testkit::namespace::{ip, ip_json, isolated};

use crate::client::{Client, agent, configuration};
use crate::support::Agent;

pub const PAPER: &str = "urn:trunkline:yang:netconf";

pub fn xpath(client: &mut Client, select: &str) -> String {
    let reply = client.ask(&format!("<get><filter type=\"xpath\" select=\"{select}\"/></get>"));
    let data = reply.strip_prefix("<data>").and_then(|it| it.strip_suffix("</data>"));
    data.unwrap_or_else(|| panic!("{reply}")).to_owned()
}

/// The values of a leaf.
pub fn values(data: &str, leaf: &str) -> Vec<String> {
    let (start, end) = (format!("<{leaf}>"), format!("</{leaf}>"));
    let parts = data.split(&start).skip(1);
    parts.map(|part| part.split_once(&end).expect("an end").0.to_owned()).collect()
}

/// EMANICS D7.1, line 100 of the text: with the quotes that it prints, and with those of XPath.
#[test]
fn the_packages_of_the_paper_are_found_by_their_text() {
    let agent = agent("");
    let mut ann = Client::open(&agent, "ann");
    let all = ann.get(
        "<HOST-RESOURCES-MIB><hrSWInstalledTable><hrSWInstalledEntry><hrSWInstalledName/></hrSWInstalledEntry>\
         </hrSWInstalledTable></HOST-RESOURCES-MIB>",
    );
    // An InternationalDisplayString has no display hint, so it is `binary` there.
    let text = |value: &String| String::from_utf8(BASE64.decode(value).unwrap()).unwrap();
    let all: Vec<String> = values(&all, "hrSWInstalledName").iter().map(text).collect();
    for word in ["java", "lib", "no package has this name"] {
        let expected: Vec<String> = all.iter().filter(|name| name.contains(word)).cloned().collect();
        for [open, close] in [["\u{2019}"; 2], ["'"; 2], ["\u{2018}", "\u{2019}"]] {
            let select = format!("/netconf/system/rpm-list/rpm[contains(text(),{open}{word}{close})]");
            assert_eq!(values(&xpath(&mut ann, &select), "rpm"), expected, "{select}");
        }
    }
    assert_eq!(values(&xpath(&mut ann, "/netconf/system"), "rpm"), all);
    // Whoever may not read that table does not read it here.
    assert_eq!(xpath(&mut Client::open(&agent, "bob"), "/netconf/system/rpm-list/rpm"), "");
}

/// EMANICS D7.1, lines 254 and 255.
#[test]
fn the_interfaces_of_the_paper_are_found_by_their_names() {
    isolated("models::the_interfaces_of_the_paper_are_found_by_their_names", || {
        ip("link add eth0 address 02:00:00:00:00:01 type veth peer name far");
        ip("link set eth0 up");
        ip("link set far up");
        ip("link set eth0 alias uplink");
        ip("address add 192.0.2.1/24 dev eth0");
        ip("route add 198.51.100.0/24 via 192.0.2.2 metric 7");
        let agent = agent("");
        let mut ann = Client::open(&agent, "ann");
        let expected = ann.get(&format!(
            "<netconf xmlns='{PAPER}'><network><interfaces><iface><name>eth0</name></iface></interfaces></network></netconf>"
        ));
        for leaf in [
            "<name>eth0</name>",
            "<description>uplink</description>",
            "<mac-address>02:00:00:00:00:01</mac-address>",
            "<mtu>1500</mtu><enabled>true</enabled><status>up</status>",
            "<address>192.0.2.1/24</address>",
        ] {
            assert!(expected.contains(leaf), "{leaf} in {expected}");
        }
        assert_eq!(expected.matches("<iface>").count(), 1, "{expected}");
        for select in [
            "//iface[name=\u{2019}eth0\u{2019}]",
            "//iface[name='eth0']",
            "/netconf/network/interfaces/iface[name=\u{2019}eth0\u{2019}]",
            "/netconf/network/interfaces/iface[name='eth0']",
        ] {
            let found = xpath(&mut ann, select);
            for leaf in ["name", "mac-address", "address", "status"] {
                assert_eq!(values(&found, leaf), values(&expected, leaf), "{select}: {found}");
            }
        }
        // More nodes and criteria, and parts that are joined.
        let routes = xpath(
            &mut ann,
            "//route[iface='eth0' and contains(gateway, '192.')] | //iface[position() = last()]/name",
        );
        assert!(
            routes.contains(
                "<route><destination>198.51.100.0/24</destination><gateway>192.0.2.2</gateway><iface>eth0</iface>\
                 <metric>7</metric></route>"
            ),
            "{routes}"
        );
        assert_eq!(values(&routes, "name").len(), 1, "{routes}");
    });
}

const ROUTING: &str = "urn:ietf:params:xml:ns:yang:ietf-routing";
const V4: &str = "urn:ietf:params:xml:ns:yang:ietf-ipv4-unicast-routing";
const V6: &str = "urn:ietf:params:xml:ns:yang:ietf-ipv6-unicast-routing";

/// An edit of running whose content are static routes of both versions, and more.
fn edit(more: &str, v4: &str, v6: &str) -> String {
    let part = |name: &str, namespace: &str, routes: &str| match routes {
        "" => String::new(),
        routes => format!("<{name} xmlns='{namespace}'>{routes}</{name}>"),
    };
    format!(
        "<edit-config><target><running/></target><config xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0'>{more}\
         <routing xmlns='{ROUTING}'><control-plane-protocols><control-plane-protocol><type xmlns:r='{ROUTING}'>r:static</type>\
         <name>main</name><static-routes>{}{}</static-routes></control-plane-protocol></control-plane-protocols></routing>\
         </config></edit-config>",
        part("ipv4", V4, v4),
        part("ipv6", V6, v6)
    )
}

fn route(destination: &str, hop: &str) -> String {
    format!("<route><destination-prefix>{destination}</destination-prefix><next-hop>{hop}</next-hop></route>")
}

fn by_way_of(gateway: &str) -> String {
    format!("<next-hop-address>{gateway}</next-hop-address>")
}

/// The static routes of the kernel: type, destination, router.
fn kernel() -> Vec<String> {
    let of = |version: &str| ip_json(&format!("-{version} route show proto static"));
    let shown = of("4").into_iter().chain(of("6"));
    let text = |it: Json| {
        let part = |name: &str| it[name].as_str().unwrap_or("-").to_owned();
        let kind = if it["type"] == "unicast" { "to".to_owned() } else { part("type") };
        format!("{kind} {} {}", part("dst"), part("gateway"))
    };
    let mut all: Vec<String> = shown.map(text).collect();
    all.sort();
    all
}

const ETHERNET: &str = "<type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:ethernetCsmacd</type>";

/// An entry of an interface with two addresses.
fn near(enabled: bool) -> String {
    let ip = "urn:ietf:params:xml:ns:yang:ietf-ip";
    format!(
        "<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'><interface><name>near</name>{ETHERNET}<enabled>{enabled}</enabled>\
         <ipv4 xmlns='{ip}'><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>\
         <ipv6 xmlns='{ip}'><address><ip>2001:db8::1</ip><prefix-length>64</prefix-length></address></ipv6></interface></interfaces>"
    )
}

#[test]
fn static_routes_are_configured_in_the_kernel_and_seen() {
    isolated("models::static_routes_are_configured_in_the_kernel_and_seen", || {
        ip("link add near type veth peer name far");
        ip("link set far up");
        let agent = agent("");
        let mut max = Client::open(&agent, "max");
        // Addresses and what needs them in one transaction.
        let v4 = route("198.51.100.9/24", &by_way_of("192.0.2.2"));
        let v6 = route("2001:DB8:1::/48", &by_way_of("2001:db8::2"));
        assert_eq!(max.ask(&edit(&near(true), &v4, &v6)), "<ok/>");
        let both = ["to 198.51.100.0/24 192.0.2.2", "to 2001:db8:1::/48 2001:db8::2"];
        assert_eq!(kernel(), both);
        let rib = max.get(&format!("<routing xmlns='{ROUTING}'><ribs/></routing>"));
        let seen = format!(
            "<route><route-preference>0</route-preference><next-hop><outgoing-interface>near</outgoing-interface>\
             <next-hop-address xmlns=\"{V4}\">192.0.2.2</next-hop-address></next-hop><source-protocol>static</source-protocol>\
             <active></active><destination-prefix xmlns=\"{V4}\">198.51.100.0/24</destination-prefix></route>"
        );
        assert!(rib.contains(&seen), "{rib}");
        let family = format!("<address-family xmlns:v6ur=\"{V6}\">v6ur:ipv6-unicast</address-family>");
        assert!(rib.contains(&family), "{rib}");
        let names = xpath(&mut max, "/routing/ribs/rib[routes/route/source-protocol='static']/name");
        assert_eq!(values(&names, "name"), ["ipv4-main", "ipv6-main"], "{names}");

        // Another case of the choice takes the place of this one.
        let nowhere = route("198.51.100.0/24", "<special-next-hop>blackhole</special-next-hop>");
        assert_eq!(max.ask(&edit("", &nowhere, "")), "<ok/>");
        assert_eq!(kernel(), ["blackhole 198.51.100.0/24 -", both[1]]);
        let get = "<get-config><source><running/></source></get-config>";
        let blackhole = "<special-next-hop>blackhole</special-next-hop>";
        let running = max.ask(get);
        assert!(running.contains(&format!("<next-hop>{blackhole}</next-hop>")), "{running}");
        assert_eq!(max.ask(&edit("", &v4, "")), "<ok/>");
        assert_eq!(kernel(), both);

        // All or nothing: the kernel refuses the second, and nothing is left of the first and of the contact.
        let contact = "<system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'><contact>x</contact></system>";
        let two = format!(
            "{}{}",
            route("203.0.113.0/25", &by_way_of("192.0.2.3")),
            route("203.0.113.128/25", &by_way_of("203.0.113.200"))
        );
        let reply = max.ask(&edit(contact, &two, ""));
        assert!(
            reply.contains("<error-tag>operation-failed<") && reply.contains("leads to its next hop"),
            "{reply}"
        );
        assert!(reply.contains("v4ur:route[v4ur:destination-prefix='203.0.113.128/25']"), "{reply}");
        assert_eq!(kernel(), both);
        assert_eq!(max.ask(get), running.replace(blackhole, &by_way_of("192.0.2.2")));

        // The kernel drops routes with their interface: they come back with it.
        assert_eq!(max.ask(&edit(&near(false), "", "")), "<ok/>");
        assert_eq!(kernel(), [""; 0]);
        assert_eq!(max.ask(&edit(&near(true), "", "")), "<ok/>");
        assert_eq!(kernel(), both);

        // Over a restart.
        let folder = agent.terminate();
        ip("route del 198.51.100.0/24");
        let agent = Agent::start_in(folder, &configuration(""));
        let mut max = Client::open(&agent, "max");
        assert_eq!(kernel(), both);
        let gone =
            "<route nc:operation='delete'><destination-prefix>198.51.100.0/24</destination-prefix></route>";
        assert_eq!(max.ask(&edit("", gone, "")), "<ok/>");
        assert_eq!(kernel(), &both[1..]);
    });
}

#[test]
fn what_cannot_be_a_static_route_is_refused() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let to = |hop: &str| edit("", &route("198.51.100.0/24", hop), "");
    for (edit, expected) in [
        (edit("", &route("198.51.100.0/33", &by_way_of("192.0.2.2")), ""), "invalid-value"),
        (to(""), "next-hop must have one of outgoing-interface, next-hop-address, special-next-hop"),
        (to(&by_way_of("2001:db8::2")), "invalid-value"),
        (to("<special-next-hop>receive</special-next-hop>"), "invalid-value"),
        (
            to("<outgoing-interface>nowhere</outgoing-interface>"),
            "there is no /interfaces/interface/name that is nowhere in the configuration",
        ),
        (
            edit("", "", &route("2001:db8::/32", &by_way_of("fe80::1"))),
            "a link-local next hop needs its interface",
        ),
        (to(&by_way_of("192.0.2.2")).replace("r:static", "r:direct"), "invalid-value"),
    ] {
        let reply = max.ask(&edit);
        assert!(reply.contains(expected), "{expected} in {reply}");
    }
    let rib = format!(
        "<edit-config><target><running/></target><config><routing xmlns='{ROUTING}'><ribs><rib><name>x</name></rib></ribs></routing>\
         </config></edit-config>"
    );
    assert!(max.ask(&rib).contains("ribs is state"));
    // Who may write the contact alone.
    let mut tom = Client::open(&agent, "tom");
    let reply = tom.ask(&to(&by_way_of("192.0.2.2")));
    assert!(reply.contains("<error-tag>access-denied<"), "{reply}");
    assert_eq!(tom.get(&format!("<routing xmlns='{ROUTING}'/>")), "");
}
