//! Lines of known_hosts as OpenSSH writes them, and their meaning for a host.

use proptest::prelude::*;

use super::*;

const ONE: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ";
const TWO: &str = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAILagOJFgwaMNhBWQINinKOXmqS4Gh5NgxgriXwdOoINJ";

fn key(line: &str) -> PublicKey {
    public_key(line).unwrap()
}

fn verdict(text: &str, host: &str, port: u16) -> Verdict {
    look_up(text, host, port, &key(ONE))
}

#[test]
fn names_ports_and_patterns() {
    let text = format!(
        "# ours\nrouter,[router]:5161,192.0.2.1 {ONE} comment\n*.example.net,!bad.example.net {ONE}\n"
    );
    for (host, port) in [("router", 22), ("ROUTER", 5161), ("192.0.2.1", 22), ("a.example.net", 22)] {
        assert_eq!(verdict(&text, host, port), Verdict::Known, "{host}:{port}");
    }
    assert_eq!(verdict(&text, "bad.example.net", 22), Verdict::Unknown);
    assert_eq!(verdict(&text, "192.0.2.1", 5161), Verdict::Known, "the key of the host's own sshd");
    assert_eq!(verdict(&text, "other", 5161), Verdict::Unknown);
    assert_eq!(kinds(&text, "router", 5161), [Algorithm::Ed25519]);
}

#[test]
fn another_key_is_refused() {
    let text = format!("[router]:5161 {TWO}\n");
    assert_eq!(verdict(&text, "router", 5161), Verdict::Other { line: 1 });
    assert_eq!(verdict(&text, "router", 22), Verdict::Unknown);
    assert_eq!(verdict(&format!("{text}[router]:5161 {ONE}\n"), "router", 5161), Verdict::Known);
    // The host's sshd has another key than the agent: that says nothing about the agent.
    assert_eq!(verdict(&format!("router {TWO}\n"), "router", 5161), Verdict::Unknown);
}

#[test]
fn markers() {
    let revoked = format!("router {ONE}\n@revoked * {ONE}\n");
    assert_eq!(verdict(&revoked, "router", 22), Verdict::Revoked { line: 2 });
    assert_eq!(look_up(&revoked, "router", 22, &key(TWO)), Verdict::Other { line: 1 });
    let authority = format!("@cert-authority *.example.net {TWO}\n");
    assert_eq!(verdict(&authority, "a.example.net", 22), Verdict::Authority { line: 1 });
    assert_eq!(verdict(&format!("@later router {ONE}\n"), "router", 22), Verdict::Unknown);
}

#[test]
fn hashed_names() {
    // Made by `ssh-keygen -H` of `[router]:5161`.
    let salt = "Bmk2MXwOb28WAJ51qtDLF7sR+aE=";
    let text = format!("|1|{salt}|VubUDRs+Ly3ujva88bQmwXIsoRQ= {ONE}\n");
    assert_eq!(verdict(&text, "router", 5161), Verdict::Known);
    assert_eq!(verdict(&text, "routes", 5161), Verdict::Unknown);
    assert_eq!(
        verdict(&format!("|1|{salt} {ONE}\n|1||x {ONE}\n|1|!!|!! {ONE}\n"), "router", 22),
        Verdict::Unknown
    );
}

#[test]
fn lines_are_added_on_their_own_line() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("known_hosts");
    let line = line_for("Router", 5161, &key(ONE)).unwrap();
    assert_eq!(line, format!("[router]:5161 {ONE}"));
    add(&file, &line).unwrap();
    std::fs::write(&file, format!("{line}\nother {TWO}")).unwrap();
    add(&file, &line_for("third", 22, &key(ONE)).unwrap()).unwrap();
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(text, format!("{line}\nother {TWO}\nthird {ONE}\n"));
    assert_eq!(verdict(&text, "third", 22), Verdict::Known);
}

proptest! {
    #[test]
    fn any_file_is_read_without_panic(text in "\\PC{0,200}", hosts in "[a-z|1!*,\\[\\]:=]{0,30}") {
        let text = format!("{text}\n{hosts} {ONE}\n");
        lines(&text).for_each(drop);
        look_up(&text, "router", 5161, &key(ONE));
    }

    #[test]
    fn an_added_host_is_known(host in "[a-z0-9.:-]{1,30}", port in 1u16..) {
        let line = line_for(&host, port, &key(ONE)).unwrap();
        prop_assert_eq!(look_up(&line, &host, port, &key(ONE)), Verdict::Known);
        prop_assert_eq!(look_up(&line, &host, port, &key(TWO)), Verdict::Other { line: 1 });
    }
}
