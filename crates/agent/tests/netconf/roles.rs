//! Requests on behalf of one of a user's roles, which bounds them.

use trunkline_transport::ssh::PasswordHash;

use crate::client::{Client, PASSWORD, configuration};
use crate::support::Agent;

const SYSTEM: &str = "urn:ietf:params:xml:ns:yang:ietf-system";
const DESK: &str = "[system]\ncontact = \"desk\"\nlocation = \"cellar\"\n";
const GET: &str = "<get><filter><system xmlns='urn:ietf:params:xml:ns:yang:ietf-system'/></filter></get>";

/// `pat` is a manager, and so an operator, who may write the contact, and a monitor, who may not read where the agent is.
fn with_roles(more: &str) -> String {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let mut text = configuration(more);
    text.push_str(&format!(
        "[[role]]\nname = \"monitor\"\nread = [\"1.3.6.1.2.1\", \"-1.3.6.1.2.1.1.6\"]\n\
         [[role]]\nname = \"operator\"\ninherits = [\"monitor\"]\nwrite = [\"1.3.6.1.2.1.1.4\"]\n\
         [[role]]\nname = \"manager\"\ninherits = [\"operator\"]\n\
         read = [\"1.3.6.1.2.1.1.6\", \"-1.3.6.1.2.1.1.5\"]\nwrite = [\"1.3.6.1.2.1.1.6\"]\n\
         [[snmp.principal]]\nname = \"pat\"\nrole = \"manager\"\npassword-hash = {hash:?}\n"
    ));
    text
}

fn has_tag(reply: &str, tag: &str) -> bool {
    reply.contains(&format!("<error-tag>{tag}</error-tag>"))
}

fn edit(leaf: &str) -> String {
    format!(
        "<edit-config><target><running/></target><config><system xmlns='{SYSTEM}'>{leaf}</system></config></edit-config>"
    )
}

#[test]
fn a_role_bounds_what_is_read() {
    let agent = Agent::start(&with_roles(DESK));
    let mut pat = Client::open(&agent, "pat");
    assert!(pat.hello.capabilities.iter().any(|it| it == trunkline_netconf::ROLES));
    let all = pat.ask(GET);
    assert!(all.contains("<contact>desk") && all.contains("<location>cellar"), "{all}");
    for role in ["monitor", "operator"] {
        let some = pat.ask_as(role, GET);
        assert!(some.contains("<contact>desk") && !some.contains("<location>"), "{role}: {some}");
        // What the user's own role takes away, no junior gives back.
        assert!(!some.contains("<hostname>"), "{some}");
    }
    assert_eq!(pat.ask_as("manager", GET), all);
    // The next one is not on behalf of a role.
    assert_eq!(pat.ask(GET), all);
}

#[test]
fn a_role_that_is_not_the_users_is_refused() {
    let agent = Agent::start(&with_roles(DESK));
    let (mut pat, mut ann) = (Client::open(&agent, "pat"), Client::open(&agent, "ann"));
    for operation in
        [GET, "<get-config><source><running/></source></get-config>", "<commit/>", "<x xmlns='u'/>"]
    {
        for role in ["writer", "little", "MONITOR", "", "no such role"] {
            let reply = pat.ask_as(role, operation);
            assert!(has_tag(&reply, "access-denied") && reply.contains("is none of yours"), "{reply}");
        }
        // A senior role is none either.
        assert!(has_tag(&ann.ask_as("manager", operation), "access-denied"));
    }
    assert!(pat.ask_as("monitor", GET).contains("<contact>desk"));
}

#[test]
fn a_role_bounds_what_is_written() {
    let agent = Agent::start(&with_roles(""));
    let mut pat = Client::open(&agent, "pat");
    let (contact, location) = (edit("<contact>pat</contact>"), edit("<location>roof</location>"));
    assert!(has_tag(&pat.ask_as("monitor", &contact), "access-denied"));
    assert!(has_tag(&pat.ask_as("operator", &location), "access-denied"));
    assert_eq!(pat.ask_as("operator", &contact), "<ok/>");
    assert_eq!(pat.ask_as("manager", &location), "<ok/>");
    // What a role may not change, it cannot commit either.
    let candidate = edit("<location>cellar</location>").replace("running", "candidate");
    assert_eq!(pat.ask(&candidate), "<ok/>");
    assert!(has_tag(&pat.ask_as("operator", "<commit/>"), "access-denied"));
    assert_eq!(pat.ask_as("manager", "<commit/>"), "<ok/>");
}

/// A subscription stays one of its role, whatever role later requests are on behalf of.
#[test]
fn a_subscription_is_on_behalf_of_its_role() {
    let agent = Agent::start(&with_roles(DESK));
    let mut pat = Client::open(&agent, "pat");
    let establish = format!(
        "<establish-subscription xmlns='urn:ietf:params:xml:ns:yang:ietf-subscribed-notifications' \
         xmlns:yp='urn:ietf:params:xml:ns:yang:ietf-yang-push'>\
         <yp:datastore xmlns:ds='urn:ietf:params:xml:ns:yang:ietf-datastores'>ds:operational</yp:datastore>\
         <yp:datastore-subtree-filter><system xmlns='{SYSTEM}'/></yp:datastore-subtree-filter>\
         <yp:periodic><yp:period>100</yp:period></yp:periodic></establish-subscription>"
    );
    let reply = pat.ask_as("monitor", &establish);
    assert!(reply.contains("<id "), "{reply}");
    for _ in 0..2 {
        let update = String::from_utf8(pat.read().expect("an update")).unwrap();
        assert!(update.contains("<contact>desk") && !update.contains("<location>"), "{update}");
    }
}

/// Permissions for paths: what is on the way is there, and nothing beside it.
#[test]
fn a_path_gives_its_subtree_its_ancestors_and_no_siblings() {
    let hash = PasswordHash::make(&PASSWORD.into()).unwrap().to_phc();
    let mut text = configuration("");
    text.push_str(&format!(
        "[[role]]\nname = \"lo\"\nread = [\"/ietf-interfaces:interfaces/interface[name='lo']/statistics\", \
         \"/netconf/network/interfaces/iface[name='lo']/mtu\", \"/ietf-system:system\", \"-/ietf-system:system/contact\"]\n\
         write = [\"/ietf-system:system/location\"]\n\
         [[snmp.principal]]\nname = \"pat\"\nrole = \"lo\"\npassword-hash = {hash:?}\n"
    ));
    let agent = Agent::start(&text);
    let (mut pat, mut max) = (Client::open(&agent, "pat"), Client::open(&agent, "max"));
    assert_eq!(max.ask(&edit("<contact>max</contact><location>cellar</location>")), "<ok/>");
    let interfaces = pat.get("<interfaces xmlns='urn:ietf:params:xml:ns:yang:ietf-interfaces'/>");
    assert!(interfaces.contains("<name>lo</name>") && interfaces.contains("<in-octets>"), "{interfaces}");
    for sibling in ["<oper-status>", "<phys-address>", "<ipv4", "<description>"] {
        assert!(!interfaces.contains(sibling), "{sibling}: {interfaces}");
    }
    assert_eq!(interfaces.matches("<interface>").count(), 1, "{interfaces}");
    let system = pat.get(&format!("<system xmlns='{SYSTEM}'/>"));
    assert!(system.contains("<location>cellar") && !system.contains("<contact>"), "{system}");
    assert_eq!(pat.ask(&edit("<location>roof</location>")), "<ok/>");
    assert!(has_tag(&pat.ask(&edit("<contact>pat</contact>")), "access-denied"));
}
