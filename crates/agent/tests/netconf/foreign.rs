//! Clients that others wrote: ncclient, netconf-client, asyncssh, scrapli-netconf, yangcli, and OpenSSH's `ssh -s`.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use trunkline_testkit::{has, leave_out};

use crate::client::{PASSWORD, agent};
use crate::support::Agent;

/// What a client of `peers/python/netconf.py` says, line by line; `None` if it is left out.
fn said(agent: &Agent, client: &str) -> Option<Vec<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let python: PathBuf = root.join("target/peers/python/bin/python");
    if !python.is_file() {
        leave_out("the clients of PyPI are not installed (cargo xtask setup --peers)");
        return None;
    }
    let port = agent.address("ssh").port().to_string();
    let ran = Command::new(python)
        .arg(root.join("peers/python/netconf.py"))
        .args([client, &port, "max", PASSWORD])
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success(), "{client}: {text}{}", String::from_utf8_lossy(&ran.stderr));
    Some(text.lines().map(str::to_owned).collect())
}

#[test]
fn clients_of_python_read_the_agent() {
    let agent = agent("");
    for (client, expected) in [
        (
            "ncclient",
            &[
                "base:1.1",
                "found",
                "module",
                "locked",
                "committed",
                "data-exists",
                "target",
                "pushed",
                "changed",
                "told",
            ][..],
        ),
        ("netconf-client", &["found", "committed", "data-missing", "pushed", "changed"]),
        ("asyncssh", &["hello", "found", "closed"]),
        ("scrapli", &["found", "found", "locked"]),
    ] {
        let Some(said) = said(&agent, client) else { return };
        assert_eq!(said, expected, "{client}");
    }
}

/// With the line that RFC 6242 section 3 has for people.
#[test]
fn openssh_opens_the_subsystem() {
    if !has("ssh", "openssh-client") || !has("ssh-keygen", "openssh-client") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("id");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.unwrap().success());
    let agent = Agent::start(&format!(
        "[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n[snmp]\nlisten = []\n[[role]]\nname = \"reader\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\nauthorized-keys = \"{}\"\n",
        key.with_extension("pub").display()
    ));
    // Some clients want a terminal (RFC 4254 section 6.2).
    for terminal in ["-T", "-tt"] {
        let mut ssh = Command::new("ssh")
            .args(["-p", &agent.address("ssh").port().to_string(), "-i"])
            .arg(&key)
            .args([
                "-o",
                "StrictHostKeyChecking=no",
                "-o",
                "UserKnownHostsFile=/dev/null",
                "-o",
                "LogLevel=ERROR",
            ])
            .args(["-o", "IdentitiesOnly=yes", "-F", "none", terminal, "-s", "ann@127.0.0.1", "netconf"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let base = "urn:ietf:params:xml:ns:netconf:base:1.0";
        let mut input = ssh.stdin.take().unwrap();
        write!(
        input,
        "<hello xmlns=\"{base}\"><capabilities><capability>urn:ietf:params:netconf:base:1.0</capability></capabilities>\
         </hello>]]>]]><rpc xmlns=\"{base}\" message-id=\"1\"><get><filter><SNMPv2-MIB><system><sysUpTime/></system>\
         </SNMPv2-MIB></filter></get></rpc>]]>]]><rpc xmlns=\"{base}\" message-id=\"2\"><close-session/></rpc>]]>]]>"
    )
    .unwrap();
        let output = ssh.wait_with_output().unwrap();
        drop(input);
        let text = String::from_utf8(output.stdout).unwrap();
        assert_eq!(text.matches("]]>]]>").count(), 3, "{text}");
        assert!(text.contains("<sysUpTime>") && text.contains("message-id=\"2\"><ok/>"), "{text}");
    }
}

/// The block of the page behind these words.
fn block<'p>(page: &'p str, behind: &str) -> &'p str {
    let (_, rest) = page.split_once(behind).unwrap();
    let (_, block) = rest.split_once("```").and_then(|(_, rest)| rest.split_once('\n')).unwrap();
    block.split_once("\n```").unwrap().0
}

/// With a key of `trunkline pki ssh-key`, the first commands of the documentation work as they stand.
#[test]
fn the_first_commands_of_the_page_work() {
    if !has("ssh", "openssh-client") {
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let page = std::fs::read_to_string(root.join("docs/netconf.md")).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let pki = trunkline_pki::Directory::at(folder.path());
    pki.ssh_key(&trunkline_pki::Name::new("ann").unwrap(), false).unwrap();
    let key = folder.path().join("ssh/ann").display().to_string();
    let agent = Agent::start(&format!(
        "[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n[snmp]\nlisten = []\n[[role]]\nname = \"reader\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\nauthorized-keys = \"{key}.pub\"\n"
    ));
    let port = agent.address("ssh").port().to_string();
    let here = |text: &str| {
        let text = text.replace("/etc/trunkline/pki/ssh/ann", &key);
        text.replace("agent.example.net", "127.0.0.1").replace("830", &port)
    };
    // Whoever runs the test has keys and known hosts of their own.
    let options = "-F none -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o IdentitiesOnly=yes";
    let script =
        format!("ssh() {{ command ssh {options} \"$@\"; }}\n{}", here(block(&page, "With OpenSSH alone")));
    let ran = Command::new("sh").args(["-c", &script]).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        text.contains("<sysDescr>") && text.contains("<ok/>"),
        "{script}\n{text}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
    let python = root.join("target/peers/python/bin/python");
    if !python.is_file() {
        leave_out("ncclient is not installed (cargo xtask setup --peers)");
        return;
    }
    let script = format!(
        "import functools\nfrom ncclient import manager\n\
         manager.connect = functools.partial(manager.connect, hostkey_verify=False, allow_agent=False, look_for_keys=False)\n{}",
        here(block(&page, "With ncclient"))
    );
    let ran = Command::new(python).args(["-c", &script]).output().unwrap();
    let text = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(
        text.contains("<ifDescr>lo</ifDescr>"),
        "{script}\n{text}{}",
        String::from_utf8_lossy(&ran.stderr)
    );
}

/// The client of yuma123 logs in with a key, reads and prints what it read.
#[test]
fn yangcli_reads_the_agent() {
    if !has("yangcli", "yangcli") || !has("ssh-keygen", "openssh-client") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let key = folder.path().join("id");
    let made = Command::new("ssh-keygen").args(["-q", "-t", "ed25519", "-N", "", "-f"]).arg(&key).status();
    assert!(made.unwrap().success());
    let agent = Agent::start(&format!(
        "[netconf]\nlisten = [\"ssh://127.0.0.1:0\"]\n[snmp]\nlisten = []\n[[role]]\nname = \"reader\"\nread = [\"1\"]\n\
         [[snmp.principal]]\nname = \"ann\"\nrole = \"reader\"\nauthorized-keys = \"{}\"\n",
        key.with_extension("pub").display()
    ));
    let ran = Command::new("yangcli")
        .args(["--server=127.0.0.1", &format!("--ncport={}", agent.address("ssh").port()), "--user=ann"])
        .arg(format!("--private-key={}", key.display()))
        .arg(format!("--public-key={}", key.with_extension("pub").display()))
        .args(["--batch-mode", "--autoload=false", "--display-mode=xml"])
        .arg("--run-command=xget /IF-MIB/ifTable/ifEntry[ifIndex=1]/ifDescr")
        .env("HOME", folder.path())
        .current_dir(folder.path())
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&ran.stdout);
    assert!(text.contains("<ifDescr>lo</ifDescr>"), "{text}{}", String::from_utf8_lossy(&ran.stderr));
}
