//! `trunkline pki` as a person types it: three commands, what they print, and what they refuse.

#![allow(clippy::unwrap_used, reason = "a test may fail by panic and say why")]

use crate::support;

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use trunkline_testkit::has;

use support::{texts, trunkline};

/// Runs `trunkline pki --dir DIR` with these arguments.
fn pki(folder: &Path, words: &str) -> Output {
    let mut command = trunkline(&["pki", "--dir"]);
    command.arg(folder).args(words.split(' ')).current_dir(folder).output().unwrap()
}

#[track_caller]
fn expect(folder: &Path, words: &str, status: i32) -> (String, String) {
    let output = pki(folder, words);
    let (out, err) = texts(&output);
    assert_eq!(output.status.code(), Some(status), "{words}\n{out}\n{err}");
    (out, err)
}

#[test]
fn three_commands_make_what_a_session_needs() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = expect(folder.path(), "init", 0);
    assert!(out.contains("ca.pem") && out.contains("sha256:"), "{out}");
    assert!(err.contains("trunkline pki agent"), "{err}");
    let (out, err) = expect(folder.path(), "agent localhost", 0);
    assert!(out.contains("agents/localhost.key"), "{out}");
    assert!(err.contains("tls://*:10161") && err.contains("default agent"), "{err}");
    let (out, err) = expect(folder.path(), "manager ann", 0);
    assert!(out.contains("managers/ann.pem"), "{out}");
    assert!(err.contains("trunkline get snmp+tls://") && err.contains("`ann`"), "{err}");
    for file in ["ca.pem", "ca.key", "crl.pem", "agent.pem", "agent.key", "manager.pem", "manager.key"] {
        assert!(fs::metadata(folder.path().join(file)).unwrap().is_file(), "{file}");
    }
    if has("openssl", "openssl") {
        let mut verify = Command::new("openssl");
        let verified = verify.args(["verify", "-CAfile", "ca.pem", "agent.pem", "manager.pem"]);
        let (out, err) = texts(&verified.current_dir(folder.path()).output().unwrap());
        assert!(out.contains("agent.pem: OK") && out.contains("manager.pem: OK"), "{out}{err}");
    }
}

#[test]
fn names_that_no_principal_can_have_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    expect(folder.path(), "init", 0);
    let (long, longest) = ("x".repeat(33), "x".repeat(32));
    for command in ["manager", "ssh-key", "token"] {
        for (name, words) in [
            (long.as_str(), "has 33 octets: agents know principals by at most 32"),
            ("\u{202e}nna", "the name \\u{202E}nna has characters that cannot be seen"),
            ("a\u{200b}nn", "cannot be seen"),
        ] {
            let (out, err) = expect(folder.path(), &format!("{command} {name}"), 2);
            assert!(out.is_empty() && err.contains(words), "{command} {name:?}: {out}{err}");
        }
        expect(folder.path(), &format!("{command} {longest}"), 0);
    }
    assert!(!folder.path().join(format!("managers/{long}.pem")).exists());
    // Agents are hosts, with longer names.
    expect(folder.path(), &format!("agent {long}.example.net"), 0);
}

/// The system ends the program between two files: no file may have more than 512 bytes, as a certificate does.
#[test]
fn a_killed_init_leaves_no_half_of_an_authority() {
    let folder = tempfile::tempdir().unwrap();
    let mut limited = Command::new("sh");
    let script = "ulimit -f 1; exec \"$@\"";
    limited.args(["-c", script, "sh"]).arg(trunkline(&[]).get_program()).args(["pki", "--dir"]);
    let ended = limited.arg(folder.path()).arg("init").output().unwrap();
    assert!(!ended.status.success(), "{ended:?}");
    assert!(!folder.path().join("ca.key").exists(), "half an authority");
    expect(folder.path(), "init", 0);
    expect(folder.path(), "agent localhost", 0);
}

#[test]
fn without_options_it_is_the_users_folder() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = texts(&trunkline(&["pki", "--help"]).output().unwrap());
    assert!(out.contains("/etc/trunkline/pki") && out.contains("~/.config/trunkline/pki"), "{out}{err}");
    let output = pki(folder.path(), "agent localhost");
    assert_eq!(output.status.code(), Some(1));
    let (_, err) = texts(&output);
    assert!(err.contains("no certificate authority") && err.contains("trunkline pki init"), "{err}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "a refusal leaves nothing behind");
}

#[test]
fn a_second_time_is_refused_with_advice() {
    let folder = tempfile::tempdir().unwrap();
    expect(folder.path(), "init", 0);
    let (_, err) = expect(folder.path(), "init", 1);
    assert!(err.contains("ca.key already exists") && err.contains("--force"), "{err}");
    expect(folder.path(), "manager ann", 0);
    let (_, err) = expect(folder.path(), "manager ann", 1);
    assert!(err.contains("ann.key already exists") && err.contains("--force"), "{err}");
    expect(folder.path(), "manager ann --force", 0);
}

#[test]
fn wrong_arguments_exit_with_2() {
    let folder = tempfile::tempdir().unwrap();
    expect(folder.path(), "init", 0);
    for words in [
        "agent ../ca",
        "agent a/b",
        "manager .",
        "agent no_host!",
        "agent localhost --dns a..b",
        "agent localhost --address 192.0.2.300",
        "agent localhost --key dsa",
        "manager ann --days 0",
        "manager ann --days 4294967295",
        "manager ann --email ann",
        "show nobody",
        "revoke nobody",
    ] {
        let (out, err) = expect(folder.path(), words, 2);
        assert!(out.is_empty() && !err.is_empty(), "{words}: {out}{err}");
    }
    assert!(!folder.path().join("managers").join("ann.pem").exists());
}

#[test]
fn show_prints_the_contents_of_a_certificate() {
    let folder = tempfile::tempdir().unwrap();
    expect(folder.path(), "init --key ecdsa-p384 --name Example", 0);
    expect(folder.path(), "agent r7.example.org --address 192.0.2.7 --key rsa-2048", 0);
    expect(folder.path(), "manager ann --days 1", 0);
    expect(folder.path(), "manager bob --self-signed", 0);
    let (out, _) = expect(folder.path(), "show r7.example.org", 0);
    for part in ["CN=r7.example.org", "r7.example.org, 192.0.2.7", "CN=Example", "RSA 2048"] {
        assert!(out.contains(part), "{part}:\n{out}");
    }
    // Whole days: in the second in which it is made there are 825, ever after 824.
    let left = |text: &str| text.contains("valid, 824 days left") || text.contains("valid, 825 days left");
    assert!(left(&out), "{out}");
    assert!(out.lines().skip(1).all(|line| line.len() <= 80), "{out}");
    let (out, _) = expect(folder.path(), "show --json agents/r7.example.org.pem", 0);
    let shown: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(shown[0]["names"], serde_json::json!(["r7.example.org", "192.0.2.7"]));
    assert_eq!(shown[0]["state"], "valid");

    let (out, _) = expect(folder.path(), "revoke ann", 0);
    assert!(out.starts_with("revoked  managers/ann  sha256:"), "{out}");
    let (out, _) = expect(folder.path(), "show", 0);
    let line = |name: &str| out.lines().find(|line| line.contains(name)).unwrap_or_default().to_owned();
    assert!(line("Example").contains("authority"), "{out}");
    assert!(left(&line("r7.example.org")) && line("r7.example.org").contains("left, default"), "{out}");
    assert!(line("ann").contains("revoked, default"), "{out}");
    assert!(line("bob").contains("self-signed"), "{out}");
    let (out, _) = expect(folder.path(), "show --json", 0);
    let listed: serde_json::Value = serde_json::from_str(&out).unwrap();
    let states: Vec<_> =
        listed.as_array().unwrap().iter().map(|line| line["state"].as_str().unwrap()).collect();
    assert_eq!(states, ["valid", "valid", "revoked", "valid"]);
}

#[test]
fn an_ssh_key_prints_the_line_for_authorized_keys_alone() {
    let folder = tempfile::tempdir().unwrap();
    let (out, err) = expect(folder.path(), "ssh-key ann", 0);
    assert_eq!(out, fs::read_to_string(folder.path().join("ssh/ann.pub")).unwrap());
    assert!(out.starts_with("ssh-ed25519 AAAA") && out.ends_with(" ann\n"), "{out}");
    assert!(err.contains("authorized-keys") && !err.contains("PRIVATE"), "{err}");
    expect(folder.path(), "ssh-key ann", 1);
}

#[test]
fn a_password_becomes_a_hash_and_is_not_an_argument() {
    let hash = |input: &[u8], status: i32| {
        let mut command = trunkline(&["pki", "password"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        let output = child.wait_with_output().unwrap();
        let (out, err) = texts(&output);
        assert_eq!(output.status.code(), Some(status), "{out}{err}");
        assert!(!err.contains("secret"), "{err}");
        out
    };
    let out = hash(b"a secret\nmore\n", 0);
    assert!(out.starts_with("$argon2id$v=19$m="), "{out}");
    assert_eq!(out.lines().count(), 1);
    let verify = |password: &[u8]| {
        let parsed = argon2::password_hash::phc::PasswordHash::new(out.trim()).unwrap();
        argon2::PasswordVerifier::verify_password(&argon2::Argon2::default(), password, &parsed)
    };
    assert!(verify(b"a secret").is_ok() && verify(b"a secret\n").is_err());
    assert_ne!(hash(b"a secret", 0), out, "each has a salt of its own");
    hash(b"", 2);
    hash(b"\n", 2);
    hash(b"\xff\xfe\n", 2);
    hash(&b"x".repeat(5000), 2);
    let given = trunkline(&["pki", "password", "secret"]).output().unwrap();
    assert_eq!(given.status.code(), Some(2));
}

#[test]
fn a_token_is_printed_once_with_its_hash_for_the_agent() {
    let made = trunkline(&["pki", "token", "robot"]).output().unwrap();
    let out = String::from_utf8(made.stdout).unwrap();
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!((made.status.code(), lines.len(), lines[0].len()), (Some(0), 4, 64), "{out}");
    assert_eq!(lines[1..3], ["[[snmp.principal]]", "name = \"robot\""]);
    assert!(lines[3].starts_with("token-hash = \"sha256:") && !lines[3].contains(lines[0]), "{out}");
    let none = trunkline(&["pki", "token"]).output().unwrap();
    assert_eq!(none.status.code(), Some(2));
}
