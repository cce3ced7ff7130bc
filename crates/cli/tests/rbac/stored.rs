//! Messages for a device that pass through files.

use crate::rbac::world::{World, port};
use crate::support::run;

/// A message for a device in files: sealed by a token, relayed without it, opened by it; and errors say what is wrong.
#[test]
fn a_message_for_a_device_passes_through_files() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["deploy", "a"], 0);
    let file = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let (ann, bob) = (file("ann.toml"), file("bob.toml"));
    world.run(&["token", "ann", "some", "--output", &ann], 0);
    world.run(&["token", "bob", "some", "--output", &bob], 0);
    let operation = file("operation.xml");
    let netconf = |words: &[&str], status| {
        let words = [&["netconf"], words].concat();
        let (out, err) = run(&words, status);
        world.check_secrets(&(out.clone() + &err));
        (out, err)
    };
    let get = "<get><filter><SNMPv2-MIB xmlns=\"urn:ietf:params:xml:ns:yang:smiv2:SNMPv2-MIB\"><system><sysName/></system></SNMPv2-MIB></filter></get>";
    std::fs::write(&operation, get).unwrap();
    let (request, reply) = (file("request.xml"), file("reply.xml"));
    let router = format!("netconf+tcp://{}", agent.address(1));
    let seal = ["seal", "--keys", &ann, "--device", "router-1", "--output", &request, &operation];
    netconf(&seal, 0);
    let relay = ["relay", "--output", &reply, &router, &request];
    netconf(&relay, 0);
    let (out, _) = netconf(&["open", "--keys", &ann, &request, &reply], 0);
    assert!(out.contains("<sysName>"), "{out}");
    // Others have no use for it.
    let (_, err) = netconf(&["open", "--keys", &bob, &request, &reply], 1);
    assert!(err.contains("not a message that these keys have sealed"), "{err}");
    netconf(&relay, 0);
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &reply], 1);
    assert!(err.contains("was accepted before"), "{err}");
    // The reply is to another message now.
    netconf(&seal, 0);
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &reply], 1);
    assert!(err.contains("to another message"), "{err}");
    let (_, err) = netconf(&["open", "--keys", &ann, &request, &operation], 1);
    assert!(err.contains("without protection"), "{err}");
    let (_, err) = netconf(&["relay", &router, &operation], 1);
    assert!(err.contains("not a protected message"), "{err}");
    let (_, err) = netconf(&["relay", "--keys", &ann, &router, &request], 2);
    assert!(err.contains("without --keys"), "{err}");
    let other = ["seal", "--keys", &ann, "--device", "router-2", "--output", &request, &operation];
    netconf(&other, 0);
    let (_, err) = netconf(&["relay", &router, &request], 1);
    assert!(err.contains("for the device router-2, and this one is called router-1"), "{err}");
    for (words, expected) in [
        (["--expires", "31d", "--device", "a"], "from 10ms to 30d"),
        (["--expires", "1h", "--device", "a b"], "cannot be part of a name"),
    ] {
        let words = [&["seal", "--keys", ann.as_str()], words.as_slice(), &[operation.as_str()]].concat();
        let (_, err) = netconf(&words, 2);
        assert!(err.contains(expected), "{err}");
    }
}

/// `seal` and `relay` replace no file but such a message, and `seal` takes what a device can carry out.
#[test]
fn a_message_replaces_no_other_file_and_is_an_operation() {
    let world = World::new();
    world.authority();
    let file = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let (ann, operation, output) = (file("ann.toml"), file("operation.xml"), file("message.xml"));
    world.run(&["token", "ann", "some", "--output", &ann], 0);
    let token = std::fs::read(&ann).unwrap();
    std::fs::write(&operation, "<get/>").unwrap();
    let seal = |more: &[&str], status| {
        let words = ["netconf", "seal", "--keys", &ann, "--device", "a", &operation];
        run(&[&words, more].concat(), status)
    };
    // Longer than a day, in hours.
    seal(&["--output", &output, "--expires", "48h"], 0);
    seal(&["--output", &output], 0);
    let (_, err) = seal(&["--output", &ann], 2);
    assert!(err.contains("not a sealed message: --force replaces it"), "{err}");
    assert_eq!(std::fs::read(&ann).unwrap(), token);
    let (_, err) = seal(&["--output", &operation, "--force"], 2);
    assert!(err.contains("it would replace the file that is read"), "{err}");
    // Nobody is asked.
    for (to, words) in [(&ann, "not a sealed message"), (&output, "the file that is read")] {
        let relay = ["netconf", "relay", "--output", to, "netconf+tcp://127.0.0.1:1", &output];
        let (_, err) = run(&relay, 2);
        assert!(err.contains(words), "{err}");
    }
    assert_eq!(std::fs::read(&ann).unwrap(), token);
    let one = "expected one element, that of an operation";
    let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
    for (content, expected) in [
        ("garbage".to_owned(), "expected elements, found text"),
        (String::new(), one),
        ("<get/><get/>".to_owned(), one),
        (format!("<rpc xmlns=\"{base}\" message-id=\"1\"><get/></rpc>"), one),
        ("<lock><target><running/></target></lock>".to_owned(), "lock needs a session"),
        ("<commit><confirmed/></commit>".to_owned(), "ends with its session"),
        ("<kill-sesion/>".to_owned(), "there is no operation kill-sesion"),
    ] {
        std::fs::write(&operation, &content).unwrap();
        let (_, err) = seal(&[], 2);
        assert!(err.contains(expected), "{content}: {err}");
    }
}
