//! Defaults (RFC 6243): `get` has those of a configuration as `get-config` has them, and of what may be read alone.

use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, configuration};
use crate::support::Agent;

const RBAC: &str = "urn:trunkline:yang:rbac";
const BGP: &str = "urn:trunkline:yang:bgp";
const INTERFACES: &str = "urn:ietf:params:xml:ns:yang:ietf-interfaces";
const WITH_DEFAULTS: &str = "urn:ietf:params:xml:ns:yang:ietf-netconf-with-defaults";

fn read(client: &mut Client, operation: &str, root: &str, mode: &str) -> String {
    let source = if operation == "get-config" { "<source><running/></source>" } else { "" };
    client.ask(&format!(
        "<{operation}>{source}<filter>{root}</filter><with-defaults xmlns='{WITH_DEFAULTS}'>{mode}</with-defaults></{operation}>"
    ))
}

fn edit(content: &str) -> String {
    format!("<edit-config><target><running/></target><config>{content}</config></edit-config>")
}

#[test]
fn what_is_configured_has_its_defaults_in_get_too() {
    let hook = "[[netconf.hook]]\nsubtree = \"/trunkline-bgp:bgp\"\ncommand = [\"/bin/true\"]\n";
    let agent = Agent::start(&(configuration("") + hook));
    let mut max = Client::open(&agent, "max");
    let permission =
        "<permission><name>p</name><operation>read</operation><resource>1.3</resource></permission>";
    let said = "<role><name>said</name><level>auth-priv</level></role>";
    let policy = format!("<rbac xmlns='{RBAC}'><role><name>quiet</name>{permission}</role>{said}</rbac>");
    let statement = "<statement><name>s</name></statement>";
    let bgp =
        format!("<bgp xmlns='{BGP}'><policies><policy><name>p</name>{statement}</policy></policies></bgp>");
    assert_eq!(max.ask(&edit(&(policy + &bgp))), "<ok/>");
    let mark = "default=\"true\"";
    for (mode, of_quiet, of_said, marks) in [
        ("explicit", false, true, false),
        ("report-all", true, true, false),
        ("report-all-tagged", true, true, true),
        ("trim", false, false, false),
    ] {
        for (root, leaf) in [
            (format!("<rbac xmlns='{RBAC}'/>"), "action"),
            (format!("<bgp xmlns='{BGP}'/>"), "policy-result"),
        ] {
            let [get, config] = ["get", "get-config"].map(|operation| read(&mut max, operation, &root, mode));
            assert_eq!(get, config, "{mode}");
            assert_eq!(get.contains(&format!("</{leaf}>")), of_quiet, "{mode}: {get}");
            assert_eq!(get.contains(mark), marks, "{mode}: {get}");
        }
        let get = read(&mut max, "get", &format!("<rbac xmlns='{RBAC}'/>"), mode);
        let (quiet, said) = get.split_once("said").unwrap();
        assert_eq!(
            (quiet.contains("auth-priv"), said.contains("auth-priv")),
            (of_quiet, of_said),
            "{mode}: {get}"
        );
        // What somebody has set is not marked.
        assert!(!said.contains(mark), "{get}");
    }
}

/// The same of what is made of rows: SNMP's tables, and delegated work (RFC 6243 section 3.1).
#[test]
fn what_rows_are_made_of_has_its_defaults_in_get_too() {
    let agent = Agent::start(&configuration(""));
    let mut max = Client::open(&agent, "max");
    let delegation = "urn:trunkline:yang:delegation";
    let snmp = "urn:ietf:params:xml:ns:yang:ietf-snmp";
    let expression = "<expression><owner>max</owner><name>e</name><text>1</text></expression>";
    let target = "<target><name>t</name><udp><ip>127.0.0.1</ip></udp><target-params>p</target-params></target>\
                  <target-params><name>p</name><v2c><security-name>x</security-name></v2c></target-params>";
    let content = format!(
        "<delegation xmlns='{delegation}'>{expression}</delegation><snmp xmlns='{snmp}'>{target}</snmp>"
    );
    assert_eq!(max.ask(&edit(&content)), "<ok/>");
    for (root, leaves) in [
        (format!("<delegation xmlns='{delegation}'><expression/></delegation>"), ["type", "interval"]),
        (format!("<snmp xmlns='{snmp}'><target/></snmp>"), ["timeout", "retries"]),
    ] {
        for (mode, are_there, are_marked) in [
            ("explicit", false, false),
            ("report-all", true, false),
            ("report-all-tagged", true, true),
            ("trim", false, false),
        ] {
            let [get, config] = ["get", "get-config"].map(|operation| read(&mut max, operation, &root, mode));
            assert_eq!(get, config, "{mode}");
            for leaf in leaves {
                assert_eq!(get.contains(&format!("</{leaf}>")), are_there, "{mode} {leaf}: {get}");
            }
            assert_eq!(get.contains("default=\"true\""), are_marked, "{mode}: {get}");
        }
    }
}

/// `kim` may read which interfaces there are, and not whether they are enabled.
#[test]
fn a_default_does_not_stand_for_what_may_not_be_read() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let agent = Agent::start(&format!(
        "{}[[role]]\nname = \"names\"\nread = [\"1.3.6.1.2.1\", \"-1.3.6.1.2.1.2.2.1.7\"]\n\
         [[snmp.principal]]\nname = \"kim\"\nrole = \"names\"\npassword-hash = {hash:?}\n",
        configuration("")
    ));
    let (mut max, mut kim) = (Client::open(&agent, "max"), Client::open(&agent, "kim"));
    let content = "<interface><name>away</name><type xmlns:t='urn:ietf:params:xml:ns:yang:iana-if-type'>t:other</type><enabled>false</enabled></interface>";
    assert_eq!(max.ask(&edit(&format!("<interfaces xmlns='{INTERFACES}'>{content}</interfaces>"))), "<ok/>");
    let root =
        format!("<interfaces xmlns='{INTERFACES}'><interface><name>away</name></interface></interfaces>");
    for operation in ["get-config", "get"] {
        assert!(read(&mut max, operation, &root, "report-all").contains("<enabled>false"), "{operation}");
        for mode in ["report-all", "report-all-tagged"] {
            let reply = read(&mut kim, operation, &root, mode);
            assert!(
                reply.contains("<name>away") && !reply.contains("enabled"),
                "{operation} {mode}: {reply}"
            );
        }
    }
}

/// The mark of a default in an edit is a boolean (RFC 6243 section 6).
#[test]
fn the_mark_of_a_default_is_a_boolean() {
    let agent = Agent::start(&configuration(""));
    let mut max = Client::open(&agent, "max");
    let marked = |mark: &str| {
        let uri = "urn:ietf:params:xml:ns:netconf:default:1.0";
        edit(&format!(
            "<rbac xmlns='{RBAC}'><role><name>r</name><level xmlns:wd='{uri}' wd:default='{mark}'>auth-priv</level></role></rbac>"
        ))
    };
    for mark in ["maybe", "TRUE", "yes", ""] {
        let refused = max.ask(&marked(mark));
        assert!(
            refused.contains("bad-attribute<") && refused.contains("default must be"),
            "{mark}: {refused}"
        );
    }
    for mark in ["true", "1", "false", "0"] {
        assert_eq!(max.ask(&marked(mark)), "<ok/>", "{mark}");
    }
}
