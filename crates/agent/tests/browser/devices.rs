//! Devices in the page: members of groups, and targets of `serve`, read on demand over RESTCONF as the machine itself is.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use trunkline_testkit::jvm::{Jvm, homes};
use trunkline_transport::ssh::PasswordHash;

use super::raw::{Browser, ask, log_in_as, origin, with_page};
use crate::restconf::client::PASSWORD;
use crate::support::{Agent, BOTH};

/// A device: an agent that speaks SNMP and nothing else.
fn device(name: &str) -> Agent {
    Agent::start(&format!("[system]\nname = \"{name}\"\n{BOTH}"))
}

fn basic(name: &str, password: &str) -> String {
    format!("Basic {}", STANDARD.encode(format!("{name}:{password}")))
}

const NAME: &str = "restconf/data/SNMPv2-MIB:SNMPv2-MIB/system/sysName";

#[test]
fn members_of_groups_are_read_in_contexts_of_their_own() {
    let device = device("old switch");
    let group = |rule: &str| {
        with_page(&format!(
            "[[role]]\nname = \"fleet\"\nread = [\"1\"]\n{rule}\
             [[group]]\nname = \"lan\"\ninterval = \"1h\"\nobjects = [\"sysName\"]\n\
             [[group.member]]\nname = \"sw1\"\naddress = \"udp://{}\"\ncommunity = \"public\"\n\
             [[group.member]]\nname = \"gone\"\naddress = \"udp://127.0.0.1:9\"\ncommunity = \"public\"\n\
             [[snmp.principal]]\nname = \"noc\"\nrole = \"fleet\"\npassword-hash = \"{}\"\n",
            device.udp(),
            PasswordHash::make(&PASSWORD.into()).unwrap().to_phc(),
        ))
    };
    let manager = Agent::start(&group("[[role.access]]\ncontext = \"lan/*\"\nread = [\"1.3.6.1.2.1.1\"]\n"));
    let noc = Browser::log_in(&manager, "noc");
    assert!(noc.session().contains("\"devices\":2"), "{}", noc.session());
    let list = noc.ask("GET /browser/devices", &[], "").body;
    assert_eq!(list, "[{\"name\":\"lan.gone\"},{\"name\":\"lan.sw1\"}]");
    let read = |path: &str| noc.ask(&format!("GET /devices/lan.sw1/{path}"), &[], "");
    assert_eq!(read(NAME).body, "{\"SNMPv2-MIB:sysName\":\"old switch\"}");
    // The rule of the context shows the system group alone.
    assert_eq!(read("restconf/data/IF-MIB:IF-MIB/ifTable").status, 404);
    assert_eq!(read("restconf/operations").body, "{\"ietf-restconf:operations\":{}}");
    assert_eq!(read("restconf/streams/NETCONF/json").status, 404);
    assert_eq!(
        noc.own(&format!("PUT /devices/lan.sw1/{NAME}"), "{\"SNMPv2-MIB:sysName\":\"x\"}").status,
        405
    );
    // A device that does not answer says so, and is in no other's way.
    let gone = noc.ask(&format!("GET /devices/lan.gone/{NAME}"), &[], "");
    assert_eq!(gone.status, 502, "{gone:?}");
    assert!(gone.body.contains("lan.gone does not answer"), "{}", gone.body);
    let page = "restconf/data/SNMPv2-MIB:SNMPv2-MIB/sysORTable/sysOREntry?limit=2&sort-by=sysORDescr";
    let gone = noc.ask(&format!("GET /devices/lan.gone/{page}"), &[], "");
    assert!(gone.status == 502 && gone.body.contains("lan.gone does not answer"), "{gone:?}");
    // A name that no device has looks like one that may not be read.
    assert_eq!(noc.ask(&format!("GET /devices/lan.sw2/{NAME}"), &[], "").status, 403);
    // The page of a device, with scripts and without.
    assert!(read("browser/").body.contains("app.js"));
    assert!(read("browser/session").body.contains("\"device\":\"lan.sw1\""));
    let plain = read("browser/plain/SNMPv2-MIB:SNMPv2-MIB/system").body;
    assert!(plain.contains("old switch"), "{plain}");
    // Strangers are sent to the one login.
    let stranger = ask(&manager, "GET /devices/lan.sw1/browser/", &[], "");
    assert_eq!((stranger.status, stranger.field("location")), (303, Some("../../../browser/login")));
    assert_eq!(ask(&manager, &format!("GET /devices/lan.sw1/{NAME}"), &[], "").status, 401);
    assert_eq!(ask(&manager, "GET /browser/devices", &[], "").status, 401);
    // Without scripts it is found too.
    let plain = noc.ask("GET /browser/plain/", &[], "").body;
    assert!(plain.contains("<a href=\"../../devices/lan.sw1/browser/plain/\">lan.sw1</a>"), "{plain}");
    assert!(!read("browser/plain/").body.contains("lan.gone"));
    // Without a rule for the context there is nothing to see.
    let closed = Agent::start(&group(""));
    let noc = Browser::log_in(&closed, "noc");
    assert_eq!(noc.ask("GET /browser/devices", &[], "").body, "[]");
    assert!(!noc.ask("GET /browser/plain/", &[], "").body.contains("lan.sw1"));
    assert_eq!(noc.ask(&format!("GET /devices/lan.sw1/{NAME}"), &[], "").status, 403);
}

#[test]
fn serve_has_devices_and_their_tables_behind_one_login() {
    let (one, two) = (device("one"), device("two"));
    let (first, second) =
        (format!("snmp://public@{}", one.udp()), format!("snmp+tcp://public@{}", two.tcp()));
    let (served, password) = Agent::serve(&[&first, &second]);
    let name = |agent: std::net::SocketAddr| agent.to_string().replace(':', "-");
    let fields = [("Authorization", basic("admin", &password))];
    let fields: Vec<(&str, &str)> = fields.iter().map(|(name, value)| (*name, value.as_str())).collect();
    for (device, expected) in [(name(one.udp()), "one"), (name(two.tcp()), "two")] {
        let answer = ask(&served, &format!("GET /devices/{device}/{NAME}"), &fields, "");
        assert_eq!(answer.body, format!("{{\"SNMPv2-MIB:sysName\":\"{expected}\"}}"), "{answer:?}");
    }
    // A client finds what there is as it does anywhere (RFC 8040 sections 3.3 and 10).
    let root = format!("GET /devices/{}/restconf", name(one.udp()));
    let read = |path: &str| ask(&served, &format!("{root}{path}"), &fields, "");
    assert!(read("").body.contains("\"operations\":{},\"yang-library-version\""));
    assert_eq!(read("/operations").body, "{\"ietf-restconf:operations\":{}}");
    let library = read("/data/ietf-yang-library:yang-library").body;
    assert!(
        library.contains("\"name\":\"IF-MIB\"") && !library.contains("trunkline-delegation"),
        "{library}"
    );
    let state = read("/data/ietf-yang-library:modules-state/module-set-id").body;
    assert!(state.contains("-objects\""), "{state}");
    assert_eq!(read("/data/ietf-system:system").status, 404);
    // Sorted, filtered and in pages, whatever the device can do of that: it has SNMP.
    let table = "restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry?fields=ifDescr&where=ifIndex=1&limit=1";
    let answer = ask(&served, &format!("GET /devices/{}/{table}", name(one.udp())), &fields, "");
    assert_eq!(answer.status, 200, "{answer:?}");
    assert!(answer.body.contains("\"ifDescr\":\"lo\""), "{answer:?}");
    assert_eq!(log_in_as(&served, "admin", "wrong", &[("Origin", &origin(&served))]).status, 403);
    assert_eq!(log_in_as(&served, "admin", &password, &[("Origin", &origin(&served))]).status, 303);
}

/// An agent that speaks JMX and nothing else.
fn java(name: &str) -> Agent {
    Agent::start(&format!(
        "[system]\nname = \"{name}\"\n[snmp]\nlisten = []\n[[snmp.community]]\nname = \"public\"\naccess = \"read\"\n\
         [jmx]\nlisten = [\"tcp://127.0.0.1:0\"]\ncommunity = \"public\"\n"
    ))
}

#[test]
fn agents_with_mbeans_are_devices_as_others_are() {
    let java = java("one");
    let at = java.tcp();
    let (served, password) = Agent::serve(&[&format!("jmx://{at}"), "jmx://127.0.0.1:1"]);
    let authorization = basic("admin", &password);
    let name = at.to_string().replace(':', "-");
    let read = |device: &str, path: &str| {
        ask(&served, &format!("GET /devices/{device}/{path}"), &[("Authorization", &authorization)], "")
    };
    assert_eq!(read(&name, NAME).body, "{\"SNMPv2-MIB:sysName\":\"one\"}");
    let table = "restconf/data/IF-MIB:IF-MIB/ifTable/ifEntry?fields=ifDescr&where=ifIndex=1&limit=1";
    let answer = read(&name, table);
    assert!(answer.status == 200 && answer.body.contains("\"ifDescr\":\"lo\""), "{answer:?}");
    // The whole of it, with tables that it has, and those that it has not.
    let answer = read(&name, "restconf/data");
    assert!(answer.status == 200 && answer.body.contains("IF-MIB:IF-MIB"), "{answer:?}");
    let answer = read("127.0.0.1-1", NAME);
    assert!(answer.status == 502 && answer.body.contains("does not answer"), "{answer:?}");
    // As a member of a group, it is the same.
    let group = with_page(&format!(
        "[[role]]\nname = \"fleet\"\nread = [\"1\"]\n[[role.access]]\ncontext = \"lan/*\"\nread = [\"1\"]\n\
         [[group]]\nname = \"lan\"\ninterval = \"1h\"\n[[group.member]]\nname = \"one\"\naddress = \"jmx://{at}\"\n\
         [[snmp.principal]]\nname = \"noc\"\nrole = \"fleet\"\npassword-hash = \"{}\"\n",
        PasswordHash::make(&PASSWORD.into()).unwrap().to_phc(),
    ));
    let manager = Agent::start(&group);
    let noc = Browser::log_in(&manager, "noc");
    let answer = noc.ask(&format!("GET /devices/lan.one/{NAME}"), &[], "");
    assert_eq!(answer.body, "{\"SNMPv2-MIB:sysName\":\"one\"}");
}

#[test]
fn a_jvm_is_refused_as_a_device_with_the_reason() {
    for home in homes() {
        let jvm = Jvm::open(&home);
        let (served, password) = Agent::serve(&[&format!("jmx://127.0.0.1:{}", jvm.port)]);
        let authorization = basic("admin", &password);
        let path = format!("GET /devices/127.0.0.1-{}/{NAME}", jvm.port);
        let answer = ask(&served, &path, &[("Authorization", &authorization)], "");
        assert!(answer.status == 502 && answer.body.contains("no MBeans of an agent"), "{answer:?}");
    }
}
