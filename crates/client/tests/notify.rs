//! Traps and informs to Debian's `snmptrapd`, in every version and over UDP and TCP.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::agents;

use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agents::{Snmptrapd, free_port};
use trunkline_client::{
    Credentials, Defaults, Error, Notifier, Secret, SessionOptions, Target, UsmCredentials,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::role::originator::{Notification, TranslationError};
use trunkline_snmp::usm::{AuthProtocol, EngineBoots, EngineClock, EngineId, PrivProtocol, UserTable};
use trunkline_snmp::wire::{VarBind, Version};

/// The engine ID of the traps' sender, which snmptrapd must know.
const ENGINE: &str = "80001f8804746573742d6d6772";

const CONFIGURATION: &str = "
authCommunity log public
createUser -e 0x80001f8804746573742d6d6772 ann SHA-256 \"maplesyrup\" AES \"maplesyrup\"
createUser bob SHA-512 \"maplesyrup\" AES-256 \"maplesyrup\"
authUser log ann priv
authUser log bob priv
";

fn link_down() -> Notification {
    let name = Oid::from([1, 3, 6, 1, 2, 1, 2, 2, 1, 2, 2]);
    Notification {
        uptime: 99,
        trap_oid: Oid::from([1, 3, 6, 1, 6, 3, 1, 1, 5, 3]),
        bindings: vec![VarBind::new(name, Value::text("eth0"))],
    }
}

const LINK_DOWN: &str = ".1.3.6.1.2.1.1.3.0 = Timeticks: (99) 0:00:00.99\t\
    .1.3.6.1.6.3.1.1.4.1.0 = OID: .1.3.6.1.6.3.1.1.5.3\t.1.3.6.1.2.1.2.2.1.2.2 = STRING: \"eth0\"";

fn user(name: &str, auth: AuthProtocol, privacy: PrivProtocol) -> UsmCredentials {
    let user = UsmCredentials::new(name.as_bytes()).unwrap();
    let user = user.with_auth(auth, Secret::password(b"maplesyrup")).unwrap();
    user.with_privacy(privacy, Secret::password(b"maplesyrup")).unwrap()
}

fn engine() -> Arc<Engine> {
    let id = EngineId::from_hex(ENGINE).unwrap();
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(EngineBoots::new(3).unwrap(), Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 1,
        entropy: 7,
    });
    let mut users = UserTable::new();
    users.insert(user("ann", AuthProtocol::Sha256, PrivProtocol::Aes128).user_at(&id).unwrap());
    engine.set_users(users);
    Arc::new(engine)
}

async fn notifier(port: u16, transport: &str, credentials: impl Into<Credentials>) -> Notifier {
    let text = format!("{transport}:127.0.0.1:{port}");
    let target = Target::parse(&text, &Defaults::default()).unwrap().with_credentials(credentials.into());
    let options = SessionOptions::default().with_timeout(Duration::from_millis(500)).with_retries(2);
    Notifier::open(&target, Some(engine()), options).await.unwrap()
}

fn community(version: Version) -> Credentials {
    Credentials::community(version, b"public")
}

#[tokio::test]
async fn traps_of_every_version_arrive() {
    let Some(receiver) = Snmptrapd::start(CONFIGURATION) else { return };
    for transport in ["udp", "tcp"] {
        let v1 = notifier(receiver.port, transport, community(Version::V1)).await;
        v1.trap(&link_down()).await.unwrap();
        let enterprise = ".1.3.6.1.6.3.1.1.5|2|0|99";
        let binding = ".1.3.6.1.2.1.2.2.1.2.2 = STRING: \"eth0\"";
        assert_eq!(
            receiver.next(),
            format!("TRAP, SNMP v1, community public|{enterprise}|127.0.0.1|{binding}")
        );
        let v1 = v1.with_agent_addr(Ipv4Addr::new(192, 0, 2, 9));
        let specific =
            Notification { trap_oid: Oid::from([1, 3, 6, 1, 4, 1, 8072, 9999, 0, 7]), ..link_down() };
        v1.trap(&specific).await.unwrap();
        let enterprise = ".1.3.6.1.4.1.8072.9999|6|.7|99";
        assert_eq!(
            receiver.next(),
            format!("TRAP, SNMP v1, community public|{enterprise}|192.0.2.9|{binding}")
        );

        notifier(receiver.port, transport, community(Version::V2c)).await.trap(&link_down()).await.unwrap();
        let line = receiver.next();
        assert!(line.starts_with("TRAP2, SNMP v2c, community public|"), "{line}");
        assert!(line.ends_with(LINK_DOWN), "{line}");

        let ann = UsmCredentials::of_engine(b"ann", SecurityLevel::AuthPriv).unwrap();
        notifier(receiver.port, transport, ann).await.trap(&link_down()).await.unwrap();
        let line = receiver.next();
        assert!(line.starts_with("TRAP2, SNMP v3, user ann, context |"), "{line}");
        assert!(line.ends_with(LINK_DOWN), "{line}");
    }
}

#[tokio::test]
async fn informs_are_confirmed() {
    let Some(receiver) = Snmptrapd::start(CONFIGURATION) else { return };
    let bob = || user("bob", AuthProtocol::Sha512, PrivProtocol::Aes256);
    for transport in ["udp", "tcp"] {
        let v2c = notifier(receiver.port, transport, community(Version::V2c)).await;
        assert!(v2c.inform(&link_down()).await.unwrap().is_ok());
        let line = receiver.next();
        assert!(line.starts_with("INFORM, SNMP v2c, community public|"), "{line}");
        assert!(line.ends_with(LINK_DOWN), "{line}");
        let v3 = notifier(receiver.port, transport, bob()).await;
        assert!(v3.inform(&link_down()).await.unwrap().is_ok());
        let line = receiver.next();
        assert!(line.starts_with("INFORM, SNMP v3, user bob, context |"), "{line}");
        assert!(line.ends_with(LINK_DOWN), "{line}");
    }
    // Keys that were made before, as an agent has them.
    let made = trunkline_snmp::usm::Credentials::from_passwords(
        b"bob",
        Some((AuthProtocol::Sha512, b"maplesyrup")),
        Some((PrivProtocol::Aes256, b"maplesyrup")),
    );
    let made = UsmCredentials::from_made(&made.unwrap());
    assert_eq!(made.level(), SecurityLevel::AuthPriv);
    let v3 = notifier(receiver.port, "udp", made).await;
    assert!(v3.inform(&link_down()).await.unwrap().is_ok());
    assert!(receiver.next().starts_with("INFORM, SNMP v3, user bob"));
}

#[tokio::test]
async fn unsendable_notifications_are_reported() {
    let Some(receiver) = Snmptrapd::start(CONFIGURATION) else { return };
    let v1 = notifier(receiver.port, "udp", community(Version::V1)).await;
    assert!(matches!(v1.inform(&link_down()).await, Err(Error::NotInVersion { .. })));
    let name = Oid::from([1, 3, 6, 1, 9]);
    let big = Notification { bindings: vec![VarBind::new(name.clone(), Value::Counter64(1))], ..link_down() };
    assert!(
        matches!(v1.trap(&big).await, Err(Error::Translation(TranslationError::NotInVersion1 { name: n, .. })) if n == name)
    );
    let stranger = UsmCredentials::of_engine(b"eve", SecurityLevel::NoAuthNoPriv).unwrap();
    let v3 = notifier(receiver.port, "udp", stranger).await;
    assert!(matches!(v3.trap(&link_down()).await, Err(Error::NotificationSend(_))));
    let wrong = user("nobody", AuthProtocol::Sha512, PrivProtocol::Aes256);
    let v3 = notifier(receiver.port, "udp", wrong).await;
    let refused = v3.inform(&link_down()).await;
    assert!(matches!(refused, Err(Error::Report { report: ReportKind::UnknownUserNames })), "{refused:?}");
    let nobody = notifier(free_port(), "udp", community(Version::V2c)).await;
    assert!(nobody.trap(&link_down()).await.is_ok(), "nobody knows whether a trap arrives");
    assert!(nobody.inform(&link_down()).await.unwrap_err().is_silence());
}
