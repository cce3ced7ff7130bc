//! Invariants for arbitrary octets; the fuzz targets supply them.

use std::time::{Duration, Instant};

use trunkline_smi::OidList;
use trunkline_snmp::engine::{Engine, EngineOptions, Handlers};
use trunkline_snmp::usm::{
    AuthKey, AuthProtocol, EngineBoots, EngineClock, EngineId, EngineMoment, LocalKey, PrivKey, PrivProtocol,
    User,
};
use trunkline_snmp::wire::{
    Bound, Envelope, Message, MessageRef, MsgData, ResponseWriter, ScopedPduData, ScopedPduRef, TSM, USM,
    V3Message, V3MessageRef, annotate,
};
use trunkline_snmp::{Counters, DecodeError};

/// The engine that [`engine`] makes.
pub const ENGINE: &[u8] = b"\x80\x00\x1f\x88\x04test-engine";

/// The time on its clock.
pub fn engine_moment() -> EngineMoment {
    EngineMoment::new(1, 2).expect("in range")
}

/// An engine with three users, and the moment two seconds after its first boot.
pub fn engine(handlers: Handlers) -> (Engine, Instant) {
    let started = Instant::now();
    let engine = Engine::new(EngineOptions {
        id: EngineId::new(ENGINE).expect("an engine ID"),
        clock: EngineClock::new(EngineBoots::new(1).expect("in range"), started),
        max_size: 1472,
        handlers,
        remote_engines: 2,
        entropy: 1,
    });
    engine.change_users(|table| users().into_iter().for_each(|user| drop(table.insert(user))));
    (engine, started + Duration::from_secs(2))
}

/// The users of [`engine`]: "a" with SHA-256 and AES, "d" with MD5 and DES, "n" without keys.
pub fn users() -> [User; 3] {
    let id = EngineId::new(ENGINE).expect("an engine ID");
    let user = |name: &[u8], auth: AuthProtocol, privacy: PrivProtocol| {
        let key = |length| LocalKey::from_bytes(&vec![7; length]);
        let auth_key = AuthKey::new(auth, key(auth.key_length())).expect("as long as it must be");
        let priv_key =
            PrivKey::new(privacy, auth, &key(privacy.key_length()), &id).expect("as long as it must be");
        let user = User::new(id, name).expect("a name");
        user.with_keys(Some(auth_key), Some(priv_key)).expect("both keys")
    };
    [
        user(b"a", AuthProtocol::Sha256, PrivProtocol::Aes128),
        user(b"d", AuthProtocol::Md5, PrivProtocol::Des),
        User::new(id, b"n").expect("a name"),
    ]
}

/// The number of messages that an engine has refused, for any counted reason.
pub fn refused(counters: &Counters) -> u32 {
    let counters = [
        &counters.in_asn_parse_errs,
        &counters.in_bad_versions,
        &counters.in_bad_community_names,
        &counters.unknown_security_models,
        &counters.invalid_msgs,
        &counters.unknown_pdu_handlers,
        &counters.unsupported_sec_levels,
        &counters.not_in_time_windows,
        &counters.unknown_user_names,
        &counters.unknown_engine_ids,
        &counters.wrong_digests,
        &counters.decryption_errors,
        &counters.tsm_invalid_caches,
        &counters.tsm_inadequate_security_levels,
    ];
    counters.iter().map(|counter| counter.get()).sum()
}

/// All decoders of SNMPv3 agree; a valid message can be encoded and is decoded back equal; the annotator reports
/// an error for what they refuse.
pub fn check_v3_message(octets: &[u8]) {
    let borrowed = V3MessageRef::decode(octets);
    let owned = V3Message::decode(octets);
    let usm = borrowed.as_ref().ok().filter(|message| message.security_model == USM).map(V3MessageRef::usm);
    let wrong = annotate(octets).iter().any(|field| field.wrong);
    if !matches!(borrowed, Err(DecodeError::UnsupportedVersion { .. })) {
        let parameters = borrowed.as_ref().ok().filter(|message| message.security_model == TSM);
        let tsm = parameters.is_none_or(|message| message.security_parameters().is_empty());
        assert_eq!(wrong, owned.is_err() || matches!(usm, Some(Err(_))) || !tsm, "{owned:?} {usm:?}");
    }
    let Ok(message) = borrowed else {
        assert!(owned.is_err());
        return;
    };
    if let Some(Ok(parameters)) = usm {
        assert_eq!(&octets[parameters.authentication_range()], parameters.authentication);
        let again = parameters.to_parameters().encode();
        assert!(again.len() <= message.security_parameters().len());
    }
    if let MsgData::Plain(scoped) = message.data {
        let mut names = OidList::new();
        assert_eq!(scoped.pdu.names(&mut names).is_ok(), owned.is_ok());
    }
    if let Ok(owned) = owned {
        assert_eq!(V3Message::decode(&owned.encode()).as_ref(), Ok(&owned));
        if let ScopedPduData::Plain(scoped) = owned.data {
            let alone = scoped.encode();
            let again = ScopedPduRef::decode(&alone, 0).and_then(|scoped| scoped.to_owned_pdu());
            assert_eq!(again, Ok(scoped));
        }
    }
}

/// An element: a type, a length in its shortest form, contents.
pub fn element(tag: u8, contents: &[u8]) -> Vec<u8> {
    let mut octets = vec![tag];
    match contents.len() {
        length @ 0..0x80 => octets.push(length as u8),
        length => octets.extend([&[0x84], &(length as u32).to_be_bytes()[..]].concat()),
    }
    octets.extend(contents);
    octets
}

/// A message of this version around a PDU.
pub fn message_around(version: u8, pdu: &[u8]) -> Vec<u8> {
    element(0x30, &[&[2, 1, version, 4, 1, b'c'], pdu].concat())
}

/// All decoders agree; a valid message can be encoded, by both encoders alike, and is decoded back equal.
pub fn check_message(octets: &[u8]) {
    let mut names = OidList::new();
    let agent = MessageRef::decode(octets).and_then(|message| message.pdu.names(&mut names));
    let message = match Message::decode(octets) {
        Ok(message) => message,
        Err(error) => {
            assert_eq!(agent, Err(error));
            assert!(names.is_empty());
            return;
        }
    };
    assert_eq!(agent, Ok(()));
    assert!(names.iter().eq(message.pdu.bindings.iter().map(|binding| &*binding.name)));
    let encoded = message.encode();
    assert_eq!(Message::decode(&encoded).as_ref(), Ok(&message));
    if message.pdu.error_status == 0 && message.pdu.error_index == 0 {
        check_writer(&message, &encoded);
    }
}

/// The agent's encoder produces the same octets, and respects any limit.
fn check_writer(message: &Message, encoded: &[u8]) {
    let (kind, request_id) = (message.pdu.kind, message.pdu.request_id);
    let envelope = Envelope::community(message.version, &message.community, kind, request_id);
    for limit in [encoded.len(), encoded.len().saturating_sub(1), encoded.len() / 2] {
        let mut buf = Vec::new();
        let mut writer = ResponseWriter::new(&mut buf, limit, envelope);
        let taken = message.pdu.bindings.iter().take_while(|binding| match &binding.value {
            Bound::Unspecified => writer.unspecified(&binding.name),
            Bound::Exception(exception) => writer.exception(&binding.name, *exception),
            Bound::Value(value) => writer.value_at(&binding.name, value.as_value_ref()),
        });
        let taken = taken.count();
        let range = writer.finish();
        if limit == encoded.len() {
            assert_eq!(taken, message.pdu.bindings.len());
            assert_eq!(&buf[range.clone().unwrap_or(0..0)], encoded);
        }
        assert!(range.is_none_or(|range| range.len() <= limit));
    }
}

/// The fields cover all octets without gaps.
pub fn check_annotation(octets: &[u8]) {
    let mut at = 0;
    for field in annotate(octets) {
        assert_eq!(field.offset, at);
        assert!(field.header <= field.len);
        at += field.len;
    }
    assert_eq!(at, octets.len());
}
