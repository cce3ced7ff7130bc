//! Hellos, framing, and what one session has to do with another.

use trunkline_netconf::hello::{BASE_1_0, BASE_1_1};

use crate::client::{Client, agent};

#[test]
fn the_hello_says_what_is_served() {
    let agent = agent("");
    let client = Client::connect(&agent, "ann");
    assert!(client.hello.has(BASE_1_0) && client.hello.has(BASE_1_1));
    assert!(client.hello.has("urn:ietf:params:xml:ns:yang:smiv2:IF-MIB"));
    assert!(client.id() > 0);
}

#[test]
fn both_framings_answer_the_same() {
    let agent = agent("");
    let filter = "<SNMPv2-MIB><system><sysObjectID/></system></SNMPv2-MIB>";
    let [old, new] = [Client::open_old, Client::open].map(|open| open(&agent, "ann").get(filter));
    assert_eq!(old, new);
    assert!(old.contains("<sysObjectID>1.3.6.1.4.1."), "{old}");
}

#[test]
fn requests_that_come_together_are_answered_in_their_order() {
    let agent = agent("");
    let mut client = Client::open(&agent, "ann");
    let rpc = |id: &str| {
        format!(
            "<rpc message-id='{id}' xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><get><filter/></get></rpc>"
        )
    };
    let framed: String =
        ["a", "b", "c"].iter().map(|id| format!("\n#{}\n{}\n##\n", rpc(id).len(), rpc(id))).collect();
    client.write(framed.as_bytes());
    for id in ["a", "b", "c"] {
        let reply = String::from_utf8(client.read().unwrap()).unwrap();
        assert!(reply.contains(&format!("message-id='{id}'")) && reply.contains("<data></data>"), "{reply}");
    }
}

#[test]
fn a_peer_that_does_not_speak_netconf_is_left() {
    let agent = agent("");
    for wrong in [
        &b"<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities/></hello>]]>]]>"[..],
        b"<hello xmlns='urn:ietf:params:xml:ns:netconf:base:1.0'><capabilities><capability>\
          urn:ietf:params:netconf:base:1.1</capability></capabilities><session-id>4</session-id></hello>]]>]]>",
        b"<rpc xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' message-id='1'><get/></rpc>]]>]]>",
        b"<hello",
        b"]]>]]>",
    ] {
        let mut client = Client::connect(&agent, "ann");
        client.write(wrong);
        if wrong != b"<hello" {
            assert_eq!(client.read(), None, "{}", String::from_utf8_lossy(wrong));
        }
    }
    let mut client = Client::open(&agent, "ann");
    client.write(b"\n#0\n");
    assert_eq!(client.read(), None);
    // Others are not concerned.
    assert!(Client::open(&agent, "ann").ask("<close-session/>").contains("<ok/>"));
}

#[test]
fn a_message_that_is_not_well_formed_gets_an_error_and_the_session_goes_on() {
    let agent = agent("");
    let mut client = Client::open(&agent, "ann");
    client.send(b"<rpc><");
    let reply = String::from_utf8(client.read().unwrap()).unwrap();
    assert!(reply.contains("<error-tag>malformed-message</error-tag>"), "{reply}");
    client.send(b"<rpc xmlns='urn:ietf:params:xml:ns:netconf:base:1.0' n='7'><get/></rpc>");
    let reply = String::from_utf8(client.read().unwrap()).unwrap();
    assert!(reply.contains("missing-attribute") && reply.contains("n='7'"), "{reply}");
    for (rpc, namespace) in [
        ("<rpc message-id='8' xmlns='urn:other'><get/></rpc>", "urn:other"),
        ("<rpc message-id='8'><get/></rpc>", ""),
    ] {
        client.send(rpc.as_bytes());
        let reply = String::from_utf8(client.read().unwrap()).unwrap();
        let found = format!("<bad-namespace>{namespace}</bad-namespace>")
            .replace("<bad-namespace></bad-namespace>", "<bad-namespace");
        assert!(
            reply.contains("unknown-namespace")
                && reply.contains("message-id=\"8\"")
                && reply.contains(&found),
            "{reply}"
        );
    }
    assert!(client.ask("<close-session/>").contains("<ok/>"));
    assert_eq!(client.read(), None);
}

#[test]
fn a_message_that_is_too_long_gets_an_error_before_the_session_ends() {
    let agent = agent_with_little();
    for open in [Client::open_old, Client::open] {
        let mut client = open(&agent, "ann");
        client.send(format!("<rpc>{}", "x".repeat(70_000)).as_bytes());
        let reply = String::from_utf8(client.read().unwrap()).unwrap();
        assert!(reply.contains("<error-tag>too-big<") && reply.contains("at most 65536 octets"), "{reply}");
        assert_eq!(client.read(), None);
    }
}

/// One that accepts the shortest limits.
fn agent_with_little() -> crate::support::Agent {
    let listen = "[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n";
    let limits = format!("{listen}max-request-size = 65536\nmessage-timeout = \"300ms\"\n");
    crate::support::Agent::start(&crate::client::configuration("").replace(listen, &limits))
}

#[test]
fn a_message_must_arrive_in_time() {
    let agent = agent_with_little();
    let mut client = Client::open(&agent, "ann");
    client.write(b"\n#100\n<rpc");
    assert_eq!(client.read(), None);
}

#[test]
fn a_lock_is_one_sessions_until_that_ends() {
    let agent = agent("");
    let (mut one, mut other) = (Client::open(&agent, "max"), Client::open(&agent, "max"));
    let lock = "<lock><target><running/></target></lock>";
    let unlock = "<unlock><target><running/></target></unlock>";
    assert!(one.ask(lock).contains("<ok/>"));
    let denied = other.ask(lock);
    assert!(denied.contains("<error-tag>lock-denied<"), "{denied}");
    assert!(denied.contains(&format!("<session-id>{}</session-id>", one.id())), "{denied}");
    assert!(other.ask(unlock).contains("operation-failed"));
    // Its own lock is denied too (RFC 6241 section 7.5).
    assert!(one.ask(lock).contains("lock-denied"));
    assert!(one.ask(unlock).contains("<ok/>") && one.ask(lock).contains("<ok/>"));
    let own = one.id();
    assert!(
        one.ask(&format!("<kill-session><session-id>{own}</session-id></kill-session>"))
            .contains("invalid-value")
    );
    let kill = format!("<kill-session><session-id>{own}</session-id></kill-session>");
    assert!(other.ask(&kill).contains("<ok/>"));
    assert_eq!(one.read(), None);
    assert!(other.ask(lock).contains("<ok/>"));
    assert!(other.ask(&kill).contains("invalid-value"));
    assert!(other.ask("<lock><target><startup/></target></lock>").contains("invalid-value"));
}

#[test]
fn operations_that_are_not_here_say_so() {
    let agent = agent("");
    let mut client = Client::open(&agent, "max");
    for operation in ["<partial-lock><select>/x</select></partial-lock>", "<fly xmlns='urn:example'/>"] {
        let reply = client.ask(operation);
        assert!(reply.contains("<error-tag>operation-not-supported<"), "{operation}: {reply}");
    }
    assert_eq!(client.ask("<get-config><source><running/></source></get-config>"), "<data></data>");
    assert!(client.ask("<get-config><source><startup/></source></get-config>").contains("invalid-value"));
}

#[test]
fn a_closed_door_serves_nobody_and_opens_with_a_reload() {
    let agent = agent("");
    let text = std::fs::read_to_string(agent.config()).unwrap();
    assert!(text.contains("[netconf]"));
    let mut client = Client::open(&agent, "ann");
    assert!(client.ask("<get><filter/></get>").contains("<data>"));
    // A shutdown ends it in order.
    drop(agent);
    assert_eq!(client.read(), None);
}
