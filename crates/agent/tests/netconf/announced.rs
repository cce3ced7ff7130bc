//! What the hello and the YANG library say of the modules, beside what the agent answers.

use std::collections::BTreeSet;
use std::path::Path;

use trunkline_testkit::leave_out;
use trunkline_testkit::namespace::{ip, isolated};
use trunkline_yang::own::{ALL, DEVIATIONS, texts};

use crate::client::{Client, agent};
use crate::support::yanglint::Yanglint;

const LIBRARY: &str = "urn:ietf:params:xml:ns:yang:ietf-yang-library";
const NMDA: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-nmda";
const DS: &str = "urn:ietf:params:xml:ns:yang:ietf-datastores";

/// The values of an element without elements in it.
fn values<'t>(text: &'t str, name: &str) -> BTreeSet<&'t str> {
    let (begin, end) = (format!("<{name}>"), format!("</{name}>"));
    text.split(&*begin).skip(1).filter_map(|it| it.split_once(&*end)).map(|(value, _)| value).collect()
}

/// The namespaces that a message declares.
fn declared(message: &str) -> BTreeSet<String> {
    let declarations = message.split(" xmlns").skip(1).filter_map(|it| it.split_once("=\""));
    let is_one = |name: &str| name.is_empty() || name.starts_with(':');
    let values = declarations.filter(|(name, _)| is_one(name)).filter_map(|(_, it)| it.split_once('"'));
    values.map(|(namespace, _)| namespace.to_owned()).collect()
}

/// Every namespace in which there is data, an operation or an event is that of a module in the library.
#[test]
fn every_namespace_is_of_a_module_in_the_library() {
    let agent = agent("");
    let mut max = Client::open(&agent, "max");
    let library = max.get(&format!("<yang-library xmlns='{LIBRARY}'/>"));
    let old = max.get(&format!("<modules-state xmlns='{LIBRARY}'/>"));
    let modules = values(&library, "namespace");
    assert_eq!(modules, values(&old, "namespace"));

    let mut used: BTreeSet<String> = trunkline_netconf::NAMESPACES.map(str::to_owned).into();
    let mut other = Client::open(&agent, "max");
    let contact = "<edit-config><target><running/></target><config><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'>\
                   <contact>ann</contact></system></config></edit-config>";
    assert_eq!(max.ask(contact), "<ok/>");
    for request in [
        "<get/>".to_owned(),
        format!(
            "<get-data xmlns='{NMDA}' xmlns:ds='{DS}'><datastore>ds:operational</datastore><with-origin/></get-data>"
        ),
        "<get-config><source><running/></source><with-defaults xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults'>\
         report-all-tagged</with-defaults></get-config>"
            .to_owned(),
        "<get-schema xmlns='urn:ietf:params:xml:ns:yang:ietf-netconf-monitoring'><identifier>trunkline-bgp</identifier></get-schema>"
            .to_owned(),
        "<partial-lock xmlns='urn:ietf:params:xml:ns:netconf:partial-lock:1.0'><select>/*[local-name()='system']</select></partial-lock>"
            .to_owned(),
        format!(
            "<establish-subscription xmlns='urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications' \
             xmlns:yp='urn:ietf:params:xml:ns:yang:ietf-yang-push' xmlns:ds='{DS}'><yp:datastore>ds:running</yp:datastore>\
             <yp:periodic><yp:period>100000</yp:period></yp:periodic></establish-subscription>"
        ),
    ] {
        let reply = max.ask(&request);
        assert!(!reply.contains("<rpc-error>"), "{reply}");
        used.extend(declared(&reply));
    }
    // The update of the subscription, and an event with its replay's end.
    used.extend(declared(&String::from_utf8(max.read().unwrap()).unwrap()));
    let replay = "<create-subscription xmlns='urn:ietf:params:xml:ns:netconf:notification:1.0'>\
                  <startTime>2020-01-01T00:00:00Z</startTime></create-subscription>";
    assert_eq!(other.ask(replay), "<ok/>");
    loop {
        let event = String::from_utf8(other.read().unwrap()).unwrap();
        used.extend(declared(&event));
        if event.contains("<replayComplete") {
            break;
        }
    }
    // Of an attribute (RFC 6243 section 6), whose schema is not a module.
    used.remove("urn:ietf:params:xml:ns:netconf:default:1.0");
    let missing: Vec<&String> = used.iter().filter(|it| !modules.contains(it.as_str())).collect();
    assert!(missing.is_empty(), "{missing:?}");
    assert!(used.contains("urn:ietf:params:xml:ns:netmod:notification"), "{used:?}");
    assert!(used.len() > 40, "{used:?}");
}

/// Modules of YANG 1.0 are in the hello, those of YANG 1.1 are not (RFC 7950 section 5.6.4); what they import is in the library.
#[test]
fn the_hello_has_the_modules_of_yang_1_0_and_the_library_all() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/peers/python/share/yang/modules");
    if !folder.is_dir() {
        leave_out("pyang, which has the IETF's modules, is not installed (cargo xtask setup --peers)");
        return;
    }
    let agent = agent("");
    let mut client = Client::open(&agent, "bob");
    let library = client.get(&format!("<yang-library xmlns='{LIBRARY}'/>"));
    let of_library = values(&library, "name");
    let of_hello: BTreeSet<&str> = client
        .hello
        .capabilities
        .iter()
        .filter_map(|it| it.split_once('?').map(|(namespace, _)| namespace))
        .collect();
    let read =
        |part: &str, name: &str| std::fs::read_to_string(folder.join(part).join(format!("{name}.yang"))).ok();
    let mut compared = 0;
    for module in ALL.iter().chain(DEVIATIONS.iter().map(|(module, _)| module)) {
        let own = texts().find(|(own, _)| own.name == module.name).map(|(_, text)| text.to_owned());
        let Some(text) = own.or_else(|| read("ietf", module.name)).or_else(|| read("iana", module.name))
        else {
            continue;
        };
        let version = text.lines().find_map(|line| line.trim().strip_prefix("yang-version"));
        let is_new = version.is_some_and(|version| version.contains("1.1"));
        assert_eq!(of_hello.contains(module.namespace), !is_new, "{}", module.name);
        for import in text.lines().filter_map(|line| line.trim().strip_prefix("import ")) {
            let import = import.split(['{', ' ']).next().unwrap().trim_matches('"');
            assert!(of_library.contains(import), "{} imports {import}", module.name);
        }
        compared += 1;
    }
    assert!(compared > 30, "{compared}");
    let acm = "?module=ietf-netconf-acm&revision=2018-02-14&deviations=trunkline-deviations-ietf-netconf-acm";
    assert!(client.hello.capabilities.iter().any(|it| it.ends_with(acm)), "{:?}", client.hello.capabilities);
}

/// Of a machine with interfaces, addresses, routes and a configuration all that is read is valid by what is announced.
#[test]
fn a_whole_machine_is_valid_by_what_is_announced() {
    isolated("announced::a_whole_machine_is_valid_by_what_is_announced", || {
        let Some(yanglint) = Yanglint::new() else { return };
        ip("link add near type veth peer name far");
        ip("link set far up");
        ip("address add 198.51.100.7/24 dev far");
        let agent = agent("[system]\ncontact = \"operator\"\n");
        let mut max = Client::open(&agent, "max");
        let yang = |name: &str| format!("urn:ietf:params:xml:ns:yang:{name}");
        let change = format!(
            "<interfaces xmlns='{}'><interface><name>near</name><type xmlns:t='{}'>t:ethernetCsmacd</type>\
             <ipv4 xmlns='{}'><mtu>1400</mtu><address><ip>192.0.2.1</ip><prefix-length>24</prefix-length></address></ipv4>\
             <ipv6 xmlns='{}'><address><ip>2001:db8::1</ip><prefix-length>64</prefix-length></address></ipv6></interface></interfaces>\
             <routing xmlns='{}'><control-plane-protocols><control-plane-protocol><type xmlns:r='{}'>r:static</type><name>a</name>\
             <static-routes><ipv4 xmlns='{}'><route><destination-prefix>203.0.113.0/24</destination-prefix><next-hop>\
             <outgoing-interface>near</outgoing-interface><next-hop-address>192.0.2.2</next-hop-address></next-hop></route></ipv4>\
             </static-routes></control-plane-protocol></control-plane-protocols></routing>\
             <nacm xmlns='{}'><groups><group><name>writer</name><user-name>zoe</user-name></group></groups></nacm>",
            yang("ietf-interfaces"),
            yang("iana-if-type"),
            yang("ietf-ip"),
            yang("ietf-ip"),
            yang("ietf-routing"),
            yang("ietf-routing"),
            yang("ietf-ipv4-unicast-routing"),
            yang("ietf-netconf-acm")
        );
        let edit = format!("<edit-config><target><running/></target><config>{change}</config></edit-config>");
        assert_eq!(max.ask(&edit), "<ok/>");
        let more = ["ietf-restconf-monitoring"];
        let content = |reply: String| {
            let (_, data) = reply.split_once('>').unwrap();
            data.strip_suffix("</data>").unwrap_or_else(|| panic!("{reply}")).to_owned()
        };
        yanglint.check("get.xml", &content(max.ask("<get/>")), &more);
        let operational = max.ask(&format!(
            "<get-data xmlns='{NMDA}' xmlns:ds='{DS}'><datastore>ds:operational</datastore></get-data>"
        ));
        assert!(operational.contains("203.0.113.0/24"), "{operational}");
        yanglint.check("operational.xml", &content(operational), &more);
        let running = content(max.ask("<get-config><source><running/></source></get-config>"));
        assert!(running.contains("<outgoing-interface>near<"), "{running}");
        yanglint.check_configuration("running.xml", &running, &more);
        // What is referred to stays: not even with the edit that leaves the reference alone.
        let gone = format!(
            "<edit-config><target><running/></target><config><interfaces xmlns='{}'>\
             <interface xmlns:nc='urn:ietf:params:xml:ns:netconf:base:1.0' nc:operation='delete'><name>near</name></interface>\
             </interfaces></config></edit-config>",
            yang("ietf-interfaces")
        );
        let refused = max.ask(&gone);
        assert!(
            refused.contains("<error-app-tag>instance-required<")
                && refused.contains("<error-tag>data-missing<"),
            "{refused}"
        );
        assert_eq!(content(max.ask("<get-config><source><running/></source></get-config>")), running);
    });
}
