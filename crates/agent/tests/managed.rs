//! What managers change through the agent's own tables, seen from outside: Net-SNMP's `snmpusm` and `snmpvacm`, users and
//! rights that outlive a restart, communities and targets that are set.

#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::support;

use std::net::UdpSocket;

use support::{Agent, PATIENCE, net_snmp, oid};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Message, PduKind, Version};

const ADMIN: &str = r#"
[snmp]
listen = ["udp://127.0.0.1:0"]
[[role]]
name = "admin"
read = ["1"]
write = ["1"]
level = "authPriv"
[[snmp.user]]
name = "ann"
auth = "SHA-256"
priv = "AES"
password = "maplesyrup"
role = "admin"
"#;

/// As a user with this password, at authPriv.
struct Who<'a>(&'a str, &'a str);

impl Who<'_> {
    /// Runs a tool of Net-SNMP; what it printed, or why it failed. Nothing where the tool is missing.
    fn run(&self, agent: &Agent, tool: &str, more: &[&str]) -> Option<Result<String, String>> {
        let peer = agent.udp().to_string();
        let Who(name, password) = self;
        let who = ["-v3", "-l", "authPriv", "-u", name, "-a", "SHA-256", "-x", "AES", "-A", password];
        let arguments = [&who[..], &["-X", password, "-t", "20", &peer], more].concat();
        let output = net_snmp(tool, &arguments)?;
        let text = |octets: &[u8]| String::from_utf8_lossy(octets).into_owned();
        let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
        Some(if output.status.success() { Ok(stdout) } else { Err(format!("{stdout}{stderr}")) })
    }

    fn uptime(&self, agent: &Agent) -> Option<Result<String, String>> {
        self.run(agent, "snmpget", &["1.3.6.1.2.1.1.3.0"])
    }
}

const ANN: Who<'_> = Who("ann", "maplesyrup");

/// Makes the user `bob` of `ann`, with another password and a group that may read and change its own keys.
fn create_bob(agent: &Agent) -> Option<()> {
    let usm_user = "1.3.6.1.6.3.15.1.2.2";
    for (tool, arguments) in [
        ("snmpusm", &["create", "bob", "ann"][..]),
        ("snmpusm", &["passwd", "maplesyrup", "cornflakes", "bob"]),
        ("snmpvacm", &["createSec2Group", "3", "bob", "bobs"]),
        ("snmpvacm", &["createView", "all", "1.3"]),
        ("snmpvacm", &["createView", "own", usm_user]),
        ("snmpvacm", &["createAccess", "bobs", "3", "3", "1", "all", "own", "all"]),
    ] {
        let done = ANN.run(agent, tool, arguments)?;
        assert!(done.is_ok(), "{tool} {arguments:?}: {done:?}");
    }
    Some(())
}

#[test]
fn users_and_rights_made_with_net_snmp_s_tools_survive_a_restart() {
    let agent = Agent::start(ADMIN);
    let bob = Who("bob", "cornflakes");
    let Some(before) = bob.uptime(&agent) else { return };
    assert!(before.is_err_and(|error| error.contains("Unknown user name")));
    create_bob(&agent).unwrap();
    assert!(bob.uptime(&agent).unwrap().is_ok());
    assert!(Who("bob", "maplesyrup").uptime(&agent).unwrap().is_err(), "the keys of whom it was cloned from");

    // By usmUserOwnAuthKeyChange and usmUserOwnPrivKeyChange, which are for bob alone.
    let own = bob.run(&agent, "snmpusm", &["passwd", "cornflakes", "pancakes!"]).unwrap();
    assert!(own.is_ok(), "{own:?}");
    let bob = Who("bob", "pancakes!");
    let others = bob.run(&agent, "snmpset", &["1.3.6.1.2.1.1.6.0", "s", "here"]).unwrap();
    assert!(others.is_err_and(|error| error.contains("noAccess")));

    let folder = agent.terminate();
    let agent = Agent::start_in(folder, ADMIN);
    assert!(bob.uptime(&agent).unwrap().is_ok());
    let gone = ANN.run(&agent, "snmpvacm", &["deleteAccess", "bobs", "3", "3"]).unwrap();
    assert!(gone.is_ok(), "{gone:?}");
    assert!(bob.uptime(&agent).unwrap().is_err_and(|error| error.contains("authorizationError")));
    let gone = ANN.run(&agent, "snmpusm", &["delete", "bob"]).unwrap();
    assert!(gone.is_ok(), "{gone:?}");
    assert!(bob.uptime(&agent).unwrap().is_err_and(|error| error.contains("Unknown user name")));
}

/// A role waits for a user that a manager creates: access holds from the user's creation on, over a reload and a restart.
#[test]
fn a_member_of_a_role_has_it_from_its_creation_on() {
    let config = format!(
        "{ADMIN}[[role]]\nname = \"later\"\nread = [\"1.3.6.1.2.1.1\"]\nlevel = \"authPriv\"\nmembers = [\"newtestuser\"]\n"
    );
    let agent = Agent::start(&config);
    let new = Who("newtestuser", "maplesyrup");
    let Some(before) = new.uptime(&agent) else { return };
    assert!(before.is_err_and(|error| error.contains("Unknown user name")));
    ANN.run(&agent, "snmpusm", &["create", "newtestuser", "ann"]).unwrap().unwrap();
    assert!(new.uptime(&agent).unwrap().is_ok());
    let other = new.run(&agent, "snmpget", &["1.3.6.1.2.1.11.30.0"]).unwrap();
    assert!(other.is_ok_and(|text| text.contains("No Such")), "its role alone counts");
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
    assert!(new.uptime(&agent).unwrap().is_ok());
    let agent = Agent::start_in(agent.terminate(), &config);
    assert!(new.uptime(&agent).unwrap().is_ok());
}

/// An index of an IMPLIED string, and one with a leading length, as snmpset requires them.
fn implied(text: &str) -> String {
    text.bytes().map(|octet| format!(".{octet}")).collect()
}

fn counted(text: &str) -> String {
    format!(".{}{}", text.len(), implied(text))
}

/// Sets all of them in one request: object and instance, type, value.
fn set(agent: &Agent, bindings: &[(String, &str, &str)]) -> Option<()> {
    let list = bindings.iter().flat_map(|(name, kind, value)| [name.as_str(), kind, value]);
    let done = ANN.run(agent, "snmpset", &list.collect::<Vec<_>>())?;
    assert!(done.is_ok(), "{done:?}");
    Some(())
}

/// Lets the security name `guest` of SNMPv2c read and be notified of everything.
fn let_guest_in(agent: &Agent) -> Option<()> {
    let group = format!("1.3.6.1.6.3.16.1.2.1.{{}}.2{}", counted("guest"));
    let access = format!("1.3.6.1.6.3.16.1.4.1.{{}}{}{}.2.1", counted("guests"), counted(""));
    let view = format!("1.3.6.1.6.3.16.1.5.2.1.{{}}{}.2.1.3", counted("everything"));
    let at = |name: &str, column: &str| name.replace("{}", column);
    set(
        agent,
        &[
            (at(&group, "5"), "i", "4"),
            (at(&group, "3"), "s", "guests"),
            (at(&access, "9"), "i", "4"),
            (at(&access, "5"), "s", "everything"),
            (at(&access, "7"), "s", "everything"),
            (at(&view, "6"), "i", "4"),
        ],
    )
}

/// Makes a community for `guest`.
fn create_community(agent: &Agent, name: &str) -> Option<()> {
    let row = |column: &str| format!("1.3.6.1.6.3.18.1.1.1.{column}{}", implied("row"));
    set(agent, &[(row("8"), "i", "4"), (row("2"), "s", name), (row("3"), "s", "guest")])
}

#[test]
fn a_new_community_is_accepted_from_the_next_request_on() {
    let agent = Agent::start(ADMIN);
    if let_guest_in(&agent).is_none() {
        return;
    }
    let peer = agent.udp().to_string();
    let ask = |more: &[&str]| {
        let arguments = [&["-v2c", "-c", "sesame", "-r", "0", "-t", "1", &peer], more].concat();
        net_snmp("snmpget", &arguments).unwrap()
    };
    assert!(!ask(&["1.3.6.1.2.1.1.3.0"]).status.success());
    create_community(&agent, "sesame").unwrap();
    assert!(ask(&["1.3.6.1.2.1.1.3.0"]).status.success());
    let shown = ask(&[&format!("1.3.6.1.6.3.18.1.1.1.2{}", implied("row"))]);
    let shown = String::from_utf8_lossy(&shown.stdout).into_owned();
    assert!(shown.contains("= \"\"") && !shown.contains("sesame"), "{shown}");
}

/// A target, its parameters and a row of snmpNotifyTable in one request; the community makes the security name a
/// community again.
#[test]
fn a_new_target_gets_notifications() {
    let agent = Agent::start(ADMIN);
    if let_guest_in(&agent).is_none() {
        return;
    }
    create_community(&agent, "sesame").unwrap();
    let receiver = UdpSocket::bind("127.0.0.1:0").unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let [high, low] = receiver.local_addr().unwrap().port().to_be_bytes();
    let address = format!("7f000001{high:02x}{low:02x}");
    let column =
        |table: &str, column: &str, row: &str| format!("1.3.6.1.6.3.{table}.1.{column}{}", implied(row));
    let addr = |id: &str| column("12.1.2", id, "here");
    let params = |id: &str| column("12.1.3", id, "plain");
    let notify = |id: &str| column("13.1.1", id, "all");
    set(
        &agent,
        &[
            (addr("9"), "i", "4"),
            (addr("2"), "o", "1.3.6.1.6.1.1"),
            (addr("3"), "x", &address),
            (addr("6"), "s", "told"),
            (addr("7"), "s", "plain"),
            (params("7"), "i", "4"),
            (params("2"), "i", "1"),
            (params("3"), "i", "2"),
            (params("4"), "s", "guest"),
            (params("5"), "i", "1"),
            (notify("5"), "i", "4"),
            (notify("2"), "s", "told"),
        ],
    )
    .unwrap();
    set(&agent, &[("1.3.6.1.2.1.11.30.0".to_string(), "i", "1")]).unwrap();
    let peer = agent.udp().to_string();
    net_snmp("snmpget", &["-v2c", "-c", "wrong", "-r", "0", "-t", "1", &peer, "1.3.6.1.2.1.1.3.0"]).unwrap();

    let mut buffer = [0; 1500];
    let length = receiver.recv(&mut buffer).expect("authenticationFailure");
    let trap = Message::decode(&buffer[..length]).unwrap();
    assert_eq!((trap.version, trap.community.as_slice()), (Version::V2c, &b"sesame"[..]));
    assert_eq!(trap.pdu.kind, PduKind::TrapV2);
    let told = &trap.pdu.bindings[1].value;
    assert_eq!(*told, Bound::Value(Value::ObjectIdentifier(oid("1.3.6.1.6.3.1.1.5.5"))));
}

/// A row of snmpTlstmCertToTSNTable and snmpTsmConfigurationUsePrefix: the names of certificates.
#[test]
fn names_of_certificates_can_be_set_and_survive_a_restart() {
    let agent = Agent::start(ADMIN);
    let at = |column: u32, row: u32| format!("1.3.6.1.2.1.198.2.2.1.3.1.{column}.{row}");
    let row = |column: u32| at(column, 7);
    let fingerprint = format!("04{}", "ab".repeat(32));
    let prefix = "1.3.6.1.2.1.190.1.2.1.0";
    let made = set(
        &agent,
        &[(row(6), "i", "4"), (row(2), "x", &fingerprint), (row(4), "s", "joe"), (prefix.into(), "i", "1")],
    );
    if made.is_none() {
        return;
    }
    let shown = |agent: &Agent| {
        let count = "1.3.6.1.2.1.198.2.2.1.1.0";
        ANN.run(agent, "snmpget", &["-Oqv", &row(4), &row(3), &row(6), count, prefix]).unwrap().unwrap()
    };
    let expected = ["\"joe\"", ".198.1.1.1", "1", "1", "1"];
    let is_expected = |text: &str| {
        let lines: Vec<&str> = text.lines().collect();
        lines.len() == expected.len() && lines.iter().zip(expected).all(|(line, end)| line.ends_with(end))
    };
    assert!(is_expected(&shown(&agent)), "{}", shown(&agent));
    let folder = agent.terminate();
    let agent = Agent::start_in(folder, ADMIN);
    assert!(is_expected(&shown(&agent)), "{}", shown(&agent));
    let short = ANN.run(&agent, "snmpset", &[&at(6, 8), "i", "5", &at(2, 8), "x", "04ab"]).unwrap();
    assert!(short.is_err_and(|words| words.contains("wrongValue")), "a hash of one octet");
    let again = ANN.run(&agent, "snmpset", &[&row(4), "s", "ann"]).unwrap();
    assert!(again.is_err_and(|words| words.contains("inconsistentValue")), "the row is active");
}
