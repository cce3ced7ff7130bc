//! What an SNMPv3 manager may receive instead of an answer: arbitrary octets, and messages that are valid down to
//! their scoped PDU, unencrypted and with a valid digest. Nothing unauthenticated sets a clock, or changes an
//! authenticated engine.
#![no_main]

use std::time::Instant;

use libfuzzer_sys::fuzz_target;
use trunkline_fuzz::element;
use trunkline_snmp::SecurityLevel;
use trunkline_snmp::role::manager::{Answer, Asker, Manager};
use trunkline_snmp::usm::{AuthKey, AuthProtocol, EngineId, LocalKey, User};
use trunkline_snmp::wire::{PduKind, V3MessageRef};

const ENGINE: [u8; 6] = [0x80, 0, 0, 0, 4, b'e'];

fuzz_target!(|octets: &[u8]| {
    check(octets, SecurityLevel::AuthNoPriv);
    check(octets, SecurityLevel::NoAuthNoPriv);
    let Some((&flags, rest)) = octets.split_first() else { return };
    let (level, code) = if flags & 1 == 1 { (1, vec![0; 12]) } else { (0, Vec::new()) };
    let parameters = [
        element(4, &ENGINE),
        vec![2, 1, 1, 2, 1, flags >> 1],
        element(4, b"ann"),
        element(4, &code),
        element(4, b""),
    ];
    let scoped = [element(4, &ENGINE), element(4, b""), rest.to_vec()].concat();
    let header = [&[2, 1, 7, 2, 2, 4, 0, 4, 1, level, 2, 1, 3][..]].concat();
    let message = [
        vec![2, 1, 3],
        element(0x30, &header),
        element(4, &element(0x30, &parameters.concat())),
        element(0x30, &scoped),
    ];
    let mut message = element(0x30, &message.concat());
    if level == 1 {
        let Ok(read) = V3MessageRef::decode(&message) else { return };
        let Ok(range) = read.usm().map(|usm| usm.authentication_range()) else { return };
        let _ = key().sign(&mut message, range);
    }
    check(&message, SecurityLevel::AuthNoPriv);
    check(&message, SecurityLevel::NoAuthNoPriv);
});

fn key() -> AuthKey {
    let Ok(key) = AuthKey::new(AuthProtocol::Sha1, LocalKey::from_bytes(&[7; 20])) else { unreachable!() };
    key
}

fn check(octets: &[u8], level: SecurityLevel) {
    let now = Instant::now();
    let Ok(id) = EngineId::new(&ENGINE) else { unreachable!() };
    let asker = Asker {
        user_name: b"ann".to_vec(),
        level,
        context_name: Vec::new(),
        context_engine_id: None,
        security_engine_id: Some(id),
        engine_moment: None,
    };
    let mut manager = Manager::new(asker, 1472, 1, now);
    let Ok(user) = User::new(id, b"ann").and_then(|user| user.with_keys(Some(key()), None)) else {
        unreachable!()
    };
    manager.set_user(user);
    let mut plain = Vec::new();
    let (authentic, learned) = match manager.receive(octets, &mut plain, now) {
        Ok(received) => {
            if let Answer::Response(pdu) = &received.what {
                assert_eq!(pdu.kind, PduKind::Response);
                assert_eq!(received.is_authentic, level.is_authenticated());
                pdu.bindings().for_each(drop);
            }
            let engine = received.engine;
            (received.is_authentic, Some((engine.0.to_vec(), engine.1)))
        }
        Err(_) => (false, None),
    };
    if let Some((engine, moment)) = learned {
        assert!(authentic || !manager.is_synchronized());
        assert!(!manager.learn((&engine, moment), now), "an engine that was told is not replaced");
    }
}
