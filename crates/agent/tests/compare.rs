//! `trunklined import-snmpd` as its users meet it: what goes where, and the comparison of two agents.

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output};

use trunkline_testkit::has;

use support::{Agent, BOTH};

fn import(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
    command.arg("import-snmpd").args(arguments).output().unwrap()
}

fn text(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

#[test]
fn the_configuration_goes_to_stdout_and_the_rest_to_stderr() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    std::fs::write(&file, "rocommunity secret\nmaster agentx\n").unwrap();
    let file = file.to_str().unwrap();
    let output = import(&[file]);
    assert_eq!(output.status.code(), Some(0));
    assert!(text(&output.stdout).contains("name = \"secret\""));
    assert_eq!(
        text(&output.stderr),
        format!("{file}:2: master: AgentX is not yet supported: subagents cannot connect\n")
    );

    let made = folder.path().join("trunklined.toml");
    let made = made.to_str().unwrap();
    let output = import(&[file, "--output", made]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(text(&output.stderr).contains("1 line was not carried over"));
    assert_eq!(std::fs::metadata(made).unwrap().permissions().mode() & 0o777, 0o600);
    let check =
        Command::new(env!("CARGO_BIN_EXE_trunklined")).args(["--check", "--config", made]).status().unwrap();
    assert!(check.success());
    // What is there is not written over.
    assert_eq!(import(&[file, "--output", made]).status.code(), Some(1));
    assert_eq!(import(&["/no/such/file"]).status.code(), Some(1));
    assert_eq!(import(&[]).status.code(), Some(2));
}

fn url(agent: &Agent) -> String {
    format!("snmp://public@{}", agent.udp())
}

#[test]
fn two_agents_are_compared_by_object() {
    let named = |name: &str| format!("{BOTH}[system]\nname = \"{name}\"\ncontact = \"same\"\n");
    let (one, other) = (Agent::start(&named("one")), Agent::start(&named("other")));
    let compare = |root: &str| {
        import(&["/dev/null", "--compare", "--ours", &url(&one), "--theirs", &url(&other), "--root", root])
    };
    let output = compare("1.3.6.1.2.1.1");
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let words = text(&output.stdout);
    assert!(words.contains("other value\n  sysName (1.3.6.1.2.1.1.5): 1 instance\n    1.3.6.1.2.1.1.5.0: ours \"one\", snmpd \"other\"\n"), "{words}");
    assert!(!words.contains("sysContact"), "{words}");
    let output = compare("sysContact");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    assert!(text(&output.stdout).contains("1 equal"));
}

#[test]
fn an_unreachable_agent_is_not_a_difference() {
    let agent = Agent::start(BOTH);
    let output = import(&["/dev/null", "--compare", "--ours", &url(&agent), "--snmpd", "/no/such/snmpd"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("/no/such/snmpd does not start"), "{}", text(&output.stderr));
    let output = import(&["/dev/null", "--compare", "--root", "noSuchName"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("noSuchName"));
}

/// Both started from one file, with what would reach out left out of it.
#[test]
fn snmpd_and_our_agent_agree_on_what_the_file_configures() {
    if !has("snmpd", "snmpd") {
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("snmpd.conf");
    let conf = "agentAddress 192.0.2.1:161\ntrap2sink 192.0.2.2\nmaster agentx\nsysName compared\nsysContact Me\n\
                sysLocation here\nsysServices 72\nproc init 5 0\nextend hello /bin/echo hello world\nload 12 10 8\n";
    std::fs::write(&file, conf).unwrap();
    let compare = |root: &str| import(&[file.to_str().unwrap(), "--compare", "--root", root]);
    for root in ["sysName", "sysContact", "sysLocation", "sysServices", "laConfig", "nsExtendOutput1Table"] {
        let output = compare(root);
        let words = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{root}: {words}{}", text(&output.stderr));
        assert!(!words.contains(" 0 equal"), "{root}: {words}");
    }
    let output = compare("1.3.6.1.2.1.1");
    assert_eq!(output.status.code(), Some(1), "each agent lists modules of its own");
    assert!(text(&output.stdout).contains("sysORDescr"));
}
