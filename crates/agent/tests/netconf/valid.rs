//! Messages that must be valid against the schema of the protocol, by our check and by libxml2's in the laboratory's agent.

use trunkline_netconf::hello::BASE_1_1;

use crate::client::{Client, agent, configuration};
use crate::support::Agent;

/// Parameters in another order than the RFC's.
const OUT_OF_ORDER: &str = "<get-config><filter/><source><running/></source></get-config>";
const IN_ORDER: &str = "<get-config><source><running/></source><filter/></get-config>";

fn strict() -> Agent {
    let listen = "[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n";
    Agent::start(&configuration("").replace(listen, &format!("{listen}validate-messages = true\n")))
}

#[test]
fn a_request_that_is_not_valid_gets_an_error_and_the_session_goes_on() {
    let agent = strict();
    for open in [Client::open_old, Client::open] {
        let mut client = open(&agent, "ann");
        assert!(client.ask(IN_ORDER).contains("<data>"));
        for (operation, tag) in [
            (OUT_OF_ORDER, "missing-element"),
            ("<close-session> </close-session>", "bad-element"),
            ("<get odd='1'/>", "unknown-attribute"),
            ("<kill-session><session-id>0</session-id></kill-session>", "invalid-value"),
            ("<get><filter type='odd'/></get>", "bad-attribute"),
            ("<get><filter xmlns='urn:odd'/></get>", "data"),
            ("<odd xmlns='urn:odd'/>", "operation-not-supported"),
        ] {
            let reply = client.ask(operation);
            // Elements of other namespaces are for whoever knows them.
            let expected = if tag == "data" { "unknown-element" } else { tag };
            assert!(reply.contains(&format!("<error-tag>{expected}</error-tag>")), "{operation}: {reply}");
        }
        assert!(client.ask("<close-session/>").contains("<ok/>"));
    }
}

#[test]
fn a_hello_that_is_not_valid_ends_the_session() {
    let agent = strict();
    let mut client = Client::connect(&agent, "ann");
    let hello = format!(
        "<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities><capability>{BASE_1_1}</capability>\
         </capabilities><more xmlns='urn:more'/></hello>"
    );
    client.send(hello.as_bytes());
    assert_eq!(client.read(), None);
    agent.wait_for("the hello is not valid: unknown-element");
}

#[test]
fn parameters_may_have_any_order_unless_that_is_switched_on() {
    let agent = agent("");
    assert!(Client::open(&agent, "ann").ask(OUT_OF_ORDER).contains("<data>"));
}

#[test]
fn the_laboratory_can_have_libxml2_check_requests() {
    if !trunkline_testkit::has("xmllint", "libxml2-utils") {
        return;
    }
    let schema = concat!(env!("CARGO_MANIFEST_DIR"), "/../netconf/tests/schema/netconf.xsd");
    let variable = format!("TRUNKLINED_LAB_XML_SCHEMA={schema}");
    let agent = Agent::start_in_laboratory(&configuration(""), &["env", &variable]);
    let mut client = Client::open(&agent, "ann");
    assert!(client.ask(IN_ORDER).contains("<data>"));
    let refused = client.ask(OUT_OF_ORDER);
    for part in ["<error-tag>operation-failed<", "not valid: Element", "filter"] {
        assert!(refused.contains(part), "{refused}");
    }
    assert!(client.ask("<close-session/>").contains("<ok/>"));
}
