//! Net-SNMP over DTLS with the Transport Security Model: its tools query our agent, our manager queries its
//! agent, and its receiver gets our agent's notifications. Its `tlstcp` supports no version of TLS after 1.0, so
//! there is nothing to try.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use trunkline_client::{SnmpSession, Transport, WalkOptions, walk};
use trunkline_pki::{Files, KeyKind};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, VarBind};
use trunkline_testkit::has;

use super::agents::{Snmpd, Snmptrapd};
use super::manager::{Manager, options, proved, run};
use super::support::{Agent, oid};
use super::world::{MANAGER, World};

const KEYS: [KeyKind; 2] = [KeyKind::EcdsaP256, KeyKind::Rsa2048];
const SYSTEM: &str = "1.3.6.1.2.1.1";

/// Net-SNMP looks for certificates below `.snmp/tls` of its user's home.
fn home(world: &World, name: &str, own: &Files) -> PathBuf {
    let (home, authority) = (world.path(name), world.pki.authority_certificate());
    for (folder, from, to) in [
        ("certs", &own.certificate, "own.crt"),
        ("private", &own.key, "own.key"),
        ("ca-certs", &authority, "authority.crt"),
    ] {
        let folder = home.join(".snmp/tls").join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::copy(from, folder.join(to)).unwrap();
    }
    home
}

/// Runs a tool with the certificate in this home.
fn tool(name: &str, home: &Path, agent: &Agent, more: &[&str]) -> Output {
    let mut command = Command::new(name);
    command.args([
        "-v3",
        "--defSecurityModel=tsm",
        "-u",
        MANAGER,
        "-l",
        "authPriv",
        "-On",
        "-t",
        "60",
        "-r",
        "0",
    ]);
    for word in ["our_identity=own", "trust_cert=authority", "their_hostname=localhost"] {
        command.args(["-T", word]);
    }
    command.arg(format!("dtlsudp:{}", agent.address("dtls"))).args(more);
    command.env("HOME", home).env("SNMP_PERSISTENT_DIR", home.join("persistent")).env("MIBS", "");
    command.output().unwrap()
}

/// What a tool printed; it must have succeeded.
fn said(output: &Output) -> String {
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{errors}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn its_tools_query_our_agent() {
    if !has("snmpget", "snmp") {
        return;
    }
    for key in KEYS {
        let world = World::new(key);
        let access = format!(
            "[[snmp.principal]]\nname = {MANAGER:?}\nrole = \"operator\"\n\
             [[role]]\nname = \"operator\"\nread = [\"1\"]\nwrite = [\"{SYSTEM}\"]\n"
        );
        let agent = Agent::start(&world.config("", &access));
        let home = home(&world, "joe", &world.manager(MANAGER));
        let ask = |name: &str, more: &[&str]| tool(name, &home, &agent, more);
        let set = said(&ask("snmpset", &[".1.3.6.1.2.1.1.4.0", "s", "by certificate"]));
        assert_eq!(set, ".1.3.6.1.2.1.1.4.0 = STRING: \"by certificate\"\n", "{key}");
        assert_eq!(said(&ask("snmpget", &[".1.3.6.1.2.1.1.4.0"])), set, "{key}");
        let steady = |text: String| -> Vec<String> {
            text.lines().filter(|line| !line.contains("Timeticks")).map(str::to_owned).collect()
        };
        let by_next = steady(said(&ask("snmpwalk", &[SYSTEM])));
        assert!(by_next.len() > 8 && by_next.contains(&set.trim().to_owned()), "{by_next:#?}");
        assert_eq!(steady(said(&ask("snmpbulkwalk", &[SYSTEM]))), by_next, "{key}");
        // A certificate without a name has no access.
        let stranger = self::home(&world, "eve", &world.manager("eve"));
        let refused = tool("snmpget", &stranger, &agent, &[".1.3.6.1.2.1.1.4.0"]);
        assert!(!refused.status.success(), "{refused:?}");
    }
}

/// The configuration of its agent and its receiver: their identity, and that a common name is a security name.
const CERTIFICATES: &str =
    "[snmp] localCert own\n[snmp] trustCert authority\ncertSecName 10 authority --cn\n";

#[test]
fn our_manager_queries_its_agent() {
    for key in KEYS {
        let world = World::new(key);
        let home = home(&world, "snmpd", &world.agent("localhost"));
        let configuration = format!("{CERTIFICATES}rwuser -s tsm {MANAGER} authpriv\n");
        let Some(agent) = Snmpd::start_secure(&configuration, &home) else { return };
        let secure = Manager::new(&world, &world.manager(MANAGER)).secure();
        run(async {
            let session =
                SnmpSession::open(&proved(Transport::Dtls, agent.port, secure), options()).await.unwrap();
            let contact = VarBind::new(oid("1.3.6.1.2.1.1.4.0"), Value::text("our manager"));
            session.set(std::slice::from_ref(&contact)).await.unwrap();
            let answer = session.get(std::slice::from_ref(&contact.name)).await.unwrap();
            assert_eq!(answer.bindings[0].value, Bound::Value(Value::text("our manager")), "{key}");
            let found = walk(&session, oid(SYSTEM), WalkOptions::default()).collect().await.unwrap();
            assert!(found.len() > 8 && found.contains(&contact), "{found:?}");
            assert_eq!(session.counts().connections, 1);
        });
    }
}

/// What its agent is configured to do with certificates ours does too, from the same files.
#[test]
fn a_configuration_of_its_agent_is_imported() {
    if !has("snmpget", "snmp") {
        return;
    }
    let world = World::usual();
    let localhost = world.agent("localhost");
    let folder = home(&world, "imported", &localhost).join(".snmp");
    let file = folder.join("snmpd.conf");
    let home_of_receiver = home(&world, "snmptrapd", &localhost);
    let configuration = format!("{CERTIFICATES}authUser log -s tsm localhost authpriv\n");
    let Some(receiver) = Snmptrapd::start_secure(&configuration, &home_of_receiver) else { return };
    let sink = format!("dtlsudp:127.0.0.1:{}", receiver.port);
    let lines = format!(
        "agentAddress dtlsudp:127.0.0.1:0\n{CERTIFICATES}rwuser -s tsm {MANAGER} authpriv\n\
         trapsess -v 3 -Ci -T their_identity=own -T trust_cert=authority {sink}\n"
    );
    std::fs::write(&file, lines).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_trunklined"));
    let imported = said(&command.args(["import-snmpd", "--strict"]).arg(&file).output().unwrap());
    let mut agent = Agent::spawn(tempfile::tempdir().unwrap(), &imported, &[]);
    agent.wait_for_listeners(1);
    let line = receiver.next();
    assert!(line.starts_with("INFORM, SNMP v3, user localhost, context |"), "{line}");
    let joe = home(&world, "joe", &world.manager(MANAGER));
    let set = said(&tool("snmpset", &joe, &agent, &[".1.3.6.1.2.1.1.4.0", "s", "imported"]));
    assert_eq!(set, ".1.3.6.1.2.1.1.4.0 = STRING: \"imported\"\n", "{imported}");
    let stranger = home(&world, "eve", &world.manager("eve"));
    let refused = tool("snmpget", &stranger, &agent, &[".1.3.6.1.2.1.1.4.0"]);
    assert!(!refused.status.success(), "{refused:?}");
}

#[test]
fn its_receiver_gets_our_agents_notifications() {
    for (key, kind, told) in [
        (KeyKind::EcdsaP256, "trap", "TRAP2, "),
        (KeyKind::EcdsaP256, "inform", "INFORM, "),
        (KeyKind::Rsa2048, "inform", "INFORM, "),
    ] {
        let world = World::new(key);
        let home = home(&world, "snmptrapd", &world.agent("localhost"));
        // The agent is who its certificate says, which is the receiver's too here.
        let configuration = format!("{CERTIFICATES}authUser log -s tsm localhost authpriv\n");
        // One for each: it cannot handle two simultaneous handshakes.
        let Some(receiver) = Snmptrapd::start_secure(&configuration, &home) else { return };
        let address = format!("dtls://127.0.0.1:{}", receiver.port);
        let target = format!("[[snmp.target]]\nname = \"nms\"\naddress = {address:?}\nkind = {kind:?}\n");
        let agent = Agent::start(&world.config("", &target));
        let line = receiver.next();
        let head = format!("{told}SNMP v3, user localhost, context |");
        assert!(line.starts_with(&head), "{kind} {key}: {line}");
        assert!(line.contains(".1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.6.3.1.1.5.1"), "{kind} {key}: {line}");
        let line = agent.wait_for("target=\"nms\"");
        assert!(line.contains(" sent ") && !line.contains("not sent"), "{line}");
    }
}
