//! Keys are deployed, tokens open sessions, and a revocation ends them.

use std::net::TcpListener;
use std::path::{Path, PathBuf};

use serde_json::Value as Json;
use trunkline_client::netconf::NetconfSession;

use crate::rbac::world::{World, open, port, reads};

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
    assert!(world.run(&["revoke", "ann", "some", "--grace", "2h"], 0).1.contains("nothing is revoked"));
    // The same command without a grace ends it.
    let (_, err) = world.run(&["revoke", "ann", "some", "--grace", "30m"], 0);
    assert!(
        err.contains("is made shorter") && err.contains("devices accept the old keys of some until 2"),
        "{err}"
    );
    assert!(runtime.block_on(open(&agent, &ann)).is_ok());
    let (out, err) = world.run(&["revoke", "ann", "some"], 0);
    assert!(out.contains("a  acknowledged") && !err.contains("accept the old keys"), "{out}{err}");
    assert!(runtime.block_on(open(&agent, &ann)).is_err());
    world.run(&["assign", "ann", "some"], 0);
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    world.run(&["revoke", "ann", "some", "--grace", "1h"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_ok());
    // A second revocation without a grace ends both.
    world.run(&["revoke", "bob", "some"], 0);
    assert!(runtime.block_on(open(&agent, &ann)).is_err());
    assert_eq!(world.json(&["role", "list", "--json"], 0)[0]["expiring"], Json::Array(Vec::new()));
}

/// A device that refuses a role, because its administrator may write keys of another one only, is sent the revocation nevertheless.
#[test]
fn a_revocation_does_not_depend_on_other_roles() {
    let mut world = World::new();
    let Some(agent) = world.device("[[snmp.principal]]\nname = \"carl\"\n") else { return };
    // Max lets carl administer `some`, and nothing else.
    world.run(&["init"], 0);
    world.add("a", port(agent.address(0)));
    let file = world.path("policy.xml");
    let policy = "<rbac xmlns=\"urn:trunkline:yang:rbac\"><role><name>keeper</name></role>\
        <role><name>chief</name><permission><name>where</name><operation>write</operation>\
        <resource>/ietf-system:system/location</resource></permission><administers>keeper</administers></role><user><name>carl</name><role>chief</role></user></rbac>";
    std::fs::write(&file, policy).unwrap();
    world.run(&["policy", file.to_str().unwrap()], 0);
    world.run(&["deploy"], 0);
    std::fs::rename(world.path("rbac"), world.path("max")).unwrap();
    world.equip("carl");
    world.manager = "carl";
    world.run(&["init"], 0);
    world.add("a", port(agent.address(0)));
    world.run(&["role", "add", "keeper"], 0);
    world.run(&["assign", "joe", "keeper"], 0);
    world.run(&["assign", "bob", "keeper"], 0);
    world.run(&["deploy"], 0);
    let joe = world.path("joe.toml");
    world.run(&["token", "joe", "keeper", "--output", joe.to_str().unwrap()], 0);
    world.run(&["role", "add", "aside"], 0);
    world.run(&["assign", "joe", "aside"], 0);
    let (out, err) = world.run(&["revoke", "joe", "keeper"], 1);
    assert!(out.contains("a  pending: the role aside: the agent refuses: access-denied"), "{out}");
    assert!(err.contains("1 device behind"), "{err}");
    let token = |name: &str| std::fs::read_to_string(world.path(name)).unwrap();
    assert!(token("joe.toml").contains("keeper/1/joe"));
    let epochs = token("rbac/devices/a.toml");
    assert!(epochs.contains("[[roles.keeper]]\nnumber = 2") && !epochs.contains("number = 1"), "{epochs}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let refused = runtime.block_on(open(&agent, &joe)).err().unwrap();
    assert!(refused.contains("valid"), "{refused}");
    // Once the role is removed, nothing is left to do: the device never had it.
    let (_, err) = world.run(&["role", "remove", "aside"], 0);
    assert!(err.contains("aside is taken from joe") && err.contains("rbac deploy"), "{err}");
    assert!(!world.path("rbac/tokens/aside").exists());
    let (out, _) = world.run(&["deploy"], 0);
    assert!(out.contains("1 had everything"), "{out}");
    world.run(&["role", "remove", "keeper"], 0);
    world.run(&["deploy"], 0);
    let (bob, _) = world.run(&["token", "bob", "keeper"], 2);
    assert!(bob.is_empty());
}

/// A lock of whoever is to be revoked does not hold the revocation off; a lock of somebody else is named, and what ends it.
#[test]
fn a_lock_of_the_revoked_user_holds_nothing_off() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.run(&["role", "add", "writer"], 0);
    world.run(&["assign", "ann", "writer"], 0);
    world.run(&["assign", "bob", "writer"], 0);
    world.add("a", port(agent.address(0)));
    world.run(&["deploy"], 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let token = |user: &str| PathBuf::from(world.run(&["token", user, "writer"], 0).0.trim());
    let lock = |session: &NetconfSession| {
        let lock = b"<lock><target><running/></target></lock>";
        runtime.block_on(session.done(lock)).unwrap();
    };
    let (ann, bob) = (token("ann"), token("bob"));
    let holder = runtime.block_on(open(&agent, &ann)).unwrap();
    lock(&holder);
    let (out, err) = world.run(&["revoke", "ann", "writer"], 0);
    assert!(out.contains("a  acknowledged after"), "{out}");
    assert!(err.contains(" of ann, which held off the edits, is ended"), "{err}");
    assert!(runtime.block_on(reads(&holder)).is_err());
    // Bob stays; his lock is his.
    let holder = runtime.block_on(open(&agent, &bob)).unwrap();
    lock(&holder);
    world.run(&["role", "add", "third"], 0);
    let (out, _) = world.run(&["deploy"], 1);
    let remedy = format!(
        "which is of bob: `trunkline netconf kill netconf+tls://localhost:{} ",
        port(agent.address(0))
    );
    assert!(out.contains("a  pending: ") && out.contains(&remedy), "{out}");
    runtime.block_on(holder.done(b"<unlock><target><running/></target></unlock>")).unwrap();
    // A commit that waits to be confirmed would take back the revocation with it.
    world.run(&["assign", "eve", "writer"], 0);
    let waiting = runtime.block_on(open(&agent, &token("eve"))).unwrap();
    let edit = b"<edit-config><target><candidate/></target><config><system xmlns=\"urn:ietf:params:xml:ns:yang:ietf-system\">\
        <location>roof</location></system></config></edit-config>";
    runtime.block_on(waiting.done(edit)).unwrap();
    runtime.block_on(waiting.done(b"<commit><confirmed/></commit>")).unwrap();
    let (out, err) = world.run(&["revoke", "eve", "writer"], 0);
    assert!(
        out.contains("a  acknowledged") && err.contains(" of eve, which held off the edits, is ended"),
        "{out}{err}"
    );
    assert!(runtime.block_on(reads(&waiting)).is_err());
    assert!(runtime.block_on(open(&agent, &bob)).is_ok());
}

#[test]
fn many_members_are_listed_in_lines_of_80_columns() {
    let world = World::new();
    world.authority();
    for number in 0..12 {
        world.run(&["assign", &format!("operator-{number}"), "some"], 0);
    }
    let (out, _) = world.run(&["role", "list"], 0);
    assert!(out.lines().all(|line| line.len() <= 80) && out.lines().count() == 4, "{out}");
    assert_eq!(out.split_whitespace().filter(|word| word.starts_with("operator-")).count(), 12, "{out}");
}

/// A role that an authority never sent is not its to delete: the keys of that name are another authority's.
#[test]
fn a_role_that_was_never_deployed_takes_no_keys_away() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["deploy"], 0);
    let bob = world.path("bob.toml");
    world.run(&["token", "bob", "some", "--output", bob.to_str().unwrap()], 0);
    std::fs::rename(world.path("rbac"), world.path("first")).unwrap();
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["role", "remove", "some"], 0);
    let (out, _) = world.run(&["deploy"], 0);
    assert!(out.contains("1 had everything"), "{out}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    assert!(runtime.block_on(open(&agent, &bob)).is_ok());
}

/// The policy gives a role by other keys than the role's own.
#[test]
fn a_role_that_the_policy_still_gives_is_named() {
    let world = World::new();
    world.authority();
    let file = world.path("policy.xml");
    let text =
        "<rbac xmlns=\"urn:trunkline:yang:rbac\"><user><name>ann</name><role>some</role></user></rbac>";
    std::fs::write(&file, text).unwrap();
    world.run(&["policy", file.to_str().unwrap()], 0);
    let words = |user: &str| format!("the policy still gives {user} the role some");
    let (_, err) = world.run(&["revoke", "bob", "some"], 0);
    assert!(!err.contains("the policy still"), "{err}");
    let (_, err) = world.run(&["revoke", "ann", "some"], 0);
    assert!(err.contains(&words("ann")), "{err}");
    world.run(&["assign", "ann", "some"], 0);
    world.run(&["assign", "bob", "some"], 0);
    let (_, err) = world.run(&["role", "remove", "some"], 0);
    assert!(err.contains(&words("ann")) && !err.contains(&words("bob")), "{err}");
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
        (&["device", "add", "netconf+tcp://h", "--name", "h"], 2, "over SSH or TLS"),
        (&["device", "add", "netconf://max@h", "--name", "h"], 0, "next: "),
        (&["device", "add", "netconf://max@h", "--name", "i"], 2, "h has this address already"),
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
