//! OpenSSL's programs carry raw messages: `s_client` to our agent, our manager to `s_server`.

use std::io::{BufReader, Read, Write};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use trunkline_client::Credentials;
use trunkline_pki::KeyKind;
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Message, PduKind, Version};
use trunkline_testkit::has;

use super::manager::{Manager, get as ask, target};
use super::s_client::{SClient, Way, read_message, until};
use super::support::{Agent, bulk, get, message};
use super::world::{COMMUNITIES, World};

const NAME: &str = "1.3.6.1.2.1.1.5.0";
const KEYS: [KeyKind; 2] = [KeyKind::EcdsaP256, KeyKind::Rsa2048];

/// A get, a bulk that fills several records of TLS, and a get again.
fn talks(world: &World, agent: &Agent, way: Way) {
    let own = world.manager("ann");
    let mut session = SClient::open(world, Some(&own), way, agent.address(way.scheme()));
    // The certificate determines the principal, whatever the community is.
    for (version, community) in [(Version::V1, "anything"), (Version::V2c, "")] {
        let answer = session.ask(&message(version, community, get(&[NAME]))).expect("an answer");
        assert_eq!((answer.pdu.error_status, answer.pdu.bindings.len()), (0, 1), "{way:?}: {answer:?}");
        assert!(matches!(answer.pdu.bindings[0].value, Bound::Value(Value::OctetString(_))), "{answer:?}");
    }
    let many = session.ask(&message(Version::V2c, "x", bulk(0, 20, &["1.3.6.1.2.1.1"]))).expect("an answer");
    assert_eq!(many.pdu.bindings.len(), 20, "{way:?}");
}

#[test]
fn s_client_queries_our_agent() {
    if !has("openssl", "openssl") {
        return;
    }
    for key in KEYS {
        let world = World::new(key);
        let agent = world.start();
        Way::ENCRYPTED.into_iter().for_each(|way| talks(&world, &agent, way));
    }
}

#[test]
fn s_client_queries_our_agent_with_integrity_only() {
    if !has("openssl", "openssl") {
        return;
    }
    for key in KEYS {
        let world = World::new(key);
        let config = world.config(COMMUNITIES, "integrity-only = true");
        let config = config.replace("\"dtls://127.0.0.1:0\", ", "");
        let agent = Agent::start_in_laboratory(&config, &[]);
        talks(&world, &agent, Way::Integrity);
        // The program that is installed does not take this.
        let refused = Agent::spawn(tempfile::tempdir().unwrap(), &config, &[]);
        refused.wait_for("only trunklined-lab accepts it");
    }
}

#[test]
fn s_client_resumes_its_session_and_may_send_nothing_early() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = world.start();
    let own = world.manager("ann");
    let community = "a community to look for";
    let question = message(Version::V2c, community, get(&[NAME])).encode();
    let talk = |way: Way, more: &[&str]| {
        let mut session = SClient::open_with(&world, Some(&own), way, agent.address("tls"), more);
        session.send(&question);
        session.told_until(community.as_bytes())
    };
    for (way, version) in [(Way::Tls12, "TLSv1.2"), (Way::Tls13, "TLSv1.3")] {
        let file = world.path(version).display().to_string();
        let first = talk(way, &["-sess_out", &file]);
        assert!(first.contains(&format!("New, {version}, ")), "{first}");
        let again = talk(way, &["-sess_in", &file]);
        assert!(again.contains(&format!("Reused, {version}, ")), "{again}");
        if way == Way::Tls13 {
            std::fs::write(world.path("early"), &question).unwrap();
            let early = world.path("early").display().to_string();
            let told = talk(way, &["-sess_in", &file, "-early_data", &early]);
            assert!(told.contains("Early data was not sent"), "{told}");
        }
    }
}

/// `openssl s_server` with this text for a name; answers each request of SNMPv2c.
struct SServer {
    child: Child,
    address: SocketAddr,
}

impl SServer {
    fn start(world: &World, way: Way, name: &'static str) -> SServer {
        let own = world.pki.agent_files();
        let mut command = Command::new("openssl");
        command.arg("s_server").args(way.flags()).args(["-Verify", "1", "-verify_return_error"]);
        command.arg("-CAfile").arg(world.pki.authority_certificate());
        command.arg("-cert").arg(own.certificate).arg("-key").arg(own.key).args(["-accept", "127.0.0.1:0"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("openssl");
        let mut from = BufReader::new(child.stdout.take().unwrap());
        let mut to = child.stdin.take().unwrap();
        let address =
            until(&mut from, b"ACCEPT ").and_then(|_| until(&mut from, b"\n")).expect("where it listens");
        std::thread::spawn(move || {
            // It reports on the session in the same stream: a message starts before its expected contents.
            while let Some(request) = next_request(&mut from) {
                to.write_all(&answer(request, name).encode()).and_then(|()| to.flush()).unwrap();
            }
        });
        SServer { child, address: String::from_utf8(address).unwrap().trim().parse().unwrap() }
    }
}

impl Drop for SServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The next short message of SNMPv2c: SEQUENCE, one octet of length, version.
fn next_request(from: &mut impl Read) -> Option<Message> {
    let mut head = [0; 5];
    loop {
        head.rotate_left(1);
        from.read_exact(&mut head[4..]).ok()?;
        if head[0] == 0x30 && head[1] < 0x80 && head[2..] == [2, 1, 1] {
            return read_message(&mut (&head[..]).chain(from));
        }
    }
}

fn answer(mut request: Message, name: &str) -> Message {
    request.pdu.kind = PduKind::Response;
    request.pdu.bindings.iter_mut().for_each(|binding| binding.value = Bound::Value(Value::text(name)));
    request
}

#[test]
fn our_manager_queries_s_server() {
    if !has("openssl", "openssl") {
        return;
    }
    for key in KEYS {
        let world = World::new(key);
        for way in [Way::Tls12, Way::Tls13, Way::Integrity, Way::Dtls] {
            let server = SServer::start(&world, way, "a server of OpenSSL");
            let manager = Manager::new(&world, &world.manager("joe")).by(way);
            let transport = way.transport();
            let community = Credentials::community(Version::V2c, b"public");
            let target = target(transport, server.address.port(), community, manager.secure());
            let answer = ask(&target, NAME).unwrap_or_else(|error| panic!("{way:?} {key:?}: {error}"));
            let expected = Bound::Value(Value::text("a server of OpenSSL"));
            assert_eq!(answer.bindings[0].value, expected, "{way:?} {key:?}");
        }
    }
}
