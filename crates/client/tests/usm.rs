//! Sessions as users of SNMPv3 against Debian's `snmpd`: every pair of protocols, both transports, and mistakes in
//! keys, users and contexts.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::agents;

use std::time::Duration;

use agents::Snmpd;
use trunkline_client::{
    Credentials, Defaults, Error, Secret, SessionOptions, SnmpSession, Target, UsmCredentials, WalkOptions,
    walk,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::role::manager::ReportKind;
use trunkline_snmp::usm::{AuthProtocol, EngineId, EngineMoment, LocalKey, MasterKey, PrivProtocol};
use trunkline_snmp::wire::{Bound, ErrorStatus, VarBind, Version};

const AUTH_PASSWORD: &[u8] = b"authentic words";
const PRIV_PASSWORD: &[u8] = b"private words";

/// The ciphers that Debian's `snmpd` has (its `AES-192` is Blumenthal's, its `AES-192-C` Reeder's).
const CIPHERS: [PrivProtocol; 6] = PrivProtocol::ALL;

fn user_name(auth: AuthProtocol, privacy: Option<PrivProtocol>) -> String {
    format!("{}_{}", auth.name(), privacy.map_or("none", PrivProtocol::name)).replace('-', "")
}

/// A user for each pair, named after it; `plain` has no keys.
fn users() -> String {
    let mut text = String::from("createUser plain\nrouser plain noauth\n");
    for auth in AuthProtocol::ALL {
        let words = String::from_utf8_lossy(AUTH_PASSWORD);
        let name = user_name(auth, None);
        text += &format!("createUser {name} {auth} \"{words}\"\nrwuser {name} auth\n");
        for privacy in CIPHERS {
            let (name, secret) = (user_name(auth, Some(privacy)), String::from_utf8_lossy(PRIV_PASSWORD));
            text +=
                &format!("createUser {name} {auth} \"{words}\" {privacy} \"{secret}\"\nrwuser {name} priv\n");
        }
    }
    text
}

fn user(auth: AuthProtocol, privacy: Option<PrivProtocol>) -> UsmCredentials {
    let user = UsmCredentials::new(user_name(auth, privacy).as_bytes()).unwrap();
    let user = user.with_auth(auth, Secret::password(AUTH_PASSWORD)).unwrap();
    match privacy {
        Some(privacy) => user.with_privacy(privacy, Secret::password(PRIV_PASSWORD)).unwrap(),
        None => user,
    }
}

async fn session(agent: &Snmpd, transport: &str, credentials: impl Into<Credentials>) -> SnmpSession {
    open(agent, transport, credentials, Duration::from_secs(5)).await
}

async fn open(
    agent: &Snmpd,
    transport: &str,
    credentials: impl Into<Credentials>,
    timeout: Duration,
) -> SnmpSession {
    let text = format!("{transport}:127.0.0.1:{}", agent.port);
    let target = Target::parse(&text, &Defaults::default()).unwrap().with_credentials(credentials.into());
    let options = SessionOptions::default().with_timeout(timeout).with_retries(2);
    SnmpSession::open(&target, options).await.unwrap()
}

fn sys(rest: &str) -> Oid {
    format!("1.3.6.1.2.1.1.{rest}").parse().unwrap()
}

fn location() -> Vec<VarBind> {
    vec![VarBind::new(sys("6.0"), Value::OctetString(b"here".to_vec()))]
}

#[tokio::test]
async fn every_pair_of_protocols_is_understood() {
    let Some(agent) = Snmpd::start(&users()) else { return };
    let system: Oid = "1.3.6.1.2.1.1".parse().unwrap();
    for auth in AuthProtocol::ALL {
        for privacy in [None].into_iter().chain(CIPHERS.map(Some)) {
            let session = session(&agent, "udp", user(auth, privacy)).await;
            assert_eq!(session.version(), Version::V3);
            let answer = session.get(&[sys("6.0")]).await;
            let answer = answer.unwrap_or_else(|error| panic!("{auth} {privacy:?}: {error}"));
            assert_eq!(answer.bindings, location(), "{auth} {privacy:?}");
            let walked = walk(&session, system.clone(), WalkOptions::default()).collect().await.unwrap();
            assert!(walked.len() > 20, "{auth} {privacy:?}: {}", walked.len());
            // Discovery, then the request: no more if the engine's clock is right.
            let counts = session.counts();
            assert_eq!((counts.malformed, counts.foreign, counts.unmatched, counts.lies), (0, 0, 0, 0));
        }
    }
}

#[tokio::test]
async fn streams_and_users_without_keys() {
    let Some(agent) = Snmpd::start(&users()) else { return };
    for transport in ["udp", "tcp"] {
        let plain = session(&agent, transport, UsmCredentials::new(b"plain").unwrap()).await;
        assert_eq!(plain.get(&[sys("6.0")]).await.unwrap().bindings, location());
        let keyed = user(AuthProtocol::Sha256, Some(PrivProtocol::Aes128));
        let keyed = session(&agent, transport, keyed).await;
        // Many at once: one discovery, all answered.
        let names = [sys("6.0")];
        let answers =
            tokio::join!(keyed.get(&names), keyed.get(&names), keyed.get(&names), keyed.next(&names));
        for answer in [answers.0, answers.1, answers.2] {
            assert_eq!(answer.unwrap().bindings, location(), "{transport}");
        }
        assert_eq!(answers.3.unwrap().bindings.len(), 1);
        assert_eq!(keyed.counts().sent, 5, "a discovery and four questions");
    }
}

/// A Set to an engine whose clock is not authenticated yet is sent with boots 0 and time 0, learns the clock from
/// the authentic Report and is sent once more: it takes effect once.
#[tokio::test]
async fn a_set_waits_for_the_authenticated_clock() {
    let Some(agent) = Snmpd::start(&users()) else { return };
    let session = session(&agent, "udp", user(AuthProtocol::Sha1, Some(PrivProtocol::Des))).await;
    let contact = [VarBind::new(sys("4.0"), Value::text("ann"))];
    let answer = session.set(&contact).await.unwrap();
    assert!(answer.is_ok(), "{:?}", answer.status());
    assert_eq!(session.counts().sent, 3, "discovery, the Set out of time, the Set in time");
    assert_eq!(session.get(&[sys("4.0")]).await.unwrap().bindings, contact);
    assert_eq!(session.counts().sent, 4);
}

/// Values that are given instead of being discovered.
#[tokio::test]
async fn keys_engine_and_clock_may_be_given() {
    let Some(agent) = Snmpd::start(&users()) else { return };
    let (auth, privacy) = (AuthProtocol::Sha256, PrivProtocol::Aes256);
    let asked = session(&agent, "udp", user(auth, Some(privacy))).await;
    let names: [Oid; 3] = [1, 2, 3].map(|n| format!("1.3.6.1.6.3.10.2.1.{n}.0").parse().unwrap());
    let answer = asked.get(&names).await.unwrap();
    let Bound::Value(Value::OctetString(engine)) = &answer.bindings[0].value else { panic!("{answer:?}") };
    let number = |at: usize| match &answer.bindings[at].value {
        Bound::Value(Value::Integer(number)) => *number as u32,
        other => panic!("{other:?}"),
    };
    let engine = EngineId::new(engine).unwrap();

    let master = |password| MasterKey::from_password(auth, password).unwrap();
    let local = |password| LocalKey::from_bytes(master(password).localize(&engine).as_bytes());
    for (keys, secrets) in [
        ("master", [AUTH_PASSWORD, PRIV_PASSWORD].map(|words| Secret::master_key(master(words).as_bytes()))),
        ("localised", [AUTH_PASSWORD, PRIV_PASSWORD].map(|words| Secret::LocalizedKey(local(words)))),
    ] {
        let [auth_secret, priv_secret] = secrets;
        let user = UsmCredentials::new(user_name(auth, Some(privacy)).as_bytes()).unwrap();
        let mut user = user.with_auth(auth, auth_secret).unwrap().with_privacy(privacy, priv_secret).unwrap();
        user.security_engine_id = Some(engine);
        user.engine_moment = EngineMoment::new(number(1), number(2));
        let told = session(&agent, "udp", user).await;
        assert_eq!(told.get(&[sys("6.0")]).await.unwrap().bindings, location(), "{keys}");
        assert_eq!(told.counts().sent, 1, "{keys}: nothing had to be found out");
    }

    // A wrong clock is corrected by the engine's authentic Report.
    let mut user = user(auth, Some(privacy));
    user.engine_moment = EngineMoment::new(number(1) + 9, 5);
    let wrong = session(&agent, "udp", user).await;
    assert_eq!(wrong.get(&[sys("6.0")]).await.unwrap().bindings, location());
    assert_eq!(wrong.counts().sent, 3);
}

#[tokio::test]
async fn each_mistake_is_reported() {
    let Some(agent) = Snmpd::start(&users()) else { return };
    let named = |name: &str| UsmCredentials::new(name.as_bytes()).unwrap();
    let (sha, aes) = (AuthProtocol::Sha1, PrivProtocol::Aes128);
    let secret = || Secret::password(AUTH_PASSWORD);
    let wrong = || Secret::password(b"something else");
    let cases = [
        (named("nobody").with_auth(sha, secret()).unwrap(), ReportKind::UnknownUserNames),
        (named("SHA_AES").with_auth(sha, wrong()).unwrap(), ReportKind::WrongDigests),
        (named("SHA_none").with_auth(AuthProtocol::Md5, secret()).unwrap(), ReportKind::WrongDigests),
        (
            named("SHA_none").with_auth(sha, secret()).unwrap().with_privacy(aes, secret()).unwrap(),
            ReportKind::UnsupportedSecLevels,
        ),
        (
            named("SHA_AES").with_auth(sha, secret()).unwrap().with_privacy(aes, wrong()).unwrap(),
            ReportKind::DecryptionErrors,
        ),
    ];
    for (user, expected) in cases {
        let session = open(&agent, "udp", user, Duration::from_millis(400)).await;
        match session.get(&[sys("6.0")]).await {
            Err(Error::Report { report }) => assert_eq!(report, expected),
            // snmpd does not answer a message that decrypts to noise, or rejects it as malformed.
            Err(Error::Timeout { .. }) if expected == ReportKind::DecryptionErrors => {}
            other => panic!("{expected:?}: {other:?}"),
        }
    }
    // Missing rights are an error in the agent's answer, not a Report.
    let low = user(sha, Some(aes)).with_level(trunkline_snmp::SecurityLevel::AuthNoPriv).unwrap();
    let low = session(&agent, "udp", low).await;
    let answer = low.get(&[sys("6.0")]).await.unwrap();
    assert_eq!(answer.status(), Some(ErrorStatus::AuthorizationError));
}
