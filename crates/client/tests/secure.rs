//! Sessions over TLS, DTLS and SSH with servers on loopback: which peers are trusted, how refusals are reported,
//! and what happens to a session whose server is gone.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::common;
use crate::secure_agent;

use std::sync::Arc;
use std::time::Duration;

use common::{oid, table};
use secure_agent::{Agent, Keys, over};
use trunkline_client::{
    Credentials, Defaults, Error, ListenOptions, ListenSecure, Listener, Notifier, Pool, PoolOptions, Secret,
    Secure, SessionOptions, SnmpSession, Target, TransportError, TsmCredentials, UsmCredentials, WalkOptions,
    walk,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::role::originator::Notification;
use trunkline_snmp::usm::{AuthProtocol, EngineBoots, EngineClock, EngineId};
use trunkline_snmp::wire::{Bound, PduKind, VarBind, Version};
use trunkline_transport::Transport;
use trunkline_transport::ssh::{Identity as SshIdentity, SshFailure};
use trunkline_transport::tls::{
    Alert, CertificateFault, Fingerprint, HashAlgorithm, ServerIdentity, TlsFault,
};

const ALL: [Transport; 3] = [Transport::Tls, Transport::Dtls, Transport::Ssh];

fn name() -> Oid {
    oid("1.3.6.1.2.1.2.2.1.1.7")
}

fn options() -> SessionOptions {
    SessionOptions::default().with_timeout(Duration::from_secs(2)).with_retries(2)
}

fn target(agent: &Agent, secure: Secure) -> Target {
    let credentials = Credentials::from(TsmCredentials::default());
    Target::new(agent.transport, "127.0.0.1", agent.port, credentials).with_secure(Arc::new(secure))
}

async fn open(agent: &Agent, secure: Secure) -> Result<SnmpSession, Error> {
    SnmpSession::open(&target(agent, secure), options()).await
}

fn value(answer: &trunkline_client::Response) -> &Bound {
    &answer.bindings[0].value
}

#[tokio::test]
async fn a_principal_of_the_session_needs_no_keys() {
    let keys = Keys::new();
    for transport in ALL {
        let agent = Agent::start(transport, &keys, 0).await;
        let session = open(&agent, keys.manager()).await.unwrap();
        assert_eq!(value(&session.get(&[name()]).await.unwrap()), &Bound::Value(Value::Integer(7)));
        // The engine ID was discovered once, and each request has the principal.
        session.get(&[name()]).await.unwrap();
        let counts = session.counts();
        assert_eq!((counts.sent, counts.received, counts.connections), (3, 3, 1), "{transport:?}");
        assert_eq!(agent.asked_by(), [b"ann".to_vec(), b"ann".to_vec(), b"ann".to_vec()]);
        let found = walk(&session, oid("1.3.6.1.2.1.2.2"), WalkOptions::default()).collect().await.unwrap();
        assert_eq!(found.len(), table(3, 10).len());
    }
}

#[tokio::test]
async fn other_messages_are_carried_inside() {
    let keys = Keys::new();
    for transport in ALL {
        let agent = Agent::start(transport, &keys, 0).await;
        let community = Credentials::community(Version::V2c, b"whatever");
        let v2c = target(&agent, keys.manager()).with_credentials(community);
        let session = SnmpSession::open(&v2c, options()).await.unwrap();
        assert!(session.get(&[name()]).await.unwrap().is_ok());
        assert_eq!(agent.asked_by(), [b"ann".to_vec()], "the community says nothing");
        let bob = UsmCredentials::new(b"bob").unwrap();
        let bob = bob.with_auth(AuthProtocol::Sha256, Secret::password(b"maplesyrup")).unwrap();
        let usm = target(&agent, keys.manager()).with_credentials(bob.into());
        let session = SnmpSession::open(&usm, options()).await.unwrap();
        assert!(session.get(&[name()]).await.unwrap().is_ok());
        assert_eq!(agent.asked_by(), [b"bob".to_vec()]);
    }
}

#[tokio::test]
async fn untrusted_peers_learn_why() {
    let keys = Keys::new();
    let others = Keys::of("Others");
    for transport in [Transport::Tls, Transport::Dtls] {
        let agent = Agent::start(transport, &keys, 0).await;
        let fault = |error: Error| match error {
            Error::Transport(error) => match Arc::into_inner(error).unwrap() {
                TransportError::Tls { fault, .. } => fault.to_string(),
                other => panic!("{other}"),
            },
            Error::Tls(fault) => fault.to_string(),
            other => panic!("{other}"),
        };
        // We do not trust their authority.
        let error = open(&agent, others.manager()).await.err().unwrap();
        let unknown = CertificateFault::UnknownAuthority;
        assert_eq!(fault(error), TlsFault::from(unknown).to_string(), "{transport:?}");
        // Not the host that we wanted.
        let elsewhere = keys.manager_towards(ServerIdentity::Name("agent.example".into()));
        let error = fault(open(&agent, elsewhere).await.err().unwrap());
        assert!(error.contains("`agent.example`") && error.contains("127.0.0.1"), "{error}");
        // Not the certificate that we wanted.
        let other = Fingerprint::of(HashAlgorithm::Sha256, b"other");
        let error =
            open(&agent, keys.manager_towards(ServerIdentity::Fingerprint(other))).await.err().unwrap();
        assert!(fault(error).contains("fingerprint"));
        // They do not trust us: over TLS 1.3 that is reported after our first request.
        let stranger = others.manager_who_trusts(&keys);
        let refused = match open(&agent, stranger).await {
            Err(error) => error,
            Ok(session) => session.get(&[name()]).await.unwrap_err(),
        };
        let words = fault(refused);
        assert_eq!(words, TlsFault::Refused(Alert(48)).to_string(), "{transport:?}");
        // A server is trusted by its fingerprint, without any authority.
        let right = keys.manager_towards(ServerIdentity::Fingerprint(keys.agent_fingerprint()));
        assert!(open(&agent, right).await.unwrap().get(&[name()]).await.is_ok());
    }
}

/// Over TLS 1.3 our handshake ends before the receiver has looked at our certificate.
#[tokio::test]
async fn a_trap_is_not_sent_to_a_receiver_that_refuses_our_certificate() {
    let (keys, others) = (Keys::new(), Keys::of("Others"));
    let trap = Notification { uptime: 4, trap_oid: oid("1.3.6.1.6.3.1.1.5.3"), bindings: vec![] };
    let agent = Agent::start(Transport::Tls, &keys, 0).await;
    for is_last in [false, true] {
        let to = target(&agent, others.manager_who_trusts(&keys));
        let notifier = Notifier::open(&to, Some(receiver()), options()).await.unwrap();
        let sent =
            if is_last { notifier.last(notifier.trap(&trap)).await } else { notifier.trap(&trap).await };
        let error = sent.unwrap_err().to_string();
        assert!(error.contains("unknown_ca"), "{is_last}: {error}");
        // One that is not refused waits for no longer than its receiver needs to end the session.
        let notifier =
            Notifier::open(&target(&agent, keys.manager()), Some(receiver()), options()).await.unwrap();
        let sent =
            if is_last { notifier.last(notifier.trap(&trap)).await } else { notifier.trap(&trap).await };
        sent.unwrap();
    }
}

#[tokio::test]
async fn revoked_and_expired_are_distinguished() {
    let keys = Keys::new();
    for transport in [Transport::Tls, Transport::Dtls] {
        for (expired, words) in [(true, "expired"), (false, "revoked")] {
            let agent =
                Agent::start_with(transport, &keys, if expired { keys.expired() } else { keys.agent() })
                    .await;
            let secure = if expired { keys.manager() } else { keys.manager_with_revocation() };
            let error = open(&agent, secure).await.err().unwrap().to_string();
            assert!(error.contains(words), "{error}");
        }
    }
}

#[tokio::test]
async fn ssh_reports_the_host_whose_key_is_unknown() {
    let keys = Keys::new();
    let agent = Agent::start(Transport::Ssh, &keys, 0).await;
    let failure = |error: Error| match error {
        Error::Transport(error) => match Arc::into_inner(error).unwrap() {
            TransportError::Ssh { failure, .. } => *failure,
            other => panic!("{other}"),
        },
        other => panic!("{other}"),
    };
    let unknown = failure(open(&agent, keys.ssh_without_hosts()).await.err().unwrap());
    assert!(
        matches!(&unknown, SshFailure::UnknownHost { fingerprint, .. } if *fingerprint == agent.host_key()),
        "{unknown}"
    );
    let wrong =
        failure(open(&agent, keys.ssh_as(SshIdentity::Password("wrong".into()))).await.err().unwrap());
    assert!(matches!(wrong, SshFailure::NotAuthenticated { .. }), "{wrong}");
    let login = target(&agent, keys.manager()).with_login(Some("eve".into()));
    let error = failure(SnmpSession::open(&login, options()).await.err().unwrap());
    assert!(error.to_string().contains("eve"), "{error}");
    let mut nobody = target(&agent, keys.manager());
    nobody.secure = None;
    let error = SnmpSession::open(&nobody, options()).await.err().unwrap().to_string();
    assert_eq!(error, "ssh needs certificates or keys, and none are given");
}

#[tokio::test]
async fn requests_continue_after_a_servers_restart() {
    let keys = Keys::new();
    for transport in ALL {
        let agent = Agent::start(transport, &keys, 0).await;
        let options = options().with_timeout(Duration::from_millis(500)).with_retries(10);
        let session = SnmpSession::open(&target(&agent, keys.manager()), options).await.unwrap();
        session.get(&[name()]).await.unwrap();
        let port = agent.port;
        drop(agent);
        let _again = Agent::start(transport, &keys, port).await;
        let answer = session.get(&[name()]).await;
        assert_eq!(value(&answer.unwrap()), &Bound::Value(Value::Integer(7)), "{transport:?}");
        let counts = session.counts();
        assert_eq!((counts.connections, counts.connections_lost), (2, 1), "{transport:?} {counts:?}");
    }
}

#[tokio::test]
async fn all_callers_of_a_device_share_its_session() {
    let keys = Keys::new();
    for transport in ALL {
        let agent = Agent::start(transport, &keys, 0).await;
        let pool = Pool::new(PoolOptions::default().with_session(options()));
        let target = target(&agent, keys.manager());
        let kept = pool.session(&target).await.unwrap();
        let asking: Vec<_> = (0..20)
            .map(|_| {
                let (pool, target) = (pool.clone(), target.clone());
                tokio::spawn(async move { pool.session(&target).await?.get(&[name()]).await })
            })
            .collect();
        for asked in asking {
            assert!(asked.await.unwrap().unwrap().is_ok());
        }
        let counts = kept.counts();
        assert_eq!((pool.counts().opened, counts.connections, counts.received), (1, 1, 21), "{transport:?}");
        // Another principal has a separate session.
        let other = target.clone().with_secure(Arc::new(keys.manager()));
        pool.session(&other).await.unwrap().get(&[name()]).await.unwrap();
        assert_eq!(pool.counts().opened, 2);
    }
}

fn receiver() -> Arc<Engine> {
    Arc::new(Engine::new(EngineOptions {
        id: EngineId::generate(8072, *b"the receiver"),
        clock: EngineClock::new(EngineBoots::default().next(), std::time::Instant::now()),
        max_size: 65_507,
        handlers: Handlers::RECEIVER,
        remote_engines: 4,
        entropy: 5,
    }))
}

#[tokio::test]
async fn notifications_have_their_senders_name() {
    let keys = Keys::new();
    let places: Vec<_> = ALL.iter().map(|transport| over(*transport)).collect();
    let secure = ListenSecure::default()
        .with_tls(Arc::new(keys.server(keys.agent())))
        .with_names(ListenSecure::usual_names(&keys.trust()))
        .with_ssh(Arc::new(keys.ssh_server()));
    let options = ListenOptions::default().with_least(SecurityLevel::AuthPriv).with_secure(secure);
    let engine = receiver();
    engine.set_community_over_transport(true);
    let mut listener = Listener::bind(&places, engine, options).unwrap();
    let bound: Vec<_> = listener.places().copied().collect();
    let happened = Notification {
        uptime: 4,
        trap_oid: oid("1.3.6.1.6.3.1.1.5.3"),
        bindings: vec![VarBind::new(name(), Value::Integer(3))],
    };
    let session =
        || Credentials::from(TsmCredentials { context: b"lab".to_vec(), ..TsmCredentials::default() });
    let v2c = || Credentials::community(Version::V2c, b"x");
    let v1 = || Credentials::community(Version::V1, b"x");
    for place in bound {
        let host = place.address.unwrap().to_string();
        for (credentials, informs) in
            [(session(), false), (session(), true), (v2c(), false), (v2c(), true), (v1(), false)]
        {
            let version = credentials.version();
            let to = Target::new(place.transport, &host, place.port, credentials)
                .with_secure(Arc::new(keys.manager()));
            let notifier = Notifier::open(&to, Some(receiver()), self::options()).await.unwrap();
            if informs {
                assert!(notifier.inform(&happened).await.unwrap().is_ok());
            } else {
                notifier.trap(&happened).await.unwrap();
            }
            let received = listener.next().await.unwrap();
            assert_eq!((received.version, received.transport), (version, place.transport));
            assert_eq!(received.user.as_deref(), Some(&b"ann"[..]), "{:?} {version}", place.transport);
            assert_eq!((received.community.as_deref(), received.level), (None, SecurityLevel::AuthPriv));
            assert!(received.is_authenticated());
            assert_eq!(received.notification, happened);
            if version == Version::V3 {
                assert_eq!(received.context_name, b"lab");
                assert_eq!(received.kind, if informs { PduKind::Inform } else { PduKind::TrapV2 });
            }
        }
    }
    assert_eq!(listener.counts().taken, 15);
    let nothing = Listener::bind(&[over(Transport::Tls)], receiver(), ListenOptions::default());
    assert!(matches!(nothing.err().unwrap(), Error::Transport(_)));
}

#[test]
fn a_target_gets_the_session_it_describes() {
    let secure = Arc::new(Secure::new());
    let defaults = Defaults::default().with_secure(Some(Arc::clone(&secure)));
    let of = |text: &str| Target::parse(text, &defaults).unwrap().secure;
    assert!(of("snmp+tls://h").is_some_and(|found| Arc::ptr_eq(&found, &secure)));
    assert!(of("snmp+tcp://h").is_none());
}
