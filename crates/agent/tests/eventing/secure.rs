//! Subscribers over HTTPS: only those whose certificate the agent trusts receive notifications.

use std::sync::Arc;

use trunkline_client::eventing::{Ended, Endpoint};
use trunkline_pki::{AuthorityOptions, Directory, LeafOptions, Name, Role, Storing};
use trunkline_smi::module::net_snmp_mib::NS_NOTIFY_SHUTDOWN;
use trunkline_transport::http::PROTOCOLS;
use trunkline_transport::tls::{ClientCertificates, Identity, TlsServer, TlsServerConfig, Trust};

use super::OPEN;
use super::sink::Sink;
use super::support::Agent;
use super::talk::{everything, source};

/// An authority with a certificate.
struct World(tempfile::TempDir);

impl World {
    /// For `localhost`.
    fn new() -> World {
        World::of("localhost")
    }

    fn of(host: &str) -> World {
        let world = World(tempfile::tempdir().unwrap());
        let (pki, name) = (Directory::at(world.0.path()), |text: &str| Name::new(text).unwrap());
        pki.init(&AuthorityOptions::named(name("Test CA")), false).unwrap();
        let storing = Storing { force: true, default: true, self_signed: false };
        pki.issue(Role::Agent, &name(host), &LeafOptions::default(), storing).unwrap();
        world
    }

    /// `section` is `snmp.tls` or `http.tls`.
    fn config(&self, section: &str) -> String {
        format!("{OPEN}[{section}]\ndirectory = {:?}\n", self.0.path().display().to_string())
    }

    /// A subscriber with that certificate. Clients must have one of the same authority.
    fn sink(&self) -> Sink {
        let file = |name: &str| self.0.path().join(name);
        let identity = Identity::from_files(&file("agent.pem"), &file("agent.key")).unwrap();
        let trust = Trust::builder().authorities_file(&file("ca.pem")).unwrap().build();
        let config = TlsServerConfig::new(Arc::new(identity), Arc::new(trust));
        let config =
            TlsServerConfig { clients: ClientCertificates::Required, protocols: PROTOCOLS, ..config };
        Sink::start_with(Some(Arc::new(TlsServer::new(&config).unwrap())))
    }
}

#[tokio::test]
async fn a_trusted_subscriber_gets_events() {
    let world = World::new();
    for section in ["snmp.tls", "http.tls"] {
        let (agent, mut sink) = (Agent::start(&world.config(section)), world.sink());
        let source = source(&agent, "public");
        let granted = source.subscribe(everything(&sink, "/")).await.unwrap();
        for _ in 0..2 {
            agent.signal("HUP");
            sink.notification().await;
        }
        assert!(source.status(&granted.identifier).await.is_ok());
        agent.signal("TERM");
        assert_eq!(sink.notification().await.oid[..], *NS_NOTIFY_SHUTDOWN.oid);
        assert_eq!(sink.end().await, Ended::SourceShuttingDown);
    }
}

#[tokio::test]
async fn an_untrusted_subscriber_gets_no_events_and_the_log_says_why() {
    let (own, other, elsewhere) = (World::new(), World::new(), World::of("elsewhere.example"));
    // Of another authority, and of the right one but for another host.
    for (world, subscriber) in [(&own, &other), (&elsewhere, &elsewhere)] {
        let agent = Agent::start(&world.config("snmp.tls"));
        let (mut stranger, mut ends) = (subscriber.sink(), Sink::start());
        let mut subscribe = everything(&stranger, "/a-secret-path");
        subscribe.end_to = Some(Endpoint { address: ends.url("/end"), parameters: Vec::new() });
        source(&agent, "public").subscribe(subscribe).await.unwrap();
        agent.signal("HUP");
        let posted = ends.next().await;
        let body = &posted.body;
        assert!(body.contains("DeliveryFailure") && !body.contains("certificate"), "{body}");
        let line = agent.wait_for("a subscriber cannot be reached, its subscription ends");
        assert!(line.contains("certificate") && line.contains("to=https://localhost:"), "{line}");
        assert!(!line.contains("a-secret-path"), "{line}");
        agent.terminate();
        assert!(stranger.rest().is_empty());
    }
}

/// A reload that trusts others closes what was kept.
#[tokio::test]
async fn a_subscriber_that_loses_trust_gets_no_more_events() {
    let (world, other) = (World::new(), World::new());
    let agent = Agent::start(&world.config("snmp.tls"));
    let (mut sink, mut ends) = (world.sink(), Sink::start());
    let mut subscribe = everything(&sink, "/");
    subscribe.end_to = Some(Endpoint { address: ends.url("/end"), parameters: Vec::new() });
    source(&agent, "public").subscribe(subscribe).await.unwrap();
    agent.signal("HUP");
    sink.notification().await;
    agent.rewrite(&other.config("snmp.tls"));
    agent.signal("HUP");
    assert_eq!(ends.end().await, Ended::DeliveryFailure);
    agent.terminate();
    assert!(sink.rest().is_empty());
}
