//! What a device has lost is found, and a token replaces nothing but tokens.

use std::path::Path;

use crate::world::{World, port};

/// A device that has lost its configuration is found, and one that is not reached is behind after `deploy --all`.
#[test]
fn a_lost_configuration_is_found_and_sent_again() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    let address = port(agent.address(0)).to_owned();
    world.add("a", &address);
    world.run(&["deploy"], 0);
    assert_eq!(world.json(&["status", "--check", "--json"], 0)["devices"][0]["state"], "current");
    drop(agent);
    let (out, err) = world.run(&["status", "--check"], 1);
    assert!(err.contains("a cannot be checked: ") && out.contains("a       current"), "{out}{err}");
    let (out, _) = world.run(&["deploy", "--all"], 1);
    assert!(out.contains("a  pending"), "{out}");
    assert_eq!(world.json(&["status", "--json"], 0)["devices"][0]["state"], "pending");
    // Another state directory: nothing is there.
    let Some(agent) = world.agent(address.parse().unwrap()) else { return };
    assert!(world.run(&["deploy"], 0).0.contains("a  acknowledged"));
    drop(agent);
    let Some(_agent) = world.agent(address.parse().unwrap()) else { return };
    let (out, err) = world.run(&["status", "--check"], 1);
    assert!(err.contains("a has lost what it had, or has it otherwise: the role some"), "{err}");
    assert!(out.contains("a       pending"), "{out}");
    world.run(&["deploy"], 0);
    world.run(&["status", "--check"], 0);
}

/// A token replaces nothing but a token, and no device or pipe.
#[test]
fn a_token_replaces_tokens_only() {
    let world = World::new();
    world.authority();
    let at = |name: &str| world.path(name).to_str().unwrap().to_owned();
    let (token, other, link, broken) = (at("ann.toml"), at("other"), at("link"), at("broken"));
    let run = |path: &str, status| world.run(&["token", "ann", "some", "--output", path], status);
    run(&token, 0);
    run(&token, 0);
    let (out, err) = run("-", 0);
    assert_eq!(out, std::fs::read_to_string(&token).unwrap());
    assert!(err.contains("its keys are some/1/ann"), "{err}");
    std::fs::write(&other, "mine").unwrap();
    assert!(run(&other, 2).1.contains("--force"));
    assert_eq!(std::fs::read_to_string(&other).unwrap(), "mine");
    world.run(&["token", "ann", "some", "--output", &other, "--force"], 0);
    assert_eq!(std::fs::read_to_string(&other).unwrap(), out);
    std::os::unix::fs::symlink("/dev/null", &link).unwrap();
    std::os::unix::fs::symlink("/nonexistent", &broken).unwrap();
    for (path, words) in
        [(&link, "not a regular file"), (&broken, "link to nothing"), (&at(""), "not a regular file")]
    {
        for force in [false, true] {
            let mut command = vec!["token", "ann", "some", "--output", path];
            command.extend(force.then_some("--force"));
            let (_, err) = world.run(&command, 2);
            assert!(err.contains(words), "{err}");
        }
    }
    assert!(Path::new(&link).is_symlink());
}
