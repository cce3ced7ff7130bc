//! What a device has lost is found, and a token replaces nothing but tokens.

use std::path::Path;

use crate::rbac::world::{World, open, port};
use crate::support::{texts, trunkline};

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
    assert!(err.contains("a shows no keys at all") && err.contains("a: the role some: lost"), "{err}");
    assert!(out.contains("a       pending"), "{out}");
    world.run(&["deploy"], 0);
    world.run(&["status", "--check"], 0);
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        let (path, to) = (entry.path(), to.join(entry.file_name()));
        if path.is_dir() {
            copy(&path, &to);
        } else {
            std::fs::copy(&path, &to).unwrap();
        }
    }
    std::fs::set_permissions(to, std::fs::metadata(from).unwrap().permissions()).unwrap();
}

/// An authority that was restored from a backup has forgotten a revocation: devices keep it, and the authority goes on above their number.
#[test]
fn a_restored_authority_takes_no_revocation_back() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["deploy"], 0);
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    copy(&world.path("rbac"), &world.path("backup"));
    world.run(&["revoke", "ann", "some"], 0);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opens = |token: &Path| runtime.block_on(open(&agent, token)).is_ok();
    assert!(!opens(&ann));
    std::fs::remove_dir_all(world.path("rbac")).unwrap();
    copy(&world.path("backup"), &world.path("rbac"));
    let newer = "the role some: the device has epoch 2, newer than the authority's 1";
    let remedy = "`trunkline rbac renew some --above 2`";
    let (out, err) = world.run(&["status", "--check"], 1);
    assert!(err.contains(newer) && err.contains(remedy) && out.contains("a       pending"), "{out}{err}");
    for words in [&["deploy"][..], &["deploy", "--all"]] {
        let (out, _) = world.run(words, 1);
        assert!(out.contains(&format!("a  pending: {newer}")) && out.contains(remedy), "{words:?}: {out}");
        assert!(!opens(&ann), "{words:?}");
    }
    // Other roles are not held up.
    world.run(&["role", "add", "writer"], 0);
    world.run(&["assign", "bob", "writer"], 0);
    world.run(&["deploy"], 1);
    assert!(opens(Path::new(world.run(&["token", "bob", "writer"], 0).0.trim())));
    // Whoever is revoked again is so from an epoch that the device has, or below: it still says so.
    world.run(&["revoke", "bob", "writer"], 1);
    let (out, _) = world.run(&["renew", "some", "--above", "2"], 0);
    assert!(
        out.contains("some: epoch 1 -> 3, new tokens of 2 members") && out.contains("a  acknowledged"),
        "{out}"
    );
    assert!(!opens(&ann) && opens(Path::new(world.run(&["token", "bob", "some"], 0).0.trim())));
    world.run(&["status", "--check"], 0);
}

/// Somebody who may set keys there has given a device a newer epoch than the authority has: it gets none of ours, and loses those that are revoked.
#[test]
fn an_epoch_of_others_holds_no_revocation_off() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    world.add("a", port(agent.address(0)));
    world.run(&["deploy"], 0);
    let ann = world.path("ann.toml");
    world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
    let key = ["07"; 16].join(":");
    let epoch = format!(
        "<keys xmlns=\"urn:trunkline:yang:keys\"><role><name>some</name><epoch><number>4294967295</number>\
         <authentication-key>{key}</authentication-key><encryption-key>{key}</encryption-key></epoch></role></keys>"
    );
    let file = world.path("epoch.xml");
    std::fs::write(&file, epoch).unwrap();
    let mut command = trunkline(&["netconf", "edit"]);
    let url = format!("netconf+tls://localhost:{}", port(agent.address(0)));
    let output = command.args(world.ends("max")).arg(url).arg(&file).output().unwrap();
    assert!(output.status.success(), "{}", texts(&output).1);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let opens = |token: &Path| runtime.block_on(open(&agent, token)).is_ok();
    assert!(opens(&ann));
    let (out, _) = world.run(&["revoke", "ann", "some"], 1);
    assert!(
        out.contains("the device has epoch 4294967295") && out.contains("`trunkline rbac role remove some`"),
        "{out}"
    );
    assert!(!opens(&ann));
    world.run(&["role", "remove", "some"], 0);
    world.run(&["deploy"], 0);
    world.run(&["role", "add", "some"], 0);
    world.run(&["assign", "bob", "some"], 0);
    world.run(&["deploy"], 0);
    assert!(opens(Path::new(world.run(&["token", "bob", "some"], 0).0.trim())));
}

/// A device that lost its keys lost its policy too.
#[test]
fn a_device_without_its_keys_is_sent_the_policy_again() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    let address = port(agent.address(0)).to_owned();
    world.add("a", &address);
    let policy = world.path("policy.xml");
    std::fs::write(&policy, "<rbac xmlns=\"urn:trunkline:yang:rbac\"><role><name>data</name></role></rbac>")
        .unwrap();
    world.run(&["policy", policy.to_str().unwrap()], 0);
    world.run(&["deploy"], 0);
    drop(agent);
    let Some(_agent) = world.agent(address.parse().unwrap()) else { return };
    world.run(&["status", "--check"], 1);
    assert_eq!(world.json(&["status", "--json"], 0)["devices"][0]["behind"], 2);
    world.run(&["deploy"], 0);
    let mut command = trunkline(&["netconf", "get-config"]);
    let url = format!("netconf+tls://localhost:{address}");
    let output = command.args(world.ends("max")).arg(url).arg("/trunkline-rbac:rbac").output().unwrap();
    let (out, err) = texts(&output);
    assert!(out.contains("<name>data</name>"), "{out}{err}");
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
