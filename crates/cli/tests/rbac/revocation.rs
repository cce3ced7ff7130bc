//! Keys are deployed, tokens open sessions, and a revocation ends them.

use std::net::TcpListener;
use std::path::Path;

use serde_json::Value as Json;

use crate::world::{World, open, port, reads};

#[test]
fn a_revocation_ends_sessions_and_reaches_a_device_that_was_away() {
    let world = World::new();
    let Some(here) = world.agent(0) else { return };
    world.authority();
    // The port of an agent that is not there yet.
    let away = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    world.add("here", port(here.address(0)));
    world.add("there", &away.to_string());
    let (out, err) = world.run(&["deploy"], 1);
    assert!(out.contains("here  acknowledged after ") && out.contains("there  pending: "), "{out}");
    assert!(out.contains("1 device acknowledged") && out.contains(": 2 messages, "), "{out}");
    assert!(err.contains("1 device behind"), "{err}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    let session = runtime.block_on(open(&here, &ann)).unwrap();

    let report = world.json(&["revoke", "ann", "some", "--json"], 1);
    assert_eq!(
        (&report["epoch"], &report["acknowledged"], &report["pending"]),
        (&2.into(), &1.into(), &1.into())
    );
    assert!(
        report["seconds"].as_f64().unwrap() > 0.0 && report["octets"].as_u64().unwrap() > 500,
        "{report}"
    );
    let refused = runtime.block_on(reads(&session)).unwrap_err();
    assert!(refused.contains("not valid") || refused.contains("valid now"), "{refused}");
    assert!(runtime.block_on(open(&here, &ann)).is_err());
    let (bob, _) = world.run(&["token", "bob", "some"], 0);
    assert!(runtime.block_on(open(&here, Path::new(bob.trim()))).is_ok());
    let (_, err) = world.run(&["token", "ann", "some"], 2);
    assert!(err.contains("ann does not have the role some"), "{err}");

    let there = world.agent(away).unwrap();
    let status = world.json(&["status", "--json"], 0);
    assert_eq!(status["devices"][1]["state"], "pending", "{status}");
    // The same command again serves who is behind.
    let (out, err) = world.run(&["revoke", "ann", "some"], 0);
    assert!(out.contains("there  acknowledged") && out.contains("1 had everything"), "{out}");
    assert!(err.contains("nothing is revoked"), "{err}");
    assert!(runtime.block_on(open(&there, &ann)).is_err());
    assert!(runtime.block_on(open(&there, Path::new(bob.trim()))).is_ok());
    assert!(world.run(&["deploy"], 0).0.contains("2 had everything"));
    let (out, _) = world.run(&["deploy", "--all", "here"], 0);
    assert!(out.contains("1 device acknowledged"), "{out}");
    let (out, _) = world.run(&["status"], 0);
    assert!(out.contains("some  2      bob") && out.contains("0 of 2 devices behind"), "{out}");
}

#[test]
fn the_old_epoch_has_a_grace() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    world.run(&["deploy", "a"], 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    world.run(&["revoke", "ann", "some", "--grace", "1h"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_ok());
    let (out, _) = world.run(&["role", "list"], 0);
    assert!(out.contains("1      until 2"), "{out}");
    // A second revocation without a grace ends both.
    world.run(&["revoke", "bob", "some"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_err());
    assert_eq!(world.json(&["role", "list", "--json"], 0)[0]["expiring"], Json::Array(Vec::new()));
}

#[test]
fn mistakes_of_the_command_line_are_named() {
    let world = World::new();
    let (_, err) = world.run(&["status"], 1);
    assert!(err.contains("has no authority") && err.contains("rbac init"), "{err}");
    world.authority();
    for (words, status, said) in [
        (&["init"][..], 1, "has an authority already"),
        (&["role", "add", "user"], 2, "cannot be a role"),
        (&["role", "add", "some"], 2, "already a role called some"),
        (&["role", "add", "a/b"], 2, "is not a name"),
        (&["assign", "ann", "none"], 2, "no role called none"),
        (&["device", "add", "netconf+tcp://h"], 2, "over SSH or TLS"),
        (&["device", "add", "snmp://h"], 2, "netconf"),
        (&["device", "remove", "none"], 2, "no device called none"),
        (&["deploy", "none"], 2, "no device called none"),
        (&["revoke", "eve", "some"], 2, "no user called eve"),
        (&["revoke", "ann", "some", "--grace", "x"], 2, "grace"),
        (&["policy", "/nonexistent"], 2, "No such file"),
        (&["public-key", "ann", "/nonexistent"], 2, "No such file"),
    ] {
        let (_, err) = world.run(words, status);
        assert!(err.contains(said), "{words:?}: {err}");
    }
}
