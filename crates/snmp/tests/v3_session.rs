//! Our engine in snmpd's place: given the octets that Net-SNMP's snmpget sent to its snmpd, and snmpd's ID, clock
//! and users, it says what snmpd said, octet for octet: Reports, their counters, and Responses that are not
//! encrypted (encrypted ones have another salt).
#![allow(missing_docs, clippy::expect_used, clippy::unwrap_used)]

use std::time::{Duration, Instant};

use trunkline_smi::ValueRef;
use trunkline_snmp::Counters;
use trunkline_snmp::engine::{DropReason, Engine, EngineOptions, Handlers, Incoming, UsmFailure};
use trunkline_snmp::usm::{
    AuthProtocol, Credentials, EngineBoots, EngineClock, EngineId, PrivProtocol, UserTable,
};
use trunkline_snmp::wire::{ResponseWriter, V3MessageRef};

const SESSION: &str = include_str!("vectors/v3-session.txt");
const SYS_LOCATION: [u32; 9] = [1, 3, 6, 1, 2, 1, 1, 6, 0];

fn hex(text: &str) -> Vec<u8> {
    let octet = |pair| u8::from_str_radix(pair, 16).expect("hexadecimal");
    (0..text.len()).step_by(2).map(|at| octet(&text[at..at + 2])).collect()
}

/// What was sent, and what snmpd answered.
fn session() -> Vec<(Vec<u8>, Option<Vec<u8>>)> {
    let mut session = Vec::new();
    for line in SESSION.lines() {
        match line.split_once(' ') {
            Some((">", octets)) => session.push((hex(octets), None)),
            Some(("<", octets)) => session.last_mut().expect("something sent").1 = Some(hex(octets)),
            _ => assert!(line.starts_with('#'), "{line}"),
        }
    }
    session
}

fn users(engine: &EngineId) -> UserTable {
    let password: &[u8] = b"maplesyrup";
    let auth = Some((AuthProtocol::Sha256, password));
    let privacy = Some((PrivProtocol::Aes128, password));
    [(&b"ann"[..], auth, privacy), (b"bob", auth, None), (b"eve", None, None)]
        .into_iter()
        .map(|(name, auth, privacy)| {
            Credentials::from_passwords(name, auth, privacy).unwrap().localize(engine).unwrap()
        })
        .collect()
}

#[test]
fn our_engine_answers_as_snmpd_did() {
    let id: EngineId = "80001f8804746573742d656e67696e65".parse().unwrap();
    let start = Instant::now();
    let engine = Engine::new(EngineOptions {
        id,
        clock: EngineClock::new(EngineBoots::new(1).unwrap(), start),
        max_size: 65_507,
        handlers: Handlers::RESPONDER,
        remote_engines: 0,
        entropy: 1,
    });
    engine.set_users(users(&id));
    let counters = Counters::default();
    let (mut equal, mut now) = (0, start);
    for (sent, answered) in session() {
        if let Some(answered) = &answered {
            // snmpd's clock at the time
            let parameters = V3MessageRef::decode(answered).unwrap().usm().unwrap();
            now = start + Duration::from_secs(u64::from(parameters.moment.time.get()));
        }
        let (mut scratch, mut out, mut buf) = (vec![], vec![], vec![]);
        match (engine.receive(&sent, &mut scratch, &mut out, now, None, |_| None, &counters), answered) {
            (Incoming::Report { reply, reason }, Some(answered)) => {
                assert_eq!(out[reply], answered, "{reason}");
                equal += 1;
            }
            (Incoming::Request(request), Some(answered)) => {
                let mut writer = ResponseWriter::new(&mut buf, answered.len(), request.reply());
                assert!(writer.value_at(&SYS_LOCATION, ValueRef::OctetString(b"here")));
                let range = writer.finish().expect("as long as snmpd's");
                assert_eq!(range.len(), answered.len());
                if !request.level.is_encrypted() {
                    assert_eq!(buf[range], answered);
                    equal += 1;
                }
            }
            // We report a wrong password; snmpd causes a time-out.
            (Incoming::Report { reason, .. }, None) => {
                assert!(matches!(reason, DropReason::Usm(UsmFailure::DecryptedToNoise(_))), "{reason}");
            }
            // The context is the access policy's to know.
            (Incoming::Request(request), None) => assert_eq!(request.context_name, b"nowhere"),
            (incoming, answered) => panic!("{incoming:?} where snmpd said {answered:02x?}"),
        }
    }
    assert_eq!(equal, 11);
}
