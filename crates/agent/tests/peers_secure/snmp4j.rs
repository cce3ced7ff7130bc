//! SNMP4J over TLS 1.2 and DTLS with the Transport Security Model: it queries our agent and receives its
//! notifications, and answers our manager.

use std::time::Duration;

use trunkline_client::{SnmpSession, WalkOptions, walk};
use trunkline_pki::{Files, KeyKind};
use trunkline_smi::Value;
use trunkline_snmp::wire::{Bound, VarBind};
use trunkline_testkit::peer::{Kind, Peer};

use super::manager::{Manager, options, proved, run};
use super::s_client::Way;
use super::support::{Agent, oid};
use super::world::World;

const SYSTEM: &str = "1.3.6.1.2.1.1";
const CONTACT: &str = "1.3.6.1.2.1.1.4.0";
const NAME: &str = "1.3.6.1.2.1.1.5.0";

/// Its transports, and keys. It does not support TLS 1.3.
const WAYS: [(Way, KeyKind); 4] = [
    (Way::Tls12, KeyKind::EcdsaP256),
    (Way::Tls12, KeyKind::Rsa2048),
    (Way::Dtls, KeyKind::EcdsaP256),
    (Way::Dtls, KeyKind::Rsa2048),
];

/// Gives the peer a certificate; the port where it listens by this way.
fn session(peer: &mut Peer, world: &World, own: &Files, way: Way) -> u16 {
    let version = if way == Way::Dtls { "DTLSv1.2" } else { "TLSv1.2" };
    let authority = world.pki.authority_certificate();
    let (certificate, key) = (own.certificate.display(), own.key.display());
    let answer =
        peer.ask(&format!("session {} {version} {certificate} {key} {}", way.scheme(), authority.display()));
    answer.parse().unwrap()
}

#[test]
fn it_queries_our_agent() {
    for (way, key) in WAYS {
        let Some(mut peer) = Peer::start(Kind::Snmp4j) else { return };
        let world = World::new(key);
        // Its name is in the certificate at the place that a row of the configuration selects.
        let own = world.manager("joe@example.net");
        let authority = world.fingerprint(&world.pki.authority_certificate());
        let more = format!(
            "[[snmp.tls.name]]\nfingerprint = {authority:?}\nmap = \"san-rfc822-name\"\n\
             [[snmp.principal]]\nname = \"joe@example.net\"\nrole = \"operator\"\n\
             [[role]]\nname = \"operator\"\nread = [\"1\"]\nwrite = [{SYSTEM:?}]\n"
        );
        let agent = Agent::start(&world.config("", &more));
        session(&mut peer, &world, &own, way);
        let address = format!("{}:127.0.0.1/{}", way.scheme(), agent.address(way.scheme()).port());
        // The name is local to it and not sent; over DTLS it requires that of the server's certificate.
        let who = if way == Way::Dtls { "tsm:localhost" } else { "tsm:joe@example.net" };
        let set = peer.ask(&format!("set {address} {who} {CONTACT} s by-certificate"));
        assert_eq!(set, format!("{CONTACT}=by-certificate"), "{way:?} {key}");
        assert_eq!(peer.ask(&format!("get {address} {who} {CONTACT}")), set, "{way:?} {key}");
        let many = peer.ask(&format!("bulk {address} {who} {SYSTEM}"));
        assert!(many.contains(&set) && many.split(" | ").count() == 10, "{way:?} {key}: {many}");
        assert!(peer.ask(&format!("walk {address} {who} {SYSTEM}")).parse::<u32>().unwrap() > 8);
        let refused = peer.tell(&format!("set {address} {who} 1.3.6.1.2.1.11.30.0 i 1"));
        assert!(refused.is_err(), "{way:?} {key}: {refused:?}");
    }
}

#[test]
fn it_answers_our_manager() {
    for (way, key) in WAYS {
        let Some(mut peer) = Peer::start(Kind::Snmp4j) else { return };
        let world = World::new(key);
        let port = session(&mut peer, &world, &world.agent("localhost"), way);
        let secure = Manager::new(&world, &world.manager("joe")).by(way).secure();
        run(async {
            let target = proved(way.transport(), port, secure);
            // It loses what comes before it has ended its handshake.
            let options = options().with_timeout(Duration::from_secs(2)).with_retries(20);
            let session =
                SnmpSession::open(&target, options).await.unwrap_or_else(|e| panic!("{way:?} {key}: {e}"));
            let name = VarBind::new(oid(NAME), Value::text("a peer"));
            session.set(std::slice::from_ref(&name)).await.unwrap_or_else(|e| panic!("{way:?} {key}: {e}"));
            let answer = session.get(&[oid(NAME)]).await.unwrap();
            assert_eq!(answer.bindings[0].value, Bound::Value(Value::text("a peer")), "{way:?} {key}");
            let found = walk(&session, oid(SYSTEM), WalkOptions::default()).collect().await.unwrap();
            assert_eq!(found.len(), 4, "{found:?}");
            assert_eq!(session.counts().connections, 1);
        });
    }
}

#[test]
fn it_receives_our_agents_notifications() {
    for (way, key) in WAYS {
        let Some(mut peer) = Peer::start(Kind::Snmp4j) else { return };
        let world = World::new(key);
        peer.listen();
        let port = session(&mut peer, &world, &world.agent("localhost"), way);
        for (kind, told) in [("trap", "TRAP"), ("inform", "INFORM")] {
            // Over DTLS it loses what comes before it has ended its handshake: a trap is not sent again.
            if way == Way::Dtls && kind == "trap" {
                continue;
            }
            let address = format!("{}://127.0.0.1:{port}", way.scheme());
            let target = format!(
                "[[snmp.target]]\nname = \"nms\"\naddress = {address:?}\nkind = {kind:?}\ntimeout = \"2s\"\nretries = 20\n"
            );
            let agent = Agent::start(&world.config("", &target));
            let line = peer.notification();
            assert!(line.starts_with(&format!("{told} 3 3:localhost ")), "{way:?} {key}: {line}");
            assert!(line.contains("1.3.6.1.6.3.1.1.4.1.0=1.3.6.1.6.3.1.1.5.1"), "{way:?} {key}: {line}");
            let line = agent.wait_for("target=\"nms\"");
            assert!(line.contains(" sent ") && !line.contains("not sent"), "{way:?} {key}: {line}");
        }
    }
}
