//! The effect of a reload on sessions: revoked peers are refused and their sessions end, and new sessions get the new certificate, while
//! open ones of others stay.

use trunkline_client::SnmpSession;
use trunkline_pki::Files;
use trunkline_snmp::wire::Version;
use trunkline_testkit::has;
use trunkline_transport::tls::{Fingerprint, ServerIdentity};

use super::manager::{Manager, get as ask, options, proved, run};
use super::s_client::{SClient, Way};
use super::support::{Agent, get, message, oid};
use super::world::{MANAGER, World};

const NAME: &str = "1.3.6.1.2.1.1.5.0";

fn reload(agent: &Agent) {
    agent.signal("HUP");
    agent.wait_for("configuration reloaded");
}

/// A manager that connects in this way.
fn manager(world: &World, own: &Files, way: Way) -> Manager {
    Manager::new(world, own).by(way)
}

#[test]
fn a_revoked_certificate_is_refused_after_a_reload() {
    for way in Way::ENCRYPTED {
        let world = World::usual();
        let (ann, bob) = (world.manager("ann"), world.manager("bob"));
        let agent = world.start();
        let port = agent.address(way.scheme()).port();
        let comes =
            |own: &Files| ask(&proved(way.transport(), port, manager(&world, own, way).secure()), NAME);
        comes(&ann).unwrap();
        // The same client comes again with what it has of the session before.
        let ann_again = manager(&world, &ann, way).secure();
        let target = proved(way.transport(), port, ann_again);
        ask(&target, NAME).unwrap();
        // What she has open needs a runtime that stays.
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let open = runtime.block_on(SnmpSession::open(&target, options())).unwrap();
        runtime.block_on(open.get(&[oid(NAME)])).unwrap();
        world.pki.revoke("managers/ann").unwrap();
        comes(&ann).unwrap();
        reload(&agent);
        assert!(runtime.block_on(open.get(&[oid(NAME)])).is_err(), "{way:?}: a session that was open");
        let refused = comes(&ann).unwrap_err().to_string();
        assert!(refused.contains("our certificate is revoked"), "{way:?}: {refused}");
        let line = agent.wait_for("a handshake failed");
        assert!(line.contains("it is revoked"), "{way:?}: {line}");
        assert!(ask(&target, NAME).is_err(), "{way:?}: a session that was resumed");
        comes(&bob).unwrap();
        // Without the list she would be accepted again: it stays in force. The managers need theirs.
        let (list, aside) = (world.pki.path().join("crl.pem"), world.pki.path().join("aside.pem"));
        std::fs::rename(&list, &aside).unwrap();
        agent.signal("HUP");
        let line = agent.wait_for("crl.pem is gone");
        assert!(line.contains("put it back") && line.contains("revocation-lists = []"), "{line}");
        std::fs::rename(&aside, &list).unwrap();
        assert!(comes(&ann).is_err(), "{way:?}");
        comes(&bob).unwrap();
    }
}

#[test]
fn a_new_certificate_is_used_in_new_sessions_and_old_ones_continue() {
    for way in Way::ENCRYPTED {
        let world = World::usual();
        let own = world.manager(MANAGER);
        let agent = world.start();
        let port = agent.address(way.scheme()).port();
        let towards = |fingerprint: &str| {
            let server = fingerprint.parse::<Fingerprint>().unwrap();
            let manager =
                Manager { server: Some(ServerIdentity::Fingerprint(server)), ..manager(&world, &own, way) };
            proved(way.transport(), port, manager.secure())
        };
        let before = towards(&world.fingerprint(&world.pki.agent_files().certificate));
        run(async {
            let old = SnmpSession::open(&before, options()).await.unwrap();
            old.get(&[oid(NAME)]).await.unwrap();
            world.agent("localhost");
            reload(&agent);
            let after = towards(&world.fingerprint(&world.pki.agent_files().certificate));
            SnmpSession::open(&after, options()).await.unwrap().get(&[oid(NAME)]).await.unwrap();
            let wrong = match SnmpSession::open(&before, options()).await {
                Err(error) => error,
                Ok(session) => session.get(&[oid(NAME)]).await.unwrap_err(),
            };
            assert!(wrong.to_string().contains("fingerprint"), "{way:?}: {wrong}");
            old.get(&[oid(NAME)]).await.unwrap();
            assert_eq!(old.counts().connections, 1, "{way:?}");
        });
    }
}

#[test]
fn other_open_sessions_are_answered_during_a_reload() {
    if !has("openssl", "openssl") {
        return;
    }
    let world = World::usual();
    let agent = world.start();
    let own = world.manager(MANAGER);
    let question = message(Version::V2c, "public", get(&[NAME]));
    for way in Way::ENCRYPTED {
        let mut session = SClient::open(&world, Some(&own), way, agent.address(way.scheme()));
        assert!(session.ask(&question).is_some(), "{way:?}");
        reload(&agent);
        assert!(session.ask(&question).is_some(), "{way:?}");
    }
}
