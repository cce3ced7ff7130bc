//! Peers that are refused, servers that our manager does not trust, and the messages at both ends.

use trunkline_pki::{Files, Role};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, Message, Version};
use trunkline_testkit::has;
use trunkline_transport::tls::ServerIdentity;

use super::manager::{Manager, get as ask, proved};
use super::s_client::{SClient, Way};
use super::support::raw::element;
use super::support::{Agent, exchange, get, message};
use super::world::{COMMUNITIES, MANAGER, World};

const NAME: &str = "1.3.6.1.2.1.1.5.0";

/// Another authority's world, whose name is the same.
fn elsewhere() -> World {
    World::usual()
}

fn question() -> Message {
    message(Version::V2c, "public", get(&[NAME]))
}

/// The manager's options, in one way.
fn refusal(world: &World, own: &Files, way: Way, agent: &Agent) -> String {
    let secure = Manager::new(world, own).by(way).secure();
    let target = proved(way.transport(), agent.address(way.scheme()).port(), secure);
    match ask(&target, NAME) {
        Ok(answer) => panic!("{way:?}: {answer:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn an_untrusted_manager_learns_why_and_so_does_the_log() {
    let world = World::usual();
    let others = elsewhere();
    let revoked = world.manager("bob");
    world.pki.revoke("managers/bob").unwrap();
    let agent = world.start();
    let cases = [
        ("expired", world.expired(Role::Manager, "ann"), "it expired at 20", "our certificate has expired"),
        ("revoked", revoked, "it is revoked", "our certificate is revoked"),
        (
            "of others",
            others.manager("eve"),
            "no authority that is trusted here has issued it",
            "does not trust",
        ),
    ];
    for (case, own, log, told) in cases {
        for way in Way::ENCRYPTED {
            let words = refusal(&world, &own, way, &agent);
            assert!(words.contains(told), "{case} {way:?}: {words}");
            let line = agent.wait_for("a handshake failed");
            assert!(line.contains(log), "{case} {way:?}: {line}");
        }
    }
    // Nobody else has been kept out by that.
    let own = world.manager(MANAGER);
    for way in Way::ENCRYPTED {
        let secure = Manager::new(&world, &own).by(way).secure();
        ask(&proved(way.transport(), agent.address(way.scheme()).port(), secure), NAME).unwrap();
    }
}

#[test]
fn an_untrusted_agent_learns_why_and_so_does_our_manager() {
    let wrong = |world: &World, own: &str| Manager::new(world, &world.manager(own));
    for way in Way::ENCRYPTED {
        for case in ["expired", "revoked", "of others", "of another name"] {
            let (world, others) = (World::usual(), elsewhere());
            if case == "expired" {
                world.expired(Role::Agent, "localhost");
            }
            let agent = world.start();
            if case == "revoked" {
                world.pki.revoke("agents/localhost").unwrap();
            }
            let mut manager = wrong(if case == "of others" { &others } else { &world }, MANAGER).by(way);
            if case == "of another name" {
                manager.server = Some(ServerIdentity::Name("router.example.net".into()));
            }
            let target = proved(way.transport(), agent.address(way.scheme()).port(), manager.secure());
            let words = ask(&target, NAME).unwrap_err().to_string();
            let (here, log) = match case {
                "expired" => ("it expired at 20", "our certificate has expired"),
                "revoked" => ("it is revoked", "our certificate is revoked"),
                "of others" => {
                    ("no authority that is trusted here has issued it", "does not trust the authority")
                }
                _ => ("it is not for `router.example.net` but for localhost", "our certificate is"),
            };
            assert!(words.contains(here), "{case} {way:?}: {words}");
            let line = agent.wait_for("a handshake failed");
            assert!(line.contains(log), "{case} {way:?}: {line}");
        }
    }
}

#[test]
fn a_peer_without_a_certificate_gets_nothing_but_the_handshake() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let others = elsewhere();
    let agent = world.start();
    let stranger = others.manager("eve");
    for way in Way::ENCRYPTED {
        for (own, reason) in [
            (None, "the peer shows no certificate, and one is needed"),
            (Some(&stranger), "no authority that is trusted here has issued it"),
        ] {
            let mut session = SClient::open(&world, own, way, agent.address(way.scheme()));
            assert_eq!(session.ask(&question()), None, "{way:?}");
            let line = agent.wait_for("a handshake failed");
            assert!(line.contains(reason), "{way:?}: {line}");
        }
    }
    let counted = agent.counted("tls");
    assert_eq!((counted["received"], counted["sent"]), (0, 0), "{counted:?}");
}

#[test]
fn a_certificate_without_a_name_gets_no_session() {
    let world = World::usual();
    let authority = world.fingerprint(&world.pki.authority_certificate());
    // No row says who has a certificate without an e-mail address.
    let rows = format!("[[snmp.tls.name]]\nfingerprint = {authority:?}\nmap = \"san-rfc822-name\"\n");
    let agent = Agent::start(&world.config(COMMUNITIES, &rows));
    for way in Way::ENCRYPTED {
        let words = refusal(&world, &world.manager("ann"), way, &agent);
        let line = agent.wait_for("session refused: no principal for this certificate");
        assert!(!words.is_empty() && line.contains("error="), "{way:?}: {words}: {line}");
    }
}

#[test]
fn versions_that_are_not_allowed_are_refused() {
    let world = World::usual();
    let agent = Agent::start(&world.config("", "least-version = \"1.3\""));
    let own = world.manager(MANAGER);
    let words = refusal(&world, &own, Way::Tls12, &agent);
    assert!(words.contains("no version of TLS"), "{words}");
    let line = agent.wait_for("a handshake failed");
    assert!(line.contains("no version of TLS that is allowed here"), "{line}");
    // With integrity only, what an ordinary agent does not offer.
    let words = refusal(&world, &own, Way::Integrity, &agent);
    assert!(!words.is_empty(), "{words}");
}

#[test]
fn security_model_4_without_a_session_authenticates_nobody() {
    let world = World::usual();
    let agent = Agent::start(&world.config("", ""));
    // The PDU of a message of SNMPv2c, in one of SNMPv3 that only a session could give a name to.
    let pdu = &question().encode()[13..];
    for flags in [4, 7] {
        let integer = |value: &[u8]| element(2, value);
        let header = [integer(&[77]), integer(&[0x20, 0]), element(4, &[flags]), integer(&[4])].concat();
        let scoped = [element(4, b""), element(4, b""), pdu.to_vec()].concat();
        let whole = [integer(&[3]), element(0x30, &header), element(4, b""), element(0x30, &scoped)].concat();
        let invalid = || agent.get("1.3.6.1.2.1.190.1.1.1.0");
        let Bound::Value(Value::Counter32(before)) = invalid() else { panic!("a counter") };
        assert_eq!(exchange(agent.udp(), &element(0x30, &whole)), None, "{flags}");
        assert_eq!(invalid(), Bound::Value(Value::Counter32(before + 1)), "{flags}");
    }
}

/// RFC 6353: sessions in which an SNMP message has arrived, and certificates that were presented and are not good.
#[test]
fn sessions_and_certificates_are_counted_as_the_mib_says() {
    if !has("openssl", "openssl") {
        return;
    }
    let (world, others) = (World::usual(), elsewhere());
    let more = "[http]\nlisten = [\"https://127.0.0.1:0\"]\n";
    let agent = Agent::start(&world.config(COMMUNITIES, more));
    let counted = || {
        let count = |at: u8| match agent.get(&format!("1.3.6.1.2.1.198.2.1.{at}.0")) {
            Bound::Value(Value::Counter32(count)) => count,
            other => panic!("{other:?}"),
        };
        // snmpTlstmSessionAccepts and snmpTlstmSessionInvalidClientCertificates
        (count(4), count(7))
    };
    let (own, stranger) = (world.manager(MANAGER), others.manager("eve"));
    // Without a certificate, and with a bad one for HTTPS: neither is counted.
    let mut none = SClient::open(&world, None, Way::Tls12, agent.address("tls"));
    assert_eq!(none.ask(&question()), None);
    agent.wait_for("a handshake failed");
    let mut https = SClient::open(&world, Some(&stranger), Way::Tls12, agent.address("https"));
    assert_eq!(https.ask(&question()), None);
    agent.wait_for("a handshake failed");
    assert_eq!(counted(), (0, 0));
    let mut bad = SClient::open(&world, Some(&stranger), Way::Tls12, agent.address("tls"));
    assert_eq!(bad.ask(&question()), None);
    agent.wait_for("a handshake failed");
    assert_eq!(counted(), (0, 1));
    let mut session = SClient::open(&world, Some(&own), Way::Tls12, agent.address("tls"));
    for _ in 0..2 {
        assert!(session.ask(&question()).is_some());
        assert_eq!(counted(), (1, 1));
    }
}
