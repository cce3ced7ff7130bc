//! The agent opens sessions for notifications: with its identity, and only to the right receiver.

use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::{Duration, Instant};

use trunkline_client::{ListenOptions, ListenSecure, ListenUrl, Listener, Received, Transport};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{EngineBoots, EngineClock, EngineId};
use trunkline_snmp::wire::PduKind;
use trunkline_transport::ssh::{HostKeys, SshServer, SshServerOptions, SshUser};
use trunkline_transport::tls::{Identity, TlsServerConfig, Trust};

use super::support::Agent;
use super::world::World;

/// coldStart.
const COLD_START: [u32; 10] = [1, 3, 6, 1, 6, 3, 1, 1, 5, 1];
/// snmpTlstmServerInvalidCertificate.
const INVALID_CERTIFICATE: [u32; 9] = [1, 3, 6, 1, 2, 1, 198, 0, 2];

/// A receiver over TLS, DTLS and SSH, that knows the agent by its certificate and by its key.
fn receiver(world: &World, agents_key: &Path) -> Listener {
    let pki = world.pki.path();
    let identity = Identity::from_files(&pki.join("agent.pem"), &pki.join("agent.key")).unwrap();
    let trust = Trust::builder().authorities_file(&pki.join("ca.pem")).unwrap().build();
    let names = ListenSecure::usual_names(&trust);
    let user = SshUser { name: "agent".into(), authorized_keys: Some(agents_key.into()), password: None };
    let keys = HostKeys::in_memory().unwrap();
    let ssh = SshServer::new(keys, [user].into_iter().collect(), SshServerOptions::default());
    let secure = ListenSecure::default()
        .with_tls(Arc::new(TlsServerConfig::new(Arc::new(identity), Arc::new(trust))))
        .with_names(names)
        .with_ssh(Arc::new(ssh));
    let engine = Engine::new(EngineOptions {
        id: EngineId::generate(8072, [7; 12]),
        clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 4,
        entropy: 1,
    });
    let places: Vec<ListenUrl> =
        ["tls", "dtls", "ssh"].map(|scheme| format!("{scheme}://127.0.0.1:0").parse().unwrap()).into();
    let options = ListenOptions::default().with_secure(secure).with_least(SecurityLevel::AuthPriv);
    Listener::bind(&places, Arc::new(engine), options).unwrap()
}

fn port(listener: &Listener, transport: Transport) -> u16 {
    listener.places().find(|place| place.transport == transport).unwrap().port
}

async fn next(listener: &mut Listener) -> Received {
    tokio::time::timeout(Duration::from_secs(60), listener.next()).await.expect("nothing came").unwrap()
}

/// A key as `ssh-keygen` makes it, which the agent finds in its state directory.
fn key(folder: &Path) {
    let made = Command::new("ssh-keygen")
        .args(["-q", "-t", "ed25519", "-N", "", "-f"])
        .arg(folder.join("ssh_host_key"))
        .status()
        .unwrap();
    assert!(made.success());
}

#[test]
fn the_agent_notifies_as_itself_over_each_transport_and_only_the_right_receiver() {
    let world = World::usual();
    let keys = world.path("keys");
    std::fs::create_dir(&keys).unwrap();
    key(&keys);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    let mut listener = receiver(&world, &keys.join("ssh_host_key.pub"));
    let ports = [Transport::Tls, Transport::Dtls, Transport::Ssh].map(|transport| port(&listener, transport));
    let [tls, dtls, ssh] = ports;
    let targets = format!(
        "[snmp.ssh]\nhost-keys = [{:?}]\naccept-new-hosts = true\n\
         [[snmp.target]]\nname = \"tls\"\naddress = \"tls://localhost:{tls}\"\n\
         [[snmp.target]]\nname = \"dtls\"\naddress = \"dtls://localhost:{dtls}\"\nkind = \"inform\"\n\
         [[snmp.target]]\nname = \"ssh\"\naddress = \"ssh://agent@localhost:{ssh}\"\nkind = \"inform\"\n\
         [[snmp.target]]\nname = \"other\"\naddress = \"tls://localhost:{tls}\"\nserver-name = \"other.example\"\n",
        keys.join("ssh_host_key").display().to_string()
    );
    let agent = Agent::start(&world.config("", &targets));
    // Each of the three receives the start, and the notification about the fourth, whose certificate is
    // another's.
    let mut came = Vec::new();
    while came.len() < 6 {
        came.push(runtime.block_on(next(&mut listener)));
    }
    for (transport, kind, user) in [
        (Transport::Tls, PduKind::TrapV2, "localhost"),
        (Transport::Dtls, PduKind::Inform, "localhost"),
        (Transport::Ssh, PduKind::Inform, "agent"),
    ] {
        let of: Vec<&Received> = came.iter().filter(|received| received.transport == transport).collect();
        let told = |oid: &[u32]| of.iter().any(|received| *received.notification.trap_oid == *oid);
        assert!(told(&COLD_START) && told(&INVALID_CERTIFICATE), "{transport:?}: {of:?}");
        for received in of {
            assert_eq!((received.kind, received.level), (kind, SecurityLevel::AuthPriv), "{transport:?}");
            assert_eq!(received.user.as_deref(), Some(user.as_bytes()), "{transport:?}");
            assert!(received.is_authenticated());
        }
    }
    agent.wait_for("it is not for `other.example`");
}

#[test]
fn a_receiver_that_starts_late_over_streams_gets_traps_and_informs() {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let _inside = runtime.enter();
    for (scheme, place) in [("tcp", "tcp"), ("snmp+http", "http")] {
        // A port that was free a moment ago.
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let target = |name: &str, kind: &str| {
            format!(
                "[[snmp.target]]\nname = \"{name}\"\naddress = \"{scheme}://127.0.0.1:{port}\"\ncommunity = \"traps\"\n\
                 kind = \"{kind}\"\ntimeout = \"200ms\"\nretries = 255\n"
            )
        };
        let open = "[snmp]\nlisten = [\"udp://127.0.0.1:0\"]\n";
        let agent = Agent::start(&format!("{open}{}{}", target("once", "trap"), target("sure", "inform")));
        let failed = [0, 1].map(|_| agent.wait_for("an attempt to reach a target failed"));
        assert!(
            ["once", "sure"].iter().all(|name| failed.iter().any(|line| line.contains(name))),
            "{failed:?}"
        );
        let engine = Engine::new(EngineOptions {
            id: EngineId::generate(8072, [7; 12]),
            clock: EngineClock::new(EngineBoots::default().next(), Instant::now()),
            max_size: 65_507,
            handlers: Handlers::RECEIVER,
            remote_engines: 4,
            entropy: 1,
        });
        let places: ListenUrl = format!("{place}://127.0.0.1:{port}").parse().unwrap();
        let mut listener = Listener::bind(&[places], Arc::new(engine), ListenOptions::default()).unwrap();
        let came = [0, 1].map(|_| runtime.block_on(next(&mut listener)));
        assert!(came.iter().all(|received| *received.notification.trap_oid == COLD_START), "{came:?}");
        for kind in [PduKind::TrapV2, PduKind::Inform] {
            assert!(came.iter().any(|received| received.kind == kind), "{scheme}: {came:?}");
        }
    }
}
