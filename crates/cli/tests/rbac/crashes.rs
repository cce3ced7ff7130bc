//! Whatever is killed or full: the next deployment completes what is missing, and nothing is half there.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

use trunkline_testkit::leave_out;

use crate::rbac::world::{World, open, port};
use crate::support::{Trunklined, texts};

/// Killed between two devices, it has lost nothing: the next deployment serves only the other one.
#[test]
fn a_killed_deployment_is_completed_by_the_next() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    world.authority();
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let away = silent.local_addr().unwrap().port();
    world.add("a", port(agent.address(0)));
    world.add("b", &away.to_string());
    let mut command = world.command(&["deploy", "--parallel", "1"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let first = BufReader::new(child.stdout.take().unwrap()).lines().next().unwrap().unwrap();
    assert!(first.starts_with("a  acknowledged"), "{first}");
    child.kill().unwrap();
    child.wait().unwrap();
    drop(silent);
    let _there = world.agent(away).unwrap();
    let (out, _) = world.run(&["deploy"], 0);
    assert!(
        out.contains("b  acknowledged") && out.contains("1 had everything") && !out.contains("a  "),
        "{out}"
    );
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

/// Whether the token of a member opens a session that may read.
fn opens(world: &World, agent: &Trunklined, user: &str) -> bool {
    let (token, _) = world.run(&["token", user, "some"], 0);
    runtime().block_on(open(agent, Path::new(token.trim()))).is_ok()
}

/// The device is gone as soon as its log says that it has the keys: the policy does not reach it, and the authority may not know about the
/// keys either.
#[test]
fn a_device_that_vanishes_half_way_is_completed_when_it_is_back() {
    let world = World::new();
    let state = world.path("state");
    std::fs::create_dir(&state).unwrap();
    let state = state.to_str().unwrap().to_owned();
    let Some(mut device) = world.device_in(&state, 0, "") else { return };
    let tls: u16 = port(device.address(0)).parse().unwrap();
    world.authority();
    world.add("a", &tls.to_string());
    let policy = world.path("policy.xml");
    for round in 0..5 {
        // New keys, and another policy.
        world.run(&["role", "add", &format!("role-{round}")], 0);
        let text =
            format!("<rbac xmlns=\"urn:trunkline:yang:rbac\"><role><name>data-{round}</name></role></rbac>");
        std::fs::write(&policy, text).unwrap();
        world.run(&["policy", policy.to_str().unwrap()], 0);
        let mut command = world.command(&["deploy"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = None;
        device.wait_for_next("running is edited", || child = command.spawn().ok());
        device.kill();
        let output = child.unwrap().wait_with_output().unwrap();
        let (out, err) = texts(&output);
        world.check_secrets(&(out.clone() + &err));
        let is_complete = output.status.success();
        let status = world.json(&["status", "--json"], 0);
        assert_eq!(status["devices"][0]["behind"].as_u64().unwrap() == 0, is_complete, "{out}{err}{status}");
        assert!(is_complete || out.contains("a  pending: "), "{out}{err}");
        device = world.device_in(&state, tls, "").unwrap();
        world.run(&["deploy"], 0);
        assert!(world.run(&["status"], 0).0.contains("0 of 1 devices behind"));
        assert!(opens(&world, &device, "ann"));
        let (out, _) = world.run(&["deploy"], 0);
        assert!(out.contains("1 had everything"), "{out}");
    }
}

/// Waits for that long, or until the sender is gone, which it is not.
fn wait(time: Duration) {
    let (_sender, receiver) = channel::<()>();
    let _ = receiver.recv_timeout(time);
}

/// Wherever a revocation is killed: it has happened or not, and the next command completes it on all devices.
#[test]
fn a_revocation_that_is_killed_anywhere_is_completed() {
    let world = World::new();
    let (Some(one), Some(two)) = (world.agent(0), world.agent(0)) else { return };
    world.authority();
    world.add("one", port(one.address(0)));
    world.add("two", port(two.address(0)));
    world.run(&["deploy"], 0);
    let begun = Instant::now();
    world.run(&["revoke", "ann", "some"], 0);
    let took = begun.elapsed();
    let ann = world.path("ann.toml");
    for round in 0..16_u32 {
        world.run(&["assign", "ann", "some"], 0);
        world.run(&["token", "ann", "some", "--output", ann.to_str().unwrap()], 0);
        let mut command = world.command(&["revoke", "ann", "some"]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait(took * round / 12);
        child.kill().unwrap();
        child.wait().unwrap();
        // Nothing is half written, and a command that was not killed works on what is there.
        let status = world.json(&["status", "--json"], 0);
        let is_revoked = !status.to_string().contains("\"ann\"");
        world.run(&["deploy"], 0);
        assert!(world.run(&["status"], 0).0.contains("0 of 2 devices behind"));
        for device in [&one, &two] {
            assert_eq!(runtime().block_on(open(device, &ann)).is_ok(), !is_revoked, "round {round}");
            assert!(opens(&world, device, "bob"), "round {round}");
        }
        world.run(&["revoke", "ann", "some"], 0);
        let folder = std::fs::read_dir(world.path("rbac")).unwrap();
        let names: Vec<_> = folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        assert!(names.len() == 3, "what was being written is left behind: {names:?}");
    }
}

/// A small separate disk, in a mount namespace that its first process keeps.
#[test]
fn a_full_disk_changes_nothing() {
    let world = World::new();
    let Some(agent) = world.agent(0) else { return };
    let works = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).status();
    if !works.is_ok_and(|status| status.success()) {
        return leave_out("no mount namespace can be made here");
    }
    let folder = world.path("rbac");
    std::fs::create_dir(&folder).unwrap();
    let script =
        format!("mount -t tmpfs -o size=64k,mode=700 none {} && echo ready && exec cat", folder.display());
    let mut holder = Command::new("unshare");
    holder.args(["-m", "sh", "-c", &script]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut holder = holder.spawn().unwrap();
    let mut lines = BufReader::new(holder.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "ready");
    let pid = holder.id().to_string();
    let seen = std::path::PathBuf::from(format!("/proc/{pid}/root{}", folder.display()));
    // Commands in the same namespace.
    let run = |words: &[&str]| {
        let inner = world.command(words);
        let mut command = Command::new("nsenter");
        command.args(["-t", &pid, "-m"]).arg(inner.get_program()).args(inner.get_args());
        let output = command.env("HOME", "/nonexistent").output().unwrap();
        let (out, err) = texts(&output);
        (output.status.code(), out + &err)
    };
    for words in [&["init"][..], &["role", "add", "some"], &["assign", "ann", "some"]] {
        let (status, said) = run(words);
        assert_eq!(status, Some(0), "{said}");
    }
    let url = format!("netconf+tls://localhost:{}", port(agent.address(0)));
    assert_eq!(run(&["device", "add", &url, "--name", "a"]).0, Some(0));
    let document = || std::fs::read(seen.join("authority.toml")).unwrap();
    let before = document();
    // tmpfs gives out whole pages.
    let fill = || {
        let mut file = std::fs::File::create(seen.join("filler")).unwrap();
        while std::io::Write::write(&mut file, &[0; 4096]).is_ok_and(|written| written > 0) {}
    };
    fill();
    for words in [&["assign", "bob", "some"][..], &["role", "add", "other"], &["revoke", "ann", "some"]] {
        let (status, said) = run(words);
        assert!(status == Some(1) && said.contains("No space left on device"), "{words:?}: {said}");
        assert_eq!(document(), before, "{words:?}");
    }
    // The device has the keys, and the authority cannot write down that it has: it says so, and sends them once more.
    let (status, said) = run(&["deploy"]);
    assert!(status == Some(1) && said.contains("No space left on device"), "{said}");
    std::fs::remove_file(seen.join("filler")).unwrap();
    let (status, said) = run(&["deploy"]);
    assert!(status == Some(0) && said.contains("1 device acknowledged"), "{said}");
    assert_eq!(run(&["assign", "bob", "some"]).0, Some(0));
    let names: Vec<String> = std::fs::read_dir(&seen)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert!(
        names.iter().all(|name| ["authority.toml", "devices", "tokens"].contains(&name.as_str())),
        "{names:?}"
    );
    drop(holder.stdin.take());
    holder.wait().unwrap();
}
