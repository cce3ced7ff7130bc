//! Sessions, walks and tables against Debian's `snmpd`, which the test starts on a free loopback port and stops.
//! Without `snmpd` the tests print a note and pass, except in CI.
#![allow(clippy::unwrap_used, reason = "helpers of tests")]

use crate::agents;

use std::time::Duration;

use agents::Snmpd;
use trunkline_client::{
    Credentials, Defaults, Error, Repetitions, SessionOptions, SnmpSession, Target, WalkOptions, table, walk,
};
use trunkline_smi::{Oid, Value};
use trunkline_snmp::wire::{Bound, ErrorStatus, Exception, VarBind, Version};

fn target(agent: &Snmpd, transport: &str, version: Version) -> Target {
    let defaults = Defaults::default().with_version(version);
    Target::parse(&format!("{transport}:127.0.0.1:{}", agent.port), &defaults).unwrap()
}

async fn session(agent: &Snmpd, transport: &str, version: Version) -> SnmpSession {
    SnmpSession::open(&target(agent, transport, version), options()).await.unwrap()
}

fn options() -> SessionOptions {
    SessionOptions::default().with_timeout(Duration::from_secs(5)).with_retries(2)
}

fn oid(text: &str) -> Oid {
    text.parse().unwrap()
}

fn sys(suffix: &str) -> Oid {
    oid(&format!("1.3.6.1.2.1.1.{suffix}"))
}

/// The four ways to reach it.
const WAYS: [(&str, Version); 4] =
    [("udp", Version::V1), ("udp", Version::V2c), ("tcp", Version::V1), ("tcp", Version::V2c)];

#[tokio::test]
async fn operations_over_each_transport_and_version() {
    let Some(agent) = Snmpd::start("") else { return };
    for (transport, version) in WAYS {
        let session = session(&agent, transport, version).await;
        let got = session.get(&[sys("6.0"), sys("3.0")]).await.unwrap();
        assert_eq!(got.bindings[0].value, Bound::Value(Value::OctetString(b"here".to_vec())));
        assert!(matches!(got.bindings[1].value, Bound::Value(Value::TimeTicks(_))));
        let next = session.next(&[sys("5.0")]).await.unwrap();
        assert_eq!(next.bindings[0].name, sys("6.0"));
        let missing = session.get(&[sys("99.0")]).await.unwrap();
        match version {
            Version::V1 => assert_eq!(missing.status(), Some(ErrorStatus::NoSuchName)),
            _ => assert!(matches!(
                missing.bindings[0].value,
                Bound::Exception(Exception::NoSuchObject | Exception::NoSuchInstance)
            )),
        }
        let bulk = session.bulk(1, 5, &[sys("2"), oid("1.3.6.1.2.1.2.2.1.1")]).await;
        match version {
            Version::V1 => assert!(matches!(bulk, Err(Error::NotInVersion { .. }))),
            _ => assert_eq!(bulk.unwrap().bindings.len(), 6),
        }
    }
}

#[tokio::test]
async fn setting_needs_the_right_community() {
    let Some(agent) = Snmpd::start("") else { return };
    let contact = [VarBind::new(sys("4.0"), Value::OctetString(b"me".to_vec()))];
    let mut target = target(&agent, "udp", Version::V2c);
    let session = SnmpSession::open(&target, options()).await.unwrap();
    assert_eq!(session.set(&contact).await.unwrap().status(), Some(ErrorStatus::NoAccess));
    target.credentials = Credentials::community(Version::V2c, b"private");
    let session = SnmpSession::open(&target, options()).await.unwrap();
    assert!(session.set(&contact).await.unwrap().is_ok());
    assert_eq!(session.get(&[sys("4.0")]).await.unwrap().bindings, contact);
}

#[tokio::test]
async fn a_wrong_community_meets_silence() {
    let Some(agent) = Snmpd::start("") else { return };
    let mut target = target(&agent, "udp", Version::V2c);
    target.credentials = Credentials::community(Version::V2c, b"wrong");
    let options = options().with_timeout(Duration::from_millis(50)).with_retries(1);
    let session = SnmpSession::open(&target, options).await.unwrap();
    assert!(matches!(session.get(&[sys("3.0")]).await, Err(Error::Timeout { attempts: 2, .. })));
}

async fn names(session: &SnmpSession, root: &str, options: WalkOptions) -> Vec<Oid> {
    let found = walk(session, oid(root), options).collect().await.unwrap();
    found.into_iter().map(|binding| binding.name).collect()
}

/// Groups whose instances do not change while a test runs.
const STABLE: [&str; 3] = ["1.3.6.1.2.1.1", "1.3.6.1.2.1.2", "1.3.6.1.6.3"];

#[tokio::test]
async fn walks_agree_over_each_transport_and_version() {
    let Some(agent) = Snmpd::start("") else { return };
    let plain = WalkOptions::default().with_concurrency(1).with_repetitions(Repetitions::Fixed(1));
    for root in STABLE {
        let reference = names(&session(&agent, "udp", Version::V2c).await, root, plain.clone()).await;
        assert!(reference.len() > 8 && reference.is_sorted(), "{root}: {}", reference.len());
        for (transport, version) in WAYS {
            let session = session(&agent, transport, version).await;
            let mut found = names(&session, root, WalkOptions::default()).await;
            if version == Version::V1 {
                // RFC 3584 section 4.2.2.1: no Counter64 in v1.
                assert!(found.iter().all(|name| reference.contains(name)), "{root}");
                found = reference.clone();
            }
            assert!(found == reference, "{root} over {transport} {version}");
        }
    }
}

#[tokio::test]
async fn the_interface_table_by_rows() {
    let Some(agent) = Snmpd::start("") else { return };
    let session = session(&agent, "udp", Version::V2c).await;
    let columns = [1, 2, 6].map(|column| oid("1.3.6.1.2.1.2.2.1").child(&[column]));
    let found = table(&session, &columns, WalkOptions::default()).await.unwrap();
    let number = session.get(&[oid("1.3.6.1.2.1.2.1.0")]).await.unwrap();
    assert_eq!(number.bindings[0].value, Bound::Value(Value::Integer(found.rows.len() as i32)));
    for (index, row) in &found.rows {
        assert_eq!(row[0], Some(Bound::Value(Value::Integer(index[0] as i32))));
    }
    let loopback = found.cell(&[1], 1);
    assert_eq!(loopback, Some(&Bound::Value(Value::OctetString(b"lo".to_vec()))));
}
